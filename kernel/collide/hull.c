// Convex hulls of points: checks of the input, and from Qhull's facets to a polyhedron. Only this
// file calls Qhull.
//
// The points are moved and scaled to unit size for Qhull, sorted first so that the result does not
// depend on their order, and facets whose planes agree within merge_tol are one face. The vertices
// kept are the given ones, bit by bit. Normals are those of the polygons (Newell's sum); offsets
// reach the outermost vertex, so that no vertex is outside any face, even if the normal of a sliver
// is inaccurate. Faces, edges and neighbours are numbered by the vertices they have.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include <percuss/shape.h>

#include "base/base.h"
#include "collide/geometry.h"
#include "linalg/m3.h"

// relative to the size: facets that bend less are one face
static const double merge_tol[] = {1e-12, 1e-10, 1e-8};

// relative to the size: points thinner than this in a direction have no inside
static const double flat_tol = 1e-9;

// largest coordinate, m; beyond it the volume overflows a double
static const double size_max = 1e30;

// half an id (2^16) must number all parts: vertices, edges and faces together
enum { PARTS_MAX = 65535, POINTS_MAX = 10000000 };

typedef struct point {
    double x[3];    // as given
    double unit[3]; // moved and scaled
    int number;     // number among the vertices of the hull, -1 if it is none
} point;

typedef struct side {
    int low, high;   // vertices, the smaller first
    int face, place; // face of the side, and the corner at which it starts
    bool up;         // true: it goes from low to high
} side;

// grows while facets are read
typedef struct draft {
    const pcs_env *env;
    point *p;
    int n;
    int n_vertices, n_faces, n_corners;
    int *first, *corner; // faces: corners as points, then as vertices
    side *sides;         // n_corners
} draft;

// ---- points -----------------------------------------------------------------------------------

static int compare_points(const void *one, const void *two)
{
    const point *a = one, *b = two;
    for (int i = 0; i < 3; ++i) {
        if (a->x[i] != b->x[i]) return a->x[i] < b->x[i] ? -1 : 1;
    }
    return 0;
}

static pcs_status take_points(int n, const double *points, draft *d)
{
    double low[3], high[3], size = 0;
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < 3; ++c) {
            const double x = points[3 * (size_t)i + c];
            if (!(fabs(x) <= size_max)) {
                return pcs_fail(
                    PCS_ERR_ARG,
                    "pcs_geometry_create_hull: coordinate %d of point %d is %g m; it must be "
                    "finite and at most %g",
                    c, i, x, size_max);
            }
            // -0 is 0
            d->p[i].x[c] = x + 0.0;
        }
    }
    qsort(d->p, (size_t)n, sizeof *d->p, compare_points);
    for (int i = 0; i < n; ++i) {
        if (d->n > 0 && compare_points(&d->p[i], &d->p[d->n - 1]) == 0) continue;
        d->p[d->n++] = d->p[i];
    }

    for (int c = 0; c < 3; ++c) {
        low[c] = high[c] = d->p[0].x[c];
        for (int i = 1; i < d->n; ++i) {
            low[c] = fmin(low[c], d->p[i].x[c]);
            high[c] = fmax(high[c], d->p[i].x[c]);
        }
        size = fmax(size, high[c] - low[c]);
    }
    for (int i = 0; i < d->n; ++i) {
        for (int c = 0; c < 3; ++c) {
            d->p[i].unit[c] = size > 0 ? (d->p[i].x[c] - (low[c] + high[c]) / 2) / size : 0;
        }
    }
    return PCS_OK;
}

// the largest distance of the points from a point, a line and a plane, each through the farthest
// points so far
static pcs_status refuse_flat(const draft *d)
{
    double e[3], n[3], most[3] = {0, 0, 0};
    int at[3] = {0, 0, 0};
    const double *a = d->p[0].unit;
    for (int what = 0; what < 3; ++what) {
        for (int i = 1; i < d->n; ++i) {
            double r[3], x[3], far;
            v3_sub(d->p[i].unit, a, r);
            if (what == 0) {
                far = v3_norm(r);
            } else if (what == 1) {
                v3_cross(e, r, x);
                far = v3_norm(x);
            } else {
                far = fabs(v3_dot(n, r));
            }
            if (far > most[what]) {
                most[what] = far;
                at[what] = i;
            }
        }
        if (!(most[what] > flat_tol)) {
            static const char *const names[] = {"in one place", "on one line", "in one plane"};
            return pcs_fail(
                PCS_ERR_ARG,
                "pcs_geometry_create_hull: the %d different points are all %s, to %g of their "
                "extent; a hull needs four that are not",
                d->n, names[what], flat_tol);
        }
        double r[3];
        v3_sub(d->p[at[what]].unit, a, r);
        if (what == 0) v3_unit(r, e);
        if (what == 1) {
            v3_cross(e, r, n);
            v3_unit(n, n);
        }
    }
    return PCS_OK;
}

// ---- Qhull ------------------------------------------------------------------------------------

// counts corners, and writes them when there is room
static void copy_facets(qhT *qh, draft *d)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    d->n_faces = d->n_corners = 0;
    FORALLfacets
    {
        setT *round = qh_facet3vertex(qh, facet);
        if (d->first) d->first[d->n_faces] = d->n_corners;
        FOREACHvertex_(round)
        {
            if (d->corner) d->corner[d->n_corners] = qh_pointid(qh, vertex->point);
            d->n_corners += 1;
        }
        d->n_faces += 1;
        qh_settempfree(qh, &round);
    }
    if (d->first) d->first[d->n_faces] = d->n_corners;
}

// qh_facet3vertex may jump to Qhull's error handler, so it runs under one of ours
static int guarded_copy(qhT *qh, draft *d)
{
    qh->NOerrexit = False;
    const int code = setjmp(qh->errexit);
    if (code == 0) copy_facets(qh, d);
    qh->NOerrexit = True;
    return code;
}

static void release_faces(draft *d)
{
    pcs_env_free(d->env, d->first);
    pcs_env_free(d->env, d->corner);
    pcs_env_free(d->env, d->sides);
    d->first = d->corner = NULL;
    d->sides = NULL;
}

static pcs_status run_qhull(qhT *qh, draft *d, double tol, double *unit, FILE *nowhere, bool *found)
{
    char command[64];
    int left = 0, total = 0;
    snprintf(command, sizeof command, "qhull C-%g Pp", tol);
    for (int i = 0; i < d->n; ++i) {
        v3_copy(d->p[i].unit, unit + 3 * (size_t)i);
    }

    pcs_status status = PCS_OK;
    qh_zero(qh, nowhere);
    *found = qh_new_qhull(qh, 3, d->n, unit, False, command, nowhere, nowhere) == 0 &&
             guarded_copy(qh, d) == 0;
    if (*found) {
        d->first = pcs_env_alloc(d->env, (size_t)d->n_faces + 1, sizeof *d->first);
        d->corner = pcs_env_alloc(d->env, (size_t)d->n_corners, sizeof *d->corner);
        d->sides = pcs_env_alloc(d->env, (size_t)d->n_corners, sizeof *d->sides);
        if (!d->first || !d->corner || !d->sides) {
            status = pcs_fail_memory("pcs_geometry_create_hull");
        } else {
            *found = guarded_copy(qh, d) == 0;
        }
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left, &total);
    return status;
}

// ---- a polyhedron -----------------------------------------------------------------------------

// points to vertices, numbered in the order of the sorted points; every face from its smallest
static void number_vertices(draft *d)
{
    for (int i = 0; i < d->n; ++i) {
        d->p[i].number = -1;
    }
    for (int k = 0; k < d->n_corners; ++k) {
        d->p[d->corner[k]].number = 0;
    }
    d->n_vertices = 0;
    for (int i = 0; i < d->n; ++i) {
        if (d->p[i].number == 0) d->p[i].number = d->n_vertices++;
    }
    for (int k = 0; k < d->n_corners; ++k) {
        d->corner[k] = d->p[d->corner[k]].number;
    }

    // Qhull lists corners clockwise
    for (int f = 0; f < d->n_faces; ++f) {
        for (int i = d->first[f], j = d->first[f + 1] - 1; i < j; ++i, --j) {
            const int t = d->corner[i];
            d->corner[i] = d->corner[j];
            d->corner[j] = t;
        }
    }
}

static int compare_sides(const void *one, const void *two)
{
    const side *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->up < b->up) - (a->up > b->up);
}

// true when each edge has a face on either side, in opposite directions, and the surface is a ball:
// Euler's V - E + F = 2
static bool closed(draft *d)
{
    for (int f = 0; f < d->n_faces; ++f) {
        const int from = d->first[f], to = d->first[f + 1];
        if (to - from < 3) return false;
        for (int k = from; k < to; ++k) {
            const int a = d->corner[k], b = d->corner[k + 1 < to ? k + 1 : from];
            d->sides[k] = (side){a < b ? a : b, a < b ? b : a, f, k, a < b};
        }
    }
    if (d->n_corners % 2) return false;
    qsort(d->sides, (size_t)d->n_corners, sizeof *d->sides, compare_sides);
    for (int k = 0; k < d->n_corners; k += 2) {
        const side *a = &d->sides[k], *b = &d->sides[k + 1];
        if (a->low != b->low || a->high != b->high || !a->up || b->up) return false;
    }
    return d->n_vertices - d->n_corners / 2 + d->n_faces == 2;
}

// Newell's sum about the first corner, from the scaled points
static void polygon_normal(const point *const *vertex, const int *corner, int n, double normal[3])
{
    const double *o = vertex[corner[0]]->unit;
    double sum[3] = {0, 0, 0};
    for (int k = 1; k + 1 < n; ++k) {
        double a[3], b[3], x[3];
        v3_sub(vertex[corner[k]]->unit, o, a);
        v3_sub(vertex[corner[k + 1]]->unit, o, b);
        v3_cross(a, b, x);
        v3_along(sum, 1, x, sum);
    }
    v3_unit(sum, normal);
}

// the order of faces that does not depend on how they were found: by their corners, each from its
// smallest vertex
typedef struct face {
    const int *corner;
    int n, start;
} face;

static int compare_faces(const void *one, const void *two)
{
    const face *a = one, *b = two;
    for (int k = 0; k < a->n && k < b->n; ++k) {
        const int x = a->corner[(a->start + k) % a->n], y = b->corner[(b->start + k) % b->n];
        if (x != y) return x < y ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static pcs_status sort_faces(draft *d)
{
    face *order = pcs_env_alloc(d->env, (size_t)d->n_faces, sizeof *order);
    int *corner = pcs_env_alloc(d->env, (size_t)d->n_corners, sizeof *corner);
    if (!order || !corner) {
        pcs_env_free(d->env, order);
        pcs_env_free(d->env, corner);
        return pcs_fail_memory("pcs_geometry_create_hull");
    }
    for (int f = 0; f < d->n_faces; ++f) {
        face *o = &order[f];
        *o = (face){d->corner + d->first[f], d->first[f + 1] - d->first[f], 0};
        for (int k = 1; k < o->n; ++k) {
            if (o->corner[k] < o->corner[o->start]) o->start = k;
        }
    }
    qsort(order, (size_t)d->n_faces, sizeof *order, compare_faces);
    for (int f = 0, k = 0; f < d->n_faces; ++f) {
        d->first[f] = k;
        for (int i = 0; i < order[f].n; ++i) {
            corner[k++] = order[f].corner[(order[f].start + i) % order[f].n];
        }
    }
    pcs_env_free(d->env, order);
    pcs_env_free(d->env, d->corner);
    d->corner = corner;
    return PCS_OK;
}

// one block for all arrays
typedef struct arrays {
    double *vertex, *normal, *offset;
    int *edge, *first, *corner, *side, *about, *next, *spoke;
} arrays;

static void *carve(const draft *d, arrays *a)
{
    const size_t V = (size_t)d->n_vertices, F = (size_t)d->n_faces, C = (size_t)d->n_corners;
    const size_t doubles = 3 * V + 4 * F, ints = 2 * C + F + 1 + 2 * C + V + 1 + 2 * C;
    char *block = pcs_env_alloc(d->env, doubles * sizeof(double) + ints * sizeof(int), 1);
    if (!block) return NULL;
    a->vertex = (double *)(void *)block;
    a->normal = a->vertex + 3 * V;
    a->offset = a->normal + 3 * F;
    a->edge = (int *)(a->offset + F);
    a->first = a->edge + 2 * C;
    a->corner = a->first + F + 1;
    a->side = a->corner + C;
    a->about = a->side + C;
    a->next = a->about + V + 1;
    a->spoke = a->next + C;
    return block;
}

static void write_edges(const draft *d, arrays *a)
{
    const int n = d->n_corners / 2;
    for (int e = 0; e < n; ++e) {
        const side *up = &d->sides[2 * e], *down = &d->sides[2 * e + 1];
        const int edge[4] = {up->low, up->high, up->face, down->face};
        memcpy(a->edge + 4 * (size_t)e, edge, sizeof edge);
        a->side[up->place] = a->side[down->place] = e;
        a->about[up->low + 1] += 1;
        a->about[up->high + 1] += 1;
    }
    for (int v = 0; v < d->n_vertices; ++v) {
        a->about[v + 1] += a->about[v];
    }

    // edges are sorted by their ends, so that neighbours are in order, too: `about` advances and is
    // restored afterwards
    for (int which = 1; which >= 0; --which) {
        for (int e = 0; e < n; ++e) {
            const int v = a->edge[4 * (size_t)e + which], k = a->about[v]++;
            a->next[k] = a->edge[4 * (size_t)e + 1 - which];
            a->spoke[k] = e;
        }
    }
    for (int v = d->n_vertices; v > 0; --v) {
        a->about[v] = a->about[v - 1];
    }
    a->about[0] = 0;
}

// the mean of the vertices and its depth inside
static void hull_ball(const draft *d, const arrays *a, polyhedron *h)
{
    for (int v = 0; v < d->n_vertices; ++v) {
        v3_along(h->centre, 1.0 / d->n_vertices, a->vertex + 3 * (size_t)v, h->centre);
    }
    h->inner = INFINITY;
    for (int f = 0; f < d->n_faces; ++f) {
        h->inner = fmin(h->inner, a->offset[f] - v3_dot(a->normal + 3 * (size_t)f, h->centre));
    }
    h->inner = fmax(0, h->inner);
}

static pcs_status write_hull(const draft *d, pcs_geometry *g)
{
    arrays a = {.vertex = NULL};
    g->owned = carve(d, &a);
    const point **vertex = pcs_env_alloc(d->env, (size_t)d->n_vertices, sizeof *vertex);
    if (!g->owned || !vertex) {
        pcs_env_free(d->env, (void *)vertex);
        return pcs_fail_memory("pcs_geometry_create_hull");
    }
    for (int i = 0; i < d->n; ++i) {
        const int v = d->p[i].number;
        if (v < 0) continue;
        vertex[v] = &d->p[i];
        v3_copy(d->p[i].x, a.vertex + 3 * (size_t)v);
        g->of.hull.extent = fmax(g->of.hull.extent, v3_norm(d->p[i].x));
        for (int c = 0; c < 3; ++c) {
            const double x = d->p[i].x[c];
            g->low[c] = v == 0 ? x : fmin(g->low[c], x);
            g->high[c] = v == 0 ? x : fmax(g->high[c], x);
        }
    }
    memcpy(a.first, d->first, ((size_t)d->n_faces + 1) * sizeof *a.first);
    memcpy(a.corner, d->corner, (size_t)d->n_corners * sizeof *a.corner);
    for (int f = 0; f < d->n_faces; ++f) {
        double *n = a.normal + 3 * (size_t)f;
        const int *corner = d->corner + d->first[f];
        polygon_normal(vertex, corner, d->first[f + 1] - d->first[f], n);
        a.offset[f] = -INFINITY;
        for (int v = 0; v < d->n_vertices; ++v) {
            a.offset[f] = fmax(a.offset[f], v3_dot(n, a.vertex + 3 * (size_t)v));
        }
    }
    hull_ball(d, &a, &g->of.hull);
    write_edges(d, &a);
    pcs_env_free(d->env, (void *)vertex);

    polyhedron *h = &g->of.hull;
    h->n_vertices = d->n_vertices;
    h->n_edges = d->n_corners / 2;
    h->n_faces = d->n_faces;
    h->vertex = a.vertex;
    h->normal = a.normal;
    h->offset = a.offset;
    h->edge = a.edge;
    h->first = a.first;
    h->corner = a.corner;
    h->side = a.side;
    h->about = a.about;
    h->next = a.next;
    h->spoke = a.spoke;
    return PCS_OK;
}

// ---- the hull -----------------------------------------------------------------------------

// closed faces, with the least tolerance that gives them
static pcs_status find_faces(draft *d, double *unit)
{
    qhT qh;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        return pcs_fail(PCS_ERR_FILE, "pcs_geometry_create_hull: /dev/null cannot be opened");

    bool done = false;
    pcs_status status = PCS_OK;
    for (size_t k = 0; k < sizeof merge_tol / sizeof *merge_tol && !done && !status; ++k) {
        bool found;
        release_faces(d);
        status = run_qhull(&qh, d, merge_tol[k], unit, nowhere, &found);
        if (status || !found) continue;
        number_vertices(d);
        done = closed(d);
    }
    fclose(nowhere);
    if (status || done) return status;
    return pcs_fail(
        PCS_ERR_ARG,
        "pcs_geometry_create_hull: no closed hull of the %d different points was found; they "
        "are nearly in one plane, or some are nearly in one place",
        d->n);
}

static pcs_status build(draft *d, double *unit, int n, const double *points, pcs_geometry *g)
{
    PCS_TRY(take_points(n, points, d));
    PCS_TRY(refuse_flat(d));
    PCS_TRY(find_faces(d, unit));
    const int parts = d->n_vertices + d->n_corners / 2 + d->n_faces;
    if (parts > PARTS_MAX) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_geometry_create_hull: the hull has %d vertices, edges and faces; the "
                        "limit is %d; give fewer points",
                        parts, PARTS_MAX);
    }
    PCS_TRY(sort_faces(d));
    if (!closed(d))
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_geometry_create_hull: the faces found do not form a closed surface; "
                        "points that nearly coincide may be the reason");
    return write_hull(d, g);
}

pcs_status pcs_geometry_create_hull(const pcs_env *env, int n, const double *points,
                                    pcs_geometry **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_hull: out is null");
    *out = NULL;
    if (!points) return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_hull: points is null");
    if (n < 4 || n > POINTS_MAX) {
        return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_hull: %d points; a hull needs 4 to %d", n,
                        POINTS_MAX);
    }

    draft d = {.env = env};
    d.p = pcs_env_alloc(env, (size_t)n, sizeof *d.p);
    double *unit = pcs_env_alloc(env, (size_t)n, 3 * sizeof *unit);
    pcs_geometry *g = geometry_new(env, PCS_SHAPE_HULL);
    const pcs_status status = d.p && unit && g ? build(&d, unit, n, points, g)
                                               : pcs_fail_memory("pcs_geometry_create_hull");
    release_faces(&d);
    pcs_env_free(env, unit);
    pcs_env_free(env, d.p);
    if (status) {
        pcs_geometry_destroy(g);
    } else {
        *out = g;
    }
    return status;
}
