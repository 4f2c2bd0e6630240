// ADMM on a scaled problem, for W and for the velocities of bodies.
#ifndef SOLVER_ADMM_H
#define SOLVER_ADMM_H

#include "solver/scaled.h"
#include "solver/solver.h"

// Solves t->p from r, with the options of the track. on: the operator W' of the scaled problem
// where t->p has only the diagonal blocks of W; or null
pcs_status admm_solve(solver_track *t, const scaled_space *on, pcs_arena work, double *r,
                      double *u);

#endif
