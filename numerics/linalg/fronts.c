// Left-looking Cholesky by fronts. Front s covers columns first .. first + width - 1 of L; its rows
// are those columns, then the rows below. For every front d before it with rows among its columns,
//
//     L_s <- L_s - L_d(rows from there) L_d(rows in the columns of s)^T
//
// then its own columns are factorised. A front waits in the list of the front that contains its
// next row.
#include "linalg/fronts.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"

// place of an entry below the diagonal, which is not read, as CHOLMOD does not read it
#define NOWHERE (-1)

struct fronts {
    int n, count;
    const int *first, *start, *at, *row; // CHOLMOD's: columns, rows and values of a front
    const int *order;                    // CHOLMOD's: row k of L is row order[k] of A
    size_t entries, values, products;
    int *front; // n, front of a column
    int *to;    // place in L of an entry of A
    int *place; // n, place of a row in the present front
    int *list, *next,
        *pos; // per front: the first that waits for it; the next in the same list; its next row
    double *L, *C, *t; // values; a product; n
};

static int width(const fronts *f, int s)
{
    return f->first[s + 1] - f->first[s];
}

static int height(const fronts *f, int s)
{
    return f->start[s + 1] - f->start[s];
}

void fronts_destroy(fronts *f, cholmod_common *c)
{
    if (!f) return;
    const size_t n = (size_t)f->n, count = (size_t)f->count;
    cholmod_free(n, sizeof(int), f->front, c);
    cholmod_free(f->entries, sizeof(int), f->to, c);
    cholmod_free(n, sizeof(int), f->place, c);
    cholmod_free(count, sizeof(int), f->list, c);
    cholmod_free(count, sizeof(int), f->next, c);
    cholmod_free(count, sizeof(int), f->pos, c);
    cholmod_free(f->values, sizeof(double), f->L, c);
    cholmod_free(f->products, sizeof(double), f->C, c);
    cholmod_free(n, sizeof(double), f->t, c);
    cholmod_free(1, sizeof *f, f, c);
}

static void find_places(fronts *f, int s)
{
    const int *row = f->row + f->start[s];
    for (int i = 0; i < height(f, s); ++i) {
        f->place[row[i]] = i;
    }
}

// Entry (i, j) of A is entry (a, b) of L, a >= b; entries are listed by b, so that every front
// marks its rows once. At first `place` is the inverse of the order, and pos and list are lists of
// entries.
static bool map_entries(fronts *f, const pcs_csc *A, cholmod_common *c)
{
    const size_t n = (size_t)f->n;
    int *head = cholmod_malloc(n, sizeof(int), c), *inverse = cholmod_malloc(n, sizeof(int), c);
    int *next = cholmod_malloc(f->entries, sizeof(int), c);
    const bool good = head && inverse && next;
    for (int k = 0; k < f->n && good; ++k) {
        inverse[f->order[k]] = k;
        head[k] = -1;
    }
    for (int j = 0; j < f->n && good; ++j) {
        for (int e = A->p[j]; e < A->p[j + 1]; ++e) {
            if (A->i[e] > j) {
                f->to[e] = NOWHERE;
                continue;
            }
            const int x = inverse[A->i[e]], y = inverse[j], b = x < y ? x : y;
            f->to[e] = x < y ? y : x; // the row of the entry, until its place is known
            next[e] = head[b];
            head[b] = e;
        }
    }
    for (int s = 0; s < f->count && good; ++s) {
        find_places(f, s);
        for (int b = f->first[s]; b < f->first[s + 1]; ++b) {
            const int column = f->at[s] + height(f, s) * (b - f->first[s]);
            for (int e = head[b]; e >= 0; e = next[e]) {
                f->to[e] = column + f->place[f->to[e]];
            }
        }
    }
    cholmod_free(n, sizeof(int), head, c);
    cholmod_free(n, sizeof(int), inverse, c);
    cholmod_free(f->entries, sizeof(int), next, c);
    return good;
}

fronts *fronts_create(const cholmod_factor *L, const pcs_csc *upper, cholmod_common *c)
{
    fronts *f = cholmod_calloc(1, sizeof *f, c);
    if (!f) return NULL;
    f->n = (int)L->n;
    f->count = (int)L->nsuper;
    f->first = L->super;
    f->start = L->pi;
    f->at = L->px;
    f->row = L->s;
    f->order = L->Perm;
    f->entries = (size_t)upper->p[upper->n];
    f->values = L->xsize;
    f->products = L->maxcsize > 0 ? L->maxcsize : 1;
    const size_t n = (size_t)f->n, count = (size_t)f->count;
    f->front = cholmod_malloc(n, sizeof(int), c);
    f->to = cholmod_malloc(f->entries, sizeof(int), c);
    f->place = cholmod_malloc(n, sizeof(int), c);
    f->list = cholmod_malloc(count, sizeof(int), c);
    f->next = cholmod_malloc(count, sizeof(int), c);
    f->pos = cholmod_malloc(count, sizeof(int), c);
    f->L = cholmod_malloc(f->values, sizeof(double), c);
    f->C = cholmod_malloc(f->products, sizeof(double), c);
    f->t = cholmod_malloc(n, sizeof(double), c);
    if (!f->front || !f->to || !f->place || !f->list || !f->next || !f->pos || !f->L || !f->C ||
        !f->t || !map_entries(f, upper, c)) {
        fronts_destroy(f, c);
        return NULL;
    }
    for (int s = 0; s < f->count; ++s) {
        for (int k = f->first[s]; k < f->first[s + 1]; ++k) {
            f->front[k] = s;
        }
    }
    return f;
}

// ---- values ------------------------------------------------------------------------------------

// puts front d into the list of the front that contains its row number pos, if there is one
static void wait(fronts *f, int d, int pos)
{
    f->pos[d] = pos;
    if (pos == height(f, d)) return;
    const int s = f->front[f->row[f->start[d] + pos]];
    f->next[d] = f->list[s];
    f->list[s] = d;
}

// subtracts the part of front d from L_s
static void subtract(fronts *f, int s, int d)
{
    const int *row = f->row + f->start[d] + f->pos[d], rest = height(f, d) - f->pos[d];
    int inside = 0;
    while (inside < rest && row[inside] < f->first[s + 1]) {
        ++inside;
    }
    const double *from = f->L + f->at[d] + f->pos[d];
    const size_t ld = (size_t)height(f, d), m = (size_t)rest;
    memset(f->C, 0, m * (size_t)inside * sizeof *f->C);
    multiply_add(false, true, true, rest, inside, width(f, d), 1, from, ld, from, ld, f->C, m);
    for (int j = 0; j < inside; ++j) {
        double *to = f->L + f->at[s] + (size_t)height(f, s) * (size_t)(row[j] - f->first[s]);
        const double *C = f->C + m * (size_t)j;
        for (int i = j; i < rest; ++i) {
            to[f->place[row[i]]] -= C[i];
        }
    }
    wait(f, d, f->pos[d] + inside);
}

double fronts_factor(fronts *f, const double *x)
{
    double least = INFINITY, most = 0;
    memset(f->L, 0, f->values * sizeof *f->L);
    for (size_t e = 0; e < f->entries; ++e) {
        if (f->to[e] != NOWHERE) f->L[f->to[e]] += x[e];
    }
    for (int s = 0; s < f->count; ++s) {
        f->list[s] = -1;
    }
    for (int s = 0; s < f->count; ++s) {
        const size_t ld = (size_t)height(f, s);
        double *L = f->L + f->at[s];
        find_places(f, s);
        for (int d = f->list[s], next; d >= 0; d = next) {
            next = f->next[d];
            subtract(f, s, d);
        }
        if (!dense_cholesky_part(height(f, s), width(f, s), L, ld)) return 0;
        for (int j = 0; j < width(f, s); ++j) {
            const double root = L[(ld + 1) * (size_t)j];
            if (!isfinite(root)) return 0;
            least = fmin(least, root);
            most = fmax(most, root);
        }
        wait(f, s, width(f, s));
    }
    return f->n > 0 ? (least / most) * (least / most) : 1;
}

void fronts_solve(fronts *f, double *x)
{
    const triangle L = {.lower = true}, U = {.lower = true, .transposed = true};
    double *y = f->t, *t = x; // x serves as memory until the end
    for (int k = 0; k < f->n; ++k) {
        y[k] = x[f->order[k]];
    }
    for (int s = 0; s < f->count; ++s) {
        const int w = width(f, s), below = height(f, s) - w, *row = f->row + f->start[s] + w;
        const double *A = f->L + f->at[s];
        const size_t ld = (size_t)height(f, s);
        double *top = y + f->first[s];
        triangle_solve(L, w, A, ld, 1, top, ld);
        memset(t, 0, (size_t)below * sizeof *t);
        columns_add(below, w, -1, A + w, ld, top, t);
        for (int i = 0; i < below; ++i) {
            y[row[i]] += t[i];
        }
    }
    for (int s = f->count - 1; s >= 0; --s) {
        const int w = width(f, s), below = height(f, s) - w, *row = f->row + f->start[s] + w;
        const double *A = f->L + f->at[s];
        const size_t ld = (size_t)height(f, s);
        double *top = y + f->first[s], *sums = t + below; // below + w rows at most
        for (int i = 0; i < below; ++i) {
            t[i] = y[row[i]];
        }
        columns_dot(below, w, A + w, ld, t, sums);
        for (int j = 0; j < w; ++j) {
            top[j] -= sums[j];
        }
        triangle_solve(U, w, A, ld, 1, top, ld);
    }
    for (int k = 0; k < f->n; ++k) {
        x[f->order[k]] = y[k];
    }
}
