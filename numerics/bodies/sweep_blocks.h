// What is done to one prepared block: visit it, add its impulse to y, compute its velocity.
#ifndef BODIES_SWEEP_BLOCKS_H
#define BODIES_SWEEP_BLOCKS_H

#include "bodies/prepared.h"

// solves blocks begin .. end - 1, one after another; r and y agree before and after. Returns the
// sum of |s_i dr_i|^2, about the squared residual that they had. `spare` takes LINE zeros
double blocks_visit(const prepared *p, int begin, int end, double *spare, double *y, double *r);

// y += A^-1 H^T r of these blocks
void blocks_push(const prepared *p, int begin, int end, double *spare, const double *r, double *y);

// The solution x of a contact alone, u being its velocity with the impulse r
void rigid_solve(const contact *law, const double *u, const double *r, double *x);

// sums of squares of numbers times per_unit
typedef struct block_sums {
    double f, q, wr, u;
    double natural, r; // when asked for
} block_sums;

// the measure of the sum of all blocks; the rounding is not looked at
void sums_measure(const block_sums *s, double per_unit, pcs_measure *out);

// u = q + H y of these blocks, and what the measure is made of; `all`: the natural map as well
void blocks_measure(const prepared *p, int begin, int end, const double *spare, const double *y,
                    const double *r, bool all, double *u, block_sums *out);

#endif
