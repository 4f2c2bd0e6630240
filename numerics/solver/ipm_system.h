// The linear systems of the interior point method in contact space, A + C with A = D W D and C
// block diagonal: Cholesky while A and C are symmetric, LU otherwise.
#ifndef SOLVER_IPM_SYSTEM_H
#define SOLVER_IPM_SYSTEM_H

#include "linalg/chol.h"
#include "solver/ipm.h"

typedef struct ipm_system {
    pcs_problem p;   // the problem of Q' A Q, with the same blocks
    double *A;       // the values of A
    double *rotated; // values of Q' A Q, or null where all frames are the identity
    int *block;      // n, the block of a row
    const ipm *w;
    bool symmetric;     // Cholesky is tried first
    bool dense;         // uses a full matrix
    double *K;          // n x n when dense
    chol_work *chol;    // else this
    pcs_csc U;          // the upper triangle of A + C, its rows in an order with little fill
    int *place, *order; // n, row i is at place[i]
    int *next;          // n, the next free entry of a column
    int *diagonal;      // n, entry (i, i)
    int *off;           // 3 nb, entries (0, 1), (0, 2), (1, 2) of a block
    bool analysed;
    pcs_arena arena; // memory for the LU that replaces symmetric factors when they fail
    block_system lu;
    double *t, *t2, *right; // n
} ipm_system;

size_t ipm_system_bytes(const pcs_problem *p);
// false when memory ran out
bool ipm_system_begin(ipm_system *s, const ipm *w, const pcs_problem *p, pcs_arena *arena);
void ipm_system_end(ipm_system *s);
ipm_space ipm_system_space(ipm_system *s);

#endif
