// A team of POSIX threads. A waiting thread first spins for a short time, since the work between
// two barriers is short; then it sleeps, since there may be fewer cores than threads.
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

// rounds of spinning before sleep
enum { SPIN = 4000 };

struct threads {
    pcs_env env;
    int count;
    int made; // threads that run
    int spin; // 0 when there are not enough cores
    pthread_t *thread;
    struct seat *seat;
    pthread_mutex_t lock;
    pthread_cond_t wake;

    // the job: written by the caller before `job` grows
    void (*fn)(void *arg, int rank);
    void *arg;
    atomic_uint job;
    atomic_int stop;

    // the barrier, and the end of a job
    atomic_int waiting;
    atomic_uint phase;
};

typedef struct seat {
    threads *team;
    int rank;
} seat;

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// returns when *word is no longer `old`
static void wait_change(threads *t, atomic_uint *word, unsigned old)
{
    for (int i = 0; i < t->spin; ++i) {
        if (atomic_load_explicit(word, memory_order_acquire) != old) return;
        relax();
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load_explicit(word, memory_order_acquire) == old) {
        pthread_cond_wait(&t->wake, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

static void change(threads *t, atomic_uint *word)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add_explicit(word, 1, memory_order_release);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

void threads_barrier(threads *t)
{
    if (!t || t->count == 1) return;
    const unsigned phase = atomic_load_explicit(&t->phase, memory_order_acquire);
    if (atomic_fetch_add_explicit(&t->waiting, 1, memory_order_acq_rel) == t->count - 1) {
        atomic_store_explicit(&t->waiting, 0, memory_order_relaxed);
        change(t, &t->phase);
        return;
    }
    wait_change(t, &t->phase, phase);
}

static void *work(void *argument)
{
    const seat *s = argument;
    threads *t = s->team;
    unsigned job = 0;
    for (;;) {
        wait_change(t, &t->job, job);
        job += 1;
        if (atomic_load_explicit(&t->stop, memory_order_acquire)) return NULL;
        t->fn(t->arg, s->rank);
        threads_barrier(t);
    }
}

void threads_run_team(threads *t, void (*fn)(void *arg, int rank), void *arg)
{
    if (t->count == 1) {
        fn(arg, 0);
        return;
    }
    t->fn = fn;
    t->arg = arg;
    change(t, &t->job);
    fn(arg, 0);
    threads_barrier(t);
}

typedef struct sharing {
    threads *team;
    int n;
    void (*fn)(void *arg, int begin, int end);
    void *arg;
} sharing;

static void do_share(void *argument, int rank)
{
    const sharing *s = argument;
    int begin, end;
    threads_share(s->n, threads_count(s->team), rank, &begin, &end);
    if (begin < end) s->fn(s->arg, begin, end);
}

void threads_each_team(threads *t, int n, void (*fn)(void *arg, int begin, int end), void *arg)
{
    sharing s = {t, n, fn, arg};
    threads_run_team(t, do_share, &s);
}

int threads_count(const threads *t)
{
    return t ? t->count : 1;
}

pcs_status threads_create(const pcs_env *env, int count, threads **out)
{
    PCS_ASSERT(count >= 1);
    *out = NULL;
    threads *t = pcs_env_alloc(env, 1, sizeof *t);
    if (!t) return pcs_fail_memory("threads");
    t->env = env ? *env : (pcs_env){0};
    t->count = count;
    t->spin = sysconf(_SC_NPROCESSORS_ONLN) >= count ? SPIN : 0;
    t->thread = pcs_env_alloc(env, (size_t)count, sizeof *t->thread);
    t->seat = pcs_env_alloc(env, (size_t)count, sizeof *t->seat);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    bool good = t->thread && t->seat;
    for (int i = 1; good && i < count; ++i) {
        t->seat[i] = (seat){t, i};
        good = pthread_create(&t->thread[i], NULL, work, &t->seat[i]) == 0;
        if (good) t->made += 1;
    }
    if (!good) {
        threads_destroy(t);
        return pcs_fail(PCS_ERR_MEMORY, "threads: a team of %d threads cannot be started", count);
    }
    *out = t;
    return PCS_OK;
}

void threads_destroy(threads *t)
{
    if (!t) return;
    atomic_store_explicit(&t->stop, 1, memory_order_release);
    change(t, &t->job);
    for (int i = 1; i <= t->made; ++i) {
        pthread_join(t->thread[i], NULL);
    }
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wake);
    const pcs_env env = t->env;
    pcs_env_free(&env, t->thread);
    pcs_env_free(&env, t->seat);
    pcs_env_free(&env, t);
}
