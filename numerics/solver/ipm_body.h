// The linear systems of the interior point method in body space: W = H M^-1 H^T is never formed.
// They are solved in the velocities of the bodies while that is accurate enough, then in velocities
// and impulses.
#ifndef SOLVER_IPM_BODY_H
#define SOLVER_IPM_BODY_H

#include "linalg/chol.h"
#include "linalg/sparse_lu.h"
#include "solver/ipm.h"

// The columns of a cone block: entry e is a block column of its rows of H.
typedef struct ipm_columns {
    int *ptr;      // nb + 1
    int *col;      // first velocity of an entry
    int *width;    // number of velocities of an entry
    size_t *off;   // first value of D H, dim x width
    size_t *place; // nb, first place in `at` of a block
    int *at;       // for each column of each entry f: where the rows of every entry e start in the
                   // values of S
} ipm_columns;

typedef struct ipm_body {
    const ipm *w;
    const pcs_global_problem *g;
    int nv;
    ipm_columns k;
    double *DH, *G;           // D H and G = Q' D H
    double *lu;               // factors of the blocks of C, 9 per block; equality: C itself
    int *piv;                 // 3 per block
    const double *Q;          // frames of the last factors
    pcs_csc M, S;             // S = M + G' C^-1 G, both triangles
    int *mass;                // place in S of each entry of M
    sparse_lu *sparse;        //
    chol_work *chol;          // factors of U, while M and C are symmetric
    pcs_csc U;                // the upper triangle of S in an order of little fill
    int *order, *to;          // nv: row order[i] is row i of U; entry of S -> of U, or -1
    bool symmetric;           // Cholesky is used
    bool analysed;            // the pattern has been analysed
    bool exact;               // all further solves use the larger system of ipm_saddle.c
    pcs_csc K;                // its matrix
    sparse_lu *large;         //
    bool known;               // its pattern has been analysed
    int *next;                // nv, next free entry of a column
    double *z;                // nv + n
    double *y, *y2;           // nv
    double *t, *right, *rest; // n
} ipm_body;

// Takes everything from the arena; PCS_ERR_MEMORY when it is too small, with the demand in its
// peak. PCS_ERR_UNSUPPORTED when S would be too large
pcs_status ipm_body_take(ipm_body *s, const ipm *w, const pcs_global_problem *g, pcs_arena *arena);
// after ipm_begin; false when memory ran out
bool ipm_body_begin(ipm_body *s);
void ipm_body_end(ipm_body *s);
ipm_space ipm_body_space(ipm_body *s);

// orders S for sparse Cholesky factors, and arranges U in that order; false: out of memory
bool ipm_body_order(ipm_body *s);

// ---- ipm_saddle.c

// `values` numbers in H
bool ipm_saddle_take(ipm_body *s, size_t values, pcs_arena *arena);
// after G has been written
bool ipm_saddle_factor(ipm_body *s, const double *C);
// x <- (G M^-1 G' + C)^-1 x
bool ipm_saddle_apply(ipm_body *s, double *x);

#endif
