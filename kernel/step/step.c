// One time step, as a transaction: everything happens on a trial; the state is replaced by the
// last line, which cannot fail.
#include "step/step.h"

#include <string.h>

typedef struct step_arguments {
    const pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    double h;
    pcs_step_report *out;
} step_arguments;

// whether velocities and positions of the trial have ended well so far
static bool good(const pcs_step_report *out)
{
    return out->outcome == PCS_CONVERGED && out->projection_outcome == PCS_CONVERGED;
}

static pcs_status attempt(void *arguments)
{
    const step_arguments *a = arguments;
    const pcs_scheme *scheme = &a->m->scheme;
    pcs_step_report *out = a->out;
    *out = (pcs_step_report){.outcome = PCS_CONVERGED, .projection_outcome = PCS_CONVERGED};
    pcs_arena mem = a->wk->arena;

    // everything happens on a trial; the state is replaced by the last line only
    trial next;
    PCS_TRY(trial_begin(a->m, a->st, a->wk, a->h, &mem, &next));

    // who may touch whom, and who is taken for touching
    PCS_TRY(step_detect(&next, step_tolerance(scheme), &mem));
    step_activate(&next);

    int added;
    do {
        // velocities and impulses of the theta scheme, positions by their mean
        PCS_TRY(step_velocity(&next, &mem, out));
        out->passes += 1;

        // the active set as equalities, projected within the pass
        if (scheme->projection == PCS_PROJECT_COMBINED_EQUALITY && good(out)) {
            step_keep_free(&next);
            PCS_TRY(step_project(&next, PROJECT_ACTIVE_AS_EQUALITIES, mem, out));
        }

        // who would overlap now, or be closed by this motion
        added = 0;
        if (good(out)) PCS_TRY(step_extend(&next, &mem, &added));
    } while (added > 0);

    // close the gaps that the velocity level left open
    if (scheme->projection != PCS_PROJECT_NONE &&
        scheme->projection != PCS_PROJECT_COMBINED_EQUALITY && good(out)) {
        const bool all = scheme->projection == PCS_PROJECT_COMBINED;
        step_keep_free(&next);
        if (scheme->projection == PCS_PROJECT_OVERLAPS) {
            PCS_TRY(step_project_overlaps(&next, mem, out));
        } else {
            PCS_TRY(
                step_project(&next, all ? PROJECT_ACTIVE_AND_VIOLATED : PROJECT_ACTIVE, mem, out));
        }
    }

    // account for every joule; say who touched whom
    PCS_TRY(step_ledger(&next, mem, &out->energy));
    PCS_TRY(step_publish(&next, &mem, a->st, out));

    if (out->outcome == PCS_CONVERGED) out->outcome = out->projection_outcome;
    const bool finite =
        pcs_all_finite(next.q, (size_t)a->st->nq) && pcs_all_finite(next.v, (size_t)a->st->nv);
    if (!finite) out->outcome = PCS_DIVERGED;
    out->committed = finite && (out->outcome == PCS_CONVERGED || scheme->accept_unconverged);
    if (out->committed) step_commit(&next, a->st);
    return PCS_OK;
}

pcs_status pcs_step(const pcs_model *m, pcs_state *st, pcs_work *wk, double h,
                    pcs_step_report *report)
{
    // a call that is not carried out has not converged
    pcs_step_report own;
    step_arguments a = {m, st, wk, h, report ? report : &own};
    *a.out = (pcs_step_report){.outcome = PCS_STOPPED};
    PCS_TRY(step_check("pcs_step", m, st, wk));
    if (!(h > 0) || !isfinite(h)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_step: h is %g s; it must be positive", h);
    }
    const double t0 = st->t;
    const pcs_status status = work_attempt(wk, attempt, &a);
    if (status != PCS_OK) {
        *a.out = (pcs_step_report){.outcome = PCS_STOPPED};
        return status;
    }
    step_warn(m, wk, t0, a.out);
    return PCS_OK;
}
