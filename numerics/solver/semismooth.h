// Shared by newton, prox and polish: the problem scaled to one unit, a complementarity function of
// it, Newton steps and their line search.
//
// With S the scales of the rows (one for the normal and one for the tangents of a Coulomb block),
// a = S^1/2 r, b = S^-1/2 u and mu^ = mu (s_T / s_N)^1/2 the problem keeps its form:
//
//     b = W^ a + q^,   W^ = S^-1/2 W S^-1/2,   F(a, b) = 0
//     J = A W^ + B,    A = dF/db,   B = dF/da
#ifndef SOLVER_SEMISMOOTH_H
#define SOLVER_SEMISMOOTH_H

#include "solver/block_system.h"
#include "solver/solver.h"

typedef struct semismooth {
    const pcs_problem *p;
    pcs_newton_function f;
    pcs_problem z;  // the scaled problem; the blocks of its W are the cone blocks
    double *root;   // n, S^1/2
    double shift;   // b = W^ a + q^ + shift (a - center): a proximal problem
    double *center; // n
    double *q;      // n, q^

    double *a, *b;        // n, the iterate
    double *F;            // n
    double merit;         // |F|^2 / 2
    double *A, *B;        // slopes, BLOCK_SYSTEM_STRIDE per block
    double *d;            // n, a step
    double *Jd;           // n
    double *next, *nextb; // n
    double taken;         // accepted part of the last step

    // the blocks with A != 0, as a problem of their own
    pcs_problem sub;
    int *list, *place;   // nb
    unsigned char *was;  // nb, in the last sub
    bool ready;          // system belongs to sub
    pcs_block *block[2]; // the blocks of z and of sub
    block_system system;
    double *subA, *subB, *x, *y; // as A, A, n, n
    pcs_arena pool;              // memory for the system and least squares
} semismooth;

size_t semismooth_bytes(const pcs_problem *p);

// false when the arena is too small; call semismooth_end in both cases
bool semismooth_begin(semismooth *w, const pcs_problem *p, pcs_newton_function f, pcs_arena *arena);
void semismooth_end(semismooth *w);

// set: starts from r; get: returns the iterate projected on K
void semismooth_set(semismooth *w, const double *r);
void semismooth_get(const semismooth *w, double *r);

// F and slopes at the iterate
void semismooth_slopes(semismooth *w);

// How a step was found.
typedef enum semismooth_end_of_step {
    STEP_REGULAR, // J d = -F
    STEP_NEAREST, // J singular: d solves it, or is nearest to a solution
    STEP_NONE
} semismooth_end_of_step;

// d with J d = -F. Where J is singular: of least norm when delta is 0 and the matrix is small,
// else by proximal steps of weight delta on the scaled diagonal.
semismooth_end_of_step semismooth_step(semismooth *w, double delta);

// moves along d to where |F|^2 / 2 <= worst (1 - c t)^2, c small; false when no length t does
bool semismooth_search(semismooth *w, double worst, int halvings);

// sweeps of Gauss-Seidel with exact contacts
void semismooth_sweep(semismooth *w, int sweeps);

#endif
