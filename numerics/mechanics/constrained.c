// Constrained systems: M a = F + A^T lambda with phi'' = A a + gamma = 0, or the equation of a
// stabilisation instead (theory 9.1).
#include "mechanics/constrained.h"

#include <string.h>

// ---- creation

static pcs_status bad(const char *what)
{
    return pcs_fail(PCS_ERR_ARG, "pcs_constrained_create: %s", what);
}

static pcs_status check_sizes(const pcs_constrained_def *def)
{
    const int nq = def->nq > 0 ? def->nq : def->nv;
    if (def->nv < 1 || def->nq < 0) return bad("nv must be positive, nq not negative");
    if (def->nv > 10000 || nq > 20000) {
        return pcs_fail(PCS_ERR_SIZE, "pcs_constrained_create: M is dense; nv = 10000, nq = 20000"
                                      " are the largest sizes");
    }
    if (def->m < 0) return bad("m must not be negative");
    if (def->m > def->nv) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_constrained_create: %d constraints on %d velocities cannot be"
                        " independent",
                        def->m, def->nv);
    }
    if (nq != def->nv && !def->rate) return bad("nq differs from nv: rate must be given");
    for (int i = 0; i < nq && def->scale_q; ++i) {
        if (!(def->scale_q[i] > 0) || !isfinite(def->scale_q[i])) {
            return bad("a scale of q is not positive and finite");
        }
    }
    return PCS_OK;
}

static pcs_status check_def(const pcs_constrained_def *def)
{
    PCS_TRY(check_sizes(def));
    if (!def->mass == !def->lagrange) return bad("one of mass and lagrange must be given");
    if (def->lagrange && def->force) {
        return bad("a Lagrangian has its own forces; leave `force` null");
    }
    if (def->lagrange && pcs_lagrange_size(def->lagrange) != def->nv) {
        return bad("the Lagrangian has another number of freedoms than nv");
    }
    if (def->m > 0 && !def->phi && !def->phi_complex) {
        return bad("constraints without phi or phi_complex");
    }
    if (!(def->alpha >= 0) || !isfinite(def->alpha)) {
        return bad("alpha (1/s) must be finite and not negative");
    }
    if (!(def->tol >= 0) || !isfinite(def->tol)) {
        return bad("tol must be finite and not negative");
    }
    if (!(def->scale_t >= 0) || !isfinite(def->scale_t)) {
        return bad("scale_t must be finite and not negative");
    }
    if ((int)def->stabilisation < PCS_STABILISATION_NONE ||
        (int)def->stabilisation > PCS_STABILISATION_PROJECT) {
        return bad("there is no such stabilisation");
    }
    return PCS_OK;
}

// takes the arrays from the memory; with null memory only counts
static size_t lay_out(pcs_constrained *sys, double *memory)
{
    const size_t nq = (size_t)sys->nq, nv = (size_t)sys->nv, m = (size_t)sys->m;
    double *qc = NULL, *phi_c = NULL, *saddle_at = NULL;
    const memory_part part[] = {
        {&sys->A, m * nv},
        {&sys->F, nv},
        {&sys->a, nv},
        {&sys->w, nv},
        {&sys->zero, nv},
        {&sys->gamma, m},
        {&sys->phi, m},
        {&sys->rate, m},
        {&sys->g, m},
        {&sys->lambda, m},
        {&sys->sum, m},
        {&sys->qdot, nq},
        {&sys->q_try, nq},
        {&sys->v_try, nv},
        {&sys->A_at, m * nv},
        {&sys->x, nq},
        {&sys->x_phi, nq},
        {&sys->slope, nq},
        {&sys->unit, nv},
        {&sys->value, m},
        {&qc, 2 * nq},
        {&phi_c, 2 * m},
        {&saddle_at, saddle_doubles(sys->nv, sys->m)},
    };
    const size_t total = memory_lay_out(part, sizeof part / sizeof *part, memory);
    if (memory) {
        sys->qc = (pcs_complex *)(void *)qc;
        sys->phi_c = (pcs_complex *)(void *)phi_c;
        saddle_lay_out(&sys->S, sys->nv, sys->m, saddle_at, sys->ints);
    }
    return total;
}

pcs_status pcs_constrained_create(const pcs_env *env, const pcs_constrained_def *def,
                                  pcs_constrained **out)
{
    if (out) *out = NULL;
    if (!def || !out) return bad("an argument is null");
    PCS_TRY(check_def(def));
    pcs_constrained *sys = pcs_env_alloc(env, 1, sizeof *sys);
    if (!sys) return pcs_fail_memory("pcs_constrained_create");
    if (env) sys->env = *env;
    sys->def = *def;
    sys->nv = def->nv;
    sys->nq = sys->def.nq = def->nq > 0 ? def->nq : def->nv;
    sys->m = def->m;
    double *scale = pcs_env_alloc(env, (size_t)sys->nq, sizeof(double));
    sys->def.scale_q = scale;
    sys->ints = pcs_env_alloc(env, (size_t)sys->m + 1, sizeof(int));
    sys->memory = pcs_env_alloc(env, lay_out(sys, NULL), sizeof(double));
    if (!scale || !sys->ints || !sys->memory) {
        pcs_constrained_destroy(sys);
        return pcs_fail_memory("pcs_constrained_create");
    }
    for (int i = 0; i < sys->nq; ++i) {
        scale[i] = def->scale_q ? def->scale_q[i] : 1;
    }
    if (def->scale_t == 0) sys->def.scale_t = 1;
    if (def->tol == 0) sys->def.tol = 1e-12;
    lay_out(sys, sys->memory);
    *out = sys;
    return PCS_OK;
}

void pcs_constrained_destroy(pcs_constrained *sys)
{
    if (!sys) return;
    const pcs_env env = sys->env;
    pcs_env_free(&env, (void *)sys->def.scale_q);
    pcs_env_free(&env, sys->ints);
    pcs_env_free(&env, sys->memory);
    pcs_env_free(&env, sys);
}

// ---- equations

pcs_status constrained_dynamics(pcs_constrained *sys, double t, const double *q, const double *v,
                                double *M, double *F)
{
    const size_t n = (size_t)sys->nv;
    if (sys->def.lagrange) {
        return pcs_lagrange_equations(sys->def.lagrange, t, q, v, M, F ? F : sys->w);
    }
    memset(M, 0, n * n * sizeof *M);
    unsigned long mark = pcs_fail_mark();
    int answer = sys->def.mass(sys->def.user, t, q, M);
    if (answer != 0 || !pcs_all_finite(M, n * n)) {
        return pcs_fail_since(
            mark, PCS_ERR_CALLBACK,
            "the mass of a constrained system returned %d or is not finite at t = %g", answer, t);
    }
    if (!F) return PCS_OK;
    memset(F, 0, n * sizeof *F);
    mark = pcs_fail_mark();
    answer = sys->def.force ? sys->def.force(sys->def.user, t, q, v, F) : 0;
    if (answer != 0 || !pcs_all_finite(F, n)) {
        return pcs_fail_since(
            mark, PCS_ERR_CALLBACK,
            "the forces of a constrained system returned %d or are not finite at t = %g", answer,
            t);
    }
    return PCS_OK;
}

pcs_status constrained_factor(pcs_constrained *sys, double t, const double *q, const double *v,
                              double *F, const char *who)
{
    const size_t n = (size_t)sys->nv, m = (size_t)sys->m;
    PCS_TRY(constrained_dynamics(sys, t, q, v, sys->S.L, F));
    PCS_TRY(saddle_factor_mass(&sys->S, who));
    PCS_TRY(constrained_A(sys, t, q, sys->A));
    for (size_t k = 0; k < m; ++k) {
        for (size_t i = 0; i < n; ++i) {
            sys->S.B[i + n * k] = sys->A[k + m * i];
        }
    }
    return saddle_factor_constraints(&sys->S, who);
}

pcs_status constrained_target(pcs_constrained *sys, double t, const double *q, const double *v,
                              double *g)
{
    PCS_TRY(constrained_gamma(sys, t, q, v, g));
    const double alpha = sys->def.alpha;
    const bool baumgarte = sys->def.stabilisation == PCS_STABILISATION_BAUMGARTE;
    if (alpha == 0 || (!baumgarte && sys->def.stabilisation != PCS_STABILISATION_GGL))
        return PCS_OK;

    PCS_TRY(constrained_rate(sys, t, q, v, sys->rate));
    if (baumgarte) PCS_TRY(constrained_phi(sys, t, q, sys->phi));
    for (int i = 0; i < sys->m; ++i) {
        g[i] += baumgarte ? 2 * alpha * sys->rate[i] + alpha * alpha * sys->phi[i]
                          : alpha * sys->rate[i];
    }
    return PCS_OK;
}

pcs_status constrained_second_target(pcs_constrained *sys, double t, const double *q,
                                     const double *v, double *g)
{
    PCS_TRY(constrained_rate(sys, t, q, v, g));
    PCS_TRY(constrained_phi(sys, t, q, sys->phi));
    for (int i = 0; i < sys->m; ++i) {
        g[i] += sys->def.alpha * sys->phi[i];
    }
    return PCS_OK;
}

static pcs_status null_argument(const char *who)
{
    return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
}

pcs_status pcs_constrained_solve(pcs_constrained *sys, double t, const double *q, const double *v,
                                 double *a, double *lambda)
{
    const char *who = "pcs_constrained_solve";
    if (!sys || !q || !v) return null_argument(who);
    PCS_TRY(constrained_factor(sys, t, q, v, sys->a, who));
    PCS_TRY(constrained_gamma(sys, t, q, v, sys->g));
    saddle_mass_solve(&sys->S, sys->a);
    saddle_nearest(&sys->S, sys->g, sys->a, lambda);
    if (a) memcpy(a, sys->a, (size_t)sys->nv * sizeof *a);
    return PCS_OK;
}

pcs_status pcs_constrained_reactions(pcs_constrained *sys, double t, const double *q,
                                     const double *v, double *lambda, double *forces)
{
    if (!sys) return null_argument("pcs_constrained_reactions");
    PCS_TRY(pcs_constrained_solve(sys, t, q, v, NULL, sys->lambda));
    if (lambda) memcpy(lambda, sys->lambda, (size_t)sys->m * sizeof *lambda);
    for (int j = 0; j < sys->nv && forces; ++j) {
        const double *column = sys->A + (size_t)sys->m * (size_t)j;
        forces[j] = 0;
        for (int i = 0; i < sys->m; ++i) {
            forces[j] += column[i] * sys->lambda[i];
        }
    }
    return PCS_OK;
}
