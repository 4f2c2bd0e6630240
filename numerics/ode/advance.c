// Steps of fixed or adapted size, up to a time or an event. A step is an attempt, which becomes the
// current state only when nothing in it failed.
#include "ode/integrator.h"

#include <float.h>
#include <limits.h>
#include <string.h>

// ---- accepting

static void copy(double *to, const double *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

// projects x_new on the manifold of the user
static pcs_status project(pcs_integrator *run)
{
    run->end_moved = false;
    if (run->kind != ODE_EXPLICIT_FORM || !run->ode.project) return PCS_OK;
    const double t = run->t_new;
    copy(run->stage, run->x_new, run->n);
    const unsigned long mark = pcs_fail_mark();
    const int code = run->ode.project(run->ode.user, t, run->x_new);
    if (code != 0 || !pcs_all_finite(run->x_new, (size_t)run->n)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "integration: the projection %s at t = %.9g",
                              code != 0 ? "failed" : "gave a number that is not finite", t);
    }
    if (memcmp(run->stage, run->x_new, (size_t)run->n * sizeof *run->x_new) != 0) {
        run->end_moved = true;
    }
    return PCS_OK;
}

// the attempt becomes the current state
static void accept(pcs_integrator *run)
{
    copy(run->x_old, run->x, run->n);
    copy(run->x, run->x_new, run->n);
    copy(run->carry, run->carry_new, run->n);
    if (run->end_moved) memset(run->carry, 0, (size_t)run->n * sizeof *run->carry);
    copy(run->z, run->z_new, run->nz);
    copy(run->f_old, run->f, run->n);
    run->f_old_known = run->f_known;
    run->f_known = false;
    if (!run->end_moved && run->last_is_end) {
        copy(run->f, run->K + (size_t)run->n * (run->s - 1), run->n);
        run->f_known = true;
    } else if (!run->end_moved && run->f_new_known) {
        copy(run->f, run->f_new, run->n);
        run->f_known = true;
    }
    run->t_old = run->t;
    run->t = run->t_new;
    run->h_last = run->h_tried;
    run->report.steps += 1;
    if (run->stages) ode_stages_accepted(run);
    double *const K = run->K;
    run->K = run->K_last;
    run->K_last = K;
    run->K_last_known = true;
}

// Finds the events of the attempt and accepts it. t_end: the time at which it ends; NaN: now plus
// h_tried.
static pcs_status finish(pcs_integrator *run, double t_end, bool *stop)
{
    const double change = run->h_tried + run->t_carry;
    run->t_new = isnan(t_end) ? run->t + change : t_end;
    const double carry = isnan(t_end) ? (run->t - run->t_new) + change : 0;
    bool event = false;
    if (run->events > 0) PCS_TRY(ode_find_events(run, &event));
    PCS_TRY(project(run));
    if (run->events > 0) PCS_TRY(ode_event_values(run, run->t_new, run->x_new));
    // from here on nothing fails
    accept(run);
    if (run->events > 0) ode_accept_events(run);
    run->t_carry = event ? 0 : carry;
    *stop = event;
    return PCS_OK;
}

// ---- one step

static bool mendable(pcs_status status)
{
    return status == PCS_ERR_CALLBACK || status == PCS_ERR_STEP || status == PCS_ERR_SINGULAR;
}

static double floor_of(const pcs_integrator *run)
{
    return fmax(run->opts.h_min, 16 * DBL_EPSILON * fabs(run->t));
}

// A step of a size that keeps the error below the tolerances, at most `most`; at_end: a step of
// `most` ends at t_end.
static pcs_status chosen_step(pcs_integrator *run, double most, double t_end, long *budget,
                              bool *stop)
{
    if (run->h_next <= 0) PCS_TRY(ode_first_step(run, &run->h_next));
    if (run->opts.h_max > 0) run->h_next = fmin(run->h_next, run->opts.h_max);
    const double power = -1.0 / (run->tableau->order_hat + 1);
    double h = run->h_next, growth = 5;
    bool last = false;
    for (;;) {
        // a remainder below rounding is joined to the step
        last = h >= most * (1 - 1e-10);
        if (last) h = most;
        if (!last && h < floor_of(run)) {
            return pcs_fail(PCS_ERR_STEP,
                            "integration: at t = %.9g even steps of %.3g do not succeed; is there "
                            "a singularity, or are rtol and atol below rounding?",
                            run->t, h);
        }
        if ((*budget)-- <= 0) {
            return pcs_fail(PCS_ERR_STEP,
                            "integration: %d steps were not enough beyond t = %.9g; raise "
                            "max_steps, or use an implicit method if the system is stiff",
                            run->opts.max_steps, run->t);
        }
        const pcs_status status = ode_attempt(run, h);
        double error = 0, factor = 0.25;
        if (status == PCS_OK) {
            error = ode_error(run);
            // the law of theory 10; for a NaN the largest reduction
            factor = error > 0 ? fmin(growth, fmax(0.2, 0.9 * pow(error, power))) : growth;
            if (error <= 1) {
                run->report.error = error;
                break;
            }
            if (!(error > 1)) factor = 0.2;
            factor = fmin(factor, 1);
        } else if (!mendable(status) || h * factor < floor_of(run)) {
            return status;
        }
        run->report.rejected += 1;
        growth = 1;
        h *= factor;
    }
    const double next =
        h * fmin(growth,
                 run->report.error > 0 ? fmax(0.2, 0.9 * pow(run->report.error, power)) : growth);
    // a step that t_end shortened does not limit the next one
    const double h_before = run->h_next;
    PCS_TRY(finish(run, last ? t_end : NAN, stop));
    run->h_next = last && growth > 1 ? fmax(h_before, next) : next;
    return PCS_OK;
}

static pcs_status given_step(pcs_integrator *run, double h, double t_new, bool *stop)
{
    PCS_TRY(ode_attempt(run, h));
    PCS_TRY(finish(run, t_new, stop));
    return PCS_OK;
}

// ---- public functions

static pcs_status check_run(pcs_integrator *run, const char *who)
{
    if (!run) return pcs_fail(PCS_ERR_ARG, "%s: run must not be null", who);
    if (!run->started) {
        return pcs_fail(PCS_ERR_ARG, "%s: the run has not been started (pcs_integrator_start)",
                        who);
    }
    run->found_count = 0;
    return PCS_OK;
}

static pcs_status answer(pcs_integrator *run, pcs_status status, pcs_ode_end end,
                         pcs_ode_report *report)
{
    run->report.end = end;
    if (report) *report = pcs_integrator_report(run);
    return status;
}

pcs_status pcs_integrator_step(pcs_integrator *run, pcs_ode_report *report)
{
    PCS_TRY(check_run(run, "pcs_integrator_step"));
    bool stop = false;
    long budget = run->opts.max_steps > 0 ? run->opts.max_steps : LONG_MAX;
    const pcs_status status = run->opts.adaptive
                                  ? chosen_step(run, INFINITY, INFINITY, &budget, &stop)
                                  : given_step(run, run->opts.h, NAN, &stop);
    return answer(run, status, stop ? PCS_ODE_EVENT : PCS_ODE_STEPPED, report);
}

pcs_status pcs_integrator_step_by(pcs_integrator *run, double h, pcs_ode_report *report)
{
    PCS_TRY(check_run(run, "pcs_integrator_step_by"));
    if (!(h > 0) || !isfinite(h)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_step_by: h is %g; it must be positive", h);
    }
    bool stop = false;
    const pcs_status status = given_step(run, h, NAN, &stop);
    return answer(run, status, stop ? PCS_ODE_EVENT : PCS_ODE_STEPPED, report);
}

pcs_status pcs_integrator_advance(pcs_integrator *run, double t_end, pcs_ode_report *report)
{
    PCS_TRY(check_run(run, "pcs_integrator_advance"));
    if (!(t_end >= run->t) || !isfinite(t_end)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_advance: t_end = %.17g %s the present time %.17g; runs go "
                        "forward only (for the past integrate -f over -t)",
                        t_end, isfinite(t_end) ? "lies before" : "is not a time behind", run->t);
    }
    long budget = run->opts.max_steps > 0 ? run->opts.max_steps : LONG_MAX;
    bool stop = false;
    pcs_status status = PCS_OK;
    while (status == PCS_OK && !stop && run->t < t_end) {
        const double most = t_end - run->t, h = run->opts.h;
        if (run->opts.adaptive) {
            status = chosen_step(run, most, t_end, &budget, &stop);
        } else if (budget-- <= 0) {
            status = pcs_fail(PCS_ERR_STEP,
                              "pcs_integrator_advance: %d steps of %g end at t = %.9g, before "
                              "t_end = %.9g; raise max_steps or h",
                              run->opts.max_steps, h, run->t, t_end);
        } else {
            // rounding of t must not leave an extra tiny step
            const bool last = most <= h * (1 + 1e-9) + 4 * DBL_EPSILON * fabs(t_end);
            status = given_step(run, last ? most : h, last ? t_end : NAN, &stop);
        }
    }
    return answer(run, status, stop ? PCS_ODE_EVENT : PCS_ODE_REACHED, report);
}
