// The problem of two rows in doc/tutorial.md.
#include "frame.h"

static void must(pcs_status status)
{
    EXPECT(status == PCS_OK);
}

int main(void)
{
#include "block_1.c"
    EXPECT(report.outcome == PCS_OUTCOME_CONVERGED);
    EXPECT(fabs(z[0] - 4.0 / 3) < 1e-12 && fabs(z[1] - 7.0 / 3) < 1e-12);
    EXPECT(fabs(w[0]) < 1e-12 && fabs(w[1]) < 1e-12);
    return 0;
}
