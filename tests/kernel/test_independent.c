// Whole motions with friction against a second implementation of theory 7.1 - 7.4 that shares no
// code with the library: a sphere that falls, bounces, spins, slides and rolls on a plane, with
// impulses from the closed form of one contact; and a body that slides and rotates on several feet,
// with impulses from projections on the cone. The second implementation uses matrices in inertial
// axes, the library quaternions and body axes.
#include "scene.h"

static const pcs_system world = {0};
static const double g = 9.81, pi = 3.14159265358979323846;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

// w rotated by the rotation vector a (Rodrigues)
static void turn(const double a[3], double w[3])
{
    const double angle = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (angle == 0) return;
    double n[3], nw[3], along = 0;
    for (int i = 0; i < 3; ++i) {
        n[i] = a[i] / angle;
        along += n[i] * w[i];
    }
    cross(n, w, nw);
    for (int i = 0; i < 3; ++i) {
        w[i] = cos(angle) * w[i] + sin(angle) * nw[i] + (1 - cos(angle)) * along * n[i];
    }
}

// ---- a sphere -----------------------------------------------------------------------------------

typedef struct sphere {
    double mass, R, e, e_t, mu;
    double x[3], v[3], w[3]; // w and the columns of axes in space
    double axes[3][3];
} sphere;

// velocity of the point below the centre along x, y, z
static void foot_velocity(const sphere *b, const double v[3], const double w[3], double u[3])
{
    const double lever[3] = {0, 0, -b->R};
    cross(w, lever, u);
    for (int i = 0; i < 3; ++i) {
        u[i] += v[i];
    }
}

// The impulse with which u' obeys the law: w_N = 1 / m, w_T = 3.5 / m for a solid sphere. Returns
// the mode: 0 open, 1 stick, 2 slide.
static int sphere_impulse(const sphere *b, const double u[3], double h, double p[3])
{
    const double q[3] = {(1 + b->e_t) * u[0], (1 + b->e_t) * u[1], (1 + b->e) * u[2] - g * h};
    memset(p, 0, 3 * sizeof *p);
    if (q[2] >= 0) return 0;
    const double speed = hypot(q[0], q[1]), most = b->mu * -q[2] * b->mass;
    p[2] = -q[2] * b->mass;
    const double held = speed * b->mass / 3.5;
    if (speed == 0) return 1;
    for (int i = 0; i < 2; ++i) {
        p[i] = -q[i] / speed * fmin(held, most);
    }
    return held <= most ? 1 : 2;
}

static int sphere_step(sphere *b, double h, double theta)
{
    double u[3], p[3] = {0}, moment[3], mean[3], next[3];
    const double lever[3] = {0, 0, -b->R}, J = 0.4 * b->mass * b->R * b->R;
    int status = 0;
    foot_velocity(b, b->v, b->w, u);
    if (b->x[2] - b->R + 0.5 * h * u[2] <= 1e-12) status = sphere_impulse(b, u, h, p);
    cross(lever, p, moment);
    for (int i = 0; i < 3; ++i) {
        const double v = b->v[i] + p[i] / b->mass - (i == 2 ? g * h : 0);
        next[i] = b->w[i] + moment[i] / J;
        b->x[i] += h * (theta * v + (1 - theta) * b->v[i]);
        b->v[i] = v;
        mean[i] = h * (theta * next[i] + (1 - theta) * b->w[i]);
    }

    // the axes rotate by the mean velocity of the step, with the vectors fixed in them
    memcpy(b->w, next, sizeof next);
    turn(mean, b->w);
    for (int i = 0; i < 3; ++i) {
        turn(mean, b->axes[i]);
    }
    return status;
}

static void compare_sphere(scene *s, pcs_system body, const sphere *b)
{
    const double *q = scene_q(s, body), *v = scene_v(s, body);
    double w[3];
    pcs_quat_rotate(q + 3, v + 3, w);
    for (int i = 0; i < 3; ++i) {
        double unit[3] = {i == 0, i == 1, i == 2}, axis[3];
        pcs_quat_rotate(q + 3, unit, axis);
        CK_NEAR(q[i], b->x[i], 1e-10);
        CK_NEAR(v[i], b->v[i], 1e-10);
        CK_NEAR(w[i], b->w[i], 1e-10 * (1 + 1 / b->R));
        for (int k = 0; k < 3; ++k) {
            CK_NEAR(axis[k], b->axes[i][k], 1e-9);
        }
    }
}

// thrown to a height that is not reached at the end of a step, rotating about all axes
TEST(a_spinning_sphere)
{
    test_random r = random_seed(31);
    int seen[3] = {0};
    for (int k = 0; k < TEST_DRAWS(40); ++k) {
        const double h = 2e-3, theta = k % 3 == 0 ? 0.5 : random_between(&r, 0.5, 1);
        sphere b = {.mass = random_between(&r, 0.1, 5), .R = random_between(&r, 0.05, 0.3)};
        b.e = k % 2 ? random_between(&r, 0, 0.6) : 0;
        b.e_t = k % 4 == 3 ? 0.3 : 0;
        b.mu = random_between(&r, 0.02, 0.8);
        b.x[2] = b.R + random_between(&r, 0, 0.05);
        for (int i = 0; i < 3; ++i) {
            b.v[i] = i < 2 ? random_normal(&r) : -random_unit(&r);
            b.w[i] = random_normal(&r) / b.R;
            b.axes[i][i] = 1;
        }
        scene s = scene_open();
        s.scheme.theta = theta;
        s.scheme.solver.tol = 1e-13;
        scene_rough(&s, world, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, b.mu);
        const pcs_system body = scene_rough_ball(&s, b.mass, b.R, b.x, b.v, b.e, b.e_t, 0);
        scene_start(&s);
        memcpy(scene_v(&s, body) + 3, b.w, sizeof b.w);
        for (int i = 0; i < 400; ++i) {
            scene_step(&s, h);
            ++seen[sphere_step(&b, h, theta)];
            compare_sphere(&s, body, &b);
        }
        scene_close(&s);
    }
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_gt(seen[i], TEST_DRAWS(40) * 400 / 50);
    }
}

// ---- a body on feet -----------------------------------------------------------------------------

enum { FEET_MAX = 4 };

// flat on the plane it rotates about the vertical only; the impulses must prevent tilting
typedef struct slider {
    int feet;
    double mass, J[3], mu;
    double foot[FEET_MAX][3]; // from the centre of mass, in the axes of the body
    double x[2], angle, v[6]; // v: in the axes of the body at the start of a step
    double p[FEET_MAX][3];
} slider;

static void slider_foot(const slider *b, int i, double u[3])
{
    cross(b->v + 3, b->foot[i], u);
    for (int k = 0; k < 3; ++k) {
        u[k] += b->v[k];
    }
}

// v += M^-1 H^T p
static void slider_push(slider *b, int i, const double p[3])
{
    double moment[3];
    cross(b->foot[i], p, moment);
    for (int k = 0; k < 3; ++k) {
        b->v[k] += p[k] / b->mass;
        b->v[3 + k] += moment[k] / b->J[k];
    }
}

// p on the cone |p_T| <= mu p_z
static void on_the_cone(double mu, double p[3])
{
    const double T = hypot(p[0], p[1]);
    if (T <= mu * p[2]) return;
    const double N = fmax(0, (p[2] + mu * T) / (1 + mu * mu)), shrink = T > 0 ? mu * N / T : 0;
    p[0] *= shrink;
    p[1] *= shrink;
    p[2] = N;
}

// p = P(p - rho (u + mu |u_T| e_z)) foot by foot until nothing changes; returns the last change
static double slider_sweep(slider *b)
{
    double change = 0;
    for (int i = 0; i < b->feet; ++i) {
        const double *l = b->foot[i];
        const double trace = 3 / b->mass + (l[1] * l[1] + l[2] * l[2]) / b->J[0] +
                             (l[2] * l[2] + l[0] * l[0]) / b->J[1] +
                             (l[0] * l[0] + l[1] * l[1]) / b->J[2];
        double u[3], p[3], more[3];
        slider_foot(b, i, u);
        u[2] += b->mu * hypot(u[0], u[1]);
        for (int k = 0; k < 3; ++k) {
            p[k] = b->p[i][k] - 1.5 / trace * u[k];
        }
        on_the_cone(b->mu, p);
        for (int k = 0; k < 3; ++k) {
            more[k] = p[k] - b->p[i][k];
            change = fmax(change, fabs(more[k]));
            b->p[i][k] = p[k];
        }
        slider_push(b, i, more);
    }
    return change;
}

static void slider_step(slider *b, double h)
{
    double before[6];
    memcpy(before, b->v, sizeof before);
    b->v[2] -= g * h;
    for (int i = 0; i < b->feet; ++i) {
        slider_push(b, i, b->p[i]);
    }
    int sweeps = 0;
    while (slider_sweep(b) > 1e-16 * b->mass) {
        ck_assert_int_lt(++sweeps, 200000);
    }

    // theta = 1/2: the centre moves with the mean of the velocities in space, here with the axes of
    // the start; the rest is at the end of the step
    double mean[3];
    for (int k = 0; k < 3; ++k) {
        CK_NEAR(b->v[2 + k], 0, 1e-12); // up, and tilting
        mean[k] = 0.5 * (b->v[k] + before[k]);
    }
    const double c = cos(b->angle), s = sin(b->angle);
    b->x[0] += h * (c * mean[0] - s * mean[1]);
    b->x[1] += h * (s * mean[0] + c * mean[1]);
    const double more = 0.5 * h * (b->v[5] + before[5]);
    const double v0 = b->v[0], v1 = b->v[1];
    b->v[0] = cos(more) * v0 + sin(more) * v1;
    b->v[1] = -sin(more) * v0 + cos(more) * v1;
    b->angle += more;
}

static void compare_slider(scene *s, pcs_system body, const slider *b, double z)
{
    const double *q = scene_q(s, body), *v = scene_v(s, body);
    const double cos_a = cos(b->angle), sin_a = sin(b->angle);
    CK_NEAR(q[0], b->x[0], 1e-10);
    CK_NEAR(q[1], b->x[1], 1e-10);
    CK_NEAR(q[2], z, 1e-10);
    CK_NEAR(v[0], cos_a * b->v[0] - sin_a * b->v[1], 1e-10);
    CK_NEAR(v[1], sin_a * b->v[0] + cos_a * b->v[1], 1e-10);
    CK_NEAR(v[2], 0, 1e-10);
    CK_NEAR(v[3], 0, 1e-9);
    CK_NEAR(v[4], 0, 1e-9);
    CK_NEAR(v[5], b->v[5], 1e-9);
    const double c = cos(b->angle / 2), n = sin(b->angle / 2);
    const double sign = c * q[3] + n * q[6] < 0 ? -1 : 1;
    CK_NEAR(sign * q[3], c, 1e-9);
    CK_NEAR(sign * q[6], n, 1e-9);
}

// steps until the body rests and a while longer; returns the duration of the motion
static double slides(slider *b, pcs_system (*add)(scene *, const slider *, const double[3]), int n)
{
    const double h = 2e-3, z = 0.1;
    scene s = scene_open();
    s.scheme.solver.tol = 1e-13;
    scene_rough(&s, world, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, b->mu);
    const pcs_system body = add(&s, b, (const double[3]){0, 0, z});
    scene_start(&s);
    memcpy(scene_v(&s, body), b->v, sizeof b->v);
    double moved = 0;
    for (int i = 0; i < n; ++i) {
        scene_step(&s, h);
        slider_step(b, h);
        ck_assert_int_eq(s.report.active, b->feet);
        compare_slider(&s, body, b, z);
        if (hypot(b->v[0], b->v[1]) + fabs(b->v[5]) > 1e-9) moved = (i + 1) * h;
    }
    scene_close(&s);
    return moved;
}

static const double edges[3] = {0.6, 0.5, 0.2};

static pcs_system as_a_box(scene *s, const slider *b, const double x[3])
{
    const pcs_system out = scene_box(s, b->mass, edges, x, NULL, NULL, NULL);
    scene_shape(s, out, pcs_shape_box(edges[0], edges[1], edges[2]), 0);
    return out;
}

TEST(a_sliding_box)
{
    test_random r = random_seed(32);
    for (int k = 0; k < TEST_DRAWS(6); ++k) {
        const double phi = 2 * pi * random_unit(&r), v0 = random_between(&r, 0.5, 1.2), m = 2;
        slider b = {.feet = 4, .mass = m, .mu = random_between(&r, 0.25, 0.45)};
        for (int i = 0; i < 3; ++i) {
            const double o = edges[(i + 1) % 3], p = edges[(i + 2) % 3];
            b.J[i] = m / 12 * (o * o + p * p);
        }
        for (int i = 0; i < 4; ++i) {
            b.foot[i][0] = (i % 2 ? 0.5 : -0.5) * edges[0];
            b.foot[i][1] = (i / 2 ? 0.5 : -0.5) * edges[1];
            b.foot[i][2] = -0.5 * edges[2];
        }
        b.v[0] = v0 * cos(phi);
        b.v[1] = v0 * sin(phi);
        const double stop = v0 / (b.mu * g), way = v0 * v0 / (2 * b.mu * g);
        const double moved = slides(&b, as_a_box, 280);
        ck_assert(moved <= stop && moved > stop - 2 * 2e-3);

        // the body stops within a step: the error of the last mean velocity is at most mu g h / 2
        CK_NEAR(hypot(b.x[0], b.x[1]), way, 0.5 * b.mu * g * 2e-3 * 2e-3);
    }
}

// Three feet: the normal impulses are unique, so a body that rotates while it slides, each foot in
// its own direction, has one motion only
static pcs_system on_three_feet(scene *s, const slider *b, const double x[3])
{
    pcs_body_def def = pcs_body_def_default();
    pcs_system out;
    def.mass = b->mass;
    memset(def.inertia, 0, sizeof def.inertia);
    for (int i = 0; i < 3; ++i) {
        def.inertia[4 * i] = b->J[i];
        def.position[i] = x[i];
    }
    CK_OK(pcs_model_add_body(s->m, &def, &out));
    for (int i = 0; i < b->feet; ++i) {
        pcs_shape foot = pcs_shape_sphere(0.02);
        memcpy(foot.position, b->foot[i], sizeof foot.position);
        foot.position[2] += 0.02;
        scene_shape(s, out, foot, 0);
    }
    return out;
}

TEST(a_rotating_tripod)
{
    test_random r = random_seed(33);
    for (int k = 0; k < TEST_DRAWS(6); ++k) {
        slider b = {.feet = 3, .mass = 3, .J = {0.05, 0.06, 0.08}, .mu = 0.3};
        for (int i = 0; i < 3; ++i) {
            const double at = 2 * pi / 3 * i + random_between(&r, -0.3, 0.3);
            b.foot[i][0] = 0.3 * cos(at);
            b.foot[i][1] = 0.3 * sin(at);
            b.foot[i][2] = -0.1;
        }
        b.v[0] = 0.5 * random_normal(&r);
        b.v[1] = 0.5 * random_normal(&r);
        b.v[5] = 4 * random_unit(&r);
        slides(&b, on_three_feet, 250);
    }
}
