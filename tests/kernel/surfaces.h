// Meshes that tests collide with.
#ifndef KERNEL_SURFACES_H
#define KERNEL_SURFACES_H

#include "contacts.h"

enum { SURFACE_MAX = 4000 };

typedef struct surface_lists {
    double vertex[SURFACE_MAX][3];
    int triangle[SURFACE_MAX][3];
    int nv, nt;
} surface_lists;

static inline pcs_geometry *make_mesh(const surface_lists *s)
{
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_mesh(NULL, s->nv, s->vertex[0], s->nt, s->triangle[0], &g));
    return g;
}

static inline void add_triangle(surface_lists *s, int a, int b, int c)
{
    ck_assert_int_lt(s->nt, SURFACE_MAX);
    s->triangle[s->nt][0] = a;
    s->triangle[s->nt][1] = b;
    s->triangle[s->nt++][2] = c;
}

static inline int add_vertex(surface_lists *s, double x, double y, double z)
{
    ck_assert_int_lt(s->nv, SURFACE_MAX);
    s->vertex[s->nv][0] = x;
    s->vertex[s->nv][1] = y;
    s->vertex[s->nv][2] = z;
    return s->nv++;
}

// n x n cells over |x|, |y| <= half at z = 0, each cut along a random diagonal, the inner vertices
// moved within the plane
static inline void flat_floor(test_random *r, int n, double half, surface_lists *s)
{
    s->nv = s->nt = 0;
    const double d = 2 * half / n;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const bool in = i > 0 && j > 0 && i < n && j < n;
            const double dx = in ? random_between(r, -0.3, 0.3) * d : 0;
            const double dy = in ? random_between(r, -0.3, 0.3) * d : 0;
            add_vertex(s, i * d - half + dx, j * d - half + dy, 0);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = i + (n + 1) * j, b = a + 1, c = b + n + 1, e = c - 1;
            if (random_unit(r) < 0.5) {
                add_triangle(s, a, b, c);
                add_triangle(s, a, c, e);
            } else {
                add_triangle(s, b, c, e);
                add_triangle(s, a, b, e);
            }
        }
    }
}

// the faces of a box, each cut into 2 n x n triangles with vertices of their own
static inline void box_surface(const double half[3], int n, surface_lists *s)
{
    s->nv = s->nt = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            const int i = (axis + 1) % 3, j = (axis + 2) % 3, base = s->nv;
            for (int b = 0; b <= n; ++b) {
                for (int a = 0; a <= n; ++a) {
                    double x[3];
                    x[axis] = side * half[axis];
                    x[i] = half[i] * (2.0 * a / n - 1);
                    x[j] = half[j] * (2.0 * b / n - 1);
                    add_vertex(s, x[0], x[1], x[2]);
                }
            }
            for (int b = 0; b < n; ++b) {
                for (int a = 0; a < n; ++a) {
                    const int p = base + a + (n + 1) * b, q = p + 1, u = q + n + 1, v = u - 1;
                    add_triangle(s, p, side > 0 ? q : u, side > 0 ? u : q);
                    add_triangle(s, p, side > 0 ? u : v, side > 0 ? v : u);
                }
            }
        }
    }
}

// a regular polyhedron with 20 faces cut n times into four, on the sphere of radius 1
static inline void icosphere(int n, surface_lists *s)
{
    static const int face[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double a = sqrt((5 - sqrt(5)) / 10), b = sqrt((5 + sqrt(5)) / 10);
    s->nv = s->nt = 0;
    for (int k = 0; k < 3; ++k) {
        static const int sign[4][2] = {{-1, 1}, {1, 1}, {-1, -1}, {1, -1}};
        for (int i = 0; i < 4; ++i) {
            double x[3];
            x[k == 0 ? 0 : k == 1 ? 1 : 2] = sign[i][0] * a;
            x[k == 0 ? 1 : k == 1 ? 2 : 0] = sign[i][1] * b;
            x[k == 0 ? 2 : k == 1 ? 0 : 1] = 0;
            add_vertex(s, x[0], x[1], x[2]);
        }
    }
    for (int f = 0; f < 20; ++f) {
        add_triangle(s, face[f][0], face[f][1], face[f][2]);
    }
    for (int round = 0; round < n; ++round) {
        const int old = s->nt;
        for (int t = 0; t < old; ++t) {
            int c[3], m[3];
            memcpy(c, s->triangle[t], sizeof c);
            for (int k = 0; k < 3; ++k) {
                double x[3];
                const double *p = s->vertex[c[k]], *q = s->vertex[c[(k + 1) % 3]];
                for (int i = 0; i < 3; ++i) {
                    x[i] = p[i] + q[i];
                }
                v3_unit(x, x);
                m[k] = add_vertex(s, x[0], x[1], x[2]);
            }
            memcpy(s->triangle[t], m, sizeof m);
            add_triangle(s, c[0], m[0], m[2]);
            add_triangle(s, m[0], c[1], m[1]);
            add_triangle(s, m[2], m[1], c[2]);
        }
    }
}

#endif
