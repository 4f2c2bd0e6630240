// Anderson acceleration of a fixed-point iteration x <- G(x): with f = G(x) - x and the last
// differences of G and f as columns of B and C, the candidate is G - B c, where c minimises |f - C
// c|, optionally with a weight for each entry of f.
//
// D. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12, 1965.
#ifndef SOLVER_ANDERSON_H
#define SOLVER_ANDERSON_H

#include "base/base.h"

// largest number of differences
#define ANDERSON_MOST 30

typedef struct anderson {
    int n, depth;
    int have, next;            // columns in use, and the one written next
    double *dG[ANDERSON_MOST]; // differences of G
    double *df[ANDERSON_MOST]; // differences of f
    double gram[ANDERSON_MOST][ANDERSON_MOST];
    double *G, *f;        // G and f of the last call
    const double *weight; // n, or null: 1
    bool started;
} anderson;

size_t anderson_bytes(int n, int depth);

// depth 0 to ANDERSON_MOST, weight (n, borrowed) may be null; false: the arena is too small
PCS_API bool anderson_begin(anderson *a, int n, int depth, const double *weight, pcs_arena *work);

// clears all differences
PCS_API void anderson_reset(anderson *a);

// records that x leads to G
void anderson_push(anderson *a, const double *x, const double *G);
// true: y is a candidate, finite, for the next x
bool anderson_candidate(const anderson *a, double *y);
// push and candidate; y may be x or G
PCS_API bool anderson_mix(anderson *a, const double *x, const double *G, double *y);

#endif
