// The scheme of doc/scenes.md.
#include "frame.h"

int main(void)
{
    const double tol = 1e-4, size = 0.1;
#include "block_1.c"
    pcs_model *model;
    EXPECT(pcs_model_create(NULL, &model) == PCS_OK);
    EXPECT(pcs_model_set_scheme(model, &scheme) == PCS_OK);
    pcs_model_destroy(model);
    return 0;
}
