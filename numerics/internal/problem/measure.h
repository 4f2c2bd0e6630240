// The measures of theory 7.7, and the one place that turns norms into them: other forms of a
// problem (global, bodies) pass their norms to it.
#ifndef PROBLEM_MEASURE_H
#define PROBLEM_MEASURE_H

#include <percuss/problem.h>

// Euclidean norm, without overflow or underflow
double problem_norm(int n, const double *x);

// the measures of r when u = W r + q, |W r| and load = | |W||r| | are known; of W only the diagonal
// is read
void problem_measure_from(const pcs_problem *p, double norm_wr, double load, const double *r,
                          const double *u, pcs_measure *out);

// a computed u is accurate to about this many units in the last place of its largest terms
#define MEASURE_ROUNDINGS 16

// As pcs_problem_measure, for iterates: with norm_w = problem_norm_of W the rounding is left at 0
// where norm_w |r| shows that MEASURE_ROUNDINGS times it is below both measures, which saves a
// product with |W|
void problem_measure_near(const pcs_problem *p, double norm_w, const double *r, double *u,
                          pcs_measure *out);
double problem_norm_of(const pcs_bsr *W);

// | |W||r| |, the norm of W r if nothing cancelled; W need not be square
double problem_load(const pcs_bsr *W, const double *r);

// |r - P_K(r - s(u))|; of p only the cones are read
double problem_natural_map(const pcs_problem *p, const double *r, const double *u);

// m holds the norms, the natural map as computed, and the rounding (0 where it is not known);
// violation = |(F_i / rho_i)_i|. Sets the residual, bounds both from below by the rounding, and
// makes them NaN where a number is not finite
PCS_API void measure_close(double violation, pcs_measure *m);

// The relative error of r and u, at least tol: twice the residual. Infinite when the violation is
// larger than tol and not small relative to q: then the error is not known
PCS_API double measure_error(const pcs_measure *m, double tol);

// the violation relative to |q| alone, 0 if that is zero; above Q_FORGOTTEN r is no solution
#define Q_FORGOTTEN 1e-3
double measure_against_q(const pcs_measure *m);

// max(|q|, |W r|), the unit of the residual
PCS_API double measure_size(const pcs_measure *m);

#endif
