// The scheme of doc/unsolved-steps.md that keeps time.
#include "frame.h"

static pcs_status keep_time(void)
{
    pcs_status status;
    pcs_model *model;
#include "block_1.c"
    PCS_TRY(status);
    EXPECT(scheme.max_sweeps == 200 && scheme.max_seconds == 0 && scheme.halvings == 0);
    EXPECT(scheme.accept_unconverged);
    // what the call sets is what a step accepts
    PCS_TRY(pcs_model_create(NULL, &model));
    PCS_TRY(pcs_model_set_scheme(model, &scheme));
    pcs_model_destroy(model);
    return PCS_OK;
}

int main(void)
{
    if (keep_time() == PCS_OK) return 0;
    fprintf(stderr, "%s\n", pcs_error_text());
    return 1;
}
