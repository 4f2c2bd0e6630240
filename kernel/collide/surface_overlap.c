// The least overlap along the normals of a surface; see surface_overlap.h.
//
// The normals of an edge are an arc from the normal of one triangle to that of the other. With x(u)
// the point of the core that is least along u, a a point of the edge,
//     s(u) = u . (x(u) - a).
// Seen along the edge, the core is a polygon that holds a, and s has its local maxima at the
// normals of the sides of this polygon, or at the ends of the arc. Two points of the core, x(n0)
// and x(n1), bound s between n0 and n1 by its value for the direction across both points: if this
// bound is not met, x of that direction divides the arc. A corner inside the core is nearest to one
// of its faces.
#include "collide/surface_overlap.h"

#include <math.h>

#include "collide/geometry.h"

// differences of s that rounding makes, relative to the size: the face comes before its edges, and
// these before the corners
static const double noise = 1e-14;

// sine by which an edge may rise along the normal of its corner, and a border face back: what
// rounding makes of edges of one face
static const double cone_tol = 1e-12;

// the side of a round core is divided until rounding ends it, at most so often
enum { DEPTH_MAX = 40 };

typedef struct search {
    const solid *b;
    const pcs_geometry *g;
    const surface_triangle *t;
    double noise;
    surface_overlap *best;
} search;

static bool better(const search *w, double s)
{
    return s > w->best->s + w->noise;
}

static void take(const search *w, double s, const double N[3], const double x[3], unsigned set)
{
    w->best->s = s;
    v3_copy(N, w->best->N);
    v3_copy(x, w->best->x);
    w->best->set = set;
}

// ---- edges ------------------------------------------------------------------------------------

typedef struct arc_end {
    double u[3], x[3], s; // a direction, the least point of the core and its height over the edge
} arc_end;

static void look(const search *w, const double a[3], arc_end *end)
{
    double from[3];
    solid_lowest(w->b, end->u, end->x);
    v3_sub(end->x, a, from);
    end->s = v3_dot(end->u, from);
}

// the directions from one end to the other, counter-clockwise about e; the arc is less than a
// half-turn, or `out` points to its middle
static void search_arc(const search *w, const double a[3], const double e[3], const double out[3],
                       unsigned set, const arc_end *one, const arc_end *two, int depth)
{
    arc_end mid;
    double d[3], from[3], side[3];
    v3_sub(two->x, one->x, d);
    v3_cross(e, d, mid.u);
    if (!(v3_unit(mid.u, mid.u) > w->noise)) return;
    if (v3_dot(mid.u, out) < 0) v3_scale(-1, mid.u, mid.u);
    v3_cross(one->u, mid.u, side);
    if (!(v3_dot(side, e) > 0)) return;
    v3_cross(mid.u, two->u, side);
    if (!(v3_dot(side, e) > 0)) return;
    v3_sub(one->x, a, from);
    const double bound = v3_dot(mid.u, from);
    if (!better(w, bound)) return;
    look(w, a, &mid);
    if (better(w, mid.s)) take(w, mid.s, mid.u, mid.x, set);
    if (bound - mid.s <= w->noise || depth == DEPTH_MAX) return;
    search_arc(w, a, e, out, set, one, &mid, depth + 1);
    search_arc(w, a, e, out, set, &mid, two, depth + 1);
}

static void search_edge(const search *w, int k, const arc_end *face)
{
    const surface_triangle *t = w->t;
    if (t->flat[k]) return;
    const double *a = t->v[k], *b = t->v[k == 2 ? 0 : k + 1];
    double e[3], out[3], to[3];
    v3_sub(b, a, e);
    v3_unit(e, e);
    v3_cross(e, t->n, out);
    arc_end one = *face, two;
    if (t->inner[k]) {
        v3_sub(t->opposite[k], a, to);
        if (v3_dot(to, t->n) >= 0) return;
        v3_cross(to, e, two.u);
        v3_unit(two.u, two.u);
    } else {
        // the side of a border faces outward, up to the tolerance
        v3_along(out, -cone_tol, t->n, two.u);
        v3_unit(two.u, two.u);
    }
    look(w, a, &one);
    look(w, a, &two);
    const unsigned set = 1u << k | 1u << (k == 2 ? 0 : k + 1);
    if (t->inner[k] && better(w, two.s)) take(w, two.s, two.u, two.x, set);
    search_arc(w, a, e, out, set, &one, &two, 0);
}

// ---- corners ----------------------------------------------------------------------------------

// the face of the core with the normal m (frame of the core), that far beyond the corner
static void offer_face(const search *w, int k, const double m[3], double beyond)
{
    if (!better(w, -beyond)) return;
    double N[3], x[3];
    m3_mul(w->b->R, m, N);
    v3_scale(-1, N, N);
    if (!surface_corner_allows(w->g, w->t, k, N, cone_tol)) return;
    v3_along(w->t->v[k], -beyond, N, x);
    take(w, -beyond, N, x, 1u << k);
}

static void search_corner(const search *w, int k)
{
    const convex *c = &w->b->core;
    double p[3];
    solid_into(w->b, w->t->v[k], p);
    const int first = c->kind == CONVEX_BOX ? 0 : c->kind == CONVEX_CYLINDER ? 2 : 3;
    for (int i = first; i < 3; ++i) {
        for (int side = -1; side <= 1; side += 2) {
            double m[3] = {0, 0, 0};
            m[i] = side;
            offer_face(w, k, m, c->half[i] - side * p[i]);
        }
    }
    if (c->kind == CONVEX_CYLINDER) {
        const double from = hypot(p[0], p[1]);
        const double m[3] = {from > 0 ? p[0] / from : 1, from > 0 ? p[1] / from : 0, 0};
        offer_face(w, k, m, c->disc - from);
    }
    if (w->b->s->kind == PCS_SHAPE_HULL) {
        const polyhedron *h = &w->b->s->geometry->of.hull;
        for (int f = 0; f < h->n_faces; ++f) {
            const double *m = polyhedron_normal(h, f);
            offer_face(w, k, m, h->offset[f] - v3_dot(m, p));
        }
    }
}

void surface_find_overlap(const solid *b, const pcs_geometry *g, const surface_triangle *t,
                          surface_overlap *out)
{
    search w = {b, g, t, 0, out};
    arc_end face;
    v3_copy(t->n, face.u);
    look(&w, t->v[0], &face);
    take(&w, face.s, t->n, face.x, 7);
    w.noise = noise * (convex_extent(&b->core) + v3_norm(b->t));
    for (int k = 0; k < 3; ++k) {
        search_edge(&w, k, &face);
    }
    for (int k = 0; k < 3; ++k) {
        search_corner(&w, k);
    }
}
