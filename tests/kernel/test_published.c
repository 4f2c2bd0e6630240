// Variants of the scheme that compute published trajectories, against small implementations of
// their formulas: the combined projection with equalities on a column of beads, predicted gaps up
// to gamma = 3/2, and H and M at the predicted configuration.
#include "scene.h"

#define G     9.81
#define BEADS 4

// ---- a column of beads that move up and down ---------------------------------------------------

typedef struct column {
    double m[BEADS], R, e, theta, gamma, h;
    bool combined; // the combined projection with equalities; else predictive without projection
    double z[BEADS], v[BEADS];
} column;

// gap i of beads at z: the ground under the first, bead i - 1 under bead i
static double gap(const column *c, const double *z, int i)
{
    return i == 0 ? z[0] - c->R : z[i] - z[i - 1] - 2 * c->R;
}

static double rate(const double *v, int i)
{
    return i == 0 ? v[0] : v[i] - v[i - 1];
}

// v = v_free + M^-1 H^T p with 0 <= u' + e u_k _|_ p >= 0 on the active gaps, by sweeps
static void velocities(const column *c, const bool *active, double *v)
{
    double p[BEADS] = {0};
    for (int i = 0; i < BEADS; ++i) {
        v[i] = c->v[i] - c->h * G;
    }
    for (int sweep = 0; sweep < 3000; ++sweep) {
        double moved = 0;
        for (int i = 0; i < BEADS; ++i) {
            if (!active[i]) continue;
            const double below = i > 0 ? 1 / c->m[i - 1] : 0, W = 1 / c->m[i] + below;
            const double d = fmax(-p[i], -(rate(v, i) + c->e * rate(c->v, i)) / W);
            p[i] += d;
            v[i] += d / c->m[i];
            if (i > 0) v[i - 1] -= d / c->m[i - 1];
            moved = fmax(moved, fabs(d));
        }
        if (moved < 1e-17) return;
    }
}

// z + M^-1 C^T L with g = 0 on the active gaps: linear, by sweeps
static void project(const column *c, const bool *active, double *z)
{
    for (int sweep = 0; sweep < 3000; ++sweep) {
        double moved = 0;
        for (int i = 0; i < BEADS; ++i) {
            if (!active[i]) continue;
            const double below = i > 0 ? 1 / c->m[i - 1] : 0;
            const double L = -gap(c, z, i) / (1 / c->m[i] + below);
            z[i] += L / c->m[i];
            if (i > 0) z[i - 1] -= L * below;
            moved = fmax(moved, fabs(L));
        }
        if (moved < 1e-17) return;
    }
}

static void column_step(column *c, double *nearest_tie)
{
    bool active[BEADS] = {false};
    double v[BEADS], z[BEADS];
    for (int i = 0; !c->combined && i < BEADS; ++i) {
        const double ahead = gap(c, c->z, i) + c->gamma * c->h * rate(c->v, i);
        active[i] = ahead <= 0;
        *nearest_tie = fmin(*nearest_tie, fabs(ahead));
    }
    for (bool more = true; more;) {
        more = false;
        velocities(c, active, v);
        for (int i = 0; i < BEADS; ++i) {
            z[i] = c->z[i] + c->h * (c->theta * v[i] + (1 - c->theta) * c->v[i]);
        }
        for (int i = 0; c->combined && i < BEADS; ++i) {
            if (active[i]) continue;
            *nearest_tie = fmin(*nearest_tie, fabs(gap(c, z, i)));
            active[i] = gap(c, z, i) <= 0;
            more = more || active[i];
        }
    }
    if (c->combined) project(c, active, z);
    memcpy(c->z, z, sizeof z);
    memcpy(c->v, v, sizeof v);
}

// the same beads as bodies, until a test on a gap is so close to equality that rounding decides
static int same_column(column *c, int steps)
{
    scene s = scene_open();
    s.scheme.theta = c->theta;
    s.scheme.gamma = c->gamma;
    s.scheme.solver.tol = 1e-14;
    s.scheme.proj_tol = 1e-13;
    if (c->combined) s.scheme.projection = PCS_PROJECTION_COMBINED_EQUALITY;
    scene_ground(&s, c->e);
    for (int i = 0; i < BEADS; ++i) {
        const double x[3] = {0, 0, c->z[i]}, v[3] = {0, 0, c->v[i]};
        scene_solid_ball(&s, c->m[i], c->R, x, v, c->e);
    }
    scene_start(&s);
    int k = 0;
    for (double tie = 1; k < steps; ++k) {
        column_step(c, &tie);
        if (tie < 1e-10) break;
        scene_step(&s, c->h);
        for (int i = 0; i < BEADS; ++i) {
            CK_NEAR(s.st->q[7 * i + 2], c->z[i], 1e-10);
            CK_NEAR(s.st->v[6 * i + 2], c->v[i], 1e-8);
        }
    }
    scene_close(&s);
    return k;
}

static column draw_column(uint64_t seed)
{
    test_random r = random_seed(seed);
    column c = {.R = 0.1, .h = 5e-3, .gamma = 0.5};
    c.e = 0.3 + 0.6 * random_unit(&r);
    c.theta = random_unit(&r) < 0.5 ? 0.5 : 1;
    for (int i = 0; i < BEADS; ++i) {
        c.m[i] = 0.5 + 2 * random_unit(&r);
        c.z[i] = c.R + 2 * c.R * i + (i + 1) * (0.02 + 0.1 * random_unit(&r));
        c.v[i] = -random_unit(&r);
        if (i > 0) c.z[i] = fmax(c.z[i], c.z[i - 1] + 2 * c.R + 0.01);
    }
    return c;
}

TEST(beads_with_combined_equalities)
{
    int steps = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        column c = draw_column(seed);
        c.combined = true;
        steps += same_column(&c, 300);
    }
    ck_assert_int_ge(steps, 1200);
}

TEST(beads_by_predicted_gaps)
{
    static const double gammas[] = {0, 0.5, 1, 1.5};
    int steps = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        column c = draw_column(seed);
        c.gamma = gammas[seed % 4];
        steps += same_column(&c, 300);
    }
    ck_assert_int_ge(steps, 1200);
}

// ---- H and M where the step is predicted to lead -----------------------------------------------

// a mass point in polar coordinates (r, phi), which bounces on the line r sin(phi) = 0
static const double mass = 2;

static int polar_mass(void *user, const double *q, double *M)
{
    M[0] = mass;
    M[1] = M[2] = 0;
    M[3] = mass * q[0] * q[0];
    return 0;
}

static int polar_force(void *user, double t, const double *q, const double *v, double *F)
{
    F[0] = mass * (q[0] * v[1] * v[1] - G * sin(q[1]));
    F[1] = mass * (-2 * q[0] * v[0] * v[1] - q[0] * G * cos(q[1]));
    return 0;
}

static int height(void *user, const double *q1, const double *q2, double *g)
{
    g[0] = q1[0] * sin(q1[1]);
    return 0;
}

static int height_slope(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    C1[0] = sin(q1[1]);
    C1[1] = q1[0] * cos(q1[1]);
    return 0;
}

// M(q_p)(v' - v_k) = h [theta F(q', v') + (1 - theta) F_k] + H(q_p)^T p, q_p = q_k + gamma h v_k,
// by fixed-point iteration; q_k decides whether the contact takes part
static bool polar_step(double theta, double gamma, double e, double h, double q[2], double v[2],
                       double *tie)
{
    double qp[2], Fk[2], F[2], C[2], Cp[2], M[4], v1[2] = {v[0], v[1]}, q1[2] = {q[0], q[1]};
    for (int i = 0; i < 2; ++i) {
        qp[i] = q[i] + gamma * h * v[i];
    }
    polar_force(NULL, 0, q, v, Fk);
    polar_mass(NULL, qp, M);
    height_slope(NULL, q, NULL, C, NULL);
    height_slope(NULL, qp, NULL, Cp, NULL);
    const double ahead = q[0] * sin(q[1]) + gamma * h * (C[0] * v[0] + C[1] * v[1]);
    *tie = fmin(*tie, fabs(ahead));
    const double W = Cp[0] * Cp[0] / M[0] + Cp[1] * Cp[1] / M[3];
    bool hit = false;
    for (int it = 0; it < 200; ++it) {
        polar_force(NULL, 0, q1, v1, F);
        for (int i = 0; i < 2; ++i) {
            v1[i] = v[i] + h * (theta * F[i] + (1 - theta) * Fk[i]) / M[3 * i];
        }
        if (ahead <= 0) {
            const double u = Cp[0] * v1[0] + Cp[1] * v1[1], u_k = Cp[0] * v[0] + Cp[1] * v[1];
            const double p = fmax(0, -(u + e * u_k) / W);
            v1[0] += Cp[0] * p / M[0];
            v1[1] += Cp[1] * p / M[3];
            hit = p > 0;
        }
        for (int i = 0; i < 2; ++i) {
            q1[i] = q[i] + h * (theta * v1[i] + (1 - theta) * v[i]);
        }
    }
    memcpy(q, q1, sizeof q1);
    memcpy(v, v1, sizeof v1);
    return hit;
}

TEST(rows_and_masses_at_the_predicted_configuration)
{
    int hits = 0;
    for (int k = 0; k < 6; ++k) {
        const double theta = k % 2 == 0 ? 0.5 : 1, e = 0.8, h = 2e-3, gamma = 0.5 * (k % 3 + 1);
        double q[2] = {1.5, 0.3}, v[2] = {0.4, 0.2}, tie = 1;
        scene s = scene_open();
        s.scheme.theta = theta;
        s.scheme.gamma = gamma;
        s.scheme.configuration = PCS_CONFIGURATION_PREDICTED;
        s.scheme.newton_tol = 1e-15;
        s.scheme.solver.tol = 1e-15;
        const pcs_lagrangian_def def = {
            .n = 2, .q0 = q, .v0 = v, .mass_fn = polar_mass, .force = polar_force};
        pcs_interaction_def line = pcs_interaction_def_default();
        line.relation = (pcs_relation){.dim = 1, .gap = height, .gradient = height_slope};
        line.law = pcs_law_newton_impact(e);
        CK_OK(pcs_model_add_lagrangian(s.m, &def, &line.system1));
        CK_OK(pcs_model_add_interaction(s.m, &line, NULL));
        scene_start(&s);
        for (int i = 0; i < 400; ++i) {
            hits += polar_step(theta, gamma, e, h, q, v, &tie);
            if (tie < 1e-9) break;
            scene_step(&s, h);
            for (int j = 0; j < 2; ++j) {
                CK_NEAR(s.st->q[j], q[j], 1e-10);
                CK_NEAR(s.st->v[j], v[j], 1e-9);
            }
        }
        scene_close(&s);
    }
    ck_assert_int_ge(hits, 6);
}

// a body with added mass, and shapes: the closed balance of energy, and the law on the predicted
// rows
TEST(the_ledger_closes_with_predicted_rows)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scene s;
        scene_random_rough(&s, seed, 0.6);
        s.scheme.configuration = PCS_CONFIGURATION_PREDICTED;
        s.scheme.theta = seed % 2 == 0 ? 0.5 : 1;
        s.scheme.accept_unconverged = true;
        s.scheme.solver.max_iters = 2000;
        pcs_body_def def = pcs_body_def_default();
        def.position[2] = 0.3;
        def.omega[0] = 3;
        def.velocity[2] = -2;
        for (int i = 0; i < 6; ++i) {
            def.added_mass[7 * i] = i < 3 ? 0.3 * (i + 1) : 1e-3 * i;
        }
        const pcs_system hull = scene_add(&s, &def);
        scene_rough(&s, hull, pcs_shape_box(0.1, 0.2, 0.3), 0.3, 0, 0.4);
        scene_start(&s);
        for (int i = 0; i < 40; ++i) {
            scene_step(&s, 2e-3);
            const pcs_energy *e = &s.report.energy;
            const double scale = e->kinetic_before + e->kinetic_after + fabs(e->conservative) +
                                 fabs(e->normal) + fabs(e->tangential) + fabs(e->joints) +
                                 fabs(e->mass) + fabs(e->gyroscopic) + fabs(e->newton);
            if (s.report.outcome != PCS_OUTCOME_CONVERGED) continue;
            CK_NEAR(e->closure, 0, 1e-12 * scale);
            solved += 1;
        }
        scene_close(&s);
    }
    ck_assert_int_ge(solved, 80);
}
