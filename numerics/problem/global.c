// From the global form M v = H^T r + f, u = H v + w to the local one, and back to v.
//
//     W = H M^-1 H^T,   q = H M^-1 f + w
#include <string.h>

#include "base/base.h"
#include <percuss/problem.h>

#include "linalg/bsr.h"

static pcs_status check(const pcs_global_problem *g, const char *who)
{
    if (!g || !g->M) return pcs_fail(PCS_ERR_ARG, "%s: the problem or its mass is null", who);
    PCS_TRY(pcs_bsr_check(&g->H));
    const int nv = pcs_mass_size(g->M);
    if (bsr_cols(&g->H) != nv) {
        return pcs_fail(PCS_ERR_SIZE, "%s: H has %d columns, the mass %d", who, bsr_cols(&g->H),
                        nv);
    }
    if (nv > 0 && !g->f) return pcs_fail(PCS_ERR_ARG, "%s: f is null", who);
    if (!pcs_all_finite(g->f, (size_t)nv)) {
        return pcs_fail(PCS_ERR_ARG, "%s: f has an entry that is not finite", who);
    }
    if (g->w && !pcs_all_finite(g->w, (size_t)bsr_rows(&g->H))) {
        return pcs_fail(PCS_ERR_ARG, "%s: w has an entry that is not finite", who);
    }
    return PCS_OK;
}

pcs_status pcs_global_condense(const pcs_global_problem *g, pcs_arena *arena, pcs_problem *out)
{
    if (!arena || !out) return pcs_fail(PCS_ERR_ARG, "pcs_global_condense: an argument is null");
    PCS_TRY(check(g, "pcs_global_condense"));

    const int n = bsr_rows(&g->H), nv = bsr_cols(&g->H);
    *out = (pcs_problem){.n = n, .nb = g->nb, .block = g->block};
    double *q = PCS_TAKE(arena, (size_t)n, double);

    // the demand of all parts is recorded even when the first does not fit
    const pcs_status condensed = pcs_delassus(&g->H, g->M, arena, &out->W);
    pcs_arena scratch = *arena;
    double *v = PCS_TAKE(&scratch, (size_t)nv, double);
    PCS_TRY(condensed);
    if (!q || !v) return pcs_fail_memory("pcs_global_condense");

    PCS_TRY(pcs_mass_solve(g->M, g->f, v));
    pcs_bsr_mul(&g->H, v, q);
    for (int i = 0; g->w && i < n; ++i) {
        q[i] += g->w[i];
    }
    out->q = q;
    return pcs_problem_check(out);
}

pcs_status pcs_global_velocity(const pcs_global_problem *g, const double *r, double *v)
{
    PCS_TRY(check(g, "pcs_global_velocity"));
    const int nv = pcs_mass_size(g->M);
    if ((!r && bsr_rows(&g->H) > 0) || (!v && nv > 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_global_velocity: an argument is null");
    }
    if (nv == 0) return PCS_OK;
    memcpy(v, g->f, (size_t)nv * sizeof *v);
    pcs_bsr_addmul_t(&g->H, r, v);
    return pcs_mass_solve(g->M, v, v);
}
