// For tests that give damaged files to HDF5 under AddressSanitizer: HDF5 asks for more memory than
// exists, which malloc denies, and does not release all of its memory. Include it in one file of a
// program.
#ifndef IO_DAMAGED_HDF5_H
#define IO_DAMAGED_HDF5_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
void __lsan_disable(void);
void __lsan_enable(void);
const char *__asan_default_options(void);

// a shared runtime finds this only where it is visible
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#else
#define __lsan_disable()
#define __lsan_enable()
#endif

#endif
