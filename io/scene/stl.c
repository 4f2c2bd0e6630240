// STL: triangles with three corners each. Text, after "solid NAME":
//
//     facet normal NX NY NZ
//       outer loop
//         vertex X Y Z          three of them
//       endloop
//     endfacet
//     ...
//     endsolid NAME
//
// Binary: 80 bytes of any content, the number of triangles (4 bytes), then for each the normal and
// three corners (12 floats) and two bytes; little-endian.
#include "scene/mesh_file.h"

#include <string.h>

#include "base/base.h"

static pcs_status corner(text *t, pcs_mesh_file *f)
{
    double x[3];
    PCS_TRY(text_word(t, "vertex"));
    for (int i = 0; i < 3; ++i) {
        PCS_TRY(text_real(t, "a coordinate", &x[i]));
    }
    return mesh_add_vertex(f, x);
}

// moves to the end of the line, or of the file
static void skip_line(text *t)
{
    while (t->at < t->end && *t->at != '\n') {
        t->at += 1;
    }
}

// a component of a normal, which some programs write as nan
static void skip_number(text *t)
{
    while (t->at < t->end && strchr(" \t\r\n", *t->at)) {
        t->at += 1;
    }
    while (t->at < t->end && !strchr(" \t\r\n", *t->at)) {
        t->at += 1;
    }
}

static pcs_status facet(text *t, pcs_mesh_file *f)
{
    PCS_TRY(text_word(t, "normal"));
    for (int i = 0; i < 3; ++i) {
        skip_number(t);
    }
    PCS_TRY(text_word(t, "outer"));
    PCS_TRY(text_word(t, "loop"));
    for (int k = 0; k < 3; ++k) {
        PCS_TRY(corner(t, f));
    }
    PCS_TRY(text_word(t, "endloop"));
    PCS_TRY(text_word(t, "endfacet"));
    return mesh_add_triangle(f, f->n_vertices - 3, f->n_vertices - 2, f->n_vertices - 1);
}

pcs_status stl_read(text *t, pcs_mesh_file *f)
{
    skip_line(t); // the name
    for (;;) {
        if (text_take_key(t, "facet")) {
            PCS_TRY(facet(t, f));
        } else if (text_take_key(t, "endsolid")) {
            // a file may have several solids
            skip_line(t);
            if (text_at_end(t)) return PCS_OK;
            PCS_TRY(text_word(t, "solid"));
            skip_line(t);
        } else {
            return text_expected(t, "facet or endsolid");
        }
    }
}

static double real_at(const unsigned char *b)
{
    const uint32_t bits =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

pcs_status stl_read_binary(const char *name, const unsigned char *bytes, size_t size,
                           pcs_mesh_file *f)
{
    size_t number = 0;
    for (const unsigned char *b = bytes + 84; b < bytes + size; b += 50, ++number) {
        for (int k = 0; k < 3; ++k) {
            double x[3];
            for (int i = 0; i < 3; ++i) {
                x[i] = real_at(b + 12 + 12 * k + 4 * i);
            }
            if (!pcs_all_finite(x, 3)) {
                return pcs_fail(PCS_ERR_FORMAT,
                                "%.200s: corner %d of triangle %zu has a coordinate that is not"
                                " finite",
                                name, k, number);
            }
            PCS_TRY(mesh_add_vertex(f, x));
        }
        PCS_TRY(mesh_add_triangle(f, f->n_vertices - 3, f->n_vertices - 2, f->n_vertices - 1));
    }
    return PCS_OK;
}
