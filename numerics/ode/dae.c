// The three kinds of systems as Newton's method on stages sees them: residual F_i(K_i, X_i, z_i),
// its derivatives, and the blocks of the matrix d F_i / d(K_j, z_j). With X_i = x + h sum a_ij K_j:
//     x' = f              delta_ij 1 - h a_ij f_x
//     F(t, x', x, z) = 0  delta_ij F_x' + h a_ij F_x,                delta_ij F_z
//     x' = f, 0 = g       delta_ij 1 - h a_ij f_x, h a_ij g_x;       -delta_ij f_z, delta_ij g_z
// (theory 10; each row has its own c_i, erratum E-38).
#include "ode/implicit.h"

#include <string.h>

// ---- the map of all arguments

static int rates_value(void *user, const double *x, double *f)
{
    const ode_stages *st = user;
    return st->run->ode.f(st->run->ode.user, st->t, x, f);
}

static int rates_jacobian(void *user, const double *x, double *J)
{
    const ode_stages *st = user;
    return st->run->ode.jacobian(st->run->ode.user, st->t, x, J);
}

static int rates_complex(void *user, const pcs_complex *x, pcs_complex *f)
{
    const ode_stages *st = user;
    return st->run->ode.f_complex(st->run->ode.user, st->t, x, f);
}

static int dae_value(void *user, const double *y, double *F)
{
    const ode_stages *st = user;
    const int n = st->run->n;
    return st->run->dae.F(st->run->dae.user, st->t, y, y + n, y + 2 * n, F);
}

static int dae_jacobian(void *user, const double *y, double *J)
{
    const ode_stages *st = user;
    const int n = st->run->n;
    const size_t block = (size_t)st->N * (size_t)n;
    return st->run->dae.jacobian(st->run->dae.user, st->t, y, y + n, y + 2 * n, J, J + block,
                                 J + 2 * block);
}

static int dae_complex(void *user, const pcs_complex *y, pcs_complex *F)
{
    const ode_stages *st = user;
    const int n = st->run->n;
    return st->run->dae.F_complex(st->run->dae.user, st->t, y, y + n, y + 2 * n, F);
}

static int semi_value(void *user, const double *y, double *fg)
{
    const ode_stages *st = user;
    const pcs_semi_explicit *semi = &st->run->semi;
    const int n = st->run->n;
    const int code = semi->f(semi->user, st->t, y, y + n, fg);
    return code != 0 || st->run->nz == 0 ? code : semi->g(semi->user, st->t, y, y + n, fg + n);
}

// ---- the map of (x', z), or of z, at a given x

static int consistent_value(void *user, const double *y, double *F)
{
    const ode_stages *st = user;
    const pcs_integrator *run = st->run;
    if (run->kind == ODE_SEMI_EXPLICIT_FORM) {
        return run->semi.g(run->semi.user, st->part.t, st->part.x, y, F);
    }
    return run->dae.F(run->dae.user, st->part.t, y, st->part.x, y + run->n, F);
}

static int consistent_jacobian(void *user, const double *y, double *J)
{
    const ode_stages *st = user;
    const pcs_integrator *run = st->run;
    const size_t block = (size_t)st->N * (size_t)run->n, last = (size_t)st->N * (size_t)run->nz;
    double *all = st->J_stage;
    const int code = run->dae.jacobian(run->dae.user, st->part.t, y, st->part.x, y + run->n, all,
                                       all + block, all + 2 * block);
    memcpy(J, all, block * sizeof *J);
    memcpy(J + block, all + 2 * block, last * sizeof *J);
    return code;
}

static int consistent_complex(void *user, const pcs_complex *y, pcs_complex *F)
{
    const ode_stages *st = user;
    const pcs_integrator *run = st->run;
    for (int i = 0; i < run->n; ++i) {
        st->x_complex[i] = st->part.x[i];
    }
    return run->dae.F_complex(run->dae.user, st->part.t, y, st->x_complex, y + run->n, F);
}

// ---- accepted systems

static pcs_status check_matrix(const pcs_integrator *run)
{
    const int s = run->s;
    const pcs_tableau *tab = run->tableau;
    double A[PCS_TABLEAU_STAGES_MAX * PCS_TABLEAU_STAGES_MAX];
    int piv[PCS_TABLEAU_STAGES_MAX];
    memcpy(A, tab->A, (size_t)s * (size_t)s * sizeof *A);
    if (matrix_lu(s, A, piv) && matrix_pivots(s, A) > 1e-14) return PCS_OK;
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "integration: the matrix A of %s is singular, so that it does not determine "
                    "the algebraic unknowns of its stages; use Radau IIA, Gauss or implicit Euler",
                    tab->name ? tab->name : "this tableau");
}

pcs_status system_check(const pcs_integrator *run)
{
    const bool explicit_tableau = pcs_tableau_is_explicit(run->tableau);
    const pcs_root_opts *o = &run->opts.newton;
    if (!(o->tol > 0) || !(o->tol < 1) || o->max_iters < 1 || o->backtracks < 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "integration: newton.tol = %g must lie between 0 and 1, newton.max_iters = "
                        "%d be at least 1, newton.backtracks = %d at least 0",
                        o->tol, o->max_iters, o->backtracks);
    }
    if (run->kind == ODE_EXPLICIT_FORM) return PCS_OK;
    if (!explicit_tableau) return check_matrix(run);
    if (run->kind == ODE_SEMI_EXPLICIT_FORM) return PCS_OK;
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "integration: %s is explicit, F(t, x', x, z) = 0 must be solved for x' and z; "
                    "use Radau IIA, Gauss or implicit Euler, or write the system as x' = f, 0 = g",
                    run->tableau->name ? run->tableau->name : "this tableau");
}

pcs_status system_describe(pcs_integrator *run, ode_stages *st)
{
    const int n = run->n, nz = run->nz, N = n + nz;
    st->run = run;
    st->N = N;
    st->map = (pcs_map){.m = N, .user = st};
    st->part.map = (pcs_map){.user = st};
    pcs_map *map = &st->map, *part = &st->part.map;
    switch (run->kind) {
    case ODE_EXPLICIT_FORM:
        map->n = n;
        map->f = rates_value;
        if (run->ode.jacobian) map->jacobian = rates_jacobian;
        if (run->ode.f_complex) map->f_complex = rates_complex;
        break;
    case ODE_IMPLICIT_FORM:
        map->n = 2 * n + nz;
        map->f = dae_value;
        part->m = part->n = N;
        part->f = consistent_value;
        if (run->dae.jacobian) {
            map->jacobian = dae_jacobian;
            part->jacobian = consistent_jacobian;
        }
        if (run->dae.F_complex) {
            map->f_complex = dae_complex;
            part->f_complex = consistent_complex;
        }
        break;
    case ODE_SEMI_EXPLICIT_FORM:
        map->n = N;
        map->f = semi_value;
        part->m = part->n = nz;
        part->f = consistent_value;
        break;
    }
    if (part->n > 0) PCS_TRY(derivative_resolve(part, run->opts.newton.derivative, &st->part.how));
    return derivative_resolve(map, run->opts.newton.derivative, &st->how);
}

// ---- residual and derivatives

static pcs_status refused(const ode_stages *st, unsigned long mark, int code, double t)
{
    const char *name = st->run->kind == ODE_IMPLICIT_FORM ? "F" : st->run->nz > 0 ? "f or g" : "f";
    if (code != 0) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "integration: %s returned %d at t = %.9g",
                              name, code, t);
    }
    return pcs_fail(PCS_ERR_CALLBACK,
                    "integration: %s gave a number that is not finite at t = %.9g", name, t);
}

static void set_arguments(ode_stages *st, double t, const double *K, const double *X,
                          const double *z)
{
    const size_t n = (size_t)st->run->n, nz = (size_t)st->run->nz;
    double *to = st->arg;
    st->t = t;
    if (st->run->kind == ODE_IMPLICIT_FORM) {
        memcpy(to, K, n * sizeof *to);
        to += n;
    }
    memcpy(to, X, n * sizeof *to);
    if (nz > 0) memcpy(to + n, z, nz * sizeof *to);
}

pcs_status system_residual(ode_stages *st, double t, const double *K, const double *X,
                           const double *z, double *F)
{
    const unsigned long mark = pcs_fail_mark();
    set_arguments(st, t, K, X, z);
    st->run->report.evaluations += 1;
    const int code = st->map.f(st->map.user, st->arg, F);
    if (code != 0 || !pcs_all_finite(F, (size_t)st->N)) return refused(st, mark, code, t);
    if (st->run->kind == ODE_IMPLICIT_FORM) return PCS_OK;
    for (int i = 0; i < st->run->n; ++i) {
        F[i] = K[i] - F[i];
    }
    return PCS_OK;
}

pcs_status system_rates(ode_stages *st, double t, const double *x, const double *z, double *K)
{
    pcs_integrator *run = st->run;
    if (run->kind == ODE_IMPLICIT_FORM) {
        memcpy(K, run->xdot, (size_t)run->n * sizeof *K);
        return PCS_OK;
    }
    if (run->kind == ODE_EXPLICIT_FORM) return ode_rates(run, t, x, K);
    run->report.evaluations += 1;
    const unsigned long mark = pcs_fail_mark();
    const int code = run->semi.f(run->semi.user, t, x, z, K);
    if (code != 0 || !pcs_all_finite(K, (size_t)run->n)) return refused(st, mark, code, t);
    return PCS_OK;
}

pcs_status ode_slope(pcs_integrator *run)
{
    if (run->f_known) return PCS_OK;
    PCS_TRY(run->kind == ODE_EXPLICIT_FORM
                ? ode_rates(run, run->t, run->x, run->f)
                : system_rates(run->stages, run->t, run->x, run->z, run->f));
    run->f_known = true;
    return PCS_OK;
}

pcs_status system_jacobian(ode_stages *st, double t, const double *K, const double *X,
                           const double *z, const double *fx, double *J)
{
    set_arguments(st, t, K, X, z);
    st->run->report.jacobians += 1;
    const pcs_status status = derivative_form(&st->map, st->how, st->arg, fx, st->scratch_J, J,
                                              &st->run->report.evaluations);
    if (status != PCS_ERR_CALLBACK) return status;
    return pcs_fail(PCS_ERR_CALLBACK,
                    "integration: the Jacobian at t = %.9g could not be formed: a callback "
                    "returned an error or a number that is not finite",
                    t);
}

void system_block(const ode_stages *st, const double *J, double a, bool diagonal, double *M,
                  size_t ld)
{
    const int n = st->run->n, N = st->N;
    const size_t rows = (size_t)N, block = rows * (size_t)n;
    const bool implicit = st->run->kind == ODE_IMPLICIT_FORM;
    const double *Jd = J, *Jx = implicit ? J + block : J, *Jz = Jx + block;
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r < N; ++r) {
            const size_t k = rows * (size_t)c + (size_t)r;
            const double at_x = implicit || r >= n ? a * Jx[k] : -a * Jx[k];
            const double at_xdot = !diagonal ? 0 : implicit ? Jd[k] : r == c;
            M[ld * (size_t)c + (size_t)r] = at_xdot + at_x;
        }
    }
    for (int c = n; c < N; ++c) {
        for (int r = 0; r < N; ++r) {
            const double d = diagonal ? Jz[rows * (size_t)(c - n) + (size_t)r] : 0;
            M[ld * (size_t)c + (size_t)r] = implicit || r >= n ? d : -d;
        }
    }
}
