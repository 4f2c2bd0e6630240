// Projection of every overlap at q', on the features that face each other there: for dense scenes,
// where bodies rotate onto other features within a step. Each round
//
//     linearises the pairs that overlap by more than proj_tol, on their features at q', the joints,
//     and the pairs that close when these bodies move; moves the bodies
//     updates the pairs of bodies that have moved
//
// so that its cost depends on the bodies that move, not on the size of the scene. All joints can
// hold at once and get a much smaller tolerance than overlaps, as long as that makes progress.
// Bodies that stay wedged are moved without rotation: then features and normals do not change, and
// since a plane separates two convex shapes, their gaps are closed when the linearised rows are.
#include "step/project.h"
#include "step/skip.h"

#include <float.h>
#include <string.h>

#include <percuss/position.h>

enum {
    GROWTH = 8,   // a round adds pairs at most this many times
    ROTATING = 3, // rounds in which all bodies may rotate
    PATIENCE = 6, // rounds without progress before the projection stops
    SHORTER = 5   // halvings of a move
};

// one round of linearisation: `from` at there.st->q, to there.end.q
typedef struct round_set {
    trial there; // trial at the start of a round, with reach and turn of the last move
    pcs_state from;
    near_pairs *near;
    double tol;
    project_set set;
    int room; // memory for candidates in the set
    double *g, *dq;
} round_set;

// ---- violations ---------------------------------------------------------------------------------

// tolerance of joints relative to the smallest body, as long as a linearised problem leaves at most
// CLOSER of the violation
#define JOINT  1e-10
#define CLOSER 0.1

typedef struct violated {
    bool good;   // all violations are within proj_tol
    double open; // m: violation of the worst joint, if above that tolerance; else 0
} violated;

static double joint_tol(const trial *t)
{
    return fmin(t->proj_tol, JOINT * t->size);
}

// sets penetration and violation_after of the report, with its place
static pcs_status violation(const trial *t, const near_pairs *near, pcs_arena mem,
                            pcs_step_report *out, violated *v)
{
    out->penetration = out->violation_after = 0;
    *v = (violated){.good = true};
    for (int i = 0; i < near->n; ++i) {
        const near_pair *p = &near->pair[i];
        project_worst(p->depth, p->shape[0], p->shape[1], out);
        v->good = v->good && !near_overlaps(t, p);
    }
    out->penetration = out->violation_after;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction < 0) continue;
        const bool equal = c->law.kind == PCS_LAW_EQUALITY;
        PCS_TRY(candidate_gap(t->m, c, t->end.q, mem, c->g_end));
        const double tol = project_slack(t, t->proj_tol, c->pose1, c->pose2);
        const double fine = project_slack(t, joint_tol(t), c->pose1, c->pose2);
        for (int j = 0; j < candidate_gaps(c); ++j) {
            const double by = equal ? fabs(c->g_end[j]) : -c->g_end[j];
            project_worst(by, -1, c->interaction + 1, out);
            v->good = v->good && !(by > tol);
            if (equal && by > fine) v->open = fmax(v->open, by);
        }
    }
    return PCS_OK;
}

// ---- the linearised problem --------------------------------------------------------------------

static pcs_status make_room(round_set *r, int more, pcs_arena *mem)
{
    if (r->set.n + more <= r->room) return PCS_OK;
    r->room = r->set.n + more + r->room / 2 + 64;
    candidate **row = PCS_TAKE(mem, (size_t)r->room, candidate *);
    if (!row) return pcs_fail_memory("projection");
    if (r->set.n > 0) memcpy(row, r->set.row, (size_t)r->set.n * sizeof *row);
    r->set.row = row;
    return PCS_OK;
}

// adds the features of a pair at the start of the round
static pcs_status add_pair(round_set *r, near_pair *p, pcs_feature *f, int n, pcs_arena *mem)
{
    const pcs_model *m = r->there.m;
    PCS_TRY(make_room(r, n, mem));
    candidate *c = PCS_TAKE(mem, (size_t)n, candidate);
    if (!c) return pcs_fail_memory("projection");
    p->taken = true;
    for (int i = 0; i < n; ++i) {
        c[i] = (candidate){.interaction = -1, .dim = 1, .feature = &f[i]};
        candidate_join(m, &c[i], m->shape[p->shape[0]].system, m->shape[p->shape[1]].system);
        c[i].law = pcs_law_newton_impact(0);
        c[i].own[0] = near_gap(&r->there, p, &f[i], r->from.q);
        project_add(&r->set, &c[i]);
    }
    return PCS_OK;
}

static pcs_status add_interactions(round_set *r, pcs_arena *mem)
{
    const candidates *list = &r->there.list;
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (c->interaction < 0 || candidate_gaps(c) == 0) continue;
        PCS_TRY(make_room(r, 1, mem));
        project_add(&r->set, c);
    }
    return PCS_OK;
}

// adds the pairs that overlap, with their features nearer than margin
static pcs_status add_overlaps(round_set *r, double margin, pcs_arena *mem)
{
    for (int i = 0; i < r->near->n; ++i) {
        near_pair *p = &r->near->pair[i];
        p->taken = false;
        if (!near_overlaps(&r->there, p)) continue;
        pcs_feature *f;
        int n;
        PCS_TRY(near_features(&r->there, p, r->from.q, margin, mem, &f, &n));
        PCS_TRY(add_pair(r, p, f, n, mem));
    }
    return PCS_OK;
}

// true when the move has closed one of the features found at its start
static bool is_closed(const round_set *r, const near_pair *p, const pcs_feature *f, int n)
{
    for (int i = 0; i < n; ++i) {
        const double to = near_gap(&r->there, p, &f[i], r->there.end.q);
        if (to < -0.5 * r->tol && to < near_gap(&r->there, p, &f[i], r->from.q)) return true;
    }
    return false;
}

// adds the pairs that the move has closed
static pcs_status add_closed(round_set *r, pcs_arena *mem, int *added)
{
    const trial *t = &r->there;
    near_pairs *near = r->near;
    near->search += 1;
    *added = 0;
    for (int system = 0; system < t->m->n_systems; ++system) {
        if (t->reach[system] == 0) continue;
        for (int k = near->start[system]; k < near->start[system + 1]; ++k) {
            near_pair *p = &near->pair[near->at[k]];
            if (p->taken || p->seen == near->search) continue;
            p->seen = near->search;
            const double reach =
                step_reach(t, p->shape[0], p->shape[1]) + step_reach(t, p->shape[1], p->shape[0]);
            if (p->depth + reach < 0.5 * r->tol) continue;
            pcs_arena scope = *mem;
            pcs_feature *f;
            int n;
            PCS_TRY(near_features(t, p, r->from.q, reach, &scope, &f, &n));
            if (!is_closed(r, p, f, n)) continue;
            PCS_TRY(add_pair(r, p, f, n, &scope));
            *mem = scope;
            *added += 1;
        }
    }
    return PCS_OK;
}

// kinds, gaps and start of Lambda; rows of the last pass keep their Lambda
static pcs_status set_up(round_set *r, int rows_before, pcs_arena *mem)
{
    project_set *set = &r->set;
    const double *before = set->Lambda;
    set->kind = PCS_TAKE(mem, (size_t)set->rows, pcs_cone);
    set->Lambda = PCS_TAKE(mem, (size_t)set->rows, double);
    r->g = PCS_TAKE(mem, (size_t)set->rows, double);
    if (!set->kind || !set->Lambda || !r->g) return pcs_fail_memory("projection");
    memset(set->Lambda, 0, (size_t)set->rows * sizeof *set->Lambda);
    if (rows_before > 0) memcpy(set->Lambda, before, (size_t)rows_before * sizeof *before);
    for (int i = 0, at = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        const int rows = candidate_gaps(c);
        const bool equal = c->law.kind == PCS_LAW_EQUALITY;
        if (c->interaction < 0) {
            r->g[at] = c->own[0];
        } else {
            PCS_TRY(candidate_gap(r->there.m, c, r->from.q, *mem, r->g + at));
        }
        for (int j = 0; j < rows; ++j) {
            set->kind[at++] = equal ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        }
    }
    return PCS_OK;
}

// the worst joint of the set at q
static pcs_status worst_joint(const round_set *r, const double *q, pcs_arena mem, double *out)
{
    const project_set *set = &r->set;
    *out = 0;
    for (int i = 0, at = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        const int n = candidate_gaps(c);
        if (c->law.kind == PCS_LAW_EQUALITY) {
            PCS_TRY(candidate_gap(r->there.m, c, q, mem, c->g_end));
            *out = fmax(*out, pcs_position_violation(n, &set->kind[at], c->g_end));
        }
        at += n;
    }
    return PCS_OK;
}

// Solves the linearised problem at the start of the round, and moves; *good is false when q' is not
// finite. The move is halved when joints become worse than the worst violation before: this happens
// near positions at which their rows are dependent.
static pcs_status solve_and_move(round_set *r, pcs_arena mem, pcs_step_report *out, bool *good)
{
    const double tol = r->set.joints ? joint_tol(&r->there) : r->tol;
    const pcs_solver_opts opts = project_options(&r->set, r->g, tol);
    const size_t nq = (size_t)r->there.m->nq;
    trial at = r->there;
    at.end.q = r->from.q;
    pcs_outcome outcome;
    PCS_TRY(project_linear(&at, &r->set, r->g, &opts, mem, r->dq, out, &outcome));
    const double before = pcs_position_violation(r->set.rows, r->set.kind, r->g);
    for (int k = 0;; ++k) {
        memcpy(r->there.end.q, r->from.q, nq * sizeof(double));
        *good = project_move(r->there.m, r->dq, r->there.end.q);
        if (!*good || !r->set.joints || k == SHORTER) break;
        double after;
        PCS_TRY(worst_joint(r, r->there.end.q, mem, &after));
        if (!(after > before)) break;
        for (size_t i = 0; i < nq; ++i) {
            r->dq[i] *= 0.5;
        }
    }
    if (*good) near_bound_motion(&r->there);
    return PCS_OK;
}

// ---- rounds ------------------------------------------------------------------------------------

static pcs_status one_round(const trial *t, near_pairs *near, const bool *translated, bool local,
                            int round, double margin, pcs_arena mem, double *q,
                            pcs_step_report *out, bool *good)
{
    const pcs_model *m = t->m;
    round_set r = {.there = *t, .from = *t->st, .near = near, .tol = t->proj_tol};
    r.set.translated = translated;
    r.from.q = PCS_TAKE(&mem, (size_t)m->nq, double);
    r.dq = PCS_TAKE(&mem, (size_t)m->nq, double);
    r.there.reach = PCS_TAKE(&mem, 2 * (size_t)m->n_systems, double);
    if (!r.from.q || !r.dq || !r.there.reach) return pcs_fail_memory("projection");
    memcpy(r.from.q, q, (size_t)m->nq * sizeof(double));
    memset(r.there.reach, 0, 2 * (size_t)m->n_systems * sizeof(double));
    r.there.turn = r.there.reach + m->n_systems;
    r.there.st = &r.from;
    r.there.end.q = q;

    if (local) {
        trial at = r.there;
        at.end.q = r.from.q;
        PCS_TRY(project_around(&at, near, translated, round, margin, mem, q, out, good));
        if (!*good) return PCS_OK;
        near_bound_motion(&r.there);
        return near_update(&r.there, near, mem);
    }
    PCS_TRY(add_interactions(&r, &mem));
    PCS_TRY(add_overlaps(&r, margin, &mem));
    int added = 1;
    for (int pass = 0, rows = 0; added > 0 && pass < GROWTH; ++pass) {
        // at least one move
        pcs_outcome end;
        if (pass > 0 && step_over(t->work, 1, &end)) break;
        PCS_TRY(set_up(&r, rows, &mem));
        PCS_TRY(solve_and_move(&r, mem, out, good));
        if (!*good) return PCS_OK;
        rows = r.set.rows;
        PCS_TRY(add_closed(&r, &mem, &added));
    }
    return near_update(&r.there, near, mem);
}

// bodies without joints in pairs that still overlap no longer rotate
static void stop_rotation(const trial *t, const near_pairs *near, bool *translated)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < near->n; ++i) {
        const near_pair *p = &near->pair[i];
        if (!near_overlaps(t, p)) continue;
        for (int side = 0; side < 2; ++side) {
            const int system = m->shape[p->shape[side]].system;
            if (system_moves(m, system)) translated[m->system[system].block] = true;
        }
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction < 0) continue;
        if (system_moves(m, c->sys1)) translated[m->system[c->sys1].block] = false;
        if (system_moves(m, c->sys2)) translated[m->system[c->sys2].block] = false;
    }
}

static bool left_the_list(const trial *t, const near_pairs *near)
{
    for (int i = 0; i < t->m->n_systems; ++i) {
        if (near->path[i] > near->margin) return true;
    }
    return false;
}

// searches all pairs again at the current positions
static pcs_status search_again(const trial *t, double margin, pcs_arena *mem, near_pairs *near)
{
    touches over;
    PCS_TRY(step_find(t, t->end.q, 0, false, NULL, mem, &over));
    return near_find(t, &over, margin, mem, near);
}

// the deepest overlap: of the features found at q' or, where no search was made, of the contacts.
// At a ridge it is the lesser one of both faces, that of the first
static double deepest(const trial *t, const touches *over, candidates *list)
{
    const pcs_model *m = t->m;
    double out = 0;
    feature_pose at[2] = {0};
    for (int i = 0; t->list.clear && i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction >= 0) continue;
        contact_end_gap(t, &list->c[i], at);
        if (!c->other_face && -c->g_end[0] > out) out = -c->g_end[0];
    }
    for (int k = 0; k < over->n; ++k) {
        const int *pair = over->pair[over->pair_of[k]];
        pcs_gap gap;
        pcs_feature_gap(&over->f[k], system_q(m, m->shape[pair[0]].system, t->end.q),
                        system_q(m, m->shape[pair[1]].system, t->end.q), &gap);
        if (-gap.g > out) out = -gap.g; // fmax of 0 and -0 may be -0
    }
    return out;
}

// true when overlaps can be projected by project_around
static bool may_be_local(const trial *t)
{
    if (t->m->scheme.metric != PCS_METRIC_MASS || t->m->n_carried > 0) return false;
    for (int i = 0; i < t->list.n; ++i) {
        if (t->list.c[i].interaction >= 0) return false;
    }
    return true;
}

static pcs_status rounds(const trial *t, near_pairs *near, double first, pcs_arena *mem, double *q,
                         pcs_step_report *out, violated *v)
{
    const pcs_model *m = t->m;
    bool *translated = PCS_TAKE(mem, (size_t)m->n_blocks, bool), good = true;
    if (!translated) return pcs_fail_memory("projection");
    memset(translated, 0, (size_t)m->n_blocks * sizeof *translated);
    const bool simple = may_be_local(t);
    bool thorough = false;
    double now = first, best = INFINITY;
    for (int round = 0, since = 0;; ++round) {
        const double before = now;
        PCS_TRY(violation(t, near, *mem, out, v));
        now = out->violation_after;
        if (v->good) {
            out->projection_outcome = PCS_OUTCOME_CONVERGED;
            return PCS_OK;
        }
        since = now > 0.9 * best ? since + 1 : 0;
        best = fmin(best, now);
        out->projection_outcome = since >= PATIENCE ? PCS_OUTCOME_STALLED : PCS_OUTCOME_MAX_ITERS;
        if (since >= PATIENCE || round >= m->scheme.proj_max) return PCS_OK;
        // at least one round: overlaps that stay make the next steps dearer
        if (round > 0 && step_over(t->work, 1, &out->projection_outcome)) return PCS_OK;
        if (round >= ROTATING) stop_rotation(t, near, translated);
        // few sweeps over single rows are not always enough
        const bool slow = round > ROTATING && out->projection_solve != PCS_OUTCOME_CONVERGED &&
                          now > 0.5 * before;
        thorough = thorough || slow;
        PCS_TRY(one_round(t, near, round >= ROTATING ? translated : NULL, simple && !thorough,
                          round, 2 * now + t->proj_tol, *mem, q, out, &good));
        if (!good) {
            out->projection_outcome = PCS_OUTCOME_DIVERGED;
            return PCS_OK;
        }
        if (left_the_list(t, near)) PCS_TRY(search_again(t, 2 * near->margin, mem, near));
    }
}

// Projects joints to the smaller tolerance, as long as each linearised problem converges as
// Newton's method does with independent rows. With dependent rows bodies would move far without
// benefit: then the joints stay as they are.
static pcs_status tighten(const trial *t, near_pairs *near, violated v, pcs_arena mem, double *q,
                          pcs_step_report *out)
{
    const size_t nq = (size_t)t->m->nq;
    double *kept = PCS_TAKE(&mem, nq, double);
    if (!kept) return pcs_fail_memory("projection");
    pcs_outcome end;
    while (v.open > 0 && !step_over(t->work, 1, &end)) {
        const pcs_step_report before = *out;
        const double open = v.open;
        bool good;
        memcpy(kept, q, nq * sizeof *kept);
        PCS_TRY(one_round(t, near, NULL, false, 0, 2 * open + t->proj_tol, mem, q, out, &good));
        if (good && left_the_list(t, near)) PCS_TRY(search_again(t, near->margin, &mem, near));
        if (good) PCS_TRY(violation(t, near, mem, out, &v));
        if (good && v.good && v.open <= CLOSER * open) continue;
        memcpy(q, kept, nq * sizeof *kept);
        out->penetration = before.penetration;
        out->violation_after = before.violation_after;
        out->violation_one = before.violation_one;
        out->violation_two = before.violation_two;
        return PCS_OK;
    }
    return PCS_OK;
}

static pcs_status close_all(const trial *t, bool good, near_pairs *near, violated v, pcs_arena mem,
                            double *q, pcs_step_report *out)
{
    if (!good) PCS_TRY(rounds(t, near, out->violation_before, &mem, q, out, &v));
    if (out->projection_outcome != PCS_OUTCOME_CONVERGED) return project_conflicts(t, mem, out);
    return tighten(t, near, v, mem, q, out);
}

// a skipped body that was moved is not skipped
static pcs_status touch_moved(const trial *t)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        const size_t size = (size_t)s->nq * sizeof(double);
        if (!skips(t, i)) continue;
        if (memcmp(t->end.q + s->q_at, t->st->q + s->q_at, size) != 0) return skip_touch(t, i);
    }
    return PCS_OK;
}

pcs_status step_project_overlaps(const trial *t, pcs_arena mem, candidates *list, double *q,
                                 pcs_step_report *out)
{
    touches over = {0};
    if (t->list.over_known) over = t->list.over;
    if (!t->list.over_known && !t->list.clear)
        PCS_TRY(step_find(t, t->end.q, 0, false, NULL, &mem, &over));
    double deep = deepest(t, &over, list);
    if (t->skipped) deep = fmax(deep, t->work->skip.end);
    violated v;
    near_pairs near = {0};
    PCS_TRY(violation(t, &near, mem, out, &v));
    out->penetration = deep;
    out->violation_before = out->violation_after = fmax(deep, out->violation_after);
    out->projection_outcome = PCS_OUTCOME_CONVERGED;
    list->projected = true;
    const bool good = v.good && deep <= t->proj_tol;
    list->gaps_known = t->list.clear && good && v.open == 0;
    if (good && v.open == 0) return PCS_OK;
    trial whole = *t;
    whole.skipped = NULL;
    if (t->list.clear || t->skipped) {
        PCS_TRY(step_find(&whole, t->end.q, 0, false, NULL, &mem, &over));
    }
    PCS_TRY(near_find(&whole, &over, 2 * deep + t->proj_tol, &mem, &near));
    PCS_TRY(close_all(&whole, good, &near, v, mem, q, out));
    return t->skipped ? touch_moved(t) : PCS_OK;
}
