// Enumeration of modes: every contact is open, sticking or sliding, every unilateral row open or
// closed. A mode determines which rows vanish and how r follows from fewer unknowns y:
//
//     open: no unknown           stick, closed, equality: r, u = 0
//     slide in space:  y = (r_N, a), r = r_N (1, mu d), d = (cos a, sin a): u_N = 0, d' . u_T = 0
//     slide in the plane, and closed with mu = 0: y = r_N, r = r_N (1, +- mu): u_N = 0
//
// Without sliding contacts in space this is a linear system, solved once: by LU or, when it is
// singular, by the pseudo-inverse, followed by alternating projections on K and on u = 0 among its
// solutions. With them it is solved by Newton's method from every point of a grid of angles. The
// result is projected on K and measured; only the measure decides whether it is a solution.
#include "solver/modes.h"

#include <string.h>

#include "cone/cone.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "local/coulomb.h"

// directions per sliding contact, by the number of sliding contacts
static const int grid[] = {1, 32, 16, 12, 8};
#define MOST_GRID    ((int)(sizeof grid / sizeof *grid) - 1)
#define NEWTON_STEPS 20
// a Newton step below this, relative to the unknowns, is the last
#define STEP_TOL 1e-14
// reciprocal condition below which a linear mode is singular
#define RANK_TOL    1e-11
#define PROJECTIONS 200
// tries between two checks of the watch and the clock
#define LOOK_EVERY 64

typedef enum mode { OPEN, CLOSED, SLIDE, SLIDE_BACK } mode;

typedef struct modes {
    const pcs_problem *p;
    solver_track *track;
    pcs_arena work;
    double *W;           // n x n
    unsigned char *mode; // nb
    int *at;             // nb, first unknown of the block
    double *angle;       // nb, start angle of the contacts that slide in space
    double *y, *step;    // unknowns
    double *J, *X;       // n x n
    double *r, *u;       // n
    int *piv;            // n
    int m;               // number of unknowns
    int sliding;         // number of contacts that slide in space
    int tries;
} modes;

int modes_contacts(const pcs_problem *p)
{
    int count = 0;
    for (int b = 0; b < p->nb; ++b) {
        count += p->block[b].cone == PCS_CONE_COULOMB;
    }
    return count;
}

size_t modes_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    return track_bytes(p) + 3 * solver_bytes(n * n, sizeof(double)) + solver_bytes(nb, 1) +
           solver_bytes(nb, sizeof(int)) + solver_bytes(nb, sizeof(double)) +
           3 * solver_bytes(n, sizeof(double)) + solver_bytes(n, sizeof(int)) +
           solver_bytes(1, dense_min_norm_bytes(p->n, p->n));
}

static bool take(modes *s, const pcs_problem *p, pcs_arena *work)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    s->W = PCS_TAKE(work, n * n, double);
    s->J = PCS_TAKE(work, n * n, double);
    s->X = PCS_TAKE(work, n * n, double);
    s->mode = PCS_TAKE(work, nb, unsigned char);
    s->at = PCS_TAKE(work, nb, int);
    s->angle = PCS_TAKE(work, nb, double);
    s->y = PCS_TAKE(work, n, double);
    s->step = PCS_TAKE(work, n, double);
    s->r = PCS_TAKE(work, n, double);
    s->piv = PCS_TAKE(work, n, int);
    s->work = *work;
    return s->W && s->J && s->X && s->mode && s->at && s->angle && s->y && s->step && s->r &&
           s->piv;
}

// ---- one mode ----------------------------------------------------------------------------------

static bool slides_in_space(const modes *s, int b)
{
    const pcs_block *k = &s->p->block[b];
    return k->cone == PCS_CONE_COULOMB && k->dim == 3 && k->mu > 0 && s->mode[b] == SLIDE;
}

// number of vanishing rows, and of unknowns, of a block
static int unknowns(const modes *s, int b)
{
    const pcs_block *k = &s->p->block[b];
    if (k->cone == PCS_CONE_EQUALITY) return k->dim;
    if (s->mode[b] == OPEN) return 0;
    if (k->cone == PCS_CONE_UNILATERAL) return 1;
    if (s->mode[b] == CLOSED) return k->dim;
    return slides_in_space(s, b) ? 2 : 1;
}

static void begin_mode(modes *s)
{
    s->m = s->sliding = 0;
    for (int b = 0; b < s->p->nb; ++b) {
        s->at[b] = s->m;
        s->m += unknowns(s, b);
        s->sliding += slides_in_space(s, b);
    }
}

// the derivative of r of block b by its unknown c: entries of the rows of the block
static void direction(const modes *s, int b, int c, double *dr)
{
    const pcs_block *k = &s->p->block[b];
    const double mu = k->mu;
    for (int i = 0; i < k->dim; ++i) {
        dr[i] = 0;
    }
    if (k->cone != PCS_CONE_COULOMB || s->mode[b] == CLOSED) {
        dr[c] = 1;
    } else if (!slides_in_space(s, b)) {
        dr[0] = 1;
        if (k->dim == 2) dr[1] = s->mode[b] == SLIDE ? mu : -mu;
    } else {
        const double *y = s->y + s->at[b], x = cos(y[1]), z = sin(y[1]);
        dr[0] = c == 0;
        dr[1] = c == 0 ? mu * x : -mu * y[0] * z;
        dr[2] = c == 0 ? mu * z : mu * y[0] * x;
    }
}

// r of y
static void impulses(const modes *s)
{
    const pcs_problem *p = s->p;
    memset(s->r, 0, (size_t)p->n * sizeof *s->r);
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const int count = slides_in_space(s, b) ? 1 : unknowns(s, b);
        for (int c = 0; c < count; ++c) {
            double *r = s->r + k->row, dr[3];
            if (k->cone == PCS_CONE_EQUALITY) {
                r[c] = s->y[s->at[b] + c];
                continue;
            }
            direction(s, b, c, dr);
            for (int i = 0; i < k->dim; ++i) {
                r[i] += s->y[s->at[b] + c] * dr[i];
            }
        }
    }
}

// one column of the Jacobian: W dr, in the rows of the mode
static void column(const modes *s, int b, int c, double *J)
{
    const pcs_problem *p = s->p;
    const pcs_block *k = &p->block[b];
    const size_t n = (size_t)p->n;
    double dr[3];
    const bool single = k->cone == PCS_CONE_EQUALITY;
    if (!single) direction(s, b, c, dr);
    for (int a = 0; a < p->nb; ++a) {
        const pcs_block *l = &p->block[a];
        const int count = unknowns(s, a);
        const bool slides = slides_in_space(s, a);
        for (int e = 0; e < count; ++e) {
            double w[2] = {0};
            for (int t = 0; t < (slides && e == 1 ? 2 : 1); ++t) {
                const size_t row = (size_t)l->row + (size_t)e + (size_t)t;
                const double *x = s->W + row + n * (size_t)k->row;
                if (single) {
                    w[t] = x[n * (size_t)c];
                    continue;
                }
                for (int i = 0; i < k->dim; ++i) {
                    w[t] += x[n * (size_t)i] * dr[i];
                }
            }
            double *to = &J[s->at[a] + e];
            *to = w[0];
            if (slides && e == 1) {
                const double angle = s->y[s->at[a] + 1], x = cos(angle), z = sin(angle);
                const double *u = s->u + l->row;
                *to = x * w[1] - z * w[0];
                if (a == b && c == 1) *to -= x * u[1] + z * u[2];
            }
        }
    }
}

// f = the rows that must vanish; u is written
static void rows(const modes *s, double *f)
{
    const pcs_problem *p = s->p;
    pcs_bsr_mul(&p->W, s->r, s->u);
    for (int i = 0; i < p->n; ++i) {
        s->u[i] += p->q[i];
    }
    for (int b = 0; b < p->nb; ++b) {
        const double *u = s->u + p->block[b].row;
        for (int e = 0; e < unknowns(s, b); ++e) {
            double *to = &f[s->at[b] + e];
            *to = u[e];
            if (e == 1 && slides_in_space(s, b)) {
                const double angle = s->y[s->at[b] + 1];
                *to = cos(angle) * u[2] - sin(angle) * u[1];
            }
        }
    }
}

static void jacobian(const modes *s, double *J)
{
    for (int b = 0; b < s->p->nb; ++b) {
        for (int c = 0; c < unknowns(s, b); ++c) {
            column(s, b, c, J + (size_t)s->m * (size_t)(s->at[b] + c));
        }
    }
}

// projects r on K and measures it
static bool accept(modes *s)
{
    if (!pcs_all_finite(s->r, (size_t)s->p->n)) return false;
    cone_project(s->p->nb, s->p->block, s->r);
    return track_measure(s->track, s->r, s->u) <= s->track->o->tol;
}

// ---- without sliding in space ------------------------------------------------------------------

static void advance(const modes *s, const double *X)
{
    for (int i = 0; i < s->m; ++i) {
        for (int j = 0; j < s->m; ++j) {
            s->y[i] -= X[i + (size_t)s->m * (size_t)j] * s->step[j];
        }
    }
}

// the unknowns that belong to a point of K
static void read_impulses(const modes *s)
{
    for (int b = 0; b < s->p->nb; ++b) {
        for (int c = 0; c < unknowns(s, b); ++c) {
            s->y[s->at[b] + c] = s->r[s->p->block[b].row + c];
        }
    }
}

static bool try_linear(modes *s)
{
    memset(s->y, 0, (size_t)s->m * sizeof *s->y);
    impulses(s);
    rows(s, s->step);
    if (s->m == 0) return accept(s);
    jacobian(s, s->J);
    const int rank = dense_pseudo_inverse(s->m, s->J, s->X, RANK_TOL, s->work);
    if (rank < 0) return false;

    // two rounds restore the digits that an inverse loses
    const int rounds = rank == s->m ? 2 : PROJECTIONS;
    for (int k = 0; k < rounds; ++k) {
        advance(s, s->X);
        impulses(s);
        if (rank < s->m && accept(s)) return true;
        if (rank < s->m && k > 0) read_impulses(s);
        rows(s, s->step);
    }
    return rank == s->m && accept(s);
}

// ---- with sliding in space ---------------------------------------------------------------------

// r_N and all other unknowns for the start angles: solves the rows without those of the angles
static bool begin_newton(modes *s)
{
    memset(s->y, 0, (size_t)s->m * sizeof *s->y);
    for (int b = 0; b < s->p->nb; ++b) {
        if (slides_in_space(s, b)) s->y[s->at[b] + 1] = s->angle[b];
    }
    impulses(s);
    rows(s, s->step);
    jacobian(s, s->J);
    for (int b = 0; b < s->p->nb; ++b) {
        if (!slides_in_space(s, b)) continue;
        // the angle is kept
        const int k = s->at[b] + 1;
        for (int j = 0; j < s->m; ++j) {
            s->J[k + (size_t)s->m * (size_t)j] = j == k;
            s->J[j + (size_t)s->m * (size_t)k] = j == k;
        }
        s->step[k] = 0;
    }
    if (!lu_factor(s->m, s->J, s->piv)) return false;
    lu_solve(s->m, s->J, s->piv, s->step);
    for (int i = 0; i < s->m; ++i) {
        s->y[i] -= s->step[i];
    }
    return true;
}

static bool try_sliding(modes *s)
{
    if (!begin_newton(s)) return false;
    for (int k = 0; k < NEWTON_STEPS; ++k) {
        impulses(s);
        rows(s, s->step);
        jacobian(s, s->J);
        if (!lu_factor(s->m, s->J, s->piv)) return false;
        lu_solve(s->m, s->J, s->piv, s->step);
        double moved = 0, size = 1;
        for (int b = 0; b < s->p->nb; ++b) {
            for (int c = 0; c < unknowns(s, b); ++c) {
                const int i = s->at[b] + c;
                const bool angle = c == 1 && slides_in_space(s, b);
                double step = s->step[i];
                if (angle && fabs(step) > 1) step = step > 0 ? 1 : -1;
                s->y[i] -= step;
                if (angle && fabs(step) > moved) moved = fabs(step);
                if (!isfinite(s->y[i])) return false;
            }
        }
        if (moved <= STEP_TOL * size) break;
    }
    impulses(s);
    // a sliding contact with a negative normal impulse is not admissible
    for (int b = 0; b < s->p->nb; ++b) {
        if (slides_in_space(s, b) && !(s->y[s->at[b]] > 0)) return false;
    }
    return accept(s);
}

// ---- the search --------------------------------------------------------------------------------

// true when the limits or the watch end the search
static bool over(modes *s)
{
    s->tries += 1;
    if (s->tries % LOOK_EVERY != 0 && s->tries < s->track->o->max_iters) return false;
    s->track->value = s->track->best_value;
    return track_done(s->track, s->tries);
}

// tries every start of the mode; true when the search is over
static bool try_mode(modes *s)
{
    begin_mode(s);
    if (s->sliding == 0) return try_linear(s) || over(s);

    const int points = grid[s->sliding < MOST_GRID ? s->sliding : MOST_GRID];
    for (int b = 0; b < s->p->nb; ++b) {
        s->angle[b] = 0;
    }
    const double gap = 6.283185307179586 / points;
    for (;;) {
        if (try_sliding(s) || over(s)) return true;
        int b = s->p->nb - 1;
        for (; b >= 0; --b) {
            if (!slides_in_space(s, b)) continue;
            s->angle[b] += gap;
            if (s->angle[b] < 6.283185307179586 - 0.5 * gap) break;
            s->angle[b] = 0;
        }
        if (b < 0) return false;
    }
}

static int modes_of(const pcs_block *k)
{
    if (k->cone == PCS_CONE_EQUALITY) return 1;
    if (k->cone == PCS_CONE_UNILATERAL) return 2;
    return k->dim == 2 && k->mu > 0 ? 4 : 3;
}

// the next combination of modes, the last block varies fastest; false after the last
static bool next_mode(modes *s)
{
    for (int b = s->p->nb - 1; b >= 0; --b) {
        const pcs_block *k = &s->p->block[b];
        int m = s->mode[b] + 1;
        // without friction there is no sticking
        if (k->cone == PCS_CONE_COULOMB && k->mu == 0 && m == CLOSED) m = SLIDE;
        s->mode[b] = (unsigned char)m;
        if (m < modes_of(k)) return true;
        s->mode[b] = 0;
    }
    return false;
}

// A single contact has a closed form, which knows all directions of a slide; Newton's method may
// reach none of them from the grid
static void try_closed_form(modes *s)
{
    const pcs_problem *p = s->p;
    if (p->nb > 1) return;
    contact c;
    contact_prepare(&c, p->n, p->block->mu, s->W, p->n, 1);
    memset(s->r, 0, (size_t)p->n * sizeof *s->r);
    contact_solve(&c, p->q, s->r);
    accept(s);
}

pcs_status modes_solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                       pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track track;
    modes s = {.p = p, .track = &track, .u = u};
    if (!track_begin(&track, p, o, watch, &work, r) || !take(&s, p, &work)) {
        return pcs_fail_memory("enum");
    }
    pcs_bsr_to_dense(&p->W, s.W);
    memset(s.mode, 0, (size_t)p->nb);
    track_measure(&track, r, u);

    bool ended = o->max_iters == 0;
    while (!ended) {
        if (try_mode(&s)) break;
        ended = !next_mode(&s);
        if (ended) try_closed_form(&s);
    }
    // failure of all modes proves nothing
    if (track.best_value <= o->tol) {
        track.outcome = PCS_OUTCOME_CONVERGED;
    } else if (ended) {
        track.outcome = o->max_iters == 0 ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_STALLED;
    }
    track.iters = s.tries;
    track_end(&track, r, out);
    out->solver = PCS_SOLVER_ENUM;
    return PCS_OK;
}
