// The contact problem on a product of self-dual cones, which ipm and homotopy solve, and what they
// need of a space of linear systems. With the rows of a Coulomb block scaled by D = s diag(1/mu, 1,
// 1) its cone and the dual cone both become Q = { x_N >= |x_T| } (cone/jordan.h):
//
//     z = A x + b + |z_T| e_N,   A = D W D,   b = D q / size,   r = size D x,   z = D s(u) / size
#ifndef SOLVER_SELF_DUAL_H
#define SOLVER_SELF_DUAL_H

#include "solver/block_system.h"
#include "solver/solver.h"

typedef struct self_dual {
    const pcs_block *block; // nb
    int n, nb;
    int cones;       // number of blocks except equalities, boxes twice; at least 1
    bool half_lines; // no cone has more than one row
    int *dim;        // nb: dimension of the cone; 0: equality, 1: box, or Coulomb without mu
    double *D, size; // n
    double *b;       // n
    double *bound;   // nb: |x| <= bound in a box, 0 elsewhere
    double *Q, *C;   // 9 nb, frames and the block diagonal of the system in them
} self_dual;

// Systems with Q' A Q + C. Q and C are block diagonal, in the layout of block_system; Q is
// orthogonal: the frames in which systems are solved. Q is read only in blocks of more than one
// dimension, and is the identity elsewhere.
typedef struct self_dual_space {
    void *user;
    void (*mul)(void *user, const double *x, double *y); // y = A x
    // factorises Q' A Q + C for the following solves; false: singular
    bool (*factor)(void *user, const double *Q, const double *C);
    // b <- (Q' A Q + C)^-1 b, refined until the residual is at most this part, `enough`, of the
    // larger of the right side and the solution, or further
    bool (*solve)(void *user, const double *C, double enough, double *b);
    // the sign of det(Q' A Q + C), after `factor` and the solves with it; det C > 0
    int (*sign)(void *user);
    // a diagonal of C that is smaller loses its digits in the factors, and the sign
    double floor;
} self_dual_space;

// proximal weight of equality rows, for a diagonal of one
#define EQUALITY_WEIGHT 1e-10
// weight that holds tangential rows without friction at zero
#define FLAT_WEIGHT 1e30

size_t self_dual_bytes(int n, int nb);
// takes arrays only; false when the arena is too small
bool self_dual_take(self_dual *k, int n, int nb, const pcs_block *block, pcs_arena *arena);
// D and dim from scales s (n), which convert r_i into a velocity; b from q
void self_dual_begin(self_dual *k, const double *s, const double *q);

#endif
