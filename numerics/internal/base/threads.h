// A team of threads that runs one function at a time, the caller among them, with a barrier inside.
// The results must not depend on the number of threads: work is cut into pieces whose bounds and
// order depend on the data alone, each piece writes to separate places, and sums are formed from
// pieces in a fixed order.
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/base.h"

typedef struct threads threads;

// a team of `count` >= 1, count - 1 of them new; PCS_ERR_MEMORY when memory or threads ran out
PCS_API pcs_status threads_create(const pcs_env *env, int count, threads **out);
// accepts null
PCS_API void threads_destroy(threads *team);

// number of threads; 1 for null
PCS_API int threads_count(const threads *team);

// fn(arg, rank) on every rank, rank 0 by the caller; returns when all are done. Null: rank 0 only
PCS_API void threads_run_team(threads *team, void (*fn)(void *arg, int rank), void *arg);
static inline void threads_run(threads *team, void (*fn)(void *arg, int rank), void *arg)
{
    if (team) {
        threads_run_team(team, fn, arg);
    } else {
        fn(arg, 0);
    }
}

// fn(arg, begin, end) on equal shares of n items, one a rank
PCS_API void threads_each_team(threads *team, int n, void (*fn)(void *arg, int begin, int end),
                               void *arg);
static inline void threads_each(threads *team, int n, void (*fn)(void *arg, int begin, int end),
                                void *arg)
{
    if (team) {
        threads_each_team(team, n, fn, arg);
    } else if (n > 0) {
        fn(arg, 0, n);
    }
}

// waits, within fn, until all ranks have reached this call
void threads_barrier(threads *team);

// the part of rank: pieces *begin .. *end - 1 of n
static inline void threads_share(int n, int count, int rank, int *begin, int *end)
{
    *begin = (int)((long long)n * rank / count);
    *end = (int)((long long)n * (rank + 1) / count);
}

#endif
