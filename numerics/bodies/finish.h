// The last digits of an island in the space of its velocities, where Gauss-Seidel stalls.
#ifndef BODIES_FINISH_H
#define BODIES_FINISH_H

#include "bodies/bodies.h"

// As bodies_solve, started from r; PCS_ERR_UNSUPPORTED, r and v unchanged, when it cannot.
pcs_status bodies_finish(const bodies_problem *island, const pcs_solver_opts *o, pcs_arena work,
                         double *v, double *r, double *u, bodies_report *out);

#endif
