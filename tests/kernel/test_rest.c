// Resting bodies do not move under any scheme: their contacts stay active although velocities that
// are solved to a tolerance open them a little in every step.
#include "scene.h"

#define STEP 0.01
#define PI   3.14159265358979323846

// Makes steps in which no body may move further than the errors of the velocities allow, which are
// solved to tol (|q| + |u|) each, and the rounding of coordinates.
static void expect_rest(scene *s, int steps)
{
    steps = TEST_DRAWS(steps);
    double *start = malloc((size_t)s->st->nq * sizeof *start), largest = 1, allowed = 0;
    memcpy(start, s->st->q, (size_t)s->st->nq * sizeof *start);
    for (int i = 0; i < s->st->nq; ++i) {
        largest = fmax(largest, fabs(start[i]));
    }
    for (int k = 0; k < steps; ++k) {
        scene_step(s, STEP);
        const pcs_measure *m = &s->report.solve.measure;
        allowed += STEP * fmax(s->scheme.solver.tol, 1e-15) * (m->norm_q + m->norm_u);
    }
    const double bound = 2 * allowed + 64 * DBL_EPSILON * largest * sqrt(steps);
    for (int i = 0; i < s->st->nq; i += 7) {
        double way = 0;
        for (int j = 0; j < 3; ++j) {
            way = fmax(way, fabs(s->st->q[i + j] - start[i + j]));
        }
        ck_assert_msg(way <= bound, "body %d moved by %g, %g allowed: theta %g, %d, %d, tol %g",
                      1 + i / 7, way, bound, s->scheme.theta, s->scheme.activation,
                      s->scheme.projection, s->scheme.solver.tol);
    }
    free(start);
}

// 0.2 x 0.2 x 0.1 m times `size`, `n` boxes on one another on a slope through the point at `far`
static void put_boxes(scene *s, int n, double size, double slope, double e, double far)
{
    const double N[3] = {sin(slope), 0, cos(slope)}, Q[4] = {cos(slope / 2), 0, sin(slope / 2), 0};
    const double edges[3] = {0.2 * size, 0.2 * size, 0.1 * size};
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space(N, N[0] * far), e, 0, 0.5);
    for (int i = 0; i < n; ++i) {
        const double z = (i + 0.5) * edges[2], x[3] = {far + z * N[0], 0, z * N[2]};
        const pcs_system box = scene_box(s, size * size * size, edges, x, Q, NULL, NULL);
        scene_rough(s, box, pcs_shape_box(edges[0], edges[1], edges[2]), e, 0, 0.5);
    }
}

static void expect_boxes_rest(const pcs_scheme *scheme, int n, double size, double slope, double e,
                              double far, int steps)
{
    scene s = scene_open();
    s.scheme = *scheme;
    put_boxes(&s, n, size, slope, e, far);
    scene_start(&s);
    expect_rest(&s, steps);
    scene_close(&s);
}

static pcs_scheme scheme_of(pcs_activation activation, pcs_projection projection, double theta,
                            double tol)
{
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.activation = activation;
    s.projection = projection;
    s.theta = theta;
    s.solver.tol = tol;
    return s;
}

// a box on a slope just below the steepest, and on a flat one, for a long time
TEST(a_box_stays_for_long)
{
    const double slope = atan(0.5) - 1e-3;
    const pcs_projection projection[] = {PCS_PROJECTION_DIRECT, PCS_PROJECTION_NONE};
    for (int k = 0; k < 2; ++k) {
        const pcs_scheme s = scheme_of(PCS_ACTIVATION_PREDICTIVE, projection[k], 1, 1e-10);
        expect_boxes_rest(&s, 1, 1, slope, 0, 0, 20000);
        expect_boxes_rest(&s, 1, 1, 0, 0, 0, 20000);
    }
}

// every rule, projection and theta that a model accepts, with a loose and a tight tolerance
TEST(boxes_rest_with_every_scheme)
{
    int accepted = 0;
    for (int k = 0; k < 3 * 6 * 4 * 3; ++k) {
        static const double thetas[] = {0, 0.3, 0.5, 1}, tols[] = {1e-4, 1e-8, 1e-13};
        const pcs_scheme s =
            scheme_of((pcs_activation)(PCS_ACTIVATION_PREDICTIVE + k % 3),
                      (pcs_projection)(k / 3 % 6), thetas[k / 18 % 4], tols[k / 72]);
        scene probe = scene_open();
        const bool refused = pcs_model_set_scheme(probe.m, &s) != PCS_OK;
        scene_close(&probe);
        if (refused) continue;
        accepted += 1;
        expect_boxes_rest(&s, 1, 1, 0.45, 0, 0, 300);
    }
    ck_assert_int_ge(accepted, 72);
}

TEST(stacks_small_and_large_near_and_far)
{
    static const double sizes[] = {0.01, 1, 500};
    for (int k = 0; k < 12; ++k) {
        const pcs_scheme s = scheme_of(PCS_ACTIVATION_PREDICTIVE,
                                       k % 2 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE,
                                       k % 4 < 2 ? 0.5 : 1, 1e-8);
        expect_boxes_rest(&s, 3, sizes[k / 4], 0.3, 0, k % 2 ? 0 : 1e3, 500);
    }
}

// the speeds that a solver leaves do not rebound, not even with e = 1
TEST(bodies_that_bounce_rest_too)
{
    for (int k = 0; k < 6; ++k) {
        const pcs_scheme s = scheme_of(PCS_ACTIVATION_PREDICTIVE,
                                       k % 2 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE,
                                       k < 3 ? 0.5 : 1, k % 3 ? 1e-8 : 1e-4);
        expect_boxes_rest(&s, 1, 1, 0.4, k < 4 ? 1 : 0.5, 0, 1000);
    }
}

// speed of a ball or a brick with restitution e, thrown on the floor, at t_end
static double speed_left(const pcs_scheme *scheme, bool ball, double e, double t_end)
{
    scene s = scene_open();
    s.scheme = *scheme;
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), e, 0, 0.4);
    const double x[3] = {0, 0, 0.2}, edges[3] = {0.2, 0.1, 0.06}, omega[3] = {3, 2, 0};
    double Q[4];
    pcs_quat_exp((const double[]){0.7, 0.4, 0.2}, Q);
    const pcs_system body =
        ball ? scene_ball(&s, 2, 0.1, x, NULL) : scene_box(&s, 2, edges, x, Q, NULL, omega);
    scene_rough(&s, body, ball ? pcs_shape_sphere(0.1) : pcs_shape_box(0.2, 0.1, 0.06), e, 0, 0.4);
    scene_start(&s);
    for (int k = 0; k * 4e-3 < t_end; ++k) {
        scene_step(&s, 4e-3);
    }
    double speed = 0;
    for (int i = 0; i < 6; ++i) {
        speed = fmax(speed, fabs(s.st->v[i]) * (i < 3 ? 1 : 0.1));
    }
    scene_close(&s);
    return speed;
}

// A body that is dropped comes to rest, by the first bounces of Newton's law and then on the floor:
// no bounce gets energy from the projection of the previous one.
TEST(dropped_boxes_come_to_rest)
{
    for (int k = 0; k < 2 * 2 * 4; k += TEST_FEW(5, 1)) { // all values, not all combinations
        pcs_scheme s = scheme_of(PCS_ACTIVATION_PREDICTIVE,
                                 k % 2 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_DIRECT_HYSTERESIS,
                                 k / 2 % 2 ? 0.5 : 1, 1e-10);
        s.gamma = 0.5 * (k / 4);
        static const double es[] = {0, 0.3, 0.6, 0.9}, ends[] = {1, 1, 2, 8};
        for (int i = 0; i < 8; ++i) {
            const double e = es[i / 2], speed = speed_left(&s, i % 2 == 0, e, ends[i / 2]);
            ck_assert_msg(speed < 1e-6, "%s, e %g, theta %g, gamma %g, projection %d: %g m/s",
                          i % 2 ? "brick" : "ball", e, s.theta, s.gamma, s.projection, speed);
        }
    }
}

static int push(void *user, double t, const double *q, const double *v, double *F)
{
    memset(F, 0, 6 * sizeof *F);
    F[0] = *(const double *)user;
    return 0;
}

// a row of boxes pressed against a wall does not fall: the neighbours hold the inner ones
TEST(books_between_hands)
{
    double force = -200; // N, on the last; each weighs 10 N, and mu = 0.5 holds 100 N
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme =
            scheme_of(PCS_ACTIVATION_PREDICTIVE,
                      k % 2 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE, k < 2 ? 0.5 : 1, 1e-9);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){1, 0, 0}, 0), 0, 0, 0.5);
        const double edges[3] = {0.1, 0.2, 0.3};
        for (int i = 0; i < 4; ++i) {
            pcs_body_def def =
                pcs_body_def_of_inertia(pcs_inertia_box(1, edges[0], edges[1], edges[2]));
            pcs_system book;
            def.position[0] = 0.05 + 0.1 * i;
            if (i == 3) def.force = push, def.user = &force;
            CK_OK(pcs_model_add_body(s.m, &def, &book));
            scene_rough(&s, book, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.5);
        }
        scene_start(&s);
        expect_rest(&s, 1000);
        scene_close(&s);
    }
}

static int stands(void *user, double t, double q[7], double v[6])
{
    memcpy(q, user, 7 * sizeof *q);
    memset(v, 0, 6 * sizeof *v);
    return 0;
}

TEST(on_ground_whose_motion_is_prescribed)
{
    for (int k = 0; k < 4; ++k) {
        double slope = 0.4, pose[7] = {0, 0, 0, cos(0.2), 0, sin(0.2), 0};
        scene s = scene_open();
        s.scheme =
            scheme_of(PCS_ACTIVATION_PREDICTIVE,
                      k % 2 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE, 1, k < 2 ? 1e-4 : 1e-9);
        pcs_body_def def = pcs_body_def_default();
        def.motion = stands;
        def.user = pose;
        const pcs_system ground = scene_add(&s, &def);
        pcs_shape top = pcs_shape_box(4, 4, 1);
        top.position[2] = -0.5;
        scene_rough(&s, ground, top, 0, 0, 0.5);
        const double x[3] = {0.05 * sin(slope), 0, 0.05 * cos(slope)}, edges[3] = {0.2, 0.2, 0.1};
        const pcs_system box = scene_box(&s, 1, edges, x, pose + 3, NULL, NULL);
        scene_rough(&s, box, pcs_shape_box(0.2, 0.2, 0.1), 0, 0, 0.5);
        scene_start(&s);
        expect_rest(&s, 1000);
        scene_close(&s);
    }
}

// ---- tiny steps ---------------------------------------------------------------------------------

// Over a tiny step the rounding of a gap is a velocity: rounding / h. A body at rest may have
// neither that one nor the fall through such a gap.
static void expect_rest_in_tiny_steps(const pcs_scheme *scheme, double h, double far, double e)
{
    scene s = scene_open();
    s.scheme = *scheme;
    put_boxes(&s, 4, 1, 0.3, e, far);
    const double r = 0.07, N[3] = {sin(0.3), 0, cos(0.3)}, at = 0.4 + r;
    const double top[3] = {far + at * N[0], 0, at * N[2]};
    const pcs_system ball = scene_rough_ball(&s, 1, r, top, NULL, e, 0, 0.5);
    scene_gravity(&s, -9.81 * N[0], 0, -9.81 * N[2]);
    scene_start(&s);
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, h);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        for (int i = 0; i < s.st->nv; ++i) {
            ck_assert_msg(fabs(s.st->v[i]) <= 1e-3 * 9.81 * h,
                          "v[%d] is %g after step %d of %g s at x = %g, e = %g: %d, %d, theta %g",
                          i, s.st->v[i], k, h, far, e, scheme->activation, scheme->projection,
                          scheme->theta);
        }
    }
    ck_assert_ptr_nonnull(scene_q(&s, ball));
    scene_close(&s);
}

TEST(bodies_rest_in_tiny_steps)
{
    int accepted = 0;
    for (int k = 0; k < 3 * 6 * 2; ++k) {
        const pcs_scheme s = scheme_of((pcs_activation)(PCS_ACTIVATION_PREDICTIVE + k % 3),
                                       (pcs_projection)(k / 3 % 6), k / 18 ? 1 : 0.5, 1e-8);
        if (pcs_scheme_check(&s) != PCS_OK) continue;
        accepted += 1;
        for (double h = 1e-6; h > 1e-13; h *= 0.1) {
            expect_rest_in_tiny_steps(&s, h, 0, 0);
            expect_rest_in_tiny_steps(&s, h, 100, 0.5);
        }
    }
    ck_assert_int_ge(accepted, 12);
}

// ---- rest that the law does not enforce --------------------------------------------------------

// With friction a structure may have several velocities: it rests, or slides as soon as impulses of
// rest are given up. It must rest wherever it can, and slide where it cannot.

enum { LOG_CAPSULES, LOG_CYLINDERS, A_FRAME, STRUCTURES };

static pcs_law friction(double mu)
{
    return pcs_law_newton_coulomb(0, 0, mu);
}

// Three equal logs, two side by side on the ground and one on top. The force of the top log on one
// below must pass through the contact of that log with the ground, as its weight does: at 15
// degrees to the vertical and to the normal. With a vertical part of half a weight it needs mu =
// tan 15 / 3 of the ground, and tan 15 between logs, which have twice that here
static void put_logs(scene *s, bool capsules, double part, double turned)
{
    const double R = 0.1, L = 1, most = tan(PI / 12), c = cos(turned), d = sin(turned);
    const double place[3][2] = {{-R, R}, {R, R}, {0, R + sqrt(3) * R}};
    const pcs_material_def smooth = {.mu = 0};
    const pcs_law under = friction(part * most / 3), between = friction(2 * most);
    pcs_material log, ground;
    CK_OK(pcs_model_add_material(s->m, &smooth, &log));
    CK_OK(pcs_model_add_material(s->m, &smooth, &ground));
    CK_OK(pcs_model_set_pair_law(s->m, log, ground, &under));
    CK_OK(pcs_model_set_pair_law(s->m, log, log, &between));
    const pcs_shape floor = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    CK_OK(pcs_model_add_shape(s->m, (pcs_system){0}, &floor, ground));
    for (int k = 0; k < 3; ++k) {
        // the axis z of the shape along y, then a turn about z
        const double a = cos(turned / 2) * sqrt(0.5), b = sin(turned / 2) * sqrt(0.5);
        const double Q[4] = {a, -a, -b, b};
        pcs_body_def def = pcs_body_def_default();
        pcs_system id;
        def.position[0] = place[k][0] * c;
        def.position[1] = place[k][0] * d;
        def.position[2] = place[k][1];
        memcpy(def.orientation, Q, sizeof Q);
        const pcs_shape shape = capsules ? pcs_shape_capsule(R, L) : pcs_shape_cylinder(R, L);
        CK_OK(pcs_model_add_solid(s->m, &def, 1, &shape, 600, log, &id));
    }
}

// Two equal prisms whose feet are at x = -1 to -0.9 and 0.9 to 1, and which meet in the plane x = 0
// from z = 1.35 to 1.5. Each leg has its weight at x = -c and a horizontal force at its head; about
// the inner edge of the foot the least of this force is weight (0.9 - c) / 1.5, with the force at
// the top
static void put_frame(scene *s, double part, double turned, pcs_geometry **leg)
{
    const double outline[4][2] = {{-1, 0}, {-0.9, 0}, {0, 1.35}, {0, 1.5}};
    double area = 0, moment = 0;
    for (int i = 0; i < 4; ++i) {
        const double *p = outline[i], *q = outline[(i + 1) % 4];
        const double cross = 0.5 * (p[0] * q[1] - q[0] * p[1]);
        area += cross;
        moment += cross * (p[0] + q[0]) / 3;
    }
    const double mu = (moment / area + 0.9) / 1.5;
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, part * mu);
    const pcs_material_def def = {.mu = part * mu};
    pcs_material material;
    CK_OK(pcs_model_add_material(s->m, &def, &material));
    for (int k = 0; k < 2; ++k) {
        double points[8][3];
        for (int i = 0; i < 8; ++i) {
            points[i][0] = (k ? -1 : 1) * outline[i / 2][0];
            points[i][1] = i % 2 ? 0.25 : -0.25;
            points[i][2] = outline[i / 2][1];
        }
        CK_OK(pcs_geometry_create_hull(NULL, 8, points[0], &leg[k]));
        pcs_body_def body = pcs_body_def_default();
        pcs_system id;
        body.orientation[0] = cos(turned / 2);
        body.orientation[3] = sin(turned / 2);
        const pcs_shape shape = pcs_shape_hull(leg[k]);
        CK_OK(pcs_model_add_solid(s->m, &body, 1, &shape, 500, material, &id));
    }
}

// a structure whose ground has `part` of the friction that it needs, after n steps: how far a body
// has moved; energies do not grow
static double moved_after(int kind, double part, double turned, double tol, int n)
{
    scene s = scene_open();
    pcs_geometry *leg[2] = {NULL, NULL};
    s.scheme = pcs_scheme_default();
    s.scheme.solver.tol = tol;
    if (kind == A_FRAME) {
        put_frame(&s, part, turned, leg);
    } else {
        put_logs(&s, kind == LOG_CAPSULES, part, turned);
    }
    scene_start(&s);
    const int nq = s.st->nq;
    double *start = malloc((size_t)nq * sizeof *start), way = 0;
    memcpy(start, s.st->q, (size_t)nq * sizeof *start);
    const double energy = scene_potential(&s), unit = fabs(energy);
    for (int k = 0; k < n; ++k) {
        scene_step(&s, 0.005);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_double_le(scene_kinetic(&s) + scene_potential(&s) - energy, 10 * tol * unit);
    }
    for (int i = 0; i < nq; ++i) {
        way = fmax(way, fabs(s.st->q[i] - start[i]));
    }
    free(start);
    scene_close(&s);
    for (int k = 0; k < 2; ++k) {
        pcs_geometry_destroy(leg[k]);
    }
    return way;
}

TEST(what_can_rest_does_not_begin_to_slide)
{
    test_random rng = random_seed(11);
    for (int kind = 0; kind < STRUCTURES; ++kind) {
        for (int k = 0; k < 4; ++k) {
            const double turned = k == 0 ? 0 : 2 * PI * random_unit(&rng);
            const double tol = k % 2 ? 1e-10 : 1e-8;
            const double rests = moved_after(kind, 1.0001, turned, tol, TEST_DRAWS(2000));
            const double slides = moved_after(kind, 0.99, turned, tol, 100);
            ck_assert_msg(rests <= 10 * tol, "structure %d, turned by %g, moved by %g m", kind,
                          turned, rests);
            ck_assert_msg(slides >= 1e-4, "structure %d, turned by %g, moved by %g m", kind, turned,
                          slides);
        }
    }
}
