// Bodies that violate constraints at the start are projected: overlaps with the floor (unilateral),
// open ball joints (bilateral), and both; |Q| = 1 throughout.
//
// One step linearises the gaps at q and solves w = g + S L, w_E = 0, 0 <= w_I _|_ L_I >= 0; then
// q <- normalise(q + Z L), and again. The four metrics of S and Z are run twice: by pcs_project on
// a model, and by hand, from gradients (pcs_contact_gap_gradient), T(q) and pcs_solve_position
// alone.
//
// scenes/row_of_boxes.c places the bodies; checks/projection_checks.c has the checks.
// checks/raw_gradient.c shows the error of a gradient without normalisation.
#include "checks/projection_checks.h"
#include "checks/raw_gradient.h"
#include "example.h"
#include "flags/projection_flags.h"

#include <math.h>
#include <string.h>

#include <percuss/kernel.h>

// ---- by a model

// boxes on the floor, joints between them
static pcs_status add_bodies(pcs_model *model, const row_of_boxes *s)
{
    // a relation defined by the user: the heights of the corners of a box, in scenes/row_of_boxes.c
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

// q: where pcs_project leaves them
static pcs_status project_model(const settings *set, const row_of_boxes *s, pcs_metric metric,
                                double *q, pcs_step_report *report)
{
    pcs_model *model = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    // no step is made: metric and tolerance alone are read
    pcs_scheme scheme = pcs_scheme_moreau_jean();
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

// ---- by hand, one step after the other

// one step from q: dq, by the library's MLCP of the metric
static pcs_status step(int n, const pcs_mass_matrix *M, const double *q, constraints *at,
                       pcs_metric metric, pcs_arena mem, double dq[NQ], pcs_report *report)
{
    static const int places[MOST_BODIES] = {3, 10, 17, 24, 31}; // of the quaternions
    double Lambda[ROWS];
    pcs_bsr C, T;
    PCS_TRY(pcs_bsr_from_dense(at->m, 7 * n, at->C, &mem, &C));
    PCS_TRY(pcs_bsr_from_dense(7 * n, 6 * n, at->T, &mem, &T));
    const pcs_position_problem p = {.m = at->m,
                                    .kind = at->kind,
                                    .g = at->g,
                                    .C = &C,
                                    .T = &T,
                                    .M = M,
                                    .nq = 7 * n,
                                    .q = q,
                                    .n_quat = n,
                                    .quat = places};
    pcs_solver_opts opts = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    opts.tol = 1e-12;
    return pcs_solve_position(&p, metric, &opts, mem, Lambda, dq, report);
}

// the iteration, from q to its end; first_dq is the first step
static pcs_status iterate(const settings *set, const row_of_boxes *s, const pcs_mass_matrix *M,
                          pcs_metric metric, pcs_arena mem, double *q, double first_dq[NQ],
                          trace *t)
{
    *t = (trace){.outcome = PCS_OUTCOME_MAX_ITERS};
    for (;; ++t->iterations) {
        constraints at;
        boxes_evaluate(s, q, &at);
        t->violation[t->iterations] = pcs_position_violation(at.m, at.kind, at.g);
        if (t->violation[t->iterations] <= set->tol) t->outcome = PCS_OUTCOME_CONVERGED;
        if (t->outcome == PCS_OUTCOME_CONVERGED || t->iterations == set->max) return PCS_OK;

        double dq[NQ];
        pcs_report report;
        PCS_TRY(step(s->n, M, q, &at, metric, mem, dq, &report));
        if (report.outcome != PCS_OUTCOME_CONVERGED) {
            t->outcome = report.outcome;
            return PCS_OK;
        }
        if (t->iterations == 0) memcpy(first_dq, dq, sizeof dq);
        for (int i = 0; i < 7 * s->n; ++i) {
            q[i] += dq[i];
        }
        t->stretch = fmax(t->stretch, stretch_of(s->n, q));
        for (int b = 0; b < s->n; ++b) {
            PCS_TRY(pcs_quat_normalise(q + 7 * b + 3));
        }
    }
}

// ---- the program

// projections by both methods, in every metric
static pcs_status compare_metrics(checks *c, const settings *set, const row_of_boxes *s,
                                  const pcs_mass_matrix *M, pcs_arena mem, csv *out)
{
    double first[METRICS][NQ] = {{0}};
    for (int k = 0; k < METRICS; ++k) {
        trace t;
        double q[NQ], by_model[NQ];
        pcs_step_report report;
        memcpy(q, s->q, sizeof q);
        PCS_TRY(iterate(set, s, M, (pcs_metric)k, mem, q, first[k], &t));
        PCS_TRY(project_model(set, s, (pcs_metric)k, by_model, &report));
        write_trace(out, boxes_kind[s->kind], metric_name[k], 0, &t);
        check_metric(c, set, s, (pcs_metric)k, q, &t, by_model, &report);
    }
    check_first_steps(c, 7 * s->n, first);
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    // one block of six per body, in one dense mass as the rows here are dense
    const int nv = 6 * set->def.n;
    double M[NV * NV];
    pcs_mass_matrix *mass = NULL;
    pcs_arena mem = {0};
    row_of_boxes s = boxes_make(&set->def, 0);
    boxes_mass(&s, M);
    pcs_status status = pcs_mass_matrix_create_blocks(NULL, 1, &nv, M, &mass);
    if (status == PCS_OK) status = pcs_arena_create(NULL, (size_t)1 << 23, &mem);

    metrics_head(set);
    for (int kind = 0; kind < KINDS && status == PCS_OK; ++kind) {
        s = boxes_make(&set->def, kind);
        status = compare_metrics(c, set, &s, mass, mem, out);
    }
    pcs_arena_destroy(NULL, &mem);
    pcs_mass_matrix_destroy(mass);
    return status == PCS_OK ? show_raw_gradient(c, set, out) : status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv, "rows,metric,radius,step,violation");
}
