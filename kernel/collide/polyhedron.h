// Convex polyhedra as their vertices, edges and faces; also a box, the core of a capsule (one edge,
// no face), the centre of a sphere (one vertex), a triangle (two faces back to back).
//
// Edge e goes from edge[4 e] to edge[4 e + 1]; edge[4 e + 2] is the face on its left, seen from
// outside, edge[4 e + 3] that on its right (-1 where there are no faces). Face f has the corners
// corner[first[f]] ... corner[first[f + 1] - 1], counter-clockwise from outside; side[k] is the
// edge from corner k to the next. The edges at vertex v are spoke[about[v]] ... spoke[about[v + 1]
// - 1], next[k] the other ends.
//
// Parts are numbered vertices first, then edges, then faces.
#ifndef COLLIDE_POLYHEDRON_H
#define COLLIDE_POLYHEDRON_H

#include <stdbool.h>
#include <stddef.h>

#include <percuss/features.h>

#include "collide/convex.h"

typedef struct polyhedron {
    int n_vertices, n_edges, n_faces;
    const double *vertex; // 3 n_vertices
    const double *normal; // 3 n_faces, unit, outward
    const double *offset; // n_faces: the largest normal . x of the vertices
    const int *edge;      // 4 n_edges
    const int *first, *corner, *side;
    const int *about, *next, *spoke;
    double extent;           // largest |x|
    double centre[3], inner; // a ball inside
} polyhedron;

// memory for the vertices and offsets of shapes whose polyhedron is made when needed
typedef struct polyhedron_room {
    double vertex[24], offset[6];
} polyhedron_room;

// the core of a sphere, capsule, box or hull; *radius is the radius around it
polyhedron polyhedron_of(const pcs_shape *s, polyhedron_room *room, double *radius);

convex polyhedron_core(const polyhedron *p, double radius);

// the vertex furthest along d
int polyhedron_top(const polyhedron *p, const double d[3]);

// the face at vertex v whose normal is most along d; -1 if there are none
int polyhedron_face(const polyhedron *p, int v, const double d[3]);

// the edge between two vertices, -1 if there is none
int polyhedron_edge(const polyhedron *p, int v, int w);

// The vertices with n . x <= limit, the one given first (if it is one of them), the others by
// number. If not all fit: after it, repeatedly the one furthest from those taken.
int polyhedron_below(const polyhedron *p, const double n[3], double limit, int lowest,
                     int out[PCS_FEATURES_MAX]);

static inline const double *polyhedron_vertex(const polyhedron *p, int v)
{
    return p->vertex + 3 * (size_t)v;
}

static inline const double *polyhedron_normal(const polyhedron *p, int f)
{
    return p->normal + 3 * (size_t)f;
}

static inline int part_of_edge(const polyhedron *p, int e)
{
    return p->n_vertices + e;
}

static inline int part_of_face(const polyhedron *p, int f)
{
    return p->n_vertices + p->n_edges + f;
}

#endif
