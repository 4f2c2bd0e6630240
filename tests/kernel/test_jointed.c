// What joints forbid has no effect on the contacts of a step: bodies on joints strike where they
// are, along the normal of their faces, and move until they touch.
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
