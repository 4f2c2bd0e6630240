// Creation, start and readers of an integration. The loop is in advance.c.
#include "ode/integrator.h"

#include <float.h>
#include <string.h>

pcs_ode_opts pcs_ode_opts_default(void)
{
    pcs_root_opts newton = pcs_root_opts_default();
    newton.tol = 1e-15;
    return (pcs_ode_opts){.adaptive = true,
                          .rtol = 1e-8,
                          .atol = 1e-10,
                          .max_steps = 100000,
                          .newton = newton,
                          .event_by_step = true,
                          .event_tol = 1e-12};
}

pcs_ode_opts pcs_ode_opts_fixed(const pcs_tableau *tableau, double h)
{
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.tableau = tableau;
    opts.adaptive = false;
    opts.h = h;
    opts.max_steps = 0;
    return opts;
}

// ---- creation

static pcs_status check_opts(const pcs_ode_opts *o)
{
    if (!isfinite(o->h) || o->h < 0 || (!o->adaptive && o->h == 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_create: the step h is %g; it must be %s", o->h,
                        o->adaptive ? "positive, or 0 to be chosen" : "positive");
    }
    if (!(o->h_max >= 0) || !(o->h_min >= 0) || !isfinite(o->h_min) ||
        (o->h_max > 0 && o->h_min > o->h_max)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_create: h_min = %g and h_max = %g must be >= 0 (0: no "
                        "limit), and h_min not beyond h_max",
                        o->h_min, o->h_max);
    }
    if (!(o->event_tol > 0) || !isfinite(o->event_tol)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_create: event_tol is %g; it must be positive",
                        o->event_tol);
    }
    if (o->max_steps < 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_create: max_steps is %d; it must be >= 0 (0: no limit)",
                        o->max_steps);
    }
    if (!o->adaptive) return PCS_OK;
    if (!(o->rtol >= 0) || !isfinite(o->rtol) || !(o->atol >= 0) || !isfinite(o->atol) ||
        (o->rtol == 0 && o->atol == 0 && !o->atol_each)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_create: rtol = %g and atol = %g must be >= 0 and not both "
                        "0",
                        o->rtol, o->atol);
    }
    return PCS_OK;
}

static pcs_status check_tolerances(const pcs_ode_opts *o, int n)
{
    for (int i = 0; o->adaptive && o->atol_each && i < n; ++i) {
        if (!(o->atol_each[i] >= 0) || !isfinite(o->atol_each[i]) ||
            (o->rtol == 0 && o->atol_each[i] == 0)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_integrator_create: atol_each[%d] is %g; it must be positive (0 "
                            "only beside an rtol)",
                            i, o->atol_each[i]);
        }
    }
    return PCS_OK;
}

static pcs_status check_method(const pcs_ode_opts *o, const pcs_tableau *tab)
{
    PCS_TRY(pcs_tableau_check(tab));
    if (o->adaptive && (!tab->b_hat || tab->order_hat < 1)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_create: %s has no embedded pair (b_hat, order_hat) to "
                        "choose steps by; set adaptive = false and h",
                        tab->name ? tab->name : "this tableau");
    }
    return PCS_OK;
}

static bool row_is_zero(const pcs_tableau *tab, int i)
{
    for (int j = 0; j < tab->s; ++j) {
        if (tab->A[(size_t)tab->s * i + j] != 0) return false;
    }
    return tab->c[i] == 0;
}

static void take_arrays(pcs_integrator *run)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, s = (size_t)run->s;
    pcs_arena *a = &run->arena;
    TAKE_DOUBLES(a, n, &run->x, &run->carry, &run->carry_new, &run->xdot, &run->x_new, &run->stage,
                 &run->x_old, &run->f_old, &run->f, &run->f_new, &run->x_event, &run->atol);
    TAKE_DOUBLES(a, nz, &run->z, &run->z_new);
    TAKE_DOUBLES(a, n * s, &run->K, &run->K_last);
    run->Z = PCS_TAKE(a, nz * s, double);
}

static pcs_status make(const pcs_env *env, const pcs_integrator *as, const pcs_ode_opts *opts,
                       pcs_integrator **out)
{
    pcs_integrator *run = pcs_env_alloc(env, 1, sizeof *run);
    if (!run) return pcs_fail_memory("pcs_integrator_create");
    *run = *as;
    if (env) run->env = *env;
    run->opts = *opts;
    run->tableau = opts->tableau ? opts->tableau : pcs_tableau_dormand_prince();
    run->s = run->tableau->s;
    run->explicit_method = run->kind == ODE_EXPLICIT_FORM && pcs_tableau_is_explicit(run->tableau);
    run->first_is_start = row_is_zero(run->tableau, 0);
    run->last_is_end = run->kind == ODE_EXPLICIT_FORM && run->first_is_start &&
                       pcs_tableau_is_stiffly_accurate(run->tableau);

    take_arrays(run); // only counts
    const size_t bytes = run->arena.used;
    run->arena = (pcs_arena){0};
    pcs_status status = pcs_arena_create(env, bytes, &run->arena);
    if (status == PCS_OK) {
        take_arrays(run);
        for (int i = 0; i < run->n; ++i) {
            run->atol[i] = opts->atol_each ? opts->atol_each[i] : opts->atol;
        }
        run->opts.atol_each = NULL;
        if (!run->explicit_method) status = ode_stages_create(run);
    }
    if (status != PCS_OK) {
        pcs_integrator_destroy(run);
        return status;
    }
    *out = run;
    return PCS_OK;
}

// the checks of all kinds, then the creation
static pcs_status create(const pcs_env *env, const pcs_integrator *as, const pcs_ode_opts *opts,
                         pcs_integrator **out)
{
    if (as->n < 1 || as->nz < 0 || as->n > (1 << 24) || as->nz > (1 << 24)) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_integrator_create: %d differential and %d algebraic unknowns; there "
                        "must be at least one differential, and at most 2^24 of each",
                        as->n, as->nz);
    }
    const pcs_ode_opts none = pcs_ode_opts_default();
    const pcs_ode_opts *o = opts ? opts : &none;
    PCS_TRY(check_opts(o));
    PCS_TRY(check_tolerances(o, as->n));
    PCS_TRY(check_method(o, o->tableau ? o->tableau : pcs_tableau_dormand_prince()));
    return make(env, as, o, out);
}

pcs_status pcs_integrator_create(const pcs_env *env, const pcs_ode *ode, const pcs_ode_opts *opts,
                                 pcs_integrator **out)
{
    if (!ode || !out || !ode->f) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_create: ode, ode->f and out must not be null");
    }
    *out = NULL;
    return create(env, &(pcs_integrator){.kind = ODE_EXPLICIT_FORM, .ode = *ode, .n = ode->n}, opts,
                  out);
}

pcs_status pcs_integrator_create_dae(const pcs_env *env, const pcs_dae *dae,
                                     const pcs_ode_opts *opts, pcs_integrator **out)
{
    if (!dae || !out || !dae->F) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_create_dae: dae, dae->F and out must not be null");
    }
    *out = NULL;
    return create(
        env, &(pcs_integrator){.kind = ODE_IMPLICIT_FORM, .dae = *dae, .n = dae->nx, .nz = dae->nz},
        opts, out);
}

pcs_status pcs_integrator_create_semi_explicit(const pcs_env *env, const pcs_semi_explicit *dae,
                                               const pcs_ode_opts *opts, pcs_integrator **out)
{
    if (!dae || !out || !dae->f || (dae->nz > 0 && !dae->g)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_create_semi_explicit: dae, out, dae->f and "
                                     "(with nz > 0) dae->g must not be null");
    }
    *out = NULL;
    return create(env,
                  &(pcs_integrator){
                      .kind = ODE_SEMI_EXPLICIT_FORM, .semi = *dae, .n = dae->nx, .nz = dae->nz},
                  opts, out);
}

void pcs_integrator_destroy(pcs_integrator *run)
{
    if (!run) return;
    const pcs_env env = run->env;
    ode_stages_destroy(run);
    pcs_env_free(&env, run->watch);
    pcs_env_free(&env, run->found);
    pcs_arena_destroy(&env, &run->arena);
    pcs_env_free(&env, run);
}

// ---- the right-hand side

pcs_status ode_rates(pcs_integrator *run, double t, const double *x, double *K)
{
    run->report.evaluations += 1;
    const unsigned long mark = pcs_fail_mark();
    const int code = run->ode.f(run->ode.user, t, x, K);
    if (code != 0) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "integration: f returned %d at t = %.9g",
                              code, t);
    }
    for (int i = 0; i < run->n; ++i) {
        if (!isfinite(K[i])) {
            return pcs_fail(PCS_ERR_CALLBACK,
                            "integration: f gave the rate %g for component %d at t = %.9g", K[i], i,
                            t);
        }
    }
    return PCS_OK;
}

pcs_status ode_attempt(pcs_integrator *run, double h)
{
    run->h_tried = h;
    run->f_new_known = false;
    if (isfinite(run->t + h)) {
        PCS_TRY(run->explicit_method ? ode_explicit_attempt(run, h) : ode_implicit_attempt(run, h));
    }
    if (!isfinite(run->t + h) || !pcs_all_finite(run->x_new, (size_t)run->n)) {
        return pcs_fail(PCS_ERR_STEP,
                        "integration: the step of %g from t = %.9g leaves the range of numbers", h,
                        run->t);
    }
    return PCS_OK;
}

// ---- starting

static pcs_status check_start(const pcs_integrator *run, double t0, const double *x0)
{
    if (!isfinite(t0) || !pcs_all_finite(x0, (size_t)run->n)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_start: t0 or x0 is not finite");
    }
    return PCS_OK;
}

static void begin(pcs_integrator *run, double t0, const double *x0)
{
    run->started = false;
    run->t = run->t_old = t0;
    run->t_carry = 0;
    memset(run->carry, 0, (size_t)run->n * sizeof *run->carry);
    memset(run->carry_new, 0, (size_t)run->n * sizeof *run->carry);
    run->h_last = run->h_tried = 0;
    run->h_next = run->opts.h;
    run->report = (pcs_ode_report){.event = {.index = -1}};
    run->f_old_known = run->f_known = run->K_last_known = false;
    memmove(run->x, x0, (size_t)run->n * sizeof *x0);
    run->found_count = 0;
    for (int i = 0; i < run->events; ++i) {
        run->watch[i].at_event = false;
    }
}

pcs_status pcs_integrator_start(pcs_integrator *run, double t0, const double *x0)
{
    if (!run || !x0) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_start: run and x0 must not be null");
    }
    if (run->kind != ODE_EXPLICIT_FORM) return pcs_integrator_start_dae(run, t0, x0, NULL, NULL);
    PCS_TRY(check_start(run, t0, x0));
    begin(run, t0, x0);
    PCS_TRY(ode_rates(run, t0, run->x, run->f));
    run->f_known = true;
    PCS_TRY(ode_event_values(run, run->t, run->x));
    ode_arm_events(run);
    run->started = true;
    return PCS_OK;
}

pcs_status pcs_integrator_start_dae(pcs_integrator *run, double t0, const double *x0,
                                    const double *z0, const double *xdot0)
{
    if (!run || !x0) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_start_dae: run and x0 must not be null");
    }
    if (run->kind == ODE_EXPLICIT_FORM) return pcs_integrator_start(run, t0, x0);
    const size_t n = (size_t)run->n, nz = (size_t)run->nz;
    if ((z0 && !pcs_all_finite(z0, nz)) || (xdot0 && !pcs_all_finite(xdot0, n))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_start_dae: z0 or xdot0 is not finite");
    }
    PCS_TRY(check_start(run, t0, x0));
    begin(run, t0, x0);
    for (size_t i = 0; i < nz; ++i) {
        run->z[i] = z0 ? z0[i] : 0;
    }
    for (size_t i = 0; i < n; ++i) {
        run->xdot[i] = xdot0 ? xdot0[i] : 0;
    }
    PCS_TRY(ode_consistent(run));
    PCS_TRY(ode_event_values(run, run->t, run->x));
    ode_arm_events(run);
    run->started = true;
    return PCS_OK;
}

pcs_status pcs_integrator_jump(pcs_integrator *run, const double *x)
{
    if (!run || !x || !run->started) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_integrator_jump: run and x must not be null, the run started");
    }
    const size_t bytes = (size_t)run->n * sizeof *x;
    if (!pcs_all_finite(x, (size_t)run->n)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_integrator_jump: x is not finite");
    }
    PCS_TRY(ode_event_values(run, run->t, x));
    if (run->kind == ODE_EXPLICIT_FORM) {
        PCS_TRY(ode_rates(run, run->t, x, run->stage));
        memcpy(run->f, run->stage, bytes);
        run->f_known = true;
        memcpy(run->x, x, bytes);
    } else {
        // consistent z at the new x; on failure nothing changes
        memcpy(run->x_event, run->x, bytes);
        memcpy(run->x, x, bytes);
        const pcs_status status = ode_consistent(run);
        if (status != PCS_OK) {
            memcpy(run->x, run->x_event, bytes);
            return status;
        }
        run->f_known = false;
    }
    memset(run->carry, 0, bytes);
    run->h_tried = run->h_last = 0;
    run->t_old = run->t;
    ode_arm_events(run);
    return PCS_OK;
}

// ---- readers

double pcs_integrator_t(const pcs_integrator *run)
{
    return run ? run->t : 0;
}

const double *pcs_integrator_x(const pcs_integrator *run)
{
    return run ? run->x : NULL;
}

const double *pcs_integrator_z(const pcs_integrator *run)
{
    return run && run->nz > 0 ? run->z : NULL;
}

pcs_ode_report pcs_integrator_report(const pcs_integrator *run)
{
    if (!run) return (pcs_ode_report){.event = {.index = -1}};
    pcs_ode_report report = run->report;
    report.h_last = run->h_last;
    report.h_next = run->h_next;
    return report;
}
