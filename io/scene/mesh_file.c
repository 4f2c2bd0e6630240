// Mesh files: recognition of the format, and arrays that grow.
#include "scene/mesh_file.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/bytes.h"

void pcs_mesh_file_destroy(pcs_mesh_file *f)
{
    if (!f) return;
    const pcs_env env = f->memory->env;
    pcs_env_free(&env, f->vertices);
    pcs_env_free(&env, f->triangles);
    pcs_env_free(&env, f->memory);
    pcs_env_free(&env, f);
}

// makes room for one more row of three entries
static bool grow(const pcs_env *env, void **array, int n, int *cap, size_t size)
{
    if (n < *cap) return true;
    if (*cap > INT_MAX / 6) return false;
    const int wanted = *cap > 0 ? 2 * *cap : 64;
    void *larger = pcs_env_alloc(env, 3 * (size_t)wanted, size);
    if (!larger) return false;
    if (*array) memcpy(larger, *array, 3 * (size_t)n * size);
    pcs_env_free(env, *array);
    *array = larger;
    *cap = wanted;
    return true;
}

pcs_status mesh_add_vertex(pcs_mesh_file *f, const double x[3])
{
    struct pcs_mesh_memory *m = f->memory;
    if (!grow(&m->env, (void **)&f->vertices, f->n_vertices, &m->cap_vertices, sizeof(double))) {
        return pcs_fail_memory("mesh file");
    }
    memcpy(f->vertices + 3 * (size_t)f->n_vertices++, x, 3 * sizeof *x);
    return PCS_OK;
}

pcs_status mesh_add_triangle(pcs_mesh_file *f, int a, int b, int c)
{
    struct pcs_mesh_memory *m = f->memory;
    if (!grow(&m->env, (void **)&f->triangles, f->n_triangles, &m->cap_triangles, sizeof(int))) {
        return pcs_fail_memory("mesh file");
    }
    int *t = f->triangles + 3 * (size_t)f->n_triangles++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return PCS_OK;
}

// ---- formats -----------------------------------------------------------------------------------

enum { HEAD = 84, PER_TRIANGLE = 50 }; // bytes of binary STL

// The number of triangles of a binary STL file determines its length. Its head may begin with
// "solid", as a text does.
static bool is_binary(const unsigned char *bytes, size_t size)
{
    if (size < HEAD) return false;
    const size_t n = (size_t)bytes[80] | (size_t)bytes[81] << 8 | (size_t)bytes[82] << 16 |
                     (size_t)bytes[83] << 24;
    return size - HEAD == n * PER_TRIANGLE;
}

static pcs_status read_into(const char *bytes, size_t size, const char *name, pcs_mesh_file *f)
{
    if (is_binary((const unsigned char *)bytes, size)) {
        f->format = PCS_MESH_FORMAT_STL_BINARY;
        return stl_read_binary(name, (const unsigned char *)bytes, size, f);
    }
    text t = text_begin(name, bytes, size);
    if (size > 0 && memchr(bytes, 0, size)) {
        return text_fail(&t, PCS_ERR_FORMAT,
                         "this is no mesh file: it has bytes that are zero, and not the length that"
                         " a binary STL file states");
    }
    if (text_take_key(&t, "solid")) {
        f->format = PCS_MESH_FORMAT_STL;
        return stl_read(&t, f);
    }
    f->format = PCS_MESH_FORMAT_OBJ;
    return obj_read(&t, f);
}

pcs_status pcs_mesh_file_parse(const pcs_env *env, const char *bytes, size_t size, const char *name,
                               pcs_mesh_file **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mesh_file_parse: out is null");
    *out = NULL;
    if (!bytes && size > 0) return pcs_fail(PCS_ERR_ARG, "pcs_mesh_file_parse: bytes is null");
    if (!name) name = "mesh";
    pcs_mesh_file *f = pcs_env_alloc(env, 1, sizeof *f);
    struct pcs_mesh_memory *memory = pcs_env_alloc(env, 1, sizeof *memory);
    if (!f || !memory) {
        pcs_env_free(env, f);
        pcs_env_free(env, memory);
        return pcs_fail_memory("mesh file");
    }
    if (env) memory->env = *env;
    f->memory = memory;
    pcs_status status = read_into(bytes ? bytes : "", size, name, f);
    if (status == PCS_OK && f->n_triangles == 0) {
        status = pcs_fail(PCS_ERR_FORMAT, "%.200s: it has no triangles", name);
    }
    if (status != PCS_OK) {
        pcs_mesh_file_destroy(f);
        return status;
    }
    *out = f;
    return PCS_OK;
}

pcs_status pcs_mesh_file_read(const pcs_env *env, const char *path, pcs_mesh_file **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_mesh_file_read: out is null");
    *out = NULL;
    if (!path) return pcs_fail(PCS_ERR_ARG, "pcs_mesh_file_read: the path is null");
    char *bytes;
    size_t size;
    pcs_status status = bytes_load(env, path, NULL, &bytes, &size);
    if (status == PCS_OK) status = pcs_mesh_file_parse(env, bytes, size, path, out);
    pcs_env_free(env, bytes);
    return status;
}
