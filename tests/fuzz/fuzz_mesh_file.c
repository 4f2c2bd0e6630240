// Mesh files of any bytes: all vertices of every triangle read exist and are finite.
#include <percuss/mesh_file.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pcs_mesh_file *f;
    if (pcs_mesh_file_parse(NULL, (const char *)data, size, "fuzz", &f) != PCS_OK) {
        if (pcs_error_text()[0] == '\0') abort();
        return 0;
    }
    if (f->n_triangles < 1) abort();
    for (int i = 0; i < 3 * f->n_triangles; ++i) {
        if (f->triangles[i] < 0 || f->triangles[i] >= f->n_vertices) abort();
    }
    for (int i = 0; i < 3 * f->n_vertices; ++i) {
        if (!isfinite(f->vertices[i])) abort();
    }
    pcs_mesh_file_destroy(f);
    return 0;
}
