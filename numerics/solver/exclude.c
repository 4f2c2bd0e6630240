// A proof that there is no solution, by branch and bound on linear programmes.
//
// A node of the search has decided the status of some blocks. Its relaxation keeps of the law what
// is linear, with variables that are not negative:
//
//     any status      r in K, u_N >= 0
//     open            r = 0, u_N >= 0
//     closed          r in K, u_N = 0
//     stick           r in K, u = 0
//     slide, a to b   u_N = 0, u_T = sum_k z_k d_k, r = sum_k x_k (1, -mu d_k), k from a to b
//
// with d_k = (cos, sin)(2 pi k / n), n = 32, or 8 where there are many contacts. The impulses of a
// slide in a sector are an arc of the edge of K: their sum has the ends of the arc, and the point
// where the tangents at these meet, which is outside of K. So a relaxation contains all solutions
// of its node: where it is empty, the node has none, and where all branches end so, the problem has
// none. The search ends without a proof at a vertex that obeys the law as nearly as the sectors
// tell, or where it takes too long.
//
// An empty relaxation is proved from the data as given: its row of the dictionary is a combination
// y of the equations u = W r + q in which no variable may have a positive part, as in Farkas'
// lemma. Variables whose sum is more than MOST times q count as infinite: u would have lost its
// digits in W r. Walls that close on a body are never parallel to the last digit, and are satisfied
// by such impulses. A heavy body on a light one needs large ones, too: the limit is MOST times the
// ratio of the masses that the proof moves.
//
// A status is decided by holding variables at zero, so that a child begins with the dictionary of
// its parent (pivot.h). Boxes, r = s - mu with 0 <= s <= 2 mu and u = z_0 - z_1, and unilateral
// rows are decided in the same way.
#include "solver/exclude.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/pivot.h"

// directions of a slide in space, powers of two: where there are at most FEW contacts, and of more
#define SECTORS      32
#define SECTORS_MANY 8
#define FEW          4
#define PI           3.14159265358979323846
// a violation of the law above this is decided; q has entries up to 1
#define ZERO_TOL 1e-9
// the largest sum of the variables, besides those of boxes
#define MOST 1e8
// Least part of q that every u misses, in the mean over the rows of a proof: of the root and of
// other nodes. Where nothing is decided joints and prescribed motions contradict one another. By
// less they do so in many mechanisms, since their rows are those of one moment, and the u that
// comes nearest is of use
#define ROOT_MISSES 1e-2
#define NODE_MISSES 1e-7
// a coefficient below this part of the largest of its row is no pivot
#define LEAST 1e-9

// bytes of the dictionaries on the way to a node, besides those of the root: a longer way has no
// proof
#define ROOM ((size_t)1 << 22)

// What a node knows of a block. A slide, and the stick at its start, has a range of sectors
typedef enum knowledge { ANY, CLOSED, DECIDED } knowledge;
typedef struct decision {
    knowledge kind;
    int from, to; // sectors
} decision;

// The variables of a block: codes of its first ones, and their number. Codes of basic variables are
// those of the first dictionary
typedef struct block_codes {
    bool friction;
    int x, nx; // of r; a box: s
    int z, nz; // of u_T; a box: z_0, z_1
    int u;     // of its first row
    int top;   // of 2 mu - s of a box
} block_codes;

typedef struct search {
    const pcs_problem *p;
    exclusion *out;
    int sectors;
    int codes, columns, rows; // all variables, nonbasic and basic ones of the first dictionary
    double *W;                // n x n
    double *scale;            // n: u' = D u, r = D r', scaled by 1 / size, too
    double size;
    block_codes *of; // nb
    double *value;   // by code, of a vertex
    double most;     // the largest sum of the variables
    dict first;      // of the root, before any exchange
    double *y;       // rows: of a proof
    double *proof;   // n: the same in the rows of the problem
    size_t used;     // of the arena, before the first decision
    bool no_memory;
} search;

// ---- variables -----------------------------------------------------------------------------------

// direction j of r of a contact; those of u_T are the even ones in space
static void direction(const search *s, int dim, int j, double d[2])
{
    const double angle = PI * j / s->sectors, far = j % 2 == 1 ? 1 / cos(PI / s->sectors) : 1;
    d[0] = dim == 2 ? 1 - 2 * j : far * cos(angle);
    d[1] = dim == 2 ? 0 : far * sin(angle);
}

static void slip(const search *s, int dim, int k, double d[2])
{
    direction(s, dim, dim == 2 ? k : 2 * k, d);
}

static void number_variables(search *s)
{
    int row = 0, contacts = 0;
    for (int b = 0; b < s->p->nb; ++b) {
        contacts += s->p->block[b].cone == PCS_CONE_COULOMB;
    }
    s->sectors = contacts > FEW ? SECTORS_MANY : SECTORS;
    s->columns = 0;
    for (int b = 0; b < s->p->nb; ++b) {
        const pcs_block *k = &s->p->block[b];
        block_codes *c = &s->of[b];
        const bool plane = k->dim == 2, box = k->cone == PCS_CONE_BOX;
        c->friction = k->cone == PCS_CONE_COULOMB && k->dim > 1 && k->mu > 0;
        c->nx = c->friction ? (plane ? 2 : 2 * s->sectors) : 1;
        c->nz = c->friction ? (plane ? 2 : s->sectors) : box ? 2 : 0;
        if (k->cone == PCS_CONE_EQUALITY) c->nx = 2 * k->dim;
        c->x = s->columns;
        c->z = c->x + c->nx;
        s->columns = c->z + c->nz;
    }
    for (int b = 0; b < s->p->nb; ++b) {
        const pcs_block *k = &s->p->block[b];
        block_codes *c = &s->of[b];
        const bool all = c->friction || k->cone == PCS_CONE_EQUALITY;
        c->u = s->columns + row;
        row += all ? k->dim : 1;
        c->top = s->columns + row;
        row += k->cone == PCS_CONE_BOX;
    }
    s->rows = row;
    s->codes = s->columns + s->rows;
}

// rows of block b with a variable or an equation
static int rows_of(const search *s, int b)
{
    const pcs_block *k = &s->p->block[b];
    return s->of[b].friction || k->cone == PCS_CONE_EQUALITY ? k->dim : 1;
}

// the impulse of variable j = 1 of a contact
static void impulse(const search *s, int b, int j, double r[3])
{
    const pcs_block *k = &s->p->block[b];
    double d[2] = {0};
    if (s->of[b].friction) direction(s, k->dim, j, d);
    r[0] = 1;
    r[1] = -k->mu * d[0];
    r[2] = -k->mu * d[1];
}

// ---- the first dictionary ------------------------------------------------------------------------

static double sizes(search *s)
{
    const pcs_problem *p = s->p;
    double most = 0;
    problem_scales(p, s->scale);
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        double mean = 0;
        for (int c = k->row; c < k->row + k->dim; ++c) {
            mean += s->scale[c] / k->dim;
        }
        // a cone of friction is round
        for (int c = k->row; c < k->row + k->dim; ++c) {
            const bool one = k->cone == PCS_CONE_COULOMB;
            s->scale[c] = 1 / sqrt(one ? mean : s->scale[c]);
            most = fmax(most, fabs(s->scale[c] * p->q[c]));
        }
    }
    return most;
}

// adds W' r to the rows of u in a column, r of dim rows from the first one
static void add_product(const search *s, int first, int dim, const double *r, double *column)
{
    const pcs_problem *p = s->p;
    const size_t n = (size_t)p->n;
    for (int a = 0; a < p->nb; ++a) {
        for (int i = 0; i < rows_of(s, a); ++i) {
            const int row = p->block[a].row + i;
            double sum = 0;
            for (int c = 0; c < dim; ++c) {
                sum += s->W[(size_t)row + n * (size_t)(first + c)] * s->scale[first + c] * r[c];
            }
            column[s->of[a].u - s->columns + i] += s->scale[row] * sum;
        }
    }
}

static void build_block(search *s, int b, dict *t, unsigned char *held)
{
    const pcs_block *k = &s->p->block[b];
    const block_codes *c = &s->of[b];
    const int row = c->u - s->columns;
    const bool equality = k->cone == PCS_CONE_EQUALITY;
    double *constant = dict_column(t, t->n), r[3];
    for (int j = 0; j < c->nx; ++j) {
        impulse(s, b, j, r);
        if (equality && j % 2 == 1) r[0] = -1;
        add_product(s, k->row + (equality ? j / 2 : 0), equality ? 1 : k->dim, r,
                    dict_column(t, c->x + j));
    }
    for (int i = 0; i < rows_of(s, b); ++i) {
        constant[row + i] += s->scale[k->row + i] * s->p->q[k->row + i] / s->size;
        held[c->u + i] = equality || k->cone == PCS_CONE_BOX || i > 0;
    }
    for (int j = 0; j < c->nz && c->friction; ++j) {
        double d[2];
        slip(s, k->dim, j, d);
        for (int i = 1; i < k->dim; ++i) {
            dict_column(t, c->z + j)[row + i] = -d[i - 1];
        }
    }
    if (k->cone != PCS_CONE_BOX) return;
    const double mu = k->mu / (s->scale[k->row] * s->size);
    s->most += 4 * mu;
    add_product(s, k->row, 1, (const double[]){-mu}, constant);
    dict_column(t, c->z)[row] = -1;
    dict_column(t, c->z + 1)[row] = 1;
    constant[c->top - s->columns] = 2 * mu;
    dict_column(t, c->x)[c->top - s->columns] = -1;
}

static bool build(search *s, pcs_arena *work, dict *t, unsigned char **held)
{
    *held = PCS_TAKE(work, (size_t)s->codes, unsigned char);
    if (!*held || !dict_take(s->rows, s->columns, work, t)) return false;
    memset(*held, 0, (size_t)s->codes);
    memset(t->t, 0, (size_t)s->rows * ((size_t)s->columns + 1) * sizeof *t->t);
    for (int i = 0; i < s->rows; ++i) {
        t->basic[i] = s->columns + i;
    }
    for (int j = 0; j < s->columns; ++j) {
        t->nonbasic[j] = j;
    }
    s->most = MOST;
    for (int b = 0; b < s->p->nb; ++b) {
        build_block(s, b, t, *held);
    }
    return true;
}

// ---- what a vertex violates ----------------------------------------------------------------------

static void read_vertex(search *s, const dict *t)
{
    memset(s->value, 0, (size_t)s->codes * sizeof *s->value);
    for (int i = 0; i < t->m; ++i) {
        s->value[t->basic[i]] = dict_column(t, t->n)[i];
    }
}

// how far friction is from opposing the slip: the smaller of the slip and of what is missing
static double misses(const search *s, int b)
{
    const pcs_block *k = &s->p->block[b];
    const block_codes *c = &s->of[b];
    double r[3] = {0}, u[2] = {0};
    for (int j = 0; j < c->nx; ++j) {
        double one[3];
        const double x = s->value[c->x + j];
        if (x == 0) continue;
        impulse(s, b, j, one);
        for (int i = 0; i < k->dim; ++i) {
            r[i] += x * one[i];
        }
    }
    for (int j = 0; j < c->nz; ++j) {
        double d[2];
        slip(s, k->dim, j, d);
        u[0] += s->value[c->z + j] * d[0];
        u[1] += s->value[c->z + j] * d[1];
    }
    const double speed = hypot(u[0], u[1]), load = k->mu * r[0];
    if (!(speed > 0)) return 0;
    return fmin(speed, hypot(r[1] + load * u[0] / speed, r[2] + load * u[1] / speed));
}

// how far block b is from its law, as far as another decision may tell
static double violation(const search *s, int b, const decision *d)
{
    const pcs_block *k = &s->p->block[b];
    const block_codes *c = &s->of[b];
    const double *v = s->value;
    if (k->cone == PCS_CONE_EQUALITY || d->kind == DECIDED) return 0;
    if (k->cone == PCS_CONE_BOX) {
        const double u = v[c->z] - v[c->z + 1];
        return u > 0 ? fmin(u, v[c->x]) : fmin(-u, v[c->top]);
    }
    double r = 0;
    for (int j = 0; j < c->nx; ++j) {
        r += v[c->x + j];
    }
    const double opens = d->kind == ANY ? fmin(r, v[c->u]) : 0;
    return c->friction ? fmax(opens, misses(s, b)) : opens;
}

// ---- the search ----------------------------------------------------------------------------------

static void hold(unsigned char *held, int code, int n)
{
    memset(held + code, 1, (size_t)n);
}

// holds the variables outside of sectors from to to
static void hold_outside(const search *s, int b, const decision *d, unsigned char *held)
{
    const block_codes *c = &s->of[b];
    const bool plane = s->p->block[b].dim == 2;
    for (int j = 0; j < c->nx; ++j) {
        // the last direction of the last sector is the first one
        const int first = plane ? d->from : 2 * d->from, last = plane ? d->to - 1 : 2 * d->to;
        if ((j < first || j > last) && j + c->nx > last) held[c->x + j] = 1;
    }
    for (int j = 0; j < c->nz; ++j) {
        const int last = plane ? d->to - 1 : d->to;
        if ((j < d->from || j > last) && j + c->nz > last) held[c->z + j] = 1;
    }
}

// child number i of a decision about block b; false when there is none
static bool decide(const search *s, int b, int i, decision *d, unsigned char *held)
{
    const pcs_block *k = &s->p->block[b];
    const block_codes *c = &s->of[b];
    const decision before = *d;
    d->kind = DECIDED;
    if (k->cone == PCS_CONE_BOX) {
        if (i < 2) hold(held, i == 0 ? c->x : c->top, 1); // at -mu, then at mu
        if (i != 0) hold(held, c->z, 1);
        if (i != 1) hold(held, c->z + 1, 1);
        return i < 3;
    }
    if (before.kind == ANY) {
        if (i == 0) hold(held, c->x, c->nx);
        if (i == 1) hold(held, c->u, 1);
        if (i == 1 && c->friction) d->kind = CLOSED;
        return i < 2;
    }
    const int all = k->dim == 2 ? 2 : s->sectors, middle = (before.from + before.to) / 2;
    if (i == 2) {
        // the slides of fewer sectors contain the stick at their start
        hold(held, c->z, c->nz);
        return before.to - before.from == all;
    }
    if (i == 0) d->to = middle;
    if (i == 1) d->from = middle;
    if (d->to - d->from > 1) d->kind = CLOSED;
    if (i < 2) hold_outside(s, b, d, held);
    return i < 2;
}

// y in the rows of the problem
static void spread(const search *s, double *y)
{
    memset(y, 0, (size_t)s->p->n * sizeof *y);
    for (int b = 0; b < s->p->nb; ++b) {
        const int row = s->p->block[b].row;
        for (int i = 0; i < rows_of(s, b); ++i) {
            y[row + i] = s->y[s->of[b].u - s->columns + i] * s->scale[row + i];
        }
    }
}

// the largest sum of variables that counts beside y
static double most_beside(const search *s)
{
    if (!s->out->masses.both) return s->most;
    spread(s, s->proof);
    return s->most + MOST * (problem_mass_ratio(s->p, &s->out->masses, s->proof) - 1);
}

// What the row `bad` of a dictionary says of its node: nothing, that it is empty, or that equations
// are missed by so little that they may be satisfied. With a basic variable v and the other ones w
// the row v = c + a.w is y.(u - T x) = y.c in the variables of the first dictionary
typedef enum row_end { NOTHING, EMPTY, NEARLY } row_end;

// what the rounding of q may change of y.c
static double rounding_of_q(const search *s)
{
    double square = 0;
    for (int b = 0; b < s->p->nb; ++b) {
        for (int i = 0; i < rows_of(s, b); ++i) {
            const double y = s->y[s->of[b].u - s->columns + i] * s->scale[s->p->block[b].row + i];
            square += y * y;
        }
    }
    return MEASURE_ROUNDINGS * s->p->far.rounding / s->size * sqrt(square);
}

static row_end read_row(search *s, const dict *t, int bad, const unsigned char *held)
{
    const dict *d = &s->first;
    const double sign = dict_column(t, t->n)[bad] < 0 ? 1 : -1;
    double gap = 0, size = 0, worst = 0;
    memset(s->y, 0, (size_t)s->rows * sizeof *s->y);
    for (int j = -1; j < t->n; ++j) {
        const int code = j < 0 ? t->basic[bad] : t->nonbasic[j];
        if (code < s->columns) continue;
        const double y = s->y[code - s->columns] = sign * (j < 0 ? 1 : -dict_column(t, j)[bad]);
        if (!held[code]) worst = fmax(worst, -y);
        size += fabs(y);
    }
    for (int j = 0; j <= d->n; ++j) {
        if (j < d->n && held[j]) continue;
        double sum = 0, most = 0;
        for (int i = 0; i < d->m; ++i) {
            const double one = s->y[i] * dict_column(d, j)[i];
            sum += one;
            most += fabs(one);
        }
        const double rounding = d->m * DBL_EPSILON * most;
        if (j == d->n) {
            gap = -sum - rounding - rounding_of_q(s);
        } else {
            worst = fmax(worst, sum + rounding);
        }
    }
    const double least = s->out->nodes == 1 ? ROOT_MISSES : NODE_MISSES;
    if (gap <= NODE_MISSES * size) return NEARLY;
    return isfinite(size) && gap > least * size && most_beside(s) * worst < gap ? EMPTY : NOTHING;
}

// the relaxation of a node; POLY_LOST where its end is not known
static poly_end relax(search *s, dict *t, const unsigned char *held)
{
    exclusion *x = s->out;
    const double entries = t->m * (t->n + 1.0);
    const int most = 1 + (int)fmin(1e9, fmax(0, x->most - x->spent) / entries);
    int pivots = 0;
    poly_end end = POLY_EMPTY;
    x->nodes += 1;
    for (int k = 0; k < t->m && end == POLY_EMPTY; ++k) {
        int bad;
        bool doubt; // y decides
        end = poly_restore(t, held, LEAST, most - pivots, &pivots, &bad, &doubt);
        if (end != POLY_EMPTY) break;
        const row_end row = read_row(s, t, bad, held);
        if (row == EMPTY) break;
        if (row == NOTHING) end = POLY_LOST;
        dict_column(t, t->n)[bad] = 0;
    }
    x->spent += (1.0 + pivots) * entries;
    return end;
}

// a copy without the columns of variables of the problem that are held
static bool copy_free(const search *s, const dict *t, const unsigned char *held, pcs_arena *work,
                      dict *out)
{
    int n = 0;
    for (int j = 0; j < t->n; ++j) {
        n += !held[t->nonbasic[j]] || t->nonbasic[j] >= s->columns;
    }
    if (!dict_take(t->m, n, work, out)) return false;
    memcpy(out->basic, t->basic, (size_t)t->m * sizeof *t->basic);
    for (int j = 0, to = 0; j <= t->n; ++j) {
        if (j < t->n && held[t->nonbasic[j]] && t->nonbasic[j] < s->columns) continue;
        if (j < t->n) out->nonbasic[to] = t->nonbasic[j];
        memcpy(dict_column(out, to++), dict_column(t, j), (size_t)t->m * sizeof *t->t);
    }
    return true;
}

// true when the node is proved to have no solution. The depth is that of the decisions, at most
// some seven for each block
static bool excluded(search *s, dict *t, const unsigned char *held, const decision *all,
                     pcs_arena work)
{
    exclusion *x = s->out;
    const size_t nb = (size_t)s->p->nb;
    const poly_end end = relax(s, t, held);
    if (end == POLY_EMPTY) return true;
    x->cut = !(x->spent < x->most);
    if (end != POLY_FEASIBLE || x->cut) return false;

    read_vertex(s, t);
    int worst = -1;
    double most = ZERO_TOL;
    for (int b = 0; b < s->p->nb; ++b) {
        const double one = violation(s, b, &all[b]);
        if (!(one > most)) continue;
        most = one;
        worst = b;
    }
    if (worst < 0 || work.used > s->used + ROOM) return false;

    unsigned char *own = PCS_TAKE(&work, (size_t)s->codes, unsigned char);
    decision *next = PCS_TAKE(&work, nb, decision);
    s->no_memory = s->no_memory || !own || !next;
    for (int i = 0; !s->no_memory; ++i) {
        memcpy(own, held, (size_t)s->codes);
        memcpy(next, all, nb * sizeof *next);
        if (!decide(s, worst, i, &next[worst], own)) return true;
        pcs_arena scope = work;
        dict child;
        s->no_memory = !copy_free(s, t, own, &scope, &child);
        if (s->no_memory || !excluded(s, &child, own, next, scope)) return false;
    }
    return false;
}

pcs_status problem_exclude(const pcs_problem *p, pcs_arena work, exclusion *x)
{
    search s = {.p = p, .out = x};
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    *x = (exclusion){.most = x->most, .masses = x->masses, .y = x->y};
    if (x->y) memset(x->y, 0, n * sizeof *x->y);
    s.of = PCS_TAKE(&work, nb, block_codes);
    if (!s.of) return pcs_fail_memory("exclude");
    number_variables(&s);
    // some exchange for each row
    x->cut = !((double)s.rows * s.rows * s.columns < x->most);
    if (x->cut) return PCS_OK;

    dict t;
    unsigned char *held;
    decision *all = PCS_TAKE(&work, nb, decision);
    s.W = PCS_TAKE(&work, n * n, double);
    s.scale = PCS_TAKE(&work, n, double);
    s.value = PCS_TAKE(&work, (size_t)s.codes, double);
    if (!all || !s.W || !s.scale || !s.value) return pcs_fail_memory("exclude");
    pcs_bsr_to_dense(&p->W, s.W);
    s.size = sizes(&s);
    if (!(s.size > 0)) return PCS_OK; // r = 0 is a solution
    s.y = PCS_TAKE(&work, (size_t)s.rows, double);
    s.proof = PCS_TAKE(&work, n, double);
    const bool built = build(&s, &work, &s.first, &held) && s.y && s.proof;
    if (!built || !dict_take(s.rows, s.columns, &work, &t)) return pcs_fail_memory("exclude");
    dict_copy(&s.first, &t);
    for (int b = 0; b < p->nb; ++b) {
        all[b] = (decision){ANY, 0, p->block[b].dim == 2 ? 2 : s.sectors};
    }
    s.used = work.used;
    x->none = excluded(&s, &t, held, all, work);
    if (x->none && x->nodes == 1 && x->y) spread(&s, x->y);
    return s.no_memory ? pcs_fail_memory("exclude") : PCS_OK;
}
