// Linear algebra on a set of closed rows: u = 0 where closed, r = 0 where open.
#ifndef SOLVER_ACTIVE_H
#define SOLVER_ACTIVE_H

#include "linalg/chol.h"
#include "problem/problem.h"
#include "solver/solver.h"

typedef struct active_set {
    const pcs_problem *p;
    const double *s;       // n scales, from problem_scales
    double shift;          // u = W r + q + shift S (r - center) for a proximal problem; 0: plain
    const double *center;  // n
    unsigned char *closed; // n, 1: u_i = 0; always 1 on equality rows
    int *place;            // n, index among the closed rows, or -1
    int *list;             // n, the closed rows
    double *d;             // n, a step of the closed rows
    double *best;          // n, the closed part of the best r of a solve
    double *A;             // a dense matrix of up to `room` entries
    size_t room;
    double *own;              // A where it was allocated, or null
    int *piv;                 // n
    struct active_sparse *sp; // null: W is dense, far from symmetric, or has no positive diagonal
    bool skew;                // W is not symmetric: sp factors its symmetric part
    bool sparse;              // the factors are those of sp
    bool least;               // take least squares where the proximal steps fail
    pcs_arena arena;          // for least squares
} active_set;

// true when W has so few entries that its sets are factorised as sparse
bool active_is_sparse(const pcs_problem *p);

// false: too many rows for this method
bool active_takes(const pcs_problem *p);

size_t active_bytes(const pcs_problem *p);

// takes its arrays from the arena; all rows are open except equalities; false: the arena is too
// small. Sparse sets are allocated by CHOLMOD, and dense ones where CHOLMOD fails: call active_free
// in every case, also after false
bool active_begin(active_set *a, const pcs_problem *p, const double *s, pcs_arena *work);
void active_free(active_set *a);

// closes the unilateral rows where s_i r_i > u_i
void active_guess(active_set *a, const double *r, const double *u);

// How active_solve ended.
typedef enum active_end {
    ACTIVE_REGULAR,  // solved, W_AA regular
    ACTIVE_SINGULAR, // solved, W_AA singular: the solution nearest the start r
    ACTIVE_LEAST,    // no solution: least squares, or proximal steps that did not converge
    ACTIVE_LOST      // the matrix does not fit, or memory ran out
} active_end;

// r <- 0 on open rows, W_AA r_A = -q_A on closed rows, started from r; u = W r + q
active_end active_solve(active_set *a, double *r, double *u);

#endif
