// Enumeration of the modes of small problems with friction: enum for Coulomb blocks.
#ifndef SOLVER_MODES_H
#define SOLVER_MODES_H

#include "solver/solver.h"

// number of Coulomb blocks of the problem
int modes_contacts(const pcs_problem *p);

size_t modes_bytes(const pcs_problem *p);

// Searches the modes; fills r and *out as solver_class.solve does.
pcs_status modes_solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                       pcs_arena work, double *r, double *u, pcs_report *out);

#endif
