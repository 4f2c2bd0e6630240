// Prescribed motions whose velocity jumps: an impact, wherever in the step the kink is. And the
// work of driven bodies, of which a body that only follows loses nothing.
#include "scene.h"

#include <percuss/joint.h>
#include <percuss/motion.h>

#include <string.h>

static const double part[] = {0, 1e-3, 0.1, 0.5, 0.9, 0.999, 1};
enum { PARTS = sizeof part / sizeof *part };

// a table along z, with the speed v0 until t and v1 after
typedef struct hammer {
    double row[12];
    pcs_motion motion;
} hammer;

static pcs_system strike(scene *s, double t, double v0, double v1, double e, hammer *out)
{
    const double z = v0 * t;
    const double row[12] = {0, 0, 0, 0, t, 0, 0, z, 1, 0, 0, z + v1 * (1 - t)};
    memcpy(out->row, row, sizeof row);
    out->motion = pcs_motion_default();
    out->motion.table = out->row;
    out->motion.rows = 3;
    out->motion.columns = 4;
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = &out->motion;
    const pcs_system b = scene_add(s, &def);
    pcs_shape top = pcs_shape_box(2, 2, 0.2);
    top.position[2] = -0.1;
    scene_shape(s, b, top, e);
    return b;
}

// the default scheme, and others with theta = 1/2, 3/4 and 1
static pcs_scheme scheme_of(int k)
{
    pcs_scheme out = k == 0 ? pcs_scheme_default() : pcs_scheme_moreau_jean();
    if (k == 2) out.theta = 0.75;
    if (k == 3) out.theta = 1;
    if (k == 4) out.projection = PCS_PROJECTION_DIRECT;
    if (k == 5) out.activation = PCS_ACTIVATION_END_OF_STEP;
    out.solver.tol = 1e-12;
    return out;
}
enum { SCHEMES = 6 };

typedef struct works {
    double prescribed, normal, joints, gravity;
} works;

static void add_step(scene *s, double h, works *sum)
{
    scene_step(s, h);
    scene_check_ledger(s);
    sum->prescribed += s->report.energy.prescribed;
    sum->normal += s->report.energy.normal;
    sum->joints += s->report.energy.joints;
    sum->gravity += s->report.energy.conservative;
}

// ---- impacts ------------------------------------------------------------------------------------

// A body at rest on a floor that starts with V leaves with (1 + e) V. The floor does the work m (1
// + e) V^2, and the impact takes m (1 - e^2) V^2 / 2 of it
TEST(a_kink_is_one_impact)
{
    const double h = 1e-3, V = 0.8, m = 2;
    for (int k = 0; k < SCHEMES * 3 * PARTS; ++k) {
        const double e = 0.5 * (double)(k / SCHEMES % 3), at = part[k / (3 * SCHEMES)];
        scene s = scene_open();
        s.scheme = scheme_of(k % SCHEMES);
        scene_gravity(&s, 0, 0, 0);
        hammer floor;
        strike(&s, (3 + at) * h, 0, V, e, &floor);
        const pcs_system ball =
            scene_solid_ball(&s, m, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0}, e);
        scene_start(&s);
        works sum = {0};
        for (int i = 0; i < 12; ++i) {
            add_step(&s, h, &sum);
        }
        CK_NEAR(scene_v(&s, ball)[2], (1 + e) * V, 1e-9);
        CK_NEAR(sum.prescribed, m * (1 + e) * V * V, 1e-8);
        CK_NEAR(sum.normal, -0.5 * m * (1 - e * e) * V * V, 1e-8);
        scene_close(&s);
    }
}

// with a weight that presses it on; and where a floor that carries it stops, it flies on
TEST(a_kink_under_a_weight)
{
    const double h = 1e-3, V = 1.5, g = 9.81, e = 0.4;
    for (int k = 0; k < 2 * PARTS; ++k) {
        const bool stops = k % 2 == 1;
        scene s = scene_open();
        s.scheme = scheme_of(0);
        hammer floor;
        const double v0[3] = {0, 0, stops ? V : 0};
        strike(&s, (3 + part[k / 2]) * h, v0[2], stops ? 0 : V, e, &floor);
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, v0, e);
        scene_start(&s);
        works sum = {0};
        for (int i = 0; i < 12; ++i) {
            add_step(&s, h, &sum);
        }
        const double v = scene_v(&s, ball)[2], late = 8 * g * h;
        if (stops) {
            CK_NEAR(v + late, V, 1.01 * g * h);
        } else {
            CK_NEAR(v + late, (1 + e) * V, (1 + e) * g * h);
        }
        scene_close(&s);
    }
}

// A body that is apart: it meets the speed before the kink or that after it
TEST(a_body_meets_the_speed_of_its_time)
{
    const double h = 1e-3, V = 1, e = 0.5;
    for (int k = 0; k < 8; ++k) {
        const bool before = k % 2 == 0;
        const int scheme = k / 2 % 2 == 0 ? 0 : 3;
        const double v1 = k / 4 == 0 ? 0.25 * V : 0;
        scene s = scene_open();
        s.scheme = scheme_of(scheme);
        scene_gravity(&s, 0, 0, 0);
        hammer floor;
        strike(&s, 3.5 * h, V, v1, e, &floor);
        // 3.2 steps, or 3.5 steps and 0.2 of the slower ones
        const double gap = before ? 3.2 * h * V : 3.5 * h * V + 0.2 * h * v1;
        const pcs_system ball =
            scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1 + gap}, (double[3]){0}, e);
        scene_start(&s);
        works sum = {0};
        for (int i = 0; i < 12; ++i) {
            add_step(&s, h, &sum);
        }
        CK_NEAR(scene_v(&s, ball)[2], (1 + e) * (before ? V : v1), 1e-9);
        scene_close(&s);
    }
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
        CK_NEAR(scene_q(&s, ball)[2] - 0.1, scene_q(&s, b)[2], 1e-9);
    }
    scene_close(&s);
}

// ---- belts --------------------------------------------------------------------------------------

static int belt(void *user, double t, double q[7], double v[6])
{
    const double *starts = user;
    memset(v, 0, 6 * sizeof *v);
    memset(q, 0, 7 * sizeof *q);
    q[3] = 1;
    if (t >= *starts) v[0] = 0.6;
    return 0;
}

// a belt that starts takes a box along by mu m g; half of its work is heat
TEST(a_belt_starts)
{
    const double h = 1e-3, mu = 0.5, G = 9.81, w = 0.6;
    for (int k = 0; k < PARTS; ++k) {
        double starts = (5 + part[k]) * h;
        scene s = scene_open();
        s.scheme = scheme_of(0);
        pcs_body_def def = pcs_body_def_default();
        def.motion = belt;
        def.user = &starts;
        const pcs_system b = scene_add(&s, &def);
        scene_rough(&s, b, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0.5, 0, mu);
        const double edges[3] = {0.2, 0.2, 0.2};
        const pcs_system box =
            scene_box(&s, 3, edges, (double[3]){0, 0, 0.1}, NULL, (double[3]){0}, NULL);
        scene_rough(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0.5, 0, mu);
        scene_start(&s);
        double work = 0, heat = 0;
        for (int i = 0; i < 200; ++i) {
            scene_step(&s, h);
            scene_check_ledger(&s);
            work += s.report.energy.prescribed;
            heat -= s.report.energy.tangential;
            const double v = scene_v(&s, box)[0], slid = fmax(0, (s.st->t - starts) * mu * G);
            CK_NEAR(v, fmin(w, slid), mu * G * h + 1e-8);
            CK_NEAR(scene_q(&s, box)[2], 0.1, 1e-8);
        }
        CK_NEAR(work, 3 * w * w, 1e-6);
        CK_NEAR(heat, 0.5 * 3 * w * w, 1e-6);
        scene_close(&s);
    }
}

// ---- joints and motors ---------------------------------------------------------------------------

typedef struct two_speeds {
    double t, v0, v1;
} two_speeds;

static int target(void *user, double t, double *f, double *df)
{
    const two_speeds *k = user;
    *df = t < k->t ? k->v0 : k->v1;
    *f = t < k->t ? k->v0 * t : k->v0 * k->t + k->v1 * (t - k->t);
    return 0;
}

// a carriage on a slider along z with a target
static pcs_system carriage(scene *s, const pcs_time_function *f, double limit)
{
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(50, 2, 2, 0.2));
    const pcs_system b = scene_add(s, &def);
    pcs_joint_def slider = pcs_joint_def_default(PCS_JOINT_SLIDER);
    pcs_interaction joint;
    slider.system1 = b;
    CK_OK(pcs_model_place_joint(s->m, (double[3]){0}, (double[3]){0, 0, 1}, NULL, &slider));
    CK_OK(pcs_model_add_joint(s->m, &slider, &joint));
    pcs_joint_motor motor = pcs_joint_motor_default(joint);
    motor.target = *f;
    motor.limit = limit;
    CK_OK(pcs_model_add_joint_motor(s->m, &motor, NULL));
    return b;
}

// A coordinate whose target has a kink is never faster than the target, and throws nothing with
// more than its speed
TEST(a_target_with_a_kink)
{
    const double h = 1e-3, V = 0.7;
    for (int k = 0; k < SCHEMES * PARTS; ++k) {
        two_speeds speeds = {(3 + part[k / SCHEMES]) * h, 0, V};
        const pcs_time_function f = {.fn = target, .user = &speeds};
        scene s = scene_open();
        s.scheme = scheme_of(k % SCHEMES);
        scene_gravity(&s, 0, 0, 0);
        const pcs_system b = carriage(&s, &f, INFINITY);
        scene_shape(&s, b, pcs_shape_box(2, 2, 0.2), 0);
        const pcs_system ball =
            scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.2}, (double[3]){0}, 0);
        scene_start(&s);
        works sum = {0};
        for (int i = 0; i < 12; ++i) {
            add_step(&s, h, &sum);
            ck_assert(scene_v(&s, b)[2] <= V + 1e-9);
        }
        CK_NEAR(scene_v(&s, b)[2], V, 1e-9);
        CK_NEAR(scene_v(&s, ball)[2], V, 1e-9);
        // the joint only follows: it takes nothing
        CK_NEAR(sum.prescribed, 0.5 * 51 * V * V, 1e-7);
        CK_NEAR(sum.joints, 0, 1e-7);
        scene_close(&s);
    }
}

// ---- energy that is lost ------------------------------------------------------------------------

// A body fixed to a crane that shakes, or zigzags, and a carriage whose target does, lose nothing
// to their joints, for any number of periods
TEST(what_follows_loses_nothing)
{
    enum { ROWS = 60 };
    static double row[4 * ROWS];
    const double h = 1e-3, t_end = 2;
    for (int i = 0; i < ROWS; ++i) {
        const double at[4] = {0.0503 * i, 0.05 * (i % 2), 0, 0};
        memcpy(row + 4 * i, at, sizeof at);
    }
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme = scheme_of(0);
        scene_gravity(&s, k == 2 ? 0 : -9.81, 0, 0);
        pcs_motion shake = pcs_motion_default();
        if (k == 2) {
            const pcs_time_function f = {.amplitude = 0.1, .frequency = 20};
            const pcs_system b = carriage(&s, &f, INFINITY);
            scene_shape(&s, b, pcs_shape_box(2, 2, 0.2), 0);
            // pushes it, which keeps theta
            pcs_shape box = pcs_shape_box(0.2, 0.2, 0.2);
            const pcs_system load = scene_box(&s, 1, (double[3]){0.2, 0.2, 0.2},
                                              (double[3]){0, 0, 0.2}, NULL, (double[3]){0}, NULL);
            scene_shape(&s, load, box, 0);
        } else {
            if (k == 0) {
                shake.amplitude[0] = 0.1;
                shake.frequency = 3;
            } else {
                shake.table = row;
                shake.rows = ROWS;
                shake.columns = 4;
            }
            pcs_body_def def = pcs_body_def_default();
            def.motion = pcs_motion_follow;
            def.user = &shake;
            pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_FIXED);
            joint.system2 = scene_add(&s, &def);
            joint.system1 = scene_ball(&s, 2, 0.1, (double[3]){0, 0.3, 0}, (double[3]){0});
            CK_OK(pcs_model_place_joint(s.m, (double[3]){0}, (double[3]){0, 0, 1}, NULL, &joint));
            CK_OK(pcs_model_add_joint(s.m, &joint, NULL));
        }
        scene_start(&s);
        const double K = scene_kinetic(&s);
        works sum = {0};
        double most = 0;
        pcs_state *again;
        CK_OK(pcs_state_create(s.m, &again));
        for (int i = 0; i < (int)(t_end / h + 0.5); ++i) {
            add_step(&s, h, &sum);
            most = fmax(most, scene_kinetic(&s));
        }
        ck_assert(most > 0.1);
        CK_NEAR(sum.joints / most, 0, 1e-3);
        CK_NEAR(sum.prescribed + sum.joints + sum.normal + sum.gravity, scene_kinetic(&s) - K,
                1e-9);
        pcs_run_report report;
        CK_OK(pcs_run(s.m, again, s.wk, h, t_end, NULL, NULL, &report));
        ck_assert_int_eq((int)report.doubt[PCS_DOUBT_LOSS].count, 0);
        ck_assert_msg(report.doubts[0] == '\0', "%s", report.doubts);
        pcs_state_destroy(again);
        scene_close(&s);
    }
}

// what a joint to a driven body takes of a velocity that contradicts it is a loss
TEST(a_joint_that_stops_its_bodies_takes_energy)
{
    scene s = scene_open();
    s.scheme = scheme_of(0);
    scene_gravity(&s, 0, 0, 0);
    pcs_motion still = pcs_motion_default();
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = &still;
    pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_FIXED);
    joint.system2 = scene_add(&s, &def);
    joint.system1 = scene_ball(&s, 2, 0.1, (double[3]){0, 0.3, 0}, (double[3]){0});
    CK_OK(pcs_model_place_joint(s.m, (double[3]){0}, (double[3]){0, 0, 1}, NULL, &joint));
    CK_OK(pcs_model_add_joint(s.m, &joint, NULL));
    scene_start(&s);
    works sum = {0};
    add_step(&s, 1e-3, &sum);
    pcs_state_v(s.m, s.st, joint.system1)[0] = 1;
    add_step(&s, 1e-3, &sum);
    CK_NEAR(sum.joints, -1, 1e-9);
    CK_NEAR(sum.prescribed, 0, 1e-9);
    scene_close(&s);
}
