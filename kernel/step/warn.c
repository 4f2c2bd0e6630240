// What a step says in words: why it was not committed, and what in it added energy.
#include "step/step.h"

#include <stdio.h>

void step_why(const pcs_model *m, const pcs_step_report *r, char text[STEP_WHY])
{
    const pcs_scheme *s = &m->scheme;
    char what[STEP_WHY - 40];
    if (r->solve.outcome != PCS_CONVERGED && r->active > 0) {
        snprintf(what, sizeof what, "velocity problem %s at residual %.2g, tolerance %.2g",
                 pcs_outcome_text(r->solve.outcome), r->solve.measure.residual, s->solver.tol);
    } else if (!(r->newton_residual <= s->newton_tol)) {
        snprintf(what, sizeof what, "Newton's loop at residual %.2g after %d iterations",
                 r->newton_residual, r->newton_iters);
    } else {
        snprintf(what, sizeof what, "projection %s with %.2g m left of %.2g m, tolerance %.2g m",
                 pcs_outcome_text(r->projection_outcome), r->violation_after, r->violation_before,
                 s->proj_tol);
    }
    snprintf(text, STEP_WHY, "not committed: %s (%s)", pcs_outcome_text(r->outcome), what);
}

// more than this part of the kinetic energies is a gain, less is rounding
#define GAIN 1e-9

void step_warn(const pcs_model *m, const pcs_work *wk, double t0, const pcs_step_report *out)
{
    if (!m->env.log) return;
    if (!out->committed) {
        char why[STEP_WHY];
        step_why(m, out, why);
        pcs_env_log(&m->env, PCS_LOG_WARNING, "step from t = %g s: %s", t0, why);
        return;
    }
    const double small = GAIN * (out->energy.kinetic_before + out->energy.kinetic_after);
    for (int i = 0; i < wk->list.n; ++i) {
        const candidate *c = &wk->list.c[i];
        double work = 0;
        for (int j = 0; j < c->dim; ++j) {
            work += 0.5 * (c->u_k[j] + c->u[j]) * c->r[j];
        }
        if (!(work > small)) continue;
        if (c->interaction >= 0) {
            pcs_env_log(&m->env, PCS_LOG_WARNING,
                        "step from t = %g s: interaction %d, row %d, adds %g J", t0,
                        c->interaction + 1, c->row, work);
        } else {
            pcs_env_log(&m->env, PCS_LOG_WARNING,
                        "step from t = %g s: the contact of shapes %d and %d (systems %d and %d)"
                        " adds %g J",
                        t0, c->key.shape1, c->key.shape2, c->sys1 + 1, c->sys2 + 1, work);
        }
    }
}
