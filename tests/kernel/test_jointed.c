// What joints forbid has no effect on the contacts of a step: bodies on joints strike where they
// are, along the normal of their faces, and move until they touch. And what lies on a lever is no
// floor with what falls on it.
#include "scene.h"
#include "scheme_list.h"

#include <percuss/joint.h>

#include <math.h>

// how the plate is guided; all let its centre move along x, and none lets it turn about z
typedef enum guide {
    SLIDER,
    CYLINDRICAL,
    PLANAR,
    HINGE,
    ON_A_CART,  // fixed to a heavier body on a slider
    ON_A_TRAIN, // the first of a row of bodies, each fixed to the next; the last is on a slider
    SPRUNG,     // the same with a spring beside each of these joints
    GUIDES
} guide;

enum { CARTS = 12 };

static void add_spring(scene *s, pcs_system one, pcs_system two, double stiffness, double length)
{
    pcs_force_def def = pcs_force_def_default(PCS_FORCE_SPRING);
    def.system1 = one;
    def.system2 = two;
    def.stiffness = stiffness;
    def.length = length;
    CK_OK(pcs_model_add_force(s->m, &def, NULL));
}

static void join(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two,
                 const double point[3], const double z[3])
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    def.system1 = one;
    def.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, point, z, NULL, &def));
    CK_OK(pcs_model_add_joint(s->m, &def, NULL));
}

// a plate at x that moves at v, guided; *mass: of all that moves along x
static pcs_system put_plate(scene *s, guide by, const double x[3], double v, double e, double *mass)
{
    const double edges[3] = {0.02, 0.1, 0.1}, e_x[3] = {1, 0, 0}, e_y[3] = {0, 1, 0}, arm = 0.4;
    const double pivot[3] = {x[0], x[1], x[2] + arm};
    const pcs_system world = {0};
    const double spin[3] = {0, by == HINGE ? -v / arm : 0, 0};
    const pcs_system plate = scene_box(s, 0.2, edges, x, NULL, (double[3]){v, 0, 0}, spin);
    scene_shape(s, plate, pcs_shape_box(edges[0], edges[1], edges[2]), e);
    *mass = 0.2;
    if (by == SLIDER) join(s, PCS_JOINT_SLIDER, plate, world, x, e_x);
    if (by == CYLINDRICAL) join(s, PCS_JOINT_CYLINDRICAL, plate, world, x, e_x);
    if (by == PLANAR) join(s, PCS_JOINT_PLANAR, plate, world, x, e_y);
    if (by == HINGE) join(s, PCS_JOINT_HINGE, plate, world, pivot, e_y);
    pcs_system last = plate;
    for (int i = 1; i <= CARTS && by >= ON_A_CART; ++i) {
        const double at[3] = {x[0] - 0.1 * i, x[1], x[2] - 0.02 * (i % 2)};
        const double m = by == ON_A_CART ? 0.5 : 0.05;
        const pcs_system cart = scene_box(s, m, edges, at, NULL, (double[3]){v, 0, 0}, NULL);
        join(s, PCS_JOINT_FIXED, last, cart, at, e_x);
        if (by == SPRUNG) add_spring(s, last, cart, i % 2 ? 1e2 : 1e6, hypot(0.1, 0.02));
        *mass += m;
        last = cart;
        if (by == ON_A_CART || i == CARTS) {
            join(s, PCS_JOINT_SLIDER, cart, world, at, e_x);
            break;
        }
    }
    return plate;
}

// A plate on a joint strikes a ball beside its centre line. Without the push of the ball its joint
// holds it straight: with e = 0 it stops where it touches, with e > 0 Newton's law holds, and the
// ball leaves along the normal.
static void strike(guide by, bool fixed, double e, uint64_t seed)
{
    test_random r = random_seed(seed);
    const double h = 2e-3, radius = 0.03, m2 = random_between(&r, 0.1, 5);
    const double v = random_between(&r, 1, 6), part = random_between(&r, 0.1, 0.9),
                 gap = part * v * h;
    const double off = random_between(&r, -0.04, 0.04), x[3] = {-radius - 0.01 - gap, off, 0};
    const double origin[3] = {0};
    double m1;
    pcs_closest c;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system plate = put_plate(&s, by, x, v, e, &m1);
    pcs_system ball = {0};
    if (fixed) {
        scene_shape(&s, ball, pcs_shape_sphere(radius), e);
    } else {
        ball = scene_solid_ball(&s, m2, radius, origin, origin, e);
    }
    scene_gravity(&s, 0, 0, 0);
    scene_start(&s);
    scene_step(&s, h);
    CK_OK(pcs_state_distance(s.m, s.st, plate, ball, INFINITY, &c));
    const double *v1 = scene_v(&s, plate), still[6] = {0}, *v2 = fixed ? still : scene_v(&s, ball);
    const double share = fixed ? 0 : m1 / (m1 + m2);
    for (int i = 1; i < 3; ++i) {
        if (by != HINGE || i == 1) CK_NEAR(v2[i], 0, 1e-7 * v);
    }
    if (by == HINGE) {
        // paths are chords of its circle
        if (e == 0) CK_NEAR(c.distance, 0, 0.05 * gap);
        scene_close(&s);
        return;
    }
    const double u = e > 0 ? -e * v : part * v;
    CK_NEAR(v2[0], share * (v - u), 1e-7 * v);
    CK_NEAR(v1[0], v2[0] + u, 1e-7 * v);
    if (e == 0) CK_NEAR(c.distance, 0, 1e-6 * gap);
    scene_close(&s);
}

TEST(joints_hold_on_the_way_to_a_contact)
{
    for (guide by = 0; by < GUIDES; ++by) {
        for (int k = 0; k < TEST_FEW(12, 200); ++k) {
            strike(by, k % 2, k % 4 < 2 ? 0 : 0.5, (uint64_t)k);
        }
    }
}

// A ball strikes the upper edge of a block on a rough floor. Without the push of the ball the floor
// must not throw the block up: with e = 0 the two touch at the end of the step.
TEST(floors_hold_on_the_way_to_a_contact)
{
    const double h = 2e-3, edges[3] = {0.12, 0.2, 0.15}, radius = 0.08;
    for (uint64_t k = 0; k < TEST_FEW(20, 200); ++k) {
        test_random r = random_seed(k);
        const double a = random_between(&r, 0.4, 1.2), b = random_between(&r, -0.4, 0.4);
        const double speed = random_between(&r, 1, 4), part = random_between(&r, 0.2, 0.8);
        const double v[3] = {speed * sin(a + b), 0, -speed * cos(a + b)};
        const double x[3] = {-0.06 - radius * sin(a) - part * h * v[0],
                             random_between(&r, -0.05, 0.05),
                             0.15 + radius * cos(a) - part * h * v[2]};
        const double gap = hypot(x[0] + 0.06, x[2] - 0.15) - radius, middle[3] = {0, 0, 0.075};
        pcs_closest c;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system block = scene_box(&s, 1, edges, middle, NULL, NULL, NULL);
        scene_rough(&s, block, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.6);
        const pcs_shape floor = pcs_shape_half_space((double[]){0, 0, 1}, 0);
        scene_rough(&s, (pcs_system){0}, floor, 0, 0, 0.6);
        const pcs_system ball =
            scene_rough_ball(&s, random_between(&r, 1, 6), radius, x, v, 0, 0, 0.6);
        scene_start(&s);
        scene_step(&s, h);
        CK_OK(pcs_state_distance(s.m, s.st, block, ball, INFINITY, &c));
        // the row is linear, and the ball moves along the edge by up to 0.4 of the way
        CK_NEAR(c.distance, 0, 0.05 * gap);
        scene_close(&s);
    }
}

// A weight falls at some multiple of the thickness of a lever per step on one arm of it; a payload
// lies on the other one. Nothing has friction or weight. With the impulse p of the weight at a, the
// payload at -b and e = 0 between lever and payload
//
//     p = (1 + e) v / (1 / m + a^2 / (J + m_p b^2)).
typedef struct fall {
    bool boxes; // not balls
    double mu, e, m, thicknesses, part, a;
} fall;

static pcs_system put(scene *s, bool box, double m, double r, const double x[3], const double v[3],
                      double e, double mu)
{
    if (!box) return scene_rough_ball(s, m, r, x, v, e, 0, mu);
    const double edges[3] = {2 * r, 2 * r, 2 * r};
    const pcs_system b = scene_box(s, m, edges, x, NULL, v, NULL);
    scene_rough(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), e, 0, mu);
    return b;
}

// the impulse that the weight has after three steps over p
static double drop(const fall *f)
{
    const double h = 1e-3, edges[3] = {0.2, 0.03, 0.008}, M = 0.0144, m = f->m, r = 0.015;
    const double m_p = 0.008, r_p = 0.01, b = 0.09, v = f->thicknesses * edges[2] / h;
    const double origin[3] = {0}, e_y[3] = {0, 1, 0}, still[3] = {0}, down[3] = {0, 0, -v};
    const double at_p[3] = {-b, 0, 0.5 * edges[2] + r_p};
    const double at[3] = {f->a, 0, 0.5 * edges[2] + r + f->part * v * h};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system lever = scene_box(&s, M, edges, origin, NULL, NULL, NULL);
    scene_rough(&s, lever, pcs_shape_box(edges[0], edges[1], edges[2]), f->e, 0, f->mu);
    join(&s, PCS_JOINT_HINGE, lever, (pcs_system){0}, origin, e_y);
    put(&s, f->boxes, m_p, r_p, at_p, still, 0, f->mu);
    const pcs_system w = put(&s, f->boxes, m, r, at, down, f->e, f->mu);
    scene_gravity(&s, 0, 0, 0);
    scene_start(&s);
    for (int k = 0; k < 3; ++k) {
        scene_step(&s, h);
        CK_NEAR(fmax(0, scene_kinetic(&s) - 0.5 * m * v * v), 0, 1e-9 * m * v * v);
    }
    const double J = M / 12 * (edges[0] * edges[0] + edges[2] * edges[2]) + m_p * b * b;
    const double got = (v + scene_v(&s, w)[2]) * (1 + m * f->a * f->a / J) / ((1 + f->e) * v);
    scene_close(&s);
    return got;
}

// The weight is never let through. What rebounds without friction from a lever that turns by less
// than 0.3 rad has p at once; with e = 0 it follows the lever, and has up to a tenth more.
TEST(weights_turn_a_lever_with_a_payload)
{
    for (uint64_t k = 0; k < TEST_FEW(60, 600); ++k) {
        test_random r = random_seed(k);
        const fall f = {.boxes = k % 2,
                        .mu = k % 4 < 2 ? 0 : 1,
                        .e = k % 8 < 4 ? 0 : 0.5,
                        .m = 0.1,
                        .thicknesses = exp(random_between(&r, log(0.5), log(20))),
                        .part = random_between(&r, 0.1, 0.9),
                        .a = random_between(&r, 0.05, 0.095)};
        const double got = drop(&f);
        ck_assert_msg(got >= 0.5, "%d: an impulse of %g", (int)k, got);
        if (f.boxes || f.mu > 0 || f.thicknesses > 2) continue;
        CK_NEAR(got, f.e > 0 ? 1 : 1.05, f.e > 0 ? 1e-6 : 0.05);
    }
}

// The lever turns by up to 3 rad in a step. On the path without the push of the weight its hinge
// holds it, although its mass with the gyroscopic terms is indefinite.
TEST(joints_hold_bodies_that_turn_far)
{
    for (int k = 0; k < 10; ++k) {
        const fall f = {.boxes = true,
                        .mu = 1,
                        .e = 0,
                        .m = 0.216,
                        .thicknesses = 19,
                        .part = 0.5 + 0.01 * k,
                        .a = 0.05};
        const double got = drop(&f);
        ck_assert_msg(got >= 0.5, "%d: an impulse of %g", k, got);
    }
}
