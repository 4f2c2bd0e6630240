// Proximal point steps whose problems are solved by Newton's method in the velocities of bodies:
//
//     A (v - v_free) = H^T r(v),   r_i(v) = the law of Alart and Curnier at c_i - rho_i u_i(v)
//     r_N = max(0, c_N - rho u_N),   r_T = the point of |r_T| <= mu r_N nearest c_T - rho u_T
//
// (equality: r = c - rho u). c holds the impulses of the last step. r(v) = c solves the contact
// problem. When contacts are hyperstatic, the steps converge to one of many solutions. Each Newton
// step solves (A + H^T B H) d = -G with B = -dr/du. kappa = rho s_i is the same for all blocks,
// with s_i of theory 7.7; it grows while Newton's method converges in few steps.
//
// The unknown is y = v - v_c with v_c = v_free + A^-1 H^T c, so that
//
//     G = A y - H^T (r - c),   u = u_c + H y
//
// contain only changes: as kappa grows, rho u stays as exact as u_c. Contacts that cannot all
// close, such as four corners whose gaps do not fit a plane to the last digits, converge only when
// kappa is so large that one step moves impulses of their own size.
//
// bodies_stick makes the same steps with r = the projection of c - rho u on the cone: friction
// without its shift. They solve a convex problem, and every solution at rest is one of it.
#include "bodies/finish.h"

#include <string.h>

#include "bodies/finish_system.h"
#include "cone/cone.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/solver.h"

// a proximal problem is solved when |G| is at most this part of the change of r, both measured as
// velocities, or of the tolerance
#define INNER_TOL 0.3
#define TOL_PART  0.1
// bounds of kappa. kappa grows by GROW when Newton's method took at most FEW steps, or by LEAP
// when the change of r was more than HALF of the one before; it shrinks when Newton's method
// failed
#define KAPPA_LOW  1e-2
#define KAPPA_HIGH 1e10
#define GROW       4.0
#define LEAP       8.0
#define HALF       0.5
#define FEW        4
// relative tolerance of the linear systems
#define LINEAR_TOL 1e-2
// a step must reduce |G| by at least this part times its length; and the largest number of halvings
// of a step
#define ARMIJO   1e-3
#define HALVINGS 8
// number of blocks that may have changed between open, stick and slide before S is factorised again
#define STALE 3
// Without the shift of friction: there is no solution at rest where the residual of the convex
// problem is at most this part of the fastest slide
#define SLIDES 1e-4

typedef struct finish {
    const bodies_problem *b;
    const pcs_solver_opts *o;
    pcs_watch watch;
    double *watched_r, *watched_u; // n, of the caller
    double length;                 // of the last Newton step
    finish_system s;
    double clock;
    double size, kappa;        // size: the larger of |q| and |W r|
    double *c, *uc, *best;     // n: the centre and its u, the best r so far
    double *dr;                // n: r(v) - c
    double *y, *w, *d, *G, *x; // nv: the iterate; a trial, or v of an r; the step; G
    double *u, *next;          // n: u of an r
    unsigned char *was, *is;   // nb: STATUS at the last factorisation, and now
    double factored;           // kappa of the factors; 0: there are none
    double best_value;
    pcs_measure measure, last; // the measures of best and of the last r
    int steps;
    bool sticks;   // the law without the shift of friction: looks for a solution at rest
    double convex; // with it, the residual of that problem, relative to size
    double slips;  // and the fastest slide of a contact that carries, relative to size
    finish_budget *budget;
    double dear;         // most units of a factorisation
    double mark, marked; // the measure when it last fell to half, and the units spent until then
} finish;

enum { OPEN, STICK, SLIDE };

// ---- the measure (theory 7.7) ------------------------------------------------------------------

// What r leaves of the convex problem, and how fast its contacts slide. The shift of friction adds
// mu |u_T| to u_N: without it the law at u is Coulomb's law at u_N - mu |u_T|
static void look_for_slip(finish *w, const double *r)
{
    measure_sums sums = {0};
    double fastest = 0;
    for (int i = 0; i < w->b->nb; ++i) {
        const pcs_block k = bodies_cone(&w->b->block[i]);
        const double *ri = r + k.row;
        double u[3];
        if (k.cone != PCS_CONE_COULOMB) {
            measure_add_violation(&sums, &k, w->s.scale[i], ri, w->u + k.row);
            continue;
        }
        memcpy(u, w->u + k.row, (size_t)k.dim * sizeof *u);
        const double slip = cone_tangent(k.dim, u);
        if (ri[0] > 0) fastest = fmax(fastest, slip);
        u[0] -= k.mu * slip;
        measure_add_violation(&sums, &k, w->s.scale[i], ri, u);
    }
    w->convex = squares_root(&sums.violation) / w->size;
    w->slips = fastest / w->size;
}

// computes w (same layout as v), u and the measure of r; keeps r if it is the best
static double look(finish *w, const double *r)
{
    pcs_measure m;
    finish_system_measure(&w->s, r, w->w, w->u, &m);
    w->size = measure_size(&m);
    double value = solver_stop_value(w->o, &m);
    if (w->sticks && !isnan(value)) {
        look_for_slip(w, r);
        value = fmax(value, w->slips / STICK_SLIPS);
    }
    w->budget->spent += 2.0 * w->b->nb;
    if (value < w->best_value) {
        w->best_value = value;
        w->measure = m;
        memcpy(w->best, r, (size_t)w->b->n * sizeof *r);
    }
    w->last = m;
    return value;
}

// true when the watch stops the solve; c is the last impulse measured
static bool stopped(finish *w)
{
    if (!w->watch.fn) return false;
    memcpy(w->watched_r, w->c, (size_t)w->b->n * sizeof *w->c);
    memcpy(w->watched_u, w->u, (size_t)w->b->n * sizeof *w->u);
    const pcs_progress now = {.solver = PCS_SOLVER_PROX,
                              .iters = w->steps,
                              .value = solver_stop_value(w->o, &w->last),
                              .residual = w->last.residual,
                              .natural_map = pcs_measure_relative_natural_map(&w->last),
                              .step = w->length,
                              .penalty = 1 / w->kappa};
    return w->watch.fn(w->watch.user, &now) != 0;
}

// ---- the law -----------------------------------------------------------------------------------

// r - c of a Coulomb block, computed without subtracting c from r, with B and C
static int coulomb(const bodies_block *k, double rho, const double *c, const double *u, double *dr,
                   double *B, double *C)
{
    const int d = k->dim;
    const double normal = c[0] - rho * u[0];
    if (!(normal > 0)) {
        for (int i = 0; i < d; ++i) {
            dr[i] = -c[i];
        }
        if (isnan(normal)) dr[0] = normal;
        return OPEN;
    }
    dr[0] = -rho * u[0];
    B[0] = C[0] = rho;
    double x[3] = {0};
    for (int i = 1; i < d; ++i) {
        x[i] = c[i] - rho * u[i];
    }
    const double t = cone_tangent(d, x), bound = k->mu * normal;
    if (t <= bound) {
        for (int i = 1; i < d; ++i) {
            dr[i] = -rho * u[i];
            B[i * (d + 1)] = C[i * (d + 1)] = rho;
        }
        return STICK;
    }
    for (int i = 1; i < d; ++i) {
        const double ti = x[i] / t;
        dr[i] = bound * ti - c[i];
        B[i] = rho * k->mu * ti;
        for (int j = 1; j < d; ++j) {
            B[i + d * j] = C[i + d * j] = rho * (bound / t) * ((i == j) - ti * (x[j] / t));
        }
    }
    return SLIDE;
}

// The same without the shift of friction: r is the projection of c - rho u on the cone
static int convex(const bodies_block *k, double rho, const double *c, const double *u, double *dr,
                  double *B, double *C)
{
    const int d = k->dim;
    double x[3] = {0}, r[3];
    for (int i = 0; i < d; ++i) {
        r[i] = x[i] = c[i] - rho * u[i];
    }
    const double t = cone_tangent(d, x);
    if (t <= k->mu * x[0] && k->mu > 0) {
        for (int i = 0; i < d; ++i) {
            dr[i] = -rho * u[i];
            B[i * (d + 1)] = C[i * (d + 1)] = rho;
        }
        return STICK;
    }
    cone_project_coulomb(d, k->mu, r);
    for (int i = 0; i < d; ++i) {
        dr[i] = r[i] - c[i];
    }
    if (!(r[0] > 0)) return OPEN;
    // along e = (1, mu t), t the direction of x_T, and along the circle of the cone
    const double along = rho / (1 + k->mu * k->mu), circle = t > 0 ? rho * k->mu * r[0] / t : 0;
    for (int i = 0; i < d; ++i) {
        const double ti = i > 0 && t > 0 ? x[i] / t : 0, ei = i > 0 ? k->mu * ti : 1;
        for (int j = 0; j < d; ++j) {
            const double tj = j > 0 && t > 0 ? x[j] / t : 0, ej = j > 0 ? k->mu * tj : 1;
            const double across = i > 0 && j > 0 ? (i == j) - ti * tj : 0;
            B[i + d * j] = C[i + d * j] = along * ei * ej + circle * across;
        }
    }
    return SLIDE;
}

// computes r(v) - c and its slopes from u
static void apply_law(finish *w, const double *u)
{
    double *B = w->s.B, *C = w->s.C;
    for (int i = 0; i < w->b->nb; ++i) {
        const bodies_block *k = &w->b->block[i];
        const double rho = w->kappa / w->s.scale[i], *c = w->c + k->row, *ui = u + k->row;
        double *dr = w->dr + k->row;
        double *Bi = B + SLOPES * (size_t)i, *Ci = C + SLOPES * (size_t)i;
        memset(Bi, 0, SLOPES * sizeof *Bi);
        memset(Ci, 0, SLOPES * sizeof *Ci);
        int status = STICK;
        if (k->cone == PCS_CONE_COULOMB) {
            status = (w->sticks ? convex : coulomb)(k, rho, c, ui, dr, Bi, Ci);
        } else if (k->cone == PCS_CONE_UNILATERAL) {
            status = c[0] - rho * ui[0] > 0 ? STICK : OPEN;
            dr[0] = c[0] - rho * ui[0] < 0 ? -c[0] : -rho * ui[0];
        } else if (k->cone == PCS_CONE_BOX) {
            const double x = c[0] - rho * ui[0];
            status = fabs(x) <= k->mu ? STICK : SLIDE;
            dr[0] = status == STICK ? -rho * ui[0] : cone_project_box(k->mu, x) - c[0];
        } else {
            for (int j = 0; j < k->dim; ++j) {
                dr[j] = -rho * ui[j];
            }
        }
        if (k->cone != PCS_CONE_COULOMB && status == STICK) Bi[0] = Ci[0] = rho;
        w->is[i] = (unsigned char)status;
    }
}

// writes G at y into w->G, with the slopes there, and returns its norm sqrt(G' A^-1 G)
static double defect(finish *w, const double *y)
{
    const int nv = w->s.nv;
    w->budget->spent += 2.0 * w->b->nb;
    finish_rows(&w->s, y, w->next);
    for (int i = 0; i < w->b->n; ++i) {
        w->next[i] += w->uc[i];
    }
    apply_law(w, w->next);
    finish_mass(&w->s, y, w->G);
    memset(w->x, 0, (size_t)nv * sizeof *w->x);
    finish_impulses(&w->s, w->dr, w->x);
    for (int i = 0; i < nv; ++i) {
        w->x[i] = w->G[i] -= w->x[i];
    }
    double sum = 0;
    block_lu_solve_all(w->b->A, w->x);
    for (int j = 0; j < nv; ++j) {
        sum += w->G[j] * w->x[j];
    }
    return sqrt(fabs(sum));
}

// the distance from the centre to r(v), in the units of G
static double moved(const finish *w)
{
    double sum = 0;
    for (int i = 0; i < w->b->nb; ++i) {
        const bodies_block *k = &w->b->block[i];
        for (int j = k->row; j < k->row + k->dim; ++j) {
            sum += w->dr[j] * w->dr[j] * w->s.scale[i];
        }
    }
    return sqrt(sum) / w->kappa;
}

// ---- Newton's method on one proximal problem ---------------------------------------------------

typedef enum inner_end {
    INNER_SOLVED,
    INNER_FAILED,
    INNER_SINGULAR,
    INNER_DEAR,
    INNER_LATE
} inner_end;

// The first Newton step is taken to cost a factorisation and some iterations of the linear solver,
// in units of this many seconds
#define UNIT_SECONDS     3e-8
#define FIRST_ITERATIONS 10

static bool out_of_time(const finish *w)
{
    return w->o->max_seconds > 0 && solver_clock() - w->clock > w->o->max_seconds;
}

// true when a Newton step that factorises would end after the time is over
static bool would_be_late(const finish *w, double factor, double iteration)
{
    if (!(w->o->max_seconds > 0)) return false;
    const double longest = w->budget->longest, units = factor + FIRST_ITERATIONS * iteration;
    const double step = longest > 0 ? longest : UNIT_SECONDS * units;
    return solver_clock() + step - w->clock > w->o->max_seconds;
}

// the time of a Newton step that began at `start`
static void keep_time(finish *w, double start)
{
    if (w->o->max_seconds > 0) {
        w->budget->longest = fmax(w->budget->longest, solver_clock() - start);
    }
}

// factorises again where the slopes have changed too much
static inner_end factors(finish *w)
{
    int changed = 0;
    for (int i = 0; i < w->b->nb; ++i) {
        changed += w->is[i] != w->was[i];
    }
    if (w->factored == w->kappa && changed <= STALE) return INNER_SOLVED;
    w->factored = 0;
    if (!finish_system_analyse(&w->s)) return INNER_SINGULAR;
    double factor, iteration;
    finish_system_cost(&w->s, &factor, &iteration);
    w->budget->factor = factor;
    if (factor > w->dear) return INNER_DEAR;
    if (would_be_late(w, factor, iteration)) return INNER_LATE;
    w->budget->spent += factor;
    if (finish_system_factor(&w->s) != CHOL_GOOD) return INNER_SINGULAR;
    w->factored = w->kappa;
    memcpy(w->was, w->is, (size_t)w->b->nb);
    return INNER_SOLVED;
}

// x with (A + H^T B H) x = -G; false when the linear solver fails
static bool solve(finish *w, double *x)
{
    for (int i = 0; i < w->s.nv; ++i) {
        w->G[i] = -w->G[i];
    }
    const int taken = finish_system_solve(&w->s, w->G, LINEAR_TOL, x);
    double factor, iteration;
    finish_system_cost(&w->s, &factor, &iteration);
    w->budget->spent += (taken < 0 ? 1 : taken + 1) * iteration;
    w->steps += taken >= 0;
    return taken >= 0;
}

static bool out_of_budget(const finish *w)
{
    return w->budget->spent >= w->budget->most ||
           w->budget->spent - w->marked >= w->budget->patience;
}

static bool settled(const finish *w, double E)
{
    const double unit = w->o->stop == PCS_STOP_RESIDUAL ? w->size : 1;
    return E <= INNER_TOL * moved(w) || E <= TOL_PART * w->o->tol * unit;
}

// starts from the centre; leaves r(v) - c in w->dr
static inner_end newton(finish *w, int *taken)
{
    const int nv = w->s.nv, inner = w->o->as.prox.inner, most = w->o->max_iters;
    memset(w->y, 0, (size_t)nv * sizeof *w->y);
    double E = defect(w, w->y);
    const double first = E;
    for (*taken = 0; *taken < inner && w->steps < most; ++*taken) {
        if (!isfinite(E)) return INNER_FAILED;
        if (*taken > 0 && settled(w, E)) return INNER_SOLVED;
        if (out_of_time(w) || (*taken > 0 && out_of_budget(w))) return INNER_FAILED;
        const double start = w->o->max_seconds > 0 ? solver_clock() : 0;
        const inner_end factored = factors(w);
        if (factored != INNER_SOLVED) return factored;
        if (!solve(w, w->d)) return INNER_SINGULAR;
        double length = 1, next = INFINITY;
        for (int k = 0; k < HALVINGS && !(next <= (1 - ARMIJO * length) * E); ++k) {
            if (k > 0) length *= 0.5;
            for (int i = 0; i < nv; ++i) {
                w->w[i] = w->y[i] + length * w->d[i];
            }
            next = defect(w, w->w);
        }
        w->length = length;
        keep_time(w, start);
        // G has reached its rounding and cannot be reduced further
        if (!(next < E)) return E <= 1e-3 * first ? INNER_SOLVED : INNER_FAILED;
        memcpy(w->y, w->w, (size_t)nv * sizeof *w->y);
        E = next;
    }
    return settled(w, E) ? INNER_SOLVED : INNER_FAILED;
}

// ---- proximal steps ----------------------------------------------------------------------------

// true when the convex problem is nearly solved by an r that slides
static bool must_slide(const finish *w)
{
    return w->sticks && w->best_value > w->o->tol && w->convex <= SLIDES * w->slips;
}

static pcs_outcome iterate(finish *w)
{
    const size_t n = (size_t)w->b->n;
    memcpy(w->uc, w->u, n * sizeof *w->uc);
    double before = 0; // change of r by the last proximal step
    w->mark = w->best_value;
    w->marked = w->budget->spent;
    while (!(w->best_value <= w->o->tol)) {
        if (stopped(w)) return PCS_OUTCOME_STOPPED;
        if (out_of_time(w)) return PCS_OUTCOME_TIME_LIMIT;
        if (w->best_value <= HALF * w->mark) {
            w->mark = w->best_value;
            w->marked = w->budget->spent;
        }
        if (w->steps >= w->o->max_iters || out_of_budget(w)) return PCS_OUTCOME_MAX_ITERS;
        int taken;
        const inner_end end = newton(w, &taken);
        if (end == INNER_DEAR) return PCS_OUTCOME_MAX_ITERS;
        if (end == INNER_LATE) return PCS_OUTCOME_TIME_LIMIT;
        if (end == INNER_SINGULAR && w->steps == 0) return PCS_OUTCOME_STALLED;
        if (end != INNER_SOLVED && out_of_budget(w)) return PCS_OUTCOME_MAX_ITERS;
        if (end != INNER_SOLVED) {
            w->budget->straight = false;
            w->kappa = w->budget->given > 0 ? 1 / w->o->as.prox.alpha : w->kappa / GROW;
            w->budget->given = 0;
            if (w->kappa < KAPPA_LOW) return PCS_OUTCOME_STALLED;
            continue;
        }
        for (size_t i = 0; i < n; ++i) {
            w->c[i] += w->dr[i];
        }
        if (isnan(look(w, w->c)) || must_slide(w)) return PCS_OUTCOME_STALLED;
        memcpy(w->uc, w->u, n * sizeof *w->uc);
        const double now = moved(w), grow = now > HALF * before ? LEAP : GROW;
        before = now;
        // the next step of time begins with the kappa of the last proximal step, not a larger one
        const bool solved = w->best_value <= w->o->tol;
        if (!solved && taken <= FEW && w->kappa * grow <= KAPPA_HIGH) w->kappa *= grow;
    }
    return PCS_OUTCOME_CONVERGED;
}

// ---- the entry ---------------------------------------------------------------------------------

static pcs_status take(finish *w, const bodies_problem *b, const pcs_solver_opts *o,
                       const double *v_free, pcs_arena *work)
{
    const size_t nv = (size_t)b->A->start[b->A->nb], n = (size_t)b->n, nb = (size_t)b->nb;
    *w = (finish){.b = b, .o = o, .best_value = INFINITY};
    double **velocity[] = {&w->y, &w->w, &w->d, &w->G, &w->x};
    for (size_t k = 0; k < sizeof velocity / sizeof *velocity; ++k) {
        *velocity[k] = PCS_TAKE(work, nv, double);
    }
    double **row[] = {&w->c, &w->dr, &w->uc, &w->best, &w->u, &w->next};
    for (size_t k = 0; k < sizeof row / sizeof *row; ++k) {
        *row[k] = PCS_TAKE(work, n, double);
    }
    w->was = PCS_TAKE(work, nb, unsigned char);
    w->is = PCS_TAKE(work, nb, unsigned char);
    for (size_t k = 0; k < sizeof velocity / sizeof *velocity; ++k) {
        if (!*velocity[k]) return pcs_fail_memory("contacts");
    }
    for (size_t k = 0; k < sizeof row / sizeof *row; ++k) {
        if (!*row[k]) return pcs_fail_memory("contacts");
    }
    if (!w->was || !w->is) return pcs_fail_memory("contacts");
    return finish_system_take(&w->s, b, v_free, work);
}

static void project(const bodies_problem *b, double *r)
{
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        if (k->cone == PCS_CONE_COULOMB) cone_project_coulomb(k->dim, k->mu, r + k->row);
        if (k->cone == PCS_CONE_UNILATERAL) r[k->row] = cone_project_unilateral(r[k->row]);
        if (k->cone == PCS_CONE_BOX) r[k->row] = cone_project_box(k->mu, r[k->row]);
    }
}

static pcs_status run(const bodies_problem *island, const pcs_solver_opts *o, bool sticks,
                      pcs_watch watch, pcs_arena work, finish_budget *budget, double *v, double *r,
                      double *u, bodies_report *out)
{
    finish_budget none = {.most = INFINITY, .patience = INFINITY, .factor = INFINITY};
    *out = (bodies_report){.islands = 1,
                           .largest = island->nb,
                           .solve = {.outcome = PCS_OUTCOME_CONVERGED, .solver = PCS_SOLVER_PROX}};
    if (island->nb == 0) return PCS_OK;
    const size_t n = (size_t)island->n, nv = (size_t)island->A->start[island->A->nb];
    finish w;
    pcs_status status = take(&w, island, o, v, &work);
    w.clock = solver_clock();
    w.sticks = sticks;
    w.watch = watch;
    w.watched_r = r;
    w.watched_u = u;
    w.length = NAN;
    w.budget = budget ? budget : &none;
    w.budget->spent = 0;
    w.dear = w.budget->factor;
    w.budget->factor = 0;
    w.budget->straight = true;
    if (w.budget->kappa > 0) w.budget->given = 0;
    w.kappa = fmax(w.budget->kappa, w.budget->given);
    if (w.kappa == 0) w.kappa = 1 / o->as.prox.alpha;
    if (status != PCS_OK) {
        finish_system_end(&w.s);
        return status;
    }

    memcpy(w.c, r, n * sizeof *r);
    project(island, w.c);
    look(&w, w.c);
    if (w.best_value < INFINITY) {
        if (w.budget->goes_on) {
            memcpy(w.c, w.budget->centre, n * sizeof *w.c);
            look(&w, w.c);
        }
        out->solve.outcome = iterate(&w);
        const pcs_outcome end = out->solve.outcome;
        w.budget->goes_on =
            w.budget->centre && (end == PCS_OUTCOME_MAX_ITERS || end == PCS_OUTCOME_TIME_LIMIT);
        if (w.budget->goes_on) memcpy(w.budget->centre, w.c, n * sizeof *w.c);
        if (w.best_value <= o->tol) out->solve.outcome = PCS_OUTCOME_CONVERGED;
        look(&w, w.best);
        memcpy(r, w.best, n * sizeof *r);
        memcpy(v, w.w, nv * sizeof *v);
        memcpy(u, w.u, n * sizeof *u);
        w.budget->kappa = out->solve.outcome == PCS_OUTCOME_STALLED ? 0 : w.kappa;
    } else {
        status = pcs_fail(PCS_ERR_UNSUPPORTED, "contacts: Newton's method has no start");
    }
    finish_system_end(&w.s);
    out->finish = out->solve.iters = w.steps;
    out->solve.measure = w.measure;
    out->solve.seconds = out->seconds_finish = solver_clock() - w.clock;
    return status;
}

pcs_status bodies_finish(const bodies_problem *island, const pcs_solver_opts *o, pcs_watch watch,
                         pcs_arena work, finish_budget *budget, double *v, double *r, double *u,
                         bodies_report *out)
{
    return run(island, o, false, watch, work, budget, v, r, u, out);
}

pcs_status bodies_stick(const bodies_problem *island, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, finish_budget *budget, double *v, double *r, double *u,
                        bodies_report *out)
{
    return run(island, o, true, watch, work, budget, v, r, u, out);
}
