// When a solve counts as converged: one rule for all solvers and forms (doc/measures.md).
#include <float.h>

#include "problem/measure.h"
#include "solver/solver.h"

// The natural map is relative to |r|, whose unit is not that of a velocity. Its value may be
// smaller than the residual by at most this factor, as it is in published problems.
#define NATURAL_FINER 1e3

// true when only rounding is left, and little of it
static bool at_rounding(const pcs_solver_opts *o, const pcs_measure *m, double size)
{
    const double noise = MEASURE_ROUNDINGS * m->rounding;
    return noise <= HALF_OF_DIGITS * m->norm_q && m->residual * size <= noise &&
           (o->stop == PCS_STOP_RESIDUAL || m->natural_map <= noise);
}

// the relative natural map for numbers of any size: the published one does not divide by a norm
// below 2.2e-16, so that it depends on units
static double relative_natural(const pcs_measure *m)
{
    const double size = fmax(m->norm_q, fmax(m->norm_r, m->norm_u));
    return m->natural_map == 0 ? 0 : m->natural_map / size;
}

pcs_outcome solver_verdict(const pcs_solver_opts *o, const pcs_measure *m, pcs_outcome outcome)
{
    pcs_solver_opts enough = *o;
    if (o->stop == PCS_STOP_RELAXED) enough.stop = PCS_STOP_NATURAL;
    if (solver_stop_value(&enough, m) <= o->tol) return PCS_OUTCOME_CONVERGED;
    return outcome == PCS_OUTCOME_CONVERGED ? PCS_OUTCOME_STALLED : outcome;
}

double solver_stop_value(const pcs_solver_opts *o, const pcs_measure *m)
{
    if (isnan(m->residual)) return m->residual;
    const double size = measure_size(m);
    double value = o->stop == PCS_STOP_NATURAL ? m->residual / NATURAL_FINER : m->residual;
    if (o->stop != PCS_STOP_RESIDUAL && !(relative_natural(m) <= value)) {
        value = relative_natural(m);
    }

    // a measure relative to |W r| or |r| forgets q when r runs off to infinity, and a problem
    // without a solution may then look solved
    const double against_q = measure_against_q(m);
    if (against_q > Q_FORGOTTEN && against_q > value) return against_q;
    return value > o->tol && at_rounding(o, m, size) ? o->tol : value;
}
