// Schemes: the three constructors, a cap on the work of a step, and the checks: numbers out of
// range, choices that contradict each other, and numbers that no stage would read.
#include "model/model.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

pcs_scheme pcs_scheme_moreau_jean(void)
{
    return (pcs_scheme){.theta = 0.5,
                        .gamma = 0.5,
                        .activation = PCS_ACTIVATION_AUTOMATIC,
                        .active_tol = 1e-12,
                        .hysteresis = 1e-7,
                        .projection = PCS_PROJECTION_NONE,
                        .metric = PCS_METRIC_MASS,
                        .proj_tol = 1e-10,
                        .proj_max = 50,
                        .update = PCS_QUAT_UPDATE_EXP,
                        .newton_tol = 1e-12,
                        .newton_max = 100,
                        .solver = pcs_solver_opts_default(PCS_SOLVER_AUTO)};
}

pcs_scheme pcs_scheme_default(void)
{
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.theta = 1;
    s.projection = PCS_PROJECTION_OVERLAPS;
    s.proj_tol = 0;
    s.second_order = true;
    s.accept = 1e-2;
    s.halvings = 6;
    s.solver.tol = 1e-8;
    // sweeps, finish and this part of the portfolio do not solve one problem in thousands; fifty
    // times the work would be wasted on it
    s.solver.max_iters = 100000;
    return s;
}

pcs_scheme pcs_scheme_dense(double tol, double size)
{
    pcs_scheme s = pcs_scheme_default();
    s.proj_tol = MODEL_OVERLAP * size;
    s.solver.tol = tol;
    return s;
}

pcs_status pcs_scheme_keep_time(pcs_scheme *s, int sweeps, double seconds)
{
    if (!s) return pcs_fail(PCS_ERR_ARG, "pcs_scheme_keep_time: the scheme is null");
    if (sweeps < 0 || sweeps > MODEL_SWEEPS || !(seconds >= 0) || !isfinite(seconds) ||
        (sweeps == 0 && seconds == 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_scheme_keep_time: %d sweeps and %g s; give a number of sweeps, of "
                        "seconds, or both, and 0 for the other",
                        sweeps, seconds);
    }
    s->max_sweeps = sweeps;
    s->max_seconds = seconds;
    s->halvings = 0;
    s->accept_unconverged = true;
    // every step is accepted, so that this is not read
    s->accept = pcs_scheme_default().accept;
    return PCS_OK;
}

pcs_activation pcs_scheme_activation(const pcs_scheme *s)
{
    if (!s) return PCS_ACTIVATION_AUTOMATIC;
    if (s->activation != PCS_ACTIVATION_AUTOMATIC) return s->activation;
    switch (s->projection) {
    case PCS_PROJECTION_COMBINED:
    case PCS_PROJECTION_COMBINED_EQUALITY:
        return PCS_ACTIVATION_END_OF_STEP;
    case PCS_PROJECTION_OVERLAPS:
        if (s->theta == 1 && s->configuration != PCS_CONFIGURATION_ITERATE)
            return PCS_ACTIVATION_SPECULATIVE;
        return s->theta > 0 ? PCS_ACTIVATION_END_OF_STEP : PCS_ACTIVATION_PREDICTIVE;
    default:
        return PCS_ACTIVATION_PREDICTIVE;
    }
}

// ---- ranges ------------------------------------------------------------------------------------

static pcs_status in_range(const char *what, double x, double low, double high)
{
    if (x >= low && x <= high) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "scheme: %s is %.15g; it must lie in [%g, %g]", what, x, low,
                    high);
}

static pcs_status check_ranges(const pcs_scheme *s)
{
    PCS_TRY(in_range("theta", s->theta, 0, 1));
    PCS_TRY(in_range("gamma", s->gamma, 0, 1.5));
    PCS_TRY(in_range("active_tol (m)", s->active_tol, 0, 1e30));
    PCS_TRY(in_range("hysteresis (m)", s->hysteresis, 0, 1e30));
    PCS_TRY(in_range("activation", (double)s->activation, PCS_ACTIVATION_AUTOMATIC,
                     PCS_ACTIVATION_END_OF_STEP));
    PCS_TRY(in_range("projection", (double)s->projection, PCS_PROJECTION_NONE,
                     PCS_PROJECTION_COMBINED_EQUALITY));
    PCS_TRY(in_range("metric", (double)s->metric, PCS_METRIC_MASS, PCS_METRIC_Q1));
    PCS_TRY(in_range("update", (double)s->update, PCS_QUAT_UPDATE_EXP, PCS_QUAT_UPDATE_ADD));
    PCS_TRY(in_range("lever", (double)s->lever, PCS_LEVER_MIDPOINT, PCS_LEVER_FIRST));
    PCS_TRY(in_range("configuration", (double)s->configuration, PCS_CONFIGURATION_START,
                     PCS_CONFIGURATION_PREDICTED));
    PCS_TRY(in_range("proj_max", s->proj_max, 1, INT_MAX));
    PCS_TRY(in_range("halvings", s->halvings, 0, 20));
    PCS_TRY(in_range("budget", s->budget, 0, 1e300));
    PCS_TRY(in_range("max_sweeps", s->max_sweeps, 0, MODEL_SWEEPS));
    PCS_TRY(in_range("max_seconds (s)", s->max_seconds, 0, 1e300));
    PCS_TRY(in_range("newton_max", s->newton_max, 1, INT_MAX));
    PCS_TRY(in_range("proj_tol (m)", s->proj_tol, 0, 1e30));
    PCS_TRY(in_range("accept", s->accept, 0, 1));
    if (!(s->newton_tol > 0 && s->newton_tol < 1)) {
        return pcs_fail(PCS_ERR_ARG, "scheme: newton_tol is %g; it must lie in (0, 1)",
                        s->newton_tol);
    }
    return PCS_OK;
}

// ---- choices that contradict each other --------------------------------------------------------

// the only activation that goes with a projection; PCS_ACTIVATION_AUTOMATIC: several do
static pcs_activation activation_of(pcs_projection projection)
{
    switch (projection) {
    case PCS_PROJECTION_DIRECT_HYSTERESIS:
        return PCS_ACTIVATION_PREDICTIVE;
    case PCS_PROJECTION_COMBINED:
    case PCS_PROJECTION_COMBINED_EQUALITY:
        return PCS_ACTIVATION_END_OF_STEP;
    default:
        return PCS_ACTIVATION_AUTOMATIC;
    }
}

static pcs_status check_choices(const pcs_scheme *s)
{
    static const char *const activation[] = {
        "PCS_ACTIVATION_AUTOMATIC", "PCS_ACTIVATION_PREDICTIVE", "PCS_ACTIVATION_SPECULATIVE",
        "PCS_ACTIVATION_END_OF_STEP"};
    static const char *const projection[] = {
        "PCS_PROJECTION_NONE",     "PCS_PROJECTION_DIRECT",
        "PCS_PROJECTION_OVERLAPS", "PCS_PROJECTION_DIRECT_HYSTERESIS",
        "PCS_PROJECTION_COMBINED", "PCS_PROJECTION_COMBINED_EQUALITY"};
    const pcs_activation only = activation_of(s->projection), in_use = pcs_scheme_activation(s);
    if (only != PCS_ACTIVATION_AUTOMATIC && in_use != only) {
        return pcs_fail(PCS_ERR_ARG,
                        "scheme: activation is %s, but projection = %s goes with %s only: set"
                        " activation = PCS_ACTIVATION_AUTOMATIC, or another projection",
                        activation[s->activation], projection[s->projection], activation[only]);
    }
    if (in_use == PCS_ACTIVATION_SPECULATIVE && s->theta != 1) {
        return pcs_fail(
            PCS_ERR_ARG,
            "scheme: activation is PCS_ACTIVATION_SPECULATIVE and theta is %g; its rows hold the"
            " gaps at the end of a step for theta = 1 only: set theta = 1, or"
            " activation = PCS_ACTIVATION_AUTOMATIC",
            s->theta);
    }
    if (in_use == PCS_ACTIVATION_END_OF_STEP && s->theta == 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "scheme: theta is 0 with %s = %s; positions then do not depend on the"
                        " velocities of the same step, so that these cannot close a gap: set"
                        " theta > 0, or %s",
                        only == in_use ? "projection" : "activation",
                        only == in_use ? projection[s->projection] : activation[in_use],
                        only == in_use ? "projection = PCS_PROJECTION_DIRECT"
                                       : "activation = PCS_ACTIVATION_PREDICTIVE");
    }
    if (s->configuration == PCS_CONFIGURATION_MIDDLE && s->theta == 0) {
        return pcs_fail(
            PCS_ERR_ARG,
            "scheme: configuration is PCS_CONFIGURATION_MIDDLE with theta = 0, which takes the"
            " rows at the start: set configuration = PCS_CONFIGURATION_START, or theta > 0");
    }
    if (s->sleep &&
        (in_use != PCS_ACTIVATION_SPECULATIVE || s->projection != PCS_PROJECTION_OVERLAPS)) {
        return pcs_fail(PCS_ERR_ARG,
                        "scheme: sleep goes with speculative contacts and projection ="
                        " PCS_PROJECTION_OVERLAPS only, as the default scheme has them: set"
                        " these, or sleep = false");
    }
    if (s->configuration == PCS_CONFIGURATION_ITERATE && in_use == PCS_ACTIVATION_SPECULATIVE) {
        return pcs_fail(
            PCS_ERR_ARG,
            "scheme: configuration is PCS_CONFIGURATION_ITERATE with speculative contacts, whose"
            " gaps close from the start of the step: set configuration ="
            " PCS_CONFIGURATION_START, or activation = PCS_ACTIVATION_PREDICTIVE");
    }
    return PCS_OK;
}

// ---- numbers that nothing reads ----------------------------------------------------------------

static bool reads_gamma(const pcs_scheme *s)
{
    return pcs_scheme_activation(s) == PCS_ACTIVATION_PREDICTIVE ||
           s->configuration == PCS_CONFIGURATION_PREDICTED;
}

static bool reads_hysteresis(const pcs_scheme *s)
{
    return s->projection == PCS_PROJECTION_DIRECT_HYSTERESIS;
}

static bool reads_active_tol(const pcs_scheme *s)
{
    return !reads_hysteresis(s);
}

static bool reads_accept(const pcs_scheme *s)
{
    return !s->accept_unconverged || s->halvings > 0;
}

// fields that some schemes read and others do not
static const struct {
    const char *name;
    size_t offset; // offset of the double in the scheme
    bool (*reads)(const pcs_scheme *);
    const char *remedy;
} conditional[] = {
    {"gamma", offsetof(pcs_scheme, gamma), reads_gamma,
     "set activation = PCS_ACTIVATION_PREDICTIVE, or configuration = PCS_CONFIGURATION_PREDICTED"},
    {"active_tol", offsetof(pcs_scheme, active_tol), reads_active_tol,
     "set hysteresis, which PCS_PROJECTION_DIRECT_HYSTERESIS reads in its place"},
    {"hysteresis", offsetof(pcs_scheme, hysteresis), reads_hysteresis,
     "set projection = PCS_PROJECTION_DIRECT_HYSTERESIS"},
    {"accept", offsetof(pcs_scheme, accept), reads_accept,
     "set accept_unconverged = false, which commits every step, or halvings > 0"},
};

static double number_at(const pcs_scheme *s, size_t offset)
{
    double x;
    memcpy(&x, (const char *)s + offset, sizeof x);
    return x;
}

// a number that is not read must be that of a constructor: the user has not set it
static pcs_status check_unread(const pcs_scheme *s)
{
    const pcs_scheme base[2] = {pcs_scheme_default(), pcs_scheme_moreau_jean()};
    for (size_t i = 0; i < sizeof conditional / sizeof *conditional; ++i) {
        const size_t at = conditional[i].offset;
        const double x = number_at(s, at), usual = number_at(&base[0], at);
        if (conditional[i].reads(s) || x == usual || x == number_at(&base[1], at)) continue;
        return pcs_fail(PCS_ERR_ARG,
                        "scheme: %s is %g, which this scheme does not read: %s; or leave %s at"
                        " %g",
                        conditional[i].name, x, conditional[i].remedy, conditional[i].name, usual);
    }
    return PCS_OK;
}

// ---- the scheme of a model ---------------------------------------------------------------------

pcs_status pcs_scheme_check(const pcs_scheme *s)
{
    if (!s) return pcs_fail(PCS_ERR_ARG, "pcs_scheme_check: the scheme is null");
    PCS_TRY(check_ranges(s));
    PCS_TRY(check_choices(s));
    PCS_TRY(check_unread(s));
    return pcs_solver_opts_check(&s->solver);
}

pcs_status pcs_model_set_scheme(pcs_model *m, const pcs_scheme *s)
{
    if (!m || !s) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_scheme: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_scheme"));
    PCS_TRY(pcs_scheme_check(s));
    m->scheme = *s;
    return PCS_OK;
}
