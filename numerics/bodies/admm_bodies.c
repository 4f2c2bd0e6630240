// The row admm on bodies: the iterations of solver/admm.c, with W + rho I factorised in the
// velocities.
#include "solver/admm.h"

#include "bodies/body_system.h"
#include "bodies/part_rows.h"

pcs_status bodies_admm(island_task *t)
{
    if (!task_prefers_velocities(t)) return PCS_ERR_UNSUPPORTED;
    part_rows x;
    body_system s;
    solver_track track;
    pcs_arena work = t->work;
    PCS_TRY(part_rows_open(t, &work, &x));
    PCS_TRY(body_system_take(&s, &x.g, true, NULL, false, &work));
    const double cost = task_cost(t->o.kind, x.g.nb, s.nv, s.S.p[s.nv], SPARSE_STEP);
    const pcs_solver_opts o = task_limits(t, &t->o, task_left(t), cost);
    if (!part_rows_track(t, &x, &o, &work, &track)) return pcs_fail_memory("admm");
    const scaled_space on = {&s, body_system_begin, body_system_mul, body_system_shift,
                             body_system_apply};
    const pcs_status status = admm_solve(&track, &on, work, x.p.r, x.p.u);
    body_system_end(&s);
    PCS_TRY(status);
    return part_rows_close(t, &x, &track, cost * track.iters);
}
