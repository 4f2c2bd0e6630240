// The direction of the gap of a cylinder and a convex shape.
//
// With s(u) = min over 2 of u . x - max over 1 of u . x, the gap is the largest s(u) of all unit u.
// The surfaces of both are made of flat faces (and caps) and of curves with a radius round them:
//     vertex             a point
//     edge               a line
//     side of a cylinder its axis, with the radius r
//     rim                a circle
// The u of the gap is the normal of a face, or the direction of a shortest line between two curves,
// which Newton's method finds. So the gap is exact to rounding. What remains is to know which faces
// and curves they are:
//
// 1. Apart, a u is the answer if two points of the shapes are s(u) apart, since no distance is less
//    than an s and no s more than a distance. The search of Gilbert, Johnson and Keerthi leads
//    there: every few rounds the faces and curves about its direction are tried.
// 2. In overlap, or touching, s has local maxima. Set C of all differences x1 - x2 contains the
//    origin, and -s(u) is the height of its supporting plane. A polytope of points of C grows where
//    its faces are nearest to the origin, and the faces and curves about a better direction are
//    tried when there is one. The answer is the best u once every face of the polytope is as far
//    as -s(u), or next to this u.
#include "collide/cylinder_closest.h"

#include <math.h>

#include "base/base.h"
#include "collide/geometry.h"
#include "collide/patch.h"
#include "collide/polyhedron.h"
#include "collide/polytope.h"

// relative to the size: s of equal directions, of which a face or a cap comes first; distances that
// prove each other; error of closest points
static const double same_s = 1e-14;
static const double proof_tol = 4e-15, across_tol = 1e-13;

// sine up to which the features about a direction are tried; angle, and part of the height, within
// which a placed direction needs no finer polytope
static const double about_tol = 0.2, near_tol = 0.01, touch_part = 1e-4;

// relative to the size: overlap from which every face is tried; below the best s by so much, the
// sides of a face are not tried
static const double deep = 0.01, side_part = 1e-3;

// closer than this, relative to the size, the search of distances leads nowhere
static const double touching = 1e-9;

// |v| over the bound from below at which the features are tried for the first time, and how it
// falls
static const double first_tol = 0.05, tol_fall = 0.03;

// sine up to which faces lie on each other; height, relative to the size, within which they do
// where the error of the closest points is larger
static const double flat_tol = 1e-6, rough_tol = 1e-7;

enum { NEWTON_MAX = 24, ROUNDS_BETWEEN = 6, TRIED_LAST = 24, FLAT_ROUNDS = 30, AGAIN = 6 };

static const double z_axis[3] = {0, 0, 1}, origin[3] = {0, 0, 0};

typedef struct search {
    const cylinder_pair *p;
    polyhedron h; // shape 2, unless it is a cylinder
    polyhedron_room room;
    bool round;   // shape 2 is a cylinder
    double upper; // the distance is no more
    cylinder_gap best;
    int rank;   // of equal s the higher: a curve 1, a face 2, plus 2 if placed
    double off; // and the smaller: error of x1 and x2
} search;

// ---- candidates ---------------------------------------------------------------------------------

// how far x1 and x2 are from two points that are closest along u, at the distance s
static double off_line(const double u[3], double s, const double x1[3], const double x2[3])
{
    double d[3];
    v3_sub(x2, x1, d);
    v3_along(d, -s, u, d);
    return v3_norm(d);
}

// Offers u, and if x1 and x2 are not null two points of the shapes (without the radius of 2)
static void offer(search *w, const double u[3], const double *x1, const double *x2, int rank)
{
    const cylinder_pair *p = w->p;
    cylinder_gap *b = &w->best;
    const double s = convex_separation(&p->core, &p->b.core, &p->at, u, NULL, NULL);
    const double off = x1 ? off_line(u, s, x1, x2) : INFINITY;
    const bool placed = off <= across_tol * p->size;
    if (placed) {
        rank += 2;
        w->upper = fmin(w->upper, fabs(s) + off);
    }
    const double tie = same_s * p->size;
    if (!(s >= b->s - tie)) return;
    if (s <= b->s + tie && (rank < w->rank || (rank == w->rank && off >= w->off))) return;
    w->rank = rank;
    w->off = off;
    b->s = s;
    v3_copy(u, b->u);
    b->placed = placed;
    if (x1) {
        v3_copy(x1, b->x1);
        v3_copy(x2, b->x2);
    }
}

// true when nothing can be better: points of the shapes are as near as s
static bool proven(const search *w)
{
    const double far = w->p->size + v3_norm(w->p->b.t);
    return w->best.placed && w->best.s > 0 && w->upper - w->best.s <= proof_tol * far;
}

// ---- curves -------------------------------------------------------------------------------------

typedef enum curve_kind { POINT, LINE, CIRCLE } curve_kind;

typedef struct curve {
    curve_kind kind;
    double p[3];     // the point, the start of the line, the centre
    double e[3];     // along the line, or the axis of the circle; unit
    double length;   // of the line
    double radius;   // of the circle
    double round;    // radius round the curve
    double t, to[3]; // the place on it: along the line; from the centre, unit
    double x[3], T[3];
} curve;

static void set_place(curve *c)
{
    switch (c->kind) {
    case POINT:
        v3_copy(c->p, c->x);
        v3_scale(0, c->p, c->T);
        return;
    case LINE:
        v3_along(c->p, c->t, c->e, c->x);
        v3_copy(c->e, c->T);
        return;
    case CIRCLE:
        v3_along(c->p, c->radius, c->to, c->x);
        v3_cross(c->e, c->to, c->T);
        return;
    }
}

static void move(curve *c, double step)
{
    if (c->kind == LINE) c->t += step;
    if (c->kind == CIRCLE) {
        v3_along(c->to, step / c->radius, c->T, c->to);
        v3_unit(c->to, c->to);
    }
    set_place(c);
}

// Moves a and b to a shortest line between them; u becomes its direction, on the side of u. False
// if the search ends elsewhere
static bool connect(curve *a, curve *b, double size, double u[3])
{
    double d[3], last = INFINITY;
    const double most1 = a->kind == CIRCLE ? 0.5 * a->radius : INFINITY;
    const double most2 = b->kind == CIRCLE ? 0.5 * b->radius : INFINITY;
    for (int k = 0; k < NEWTON_MAX; ++k) {
        // half the square of the length by the arc lengths of both: its slopes -f1, f2 and its
        // second derivatives
        v3_sub(b->x, a->x, d);
        const double f1 = v3_dot(d, a->T), f2 = v3_dot(d, b->T);
        const double h11 = 1 + (a->kind == CIRCLE ? v3_dot(d, a->to) / a->radius : 0);
        const double h22 = 1 - (b->kind == CIRCLE ? v3_dot(d, b->to) / b->radius : 0);
        const double h12 = -v3_dot(a->T, b->T), det = h11 * h22 - h12 * h12;
        double step1, step2;
        if (h11 > 0 && h22 > 0 && det > 1e-14) {
            step1 = (h22 * f1 + h12 * f2) / det;
            step2 = -(h11 * f2 + h12 * f1) / det;
        } else {
            // parallel, or no minimum here: downhill, one after the other
            step1 = k % 2 == 0 ? f1 / fmax(1, fabs(h11)) : 0;
            step2 = k % 2 == 1 ? -f2 / fmax(1, fabs(h22)) : 0;
        }
        const double part = fmax(1, fmax(fabs(step1) / most1, fabs(step2) / most2));
        move(a, step1 / part);
        move(b, step2 / part);
        const double step = fabs(step1) + fabs(step2);
        if (!isfinite(step)) return false;
        if (step <= 4e-16 * size || (step <= 1e-12 * size && step >= last)) break;
        last = step;
    }

    // across both curves, or along the line between them: what is known better
    double across[3], along[3];
    v3_sub(b->x, a->x, d);
    v3_cross(a->T, b->T, across);
    const double sine = v3_unit(across, across), length = v3_norm(d);
    v3_along(d, -v3_dot(d, b->T), b->T, along);
    v3_along(along, -v3_dot(along, a->T), a->T, along);
    v3_unit(along, along);
    const double *dir = sine * size > length ? across : along;
    const double side = v3_dot(dir, u);
    v3_scale(side > 0 ? 1 : -1, dir, u);
    return side != 0;
}

// the point of a shape at a curve, where its surface faces +-u; a line ends
static void surface_point(const curve *c, double side, const double u[3], double x[3])
{
    v3_copy(c->x, x);
    if (c->kind == LINE) v3_along(c->p, fmin(c->length, fmax(0, c->t)), c->e, x);
    if (c->round == 0) return;
    double out[3];
    v3_along(u, -v3_dot(u, c->e), c->e, out);
    v3_unit(out, out);
    v3_along(x, side * c->round, out, x);
}

static void try_curves(search *w, curve a, curve b, const double from[3])
{
    double u[3], d[3], x1[3], x2[3];
    if (proven(w)) return;
    v3_copy(from, u);
    set_place(&a);
    set_place(&b);
    for (int k = 0; k < 2; ++k) {
        curve *c = k == 0 ? &a : &b;
        if (c->kind != LINE) continue;
        v3_sub(k == 0 ? b.x : a.x, c->p, d);
        c->t = v3_dot(d, c->e);
        set_place(c);
    }
    if (!connect(&a, &b, w->p->size, u)) return;
    surface_point(&a, 1, u, x1);
    surface_point(&b, -1, u, x2);
    offer(w, u, x1, x2, 1);
}

// the curves of a cylinder (axis z, centre t) about the outward direction u
static int curves_of_cylinder(const double z[3], const double t[3], const pcs_shape *s,
                              const double u[3], curve out[3])
{
    int n = 0;
    const double up = v3_dot(u, z), l = s->half[2];
    double to[3];
    v3_along(u, -up, z, to);
    const double across = v3_unit(to, to);
    if (fabs(up) <= about_tol) {
        out[n] = (curve){.kind = LINE, .length = 2 * l, .round = s->radius};
        v3_along(t, -l, z, out[n].p);
        v3_copy(z, out[n++].e);
    }
    for (int side = 1; side >= -1 && across > 0; side -= 2) {
        if (side * up < -about_tol) continue;
        out[n] = (curve){.kind = CIRCLE, .radius = s->radius};
        v3_along(t, side * l, z, out[n].p);
        v3_copy(z, out[n].e);
        v3_copy(to, out[n++].to);
    }
    return n;
}

// ---- faces on each other ------------------------------------------------------------------------

// the part of a shape that faces u: a disc about c, or a point, a segment or a polygon
typedef struct flat {
    patch f;
    double u[3], c[3], radius;
} flat;

// `height` is what counts as rounding
static void flat_of(const search *w, int which, const double u[3], double height, flat *f)
{
    const cylinder_pair *p = w->p;
    const pcs_shape *s = which == 0 ? p->s1 : p->s2;
    const double back[3] = {-u[0], -u[1], -u[2]};
    double d[3] = {u[0], u[1], u[2]};
    if (which == 1) m3_mul_t(p->b.R, back, d);
    const bool round = s->kind == PCS_SHAPE_CYLINDER;
    patch_facing(s, d, round ? fmin(flat_tol, height / s->radius) : flat_tol, &f->f);
    if (which == 1) patch_move(&f->f, p->b.R, p->b.t);
    v3_copy(u, f->u);

    f->radius = 0;
    if (round && f->f.n > 2) {
        f->radius = s->radius;
        const double cap[3] = {0, 0, d[2] > 0 ? s->half[2] : -s->half[2]};
        v3_copy(cap, f->c);
        if (which == 1) solid_from(&p->b, cap, f->c);
        return;
    }

    // without the points that are further from the other shape
    double h[PATCH_MAX], most = -INFINITY;
    for (int k = 0; k < f->f.n; ++k) {
        h[k] = (which == 0 ? 1 : -1) * v3_dot(u, f->f.x[k]);
        most = fmax(most, h[k]);
    }
    int n = 0;
    for (int k = 0; k < f->f.n; ++k) {
        if (h[k] >= most - height) v3_copy(f->f.x[k], f->f.x[n++]);
    }
    f->f.n = n;
}

static void nearest_of(const flat *f, const double x[3], double y[3])
{
    double d[3], e[3], in[3], at[3], least = INFINITY;
    if (f->radius > 0) {
        v3_sub(x, f->c, d);
        v3_along(d, -v3_dot(d, f->u), f->u, d);
        v3_along(f->c, f->radius / fmax(v3_norm(d), f->radius), d, y);
        return;
    }

    // on a side that x is beyond; or x itself, in the plane
    const patch *p = &f->f;
    bool inside = p->n > 2;
    v3_copy(p->x[0], y);
    for (int k = 0; k < p->n - (p->n <= 2); ++k) {
        const double *a = p->x[k];
        v3_sub(p->x[k + 1 < p->n ? k + 1 : 0], a, e);
        v3_cross(f->u, e, in);
        v3_sub(p->x[(k + 2) % p->n], a, d);
        const double side = v3_dot(in, d);
        v3_sub(x, a, d);
        if (p->n > 2 && v3_dot(in, d) * side >= 0) continue;
        inside = false;
        v3_along(a, fmin(1, fmax(0, v3_dot(d, e) / v3_dot(e, e))), e, at);
        v3_sub(x, at, d);
        if (v3_dot(d, d) >= least) continue;
        least = v3_dot(d, d);
        v3_copy(at, y);
    }
    if (!inside) return;
    v3_sub(x, p->x[0], d);
    v3_along(x, -v3_dot(d, f->u), f->u, y);
}

// The points of faces on each other across u, those of one nearest to those of the other; returns
// how far they are from points that are closest
static double meet(const search *w, const double u[3], double s, double height, double y1[3],
                   double y2[3])
{
    double off = INFINITY, last = INFINITY;
    flat one, two;
    flat_of(w, 0, u, height, &one);
    flat_of(w, 1, u, height, &two);
    v3_copy(one.radius > 0 ? one.c : one.f.x[0], y1);
    if (two.radius > 0) nearest_of(&one, two.c, y1);
    for (int k = 0; k < FLAT_ROUNDS && off > across_tol * w->p->size; ++k) {
        nearest_of(&two, y1, y2);
        nearest_of(&one, y2, y1);
        last = off;
        off = off_line(u, s, y1, y2);
        if (off > 0.99 * last) break;
    }
    return off;
}

// Offers the normal u of a face, with points of both shapes there if they are not null: without
// them the faces may lie on each other
static void offer_face(search *w, const double u[3], const double *x1, const double *x2)
{
    const cylinder_pair *p = w->p;
    if (x1) {
        offer(w, u, x1, x2, 2);
        return;
    }
    const double s = convex_separation(&p->core, &p->b.core, &p->at, u, NULL, NULL);
    if (s < w->best.s - same_s * p->size) return;
    double y1[3], y2[3];
    meet(w, u, s, across_tol * p->size, y1, y2);
    offer(w, u, y1, y2, 2);
}

// ---- faces --------------------------------------------------------------------------------------

// the cap of cylinder 1 (which = 0) or 2 that faces the other along u
static void try_cap(search *w, int which, const double u[3])
{
    const cylinder_pair *p = w->p;
    const double *z = which == 0 ? z_axis : p->b.R + 6, *t = which == 0 ? origin : p->b.t;
    const double radius = which == 0 ? p->s1->radius : p->s2->radius;
    double n[3], x1[3], x2[3], from[3];
    v3_scale(v3_dot(u, z) < 0 ? -1 : 1, z, n);
    const double s = convex_separation(&p->core, &p->b.core, &p->at, n, x1, x2);
    if (which == 0) {
        v3_along(x2, -s, n, x1);
    } else {
        v3_along(x1, s, n, x2);
    }
    v3_sub(which == 0 ? x1 : x2, t, from);
    v3_along(from, -v3_dot(from, z), z, from);
    const bool on = v3_norm(from) <= radius;
    offer_face(w, n, on ? x1 : NULL, on ? x2 : NULL);
}

// face f of shape 2; where the point of the cylinder is beyond its sides, these too
static void try_face(search *w, int f)
{
    const cylinder_pair *p = w->p;
    const polyhedron *h = &w->h;
    double u[3], x1[3], x2[3], own[3], in[3], from[3];
    const double *n = polyhedron_normal(h, f);
    m3_mul(p->b.R, n, u);
    v3_scale(-1, u, u);
    const double s = convex_separation(&p->core, &p->b.core, &p->at, u, x1, NULL);
    v3_along(x1, s, u, x2);
    solid_into(&p->b, x2, own);
    bool on = true;
    const int first = h->first[f], end = h->first[f + 1];
    for (int k = first; k < end; ++k) {
        const double *v = polyhedron_vertex(h, h->corner[k]);
        curve one[3], edge = {.kind = LINE};
        v3_sub(polyhedron_vertex(h, h->corner[k + 1 < end ? k + 1 : first]), v, edge.e);
        edge.length = v3_unit(edge.e, edge.e);
        v3_cross(n, edge.e, in);
        v3_sub(own, v, from);
        if (v3_dot(in, from) >= 0) continue;
        on = false;
        if (!(s > w->best.s - side_part * p->size)) continue;
        m3_mul(p->b.R, edge.e, in);
        v3_copy(in, edge.e);
        solid_from(&p->b, v, edge.p);
        const int n1 = curves_of_cylinder(z_axis, origin, p->s1, u, one);
        for (int i = 0; i < n1; ++i) {
            try_curves(w, one[i], edge, u);
        }
    }
    offer_face(w, u, on ? x1 : NULL, on ? x2 : NULL);
}

// ---- about a direction --------------------------------------------------------------------------

static void try_polyhedron(search *w, const curve *one, int n1, const double u[3])
{
    const cylinder_pair *p = w->p;
    const polyhedron *h = &w->h;
    const double back[3] = {-u[0], -u[1], -u[2]};
    double d[3], e[3];
    m3_mul_t(p->b.R, back, d);
    const int top = polyhedron_top(h, d);
    for (int k = h->about[top]; h->n_faces > 0 && k < h->about[top + 1]; ++k) {
        const int f = h->edge[4 * h->spoke[k] + (h->edge[4 * h->spoke[k]] == top ? 2 : 3)];
        if (v3_dot(polyhedron_normal(h, f), d) > 1 - 0.5 * about_tol) try_face(w, f);
    }
    curve vertex = {.kind = POINT};
    solid_from(&p->b, polyhedron_vertex(h, top), vertex.p);
    for (int i = 0; i < n1; ++i) {
        try_curves(w, one[i], vertex, u);
    }
    for (int k = h->about[top]; k < h->about[top + 1]; ++k) {
        v3_sub(polyhedron_vertex(h, h->next[k]), polyhedron_vertex(h, top), e);
        curve edge = {.kind = LINE};
        edge.length = v3_unit(e, e);
        if (!(fabs(v3_dot(e, d)) <= about_tol)) continue;
        v3_copy(vertex.p, edge.p);
        m3_mul(p->b.R, e, edge.e);
        for (int i = 0; i < n1; ++i) {
            try_curves(w, one[i], edge, u);
        }
    }
}

// two rims from the places where they cross, seen along the axis of the first
static void try_crossings(search *w, curve a, curve b, const double u[3])
{
    double d[3], across[3];
    v3_sub(b.p, a.p, d);
    v3_along(d, -v3_dot(d, a.e), a.e, d);
    const double r1 = a.radius, r2 = b.radius, apart = v3_unit(d, d);
    if (!(apart < r1 + r2) || !(apart > fabs(r1 - r2))) return;
    v3_cross(a.e, d, across);
    const double cosine = 0.5 * (apart + (r1 - r2) * ((r1 + r2) / apart)) / r1;
    const double sine = sqrt(fmax(0, 1 - cosine * cosine));
    for (int side = -1; side <= 1; side += 2) {
        for (int c = 0; c < 3; ++c) {
            a.to[c] = cosine * d[c] + side * sine * across[c];
        }
        set_place(&a);
        v3_sub(a.x, b.p, b.to);
        v3_along(b.to, -v3_dot(b.to, b.e), b.e, b.to);
        if (v3_unit(b.to, b.to) > 0) try_curves(w, a, b, u);
    }
}

static void try_features(search *w, const double u[3])
{
    const cylinder_pair *p = w->p;
    const double back[3] = {-u[0], -u[1], -u[2]};
    curve one[3], two[3];
    offer(w, u, NULL, NULL, 0);
    try_cap(w, 0, u);
    if (w->round) try_cap(w, 1, u);
    const int n1 = curves_of_cylinder(z_axis, origin, p->s1, u, one);
    if (w->round) {
        const int n2 = curves_of_cylinder(p->b.R + 6, p->b.t, p->s2, back, two);
        for (int i = 0; i < n1 * n2; ++i) {
            try_curves(w, one[i / n2], two[i % n2], u);
        }
        // along both axes the direction says little about the place
        const double a1 = fabs(u[2]), a2 = fabs(v3_dot(u, p->b.R + 6));
        if (n1 == 1 && n2 == 1 && fmin(a1, a2) > 1 - about_tol) {
            try_crossings(w, one[0], two[0], u);
        }
    } else {
        try_polyhedron(w, one, n1, u);
    }
}

// Tries u and the faces and curves about it; again about the result where that is a direction of
// curves that it does not connect: parallel edges have the same
static void try_about(search *w, const double u[3])
{
    double v[3];
    v3_copy(u, v);
    for (int k = 0; k < AGAIN; ++k) {
        const double before = w->best.s;
        try_features(w, v);
        if (w->best.placed || !(w->best.s > before)) return;
        v3_copy(w->best.u, v);
    }
}

// ---- overlaps -----------------------------------------------------------------------------------

// the point of C furthest along u
static void furthest(const search *w, const double u[3], double x[3])
{
    const cylinder_pair *p = w->p;
    const double back[3] = {-u[0], -u[1], -u[2]};
    convex_corner c;
    convex_corner_against(&p->core, &p->b.core, &p->at, back, &c);
    v3_copy(c.w, x);
}

// the one of the points furthest along n and -n that is further from the plane across n through `a`
static void further(const search *w, const double a[3], const double n[3], double x[3])
{
    double plus[3], minus[3], from[3], to[3];
    const double back[3] = {-n[0], -n[1], -n[2]};
    furthest(w, n, plus);
    furthest(w, back, minus);
    v3_sub(plus, a, from);
    v3_sub(minus, a, to);
    v3_copy(v3_dot(n, from) >= -v3_dot(n, to) ? plus : minus, x);
}

static bool first_tetrahedron(const search *w, polytope *c)
{
    static const double right[3] = {1, 0, 0}, left[3] = {-1, 0, 0}, up[3] = {0, 0, 1};
    double x[4][3], d[3], e[3], n[3];
    furthest(w, right, x[0]);
    furthest(w, left, x[1]);
    v3_sub(x[1], x[0], d);
    v3_cross(d, up, n);
    if (!(v3_unit(n, n) > 0)) return false;
    further(w, x[0], n, x[2]);
    v3_sub(x[2], x[0], e);
    v3_cross(d, e, n);
    if (!(v3_unit(n, n) > 0)) return false;
    further(w, x[0], n, x[3]);
    return polytope_begin(c, x, w->p->size);
}

static bool is_near(const search *w, const double u[3])
{
    double d[3];
    v3_sub(u, w->best.u, d);
    return v3_dot(d, d) <= near_tol * near_tol;
}

// the point of C where it touches the ball of the least height so far: the polytope is then sharp
static bool add_touch(const search *w, polytope *c)
{
    double x[3];
    if (!w->best.placed) return true;
    v3_scale(-w->best.s, w->best.u, x);
    return polytope_add(c, x);
}

static void find_overlap(search *w)
{
    polytope c;
    double x[3];
    const double size = w->p->size, tie = same_s * size, tol = proof_tol * size;

    // in a deep overlap many directions are nearly as good
    for (int f = 0; w->best.s < -deep * size && f < w->h.n_faces; ++f) {
        try_face(w, f);
    }
    if (!first_tetrahedron(w, &c)) return;
    furthest(w, w->best.u, x);
    bool room = polytope_add(&c, x) && add_touch(w, &c);
    while (room && !proven(w)) {
        polytope_face *f = polytope_nearest(&c);
        const double depth = -w->best.s;
        if (!f || f->d >= depth - tol) return;
        const double d = f->d, n[3] = {f->n[0], f->n[1], f->n[2]};
        furthest(w, n, x);
        const double height = v3_dot(n, x);
        if (height < depth - tie) {
            try_about(w, n);
            room = add_touch(w, &c) && polytope_add(&c, x);
            continue;
        }
        f->closed = height - d <= c.eps ||
                    (w->best.placed && d >= (1 - touch_part) * depth && is_near(w, n));
        if (!f->closed) room = polytope_add(&c, x);
    }

    // too many directions nearly as good, as of cylinders that share their axis
    for (int k = 0; k < TRIED_LAST && !proven(w); ++k) {
        polytope_face *f = polytope_nearest(&c);
        if (!f || f->d >= -w->best.s - tol) return;
        f->closed = true;
        try_about(w, f->n);
    }
}

// ---- the pair -----------------------------------------------------------------------------------

bool cylinder_closest(const cylinder_pair *p, double reach, cylinder_gap *out)
{
    search w = {.p = p, .round = p->s2->kind == PCS_SHAPE_CYLINDER, .upper = INFINITY};
    double radius, tol = first_tol;
    int next = ROUNDS_BETWEEN;
    if (!w.round) w.h = polyhedron_of(p->s2, &w.room, &radius);
    w.best.s = -INFINITY;
    convex_search s;
    gjk_result found = GJK_GOES_ON;
    convex_begin(&p->core, &p->b.core, &p->at, &s);
    while (found == GJK_GOES_ON) {
        found = convex_round(&p->core, &p->b.core, &p->at, reach, &s);
        if (found == GJK_BEYOND) return false;
        if (found == GJK_OVERLAP) break;
        double u[3];
        const double length = v3_unit(s.best.v, u);
        if (found == GJK_GOES_ON && length <= touching * p->size) break;
        if (found == GJK_GOES_ON && s.rounds < next && !(length - s.below <= tol * length)) {
            continue;
        }
        next = s.rounds + ROUNDS_BETWEEN;
        if (length - s.below <= tol * length) tol *= tol_fall;
        w.upper = fmin(w.upper, length);
        v3_scale(-1, u, u);
        try_about(&w, u);
        if (w.best.s > reach) return false;
        if (proven(&w)) break;
    }
    if (!proven(&w)) {
        double u[3];
        v3_unit(s.v, u);
        v3_scale(-1, u, u);
        try_about(&w, u);
        find_overlap(&w);
    }
    for (double height = 10 * across_tol; height <= rough_tol && w.off > height * p->size;
         height *= 10) {
        double y1[3], y2[3];
        const double off = meet(&w, w.best.u, w.best.s, height * p->size, y1, y2);
        if (off >= w.off) continue;
        w.off = off;
        v3_copy(y1, w.best.x1);
        v3_copy(y2, w.best.x2);
    }
    *out = w.best;
    return out->s <= reach;
}
