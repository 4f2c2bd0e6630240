// Semismooth Newton. With S the scales of the rows, a = S^1/2 r and b = S^-1/2 u the problem is
//
//     b = B a + S^-1/2 q,   B = S^-1/2 W S^-1/2,   F(a) = 0,
//     F_i = b_i on equality rows, phi(a_i, b_i) on unilateral ones,
//     phi = a + b - sqrt(a^2 + b^2)  (Fischer-Burmeister)   or   phi = min(a, b)
//
// One step solves J d = -F, J = diag(alpha) + diag(beta) B an element of the generalised Jacobian.
// In rows with beta = 0, d_i = -F_i / alpha_i; they are eliminated, so that near a solution only
// the closed rows are factorised. A singular J gives the step of minimum norm. The step is halved
// until |F|^2 / 2 is below the largest of its last values (a nonmonotone line search); when that
// fails, a step along the gradient is tried, then a perturbed start from the best point.
//
// A. Fischer, A special Newton-type optimization method, Optimization 24, 1992.
// L. Grippo, F. Lampariello, S. Lucidi, SIAM J. Numer. Anal. 23, 1986 (nonmonotone line search).
#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "local/function.h"
#include "problem/problem.h"
#include "solver/newton_cones.h"
#include "solver/random.h"
#include "solver/solver.h"

#define SMALL       24                 // rows below which our own LU beats BLAS
#define PIVOT_TOL   (64 * DBL_EPSILON) // a pivot below this, relative, is rounding
#define LEAST_RCOND 1e-12              // rank threshold of the minimum-norm step
#define ARMIJO      1e-4               // required part of the predicted decrease
#define MEMORY      6                  // merits that the nonmonotone search compares with
#define PATIENCE    25                 // steps without a better iterate before a restart
#define KINK        0.2928932188134524 // 1 - 1/sqrt(2), the Fischer-Burmeister slope at (0, 0)

typedef struct newton {
    const pcs_problem *p;
    const pcs_newton_opts *o;
    double *s, *root;                                         // n: scales and their square roots
    unsigned char *equal;                                     // n: equality row
    double *B, *J;                                            // n x n
    double *a, *b;                                            // n: the iterate
    double *F, *alpha, *beta, *d, *g, *next_a, *next_b, *rhs; // n
    int *place, *list, *piv;                                  // n
    double merits[MEMORY];
    int n_merits;
    double step;     // length of the last one
    pcs_arena arena; // for least squares
} newton;

// without friction, and few enough rows for a full matrix
static bool has_rows_only(const pcs_problem *p)
{
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone > PCS_CONE_UNILATERAL) return false;
    }
    return true;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    if (!has_rows_only(p)) return newton_cones_bytes(p);
    const size_t n = (size_t)p->n;
    return 64 + track_bytes(p) + 12 * solver_bytes(n, sizeof(double)) + solver_bytes(n, 1) +
           2 * solver_bytes(n * n, sizeof(double)) + 3 * solver_bytes(n, sizeof(int)) +
           solver_bytes(1, dense_min_norm_bytes(p->n, p->n));
}

static bool begin(newton *w, const pcs_problem *p, const pcs_newton_opts *o, pcs_arena *work)
{
    const size_t n = (size_t)p->n;
    *w = (newton){.p = p, .o = o};
    double **vector[] = {&w->s,    &w->root, &w->a, &w->b,      &w->F,      &w->alpha,
                         &w->beta, &w->d,    &w->g, &w->next_a, &w->next_b, &w->rhs};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k) {
        *vector[k] = PCS_TAKE(work, n, double);
        if (!*vector[k]) return false;
    }
    w->equal = PCS_TAKE(work, n, unsigned char);
    w->B = PCS_TAKE(work, n * n, double);
    w->J = PCS_TAKE(work, n * n, double);
    w->place = PCS_TAKE(work, n, int);
    w->list = PCS_TAKE(work, n, int);
    w->piv = PCS_TAKE(work, n, int);
    w->arena = *work;
    if (!w->equal || !w->B || !w->J || !w->place || !w->list || !w->piv) return false;

    problem_scales(p, w->s);
    for (int b = 0; b < p->nb; ++b) {
        memset(w->equal + p->block[b].row, p->block[b].cone == PCS_CONE_EQUALITY,
               (size_t)p->block[b].dim);
    }
    for (int i = 0; i < p->n; ++i) {
        w->root[i] = sqrt(w->s[i]);
        w->place[i] = i;
    }
    problem_restrict(p, w->place, p->n, w->s, w->B);
    return true;
}

// b = B a + S^-1/2 q
static void evaluate(const newton *w, const double *a, double *b)
{
    const int n = w->p->n;
    for (int i = 0; i < n; ++i) {
        w->rhs[i] = a[i] / w->root[i];
    }
    pcs_bsr_mul(&w->p->W, w->rhs, b);
    for (int i = 0; i < n; ++i) {
        b[i] = (b[i] + w->p->q[i]) / w->root[i];
    }
}

// sqrt(a^2 + b^2) - ... without cancellation: a + b - h = 2ab / (a + b + h) where a + b > 0
static double fischer(double a, double b)
{
    const double h = hypot(a, b);
    return a + b > 0 ? 2 * a * (b / (a + b + h)) : a + b - h;
}

// F, and |F|^2 / 2
static double merit(const newton *w, const double *a, const double *b, double *F)
{
    double sum = 0;
    for (int i = 0; i < w->p->n; ++i) {
        double f = b[i];
        if (!w->equal[i]) {
            f = w->o->function == PCS_NEWTON_FUNCTION_FB ? fischer(a[i], b[i])
                                                         : cone_min(a[i], b[i]);
        }
        F[i] = f;
        sum += f * f;
    }
    return 0.5 * sum;
}

// the slopes of F_i with respect to a_i and b_i
static void slopes(newton *w)
{
    for (int i = 0; i < w->p->n; ++i) {
        const double a = w->a[i], b = w->b[i];
        if (w->equal[i]) {
            w->alpha[i] = 0;
            w->beta[i] = 1;
        } else if (w->o->function != PCS_NEWTON_FUNCTION_FB) {
            w->alpha[i] = a < b;
            w->beta[i] = !(a < b);
        } else {
            const double h = hypot(a, b);
            w->alpha[i] = h > 0 ? 1 - a / h : KINK;
            w->beta[i] = h > 0 ? 1 - b / h : KINK;
        }
    }
}

// J restricted to the rows and columns that are not eliminated
static void jacobian(const newton *w, int nt)
{
    const size_t n = (size_t)w->p->n;
    for (int c = 0; c < nt; ++c) {
        const double *B = w->B + n * (size_t)w->list[c];
        double *J = w->J + (size_t)nt * (size_t)c;
        for (int l = 0; l < nt; ++l) {
            J[l] = w->beta[w->list[l]] * B[w->list[l]];
        }
        J[c] += w->alpha[w->list[c]];
    }
}

static bool factor(newton *w, int nt)
{
    jacobian(w, nt);
    if (!(nt <= SMALL ? lu_factor(nt, w->J, w->piv) : dense_lu(nt, w->J, w->piv))) return false;
    double least = INFINITY, most = 0;
    for (int i = 0; i < nt; ++i) {
        const double pivot = fabs(w->J[(size_t)i * ((size_t)nt + 1)]);
        if (!(pivot >= least)) least = pivot;
        if (!(pivot <= most)) most = pivot;
    }
    return least > PIVOT_TOL * nt * most;
}

// d with J d = -F, or of least squares and minimum norm; false when even that fails
static bool newton_step(newton *w)
{
    const int n = w->p->n;
    int nt = 0;
    for (int i = 0; i < n; ++i) {
        w->d[i] = 0;
        if (w->beta[i] == 0) {
            w->d[i] = -w->F[i] / w->alpha[i];
        } else {
            w->list[nt++] = i;
        }
    }

    // the effect of the eliminated rows on the others
    for (int i = 0; i < n; ++i) {
        w->rhs[i] = 0;
    }
    for (int j = 0; j < n; ++j) {
        if (w->beta[j] != 0 || w->d[j] == 0) continue;
        for (int i = 0; i < n; ++i) {
            w->rhs[i] += w->B[(size_t)i + (size_t)n * (size_t)j] * w->d[j];
        }
    }
    for (int k = 0; k < nt; ++k) {
        const int i = w->list[k];
        w->next_b[k] = -w->F[i] - w->beta[i] * w->rhs[i];
    }

    if (factor(w, nt)) {
        if (nt <= SMALL) {
            lu_solve(nt, w->J, w->piv, w->next_b);
        } else {
            dense_lu_solve(nt, w->J, w->piv, false, 1, w->next_b);
        }
    } else {
        jacobian(w, nt);
        if (dense_min_norm(nt, nt, w->J, w->next_b, LEAST_RCOND, w->arena) < 0) return false;
    }
    for (int k = 0; k < nt; ++k) {
        w->d[w->list[k]] = w->next_b[k];
    }
    return pcs_all_finite(w->d, (size_t)n);
}

// g = J^T F, the gradient of |F|^2 / 2
static void gradient(newton *w)
{
    const int n = w->p->n;
    for (int i = 0; i < n; ++i) {
        w->rhs[i] = w->beta[i] * w->F[i];
    }
    for (int j = 0; j < n; ++j) {
        const double *B = w->B + (size_t)n * (size_t)j;
        double t = w->alpha[j] * w->F[j];
        for (int i = 0; i < n; ++i) {
            t += B[i] * w->rhs[i];
        }
        w->g[j] = t;
    }
}

// d = -t g with t the minimiser of |F - t J g|^2
static void gradient_step(newton *w)
{
    const int n = w->p->n;
    dense_mul(n, n, 1, w->B, w->g, 0, w->rhs);
    double top = 0, bottom = 0;
    for (int i = 0; i < n; ++i) {
        const double Jg = w->alpha[i] * w->g[i] + w->beta[i] * w->rhs[i];
        top += w->g[i] * w->g[i];
        bottom += Jg * Jg;
    }
    const double t = bottom > 0 ? top / bottom : 1;
    for (int i = 0; i < n; ++i) {
        w->d[i] = -t * w->g[i];
    }
}

static void remember(newton *w, double value)
{
    w->merits[w->n_merits % MEMORY] = value;
    w->n_merits += 1;
}

// moves along d until the merit has fallen enough; false when no length suffices
static bool search(newton *w)
{
    const int n = w->p->n;
    double worst = 0;
    for (int k = 0; k < MEMORY && k < w->n_merits; ++k) {
        if (w->merits[k] > worst) worst = w->merits[k];
    }
    const double slope = dense_dot(n, w->g, w->d);
    if (!(slope < 0)) return false;

    double t = 1;
    for (int k = 0; k <= w->o->max_backtracks; ++k, t *= 0.5) {
        for (int i = 0; i < n; ++i) {
            w->next_a[i] = w->a[i] + t * w->d[i];
        }
        evaluate(w, w->next_a, w->next_b);
        const double value = merit(w, w->next_a, w->next_b, w->F);
        if (value <= worst + ARMIJO * t * slope) {
            memcpy(w->a, w->next_a, (size_t)n * sizeof(double));
            memcpy(w->b, w->next_b, (size_t)n * sizeof(double));
            remember(w, value);
            w->step = t;
            return true;
        }
    }
    merit(w, w->a, w->b, w->F);
    return false;
}

// the next start: the best point, every row changed by up to the size of the data
static void restart(newton *w, const double *best, uint64_t *seed)
{
    const int n = w->p->n;
    double size = 0;
    for (int i = 0; i < n; ++i) {
        const double x = fabs(w->p->q[i]) / w->root[i];
        if (x > size) size = x;
    }
    for (int i = 0; i < n; ++i) {
        const double unit = xorshift_unit(seed);
        const double a = best[i] * w->root[i], span = fabs(a) > size ? fabs(a) : size;
        w->a[i] = w->equal[i] ? a + span * (2 * unit - 1) : 2 * span * unit * unit;
    }
}

static void start_at(newton *w)
{
    evaluate(w, w->a, w->b);
    w->n_merits = 0;
    remember(w, merit(w, w->a, w->b, w->F));
}

// measures the iterate projected on K
static void measure(newton *w, solver_track *t, double *r, double *u)
{
    for (int i = 0; i < w->p->n; ++i) {
        r[i] = w->a[i] / w->root[i];
    }
    cone_project(w->p->nb, w->p->block, r);
    track_measure(t, r, u);
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    if (!has_rows_only(p)) return newton_cones(p, o, watch, work, r, u, out);
    solver_track t;
    newton w;
    if (!track_begin(&t, p, o, watch, &work, r) || !begin(&w, p, &o->as.newton, &work)) {
        return pcs_fail_memory("newton");
    }
    for (int i = 0; i < p->n; ++i) {
        w.a[i] = r[i] * w.root[i];
    }
    start_at(&w);
    track_measure(&t, r, u);

    uint64_t seed = 0x9e3779b97f4a7c15u;
    int restarts = 0, idle = 0;
    for (int iters = 0; !track_done(&t, iters); ++iters) {
        slopes(&w);
        gradient(&w);
        bool moved = newton_step(&w) && search(&w);
        if (!moved) {
            gradient_step(&w);
            moved = search(&w);
        }

        const double before = t.best_value;
        t.step = moved ? w.step : 0;
        if (moved) measure(&w, &t, r, u);
        idle = t.best_value < before ? 0 : idle + 1;
        if (moved && idle < PATIENCE) continue;

        if (restarts == o->as.newton.restarts) {
            track_stall(&t, iters + 1);
            break;
        }
        restarts += 1;
        idle = 0;
        restart(&w, t.best, &seed);
        start_at(&w);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

static const pcs_opt options[] = {
    OPT_WORD("function", newton.function, PCS_NEWTON_FUNCTION_FB, PCS_NEWTON_FUNCTION_JM,
             "function whose zeros are the solutions", function_words),
    OPT_INT("max_backtracks", newton.max_backtracks, 0, 60,
            "halvings of a step in the line search"),
    OPT_INT("restarts", newton.restarts, 0, 1000, "perturbed starts after a stall"),
};

const solver_class solver_newton = {
    SOLVER_ROW("newton", PCS_SOLVER_NEWTON, ALL_CONES, 1e-10, 500,
               "semismooth Newton on a complementarity function, with line search"),
    SOLVER_OPTIONS(options),
    .defaults.as.newton = {.function = PCS_NEWTON_FUNCTION_FB,
                           .max_backtracks = 20,
                           .restarts = 20},
};
