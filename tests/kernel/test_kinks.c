// Prescribed motions whose velocity jumps: an impact, wherever in the step the kink is.
#include "scene.h"

#include <percuss/motion.h>

#include <string.h>

static const double part[] = {0, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
enum { PARTS = sizeof part / sizeof *part, ROWS = 400 };

// a table along z
typedef struct hammer {
    int rows;
    double row[4 * ROWS];
    pcs_motion motion;
} hammer;

static void add_row(hammer *a, double t, double z)
{
    const double row[4] = {t, 0, 0, z};
    memcpy(a->row + (size_t)(4 * a->rows), row, sizeof row);
    a->rows += 1;
}

// a floor with this table; with a ceiling `room` above it, if that is positive
static pcs_system follow(scene *s, hammer *a, double room, double e)
{
    a->motion = pcs_motion_default();
    a->motion.table = a->row;
    a->motion.rows = a->rows;
    a->motion.columns = 4;
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = &a->motion;
    const pcs_system b = scene_add(s, &def);
    pcs_shape wall = pcs_shape_box(2, 2, 0.2);
    wall.position[2] = -0.1;
    scene_shape(s, b, wall, e);
    wall.position[2] = room + 0.1;
    if (room > 0) scene_shape(s, b, wall, e);
    return b;
}

// the speed v0 until t and v1 after
static pcs_system strike(scene *s, double t, double v0, double v1, double e, hammer *a)
{
    a->rows = 0;
    add_row(a, 0, 0);
    add_row(a, t, v0 * t);
    add_row(a, 1, v0 * t + v1 * (1 - t));
    return follow(s, a, 0, e);
}

// the default, and others that may divide a step, with theta 1/2 and 3/4
static pcs_scheme scheme_of(int k)
{
    pcs_scheme out = k == 0 ? pcs_scheme_default() : pcs_scheme_moreau_jean();
    out.halvings = 6;
    if (k == 2) out.theta = 0.75;
    if (k == 3) out.theta = 1;
    if (k == 4) out.projection = PCS_PROJECTION_DIRECT;
    if (k == 5) out.activation = PCS_ACTIVATION_END_OF_STEP;
    out.solver.tol = 1e-12;
    return out;
}
enum { SCHEMES = 6 };

// A body at rest on a floor that starts with V leaves with (1 + e) V. The floor does the work m (1
// + e) V^2, and the impact takes m (1 - e^2) V^2 / 2 of it. Without restitution and with theta = 1
// the body only follows
TEST(a_kink_is_one_impact)
{
    const double h = 1e-3, V = 0.8, m = 2;
    static hammer floor;
    for (int k = 0; k < SCHEMES * 3 * PARTS; ++k) {
        const double e = 0.5 * (double)(k / SCHEMES % 3), at = part[k / (3 * SCHEMES)];
        scene s = scene_open();
        s.scheme = scheme_of(k % SCHEMES);
        scene_gravity(&s, 0, 0, 0);
        strike(&s, (3 + at) * h, 0, V, e, &floor);
        const pcs_system ball =
            scene_solid_ball(&s, m, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0}, e);
        scene_start(&s);
        double prescribed = 0, normal = 0;
        for (int i = 0; i < 12; ++i) {
            const double before = s.st->t;
            scene_step(&s, h);
            scene_check_ledger(&s);
            CK_NEAR(s.st->t, before + h, 1e-17);
            prescribed += s.report.energy.prescribed;
            normal += s.report.energy.normal;
        }
        CK_NEAR(scene_v(&s, ball)[2], (1 + e) * V, 1e-9);
        if (e > 0) {
            CK_NEAR(prescribed, m * (1 + e) * V * V, 1e-8);
            CK_NEAR(normal, -0.5 * m * (1 - e * e) * V * V, 1e-8);
        }
        scene_close(&s);
    }
}

// with a weight that presses it on; and where a floor that carries it stops, it flies on
TEST(a_kink_under_a_weight)
{
    const double h = 1e-3, V = 1.5, g = 9.81, e = 0.4;
    static hammer floor;
    for (int k = 0; k < 2 * PARTS; ++k) {
        const bool stops = k % 2 == 1;
        const double at = (3 + part[k / 2]) * h, v0[3] = {0, 0, stops ? V : 0};
        scene s = scene_open();
        s.scheme = scheme_of(0);
        strike(&s, at, v0[2], stops ? 0 : V, e, &floor);
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, v0, e);
        scene_start(&s);
        for (int i = 0; i < 12; ++i) {
            scene_step(&s, h);
        }
        const double late = g * (12 * h - at);
        CK_NEAR(scene_v(&s, ball)[2] + late, stops ? V : (1 + e) * V, 2 * g * h);
        scene_close(&s);
    }
}

// a body that is apart meets the speed before the kink or that after it
TEST(a_body_meets_the_speed_of_its_time)
{
    const double h = 1e-3, V = 1, e = 0.5;
    static hammer floor;
    for (int k = 0; k < 4; ++k) {
        const bool before = k % 2 == 0;
        const double v1 = k / 2 == 0 ? 0.25 * V : 3 * V;
        // 3.2 steps, or 3.5 steps and 0.2 of those after the kink
        const double gap = before ? 3.2 * h * V : 3.5 * h * V + 0.2 * h * v1;
        scene s = scene_open();
        s.scheme = scheme_of(0);
        scene_gravity(&s, 0, 0, 0);
        strike(&s, 3.5 * h, V, before ? fmin(V, v1) : v1, e, &floor);
        const pcs_system ball =
            scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1 + gap}, (double[3]){0}, e);
        scene_start(&s);
        for (int i = 0; i < 6; ++i) {
            scene_step(&s, h);
        }
        CK_NEAR(scene_v(&s, ball)[2], (1 + e) * (before ? V : v1), 1e-9);
        scene_close(&s);
    }
}

// Three kinks in one step, each as high as the body has left the floor before: the last one counts
TEST(many_kinks_in_a_step)
{
    const double h = 1e-2, V = 0.1, e = 0.5, at[3] = {0.21, 0.43, 0.78};
    static hammer floor;
    scene s = scene_open();
    s.scheme = scheme_of(0);
    scene_gravity(&s, 0, 0, 0);
    floor.rows = 0;
    add_row(&floor, 0, 0);
    double z = 0, v = 0;
    for (int i = 0; i < 3; ++i) {
        z += v * (at[i] - (i > 0 ? at[i - 1] : 0)) * h;
        v = V * pow(3, i);
        add_row(&floor, (2 + at[i]) * h, z);
    }
    add_row(&floor, 1, z + v * (1 - (2 + at[2]) * h));
    follow(&s, &floor, 0, e);
    const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0}, e);
    scene_start(&s);
    // by the times of the impacts: 1.5 V, then from 3 V, and from 9 V
    double w = 0, x = 0, t = 0, floor_z = 0, floor_v = 0;
    int next = 0;
    for (int guard = 0; guard < 100; ++guard) {
        const double end = next < 3 ? (2 + at[next]) * h : 10 * h;
        const double meets = w < floor_v ? (x - floor_z) / (floor_v - w) : INFINITY;
        const bool hits = t + meets < end - 1e-12;
        const double dt = hits ? meets : end - t;
        x += w * dt;
        floor_z += floor_v * dt;
        t += dt;
        if (hits) {
            w = floor_v + e * (floor_v - w);
        } else if (next == 3) {
            break;
        } else {
            floor_v = V * pow(3, next++);
        }
    }
    for (int i = 0; i < 10; ++i) {
        scene_step(&s, h);
    }
    CK_NEAR(scene_v(&s, ball)[2], w, 1e-9);
    scene_close(&s);
}

// What changes fast, but is no jump, pushes without an impact, and a step that resolves the motion
// does so with any e
static int ramp(void *user, double t, double q[7], double v[6])
{
    const double *a = user;
    memset(v, 0, 6 * sizeof *v);
    memset(q, 0, 7 * sizeof *q);
    q[3] = 1;
    q[2] = 0.5 * *a * t * t;
    v[2] = *a * t;
    return 0;
}

TEST(an_acceleration_is_no_kink)
{
    const double h = 1e-3;
    double a = 40;
    scene s = scene_open();
    s.scheme = scheme_of(0);
    scene_gravity(&s, 0, 0, 0);
    pcs_body_def def = pcs_body_def_default();
    def.motion = ramp;
    def.user = &a;
    const pcs_system b = scene_add(&s, &def);
    scene_shape(&s, b, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0.9);
    const pcs_system ball =
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0}, 0.9);
    scene_start(&s);
    for (int i = 0; i < 30; ++i) {
        scene_step(&s, h);
        ck_assert_int_eq(s.report.substeps, 1);
        CK_NEAR(scene_q(&s, ball)[2] - 0.1, scene_q(&s, b)[2], 1e-9);
    }
    scene_close(&s);
}

// the largest speed of a ball between a floor and a ceiling that move by the table, by steps far
// smaller than all times of the motion
static double largest_speed(const hammer *a, double room, double e, double t_end)
{
    const double dt = 2e-6, g = 9.81;
    double z = 0, v = 0, most = 0;
    int k = 0;
    for (double t = 0; t < t_end; t += dt) {
        while (a->row[4 * (k + 1)] <= t) {
            k += 1;
        }
        const double *row = a->row + (size_t)(4 * k);
        const double speed = (row[7] - row[3]) / (row[4] - row[0]);
        const double floor = row[3] + speed * (t + dt - row[0]);
        v -= g * dt;
        z += v * dt;
        if (z < floor) {
            v = v < speed ? speed + e * (speed - v) : v;
            z = floor;
        } else if (z > floor + room) {
            v = v > speed ? speed - e * (v - speed) : v;
            z = floor + room;
        }
        most = fmax(most, fabs(v));
    }
    return most;
}

// A body between two walls that zigzag: no wall demands what the other one forbids, in steps that
// must be solved, and speeds are those of the motion that resolves all impacts
TEST(a_body_between_two_walls)
{
    enum { RUNS = 12, STEPS = 150 };
    const double h = 2e-3, e = 0.5, rooms[3] = {0, 1e-4, 5e-3}, spacing[4] = {0.3, 1, 1.7, 4};
    static hammer walls;
    test_random r = random_seed(7);
    for (int k = 0; k < 12; ++k) {
        const double room = rooms[k % 3];
        double sum = 0, expected = 0;
        for (int i = 0; i < RUNS; ++i) {
            double t = 0, z = 0;
            walls.rows = 0;
            // rows that are dense for one step are so for a part of the run only
            for (int n = 0; n < ROWS; ++n) {
                add_row(&walls, t, z);
                const double dt = spacing[k / 3] * h * random_between(&r, 0.7, 1.3);
                z += dt * (random_between(&r, -0.4, 0.4) - 5 * z);
                t += n == ROWS - 2 ? 1 : dt;
            }
            scene s = scene_open();
            s.scheme = scheme_of(0);
            s.scheme.accept = 0;
            follow(&s, &walls, 0.2 + room, e);
            const pcs_system ball =
                scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0}, e);
            scene_start(&s);
            double most = 0;
            for (int n = 0; n < STEPS; ++n) {
                scene_step(&s, h);
                most = fmax(most, fabs(scene_v(&s, ball)[2]));
            }
            sum += most / RUNS;
            expected += largest_speed(&walls, room, e, STEPS * h) / RUNS;
            scene_close(&s);
        }
        CK_NEAR(sum / expected, 1, 0.2);
    }
}

// A plate comes down on a box on the floor and stops within a step: the velocity of the whole step
// does not jump, that of its parts does. The step has no solution, and the state stays as it was
TEST(a_refused_step_between_two_kinks_leaves_the_state)
{
    const double h = 1e-3, lower[] = {0.3, 0.21, 0.2001};
    static hammer plate;
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        if (k >= 3) s.scheme.accept = 0;
        scene_gravity(&s, 0, 0, -9.81);
        scene_ground(&s, 0.5);
        plate.rows = 0;
        add_row(&plate, 0, 1.4);
        add_row(&plate, 10.6 * h, 1.4);
        add_row(&plate, 10.9 * h, 1.4 - lower[k % 3]);
        add_row(&plate, 1, 1.4 - lower[k % 3]);
        follow(&s, &plate, 0, 0.5); // its lower side is at 1.2
        const double edges[3] = {0.5, 0.5, 1}, at[3] = {0, 0, 0.5};
        const pcs_system box = scene_box(&s, 250, edges, at, NULL, NULL, NULL);
        scene_shape(&s, box, pcs_shape_box(0.5, 0.5, 1), 0.5);
        scene_start(&s);
        for (int i = 0; i < 10; ++i) {
            scene_step(&s, h);
        }
        const unsigned long long before = pcs_state_hash(s.st);
        const double t = s.st->t;
        CK_OK(pcs_step(s.m, s.st, s.wk, h, &s.report));
        ck_assert(!s.report.committed);
        ck_assert(s.st->t == t && pcs_state_hash(s.st) == before);
        scene_close(&s);
    }
}
