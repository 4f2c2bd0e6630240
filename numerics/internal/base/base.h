// Private side of <percuss/base.h>: failing with a sentence, allocation through
// an environment, assertions for our own mistakes.
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <percuss/base.h>

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// our own mistakes only, never user input; without side effects
#define PCS_ASSERT(condition) assert(condition)

// asks for a line of memory that is read soon; without effect on results
#if defined(__GNUC__)
#define PCS_FETCH(address) __builtin_prefetch(address)
#else
#define PCS_FETCH(address) ((void)(address))
#endif

// records the sentence that pcs_error_text returns and hands the status back:
// return pcs_fail(PCS_ERR_ARG, "pcs_body: mass is %g kg; it must be positive", m);
PCS_API pcs_status pcs_fail(pcs_status status, const char *format, ...) PCS_PRINTF(2, 3);

// The same for numbers that are no longer finite, and for a singular matrix: failures of a step
// that is too long, from valid data. pcs_failed_range returns whether the last failure of this
// thread was of that kind.
PCS_API pcs_status pcs_fail_range(pcs_status status, const char *format, ...) PCS_PRINTF(2, 3);
PCS_API bool pcs_failed_range(void);

// A callback failed: like pcs_fail, followed by the sentence of a call of ours that failed inside
// the callback, that is since `mark` was taken. The failure is of the kind of that call.
PCS_API unsigned long pcs_fail_mark(void);
PCS_API pcs_status pcs_fail_since(unsigned long mark, pcs_status status, const char *format, ...)
    PCS_PRINTF(3, 4);

// fails with PCS_ERR_MEMORY and the standard sentence
PCS_API pcs_status pcs_fail_memory(const char *where);

// The last failure of this thread. A call that fails inside, mends that and succeeds puts back what
// was there before it: restore after PCS_OK.
typedef struct pcs_failure {
    unsigned long mark;
    bool of_range;
    char text[512];
} pcs_failure;
PCS_API void pcs_failure_keep(pcs_failure *before);
PCS_API void pcs_failure_restore(const pcs_failure *before);

// memory through an environment (null: malloc); zeroed; null on failure or overflow
PCS_API void *pcs_env_alloc(const pcs_env *env, size_t count, size_t size);
PCS_API void pcs_env_free(const pcs_env *env, void *pointer);
PCS_API void pcs_env_log(const pcs_env *env, pcs_log_level level, const char *format, ...)
    PCS_PRINTF(3, 4);

// several arrays of `count` numbers each: TAKE_DOUBLES(arena, n, &x, &y); an arena that is too
// small leaves null from the one on that does not fit
#define TAKE_DOUBLES(arena, count, ...)                          \
    arena_take_doubles(arena, count, (double **[]){__VA_ARGS__}, \
                       sizeof((double **[]){__VA_ARGS__}) / sizeof(double **))
void arena_take_doubles(pcs_arena *arena, size_t count, double **const out[], size_t n);

// one of several arrays in memory that is taken as a whole: n numbers
typedef struct memory_part {
    double **at;
    size_t n;
} memory_part;

// takes a part of the memory; with null memory only counts: the numbers of all parts
static inline size_t memory_lay_out(const memory_part *list, size_t count, double *memory)
{
    size_t total = 0;
    for (size_t k = 0; k < count; ++k) {
        if (memory) *list[k].at = memory + total;
        total += list[k].n;
    }
    return total;
}

// the cases of a switch that returns the text of a value: STATUS_LIST(TEXT_CASE)
#define TEXT_CASE(id, text) \
    case id:                \
        return text;

// true if all n numbers are finite (n may be 0)
PCS_API bool pcs_all_finite(const double *x, size_t n);

#endif
