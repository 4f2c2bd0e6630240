// Random numbers that are the same on every machine: a generator of 64 bits (Marsaglia's xorshift).
// A state must not be 0.
#ifndef SOLVER_RANDOM_H
#define SOLVER_RANDOM_H

#include <stdint.h>

static inline uint64_t xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// in [0, 1)
static inline double xorshift_unit(uint64_t *state)
{
    return (double)(xorshift(state) >> 11) / 9007199254740992.0;
}

#endif
