// A problem in the unknowns x of r = size E x, E a positive diagonal that is one number within a
// cone block: the cones, and the law of friction, stay what they are, the diagonal of W is about
// 1, the largest entry of q is 1, and no step of a solver sees a unit.
//
//     W' = E W E,   q' = E q / size,   u = size E^-1 u'
#ifndef SOLVER_SCALED_H
#define SOLVER_SCALED_H

#include "base/base.h"
#include <percuss/problem.h>

typedef struct scaled {
    pcs_problem p; // the scaled problem
    double *e;     // n
    double size;
    double *val, *q;
    bool symmetric; // W is, to rounding
    double skew;    // the largest difference of two entries of W' that are mates
    double largest; // an estimate from below of |W'|
} scaled;

size_t scaled_bytes(const pcs_problem *p);

// false: the arena is too small
bool scaled_begin(scaled *s, const pcs_problem *p, pcs_arena *work);

void scaled_from(const scaled *s, const double *r, double *x);
void scaled_to(const scaled *s, const double *x, double *r);

// |x - P_K(x - s(u))| / max(|q|, |u - q|) of the scaled problem, u = W x + q
double scaled_residual(const scaled *s, const double *x, const double *u);

#endif
