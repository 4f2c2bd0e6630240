// The reduction of a mixed problem to unilateral rows, exchanges of variables, and certificates
// that are refused when they are wrong.
#include "support.h"

#include <percuss/numerics.h>

#include "solver/pivot.h"

enum { MOST = 12 };

// a dense problem with everything it points to
typedef struct dense {
    pcs_problem p;
    pcs_block block[MOST];
    double W[MOST * MOST], q[MOST];
    pcs_arena arena;
} dense;

static void make(dense *d, int n, const pcs_cone *kind)
{
    for (int i = 0; i < n; ++i) {
        d->block[i] = (pcs_block){kind[i], i, 1, 0};
    }
    d->p = (pcs_problem){.n = n, .nb = n, .block = d->block, .q = d->q};
    CK_OK(pcs_arena_create(NULL, 1 << 18, &d->arena));
    CK_OK(pcs_bsr_from_dense(n, n, d->W, &d->arena, &d->p.W));
    CK_OK(pcs_problem_check(&d->p));
}

// r = expand(y, x) gives u_E = 0 on the eliminated rows and the reduced u, for any (y, x)
TEST(the_reduced_problem_is_the_problem)
{
    test_random rng = random_seed(31);
    for (int trial = 0; trial < 300; ++trial) {
        const int n = 1 + trial % MOST, rank = (int)(random_unit(&rng) * (n + 1));
        dense d;
        pcs_cone kind[MOST];
        double H[MOST * MOST];
        for (int i = 0; i < n; ++i) {
            kind[i] = random_unit(&rng) < 0.5 ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
            d.q[i] = random_normal(&rng);
            for (int k = 0; k < n; ++k) {
                H[i + n * k] = k < rank ? pow(10, 4 * (i % 3) - 4) * random_normal(&rng) : 0;
            }
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                d.W[i + n * j] = 0;
                for (int k = 0; k < n; ++k) {
                    d.W[i + n * j] += H[i + n * k] * H[j + n * k];
                }
            }
        }
        make(&d, n, kind);
        pivot_problem r;
        CK_OK(pivot_problem_build(&d.p, NULL, &d.arena, &r));
        ck_assert_int_eq(r.ne + r.ni, n);
        ck_assert_int_le(r.rank, rank);

        double yx[MOST], x[MOST], u[MOST];
        for (int j = 0; j < r.nr; ++j) {
            yx[j] = random_normal(&rng);
        }
        pivot_expand(&r, yx, x);
        pcs_bsr_mul(&d.p.W, x, u);
        for (int place = 0; place < n; ++place) {
            const int i = r.row[place];
            double want = 0, size = fabs(d.q[i]);
            for (int j = 0; j < n; ++j) {
                size += fabs(d.W[i + n * j] * x[j]);
            }
            if (place >= r.rank && !(r.G && place < r.ne)) {
                want = pivot_reduced(&r, place - r.rank, r.nr);
                for (int j = 0; j < r.nr; ++j) {
                    want += pivot_reduced(&r, place - r.rank, j) * yx[j];
                }
                want *= r.s / r.rs[i];
            } else if (place >= r.rank) {
                continue;
            }
            CK_NEAR(u[i] + d.q[i], want, 1e-10 * size);
        }
        pcs_arena_destroy(NULL, &d.arena);
    }
}

TEST(an_exchange_solves_for_the_other_variable)
{
    test_random rng = random_seed(32);
    double room[2][MOST * MOST], before[MOST], x[MOST];
    int codes[2][MOST];
    for (int trial = 0; trial < 200; ++trial) {
        const int m = 1 + trial % 5, n = 1 + trial % 4, i = trial % m, j = trial % n;
        dict d = {.m = m, .n = n, .ld = m, .t = room[0], .basic = codes[0], .nonbasic = codes[1]};
        for (int k = 0; k < m * (n + 1); ++k) {
            d.t[k] = random_normal(&rng);
        }
        for (int k = 0; k < MOST; ++k) {
            codes[0][k] = k;
            codes[1][k] = m + k;
            x[k] = random_normal(&rng);
        }
        // basic values at x, then the same values from the exchanged dictionary
        for (int k = 0; k < m; ++k) {
            before[k] = dict_column(&d, n)[k];
            for (int l = 0; l < n; ++l) {
                before[k] += dict_column(&d, l)[k] * x[l];
            }
        }
        dict_exchange(&d, i, j);
        ck_assert_int_eq(d.basic[i], m + j);
        ck_assert_int_eq(d.nonbasic[j], i);
        const double entered = x[j];
        x[j] = before[i];
        before[i] = entered;
        for (int k = 0; k < m; ++k) {
            double v = dict_column(&d, n)[k], size = fabs(v);
            for (int l = 0; l < n; ++l) {
                v += dict_column(&d, l)[k] * x[l];
                size += fabs(dict_column(&d, l)[k] * x[l]);
            }
            CK_NEAR(v, before[k], 1e-13 * (1 + size));
        }
    }
}

// unsymmetric but positive semidefinite, and written with recombined equalities: G finds the form
// in which the reduced matrix is | 0 A; -A^T S |
TEST(left_over_equalities_are_matched)
{
    test_random rng = random_seed(33);
    enum { ne = 3, ni = 5, n = ne + ni };
    for (int trial = 0; trial < 50; ++trial) {
        dense d;
        pcs_cone kind[n];
        double A[ne * ni], mix[ne * ne];
        for (int k = 0; k < ne * ni; ++k) {
            A[k] = random_normal(&rng);
        }
        for (int k = 0; k < ne * ne; ++k) {
            mix[k] = random_normal(&rng);
        }
        memset(d.W, 0, sizeof d.W);
        for (int i = 0; i < n; ++i) {
            kind[i] = i < ne ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
            d.q[i] = random_normal(&rng);
        }
        for (int l = 0; l < ne; ++l) {
            for (int k = 0; k < ni; ++k) {
                d.W[(ne + k) + n * l] = -A[l + ne * k];
                for (int m = 0; m < ne; ++m) {
                    d.W[l + n * (ne + k)] += mix[l + ne * m] * A[m + ne * k];
                }
            }
        }
        make(&d, n, kind);
        pivot_problem r;
        CK_OK(pivot_problem_build(&d.p, NULL, &d.arena, &r));
        ck_assert_int_eq(r.rank, 0);
        ck_assert(r.G != NULL);

        // column l of B and row l of A are opposite, up to the units of the row
        for (int l = 0; l < ne; ++l) {
            double unit = 0;
            for (int k = 0; k < ni; ++k) {
                const int i = r.row[ne + k];
                const double a = pivot_reduced(&r, l, ne + k),
                             b = pivot_reduced(&r, ne + k, l) * r.cs[i] / r.rs[i];
                if (k == 0) unit = -b / a;
                ck_assert_double_gt(unit, 0);
                CK_NEAR(unit * a, -b, 1e-9 * (1 + fabs(b)));
            }
        }
        pcs_arena_destroy(NULL, &d.arena);
    }
}

TEST(only_true_certificates_pass)
{
    const pcs_cone kind[3] = {PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_EQUALITY};
    dense d = {.q = {-1, -1, 0}};

    // u1 + u2 = -2 for any r
    memcpy(d.W, (double[]){1, -1, 0, -1, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    make(&d, 3, kind);
    pivot_problem r;
    CK_OK(pivot_problem_build(&d.p, NULL, &d.arena, &r));
    ck_assert(pivot_refutes(&r, (double[]){1, 1}, d.arena));
    ck_assert(!pivot_refutes(&r, (double[]){1, 0.999}, d.arena));
    ck_assert(!pivot_refutes(&r, (double[]){-1, -1}, d.arena));
    ck_assert(!pivot_refutes(&r, (double[]){0, 0}, d.arena));
    ck_assert(!pivot_refutes(&r, (double[]){NAN, 1}, d.arena));
    pcs_arena_destroy(NULL, &d.arena);

    // a stiff row is not an infeasible one: r2 = 1e13 solves it
    memcpy(d.W, (double[]){1, 0, 0, 0, 1e-13, 0, 0, 0, 1}, 9 * sizeof(double));
    make(&d, 3, kind);
    CK_OK(pivot_problem_build(&d.p, NULL, &d.arena, &r));
    ck_assert(!pivot_refutes(&r, (double[]){0, 1}, d.arena));
    pcs_arena_destroy(NULL, &d.arena);

    // q^T y = 0 proves nothing
    d.q[0] = 1;
    memcpy(d.W, (double[]){1, -1, 0, -1, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    make(&d, 3, kind);
    CK_OK(pivot_problem_build(&d.p, NULL, &d.arena, &r));
    ck_assert(!pivot_refutes(&r, (double[]){1, 1}, d.arena));
    pcs_arena_destroy(NULL, &d.arena);
}
