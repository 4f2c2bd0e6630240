// Division of a step: where it does not converge, or callbacks have no finite answer at its end, it
// is made in two halves, and each of these in two halves again. All parts are one transaction: when
// one fails, the state is restored.
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

// fraction of the budget that is spent
static double part_spent(const step_budget *b)
{
    return b->most > 0 ? b->spent / b->most : 0;
}

// A part that may still be halved may spend half of the budget that is left.
static void limit_part(step_division *d)
{
    step_budget *b = &d->work->budget;
    b->from = b->spent;
    b->part = d->part == 1 ? 1 : 0.5 * (part_spent(b) + 1);
}

void step_divide(const pcs_model *m, pcs_work *wk, double h, step_division *d)
{
    d->work = wk;
    d->whole = d->part = 1L << m->scheme.halvings;
    d->done = 0;
    d->h = d->h_whole = h;
    limit_part(d);
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
    PCS_ASSERT(back == PCS_OK); // the state has had this size before
    (void)back;
}

bool step_divide_next(step_division *d, pcs_state *st, pcs_status *status, pcs_step_report *out)
{
    const bool good = *status == PCS_OK && out->committed;
    if (good) {
        if (d->done > 0) add_report(&d->before, out);
        d->done += d->part;
        if (d->done == d->whole) return false;
        d->before = *out;
        d->part = d->done & -d->done; // the largest part that begins here
    } else {
        const bool divisible = *status == PCS_OK || pcs_failed_range();
        const bool over = part_spent(&d->work->budget) >= 1 || step_late(d->work);
        if (!divisible || d->part == 1 || over) {
            restore_state(d, st);
            return false;
        }
        if (d->part == d->whole) *status = keep_state(st, d->work);
        if (d->part == d->whole && *status != PCS_OK) return false;
        d->part /= 2;
    }
    d->h = d->h_whole * ((double)d->part / (double)d->whole);
    limit_part(d);
    return true;
}
