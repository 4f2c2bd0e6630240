// Sums and worst values over the steps of a run.
#include "checks/run_tally.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <percuss/joint.h>
#include <percuss/parts.h>
#include <percuss/query.h>

static pcs_status begin(run_tally *t, const pcs_model *model, const pcs_state *state)
{
    double kinetic, potential;
    PCS_TRY(pcs_state_kinetic_energy(model, state, &kinetic));
    PCS_TRY(pcs_state_potential_energy(model, state, &potential));
    t->start = t->energy = kinetic + potential;
    return PCS_OK;
}

// interactions that are no joints have no violation
static double widest_joint(const pcs_model *model, const pcs_state *state)
{
    double open = 0;
    for (int id = 1; id <= pcs_model_interaction_count(model); ++id) {
        pcs_joint_state joint = {0};
        if (pcs_state_joint(model, state, NULL, (pcs_interaction){id}, &joint) == PCS_OK) {
            open = fmax(open, joint.violation);
        }
    }
    return open;
}

int run_tally_step(void *tally, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    (void)work;
    run_tally *t = tally;
    t->open = fmax(t->open, widest_joint(model, state));
    if (!report) return begin(t, model, state);
    const pcs_energy *e = &report->energy;
    t->steps += 1;
    t->iterations += report->solve.iters;
    t->contacts += report->active;
    t->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    t->residual = fmax(t->residual, report->solve.measure.residual);
    t->overlap = fmax(t->overlap, report->penetration);
    t->closure = fmax(t->closure, fabs(e->closure));
    t->energy = e->kinetic_after + e->potential_after;
    t->drift = fmax(t->drift, fabs(t->energy - t->start));
    // the projection lifts the bodies that it separates, and records the energy
    const double lifted = fmax(0, e->projection);
    t->rise = fmax(t->rise, t->energy - e->kinetic_before - e->potential_before - lifted);
    return t->mark && t->steps == t->mark_at ? pcs_state_copy(state, t->mark) : PCS_OK;
}

double tally_moved(const pcs_model *model, const pcs_state *then, const pcs_state *now)
{
    double farthest = 0;
    for (int id = 1; id <= pcs_model_system_count(model); ++id) {
        const double *a = pcs_state_read_q(model, then, (pcs_system){id});
        const double *b = pcs_state_read_q(model, now, (pcs_system){id});
        farthest = fmax(farthest, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
    return farthest;
}

pcs_status tally_overlap(const pcs_model *model, const pcs_state *state, double *deepest)
{
    *deepest = 0;
    for (int i = 0; i < pcs_model_shape_count(model); ++i) {
        pcs_model_shape_def def;
        pcs_closest nearest;
        PCS_TRY(pcs_model_shape(model, i, &def));
        if (!pcs_state_read_v(model, state, def.system)) continue; // it cannot move
        pcs_probe probe = pcs_probe_of(&def.shape);
        memcpy(probe.q, pcs_state_read_q(model, state, def.system), sizeof probe.q);
        probe.reach = DBL_MIN;
        probe.ignore = def.system;
        PCS_TRY(pcs_state_closest(model, state, &probe, &nearest));
        if (nearest.shape2 >= 0) *deepest = fmax(*deepest, -nearest.distance);
    }
    return PCS_OK;
}

double tally_weight(const pcs_model *model)
{
    double g[3], mass = 0;
    pcs_model_gravity(model, g);
    for (int id = 1; id <= pcs_model_system_count(model); ++id) {
        pcs_body_def def;
        if (pcs_model_body(model, (pcs_system){id}, &def) == PCS_OK && !def.fixed) mass += def.mass;
    }
    return mass * hypot(hypot(g[0], g[1]), g[2]);
}

pcs_status tally_support(const pcs_work *work, int shape, double F[3])
{
    pcs_pressure by_bodies;
    PCS_TRY(pcs_work_pressure(work, shape, -1, NULL, &by_bodies));
    for (int i = 0; i < 3; ++i) {
        F[i] = -by_bodies.impulse[i] / pcs_work_step_size(work);
    }
    return PCS_OK;
}
