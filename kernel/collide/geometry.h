// The data of hulls, meshes and height fields: the inside of a pcs_geometry.
#ifndef COLLIDE_GEOMETRY_H
#define COLLIDE_GEOMETRY_H

#include <percuss/meshes.h>

#include <stdbool.h>

#include "collide/polyhedron.h"

// a box of the hierarchy: its triangles, or its two halves (the first is the next node)
typedef struct mesh_node {
    double low[3], high[3];
    int first, count; // leaf: in `order`; count 0: `first` is the second half
} mesh_node;

// Half-edge 3 t + k goes from corner k to corner k + 1 of triangle t. All arrays are owned.
typedef struct mesh_geometry {
    int n_vertices, n_triangles;
    double *vertex; // 3 n_vertices; vertices at equal coordinates are one
    int *triangle;  // 3 n_triangles, counter-clockwise from outside
    int *across;    // 3 n_triangles: the half-edge on the other side, or -1
    bool *flat;     // 3 n_triangles: the triangle there lies in the same plane
    double *normal; // 3 n_triangles, unit, outward
    mesh_node *node;
    int *order; // n_triangles
    bool closed;
} mesh_geometry;

// z = height[i + nx j] at (i dx, j dy)
typedef struct height_field_geometry {
    int nx, ny;
    double dx, dy;
    double *height; // nx ny, owned
} height_field_geometry;

struct pcs_geometry {
    pcs_env env;
    pcs_shape_kind kind;
    double low[3], high[3]; // bounds, frame of the shape
    void *owned;            // hull: the memory of all its arrays
    union {
        polyhedron hull;
        mesh_geometry mesh;
        height_field_geometry field;
    } of;
};

// an empty geometry, or null
pcs_geometry *geometry_new(const pcs_env *env, pcs_shape_kind kind);

// release the data of each kind; accept half-built ones
void mesh_release(const pcs_env *env, mesh_geometry *m);

#endif
