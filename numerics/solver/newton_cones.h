// newton for problems with Coulomb blocks, or with a function other than Fischer-Burmeister and
// min.
#ifndef SOLVER_NEWTON_CONES_H
#define SOLVER_NEWTON_CONES_H

#include "solver/solver.h"

size_t newton_cones_bytes(const pcs_problem *p);
pcs_status newton_cones(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out);

#endif
