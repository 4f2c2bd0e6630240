// Operations on prepared blocks: visit, add the impulse to y, compute the velocity.
#ifndef BODIES_SWEEP_BLOCKS_H
#define BODIES_SWEEP_BLOCKS_H

#include "bodies/prepared.h"
#include "problem/measure.h"

// solves the blocks begin .. end - 1, one after another; y belongs to r before and after. Returns
// the sum of |s_i dr_i|^2, an estimate of the squared residual before. `spare` holds LINE zeros
double blocks_visit(const prepared *p, int begin, int end, double *spare, double *y, double *r);

// y += A^-1 H^T r of these blocks
void blocks_push(const prepared *p, int begin, int end, double *spare, const double *r, double *y);

// The solution x of one contact, where u is its velocity with the impulse r
void rigid_solve(const contact *law, const double *u, const double *r, double *x);

// u = q + H y of these blocks; adds them to *out, in their order, the natural map on request
void blocks_measure(const prepared *p, int begin, int end, const double *spare, const double *y,
                    const double *r, bool natural, double *u, measure_sums *out);

#endif
