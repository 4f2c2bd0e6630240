// Shapes as triangles, for programs that draw.
#ifndef EXPORT_TESSELLATE_H
#define EXPORT_TESSELLATE_H

#include <percuss/shape.h>

// Triangles are counter-clockwise from outside. Normals are unit, outward, and those of the shape:
// an edge has a vertex for each of its sides.
typedef struct surface {
    int n_vertices, n_triangles;
    double *vertex, *normal; // 3 n_vertices, frame of the shape, m
    int *triangle;           // 3 n_triangles
} surface;

// the part of the face of a half-space that is drawn: |x - centre| <= half, |y - centre| <= half in
// the frame of the shape
typedef struct face_part {
    double centre[2], half;
} face_part;

// `tolerance` is the largest distance of triangles inside a round surface, as a part of its radius;
// only half-spaces use `part`. Release with surface_release, also after a failure.
pcs_status surface_of_shape(const pcs_shape *shape, double tolerance, const face_part *part,
                            surface *out);

// accepts an empty surface
void surface_release(surface *s);

// number of corners of the polygon of a circle
int surface_sides(double tolerance);

#endif
