// Checks of a problem that a reader returns; see sound.h.
#include "sound.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/bodies.h>

static const char *unsound_block(const pcs_block *b)
{
    const bool box = b->cone == PCS_CONE_BOX;
    if ((box || b->cone == PCS_CONE_UNILATERAL) && b->dim != 1) return "a single row has many";
    if (b->cone == PCS_CONE_COULOMB && b->dim != 2 && b->dim != 3) return "a contact has odd rows";
    if (!(b->mu >= 0) || !isfinite(b->mu)) return "mu is not a coefficient";
    if (b->cone != PCS_CONE_COULOMB && !box && b->mu != 0) return "a row without friction has some";
    return NULL;
}

static const char *unsound_blocks(int nb, const pcs_block *block, const pcs_bsr *W, int n)
{
    int row = 0, at = 0;
    for (int i = 0; i < nb; ++i) {
        const pcs_block *b = &block[i];
        if (b->row != row || b->dim < 1) return "the cone blocks do not follow one another";
        const char *wrong = unsound_block(b);
        if (wrong) return wrong;
        while (W->row[at + 1] <= b->row) {
            ++at;
        }
        row += b->dim;
        if (row > W->row[at + 1]) return "a cone block crosses block rows of the matrix";
    }
    return row == n ? NULL : "the cone blocks do not cover the rows";
}

static bool finite(const double *x, size_t n)
{
    for (size_t i = 0; x && i < n; ++i) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

static const char *unsound_local(const pcs_problem_file *file)
{
    const pcs_problem *p = &file->problem;
    if (p->n != file->rows || file->velocities != 0) return "the counts of rows are wrong";
    if (pcs_bsr_check(&p->W) != PCS_OK) return pcs_error_text();
    if (p->W.m != p->W.n || p->W.row[p->W.m] != p->n) return "W has the wrong size";
    if (memcmp(p->W.row, p->W.col, ((size_t)p->W.m + 1) * sizeof(int)) != 0) {
        return "the partitions of W differ";
    }
    if (!finite(p->q, (size_t)p->n)) return "q is not finite";
    return unsound_blocks(p->nb, p->block, &p->W, p->n);
}

static const char *unsound_global(const pcs_problem_file *file)
{
    const pcs_global_problem *g = file->global;
    if (pcs_bsr_check(&g->H) != PCS_OK) return pcs_error_text();
    if (g->H.row[g->H.m] != file->rows) return "H has the wrong size";
    if (g->H.col[g->H.n] != file->velocities) return "H has not as many columns as velocities";
    if (pcs_mass_matrix_size(g->M) != file->velocities) return "M has the wrong size";
    if (!finite(g->f, (size_t)file->velocities)) return "f is not finite";
    if (!finite(g->w, (size_t)file->rows)) return "w is not finite";
    return unsound_blocks(g->nb, g->block, &g->H, file->rows);
}

static const char *unsound_bodies(const pcs_problem_file *file)
{
    const pcs_bodies_problem *b = file->bodies;
    if (pcs_bodies_check(b) != PCS_OK) return pcs_error_text();
    if (b->n != file->rows) return "the blocks have other rows than the file";
    if (b->start[b->ns] != file->velocities) return "the systems have other velocities";
    for (int i = 0; i < b->nb; ++i) {
        const pcs_bodies_block *k = &b->block[i];
        const pcs_block block = {.cone = k->cone, .dim = k->dim, .row = k->row, .mu = k->mu};
        const char *wrong = unsound_block(&block);
        if (wrong) return wrong;
    }
    return finite(file->start, (size_t)b->n) ? NULL : "the start is not finite";
}

static int contact_rows(const pcs_problem_file *file)
{
    int rows = 0;
    const pcs_block *block = file->global ? file->global->block : file->problem.block;
    for (int i = 0; i < (file->global ? file->global->nb : file->problem.nb); ++i) {
        if (block[i].cone == PCS_CONE_COULOMB) rows += block[i].dim;
    }
    for (int i = 0; i < (file->bodies ? file->bodies->nb : 0); ++i) {
        const pcs_bodies_block *k = &file->bodies->block[i];
        if (k->cone == PCS_CONE_COULOMB) rows += k->dim;
    }
    return rows;
}

const char *unsound(const pcs_problem_file *file)
{
    if (file->kind == PCS_FILE_ANY || file->format == PCS_FILE_FORMAT_BY_NAME) {
        return "the kind or the format is not known";
    }
    if (!file->has_matrix && !file->has_parts) return "no form is there";
    if (file->equalities + file->complementarities + contact_rows(file) != file->rows) {
        return "the kinds of rows do not add up";
    }
    const size_t rows = (size_t)file->rows, guesses = (size_t)file->guesses;
    if (!finite(file->r, rows) || !finite(file->u, rows) ||
        !finite(file->v, (size_t)file->velocities) || !finite(file->guess_r, guesses * rows) ||
        !finite(file->guess_u, guesses * rows)) {
        return "a solution or a guess is not finite";
    }
    if (file->bodies) return unsound_bodies(file);
    return file->global ? unsound_global(file) : unsound_local(file);
}

static void *count_bytes(size_t bytes, void *user)
{
    byte_count *count = user;
    if (bytes > count->limit - count->taken) {
        count->taken = count->limit + 1;
        return NULL;
    }
    count->taken += bytes;
    return malloc(bytes);
}

static void release(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

pcs_env counting_env(byte_count *count)
{
    return (pcs_env){.alloc = count_bytes, .release = release, .alloc_user = count};
}

size_t fair_memory(size_t size)
{
    return 65536 + 256 * size;
}

const char *read_as(pcs_file_kind kind, const char *text, size_t size, int *read)
{
    byte_count count = {.limit = fair_memory(size)};
    const pcs_env env = counting_env(&count);
    pcs_problem_file *file;
    const pcs_status status = pcs_problem_file_parse(&env, text, size, NULL, kind, &file);
    if (count.taken > count.limit) return "reading asked for far more memory than the text has";
    if (status == PCS_OK) {
        const char *wrong = unsound(file);
        if (wrong) return wrong;
        pcs_problem_file_destroy(file);
        *read += 1;
    } else if (status != PCS_ERR_FORMAT && status != PCS_ERR_SIZE && status != PCS_ERR_SINGULAR &&
               status != PCS_ERR_UNSUPPORTED && status != PCS_ERR_ARG) {
        return pcs_status_text(status);
    } else if (file) {
        return "a failure left an object";
    } else if (pcs_error_text()[0] == '\0') {
        return "a failure without a word";
    }
    return NULL;
}

const char *read_as_every_kind(const char *text, size_t size, int *read)
{
    for (pcs_file_kind kind = PCS_FILE_ANY; kind <= PCS_FILE_BODIES; ++kind) {
        const char *wrong = read_as(kind, text, size, read);
        if (wrong) return wrong;
    }
    return NULL;
}
