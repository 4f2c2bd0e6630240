// A ray against one shape, in the frame of the shape. A convex solid is the intersection of several
// parts (half-spaces, slabs, a round wall): the ray is in all of them from the last entry to the
// first exit. A capsule is the union of two balls and a wall: the first entry. For a surface the
// triangles along the ray are tested, from its start outwards.
#include "collide/ray.h"

#include "base/base.h"
#include "collide/collide.h"
#include "collide/geometry.h"
#include "collide/surface.h"
#include "rotation/pose.h"

// the part of the ray inside of all parts tested so far, and its entry
typedef struct part {
    const double *o, *d; // frame of the shape; d unit
    double enter, leave;
    double n[3]; // outward normal where it enters
} part;

static void enter_at(part *p, double t, const double n[3])
{
    if (!(t > p->enter)) return;
    p->enter = t;
    v3_copy(n, p->n);
}

// n . x <= offset
static void clip_plane(part *p, const double n[3], double offset)
{
    const double height = v3_dot(n, p->o) - offset, rate = v3_dot(n, p->d);
    if (rate < 0) {
        enter_at(p, -height / rate, n);
    } else if (rate > 0) {
        p->leave = fmin(p->leave, -height / rate);
    } else if (height > 0) {
        p->leave = -INFINITY;
    }
}

// |x_i| <= half
static void clip_slab(part *p, int i, double half)
{
    double n[3] = {0, 0, 0};
    for (int side = -1; side <= 1; side += 2) {
        n[i] = side;
        clip_plane(p, n, half);
    }
}

// within radius of a centre in the first `dims` components: a ball, or a wall along z
static void clip_round(part *p, const double centre[3], int dims, double radius)
{
    double along = 0, square = 0, rest = 0, x[3] = {0, 0, 0}, n[3] = {0, 0, 0};
    for (int i = 0; i < dims; ++i) {
        along -= (p->o[i] - centre[i]) * p->d[i];
        square += p->d[i] * p->d[i];
    }
    const double middle = square > 0 ? along / square : 0;
    for (int i = 0; i < dims; ++i) {
        x[i] = p->o[i] - centre[i] + middle * p->d[i];
        rest += x[i] * x[i];
    }
    const double left = (radius - sqrt(rest)) * (radius + sqrt(rest));
    if (!(left >= 0)) {
        p->leave = -INFINITY;
        return;
    }
    if (!(square > 0)) return;
    const double half = sqrt(left / square);
    for (int i = 0; i < dims; ++i) {
        n[i] = (x[i] - half * p->d[i]) / radius;
    }
    enter_at(p, middle - half, n);
    p->leave = fmin(p->leave, middle + half);
}

// the first of the hits of several solids
static void join(const part *one, part *all)
{
    if (!(one->enter <= one->leave && one->leave >= 0)) return;
    if (all->enter <= all->leave && all->enter <= one->enter) return;
    *all = *one;
}

static void clip_capsule(const pcs_shape *s, part *p)
{
    const double axis[3] = {0, 0, 0};
    part all = {.o = p->o, .d = p->d, .enter = 1, .leave = 0};
    part wall = *p;
    clip_round(&wall, axis, 2, s->radius);
    clip_slab(&wall, 2, s->half[2]);
    join(&wall, &all);
    for (int side = -1; side <= 1; side += 2) {
        part cap = *p;
        clip_round(&cap, (double[3]){0, 0, side * s->half[2]}, 3, s->radius);
        join(&cap, &all);
    }
    *p = all;
}

// ---- surfaces ----------------------------------------------------------------------------------

// along: the largest component of d; x and y: the others; the point o + s d is at (0, 0) in the
// sheared coordinates v[x] - shear[0] v[along], v[y] - shear[1] v[along] of v = point - o
typedef struct walk {
    const pcs_geometry *g;
    const double *o, *d;
    int along, x, y;
    double shear[2];
    double best;
    double n[3];
} walk;

static void shear_along(walk *w)
{
    const double *d = w->d;
    const double size[3] = {fabs(d[0]), fabs(d[1]), fabs(d[2])};
    w->along = size[0] > size[1] ? 0 : 1;
    if (size[2] > size[w->along]) w->along = 2;
    w->x = (w->along + 1) % 3;
    w->y = (w->along + 2) % 3;
    w->shear[0] = d[w->x] / d[w->along];
    w->shear[1] = d[w->y] / d[w->along];
}

// a b - c d with the right sign (W. Kahan: both products with their rounding)
static double difference(double a, double b, double c, double d)
{
    const double product = c * d;
    return fma(a, b, -product) - fma(c, d, -product);
}

// The ray passes all edges of the triangle on one side, in sheared coordinates. Those of a vertex
// are the same for all its triangles, and the signs are exact: no ray passes between two triangles
// or through a vertex (S. Woop, C. Benthin, I. Wald, Watertight ray/triangle intersection, 2013).
static void visit(void *user, int number)
{
    walk *w = user;
    surface_triangle t;
    surface_get(w->g, number, &t);
    double v[3][3], p[3][2];
    for (int k = 0; k < 3; ++k) {
        v3_sub(t.v[k], w->o, v[k]);
        p[k][0] = v[k][w->x] - w->shear[0] * v[k][w->along];
        p[k][1] = v[k][w->y] - w->shear[1] * v[k][w->along];
    }
    bool one = true, other = true;
    for (int k = 0; k < 3; ++k) {
        const double *a = p[k], *b = p[(k + 1) % 3];
        const double side = difference(a[0], b[1], b[0], a[1]);
        one = one && side >= 0;
        other = other && side <= 0;
    }
    const double rate = v3_dot(t.n, w->d);
    if (!(one || other) || rate == 0) return;
    const double at = v3_dot(t.n, v[0]) / rate;
    if (!(at >= 0 && at < w->best)) return;
    w->best = at;
    v3_copy(t.n, w->n);
}

static double length_of(const pcs_geometry *g)
{
    double d[3];
    v3_sub(g->high, g->low, d);
    return v3_norm(d) + v3_norm(g->high) + v3_norm(g->low);
}

static bool surface_ray(const pcs_geometry *g, part *p, double reach)
{
    // a flat surface has flat bounds: some room for rounding
    const double room = 1e-12 * (length_of(g) + v3_norm(p->o));
    double low[3], high[3], begin = 0, end = reach;
    for (int i = 0; i < 3; ++i) {
        low[i] = g->low[i] - room;
        high[i] = g->high[i] + room;
    }
    if (!box_ray(low, high, p->o, p->d, &begin, &end)) return false;

    // piece by piece: the box of a short piece contains few triangles away from the ray
    const bool mesh = g->kind == PCS_SHAPE_MESH;
    const double pieces =
        mesh ? ceil(sqrt(g->of.mesh.n_triangles)) : (double)g->of.field.nx + (double)g->of.field.ny;
    walk w = {.g = g, .o = p->o, .d = p->d, .best = INFINITY};
    shear_along(&w);
    for (double k = 0; k < pieces; ++k) {
        const double t0 = begin + (end - begin) * (k / pieces);
        const double t1 = begin + (end - begin) * ((k + 1) / pieces);
        if (w.best < t0) break;
        for (int i = 0; i < 3; ++i) {
            const double a = p->o[i] + t0 * p->d[i], b = p->o[i] + t1 * p->d[i];
            low[i] = fmin(a, b) - room;
            high[i] = fmax(a, b) + room;
        }
        surface_near(g, low, high, visit, &w);
    }
    p->enter = p->leave = w.best;
    v3_copy(w.n, p->n);
    return w.best < INFINITY && w.best <= reach; // both are infinite where nothing is hit
}

// ---- any shape ---------------------------------------------------------------------------------

bool box_ray(const double low[3], const double high[3], const double from[3], const double along[3],
             double *t0, double *t1)
{
    for (int i = 0; i < 3; ++i) {
        if (along[i] == 0) {
            if (!(from[i] >= low[i] && from[i] <= high[i])) return false;
            continue;
        }
        const double a = (low[i] - from[i]) / along[i], b = (high[i] - from[i]) / along[i];
        *t0 = fmax(*t0, fmin(a, b));
        *t1 = fmin(*t1, fmax(a, b));
    }
    return *t0 <= *t1;
}

bool shape_ray(const pcs_shape *s, const double *q, const double from[3], const double along[3],
               double reach, double *t, double normal[3])
{
    static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    double o[3], d[3];
    shape_point(s, q, from, o);
    shape_direction(s, q, along, d);

    part p = {.o = o, .d = d, .enter = -INFINITY, .leave = INFINITY};
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        clip_round(&p, origin, 3, s->radius);
        break;
    case PCS_SHAPE_HALF_SPACE:
        clip_plane(&p, up, 0);
        break;
    case PCS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            clip_slab(&p, i, s->half[i]);
        }
        break;
    case PCS_SHAPE_CAPSULE:
        clip_capsule(s, &p);
        break;
    case PCS_SHAPE_CYLINDER:
        clip_round(&p, origin, 2, s->radius);
        clip_slab(&p, 2, s->half[2]);
        break;
    case PCS_SHAPE_HULL: {
        const polyhedron *h = &s->geometry->of.hull;
        for (int f = 0; f < h->n_faces; ++f) {
            clip_plane(&p, polyhedron_normal(h, f), h->offset[f]);
        }
        break;
    }
    case PCS_SHAPE_MESH:
    case PCS_SHAPE_HEIGHT_FIELD:
        if (!surface_ray(s->geometry, &p, reach)) return false;
        break;
    }
    if (!(p.enter <= p.leave && p.leave >= 0 && p.enter <= reach)) return false;
    if (p.enter < 0) {
        *t = 0;
        v3_scale(-1, along, normal);
        return true;
    }
    *t = p.enter;
    quat_turn(s->orientation, 1, p.n, normal);
    pose_direction(q, normal, normal);
    return true;
}
