// The export of doc/export.md: the commands of the page have recorded cradle.h5.
#include "frame.h"

#include <percuss/export.h>

static pcs_status export_run(void)
{
#include "block_1.c"
    EXPECT(kind == PCS_EXPORT_CSV);
    return PCS_OK;
}

int main(void)
{
    EXPECT(export_run() == PCS_OK);
    FILE *bodies = fopen("run-bodies.csv", "r");
    EXPECT(bodies != NULL);
    fclose(bodies);
    return 0;
}
