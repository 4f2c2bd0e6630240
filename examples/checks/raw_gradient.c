// What goes wrong with the gradient of an un-normalised rotation x + Q p Q*. For a ball of radius R
// on a floor its rotational part is all radial, 2 (N . GP) Q: a step inflates Q, which normalising
// takes back, and each iteration leaves
//     4 R^2 / (1 + 4 R^2)
// of the overlap. A row that keeps |Q| = 1 (metric q1) cures it; with a fixed centre there is
// nothing to cure: q leaves all of the overlap without end, q1 says infeasible.
#include "checks/raw_gradient.h"

#include <math.h>
#include <stdio.h>

// N . d(Q p Q*)/dQ for the body point p = Q* GP Q of a unit Q, N up: 2 (N . GP) Q in the end
static void raw_gradient(const double Q[4], const double GP[3], double C[4])
{
    double back[4], p[4], left[4], right[4], a[4], b[4];
    const double gp[4] = {0, GP[0], GP[1], GP[2]};
    pcs_quat_conj(Q, back);
    pcs_quat_mul(back, gp, left);
    pcs_quat_mul(left, Q, p);
    for (int i = 0; i < 4; ++i) {
        double e[4] = {0, 0, 0, 0}, e_star[4];
        e[i] = 1;
        pcs_quat_conj(e, e_star);
        pcs_quat_mul(e, p, left);
        pcs_quat_mul(left, back, a);
        pcs_quat_mul(Q, p, right);
        pcs_quat_mul(right, e_star, b);
        C[i] = a[3] + b[3];
    }
}

enum { NORMALISED, RAW, RAW_FIXED_CENTRE };

// A ball of radius R on the floor, its centre at q[2] < R. C is 1 x 7; with a fixed centre only its
// rotational part is left, and the problem has four coordinates.
static pcs_status project_ball(const settings *set, double R, int gradient, pcs_metric metric,
                               pcs_arena mem, trace *t)
{
    const int first = gradient == RAW_FIXED_CENTRE ? 3 : 0, nq = 7 - first, nv = nq - 1;
    const int place = nq - 4;
    double q[7] = {0, 0, R - set->def.sink, 0.8, 0.4, -0.4, 0.2};
    *t = (trace){.outcome = PCS_OUTCOME_MAX_ITERS};
    for (;; ++t->iterations) {
        const pcs_cone kind = PCS_CONE_UNILATERAL;
        const double g = q[2] - R, GP[3] = {0, 0, -R}, up[3] = {0, 0, 1};
        const double P[3] = {q[0], q[1], q[2] - R}, foot[3] = {q[0], q[1], 0};
        t->violation[t->iterations] = pcs_position_violation(1, &kind, &g);
        if (t->violation[t->iterations] <= set->tol) t->outcome = PCS_OUTCOME_CONVERGED;
        if (t->outcome == PCS_OUTCOME_CONVERGED || t->iterations == set->max) return PCS_OK;

        double C[7], T[42], part[24], Lambda, dq[7];
        pcs_contact_gap_gradient(q, P, NULL, foot, up, C);
        if (gradient != NORMALISED) raw_gradient(q + 3, GP, C + 3);
        pcs_body_T(q, T);
        for (int j = 0; j < 12; ++j) {
            part[j] = T[3 + j % 4 + 7 * (3 + j / 4)]; // the 4 x 3 block of the rotation
        }
        pcs_arena scope = mem;
        pcs_bsr A, B;
        PCS_TRY(pcs_bsr_from_dense(1, nq, C + first, &scope, &A));
        PCS_TRY(pcs_bsr_from_dense(nq, nv, first > 0 ? part : T, &scope, &B));
        const pcs_position_problem p = {.m = 1,
                                        .kind = &kind,
                                        .g = &g,
                                        .C = &A,
                                        .T = &B,
                                        .nq = nq,
                                        .q = q + first,
                                        .n_quat = 1,
                                        .quat = &place};
        pcs_report report;
        PCS_TRY(pcs_solve_position(&p, metric, NULL, scope, &Lambda, dq, &report));
        if (report.outcome != PCS_OUTCOME_CONVERGED) {
            t->outcome = report.outcome;
            return PCS_OK;
        }
        for (int i = 0; i < nq; ++i) {
            q[first + i] += dq[i];
        }
        t->stretch = fmax(t->stretch, stretch_of(1, q));
        PCS_TRY(pcs_quat_normalise(q + 3));
    }
}

static pcs_status ball_row(checks *c, const settings *set, double R, int gradient,
                           pcs_metric metric, const char *words, pcs_arena mem, csv *out, trace *t)
{
    PCS_TRY(project_ball(set, R, gradient, metric, mem, t));
    printf("%-7g %-24s %-6s %5d %-10s %10.2e", R, words, metric_name[metric], t->iterations,
           pcs_outcome_text(t->outcome), t->violation[t->iterations]);
    write_trace(out, words, metric_name[metric], R, t);
    c->context = words;
    return PCS_OK;
}

static pcs_status show_ball(checks *c, const settings *set, double R, pcs_arena mem, csv *out)
{
    trace t;
    PCS_TRY(ball_row(c, set, R, NORMALISED, PCS_METRIC_Q, "with normalisation", mem, out, &t));
    printf("\n");
    check_value(c, "iterations", t.iterations, 1, 0);
    check_value(c, "violation", t.violation[t.iterations], 0, set->tol);

    // the fraction of the overlap that each iteration leaves
    const double factor = 4 * R * R / (1 + 4 * R * R);
    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_Q, "raw", mem, out, &t));
    const double measured = t.violation[1] / t.violation[0];
    const double then = t.iterations > 2 ? t.violation[2] / t.violation[1] : NAN;
    printf(" %9.6f %9s %9.6f\n", measured, cell_of("%.6f", then).text, factor);
    check_value(c, "contraction", measured, factor, 5e-4 * factor);
    if (t.iterations > 2) check_value(c, "contraction", then, factor, 5e-4 * factor);

    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_Q1, "raw, unit row", mem, out, &t));
    printf("\n");
    check_value(c, "outcome", t.outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "iterations", t.iterations, 1, R > 10 ? 1 : 0); // a large R rounds
    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_V, "raw, tangent", mem, out, &t));
    printf("\n");
    check_value(c, "iterations", t.iterations, 1, 0);

    PCS_TRY(ball_row(c, set, R, RAW_FIXED_CENTRE, PCS_METRIC_Q, "raw, centre fixed", mem, out, &t));
    printf(" %9.6f %9s %9d\n", t.violation[t.iterations] / t.violation[0], "", 1);
    check_value(c, "outcome", t.outcome, PCS_OUTCOME_MAX_ITERS, 0);
    check_value(c, "what is left", t.violation[t.iterations] / t.violation[0], 1, 1e-15);
    PCS_TRY(
        ball_row(c, set, R, RAW_FIXED_CENTRE, PCS_METRIC_Q1, "raw, centre fixed", mem, out, &t));
    printf("\n");
    check_value(c, "outcome", t.outcome, PCS_OUTCOME_INFEASIBLE, 0);
    return PCS_OK;
}

pcs_status show_raw_gradient(checks *c, const settings *set, csv *out)
{
    printf("\nA ball %g m deep in the floor\n\n%-7s %-24s %-6s %5s %-10s %10s %9s %9s %9s\n",
           set->def.sink, "radius", "gradient", "metric", "steps", "outcome", "violated", "kept",
           "then", "theory");
    const double radius[] = {set->radius, 10 * set->radius, 100 * set->radius};
    pcs_arena mem = {0};
    pcs_status status = pcs_arena_create(NULL, (size_t)1 << 20, &mem);
    for (int k = 0; k < 3 && status == PCS_OK; ++k) {
        status = show_ball(c, set, radius[k], mem, out);
    }
    pcs_arena_destroy(NULL, &mem);
    return status;
}
