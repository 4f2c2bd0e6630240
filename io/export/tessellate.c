// Shapes as triangles. Spheres, capsules and cylinders are profiles rotated about z: points (r, z)
// with normals, from below to above. With n sides around, and sides of the same length along a
// circle of the profile, a plane quad of a sphere lies inside it by
//     R (1 - cos(pi / n)^2) <= tolerance R.
// All other shapes have flat polygons. The normal at a corner of a triangle is the mean, by area,
// of the triangles at that vertex whose normals differ by less than 30 degrees: a curved mesh is
// smooth and a box has edges.
#include "export/tessellate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "linalg/m3.h"

#define PI         3.14159265358979323846
#define COS_SMOOTH 0.86602540378443864676 // cosine of 30 degrees

// at a vertex with more triangles than this each has its own normal: the cost of all pairs grows
// with the square
enum { SMOOTH_MOST = 64 };

void surface_release(surface *s)
{
    free(s->vertex);
    free(s->normal);
    free(s->triangle);
    *s = (surface){0};
}

static pcs_status make_room(surface *s, size_t vertices, size_t triangles)
{
    if (vertices > INT32_MAX / 3 || triangles > INT32_MAX / 3) {
        return pcs_fail(PCS_ERR_SIZE, "a shape has %zu triangles, more than can be exported",
                        triangles);
    }
    s->vertex = malloc((3 * vertices + 1) * sizeof *s->vertex);
    s->normal = malloc((3 * vertices + 1) * sizeof *s->normal);
    s->triangle = malloc((3 * triangles + 1) * sizeof *s->triangle);
    return s->vertex && s->normal && s->triangle ? PCS_OK
                                                 : pcs_fail_memory("pcs_trajectory_export");
}

static int add_vertex(surface *s, const double x[3], const double n[3])
{
    v3_copy(x, s->vertex + 3 * (size_t)s->n_vertices);
    v3_copy(n, s->normal + 3 * (size_t)s->n_vertices);
    return s->n_vertices++;
}

static void add_triangle(surface *s, int a, int b, int c)
{
    int *corner = s->triangle + 3 * (size_t)s->n_triangles++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

// ---- rotated profiles ---------------------------------------------------------------------------

int surface_sides(double tolerance)
{
    const int quarter = (int)ceil(PI / asin(sqrt(tolerance)) / 4);
    return 4 * (quarter < 2 ? 2 : quarter);
}

// a point of a profile with its normal; 0 <= r
typedef struct profile_point {
    double r, z, nr, nz;
    bool new_piece; // begins a piece: no triangles connect it to the point before
} profile_point;

// the vertices of a point are a ring about z; on the axis there is one
static int ring(surface *s, const profile_point *p, int sides)
{
    const int first = s->n_vertices, n = p->r > 0 ? sides : 1;
    for (int k = 0; k < n; ++k) {
        const double c = cos(2 * PI * k / sides), d = sin(2 * PI * k / sides);
        const double x[3] = {p->r * c, p->r * d, p->z}, normal[3] = {p->nr * c, p->nr * d, p->nz};
        add_vertex(s, x, normal);
    }
    return first;
}

static pcs_status turn(int n, const profile_point *p, int sides, surface *out)
{
    PCS_TRY(make_room(out, (size_t)n * (size_t)sides, 2 * (size_t)n * (size_t)sides));
    int below = 0;
    for (int i = 0; i < n; ++i) {
        const int above = ring(out, &p[i], sides);
        for (int k = 0; k < sides && !p[i].new_piece; ++k) {
            const int next = (k + 1) % sides;
            const int a = below + k, b = below + next, c = above + next, d = above + k;
            if (p[i - 1].r > 0) add_triangle(out, a, b, p[i].r > 0 ? c : above);
            if (p[i].r > 0) add_triangle(out, p[i - 1].r > 0 ? a : below, c, d);
        }
        below = above;
    }
    return PCS_OK;
}

// two quarters of a circle with centres at z = -half and half
static pcs_status tessellate_capsule(double radius, double half, int sides, surface *out)
{
    const int quarter = sides / 4;
    profile_point *p = calloc((size_t)sides, sizeof *p);
    if (!p) return pcs_fail_memory("pcs_trajectory_export");
    int n = 0;
    for (int i = -quarter; i <= quarter; ++i) {
        const double angle = PI / 2 * i / quarter;
        const double c = i == -quarter || i == quarter ? 0 : cos(angle), d = sin(angle);
        // a sphere has one equator
        for (int side = i > 0 ? 1 : -1; side <= (i < 0 || (i == 0 && half <= 0) ? -1 : 1);
             side += 2) {
            p[n] = (profile_point){radius * c, radius * d + side * half, c, d, n == 0};
            n += 1;
        }
    }
    const pcs_status status = turn(n, p, sides, out);
    free(p);
    return status;
}

static pcs_status tessellate_cylinder(double radius, double half, int sides, surface *out)
{
    const profile_point p[] = {
        {0, -half, 0, -1, true},     {radius, -half, 0, -1, false}, {radius, -half, 1, 0, true},
        {radius, half, 1, 0, false}, {radius, half, 0, 1, true},    {0, half, 0, 1, false},
    };
    return turn(sizeof p / sizeof *p, p, sides, out);
}

// ---- flat polygons -----------------------------------------------------------------------------

// the triangles of a vertex: at[first[v]] ... at[first[v + 1] - 1], corners as 3 t + k
typedef struct fans {
    int *first, *at;
} fans;

static bool find_fans(int n_vertices, int n_triangles, const int *triangle, fans *out)
{
    const int corners = 3 * n_triangles;
    out->first = calloc((size_t)n_vertices + 2, sizeof *out->first);
    out->at = malloc(((size_t)corners + 1) * sizeof *out->at);
    if (!out->first || !out->at) return false;
    for (int k = 0; k < corners; ++k) {
        out->first[triangle[k] + 2] += 1;
    }
    for (int v = 0; v < n_vertices; ++v) {
        out->first[v + 2] += out->first[v + 1];
    }
    for (int k = 0; k < corners; ++k) {
        out->at[out->first[triangle[k] + 1]++] = k;
    }
    return true;
}

// twice the area along the normal
static void area_of(const double *vertex, const int corner[3], double area[3])
{
    const double *a = vertex + 3 * (size_t)corner[0];
    double b[3], c[3];
    v3_sub(vertex + 3 * (size_t)corner[1], a, b);
    v3_sub(vertex + 3 * (size_t)corner[2], a, c);
    v3_cross(b, c, area);
}

static void corner_normal(int n, const int *at, const double *area, int which, double out[3])
{
    const double *own = area + 3 * (size_t)(at[which] / 3);
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < n && n <= SMOOTH_MOST; ++i) {
        const double *other = area + 3 * (size_t)(at[i] / 3);
        if (v3_dot(own, other) >= COS_SMOOTH * v3_norm(own) * v3_norm(other)) {
            v3_along(sum, 1, other, sum);
        }
    }
    v3_unit(n <= SMOOTH_MOST ? sum : own, out);
}

// corners at a vertex that have the same normal are one vertex of the surface
static void add_fan(int n, const int *at, const double *x, const double *area, surface *out)
{
    const int first = out->n_vertices;
    for (int i = 0; i < n; ++i) {
        double normal[3];
        corner_normal(n, at, area, i, normal);
        int v = out->n_vertices - 1;
        const int least = n <= SMOOTH_MOST || v < first ? first : v;
        while (v >= least && memcmp(out->normal + 3 * (size_t)v, normal, sizeof normal) != 0) {
            --v;
        }
        out->triangle[at[i]] = v >= least ? v : add_vertex(out, x, normal);
    }
}

static pcs_status tessellate_polygons(int n_vertices, const double *vertex, int n_triangles,
                                      const int *triangle, surface *out)
{
    fans f = {NULL, NULL};
    double *area = malloc((3 * (size_t)n_triangles + 1) * sizeof *area);
    pcs_status status = make_room(out, 3 * (size_t)n_triangles, (size_t)n_triangles);
    if (status == PCS_OK && (!area || !find_fans(n_vertices, n_triangles, triangle, &f))) {
        status = pcs_fail_memory("pcs_trajectory_export");
    }
    for (int t = 0; t < n_triangles && status == PCS_OK; ++t) {
        area_of(vertex, triangle + 3 * (size_t)t, area + 3 * (size_t)t);
    }
    for (int v = 0; v < n_vertices && status == PCS_OK; ++v) {
        const int first = f.first[v];
        add_fan(f.first[v + 1] - first, f.at + first, vertex + 3 * (size_t)v, area, out);
    }
    out->n_triangles = status == PCS_OK ? n_triangles : 0;
    free(area);
    free(f.first);
    free(f.at);
    return status;
}

static pcs_status tessellate_box(const double half[3], surface *out)
{
    static const int triangle[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double vertex[24];
    for (int v = 0; v < 8; ++v) {
        for (int i = 0; i < 3; ++i) {
            vertex[3 * v + i] = v >> i & 1 ? half[i] : -half[i];
        }
    }
    return tessellate_polygons(8, vertex, 12, triangle, out);
}

static pcs_status tessellate_square(const face_part *part, surface *out)
{
    static const int triangle[6] = {0, 1, 3, 0, 3, 2};
    double vertex[12] = {0};
    for (int v = 0; v < 4; ++v) {
        vertex[3 * v] = part->centre[0] + (v & 1 ? part->half : -part->half);
        vertex[3 * v + 1] = part->centre[1] + (v & 2 ? part->half : -part->half);
    }
    return tessellate_polygons(4, vertex, 2, triangle, out);
}

static pcs_status tessellate_hull(const pcs_geometry *hull, surface *out)
{
    const double *vertex;
    const int *first, *corner;
    const int n_vertices = pcs_geometry_vertices(hull, &vertex),
              faces = pcs_geometry_faces(hull, &first, &corner), corners = first[faces];
    int *triangle = malloc(3 * (size_t)corners * sizeof *triangle), n = 0;
    if (!triangle) return pcs_fail_memory("pcs_trajectory_export");
    for (int f = 0; f < faces; ++f) {
        for (int k = first[f] + 1; k + 1 < first[f + 1]; ++k, ++n) {
            triangle[3 * n] = corner[first[f]];
            triangle[3 * n + 1] = corner[k];
            triangle[3 * n + 2] = corner[k + 1];
        }
    }
    const pcs_status status = tessellate_polygons(n_vertices, vertex, n, triangle, out);
    free(triangle);
    return status;
}

static pcs_status tessellate_field(const pcs_geometry *field, surface *out)
{
    int nx, ny;
    double dx, dy;
    const double *height;
    pcs_geometry_heights(field, &nx, &ny, &dx, &dy, &height);
    const size_t points = (size_t)nx * (size_t)ny;
    double *vertex = malloc(3 * points * sizeof *vertex);
    int *triangle = malloc(6 * points * sizeof *triangle), n = 0;
    for (int j = 0; j < ny && vertex && triangle; ++j) {
        for (int i = 0; i < nx; ++i) {
            const int at = i + nx * j;
            const double x[3] = {i * dx, j * dy, height[at]};
            v3_copy(x, vertex + 3 * (size_t)at);
            if (i + 1 == nx || j + 1 == ny) continue;
            const int corner[6] = {at, at + 1, at + nx + 1, at, at + nx + 1, at + nx};
            memcpy(triangle + 3 * (size_t)n, corner, sizeof corner);
            n += 2;
        }
    }
    const pcs_status status = vertex && triangle
                                  ? tessellate_polygons((int)points, vertex, n, triangle, out)
                                  : pcs_fail_memory("pcs_trajectory_export");
    free(vertex);
    free(triangle);
    return status;
}

static pcs_status tessellate_mesh(const pcs_geometry *mesh, surface *out)
{
    const double *vertex;
    const int *triangle;
    const int n_vertices = pcs_geometry_vertices(mesh, &vertex),
              n_triangles = pcs_geometry_triangles(mesh, &triangle);
    return tessellate_polygons(n_vertices, vertex, n_triangles, triangle, out);
}

pcs_status surface_of_shape(const pcs_shape *s, double tolerance, const face_part *part,
                            surface *out)
{
    *out = (surface){0};
    const int sides = surface_sides(tolerance);
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return tessellate_capsule(s->radius, 0, sides, out);
    case PCS_SHAPE_CAPSULE:
        return tessellate_capsule(s->radius, s->half[2], sides, out);
    case PCS_SHAPE_CYLINDER:
        return tessellate_cylinder(s->radius, s->half[2], sides, out);
    case PCS_SHAPE_BOX:
        return tessellate_box(s->half, out);
    case PCS_SHAPE_HALF_SPACE:
        return tessellate_square(part, out);
    case PCS_SHAPE_HULL:
        return tessellate_hull(s->geometry, out);
    case PCS_SHAPE_HEIGHT_FIELD:
        return tessellate_field(s->geometry, out);
    case PCS_SHAPE_MESH:
        break;
    }
    return tessellate_mesh(s->geometry, out);
}
