// S = (A + A^T) / 2 + H^T C H: one block row per system, in an order that keeps the Cholesky
// factors sparse.
#include "bodies/finish_system.h"

#include <math.h>
#include <string.h>

#include "bodies/task.h"
#include "linalg/block_sparse.h"
#include "linalg/bsr.h"
#include "linalg/rows.h"
#include "problem/measure.h"

// largest number of systems in an island, and of entries in a factor
#define MOST_SYSTEMS 20000
#define MOST_ENTRIES 2e8

static int width(const finish_system *s, int sys)
{
    return s->b->A->start[sys + 1] - s->b->A->start[sys];
}

// ---- memory ------------------------------------------------------------------------------------

static pcs_status too_large(const finish_system *s)
{
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "contacts: an island of %d systems is too large for Newton's method", s->ns);
}

// the pairs of systems between which A has entries
static pcs_status take_pairs(finish_system *s, pcs_arena *arena)
{
    const block_lu *F = s->b->A;
    const block_sparse *A = F->joined;
    if (!A) return PCS_OK;
    s->pair = PCS_TAKE(arena, (size_t)A->first[A->n] / 2, finish_pair);
    if (!s->pair) return pcs_fail_memory("contacts");
    for (int j = 0; j < A->n; ++j) {
        for (int e = A->first[j]; A->index[e] < j; ++e) {
            const int i = A->index[e];
            finish_pair *to = &s->pair[s->pairs++];
            to->sys[0] = F->of_node[i];
            to->sys[1] = F->of_node[j];
            to->A[0] = A->val + A->at[e];
            to->A[1] = block_sparse_entry(A, j, i);
        }
    }
    return PCS_OK;
}

// Whether S has the entries of block i already: contacts of two bodies follow one another, and the
// first counts for all
static bool is_counted(const bodies_problem *b, int i)
{
    const int *sys = b->block[i].sys;
    if (sys[0] < 0 || sys[1] < 0 || sys[0] == sys[1]) return true;
    const int *before = i > 0 ? b->block[i - 1].sys : NULL;
    return before && sys[0] == before[0] && sys[1] == before[1];
}

// allocates the pattern of all blocks
static pcs_status take_pattern(finish_system *s, pcs_arena *arena)
{
    const bodies_problem *b = s->b;
    finish_pattern *S = &s->S;
    const size_t ns = (size_t)s->ns, nb = (size_t)b->nb;
    size_t values = 0;
    for (int i = 0; i < s->ns; ++i) {
        values += (size_t)width(s, i) * (size_t)width(s, i);
    }
    for (int i = 0; i < b->nb; ++i) {
        const int *sys = b->block[i].sys;
        if (is_counted(b, i)) continue;
        values += (size_t)width(s, sys[0]) * (size_t)width(s, sys[1]);
    }
    for (int k = 0; k < s->pairs; ++k) {
        values += (size_t)width(s, s->pair[k].sys[0]) * (size_t)width(s, s->pair[k].sys[1]);
    }
    if (values > INT32_MAX) return too_large(s);
    S->order = PCS_TAKE(arena, ns, int);
    S->place = PCS_TAKE(arena, ns, int);
    S->first = PCS_TAKE(arena, ns + 1, int);
    S->ptr = PCS_TAKE(arena, ns + 2, int);
    S->col = PCS_TAKE(arena, nb + (size_t)s->pairs, int);
    S->above = PCS_TAKE(arena, nb + (size_t)s->pairs, int);
    S->height = PCS_TAKE(arena, ns, int);
    S->base = PCS_TAKE(arena, ns, size_t);
    S->U = (pcs_csc){.m = s->nv, .n = s->nv};
    S->U.p = PCS_TAKE(arena, (size_t)s->nv + 1, int);
    S->U.i = PCS_TAKE(arena, values, int);
    S->U.x = PCS_TAKE(arena, values, double);
    s->ones = PCS_TAKE(arena, nb + (size_t)s->pairs, double);
    const bool taken = S->order && S->place && S->first && S->ptr && S->col && S->above &&
                       S->height && S->base && S->U.p && S->U.i && S->U.x && s->ones;
    return taken ? PCS_OK : pcs_fail_memory("contacts");
}

// the rows of one side of block i, by rows
static void take_rows(finish_system *s, int i, int side)
{
    const bodies_block *k = &s->b->block[i];
    const int d = k->dim, w = width(s, k->sys[side]);
    double *J = s->J + s->j[side][i];
    bodies_rows(s->b, i, side, s->CJ);
    for (int l = 0; l < d; ++l) {
        for (int c = 0; c < w; ++c) {
            J[c + w * l] = s->CJ[l + d * c];
        }
    }
}

pcs_status finish_system_take(finish_system *s, const bodies_problem *b, const double *v_free,
                              pcs_arena *arena)
{
    const size_t nb = (size_t)b->nb, ns = (size_t)b->A->nb, n = (size_t)b->n;
    *s = (finish_system){.b = b, .ns = b->A->nb, .nv = b->A->start[b->A->nb]};
    if (s->ns > MOST_SYSTEMS) return too_large(s);
    const size_t nv = (size_t)s->nv;
    size_t rows = 0, masses = 0, widest = 0;
    for (int side = 0; side < 2; ++side) {
        s->j[side] = PCS_TAKE(arena, nb, size_t);
        if (!s->j[side]) return pcs_fail_memory("contacts");
        for (int i = 0; i < b->nb; ++i) {
            s->j[side][i] = rows;
            if (b->block[i].sys[side] < 0) continue;
            const size_t size = (size_t)b->block[i].dim * (size_t)width(s, b->block[i].sys[side]);
            rows += size;
            if (size > widest) widest = size;
        }
    }
    s->a = PCS_TAKE(arena, ns, size_t);
    if (!s->a) return pcs_fail_memory("contacts");
    for (int i = 0; i < s->ns; ++i) {
        s->a[i] = masses;
        masses += (size_t)width(s, i) * (size_t)width(s, i);
    }
    s->J = PCS_TAKE(arena, rows, double);
    s->A = PCS_TAKE(arena, masses, double);
    s->v_free = PCS_TAKE(arena, nv, double);
    s->q = PCS_TAKE(arena, n, double);
    s->scale = PCS_TAKE(arena, nb, double);
    s->B = PCS_TAKE(arena, SLOPES * nb, double);
    s->C = PCS_TAKE(arena, SLOPES * nb, double);
    s->CJ = PCS_TAKE(arena, widest, double);
    s->at = PCS_TAKE(arena, widest, int);
    s->held = PCS_TAKE(arena, nb, unsigned char);
    s->t = PCS_TAKE(arena, n, double);
    s->p = PCS_TAKE(arena, n, double);
    s->x = PCS_TAKE(arena, nv, double);
    s->Y = PCS_TAKE(arena, (KRYLOV + 1) * nv, double);
    s->Z = PCS_TAKE(arena, (KRYLOV + 1) * nv, double);
    if (!s->J || !s->A || !s->v_free || !s->q || !s->scale || !s->B || !s->C || !s->CJ || !s->at ||
        !s->held || !s->t || !s->p || !s->x || !s->Y || !s->Z) {
        return pcs_fail_memory("contacts");
    }
    PCS_TRY(take_pairs(s, arena));
    PCS_TRY(take_pattern(s, arena));
    memset(s->held, 0, nb);
    for (int i = 0; i < b->nb; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (b->block[i].sys[side] >= 0) take_rows(s, i, side);
        }
    }
    for (int i = 0; i < s->ns; ++i) {
        block_lu_values(b->A, i, s->A + s->a[i]);
    }
    memcpy(s->v_free, v_free, nv * sizeof *v_free);
    finish_rows(s, v_free, s->q);
    for (size_t i = 0; i < n; ++i) {
        s->q[i] += b->shift[i];
    }
    PCS_TRY(bodies_scales(b, *arena, s->scale));
    s->chol = chol_begin(arena);
    return s->chol ? PCS_OK : pcs_fail_memory("contacts");
}

void finish_system_end(finish_system *s)
{
    chol_end(s->chol);
}

// ---- products ----------------------------------------------------------------------------------

void finish_rows(const finish_system *s, const double *x, double *y)
{
    memset(y, 0, (size_t)s->b->n * sizeof *y);
    for (int i = 0; i < s->b->nb; ++i) {
        const bodies_block *k = &s->b->block[i];
        for (int side = 0; side < 2; ++side) {
            if (k->sys[side] < 0) continue;
            rows_add(k->dim, width(s, k->sys[side]), s->J + s->j[side][i],
                     x + s->b->A->start[k->sys[side]], y + k->row);
        }
    }
}

void finish_impulses(const finish_system *s, const double *r, double *y)
{
    for (int i = 0; i < s->b->nb; ++i) {
        const bodies_block *k = &s->b->block[i];
        for (int side = 0; side < 2; ++side) {
            if (k->sys[side] < 0) continue;
            rows_add_transposed(k->dim, width(s, k->sys[side]), s->J + s->j[side][i], r + k->row,
                                y + s->b->A->start[k->sys[side]]);
        }
    }
}

void finish_mass(const finish_system *s, const double *x, double *y)
{
    memset(y, 0, (size_t)s->nv * sizeof *y);
    for (int i = 0; i < s->ns; ++i) {
        const int at = s->b->A->start[i], w = width(s, i);
        block_addmul(w, w, s->A + s->a[i], x + at, y + at);
    }
    for (int k = 0; k < s->pairs; ++k) {
        const finish_pair *p = &s->pair[k];
        const int *start = s->b->A->start, h = width(s, p->sys[0]), w = width(s, p->sys[1]);
        block_addmul(h, w, p->A[0], x + start[p->sys[1]], y + start[p->sys[0]]);
        block_addmul(w, h, p->A[1], x + start[p->sys[0]], y + start[p->sys[1]]);
    }
}

// ---- the measure -------------------------------------------------------------------------------

void finish_system_measure(const finish_system *s, const double *r, double *v, double *u,
                           pcs_measure *out)
{
    const bodies_problem *b = s->b;
    measure_sums sums = {.far = b->far};
    memset(v, 0, (size_t)s->nv * sizeof *v);
    finish_impulses(s, r, v);
    block_lu_solve_all(b->A, v);
    finish_rows(s, v, u);
    squares_add(&sums.wr, (size_t)b->n, u);
    squares_add(&sums.q, (size_t)b->n, s->q);
    for (int i = 0; i < s->nv; ++i) {
        v[i] += s->v_free[i];
    }
    finish_rows(s, v, u);
    for (int i = 0; i < b->n; ++i) {
        u[i] += b->shift[i];
    }
    for (int i = 0; i < b->nb; ++i) {
        const pcs_block k = bodies_cone(&b->block[i]);
        measure_add_violation(&sums, &k, s->scale[i], r + k.row, u + k.row);
        measure_add_natural(&sums, &k, r + k.row, u + k.row);
    }
    measure_close(&sums, out);
}

// ---- products with S ---------------------------------------------------------------------------

static inline void multiply(int d, const double *restrict slope, const double *restrict x,
                            double *restrict y)
{
    for (int a = 0; a < d; ++a) {
        double sum = 0;
        for (int b = 0; b < d; ++b) {
            sum += slope[a + d * b] * x[b];
        }
        y[a] = sum;
    }
}

// y = slope x of a block; the loops of most contacts are unrolled
static void multiply_slope(const bodies_block *k, const double *slope, const double *x, double *y)
{
    if (k->cone == PCS_CONE_EQUALITY) {
        for (int a = 0; a < k->dim; ++a) {
            y[a] = slope[0] * x[a];
        }
    } else if (k->dim == 3) {
        multiply(3, slope, x, y);
    } else {
        multiply(k->dim, slope, x, y);
    }
}

static void operate(finish_system *s, const double *x, double *y)
{
    finish_rows(s, x, s->t);
    for (int i = 0; i < s->b->nb; ++i) {
        const bodies_block *k = &s->b->block[i];
        multiply_slope(k, s->B + SLOPES * (size_t)i, s->t + k->row, s->p + k->row);
    }
    finish_mass(s, x, y);
    finish_impulses(s, s->p, y);
}

// ---- pattern -----------------------------------------------------------------------------------

static void sort(int n, int *x)
{
    for (int i = 1; i < n; ++i) {
        const int t = x[i];
        int k = i;
        for (; k > 0 && x[k - 1] > t; --k) {
            x[k] = x[k - 1];
        }
        x[k] = t;
    }
}

// Columns of an upper triangle from pairs of systems, each pair once: a pair belongs to the later
// of its places, or of its numbers where place is null
static int pair_columns(const finish_system *s, const int *place, int *ptr, int *col)
{
    memset(ptr, 0, ((size_t)s->ns + 2) * sizeof *ptr);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < s->b->nb + s->pairs; ++i) {
            const bool block = i < s->b->nb;
            const int *sys = block ? s->b->block[i].sys : s->pair[i - s->b->nb].sys;
            if ((block && !s->held[i]) || sys[0] < 0 || sys[1] < 0 || sys[0] == sys[1]) continue;
            const int x = place ? place[sys[0]] : sys[0], y = place ? place[sys[1]] : sys[1];
            const int low = x < y ? x : y, high = x < y ? y : x;
            if (pass == 0) ptr[high + 2] += 1;
            if (pass == 1) col[ptr[high + 1]++] = low;
        }
        for (int j = 0; pass == 0 && j < s->ns; ++j) {
            ptr[j + 2] += ptr[j + 1];
        }
    }
    // ptr[j + 1] is now the end of column j
    int count = 0;
    for (int j = 0, from = 0; j < s->ns; ++j) {
        const int to = ptr[j + 1], start = count;
        sort(to - from, col + from);
        for (int e = from; e < to; ++e) {
            if (count == start || col[count - 1] != col[e]) col[count++] = col[e];
        }
        from = to;
        ptr[j + 1] = count;
    }
    return count;
}

static void lay_out(finish_system *s)
{
    finish_pattern *S = &s->S;
    S->first[0] = 0;
    for (int i = 0; i < s->ns; ++i) {
        S->first[i + 1] = S->first[i] + width(s, S->order[i]);
    }
    size_t values = 0;
    int at = 0;
    for (int j = 0; j < s->ns; ++j) {
        int height = 0;
        for (int e = S->ptr[j]; e < S->ptr[j + 1]; ++e) {
            S->above[e] = height;
            height += width(s, S->order[S->col[e]]);
        }
        const int w = width(s, S->order[j]);
        S->height[j] = height + w;
        S->base[j] = values;
        values += (size_t)S->height[j] * (size_t)w;
        for (int c = S->first[j]; c < S->first[j + 1]; ++c) {
            S->U.p[c] = at;
            for (int e = S->ptr[j]; e < S->ptr[j + 1]; ++e) {
                for (int i = S->first[S->col[e]]; i < S->first[S->col[e] + 1]; ++i) {
                    S->U.i[at++] = i;
                }
            }
            for (int i = S->first[j]; i < S->first[j + 1]; ++i) {
                S->U.i[at++] = i;
            }
        }
    }
    S->U.p[s->nv] = at;
}

// the pattern of the blocks that are held; false: out of memory
static bool find_pattern(finish_system *s)
{
    finish_pattern *S = &s->S;
    const int count = pair_columns(s, NULL, S->ptr, S->col);
    for (int e = 0; e < count; ++e) {
        s->ones[e] = 1;
    }
    const pcs_csc graph = {.m = s->ns, .n = s->ns, .p = S->ptr, .i = S->col, .x = s->ones};
    if (!chol_order(s->chol, &graph, S->order)) return false;
    for (int i = 0; i < s->ns; ++i) {
        S->place[S->order[i]] = i;
    }
    pair_columns(s, S->place, S->ptr, S->col);
    lay_out(s);
    return true;
}

// ---- factors -----------------------------------------------------------------------------------

// the place in the column block of y at which the rows of x start, x <= y
static size_t entry(const finish_pattern *S, int x, int y)
{
    if (x == y) return S->base[y] + (size_t)(S->height[y] - (S->first[y + 1] - S->first[y]));
    int low = S->ptr[y], high = S->ptr[y + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (S->col[middle] < x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return S->base[y] + (size_t)S->above[low];
}

// C J of one side of block i, by rows; C is symmetric
static void multiply_rows(finish_system *s, int i, int side)
{
    const bodies_block *k = &s->b->block[i];
    const int w = width(s, k->sys[side]);
    const double *C = s->C + SLOPES * (size_t)i, *J = s->J + s->j[side][i];
    if (k->cone != PCS_CONE_EQUALITY) {
        rows_turn(k->dim, w, C, J, s->CJ);
        return;
    }
    for (int a = 0; a < k->dim * w; ++a) {
        s->CJ[a] = C[0] * J[a];
    }
}

static void add_block(finish_system *s, int i)
{
    const finish_pattern *S = &s->S;
    const bodies_block *k = &s->b->block[i];
    for (int f = 0; f < 2; ++f) {
        if (k->sys[f] < 0) continue;
        const int w = width(s, k->sys[f]), y = S->place[k->sys[f]];
        multiply_rows(s, i, f);
        for (int e = 0; e < 2; ++e) {
            if (k->sys[e] < 0 || S->place[k->sys[e]] > y) continue;
            const size_t to = entry(S, S->place[k->sys[e]], y);
            for (int c = 0; c < w; ++c) {
                s->at[c] = (int)to + S->height[y] * c;
            }
            rows_add_columns(k->dim, width(s, k->sys[e]), w, s->J + s->j[e][i], s->CJ, s->at,
                             S->U.x);
        }
    }
}

// adds the symmetric part of the entries of A between two systems
static void add_pair(finish_system *s, const finish_pair *p)
{
    const finish_pattern *S = &s->S;
    const int first = S->place[p->sys[0]], second = S->place[p->sys[1]];
    const int e = first < second ? 0 : 1, f = 1 - e; // rows of system e, columns of system f
    const int h = width(s, p->sys[e]), w = width(s, p->sys[f]);
    const double *A = p->A[e], *back = p->A[f];
    double *to = S->U.x + entry(S, S->place[p->sys[e]], S->place[p->sys[f]]);
    for (int c = 0; c < w; ++c, to += S->height[S->place[p->sys[f]]]) {
        for (int a = 0; a < h; ++a) {
            to[a] += 0.5 * (A[a + h * c] + back[c + w * a]);
        }
    }
}

bool finish_system_analyse(finish_system *s)
{
    for (int i = 0; i < s->b->nb; ++i) {
        if (s->held[i] || s->C[SLOPES * (size_t)i] == 0) continue;
        s->held[i] = 1;
        s->known = false;
    }
    if (!s->known) s->known = find_pattern(s) && chol_analyse(s->chol, &s->S.U, MOST_ENTRIES);
    return s->known;
}

chol_outcome finish_system_factor(finish_system *s)
{
    if (!finish_system_analyse(s)) return CHOL_LOST;
    const finish_pattern *S = &s->S;
    memset(S->U.x, 0, (size_t)S->U.p[s->nv] * sizeof *S->U.x);
    for (int j = 0; j < s->ns; ++j) {
        const int w = width(s, S->order[j]);
        const double *A = s->A + s->a[S->order[j]];
        double *to = S->U.x + entry(S, j, j);
        for (int c = 0; c < w; ++c, to += S->height[j]) {
            for (int a = 0; a < w; ++a) {
                to[a] = 0.5 * (A[a + w * c] + A[c + w * a]);
            }
        }
    }
    for (int k = 0; k < s->pairs; ++k) {
        add_pair(s, &s->pair[k]);
    }
    for (int i = 0; i < s->b->nb; ++i) {
        if (s->C[SLOPES * (size_t)i] != 0) add_block(s, i);
    }
    const chol_outcome end = chol_refactor(s->chol, &S->U, true, 0, MOST_ENTRIES);
    s->known = end != CHOL_LOST;
    return end;
}

void finish_system_cost(const finish_system *s, double *factor, double *iteration)
{
    double multiplications, entries;
    chol_cost(s->chol, &multiplications, &entries);
    *factor = 4.0 * s->b->nb + multiplications / PER_VISIT;
    *iteration = 2.0 * s->b->nb + (2 * entries + KRYLOV * (double)s->nv) / PER_VISIT;
}

// z = S^-1 y
static bool apply(finish_system *s, const double *y, double *z)
{
    const finish_pattern *S = &s->S;
    for (int j = 0; j < s->ns; ++j) {
        const double *from = y + s->b->A->start[S->order[j]];
        for (int i = S->first[j]; i < S->first[j + 1]; ++i) {
            s->x[i] = *from++;
        }
    }
    if (!chol_apply(s->chol, s->x)) return false;
    for (int j = 0; j < s->ns; ++j) {
        double *to = z + s->b->A->start[S->order[j]];
        for (int i = S->first[j]; i < S->first[j + 1]; ++i) {
            *to++ = s->x[i];
        }
    }
    return true;
}

// ---- GMRES -------------------------------------------------------------------------------------

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// scales y and z = S^-1 y so that y has length 1; returns the length before, not positive when no
// direction is left
static double normalise(int n, double *y, double *z)
{
    const double square = dot(n, y, z), length = square > 0 ? sqrt(square) : 0;
    for (int i = 0; length > 0 && i < n; ++i) {
        y[i] /= length;
        z[i] /= length;
    }
    return length;
}

// right-preconditioned by S: the y_k are orthogonal in the product y' S^-1 y; z_k = S^-1 y_k is
// stored with each
int finish_system_solve(finish_system *s, const double *g, double tol, double *x)
{
    const int n = s->nv;
    const size_t step = (size_t)n;
    double H[KRYLOV][KRYLOV], c[KRYLOV], d[KRYLOV], q[KRYLOV + 1];
    memset(x, 0, step * sizeof *x);
    memcpy(s->Y, g, step * sizeof *g);
    if (!apply(s, s->Y, s->Z)) return -1;
    const double whole = q[0] = normalise(n, s->Y, s->Z);
    int k = 0;
    for (bool more = whole > 0; more && k < KRYLOV; ++k) {
        double *y = s->Y + step * (size_t)(k + 1), *z = s->Z + step * (size_t)(k + 1);
        operate(s, s->Z + step * (size_t)k, y);
        for (int i = 0; i <= k; ++i) {
            const double *yi = s->Y + step * (size_t)i;
            const double h = H[i][k] = dot(n, y, s->Z + step * (size_t)i);
            for (int a = 0; a < n; ++a) {
                y[a] -= h * yi[a];
            }
        }
        if (!apply(s, y, z)) return -1;
        const double h = normalise(n, y, z);
        for (int i = 0; i < k; ++i) {
            const double t = c[i] * H[i][k] + d[i] * H[i + 1][k];
            H[i + 1][k] = c[i] * H[i + 1][k] - d[i] * H[i][k];
            H[i][k] = t;
        }
        const double r = sqrt(H[k][k] * H[k][k] + h * h);
        if (!(r > 0)) break;
        c[k] = H[k][k] / r;
        d[k] = h / r;
        H[k][k] = r;
        q[k + 1] = -d[k] * q[k];
        q[k] *= c[k];
        more = fabs(q[k + 1]) > tol * whole && h > 0;
    }
    for (int i = k - 1; i >= 0; --i) {
        for (int j = i + 1; j < k; ++j) {
            q[i] -= H[i][j] * q[j];
        }
        q[i] /= H[i][i];
    }
    for (int i = 0; i < k; ++i) {
        const double *z = s->Z + step * (size_t)i;
        for (int a = 0; a < n; ++a) {
            x[a] += q[i] * z[a];
        }
    }
    return k;
}
