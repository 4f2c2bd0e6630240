// (G A^-1 G' + C) x = b in the velocities of the bodies:
//
//     (G A^-1 G' + C)^-1 = C^-1 - C^-1 G S^-1 G' C^-1,   S = A + G' C^-1 G
//
// S has the size of A and couples bodies that share a contact. Where C is small, as in ipm near a
// solution where contacts are closed, S is much larger than A, and refinement with the operator
// itself restores the lost digits. When refinement no longer converges, the systems of
// body_system_saddle.c replace these.
#include "bodies/body_system.h"

#include <string.h>

#include "bodies/task.h"
#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/rows.h"

// a wanted part of the right side that one check may not confirm: rounding is as large
#define FINE 1e-12
// products that two solves cost, with their refinement, and where one check is enough
#define SOLVES      12
#define SOLVES_ANEW 6
// C is inverted: it may be as small as the residual of refinement allows
#define FLOOR 1e-13
// largest number of entries of a factor
#define MOST_ENTRIES 2e8

bool body_system_begin(void *user, const double *D)
{
    body_system *s = user;
    const pcs_bsr *H = &s->g->H;
    for (int b = 0, i = 0; b < s->g->nb; ++b) {
        const pcs_block *block = &s->g->block[b];
        while (H->row[i + 1] <= block->row) {
            ++i;
        }
        const int h = H->row[i + 1] - H->row[i], d = block->dim;
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
            const double *from =
                H->val + H->off[H->ptr[i] + e - s->k.ptr[b]] + (block->row - H->row[i]);
            double *to = s->DH + s->k.off[e];
            for (int a = 0; a < d; ++a) {
                for (int c = 0; c < s->k.width[e]; ++c) {
                    *to++ = D[block->row + a] * from[(size_t)a + (size_t)h * (size_t)c];
                }
            }
        }
    }
    return !s->symmetric || body_system_order(s);
}

void body_system_end(body_system *s)
{
    chol_end(s->chol);
    sparse_lu_end(s->sparse);
    sparse_lu_end(s->large);
}

double body_system_cost(body_system *s)
{
    const double entries = s->S.p[s->nv], product = s->g->nb + entries / PER_VISIT;
    if (s->symmetric) return task_cost(PCS_SOLVER_IPM, s->g->nb, s->nv, entries, SPARSE_STEP);
    if (s->anew || s->g->nb >= BODY_SYSTEM_MANY) sparse_lu_expect_strong(s->sparse);
    const double factor = sparse_lu_analyse(s->sparse, &s->S);
    s->analysed = !isnan(factor);
    return (s->analysed ? factor / PER_VISIT : 0) + (s->anew ? SOLVES_ANEW : SOLVES) * product;
}

// ---- products ----------------------------------------------------------------------------------

// the frame of block b, or null where it is the identity
static const double *frame(const body_system *s, int b)
{
    return s->Q && s->turned[b] > 1 ? s->Q + BLOCK_SYSTEM_STRIDE * (size_t)b : NULL;
}

// y = y + V' x, V of the layout of DH
static void add_transposed(const body_system *s, const double *V, const double *x, double *y)
{
    for (int b = 0; b < s->g->nb; ++b) {
        const pcs_block *k = &s->g->block[b];
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
            rows_add_transposed(k->dim, s->k.width[e], V + s->k.off[e], x + k->row,
                                y + s->k.col[e]);
        }
    }
}

// x = V y
static void product(const body_system *s, const double *V, const double *y, double *x)
{
    for (int b = 0; b < s->g->nb; ++b) {
        const pcs_block *k = &s->g->block[b];
        memset(x + k->row, 0, (size_t)k->dim * sizeof *x);
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
            rows_add(k->dim, s->k.width[e], V + s->k.off[e], y + s->k.col[e], x + k->row);
        }
    }
}

// y = V A^-1 V' x
static bool delassus(body_system *s, const double *V, const double *x, double *y)
{
    memset(s->y, 0, (size_t)s->nv * sizeof *s->y);
    add_transposed(s, V, x, s->y);
    if (pcs_mass_matrix_solve(s->g->M, s->y, s->y) != PCS_OK) return false;
    product(s, V, s->y, y);
    return true;
}

void body_system_mul(void *user, const double *x, double *y)
{
    body_system *s = user;
    if (!delassus(s, s->DH, x, y)) y[0] = NAN;
}

// ---- factors -----------------------------------------------------------------------------------

// G = Q' D H of a block
static void turn_block(body_system *s, int b)
{
    const int d = s->g->block[b].dim;
    const double *Q = frame(s, b);
    for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
        const double *from = s->DH + s->k.off[e];
        double *to = s->G + s->k.off[e];
        if (Q) {
            rows_turn(d, s->k.width[e], Q, from, to);
        } else {
            memcpy(to, from, (size_t)d * (size_t)s->k.width[e] * sizeof *to);
        }
    }
}

// c where C of a block is c I, else 0
static double multiple(const body_system *s, int b)
{
    if (s->rho > 0) return s->rho;
    const bool free = s->g->block[b].cone == PCS_CONE_EQUALITY;
    return free ? s->lu[BLOCK_SYSTEM_STRIDE * (size_t)b] : 0;
}

// x <- C^-1 x of a block
static void divide_block(const body_system *s, int b, double *x)
{
    const int d = s->g->block[b].dim;
    const double c = multiple(s, b);
    if (c == 0) {
        const double *lu = s->lu + BLOCK_SYSTEM_STRIDE * (size_t)b;
        if (d == 3) {
            lu_solve(3, lu, s->piv + 3 * (size_t)b, x); // unrolled
        } else {
            lu_solve(d, lu, s->piv + 3 * (size_t)b, x);
        }
        return;
    }
    for (int i = 0; i < d; ++i) {
        x[i] /= c;
    }
}

static bool factor_block(body_system *s, int b, const double *C)
{
    const pcs_block *k = &s->g->block[b];
    double *lu = s->lu + BLOCK_SYSTEM_STRIDE * (size_t)b;
    int *piv = s->piv + 3 * (size_t)b;
    memcpy(lu, C, BLOCK_SYSTEM_STRIDE * sizeof *lu);
    if (k->cone == PCS_CONE_EQUALITY) return lu[0] != 0;
    return k->dim == 3 ? lu_factor(3, lu, piv) : lu_factor(k->dim, lu, piv); // unrolled
}

// C^-1 of a block of at most three rows, by rows. It is as good as the factors where it becomes a
// part of S only
static void invert_block(const body_system *s, int b, double *T)
{
    const int d = s->g->block[b].dim;
    for (int j = 0; j < d; ++j) {
        double x[3] = {0};
        x[j] = 1;
        divide_block(s, b, x);
        for (int i = 0; i < d; ++i) {
            T[j + d * i] = x[i];
        }
    }
}

// S = S + G' C^-1 G of a block
static void add_block(body_system *s, int b)
{
    const int d = s->g->block[b].dim;
    const double c = multiple(s, b);
    const int *at = s->k.at + s->k.place[b];
    double T[BLOCK_SYSTEM_STRIDE];
    if (c == 0) invert_block(s, b, T);
    for (int f = s->k.ptr[b]; f < s->k.ptr[b + 1]; ++f) {
        const int w = s->k.width[f];
        const double *g = s->G + s->k.off[f];
        if (c == 0) {
            rows_turn(d, w, T, g, s->X);
        } else {
            for (int i = 0; i < d * w; ++i) {
                s->X[i] = g[i] / c;
            }
        }
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e, at += w) {
            rows_add_columns(d, s->k.width[e], w, s->G + s->k.off[e], s->X, at, s->S.x);
        }
    }
}

static bool factor_unsymmetric(body_system *s)
{
    s->repeated = false;
    const sparse_lu_outcome end = sparse_lu_refactor(s->sparse, &s->S, s->analysed);
    s->analysed = end != SPARSE_LU_LOST;
    return end == SPARSE_LU_GOOD;
}

static bool factor_velocities(body_system *s)
{
    const size_t nnz = (size_t)s->S.p[s->nv];
    memset(s->S.x, 0, nnz * sizeof *s->S.x);
    for (int k = 0; k < s->M.p[s->nv]; ++k) {
        s->S.x[s->mass[k]] += s->M.x[k];
    }
    for (int b = 0; b < s->g->nb; ++b) {
        add_block(s, b);
    }
    if (s->symmetric) {
        for (size_t k = 0; k < nnz; ++k) {
            if (s->to[k] >= 0) s->U.x[s->to[k]] = s->S.x[k];
        }
        const chol_outcome end = chol_refactor(s->chol, &s->U, s->analysed, 0, MOST_ENTRIES);
        s->analysed = end != CHOL_LOST;
        if (end == CHOL_GOOD) return true;
        // the matrix is not definite to rounding: all further factors are LU
        s->symmetric = s->analysed = false;
    }
    s->repeated = sparse_lu_repeat(s->sparse, &s->S);
    return s->repeated || factor_unsymmetric(s);
}

bool body_system_shift(void *user, double rho)
{
    body_system *s = user;
    s->rho = rho;
    return factor_velocities(s);
}

bool body_system_factor(void *user, const double *Q, const double *C)
{
    body_system *s = user;
    s->Q = Q;
    s->rho = 0;
    if (s->anew) s->exact = false;
    bool regular = true;
    for (int b = 0; b < s->g->nb; ++b) {
        regular = regular && factor_block(s, b, C + BLOCK_SYSTEM_STRIDE * (size_t)b);
        if (s->turned) turn_block(s, b);
    }
    if (!s->exact && regular && factor_velocities(s)) return true;
    if (!s->large) return false;
    s->exact = true;
    return body_saddle_factor(s, C);
}

bool body_system_pivot(body_system *s)
{
    if (s->symmetric || !sparse_lu_expect_weak(s->sparse)) return false;
    s->analysed = s->exact = false;
    return true;
}

// y <- S^-1 y; y2 is overwritten
static bool apply_factor(body_system *s, double *y)
{
    if (!s->symmetric) return sparse_lu_apply(s->sparse, y);
    for (int i = 0; i < s->nv; ++i) {
        s->y2[i] = y[s->order[i]];
    }
    if (!chol_apply(s->chol, s->y2)) return false;
    for (int i = 0; i < s->nv; ++i) {
        y[s->order[i]] = s->y2[i];
    }
    return true;
}

bool body_system_apply(void *user, double *x)
{
    body_system *s = user;
    if (s->exact) return body_saddle_apply(s, x);
    // C^-1 (x - G S^-1 G' C^-1 x)
    memset(s->y, 0, (size_t)s->nv * sizeof *s->y);
    double *const t = s->t;
    memcpy(t, x, (size_t)s->n * sizeof *t);
    for (int b = 0; b < s->g->nb; ++b) {
        divide_block(s, b, t + s->g->block[b].row);
    }
    add_transposed(s, s->G, t, s->y);
    if (!apply_factor(s, s->y)) return false;
    product(s, s->G, s->y, t);
    for (int i = 0; i < s->n; ++i) {
        x[i] -= t[i];
    }
    for (int b = 0; b < s->g->nb; ++b) {
        divide_block(s, b, x + s->g->block[b].row);
    }
    return true;
}

// y = (G A^-1 G' + C) x
static bool operate(body_system *s, const double *C, const double *x, double *y)
{
    if (!delassus(s, s->G, x, y)) return false;
    for (int b = 0; b < s->g->nb; ++b) {
        const pcs_block *k = &s->g->block[b];
        const double *c = C + BLOCK_SYSTEM_STRIDE * (size_t)b;
        if (k->cone == PCS_CONE_EQUALITY) {
            for (int i = k->row; i < k->row + k->dim; ++i) {
                y[i] += c[0] * x[i];
            }
        } else if (k->dim == 3) {
            block_addmul(3, 3, c, x + k->row, y + k->row); // unrolled
        } else {
            block_addmul(k->dim, k->dim, c, x + k->row, y + k->row);
        }
    }
    return true;
}

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; ++i) {
        const double size = fabs(x[i]);
        most = most > size ? most : size;
    }
    return most;
}

// The next direction, S^-1 and C^-1 applied to s->rest, with an image of length 1 that is
// orthogonal to those of the k before; false where none is left
static bool find_direction(body_system *s, const double *C, int k)
{
    const size_t n = (size_t)s->n;
    double *z = s->Z + n * (size_t)k, *v = s->V + n * (size_t)k;
    memcpy(z, s->rest, n * sizeof *z);
    if (!body_system_apply(s, z) || !operate(s, C, z, v)) return false;
    for (int j = 0; j < k; ++j) {
        const double *y = s->Z + n * (size_t)j, *w = s->V + n * (size_t)j;
        const double h = dense_dot(s->n, v, w);
        for (size_t i = 0; i < n; ++i) {
            z[i] -= h * y[i];
            v[i] -= h * w[i];
        }
    }
    const double length = sqrt(dense_dot(s->n, v, v));
    if (!(length > 0)) return false;
    for (size_t i = 0; i < n; ++i) {
        z[i] /= length;
        v[i] /= length;
    }
    return true;
}

// rest <- right - K b; returns the residual relative to the larger of right and b
static double residual(body_system *s, const double *C, const double *b)
{
    const size_t n = (size_t)s->n;
    if (!operate(s, C, b, s->rest)) return NAN;
    for (size_t i = 0; i < n; ++i) {
        s->rest[i] = s->right[i] - s->rest[i];
    }
    return largest(n, s->rest) / fmax(largest(n, s->right), largest(n, b));
}

// b <- the solution for s->right; true when its residual is at most `enough` of the larger of
// s->right and b.
//
// GCR: along each direction the residual becomes as small as it can. Plain refinement diverges as
// soon as the factors have lost one direction, and a path of homotopy may have such systems all the
// way; here each of them costs one more step.
//
// S. C. Eisenstat, H. C. Elman, M. H. Schultz, Variational iterative methods for nonsymmetric
// systems of linear equations, SIAM J. Numer. Anal. 20, 1983.
static bool refine(body_system *s, const double *C, double enough, double *b)
{
    const size_t n = (size_t)s->n;
    const double whole = largest(n, s->right);
    memset(b, 0, n * sizeof *b);
    memcpy(s->rest, s->right, n * sizeof *b);
    for (int k = 0; k < BODY_SYSTEM_DIRECTIONS && whole > 0; ++k) {
        if (!find_direction(s, C, k)) return false;
        const double *z = s->Z + n * (size_t)k, *v = s->V + n * (size_t)k;
        const double length = dense_dot(s->n, s->rest, v);
        for (size_t i = 0; i < n; ++i) {
            b[i] += length * z[i];
            s->rest[i] -= length * v[i];
        }
        if (!(largest(n, s->rest) <= enough * fmax(whole, largest(n, b)))) continue;
        // what the sums above have become is checked where they have rounding of more than one step
        if (k == 0 ? enough > FINE : residual(s, C, b) <= enough) return true;
    }
    return whole == 0;
}

// The same with the larger system, behind which there is no other: what it leaves has to do, but
// where it gives no direction at all there is no solution
static bool solve_exactly(body_system *s, const double *C, double enough, double *b)
{
    return refine(s, C, enough, b) || largest((size_t)s->n, b) > 0;
}

bool body_system_solve(void *user, const double *C, double enough, double *b)
{
    body_system *s = user;
    memcpy(s->right, b, (size_t)s->n * sizeof *b);
    if (s->exact) return solve_exactly(s, C, enough, b);
    if (refine(s, C, enough, b)) return true;
    if (s->repeated && !s->symmetric && factor_unsymmetric(s) && refine(s, C, enough, b)) {
        return true;
    }
    // on a path S is only now and then singular to rounding: one factorisation of the larger system
    if (!s->anew && body_system_pivot(s) && factor_unsymmetric(s) && refine(s, C, enough, b)) {
        return true;
    }
    s->exact = true;
    return body_saddle_factor(s, C) && solve_exactly(s, C, enough, b);
}

// det K det A = det C det S, and det K det A is that of the larger system
int body_system_sign(void *user)
{
    const body_system *s = user;
    if (s->exact) return sparse_lu_sign(s->large);
    return s->symmetric ? 1 : sparse_lu_sign(s->sparse);
}

self_dual_space body_system_space(body_system *s)
{
    return (self_dual_space){
        s, body_system_mul, body_system_factor, body_system_solve, body_system_sign, FLOOR};
}
