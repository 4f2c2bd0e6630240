// The blocks of doc/contact-detection.md.
#include "frame.h"

static void box_over_a_floor(void)
{
#include "block_1.c"
    EXPECT(n > 0);
    for (int i = 0; i < n; ++i) {
        pcs_gap c;
        pcs_feature_gap(&f[i], q, NULL, &c);
        EXPECT(fabs(c.g - 0.01) < 1e-15 && c.N[2] == 1);
    }
}

static void hammer(void)
{
#include "block_2.c"
    EXPECT(status == PCS_OK);
    // pi r^2 L rho + a b c rho
    EXPECT(fabs(def.mass -
                (3.14159265358979 * 0.02 * 0.02 * 0.3 * 700 + 0.1 * 0.05 * 0.05 * 7800)) < 1e-9);
}

int main(void)
{
    box_over_a_floor();
    hammer();
    return 0;
}
