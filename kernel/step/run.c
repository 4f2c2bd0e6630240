// Many steps: until a time is reached, the observer says stop, or a step fails.
#include "step/step.h"

static pcs_status give_up(const pcs_model *m, double t, long step, const pcs_step_report *last)
{
    char why[STEP_WHY];
    step_why(m, last, why);
    return pcs_fail(PCS_ERR_STEP, "pcs_run: step %ld, from t = %g s, is %s; smaller steps may help",
                    step, t, why);
}

pcs_status pcs_run(const pcs_model *m, pcs_state *st, pcs_work *wk, double h, double t_end,
                   pcs_observer_fn observer, void *user, pcs_run_report *report)
{
    pcs_run_report own;
    pcs_run_report *out = report ? report : &own;
    *out = (pcs_run_report){.outcome = PCS_STOPPED, .last = {.outcome = PCS_STOPPED}};
    PCS_TRY(step_check("pcs_run", m, st, wk));
    if (!(h > 0) || !isfinite(h) || !isfinite(t_end)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_run: h is %g s and t_end %g s; h must be positive and"
                        " both finite",
                        h, t_end);
    }
    out->last = (pcs_step_report){.outcome = PCS_CONVERGED};
    if (observer && observer(user, m, st, wk, NULL) != 0) return PCS_OK;

    // times are counted in steps from the start: no drift from adding h
    const double t0 = st->t;
    const double count = floor((t_end - t0) / h + 0.5);
    for (long k = 1; (double)k <= count; ++k) {
        PCS_TRY(pcs_step(m, st, wk, h, &out->last));
        if (!out->last.committed) {
            out->outcome = out->last.outcome;
            return give_up(m, st->t, k, &out->last);
        }
        st->t = t0 + (double)k * h;
        out->steps = k;
        if (observer && observer(user, m, st, wk, &out->last) != 0) return PCS_OK;
    }
    out->outcome = PCS_CONVERGED;
    return PCS_OK;
}
