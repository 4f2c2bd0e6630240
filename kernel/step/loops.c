// Rows of joints that depend on each other, beside contacts, limits, motors or friction.
//
// A closed loop of joints often has more rows than it needs: of the 20 rows of a four-bar with four
// hinges 17 are independent. This holds where all joints are closed. At coordinates that are off
// by d the rows have full rank, with singular values of order d in the directions that should be
// free of rows: they lock the mechanism, and a contact that moves it finds impulses of order 1 / d,
// or none. Joints alone are solved by least squares, which leaves these directions out. With other
// rows in the island this is no longer a linear problem.
//
// The rows of such joints are therefore taken at coordinates that are moved to where all joints are
// closed: by order h^2 in the middle of a step, where the midpoint rule keeps its order, and by the
// drift where positions are not projected. The state itself does not move. Islands of joints alone
// get these rows where two joints of a pair have theirs in the middle, or are open at q_k, and none
// is driven, and where the first solve fails.
#include "step/project.h"

#include <string.h>

// Parts of the size of the smallest body. A loop is open at q_k when a joint is by more than OPEN:
// a projection leaves less. Joints are then closed to CLOSED, or a part of the tolerance of the
// solver, as rows contradict each other by what is open; near the rounding of the gaps a step costs
// least squares. Without a projection the state is open by much more: CLOSED_DRIFT. Largest number
// of steps for that; where rounding ends these before, the part of what was open that may be left
#define OPEN         1e-9
#define CLOSED       1e-12
#define CLOSED_PART  1e-2
#define CLOSED_DRIFT 1e-14
#define CLOSE_STEPS  12
#define CLOSE_LEFT   1e-3

// true when a joint is open at q_k
static bool is_open(const trial *t, const candidate *c)
{
    double square = 0;
    for (int j = 0; j < c->dim; ++j) {
        square += c->g[j] * c->g[j];
    }
    return square > OPEN * OPEN * t->size * t->size;
}

// true when the same joint is there twice: its rows depend on each other at any coordinates
static bool is_same(const trial *t, const candidate *b, const candidate *c)
{
    const pcs_interaction_def *d = &t->m->interaction[b->interaction];
    const pcs_interaction_def *e = &t->m->interaction[c->interaction];
    return d->system1.id == e->system1.id && d->relation.gap == e->relation.gap &&
           d->relation.has_data && e->relation.has_data &&
           memcmp(d->relation.data, e->relation.data, sizeof d->relation.data) == 0;
}

// true when an earlier joint of the list, another one, joins the same two bodies as joint i
static bool joins_again(const trial *t, int i)
{
    const candidate *c = &t->list.c[i];
    for (int j = 0; j < i; ++j) {
        const candidate *b = &t->list.c[j];
        if (!b->active || b->law.kind != PCS_LAW_EQUALITY) continue;
        const bool same = b->sys1 == c->sys1 && b->sys2 == c->sys2;
        const bool turned = b->sys1 == c->sys2 && b->sys2 == c->sys1;
        if ((same || turned) && !is_same(t, b, c)) return true;
    }
    return false;
}

// per root: it has a loop of joints; two joints of one pair; rows that are no equalities; a joint
// that is open where its rows are, as in the middle of any step; a joint with a function of time
typedef struct island {
    bool loop, twice, mixed, open, timed;
} island;

static void mark_islands(const trial *t, int *up, int *tree, island *of)
{
    const int world = t->m->n_systems;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const int mover = candidate_mover(t, c);
        if (!c->active || !system_moves(t->m, mover)) continue;
        island *root = &of[island_root(up, mover)];
        root->mixed = root->mixed || candidate_cone(c) != PCS_CONE_EQUALITY;
        if (c->law.kind != PCS_LAW_EQUALITY) continue;
        root->open = root->open || step_at_middle(t, c) || is_open(t, c);
        root->timed = root->timed || c->timed;
        const int one = island_root(tree, system_moves(t->m, c->sys1) ? c->sys1 : world);
        const int two = island_root(tree, system_moves(t->m, c->sys2) ? c->sys2 : world);
        root->loop = root->loop || one == two;
        root->twice = root->twice || (one == two && joins_again(t, i));
        tree[two] = one;
    }
}

// True when the joints of a loop need rows where they are closed; joints are not closed at the
// value that a function of time has. Rows of two joints of a pair that are open by d have singular
// values of order d, which are far above rounding in a step of some mrad: as rows they lock what
// both leave free. A longer loop, as that of four bars, keeps most of its motion while it is open
static bool needs_closed(const candidates *list, const island *of)
{
    return of->mixed || list->disagree || (of->twice && of->open && !of->timed);
}

pcs_status step_find_loops(const trial *t, pcs_arena mem, candidates *list, bool *changed)
{
    const int n = t->m->n_systems;
    *changed = list->loops = false;
    if (t->m->n_interactions == 0) return PCS_OK;
    int *up = PCS_TAKE(&mem, (size_t)n, int), *tree = PCS_TAKE(&mem, (size_t)n + 1, int);
    island *of = PCS_TAKE(&mem, (size_t)n, island);
    if (!up || !tree || !of) return pcs_fail_memory("step: loops of joints");
    memset(of, 0, (size_t)n * sizeof *of);
    step_join_islands(t, up);
    for (int i = 0; i <= n; ++i) {
        tree[i] = i;
    }
    mark_islands(t, up, tree, of);
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        const int mover = candidate_mover(t, c);
        const bool joint = c->active && !c->held && c->law.kind == PCS_LAW_EQUALITY;
        const island *root =
            joint && system_moves(t->m, mover) ? &of[island_root(up, mover)] : NULL;
        const bool loop = root && root->loop, closes = loop && needs_closed(list, root);
        *changed = *changed || closes != c->closes;
        c->closes = closes;
        c->loop = loop && !closes;
        list->loops = list->loops || c->loop;
    }
    return PCS_OK;
}

// the set of these joints, without memory for more
static pcs_status take_set(candidates *list, bool timed, pcs_arena *mem, project_set *set)
{
    *set = (project_set){.row = PCS_TAKE(mem, (size_t)list->n, candidate *)};
    if (!set->row) return pcs_fail_memory("step: loops of joints");
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (c->closes && (timed || !c->timed)) project_add(set, c);
    }
    return PCS_OK;
}

// m: the gap to which joints are closed
static double closed_gap(const trial *t)
{
    const pcs_scheme *s = &t->m->scheme;
    const double part = s->projection == PCS_PROJECTION_NONE ? CLOSED_DRIFT : CLOSED;
    return fmin(part, CLOSED_PART * s->solver.tol) * t->size;
}

pcs_status step_close_loops(const trial *t, const double *q, candidates *list, pcs_arena *mem,
                            const double **closed)
{
    const pcs_model *m = t->m;
    *closed = q;
    double *moved = PCS_TAKE(mem, (size_t)m->nq, double);
    pcs_arena scratch = *mem;
    project_set set;
    PCS_TRY(take_set(list, false, &scratch, &set));
    if (!moved) return pcs_fail_memory("step: loops of joints");
    memcpy(moved, q, (size_t)m->nq * sizeof *q);
    trial there = *t;
    there.end.q = moved;
    there.proj_tol = closed_gap(t);
    pcs_step_report report = {0};
    PCS_TRY(project_joints(&there, &set, CLOSE_STEPS, scratch, moved, &report));
    const double most = fmax(CLOSE_LEFT * report.violation_before, there.proj_tol);
    if (report.projection_iters > 0 && report.violation_after <= most) *closed = moved;
    return PCS_OK;
}

// The terms of the joints may contradict rows that depend on each other: the rest of H v that the
// rule removes belongs to the rows at q_k. What the joints alone leave by least squares is removed
pcs_status step_agree_loops(const trial *t, const double *q, candidates *list, pcs_arena mem)
{
    project_set set;
    PCS_TRY(take_set(list, true, &mem, &set));
    double *g = PCS_TAKE(&mem, (size_t)set.rows, double);
    set.w = PCS_TAKE(&mem, (size_t)set.rows, double);
    set.kind = PCS_TAKE(&mem, (size_t)set.rows, pcs_cone);
    double *dq = PCS_TAKE(&mem, (size_t)t->m->nq, double);
    if (!g || !set.w || !set.kind || !dq) return pcs_fail_memory("step: loops of joints");
    for (int i = 0, k = 0; i < set.n; ++i) {
        const candidate *c = set.row[i];
        for (int j = 0; j < c->dim; ++j, ++k) {
            g[k] = (c->joint_shift ? c->joint_shift[j] : 0) + (c->drive ? c->drive[j] : 0);
            set.kind[k] = PCS_CONE_EQUALITY;
        }
    }
    trial there = *t;
    there.end.q = (double *)(uintptr_t)q;
    const pcs_solver_opts opts = project_options(&set, g, 0);
    pcs_report report;
    PCS_TRY(project_in_mass(&there, &set, g, &opts, mem, dq, &report));
    double square = 0;
    for (int k = 0; k < set.rows; ++k) {
        square += set.w[k] * set.w[k];
    }
    if (!(square > 0 && square <= list->joint_change)) return PCS_OK;
    for (int i = 0, k = 0; i < set.n; ++i) {
        const candidate *c = set.row[i];
        for (int j = 0; j < c->dim; ++j, ++k) {
            if (c->joint_shift) c->joint_shift[j] -= set.w[k];
        }
    }
    return PCS_OK;
}
