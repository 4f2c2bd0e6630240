// The closest x to a given one, in the metric of M, that satisfies A x + g = 0:
//
//     M (x - x0) = A^T lambda,  A x + g = 0,
//
// as in accelerations under constraints, impacts and projections (theory 9.1, 9.2). With M = L L^T,
// B = L^-1 A^T = Q R (columns permuted) and y = L^T x it reads: the closest y with B^T y + g = 0.
// The QR of B, instead of the Cholesky factor of B^T B = A M^-1 A^T, does not square the condition
// number of A, and shows which constraint depends on the others.
#ifndef MECHANICS_SADDLE_H
#define MECHANICS_SADDLE_H

#include "base/base.h"

typedef struct saddle {
    int n, m;
    double *L;    // n x n: M in (lower triangle), its Cholesky factor out
    double *B;    // n x m: A^T in; Householder vectors and R out
    double *size; // m: lengths of the columns of B
    double *left; // m: the squared part of a column that the columns before it leave
    double *beta; // m: scales of the reflectors
    int *place;   // column k of R is constraint place[k]
    double *y;    // n
    double *s;    // m
} saddle;

// number of doubles and of ints in the arrays
size_t saddle_doubles(int n, int m);
void saddle_lay_out(saddle *S, int n, int m, double *memory, int *ints);

// M -> L. PCS_ERR_SINGULAR names the velocity whose pivot vanishes
pcs_status saddle_factor_mass(saddle *S, const char *who);
// B -> QR, after saddle_factor_mass. PCS_ERR_SINGULAR names a constraint that depends on others
pcs_status saddle_factor_constraints(saddle *S, const char *who);

// x = M^-1 b, in place
void saddle_mass_solve(const saddle *S, double *x);
// x0 -> x and lambda (null: not wanted); g has m entries
void saddle_nearest(saddle *S, const double *g, double *x, double *lambda);

#endif
