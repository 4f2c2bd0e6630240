// The linear systems of the finish, in the velocities of bodies:
//
//     (A + H^T B H) x = g
//
// A is the iteration matrix and B is block diagonal. Where contacts slide, B is not symmetric. The
// symmetric positive definite matrix S = (A + A^T) / 2 + H^T C H is factorised, where C is B
// without the coupling of friction to the normal impulse; GMRES in the inner product of S^-1 solves
// the system.
#ifndef BODIES_FINISH_SYSTEM_H
#define BODIES_FINISH_SYSTEM_H

#include "bodies/bodies.h"
#include "linalg/chol.h"
#include <percuss/problem.h>

// numbers of B or C per block; an equality block uses only the first, a multiple of the identity
enum { SLOPES = 9 };

// number of vectors that GMRES keeps
enum { KRYLOV = 20 };

// The scalar upper triangle of S, its systems in an order with little fill: column block j holds
// the systems col[ptr[j] ..] before it, then j itself.
typedef struct finish_pattern {
    int *order, *place;     // systems by place, and back
    int *first;             // ns + 1, first scalar of a place
    int *ptr, *col, *above; // systems of each column block, and the scalar rows above each
    int *height;            // scalar rows of a column block
    size_t *base;           // first value of a column block
    pcs_csc U;
} finish_pattern;

// two systems between which A has entries: A_01 and A_10, column-major
typedef struct finish_pair {
    int sys[2];
    const double *A[2];
} finish_pair;

typedef struct finish_system {
    const bodies_problem *b;
    int nv, ns;
    size_t *j[2];        // nb, first value of the rows of each side in J
    double *J;           // dim x width, by rows
    size_t *a;           // ns, first value of a block of A
    double *A;           //
    int pairs;           // of systems that A joins
    finish_pair *pair;   //
    double *v_free, *q;  // nv; n, H v_free + shift
    double *scale;       // nb, 1 / rho of theory 7.7
    double *B, *C;       // SLOPES per block
    double *CJ;          // dim x width, by rows
    int *at;             // width, places of the columns of a block in S.U.x
    unsigned char *held; // nb, whether the pattern includes the block
    chol_work *chol;     //
    finish_pattern S;    //
    double *ones;        // nb, values of the graph to be ordered
    bool known;          // the pattern has been analysed
    double *t, *p;       // n: products
    double *x;           // nv, in the order of S
    double *Y, *Z;       // nv x (KRYLOV + 1)
} finish_system;

// Takes the rows, the blocks of A, v_free (copied) and memory; PCS_ERR_UNSUPPORTED when S would be
// too large. Call finish_system_end in every case: it frees what CHOLMOD allocated
pcs_status finish_system_take(finish_system *s, const bodies_problem *b, const double *v_free,
                              pcs_arena *arena);
void finish_system_end(finish_system *s);

// y = H x, y += H^T r, y = A x
void finish_rows(const finish_system *s, const double *x, double *y);
void finish_impulses(const finish_system *s, const double *r, double *y);
void finish_mass(const finish_system *s, const double *x, double *y);

// v = v_free + A^-1 H^T r, u = H v + shift and the measure of r, without the rounding
void finish_system_measure(const finish_system *s, const double *r, double *v, double *u,
                           pcs_measure *out);

// finds the pattern of S with the present C, so that its cost is known; false: out of memory
bool finish_system_analyse(finish_system *s);

// factorises S with the present C; CHOL_LOST when memory ran out
chol_outcome finish_system_factor(finish_system *s);

// cost of a factorisation of the pattern, and of an iteration of finish_system_solve, in visits of
// a block by a sweep
void finish_system_cost(const finish_system *s, double *factor, double *iteration);

// x with |A x + H^T B H x - g| <= tol |g| if possible; returns the number of steps, negative when
// it failed
int finish_system_solve(finish_system *s, const double *g, double tol, double *x);

#endif
