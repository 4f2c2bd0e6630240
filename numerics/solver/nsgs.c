// Nonsmooth Gauss-Seidel. For each block i in turn, the others held fixed,
//
//     u_i = q_i + sum_j W_ij r_j
//     equality:    r_i <- r_i - w W_ii^-1 u_i           (pseudo-inverse when W_ii is singular)
//     unilateral:  r_i <- max(0, r_i - w u_i / W_ii)
//     Coulomb:     r_i <- P(r_i + w (x - r_i)),   x the solution of the contact alone
//
// w is the relaxation. Within a block row of W the velocities follow the changes of r by columns, u
// <- u + W_:i dr_i; between block rows they are summed again. A dense W is one block row and is
// never read across. Where all blocks, and all block rows of W, are Coulomb blocks of three rows, a
// shorter loop sums W_ij r_j over j != i only.
//
// Anderson acceleration (solver/anderson.h), at every check: the candidate for x, projected on K,
// replaces the result of the sweeps where its residual is smaller.
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "local/coulomb.h"
#include "local/equality.h"
#include "problem/problem.h"
#include "solver/anderson.h"
#include "solver/random.h"
#include "solver/solver.h"

// largest number of differences of the acceleration
#define MOST_DEPTH 20

typedef struct local {
    const double *D; // W_:i within the block row, at the block's own column; null: not stored
    double inverse;  // inverse of W_ii, unilateral
    equality e;
    contact *c; // Coulomb
} local;

typedef struct sweep {
    const pcs_problem *p;
    const pcs_nsgs_opts *o;
    local *block;     // nb
    contact *contact; // one per Coulomb block
    int *first;       // W.m + 1, first cone block of each block row
    double *s;        // n scales
    double *dr;       // widest equality block, twice
    int *order;       // units, for the shuffle
    int units;        // number of units that the order permutes: block rows of W, or cone
                      // blocks if W is one block
    bool blocks3;     // all blocks are Coulomb blocks of three rows, and so are the block rows of W
    uint64_t random;
    int count; // number of sweeps done
} sweep;

// ---- preparation -------------------------------------------------------------------------------

static int widest(const pcs_problem *p, size_t *squares)
{
    int d = 0;
    *squares = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone != PCS_CONE_EQUALITY) continue;
        *squares += equality_bytes(p->block[b].dim);
        if (p->block[b].dim > d) d = p->block[b].dim;
    }
    return d;
}

static int coulomb_blocks(const pcs_problem *p)
{
    int count = 0;
    for (int b = 0; b < p->nb; ++b) {
        count += p->block[b].cone == PCS_CONE_COULOMB;
    }
    return count;
}

// W.m = 1: one block, or several blocks that are stored as one block row
static int units_of(const pcs_problem *p)
{
    return p->W.m > 1 ? p->W.m : p->nb;
}

static size_t acceleration_bytes(const pcs_problem *p, int depth)
{
    const size_t vectors = depth == 0 ? 0 : 3;
    return anderson_bytes(p->n, depth) + vectors * solver_bytes((size_t)p->n, sizeof(double));
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    size_t squares;
    const size_t d = (size_t)widest(p, &squares);
    return 64 + track_bytes(p) + solver_bytes((size_t)p->nb, sizeof(local)) +
           solver_bytes((size_t)coulomb_blocks(p), sizeof(contact)) +
           solver_bytes((size_t)p->W.m + 1, sizeof(int)) + squares +
           solver_bytes((size_t)units_of(p), sizeof(int)) +
           solver_bytes((size_t)p->n, sizeof(double)) + 2 * solver_bytes(d, sizeof(double)) +
           equality_scratch_bytes((int)d) + acceleration_bytes(p, o->as.nsgs.depth);
}

static bool has_blocks3(const pcs_problem *p)
{
    if (p->W.m != p->nb) return false;
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone != PCS_CONE_COULOMB || p->block[b].dim != 3 || p->W.row[b] != 3 * b) {
            return false;
        }
    }
    return true;
}

static bool take(sweep *w, const pcs_problem *p, pcs_arena *work)
{
    size_t squares;
    w->units = units_of(p);
    w->block = PCS_TAKE(work, (size_t)p->nb, local);
    w->contact = PCS_TAKE(work, (size_t)coulomb_blocks(p), contact);
    w->first = PCS_TAKE(work, (size_t)p->W.m + 1, int);
    w->dr = PCS_TAKE(work, 2 * (size_t)widest(p, &squares), double);
    w->s = PCS_TAKE(work, (size_t)p->n, double);
    w->order = PCS_TAKE(work, (size_t)w->units, int);
    return w->block && w->contact && w->first && w->dr && w->s && w->order;
}

static bool prepare(sweep *w, const pcs_problem *p, const pcs_solver_opts *o, pcs_arena *work)
{
    *w = (sweep){.p = p, .o = &o->as.nsgs, .blocks3 = has_blocks3(p)};
    if (!take(w, p, work)) return false;
    problem_scales(p, w->s);

    int b = 0;
    for (int i = 0; i <= p->W.m; ++i) {
        while (b < p->nb && p->block[b].row < p->W.row[i]) {
            ++b;
        }
        w->first[i] = b;
    }
    for (int k = 0; k < w->units; ++k) {
        w->order[k] = k;
    }
    // the state must not be zero
    w->random = 0x9e3779b97f4a7c15u + (uint64_t)o->as.nsgs.seed;

    contact *c = w->contact;
    for (int wrow = 0, ld = 0, k = 0; k < p->nb; ++k) {
        const double *D = problem_diagonal(p, k, &wrow, &ld);
        const pcs_block *block = &p->block[k];
        local *l = &w->block[k];
        // the pointer starts at the top of the block row
        *l = (local){.D = D ? D - (block->row - p->W.row[wrow]) : NULL};
        switch (block->cone) {
        case PCS_CONE_EQUALITY:
            if (!equality_prepare(&l->e, block->dim, D, ld, work)) return false;
            break;
        case PCS_CONE_UNILATERAL:
        case PCS_CONE_BOX:
            l->inverse = 1 / w->s[block->row];
            break;
        case PCS_CONE_COULOMB:
            contact_prepare(c, block->dim, block->mu, D, ld, w->s[block->row]);
            l->c = c++;
            break;
        }
    }
    return true;
}

// ---- one block ---------------------------------------------------------------------------------

// u of a block row += columns of its diagonal block times dr
static void follow(int h, const double *D, int d, const double *dr, double *u)
{
    if (D) block_addmul(h, d, D, dr, u);
}

static void solve_equality(const sweep *w, const local *l, int d, const double *u, double *r,
                           double *dr)
{
    for (int c = 0; c < d; ++c) {
        dr[c] = -w->o->relaxation * u[c];
    }
    equality_solve(&l->e, dr, w->dr + d);
    for (int c = 0; c < d; ++c) {
        r[c] += dr[c];
    }
}

// q: the velocity without this contact
static void solve_coulomb(const sweep *w, const contact *c, const double *q, double *r)
{
    const pcs_nsgs_opts *o = w->o;
    const double old[3] = {r[0], r[1], c->dim == 3 ? r[2] : 0};
    switch (o->local) {
    case PCS_NSGS_LOCAL_EXACT:
        contact_solve(c, q, r);
        break;
    case PCS_NSGS_LOCAL_NEWTON:
        contact_newton(c, q, o->local_iters, r);
        break;
    case PCS_NSGS_LOCAL_FIXED_POINT:
        contact_fixed_point(c, q, o->local_iters, r);
        break;
    }
    if (o->relaxation == 1) return;
    for (int k = 0; k < c->dim; ++k) {
        r[k] = old[k] + o->relaxation * (r[k] - old[k]);
    }
    if (o->relaxation > 1) cone_project_coulomb(c->dim, c->mu, r);
}

// solves block b of a block row of h rows with velocities ui; ui belongs to r before and after
static void visit(const sweep *w, int b, int h, double *ui, double *r, double *u)
{
    const pcs_block *k = &w->p->block[b];
    const local *l = &w->block[b];
    double *rb = r + k->row, *ub = u + k->row;
    if (k->cone == PCS_CONE_EQUALITY) {
        solve_equality(w, l, k->dim, ub, rb, w->dr);
        follow(h, l->D, k->dim, w->dr, ui);
    } else if (k->cone == PCS_CONE_UNILATERAL || k->cone == PCS_CONE_BOX) {
        const double x = rb[0] - w->o->relaxation * l->inverse * ub[0];
        const double next =
            k->cone == PCS_CONE_BOX ? cone_project_box(k->mu, x) : cone_project_unilateral(x);
        const double dr = next - rb[0];
        rb[0] = next;
        if (dr != 0) follow(h, l->D, 1, &dr, ui);
    } else {
        double q[3] = {0}, dr[3] = {0};
        for (int c = 0; c < k->dim; ++c) {
            q[c] = ub[c];
            for (int j = 0; j < k->dim; ++j) {
                q[c] -= l->c->W[c + k->dim * j] * rb[j];
            }
            dr[c] = -rb[c];
        }
        solve_coulomb(w, l->c, q, rb);
        for (int c = 0; c < k->dim; ++c) {
            dr[c] += rb[c];
        }
        follow(h, l->D, k->dim, dr, ui);
    }
}

// ---- sweeps ------------------------------------------------------------------------------------

static void shuffle(sweep *w)
{
    for (int k = w->units - 1; k > 0; --k) {
        const int at = (int)(xorshift(&w->random) % ((uint64_t)k + 1)), keep = w->order[k];
        w->order[k] = w->order[at];
        w->order[at] = keep;
    }
}

// the unit visited at place k of this sweep
static int unit_at(const sweep *w, int k, bool back)
{
    const int at = back ? w->units - 1 - k : k;
    return w->o->order == PCS_NSGS_ORDER_SHUFFLE ? w->order[at] : at;
}

// q_i + the sum of W_ij r_j over j != i
static void sum_others(const pcs_problem *p, int i, const double *r, double *q)
{
    const pcs_bsr *W = &p->W;
    const double *qi = p->q + (size_t)3 * (size_t)i;
    double a = qi[0], b = qi[1], c = qi[2];
    for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
        if (W->idx[k] == i) continue;
        const double *w = W->val + W->off[k], *x = r + (size_t)3 * (size_t)W->idx[k];
        a += w[0] * x[0] + w[3] * x[1] + w[6] * x[2];
        b += w[1] * x[0] + w[4] * x[1] + w[7] * x[2];
        c += w[2] * x[0] + w[5] * x[1] + w[8] * x[2];
    }
    q[0] = a;
    q[1] = b;
    q[2] = c;
}

static void sweep_blocks3(const sweep *w, bool back, double *r)
{
    for (int k = 0; k < w->units; ++k) {
        const int i = unit_at(w, k, back);
        double q[3];
        sum_others(w->p, i, r, q);
        solve_coulomb(w, &w->contact[i], q, r + (size_t)3 * (size_t)i);
    }
}

static void sweep_rows(const sweep *w, bool back, double *r, double *u)
{
    const pcs_problem *p = w->p;
    const pcs_bsr *W = &p->W;
    for (int pos = 0; pos < w->units; ++pos) {
        const int i = unit_at(w, pos, back), top = W->row[i], h = W->row[i + 1] - top;
        double *ui = u + top;
        memcpy(ui, p->q + top, (size_t)h * sizeof *ui);
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            block_addmul(h, W->col[j + 1] - W->col[j], W->val + W->off[k], r + W->col[j], ui);
        }
        const int begin = w->first[i], end = w->first[i + 1];
        for (int b = begin; b < end; ++b) {
            visit(w, back ? begin + end - 1 - b : b, h, ui, r, u);
        }
    }
}

// one sweep; u belongs to r on entry, so that a single block row needs no new sum
static void run_sweep(sweep *w, double *r, double *u)
{
    const bool back = w->o->order == PCS_NSGS_ORDER_BACKWARD ||
                      (w->o->order == PCS_NSGS_ORDER_SYMMETRIC && w->count % 2 == 1);
    if (w->o->order == PCS_NSGS_ORDER_SHUFFLE) shuffle(w);
    w->count += 1;
    if (w->blocks3) {
        sweep_blocks3(w, back, r);
    } else if (w->p->W.m > 1) {
        sweep_rows(w, back, r, u);
    } else {
        for (int k = 0; k < w->units; ++k) {
            visit(w, unit_at(w, k, back), w->p->n, u, r, u);
        }
    }
}

// ---- acceleration ------------------------------------------------------------------------------

typedef struct acceleration {
    anderson a;
    double *x;      // r at the start of the sweeps
    double *y, *uy; // candidate and its velocity
} acceleration;

static bool acceleration_begin(acceleration *c, int n, int depth, const double *s, pcs_arena *work)
{
    *c = (acceleration){0};
    if (!anderson_begin(&c->a, n, depth, s, work)) return false;
    double **rest[3] = {&c->x, &c->y, &c->uy};
    for (int k = 0; depth > 0 && k < 3; ++k) {
        *rest[k] = PCS_TAKE(work, (size_t)n, double);
        if (!*rest[k]) return false;
    }
    return true;
}

// after the sweeps from c->x to r, which has been measured: replaces r by the candidate if that is
// better
static void accelerate(acceleration *c, const pcs_problem *p, solver_track *t, double *r, double *u)
{
    anderson_push(&c->a, c->x, r);
    if (!isfinite(t->value) || t->value <= t->o->tol || !anderson_candidate(&c->a, c->y)) return;
    const solver_track plain = *t;
    cone_project(p->nb, p->block, c->y);
    if (track_measure(t, c->y, c->uy) < plain.value) {
        memcpy(r, c->y, (size_t)p->n * sizeof *r);
        memcpy(u, c->uy, (size_t)p->n * sizeof *u);
    } else {
        t->value = plain.value;
        t->measure = plain.measure;
    }
}

// ---- the solver --------------------------------------------------------------------------------

// iterates from r until the solve ends
static void iterate(sweep *w, acceleration *c, solver_track *t, double *r, double *u)
{
    const pcs_problem *p = w->p;
    const int every = w->o->check_every;
    int iters = 0, early = 1;
    track_measure(t, r, u);
    bool done = track_done(t, iters);
    while (!done) {
        if (c->a.depth > 0) memcpy(c->x, r, (size_t)p->n * sizeof *r);
        for (int k = 0; k < every && iters < t->o->max_iters && !done; ++k) {
            run_sweep(w, r, u);
            ++iters;
            // easy problems are solved after 1, 2, 4 ... sweeps
            if (iters == early && iters < every) {
                track_measure(t, r, u);
                done = track_done(t, iters);
                early *= 2;
            }
        }
        if (done) break;
        track_measure(t, r, u);
        if (c->a.depth > 0) accelerate(c, p, t, r, u);
        done = track_done(t, iters);
    }
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    solver_track t;
    sweep w;
    acceleration c;
    if (!track_begin(&t, p, o, watch, &work, r) || !prepare(&w, p, o, &work) ||
        !acceleration_begin(&c, p->n, o->as.nsgs.depth, w.s, &work)) {
        return pcs_fail_memory("nsgs");
    }
    iterate(&w, &c, &t, r, u);
    track_end(&t, r, out);
    return PCS_OK;
}

static const char *const local_words[] = {"exact", "newton", "fixed-point"};
static const char *const order_words[] = {"forward", "backward", "both-in-turn", "shuffled"};

static const pcs_opt options[] = {
    OPT_REAL("relaxation", nsgs.relaxation, 1e-3, 1.999,
             "factor on every local step; 1 is plain Gauss-Seidel"),
    OPT_INT("check_every", nsgs.check_every, 1, 1000000, "sweeps between two exact residuals"),
    OPT_WORD("local", nsgs.local, PCS_NSGS_LOCAL_EXACT, PCS_NSGS_LOCAL_FIXED_POINT,
             "one contact with friction", local_words),
    OPT_INT_IF("local_iters", nsgs.local_iters, 1, 10000,
               "steps of Newton or of the fixed point per contact and sweep", "local",
               1u << PCS_NSGS_LOCAL_NEWTON | 1u << PCS_NSGS_LOCAL_FIXED_POINT),
    OPT_WORD("order", nsgs.order, PCS_NSGS_ORDER_FORWARD, PCS_NSGS_ORDER_SHUFFLE,
             "order of the blocks", order_words),
    OPT_INT_IF("seed", nsgs.seed, 0, 1000000000, "seed of the shuffled order", "order",
               1u << PCS_NSGS_ORDER_SHUFFLE),
    OPT_INT("depth", nsgs.depth, 0, MOST_DEPTH,
            "differences kept by the Anderson acceleration; 0 for none"),
};

const solver_class solver_nsgs = {
    SOLVER_ROW("nsgs", PCS_SOLVER_NSGS, ALL_CONES, 1e-8, 10000,
               "nonsmooth block Gauss-Seidel with exact local solves and relaxation"),
    SOLVER_OPTIONS(options),
    .defaults.as.nsgs = {.relaxation = 1,
                         .check_every = 10,
                         .local = PCS_NSGS_LOCAL_EXACT,
                         .local_iters = 20,
                         .order = PCS_NSGS_ORDER_FORWARD,
                         .depth = 5},
    .solve_bodies = bodies_nsgs,
};
