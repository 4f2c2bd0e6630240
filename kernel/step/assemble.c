// From contacts to the cone problem: H stacks the rows of the active candidates, W = H M^-1 H^T
// is the Delassus operator of the iteration matrix, and what the laws add to u is
//
//     b = u_free + shift,   shift = (e u_kN, e_t u_kT) (impact), (g / h, 0) (speculative, still
//                           apart), 0 (joints), and the velocity of bodies that are driven.
//
// The only file that sees both meanings of the letter q: coordinates in the kernel, the constant
// term b in numerics.
#include "step/step.h"

#include <string.h>

#include "linalg/bsr.h"

// ---- stacking ----------------------------------------------------------------------------------

static bool same_columns(const row_source *a, const row_source *b)
{
    return a->col1 == b->col1 && a->col2 == b->col2;
}

// neighbours on the same pair of columns share a block row: a manifold is one block
pcs_status stack_rows(int n, const row_source *source, int n_cols, int *col_start, pcs_arena *mem,
                      pcs_bsr *out)
{
    *out = (pcs_bsr){.n = n_cols, .col = col_start};
    out->row = PCS_TAKE(mem, (size_t)n + 1, int);
    out->ptr = PCS_TAKE(mem, (size_t)n + 1, int);
    out->idx = PCS_TAKE(mem, 2 * (size_t)n, int);
    out->off = PCS_TAKE(mem, 2 * (size_t)n, size_t);
    if (!out->row || !out->ptr || !out->idx || !out->off) return pcs_fail_memory("step: H");

    // groups, their columns in increasing order, and the room for values
    size_t values = 0;
    int nnz = 0;
    out->row[0] = out->ptr[0] = 0;
    for (int i = 0; i < n;) {
        int rows = 0, j = i;
        for (; j < n && same_columns(&source[i], &source[j]); ++j) {
            rows += source[j].dim;
        }
        const int a = source[i].col1, b = source[i].col2;
        const int cols[2] = {a < b ? a : b, a < b ? b : a};
        for (int k = 0; k < 2; ++k) {
            if (cols[k] < 0) continue;
            out->idx[nnz] = cols[k];
            out->off[nnz++] = values;
            values += (size_t)rows * (size_t)(col_start[cols[k] + 1] - col_start[cols[k]]);
        }
        out->m += 1;
        out->row[out->m] = out->row[out->m - 1] + rows;
        out->ptr[out->m] = nnz;
        i = j;
    }
    out->val = PCS_TAKE(mem, values, double);
    if (!out->val) return pcs_fail_memory("step: H");

    int i = 0;
    for (int g = 0; g < out->m; ++g) {
        const int rows = out->row[g + 1] - out->row[g];
        for (int at = 0; at < rows; at += source[i++].dim) {
            const row_source *s = &source[i];
            for (int k = out->ptr[g]; k < out->ptr[g + 1]; ++k) {
                const double *A = out->idx[k] == s->col1 ? s->A1 : s->A2;
                const int width = col_start[out->idx[k] + 1] - col_start[out->idx[k]];
                for (int c = 0; c < width; ++c) {
                    memcpy(out->val + out->off[k] + (size_t)at + (size_t)rows * (size_t)c,
                           A + (size_t)s->dim * (size_t)c, (size_t)s->dim * sizeof *A);
                }
            }
        }
    }
    return PCS_OK;
}

// ---- the velocity problem ---------------------------------------------------------------------

static int block_of(const pcs_model *m, int system, const double *J)
{
    return J ? m->system[system].block : -1;
}

static pcs_status stack_active(trial *t, int n, pcs_arena *mem)
{
    row_source *source = PCS_TAKE(mem, (size_t)n, row_source);
    if (!source) return pcs_fail_memory("step: H");
    int k = 0;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        source[k++] = (row_source){block_of(t->m, c->sys1, c->J1), block_of(t->m, c->sys2, c->J2),
                                   c->dim, c->J1, c->J2};
    }
    return stack_rows(n, source, t->m->n_blocks, t->m->block_start, mem, &t->H);
}

double impact_shift(const candidate *c, int i)
{
    if (c->law.kind == PCS_LAW_EQUALITY) return 0;
    return (i == 0 ? c->law.e : c->law.e_t) * c->u_k[i];
}

// what driven bodies and the law add to u of row i; a contact that is still apart only stops
static double row_shift(const trial *t, const candidate *c, int i)
{
    const double drive = c->drive ? c->drive[i] : 0;
    if (c->law.kind == PCS_LAW_EQUALITY) return drive;
    if (step_rule(&t->m->scheme) == PCS_SPECULATIVE && c->g[0] > 0 && t->h > 0) {
        return i == 0 ? drive + c->g[0] / t->h : drive;
    }
    return drive + impact_shift(c, i);
}

pcs_status step_assemble(trial *t, pcs_arena *mem)
{
    int n = 0;
    t->rows = 0;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        if (!c->active) continue;
        c->at = t->rows;
        t->rows += c->dim;
        ++n;
    }
    PCS_TRY(stack_active(t, n, mem));

    pcs_block *block = PCS_TAKE(mem, (size_t)n, pcs_block);
    t->r = PCS_TAKE(mem, (size_t)t->rows, double);
    t->u = PCS_TAKE(mem, (size_t)t->rows, double);
    t->shift = PCS_TAKE(mem, (size_t)t->rows, double);
    if (!block || !t->r || !t->u || !t->shift) return pcs_fail_memory("step: the problem");

    int k = 0;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        const pcs_cone cone = candidate_cone(c);
        block[k++] = (pcs_block){
            .cone = cone, .row = c->at, .dim = c->dim, .mu = cone == PCS_COULOMB ? c->law.mu : 0};
        for (int j = 0; j < c->dim; ++j) {
            t->shift[c->at + j] = row_shift(t, c, j);
            t->r[c->at + j] = j < 3 ? c->guess[j] : 0;
        }
    }
    t->problem = (pcs_problem){.n = t->rows, .nb = n, .block = block};
    return PCS_OK;
}

pcs_status step_update_rows(trial *t, pcs_arena mem)
{
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        if (!c->active) continue;
        PCS_TRY(candidate_rows(t->m, c, c->dim, t->q, mem, c->J1, c->J2, NULL, NULL));
        if (!c->drive) continue;
        PCS_TRY(candidate_drive(t, c, t->q, &mem));
        for (int j = 0; j < c->dim; ++j) {
            t->shift[c->at + j] = row_shift(t, c, j);
        }
    }

    // the pattern is that of before: stack again and copy the values over
    pcs_bsr H = t->H;
    int n = 0;
    for (int i = 0; i < t->list.n; ++i) {
        n += t->list.c[i].active;
    }
    PCS_TRY(stack_active(t, n, &mem));
    size_t values = 0;
    for (int g = 0; g < H.m; ++g) {
        for (int k = H.ptr[g]; k < H.ptr[g + 1]; ++k) {
            values +=
                (size_t)(H.row[g + 1] - H.row[g]) * (size_t)(H.col[H.idx[k] + 1] - H.col[H.idx[k]]);
        }
    }
    memcpy(H.val, t->H.val, values * sizeof(double));
    t->H = H;
    return PCS_OK;
}
