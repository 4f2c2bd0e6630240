// Projection of a state without a time step: of all its overlaps and joints.
#include "step/step.h"

#include <string.h>

#include "model/carried.h"

// m: the deepest overlap; contacts closer than that may close while it is projected
static double deepest(const trial *t)
{
    double d = 0;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction < 0 && -c->g[0] > d) d = -c->g[0];
    }
    return d;
}

// one projection of the trial, with the contacts found at the coordinates of t->st
static pcs_status project_once(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    pcs_arena glance = *mem;
    t->list = (candidates){0};
    PCS_TRY(step_detect(t, 0, &glance, &t->list));
    const double margin = 2 * deepest(t);
    t->list = (candidates){0};
    t->solution.row_memory = NULL; // that of the last round is free again
    t->solution.block_room = 0;
    PCS_TRY(step_detect(t, margin, mem, &t->list));
    step_budget_know(t->work, t->list.n);
    for (int i = 0; i < t->list.n; ++i) {
        t->list.c[i].active = true;
    }
    PCS_TRY(step_assemble(t, mem, &t->list, &t->solution));
    memset(t->solution.r, 0, (size_t)t->solution.rows * sizeof(double));
    return step_project(t, PROJECT_ACTIVE, *mem, &t->list, t->end.q, out);
}

static pcs_status project_state(const pcs_model *m, pcs_state *st, pcs_work *wk,
                                pcs_step_report *out)
{
    const size_t bytes = (size_t)m->nq * sizeof(double);
    *out = (pcs_step_report){.outcome = PCS_OUTCOME_CONVERGED,
                             .projection_outcome = PCS_OUTCOME_CONVERGED,
                             .projection_solve = PCS_OUTCOME_CONVERGED};
    pcs_arena mem = wk->arena;
    trial t;
    PCS_TRY(trial_begin(m, st, wk, 0, &mem, &t));
    step_keep_free(&t, &t.end);
    pcs_state from = *st;
    from.q = PCS_TAKE(&mem, (size_t)m->nq, double);
    if (!from.q) return pcs_fail_memory("pcs_project");
    t.st = &from;

    // a projected body may meet shapes that were out of reach, or another face: the search is
    // repeated at the new positions, until nothing is violated
    const pcs_arena base = mem;
    double violation = 0;
    for (int round = 0, iters = -1; out->projection_iters > iters; ++round) {
        if (round > m->scheme.proj_max) {
            out->projection_outcome = PCS_OUTCOME_MAX_ITERS;
            break;
        }
        iters = out->projection_iters;
        mem = base;
        memcpy(from.q, t.end.q, bytes);
        PCS_TRY(project_once(&t, &mem, out));
        if (round == 0) violation = out->violation_before;
        if (out->projection_outcome != PCS_OUTCOME_CONVERGED) break;
    }
    out->violation_before = violation;
    PCS_TRY(step_publish(&t, &mem, &t.list, st, out));

    out->outcome = out->projection_outcome;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        double before, after;
        PCS_TRY(system_potential(m, s, t.end.q_free + s->q_at, &before));
        PCS_TRY(system_potential(m, s, t.end.q + s->q_at, &after));
        out->energy.potential_before += before;
        out->energy.potential_after += after;
        out->energy.projection += after - before;
    }
    out->committed =
        out->outcome == PCS_OUTCOME_CONVERGED && pcs_all_finite(t.end.q, (size_t)m->nq);
    if (out->committed) memcpy(st->q, t.end.q, (size_t)m->nq * sizeof(double));
    return PCS_OK;
}

pcs_status pcs_project(const pcs_model *m, pcs_state *st, pcs_work *wk, pcs_step_report *report)
{
    pcs_step_report own;
    pcs_step_report *out = report ? report : &own;
    *out = (pcs_step_report){.outcome = PCS_OUTCOME_STOPPED};
    PCS_TRY(step_check("pcs_project", m, st, wk));
    PCS_TRY(model_carry(m, st->q));
    step_budget_begin(wk);
    pcs_status status;
    do {
        work_begin(wk);
        status = project_state(m, st, wk, out);
    } while (work_end(wk, &status));
    out->units = wk->budget.spent;
    out->budget = wk->budget.most;
    out->seconds = step_seconds(wk);
    if (status != PCS_OK) *out = (pcs_step_report){.outcome = PCS_OUTCOME_STOPPED};
    if (status != PCS_OK || report || own.committed) return status;
    char all[STEP_CONFLICT];
    conflict_text(m, &own, all, sizeof all);
    return pcs_fail(PCS_ERR_STEP,
                    "pcs_project: not carried out: %s with %.2g m left of %.2g m%s%s%s",
                    pcs_outcome_text(own.outcome), own.violation_after, own.violation_before,
                    all[0] ? "; " : "", all, all[0] ? " contradict each other" : "");
}
