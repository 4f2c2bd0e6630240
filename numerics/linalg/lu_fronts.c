// Left-looking LU by fronts. Front s covers columns first .. first + width - 1; below them it has
// the rows `row`, which are also the columns of its rows to the right. With its diagonal block D,
// the part below B and the part to the right R,
//
//     P D = L U,   B <- B U^-1,   R <- L^-1 P R
//
// and every later front has B R of its rows and columns subtracted before it is factorised. P
// exchanges rows inside the front only, so that B and R of other fronts do not change. B is stored
// transposed: B^T and R have the shape width x below. A front waits in the list of the front that
// contains its next row.
#include "linalg/lu_fronts.h"

#include <stdlib.h>
#include <string.h>

#include <cholmod.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

// Multiplications of a front in the time of one column by column, and the cost of an entry of a
// factor in these
#define WIDE      6
#define PER_ENTRY 4
// Multiplications per entry of a factor below which a factorisation column by column is as fast
#define LEAST_WORK 4

struct lu_fronts {
    cholmod_common c;
    cholmod_factor *L; // its pattern
    int n, count;
    const int *first, *start, *row, *order;
    double *scale;       // n, of the rows
    double *D, *B, *R;   // values of all fronts
    size_t *square, *at; // per front: place in D; in B and R
    size_t squares, values, products, entries;
    int *piv;   // n, of dense_lu in a front
    int *front; // n, front of a column
    int *place; // n, place of a row in the present front
    int *list, *next,
        *pos;      // per front: the first that waits for it; the next in that list; its next row
    size_t *to;    // place of an entry of A in D, B or R, one after another
    double *C, *t; // a product; 2 n
};

static int width(const lu_fronts *f, int s)
{
    return f->first[s + 1] - f->first[s];
}

static int height(const lu_fronts *f, int s)
{
    return f->start[s + 1] - f->start[s];
}

static bool is_symmetric_pattern(const pcs_csc *A, int *next)
{
    // the entries (j, i), i in column order, meet those of each column in turn
    memcpy(next, A->p, (size_t)A->n * sizeof *next);
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->p[j]; k < A->p[j + 1]; ++k) {
            const int i = A->i[k], at = next[i]++;
            if (at >= A->p[i + 1] || A->i[at] != j) return false;
        }
    }
    return true;
}

void lu_fronts_destroy(lu_fronts *f)
{
    if (!f) return;
    cholmod_common *c = &f->c;
    const size_t n = (size_t)f->n, count = (size_t)f->count;
    cholmod_free(n, sizeof(double), f->scale, c);
    cholmod_free(f->squares, sizeof(double), f->D, c);
    cholmod_free(f->values, sizeof(double), f->B, c);
    cholmod_free(f->values, sizeof(double), f->R, c);
    cholmod_free(count, sizeof(size_t), f->square, c);
    cholmod_free(count, sizeof(size_t), f->at, c);
    cholmod_free(n, sizeof(int), f->piv, c);
    cholmod_free(n, sizeof(int), f->front, c);
    cholmod_free(n, sizeof(int), f->place, c);
    cholmod_free(count, sizeof(int), f->list, c);
    cholmod_free(count, sizeof(int), f->next, c);
    cholmod_free(count, sizeof(int), f->pos, c);
    cholmod_free(f->entries, sizeof(size_t), f->to, c);
    cholmod_free(f->products, sizeof(double), f->C, c);
    cholmod_free(2 * n, sizeof(double), f->t, c);
    cholmod_free_factor(&f->L, c);
    cholmod_finish(c);
    free(f);
}

// places of the rows below front s
static void find_places(lu_fronts *f, int s)
{
    const int *row = f->row + f->start[s];
    for (int i = width(f, s); i < height(f, s); ++i) {
        f->place[row[i]] = i - width(f, s);
    }
}

// sizes and places of the fronts
static bool lay_out(lu_fronts *f)
{
    cholmod_common *c = &f->c;
    const size_t count = (size_t)f->count;
    f->square = cholmod_malloc(count, sizeof(size_t), c);
    f->at = cholmod_malloc(count, sizeof(size_t), c);
    if (!f->square || !f->at) return false;
    f->products = f->L->maxcsize > 0 ? f->L->maxcsize : 1;
    for (int s = 0; s < f->count; ++s) {
        const size_t w = (size_t)width(f, s), below = (size_t)height(f, s) - w;
        f->square[s] = f->squares;
        f->at[s] = f->values;
        f->squares += w * w;
        f->values += w * below;
    }
    return true;
}

// Entry (i, j) of A is entry (a, b) of the factors: listed by the smaller of both, so that every
// front marks its rows once. At first `place` is the inverse of the order
static bool map_entries(lu_fronts *f, const pcs_csc *A)
{
    cholmod_common *c = &f->c;
    const size_t n = (size_t)f->n;
    int *head = cholmod_malloc(n, sizeof(int), c), *inverse = cholmod_malloc(n, sizeof(int), c);
    int *next = cholmod_malloc(f->entries, sizeof(int), c);
    int *column = cholmod_malloc(f->entries, sizeof(int), c);
    const bool good = head && inverse && next && column;
    for (int k = 0; k < f->n && good; ++k) {
        inverse[f->order[k]] = k;
        head[k] = -1;
    }
    for (int j = 0; j < f->n && good; ++j) {
        for (int e = A->p[j]; e < A->p[j + 1]; ++e) {
            const int a = inverse[A->i[e]], b = inverse[j], low = a < b ? a : b;
            column[e] = j;
            next[e] = head[low];
            head[low] = e;
        }
    }
    for (int s = 0; s < f->count && good; ++s) {
        const int w = width(f, s), first = f->first[s], end = f->first[s + 1];
        find_places(f, s);
        for (int low = first; low < end; ++low) {
            for (int e = head[low]; e >= 0; e = next[e]) {
                const int a = inverse[A->i[e]], b = inverse[column[e]];
                const size_t W = (size_t)w;
                if (a < end && b < end) {
                    f->to[e] = f->square[s] + (size_t)(a - first) + W * (size_t)(b - first);
                } else if (a > b) {
                    f->to[e] =
                        f->squares + f->at[s] + (size_t)(b - first) + W * (size_t)f->place[a];
                } else {
                    f->to[e] = f->squares + f->values + f->at[s] + (size_t)(a - first) +
                               W * (size_t)f->place[b];
                }
            }
        }
    }
    cholmod_free(n, sizeof(int), head, c);
    cholmod_free(n, sizeof(int), inverse, c);
    cholmod_free(f->entries, sizeof(int), next, c);
    cholmod_free(f->entries, sizeof(int), column, c);
    return good;
}

static bool take(lu_fronts *f, const pcs_csc *A)
{
    cholmod_common *c = &f->c;
    const size_t n = (size_t)f->n, count = (size_t)f->count;
    if (!lay_out(f)) return false;
    f->entries = (size_t)A->p[A->n];
    f->scale = cholmod_malloc(n, sizeof(double), c);
    f->D = cholmod_malloc(f->squares, sizeof(double), c);
    f->B = cholmod_malloc(f->values, sizeof(double), c);
    f->R = cholmod_malloc(f->values, sizeof(double), c);
    f->piv = cholmod_malloc(n, sizeof(int), c);
    f->front = cholmod_malloc(n, sizeof(int), c);
    f->place = cholmod_malloc(n, sizeof(int), c);
    f->list = cholmod_malloc(count, sizeof(int), c);
    f->next = cholmod_malloc(count, sizeof(int), c);
    f->pos = cholmod_malloc(count, sizeof(int), c);
    f->to = cholmod_malloc(f->entries, sizeof(size_t), c);
    f->C = cholmod_malloc(f->products, sizeof(double), c);
    f->t = cholmod_malloc(2 * n, sizeof(double), c);
    return c->status == CHOLMOD_OK && map_entries(f, A);
}

lu_fronts *lu_fronts_create(const pcs_csc *A)
{
#ifdef PERCUSS_NO_GPL
    (void)A;
    return NULL;
#else
    if (A->n == 0) return NULL;
    lu_fronts *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    cholmod_common *c = &f->c;
    cholmod_start(c);
    c->print = 0;
    c->try_catch = 1;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_AMD;
    c->supernodal = CHOLMOD_SUPERNODAL;
    f->n = A->n;
    cholmod_sparse upper = {.nrow = (size_t)A->n,
                            .ncol = (size_t)A->n,
                            .nzmax = (size_t)A->p[A->n],
                            .p = A->p,
                            .i = A->i,
                            .x = A->x,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .packed = 1};
    int *next = cholmod_malloc((size_t)A->n, sizeof(int), c);
    const bool symmetric = next && is_symmetric_pattern(A, next);
    cholmod_free((size_t)A->n, sizeof(int), next, c);
    f->L = symmetric ? cholmod_analyze(&upper, c) : NULL;
    bool good = f->L && f->L->is_super && c->fl > 2 * LEAST_WORK * c->lnz;
    if (good) {
        f->count = (int)f->L->nsuper;
        f->first = f->L->super;
        f->start = f->L->pi;
        f->row = f->L->s;
        f->order = f->L->Perm;
        good = take(f, A);
    }
    if (!good) {
        lu_fronts_destroy(f);
        return NULL;
    }
    for (int s = 0; s < f->count; ++s) {
        for (int k = f->first[s]; k < f->first[s + 1]; ++k) {
            f->front[k] = s;
        }
    }
    return f;
#endif
}

double lu_fronts_cost(const lu_fronts *f)
{
    // CHOLMOD counts additions too, but only one of both factors
    return f->c.fl / WIDE + PER_ENTRY * 2 * f->c.lnz;
}

// ---- values ------------------------------------------------------------------------------------

// puts front d into the list of the front that contains its row number pos, if there is one
static void wait(lu_fronts *f, int d, int pos)
{
    f->pos[d] = pos;
    if (pos == height(f, d)) return;
    const int s = f->front[f->row[f->start[d] + pos]];
    f->next[d] = f->list[s];
    f->list[s] = d;
}

// to - the product C (inside x rest) of front d for its rows in s and those below
static void spread(const lu_fronts *f, int s, const int *row, int inside, int from, int rest,
                   const double *C, double *to)
{
    const size_t w = (size_t)width(f, s);
    for (int i = from; i < rest; ++i) {
        double *column = to + w * (size_t)f->place[row[i]];
        const double *c = C + (size_t)inside * (size_t)(i - from);
        for (int j = 0; j < inside; ++j) {
            column[row[j] - f->first[s]] -= c[j];
        }
    }
}

// subtracts the part of front d from front s
static void subtract(lu_fronts *f, int s, int d)
{
    const int *row = f->row + f->start[d] + f->pos[d], rest = height(f, d) - f->pos[d];
    const int w = width(f, d);
    int inside = 0;
    while (inside < rest && row[inside] < f->first[s + 1]) {
        ++inside;
    }
    const size_t ld = (size_t)w, n = (size_t)inside;
    const size_t at = f->at[d] + ld * (size_t)(f->pos[d] - w), beyond = at + ld * n;
    const double *B = f->B, *R = f->R;
    double *D = f->D + f->square[s];
    // the diagonal block: rows of B by columns of R
    memset(f->C, 0, n * n * sizeof *f->C);
    multiply_add(true, false, false, inside, inside, w, 1, B + at, ld, R + at, ld, f->C, n);
    for (int j = 0; j < inside; ++j) {
        double *column = D + (size_t)width(f, s) * (size_t)(row[j] - f->first[s]);
        for (int i = 0; i < inside; ++i) {
            column[row[i] - f->first[s]] -= f->C[(size_t)i + n * (size_t)j];
        }
    }
    const int left = rest - inside;
    if (left > 0) {
        const size_t values = n * (size_t)left * sizeof *f->C;
        memset(f->C, 0, values);
        multiply_add(true, false, false, inside, left, w, 1, R + at, ld, B + beyond, ld, f->C, n);
        spread(f, s, row, inside, inside, rest, f->C, f->B + f->at[s]);
        memset(f->C, 0, values);
        multiply_add(true, false, false, inside, left, w, 1, B + at, ld, R + beyond, ld, f->C, n);
        spread(f, s, row, inside, inside, rest, f->C, f->R + f->at[s]);
    }
    wait(f, d, f->pos[d] + inside);
}

// factorises the front itself
static bool eliminate(lu_fronts *f, int s)
{
    const int w = width(f, s), below = height(f, s) - w;
    const size_t ld = (size_t)w;
    double *D = f->D + f->square[s], *R = f->R + f->at[s];
    int *piv = f->piv + f->first[s];
    if (!dense_lu(w, D, piv)) return false;
    for (int j = 0; j < below; ++j) {
        double *column = R + ld * (size_t)j;
        for (int k = 0; k < w; ++k) {
            swap_numbers(&column[k], &column[piv[k]]);
        }
    }
    triangle_solve((triangle){.lower = true, .unit = true}, w, D, ld, below, R, ld);
    triangle_solve((triangle){.transposed = true}, w, D, ld, below, f->B + f->at[s], ld);
    return true;
}

// the values of A with rows of size 1
static bool fill(lu_fronts *f, const pcs_csc *A)
{
    double *const part[] = {f->D, f->B, f->R};
    const size_t end[] = {f->squares, f->squares + f->values};
    memset(f->D, 0, f->squares * sizeof *f->D);
    memset(f->B, 0, f->values * sizeof *f->B);
    memset(f->R, 0, f->values * sizeof *f->R);
    memset(f->scale, 0, (size_t)f->n * sizeof *f->scale);
    for (size_t e = 0; e < f->entries; ++e) {
        const int i = A->i[e];
        if (!(fabs(A->x[e]) <= f->scale[i])) f->scale[i] = fabs(A->x[e]);
    }
    for (int i = 0; i < f->n; ++i) {
        if (!(f->scale[i] > 0) || !isfinite(f->scale[i])) return false;
        f->scale[i] = 1 / f->scale[i];
    }
    for (size_t e = 0; e < f->entries; ++e) {
        const size_t to = f->to[e];
        const int k = to < end[0] ? 0 : to < end[1] ? 1 : 2;
        part[k][to - (k > 0 ? end[k - 1] : 0)] += f->scale[A->i[e]] * A->x[e];
    }
    return true;
}

double lu_fronts_factor(lu_fronts *f, const pcs_csc *A)
{
    double least = INFINITY, most = 0;
    if (!fill(f, A)) return 0;
    for (int s = 0; s < f->count; ++s) {
        f->list[s] = -1;
    }
    for (int s = 0; s < f->count; ++s) {
        find_places(f, s);
        for (int d = f->list[s], next; d >= 0; d = next) {
            next = f->next[d];
            subtract(f, s, d);
        }
        if (!eliminate(f, s)) return 0;
        const size_t w = (size_t)width(f, s);
        for (size_t j = 0; j < w; ++j) {
            const double pivot = fabs(f->D[f->square[s] + (w + 1) * j]);
            if (!isfinite(pivot)) return 0;
            least = fmin(least, pivot);
            most = fmax(most, pivot);
        }
        wait(f, s, width(f, s));
    }
    return least / most;
}

int lu_fronts_sign(const lu_fronts *f)
{
    int sign = 1;
    for (int s = 0; s < f->count; ++s) {
        sign *= dense_lu_sign(width(f, s), f->D + f->square[s], f->piv + f->first[s]);
    }
    return sign;
}

void lu_fronts_solve(const lu_fronts *f, double *work, double *x)
{
    const triangle L = {.lower = true, .unit = true}, U = {0};
    double *y = work ? work : f->t, *t = y + f->n;
    for (int k = 0; k < f->n; ++k) {
        y[k] = f->scale[f->order[k]] * x[f->order[k]];
    }
    for (int s = 0; s < f->count; ++s) {
        const int w = width(f, s), below = height(f, s) - w, *row = f->row + f->start[s] + w;
        const size_t ld = (size_t)w;
        double *top = y + f->first[s];
        for (int k = 0; k < w; ++k) {
            swap_numbers(&top[k], &top[f->piv[f->first[s] + k]]);
        }
        triangle_solve(L, w, f->D + f->square[s], ld, 1, top, ld);
        columns_dot(w, below, f->B + f->at[s], ld, top, t);
        for (int i = 0; i < below; ++i) {
            y[row[i]] -= t[i];
        }
    }
    for (int s = f->count - 1; s >= 0; --s) {
        const int w = width(f, s), below = height(f, s) - w, *row = f->row + f->start[s] + w;
        const size_t ld = (size_t)w;
        double *top = y + f->first[s];
        for (int i = 0; i < below; ++i) {
            t[i] = y[row[i]];
        }
        columns_add(w, below, -1, f->R + f->at[s], ld, t, top);
        triangle_solve(U, w, f->D + f->square[s], ld, 1, top, ld);
    }
    for (int k = 0; k < f->n; ++k) {
        x[f->order[k]] = y[k];
    }
}
