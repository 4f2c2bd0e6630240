// Writing problem files: the format, the checks, and the writer of that format.
#include "problem_file/write.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "linalg/bsr.h"
#include "problem_file/assemble.h"
#include "problem_file/new_file.h"

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    if (n < m) return false;
    for (size_t i = 0; i < m; ++i) {
        if (tolower((unsigned char)path[n - m + i]) != ending[i]) return false;
    }
    return true;
}

static pcs_status choose_format(const char *path, pcs_file_format *format)
{
    if (*format == PCS_FILE_FORMAT_DAT || *format == PCS_FILE_FORMAT_FCLIB ||
        *format == PCS_FILE_FORMAT_TEXT) {
        return PCS_OK;
    }
    if (*format != PCS_FILE_FORMAT_BY_NAME) {
        return pcs_fail(PCS_ERR_ARG, "pcs_problem_file_write: format %d is unknown", (int)*format);
    }
    if (ends_with(path, ".dat")) {
        *format = PCS_FILE_FORMAT_DAT;
    } else if (ends_with(path, ".hdf5") || ends_with(path, ".h5")) {
        *format = PCS_FILE_FORMAT_FCLIB;
    } else if (ends_with(path, ".pcs")) {
        *format = PCS_FILE_FORMAT_TEXT;
    } else {
        return fail_named(path, PCS_ERR_ARG,
                          "the name ends neither in .pcs, .dat, .hdf5 nor .h5; say which format"
                          " to write");
    }
    return PCS_OK;
}

// ---- only a valid problem is written -----------------------------------------------------------

// makes M as entries; the arena grows to the demand
static pcs_status take_mass(const pcs_env *env, const pcs_mass_matrix *mass, pcs_arena *arena,
                            pcs_csc *out)
{
    size_t demand = 0;
    pcs_failure before;
    pcs_failure_keep(&before);
    for (;;) {
        arena->peak = &demand;
        const pcs_status status = pcs_mass_matrix_to_csc(mass, arena, out);
        arena->peak = NULL;
        if (status == PCS_OK) pcs_failure_restore(&before);
        if (status != PCS_ERR_MEMORY || demand <= arena->size) return status;
        pcs_arena_destroy(env, arena);
        PCS_TRY(pcs_arena_create(env, demand, arena));
    }
}

static pcs_status check_vector(const written *w, const char *what, const double *x, int n)
{
    if (n == 0 || pcs_all_finite(x, (size_t)n)) return PCS_OK;
    return fail_named(w->name, PCS_ERR_ARG, "%s has an entry that is not finite", what);
}

// a global problem is checked as the local one that has its blocks and the rows of H
static pcs_status check_global(written *w)
{
    const pcs_global_problem *g = w->content->global;
    if (!g->M || g->nb < 0 || (g->nb > 0 && !g->block)) {
        return fail_named(w->name, PCS_ERR_ARG, "the mass or the blocks of the problem are null");
    }
    PCS_TRY(pass_named(w->name, pcs_bsr_check(&g->H)));
    w->rows = bsr_rows(&g->H);
    w->velocities = pcs_mass_matrix_size(g->M);
    if (bsr_cols(&g->H) != w->velocities) {
        return fail_named(w->name, PCS_ERR_SIZE, "H has %d columns, the mass %d rows",
                          bsr_cols(&g->H), w->velocities);
    }
    if (w->velocities > 0 && !g->f) return fail_named(w->name, PCS_ERR_ARG, "f is null");
    PCS_TRY(check_vector(w, "f", g->f, w->velocities));
    if (g->w) PCS_TRY(check_vector(w, "w", g->w, w->rows));

    int row = 0;
    for (int i = 0; i < g->nb; ++i) {
        const pcs_block *b = &g->block[i];
        const bool coulomb = b->cone == PCS_CONE_COULOMB, box = b->cone == PCS_CONE_BOX;
        const bool good = b->row == row && b->dim >= 1 && b->dim <= w->rows - row &&
                          (b->cone == PCS_CONE_EQUALITY ||
                           ((box || b->cone == PCS_CONE_UNILATERAL) && b->dim == 1) ||
                           (coulomb && (b->dim == 2 || b->dim == 3))) &&
                          (coulomb || box ? b->mu >= 0 && isfinite(b->mu) : b->mu == 0);
        if (!good) {
            return fail_named(w->name, PCS_ERR_ARG,
                              "cone block %d of the problem is not valid (row %d, %d rows, mu %g)",
                              i, b->row, b->dim, b->mu);
        }
        row += b->dim;
    }
    if (row != w->rows) {
        return fail_named(w->name, PCS_ERR_SIZE, "the cone blocks cover %d rows, H has %d", row,
                          w->rows);
    }
    return PCS_OK;
}

// the diagonal blocks of M: the block columns of H, if M does not couple them
static pcs_status find_blocks(written *w, pcs_pool *scratch)
{
    const pcs_bsr *H = &w->content->global->H;
    const int nnz = w->M.p[w->velocities];
    int *column = pool_take_array(scratch, (size_t)nnz, sizeof *column);
    if (!column) return pcs_fail_memory("problem file");
    for (int j = 0; j < w->velocities; ++j) {
        for (int k = w->M.p[j]; k < w->M.p[j + 1]; ++k) {
            column[k] = j;
        }
    }
    w->M_entries = (entries){w->velocities, w->velocities, nnz, w->M.i, column, w->M.x};
    PCS_TRY(diagonal_blocks(&w->M_entries, scratch, &w->M_blocks));

    partition wanted = {.n = H->n, .start = H->col};
    bool empty = false;
    for (int j = 0; j < H->n; ++j) {
        empty = empty || H->col[j + 1] == H->col[j];
    }
    if (!empty && partition_refines(&w->M_blocks, &wanted)) w->M_blocks = wanted;
    return PCS_OK;
}

static pcs_status check_bodies(written *w, pcs_pool *scratch)
{
    const pcs_bodies_problem *b = w->content->bodies;
    PCS_TRY(pass_named(w->name, pcs_bodies_check(b)));
    w->rows = b->n;
    w->velocities = b->start[b->ns];
    w->nb = b->nb;
    pcs_block *block = POOL_TAKE(scratch, (size_t)b->nb, pcs_block);
    if (!block) return pcs_fail_memory("problem file");
    for (int i = 0; i < b->nb; ++i) {
        const pcs_bodies_block *k = &b->block[i];
        const bool bound = k->cone == PCS_CONE_COULOMB || k->cone == PCS_CONE_BOX;
        block[i] = (pcs_block){k->cone, k->row, k->dim, bound ? k->mu : 0};
    }
    w->block = block;
    if (!w->content->opts) return PCS_OK;
    PCS_TRY(pass_named(w->name, pcs_solver_opts_check(w->content->opts)));
    if (w->content->budget >= 0) return PCS_OK;
    return fail_named(w->name, PCS_ERR_ARG, "the budget is %g; it must not be negative",
                      w->content->budget);
}

static pcs_status check(const pcs_env *env, written *w, pcs_arena *arena, pcs_pool *scratch)
{
    const pcs_file_content *c = w->content;
    if (!c->problem + !c->global + !c->bodies != 2) {
        return fail_named(w->name, PCS_ERR_ARG,
                          "one problem must be given to be written: local, global or of bodies");
    }
    if (c->problem) {
        PCS_TRY(pass_named(w->name, pcs_problem_check(c->problem)));
        w->rows = c->problem->n;
        w->nb = c->problem->nb;
        w->block = c->problem->block;
    } else if (c->bodies) {
        PCS_TRY(check_bodies(w, scratch));
    } else {
        PCS_TRY(check_global(w));
        w->nb = c->global->nb;
        w->block = c->global->block;
        PCS_TRY(take_mass(env, c->global->M, arena, &w->M));
        PCS_TRY(find_blocks(w, scratch));
    }
    w->kind = kind_of(w->nb, w->block, c->global != NULL);
    if (c->v && c->problem) {
        return fail_named(w->name, PCS_ERR_ARG, "a local problem has no velocities v");
    }
    if (c->start) PCS_TRY(check_vector(w, "start", c->start, w->rows));
    if (c->r) PCS_TRY(check_vector(w, "r", c->r, w->rows));
    if (c->u) PCS_TRY(check_vector(w, "u", c->u, w->rows));
    if (c->v) PCS_TRY(check_vector(w, "v", c->v, w->velocities));
    return PCS_OK;
}

// ---- matrices as blocks ------------------------------------------------------------------------

static pcs_status without_empty(int n, const int *start, pcs_pool *scratch, partition *out)
{
    *out = (partition){.start = POOL_TAKE(scratch, (size_t)n + 1, int)};
    if (!out->start) return pcs_fail_memory("problem file");
    for (int b = 0; b < n; ++b) {
        if (start[b + 1] > start[b]) out->start[++out->n] = start[b + 1];
    }
    return PCS_OK;
}

static pcs_status blocks_of(const entries *A, partition row, partition col, const char *name,
                            pcs_pool *scratch, pcs_bsr *out)
{
    block_order order;
    PCS_TRY(entries_order(A, row, col, scratch, &order));
    return entries_to_bsr(A, &order, name, scratch, out);
}

pcs_status written_W(const written *w, pcs_pool *scratch, pcs_bsr *out)
{
    const pcs_bsr *W = &w->content->problem->W;
    partition part;
    PCS_TRY(without_empty(W->m, W->row, scratch, &part));
    *out = *W;
    if (part.n == W->m) return PCS_OK;
    entries A;
    PCS_TRY(bsr_to_entries(W, true, scratch, &A));
    return blocks_of(&A, part, part, w->name, scratch, out);
}

pcs_status written_M(const written *w, pcs_pool *scratch, pcs_bsr *out, bool *worth)
{
    size_t values = 0;
    for (int b = 0; b < w->M_blocks.n; ++b) {
        const size_t n = (size_t)(w->M_blocks.start[b + 1] - w->M_blocks.start[b]);
        values += n * n;
    }
    *worth = values <= 16 * (size_t)w->M_entries.n + 4096;
    if (!*worth) return PCS_OK;
    return blocks_of(&w->M_entries, w->M_blocks, w->M_blocks, w->name, scratch, out);
}

pcs_status written_H(const written *w, bool transposed, pcs_pool *scratch, pcs_bsr *out)
{
    const pcs_bsr *H = &w->content->global->H;
    partition row, col;
    entries A;
    PCS_TRY(without_empty(H->m, H->row, scratch, &row));
    PCS_TRY(without_empty(H->n, H->col, scratch, &col));
    PCS_TRY(bsr_to_entries(H, true, scratch, &A));
    if (!transposed) return blocks_of(&A, row, col, w->name, scratch, out);
    A = entries_transposed(&A);
    return blocks_of(&A, col, row, w->name, scratch, out);
}

// ---- files --------------------------------------------------------------------------------------

static pcs_status put(const written *w, pcs_file_format format, pcs_pool *scratch, sink *s)
{
    switch (format) {
    case PCS_FILE_FORMAT_DAT:
        return dat_write(w, scratch, s);
    case PCS_FILE_FORMAT_FCLIB:
        return fclib_write(w, scratch, s);
    case PCS_FILE_FORMAT_TEXT:
        return native_write(w, scratch, s);
    case PCS_FILE_FORMAT_BY_NAME:
        break;
    }
    return PCS_ERR_ARG;
}

static pcs_status write_content(const pcs_env *env, const char *path, pcs_file_format format,
                                const pcs_file_content *content)
{
    written w = {.name = path, .content = content};
    pcs_arena arena = {0};
    pcs_pool scratch = pool_begin(env);
    sink s = sink_begin(env);
    pcs_status status = check(env, &w, &arena, &scratch);
    if (status == PCS_OK) status = put(&w, format, &scratch, &s);
    if (status == PCS_OK && s.failed) status = pcs_fail_memory(path);
    pool_release(&scratch);
    pcs_arena_destroy(env, &arena);
    if (status == PCS_OK) status = store(path, s.bytes ? s.bytes : "", s.size);
    sink_end(&s);
    return status;
}

// ---- bodies in a format of matrices ------------------------------------------------------------

// the rows of x in the order of the blocks; null for null
static const double *in_order(const pcs_bodies_problem *b, const int *order, const double *x,
                              pcs_pool *pool, bool *good)
{
    if (!x) return NULL;
    double *y = POOL_TAKE(pool, (size_t)b->n, double);
    *good = *good && y;
    for (int i = 0, row = 0; y && i < b->nb; ++i) {
        const pcs_bodies_block *k = &b->block[order[i]];
        memcpy(y + row, x + k->row, (size_t)k->dim * sizeof *y);
        row += k->dim;
    }
    return y;
}

// the same problem with the blocks that have friction first
static pcs_status contacts_first(const pcs_file_content *c, pcs_pool *pool, pcs_bodies_problem *b,
                                 pcs_file_content *out)
{
    const pcs_bodies_problem *from = c->bodies;
    int *order = POOL_TAKE(pool, (size_t)from->nb, int);
    pcs_bodies_block *block = POOL_TAKE(pool, (size_t)from->nb, pcs_bodies_block);
    bool good = order && block;
    int n = 0;
    for (int pass = 0; good && pass < 2; ++pass) {
        for (int i = 0; i < from->nb; ++i) {
            if ((from->block[i].cone != PCS_CONE_COULOMB) == pass) order[n++] = i;
        }
    }
    for (int i = 0, row = 0; good && i < n; ++i) {
        block[i] = from->block[order[i]];
        block[i].row = row;
        row += block[i].dim;
    }
    *b = *from;
    *out = *c;
    if (good) {
        b->block = block;
        b->shift = in_order(from, order, from->shift, pool, &good);
        out->r = in_order(from, order, c->r, pool, &good);
        out->u = in_order(from, order, c->u, pool, &good);
        out->start = in_order(from, order, c->start, pool, &good);
    }
    return good ? PCS_OK : pcs_fail_memory("problem file");
}

static pcs_status write_as_global(const pcs_env *env, const char *path, pcs_file_format format,
                                  const pcs_file_content *content)
{
    pcs_bodies_problem b;
    pcs_file_content c;
    pcs_global_problem g;
    pcs_mass_matrix *M = NULL;
    pcs_arena arena = {0};
    pcs_failure before;
    PCS_TRY(pass_named(path, pcs_bodies_check(content->bodies)));
    pcs_failure_keep(&before);
    pcs_pool pool = pool_begin(env);
    pcs_status status = contacts_first(content, &pool, &b, &c);
    for (size_t demand = 0; status == PCS_OK;) {
        arena.peak = &demand;
        status = pcs_bodies_to_global(env, &b, &arena, &M, &g);
        arena.peak = NULL;
        if (status != PCS_ERR_MEMORY || demand <= arena.size) break;
        pcs_arena_destroy(env, &arena);
        status = pcs_arena_create(env, demand, &arena);
    }
    if (status == PCS_OK) pcs_failure_restore(&before);
    status = pass_named(path, status);
    c.bodies = NULL;
    c.global = &g;
    if (status == PCS_OK) status = write_content(env, path, format, &c);
    pcs_mass_matrix_destroy(M);
    pcs_arena_destroy(env, &arena);
    pool_release(&pool);
    return status;
}

pcs_status pcs_problem_file_write(const pcs_env *env, const char *path, pcs_file_format format,
                                  const pcs_file_content *content)
{
    if (!path || !content) {
        return pcs_fail(PCS_ERR_ARG, "pcs_problem_file_write: an argument is null");
    }
    PCS_TRY(choose_format(path, &format));
    if (content->bodies && format != PCS_FILE_FORMAT_TEXT && !content->problem && !content->global)
        return write_as_global(env, path, format, content);
    return write_content(env, path, format, content);
}
