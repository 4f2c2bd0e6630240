// A problem in the unknowns x of r = size E x, where E is a positive diagonal matrix that is
// constant within a cone block. The cones and the law of friction do not change, but for the bounds
// of boxes; the diagonal of W is about 1, the largest entry of q is 1, and no step of a solver
// depends on a unit.
//
//     W' = E W E,   q' = E q / size,   u = size E^-1 u'
//
// W' is p.W, or an operator of which p.W has the diagonal blocks only.
#ifndef SOLVER_SCALED_H
#define SOLVER_SCALED_H

#include "base/base.h"
#include <percuss/problem.h>

typedef struct scaled_space {
    void *user;
    // takes the diagonal of E, before the other functions are called; false: out of memory
    bool (*begin)(void *user, const double *e);
    void (*mul)(void *user, const double *x, double *y); // y = W' x
    bool (*factor)(void *user, double rho);              // W' + rho I; false: singular
    bool (*solve)(void *user, double *x);                // x <- (W' + rho I)^-1 x
} scaled_space;

typedef struct scaled {
    pcs_problem p;          // the scaled problem
    const scaled_space *on; // the operator W', or null: p.W
    double *e;              // n
    double size;
    double *val, *q;
    bool symmetric; // W is, to rounding
    double skew;    // the largest difference between two mates in W'
    double largest; // a lower estimate of |W'|
} scaled;

size_t scaled_bytes(const pcs_problem *p);

// on: as above; false: the arena is too small
bool scaled_begin(scaled *s, const pcs_problem *p, const scaled_space *on, pcs_arena *work);

// y = W' x
void scaled_mul(const scaled *s, const double *x, double *y);

void scaled_from(const scaled *s, const double *r, double *x);
void scaled_to(const scaled *s, const double *x, double *r);

// |x - P_K(x - s(u))| / max(|q|, |u - q|) of the scaled problem, u = W x + q
double scaled_residual(const scaled *s, const double *x, const double *u);

#endif
