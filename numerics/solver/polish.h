// The last digits: Newton steps of least norm on the natural map from a good r.
#ifndef SOLVER_POLISH_H
#define SOLVER_POLISH_H

#include "solver/solver.h"

PCS_API size_t polish_bytes(const pcs_problem *p);

// Improves r (n, in K) by at most `steps` Newton steps, keeping the best by what o->stop measures;
// u (n) belongs to the r returned. Ends early at o->tol. *value: the measure of r. Returns the
// steps made, -1 when the arena is too small.
PCS_API int polish(const pcs_problem *p, const pcs_solver_opts *o, int steps, pcs_arena work,
                   double *r, double *u, double *value);

#endif
