// The budget of a step: work units, with the same results on every machine, and seconds, which only
// end a step. A unit is the cost of one contact in a sweep: 30 ns, or up to 500 ns when sliding
// needs the closed form. A stage gets the number of units it may spend, and reports those that it
// spent.
#include "step/step.h"

#include "solver/solver.h"

// units of every step; per contact or joint within reach; number of these that count in full; per
// further one, most of which cost less; number of these per system that count: more are within
// reach where bodies are fast for the step, and few of them act
#define UNITS_LEAST  1e7
#define UNITS_PER    1.5e5
#define MANY         450
#define UNITS_BEYOND 2e4
#define MOST_BEYOND  30
// A step that must be solved has so many times as many: where it is not, the run ends
#define STRICT_TIMES 20

// A first attempt that may be divided has at most half of the budget, and no more than the larger
// of these units and this part of the budget: a step not solved by then is rarely solved by more.
// Where the budget is that of the default, at most MANY contacts have FIRST_FEW: their methods need
// as much, one after another.
#define FIRST_UNITS 8e6
#define FIRST_FEW   1.25e7
#define FIRST_PART  0.125
// With up to MIDDLE contacts it has this part of the budget: paths of homotopy need a third of it,
// and parts of such a step are seldom solved. It has all where the step is committed unsolved
#define MIDDLE       1000
#define FIRST_MIDDLE 0.75

bool step_is_strict(const pcs_scheme *s)
{
    return s->accept == 0 && !s->accept_unconverged;
}

void step_budget_begin(pcs_work *wk)
{
    wk->budget = (step_budget){
        .most = wk->owner->scheme.budget, .part = 1, .clock = 1, .start = solver_clock()};
    step_budget_limit(&wk->budget);
}

void step_budget_know(pcs_work *wk, int n)
{
    step_budget *b = &wk->budget;
    if (b->most > 0) return;
    b->few = n <= MANY;
    if (b->first && !b->few && n <= MIDDLE) {
        b->first = false;
        b->part = wk->owner->scheme.accept_unconverged ? 1 : FIRST_MIDDLE;
    }
    const int full = n < MANY ? n : MANY;
    const double beyond = fmin(n - full, (double)MOST_BEYOND * wk->owner->n_blocks);
    b->most = UNITS_LEAST + UNITS_PER * full + UNITS_BEYOND * beyond;
    if (step_is_strict(&wk->owner->scheme)) b->most *= STRICT_TIMES;
    step_budget_limit(b);
}

bool step_budget_widen(pcs_work *wk, double units)
{
    const double part = step_velocity_part(&wk->owner->scheme);
    step_budget *b = &wk->budget, all = *b;
    all.first = false;
    all.part = 1;
    step_budget_limit(&all);
    if (!b->first || !(b->from + part * (all.end - b->from) - b->spent >= units)) return false;
    *b = all;
    return true;
}

void step_spend(pcs_work *wk, double units)
{
    wk->budget.spent += units;
}

void step_budget_limit(step_budget *b)
{
    b->end = b->part * b->most;
    const double units = b->few ? FIRST_FEW : FIRST_UNITS;
    if (b->first) b->end = fmin(b->end, fmax(units, FIRST_PART * b->most));
}

bool step_budget_is_short(const pcs_work *wk)
{
    return wk->budget.end < wk->budget.part * wk->budget.most;
}

double step_units(const pcs_work *wk, double part)
{
    const step_budget *b = &wk->budget;
    const double left = b->from + part * (b->end - b->from) - b->spent;
    return left > 0 && !b->stopped ? left : 0;
}

double step_seconds(const pcs_work *wk)
{
    return solver_clock() - wk->budget.start;
}

double step_sweeps(const pcs_work *wk)
{
    const int most = wk->owner->scheme.max_sweeps;
    return most > 0 ? fmax(0, most - wk->budget.sweeps) : INFINITY;
}

bool step_late(const pcs_work *wk)
{
    const double most = wk->owner->scheme.max_seconds;
    return wk->budget.stopped || (most > 0 && step_seconds(wk) > wk->budget.clock * most);
}

bool step_over(const pcs_work *wk, double part, pcs_outcome *outcome)
{
    const bool late = step_late(wk);
    if (!late && step_units(wk, part) > 0) return false;
    *outcome = wk->budget.stopped ? PCS_OUTCOME_STOPPED
               : late             ? PCS_OUTCOME_TIME_LIMIT
                                  : PCS_OUTCOME_MAX_ITERS;
    return true;
}

bool step_velocity_over(const pcs_work *wk, double share, pcs_outcome *outcome)
{
    if (step_over(wk, share * step_velocity_part(&wk->owner->scheme), outcome)) return true;
    if (step_sweeps(wk) > 0) return false;
    *outcome = PCS_OUTCOME_MAX_ITERS;
    return true;
}

void step_limit_seconds(const pcs_work *wk, pcs_solver_opts *opts)
{
    const double most = wk->budget.clock * wk->owner->scheme.max_seconds;
    if (!(most > 0)) return;
    // not 0, which means no limit
    const double left = fmax(1e-9, most - step_seconds(wk));
    if (opts->max_seconds == 0 || left < opts->max_seconds) opts->max_seconds = left;
}
