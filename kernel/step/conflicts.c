// The constraints that contradict each other, where no velocities or positions obey all of them: a
// certificate y has H^T y = 0, so that the rows with y_i not zero depend on each other, while y . w
// is not zero for w = H v + shift, the same for every v: what these rows demand is impossible. Of
// velocities y is the part of w that no velocities have; of positions it is what the projection
// leaves. A y whose H^T y is not small proves nothing, and names nobody.
#include "step/project.h"

#include <stdio.h>
#include <string.h>

#include <percuss/certificate.h>

#include "laws/law.h"
#include "linalg/m3.h"
#include "problem/measure.h"
#include "relations/joint_kinds.h"
#include "solver/exclude.h"

// |H^T y| over the sum of its terms, of a certificate: of velocities, and of positions, which are
// only near the point of least squares
#define PROOF          1e-5
#define PROOF_POSITION 0.05
// part of the largest term of H^T y that counts
#define COUNTS 1e-3

// a constraint of a contradiction
typedef struct party {
    pcs_conflict who;
    bool prescribed; // a function of time moves it
    double weight;   // |H_i^T y_i|
} party;

static bool before(const party *a, const party *b)
{
    if (a->prescribed != b->prescribed) return a->prescribed;
    return a->weight > (1 + 1e-6) * b->weight; // equal ones stay in their order
}

// adds one to the list, or its weight to the same constraint there
static void add_party(const candidate *c, double weight, int *n, party *all)
{
    const bool shapes = c->interaction < 0;
    const pcs_conflict who = {shapes ? c->key.shape1 : -1,
                              shapes ? c->key.shape2 : c->interaction + 1};
    for (int i = 0; i < *n; ++i) {
        if (all[i].who.one != who.one || all[i].who.two != who.two) continue;
        all[i].weight = fmax(all[i].weight, weight);
        return;
    }
    all[(*n)++] = (party){who, c->timed, weight};
}

static void report_parties(int n, party *all, pcs_step_report *out)
{
    double most = 0;
    out->conflicts = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, all[i].weight);
    }
    for (int i = 0; i < n; ++i) {
        if (all[i].weight > COUNTS * most) all[out->conflicts++] = all[i];
    }
    if (out->conflicts < 2) out->conflicts = 0; // one constraint alone contradicts nothing
    for (int k = 0; k < out->conflicts && k < PCS_CONFLICTS; ++k) {
        int best = k;
        for (int i = k + 1; i < out->conflicts; ++i) {
            if (before(&all[i], &all[best])) best = i;
        }
        const party found = all[best];
        memmove(&all[k + 1], &all[k], (size_t)(best - k) * sizeof *all);
        all[k] = found;
        out->conflict[k] = found.who;
    }
}

// ---- H^T y ---------------------------------------------------------------------------------------

// H^T y of all constraints, and the sum of the norms of its terms
typedef struct balance {
    const trial *t;
    double *all, *one; // nv each; `one` is zero between two terms
    double sum;
} balance;

static pcs_status begin_balance(const trial *t, pcs_arena *mem, balance *b)
{
    const size_t nv = (size_t)t->m->nv;
    *b = (balance){t, PCS_TAKE(mem, 2 * nv, double), NULL, 0};
    if (!b->all) return pcs_fail_memory("step: a contradiction");
    b->one = b->all + nv;
    memset(b->all, 0, 2 * nv * sizeof *b->all);
    return PCS_OK;
}

// moves the term of a constraint between two systems into the sum; returns its norm
static double take_term(balance *b, int sys1, int sys2)
{
    const int sys[2] = {sys1, sys1 == sys2 ? -1 : sys2};
    double square = 0;
    for (int e = 0; e < 2; ++e) {
        if (!system_moves(b->t->m, sys[e])) continue;
        const model_system *s = &b->t->m->system[sys[e]];
        for (int i = s->v_at; i < s->v_at + s->nv; ++i) {
            square += b->one[i] * b->one[i];
            b->all[i] += b->one[i];
            b->one[i] = 0;
        }
    }
    b->sum += sqrt(square);
    return sqrt(square);
}

// the part of the terms that does not cancel; infinite where there are none
static double rest(const balance *b)
{
    double square = 0;
    for (int i = 0; i < b->t->m->nv; ++i) {
        square += b->all[i] * b->all[i];
    }
    return b->sum > 0 ? sqrt(square) / b->sum : INFINITY;
}

// ---- velocities ---------------------------------------------------------------------------------

// Least squares  min |D (w - H x)|  over velocities x, with D the size of the rows (0: the row
// takes no part): what it leaves, y = D D (w - H x), has H^T y = 0. By conjugate gradients on the
// normal equations with A^-1 as preconditioner.
typedef struct least_squares {
    const bodies_problem *b;
    int rows, nv;
    double *D, *left;  // rows; left = D (w - H x)
    double *g, *z, *p; // nv: H^T D left, A^-1 of that, the direction
    double *Hp, *y;    // rows
} least_squares;

// most iterations, and the part of the first gradient that ends them
#define MOST_ITERATIONS 1000
#define SMALL           1e-12

static pcs_status begin_squares(const trial *t, pcs_arena *mem, least_squares *l)
{
    const bodies_problem *b = t->solution.solved;
    const size_t rows = (size_t)t->solution.rows, nv = (size_t)b->A->start[b->A->nb];
    double *room = PCS_TAKE(mem, 4 * rows + 4 * nv, double);
    if (!room) return pcs_fail_memory("step: a contradiction");
    *l = (least_squares){.b = b, .rows = (int)rows, .nv = (int)nv};
    l->D = room;
    l->left = room + rows;
    l->Hp = room + 2 * rows;
    l->y = room + 3 * rows;
    l->g = room + 4 * rows;
    l->z = l->g + nv;
    l->p = l->g + 2 * nv;
    return PCS_OK;
}

// D of the rows of block k: the root of the diagonal of W
static pcs_status size_rows(const least_squares *l, int k, pcs_arena mem)
{
    const bodies_problem *b = l->b;
    const bodies_block *block = &b->block[k];
    const size_t d = (size_t)block->dim;
    size_t wide = 0;
    for (int e = 0; e < 2; ++e) {
        if (block->sys[e] < 0) continue;
        const size_t width = (size_t)(b->A->start[block->sys[e] + 1] - b->A->start[block->sys[e]]);
        if (width > wide) wide = width;
    }
    double *Z = PCS_TAKE(&mem, 2 * d * wide, double), *W = PCS_TAKE(&mem, d * d, double);
    if (!Z || !W) return pcs_fail_memory("step: a contradiction");
    bodies_diagonal(b, k, Z, W);
    for (size_t j = 0; j < d; ++j) {
        const double w = W[j * (d + 1)];
        l->D[(size_t)block->row + j] = w > 0 ? 1 / sqrt(w) : 0;
    }
    return PCS_OK;
}

static double square(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

// g = H^T D left, z = A^-1 g; returns g . z
static double gradient(least_squares *l)
{
    double dot = 0;
    for (int i = 0; i < l->rows; ++i) {
        l->y[i] = l->D[i] * l->left[i];
    }
    bodies_impulses(l->b, l->y, l->g);
    memcpy(l->z, l->g, (size_t)l->nv * sizeof *l->z);
    block_lu_solve_all(l->b->A, l->z);
    for (int i = 0; i < l->nv; ++i) {
        dot += l->g[i] * l->z[i];
    }
    return dot;
}

// leaves y = D left; w: what is demanded of the rows, in `left`
static void solve_squares(least_squares *l)
{
    const bodies_problem *b = l->b;
    double now = gradient(l);
    const double first = now;
    memcpy(l->p, l->z, (size_t)l->nv * sizeof *l->p);
    for (int it = 0; it < MOST_ITERATIONS && now > SMALL * SMALL * first; ++it) {
        for (int k = 0; k < b->nb; ++k) {
            bodies_block_velocity(&b->block[k], b->A->start, b->R, l->p, l->Hp + b->block[k].row);
        }
        for (int i = 0; i < l->rows; ++i) {
            l->Hp[i] *= l->D[i];
        }
        const double along = square(l->Hp, l->rows);
        if (!(along > 0)) return;
        for (int i = 0; i < l->rows; ++i) {
            l->left[i] -= now / along * l->Hp[i];
        }
        const double next = gradient(l), share = next / now;
        for (int i = 0; i < l->nv; ++i) {
            l->p[i] = l->z[i] + share * l->p[i];
        }
        now = next;
    }
}

// drops the contacts that pull in the certificate; true when there are any
static bool drop_pulling(const trial *t, least_squares *l)
{
    bool dropped = false;
    const double most = sqrt(square(l->y, l->rows));
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active || !law_is_unilateral(&c->law) || l->D[c->at] == 0) continue;
        if (!(l->y[c->at] > COUNTS * most)) continue;
        l->D[c->at] = 0;
        dropped = true;
    }
    return dropped;
}

// the rows that may take part: equalities, and contacts that press or close
static pcs_status choose_rows(const trial *t, pcs_arena mem, least_squares *l)
{
    for (int i = 0, k = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        PCS_TRY(size_rows(l, k++, mem));
        const bool equality = candidate_cone(c) == PCS_CONE_EQUALITY;
        const bool presses = candidate_cone(c) != PCS_CONE_BOX &&
                             (t->solution.r[c->at] > 0 || t->solution.u[c->at] < 0);
        for (int j = 0; j < c->dim && !equality; ++j) {
            if (j > 0 || !presses) l->D[c->at + j] = 0;
        }
    }
    return PCS_OK;
}

// rounds that drop contacts
#define ROUNDS 8

pcs_status step_conflicts(const trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_outcome end = out->solve.outcome;
    if (end != PCS_OUTCOME_INFEASIBLE && end != PCS_OUTCOME_STALLED) return PCS_OK;
    if (t->solution.rows == 0 || !t->solution.v_free) return PCS_OK;
    least_squares l;
    balance b;
    int n = 0;
    party *all = PCS_TAKE(&mem, (size_t)t->list.n, party);
    if (!all) return pcs_fail_memory("step: a contradiction");
    PCS_TRY(begin_squares(t, &mem, &l));
    PCS_TRY(begin_balance(t, &mem, &b));
    PCS_TRY(choose_rows(t, mem, &l));
    double demand = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < l.rows; ++i) {
            l.left[i] = l.D[i] * t->solution.u[i];
        }
        demand = square(l.left, l.rows);
        solve_squares(&l);
        if (!drop_pulling(t, &l)) break;
    }
    if (!(square(l.left, l.rows) > COUNTS * COUNTS * demand)) return PCS_OK;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active) continue;
        bodies_block_impulse(&t->list.k[i], t->m->block_start, t->rotation, l.y + c->at, b.one);
        add_party(c, take_term(&b, c->sys1, c->sys2), &n, all);
    }
    report_parties(rest(&b) <= PROOF ? n : 0, all, out);
    return PCS_OK;
}

// largest number of rows for which a proof is looked for, which takes dense algebra
#define PROOF_ROWS 300

// names the constraints of the proof y
static void name_proof(const pcs_work *wk, int rows, const double *y, pcs_step_report *out)
{
    int n = 0;
    party *all = pcs_env_alloc(&wk->env, (size_t)wk->list.n, sizeof *all);
    if (!all) return;
    for (int i = 0; i < wk->list.n; ++i) {
        const candidate *c = &wk->list.c[i];
        if (!c->active || c->at < 0) continue;
        double most = 0;
        for (int j = c->at; j < c->at + c->dim && j < rows; ++j) {
            most = fmax(most, fabs(y[j]));
        }
        add_party(c, most, &n, all);
    }
    report_parties(n, all, out);
    pcs_env_free(&wk->env, all);
}

// memory and multiplications for a proof by linear programmes
#define PROOF_ROOM       ((size_t)1 << 27)
#define PROOF_ROOM_LEAST ((size_t)1 << 20)
#define PROOF_COST       1e8

// the proof by linear programmes: rows that nearly depend on each other have no other
static bool exclude(const pcs_work *wk, const pcs_problem *p, double *y)
{
    pcs_status status = PCS_ERR_MEMORY;
    exclusion x = {.most = PROOF_COST, .y = y};
    for (size_t size = PROOF_ROOM_LEAST; status == PCS_ERR_MEMORY && size <= PROOF_ROOM;
         size *= 4) {
        pcs_arena room;
        if (pcs_arena_create(&wk->env, size, &room) != PCS_OK) return false;
        pcs_arena mem = room;
        status = bodies_masses(&wk->problem, &mem, &x.masses);
        if (status == PCS_OK) status = problem_exclude(p, mem, &x);
        pcs_arena_destroy(&wk->env, &room);
    }
    return status == PCS_OK && x.none;
}

// true where y does not hang on what heavy bodies add to W, which may be rounding
static bool masses_allow(const pcs_work *wk, const pcs_problem *p, const double *y)
{
    problem_masses masses;
    pcs_arena room, mem;
    if (pcs_arena_create(&wk->env, PROOF_ROOM_LEAST, &room) != PCS_OK) return false;
    mem = room;
    const bool allow = bodies_masses(&wk->problem, &mem, &masses) == PCS_OK &&
                       problem_masses_allow(p, &masses, y);
    pcs_arena_destroy(&wk->env, &room);
    return allow;
}

// the mean speed at which the rows of y close, as that of pcs_certificate_refute
static double closing_of(const pcs_problem *p, const double *y)
{
    double closing = 0, sum = 0;
    for (int i = 0; i < p->n; ++i) {
        closing -= p->q[i] * y[i];
        sum += fabs(y[i]);
    }
    return sum > 0 ? closing / sum : 0;
}

// the proof (to be freed with the environment of the work) and its number of rows, with
// wk->closing; null where there is none. `cases`: one by linear programmes counts, too, whose
// closing may be 0
static double *find_proof(pcs_work *wk, const pcs_step_report *out, bool cases, int *rows)
{
    const bool diverged = out->outcome == PCS_OUTCOME_DIVERGED && wk->cause[0] != '\0';
    pcs_problem p;
    wk->closing = 0;
    if (diverged || out->outcome == PCS_OUTCOME_STOPPED || out->active == 0) return NULL;
    if (out->solve.outcome == PCS_OUTCOME_CONVERGED) return NULL;
    if (pcs_work_problem(wk, &p) != PCS_OK || p.n == 0 || p.n > PROOF_ROWS) return NULL;
    double *y = pcs_env_alloc(&wk->env, (size_t)p.n, sizeof *y);
    *rows = p.n;
    bool none =
        y && pcs_certificate_refute(&wk->env, &p, y, &wk->closing) == PCS_OK && wk->closing > 0 &&
        masses_allow(wk, &p, y);
    if (y && !none && cases && out->solve.outcome == PCS_OUTCOME_INFEASIBLE) {
        none = exclude(wk, &p, y);
        wk->closing = none ? closing_of(&p, y) : 0;
    }
    if (none) return y;
    wk->closing = 0;
    pcs_env_free(&wk->env, y);
    return NULL;
}

void step_refute(pcs_work *wk, pcs_step_report *out)
{
    int rows;
    double *y = find_proof(wk, out, true, &rows);
    if (!y) return;
    out->outcome = PCS_OUTCOME_INFEASIBLE;
    if (wk->closing > 0 && out->conflicts == 0) name_proof(wk, rows, y, out);
    pcs_env_free(&wk->env, y);
}

// part of the residual that a proof leaves to any impulses, from which on it is the cause
#define CAUSE 0.5

bool step_refutes(pcs_work *wk, const pcs_step_report *out)
{
    int rows;
    double *y = find_proof(wk, out, false, &rows), sum = 0;
    if (!y) return false;
    for (int i = 0; i < rows; ++i) {
        sum += fabs(y[i]);
    }
    // y.u = -closing |y|_1 whatever the impulses, while |y.u| <= |y| |violation|
    const double least = wk->closing * sum / sqrt(square(y, rows));
    pcs_env_free(&wk->env, y);
    const pcs_measure *m = &out->solve.measure;
    return least >= CAUSE * m->residual * measure_size(m);
}

// ---- positions -----------------------------------------------------------------------------------

// J^T y of one constraint at q'
static pcs_status add_gaps(const trial *t, const candidate *c, const double *y, pcs_arena mem,
                           balance *b)
{
    double *J[2], *C[2] = {NULL, NULL};
    const int n = candidate_gaps(c), sys[2] = {c->sys1, c->sys2};
    for (int e = 0; e < 2; ++e) {
        PCS_TRY(candidate_take_rows(t->m, sys[e], n, &mem, &J[e]));
    }
    PCS_TRY(candidate_rows(t->m, c, t->end.q, mem, J, C));
    for (int e = 0; e < 2; ++e) {
        if (!J[e]) continue;
        const model_system *s = &t->m->system[sys[e]];
        for (int k = 0; k < s->nv * n; ++k) {
            b->one[s->v_at + k / n] += J[e][k] * y[k % n];
        }
    }
    return PCS_OK;
}

pcs_status project_conflicts(const trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_outcome end = out->projection_outcome;
    if (end != PCS_OUTCOME_INFEASIBLE && end != PCS_OUTCOME_STALLED) return PCS_OK;
    balance b;
    int n = 0;
    party *all = PCS_TAKE(&mem, (size_t)t->list.n, party);
    if (!all) return pcs_fail_memory("projection: a contradiction");
    PCS_TRY(begin_balance(t, &mem, &b));
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const int gaps = candidate_gaps(c);
        pcs_arena scope = mem;
        double *y = PCS_TAKE(&scope, (size_t)gaps, double);
        if (!y) return pcs_fail_memory("projection: a contradiction");
        PCS_TRY(candidate_gap(t->m, c, t->end.q, scope, y));
        for (int j = 0; j < gaps; ++j) {
            if (c->law.kind != PCS_LAW_EQUALITY) y[j] = fmin(0, y[j]);
        }
        PCS_TRY(add_gaps(t, c, y, scope, &b));
        add_party(c, take_term(&b, c->sys1, c->sys2), &n, all);
    }
    report_parties(rest(&b) <= PROOF_POSITION ? n : 0, all, out);
    return PCS_OK;
}

// ---- words --------------------------------------------------------------------------------------

static const char *kind_word(const pcs_interaction_def *def)
{
    pcs_joint_def joint;
    if (joint_is_limits(&def->relation)) return "limits ";
    if (joint_is_coordinate(&def->relation)) return "motor ";
    if (!joint_read(&def->relation, &joint)) return "interaction ";
    return NULL;
}

void pcs_conflict_text(const pcs_model *m, const pcs_conflict *c,
                       char words[PCS_CONFLICT_TEXT_SIZE])
{
    const size_t room = PCS_CONFLICT_TEXT_SIZE;
    char one[PART_WORDS], two[PART_WORDS], kind[40];
    if (!words) return;
    words[0] = '\0';
    if (!m || !c || c->one >= m->n_shapes || c->two < 0) return;
    if (c->two > (c->one >= 0 ? m->n_shapes - 1 : m->n_interactions)) return;
    if (c->one >= 0) {
        snprintf(words, room, "the contact of shapes %s and %s",
                 part_words(m, PART_SHAPE, "", c->one, one),
                 part_words(m, PART_SHAPE, "", c->two, two));
        return;
    }
    const pcs_interaction_def *def = &m->interaction[c->two - 1];
    pcs_joint_def joint;
    if (kind_word(def)) {
        snprintf(kind, sizeof kind, "%s", kind_word(def));
    } else {
        joint_read(&def->relation, &joint);
        snprintf(kind, sizeof kind, "%s ", joint_word(joint.kind));
    }
    snprintf(words, room, "%s", part_words(m, PART_INTERACTION, kind, c->two, one));
}

void conflict_text(const pcs_model *m, const pcs_step_report *r, char *text, size_t room)
{
    const int n = r->conflicts < PCS_CONFLICTS ? r->conflicts : PCS_CONFLICTS;
    text[0] = '\0';
    size_t at = 0;
    for (int i = 0; i < n; ++i) {
        char words[PCS_CONFLICT_TEXT_SIZE];
        const bool last = i == r->conflicts - 1;
        pcs_conflict_text(m, &r->conflict[i], words);
        // room for the number of the others
        if (at + strlen(words) + 30 > room) {
            at += (size_t)snprintf(text + at, room - at, " and %d more", r->conflicts - i);
            break;
        }
        at += (size_t)snprintf(text + at, room - at, "%s%s",
                               i == 0 ? ""
                               : last ? " and "
                                      : ", ",
                               words);
        if (i == n - 1 && !last) {
            at += (size_t)snprintf(text + at, room - at, " and %d more", r->conflicts - n);
        }
    }
}
