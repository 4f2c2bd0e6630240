// One time step, as a transaction: everything happens on a trial; the last stage replaces the
// state, and cannot fail.

#include "step/step.h"

#include <float.h>

#include "model/carried.h"
#include "rotation/vector.h"
#include "solver/solver.h"
#include "step/couple.h"
#include "step/rest.h"
#include "step/skip.h"

// steps of fewer moving systems are as short as reading the clock
#define MANY_SYSTEMS 16

// tolerance of the first, coarse passes in large models, which only find the features and contacts
// that the step meets
#define COARSE 5e-2

// largest number of these
#define COARSE_PASSES 3

// Tolerance of the passes after them, until the contacts stay the same, where at least so many are
// active: each solve to the tolerance of the scheme may cost as much as a hundred of these
#define SETTLING       3e-3
#define SETTLING_LEAST 400

// part of the tolerance of the projection by which bodies of a model at rest move in a step
#define STILL 1e-3

// units of the budget to find a candidate and its rows
#define UNITS_PER_CANDIDATE 20

// small models: at most this many passes add features of known pairs
#define RESOLVES 3

// at most this many passes confirm contacts: each changes some, and few remain after a few passes
#define CONFIRMATIONS 10

// the same for large models whose velocities are not solved
#define LATE_CONFIRMATIONS 2

// Part of the units for velocities that each pass of a small model may spend while contacts are
// refuted: contacts that do not exist may make the problem unsolvable.
#define PASS_SHARE 0.125

// velocities are solved again at most this many times because the tension of joints changes
#define TENSIONS 4

// A step is cut at most this many times at kinks of driven bodies, and no part is shorter than this
// part of it, as that of a step that is halved six times
#define CUTS       8
#define LEAST_PART (1.0 / 64)

// contacts land at most this many times because a projection lifts; each landing closes others
#define LANDINGS 4

// The times of the stages, over all attempts of a step: that of a stage which fails counts as well
typedef struct stopwatch {
    bool on;
    pcs_step_times times;
    double rest, last, *stage;
} stopwatch;

// ends a stage and begins another
static void turn(stopwatch *w, double *stage)
{
    if (!w->on) return;
    const double now = solver_clock();
    if (w->stage) *w->stage += now - w->last;
    w->stage = stage;
    w->last = now;
}

// ---- decisions ----------------------------------------------------------------------------------

// true when a budget or rounding ended a solve, and not a problem without solution
static bool ran_out(pcs_outcome outcome)
{
    return outcome == PCS_OUTCOME_MAX_ITERS || outcome == PCS_OUTCOME_TIME_LIMIT ||
           outcome == PCS_OUTCOME_STALLED;
}

// true when velocities that missed their tolerances, or have none, are near enough
static bool near_enough(const trial *t, const pcs_step_report *out)
{
    const bool none = out->outcome == PCS_OUTCOME_INFEASIBLE;
    return (ran_out(out->outcome) || none) && out->newton_residual <= t->near &&
           out->solve.measure.residual <= t->near && out->friction_residual <= t->near;
}

// True when the trial may still be committed: it has ended well so far, or is accepted as it is.
// Other velocities are not projected: the less accurate they are, the more overlap they leave.
static bool may_be_committed(const trial *t, const pcs_step_report *out)
{
    if (out->projection_outcome != PCS_OUTCOME_CONVERGED || t->work->budget.stopped) return false;
    return out->outcome == PCS_OUTCOME_CONVERGED || near_enough(t, out) ||
           (t->accept && out->outcome != PCS_OUTCOME_DIVERGED);
}

// true when the complete trial is committed; `solved`: its velocities are good enough
static bool is_acceptable(const trial *t, bool solved, const pcs_step_report *out)
{
    if (isnan(out->newton_residual) || t->work->budget.stopped) return false;
    if (out->outcome == PCS_OUTCOME_CONVERGED || t->accept) return true;
    const bool projected =
        out->projection_outcome == PCS_OUTCOME_CONVERGED ||
        (ran_out(out->projection_outcome) && out->violation_after <= t->m->scheme.accept * t->size);
    return solved && projected;
}

// true when the model is large enough for coarse passes
static bool begins_coarse(const trial *t)
{
    return step_adds_features(t) && t->m->n_blocks >= MANY_SYSTEMS;
}

// True when a step has been solved, to an accuracy at which hardly a body can have moved, and
// hardly a body moves: there are no contacts for a coarse pass to find. Before the first solve
// bodies without velocity may be about to fall
static bool is_still(const trial *t)
{
    const double most = STILL * t->proj_tol;
    if (!(t->hold > 0 && t->hold < most)) return false;
    for (int i = 0; i < t->m->n_systems; ++i) {
        const model_system *s = &t->m->system[i];
        const double *v = t->st->v + s->v_at;
        if (s->motion || (s->nv > 0 && s->kind != SYSTEM_BODY)) return false;
        if (s->nv == 0 || skips(t, i)) continue;
        if (!(t->h * (v3_norm(v) + v3_norm(v + 3) * s->reach) < most)) return false;
    }
    return true;
}

// true when a pass adds features of known pairs: a coarse one, the first passes of small models,
// and the first pass of a model at rest, which has no coarse one
static bool wants_features(const trial *t, int pass)
{
    if (!step_adds_features(t)) return false;
    return t->finds || (!begins_coarse(t) && pass <= RESOLVES) || pass <= 1;
}

static bool is_solved(const trial *t, const pcs_step_report *out)
{
    return out->outcome == PCS_OUTCOME_CONVERGED || t->coarse > 0;
}

// True when a pass refutes contacts. In large models unsolved velocities show little about them; in
// small models contacts that do not exist may be the reason.
static bool wants_confirmation(const trial *t, const pcs_step_report *out)
{
    const bool late = begins_coarse(t) && !is_solved(t, out);
    return t->rule != PCS_ACTIVATION_END_OF_STEP &&
           out->passes <= (late ? LATE_CONFIRMATIONS : CONFIRMATIONS);
}

// True when contacts were still found on the paths when the last pass began: a body that rotates
// many times in a step may have passed a wall. Large models accept what their passes find.
static bool is_unsettled(const trial *t, const pcs_step_report *out)
{
    return t->rule == PCS_ACTIVATION_SPECULATIVE && !begins_coarse(t) &&
           out->passes > CONFIRMATIONS;
}

// true when the velocities are those of a coarse pass, and not solved to the tolerance by chance
static bool is_only_coarse(const trial *t, const pcs_step_report *out)
{
    return t->coarse > 0 && !(out->solve.measure.residual <= t->m->scheme.solver.tol);
}

// true when the budget or the time for velocities is used up; then it is *outcome
static bool velocities_are_over(const trial *t, pcs_outcome *outcome)
{
    return step_velocity_over(t->work, 1, outcome);
}

// true when more of the budget might have given other velocities
static bool velocities_are_cut(const trial *t, const pcs_step_report *out)
{
    pcs_outcome end;
    return velocities_are_over(t, &end) || (ran_out(out->outcome) && t->work->budget.ends_solve);
}

// The same for the part of the budget that this pass may use up. Where the step must be solved, a
// stall counts too: the next pass begins at the best impulses with turns of other lengths, and
// solves nearly all of what ends so
static bool velocities_are_short(const trial *t, const pcs_step_report *out)
{
    pcs_outcome end;
    if (out->outcome == PCS_OUTCOME_STALLED && step_is_strict(&t->m->scheme)) return true;
    if (out->outcome != PCS_OUTCOME_MAX_ITERS) return false;
    return step_velocity_over(t->work, t->share, &end) || t->work->budget.ends_solve;
}

// true when the velocities of a pass show which contacts are missing
static bool has_velocities(const trial *t, const pcs_step_report *out)
{
    return may_be_committed(t, out) || (t->coarse > 0 && out->outcome != PCS_OUTCOME_DIVERGED);
}

// True when a pass may change the contacts: the changed problem must be solved again, so that every
// contact gets its impulse. Contacts that do not exist may be why it is not solved.
static bool may_change_contacts(const trial *t, const pcs_step_report *out)
{
    pcs_outcome end;
    // without an iterate there is no motion that shows contacts
    if (velocities_are_over(t, &end) || isnan(out->newton_residual)) return false;
    return has_velocities(t, out) || (!begins_coarse(t) && wants_confirmation(t, out));
}

// part of the units for velocities that may be spent after the next pass
static double pass_share(const trial *t, int passes, int changed)
{
    const bool all = t->rule == PCS_ACTIVATION_END_OF_STEP || begins_coarse(t);
    return all || (passes > 0 && changed == 0) ? 1 : fmin(1, (passes + 1) * PASS_SHARE);
}

// the tolerance of the next pass where that is not the one of the scheme, else 0; *finds: it adds
// features again, since the last one refuted contacts
static double next_coarse(const trial *t, bool refuted, bool changed, const pcs_step_report *out,
                          bool *finds)
{
    const bool was = t->finds;
    *finds = was && refuted && out->passes < COARSE_PASSES;
    if (*finds) return COARSE;
    pcs_outcome end;
    const bool many = begins_coarse(t) && t->solution.problem.nb >= SETTLING_LEAST;
    const bool settled = !changed && !(was && out->solve.measure.residual > SETTLING);
    return many && !settled && !velocities_are_over(t, &end) ? SETTLING : 0;
}

// true when velocities of a coarse pass must be solved to the tolerance of the scheme
static bool needs_fine_pass(const trial *t, const pcs_step_report *out)
{
    return t->solution.rows > 0 && out->outcome != PCS_OUTCOME_DIVERGED && is_only_coarse(t, out);
}

// The same, and the budget allows it. Where only the time is over, the pass makes a few sweeps if
// the coarse one was solved, perhaps without any: bodies that fall into one another have more
// contacts in the next step.
static bool may_make_fine_pass(const trial *t, pcs_step_report *out)
{
    pcs_outcome end;
    if (!needs_fine_pass(t, out)) return false;
    if (!velocities_are_over(t, &end)) return true;
    if (end == PCS_OUTCOME_TIME_LIMIT && out->outcome == PCS_OUTCOME_CONVERGED) return true;
    out->outcome = end;
    return false;
}

static project_rows projected_rows(const pcs_scheme *s)
{
    if (s->projection == PCS_PROJECTION_COMBINED) return PROJECT_ACTIVE_AND_VIOLATED;
    return s->projection == PCS_PROJECTION_COMBINED_EQUALITY ? PROJECT_ACTIVE_AS_EQUALITIES
                                                             : PROJECT_ACTIVE;
}

// ---- the page -----------------------------------------------------------------------------------

// true when joints cannot all hold; Newton's method does not converge there either
static bool joints_fail(const pcs_step_report *out)
{
    if (out->outcome == PCS_OUTCOME_CONVERGED || out->outcome == PCS_OUTCOME_DIVERGED) return false;
    const pcs_outcome last = out->solve.outcome;
    return last == PCS_OUTCOME_STALLED || last == PCS_OUTCOME_INFEASIBLE;
}

// velocities and impulses; again where they change the tension of the joints that they depend on
static pcs_status solve_tensions(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    bool stiffer = t->stiff;
    PCS_TRY(step_velocity(t, mem, &t->list, &t->end, &t->solution, out));
    for (int k = 0; k < TENSIONS && stiffer && !is_only_coarse(t, out); ++k) {
        pcs_outcome end;
        if (out->outcome == PCS_OUTCOME_DIVERGED || velocities_are_over(t, &end)) return PCS_OK;
        if (t->list.loops && joints_fail(out)) return PCS_OK; // their impulses are no tension
        step_keep_impulses(t, &t->list);
        PCS_TRY(step_tension(t, true, mem, &t->stiff, &stiffer));
        if (stiffer) PCS_TRY(step_velocity(t, mem, &t->list, &t->end, &t->solution, out));
    }
    return PCS_OK;
}

// velocities and impulses; again where contacts gained energy
static pcs_status solve_impacts(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    PCS_TRY(solve_tensions(t, mem, out));
    if (t->rule != PCS_ACTIVATION_SPECULATIVE || is_only_coarse(t, out)) return PCS_OK;
    bool lands = false;
    if (t->lands && !is_solved(t, out)) {
        PCS_TRY(step_land_unsolved(t, *mem, &out->solve.measure, &t->list, &lands));
        if (lands) return solve_tensions(t, mem, out);
    }
    if (t->share < 1 && velocities_are_short(t, out)) return PCS_OK;
    // a contact that lands is solved again: it must not land when the budget is used up
    pcs_outcome end;
    if (velocities_are_over(t, &end)) return PCS_OK;
    bool gains;
    PCS_TRY(step_land_gains(t, *mem, out->solve.measure.residual, &t->list, &gains));
    return gains ? solve_tensions(t, mem, out) : PCS_OK;
}

// and again where redundant joints contradict each other, with rows where they are closed; and by
// the pure midpoint rule if joints gained energy, or cannot all hold
static pcs_status solve_velocities(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    PCS_TRY(solve_impacts(t, mem, out));
    pcs_outcome end;
    if (is_only_coarse(t, out) || velocities_are_over(t, &end)) return PCS_OK;
    if (joints_fail(out) && !t->list.disagree) {
        bool loops;
        t->list.disagree = true;
        PCS_TRY(step_find_loops(t, *mem, &t->list, &loops));
        if (loops) {
            PCS_TRY(step_joint_rows(t, false, mem, &t->list));
            PCS_TRY(solve_tensions(t, mem, out));
        }
    }
    if (!t->list.settles || velocities_are_over(t, &end)) return PCS_OK;
    if (!joints_fail(out) && !step_joints_gain(t, *mem)) return PCS_OK;
    PCS_TRY(step_joint_rows(t, true, mem, &t->list));
    return step_velocity(t, mem, &t->list, &t->end, &t->solution, out);
}

// refutes contacts that push without a partner, and adds shapes that overlap at q', or would;
// *changed counts both
static pcs_status change_contacts(trial *t, pcs_arena *mem, pcs_step_report *out, int *changed,
                                  bool *confirmed)
{
    int added = 0, refuted = 0;
    if (t->list.n > 0 && wants_confirmation(t, out)) {
        const double residual = has_velocities(t, out) ? out->solve.measure.residual : INFINITY;
        const bool solved = is_solved(t, out) || begins_coarse(t);
        PCS_TRY(step_confirm(t, solved, residual, begins_coarse(t), mem, &t->list, &refuted));
    }
    if (has_velocities(t, out)) {
        const bool features = wants_features(t, out->passes);
        PCS_TRY(step_extend(t, features, refuted > 0, mem, &t->list, &added));
    }
    step_spend(t->work, UNITS_PER_CANDIDATE * (double)step_candidates(t));
    *confirmed = refuted > 0;
    *changed = added + refuted;
    return PCS_OK;
}

static pcs_status project_once(trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_scheme *s = &t->m->scheme;
    step_keep_free(t, &t->end);
    return s->projection == PCS_PROJECTION_OVERLAPS
               ? step_project_overlaps(t, mem, &t->list, t->end.q, out)
               : step_project(t, projected_rows(s), mem, &t->list, t->end.q, out);
}

// positions; if that lifts bodies with waiting contacts, velocities again with these contacts
static pcs_status project(trial *t, pcs_arena *mem, pcs_step_report *out)
{
    if (t->m->scheme.projection == PCS_PROJECTION_NONE || !may_be_committed(t, out)) return PCS_OK;
    PCS_TRY(project_once(t, *mem, out));
    for (int k = 0; k < LANDINGS && out->projection_iters > 0; ++k) {
        pcs_outcome end;
        if (velocities_are_over(t, &end)) return PCS_OK;
        bool lifted;
        PCS_TRY(step_land_lifted(t, *mem, &t->list, &lifted));
        if (!lifted) return PCS_OK;
        PCS_TRY(solve_impacts(t, mem, out));
        out->projection_outcome = PCS_OUTCOME_CONVERGED;
        if (!may_be_committed(t, out)) return PCS_OK;
        PCS_TRY(project_once(t, *mem, out));
    }
    return PCS_OK;
}

// the trial, its candidates, and the active ones among them
static pcs_status begin(const pcs_model *m, const pcs_state *st, pcs_work *wk,
                        const step_division *d, pcs_arena *mem, trial *t)
{
    PCS_TRY(trial_begin(m, st, wk, d->h, mem, t));
    t->accept = d->accept;
    t->near = d->near;
    t->lands = d->lands;
    t->finds = begins_coarse(t) && !is_still(t);
    t->share = pass_share(t, 0, 0);
    PCS_TRY(step_detect(t, step_tolerance(t), mem, &t->list));
    if (t->list.n > 0) PCS_TRY(step_activate(t, mem, &t->list));
    PCS_TRY(step_hold(t, mem, &t->list));
    step_budget_know(wk, step_candidates(t) + couple_sparse_elements(t));
    if (step_late(wk)) t->finds = false; // there is time for one pass only
    t->coarse = t->finds ? COARSE : 0;
    bool reordered = false, stiffer;
    if (m->scheme.second_order) {
        PCS_TRY(step_order(t, *mem, &t->list, t->end.theta, &reordered));
    }
    bool loops;
    PCS_TRY(step_find_loops(t, *mem, &t->list, &loops));
    if (t->list.n > 0) PCS_TRY(step_joint_rows(t, false, mem, &t->list));
    if (m->scheme.second_order && m->n_interactions > 0) {
        PCS_TRY(step_tension(t, false, mem, &t->stiff, &stiffer));
    }
    step_spend(wk, UNITS_PER_CANDIDATE * (double)step_candidates(t));
    return PCS_OK;
}

// Changes the contacts by the motion of the last pass. *again: they have changed, or the passes so
// far were coarse or short, and another pass follows.
static pcs_status review(trial *t, pcs_arena *mem, pcs_step_report *out, bool *again)
{
    int changed = 0;
    bool confirmed = false, reordered = false;
    if (may_change_contacts(t, out)) {
        PCS_TRY(change_contacts(t, mem, out, &changed, &confirmed));
    }
    if (t->m->scheme.second_order && may_change_contacts(t, out)) {
        PCS_TRY(step_order(t, *mem, &t->list, t->end.theta, &reordered));
    }
    bool loops = false;
    if (changed > 0) PCS_TRY(step_find_loops(t, *mem, &t->list, &loops));
    // the pure midpoint rule is for the contacts with which joints gained energy
    reordered = reordered || loops || (changed > 0 && t->list.pure);
    if (reordered) PCS_TRY(step_joint_rows(t, false, mem, &t->list));

    pcs_outcome end;
    const bool was_short = t->share < 1 && velocities_are_short(t, out);
    t->share = pass_share(t, out->passes, changed);
    const bool finer = may_make_fine_pass(t, out);
    t->coarse = next_coarse(t, confirmed, changed > 0 || reordered, out, &t->finds);
    *again = changed > 0 || reordered || finer || (was_short && !velocities_are_over(t, &end));
    return PCS_OK;
}

// false when no iterate exists, or a number is out of range: such a trial has no balance
static bool has_numbers(const trial *t, const pcs_step_report *out)
{
    if (out->outcome == PCS_OUTCOME_DIVERGED && isnan(out->newton_residual)) return false;
    return model_in_range(t->end.q, (size_t)t->m->nq);
}

// true when the step is solved
static bool may_fall_asleep(const trial *t, const pcs_step_report *out)
{
    return out->outcome == PCS_OUTCOME_CONVERGED && !is_only_coarse(t, out) &&
           out->projection_outcome == PCS_OUTCOME_CONVERGED && has_numbers(t, out);
}

// energies, results that can be read, what breaks, and doubts
static pcs_status account(trial *t, pcs_arena *mem, pcs_state *st, pcs_step_report *out)
{
    PCS_TRY(step_ledger(t, *mem, &out->energy));
    // velocities that were solved again after a projection, and not projected, have no lifts
    if (t->m->scheme.projection == PCS_PROJECTION_OVERLAPS && out->projection_iters > 0 &&
        t->end.q_free) {
        PCS_TRY(step_pay_lifts(t, mem, &out->energy));
    }
    PCS_TRY(step_publish(t, mem, &t->list, st, out));
    PCS_TRY(step_breaks(t, &t->list, out));
    return step_doubts(t, *mem, out);
}

// true when contacts rebound that may land
static bool rebounds(const trial *t)
{
    bool any = false;
    for (int i = 0; i < t->list.n && !any; ++i) {
        any = t->list.c[i].active && t->list.c[i].bounces;
    }
    return any && t->rule == PCS_ACTIVATION_SPECULATIVE;
}

// The outcome of the trial, and the decision to commit or to divide it. `cut`: the budget ended
// velocities or projection.
static void decide(trial *t, bool cut, step_division *d, pcs_step_report *out)
{
    const bool moves = out->outcome == PCS_OUTCOME_CONVERGED, solved = moves || near_enough(t, out);
    if (moves) out->outcome = out->projection_outcome;
    out->committed = is_acceptable(t, solved, out);
    if (t->work->budget.stopped) out->outcome = PCS_OUTCOME_STOPPED;
    // a residual that has this cause does not fall in a later step
    const bool accepted = out->committed && !moves && !t->accept;
    if (accepted && step_refutes(t->work, out)) out->committed = cut = false;
    if (cut) step_divide_cut(d, out);
    if (!moves && rebounds(t)) step_divide_rebounds(d, out);
    if (out->committed && is_unsettled(t, out)) step_divide_unsettled(d, out);
    step_doubt_unsolved(t, moves, out);
}

// Looks for kinks of driven bodies that hit contacts. Only the whole step, or what is left of it,
// is cut: what is divided for other reasons is not
static pcs_status find_kinks(const trial *t, pcs_arena mem, step_division *d)
{
    pcs_work *wk = t->work;
    bool hit;
    double cut;
    PCS_TRY(step_meets_kinks(t, mem, &hit, &cut));
    d->cut = d->part == d->whole ? cut : 0;
    wk->kinks.hit = wk->kinks.hit || hit;
    return PCS_OK;
}

// One step, or a part of a step that is divided. Everything happens on a trial; only the last stage
// changes the state.
static pcs_status make_step(const pcs_model *m, pcs_state *st, pcs_work *wk, step_division *d,
                            stopwatch *watch, pcs_step_report *out)
{
    *out = (pcs_step_report){.outcome = PCS_OUTCOME_CONVERGED,
                             .projection_outcome = PCS_OUTCOME_CONVERGED,
                             .projection_solve = PCS_OUTCOME_CONVERGED,
                             .substeps = 1};
    pcs_arena mem = wk->arena;
    trial next;
    turn(watch, &watch->times.detect);
    PCS_TRY(begin(m, st, wk, d, &mem, &next));
    PCS_TRY(find_kinks(&next, mem, d));
    if (d->cut > 0) return PCS_OK;

    for (bool again = true; again;) {
        // velocities and impulses of the theta scheme, positions by their mean
        turn(watch, &watch->times.solve);
        PCS_TRY(solve_velocities(&next, &mem, out));
        out->passes += 1;

        // the contacts that this motion meets, before any projection
        turn(watch, &watch->times.detect);
        PCS_TRY(review(&next, &mem, out, &again));
    }

    // close the gaps that the velocities leave open
    turn(watch, &watch->times.project);
    bool cut = velocities_are_cut(&next, out);
    PCS_TRY(project(&next, &mem, out));
    if (out->projection_iters > 0) step_wake_moved(&next, &next.list);
    cut = cut || (out->projection_outcome == PCS_OUTCOME_MAX_ITERS && step_units(wk, 1) <= 0);
    turn(watch, &watch->rest);

    if (may_fall_asleep(&next, out)) PCS_TRY(step_fall_asleep(&next, &mem, &next.list));
    out->asleep = next.n_held;

    if (has_numbers(&next, out)) {
        PCS_TRY(account(&next, &mem, st, out));
        decide(&next, cut, d, out);
        if (!out->committed) PCS_TRY(step_conflicts(&next, mem, out));
        if (out->committed) PCS_TRY(skip_choose(&next, &mem));
        if (out->committed) step_commit(&next, st);
        if (out->committed) skip_keep(&next, st);
        step_remember_rest(m, st, wk, d->h, next.n_slept, out);
    } else {
        out->outcome = PCS_OUTCOME_DIVERGED;
    }
    return PCS_OK;
}

static pcs_status check(const pcs_model *m, const pcs_state *st, const pcs_work *wk, double h)
{
    PCS_TRY(step_check("pcs_step", m, st, wk));
    if (!(h > 0) || !isfinite(h)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_step: h is %g s; it must be positive and finite", h);
    }
    return st->t + h > st->t ? PCS_OK : step_refuse_time("pcs_step", st->t, h);
}

// A callback without a finite result at an iterate of Newton's loop: the step has diverged
static pcs_status diverge_out_of_range(pcs_status status, pcs_work *wk, pcs_step_report *out)
{
    if (status == PCS_OK || out->newton_iters == 0 || !pcs_failed_range()) return status;
    step_keep_cause(wk);
    out->outcome = PCS_OUTCOME_DIVERGED;
    return PCS_OK;
}

// true where a step may be cut: those that keep time have all of their work in one part
static bool may_cut(const pcs_model *m)
{
    return m->scheme.halvings > 0 && m->scheme.max_sweeps == 0;
}

// One part of a step, up to its end or to a kink of a driven body (d->cut)
static pcs_status make_part(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                            step_division *d, stopwatch *watch, pcs_step_report *out)
{
    pcs_status status;
    step_divide(m, wk, h, d);
    do {
        wk->capture.part += 1;
        const step_budget budget = wk->budget;
        do {
            wk->budget = budget; // an attempt that is repeated may have widened it
            work_begin(wk);
            status = make_step(m, st, wk, d, watch, out);
        } while (work_end(wk, &status));
        if (status == PCS_OK && d->cut > 0) return PCS_OK;
        status = diverge_out_of_range(status, wk, out);
    } while (step_divide_next(d, st, &status, out) || step_divide_land(d, status, out));
    return status;
}

// The parts of a step between kinks
static pcs_status make_parts(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                             stopwatch *watch, pcs_step_report *out)
{
    const double end = st->t + h;
    double next = h; // length of the next part
    bool last = true, any = false;
    int cuts = 0;
    pcs_step_report before;
    step_division d;
    for (;;) {
        wk->kinks.cuts = cuts < CUTS;
        const pcs_status status = make_part(m, st, wk, next, &d, watch, out);
        if (status == PCS_OK && d.cut > 0) {
            next = d.cut;
            last = false;
            cuts += 1;
            continue;
        }
        if (any) step_add_report(&before, out);
        if (status != PCS_OK || !out->committed || last) return status;
        before = *out;
        any = last = true;
        next = end - st->t;
    }
}

// A step with kinks that is not solved is made again without them: then restitution has only what
// is left of a jump at the end of the step
static pcs_status make_whole(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                             stopwatch *watch, pcs_step_report *out)
{
    wk->kinks = (step_kinks){
        .on = m->n_driven > 0 && may_cut(m),
        .least = fmax(LEAST_PART * h, STEP_TICKS * DBL_EPSILON * (fabs(st->t) + h)),
    };
    if (wk->kinks.on) {
        if (!wk->start) PCS_TRY(pcs_state_create(m, &wk->start));
        PCS_TRY(pcs_state_copy(st, wk->start));
    }
    pcs_status status = make_parts(m, st, wk, h, watch, out);
    const bool hit = wk->kinks.hit;
    wk->kinks = (step_kinks){0};
    if (!hit) return status;
    const bool good = out->outcome == PCS_OUTCOME_CONVERGED || wk->budget.stopped;
    if (status == PCS_OK && out->committed && good) return status;
    PCS_TRY(pcs_state_copy(wk->start, st));
    if (wk->budget.stopped || (status != PCS_OK && !pcs_failed_range())) return status;
    const step_budget spent = wk->budget;
    events_restart(&wk->events);
    step_budget_begin(wk);
    wk->budget.start = spent.start;
    return make_parts(m, st, wk, h, watch, out);
}

pcs_status pcs_step(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                    pcs_step_report *report)
{
    pcs_step_report own, *out = report ? report : &own;
    pcs_failure before;
    if (m && st && wk && step_rests(m, st, wk, h, out)) return PCS_OK;
    pcs_failure_keep(&before);
    pcs_status status = check(m, st, wk, h);
    const double t0 = status == PCS_OK ? st->t : 0;
    if (status == PCS_OK) status = model_carry(m, st->q);
    if (status == PCS_OK) status = events_begin(&wk->events, m, st);
    if (status == PCS_OK) {
        step_check_bodies(m, wk);
        step_budget_begin(wk);
        wk->kinetic = 0;
        stopwatch watch = {.on = m->n_blocks >= MANY_SYSTEMS};
        wk->capture.part = 0;
        status = make_whole(m, st, wk, h, &watch, out);
        events_end(&wk->events, status == PCS_OK && out->committed);
        turn(&watch, NULL);
        out->seconds = step_seconds(wk);
        out->times = watch.times;
        if (watch.on) out->times.total = out->seconds;
    }
    if (status != PCS_OK) {
        *out = (pcs_step_report){.outcome = PCS_OUTCOME_STOPPED};
        return status;
    }
    out->units = wk->budget.spent;
    out->budget = wk->budget.most;
    if (!out->committed) step_refute(wk, out);
    step_warn(m, wk, t0, out);
    pcs_failure_restore(&before);
    if (out->committed || report) return PCS_OK;

    // without a report only the status can say so
    char why[STEP_WHY];
    step_why(wk, out, why);
    return pcs_fail(PCS_ERR_STEP, "pcs_step: the step from t = %g s is %s", t0, why);
}
