// Symmetric matrices with a narrow envelope: of row i the entries first[i] .. i. Factors L D L^T
// stay within it, so that a band of width w costs n w^2, and a solve 2 n w. Sums run along the
// rows.
#ifndef LINALG_ENVELOPE_H
#define LINALG_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include <percuss/base.h>

typedef struct envelope {
    int n;
    const int *first;  // n
    const size_t *row; // n + 1, start of row i in val
    double *val;       // entries, or factors
} envelope;

// L D L^T in place; false where a pivot is not positive to working precision
PCS_API bool envelope_factor(envelope *A);
// x = A^-1 x with these factors
PCS_API void envelope_solve(const envelope *A, double *x);
// y += a A x with entries
PCS_API void envelope_add_mul(const envelope *A, double a, const double *x, double *y);
// x . A x
PCS_API double envelope_form(const envelope *A, const double *x);
// entry (i, i)
static inline double envelope_diagonal(const envelope *A, int i)
{
    return A->val[A->row[i + 1] - 1];
}

#endif
