// Bodies that start in violation are brought back: overlaps with the floor (unilateral), ball
// joints that have come apart (bilateral), and both; |Q| = 1 throughout.
//
// One step linearises the gaps at q and solves w = g + S L, w_E = 0, 0 <= w_I _|_ L_I >= 0; then
// q <- normalise(q + Z L), and again. The four metrics of S and Z are run twice: by pcs_project on
// a model, and here, from gradients (pcs_gap_gradient), T(q) and pcs_position_step alone.
//
// Last, what goes wrong with the gradient of an un-normalised rotation x + Q p Q*. For a ball of
// radius R on a floor its rotational part is all radial, 2 (N . GP) Q: a step inflates Q, which
// normalising takes back, and each iteration leaves 4R^2 / (1 + 4R^2) of the overlap. A row that
// keeps |Q| = 1 (metric q1) cures it; with a fixed centre there is nothing to cure.
#include "args.h"
#include "boxes.h"
#include "checks.h"
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

enum { METRICS = 4, MOST_TRACED = 1000 };

static const char *const metric_name[METRICS] = {"mass", "v", "q", "q1"}; // as pcs_metric

typedef struct settings {
    boxes_def def;
    int max;
    double radius, tol;
    const char *csv;
} settings;

// where an iteration stands, row 0 the start
typedef struct trace {
    pcs_outcome outcome;
    int iterations;
    double violation[MOST_TRACED + 1]; // m
    double stretch;                    // largest ||Q| - 1| before normalising
} trace;

// ---- by hand, one step after the other

// one step from q: dq, by the library's MLCP of the metric
static pcs_status step(int n, const pcs_mass *M, const double *q, int m, const pcs_cone *kind,
                       const double *g, double C[ROWS][NQ], pcs_metric metric, pcs_arena mem,
                       double dq[NQ], pcs_report *report)
{
    // everything dense: one block each, column-major
    const int nq = 7 * n, nv = 6 * n;
    static const int places[MOST_BODIES] = {3, 10, 17, 24, 31};
    double dense[ROWS * NQ], T[NQ * NV] = {0}, Lambda[ROWS];
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < nq; ++j) {
            dense[i + m * j] = C[i][j];
        }
    }
    for (int b = 0; b < n; ++b) {
        double Tb[42];
        pcs_body_T(q + 7 * b, Tb);
        for (int k = 0; k < 42; ++k) {
            T[7 * b + k % 7 + nq * (6 * b + k / 7)] = Tb[k];
        }
    }
    pcs_bsr A, B;
    PCS_TRY(pcs_bsr_from_dense(m, nq, dense, &mem, &A));
    PCS_TRY(pcs_bsr_from_dense(nq, nv, T, &mem, &B));
    const pcs_position_problem p = {.m = m,
                                    .kind = kind,
                                    .g = g,
                                    .C = &A,
                                    .T = &B,
                                    .M = M,
                                    .nq = nq,
                                    .q = q,
                                    .n_quat = n,
                                    .quat = places};
    pcs_solver_opts opts = pcs_solver_defaults(PCS_AUTO);
    opts.tol = 1e-12;
    return pcs_position_step(&p, metric, &opts, mem, Lambda, dq, report);
}

static double stretch_of(int n, const double *q)
{
    double worst = 0;
    for (int b = 0; b < n; ++b) {
        worst = fmax(worst, fabs(pcs_quat_norm(q + 7 * b + 3) - 1));
    }
    return worst;
}

// the iteration, from q to its end; first_dq is the first step
static pcs_status iterate(const settings *set, const row_of_boxes *s, const pcs_mass *M,
                          pcs_metric metric, pcs_arena mem, double *q, double first_dq[NQ],
                          trace *t)
{
    *t = (trace){.outcome = PCS_MAX_ITERS};
    for (;; ++t->iterations) {
        pcs_cone kind[ROWS];
        double g[ROWS], C[ROWS][NQ], dq[NQ];
        const int m = boxes_evaluate(s, q, kind, g, C);
        t->violation[t->iterations] = pcs_position_violation(m, kind, g);
        if (t->violation[t->iterations] <= set->tol) t->outcome = PCS_CONVERGED;
        if (t->outcome == PCS_CONVERGED || t->iterations == set->max) return PCS_OK;

        pcs_report report;
        PCS_TRY(step(s->n, M, q, m, kind, g, C, metric, mem, dq, &report));
        if (report.outcome != PCS_CONVERGED) {
            t->outcome = report.outcome;
            return PCS_OK;
        }
        if (t->iterations == 0) memcpy(first_dq, dq, sizeof dq);
        for (int i = 0; i < 7 * s->n; ++i) {
            q[i] += dq[i];
        }
        t->stretch = fmax(t->stretch, stretch_of(s->n, q));
        for (int b = 0; b < s->n; ++b) {
            PCS_TRY(pcs_quat_normalize(q + 7 * b + 3));
        }
    }
}

// ---- the same by a model

static pcs_status add_bodies(pcs_model *model, const row_of_boxes *s)
{
    const pcs_relation floor = {.dim = 8, .gap = corner_heights, .gradient = corner_gradients};
    pcs_system body[MOST_BODIES];
    for (int b = 0; b < s->n; ++b) {
        pcs_body_def def = pcs_body_def_default();
        def.mass = s->mass[b];
        memcpy(def.inertia, s->inertia[b], sizeof def.inertia);
        memcpy(def.position, s->q + 7 * b, sizeof def.position);
        memcpy(def.orientation, s->q + 7 * b + 3, sizeof def.orientation);
        PCS_TRY(pcs_model_add_body(model, &def, &body[b]));
        const pcs_interaction_def contact = {
            .relation = floor, .law = pcs_law_newton_impact(0), .system1 = body[b]};
        if (s->kind != BILATERAL) PCS_TRY(pcs_model_add_interaction(model, &contact, NULL));
    }
    for (int b = s->n > 1 ? 1 : 0; b < s->n && s->kind != UNILATERAL; ++b) {
        const pcs_interaction_def joint = {
            .relation = pcs_relation_ball_joint(s->left, b > 0 ? s->right : s->anchor),
            .law = pcs_law_equality(),
            .system1 = body[b],
            .system2 = b > 0 ? body[b - 1] : (pcs_system){0}};
        PCS_TRY(pcs_model_add_interaction(model, &joint, NULL));
    }
    return PCS_OK;
}

static pcs_status project_model(const settings *set, const row_of_boxes *s, pcs_metric metric,
                                double *q, pcs_step_report *report)
{
    pcs_model *model = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    pcs_scheme scheme = pcs_scheme_default();
    scheme.metric = metric;
    scheme.proj_tol = set->tol;
    scheme.proj_max = set->max;
    pcs_status status = pcs_model_create(NULL, &model);
    if (status == PCS_OK) status = pcs_model_set_scheme(model, &scheme);
    if (status == PCS_OK) status = add_bodies(model, s);
    if (status == PCS_OK) status = pcs_state_create(model, &state);
    if (status == PCS_OK) status = pcs_work_create(model, &work);
    if (status == PCS_OK) status = pcs_project(model, state, work, report);
    if (status == PCS_OK) memcpy(q, state->q, 7 * (size_t)s->n * sizeof *q);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(model);
    return status;
}

// ---- the table of metrics

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(a[i] - b[i]);
        if (d > worst || isnan(d)) worst = d;
    }
    return worst;
}

static void write_trace(csv *out, const char *what, const char *metric, double radius,
                        const trace *t)
{
    for (int k = 0; k <= t->iterations; ++k) {
        csv_text(out, what);
        csv_text(out, metric);
        csv_reals(out, (const double[]){radius, k, t->violation[k]}, 3);
        csv_end(out);
    }
}

static pcs_status compare_metrics(checks *c, const settings *set, int kind, const pcs_mass *M,
                                  pcs_arena mem, csv *out)
{
    const row_of_boxes s = boxes_make(&set->def, kind);
    double first[METRICS][NQ] = {{0}};
    const int nq = 7 * s.n;
    c->context = boxes_kind[kind];
    for (int k = 0; k < METRICS; ++k) {
        trace t;
        double q[NQ], by_model[NQ];
        pcs_step_report report;
        memcpy(q, s.q, sizeof q);
        PCS_TRY(iterate(set, &s, M, (pcs_metric)k, mem, q, first[k], &t));
        PCS_TRY(project_model(set, &s, (pcs_metric)k, by_model, &report));
        write_trace(out, boxes_kind[kind], metric_name[k], 0, &t);

        const distance d = boxes_distance(&s, s.q, q);
        printf("%-10s %-6s %5d %5d %10.1e %9.1e %9.1e %9.1e %9.6f %9.6f %9.1e\n", boxes_kind[kind],
               metric_name[k], t.iterations, report.projection_iters, t.violation[0],
               t.violation[t.iterations], stretch_of(s.n, q), t.stretch, d.moved, d.turned,
               d.centre_of_mass);
        check_value(c, "outcome", t.outcome, PCS_CONVERGED, 0);
        check_value(c, "outcome of pcs_project", report.outcome, PCS_CONVERGED, 0);
        check_value(c, "violation left", t.violation[t.iterations], 0, set->tol);
        check_value(c, "|Q| - 1", stretch_of(s.n, q), 0, 1e-15);

        check_value(c, "pcs_project beside it", largest_difference(nq, q, by_model), 0, 1e-9);

        // only joints between free bodies: internal forces
        if (k == PCS_METRIC_MASS && kind == BILATERAL && s.n > 1) {
            check_value(c, "centre of mass", d.centre_of_mass, 0, 1e-14);
        }
    }

    // C (0, Q) = 0, so at |Q| = 1 three of the metrics take the same first step
    const double q1 = largest_difference(nq, first[PCS_METRIC_Q], first[PCS_METRIC_Q1]);
    const double v = largest_difference(nq, first[PCS_METRIC_Q], first[PCS_METRIC_V]);
    check_value(c, "first steps of q and q1", q1, 0, 1e-12);
    check_value(c, "first steps of q and v", v, 0, 1e-12);
    return PCS_OK;
}

// ---- the gradient that lacks the normalisation

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
    *t = (trace){.outcome = PCS_MAX_ITERS};
    for (;; ++t->iterations) {
        const pcs_cone kind = PCS_UNILATERAL;
        const double g = q[2] - R, GP[3] = {0, 0, -R}, up[3] = {0, 0, 1};
        const double P[3] = {q[0], q[1], q[2] - R}, foot[3] = {q[0], q[1], 0};
        t->violation[t->iterations] = pcs_position_violation(1, &kind, &g);
        if (t->violation[t->iterations] <= set->tol) t->outcome = PCS_CONVERGED;
        if (t->outcome == PCS_CONVERGED || t->iterations == set->max) return PCS_OK;

        double C[7], T[42], part[24], Lambda, dq[7];
        pcs_gap_gradient(q, P, NULL, foot, up, C);
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
        PCS_TRY(pcs_position_step(&p, metric, NULL, scope, &Lambda, dq, &report));
        if (report.outcome != PCS_CONVERGED) {
            t->outcome = report.outcome;
            return PCS_OK;
        }
        for (int i = 0; i < nq; ++i) {
            q[first + i] += dq[i];
        }
        t->stretch = fmax(t->stretch, stretch_of(1, q));
        PCS_TRY(pcs_quat_normalize(q + 3));
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

static pcs_status show_raw(checks *c, const settings *set, double R, pcs_arena mem, csv *out)
{
    trace t;
    PCS_TRY(ball_row(c, set, R, NORMALISED, PCS_METRIC_Q, "with normalisation", mem, out, &t));
    printf("\n");
    check_value(c, "iterations", t.iterations, 1, 0);
    check_value(c, "violation", t.violation[t.iterations], 0, set->tol);

    // what is left of the overlap by each iteration
    const double factor = 4 * R * R / (1 + 4 * R * R);
    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_Q, "raw", mem, out, &t));
    const double measured = t.violation[1] / t.violation[0];
    printf(" %9.6f %9.6f %9.6f\n", measured,
           t.iterations > 2 ? t.violation[2] / t.violation[1] : NAN, factor);
    check_value(c, "contraction", measured, factor, 5e-4 * factor);
    if (t.iterations > 2) {
        check_value(c, "contraction", t.violation[2] / t.violation[1], factor, 5e-4 * factor);
    }

    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_Q1, "raw, unit row", mem, out, &t));
    printf("\n");
    check_value(c, "outcome", t.outcome, PCS_CONVERGED, 0);
    check_value(c, "iterations", t.iterations, 1, R > 10 ? 1 : 0); // a large R rounds
    PCS_TRY(ball_row(c, set, R, RAW, PCS_METRIC_V, "raw, tangent", mem, out, &t));
    printf("\n");
    check_value(c, "iterations", t.iterations, 1, 0);

    PCS_TRY(ball_row(c, set, R, RAW_FIXED_CENTRE, PCS_METRIC_Q, "raw, centre fixed", mem, out, &t));
    printf(" %9.6f %9s %9d\n", t.violation[t.iterations] / t.violation[0], "", 1);
    check_value(c, "outcome", t.outcome, PCS_MAX_ITERS, 0);
    check_value(c, "what is left", t.violation[t.iterations] / t.violation[0], 1, 1e-15);
    PCS_TRY(
        ball_row(c, set, R, RAW_FIXED_CENTRE, PCS_METRIC_Q1, "raw, centre fixed", mem, out, &t));
    printf("\n");
    check_value(c, "outcome", t.outcome, PCS_INFEASIBLE, 0);
    return PCS_OK;
}

// ---- the program

static pcs_status run(checks *c, const settings *set, csv *out)
{
    // one block of six per body, in one dense mass as the rows here are dense
    const int nv = 6 * set->def.n;
    double M[NV * NV] = {0};
    const row_of_boxes any = boxes_make(&set->def, BOTH);
    for (int b = 0; b < set->def.n; ++b) {
        for (int i = 0; i < 6; ++i) {
            const double value = i < 3 ? any.mass[b] : any.inertia[b][4 * (i - 3)];
            M[(6 * b + i) * (nv + 1)] = value;
        }
    }
    pcs_mass *mass = NULL;
    pcs_arena mem = {0};
    pcs_status status = pcs_mass_create_blocks(NULL, 1, &nv, M, &mass);
    if (status == PCS_OK) status = pcs_arena_create(NULL, (size_t)1 << 23, &mem);

    printf("%d bodies; tolerance %g m\n\n%-10s %-6s %5s %5s %10s %9s %9s %9s %9s %9s %9s\n",
           set->def.n, set->tol, "rows", "metric", "steps", "model", "violated", "left", "|Q| - 1",
           "stretched", "moved", "turned", "centre");
    for (int k = 0; k < KINDS && status == PCS_OK; ++k) {
        status = compare_metrics(c, set, k, mass, mem, out);
    }

    printf("\nA ball %g m deep in the floor\n\n%-7s %-24s %-6s %5s %-10s %10s %9s %9s %9s\n",
           set->def.sink, "radius", "gradient", "metric", "steps", "outcome", "violated", "kept",
           "then", "theory");
    const double radius[] = {set->radius, 10 * set->radius, 100 * set->radius};
    for (int k = 0; k < 3 && status == PCS_OK; ++k) {
        status = show_raw(c, set, radius[k], mem, out);
    }
    pcs_arena_destroy(NULL, &mem);
    pcs_mass_destroy(mass);
    return status;
}

int main(int argc, char **argv)
{
    settings s = {.def = {.n = 3, .seed = 1, .sink = 0.05, .apart = 0.03, .tilt = 0.4},
                  .max = 50,
                  .radius = 0.1,
                  .tol = 1e-12};
    args a = {.about =
                  "Bodies in violation of the floor and of their joints are projected back, in "
                  "four metrics; and how a gradient without normalisation fails."};
    args_int(&a, "--bodies", &s.def.n, 1, MOST_BODIES, "boxes in a row");
    args_real(&a, "--sink", &s.def.sink, 1e-6, 0.2, "m",
              "depth of the lowest corners in the floor");
    args_real(&a, "--apart", &s.def.apart, 0, 0.05, "m",
              "by which joints have come apart, per axis");
    args_real(&a, "--tilt", &s.def.tilt, 0, 0.6, "rad", "of the boxes, per axis");
    args_int(&a, "--seed", &s.def.seed, 0, 1000000, "of places and tilts");
    args_real(&a, "--radius", &s.radius, 1e-3, 5, "m",
              "of the ball; also ten and a hundred times that");
    args_real(&a, "--tol", &s.tol, 1e-12, 1e-6, "m", "violation left");
    args_int(&a, "--max", &s.max, 3, MOST_TRACED, "most steps");
    args_string(&a, "--csv", &s.csv, "FILE", "write the violation step by step");
    if (!args_parse(&a, argc, argv)) return a.exit_code;

    csv out;
    checks c = {.quiet = true};
    if (!csv_open(&out, s.csv, "rows,metric,radius,step,violation")) return 2;
    const pcs_status status = run(&c, &s, &out);
    if (status != PCS_OK) {
        csv_drop(&out);
        return say_error("projection", status);
    }
    if (!csv_close(&out)) return 2;
    return checks_end(&c);
}
