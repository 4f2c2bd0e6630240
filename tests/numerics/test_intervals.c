// The intervals and the shortest impulses of the certificate against polyhedra: small problems of
// unilateral contacts, boxes, equalities and contacts in the plane whose solution is known without
// rounding, with many zeros in it. The set of other impulses is then known, too, and its ends are
// found among its vertices, its shortest point among the projections on its faces.
#include <math.h>
#include <string.h>

#include <percuss/numerics.h>

#include "base/base.h"
#include "support.h"

enum { ROWS = 10, BLOCKS = 5, FREE = 4, SIDES = 3 * BLOCKS + 2 * FREE };

typedef struct plant {
    pcs_problem p;
    pcs_block block[BLOCKS];
    double W[ROWS * ROWS], q[ROWS], r[ROWS], u[ROWS];
    _Alignas(double) unsigned char memory[4096];
    bool friction;
} plant;

// r' = r + D y with G y + h >= 0; nothing is outside
typedef struct polyhedron {
    int n, k, m;
    const double *r;
    double D[ROWS * FREE], G[SIDES * FREE], h[SIDES];
} polyhedron;

// ---- a random problem ----------------------------------------------------------------------------

static double pick(test_random *r, int n, const double *of)
{
    return of[(int)(n * random_unit(r))];
}
#define PICK(r, ...) \
    pick(r, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})

// r and u of a block that obey its law
static void draw_pair(test_random *g, pcs_block *k, double *r, double *u)
{
    const double push = PICK(g, 0, 0, 1, 2), gap = PICK(g, 0, 0, 0, 1);
    const double side = PICK(g, 1, -1), slip = PICK(g, 0, 0, 0, 1);
    switch (k->cone) {
    case PCS_CONE_EQUALITY:
        r[0] = PICK(g, 0, 0, 1, -1);
        break;
    case PCS_CONE_BOX:
        k->mu = PICK(g, 0, 1, 1, 2, 0x1p20);
        u[0] = -side * slip;
        r[0] = side * (slip > 0 ? k->mu : k->mu * PICK(g, 0, 0, 0.5, 1));
        break;
    case PCS_CONE_UNILATERAL:
        r[0] = push;
        u[0] = push > 0 ? 0 : gap;
        break;
    case PCS_CONE_COULOMB:
        k->mu = PICK(g, 0, 0.5, 0.25, 2);
        r[0] = push;
        u[0] = push > 0 ? 0 : gap;
        u[1] = -side * slip;
        r[1] = side * k->mu * push * (slip > 0 ? 1 : PICK(g, 0, 0, 0.5, 1));
        break;
    }
}

// sums of few small numbers: without rounding
static void draw(plant *t, uint64_t seed)
{
    test_random g = random_seed(seed);
    const bool rest = random_unit(&g) < 0.2;
    const int nb = 2 + (int)(4 * random_unit(&g)), nv = 1 + (int)(3 * random_unit(&g));
    memset(t, 0, sizeof *t);
    const double size = PICK(&g, 1, 1, 0x1p-20, 0x1p20), zeros = random_unit(&g);
    double H[ROWS * 3], w[3];
    for (int b = 0; b < nb; ++b) {
        const pcs_cone cone =
            (pcs_cone)PICK(&g, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL,
                           PCS_CONE_BOX, PCS_CONE_BOX, PCS_CONE_COULOMB, PCS_CONE_EQUALITY);
        const int d = cone == PCS_CONE_COULOMB ? 2 : 1, row = t->p.n;
        pcs_block *k = &t->block[t->p.nb++];
        *k = (pcs_block){.cone = cone, .row = row, .dim = d};
        t->p.n += d;
        draw_pair(&g, k, t->r + row, t->u + row);
        if (cone == PCS_CONE_BOX) k->mu *= size;
        if (cone == PCS_CONE_COULOMB && k->mu > 0) t->friction = true;
    }
    for (int i = 0; i < t->p.n; ++i) {
        t->r[i] *= rest ? 0 : size;
        t->u[i] *= rest ? 0 : size;
    }
    const int n = t->p.n;
    for (int k = 0; k < nv; ++k) {
        w[k] = PICK(&g, 1, 1, 1, 4, 0x1p-10);
        for (int i = 0; i < n; ++i) {
            H[i + n * k] = random_unit(&g) < zeros ? 0 : PICK(&g, 1, -1, 2, -2, 0.5);
        }
    }
    for (int i = 0; i < n; ++i) {
        t->q[i] = t->u[i];
        for (int j = 0; j < n; ++j) {
            for (int k = 0; k < nv; ++k) {
                t->W[i + n * j] += H[i + n * k] * w[k] * H[j + n * k];
            }
            t->q[i] -= t->W[i + n * j] * t->r[j];
        }
    }
    pcs_arena arena = {.base = t->memory, .size = sizeof t->memory};
    t->p.block = t->block;
    t->p.q = t->q;
    CK_OK(pcs_bsr_from_dense(n, n, t->W, &arena, &t->p.W));
}

// ---- its polyhedron ------------------------------------------------------------------------------

// Gauss on A (m x n, column by column) with full pivots: its rank; Z (n x n): first n - rank
// columns a basis of its null space
static int null_space(int m, int n, double *A, double *Z)
{
    int column[ROWS], rank = 0;
    double size = 0;
    for (int j = 0; j < n; ++j) {
        column[j] = j;
    }
    for (; rank < n && rank < m; ++rank) {
        int pi = rank, pj = rank;
        for (int j = rank; j < n; ++j) {
            for (int i = rank; i < m; ++i) {
                if (fabs(A[i + m * column[j]]) > fabs(A[pi + m * column[pj]])) pi = i, pj = j;
            }
        }
        const int c = column[pj];
        const double pivot = A[pi + m * c];
        if (rank == 0) size = fabs(pivot);
        if (!(fabs(pivot) > 1e-12 * size)) break;
        column[pj] = column[rank];
        column[rank] = c;
        for (int j = 0; j < n; ++j) {
            const double a = A[pi + m * j];
            A[pi + m * j] = A[rank + m * j];
            A[rank + m * j] = a / pivot;
        }
        for (int i = 0; i < m; ++i) {
            const double factor = A[i + m * c];
            for (int j = 0; i != rank && j < n; ++j) {
                A[i + m * j] -= factor * A[rank + m * j];
            }
        }
    }
    for (int j = rank; j < n; ++j) {
        double *z = Z + n * (j - rank);
        memset(z, 0, (size_t)n * sizeof *z);
        z[column[j]] = 1;
        for (int i = 0; i < rank; ++i) {
            z[column[i]] = -A[i + m * column[j]];
        }
    }
    return rank;
}

static void add_side(polyhedron *s, const double *g, double h)
{
    double length = 0, size = 0;
    for (int c = 0; c < s->k; ++c) {
        double sum = 0;
        for (int i = 0; i < s->n; ++i) {
            sum += g[i] * s->D[i + s->n * c];
            size = fmax(size, fabs(s->D[i + s->n * c]));
        }
        s->G[s->m + SIDES * c] = sum;
        length = fmax(length, fabs(sum));
    }
    // a row that is zero but for rounding limits nothing
    if (length > 1e-10 * size) s->h[s->m++] = h;
}

// the set of all impulses with W r' = W r that obey the law with u; false: of too many dimensions
static bool enclose(const plant *t, polyhedron *s)
{
    const int n = t->p.n;
    int m = n;
    // W r' = W r, and a row for each row of r, or direction of it, that the law fixes
    double A[3 * ROWS * ROWS] = {0}, Z[ROWS * ROWS], fixed[2 * ROWS][ROWS] = {{0}};
    for (int b = 0; b < t->p.nb; ++b) {
        const pcs_block *k = &t->block[b];
        const double *u = t->u + k->row;
        const int i = k->row;
        if ((k->cone == PCS_CONE_BOX && u[0] != 0) || (k->cone != PCS_CONE_BOX && u[0] > 0)) {
            fixed[m++ - n][i] = 1;
            if (k->dim == 2) fixed[m++ - n][i + 1] = 1;
        } else if (k->dim == 2 && (u[1] != 0 || k->mu == 0)) {
            fixed[m - n][i] = k->mu;
            fixed[m++ - n][i + 1] = u[1] > 0 ? 1 : -1;
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            A[i + m * j] = i < n ? t->W[i + n * j] : fixed[i - n][j];
        }
    }
    *s = (polyhedron){.n = n, .r = t->r};
    s->k = n - null_space(m, n, A, Z);
    if (s->k > FREE) return false;
    memcpy(s->D, Z, (size_t)(n * s->k) * sizeof *Z);
    for (int b = 0; b < t->p.nb; ++b) {
        const pcs_block *k = &t->block[b];
        const int i = k->row;
        const bool cone = k->cone == PCS_CONE_COULOMB && k->mu > 0 && t->u[i + 1] == 0;
        for (int side = -1; side <= 1; side += 2) {
            double g[ROWS] = {0};
            if (k->cone == PCS_CONE_BOX) {
                g[i] = side;
                add_side(s, g, k->mu + side * t->r[i]);
            } else if (cone) {
                g[i] = k->mu;
                g[i + 1] = side;
                add_side(s, g, k->mu * t->r[i] + side * t->r[i + 1]);
            } else if (k->cone != PCS_CONE_EQUALITY && side > 0) {
                g[i] = 1;
                add_side(s, g, t->r[i]);
            }
        }
    }
    return true;
}

// solves A x = b (n x n, destroyed); false: singular
static bool solve(int n, double *A, double *b)
{
    double size = 0;
    for (int i = 0; i < n * n; ++i) {
        size = fmax(size, fabs(A[i]));
    }
    for (int c = 0; c < n; ++c) {
        int p = c;
        for (int i = c; i < n; ++i) {
            if (fabs(A[i + n * c]) > fabs(A[p + n * c])) p = i;
        }
        if (!(fabs(A[p + n * c]) > 1e-12 * size)) return false;
        for (int j = 0; j < n; ++j) {
            const double a = A[p + n * j];
            A[p + n * j] = A[c + n * j];
            A[c + n * j] = a;
        }
        const double a = b[p];
        b[p] = b[c];
        b[c] = a;
        for (int i = 0; i < n; ++i) {
            const double factor = i == c ? 0 : A[i + n * c] / A[c + n * c];
            for (int j = c; j < n; ++j) {
                A[i + n * j] -= factor * A[c + n * j];
            }
            b[i] -= factor * b[c];
        }
    }
    for (int i = 0; i < n; ++i) {
        b[i] /= A[i + n * i];
    }
    return true;
}

static bool is_inside(const polyhedron *s, const double *y)
{
    double most = 0;
    for (int c = 0; c < s->k; ++c) {
        most = fmax(most, fabs(y[c]));
    }
    for (int i = 0; i < s->n; ++i) {
        most = fmax(most, fabs(s->r[i]));
    }
    for (int i = 0; i < s->m; ++i) {
        double sum = s->h[i], size = fabs(s->h[i]);
        for (int c = 0; c < s->k; ++c) {
            sum += s->G[i + SIDES * c] * y[c];
            size += fabs(s->G[i + SIDES * c]) * most;
        }
        if (sum < -1e-12 * size) return false;
    }
    return true;
}

// the minimum of c'y + 1/2 |D y + r|^2 (square) on the face of the sides in `set`; false: none, or
// outside
static bool face_point(const polyhedron *s, int set, bool square, double *y)
{
    int n = s->k;
    double A[2 * FREE * 2 * FREE], b[2 * FREE] = {0};
    int side[2 * FREE], count = 0;
    for (int i = 0; i < s->m; ++i) {
        if (set >> i & 1) side[count++] = i;
    }
    if (!square && count != n) return false;
    const int m = square ? n + count : n;
    memset(A, 0, sizeof A);
    for (int c = 0; square && c < n; ++c) {
        for (int i = 0; i < s->n; ++i) {
            for (int j = 0; j < n; ++j) {
                A[c + m * j] += s->D[i + s->n * c] * s->D[i + s->n * j];
            }
            b[c] -= s->D[i + s->n * c] * s->r[i];
        }
    }
    for (int i = 0; i < count; ++i) {
        const int row = square ? n + i : i;
        b[row] = -s->h[side[i]];
        for (int c = 0; c < n; ++c) {
            A[row + m * c] = s->G[side[i] + SIDES * c];
            if (square) A[c + m * row] = s->G[side[i] + SIDES * c];
        }
    }
    if (!solve(m, A, b)) return false;
    memcpy(y, b, (size_t)n * sizeof *y);
    return is_inside(s, y);
}

static int bits(int set)
{
    int n = 0;
    for (; set; set &= set - 1) {
        ++n;
    }
    return n;
}

static double value(const polyhedron *s, int row, const double *y)
{
    double sum = s->r[row];
    for (int c = 0; c < s->k; ++c) {
        sum += s->D[row + s->n * c] * y[c];
    }
    return sum;
}

static void bound(polyhedron *s, double most)
{
    for (int c = 0; c < s->k; ++c) {
        for (int side = -1; side <= 1; side += 2, ++s->m) {
            for (int j = 0; j < s->k; ++j) {
                s->G[s->m + SIDES * j] = j == c ? side : 0;
            }
            s->h[s->m] = most;
        }
    }
}

// the next set of as many bits
static int next_set(int set)
{
    const int low = set & -set, up = set + low;
    return up | (((set ^ up) / low) >> 2);
}

// the smallest and the largest r of a row
static void ends(const polyhedron *s, int row, double *low, double *high)
{
    const double zero[ROWS] = {0};
    polyhedron b = *s, cone = *s;
    double y[FREE], size = 0, most = 0;
    *low = *high = s->r[row];
    if (s->k == 0) return;
    for (int i = 0; i < s->n; ++i) {
        size = fmax(size, fabs(s->r[i]));
    }
    for (int i = 0; i < s->m; ++i) {
        size = fmax(size, fabs(s->h[i]));
    }
    bound(&b, 1e3 * size);
    memset(cone.h, 0, sizeof cone.h);
    cone.r = zero;
    bound(&cone, 1);
    const int end = 1 << b.m;
    for (int set = (1 << s->k) - 1; set < end; set = next_set(set)) {
        if (face_point(&cone, set, false, y)) most = fmax(most, value(&cone, row, y));
        if (!face_point(&b, set, false, y)) continue;
        *low = fmin(*low, value(&b, row, y));
        *high = fmax(*high, value(&b, row, y));
    }
    if (most > 1e-9) *high = INFINITY;
}

static void shortest(const polyhedron *s, double *least)
{
    double best = INFINITY, y[FREE];
    memcpy(least, s->r, (size_t)s->n * sizeof *least);
    for (int set = 0; s->k > 0 && set < 1 << s->m; ++set) {
        if (bits(set) > s->k || !face_point(s, set, true, y)) continue;
        double sum = 0, x[ROWS];
        for (int i = 0; i < s->n; ++i) {
            x[i] = value(s, i, y);
            sum += x[i] * x[i];
        }
        if (sum < best) memcpy(least, x, (size_t)s->n * sizeof *x);
        best = fmin(best, sum);
    }
}

// ---- the comparison ------------------------------------------------------------------------------

// largest impulse that plays a part
static double size_of(const plant *t, const double *low, const double *high)
{
    double size = 0;
    for (int i = 0; i < t->p.n; ++i) {
        size = fmax(size, fabs(t->r[i]));
    }
    for (int b = 0; b < t->p.nb; ++b) {
        if (t->block[b].cone == PCS_CONE_BOX) size = fmax(size, t->block[b].mu);
        size = fmax(size, isfinite(high[b]) ? high[b] : low[b]);
    }
    return size;
}

typedef struct tally {
    int judged, unbounded, wide, missing;
} tally;

static void compare_intervals(const plant *t, uint64_t seed, const double *r, const double *low,
                              const double *high, tally *sum)
{
    double a[BLOCKS], b[BLOCKS];
    const double tol = 1e-7 * size_of(t, low, high);
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-8, r, a, b));
    for (int i = 0; i < t->p.nb; ++i) {
        if (t->block[i].cone == PCS_CONE_EQUALITY || t->block[i].cone == PCS_CONE_BOX) {
            ck_assert(isnan(a[i]) && isnan(b[i]));
            continue;
        }
        const bool ends = isnan(a[i]) || fabs(a[i] - low[i]) <= tol;
        const bool same = isinf(high[i]) ? isinf(b[i]) : fabs(b[i] - high[i]) <= tol;
        ck_assert_msg(ends && (same || isnan(b[i])),
                      "problem %d, block %d: [%.9g, %.9g] is [%.9g, %.9g]", (int)seed, i, a[i],
                      b[i], low[i], high[i]);
        sum->judged += 1;
        sum->unbounded += isinf(high[i]);
        sum->wide += isfinite(high[i]) && high[i] - low[i] > 0.1 * size_of(t, low, high);
        sum->missing += isnan(a[i]) || isnan(b[i]);
    }
}

static void compare_least(const plant *t, uint64_t seed, const double *r, const double *hand)
{
    double least[ROWS], size = 0;
    CK_OK(pcs_certificate_least_impulse(NULL, &t->p, 1e-8, r, least));
    for (int i = 0; i < t->p.n; ++i) {
        size = fmax(size, fmax(fabs(hand[i]), fabs(t->r[i])));
    }
    for (int i = 0; i < t->p.n; ++i) {
        ck_assert_msg(fabs(least[i] - hand[i]) <= 1e-7 * size,
                      "problem %d: the shortest r[%d] = %.9g is %.9g", (int)seed, i, least[i],
                      hand[i]);
    }
}

TEST(intervals_and_least_are_those_of_polyhedra)
{
    plant *t = malloc(sizeof *t);
    polyhedron s;
    tally sum = {0};
    for (uint64_t seed = 1; seed <= (uint64_t)TEST_DRAWS(2000); ++seed) {
        double low[BLOCKS], high[BLOCKS], least[ROWS], other[ROWS] = {0}, u[ROWS];
        draw(t, seed);
        if (!enclose(t, &s)) continue;
        for (int b = 0; b < t->p.nb; ++b) {
            ends(&s, t->block[b].row, &low[b], &high[b]);
        }
        shortest(&s, least);
        // the result is that of all r with this u
        const double *const starts[3] = {t->r, least, other};
        int count = 2;
        if (!t->friction) {
            pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
            pcs_report report;
            o.tol = 1e-13;
            CK_OK(pcs_solve_alloc(NULL, &t->p, &o, other, u, &report));
            count += report.outcome == PCS_OUTCOME_CONVERGED;
        }
        for (int k = 0; k < count; ++k) {
            compare_intervals(t, seed, starts[k], low, high, &sum);
            compare_least(t, seed, starts[k], least);
        }
    }
    ck_assert_int_gt(sum.unbounded, sum.judged / 10);
    ck_assert_int_gt(sum.wide, sum.judged / 50);
    ck_assert_int_le(sum.missing, sum.judged / 500);
    free(t);
}

// ---- by hand -------------------------------------------------------------------------------------

// n rows of contacts without friction, or a box with this limit and contacts
static void close_plant(plant *t, int n, double limit, const double *W, const double *q)
{
    memset(t, 0, sizeof *t);
    for (int b = 0; b < n; ++b) {
        t->block[b] = (pcs_block){.cone = PCS_CONE_UNILATERAL, .row = b, .dim = 1};
    }
    if (limit > 0) t->block[0] = (pcs_block){.cone = PCS_CONE_BOX, .dim = 1, .mu = limit};
    pcs_arena arena = {.base = t->memory, .size = sizeof t->memory};
    t->p = (pcs_problem){.n = n, .nb = n, .block = t->block, .q = t->q};
    memcpy(t->q, q, (size_t)n * sizeof *q);
    memcpy(t->W, W, (size_t)(n * n) * sizeof *W);
    CK_OK(pcs_bsr_from_dense(n, n, t->W, &arena, &t->p.W));
}

// a contact pushes against the brake of its body, up to the limit of the brake, also where neither
// bears anything
TEST(a_brake_bears_up_to_its_limit)
{
    const double W[4] = {1, 1, 1, 1};
    for (int k = -6; k <= 12; k += 6) {
        const double limit = pow(10, k);
        for (int i = 0; i < 4; ++i) {
            const double q = i < 3 ? 0 : -1e-9 * limit;
            const double x = i == 1 ? 0.5 * limit : i == 2 ? 1e-20 * limit : 0;
            const double r[2] = {-x, x - q};
            double low[2], high[2];
            plant t;
            close_plant(&t, 2, limit, W, (double[]){q, q});
            CK_OK(pcs_certificate_impulse_intervals(NULL, &t.p, 1e-8, r, low, high));
            CK_NEAR(low[1], 0, 1e-8 * limit);
            CK_NEAR(high[1], limit, 1e-8 * limit);
        }
    }
}

// contacts that can bear anything, or nothing, beside others: their shortest r is 0
TEST(the_shortest_of_a_set_without_inside)
{
    plant t;
    double least[3];
    close_plant(&t, 3, 0, (double[]){0, 0, 0, 0, 1, -2, 0, -2, 4}, (double[]){0, -1, 2});
    CK_OK(pcs_certificate_least_impulse(NULL, &t.p, 1e-8, (double[]){0, 1, 0}, least));
    expect_same(least, (double[]){0, 1, 0}, 3, 1e-14);
    close_plant(&t, 3, 0, (double[]){1, -1, 0, -1, 1, 0, 0, 0, 0}, (double[]){-1, 1, 0});
    CK_OK(pcs_certificate_least_impulse(NULL, &t.p, 1e-8, (double[]){2, 1, 0}, least));
    expect_same(least, (double[]){1, 0, 0}, 3, 1e-14);
}
