/// @file
/// Reading surfaces of triangles: OBJ, and STL as text or binary.
///
///     pcs_mesh_file *file;
///     PCS_TRY(pcs_mesh_file_read(NULL, "ship.stl", &file));
///     PCS_TRY(pcs_geometry_create_mesh(NULL, file->n_vertices, file->vertices, file->n_triangles,
///                                      file->triangles, &mesh));
///     pcs_mesh_file_destroy(file);
#ifndef PERCUSS_MESH_FILE_H
#define PERCUSS_MESH_FILE_H

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The formats of mesh files.
typedef enum pcs_mesh_format {
    PCS_MESH_FORMAT_OBJ,       ///< v and f lines; faces of more corners become fans of triangles
    PCS_MESH_FORMAT_STL,       ///< text
    PCS_MESH_FORMAT_STL_BINARY ///< little-endian, 50 bytes for each triangle
} pcs_mesh_format;

/// The triangles of a file, in its own units.
typedef struct pcs_mesh_file {
    pcs_mesh_format format;         ///< recognised by the content
    int n_vertices;                 ///< number of vertices
    double *vertices;               ///< x y z each; for STL three vertices per triangle
    int n_triangles;                ///< number of triangles
    int *triangles;                 ///< three numbers of vertices each, from 0
    struct pcs_mesh_memory *memory; ///< private
} pcs_mesh_file;

/// Reads a file. In an OBJ file only the lines v and f are used; vn, vt, vp, o, g, s, l, p, mtllib,
/// usemtl and comments are ignored; free-form surfaces are refused. Normals of STL are not read:
/// the order of the corners decides which side is outside. PCS_ERR_FILE: it cannot be read.
/// PCS_ERR_FORMAT: it is malformed, or has no triangles; the sentence has the line, or the triangle
/// of a binary file. PCS_ERR_SIZE: a count is larger than the file holds, or than an int. `out` is
/// null after a failure.
PCS_NODISCARD PCS_API pcs_status pcs_mesh_file_read(const pcs_env *env, const char *path,
                                                    pcs_mesh_file **out);

/// The same from `size` bytes; `name` stands for the path in sentences (null: "mesh").
PCS_NODISCARD PCS_API pcs_status pcs_mesh_file_parse(const pcs_env *env, const char *bytes,
                                                     size_t size, const char *name,
                                                     pcs_mesh_file **out);

/// Accepts null.
PCS_API void pcs_mesh_file_destroy(pcs_mesh_file *file);

#ifdef __cplusplus
}
#endif

#endif
