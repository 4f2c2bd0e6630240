// What a reader must have seen to before it hands out a problem.
#include "sound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *unsound_blocks(const pcs_problem *p)
{
    int row = 0, at = 0;
    for (int i = 0; i < p->nb; ++i) {
        const pcs_block *b = &p->block[i];
        if (b->row != row || b->dim < 1) return "the cone blocks do not follow one another";
        if (b->cone == PCS_UNILATERAL && b->dim != 1) return "a unilateral block has many rows";
        if (b->cone == PCS_COULOMB && b->dim != 2 && b->dim != 3) return "a contact has odd rows";
        if (!(b->mu >= 0) || !isfinite(b->mu)) return "mu is not a coefficient";
        if (b->cone != PCS_COULOMB && b->mu != 0) return "a row without friction has some";
        while (p->W.row[at + 1] <= b->row) {
            ++at;
        }
        row += b->dim;
        if (row > p->W.row[at + 1]) return "a cone block crosses block rows of W";
    }
    return row == p->n ? NULL : "the cone blocks do not cover the rows";
}

const char *unsound(const pcs_problem_file *file)
{
    const pcs_problem *p = &file->problem;
    if (file->kind == PCS_FILE_ANY) return "the kind is not known";
    if (!file->has_matrix && !file->has_parts) return "no form is there";
    const int dim = file->kind == PCS_FILE_FC2D ? 2 : 3;
    if (file->equalities + file->complementarities + dim * file->contacts != p->n) {
        return "the kinds of rows do not add up";
    }

    if (pcs_bsr_check(&p->W) != PCS_OK) return pcs_error_text();
    if (p->W.m != p->W.n || p->W.row[p->W.m] != p->n) return "W has the wrong size";
    if (memcmp(p->W.row, p->W.col, ((size_t)p->W.m + 1) * sizeof(int)) != 0) {
        return "the partitions of W differ";
    }
    for (int i = 0; i < p->n; ++i) {
        if (!isfinite(p->q[i])) return "q is not finite";
    }
    return unsound_blocks(p);
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
    return 65536 + 64 * size;
}

const char *read_as_every_kind(const char *text, size_t size, int *read)
{
    for (pcs_file_kind kind = PCS_FILE_ANY; kind <= PCS_FILE_FC2D; ++kind) {
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
        } else if (status != PCS_ERR_FORMAT && status != PCS_ERR_SIZE) {
            return pcs_status_text(status);
        } else if (file) {
            return "a failure left an object";
        } else if (pcs_error_text()[0] == '\0') {
            return "a failure without a word";
        }
    }
    return NULL;
}
