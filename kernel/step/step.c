// One time step, as a transaction: everything happens on a trial; the state is replaced by the
// last line, which cannot fail.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "step/step.h"

#include <string.h>
#include <time.h>

typedef struct step_arguments {
    const pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    double h;
    bool accept; // whether to commit what did not converge
    pcs_step_report *out;
} step_arguments;

// fewer moving systems make steps as short as reading the clock
#define MANY_SYSTEMS 16

// residual of the first velocities of many systems, which only tell what features to add
#define COARSE 5e-2

// and the most of such passes
#define COARSE_PASSES 3

// units of the budget for finding a candidate and its rows
#define UNITS_PER_CANDIDATE 20

// so often fewer systems are solved again for them
#define RESOLVES 3

// passes after which contacts are confirmed no more
#define LOOKS 10

typedef struct stopwatch {
    bool on;
    double last, rest;
} stopwatch;

// adds the time since the last lap to *to, and tells the time
static double lap(stopwatch *w, double *to)
{
    if (!w->on) return 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    *to += now - w->last;
    w->last = now;
    return now;
}

// whether an outcome is that of a budget or of rounding, not of a problem without solution
static bool ran_out(pcs_outcome outcome)
{
    return outcome == PCS_OUTCOME_MAX_ITERS || outcome == PCS_OUTCOME_TIME_LIMIT ||
           outcome == PCS_OUTCOME_STALLED;
}

// whether velocities that missed their tolerances are near enough
static bool near_enough(const pcs_scheme *s, const pcs_step_report *out)
{
    return ran_out(out->outcome) && out->newton_residual <= s->accept &&
           out->solve.measure.residual <= s->accept;
}

// Whether there is a point in going on with the trial: it has ended well so far, or it will be
// accepted as it is. Velocities that are not solved to the end leave overlaps all the more.
static bool goes_on(const step_arguments *a)
{
    const pcs_step_report *out = a->out;
    if (out->projection_outcome != PCS_OUTCOME_CONVERGED) return false;
    return out->outcome == PCS_OUTCOME_CONVERGED || near_enough(&a->m->scheme, out) ||
           (a->accept && out->outcome != PCS_OUTCOME_DIVERGED);
}

// whether the step as a whole is one to commit
static bool acceptable(const step_arguments *a, const trial *t, bool solved)
{
    const pcs_step_report *out = a->out;
    if (out->outcome == PCS_OUTCOME_CONVERGED || a->accept) return true;
    const bool projected =
        out->projection_outcome == PCS_OUTCOME_CONVERGED ||
        (ran_out(out->projection_outcome) && out->violation_after <= a->m->scheme.accept * t->size);
    return solved && projected;
}

// whether there are so many bodies that it pays to look at a coarse solution for features to add
static bool looks_coarsely(const trial *t)
{
    return step_adds_features(&t->m->scheme) && t->m->n_blocks >= MANY_SYSTEMS;
}

// whether a pass takes in further features of pairs that are known: the coarse one, and so many
// when there is none
static bool adds_features(const trial *t, int pass)
{
    if (!step_adds_features(&t->m->scheme)) return false;
    return t->coarse > 0 || (!looks_coarsely(t) && pass <= RESOLVES);
}

// Whether a pass looks for contacts that are not there. Each look changes some, and few are left
// after a few; velocities that are not solved to the end say little.
static bool confirms(const trial *t, const pcs_step_report *out)
{
    const bool solved = out->outcome == PCS_OUTCOME_CONVERGED || t->coarse > 0;
    return pcs_scheme_activation(&t->m->scheme) == PCS_ACTIVATION_SPECULATIVE &&
           out->passes <= (solved ? LOOKS : 2);
}

// whether there is another pass: a coarse one as long as there are few and the last changed which
// contacts are there
static bool goes_further(trial *t, int added, bool confirmed, const pcs_step_report *out)
{
    const bool coarse = t->coarse > 0;
    if (coarse && confirmed && out->passes < COARSE_PASSES) return true;
    t->coarse = 0;
    return added > 0 || (coarse && t->rows > 0 && out->outcome != PCS_OUTCOME_DIVERGED &&
                         !(out->solve.measure.residual <= t->m->scheme.solver.tol));
}

// whether another pass would have nothing to spend, which then is how the step ends
static bool velocities_over(const step_arguments *a, pcs_step_report *out)
{
    return step_over(a->wk, step_velocity_part(&a->m->scheme), &out->outcome);
}

// Whether the contacts of a pass may change: it ended well so far, and there is something left to
// solve the next one with. What changes is solved: no contact is left without its impulse.
static bool may_change(const trial *t, const step_arguments *a)
{
    pcs_outcome end;
    if (step_over(a->wk, step_velocity_part(&a->m->scheme), &end)) return false;
    return goes_on(a) || (t->coarse > 0 && a->out->outcome != PCS_OUTCOME_DIVERGED);
}

// whether the velocities are those of a coarse pass, and not solved to the tolerance by chance
static bool coarse_only(const trial *t, const pcs_step_report *out)
{
    return t->coarse > 0 && !(out->solve.measure.residual <= t->m->scheme.solver.tol);
}

// velocities and impulses; once more by the pure midpoint rule where joints gained energy, or could
// not all obey
static pcs_status solve_velocities(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    PCS_TRY(step_velocity(t, mem, out));
    pcs_outcome end;
    if (coarse_only(t, out) || !t->settles) return PCS_OK;
    if (step_over(t->work, step_velocity_part(&t->m->scheme), &end)) return PCS_OK;
    const bool solved =
        out->outcome != PCS_OUTCOME_STALLED && out->outcome != PCS_OUTCOME_INFEASIBLE;
    if (solved && !step_joints_gain(t, *mem)) return PCS_OK;
    PCS_TRY(step_joint_rows(t, true, mem));
    return step_velocity(t, mem, out);
}

static project_rows projected_rows(const pcs_scheme *s)
{
    if (s->projection == PCS_PROJECTION_COMBINED) return PROJECT_ACTIVE_AND_VIOLATED;
    return s->projection == PCS_PROJECTION_COMBINED_EQUALITY ? PROJECT_ACTIVE_AS_EQUALITIES
                                                             : PROJECT_ACTIVE;
}

static pcs_status make(const step_arguments *a)
{
    const pcs_scheme *scheme = &a->m->scheme;
    pcs_step_report *out = a->out;
    *out = (pcs_step_report){.outcome = PCS_OUTCOME_CONVERGED,
                             .projection_outcome = PCS_OUTCOME_CONVERGED,
                             .projection_solve = PCS_OUTCOME_CONVERGED,
                             .substeps = 1};
    pcs_arena mem = a->wk->arena;
    a->wk->budget.spent = a->wk->budget.from; // an attempt that ran out of memory leaves no trace
    stopwatch watch = {.on = a->m->n_blocks >= MANY_SYSTEMS};
    const double start = lap(&watch, &watch.last);

    // everything happens on a trial; the state is replaced by the last line only
    trial next;
    PCS_TRY(trial_begin(a->m, a->st, a->wk, a->h, &mem, &next));

    // who may touch whom, and who is taken for touching
    PCS_TRY(step_detect(&next, step_tolerance(&next), &mem));
    PCS_TRY(step_activate(&next, mem));
    PCS_TRY(step_order(&next, mem));
    PCS_TRY(step_joint_rows(&next, false, &mem));
    step_budget_know(a->wk, next.list.n);
    step_spend(a->wk, UNITS_PER_CANDIDATE * (double)next.list.n);
    lap(&watch, &out->times.detect);

    int added, confirmed;
    next.coarse = looks_coarsely(&next) ? COARSE : 0;
    do {
        // velocities and impulses of the theta scheme, positions by their mean
        PCS_TRY(solve_velocities(&next, &mem, out));
        out->passes += 1;
        lap(&watch, &out->times.solve);

        // who pushes where nothing is; who would overlap now, or be closed by this motion: as it
        // is, not yet projected
        added = confirmed = 0;
        if (may_change(&next, a)) {
            if (confirms(&next, out)) {
                PCS_TRY(step_confirm(&next, out->solve.measure.residual, looks_coarsely(&next),
                                     &mem, &confirmed));
            }
            PCS_TRY(step_extend(&next, adds_features(&next, out->passes), &mem, &added));
            step_spend(a->wk, UNITS_PER_CANDIDATE * (double)next.list.n);
        }
        next.reordered = false;
        if (may_change(&next, a)) PCS_TRY(step_order(&next, mem));
        if (next.reordered) PCS_TRY(step_joint_rows(&next, false, &mem));
        lap(&watch, &out->times.detect);
        added += confirmed + next.reordered;
    } while (goes_further(&next, added, confirmed > 0, out) &&
             (added > 0 || !velocities_over(a, out)));

    // close the gaps that the velocity level left open
    if (scheme->projection != PCS_PROJECTION_NONE && goes_on(a)) {
        step_keep_free(&next);
        if (scheme->projection == PCS_PROJECTION_OVERLAPS) {
            PCS_TRY(step_project_overlaps(&next, mem, out));
        } else {
            PCS_TRY(step_project(&next, projected_rows(scheme), mem, out));
        }
    }

    lap(&watch, &out->times.project);

    // what has run off is nothing to account for
    const bool no_iterate = out->outcome == PCS_OUTCOME_DIVERGED && isnan(out->newton_residual);
    if (no_iterate || !trial_in_range(&next)) {
        out->outcome = PCS_OUTCOME_DIVERGED;
        out->times.total = watch.last - start;
        return PCS_OK;
    }

    // account for every joule; say who touched whom
    PCS_TRY(step_ledger(&next, mem, &out->energy));
    PCS_TRY(step_publish(&next, &mem, a->st, out));
    PCS_TRY(step_doubts(&next, mem, out));

    const bool solved = out->outcome == PCS_OUTCOME_CONVERGED || near_enough(scheme, out);
    if (out->outcome == PCS_OUTCOME_CONVERGED) out->outcome = out->projection_outcome;
    out->committed = !isnan(out->newton_residual) && acceptable(a, &next, solved);
    step_doubt_unsolved(&next, out);
    if (out->committed) step_commit(&next, a->st);
    lap(&watch, &watch.rest);
    out->times.total = watch.last - start;
    return PCS_OK;
}

// the same; where the velocities lead, relations may have no finite gaps: then it has diverged
static pcs_status attempt(void *arguments)
{
    const step_arguments *a = arguments;
    a->wk->cause[0] = '\0';
    const pcs_status status = make(a);
    if (status == PCS_OK || a->out->newton_iters == 0 || !pcs_failed_range()) return status;
    step_keep_cause(a->wk);
    a->out->outcome = PCS_OUTCOME_DIVERGED;
    return PCS_OK;
}

// ---- steps that are divided --------------------------------------------------------------------

// the ledger of two steps one after the other
static void add_energy(const pcs_energy *first, pcs_energy *then)
{
    then->kinetic_before = first->kinetic_before;
    then->potential_before = first->potential_before;
    then->forces += first->forces;
    then->conservative += first->conservative;
    then->gyroscopic += first->gyroscopic;
    then->normal += first->normal;
    then->tangential += first->tangential;
    then->joints += first->joints;
    then->prescribed += first->prescribed;
    then->mass += first->mass;
    then->newton += first->newton;
    then->integrator += first->integrator;
    then->projection += first->projection;
    then->closure += first->closure;
}

static void add_report(const pcs_step_report *first, pcs_step_report *then)
{
    add_energy(&first->energy, &then->energy);
    then->newton_iters += first->newton_iters;
    then->solves += first->solves;
    then->passes += first->passes;
    then->projection_iters += first->projection_iters;
    then->sweeps += first->sweeps;
    then->finish_iters += first->finish_iters;
    then->substeps += first->substeps;
    then->times.detect += first->times.detect;
    then->times.solve += first->times.solve;
    then->times.project += first->times.project;
    then->times.total += first->times.total;
    then->projection_residual = fmax(then->projection_residual, first->projection_residual);
    then->violation_before = fmax(then->violation_before, first->violation_before);
    then->penetration_before = first->penetration_before;
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        doubt_join(&first->doubt[k], &then->doubt[k]);
    }
    if (first->outcome != PCS_OUTCOME_CONVERGED && then->outcome == PCS_OUTCOME_CONVERGED) {
        then->outcome = first->outcome;
    }
}

// the part of the budget that has been spent
static double part_spent(const step_budget *b)
{
    return b->most > 0 ? b->spent / b->most : 0;
}

// One step, or two of half its size where it does not converge, or callbacks have no finite answer
// at its end, and it may be divided; what may still be divided has half of what is left of the
// budget.
static pcs_status divide(const step_arguments *a, int halvings)
{
    step_budget *b = &a->wk->budget;
    step_arguments whole = *a;
    whole.accept = halvings == 0 && a->m->scheme.accept_unconverged;
    b->from = b->spent;
    b->part = halvings == 0 ? 1 : 0.5 * (part_spent(b) + 1);
    const pcs_status status = work_attempt(a->wk, attempt, &whole);
    if (status != PCS_OK && !pcs_failed_range()) return status;
    if (a->out->committed || halvings == 0) return status;
    if (part_spent(b) >= 1 || step_late(a->wk)) return status;

    step_arguments half = *a;
    half.h = 0.5 * a->h;
    PCS_TRY(divide(&half, halvings - 1));
    if (!a->out->committed) return PCS_OK;
    const pcs_step_report first = *a->out;
    PCS_TRY(divide(&half, halvings - 1));
    add_report(&first, a->out);
    return PCS_OK;
}

// the same as one transaction: what the first parts did to the state is undone when a later fails
static pcs_status divide_whole(const step_arguments *a)
{
    const int halvings = a->m->scheme.halvings;
    if (halvings == 0) return divide(a, 0);
    if (!a->wk->backup) PCS_TRY(pcs_state_create(a->m, &a->wk->backup));
    PCS_TRY(pcs_state_copy(a->st, a->wk->backup));
    const pcs_status status = divide(a, halvings);
    if (status != PCS_OK || !a->out->committed) {
        // there was room for this much before
        const pcs_status back = pcs_state_copy(a->wk->backup, a->st);
        PCS_ASSERT(back == PCS_OK);
        (void)back;
    }
    return status;
}

pcs_status pcs_step(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                    pcs_step_report *report)
{
    // a call that is not carried out has not converged
    pcs_step_report own;
    step_arguments a = {m, st, wk, h, false, report ? report : &own};
    *a.out = (pcs_step_report){.outcome = PCS_OUTCOME_STOPPED};
    PCS_TRY(step_check("pcs_step", m, st, wk));
    if (!(h > 0) || !isfinite(h)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_step: h is %g s; it must be positive", h);
    }
    const double t0 = st->t;
    step_look_at_bodies(m, wk);
    step_budget_begin(wk);
    const pcs_status status = divide_whole(&a);
    if (status != PCS_OK) {
        *a.out = (pcs_step_report){.outcome = PCS_OUTCOME_STOPPED};
        return status;
    }
    a.out->units = wk->budget.spent;
    a.out->budget = wk->budget.most;
    a.out->seconds = step_seconds(wk);
    step_warn(m, wk, t0, a.out);
    if (a.out->committed || report) return PCS_OK;

    // without a report there is nowhere else to say so
    char why[STEP_WHY];
    step_why(wk, a.out, why);
    return pcs_fail(PCS_ERR_STEP, "pcs_step: the step from t = %g s is %s", t0, why);
}
