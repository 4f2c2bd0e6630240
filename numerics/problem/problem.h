// Private views of a problem: scales of its rows, restriction to a set of rows, certificates.
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include "base/base.h"
#include <percuss/problem.h>

// a single row with W one number: closed forms apply
static inline bool problem_is_scalar(const pcs_problem *p)
{
    return p->n == 1 && p->W.m == 1;
}

// that number
static inline double problem_scalar(const pcs_problem *p)
{
    return p->W.ptr[1] > 0 ? p->W.val[p->W.off[0]] : 0;
}

// conditions of the cone of block b on its dimension and on mu
pcs_status problem_check_cone(int b, const pcs_block *k);

// the cone blocks alone: order, sizes, mu
pcs_status problem_check_blocks(const pcs_problem *p);

// no cone block lies across two block rows of a matrix called name, which start at row[]
pcs_status problem_check_rows(const pcs_problem *p, const int *row, const char *name);

// 1 / rho_b of theory 7.7; blocks in turn: *wrow is 0 and *most negative for the first call, then
// passed again
double problem_block_scale(const pcs_problem *p, int b, int *wrow, double *most);

// one positive number per scalar row that converts r_i to a velocity: W_ii where that is positive,
// else 1 / rho_i of theory 7.7
void problem_scales(const pcs_problem *p, double *s);

// the start of W_ii of a cone block, and its leading dimension; null when it is not stored. *wrow
// is the block row of W that contains the block: 0 for the first call, then as the last call left
// it
const double *problem_diagonal(const pcs_problem *p, int b, int *wrow, int *ld);

// the branches of the natural map
enum { STATUS_OPEN, STATUS_STICK, STATUS_SLIDE };

// status[b] (nb) of every block: the branch on which r_b - P(r_b - rho_b s(u_b)) is, with rho_b of
// theory 7.7. A unilateral block that is closed sticks, and so does every equality
void problem_status(const pcs_problem *p, const double *r, const double *u, unsigned char *status);

// the same of one block, s = 1 / rho
unsigned char problem_block_status(pcs_cone cone, int dim, double mu, double s, const double *r,
                                   const double *u);

// A (na x na, column-major) = S^-1/2 W S^-1/2 on the rows with place[i] >= 0, put there; s null
// means no scaling
void problem_restrict(const pcs_problem *p, const int *place, int na, const double *s, double *A);

// arena bytes that pcs_problem_compress takes at most
size_t problem_compress_bytes(const pcs_problem *p);

// True when y, finite and in K, proves that no r in K has W r + q in K*: W^T y in -K* and q'y < 0
// (Farkas). Every entry of W^T y is compared with the rounding of its own sum: what is proved is
// exact for a W that agrees with the given one in each entry up to rounding. With friction y must
// be normal: every solution has u_N >= 0, so that y'u >= 0, while (W^T y)'r <= 0 for r in K gives
// y'u <= q'y < 0. t (2 n) is scratch.
bool problem_proof(const pcs_problem *p, const double *y, double *t);

// -q'y less what the rounding of q may change of it: where this is not positive, y proves nothing
double problem_gain(const pcs_problem *p, const double *y);

// the same for any y (n): it is projected and scaled here, and its small entries are removed
bool problem_refuted_by(const pcs_problem *p, double *y, double *t);

#endif
