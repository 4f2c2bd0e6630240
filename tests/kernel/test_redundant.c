// Joints that hold two bodies in the same directions: their rows agree up to the rounding of the
// velocities, or of the positions, whatever these are, and that is no contradiction.
#include "scene.h"

#include <string.h>

#include "linalg/m3.h"

static const double origin[3] = {0};
static const pcs_system world = {0};

// off: m, an error of a point of the joint
static void hold_off(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two,
                     const double at[3], const double z[3], double off)
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    def.system1 = one;
    def.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, at, z, NULL, &def));
    def.point1[0] += off;
    CK_OK(pcs_model_add_joint(s->m, &def, NULL));
}

static void hold(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two, const double at[3],
                 const double z[3])
{
    hold_off(s, kind, one, two, at, z, 0);
}

static pcs_system block(scene *s, const double x[3], const double v[3])
{
    const double edges[3] = {0.3, 0.1, 0.2};
    return scene_box(s, 6, edges, x, NULL, v, origin);
}

static void step_solved(scene *s, double h)
{
    scene_step(s, h);
    ck_assert_int_eq(s->report.outcome, PCS_OUTCOME_CONVERGED);
}

// two bodies fly with one velocity, held to one another twice: v(t) = v(0) + g t, whether there is
// gravity or nothing acts at all
TEST(what_flies_together_flies_on)
{
    static const pcs_joint_kind kinds[7][2] = {
        {PCS_JOINT_SLIDER, PCS_JOINT_SLIDER},     {PCS_JOINT_HINGE, PCS_JOINT_HINGE},
        {PCS_JOINT_HINGE, PCS_JOINT_CYLINDRICAL}, {PCS_JOINT_CYLINDRICAL, PCS_JOINT_CYLINDRICAL},
        {PCS_JOINT_HINGE, PCS_JOINT_BALL},        {PCS_JOINT_HINGE, PCS_JOINT_POINT_ON_LINE},
        {PCS_JOINT_FIXED, PCS_JOINT_FIXED}};
    const double axis[3] = {0.3, 0.5, 0.8}, g = 9.81, h = 0.002, x[2][3] = {{0}, {0.5, 0.13, 0.1}};
    test_random rng = random_seed(1);
    for (int k = 0; k < 28; ++k) {
        const pcs_joint_kind *kind = kinds[k % 7];
        const bool falls = k / 7 % 2 == 1, usual = k / 14 == 1;
        scene s = scene_open();
        if (usual) s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, falls ? -g : 0);
        double v[3] = {1};
        v[1] = random_between(&rng, -1, 1);
        v[2] = random_between(&rng, -1, 1);
        const pcs_system one = block(&s, x[0], v), two = block(&s, x[1], v);
        for (int j = 0; j < 2; ++j) {
            double at[3];
            for (int i = 0; i < 3; ++i) {
                at[i] = 0.2 + 0.2 * j * axis[i];
            }
            hold(&s, kind[j], two, one, at, axis);
        }
        scene_start(&s);
        for (int i = 1; i <= 60; ++i) {
            step_solved(&s, h);
            const double then[3] = {v[0], v[1], v[2] - (falls ? g * h * i : 0)};
            for (int c = 0; c < 3; ++c) {
                CK_NEAR(scene_v(&s, one)[c], then[c], 1e-12);
                CK_NEAR(scene_v(&s, two)[c], then[c], 1e-12);
                CK_NEAR(scene_v(&s, one)[3 + c], 0, 1e-11);
            }
        }
        scene_close(&s);
    }
}

// a chassis with two axles that spin at their own rates, each in a hinge and a cylindrical joint
TEST(a_car_jumps)
{
    const double v[3] = {7, 0.3, 2}, edges[3] = {2, 0.8, 0.3}, y[3] = {0, 1, 0};
    const double middle[3] = {0, 0, 1.5};
    for (int k = 0; k < 10; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, -9.81);
        const pcs_system chassis = scene_box(&s, 144, edges, middle, NULL, v, origin);
        pcs_system axle[2];
        for (int i = 0; i < 2; ++i) {
            const double at[3] = {i == 0 ? -0.7 : 0.7, 0, 1.3}, size[3] = {0.6, 1.2, 0.6};
            const double spin[3] = {0, 3.7 * k + 11 * i, 0};
            axle[i] = scene_box(&s, 28, size, at, NULL, v, spin);
            for (int side = -1; side <= 1; side += 2) {
                const double bearing[3] = {at[0], 0.4 * side, at[2]};
                hold(&s, side < 0 ? PCS_JOINT_HINGE : PCS_JOINT_CYLINDRICAL, axle[i], chassis,
                     bearing, y);
            }
        }
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            step_solved(&s, 0.005);
        }
        for (int i = 0; i < 2; ++i) {
            CK_NEAR(scene_v(&s, axle[i])[2], v[2] - 9.81 * 0.25, 1e-9);
            CK_NEAR(scene_v(&s, axle[i])[4], 3.7 * k + 11 * i, 1e-9);
        }
        scene_close(&s);
    }
}

// what two fixed joints stop stays where it is, until its velocity is no normal number and then
// zero
TEST(what_is_held_twice_stays)
{
    const double v[3] = {1, 0.3, -0.7}, axis[3] = {0.3, 0.5, 0.8};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, 0, 0, 0);
    const pcs_system box = block(&s, origin, v);
    for (int j = 0; j < 2; ++j) {
        const double at[3] = {0.2 + 0.1 * j, 0.05 - 0.06 * j, 0.05};
        hold(&s, PCS_JOINT_FIXED, box, world, at, axis);
    }
    scene_start(&s);
    for (int i = 0; i < 100; ++i) {
        step_solved(&s, 0.002);
        for (int c = 0; c < 6; ++c) {
            CK_NEAR(scene_v(&s, box)[c], 0, 1e-13);
        }
    }
    scene_close(&s);
}

typedef struct row_of_boxes {
    pcs_joint_kind both[2]; // between the first two boxes: these together hold what `same` holds
    pcs_joint_kind same;
    pcs_joint_kind other; // between the last two
} row_of_boxes;

// three boxes tumble; rigid: they start as one body, else with velocities that the joints stop. x:
// where they are after 0.15 s; returns the largest number of iterates of a step
static int tumble(const row_of_boxes *row, bool twice, bool rigid, pcs_scheme scheme, int seed,
                  double x[9])
{
    test_random rng = random_seed((uint64_t)seed);
    scene s = scene_open();
    s.scheme = scheme;
    scene_gravity(&s, 0, 0, 0);
    pcs_system box[3];
    double omega[3], axis[3];
    for (int c = 0; c < 3; ++c) {
        omega[c] = random_between(&rng, -2, 2);
        axis[c] = random_between(&rng, -1, 1);
    }
    for (int i = 0; i < 3; ++i) {
        const double edges[3] = {0.2, 0.1 + 0.05 * i, 0.15}, at[3] = {0.3 * i, 0.02 * i, 0};
        double Q[4], v[3];
        random_quaternion(&rng, Q);
        v[0] = -omega[2] * at[1];
        v[1] = omega[2] * at[0];
        v[2] = omega[0] * at[1] - omega[1] * at[0];
        for (int c = 0; c < 3 && !rigid; ++c) {
            v[c] = random_between(&rng, -0.5, 0.5);
            omega[c] = random_between(&rng, -2, 2);
        }
        box[i] = scene_box(&s, 2 + i, edges, at, rigid ? NULL : Q, v, omega);
    }
    const double first[3] = {0.15, 0.01, 0}, second[3] = {0.45, 0.03, 0};
    hold(&s, twice ? row->both[0] : row->same, box[1], box[0], first, axis);
    if (twice) hold(&s, row->both[1], box[1], box[0], first, axis);
    hold(&s, row->other, box[2], box[1], second, axis);
    scene_start(&s);
    int most = 0;
    for (int i = 0; i < 150; ++i) {
        step_solved(&s, 0.001);
        if (s.report.newton_iters > most) most = s.report.newton_iters;
    }
    for (int i = 0; i < 9; ++i) {
        x[i] = scene_q(&s, box[i / 3])[i % 3];
    }
    scene_close(&s);
    return most;
}

// Two joints of one pair that together hold what one joint holds give its motion: of order h^2 by
// default where bodies start as one, of order h where joints stop velocities in the first step, and
// with rows at q_k. Rows of open joints would lock what both leave free, with other angular momenta
// and motions 0.05 m apart. Newton's iterates do not go on where such rows contradict each other
TEST(what_two_joints_hold_one_holds)
{
    static const row_of_boxes rows[4] = {
        {{PCS_JOINT_CYLINDRICAL, PCS_JOINT_HINGE}, PCS_JOINT_HINGE, PCS_JOINT_CYLINDRICAL},
        {{PCS_JOINT_SLIDER, PCS_JOINT_HINGE}, PCS_JOINT_FIXED, PCS_JOINT_BALL},
        {{PCS_JOINT_UNIVERSAL, PCS_JOINT_SLIDER}, PCS_JOINT_FIXED, PCS_JOINT_UNIVERSAL},
        {{PCS_JOINT_SLIDER, PCS_JOINT_FIXED}, PCS_JOINT_FIXED, PCS_JOINT_BALL}};
    for (int k = 0; k < 48; ++k) {
        const bool rigid = k % 2 == 0, textbook = k / 2 % 2 == 1;
        const pcs_scheme scheme = textbook ? pcs_scheme_moreau_jean() : pcs_scheme_default();
        double twice[9], once[9];
        const int most = tumble(&rows[k / 4 % 4], true, rigid, scheme, k, twice);
        tumble(&rows[k / 4 % 4], false, rigid, scheme, k, once);
        ck_assert_int_le(most, 12);
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(twice[i], once[i], !rigid ? 1e-3 : textbook ? 3e-5 : 1e-7);
        }
    }
}

typedef struct two_boxes {
    int n;
    pcs_joint_kind kind[3]; // between the boxes
    double along[3];        // m, of each on their common axis
    double across;          // m, of the last one from it
    pcs_joint_kind same;    // the one that holds what these hold together
} two_boxes;

// Two boxes fly as one body at 12 rad/s; x: where they are after 0.2 s; angular momentum about the
// origin, where the centre of mass stays, and energy are kept to the error of the scheme
static void fly(const two_boxes *pair, bool twice, double h, int seed, double x[6])
{
    test_random rng = random_seed((uint64_t)seed);
    const double mass[2] = {3, 2}, at[2][3] = {{-0.16, 0.04, 0}, {0.24, -0.06, 0}};
    const double edges[2][3] = {{0.3, 0.1, 0.2}, {0.15, 0.3, 0.1}};
    double axis[3], omega[3], L[2][3], E[2];
    for (int c = 0; c < 3; ++c) {
        axis[c] = random_between(&rng, 0.3, 1);
        omega[c] = random_between(&rng, -12, 12);
    }
    v3_scale(1 / v3_norm(axis), axis, axis);
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, 0, 0, 0);
    pcs_system box[2];
    for (int i = 0; i < 2; ++i) {
        double v[3];
        v3_cross(omega, at[i], v);
        box[i] = scene_box(&s, mass[i], edges[i], at[i], NULL, v, omega);
    }
    const double side[3] = {axis[1], -axis[0], 0};
    for (int j = 0; j < (twice ? pair->n : 1); ++j) {
        double point[3];
        v3_along((double[3]){0.05, 0.02, 0.03}, pair->along[j], axis, point);
        if (j > 0 && j == pair->n - 1) v3_along(point, pair->across, side, point);
        hold(&s, twice ? pair->kind[j] : pair->same, box[1], box[0], point, axis);
    }
    scene_start(&s);
    for (int k = 0; k < 2; ++k) {
        v3_copy((double[3]){0}, L[k]);
        E[k] = scene_kinetic(&s);
        for (int i = 0; i < 2; ++i) {
            const double *q = scene_q(&s, box[i]), *v = scene_v(&s, box[i]), *e = edges[i];
            double spin[3], turned[3], orbit[3];
            for (int c = 0; c < 3; ++c) {
                const double a = e[(c + 1) % 3], b = e[(c + 2) % 3];
                spin[c] = mass[i] / 12 * (a * a + b * b) * v[3 + c];
            }
            pcs_quat_rotate(q + 3, spin, turned);
            v3_cross(q, v, orbit);
            v3_along(L[k], 1, turned, L[k]);
            v3_along(L[k], mass[i], orbit, L[k]);
        }
        for (int i = 0; k == 0 && i < (int)(0.2 / h + 0.5); ++i) {
            scene_step(&s, h);
        }
    }
    for (int c = 0; c < 3; ++c) {
        CK_NEAR(L[1][c], L[0][c], 0.01 * v3_norm(L[0]));
    }
    CK_NEAR(E[1], E[0], 0.02 * E[0]);
    for (int i = 0; i < 6; ++i) {
        x[i] = scene_q(&s, box[i / 3])[i % 3];
    }
    scene_close(&s);
}

// In the middle of a step of 4 ms joints are open by more than rounding: rows there would lock what
// the joints leave free, and solve that to the last digit, with other momenta and energies. The
// difference from the motion of one joint is of order h^2, 0.01 m at 4 ms
TEST(pairs_fly_as_one_joint_lets_them)
{
    static const two_boxes pairs[7] = {
        {2, {PCS_JOINT_BALL, PCS_JOINT_BALL}, {0, 0.2}, 0, PCS_JOINT_HINGE},
        {2, {PCS_JOINT_BALL, PCS_JOINT_CYLINDRICAL}, {0, 0.1}, 0, PCS_JOINT_HINGE},
        {2, {PCS_JOINT_HINGE, PCS_JOINT_CYLINDRICAL}, {0, 0.15}, 0, PCS_JOINT_HINGE},
        {2, {PCS_JOINT_CYLINDRICAL, PCS_JOINT_CYLINDRICAL}, {0, 0.1}, 0, PCS_JOINT_CYLINDRICAL},
        {2, {PCS_JOINT_SLIDER, PCS_JOINT_CYLINDRICAL}, {0, 0.1}, 0.1, PCS_JOINT_SLIDER},
        {3, {PCS_JOINT_BALL, PCS_JOINT_BALL, PCS_JOINT_BALL}, {0, 0.1, 0.2}, 0, PCS_JOINT_HINGE},
        {3,
         {PCS_JOINT_HINGE, PCS_JOINT_CYLINDRICAL, PCS_JOINT_BALL},
         {0, 0.15, 0.2},
         0,
         PCS_JOINT_HINGE}};
    for (int k = 0; k < 42; ++k) {
        const double h = k % 2 ? 0.004 : 0.002;
        double twice[6], once[6];
        fly(&pairs[k / 2 % 7], true, h, k / 14, twice);
        fly(&pairs[k / 2 % 7], false, h, k / 14, once);
        for (int i = 0; i < 6; ++i) {
            CK_NEAR(twice[i], once[i], 0.01 * (h / 0.004) * (h / 0.004));
        }
    }
}

// The points of two joints that agree differ by their rounding, which is more than a tolerance
// relative to small gaps: they are closed beside contacts with little work
TEST(positions_to_their_rounding)
{
    for (int k = 0; k < 6; ++k) {
        test_random rng = random_seed((uint64_t)k);
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, -9.81);
        scene_ground(&s, 0);
        double x[3] = {1, -2, 1}, omega[3], at[3], axis[3], Q[4];
        const double edges[3] = {0.2, 0.3, 0.1};
        pcs_system body[2];
        random_quaternion(&rng, Q);
        for (int i = 0; i < 2; ++i) {
            for (int c = 0; c < 3; ++c) {
                x[c] += random_between(&rng, -0.2, 0.2);
                omega[c] = random_between(&rng, -8, 8);
            }
            x[2] = 0.35;
            body[i] = scene_box(&s, 1 + i, edges, x, Q, origin, omega);
            scene_rough(&s, body[i], pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.5);
        }
        CK_OK(pcs_model_set_groups(s.m, body[1], 1, 0));
        for (int c = 0; c < 3; ++c) {
            at[c] = x[c] + random_between(&rng, -0.1, 0.1);
            axis[c] = random_between(&rng, -1, 1);
        }
        hold(&s, PCS_JOINT_BALL, body[0], body[1], at, axis);
        hold_off(&s, PCS_JOINT_UNIVERSAL, body[0], body[1], at, axis, 4e-16);
        scene_start(&s);
        int touching = 0;
        for (int i = 0; i < 150; ++i) {
            scene_step(&s, 0.003);
            ck_assert(s.report.units < 1e5);
            touching += s.report.active > 2;
        }
        ck_assert_int_gt(touching, 20);
        scene_close(&s);
    }
}
