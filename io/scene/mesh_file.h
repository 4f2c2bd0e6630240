// Shared by the readers of mesh files.
#ifndef SCENE_MESH_FILE_H
#define SCENE_MESH_FILE_H

#include <percuss/mesh_file.h>

#include "problem_file/text.h"

struct pcs_mesh_memory {
    pcs_env env;
    int cap_vertices, cap_triangles;
};

// adds one more row to arrays that double
pcs_status mesh_add_vertex(pcs_mesh_file *f, const double x[3]);
pcs_status mesh_add_triangle(pcs_mesh_file *f, int a, int b, int c);

pcs_status obj_read(text *t, pcs_mesh_file *f);
pcs_status stl_read(text *t, pcs_mesh_file *f);
pcs_status stl_read_binary(const char *name, const unsigned char *bytes, size_t size,
                           pcs_mesh_file *f);

#endif
