// Whether a proof that a problem has no solution may be the rounding of heavy bodies on light ones.
#ifndef PROBLEM_MASSES_H
#define PROBLEM_MASSES_H

#include "base/base.h"
#include <percuss/problem.h>

// Inverse masses of blocks (nb), as their first rows move bodies: of both sides together, and of
// the side that moves less (infinite: none moves). Of boxes 0 and infinite
typedef struct problem_masses {
    const double *both, *least;
} problem_masses;

// Largest mass over the least one that the blocks of y (n) move, at least 1. Multipliers that are
// rounding do not count
double problem_mass_ratio(const pcs_problem *p, const problem_masses *m, const double *y);

// False where what a heavy body of the blocks of y adds to W is rounding, so that y may be no proof
PCS_API bool problem_masses_allow(const pcs_problem *p, const problem_masses *m, const double *y);

#endif
