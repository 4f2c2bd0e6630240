// An equality block while the others are held fixed.
#include "local/equality.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

// W is singular when a pivot is below this times the dimension, relative to the largest
#define PIVOT_TOL 1e-13

static size_t rounded(size_t count, size_t size)
{
    return (count * size + 63) / 64 * 64;
}

size_t equality_bytes(int dim)
{
    const size_t d = (size_t)dim;
    return rounded(d * d, sizeof(double)) + rounded(d, sizeof(int));
}

size_t equality_scratch_bytes(int dim)
{
    const size_t d = (size_t)dim;
    return rounded(d * d, sizeof(double)) + rounded(1, dense_min_norm_bytes(dim, dim));
}

static void copy_block(int d, const double *D, int ld, double *out)
{
    for (int c = 0; c < d; ++c) {
        if (D)
            memcpy(out + (size_t)c * (size_t)d, D + (size_t)c * (size_t)ld, (size_t)d * sizeof *D);
        else
            memset(out + (size_t)c * (size_t)d, 0, (size_t)d * sizeof *out);
    }
}

bool equality_prepare(equality *e, int d, const double *D, int ld, pcs_arena *arena)
{
    e->dim = d;
    e->factor = PCS_TAKE(arena, (size_t)d * (size_t)d, double);
    e->piv = PCS_TAKE(arena, (size_t)d, int);
    pcs_arena scratch = *arena;
    double *copy = PCS_TAKE(&scratch, (size_t)d * (size_t)d, double);
    pcs_arena beyond = scratch;
    const void *room = pcs_arena_take(&beyond, dense_min_norm_bytes(d, d));
    if (!e->factor || !e->piv || !copy || !room) return false;

    copy_block(d, D, ld, e->factor);
    double least = INFINITY, most = 0;
    if (dense_lu(d, e->factor, e->piv)) {
        for (int c = 0; c < d; ++c) {
            const double pivot = fabs(e->factor[(size_t)c * ((size_t)d + 1)]);
            if (!(pivot >= least)) least = pivot;
            if (!(pivot <= most)) most = pivot;
        }
        if (least > PIVOT_TOL * d * most) return true;
    }
    copy_block(d, D, ld, copy);
    e->piv = NULL;
    return dense_pseudo_inverse(d, copy, e->factor, PIVOT_TOL, scratch) >= 0;
}

void equality_solve(const equality *e, double *x, double *scratch)
{
    const int d = e->dim;
    if (e->piv) {
        lu_solve(d, e->factor, e->piv, x);
        return;
    }
    memset(scratch, 0, (size_t)d * sizeof *scratch);
    block_addmul(d, d, e->factor, x, scratch);
    memcpy(x, scratch, (size_t)d * sizeof *x);
}
