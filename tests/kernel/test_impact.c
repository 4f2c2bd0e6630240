// An impact at frozen configuration against closed forms (theory 7.5): momentum, angular momentum,
// the loss 1/2 (1 - e^2) u^2 / W of a single contact, and small problems solved here by a test of
// every set of contacts.
#include "scene.h"

#include "linalg/lu.h"
#include "linalg/m3.h"
#include "model/model.h"

static pcs_report impact(scene *s)
{
    pcs_report report;
    s->h = 0;
    memcpy(s->q_before, s->st->q, (size_t)s->st->nq * sizeof(double));
    memcpy(s->v_before, s->st->v, (size_t)s->st->nv * sizeof(double));
    CK_OK(pcs_impact(s->m, s->st, s->wk, 1e-9, &report));

    // positions do not change, and the change of momentum is the sum of the impulses
    ck_assert(memcmp(s->q_before, s->st->q, (size_t)s->st->nq * sizeof(double)) == 0);
    ck_assert(s->st->t == 0);
    for (int i = 0; i < s->m->n_systems; ++i) {
        const model_system *b = &s->m->system[i];
        if (b->kind != SYSTEM_BODY) continue;
        double wrench[6], dv[6], dw[3];
        for (int k = 0; k < 6; ++k) {
            dv[k] = s->st->v[b->v_at + k] - s->v_before[b->v_at + k];
        }
        m3_mul(b->J, dv + 3, dw);
        pcs_work_contact_wrench(s->wk, (pcs_system){i + 1}, wrench);
        for (int k = 0; k < 3; ++k) {
            CK_NEAR(wrench[k], b->mass * dv[k], 1e-11 * b->mass);
            CK_NEAR(wrench[3 + k], dw[k], 1e-11 * b->mass);
        }
    }
    return report;
}

static void converges(scene *s)
{
    const pcs_report report = impact(s);
    ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "%s", pcs_outcome_text(report.outcome));
}

// 1/m + (GP x N)^T R J^-1 R^T (GP x N), J diagonal
static double inverse_mass(double mass, const double J[9], const double q[7], const double P[3],
                           const double N[3])
{
    double R[9], GP[3], moment[3], m[3];
    pcs_quat_to_matrix(q + 3, R);
    v3_sub(P, q, GP);
    v3_cross(GP, N, moment);
    m3_mul_t(R, moment, m);
    return 1 / mass + m[0] * m[0] / J[0] + m[1] * m[1] / J[4] + m[2] * m[2] / J[8];
}

// N . velocity of the body's point at P
static double velocity_at(const double q[7], const double v[6], const double P[3],
                          const double N[3])
{
    double w[3], GP[3], turn[3];
    pcs_quat_rotate(q + 3, v + 3, w);
    v3_sub(P, q, GP);
    v3_cross(w, GP, turn);
    return v3_dot(N, v) + v3_dot(N, turn);
}

typedef struct totals {
    double p[3], L[3], K;
} totals;

static totals take_totals(scene *s)
{
    totals t;
    CK_OK(pcs_state_momentum(s->m, s->st, t.p, t.L));
    t.K = scene_kinetic(s);
    return t;
}

static void conserves_momentum(const totals *a, const totals *b, double scale)
{
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(a->p[i], b->p[i], 1e-12 * scale);
        CK_NEAR(a->L[i], b->L[i], 1e-12 * scale);
    }
}

TEST(two_spheres)
{
    test_random r = random_seed(3);
    int hits = 0;
    for (int k = 0; k < 200; ++k) {
        scene s = scene_open();
        const double m1 = random_between(&r, 0.1, 10), m2 = random_between(&r, 0.1, 10);
        const double r1 = random_between(&r, 0.05, 0.5), r2 = random_between(&r, 0.05, 0.5);
        const double e = random_unit(&r);
        double N[3], x1[3], x2[3], v1[3], v2[3];
        for (int i = 0; i < 3; ++i) {
            N[i] = random_normal(&r);
            x2[i] = random_normal(&r);
            v1[i] = random_normal(&r);
            v2[i] = random_normal(&r);
        }
        v3_unit(N, N);
        v3_along(x2, r1 + r2, N, x1);
        const pcs_system a = scene_ball(&s, m1, r1, x1, v1), b = scene_ball(&s, m2, r2, x2, v2);
        scene_shape(&s, a, pcs_shape_sphere(r1), e);
        scene_shape(&s, b, pcs_shape_sphere(r2), e / 2);
        scene_start(&s);
        double dv[3];
        v3_sub(v1, v2, dv);
        const double u = v3_dot(N, dv), W = 1 / m1 + 1 / m2;
        const totals before = take_totals(&s);
        converges(&s);
        const totals after = take_totals(&s);
        conserves_momentum(&before, &after, 10 * (m1 + m2));
        v3_sub(scene_v(&s, a), scene_v(&s, b), dv);
        CK_NEAR(v3_dot(N, dv), u < 0 ? -e * u : u, 1e-12 * (1 + fabs(u)));
        CK_NEAR(before.K - after.K, u < 0 ? 0.5 * (1 - e * e) * u * u / W : 0,
                1e-12 * (1 + before.K));
        hits += u < 0;
        scene_close(&s);
    }
    ck_assert_int_gt(hits, 50);
    ck_assert_int_lt(hits, 150);
}

// one vertex of a rotated box on the ground
TEST(a_corner_on_the_ground)
{
    test_random r = random_seed(4);
    for (int k = 0; k < 100; ++k) {
        const double e = random_unit(&r), mass = random_between(&r, 0.5, 5);
        const double edges[3] = {random_between(&r, 0.1, 0.4), random_between(&r, 0.1, 0.4),
                                 random_between(&r, 0.1, 0.4)};
        double Q[4], low = INFINITY, corner[3] = {0}, J[9], v[3], w[3];
        random_quaternion(&r, Q);
        for (int c = 0; c < 8; ++c) {
            const double p[3] = {(c & 1 ? 0.5 : -0.5) * edges[0], (c & 2 ? 0.5 : -0.5) * edges[1],
                                 (c & 4 ? 0.5 : -0.5) * edges[2]};
            double x[3];
            pcs_quat_rotate(Q, p, x);
            if (x[2] < low) {
                low = x[2];
                memcpy(corner, x, sizeof corner);
            }
        }
        for (int i = 0; i < 3; ++i) {
            v[i] = random_normal(&r) - 3 * (i == 2);
            w[i] = random_normal(&r);
        }
        scene s = scene_open();
        scene_ground(&s, e);
        const double x[3] = {1, 2, -low}, P[3] = {1 + corner[0], 2 + corner[1], 0};
        const pcs_system box = scene_box(&s, mass, edges, x, Q, v, w);
        scene_shape(&s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0);
        scene_start(&s);
        memcpy(J, pcs_inertia_box(mass, edges[0], edges[1], edges[2]).J, sizeof J);
        const double N[3] = {0, 0, 1}, *q = scene_q(&s, box);
        const double W = inverse_mass(mass, J, q, P, N);
        const double u = velocity_at(q, scene_v(&s, box), P, N);
        const totals before = take_totals(&s);
        converges(&s);
        const totals after = take_totals(&s);
        const double scale = mass * 30, dp = after.p[2] - before.p[2];
        if (u >= 0) {
            CK_NEAR(dp, 0, 1e-12 * scale);
            scene_close(&s);
            continue;
        }
        CK_NEAR(velocity_at(q, scene_v(&s, box), P, N), -e * u, 1e-11);
        CK_NEAR(before.K - after.K, 0.5 * (1 - e * e) * u * u / W, 1e-12 * (1 + before.K));
        CK_NEAR(dp, -(1 + e) * u / W, 1e-12 * scale);

        // the impulse acts along N only, through P
        const double push[3] = {0, 0, dp};
        double moment[3];
        v3_cross(P, push, moment);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(after.p[i] - before.p[i], push[i], 1e-12 * scale);
            CK_NEAR(after.L[i] - before.L[i], moment[i], 1e-12 * scale);
        }
        scene_close(&s);
    }
}

// a free rotated box hit on a face by a sphere, in either order of the bodies
TEST(a_sphere_and_a_free_box)
{
    test_random r = random_seed(5);
    for (int k = 0; k < 100; ++k) {
        const double e = random_unit(&r), edges[3] = {0.4, 0.3, 0.2}, radius = 0.1;
        double Q[4], J[9], v1[3], v2[3], w2[3], xb[3], xs[3], P[3], N[3];
        random_quaternion(&r, Q);
        const double foot[3] = {random_between(&r, -0.18, 0.18), random_between(&r, -0.13, 0.13),
                                0.1};
        const double centre[3] = {foot[0], foot[1], foot[2] + radius}, up[3] = {0, 0, 1};
        for (int i = 0; i < 3; ++i) {
            xb[i] = random_normal(&r);
            v1[i] = random_normal(&r);
            v2[i] = random_normal(&r);
            w2[i] = random_normal(&r);
        }
        pcs_quat_rotate(Q, centre, xs);
        pcs_quat_rotate(Q, foot, P);
        pcs_quat_rotate(Q, up, N);
        v3_along(xb, 1, P, P);
        v3_along(xb, 1, xs, xs);
        v3_along(v1, -2, N, v1);

        scene s = scene_open();
        pcs_system ball, box;
        if (k % 2 == 0) ball = scene_ball(&s, 1, radius, xs, v1);
        box = scene_box(&s, 2, edges, xb, Q, v2, w2);
        if (k % 2 == 1) ball = scene_ball(&s, 1, radius, xs, v1);
        scene_shape(&s, box, pcs_shape_box(edges[0], edges[1], edges[2]), e);
        scene_shape(&s, ball, pcs_shape_sphere(radius), 0);
        scene_start(&s);
        memcpy(J, pcs_inertia_box(2, edges[0], edges[1], edges[2]).J, sizeof J);
        const double *qb = scene_q(&s, box);
        const double W = 1 + inverse_mass(2, J, qb, P, N);
        const double u = v3_dot(N, v1) - velocity_at(qb, scene_v(&s, box), P, N);
        const totals before = take_totals(&s);
        converges(&s);
        const totals after = take_totals(&s);
        conserves_momentum(&before, &after, 30);
        CK_NEAR(before.K - after.K, u < 0 ? 0.5 * (1 - e * e) * u * u / W : 0,
                1e-12 * (1 + before.K));
        const double *w = scene_v(&s, ball) + 3;
        ck_assert(w[0] == 0 && w[1] == 0 && w[2] == 0);
        scene_close(&s);
    }
}

// ---- several contacts at once -------------------------------------------------------------------

// r of 0 <= W r + b, r >= 0, complementary, by trying all sets of independent rows
static bool enumerate(int n, const double W[8][8], const double b[8], double r[8])
{
    for (int set = 0; set < 1 << n; ++set) {
        int row[8], piv[8], k = 0;
        for (int i = 0; i < n; ++i) {
            if (set >> i & 1) row[k++] = i;
        }
        double A[64], x[8];
        for (int i = 0; i < k; ++i) {
            x[i] = -b[row[i]];
            for (int j = 0; j < k; ++j) {
                A[i + k * j] = W[row[i]][row[j]];
            }
        }
        if (k > 0 && (!lu_factor(k, A, piv) || fabs(A[k * k - 1]) < 1e-9)) continue;
        lu_solve(k, A, piv, x);
        for (int i = 0; i < n; ++i) {
            r[i] = 0;
        }
        bool good = true;
        for (int i = 0; i < k; ++i) {
            r[row[i]] = x[i];
            good &= x[i] >= -1e-10;
        }
        for (int i = 0; i < n && good; ++i) {
            double w = b[i];
            for (int j = 0; j < n; ++j) {
                w += W[i][j] * r[j];
            }
            good = w >= -1e-10;
        }
        if (good) return true;
    }
    return false;
}

// four corners of a flat box at once: W has rank 3, the velocity is unique
TEST(a_flat_face)
{
    test_random r = random_seed(6);
    const double edges[3] = {0.4, 0.3, 0.2}, x[3] = {0, 0, 0.1};
    double J[9];
    memcpy(J, pcs_inertia_box(1, edges[0], edges[1], edges[2]).J, sizeof J);
    int several = 0;
    for (int k = 0; k < 200; ++k) {
        const double e = k % 3 == 0 ? 0 : random_unit(&r);
        const double v[3] = {random_normal(&r), random_normal(&r), -random_unit(&r)};
        const double spread = k % 2 == 0 ? 10 : 1;
        const double w[3] = {spread * random_normal(&r), spread * random_normal(&r),
                             random_normal(&r)};
        scene s = scene_open();
        scene_ground(&s, e);
        const pcs_system box = scene_box(&s, 1, edges, x, NULL, v, w);
        scene_shape(&s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0);
        scene_start(&s);

        // row i: u = vz + (wx y - wy x) at the corner (x, y)
        double row[4][3], W[8][8], b[8], p[8];
        for (int c = 0; c < 4; ++c) {
            row[c][0] = 1;
            row[c][1] = (c & 2 ? 0.5 : -0.5) * edges[1];
            row[c][2] = -(c & 1 ? 0.5 : -0.5) * edges[0];
            b[c] = (1 + e) * (v[2] + row[c][1] * w[0] + row[c][2] * w[1]);
        }
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                W[i][j] = 1 + row[i][1] * row[j][1] / J[0] + row[i][2] * row[j][2] / J[4];
            }
        }
        ck_assert(enumerate(4, (const double(*)[8])W, b, p));
        double vz = v[2], wx = w[0], wy = w[1];
        int active = 0;
        for (int i = 0; i < 4; ++i) {
            vz += p[i];
            wx += row[i][1] * p[i] / J[0];
            wy += row[i][2] * p[i] / J[4];
            active += p[i] > 0;
        }
        several += active > 1;
        converges(&s);
        const double *after = scene_v(&s, box);
        CK_NEAR(after[0], v[0], 1e-13);
        CK_NEAR(after[1], v[1], 1e-13);
        CK_NEAR(after[2], vz, 1e-9);
        CK_NEAR(after[3], wx, 1e-9);
        CK_NEAR(after[4], wy, 1e-9);
        CK_NEAR(after[5], w[2], 1e-12);
        scene_close(&s);
    }
    ck_assert_int_gt(several, 50);
}

static void row_of_balls(scene *s, int n, double e, const double *speed)
{
    *s = scene_open();
    for (int i = 0; i < n; ++i) {
        const double x[3] = {0.2 * i, 0, 0}, v[3] = {speed[i], 0, 0};
        scene_solid_ball(s, 1, 0.1, x, v, e);
    }
    scene_start(s);
}

// Newton's law with simultaneous impacts: the middle ball gets its share; this is not the sequence
// of a Newton's cradle
TEST(three_balls_in_a_row)
{
    scene s;
    row_of_balls(&s, 3, 1, (double[3]){1, 0, 0});
    converges(&s);
    CK_NEAR(s.st->v[0], -1.0 / 3, 1e-12);
    CK_NEAR(s.st->v[6], 2.0 / 3, 1e-12);
    CK_NEAR(s.st->v[12], 2.0 / 3, 1e-12);
    scene_close(&s);
}

// elastic impacts of many bodies keep the energy; perfectly plastic ones keep the part that they
// cannot lose
TEST(heaps_of_bodies)
{
    test_random r = random_seed(8);
    for (int k = 0; k < 30; ++k) {
        const double e = k % 3 == 0 ? 1 : random_unit(&r);
        scene s = scene_open();
        scene_ground(&s, e);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double x[3] = {0.2 * i, 0, 0.1 + 0.2 * j};
                const double v[3] = {random_normal(&r), random_normal(&r), random_normal(&r)};
                scene_solid_ball(&s, random_between(&r, 0.5, 2), 0.1, x, v, e);
            }
        }
        scene_start(&s);
        const totals before = take_totals(&s);
        converges(&s);
        const totals after = take_totals(&s);
        for (int i = 0; i < 2; ++i) {
            CK_NEAR(after.p[i], before.p[i], 1e-10);
        }
        if (e == 1) CK_NEAR(after.K, before.K, 1e-9 * before.K);
        ck_assert(after.K <= before.K * (1 + 1e-10));
        const pcs_contact *c;
        const int n = scene_contacts(&s, &c);
        ck_assert_int_eq(n, 4 + 4 * 2 + 3 * 3);
        scene_close(&s);
    }
}

// a rod without mass between two balls, one of which meets the ground
TEST(joints_share_an_impact)
{
    const double a = 0.7, d[3] = {sin(a), 0, -cos(a)}; // from ball 2 to ball 1
    const double x1[3] = {0, 0, 0.1}, x2[3] = {-d[0], 0, 0.1 - d[2]}, v[3] = {0, 0, -2}, o[3] = {0};
    scene s = scene_open();
    scene_ground(&s, 0.5);
    const pcs_system one = scene_ball(&s, 2, 0.1, x1, v), two = scene_ball(&s, 3, 0.1, x2, v);
    scene_shape(&s, one, pcs_shape_sphere(0.1), 0);
    scene_join(&s, pcs_relation_distance(o, o, 1), pcs_law_equality(), one, two);
    scene_start(&s);
    converges(&s);

    // 1.5 (-2) + p/2 + j dz/2 = 0 with u' = 1;  p dz / 2 + j (1/2 + 1/3) = 0
    double A[4] = {0.5, 0.5 * d[2], 0.5 * d[2], 1.0 / 2 + 1.0 / 3}, b[2] = {3, 0};
    int piv[2];
    ck_assert(lu_factor(2, A, piv));
    lu_solve(2, A, piv, b);
    const double *v1 = scene_v(&s, one), *v2 = scene_v(&s, two);
    CK_NEAR(v1[2], 1, 1e-12);
    CK_NEAR(v1[0], b[1] * d[0] / 2, 1e-12);
    CK_NEAR(v2[0], -b[1] * d[0] / 3, 1e-12);
    CK_NEAR(v2[2], -2 - b[1] * d[2] / 3, 1e-12);
    const pcs_contact *c;
    ck_assert_int_eq(scene_contacts(&s, &c), 2);
    CK_NEAR(c[0].r[0], b[1], 1e-11);
    ck_assert_int_eq(c[0].interaction, 1);
    CK_NEAR(c[1].r[0], b[0], 1e-11);
    CK_NEAR(c[1].F[2], 1, 0);
    scene_close(&s);
}

// bodies that are apart, or separate, get no impulse; bodies that overlap get one
TEST(only_what_touches)
{
    const double height[4] = {0.1 + 1e-6, 0.1, 0.1, 0.05}, speed[4] = {-1, 1, -1, -1};
    for (int i = 0; i < 4; ++i) {
        scene s = scene_open();
        scene_ground(&s, 0.5);
        const double x[3] = {0, 0, height[i]}, v[3] = {0, 0, speed[i]};
        scene_solid_ball(&s, 1, 0.1, x, v, 0.5);
        scene_start(&s);
        const pcs_report report = impact(&s);
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        CK_NEAR(s.st->v[2], i < 2 ? speed[i] : 0.5, 1e-14);
        scene_close(&s);
    }
}

static int no_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    *(int *)user += 1;
    return 1;
}

// forces do not act in an impact, so their callbacks are not called
TEST(forces_are_not_called)
{
    scene s = scene_open();
    scene_ground(&s, 0);
    int asked = 0;
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 0.1;
    def.velocity[2] = -1;
    def.force = no_force;
    def.user = &asked;
    const pcs_system ball = scene_add(&s, &def);
    scene_shape(&s, ball, pcs_shape_sphere(0.1), 0);
    scene_start(&s);
    converges(&s);
    CK_OK(pcs_project(s.m, s.st, s.wk, NULL));
    CK_NEAR(s.st->v[2], 0, 1e-14);
    ck_assert_int_eq(asked, 0);
    scene_close(&s);
}

// a solve that does not converge does not change the velocities, and the sentence says so
TEST(a_failed_solve_changes_nothing)
{
    scene s;
    row_of_balls(&s, 8, 0, (double[8]){8, 7, 5, 3, 0, -1, -4, -6});
    pcs_scheme scheme = s.scheme;
    scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    scheme.solver.tol = 1e-14;
    scheme.solver.max_iters = 2;
    CK_OK(pcs_model_set_scheme(s.m, &scheme));
    const unsigned long long before = pcs_state_hash(s.st);
    pcs_report report;
    CK_OK(pcs_impact(s.m, s.st, s.wk, 1e-9, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_MAX_ITERS);
    ck_assert(pcs_state_hash(s.st) == before);

    scheme.solver = pcs_solver_opts_default(PCS_SOLVER_DIRECT);
    CK_OK(pcs_model_set_scheme(s.m, &scheme));
    CK_FAILS(pcs_impact(s.m, s.st, s.wk, 1e-9, &report), PCS_ERR_UNSUPPORTED);
    ck_assert(pcs_state_hash(s.st) == before);
    scene_close(&s);
}
