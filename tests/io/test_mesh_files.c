// OBJ and STL files: one surface in every format, and every kind of malformed file.
#include <percuss/inertia.h>
#include <percuss/mesh_file.h>

#include <stdio.h>

#include "support.h"

// a box of 2 x 3 x 4 about (1, 1, 1), by its corners and quadrangles seen from outside
static const double corner[8][3] = {{0, -0.5, -1}, {2, -0.5, -1}, {2, 2.5, -1}, {0, 2.5, -1},
                                    {0, -0.5, 3},  {2, -0.5, 3},  {2, 2.5, 3},  {0, 2.5, 3}};
static const int side[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                               {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static void put(char *bytes, size_t *size, const void *from, size_t n)
{
    memcpy(bytes + *size, from, n);
    *size += n;
}

static void put_text(char *bytes, size_t *size, const char *words)
{
    put(bytes, size, words, strlen(words));
}

static size_t as_obj(char *out)
{
    size_t size = 0;
    char line[100];
    put_text(out, &size, "# a box\nmtllib none.mtl\no box\n");
    for (int i = 0; i < 8; ++i) {
        snprintf(line, sizeof line, "v %g %g %g\r\n", corner[i][0], corner[i][1], corner[i][2]);
        put_text(out, &size, line);
    }
    put_text(out, &size, "vn 0 0 1\nvt 0 0\ns off\n");
    for (int i = 0; i < 6; ++i) {
        // numbers of every form, and a line that continues on the next one
        const int *s = side[i];
        snprintf(line, sizeof line, "f %d %d//1 \\\n%d/1/1 %d\n", s[0] + 1, s[1] + 1, s[2] + 1,
                 s[3] - 8);
        put_text(out, &size, line);
    }
    return size;
}

static size_t as_stl(char *out, bool binary)
{
    size_t size = 0;
    const float zero[3] = {0, 0, 0};
    const uint32_t n = 12;
    if (binary) {
        char head[80] = "solid by name, but binary";
        put(out, &size, head, sizeof head);
        put(out, &size, &n, sizeof n);
    } else {
        put_text(out, &size, "solid a box\n");
    }
    for (int i = 0; i < 12; ++i) {
        const int *s = side[i / 2], k[3] = {s[0], s[1 + i % 2], s[2 + i % 2]};
        if (binary) put(out, &size, zero, sizeof zero);
        if (!binary) put_text(out, &size, " facet normal nan nan(ind) 0\n  outer loop\n");
        for (int c = 0; c < 3; ++c) {
            const double *x = corner[k[c]];
            const float single[3] = {(float)x[0], (float)x[1], (float)x[2]};
            char line[100];
            snprintf(line, sizeof line, "   vertex %e %e %e\n", x[0], x[1], x[2]);
            if (binary) put(out, &size, single, sizeof single);
            if (!binary) put_text(out, &size, line);
        }
        if (binary) put(out, &size, "\0\0", 2);
        if (!binary) put_text(out, &size, "  endloop\n endfacet\n");
    }
    if (!binary) put_text(out, &size, "endsolid a box");
    return size;
}

static size_t as_format(pcs_mesh_format format, char *out)
{
    return format == PCS_MESH_FORMAT_OBJ ? as_obj(out)
                                         : as_stl(out, format == PCS_MESH_FORMAT_STL_BINARY);
}

TEST(every_format_has_the_same_box)
{
    for (pcs_mesh_format format = PCS_MESH_FORMAT_OBJ; format <= PCS_MESH_FORMAT_STL_BINARY;
         ++format) {
        char bytes[10000];
        const size_t size = as_format(format, bytes);
        pcs_mesh_file *f;
        pcs_inertia box;
        CK_OK(pcs_mesh_file_parse(NULL, bytes, size, NULL, &f));
        ck_assert_int_eq(f->format, format);
        ck_assert_int_eq(f->n_triangles, 12);
        CK_OK(
            pcs_inertia_of_mesh(f->n_vertices, f->vertices, f->n_triangles, f->triangles, 1, &box));
        CK_NEAR(box.m, 24, 1e-13);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(box.G[i], 1, 1e-14);
        }
        pcs_mesh_file_destroy(f);
    }
}

static const struct {
    const char *text, *words;
} wrong[] = {
    {"", "no triangles"},
    {"v 0 0 0\n", "no triangles"},
    {"v 0 0\nf 1 1 1\n", "mesh:1"},
    {"v 0 0 x\n", "mesh:1"},
    {"v 0 0 nan\n", "mesh:1"},
    {"v 0 0 1e999\n", "mesh:1"},
    {"v 0 0 0\nf 1 1\n", "at least 3"},
    {"v 0 0 0\nf 1 1 2\n", "mesh:2: a face has the vertex 2; there are 1"},
    {"v 0 0 0\nf 0 1 1\n", "the vertex 0"},
    {"v 0 0 0\nf -2 1 1\n", "the vertex -2"},
    {"v 0 0 0\nf 1 1 99999999999\n", "mesh:2"},
    {"curv 0 1\n", "mesh:1"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "mesh:6"},
    {"solid\n", "end of the file"},
    {"solid\nendsolid", "no triangles"},
    {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "mesh:4"},
};

TEST(a_malformed_file_is_refused)
{
    pcs_mesh_file *f;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        CK_FAILS(pcs_mesh_file_parse(NULL, wrong[i].text, strlen(wrong[i].text), NULL, &f),
                 PCS_ERR_FORMAT);
        ck_assert_msg(strstr(pcs_error_text(), wrong[i].words), "%s: %s", wrong[i].text,
                      pcs_error_text());
        ck_assert_ptr_null(f);
    }
    // a header that promises more triangles than follow, or fewer
    char bytes[10000];
    const size_t size = as_stl(bytes, true);
    for (size_t cut = 1; cut < size; ++cut) {
        CK_FAILS(pcs_mesh_file_parse(NULL, bytes, size - cut, NULL, &f), PCS_ERR_FORMAT);
    }
    const float nan_number = NAN;
    memcpy(bytes + 84 + 12, &nan_number, sizeof nan_number);
    CK_FAILS(pcs_mesh_file_parse(NULL, bytes, size, NULL, &f), PCS_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "corner 0 of triangle 0"));
    CK_FAILS(pcs_mesh_file_read(NULL, "no/such/file.stl", &f), PCS_ERR_FILE);
    CK_FAILS(pcs_mesh_file_read(NULL, "/", &f), PCS_ERR_FILE);
}

TEST(every_allocation_may_fail)
{
    for (pcs_mesh_format format = PCS_MESH_FORMAT_OBJ; format <= PCS_MESH_FORMAT_STL_BINARY;
         ++format) {
        char bytes[10000];
        const size_t size = as_format(format, bytes);
        bool done = false;
        for (long k = 0; !done; ++k) {
            test_memory memory = {.fail_at = k};
            const pcs_env env = test_env(&memory);
            pcs_mesh_file *f;
            const pcs_status status = pcs_mesh_file_parse(&env, bytes, size, NULL, &f);
            done = status == PCS_OK;
            if (!done) ck_assert_int_eq(status, PCS_ERR_MEMORY);
            pcs_mesh_file_destroy(f);
            ck_assert_int_eq(memory.live, 0);
        }
    }
}
