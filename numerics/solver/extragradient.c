// Extragradient with an adaptive step (Khobotov, Marcotte), on the scaled problem and the operator
// F(x) = W x + q + s(x) e_N, the shift mu |u_T| of friction included:
//
//     y = P_K(x - t F(x)),  t shortened by 2/3 until t |F(x) - F(y)| <= 0.9 |x - y|
//     x <- P_K(x - t F(y)), t longer by 3/2 where that ratio was below 0.3
//
// E. Khobotov, Modification of the extragradient method, USSR Comput. Math. Math. Phys. 27, 1987.
// P. Marcotte, Application of Khobotov's algorithm to variational inequalities, INFOR 29, 1991.
#include <string.h>

#include "cone/cone.h"
#include "solver/scaled.h"
#include "solver/solver.h"

// largest number of reductions of a step
#define BACKTRACKS 100
#define SHORTER    (2.0 / 3)

typedef struct extra {
    scaled s;
    double *x, *y, *Fx, *Fy;
    double t;
} extra;

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    return track_bytes(p) + scaled_bytes(p) + 4 * solver_bytes((size_t)p->n, sizeof(double));
}

// F = W x + q + s e_N
static void operator_at(const scaled *s, const double *x, double *F)
{
    pcs_bsr_mul(&s->p.W, x, F);
    for (int i = 0; i < s->p.n; ++i) {
        F[i] += s->q[i];
    }
    for (int b = 0; b < s->p.nb; ++b) {
        const pcs_block *k = &s->p.block[b];
        if (k->cone == PCS_CONE_COULOMB) F[k->row] += k->mu * cone_tangent(k->dim, F + k->row);
    }
}

// y = P(x - t F)
static void step_to(const extra *e, const double *F, double *y)
{
    for (int i = 0; i < e->s.p.n; ++i) {
        y[i] = e->x[i] - e->t * F[i];
    }
    cone_project(e->s.p.nb, e->s.p.block, y);
}

// one iteration; false: no step is short enough
static bool iterate(extra *e, const pcs_extragradient_opts *o)
{
    const int n = e->s.p.n;
    double ratio = 0;
    operator_at(&e->s, e->x, e->Fx);
    for (int k = 0;; ++k) {
        step_to(e, e->Fx, e->y);
        operator_at(&e->s, e->y, e->Fy);
        double dx = 0, dF = 0;
        for (int i = 0; i < n; ++i) {
            dx += (e->x[i] - e->y[i]) * (e->x[i] - e->y[i]);
            dF += (e->Fx[i] - e->Fy[i]) * (e->Fx[i] - e->Fy[i]);
        }
        ratio = dF > 0 ? e->t * sqrt(dF / dx) : 0;
        if (ratio <= o->high) break;
        if (k == BACKTRACKS || isnan(ratio)) return false;
        e->t *= SHORTER;
    }
    step_to(e, e->Fy, e->x);
    if (ratio < o->low) e->t /= SHORTER;
    return true;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    const pcs_extragradient_opts *opt = &o->as.extragradient;
    solver_track t;
    extra e;
    double **vector[] = {&e.x, &e.y, &e.Fx, &e.Fy};
    if (!track_begin(&t, p, o, watch, &work, r)) return pcs_fail_memory("extragradient");
    for (size_t k = 0; k < sizeof vector / sizeof *vector; ++k) {
        *vector[k] = PCS_TAKE(&work, (size_t)p->n, double);
        if (!*vector[k]) return pcs_fail_memory("extragradient");
    }
    if (!scaled_begin(&e.s, p, NULL, &work)) return pcs_fail_memory("extragradient");

    e.t = 1 / e.s.largest;
    scaled_from(&e.s, r, e.x);
    track_measure(&t, r, u);
    bool over = track_done(&t, 0);
    for (int iters = 1; !over; ++iters) {
        if (!iterate(&e, opt)) {
            t.outcome = PCS_OUTCOME_STALLED;
            break;
        }
        if (iters % opt->check_every != 0 && iters < o->max_iters) continue;
        scaled_to(&e.s, e.x, r);
        track_measure(&t, r, u);
        t.step = e.t;
        over = track_done(&t, iters);
    }
    track_end(&t, r, out);
    return PCS_OK;
}

static const pcs_opt options[] = {
    OPT_REAL("low", extragradient.low, 0, 0.999,
             "the step becomes longer where t |F(x) - F(y)| / |x - y| is below this"),
    OPT_REAL("high", extragradient.high, 1e-3, 0.999,
             "the step becomes shorter while that ratio is above this"),
    OPT_INT("check_every", extragradient.check_every, 1, 1000000,
            "iterations between two exact residuals"),
};

const solver_class solver_extragradient = {
    SOLVER_ROW("extragradient", PCS_SOLVER_EXTRAGRADIENT, ALL_CONES, 1e-6, 50000,
               "extragradient with a self-adaptive step; no factors, for comparison"),
    SOLVER_OPTIONS(options),
    .defaults.as.extragradient = {.low = 0.3, .high = 0.9, .check_every = 10},
};
