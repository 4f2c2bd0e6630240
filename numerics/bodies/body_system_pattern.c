// The data structures of body_system.c: memory, the pattern of S, the places of its terms, and its
// order.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/body_system.h"
#include "linalg/bsr.h"
#include "linalg/csc.h"

// largest number of entries of S
#define MOST_ENTRIES 2e8

// ---- pattern -----------------------------------------------------------------------------------

// the entries of all cone blocks, the numbers in their rows of H and in the largest entry, and the
// places in S
typedef struct counts {
    size_t entries, values, most, places;
} counts;

static counts count_columns(const pcs_global_problem *g)
{
    const pcs_bsr *H = &g->H;
    counts n = {0};
    for (int b = 0, i = 0; b < g->nb; ++b) {
        while (H->row[i + 1] <= g->block[b].row) {
            ++i;
        }
        const size_t m = (size_t)(H->ptr[i + 1] - H->ptr[i]);
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
            const size_t width = (size_t)(H->col[H->idx[k] + 1] - H->col[H->idx[k]]);
            const size_t values = (size_t)g->block[b].dim * width;
            n.values += values;
            if (values > n.most) n.most = values;
            n.places += m * width;
        }
        n.entries += m;
    }
    return n;
}

static void fill_columns(body_system *s)
{
    const pcs_bsr *H = &s->g->H;
    body_columns *c = &s->k;
    int e = 0;
    size_t at = 0, place = 0;
    c->ptr[0] = 0;
    for (int b = 0, i = 0; b < s->g->nb; ++b) {
        const pcs_block *block = &s->g->block[b];
        while (H->row[i + 1] <= block->row) {
            ++i;
        }
        const size_t m = (size_t)(H->ptr[i + 1] - H->ptr[i]);
        c->place[b] = place;
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k, ++e) {
            const int body = H->idx[k];
            c->col[e] = H->col[body];
            c->width[e] = H->col[body + 1] - H->col[body];
            c->off[e] = at;
            at += (size_t)block->dim * (size_t)c->width[e];
            place += m * (size_t)c->width[e];
        }
        c->ptr[b + 1] = e;
    }
}

static int compare_int(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

typedef struct pattern {
    const pcs_bsr *H;
    int *ptr, *row; // H->n + 2, and one per block: the block rows of H with a column
    int *mark;      // nv, the last column with an entry in a row
    int *seen;      // H->n, the same of a block column
} pattern;

// the rows of S in column j, which is in block column f; returns their number. rows null: only
// counts
static size_t column_rows(const pattern *t, const pcs_csc *M, int f, int j, int *rows)
{
    const pcs_bsr *H = t->H;
    size_t count = 0;
    for (int a = t->ptr[f]; a < t->ptr[f + 1]; ++a) {
        const int i = t->row[a];
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
            const int e = H->idx[k];
            if (t->seen[e] == j) continue;
            t->seen[e] = j;
            for (int r = H->col[e]; r < H->col[e + 1]; ++r) {
                t->mark[r] = j;
                if (rows) rows[count] = r;
                ++count;
            }
        }
    }
    for (int k = M->p[j]; k < M->p[j + 1]; ++k) {
        if (t->mark[M->i[k]] == j) continue;
        t->mark[M->i[k]] = j;
        if (rows) rows[count] = M->i[k];
        ++count;
    }
    if (rows) qsort(rows, count, sizeof *rows, compare_int);
    return count;
}

static void transpose(pattern *t)
{
    const pcs_bsr *H = t->H;
    memset(t->ptr, 0, ((size_t)H->n + 2) * sizeof *t->ptr);
    for (int k = 0; k < H->ptr[H->m]; ++k) {
        t->ptr[H->idx[k] + 2] += 1;
    }
    for (int j = 0; j < H->n; ++j) {
        t->ptr[j + 2] += t->ptr[j + 1];
    }
    for (int i = 0; i < H->m; ++i) {
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
            t->row[t->ptr[H->idx[k] + 1]++] = i;
        }
    }
}

// the entry (row, column) of A, which must exist
static int find(const pcs_csc *A, int row, int column)
{
    int low = A->p[column], high = A->p[column + 1];
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (A->i[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void find_places(body_system *s)
{
    for (int b = 0; b < s->g->nb; ++b) {
        int *at = s->k.at + s->k.place[b];
        for (int f = s->k.ptr[b]; f < s->k.ptr[b + 1]; ++f) {
            for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
                for (int j = s->k.col[f]; j < s->k.col[f] + s->k.width[f]; ++j) {
                    *at++ = s->k.width[e] > 0 ? find(&s->S, s->k.col[e], j) : 0;
                }
            }
        }
    }
    for (int j = 0; j < s->nv; ++j) {
        for (int k = s->M.p[j]; k < s->M.p[j + 1]; ++k) {
            s->mass[k] = find(&s->S, s->M.i[k], j);
        }
    }
}

// the pattern of S, in two passes: the first counts, the second writes
static bool lay_out(body_system *s, const pattern *t, bool write)
{
    double sum = 0;
    memset(t->mark, -1, (size_t)s->nv * sizeof *t->mark);
    memset(t->seen, -1, (size_t)t->H->n * sizeof *t->seen);
    s->S.p[0] = 0;
    for (int f = 0; f < t->H->n; ++f) {
        for (int j = t->H->col[f]; j < t->H->col[f + 1]; ++j) {
            const size_t count = column_rows(t, &s->M, f, j, write ? s->S.i + s->S.p[j] : NULL);
            sum += (double)count;
            if (sum > MOST_ENTRIES) return false;
            s->S.p[j + 1] = s->S.p[j] + (int)count;
        }
    }
    return true;
}

static bool take_columns(body_system *s, size_t *numbers, pcs_arena *arena)
{
    const size_t nb = (size_t)s->g->nb;
    const counts n = count_columns(s->g);
    *numbers = n.values;
    s->k.ptr = PCS_TAKE(arena, nb + 1, int);
    s->k.place = PCS_TAKE(arena, nb, size_t);
    s->k.col = PCS_TAKE(arena, n.entries, int);
    s->k.width = PCS_TAKE(arena, n.entries, int);
    s->k.off = PCS_TAKE(arena, n.entries, size_t);
    s->k.at = PCS_TAKE(arena, n.places, int);
    s->DH = PCS_TAKE(arena, n.values, double);
    s->G = s->turned ? PCS_TAKE(arena, n.values, double) : s->DH;
    s->lu = PCS_TAKE(arena, BLOCK_SYSTEM_STRIDE * nb, double);
    s->piv = PCS_TAKE(arena, 3 * nb, int);
    s->X = PCS_TAKE(arena, n.most, double);
    return s->k.ptr && s->k.place && s->k.col && s->k.width && s->k.off && s->k.at && s->DH &&
           s->G && s->lu && s->piv && s->X;
}

static bool take_vectors(body_system *s, bool exact, pcs_arena *arena)
{
    const size_t n = (size_t)s->n, nv = (size_t)s->nv;
    s->y = PCS_TAKE(arena, nv, double);
    s->y2 = PCS_TAKE(arena, nv, double);
    s->t = PCS_TAKE(arena, n, double);
    s->right = PCS_TAKE(arena, n, double);
    s->rest = PCS_TAKE(arena, n, double);
    const size_t most = exact ? BODY_SYSTEM_DIRECTIONS * n : 0;
    s->Z = PCS_TAKE(arena, most, double);
    s->V = PCS_TAKE(arena, most, double);
    return s->y && s->y2 && s->t && s->right && s->rest && s->Z && s->V;
}

static bool take_factors(body_system *s, pcs_arena *arena)
{
    const size_t nnz = (size_t)s->S.p[s->nv], nv = (size_t)s->nv;
    s->S.i = PCS_TAKE(arena, nnz, int);
    s->S.x = PCS_TAKE(arena, nnz, double);
    s->mass = PCS_TAKE(arena, (size_t)s->M.p[s->nv], int);
    s->sparse = sparse_lu_begin(s->nv, arena);
    if (!s->symmetric) return s->S.i && s->S.x && s->mass && s->sparse;
    s->U = (pcs_csc){.m = s->nv, .n = s->nv};
    s->U.p = PCS_TAKE(arena, nv + 1, int);
    s->U.i = PCS_TAKE(arena, nnz, int);
    s->U.x = PCS_TAKE(arena, nnz, double);
    s->order = PCS_TAKE(arena, nv, int);
    s->to = PCS_TAKE(arena, nnz, int);
    s->chol = chol_begin(arena);
    return s->S.i && s->S.x && s->mass && s->sparse && s->U.p && s->U.i && s->U.x && s->order &&
           s->to && s->chol;
}

pcs_status body_system_take(body_system *s, const pcs_global_problem *g, bool symmetric,
                            const int *turned, bool exact, pcs_arena *arena)
{
    *s = (body_system){.g = g, .turned = turned, .n = bsr_rows(&g->H), .nv = bsr_cols(&g->H)};
    size_t values;
    const bool columns = take_columns(s, &values, arena), vectors = take_vectors(s, exact, arena);
    s->S = (pcs_csc){.m = s->nv, .n = s->nv};
    s->S.p = PCS_TAKE(arena, (size_t)s->nv + 1, int);
    PCS_TRY(pcs_mass_matrix_to_csc(g->M, arena, &s->M));
    s->symmetric = symmetric && csc_is_symmetric(&s->M);

    pcs_arena scratch = *arena;
    pattern t = {.H = &g->H};
    t.ptr = PCS_TAKE(&scratch, (size_t)g->H.n + 2, int);
    t.row = PCS_TAKE(&scratch, (size_t)g->H.ptr[g->H.m], int);
    t.mark = PCS_TAKE(&scratch, (size_t)s->nv, int);
    t.seen = PCS_TAKE(&scratch, (size_t)g->H.n, int);
    if (!columns || !vectors || !s->S.p || !t.ptr || !t.row || !t.mark || !t.seen) {
        return pcs_fail_memory("the systems of bodies");
    }
    transpose(&t);
    if (!lay_out(s, &t, false)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED, "the matrix of the velocities of bodies is too large");
    }
    // the second pass needs the lists again
    *arena = scratch;
    const bool factors = take_factors(s, arena);
    const bool large = !exact || body_saddle_take(s, values, arena);
    if (!factors || !large) return pcs_fail_memory("the systems of bodies");
    fill_columns(s);
    lay_out(s, &t, true);
    find_places(s);
    return PCS_OK;
}

// ---- the order of Cholesky factors -------------------------------------------------------------

// the upper triangle of S with row i at place[i], and the places of its entries
static void permute(body_system *s, const int *place, int *next)
{
    memset(next, 0, (size_t)s->nv * sizeof *next);
    for (int round = 0; round < 2; ++round) {
        for (int j = 0; j < s->nv; ++j) {
            for (int k = s->S.p[j]; k < s->S.p[j + 1]; ++k) {
                const int a = place[s->S.i[k]], b = place[j];
                if (a > b) {
                    s->to[k] = -1;
                    continue;
                }
                const int at = next[b]++;
                if (round == 0) continue;
                s->U.i[at] = a;
                s->to[k] = at;
            }
        }
        s->U.p[0] = 0;
        for (int j = 0; j < s->nv && round == 0; ++j) {
            s->U.p[j + 1] = s->U.p[j] + next[j];
            next[j] = s->U.p[j];
        }
    }
}

bool body_system_order(body_system *s)
{
    // these vectors are free at this point: use them for places and counters
    int *place = (int *)(void *)s->y, *next = (int *)(void *)s->y2;
    for (int i = 0; i < s->nv; ++i) {
        place[i] = i;
    }
    permute(s, place, next);
    if (!chol_order(s->chol, &s->U, s->order)) return false;
    for (int i = 0; i < s->nv; ++i) {
        place[s->order[i]] = i;
    }
    permute(s, place, next);
    return true;
}
