// Operations on prepared blocks: visit, add the impulse to y, compute the velocity.
#ifndef BODIES_SWEEP_BLOCKS_H
#define BODIES_SWEEP_BLOCKS_H

#include "bodies/prepared.h"

// solves the blocks begin .. end - 1, one after another; y belongs to r before and after. Returns
// the sum of |s_i dr_i|^2, an estimate of the squared residual before. `spare` holds LINE zeros
double blocks_visit(const prepared *p, int begin, int end, double *spare, double *y, double *r);

// y += A^-1 H^T r of these blocks
void blocks_push(const prepared *p, int begin, int end, double *spare, const double *r, double *y);

// The solution x of one contact, where u is its velocity with the impulse r
void rigid_solve(const contact *law, const double *u, const double *r, double *x);

// sums of squares of numbers times per_unit
typedef struct block_sums {
    double f, q, wr, u;
    double natural, r; // on request
} block_sums;

// the measure that follows from the sums of all blocks, without the rounding
void sums_measure(const block_sums *s, double per_unit, pcs_measure *out);

// u = q + H y of these blocks, and the sums for the measure; `all`: also of the natural map and r
void blocks_measure(const prepared *p, int begin, int end, const double *spare, const double *y,
                    const double *r, bool all, double *u, block_sums *out);

#endif
