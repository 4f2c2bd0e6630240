// What the sequences of `auto` share: the problem, the best r so far, the budget, and the call of
// another solver from that r.
#ifndef SOLVER_PORTFOLIO_H
#define SOLVER_PORTFOLIO_H

#include "solver/auto_part.h"
#include "solver/solver.h"

typedef struct portfolio {
    const pcs_problem *p;
    const pcs_solver_opts *o;
    pcs_watch user, watch; // that of the caller; the same with the number of the part, or none
    auto_part part;        // at work; 0: the start
    pcs_arena work;
    solver_track t;
    double budget;   // products with W left
    int rows;        // unilateral rows
    int contacts;    // Coulomb blocks and boxes
    int boxes;       // boxes
    double *s;       // n scales
    double *scratch; // 2 n, for certificates
    double *r, *u;   // n, arrays of the caller
    pcs_solver winner;
    auto_part winning; // the part of the winner
    double least;      // pcs_report.least of the path, and its undecided blocks
    int undecided;
    bool infeasible; // proved
    bool over;       // converged, stopped or out of time
} portfolio;

// products with W that a step with a dense factorisation of n rows costs
static inline double portfolio_dense_step(int n)
{
    return 10 + 2.0 * n / 3;
}

// the defaults of a part, with the tolerance and the stop of the whole
pcs_solver_opts portfolio_options(const portfolio *f, const solver_class *c);

// measures r projected on K; true when the solve is over
bool portfolio_measure(portfolio *f, double *r);

// the watch that adds the number of the part to what the user's is told
pcs_watch portfolio_watch(portfolio *f);

// the best r is from this solver, in the part at work
void portfolio_credit(portfolio *f, pcs_solver solver);

// begins a part; false where it is left out
bool portfolio_begins(portfolio *f, auto_part part);

// Runs a part from the best r, or from `start` if that is not null, within the budget at `cost`
// products per iteration; r and u are left at its result. Does nothing when the solve is over.
pcs_status portfolio_run(portfolio *f, const solver_class *c, const pcs_solver_opts *part,
                         double cost, const double *start);

// tries a few directions that may prove that there is no solution
bool portfolio_refuted(portfolio *f);

// the two sequences: without friction and with it
pcs_status portfolio_rows(portfolio *f);
size_t portfolio_rows_bytes(const pcs_problem *p, const pcs_solver_opts *o);
pcs_status portfolio_friction(portfolio *f);
size_t portfolio_friction_bytes(const pcs_problem *p, const pcs_solver_opts *o);

#endif
