// The blocks of doc/rotations.md.
#include "frame.h"

static pcs_status angles_of_a_matrix(void)
{
    const double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
#include "block_1.c"
    EXPECT(which != PCS_ROTATION_CASE_GIMBAL);
    EXPECT(angles[0] == 0 && angles[1] == 0 && angles[2] == 0);
    return PCS_OK;
}

typedef struct body {
    double m, J[9];
} body;

#include "block_2.c"

static pcs_status hammer_of_parts(void)
{
    double moments[3], axes[9];
#include "block_3.c"
    EXPECT(moments[0] > 0 && moments[0] + moments[1] >= moments[2]);
    return PCS_OK;
}

int main(void)
{
    body b = {2, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double x[12] = {[6] = 1};
    double dxdt[12];
    EXPECT(tumble(&b, 0, x, dxdt) == 0);
    EXPECT(dxdt[0] == 1 && dxdt[6] == 0); // straight ahead, and nothing changes it
    return angles_of_a_matrix() != PCS_OK || hammer_of_parts() != PCS_OK;
}
