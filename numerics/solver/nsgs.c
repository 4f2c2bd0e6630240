// Nonsmooth Gauss-Seidel. For each block i in turn, with the others held,
//
//     u_i = q_i + sum_j W_ij r_j
//     equality:    r_i <- r_i - w W_ii^-1 u_i           (pseudo-inverse when W_ii is singular)
//     unilateral:  r_i <- max(0, r_i - w u_i / W_ii)
//
// w the relaxation. Within a block row of W the velocities follow the changes of r by columns,
// u <- u + W_:i dr_i; between block rows they are summed anew. A dense W is one block row and is
// never read across.
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "problem/problem.h"
#include "solver/solver.h"

// pivots below this times the dimension, relative to the largest: W_ii is singular
#define PIVOT_TOL 1e-13

typedef struct local {
    const double *D; // W_:i within the block row, at the block's own column; null: not stored
    double inverse;  // of W_ii, unilateral
    double *factor;  // equality: LU factors of W_ii, or its pseudo-inverse
    int *piv;        // null when factor is the pseudo-inverse
} local;

typedef struct sweep {
    const pcs_problem *p;
    local *block; // nb
    int *first;   // W.m + 1, first cone block of each block row
    double *dr;   // widest equality block
    double relaxation;
} sweep;

static int widest(const pcs_problem *p, size_t *squares)
{
    int d = 0;
    *squares = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone != PCS_EQUALITY) continue;
        const size_t k = (size_t)p->block[b].dim;
        *squares += solver_bytes(k * k, sizeof(double)) + solver_bytes(k, sizeof(int));
        if (p->block[b].dim > d) d = p->block[b].dim;
    }
    return d;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    size_t squares;
    const size_t d = (size_t)widest(p, &squares);
    return 64 + track_bytes(p) + solver_bytes((size_t)p->nb, sizeof(local)) +
           solver_bytes((size_t)p->W.m + 1, sizeof(int)) + squares +
           solver_bytes((size_t)p->n, sizeof(double)) + 2 * solver_bytes(d, sizeof(double)) +
           solver_bytes(d * d, sizeof(double)) +
           solver_bytes(1, dense_min_norm_bytes((int)d, (int)d));
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

// LU factors of an equality block, or its pseudo-inverse
static bool prepare_equality(local *l, int d, const double *D, int ld, pcs_arena *work)
{
    l->factor = PCS_TAKE(work, (size_t)d * (size_t)d, double);
    l->piv = PCS_TAKE(work, (size_t)d, int);
    if (!l->factor || !l->piv) return false;

    copy_block(d, D, ld, l->factor);
    double least = INFINITY, most = 0;
    if (dense_lu(d, l->factor, l->piv)) {
        for (int c = 0; c < d; ++c) {
            const double pivot = fabs(l->factor[(size_t)c * ((size_t)d + 1)]);
            if (!(pivot >= least)) least = pivot;
            if (!(pivot <= most)) most = pivot;
        }
        if (least > PIVOT_TOL * d * most) {
            // the small solves count rows as LAPACK does, from 1
            for (int c = 0; c < d; ++c) {
                l->piv[c] -= 1;
            }
            return true;
        }
    }

    pcs_arena scratch = *work;
    double *copy = PCS_TAKE(&scratch, (size_t)d * (size_t)d, double);
    if (!copy) return false;
    copy_block(d, D, ld, copy);
    l->piv = NULL;
    return dense_pseudo_inverse(d, copy, l->factor, PIVOT_TOL, scratch) >= 0;
}

static bool prepare(sweep *w, const pcs_problem *p, const pcs_solver_opts *o, pcs_arena *work)
{
    size_t squares;
    *w = (sweep){.p = p, .relaxation = o->as.nsgs.relaxation};
    w->block = PCS_TAKE(work, (size_t)p->nb, local);
    w->first = PCS_TAKE(work, (size_t)p->W.m + 1, int);
    w->dr = PCS_TAKE(work, 2 * (size_t)widest(p, &squares), double);
    double *s = PCS_TAKE(work, (size_t)p->n, double);
    if (!w->block || !w->first || !w->dr || !s) return false;
    problem_scales(p, s);

    int b = 0;
    for (int i = 0; i <= p->W.m; ++i) {
        while (b < p->nb && p->block[b].row < p->W.row[i]) {
            ++b;
        }
        w->first[i] = b;
    }
    for (int wrow = 0, ld = 0, k = 0; k < p->nb; ++k) {
        const double *D = problem_diagonal(p, k, &wrow, &ld);
        const int row = p->block[k].row;
        // the column starts at the top of the block row
        w->block[k] = (local){.D = D ? D - (row - p->W.row[wrow]) : NULL, .inverse = 1 / s[row]};
        if (p->block[k].cone == PCS_EQUALITY &&
            !prepare_equality(&w->block[k], p->block[k].dim, D, ld, work)) {
            return false;
        }
    }
    return true;
}

// u of a block row += columns of its diagonal block times dr
static void follow(int h, const double *D, int d, const double *dr, double *u)
{
    if (D) block_addmul(h, d, D, dr, u);
}

static void solve_equality(const sweep *w, const local *l, int d, const double *u, double *r,
                           double *dr)
{
    for (int c = 0; c < d; ++c) {
        dr[c] = -w->relaxation * u[c];
    }
    if (l->piv) {
        lu_solve(d, l->factor, l->piv, dr);
    } else {
        double *x = w->dr + d;
        memset(x, 0, (size_t)d * sizeof *x);
        block_addmul(d, d, l->factor, dr, x);
        memcpy(dr, x, (size_t)d * sizeof *x);
    }
    for (int c = 0; c < d; ++c) {
        r[c] += dr[c];
    }
}

// one sweep; u agrees with r on entry, so that a single block row needs no new sum
static void run_sweep(const sweep *w, double *r, double *u)
{
    const pcs_problem *p = w->p;
    const pcs_bsr *W = &p->W;
    for (int i = 0; i < W->m; ++i) {
        const int top = W->row[i], h = W->row[i + 1] - top;
        double *ui = u + top;
        if (W->m > 1) {
            memcpy(ui, p->q + top, (size_t)h * sizeof *ui);
            for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
                const int j = W->idx[k];
                block_addmul(h, W->col[j + 1] - W->col[j], W->val + W->off[k], r + W->col[j], ui);
            }
        }
        for (int b = w->first[i]; b < w->first[i + 1]; ++b) {
            const local *l = &w->block[b];
            const int row = p->block[b].row, d = p->block[b].dim;
            if (p->block[b].cone == PCS_EQUALITY) {
                solve_equality(w, l, d, u + row, r + row, w->dr);
                follow(h, l->D, d, w->dr, ui);
            } else {
                const double next =
                    cone_project_unilateral(r[row] - w->relaxation * l->inverse * u[row]);
                const double dr = next - r[row];
                r[row] = next;
                if (dr != 0) follow(h, l->D, 1, &dr, ui);
            }
        }
    }
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    sweep w;
    if (!track_begin(&t, p, o, watch, &work, r) || !prepare(&w, p, o, &work)) {
        return pcs_fail_memory("nsgs");
    }

    int iters = 0;
    track_measure(&t, r, u);
    while (!track_done(&t, iters)) {
        for (int k = 0; k < o->as.nsgs.check_every && iters < o->max_iters; ++k) {
            run_sweep(&w, r, u);
            ++iters;
        }
        track_measure(&t, r, u);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

static const pcs_opt options[] = {
    {"relaxation", PCS_OPT_REAL, offsetof(pcs_solver_opts, as.nsgs.relaxation), 1e-3, 1.999,
     "factor on every local step; 1 is plain Gauss-Seidel"},
    {"check_every", PCS_OPT_INT, offsetof(pcs_solver_opts, as.nsgs.check_every), 1, 1000000,
     "sweeps between two exact residuals"},
};

const solver_class solver_nsgs = {
    .info = {.name = "nsgs",
             .summary = "nonsmooth block Gauss-Seidel with projection and relaxation",
             .kind = PCS_NSGS,
             .cones = 1u << PCS_EQUALITY | 1u << PCS_UNILATERAL,
             .opt = options,
             .n_opts = sizeof options / sizeof *options},
    .defaults = {.kind = PCS_NSGS,
                 .tol = 1e-8,
                 .max_iters = 10000,
                 .as.nsgs = {.relaxation = 1, .check_every = 10}},
    .work_bytes = work_bytes,
    .solve = solve,
};
