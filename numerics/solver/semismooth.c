// Newton steps on complementarity functions of the scaled problem.
//
// In blocks where A = 0 and B = I (open contacts) d = -F, and they leave the system; the others are
// a problem of their own, factorised by block_system. Its pattern is analysed again only when a
// block enters or leaves. A singular J (hyperstatic contacts) gives the step of least norm where
// the matrix is small; otherwise the steps
//
//     d <- d - (J + delta A)^-1 (J d + F)
//
// solve, for a monotone W, the linearised problem nearest the iterate, because delta multiplies the
// same A as W.
#include "solver/semismooth.h"

#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "local/coulomb.h"
#include "local/function.h"
#include "problem/problem.h"

#define STRIDE BLOCK_SYSTEM_STRIDE

// J, scaled to one unit, is singular when the ratio of its pivots is below this
#define LEAST_RCOND 1e-14
// factors are rejected unless refinement reduces the defect to this part of the right side
#define BELIEVED 1e-9
// largest number of proximal steps within one Newton step, and the defect that ends them
#define PROX_STEPS 6
#define PROX_TOL   1e-10
// largest number of rows for the step of least norm, and its rank threshold
#define LEAST_ROWS 240
#define LEAST_TOL  1e-13
// required part of the predicted decrease
#define ARMIJO 1e-4

// ---- memory ------------------------------------------------------------------------------------

// the first cone block of each block row of W, and nb
static void blocks_of_rows(const pcs_problem *p, int *first)
{
    int b = 0;
    for (int i = 0; i <= p->W.m; ++i) {
        while (b < p->nb && p->block[b].row < p->W.row[i]) {
            ++b;
        }
        first[i] = b;
    }
}

// the first cone block at or after a row
static int block_at(const pcs_problem *p, int row)
{
    int low = 0, high = p->nb;
    while (low < high) {
        const int mid = (low + high) / 2;
        if (p->block[mid].row < row) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

// number of blocks of W when cut along the cone blocks
static size_t cut_blocks(const pcs_problem *p)
{
    const pcs_bsr *W = &p->W;
    size_t sum = 0;
    for (int i = 0; i < W->m; ++i) {
        const int mine = block_at(p, W->row[i + 1]) - block_at(p, W->row[i]);
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int *row = W->row + W->idx[k];
            sum += (size_t)mine * (size_t)(block_at(p, row[1]) - block_at(p, row[0]));
        }
    }
    return sum;
}

// memory of the system of any set of blocks, and of the least squares of a small one
static size_t pool_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, small = n < LEAST_ROWS ? n : LEAST_ROWS;
    // the system stores diagonal blocks even where W has none
    double entries = bsr_stored(&p->W) + 3 * (double)n + (double)STRIDE * p->nb;
    const double full = (double)n * (double)n;
    if (entries > full) entries = full;
    const double dense = 8 * entries < full ? 8 * entries : full;
    const size_t vectors = 8 * solver_bytes(n + 1, sizeof(double)) + sparse_lu_bytes(p->n) + 512;
    const size_t system =
        (size_t)(8 * dense + 12 * entries) + vectors + (size_t)120 * 120 * sizeof(double);
    return solver_bytes(1, system) + solver_bytes(small * small, sizeof(double)) +
           solver_bytes(1, dense_min_norm_bytes((int)small, (int)small));
}

size_t semismooth_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb, cut = cut_blocks(p);
    const size_t vectors = 12, slopes = 4;
    return 64 + solver_bytes((size_t)p->W.m + 1, sizeof(int)) +
           2 * solver_bytes(nb, sizeof(pcs_block)) + 4 * solver_bytes(nb + 1, sizeof(int)) +
           2 * solver_bytes(cut, sizeof(int)) + 2 * solver_bytes(cut, sizeof(size_t)) +
           solver_bytes((size_t)bsr_stored(&p->W), sizeof(double)) +
           vectors * solver_bytes(n, sizeof(double)) +
           slopes * solver_bytes(STRIDE * nb, sizeof(double)) + 2 * solver_bytes(nb, sizeof(int)) +
           solver_bytes(nb, 1) + pool_bytes(p);
}

static bool take(semismooth *w, const pcs_problem *p, pcs_arena *arena)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb, cut = cut_blocks(p);
    double **vector[] = {&w->root, &w->center, &w->a,     &w->b, &w->F, &w->d,
                         &w->Jd,   &w->next,   &w->nextb, &w->x, &w->y, &w->q};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k) {
        *vector[k] = PCS_TAKE(arena, n, double);
        if (!*vector[k]) return false;
    }
    double **slope[] = {&w->A, &w->B, &w->subA, &w->subB};
    for (size_t k = 0; k < sizeof slope / sizeof *slope; ++k) {
        *slope[k] = PCS_TAKE(arena, STRIDE * nb, double);
        if (!*slope[k]) return false;
    }
    w->list = PCS_TAKE(arena, nb, int);
    w->place = PCS_TAKE(arena, nb, int);
    w->was = PCS_TAKE(arena, nb, unsigned char);
    pcs_problem *of[2] = {&w->z, &w->sub};
    for (int k = 0; k < 2; ++k) {
        of[k]->block = w->block[k] = PCS_TAKE(arena, nb, pcs_block);
        of[k]->W.row = of[k]->W.col = PCS_TAKE(arena, nb + 1, int);
        of[k]->W.ptr = PCS_TAKE(arena, nb + 1, int);
        of[k]->W.idx = PCS_TAKE(arena, cut, int);
        of[k]->W.off = PCS_TAKE(arena, cut, size_t);
        if (!w->block[k] || !of[k]->W.row || !of[k]->W.ptr || !of[k]->W.idx || !of[k]->W.off) {
            return false;
        }
    }
    w->z.W.val = PCS_TAKE(arena, (size_t)bsr_stored(&p->W), double);
    return w->list && w->place && w->was && w->z.W.val;
}

// ---- the scaled problem ------------------------------------------------------------------------

// copies block (b, c) of W^ from block k of row i of W to `at`, b and c cone blocks
static void cut_block(const semismooth *w, int i, int k, int b, int c, double *at)
{
    const pcs_bsr *W = &w->p->W;
    const pcs_block *rb = &w->p->block[b], *cb = &w->p->block[c];
    const size_t h = (size_t)(W->row[i + 1] - W->row[i]);
    const double *from = W->val + W->off[k] + (size_t)(rb->row - W->row[i]) +
                         h * (size_t)(cb->row - W->col[W->idx[k]]);
    for (int y = 0; y < cb->dim; ++y) {
        for (int x = 0; x < rb->dim; ++x) {
            *at++ = from[(size_t)x + h * (size_t)y] / (w->root[rb->row + x] * w->root[cb->row + y]);
        }
    }
}

static void scale_problem(semismooth *w, int *first)
{
    const pcs_problem *p = w->p;
    pcs_bsr *Z = &w->z.W;
    blocks_of_rows(p, first);
    w->z.n = p->n;
    w->z.nb = p->nb;
    Z->m = Z->n = p->nb;
    pcs_block *block = w->block[0];
    int count = 0;
    size_t at = 0;
    Z->row[0] = Z->ptr[0] = 0;
    for (int i = 0; i < p->W.m; ++i) {
        for (int b = first[i]; b < first[i + 1]; ++b) {
            block[b] = p->block[b];
            const double *root = w->root + block[b].row;
            if (block[b].cone == PCS_CONE_COULOMB) block[b].mu *= root[1] / root[0];
            if (block[b].cone == PCS_CONE_BOX) block[b].mu *= root[0];
            for (int k = p->W.ptr[i]; k < p->W.ptr[i + 1]; ++k) {
                const int j = p->W.idx[k];
                for (int c = first[j]; c < first[j + 1]; ++c) {
                    Z->idx[count] = c;
                    Z->off[count++] = at;
                    cut_block(w, i, k, b, c, Z->val + at);
                    at += (size_t)block[b].dim * (size_t)p->block[c].dim;
                }
            }
            Z->ptr[b + 1] = count;
            Z->row[b + 1] = block[b].row + block[b].dim;
        }
    }
    for (int i = 0; i < p->n; ++i) {
        w->q[i] = p->q[i] / w->root[i];
    }
}

bool semismooth_begin(semismooth *w, const pcs_problem *p, pcs_newton_function f, pcs_arena *arena)
{
    *w = (semismooth){.p = p, .f = f, .taken = NAN};
    int *first = PCS_TAKE(arena, (size_t)p->W.m + 1, int);
    if (!first || !take(w, p, arena)) return false;
    w->pool = *arena;
    if (!pcs_arena_take(arena, pool_bytes(p))) return false;
    problem_scales(p, w->root);
    for (int i = 0; i < p->n; ++i) {
        w->root[i] = sqrt(w->root[i]);
    }
    scale_problem(w, first);
    w->z.q = w->q;
    return true;
}

void semismooth_end(semismooth *w)
{
    block_system_end(&w->system);
}

// ---- F -----------------------------------------------------------------------------------------

static void velocity(const semismooth *w, const double *a, double *b)
{
    const int n = w->z.n;
    pcs_bsr_mul(&w->z.W, a, b);
    for (int i = 0; i < n; ++i) {
        b[i] += w->z.q[i];
    }
    if (w->shift == 0) return;
    for (int i = 0; i < n; ++i) {
        b[i] += w->shift * (a[i] - w->center[i]);
    }
}

// the natural map of a box, for any function
static void function_box(double bound, double a, double b, double *F, double *A, double *B)
{
    const bool inside = fabs(a - b) <= bound;
    *F = cone_natural_box(bound, 1, a, b);
    if (A) *A = inside;
    if (B) *B = !inside;
}

// F, its merit; and the slopes on request
static double evaluate(const semismooth *w, const double *a, const double *b, double *F, double *A,
                       double *B)
{
    double sum = 0;
    for (int k = 0; k < w->z.nb; ++k) {
        const pcs_block *block = &w->z.block[k];
        const int i = block->row;
        double *Ak = A ? A + STRIDE * (size_t)k : NULL, *Bk = B ? B + STRIDE * (size_t)k : NULL;
        switch (block->cone) {
        case PCS_CONE_EQUALITY:
            memcpy(F + i, b + i, (size_t)block->dim * sizeof *F);
            if (Ak) Ak[0] = 1;
            if (Bk) Bk[0] = 0;
            break;
        case PCS_CONE_UNILATERAL:
            function_unilateral(w->f, a[i], b[i], F + i, Ak, Bk);
            break;
        case PCS_CONE_COULOMB:
            function_coulomb(w->f, block->dim, block->mu, a + i, b + i, F + i, Ak, Bk);
            break;
        case PCS_CONE_BOX:
            function_box(block->mu, a[i], b[i], F + i, Ak, Bk);
            break;
        }
        for (int c = 0; c < block->dim; ++c) {
            sum += F[i + c] * F[i + c];
        }
    }
    return 0.5 * sum;
}

void semismooth_slopes(semismooth *w)
{
    velocity(w, w->a, w->b);
    w->merit = evaluate(w, w->a, w->b, w->F, w->A, w->B);
}

void semismooth_set(semismooth *w, const double *r)
{
    for (int i = 0; i < w->p->n; ++i) {
        w->a[i] = r[i] * w->root[i];
    }
}

void semismooth_get(const semismooth *w, double *r)
{
    for (int i = 0; i < w->p->n; ++i) {
        r[i] = w->a[i] / w->root[i];
    }
    cone_project(w->p->nb, w->p->block, r);
}

// ---- the system --------------------------------------------------------------------------------

static int slopes_of(const pcs_block *block)
{
    return block->cone == PCS_CONE_EQUALITY ? 1 : block->dim * block->dim;
}

// A = 0 and B = I
static bool eliminated(const semismooth *w, int k)
{
    const pcs_block *block = &w->z.block[k];
    if (block->cone == PCS_CONE_EQUALITY) return false;
    const double *A = w->A + STRIDE * (size_t)k, *B = w->B + STRIDE * (size_t)k;
    for (int c = 0; c < block->dim * block->dim; ++c) {
        if (A[c] != 0 || B[c] != (c % (block->dim + 1) == 0)) return false;
    }
    return true;
}

// the blocks that stay, as a problem whose W shares its values; true when they are those of the
// last call
static bool restrict_problem(semismooth *w)
{
    const pcs_problem *z = &w->z;
    pcs_problem *s = &w->sub;
    bool same = w->ready;
    int nb = 0;
    for (int k = 0; k < z->nb; ++k) {
        const unsigned char in = !eliminated(w, k);
        same = same && in == w->was[k];
        w->was[k] = in;
        w->place[k] = in ? nb : -1;
        if (in) w->list[nb++] = k;
    }
    if (same) return true;

    pcs_block *block = w->block[1];
    s->nb = s->W.m = s->W.n = nb;
    s->W.val = z->W.val;
    s->W.row[0] = s->W.ptr[0] = 0;
    int count = 0, row = 0;
    for (int l = 0; l < nb; ++l) {
        const int k = w->list[l];
        block[l] = z->block[k];
        block[l].row = row;
        row += block[l].dim;
        for (int e = z->W.ptr[k]; e < z->W.ptr[k + 1]; ++e) {
            const int place = w->place[z->W.idx[e]];
            if (place < 0) continue;
            s->W.idx[count] = place;
            s->W.off[count++] = z->W.off[e];
        }
        s->W.row[l + 1] = row;
        s->W.ptr[l + 1] = count;
    }
    s->n = row;
    return false;
}

// slopes of the blocks that stay, with the proximal shift and `delta` added to W^
static void gather_slopes(semismooth *w, double delta)
{
    for (int l = 0; l < w->sub.nb; ++l) {
        const size_t from = STRIDE * (size_t)w->list[l], to = STRIDE * (size_t)l;
        const int count = slopes_of(&w->sub.block[l]);
        for (int c = 0; c < count; ++c) {
            w->subA[to + (size_t)c] = w->A[from + (size_t)c];
            w->subB[to + (size_t)c] =
                w->B[from + (size_t)c] + (w->shift + delta) * w->A[from + (size_t)c];
        }
    }
}

// d where it is known, and the right side for the rest
static void load(semismooth *w)
{
    const pcs_problem *z = &w->z;
    bool any = false;
    for (int k = 0; k < z->nb; ++k) {
        const pcs_block *block = &z->block[k];
        for (int i = block->row; i < block->row + block->dim; ++i) {
            w->d[i] = w->place[k] >= 0 ? 0 : -w->F[i];
            any = any || w->d[i] != 0;
        }
    }
    if (any) {
        pcs_bsr_mul(&z->W, w->d, w->Jd);
    } else {
        memset(w->Jd, 0, (size_t)z->n * sizeof *w->Jd);
    }
    for (int l = 0; l < w->sub.nb; ++l) {
        const pcs_block *from = &z->block[w->list[l]], *to = &w->sub.block[l];
        const double *A = w->subA + STRIDE * (size_t)l, *g = w->Jd + from->row;
        const int d = from->dim;
        for (int c = 0; c < d; ++c) {
            double sum = -w->F[from->row + c];
            if (from->cone == PCS_CONE_EQUALITY) sum -= A[0] * g[c];
            for (int j = 0; from->cone != PCS_CONE_EQUALITY && j < d; ++j) {
                sum -= A[c + d * j] * g[j];
            }
            w->x[to->row + c] = sum;
        }
    }
}

static bool analyse(semismooth *w, pcs_arena *pool)
{
    block_system_end(&w->system);
    w->ready = block_system_begin(&w->system, &w->sub, pool);
    return w->ready;
}

// x <- J^-1 x with one step of refinement; false when J is singular or its factors are inaccurate
static bool solve_regular(semismooth *w)
{
    const int n = w->sub.n;
    if (block_system_factor(&w->system, w->subA, w->subB, LEAST_RCOND) != SPARSE_LU_GOOD) {
        return false;
    }
    double *keep = w->next;
    memcpy(keep, w->x, (size_t)n * sizeof *keep);
    if (!block_system_solve(&w->system, w->subA, w->subB, 1, w->x)) return false;
    block_system_mul(&w->system, w->subA, w->subB, w->x, w->y);
    double defect = 0;
    for (int i = 0; i < n; ++i) {
        defect += (w->y[i] - keep[i]) * (w->y[i] - keep[i]);
    }
    if (sqrt(defect) <= BELIEVED * sqrt(dense_dot(n, keep, keep))) return true;
    memcpy(w->x, keep, (size_t)n * sizeof *keep);
    return false;
}

// x <- the solution of least norm
static bool solve_least(semismooth *w)
{
    const pcs_bsr *W = &w->sub.W;
    const int n = w->sub.n;
    pcs_arena pool = w->pool;
    double *J = PCS_TAKE(&pool, (size_t)n * (size_t)n, double);
    if (!J) return false;
    memset(J, 0, (size_t)n * (size_t)n * sizeof *J);
    for (int l = 0; l < w->sub.nb; ++l) {
        const pcs_block *block = &w->sub.block[l];
        const double *A = w->subA + STRIDE * (size_t)l, *B = w->subB + STRIDE * (size_t)l;
        const int d = block->dim;
        const bool free = block->cone == PCS_CONE_EQUALITY;
        for (int e = W->ptr[l]; e < W->ptr[l + 1]; ++e) {
            const double *from = W->val + W->off[e];
            for (int j = W->col[W->idx[e]]; j < W->col[W->idx[e] + 1]; ++j, from += d) {
                double *to = J + (size_t)block->row + (size_t)n * (size_t)j;
                for (int c = 0; c < d; ++c) {
                    if (free) to[c] = A[0] * from[c];
                    for (int k = 0; !free && k < d; ++k) {
                        to[c] += A[c + d * k] * from[k];
                    }
                }
            }
        }
        for (int j = 0; j < d; ++j) {
            double *to = J + (size_t)block->row + (size_t)n * (size_t)(block->row + j);
            for (int c = 0; c < d; ++c) {
                if (free) {
                    to[c] += c == j ? B[0] : 0;
                } else {
                    to[c] += B[c + d * j];
                }
            }
        }
    }
    return dense_min_norm(n, n, J, w->x, LEAST_TOL, pool) >= 0;
}

// x <- proximal steps towards J^-1 x
static bool solve_proximal(semismooth *w, double delta)
{
    const int n = w->sub.n;
    double *right = w->next, *defect = w->y;
    memcpy(right, w->x, (size_t)n * sizeof *right);
    memcpy(defect, w->x, (size_t)n * sizeof *defect);
    memset(w->x, 0, (size_t)n * sizeof *w->x);
    gather_slopes(w, delta);
    if (block_system_factor(&w->system, w->subA, w->subB, 0) != SPARSE_LU_GOOD) return false;
    const double whole = sqrt(dense_dot(n, right, right));
    double before = INFINITY;
    for (int k = 0; k < PROX_STEPS; ++k) {
        // one step of refinement with J + delta A, which is also badly conditioned
        if (!block_system_solve(&w->system, w->subA, w->subB, 1, defect)) return false;
        for (int i = 0; i < n; ++i) {
            w->x[i] += defect[i];
        }
        gather_slopes(w, 0);
        block_system_mul(&w->system, w->subA, w->subB, w->x, defect);
        gather_slopes(w, delta);
        for (int i = 0; i < n; ++i) {
            defect[i] = right[i] - defect[i];
        }
        const double now = sqrt(dense_dot(n, defect, defect));
        if (!(now > PROX_TOL * whole) || !(now < 0.5 * before)) break;
        before = now;
    }
    return true;
}

semismooth_end_of_step semismooth_step(semismooth *w, double delta)
{
    pcs_arena pool = w->pool;
    const bool same = restrict_problem(w);
    gather_slopes(w, 0);
    load(w);
    semismooth_end_of_step end = STEP_REGULAR;
    if (w->sub.n > 0) {
        if (!same && !analyse(w, &pool)) return STEP_NONE;
        double *right = w->nextb;
        memcpy(right, w->x, (size_t)w->sub.n * sizeof *right);
        if (!solve_regular(w)) {
            end = STEP_NEAREST;
            bool good = false;
            memcpy(w->x, right, (size_t)w->sub.n * sizeof *right);
            if (delta == 0 && w->sub.n <= LEAST_ROWS) {
                // least squares use the memory of the factors
                semismooth_end(w);
                w->ready = false;
                good = solve_least(w);
            }
            if (!good && w->ready) {
                memcpy(w->x, right, (size_t)w->sub.n * sizeof *right);
                good = solve_proximal(w, delta > 0 ? delta : 1e-8);
            }
            if (!good) return STEP_NONE;
        }
    }
    for (int l = 0; l < w->sub.nb; ++l) {
        memcpy(w->d + w->z.block[w->list[l]].row, w->x + w->sub.block[l].row,
               (size_t)w->sub.block[l].dim * sizeof *w->d);
    }
    return pcs_all_finite(w->d, (size_t)w->z.n) ? end : STEP_NONE;
}

// ---- search ------------------------------------------------------------------------------------

bool semismooth_search(semismooth *w, double worst, int halvings)
{
    const int n = w->z.n;
    pcs_bsr_mul(&w->z.W, w->d, w->Jd);
    for (int i = 0; i < n; ++i) {
        w->Jd[i] += w->shift * w->d[i];
    }
    double t = 1;
    for (int k = 0; k <= halvings; ++k, t *= 0.5) {
        for (int i = 0; i < n; ++i) {
            w->next[i] = w->a[i] + t * w->d[i];
            w->nextb[i] = w->b[i] + t * w->Jd[i];
        }
        const double value = evaluate(w, w->next, w->nextb, w->y, NULL, NULL);
        if (value <= worst * (1 - ARMIJO * t) * (1 - ARMIJO * t)) {
            memcpy(w->a, w->next, (size_t)n * sizeof *w->a);
            w->taken = t;
            return true;
        }
    }
    w->taken = 0;
    return false;
}

// ---- sweeps ------------------------------------------------------------------------------------

static void sweep_block(const semismooth *w, int k)
{
    const pcs_bsr *W = &w->z.W;
    const pcs_block *block = &w->z.block[k];
    const int d = block->dim, row = block->row;
    double *a = w->a + row, *u = w->y;
    const double *D = NULL;
    memcpy(u, w->z.q + row, (size_t)d * sizeof *u);
    for (int e = W->ptr[k]; e < W->ptr[k + 1]; ++e) {
        const double *from = W->val + W->off[e];
        if (W->idx[e] == k) D = from;
        for (int j = W->col[W->idx[e]]; j < W->col[W->idx[e] + 1]; ++j, from += d) {
            for (int c = 0; c < d; ++c) {
                u[c] += from[c] * w->a[j];
            }
        }
    }
    // without a shift there is no centre: its memory may hold anything, and 0 times NaN is NaN
    for (int c = 0; w->shift != 0 && c < d; ++c) {
        u[c] += w->shift * (a[c] - w->center[c + row]);
    }
    if (block->cone == PCS_CONE_COULOMB) {
        contact one;
        double M[9];
        for (int c = 0; c < d * d; ++c) {
            M[c] = (D ? D[c] : 0) + (c % (d + 1) == 0 ? w->shift : 0);
        }
        contact_prepare(&one, d, block->mu, M, d, 1);
        for (int j = 0; j < d; ++j) {
            for (int c = 0; c < d; ++c) {
                u[c] -= M[c + d * j] * a[j];
            }
        }
        contact_solve(&one, u, a);
        return;
    }
    for (int c = 0; c < d; ++c) {
        const double Wcc = (D ? D[c + d * c] : 0) + w->shift, step = Wcc > 0 ? u[c] / Wcc : u[c];
        const double old = a[c];
        a[c] -= step;
        if (block->cone == PCS_CONE_UNILATERAL) a[c] = cone_project_unilateral(a[c]);
        if (block->cone == PCS_CONE_BOX) a[c] = cone_project_box(block->mu, a[c]);
        for (int j = c + 1; D && j < d; ++j) {
            u[j] += D[j + d * c] * (a[c] - old);
        }
    }
}

void semismooth_sweep(semismooth *w, int sweeps)
{
    for (int s = 0; s < sweeps; ++s) {
        for (int k = 0; k < w->z.nb; ++k) {
            sweep_block(w, k);
        }
    }
}
