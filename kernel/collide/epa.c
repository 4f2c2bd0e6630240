// The depth of the overlap of two convex cores: the expanding polytope of libccd, which only this
// file calls. It works on cores of unit size, so that its tolerances are relative, and gives the
// direction u of the shortest separation. From there the cores are moved just apart along u, and u
// becomes the normal of the closest features that they then have, as long as s(u) grows: that makes
// it exact where the features are those of polyhedra. The depth is s(u): an error of u makes the
// overlap deeper than it is, never shallower.
//
// For overlaps below 1e-6 of the size libccd is unreliable (it finds none, or one in any
// direction); there the same is done from a few likely directions, and the best is kept.
#include <ccd/ccd.h>

#include <math.h>
#include <stdlib.h>

#include "collide/convex.h"
#include "linalg/m3.h"

static const double epa_tolerance = 1e-12;      // relative to the unit size, for polyhedra
static const double epa_tolerance_round = 1e-7; // with a cylinder, on which corners never end
static const unsigned long rounds_max = 200;    // rounds of its search for an overlap
static const double parallel_tol = 1e-9;        // sine below which two edges have no product
static const double clear = 1e-12;              // distance of the moved cores, relative to the size
static const double clearance = 1e-3;           // the same relative to the overlap
static const double shallow = 1e-6; // overlaps below this part of the size are unreliable in libccd
enum { REFINE_MAX = 40 };
enum { SUPPORTS_MAX = 2000, SUPPORTS_MAX_ROUND = 300 }; // supports of the polytope

// one of the two cores in the form of libccd
typedef struct body {
    const convex *core;
    const convex_pair *placed; // null: at the origin
    double scale;              // 1 / size
    int left;                  // number of points it may still add
} body;

static void support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    body *b = (body *)(size_t)object;
    const double d[3] = {dir->v[0], dir->v[1], dir->v[2]};
    double x[3], y[3];
    int index;
    if (b->left-- <= 0) {
        // no corner is beyond the polytope: it is complete
        y[0] = y[1] = y[2] = 0;
        if (b->placed) v3_copy(b->placed->t, y);
    } else if (b->placed) {
        double d2[3];
        m3_mul_t(b->placed->R, d, d2);
        convex_support(b->core, d2, x, &index);
        m3_mul(b->placed->R, x, y);
        v3_along(y, 1, b->placed->t, y);
    } else {
        convex_support(b->core, d, y, &index);
    }
    for (int i = 0; i < 3; ++i) {
        out->v[i] = b->scale * y[i];
    }
}

// u becomes d, or -d, if that separates the cores by a shorter way
static void improve(const convex *c1, const convex *c2, const convex_pair *p, const double d[3],
                    double u[3], double *most)
{
    for (int side = 1; side >= -1; side -= 2) {
        const double flipped[3] = {side * d[0], side * d[1], side * d[2]};
        const double s = convex_separation(c1, c2, p, flipped, NULL, NULL);
        if (!(s > *most)) continue;
        *most = s;
        v3_copy(flipped, u);
    }
}

// the direction and depth of the overlap by libccd; false if it finds none
static bool polytope(const convex *c1, const convex *c2, const convex_pair *p, double size,
                     double u[3], double *depth)
{
    const bool round = c1->kind == CONVEX_CYLINDER || c2->kind == CONVEX_CYLINDER;
    const int left = round ? SUPPORTS_MAX_ROUND : SUPPORTS_MAX;
    body one = {c1, NULL, 1 / size, left}, two = {c2, p, 1 / size, left};
    if (!isnormal(one.scale)) return false;

    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = support;
    ccd.support2 = support;
    ccd.max_iterations = rounds_max;
    ccd.epa_tolerance = round ? epa_tolerance_round : epa_tolerance;

    ccd_vec3_t dir, pos;
    if (ccdGJKPenetration(&one, &two, &ccd, depth, &dir, &pos) != 0) return false;
    *depth *= size;
    return v3_unit(dir.v, u) > 0.5;
}

// Improves u: the cores are moved just apart along it and u becomes their normal, as long as s
// grows
static void refine(const convex *c1, const convex *c2, const convex_pair *p, double size,
                   double u[3], double *most)
{
    for (int k = 0; k < REFINE_MAX; ++k) {
        convex_pair moved = *p;
        convex_gap g;
        const double before = *most;
        v3_along(p->t, clear * size - (1 + clearance) * *most, u, moved.t);
        if (convex_apart(c1, c2, &moved, INFINITY, &g) != GJK_APART) return;
        improve(c1, c2, p, g.u, u, most);
        if (!(*most > before)) return;
    }
}

// the same from a direction and its opposite; u stays if it is the best
static void try_from(const convex *c1, const convex *c2, const convex_pair *p, double size,
                     const double d[3], double u[3], double *most)
{
    double start = -INFINITY, v[3];
    if (!(v3_unit(d, v) > parallel_tol)) return;
    improve(c1, c2, p, v, v, &start);
    refine(c1, c2, p, size, v, &start);
    if (!(start > *most)) return;
    *most = start;
    v3_copy(v, u);
}

// tries all likely directions: of the centres, the axes of both and their products
static void try_likely(const convex *c1, const convex *c2, const convex_pair *p, double size,
                       double u[3], double *most)
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    try_from(c1, c2, p, size, p->t, u, most);
    for (int i = 0; i < 3; ++i) {
        try_from(c1, c2, p, size, axes + 3 * i, u, most);
        try_from(c1, c2, p, size, p->R + 3 * i, u, most);
        for (int j = 0; j < 3; ++j) {
            double d[3];
            v3_cross(axes + 3 * i, p->R + 3 * j, d);
            try_from(c1, c2, p, size, d, u, most);
        }
    }
}

void convex_penetration(const convex *c1, const convex *c2, const convex_pair *p, convex_gap *out)
{
    const double size = convex_extent(c1) + convex_extent(c2);
    double most = convex_separation(c1, c2, p, out->u, NULL, NULL), depth = 0, u[3];
    refine(c1, c2, p, size, out->u, &most);
    if (polytope(c1, c2, p, size, u, &depth)) try_from(c1, c2, p, size, u, out->u, &most);
    if (fmin(depth, -most) < shallow * size) try_likely(c1, c2, p, size, out->u, &most);
    out->overlap = true;
    out->corners = 0;
    out->distance = fmin(0, convex_separation(c1, c2, p, out->u, out->x1, out->x2));
    v3_along(out->x1, out->distance, out->u, out->x2);
}
