// Invalid definitions are refused with a sentence that names the number, and leave the model
// unchanged; a failed allocation anywhere leaves everything unchanged and nothing allocated.
#include "scene.h"

#include <percuss/features.h>
#include <percuss/linalg.h>
#include <percuss/mechanics.h>
#include <percuss/motion.h>
#include <percuss/vehicle.h>

#include <limits.h>
#include <math.h>
#include <string.h>

static int zero_force(void *user, double t, const double *q, const double *v, double *F)
{
    return 0;
}

static int unit_mass(void *user, const double *q, double *M)
{
    M[0] = 1;
    return 0;
}

static int some_jacobian(void *user, double t, const double *q, const double *v, double *Fq,
                         double *Fv)
{
    return 0;
}

static int some_potential(void *user, const double *q, double *V)
{
    return 0;
}

// `d` as a good definition with one change
#define CHANGED(change) (d = good, d.change, &d)

// a model that the attempts must not change: a ball that falls on the ground
typedef struct witness {
    scene s;
    pcs_system ball;
} witness;

static void witness_open(witness *w)
{
    w->s = scene_open();
    w->ball = scene_ball(&w->s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0, 0, -1});
    scene_shape(&w->s, w->ball, pcs_shape_sphere(0.1), 0.5);
    scene_ground(&w->s, 0.5);
    CK_OK(pcs_model_set_scheme(w->s.m, &w->s.scheme));
}

static void witness_close(witness *w)
{
    ck_assert_int_eq(pcs_model_nq(w->s.m), 7);
    ck_assert_int_eq(pcs_model_nv(w->s.m), 6);
    ck_assert_int_eq(pcs_model_system_count(w->s.m), 1);
    scene_start(&w->s);
    scene_step(&w->s, 1e-3);
    CK_NEAR(scene_v(&w->s, w->ball)[2], 0.5, 1e-14);
    ck_assert_int_eq(w->s.report.active, 1);
    scene_close(&w->s);
}

TEST(bad_bodies_are_refused)
{
    witness w;
    witness_open(&w);
    pcs_model *m = w.s.m;
    const pcs_body_def good = pcs_body_def_default();
    pcs_body_def d;
    pcs_system id = {77};
    CK_SAYS(pcs_model_add_body(NULL, &good, &id), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_add_body(m, NULL, &id), PCS_ERR_ARG, "null");

    const double masses[] = {0, -2.5, NAN, INFINITY};
    const char *word[] = {"0 kg", "-2.5 kg", "nan kg", "inf kg"};
    for (int i = 0; i < 4; ++i) {
        CK_SAYS(pcs_model_add_body(m, CHANGED(mass = masses[i]), &id), PCS_ERR_ARG, word[i]);
    }

    // inertia: not symmetric, indefinite in each minor, semi-definite, not finite, and tensors of
    // no body: a moment larger than the sum of the others, also about axes that are rotated
    const double bad[][9] = {
        {1, 0.125, 0, 0, 1, 0, 0, 0, 1}, {-3, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 2, 0, 2, 1, 0, 0, 0, 1},     {1, 0, 0, 0, 1, 0, 0, 0, -1},
        {1, 1, 0, 1, 1, 0, 0, 0, 1},     {1, 0, 0, 0, NAN, 0, 0, 0, 1},
        {1, 0, 0, 0, 1, 0, 0, 0, 0},     {1, 0, 0, 0, 1, 0, 0, 0, 100},
        {1, 0, 0, 0, 6, 5, 0, 5, 6},
    };
    const char *says[] = {"0.125",      "-1", "-0.75",     "-1",      "minors",
                          "not finite", "0",  "1, 1, 100", "1, 1, 11"};
    for (int i = 0; i < 9; ++i) {
        d = good;
        memcpy(d.inertia, bad[i], sizeof d.inertia);
        CK_SAYS(pcs_model_add_body(m, &d, &id), PCS_ERR_ARG, says[i]);
    }

    // too small for its inverse
    CK_SAYS(pcs_model_add_body(m, CHANGED(inertia[0] = d.inertia[4] = d.inertia[8] = 1e-200), &id),
            PCS_ERR_ARG, "3e-200");
    CK_SAYS(pcs_model_add_body(m, CHANGED(mass = 1e-310), &id), PCS_ERR_ARG, "1e-310 kg");

    CK_SAYS(pcs_model_add_body(m, CHANGED(orientation[0] = 0), &id), PCS_ERR_ARG,
            "quaternion is zero");
    d.fixed = true;
    CK_SAYS(pcs_model_add_body(m, &d, &id), PCS_ERR_ARG, "quaternion is zero");
    double *entry[] = {&d.position[1], &d.orientation[3], &d.velocity[0], &d.omega[2]};
    const char *field[] = {"position", "quaternion", "velocity", "omega"};
    for (int i = 0; i < 4; ++i) {
        d = good;
        *entry[i] = NAN;
        CK_SAYS(pcs_model_add_body(m, &d, &id), PCS_ERR_ARG, field[i]);
    }
    CK_SAYS(pcs_model_add_body(m, CHANGED(jacobian = some_jacobian), &id), PCS_ERR_ARG, "no force");
    CK_SAYS(pcs_model_add_body(m, CHANGED(potential = some_potential), &id), PCS_ERR_ARG,
            "no force");
    ck_assert_int_eq(id.id, 77);
    witness_close(&w);
}

#define REFUSED(change, words) \
    CK_SAYS(pcs_model_add_lagrangian(m, CHANGED(change), &id), PCS_ERR_ARG, words)

TEST(bad_lagrangian_systems_are_refused)
{
    witness w;
    witness_open(&w);
    pcs_model *m = w.s.m;
    const double one[4] = {1, 0, 0, 1}, skew[4] = {1, 0.25, 0, 1}, indefinite[4] = {1, 2, 2, 1},
                 holed[4] = {1, NAN, 0, 1};
    pcs_lagrangian_def good = pcs_lagrangian_def_default(), d;
    good.n = 2;
    good.mass = one;
    pcs_system id = {77};
    CK_SAYS(pcs_model_add_lagrangian(NULL, &good, &id), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_add_lagrangian(m, NULL, &id), PCS_ERR_ARG, "null");
    const int sizes[] = {0, -3, 46341, 2147483647};
    const char *named[] = {"0", "-3", "46341", "2147483647"};
    for (int i = 0; i < 4; ++i) {
        CK_SAYS(pcs_model_add_lagrangian(m, CHANGED(n = sizes[i]), &id), PCS_ERR_SIZE, named[i]);
    }
    REFUSED(mass = NULL, "either mass or mass_fn");
    REFUSED(mass_fn = unit_mass, "either mass or mass_fn");
    REFUSED(mass = skew, "mass is not symmetric");
    REFUSED(mass = indefinite, "not positive definite");
    REFUSED(mass = holed, "mass has an entry");
    const double **field[] = {&d.stiffness, &d.damping, &d.load, &d.q0, &d.v0};
    const char *word[] = {"stiffness", "damping", "load", "q0", "v0"};
    const double nans[4] = {NAN, 0, 0, 0};
    for (int i = 0; i < 5; ++i) {
        d = good;
        *field[i] = nans;
        CK_SAYS(pcs_model_add_lagrangian(m, &d, &id), PCS_ERR_ARG, word[i]);
    }
    REFUSED(stiffness = skew, "stiffness is not symmetric");
    REFUSED(jacobian = some_jacobian, "no force");
    REFUSED(potential = some_potential, "no force");
    ck_assert_int_eq(id.id, 77);

    // such systems are accepted with a force
    d.force = zero_force;
    CK_OK(pcs_model_add_lagrangian(m, &d, &id));
    ck_assert_int_eq(id.id, 2);
    ck_assert_int_eq(pcs_model_nq(m), 9);
    scene_close(&w.s);
}

TEST(bad_schemes_are_refused)
{
    witness w;
    witness_open(&w);
    pcs_model *m = w.s.m;
    const pcs_scheme good = w.s.scheme;
    pcs_scheme d;
    CK_SAYS(pcs_model_set_scheme(NULL, &good), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_set_scheme(m, NULL), PCS_ERR_ARG, "null");
    double *real[] = {&d.theta,      &d.gamma,    &d.active_tol, &d.hysteresis,
                      &d.newton_tol, &d.proj_tol, &d.solver.tol};
    const char *name[] = {"theta",      "gamma",    "active_tol", "hysteresis",
                          "newton_tol", "proj_tol", "tol"};
    const double bad[] = {-0.25, NAN, 1e31};
    const char *number[] = {"-0.25", "nan", "1e+31"};
    for (int i = 0; i < 7; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (i == 6 && k == 2) continue;
            d = good;
            *real[i] = bad[k];
            CK_SAYS(pcs_model_set_scheme(m, &d), PCS_ERR_ARG, name[i]);
            CK_SAYS(PCS_ERR_ARG, PCS_ERR_ARG, number[k]);
        }
    }
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(theta = 1.5)), PCS_ERR_ARG, "theta is 1.5");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(proj_max = 0)), PCS_ERR_ARG, "proj_max is 0");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(newton_max = -1)), PCS_ERR_ARG, "newton_max is -1");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(activation = (pcs_activation)9)), PCS_ERR_ARG,
            "activation is 9");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(projection = (pcs_projection)9)), PCS_ERR_ARG,
            "projection is 9");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(metric = (pcs_metric)9)), PCS_ERR_ARG, "metric is 9");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(update = (pcs_quat_update)9)), PCS_ERR_ARG,
            "update is 9");
    CK_SAYS(pcs_model_set_scheme(m, CHANGED(solver.kind = (pcs_solver)99)), PCS_ERR_ARG, "99");
    CK_SAYS(pcs_model_set_gravity(m, (double[3]){0, NAN, 0}), PCS_ERR_ARG, "gravity");
    CK_SAYS(pcs_model_set_gravity(m, (double[3]){0, 0, -1e50}), PCS_ERR_ARG, "1e+50 m/s^2");
    CK_SAYS(pcs_model_set_gravity(m, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_set_gravity(NULL, (double[3]){0}), PCS_ERR_ARG, "null");
    witness_close(&w);
}

TEST(bad_interactions_are_refused)
{
    witness w;
    witness_open(&w);
    pcs_model *m = w.s.m;
    const double bad_e[] = {-0.5, 1.5, NAN};
    const char *e_text[] = {"-0.5", "1.5", "nan"};
    const pcs_shape ball = pcs_shape_sphere(0.1), thin = pcs_shape_sphere(-4);
    for (int i = 0; i < 3; ++i) {
        CK_SAYS(pcs_model_add_material(m, &(pcs_material_def){.e = bad_e[i]}, NULL), PCS_ERR_ARG,
                e_text[i]);
    }
    CK_SAYS(pcs_model_add_material(m, NULL, NULL), PCS_ERR_ARG, "null");
    const double bad_mu[] = {-1e-300, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < 4; ++i) {
        CK_SAYS(pcs_model_add_material(m, &(pcs_material_def){.mu = bad_mu[i]}, NULL), PCS_ERR_ARG,
                "friction mu");
    }
    for (int i = 0; i < 3; ++i) {
        CK_SAYS(pcs_model_add_material(m, &(pcs_material_def){.e_t = bad_e[i]}, NULL), PCS_ERR_ARG,
                "e_t");
    }
    CK_SAYS(pcs_model_add_shape(m, w.ball, NULL, (pcs_material){0}), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_add_shape(m, w.ball, &thin, (pcs_material){0}), PCS_ERR_ARG, "-4");
    CK_SAYS(pcs_model_add_shape(m, (pcs_system){5}, &ball, (pcs_material){0}), PCS_ERR_ARG, "5");
    CK_SAYS(pcs_model_add_shape(m, (pcs_system){-1}, &ball, (pcs_material){0}), PCS_ERR_ARG, "-1");
    CK_SAYS(pcs_model_add_shape(m, w.ball, &ball, (pcs_material){3}), PCS_ERR_ARG, "material 3");
    CK_SAYS(pcs_model_add_shape(m, w.ball, &ball, (pcs_material){-2}), PCS_ERR_ARG, "material -2");
    CK_SAYS(pcs_model_set_combine(NULL, NULL, NULL), PCS_ERR_ARG, "null");

    const double o[3] = {0};
    const pcs_interaction_def good = {
        pcs_relation_distance(o, o, 1), pcs_law_newton_impact(0.5), w.ball, {0}};
    pcs_interaction_def d;
    CK_SAYS(pcs_model_add_interaction(NULL, &good, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_add_interaction(m, NULL, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(relation.gap = NULL), NULL), PCS_ERR_ARG,
            "not both");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(relation.gradient = NULL), NULL), PCS_ERR_ARG,
            "not both");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(relation.dim = 0), NULL), PCS_ERR_ARG, "0 rows");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(relation.dim = INT_MAX), NULL), PCS_ERR_SIZE,
            "2147483647 rows");
    CK_SAYS(
        pcs_model_add_interaction(m, CHANGED(relation = pcs_relation_distance(NULL, o, 1)), NULL),
        PCS_ERR_ARG, "not both");
    d.relation = pcs_relation_ball_joint(o, NULL);
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "not both");

    // parameters with which a built-in relation has no gradient
    const double lengths[] = {0, -0.0, -1, NAN, INFINITY}, far[3] = {0, INFINITY, 0};
    for (int i = 0; i < 5; ++i) {
        d.relation = pcs_relation_distance(o, o, lengths[i]);
        CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "length");
    }
    d.relation = pcs_relation_distance(o, far, 1);
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "point is not finite");
    d.relation = pcs_relation_ball_joint(far, o);
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "point is not finite");
    d.relation = pcs_relation_linear(3, o, 1);
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "zero");
    d.relation = pcs_relation_linear(3, far, 1);
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "not finite");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(system1.id = 9), NULL), PCS_ERR_ARG,
            "no system 9");
    d.system1.id = 0;
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "system1 is the world");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(system2.id = -4), NULL), PCS_ERR_ARG,
            "no system -4");
    d.system2 = w.ball;
    CK_SAYS(pcs_model_add_interaction(m, &d, NULL), PCS_ERR_ARG, "both systems are 1");
    CK_SAYS(pcs_model_add_interaction(m, CHANGED(law.kind = (pcs_law_kind)8), NULL), PCS_ERR_ARG,
            "8");
    for (int i = 0; i < 3; ++i) {
        CK_SAYS(pcs_model_add_interaction(m, CHANGED(law.e = bad_e[i]), NULL), PCS_ERR_ARG,
                e_text[i]);
    }
    witness_close(&w);
}

// a relation of bodies or of n coordinates is not one of a system with other coordinates
TEST(relations_must_fit_their_systems)
{
    scene s = scene_open();
    const double o[3] = {0}, c[7] = {1, 1, 1, 1, 1, 1, 1}, one = 1;
    const pcs_system ball = scene_ball(&s, 1, 0.1, o, NULL);
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 1;
    def.mass = &one;
    const pcs_system slider = scene_add_lagrangian(&s, &def);
    pcs_interaction_def d = {pcs_relation_linear(7, c, 0), pcs_law_equality(), slider, {0}};
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_SIZE, "system 2 has 1");
    d.relation = pcs_relation_distance(o, c, 1);
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_SIZE, "system 2 has 1");
    d.relation = pcs_relation_ball_joint(o, o);
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_SIZE, "system 2 has 1");
    d.system1 = ball;
    d.system2 = slider;
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_SIZE, "system 2 has 1");
    d.system2 = (pcs_system){0};
    CK_OK(pcs_model_add_interaction(s.m, &d, NULL));
    // a linear one is of one system, and no gap depends on the length of a quaternion
    const double x[7] = {0, 1, 0, 0, 0, 0, 0}, o2[3] = {0, 0, 1};
    d.system2 = scene_ball(&s, 1, 0.1, o2, NULL);
    d.relation = pcs_relation_linear(7, x, 0);
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_ARG, "no second system");
    d.system2 = (pcs_system){0};
    CK_OK(pcs_model_add_interaction(s.m, &d, NULL));
    d.relation = pcs_relation_linear(7, c, 0);
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_ARG, "quaternion of system 1");
    d.relation = pcs_relation_linear(8, c, 0);
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_ARG, "n is not 1 to 7");
    scene_close(&s);
}

TEST(bodies_that_cannot_move_have_no_interaction)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    def.mass = -1;
    pcs_system wall, post;
    CK_OK(pcs_model_add_body(s.m, &def, &wall));
    CK_OK(pcs_model_add_body(s.m, &def, &post));
    ck_assert_int_eq(pcs_model_nq(s.m), 14);
    ck_assert_int_eq(pcs_model_nv(s.m), 0);
    const double o[3] = {0};
    const pcs_interaction_def d = {pcs_relation_distance(o, o, 1), pcs_law_equality(), wall, post};
    CK_SAYS(pcs_model_add_interaction(s.m, &d, NULL), PCS_ERR_ARG, "can move");

    // a model in which nothing moves can make steps
    scene_start(&s);
    scene_step(&s, 0.5);
    ck_assert(s.st->t == 0.5);
    ck_assert_ptr_null(pcs_state_v(s.m, s.st, wall));
    scene_close(&s);
}

TEST(an_empty_model_steps)
{
    scene s = scene_open();
    scene_start(&s);
    scene_step(&s, 0.25);
    ck_assert(s.st->t == 0.25);
    pcs_report report;
    CK_OK(pcs_impact(s.m, s.st, s.wk, 1e-9, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_OK(pcs_project(s.m, s.st, s.wk, NULL));
    scene_close(&s);
}

TEST(functions_refuse_invalid_arguments)
{
    scene s = scene_open();
    const pcs_system ball = scene_ball(&s, 1, 0.1, (double[3]){0, 0, 1}, NULL);
    scene_start(&s);
    const unsigned long long before = pcs_state_hash(s.st);
    const double bad_h[] = {0, -0.5, NAN, INFINITY};
    const char *text[] = {"0 s", "-0.5 s", "nan s", "inf s"};
    for (int i = 0; i < 4; ++i) {
        CK_SAYS(pcs_step(s.m, s.st, s.wk, bad_h[i], NULL), PCS_ERR_ARG, text[i]);
        CK_SAYS(pcs_run(s.m, s.st, s.wk, bad_h[i], 1, NULL, NULL, NULL), PCS_ERR_ARG, text[i]);
    }

    // a report says stopped, whatever it contained before
    pcs_step_report step = {.outcome = PCS_OUTCOME_CONVERGED, .committed = true};
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0, &step), PCS_ERR_ARG, "0 s");
    ck_assert(step.outcome == PCS_OUTCOME_STOPPED && !step.committed);
    step = (pcs_step_report){.outcome = PCS_OUTCOME_CONVERGED, .committed = true};
    CK_SAYS(pcs_project(s.m, NULL, s.wk, &step), PCS_ERR_ARG, "null");
    ck_assert(step.outcome == PCS_OUTCOME_STOPPED && !step.committed);
    pcs_report impact = {.outcome = PCS_OUTCOME_CONVERGED};
    CK_SAYS(pcs_impact(s.m, s.st, s.wk, -1, &impact), PCS_ERR_ARG, "-1");
    ck_assert_int_eq(impact.outcome, PCS_OUTCOME_STOPPED);
    pcs_run_report run = {.outcome = PCS_OUTCOME_CONVERGED, .steps = 7};
    CK_SAYS(pcs_run(s.m, s.st, s.wk, 0, 1, NULL, NULL, &run), PCS_ERR_ARG, "0 s");
    ck_assert(run.outcome == PCS_OUTCOME_STOPPED && run.steps == 0);
    CK_SAYS(pcs_run(s.m, s.st, s.wk, 0.1, NAN, NULL, NULL, NULL), PCS_ERR_ARG, "nan");
    CK_SAYS(pcs_impact(s.m, s.st, s.wk, -0.125, NULL), PCS_ERR_ARG, "-0.125");
    CK_SAYS(pcs_impact(s.m, s.st, s.wk, NAN, NULL), PCS_ERR_ARG, "nan");
    CK_SAYS(pcs_step(NULL, s.st, s.wk, 0.1, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_step(s.m, NULL, s.wk, 0.1, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_step(s.m, s.st, NULL, 0.1, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_project(NULL, s.st, s.wk, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_state_create(NULL, &s.st), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_work_create(s.m, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_model_create(NULL, NULL), PCS_ERR_ARG, "null");
    double K;
    CK_SAYS(pcs_state_kinetic_energy(s.m, NULL, &K), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_state_potential_energy(s.m, s.st, NULL), PCS_ERR_ARG, "null");
    ck_assert(pcs_state_hash(s.st) == before);

    // numbers written into the state
    double *q = scene_q(&s, ball), *v = scene_v(&s, ball);
    q[2] = NAN;
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.1, NULL), PCS_ERR_ARG,
            "system 1 holds a number that is not finite");
    q[2] = 1;
    v[5] = INFINITY;
    CK_SAYS(pcs_impact(s.m, s.st, s.wk, 0, NULL), PCS_ERR_ARG,
            "system 1 holds a number that is not finite");
    v[5] = 0;
    q[3] = 0;
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.1, NULL), PCS_ERR_ARG, "quaternion of system 1");
    CK_SAYS(pcs_project(s.m, s.st, s.wk, NULL), PCS_ERR_ARG, "quaternion of system 1");
    q[3] = 1;
    ck_assert(pcs_state_hash(s.st) == before);

    // functions accept null where the header promises it
    pcs_model_destroy(NULL);
    pcs_state_destroy(NULL);
    pcs_work_destroy(NULL);
    ck_assert_int_eq(pcs_model_nq(NULL), 0);
    ck_assert_uint_eq(pcs_work_held(NULL), 0);
    scene_close(&s);
}

// Queries answer as if there were nothing, and the callbacks of the library with a failure
TEST(null_objects_have_no_answer)
{
    const pcs_shape ball = pcs_shape_sphere(1);
    pcs_feature f[2];
    ck_assert_int_eq(pcs_collide(NULL, NULL, &ball, NULL, 1, 2, f), 0);
    ck_assert_int_eq(pcs_collide(&ball, NULL, NULL, NULL, 1, 2, f), 0);
    ck_assert_int_eq(pcs_collide(&ball, NULL, &ball, NULL, 1, 2, NULL), 1); // how many there are
    pcs_gap gap = {0};
    pcs_feature_gap(NULL, NULL, NULL, &gap);
    ck_assert(isnan(gap.g) && isnan(gap.N[0]) && isnan(gap.P1[1]) && isnan(gap.P2[2]));
    pcs_feature_gap(f, NULL, NULL, NULL);

    ck_assert_int_eq(pcs_bsr_find(NULL, 0, 0), -1);
    pcs_measure measure = {0};
    pcs_problem_measure(NULL, NULL, NULL, &measure);
    ck_assert(isnan(measure.residual) && isnan(measure.natural_map) && isnan(measure.rounding));

    char words[PCS_DOUBT_TEXT_SIZE] = "old";
    pcs_doubt_text(PCS_DOUBT_OVERLAP, NULL, words);
    ck_assert_str_eq(words, "");
    pcs_doubt_text(PCS_DOUBT_OVERLAP, &(pcs_doubt){.count = 1}, NULL);
    pcs_conflict_text(NULL, NULL, NULL);
    pcs_conflict_text(NULL, &(pcs_conflict){0}, words);
    ck_assert_str_eq(words, "");

    double x[13] = {0}, y[36];
    ck_assert_int_ne(pcs_motion_follow(NULL, 0, x, y), 0);
    ck_assert_int_ne(pcs_load_act(NULL, 0, x, x, y), 0);
    ck_assert_int_ne(pcs_linkage_place(NULL, x, y), 0);
    ck_assert_int_ne(pcs_linkage_rows(NULL, x, y), 0);
    ck_assert_int_ne(pcs_vehicle_ode(NULL, 0, x, y), 0);
    ck_assert_int_ne(pcs_vehicle_ode_euler(NULL, 0, x, y), 0);
    ck_assert_int_ne(pcs_vehicle_normalise(NULL, 0, NULL), 0);
    ck_assert_int_ne(pcs_lagrange_mass(NULL, x, y), 0);
    ck_assert_int_ne(pcs_lagrange_force(NULL, 0, x, x, y), 0);
}

// state and work belong to one model as it was when they were made
TEST(sizes_that_disagree_are_refused)
{
    scene a = scene_open(), b = scene_open();
    const double o[3] = {0};
    scene_ball(&a, 1, 0.1, o, NULL);
    scene_ball(&b, 2, 0.1, o, NULL);
    scene_start(&a);
    scene_start(&b);
    CK_SAYS(pcs_step(a.m, a.st, b.wk, 0.1, NULL), PCS_ERR_ARG, "another model");
    scene_ball(&b, 2, 0.1, o, NULL);
    CK_SAYS(pcs_step(b.m, b.st, b.wk, 0.1, NULL), PCS_ERR_SIZE, "7");
    CK_SAYS(pcs_impact(b.m, b.st, b.wk, 0.1, NULL), PCS_ERR_SIZE, "14");
    double K;
    CK_SAYS(pcs_state_kinetic_energy(b.m, b.st, &K), PCS_ERR_SIZE, "14");
    scene_close(&a);
    scene_close(&b);
}

// a quaternion set to zero by the user of the state, on a body that does not move
TEST(a_fixed_body_needs_an_orientation)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    const pcs_system floor_body = scene_add(&s, &def);
    scene_shape(&s, floor_body, pcs_shape_box(1, 1, 0.2), 0);
    const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.2}, NULL, 0);
    scene_start(&s);
    double *Q = scene_q(&s, floor_body) + 3;
    Q[0] = 0;
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.1, NULL), PCS_ERR_ARG, "quaternion of system 1");

    // any length is an orientation, and the step does not change it
    Q[0] = 3;
    scene_step(&s, 0.01);
    ck_assert(Q[0] == 3);
    ck_assert_int_eq(s.report.active, 1);
    CK_NEAR(scene_v(&s, ball)[2], 0, 1e-14);
    scene_close(&s);
}

static pcs_law strange_rule(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    return *(pcs_law *)user;
}

TEST(the_bytes_of_a_work_are_counted)
{
    scene s = scene_open();
    enum { N = 100 };
    double *mass = calloc((size_t)N * N, sizeof *mass);
    for (int i = 0; i < N; ++i) {
        mass[i + N * i] = 1;
    }
    const pcs_lagrangian_def def = {.n = N, .mass = mass};
    CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
    scene_start(&s);
    const size_t before = pcs_work_held(s.wk);
    ck_assert_uint_ge(before, (size_t)N * N * sizeof(double));
    scene_step(&s, 0.01);
    ck_assert_uint_ge(pcs_work_held(s.wk), before + (size_t)N * N * sizeof(double));
    free(mass);
    scene_close(&s);
}

TEST(the_rule_of_materials_is_called_and_checked)
{
    witness w;
    witness_open(&w);
    scene_start(&w.s);
    const unsigned long long before = pcs_state_hash(w.s.st);
    pcs_law law = pcs_law_newton_impact(1.25);
    CK_OK(pcs_model_set_combine(w.s.m, strange_rule, &law));
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "1.25");
    law.e = NAN;
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "nan");
    law = pcs_law_newton_coulomb(0.5, 0, -1);
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "mu = -1");
    law = pcs_law_newton_coulomb(0.5, 0, NAN);
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "mu = nan");
    law = pcs_law_newton_coulomb(0.5, 0, INFINITY);
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "mu = inf");
    law = pcs_law_newton_coulomb(0.5, -0.5, 0);
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "e_t = -0.5");
    law = pcs_law_equality();
    CK_SAYS(pcs_step(w.s.m, w.s.st, w.s.wk, 1e-3, NULL), PCS_ERR_CALLBACK, "law 0");
    ck_assert(pcs_state_hash(w.s.st) == before);
    law = pcs_law_newton_impact(0.25);
    scene_step(&w.s, 1e-3);
    CK_NEAR(scene_v(&w.s, w.ball)[2], 0.25, 1e-14);
    scene_close(&w.s);
}

// ---- memory -------------------------------------------------------------------------------------

// the call; when memory ran out, a second call with memory. The contents of `st` must not have
// changed
#define AGAIN(expr)                                                                 \
    do {                                                                            \
        const unsigned long long hash_ = st ? pcs_state_hash(st) : 0;               \
        const pcs_status first_ = (expr);                                           \
        if (first_ == PCS_OK) break;                                                \
        ck_assert_msg(first_ == PCS_ERR_MEMORY, "%s: %s", #expr, pcs_error_text()); \
        ck_assert(strstr(pcs_error_text(), "memory") != NULL);                      \
        ck_assert(!st || pcs_state_hash(st) == hash_);                              \
        failures += 1;                                                              \
        memory.fail_at = -1;                                                        \
        CK_OK(expr);                                                                \
    } while (0)

// every call that allocates, with the allocation number fail_at failing; the hash of the end
static unsigned long long build_and_run(long fail_at, int *failed, long *allocated)
{
    test_memory memory = {.fail_at = fail_at};
    const pcs_env env = test_env(&memory);
    pcs_model *m = NULL;
    pcs_state *st = NULL, *copy = NULL;
    pcs_work *wk = NULL;
    int failures = 0;
    AGAIN(pcs_model_create(&env, &m));

    pcs_scheme scheme = pcs_scheme_moreau_jean();
    scheme.projection = PCS_PROJECTION_DIRECT;
    AGAIN(pcs_model_set_scheme(m, &scheme));
    pcs_material rubber;
    AGAIN(pcs_model_add_material(m, &(pcs_material_def){.e = 0.5}, &rubber));
    const pcs_shape ground = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
    AGAIN(pcs_model_add_shape(m, (pcs_system){0}, &ground, rubber));

    // more systems, shapes and interactions than the initial capacity of each list
    pcs_system body[10];
    const pcs_shape ball = pcs_shape_sphere(0.1), box = pcs_shape_box(0.2, 0.2, 0.2);
    for (int i = 0; i < 10; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.position[0] = 0.5 * i;
        def.position[2] = 0.099;
        def.velocity[2] = -1;
        AGAIN(pcs_model_add_body(m, &def, &body[i]));
        AGAIN(pcs_model_add_shape(m, body[i], i % 2 ? &box : &ball, rubber));
    }
    const double o[3] = {0}, one[4] = {2, 0, 0, 1}, load[2] = {0, -1};
    for (int i = 0; i < 9; ++i) {
        const pcs_interaction_def link = {pcs_relation_distance(o, o, 0.51), pcs_law_equality(),
                                          body[i], body[i + 1]};
        AGAIN(pcs_model_add_interaction(m, &link, NULL));
    }
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 2;
    def.mass = def.stiffness = def.damping = one;
    def.load = load;
    AGAIN(pcs_model_add_lagrangian(m, &def, NULL));

    AGAIN(pcs_state_create(m, &st));
    AGAIN(pcs_state_create(m, &copy));
    AGAIN(pcs_work_create(m, &wk));
    for (int k = 0; k < 6; ++k) {
        pcs_step_report report;
        AGAIN(pcs_step(m, st, wk, 2e-3, &report));
        ck_assert(report.committed);
        ck_assert(k > 0 || report.projection_iters > 0);
    }
    AGAIN(pcs_project(m, st, wk, NULL));
    AGAIN(pcs_impact(m, st, wk, 1e-9, NULL));
    double K;
    AGAIN(pcs_state_kinetic_energy(m, st, &K));
    AGAIN(pcs_state_copy(st, copy));
    ck_assert(pcs_state_equal(st, copy));

    const size_t bytes = pcs_state_save_bytes(st);
    void *saved = malloc(bytes);
    pcs_state_save(st, saved);
    pcs_state *read = NULL;
    AGAIN(pcs_state_create(m, &read));
    AGAIN(pcs_state_load(read, saved, bytes));
    ck_assert(pcs_state_equal(st, read));
    free(saved);

    const unsigned long long end = pcs_state_hash(st);
    pcs_work_destroy(wk);
    pcs_state_destroy(read);
    pcs_state_destroy(copy);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    ck_assert_int_eq(memory.live, 0);
    *failed = failures;
    *allocated = memory.allocated;
    return end;
}

TEST(memory_may_run_out_anywhere)
{
    int failed;
    long allocated, unused;
    const unsigned long long end = build_and_run(-1, &failed, &allocated);
    ck_assert_int_eq(failed, 0);
    ck_assert_int_gt(allocated, 30);
    for (long k = 0; k < allocated; ++k) {
        ck_assert(build_and_run(k, &failed, &unused) == end);
        ck_assert_int_eq(failed, 1);
    }
}

// a definition that is refused after part of it was copied releases this part
TEST(refused_definitions_leave_nothing_behind)
{
    test_memory memory = {.fail_at = -1};
    const pcs_env env = test_env(&memory);
    pcs_model *m;
    CK_OK(pcs_model_create(&env, &m));
    const double one[4] = {1, 0, 0, 1}, bad[4] = {1, 0, 0, NAN};
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 2;
    def.mass = one;
    def.stiffness = one;
    def.damping = bad;
    ck_assert_int_eq(pcs_model_add_lagrangian(m, &def, NULL), PCS_ERR_ARG);
    const long live = memory.live;
    for (int i = 0; i < 20; ++i) {
        ck_assert_int_eq(pcs_model_add_lagrangian(m, &def, NULL), PCS_ERR_ARG);
    }
    ck_assert_int_eq(memory.live, live);
    pcs_model_destroy(m);
    ck_assert_int_eq(memory.live, 0);

    const pcs_env half = {.alloc = env.alloc};
    CK_FAILS(pcs_model_create(&half, &m), PCS_ERR_ARG);
    ck_assert_ptr_null(m);
}

// every definition has defaults; a definition without a required value is refused with a sentence
// that names it
TEST(every_definition_has_defaults)
{
    pcs_model *m;
    CK_OK(pcs_model_create(NULL, &m));
    const pcs_material_def material = pcs_material_def_default();
    CK_NEAR(material.e, 0, 0);
    CK_OK(pcs_model_add_material(m, &material, NULL));
    pcs_interaction_def pin = pcs_interaction_def_default();
    CK_FAILS(pcs_model_add_interaction(m, &pin, NULL), PCS_ERR_ARG);
    const pcs_body_def body = pcs_body_def_default();
    CK_OK(pcs_model_add_body(m, &body, &pin.system1));
    pin.relation = pcs_relation_ball_joint((double[]){0, 0, 0.1}, (double[]){0, 0, 0.1});
    CK_OK(pcs_model_add_interaction(m, &pin, NULL));
    pcs_model_destroy(m);
}
