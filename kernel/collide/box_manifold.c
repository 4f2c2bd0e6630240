// The contacts around the closest features of two boxes; see box_box.c.
#include "collide/box_box.h"

#include <math.h>

#include "base/base.h"
#include "linalg/m3.h"

// sine below which the normal is that of the face: the gap errs by half its square, relatively
static const double flush_tol = 1e-6;

// sine below which nearly opposite faces, and edges that are nearly parallel to each
// other, give more contacts than the closest one
static const double manifold_tol = 0.05;

// a vertex this far beyond the outline of a face is still above it, so that boxes of one size on
// top of each other keep their ids
static const double snap_tol = 1e-7;

// two contacts nearer than this are one
static const double duplicate_tol = 1e-6;

// adds a contact unless its features, or its place, are taken already
static void add(box_contacts *list, const box_contact *c, double size)
{
    if (list->n == PCS_FEATURES_MAX) return;
    const unsigned id = box_contact_id(c);
    for (int i = 0; i < list->n; ++i) {
        box_contact *other = &list->at[i];
        if (list->id[i] == id) return;

        double apart[3];
        v3_sub(other->at, c->at, apart);
        if (v3_norm(apart) < duplicate_tol * size) {
            // the deeper of the two stays; the first of the list is the deepest
            if (i > 0 && c->g < other->g - box_tie * size) {
                *other = *c;
                list->id[i] = id;
            }
            return;
        }
    }
    list->id[list->n] = id;
    list->at[list->n++] = *c;
}

// the face to clip against
typedef struct reference {
    bool of1;
    int axis;
    bool flush; // its normal is the normal of the contact
} reference;

static int largest(const double u[3], double *sine2)
{
    int i = fabs(u[1]) > fabs(u[0]) ? 1 : 0;
    if (fabs(u[2]) > fabs(u[i])) i = 2;
    const int k = axis_next(i), l = axis_next(k);
    *sine2 = u[k] * u[k] + u[l] * u[l];
    return i;
}

// true when an edge of box 2 is nearly along face i of box 1
static bool has_edge_along(const box_pair *b, int i)
{
    return fmin(fabs(b->R[i]), fmin(fabs(b->R[i + 3]), fabs(b->R[i + 6]))) <= manifold_tol;
}

// The face whose normal is u, box 1 first; else, of the faces about along u that a face or an edge
// of the other box lies along, the better one. An edge of a box that hangs over the outline of a
// face crosses an edge of it: u is then the normal of the two edges, and the other end is on the
// face.
static bool find_reference(const box_pair *b, const double u[3], reference *r)
{
    double u2[3], off1, off2;
    m3_mul_t(b->R, u, u2);
    const int i = largest(u, &off1), j = largest(u2, &off2);

    r->of1 = off1 <= flush_tol * flush_tol;
    r->flush = r->of1 || off2 <= flush_tol * flush_tol;
    if (!r->flush) {
        const double limit = manifold_tol * manifold_tol;
        const box_pair e = box_exchange(b);
        const bool on1 = off1 <= limit && has_edge_along(b, i);
        const bool on2 = off2 <= limit && has_edge_along(&e, j);
        if (!on1 && !on2) return false;
        r->of1 = on1 && (!on2 || off1 <= off2);
    }
    r->axis = r->of1 ? i : j;
    return true;
}

// a corner of the clipped face, in the frame of the reference box, with the parts of both boxes it
// lies on
typedef struct corner {
    double x[3];
    box_part of_reference, of_other;
} corner;

// the part that two parts have in common, which joins two corners
static box_part joining(box_part a, box_part b)
{
    box_part p;
    for (int i = 0; i < 3; ++i) {
        p.c[i] = (signed char)(a.c[i] == b.c[i] ? a.c[i] : 0);
    }
    return p;
}

enum { CORNERS_MAX = 8 };

typedef struct polygon {
    corner at[2][CORNERS_MAX]; // those of the last cut, and room for the next
    int now, n;
} polygon;

// keeps the side sign x_k <= limit of a polygon (Sutherland and Hodgman 1974)
static void clip(polygon *p, int k, int sign, double limit, double snap)
{
    const corner *in = p->at[p->now];
    double d[CORNERS_MAX];
    bool all = true;
    for (int i = 0; i < p->n; ++i) {
        d[i] = sign * in[i].x[k] - limit;
        all = all && d[i] <= snap;
    }
    if (all) return;
    corner *out = p->at[!p->now];
    int m = 0;
    for (int i = 0; i < p->n; ++i) {
        const int next = i + 1 < p->n ? i + 1 : 0;
        const corner *a = &in[i], *b = &in[next];
        if (d[i] <= snap) out[m++] = *a;
        if ((d[i] <= snap) == (d[next] <= snap)) continue;

        // a corner that the snap kept may be beyond the plane: then the cut is at the corner
        const double s = fmin(1, fmax(0, d[i] / (d[i] - d[next])));
        corner *c = &out[m++];
        for (int i2 = 0; i2 < 3; ++i2) {
            c->x[i2] = a->x[i2] + s * (b->x[i2] - a->x[i2]);
        }
        c->of_other = joining(a->of_other, b->of_other);
        c->of_reference = joining(a->of_reference, b->of_reference);
        c->of_reference.c[k] = (signed char)sign;
    }
    p->now = !p->now;
    p->n = m;
}

// the face of box 2 opposite to face (axis, sign) of box 1, clipped to its outline
static void clip_face(const box_pair *b, int axis, int sign, double snap, polygon *out)
{
    // the face most opposite to the reference; a higher number must lead clearly
    int j = 0;
    for (int m = 1; m < 3; ++m) {
        if (fabs(b->R[axis + 3 * m]) > fabs(b->R[axis + 3 * j]) + flush_tol) j = m;
    }
    const int m = axis_next(j), n = axis_next(m), k = axis_next(axis), l = axis_next(k);
    const signed char side = (signed char)-box_sign(sign * b->R[axis + 3 * j]);

    static const signed char round[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    corner *a = out->at[0];
    out->now = 0;
    out->n = 4;
    for (int v = 0; v < 4; ++v) {
        a[v] = (corner){.of_reference = {{0, 0, 0}}};
        a[v].of_reference.c[axis] = (signed char)sign;
        a[v].of_other.c[j] = side;
        a[v].of_other.c[m] = round[v][0];
        a[v].of_other.c[n] = round[v][1];
        box_part_middle(a[v].of_other, b->half2, a[v].x);
        box_from_2(b, a[v].x, a[v].x);
    }
    clip(out, k, 1, b->half1[k], snap);
    clip(out, k, -1, b->half1[k], snap);
    clip(out, l, 1, b->half1[l], snap);
    clip(out, l, -1, b->half1[l], snap);
}

// the contacts of the reference face, gaps along its normal
static int face_contacts(const box_pair *b, const reference *r, const double u[3], double size,
                         box_contact out[CORNERS_MAX])
{
    box_pair e;
    if (!r->of1) e = box_exchange(b);
    const box_pair *f = r->of1 ? b : &e;
    double u2[3], normal[3];
    m3_mul_t(b->R, u, u2);
    const int axis = r->axis, sign = r->of1 ? box_sign(u[axis]) : -box_sign(u2[axis]);
    box_part face = {{0, 0, 0}};
    face.c[axis] = (signed char)sign;
    box_part_direction(face, normal);

    polygon clipped;
    clip_face(f, axis, sign, snap_tol * size, &clipped);
    for (int i = 0; i < clipped.n; ++i) {
        const corner *k = &clipped.at[clipped.now][i];
        double x[3];

        // vertices first, then points of cuts
        const box_part o = k->of_other;
        if (o.c[0] && o.c[1] && o.c[2]) {
            box_part_middle(o, f->half2, x);
        } else {
            box_into_2(f, k->x, x);
        }

        box_contact *c = &out[i];
        *c = (box_contact){.g = sign * k->x[axis] - f->half1[axis]};
        if (r->of1) {
            c->kind = PCS_FEATURE_PLANE_POINT;
            c->part1 = k->of_reference;
            c->part2 = o;
            box_part_middle(face, b->half1, c->x1);
            v3_copy(normal, c->d1);
            v3_copy(x, c->x2);
            v3_copy(normal, c->u);
            v3_along(k->x, -c->g, normal, c->at);
        } else {
            c->kind = PCS_FEATURE_POINT_PLANE;
            c->part1 = o;
            c->part2 = k->of_reference;
            v3_copy(x, c->x1);
            box_part_middle(face, b->half2, c->x2);
            v3_copy(normal, c->d2);
            m3_mul(b->R, normal, c->u);
            v3_scale(-1, c->u, c->u);
            v3_copy(x, c->at);
        }
    }
    return clipped.n;
}

// The end, on side s of axis i of box 1, of the part that two edges (along i, and along j of box 2)
// share: the nearer of the two ends. False if they share nothing there.
static bool edge_end(const box_pair *b, int i, int j, int s, box_contact *c)
{
    const double *bj = b->R + 3 * j;
    double p[3], to[3];
    box_part_middle(c->part1, b->half1, c->x1);
    box_part_middle(c->part2, b->half2, c->x2);
    box_from_2(b, c->x2, p);

    if (b->half1[i] < s * p[i] + b->half2[j] * fabs(bj[i])) {
        c->kind = PCS_FEATURE_POINT_EDGE;
        c->part1.c[i] = (signed char)s;
        c->x1[i] = s * b->half1[i];
        v3_sub(c->x1, p, to);
        c->x2[j] = v3_dot(to, bj);
        return fabs(c->x2[j]) <= b->half2[j];
    }
    c->kind = PCS_FEATURE_EDGE_POINT;
    c->part2.c[j] = (signed char)(s * box_sign(bj[i]));
    c->x2[j] = c->part2.c[j] * b->half2[j];
    box_from_2(b, c->x2, p);
    c->x1[i] = p[i];
    return fabs(c->x1[i]) <= b->half1[i];
}

// true when a part, its extension along axis i apart, is an edge along i about normal to u
static bool edge_along(box_part p, int i, const double u[3])
{
    return p.c[axis_next(i)] && p.c[axis_next(axis_next(i))] && fabs(u[i]) <= manifold_tol;
}

// separated parallel edges touch on a length: its ends
static void add_edge_ends(const box_pair *b, const box_contact *closest, double reach, double size,
                          box_contacts *list)
{
    double u2[3];
    m3_mul_t(b->R, closest->u, u2);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int k = axis_next(i), l = axis_next(k);
            const double *bj = b->R + 3 * j;
            if (!edge_along(closest->part1, i, closest->u)) continue;
            if (!edge_along(closest->part2, j, u2)) continue;
            if (bj[k] * bj[k] + bj[l] * bj[l] > manifold_tol * manifold_tol) continue;

            for (int s = -1; s <= 1; s += 2) {
                box_contact c = {.part1 = closest->part1, .part2 = closest->part2};
                c.part1.c[i] = c.part2.c[j] = 0;
                if (!edge_end(b, i, j, s, &c)) continue;

                // only points apart in the same direction belong to this line of contact
                double p[3], apart[3];
                box_from_2(b, c.x2, p);
                v3_sub(p, c.x1, apart);
                c.g = v3_norm(apart);
                const double same = c.g > box_noise * size ? 1 - manifold_tol : 0;
                if (!(c.g <= reach) || !(v3_dot(apart, closest->u) > same * c.g)) {
                    continue;
                }
                v3_scale(1 / c.g, apart, c.u);
                v3_copy(c.x1, c.at);
                box_part_direction(c.part1, c.d1);
                box_part_direction(c.part2, c.d2);
                add(list, &c, size);
            }
        }
    }
}

void box_manifold(const box_pair *b, const box_contact *c, double reach, double size,
                  box_contacts *list)
{
    // the contacts of a face, if there is one; none may be deeper than the gap, except by what the
    // snap admits
    reference r;
    box_contact found[CORNERS_MAX];
    const bool face = find_reference(b, c->u, &r);
    const int n = face ? face_contacts(b, &r, c->u, size, found) : 0;
    const double slack = box_tie * size + flush_tol * flush_tol * fabs(c->g);
    const double least = c->g - slack - manifold_tol * snap_tol * size;

    // the closest comes first: the point of the face that coincides with it, if there is one
    list->n = 0;
    int first = -1;
    for (int i = 0; i < n && r.flush; ++i) {
        if (fabs(found[i].g - c->g) > slack) continue;
        if (first < 0 || found[i].g < found[first].g - box_tie * size) first = i;
    }
    add(list, first < 0 ? c : &found[first], size);
    for (int i = 0; i < n; ++i) {
        if (found[i].g <= reach && found[i].g >= least) add(list, &found[i], size);
    }
    if (!(face && r.flush) && c->g > 0) add_edge_ends(b, c, reach, size, list);
}
