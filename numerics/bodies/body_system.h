// Linear systems with W = H A^-1 H^T in the velocities of bodies: W is never formed. For a diagonal
// D and block diagonal Q (orthogonal) and C,
//
//     (G A^-1 G' + C) x = b,   G = Q' D H
//
// is what an iteration of ipm and of admm solves.
#ifndef BODIES_BODY_SYSTEM_H
#define BODIES_BODY_SYSTEM_H

#include "linalg/chol.h"
#include "linalg/sparse_lu.h"
#include "problem/global.h"
#include "solver/self_dual.h"

// from this many blocks on the first factors of ipm are those of fronts, which lose digits that KLU
// keeps but cost a quarter of its
#define BODY_SYSTEM_MANY 1000

// Directions of a solve. Where they leave too much, the larger system takes the place of S: until
// the next factors, or from then on
enum { BODY_SYSTEM_DIRECTIONS = 10 };

// The columns of a cone block: entry e is a block column of its rows of H.
typedef struct body_columns {
    int *ptr;      // nb + 1
    int *col;      // first velocity of an entry
    int *width;    // number of velocities of an entry
    size_t *off;   // first value of D H, dim x width by rows
    size_t *place; // nb, first place in `at` of a block
    int *at;       // for each entry f and e and each column of f: where the rows of e start in the
                   // values of S
} body_columns;

typedef struct body_system {
    const pcs_global_problem *g; // A is g->M
    const int *turned;           // nb: Q of a block is the identity unless this is above 1; or null
    int n, nv;
    body_columns k;
    double *DH, *G;           // G is DH where no block is rotated
    double *lu;               // factors of the blocks of C, 9 per block; equality: C itself
    int *piv;                 // 3 per block
    double *X;                // C^-1 times an entry
    const double *Q;          // frames of the last factors
    double rho;               // the last factors are for C = rho I; 0: for the blocks in lu
    pcs_csc M, S;             // S = A + G' C^-1 G, both triangles
    int *mass;                // place in S of each entry of M
    sparse_lu *sparse;        //
    chol_work *chol;          // factors of U, while A and C are symmetric
    pcs_csc U;                // the upper triangle of S in an order of little fill
    int *order, *to;          // nv: row order[i] is row i of U; entry of S -> of U, or -1
    bool symmetric;           // Cholesky is used
    bool analysed;            // the pattern has been analysed
    bool repeated;            // the factors have the pivots of earlier ones
    bool exact;               // further solves use the larger system of body_system_saddle.c
    bool anew;                // until the next factors only
    pcs_csc K;                // its matrix
    sparse_lu *large;         // null: there is none
    bool known;               // its pattern has been analysed
    int *next;                // nv, next free entry of a column
    double *z;                // nv + n
    double *y, *y2;           // nv
    double *t, *right, *rest; // n
    double *Z, *V;            // n x BODY_SYSTEM_DIRECTIONS: directions of a solve, and their images
} body_system;

// Takes everything from the arena; PCS_ERR_MEMORY when it is too small, with the demand in its
// peak. PCS_ERR_UNSUPPORTED when S would be too large. symmetric: C will be; rotated: as above;
// exact: body_system_solve may need the larger system
pcs_status body_system_take(body_system *s, const pcs_global_problem *g, bool symmetric,
                            const int *turned, bool exact, pcs_arena *arena);
void body_system_end(body_system *s);

// Units of an iteration that factorises S once and solves twice. Analyses the pattern where factors
// are LU; the others are counted by their size
double body_system_cost(body_system *s);

// What self_dual_space and scaled_space call, `user` a body_system. D: n; false when memory ran out
bool body_system_begin(void *user, const double *D);
// y = D H A^-1 H' D x; NaN where that fails
void body_system_mul(void *user, const double *x, double *y);
// Q and C in the layout of block_system; or C = rho I where no block is turned. False: singular
bool body_system_factor(void *user, const double *Q, const double *C);
bool body_system_shift(void *user, double rho);
// x <- (G A^-1 G' + C)^-1 x: to the accuracy of the factors, and refined as self_dual_space says
bool body_system_apply(void *user, double *x);
bool body_system_solve(void *user, const double *C, double enough, double *x);
// Lets all further factors choose any pivots, which keep digits that those of fronts may lose;
// false where they already do
bool body_system_pivot(body_system *s);
// the sign of det(G A^-1 G' + C) from the last factors, where det C > 0
int body_system_sign(void *user);
self_dual_space body_system_space(body_system *s);

// orders S for sparse Cholesky factors, and arranges U in that order; false: out of memory
bool body_system_order(body_system *s);

// ---- body_system_saddle.c

// `values` numbers in H
bool body_saddle_take(body_system *s, size_t values, pcs_arena *arena);
// after G has been written
bool body_saddle_factor(body_system *s, const double *C);
// x <- (G A^-1 G' + C)^-1 x
bool body_saddle_apply(body_system *s, double *x);

#endif
