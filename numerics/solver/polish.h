// Computes the last digits by Newton steps from a good r: first with a line search, then full steps
// on proximal problems of a few weights.
#ifndef SOLVER_POLISH_H
#define SOLVER_POLISH_H

#include "solver/solver.h"

size_t polish_bytes(const pcs_problem *p);

// Improves r (n, in K) by Newton steps, and keeps the best by the measure of o->stop: at most
// `steps` with a line search, and as many full ones for each weight. u (n) belongs to the r
// returned. Ends early at o->tol or after o->max_seconds. *value: the measure of r. Returns the
// number of steps, -1 when the arena is too small.
int polish(const pcs_problem *p, const pcs_solver_opts *o, int steps, pcs_arena work, double *r,
           double *u, double *value);

#endif
