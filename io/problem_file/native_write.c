// The text form of percuss, written with all digits: reading it gives the same problem.
#include <string.h>

#include "base/base.h"
#include "linalg/bsr.h"
#include "problem_file/native.h"

// writes each line of a text with the same word in front
static void put_words(sink *s, const char *key, const char *words)
{
    while (words && *words) {
        const size_t length = strcspn(words, "\n");
        sink_text(s, key);
        sink_text(s, " ");
        sink_bytes(s, words, length);
        sink_text(s, "\n");
        words += length + (words[length] == '\n');
    }
}

void native_put_vector(sink *s, const char *name, size_t n, const double *x)
{
    sink_text(s, name);
    sink_text(s, "\n");
    for (size_t i = 0; i < n; ++i) {
        sink_real(s, x ? x[i] : 0);
        if (i % 6 == 5) sink_line(s);
    }
    sink_line(s);
}

void native_put_cone(sink *s, const pcs_block *b)
{
    switch (b->cone) {
    case PCS_CONE_EQUALITY:
        sink_text(s, "equality ");
        sink_int(s, b->dim);
        break;
    case PCS_CONE_UNILATERAL:
        sink_text(s, "unilateral");
        break;
    case PCS_CONE_COULOMB:
        sink_text(s, "coulomb ");
        sink_int(s, b->dim);
        sink_real(s, b->mu);
        break;
    case PCS_CONE_BOX:
        sink_text(s, "box ");
        sink_real(s, b->mu);
        break;
    }
    sink_line(s);
}

static void put_cones(const written *w, sink *s)
{
    sink_text(s, "cones ");
    sink_int(s, w->nb);
    sink_line(s);
    for (int i = 0; i < w->nb; ++i) {
        native_put_cone(s, &w->block[i]);
    }
}

static void put_widths(sink *s, int n, const int *start)
{
    for (int b = 0; b < n; ++b) {
        sink_int(s, start[b + 1] - start[b]);
    }
    sink_line(s);
}

static void put_blocks(sink *s, const char *name, const pcs_bsr *A)
{
    sink_text(s, name);
    sink_text(s, " blocks ");
    sink_ints(s, 3, (int[]){A->m, A->n, A->ptr[A->m]});
    put_widths(s, A->m, A->row);
    put_widths(s, A->n, A->col);
    for (int i = 0; i < A->m; ++i) {
        const size_t h = (size_t)(A->row[i + 1] - A->row[i]);
        for (int k = A->ptr[i]; k < A->ptr[i + 1]; ++k) {
            const int j = A->idx[k];
            sink_ints(s, 2, (int[]){i, j});
            for (int c = 0; c < A->col[j + 1] - A->col[j]; ++c) {
                sink_reals(s, h, A->val + A->off[k] + h * (size_t)c);
            }
        }
    }
}

static void put_entries(sink *s, const char *name, const entries *A)
{
    sink_text(s, name);
    sink_text(s, " entries ");
    sink_ints(s, 3, (int[]){A->rows, A->cols, A->n});
    for (int k = 0; k < A->n; ++k) {
        sink_int(s, A->i[k]);
        sink_int(s, A->j[k]);
        sink_real(s, A->x[k]);
        sink_line(s);
    }
}

static pcs_status put_global(const written *w, pcs_pool *scratch, sink *s)
{
    const pcs_global_problem *g = w->content->global;
    pcs_bsr M, H;
    bool worth;
    PCS_TRY(written_M(w, scratch, &M, &worth));
    PCS_TRY(written_H(w, false, scratch, &H));
    if (worth) {
        put_blocks(s, "M", &M);
    } else {
        put_entries(s, "M", &w->M_entries);
    }
    put_blocks(s, "H", &H);
    native_put_vector(s, "f", (size_t)w->velocities, g->f);
    native_put_vector(s, "w", (size_t)w->rows, g->w);
    return PCS_OK;
}

pcs_status native_write(const written *w, pcs_pool *scratch, sink *s)
{
    const pcs_file_content *c = w->content;
    sink_text(s, "percuss-problem 1\n");
    put_words(s, "title", c->title);
    put_words(s, "description", c->description);
    put_words(s, "math_info", c->math_info);
    sink_text(s, c->bodies ? "bodies\n" : c->global ? "global\n" : "local\n");
    if (!c->bodies) put_cones(w, s);
    if (c->bodies) {
        PCS_TRY(bodies_text_write(w, scratch, s));
    } else if (c->global) {
        PCS_TRY(put_global(w, scratch, s));
    } else {
        pcs_bsr W;
        PCS_TRY(written_W(w, scratch, &W));
        put_blocks(s, "W", &W);
        native_put_vector(s, "q", (size_t)w->rows, c->problem->q);
    }
    if (c->start) native_put_vector(s, "start", (size_t)w->rows, c->start);
    if (c->bodies && c->opts) bodies_text_put_options(s, c);
    if (c->r) native_put_vector(s, "r", (size_t)w->rows, c->r);
    if (c->u) native_put_vector(s, "u", (size_t)w->rows, c->u);
    if (c->v) native_put_vector(s, "v", (size_t)w->velocities, c->v);
    sink_text(s, "end\n");
    return PCS_OK;
}
