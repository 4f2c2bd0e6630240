// The linear systems of solver/self_dual.h in contact space, A + C with A = D W D and C
// block diagonal: Cholesky while A and C are symmetric, LU otherwise.
#ifndef SOLVER_SELF_DUAL_SYSTEM_H
#define SOLVER_SELF_DUAL_SYSTEM_H

#include "linalg/chol.h"
#include "solver/self_dual.h"

typedef struct self_dual_system {
    pcs_problem p;   // the problem of Q' A Q, with the same blocks
    double *A;       // the values of A
    double *rotated; // values of Q' A Q, or null where all frames are the identity
    int *block;      // n, the block of a row
    const self_dual *k;
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
} self_dual_system;

size_t self_dual_system_bytes(const pcs_problem *p);
// symmetric: C will be; false when memory ran out
bool self_dual_system_begin(self_dual_system *s, const self_dual *k, bool symmetric,
                            const pcs_problem *p, pcs_arena *arena);
void self_dual_system_end(self_dual_system *s);
self_dual_space self_dual_system_space(self_dual_system *s);

#endif
