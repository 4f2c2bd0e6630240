// A list of allocations; each is preceded by the address of the previous one.
#include "problem_file/pool.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"

typedef union pool_chunk {
    union pool_chunk *previous;
    max_align_t align; // the memory after it is aligned like malloc
} pool_chunk;

pcs_pool pool_begin(const pcs_env *env)
{
    return (pcs_pool){.env = env ? *env : (pcs_env){0}};
}

void *pool_take_array(pcs_pool *pool, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - sizeof(pool_chunk)) / size) return NULL;

    pool_chunk *chunk = pcs_env_alloc(&pool->env, sizeof *chunk + count * size, 1);
    if (!chunk) return NULL;
    chunk->previous = pool->last;
    pool->last = chunk;
    return chunk + 1;
}

double *pool_more(pcs_pool *pool, double *x, size_t used, size_t more, size_t *room)
{
    if (x && more <= *room - used) return x;
    const size_t larger = 2 * (used + more);
    double *moved = POOL_TAKE(pool, larger, double);
    if (!moved) return NULL;
    if (used > 0) memcpy(moved, x, used * sizeof *x);
    *room = larger;
    return moved;
}

void pool_release(pcs_pool *pool)
{
    while (pool->last) {
        pool_chunk *chunk = pool->last;
        pool->last = chunk->previous;
        pcs_env_free(&pool->env, chunk);
    }
}
