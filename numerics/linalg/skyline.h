// LU without pivoting of sparse matrices within their envelope: for matrices of structurally
// symmetric pattern that are definite, or made so by a shift. Nothing allocates.
//
//     A = L U,   L unit lower, row k from first[k] to k - 1;   U upper, column k likewise
#ifndef LINALG_SKYLINE_H
#define LINALG_SKYLINE_H

#include "base/base.h"
#include <percuss/linalg.h>

// Reverse Cuthill-McKee order of the block rows of W, as places of its scalar rows: row i goes to
// order[i]. work has 2 m entries, m block rows.
void skyline_order(const pcs_bsr *W, int *order, int *work);

typedef struct skyline {
    int n;
    int *first;    // n: first column of L in row k
    size_t *start; // n + 1: row k of L and column k of U start at start[k] of their arrays
    double *L, *U; // start[n]
    double *D;     // n: the diagonal of U
} skyline;

// entries of L and of U for the rows of W with place[i] >= 0, a permutation of 0 .. n - 1; fills
// first and start, which the caller owns
size_t skyline_profile(const pcs_bsr *W, const int *place, int n, int *first, size_t *start);

// puts S^-1/2 W S^-1/2 + shift I, restricted and permuted by place, into f and factorises it;
// false when a pivot is rounding compared with the largest
bool skyline_factor(skyline *f, const pcs_bsr *W, const int *place, const double *s, double shift);

// x = A^-1 x, x by place
void skyline_solve(const skyline *f, double *x);

#endif
