// Assembles the problem of <percuss/problem.h> from bodies and contacts: H from frames and levers,
// W = H A^-1 H^T, q = H v_free + shift.
#include "bodies/bodies.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/m3.h"

static int width(const bodies_problem *b, int sys)
{
    return b->A->start[sys + 1] - b->A->start[sys];
}

// column-major d x 6: sign (F^T, F^T (omega x (core + along N))) with omega = R e_j
static inline void rows_of_height(int d, const bodies_block *k, int side, const double *R,
                                  double *restrict J)
{
    const double sign = side == 0 ? 1 : -1, along = k->along[side];
    for (int j = 0; j < 3; ++j) {
        const double *omega = R + 3 * (size_t)j;
        double at[3];
        v3_cross(omega, k->core[side], at);
        for (int i = 0; i < d; ++i) {
            double x = v3_dot(k->F + 3 * (size_t)i, at);
            if (i == 1) x += along * v3_dot(omega, k->F + 6);
            if (i == 2) x -= along * v3_dot(omega, k->F + 3);
            J[i + d * j] = sign * k->F[3 * i + j];
            J[i + d * (3 + j)] = sign * x;
        }
    }
}

// a constant height lets the compiler unroll the loops
static void rigid_rows(const bodies_block *k, int side, const double *R, double *J)
{
    switch (k->dim) {
    case 1:
        rows_of_height(1, k, side, R, J);
        return;
    case 2:
        rows_of_height(2, k, side, R, J);
        return;
    default:
        rows_of_height(3, k, side, R, J);
    }
}

void bodies_rows(const bodies_problem *b, int block, int side, double *J)
{
    const bodies_block *k = &b->block[block];
    if (k->rows[side]) {
        memcpy(J, k->rows[side], (size_t)k->dim * (size_t)width(b, k->sys[side]) * sizeof *J);
        return;
    }
    rigid_rows(k, side, b->R + 9 * (size_t)k->sys[side], J);
}

// consecutive blocks between the same two systems share a block row
static bool together(const bodies_block *a, const bodies_block *b)
{
    return a->sys[0] == b->sys[0] && a->sys[1] == b->sys[1];
}

pcs_status bodies_stack(const bodies_problem *b, pcs_arena *mem, pcs_bsr *H)
{
    *H = (pcs_bsr){.n = b->A->nb, .col = (int *)(uintptr_t)b->A->start};
    const size_t nb = (size_t)b->nb;
    H->row = PCS_TAKE(mem, nb + 1, int);
    H->ptr = PCS_TAKE(mem, nb + 1, int);
    H->idx = PCS_TAKE(mem, 2 * nb, int);
    H->off = PCS_TAKE(mem, 2 * nb, size_t);
    if (!H->row || !H->ptr || !H->idx || !H->off) return pcs_fail_memory("contacts");
    size_t values = 0, widest = 0;
    int nnz = 0;
    H->row[0] = H->ptr[0] = 0;
    for (int i = 0; i < b->nb;) {
        const bodies_block *k = &b->block[i];
        int rows = 0;
        for (; i < b->nb && together(k, &b->block[i]); ++i) {
            rows += b->block[i].dim;
        }
        const bool swap = k->sys[1] >= 0 && k->sys[1] < k->sys[0];
        for (int e = 0; e < 2; ++e) {
            const int sys = k->sys[swap ? 1 - e : e];
            if (sys < 0) continue;
            H->idx[nnz] = sys;
            H->off[nnz++] = values;
            const size_t size = (size_t)rows * (size_t)width(b, sys);
            values += size;
            if (size > widest) widest = size;
        }
        H->m += 1;
        H->row[H->m] = H->row[H->m - 1] + rows;
        H->ptr[H->m] = nnz;
    }
    H->val = PCS_TAKE(mem, values, double);
    double *J = PCS_TAKE(mem, widest, double);
    if (!H->val || !J) return pcs_fail_memory("contacts");

    for (int g = 0, i = 0; g < H->m; ++g) {
        const int rows = H->row[g + 1] - H->row[g];
        for (; i < b->nb && b->block[i].row < H->row[g + 1]; ++i) {
            const bodies_block *k = &b->block[i];
            for (int e = H->ptr[g]; e < H->ptr[g + 1]; ++e) {
                bodies_rows(b, i, H->idx[e] == k->sys[0] ? 0 : 1, J);
                for (int c = 0; c < width(b, H->idx[e]); ++c) {
                    memcpy(H->val + H->off[e] + (size_t)(k->row - H->row[g]) +
                               (size_t)rows * (size_t)c,
                           J + (size_t)k->dim * (size_t)c, (size_t)k->dim * sizeof *J);
                }
            }
        }
    }
    return PCS_OK;
}

pcs_status bodies_assemble(const bodies_problem *b, const double *v_free, pcs_arena *arena,
                           pcs_problem *out)
{
    pcs_block *block = PCS_TAKE(arena, (size_t)b->nb, pcs_block);
    double *q = PCS_TAKE(arena, (size_t)b->n, double);
    if (!block || !q) return pcs_fail_memory("contacts");
    for (int i = 0; i < b->nb; ++i) {
        block[i] = bodies_cone(&b->block[i]);
    }
    *out = (pcs_problem){.n = b->n, .nb = b->nb, .block = block, .q = q, .far = b->far};
    pcs_bsr H;
    PCS_TRY(bodies_stack(b, arena, &H));
    if (b->A->joined) {
        pcs_mass_matrix *M;
        PCS_TRY(mass_in_arena(b->A, arena, &M));
        PCS_TRY(pcs_delassus(&H, M, arena, &out->W));
    } else {
        PCS_TRY(delassus_blocks(&H, b->A, arena, &out->W));
    }
    pcs_bsr_mul(&H, v_free, q);
    for (int i = 0; i < b->n; ++i) {
        q[i] += b->shift[i];
    }
    return PCS_OK;
}
