// The axes that may separate two polyhedra: the normals of their faces, and the products of their
// edges. A product counts only if it points out of both edges: with d1, d2 the edges and L, R the
// normals on their left and right, q = sign d1 x d2 is among the outward normals of edge 1 and -q
// among those of edge 2 when
//     sign d2 . L1 >= 0 >= sign d2 . R1,     sign d1 . L2 >= 0 >= sign d1 . R2
// (Gauss map: the arcs of the two edges cross). Their distance along q is that of their ends.
#include "collide/polyhedra.h"

#include <math.h>

#include "base/base.h"

// sine of the angle between edges whose product is no direction
static const double parallel_tol = 1e-10;

// largest number of promising edges, and of products, that are tested
enum { EDGES_MAX = 256, PRODUCTS_MAX = 8192 };

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

// The faces of one against the ball inside the other, c its centre in their frame: s of face f is
// at most n . c - offset - inner. The most promising face comes first, so that few others are
// tested
static bool test_faces(const polyhedra *p, bool of1, const double c[3], double inner, double far,
                       polyhedra_axis *best)
{
    const polyhedron *h = of1 ? p->p1 : p->p2;
    double most = -INFINITY;
    int first = 0;
    for (int f = 0; f < h->n_faces; ++f) {
        const double s = v3_dot(polyhedron_normal(h, f), c) - h->offset[f];
        if (s > most) {
            most = s;
            first = f;
        }
    }
    for (int k = -1; k < h->n_faces; ++k) {
        const int f = k < 0 ? first : k;
        if (k >= 0) {
            const double s = v3_dot(polyhedron_normal(h, f), c) - h->offset[f] - inner;
            if (k == first || s <= best->s) continue;
        } else if (h->n_faces == 0) {
            continue;
        }
        const bool near = of1 ? consider_face1(p, f, far, best) : consider_face2(p, f, far, best);
        if (!near) return false;
    }
    return true;
}

bool polyhedra_faces(const polyhedra *p, double far, polyhedra_axis *best)
{
    double c2[3], c1[3];
    from_2(p, p->p2->centre, c2);
    into_2(p, p->p1->centre, c1);
    return test_faces(p, true, c2, p->p2->inner, far, best) &&
           test_faces(p, false, c1, p->p1->inner, far, best);
}

// an edge in frame 1: an end, the direction, the normals on both sides (null: none)
typedef struct arc {
    double x[3], d[3], dd;
    const double *left, *right;
} arc;

// the sign for which q = +- d1 x d2 points out of both edges; 0: neither
static int outward(const arc *a, const arc *b)
{
    // all four at once: a wrong branch prediction costs more than the products
    int up = 1, down = 1;
    if (a->left) {
        const double l = v3_dot(b->d, a->left), r = v3_dot(b->d, a->right);
        up &= (l > 0) & (r <= 0);
        down &= (l < 0) & (r >= 0);
    }
    if (b->left) {
        const double l = v3_dot(a->d, b->left), r = v3_dot(a->d, b->right);
        up &= (l > 0) & (r <= 0);
        down &= (l < 0) & (r >= 0);
    }
    return up - down;
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

    // the ends represent the edge only if q is exact; nearly parallel edges give an inaccurate q
    const double u[3] = {sign * q[0] / norm, sign * q[1] / norm, sign * q[2] / norm};
    const double all = convex_separation(&p->core1, &p->core2, &p->at, u, NULL, NULL);
    if (!(all <= far)) return false;
    if (all > best->s + polyhedra_tie * p->size) {
        *best = (polyhedra_axis){AXIS_EDGES, i, j, all, {u[0], u[1], u[2]}};
    }
    return true;
}

static void arc_of_1(const polyhedra *p, int i, arc *a)
{
    const polyhedron *h = p->p1;
    const int *e = h->edge + 4 * (size_t)i;
    v3_copy(polyhedron_vertex(h, e[0]), a->x);
    v3_sub(polyhedron_vertex(h, e[1]), a->x, a->d);
    a->dd = v3_dot(a->d, a->d);
    a->left = h->n_faces > 0 ? polyhedron_normal(h, e[2]) : NULL;
    a->right = h->n_faces > 0 ? polyhedron_normal(h, e[3]) : NULL;
}

// rotated into frame 1; `normal` is memory for both
static void arc_of_2(const polyhedra *p, int j, double normal[6], arc *b)
{
    const polyhedron *h = p->p2;
    const int *e = h->edge + 4 * (size_t)j;
    double d[3];
    from_2(p, polyhedron_vertex(h, e[0]), b->x);
    v3_sub(polyhedron_vertex(h, e[1]), polyhedron_vertex(h, e[0]), d);
    m3_mul(p->at.R, d, b->d);
    b->dd = v3_dot(d, d);
    b->left = b->right = NULL;
    if (h->n_faces == 0) return;
    m3_mul(p->at.R, polyhedron_normal(h, e[2]), normal);
    m3_mul(p->at.R, polyhedron_normal(h, e[3]), normal + 3);
    b->left = normal;
    b->right = normal + 3;
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

// True when edge e of h may have an axis with s > least. With x its end, c and `inner` the ball
// inside the other, and q among the normals of the edge,
//     s <= q . (c - x) - inner,
// which is largest at an end of the arc of normals, or where c - x (less its part along the edge)
// points into the arc
static bool promising(const polyhedron *h, int e, const double c[3], double inner, double least)
{
    const int *ends = h->edge + 4 * (size_t)e;
    const double *x = polyhedron_vertex(h, ends[0]), need = least + inner;
    double w[3];
    v3_sub(c, x, w);
    if (v3_dot(w, w) <= need * need && need > 0) return false;
    if (h->n_faces == 0) return true;

    const double *l = polyhedron_normal(h, ends[2]), *r = polyhedron_normal(h, ends[3]);
    if (v3_dot(l, w) > need || v3_dot(r, w) > need) return true;
    double d[3], in[3];
    v3_sub(polyhedron_vertex(h, ends[1]), x, d);
    v3_cross(l, d, in);
    if (v3_dot(in, w) > 0) return false;
    v3_cross(d, r, in);
    if (v3_dot(in, w) > 0) return false;
    const double along = v3_dot(d, w), across2 = v3_dot(w, w) - along * along / v3_dot(d, d);
    return need <= 0 || across2 > need * need;
}

bool polyhedra_edges(const polyhedra *p, double far, polyhedra_axis *best, bool *all)
{
    const polyhedron *h1 = p->p1, *h2 = p->p2;
    double c1[3], c2[3];
    from_2(p, h2->centre, c2);
    into_2(p, h1->centre, c1);

    // the edges of 1, then each edge of 2 against them
    arc arcs[EDGES_MAX];
    int edges[EDGES_MAX], n = 0;
    *all = true;
    for (int i = 0; i < h1->n_edges; ++i) {
        if (!promising(h1, i, c2, h2->inner, best->s)) continue;
        if (n == EDGES_MAX) {
            *all = false;
            return true;
        }
        edges[n++] = i;
    }
    for (int k = 0; k < n; ++k) {
        arc_of_1(p, edges[k], &arcs[k]);
    }
    int pairs = 0;
    for (int j = 0; j < h2->n_edges && n > 0; ++j) {
        if (!promising(h2, j, c1, h1->inner, best->s)) continue;
        pairs += n;
        if (pairs > PRODUCTS_MAX) {
            *all = false;
            return true;
        }
        double normal[6];
        arc b;
        arc_of_2(p, j, normal, &b);
        for (int k = 0; k < n; ++k) {
            if (!consider_pair(p, &arcs[k], &b, edges[k], j, far, best)) return false;
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
        double normal[6];
        arc a, b;
        arc_of_2(p, h2->spoke[l], normal, &b);
        for (int k = h1->about[v]; k < h1->about[v + 1]; ++k) {
            arc_of_1(p, h1->spoke[k], &a);
            consider_pair(p, &a, &b, h1->spoke[k], h2->spoke[l], INFINITY, best);
        }
    }
}
