// Faces, edges and vertices by the direction they face, and polygons cut by polygons (Sutherland
// and Hodgman 1974).
#include "collide/patch.h"

#include <math.h>
#include <string.h>

#include "collide/cylinder.h"
#include "collide/geometry.h"
#include "linalg/m3.h"

static void put(patch *p, double x, double y, double z, int number)
{
    if (p->n == PATCH_MAX) return;
    double *to = p->x[p->n];
    to[0] = x;
    to[1] = y;
    to[2] = z;
    p->sides[p->n] = 0;
    p->number[p->n++] = number;
}

static void box_patch(const pcs_shape *s, const double d[3], double tol, patch *p)
{
    // the vertex, and the axes along which its neighbour is as far
    double x[3];
    int number = 0, axis[3], n = 0;
    for (int i = 0; i < 3; ++i) {
        x[i] = copysign(s->half[i], d[i]);
        number |= (d[i] > 0) << i;
        if (fabs(d[i]) <= tol) axis[n++] = i;
    }
    static const int round[4] = {0, 1, 3, 2};
    for (int k = 0; k < 1 << n && k < 4; ++k) {
        double y[3] = {x[0], x[1], x[2]};
        int flipped = number;
        for (int b = 0; b < n && b < 2; ++b) {
            if (!(round[k] >> b & 1)) continue;
            y[axis[b]] = -x[axis[b]];
            flipped ^= 1 << axis[b];
        }
        put(p, y[0], y[1], y[2], flipped);
    }
}

// rim points are 0 .. 15 below, 16 .. 31 above; 8 and 24 are the foremost
static void cylinder_patch(const pcs_shape *s, const double d[3], double tol, patch *p)
{
    const double across = hypot(d[0], d[1]), r = s->radius;
    const double e[2] = {across > 0 ? d[0] / across : 1, across > 0 ? d[1] / across : 0};
    const int side = d[2] > 0 ? 1 : -1, base = side > 0 ? 16 : 0;
    if (across > tol) {
        put(p, r * e[0], r * e[1], side * s->half[2], base + 8);
        if (fabs(d[2]) <= tol) put(p, r * e[0], r * e[1], -side * s->half[2], 24 - base);
        return;
    }
    const double at = atan2(e[1], e[0]) * (RIM_POINTS / 6.28318530717958648);
    for (int k = 0; k < RIM_POINTS; ++k) {
        double x[3];
        cylinder_rim(s, side, k, x);
        put(p, x[0], x[1], x[2], base + k);

        // places the foremost point between its neighbours
        const double from = at < 0 ? at + RIM_POINTS : at;
        if (across > 0 && from > k + 0.02 && from < k + 0.98) {
            put(p, r * e[0], r * e[1], side * s->half[2], base + 8);
        }
    }
}

static void put_vertex(const polyhedron *h, int v, patch *p)
{
    const double *x = polyhedron_vertex(h, v);
    put(p, x[0], x[1], x[2], v);
}

static void hull_patch(const polyhedron *h, const double d[3], double tol, patch *p)
{
    const int top = polyhedron_top(h, d), face = polyhedron_face(h, top, d);
    double n[3];
    v3_cross(polyhedron_normal(h, face), d, n);
    if (v3_norm(n) <= tol) {
        for (int k = h->first[face]; k < h->first[face + 1]; ++k) {
            put_vertex(h, h->corner[k], p);
        }
        return;
    }

    // the edge from the top along which the height decreases least
    int other = -1;
    double least = tol;
    for (int k = h->about[top]; k < h->about[top + 1]; ++k) {
        double e[3];
        v3_sub(polyhedron_vertex(h, h->next[k]), polyhedron_vertex(h, top), e);
        v3_unit(e, e);
        if (-v3_dot(e, d) > least) continue;
        least = -v3_dot(e, d);
        other = h->next[k];
    }
    put_vertex(h, top, p);
    if (other >= 0) put_vertex(h, other, p);
}

void patch_facing(const pcs_shape *s, const double d[3], double tol, patch *p)
{
    p->n = 0;
    switch (s->kind) {
    case PCS_SHAPE_BOX:
        box_patch(s, d, tol, p);
        return;
    case PCS_SHAPE_CYLINDER:
        cylinder_patch(s, d, tol, p);
        return;
    case PCS_SHAPE_HULL:
        hull_patch(&s->geometry->of.hull, d, tol, p);
        return;
    case PCS_SHAPE_CAPSULE:
        put(p, 0, 0, d[2] >= 0 ? s->half[2] : -s->half[2], d[2] >= 0);
        if (fabs(d[2]) <= tol) put(p, 0, 0, d[2] >= 0 ? -s->half[2] : s->half[2], d[2] < 0);
        return;
    default:
        put(p, 0, 0, 0, 0);
        return;
    }
}

void patch_move(patch *p, const double R[9], const double t[3])
{
    for (int k = 0; k < p->n; ++k) {
        double y[3];
        m3_mul(R, p->x[k], y);
        v3_along(t, 1, y, p->x[k]);
    }
}

// keeps the part of p where in . (x - a) >= -snap
static void cut(patch *p, const double in[3], const double a[3], double snap, int side)
{
    patch out = {0};
    for (int i = 0; i < p->n; ++i) {
        const int j = i + 1 < p->n ? i + 1 : 0;
        double from[3], to[3];
        v3_sub(p->x[i], a, from);
        v3_sub(p->x[j], a, to);
        const double di = v3_dot(in, from), dj = v3_dot(in, to);
        if (di >= -snap && out.n < PATCH_MAX) {
            v3_copy(p->x[i], out.x[out.n]);
            out.sides[out.n] = p->sides[i];
            out.number[out.n++] = p->number[i];
        }

        // a segment has one side only
        if ((di >= -snap) == (dj >= -snap) || (p->n == 2 && i == 1) || out.n == PATCH_MAX) continue;
        const double s = fmin(1, fmax(0, di / (di - dj)));
        double *x = out.x[out.n];
        for (int c = 0; c < 3; ++c) {
            x[c] = p->x[i][c] + s * (p->x[j][c] - p->x[i][c]);
        }
        // if the side cut lies on a side of the outline already, this is a corner of the outline
        out.sides[out.n] = (p->sides[i] & p->sides[j]) | 1u << side;
        out.number[out.n++] = -1;
    }
    *p = out;
}

void patch_clip(patch *p, int n, const double *outline, const double N[3], double snap,
                unsigned open)
{
    double middle[3] = {0, 0, 0};
    for (int k = 0; k < n; ++k) {
        v3_along(middle, 1.0 / n, outline + 3 * k, middle);
    }
    for (int k = 0; k < n && p->n > 0; ++k) {
        const double *a = outline + 3 * k, *b = outline + (k + 1 < n ? 3 * (k + 1) : 0);
        double along[3], in[3], from[3];
        if (open >> k & 1) continue;
        v3_sub(b, a, along);
        v3_cross(N, along, in);
        if (!(v3_unit(in, in) > 0)) continue;
        v3_sub(middle, a, from);
        if (v3_dot(in, from) < 0) v3_scale(-1, in, in);
        cut(p, in, a, snap, k);
    }
}
