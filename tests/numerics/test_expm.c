// The matrix exponential against closed forms, its functional equations, and collocation of high
// order.
#include "support.h"

#include <percuss/lti.h>
#include <percuss/tableau.h>

#include "linalg/lu.h"

#define MOST 40

static pcs_arena arena;

static void reset(void)
{
    pcs_arena_destroy(NULL, &arena);
    CK_OK(pcs_arena_create(NULL, pcs_expm_bytes(MOST), &arena));
}

static void exponential(int n, const double *A, double t, double *E)
{
    reset();
    CK_OK(pcs_expm(n, A, t, arena, E));
}

static double norm_of(int n, const double *A)
{
    double most = 0;
    for (int k = 0; k < n * n; ++k) {
        if (!(fabs(A[k]) <= most)) most = fabs(A[k]);
    }
    return most;
}

static void expect(int n, const double *A, const double *B, double tol)
{
    for (int k = 0; k < n * n; ++k) {
        CK_NEAR(A[k], B[k], tol);
    }
}

TEST(numbers_and_diagonals)
{
    double E[16];
    for (double a = -700; a <= 700; a += 35) {
        exponential(1, &a, 1, E);
        CK_NEAR(E[0], exp(a), 2e-16 * exp(a));
    }
    const double D[16] = {-3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-9, 0, 0, 0, 0, 2};
    exponential(4, D, 1.5, E);
    expect(4, E,
           (const double[]){exp(-4.5), 0, 0, 0, 0, 1, 0, 0, 0, 0, exp(1.5e-9), 0, 0, 0, 0, exp(3)},
           4e-15);
    const double zero[9] = {0};
    exponential(3, zero, 5, E);
    expect(3, E, (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 0);
}

TEST(rotations)
{
    const double A[4] = {0, 1, -1, 0};
    double E[9];
    for (double t = 1e-9; t < 2000; t *= 3) {
        for (int sign = -1; sign < 2; sign += 2) {
            const double c = cos(t), s = sign * sin(t);
            exponential(2, A, sign * t, E);
            expect(2, E, (const double[]){c, s, -s, c}, 4e-16 * (2 + t));
        }
    }
    // Rodrigues
    test_random rng = random_seed(7);
    for (int trial = 0; trial < 100; ++trial) {
        const double w[3] = {random_normal(&rng), random_normal(&rng), random_normal(&rng)};
        const double K[9] = {0, w[2], -w[1], -w[2], 0, w[0], w[1], -w[0], 0};
        const double a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        double KK[9], R[9];
        multiply(3, K, K, KK);
        for (int k = 0; k < 9; ++k) {
            R[k] = (k % 4 == 0) + sin(a) / a * K[k] + (1 - cos(a)) / (a * a) * KK[k];
        }
        exponential(3, K, 1, E);
        expect(3, E, R, 4e-15);
    }
}

// exp of a Jordan block: exp(lambda t) t^k / k! on the k-th diagonal above; lambda = 0: nilpotent
TEST(jordan_blocks)
{
    const double lambda[4] = {0, -1, 0.5, -20};
    for (int which = 0; which < 4; ++which) {
        double J[36] = {0}, E[36];
        for (int i = 0; i < 6; ++i) {
            J[7 * i] = lambda[which];
            if (i > 0) J[i - 1 + 6 * i] = 1;
        }
        for (double t = 0.01; t < 3; t *= 2) {
            exponential(6, J, t, E);
            for (int j = 0; j < 6; ++j) {
                for (int i = 0; i < 6; ++i) {
                    const double expected =
                        i > j ? 0 : exp(lambda[which] * t) * pow(t, j - i) / tgamma(j - i + 1);
                    CK_NEAR(E[i + 6 * j], expected, 1e-14 * (1 + fabs(expected)));
                }
            }
        }
    }
}

// fast and slow together: 1 - exp(-1e-8) keeps its digits beside exp(-1e6)
TEST(stiff_systems_keep_their_slow_digits)
{
    for (double fast = 1; fast < 1e7; fast *= 10) {
        for (double slow = 1e-8; slow < 1; slow *= 10) {
            const double a = -fast, d = -slow, A[4] = {a, 0, 3, d};
            double E[4];
            exponential(2, A, 1, E);
            CK_NEAR(E[0], exp(a), 1e-15);
            CK_NEAR(E[1], 0, 0);
            CK_NEAR(E[3], exp(d), 1e-15);
            CK_NEAR(E[2], a == d ? 3 * exp(a) : 3 * (exp(a) - exp(d)) / (a - d), 3e-15);
        }
    }
    // a spring of 1e12 / s^2: the units alone make the matrix large
    const double w = 1e6, A[4] = {0, -w * w, 1, 0};
    double E[4];
    for (double t = 1e-9; t < 1e-4; t *= 2) {
        exponential(2, A, t, E);
        const double c = cos(w * t), s = sin(w * t), tol = 1e-15 * (2 + w * t);
        CK_NEAR(E[0], c, tol);
        CK_NEAR(E[3], c, tol);
        CK_NEAR(E[2], s / w, tol / w);
        CK_NEAR(E[1], -s * w, tol * w);
    }
}

static void random_matrix(test_random *rng, int n, double size, double *A)
{
    for (int k = 0; k < n * n; ++k) {
        A[k] = size / n * random_between(rng, -1, 1);
    }
}

// exp(A) exp(-A) = 1, exp(A') = exp(A)', exp(2 A) = exp(A)^2; every degree, small and BLAS
TEST(laws_of_the_exponential)
{
    test_random rng = random_seed(8);
    static double A[MOST * MOST], E[MOST * MOST], F[MOST * MOST], G[MOST * MOST];
    for (int trial = 0; trial < TEST_DRAWS(200); ++trial) {
        const int n = 2 + (trial % 20 == 0 ? 38 : trial % 9);
        random_matrix(&rng, n, pow(10, random_between(&rng, -3, 1)), A);
        exponential(n, A, 1, E);
        exponential(n, A, -1, F);
        multiply(n, E, F, G);
        const double size = norm_of(n, E) * norm_of(n, F) * n;
        for (int k = 0; k < n * n; ++k) {
            CK_NEAR(G[k], k % (n + 1) == 0, 1e-14 * size);
        }
        exponential(n, A, 2, F);
        multiply(n, E, E, G);
        expect(n, F, G, 1e-14 * n * norm_of(n, E) * norm_of(n, E));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                F[i + n * j] = A[j + n * i];
            }
        }
        exponential(n, F, 1, G);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                CK_NEAR(G[i + n * j], E[j + n * i], 2e-14 * norm_of(n, E));
            }
        }
    }
}

// one Gauss step of x' = A x, x = e_j: (1 - h a (x) A) K = A x, solved directly
static void gauss_step(const pcs_tableau *t, int n, const double *A, double h, double *x)
{
    const int s = t->s, N = s * n;
    static double M[30 * 30], K[30];
    int piv[30];
    ck_assert(N <= 30);
    for (int i = 0; i < s; ++i) {
        for (int a = 0; a < n; ++a) {
            K[n * i + a] = 0;
            for (int b = 0; b < n; ++b) {
                K[n * i + a] += A[a + n * b] * x[b];
                for (int j = 0; j < s; ++j) {
                    M[n * i + a + N * (n * j + b)] =
                        (i == j && a == b) - h * t->A[s * i + j] * A[a + n * b];
                }
            }
        }
    }
    ck_assert(lu_factor(N, M, piv));
    lu_solve(N, M, piv, K);
    for (int i = 0; i < s; ++i) {
        for (int a = 0; a < n; ++a) {
            x[a] += h * t->b[i] * K[n * i + a];
        }
    }
}

TEST(collocation_agrees)
{
    test_random rng = random_seed(9);
    pcs_tableau *gauss;
    CK_OK(pcs_tableau_create_gauss(NULL, 10, &gauss));
    for (int trial = 0; trial < TEST_DRAWS(50); ++trial) {
        double A[9], E[9];
        random_matrix(&rng, 3, 8, A);
        exponential(3, A, 1, E);
        for (int j = 0; j < 3; ++j) {
            double x[3] = {j == 0, j == 1, j == 2};
            for (int k = 0; k < 4; ++k) {
                gauss_step(gauss, 3, A, 0.25, x);
            }
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(E[i + 3 * j], x[i], 2e-13 * norm_of(3, E));
            }
        }
    }
    pcs_tableau_destroy(gauss);
}

TEST(bad_matrices_are_refused)
{
    reset();
    double A[4] = {0, 1, 1, 0}, E[4];
    CK_FAILS(pcs_expm(0, A, 1, arena, E), PCS_ERR_SIZE);
    CK_FAILS(pcs_expm(-1, A, 1, arena, E), PCS_ERR_SIZE);
    CK_FAILS(pcs_expm(1 << 15, A, 1, arena, E), PCS_ERR_SIZE);
    CK_FAILS(pcs_expm(2, NULL, 1, arena, E), PCS_ERR_ARG);
    CK_FAILS(pcs_expm(2, A, 1, arena, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_expm(2, A, NAN, arena, E), PCS_ERR_ARG);
    CK_FAILS(pcs_expm(2, A, 1, (pcs_arena){0}, E), PCS_ERR_MEMORY);
    CK_FAILS(pcs_expm(2, A, 1000, arena, E), PCS_ERR_ARG);
    CK_FAILS(pcs_expm(2, A, 1e308, arena, E), PCS_ERR_ARG);
    const double much = 1e300;
    CK_FAILS(pcs_expm(1, &much, 1, arena, E), PCS_ERR_ARG);
    CK_FAILS(pcs_expm(1, &much, 1e300, arena, E), PCS_ERR_ARG);
    A[2] = NAN;
    CK_FAILS(pcs_expm(2, A, 1, arena, E), PCS_ERR_ARG);
    A[2] = INFINITY;
    CK_FAILS(pcs_expm(2, A, 1, arena, E), PCS_ERR_ARG);

    // the stated size is enough
    for (int n = 1; n <= MOST; ++n) {
        static double B[MOST * MOST], F[MOST * MOST];
        pcs_arena tight;
        CK_OK(pcs_arena_create(NULL, pcs_expm_bytes(n), &tight));
        CK_OK(pcs_expm(n, B, 1, tight, F));
        pcs_arena_destroy(NULL, &tight);
    }
    pcs_arena_destroy(NULL, &arena);
}
