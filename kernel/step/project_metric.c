// One linearised projection in the metrics of <percuss/problem.h> with rows as matrices: C, T and
// the mass of the systems of the rows, numbered locally.
#include "step/project.h"

#include <string.h>

#include <percuss/position.h>

#include "linalg/bsr.h"

// ---- stacking ----------------------------------------------------------------------------------

// one constraint, which is stacked with others into block-sparse rows
typedef struct row_source {
    int col1, col2; // block columns, -1 for none
    int dim;
    const double *A1, *A2; // dim x width of the block column
} row_source;

static bool same_columns(const row_source *a, const row_source *b)
{
    return a->col1 == b->col1 && a->col2 == b->col2;
}

// neighbours on the same pair of columns share a block row: a manifold is one block
static pcs_status stack_rows(int n, const row_source *source, int n_cols, int *col_start,
                             pcs_arena *mem, pcs_bsr *out)
{
    *out = (pcs_bsr){.n = n_cols, .col = col_start};
    out->row = PCS_TAKE(mem, (size_t)n + 1, int);
    out->ptr = PCS_TAKE(mem, (size_t)n + 1, int);
    out->idx = PCS_TAKE(mem, 2 * (size_t)n, int);
    out->off = PCS_TAKE(mem, 2 * (size_t)n, size_t);
    if (!out->row || !out->ptr || !out->idx || !out->off) return pcs_fail_memory("step: H");

    // groups, their columns in increasing order, and the number of values
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

// the systems of the rows, numbered locally
typedef struct local_part {
    int n;        // systems
    int *system;  // n, increasing
    int *q_start; // n + 1
    int *v_start; // n + 1
    int *column;  // per system of the model: its local number, -1
    int n_quat;
    int *quat; // n_quat
} local_part;

static pcs_status take_local(const trial *t, int n, candidate **row, pcs_arena *mem, local_part *L)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    *L = (local_part){0};
    L->system = PCS_TAKE(mem, ns, int);
    L->q_start = PCS_TAKE(mem, ns + 1, int);
    L->v_start = PCS_TAKE(mem, ns + 1, int);
    L->column = PCS_TAKE(mem, ns, int);
    L->quat = PCS_TAKE(mem, ns, int);
    if (!L->system || !L->q_start || !L->v_start || !L->column || !L->quat) {
        return pcs_fail_memory("projection");
    }
    for (size_t i = 0; i < ns; ++i) {
        L->column[i] = -1;
    }
    for (int i = 0; i < n; ++i) {
        if (system_moves(m, row[i]->sys1)) L->column[row[i]->sys1] = 0;
        if (system_moves(m, row[i]->sys2)) L->column[row[i]->sys2] = 0;
    }
    L->q_start[0] = L->v_start[0] = 0;
    for (int i = 0; i < m->n_systems; ++i) {
        if (L->column[i] < 0) continue;
        const model_system *s = &m->system[i];
        const int k = L->n++;
        L->column[i] = k;
        L->system[k] = i;
        L->q_start[k + 1] = L->q_start[k] + s->nq;
        L->v_start[k + 1] = L->v_start[k] + s->nv;
        if (s->kind == SYSTEM_BODY) L->quat[L->n_quat++] = L->q_start[k] + 3;
    }
    return PCS_OK;
}

// T and the mass of the local part at q
static pcs_status take_metric(const trial *t, const local_part *L, pcs_arena *mem, pcs_bsr *T,
                              pcs_mass_matrix **M)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)L->n;
    size_t t_values = 0, m_values = 0;
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &m->system[L->system[k]];
        t_values += (size_t)s->nq * (size_t)s->nv;
        m_values += (size_t)s->nv * (size_t)s->nv;
    }
    *T = (pcs_bsr){.m = L->n, .n = L->n, .row = L->q_start, .col = L->v_start};
    T->ptr = PCS_TAKE(mem, n + 1, int);
    T->idx = PCS_TAKE(mem, n, int);
    T->off = PCS_TAKE(mem, n, size_t);
    T->val = PCS_TAKE(mem, t_values, double);
    size_t *off = PCS_TAKE(mem, n + 1, size_t);
    block_lu F = {.nb = L->n, .start = L->v_start, .off = off};
    F.lu = PCS_TAKE(mem, m_values, double);
    F.piv = PCS_TAKE(mem, (size_t)L->v_start[L->n], int);
    if (!T->ptr || !T->idx || !T->off || !T->val || !off || !F.lu || !F.piv) {
        return pcs_fail_memory("projection");
    }

    size_t at = 0;
    T->ptr[0] = 0;
    off[0] = 0;
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &m->system[L->system[k]];
        const double *q = t->end.q + s->q_at;
        T->ptr[k + 1] = k + 1;
        T->idx[k] = k;
        T->off[k] = at;
        if (s->kind == SYSTEM_BODY) {
            pcs_body_T(q, T->val + at);
        } else {
            memset(T->val + at, 0, (size_t)s->nq * (size_t)s->nv * sizeof(double));
            for (int i = 0; i < s->nv; ++i) {
                T->val[at + (size_t)i * ((size_t)s->nv + 1)] = 1;
            }
        }
        at += (size_t)s->nq * (size_t)s->nv;
        PCS_TRY(system_mass(s, q, F.lu + off[k]));
        off[k + 1] = off[k] + (size_t)s->nv * (size_t)s->nv;
    }
    const int bad = block_lu_factor(&F);
    if (bad >= 0) {
        return pcs_fail_range(PCS_ERR_SINGULAR, "projection: the mass of system %d is singular",
                              L->system[bad] + 1);
    }
    return mass_in_arena(&F, mem, M);
}

static size_t width(const trial *t, int system, bool coordinates)
{
    const model_system *s = &t->m->system[system];
    return (size_t)(coordinates ? s->nq : s->nv);
}

// the rows at q, in velocity coordinates (CT) or in coordinates (C)
static pcs_status take_rows(const trial *t, int n, candidate **row, const local_part *L,
                            bool coordinates, pcs_arena *mem, pcs_bsr *out)
{
    row_source *source = PCS_TAKE(mem, (size_t)n, row_source);
    if (!source) return pcs_fail_memory("projection");
    for (int i = 0; i < n; ++i) {
        const candidate *c = row[i];
        const size_t dim = (size_t)candidate_gaps(c);
        double *A[2] = {NULL, NULL}, *J[2] = {NULL, NULL};
        for (int side = 0; side < 2; ++side) {
            const int system = side == 0 ? c->sys1 : c->sys2;
            if (!system_moves(t->m, system)) continue;
            J[side] = PCS_TAKE(mem, dim * width(t, system, false), double);
            A[side] = coordinates ? PCS_TAKE(mem, dim * width(t, system, true), double) : J[side];
            if (!J[side] || !A[side]) return pcs_fail_memory("projection");
        }
        double *const none[2] = {NULL, NULL};
        PCS_TRY(candidate_rows(t->m, c, t->end.q, *mem, J, coordinates ? A : none));
        source[i] = (row_source){A[0] ? L->column[c->sys1] : -1, A[1] ? L->column[c->sys2] : -1,
                                 (int)dim, A[0], A[1]};
    }
    return stack_rows(n, source, L->n, coordinates ? L->q_start : L->v_start, mem, out);
}

// w = g + C dq
static pcs_status what_is_left(const trial *t, const project_set *set, const double *g,
                               const local_part *L, const double *dq, pcs_arena mem)
{
    pcs_bsr C;
    if (!set->w) return PCS_OK;
    PCS_TRY(take_rows(t, set->n, set->row, L, true, &mem, &C));
    pcs_bsr_mul(&C, dq, set->w);
    for (int i = 0; i < set->rows; ++i) {
        set->w[i] += g[i];
    }
    return PCS_OK;
}

pcs_status project_in_metric(const trial *t, const project_set *set, const double *g,
                             const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                             pcs_report *report)
{
    const pcs_model *m = t->m;
    const pcs_metric metric = m->scheme.metric;
    const bool in_q = metric == PCS_METRIC_Q || metric == PCS_METRIC_Q1;
    local_part L;
    pcs_bsr A, T;
    pcs_mass_matrix *M;
    PCS_TRY(take_local(t, set->n, set->row, &mem, &L));
    PCS_TRY(take_rows(t, set->n, set->row, &L, in_q, &mem, &A));
    PCS_TRY(take_metric(t, &L, &mem, &T, &M));
    const int nq = L.q_start[L.n];
    double *q = PCS_TAKE(&mem, (size_t)nq, double);
    double *local = PCS_TAKE(&mem, (size_t)nq, double);
    double *Lambda = PCS_TAKE(&mem, (size_t)set->rows, double);
    if (!q || !local || !Lambda) return pcs_fail_memory("projection");
    for (int k = 0; k < L.n; ++k) {
        const model_system *s = &m->system[L.system[k]];
        memcpy(q + L.q_start[k], t->end.q + s->q_at, (size_t)s->nq * sizeof *q);
    }

    const pcs_position_problem p = {.m = set->rows,
                                    .kind = set->kind,
                                    .g = g,
                                    .C = in_q ? &A : NULL,
                                    .CT = in_q ? NULL : &A,
                                    .T = &T,
                                    .M = M,
                                    .nq = nq,
                                    .q = q,
                                    .n_quat = L.n_quat,
                                    .quat = L.quat};
    // units of a product, for at most a few dozen neighbours per row
    const double rows = set->rows + L.n_quat, cost = rows * fmin(rows, 60) / 10;
    pcs_solver_opts limited = *opts;
    limited.max_iters = (int)fmin(opts->max_iters, 0.5 * step_units(t->work, 1) / cost);
    step_limit_seconds(t->work, &limited);
    PCS_TRY(pcs_solve_position(&p, metric, &limited, mem, Lambda, local, report));
    step_spend(t->work, cost * (10 + (report->units > 0 ? report->units : report->iters)));
    PCS_TRY(what_is_left(t, set, g, &L, local, mem));
    memset(dq, 0, (size_t)m->nq * sizeof *dq);
    for (int k = 0; k < L.n; ++k) {
        const model_system *s = &m->system[L.system[k]];
        memcpy(dq + s->q_at, local + L.q_start[k], (size_t)s->nq * sizeof *q);
    }
    return PCS_OK;
}
