// One contact with friction: the exact solution against brute force, singular W, limits of
// friction, numbers of any size.
#include "support.h"

#include "cone/cone.h"
#include "local/coulomb.h"

static const double frictions[8] = {1e-9, 1e-3, 0.1, 0.5, 1, 3, 1e2, 1e6};

// kind 0: symmetric definite; 1: unsymmetric, its symmetric part definite; 2: as 1, tangents and
// normal of very different size
static void random_contact(test_random *rng, int n, int kind, double mu, contact *c)
{
    double G[12], W[9] = {0};
    for (int i = 0; i < 12; ++i) {
        G[i] = random_normal(rng);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < 4; ++k) {
                W[i + n * j] += G[i + 3 * k] * G[j + 3 * k];
            }
        }
    }
    for (int j = 1; kind >= 1 && j < n; ++j) {
        for (int i = 0; i < j; ++i) {
            const double skew = random_normal(rng);
            W[i + n * j] += skew;
            W[j + n * i] -= skew;
        }
    }
    const double big = pow(10, random_between(rng, -2, 2));
    for (int i = 0; kind == 2 && i < n; ++i) {
        W[i] *= big;
        W[n * i] *= big;
    }
    contact_prepare(c, n, mu, W, n, 1);
}

static void random_q(test_random *rng, int n, double *q)
{
    for (int i = 0; i < n; ++i) {
        q[i] = random_normal(rng);
    }
    q[0] = -fabs(q[0]);
}

static void expect_law(const contact *c, const double *q, const double *r, contact_mode mode)
{
    // rounding: of the terms of u, and of u_T times mu in the shift
    double terms = 0, size = 0;
    for (int i = 0; i < c->dim; ++i) {
        double u = 0;
        for (int j = 0; j < c->dim; ++j) {
            u += c->W[i + c->dim * j] * r[j];
            terms += fabs(c->W[i + c->dim * j] * r[j]);
        }
        size = fmax(size, fmax(fabs(q[i]), fabs(u)));
    }
    const double residual = contact_residual(c, q, r);
    const double rounding = 1e-14 * (1 + c->mu) * (terms + size) / size;
    ck_assert_msg(residual <= rounding, "mode %d, mu = %g: residual %g > %g", (int)mode, c->mu,
                  residual, rounding);
    const double t = cone_tangent(c->dim, r);
    if (mode == CONTACT_OPEN) CK_NEAR(r[0] + t, 0, 0);
    if (mode == CONTACT_STICK) ck_assert(r[0] >= 0 && t <= c->mu * r[0]);
    if (mode == CONTACT_SLIDE) {
        ck_assert(r[0] > 0);
        CK_NEAR(t, c->mu * r[0], 1e-14 * t);
    }
}

TEST(definite_contacts_are_solved)
{
    test_random rng = random_seed(1);
    int count[4] = {0};
    for (int trial = 0; trial < 60000; ++trial) {
        contact c;
        double q[3], r[3] = {0}, warm[3];
        const int n = trial % 4 == 3 ? 2 : 3;
        random_contact(&rng, n, trial % 3, frictions[trial / 3 % 8], &c);
        random_q(&rng, n, q);
        const contact_mode mode = contact_solve(&c, q, r);
        ck_assert_msg(mode != CONTACT_NONE, "trial %d, mu = %g: nothing found", trial, c.mu);
        expect_law(&c, q, r, mode);
        count[mode] += 1;

        // a contact from a random start
        random_q(&rng, 3, warm);
        expect_law(&c, q, warm, contact_solve(&c, q, warm));
        q[0] = -q[0];
        ck_assert_int_eq(contact_solve(&c, q, r), CONTACT_OPEN);
        q[0] = 0;
        expect_law(&c, q, r, contact_solve(&c, q, r));
    }
    ck_assert(count[CONTACT_STICK] > 5000 && count[CONTACT_SLIDE] > 5000);
}

// steps of one degree over the whole circle: F changes sign between neighbours, u_T opposes d
static bool brute_slide(const contact *c, const double *q)
{
    bool found = false;
    double last = 0, last_dot = 0;
    for (int k = 0; k <= 1440 && !found; ++k) {
        const double a = k * 6.283185307179586 / 1440, d[2] = {cos(a), sin(a)};
        const double D = c->W[0] + c->mu * (c->W[3] * d[0] + c->W[6] * d[1]);
        double r[3] = {-q[0] / D, 0, 0}, u[3], cross, dot;
        r[1] = c->mu * r[0] * d[0];
        r[2] = c->mu * r[0] * d[1];
        for (int i = 0; i < 3; ++i) {
            u[i] = q[i] + c->W[i] * r[0] + c->W[i + 3] * r[1] + c->W[i + 6] * r[2];
        }
        cross = D > 0 ? u[1] * d[1] - u[2] * d[0] : NAN;
        dot = u[1] * d[0] + u[2] * d[1];
        if (k > 0 && last * cross <= 0 && dot < 0 && last_dot < 0) found = true;
        last = cross;
        last_dot = dot;
    }
    return found;
}

TEST(agrees_with_brute_force)
{
    test_random rng = random_seed(2);
    int agree = 0, differ = 0;
    for (int trial = 0; trial < 6000; ++trial) {
        contact c;
        double q[3], r[3] = {0};
        // definite blocks, and any
        random_contact(&rng, 3, trial % 3, frictions[1 + trial / 3 % 5], &c);
        if (trial % 2) {
            double W[9];
            for (int i = 0; i < 9; ++i) {
                W[i] = random_normal(&rng);
            }
            contact_prepare(&c, 3, c.mu, W, 3, 1);
        }
        random_q(&rng, 3, q);
        const contact_mode mode = contact_solve(&c, q, r);
        if (mode == CONTACT_STICK) continue;
        if ((mode == CONTACT_SLIDE) == brute_slide(&c, q)) {
            agree += 1;
        } else {
            differ += 1;
        }
        // the answer is correct in any case
        if (mode == CONTACT_SLIDE) ck_assert(contact_residual(&c, q, r) <= 1e-10);
        if (mode == CONTACT_NONE) ck_assert(contact_residual(&c, q, r) > 1e-12);
    }
    // brute force misses pairs of roots within a quarter of a degree, and ends of its intervals
    ck_assert_msg(differ <= 3 + agree / 500, "%d of %d differ", differ, agree + differ);
}

// W of rank 0, 1, 2 and indefinite, with a q that has a solution: the solver finds one, or reports
// that it found none
TEST(singular_contacts)
{
    test_random rng = random_seed(3);
    int lost = 0, all = 0;
    for (int trial = 0; trial < 30000; ++trial) {
        const int n = 2 + trial % 2, rank = trial / 2 % 3;
        const double mu = frictions[2 + trial % 4];
        double W[9] = {0}, q[3], r[3], u[3] = {0};
        for (int k = 0; k < rank; ++k) {
            double g[3], h[3];
            for (int i = 0; i < 3; ++i) {
                g[i] = random_normal(&rng);
                h[i] = trial % 5 == 0 ? random_normal(&rng) : g[i];
            }
            for (int i = 0; i < n * n; ++i) {
                W[i] += g[i % n] * h[i / n];
            }
        }
        contact c;
        contact_prepare(&c, n, mu, W, n, 1);
        random_q(&rng, 3, r);
        r[0] = fabs(r[0]);
        cone_project_coulomb(n, mu, r);
        const double t = cone_tangent(n, r);
        const bool slides = t > mu * r[0] * (1 - 1e-12);
        for (int i = 1; i < n && slides; ++i) {
            u[i] = -random_unit(&rng) * r[i];
        }
        if (n == 3 && slides) u[2] = r[2] * (u[1] / r[1]);
        for (int i = 0; i < n; ++i) {
            q[i] = u[i];
            for (int j = 0; j < n; ++j) {
                q[i] -= W[i + n * j] * r[j];
            }
        }
        double x[3] = {0};
        const contact_mode mode = contact_solve(&c, q, x);
        ck_assert(isfinite(x[0] + x[1] + (n == 3 ? x[2] : 0)));
        if (mode != CONTACT_NONE) ck_assert(contact_residual(&c, q, x) <= 1e-10);
        all += q[0] < -1e-3;
        lost += mode == CONTACT_NONE && q[0] < -1e-3;
    }
    // the solver does not look for sticking solutions in an affine set whose shortest point lies
    // outside the cone
    ck_assert_msg(lost <= all / 10, "%d of %d lost", lost, all);

    // a missing block, a zero block, a block that pulls: no solution, but finite numbers
    const double Z[9] = {0}, N[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, q[3] = {-1, 0.5, 0};
    for (int k = 0; k < 3; ++k) {
        for (int n = 2; n <= 3; ++n) {
            for (int m = 0; m < 2; ++m) {
                contact c;
                double r[3] = {0};
                contact_prepare(&c, n, 0.5 * m, k == 0 ? NULL : k == 1 ? Z : N, 3, 2);
                ck_assert(c.s == 2);
                ck_assert_int_eq(contact_solve(&c, q, r), CONTACT_NONE);
                ck_assert(isfinite(r[0] + r[1] + r[2]));
            }
        }
    }
}

// a contact in the plane is one in space whose second tangent is decoupled
TEST(plane_in_space)
{
    test_random rng = random_seed(4);
    for (int trial = 0; trial < 5000; ++trial) {
        contact plane, space;
        double q[3], a[3] = {0}, b[3] = {0};
        random_contact(&rng, 2, trial % 3, frictions[trial % 8], &plane);
        const double *P = plane.W;
        const double W[9] = {P[0], P[1], 0, P[2], P[3], 0, 0, 0, 2};
        contact_prepare(&space, 3, plane.mu, W, 3, 1);
        random_q(&rng, 3, q);
        q[2] = 0;
        const contact_mode m = contact_solve(&plane, q, a);
        ck_assert_int_eq(contact_solve(&space, q, b), m);
        const double size = fabs(a[0]) + fabs(a[1]);
        CK_NEAR(a[0], b[0], 1e-9 * size);
        CK_NEAR(a[1], b[1], 1e-9 * size);
        CK_NEAR(b[2], 0, 1e-9 * size);
    }
}

// rotated tangents rotate the solution
TEST(no_direction_is_preferred)
{
    test_random rng = random_seed(5);
    for (int trial = 0; trial < 5000; ++trial) {
        contact c, rotated;
        double q[3], r[3] = {0}, W[9] = {0}, p[3] = {0}, s[3] = {0};
        random_contact(&rng, 3, trial % 2, frictions[2 + trial % 4], &c);
        random_q(&rng, 3, q);
        const double a = random_between(&rng, 0, 6.3), x = cos(a), y = sin(a);
        const double R[9] = {1, 0, 0, 0, x, y, 0, -y, x};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                p[i] += R[i + 3 * j] * q[j];
                for (int k = 0; k < 9; ++k) {
                    W[i + 3 * j] += R[i + 3 * (k % 3)] * c.W[k] * R[j + 3 * (k / 3)];
                }
            }
        }
        contact_prepare(&rotated, 3, c.mu, W, 3, 1);
        const contact_mode m = contact_solve(&c, q, r);
        ck_assert_int_eq(contact_solve(&rotated, p, s), m);
        for (int i = 0; i < 3; ++i) {
            const double expected = R[i] * r[0] + R[i + 3] * r[1] + R[i + 6] * r[2];
            CK_NEAR(s[i], expected, 1e-8 * (1 + fabs(r[0])));
        }
    }
}

// little friction is like no friction, and with much of it the contact sticks
TEST(limits_of_friction)
{
    test_random rng = random_seed(6);
    for (int trial = 0; trial < 2000; ++trial) {
        contact c, none, tiny;
        double q[3], r[3] = {0}, s[3] = {0};
        random_contact(&rng, 3, trial % 2, 1, &c);
        random_q(&rng, 3, q);
        contact_prepare(&none, 3, 0, c.W, 3, 1);
        contact_prepare(&tiny, 3, trial % 3 ? 1e-10 : 1e-300, c.W, 3, 1);
        ck_assert_int_eq(contact_solve(&none, q, r), CONTACT_SLIDE);
        CK_NEAR(r[0], -q[0] / c.W[0], 1e-15 * r[0]);
        CK_NEAR(fabs(r[1]) + fabs(r[2]), 0, 0);
        expect_law(&none, q, r, CONTACT_SLIDE);
        ck_assert(contact_solve(&tiny, q, s) != CONTACT_NONE);
        CK_NEAR(s[0], r[0], 1e-7 * r[0]);
    }

    // a block on the floor: it sticks up to mu, and slides beyond, with the impulse against the
    // velocity
    const double W[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    for (int k = 0; k < 2; ++k) {
        contact c;
        contact_prepare(&c, 3, k == 0 ? 0.500001 : 0.499999, W, 3, 1);
        const double q[3] = {-1, 0.3, -0.4};
        double r[3] = {0};
        ck_assert_int_eq(contact_solve(&c, q, r), k == 0 ? CONTACT_STICK : CONTACT_SLIDE);
        CK_NEAR(r[0], 0.5, 1e-16);
        CK_NEAR(r[1], -0.15, 1e-6);
        CK_NEAR(r[2], 0.2, 1e-6);
    }
}

// Newton and the fixed point find the same solution when they converge
TEST(alternatives_agree)
{
    test_random rng = random_seed(7);
    int newton = 0, fixed = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        contact c;
        double q[3], r[3] = {0}, a[3] = {0}, b[3] = {0};
        const int n = 2 + trial % 2;
        random_contact(&rng, n, trial % 2, frictions[1 + trial % 4], &c);
        random_q(&rng, n, q);
        if (trial % 5 == 0) q[0] = -q[0];
        ck_assert(contact_solve(&c, q, r) != CONTACT_NONE);
        if (contact_newton(&c, q, 50, a)) {
            newton += 1;
            ck_assert(contact_residual(&c, q, a) <= 1e-10);
        }
        if (contact_fixed_point(&c, q, 20000, b)) {
            fixed += 1;
            ck_assert_msg(contact_residual(&c, q, b) <= 1e-10, "%g", contact_residual(&c, q, b));
        }
    }
    ck_assert_msg(newton > 2700 && fixed > 1500, "newton %d, fixed point %d", newton, fixed);
}

// Tangents in another unit, u_T' = f u_T: W' = F W F, mu' = mu / f, r_T' = r_T / f. With f a power
// of two every step of the fixed point is the same one, bit for bit.
TEST(fixed_point_does_not_depend_on_units)
{
    test_random rng = random_seed(17);
    int done = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        contact c, other;
        double q[3], r[3] = {0}, s[3] = {0}, W[9];
        const int n = 2 + trial % 2;
        const double f = ldexp(1, trial % 41 - 20);
        random_contact(&rng, n, trial % 2, frictions[2 + trial % 4], &c);
        random_q(&rng, n, q);
        double scaled[3] = {q[0], f * q[1], f * q[n - 1]};
        for (int i = 0; i < n * n; ++i) {
            W[i] = c.W[i] * (i % n ? f : 1) * (i / n ? f : 1);
        }
        contact_prepare(&other, n, c.mu / f, W, n, 1);
        const bool end = contact_fixed_point(&c, q, 2000, r);
        ck_assert_int_eq(contact_fixed_point(&other, scaled, 2000, s), end);
        for (int i = 0; i < n; ++i) {
            CK_NEAR(s[i] * (i ? f : 1), r[i], 0);
        }
        if (end) ck_assert(contact_residual(&c, q, r) <= 1e-10);
        done += end;
    }
    ck_assert_msg(done > 1800, "%d", done);
}

TEST(numbers_of_any_size)
{
    test_random rng = random_seed(8);
    const double sizes[6] = {1e-300, 1e-160, 1e-75, 1e75, 1e160, 1e290};
    for (int trial = 0; trial < 600; ++trial) {
        contact c;
        double q[3], r[3] = {0}, s[3] = {0};
        random_contact(&rng, 3, trial % 2, frictions[1 + trial % 5], &c);
        random_q(&rng, 3, q);
        const contact_mode m = contact_solve(&c, q, r);
        const double by = sizes[trial % 6];
        for (int i = 0; i < 3; ++i) {
            q[i] *= by;
        }
        ck_assert_int_eq(contact_solve(&c, q, s), m);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(s[i] / by, r[i], 1e-9 * (fabs(r[0]) + fabs(r[1]) + fabs(r[2])));
        }
        // a NaN is never a solution
        q[trial % 3] = NAN;
        const contact_mode none = contact_solve(&c, q, s);
        ck_assert(none == CONTACT_NONE || !(contact_residual(&c, q, s) <= 1));
    }
}

TEST(roots_are_found)
{
    test_random rng = random_seed(9);
    double root[7];
    for (int trial = 0; trial < 20000; ++trial) {
        // (t - a)(t - b)(t^2 + ...) with some roots double and some outside
        double at[4], p[5] = {1};
        for (int k = 0; k < 4; ++k) {
            at[k] = random_between(&rng, -1.5, 1.5);
        }
        if (trial % 4 == 0) at[1] = at[0];
        if (trial % 8 == 0) at[2] = 1;
        for (int k = 0; k < 4; ++k) {
            for (int j = k + 1; j >= 0; --j) {
                p[j] = (j > 0 ? p[j - 1] : 0) - (j <= k ? at[k] * p[j] : 0);
            }
        }
        const int count = contact_roots(4, p, root);
        for (int k = 0; k < 4; ++k) {
            if (fabs(at[k]) > 1) continue;
            double near = INFINITY;
            for (int j = 0; j < count; ++j) {
                near = fmin(near, fabs(root[j] - at[k]));
            }
            ck_assert_msg(near <= 2e-6, "a root at %g is missed by %g", at[k], near);
        }
        for (int j = 0; j < count; ++j) {
            const double t = root[j];
            ck_assert(fabs(t) <= 1 && (j == 0 || t > root[j - 1]));
            CK_NEAR(p[0] + t * (p[1] + t * (p[2] + t * (p[3] + t * p[4]))), 0, 1e-12);
        }
    }
    const double zero[5] = {0}, line[2] = {-0.5, 1}, none[3] = {1, 0, 1};
    ck_assert_int_eq(contact_roots(4, zero, root), 0);
    ck_assert_int_eq(contact_roots(1, line, root), 1);
    CK_NEAR(root[0], 0.5, 1e-15);
    ck_assert_int_eq(contact_roots(2, none, root), 0);
}

// Newton on the slide alone, from a direction with an error
TEST(a_slide_alone_is_the_solution)
{
    test_random rng = random_seed(77);
    int slides = 0, found = 0;
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        contact c;
        double q[3], r[3] = {0};
        random_contact(&rng, 3, k % 2, frictions[k % 5 + 1], &c);
        random_q(&rng, 3, q);
        if (contact_solve(&c, q, r) != CONTACT_SLIDE) continue;
        slides += 1;
        const double a = random_between(&rng, -0.3, 0.3), x = r[1], y = r[2];
        double s[3] = {0.5 * r[0], x * cos(a) - y * sin(a), x * sin(a) + y * cos(a)};
        const double before[3] = {s[0], s[1], s[2]};
        if (contact_slide(&c, q, s)) {
            found += 1;
            expect_law(&c, q, s, CONTACT_SLIDE);
        } else {
            ck_assert_int_eq(memcmp(s, before, sizeof s), 0);
        }
    }
    ck_assert_int_gt(10 * found, 9 * slides);
}
