// One step of the projection onto the gaps. J has the rows in the coordinates of the metric, X is
// its factorised inner product:
//
//     S = J X^-1 J^T      w = g + S L,  w_E = 0,  0 <= w_I _|_ L_I >= 0      dq = Y X^-1 J^T L
//
//              J                            X         Y
//     MASS     CT                           M         T
//     V        CT                           T^T T     T
//     Q        C                            1         1
//     Q1       C and the rows (0, Q/|Q|)    1         1
//
// These are the optimality conditions of: least 1/2 d^T X d such that g + J d obeys its rows.
#include "problem/position.h"

#include <limits.h>
#include <string.h>

#include "linalg/bsr.h"

// ---- checks ----------------------------------------------------------------------------------

static pcs_status check_rows(const char *name, const pcs_bsr *A, int m, int columns)
{
    PCS_TRY(pcs_bsr_check(A));
    if (bsr_rows(A) != m || bsr_cols(A) != columns) {
        return pcs_fail(PCS_ERR_SIZE, "position: %s is %d x %d; it must be %d x %d", name,
                        bsr_rows(A), bsr_cols(A), m, columns);
    }
    return PCS_OK;
}

static bool same_partition(int n, const int *a, int m, const int *b)
{
    return n == m && (a == b || memcmp(a, b, ((size_t)n + 1) * sizeof *a) == 0);
}

static pcs_status check_T(const pcs_position_problem *p)
{
    PCS_TRY(pcs_bsr_check(p->T));
    if (bsr_rows(p->T) != p->nq) {
        return pcs_fail(PCS_ERR_SIZE, "position: T has %d rows, q %d", bsr_rows(p->T), p->nq);
    }
    for (int i = 0; i < p->T->m; ++i) {
        for (int k = p->T->ptr[i]; k < p->T->ptr[i + 1]; ++k) {
            if (p->T->m != p->T->n || p->T->idx[k] != i) {
                return pcs_fail(PCS_ERR_ARG, "position: T is not block diagonal in row %d", i);
            }
        }
    }
    return PCS_OK;
}

static pcs_status check_quaternions(const pcs_position_problem *p)
{
    if (p->n_quat < 0)
        return pcs_fail(PCS_ERR_SIZE, "position: n_quat is %d; it must not be negative", p->n_quat);
    if (p->n_quat > 0 && (!p->quat || !p->q)) {
        return pcs_fail(PCS_ERR_ARG,
                        "position: metric Q1 needs q and the positions of its quaternions (quat)");
    }
    for (int b = 0; b < p->n_quat; ++b) {
        const int at = p->quat[b];
        if (at < 0 || at > p->nq - 4) {
            return pcs_fail(PCS_ERR_SIZE, "position: quaternion %d starts at %d of %d entries", b,
                            at, p->nq);
        }
        double norm = 0;
        for (int c = 0; c < 4; ++c) {
            norm += p->q[at + c] * p->q[at + c];
        }
        if (!(norm > 0) || !isfinite(norm)) {
            return pcs_fail(PCS_ERR_ARG, "position: quaternion %d has norm %g", b, sqrt(norm));
        }
    }
    return PCS_OK;
}

pcs_status position_check(const pcs_position_problem *p, pcs_metric metric)
{
    if (!p) return pcs_fail(PCS_ERR_ARG, "position: the problem is null");
    if ((int)metric < PCS_METRIC_MASS || (int)metric > PCS_METRIC_Q1) {
        return pcs_fail(PCS_ERR_ARG, "position: the metric is %d; it must be one of pcs_metric",
                        (int)metric);
    }
    if (p->m < 0 || p->nq < 0) {
        return pcs_fail(PCS_ERR_SIZE,
                        "position: %d rows and %d coordinates; neither must be negative", p->m,
                        p->nq);
    }
    if (p->m > 0 && (!p->kind || !p->g)) {
        return pcs_fail(PCS_ERR_ARG, "position: the gaps or their kinds are null");
    }
    for (int i = 0; i < p->m; ++i) {
        if (p->kind[i] != PCS_CONE_EQUALITY && p->kind[i] != PCS_CONE_UNILATERAL) {
            return pcs_fail(PCS_ERR_ARG, "position: row %d has the unknown kind %d", i,
                            (int)p->kind[i]);
        }
        if (!isfinite(p->g[i])) {
            return pcs_fail(PCS_ERR_ARG, "position: gap %d is %g; it must be finite", i, p->g[i]);
        }
    }

    if (metric == PCS_METRIC_Q || metric == PCS_METRIC_Q1) {
        if (!p->C) return pcs_fail(PCS_ERR_ARG, "position: metrics Q and Q1 need C");
        PCS_TRY(check_rows("C", p->C, p->m, p->nq));
        return metric == PCS_METRIC_Q1 ? check_quaternions(p) : PCS_OK;
    }
    if (!p->T || !(p->C || p->CT)) {
        return pcs_fail(PCS_ERR_ARG, "position: metrics V and MASS need T, and C or CT");
    }
    if (metric == PCS_METRIC_MASS && !p->M) {
        return pcs_fail(PCS_ERR_ARG, "position: metric MASS needs M");
    }
    PCS_TRY(check_T(p));
    if (metric == PCS_METRIC_MASS && bsr_cols(p->T) != pcs_mass_matrix_size(p->M)) {
        return pcs_fail(PCS_ERR_SIZE, "position: T has %d columns, the mass %d", bsr_cols(p->T),
                        pcs_mass_matrix_size(p->M));
    }
    if (p->CT) {
        PCS_TRY(check_rows("CT", p->CT, p->m, bsr_cols(p->T)));
        if (metric == PCS_METRIC_V && !same_partition(p->CT->n, p->CT->col, p->T->n, p->T->col)) {
            return pcs_fail(PCS_ERR_SIZE, "position: the block columns of CT and T differ");
        }
        return PCS_OK;
    }
    PCS_TRY(check_rows("C", p->C, p->m, p->nq));
    if (!same_partition(p->C->n, p->C->col, p->T->m, p->T->row)) {
        return pcs_fail(PCS_ERR_SIZE, "position: the block columns of C are not the rows of T");
    }
    return PCS_OK;
}

// ---- the rows --------------------------------------------------------------------------------

static pcs_status no_room(void)
{
    return pcs_fail_memory("position projection");
}

// block b of the block diagonal T, null when it is not stored
static const double *T_block(const pcs_bsr *T, int b)
{
    return T->ptr[b] < T->ptr[b + 1] ? T->val + T->off[T->ptr[b]] : NULL;
}

// J = C T: the pattern of C, the columns of T
static pcs_status multiply_T(const pcs_bsr *C, const pcs_bsr *T, pcs_arena *arena, pcs_bsr *J)
{
    *J = *C;
    J->col = T->col;
    size_t values = 0;
    for (int i = 0; i < C->m; ++i) {
        for (int k = C->ptr[i]; k < C->ptr[i + 1]; ++k) {
            const int b = C->idx[k];
            values += (size_t)(C->row[i + 1] - C->row[i]) * (size_t)(T->col[b + 1] - T->col[b]);
        }
    }
    J->off = PCS_TAKE(arena, (size_t)C->ptr[C->m], size_t);
    J->val = PCS_TAKE(arena, values, double);
    if (!J->off || !J->val) return no_room();
    memset(J->val, 0, values * sizeof *J->val);

    size_t at = 0;
    for (int i = 0; i < C->m; ++i) {
        const int h = C->row[i + 1] - C->row[i];
        for (int k = C->ptr[i]; k < C->ptr[i + 1]; ++k) {
            const int b = C->idx[k], nq = T->row[b + 1] - T->row[b], nv = T->col[b + 1] - T->col[b];
            const double *t = T_block(T, b);
            J->off[k] = at;
            for (int c = 0; t && c < nv; ++c) {
                block_addmul(h, nq, C->val + C->off[k], t + (size_t)nq * (size_t)c,
                             J->val + at + (size_t)h * (size_t)c);
            }
            at += (size_t)h * (size_t)nv;
        }
    }
    return PCS_OK;
}

// the block column that holds column c
static int block_column(const pcs_bsr *A, int c)
{
    int low = 0, high = A->n;
    while (high - low > 1) {
        const int mid = low + (high - low) / 2;
        if (A->col[mid] <= c) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

// J = C with a row (0, Q / |Q|) for every quaternion
static pcs_status add_unit_rows(const pcs_position_problem *p, pcs_arena *arena, pcs_bsr *J)
{
    const pcs_bsr *C = p->C;
    const size_t m = (size_t)C->m, nu = (size_t)p->n_quat, nnz = (size_t)C->ptr[C->m];
    if (m + nu >= INT_MAX || nnz + nu >= INT_MAX || (long long)p->m + p->n_quat >= INT_MAX) {
        return pcs_fail(PCS_ERR_SIZE, "position: more rows than an int can count");
    }

    size_t values = 0;
    for (int i = 0; i < C->m; ++i) {
        for (int k = C->ptr[i]; k < C->ptr[i + 1]; ++k) {
            const int b = C->idx[k];
            values += (size_t)(C->row[i + 1] - C->row[i]) * (size_t)(C->col[b + 1] - C->col[b]);
        }
    }
    size_t at = values;
    for (int b = 0; b < p->n_quat; ++b) {
        const int j = block_column(C, p->quat[b]);
        if (p->quat[b] + 4 > C->col[j + 1]) {
            return pcs_fail(PCS_ERR_SIZE, "position: quaternion %d lies across block columns", b);
        }
        values += (size_t)(C->col[j + 1] - C->col[j]);
    }

    *J = (pcs_bsr){.m = (int)(m + nu), .n = C->n, .col = C->col};
    J->row = PCS_TAKE(arena, m + nu + 1, int);
    J->ptr = PCS_TAKE(arena, m + nu + 1, int);
    J->idx = PCS_TAKE(arena, nnz + nu, int);
    J->off = PCS_TAKE(arena, nnz + nu, size_t);
    J->val = PCS_TAKE(arena, values, double);
    if (!J->row || !J->ptr || !J->idx || !J->off || !J->val) return no_room();

    // the rows of C, packed
    size_t to = 0;
    memcpy(J->row, C->row, (m + 1) * sizeof(int));
    memcpy(J->ptr, C->ptr, (m + 1) * sizeof(int));
    for (int i = 0; i < C->m; ++i) {
        for (int k = C->ptr[i]; k < C->ptr[i + 1]; ++k) {
            const int b = C->idx[k];
            const size_t size =
                (size_t)(C->row[i + 1] - C->row[i]) * (size_t)(C->col[b + 1] - C->col[b]);
            J->idx[k] = b;
            J->off[k] = to;
            if (size > 0) memcpy(J->val + to, C->val + C->off[k], size * sizeof(double));
            to += size;
        }
    }

    // and a block row for each quaternion
    memset(J->val + at, 0, (values - at) * sizeof(double));
    for (int b = 0; b < p->n_quat; ++b) {
        const size_t i = m + (size_t)b, k = nnz + (size_t)b;
        const int j = block_column(C, p->quat[b]);
        const double *Q = p->q + p->quat[b];
        const double norm = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        J->row[i + 1] = J->row[i] + 1;
        J->ptr[i + 1] = J->ptr[i] + 1;
        J->idx[k] = j;
        J->off[k] = at;
        for (int c = 0; c < 4; ++c) {
            J->val[at + (size_t)(p->quat[b] - C->col[j] + c)] = Q[c] / norm;
        }
        at += (size_t)(C->col[j + 1] - C->col[j]);
    }
    return PCS_OK;
}

// ---- the metric ------------------------------------------------------------------------------

// X = T^T T, or the identity on the block columns of J when T is null; factorised
static pcs_status factor_metric(const pcs_bsr *J, const pcs_bsr *T, pcs_arena *arena, block_lu *X)
{
    size_t values = 0;
    for (int b = 0; b < J->n; ++b) {
        const size_t w = (size_t)(J->col[b + 1] - J->col[b]);
        values += w * w;
    }
    size_t *off = PCS_TAKE(arena, (size_t)J->n, size_t);
    *X = (block_lu){.nb = J->n, .start = J->col, .off = off};
    X->lu = PCS_TAKE(arena, values, double);
    X->piv = PCS_TAKE(arena, (size_t)bsr_cols(J), int);
    if (!off || !X->lu || !X->piv) return no_room();

    size_t at = 0;
    memset(X->lu, 0, values * sizeof *X->lu);
    for (int b = 0; b < J->n; ++b) {
        const int w = J->col[b + 1] - J->col[b];
        const int h = T ? T->row[b + 1] - T->row[b] : 0;
        const double *t = T ? T_block(T, b) : NULL;
        double *x = X->lu + at;
        for (int i = 0; i < w; ++i) {
            for (int j = 0; j < w; ++j) {
                double s = T ? 0 : i == j;
                for (int c = 0; t && c < h; ++c) {
                    s += t[c + (size_t)h * (size_t)i] * t[c + (size_t)h * (size_t)j];
                }
                x[i + (size_t)w * (size_t)j] = s;
            }
        }
        off[b] = at;
        at += (size_t)w * (size_t)w;
    }
    const int bad = block_lu_factor(X);
    if (bad >= 0) {
        return pcs_fail(PCS_ERR_SINGULAR, "position: T^T T is singular in block %d", bad);
    }
    return PCS_OK;
}

// ---- one step --------------------------------------------------------------------------------

// neighbouring equality rows within a block row of S are one block of the problem
static int blocks_of(const pcs_position_problem *p, const pcs_bsr *S, int rows, pcs_block *block)
{
    int nb = 0;
    for (int i = 0, b = 0; i < rows; ++i) {
        while (S->row[b + 1] <= i) {
            ++b;
        }
        const pcs_cone cone = i < p->m ? p->kind[i] : PCS_CONE_EQUALITY;
        if (cone == PCS_CONE_EQUALITY && i > S->row[b] && block[nb - 1].cone == PCS_CONE_EQUALITY) {
            block[nb - 1].dim += 1;
        } else {
            block[nb++] = (pcs_block){.cone = cone, .row = i, .dim = 1};
        }
    }
    return nb;
}

pcs_status position_assemble(const pcs_position_problem *p, pcs_metric metric, pcs_arena *arena,
                             position_step *s)
{
    const bool velocities = metric == PCS_METRIC_MASS || metric == PCS_METRIC_V;
    *s = (position_step){.rows = metric == PCS_METRIC_Q1 ? p->m + p->n_quat : p->m};

    // the rows
    if (metric == PCS_METRIC_Q) {
        s->J = *p->C;
    } else if (metric == PCS_METRIC_Q1) {
        PCS_TRY(add_unit_rows(p, arena, &s->J));
    } else if (p->CT) {
        s->J = *p->CT;
    } else {
        PCS_TRY(multiply_T(p->C, p->T, arena, &s->J));
    }
    const size_t rows = (size_t)s->rows;
    s->g = PCS_TAKE(arena, rows, double);
    pcs_block *block = PCS_TAKE(arena, rows, pcs_block);
    if (!s->g || !block) return no_room();
    for (int i = 0; i < s->rows; ++i) {
        if (i < p->m) {
            s->g[i] = p->g[i];
        } else {
            const double *Q = p->q + p->quat[i - p->m];
            s->g[i] = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]) - 1;
        }
    }

    // S = J X^-1 J^T
    pcs_bsr *S = &s->mlcp.W;
    if (metric == PCS_METRIC_MASS) {
        PCS_TRY(pcs_delassus(&s->J, p->M, arena, S));
    } else {
        PCS_TRY(factor_metric(&s->J, velocities ? p->T : NULL, arena, &s->X));
        PCS_TRY(delassus_blocks(&s->J, &s->X, arena, S));
    }
    s->mlcp.n = s->rows;
    s->mlcp.nb = blocks_of(p, S, s->rows, block);
    s->mlcp.block = block;
    s->mlcp.q = s->g;
    return PCS_OK;
}

// dq = Y X^-1 J^T L
pcs_status position_move(const pcs_position_problem *p, pcs_metric metric, const position_step *s,
                         pcs_arena work, const double *L, double *dq)
{
    memset(dq, 0, (size_t)p->nq * sizeof *dq);
    if (metric == PCS_METRIC_Q || metric == PCS_METRIC_Q1) {
        pcs_bsr_addmul_t(&s->J, L, dq);
        return PCS_OK;
    }
    const size_t nv = (size_t)bsr_cols(&s->J);
    double *v = PCS_TAKE(&work, nv, double);
    if (!v) return no_room();
    memset(v, 0, nv * sizeof *v);
    pcs_bsr_addmul_t(&s->J, L, v);
    if (metric == PCS_METRIC_MASS) {
        PCS_TRY(pcs_mass_matrix_solve(p->M, v, v));
    } else {
        for (int b = 0; b < s->X.nb; ++b) {
            block_lu_solve(&s->X, b, v + s->X.start[b]);
        }
    }
    pcs_bsr_mul(p->T, v, dq);
    return PCS_OK;
}

pcs_status pcs_position_normalise(int n_quat, const int *quat, double *q)
{
    if (n_quat < 0 || (n_quat > 0 && (!quat || !q))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_position_normalise: an argument is null, or %d"
                        " quaternions",
                        n_quat);
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < n_quat; ++b) {
            double *Q = q + quat[b], most = 0, sum = 0;
            for (int c = 0; c < 4; ++c) {
                if (fabs(Q[c]) > most || isnan(Q[c])) most = fabs(Q[c]);
            }
            if (!(most > 0) || !isfinite(most)) {
                return pcs_fail(PCS_ERR_ARG,
                                "pcs_position_normalise: quaternion %d is zero or not"
                                " finite",
                                b);
            }
            if (pass == 0) continue;

            // by the largest entry first: the squares neither over- nor underflow
            for (int c = 0; c < 4; ++c) {
                sum += (Q[c] / most) * (Q[c] / most);
            }
            for (int c = 0; c < 4; ++c) {
                Q[c] = Q[c] / most / sqrt(sum);
            }
        }
    }
    return PCS_OK;
}

double pcs_position_violation(int m, const pcs_cone *kind, const double *g)
{
    double worst = 0;
    for (int i = 0; i < m; ++i) {
        // NaN is neither negative nor positive and must be detected
        const double v = kind[i] == PCS_CONE_EQUALITY || isnan(g[i]) ? fabs(g[i])
                         : g[i] < 0                                  ? -g[i]
                                                                     : 0;
        if (v > worst || isnan(v)) worst = v;
    }
    return worst;
}
