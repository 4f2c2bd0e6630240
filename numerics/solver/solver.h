// What a row of the solver table is. A new solver is: an enum value, its options in the union,
// a file that ends with its row, a line in registry.c, a page in doc/.
#ifndef SOLVER_SOLVER_H
#define SOLVER_SOLVER_H

#include "base/base.h"
#include <percuss/solver.h>

typedef struct solver_class {
    pcs_solver_info info;
    pcs_solver_opts defaults;

    // arena bytes that solve takes
    size_t (*work_bytes)(const pcs_problem *p, const pcs_solver_opts *o);

    // p, o and r have been checked. Writes r and u; fills outcome, iters and solver of *out. The
    // caller measures the r returned and overrules PCS_CONVERGED when the measure disagrees.
    pcs_status (*solve)(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out);
} solver_class;

extern const solver_class solver_auto, solver_direct, solver_enum, solver_lemke, solver_nsgs,
    solver_newton;

// the row of a kind, or null
const solver_class *solver_class_of(pcs_solver kind);

// what o->stop asks to be compared with o->tol
double solver_stop_value(const pcs_solver_opts *o, const pcs_measure *m);

#endif
