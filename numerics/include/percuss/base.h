/// @file
/// The base of every other header: status and its words, the environment (allocator and log), and
/// the arena.
#ifndef PERCUSS_BASE_H
#define PERCUSS_BASE_H

#include <stddef.h>

/// @def PCS_API
/// Marks symbols that the shared libraries export.
/// @def PCS_NODISCARD
/// Marks a result that must not be ignored: the status of a call that can fail.
/// @def PCS_PRINTF(fmt, args)
/// Lets the compiler check the arguments `args` against the printf format `fmt`.
#if defined(__GNUC__)
#define PCS_API               __attribute__((visibility("default")))
#define PCS_NODISCARD         __attribute__((warn_unused_result))
#define PCS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PCS_API
#define PCS_NODISCARD
#define PCS_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// One list for the enum and the words.
#define PCS_STATUS_LIST(X)                                                                \
    X(PCS_OK, "success")                                                                  \
    X(PCS_ERR_ARG, "an argument is null, not finite or out of range")                     \
    X(PCS_ERR_SIZE, "sizes disagree, or are beyond what an int can count")                \
    X(PCS_ERR_MEMORY, "out of memory")                                                    \
    X(PCS_ERR_SINGULAR, "a matrix that must be regular is not")                           \
    X(PCS_ERR_UNSUPPORTED, "the solver does not take this kind of problem")               \
    X(PCS_ERR_CALLBACK, "a user callback failed or returned a number that is not finite") \
    X(PCS_ERR_FILE, "a file cannot be opened, read or written")                           \
    X(PCS_ERR_FORMAT, "a file is malformed")                                              \
    X(PCS_ERR_STEP, "a time step does not succeed, however small, or too many were needed")

/// The result of a call: carried out, or why not. How well the mathematics ended is not a status
/// but an outcome (pcs_outcome, in the reports).
typedef enum pcs_status {
#define X(id, text) id,
    PCS_STATUS_LIST(X)
#undef X
} pcs_status;

/// The words of a status, never null.
PCS_API const char *pcs_status_text(pcs_status status);

/// The sentence of the last failed call on this thread: the error, its place, and what to do. Empty
/// before the first failure. Valid until the next failing call on the same thread; each thread has
/// its own, so that concurrent steps of different states never share it.
PCS_API const char *pcs_error_text(void);

/// Propagates a failure: returns from the calling function with the status.
#define PCS_TRY(expr)                                          \
    do {                                                       \
        const pcs_status pcs_try_status_ = (expr);             \
        if (pcs_try_status_ != PCS_OK) return pcs_try_status_; \
    } while (0)

/// The importance of a message.
typedef enum pcs_log_level { PCS_LOG_DEBUG, PCS_LOG_INFO, PCS_LOG_WARNING } pcs_log_level;

/// The source of memory and the receiver of messages. A value: objects copy it. All zero (or a null
/// pointer to it) means malloc, free and silence. The data of user pointers must outlive every
/// object made with the environment.
typedef struct pcs_env {
    void *(*alloc)(size_t bytes, void *user);   ///< null: malloc; must align like malloc
    void (*release)(void *pointer, void *user); ///< null: free; set both or none
    void *alloc_user;                           ///< passed to alloc and release
    void (*log)(pcs_log_level level, const char *message, void *user); ///< null: silence
    void *log_user;                                                    ///< passed to log
} pcs_env;

/// A bump allocator over memory that the caller owns. Copy it by value to open a
/// scope: memory taken from the copy is free again when the copy goes out of scope.
typedef struct pcs_arena {
    unsigned char *base; ///< aligned to 64 bytes (pcs_arena_create does that)
    size_t size;         ///< bytes in all
    size_t used;         ///< bytes taken
    size_t *peak;        ///< high-water mark shared by all copies, or null
} pcs_arena;

/// Takes a block of bytes, aligned to 64, not zeroed. Null when it does not fit; the demand is
/// recorded in `peak` also then, so that the owner can grow the arena.
static inline void *pcs_arena_take(pcs_arena *arena, size_t bytes)
{
    if (bytes > (size_t)-1 / 2 - arena->used) return NULL;
    const size_t start = (arena->used + 63) & ~(size_t)63;

    arena->used = start + bytes;
    if (arena->peak && arena->used > *arena->peak) *arena->peak = arena->used;
    return arena->base && arena->used <= arena->size ? arena->base + start : NULL;
}

/// `count` objects of `size` bytes each; null on overflow or when it does not fit.
static inline void *pcs_arena_take_array(pcs_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (size_t)-1 / size) return NULL;
    return pcs_arena_take(arena, count * size);
}

/// Typed form of pcs_arena_take_array.
#define PCS_TAKE(arena, count, type) ((type *)pcs_arena_take_array((arena), (count), sizeof(type)))

/// Creates an arena of `bytes` with memory from env (null: malloc). Release with pcs_arena_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_arena_create(const pcs_env *env, size_t bytes, pcs_arena *out);

/// Releases an arena made by pcs_arena_create with the same env. Accepts null and zeroed.
PCS_API void pcs_arena_destroy(const pcs_env *env, pcs_arena *arena);

/// The version as "major.minor.patch".
PCS_API const char *pcs_version(void);

#ifdef __cplusplus
}
#endif

#endif
