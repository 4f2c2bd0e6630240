// A cylinder against a box, a capsule, a hull or another cylinder, in the frame of the cylinder.
//
// The direction u from 1 to 2, the gap and the closest points come from cylinder_closest.c.
//
// If u is normal to a face or a cap, the part that lies on it is cut to its outline; if the side is
// nearly parallel to an edge or to another side, the ends of the part they share are contacts, each
// with its own normal. Otherwise there is one contact: a point of the cylinder and the plane
// through the point of 2 across u. Two caps may overlap although their outlines do not: then the
// corners of the lens that both discs have in common are contacts.
//
// The first contact has the gap of the pair and the normal -u. Where a point of a face or a side is
// at its place, it has the id of this point.
//
// Ids: the number of the point (of the rim, of the other shape), times 16, plus its kind.
#include <string.h>

#include "base/base.h"
#include "collide/collide.h"
#include "collide/cylinder.h"
#include "collide/cylinder_closest.h"
#include "collide/geometry.h"
#include "collide/patch.h"
#include "collide/solid.h"
#include "rotation/pose.h"

// sine below which faces lie on each other, and edges along each other
static const double manifold_tol = 0.05;

// tolerances relative to the size of the pair: of equal lengths, of points that are no deeper than
// the gap, of equal points, of a point beyond an outline that is still above the face
static const double tie = 1e-12, deeper_tol = 1e-14, same_tol = 1e-6, snap_tol = 1e-7;

// cosine of the angle up to which the normal at the end of a side may be turned from the closest
// one
static const double along_cosine = 0.9;

// the closest point keeps the name of a point of a face at its place if their normals differ less
static const double like_normal = 1e-3;

enum { ENDS = 6 };                             // rounds for an end of a side
enum { OUTLINE = 12 };                         // corners of a cap as an outline
enum { POINT = 0, CUT = 1, END = 4, CAP = 8 }; // parts of ids; CUT leaves room for two

static const double z_axis[3] = {0, 0, 1};

typedef struct round_pair {
    const pcs_shape *s1, *s2;
    solid b; // shape 2 in the frame of the cylinder
    double reach, size;
    pcs_feature *out;
    int n;
    double gap[PCS_FEATURES_MAX], place[PCS_FEATURES_MAX][3], u[PCS_FEATURES_MAX][3];
} round_pair;

// d (any length) as a unit vector with the sign with which it points along u
static bool unit_along(const double d[3], const double u[3], double out[3])
{
    if (!(v3_unit(d, out) > 0)) return false;
    if (v3_dot(out, u) < 0) v3_scale(-1, out, out);
    return true;
}

// ---- the list ---------------------------------------------------------------------------------

static void put(round_pair *p, const pcs_feature *f, const double at[3], const double u[3],
                double gap)
{
    if (p->n == PCS_FEATURES_MAX) return;
    for (int i = 0; i < p->n; ++i) {
        double apart[3];
        v3_sub(p->place[i], at, apart);
        if (p->out[i].id == f->id || v3_norm(apart) < same_tol * p->size) return;
    }
    p->out[p->n] = *f;
    p->gap[p->n] = gap;
    v3_copy(u, p->u[p->n]);
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
    put(p, &f, x, u, gap);
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
    put(p, &f, at, z, gap);
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
    patch_clip(&f, face->n, face->x[0], u, snap_tol * p->size, 0);
    for (int i = 0; i < f.n; ++i) {
        double to[3], y[3];
        v3_sub(face->x[0], f.x[i], to);
        const double gap = v3_dot(to, u) - p->b.core.radius;
        if (!(gap <= p->reach) || gap < g - deeper_tol * p->size) continue;
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
        if (!(gap <= p->reach) || gap < g - deeper_tol * p->size) continue;
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
    patch_clip(&f, OUTLINE, cap.x[0], z, snap_tol * p->size, 0);
    for (int i = 0; i < f.n; ++i) {
        const double gap = side * f.x[i][2] - p->s1->half[2] - p->b.core.radius;
        if (!(gap <= p->reach) || gap < g - deeper_tol * p->size) continue;
        put_on_cap(p, clipped_id(&f, i, &cap, &cuts) + CAP, f.x[i], side, gap);
    }
}

// the part of d across e, as a unit vector
static void across(const double d[3], const double e[3], double out[3])
{
    v3_along(d, -v3_dot(d, e), e, out);
    v3_unit(out, out);
}

// Adds the ends of the common part of the side and an edge, or a side, of 2
static void along_side(round_pair *p, const patch *two, const double u[3], double g)
{
    double e[3], a[3], b[3], from = -p->s1->half[2], to = p->s1->half[2];
    const bool round = p->s2->kind == PCS_SHAPE_CYLINDER;
    const double r1 = p->s1->radius, r2 = round ? p->s2->radius : p->b.core.radius;
    if (round) {
        v3_along(p->b.t, p->s2->half[2], p->b.R + 6, a);
        v3_along(p->b.t, -p->s2->half[2], p->b.R + 6, b);
    } else {
        v3_copy(two->x[0], a);
        v3_copy(two->x[1], b);
    }
    v3_sub(b, a, e);
    const double length = v3_unit(e, e);
    if (!(length > 0) || !(1 - e[2] * e[2] <= manifold_tol * manifold_tol)) return;
    const double low = fmin(a[2], b[2]), high = fmax(a[2], b[2]);
    from = fmax(from, low);
    to = fmin(to, high);
    for (int i = 0; i < 2 && from <= to; ++i) {
        // the rim at the end of one and the side of the other, each where the other is nearest
        const double z = i == 0 ? from : to, t = (z - a[2]) / e[2];
        const bool own = fabs(z) == p->s1->half[2];
        double q[3], n[3], x[3], y[3], d[3], r[3];
        v3_copy(u, n);
        v3_along(a, t, e, q);
        for (int k = 0; k < ENDS; ++k) {
            if (own) {
                across(n, z_axis, r);
                v3_scale(r1, r, x);
                x[2] = z;
                v3_sub(x, a, d);
                v3_along(a, fmin(length, fmax(0, v3_dot(d, e))), e, q);
                v3_sub(q, x, d);
                v3_along(d, r1, n, d);
                across(d, e, n);
            } else {
                across(n, e, r);
                v3_along(q, -r2, r, y);
                v3_along(y, r2, n, d);
                across(d, z_axis, n);
            }
            if (v3_dot(n, u) < 0) v3_scale(-1, n, n);
        }
        if (own) {
            v3_along(q, -r2, n, y);
        } else {
            v3_scale(r1, n, x);
            x[2] = fmin(p->s1->half[2], fmax(-p->s1->half[2], y[2]));
        }
        v3_sub(y, x, d);
        const double gap = v3_dot(d, n);
        if (!(v3_dot(n, u) >= along_cosine)) continue;
        if (!(gap <= p->reach) || gap < g - deeper_tol * p->size) continue;
        v3_along(x, gap, n, y);
        put_point(p, 16 * (unsigned)i + END, x, y, n, gap);
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

// the contacts of faces and sides that lie on each other
static void manifold(round_pair *p, const cylinder_gap *b, double g)
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
        along_side(p, &two, u, g);
    }
    const bool caps = p->s2->kind == PCS_SHAPE_CYLINDER && off_face < 1 && off_cap < 1;
    if (caps && p->n == before) over_lens(p, n, g);
}

// ---- the pair ---------------------------------------------------------------------------------

int collide_cylinder_convex(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    round_pair p = {.s1 = s1, .s2 = s2, .reach = reach, .out = out};
    solid_place(s2, q2, s1, q1, &p.b);
    cylinder_pair at = {.s1 = s1, .s2 = s2, .b = p.b};
    solid_core(s1, &at.core);
    memcpy(at.at.R, p.b.R, sizeof at.at.R);
    v3_copy(p.b.t, at.at.t);
    const double radius = p.b.core.radius;
    at.size = p.size = convex_extent(&at.core) + convex_extent(&p.b.core) + radius;
    const double far = p.size + reach;
    if (!(v3_dot(p.b.t, p.b.t) <= far * far) || !(far >= 0)) return 0;
    cylinder_gap b;
    if (!cylinder_closest(&at, reach + radius, &b)) return 0;
    const double g = b.s - radius;
    if (!(g <= reach)) return 0;

    // The closest first: the point of a face or a side at its place, if there is one, but with the
    // closest normal; or a point of these whose normal separates as far
    manifold(&p, &b, g);
    const double least = tie * p.size;
    int first = -1, here = -1;
    for (int i = 0; i < p.n; ++i) {
        double off[3], turn[3];
        v3_sub(p.place[i], b.x1, off);
        v3_sub(p.u[i], b.u, turn);
        const double turned = v3_norm(turn);
        if (b.placed && v3_norm(off) < same_tol * p.size && turned <= like_normal) {
            here = turned <= tie ? -1 : i;
            if (here < 0) first = i;
            break;
        }
        if (p.gap[i] > g + least || (first >= 0 && p.gap[i] >= p.gap[first])) continue;
        const double s = convex_separation(&at.core, &p.b.core, &at.at, p.u[i], NULL, NULL);
        if (s - radius >= g - least) first = i;
    }
    if (first < 0 || here >= 0) {
        double y[3];
        const unsigned id = here >= 0 ? out[here].id : CYLINDER_CLOSEST;
        p.n = 0;
        v3_along(b.x1, g, b.u, y);
        put_point(&p, id, b.x1, y, b.u, g);
        manifold(&p, &b, g);
    } else if (first > 0) {
        const pcs_feature f = out[first];
        memmove(out + 1, out, (size_t)first * sizeof *out);
        out[0] = f;
    }
    return p.n;
}

// cylinder 1, whose rim gives the points of two caps or sides, is the larger one
static bool in_order(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    if (s1->radius != s2->radius) return s1->radius > s2->radius;
    if (s1->half[2] != s2->half[2]) return s1->half[2] > s2->half[2];
    return collide_leads(s1, q1, s2, q2);
}

int collide_cylinder_cylinder(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                              const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    if (in_order(s1, q1, s2, q2)) return collide_cylinder_convex(s1, q1, s2, q2, reach, out);
    const int n = collide_cylinder_convex(s2, q2, s1, q1, reach, out);
    for (int i = 0; i < n; ++i) {
        collide_mirror(&out[i], q2, q1);
    }
    return n;
}
