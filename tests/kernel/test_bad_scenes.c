// Random scenes without physical sense: a step returns a status with a sentence, or a state of
// finite numbers, and a step that is not committed changes nothing.
#include "scene.h"

#include <percuss/kernel.h>

#include "model/model.h"

static double one_of(test_random *r, int n, const double *x)
{
    return x[(int)(random_unit(r) * n)];
}

#define ONE_OF(r, ...)                                                   \
    one_of((r), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
           (const double[]){__VA_ARGS__})

static bool flip(test_random *r)
{
    return random_unit(r) < 0.5;
}

// ---- invariants of every step -------------------------------------------------------------------

static bool all_finite(const double *x, int n)
{
    bool finite = true;
    for (int i = 0; i < n; ++i) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

static void check_state(const scene *s)
{
    ck_assert(isfinite(s->st->t));
    ck_assert(all_finite(s->st->q, s->st->nq));
    ck_assert(all_finite(s->st->v, s->st->nv));
    for (int i = 0; i < s->m->n_systems; ++i) {
        const model_system *b = &s->m->system[i];
        if (b->kind == SYSTEM_LAGRANGIAN) continue;
        CK_NEAR(pcs_quat_norm(s->st->q + b->q_at + 3), 1, 1e-12);
    }
}

static void check_contacts(const scene *s)
{
    const pcs_contact *c;
    double fastest = 0;
    for (int i = 0; i < s->st->nv; ++i) {
        fastest = fmax(fastest, fabs(s->st->v[i]));
    }
    for (int i = scene_contacts(s, &c); i-- > 0;) {
        ck_assert(all_finite(c[i].r, 3));
        // a sum of larger numbers may overflow
        if (fastest < 1e150) ck_assert(all_finite(c[i].u, 3));
        ck_assert(isfinite(c[i].gap) && isfinite(c[i].gap_end));
        ck_assert(all_finite(c[i].P1, 3) && all_finite(c[i].P2, 3) && all_finite(c[i].F, 9));
    }
}

// a step, an impact or a projection; true when it was carried out
static bool attempt(scene *s, pcs_state *before, int what, double h)
{
    CK_OK(pcs_state_copy(s->st, before));
    pcs_status status;
    bool committed;
    pcs_report impact;
    if (what == 0) {
        status = pcs_step(s->m, s->st, s->wk, h, &s->report);
        committed = s->report.committed;
    } else if (what == 1) {
        status = pcs_impact(s->m, s->st, s->wk, 1e-9, &impact);
        committed = impact.outcome == PCS_OUTCOME_CONVERGED;
    } else {
        status = pcs_project(s->m, s->st, s->wk, &s->report);
        committed = s->report.committed;
    }
    check_state(s);
    if (status != PCS_OK) {
        ck_assert(pcs_error_text()[0] != '\0');
        ck_assert(!committed);
    }
    if (!committed) ck_assert(pcs_state_equal(s->st, before));
    if (committed) check_contacts(s);
    return status == PCS_OK;
}

// ---- drawing ------------------------------------------------------------------------------------

// geometries of a scene
enum { FIELD, MESH, HULL, GEOMETRIES };

static pcs_shape draw_shape(test_random *r, double size, pcs_geometry **geometry)
{
    pcs_shape shape;
    switch ((int)(random_unit(r) * 5)) {
    case 0:
        shape = pcs_shape_sphere(size);
        break;
    case 1:
        shape = pcs_shape_box(size, size * ONE_OF(r, 1, 1, 1e-3, 1e3), size);
        break;
    case 2:
        shape = pcs_shape_capsule(size, size * ONE_OF(r, 1, 1, 1e-6, 1e3));
        break;
    case 3:
        shape = pcs_shape_hull(geometry[HULL]);
        break;
    default:
        shape = pcs_shape_cylinder(size, size * ONE_OF(r, 1, 1, 1e-3, 1e3));
        break;
    }
    if (flip(r)) random_quaternion(r, shape.orientation);
    for (int i = 0; i < 3 && flip(r); ++i) {
        shape.position[i] = size * random_normal(r);
    }
    return shape;
}

static void draw_scheme(test_random *r, pcs_scheme *s)
{
    s->theta = ONE_OF(r, 0.5, 1, 0.75, 0);
    s->activation = (pcs_activation)(PCS_ACTIVATION_PREDICTIVE + 3 * random_unit(r));
    s->projection = (pcs_projection)(5 * random_unit(r));
    s->metric = (pcs_metric)(4 * random_unit(r));
    s->lever = (pcs_lever)(3 * random_unit(r));
    s->update = flip(r) ? PCS_QUAT_UPDATE_EXP : PCS_QUAT_UPDATE_ADD;
    s->configuration =
        ONE_OF(r, PCS_CONFIGURATION_START, PCS_CONFIGURATION_START, PCS_CONFIGURATION_ITERATE,
               PCS_CONFIGURATION_MIDDLE, PCS_CONFIGURATION_PREDICTED);
    // positions that the velocities of a step do not move have neither end nor middle of the step
    if (s->theta == 0) {
        if (s->projection == PCS_PROJECTION_COMBINED) s->projection = PCS_PROJECTION_DIRECT;
        if (s->configuration == PCS_CONFIGURATION_MIDDLE)
            s->configuration = PCS_CONFIGURATION_START;
    }
    if (pcs_scheme_check(s) != PCS_OK) s->activation = PCS_ACTIVATION_AUTOMATIC;
    s->accept_unconverged = flip(r);
    s->newton_max = 20;
    s->proj_max = 10;
    s->solver = pcs_solver_opts_default(random_unit(r) < 0.2 ? PCS_SOLVER_AUTO : PCS_SOLVER_NSGS);
    s->solver.tol = 1e-8;
    s->solver.max_iters = 100;
}

// the range of the numbers of a scene
typedef struct wild {
    double spread, speed, spin, size, ratio, h;
} wild;

static void draw_body(scene *s, test_random *r, const wild *w, pcs_geometry **geometry)
{
    pcs_body_def def = pcs_body_def_default();
    const double size = w->size * pow(10, random_normal(r));
    def.mass = pow(w->ratio, random_between(r, -0.5, 0.5));
    const double j = def.mass * size * size;
    const double b = j * ONE_OF(r, 1, 1, 0.1), c = j * ONE_OF(r, 1, 1, 1e-3);
    const double principal[3] = {b + c, j + c, j + b};
    random_inertia(r, principal, def.inertia);
    random_quaternion(r, def.orientation);
    for (int i = 0; i < 3; ++i) {
        def.position[i] = w->spread * random_normal(r);
        def.velocity[i] = w->speed * random_normal(r);
        def.omega[i] = w->spin * random_normal(r);
    }
    const pcs_system body = scene_add(s, &def);
    for (int i = flip(r); i >= 0; --i) {
        scene_rough(s, body, draw_shape(r, size, geometry), ONE_OF(r, 0, 0.5, 1), 0,
                    ONE_OF(r, 0, 0.3, 2, 1e6));
    }
}

static void draw_scene(scene *s, uint64_t seed, pcs_geometry **geometry, int bodies, wild *w)
{
    test_random r = random_seed(seed);
    *s = scene_open();
    draw_scheme(&r, &s->scheme);
    *w = (wild){.spread = ONE_OF(&r, 0, 0.3, 1, 1, 1e6, 1e30),
                .speed = ONE_OF(&r, 0, 1, 1, 1e4, 1e12),
                .spin = ONE_OF(&r, 0, 1, 30, 1e9),
                .size = ONE_OF(&r, 0.3, 0.3, 1e-3, 1e3),
                .ratio = ONE_OF(&r, 1, 1e3, 1e12),
                .h = ONE_OF(&r, 1e-9, 1e-3, 1e-2, 1, 1e6)};
    double heights[16];
    for (int i = 0; i < 16; ++i) {
        heights[i] = 0.3 * random_normal(&r) - 0.5;
    }
    CK_OK(pcs_geometry_create_height_field(&s->env, 4, 4, 1, 1, heights, &geometry[FIELD]));
    double points[36];
    for (int i = 0; i < 36; ++i) {
        points[i] = 0.2 * random_normal(&r);
    }
    CK_OK(pcs_geometry_create_hull(&s->env, 12, points, &geometry[HULL]));
    const int triangles[] = {0, 1, 2, 3, 4, 5, 0, 2, 3, 6, 7, 8};
    CK_OK(pcs_geometry_create_mesh(&s->env, 12, points, 4, triangles, &geometry[MESH]));
    if (flip(&r)) scene_ground(s, ONE_OF(&r, 0, 1));
    if (flip(&r))
        scene_rough(s, (pcs_system){0}, pcs_shape_height_field(geometry[FIELD]), 0, 0, 0.5);
    if (flip(&r)) scene_rough(s, (pcs_system){0}, pcs_shape_mesh(geometry[MESH]), 0.5, 0, 0.5);
    for (int i = 0; i < bodies; ++i) {
        draw_body(s, &r, w, geometry);
    }
    // joints between bodies at any place
    for (int i = 1; i < bodies && flip(&r); ++i) {
        const double o[3] = {0}, p[3] = {0.1, 0, 0};
        const pcs_interaction_def joint = {flip(&r) ? pcs_relation_ball_joint(o, p)
                                                    : pcs_relation_distance(o, p, 0.3),
                                           pcs_law_equality(),
                                           {i},
                                           {i + 1}};
        CK_OK(pcs_model_add_interaction(s->m, &joint, NULL));
    }
}

static void close_scene(scene *s, pcs_state *before, pcs_geometry **geometry)
{
    pcs_state_destroy(before);
    pcs_work_destroy(s->wk);
    s->wk = NULL;
    pcs_state_destroy(s->st);
    s->st = NULL;
    pcs_model_destroy(s->m);
    s->m = NULL;
    for (int i = 0; i < GEOMETRIES; ++i) {
        pcs_geometry_destroy(geometry[i]);
    }
    scene_close(s);
}

TEST(wild_scenes)
{
    int carried_out = 0, tried = 0;
    for (int k = 0; k < TEST_DRAWS(200); ++k) {
        scene s;
        wild w;
        pcs_geometry *geometry[GEOMETRIES];
        pcs_state *before;
        draw_scene(&s, 7000 + (uint64_t)k, geometry, 1 + k % 7, &w);
        scene_start(&s);
        CK_OK(pcs_state_create(s.m, &before));
        for (int i = 0; i < 6; ++i) {
            carried_out += attempt(&s, before, i % 3 == 2 ? 1 + k % 2 : 0, w.h);
            tried += 1;
        }
        close_scene(&s, before, geometry);
    }
    ck_assert_int_gt(carried_out, tried / 2);
}

// ---- callbacks ----------------------------------------------------------------------------------

// fails at one of its calls, or returns wild numbers, or writes into the state through its own
// pointer
typedef struct fiend {
    scene *s;
    int calls, fail_at, mode;
} fiend;

static const double wild_numbers[] = {1e300, -1e300, INFINITY, NAN, 1e30, 1e-300};

static double answer(fiend *f)
{
    return f->mode < 6 ? wild_numbers[f->mode] : f->calls % 2 ? 1e5 : -1e5;
}

static int wild_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    fiend *f = user;
    if (++f->calls == f->fail_at) return -1;
    for (int i = 0; i < 6; ++i) {
        F[i] = f->mode == 7 ? 0 : answer(f);
    }
    // the step does not report it: it is overwritten
    if (f->mode == 7 && f->s->st) f->s->st->v[0] += 1;
    return 0;
}

static int wild_gap(void *user, const double *q1, const double *q2, double *g)
{
    fiend *f = user;
    if (++f->calls == f->fail_at) return 3;
    g[0] = f->mode == 7 ? -1 : answer(f);
    return 0;
}

static int wild_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    fiend *f = user;
    if (++f->calls == f->fail_at) return 3;
    C1[f->calls % 7] = answer(f);
    if (C2) C2[f->calls % 3] = 1;
    return 0;
}

static int wild_motion(void *user, double t, double q[7], double v[6])
{
    fiend *f = user;
    if (++f->calls == f->fail_at) return 3;
    for (int i = 0; i < 7; ++i) {
        q[i] = i == 3;
    }
    for (int i = 0; i < 6; ++i) {
        v[i] = f->mode % 2 ? answer(f) : 1;
    }
    q[f->mode % 3] = f->calls == 1 ? 0 : answer(f) * t;
    return 0;
}

static pcs_law wild_rule(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    fiend *f = user;
    f->calls += 1;
    if (f->calls == f->fail_at) return (pcs_law){.kind = (pcs_law_kind)77};
    return pcs_law_newton_coulomb(0.5, 0, f->mode < 2 ? 1e300 : f->mode < 6 ? 0.5 : answer(f));
}

static int wild_filter(void *user, pcs_system system1, int shape1, pcs_system system2, int shape2)
{
    fiend *f = user;
    if (++f->calls == f->fail_at) return -1;
    return f->calls % 3 == 0; // different at each call
}

TEST(wild_callbacks)
{
    int failed = 0;
    for (int k = 0; k < TEST_DRAWS(300); ++k) {
        test_random r = random_seed(9000 + (uint64_t)k);
        scene s = scene_open();
        draw_scheme(&r, &s.scheme);
        scene_ground(&s, 0.3);
        fiend f = {.s = &s, .mode = (int)(8 * random_unit(&r))};
        for (int i = 0; i < 4; ++i) {
            pcs_body_def def = pcs_body_def_default();
            memcpy(def.position, (double[3]){0.15 * i, 0, 0.1}, sizeof def.position);
            def.user = &f;
            if (k % 5 == 0 && i % 2) def.force = wild_force;
            if (k % 5 == 1 && i == 2) def.motion = wild_motion;
            const pcs_system body = scene_add(&s, &def);
            scene_rough(&s, body, i % 2 ? pcs_shape_box(0.2, 0.2, 0.2) : pcs_shape_sphere(0.1), 0,
                        0, 0.5);
        }
        const pcs_relation relation = {
            .dim = 1, .gap = wild_gap, .gradient = wild_gradient, .user = &f};
        const pcs_law law = flip(&r) ? pcs_law_equality() : pcs_law_newton_impact(0.5);
        const pcs_interaction_def joint = {relation, law, {1}, {(int)(3 * random_unit(&r)) * 2}};
        if (k % 5 == 2) CK_OK(pcs_model_add_interaction(s.m, &joint, NULL));
        if (k % 5 == 3) CK_OK(pcs_model_set_combine(s.m, wild_rule, &f));
        if (k % 5 == 4) CK_OK(pcs_model_set_filter(s.m, wild_filter, &f));
        f.mode = k % 5 == 1 ? 4 + 2 * (f.mode % 2) : f.mode; // there must be a first pose
        scene_start(&s);
        pcs_state *before;
        CK_OK(pcs_state_create(s.m, &before));
        f.mode = (int)(8 * random_unit(&r));
        for (int i = 0; i < 6; ++i) {
            f.fail_at = i % 3 == 1 ? f.calls + 1 + (int)(8 * random_unit(&r)) : 0;

            // with mode 7 a callback changes the state during the step: the result still has finite
            // numbers
            if (k % 5 == 0 && f.mode == 7) {
                (void)!pcs_step(s.m, s.st, s.wk, 0.01, NULL);
                check_state(&s);
                continue;
            }
            failed += !attempt(&s, before, i == 4 ? 1 : i == 5 ? 2 : 0, 0.01);
        }
        pcs_state_destroy(before);
        scene_close(&s);
    }
    ck_assert_int_gt(failed, TEST_DRAWS(20));
}

// ---- by hand ------------------------------------------------------------------------------------

// numbers that a definition or a state may not contain
TEST(nan_and_infinity_are_refused)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 13; ++i) {
            scene s = scene_open();
            pcs_body_def def = pcs_body_def_default();
            double *where[] = {def.position, def.orientation, def.velocity, def.omega};
            where[i < 3    ? 0
                  : i < 7  ? 1
                  : i < 10 ? 2
                           : 3][i < 3   ? i
                                : i < 7 ? i - 3
                                        : (i - 7) % 3] = bad[k];
            CK_FAILS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG);
            scene_ground(&s, 0);
            scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
            scene_start(&s);
            double *x = i < 7 ? &s.st->q[i] : &s.st->v[i - 7];
            const double good = *x;
            *x = bad[k];
            CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_ARG);
            CK_FAILS(pcs_impact(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_ARG);
            CK_FAILS(pcs_project(s.m, s.st, s.wk, NULL), PCS_ERR_ARG);
            *x = good;
            scene_step(&s, 0.01);
            scene_close(&s);
        }
    }
}

// accelerating beyond the range of numbers: the last finite state stays
TEST(bodies_that_leave)
{
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme.theta = k % 2 ? 1 : 0.5;
        s.scheme.activation = (pcs_activation)(PCS_ACTIVATION_PREDICTIVE + k);
        s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
        s.scheme.solver.max_iters = 30;
        scene_ground(&s, 0.5);
        for (int i = 0; i < 30; ++i) { // enough for the grid of the broad phase
            const pcs_system ball =
                scene_ball(&s, 1, 0.1, (double[3]){0.2 * i, 0, 0.1}, (double[3]){0, 0, i});
            scene_rough(&s, ball, i % 2 ? pcs_shape_box(0.2, 0.2, 0.2) : pcs_shape_sphere(0.1), 0.5,
                        0, 0.5);
        }
        scene_start(&s);
        pcs_state *before;
        CK_OK(pcs_state_create(s.m, &before));
        double size = 1;
        for (int i = 0; i < 28; ++i, size *= 1e12) {
            // each body is thrown further than the previous one
            const pcs_system thrown = {1 + i % 30};
            if (isfinite(size)) scene_v(&s, thrown)[i % 3] = i % 2 ? size : -size;
            attempt(&s, before, 0, 0.01);
        }
        pcs_state_destroy(before);
        scene_close(&s);
    }
}

// a heap of spheres with one centre, above and below the ground
TEST(coincident_spheres)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
        s.scheme.solver.max_iters = 5;
        s.scheme.accept_unconverged = k % 2;
        s.scheme.theta = k / 2 ? 1 : 0.5;
        s.scheme.activation = k / 2 ? PCS_ACTIVATION_SPECULATIVE : PCS_ACTIVATION_PREDICTIVE;
        scene_ground(&s, 0);
        pcs_material rough;
        CK_OK(pcs_model_add_material(s.m, &(pcs_material_def){.mu = 0.3}, &rough));
        const pcs_shape sphere = pcs_shape_sphere(0.1);
        for (int i = 0; i < 60; ++i) {
            const pcs_system ball = scene_ball(&s, 1, 0.1, (double[3]){1, 2, 0.05}, NULL);
            CK_OK(pcs_model_add_shape(s.m, ball, &sphere, rough));
        }
        scene_start(&s);
        pcs_state *before;
        CK_OK(pcs_state_create(s.m, &before));
        for (int i = 0; i < 3; ++i) {
            ck_assert(attempt(&s, before, i == 2 ? 1 : 0, 0.01));
        }
        pcs_state_destroy(before);
        scene_close(&s);
    }
}

// 10^12 kg on 1 kg on the ground, and the reverse, with and without friction: the light body bears
// the heavy one
TEST(heavy_on_light)
{
    for (int k = TEST_FEW(1, 0); k < TEST_FEW(3, 4); ++k) {
        scene s = scene_open();
        const double heavy = k % 2 ? 1e12 : 1, light = k % 2 ? 1 : 1e12, mu = k / 2 ? 0.5 : 0;
        s.scheme.theta = k == 3 ? 1 : 0.5;
        s.scheme.accept_unconverged = true;
        s.scheme.solver.tol = 1e-8;
        scene_ground(&s, 0);
        const double edges[3] = {0.2, 0.2, 0.2};
        for (int i = 0; i < 2; ++i) {
            const double x[3] = {0, 0, 0.1 + 0.2 * i};
            const pcs_system box = scene_box(&s, i ? heavy : light, edges, x, NULL, NULL, NULL);
            scene_rough(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0, 0, mu);
        }
        scene_start(&s);
        pcs_state *before;
        CK_OK(pcs_state_create(s.m, &before));
        for (int i = 0; i < TEST_FEW(2, 8); ++i) {
            ck_assert(attempt(&s, before, 0, 0.01));
            CK_NEAR(s.st->q[2], 0.1, 0.05);
        }
        pcs_state_destroy(before);
        scene_close(&s);
    }
}
