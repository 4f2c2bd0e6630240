// Bodies that Lagrangian systems carry: a double pendulum in two angles against the same of bodies
// and hinges, contacts with the world, with bodies, and between two bodies of one carrier, joints
// on them, derived and given Jacobians, and definitions that are refused.
#include <percuss/motion.h>

#include "scene.h"

#include <string.h>

enum { LINKS = 2 };
static const double LENGTH = 0.8, RADIUS = 0.05, MASS = 1.7, G = 9.81;

static double rod_inertia(void)
{
    return MASS * LENGTH * LENGTH / 12;
}

// ---- a double pendulum: q are the angles of both rods from the downward vertical, in the x-z plane

static int pendulum_mass(void *user, const double *q, double *M)
{
    const double c = 0.5 * MASS * LENGTH * LENGTH * cos(q[0] - q[1]);
    M[0] = rod_inertia() + 1.25 * MASS * LENGTH * LENGTH;
    M[3] = rod_inertia() + 0.25 * MASS * LENGTH * LENGTH;
    M[1] = M[2] = c;
    return 0;
}

static int pendulum_force(void *user, double t, const double *q, const double *v, double *F)
{
    const double s = 0.5 * MASS * LENGTH * LENGTH * sin(q[0] - q[1]);
    F[0] = -1.5 * MASS * G * LENGTH * sin(q[0]) - s * v[1] * v[1];
    F[1] = -0.5 * MASS * G * LENGTH * sin(q[1]) + s * v[0] * v[0];
    return 0;
}

// user: the number of the rod
static int rod_pose(void *user, const double *q, double pose[7])
{
    const int rod = *(const int *)user;
    double x = 0, z = 0;
    for (int k = 0; k <= rod; ++k) {
        const double l = k < rod ? LENGTH : 0.5 * LENGTH;
        x += l * sin(q[k]);
        z -= l * cos(q[k]);
    }
    const double of[7] = {x, 0, z, 2 * cos(0.5 * q[rod]), 0, -2 * sin(0.5 * q[rod]), 0};
    memcpy(pose, of, sizeof of);
    return 0;
}

static int rod_jacobian(void *user, const double *q, double *J)
{
    const int rod = *(const int *)user;
    for (int k = 0; k <= rod; ++k) {
        const double l = k < rod ? LENGTH : 0.5 * LENGTH;
        J[6 * k] = l * cos(q[k]);
        J[6 * k + 2] = l * sin(q[k]);
    }
    J[6 * rod + 4] = -1;
    return 0;
}

static int wrong_jacobian(void *user, const double *q, double *J)
{
    rod_jacobian(user, q, J);
    J[6] *= 1.001;
    return 0;
}

static int rod_number[LINKS] = {0, 1};

static pcs_body_def carried_rod(pcs_system carrier, int rod, bool jacobian)
{
    pcs_body_def def = pcs_body_def_default();
    def.carrier = carrier;
    def.pose = rod_pose;
    if (jacobian) def.pose_jacobian = rod_jacobian;
    def.user = &rod_number[rod];
    return def;
}

typedef struct pendulum {
    scene s;
    pcs_system system; // or {0}: of bodies
    pcs_system rod[LINKS];
} pendulum;

static pcs_shape rod_shape(void)
{
    return pcs_shape_capsule(RADIUS, LENGTH);
}

// in coordinates, above a floor at height `floor`
static void start_lagrangian(pendulum *p, const double q[2], const double v[2], double floor,
                             double e, double mu, bool jacobian)
{
    scene *s = &p->s;
    const pcs_lagrangian_def def = {
        .n = 2, .q0 = q, .v0 = v, .mass_fn = pendulum_mass, .force = pendulum_force};
    p->system = scene_add_lagrangian(s, &def);
    for (int k = 0; k < LINKS; ++k) {
        const pcs_body_def rod = carried_rod(p->system, k, jacobian);
        p->rod[k] = scene_add(s, &rod);
        scene_rough(s, p->rod[k], rod_shape(), e, 0, mu);
    }
    scene_shape(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, floor), 0);
    scene_start(s);
}

// of bodies with hinges
static void start_bodies(pendulum *p, const double q[2], const double v[2], double floor, double e,
                         double mu)
{
    scene *s = &p->s;
    p->system.id = 0;
    for (int k = 0; k < LINKS; ++k) {
        double J[12] = {0}, pose[7];
        rod_pose(&rod_number[k], q, pose);
        rod_jacobian(&rod_number[k], q, J);
        pcs_body_def rod = pcs_body_def_default();
        rod.mass = MASS;
        rod.inertia[0] = rod.inertia[4] = rod_inertia();
        rod.inertia[8] = 0.01 * rod_inertia();
        memcpy(rod.position, pose, sizeof rod.position);
        memcpy(rod.orientation, pose + 3, sizeof rod.orientation);
        for (int i = 0; i < 3; ++i) {
            rod.velocity[i] = J[i] * v[0] + J[6 + i] * v[1];
            rod.omega[i] = J[3 + i] * v[0] + J[9 + i] * v[1];
        }
        p->rod[k] = scene_add(s, &rod);
        scene_rough(s, p->rod[k], rod_shape(), e, 0, mu);
        pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
        hinge.system1 = p->rod[k];
        if (k > 0) hinge.system2 = p->rod[k - 1];
        const double point[3] = {k == 0 ? 0 : LENGTH * sin(q[0]), 0,
                                 k == 0 ? 0 : -LENGTH * cos(q[0])};
        CK_OK(pcs_model_place_joint(s->m, point, (double[3]){0, 1, 0}, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s->m, &hinge, NULL));
    }
    scene_shape(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, floor), 0);
    scene_start(s);
}

// height of the lowest point of the second rod
static double lowest(const double q[2])
{
    return -LENGTH * (cos(q[0]) + cos(q[1])) - RADIUS;
}

static double rate(pendulum *p, int rod)
{
    return p->system.id > 0 ? scene_v(&p->s, p->system)[rod] : -scene_v(&p->s, p->rod[rod])[4];
}

static double angle(pendulum *p, int rod)
{
    if (p->system.id > 0) return scene_q(&p->s, p->system)[rod];
    const double *Q = scene_q(&p->s, p->rod[rod]) + 3;
    return -2 * atan2(Q[2], Q[0]);
}

TEST(an_impact_of_the_double_pendulum_is_that_of_bodies_and_hinges)
{
    test_random r = random_seed(3);
    for (int i = 0; i < TEST_DRAWS(30); ++i) {
        const double q[2] = {0.6 * random_normal(&r), 0.6 * random_normal(&r)};
        const double v[2] = {random_normal(&r), random_normal(&r)};
        const double e = i % 3 == 0 ? 0 : 0.6, mu = i % 2 == 0 ? 0 : 0.4, floor = lowest(q);
        if (cos(q[1]) < 0.2) continue;
        pendulum a = {.s = scene_open()}, b = {.s = scene_open()};
        start_lagrangian(&a, q, v, floor, e, mu, i % 4 < 2);
        start_bodies(&b, q, v, floor, e, mu);
        const double before = scene_kinetic(&a.s);
        CK_NEAR(scene_kinetic(&b.s), before, 1e-12 * (1 + before));
        CK_OK(pcs_impact(a.s.m, a.s.st, a.s.wk, 1e-9, NULL));
        CK_OK(pcs_impact(b.s.m, b.s.st, b.s.wk, 1e-9, NULL));
        for (int k = 0; k < LINKS; ++k) {
            CK_NEAR(rate(&a, k), rate(&b, k), 1e-8);
        }
        ck_assert(scene_kinetic(&a.s) <= before * (1 + 1e-9));
        const pcs_contact *c;
        ck_assert_int_ge(scene_contacts(&a.s, &c), 1);
        ck_assert_int_eq(c[0].system1.id, a.rod[1].id);
        ck_assert_int_eq(c[0].system2.id, 0);
        scene_close(&a.s);
        scene_close(&b.s);
    }
}

// the largest difference of the angles over a fall onto the floor, with bounces and friction
static double apart(double h, double *travel)
{
    const double q[2] = {1.2, 0.9}, v[2] = {0, 0}, floor = -1.45 * LENGTH;
    pendulum a = {.s = scene_open()}, b = {.s = scene_open()};
    a.s.scheme = b.s.scheme = pcs_scheme_default();
    a.s.scheme.solver.tol = b.s.scheme.solver.tol = 1e-10;
    start_lagrangian(&a, q, v, floor, 0, 0.3, true);
    start_bodies(&b, q, v, floor, 0, 0.3);
    double worst = 0;
    int touched = 0;
    *travel = 0;
    for (double t = 0; t < TEST_FEW(0.8, 1.2); t += h) {
        scene_step(&a.s, h);
        scene_step(&b.s, h);
        scene_check_ledger(&a.s);
        ck_assert_double_le(a.s.report.penetration, 1e-3 * RADIUS);
        touched += a.s.report.active > 0;
        for (int k = 0; k < LINKS; ++k) {
            worst = fmax(worst, fabs(angle(&a, k) - angle(&b, k)));
            *travel = fmax(*travel, fabs(angle(&a, k) - q[k]));
        }
    }
    ck_assert_int_gt(touched, 5);
    scene_close(&a.s);
    scene_close(&b.s);
    return worst;
}

TEST(a_double_pendulum_that_falls_on_a_floor_moves_as_bodies_and_hinges_do)
{
    double travel;
    const double coarse = apart(6e-3, &travel), fine = apart(2e-3, &travel);
    ck_assert_double_gt(travel, 0.5);
    ck_assert_msg(fine < 0.5 * coarse && fine < 0.03, "apart %g at h = 6 ms, %g at 2 ms", coarse,
                  fine);
}

TEST(every_metric_projects_a_carried_body_onto_the_floor)
{
    const double q[2] = {0.7, 0.5}, v[2] = {0, 0}, floor = lowest(q) + 0.01;
    const pcs_metric metric[4] = {PCS_METRIC_MASS, PCS_METRIC_V, PCS_METRIC_Q, PCS_METRIC_Q1};
    for (int k = 0; k < 4; ++k) {
        pendulum p = {.s = scene_open()};
        p.s.scheme.projection = PCS_PROJECTION_DIRECT;
        p.s.scheme.metric = metric[k];
        p.s.scheme.proj_tol = 1e-11;
        start_lagrangian(&p, q, v, floor, 0, 0, k % 2 == 0);
        CK_OK(pcs_project(p.s.m, p.s.st, p.s.wk, NULL));
        // a step of Newton's method lifts by up to the square of the overlap too far
        const double above = lowest(scene_q(&p.s, p.system)) - floor;
        ck_assert_msg(above >= -1e-10 && above <= 1e-3, "metric %d: %g m above", k, above);
        scene_close(&p.s);
    }
}

// ---- derived and given Jacobians, definitions

TEST(derived_rows_are_those_of_the_given_jacobian)
{
    const double q[2] = {0.7, -0.4}, v[2] = {-1.1, 0.3}, floor = lowest(q);
    pendulum p[2];
    for (int k = 0; k < 2; ++k) {
        p[k] = (pendulum){.s = scene_open()};
        start_lagrangian(&p[k], q, v, floor, 0.3, 0.2, k == 0);
        CK_OK(pcs_impact(p[k].s.m, p[k].s.st, p[k].s.wk, 1e-9, NULL));
    }
    for (int k = 0; k < LINKS; ++k) {
        CK_NEAR(rate(&p[0], k), rate(&p[1], k), 1e-11);
    }
    scene_close(&p[0].s);
    scene_close(&p[1].s);
}

// Moves given by numbers: the pose is the product of the single motions of space, and the rows are
// those of its differences, or the body would be refused
TEST(a_linkage_is_a_chain_of_turns_and_slides)
{
    enum { N = 3, MOVES = 5 };
    test_random r = random_seed(7);
    for (int trial = 0; trial < 20; ++trial) {
        double by[MOVES][N], q[N], pose[7];
        pcs_move move[MOVES];
        pcs_linkage l = {.n = N, .moves = MOVES, .move = move};
        for (int i = 0; i < 4; ++i) {
            l.orientation[i] = random_between(&r, -1, 1);
            if (i < 3) l.position[i] = random_between(&r, -1, 1);
            if (i < N) q[i] = random_between(&r, -1, 1);
        }
        for (int k = 0; k < MOVES; ++k) {
            move[k] = (pcs_move){
                .slides = k == trial % MOVES, .offset = random_between(&r, -1, 1), .by = by[k]};
            for (int i = 0; i < 3; ++i) {
                by[k][i] = random_between(&r, -1, 1);
                move[k].axis[i] = random_between(&r, -1, 1);
                move[k].centre[i] = random_between(&r, -1, 1);
            }
        }
        CK_OK(pcs_linkage_check(&l));

        // a point of the body, moved by one move after another, by Rodrigues' formula
        const double own[3] = {0.3, -0.2, 0.7};
        double x[3], there[3];
        pcs_quat_rotate(l.orientation, own, x);
        for (int i = 0; i < 3; ++i) {
            x[i] += l.position[i];
        }
        for (int k = MOVES - 1; k >= 0; --k) {
            const double *a = move[k].axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            double amount = move[k].offset, u[3], d[3], along = 0;
            for (int i = 0; i < 3; ++i) {
                amount += by[k][i] * q[i];
                u[i] = a[i] / length;
                d[i] = x[i] - move[k].centre[i];
                along += u[i] * d[i];
            }
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3, m = (i + 2) % 3;
                const double turned = d[i] * cos(amount) +
                                      (u[j] * d[m] - u[m] * d[j]) * sin(amount) +
                                      u[i] * along * (1 - cos(amount));
                x[i] = move[k].slides ? x[i] + amount * u[i] : move[k].centre[i] + turned;
            }
        }
        ck_assert_int_eq(pcs_linkage_place(&l, q, pose), 0);
        pcs_quat_rotate(pose + 3, own, there);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(pose[i] + there[i], x[i], 1e-13);
        }

        scene s = scene_open();
        const double mass[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        pcs_system carrier;
        CK_OK(pcs_model_add_lagrangian(s.m, &(pcs_lagrangian_def){.n = N, .mass = mass, .q0 = q},
                                       &carrier));
        pcs_body_def def = pcs_body_def_default();
        def.carrier = carrier;
        def.pose = pcs_linkage_place;
        def.pose_jacobian = pcs_linkage_rows;
        def.user = &l;
        CK_OK(pcs_model_add_body(s.m, &def, NULL));
        scene_close(&s);
        move[1].axis[0] = move[1].axis[1] = move[1].axis[2] = 0;
        CK_SAYS(pcs_linkage_check(&l), PCS_ERR_ARG, "move 1 needs a direction");
    }
}

static int no_pose(void *user, const double *q, double pose[7])
{
    return 3;
}

static int half_a_pose(void *user, const double *q, double pose[7])
{
    memset(pose, 0, 6 * sizeof *pose);
    return 0;
}

TEST(definitions_that_are_refused)
{
    scene s = scene_open();
    const double q[2] = {0.3, 0.1};
    const pcs_lagrangian_def pendulum_def = {
        .n = 2, .q0 = q, .mass_fn = pendulum_mass, .force = pendulum_force};
    const pcs_system on = scene_add_lagrangian(&s, &pendulum_def);
    const pcs_system ball = scene_ball(&s, 1, 0.1, (double[3]){0}, (double[3]){0});
    pcs_body_def def = carried_rod(on, 1, true);
    def.fixed = true;
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG, "a carrier and is fixed");
    def = carried_rod(ball, 1, true);
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG, "no Lagrangian system");
    def = carried_rod((pcs_system){0}, 1, true);
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG, "but no carrier");
    def = carried_rod(on, 1, true);
    def.pose = NULL;
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_ARG, "give the callback of its pose");
    def.pose = no_pose;
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_CALLBACK, "returned 3");
    def.pose = half_a_pose;
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_CALLBACK, "left an entry unset");
    def = carried_rod(on, 1, true);
    def.pose_jacobian = wrong_jacobian;
    CK_SAYS(pcs_model_add_body(s.m, &def, NULL), PCS_ERR_CALLBACK, "row 0, coordinate 1");
    const pcs_shape shape = rod_shape();
    CK_SAYS(pcs_model_add_shape(s.m, on, &shape, (pcs_material){0}), PCS_ERR_ARG,
            "with this carrier");
    scene_start(&s);
    scene_close(&s);
}

// ---- contacts between carried bodies, and with bodies

static int bob_pose(void *user, const double *q, double pose[7])
{
    const int k = *(const int *)user;
    const double of[7] = {q[3 * k], q[3 * k + 1], q[3 * k + 2], 1, 0, 0, 0};
    memcpy(pose, of, sizeof of);
    return 0;
}

static const double BOB_MASS[2] = {1, 2.5};

// two point masses with spheres of 0.1 m: as one system (0), as two (1), or the second as a body
// (2)
static void collide_bobs(int how, double e, double v[6])
{
    const double q[6] = {0, 0, 0, 0.12, 0.16, 0}, v0[6] = {1, 0.3, -0.2, -0.5, 0, 0.4};
    double M[36] = {0};
    for (int i = 0; i < 6; ++i) {
        M[7 * i] = BOB_MASS[i / 3];
    }
    double M1[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, M2[9] = {2.5, 0, 0, 0, 2.5, 0, 0, 0, 2.5};
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    pcs_system on[2], bob[2];
    if (how == 0) {
        on[0] = on[1] =
            scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = 6, .q0 = q, .v0 = v0, .mass = M});
    } else {
        on[0] =
            scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = 3, .q0 = q, .v0 = v0, .mass = M1});
        on[1] = scene_add_lagrangian(
            &s, &(pcs_lagrangian_def){.n = 3, .q0 = q + 3, .v0 = v0 + 3, .mass = M2});
    }
    for (int k = 0; k < 2; ++k) {
        pcs_body_def def = pcs_body_def_default();
        def.carrier = on[k];
        def.pose = bob_pose;
        def.user = &rod_number[how == 0 ? k : 0];
        def.touches_carried = true;
        bob[k] = how == 2 && k == 1 ? scene_ball(&s, BOB_MASS[1], 0.1, q + 3, v0 + 3)
                                    : scene_add(&s, &def);
        scene_shape(&s, bob[k], pcs_shape_sphere(0.1), e);
    }
    scene_start(&s);
    pcs_report report;
    CK_OK(pcs_impact(s.m, s.st, s.wk, 1e-9, &report));
    memcpy(v, scene_v(&s, on[0]), (how == 0 ? 6 : 3) * sizeof *v);
    if (how > 0) memcpy(v + 3, scene_v(&s, how == 2 ? bob[1] : on[1]), 3 * sizeof *v);
    const pcs_contact *c;
    ck_assert_int_eq(scene_contacts(&s, &c), 1);
    ck_assert_int_eq(c[0].system1.id, bob[0].id);
    ck_assert_int_eq(c[0].system2.id, bob[1].id);
    scene_close(&s);
}

TEST(two_bodies_collide_alike_whatever_carries_them)
{
    // normal from 2 to 1, e = 0.5; impulse (1 + e) m_12 |u_N|
    const double N[3] = {-0.6, -0.8, 0}, u[3] = {1.5, 0.3, -0.6};
    const double m = 1 / (1 / BOB_MASS[0] + 1 / BOB_MASS[1]);
    const double r = -1.5 * m * (u[0] * N[0] + u[1] * N[1]);
    const double v0[6] = {1, 0.3, -0.2, -0.5, 0, 0.4};
    for (int how = 0; how < 3; ++how) {
        double v[6];
        collide_bobs(how, 0.5, v);
        for (int i = 0; i < 6; ++i) {
            const double dv = (i < 3 ? r : -r) / BOB_MASS[i / 3] * N[i % 3];
            CK_NEAR(v[i], v0[i] + dv, 1e-12);
        }
    }
}

TEST(bodies_of_one_carrier_touch_only_where_both_may)
{
    for (int flags = 0; flags < 4; ++flags) {
        const double q[6] = {0, 0, 0, 0.15, 0, 0};
        double M[36] = {0};
        for (int i = 0; i < 6; ++i) {
            M[7 * i] = 1;
        }
        scene s = scene_open();
        const pcs_system on =
            scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = 6, .q0 = q, .mass = M});
        for (int k = 0; k < 2; ++k) {
            pcs_body_def def = pcs_body_def_default();
            def.carrier = on;
            def.pose = bob_pose;
            def.user = &rod_number[k];
            def.touches_carried = flags >> k & 1;
            scene_shape(&s, scene_add(&s, &def), pcs_shape_sphere(0.1), 0);
        }
        scene_start(&s);
        scene_step(&s, 1e-3);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), flags == 3);
        scene_close(&s);
    }
}

// ---- a disk that rolls: q = (distance along the slope, height above it, angle)

static const double SLOPE = 0.3, DISK = 0.2;

static int disk_pose(void *user, const double *q, double pose[7])
{
    // the slope falls in the direction of x; a positive angle rotates about y
    const double of[7] = {q[0] * cos(SLOPE) + q[1] * sin(SLOPE),
                          0,
                          -q[0] * sin(SLOPE) + q[1] * cos(SLOPE),
                          cos(0.5 * q[2]),
                          0,
                          sin(0.5 * q[2]),
                          0};
    memcpy(pose, of, sizeof of);
    return 0;
}

TEST(a_disk_in_three_coordinates_rolls_down_a_slope)
{
    const double m = 2, J = 0.5 * m * DISK * DISK, M[9] = {m, 0, 0, 0, m, 0, 0, 0, J};
    const double load[3] = {m * G * sin(SLOPE), -m * G * cos(SLOPE), 0}, q0[3] = {0, DISK, 0};
    for (int rolls = 0; rolls < 2; ++rolls) {
        const double mu = rolls ? 0.5 : 0.05; // rolls where tan(slope) <= 3 mu
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.solver.tol = 1e-12;
        const pcs_system disk = scene_add_lagrangian(
            &s, &(pcs_lagrangian_def){.n = 3, .q0 = q0, .mass = M, .load = load});
        pcs_body_def def = pcs_body_def_default();
        def.carrier = disk;
        def.pose = disk_pose;
        scene_rough(&s, scene_add(&s, &def), pcs_shape_sphere(DISK), 0, 0, mu);
        scene_shape(&s, (pcs_system){0},
                    pcs_shape_half_space((double[3]){sin(SLOPE), 0, cos(SLOPE)}, 0), 0);
        scene_start(&s);
        const double h = 1e-3;
        const int n = 200;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, h);
            scene_check_ledger(&s);
        }
        const double a = rolls ? G * sin(SLOPE) / 1.5 : G * (sin(SLOPE) - mu * cos(SLOPE));
        const double spin = rolls ? a / DISK : mu * m * G * cos(SLOPE) * DISK / J;
        const double *v = scene_v(&s, disk);
        CK_NEAR(v[0], a * n * h, 1e-9);
        CK_NEAR(v[1], 0, 1e-9);
        CK_NEAR(v[2], spin * n * h, 1e-8);
        scene_close(&s);
    }
}

// ---- joints on carried bodies: the second rod as a body on a hinge at the end of the first, which is a Lagrangian system
static int one_pose(void *user, const double *q, double pose[7])
{
    return rod_pose(&rod_number[0], q, pose);
}

TEST(a_joint_holds_a_body_on_a_carried_one)
{
    const double q[2] = {0.9, 0.2}, v[2] = {0.4, -0.7};
    const double M = rod_inertia() + 0.25 * MASS * LENGTH * LENGTH;
    pendulum a = {.s = scene_open()};
    start_lagrangian(&a, q, v, lowest(q), 0.2, 0, true);

    scene s = scene_open();
    const pcs_system first =
        scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = 1, .q0 = q, .v0 = v, .mass = &M});
    pcs_body_def def = pcs_body_def_default();
    def.carrier = first;
    def.pose = one_pose;
    const pcs_system one = scene_add(&s, &def);
    double J[12] = {0}, pose[7];
    rod_pose(&rod_number[1], q, pose);
    rod_jacobian(&rod_number[1], q, J);
    pcs_body_def rod = pcs_body_def_default();
    rod.mass = MASS;
    rod.inertia[0] = rod.inertia[4] = rod_inertia();
    rod.inertia[8] = 0.01 * rod_inertia();
    memcpy(rod.position, pose, sizeof rod.position);
    memcpy(rod.orientation, pose + 3, sizeof rod.orientation);
    for (int i = 0; i < 3; ++i) {
        rod.velocity[i] = J[i] * v[0] + J[6 + i] * v[1];
        rod.omega[i] = J[3 + i] * v[0] + J[9 + i] * v[1];
    }
    const pcs_system two = scene_add(&s, &rod);
    scene_shape(&s, two, rod_shape(), 0.2);
    scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, lowest(q)), 0);
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    hinge.system1 = two;
    hinge.system2 = one;
    const double point[3] = {LENGTH * sin(q[0]), 0, -LENGTH * cos(q[0])};
    CK_OK(pcs_model_place_joint(s.m, point, (double[3]){0, 1, 0}, NULL, &hinge));
    CK_OK(pcs_model_add_joint(s.m, &hinge, NULL));
    scene_start(&s);
    CK_OK(pcs_impact(s.m, s.st, s.wk, 1e-9, NULL));
    CK_OK(pcs_impact(a.s.m, a.s.st, a.s.wk, 1e-9, NULL));
    CK_NEAR(scene_v(&s, first)[0], rate(&a, 0), 1e-9);
    CK_NEAR(-scene_v(&s, two)[4], rate(&a, 1), 1e-9);
    scene_close(&a.s);
    scene_close(&s);
}

// ---- forces on carried bodies: reactions of joints, wrenches and pressure of contacts

static int one_force(void *user, double t, const double *q, const double *v, double *F)
{
    F[0] = -0.5 * MASS * G * LENGTH * sin(q[0]);
    return 0;
}

// A double pendulum whose first rod is carried: angle, rate and reaction of the hinge between the
// rods, on both of them, are those of the pendulum of bodies
TEST(a_joint_of_a_carried_body_has_the_reaction_of_that_of_a_body)
{
    const double q[2] = {0.9, 0.2}, v[2] = {0.4, -0.7}, h = 5e-4;
    const double M = rod_inertia() + 0.25 * MASS * LENGTH * LENGTH;
    pendulum a = {.s = scene_open()};
    a.s.scheme = pcs_scheme_default();
    start_bodies(&a, q, v, -9, 0, 0);
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system first = scene_add_lagrangian(
        &s, &(pcs_lagrangian_def){.n = 1, .q0 = q, .v0 = v, .mass = &M, .force = one_force});
    pcs_body_def def = pcs_body_def_default(), rod;
    def.carrier = first;
    def.pose = one_pose;
    pcs_joint_def hinge;
    pcs_interaction joint;
    const pcs_system one = scene_add(&s, &def);
    CK_OK(pcs_model_body(a.s.m, a.rod[1], &rod));
    hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    hinge.system1 = scene_add(&s, &rod);
    hinge.system2 = one;
    const double point[3] = {LENGTH * sin(q[0]), 0, -LENGTH * cos(q[0])};
    CK_OK(pcs_model_place_joint(s.m, point, (double[3]){0, 1, 0}, NULL, &hinge));
    CK_OK(pcs_model_add_joint(s.m, &hinge, &joint));
    scene_start(&s);
    for (int i = 0; i < 200; ++i) {
        scene_step(&s, h);
        scene_step(&a.s, h);
    }
    pcs_joint_state of[2];
    CK_OK(pcs_state_joint(s.m, s.st, s.wk, joint, &of[0]));
    CK_OK(pcs_state_joint(a.s.m, a.s.st, a.s.wk, (pcs_interaction){2}, &of[1]));
    CK_NEAR(of[0].position[0], of[1].position[0], 1e-5);
    CK_NEAR(of[0].speed[0], of[1].speed[0], 1e-4);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(of[0].force1[i], of[1].force1[i], 2e-4 * MASS * G);
        CK_NEAR(of[0].force2[i], of[1].force2[i], 2e-4 * MASS * G);
        CK_NEAR(of[0].moment1[i], of[1].moment1[i], 2e-4 * MASS * G);
        CK_NEAR(of[0].moment2[i], of[1].moment2[i], 2e-4 * MASS * G);
    }
    ck_assert_double_gt(fabs(of[0].force2[0]) + fabs(of[0].force2[1]), 0.5 * MASS * G);
    scene_close(&a.s);
    scene_close(&s);
}

// coordinates: the position; the axes are rotated
static const double SLANT[4] = {0.6, 0, 0.8, 0};
static int slanted_pose(void *user, const double *q, double pose[7])
{
    memcpy(pose, q, 3 * sizeof *q);
    memcpy(pose + 3, SLANT, sizeof SLANT);
    return 0;
}

static int weight_of_three(void *user, double t, const double *q, const double *v, double *F)
{
    F[2] = -MASS * G;
    return 0;
}

static pcs_system add_slanted(scene *s, const double at[3], pcs_system *carrier)
{
    const double M[9] = {MASS, 0, 0, 0, MASS, 0, 0, 0, MASS};
    *carrier = scene_add_lagrangian(
        s, &(pcs_lagrangian_def){.n = 3, .q0 = at, .mass = M, .force = weight_of_three});
    pcs_body_def def = pcs_body_def_default();
    def.carrier = *carrier;
    def.pose = slanted_pose;
    return scene_add(s, &def);
}

// A carried body that hangs from another one, which hangs from the world: both joints bear their
// weights, on both of their sides, and break as other joints do
TEST(joints_of_carried_bodies_bear_their_weight)
{
    const double high[3] = {0.3, 0, 1}, low[3] = {0.3, 0, 0.5}, h = 1e-3, weight = MASS * G;
    scene s = scene_open();
    pcs_system carrier[2], body[2];
    pcs_interaction joint[2];
    body[0] = add_slanted(&s, high, &carrier[0]);
    body[1] = add_slanted(&s, low, &carrier[1]);
    for (int k = 0; k < 2; ++k) {
        pcs_joint_def ball = pcs_joint_def_default(PCS_JOINT_BALL);
        ball.system1 = body[k];
        ball.system2 = k == 0 ? (pcs_system){0} : body[0];
        CK_OK(pcs_model_place_joint(s.m, (double[3]){0.3, 0.1, 1.2 - 0.5 * k}, (double[3]){0, 0, 1},
                                    NULL, &ball));
        CK_OK(pcs_model_add_joint(s.m, &ball, &joint[k]));
    }
    scene_start(&s);
    for (int round = 0; round < 2; ++round) {
        scene_step(&s, h);
        for (int k = 0; k < 2; ++k) {
            pcs_joint_state now;
            double wrench[6];
            CK_OK(pcs_state_joint(s.m, s.st, s.wk, joint[k], &now));
            const double force[3] = {0, 0, (2 - k) * weight};
            // the frames of a ball joint have the axes of their bodies
            double own[3];
            pcs_quat_rotate((double[4]){SLANT[0], -SLANT[1], -SLANT[2], -SLANT[3]}, force, own);
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(now.force1[i], own[i], 1e-9 * weight);
                CK_NEAR(now.force2[i], k == 0 ? -force[i] : -own[i], 1e-9 * weight);
                CK_NEAR(now.moment1[i], 0, 1e-9 * weight);
                CK_NEAR(now.moment2[i], 0, 1e-9 * weight);
            }
            pcs_body_frame frame = pcs_body_frame_of(body[k]);
            frame.inertial = true;
            CK_OK(pcs_work_reaction(s.wk, joint[k], &frame, wrench));
            CK_NEAR(wrench[2] / h, (2 - k) * weight, 1e-9 * weight);
            CK_NEAR(wrench[3] / h, 0.1 * (2 - k) * weight, 1e-9 * weight); // lever 0.1 in y
        }
    }
    CK_OK(pcs_model_set_strength(s.m, joint[0], (pcs_strength){1.5 * weight, INFINITY}));
    scene_step(&s, h);
    ck_assert_int_eq(s.report.break_one, joint[0].id);
    CK_NEAR(s.report.break_load, 2 / 1.5, 1e-9);
    scene_step(&s, h);
    for (int k = 0; k < 2; ++k) {
        CK_NEAR(scene_v(&s, carrier[k])[2], -G * h, 1e-10);
    }
    scene_close(&s);
}

// A carried box on a floor and a body on it: wrenches and pressure are the weights
TEST(contacts_of_carried_bodies_bear_their_weight)
{
    const double h = 1e-3, at[3] = {0, 0, 0.5}, up[3] = {0, 0, 1.2}, weight = MASS * G;
    scene s = scene_open();
    pcs_system carrier;
    const pcs_system box = add_slanted(&s, at, &carrier);
    pcs_shape cube = pcs_shape_box(1, 1, 1);
    // the box is upright although its body is rotated
    memcpy(cube.orientation, (double[4]){SLANT[0], -SLANT[1], -SLANT[2], -SLANT[3]},
           sizeof cube.orientation);
    scene_shape(&s, box, cube, 0);
    const pcs_system ball = scene_solid_ball(&s, MASS, 0.2, up, (double[3]){0}, 0);
    scene_ground(&s, 0);
    scene_start(&s);
    scene_step(&s, h);
    double wrench[6];
    pcs_pressure p;
    pcs_body_frame frame = pcs_body_frame_of(box);
    frame.inertial = true;
    pcs_work_contact_wrench(s.wk, box, wrench);
    CK_NEAR(wrench[2] / h, weight, 1e-9 * weight); // the floor bears both, and the ball presses
    CK_OK(pcs_work_pair_wrench(s.wk, (pcs_system){0}, &frame, wrench));
    CK_NEAR(wrench[2] / h, 2 * weight, 1e-9 * weight);
    CK_NEAR(hypot(wrench[3], wrench[4]) / h, 0, 1e-9 * weight);
    CK_OK(pcs_work_pair_wrench(s.wk, ball, &frame, wrench));
    CK_NEAR(wrench[2] / h, -weight, 1e-9 * weight);
    // in the axes of the body the same force has the slant
    frame.inertial = false;
    CK_OK(pcs_work_pair_wrench(s.wk, ball, &frame, wrench));
    double down[3] = {0, 0, -weight};
    pcs_quat_rotate((double[4]){SLANT[0], -SLANT[1], -SLANT[2], -SLANT[3]}, down, down);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(wrench[i] / h, down[i], 1e-9 * weight);
    }
    static const double faces[2][3] = {{0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 2; ++i) {
        CK_OK(pcs_work_pressure(s.wk, 0, -1, faces[i], &p));
        CK_NEAR(p.normal / h, (i + 1) * weight, 1e-9 * weight);
    }
    scene_close(&s);
}

// ---- force elements on carried bodies

static const double BOB_START[6] = {0, 0, 0, 0.5, 0.1, -0.2}, BOB_V[6] = {0.3, -1, 0, 0, 0.4, 0.2};

// A spring with a damper, and gravity, between two bobs: carried by one system (0), the first by a
// system (1), both (2), or bodies (-1)
static void oscillate(int how, double theta, double q[6])
{
    double M[36] = {0}, M1[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double M2[9] = {2.5, 0, 0, 0, 2.5, 0, 0, 0, 2.5};
    for (int i = 0; i < 6; ++i) {
        M[7 * i] = BOB_MASS[i / 3];
    }
    scene s = scene_open();
    s.scheme = pcs_scheme_moreau_jean();
    s.scheme.theta = theta;
    scene_gravity(&s, 0, 0, 0);
    pcs_system on[2] = {{0}, {0}}, bob[2];
    if (how == 0) {
        on[0] = on[1] = scene_add_lagrangian(
            &s, &(pcs_lagrangian_def){.n = 6, .q0 = BOB_START, .v0 = BOB_V, .mass = M});
    }
    for (int k = 0; k < 2; ++k) {
        if (how > k) {
            on[k] = scene_add_lagrangian(&s, &(pcs_lagrangian_def){.n = 3,
                                                                   .q0 = BOB_START + 3 * k,
                                                                   .v0 = BOB_V + 3 * k,
                                                                   .mass = k == 0 ? M1 : M2});
        }
        pcs_body_def def = pcs_body_def_default();
        def.carrier = on[k];
        def.pose = bob_pose;
        def.user = &rod_number[how == 0 ? k : 0];
        bob[k] = on[k].id > 0 ? scene_add(&s, &def)
                              : scene_ball(&s, BOB_MASS[k], 0.1, BOB_START + 3 * k, BOB_V + 3 * k);
    }
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    spring.system1 = bob[0];
    spring.system2 = bob[1];
    spring.stiffness = 40;
    spring.damping = theta == 1 ? 1.5 : 0;
    spring.length = 0.3;
    pcs_force on_both, pull;
    CK_OK(pcs_model_add_force(s.m, &spring, &on_both));
    pcs_force_def gravity = pcs_force_def_default(PCS_FORCE_GRAVITY);
    gravity.system1 = bob[1];
    gravity.system2 = bob[0];
    gravity.strength = 0.7;
    CK_OK(pcs_model_add_force(s.m, &gravity, &pull));
    scene_start(&s);
    CK_OK(pcs_force_check(s.m, s.st, on_both, 0, NULL));
    CK_OK(pcs_force_check(s.m, s.st, pull, 0, NULL));
    for (int i = 0; i < 100; ++i) {
        scene_step(&s, 5e-3);
        scene_check_ledger(&s);
    }
    pcs_force_result now;
    CK_OK(pcs_state_force(s.m, s.st, on_both, &now));
    CK_NEAR(now.F1[0] + now.F2[0], 0, 1e-12);
    CK_NEAR(now.energy, 20 * (now.length - 0.3) * (now.length - 0.3), 1e-12);
    for (int k = 0; k < 2; ++k) {
        memcpy(q + 3 * k, scene_q(&s, bob[k]), 3 * sizeof *q);
        double v[6];
        CK_OK(pcs_state_velocity(s.m, s.st, bob[k], v));
        const double *own =
            on[k].id > 0 ? scene_v(&s, on[k]) + (how == 0 ? 3 * k : 0) : scene_v(&s, bob[k]);
        CK_NEAR(v[1], own[1], 1e-12);
    }
    scene_close(&s);
}

TEST(elements_act_alike_on_bodies_and_on_carried_bodies)
{
    for (int damped = 0; damped < 2; ++damped) {
        double bodies[6], q[6];
        oscillate(-1, damped ? 1 : 0.5, bodies);
        for (int how = 0; how < 3; ++how) {
            oscillate(how, damped ? 1 : 0.5, q);
            for (int i = 0; i < 6; ++i) {
                CK_NEAR(q[i], bodies[i], 1e-9);
            }
        }
    }
}

// a linear spring between the ends of both rods, and one of the second to the world, as a force in
// angles: points P1 = middle of the first rod, P2 = end of the second
static const double STIFF = 300;

static int spring_force(void *user, double t, const double *q, const double *v, double *F)
{
    pendulum_force(user, t, q, v, F);
    const double P1[2] = {0.5 * LENGTH * sin(q[0]), -0.5 * LENGTH * cos(q[0])};
    const double P2[2] = {LENGTH * (sin(q[0]) + sin(q[1])), -LENGTH * (cos(q[0]) + cos(q[1]))};
    const double d[2] = {P1[0] - P2[0], P1[1] - P2[1]}, w[2] = {P2[0] - 1, P2[1] + 0.5};
    // dP1, dP2 by the angles
    const double a[2] = {0.5 * LENGTH * cos(q[0]), 0.5 * LENGTH * sin(q[0])};
    const double b[2] = {LENGTH * cos(q[0]), LENGTH * sin(q[0])};
    const double c[2] = {LENGTH * cos(q[1]), LENGTH * sin(q[1])};
    for (int i = 0; i < 2; ++i) {
        F[0] -= STIFF * (d[i] * (a[i] - b[i]) + w[i] * b[i]);
        F[1] -= STIFF * (-d[i] * c[i] + w[i] * c[i]);
    }
    return 0;
}

TEST(springs_on_the_rods_of_a_pendulum_are_forces_in_its_angles)
{
    const double q0[2] = {1, -0.6}, v0[2] = {0, 2};
    scene s[2];
    pcs_system on[2];
    for (int k = 0; k < 2; ++k) {
        s[k] = scene_open();
        s[k].scheme = pcs_scheme_moreau_jean();
        on[k] = scene_add_lagrangian(
            &s[k], &(pcs_lagrangian_def){.n = 2,
                                         .q0 = q0,
                                         .v0 = v0,
                                         .mass_fn = pendulum_mass,
                                         .force = k == 0 ? spring_force : pendulum_force});
    }
    pcs_system rod[2];
    for (int k = 0; k < 2; ++k) {
        const pcs_body_def def = carried_rod(on[1], k, k == 0);
        rod[k] = scene_add(&s[1], &def);
    }
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    pcs_force both;
    spring.stiffness = STIFF;
    spring.system1 = rod[0];
    spring.system2 = rod[1];
    spring.p2[2] = -0.5 * LENGTH;
    CK_OK(pcs_model_add_force(s[1].m, &spring, &both));
    memcpy(spring.p1, spring.p2, sizeof spring.p1);
    spring.system1 = rod[1];
    spring.system2 = (pcs_system){0};
    const double fixed[3] = {1, 0, -0.5};
    memcpy(spring.p2, fixed, sizeof fixed);
    CK_OK(pcs_model_add_force(s[1].m, &spring, NULL));
    scene_start(&s[0]);
    scene_start(&s[1]);
    CK_OK(pcs_force_check(s[1].m, s[1].st, both, 0, NULL));
    for (int i = 0; i < 200; ++i) {
        scene_step(&s[0], 2e-3);
        scene_step(&s[1], 2e-3);
        scene_check_ledger(&s[1]);
        for (int k = 0; k < 2; ++k) {
            CK_NEAR(scene_q(&s[0], on[0])[k], scene_q(&s[1], on[1])[k], 1e-7);
        }
    }
    scene_close(&s[0]);
    scene_close(&s[1]);
}
