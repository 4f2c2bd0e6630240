// The Jordan algebra of ipm, each function against a second method.
#include "cone/jordan.h"
#include "support.h"

#define D2 1.41421356237309504880

// a point with this gap, |x_T| of about 1
static void draw(test_random *rng, int d, double gap, double *x)
{
    for (int c = 1; c < d; ++c) {
        x[c] = random_normal(rng);
    }
    x[0] = soc_tangent(d, x) + gap;
}

static void leave(int d, const double *t, const double *y, double *x)
{
    double Q[9];
    soc_frame(d, t, Q);
    for (int c = 0; c < d; ++c) {
        x[c] = 0;
        for (int k = 0; k < d; ++k) {
            x[c] += Q[c + d * k] * y[k];
        }
    }
}

// F^2 x = z, in the frame, however close x and z are to the boundary
TEST(the_scaling_takes_x_to_z)
{
    test_random rng = random_seed(1);
    for (int trial = 0; trial < 3000; ++trial) {
        const int d = 1 + trial % 3;
        const double gx = pow(10, random_between(&rng, -14, 1));
        const double gz = pow(10, random_between(&rng, -14, 1));
        double x[3], z[3], t[2], e[3], X[3], Z[3];
        draw(&rng, d, gx, x);
        draw(&rng, d, gz, z);
        // tangents are opposite near a solution
        for (int c = 1; c < d && trial % 2; ++c) {
            z[c] = -z[0] * x[c];
        }
        z[0] = soc_tangent(d, z) + gz;
        soc_scaling(d, x, gx, z, gz, t, e);
        CK_NEAR(t[0] * t[0] + t[1] * t[1], 1, 1e-15);
        soc_enter(d, t, x, gx, X);
        soc_enter(d, t, z, gz, Z);
        double size = 0;
        for (int c = 0; c < d; ++c) {
            size = fmax(size, fabs(Z[c]) + fabs(e[c] * X[c]));
        }
        for (int c = 0; c < d; ++c) {
            CK_NEAR(e[c] * X[c], Z[c], 1e-9 * size);
        }
        // the determinant of the scaling is that of z over that of x
        if (d > 1) CK_NEAR(e[0] * e[1] / (e[2] * e[2]), 1, 1e-13);
    }
}

// into the frame and back; products, quotients and inverses as defined in N and T
TEST(the_algebra_in_the_frame_is_that_of_n_and_t)
{
    test_random rng = random_seed(2);
    for (int trial = 0; trial < 2000; ++trial) {
        const int d = 2 + trial % 2;
        const double angle = random_between(&rng, -4, 4);
        const double t[2] = {d == 3 ? cos(angle) : angle < 0 ? -1 : 1, d == 3 ? sin(angle) : 0};
        const double gx = random_between(&rng, 0.1, 2), gy = random_between(&rng, 0.1, 2);
        double x[3], y[3], X[3], Y[3], P[3], back[3];
        draw(&rng, d, gx, x);
        draw(&rng, d, gy, y);
        soc_enter(d, t, x, gx, X);
        soc_enter(d, t, y, gy, Y);
        leave(d, t, X, back);
        double dot = 0;
        for (int c = 0; c < d; ++c) {
            CK_NEAR(back[c], x[c], 1e-14 * (1 + x[0]));
            dot += x[c] * y[c];
        }
        CK_NEAR(soc_dot(d, x, gx, y, gy), dot, 1e-14 * (1 + x[0] * y[0]));
        soc_product(X, Y, P);
        leave(d, t, P, back);
        CK_NEAR(back[0], dot, 1e-13 * (1 + x[0] * y[0]));
        for (int c = 1; c < d; ++c) {
            CK_NEAR(back[c], x[0] * y[c] + y[0] * x[c], 1e-13 * (1 + x[0] * y[0]));
        }
        double q[3] = {0};
        soc_divide(X, P, q);
        expect_same(q, Y, d, 1e-11 * (1 + y[0]) * x[0] / gx);
        double inverse[3];
        soc_invert(d, X, soc_det(d, x, gx), inverse);
        soc_product(X, inverse, P);
        CK_NEAR(P[0], 1 / D2, 1e-12 * x[0] / gx);
        CK_NEAR(P[1], 1 / D2, 1e-12 * x[0] / gx);
    }
}

// the longest step ends on the boundary; a step moves x and its gap together
TEST(steps_and_gaps_agree)
{
    test_random rng = random_seed(3);
    for (int trial = 0; trial < 2000; ++trial) {
        const int d = 1 + trial % 3;
        const double angle = random_between(&rng, -4, 4);
        const double t[2] = {d == 3 ? cos(angle) : 1, d == 3 ? sin(angle) : 0};
        const double gap = random_between(&rng, 0.01, 1);
        double x[3], y[3], v[3];
        draw(&rng, d, gap, x);
        for (int c = 0; c < d; ++c) {
            y[c] = random_normal(&rng);
        }
        if (d == 1) v[0] = y[0];
        if (d > 1) leave(d, t, y, v);
        const double most = soc_max_step(d, gap, soc_angle_of(d, t, x), y, 1e3);
        double end[3];
        for (int k = 0; k < 2; ++k) {
            // inside before, outside after
            const double h = most * (k == 0 ? 1 - 1e-9 : 1 + 1e-9);
            for (int c = 0; c < d; ++c) {
                end[c] = x[c] + h * v[c];
            }
            const double inside = end[0] - soc_tangent(d, end);
            ck_assert(k == 0 ? inside >= -1e-9 : inside <= 1e-6 * most || most == 1e3);
        }
        double moved[3], next = gap;
        memcpy(moved, x, sizeof moved);
        soc_move(d, t, moved, &next, 0.9 * most, y, false);
        for (int c = 0; c < d; ++c) {
            CK_NEAR(moved[c], x[c] + 0.9 * most * v[c], 1e-11 * (1 + most));
        }
        CK_NEAR(next, moved[0] - soc_tangent(d, moved), 1e-11 * (1 + most));
    }
}
