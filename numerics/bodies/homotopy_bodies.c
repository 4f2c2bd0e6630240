// The row homotopy on bodies: the path of solver/homotopy_path.c, with linear systems in the
// velocities.
#include "solver/homotopy.h"

#include "bodies/body_system.h"
#include "bodies/part_rows.h"
#include "problem/problem.h"
#include "solver/auto_part.h"

// takes all memory, so that its demand is known after a few rounds
static pcs_status take(part_rows *x, const pcs_solver_opts *o, pcs_arena *work, homotopy *w,
                       body_system *s)
{
    const pcs_problem *p = &x->terms.local;
    double *scales = PCS_TAKE(work, (size_t)p->n, double);
    const bool taken = homotopy_take(w, &o->as.homotopy, p->n, p->nb, p->block, work);
    if (!scales || !taken) return pcs_fail_memory("homotopy");
    problem_scales(p, scales);
    self_dual_begin(&w->k, scales, p->q);
    return body_system_take(s, &x->g, w->k.half_lines, w->k.dim, true, work);
}

pcs_status bodies_homotopy(island_task *t)
{
    if (!task_wants_velocities(t, t->o.as.homotopy.space)) return PCS_ERR_UNSUPPORTED;
    part_rows x;
    homotopy w;
    body_system s;
    solver_track track;
    pcs_report path = {0};
    pcs_arena work = t->work;
    PCS_TRY(part_rows_open(t, &work, &x));
    PCS_TRY(take(&x, &t->o, &work, &w, &s));
    s.anew = true;
    // in auto, sweeps and the finish take the end of a path to the last digits
    w.once = t->part == PART_PATH;
    const double cost = body_system_cost(&s);
    const pcs_solver_opts o = task_limits(t, &t->o, task_left(t), cost);
    const bool tracked = part_rows_track(t, &x, &o, &work, &track);
    if (tracked && !track_is_over(&track, x.p.r, x.p.u)) {
        const self_dual_space space = body_system_space(&s);
        track.outcome = PCS_OUTCOME_STALLED;
        if (body_system_begin(&s, w.k.D)) {
            homotopy_run(&w, &space, &track, NULL, x.p.r, x.p.u, &path);
        }
    }
    body_system_end(&s);
    if (!tracked) return pcs_fail_memory("homotopy");
    PCS_TRY(part_rows_close(t, &x, &track, cost * track.iters));
    t->result->solve.least = path.least;
    t->result->solve.undecided = path.undecided;
    return PCS_OK;
}
