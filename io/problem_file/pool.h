// Memory that is released all at once: for a reader that does not yet know how the
// file continues.
#ifndef PROBLEM_FILE_POOL_H
#define PROBLEM_FILE_POOL_H

#include <percuss/base.h>

typedef struct pcs_pool {
    pcs_env env;
    union pool_chunk *last;
} pcs_pool;

// env null: malloc
pcs_pool pool_begin(const pcs_env *env);

// zeroed, aligned like malloc; null on failure or overflow
void *pool_take_array(pcs_pool *pool, size_t count, size_t size);
#define POOL_TAKE(pool, count, type) ((type *)pool_take_array((pool), (count), sizeof(type)))

// room for `more` numbers behind those in use, which are moved to an array of twice the size where
// *room is too small; null on failure
double *pool_more(pcs_pool *pool, double *x, size_t used, size_t more, size_t *room);

void pool_release(pcs_pool *pool);

#endif
