#include "solver/frozen.h"

#include <string.h>

#include "cone/cone.h"
#include "linalg/dense.h"
#include "solver/splitting.h"

// differences of the acceleration of an inner admm
#define ADMM_DEPTH 15
#define ADMM_RELAX 1.6
// penalties of the inner admm; the next follows when an inner problem takes too many iterations
static const double penalties[] = {0.1, 0.01, 0.001, 1};
#define PENALTIES ((int)(sizeof penalties / sizeof *penalties))
// iterations between two exact measures
#define CHECK_EVERY 5
// smallest tolerance of the inner residual
#define INNER_FLOOR 1e-15
// a W whose mates differ by more than this gets no momentum, and an extragradient step
#define SKEW_MOST 0.01
// length of that step, as a part of the longest stable one
#define SKEW_STEP 0.9
// largest number of doublings of L in one step, and the factor by which L decreases after each step
#define DOUBLINGS 60
#define EASE      0.95
// an update that makes the outer residual this much larger is undone
#define SAFEGUARD 2.0

typedef struct frozen {
    const frozen_opts *f;
    scaled s;
    double *frozen;       // nb, the frozen shifts or bounds
    double *next, *mixed; // nb
    double *x, *v;        // n, the iterate and its velocity
    double *y, *uy;       // gradient: the extrapolated point, and its velocity
    double *u, *to, *uto; // gradient: velocity of x; the next point, and its velocity
    double L, t;
    splitting admm;
    int rung;
    anderson a;    // acceleration of the frozen values
    bool trial;    // the frozen values are a candidate of the acceleration
    double before; // outer residual at the last update
} frozen;

size_t frozen_bytes(const pcs_problem *p, const frozen_opts *f)
{
    const size_t n = solver_bytes((size_t)p->n, sizeof(double));
    const size_t nb = solver_bytes((size_t)p->nb, sizeof(double));
    return track_bytes(p) + scaled_bytes(p) + 3 * nb + 2 * n + anderson_bytes(p->nb, f->depth) +
           (f->inner == PCS_INNER_ADMM ? splitting_bytes(p, ADMM_DEPTH) : 5 * n);
}

static bool take(frozen *c, const pcs_problem *p, pcs_arena *work)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    double **block[] = {&c->frozen, &c->next, &c->mixed};
    double **row[] = {&c->x, &c->v, &c->y, &c->uy, &c->u, &c->to, &c->uto};
    bool good = true;
    for (size_t k = 0; k < sizeof block / sizeof *block; ++k) {
        *block[k] = PCS_TAKE(work, nb, double);
        good = good && *block[k];
    }
    const size_t rows = c->f->inner == PCS_INNER_ADMM ? 2 : sizeof row / sizeof *row;
    for (size_t k = 0; k < rows; ++k) {
        *row[k] = PCS_TAKE(work, n, double);
        good = good && *row[k];
    }
    return anderson_begin(&c->a, p->nb, c->f->depth, NULL, work) && good;
}

// ---- the frozen law --------------------------------------------------------------------------

static double shift_of(const frozen *c, int b)
{
    return c->f->freeze == FREEZE_SHIFT ? c->frozen[b] : 0;
}

static void project(const frozen *c, double *x)
{
    if (c->f->freeze == FREEZE_BOUND) {
        cone_project_bounded(c->s.p.nb, c->s.p.block, c->frozen, x);
    } else {
        cone_project(c->s.p.nb, c->s.p.block, x);
    }
}

// the frozen values that follow from x and its velocity v
static void follow(const frozen *c, double *next)
{
    for (int b = 0; b < c->s.p.nb; ++b) {
        const pcs_block *k = &c->s.p.block[b];
        next[b] = 0;
        if (k->cone != PCS_CONE_COULOMB || c->f->freeze == FREEZE_ZERO) continue;
        next[b] = c->f->freeze == FREEZE_SHIFT ? k->mu * cone_tangent(k->dim, c->v + k->row)
                                               : k->mu * c->x[k->row];
    }
}

// |x - P(x - v - s e_N)| / max(|q|, |v - q|) of the convex problem; to is scratch
static double inner_residual(const frozen *c, double *to)
{
    const pcs_problem *p = &c->s.p;
    for (int i = 0; i < p->n; ++i) {
        to[i] = c->x[i] - c->v[i];
    }
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_COULOMB) to[p->block[b].row] -= shift_of(c, b);
    }
    project(c, to);
    double sum = 0, wx = 0;
    for (int i = 0; i < p->n; ++i) {
        sum += (c->x[i] - to[i]) * (c->x[i] - to[i]);
        wx += (c->v[i] - p->q[i]) * (c->v[i] - p->q[i]);
    }
    const double q = dense_dot(p->n, p->q, p->q);
    return sum == 0 ? 0 : sqrt(sum / (q > wx || isnan(q) ? q : wx));
}

// ---- accelerated projected gradient ----------------------------------------------------------

// starts at x, without momentum
static void gradient_start(frozen *c)
{
    const int n = c->s.p.n;
    memcpy(c->y, c->x, (size_t)n * sizeof *c->y);
    pcs_bsr_mul(&c->s.p.W, c->x, c->u);
    for (int i = 0; i < n; ++i) {
        c->u[i] += c->s.q[i];
    }
    memcpy(c->uy, c->u, (size_t)n * sizeof *c->uy);
    c->t = 1;
}

// to = P(y - (v + s e_N) / L), and its velocity
static void gradient_trial(frozen *c, const double *v)
{
    const pcs_problem *p = &c->s.p;
    for (int i = 0; i < p->n; ++i) {
        c->to[i] = c->y[i] - v[i] / c->L;
    }
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_COULOMB) c->to[p->block[b].row] -= shift_of(c, b) / c->L;
    }
    project(c, c->to);
    pcs_bsr_mul(&p->W, c->to, c->uto);
    for (int i = 0; i < p->n; ++i) {
        c->uto[i] += p->q[i];
    }
}

static void gradient_step(frozen *c)
{
    const int n = c->s.p.n;
    const bool skew = c->s.skew > SKEW_MOST;
    for (int k = 0;; ++k) {
        gradient_trial(c, c->uy);
        double dd = 0, dWd = 0, WdWd = 0;
        for (int i = 0; i < n; ++i) {
            const double d = c->to[i] - c->y[i], Wd = c->uto[i] - c->uy[i];
            dd += d * d;
            dWd += d * Wd;
            WdWd += Wd * Wd;
        }
        // a NaN ends this loop; the measure detects it
        if (skew) {
            if (!(sqrt(WdWd) > SKEW_STEP * c->L * sqrt(dd)) || k == DOUBLINGS) break;
        } else if (!(dWd > c->L * dd) || k == DOUBLINGS) {
            break;
        }
        c->L *= 2;
    }
    if (skew) {
        // repeats the step with the velocity at its end
        memcpy(c->v, c->uto, (size_t)n * sizeof *c->v);
        gradient_trial(c, c->v);
        memcpy(c->x, c->to, (size_t)n * sizeof *c->x);
        memcpy(c->y, c->to, (size_t)n * sizeof *c->y);
        memcpy(c->u, c->uto, (size_t)n * sizeof *c->u);
        memcpy(c->uy, c->uto, (size_t)n * sizeof *c->uy);
        c->L *= EASE;
        return;
    }

    double back = 0;
    for (int i = 0; i < n; ++i) {
        back += (c->y[i] - c->to[i]) * (c->to[i] - c->x[i]);
    }
    const double t = 0.5 * (1 + sqrt(1 + 4 * c->t * c->t));
    const double b = back > 0 ? 0 : (c->t - 1) / t;
    c->t = back > 0 ? 1 : t;
    for (int i = 0; i < n; ++i) {
        c->y[i] = c->to[i] + b * (c->to[i] - c->x[i]);
        c->uy[i] = c->uto[i] + b * (c->uto[i] - c->u[i]);
    }
    memcpy(c->x, c->to, (size_t)n * sizeof *c->x);
    memcpy(c->u, c->uto, (size_t)n * sizeof *c->u);
    c->L *= EASE;
}

// ---- the inner solver, whichever it is ---------------------------------------------------------

static bool inner_start(frozen *c)
{
    if (c->f->inner != PCS_INNER_ADMM) {
        c->L = c->s.largest;
        gradient_start(c);
        return true;
    }
    c->admm.relax = ADMM_RELAX;
    c->admm.frozen = c->frozen;
    c->admm.bounded = c->f->freeze == FREEZE_BOUND;
    return splitting_start(&c->admm, penalties[0], c->x, c->v);
}

static bool inner_step(frozen *c)
{
    if (c->f->inner != PCS_INNER_ADMM) {
        gradient_step(c);
        return true;
    }
    const bool good = splitting_step(&c->admm);
    memcpy(c->x, c->admm.z, (size_t)c->s.p.n * sizeof *c->x);
    return good;
}

// tells the inner solver that the frozen values have changed
static void inner_moved(frozen *c)
{
    if (c->f->inner != PCS_INNER_ADMM) {
        c->t = 1;
        memcpy(c->y, c->x, (size_t)c->s.p.n * sizeof *c->y);
        memcpy(c->uy, c->u, (size_t)c->s.p.n * sizeof *c->uy);
    } else {
        splitting_moved(&c->admm);
    }
}

// an inner problem used up its iterations
static bool inner_slow(frozen *c)
{
    if (c->f->inner != PCS_INNER_ADMM) return true;
    c->rung = (c->rung + 1) % PENALTIES;
    return splitting_penalty(&c->admm, penalties[c->rung]);
}

// ---- the outer loop -----------------------------------------------------------------------------

// updates the frozen values after an inner problem that ended at this outer residual
static void move(frozen *c, double outer)
{
    const size_t nb = (size_t)c->s.p.nb;
    if (c->trial && !(outer <= SAFEGUARD * c->before)) {
        // return to the values from which this candidate was made
        memcpy(c->frozen, c->mixed, nb * sizeof *c->frozen);
        anderson_reset(&c->a);
        c->trial = false;
        return;
    }
    follow(c, c->next);
    c->before = outer;
    memcpy(c->mixed, c->next, nb * sizeof *c->mixed);
    c->trial = anderson_mix(&c->a, c->frozen, c->next, c->frozen);
    if (!c->trial) memcpy(c->frozen, c->next, nb * sizeof *c->frozen);
    for (size_t b = 0; b < nb; ++b) {
        if (!(c->frozen[b] >= 0)) c->frozen[b] = 0;
    }
}

static void run(frozen *c, solver_track *t, double *r, double *u)
{
    const pcs_problem *p = &c->s.p;
    const pcs_solver_opts *o = t->o;
    scaled_from(&c->s, r, c->x);
    pcs_bsr_mul(&p->W, c->x, c->v);
    for (int i = 0; i < p->n; ++i) {
        c->v[i] += p->q[i];
    }
    follow(c, c->frozen);
    c->before = INFINITY;
    bool alive = inner_start(c), over = false;
    for (int iters = 1, inner = 1; alive && !over; ++iters, ++inner) {
        alive = inner_step(c);
        if (iters % CHECK_EVERY != 0 && iters < o->max_iters) continue;

        scaled_to(&c->s, c->x, r);
        track_measure(t, r, u);
        t->penalty = c->f->inner == PCS_INNER_ADMM ? c->admm.rho : c->L;
        for (int i = 0; i < p->n; ++i) {
            c->v[i] = u[i] * c->s.e[i] / c->s.size;
        }
        double *scratch = c->f->inner == PCS_INNER_ADMM ? c->admm.old : c->to;
        const double error = inner_residual(c, scratch);
        // the relaxation cannot become better: return its own solution, not the best r so far
        if (c->f->freeze == FREEZE_ZERO && error <= o->tol && t->value > o->tol) {
            memcpy(t->best, r, (size_t)p->n * sizeof *r);
            alive = false;
            t->iters = iters;
            break;
        }
        over = track_done(t, iters);
        if (!alive || over || c->f->freeze == FREEZE_ZERO) continue;

        const double outer = scaled_residual(&c->s, c->x, c->v);
        const bool slow = inner >= c->f->inner_iters;
        if (!slow && !(error <= c->f->part * outer) && !(error <= INNER_FLOOR)) continue;
        if (slow) alive = inner_slow(c);
        move(c, outer);
        inner_moved(c);
        inner = 0;
    }
    if (!alive && !over) t->outcome = PCS_OUTCOME_STALLED;
}

pcs_status frozen_solve(const pcs_problem *p, const pcs_solver_opts *o, const frozen_opts *f,
                        pcs_watch watch, pcs_arena work, double *r, double *u, pcs_report *out)
{
    const char *name = solver_class_of(o->kind)->info.name;
    solver_track t;
    frozen c = {.f = f};
    if (!track_begin(&t, p, o, watch, &work, r)) return pcs_fail_memory(name);
    track_measure(&t, r, u);
    if (!track_done(&t, 0)) {
        if (!take(&c, p, &work) || !scaled_begin(&c.s, p, NULL, &work)) return pcs_fail_memory(name);
        if (f->inner == PCS_INNER_ADMM && !splitting_begin(&c.admm, &c.s, ADMM_DEPTH, &work)) {
            splitting_free(&c.admm);
            return pcs_fail_memory(name);
        }
        run(&c, &t, r, u);
        if (f->inner == PCS_INNER_ADMM) splitting_free(&c.admm);
    }
    track_end(&t, r, out);
    return PCS_OK;
}
