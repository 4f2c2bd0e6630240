// Which pairs of shapes may touch at all: groups and masks of the shapes, then the user's filter.
#include "model/filter.h"

pcs_status pcs_model_set_shape_groups(pcs_model *m, int shape, unsigned group, unsigned mask)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_shape_groups: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_shape_groups"));
    if (shape < 0 || shape >= m->n_shapes) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_model_set_shape_groups: there is no shape %d; the model has %d, from 0", shape,
            m->n_shapes);
    }
    m->shape[shape].group = group;
    m->shape[shape].mask = mask;
    m->grouped = true;
    return PCS_OK;
}

pcs_status pcs_model_set_groups(pcs_model *m, pcs_system system, unsigned group, unsigned mask)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_groups: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_groups"));
    int found = 0;
    for (int i = 0; i < m->n_shapes; ++i) {
        if (m->shape[i].system != system.id - 1) continue;
        m->shape[i].group = group;
        m->shape[i].mask = mask;
        found += 1;
    }
    if (found == 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_groups: system %d has no shapes yet; add them first",
                        system.id);
    }
    m->grouped = true;
    return PCS_OK;
}

pcs_status pcs_model_set_filter(pcs_model *m, pcs_filter_fn fn, void *user)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_filter: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_filter"));
    m->filter = fn;
    m->filter_user = user;
    return PCS_OK;
}

// the filter is asked with the smaller number first, whichever shape moves
static pcs_status ask(const pcs_model *m, int i, int j, bool *may)
{
    const int a = i < j ? i : j, b = i < j ? j : i;
    const int answer = m->filter(m->filter_user, (pcs_system){m->shape[a].system + 1}, a,
                                 (pcs_system){m->shape[b].system + 1}, b);
    *may = answer > 0;
    if (answer >= 0) return PCS_OK;
    return pcs_fail(PCS_ERR_CALLBACK, "the filter of shapes answered %d for shapes %d and %d",
                    answer, a, b);
}

pcs_status filter_pairs(const pcs_model *m, int (*pair)[2], int *n)
{
    if (!m->grouped && !m->filter) return PCS_OK;
    int kept = 0;
    for (int k = 0; k < *n; ++k) {
        const int i = pair[k][0], j = pair[k][1];
        const model_shape *a = &m->shape[i], *b = &m->shape[j];
        bool may = (a->group & b->mask) && (b->group & a->mask);
        if (may && m->filter) PCS_TRY(ask(m, i, j, &may));
        if (!may) continue;
        pair[kept][0] = i;
        pair[kept][1] = j;
        kept += 1;
    }
    *n = kept;
    return PCS_OK;
}
