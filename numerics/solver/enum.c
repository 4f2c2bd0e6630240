// Enumeration of active sets, by branch and bound on linear programmes.
//
// The solutions are the union, over the sets alpha of active rows, of the polyhedra
//
//     P(alpha) = { u_E = 0,  u_i = 0 <= r_i for i in alpha,  r_i = 0 <= u_i otherwise }
//
// A node of the search has decided some rows; for the others its relaxation requires only r_i >= 0,
// u_i >= 0. If the relaxation is empty, no P(alpha) below the node has a point. This is exact
// whatever the rank of W_alpha,alpha, because it decides whether a polyhedron is empty, not whether
// a matrix is regular: a singular active set whose shortest solution has a wrong sign is still
// solved by a vertex of its polyhedron. If the vertex found is complementary, it is a solution.
// Otherwise the row with the largest min(r_i, u_i) is decided, r_i = 0 first. The search ends when
// every branch has been cut, which proves that there is no solution, or none with fewer active
// rows.
//
// Of several solutions the one with the fewest rows r_i > 0 is returned; among those the first
// found, which depends on the data only. Problems with Coulomb blocks are searched in modes.c.
#include <limits.h>
#include <string.h>

#include "solver/modes.h"
#include "solver/pivot.h"
#include "solver/solver.h"

// a basic value above this is not zero: q' has entries up to 1
#define ZERO_TOL 1e-9
// nodes between two checks of the watch and the clock
#define LOOK_EVERY 64

typedef struct level {
    dict t;
    int row;   // being decided, -1: the node is new
    int stage; // 0: r = 0 next, 1: u = 0 next, 2: both done
} level;

typedef struct search {
    const pcs_problem *p;
    const pivot_problem *d;
    solver_track *track;
    pcs_arena work;             // for sharpening
    level *level;               // ni + 1
    unsigned char *held;        // by code, fixed at zero
    unsigned char *rows, *cols; // by row of the problem
    double *value;              // by code, of the current vertex
    double *x;                  // n, multipliers
    double *r, *u;
    double *best;         // n
    bool found, doubtful; // doubtful: a decision was within rounding, so that nothing is proved
    int fewest;           // active rows of the best solution
    int nodes, pivots;
} search;

static int unilateral_rows(const pcs_problem *p)
{
    int ni = 0;
    for (int b = 0; b < p->nb; ++b) {
        ni += p->block[b].cone == PCS_CONE_UNILATERAL;
    }
    return ni;
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    // larger problems are refused before memory is taken
    const int ni = unilateral_rows(p);
    if (ni > o->as.enumerate.max_rows) return 0;
    const int contacts = modes_contacts(p);
    if (contacts > o->as.enumerate.max_contacts) return 0;
    if (contacts > 0) return modes_bytes(p);
    const size_t n = (size_t)p->n, levels = (size_t)ni + 1;
    return track_bytes(p) + pivot_problem_bytes(p) + solver_bytes(levels, sizeof(level)) +
           levels * dict_bytes(p->n, p->n) + solver_bytes(3 * n, 1) + 2 * solver_bytes(n, 1) +
           solver_bytes(3 * n, sizeof(double)) + 3 * solver_bytes(n, sizeof(double)) +
           (pivot_sharpen_bytes(p) > pivot_refutes_bytes(p) ? pivot_sharpen_bytes(p)
                                                            : pivot_refutes_bytes(p));
}

static bool take(search *s, pcs_arena *work)
{
    const size_t n = (size_t)s->p->n, levels = (size_t)s->d->ni + 1;
    s->level = PCS_TAKE(work, levels, level);
    s->held = PCS_TAKE(work, 3 * n, unsigned char);
    s->rows = PCS_TAKE(work, n, unsigned char);
    s->cols = PCS_TAKE(work, n, unsigned char);
    s->value = PCS_TAKE(work, 3 * n, double);
    s->x = PCS_TAKE(work, n, double);
    s->r = PCS_TAKE(work, n, double);
    s->best = PCS_TAKE(work, n, double);
    if (!s->level || !s->held || !s->rows || !s->cols || !s->value || !s->x || !s->r || !s->best) {
        return false;
    }
    if (!poly_build(s->d, work, &s->level[0].t)) return false;
    const int m = s->level[0].t.m, k = s->level[0].t.n;
    for (size_t i = 1; i < levels; ++i) {
        if (!dict_take(m, k, work, &s->level[i].t)) return false;
    }
    s->work = *work;
    memset(s->held, 0, 3 * n);
    memset(s->held + 2 * (size_t)s->d->ni, 1, (size_t)s->d->nl);
    return true;
}

// the values of all variables at the vertex of t; the pair that violates complementarity most, -1
// if none does; the number of active rows
static int read_vertex(search *s, const dict *t, int *active)
{
    const int ni = s->d->ni;
    memset(s->value, 0, 2 * (size_t)ni * sizeof *s->value);
    for (int i = 0; i < t->m; ++i) {
        if (t->basic[i] < 2 * ni) s->value[t->basic[i]] = dict_column(t, t->n)[i];
    }
    int row = -1;
    double worst = ZERO_TOL;
    *active = 0;
    for (int k = 0; k < ni; ++k) {
        const double x = s->value[k], u = s->value[ni + k], both = x < u ? x : u;
        *active += x > ZERO_TOL;
        if (both > worst) {
            worst = both;
            row = k;
        }
    }
    return row;
}

// converts the vertex just read into r; true, with its number of active rows, when its measure is
// within tol
static bool accept(search *s, int *active)
{
    const pivot_problem *d = s->d;
    const size_t n = (size_t)d->n;
    memset(s->rows, 0, n);
    memset(s->cols, 0, n);
    for (int i = 0; i < d->ne; ++i) {
        s->rows[d->row[i]] = s->cols[d->col[i]] = 1;
    }
    for (int k = 0; k < d->ni; ++k) {
        const int at = d->row[d->ne + k];
        s->cols[at] = s->value[k] > ZERO_TOL;
        s->rows[at] = !(s->value[d->ni + k] > ZERO_TOL);
    }

    // first the zero rows and the nonzero unknowns; then the active rows alone, in case a row
    // counted as zero is not exactly zero; then the rows that were decided to be active, in case an
    // unknown is not either
    for (int pass = 0; pass < 3; ++pass) {
        if (pivot_sharpen(d, s->rows, s->cols, s->work, s->r) &&
            track_measure(s->track, s->r, s->u) <= s->track->o->tol) {
            *active = 0;
            for (int k = 0; k < d->ni; ++k) {
                *active += s->cols[d->row[d->ne + k]];
            }
            return true;
        }
        for (int k = 0; k < d->ni; ++k) {
            const int at = d->row[d->ne + k];
            if (pass > 0) s->cols[at] = s->held[d->ni + k];
            s->rows[at] = s->cols[at];
        }
    }
    return false;
}

// the node at `depth` is new: false when it need not be opened
static bool enter(search *s, int depth, int active)
{
    level *l = &s->level[depth];
    s->nodes += 1;
    if (s->found && active >= s->fewest) return false;

    int bad;
    const poly_end end =
        poly_restore(&l->t, s->held, POLY_PIVOT_TOL, INT_MAX, &s->pivots, &bad, &s->doubtful);
    if (end == POLY_LOST) s->doubtful = true;
    if (end == POLY_EMPTY && depth == 0) {
        // nothing is decided yet: the row must be a certificate for the data
        poly_multipliers(s->d, &l->t, bad, s->x);
        if (!pivot_refutes(s->d, s->x, s->work)) s->doubtful = true;
    }
    if (end != POLY_FEASIBLE) return false;

    int count;
    l->row = read_vertex(s, &l->t, &count);
    l->stage = 0;
    if (l->row < 0) {
        if ((!s->found || count < s->fewest) && accept(s, &count) &&
            (!s->found || count < s->fewest)) {
            s->found = true;
            s->fewest = count;
            memcpy(s->best, s->r, (size_t)s->d->n * sizeof *s->r);
        } else if (!s->found) {
            s->doubtful = true;
        }
        // is there a solution with fewer active rows below? decide a row that is active here and
        // undecided
        if (s->found && active >= s->fewest) return false;
        for (int k = 0; k < s->d->ni && l->row < 0; ++k) {
            if (s->value[k] > ZERO_TOL && !s->held[s->d->ni + k]) l->row = k;
        }
        // a vertex that only looks complementary: where scales differ much, values that matter are
        // below ZERO_TOL, and the decisions alone tell which rows are active
        for (int k = 0; k < s->d->ni && l->row < 0 && !s->found; ++k) {
            if (!s->held[k] && !s->held[s->d->ni + k]) l->row = k;
        }
        if (l->row < 0) return false;
    }
    return true;
}

// the child of the node at `depth` in which variable `code` is zero
static void make_child(search *s, int depth, int code)
{
    level *l = &s->level[depth + 1];
    dict_copy(&s->level[depth].t, &l->t);
    s->held[code] = 1;
    for (int j = l->t.n - 1; j >= 0; --j) {
        if (s->held[l->t.nonbasic[j]]) dict_drop_column(&l->t, j);
    }
}

// the limits and the watch; once there is a solution they only end the search for a smaller one
static bool stopped(search *s)
{
    solver_track *t = s->track;
    if (!s->found) {
        t->value = t->best_value;
        return track_done(t, s->nodes);
    }
    return s->nodes >= t->o->max_iters || track_watch(t, s->nodes) || track_late(t);
}

// depth first; true when the tree is exhausted
static bool explore(search *s)
{
    const int ni = s->d->ni;
    int depth = 0, active = 0;
    if (!enter(s, 0, 0)) return true;
    while (depth >= 0) {
        const bool look = s->nodes % LOOK_EVERY == 0 || s->nodes >= s->track->o->max_iters;
        if (look && stopped(s)) return false;
        level *l = &s->level[depth];
        if (l->stage == 2) {
            // return to the parent and undo its decision
            if (--depth >= 0) {
                level *up = &s->level[depth];
                s->held[up->stage == 1 ? up->row : ni + up->row] = 0;
                active -= up->stage == 2;
            }
            continue;
        }
        const int code = l->stage == 0 ? l->row : ni + l->row;
        active += l->stage == 1;
        l->stage += 1;
        make_child(s, depth, code);
        if (enter(s, depth + 1, active)) {
            depth += 1;
        } else {
            s->held[code] = 0;
            active -= l->stage == 2;
        }
    }
    return true;
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    const int ni = unilateral_rows(p);
    if (ni > o->as.enumerate.max_rows) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "enum: %d unilateral rows are too many to enumerate; the limit max_rows is"
                        " %d, and every row more may double the time",
                        ni, o->as.enumerate.max_rows);
    }
    const int contacts = modes_contacts(p);
    if (contacts > o->as.enumerate.max_contacts) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "enum: %d contacts with friction are too many to enumerate; the limit"
                        " max_contacts is %d, and every contact more takes ten times as long",
                        contacts, o->as.enumerate.max_contacts);
    }
    if (contacts > 0) return modes_solve(p, o, watch, work, r, u, out);

    pivot_problem d;
    solver_track track;
    search s = {.p = p, .d = &d, .track = &track, .u = u};
    if (!track_begin(&track, p, o, watch, &work, r)) return pcs_fail_memory("enum");
    track_measure(&track, r, u);
    PCS_TRY(pivot_problem_build(p, &track, &work, &d));
    const bool late = track_late(&track);
    if (!late && !take(&s, &work)) return pcs_fail_memory("enum");

    const bool complete = !late && explore(&s);
    if (late) {
        track.outcome = PCS_OUTCOME_TIME_LIMIT;
    } else if (s.found) {
        memcpy(track.best, s.best, (size_t)p->n * sizeof *r);
        track.outcome = PCS_OUTCOME_CONVERGED;
    } else if (complete) {
        track.outcome = s.doubtful ? PCS_OUTCOME_STALLED : PCS_OUTCOME_INFEASIBLE;
    }
    track.iters = s.nodes;
    track_end(&track, r, out);
    out->solver = PCS_SOLVER_ENUM;
    return PCS_OK;
}

static const pcs_opt opts[] = {
    OPT_INT("max_rows", enumerate.max_rows, 0, 40, "refuse problems with more unilateral rows"),
    OPT_INT("max_contacts", enumerate.max_contacts, 0, 8,
            "refuse problems with more Coulomb blocks"),
};

const solver_class solver_enum = {
    SOLVER_ROW("enum", PCS_SOLVER_ENUM, REAL_CONES, 1e-10, 20000000,
               "enumeration of active sets by branch and bound, and of the modes of few contacts"),
    SOLVER_OPTIONS(opts),
    .defaults.as.enumerate = {.max_rows = 20, .max_contacts = 4},
};
