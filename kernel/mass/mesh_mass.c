// Mass properties of the inside of a closed surface of triangles, by the divergence theorem
// (moments.h).
//
// The test for a closed surface needs no memory. The integrals are those of the surface only if it
// has every edge as often in one direction as in the other, that is if the sum of the directed
// edges vanishes. Each pair of places gets a number, antisymmetric in the two, by hashing the
// coordinates; the sum of these over all edges, modulo 2^64, is zero for a closed surface, and for
// another one with probability 2^-64. The sum modulo 2 of symmetric numbers identifies the fault:
// it vanishes if edges only have the wrong direction.
#include "mass/inertia.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "mass/moments.h"

// part of the bounding box below which a volume is rounding
#define VOLUME_MIN 1e-12
// up to this size the sentence names a wrong edge, for which all pairs of edges are compared
#define NAMED_MAX 2000

typedef struct surface {
    const double *vertex;
    const int *triangle;
    int n_vertices, n_triangles;
} surface;

static const double *corner(const surface *s, int t, int k)
{
    return s->vertex + 3 * (size_t)s->triangle[3 * (size_t)t + k % 3];
}

// Steele, Lea and Flood 2014: every bit of x changes every bit of the result
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t key_of(const double x[3])
{
    uint64_t key = 0;
    for (int i = 0; i < 3; ++i) {
        const double plus = x[i] + 0.0; // -0 and 0 are one place
        uint64_t bits;
        memcpy(&bits, &plus, sizeof bits);
        key = mix(key ^ bits);
    }
    return key;
}

// number of edges of the surface from a to b, less that from b to a
static int net_uses(const surface *s, const double *a, const double *b)
{
    int net = 0;
    const uint64_t ka = key_of(a), kb = key_of(b);
    for (int t = 0; t < s->n_triangles; ++t) {
        uint64_t key[4];
        for (int k = 0; k < 4; ++k) {
            key[k] = key_of(corner(s, t, k));
        }
        for (int k = 0; k < 3; ++k) {
            net += (key[k] == ka && key[k + 1] == kb) - (key[k] == kb && key[k + 1] == ka);
        }
    }
    return net;
}

static pcs_status name_edge(const char *where, const surface *s, const char *what)
{
    for (int t = 0; t < s->n_triangles && s->n_triangles <= NAMED_MAX; ++t) {
        for (int k = 0; k < 3; ++k) {
            const double *a = corner(s, t, k), *b = corner(s, t, k + 1);
            if (net_uses(s, a, b) == 0) continue;
            return pcs_fail(PCS_ERR_ARG,
                            "%s: %s; as at the edge of triangle %d from (%g, %g, %g) to (%g, %g, "
                            "%g)",
                            where, what, t, a[0], a[1], a[2], b[0], b[1], b[2]);
        }
    }
    return pcs_fail(PCS_ERR_ARG, "%s: %s", where, what);
}

static pcs_status check_closed(const char *where, const surface *s)
{
    uint64_t directed = 0, parity = 0;
    for (int t = 0; t < s->n_triangles; ++t) {
        uint64_t key[4];
        for (int k = 0; k < 3; ++k) {
            key[k] = key_of(corner(s, t, k));
        }
        key[3] = key[0];
        for (int k = 0; k < 3; ++k) {
            if (key[k] == key[k + 1]) continue;
            const uint64_t there = mix(mix(key[k]) + 3 * key[k + 1]);
            const uint64_t back = mix(mix(key[k + 1]) + 3 * key[k]);
            directed += there - back;
            parity ^= mix(there + back);
        }
    }
    if (directed == 0) return PCS_OK;
    return name_edge(where, s,
                     parity == 0 ? "triangles that share an edge differ in orientation; all "
                                   "must be counter-clockwise from outside"
                                 : "the surface is not closed: an edge has no other side");
}

static pcs_status check_surface(const char *where, const surface *s)
{
    if (s->n_vertices < 1 || s->n_triangles < 1 || !s->vertex || !s->triangle) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d vertices, %d triangles, or an array is null", where,
                        s->n_vertices, s->n_triangles);
    }
    for (int i = 0; i < s->n_vertices; ++i) {
        if (!pcs_all_finite(s->vertex + 3 * (size_t)i, 3)) {
            return pcs_fail(PCS_ERR_ARG, "%s: vertex %d is not finite", where, i);
        }
    }
    for (int t = 0; t < s->n_triangles; ++t) {
        for (int k = 0; k < 3; ++k) {
            const int v = s->triangle[3 * (size_t)t + k];
            if (v >= 0 && v < s->n_vertices) continue;
            return pcs_fail(PCS_ERR_ARG, "%s: triangle %d has vertex %d of 0 to %d", where, t, v,
                            s->n_vertices - 1);
        }
    }
    return PCS_OK;
}

// the enclosed volume and moments, from the middle of the bounding box; its volume in `box`
static moments integrate(const surface *s, double *box)
{
    double low[3], high[3];
    v3_copy(corner(s, 0, 0), low);
    v3_copy(low, high);
    for (int t = 0; t < s->n_triangles; ++t) {
        for (int k = 0; k < 3; ++k) {
            const double *x = corner(s, t, k);
            for (int i = 0; i < 3; ++i) {
                low[i] = fmin(low[i], x[i]);
                high[i] = fmax(high[i], x[i]);
            }
        }
    }
    moments m = {.volume = 0};
    *box = 1;
    for (int i = 0; i < 3; ++i) {
        m.origin[i] = 0.5 * low[i] + 0.5 * high[i];
        *box *= high[i] - low[i];
    }
    for (int t = 0; t < s->n_triangles; ++t) {
        moments_add(&m, corner(s, t, 0), corner(s, t, 1), corner(s, t, 2));
    }
    return m;
}

pcs_status pcs_inertia_of_mesh(int n_vertices, const double *vertices, int n_triangles,
                               const int *triangles, double density, pcs_inertia *out)
{
    static const char where[] = "pcs_inertia_of_mesh";
    const surface s = {vertices, triangles, n_vertices, n_triangles};
    if (!(density > 0) || !isfinite(density)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the density is %g kg/m^3; it must be positive and finite",
                        where, density);
    }
    PCS_TRY(check_surface(where, &s));
    PCS_TRY(check_closed(where, &s));

    double box;
    const moments m = integrate(&s, &box);
    if (m.volume < -VOLUME_MIN * box) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the volume is %g m^3: the surface is inside out; its triangles must "
                        "be counter-clockwise from outside",
                        where, m.volume);
    }
    if (!(m.volume > VOLUME_MIN * box)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the surface encloses %g m^3 in a box of %g m^3, which is no volume",
                        where, m.volume, box);
    }
    pcs_inertia b;
    moments_centre(&m, b.G, b.J);
    b.m = density * m.volume;
    for (int i = 0; i < 9; ++i) {
        b.J[i] *= density;
    }
    if (!(b.m > 0) || !isfinite(b.m) || !pcs_all_finite(b.J, 9) || !pcs_all_finite(b.G, 3)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the mass is %g kg; it must be positive and within the range of doubles", where,
            b.m);
    }
    *out = b;
    return PCS_OK;
}
