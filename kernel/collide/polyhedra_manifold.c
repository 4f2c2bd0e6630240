// The contacts around the closest features of two polyhedra; see polyhedra.c.
#include "collide/polyhedra.h"

#include <math.h>

#include "collide/polygon.h"

// sine below which nearly opposite faces, and edges that are nearly parallel to each
// other, give more contacts than the closest one
static const double manifold_tol = 0.05;

// a vertex this far beyond the outline of a face, relative to the size, is still above it, so that
// bodies of one size on top of each other keep their ids
static const double snap_tol = 1e-7;

// two contacts nearer than this, relative to the size, are one
static const double duplicate_tol = 1e-6;

// adds a contact unless its features, or its place, are taken already
static void add(polyhedra_contacts *list, const polyhedra_contact *c, double size)
{
    if (list->n == PCS_FEATURES_MAX) return;
    for (int i = 0; i < list->n; ++i) {
        polyhedra_contact *other = &list->at[i];
        if (other->part1 == c->part1 && other->part2 == c->part2) return;

        double apart[3];
        v3_sub(other->at, c->at, apart);
        if (v3_norm(apart) < duplicate_tol * size) {
            // the deeper of the two stays; the first of the list is the deepest
            if (i > 0 && c->g < other->g - polyhedra_tie * size) *other = *c;
            return;
        }
    }
    list->at[list->n++] = *c;
}

// the face to cut against
typedef struct reference {
    bool of1;
    int face;
    bool flush; // its normal is the normal of the contact
} reference;

// the face of h, at the vertex furthest along d, whose normal is nearest d, and the square of the
// sine between them; -1 if there is none on that side
static int facing(const polyhedron *h, const double d[3], double *sine2)
{
    const int f = polyhedron_face(h, polyhedron_top(h, d), d);
    double x[3];
    *sine2 = INFINITY;
    if (f < 0) return -1;
    const double *n = polyhedron_normal(h, f);
    v3_cross(n, d, x);
    *sine2 = v3_dot(n, d) > 0 ? v3_dot(x, x) : INFINITY;
    return f;
}

// true when an edge at the vertex of h furthest along d is nearly normal to d
static bool has_edge_along(const polyhedron *h, const double d[3])
{
    const int v = polyhedron_top(h, d);
    if (h->n_edges == 0) return true;
    for (int k = h->about[v]; k < h->about[v + 1]; ++k) {
        const int *e = h->edge + 4 * (size_t)h->spoke[k];
        double along[3];
        v3_sub(polyhedron_vertex(h, e[1]), polyhedron_vertex(h, e[0]), along);
        if (fabs(v3_dot(along, d)) <= manifold_tol * v3_norm(along)) return true;
    }
    return false;
}

// The face whose normal is u, of 1 first; else, of the faces about along u that a face or an edge
// of the other one lies along, the better one
static bool find_reference(const polyhedra *p, const double u[3], reference *r)
{
    double back[3], off1, off2;
    m3_mul_t(p->at.R, u, back);
    v3_scale(-1, back, back);
    const int f1 = facing(p->p1, u, &off1), f2 = facing(p->p2, back, &off2);
    const double flush = polyhedra_flush * polyhedra_flush, limit = manifold_tol * manifold_tol;

    r->of1 = off1 <= flush;
    r->flush = r->of1 || off2 <= flush;
    if (!r->flush) {
        const bool on1 = off1 <= limit && has_edge_along(p->p2, back);
        const bool on2 = off2 <= limit && has_edge_along(p->p1, u);
        if (!on1 && !on2) return false;
        r->of1 = on1 && (!on2 || off1 <= off2);
    }
    r->face = r->of1 ? f1 : f2;
    return true;
}

// the face of h at v, its top along d, whose normal is nearest d; a later face must lead clearly,
// so that rounding does not decide
static int incident(const polyhedron *h, int v, const double d[3])
{
    int best = -1;
    double most = -INFINITY;
    for (int k = h->about[v]; h->n_faces > 0 && k < h->about[v + 1]; ++k) {
        const int *e = h->edge + 4 * (size_t)h->spoke[k];
        const int f = e[0] == v ? e[2] : e[3];
        const double along = v3_dot(polyhedron_normal(h, f), d);
        if (along > most + polyhedra_flush || (along > most - polyhedra_flush && f < best)) {
            most = along > most ? along : most;
            best = f;
        }
    }
    return best;
}

// the outline of the incident face, or the only edge, in the frame of the reference. Of very many
// corners some are left out, but not the top
static void outline(const polyhedron *h, int face, int top, const convex_pair *at, polygon *out)
{
    const int from = face >= 0 ? h->first[face] : 0;
    const int count = face >= 0 ? h->first[face + 1] - from : h->n_vertices;
    const int stride = 1 + (count - 1) / (POLYGON_MAX / 2);
    int start = 0;
    while (stride > 1 && h->corner[from + start] != top) {
        start += 1;
    }
    out->n = 0;
    for (int i = 0; i < count; i += stride) {
        const int k = (start + i) % count;
        polygon_corner *c = &out->at[out->n++];
        c->vertex = face >= 0 ? h->corner[from + k] : k;
        c->side = face >= 0 ? h->side[from + k] : 0;
        m3_mul(at->R, polyhedron_vertex(h, c->vertex), c->x);
        v3_along(c->x, 1, at->t, c->x);
    }
}

// 1 in the frame of 2
static convex_pair exchanged(const convex_pair *at)
{
    convex_pair e;
    m3_mul_t(at->R, at->t, e.t);
    for (int i = 0; i < 3; ++i) {
        e.t[i] = -e.t[i];
        for (int j = 0; j < 3; ++j) {
            e.R[i + 3 * j] = at->R[j + 3 * i];
        }
    }
    return e;
}

static void cut_to_face(const polyhedron *h, int face, double snap, polygon *a, polygon *room)
{
    const double *n = polyhedron_normal(h, face);
    const int from = h->first[face], to = h->first[face + 1];
    polygon *in = a, *out = room;
    for (int k = from; k < to; ++k) {
        const double *x = polyhedron_vertex(h, h->corner[k]);
        const double *y = polyhedron_vertex(h, h->corner[k + 1 < to ? k + 1 : from]);
        double e[3], normal[3];
        v3_sub(y, x, e);
        v3_cross(e, n, normal);
        v3_unit(normal, normal);
        polygon_cut(in, normal, v3_dot(normal, x), snap, ~h->side[k], out);
        polygon *t = in;
        in = out;
        out = t;
    }
    if (in != a) *a = *in;
}

// the vertex that two edges of h share
static int shared(const polyhedron *h, int e, int f)
{
    const int *a = h->edge + 4 * (size_t)e, *b = h->edge + 4 * (size_t)f;
    return a[0] == b[0] || a[0] == b[1] ? a[0] : a[1];
}

// The parts that face each other at corner i, of the other polyhedron and of the reference. Labels
// below zero are sides of the reference (~edge)
static void corner_parts(const polygon *a, int i, const polyhedron *ref, int face,
                         const polyhedron *other, int other_face, int *of_other, int *of_ref)
{
    const int out = a->at[i].side, in = a->at[i > 0 ? i - 1 : a->n - 1].side;
    if (a->at[i].vertex >= 0) {
        *of_other = a->at[i].vertex;
        *of_ref = part_of_face(ref, face);
    } else if (in < 0 && out < 0) {
        *of_other = other_face >= 0 ? part_of_face(other, other_face) : part_of_edge(other, 0);
        *of_ref = shared(ref, ~in, ~out);
    } else {
        *of_other = part_of_edge(other, in >= 0 ? in : out);
        *of_ref = part_of_edge(ref, in >= 0 ? ~out : ~in);
    }
}

// reduces the corners: removes one by one the corner that spans the least area with its neighbours,
// but never the deepest
static void thin(polygon *a, polyhedra_contact *c, int most)
{
    while (a->n > most) {
        int least = 0, deepest = 0;
        double area = INFINITY;
        for (int i = 1; i < a->n; ++i) {
            if (c[i].g < c[deepest].g) deepest = i;
        }
        for (int i = 0; i < a->n; ++i) {
            double d[3], e[3], x[3];
            v3_sub(a->at[i > 0 ? i - 1 : a->n - 1].x, a->at[i].x, d);
            v3_sub(a->at[i + 1 < a->n ? i + 1 : 0].x, a->at[i].x, e);
            v3_cross(d, e, x);
            if (i != deepest && v3_dot(x, x) < area) {
                area = v3_dot(x, x);
                least = i;
            }
        }
        a->n -= 1;
        for (int i = least; i < a->n; ++i) {
            a->at[i] = a->at[i + 1];
            c[i] = c[i + 1];
        }
    }
}

// the contacts of the reference face within far, gaps along its normal
static int face_contacts(const polyhedra *p, const reference *r, double snap, double far,
                         double least, polyhedra_contact out[POLYGON_MAX])
{
    const polyhedron *ref = r->of1 ? p->p1 : p->p2, *other = r->of1 ? p->p2 : p->p1;
    const convex_pair at = r->of1 ? p->at : exchanged(&p->at);
    const double *n = polyhedron_normal(ref, r->face);
    double back[3], normal1[3], on[3];
    v3_scale(ref->offset[r->face], n, on);
    m3_mul_t(at.R, n, back);
    v3_scale(-1, back, back);
    const int top = polyhedron_top(other, back), face = incident(other, top, back);

    polygon a, room;
    outline(other, face, top, &at, &a);
    cut_to_face(ref, r->face, snap, &a, &room);
    if (r->of1) {
        v3_copy(n, normal1);
    } else {
        m3_mul(p->at.R, n, normal1);
        v3_scale(-1, normal1, normal1);
    }

    int kept = 0;
    for (int i = 0; i < a.n; ++i) {
        const double *x = a.at[i].x;
        const double g = v3_dot(n, x) - ref->offset[r->face];
        if (!(g <= far && g >= least)) continue;

        int of_other, of_ref;
        double foot[3], point[3];
        corner_parts(&a, i, ref, r->face, other, face, &of_other, &of_ref);
        if (a.at[i].vertex >= 0) {
            v3_copy(polyhedron_vertex(other, a.at[i].vertex), point);
        } else {
            double to[3];
            v3_sub(x, at.t, to);
            m3_mul_t(at.R, to, point);
        }
        v3_along(x, -g, n, foot);

        polyhedra_contact *c = &out[kept];
        *c = (polyhedra_contact){
            .g = g, .kind = r->of1 ? PCS_FEATURE_PLANE_POINT : PCS_FEATURE_POINT_PLANE};
        c->part1 = r->of1 ? of_ref : of_other;
        c->part2 = r->of1 ? of_other : of_ref;
        v3_copy(r->of1 ? on : point, c->x1);
        v3_copy(r->of1 ? point : on, c->x2);
        v3_copy(n, r->of1 ? c->d1 : c->d2);
        v3_copy(normal1, c->u);
        v3_copy(r->of1 ? foot : point, c->at);
        room.at[kept++] = a.at[i];
    }
    room.n = kept;
    thin(&room, out, PCS_FEATURES_MAX);
    return room.n;
}

// The ends of the part that two nearly parallel edges share, as contacts of the end of one with the
// line of the other
static void add_shared_ends(const polyhedra *p, int e1, int e2, const double u[3], double far,
                            polyhedra_contacts *list)
{
    const int *i = p->p1->edge + 4 * (size_t)e1, *j = p->p2->edge + 4 * (size_t)e2;
    double a[2][3], b[2][3], d1[3], d2[3], r[3];
    for (int k = 0; k < 2; ++k) {
        v3_copy(polyhedron_vertex(p->p1, i[k]), a[k]);
        from_2(p, polyhedron_vertex(p->p2, j[k]), b[k]);
    }
    v3_sub(a[1], a[0], d1);
    v3_sub(b[1], b[0], d2);
    const double l1 = v3_unit(d1, d1), l2 = v3_unit(d2, d2);
    v3_cross(d1, d2, r);
    if (v3_dot(r, r) > manifold_tol * manifold_tol) return;
    if (fabs(v3_dot(d1, u)) > manifold_tol || fabs(v3_dot(d2, u)) > manifold_tol) return;

    for (int end = 0; end < 4; ++end) {
        // an end of one over the inside of the other
        const bool of1 = end < 2;
        const int k = end & 1;
        const double *x = of1 ? a[k] : b[k], *on = of1 ? b[0] : a[0], *d = of1 ? d2 : d1;
        double foot[3], apart[3];
        v3_sub(x, on, r);
        const double along = v3_dot(r, d);
        if (!(along >= 0 && along <= (of1 ? l2 : l1))) continue;
        v3_along(on, along, d, foot);
        v3_sub(of1 ? foot : x, of1 ? x : foot, apart);

        // only points apart in the same direction belong to this line of contact
        polyhedra_contact c = {.kind = of1 ? PCS_FEATURE_POINT_EDGE : PCS_FEATURE_EDGE_POINT};
        c.g = v3_unit(apart, c.u);
        if (!(c.g <= far) || !(v3_dot(c.u, u) > 1 - manifold_tol)) continue;
        c.part1 = of1 ? i[k] : part_of_edge(p->p1, e1);
        c.part2 = of1 ? part_of_edge(p->p2, e2) : j[k];
        v3_copy(of1 ? x : foot, c.x1);
        v3_copy(c.x1, c.at);
        into_2(p, of1 ? foot : x, c.x2);
        if (!of1) v3_copy(polyhedron_vertex(p->p2, j[k]), c.x2);
        polyhedra_directions(p, &c);
        add(list, &c, p->size);
    }
}

// the edges at a part that is an edge or a vertex
static int edges_at(const polyhedron *h, int part, const int **edges, int *one)
{
    if (part < h->n_vertices) {
        *edges = h->spoke + (h->n_edges > 0 ? h->about[part] : 0);
        return h->n_edges > 0 ? h->about[part + 1] - h->about[part] : 0;
    }
    *one = part - h->n_vertices;
    *edges = one;
    return *one < h->n_edges ? 1 : 0;
}

// separated parallel edges touch on a length
static void add_edge_ends(const polyhedra *p, const polyhedra_contact *closest, double far,
                          polyhedra_contacts *list)
{
    const int *edges1, *edges2;
    int one1, one2;
    const int n1 = edges_at(p->p1, closest->part1, &edges1, &one1);
    const int n2 = edges_at(p->p2, closest->part2, &edges2, &one2);
    for (int i = 0; i < n1; ++i) {
        for (int j = 0; j < n2; ++j) {
            add_shared_ends(p, edges1[i], edges2[j], closest->u, far, list);
        }
    }
}

void polyhedra_manifold(const polyhedra *p, const polyhedra_contact *closest, double far,
                        polyhedra_contacts *list)
{
    list->n = 0;
    if (p->p1->n_vertices < 2 || p->p2->n_vertices < 2) {
        add(list, closest, p->size);
        return;
    }

    // The contacts of a face, if there is one. If the normal is that of the face, there are no
    // others and the lowest comes first: the closest may be a vertex beside the face, as low up to
    // rounding. Otherwise the closest comes first and none may be deeper, except by what the snap
    // admits
    reference r = {.flush = false};
    polyhedra_contact found[POLYGON_MAX];
    const double tie = polyhedra_tie * p->size;
    const double slack = tie + polyhedra_flush * polyhedra_flush * fabs(closest->g);
    const double snap = snap_tol * p->size + polyhedra_flush * fabs(closest->g);
    const bool face = find_reference(p, closest->u, &r);
    const double least = r.flush ? -INFINITY : closest->g - slack - manifold_tol * snap;
    const int n = face ? face_contacts(p, &r, snap, far, least, found) : 0;

    int first = -1;
    for (int i = 0; i < n && r.flush; ++i) {
        if (first < 0 || found[i].g < found[first].g - tie) first = i;
    }
    add(list, first < 0 ? closest : &found[first], p->size);
    for (int i = 0; i < n; ++i) {
        add(list, &found[i], p->size);
    }
    if (!(face && r.flush) && closest->g > polyhedra_touch * p->size) {
        add_edge_ends(p, closest, far, list);
    }
}
