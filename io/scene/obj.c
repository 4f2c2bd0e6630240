// OBJ: lines of a key and its values.
//
//     v X Y Z [W] [R G B]       a vertex; values after the coordinates are skipped
//     f A B C ...               a face: numbers of vertices from 1, or from the last one back (-1);
//                               A/T/N has the numbers of texture and normal, too, which are not
//                               read
//
// A line that ends with a backslash continues in the next one; # begins a comment.
#include "scene/mesh_file.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"

// skips blanks, and the end of a line that continues
static void skip_blanks(text *t)
{
    for (; t->at < t->end; ++t->at) {
        if (*t->at == ' ' || *t->at == '\t' || *t->at == '\r') continue;
        const bool goes_on = *t->at == '\\' && t->end - t->at > 1 &&
                             (t->at[1] == '\n' || (t->at[1] == '\r' && t->end - t->at > 2));
        if (!goes_on) return;
        t->at += t->at[1] == '\n' ? 1 : 2;
    }
}

static bool at_line_end(text *t)
{
    skip_blanks(t);
    return t->at == t->end || *t->at == '\n' || *t->at == '#';
}

static void skip_line(text *t)
{
    while (t->at < t->end && *t->at != '\n') {
        t->at += 1;
    }
    if (t->at < t->end) t->at += 1;
}

static pcs_status vertex(text *t, pcs_mesh_file *f)
{
    double x[3];
    for (int i = 0; i < 3; ++i) {
        if (at_line_end(t)) {
            return text_fail(t, PCS_ERR_FORMAT, "a vertex has %d coordinates; it must have 3", i);
        }
        PCS_TRY(text_real(t, "a coordinate", &x[i]));
    }
    return mesh_add_vertex(f, x);
}

// A, A/T, A//N or A/T/N: the vertex, from 0
static pcs_status corner(text *t, const pcs_mesh_file *f, int *out)
{
    int number;
    text own = *t; // up to the slash or the blank
    for (own.end = t->at; own.end < t->end && !strchr("/ \t\r\n", *own.end);) {
        own.end += 1;
    }
    PCS_TRY(text_int(&own, "a number of a vertex", -INT_MAX, INT_MAX, "", &number));
    *out = number > 0 ? number - 1 : f->n_vertices + number;
    if (number == 0 || *out < 0 || *out >= f->n_vertices) {
        return text_fail(t, PCS_ERR_FORMAT,
                         "a face has the vertex %d; there are %d so far, counted from 1", number,
                         f->n_vertices);
    }
    while (t->at < t->end && !strchr(" \t\r\n", *t->at)) {
        t->at += 1;
    }
    return PCS_OK;
}

static pcs_status face(text *t, pcs_mesh_file *f)
{
    int first = 0, before = 0, n = 0;
    for (; !at_line_end(t); ++n) {
        int next;
        PCS_TRY(corner(t, f, &next));
        if (n == 0) first = next;
        if (n >= 2) PCS_TRY(mesh_add_triangle(f, first, before, next));
        before = next;
    }
    if (n >= 3) return PCS_OK;
    return text_fail(t, PCS_ERR_FORMAT, "a face has %d vertices; it must have at least 3", n);
}

static bool passed_over(text *t)
{
    static const char *const keys[] = {"vn", "vt", "vp", "o",      "g",
                                       "s",  "l",  "p",  "mtllib", "usemtl"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (text_take_key(t, keys[i])) return true;
    }
    return false;
}

pcs_status obj_read(text *t, pcs_mesh_file *f)
{
    for (;; skip_line(t)) {
        if (at_line_end(t)) {
            if (t->at == t->end) return PCS_OK;
        } else if (text_take_key(t, "v")) {
            PCS_TRY(vertex(t, f));
        } else if (text_take_key(t, "f")) {
            PCS_TRY(face(t, f));
        } else if (!passed_over(t)) {
            return text_expected(t, "v, f or another key of an OBJ file");
        }
    }
}
