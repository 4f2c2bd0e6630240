// Confirms contacts: a contact may act only where its shapes meet.
//
// The row of a contact that is apart at q_k keeps its body out of a half-space. A body that passes
// beside the other one may enter this half-space without a collision. So if such a row has an
// impulse, the path of the step without this impulse is followed (path.c):
//
//   R(v_c) = H^T r - H_c^T r_c,   c: the contacts that are apart and not yet proven
//
// (v_c = v' - A^-1 H_c^T r_c where R is linear), where joints answer the impulses that are left
// (jointed.c): a path turns no body that its joints hold. Contacts whose shapes meet on these paths
// are proven: their impulses are added again, and the other contacts are tested again. At the end
// all others are refuted and take no part in the step. Shapes meet where they overlap by the slop,
// which the projection may leave: there the closest features are those with which the bodies
// collide, whichever edge touches first. The impulses of floors and joints answer those of the
// contacts in question: without the push of a beam that a body passes under, that of its floor
// would lift the body to the beam. So the shapes must also come within the slop of each other on
// the paths of their bodies with joints, closed at their ends, and other contacts, solved again
// without those in question. Other bodies keep v' there; but where contacts in question rebound v'
// says nothing about these, and those that hold the pair are solved with it.
//
// If no row of the pair has the normal of the closest features, rows at that pose replace those at
// q_k. Where other contacts guide the bodies the pose is one of these paths, if the shapes overlap
// there: on the first ones a floor has turned its body by what it answered. The rows have the gap
//
//   g = g(s) - s h u_N(v_c)
//
// along the normal of the meeting, or, where this is negative, the least gap of the pair at q_k:
// the row is linear in a rotation by s h omega, and bodies that are apart come to their surfaces.
// If the normals differ much, the law acts at once, as with e > 0: otherwise the body would be past
// the edge when the gap closes, and keep the speed -g / h towards a surface that it has left.
//
// Contacts of the predictive rule keep their rows: they are proven where their shapes touch.
//
// Contacts on inner edges of a floor are refuted too, apart or closed (inner.c).
#include "step/confirm.h"

#include <float.h>
#include <string.h>

#include "collide/collide.h"
#include "cone/cone.h"
#include "linalg/m3.h"
#include "step/guided.h"
#include "step/jointed.h"
#include "step/path.h"

// relative to the size of a shape: largest closed gap at q_k of shapes that pressed on each other
// in the last step
#define PRESSED 1e-4

// 1 - cos of angles between normals: beyond 1e-2 rad a row belongs to another collision; beyond
// 0.03 rad to another place, which the body has left when the gap closes; beyond 0.1 rad to another
// side of a body
#define OTHER_HIT   5e-5
#define OTHER_PLACE 5e-4
#define OTHER_SIDE  5e-3

// relative to the size of a pair: paths are followed for pairs that rotate further
#define FAR 0.1

// shapes that touch at the end of a step are followed to this multiple of it
#define LATEST 2

// contacts [begin, end) of the list, all of one pair of shapes
typedef struct run {
    int begin, end;
    bool open; // neither proven nor refuted
    int seen;  // number of changes of its paths at the last test
} run;

typedef struct confirming {
    const trial *t;
    candidates *list;
    int n;
    run *run;
    double *v;    // velocities of the paths
    double *p;    // impulses that give them
    int *changes; // number of changes of v, per moving system
    jointed joints;
    int changed; // runs refuted or added
    guides guides;
} confirming;

// ---- lengths -----------------------------------------------------------------------------------

static double size_of(const pcs_model *m, const candidate *c)
{
    const double one = shape_radius(&m->shape[c->key.shape1].shape);
    const double two = shape_radius(&m->shape[c->key.shape2].shape);
    if (one == 0 || two == 0) return fmax(one, two); // a half-space has none
    return fmin(one, two);
}

double contact_slop(const trial *t, const candidate *c)
{
    const double least = fmax(CLOSED * size_of(t->m, c), t->hold);
    return t->m->scheme.projection == PCS_PROJECTION_NONE ? least : fmax(t->proj_tol, least);
}

// ---- runs --------------------------------------------------------------------------------------

bool contact_takes_part(const trial *t, const candidate *c)
{
    (void)t;
    return c->interaction < 0 && c->active && !c->refuted;
}

bool contact_of_spheres(const trial *t, const candidate *c)
{
    return c->interaction < 0 && t->m->shape[c->key.shape1].shape.kind == PCS_SHAPE_SPHERE &&
           t->m->shape[c->key.shape2].shape.kind == PCS_SHAPE_SPHERE;
}

static bool pushes(const trial *t, const candidate *c)
{
    return contact_takes_part(t, c) && c->at >= 0 && t->solution.r[c->at] > 0;
}

// True when an impulse changes the speed of a body by more than the error of the solver. With much
// friction the normal part may be noise while the tangential one is not.
static bool pushes_hard(const trial *t, const candidate *c)
{
    if (!pushes(t, c)) return false;
    const double *r = t->solution.r + c->at;
    const double tangent = c->dim > 1 ? cone_tangent(c->dim, r) / CONE_STEEP : 0;
    const double push = r[0] > tangent ? r[0] : tangent, tol = t->h * t->list.noise;
    const int sys[2] = {c->sys1, c->sys2};
    for (int side = 0; side < 2; ++side) {
        if (!system_moves(t->m, sys[side])) continue;
        const model_system *s = &t->m->system[sys[side]];
        if (t->h * push > tol * s->mass * t->reach[sys[side]]) return true;
    }
    return false;
}

static bool of_one_pair(const candidate *a, const candidate *b)
{
    return b->interaction < 0 && a->key.shape1 == b->key.shape1 && a->key.shape2 == b->key.shape2;
}

// The end of the run that starts at i. Contacts added later are runs of their own: which pair is
// the last one found at the start depends on what sleeps
static int run_end(const candidates *list, int i)
{
    int end = i + 1;
    while (end < list->n && end != list->n_start && of_one_pair(&list->c[i], &list->c[end])) {
        candidates_fetch(list, end);
        ++end;
    }
    return end;
}

// the least gap of the pair at q_k; that of the second face of a ridge may be less
static double nearest(const trial *t, const run *r)
{
    double least = INFINITY;
    for (int i = r->begin; i < r->end; ++i) {
        if (i > r->begin && t->list.c[i].other_face) continue;
        const double g = t->list.c[i].g[0];
        least = g < least ? g : least;
    }
    return least;
}

static bool is_apart(const trial *t, const run *r)
{
    const double closed = CLOSED * size_of(t->m, &t->list.c[r->begin]);
    return nearest(t, r) > fmax(closed, step_closed_gap(&t->m->scheme));
}

// true when the bodies pressed on each other in the last step and are still closed
static bool is_pressed(const trial *t, const run *r)
{
    const candidate *c = &t->list.c[r->begin];
    const double near = fmax(PRESSED * size_of(t->m, c), t->hold);
    return nearest(t, r) <= near && state_pressed_pair(t->st, c->key);
}

// True when the pair has an impulse that must be confirmed. If the velocities are not solved, any
// contact that is apart may have one.
static bool is_in_question(const trial *t, bool solved, const run *r)
{
    bool asked = false;
    if (!(nearest(t, r) > step_closed_gap(&t->m->scheme))) return false; // most end here
    for (int i = r->begin; i < r->end; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->proven) return false;
        asked = asked || (solved ? pushes_hard(t, c) : contact_takes_part(t, c));
    }
    return asked && is_apart(t, r) && !is_pressed(t, r);
}

static pcs_status find_runs(confirming *f, bool solved, pcs_arena *mem)
{
    const candidates *list = &f->t->list;
    int n = 0;
    for (int i = 0; i < list->n; i = run_end(list, i)) {
        if (list->c[i].interaction >= 0) continue;
        const run r = {.begin = i, .end = run_end(list, i)};
        n += is_in_question(f->t, solved, &r);
    }
    f->run = PCS_TAKE(mem, (size_t)n, run);
    if (!f->run) return pcs_fail_memory("step: contacts");
    for (int i = 0; i < list->n && f->n < n; i = run_end(list, i)) {
        if (list->c[i].interaction >= 0) continue;
        const run r = {.begin = i, .end = run_end(list, i), .open = true, .seen = -1};
        if (is_in_question(f->t, solved, &r)) f->run[f->n++] = r;
    }
    return PCS_OK;
}

// ---- paths -------------------------------------------------------------------------------------

// marks the contacts of the runs as those in question
static void ask(confirming *f)
{
    for (int k = 0; k < f->n; ++k) {
        for (int i = f->run[k].begin; i < f->run[k].end; ++i) {
            f->guides.asked[i] = true;
        }
    }
}

// the velocities that f->p gives block b, and the blocks that joints connect with it
static pcs_status set_velocity(confirming *f, int b, pcs_arena mem)
{
    jointed *j = &f->joints;
    const int g = jointed_group(j, b);
    if (g < 0) f->changes[b] += 1;
    for (int k = g < 0 ? 0 : j->start[g]; g >= 0 && k < j->start[g + 1]; ++k) {
        f->changes[j->block[k]] += 1;
    }
    return jointed_velocity(f->t, j, b, mem, f->p, f->v);
}

// those of all groups that have got impulses
static pcs_status set_pushed(confirming *f, pcs_arena mem)
{
    const jointed *j = &f->joints;
    for (int g = 0; g < j->n; ++g) {
        if (j->pushed[g]) PCS_TRY(set_velocity(f, j->block[j->start[g]], mem));
    }
    return PCS_OK;
}

// The paths without the impulses of the runs. All other impulses are summed: contacts that do not
// exist may oppose each other with impulses of any size, and a difference would be rounding.
static pcs_status start_paths(confirming *f, pcs_arena mem)
{
    const trial *t = f->t;
    const size_t rows = (size_t)t->solution.rows;
    double *r = PCS_TAKE(&mem, rows, double);
    if (!r) return pcs_fail_memory("step: contacts");
    memcpy(r, t->solution.r, rows * sizeof *r);
    for (int k = 0; k < f->n; ++k) {
        for (int i = f->run[k].begin; i < f->run[k].end; ++i) {
            const candidate *c = &t->list.c[i];
            if (pushes(t, c)) memset(r + c->at, 0, (size_t)c->dim * sizeof *r);
        }
    }
    bodies_impulses(&t->solution.problem, r, f->p);
    memcpy(f->v, t->end.v, (size_t)t->m->nv * sizeof *f->v);
    memset(f->changes, 0, (size_t)t->m->n_blocks * sizeof *f->changes);
    for (int k = 0; k < f->n; ++k) {
        for (int side = 0; side < 2; ++side) {
            const int b = t->list.k[f->run[k].begin].sys[side];
            if (b >= 0 && f->changes[b] == 0) PCS_TRY(set_velocity(f, b, mem));
        }
    }
    return PCS_OK;
}

// adds the impulses of a run to the paths; those of a group follow with set_pushed
static pcs_status add_impulses(confirming *f, const run *r, pcs_arena mem)
{
    const trial *t = f->t;
    const int *sys = t->list.k[r->begin].sys;
    for (int i = r->begin; i < r->end; ++i) {
        const candidate *c = &t->list.c[i];
        if (pushes(t, c)) {
            bodies_block_impulse(&t->list.k[i], t->m->block_start, t->rotation,
                                 t->solution.r + c->at, f->p);
        }
    }
    for (int side = 0; side < 2; ++side) {
        const int g = sys[side] < 0 ? -1 : jointed_group(&f->joints, sys[side]);
        if (g >= 0) f->joints.pushed[g] = true;
        if (sys[side] >= 0 && g < 0) PCS_TRY(set_velocity(f, sys[side], mem));
    }
    return PCS_OK;
}

// true when a row that takes part has a normal within 1 - cos of that of feature `f` at the meeting
static bool has_row(const trial *t, const run *r, const pair_meeting *m, const pcs_feature *f,
                    double within)
{
    pcs_gap gap;
    pcs_feature_gap(f, m->path1.q ? m->q1 : NULL, m->path2.q ? m->q2 : NULL, &gap);
    for (int i = r->begin; i < r->end; ++i) {
        if (!contact_takes_part(t, &t->list.c[i])) continue;
        if (v3_dot(t->list.k[i].F, gap.N) >= 1 - within) return true;
    }
    return false;
}

static void refute(confirming *f, const run *r)
{
    for (int i = r->begin; i < r->end; ++i) {
        candidate *c = &f->list->c[i];
        c->refuted = true;
        c->active = false;
        c->at = -1;
    }
    f->changed += 1;
}

// adds rows of the second face of a ridge that meets; they wait as those of a ridge that touches
static pcs_status add_ridge(confirming *f, const pair_meeting *m, const double *v, meeting_row row,
                            pcs_arena *mem)
{
    const pcs_model *model = f->t->m;
    const candidate pair = {.key = {m->shape1, m->shape2, 0}};
    pcs_feature *all = PCS_TAKE(mem, 3 * PCS_FEATURES_MAX, pcs_feature);
    if (!all) return pcs_fail_memory("step: contacts");
    if (m->n > PCS_FEATURES_MAX) return PCS_OK; // of a surface
    memcpy(all, m->f, (size_t)m->n * sizeof *all);
    const int n = collide_ridge(&model->shape[m->shape1].shape, m->path1.q ? m->q1 : NULL,
                                &model->shape[m->shape2].shape, m->path2.q ? m->q2 : NULL,
                                contact_slop(f->t, &pair), m->n, 3 * PCS_FEATURES_MAX, all);
    for (int i = m->n; i < n; ++i) {
        PCS_TRY(step_add_meeting(f->t, m, &all[i], v, row, mem, f->list));
        candidate *c = &f->list->c[f->list->n - 1];
        c->other_face = true;
        c->active = false;
    }
    return PCS_OK;
}

// adds rows at the meeting
static pcs_status add_meeting(confirming *f, const pair_meeting *m, const double *v,
                              meeting_row row, pcs_arena *mem)
{
    for (int i = 0; i < m->n; ++i) {
        PCS_TRY(step_add_meeting(f->t, m, &m->f[i], v, row, mem, f->list));
    }
    PCS_TRY(add_ridge(f, m, v, row, mem));
    f->changed += 1;
    return PCS_OK;
}

// true when a path of a run does not keep the joints of its body
static bool is_loose(const confirming *f, const run *r)
{
    const int *sys = f->t->list.k[r->begin].sys;
    for (int side = 0; side < 2; ++side) {
        const int g = sys[side] < 0 ? -1 : jointed_group(&f->joints, sys[side]);
        if (g >= 0 && f->joints.loose[g]) return true;
    }
    return false;
}

// *other: no row of a run has the normal of a meeting m with overlap
static pcs_status is_other(const confirming *f, const run *r, const pair_meeting *m, pcs_arena mem,
                           bool *other)
{
    *other = !has_row(f->t, r, m, &m->f[0], OTHER_HIT);
    if (!*other) return PCS_OK;
    // a row with the normal of the first touch stays: crossed edges keep this normal in overlap
    pair_meeting touch = *m;
    PCS_TRY(path_meet(f->t, 0, &mem, &touch));
    *other = !touch.meets || !has_row(f->t, r, &touch, &touch.f[0], OTHER_HIT);
    return PCS_OK;
}

// Where the paths of shapes that touch at m end before these overlap by the slop: m, the place on
// the continued paths where they do, if *overlap: they reach it soon
static pcs_status meet_late(const trial *t, const candidate *c, const double *v, pcs_arena *mem,
                            pair_meeting *m, bool *overlap)
{
    pcs_gap gap;
    double apart[3];
    pair_meeting later;
    pcs_feature_gap(&m->f[0], m->path1.q ? m->q1 : NULL, m->path2.q ? m->q2 : NULL, &gap);
    v3_sub(m->path1.d, m->path2.d, apart);
    const double closing = -v3_dot(gap.N, apart), slop = contact_slop(t, c);
    const double longer = closing > 0 ? m->s + 2 * slop / closing : INFINITY;
    if (!(longer <= LATEST)) return PCS_OK;
    PCS_TRY(path_of_pair(t, c, v, *mem, &later));
    for (int k = 0; k < 6; ++k) {
        later.path1.d[k] *= longer;
        later.path2.d[k] *= longer;
    }
    PCS_TRY(path_meet(t, slop, mem, &later));
    *overlap = later.meets;
    later.s *= longer;
    if (later.meets) *m = later;
    return PCS_OK;
}

// True when the shapes of a run meet on their paths: they overlap by the slop, or, if the paths end
// before that, touch on the side of the rows. What touches so late has the normal of the overlap
// that follows.
static pcs_status prove(confirming *f, run *r, pcs_arena *mem)
{
    const trial *t = f->t;
    const candidate *c = &t->list.c[r->begin];
    pcs_arena before = *mem;
    pair_meeting m, there = {.meets = false};
    PCS_TRY(path_of_pair(t, c, f->v, *mem, &m));
    const bool predicted = t->rule == PCS_ACTIVATION_PREDICTIVE;
    PCS_TRY(path_meet(t, predicted ? 0 : contact_slop(t, c), mem, &m));
    if (predicted && !m.meets) return PCS_OK;
    bool overlap = m.meets, meets = true, other = false;
    if (!m.meets) {
        PCS_TRY(path_meet(t, 0, mem, &m));
        if (!m.meets || !has_row(t, r, &m, &m.f[0], OTHER_SIDE)) return PCS_OK;
        PCS_TRY(meet_late(t, c, f->v, mem, &m, &overlap));
    }
    double margin = 0;
    guided *g = predicted ? NULL : guides_enter(&f->guides, r->begin, r->end, &margin);
    if (g) PCS_TRY(guides_meet(&f->guides, g, r->begin, margin, *mem, &meets));
    if (g && meets && guided_by_contacts(g)) {
        // floors have turned the body on the first path with what they answered the run
        PCS_TRY(path_of_pair(t, c, f->v, *mem, &there));
        PCS_TRY(path_meet(t, contact_slop(t, c), mem, &there));
        if (there.meets) m = there;
        overlap = overlap || there.meets;
    }
    if (g && !there.meets) {
        guides_leave(&f->guides, g);
        g = NULL;
    }
    // rows at a pose that the joints forbid would be those of another place
    if (meets && overlap && !predicted && !is_loose(f, r)) {
        PCS_TRY(is_other(f, r, &m, *mem, &other));
    }
    // the gaps of its rows follow from the path to the meeting, which has no impulse of the run
    if (other) {
        const bool at_once = !has_row(t, r, &m, &m.f[0], OTHER_PLACE);
        PCS_TRY(add_meeting(f, &m, f->v, at_once ? MEETING_AT_ONCE : MEETING_PLAIN, mem));
    }
    if (g) guides_leave(&f->guides, g);
    if (!other) *mem = before;
    if (!meets) return PCS_OK;
    r->open = false;
    for (int i = r->begin; i < r->end; ++i) {
        f->list->c[i].proven = f->list->c[i].holds = true;
        f->guides.asked[i] = false;
    }
    PCS_TRY(add_impulses(f, r, *mem));
    if (other) refute(f, r);
    return PCS_OK;
}

static int changes_of(const confirming *f, const run *r)
{
    int sum = 0;
    for (int side = 0; side < 2; ++side) {
        const int b = f->t->list.k[r->begin].sys[side];
        if (b >= 0) sum += f->changes[b];
    }
    return sum;
}

// proves runs until no other can be proven, and refutes the rest
static pcs_status test_paths(confirming *f, pcs_arena *mem)
{
    PCS_TRY(start_paths(f, *mem));
    for (bool again = true; again;) {
        again = false;
        PCS_TRY(set_pushed(f, *mem));
        for (int k = 0; k < f->n; ++k) {
            run *r = &f->run[k];
            const int changes = changes_of(f, r);
            if (!r->open || r->seen == changes) continue;
            r->seen = changes;
            PCS_TRY(prove(f, r, mem));
            again = again || !r->open;
        }
    }
    for (int k = 0; k < f->n; ++k) {
        if (f->run[k].open) refute(f, &f->run[k]);
    }
    return PCS_OK;
}

// ---- contacts refuted or not predicted that the step meets --------------------------------------

// true when rotation moves the surfaces of a pair by more than a tenth of its size
static bool turns_far(const trial *t, const candidate *c, pcs_arena mem)
{
    pair_meeting m;
    if (path_of_pair(t, c, t->end.v, mem, &m) != PCS_OK) return false;
    return path_rotation(t, &m) > FAR * size_of(t->m, c);
}

// true when every row of a run stays open on the path of the step, without rotation
static bool stays_open(const trial *t, const run *r)
{
    for (int i = r->begin; i < r->end; ++i) {
        const candidate *c = &t->list.c[i];
        double u[3];
        if (c->other_face) continue; // the bodies may pass it
        candidate_velocity(t, i, t->end.v, c->drive, u);
        if (c->g[0] + t->h * u[0] < 0) return false;
    }
    return true;
}

// True when the path of a pair must be followed because its rows do not describe it: none is active
// (refuted before, or not predicted to close), or the bodies rotate too far for linear rows.
static bool is_left_alone(const trial *t, const run *r, pcs_arena mem)
{
    bool active = false, proven = false;
    for (int i = r->begin; i < r->end; ++i) {
        active = active || t->list.c[i].active;
        proven = proven || t->list.c[i].proven;
    }
    if (turns_far(t, &t->list.c[r->begin], mem)) return active || !proven;
    return !active && !proven && !stays_open(t, r);
}

// A contact that rebounds has its impact in the next step, unless the body has passed it by then:
// deep in the other one, or on another side of it.
static pcs_status may_wait(const trial *t, const candidate *c, pair_meeting m, pcs_arena mem,
                           bool *waits)
{
    *waits = false;
    if (!step_restores(t, &c->law)) return PCS_OK;
    pcs_gap here, gap;
    pcs_feature_gap(&m.f[0], m.path1.q ? m.q1 : NULL, m.path2.q ? m.q2 : NULL, &here);
    if (m.path1.q) path_pose(&m.path1, 1, m.q1);
    if (m.path2.q) path_pose(&m.path2, 1, m.q2);
    const double *q1 = m.path1.q ? m.q1 : NULL, *q2 = m.path2.q ? m.q2 : NULL;
    PCS_TRY(pair_features(t->m, m.shape1, m.shape2, q1, q2, 0, &mem, &m.f, &m.n));
    if (m.n == 0) return PCS_OK;
    pcs_feature_gap(&m.f[0], q1, q2, &gap);
    const double deep = (contact_of_spheres(t, c) ? 1 : 0.5) * size_of(t->m, c);
    *waits = gap.g > -deep && v3_dot(gap.N, here.N) > 0;
    return PCS_OK;
}

// true when contacts of the pair of c were added from place `from` on
static bool was_added(const trial *t, const candidate *c, int from)
{
    for (int k = from; k < t->list.n; ++k) {
        if (of_one_pair(c, &t->list.c[k])) return true;
    }
    return false;
}

// True when rows at the meetings of a pair do not hold it: it had some in the last pass, and none
// of them pushes. They are linear in a rotation of some radians.
static bool rows_are_lost(const trial *t, const candidate *c)
{
    bool any = false;
    for (int k = t->list.n_start; k < t->list.n; ++k) {
        const candidate *added = &t->list.c[k];
        if (!of_one_pair(c, added) || !added->proven) continue;
        if (pushes(t, added)) return false;
        any = true;
    }
    return any;
}

// Per system a bound on the motion of its surface along the path of the step, with the error of a
// gap; null where gaps may change faster than shapes move, or where every path must be followed
static pcs_status bound_paths(const trial *t, pcs_arena *mem, double **out)
{
    const pcs_model *m = t->m;
    *out = NULL;
    if (t->work->always_searches || !step_bounds_gaps(m)) return PCS_OK;
    double *far = PCS_TAKE(mem, (size_t)m->n_systems, double);
    if (!far) return pcs_fail_memory("step: contacts");
    for (int s = 0; s < m->n_systems; ++s) {
        body_path p = {.q = NULL};
        far[s] = INFINITY;
        if (skips(t, s)) continue;
        if (m->system[s].kind == SYSTEM_BODY || is_carried(m, s)) {
            PCS_TRY(path_of(t, s, t->end.v, *mem, &p));
        }
        if (!p.q) continue;
        const double l = m->system[s].reach, at = fabs(p.q[0]) + fabs(p.q[1]) + fabs(p.q[2]);
        far[s] = v3_norm(p.d) + v3_norm(p.d + 3) * l + 1e-11 * l + 16 * DBL_EPSILON * at;
    }
    *out = far;
    return PCS_OK;
}

// true when a pair that was found at the start of the step cannot overlap by more than half of its
// slop on the paths of the step: its gap changes by no more than its shapes move
static bool cannot_meet(const trial *t, const double *far, const run *r)
{
    const candidate *c = &t->list.c[r->begin];
    if (!far || r->begin >= t->list.n_start) return false;
    double left = nearest(t, r);
    if (c->pose1 >= 0) left -= far[c->pose1];
    if (c->pose2 >= 0) left -= far[c->pose2];
    const double slop = t->m->scheme.projection == PCS_PROJECTION_NONE ? 0 : t->proj_tol;
    return left >= -0.5 * fmax(t->hold, slop); // contact_slop is no less
}

static pcs_status find_tunnels(confirming *f, pcs_arena *mem)
{
    const trial *t = f->t;
    const int n = t->list.n;
    double *far;
    PCS_TRY(bound_paths(t, mem, &far));
    for (int i = 0; i < n; i = run_end(&t->list, i)) {
        const run r = {.begin = i, .end = run_end(&t->list, i)};
        const candidate *c = &t->list.c[i];
        // what sleeps has no path
        if (c->interaction >= 0 || c->held || cannot_meet(t, far, &r)) continue;
        if (!is_left_alone(t, &r, *mem)) continue;
        if (was_added(t, c, n)) continue;
        pcs_arena scope = *mem;
        pair_meeting m;
        bool waits;
        PCS_TRY(path_of_pair(t, c, t->end.v, scope, &m));
        PCS_TRY(path_meet(t, contact_slop(t, c), &scope, &m));
        if (!m.meets) continue;
        PCS_TRY(may_wait(t, c, m, scope, &waits));
        if (waits) continue;
        const meeting_row row = rows_are_lost(t, c) ? MEETING_OF_CENTRES : MEETING_PLAIN;
        if (!t->list.c[i].active) refute(f, &r);
        for (int k = r.begin; k < r.end; ++k) {
            f->list->c[k].proven = true;
        }
        *mem = scope;
        PCS_TRY(add_meeting(f, &m, t->end.v, row, mem));
    }
    return PCS_OK;
}

// ---- contacts that carry a body ----------------------------------------------------------------

// true when a contact had an impulse in the last step, and is closed
static bool has_held(const trial *t, const candidate *c)
{
    return contact_takes_part(t, c) && c->was_active && c->r[0] > 0 &&
           c->g[0] <= contact_slop(t, c);
}

// true when a body lies on contact c, or probably will after this step
static bool carries(const trial *t, const candidate *c)
{
    if (!contact_takes_part(t, c)) return false;
    return c->proven || c->g[0] <= contact_slop(t, c) || pushes(t, c);
}

// ---- by prediction -----------------------------------------------------------------------------

// true when a run is predicted to close over a distance
static bool is_predicted(const trial *t, const run *r)
{
    for (int i = r->begin; i < r->end; ++i) {
        if (t->list.c[i].active) return is_apart(t, r) && !is_pressed(t, r);
    }
    return false;
}

// true when a body lies on contact c, leaves it, or is predicted to lie on it
static bool may_carry(const trial *t, const candidate *c)
{
    if (c->interaction >= 0 || c->refuted) return false;
    return c->active || c->g[0] <= contact_slop(t, c);
}

// Refutes the contacts whose shapes do not meet on the paths of v_k; or, with `turn`, gives
// contacts the normal of the meeting. *any: a prediction activates contacts
static pcs_status test_predictions(confirming *f, bool turn, pcs_arena *mem, bool *any)
{
    const trial *t = f->t;
    const int n = t->list.n;
    *any = false;
    for (int i = 0; i < n; i = run_end(&t->list, i)) {
        const run r = {.begin = i, .end = run_end(&t->list, i)};
        if (t->list.c[i].interaction >= 0 || !is_predicted(t, &r)) continue;
        *any = true;
        pcs_arena scope = *mem;
        pair_meeting m;
        const int first = t->list.n;
        PCS_TRY(path_of_pair(t, &t->list.c[i], t->st->v, scope, &m));
        PCS_TRY(path_meet(t, 0, &scope, &m));
        if (m.meets && (!turn || has_row(t, &r, &m, &m.f[0], OTHER_HIT))) continue;
        refute(f, &r);
        if (!m.meets) continue;
        *mem = scope;
        PCS_TRY(add_meeting(f, &m, t->st->v, MEETING_PLAIN, mem));

        // they are predictions, too
        for (int k = first; k < t->list.n; ++k) {
            candidate *c = &f->list->c[k];
            c->g[0] = nearest(t, &r);
            c->proven = c->holds = false;
        }
    }
    return PCS_OK;
}

pcs_status step_confirm_prediction(const trial *t, pcs_arena *mem, candidates *list)
{
    confirming f = {.t = t, .list = list};
    int left_out;
    bool any;
    PCS_TRY(test_predictions(&f, false, mem, &any));
    PCS_TRY(inner_edges(t, contact_takes_part, may_carry, *mem, list, &left_out));
    return any ? test_predictions(&f, true, mem, &any) : PCS_OK;
}

pcs_status step_confirm_held(const trial *t, pcs_arena mem, candidates *list)
{
    int left_out;
    return inner_edges(t, contact_takes_part, has_held, mem, list, &left_out);
}

pcs_status step_confirm_closed(const trial *t, pcs_arena mem, candidates *list)
{
    int left_out;
    return inner_edges(t, contact_takes_part, contact_takes_part, mem, list, &left_out);
}

// ---- a pass ------------------------------------------------------------------------------------

// true when contact c was added after the last solve
static bool is_new(const trial *t, const candidate *c)
{
    return contact_takes_part(t, c) && c->at < 0;
}

// number of contacts that take part, in the last solve or the next one
static int count_contacts(const trial *t)
{
    int sum = 0;
    for (int i = 0; i < t->list.n; ++i) {
        sum += contact_takes_part(t, &t->list.c[i]);
    }
    return sum;
}

pcs_status step_confirm(const trial *t, bool solved, double residual, bool again, pcs_arena *mem,
                        candidates *list, int *changed)
{
    *changed = 0;
    list->noise = t->m->scheme.solver.tol;
    if (!t->finds) list->noise = fmax(list->noise, again ? LATE : residual);
    const size_t nv = (size_t)t->m->nv, nb = (size_t)t->m->n_blocks;
    confirming f = {.t = t, .list = list};
    pcs_arena scope = *mem;
    PCS_TRY(find_runs(&f, solved, mem));
    if (f.n > 0) {
        f.v = PCS_TAKE(mem, nv, double);
        f.p = PCS_TAKE(mem, nv, double);
        f.changes = PCS_TAKE(mem, nb, int);
        if (!f.v || !f.p || !f.changes) return pcs_fail_memory("step: contacts");
        PCS_TRY(jointed_find(t, mem, &f.joints));
        PCS_TRY(guides_link(t, f.v, f.p, mem, &f.guides));
        ask(&f);
        PCS_TRY(test_paths(&f, mem));
    } else {
        *mem = scope;
    }

    // velocities far from a solution do not show what the step meets
    const bool near = solved || residual <= t->near;
    *changed = f.changed;
    if (t->rule == PCS_ACTIVATION_PREDICTIVE || !near) return PCS_OK;
    int left_out;
    PCS_TRY(inner_edges(t, pushes_hard, carries, *mem, list, &left_out));
    f.changed += left_out;

    *changed = f.changed;
    if (f.changed > 0) return PCS_OK;

    // the paths are valid only when no contact pushes without a partner
    const int n = list->n, before = count_contacts(t);
    PCS_TRY(find_tunnels(&f, mem));
    const int kept = count_contacts(t) - (list->n - n);
    *changed = f.changed;
    if (list->n == n) return PCS_OK;
    // a row at a meeting on an inner edge would push, and be refuted, in the next pass
    PCS_TRY(inner_edges(t, is_new, carries, *mem, list, &left_out));
    if (kept == before && left_out == list->n - n) *changed = 0;
    return PCS_OK;
}
