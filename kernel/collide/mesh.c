// Triangle meshes: checks of the input, neighbours of triangles, and a hierarchy of boxes over
// them.
//
// Vertices with equal coordinates are one, so that neighbours are found for any list of triangles.
// Triangles without an area (two corners in one place, or all on a line up to rounding) are left
// out. The hierarchy halves the triangles at the median of their centres along the longest side of
// the bounds of the centres; a leaf has 1 to LEAF_MAX of them.
#include "collide/geometry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collide/surface.h"
#include "linalg/m3.h"

// least height over longest side from which a triangle has an area
static const double area_tol = 1e-12;

// largest coordinate: the fourth power of larger ones overflows
static const double size_max = 1e70;

// an id holds the half-edge and three more bits
#define TRIANGLES_MAX ((INT_MAX >> 3) / 3)

enum { LEAF_MAX = 4 };

// ---- equal vertices ---------------------------------------------------------------------------

typedef struct place {
    double x[3];
    int vertex;
} place;

static int compare_place(const void *one, const void *two)
{
    const place *a = one, *b = two;
    for (int i = 0; i < 3; ++i) {
        if (a->x[i] != b->x[i]) return a->x[i] < b->x[i] ? -1 : 1;
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

// same[i]: the first vertex at the place of vertex i
static pcs_status find_same(const pcs_env *env, int n, const double *vertices, int *same)
{
    place *p = pcs_env_alloc(env, (size_t)n, sizeof *p);
    if (!p) return pcs_fail_memory("pcs_geometry_create_mesh");
    for (int i = 0; i < n; ++i) {
        v3_copy(vertices + 3 * (size_t)i, p[i].x);
        p[i].vertex = i;
    }
    qsort(p, (size_t)n, sizeof *p, compare_place);
    for (int i = 0, first = 0; i < n; ++i) {
        const double *a = p[first].x, *b = p[i].x;
        if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2]) first = i;
        same[p[i].vertex] = p[first].vertex;
    }
    pcs_env_free(env, p);
    return PCS_OK;
}

// ---- neighbours -------------------------------------------------------------------------------

typedef struct half_edge {
    int low, high, at; // ends of a half-edge, the smaller first; its number
} half_edge;

static int compare_half_edge(const void *one, const void *two)
{
    const half_edge *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int start_of(const mesh_geometry *m, int h)
{
    return m->triangle[h];
}

static int end_of(const mesh_geometry *m, int h)
{
    return m->triangle[h % 3 == 2 ? h - 2 : h + 1];
}

// Two half-edges of opposite directions, without a third, are neighbours. If more than two
// triangles meet, or two with opposite orientation, all are edges of the surface.
static pcs_status find_neighbours(const pcs_env *env, mesh_geometry *m)
{
    const int n = 3 * m->n_triangles;
    half_edge *e = pcs_env_alloc(env, (size_t)n, sizeof *e);
    if (!e) return pcs_fail_memory("pcs_geometry_create_mesh");
    for (int h = 0; h < n; ++h) {
        const int a = start_of(m, h), b = end_of(m, h);
        e[h] = (half_edge){a < b ? a : b, a < b ? b : a, h};
        m->across[h] = -1;
    }
    qsort(e, (size_t)n, sizeof *e, compare_half_edge);

    m->closed = true;
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n; ++next) {
            if (e[next].low != e[i].low || e[next].high != e[i].high) break;
        }
        const int a = e[i].at, b = e[next - 1].at;
        if (next - i == 2 && start_of(m, a) == end_of(m, b)) {
            m->across[a] = b;
            m->across[b] = a;
        } else {
            m->closed = false;
        }
    }
    pcs_env_free(env, e);
    return PCS_OK;
}

// ---- hierarchy --------------------------------------------------------------------------------

static void triangle_bounds(const mesh_geometry *m, int t, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        const double *x = m->vertex + 3 * (size_t)m->triangle[3 * t + k];
        for (int i = 0; i < 3; ++i) {
            low[i] = k == 0 ? x[i] : fmin(low[i], x[i]);
            high[i] = k == 0 ? x[i] : fmax(high[i], x[i]);
        }
    }
}

// twice the middle of the bounds of a triangle along an axis
static double middle(const mesh_geometry *m, int t, int axis)
{
    double low[3], high[3];
    triangle_bounds(m, t, low, high);
    return low[axis] + high[axis];
}

static bool before(const mesh_geometry *m, int axis, int a, int b)
{
    const double xa = middle(m, a, axis), xb = middle(m, b, axis);
    return xa != xb ? xa < xb : a < b;
}

// partly sorts order[first .. last - 1]: no entry before `at` is larger, none after it smaller
// (Hoare 1961)
static void split_at(const mesh_geometry *m, int axis, int first, int last, int at)
{
    int *order = m->order;
    int low = first, high = last - 1;
    while (low < high) {
        const int pivot = order[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (before(m, axis, order[i], pivot)) {
                ++i;
            }
            while (before(m, axis, pivot, order[j])) {
                --j;
            }
            if (i > j) break;
            const int t = order[i];
            order[i++] = order[j];
            order[j--] = t;
        }
        if (at <= j) {
            high = j;
        } else if (at >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// makes the node of order[first .. last - 1] and all below it; returns the next free node. The
// depth is the logarithm of the number of triangles
static int build(mesh_geometry *m, int node, int first, int last)
{
    mesh_node *b = &m->node[node];
    double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = first; k < last; ++k) {
        double low[3], high[3];
        triangle_bounds(m, m->order[k], low, high);
        for (int i = 0; i < 3; ++i) {
            b->low[i] = k == first ? low[i] : fmin(b->low[i], low[i]);
            b->high[i] = k == first ? high[i] : fmax(b->high[i], high[i]);
            least[i] = fmin(least[i], low[i] + high[i]);
            most[i] = fmax(most[i], low[i] + high[i]);
        }
    }
    if (last - first <= LEAF_MAX) {
        b->first = first;
        b->count = last - first;
        return node + 1;
    }
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (most[i] - least[i] > most[axis] - least[axis]) axis = i;
    }
    const int half = first + (last - first) / 2;
    split_at(m, axis, first, last, half);
    b->first = build(m, node + 1, first, half);
    return build(m, b->first, half, last);
}

// ---- creation -------------------------------------------------------------------------------

static pcs_status check(int n_vertices, const double *vertices, int n_triangles,
                        const int *triangles)
{
    if (!vertices || !triangles)
        return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_mesh: vertices or triangles is null");
    if (n_vertices < 3 || n_triangles < 1) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_geometry_create_mesh: there are %d vertices and %d triangles; a mesh has at"
            " least 3 and 1",
            n_vertices, n_triangles);
    }
    if (n_triangles > TRIANGLES_MAX || n_vertices > TRIANGLES_MAX) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_geometry_create_mesh: %d vertices and %d triangles are too many; the "
                        "limit is %d of each",
                        n_vertices, n_triangles, TRIANGLES_MAX);
    }
    for (int i = 0; i < n_vertices; ++i) {
        const double *x = vertices + 3 * (size_t)i;
        if (!(fabs(x[0]) <= size_max && fabs(x[1]) <= size_max && fabs(x[2]) <= size_max)) {
            return pcs_fail(
                PCS_ERR_ARG,
                "pcs_geometry_create_mesh: vertex %d is (%g, %g, %g) m; coordinates must be"
                " finite and at most %g",
                i, x[0], x[1], x[2], size_max);
        }
    }
    for (int h = 0; h < 3 * n_triangles; ++h) {
        if (triangles[h] < 0 || triangles[h] >= n_vertices) {
            return pcs_fail(
                PCS_ERR_ARG,
                "pcs_geometry_create_mesh: triangle %d has the vertex %d; there are vertices 0"
                " to %d",
                h / 3, triangles[h], n_vertices - 1);
        }
    }
    return PCS_OK;
}

static bool has_area(const double *vertices, const int corner[3], double normal[3])
{
    double a[3], b[3], ua[3], ub[3], c[3];
    v3_sub(vertices + 3 * (size_t)corner[1], vertices + 3 * (size_t)corner[0], a);
    v3_sub(vertices + 3 * (size_t)corner[2], vertices + 3 * (size_t)corner[0], b);
    const double la = v3_unit(a, ua), lb = v3_unit(b, ub);
    v3_sub(b, a, c);
    v3_cross(ua, ub, normal);
    const double sine = v3_unit(normal, normal);

    // the least height against the longest side
    const double longest = fmax(la, fmax(lb, v3_norm(c)));
    return sine * la * lb > area_tol * longest * longest;
}

static pcs_status take(const pcs_env *env, mesh_geometry *m, int n_vertices, const double *vertices,
                       int n_triangles, const int *triangles)
{
    const size_t nv = 3 * (size_t)n_vertices, nt = 3 * (size_t)n_triangles;
    int *same = pcs_env_alloc(env, (size_t)n_vertices, sizeof *same);
    m->vertex = pcs_env_alloc(env, nv, sizeof *m->vertex);
    m->triangle = pcs_env_alloc(env, nt, sizeof *m->triangle);
    m->across = pcs_env_alloc(env, nt, sizeof *m->across);
    m->flat = pcs_env_alloc(env, nt, sizeof *m->flat);
    m->normal = pcs_env_alloc(env, nt, sizeof *m->normal);
    m->node = pcs_env_alloc(env, (size_t)n_triangles, 2 * sizeof *m->node);
    m->order = pcs_env_alloc(env, (size_t)n_triangles, sizeof *m->order);
    const bool room = same && m->vertex && m->triangle && m->across && m->flat && m->normal &&
                      m->node && m->order;
    pcs_status status = room ? find_same(env, n_vertices, vertices, same)
                             : pcs_fail_memory("pcs_geometry_create_mesh");
    if (status == PCS_OK) {
        memcpy(m->vertex, vertices, nv * sizeof *vertices);
        m->n_vertices = n_vertices;
        for (int t = 0; t < n_triangles; ++t) {
            int *corner = m->triangle + 3 * (size_t)m->n_triangles;
            for (int k = 0; k < 3; ++k) {
                corner[k] = same[triangles[3 * t + k]];
            }
            if (!has_area(vertices, corner, m->normal + 3 * (size_t)m->n_triangles)) continue;
            m->order[m->n_triangles] = m->n_triangles;
            m->n_triangles += 1;
        }
    }
    pcs_env_free(env, same);
    PCS_TRY(status);
    if (m->n_triangles == 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_geometry_create_mesh: none of the %d triangles has an area",
                        n_triangles);
    }
    PCS_TRY(find_neighbours(env, m));
    surface_find_flat(m);
    build(m, 0, 0, m->n_triangles);
    return PCS_OK;
}

pcs_status pcs_geometry_create_mesh(const pcs_env *env, int n_vertices, const double *vertices,
                                    int n_triangles, const int *triangles, pcs_geometry **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_mesh: out is null");
    *out = NULL;
    PCS_TRY(check(n_vertices, vertices, n_triangles, triangles));
    pcs_geometry *g = geometry_new(env, PCS_SHAPE_MESH);
    if (!g) return pcs_fail_memory("pcs_geometry_create_mesh");
    const pcs_status status = take(env, &g->of.mesh, n_vertices, vertices, n_triangles, triangles);
    if (status != PCS_OK) {
        pcs_geometry_destroy(g);
        return status;
    }
    v3_copy(g->of.mesh.node->low, g->low);
    v3_copy(g->of.mesh.node->high, g->high);
    *out = g;
    return PCS_OK;
}

void mesh_release(const pcs_env *env, mesh_geometry *m)
{
    pcs_env_free(env, m->vertex);
    pcs_env_free(env, m->triangle);
    pcs_env_free(env, m->across);
    pcs_env_free(env, m->flat);
    pcs_env_free(env, m->normal);
    pcs_env_free(env, m->node);
    pcs_env_free(env, m->order);
}
