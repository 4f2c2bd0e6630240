// The wheel of doc/linear_systems.md.
#include "frame.h"

static pcs_status response(void)
{
    const double c = 0.8, k = 9, height = 0.1, t = 0.5, at_rest[2] = {0};
    double A[4], B[2], C[2], D[1], x[2];
    pcs_arena work;
    PCS_TRY(pcs_arena_create(NULL, (size_t)1 << 16, &work));
#include "block_1.c"
    EXPECT(D[0] == 0 && isfinite(x[0]) && isfinite(x[1]));
    pcs_arena_destroy(NULL, &work);
    return PCS_OK;
}

int main(void)
{
    return response() != PCS_OK;
}
