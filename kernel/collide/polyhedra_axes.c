// The axes that may part two polyhedra: the normals of their faces, and the products of their
// edges. Of the latter only those count that look out of both edges: with d1, d2 the edges and
// L, R the normals on their left and right, q = sign d1 x d2 is among the outward normals of edge 1
// and -q among those of edge 2 when
//     sign d2 . L1 >= 0 >= sign d2 . R1,     sign d1 . L2 >= 0 >= sign d1 . R2
// (Gauss map: the arcs of the two edges cross). Their distance along q is that of their ends.
#include "collide/polyhedra.h"

#include <math.h>

#include "base/base.h"

// sine of the angle between edges whose product is no direction
static const double parallel_tol = 1e-10;

// polyhedra with more vertices than this are only searched near a direction
enum { TURNED_MAX = 128 };

static bool consider_face1(const polyhedra *p, int f, double far, polyhedra_axis *best)
{
    const double *n = polyhedron_normal(p->p1, f);
    double n2[3], x[3];
    m3_mul_t(p->at.R, n, n2);
    const double back[3] = {-n2[0], -n2[1], -n2[2]};
    const int v = polyhedron_top(p->p2, back);
    from_2(p, polyhedron_vertex(p->p2, v), x);
    const double s = v3_dot(n, x) - p->p1->offset[f];
    if (!(s <= far)) return false;
    if (s > best->s + polyhedra_tie * p->size) {
        *best = (polyhedra_axis){AXIS_FACE1, f, v, s, {n[0], n[1], n[2]}};
    }
    return true;
}

static bool consider_face2(const polyhedra *p, int f, double far, polyhedra_axis *best)
{
    const double *n = polyhedron_normal(p->p2, f);
    double n1[3], x[3];
    m3_mul(p->at.R, n, n1);
    const double u[3] = {-n1[0], -n1[1], -n1[2]};
    const int v = polyhedron_top(p->p1, u);
    into_2(p, polyhedron_vertex(p->p1, v), x);
    const double s = v3_dot(n, x) - p->p2->offset[f];
    if (!(s <= far)) return false;
    if (s > best->s + polyhedra_tie * p->size) {
        *best = (polyhedra_axis){AXIS_FACE2, v, f, s, {u[0], u[1], u[2]}};
    }
    return true;
}

bool polyhedra_faces(const polyhedra *p, double far, polyhedra_axis *best)
{
    for (int f = 0; f < p->p1->n_faces; ++f) {
        if (!consider_face1(p, f, far, best)) return false;
    }
    for (int f = 0; f < p->p2->n_faces; ++f) {
        if (!consider_face2(p, f, far, best)) return false;
    }
    return true;
}

// an edge in frame 1: an end, the direction, the normals on both sides (null: none)
typedef struct arc {
    double x[3], d[3], dd;
    const double *left, *right;
} arc;

// which way q = +- d1 x d2 looks out of both edges; 0: neither
static int outward(const arc *a, const arc *b)
{
    int sign = 0;
    if (a->left) {
        const double l = v3_dot(b->d, a->left), r = v3_dot(b->d, a->right);
        if (l > 0 && r <= 0) sign = 1;
        if (l < 0 && r >= 0) sign = -1;
        if (sign == 0) return 0;
    }
    if (b->left) {
        const double l = v3_dot(a->d, b->left), r = v3_dot(a->d, b->right);
        const int here = l > 0 && r <= 0 ? 1 : l < 0 && r >= 0 ? -1 : 0;
        if (here == 0 || (sign != 0 && here != sign)) return 0;
        sign = here;
    }
    return sign;
}

static bool consider_product(const polyhedra *p, const arc *a, const arc *b, int i, int j, int sign,
                             double far, polyhedra_axis *best)
{
    double q[3], to[3];
    v3_cross(a->d, b->d, q);
    const double qq = v3_dot(q, q);
    if (!(qq > parallel_tol * parallel_tol * a->dd * b->dd)) return true;
    v3_sub(b->x, a->x, to);
    const double norm = sqrt(qq), s = sign * v3_dot(q, to) / norm;
    if (!(s > best->s + polyhedra_tie * p->size)) return true;

    // the ends stand for the whole only if q is exact; nearly parallel edges give a poor one
    const double u[3] = {sign * q[0] / norm, sign * q[1] / norm, sign * q[2] / norm};
    const double all = convex_separation(&p->core1, &p->core2, &p->at, u, NULL, NULL);
    if (!(all <= far)) return false;
    if (all > best->s + polyhedra_tie * p->size) {
        *best = (polyhedra_axis){AXIS_EDGES, i, j, all, {u[0], u[1], u[2]}};
    }
    return true;
}

static arc arc_of_1(const polyhedra *p, int i)
{
    const polyhedron *h = p->p1;
    const int *e = h->edge + 4 * (size_t)i;
    arc a = {.left = NULL};
    v3_copy(polyhedron_vertex(h, e[0]), a.x);
    v3_sub(polyhedron_vertex(h, e[1]), a.x, a.d);
    a.dd = v3_dot(a.d, a.d);
    if (h->n_faces > 0) {
        a.left = polyhedron_normal(h, e[2]);
        a.right = polyhedron_normal(h, e[3]);
    }
    return a;
}

// the edges of 2 with their vertices and normals turned beforehand
static arc arc_of_2(const polyhedra *p, int j, const double *vertex, const double *normal)
{
    const int *e = p->p2->edge + 4 * (size_t)j;
    arc b = {.left = NULL};
    v3_copy(vertex + 3 * (size_t)e[0], b.x);
    v3_sub(vertex + 3 * (size_t)e[1], b.x, b.d);
    b.dd = v3_dot(b.d, b.d);
    if (p->p2->n_faces > 0) {
        b.left = normal + 3 * (size_t)e[2];
        b.right = normal + 3 * (size_t)e[3];
    }
    return b;
}

static bool consider_pair(const polyhedra *p, const arc *a, const arc *b, int i, int j, double far,
                          polyhedra_axis *best)
{
    if (!a->left && !b->left) {
        return consider_product(p, a, b, i, j, 1, far, best) &&
               consider_product(p, a, b, i, j, -1, far, best);
    }
    const int sign = outward(a, b);
    return sign == 0 || consider_product(p, a, b, i, j, sign, far, best);
}

bool polyhedra_edges(const polyhedra *p, double far, polyhedra_axis *best)
{
    // a polyhedron has less than twice as many faces as vertices
    double vertex[3 * TURNED_MAX], normal[6 * TURNED_MAX];
    PCS_ASSERT(p->p2->n_vertices <= TURNED_MAX && p->p2->n_faces <= 2 * TURNED_MAX);
    for (int v = 0; v < p->p2->n_vertices; ++v) {
        from_2(p, polyhedron_vertex(p->p2, v), vertex + 3 * v);
    }
    for (int f = 0; f < p->p2->n_faces; ++f) {
        m3_mul(p->at.R, polyhedron_normal(p->p2, f), normal + 3 * f);
    }
    for (int j = 0; j < p->p2->n_edges; ++j) {
        const arc b = arc_of_2(p, j, vertex, normal);
        for (int i = 0; i < p->p1->n_edges; ++i) {
            const arc a = arc_of_1(p, i);
            if (!consider_pair(p, &a, &b, i, j, far, best)) return false;
        }
    }
    return true;
}

void polyhedra_axes_near(const polyhedra *p, const double u[3], polyhedra_axis *best)
{
    const polyhedron *h1 = p->p1, *h2 = p->p2;
    double u2[3];
    m3_mul_t(p->at.R, u, u2);
    const double back[3] = {-u2[0], -u2[1], -u2[2]};
    const int v = polyhedron_top(h1, u), w = polyhedron_top(h2, back);
    const int f1 = polyhedron_face(h1, v, u), f2 = polyhedron_face(h2, w, back);
    if (f1 >= 0) consider_face1(p, f1, INFINITY, best);
    if (f2 >= 0) consider_face2(p, f2, INFINITY, best);
    for (int l = h2->about[w]; h1->n_edges && h2->n_edges && l < h2->about[w + 1]; ++l) {
        const int j = h2->spoke[l], *e = h2->edge + 4 * (size_t)j;
        double vertex[6], normal[6] = {0};
        arc b = {.left = NULL};
        from_2(p, polyhedron_vertex(h2, e[0]), vertex);
        from_2(p, polyhedron_vertex(h2, e[1]), vertex + 3);
        v3_copy(vertex, b.x);
        v3_sub(vertex + 3, vertex, b.d);
        b.dd = v3_dot(b.d, b.d);
        if (h2->n_faces > 0) {
            m3_mul(p->at.R, polyhedron_normal(h2, e[2]), normal);
            m3_mul(p->at.R, polyhedron_normal(h2, e[3]), normal + 3);
            b.left = normal;
            b.right = normal + 3;
        }
        for (int k = h1->about[v]; k < h1->about[v + 1]; ++k) {
            const arc a = arc_of_1(p, h1->spoke[k]);
            consider_pair(p, &a, &b, h1->spoke[k], j, INFINITY, best);
        }
    }
}
