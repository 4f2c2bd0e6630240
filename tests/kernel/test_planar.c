// Planar bodies: rolling, sliding and tipping against closed forms, a stack at rest, agreement with
// prisms in space, forces that leave the plane, joints and springs, and definitions that are
// refused.
#include <percuss/planar.h>

#include "scene.h"

#include <string.h>

static const double G = 9.81;

// each plane: its first and second axis, and its normal
static const int AXES[4][3] = {{0}, {0, 1, 2}, {0, 2, 1}, {1, 2, 0}};

static void set(double x[3], pcs_plane plane, double first, double second)
{
    x[AXES[plane][0]] = first;
    x[AXES[plane][1]] = second;
    x[AXES[plane][2]] = 0;
}

// gravity along the second axis of the plane, down a slope that falls along the first one
static void tilt(scene *s, pcs_plane plane, double slope)
{
    double g[3];
    set(g, plane, G * sin(slope), -G * cos(slope));
    scene_gravity(s, g[0], g[1], g[2]);
}

static void ground(scene *s, pcs_plane plane, double mu)
{
    double n[3];
    set(n, plane, 0, 1);
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space(n, 0), 0, 0, mu);
}

static pcs_body_def at(pcs_plane plane, double first, double second, double angle)
{
    pcs_body_def def = pcs_body_def_default();
    def.plane = plane;
    set(def.position, plane, first, second);
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[1 + AXES[plane][2]] = sin(0.5 * angle);
    return def;
}

// a rotation by a positive angle about the normal turns the first axis towards the second, but in
// the plane x-z
static double turn_sign(pcs_plane plane)
{
    return plane == PCS_PLANE_XZ ? -1 : 1;
}

static scene open_default(void)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.solver.tol = 1e-12;
    return s;
}

// every coordinate and velocity that leaves the plane is exactly zero
static void check_plane(scene *s, pcs_system body, pcs_plane plane)
{
    const double *q = scene_q(s, body), *v = scene_v(s, body);
    const int n = AXES[plane][2];
    ck_assert(q[n] == 0 && v[n] == 0);
    for (int i = 0; i < 3; ++i) {
        ck_assert(i == n || (q[4 + i] == 0 && v[3 + i] == 0));
    }
}

TEST(a_disk_rolls_down_a_slope_or_slides)
{
    const double slope = 0.3, h = 1e-3, radius = 0.2;
    const int n = 200;
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        for (int rolls = 0; rolls < 2; ++rolls) {
            const double mu = rolls ? 0.5 : 0.05; // rolls where tan(slope) <= 3 mu
            scene s = open_default();
            tilt(&s, plane, slope);
            ground(&s, plane, mu);
            const pcs_body_def def = at(plane, 0, radius, 0);
            pcs_system disk;
            CK_OK(pcs_model_add_disk(s.m, &def, radius, 3, (pcs_material){0}, &disk));
            scene_start(&s);
            for (int i = 0; i < n; ++i) {
                scene_step(&s, h);
                scene_check_ledger(&s);
                check_plane(&s, disk, plane);
            }
            const double a = rolls ? G * sin(slope) / 1.5 : G * (sin(slope) - mu * cos(slope));
            const double spin = rolls ? a / radius : 2 * mu * G * cos(slope) / radius;
            CK_NEAR(scene_v(&s, disk)[AXES[plane][0]], a * n * h, 1e-9);
            CK_NEAR(scene_v(&s, disk)[3 + AXES[plane][2]], -turn_sign(plane) * spin * n * h, 1e-8);
            const pcs_contact *c;
            ck_assert_int_eq(scene_contacts(&s, &c), 1);
            ck_assert(c[0].r[2] == 0 && c[0].u[2] == 0);
            scene_close(&s);
        }
    }
}

TEST(a_box_on_a_slope_rests_slides_or_tips)
{
    const double a = 0.3, b = 0.5;
    // slope, friction: rests; slides by g (sin - mu cos); tips where tan(slope) > a / b
    const double slope[3] = {0.2, 0.3, 0.6}, mu[3] = {0.3, 0.2, 1.5};
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        for (int k = 0; k < 3; ++k) {
            scene s = open_default();
            tilt(&s, plane, slope[k]);
            ground(&s, plane, mu[k]);
            const pcs_body_def def = at(plane, 0, 0.5 * b, 0);
            pcs_system box;
            CK_OK(pcs_model_add_rectangle(s.m, &def, a, b, 40, (pcs_material){0}, &box));
            scene_start(&s);
            const int n = 100;
            const double h = 2e-3;
            for (int i = 0; i < n; ++i) {
                scene_step(&s, h);
                scene_check_ledger(&s);
                check_plane(&s, box, plane);
            }
            const double *v = scene_v(&s, box), spin = v[3 + AXES[plane][2]];
            const double slides = k == 1 ? G * (sin(slope[1]) - mu[1] * cos(slope[1])) * n * h : 0;
            if (k < 2) {
                CK_NEAR(v[AXES[plane][0]], slides, 1e-8);
                CK_NEAR(spin, 0, 1e-8);
                const pcs_contact *c;
                ck_assert_int_eq(scene_contacts(&s, &c), 2); // the two corners, once each
            } else {
                ck_assert_double_gt(-turn_sign(plane) * spin, 0.1);
            }
            scene_close(&s);
        }
    }
}

TEST(a_stack_of_rectangles_and_disks_stays_at_rest)
{
    enum { N = 6 };
    scene s = open_default();
    ground(&s, PCS_PLANE_XZ, 0.5);
    pcs_system box[N];
    for (int i = 0; i < N; ++i) {
        const pcs_body_def def = at(PCS_PLANE_XZ, 0.01 * i, 0.1 + 0.2 * i, 0);
        CK_OK(pcs_model_add_rectangle(s.m, &def, 0.4, 0.2, 100, (pcs_material){0}, &box[i]));
    }
    scene_start(&s);
    double start[N][7];
    for (int i = 0; i < N; ++i) {
        memcpy(start[i], scene_q(&s, box[i]), sizeof start[i]);
    }
    long before = 0;
    for (int i = 0; i < TEST_FEW(50, 300); ++i) {
        if (i == 30) before = s.memory->allocated;
        scene_step(&s, 5e-3);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
    }
    ck_assert_int_eq(s.memory->allocated, before); // a warm step allocates nothing
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 7; ++k) {
            CK_NEAR(scene_q(&s, box[i])[k], start[i][k], 1e-4);
        }
        check_plane(&s, box[i], PCS_PLANE_XZ);
    }
    scene_close(&s);
}

// a rectangle that falls on its corner, as a planar body or as a box in space
static void tumble(bool planar, bool polygon, pcs_scheme scheme, double q[7])
{
    const double a = 0.3, b = 0.2, depth = hypot(a, b), mass = 5 * a * b;
    scene s = scene_open();
    s.scheme = scheme;
    s.scheme.solver.tol = 1e-12;
    ground(&s, PCS_PLANE_XZ, 0.4);
    pcs_body_def def = at(PCS_PLANE_XZ, 0, 0.35, 0.5);
    def.velocity[0] = 0.7;
    def.omega[1] = 3;
    pcs_system body;
    if (polygon) {
        const double corners[8] = {0.5 * a,  0.5 * b,  0.5 * a,  -0.5 * b,
                                   -0.5 * a, -0.5 * b, -0.5 * a, 0.5 * b};
        CK_OK(pcs_model_add_polygon(s.m, &def, 4, corners, 5, (pcs_material){0}, &body));
    } else if (planar) {
        CK_OK(pcs_model_add_rectangle(s.m, &def, a, b, 5, (pcs_material){0}, &body));
    } else {
        def.plane = PCS_PLANE_NONE;
        const pcs_inertia box = pcs_inertia_box(mass, a, depth, b);
        def.mass = mass;
        memcpy(def.inertia, box.J, sizeof def.inertia);
        body = scene_add(&s, &def);
        scene_shape(&s, body, pcs_shape_box(a, depth, b), 0);
    }
    scene_start(&s);
    for (int i = 0; i < 400; ++i) {
        scene_step(&s, 2e-3);
    }
    memcpy(q, scene_q(&s, body), 7 * sizeof *q);
    scene_close(&s);
}

TEST(a_planar_body_moves_as_a_prism_in_space)
{
    pcs_scheme projected = pcs_scheme_moreau_jean();
    projected.projection = PCS_PROJECTION_DIRECT;
    pcs_scheme in_coordinates = projected;
    in_coordinates.metric = PCS_METRIC_Q1;
    const pcs_scheme scheme[4] = {pcs_scheme_default(), pcs_scheme_moreau_jean(), projected,
                                  in_coordinates};
    for (int k = 0; k < 4; ++k) {
        double planar[7], polygon[7], space[7];
        tumble(true, false, scheme[k], planar);
        tumble(true, true, scheme[k], polygon);
        tumble(false, false, scheme[k], space);
        for (int i = 0; i < 7; ++i) {
            CK_NEAR(planar[i], space[i], 1e-6);
            CK_NEAR(polygon[i], planar[i], 1e-6);
        }
        ck_assert_double_lt(planar[2], 0.2); // it has fallen
    }
}

TEST(the_mass_of_a_polygon_is_that_of_its_triangles)
{
    // a right triangle: area 1/2 b h, centroid at a third, J = b h (b^2 + h^2) / 36
    const double b = 0.6, h = 0.9, corners[6] = {0, 0, b, 0, 0, h};
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        scene s = open_default();
        const pcs_body_def def = at(plane, 1, 2, 0);
        pcs_system triangle;
        CK_OK(pcs_model_add_polygon(s.m, &def, 3, corners, 7, (pcs_material){0}, &triangle));
        pcs_inertia inertia;
        CK_OK(pcs_model_inertia(s.m, triangle, &inertia));
        CK_NEAR(inertia.m, 3.5 * b * h, 1e-12);
        CK_NEAR(inertia.J[4 * AXES[plane][2]], 7 * b * h * (b * b + h * h) / 36, 1e-12);
        scene_start(&s);
        CK_NEAR(scene_q(&s, triangle)[AXES[plane][0]], 1 + b / 3, 1e-12);
        CK_NEAR(scene_q(&s, triangle)[AXES[plane][1]], 2 + h / 3, 1e-12);
        scene_close(&s);
    }
}

// ---- forces, joints

static int oblique(void *user, double t, const double q[7], const double v[6], double F[6])
{
    const double of[6] = {1, 5 - v[1], -q[2], 2, -0.3 * v[4], 4};
    memcpy(F, of, sizeof of);
    return 0;
}

// A disk on two others, whose centres it sees at the angle a from the vertical: with the weight W
// of a disk the balance of a lower one gives the normal force W / 2 and friction tan(a / 2) W / 2
// between disks, and 3 W / 2 on the floor with the same friction. They stay iff both contacts have
// that much
TEST(three_disks_stay_with_the_friction_of_their_balance)
{
    const double radius = 0.1, side = 0.55, half = tan(0.5 * asin(side));
    for (int k = 0; k < 4; ++k) {
        const bool stays = k % 2 == 0, on_floor = k >= 2;
        const double part = stays ? 1.01 : 0.99;
        scene s = open_default();
        pcs_material disks, floor;
        pcs_system disk[3];
        CK_OK(pcs_model_add_material(s.m, &(pcs_material_def){0}, &disks));
        CK_OK(pcs_model_add_material(s.m, &(pcs_material_def){0}, &floor));
        const pcs_law between = pcs_law_newton_coulomb(0, 0, on_floor ? 1 : part * half),
                      below = pcs_law_newton_coulomb(0, 0, on_floor ? part * half / 3 : 1);
        CK_OK(pcs_model_set_pair_law(s.m, disks, disks, &between));
        CK_OK(pcs_model_set_pair_law(s.m, disks, floor, &below));
        const pcs_shape half_space = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
        CK_OK(pcs_model_add_shape(s.m, (pcs_system){0}, &half_space, floor));
        for (int i = 0; i < 3; ++i) {
            const double x = i == 2 ? 0 : (i == 0 ? -2 : 2) * radius * side;
            const double z = i == 2 ? radius * (1 + 2 * sqrt(1 - side * side)) : radius;
            const pcs_body_def def = at(PCS_PLANE_XZ, x, z, 0);
            CK_OK(pcs_model_add_disk(s.m, &def, radius, 40, disks, &disk[i]));
        }
        scene_start(&s);
        const double top = scene_q(&s, disk[2])[2];
        for (int i = 0; i < 500; ++i) {
            scene_step(&s, 2e-3);
        }
        const double fell = top - scene_q(&s, disk[2])[2];
        ck_assert_msg(stays ? fabs(fell) < 1e-6 : fell > 0.01 * radius, "run %d fell %g m", k,
                      fell);
        scene_close(&s);
    }
}

// how many of n corners are this one
static int count_of(int n, const double *corners, const double x[2])
{
    int count = 0;
    for (int i = 0; i < n; ++i) {
        count += corners[2 * i] == x[0] && corners[2 * i + 1] == x[1];
    }
    return count;
}

// a polygon in two parts has the mass, the centre and the moment of the whole
TEST(a_planar_body_of_two_shapes_is_their_union)
{
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        scene s = scene_open();
        const pcs_material none = {0};
        const double whole[8] = {-0.3, 0, 0.4, -0.1, 0.5, 0.6, -0.2, 0.5};
        const double parts[2][6] = {{-0.3, 0, 0.4, -0.1, 0.5, 0.6}, {0.5, 0.6, -0.2, 0.5, -0.3, 0}};
        pcs_geometry *prism[2];
        pcs_shape shapes[2];
        pcs_system body[2];
        for (int i = 0; i < 2; ++i) {
            double back[6];
            CK_OK(pcs_geometry_create_polygon(NULL, (pcs_plane)plane, 3, parts[i], &prism[i]));
            ck_assert_int_eq(pcs_geometry_polygon(prism[i], (pcs_plane)plane, back), 3);
            for (int k = 0; k < 3; ++k) {
                ck_assert_int_eq(count_of(3, back, parts[i] + 2 * k), 1);
            }
            ck_assert_int_eq(pcs_geometry_polygon(prism[i], (pcs_plane)(1 + plane % 3), NULL), 0);
            shapes[i] = pcs_shape_hull(prism[i]);
        }
        const pcs_body_def def = at((pcs_plane)plane, 1, 2, 0.7);
        CK_OK(pcs_model_add_polygon(s.m, &def, 4, whole, 3, none, &body[0]));
        CK_OK(pcs_model_add_planar_solid(s.m, &def, 2, shapes, 3, none, &body[1]));
        pcs_body_def own[2];
        for (int i = 0; i < 2; ++i) {
            CK_OK(pcs_model_body(s.m, body[i], &own[i]));
        }
        const int n = 4 * AXES[plane][2];
        ck_assert_double_eq_tol(own[0].mass, own[1].mass, 1e-14);
        ck_assert_double_eq_tol(own[0].inertia[n], own[1].inertia[n], 1e-14);
        for (int i = 0; i < 3; ++i) {
            ck_assert_double_eq_tol(own[0].position[i], own[1].position[i], 1e-14);
        }
        // what has no area in the plane
        const pcs_shape capsule = pcs_shape_capsule(0.1, 1);
        CK_SAYS(pcs_model_add_planar_solid(s.m, &def, 1, &capsule, 3, none, NULL), PCS_ERR_ARG,
                "give the body its mass");
        shapes[0].position[AXES[plane][2]] = 1;
        CK_SAYS(pcs_model_add_planar_solid(s.m, &def, 2, shapes, 3, none, NULL), PCS_ERR_ARG,
                "does not lie in the plane");
        scene_close(&s);
        pcs_geometry_destroy(prism[0]);
        pcs_geometry_destroy(prism[1]);
    }
}

TEST(what_leaves_the_plane_has_no_effect)
{
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        scene s = scene_open();
        s.scheme = pcs_scheme_moreau_jean();
        scene_gravity(&s, 1, 2, 3);
        pcs_body_def def = at(plane, 0.1, 0.2, 0.4);
        def.force = oblique;
        pcs_system one, two;
        CK_OK(pcs_model_add_disk(s.m, &def, 0.1, 10, (pcs_material){0}, &one));
        def.force = NULL;
        set(def.position, plane, 1, 0.5);
        CK_OK(pcs_model_add_disk(s.m, &def, 0.1, 10, (pcs_material){0}, &two));
        pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
        spring.system1 = one;
        spring.system2 = two;
        spring.stiffness = 30;
        spring.length = 0.4;
        spring.p1[AXES[plane][2]] = 0.2; // aside of the plane
        CK_OK(pcs_model_add_force(s.m, &spring, NULL));
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            scene_step(&s, 5e-3);
            scene_check_ledger(&s);
            ck_assert_double_le(s.report.newton_residual, 1e-9);
            check_plane(&s, one, plane);
            check_plane(&s, two, plane);
        }
        scene_close(&s);
    }
}

TEST(joints_hold_planar_bodies)
{
    // a pendulum of a bar, against its angle: small oscillations of period 2 pi sqrt(J / (m g l))
    const pcs_joint_kind kind[2] = {PCS_JOINT_BALL, PCS_JOINT_HINGE};
    for (int k = 0; k < 2; ++k) {
        scene s = open_default();
        const double angle = 1e-3, l = 0.5, wide = 0.1;
        // the bar is 2 l long and hangs on its end; positive angles turn from z to x
        pcs_body_def def = at(PCS_PLANE_XZ, -l * sin(angle), -l * cos(angle), angle);
        pcs_system bar;
        CK_OK(pcs_model_add_rectangle(s.m, &def, wide, 2 * l, 3, (pcs_material){0}, &bar));
        pcs_joint_def hinge = pcs_joint_def_default(kind[k]);
        hinge.system1 = bar;
        const double origin[3] = {0};
        CK_OK(pcs_model_place_joint(s.m, origin, (double[3]){0, 1, 0}, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s.m, &hinge, NULL));
        scene_start(&s);
        const double J = (wide * wide + 4 * l * l) / 12 + l * l;
        const double period = 2 * acos(-1) * sqrt(J / (G * l));
        const int n = 400;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, 0.5 * period / n);
            check_plane(&s, bar, PCS_PLANE_XZ);
        }
        // half a period later it is on the other side
        CK_NEAR(2 * asin(scene_q(&s, bar)[5]), -angle, 1e-3 * angle);
        scene_close(&s);
    }
}

// a planar joint about the normal of the plane, on either side of it, holds nothing in the plane
static void put_planar_joint(scene *s, pcs_plane plane, test_random *r, pcs_system one,
                             pcs_system two)
{
    double point[3], axis[3];
    set(point, plane, random_between(r, -1, 1), random_between(r, -1, 1));
    set(axis, plane, 0, 0);
    axis[AXES[plane][2]] = random_unit(r) < 0.5 ? -1 : 1;
    pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_PLANAR);
    joint.system1 = one;
    joint.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, point, axis, NULL, &joint));
    CK_OK(pcs_model_add_joint(s->m, &joint, NULL));
}

// Bodies with planar joints fall and spin as if alone, beside a pendulum whose joint holds: rows
// that would be zero but for the rounding of rotations do not act
TEST(planar_joints_leave_planar_bodies_free)
{
    enum { BODIES = 3, STEPS = 100 };
    const double h = 4e-3, t = STEPS * h;
    test_random r = random_seed(3);
    for (int k = 0; k < 30; ++k) {
        const pcs_plane plane = (pcs_plane)(PCS_PLANE_XY + k % 3);
        const int *axis = AXES[plane], spin = 3 + axis[2];
        scene s = open_default();
        double g[3], x[BODIES][3], omega[BODIES];
        set(g, plane, random_between(&r, -9, 9), random_between(&r, -9, 9));
        scene_gravity(&s, g[0], g[1], g[2]);
        for (int i = 0; i < BODIES; ++i) {
            pcs_body_def def = at(plane, random_between(&r, -1, 1), random_between(&r, -1, 1),
                                  random_between(&r, -3, 3));
            def.omega[axis[2]] = omega[i] = random_between(&r, -3, 3);
            memcpy(x[i], def.position, sizeof x[i]);
            const pcs_system body = scene_add(&s, &def);
            const bool chained = i > 0 && random_unit(&r) < 0.5;
            put_planar_joint(&s, plane, &r, body, (pcs_system){chained ? i : 0});
        }
        const pcs_body_def def = at(plane, -3, 0, 0);
        double pivot[3], normal[3] = {0};
        set(pivot, plane, -2.6, 0.3);
        normal[axis[2]] = 1;
        pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
        hinge.system1 = scene_add(&s, &def);
        CK_OK(pcs_model_place_joint(s.m, pivot, normal, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s.m, &hinge, NULL));
        scene_start(&s);
        for (int i = 0; i < STEPS; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert(s.report.solve.measure.residual <= s.scheme.solver.tol);
        }
        for (int i = 0; i < BODIES; ++i) {
            const pcs_system body = {i + 1};
            for (int a = 0; a < 2; ++a) {
                CK_NEAR(scene_q(&s, body)[axis[a]], x[i][axis[a]] + 0.5 * t * t * g[axis[a]],
                        1e-10);
            }
            CK_NEAR(scene_v(&s, body)[spin], omega[i], 1e-10);
        }
        scene_close(&s);
    }
}

static int twist(void *user, double t, const double *q, const double *v, double *F)
{
    memset(F, 0, 6 * sizeof *F);
    F[3 + *(const int *)user] = 0.7;
    return 0;
}

// Of the inertia only the moment about the normal counts: alone, beside others that no solid has,
// and in a whole matrix. A constant torque M then gives the speed M t / J.
TEST(the_moment_about_the_normal_is_enough)
{
    const double moment = 0.1, t = 0.5;
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        int normal = AXES[plane][2];
        for (int way = 0; way < 3; ++way) {
            scene s = scene_open();
            pcs_body_def def = at(plane, 0, 0, 0);
            def.mass = 2;
            for (int i = 0; i < 9 && way > 0; ++i) {
                def.inertia[i] = way == 1 ? 7 - i : i % 4 == 0 ? 0.08 : 0;
            }
            def.inertia[4 * normal] = moment;
            def.force = twist;
            def.user = &normal;
            const pcs_system body = scene_add(&s, &def);
            scene_start(&s);
            for (int i = 0; i < 50; ++i) {
                scene_step(&s, t / 50);
            }
            CK_NEAR(scene_v(&s, body)[3 + normal], 0.7 * t / moment, 1e-12);
            scene_close(&s);
        }
        scene s = scene_open();
        pcs_body_def def = at(plane, 0, 0, 0);
        def.inertia[4 * AXES[plane][0]] = moment;
        CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG,
                "the normal of its plane, is 0 kg m^2");
        def.inertia[4 * normal] = -moment;
        CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG,
                "the normal of its plane, is -0.1 kg m^2");
        scene_close(&s);
    }
}

TEST(planar_definitions_that_are_refused)
{
    scene s = scene_open();
    pcs_body_def def = at(PCS_PLANE_XZ, 0, 0, 0);
    const pcs_material none = {0};
    CK_SAYS(pcs_model_add_disk(s.m, &def, -1, 1, none, NULL), PCS_ERR_ARG, "the radius is -1");
    CK_SAYS(pcs_model_add_disk(s.m, &def, 1, 0, none, NULL), PCS_ERR_ARG, "density is 0");
    CK_SAYS(pcs_model_add_rectangle(s.m, &def, 1, NAN, 1, none, NULL), PCS_ERR_ARG, "edge b");
    const double bow[8] = {0, 0, 1, 1, 1, 0, 0, 1}, notch[8] = {0, 0, 1, 0, 0.2, 0.2, 0, 1};
    const double flat[6] = {0, 0, 1, 1, 2, 2};
    double star[10];
    for (int i = 0; i < 5; ++i) {
        star[2 * i] = cos(0.8 * acos(-1) * i);
        star[2 * i + 1] = sin(0.8 * acos(-1) * i);
    }
    CK_SAYS(pcs_model_add_polygon(s.m, &def, 4, bow, 1, none, NULL), PCS_ERR_ARG, "convex");
    CK_SAYS(pcs_model_add_polygon(s.m, &def, 4, notch, 1, none, NULL), PCS_ERR_ARG, "convex");
    CK_SAYS(pcs_model_add_polygon(s.m, &def, 3, flat, 1, none, NULL), PCS_ERR_ARG, "convex");
    CK_SAYS(pcs_model_add_polygon(s.m, &def, 5, star, 1, none, NULL), PCS_ERR_ARG, "convex");
    def.plane = PCS_PLANE_NONE;
    CK_SAYS(pcs_model_add_disk(s.m, &def, 1, 1, none, NULL), PCS_ERR_ARG, "set the plane");
    def = at(PCS_PLANE_XZ, 0, 0, 0);
    def.orientation[1] = 0.1;
    CK_SAYS(pcs_model_add_disk(s.m, &def, 1, 1, none, NULL), PCS_ERR_ARG, "about the y axis");
    def = at(PCS_PLANE_XZ, 0, 0, 0);
    def.velocity[1] = 1;
    CK_SAYS(pcs_model_add_disk(s.m, &def, 1, 1, none, NULL), PCS_ERR_ARG, "leaves its plane");
    def = at(PCS_PLANE_XZ, 0, 0, 0);
    def.omega[0] = 1;
    CK_SAYS(pcs_model_add_disk(s.m, &def, 1, 1, none, NULL), PCS_ERR_ARG, "leaves its plane");
    scene_start(&s);
    scene_close(&s);
}

// a state that a program has written: numbers out of the plane are refused, for any plane, and the
// same numbers within it are not
TEST(planar_states_that_are_refused)
{
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        scene s = scene_open();
        const pcs_body_def def = at((pcs_plane)plane, 0, 0, 0.3);
        pcs_system disk;
        CK_OK(pcs_model_add_disk(s.m, &def, 1, 1, (pcs_material){0}, &disk));
        scene_start(&s);
        for (int i = 0; i < 3; ++i) {
            const bool normal = i == AXES[plane][2];
            double *v = scene_v(&s, disk), *q = scene_q(&s, disk), before[7];
            memcpy(before, q, sizeof before);
            double *leaves = normal ? &v[i] : &v[3 + i], *stays = normal ? &v[3 + i] : &v[i];
            *leaves = 3;
            CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, NULL), PCS_ERR_ARG, "leaves its plane");
            *leaves = 0;
            *stays = 3;
            scene_step(&s, 1e-3);
            *stays = 0;
            q[4 + i] = 0.3;
            if (normal) {
                scene_step(&s, 1e-3);
            } else {
                CK_SAYS(pcs_run(s.m, s.st, s.wk, 1e-3, 1, NULL, NULL, NULL), PCS_ERR_ARG,
                        "not a rotation about");
            }
            memcpy(q, before, sizeof before);
        }
        scene_close(&s);
    }
}
