// Nonsmooth laws, and the law between two materials.
#include "laws/law.h"

pcs_law pcs_law_equality(void)
{
    return (pcs_law){.kind = PCS_LAW_EQUALITY};
}

pcs_law pcs_law_newton_impact(double e)
{
    return (pcs_law){.kind = PCS_LAW_NEWTON_IMPACT, .e = e};
}

pcs_status law_between(const pcs_model *m, int material1, int material2, pcs_law *out)
{
    const pcs_material_def *a = &m->material[material1], *b = &m->material[material2];
    if (!m->combine) {
        *out = pcs_law_newton_impact(a->e > b->e ? a->e : b->e);
        return PCS_OK;
    }
    *out = m->combine(m->combine_user, a, b);
    if (out->kind != PCS_LAW_NEWTON_IMPACT || !(out->e >= 0 && out->e <= 1)) {
        return pcs_fail(PCS_ERR_CALLBACK,
                        "the material rule gave law %d with e = %g for materials"
                        " %d and %d; contacts need Newton impact with e in [0, 1]",
                        (int)out->kind, out->e, material1, material2);
    }
    return PCS_OK;
}
