// Solutions of the problems of pile.h by bodies_solve and bodies_finish.
#ifndef SUPPORT_ANSWER_H
#define SUPPORT_ANSWER_H

#include "pile.h"

typedef struct answer {
    double *v, *r, *u;
    bodies_report report;
} answer;

// v_free, and r or zero; memory from malloc, released by answer_free
answer answer_new(const pile *p, const double *r);
void answer_free(answer *a);

// the defaults of the solver with this tolerance
pcs_solver_opts options(pcs_solver kind, double tol);

// bytes of arena that suffice
size_t answer_room(const pile *p);

// bodies_solve, started from r or from zero
answer answer_from(const pile *p, const pcs_solver_opts *o, threads *team, const double *r);

// Fails the test unless the measure of a report is that of pcs_problem_measure for r with W
// assembled, and v and u belong to r; returns the residual
double expect_honest(const pile *p, const answer *a);

#endif
