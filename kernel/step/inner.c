// Inner edges of floors. A plane separates a convex shape X and the shape A that it lies on. X
// cannot collide with a neighbour B of A that rises above this plane by at most half the slop. A
// contact of X and B with another normal is then on an edge between A and B, which only the
// linearised row reaches, and is refuted. A wall, a step up and a ramp rise higher.
//
// This holds as long as A and B move as one. A weight that falls on a lever beside what lies on it
// is below the plane of this at q_k only.
//
// The plane tells nothing about the other shapes of the body: the bottom of a bucket that hangs
// over a rail is below it, and a body whose feet lie on two shelves may turn about those on one.
//
// An edge at which a surface ends, or bends down, is no inner edge for a body that lies on the face
// beside it and reaches over it: the body may turn about its other contacts, down to the edge.
//
// X cannot collide with parts of these below the plane either: a ramp that rises from a seam has a
// side face there. So for a contact at the plane, the body is lifted to half the slop above it and
// moved towards the surface of the contact. There it meets a wall; it does not meet a side face,
// whose contact is refuted, too.
//
// Where shapes of one ground or one body meet at an angle, as the boxes of a trough, none of them
// is flat over the others. There the surface of their union has fewer normals than they have: the
// edge of a box at a concave seam has those between its two faces, and the union has none of these.
// So a contact is covered, and refuted, if its point is also on another shape that rises above its
// plane, unless the face or edge with this normal comes out of that shape, as that of a wall out of
// its floor. A body that moves on meets the next face, whose rows then follow from its path
// (confirm.c).
#include <string.h>

#include "collide/collide.h"
#include "collide/cylinder.h"
#include "rotation/pose.h"
#include "step/confirm.h"
#include "step/path.h"

// 1 - cos of angles between normals: beyond 1e-3 rad they belong to different parts of a floor; at
// edges and corners beyond 1e-6 rad, since two faces that carry a body are never so well aligned
#define OTHER_PART  5e-7
#define OTHER_POINT 5e-13

// beyond 0.1 rad they belong to different sides of a body
#define OTHER_SIDE 5e-3

// sines of angles: within which directions are opposite, and by which a normal may lean
#define STRAIGHT 1e-3
#define UPRIGHT  1e-3

// tangents of angles (lean_of): a face of a body that is not round may lie on another one at the
// first angle, and the normal of a contact is far from that of a face beyond the second one
#define FACE_LEANS 0.1
#define FAR_LEANS  0.5

// relative to the size of a body: in deeper overlaps, as they grow without a projection, edges act
#define DEEP 1e-3

// part of half the slop by which a shape at least rises above the plane of a contact that it covers
#define RISES 0.1

// part of the slop by which the lifted body is moved into the surface
#define INTO 0.05

// cosine beyond which both normals belong to faces that a body may lie on, not to a side face
#define ALIKE 0.9

// inner edges are not searched for bodies with more contacts
#define MANY_CONTACTS 256

// largest squares of the differences between the normals of a body whose contacts are all proven
// not to be inner at once: two of them then differ by less than OTHER_PART and OTHER_POINT
#define ONE_PART  1.6e-7
#define ONE_POINT 1.6e-13

// a contact from the side of one of its bodies
typedef struct view {
    int contact, own, other; // place in the list, shapes
    bool acts, lies;
    bool surface;      // the other shape is a mesh or a height field
    double N[3], P[3]; // normal towards the body; point on the other shape
    double slop;
    // of the views from this one to `end`, which lie on one shape with one normal
    int end;
    double top, most; // largest N . P and slop
} view;

static bool is_surface(const pcs_shape *s)
{
    return s->kind == PCS_SHAPE_MESH || s->kind == PCS_SHAPE_HEIGHT_FIELD;
}

static view view_of(const trial *t, int i, int side)
{
    const candidate *c = &t->list.c[i];
    view w = {
        .contact = i, .own = c->key.shape1, .other = c->key.shape2, .slop = contact_slop(t, c)};
    if (side == 1) {
        w.own = c->key.shape2;
        w.other = c->key.shape1;
    }
    w.surface = is_surface(&t->m->shape[w.other].shape);
    v3_scale(side == 0 ? 1 : -1, t->list.k[i].F, w.N);
    v3_copy(side == 0 ? c->P2 : c->P1, w.P);
    return w;
}

// true when the normal depends on the place, as at an edge, and is not that of a face
static bool at_a_point(const trial *t, const view *a)
{
    const pcs_feature *f = t->list.c[a->contact].feature;
    const pcs_shape *own = &t->m->shape[a->own].shape, *other = &t->m->shape[a->other].shape;
    if (a->surface) return f->id & SURFACE_EDGE;
    if (other->kind == PCS_SHAPE_HALF_SPACE) return false;
    const bool round = own->kind == PCS_SHAPE_CYLINDER || other->kind == PCS_SHAPE_CYLINDER;
    if (round && f->id == CYLINDER_CLOSEST) return true;
    if (own->kind == PCS_SHAPE_CAPSULE && f->kind == PCS_FEATURE_EDGE_EDGE) return true;
    return f->kind == PCS_FEATURE_POINT_POINT || f->kind == PCS_FEATURE_POINT_EDGE ||
           f->kind == PCS_FEATURE_EDGE_POINT;
}

static bool is_round(const pcs_shape *s)
{
    return s->kind == PCS_SHAPE_SPHERE || s->kind == PCS_SHAPE_CAPSULE ||
           s->kind == PCS_SHAPE_CYLINDER;
}

// the largest height above the plane of b, along N, of the shape of a within reach of the body
static double highest(const trial *t, const view *a, const view *b, const double N[3])
{
    const pcs_model *m = t->m;
    const model_shape *own = &m->shape[a->own], *other = &m->shape[a->other];
    double centre[3];
    pose_point(system_q(m, own->system, t->st->q), own->shape.position, centre);
    const double radius = shape_radius(&own->shape) + t->reach[own->system];
    const double *q = system_q(m, other->system, t->st->q);
    return collide_top(&other->shape, q, N, centre, radius) - v3_dot(N, b->P);
}

// True when contact a, at the plane of contact b, is on a part of its shape that ends at this
// plane: the shape continues below it, and a body that lies on the plane does not meet this part.
static bool is_below(const trial *t, const view *a, const view *b, double slop)
{
    double up[3], q[7];
    const double down[3] = {-b->N[0], -b->N[1], -b->N[2]};
    v3_sub(a->P, b->P, up);
    const double height = v3_dot(b->N, up), depth = fmax(0, -t->list.c[b->contact].g[0]);
    const model_shape *own = &t->m->shape[a->own], *other = &t->m->shape[a->other];
    // the body may overlap by that much, or fall, without contact b, before a is found
    const double low = 4 * slop + depth + t->h * t->gain[own->system];
    const double cosine = v3_dot(a->N, b->N);
    if (fabs(height) > low || fabs(cosine) > ALIKE) return false;
    if (highest(t, a, b, down) <= low) return false;

    memcpy(q, system_q(t->m, own->system, t->st->q), sizeof q);
    // the body moves up along the plane of a, then towards it
    const double lift = (slop + depth) / (1 - cosine * cosine);
    v3_along(q, lift, b->N, q);
    v3_along(q, -lift * cosine, a->N, q);
    v3_along(q, -fmax(0, t->list.c[a->contact].g[0]) - INTO * slop, a->N, q);
    pcs_feature f[PCS_FEATURES_MAX];
    const double *q_other = system_q(t->m, other->system, t->st->q);
    const int n = pcs_collide(&own->shape, q, &other->shape, q_other, 0, PCS_FEATURES_MAX, f);
    for (int i = 0; i < n && i < PCS_FEATURES_MAX; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q, q_other, &gap);
        if (v3_dot(gap.N, a->N) > 1 - OTHER_SIDE) return false;
    }
    return true;
}

// true when contact a is certainly above the planes of b and of all that follow it in its stretch,
// whatever rounds, or has their normal: neither is_inner nor covers holds for any of them
static bool is_clear_of(const view *a, const view *b, double reach)
{
    if (1 - v3_dot(a->N, b->N) <= OTHER_POINT) return true;
    const double height = v3_dot(b->N, a->P) - b->top, slop = 0.5 * fmax(a->slop, b->most);
    const double far = v3_norm(a->P) + fabs(b->top);
    return height > slop + reach + 1e-12 * far;
}

// True when b takes part in the step, or the contact that covers it, or the one that covers that,
// and so on, and this is not a: what covers a may be covered, but one of them must be left.
static bool is_held(const trial *t, const view *b, const view *a)
{
    int i = b->contact;
    while (t->list.c[i].covered_by > 0) {
        i = t->list.c[i].covered_by - 1;
    }
    return !t->list.c[i].refuted && i != a->contact;
}

// True when the shape of b covers contact a of the same shape: it has the point of a, rises above
// the plane of a, and no part of the shape of a with about this normal is above the plane of b.
// Points count as such a part that are lower along the normal of a than the highest one by less
// than `lean` times their height over the plane of b.
static bool covers(const trial *t, const view *b, const view *a, double lean)
{
    const model_shape *of = &t->m->shape[a->other], *by = &t->m->shape[b->other];
    const candidate *c = &t->list.c[b->contact];
    if (a->own != b->own || a->other == b->other || b->surface || !is_held(t, b, a)) return false;
    const double slop = 0.5 * fmax(a->slop, b->slop);
    const double g = t->list.c[a->contact].g[0], R = shape_radius(&t->m->shape[a->own].shape);
    if (c->g[0] > g + slop || g < -fmax(2 * slop, DEEP * R)) return false;
    const double apart = 1 - v3_dot(a->N, b->N);
    if (apart <= (at_a_point(t, a) ? OTHER_POINT : OTHER_PART)) return false;
    const bool moves = system_can_move(t->m, of->system) || system_can_move(t->m, by->system);
    if (of->system != by->system && moves) return false;

    const double *q = system_q(t->m, by->system, t->st->q);
    const double *q_of = system_q(t->m, of->system, t->st->q);
    const double rise = collide_top(&by->shape, q, a->N, a->P, 0) - v3_dot(a->N, a->P);
    if (!(rise > RISES * slop)) return false;
    const pcs_shape spot = pcs_shape_sphere(slop);
    const double at[7] = {a->P[0], a->P[1], a->P[2], 1};
    pcs_feature f[PCS_FEATURES_MAX];
    if (pcs_collide(&spot, at, &by->shape, q, 0, PCS_FEATURES_MAX, f) == 0) return false;

    double d[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = a->N[k] + lean * b->N[k];
    }
    const double size = v3_norm(d);
    v3_scale(1 / size, d, d);
    const double high = size * collide_top(&of->shape, q_of, d, a->P, R) -
                        collide_top(&of->shape, q_of, a->N, a->P, R) - lean * v3_dot(b->N, b->P);
    return high <= lean * slop;
}

// The lean up to which points belong to one face or edge with the normal of a. That of a round body
// at an edge is exact; others may be those of a face of the body that lies on a face at an angle.
static double lean_of(const trial *t, const view *a)
{
    return at_a_point(t, a) && is_round(&t->m->shape[a->own].shape) ? STRAIGHT : FACE_LEANS;
}

// 0 if no shape covers contact a, 1 if one does, 2 if one does so for a large lean: the normal of a
// is then far from those of the faces beside its point
static int cover_of(const trial *t, const view *a, int n, const view *of, double reach)
{
    int most = 0;
    for (int j = 0; most < 2 && j < n; ++j) {
        if (is_clear_of(a, &of[j], reach)) {
            j = of[j].end - 1;
        } else if (covers(t, &of[j], a, lean_of(t, a))) {
            most = covers(t, &of[j], a, FAR_LEANS) ? 2 : 1;
        }
    }
    return most;
}

// A contact whose shape covers a, and which is covered less, or as much and is nearer; or -1. The
// first contact of a body in this order stays. Of two that cover each other, as where a sharp edge
// of the body is in a seam, that with the better normal stays.
static int coverer(const trial *t, const view *a, int n, const view *of, double reach)
{
    int cover = -1; // not known yet
    for (int j = 0; j < n; ++j) {
        const view *b = &of[j];
        if (is_clear_of(a, b, reach)) {
            j = b->end - 1;
            continue;
        }
        if (!covers(t, b, a, lean_of(t, a))) continue;
        if (cover < 0) cover = cover_of(t, a, n, of, reach);
        const int other = cover_of(t, b, n, of, reach);
        const double g = t->list.c[a->contact].g[0], g_other = t->list.c[b->contact].g[0];
        if (other < cover) return b->contact;
        if (other == cover && g_other < g) return b->contact;
        if (other == cover && g_other == g && b->contact < a->contact) return b->contact;
    }
    return -1;
}

// Where the velocities at the start take the point P of a system, and the direction N. Those of the
// end have what the contact in question does: it pushes the tiles of a loose floor apart
static pcs_status follow(const trial *t, int system, const double P[3], const double N[3],
                         pcs_arena mem, double P_end[3], double N_end[3])
{
    body_path path;
    double q[7], local[3];
    v3_copy(P, P_end);
    v3_copy(N, N_end);
    PCS_TRY(path_of(t, system, t->st->v, mem, &path));
    if (!path.q) return PCS_OK;
    path_pose(&path, 1, q);
    v3_sub(P, path.q, local);
    pose_direction_back(path.q, local, local);
    pose_point(q, local, P_end);
    pose_direction_back(path.q, N, local);
    pose_direction(q, local, N_end);
    return PCS_OK;
}

// True when the bodies with a and b are one floor in this step: the point of a does not rise over
// the plane of b by more than the slop and the error of the velocities, so that the shape of a,
// whose top is that high over it, reaches the plane; nor tilts it by as much over the size of the
// shape that lies on them.
static pcs_status move_as_one(const trial *t, const view *a, const view *b, double slop, double top,
                              pcs_arena mem, bool *out)
{
    const int of = t->m->shape[a->other].system, by = t->m->shape[b->other].system;
    const double noise = fmax(t->list.noise, t->coarse);
    double own[3], with[3], N_own[3], N[3], up[3], tilt[3], most = slop;
    *out = true;
    if (of == by || !(system_can_move(t->m, of) || system_can_move(t->m, by))) return PCS_OK;
    if (of >= 0) most += noise * t->reach[of];
    if (by >= 0) most += noise * t->reach[by];
    PCS_TRY(follow(t, of, a->P, b->N, mem, own, N_own));
    PCS_TRY(follow(t, by, a->P, b->N, mem, with, N));
    v3_sub(own, with, up);
    v3_sub(N_own, N, tilt);
    const double rise = v3_dot(N, up), turn = v3_norm(tilt);
    const bool reaches = rise > most && top + rise >= -most;
    *out = !reaches && turn * shape_radius(&t->m->shape[a->own].shape) <= most;
    return PCS_OK;
}

// True when a contact has its normal at q_k: rows at meetings have that of a later pose, and their
// planes are those of no floor
static bool is_at_start(const trial *t, const view *b)
{
    const candidate *c = &t->list.c[b->contact];
    pcs_gap gap;
    pcs_feature_gap(c->feature, system_q(t->m, c->pose1, t->st->q),
                    system_q(t->m, c->pose2, t->st->q), &gap);
    v3_scale(c->key.shape1 == b->own ? 1 : -1, gap.N, gap.N);
    return 1 - v3_dot(gap.N, b->N) <= OTHER_POINT;
}

// *out: contact a of a shape is on an inner edge of a floor on which the shape has contact b: the
// shape of a, or the part of it with a, rises above the plane of b by at most half the slop within
// reach of the body, which moves by at most `reach` in the step.
static pcs_status is_inner(const trial *t, const view *a, const view *b, double reach,
                           pcs_arena mem, bool *out)
{
    *out = false;
    // most pairs of contacts end here: the tests that are cheap come first
    if (a->own != b->own || (a->other == b->other && !a->surface)) return PCS_OK;
    const double slop = 0.5 * fmax(a->slop, b->slop);
    double up[3];
    v3_sub(a->P, b->P, up);
    // the point at q_k of a feature found at q' may miss the shape by the motion of the body
    if (v3_dot(b->N, up) > slop + reach) return PCS_OK;
    const double apart = 1 - v3_dot(a->N, b->N);
    if (apart <= OTHER_POINT) return PCS_OK;
    const bool point = at_a_point(t, a);
    if (a->other == b->other && !point) return PCS_OK;
    if (!point && apart <= OTHER_PART) return PCS_OK;
    const double top = highest(t, a, b, b->N);
    if (!(top <= slop || is_below(t, a, b, slop))) return PCS_OK;
    if (!is_at_start(t, b)) return PCS_OK;
    return move_as_one(t, a, b, slop, top, mem, out);
}

// a sector of less than a half-turn, from `right` counter-clockwise to `left`
typedef struct sector {
    double right[2], left[2];
} sector;

static double turn(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

// widens the sector, which has directions if `any`, to the direction d; false when they no longer
// are within a half-turn
static bool widen(const double d[2], bool any, sector *s)
{
    const double size = hypot(d[0], d[1]);
    const double *side[2] = {s->right, s->left};
    if (!(size > 0)) return false;
    for (int k = 0; any && k < 2; ++k) {
        const double along = side[k][0] * d[0] + side[k][1] * d[1];
        if (along < 0 && fabs(turn(side[k], d)) <= -STRAIGHT * along) return false;
    }
    const double r = any ? turn(s->right, d) : 1, l = any ? turn(s->left, d) : 1;
    if (r < 0 && l > 0) return false;
    if (r >= 0 && l <= 0) return true;
    if (!any || r < 0) memcpy(s->right, d, sizeof s->right);
    if (!any || l > 0) memcpy(s->left, d, sizeof s->left);
    return true;
}

// True for a contact a at the end of the surface on which the body has contact b: its normal, about
// that of b, leans away from b, and the contacts with about this normal do not surround it. A body
// that lies on them alone may turn about them, down to a.
static bool overhangs(const trial *t, int system, const view *a, const view *b)
{
    double to[3], lean[3];
    // turning brings no other point of a ball down
    if (t->m->shape[a->own].shape.kind == PCS_SHAPE_SPHERE) return false;
    if (a->other != b->other || v3_dot(a->N, b->N) < ALIKE) return false;
    v3_sub(b->P, a->P, to);
    v3_sub(a->N, b->N, lean);
    if (v3_dot(lean, to) > UPRIGHT * v3_norm(to)) return false;
    const double *F = t->list.k[b->contact].F;
    sector s;
    bool any = false;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const bool first = c->pose1 == system;
        if (i == a->contact || (!first && c->pose2 != system)) continue;
        if (!contact_takes_part(t, c)) continue;
        if ((first ? 1 : -1) * v3_dot(t->list.k[i].F, b->N) < ALIKE) continue;
        double from[3];
        v3_sub(first ? c->P2 : c->P1, a->P, from);
        const double d[2] = {v3_dot(from, F + 3), v3_dot(from, F + 6)};
        if (!widen(d, any, &s)) return false;
        any = true;
    }
    return any;
}

// ---- bodies without inner edges ----------------------------------------------------------------

// the contacts of a body, measured along the normal N of the first one from its point P
typedef struct stack {
    int n;
    bool points, other; // some are at points; some have neither the normal N nor -N
    double N[3], P[3];
    double spread;     // largest square of the difference between a normal and N or -N
    double far;        // largest square of the distance of a point from P
    double low, above; // the highest point with the normal N, the lowest one with -N
} stack;

static void stack_add(const trial *t, int i, int side, stack *s)
{
    const candidate *c = &t->list.c[i];
    const double sign = side == 0 ? 1 : -1, *P = side == 0 ? c->P2 : c->P1, *F = t->list.k[i].F;
    const int own = side == 0 ? c->key.shape1 : c->key.shape2;
    const view a = {.contact = i,
                    .own = own,
                    .other = c->key.shape1 + c->key.shape2 - own,
                    .surface = is_surface(&t->m->shape[c->key.shape1 + c->key.shape2 - own].shape)};
    if (s->n == 0) {
        v3_scale(sign, F, s->N);
        v3_copy(P, s->P);
        s->low = -INFINITY;
        s->above = INFINITY;
    }
    s->n += 1;
    const bool up = sign * v3_dot(F, s->N) > 0;
    double from[3], apart = 0;
    for (int k = 0; k < 3; ++k) {
        const double d = sign * F[k] - (up ? s->N[k] : -s->N[k]);
        apart += d * d;
    }
    v3_sub(P, s->P, from);
    const double height = v3_dot(s->N, from), far = v3_dot(from, from);
    if (!(apart <= ONE_PART) || !(far < INFINITY)) s->other = true;
    if (apart > s->spread) s->spread = apart;
    if (far > s->far) s->far = far;
    if (up && height > s->low) s->low = height;
    if (!up && height < s->above) s->above = height;
    s->points = s->points || at_a_point(t, &a);
}

// true when is_inner and covers hold for no two contacts of a body, whatever rounds: those on one
// side have one normal, and those on opposite sides are far from each other's planes
static bool is_plain(const stack *s, double slop, double reach)
{
    if (s->n < 2) return true;
    if (s->other || s->spread > (s->points ? ONE_POINT : ONE_PART)) return false;
    const double far = sqrt(s->far);
    const double error = 4 * sqrt(s->spread) * far + 1e-12 * (v3_norm(s->P) + far);
    return s->above - s->low > slop + reach + error;
}

// Finds the bodies that have no contact on an inner edge, whichever of their contacts act: most of
// those at rest. It is enough to do so once for the contacts of a step
static pcs_status find_plain(const trial *t, pcs_arena mem, candidates *list)
{
    const pcs_model *m = t->m;
    if (list->n_plain == list->n && !step_rows_follow(&m->scheme)) return PCS_OK;
    stack *of = PCS_TAKE(&mem, (size_t)m->n_systems, stack);
    if (!of) return pcs_fail_memory("step: contacts");
    memset(of, 0, (size_t)m->n_systems * sizeof *of);
    double slop = fmax(t->hold, t->proj_tol); // of any contact
    for (int i = 0; i < m->n_shapes; ++i) {
        slop = fmax(slop, CLOSED * shape_radius(&m->shape[i].shape));
    }
    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        candidates_fetch(list, i);
        if (i + CANDIDATES_AHEAD < list->n) {
            PCS_FETCH(c[CANDIDATES_AHEAD].P1);
            PCS_FETCH(c[CANDIDATES_AHEAD].P2);
            PCS_FETCH(list->k[i + CANDIDATES_AHEAD].F);
        }
        if (c->interaction >= 0) continue;
        if (system_can_move(m, c->pose1)) stack_add(t, i, 0, &of[c->pose1]);
        if (system_can_move(m, c->pose2)) stack_add(t, i, 1, &of[c->pose2]);
    }
    for (int s = 0; s < m->n_systems; ++s) {
        list->plain[s] = is_plain(&of[s], slop, t->reach[s]) && !t->work->always_searches;
    }
    list->n_plain = list->n;
    return PCS_OK;
}

// ---- all others --------------------------------------------------------------------------------

// the contacts of each system that moves: view[start[s]] ... view[start[s + 1] - 1]
typedef struct views {
    int *start;
    view *view;
} views;

// a system with contacts on two shapes, or on a surface; others have no inner edges
enum { NO_SHAPE = -1, SHAPES = -2 };

// the shape that all contacts of each system are on, or one of these
static void find_shapes(const trial *t, int *shape)
{
    for (int s = 0; s < t->m->n_systems; ++s) {
        shape[s] = NO_SHAPE;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const int sys[2] = {c->pose1, c->pose2}, other[2] = {c->key.shape2, c->key.shape1};
        for (int side = 0; c->interaction < 0 && side < 2; ++side) {
            if (sys[side] < 0) continue;
            int *of = &shape[sys[side]];
            const bool second = *of != NO_SHAPE && *of != other[side];
            *of = second || is_surface(&t->m->shape[other[side]].shape) ? SHAPES : other[side];
        }
    }
}

static pcs_status find_views(const trial *t, contact_fn *acts, contact_fn *lies, pcs_arena *mem,
                             views *out)
{
    const int ns = t->m->n_systems;
    out->start = PCS_TAKE(mem, 2 * (size_t)ns + 2, int);
    if (!out->start) return pcs_fail_memory("step: contacts");
    int *shape = out->start + ns + 2;
    memset(out->start, 0, ((size_t)ns + 2) * sizeof *out->start);
    find_shapes(t, shape);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < t->list.n; ++i) {
            const candidate *c = &t->list.c[i];
            const int sys[2] = {c->pose1, c->pose2};
            bool inner[2];
            for (int side = 0; side < 2; ++side) {
                inner[side] = system_can_move(t->m, sys[side]) && shape[sys[side]] == SHAPES &&
                              !t->list.plain[sys[side]];
            }
            if (!inner[0] && !inner[1]) continue;
            if (c->other_face && !c->active) continue;
            const bool does = acts(t, c), is = lies(t, c);
            for (int side = 0; side < 2; ++side) {
                const int other = side == 0 ? c->key.shape2 : c->key.shape1;
                const bool covers = c->interaction < 0 && !is_surface(&t->m->shape[other].shape);
                if (!inner[side] || !(does || is || covers)) continue;
                if (pass == 0) {
                    out->start[sys[side] + 2] += 1;
                    continue;
                }
                view *w = &out->view[out->start[sys[side] + 1]++];
                *w = view_of(t, i, side);
                w->acts = does;
                w->lies = is;
            }
        }
        if (pass == 1) break;
        for (int s = 2; s <= ns + 1; ++s) {
            out->start[s] += out->start[s - 1];
        }
        out->view = PCS_TAKE(mem, (size_t)out->start[ns + 1], view);
        if (!out->view) return pcs_fail_memory("step: contacts");
    }
    return PCS_OK;
}

// finds the views that follow each other on one shape with one normal
static void find_stretches(int n, view *of)
{
    for (int i = n - 1; i >= 0; --i) {
        view *a = &of[i];
        const view *next = a + 1;
        a->end = i + 1;
        a->top = v3_dot(a->N, a->P);
        a->most = a->slop;
        if (i + 1 == n || a->other != next->other || memcmp(a->N, next->N, sizeof a->N) != 0) {
            continue;
        }
        a->end = next->end;
        a->top = fmax(a->top, next->top);
        a->most = fmax(a->most, next->most);
    }
}

static void leave_out(candidates *list, int i, int *left_out)
{
    list->c[i].refuted = true;
    list->c[i].active = false;
    list->c[i].at = -1;
    *left_out += 1;
}

pcs_status inner_edges(const trial *t, contact_fn *acts, contact_fn *lies, pcs_arena mem,
                       candidates *list, int *left_out)
{
    views all = {NULL, NULL};
    *left_out = 0;
    if (list->n < 2) return PCS_OK; // no body has two contacts
    bool plain = true;
    PCS_TRY(find_plain(t, mem, list));
    for (int s = 0; s < t->m->n_systems; ++s) {
        plain = plain && list->plain[s];
    }
    if (plain) return PCS_OK;
    PCS_TRY(find_views(t, acts, lies, &mem, &all));
    for (int s = 0; s < t->m->n_systems; ++s) {
        const int n = all.start[s + 1] - all.start[s];
        const double reach = t->reach[s];
        view *of = all.view + all.start[s];
        int many = 0;
        for (int i = 0; i < n; ++i) {
            many += of[i].acts || of[i].lies;
        }
        if (n < 2 || many > MANY_CONTACTS) continue;
        find_stretches(n, of);
        for (int i = 0; i < n; ++i) {
            candidate *c = &list->c[of[i].contact];
            if (!of[i].acts || c->refuted) continue;
            c->covered_by = 1 + coverer(t, &of[i], n, of, reach);
            if (c->covered_by > 0) leave_out(list, of[i].contact, left_out);
        }
        for (int i = 0; i < n; ++i) {
            const candidate *c = &list->c[of[i].contact];
            for (int j = 0; of[i].acts && !c->refuted && j < n; ++j) {
                if (is_clear_of(&of[i], &of[j], reach)) {
                    j = of[j].end - 1;
                    continue;
                }
                if (!of[j].lies || list->c[of[j].contact].refuted) continue;
                bool inner;
                PCS_TRY(is_inner(t, &of[i], &of[j], reach, mem, &inner));
                if (!inner) continue;
                if (overhangs(t, s, &of[i], &of[j])) continue;
                leave_out(list, of[i].contact, left_out);
            }
        }
    }
    return PCS_OK;
}
