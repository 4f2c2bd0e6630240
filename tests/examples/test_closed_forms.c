// The closed forms that examples with rotating bodies use, and their equations of motion:
// derivatives against differences, invariants, and one closed form against another. The bodies of
// the public scenes with friction against published figures.
#include "checks/free_top.h"
#include "checks/gimbal_pass.h"
#include "checks/held_top.h"
#include "checks/run_tally.h"
#include "scenes/friction_scenes.h"
#include "scenes/quaternion_body.h"
#include "support.h"

#include <math.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/rotation.h>

enum { N = QUATERNION_BODY_N };

static void random_state(test_random *r, double x[N])
{
    random_quaternion(r, x);
    for (int i = 0; i < 4; ++i) {
        x[i] *= 1.3; // the equations are polynomials, valid for any Q
    }
    for (int i = 4; i < N; ++i) {
        x[i] = 3 * random_normal(r);
    }
}

static quaternion_body random_body(test_random *r)
{
    quaternion_body b = {.tilting = random_between(r, 0, 5)};
    for (int i = 0; i < 3; ++i) {
        b.J[i] = random_between(r, 1, 1.9);
        b.torque[i] = random_normal(r);
    }
    return b;
}

TEST(the_jacobian_is_the_derivative)
{
    test_random r = random_seed(1);
    for (int k = 0; k < 50; ++k) {
        const quaternion_body b = random_body(&r);
        const pcs_ode ode = quaternion_body_ode(&b);
        double x[N], S[N * N];
        random_state(&r, x);
        ck_assert_int_eq(ode.jacobian(ode.user, 0, x, S), 0);
        for (int j = 0; j < N; ++j) {
            // the central difference of a quadratic is exact
            double ahead[N], behind[N], up[N], down[N];
            memcpy(ahead, x, sizeof x);
            memcpy(behind, x, sizeof x);
            ahead[j] += 0.5;
            behind[j] -= 0.5;
            ck_assert_int_eq(ode.f(ode.user, 0, ahead, up), 0);
            ck_assert_int_eq(ode.f(ode.user, 0, behind, down), 0);
            for (int i = 0; i < N; ++i) {
                CK_NEAR(S[i + N * j], up[i] - down[i], 1e-12);
            }
        }
    }
}

// along the motion, without a torque: d|Q|^2/dt = 0 and dE/dt = 0, for any |Q|
TEST(the_equations_keep_norm_and_energy)
{
    test_random r = random_seed(2);
    for (int k = 0; k < 50; ++k) {
        quaternion_body b = random_body(&r);
        memset(b.torque, 0, sizeof b.torque);
        const pcs_ode ode = quaternion_body_ode(&b);
        double x[N], dxdt[N], ahead[N], behind[N], norm = 0;
        random_state(&r, x);
        ck_assert_int_eq(ode.f(ode.user, 0, x, dxdt), 0);
        for (int i = 0; i < N; ++i) {
            ahead[i] = x[i] + dxdt[i];
            behind[i] = x[i] - dxdt[i];
            if (i < 4) norm += x[i] * dxdt[i];
        }
        CK_NEAR(norm, 0, 1e-13);
        // E is quadratic: E(x + d) - E(x - d) = 2 dE . d
        const double up = quaternion_body_energy(&b, ahead),
                     down = quaternion_body_energy(&b, behind);
        CK_NEAR(up - down, 0, 1e-13 * (fabs(up) + fabs(down) + 10));
    }
}

// the motion past the pole obeys the equations, and its distance from the pole is the given one
TEST(the_pass_obeys_the_equations)
{
    const gimbal_pass pass = {1, 1.8, 2, 0.7, 0.01, 0.3};
    const quaternion_body b = pass_body(&pass);
    const pcs_ode ode = quaternion_body_ode(&b);
    const double h = 1e-3;
    for (int k = 0; k <= 20; ++k) {
        const double t = pass_period(&pass) * k / 20;
        double x[N], dxdt[N], at[4][N];
        pass_at(&pass, t, x);
        CK_NEAR(pcs_quat_norm(x), 1, 1e-15);
        ck_assert_int_eq(ode.f(ode.user, t, x, dxdt), 0);
        for (int i = 0; i < 4; ++i) {
            pass_at(&pass, t + (i < 2 ? i - 2 : i - 1) * h, at[i]);
        }
        for (int i = 0; i < N; ++i) {
            const double slope = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * h);
            CK_NEAR(dxdt[i], slope, 1e-10);
        }
    }
    double x[N], nose[3];
    pass_at(&pass, 0.5 * pass_period(&pass), x);
    pcs_quat_rotate(x, (double[3]){1, 0, 0}, nose);
    CK_NEAR(hypot(nose[0], nose[1]), sin(pass.miss), 1e-14);
    ck_assert(nose[2] < 0);
}

// the elliptic function has the period and the limits of the integrals, and obeys u'^2 = f(u)
TEST(the_height_of_the_top_is_that_of_its_integrals)
{
    const heavy_top tops[2] = {
        top_default(),
        {.mass = 2, .J1 = 0.02, .J3 = 0.03, .arm = 0.1, .spin = 60, .tilt = 1.1, .gravity = 9.81}};
    for (int k = 0; k < 2; ++k) {
        const nutation n = top_nutation(&tops[k]);
        const double u0 = cos(tops[k].tilt), weight = tops[k].mass * tops[k].gravity;
        CK_NEAR(held_top_cosine(&tops[k], 0), u0, 1e-15);
        CK_NEAR(held_top_cosine(&tops[k], 0.5 * n.period), n.lowest, 1e-14);
        CK_NEAR(held_top_cosine(&tops[k], 7 * n.period), u0, 1e-13);
        // the vertical force is m (g + arm u'')
        const double h = 0.002 * n.period;
        for (int i = 1; i < 10; ++i) {
            const double t = 0.1 * i * n.period;
            double u[5];
            for (int j = 0; j < 5; ++j) {
                u[j] = held_top_cosine(&tops[k], t + (j - 2) * h);
            }
            const double udot = (8 * (u[3] - u[1]) - (u[4] - u[0])) / (12 * h);
            const double second = (16 * (u[3] + u[1]) - (u[4] + u[0]) - 30 * u[2]) / (12 * h * h);
            const held_reaction r = held_top_reaction(&tops[k], u[2], udot);
            CK_NEAR(r.vertical / weight, 1 + tops[k].arm * second / tops[k].gravity, 1e-7);
        }
        // a top at rest with a fixed axis: the force of the joint is the weight less m times the
        // acceleration downwards
        const held_reaction r = held_top_reaction(&tops[k], u0, 0);
        CK_NEAR(r.axial, weight * u0, 1e-14 * weight);
        ck_assert(r.vertical < weight && r.across == 0);
    }
}

// omega of the free body: 2K and |J omega|^2 stay, and so does its period
TEST(the_free_body_keeps_its_invariants)
{
    const double I[3] = {1e-3, 2e-3, 2.8e-3};
    for (int first = 0; first < 2; ++first) {
        const free_top top = free_top_make(I, 10, 0.1, first == 1);
        double K0 = 0, L0 = 0;
        for (int k = 0; k <= 40; ++k) {
            double w[3], K = 0, L = 0;
            free_top_omega(&top, 0.1 * k * free_top_flip(&top), w);
            for (int i = 0; i < 3; ++i) {
                K += I[i] * w[i] * w[i];
                L += I[i] * I[i] * w[i] * w[i];
            }
            if (k == 0) {
                K0 = K;
                L0 = L;
            }
            CK_NEAR(K / K0, 1, 1e-13);
            CK_NEAR(L / L0, 1, 1e-13);
        }
    }
}

// ---- public scenes with friction

static pcs_scene *friction_scene_of(friction_def def)
{
    pcs_scene *scene;
    ck_assert_int_eq(pcs_scene_create(NULL, &scene), PCS_OK);
    ck_assert_int_eq(friction_build(&def, scene), PCS_OK);
    return scene;
}

// the distance of a point in the x z plane from the nearest corner of a stone
static double corner_off(const pcs_scene *scene, int stone, double x, double z)
{
    // the shape 0 is the ground
    pcs_model_shape_def def;
    pcs_body_def body;
    const double *v;
    double nearest = INFINITY;
    ck_assert_int_eq(pcs_model_shape(scene->model, stone, &def), PCS_OK);
    ck_assert_int_eq(pcs_model_body(scene->model, (pcs_system){stone}, &body), PCS_OK);
    for (int i = pcs_geometry_vertices(def.shape.geometry, &v); i-- > 0;) {
        const double at[2] = {body.position[0] + def.shape.position[0] + v[3 * i],
                              body.position[2] + def.shape.position[2] + v[3 * i + 2]};
        nearest = fmin(nearest, hypot(at[0] - x, at[1] - z));
    }
    return nearest;
}

// corners of the public meshes of 25 stones (rigid-ipc, meshes/arch), and of two of 101
TEST(the_stones_are_the_published_ones)
{
    static const struct {
        int stones, stone;
        double x, z;
    } corner[] = {
        {25, 1, -26.315009, 0.1},        {25, 1, -25.097166, 5.506144},
        {25, 1, -36.565382, 0.1},        {25, 1, -34.837115, 7.771845},
        {25, 2, -25.130427, 5.637143},   {25, 2, -33.273091, 13.369221},
        {25, 13, -1.694454, 58.582120},  {25, 13, 3.823896, 65.273375},
        {101, 1, -30.115009, 0.1},       {101, 1, -39.583258, 3.604347},
        {101, 51, -0.415074, 62.648966}, {101, 51, 0.972056, 69.628159},
    };
    for (size_t k = 0; k < sizeof corner / sizeof *corner; ++k) {
        friction_def def = friction_default(FRICTION_ARCH);
        def.stones = corner[k].stones;
        pcs_scene *scene = friction_scene_of(def);
        ck_assert_double_le(corner_off(scene, corner[k].stone, corner[k].x, corner[k].z), 1e-12);
        pcs_scene_destroy(scene);
    }
}

// 26, 40 and 155 cards of 25 kg, whose neighbouring bridges interpenetrate by 1.6 mm; the literal
// arch overlaps by 1 um
TEST(the_structures_start_as_published)
{
    static const int levels[] = {4, 5, 10}, cards[] = {26, 40, 155};
    for (int k = 0; k < 4; ++k) {
        friction_def def = friction_default(k < 3 ? FRICTION_CARDS : FRICTION_ARCH);
        if (k < 3) def.levels = levels[k];
        def.literal = k == 3;
        def.cubes = false;
        pcs_scene *scene = friction_scene_of(def);
        pcs_state *state;
        double overlap;
        ck_assert_int_eq(pcs_state_create(scene->model, &state), PCS_OK);
        ck_assert_int_eq(tally_overlap(scene->model, state, &overlap), PCS_OK);
        if (k < 3) {
            ck_assert_int_eq(friction_parts(&def), cards[k]);
            ck_assert_int_eq(pcs_model_system_count(scene->model), cards[k]);
            CK_NEAR(tally_weight(scene->model), 25 * 9.81 * cards[k], 1e-9);
            CK_NEAR(overlap, 1.6e-3, 1e-4);
        } else {
            CK_NEAR(overlap, 1e-6, 1e-9);
        }
        pcs_state_destroy(state);
        pcs_scene_destroy(scene);
    }
}
