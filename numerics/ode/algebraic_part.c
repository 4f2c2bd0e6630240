// The algebraic part of a differential-algebraic system at a given (t, x):
//     F(t, x', x, z) = 0 for (x', z),   or   g(t, x, z) = 0 for z,
// at the start (consistent initial data), at the stages of explicit methods and at the ends of
// steps. It can be solved where [F_x' F_z] (g_z) is regular: index 1 (theory 10, erratum E-44).
#include "ode/implicit.h"

#include <float.h>
#include <string.h>

// iterations with kept factors before Newton's method forms its own
#define CHORD_ITERS 8
// least pivot ratio of the equilibrated matrix; differences leave 1e-10 instead of zero
#define SINGULAR_EXACT       1e-12
#define SINGULAR_DIFFERENCES 1e-9

// ---- with kept factors

static pcs_status form(ode_stages *st)
{
    algebraic_part *p = &st->part;
    const int m = p->map.n;
    p->factored = false;
    PCS_TRY(derivative_form(&p->map, p->how, p->y, p->f, st->scratch_J, p->lu,
                            &st->run->report.evaluations));
    st->run->report.jacobians += 1;
    for (int i = 0; i < m; ++i) {
        p->row[i] = 0;
        for (int j = 0; j < m; ++j) {
            p->row[i] = fmax(p->row[i], fabs(p->lu[(size_t)m * j + i]));
        }
        if (!(p->row[i] > 0)) return PCS_OK;
        for (int j = 0; j < m; ++j) {
            p->lu[(size_t)m * j + i] /= p->row[i];
        }
    }
    st->run->report.factors += 1;
    p->factored = matrix_lu(m, p->lu, p->piv);
    return PCS_OK;
}

// y <- y - J^-1 f with a J formed elsewhere; false unless it contracts quickly
static bool chord(ode_stages *st)
{
    algebraic_part *p = &st->part;
    const int m = p->map.n;
    const double tol = st->run->opts.newton.tol;
    double before = INFINITY, best = 1;
    for (int k = 0; k < CHORD_ITERS; ++k) {
        if (!derivative_value(&p->map, p->y, p->f, &st->run->report.evaluations)) return false;
        if (!p->factored && (k > 0 || form(st) != PCS_OK || !p->factored)) return false;
        for (int i = 0; i < m; ++i) {
            p->dy[i] = -p->f[i] / p->row[i];
        }
        matrix_solve(m, p->lu, p->piv, p->dy);
        if (!pcs_all_finite(p->dy, (size_t)m)) return false;
        double step = 0;
        for (int i = 0; i < m; ++i) {
            step = fmax(step, fabs(p->dy[i]) / derivative_size(&p->map, i, p->y[i]));
            p->y[i] += p->dy[i];
        }
        const double theta = step / before;
        // the iteration contracts (of the first step only the size is known)
        if (step <= 4 * DBL_EPSILON || (k > 0 && theta < 0.5 && theta * step <= 0.5 * tol)) {
            return true;
        }
        // it no longer contracts: good only if it contracted quickly until then, down to rounding
        if (k > 0 && theta > 0.3) return best < 0.1 && step <= 1e-10;
        if (k > 0) best = fmin(best, theta);
        before = step;
    }
    return false;
}

static void load(ode_stages *st, double t, const double *x, const double *xdot, const double *z)
{
    const pcs_integrator *run = st->run;
    const size_t n = (size_t)run->n, nz = (size_t)run->nz;
    double *y = st->part.y;
    st->part.t = t;
    st->part.x = x;
    if (run->kind == ODE_IMPLICIT_FORM) {
        memcpy(y, xdot, n * sizeof *y);
        y += n;
    }
    if (nz > 0) memcpy(y, z, nz * sizeof *y);
}

static void unload(const ode_stages *st, double *xdot, double *z)
{
    const pcs_integrator *run = st->run;
    const size_t n = (size_t)run->n, nz = (size_t)run->nz;
    const double *y = st->part.y;
    if (run->kind == ODE_IMPLICIT_FORM) {
        memcpy(xdot, y, n * sizeof *y);
        y += n;
    }
    if (nz > 0) memcpy(z, y, nz * sizeof *y);
}

// Newton's method from the guess in y
static pcs_status newton(ode_stages *st, pcs_root_report *report)
{
    pcs_integrator *run = st->run;
    *report = (pcs_root_report){.outcome = PCS_ROOT_STALLED};
    pcs_root_opts opts = run->opts.newton;
    opts.derivative = st->part.how;
    opts.residual_tol = 0;
    const pcs_status status = pcs_root_solve(&st->part.map, &opts, st->scratch, st->part.y, report);
    run->report.evaluations += report->evaluations;
    run->report.jacobians += report->jacobians;
    run->report.factors += report->jacobians;
    st->part.factored = false;
    return status;
}

pcs_status algebraic_solve(ode_stages *st, double t, const double *x, double *xdot, double *z)
{
    // kept factors first, then factors formed here, then a line search
    for (int attempt = 0; attempt < 2; ++attempt) {
        load(st, t, x, xdot, z);
        if (attempt == 1) st->part.factored = false;
        if (chord(st)) {
            unload(st, xdot, z);
            return PCS_OK;
        }
    }
    load(st, t, x, xdot, z);
    pcs_root_report report;
    const pcs_status status = newton(st, &report);
    if (status == PCS_OK && newton_found(&report)) {
        unload(st, xdot, z);
        return PCS_OK;
    }
    const char *name = st->run->kind == ODE_IMPLICIT_FORM ? "F = 0" : "g = 0";
    if (status == PCS_ERR_CALLBACK) {
        return pcs_fail(
            status,
            "integration: at t = %.9g %s cannot be solved: a callback returned an error "
            "or a number that is not finite",
            t, name);
    }
    if (status == PCS_ERR_SINGULAR) {
        return pcs_fail(status,
                        "integration: at t = %.9g %s cannot be solved for the algebraic unknowns: "
                        "its Jacobian has become singular",
                        t, name);
    }
    return pcs_fail(PCS_ERR_STEP,
                    "integration: at t = %.9g %s cannot be solved for the algebraic unknowns: "
                    "Newton's method %s",
                    t, name, pcs_root_outcome_text(report.outcome));
}

// ---- the start

// divides m lines of m entries, `along` apart, by their largest entries; false if one is zero
static bool divide_lines(int m, size_t next, size_t along, double *line)
{
    for (int i = 0; i < m; ++i, line += next) {
        double most = 0;
        for (int j = 0; j < m; ++j) {
            most = fmax(most, fabs(line[along * (size_t)j]));
        }
        if (!(most > 0)) return false;
        for (int j = 0; j < m; ++j) {
            line[along * (size_t)j] /= most;
        }
    }
    return true;
}

// divides rows and columns by their largest entries, columns in between; false if one is zero
static bool equilibrate(int m, double *J)
{
    for (int pass = 0; pass < 2; ++pass) {
        if (!divide_lines(m, 1, (size_t)m, J) || !divide_lines(m, (size_t)m, 1, J)) return false;
    }
    return true;
}

static double norm1(int m, const double *J)
{
    double most = 0;
    for (int j = 0; j < m; ++j) {
        double sum = 0;
        for (int i = 0; i < m; ++i) {
            sum += fabs(J[(size_t)m * j + i]);
        }
        most = fmax(most, sum);
    }
    return most;
}

// checks that [F_x' F_z] (g_z) is regular at y; `where` is part of the sentence
static pcs_status check_index(ode_stages *st, const char *where)
{
    algebraic_part *p = &st->part;
    pcs_integrator *run = st->run;
    const int m = p->map.n;
    const bool differences = p->how == PCS_DERIVATIVE_DIFFERENCES;
    p->factored = false;
    PCS_TRY(differences
                ? derivative_central(&p->map, p->y, st->scratch_J, p->lu, &run->report.evaluations)
                : derivative_form(&p->map, p->how, p->y, NULL, st->scratch_J, p->lu,
                                  &run->report.evaluations));
    run->report.jacobians += 1;
    double rcond = 0;
    if (equilibrate(m, p->lu)) {
        const double norm = norm1(m, p->lu);
        if (matrix_lu(m, p->lu, p->piv)) rcond = dense_rcond(m, p->lu, norm, st->scratch);
    }
    if (rcond > (differences ? SINGULAR_DIFFERENCES : SINGULAR_EXACT)) return PCS_OK;
    const bool implicit = run->kind == ODE_IMPLICIT_FORM;
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "integration: %s is singular %s (t = %.9g, reciprocal condition %.1e): the "
                    "index is above 1, reduce it: differentiate the constraints until %s appear%s, "
                    "as the accelerations of a constrained mechanical system do",
                    implicit ? "[dF/dx' dF/dz]" : "dg/dz", where, p->t, rcond,
                    implicit ? "x' and z" : "z", implicit ? "" : "s");
}

pcs_status ode_consistent(pcs_integrator *run)
{
    ode_stages *st = run->stages;
    algebraic_part *p = &st->part;
    p->factored = false;
    if (p->map.n == 0) return PCS_OK;
    load(st, run->t, run->x, run->xdot, run->z);
    pcs_root_report report;
    const pcs_status status = newton(st, &report);
    if (status == PCS_ERR_CALLBACK) {
        return pcs_fail(status,
                        "integration: consistent initial data cannot be computed: a callback "
                        "returned an error or a number that is not finite at t = %.9g",
                        run->t);
    }
    if (status != PCS_OK && status != PCS_ERR_SINGULAR) return status;
    if (status == PCS_OK && newton_found(&report)) {
        PCS_TRY(check_index(st, "at the initial data"));
        unload(st, run->xdot, run->z);
        return PCS_OK;
    }
    // after an error y is the guess, else the last iterate
    PCS_TRY(check_index(st, status != PCS_OK ? "at the guess" : "where Newton's method stopped"));
    return pcs_fail(PCS_ERR_ARG,
                    "integration: no consistent %s at t = %.9g from this guess (%s); x contradicts "
                    "the algebraic equations, or the guess is too far away",
                    run->kind == ODE_IMPLICIT_FORM ? "x' and z" : "z", run->t,
                    status != PCS_OK ? "the Jacobian is singular on the way"
                                     : pcs_root_outcome_text(report.outcome));
}
