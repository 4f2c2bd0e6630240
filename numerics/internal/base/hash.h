// FNV-1a of 64 bits. A step of it is a bijection of the hash, so that one changed byte always
// changes the hash.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 14695981039346656037ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; ++i) {
        hash = (hash ^ b[i]) * 1099511628211ull;
    }
    return hash;
}

#endif
