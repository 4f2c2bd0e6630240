// Primal-dual interior point for monotone problems (Mehrotra's predictor-corrector), from outside:
// with the rows scaled to a unit diagonal of W,
//
//     W x + b - z = 0,   x_i z_i = sigma mu,   x, z > 0   (unilateral rows; z = 0, x free else)
//
// every iterate solves (W + Z/X) dx = -(W x + b - z) + (sigma mu - dx dz)/x - z twice with one
// factorisation and goes 0.99 of the way to the boundary. Equality rows carry a small proximal
// weight, so that redundant ones do no harm: the residual is always that of the problem itself.
// The number of iterations hardly depends on the size, nor on the rank of W.
//
// S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2,
// 1992. Y. Zhang, On the convergence of a class of infeasible interior-point methods for the
// horizontal linear complementarity problem, SIAM J. Optim. 4, 1994.
#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/problem.h"
#include "solver/solver.h"

// how far towards the boundary
#define STEP_FRACTION 0.99
// proximal weight of equality rows on the unit diagonal
#define EQUALITY_WEIGHT 1e-10
// steps shorter than this, so many in a row, get nowhere
#define SHORTEST_STEP 1e-5
#define SHORT_STEPS   5
// iterations without a better residual before rounding has the last word
#define PATIENCE 8
// iterates this large (the constant term has size 1) may be on their way to a proof that there is
// no solution
#define LARGE 1e4

typedef struct ipm {
    const pcs_problem *p;
    int n, rows;          // unilateral rows
    unsigned char *equal; // n
    double *root;         // n, square roots of the scales
    double size;          // of q in scaled rows
    double *b;            // n, scaled constant term
    double *x, *z;        // n
    double *dx, *dz;      // n, step
    double *rhs, *res;    // n
    double *scratch;      // 2 n, for certificates
    double *W, *K;        // n x n
    int *piv;             // n
    bool symmetric;       // K has a Cholesky factor
} ipm;

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    const size_t n = (size_t)p->n;
    return track_bytes(p) + solver_bytes(n, 1) + 8 * solver_bytes(n, sizeof(double)) +
           solver_bytes(2 * n, sizeof(double)) + 2 * solver_bytes(n * n, sizeof(double)) +
           2 * solver_bytes(n, sizeof(int));
}

static bool take(ipm *w, pcs_arena *work)
{
    const size_t n = (size_t)w->n;
    double **vector[] = {&w->root, &w->b, &w->x, &w->z, &w->dx, &w->dz, &w->rhs, &w->res};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = PCS_TAKE(work, n, double);
        if (!*vector[i]) return false;
    }
    w->scratch = PCS_TAKE(work, 2 * n, double);
    w->equal = PCS_TAKE(work, n, unsigned char);
    w->W = PCS_TAKE(work, n * n, double);
    w->K = PCS_TAKE(work, n * n, double);
    w->piv = PCS_TAKE(work, n, int);
    return w->scratch && w->equal && w->W && w->K && w->piv;
}

// the scaled problem, and x = z = 1
static bool begin(ipm *w, pcs_arena *work)
{
    const pcs_problem *p = w->p;
    const int n = w->n;
    int *place = PCS_TAKE(work, (size_t)n, int);
    if (!place) return false;
    for (int b = 0; b < p->nb; ++b) {
        const bool equal = p->block[b].cone == PCS_EQUALITY;
        memset(w->equal + p->block[b].row, equal, (size_t)p->block[b].dim);
        w->rows += !equal;
    }
    problem_scales(p, w->rhs);
    for (int i = 0; i < n; ++i) {
        place[i] = i;
        w->root[i] = sqrt(w->rhs[i]);
    }
    problem_restrict(p, place, n, w->rhs, w->W);
    w->symmetric = true;
    for (int j = 0; j < n && w->symmetric; ++j) {
        for (int i = 0; i < j; ++i) {
            const double a = w->W[i + (size_t)n * (size_t)j], c = w->W[j + (size_t)n * (size_t)i];
            if (!(fabs(a - c) <= 4 * DBL_EPSILON * (fabs(a) + fabs(c)))) w->symmetric = false;
        }
    }

    w->size = 0;
    for (int i = 0; i < n; ++i) {
        w->b[i] = p->q[i] / w->root[i];
        if (fabs(w->b[i]) > w->size) w->size = fabs(w->b[i]);
    }
    if (!(w->size > 0)) w->size = 1;
    for (int i = 0; i < n; ++i) {
        w->b[i] /= w->size;
        w->x[i] = !w->equal[i];
        w->z[i] = !w->equal[i];
    }
    return true;
}

// res = W x + b - z; the mean of x z
static double residual(ipm *w)
{
    memcpy(w->res, w->b, (size_t)w->n * sizeof(double));
    dense_mul(w->n, w->n, 1, w->W, w->x, 1, w->res);
    double mu = 0;
    for (int i = 0; i < w->n; ++i) {
        w->res[i] -= w->z[i];
        mu += w->x[i] * w->z[i];
    }
    return mu / w->rows;
}

static bool factorise(ipm *w)
{
    const size_t n = (size_t)w->n;
    for (int attempt = 0; attempt < 2; ++attempt) {
        memcpy(w->K, w->W, n * n * sizeof(double));
        for (size_t i = 0; i < n; ++i) {
            w->K[i * (n + 1)] += w->equal[i] ? EQUALITY_WEIGHT : w->z[i] / w->x[i];
        }
        if (!w->symmetric) return dense_lu(w->n, w->K, w->piv);
        if (dense_cholesky(w->n, w->K)) return true;
        // not definite after all
        w->symmetric = false;
    }
    return false;
}

// the step for centring sigma mu, with the second-order term of the step now in dx, dz if asked
static void direction(ipm *w, double target, bool corrected)
{
    const int n = w->n;
    for (int i = 0; i < n; ++i) {
        double complement = 0;
        if (!w->equal[i]) {
            const double second = corrected ? w->dx[i] * w->dz[i] : 0;
            complement = (target - second) / w->x[i] - w->z[i];
        }
        w->rhs[i] = complement;
    }
    for (int i = 0; i < n; ++i) {
        w->dx[i] = w->rhs[i] - w->res[i];
    }
    if (w->symmetric) {
        dense_cholesky_solve(n, w->K, w->dx);
    } else {
        dense_lu_solve(n, w->K, w->piv, false, 1, w->dx);
    }
    for (int i = 0; i < n; ++i) {
        w->dz[i] = w->equal[i] ? 0 : w->rhs[i] - w->z[i] / w->x[i] * w->dx[i];
    }
}

// the largest step in [0, 1] that keeps x and z at a fraction of their distance from zero
static double longest(const ipm *w)
{
    double a = 1 / STEP_FRACTION;
    for (int i = 0; i < w->n; ++i) {
        if (w->equal[i]) continue;
        if (w->dx[i] < 0) a = fmin(a, -w->x[i] / w->dx[i]);
        if (w->dz[i] < 0) a = fmin(a, -w->z[i] / w->dz[i]);
    }
    return STEP_FRACTION * a;
}

static double mean_after(const ipm *w, double a)
{
    double mu = 0;
    for (int i = 0; i < w->n; ++i) {
        if (!w->equal[i]) mu += (w->x[i] + a * w->dx[i]) * (w->z[i] + a * w->dz[i]);
    }
    return mu / w->rows;
}

// r of the iterate: a row is open where z is the larger of the two
static void bring_back(const ipm *w, double *r)
{
    for (int i = 0; i < w->n; ++i) {
        const bool open = !w->equal[i] && w->z[i] > w->x[i];
        r[i] = open ? 0 : w->x[i] * w->size / w->root[i];
    }
}

static double largest(const ipm *w)
{
    double most = 0;
    for (int i = 0; i < w->n; ++i) {
        if (fabs(w->x[i]) > most) most = fabs(w->x[i]);
    }
    return most;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    ipm w = {.p = p, .n = p->n};
    if (!track_begin(&t, p, o, watch, &work, r) || !take(&w, &work) || !begin(&w, &work)) {
        return pcs_fail_memory("ipm");
    }
    if (w.rows == 0) {
        // no complementarity: the boundary and the barrier are empty
        w.rows = 1;
    }
    track_measure(&t, r, u);
    bool over = track_done(&t, 0);
    int shorts = 0, idle = 0;
    for (int iters = 1; !over; ++iters) {
        const double mu = residual(&w);
        if (!isfinite(mu) || !factorise(&w)) {
            t.outcome = PCS_STALLED;
            break;
        }

        // affine step: how much of the complementarity it takes away decides the centring
        direction(&w, 0, false);
        const double affine = mean_after(&w, fmin(1, longest(&w)));
        const double ratio = mu > 0 ? affine / mu : 0;
        direction(&w, ratio * ratio * ratio * mu, true);
        const double a = fmin(1, longest(&w));
        if (!pcs_all_finite(w.dx, (size_t)w.n) || !isfinite(a)) {
            t.outcome = PCS_STALLED;
            break;
        }
        for (int i = 0; i < w.n; ++i) {
            w.x[i] += a * w.dx[i];
            w.z[i] += a * w.dz[i];
        }

        const double before = t.best_value;
        t.step = a;
        t.penalty = mu;
        bring_back(&w, r);
        track_measure(&t, r, u);
        idle = t.best_value < before ? 0 : idle + 1;
        over = track_done(&t, iters);
        if (over) break;

        // without a solution the iterates run off, along a direction that proves it
        if (largest(&w) > LARGE) {
            memcpy(w.rhs, r, (size_t)w.n * sizeof(double));
            if (problem_refuted_by(p, w.rhs, w.scratch)) {
                t.outcome = PCS_INFEASIBLE;
                break;
            }
        }
        shorts = a < SHORTEST_STEP ? shorts + 1 : 0;
        if (shorts == SHORT_STEPS || (idle == PATIENCE && mu < 1e-8)) {
            t.outcome = PCS_STALLED;
            break;
        }
    }
    track_end(&t, r, out);
    return PCS_OK;
}

const solver_class solver_ipm = {
    .info = {.name = "ipm",
             .summary = "primal-dual interior point; monotone problems of any rank",
             .kind = PCS_IPM,
             .cones = 1u << PCS_EQUALITY | 1u << PCS_UNILATERAL},
    .defaults = {.kind = PCS_IPM, .tol = 1e-10, .max_iters = 100},
    .work_bytes = work_bytes,
    .solve = solve,
};
