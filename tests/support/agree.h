// What every solver of friction problems must do, one call each: the tests of a solver name it.
#ifndef SUPPORT_AGREE_H
#define SUPPORT_AGREE_H

#include "friction.h"

// Small friction and a well-conditioned W, symmetric or not, every mixture of cones: r and u of
// this solver are those of nsgs, to 1e-6 of their size, at tol
void expect_agreement(pcs_solver kind, double tol);

// one contact at a time: r and u are those of enum
void expect_one_contact(pcs_solver kind, double tol);

// W of half rank and of few contacts: u of the constructed solution
void expect_singular(pcs_solver kind, double tol);

// mu = 0 is a unilateral row with r_T = 0; a large mu sticks; q >= 0 opens everything
void expect_limits(pcs_solver kind, double tol);

// velocities and impulses in other units: as many iterations, the same residual
void expect_no_units(pcs_solver kind, double tol);

// the same call gives the same bits; a watch stops; no memory fails with a sentence; no iterations
// return the start; an empty problem is solved
void expect_manners(pcs_solver kind);

// without a solution: finite numbers, neither converged nor infeasible
void expect_honesty(pcs_solver kind, int max_iters);

// sizes from 1e-300 to 1e300 in q, mu and W: finite numbers, and an end
void expect_extremes(pcs_solver kind, int max_iters);

#endif
