// ADMM (alternating direction method of multipliers): the problem in scaled unknowns
// (solver/scaled.h), the iteration (solver/splitting.h), and, in this file, the penalty rho.
//
// The diagonal of W is about 1, so that a rho near 0.1 suits most problems. Small eigenvalues of W
// need a small rho, contacts that open a large one.
//
// - ladder: when the measure has not fallen to a tenth in a number of iterations, rho becomes the
//   next of rho, rho/10, rho/100, 10 rho, cyclically and with growing patience
// - spectral: rho = sqrt(m L) (L/m)^p with the extreme eigenvalues m (at least eta) and L of W; p
//   follows the ratio of the primal and dual residuals
// - balanced: rho is multiplied by the square root of that ratio
//
// S. Boyd et al., Distributed optimization and statistical learning via the alternating direction
// method of multipliers, 2011. J. Carpentier, Q. Le Lidec, L. Montaut, From compliant to rigid
// contact simulation: a unified and efficient approach, RSS 2024.
#include "solver/admm.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/splitting.h"

// the ladder: iterations of its first rung, growth from rung to rung, and the decrease that counts
// as progress
#define RUNG_ITERS  250
#define RUNG_GROWTH 1.3
#define PROGRESS    0.1
// ratio of the residuals beyond which the penalty is changed
#define BALANCE 10.0
// a step of the power p, and its bounds
#define POWER_STEP 0.05
// number of products for the smallest eigenvalue of W
#define POWER_ITERS 20

static const double ladder[] = {1, 0.1, 0.01, 10};
#define RUNGS ((int)(sizeof ladder / sizeof *ladder))

typedef struct penalty {
    const pcs_admm_opts *o;
    double base;       // rho of the first rung
    int rung;          // present rung of the ladder
    double low, power; // spectral: the smallest eigenvalue and p
    double high;       // spectral: the largest
    double logs;       // sum of log(primal / dual)
    int count;         // number of its terms
    int next;          // iteration of the next decision
    double wait;       // iterations between that decision and the one after
    double before;     // the measure at the last decision
} penalty;

// an upper estimate of the smallest eigenvalue of the symmetric part of W: power iteration on L I -
// W
static double smallest(const scaled *s, double high, double *x, double *y)
{
    const int n = s->p.n;
    double low = 1;
    for (int i = 0; i < n; ++i) {
        x[i] = 1 + 0.5 * sin(2.0 + 3 * i);
    }
    for (int k = 0; k < POWER_ITERS; ++k) {
        const double norm = sqrt(dense_dot(n, x, x));
        if (!(norm > 0)) break;
        for (int i = 0; i < n; ++i) {
            x[i] /= norm;
        }
        scaled_mul(s, x, y);
        low = dense_dot(n, x, y);
        for (int i = 0; i < n; ++i) {
            x[i] = high * x[i] - y[i];
        }
    }
    return low;
}

static double spectral(const penalty *k)
{
    return sqrt(k->low * k->high) * pow(k->high / k->low, k->power);
}

// the first rho
static double penalty_begin(penalty *k, const pcs_admm_opts *o, const scaled *s, double *x,
                            double *y)
{
    *k = (penalty){.o = o, .base = o->rho, .wait = RUNG_ITERS, .before = INFINITY};
    k->next = o->penalty == PCS_ADMM_PENALTY_LADDER ? RUNG_ITERS : 10;
    if (o->penalty == PCS_ADMM_PENALTY_LADDER) return o->rho;
    if (o->penalty != PCS_ADMM_PENALTY_SPECTRAL) return o->rho;
    k->high = 1.1 * s->largest;
    k->low = smallest(s, k->high, x, y);
    if (!(k->low > o->eta * k->high)) k->low = o->eta * k->high;
    k->power = 0.3;
    return spectral(k);
}

// the rho of the next iteration, and true where it has changed; value: the measure
static bool penalty_follow(penalty *k, const splitting *a, int iters, double value, double *rho)
{
    *rho = a->rho;
    if (a->primal > 0 && a->dual > 0) {
        k->logs += log(a->primal / a->dual);
        k->count += 1;
    }
    if (iters < k->next || k->o->penalty == PCS_ADMM_PENALTY_FIXED) return false;

    if (k->o->penalty == PCS_ADMM_PENALTY_LADDER) {
        const bool good = value <= PROGRESS * k->before;
        k->before = value;
        k->next = iters + (int)k->wait;
        if (good) return false;
        k->wait *= RUNG_GROWTH;
        k->rung += 1;
        k->before = INFINITY;
        *rho = k->base * ladder[k->rung % RUNGS];
        return true;
    }

    const double ratio = k->count > 0 ? exp(k->logs / k->count) : 1;
    k->logs = k->count = 0;
    // each decision costs a factorisation: make them rarer
    k->next = iters + (iters / 2 > 10 ? iters / 2 : 10);
    if (ratio < BALANCE && ratio > 1 / BALANCE) return false;
    if (k->o->penalty == PCS_ADMM_PENALTY_SPECTRAL) {
        const double power = k->power + (ratio > 1 ? POWER_STEP : -POWER_STEP);
        k->power = power < -0.5 ? -0.5 : power > 0.5 ? 0.5 : power;
        *rho = spectral(k);
    } else {
        const double f = sqrt(ratio);
        *rho = a->rho * (f > BALANCE ? BALANCE : f < 1 / BALANCE ? 1 / BALANCE : f);
    }
    return *rho != a->rho;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    return track_bytes(p) + scaled_bytes(p) + splitting_bytes(p, o->as.admm.depth) +
           2 * solver_bytes((size_t)p->n, sizeof(double));
}

// the iterations, once the memory is available
static void run(const pcs_solver_opts *o, const scaled *s, splitting *a, solver_track *t, double *x,
                double *v, double *r, double *u)
{
    const pcs_admm_opts *opt = &o->as.admm;
    penalty k;
    double rho = penalty_begin(&k, opt, s, x, v);
    scaled_from(s, r, x);
    scaled_mul(s, x, v);
    for (int i = 0; i < s->p.n; ++i) {
        v[i] += s->q[i];
    }
    a->relax = opt->relaxation;
    a->damping = opt->damping;
    bool alive = splitting_start(a, rho, x, v), over = false;
    for (int iters = 1; alive && !over; ++iters) {
        alive = splitting_step(a);
        if (iters % opt->check_every != 0 && iters < o->max_iters) continue;
        scaled_to(s, a->z, r);
        track_measure(t, r, u);
        t->penalty = a->rho;
        t->step = a->primal;
        over = track_done(t, iters);
        if (alive && !over && penalty_follow(&k, a, iters, t->value, &rho)) {
            alive = splitting_penalty(a, rho);
        }
    }
    if (!alive && !over) t->outcome = PCS_OUTCOME_STALLED;
}

pcs_status admm_solve(solver_track *t, const scaled_space *on, pcs_arena work, double *r, double *u)
{
    const pcs_problem *p = t->p;
    scaled s;
    splitting a;
    double *x = PCS_TAKE(&work, (size_t)p->n, double), *v = PCS_TAKE(&work, (size_t)p->n, double);
    track_measure(t, r, u);
    if (track_done(t, 0)) return PCS_OK;
    if (!x || !v || !scaled_begin(&s, p, on, &work)) return pcs_fail_memory("admm");
    const bool taken = splitting_begin(&a, &s, t->o->as.admm.depth, &work);
    if (taken) run(t->o, &s, &a, t, x, v, r, u);
    splitting_free(&a);
    return taken ? PCS_OK : pcs_fail_memory("admm");
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    if (!track_begin(&t, p, o, watch, &work, r)) return pcs_fail_memory("admm");
    PCS_TRY(admm_solve(&t, NULL, work, r, u));
    track_end(&t, r, out);
    return PCS_OK;
}

static const char *const penalty_words[] = {"ladder", "spectral", "balanced", "fixed"};

static const pcs_opt options[] = {
    OPT_WORD("penalty", admm.penalty, PCS_ADMM_PENALTY_LADDER, PCS_ADMM_PENALTY_FIXED,
             "choice of rho; ladder: another one where progress stops", penalty_words),
    OPT_REAL_IF("rho", admm.rho, 1e-10, 1e10, "first penalty, for a diagonal of W of 1", "penalty",
                1u << PCS_ADMM_PENALTY_LADDER | 1u << PCS_ADMM_PENALTY_BALANCED |
                    1u << PCS_ADMM_PENALTY_FIXED),
    OPT_REAL_IF("eta", admm.eta, 1e-14, 1,
                "least ratio of the eigenvalues of W; smaller ones count as this", "penalty",
                1u << PCS_ADMM_PENALTY_SPECTRAL),
    OPT_REAL("relaxation", admm.relaxation, 0.1, 1.999, "over-relaxation; 1 is plain ADMM"),
    OPT_REAL("damping", admm.damping, 1e-3, 1,
             "part of the change of the shift mu |u_T| in one iteration"),
    OPT_INT("depth", admm.depth, 0, ANDERSON_MOST,
            "differences kept by the Anderson acceleration; 0 for none"),
    OPT_INT("check_every", admm.check_every, 1, 1000000, "iterations between two exact residuals"),
};

const solver_class solver_admm = {
    SOLVER_ROW("admm", PCS_SOLVER_ADMM, ALL_CONES, 1e-8, 10000,
               "ADMM: factors of W + rho I, cheap iterations, acceleration"),
    SOLVER_OPTIONS(options),
    .solve_bodies = bodies_admm,
    .defaults.as.admm = {.penalty = PCS_ADMM_PENALTY_LADDER,
                         .rho = 0.1,
                         .eta = 1e-6,
                         .relaxation = 1.6,
                         .damping = 1,
                         .depth = 15,
                         .check_every = 5},
};
