// The row ipm on bodies: the iterations of solver/ipm_core.c, with linear systems in the
// velocities.
#include "solver/ipm.h"

#include "bodies/body_system.h"
#include "bodies/part_rows.h"
#include "problem/problem.h"

// stop value from which a solve that stalls may have lost its last digits by rounding
#define NEAR 1e-4

// For diverging iterates: assembles W to check whether their direction proves that there is no
// solution.
static pcs_status refute(const bodies_problem *b, const double *v_free, const ipm *w,
                         pcs_arena work, double *r, solver_track *t)
{
    const bool failed = t->outcome == PCS_OUTCOME_STALLED || t->outcome == PCS_OUTCOME_MAX_ITERS;
    if (!failed || !ipm_diverges(w) || (b->A->joined && b->n > JOINED_ROWS)) return PCS_OK;
    pcs_problem p;
    double *scratch = PCS_TAKE(&work, 2 * (size_t)b->n, double);
    problem_masses masses;
    PCS_TRY(bodies_assemble(b, v_free, &work, &p));
    PCS_TRY(bodies_masses(b, &work, &masses));
    if (!scratch) return pcs_fail_memory("ipm");
    for (int settled = 1; settled >= 0; --settled) {
        ipm_impulse(w, settled, r);
        if (problem_refuted_by(&p, r, scratch) && problem_masses_allow(&p, &masses, r)) {
            t->outcome = PCS_OUTCOME_INFEASIBLE;
        }
    }
    return PCS_OK;
}

// takes all memory, so that its demand is known after a few rounds
static pcs_status take(part_rows *x, const pcs_solver_opts *o, pcs_arena *work, ipm *w,
                       body_system *s)
{
    const pcs_problem *p = &x->terms.local;
    double *scales = PCS_TAKE(work, (size_t)p->n, double);
    const bool taken = ipm_take(w, &o->as.ipm, p->n, p->nb, p->block, work);
    if (!scales || !taken) return pcs_fail_memory("ipm");
    problem_scales(p, scales);
    ipm_begin(w, scales, p->q);
    return body_system_take(s, &x->g, ipm_symmetric(w), w->k.dim, true, work);
}

// Where the pivots of fronts lose the last digits, a few more iterations with any pivots, from the
// best r, find them
static void run(ipm *w, body_system *s, const self_dual_space *space, solver_track *t, part_rows *x)
{
    ipm_start(w, space, x->p.r);
    ipm_run(w, space, t, NULL, x->p.r, x->p.u);
    const bool near = t->outcome == PCS_OUTCOME_STALLED && t->best_value <= NEAR;
    if (!near || !body_system_pivot(s)) return;
    ipm_begin_near(w, space, t->best);
    ipm_run(w, space, t, NULL, x->p.r, x->p.u);
}

pcs_status bodies_ipm(island_task *t)
{
    if (!task_wants_velocities(t, t->o.as.ipm.space)) return PCS_ERR_UNSUPPORTED;
    part_rows x;
    ipm w;
    body_system s;
    solver_track track;
    pcs_arena work = t->work;
    PCS_TRY(part_rows_open(t, &work, &x));
    PCS_TRY(take(&x, &t->o, &work, &w, &s));
    const double cost = body_system_cost(&s);
    const pcs_solver_opts o = task_limits(t, &t->o, task_left(t), cost);
    const bool tracked = part_rows_track(t, &x, &o, &work, &track);
    pcs_status status = tracked ? PCS_OK : pcs_fail_memory("ipm");
    if (tracked && !track_is_over(&track, x.p.r, x.p.u)) {
        const self_dual_space space = body_system_space(&s);
        track.outcome = PCS_OUTCOME_STALLED;
        if (body_system_begin(&s, w.k.D)) run(&w, &s, &space, &track, &x);
        status = refute(&x.p.b, x.terms.v_free, &w, work, x.p.r, &track);
    }
    body_system_end(&s);
    PCS_TRY(status);
    return part_rows_close(t, &x, &track, cost * track.iters);
}
