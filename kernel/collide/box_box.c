// Two boxes. With u a unit direction from box 1 to box 2, t the vector between the centres and
// h(u) = sum_i half_i |u . axis_i| the reach of a box along u,
//     s(u) = |u . t| - h1(u) - h2(u)
// is never more than the signed gap. Overlapping boxes: the gap is the largest s over the 15 axes
// where it can be largest (3 + 3 face normals, 9 products of edges). Separated boxes: the gap is
// the distance of the closest features, searched among all vertices against the other box and all
// pairs of edges; no margin, no iteration.
//
// Where the normal is that of a face, the face of the other box that looks at it is clipped to
// its outline, and every corner of what is left is a contact of the face's plane with a point of
// the other box.
//
// Work is done in the frame of box 1. A part of a box (face, edge, vertex) is written as the signs
// of its coordinates: (0 0 +) the upper face, (0 + +) an edge along x, (- + +) a vertex. An id is
// made of the parts that face each other. A corner of the one box over a face of the other, and
// edges that cross, have the same id whichever face was clipped.
#include "collide/collide.h"

#include <stdlib.h>

#include "base/base.h"
#include "rotation/pose.h"

// All lengths below are relative to the sum of the half edges of both boxes.

// axes whose s are closer than this are equal: faces before edges, box 1 before box 2
static const double tie_tol = 1e-14;

// boxes nearer than this touch: the direction between their closest points is rounding noise, and
// the best of the 15 axes is the normal. The gap errs by less than this
static const double touch_tol = 1e-13;

// sine of the angle between edges whose product is no direction: skipping the axis costs less than
// this in the gap
static const double parallel_tol = 1e-14;

// a point that stands less than this beyond a face is not beyond it (relative to the half edge)
static const double surface_tol = 1e-14;

// sine below which the normal is that of the face: the gap errs by half its square, relatively
static const double flush_tol = 1e-6;

// sine below which faces that nearly look at each other, and edges that nearly run along each
// other, give more contacts than the closest one
static const double manifold_tol = 0.05;

// a vertex this far beyond the outline of a face is still above it, so that boxes of one size on
// top of each other keep their ids
static const double snap_tol = 1e-7;

// two contacts nearer than this are one
static const double duplicate_tol = 1e-6;

typedef struct part {
    signed char c[3];
} part;

// both boxes in the frame of one of them, box 1 unless said otherwise
typedef struct boxes {
    double half1[3], half2[3];
    double R[9]; // axes of box 2
    double t[3]; // centre of box 2
} boxes;

// one contact; x1 and d1 in the frame of box 1, x2 and d2 in that of box 2, as in pcs_feature
typedef struct contact {
    pcs_feature_kind kind;
    part part1, part2;
    double x1[3], d1[3], x2[3], d2[3];
    double u[3]; // unit, from box 1 to box 2, frame of box 1
    double g;
    double at[3]; // where it is, frame of box 1
} contact;

typedef struct contact_list {
    contact at[PCS_FEATURES_MAX];
    int n;
} contact_list;

static int next(int i)
{
    return i == 2 ? 0 : i + 1;
}

static signed char sign_of(double x)
{
    return x < 0 ? -1 : 1;
}

static unsigned part_number(part p)
{
    return (unsigned)(p.c[0] + 1 + 3 * (p.c[1] + 1) + 9 * (p.c[2] + 1));
}

static unsigned contact_id(const contact *c)
{
    return 27 * part_number(c->part1) + part_number(c->part2);
}

// the point of a part that is in the middle of it
static void part_middle(part p, const double half[3], double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = p.c[i] * half[i];
    }
}

// the normal of a face, the direction of an edge, nothing for a vertex
static void part_direction(part p, double d[3])
{
    const int face = abs(p.c[0]) + abs(p.c[1]) + abs(p.c[2]) == 1;
    for (int i = 0; i < 3; ++i) {
        d[i] = face ? p.c[i] : p.c[i] == 0;
    }
}

// frame of box 2 to frame of box 1 and back; y may be x
static void from_2(const boxes *b, const double x[3], double y[3])
{
    double Rx[3];
    m3_mul(b->R, x, Rx);
    v3_along(b->t, 1, Rx, y);
}

static void into_2(const boxes *b, const double x[3], double y[3])
{
    double r[3];
    v3_sub(x, b->t, r);
    m3_mul_t(b->R, r, y);
}

// the same two boxes with their names exchanged
static boxes exchanged(const boxes *b)
{
    boxes e;
    m3_mul_t(b->R, b->t, e.t);
    for (int i = 0; i < 3; ++i) {
        e.t[i] = -e.t[i];
        e.half1[i] = b->half2[i];
        e.half2[i] = b->half1[i];
        for (int j = 0; j < 3; ++j) {
            e.R[i + 3 * j] = b->R[j + 3 * i];
        }
    }
    return e;
}

static boxes place(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    boxes b;
    double R1[9], R2[9], x1[3], x2[3], d[3];
    quat_matrix(s1->orientation, R1);
    quat_matrix(s2->orientation, R2);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q1, R1 + 3 * j, R1 + 3 * j);
        pose_direction(q2, R2 + 3 * j, R2 + 3 * j);
    }
    pose_point(q1, s1->position, x1);
    pose_point(q2, s2->position, x2);
    v3_sub(x2, x1, d);
    m3_mul_t(R1, d, b.t);
    for (int j = 0; j < 3; ++j) {
        m3_mul_t(R1, R2 + 3 * j, b.R + 3 * j);
        b.half1[j] = s1->half[j];
        b.half2[j] = s2->half[j];
    }
    return b;
}

// ---- separating axes

typedef struct axes {
    double face1, face2, edge; // the largest s of each family
    int i1, j2;                // the face of box 1, of box 2
    int i, j;                  // the edges
} axes;

// fills in the 15 s; false as soon as one is beyond reach (or is not a number)
static bool separate(const boxes *b, double reach, axes *a)
{
    *a = (axes){.face1 = -INFINITY, .face2 = -INFINITY, .edge = -INFINITY};

    double A[9];
    for (int k = 0; k < 9; ++k) {
        A[k] = fabs(b->R[k]);
    }
    for (int i = 0; i < 3; ++i) {
        const double h2 = A[i] * b->half2[0] + A[i + 3] * b->half2[1] + A[i + 6] * b->half2[2];
        const double s = fabs(b->t[i]) - b->half1[i] - h2;
        if (!(s <= reach)) return false;
        if (s > a->face1) {
            a->face1 = s;
            a->i1 = i;
        }
    }
    for (int j = 0; j < 3; ++j) {
        const double s =
            fabs(v3_dot(b->t, b->R + 3 * j)) - b->half2[j] - v3_dot(A + 3 * j, b->half1);
        if (!(s <= reach)) return false;
        if (s > a->face2) {
            a->face2 = s;
            a->j2 = j;
        }
    }

    // a_i x b_j = (0, -R_lj, R_kj) in the order (i, k, l). Its products with the other axes of box
    // 2 are taken as they are and not from R^T R = I: the error then stays below rounding of s
    // however small the angle between the edges
    for (int i = 0; i < 3; ++i) {
        const int k = next(i), l = next(k);
        for (int j = 0; j < 3; ++j) {
            const double *bj = b->R + 3 * j;
            const double square = bj[k] * bj[k] + bj[l] * bj[l];
            if (square < parallel_tol * parallel_tol) continue;

            const double *bm = b->R + 3 * next(j), *bn = b->R + 3 * next(next(j));
            const double h1 = b->half1[k] * fabs(bj[l]) + b->half1[l] * fabs(bj[k]);
            const double h2 = b->half2[next(j)] * fabs(bj[k] * bm[l] - bj[l] * bm[k]) +
                              b->half2[next(next(j))] * fabs(bj[k] * bn[l] - bj[l] * bn[k]);
            const double s = (fabs(bj[k] * b->t[l] - bj[l] * b->t[k]) - h1 - h2) / sqrt(square);
            if (s > reach) return false;
            if (s > a->edge) {
                a->edge = s;
                a->i = i;
                a->j = j;
            }
        }
    }
    return true;
}

// ---- the closest features

// the unit vector along a_i x b_j that points from box 1 to box 2
static void edge_direction(const boxes *b, int i, int j, const double from1to2[3], double u[3])
{
    const int k = next(i), l = next(k);
    const double *bj = b->R + 3 * j;
    const double norm = sqrt(bj[k] * bj[k] + bj[l] * bj[l]);
    u[i] = 0;
    u[k] = -bj[l] / norm;
    u[l] = bj[k] / norm;
    if (v3_dot(u, from1to2) >= 0) return;
    for (int c = 0; c < 3; ++c) {
        u[c] = -u[c];
    }
}

// where the lines of two edges come closest: seen along the edge of box 1, it is a point, and the
// other a line
static void meet_lines(const boxes *b, int i, int j, contact *c)
{
    const int k = next(i), l = next(k);
    const double *bj = b->R + 3 * j;
    double middle2[3], p[3];
    part_middle(c->part1, b->half1, c->x1);
    part_middle(c->part2, b->half2, middle2);
    from_2(b, middle2, p);

    const double along =
        -((p[k] - c->x1[k]) * bj[k] + (p[l] - c->x1[l]) * bj[l]) / (bj[k] * bj[k] + bj[l] * bj[l]);
    v3_along(middle2, 0, middle2, c->x2);
    c->x2[j] = along;
    c->x1[i] = p[i] + along * bj[i];
    v3_along(c->x1, 0, c->x1, c->at);
}

// overlapping or touching: the axis of the largest s, faces before edges on ties
static void deepest(const boxes *b, const axes *a, double tie, contact *c)
{
    const double best = fmax(a->face1, fmax(a->face2, a->edge));
    double u2[3];
    c->g = best;
    c->part1 = c->part2 = (part){{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        c->u[i] = 0;
    }

    if (a->face1 >= best - tie) {
        // a face of box 1 and the vertex of box 2 furthest behind it
        c->kind = PCS_PLANE_POINT;
        c->part1.c[a->i1] = sign_of(b->t[a->i1]);
        c->u[a->i1] = c->part1.c[a->i1];
        m3_mul_t(b->R, c->u, u2);
        for (int m = 0; m < 3; ++m) {
            c->part2.c[m] = (signed char)-sign_of(u2[m]);
        }
    } else if (a->face2 >= best - tie) {
        const double *axis = b->R + 3 * a->j2;
        c->kind = PCS_POINT_PLANE;
        c->part2.c[a->j2] = (signed char)-sign_of(v3_dot(b->t, axis));
        for (int m = 0; m < 3; ++m) {
            c->u[m] = -c->part2.c[a->j2] * axis[m];
            c->part1.c[m] = sign_of(c->u[m]);
        }
    } else {
        // the edges of both boxes furthest along the axis
        c->kind = PCS_EDGE_EDGE;
        edge_direction(b, a->i, a->j, b->t, c->u);
        m3_mul_t(b->R, c->u, u2);
        for (int m = 0; m < 3; ++m) {
            if (m != a->i) c->part1.c[m] = sign_of(c->u[m]);
            if (m != a->j) c->part2.c[m] = (signed char)-sign_of(u2[m]);
        }
        meet_lines(b, a->i, a->j, c);
        return;
    }
    part_middle(c->part1, b->half1, c->x1);
    part_middle(c->part2, b->half2, c->x2);
    if (c->kind == PCS_POINT_PLANE) {
        v3_along(c->x1, 0, c->x1, c->at);
    } else {
        from_2(b, c->x2, c->at);
    }
}

// a vertex of box 2 and the point of box 1 nearest to it, both in the frame of box 1
typedef struct nearest {
    double square; // of the distance
    part vertex, other;
    double x[3], foot[3];
} nearest;

static nearest vertex_to_box(const boxes *b)
{
    nearest best = {.square = INFINITY};
    for (int v = 0; v < 8; ++v) {
        nearest n = {.vertex = {{v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1}}};
        part_middle(n.vertex, b->half2, n.x);
        from_2(b, n.x, n.x);
        for (int i = 0; i < 3; ++i) {
            const double over = fabs(n.x[i]) - b->half1[i];
            n.foot[i] = n.x[i];
            if (over > surface_tol * b->half1[i]) {
                n.foot[i] = copysign(b->half1[i], n.x[i]);
                n.other.c[i] = sign_of(n.x[i]);
                n.square += over * over;
            }
        }
        if (n.square < best.square) best = n;
    }
    return best;
}

// a point against a part of the other box: plane, edge or vertex. False when the point is inside
static bool point_contact(const boxes *b, const nearest *n, bool vertex_of_2, contact *c)
{
    static const pcs_feature_kind kind1[] = {PCS_POINT_PLANE, PCS_POINT_EDGE, PCS_POINT_POINT};
    static const pcs_feature_kind kind2[] = {PCS_PLANE_POINT, PCS_EDGE_POINT, PCS_POINT_POINT};
    const int beyond = abs(n->other.c[0]) + abs(n->other.c[1]) + abs(n->other.c[2]);
    if (beyond == 0) return false;

    double u[3];
    c->g = sqrt(n->square);
    for (int i = 0; i < 3; ++i) {
        u[i] = (n->x[i] - n->foot[i]) / c->g;
    }
    if (vertex_of_2) {
        c->kind = kind2[beyond - 1];
        c->part1 = n->other;
        c->part2 = n->vertex;
        v3_along(n->foot, 0, n->foot, c->x1);
        part_middle(n->vertex, b->half2, c->x2);
        v3_along(u, 0, u, c->u);
        v3_along(n->x, 0, n->x, c->at);
    } else {
        c->kind = kind1[beyond - 1];
        c->part1 = n->vertex;
        c->part2 = n->other;
        part_middle(n->vertex, b->half1, c->x1);
        v3_along(n->foot, 0, n->foot, c->x2);
        m3_mul(b->R, u, c->u);
        v3_along(c->u, -2, c->u, c->u);
        v3_along(c->x1, 0, c->x1, c->at);
    }
    return true;
}

// whether two edges come within a distance of each other between their ends
static bool edges_within(const boxes *b, double distance)
{
    for (int i = 0; i < 3; ++i) {
        const int k = next(i), l = next(k);
        for (int j = 0; j < 3; ++j) {
            const int m = next(j), n = next(m);
            const double *bj = b->R + 3 * j;
            const double ek = bj[k], el = bj[l], e2 = ek * ek + el * el;
            if (e2 < parallel_tol * parallel_tol) continue;

            for (int s = 0; s < 16; ++s) {
                const double hm = s & 1 ? b->half2[m] : -b->half2[m];
                const double hn = s & 2 ? b->half2[n] : -b->half2[n];
                const double *bm = b->R + 3 * m, *bn = b->R + 3 * n;

                // seen along the edge of box 1: a point, and a line in the direction (ek, el)
                const double rk =
                    b->t[k] + hm * bm[k] + hn * bn[k] + (s & 4 ? b->half1[k] : -b->half1[k]);
                const double rl =
                    b->t[l] + hm * bm[l] + hn * bn[l] + (s & 8 ? b->half1[l] : -b->half1[l]);
                const double cross = rk * el - rl * ek;
                if (!(cross * cross <= distance * distance * e2)) continue;

                // between the ends of both
                const double along = -(rk * ek + rl * el) / e2;
                const double ri = b->t[i] + hm * bm[i] + hn * bn[i] + along * bj[i];
                if (fabs(along) <= b->half2[j] && fabs(ri) <= b->half1[i]) return true;
            }
        }
    }
    return false;
}

// The signed gap and who makes it. The best axis is the answer wherever two points that far apart
// are found: overlapping or touching, a vertex and a face, two edges. What remains is a vertex of
// one box beyond the edges of all faces of the other.
static void closest(const boxes *b, const axes *a, double size, contact *c)
{
    const double tie = tie_tol * size, best = fmax(a->face1, fmax(a->face2, a->edge));
    if (best > touch_tol * size) {
        const boxes e = exchanged(b);
        const nearest of2 = vertex_to_box(b), of1 = vertex_to_box(&e);
        const double d2 = sqrt(of2.square), d1 = sqrt(of1.square);
        if (fmin(d1, d2) > best + tie && !edges_within(b, best + tie) &&
            point_contact(b, d2 <= d1 + tie ? &of2 : &of1, d2 <= d1 + tie, c)) {
            return;
        }
    }
    deepest(b, a, tie, c);
}

// ---- the manifold

// adds a contact unless its features, or its place, are taken already
static void add(contact_list *list, const contact *c, double size)
{
    if (list->n == PCS_FEATURES_MAX) return;
    for (int i = 0; i < list->n; ++i) {
        contact *other = &list->at[i];
        if (contact_id(other) == contact_id(c)) return;

        double apart[3];
        v3_sub(other->at, c->at, apart);
        if (v3_norm(apart) < duplicate_tol * size) {
            // the deeper of the two stays; the first of the list is the deepest anyway
            if (i > 0 && c->g < other->g - tie_tol * size) *other = *c;
            return;
        }
    }
    list->at[list->n++] = *c;
}

// a face that may be clipped against
typedef struct reference {
    bool of1;
    int axis;
    bool flush; // its normal is the normal of the contact
} reference;

static int largest(const double u[3], double *sine2)
{
    int i = fabs(u[1]) > fabs(u[0]) ? 1 : 0;
    if (fabs(u[2]) > fabs(u[i])) i = 2;
    const int k = next(i), l = next(k);
    *sine2 = u[k] * u[k] + u[l] * u[l];
    return i;
}

// the face whose normal is u, box 1 first; failing that, of two faces that nearly look at each
// other along u, the one that does so better
static bool find_reference(const boxes *b, const double u[3], reference *r)
{
    double u2[3], off1, off2;
    m3_mul_t(b->R, u, u2);
    const int i = largest(u, &off1), j = largest(u2, &off2);

    r->of1 = off1 <= flush_tol * flush_tol;
    r->flush = r->of1 || off2 <= flush_tol * flush_tol;
    if (!r->flush) {
        const double limit = manifold_tol * manifold_tol, Rij = b->R[i + 3 * j];
        if (off1 > limit || off2 > limit || 1 - Rij * Rij > limit) return false;
        r->of1 = off1 <= off2;
    }
    r->axis = r->of1 ? i : j;
    return true;
}

// a corner of the clipped face, in the frame of the reference box, with the parts of both boxes it
// lies on
typedef struct corner {
    double x[3];
    part of_reference, of_other;
} corner;

// the part that two parts have in common: what joins two corners
static part joining(part a, part b)
{
    part p;
    for (int i = 0; i < 3; ++i) {
        p.c[i] = (signed char)(a.c[i] == b.c[i] ? a.c[i] : 0);
    }
    return p;
}

// keeps the side sign x_k <= limit of a polygon (Sutherland and Hodgman 1974)
static int clip(const corner *in, int n, int k, int sign, double limit, double snap, corner *out)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        const corner *a = &in[i], *b = &in[i + 1 < n ? i + 1 : 0];
        const double da = sign * a->x[k] - limit, db = sign * b->x[k] - limit;
        if (da <= snap) out[m++] = *a;
        if ((da <= snap) == (db <= snap)) continue;

        // a corner kept by the snap may stand beyond the plane: then the cut is the corner
        const double s = fmin(1, fmax(0, da / (da - db)));
        corner *c = &out[m++];
        for (int i2 = 0; i2 < 3; ++i2) {
            c->x[i2] = a->x[i2] + s * (b->x[i2] - a->x[i2]);
        }
        c->of_other = joining(a->of_other, b->of_other);
        c->of_reference = joining(a->of_reference, b->of_reference);
        c->of_reference.c[k] = (signed char)sign;
    }
    return m;
}

enum { CORNERS_MAX = 8 };

// the face of box 2 that looks at face (axis, sign) of box 1, clipped to its outline
static int clip_face(const boxes *b, int axis, int sign, double snap, corner out[CORNERS_MAX])
{
    // the face that looks most against the reference; a clear lead is needed over a lower number
    int j = 0;
    for (int m = 1; m < 3; ++m) {
        if (fabs(b->R[axis + 3 * m]) > fabs(b->R[axis + 3 * j]) + flush_tol) j = m;
    }
    const int m = next(j), n = next(m), k = next(axis), l = next(k);
    const signed char side = (signed char)-sign_of(sign * b->R[axis + 3 * j]);

    static const signed char round[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    corner a[CORNERS_MAX], c[CORNERS_MAX];
    for (int v = 0; v < 4; ++v) {
        a[v] = (corner){.of_reference = {{0, 0, 0}}};
        a[v].of_reference.c[axis] = (signed char)sign;
        a[v].of_other.c[j] = side;
        a[v].of_other.c[m] = round[v][0];
        a[v].of_other.c[n] = round[v][1];
        part_middle(a[v].of_other, b->half2, a[v].x);
        from_2(b, a[v].x, a[v].x);
    }
    int count = clip(a, 4, k, 1, b->half1[k], snap, c);
    count = clip(c, count, k, -1, b->half1[k], snap, a);
    count = clip(a, count, l, 1, b->half1[l], snap, c);
    return clip(c, count, l, -1, b->half1[l], snap, out);
}

// the contacts of the reference face, gaps along its normal
static int face_contacts(const boxes *b, const reference *r, const double u[3], double size,
                         contact out[CORNERS_MAX])
{
    const boxes e = exchanged(b), *f = r->of1 ? b : &e;
    double u2[3];
    m3_mul_t(b->R, u, u2);
    const int axis = r->axis, sign = r->of1 ? sign_of(u[axis]) : -sign_of(u2[axis]);
    part face = {{0, 0, 0}};
    face.c[axis] = (signed char)sign;

    corner corners[CORNERS_MAX];
    const int n = clip_face(f, axis, sign, snap_tol * size, corners);
    for (int i = 0; i < n; ++i) {
        const corner *k = &corners[i];
        double x[3], normal[3];
        part_direction(face, normal);

        // vertices as they are, cut points as they come
        const part o = k->of_other;
        if (o.c[0] && o.c[1] && o.c[2]) {
            part_middle(o, f->half2, x);
        } else {
            into_2(f, k->x, x);
        }

        contact *c = &out[i];
        *c = (contact){.g = sign * k->x[axis] - f->half1[axis]};
        if (r->of1) {
            c->kind = PCS_PLANE_POINT;
            c->part1 = k->of_reference;
            c->part2 = o;
            part_middle(face, b->half1, c->x1);
            v3_along(normal, 0, normal, c->d1);
            v3_along(x, 0, x, c->x2);
            v3_along(normal, 0, normal, c->u);
            v3_along(k->x, 0, k->x, c->at);
        } else {
            c->kind = PCS_POINT_PLANE;
            c->part1 = o;
            c->part2 = k->of_reference;
            v3_along(x, 0, x, c->x1);
            part_middle(face, b->half2, c->x2);
            v3_along(normal, 0, normal, c->d2);
            m3_mul(b->R, normal, c->u);
            v3_along(c->u, -2, c->u, c->u);
            v3_along(x, 0, x, c->at);
        }
    }
    return n;
}

// separated edges that run along each other touch on a length: the ends of it
static void add_edge_ends(const boxes *b, const contact *c, double reach, double size,
                          contact_list *list)
{
    double u2[3];
    m3_mul_t(b->R, c->u, u2);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int k = next(i), l = next(k), m = next(j), n = next(m);
            const double *bj = b->R + 3 * j;
            part edge1 = c->part1, edge2 = c->part2;
            edge1.c[i] = edge2.c[j] = 0;
            if (!edge1.c[k] || !edge1.c[l] || !edge2.c[m] || !edge2.c[n]) continue;
            if (fabs(c->u[i]) > manifold_tol || fabs(u2[j]) > manifold_tol) continue;
            if (bj[k] * bj[k] + bj[l] * bj[l] > manifold_tol * manifold_tol) continue;

            // each end is where the first of the two edges ends
            double middle1[3], middle2[3], p[3];
            part_middle(edge1, b->half1, middle1);
            part_middle(edge2, b->half2, middle2);
            from_2(b, middle2, p);
            for (int s = -1; s <= 1; s += 2) {
                contact e = {.part1 = edge1, .part2 = edge2};
                double x1[3], x2[3], apart[3];
                v3_along(middle1, 0, middle1, e.x1);
                v3_along(middle2, 0, middle2, e.x2);
                if (b->half1[i] < s * p[i] + b->half2[j] * fabs(bj[i])) {
                    e.kind = PCS_POINT_EDGE;
                    e.part1.c[i] = (signed char)s;
                    e.x1[i] = s * b->half1[i];
                    v3_sub(e.x1, p, x1);
                    e.x2[j] = v3_dot(x1, bj);
                    if (fabs(e.x2[j]) > b->half2[j]) continue;
                } else {
                    e.kind = PCS_EDGE_POINT;
                    e.part2.c[j] = (signed char)(s * sign_of(bj[i]));
                    e.x2[j] = e.part2.c[j] * b->half2[j];
                    from_2(b, e.x2, x2);
                    e.x1[i] = x2[i];
                    if (fabs(e.x1[i]) > b->half1[i]) continue;
                }
                part_direction(e.part1, e.d1);
                part_direction(e.part2, e.d2);
                from_2(b, e.x2, x2);
                v3_sub(x2, e.x1, apart);
                e.g = v3_norm(apart);

                // only what is apart in the same direction belongs to this line of contact
                if (!(e.g <= reach) || v3_dot(apart, c->u) < (1 - manifold_tol) * e.g) continue;
                for (int a = 0; a < 3; ++a) {
                    e.u[a] = apart[a] / e.g;
                }
                v3_along(e.x1, 0, e.x1, e.at);
                add(list, &e, size);
            }
        }
    }
}

// ---- the features

static void write(const contact *c, const boxes *b, const pcs_shape *s1, const pcs_shape *s2,
                  pcs_feature *f)
{
    *f = (pcs_feature){.kind = c->kind, .id = contact_id(c)};
    double u2[3];
    m3_mul_t(b->R, c->u, u2);
    for (int i = 0; i < 3; ++i) {
        u2[i] = -u2[i];
    }
    quat_turn(s1->orientation, 1, c->x1, f->p1);
    quat_turn(s1->orientation, 1, c->d1, f->d1);
    quat_turn(s2->orientation, 1, c->x2, f->p2);
    quat_turn(s2->orientation, 1, c->d2, f->d2);
    quat_turn(s2->orientation, 1, u2, f->n2);
    v3_along(f->p1, 1, s1->position, f->p1);
    v3_along(f->p2, 1, s2->position, f->p2);
}

int collide_box_box(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                    double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const boxes b = place(s1, q1, s2, q2);
    axes a;
    if (!separate(&b, reach, &a)) return 0;

    double size = 0;
    for (int i = 0; i < 3; ++i) {
        size += b.half1[i] + b.half2[i];
    }
    contact c;
    closest(&b, &a, size, &c);
    if (!(c.g <= reach)) return 0;
    part_direction(c.part1, c.d1);
    part_direction(c.part2, c.d2);

    // the contacts of a face, if there is one; none may be deeper than the gap
    reference r;
    contact found[CORNERS_MAX];
    const bool face = find_reference(&b, c.u, &r);
    const int n = face ? face_contacts(&b, &r, c.u, size, found) : 0;
    const double slack = touch_tol * size + flush_tol * flush_tol * fabs(c.g);

    // the closest comes first: one of the face when it stands for it
    contact_list list = {.n = 0};
    int first = -1;
    for (int i = 0; i < n && r.flush; ++i) {
        if (fabs(found[i].g - c.g) > slack) continue;
        if (first < 0 || found[i].g < found[first].g - tie_tol * size) first = i;
    }
    add(&list, first < 0 ? &c : &found[first], size);
    for (int i = 0; i < n; ++i) {
        if (found[i].g <= reach && found[i].g >= c.g - slack) add(&list, &found[i], size);
    }
    if (!(face && r.flush) && c.g > 0) add_edge_ends(&b, &c, reach, size, &list);

    for (int i = 0; i < list.n; ++i) {
        write(&list.at[i], &b, s1, s2, &out[i]);
    }
    return list.n;
}
