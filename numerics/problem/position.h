// One step of the position projection as a cone problem: assembled here, solved above.
#ifndef PROBLEM_POSITION_H
#define PROBLEM_POSITION_H

#include "linalg/mass.h"
#include <percuss/position.h>

// the data of one step, in the arena or borrowed
typedef struct position_step {
    int rows;         // m, and the unit rows of Q1
    pcs_bsr J;        // rows x coordinates of the metric
    block_lu X;       // factorised metric, unless it is the mass
    pcs_problem mlcp; // S and g
    double *g;        // rows
} position_step;

pcs_status position_check(const pcs_position_problem *p, pcs_metric metric);

// p has been checked
pcs_status position_assemble(const pcs_position_problem *p, pcs_metric metric, pcs_arena *arena,
                             position_step *s);

// dq (nq) from the multipliers L (rows); work holds one velocity
pcs_status position_move(const pcs_position_problem *p, pcs_metric metric, const position_step *s,
                         pcs_arena work, const double *L, double *dq);

#endif
