// Meshes and height fields as triangles. A height field has two in every cell (i, j), cut by the
// diagonal that leaves its lower corner:
//     2 c      (i, j)  (i + 1, j)  (i + 1, j + 1)
//     2 c + 1  (i, j)  (i + 1, j + 1)  (i, j + 1)
// with c = i + (nx - 1) j.
#include "collide/surface.h"

#include <math.h>

#include "linalg/m3.h"

// true when the triangle across edge k lies in the plane of this one, and not folded back onto it
static bool is_flat(const surface_triangle *t, int k)
{
    if (!t->inner[k]) return false;
    double to[3], edge[3], u[3], across[3], out[3];
    v3_sub(t->opposite[k], t->v[k], to);
    v3_sub(t->v[k == 2 ? 0 : k + 1], t->v[k], edge);
    v3_unit(edge, u);
    v3_along(to, -v3_dot(to, u), u, across);
    v3_cross(edge, t->n, out);

    // height of the other corner, relative to its distance from the edge
    return fabs(v3_dot(to, t->n)) <= SURFACE_FLAT * v3_norm(across) && v3_dot(out, across) > 0;
}

// ---- meshes -----------------------------------------------------------------------------------

// the half-edges after and before h in its triangle; each starts in one of the corners
static int after(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static int before(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

// the start of a half-edge
static const double *start(const mesh_geometry *m, int h)
{
    return m->vertex + 3 * (size_t)m->triangle[h];
}

static void get_mesh(const mesh_geometry *m, int number, surface_triangle *t)
{
    v3_copy(m->normal + 3 * (size_t)number, t->n);
    for (int k = 0; k < 3; ++k) {
        const int h = 3 * number + k, back = m->across[h];
        t->vertex[k] = m->triangle[h];
        v3_copy(start(m, h), t->v[k]);
        t->inner[k] = back >= 0;
        t->edge[k] = back >= 0 && back < h ? back : h;
        if (back >= 0) v3_copy(start(m, before(back)), t->opposite[k]);
        t->flat[k] = m->flat[h];
    }
}

void surface_find_flat(mesh_geometry *m)
{
    for (int number = 0; number < m->n_triangles; ++number) {
        surface_triangle t;
        get_mesh(m, number, &t);
        for (int k = 0; k < 3; ++k) {
            m->flat[3 * number + k] = is_flat(&t, k);
        }
    }
}

static void near_mesh(const mesh_geometry *m, const double low[3], const double high[3],
                      surface_visit_fn *visit, void *user)
{
    // halves still to be visited: one for each level, and there are fewer than 32
    int later[64], n = 0;
    later[n++] = 0;
    while (n > 0) {
        const int at = later[--n];
        const mesh_node *b = &m->node[at];
        if (!(b->low[0] <= high[0] && low[0] <= b->high[0] && b->low[1] <= high[1] &&
              low[1] <= b->high[1] && b->low[2] <= high[2] && low[2] <= b->high[2])) {
            continue;
        }
        if (b->count == 0) {
            later[n++] = b->first;
            later[n++] = at + 1;
            continue;
        }
        for (int k = 0; k < b->count; ++k) {
            visit(user, m->order[b->first + k]);
        }
    }
}

// true when x is not higher than v
static bool no_rise(const double *v, const double *x, const double N[3], double tol)
{
    double to[3];
    v3_sub(x, v, to);
    return v3_dot(to, N) <= tol * v3_norm(to);
}

static bool mesh_corner_allows(const mesh_geometry *m, const surface_triangle *t, int corner,
                               const double N[3], double tol)
{
    // around the vertex in one direction until the circle closes or the surface ends, then in the
    // other
    const double *v = t->v[corner];
    int h = 3 * t->number + corner;
    for (int steps = 0; steps < m->n_triangles; ++steps) {
        if (!no_rise(v, start(m, after(h)), N, tol)) return false;
        const int into = before(h);
        if (m->across[into] < 0) {
            if (!no_rise(v, start(m, into), N, tol)) return false;
            break;
        }
        h = m->across[into];
        if (h / 3 == t->number) return true;
    }
    h = 3 * t->number + corner;
    for (int steps = 0; steps < m->n_triangles; ++steps) {
        const int back = m->across[h];
        if (back < 0 || back / 3 == t->number) return true;
        h = after(back);
        if (!no_rise(v, start(m, after(h)), N, tol)) return false;
    }
    return true;
}

// ---- height fields ----------------------------------------------------------------------------

static void grid_point(const height_field_geometry *f, int i, int j, double x[3])
{
    x[0] = i * f->dx;
    x[1] = j * f->dy;
    x[2] = f->height[(size_t)i + (size_t)f->nx * (size_t)j];
}

static void get_field(const height_field_geometry *f, int number, surface_triangle *t)
{
    // corners, and the third corners across the edges, as offsets from (i, j)
    static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    static const int beyond[2][3][2] = {{{0, -1}, {2, 1}, {0, 1}}, {{1, 0}, {1, 2}, {-1, 0}}};
    const int half = number & 1, cell = number >> 1;
    const int i = cell % (f->nx - 1), j = cell / (f->nx - 1);
    for (int k = 0; k < 3; ++k) {
        const int a = i + corner[half][k][0], b = j + corner[half][k][1];
        grid_point(f, a, b, t->v[k]);
        t->vertex[k] = a + f->nx * b;

        const int p = i + beyond[half][k][0], q = j + beyond[half][k][1];
        t->inner[k] = p >= 0 && q >= 0 && p < f->nx && q < f->ny;
        if (t->inner[k]) grid_point(f, p, q, t->opposite[k]);
    }

    // numbers of edges by the grid point they start from: along x, along y, diagonal
    const int at = i + f->nx * j;
    t->edge[0] = 3 * at + (half == 0 ? 0 : 2);
    t->edge[1] = half == 0 ? 3 * (at + 1) + 1 : 3 * (at + f->nx);
    t->edge[2] = 3 * at + (half == 0 ? 2 : 1);

    double a[3], b[3];
    v3_sub(t->v[1], t->v[0], a);
    v3_sub(t->v[2], t->v[0], b);
    v3_cross(a, b, t->n);
    v3_unit(t->n, t->n);
    for (int k = 0; k < 3; ++k) {
        t->flat[k] = is_flat(t, k);
    }
}

// the cells from low to high along one side, within the field
static void cells(double low, double high, double d, int n, int *first, int *last)
{
    const double a = fmin(fmax(floor(low / d), 0), n), b = fmin(fmax(floor(high / d), -1), n - 1);
    *first = (int)a;
    *last = (int)b;

    // a box that ends on the line between two cells meets both
    if (*first > 0 && *first * d >= low) *first -= 1;
}

static void near_field(const height_field_geometry *f, const double low[3], const double high[3],
                       surface_visit_fn *visit, void *user)
{
    int i0, i1, j0, j1;
    cells(low[0], high[0], f->dx, f->nx - 1, &i0, &i1);
    cells(low[1], high[1], f->dy, f->ny - 1, &j0, &j1);
    for (int j = j0; j <= j1; ++j) {
        for (int i = i0; i <= i1; ++i) {
            const double *z = f->height + (size_t)i + (size_t)f->nx * (size_t)j;
            const double least = fmin(fmin(z[0], z[1]), fmin(z[f->nx], z[f->nx + 1]));
            const double most = fmax(fmax(z[0], z[1]), fmax(z[f->nx], z[f->nx + 1]));
            if (!(least <= high[2] && low[2] <= most)) continue;
            const int cell = i + (f->nx - 1) * j;
            visit(user, 2 * cell);
            visit(user, 2 * cell + 1);
        }
    }
}

static bool field_corner_allows(const height_field_geometry *f, int vertex, const double N[3],
                                double tol)
{
    static const int ring[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const int i = vertex % f->nx, j = vertex / f->nx;
    double v[3], x[3];
    grid_point(f, i, j, v);
    for (int k = 0; k < 6; ++k) {
        const int a = i + ring[k][0], b = j + ring[k][1];
        if (a < 0 || b < 0 || a >= f->nx || b >= f->ny) continue;
        grid_point(f, a, b, x);
        if (!no_rise(v, x, N, tol)) return false;
    }
    return true;
}

// ---- either -----------------------------------------------------------------------------------

void surface_get(const pcs_geometry *g, int number, surface_triangle *t)
{
    t->number = number;
    if (g->kind == PCS_SHAPE_MESH) {
        get_mesh(&g->of.mesh, number, t);
    } else {
        get_field(&g->of.field, number, t);
    }
}

void surface_near(const pcs_geometry *g, const double low[3], const double high[3],
                  surface_visit_fn *visit, void *user)
{
    if (g->kind == PCS_SHAPE_MESH) {
        near_mesh(&g->of.mesh, low, high, visit, user);
    } else {
        near_field(&g->of.field, low, high, visit, user);
    }
}

bool surface_corner_allows(const pcs_geometry *g, const surface_triangle *t, int corner,
                           const double N[3], double tol)
{
    if (g->kind == PCS_SHAPE_MESH) return mesh_corner_allows(&g->of.mesh, t, corner, N, tol);
    return field_corner_allows(&g->of.field, t->vertex[corner], N, tol);
}
