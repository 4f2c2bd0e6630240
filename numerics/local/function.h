// Functions F(r, u) of one cone block that vanish exactly where K* contains s(u), orthogonal to r
// in K, and elements of their generalised Jacobians. r and u are scaled to one unit (rho = 1).
#ifndef LOCAL_FUNCTION_H
#define LOCAL_FUNCTION_H

#include <percuss/solver.h>

// the words of pcs_newton_function, for option tables
extern const char *const function_words[PCS_NEWTON_FUNCTION_JM + 1];

// F (d), A = dF/du and B = dF/dr (d x d, column-major; null: not wanted) of a Coulomb block of
// d = 2 or 3 rows. mu = 0 means r_T = 0 and a unilateral normal row.
void function_coulomb(pcs_newton_function f, int d, double mu, const double *r, const double *u,
                      double *F, double *A, double *B);

// the same of a unilateral row
void function_unilateral(pcs_newton_function f, double r, double u, double *F, double *A,
                         double *B);

#endif
