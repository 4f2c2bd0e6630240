// The generated family has the properties that it claims: counts and ranges, H against the motion
// of rigid bodies, W symmetric and positive, the certificate of every member, the known solutions,
// and the same bytes every time.
#include "support.h"

#include <percuss/linalg.h>
#include <percuss/solver.h>

#include "family.h"

// the members that a test checks: all, or some under sanitizers
#ifdef TEST_SLOW
#define STRIDE 7
#else
#define STRIDE 1
#endif

// like ck_assert_msg, which is slow even when the condition holds
#define MUST(what, ...)                         \
    do {                                        \
        if (!(what)) ck_abort_msg(__VA_ARGS__); \
    } while (0)

TEST(family_covers_its_kinds_and_sizes)
{
    int large = 0, deficient = 0, slick = 0, rough = 0, heavy = 0, joined = 0, planted = 0,
        least = 99;
    int most = 0, loads[FAMILY_LOADS] = {0};
    const int count = family_count();
    ck_assert_int_ge(count, 200);
    for (int i = 0; i < count; ++i) {
        family_member m;
        family_create(i, &m);
        const int rows = m.g.H.row[m.g.H.m];
        MUST(m.contacts >= 1 && m.contacts <= 5000, "%s: %d contacts", m.name, m.contacts);
        MUST(m.mu[0] >= 0 && m.mu[1] <= 1, "%s: mu", m.name);
        MUST(m.mass[0] > 0 && m.mass[1] <= 1.0000001e4 * m.mass[0], "%s: masses", m.name);
        large += m.contacts > 500;
        // rank W <= 6 a body
        deficient += m.freedom < 0.7 * rows;
        slick += m.mu[0] == 0;
        rough += m.mu[1] == 1;
        heavy += m.mass[1] >= 9.999e3 * m.mass[0];
        joined += m.contacts < m.g.nb;
        planted += m.planted;
        loads[m.load] += 1;
        if (m.contacts < least) least = m.contacts;
        if (m.contacts > most) most = m.contacts;
        for (int j = 0; j < i; ++j) {
            if (family_size(i) != family_size(j) || strcmp(family_kind(i), family_kind(j)) != 0) {
                continue;
            }
            MUST(m.name[strlen(m.name) - 1] == 'b', "%s twice", m.name);
        }
        family_destroy(&m);
    }
    ck_assert_int_ge(large, 40);
    ck_assert_int_ge(4 * deficient, count);
    ck_assert_int_eq(least, 1);
    ck_assert_int_ge(most, 4500);
    ck_assert_int_ge(slick, 10);
    ck_assert_int_ge(rough, 5);
    ck_assert_int_ge(heavy, 10);
    ck_assert_int_ge(joined, 10);
    ck_assert_int_ge(planted, 20);
    for (int k = 0; k < FAMILY_LOADS; ++k) {
        ck_assert_int_ge(loads[k], 20);
    }
}

TEST(members_are_the_same_every_time)
{
    for (int i = 0; i < family_count(); ++i) {
        family_member m;
        uint64_t h[2];
        for (int k = 0; k < 2; ++k) {
            family_create(i, &m);
            h[k] = family_hash(&m);
            family_destroy(&m);
        }
        MUST(h[0] == h[1], "member %d differs from itself", i);
    }
}

// The large members come after the others, which keep their numbers, and have other draws
TEST(more_members_are_large)
{
    int large = 0, planted = 0;
    for (int i = family_count(); i < family_count_all(); ++i) {
        family_member m;
        family_create(i, &m);
        MUST(m.contacts > 500 && m.contacts <= 5000, "%s: %d contacts", m.name, m.contacts);
        MUST(m.name[strlen(m.name) - 1] == 'c', "%s: not its name", m.name);
        large += m.contacts > 600;
        planted += m.planted;
        family_destroy(&m);
    }
    ck_assert_int_ge(large, 100);
    ck_assert_int_ge(planted, 10);
}

// (H v)_N > mu |(H v)_T| at every contact, H v = 0 at every joint
TEST(every_member_has_a_solution)
{
    for (int i = 0; i < family_count_all(); ++i) {
        family_member m;
        family_create(i, &m);
        MUST((m.away != NULL) != (m.r != NULL), "%s promises nothing", m.name);
        const size_t rows = (size_t)m.g.H.row[m.g.H.m];
        double *u = calloc(rows, sizeof *u);
        ck_assert_ptr_nonnull(u);
        if (m.away) pcs_bsr_mul(&m.g.H, m.away, u);
        for (int b = 0; m.away && b < m.g.nb; ++b) {
            const pcs_block *k = &m.g.block[b];
            const double *ub = u + k->row;
            double slip = 0;
            for (int c = 1; c < k->dim; ++c) {
                slip += ub[c] * ub[c];
            }
            slip = sqrt(slip);
            if (k->cone == PCS_CONE_EQUALITY) {
                MUST(fabs(ub[0]) + slip <= 1e-12, "%s: joint %d parts", m.name, b);
                for (int c = 0; c < k->dim; ++c) {
                    MUST(m.g.w[k->row + c] == 0, "%s: w of joint %d", m.name, b);
                }
            } else {
                MUST(ub[0] - k->mu * slip >= 1e-3 * (ub[0] + slip),
                     "%s: contact %d opens by %g, slips by %g, mu %g", m.name, b, ub[0], slip,
                     k->mu);
            }
        }
        free(u);
        family_destroy(&m);
    }
}

TEST(planted_solutions_solve)
{
    for (int i = 0; i < family_count(); i += STRIDE) {
        family_member m;
        family_create(i, &m);
        if (m.r) {
            family_condense(&m);
            double *u = calloc((size_t)m.p.n, sizeof *u);
            ck_assert_ptr_nonnull(u);
            pcs_measure d;
            CK_OK(pcs_problem_check(&m.p));
            pcs_problem_measure(&m.p, m.r, u, &d);
            // rounding of W, f and w, each as large as the largest impulse in it
            MUST(d.residual <= 1e-13, "%s: residual %g", m.name, d.residual);
            MUST(pcs_measure_relative_natural_map(&d) <= 1e-13, "%s: natural map %g", m.name,
                 pcs_measure_relative_natural_map(&d));
            MUST(d.norm_r > 0 || m.contacts < 4, "%s: no impulse at all", m.name);
            free(u);
        }
        family_destroy(&m);
    }
}

// W = H M^-1 H': symmetric, x' W x = p' M^-1 p with p = H' x
TEST(condensed_members_are_symmetric_and_positive)
{
    test_random rng = random_seed(3);
    for (int i = 0; i < family_count(); i += STRIDE) {
        family_member m;
        family_create(i, &m);
        family_condense(&m);
        CK_OK(pcs_problem_check(&m.p));
        const pcs_bsr *W = &m.p.W;
        ck_assert_int_eq(W->m, m.g.nb);
        double most = 0;
        for (int a = 0; a < W->m; ++a) {
            for (int k = W->ptr[a]; k < W->ptr[a + 1]; ++k) {
                const int b = W->idx[k], na = W->row[a + 1] - W->row[a],
                          nb = W->row[b + 1] - W->row[b];
                const int t = pcs_bsr_find(W, b, a);
                MUST(t >= 0, "%s: block (%d, %d) alone", m.name, a, b);
                for (int c = 0; c < na * nb; ++c) {
                    const double x = W->val[W->off[k] + c];
                    const double y = W->val[W->off[t] + c / na + nb * (c % na)];
                    most = fmax(most, fabs(x));
                    MUST(fabs(x - y) <= 1e-12 * most, "%s: block (%d, %d) %g %g", m.name, a, b, x,
                         y);
                }
            }
        }
        const size_t n = (size_t)m.p.n, nv = 6 * (size_t)m.bodies;
        double *x = calloc(2 * n + 2 * nv, sizeof *x), *y = x + n, *p = y + n, *v = p + nv;
        ck_assert_ptr_nonnull(x);
        double xwx = 0, pmp = 0;
        for (size_t k = 0; k < n; ++k) {
            x[k] = random_normal(&rng);
        }
        pcs_bsr_mul(W, x, y);
        pcs_bsr_addmul_t(&m.g.H, x, p);
        CK_OK(pcs_mass_matrix_solve(m.g.M, p, v));
        for (size_t k = 0; k < n; ++k) {
            xwx += x[k] * y[k];
        }
        for (size_t k = 0; k < nv; ++k) {
            pmp += p[k] * v[k];
        }
        MUST(pmp > 0, "%s: no energy", m.name);
        CK_NEAR(xwx / pmp, 1, 1e-11);
        free(x);
        family_destroy(&m);
    }
}

// the bound of `freedom` for the rank, by elimination
TEST(rank_is_at_most_the_freedom)
{
    int deficient = 0, small = 0;
    for (int i = 0; i < family_count(); i += STRIDE) {
        family_member m;
        family_create(i, &m);
        if (m.g.H.row[m.g.H.m] <= 250) {
            family_condense(&m);
            const int rank = family_rank(&m);
            MUST(rank >= 1 && rank <= m.freedom, "%s: rank %d, freedom %d", m.name, rank,
                 m.freedom);
            small += 1;
            deficient += rank < 0.7 * m.p.n;
        }
        family_destroy(&m);
    }
    ck_assert_int_ge(4 * deficient, small);
}
