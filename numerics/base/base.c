// Status words and the error sentence of a thread; allocation and logging
// through an environment; the arena.
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64

// one sentence per thread: nothing is shared between threads that step different states
static _Thread_local pcs_failure last; // its mark is the number of sentences written

const char *pcs_status_text(pcs_status status)
{
    switch (status) {
        PCS_STATUS_LIST(TEXT_CASE)
    }
    return "unknown status";
}

const char *pcs_error_text(void)
{
    return last.text;
}

static void write_error(bool range, const char *format, va_list args)
{
    last.mark += 1;
    last.of_range = range;
    vsnprintf(last.text, sizeof last.text, format, args);
}

pcs_status pcs_fail(pcs_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_error(false, format, args);
    va_end(args);
    return status;
}

pcs_status pcs_fail_range(pcs_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_error(true, format, args);
    va_end(args);
    return status;
}

bool pcs_failed_range(void)
{
    return last.of_range;
}

unsigned long pcs_fail_mark(void)
{
    return last.mark;
}

pcs_status pcs_fail_since(unsigned long mark, pcs_status status, const char *format, ...)
{
    char inner[sizeof last.text];
    memcpy(inner, last.text, sizeof inner);
    const bool told = last.mark != mark && inner[0] != '\0';
    last.mark += 1;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    if (told && n >= 0 && (size_t)n < sizeof last.text) {
        // a sentence that does not fit is cut
        const size_t room = sizeof last.text - (size_t)n;
        snprintf(last.text + n, room, ": %.*s", room > 3 ? (int)(room - 3) : 0, inner);
    }
    return status;
}

void pcs_failure_keep(pcs_failure *before)
{
    *before = last;
}

void pcs_failure_restore(const pcs_failure *before)
{
    last = *before;
}

pcs_status pcs_fail_memory(const char *where)
{
    return pcs_fail(PCS_ERR_MEMORY, "%s: out of memory", where);
}

static void *take(const pcs_env *env, size_t bytes)
{
    return env && env->alloc ? env->alloc(bytes, env->alloc_user) : malloc(bytes);
}

void *pcs_env_alloc(const pcs_env *env, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return NULL;

    const size_t bytes = count * size > 0 ? count * size : 1;
    void *p = take(env, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void pcs_env_free(const pcs_env *env, void *pointer)
{
    if (!pointer) return;
    if (env && env->release) {
        env->release(pointer, env->alloc_user);
    } else {
        free(pointer);
    }
}

void pcs_env_log(const pcs_env *env, pcs_log_level level, const char *format, ...)
{
    if (!env || !env->log) return;

    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    env->log(level, text, env->log_user);
}

bool pcs_all_finite(const double *x, size_t n)
{
    // the exponent of NaN and infinity is all ones: adding one carries into the sign
    const uint64_t exponent = (uint64_t)0x7ff << 52, one = (uint64_t)1 << 52;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        carry |= (bits & exponent) + one;
    }
    return carry >> 63 == 0;
}

pcs_status pcs_arena_create(const pcs_env *env, size_t bytes, pcs_arena *out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_arena_create: out is null");
    *out = (pcs_arena){0};
    if (bytes > SIZE_MAX / 2) return pcs_fail_memory("pcs_arena_create");

    // The block has room to align the base, and before it the pointer that was allocated. It is not
    // zeroed: the system then gives no pages to parts that are never used
    unsigned char *raw = take(env, bytes + 2 * ALIGN);
    if (!raw) return pcs_fail_memory("pcs_arena_create");

    unsigned char *base = raw + ALIGN - (uintptr_t)raw % ALIGN;
    if (base - raw < (ptrdiff_t)sizeof raw) base += ALIGN;
    memcpy(base - sizeof raw, &raw, sizeof raw);
    out->base = base;
    out->size = bytes;
    return PCS_OK;
}

void pcs_arena_destroy(const pcs_env *env, pcs_arena *arena)
{
    if (!arena) return;
    if (arena->base) {
        unsigned char *raw;
        memcpy(&raw, arena->base - sizeof raw, sizeof raw);
        pcs_env_free(env, raw);
    }
    *arena = (pcs_arena){0};
}

const char *pcs_version(void)
{
    return PERCUSS_VERSION;
}

void arena_take_doubles(pcs_arena *arena, size_t count, double **const out[], size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        *out[i] = PCS_TAKE(arena, count, double);
    }
}
