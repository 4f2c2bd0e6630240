// Division of a step: if it does not converge, or callbacks have no finite result at its end, it is
// made in two halves, and each of these in two halves again. All parts are one transaction: when
// one fails, the state is restored. A first attempt that runs out of its part of the budget is
// divided even if it may be committed as it is, and so is one whose last pass still met contacts
// where units are left for parts; when its parts fail, the step is made undivided with the rest of
// the budget. Such a step is divided at once into as many parts as its residual suggests.
#include "step/step.h"

// adds the ledger of an earlier part
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

void step_add_report(const pcs_step_report *first, pcs_step_report *then)
{
    add_energy(&first->energy, &then->energy);
    then->newton_iters += first->newton_iters;
    then->solves += first->solves;
    then->passes += first->passes;
    then->projection_iters += first->projection_iters;
    then->sweeps += first->sweeps;
    then->finish_iters += first->finish_iters;
    then->substeps += first->substeps;
    then->breaks += first->breaks;
    if (first->break_load > then->break_load) {
        then->break_load = first->break_load;
        then->break_one = first->break_one;
    }
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

// fraction of the budget that is spent
static double part_spent(const step_budget *b)
{
    return b->most > 0 ? b->spent / b->most : 0;
}

// Part of the budget for a part that must be solved: smaller parts probably need less. The first of
// them is smaller than the step by PARTS_PER times the residual over the tolerance, at most by
// PARTS_MOST; after PARTS_SOLVED parts in a row they may be twice as long again.
#define STRICT_PART  0.06
#define PARTS_PER    4
#define PARTS_MOST   16
#define PARTS_SOLVED 4
// Part of the budget after which the undivided step follows. It has twice what the first attempt
// had, at most half and at least a quarter of the budget, and LEAST_AGAIN of it whatever parts have
// spent; and half of the time
#define PARTS_END      0.5
#define LEAST_AGAIN    0.1
#define PARTS_END_LATE 0.75

static bool is_first(const step_division *d)
{
    return d->part == d->whole && d->whole > 1;
}

// Length and limits of the next part. A part that may still be halved may spend half of the
// remaining budget. If the undivided step is near enough, parts that are not solved do not replace
// it.
static void set_part(step_division *d)
{
    const pcs_scheme *s = &d->work->owner->scheme;
    step_budget *b = &d->work->budget;
    const double spent = part_spent(b), end = d->end;
    d->h = d->h_whole * ((double)d->part / (double)d->whole);
    d->near = d->strict ? 0 : s->accept;
    d->accept = s->accept_unconverged && d->part == 1 && !d->strict;
    b->from = b->spent;
    b->part = d->part == 1 ? end : 0.5 * (spent + end);
    if (d->strict) b->part = fmin(b->part, spent + STRICT_PART);
    b->first = is_first(d);
    b->clock = end;
    step_budget_limit(b);
    // parts may have overdrawn the budget: without units the first iterate would be committed
    if (d->whole == 1) b->end = fmax(b->end, b->spent + LEAST_AGAIN * b->most);
}

static void begin(step_division *d, long whole)
{
    d->whole = d->part = whole;
    d->done = 0;
    d->end = 1;
    d->strict = d->lands = d->rebounds = false;
    d->longest = whole;
    d->solved = 0;
}

void step_divide(const pcs_model *m, pcs_work *wk, double h, step_division *d)
{
    d->work = wk;
    d->h_whole = h;
    d->cut = 0;
    // parts of a step that has used up its sweeps would have none
    begin(d, m->scheme.max_sweeps > 0 ? 1 : 1L << m->scheme.halvings);
    set_part(d);
}

// makes parts first, and the undivided step again if they fail
static void divide_first(step_division *d, pcs_step_report *out)
{
    d->work->budget.clock = PARTS_END;
    if (step_late(d->work)) return;
    d->end = fmin(fmax(1 - 2 * part_spent(&d->work->budget), PARTS_END), PARTS_END_LATE);
    d->strict = out->committed;
    out->committed = false;
}

// length of the part that follows one that has failed
static long shorter(const step_division *d, const pcs_step_report *out)
{
    const double tol = d->work->owner->scheme.solver.tol;
    const double parts = PARTS_PER * out->solve.measure.residual / tol;
    long part = d->part / 2;
    for (int k = 4; is_first(d) && d->strict && k <= PARTS_MOST && k / 2 < parts && part > 1;
         k *= 2) {
        part /= 2;
    }
    return part;
}

void step_divide_cut(step_division *d, pcs_step_report *out)
{
    if (step_budget_is_short(d->work)) divide_first(d, out);
}

void step_divide_unsettled(step_division *d, pcs_step_report *out)
{
    if (is_first(d)) {
        // without units for parts, the undivided step would only be made again with fewer of them
        if (part_spent(&d->work->budget) < PARTS_END) divide_first(d, out);
    } else if (d->part > 1) {
        out->committed = false;
    }
}

// keeps a copy of the state before the first of several parts
static pcs_status keep_state(const pcs_state *st, pcs_work *wk)
{
    if (!wk->backup) PCS_TRY(pcs_state_create(wk->owner, &wk->backup));
    return pcs_state_copy(st, wk->backup);
}

// restores the state if parts have been committed
static void restore_state(const step_division *d, pcs_state *st)
{
    if (d->done == 0) return;
    const pcs_status back = pcs_state_copy(d->work->backup, st);
    PCS_ASSERT(back == PCS_OK); // cannot fail: the state had this size before
    (void)back;
}

// true when parts have used up their share
static bool is_over(const step_division *d)
{
    return part_spent(&d->work->budget) >= d->end || step_late(d->work);
}

bool step_divide_next(step_division *d, pcs_state *st, pcs_status *status, pcs_step_report *out)
{
    const bool first = is_first(d), good = *status == PCS_OK && out->committed;
    if (d->work->budget.stopped) {
        restore_state(d, st);
        return false;
    }
    if (good) {
        if (d->done > 0) step_add_report(&d->before, out);
        d->done += d->part;
        if (d->done == d->whole) return false;
        d->before = *out;
    } else if (*status != PCS_OK && !pcs_failed_range()) {
        restore_state(d, st);
        return false;
    } else if (first && d->end == 1 && d->work->owner->scheme.accept_unconverged) {
        d->end = PARTS_END_LATE;
    }
    const bool over = is_over(d), again = d->end < 1;
    if (good ? over && again : over || d->part == 1) {
        restore_state(d, st);
        if (!again) return false;
        events_restart(&d->work->events);
        begin(d, 1);
    } else if (good) {
        d->part = d->done & -d->done; // the largest part that begins here
        d->solved += 1;
        if (d->solved % PARTS_SOLVED == 0 && d->longest < d->whole) d->longest *= 2;
        if (d->strict && d->part > d->longest) d->part = d->longest;
    } else {
        if (first) *status = keep_state(st, d->work);
        if (first && *status != PCS_OK) return false;
        d->part = shorter(d, out);
        d->longest = d->part;
        d->solved = 0;
    }
    set_part(d);
    return true;
}

void step_divide_rebounds(step_division *d, pcs_step_report *out)
{
    d->rebounds = true;
    const bool none = out->solve.outcome == PCS_OUTCOME_INFEASIBLE;
    if (none && !d->lands && !step_late(d->work)) out->committed = false;
}

bool step_divide_land(step_division *d, pcs_status status, const pcs_step_report *out)
{
    if (status != PCS_OK || out->committed || d->lands || d->work->budget.stopped) return false;
    if (step_late(d->work) || !d->rebounds) return false;
    events_restart(&d->work->events);
    begin(d, 1);
    d->lands = true;
    set_part(d);
    return true;
}
