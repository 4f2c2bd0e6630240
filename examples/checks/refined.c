// Runs of one scene with three steps, and their extrapolation.
#include "checks/refined.h"

#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

typedef struct watched {
    refined *r;
    int run;
} watched;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    const watched *w = user;
    double *y = w->r->y[w->run];
    PCS_TRY(run_tally_step(&w->r->tally[w->run], model, state, work, report));
    PCS_TRY(w->r->read(model, state, report ? work : NULL, y));
    if (w->run > 0 || !w->r->out) return 0;
    csv_real(w->r->out, state->t);
    csv_reals(w->r->out, y, w->r->n + w->r->others);
    csv_end(w->r->out);
    return 0;
}

pcs_status refined_run(refined *r, example_scene *build, const void *settings)
{
    for (int k = 0; k < REFINED_RUNS; ++k) {
        simulation s = {0};
        watched w = {r, k};
        pcs_status status = build(settings, &s.scene);
        if (status == PCS_OK) {
            s.scene->settings.h = ldexp(s.scene->settings.h, -k);
            status = simulation_run(&s, 1, watch, &w);
        }
        simulation_close(&s);
        if (status != PCS_OK) return status;
        const run_tally *t = &r->tally[k];
        printf("%ld steps: energy from %.6g J within %.1e J\n", t->steps, t->start, t->drift);
    }
    return PCS_OK;
}

void check_second_order(checks *c, const char *name, const refined *r, const double *exact,
                        double most)
{
    char what[64];
    double size[REFINED_RUNS] = {0}, left = 0, scale = 0;
    for (int i = 0; i < r->n; ++i) {
        for (int k = 0; k < REFINED_RUNS; ++k) {
            size[k] = hypot(size[k], r->y[k][i] - exact[i]);
        }
        left = hypot(left, (4 * r->y[2][i] - r->y[1][i]) / 3 - exact[i]);
        scale = hypot(scale, exact[i]);
    }
    check_value(c, name, size[2], 0, most);
    snprintf(what, sizeof what, "%s, extrapolated", name);
    check_value(c, what, left, 0, 0.3 * size[1] + 1e-9 * (1 + scale));
}

void check_joined(checks *c, const refined *r, double open, double energy)
{
    const run_tally *t = r->tally;
    check_value(c, "joints (m)", fmax(t[0].open, t[2].open), 0, open);
    check_value(c, "energy with h / 4 (J)", t[2].drift, 0, 0.2 * t[0].drift + 1e-9 * energy);
    check_value(c, "energy ledger of every step (J)", t[0].closure, 0, 1e-12 * energy);
}
