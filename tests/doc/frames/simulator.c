// The controlled spring of doc/simulator.md.
#include "frame.h"

#include "block_1.c"

static pcs_status simulate(void)
{
#include "block_2.c"
    EXPECT(report.displays == 101 && report.steps == 1000);
    return PCS_OK;
}

int main(void)
{
    return simulate() != PCS_OK;
}
