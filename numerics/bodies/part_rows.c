#include "bodies/part_rows.h"

pcs_status part_rows_open(const island_task *t, pcs_arena *arena, part_rows *out)
{
    PCS_TRY(part_open(t, arena, &out->p));
    const bodies_problem *b = &out->p.b;
    pcs_block *block = PCS_TAKE(arena, (size_t)b->nb, pcs_block);
    if (!block) return pcs_fail_memory("contacts");
    for (int i = 0; i < b->nb; ++i) {
        block[i] = bodies_cone(&b->block[i]);
    }
    pcs_mass_matrix *M;
    out->g = (pcs_global_problem){.nb = b->nb, .block = block, .w = b->shift};
    PCS_TRY(mass_in_arena(b->A, arena, &M));
    out->g.M = M;
    PCS_TRY(bodies_stack(b, arena, &out->g.H));
    PCS_TRY(global_terms_take(&out->g, out->p.v, arena, &out->terms));
    out->terms.local.far = b->far;
    return PCS_OK;
}

bool part_rows_track(island_task *t, part_rows *x, const pcs_solver_opts *o, pcs_arena *arena,
                     solver_track *out)
{
    if (!track_begin(out, &x->terms.local, o, task_user_watch(t), arena, x->p.r)) return false;
    out->terms = &x->terms;
    out->v = x->p.v;
    return true;
}

pcs_status part_rows_close(island_task *t, part_rows *x, const solver_track *track, double units)
{
    pcs_report report = {.solver = track->o->kind};
    track_end(track, x->p.r, &report);
    PCS_TRY(global_terms_measure(&x->terms, x->p.r, x->p.v, x->p.u, &report.measure));
    report.outcome = solver_verdict(track->o, &report.measure, report.outcome);
    report.part = t->part;
    t->result->units += units;
    if (t->below > 0 && !(solver_stop_value(track->o, &report.measure) <= t->below)) {
        // what ends the whole solve does so all the same
        t->result->solve.outcome = report.outcome;
        return PCS_OK;
    }
    part_close(t, &x->p);
    t->result->solve = report;
    return PCS_OK;
}
