// Newton's method with a line search for f(x) = 0 (theory 10, erratum E-37):
//     J dx = -f,    x <- x + alpha dx,    alpha = 1, 1/2, 1/4, ...
// until |D^-1 f(x + alpha dx)|^2 <= (1 - 2e-4 alpha) |D^-1 f(x)|^2 (Armijo), D the sizes of the
// rows of J: dx is a direction of descent in any such norm, and the iterates do not depend on the
// units of f or x.
#include <percuss/root.h>

#include "ode/derivative.h"
#include "ode/small_lu.h"

#include <float.h>
#include <string.h>

#define ARMIJO 1e-4
// A step below this is mostly rounding of f: it need not reduce |f| nor contract. A longer step
// distinguishes a Jacobian that is far too large from a root.
#define ROUNDING (1000 * DBL_EPSILON)

pcs_root_opts pcs_root_opts_default(void)
{
    return (pcs_root_opts){.tol = 1e-13, .max_iters = 50, .backtracks = 20};
}

const char *pcs_root_outcome_text(pcs_root_outcome outcome)
{
    switch (outcome) {
    case PCS_ROOT_CONVERGED:
        return "converged";
    case PCS_ROOT_MAX_ITERS:
        return "not converged within the iterations allowed";
    case PCS_ROOT_STALLED:
        return "stalled: no step lessens the residual";
    }
    return "unknown outcome";
}

typedef struct search {
    const pcs_map *map;
    pcs_root_opts opts;
    int n;
    double *x, *f;              // the iterate
    double *x_trial, *f_trial;  // the point after a step
    double *dx, *J, *row, *col; // step, matrix, sizes of its rows and columns
    int *piv;
    double merit; // |D^-1 f|, D of the present J
    pcs_arena scratch;
} search;

size_t pcs_root_solve_bytes(int n)
{
    if (n < 0) return 0;
    const size_t a = (size_t)n;
    return (7 * a + a * a) * sizeof(double) + a * sizeof(int) + 10 * 64 +
           (2 * a * sizeof(pcs_complex) + 2 * 64);
}

static bool take(search *s, pcs_arena *work)
{
    const size_t n = (size_t)s->n;
    TAKE_DOUBLES(work, n, &s->x, &s->f, &s->x_trial, &s->f_trial, &s->dx, &s->row, &s->col);
    s->J = PCS_TAKE(work, n * n, double);
    s->piv = PCS_TAKE(work, n, int);
    s->scratch = *work;
    return s->piv != NULL;
}

// |D^-1 f|, NaN if f is NaN
static double merit_of(const search *s, const double *f)
{
    double sum = 0;
    for (int i = 0; i < s->n; ++i) {
        const double r = f[i] / s->row[i];
        sum += r * r;
    }
    return sqrt(sum);
}

static double residual_of(const search *s, const double *f)
{
    double most = 0;
    for (int i = 0; i < s->n; ++i) {
        most = fmax(most, fabs(f[i]) / (s->map->f_scale ? s->map->f_scale[i] : 1));
    }
    return most;
}

// forms J at x, equilibrates and factorises it; computes D
static pcs_status linearise(search *s, pcs_derivative how, pcs_root_report *report)
{
    const int n = s->n;
    PCS_TRY(derivative_form(s->map, how, s->x, s->f, s->scratch, s->J, &report->evaluations));
    report->jacobians += 1;
    for (int i = 0; i < n; ++i) {
        s->row[i] = 0;
    }
    for (int j = 0; j < n; ++j) {
        s->col[j] = derivative_size(s->map, j, s->x[j]);
        for (int i = 0; i < n; ++i) {
            double *a = &s->J[(size_t)n * j + i];
            *a *= s->col[j];
            s->row[i] = fmax(s->row[i], fabs(*a));
        }
    }
    for (int i = 0; i < n; ++i) {
        if (!(s->row[i] > 0) || !isfinite(s->row[i])) {
            return pcs_fail(PCS_ERR_SINGULAR,
                            "pcs_root_solve: at iterate %d equation %d does not depend on any "
                            "unknown: the Jacobian is singular; start elsewhere",
                            report->iters, i);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            s->J[(size_t)n * j + i] /= s->row[i];
        }
    }
    if (!matrix_lu(n, s->J, s->piv) || matrix_pivots(n, s->J) < 0.25 * n * DBL_EPSILON) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_root_solve: the Jacobian at iterate %d is singular to working "
                        "precision; start elsewhere, or look for a redundant equation",
                        report->iters);
    }
    for (int i = 0; i < n; ++i) {
        s->dx[i] = -s->f[i] / s->row[i];
    }
    matrix_solve(n, s->J, s->piv, s->dx);
    for (int j = 0; j < n; ++j) {
        s->dx[j] *= s->col[j];
    }
    for (int i = 0; s->map->f_scale && i < n; ++i) {
        s->row[i] = s->map->f_scale[i];
    }
    s->merit = merit_of(s, s->f);
    if (!pcs_all_finite(s->dx, (size_t)n)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_root_solve: Newton's step at iterate %d is not finite", report->iters);
    }
    return PCS_OK;
}

static double step_of(const search *s)
{
    double most = 0;
    for (int j = 0; j < s->n; ++j) {
        most = fmax(most, fabs(s->dx[j]) / s->col[j]);
    }
    return most;
}

// moves along dx; *alpha: the length, 0 when none of `tries` steps reduces |f|
static pcs_status go(search *s, int tries, double *alpha, pcs_root_report *report)
{
    const unsigned long mark = pcs_fail_mark();
    bool defined = false;
    *alpha = 1;
    for (int k = 0; k < tries; ++k, *alpha *= 0.5) {
        for (int j = 0; j < s->n; ++j) {
            s->x_trial[j] = s->x[j] + *alpha * s->dx[j];
        }
        if (!pcs_all_finite(s->x_trial, (size_t)s->n) ||
            !derivative_value(s->map, s->x_trial, s->f_trial, &report->evaluations)) {
            continue;
        }
        defined = true;
        const double merit = merit_of(s, s->f_trial);
        if (merit <= (1 - ARMIJO * *alpha) * s->merit) return PCS_OK;
        if (s->opts.backtracks == 0) return PCS_OK;
    }
    *alpha = 0;
    if (defined) return PCS_OK;
    return pcs_fail_since(
        mark, PCS_ERR_CALLBACK,
        "pcs_root_solve: f returned an error or a number that is not finite at every "
        "step from iterate %d; start elsewhere or allow more backtracks",
        report->iters);
}

// True when the full step just made leaves less than tol: in the sizes of J, |f| fell by the factor
// theta, so that theta / (1 - theta) of the step is left. A Jacobian that is far too large makes
// small steps too, but then theta is near 1.
static bool small_enough(const search *s, double step)
{
    if (!(step <= s->opts.tol)) return false;
    if (step <= ROUNDING) return true;
    const double theta = merit_of(s, s->f) / s->merit;
    return theta < 1 && theta / (1 - theta) * step <= s->opts.tol;
}

static pcs_status iterate(search *s, pcs_derivative how, pcs_root_report *report)
{
    const size_t bytes = (size_t)s->n * sizeof(double);
    report->outcome = PCS_ROOT_MAX_ITERS;
    while (report->iters < s->opts.max_iters) {
        report->residual = residual_of(s, s->f);
        if (report->residual == 0) {
            // f = 0 exactly: J does not matter
            report->outcome = PCS_ROOT_CONVERGED;
            return PCS_OK;
        }
        PCS_TRY(linearise(s, how, report));
        const double step = step_of(s);
        const bool small = step <= ROUNDING && step <= s->opts.tol;
        double alpha;
        PCS_TRY(go(s, small ? 1 : s->opts.backtracks + 1, &alpha, report));
        report->step = alpha > 0 ? alpha * step : step;
        if (alpha == 0) {
            // when |f| is only rounding, x cannot improve
            const bool root =
                small && (s->opts.residual_tol == 0 || report->residual <= s->opts.residual_tol);
            report->outcome = root ? PCS_ROOT_CONVERGED : PCS_ROOT_STALLED;
            return PCS_OK;
        }
        memcpy(s->x, s->x_trial, bytes);
        memcpy(s->f, s->f_trial, bytes);
        report->iters += 1;
        report->residual = residual_of(s, s->f);
        if (alpha == 1 && small_enough(s, step) &&
            (s->opts.residual_tol == 0 || report->residual <= s->opts.residual_tol)) {
            report->outcome = PCS_ROOT_CONVERGED;
            return PCS_OK;
        }
    }
    return PCS_OK;
}

pcs_status root_check_opts(const pcs_root_opts *o, const char *who)
{
    if (o->tol > 0 && isfinite(o->tol) && o->residual_tol >= 0 && o->max_iters >= 1 &&
        o->backtracks >= 0) {
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG,
                    "%s: tol = %g must be positive, residual_tol = %g not negative, max_iters = %d "
                    "at least 1, backtracks = %d at least 0",
                    who, o->tol, o->residual_tol, o->max_iters, o->backtracks);
}

static pcs_status check(const pcs_map *map, const pcs_root_opts *o, const double *x,
                        const pcs_root_report *report)
{
    PCS_TRY(derivative_check_map(map, "pcs_root_solve"));
    if (map->m != map->n) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_root_solve: %d equations for %d unknowns; there must be as many",
                        map->m, map->n);
    }
    if (!x || !report || !pcs_all_finite(x, (size_t)map->n)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_root_solve: x and report must not be null, x must be finite");
    }
    return root_check_opts(o, "pcs_root_solve");
}

pcs_status pcs_root_solve(const pcs_map *map, const pcs_root_opts *opts, pcs_arena work, double *x,
                          pcs_root_report *report)
{
    search s = {.map = map, .opts = opts ? *opts : pcs_root_opts_default()};
    PCS_TRY(check(map, &s.opts, x, report));
    pcs_derivative how;
    PCS_TRY(derivative_resolve(map, s.opts.derivative, &how));
    s.n = map->n;
    if (!take(&s, &work)) {
        return pcs_fail(PCS_ERR_MEMORY,
                        "pcs_root_solve: the work arena is too small; %zu bytes are needed "
                        "(pcs_root_solve_bytes)",
                        pcs_root_solve_bytes(s.n));
    }
    *report = (pcs_root_report){0};
    memcpy(s.x, x, (size_t)s.n * sizeof *x);
    const unsigned long mark = pcs_fail_mark();
    if (!derivative_value(map, s.x, s.f, &report->evaluations)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "pcs_root_solve: f returned an error or a number that is "
                              "not finite at the starting point");
    }
    PCS_TRY(iterate(&s, how, report));
    memcpy(x, s.x, (size_t)s.n * sizeof *x);
    return PCS_OK;
}
