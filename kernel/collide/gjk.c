// The distance of two convex cores by the method of Gilbert, Johnson and Keerthi (1988): the point
// v of the Minkowski difference nearest to the origin, approached by simplices of its corners. Each
// round adds the corner w furthest along -v and keeps the smallest face of the simplex that holds
// its nearest point;
//     v . w / |v| <= distance <= |v|
// ends the search; it also ends when no corner is new. On a face with three corners, v is taken
// along the normal of its plane, so its direction is accurate at any distance of the plane.
//
// Independence of corners is tested relative to their own lengths: an absolute threshold would drop
// simplices of small or near features, and the pair would be missed.
#include "collide/convex.h"

#include <math.h>

#include "linalg/m3.h"

// sine below which corners are on one line or in one plane
static const double pivot_tol = 1e-13;

// the search ends when |v| is this near to its lower bound, relative to itself or to the largest
// |w|
static const double converged_tol = 1e-15;

// cores this near, relative to the largest |w|, touch
static const double touch_tol = 2e-16;

enum { ROUNDS_MAX = 200 };

typedef convex_face face;
typedef convex_search simplex;

static face of_corner(const simplex *s, int i)
{
    face f = {.n = 1, .at = {i}, .weight = {1}};
    v3_copy(s->c[i].w, f.v);
    f.square = v3_dot(f.v, f.v);
    return f;
}

static face nearer(face a, face b)
{
    return b.square < a.square ? b : a;
}

static face of_segment(const simplex *s, int i, int j)
{
    double e[3];
    const double *a = s->c[i].w, *b = s->c[j].w;
    v3_sub(b, a, e);
    const double ee = v3_dot(e, e), from = -v3_dot(a, e), to = v3_dot(b, e);
    if (!(from > 0)) return of_corner(s, i);
    if (!(to > 0)) return of_corner(s, j);

    // computed from the nearer end
    const double t = from / ee, r = to / ee;
    face f = {.n = 2, .at = {i, j}, .weight = {r, t}};
    if (t < r) {
        v3_along(a, t, e, f.v);
    } else {
        v3_along(b, -r, e, f.v);
    }
    f.square = v3_dot(f.v, f.v);
    return f;
}

static face of_triangle(const simplex *s, int i, int j, int k)
{
    const double *a = s->c[i].w, *b = s->c[j].w, *c = s->c[k].w;
    double ab[3], ac[3], n[3], x[3];
    v3_sub(b, a, ab);
    v3_sub(c, a, ac);
    v3_cross(ab, ac, n);
    const double nn = v3_dot(n, n);
    if (!(nn > pivot_tol * pivot_tol * v3_dot(ab, ab) * v3_dot(ac, ac))) {
        return nearer(of_segment(s, i, j), nearer(of_segment(s, i, k), of_segment(s, j, k)));
    }

    // the weights of the corners: areas of the triangles of the foot of the origin with the sides
    v3_cross(b, c, x);
    const double wa = v3_dot(n, x);
    v3_cross(c, a, x);
    const double wb = v3_dot(n, x);
    v3_cross(a, b, x);
    const double wc = v3_dot(n, x);
    if (wa > 0 && wb > 0 && wc > 0) {
        const double sum = wa + wb + wc, height = v3_dot(n, a) / nn;
        face f = {.n = 3, .at = {i, j, k}, .weight = {wa / sum, wb / sum, wc / sum}};
        v3_scale(height, n, f.v);
        f.square = v3_dot(f.v, f.v);
        return f;
    }
    face best = {.square = INFINITY};
    if (!(wc > 0)) best = of_segment(s, i, j);
    if (!(wb > 0)) best = nearer(best, of_segment(s, i, k));
    if (!(wa > 0)) best = nearer(best, of_segment(s, j, k));
    return best;
}

// the sides about the newest corner beyond which the origin lies; none: it is inside, n = 0
static face of_tetrahedron(const simplex *s)
{
    static const int side[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    face best = {.square = INFINITY};
    for (int k = 0; k < 3; ++k) {
        const int i = side[k][0], j = side[k][1], across = side[k][2];
        const double *top = s->c[3].w;
        double a[3], b[3], c[3], n[3];
        v3_sub(s->c[i].w, top, a);
        v3_sub(s->c[j].w, top, b);
        v3_sub(s->c[across].w, top, c);
        v3_cross(a, b, n);
        const double inner = v3_dot(n, c), origin = -v3_dot(n, top);
        const double flat = pivot_tol * pivot_tol * v3_dot(n, n) * v3_dot(c, c);
        if (inner * inner > flat && (inner > 0) == (origin >= 0)) continue;
        best = nearer(best, of_triangle(s, i, j, 3));
    }
    return best;
}

static face solve(const simplex *s)
{
    switch (s->n) {
    case 1:
        return of_corner(s, 0);
    case 2:
        return of_segment(s, 0, 1);
    case 3:
        return of_triangle(s, 0, 1, 2);
    default:
        return of_tetrahedron(s);
    }
}

static void keep(simplex *s, face *f)
{
    simplex kept = {.n = f->n};
    for (int k = 0; k < f->n; ++k) {
        kept.c[k] = s->c[f->at[k]];
        f->at[k] = k;
    }
    for (int k = 0; k < f->n; ++k) {
        s->c[k] = kept.c[k];
    }
    s->n = f->n;
}

static bool known(const simplex *s, const convex_corner *c)
{
    for (int k = 0; k < s->n; ++k) {
        if (s->c[k].i1 == c->i1 && s->c[k].i2 == c->i2 && c->i1 >= 0 && c->i2 >= 0) return true;
    }
    return false;
}

void convex_begin(const convex *c1, const convex *c2, const convex_pair *p, convex_search *s)
{
    double v[3] = {-p->t[0], -p->t[1], -p->t[2]};
    if (!(v3_dot(v, v) > 0)) v[0] = 1;
    v3_copy(v, s->v);
    s->n = 1;
    s->rounds = 0;
    convex_corner_against(c1, c2, p, v, &s->c[0]);
    s->best = of_corner(s, 0);
    s->largest = s->best.square;
}

gjk_result convex_round(const convex *c1, const convex *c2, const convex_pair *p, double far,
                        convex_search *s)
{
    if (!isfinite(s->largest)) return GJK_BEYOND;
    if (!(s->best.square > touch_tol * touch_tol * s->largest)) return GJK_OVERLAP;
    const double length = sqrt(s->best.square);
    v3_copy(s->best.v, s->v);
    convex_corner *c = &s->c[s->n];
    convex_corner_against(c1, c2, p, s->v, c);
    s->largest = fmax(s->largest, v3_dot(c->w, c->w));
    s->rounds += 1;

    // |v| from above, v . w / |v| from below
    s->below = v3_dot(s->v, c->w) / length;
    if (!(s->below <= far)) return GJK_BEYOND;
    bool done = length - s->below <= converged_tol * fmax(length, sqrt(s->largest)) || known(s, c);
    if (!done) {
        s->n += 1;
        const face next = solve(s);
        if (next.n == 0) return GJK_OVERLAP;

        // otherwise rounding decides
        done = !(next.square < s->best.square);
        if (!done) {
            s->best = next;
            keep(s, &s->best);
        }
    }
    if (!done && s->rounds < ROUNDS_MAX) return GJK_GOES_ON;
    return length <= far ? GJK_APART : GJK_BEYOND;
}

void convex_closest(const convex_search *s, convex_gap *out)
{
    const face *f = &s->best;
    out->distance = v3_unit(f->v, out->u);
    out->overlap = false;
    out->corners = f->n;
    for (int i = 0; i < 3; ++i) {
        out->u[i] = -out->u[i];
        out->x1[i] = 0;
    }
    for (int k = 0; k < f->n; ++k) {
        out->corner[k] = s->c[f->at[k]];
        out->weight[k] = f->weight[k];
        v3_along(out->x1, f->weight[k], s->c[f->at[k]].a, out->x1);
    }
    v3_along(out->x1, out->distance, out->u, out->x2);
}

gjk_result convex_apart(const convex *c1, const convex *c2, const convex_pair *p, double far,
                        convex_gap *out)
{
    convex_search s;
    gjk_result found = GJK_GOES_ON;
    convex_begin(c1, c2, p, &s);
    while (found == GJK_GOES_ON) {
        found = convex_round(c1, c2, p, far, &s);
    }
    if (found == GJK_APART) convex_closest(&s, out);
    if (found != GJK_OVERLAP) return found;

    // the normal of the face that holds the origin is better than the direction that led there
    double n[3], e[3], d[3];
    if (s.best.n == 3) {
        v3_sub(s.c[1].w, s.c[0].w, d);
        v3_sub(s.c[2].w, s.c[0].w, e);
        v3_cross(d, e, n);
        v3_scale(v3_dot(n, s.v) < 0 ? -1 : 1, n, s.v);
    }
    v3_unit(s.v, out->u);
    v3_scale(-1, out->u, out->u);
    return found;
}

bool convex_distance(const convex *c1, const convex *c2, const convex_pair *p, double reach,
                     convex_gap *out)
{
    const double radii = c1->radius + c2->radius;
    const gjk_result found = convex_apart(c1, c2, p, reach + radii, out);
    if (found == GJK_BEYOND) return false;
    if (found == GJK_OVERLAP) convex_penetration(c1, c2, p, out);
    out->g = out->distance - radii;
    return out->g <= reach;
}
