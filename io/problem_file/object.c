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
    pool_release(&pool);
}

static pcs_status condense(const pcs_problem_file *file, pcs_arena *arena, pcs_problem *out)
{
    return pcs_global_condense(file->global, arena, out);
}

pcs_status object_compress(const pcs_problem_file *file, pcs_arena *arena, pcs_problem *out)
{
    return pcs_problem_compress(&file->problem, arena, out);
}

pcs_status object_grow(pcs_problem_file *file, object_make *make, pcs_problem *out)
{
    const pcs_env *env = &file->memory->pool.env;
    pcs_arena *arena = &file->memory->arena;
    size_t demand = 0;
    for (;;) {
        arena->peak = &demand;
        const pcs_status status = make(file, arena, out);
        arena->peak = NULL;
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
    if (file->global && !memory->condensed) {
        pcs_problem local;
        PCS_TRY(object_grow(file, condense, &local));
        file->problem = local;
        memory->condensed = 1;
    }
    *out = &file->problem;
    return PCS_OK;
}
