// A cylinder against a box, a capsule, a hull or another cylinder, in the frame of the cylinder.
//
// The direction u from 1 to 2 and the gap come from the closest points of the cores, of overlapping
// ones from the polytope (convex.h). Both approximate a round surface by corners and stop near the
// result. With s(u) = min over 2 of u . x - max over 1 of u . x, which is never more than the gap,
// the possible directions are tried in closed form and the best is kept:
//     a face of 2, a cap                u = its normal
//     an edge of 2 and the side         u = z x edge
//     an edge of 2 and a rim            the rim point x(a) with (x - p) . ((edge x x') x edge) = 0
//     a vertex of 2 and side or rim     from the nearest point of the cylinder (apart only)
// So against boxes, hulls and capsules the gap is exact to rounding; rims of two cylinders keep
// the result of the iterations.
//
// If u is normal to a face or a cap, the part that lies on it is cut to its outline; if the side is
// parallel to an edge or to another side, the ends of the part they share are contacts. Otherwise
// there is one contact: a point of the cylinder and the plane through the point of 2 across u. Two
// caps may overlap although their outlines do not: then the corners of the lens that both discs
// have in common are contacts.
//
// Ids: the number of the point (of the rim, of the other shape), times 16, plus its kind.
#include <string.h>

#include "base/base.h"
#include "collide/collide.h"
#include "collide/cylinder.h"
#include "collide/geometry.h"
#include "collide/patch.h"
#include "collide/solid.h"
#include "rotation/pose.h"

// sine below which faces lie on each other, and edges along each other
static const double manifold_tol = 0.05;

// tolerances relative to the size of the pair: of equal lengths, of iterated gaps, of equal points,
// of a point beyond an outline that is still above the face
static const double tie = 1e-12, tie_round = 1e-7, same_tol = 1e-6, snap_tol = 1e-7;

// sine below which an edge or a face is foremost along an iterated direction
static const double foremost_tol = 1e-3;

enum { OUTLINE = 12 };                         // corners of a cap as an outline
enum { POINT = 0, CUT = 1, END = 4, CAP = 8 }; // parts of ids; CUT leaves room for two

typedef struct round_pair {
    const pcs_shape *s1, *s2;
    solid b; // shape 2 in the frame of the cylinder
    convex core;
    convex_pair at;
    double reach, size;
    pcs_feature *out;
    int n;
    double gap[PCS_FEATURES_MAX], place[PCS_FEATURES_MAX][3];
} round_pair;

// the best direction so far, and the contact points on the cylinder and on the core of 2
typedef struct best {
    double s, u[3], x1[3], x2[3];
    bool placed; // x1 and x2 are good
} best;

// ---- the direction ----------------------------------------------------------------------------

static void try_direction(const round_pair *p, const double u[3], const double *x1,
                          const double *x2, double lead, best *b)
{
    const double s = convex_separation(&p->core, &p->b.core, &p->at, u, NULL, NULL);
    if (!(s > b->s - lead)) return;
    b->s = fmax(s, b->s);
    v3_copy(u, b->u);
    b->placed = x1 != NULL;
    if (x1) v3_copy(x1, b->x1);
    if (x2) v3_copy(x2, b->x2);
}

// tries a direction with the sign with which it points along u
static bool unit_along(const double d[3], const double u[3], double out[3])
{
    if (!(v3_unit(d, out) > 0)) return false;
    if (v3_dot(out, u) < 0) v3_scale(-1, out, out);
    return true;
}

// The point of the line from a along e (unit) at t; false where it is beyond an end of the edge:
// its direction may be that of another edge, which has its own point
static bool point_of_edge(const round_pair *p, const double a[3], const double e[3], double length,
                          double t, double y[3])
{
    const double snap = same_tol * p->size;
    v3_along(a, fmin(length, fmax(0, t)), e, y);
    return t >= -snap && t <= length + snap;
}

// the line through a along e (unit) and the generator of the side towards it
static void try_side(const round_pair *p, const double a[3], const double e[3], double length,
                     double lead, best *b)
{
    const double z[3] = {0, 0, 1}, r = p->s1->radius;
    double d[3], u[3];
    v3_cross(z, e, d);
    if (!(v3_norm(d) > manifold_tol) || !unit_along(d, b->u, u)) return;

    // the line meets the plane through the axis and u: (a + t e) . (u x z) = 0
    double across[3], x1[3], x2[3];
    v3_cross(u, z, across);
    const double t = -v3_dot(a, across) / v3_dot(e, across), l = p->s1->half[2];
    if (!point_of_edge(p, a, e, length, t, x2)) return;
    if (fabs(x2[2]) > l + same_tol * p->size) return;
    x1[0] = r * u[0];
    x1[1] = r * u[1];
    x1[2] = fmin(l, fmax(-l, x2[2]));
    try_direction(p, u, x1, x2, lead, b);
}

// (x - a) . (N x e) at the rim point of the angle `at`, N across the rim and the edge
static double beside(const round_pair *p, const double a[3], const double e[3], int side, double at,
                     const double u[3], double x[3], double N[3])
{
    const double tangent[3] = {-sin(at), cos(at), 0};
    double n[3], from[3], Ne[3];
    x[0] = p->s1->radius * cos(at);
    x[1] = p->s1->radius * sin(at);
    x[2] = side * p->s1->half[2];
    v3_cross(e, tangent, n);
    if (!unit_along(n, u, N)) return NAN;
    v3_sub(x, a, from);
    v3_cross(N, e, Ne);
    return v3_dot(from, Ne);
}

// the line through a along e (unit) and the rim, by the secant rule from the direction of u
static void try_rim(const round_pair *p, const double a[3], const double e[3], double length,
                    double lead, best *b)
{
    const int side = b->u[2] > 0 ? 1 : -1;
    double x[3], N[3], from[3], y[3];
    double a0 = atan2(b->u[1], b->u[0]), a1 = a0 + 1e-4;
    double f0 = beside(p, a, e, side, a0, b->u, x, N), f1 = beside(p, a, e, side, a1, b->u, x, N);
    for (int k = 0; k < 20 && f1 != f0 && fabs(f1) > 1e-16 * p->size; ++k) {
        const double step = fmax(-0.1, fmin(0.1, -f1 * (a1 - a0) / (f1 - f0)));
        a0 = a1;
        f0 = f1;
        a1 += step;
        f1 = beside(p, a, e, side, a1, b->u, x, N);
    }
    if (!(fabs(f1) <= tie * p->size)) return;
    v3_sub(x, a, from);
    if (point_of_edge(p, a, e, length, v3_dot(from, e), y)) try_direction(p, N, x, y, lead, b);
}

// a vertex of 2: outside, the nearest point; inside, the side
static void try_vertex(const round_pair *p, const double v[3], bool inside, best *b)
{
    const double d = hypot(v[0], v[1]), r = p->s1->radius, l = p->s1->half[2];
    const double in = d > r || (inside && d > 0) ? r / d : 1;
    const double x[3] = {v[0] * in, v[1] * in, fmin(l, fmax(-l, v[2]))};
    double apart[3] = {v[0], v[1], 0}, u[3];
    if (!inside) v3_sub(v, x, apart);
    if (v3_unit(apart, u) > tie_round * p->size) try_direction(p, u, x, v, 0, b);
}

static void improve(const round_pair *p, const convex_gap *c, best *b)
{
    // the last of several equally good ones: a face or a cap
    const double lead = tie * p->size;
    const best start = *b;
    const double back[3] = {-b->u[0], -b->u[1], -b->u[2]};
    double d2[3], n[3], u[3];
    patch f;
    m3_mul_t(p->b.R, back, d2);
    patch_facing(p->s2, d2, manifold_tol, &f);
    patch_move(&f, p->b.R, p->b.t);
    const bool round = p->s2->kind == PCS_SHAPE_CYLINDER;
    for (int i = 0; i < f.n && !round; ++i) {
        try_vertex(p, f.x[i], c->overlap, b);
    }
    for (int i = 0; i < f.n - (f.n == 2) && f.n > 1 && !(round && f.n > 2); ++i) {
        double e[3];
        v3_sub(f.x[i + 1 < f.n ? i + 1 : 0], f.x[i], e);
        const double length = v3_unit(e, e);
        double a[3];
        v3_copy(f.x[i], a);
        if (round) {
            // the axis represents its generators
            v3_along(p->b.t, p->s2->half[2] * (v3_dot(e, p->b.R + 6) > 0 ? -1 : 1), p->b.R + 6, a);
        } else {
            try_rim(p, a, e, length, 0, b);
        }
        try_side(p, a, e, length, 0, b);
    }
    if (f.n > 2) {
        double one[3], two[3];
        v3_sub(f.x[1], f.x[0], one);
        v3_sub(f.x[f.n - 1], f.x[0], two);
        v3_cross(one, two, n);
        if (unit_along(n, start.u, u)) try_direction(p, u, NULL, NULL, lead, b);
    }
    if (fabs(start.u[2]) > 0.5) {
        const double cap[3] = {0, 0, copysign(1, start.u[2])};
        try_direction(p, cap, NULL, NULL, lead, b);
    }
}

// ---- overlaps ---------------------------------------------------------------------------------

enum { STARTS = 6 };

// relative to the size of the pair: the direction of an overlap up to this is searched among likely
// ones
static const double shallow = 0.002;

// closest points nearer than this, relative to the size, determine no direction
static const double touching = 1e-7;

// the best of the directions tried
typedef struct starts {
    double s[STARTS], u[STARTS][3];
} starts;

static void try_start(const round_pair *p, const double d[3], starts *b)
{
    double u[3];
    if (!(v3_unit(d, u) > 0)) return;
    for (int side = 1; side >= -1; side -= 2) {
        const double flipped[3] = {side * u[0], side * u[1], side * u[2]};
        double s = convex_separation(&p->core, &p->b.core, &p->at, flipped, NULL, NULL);
        int at = STARTS;
        while (at > 0 && s > b->s[at - 1]) {
            at -= 1;
        }
        if (at == STARTS) continue;
        for (int k = STARTS - 1; k > at; --k) {
            b->s[k] = b->s[k - 1];
            v3_copy(b->u[k - 1], b->u[k]);
        }
        b->s[at] = s;
        v3_copy(flipped, b->u[at]);
    }
}

// The direction of a shallow overlap: those of the axes and faces of both, of their products and of
// the centres are tried, and the best are improved by moving the cores apart along them. For a deep
// overlap, and when the improvement changes the direction much (two corners): by the polytope
static void find_overlap(const round_pair *p, convex_gap *c)
{
    starts b;
    for (int k = 0; k < STARTS; ++k) {
        b.s[k] = -INFINITY;
    }
    const double z[3] = {0, 0, 1}, *t = p->b.t, across[3] = {t[0], t[1], 0};
    try_start(p, c->u, &b);
    try_start(p, t, &b);
    try_start(p, across, &b);
    try_start(p, z, &b);
    for (int i = 0; i < 3; ++i) {
        double d[3];
        v3_cross(z, p->b.R + 3 * i, d);
        try_start(p, d, &b);
        try_start(p, p->b.R + 3 * i, &b);
    }
    for (int f = 0; p->s2->kind == PCS_SHAPE_HULL && f < p->s2->geometry->of.hull.n_faces; ++f) {
        double n[3];
        m3_mul(p->b.R, polyhedron_normal(&p->s2->geometry->of.hull, f), n);
        try_start(p, n, &b);
    }
    convex_gap found = {.distance = -INFINITY};
    double start = -INFINITY;
    for (int k = 0; k < STARTS && b.s[k] > found.distance - shallow * p->size; ++k) {
        convex_gap o = {.distance = b.s[k], .overlap = true};
        v3_copy(b.u[k], o.u);
        convex_separation(&p->core, &p->b.core, &p->at, o.u, o.x1, o.x2);
        if (o.distance > -shallow * p->size) solid_refine(&p->core, &p->b.core, &p->at, &o);
        if (o.distance <= found.distance) continue;
        found = o;
        start = b.s[k];
    }

    // deeper, or between corners, none of them need be near the best
    const double least = found.distance > start + tie * p->size ? touching : shallow;
    if (!(found.distance > -least * p->size)) {
        convex_penetration(&p->core, &p->b.core, &p->at, &found);
        solid_refine(&p->core, &p->b.core, &p->at, &found);
    }
    *c = found;
}

// ---- the list ---------------------------------------------------------------------------------

static void put(round_pair *p, const pcs_feature *f, const double at[3], double gap)
{
    if (p->n == PCS_FEATURES_MAX) return;
    for (int i = 0; i < p->n; ++i) {
        double apart[3];
        v3_sub(p->place[i], at, apart);
        if (p->out[i].id == f->id || v3_norm(apart) < same_tol * p->size) return;
    }
    p->out[p->n] = *f;
    p->gap[p->n] = gap;
    v3_copy(at, p->place[p->n++]);
}

// from the frame of a shape to that of its body
static void to_body(const pcs_shape *s, const double x[3], double y[3])
{
    quat_turn(s->orientation, 1, x, y);
    v3_along(s->position, 1, y, y);
}

// a point x of the cylinder and the plane through y across u, both in the frame of the cylinder
static void put_point(round_pair *p, unsigned id, const double x[3], const double y[3],
                      const double u[3], double gap)
{
    const double back[3] = {-u[0], -u[1], -u[2]};
    double core[3], own[3], n[3];
    pcs_feature f = {.kind = PCS_FEATURE_POINT_PLANE, .id = id};
    cylinder_core(p->s1, x, u, core, &f.radius1);
    to_body(p->s1, core, f.p1);
    solid_into(&p->b, y, own);
    to_body(p->s2, own, f.p2);
    m3_mul_t(p->b.R, back, n);
    quat_turn(p->s2->orientation, 1, n, f.d2);
    v3_copy(f.d2, f.n2);
    put(p, &f, x, gap);
}

// a point y of the core of 2 over a cap
static void put_on_cap(round_pair *p, unsigned id, const double y[3], int side, double gap)
{
    const double cap[3] = {0, 0, side * p->s1->half[2]}, z[3] = {0, 0, side};
    double own[3], n[3];
    pcs_feature f = {.kind = PCS_FEATURE_PLANE_POINT, .id = id, .radius2 = p->b.core.radius};
    to_body(p->s1, cap, f.p1);
    quat_turn(p->s1->orientation, 1, z, f.d1);
    solid_into(&p->b, y, own);
    to_body(p->s2, own, f.p2);
    const double back[3] = {0, 0, -side};
    m3_mul_t(p->b.R, back, n);
    quat_turn(p->s2->orientation, 1, n, f.n2);
    const double at[3] = {y[0], y[1], side * p->s1->half[2]};
    put(p, &f, at, gap);
}

static unsigned clipped_id(const patch *f, int i, const patch *outline, unsigned *cuts)
{
    if (f->number[i] >= 0) return 16 * (unsigned)f->number[i] + POINT;
    int k = 0;
    while (!(f->sides[i] >> k & 1)) {
        ++k;
    }

    // a corner by its point, where side k ends and the next one starts; the cuts of a side by the
    // point where it starts, each with its own id
    if (f->sides[i] != 1u << k) {
        const bool next = f->sides[i] >> (k + 1) & 1;
        return 16 * (unsigned)outline->number[next ? k + 1 : 0] + CUT + 2;
    }
    const unsigned second = *cuts >> k & 1;
    *cuts |= 1u << k;
    return 16 * (unsigned)outline->number[k] + CUT + second;
}

// ---- faces ------------------------------------------------------------------------------------

// a cap as an outline, in the frame of its cylinder
static void cap_outline(const pcs_shape *s, int side, patch *f)
{
    f->n = OUTLINE;
    for (int k = 0; k < OUTLINE; ++k) {
        const double angle = k * (6.28318530717958648 / OUTLINE);
        f->x[k][0] = s->radius * cos(angle);
        f->x[k][1] = s->radius * sin(angle);
        f->x[k][2] = side * s->half[2];
        f->number[k] = k;
        f->sides[k] = 0;
    }
}

// the part of the cylinder above a face of 2; u its inward normal
static void over_face(round_pair *p, const patch *face, const double u[3], double g)
{
    patch f, cap;
    unsigned cuts = 0;
    if (p->s2->kind == PCS_SHAPE_CYLINDER) {
        cap_outline(p->s2, v3_dot(u, p->b.R + 6) < 0 ? 1 : -1, &cap);
        patch_move(&cap, p->b.R, p->b.t);
        face = &cap;
    }
    patch_facing(p->s1, u, manifold_tol, &f);
    patch_clip(&f, face->n, face->x[0], u, snap_tol * p->size);
    for (int i = 0; i < f.n; ++i) {
        double to[3], y[3];
        v3_sub(face->x[0], f.x[i], to);
        const double gap = v3_dot(to, u) - p->b.core.radius;
        if (!(gap <= p->reach) || gap < g - tie_round * p->size) continue;
        v3_along(f.x[i], gap, u, y);
        put_point(p, clipped_id(&f, i, face, &cuts), f.x[i], y, u, gap);
    }
}

// The lens that the cap of 1 on this side and the cap of 2 with centre c have in common, seen along
// the axis of 1: its middle and its two corners. False where there is none, or where one cap lies
// inside the other
static bool find_lens(const round_pair *p, const double c[3], int side, double x[3][3])
{
    const double r1 = p->s1->radius, r2 = p->s2->radius, d = hypot(c[0], c[1]);
    if (!(d < r1 + r2) || !(d > fabs(r1 - r2))) return false;
    // along the line of the centres it reaches from d - r2 to r1, and its corners are at a
    const double middle = 0.5 * (d - r2 + r1), a = 0.5 * (d + (r1 - r2) * ((r1 + r2) / d));
    const double half = sqrt(fmax(0, r1 * r1 - a * a));
    for (int k = 0; k < 3; ++k) {
        const double along = k == 0 ? middle : a, across = k == 0 ? 0 : k == 1 ? half : -half;
        x[k][0] = (along * c[0] - across * c[1]) / d;
        x[k][1] = (along * c[1] + across * c[0]) / d;
        x[k][2] = side * p->s1->half[2];
    }
    return true;
}

// the cap of 2 that looks against u
static void centre_of_cap(const round_pair *p, const double u[3], double c[3])
{
    const double *axis = p->b.R + 6;
    v3_along(p->b.t, v3_dot(u, axis) < 0 ? p->s2->half[2] : -p->s2->half[2], axis, c);
}

// The corners of the lens of two caps whose outlines have nothing in common: outlines lie inside
// their discs. n is the normal of the cap of 2
static void over_lens(round_pair *p, const double n[3], double g)
{
    double c[3], x[3][3];
    centre_of_cap(p, n, c);
    if (!find_lens(p, c, n[2] > 0 ? 1 : -1, x)) return;
    for (int k = 1; k < 3; ++k) {
        double to[3], y[3];
        v3_sub(c, x[k], to);
        const double gap = v3_dot(to, n);
        if (!(gap <= p->reach) || gap < g - tie_round * p->size) continue;
        v3_along(x[k], gap, n, y);
        put_point(p, 16 * (unsigned)(OUTLINE + k) + POINT, x[k], y, n, gap);
    }
}

// the part of 2 above a cap
static void over_cap(round_pair *p, patch f, int side, double g)
{
    const double z[3] = {0, 0, side};
    patch cap;
    unsigned cuts = 0;
    cap_outline(p->s1, side, &cap);
    patch_clip(&f, OUTLINE, cap.x[0], z, snap_tol * p->size);
    for (int i = 0; i < f.n; ++i) {
        const double gap = side * f.x[i][2] - p->s1->half[2] - p->b.core.radius;
        if (!(gap <= p->reach) || gap < g - tie_round * p->size) continue;
        put_on_cap(p, clipped_id(&f, i, &cap, &cuts) + CAP, f.x[i], side, gap);
    }
}

// adds the ends of the common segment of a generator and an edge, or a generator, of 2
static void along_side(round_pair *p, const patch *one, const patch *two, const double u[3],
                       double g)
{
    double e[3], a[3], b[3], from = -p->s1->half[2], to = p->s1->half[2];
    v3_sub(two->x[1], two->x[0], e);
    if (!(v3_unit(e, e) > 0) || !(1 - e[2] * e[2] <= manifold_tol * manifold_tol)) return;
    v3_copy(two->x[e[2] > 0 ? 0 : 1], a);
    v3_copy(two->x[e[2] > 0 ? 1 : 0], b);
    from = fmax(from, a[2]);
    to = fmin(to, b[2]);
    for (int i = 0; i < 2 && from <= to; ++i) {
        const double z = i == 0 ? from : to, t = (z - a[2]) / (b[2] - a[2]);
        const double x[3] = {one->x[0][0], one->x[0][1], z};
        double y[3], apart[3];
        for (int c = 0; c < 3; ++c) {
            y[c] = a[c] + t * (b[c] - a[c]);
        }
        v3_sub(y, x, apart);
        const double gap = v3_dot(apart, u) - p->b.core.radius;
        if (!(gap <= p->reach) || gap < g - tie_round * p->size) continue;
        v3_along(x, gap, u, y);
        put_point(p, 16 * (unsigned)i + END, x, y, u, gap);
    }
}

static bool face_normal(const patch *f, const double u[3], double n[3])
{
    double one[3], two[3], out[3];
    v3_sub(f->x[1], f->x[0], one);
    v3_sub(f->x[f->n - 1], f->x[0], two);
    v3_cross(one, two, out);
    return unit_along(out, u, n);
}

static void manifold(round_pair *p, const best *b, double g)
{
    const double *u = b->u, back[3] = {-u[0], -u[1], -u[2]};
    double d2[3], n[3], off[3];
    patch one, two;
    m3_mul_t(p->b.R, back, d2);
    patch_facing(p->s1, u, manifold_tol, &one);
    patch_facing(p->s2, d2, manifold_tol, &two);
    patch_move(&two, p->b.R, p->b.t);
    const double off_cap = one.n > 2 ? hypot(u[0], u[1]) : 1;
    double off_face = 1;
    if (two.n > 2 && face_normal(&two, u, n)) {
        v3_sub(n, u, off);
        off_face = v3_norm(off);
    }
    const int before = p->n;
    if (off_face <= off_cap && off_face < 1) {
        over_face(p, &two, n, g);
    } else if (off_cap < 1) {
        over_cap(p, two, u[2] > 0 ? 1 : -1, g);
    } else if (one.n == 2 && two.n == 2) {
        along_side(p, &one, &two, u, g);
    }
    const bool caps = p->s2->kind == PCS_SHAPE_CYLINDER && off_face < 1 && off_cap < 1;
    if (caps && p->n == before) over_lens(p, n, g);
}

// ---- the pair ---------------------------------------------------------------------------------

// the place of an overlap, from the extreme features along u: a point of one shape, or the crossing
// of two lines
static void place_contact(const round_pair *p, const convex_gap *c, best *b)
{
    if (b->placed) return;
    v3_copy(c->x1, b->x1);
    v3_copy(c->x2, b->x2);
    if (!c->overlap) return;
    const double back[3] = {-b->u[0], -b->u[1], -b->u[2]};
    double d2[3], along[3], across[3], from[3];
    patch one, two;
    m3_mul_t(p->b.R, back, d2);
    patch_facing(p->s1, b->u, foremost_tol, &one);
    patch_facing(p->s2, d2, foremost_tol, &two);
    patch_move(&two, p->b.R, p->b.t);
    if (one.n == 1) {
        v3_copy(one.x[0], b->x1);
    } else if (two.n == 1) {
        v3_along(two.x[0], -b->s, b->u, b->x1);
    } else if (one.n == 2 && two.n == 2) {
        v3_sub(one.x[1], one.x[0], along);
        v3_sub(two.x[1], two.x[0], from);
        v3_cross(from, b->u, across);
        v3_sub(two.x[0], one.x[0], from);
        const double t = v3_dot(from, across) / v3_dot(along, across);
        if (isfinite(t)) v3_along(one.x[0], fmin(1, fmax(0, t)), along, b->x1);
    } else if (one.n > 2 && two.n > 2 && p->s2->kind == PCS_SHAPE_CYLINDER) {
        double centre[3], x[3][3];
        centre_of_cap(p, b->u, centre);
        if (find_lens(p, centre, b->u[2] > 0 ? 1 : -1, x)) v3_copy(x[0], b->x1);
    }
}

int collide_cylinder_convex(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    round_pair p = {.s1 = s1, .s2 = s2, .reach = reach, .out = out};
    solid_place(s2, q2, s1, q1, &p.b);
    solid_core(s1, &p.core);
    memcpy(p.at.R, p.b.R, sizeof p.at.R);
    v3_copy(p.b.t, p.at.t);
    const double radius = p.b.core.radius;
    p.size = convex_extent(&p.core) + convex_extent(&p.b.core) + radius;
    const double far = hypot(s1->radius, s1->half[2]) + convex_extent(&p.b.core) + radius + reach;
    if (!(v3_dot(p.b.t, p.b.t) <= far * far) || !(far >= 0)) return 0;
    convex_gap c;
    const gjk_result met = convex_apart(&p.core, &p.b.core, &p.at, reach + radius, &c);
    if (met == GJK_BEYOND) return 0;
    if (met != GJK_APART || c.distance < touching * p.size) find_overlap(&p, &c);

    best b = {.s = -INFINITY};
    try_direction(&p, c.u, NULL, NULL, 0, &b);
    improve(&p, &c, &b);
    const double g = b.s - radius;
    if (!(g <= reach)) return 0;
    place_contact(&p, &c, &b);

    // the closest first: the point of the face or the side that coincides with it, if there is one
    manifold(&p, &b, g);
    int first = -1;
    for (int i = 0; i < p.n; ++i) {
        if (p.gap[i] <= g + tie * p.size && (first < 0 || p.gap[i] < p.gap[first])) first = i;
    }
    if (first < 0) {
        double y[3];
        p.n = 0;
        v3_along(b.x1, g, b.u, y);
        put_point(&p, CYLINDER_CLOSEST, b.x1, y, b.u, g);
        manifold(&p, &b, g);
    } else if (first > 0) {
        const pcs_feature f = out[first];
        memmove(out + 1, out, (size_t)first * sizeof *out);
        out[0] = f;
    }
    return p.n;
}
