// The measures of theory 7.7 of a problem in any form (W, q; bodies): sums to which
// measure_velocity, measure_add_violation and measure_add_natural add one block after another, and
// measure_close, which computes the measure from the sums.
#ifndef PROBLEM_MEASURE_H
#define PROBLEM_MEASURE_H

#include "base/base.h"
#include <percuss/problem.h>

// Euclidean norm, without overflow or underflow
double problem_norm(int n, const double *x);

// A sum of squares of numbers of any size. Numbers whose squares would over- or underflow are kept
// apart, multiplied by powers of two. A NaN makes it NaN
typedef struct squares {
    double low, middle, high;
} squares;

// squares_add: first the sum of the n squares, then this to *s; squares_join: *s += *other
void squares_add(squares *s, size_t n, const double *x);
void squares_join(squares *s, const squares *other);
PCS_API double squares_root(const squares *s);

// zero at first; blocks are added in a fixed order
typedef struct measure_sums {
    squares violation, q, wr; // of F_i / rho_i, q and W r: the residual
    squares natural, r, u;    // the natural map
    squares load;             // | |W||r| |, added by the caller; without it only q is rounded
    pcs_far far;              // of the problem; zero: q is its sum
} measure_sums;

// n rows of q and W r: u is W r on entry and u = W r + q on return
PCS_API void measure_velocity(measure_sums *m, int n, const double *q, double *u);

// The violation of a block with s = 1 / rho_i (equality: not read), its r and its u = W r + q;
// and its natural map with |r| and |u|. k->row is not read
PCS_API void measure_add_violation(measure_sums *m, const pcs_block *k, double s, const double *r,
                                   const double *u);
void measure_add_natural(measure_sums *m, const pcs_block *k, const double *r, const double *u);
void measure_join(measure_sums *m, const measure_sums *other);

// The measure that follows from the sums. The rounding bounds both measures from below; they are
// NaN where a sum is not finite
PCS_API void measure_close(const measure_sums *m, pcs_measure *out);

// All sums of r but the load; u is W r on entry and u = W r + q on return. Of W only the diagonal
// is read
measure_sums problem_sums(const pcs_problem *p, const double *r, double *u);
// the measure that follows with load = | |W||r| |
void problem_measure_from(const pcs_problem *p, double load, const double *r, measure_sums *m,
                          pcs_measure *out);

// a computed u is accurate to about this many units in the last place of its largest terms
#define MEASURE_ROUNDINGS 16
// a measure at rounding counts as converged, whatever tol is, where the rounding is at most this
// part of q: the sum then has half of its digits, sqrt(DBL_EPSILON)
#define HALF_OF_DIGITS 1.5e-8

// The measure without the load. True where norm_w, at least the norm of |W|, shows that
// MEASURE_ROUNDINGS times the rounding is below both measures
bool measure_is_coarse(const measure_sums *m, double norm_w, pcs_measure *out);

// As pcs_problem_measure, for iterates: with norm_w = problem_norm_of W the rounding is left at 0
// where measure_is_coarse, which saves a product with |W|
void problem_measure_near(const pcs_problem *p, double norm_w, const double *r, double *u,
                          pcs_measure *out);
double problem_norm_of(const pcs_bsr *W);

// | |W||r| |, the norm of W r if nothing cancelled; W need not be square
double problem_load(const pcs_bsr *W, const double *r);

// |r - P_K(r - s(u))|; of p only the cones are read
double problem_natural_map(const pcs_problem *p, const double *r, const double *u);

// The relative error of r and u, at least tol: twice the residual. Infinite when the violation is
// larger than tol and not small relative to q: then the error is not known
PCS_API double measure_error(const pcs_measure *m, double tol);

// the violation relative to |q| alone, 0 if that is zero; above Q_FORGOTTEN r is no solution
#define Q_FORGOTTEN 1e-3
double measure_against_q(const pcs_measure *m);

// max(|q|, |W r|) without far targets, the unit of the residual
PCS_API double measure_size(const pcs_measure *m);

// ---- far targets -------------------------------------------------------------------------------

// Collects the norms of q of a problem with far targets, block by block. Of the rows of |H||v|,
// with the velocities v without impulses, `rows` has the squares, and `velocity` is the largest
typedef struct far_sums {
    squares unit, met, rows;
    double velocity;
    bool any;
} far_sums;

// the largest |shift| of q = H v + shift in rows that need not be met: boxes and tangents
double far_shift(const pcs_block *k, const double *shift);
// true where rows with this shift may be far
bool far_may_be(double shift, double velocity);
// scale: 1 / rho_i of a box; of other cones it is not read
void far_add(far_sums *s, const pcs_block *k, double scale, const double *q);
pcs_far far_close(const far_sums *s);
// the same for a problem with q = H v + shift, with `rows` and `velocity` in *s; shift may be null
void problem_find_far(pcs_problem *p, const double *shift, far_sums *s);

#endif
