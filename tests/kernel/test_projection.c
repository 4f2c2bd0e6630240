// Projection of positions: every projection of the scheme, joints without drift, and the projection
// of a state by itself in the four metrics.
#include "scene.h"

#include <float.h>
#include <math.h>

#include "linalg/m3.h"

static const pcs_metric metrics[4] = {PCS_METRIC_MASS, PCS_METRIC_V, PCS_METRIC_Q, PCS_METRIC_Q1};
static const pcs_projection projections[4] = {
    PCS_PROJECTION_DIRECT, PCS_PROJECTION_DIRECT_HYSTERESIS, PCS_PROJECTION_COMBINED,
    PCS_PROJECTION_COMBINED_EQUALITY};

static void step_and_check(scene *s, double h)
{
    scene_step(s, h);
    scene_check_step(s);
}

static void join(scene *s, pcs_relation relation, pcs_system a, pcs_system b)
{
    const pcs_interaction_def def = {relation, pcs_law_equality(), a, b};
    CK_OK(pcs_model_add_interaction(s->m, &def, NULL));
}

// ---- within the step ----------------------------------------------------------------------------

// the limits of each scheme for the gaps at the end of a step
static void check_gaps(const scene *s)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    const double tol = s->scheme.proj_tol;
    const pcs_projection kind = s->scheme.projection;
    for (int i = 0; i < n; ++i) {
        if (c[i].law.kind == PCS_LAW_EQUALITY) {
            CK_NEAR(c[i].gap_end, 0, tol);
        } else if (c[i].active && kind == PCS_PROJECTION_COMBINED_EQUALITY) {
            CK_NEAR(c[i].gap_end, 0, tol);
        } else if (c[i].active || kind == PCS_PROJECTION_COMBINED) {
            // a contact that rebounds opens by its own velocity
            const bool rebounds = c[i].law.e > 0 && kind != PCS_PROJECTION_COMBINED;
            const double left = rebounds ? s->h * fmax(0, c[i].u[0]) : 0;
            ck_assert_msg(c[i].gap_end >= -tol - left, "gap %g", c[i].gap_end);
        }
    }
    ck_assert_int_eq(s->report.projection_outcome, PCS_OUTCOME_CONVERGED);
    ck_assert(s->report.violation_after <= tol);
    if (kind == PCS_PROJECTION_COMBINED) ck_assert(s->report.penetration <= tol);
}

TEST(every_scheme_keeps_its_limits)
{
    int projected[4] = {0};
    for (int k = 0; k < 3; ++k) {
        for (int seed = 1; seed <= 4; ++seed) {
            scene s;
            scene_random(&s, (uint64_t)seed);
            s.scheme.projection = projections[k];
            s.scheme.metric = metrics[(seed + k) % 4];
            s.scheme.theta = seed % 2 ? 0.5 : 1;
            s.scheme.proj_tol = 1e-9;
            scene_start(&s);
            for (int i = 0; i < 40; ++i) {
                step_and_check(&s, 2e-3);
                check_gaps(&s);
                projected[k] += s.report.projection_iters;
            }
            scene_close(&s);
        }
        ck_assert_int_gt(projected[k], 50);
    }
}

// the active set as equalities: balls only, since more equalities than velocities of a body cannot
// all hold
TEST(the_active_set_as_equalities)
{
    test_random r = random_seed(21);
    scene s = scene_open();
    s.scheme.projection = PCS_PROJECTION_COMBINED_EQUALITY;
    scene_ground(&s, 0.6);
    for (int i = 0; i < 5; ++i) {
        const double x[3] = {0.3 * i, 0, 0.1 + 0.2 * random_unit(&r)};
        scene_solid_ball(&s, 1 + i, 0.1, x, NULL, 0);
    }
    const double o[3] = {0};
    join(&s, pcs_relation_distance(o, o, 0.31), (pcs_system){1}, (pcs_system){2});
    scene_start(&s);
    int active = 0;
    for (int i = 0; i < 150; ++i) {
        step_and_check(&s, 3e-3);
        check_gaps(&s);
        active += s.report.active;
        ck_assert(i == 0 || s.report.passes >= 2); // the joint enters in the second pass
    }
    ck_assert_int_gt(active, 150);
    scene_close(&s);
}

// the step of an impact ends on the plane, in that step
TEST(the_combined_schemes_end_on_the_plane)
{
    for (int k = 2; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.projection = projections[k];
        scene_ground(&s, 0.5);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.5}, NULL, 0.5);
        scene_start(&s);
        int impacts = 0;
        for (int i = 0; i < 200; ++i) {
            const double before = s.st->v[2], z = s.st->q[2];
            step_and_check(&s, 5e-3);
            ck_assert(s.st->q[2] >= 0.1 - s.scheme.proj_tol);
            if (s.report.active == 0) continue;
            impacts += 1;
            ck_assert_int_eq(s.report.passes, 2);
            CK_NEAR(s.st->v[2], -0.5 * before, 1e-12);

            // as equality on the plane; as inequality the trial may leave the plane with the mean
            // velocity
            const double q = z + 5e-3 * 0.5 * (before + s.st->v[2]);
            const double end = k == 3 ? 0.1 : fmax(q, 0.1);
            CK_NEAR(s.st->q[2], end, s.scheme.proj_tol);
        }
        ck_assert_int_gt(impacts, 3);
        scene_close(&s);
    }
}

// A rhombus of four bars on hinges falls on the ground, two bars beside the others: three rows of
// its hinges are redundant. All projections close it together with its contacts to 1e-12 in a few
// iterations, in every metric, and without a search for impulses that do not exist
static void drop_rhombus(scene *s)
{
    const double L = 0.5, y[3] = {0, 1, 0}, side[3] = {L, 0.03, 0.03};
    const double corner[4][3] = {{0, 0, 0.02}, {0.5, 0, 0.02}, {0.6, 0, 0.5}, {0.1, 0, 0.5}};
    const double lean = atan2(0.48, 0.1), length = hypot(0.48, 0.1);
    pcs_system bar[4];
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.4);
    for (int i = 0; i < 4; ++i) {
        const double *a = corner[i], *b = corner[(i + 1) % 4];
        const double half = i % 2 ? -0.5 * lean : 0, size = i % 2 ? length : L;
        pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(0.4, size, side[1], side[2]));
        for (int j = 0; j < 3; ++j) {
            def.position[j] = 0.5 * (a[j] + b[j]);
        }
        def.position[1] = i % 2 ? 0.05 : 0;
        def.orientation[0] = cos(half);
        def.orientation[2] = sin(half);
        CK_OK(pcs_model_add_body(s->m, &def, &bar[i]));
        scene_rough(s, bar[i], pcs_shape_box(size, side[1], side[2]), 0, 0, 0.4);
    }
    for (int i = 0; i < 4; ++i) {
        pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
        hinge.system1 = bar[i];
        hinge.system2 = bar[(i + 1) % 4];
        CK_OK(pcs_model_place_joint(s->m, corner[(i + 1) % 4], y, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s->m, &hinge, NULL));
    }
}

TEST(redundant_joints_with_contacts)
{
    const pcs_projection kinds[5] = {PCS_PROJECTION_OVERLAPS, PCS_PROJECTION_DIRECT,
                                     PCS_PROJECTION_DIRECT_HYSTERESIS, PCS_PROJECTION_COMBINED,
                                     PCS_PROJECTION_COMBINED_EQUALITY};
    for (int k = 0; k < 8; ++k) {
        scene s = scene_open();
        drop_rhombus(&s);
        s.scheme = pcs_scheme_default();
        s.scheme.projection = kinds[k % 5];
        s.scheme.metric = metrics[k % 4];
        s.scheme.proj_tol = 1e-12;
        scene_start(&s);
        int touching = 0;
        for (int i = 0; i < 60; ++i) {
            scene_step(&s, 2e-3);
            ck_assert_int_eq(s.report.projection_outcome, PCS_OUTCOME_CONVERGED);
            ck_assert(s.report.violation_after <= 1e-12);
            ck_assert_int_le(s.report.projection_iters, 8);
            ck_assert(s.report.units < 1e5);
            touching += s.report.active > 4;
        }
        ck_assert_int_gt(touching, 20);
        scene_close(&s);
    }
}

// The rows of a loop have full rank where its joints are not closed: in the middle of a step, at
// predicted coordinates, or after drift. Beside contacts they are taken where the joints are
// closed: the velocities of every step are solved to the tolerance, with little work
TEST(rows_of_loops_with_contacts)
{
    static const struct {
        double theta;
        pcs_configuration configuration;
        pcs_projection projection;
    } kinds[5] = {{0.5, PCS_CONFIGURATION_START, PCS_PROJECTION_OVERLAPS},
                  {0.5, PCS_CONFIGURATION_MIDDLE, PCS_PROJECTION_OVERLAPS},
                  {1, PCS_CONFIGURATION_PREDICTED, PCS_PROJECTION_OVERLAPS},
                  {0.5, PCS_CONFIGURATION_START, PCS_PROJECTION_NONE},
                  {1, PCS_CONFIGURATION_START, PCS_PROJECTION_NONE}};
    for (int k = 0; k < 5; ++k) {
        scene s = scene_open();
        drop_rhombus(&s);
        s.scheme = pcs_scheme_default();
        s.scheme.theta = kinds[k].theta;
        s.scheme.configuration = kinds[k].configuration;
        s.scheme.projection = kinds[k].projection;
        scene_start(&s);
        int touching = 0;
        for (int i = 0; i < 150; ++i) {
            scene_step(&s, 2e-3);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert(s.report.units < 2e5);
            ck_assert(s.report.solve.measure.residual <= s.scheme.solver.tol);
            scene_check_ledger(&s);
            touching += s.report.active > 4;
        }
        ck_assert_int_gt(touching, 50);
        scene_close(&s);
    }
}

// far from the origin the gap has the rounding of the coordinates; that is no failure
TEST(far_from_the_origin)
{
    for (int k = 0; k < 20; ++k) {
        const double far = 1e7, a = k;
        scene s = scene_open();
        s.scheme.projection = PCS_PROJECTION_DIRECT;
        const pcs_system b =
            scene_ball(&s, 1, 0.1, (double[3]){far + 0.3 * cos(a), far + 0.3 * sin(a), 0.6}, NULL);
        join(&s, pcs_relation_distance((double[3]){0, 0.01, 0}, (double[3]){far, far, 0}, 0.7), b,
             (pcs_system){0});
        scene_start(&s);
        CK_OK(pcs_project(s.m, s.st, s.wk, &s.report));
        ck_assert(s.report.committed);
        ck_assert(s.report.violation_after <= 4 * DBL_EPSILON * (far + 1));
        for (int i = 0; i < 20; ++i) {
            step_and_check(&s, 1e-3);
        }
        scene_close(&s);
    }
}

// a contact that was active stays active while it approaches, though no longer predicted to close;
// one that was not active stays inactive; one that opens becomes inactive
TEST(hysteresis_keeps_active_contacts)
{
    for (int k = 0; k < 5; ++k) {
        const double h = 1e-3;
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme.projection = k == 4 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_DIRECT_HYSTERESIS;
        scene_ground(&s, 0);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
        scene_start(&s);
        if (k != 1) {
            step_and_check(&s, h);
            ck_assert_int_eq(s.report.active, 1);
        }
        if (k == 3) {
            // the saved bytes contain the memory of the contact
            const size_t bytes = pcs_state_save_bytes(s.st);
            void *saved = malloc(bytes);
            pcs_state_save(s.st, saved);
            pcs_state_destroy(s.st);
            CK_OK(pcs_state_create(s.m, &s.st));
            CK_OK(pcs_state_load(s.st, saved, bytes));
            free(saved);
        }
        s.st->q[2] = 0.1 + 7e-4;
        s.st->v[2] = k == 2 ? 0.1 : -1;
        step_and_check(&s, h);
        const bool held = k == 0 || k == 3;
        ck_assert_int_eq(s.report.active, held ? 1 : 0);
        CK_NEAR(s.st->v[2], held ? 0 : k == 2 ? 0.1 : -1, 1e-14);
        scene_close(&s);
    }
}

// the projection changes no velocity, and its change of potential is in the ledger
TEST(the_ledger_knows_the_projection)
{
    scene s = scene_open();
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    scene_ground(&s, 0);
    scene_solid_ball(&s, 2, 0.1, (double[3]){0, 0, 0.09}, (double[3]){1, 0, -1}, 0);
    scene_start(&s);
    step_and_check(&s, 1e-2);
    const pcs_energy *e = &s.report.energy;
    CK_NEAR(s.st->q[2], 0.1, 1e-10);
    CK_NEAR(s.st->v[2], 0, 1e-14);
    CK_NEAR(s.st->v[0], 1, 1e-14);
    CK_NEAR(e->projection, 2 * 9.81 * (0.01 + 0.005), 1e-9);
    CK_NEAR(e->potential_after - e->potential_before, 2 * 9.81 * 0.01, 1e-9);
    CK_NEAR(e->normal + e->conservative, e->kinetic_after - e->kinetic_before, 1e-13);
    CK_NEAR(e->potential_before + e->integrator - e->conservative + e->projection,
            e->potential_after, 1e-12);
    CK_NEAR(s.report.violation_before, 0.015, 1e-12);
    scene_close(&s);
}

// joints that contradict one another: an outcome, and a state as it was
TEST(contradictions_are_outcomes)
{
    for (int k = 0; k < 4; ++k) {
        for (int accept = 0; accept < 2; ++accept) {
            scene s = scene_open();
            s.scheme.projection = projections[k];
            s.scheme.accept_unconverged = accept;
            const double o[3] = {0}, left[3] = {-1, 0, 0}, right[3] = {1, 0, 0};
            const pcs_system ball = scene_ball(&s, 1, 0.1, (double[3]){0, 0.1, 0}, NULL);
            join(&s, pcs_relation_distance(o, left, 0.5), ball, (pcs_system){0});
            join(&s, pcs_relation_distance(o, right, 0.5), ball, (pcs_system){0});
            scene_start(&s);
            const unsigned long long before = pcs_state_hash(s.st);
            CK_OK(pcs_step(s.m, s.st, s.wk, 0.01, &s.report));
            ck_assert_int_ne(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_ne(s.report.projection_outcome, PCS_OUTCOME_CONVERGED);
            ck_assert(s.report.committed == (accept == 1));
            ck_assert((pcs_state_hash(s.st) == before) == (accept == 0));
            scene_close(&s);
        }
    }
}

// a column of boxes and a solver with too few iterations: where such steps are accepted, contacts
// at the end are found and overlaps are removed all the same
TEST(unfinished_velocities_leave_no_overlap)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_dense(1e-10, 0.1);
    s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    s.scheme.solver.max_iters = 1;
    s.scheme.accept_unconverged = true;
    scene_ground(&s, 0);
    const double edges[3] = {0.2, 0.2, 0.1};
    for (int i = 0; i < 6; ++i) {
        const double Q[4] = {cos(0.3 * i), 0, 0, sin(0.3 * i)};
        const double x[3] = {0, 0, 0.05 + 0.105 * i}, v[3] = {0, 0, -0.5 * i};
        scene_shape(&s, scene_box(&s, 1, edges, x, Q, v, NULL), pcs_shape_box(0.2, 0.2, 0.1), 0);
    }
    scene_start(&s);
    int unfinished = 0;
    for (int k = 0; k < 50; ++k) {
        scene_step(&s, 0.005);
        ck_assert_int_eq(s.report.projection_outcome, PCS_OUTCOME_CONVERGED);
        unfinished += s.report.outcome != PCS_OUTCOME_CONVERGED;
        ck_assert_msg(s.report.penetration <= 1.0001 * s.scheme.proj_tol, "step %d: %g", k,
                      s.report.penetration);
    }
    ck_assert_int_ge(unfinished, 10);
    scene_close(&s);
}

// the residual (theory 7.7) of 0 <= Lambda _|_ g + H M^-1 H^T Lambda >= 0 of a column of balls on a
// plane, with gaps g and masses m from below, computed from the displacements dz = M^-1 H^T Lambda
// alone
static double column_residual(int n, const double *g, const double *m, const double *dz)
{
    double Lambda = 0, F2 = 0, g2 = 0, w2 = 0;
    for (int i = n - 1; i >= 0; --i) {
        Lambda += m[i] * dz[i];
        const double W = 1 / m[i] + (i > 0 ? 1 / m[i - 1] : 0);
        const double opened = dz[i] - (i > 0 ? dz[i - 1] : 0);
        const double F = Lambda - fmax(0, Lambda - (g[i] + opened) / W);
        F2 += W * W * F * F;
        g2 += g[i] * g[i];
        w2 += opened * opened;
    }
    return sqrt(F2) / sqrt(fmax(g2, w2));
}

// weightless balls at rest: the velocities leave them in place, and the projection may solve one
// linearised problem, with many rows not to convergence and with a few to the last digit
TEST(the_residual_is_that_of_the_linearised_problem)
{
    enum { MOST = 100 };
    static const pcs_projection way[2] = {PCS_PROJECTION_DIRECT, PCS_PROJECTION_OVERLAPS};
    for (int k = 0; k < 4; ++k) {
        const int n = k < 2 ? MOST : 20;
        scene s = scene_open();
        s.scheme.theta = 1;
        s.scheme.activation = PCS_ACTIVATION_SPECULATIVE;
        s.scheme.projection = way[k % 2];
        s.scheme.proj_tol = 1e-5;
        s.scheme.proj_max = 1;
        s.scheme.accept_unconverged = true;
        scene_gravity(&s, 0, 0, 0);
        scene_ground(&s, 0);
        test_random r = random_seed(31);
        double g[MOST], m[MOST], z[MOST], dz[MOST];
        for (int i = 0; i < n; ++i) {
            g[i] = -1e-3 * (1.1 + random_unit(&r));
            m[i] = 1.5 + random_unit(&r);
            z[i] = g[i] + 0.1 + (i > 0 ? z[i - 1] + 0.1 : 0);
            const double x[3] = {0, 0, z[i]};
            scene_solid_ball(&s, m[i], 0.1, x, NULL, 0);
        }
        scene_start(&s);
        scene_step(&s, 0.01);
        for (int i = 0; i < n; ++i) {
            dz[i] = s.st->q[7 * i + 2] - z[i];
        }
        ck_assert_int_eq(s.report.projection_iters, 1);
        const double residual = column_residual(n, g, m, dz);
        CK_NEAR(s.report.projection_residual, residual, 1e-11);
        ck_assert(s.report.projection_solve == PCS_OUTCOME_CONVERGED || residual > 1e-6);
        if (n == MOST || k % 2 == 1) ck_assert_msg(residual > 1e-8, "%g", residual);
        if (n < MOST && k % 2 == 0)
            ck_assert_int_eq(s.report.projection_solve, PCS_OUTCOME_CONVERGED);
        scene_close(&s);
    }
}

// a plank leans with one of its edges on that of a table and rolls over within a step: the edge
// that lands is not among the features at its start. Another pass with this edge stops it where the
// linearised rows predict, up to the square of the angle
TEST(an_edge_that_lands_is_taken_in)
{
    const double L = 0.4, w = 0.1, H = 0.05, h = 0.01, pitch = 0.15;
    const double c = cos(pitch), d = sin(pitch);
    for (int k = 0; k < 8; ++k) {
        const double roll = 0.08 + 0.01 * k, omega = 1.5 * roll / h;
        scene s = scene_open();
        s.scheme = pcs_scheme_dense(1e-10, w);
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def fixed = pcs_body_def_default();
        fixed.fixed = true;
        memcpy(fixed.position, (double[3]){-1, 0, -0.5}, sizeof fixed.position);
        const pcs_system table = scene_add(&s, &fixed);
        scene_rough(&s, table, pcs_shape_box(2, 2, 1), 0, 0, 0.3);

        // rotated by the roll, then by the pitch; it rolls about the edge in contact, which is (y,
        // z) from its centre before the pitch
        const double a = cos(0.5 * pitch), b = sin(0.5 * pitch), p = cos(0.5 * roll),
                     q = sin(0.5 * roll);
        const double Q[4] = {a * p, a * q, b * p, -b * q};
        const double y = -0.5 * (w * cos(roll) - H * sin(roll));
        const double z = -0.5 * (w * sin(roll) + H * cos(roll));
        const double x[3] = {-z * d, 0, -z * c}, spin[3] = {-omega, 0, 0};
        const double v[3] = {omega * y * d, -omega * z, omega * y * c};
        const pcs_system plank = scene_box(&s, 1, (double[3]){L, w, H}, x, Q, v, spin);
        scene_rough(&s, plank, pcs_shape_box(L, w, H), 0, 0, 0.3);
        scene_start(&s);
        scene_step(&s, h);
        const pcs_step_report *r = &s.report;
        ck_assert_int_eq(r->outcome, PCS_OUTCOME_CONVERGED);
        ck_assert_int_ge(r->passes, 2);
        ck_assert_int_le(r->passes, 4);
        ck_assert_msg(r->violation_before <= 0.5 * roll * roll * w, "roll %g: %g", roll,
                      r->violation_before);
        ck_assert(r->penetration <= s.scheme.proj_tol);
        ck_assert(r->energy.kinetic_after <= r->energy.kinetic_before);
        CK_NEAR(r->energy.closure, 0, 1e-12);
        scene_close(&s);
    }
}

// ---- joints -------------------------------------------------------------------------------------

// a physical pendulum on a ball joint: no drift, and the period of its amplitude
TEST(a_pendulum_keeps_its_length_and_time)
{
    const double edges[3] = {0.1, 0.1, 1}, l = 0.5, angle = 0.2, h = 2e-3;
    double J[9];
    memcpy(J, pcs_inertia_box(2, edges[0], edges[1], edges[2]).J, sizeof J);
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.projection = k == 3 ? PCS_PROJECTION_COMBINED : PCS_PROJECTION_DIRECT;
        s.scheme.metric = metrics[k];
        if (k == 2) s.scheme.configuration = PCS_CONFIGURATION_ITERATE;
        const double Q[4] = {cos(angle / 2), sin(angle / 2), 0, 0}, top[3] = {0, 0, l};
        double arm[3], o[3] = {0};
        pcs_quat_rotate(Q, top, arm);
        const double x[3] = {-arm[0], -arm[1], -arm[2]};
        const pcs_system rod = scene_box(&s, 2, edges, x, Q, NULL, NULL);
        join(&s, pcs_relation_ball_joint(top, o), rod, (pcs_system){0});
        scene_start(&s);

        // time between two passages of the lowest point in one direction
        double crossing[8];
        int n = 0;
        for (int i = 0; i < 2500 && n < 3; ++i) {
            const double before = s.st->q[1];
            step_and_check(&s, h);
            const double after = s.st->q[1], *q = s.st->q;
            double P[3];
            pcs_quat_rotate(q + 3, top, P);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(q[j] + P[j], 0, 1.01 * s.scheme.proj_tol);
            }
            CK_NEAR(q[0], 0, 1e-9);
            if (before < 0 && after >= 0) {
                crossing[n++] = s.st->t - h + h * before / (before - after);
            }
        }
        ck_assert_int_eq(n, 3);
        const double a2 = angle * angle;
        const double T = 2 * acos(-1) * sqrt((J[0] + 2 * l * l) / (2 * 9.81 * l)) *
                         (1 + a2 / 16 + 11 * a2 * a2 / 3072);
        CK_NEAR((crossing[2] - crossing[0]) / 2, T, 2e-4 * T);
        scene_close(&s);
    }
}

// a chain of bodies on distance joints and a closed loop of ball joints: the drift is within the
// tolerance, and larger without projection
TEST(mechanisms_do_not_drift)
{
    for (int k = 0; k < 5; ++k) {
        scene s = scene_open();
        s.scheme.projection = k == 4 ? PCS_PROJECTION_NONE : PCS_PROJECTION_DIRECT;
        if (k < 4) s.scheme.metric = metrics[k];
        const double o[3] = {0}, end[3] = {0.1, 0, 0}, back[3] = {-0.1, 0, 0};
        const double edges[3] = {0.2, 0.04, 0.03};
        pcs_system last = {0};
        double anchor[3] = {0};
        for (int i = 0; i < 4; ++i) {
            const double x[3] = {0.1 + 0.2 * i, 0, 0};
            const pcs_system link = scene_box(&s, 0.5, edges, x, NULL, NULL, NULL);
            join(&s, pcs_relation_ball_joint(back, i == 0 ? anchor : end), link, last);
            last = link;
        }
        const pcs_system bob = scene_ball(&s, 1, 0.1, (double[3]){0.8, 0.3, 0}, NULL);
        join(&s, pcs_relation_distance(end, o, 0.3), last, bob);
        scene_start(&s);
        double drift = 0;
        for (int i = 0; i < 120; ++i) {
            step_and_check(&s, 5e-3);
            if (k < 4) check_gaps(&s);
            const pcs_contact *c;
            const int n = scene_contacts(&s, &c);
            ck_assert_int_eq(n, 13);
            for (int j = 0; j < n; ++j) {
                drift = fmax(drift, fabs(c[j].gap_end));
            }
        }
        ck_assert((drift <= s.scheme.proj_tol) == (k < 4));
        scene_close(&s);
    }
}

// ---- a state by itself --------------------------------------------------------------------------

static pcs_step_report project(scene *s)
{
    double *v = malloc((size_t)s->st->nv * sizeof *v);
    memcpy(v, s->st->v, (size_t)s->st->nv * sizeof *v);
    const double t = s->st->t;
    pcs_step_report report;
    CK_OK(pcs_project(s->m, s->st, s->wk, &report));
    ck_assert(memcmp(v, s->st->v, (size_t)s->st->nv * sizeof *v) == 0);
    ck_assert(s->st->t == t);
    free(v);
    return report;
}

// two balls share the correction by their masses, or equally
TEST(the_metric_shares_the_displacement)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.metric = metrics[k];
        const double x1[3] = {0, 0, 1}, x2[3] = {0.19, 0, 1};
        scene_solid_ball(&s, 1, 0.1, x1, (double[3]){1, 2, 3}, 0);
        scene_solid_ball(&s, 3, 0.1, x2, NULL, 0);
        scene_start(&s);
        const pcs_step_report report = project(&s);
        ck_assert(report.committed);
        CK_NEAR(report.violation_before, 0.01, 1e-15);
        ck_assert_int_eq(report.projection_iters, 1);
        const double share = k == 0 ? 0.75 : 0.5;
        CK_NEAR(s.st->q[0], -0.01 * share, 1e-15);
        CK_NEAR(s.st->q[7], 0.19 + 0.01 * (1 - share), 1e-15);
        for (int i = 0; i < 2; ++i) {
            ck_assert(s.st->q[7 * i + 3] == 1 && s.st->q[7 * i + 4] == 0);
        }
        scene_close(&s);
    }
}

// heaps that overlap, with joints, unilateral relations and rotated boxes
TEST(overlapping_heaps_are_separated)
{
    int apart = 0;
    for (int k = 0; k < 16; ++k) {
        scene s;
        scene_random(&s, (uint64_t)(100 + k));
        s.scheme.metric = metrics[k % 4];
        s.scheme.proj_tol = 1e-9;
        scene_start(&s);
        const pcs_step_report report = project(&s);
        if (!report.committed) {
            ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
            scene_close(&s);
            continue;
        }
        apart += 1;
        ck_assert(report.violation_before > 1e-3);
        ck_assert(report.violation_after <= 1e-9);
        for (int i = 0; i < 8; ++i) {
            CK_NEAR(pcs_quat_norm(s.st->q + 7 * i + 3), 1, 1e-14);
        }

        // no further round is needed, and no overlap that detection finds is left
        const pcs_step_report again = project(&s);
        ck_assert_int_eq(again.projection_iters, 0);
        ck_assert(again.committed);
        ck_assert(again.penetration <= 1e-9);
        scene_close(&s);
    }
    ck_assert_msg(apart >= 14, "%d of 16", apart);
}

// the projection moves a ball out of a narrow wedge by more than its depth, and the wedge touches
// it there
TEST(the_displacement_may_be_long)
{
    scene s = scene_open();
    const double a = 0.1, deep = 0.02, radius = 0.1;
    scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){cos(a), 0, sin(a)}, 0), 0);
    scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){-cos(a), 0, sin(a)}, 0), 0);
    const double z = (radius - deep) / sin(a), out = radius / sin(a);
    scene_solid_ball(&s, 1, radius, (double[3]){0, 0, z}, NULL, 0);
    scene_solid_ball(&s, 1, 0.05, (double[3]){0, 0, z + 0.25}, NULL, 0);
    scene_start(&s);
    const pcs_step_report report = project(&s);
    ck_assert(report.committed);
    CK_NEAR(s.st->q[2], out, 1e-8);
    ck_assert_msg(s.st->q[9] - s.st->q[2] >= 0.15 - 1e-9, "overlap %g",
                  0.15 - (s.st->q[9] - s.st->q[2]));
    ck_assert(report.penetration <= s.scheme.proj_tol);
    scene_close(&s);
}

// no solution between two planes: an outcome, and an unchanged state
TEST(a_projection_without_solution_changes_nothing)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.metric = metrics[k];
        scene_ground(&s, 0);
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, -1}, -0.15), 0);
        scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.08}, NULL, 0);
        scene_start(&s);
        const unsigned long long before = pcs_state_hash(s.st);
        const pcs_step_report report = project(&s);
        ck_assert_int_ne(report.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert(!report.committed);
        ck_assert(pcs_state_hash(s.st) == before);
        scene_close(&s);
    }
}

// bilateral: a Lagrangian system and bodies, together with contacts
TEST(joints_and_contacts_together)
{
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.metric = metrics[k];
        scene_ground(&s, 0);
        const double o[3] = {0}, p[3] = {0.1, 0.1, -0.1}, edges[3] = {0.2, 0.2, 0.2};
        const double Q[4] = {1, 0.3, 0.2, 0.1};
        const pcs_system box = scene_box(&s, 1, edges, (double[3]){0, 0, 0.08}, Q, NULL, NULL);
        scene_shape(&s, box, pcs_shape_box(0.2, 0.2, 0.2), 0);
        const pcs_system ball = scene_solid_ball(&s, 2, 0.05, (double[3]){0.4, 0, 0.03}, NULL, 0);
        join(&s, pcs_relation_distance(p, o, 0.25), box, ball);
        const double mass[4] = {1, 0.2, 0.2, 2}, c[2] = {1, 2}, q0[2] = {0.5, 0.5};
        const pcs_lagrangian_def def = {.n = 2, .mass = mass, .q0 = q0};
        const pcs_system slider = scene_add_lagrangian(&s, &def);
        join(&s, pcs_relation_linear(2, c, -1), slider, (pcs_system){0});
        scene_start(&s);
        const pcs_step_report report = project(&s);
        ck_assert(report.committed);
        ck_assert_int_ge(report.projection_iters, 2);
        ck_assert_int_le(report.projection_iters, 8);
        ck_assert(report.penetration <= s.scheme.proj_tol);
        const double *q = scene_q(&s, slider);
        CK_NEAR(q[0] + 2 * q[1], 1, 1e-9);

        // along M^-1 c in the mass metric, along c in the others
        const double ratio = k == 0 ? (2 - 0.4) / (2 - 0.2) : 0.5;
        CK_NEAR((q[0] - 0.5) / (q[1] - 0.5), ratio, 1e-9);
        scene_close(&s);
    }
}
