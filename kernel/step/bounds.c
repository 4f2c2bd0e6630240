// Solves the velocity problem. The bound of friction that a joint loads, h (limit + mu radius |R|),
// depends on the solution: solves with given bounds are repeated until r obeys the bounds that it
// loads itself. Each change of the bounds is that before times about mu radius over the lever of
// the friction force; Anderson's method takes the differences of the last ones into account, and
// finds bounds where these changes grow, too.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "problem/measure.h"
#include "relations/joint_kinds.h"
#include "solver/anderson.h"
#include "solver/solver.h"

// relative rounding error of a sum
#define ROUNDING (16 * DBL_EPSILON)
// largest rounding error, relative to q, of a step that counts as solved
#define ROUNDING_MOST 1e-5
// m/s: the rounding errors of smaller speeds are no normal numbers, as of a body that friction has
// stopped: each step leaves a part of about the tolerance of the speed before
#define LEAST_SPEED (DBL_MIN / DBL_EPSILON)

// Largest number of solves until the bounds are those of the solution. R of a solve to tol may have
// a larger relative error, which moves the bounds: after so many solves in turn the next ones are
// made to FINER of the tolerance before
#define SOLVES 40
#define TURN   8
#define FINER  0.1
// differences that Anderson's method keeps
#define DEPTH 5

// ---- the outcome -------------------------------------------------------------------------------

// True when a residual of the velocity problem is the rounding error of its own data. Each u_i sums
// products of the size of |H| |A^-1| |H|^T |r|. If these are much larger than u and q, as for a
// heavy body on a light one, no r has a smaller residual in double precision. The rounding error
// must be small relative to q: relative to a diverging r any residual is small.
static bool solved_to_rounding(const trial *t, const pcs_report *report, pcs_arena mem)
{
    if (report->outcome != PCS_OUTCOME_STALLED && report->outcome != PCS_OUTCOME_MAX_ITERS)
        return false;
    const double size = measure_size(&report->measure);
    if (size < LEAST_SPEED) return true;
    const double most = ROUNDING_MOST * report->measure.norm_q;
    if (!(report->measure.residual * size <= most)) return false;
    const double rounding = ROUNDING * bodies_load(t->solution.solved, t->solution.solved_free,
                                                   size, t->solution.r, mem);
    return report->measure.residual * size <= rounding && rounding <= most;
}

static bool is_solved(const trial *t, const pcs_report *report, pcs_arena mem)
{
    return report->outcome == PCS_OUTCOME_CONVERGED || solved_to_rounding(t, report, mem);
}

// true when r obeys the bounds that it loads, as well as a solve may obey its own problem
static bool bounds_hold(const trial *t, const pcs_report *report, double friction)
{
    const double tol = fmax(t->m->scheme.solver.tol, t->coarse);
    return friction <= fmax(tol, report->measure.residual);
}

bool step_solved_contacts(const trial *t, const pcs_report *report, double friction, pcs_arena mem)
{
    return bounds_hold(t, report, friction) && is_solved(t, report, mem);
}

// ---- the bounds --------------------------------------------------------------------------------

// the boxes that joints load
typedef struct bounds {
    int n;
    int *candidate, *block;        // of each, in the list and in the problem
    double *given, *loaded, *next; // bounds of the last solve, those that its r loads, and new ones
    anderson mix;
} bounds;

// the bound of a box that the impulses r of its joint load; null: those of the candidates
static double bound_of(const trial *t, const candidates *list, const candidate *c, const double *r)
{
    const candidate *joint = &list->c[c->joint->load - 1];
    const double *from = r && joint->active ? r + joint->at : joint->r;
    const int rows = joint_force_rows(&t->m->interaction[joint->interaction].relation);
    double square = 0;
    for (int j = 0; j < rows; ++j) {
        square += from[j] * from[j];
    }
    return t->h * c->law.limit + c->law.mu * sqrt(square);
}

static bool is_loaded(const candidate *c)
{
    return c->active && c->joint->load > 0;
}

void step_start_bounds(const trial *t, candidates *list, solution *s)
{
    // interactions come first
    for (int i = 0, block = 0; i < list->n && list->c[i].joint; ++i) {
        const candidate *c = &list->c[i];
        if (is_loaded(c)) list->k[i].mu = s->block[block].mu = bound_of(t, list, c, NULL);
        block += c->active;
    }
}

static pcs_status find(const candidates *list, pcs_arena *mem, bounds *b)
{
    *b = (bounds){0};
    for (int i = 0; i < list->n && list->c[i].joint; ++i) {
        b->n += is_loaded(&list->c[i]);
    }
    if (b->n == 0) return PCS_OK;
    const size_t n = (size_t)b->n;
    b->candidate = PCS_TAKE(mem, 2 * n, int);
    b->given = PCS_TAKE(mem, 3 * n, double);
    const bool begun = anderson_begin(&b->mix, b->n, DEPTH, NULL, mem);
    if (!b->candidate || !b->given || !begun) return pcs_fail_memory("step: joint friction");
    b->block = b->candidate + n;
    b->loaded = b->given + n;
    b->next = b->loaded + n;
    for (int i = 0, block = 0, k = 0; i < list->n && list->c[i].joint; ++i) {
        if (is_loaded(&list->c[i])) {
            b->candidate[k] = i;
            b->block[k++] = block;
        }
        block += list->c[i].active;
    }
    return PCS_OK;
}

static void set(const bounds *b, const double *to, candidates *list, solution *s)
{
    for (int k = 0; k < b->n; ++k) {
        list->k[b->candidate[k]].mu = s->block[b->block[k]].mu = to[k];
    }
}

// W_ii of a box of the problem last solved
static pcs_status scale_of(const bodies_problem *p, int block, pcs_arena mem, double *out)
{
    int widest = 0;
    for (int e = 0; e < 2; ++e) {
        const int s = p->block[block].sys[e], *start = p->A->start;
        if (s >= 0 && start[s + 1] - start[s] > widest) widest = start[s + 1] - start[s];
    }
    double *Z = PCS_TAKE(&mem, 2 * (size_t)widest, double);
    if (!Z) return pcs_fail_memory("step: joint friction");
    bodies_diagonal(p, block, Z, out);
    return PCS_OK;
}

// the bounds that r loads, and how much r violates them, m/s, in the units of the residual
static pcs_status load(const trial *t, const candidates *list, const solution *s, pcs_arena mem,
                       bounds *b, double *violation)
{
    double sum = 0;
    for (int k = 0; k < b->n; ++k) {
        const candidate *c = &list->c[b->candidate[k]];
        double scale;
        b->given[k] = s->block[b->block[k]].mu;
        b->loaded[k] = bound_of(t, list, c, s->r);
        PCS_TRY(scale_of(s->solved, b->block[k], mem, &scale));
        const double F = cone_natural_box(b->loaded[k], scale, s->r[c->at], s->u[c->at]);
        sum += F * F;
    }
    *violation = sqrt(sum);
    return PCS_OK;
}

// bounds for the next solve; plain: those that r loads
static void improve(const trial *t, const candidates *list, bool plain, bounds *b)
{
    if (plain) anderson_reset(&b->mix);
    if (plain || !anderson_mix(&b->mix, b->given, b->loaded, b->next)) {
        memcpy(b->next, b->loaded, (size_t)b->n * sizeof *b->next);
    }
    for (int k = 0; k < b->n; ++k) {
        b->next[k] = fmax(b->next[k], t->h * list->c[b->candidate[k]].law.limit);
    }
}

// ---- the problem -------------------------------------------------------------------------------

pcs_status step_solve_contacts(const trial *t, pcs_arena *mem, double *v, candidates *list,
                               solution *s, pcs_step_report *out)
{
    bounds b;
    bodies_report report;
    PCS_TRY(find(list, mem, &b));
    const pcs_arena base = *mem;
    pcs_solver_opts opts = t->m->scheme.solver;
    opts.tol = fmax(opts.tol, t->coarse);
    s->part_of_tol = 1;
    for (int k = 0;; ++k) {
        *mem = base;
        PCS_TRY(step_solve(t, mem, v, s, &report));
        report.solve.outcome = solver_verdict(&opts, &report.solve.measure, report.solve.outcome);
        double violation;
        PCS_TRY(load(t, list, s, *mem, &b, &violation));
        const double size = measure_size(&report.solve.measure);
        out->friction_residual = violation == 0 ? 0 : violation / size;
        if (bounds_hold(t, &report.solve, out->friction_residual)) break;
        if (!is_solved(t, &report.solve, *mem)) break;
        if (k == SOLVES) {
            report.solve.outcome = PCS_OUTCOME_MAX_ITERS;
            break;
        }
        if ((k + 1) % TURN == 0) s->part_of_tol *= FINER;
        improve(t, list, k / TURN % 2 == 1, &b);
        set(&b, b.next, list, s);
        out->solves += 1;
        out->sweeps += report.sweeps;
        out->finish_iters += report.finish;
        trial_copy(t, s->v_free, v);
    }
    set(&b, b.loaded, list, s);
    out->solve = report.solve;
    out->solves += 1;
    out->islands = report.islands;
    out->largest_island = report.largest;
    out->sweeps += report.sweeps;
    out->finish_iters += report.finish;
    return PCS_OK;
}
