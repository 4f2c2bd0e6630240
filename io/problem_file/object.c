// The file object: its memory, and the local form of a global problem on demand.
#include "problem_file/object.h"

#include "base/base.h"

const char *pcs_file_kind_text(pcs_file_kind kind)
{
    switch (kind) {
        PCS_FILE_KIND_LIST(TEXT_CASE)
    }
    return "unknown kind";
}

const char *pcs_file_format_text(pcs_file_format format)
{
    switch (format) {
        PCS_FILE_FORMAT_LIST(TEXT_CASE)
    }
    return "unknown format";
}

// the object lives in the pool that it points to
pcs_status object_begin(const pcs_env *env, pcs_problem_file **out)
{
    pcs_pool pool = pool_begin(env);
    pcs_problem_file *file = POOL_TAKE(&pool, 1, pcs_problem_file);
    struct pcs_file_memory *memory = POOL_TAKE(&pool, 1, struct pcs_file_memory);
    if (!file || !memory) {
        pool_release(&pool);
        return pcs_fail_memory("problem file");
    }
    memory->pool = pool;
    file->memory = memory;
    *out = file;
    return PCS_OK;
}

void pcs_problem_file_destroy(pcs_problem_file *file)
{
    if (!file) return;
    pcs_pool pool = file->memory->pool;
    pcs_mass_matrix_destroy(file->memory->mass);
    pcs_arena_destroy(&pool.env, &file->memory->arena);
    pcs_arena_destroy(&pool.env, &file->memory->converted);
    pool_release(&pool);
}

static pcs_status condense(pcs_problem_file *file, pcs_arena *arena)
{
    pcs_problem local;
    PCS_TRY(file->bodies ? pcs_bodies_condense(file->bodies, arena, &local)
                         : pcs_global_condense(file->global, arena, &local));
    file->problem = local;
    return PCS_OK;
}

pcs_status object_compress(pcs_problem_file *file, pcs_arena *arena)
{
    pcs_problem small;
    PCS_TRY(pcs_problem_compress(&file->problem, arena, &small));
    file->problem = small;
    return PCS_OK;
}

static pcs_status convert(pcs_problem_file *file, pcs_arena *arena)
{
    struct pcs_file_memory *m = file->memory;
    return pcs_bodies_to_global(&m->pool.env, file->bodies, arena, &m->mass, &m->global);
}

pcs_status object_grow(pcs_problem_file *file, object_make *make, pcs_arena *arena)
{
    const pcs_env *env = &file->memory->pool.env;
    size_t demand = 0;
    pcs_failure before;
    pcs_failure_keep(&before);
    for (;;) {
        arena->peak = &demand;
        const pcs_status status = make(file, arena);
        arena->peak = NULL;
        if (status == PCS_OK) pcs_failure_restore(&before);
        if (status != PCS_ERR_MEMORY || demand <= arena->size) return status;
        pcs_arena_destroy(env, arena);
        PCS_TRY(pcs_arena_create(env, demand, arena));
    }
}

pcs_status pcs_problem_file_local(pcs_problem_file *file, const pcs_problem **out)
{
    if (out) *out = NULL;
    if (!file || !out) return pcs_fail(PCS_ERR_ARG, "pcs_problem_file_local: an argument is null");
    struct pcs_file_memory *memory = file->memory;
    if ((file->global || file->bodies) && !memory->has_local) {
        PCS_TRY(object_grow(file, condense, &memory->arena));
        memory->has_local = true;
    }
    *out = &file->problem;
    return PCS_OK;
}

pcs_status pcs_problem_file_global(pcs_problem_file *file, const pcs_global_problem **out)
{
    if (out) *out = NULL;
    if (!file || !out) return pcs_fail(PCS_ERR_ARG, "pcs_problem_file_global: an argument is null");
    struct pcs_file_memory *memory = file->memory;
    if (!file->global && !file->bodies) {
        return pcs_fail(PCS_ERR_UNSUPPORTED, "pcs_problem_file_global: the file holds a local"
                                             " problem; pcs_problem_to_global makes it global");
    }
    if (file->bodies && !memory->has_global) {
        PCS_TRY(object_grow(file, convert, &memory->converted));
        memory->has_global = true;
    }
    *out = &memory->global;
    return PCS_OK;
}
