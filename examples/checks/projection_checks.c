// Checks of projected bodies, in every metric: no violation is left, all
// |Q| are 1, and pcs_project agrees with the iteration by hand.
//
// Where |Q| = 1, C (0, Q) = 0, so three of the metrics take the same first step. Joints between
// free bodies are internal forces: in the metric mass they leave the common centre of mass alone.
#include "checks/projection_checks.h"

#include <math.h>
#include <stdio.h>

const char *const metric_name[METRICS] = {"mass", "v", "q", "q1"};

double stretch_of(int n, const double *q)
{
    double worst = 0;
    for (int b = 0; b < n; ++b) {
        worst = fmax(worst, fabs(pcs_quat_norm(q + 7 * b + 3) - 1));
    }
    return worst;
}

void write_trace(csv *out, const char *what, const char *metric, double radius, const trace *t)
{
    for (int k = 0; k <= t->iterations; ++k) {
        csv_text(out, what);
        csv_text(out, metric);
        csv_reals(out, (const double[]){radius, k, t->violation[k]}, 3);
        csv_end(out);
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(a[i] - b[i]);
        if (d > worst || isnan(d)) worst = d;
    }
    return worst;
}

void metrics_head(const settings *set)
{
    printf("%d bodies; tolerance %g m\n\n%-10s %-6s %5s %5s %10s %9s %9s %9s %9s %9s %9s\n",
           set->def.n, set->tol, "rows", "metric", "steps", "model", "violated", "left", "|Q| - 1",
           "stretched", "moved", "turned", "centre");
}

void check_metric(checks *c, const settings *set, const row_of_boxes *s, pcs_metric metric,
                  const double *q, const trace *t, const double *by_model,
                  const pcs_step_report *report)
{
    c->context = boxes_kind[s->kind];
    const distance d = boxes_distance(s, s->q, q);
    printf("%-10s %-6s %5d %5d %10.1e %9.1e %9.1e %9.1e %9.6f %9.6f %9.1e\n", boxes_kind[s->kind],
           metric_name[metric], t->iterations, report->projection_iters, t->violation[0],
           t->violation[t->iterations], stretch_of(s->n, q), t->stretch, d.moved, d.turned,
           d.centre_of_mass);
    check_value(c, "outcome", t->outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "outcome of pcs_project", report->outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "violation left", t->violation[t->iterations], 0, set->tol);
    check_value(c, "|Q| - 1", stretch_of(s->n, q), 0, 1e-15);
    check_value(c, "pcs_project beside it", largest_difference(7 * s->n, q, by_model), 0, 1e-9);

    // only joints between free bodies: internal forces
    if (metric == PCS_METRIC_MASS && s->kind == BILATERAL && s->n > 1) {
        check_value(c, "centre of mass", d.centre_of_mass, 0, 1e-14);
    }
}

void check_first_steps(checks *c, int nq, double first[METRICS][NQ])
{
    const double q1 = largest_difference(nq, first[PCS_METRIC_Q], first[PCS_METRIC_Q1]);
    const double v = largest_difference(nq, first[PCS_METRIC_Q], first[PCS_METRIC_V]);
    check_value(c, "first steps of q and q1", q1, 0, 1e-12);
    check_value(c, "first steps of q and v", v, 0, 1e-12);
}
