// The systems of body_system.c with the impulses as unknowns,
//
//     [ A  -G' ] [y]   [0]
//     [ G   C  ] [x] = [b]
//
// by sparse LU. Pivoting may choose between A and C, so that C may be arbitrarily small.
#include <limits.h>
#include <string.h>

#include "bodies/body_system.h"

// From this many rows on the order is good for any pivots. That for the diagonal keeps a digit
// more, but other pivots may then fill the factors: full ones of so many rows take 3e8
// multiplications
#define ROWS_ANY 1000

// entries of a block of C
static size_t block_entries(const pcs_block *k)
{
    return k->cone == PCS_CONE_EQUALITY ? (size_t)k->dim : (size_t)k->dim * (size_t)k->dim;
}

bool body_saddle_take(body_system *s, size_t values, pcs_arena *arena)
{
    const size_t rows = (size_t)s->nv + (size_t)s->n;
    size_t entries = (size_t)s->M.p[s->nv] + 2 * values;
    for (int b = 0; b < s->g->nb; ++b) {
        entries += block_entries(&s->g->block[b]);
    }
    if (entries > INT_MAX || rows > INT_MAX) return false;
    s->K = (pcs_csc){.m = (int)rows, .n = (int)rows};
    s->K.p = PCS_TAKE(arena, rows + 1, int);
    s->K.i = PCS_TAKE(arena, entries, int);
    s->K.x = PCS_TAKE(arena, entries, double);
    s->next = PCS_TAKE(arena, (size_t)s->nv, int);
    s->z = PCS_TAKE(arena, rows, double);
    s->large = sparse_lu_begin((int)rows, arena);
    if (!s->large) return false;
    if (rows > ROWS_ANY) sparse_lu_expect_any(s->large);
    return s->K.p && s->K.i && s->K.x && s->next && s->z;
}

static void put(pcs_csc *K, int at, int row, double x)
{
    K->i[at] = row;
    K->x[at] = x;
}

// the columns of the velocities
static void place_velocities(body_system *s)
{
    pcs_csc *K = &s->K;
    int at = 0;
    // the lengths of the columns
    for (int j = 0; j < s->nv; ++j) {
        s->next[j] = s->M.p[j + 1] - s->M.p[j];
    }
    for (int b = 0; b < s->g->nb; ++b) {
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
            for (int c = 0; c < s->k.width[e]; ++c) {
                s->next[s->k.col[e] + c] += s->g->block[b].dim;
            }
        }
    }
    for (int j = 0; j < s->nv; ++j) {
        const int length = s->next[j];
        K->p[j] = s->next[j] = at;
        for (int k = s->M.p[j]; k < s->M.p[j + 1]; ++k) {
            put(K, s->next[j]++, s->M.i[k], s->M.x[k]);
        }
        at += length;
    }
    K->p[s->nv] = at;
    for (int b = 0; b < s->g->nb; ++b) {
        const pcs_block *block = &s->g->block[b];
        for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
            const double *g = s->G + s->k.off[e];
            for (int l = 0; l < block->dim; ++l) {
                for (int c = 0; c < s->k.width[e]; ++c) {
                    put(K, s->next[s->k.col[e] + c]++, s->nv + block->row + l, *g++);
                }
            }
        }
    }
}

// the columns of the impulses
static void place_impulses(body_system *s, const double *C)
{
    pcs_csc *K = &s->K;
    int at = K->p[s->nv];
    for (int b = 0; b < s->g->nb; ++b) {
        const pcs_block *block = &s->g->block[b];
        const bool free = block->cone == PCS_CONE_EQUALITY;
        const double *block_C = C + BLOCK_SYSTEM_STRIDE * (size_t)b;
        const int first = s->nv + block->row, d = block->dim;
        for (int l = 0; l < d; ++l) {
            for (int e = s->k.ptr[b]; e < s->k.ptr[b + 1]; ++e) {
                const double *g = s->G + s->k.off[e] + (size_t)l * (size_t)s->k.width[e];
                for (int c = 0; c < s->k.width[e]; ++c) {
                    put(K, at++, s->k.col[e] + c, -g[c]);
                }
            }
            for (int c = free ? l : 0; c < (free ? l + 1 : d); ++c) {
                put(K, at++, first + c, free ? block_C[0] : block_C[c + d * l]);
            }
            K->p[first + l + 1] = at;
        }
    }
}

bool body_saddle_factor(body_system *s, const double *C)
{
    place_velocities(s);
    place_impulses(s, C);
    const sparse_lu_outcome end = sparse_lu_refactor(s->large, &s->K, s->known);
    s->known = end != SPARSE_LU_LOST;
    return end == SPARSE_LU_GOOD;
}

bool body_saddle_apply(body_system *s, double *x)
{
    const size_t n = (size_t)s->n;
    memset(s->z, 0, (size_t)s->nv * sizeof *s->z);
    memcpy(s->z + s->nv, x, n * sizeof *x);
    if (!sparse_lu_apply(s->large, s->z)) return false;
    memcpy(x, s->z + s->nv, n * sizeof *x);
    return true;
}
