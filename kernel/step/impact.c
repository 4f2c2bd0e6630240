// Impact at frozen configuration (theory 7.5): u = H v+ + shift, v+ = v- + M^-1 H^T r.
#include "step/step.h"

#include <string.h>

#include "model/carried.h"

// A trial without motion: a step of size 0. Speculative shifts have no meaning here, so every
// unilateral row has the impact law.
static pcs_status solve(const trial *t, pcs_arena *mem, double *v, solution *s, pcs_report *out)
{
    const pcs_model *m = t->m;
    block_lu *F = &s->lu;
    *F = (block_lu){.nb = m->n_blocks, .start = m->block_start, .off = m->block_off};
    const size_t values = m->n_blocks > 0 ? m->block_off[m->n_blocks] : 0;
    F->lu = PCS_TAKE(mem, values, double);
    F->val = PCS_TAKE(mem, values, double);
    F->piv = PCS_TAKE(mem, (size_t)m->nv, int);
    unsigned char *kind = PCS_TAKE(mem, (size_t)m->n_blocks, unsigned char);
    if (!F->lu || !F->val || !F->piv || !kind) return pcs_fail_memory("pcs_impact");
    F->kind = kind;
    F->of = t->work->sparse_mass;
    for (int i = 0; i < m->n_blocks; ++i) {
        const model_system *one = &m->system[m->block_system[i]];
        kind[i] = one->sparse ? BLOCK_ENVELOPE : BLOCK_DENSE;
        if (one->sparse) continue;
        PCS_TRY(system_mass(one, t->end.q + one->q_at, F->lu + F->off[i]));
    }
    const int bad = block_lu_factor(F);
    if (bad >= 0) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_impact: the mass of system %d is singular",
                        m->block_system[bad] + 1);
    }

    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        for (int j = 0; c->active && j < c->dim; ++j) {
            s->shift[c->at + j] = impact_shift(c, j) + (c->drive ? c->drive[j] : 0);
            s->r[c->at + j] = 0;
        }
    }
    bodies_report report;
    PCS_TRY(step_solve(t, mem, v, s, &report));
    *out = report.solve;
    return PCS_OK;
}

static pcs_status make_impact(const pcs_model *m, pcs_state *st, pcs_work *wk, double touch,
                              pcs_report *out)
{
    *out = (pcs_report){.outcome = PCS_OUTCOME_CONVERGED};
    pcs_arena mem = wk->arena;
    trial t;
    PCS_TRY(trial_begin(m, st, wk, 0, &mem, &t));
    PCS_TRY(step_detect(&t, touch, &mem, &t.list));
    step_budget_know(wk, t.list.n);
    for (int i = 0; i < t.list.n; ++i) {
        candidate *c = &t.list.c[i];
        c->active =
            law_is_unilateral(&c->law) ? c->g[0] <= touch : candidate_cone(c) == PCS_CONE_EQUALITY;
    }
    PCS_TRY(step_assemble(&t, &mem, &t.list, &t.solution));
    if (t.solution.rows > 0) PCS_TRY(solve(&t, &mem, t.end.v, &t.solution, out));

    pcs_step_report report = {.outcome = PCS_OUTCOME_CONVERGED, .solve = *out};
    PCS_TRY(step_publish(&t, &mem, &t.list, st, &report));
    if (out->outcome == PCS_OUTCOME_CONVERGED && !pcs_all_finite(t.end.v, (size_t)m->nv)) {
        out->outcome = PCS_OUTCOME_DIVERGED;
    }
    if (out->outcome == PCS_OUTCOME_CONVERGED) {
        memcpy(st->v, t.end.v, (size_t)m->nv * sizeof(double));
        st->memory->velocity_tol =
            fmax(step_velocity_tol(&m->scheme, &out->measure), st->memory->velocity_tol);
    }
    return PCS_OK;
}

pcs_status pcs_impact(const pcs_model *m, pcs_state *st, pcs_work *wk, double touch,
                      pcs_report *report)
{
    pcs_report own;
    pcs_report *out = report ? report : &own;
    *out = (pcs_report){.outcome = PCS_OUTCOME_STOPPED};
    PCS_TRY(step_check("pcs_impact", m, st, wk));
    if (!(touch >= 0) || !isfinite(touch)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_impact: touch is %g m; it must not be negative", touch);
    }
    PCS_TRY(model_carry(m, st->q));
    step_budget_begin(wk);
    wk->capture.part = 1;
    pcs_status status;
    do {
        work_begin(wk);
        status = make_impact(m, st, wk, touch, out);
    } while (work_end(wk, &status));
    if (status != PCS_OK) *out = (pcs_report){.outcome = PCS_OUTCOME_STOPPED};
    if (status != PCS_OK || report || own.outcome == PCS_OUTCOME_CONVERGED) return status;
    return pcs_fail(PCS_ERR_STEP,
                    "pcs_impact: not carried out: velocity problem %s at residual %.2g",
                    pcs_outcome_text(own.outcome), own.measure.residual);
}
