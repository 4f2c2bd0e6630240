// A proof that a problem of few blocks has no solution, with friction too: every status of every
// block is excluded.
#ifndef SOLVER_EXCLUDE_H
#define SOLVER_EXCLUDE_H

#include "problem/masses.h"

typedef struct exclusion {
    double most;           // multiplications that the search may spend
    problem_masses masses; // of the bodies, or nulls: all have one mass
    double *y; // n or null: a proof without any decision, as that of pcs_certificate_refute; or 0
    double spent; // multiplications
    int nodes;    // linear programmes
    bool none;    // proved: there is no solution
    bool cut;     // `most` ended the search, or is not enough for its first programme
} exclusion;

// Looks for the proof. PCS_ERR_MEMORY where the arena is too small
PCS_API pcs_status problem_exclude(const pcs_problem *p, pcs_arena work, exclusion *x);

#endif
