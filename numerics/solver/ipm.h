// The interior point method on a product of self-dual cones, independent of the space of its linear
// systems.
#ifndef SOLVER_IPM_H
#define SOLVER_IPM_H

#include "solver/block_system.h"
#include "solver/solver.h"

// The scaled problem z = A x + b + |z_T| e_N: A = D W D, b = D q / size, r = size D x, and z = D
// s(u) / size. The functions are what a space provides with A. Q and C are block diagonal, in the
// layout of block_system; Q is orthogonal: the frames in which systems are solved. Q is read only
// in Coulomb blocks with mu, and is the identity elsewhere.
typedef struct ipm_space {
    void *user;
    void (*mul)(void *user, const double *x, double *y); // y = A x
    // factorises Q' A Q + C for the following solves; false: singular
    bool (*factor)(void *user, const double *Q, const double *C);
    // b <- (Q' A Q + C)^-1 b, refined
    bool (*solve)(void *user, const double *C, double *b);
} ipm_space;

typedef struct ipm {
    const pcs_block *block; // nb
    int n, nb;
    int cones;         // number of blocks except equalities
    pcs_ipm_opts o;    //
    int *dim;          // nb: dimension of the cone, 0 for equality, 1 for Coulomb without mu
    double *D, size;   // n
    double *b, *x, *z; // n
    double *gx, *gz;   // nb, distances of x and z from the boundary
    double *dx, *dz;   // n, step
    double *Ax;        // n
    double *frame;     // 2 nb, t of the frame of the scaling, cone/jordan.h
    double *e;         // 3 nb, the scaling in it
    double *Q, *C;     // 9 nb, the frame and the block diagonal of the system in it
    double comp;       // x'z / cones
    double step;       // length of the last one
    bool half_lines;   // no cone has more than one row
} ipm;

// A block with mu below this counts as frictionless. The neglected forces are smaller than this
// part of the normal ones; below about this value the rounding of q alone, divided by mu, would be
// as large as z
#define IPM_FLAT 1e-13

// true for a Coulomb block that is one unilateral row with r_T = 0
static inline bool ipm_flat(const pcs_block *k)
{
    return k->cone == PCS_CONE_COULOMB && !(k->mu >= IPM_FLAT);
}

size_t ipm_bytes(int n, int nb);
// takes arrays only; false when the arena is too small
bool ipm_take(ipm *w, const pcs_ipm_opts *o, int n, int nb, const pcs_block *block,
              pcs_arena *arena);
// D from scales s (n), which convert r_i into a velocity; b from q; x = z = e
void ipm_begin(ipm *w, const double *s, const double *q);

// one iteration; false when it fails
bool ipm_iterate(ipm *w, const ipm_space *space);

// r of the iterate. settled: entries that converge to zero are set to zero
void ipm_impulse(const ipm *w, bool settled, double *r);

// ---- ipm.c

// measures the start, and r = 0 where that is a solution; true when the solve ends here
bool ipm_is_over(solver_track *t, double *r, double *u);
// Iterates from ipm_begin until the track or the method ends the solve. scratch (2 n): tries
// proofs of infeasibility, which need all of W in t->p; or null
void ipm_run(ipm *w, const ipm_space *space, solver_track *t, double *scratch, double *r,
             double *u);
// the iterate is so large that its direction may prove that there is no solution
bool ipm_diverges(const ipm *w);

#endif
