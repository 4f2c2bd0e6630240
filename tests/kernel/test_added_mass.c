// Bodies with added mass, and the vehicle among contacts: against ordinary bodies where the added
// mass is that of a solid, against the rates of the vehicle elsewhere.
#include "scene.h"
#include "vehicle_ride.h"

#include <percuss/ode.h>
#include <percuss/vehicle.h>

#include "linalg/m3.h"

static void random_added(test_random *r, double size, double A[36])
{
    double B[36];
    for (int i = 0; i < 36; ++i) {
        B[i] = random_normal(r);
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            A[i + 6 * j] = 0;
            for (int k = 0; k < 6; ++k) {
                A[i + 6 * j] += size * B[i + 6 * k] * B[j + 6 * k];
            }
        }
    }
}

static pcs_system add(scene *s, const pcs_body_def *def)
{
    return scene_add(s, def);
}

// ---- as solids

// added mass that is equal in all directions acts as mass and inertia: the same flight, impacts and
// friction
TEST(isotropic_added_mass_is_mass)
{
    double q[2][7], v[2][6];
    for (int wet = 0; wet < 2; ++wet) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0.5, 0,
                    0.4);
        pcs_body_def def = pcs_body_def_default();
        const double edges[3] = {0.2, 0.3, 0.1};
        double J[9];
        memcpy(J, pcs_inertia_box(3, edges[0], edges[1], edges[2]).J, sizeof J);
        for (int i = 0; i < 9; ++i) {
            def.inertia[i] = wet ? 0.25 * J[i] : J[i];
            def.added_mass[(3 + i % 3) + 6 * (3 + i / 3)] = wet ? 0.75 * J[i] : 0;
        }
        for (int i = 0; i < 3; ++i) {
            def.added_mass[7 * i] = wet ? 2 : 0;
        }
        def.mass = wet ? 1 : 3;
        v3_copy((double[3]){0.1, 0.2, 0.5}, def.position);
        v3_copy((double[3]){1, 0.3, -2}, def.velocity);
        v3_copy((double[3]){2, -3, 1}, def.omega);
        const pcs_system box = add(&s, &def);
        scene_shape(&s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0.5);
        scene_start(&s);
        int touched = 0;
        for (int k = 0; k < 300; ++k) {
            scene_step(&s, 2e-3);
            scene_check_step(&s);
            touched += s.report.active > 0;
        }
        ck_assert_int_gt(touched, 0);
        memcpy(q[wet], scene_q(&s, box), sizeof q[wet]);
        memcpy(v[wet], scene_v(&s, box), sizeof v[wet]);
        scene_close(&s);
    }
    expect_same(q[0], q[1], 7, 1e-9);
    expect_same(v[0], v[1], 6, 1e-9);
}

// the solid box, described about a point O away from its centre: m (V; omega) couples
static pcs_body_def about_O(const double r_G[3], double mass, const double J[9])
{
    double S[9], SS[9];
    m3_skew(r_G, S);
    m3_mul_m3(S, S, SS);
    pcs_body_def def = pcs_body_def_default();
    def.mass = mass;
    memcpy(def.inertia, J, sizeof def.inertia);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            def.added_mass[i + 6 * (3 + j)] = -mass * S[i + 3 * j];
            def.added_mass[(3 + i) + 6 * j] = mass * S[i + 3 * j];
            def.added_mass[(3 + i) + 6 * (3 + j)] = -mass * SS[i + 3 * j];
        }
    }
    return def;
}

// x_G and v_G of a body described about O
static void centre(scene *s, pcs_system b, const double r_G[3], double x[3], double v[3])
{
    const double *q = scene_q(s, b), *u = scene_v(s, b);
    double slip[3], arm[3], rotated[3];
    v3_cross(u + 3, r_G, slip);
    pcs_quat_rotate(q + 3, r_G, arm);
    pcs_quat_rotate(q + 3, slip, rotated);
    v3_along(q, 1, arm, x);
    v3_along(u, 1, rotated, v);
}

// one box about G or about O, above the ground, with a shape
static pcs_system open_box(scene *s, bool shifted, const double r_G[3], double height)
{
    *s = scene_open();
    scene_gravity(s, 0, 0, 0);
    scene_ground(s, 0.6);
    const double edges[3] = {0.2, 0.3, 0.1}, Q[4] = {0.8, 0.2, 0.4, 0.4}, w[3] = {2, -3, 1};
    const double x[3] = {0.3, -0.1, height}, v[3] = {0.4, 0.5, -1};
    double J[9], slip[3], arm[3], rotated[3];
    memcpy(J, pcs_inertia_box(2, edges[0], edges[1], edges[2]).J, sizeof J);
    const double zero[3] = {0};
    pcs_body_def def = about_O(shifted ? r_G : zero, 2, J);
    v3_cross(w, r_G, slip);
    pcs_quat_rotate(Q, r_G, arm);
    pcs_quat_rotate(Q, slip, rotated);
    v3_along(x, shifted ? -1 : 0, arm, def.position);
    v3_along(v, shifted ? -1 : 0, rotated, def.velocity);
    memcpy(def.orientation, Q, sizeof Q);
    memcpy(def.omega, w, sizeof w);
    const pcs_system b = add(s, &def);
    pcs_shape shape = pcs_shape_box(edges[0], edges[1], edges[2]);
    if (shifted) v3_copy(r_G, shape.position);
    scene_shape(s, b, shape, 0.6);
    return b;
}

TEST(an_impact_does_not_depend_on_the_reference_point)
{
    const double r_G[3] = {0.1, -0.2, 0.15};
    double x[2][3], v[2][3], w[2][3], K[2], p[2][3], L[2][3];
    for (int shifted = 0; shifted < 2; ++shifted) {
        scene s;
        const pcs_system b = open_box(&s, shifted, r_G, 0.1);
        scene_start(&s);
        CK_OK(pcs_impact(s.m, s.st, s.wk, 1, NULL));
        centre(&s, b, shifted ? r_G : (double[3]){0}, x[shifted], v[shifted]);
        v3_copy(scene_v(&s, b) + 3, w[shifted]);
        K[shifted] = scene_kinetic(&s);
        CK_OK(pcs_state_momentum(s.m, s.st, p[shifted], L[shifted]));
        const pcs_contact *c;
        ck_assert_int_gt(scene_contacts(&s, &c), 0);
        scene_close(&s);
    }
    ck_assert(v[0][2] > -1);
    expect_same(v[1], v[0], 3, 1e-10);
    expect_same(w[1], w[0], 3, 1e-9);
    expect_same(p[1], p[0], 3, 1e-10);
    expect_same(L[1], L[0], 3, 1e-10);
    CK_NEAR(K[1], K[0], 1e-10);
}

// a free solid about O: its centre moves straight on, to the second order of the scheme; its
// rotation, momentum and energy are those of the ordinary body
TEST(free_flight_does_not_depend_on_the_reference_point)
{
    const double r_G[3] = {0.1, -0.2, 0.15}, T = 0.5;
    double error[4], energy[4], ledger[4];
    for (int k = 0; k < 4; ++k) {
        const int n = 50 << k;
        double x[3], v[3], p[2][3], L[2][3], books = 0;
        scene s;
        const pcs_system b = open_box(&s, true, r_G, 5);
        scene_start(&s);
        const double K = scene_kinetic(&s);
        CK_OK(pcs_state_momentum(s.m, s.st, p[0], L[0]));
        for (int i = 0; i < n; ++i) {
            scene_step(&s, T / n);
            scene_check_step(&s);
            books += s.report.energy.gyroscopic + s.report.energy.mass;
        }
        centre(&s, b, r_G, x, v);
        CK_OK(pcs_state_momentum(s.m, s.st, p[1], L[1]));
        const double expected[3] = {0.3 + 0.4 * T, -0.1 + 0.5 * T, 5 - T};
        error[k] = 0;
        for (int i = 0; i < 3; ++i) {
            error[k] = fmax(error[k], fabs(x[i] - expected[i]));
            error[k] = fmax(error[k], fabs(L[1][i] - L[0][i]));
            error[k] = fmax(error[k], fabs(p[1][i] - p[0][i]));
        }
        energy[k] = fabs(scene_kinetic(&s) - K);
        ledger[k] = fabs(books);
        scene_close(&s);
    }
    CK_NEAR(observed_order(4, error), 2, 0.1);
    ck_assert(observed_order(4, energy) > 1.8);
    ck_assert(observed_order(4, ledger) > 1.8);
    ck_assert(error[3] < 1e-4);
}

// ---- in a fluid

// a sphere whose water weighs twice as much downwards: it falls with g m / (m + a), bounces with
// -e, and the floor gives it (1 + e) (m + a) u
TEST(a_falling_plate_carries_its_water)
{
    scene s = scene_open();
    scene_ground(&s, 0.5);
    pcs_body_def def = pcs_body_def_default();
    def.added_mass[14] = 2;
    def.position[2] = 1;
    const pcs_system b = add(&s, &def);
    scene_shape(&s, b, pcs_shape_sphere(0.1), 0.5);
    scene_start(&s);
    const double h = 0.01, g = 9.81 / 3;
    int bounces = 0;
    for (int k = 1; k <= 100; ++k) {
        const double before = scene_v(&s, b)[2];
        scene_step(&s, h);
        scene_check_step(&s);
        if (s.report.active > 0) {
            const pcs_contact *c;
            ck_assert_int_eq(scene_contacts(&s, &c), 1);
            CK_NEAR(c->u[0], -0.5 * before, 1e-12);
            CK_NEAR(c->r[0], 3 * (1.5 * -before + g * h), 1e-11);
            bounces += 1;
        } else if (bounces == 0) {
            CK_NEAR(scene_q(&s, b)[2], 1 - 0.5 * g * k * h * k * h, 1e-12);
            CK_NEAR(scene_kinetic(&s), 1.5 * g * k * h * g * k * h, 1e-12);
        }
    }
    ck_assert_int_eq(bounces, 1);
    scene_close(&s);
}

// ---- the vehicle

// the step agrees with the rates of the vehicle to second order: full coupled mass, a current that
// carries part of it, fins, thrust, weight; the gravity of the model has no effect
static void same_way(bool flowing)
{
    test_random r = random_seed(flowing ? 5 : 6);
    pcs_vehicle_def def = pcs_vehicle_def_default();
    random_added(&r, 1, def.added_mass);
    for (int i = 0; i < 36; ++i) {
        def.mass_matrix[i] += def.added_mass[i];
    }
    def.weight = 90;
    v3_copy((double[3]){0.02, 0.01, -0.05}, def.r_G);
    if (flowing) v3_copy((double[3]){0.3, -0.2, 0.1}, def.current);
    pcs_vehicle *v;
    CK_OK(pcs_vehicle_create(NULL, &def, &v));
    const double x0[PCS_VEHICLE_STATE_SIZE] = {1, 2,   -3,   0.8, 0,   0.6, 0,
                                               1, 0.2, -0.1, 0.3, 0.2, -0.4};
    pcs_vehicle_ride ride = {.vehicle = v,
                             .command = {.thrust = 20, .deflection = {0.05, -0.1, 0.08, 0.02}}};
    double exact[PCS_VEHICLE_STATE_SIZE], error[4];
    const double T = 0.5;
    memcpy(exact, x0, sizeof exact);
    vehicle_ride(v, &ride.command, T, 2000, exact);
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 1, 2, -7);
        pcs_system body;
        CK_OK(pcs_model_add_vehicle(s.m, &ride, x0, &body));
        scene_start(&s);
        const int n = 25 << k;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, T / n);
            scene_check_step(&s);
        }
        double x[PCS_VEHICLE_STATE_SIZE];
        pcs_vehicle_from_body(scene_q(&s, body), scene_v(&s, body), x);
        error[k] = 0;
        for (int i = 0; i < PCS_VEHICLE_STATE_SIZE; ++i) {
            error[k] = fmax(error[k], fabs(x[i] - exact[i]));
        }
        scene_close(&s);
    }
    CK_NEAR(observed_order(4, error), 2, 0.1);
    ck_assert_msg(error[3] < 2e-4, "%g", error[3]);
    pcs_vehicle_destroy(v);
}

TEST(a_step_follows_the_rates)
{
    same_way(false);
    same_way(true);
}

// 10 N heavier than water, it sinks, touches down on the sea floor and comes to rest; the floor
// then carries the weight less the buoyancy. A thrust below mu (W - B) does not move it, a larger
// one does.
static void touch_down(scene *s, pcs_vehicle_ride *ride, pcs_system *body)
{
    const double x0[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0.3, 1, 0, 0.05, 0, 0.5};
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.4);
    CK_OK(pcs_model_add_vehicle(s->m, ride, x0, body));
    pcs_shape hull = pcs_shape_capsule(0.05, 1.3);
    CK_OK(pcs_quat_from_axis_angle((double[3]){0, 1, 0}, 2 * atan(1.0), hull.orientation));
    scene_rough(s, *body, hull, 0, 0, 0.4);
    s->scheme = pcs_scheme_dense(1e-12, 0.1);
    scene_start(s);
}

TEST(a_heavy_vehicle_touches_down)
{
    pcs_vehicle_def def = pcs_vehicle_def_default();
    def.weight += 10;
    pcs_vehicle *v;
    CK_OK(pcs_vehicle_create(NULL, &def, &v));
    pcs_vehicle_ride ride = {.vehicle = v};
    scene s = scene_open();
    pcs_system body;
    touch_down(&s, &ride, &body);
    const double h = 5e-3;
    for (int k = 0; k < 2000; ++k) {
        scene_step(&s, h);
        scene_check_step(&s);
    }
    const double *q = scene_q(&s, body), *u = scene_v(&s, body);
    CK_NEAR(q[2], 0.05, 1e-9);
    for (int i = 0; i < 6; ++i) {
        CK_NEAR(u[i], 0, 1e-8);
    }
    double wrench[6];
    pcs_work_contact_wrench(s.wk, body, wrench);
    CK_NEAR(wrench[2], 10 * h, 1e-7 * h);
    CK_NEAR(wrench[0], 0, 1e-7 * h);

    // mu (W - B) = 4 N; the thruster is level with O and makes no pitching moment, friction does
    ride.command.thrust = 3.9;
    const double x = q[0];
    const long before = s.memory->allocated;
    for (int k = 0; k < 200; ++k) {
        scene_step(&s, h);
        scene_check_step(&s);
    }
    ck_assert_int_eq(s.memory->allocated, before);
    CK_NEAR(scene_q(&s, body)[0], x, 1e-9);
    ride.command.thrust = 4.4;
    for (int k = 0; k < 2000; ++k) {
        scene_step(&s, 10 * h);
    }
    // 0.4 N remain for the drag of sliding at u
    double CL, CD;
    CK_OK(pcs_foil_coefficients(&def.foil, 0, &CL, &CD));
    const double quadratic = 2 + 0.5 * 1000 * 4 * 0.008 * CD;
    const double terminal = (sqrt(1 + 4 * quadratic * 0.4) - 1) / (2 * quadratic);
    CK_NEAR(scene_v(&s, body)[0], terminal, 1e-6);
    scene_close(&s);
    pcs_vehicle_destroy(v);
}

static int no_answer(void *user, double alpha, double *CL, double *CD)
{
    *CL = *CD = 0;
    return *(int *)user;
}

TEST(invalid_added_masses_are_refused)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    pcs_system out;
    def.added_mass[0] = NAN;
    CK_FAILS(pcs_model_add_body(s.m, &def, &out), PCS_ERR_ARG);
    def.added_mass[0] = 0;
    def.added_mass[1] = 0.1;
    CK_FAILS(pcs_model_add_body(s.m, &def, &out), PCS_ERR_ARG);
    def.added_mass[1] = 0;
    def.added_mass[7] = -1;
    CK_FAILS(pcs_model_add_body(s.m, &def, &out), PCS_ERR_ARG);
    def.added_mass[7] = -0.5;
    CK_OK(pcs_model_add_body(s.m, &def, &out));

    int answer = 0;
    pcs_vehicle_def vehicle = pcs_vehicle_def_default();
    vehicle.foil = (pcs_foil){.fn = no_answer, .user = &answer};
    pcs_vehicle *v;
    CK_OK(pcs_vehicle_create(NULL, &vehicle, &v));
    pcs_vehicle_ride ride = {0};
    double x[PCS_VEHICLE_STATE_SIZE] = {0, 0, 0, 1, 0, 0, 0, 1};
    CK_FAILS(pcs_model_add_vehicle(s.m, &ride, x, NULL), PCS_ERR_ARG);
    ride.vehicle = v;
    CK_FAILS(pcs_model_add_vehicle(NULL, &ride, x, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_vehicle(s.m, &ride, NULL, NULL), PCS_ERR_ARG);
    x[3] = 0;
    CK_FAILS(pcs_model_add_vehicle(s.m, &ride, x, NULL), PCS_ERR_ARG);
    x[3] = 1;
    x[12] = INFINITY;
    CK_FAILS(pcs_model_add_vehicle(s.m, &ride, x, NULL), PCS_ERR_ARG);
    x[12] = 0;
    CK_OK(pcs_model_add_vehicle(s.m, &ride, x, NULL));
    scene_start(&s);
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, NULL));
    ride.command.thrust = NAN;
    CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK);
    ride.command.thrust = 0;
    answer = 1;
    CK_FAILS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK);
    CK_NEAR(s.st->t, 0.01, 0);

    // the callbacks of a disabled body are not called
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){2}, false));
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, NULL));
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){1}, false));
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, NULL));
    scene_close(&s);
    pcs_vehicle_destroy(v);
}

TEST(memory_may_fail)
{
    for (int k = 0; k < 4; ++k) {
        test_memory memory = {.fail_at = -1};
        const pcs_env env = test_env(&memory);
        pcs_model *m;
        CK_OK(pcs_model_create(&env, &m));
        pcs_body_def def = pcs_body_def_default();
        def.added_mass[0] = 1;
        memory.fail_at = k;
        CK_FAILS(pcs_model_add_body(m, &def, NULL), PCS_ERR_MEMORY);
        ck_assert_int_eq(pcs_model_system_count(m), 0);
        memory.fail_at = -1;
        CK_OK(pcs_model_add_body(m, &def, NULL));
        pcs_model_destroy(m);
        ck_assert_int_eq(memory.live, 0);
    }
}
