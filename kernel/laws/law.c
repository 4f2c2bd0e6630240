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

pcs_law pcs_law_newton_coulomb(double e, double e_t, double mu)
{
    return (pcs_law){.kind = PCS_LAW_NEWTON_COULOMB, .e = e, .e_t = e_t, .mu = mu};
}

pcs_law pcs_law_limited(double limit)
{
    return (pcs_law){.kind = PCS_LAW_LIMITED, .limit = limit};
}

bool law_has_friction(const pcs_law *law)
{
    return law->kind == PCS_LAW_NEWTON_COULOMB && law->mu > 0;
}

static pcs_law larger_of_each(const pcs_material_def *a, const pcs_material_def *b)
{
    const double e = a->e > b->e ? a->e : b->e;
    const double e_t = a->e_t > b->e_t ? a->e_t : b->e_t;
    const double mu = a->mu > b->mu ? a->mu : b->mu;
    return mu > 0 ? pcs_law_newton_coulomb(e, e_t, mu) : pcs_law_newton_impact(e);
}

bool law_is_of_contact(const pcs_law *law)
{
    if (!(law->e >= 0 && law->e <= 1)) return false;
    if (law->kind == PCS_LAW_NEWTON_IMPACT) return true;
    return law->kind == PCS_LAW_NEWTON_COULOMB && law->e_t >= 0 && law->e_t <= 1 && law->mu >= 0 &&
           isfinite(law->mu);
}

static pcs_status ask_rule(const pcs_model *m, int material1, int material2, pcs_law *out)
{
    const pcs_material_def *a = &m->material[material1], *b = &m->material[material2];
    *out = m->combine(m->combine_user, a, b);
    if (law_is_of_contact(out)) return PCS_OK;
    return pcs_fail(PCS_ERR_CALLBACK,
                    "the material rule gave law %d with e = %g, e_t = %g, mu = %g for materials %d "
                    "and %d; contacts need Newton impact with e in [0, 1], or Newton-Coulomb with "
                    "e and e_t in [0, 1] and a finite mu >= 0",
                    (int)out->kind, out->e, out->e_t, out->mu, material1, material2);
}

pcs_status law_between(const pcs_model *m, law_cache *cache, int material1, int material2,
                       pcs_law *out)
{
    if (!law_is_asked(m)) {
        *out = larger_of_each(&m->material[material1], &m->material[material2]);
        return PCS_OK;
    }
    const unsigned mix = 31u * (unsigned)material1 + (unsigned)material2;
    struct law_place *p = &cache->place[mix % LAW_PLACES];
    if (p->material1 != material1 + 1 || p->material2 != material2 + 1) {
        const pcs_law *given = pair_law_of(m, material1, material2);
        pcs_law law;
        if (given) {
            law = *given;
        } else if (m->combine) {
            PCS_TRY(ask_rule(m, material1, material2, &law));
        } else {
            law = larger_of_each(&m->material[material1], &m->material[material2]);
        }
        *p = (struct law_place){material1 + 1, material2 + 1, law};
    }
    *out = p->law;
    return PCS_OK;
}
