// A convex shape against a mesh or a height field, triangle by triangle, in the frame of the
// surface. Body 1 carries the convex shape.
//
// Each triangle acts from above only: a shape entirely beneath its plane does not touch it. With n
// its normal, its plane keeps the distance s(n) = (least height of the shape over the plane), and
// with u the direction of the closest points, g the gap (in overlap, of the normals that the
// surface has at the triangle the one with the least overlap):
//   - s(n) = g, or u nearly n: the triangle is a face. The points of the shape above it are
//     contacts of its plane, as on a half-space, and so are the corners that its edges cut out of a
//     face of the shape that lies on it;
//   - otherwise the closest point is on an edge or a corner, and u counts if it can be a normal of
//     the surface there: if no triangle next to it rises along u. So edges inside a plane or in a
//     valley, and corners that are no peaks, never act, nor do edges cut by a neighbour;
//   - where u does not count, the triangle is still a face for the points above it;
//   - a point above the triangle across a valley is a contact, too, as far as it may come over the
//     edge within reach: else it would be beneath the triangle before it is above it;
//   - an edge of a valley does not end the triangle for points beneath it: those beneath both sides
//     of the valley are above neither, and both push. Such a point is in the valley if the way from
//     it to the middle of the shape comes out of the surface over both sides, and not elsewhere.
// A contact is left out if a shorter way, that of another contact, takes the shape off its whole
// triangle: of a point beneath two faces of a ridge, or beneath the far side of a plate, the deeper
// contact. A point beneath a face is a contact only if the shape goes through the surface
// somewhere: it may also reach there past the border. Contacts of two triangles in one place with
// one normal are one contact.
//
// Ids. A point of the shape over a face: its number in the shape, times 16, plus the number of
// faces it touched before this one; so a vertex keeps its warm start when it slides from one
// triangle to the next. On an edge or a corner of the surface, bit 31 and the number of the edge or
// vertex.
#include <string.h>

#include "base/base.h"
#include "collide/collide.h"
#include "collide/cylinder.h"
#include "collide/patch.h"
#include "collide/ray.h"
#include "collide/solid.h"
#include "collide/surface.h"
#include "collide/surface_overlap.h"
#include "rotation/pose.h"

// sine below which faces lie on each other, and edges along each other
static const double manifold_tol = 0.05;

// sine below which an edge or a face of the shape is foremost in an overlap
static const double along_tol = 1e-6;

// lengths relative to the size of the shape and the triangle: differences up to which the plane is
// as good as the closest points; a point beside an edge is above the triangle; two contacts are
// one; the direction of closest points is rounding; error of closest points
static const double tie_tol = 1e-12, snap_tol = 1e-9, same_tol = 1e-6, touch_tol = 1e-9,
                    point_tol = 1e-14;

// sine of the largest error of a direction that counts
static const double cone_tol = 1e-3;

// the same relative to the triangle: corners that are foremost along a direction
static const double foremost_tol = 1e-6;

// A point that comes out of the surface above both sides of a valley is in the valley if it comes
// out no further from the edge than so many times its way: over the side across it may be further,
// and needs no second contact
enum { NEAR_WAYS = 2 };

enum { CLOSEST = 0, FIRST_END = 1, SECOND_END = 2, CUT = 3, CORNER = 6 };

typedef struct ground {
    solid b;
    const pcs_shape *s2;
    double reach, size; // size: of the shape
    double middle[3];   // a point within the shape
    pcs_shape surface;  // the second shape in its own frame
    pcs_feature *out;
    int n, capacity;
    bool beneath,
        through; // beneath: a point of it is beneath a face; through: it goes through the surface
} ground;

// the present triangle
typedef struct work {
    surface_triangle t;
    double size;         // size of the shape and the triangle
    double least;        // s(n)
    double m[3];         // n in the frame of the shape
    double inward[3][3]; // unit normal of each edge, in the plane
    bool plane;          // no edge of it bends
    bool valley[3];      // the surface rises across the edge
    bool any_valley;
} work;

// ---- beneath the surface ----------------------------------------------------------------------

// true when a point of the core with this gap is beneath; the radius of a point of a cylinder,
// which lies on its axis, is not that of its core
static bool is_beneath(const ground *g, double gap)
{
    return gap + g->b.core.radius < -snap_tol * g->size;
}

// true when the shape holds a point of the surface
static bool holds(const ground *g, const double y[3])
{
    const double along[3] = {0, 0, 1};
    double x[3], t, n[3];
    pcs_shape own = *g->b.s;
    memset(own.position, 0, sizeof own.position);
    own.orientation[0] = 1;
    own.orientation[1] = own.orientation[2] = own.orientation[3] = 0;
    solid_into(&g->b, y, x);
    // a point on a face of the shape counts: rounding must not decide
    v3_scale(1 - same_tol, x, x);
    return shape_ray(&own, NULL, x, along, g->size, &t, n) && t == 0;
}

// ---- the list ---------------------------------------------------------------------------------

// While contacts are collected, d1, which a point does not use, holds the gap, the triangle, and a
// mark of those that are dropped, or that are beneath the surface.
enum { DROPPED = 1, BENEATH = 2 };

// the place of a point of the shape: over the triangle, or across a valley from it, where it may be
// beneath the surface
typedef enum place { OVER, ACROSS, ACROSS_BENEATH } place;

static void add(ground *g, unsigned id, int number, const double p[3], double radius,
                const double y[3], const double N[3], double gap, place at)
{
    pcs_feature f;
    solid_point_plane(&g->b, g->s2, id, p, radius, y, N, &f);
    f.d1[0] = gap;
    f.d1[1] = number;
    f.d1[2] = at == ACROSS_BENEATH || is_beneath(g, gap) ? BENEATH : 0;
    if (!g->through && f.d1[2] == BENEATH) {
        g->beneath = true;
        g->through = at == OVER && holds(g, y); // elsewhere y is beside the surface
    }
    const int listed = g->n < g->capacity ? g->n : g->capacity;
    unsigned before = 0;
    for (int i = 0; i < listed; ++i) {
        const pcs_feature *o = &g->out[i];
        double apart[3];
        v3_sub(o->p2, f.p2, apart);
        if (v3_norm(apart) < same_tol * g->size && v3_dot(o->n2, f.n2) > 1 - manifold_tol / 40) {
            return;
        }
        if (id & SURFACE_EDGE) {
            if (o->id == id) return;
        } else if (!(o->id & SURFACE_EDGE) && o->id / 16 == id / 16) {
            before += 1;
        }
    }
    if (before > 15) return;
    f.id += before;
    if (g->n < g->capacity) g->out[g->n] = f;
    g->n += 1;
}

// ---- points of the shape over a face ----------------------------------------------------------

static int points_of(const pcs_shape *s)
{
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return 1;
    case PCS_SHAPE_CAPSULE:
        return 2;
    case PCS_SHAPE_BOX:
        return 8;
    case PCS_SHAPE_CYLINDER:
        return 2 + RIM_POINTS;
    case PCS_SHAPE_HULL:
        return s->geometry->of.hull.n_vertices;
    default:
        return 0;
    }
}

// Point k of the shape for a plane with the normal m (frame of the shape): core and radius. False
// if there is none. *number is the basis of its id.
static bool point_of(const ground *g, const double m[3], int k, double p[3], double *radius,
                     unsigned *number)
{
    const pcs_shape *s = g->b.s;
    *number = (unsigned)k;
    *radius = g->b.core.radius;
    p[0] = p[1] = p[2] = 0;
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return true;
    case PCS_SHAPE_CAPSULE:
        p[2] = k ? s->half[2] : -s->half[2];
        return true;
    case PCS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            p[i] = k >> i & 1 ? s->half[i] : -s->half[i];
        }
        return true;
    case PCS_SHAPE_CYLINDER:
        return cylinder_point(s, m, k, p, radius, number);
    case PCS_SHAPE_HULL:
        v3_copy(polyhedron_vertex(&s->geometry->of.hull, k), p);
        return true;
    default:
        return false;
    }
}

static double height(const work *w, const double x[3])
{
    double from[3];
    v3_sub(x, w->t.v[0], from);
    return v3_dot(w->t.n, from);
}

// The depth of a point inside the outline of the triangle, seen along n. A point between the
// normals of two triangles that count as one plane is above both: their edge, which never acts,
// would miss it
static double inside(const work *w, const double x[3])
{
    const double between = SURFACE_FLAT * fabs(height(w, x));
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double from[3];
        v3_sub(x, w->t.v[k], from);
        const double in = v3_dot(w->inward[k], from) + (w->t.flat[k] ? between : 0);
        if (!(in >= least)) least = in;
    }
    return least;
}

// true when no part of the shape is above the plane through x with the normal n, of any length
static bool entirely_beneath(const ground *g, const double x[3], const double n[3])
{
    const double up[3] = {-n[0], -n[1], -n[2]};
    double top[3];
    solid_lowest(&g->b, up, top);
    v3_sub(top, x, top);
    return !(v3_dot(n, top) + g->b.core.radius * v3_norm(n) > 0);
}

// ACROSS for a point above the triangle across a valley, from whose edge it is no further than
// reach: the space that is free there is above both planes, and the point may come over the edge in
// one step. It is lower over the triangle across. A shape behind that triangle is not in the
// valley. OVER: not there
static place across_valley(const ground *g, const work *w, const double x[3])
{
    place at = OVER;
    for (int k = 0; k < 3 && at != ACROSS; ++k) {
        if (!w->valley[k]) continue;
        const double *start = w->t.v[k], *end = w->t.v[k == 2 ? 0 : k + 1];
        const double *corner[3] = {start, w->t.opposite[k], end};
        double from[3], e[3], to[3], n[3];
        v3_sub(x, start, from);
        const double in = v3_dot(w->inward[k], from);
        if (!(in < 0 && in >= -g->reach)) continue;
        v3_sub(end, start, e);
        v3_sub(w->t.opposite[k], start, to);
        v3_cross(to, e, n);
        const double up = v3_dot(n, from);
        bool above = true;
        for (int i = 0; i < 3 && above; ++i) {
            double side[3];
            v3_sub(corner[i == 2 ? 0 : i + 1], corner[i], e);
            v3_sub(x, corner[i], from);
            v3_cross(n, e, side);
            above = v3_dot(side, from) >= 0;
        }
        if (!above || entirely_beneath(g, start, n)) continue;
        at = up < -snap_tol * g->size * v3_norm(n) ? ACROSS_BENEATH : ACROSS;
    }
    return at;
}

// Where the way from a point x of the shape, which is beneath the surface, to the middle of the
// shape comes out of the surface: false where it does not, or goes in first
static bool comes_out(const ground *g, const double x[3], double y[3])
{
    const double back = snap_tol * g->size; // x may be in the surface
    double along[3], from[3], t, n[3];
    v3_sub(g->middle, x, along);
    const double way = v3_unit(along, along);
    v3_along(x, -back, along, from);
    if (!shape_ray(&g->surface, NULL, from, along, way + back, &t, n)) return false;
    v3_along(from, t, along, y);
    return v3_dot(n, along) > 0;
}

// true when the plane through v with the normal n, of any length, has y above it, or x at least
// twice as deep beneath it
static bool rises(const ground *g, const double v[3], const double n[3], const double x[3],
                  const double y[3])
{
    double from[3], to[3];
    v3_sub(x, v, from);
    v3_sub(y, v, to);
    return v3_dot(n, to) >= 0.5 * fmin(0, v3_dot(n, from)) - snap_tol * g->size * v3_norm(n);
}

// True for a point of the core with this radius that is beneath the surface, beyond edges of
// valleys of the triangle only, and in these valleys: its lowest point comes out above both sides,
// near the triangle. A point above the triangle is within reach of the edge, too, as those of
// across_valley
static bool beneath_valley(const ground *g, const work *w, const double core[3], double radius)
{
    unsigned beyond = 0;
    double x[3];
    v3_along(core, -radius, w->t.n, x);
    if (!w->any_valley || !(height(w, x) < 0 || inside(w, x) >= -g->reach)) return false;
    for (int k = 0; k < 3; ++k) {
        double from[3];
        v3_sub(x, w->t.v[k], from);
        if (v3_dot(w->inward[k], from) >= -snap_tol * w->size) continue;
        if (!w->valley[k]) return false;
        beyond |= 1u << k;
    }
    double y[3], way[3];
    if (!beyond || !comes_out(g, x, y) || !rises(g, w->t.v[0], w->t.n, x, y)) return false;
    v3_sub(y, x, way);
    if (inside(w, y) < -NEAR_WAYS * v3_norm(way) - snap_tol * w->size) return false;
    for (int k = 0; k < 3; ++k) {
        const double *start = w->t.v[k], *end = w->t.v[k == 2 ? 0 : k + 1];
        double e[3], to[3], n[3];
        if (!(beyond >> k & 1)) continue;
        v3_sub(end, start, e);
        v3_sub(w->t.opposite[k], start, to);
        v3_cross(to, e, n);
        if (!rises(g, start, n, x, y)) return false;
    }
    return true;
}

// the foot of x in the plane of the triangle
static void foot(const work *w, const double x[3], double y[3])
{
    v3_along(x, -height(w, x), w->t.n, y);
}

// the contacts that a corner of the triangle, or a point of one of its edges, adds to a face: none
// where the plane continues
static bool counts(const work *w, unsigned sides)
{
    for (int k = 0; k < 3; ++k) {
        if (sides >> k & 1 && !w->t.flat[k]) return true;
    }
    return false;
}

static unsigned edge_id(const work *w, int k, unsigned what)
{
    return SURFACE_EDGE | (unsigned)w->t.edge[k] << 3 | what;
}

static unsigned corner_id(const work *w, int k)
{
    return SURFACE_EDGE | (unsigned)w->t.vertex[k] << 3 | CORNER;
}

// a point x of the surface of the shape (of its core, if that has a radius) where the normal is -N
static void add_point(ground *g, unsigned id, int number, const double x[3], const double y[3],
                      const double N[3], double gap)
{
    double own[3], u[3], p[3], radius = g->b.core.radius;
    const double back[3] = {-N[0], -N[1], -N[2]};
    solid_into(&g->b, x, own);
    if (g->b.s->kind == PCS_SHAPE_CYLINDER) {
        m3_mul_t(g->b.R, back, u);
        cylinder_core(g->b.s, own, u, p, &radius);
    } else {
        v3_copy(own, p);
    }
    add(g, id, number, p, radius, y, N, gap, OVER);
}

// The part of a patch on the triangle. It is not cut at the edge of a valley if all of it beyond
// this edge is beneath both sides
static void clip(const ground *g, const work *w, patch *p)
{
    const double snap = snap_tol * w->size, radius = g->b.core.radius;
    unsigned open = 0;
    for (int k = 0; k < 3; ++k) {
        bool beneath = w->valley[k], beyond = false;
        for (int i = 0; i < p->n && beneath; ++i) {
            double from[3];
            v3_sub(p->x[i], w->t.v[k], from);
            if (v3_dot(w->inward[k], from) >= -snap) continue;
            beyond = true;
            beneath = height(w, p->x[i]) < radius;
        }
        if (beneath && beyond) open |= 1u << k;
    }
    patch all = *p;
    patch_clip(&all, 3, w->t.v[0], w->t.n, snap, open);
    for (int i = 0; open && i < all.n; ++i) {
        if (inside(w, all.x[i]) < -snap && !beneath_valley(g, w, all.x[i], radius)) open = 0;
    }
    if (open) {
        *p = all;
    } else {
        patch_clip(p, 3, w->t.v[0], w->t.n, snap, 0);
    }
}

// the part of a face or an edge of the shape on the triangle, cut by the edges of the triangle
static void add_cuts(ground *g, const work *w)
{
    const double back[3] = {-w->m[0], -w->m[1], -w->m[2]};
    patch p;
    patch_facing(g->b.s, back, manifold_tol, &p);
    if (p.n < 2) return;
    patch_move(&p, g->b.R, g->b.t);
    clip(g, w, &p);
    unsigned cut[3] = {0, 0, 0};
    for (int i = 0; i < p.n; ++i) {
        if (p.number[i] >= 0 || !counts(w, p.sides[i])) continue;
        const double gap = height(w, p.x[i]) - g->b.core.radius;
        if (!(gap <= g->reach) || gap < w->least - tie_tol * w->size) continue;

        double y[3];
        foot(w, p.x[i], y);
        const int k = p.sides[i] & 1 ? 0 : p.sides[i] & 2 ? 1 : 2;
        const bool corner = (p.sides[i] & (p.sides[i] - 1)) != 0;

        // corner k starts edge k and ends the one before
        const int at = p.sides[i] == 5 ? 0 : k + 1;
        const unsigned id = corner ? corner_id(w, at == 3 ? 0 : at) : edge_id(w, k, CUT + cut[k]);
        if (!corner && cut[k] < 2) cut[k] += 1;
        add_point(g, id, w->t.number, p.x[i], y, w->t.n, gap);
    }
}

// points above the triangle, if face, and those beside and beneath its valleys
static void add_points(ground *g, const work *w, bool face)
{
    const int n = points_of(g->b.s);
    for (int k = 0; k < n && (face || w->any_valley); ++k) {
        double p[3], x[3], y[3], radius;
        unsigned number;
        if (!point_of(g, w->m, k, p, &radius, &number)) continue;
        solid_from(&g->b, p, x);
        const bool above = face && inside(w, x) >= -snap_tol * w->size;
        const place at = above || !w->any_valley ? OVER : across_valley(g, w, x);
        const double gap = height(w, x) - radius;
        if (!(gap <= g->reach)) continue;
        if (!above && at == OVER && !beneath_valley(g, w, x, radius)) continue;
        foot(w, x, y);
        add(g, 16 * number, w->t.number, p, radius, y, w->t.n, gap, at);
    }
}

static void add_face(ground *g, const work *w)
{
    add_points(g, w, true);
    if (points_of(g->b.s) > 1 && !w->plane) add_cuts(g, w);
}

// ---- edges and corners ------------------------------------------------------------------------

// bits of the corners of the triangle that are foremost along N
static unsigned foremost(const work *w, const double N[3])
{
    double at[3], most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double from[3];
        v3_sub(w->t.v[k], w->t.v[0], from);
        at[k] = v3_dot(N, from);
        most = fmax(most, at[k]);
    }
    unsigned set = 0;
    for (int k = 0; k < 3; ++k) {
        set |= (unsigned)(at[k] >= most - foremost_tol * w->size) << k;
    }
    return set;
}

static int edge_of(unsigned set)
{
    return set == 3 ? 0 : set == 6 ? 1 : 2;
}

// The sine by which the direction of closest points may be wrong. The search for those of a curved
// core ends where two bounds of the distance agree, which tells the direction to the root of the
// rounding
static double direction_error(const ground *g, const work *w, double distance)
{
    const double error = point_tol * w->size / distance;
    return fmin(cone_tol, g->b.core.kind == CONVEX_CYLINDER ? sqrt(error) : error);
}

// True when N can be a normal of the surface at the extreme feature along it, up to an error. An
// edge inside a plane has no normals of its own: what slides over it must not get one beside that
// of the plane
static bool allowed(const ground *g, const work *w, unsigned set, const double N[3], double error)
{
    if (v3_dot(N, w->t.n) < -error) return false;
    switch (set) {
    case 1:
    case 2:
    case 4:
        return surface_corner_allows(g->s2->geometry, &w->t, set == 4 ? 2 : (int)set - 1, N, error);
    case 3:
    case 6:
    case 5: {
        const int k = edge_of(set);
        double to[3];
        if (w->t.flat[k]) return false;
        if (!w->t.inner[k]) return true;
        v3_sub(w->t.opposite[k], w->t.v[k], to);
        return v3_dot(N, to) <= error * v3_norm(to);
    }
    default:
        return v3_dot(N, w->t.n) > 0;
    }
}

// the part of the edge from a in the direction e (unit), 0 .. *to, that lies under the outline of p
// seen along N
static bool under(const patch *p, const double a[3], const double e[3], const double N[3],
                  double *from, double *to)
{
    if (p->n == 2) {
        double one[3], two[3], along[3];
        v3_sub(p->x[0], a, one);
        v3_sub(p->x[1], a, two);
        v3_sub(two, one, along);
        const double s = v3_dot(one, e), t = v3_dot(two, e), length = v3_norm(along);
        if (!(fabs(t - s) >= (1 - manifold_tol * manifold_tol) * length)) return false;
        *from = fmax(*from, fmin(s, t));
        *to = fmin(*to, fmax(s, t));
        return *from <= *to;
    }
    double middle[3] = {0, 0, 0};
    for (int i = 0; i < p->n; ++i) {
        v3_along(middle, 1.0 / p->n, p->x[i], middle);
    }
    for (int i = 0; i < p->n; ++i) {
        const double *x = p->x[i];
        double side[3], in[3], out[3];
        v3_sub(p->x[i + 1 < p->n ? i + 1 : 0], x, side);
        v3_cross(N, side, in);
        v3_sub(middle, x, out);
        if (v3_dot(in, out) < 0) v3_scale(-1, in, in);

        // in . (a + s e - x) >= 0
        v3_sub(a, x, out);
        const double at = v3_dot(in, out), slope = v3_dot(in, e);
        if (slope > 0) {
            *from = fmax(*from, -at / slope);
        } else if (slope < 0) {
            *to = fmin(*to, -at / slope);
        } else if (at < 0) {
            return false;
        }
    }
    return *from <= *to;
}

// the point of the patch over y along N: of its plane, or of its segment beside y, seen across e
static bool above(const patch *p, const double y[3], const double e[3], const double N[3],
                  double x[3])
{
    double a[3], b[3], n[3], from[3];
    v3_sub(p->x[1], p->x[0], a);
    if (p->n == 2) {
        v3_sub(y, p->x[0], from);
        const double s = v3_dot(from, e) / v3_dot(a, e);
        v3_along(p->x[0], s, a, x);
        return isfinite(s);
    }
    v3_sub(p->x[p->n - 1], p->x[0], b);
    v3_cross(a, b, n);
    v3_sub(p->x[0], y, from);
    const double s = v3_dot(from, n) / v3_dot(N, n);
    v3_along(y, s, N, x);
    return isfinite(s);
}

typedef struct edge_end {
    double x[3], y[3], gap; // points of the shape and of the edge
} edge_end;

// the ends of the part that edge k shares with a face or an edge of the shape, along the edge from
// its lower vertex, so that both triangles give them the same ids; false if they share nothing
static bool find_edge_ends(const ground *g, const work *w, int k, const convex_gap *c,
                           edge_end end[2])
{
    const double *N = c->u, back[3] = {-N[0], -N[1], -N[2]};
    double u[3], e[3], from = 0;
    patch p;
    m3_mul_t(g->b.R, back, u);
    patch_facing(g->b.s, u, manifold_tol, &p);
    if (p.n < 2) return false;
    patch_move(&p, g->b.R, g->b.t);

    const int next = k == 2 ? 0 : k + 1;
    const bool reversed = w->t.vertex[next] < w->t.vertex[k];
    const double *a = w->t.v[reversed ? next : k];
    v3_sub(w->t.v[reversed ? k : next], a, e);
    double to = v3_unit(e, e);
    if (!under(&p, a, e, N, &from, &to)) return false;
    for (int i = 0; i < 2; ++i) {
        double apart[3];
        v3_along(a, i == 0 ? from : to, e, end[i].y);
        if (!above(&p, end[i].y, e, N, end[i].x)) return false;
        v3_sub(end[i].x, end[i].y, apart);
        end[i].gap = v3_dot(apart, N) - g->b.core.radius;
    }
    return true;
}

// The place of the contact on the shape. Closest points give it, but in an overlap they give the
// depth only: then it is the extreme feature of the shape, over the extreme feature of the
// triangle.
static void contact_point(const ground *g, const work *w, unsigned set, const convex_gap *c,
                          double x[3])
{
    v3_copy(c->x2, x);
    if (!c->overlap) return;
    const double *N = c->u, back[3] = {-N[0], -N[1], -N[2]};
    double u[3], e[3], across[3], from[3];
    patch p;
    m3_mul_t(g->b.R, back, u);
    patch_facing(g->b.s, u, along_tol, &p);
    patch_move(&p, g->b.R, g->b.t);
    const bool corner = (set & (set - 1)) == 0;
    const int k = corner ? (set == 4 ? 2 : (int)set - 1) : edge_of(set);
    const double *start = w->t.v[k];
    double v[3] = {start[0], start[1], start[2]};
    if (!corner) v3_sub(w->t.v[k == 2 ? 0 : k + 1], start, e);
    if (!corner && p.n > 2) {
        // the point of the edge beside the middle of the face
        v3_sub(p.x[0], start, from);
        for (int i = 1; i < p.n; ++i) {
            v3_sub(p.x[i], p.x[0], across);
            v3_along(from, 1.0 / p.n, across, from);
        }
        v3_along(start, fmin(1, fmax(0, v3_dot(from, e) / v3_dot(e, e))), e, v);
    }
    if (p.n == 1 || (p.n > 2 && !above(&p, v, N, N, x))) v3_copy(p.x[0], x);
    if (p.n != 2) return;

    // on the edge of the shape: beside the corner, or where it crosses the other edge
    v3_sub(p.x[1], p.x[0], across);
    if (!corner) v3_cross(N, e, across);
    v3_sub(p.x[1], p.x[0], e);
    v3_sub(v, p.x[0], from);
    const double s = v3_dot(from, across) / v3_dot(e, across);
    v3_along(p.x[0], fmin(1, fmax(0, s)), e, x);
    if (!isfinite(s)) v3_copy(p.x[0], x);
}

// the contact of the closest points, unless it coincides with an end of the common segment of two
// edges
static void add_closest(ground *g, const work *w, unsigned set, const convex_gap *c)
{
    const bool corner = (set & (set - 1)) == 0;
    const int k = corner ? (set == 4 ? 2 : (int)set - 1) : edge_of(set);
    const double tie = tie_tol * w->size;
    edge_end end[2];
    const bool ends = !corner && find_edge_ends(g, w, k, c, end);
    if (!ends || (end[0].gap > c->g + tie && end[1].gap > c->g + tie)) {
        double x[3], y[3];
        contact_point(g, w, set, c, x);
        v3_along(x, -(c->g + g->b.core.radius), c->u, y);
        add_point(g, corner ? corner_id(w, k) : edge_id(w, k, CLOSEST), w->t.number, x, y, c->u,
                  c->g);
    }
    for (int i = 0; ends && i < 2; ++i) {
        if (!(end[i].gap <= g->reach) || end[i].gap < c->g - tie) continue;
        add_point(g, edge_id(w, k, i == 0 ? FIRST_END : SECOND_END), w->t.number, end[i].x,
                  end[i].y, c->u, end[i].gap);
    }
}

// ---- one triangle -----------------------------------------------------------------------------

// the closest points of a triangle and the shape, if they are no further apart than reach; u points
// from the triangle
static gjk_result search(const ground *g, const surface_triangle *t, double reach, convex_gap *c)
{
    const convex triangle = {.kind = CONVEX_POINTS, .points = t->v[0], .n = 3};
    convex_pair pair;
    memcpy(pair.R, g->b.R, sizeof pair.R);
    v3_copy(g->b.t, pair.t);
    const gjk_result found =
        convex_apart(&triangle, &g->b.core, &pair, reach + g->b.core.radius, c);
    if (found == GJK_APART) c->g = c->distance - g->b.core.radius;
    return found;
}

static void touch(void *user, int number)
{
    ground *g = user;
    work w;
    surface_get(g->s2->geometry, number, &w.t);
    const double up[3] = {-w.t.n[0], -w.t.n[1], -w.t.n[2]}, radius = g->b.core.radius;
    double low[3], high[3], span = 0;
    solid_lowest(&g->b, w.t.n, low);
    solid_lowest(&g->b, up, high);
    const double bottom = height(&w, low), top = height(&w, high);
    w.least = bottom - radius;
    if (!(w.least <= g->reach) || !(top + radius > 0)) return;

    w.plane = true;
    w.any_valley = false;
    double margin = INFINITY; // margin of the lowest point from edges at which the plane ends
    for (int k = 0; k < 3; ++k) {
        double e[3], from[3];
        v3_sub(w.t.v[k == 2 ? 0 : k + 1], w.t.v[k], e);
        span = fmax(span, v3_unit(e, e));
        v3_cross(w.t.n, e, w.inward[k]);
        v3_sub(low, w.t.v[k], from);
        if (!w.t.flat[k]) margin = fmin(margin, v3_dot(w.inward[k], from));
        w.plane = w.plane && w.t.flat[k];
        w.valley[k] = w.t.inner[k] && !w.t.flat[k];
        if (!w.valley[k]) continue;
        v3_sub(w.t.opposite[k], w.t.v[k], from);
        w.valley[k] = v3_dot(w.t.n, from) > 0;
        w.any_valley = w.any_valley || w.valley[k];
    }
    w.size = g->size + span;
    m3_mul_t(g->b.R, w.t.n, w.m);

    // the lowest point is above the triangle, and no other separation is shorter
    if (inside(&w, low) >= -snap_tol * w.size && (bottom >= 0 || margin >= -w.least)) {
        add_face(g, &w);
        return;
    }

    // no part of the triangle is outside of a plane that continues in all directions
    const double middle = 0.5 * (bottom + top) + radius;
    if (w.plane) {
        if (middle >= 0) add_face(g, &w);
        return;
    }

    convex_gap c;
    const gjk_result found = search(g, &w.t, g->reach, &c);
    if (found == GJK_BEYOND) {
        // what is beneath the valley may be further from the triangle than from its plane
        if (w.least < 0 && middle >= 0) add_points(g, &w, false);
        return;
    }
    unsigned set = found == GJK_APART ? foremost(&w, c.u) : 0;
    bool good = found == GJK_APART && set != 7 &&
                allowed(g, &w, set, c.u, direction_error(g, &w, c.distance));
    if (found == GJK_OVERLAP || (!good && c.distance < touch_tol * w.size)) {
        surface_overlap o;
        surface_find_overlap(&g->b, g->s2->geometry, &w.t, &o);
        c.overlap = true;
        c.g = o.s - radius;
        v3_copy(o.x, c.x2);
        v3_copy(o.N, c.u);
        set = o.set;
        good = set != 7;
    } else if (w.least >= c.g - tie_tol * w.size) {
        add_face(g, &w);
        return;
    }
    const bool nearly = v3_dot(c.u, w.t.n) >= 1 - 0.5 * manifold_tol * manifold_tol;
    if (good) add_closest(g, &w, set, &c);
    if (good ? nearly : middle >= 0) {
        add_face(g, &w);
    } else if (middle >= 0) {
        add_points(g, &w, false);
    }
}

// ---- the pair ---------------------------------------------------------------------------------

// the largest height of a triangle over the plane of a contact
static double highest(const ground *g, int number, const double y[3], const double N[3])
{
    surface_triangle t;
    surface_get(g->s2->geometry, number, &t);
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double from[3];
        v3_sub(t.v[k], y, from);
        most = fmax(most, v3_dot(N, from));
    }
    return most;
}

// Drops the contacts that a shorter way resolves: the shape is beyond the plane of contact f when
// it has moved out of it by its whole depth there, and a triangle beneath this plane is then free.
static void drop_resolved(ground *g)
{
    double deepest = 0;
    for (int i = 0; i < g->n; ++i) {
        deepest = fmin(deepest, g->out[i].d1[0]);
    }
    for (int j = 0; j < g->n; ++j) {
        const pcs_feature *f = &g->out[j];
        double y[3], N[3], x[3];
        v3_sub(f->p2, g->s2->position, y);
        quat_turn(g->s2->orientation, -1, y, y);
        quat_turn(g->s2->orientation, -1, f->n2, N);
        solid_lowest(&g->b, N, x);
        v3_sub(x, y, x);
        const double depth = g->b.core.radius - v3_dot(N, x);
        for (int i = 0; i < g->n && -deepest > depth + snap_tol * g->size; ++i) {
            pcs_feature *o = &g->out[i];
            if (!(-o->d1[0] > fmax(depth, 0) + snap_tol * g->size) || o->d1[2] == DROPPED) continue;
            if (highest(g, (int)o->d1[1], y, N) <= snap_tol * g->size) o->d1[2] = DROPPED;
        }
    }
    int n = 0;
    for (int i = 0; i < g->n; ++i) {
        if (g->out[i].d1[2] != DROPPED) g->out[n++] = g->out[i];
    }
    g->n = n;
}

// true when the shape goes through triangle `number`
static void check_through(void *user, int number)
{
    ground *g = user;
    if (g->through) return;
    surface_triangle t;
    surface_get(g->s2->geometry, number, &t);
    convex_gap c;
    g->through = search(g, &t, 0, &c) != GJK_BEYOND;
}

// drops contacts beneath a face of a surface that the shape does not go through
static void drop_beneath(ground *g, const double low[3], const double high[3])
{
    if (!g->beneath || g->through) return;
    surface_near(g->s2->geometry, low, high, check_through, g);
    if (g->through) return;
    int n = 0;
    for (int i = 0; i < g->n; ++i) {
        if (g->out[i].d1[2] != BENEATH) g->out[n++] = g->out[i];
    }
    g->n = n;
}

int collide_ground(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                   double reach, int capacity, pcs_feature *out)
{
    ground g = {.s2 = s2, .surface = *s2, .reach = reach, .out = out, .capacity = capacity};
    solid_place(s1, q1, s2, q2, &g.b);
    g.size = convex_extent(&g.b.core) + g.b.core.radius;
    double low[3], high[3];
    memset(g.surface.position, 0, sizeof g.surface.position);
    memcpy(g.surface.orientation, (double[4]){1}, sizeof g.surface.orientation);
    for (int i = 0; i < 3; ++i) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        const double back[3] = {-axis[0], -axis[1], -axis[2]};
        double x[3];
        solid_lowest(&g.b, axis, x);
        v3_along(g.middle, 1.0 / 6, x, g.middle);
        low[i] = x[i] - g.b.core.radius - fmax(reach, 0);
        solid_lowest(&g.b, back, x);
        v3_along(g.middle, 1.0 / 6, x, g.middle);
        high[i] = x[i] + g.b.core.radius + fmax(reach, 0);
    }
    surface_near(s2->geometry, low, high, touch, &g);
    if (g.n > capacity) return g.n;

    drop_resolved(&g);
    drop_beneath(&g, low, high);
    int first = 0;
    for (int i = 1; i < g.n; ++i) {
        if (out[i].d1[0] < out[first].d1[0]) first = i;
    }
    if (first > 0) {
        const pcs_feature f = out[first];
        memmove(out + 1, out, (size_t)first * sizeof *out);
        out[0] = f;
    }
    for (int i = 0; i < g.n; ++i) {
        out[i].d1[0] = out[i].d1[1] = out[i].d1[2] = 0;
    }
    return g.n;
}
