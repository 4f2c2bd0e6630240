// Newton's method on a group of implicit stages. Simplified: J from the start of some step serves
// all stages, and factors are kept while h does not change; it ends when the estimated remaining
// error, theta / (1 - theta) of the last step with the rate of contraction theta, is below the
// limit. Full: each stage and iteration has its own J, with a line search.
#include "ode/implicit.h"

#include <float.h>
#include <string.h>

// error of Newton's method in adaptive runs, as a part of the tolerances
#define PART_OF_TOLERANCE 0.01
// the change of a component is rounding below this part of the changes of the others
#define CROSS 1e-3
// rounding of a residual, in units of the unknowns
#define NOISE (100 * DBL_EPSILON)

// ---- matrices

bool stages_J_is_of_now(const pcs_integrator *run, const ode_stages *st)
{
    return st->J_known && st->t_J == run->t &&
           memcmp(st->x_J, run->x, (size_t)run->n * sizeof *run->x) == 0;
}

pcs_status stages_form_jacobian(pcs_integrator *run, ode_stages *st)
{
    const double *fx = NULL;
    if (run->kind == ODE_EXPLICIT_FORM && st->how == PCS_DERIVATIVE_DIFFERENCES) {
        PCS_TRY(ode_slope(run));
        fx = run->f;
    }
    st->J_known = false;
    PCS_TRY(system_jacobian(st, run->t, run->xdot, run->x, run->z, fx, st->J));
    st->J_known = true;
    st->t_J = run->t;
    memcpy(st->x_J, run->x, (size_t)run->n * sizeof *run->x);
    for (int k = 0; k < st->factors; ++k) {
        st->factor[k].h = 0;
    }
    st->extra = 0;
    st->rate = INFINITY;
    return PCS_OK;
}

// the blocks of the equations of one stage: row l of the matrix of the group
static void fill_row(const ode_stages *st, const stage_group *g, int l, const double *J, double *M)
{
    const size_t N = (size_t)st->N, ld = N * (size_t)g->size;
    const int s = st->run->s, i = g->first + l;
    for (int j = 0; j < g->size; ++j) {
        const double a = st->run->tableau->A[(size_t)s * i + g->first + j];
        system_block(st, J, st->h * a, j == l, M + ld * N * (size_t)j + N * (size_t)l, ld);
    }
}

bool stages_factorise(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    stage_factor *f = &st->factor[g->factor];
    if (f->h == st->h) return true;
    for (int l = 0; l < g->size; ++l) {
        fill_row(st, g, l, st->J, f->lu);
    }
    run->report.factors += 1;
    const bool regular = matrix_lu(g->size * st->N, f->lu, f->piv);
    f->h = regular ? st->h : 0;
    return regular;
}

// ---- residual

// X_i with the K_j of the group in V
void stages_point(ode_stages *st, int i, const double *V, double *X)
{
    const pcs_integrator *run = st->run;
    const stage_group *g = st->now;
    const double *row = run->tableau->A + (size_t)run->s * i;
    for (int k = 0; k < run->n; ++k) {
        X[k] = 0;
    }
    for (int j = 0; j < g->first; ++j) {
        if (row[j] == 0) continue;
        for (int k = 0; k < run->n; ++k) {
            X[k] += row[j] * run->K[(size_t)run->n * j + k];
        }
    }
    for (int l = 0; l < g->size; ++l) {
        const double a = row[g->first + l], *K = V + (size_t)st->N * l;
        if (a == 0) continue;
        for (int k = 0; k < run->n; ++k) {
            X[k] += a * K[k];
        }
    }
    for (int k = 0; k < run->n; ++k) {
        X[k] = run->x[k] + st->h * X[k];
    }
}

static pcs_status residual(ode_stages *st, const double *V, double *R)
{
    const pcs_integrator *run = st->run;
    for (int l = 0; l < st->now->size; ++l) {
        const int i = st->now->first + l;
        const double *v = V + (size_t)st->N * l;
        stages_point(st, i, V, st->X);
        PCS_TRY(system_residual(st, run->t + run->tableau->c[i] * st->h, v, st->X, v + run->n,
                                R + (size_t)st->N * l));
    }
    return PCS_OK;
}

// ---- sizes

typedef struct sizes {
    double step; // largest change h |K_j| of any component
    double x, z; // largest of all components
} sizes;

static double change_of(const ode_stages *st, int j)
{
    double most = 0;
    for (int l = 0; l < st->now->size; ++l) {
        most = fmax(most, st->h * fabs(st->V[(size_t)st->N * l + j]));
    }
    return most;
}

static double z_size(const ode_stages *st, int j)
{
    double most = st->z_seen[j];
    for (int l = 0; l < st->now->size; ++l) {
        most = fmax(most, fabs(st->V[(size_t)st->N * l + st->run->n + j]));
    }
    return most;
}

static sizes sizes_now(const ode_stages *st)
{
    sizes size = {0, 0, 0};
    for (int j = 0; j < st->run->n; ++j) {
        size.step = fmax(size.step, change_of(st, j));
        size.x = fmax(size.x, fabs(st->run->x[j]));
    }
    for (int j = 0; j < st->run->nz; ++j) {
        size.z = fmax(size.z, z_size(st, j));
    }
    return size;
}

// the error that Newton's method may leave in component j of h K; in z
static double allowed_x(const ode_stages *st, const sizes *size, int j)
{
    const pcs_integrator *run = st->run;
    const double tight = run->opts.newton.tol * (change_of(st, j) + CROSS * size->step) +
                         0.5 * DBL_EPSILON * fabs(run->x[j]);
    if (!run->opts.adaptive) return tight;
    return fmax(tight, PART_OF_TOLERANCE * (run->atol[j] + run->opts.rtol * fabs(run->x[j])));
}

static double allowed_z(const ode_stages *st, const sizes *size, int j)
{
    const pcs_ode_opts *o = &st->run->opts;
    const double own = z_size(st, j) + CROSS * size->z;
    const double tight = (o->newton.tol + 0.5 * DBL_EPSILON) * own;
    return o->adaptive ? fmax(tight, PART_OF_TOLERANCE * o->rtol * own) : tight;
}

// largest ratio of dV to its limit: converged when it is below 1
static double excess(const ode_stages *st, const sizes *size)
{
    const int n = st->run->n;
    double most = 0;
    for (int j = 0; j < st->N; ++j) {
        double d = 0;
        for (int l = 0; l < st->now->size; ++l) {
            d = fmax(d, fabs(st->dV[(size_t)st->N * l + j]));
        }
        if (d == 0) continue;
        most =
            fmax(most, j < n ? st->h * d / allowed_x(st, size, j) : d / allowed_z(st, size, j - n));
    }
    return most;
}

// true when dV is at the level of the rounding of the residual
static bool is_noise(const ode_stages *st, const sizes *size)
{
    const int n = st->run->n;
    for (int j = 0; j < st->N; ++j) {
        const double all = j < n ? 1e3 * (size->x + size->step) / st->h : 1e4 * size->z;
        for (int l = 0; l < st->now->size; ++l) {
            if (!(fabs(st->dV[(size_t)st->N * l + j]) <= DBL_EPSILON * all)) return false;
        }
    }
    return true;
}

// ---- Newton's method

// simplified: one matrix for all iterations
newton_end stages_simplified(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    const int m = g->size * st->N, most = run->opts.newton.max_iters;
    const stage_factor *f = &st->factor[g->factor];
    memcpy(st->V, st->V0, (size_t)m * sizeof *st->V);
    double before = 0, best = 1;
    for (int k = 0; k < most; ++k) {
        if (residual(st, st->V, st->R) != PCS_OK) return NEWTON_REFUSED;
        for (int i = 0; i < m; ++i) {
            st->dV[i] = -st->R[i];
        }
        matrix_solve(m, f->lu, f->piv, st->dV);
        run->report.newton_iters += 1;
        st->iters += g->size;
        for (int i = 0; i < m; ++i) {
            st->V[i] += st->dV[i];
        }
        if (!pcs_all_finite(st->V, (size_t)m)) return NEWTON_REFUSED;
        const sizes size = sizes_now(st);
        const double e = excess(st, &size);
        if (e == 0) return NEWTON_CONVERGED;
        if (k == 0) {
            // the rate of earlier steps with this J is used, if it is one of contraction
            if (e <= 0.1 && (st->rate < 0.5 || stages_J_is_of_now(run, st)))
                return NEWTON_CONVERGED;
        } else {
            const double theta = e / before;
            // the iteration contracted until rounding stopped it
            if (theta > 0.5 && best <= 0.5 && is_noise(st, &size)) return NEWTON_CONVERGED;
            st->rate = theta;
            if (!(theta < 1)) return NEWTON_SLOW;
            const double left = theta / (1 - theta) * e;
            if (left <= 1) return NEWTON_CONVERGED;
            if (left * pow(theta, most - 1 - k) > 1 || theta > 0.9) return NEWTON_SLOW;
            best = fmin(best, theta);
        }
        before = e;
    }
    return NEWTON_SLOW;
}

static int group_value(void *user, const double *V, double *R)
{
    return residual(user, V, R) == PCS_OK ? 0 : 1;
}

static int group_jacobian(void *user, const double *V, double *M)
{
    ode_stages *st = user;
    const pcs_integrator *run = st->run;
    const stage_group *g = st->now;
    for (int l = 0; l < g->size; ++l) {
        const double *v = V + (size_t)st->N * l;
        const double t = run->t + run->tableau->c[g->first + l] * st->h;
        stages_point(st, g->first + l, V, st->X);
        if (system_jacobian(st, t, v, st->X, v + run->n, NULL, st->J_stage) != PCS_OK) return 1;
        fill_row(st, g, l, st->J_stage, M);
    }
    return 0;
}

// full: its own Jacobian for every stage and iteration, and a line search
pcs_status stages_searched(pcs_integrator *run, ode_stages *st, const stage_group *g,
                           pcs_root_report *report)
{
    const int m = g->size * st->N, n = run->n;
    memcpy(st->V, st->V0, (size_t)m * sizeof *st->V);
    const pcs_root_opts *o = &run->opts.newton;
    const sizes size = sizes_now(st);
    for (int l = 0; l < g->size; ++l) {
        for (int j = 0; j < st->N; ++j) {
            const double left =
                j < n ? (allowed_x(st, &size, j) + NOISE * (size.x + size.step)) / st->h
                      : allowed_z(st, &size, j - n) + NOISE * size.z;
            const double scale = left / o->tol;
            st->v_scale[(size_t)st->N * l + j] = scale > 0 ? scale : 1;
        }
    }
    const pcs_map map = {.n = m,
                         .m = m,
                         .f = group_value,
                         .jacobian = group_jacobian,
                         .x_scale = st->v_scale,
                         .user = st};
    pcs_root_opts opts = *o;
    opts.derivative = PCS_DERIVATIVE_CALLBACK;
    opts.residual_tol = 0;
    const pcs_status status = pcs_root_solve(&map, &opts, st->scratch, st->V, report);
    if (status == PCS_OK) {
        run->report.newton_iters += report->iters;
        run->report.factors += report->jacobians;
    }
    return status;
}

// e <- (1 - h gamma J)^-1 e, with the factors of a single implicit stage: sum (b - b_hat) K_i does
// not measure the error of fast components, which the method damps (Hairer and Wanner, IV.8). For
// systems of index 1 the Newton matrix is applied to dF/dx' e, or to (e, 0).
void ode_stages_filter(const pcs_integrator *run, double *error)
{
    const ode_stages *st = run->stages;
    if (st->factors == 0) return;
    const stage_factor *f = &st->factor[st->factors - 1];
    if (f->size != 1 || f->gamma == 0 || f->h != run->h_tried) return;

    const int n = run->n, N = st->N;
    double *e = st->dV;
    for (int r = 0; r < N; ++r) {
        e[r] = r < n ? error[r] : 0;
    }
    if (run->kind == ODE_IMPLICIT_FORM) {
        for (int r = 0; r < N; ++r) {
            e[r] = 0;
            for (int c = 0; c < n; ++c) {
                e[r] += st->J[(size_t)N * c + r] * error[c];
            }
        }
    }
    matrix_solve(N, f->lu, f->piv, e);
    for (int i = 0; i < n; ++i) {
        error[i] = e[i];
    }
}
