// One attempt at a step of an implicit Runge-Kutta method (theory 10). The unknowns are the stage
// derivatives K_i (and z_i): any A serves, singular or not, and what is added to x, h sum b_i K_i,
// is what Newton's method solved for, not what a stiff f makes of its rounding.
//
// Stages are solved in groups that depend on each other: all at once (Gauss, Radau), one after the
// other (diagonally implicit), or by evaluation (explicit first stage). Newton is simplified: J
// from the start of some step for all stages, factors kept while h stays. Where it does not
// contract, J is formed anew; where that does not help, each stage gets its own J and the step a
// line search.
#include "ode/implicit.h"

#include <float.h>
#include <string.h>

// Newton's error in adaptive runs, as a part of the tolerances
#define PART_OF_TOLERANCE 0.01
// of the other components' change that a component's change is not told from
#define CROSS          1e-3
#define LARGEST_SYSTEM 30000

// ---- creation

static void find_groups(const pcs_integrator *run, ode_stages *st)
{
    const pcs_tableau *tab = run->tableau;
    const int s = run->s;
    st->groups = st->factors = 0;
    for (int i = 0; i < s;) {
        int last = i;
        for (int r = i; r <= last; ++r) {
            for (int j = last + 1; j < s; ++j) {
                if (tab->A[(size_t)s * r + j] != 0) last = j;
            }
        }
        stage_group *g = &st->group[st->groups++];
        *g = (stage_group){.first = i, .size = last - i + 1, .factor = -1};
        const double gamma = tab->A[(size_t)s * i + i];
        if (g->size > 1 || gamma != 0 || run->kind != ODE_EXPLICIT_FORM) {
            for (int k = 0; k < st->factors && g->size == 1; ++k) {
                if (st->factor[k].size == 1 && st->factor[k].gamma == gamma) g->factor = k;
            }
            if (g->factor < 0) {
                g->factor = st->factors++;
                st->factor[g->factor] = (stage_factor){.size = g->size, .gamma = gamma};
            }
        }
        if (g->size * st->N > st->largest) st->largest = g->size * st->N;
        i = last + 1;
    }
    st->distinct = true;
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < i; ++j) {
            if (fabs(tab->c[i] - tab->c[j]) < 1e-6) st->distinct = false;
        }
    }
}

static void take_part(ode_stages *st, pcs_arena *a)
{
    algebraic_part *part = &st->part;
    const size_t m = (size_t)part->map.n;
    part->y = PCS_TAKE(a, m, double);
    part->f = PCS_TAKE(a, m, double);
    part->dy = PCS_TAKE(a, m, double);
    part->row = PCS_TAKE(a, m, double);
    part->size = PCS_TAKE(a, m, double);
    part->lu = PCS_TAKE(a, m * m, double);
    part->piv = PCS_TAKE(a, m, int);
    part->map.x_scale = part->size;
}

static pcs_arena part_of(pcs_arena *a, size_t bytes)
{
    unsigned char *base = pcs_arena_take(a, bytes);
    return (pcs_arena){.base = base, .size = base ? bytes : 0};
}

static void take_arrays(const pcs_integrator *run, ode_stages *st, pcs_arena *a)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, s = (size_t)run->s, N = (size_t)st->N;
    const size_t args = (size_t)st->map.n, most = (size_t)st->largest;
    st->arg = PCS_TAKE(a, args, double);
    st->size = PCS_TAKE(a, args, double);
    st->map.x_scale = st->size;
    st->x_complex = PCS_TAKE(a, n, pcs_complex);
    st->J = PCS_TAKE(a, N * args, double);
    st->J_stage = PCS_TAKE(a, N * args, double);
    st->x_J = PCS_TAKE(a, n, double);
    st->X = PCS_TAKE(a, n, double);
    st->V = PCS_TAKE(a, s * N, double);
    st->V0 = PCS_TAKE(a, s * N, double);
    st->dV = PCS_TAKE(a, most, double);
    st->R = PCS_TAKE(a, most, double);
    st->v_scale = PCS_TAKE(a, most, double);
    st->weight = PCS_TAKE(a, s, double);
    st->K_last = PCS_TAKE(a, n * s, double);
    st->Z_last = PCS_TAKE(a, nz * s, double);
    st->xdot_end = PCS_TAKE(a, n, double);
    st->z_seen = PCS_TAKE(a, nz, double);
    for (int k = 0; k < st->factors; ++k) {
        const size_t m = (size_t)st->factor[k].size * N;
        st->factor[k].lu = PCS_TAKE(a, m * m, double);
        st->factor[k].piv = PCS_TAKE(a, m, int);
    }
    take_part(st, a);
    const size_t root = pcs_root_bytes(st->largest), part = pcs_root_bytes(st->part.map.n);
    st->scratch = part_of(a, root > part ? root : part);
    st->scratch_J = part_of(a, pcs_jacobian_bytes(st->N, st->map.n));
}

// below which a number counts as small: what the tolerances say, or 1
static double small_of(const pcs_ode_opts *o, double atol)
{
    return o->rtol > 0 && atol > 0 && atol < o->rtol ? atol / o->rtol : 1;
}

static void set_sizes(const pcs_integrator *run, ode_stages *st)
{
    const int n = run->n, nz = run->nz, at_x = st->map.n - n - nz;
    for (int i = 0; i < st->map.n; ++i) {
        st->size[i] = small_of(&run->opts, run->opts.atol);
    }
    for (int i = 0; i < n; ++i) {
        st->size[at_x + i] = small_of(&run->opts, run->atol[i]);
    }
    for (int i = 0; i < st->part.map.n; ++i) {
        st->part.size[i] = small_of(&run->opts, run->opts.atol);
    }
}

pcs_status ode_stages_create(pcs_integrator *run)
{
    PCS_TRY(system_check(run));
    const size_t s = (size_t)run->s;
    ode_stages *st = pcs_env_alloc(&run->env, 1, sizeof *st);
    if (!st) return pcs_fail_memory("pcs_integrator_create");
    run->stages = st;
    st->group = pcs_env_alloc(&run->env, s, sizeof *st->group);
    st->factor = pcs_env_alloc(&run->env, s, sizeof *st->factor);
    if (!st->group || !st->factor) return pcs_fail_memory("pcs_integrator_create");
    PCS_TRY(system_describe(run, st));
    if ((double)st->N * run->s > LARGEST_SYSTEM) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_integrator_create: %d stages of %d unknowns are beyond the %d that "
                        "dense factors are meant for",
                        run->s, st->N, LARGEST_SYSTEM);
    }
    st->explicit_tableau =
        run->kind == ODE_SEMI_EXPLICIT_FORM && pcs_tableau_is_explicit(run->tableau);
    find_groups(run, st);
    if (st->explicit_tableau) {
        // z alone is solved for
        st->factors = 0;
        st->largest = 0;
    }
    pcs_arena count = {0};
    take_arrays(run, st, &count);
    PCS_TRY(pcs_arena_create(&run->env, count.used, &st->arena));
    pcs_arena memory = st->arena;
    take_arrays(run, st, &memory);
    set_sizes(run, st);
    return PCS_OK;
}

void ode_stages_destroy(pcs_integrator *run)
{
    ode_stages *st = run->stages;
    if (!st) return;
    pcs_arena_destroy(&run->env, &st->arena);
    pcs_env_free(&run->env, st->group);
    pcs_env_free(&run->env, st->factor);
    pcs_env_free(&run->env, st);
    run->stages = NULL;
}

void ode_stages_accepted(pcs_integrator *run)
{
    ode_stages *st = run->stages;
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, s = (size_t)run->s;
    memcpy(st->K_last, run->K, n * s * sizeof *run->K);
    if (nz > 0) memcpy(st->Z_last, run->Z, nz * s * sizeof *run->Z);
    st->h_of_last = run->h_tried;
    if (run->kind == ODE_IMPLICIT_FORM) memcpy(run->xdot, st->xdot_end, n * sizeof *run->xdot);
    for (size_t i = 0; i < nz; ++i) {
        st->z_seen[i] = fmax(st->z_seen[i], fabs(run->z[i]));
    }
}

// ---- the guess

// w_j: the Lagrange polynomials of the nodes at tau
static void lagrange(const pcs_integrator *run, double tau, double *w)
{
    const double *c = run->tableau->c;
    for (int j = 0; j < run->s; ++j) {
        w[j] = 1;
        for (int k = 0; k < run->s; ++k) {
            if (k != j) w[j] *= (tau - c[k]) / (c[j] - c[k]);
        }
    }
}

// v = (K, z) of a stage from the polynomial through columns of K and Z
static void blend(const pcs_integrator *run, const double *w, const double *K, const double *Z,
                  double *v_K, double *v_z)
{
    const int n = run->n, nz = run->nz;
    for (int i = 0; i < n; ++i) {
        v_K[i] = 0;
        for (int j = 0; j < run->s; ++j) {
            v_K[i] += w[j] * K[(size_t)n * j + i];
        }
    }
    for (int i = 0; i < nz; ++i) {
        v_z[i] = 0;
        for (int j = 0; j < run->s; ++j) {
            v_z[i] += w[j] * Z[(size_t)nz * j + i];
        }
    }
}

static bool can_extrapolate(const pcs_integrator *run, const ode_stages *st)
{
    return run->h_last > 0 && st->h_of_last > 0 && st->distinct && st->h <= 4 * st->h_of_last;
}

typedef enum guess_kind {
    GUESS_LAST,  // the polynomial of the last step
    GUESS_RATES, // x' now
    GUESS_STILL  // K = 0: all stages at x, where everything is defined
} guess_kind;

// V0 of a group
static pcs_status guess(pcs_integrator *run, ode_stages *st, const stage_group *g, guess_kind kind)
{
    const int n = run->n, nz = run->nz, N = st->N;
    for (int l = 0; l < g->size; ++l) {
        double *v = st->V0 + (size_t)N * l;
        const int i = g->first + l;
        if (kind == GUESS_LAST) {
            lagrange(run, 1 + run->tableau->c[i] * st->h / st->h_of_last, st->weight);
            blend(run, st->weight, st->K_last, st->Z_last, v, v + n);
            continue;
        }
        if (l > 0) {
            memcpy(v, st->V0, (size_t)N * sizeof *v);
            continue;
        }
        if (kind == GUESS_STILL) {
            memset(v, 0, (size_t)n * sizeof *v);
        } else if (run->kind == ODE_EXPLICIT_FORM) {
            if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
            run->f_known = true;
            memcpy(v, run->f, (size_t)n * sizeof *v);
        } else {
            PCS_TRY(system_rates(st, run->t, run->x, run->z, v));
        }
        if (nz > 0) memcpy(v + n, run->z, (size_t)nz * sizeof *v);
    }
    return PCS_OK;
}

// ---- matrices

static bool J_is_of_now(const pcs_integrator *run, const ode_stages *st)
{
    return st->J_known && st->t_J == run->t &&
           memcmp(st->x_J, run->x, (size_t)run->n * sizeof *run->x) == 0;
}

static pcs_status form_jacobian(pcs_integrator *run, ode_stages *st)
{
    const double *fx = NULL;
    if (run->kind == ODE_EXPLICIT_FORM && st->how == PCS_DERIVATIVE_DIFFERENCES) {
        if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
        run->f_known = true;
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
    return PCS_OK;
}

// the blocks of one stage's equations: row l of the group's matrix
static void fill_row(const ode_stages *st, const stage_group *g, int l, const double *J, double *M)
{
    const size_t N = (size_t)st->N, ld = N * (size_t)g->size;
    const int s = st->run->s, i = g->first + l;
    for (int j = 0; j < g->size; ++j) {
        const double a = st->run->tableau->A[(size_t)s * i + g->first + j];
        system_block(st, J, st->h * a, j == l, M + ld * N * (size_t)j + N * (size_t)l, ld);
    }
}

static bool factorise(pcs_integrator *run, ode_stages *st, const stage_group *g)
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
static void stage_point(ode_stages *st, int i, const double *V, double *X)
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
        stage_point(st, i, V, st->X);
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

// what Newton may leave of component j of h K; of z
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

// largest part of dV to what is allowed: converged when it is below 1
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

// dV is not told from rounding of the residual
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

typedef enum newton_end { NEWTON_CONVERGED, NEWTON_SLOW, NEWTON_REFUSED } newton_end;

// simplified: one matrix for all iterations
static newton_end simplified(pcs_integrator *run, ode_stages *st, const stage_group *g)
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
        if (!pcs_all_finite(st->dV, (size_t)m)) return NEWTON_REFUSED;

        for (int i = 0; i < m; ++i) {
            st->V[i] += st->dV[i];
        }
        const sizes size = sizes_now(st);
        const double e = excess(st, &size);
        if (e == 0) return NEWTON_CONVERGED;
        if (k == 0) {
            // nothing is known yet of the rate, but that it is one of contraction
            if (e <= 0.1) return NEWTON_CONVERGED;
        } else {
            const double theta = e / before;
            // it contracted until rounding stopped it
            if (theta > 0.5 && best <= 0.5 && is_noise(st, &size)) return NEWTON_CONVERGED;
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
        stage_point(st, g->first + l, V, st->X);
        if (system_jacobian(st, t, v, st->X, v + run->n, NULL, st->J_stage) != PCS_OK) return 1;
        fill_row(st, g, l, st->J_stage, M);
    }
    return 0;
}

// a Jacobian of its own for every stage and iteration, and a line search
static pcs_status searched(pcs_integrator *run, ode_stages *st, const stage_group *g,
                           pcs_root_report *report)
{
    const int m = g->size * st->N, n = run->n;
    memcpy(st->V, st->V0, (size_t)m * sizeof *st->V);
    const pcs_root_opts *o = &run->opts.newton;
    const sizes size = sizes_now(st);
    for (int l = 0; l < g->size; ++l) {
        for (int j = 0; j < st->N; ++j) {
            const double left =
                j < n ? allowed_x(st, &size, j) / st->h + 100 * DBL_EPSILON * size.x / st->h
                      : allowed_z(st, &size, j - n);
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

static pcs_status failed(const pcs_integrator *run, const ode_stages *st, pcs_status status,
                         const pcs_root_report *report)
{
    switch (status) {
    case PCS_ERR_SINGULAR:
        return pcs_fail(status,
                        "integration: the matrix of the stage equations is singular in the step of "
                        "%.6g from t = %.9g; take a smaller step, or look for an algebraic unknown "
                        "that is not determined",
                        st->h, run->t);
    case PCS_ERR_CALLBACK:
        return pcs_fail(status,
                        "integration: a callback returned an error or a number that is not finite "
                        "at the stages of the step of %.6g from t = %.9g; take a smaller step",
                        st->h, run->t);
    case PCS_OK:
        return pcs_fail(PCS_ERR_STEP,
                        "integration: Newton's method on the stages of the step of %.6g from t = "
                        "%.9g %s (%d iterations, last step %.3g of its unknowns); take a smaller "
                        "step",
                        st->h, run->t, pcs_root_outcome_text(report->outcome), report->iters,
                        report->step);
    default:
        return status;
    }
}

static pcs_status with_line_search(pcs_integrator *run, ode_stages *st, const stage_group *g,
                                   guess_kind kind)
{
    pcs_root_report report;
    pcs_status status;
    for (;; ++kind) {
        PCS_TRY(guess(run, st, g, kind));
        report = (pcs_root_report){.outcome = PCS_ROOT_STALLED};
        status = searched(run, st, g, &report);
        if (status == PCS_OK && report.outcome == PCS_ROOT_CONVERGED) {
            // the next step begins with a new J
            st->extra = INFINITY;
            return PCS_OK;
        }
        // the last step may be no guide to this one, and the rates may lead out of where f is
        // defined
        if (kind == GUESS_STILL || (kind == GUESS_RATES && status != PCS_ERR_CALLBACK)) break;
    }
    return failed(run, st, status, &report);
}

static pcs_status solve_group(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    st->now = g;
    const guess_kind kind = can_extrapolate(run, st) ? GUESS_LAST : GUESS_RATES;
    PCS_TRY(guess(run, st, g, kind));
    for (int fresh = J_is_of_now(run, st); fresh < 2; ++fresh) {
        if (fresh == 1 && !J_is_of_now(run, st)) PCS_TRY(form_jacobian(run, st));
        if (factorise(run, st, g) && simplified(run, st, g) == NEWTON_CONVERGED) return PCS_OK;
    }
    return with_line_search(run, st, g, kind);
}

// K = f(t, X) where the stage depends on earlier ones only
static pcs_status evaluate(pcs_integrator *run, ode_stages *st, const stage_group *g)
{
    const int i = g->first, n = run->n;
    double *K = run->K + (size_t)n * i;
    if (i == 0 && run->first_is_start) {
        if (!run->f_known) PCS_TRY(ode_rates(run, run->t, run->x, run->f));
        run->f_known = true;
        memcpy(K, run->f, (size_t)n * sizeof *K);
        return PCS_OK;
    }
    st->now = &(stage_group){.first = i};
    stage_point(st, i, st->V, st->X);
    st->now = g;
    return ode_rates(run, run->t + run->tableau->c[i] * st->h, st->X, K);
}

// ---- the attempt

// a new J when the old one has cost as much as another
static pcs_status choose_jacobian(pcs_integrator *run, ode_stages *st)
{
    const double price = run->s + (st->how == PCS_DERIVATIVE_CALLBACK  ? 1
                                   : st->how == PCS_DERIVATIVE_COMPLEX ? 2. * st->map.n
                                                                       : 1. * st->map.n);
    // at a start nothing of an earlier run remains
    const bool begun = run->h_last > 0;
    if (J_is_of_now(run, st) || (begun && st->J_known && st->extra < price)) return PCS_OK;
    return form_jacobian(run, st);
}

static void keep(pcs_integrator *run, const ode_stages *st, const stage_group *g)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz;
    for (int l = 0; l < g->size; ++l) {
        const size_t i = (size_t)(g->first + l);
        const double *v = st->V + (size_t)st->N * l;
        memcpy(run->K + n * i, v, n * sizeof *v);
        if (nz > 0) memcpy(run->Z + nz * i, v + n, nz * sizeof *v);
    }
}

static void combine(pcs_integrator *run, double h)
{
    for (int k = 0; k < run->n; ++k) {
        double sum = 0;
        for (int j = 0; j < run->s; ++j) {
            sum += run->tableau->b[j] * run->K[(size_t)run->n * j + k];
        }
        run->x_new[k] = run->x[k] + h * sum;
    }
}

// z (and x') at the end of the step: those of the last stage, or solved for
static pcs_status algebraic_end(pcs_integrator *run, ode_stages *st)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, last = (size_t)(run->s - 1);
    if (pcs_tableau_is_stiffly_accurate(run->tableau) || !st->distinct) {
        memcpy(st->xdot_end, run->K + n * last, n * sizeof(double));
        if (nz > 0) memcpy(run->z_new, run->Z + nz * last, nz * sizeof(double));
    } else {
        lagrange(run, 1, st->weight);
        blend(run, st->weight, run->K, run->Z, st->xdot_end, run->z_new);
    }
    if (pcs_tableau_is_stiffly_accurate(run->tableau) || st->part.map.n == 0) return PCS_OK;
    return algebraic_solve(st, run->t + st->h, run->x_new, st->xdot_end, run->z_new);
}

pcs_status ode_implicit_attempt(pcs_integrator *run, double h)
{
    ode_stages *st = run->stages;
    st->h = h;
    st->iters = 0;
    if (run->h_last == 0) {
        for (int i = 0; i < run->nz; ++i) {
            st->z_seen[i] = fabs(run->z[i]);
        }
    }
    if (st->explicit_tableau) return ode_half_explicit_attempt(run, h);

    PCS_TRY(choose_jacobian(run, st));
    for (int k = 0; k < st->groups; ++k) {
        const stage_group *g = &st->group[k];
        if (g->factor < 0) {
            PCS_TRY(evaluate(run, st, g));
        } else {
            PCS_TRY(solve_group(run, st, g));
            keep(run, st, g);
        }
    }
    if (J_is_of_now(run, st)) st->iters_new = st->iters;
    st->extra += fmax(0, st->iters - st->iters_new);

    combine(run, h);
    return run->kind == ODE_EXPLICIT_FORM ? PCS_OK : algebraic_end(run, st);
}
