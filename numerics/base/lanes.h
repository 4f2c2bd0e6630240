// Four numbers side by side, which one register may hold, by the vectors of gcc and clang. Without
// this extension (PERCUSS_VECTORS=OFF) contacts are not packed (bodies/arrange.c), and
// linalg/kernels_scalar.c has the same sums in the same order.
#ifndef BASE_LANES_H
#define BASE_LANES_H

enum { LANES = 4 };

#ifdef PERCUSS_VECTORS
#define VECTORS 1
// type `name` of n numbers
#define VECTOR_OF(n, number, name) \
    typedef number name __attribute__((vector_size((n) * sizeof(number))))
VECTOR_OF(LANES, double, lanes);
#else
#define VECTORS 0
typedef double lanes[LANES];
#endif

#endif
