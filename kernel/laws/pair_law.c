// Laws given for a pair of materials: a table sorted by the two numbers, the smaller first.
#include "laws/law.h"

#include <string.h>

#include <percuss/parts.h>

static int compare(const pair_law *p, int a, int b)
{
    if (p->a != a) return p->a < a ? -1 : 1;
    return (p->b > b) - (p->b < b);
}

// the place of the law of a < b in the table, or the place for it
static int find(const pcs_model *m, int a, int b)
{
    int low = 0, high = m->n_pair_laws;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (compare(&m->pair_law[mid], a, b) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

const pcs_law *pair_law_of(const pcs_model *m, int material1, int material2)
{
    const int a = material1 < material2 ? material1 : material2;
    const int b = material1 < material2 ? material2 : material1;
    const int at = find(m, a, b);
    const bool found = at < m->n_pair_laws && compare(&m->pair_law[at], a, b) == 0;
    return found ? &m->pair_law[at].law : NULL;
}

bool pcs_model_pair_law(const pcs_model *m, pcs_material material1, pcs_material material2,
                        pcs_law *law)
{
    const pcs_law *found = m ? pair_law_of(m, material1.id, material2.id) : NULL;
    if (found && law) *law = *found;
    return found != NULL;
}

pcs_status pcs_model_set_pair_law(pcs_model *m, pcs_material material1, pcs_material material2,
                                  const pcs_law *law)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_pair_law: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_pair_law"));
    const int id1 = material1.id, id2 = material2.id;
    if (id1 < 0 || id2 < 0 || id1 >= m->n_materials || id2 >= m->n_materials) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_set_pair_law: there is no material %d",
                        id1 < 0 || id1 >= m->n_materials ? id1 : id2);
    }
    if (law && !law_is_of_contact(law)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_pair_law: law %d with e = %g, e_t = %g, mu = %g; contacts "
                        "need Newton impact with e in [0, 1], or Newton-Coulomb with e and e_t in "
                        "[0, 1] and a finite mu >= 0",
                        (int)law->kind, law->e, law->e_t, law->mu);
    }
    const int a = id1 < id2 ? id1 : id2, b = id1 < id2 ? id2 : id1;
    const int at = find(m, a, b);
    const bool found = at < m->n_pair_laws && compare(&m->pair_law[at], a, b) == 0;
    if (law && found) {
        m->pair_law[at].law = *law;
        return PCS_OK;
    }
    if (!law && !found) return PCS_OK;

    pair_law *p = m->pair_law;
    if (!law) {
        m->n_pair_laws -= 1;
        memmove(p + at, p + at + 1, (size_t)(m->n_pair_laws - at) * sizeof *p);
        return PCS_OK;
    }
    if (!model_grow(&m->env, (void **)&m->pair_law, m->n_pair_laws, &m->cap_pair_laws, sizeof *p)) {
        return pcs_fail_memory("pcs_model_set_pair_law");
    }
    p = m->pair_law;
    memmove(p + at + 1, p + at, (size_t)(m->n_pair_laws - at) * sizeof *p);
    p[at] = (pair_law){a, b, *law};
    m->n_pair_laws += 1;
    return PCS_OK;
}
