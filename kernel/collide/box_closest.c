// Separating axes and the closest features of two boxes; see box_box.c.
#include "collide/box_box.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "linalg/m3.h"

// boxes nearer than this touch: the direction between their closest points is rounding noise, and
// the best of the 15 axes is the normal. The gap errs by less than this
static const double touch_tol = 1e-13;

// sine of the angle between edges below which their product is no direction: without that axis the
// gap errs by less than this
static const double parallel_tol = 1e-14;

// the same for nearly parallel edges that touch or overlap (box_noise): their crossing and normal
// are rounding. The gap of the best face errs by less than this
static const double along_tol = 1e-8;

// a point that stands less than this beyond a face is not beyond it (relative to the half edge)
static const double surface_tol = 1e-14;

// fills in the 15 s; false as soon as one is beyond reach (or is not a number)
bool box_separate(const box_pair *b, double reach, box_axes *a)
{
    *a = (box_axes){.face1 = -INFINITY, .face2 = -INFINITY, .edge = -INFINITY};

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
    // 2 are computed, not taken from R^T R = I: the error then stays below the rounding of s for
    // any angle between the edges
    for (int i = 0; i < 3; ++i) {
        const int k = axis_next(i), l = axis_next(k);
        for (int j = 0; j < 3; ++j) {
            const double *bj = b->R + 3 * j;
            const double square = bj[k] * bj[k] + bj[l] * bj[l];
            if (square < parallel_tol * parallel_tol) continue;

            const double *bm = b->R + 3 * axis_next(j), *bn = b->R + 3 * axis_next(axis_next(j));
            const double h1 = b->half1[k] * fabs(bj[l]) + b->half1[l] * fabs(bj[k]);
            const double h2 =
                b->half2[axis_next(j)] * fabs(bj[k] * bm[l] - bj[l] * bm[k]) +
                b->half2[axis_next(axis_next(j))] * fabs(bj[k] * bn[l] - bj[l] * bn[k]);
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

// the unit vector along a_i x b_j that points from box 1 to box 2
static void edge_direction(const box_pair *b, int i, int j, const double from1to2[3], double u[3])
{
    const int k = axis_next(i), l = axis_next(k);
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

// the closest points of the lines of two edges: seen along the edge of box 1, that edge is a point
// and the other one a line
static void meet_lines(const box_pair *b, int i, int j, box_contact *c)
{
    const int k = axis_next(i), l = axis_next(k);
    const double *bj = b->R + 3 * j;
    double middle2[3], p[3];
    box_part_middle(c->part1, b->half1, c->x1);
    box_part_middle(c->part2, b->half2, middle2);
    box_from_2(b, middle2, p);

    const double along =
        -((p[k] - c->x1[k]) * bj[k] + (p[l] - c->x1[l]) * bj[l]) / (bj[k] * bj[k] + bj[l] * bj[l]);
    v3_copy(middle2, c->x2);
    c->x2[j] = along;
    c->x1[i] = p[i] + along * bj[i];
    v3_copy(c->x1, c->at);
}

// the largest s; that of the faces if the edges are nearly parallel
static double best_axis(const box_pair *b, const box_axes *a, double size)
{
    const double face = fmax(a->face1, a->face2);
    if (!(a->edge > face)) return face;
    const double *bj = b->R + 3 * a->j;
    const double sine = hypot(bj[axis_next(a->i)], bj[axis_next(axis_next(a->i))]);
    const bool near = a->edge <= box_noise * size && a->edge - face <= sine * size;
    return sine < along_tol && near ? face : a->edge;
}

// overlapping or touching: the axis of the largest s, faces before edges on ties
static void deepest(const box_pair *b, const box_axes *a, double size, box_contact *c)
{
    const double best = best_axis(b, a, size), tie = box_tie * size;
    double u2[3];
    c->g = best;
    c->part1 = c->part2 = (box_part){{0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        c->u[i] = 0;
    }

    if (a->face1 >= best - tie) {
        // a face of box 1 and the vertex of box 2 deepest below it
        c->kind = PCS_FEATURE_PLANE_POINT;
        c->part1.c[a->i1] = box_sign(b->t[a->i1]);
        c->u[a->i1] = c->part1.c[a->i1];
        m3_mul_t(b->R, c->u, u2);
        for (int m = 0; m < 3; ++m) {
            c->part2.c[m] = (signed char)-box_sign(u2[m]);
        }
    } else if (a->face2 >= best - tie) {
        const double *axis = b->R + 3 * a->j2;
        c->kind = PCS_FEATURE_POINT_PLANE;
        c->part2.c[a->j2] = (signed char)-box_sign(v3_dot(b->t, axis));
        for (int m = 0; m < 3; ++m) {
            c->u[m] = -c->part2.c[a->j2] * axis[m];
            c->part1.c[m] = box_sign(c->u[m]);
        }
    } else {
        // the edges of both boxes that are furthest along the axis
        c->kind = PCS_FEATURE_EDGE_EDGE;
        edge_direction(b, a->i, a->j, b->t, c->u);
        m3_mul_t(b->R, c->u, u2);
        for (int m = 0; m < 3; ++m) {
            if (m != a->i) c->part1.c[m] = box_sign(c->u[m]);
            if (m != a->j) c->part2.c[m] = (signed char)-box_sign(u2[m]);
        }
        meet_lines(b, a->i, a->j, c);
        return;
    }
    box_part_middle(c->part1, b->half1, c->x1);
    box_part_middle(c->part2, b->half2, c->x2);
    if (c->kind == PCS_FEATURE_POINT_PLANE) {
        v3_copy(c->x1, c->at);
    } else {
        box_from_2(b, c->x2, c->at);
    }
}

// a vertex of box 2 and the point of box 1 nearest to it, both in the frame of box 1
typedef struct nearest {
    double square; // square of the distance
    box_part vertex, other;
    double x[3], foot[3];
} nearest;

static nearest vertex_to_box(const box_pair *b)
{
    nearest best = {.square = INFINITY};
    for (int v = 0; v < 8; ++v) {
        nearest n = {.vertex = {{v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1}}};
        box_part_middle(n.vertex, b->half2, n.x);
        box_from_2(b, n.x, n.x);
        for (int i = 0; i < 3; ++i) {
            const double over = fabs(n.x[i]) - b->half1[i];
            n.foot[i] = n.x[i];
            if (over > surface_tol * b->half1[i]) {
                n.foot[i] = copysign(b->half1[i], n.x[i]);
                n.other.c[i] = box_sign(n.x[i]);
                n.square += over * over;
            }
        }
        if (n.square < best.square) best = n;
    }
    return best;
}

// a point against a part of the other box: plane, edge or vertex. False when the point is inside
static bool point_contact(const box_pair *b, const nearest *n, bool vertex_of_2, box_contact *c)
{
    static const pcs_feature_kind kind1[] = {PCS_FEATURE_POINT_PLANE, PCS_FEATURE_POINT_EDGE,
                                             PCS_FEATURE_POINT_POINT};
    static const pcs_feature_kind kind2[] = {PCS_FEATURE_PLANE_POINT, PCS_FEATURE_EDGE_POINT,
                                             PCS_FEATURE_POINT_POINT};
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
        v3_copy(n->foot, c->x1);
        box_part_middle(n->vertex, b->half2, c->x2);
        v3_copy(u, c->u);
    } else {
        c->kind = kind1[beyond - 1];
        c->part1 = n->vertex;
        c->part2 = n->other;
        box_part_middle(n->vertex, b->half1, c->x1);
        v3_copy(n->foot, c->x2);
        m3_mul(b->R, u, c->u);
        v3_scale(-1, c->u, c->u);
    }
    v3_copy(c->x1, c->at);
    return true;
}

// true when two edges come within a distance of each other between their ends
static bool edges_within(const box_pair *b, double distance)
{
    for (int i = 0; i < 3; ++i) {
        const int k = axis_next(i), l = axis_next(k);
        for (int j = 0; j < 3; ++j) {
            const int m = axis_next(j), n = axis_next(m);
            const double *bj = b->R + 3 * j;
            const double ek = bj[k], el = bj[l], e2 = ek * ek + el * el;
            if (e2 < parallel_tol * parallel_tol) continue;

            for (int s = 0; s < 16; ++s) {
                const double hm = s & 1 ? b->half2[m] : -b->half2[m];
                const double hn = s & 2 ? b->half2[n] : -b->half2[n];
                const double *bm = b->R + 3 * m, *bn = b->R + 3 * n;

                // seen along the edge of box 1 that edge is a point, and the other a line in the
                // direction (ek, el)
                const double rk =
                    b->t[k] + hm * bm[k] + hn * bn[k] + (s & 4 ? b->half1[k] : -b->half1[k]);
                const double rl =
                    b->t[l] + hm * bm[l] + hn * bn[l] + (s & 8 ? b->half1[l] : -b->half1[l]);
                const double cross = rk * el - rl * ek;
                if (!(cross * cross <= distance * distance * e2)) continue;

                // the place is between the ends of both edges
                const double along = -(rk * ek + rl * el) / e2;
                const double ri = b->t[i] + hm * bm[i] + hn * bn[i] + along * bj[i];
                if (fabs(along) <= b->half2[j] && fabs(ri) <= b->half1[i]) return true;
            }
        }
    }
    return false;
}

// The signed gap and its features. The best axis is the answer when two points have that distance:
// in overlap or touch, a vertex and a face, two edges. In the remaining case a vertex of one box is
// beyond the edges of all faces of the other.
void box_closest(const box_pair *b, const box_axes *a, double size, box_contact *c)
{
    const double tie = box_tie * size, best = fmax(a->face1, fmax(a->face2, a->edge));
    if (best > touch_tol * size) {
        const box_pair e = box_exchange(b);
        const nearest of2 = vertex_to_box(b), of1 = vertex_to_box(&e);
        const double d2 = sqrt(of2.square), d1 = sqrt(of1.square);
        // of edges that are parallel, up to rounding, a vertex is as near as their crossing, which
        // may be anywhere
        const bool nearer = fmin(d1, d2) <= best + tie;
        const bool vertex =
            nearer ? a->edge > fmax(a->face1, a->face2) + tie : !edges_within(b, best + tie);
        if (vertex && point_contact(b, d2 <= d1 + tie ? &of2 : &of1, d2 <= d1 + tie, c)) return;
    }
    deepest(b, a, size, c);
}
