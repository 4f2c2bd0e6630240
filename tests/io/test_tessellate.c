// Shapes as triangles: closed surfaces that look outward, whose volume tends to that of the shape
// with the square of a side's length, and whose normals are those of the shape.
#include "export/tessellate.h"

#include <math.h>
#include <stdlib.h>

#include <percuss/meshes.h>

#include "linalg/m3.h"
#include "support.h"

#define PI 3.14159265358979323846

static const face_part part = {{0.5, -1}, 3};

static surface made(const pcs_shape *shape, double tolerance)
{
    surface s;
    CK_OK(surface_of_shape(shape, tolerance, &part, &s));
    return s;
}

static const double *corner(const surface *s, int t, int k)
{
    return s->vertex + 3 * (size_t)s->triangle[3 * t + k];
}

// the divergence theorem
static double volume_of(const surface *s)
{
    double sum = 0;
    for (int t = 0; t < s->n_triangles; ++t) {
        double x[3];
        v3_cross(corner(s, t, 1), corner(s, t, 2), x);
        sum += v3_dot(corner(s, t, 0), x) / 6;
    }
    return sum;
}

static double volume(const pcs_shape *shape, double tolerance)
{
    surface s = made(shape, tolerance);
    const double found = volume_of(&s);
    surface_release(&s);
    return found;
}

// vertices on two sides of an edge are at one place, to the bit
static int compare_places(const void *one, const void *two)
{
    return memcmp(one, two, 6 * sizeof(double));
}

// every side of a triangle is a side of another one, in the opposite direction
static void check_closed(const surface *s)
{
    const int n = 3 * s->n_triangles;
    double(*forth)[6] = calloc((size_t)n, sizeof *forth),
    (*back)[6] = calloc((size_t)n, sizeof *back);
    ck_assert(forth && back);
    for (int k = 0; k < n; ++k) {
        const double *a = corner(s, k / 3, k % 3), *b = corner(s, k / 3, (k + 1) % 3);
        for (int i = 0; i < 3; ++i) {
            // -0 is 0
            forth[k][i] = back[k][3 + i] = a[i] + 0.0;
            forth[k][3 + i] = back[k][i] = b[i] + 0.0;
        }
        ck_assert(memcmp(forth[k], forth[k] + 3, 3 * sizeof(double)) != 0);
    }
    qsort(forth, (size_t)n, sizeof *forth, compare_places);
    qsort(back, (size_t)n, sizeof *back, compare_places);
    ck_assert_mem_eq(forth, back, (size_t)n * sizeof *forth);
    free(forth);
    free(back);
}

// unit, and outward: along the normal of each triangle they belong to, as flat as it is
static void check_normals(const surface *s, double cosine)
{
    for (int t = 0; t < s->n_triangles; ++t) {
        double a[3], b[3], n[3];
        v3_sub(corner(s, t, 1), corner(s, t, 0), a);
        v3_sub(corner(s, t, 2), corner(s, t, 0), b);
        v3_cross(a, b, n);
        ck_assert_double_gt(v3_norm(n), 0);
        v3_unit(n, n);
        for (int k = 0; k < 3; ++k) {
            const double *normal = s->normal + 3 * (size_t)s->triangle[3 * t + k];
            CK_NEAR(v3_norm(normal), 1, 1e-14);
            ck_assert_double_ge(v3_dot(normal, n), cosine);
        }
    }
}

static pcs_geometry *tetrahedron_hull(void)
{
    const double points[15] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0.1, 0.1, 0.1};
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_hull(NULL, 5, points, &g));
    return g;
}

// a cube, each face of which has many points
static pcs_geometry *cube_hull(void)
{
    double points[3 * 8];
    pcs_geometry *g;
    for (int i = 0; i < 8; ++i) {
        for (int c = 0; c < 3; ++c) {
            points[3 * i + c] = i >> c & 1;
        }
    }
    CK_OK(pcs_geometry_create_hull(NULL, 8, points, &g));
    return g;
}

// a torus of n times n quads with its radii
static pcs_geometry *torus_mesh(int n, double large, double small)
{
    double *x = calloc((size_t)(3 * n * n), sizeof *x);
    int *t = calloc((size_t)(6 * n * n), sizeof *t);
    pcs_geometry *g;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double u = 2 * PI * i / n, v = 2 * PI * j / n, r = large + small * cos(v);
            const double point[3] = {r * cos(u), r * sin(u), small * sin(v)};
            v3_copy(point, x + (size_t)3 * (size_t)(i * n + j));
            const int a = i * n + j, b = (i + 1) % n * n + j, c = (i + 1) % n * n + (j + 1) % n,
                      d = i * n + (j + 1) % n, quad[6] = {a, b, c, a, c, d};
            memcpy(t + (size_t)6 * (size_t)(i * n + j), quad, sizeof quad);
        }
    }
    CK_OK(pcs_geometry_create_mesh(NULL, n * n, x, 2 * n * n, t, &g));
    free(x);
    free(t);
    return g;
}

TEST(all_solid_shapes_are_closed_and_look_outward)
{
    pcs_geometry *hull = tetrahedron_hull(), *cube = cube_hull(), *torus = torus_mesh(40, 2, 0.5);
    const pcs_shape shape[] = {
        pcs_shape_sphere(0.3),        pcs_shape_box(1, 2, 3), pcs_shape_capsule(0.2, 1.5),
        pcs_shape_cylinder(0.4, 0.1), pcs_shape_hull(hull),   pcs_shape_hull(cube),
        pcs_shape_mesh(torus),
    };

    for (size_t i = 0; i < sizeof shape / sizeof *shape; ++i) {
        for (double tolerance = 0.5; tolerance > 1e-4; tolerance /= 7) {
            surface s = made(&shape[i], tolerance);
            check_closed(&s);
            // eight sides bend by 45 degrees: half of it to a normal, around and along
            check_normals(&s, pow(cos(PI / 8), 2) - 1e-14);
            surface_release(&s);
        }
    }
    pcs_geometry_destroy(hull);
    pcs_geometry_destroy(cube);
    pcs_geometry_destroy(torus);
}

TEST(flat_shapes_have_their_volume)
{
    pcs_geometry *hull = tetrahedron_hull(), *cube = cube_hull();
    const pcs_shape box = pcs_shape_box(1, 2, 3), a = pcs_shape_hull(hull),
                    b = pcs_shape_hull(cube);
    CK_NEAR(volume(&box, 0.01), 6, 1e-14);
    CK_NEAR(volume(&a, 0.01), 1, 1e-14);
    CK_NEAR(volume(&b, 0.01), 1, 1e-14);
    // an edge of 90 degrees is sharp: 24 corners
    surface s = made(&b, 0.01);
    ck_assert_int_eq(s.n_vertices, 24);
    ck_assert_int_eq(s.n_triangles, 12);
    surface_release(&s);
    pcs_geometry_destroy(hull);
    pcs_geometry_destroy(cube);
}

TEST(round_shapes_have_their_volume_to_second_order)
{
    const struct {
        pcs_shape shape;
        double volume;
    } c[] = {
        {pcs_shape_sphere(0.3), 4 * PI / 3 * 0.027},
        {pcs_shape_capsule(0.2, 1.5), PI * 0.04 * 1.5 + 4 * PI / 3 * 0.008},
        {pcs_shape_cylinder(0.4, 0.1), PI * 0.16 * 0.1},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; ++i) {
        double before = 0;
        for (int sides = 16; sides <= 256; sides *= 2) {
            // just enough for this number of sides
            const double tolerance = pow(sin(PI / sides), 2) * (1 + 1e-9);
            ck_assert_int_eq(surface_sides(tolerance), sides);
            const double error = c[i].volume - volume(&c[i].shape, tolerance);
            // inside, by no more than a layer as thick as the tolerance
            ck_assert_double_gt(error, 0);
            ck_assert_double_lt(error, 3 * tolerance * c[i].volume);
            if (before > 0) CK_NEAR(before / error, 4, 0.05 * 16 * 16 / sides / sides * 16);
            before = error;
        }
    }
}

TEST(points_of_round_shapes_and_their_normals_are_exact)
{
    const pcs_shape sphere = pcs_shape_sphere(0.3), capsule = pcs_shape_capsule(0.2, 1.5);
    surface s = made(&sphere, 0.003);
    for (int v = 0; v < s.n_vertices; ++v) {
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(s.vertex[3 * v + i], 0.3 * s.normal[3 * v + i], 1e-16);
        }
    }
    for (int t = 0; t < s.n_triangles; ++t) {
        double a[3], b[3], n[3];
        v3_sub(corner(&s, t, 1), corner(&s, t, 0), a);
        v3_sub(corner(&s, t, 2), corner(&s, t, 0), b);
        v3_cross(a, b, n);
        v3_unit(n, n);
        ck_assert_double_ge(v3_dot(n, corner(&s, t, 0)), 0.3 * (1 - 0.003));
    }
    surface_release(&s);
    s = made(&capsule, 0.003);
    for (int v = 0; v < s.n_vertices; ++v) {
        const double *x = s.vertex + 3 * (size_t)v, *n = s.normal + 3 * (size_t)v;
        const double core[3] = {0, 0, fmax(-0.75, fmin(0.75, x[2] - 0.2 * n[2]))};
        double from[3];
        v3_sub(x, core, from);
        CK_NEAR(v3_norm(from), 0.2, 1e-15);
        CK_NEAR(v3_dot(from, n), 0.2, 1e-15);
    }
    surface_release(&s);
}

TEST(a_curved_mesh_is_smooth)
{
    enum { N = 48 };
    pcs_geometry *torus = torus_mesh(N, 2, 0.5);
    const pcs_shape shape = pcs_shape_mesh(torus);
    surface s = made(&shape, 0.01);
    ck_assert_int_eq(s.n_vertices, N * N);
    ck_assert_int_eq(s.n_triangles, 2 * N * N);
    for (int v = 0; v < s.n_vertices; ++v) {
        const double *x = s.vertex + 3 * (size_t)v, r = hypot(x[0], x[1]);
        const double n[3] = {(r - 2) / 0.5 * x[0] / r, (r - 2) / 0.5 * x[1] / r, x[2] / 0.5};
        ck_assert_double_gt(v3_dot(n, s.normal + 3 * (size_t)v), cos(2 * PI / N));
    }
    surface_release(&s);
    pcs_geometry_destroy(torus);
}

TEST(a_half_space_is_a_square_and_a_height_field_its_cells)
{
    const pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    surface s = made(&plane, 0.01);
    ck_assert_int_eq(s.n_triangles, 2);
    for (int v = 0; v < s.n_vertices; ++v) {
        CK_NEAR(fabs(s.vertex[3 * v] - 0.5), 3, 1e-15);
        CK_NEAR(fabs(s.vertex[3 * v + 1] + 1), 3, 1e-15);
        ck_assert_double_eq(s.vertex[3 * v + 2], 0);
        ck_assert_double_eq(s.normal[3 * v + 2], 1);
    }
    check_normals(&s, 1);
    surface_release(&s);

    const double height[6] = {0, 0.1, 0.2, 0, 0.1, 0.2};
    pcs_geometry *field;
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 1, 2, height, &field));
    const pcs_shape ground = pcs_shape_height_field(field);
    s = made(&ground, 0.01);
    ck_assert_int_eq(s.n_triangles, 4);
    ck_assert_int_eq(s.n_vertices, 6);
    const double n[3] = {-0.1 / sqrt(1.01), 0, 1 / sqrt(1.01)};
    for (int v = 0; v < s.n_vertices; ++v) {
        CK_NEAR(s.vertex[3 * v + 2], 0.1 * s.vertex[3 * v], 1e-16);
        CK_NEAR(v3_dot(n, s.normal + 3 * (size_t)v), 1, 1e-15);
    }
    surface_release(&s);
    pcs_geometry_destroy(field);
}

// a point in which very many triangles meet
TEST(a_fan_of_many_triangles_is_quick)
{
    enum { N = TEST_FEW(20000, 100000) };
    double *x = calloc((size_t)3 * (N + 1), sizeof *x);
    int *t = calloc((size_t)3 * N, sizeof *t);
    pcs_geometry *g;
    for (int i = 0; i < N; ++i) {
        const double u = 2 * PI * i / N;
        const double point[3] = {cos(u), sin(u), 0};
        v3_copy(point, x + 3 * (size_t)i);
        t[3 * i] = N;
        t[3 * i + 1] = i;
        t[3 * i + 2] = (i + 1) % N;
    }
    x[3 * N + 2] = 1;
    CK_OK(pcs_geometry_create_mesh(NULL, N + 1, x, N, t, &g));
    const pcs_shape shape = pcs_shape_mesh(g);
    surface s = made(&shape, 0.01);
    ck_assert_int_eq(s.n_triangles, N);
    check_normals(&s, 0.99);
    surface_release(&s);
    pcs_geometry_destroy(g);
    free(x);
    free(t);
}
