// The closest features of two polyhedra; see polyhedra.c.
#include "collide/polyhedra.h"

#include <math.h>

#include "base/base.h"

// least angle (sine) of edges whose lines make the contact: the normal loses as many digits as this
// has zeros
static const double lines_tol = 1e-6;

// for polyhedra with more vertices the distance is computed before the faces are searched
enum { AXES_FIRST = 64 };

static void direction(const polyhedron *h, int part, double d[3])
{
    d[0] = d[1] = d[2] = 0;
    if (part < h->n_vertices) return;
    if (part >= h->n_vertices + h->n_edges) {
        v3_copy(polyhedron_normal(h, part - h->n_vertices - h->n_edges), d);
        return;
    }
    const int *e = h->edge + 4 * (size_t)(part - h->n_vertices);
    v3_sub(polyhedron_vertex(h, e[1]), polyhedron_vertex(h, e[0]), d);
    v3_unit(d, d);
}

void polyhedra_directions(const polyhedra *p, polyhedra_contact *c)
{
    direction(p->p1, c->part1, c->d1);
    direction(p->p2, c->part2, c->d2);
}

bool polyhedra_meet(const polyhedra *p, int e1, int e2, double x1[3], double x2[3], double *s1,
                    double *s2)
{
    const int *i = p->p1->edge + 4 * (size_t)e1, *j = p->p2->edge + 4 * (size_t)e2;
    const double *a = polyhedron_vertex(p->p1, i[0]), *b = polyhedron_vertex(p->p2, j[0]);
    double d1[3], d2[3], rotated[3], from[3], w[3], n[3], x[3];
    v3_sub(polyhedron_vertex(p->p1, i[1]), a, d1);
    v3_sub(polyhedron_vertex(p->p2, j[1]), b, d2);
    m3_mul(p->at.R, d2, rotated);
    from_2(p, b, from);
    v3_sub(from, a, w);
    v3_cross(d1, rotated, n);
    const double nn = v3_dot(n, n);
    if (!(nn > lines_tol * lines_tol * v3_dot(d1, d1) * v3_dot(d2, d2))) return false;
    v3_cross(w, rotated, x);
    *s1 = v3_dot(x, n) / nn;
    v3_cross(w, d1, x);
    *s2 = v3_dot(x, n) / nn;
    v3_along(a, *s1, d1, x1);
    v3_along(b, *s2, d2, x2);
    return true;
}

// a face of 1 (or 2) and a vertex of the other
static void face_contact(const polyhedra *p, bool of1, int face, int v, polyhedra_contact *c)
{
    const polyhedron *h = of1 ? p->p1 : p->p2, *other = of1 ? p->p2 : p->p1;
    const double *n = polyhedron_normal(h, face);
    double x[3], on[3];
    v3_scale(h->offset[face], n, on);
    const double *vertex = polyhedron_vertex(other, v);
    if (of1) {
        c->kind = PCS_FEATURE_PLANE_POINT;
        c->part1 = part_of_face(h, face);
        c->part2 = v;
        v3_copy(on, c->x1);
        v3_copy(vertex, c->x2);
        v3_copy(n, c->u);
        from_2(p, vertex, x);
        v3_copy(x, c->at);
    } else {
        c->kind = PCS_FEATURE_POINT_PLANE;
        c->part1 = v;
        c->part2 = part_of_face(h, face);
        v3_copy(vertex, c->x1);
        v3_copy(on, c->x2);
        m3_mul(p->at.R, n, c->u);
        v3_scale(-1, c->u, c->u);
        into_2(p, vertex, x);
        v3_copy(vertex, c->at);
    }
    c->g = v3_dot(n, x) - h->offset[face];
}

// true when a point over a face is over its inside
static bool over_face(const polyhedron *h, int face, const double x[3])
{
    const double *n = polyhedron_normal(h, face);
    for (int k = h->first[face]; k < h->first[face + 1]; ++k) {
        const double *a = polyhedron_vertex(h, h->corner[k]);
        const double *b =
            polyhedron_vertex(h, h->corner[k + 1 < h->first[face + 1] ? k + 1 : h->first[face]]);
        double e[3], out[3], r[3];
        v3_sub(b, a, e);
        v3_cross(e, n, out);
        v3_sub(x, a, r);
        if (v3_dot(r, out) > 0) return false;
    }
    return true;
}

// two points fixed in their bodies with the normal u between them, as a point and a plane: for
// features without a better description
static void point_contact(const convex_gap *k, const polyhedra *p, int part1, int part2,
                          polyhedra_contact *c)
{
    c->kind = PCS_FEATURE_POINT_PLANE;
    c->part1 = part1;
    c->part2 = part2;
    v3_copy(k->x1, c->x1);
    into_2(p, k->x2, c->x2);
    v3_copy(k->u, c->u);
    v3_copy(k->x1, c->at);
    m3_mul_t(p->at.R, k->u, c->d2);
    v3_scale(-1, c->d2, c->d2);
    c->g = k->distance;
}

// an axis as a contact; of touching or overlapping cores it is the answer
static void of_axis(const polyhedra *p, const polyhedra_axis *a, polyhedra_contact *c)
{
    if (a->kind == AXIS_FACE1 || a->kind == AXIS_FACE2) {
        const bool of1 = a->kind == AXIS_FACE1;
        face_contact(p, of1, of1 ? a->i : a->j, of1 ? a->j : a->i, c);
        polyhedra_directions(p, c);
        return;
    }
    double s1, s2;
    c->kind = PCS_FEATURE_EDGE_EDGE;
    c->part1 = part_of_edge(p->p1, a->i);
    c->part2 = part_of_edge(p->p2, a->j);
    v3_copy(a->u, c->u);
    c->g = a->s;
    const bool meet = polyhedra_meet(p, a->i, a->j, c->x1, c->x2, &s1, &s2);
    v3_copy(c->x1, c->at);
    if (meet && p->radius1 + p->radius2 == 0) {
        polyhedra_directions(p, c);
        return;
    }

    // lines with a radius have no inside, and parallel ones no crossing: a point and a plane
    // replace them
    convex_gap k = {.distance = a->s};
    v3_copy(a->u, k.u);
    if (meet) {
        v3_copy(c->x1, k.x1);
    } else {
        convex_separation(&p->core1, &p->core2, &p->at, a->u, k.x1, NULL);
    }
    v3_along(k.x1, a->s, a->u, k.x2);
    point_contact(&k, p, c->part1, c->part2, c);
}

// true when two points as far apart as the axis says are on the parts that it names
static bool attained(const polyhedra *p, const polyhedra_axis *a)
{
    double x[3], y[3], s1, s2;
    switch (a->kind) {
    case AXIS_FACE1:
        from_2(p, polyhedron_vertex(p->p2, a->j), x);
        return over_face(p->p1, a->i, x);
    case AXIS_FACE2:
        into_2(p, polyhedron_vertex(p->p1, a->i), x);
        return over_face(p->p2, a->j, x);
    case AXIS_EDGES:
        return polyhedra_meet(p, a->i, a->j, x, y, &s1, &s2) && s1 >= 0 && s1 <= 1 && s2 >= 0 &&
               s2 <= 1;
    case AXIS_NONE:
        break;
    }
    return false;
}

// the different vertices of one polyhedron among the corners
static int distinct(const convex_gap *k, bool of1, int v[3])
{
    int n = 0;
    for (int i = 0; i < k->corners; ++i) {
        const int at = of1 ? k->corner[i].i1 : k->corner[i].i2;
        bool seen = false;
        for (int j = 0; j < n; ++j) {
            seen = seen || v[j] == at;
        }
        if (!seen) v[n++] = at;
    }
    return n;
}

// The face at v whose normal may be the direction d of the closest points, -1 if there is none:
// along it their distance is shorter by less than rounding, which is what the search knows of d
static int flush_face(const polyhedra *p, const polyhedron *h, int v, const double d[3],
                      double distance)
{
    double x[3];
    const int f = polyhedron_face(h, v, d);
    if (f < 0 || !(v3_dot(polyhedron_normal(h, f), d) > 0)) return -1;
    v3_cross(polyhedron_normal(h, f), d, x);
    const double slack = polyhedra_tie * p->size + polyhedra_flush * polyhedra_flush * distance;
    return v3_dot(x, x) * distance <= slack ? f : -1;
}

// true when face f1 of 1 and face f2 of 2 are parallel
static bool parallel(const polyhedra *p, int f1, int f2)
{
    double n2[3], x[3];
    if (f1 < 0 || f2 < 0) return false;
    m3_mul(p->at.R, polyhedron_normal(p->p2, f2), n2);
    v3_cross(polyhedron_normal(p->p1, f1), n2, x);
    return v3_dot(x, x) <= polyhedra_flush * polyhedra_flush;
}

// the vertex or the edge of these corners, -1 if there is none
static int part_of_corners(const polyhedron *h, int n, const int v[3])
{
    const int e = n == 2 ? polyhedron_edge(h, v[0], v[1]) : -1;
    return n == 1 ? v[0] : e >= 0 ? part_of_edge(h, e) : -1;
}

// the features of separated cores from the corners of the search
static void of_corners(const polyhedra *p, const convex_gap *k, polyhedra_contact *c)
{
    int v1[3], v2[3];
    const int n1 = distinct(k, true, v1), n2 = distinct(k, false, v2);
    double back[3];
    m3_mul_t(p->at.R, k->u, back);
    v3_scale(-1, back, back);

    // three corners of one polyhedron span a face of it. Any corners of parallel faces may be
    // found, with a direction that is rounding when the faces are near
    const int near1 = flush_face(p, p->p1, v1[0], k->u, k->distance);
    const int near2 = flush_face(p, p->p2, v2[0], back, k->distance);
    const bool both = parallel(p, near1, near2);
    const int f1 = n1 == 3 || both ? near1 : -1, f2 = n2 == 3 || both ? near2 : -1;
    if ((f1 >= 0 && n2 == 1) || (f2 >= 0 && n1 == 1)) {
        const bool of1 = f1 >= 0 && n2 == 1;
        face_contact(p, of1, of1 ? f1 : f2, of1 ? v2[0] : v1[0], c);
        polyhedra_directions(p, c);
        return;
    }
    c->part1 = part_of_corners(p->p1, n1, v1);
    c->part2 = part_of_corners(p->p2, n2, v2);
    if (f1 >= 0 || f2 >= 0 || c->part1 < 0 || c->part2 < 0) {
        convex_gap flat = *k;
        if (f1 >= 0) {
            v3_copy(polyhedron_normal(p->p1, f1), flat.u);
        } else if (f2 >= 0) {
            m3_mul(p->at.R, polyhedron_normal(p->p2, f2), flat.u);
            v3_scale(-1, flat.u, flat.u);
        }
        point_contact(&flat, p, v1[0], v2[0], c);
        return;
    }

    v3_copy(k->u, c->u);
    v3_copy(k->x1, c->x1);
    into_2(p, k->x2, c->x2);
    v3_copy(k->x1, c->at);
    c->g = k->distance;
    if (n1 == 1) v3_copy(polyhedron_vertex(p->p1, v1[0]), c->x1);
    if (n2 == 1) v3_copy(polyhedron_vertex(p->p2, v2[0]), c->x2);
    c->kind = n1 == 1   ? n2 == 1 ? PCS_FEATURE_POINT_POINT : PCS_FEATURE_POINT_EDGE
              : n2 == 1 ? PCS_FEATURE_EDGE_POINT
                        : PCS_FEATURE_EDGE_EDGE;
    if (c->kind == PCS_FEATURE_EDGE_EDGE) {
        // parallel edges: the point found on one, and the line of the other
        double x1[3], x2[3], s1, s2;
        if (!polyhedra_meet(p, c->part1 - p->p1->n_vertices, c->part2 - p->p2->n_vertices, x1, x2,
                            &s1, &s2)) {
            c->kind = PCS_FEATURE_POINT_EDGE;
        } else {
            v3_copy(x1, c->x1);
            v3_copy(x2, c->x2);
        }
    }
    polyhedra_directions(p, c);
}

// The features of separated cores: those of an axis that separates them by the distance found, or
// by more: where the edges of two corners are nearly parallel, rounding makes the distance too
// small
static void apart(const polyhedra *p, const convex_gap *k, const polyhedra_axis *best,
                  polyhedra_contact *c)
{
    if (best->kind != AXIS_NONE && best->s >= k->distance - polyhedra_tie * p->size) {
        of_axis(p, best, c);
    } else {
        of_corners(p, k, c);
    }
}

// Overlapping or touching cores: all axes, unless there are too many. Then the direction that
// libccd finds (k has a guess of it), and the axes about it
static void deepest(const polyhedra *p, convex_gap *k, polyhedra_contact *c)
{
    polyhedra_axis best = {.s = -INFINITY};
    bool all;
    polyhedra_faces(p, INFINITY, &best);
    polyhedra_edges(p, INFINITY, &best, &all);
    if (all && best.kind != AXIS_NONE) {
        of_axis(p, &best, c);
        return;
    }

    convex_penetration(&p->core1, &p->core2, &p->at, k);
    polyhedra_axes_near(p, k->u, &best);
    if (best.kind != AXIS_NONE && best.s >= k->distance - 1e-9 * p->size) {
        of_axis(p, &best, c);
    } else {
        double u2[3];
        m3_mul_t(p->at.R, k->u, u2);
        v3_scale(-1, u2, u2);
        point_contact(k, p, polyhedron_top(p->p1, k->u), polyhedron_top(p->p2, u2), c);
    }
}

// few vertices: faces first. They exclude most pairs that are out of reach, and decide most others;
// then edges, and the search for the distance if a vertex is nearest to a vertex or to an edge
static bool closest_of_few(const polyhedra *p, double far, polyhedra_contact *c)
{
    polyhedra_axis best = {.s = -INFINITY};
    const double touch = polyhedra_touch * p->size;
    bool all = true;
    if (!polyhedra_faces(p, far, &best)) return false;
    if (best.s > touch && attained(p, &best)) {
        of_axis(p, &best, c);
        return true;
    }
    if (!(best.s > touch)) {
        if (!polyhedra_edges(p, far, &best, &all)) return false;
        if (all && best.kind != AXIS_NONE && !(best.s > touch)) {
            of_axis(p, &best, c);
            return true;
        }
    }

    convex_gap k;
    const gjk_result found = convex_apart(&p->core1, &p->core2, &p->at, far, &k);
    if (found == GJK_BEYOND) return false;
    if (found == GJK_APART && (k.distance > touch || best.kind == AXIS_NONE)) {
        apart(p, &k, &best, c);
    } else if (all && best.kind != AXIS_NONE) {
        of_axis(p, &best, c);
    } else {
        deepest(p, &k, c);
    }
    return c->g <= far;
}

static bool closest_of_many(const polyhedra *p, double far, polyhedra_contact *c)
{
    convex_gap k;
    const gjk_result found = convex_apart(&p->core1, &p->core2, &p->at, far, &k);
    if (found == GJK_BEYOND) return false;
    if (found == GJK_APART && k.distance > polyhedra_touch * p->size) {
        // only the direction between points that are near is so inaccurate that faces are needed
        polyhedra_axis best = {.s = -INFINITY};
        const bool near = k.distance <= polyhedra_flush * p->size;
        if (near && !polyhedra_faces(p, far, &best)) return false;
        apart(p, &k, &best, c);
    } else {
        deepest(p, &k, c);
    }
    return c->g <= far;
}

bool polyhedra_closest(const polyhedra *p, double far, polyhedra_contact *c)
{
    *c = (polyhedra_contact){.part1 = 0};
    const bool few = p->p1->n_vertices <= AXES_FIRST && p->p2->n_vertices <= AXES_FIRST;
    return few ? closest_of_few(p, far, c) : closest_of_many(p, far, c);
}
