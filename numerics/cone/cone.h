// The cones of the blocks, one set of inline functions each: projection, and the natural map
// written so that it loses no digits. A NaN passes through all of them.
//
//     equality:   K = R^d,  P(x) = x,          r - P(r - rho u) = rho u
//     unilateral: K = R_+,  P(x) = max(x, 0),  r - P(r - rho u) = min(r, rho u)
#ifndef CONE_CONE_H
#define CONE_CONE_H

#include <math.h>

#include <percuss/problem.h>

// the smaller of two, NaN if either is
static inline double cone_min(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static inline double cone_project_unilateral(double x)
{
    return x < 0 ? 0 : x;
}

// r <- P_K(r) for a whole product of cones
static inline void cone_project(int nb, const pcs_block *block, double *r)
{
    for (int b = 0; b < nb; ++b) {
        switch (block[b].cone) {
        case PCS_EQUALITY:
            break;
        case PCS_UNILATERAL:
            r[block[b].row] = cone_project_unilateral(r[block[b].row]);
            break;
        }
    }
}

#endif
