// The interior point method on a product of self-dual cones, whatever space its linear systems are
// solved in.
#ifndef SOLVER_IPM_H
#define SOLVER_IPM_H

#include "solver/block_system.h"
#include "solver/solver.h"

// The scaled problem z = A x + b + |z_T| e_N: A = D W D, b = D q / size, r = size D x, and
// z = D s(u) / size. What a space does with A; Q and C are block diagonal, in the layout of
// block_system, Q orthogonal: the frames in which systems are solved. It is only looked at in
// Coulomb blocks with mu, and is the identity elsewhere.
typedef struct ipm_space {
    void *user;
    void (*mul)(void *user, const double *x, double *y); // y = A x
    // Q' A Q + C, to be kept; false: singular
    bool (*factor)(void *user, const double *Q, const double *C);
    // b <- (Q' A Q + C)^-1 b, refined
    bool (*solve)(void *user, const double *C, double *b);
} ipm_space;

typedef struct ipm {
    const pcs_block *block; // nb
    int n, nb;
    int cones;         // blocks but equality
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

// A block with mu below this is taken for one of mu = 0. The forces it leaves out are smaller than
// this part of the normal ones; from about here on rounding of q alone, divided by mu, would be
// as large as z
#define IPM_FLAT 1e-13

// true for a Coulomb block that is one unilateral row with r_T = 0
static inline bool ipm_flat(const pcs_block *k)
{
    return k->cone == PCS_CONE_COULOMB && !(k->mu >= IPM_FLAT);
}

size_t ipm_bytes(int n, int nb);
// arrays only; false when the arena is too small
bool ipm_take(ipm *w, const pcs_ipm_opts *o, int n, int nb, const pcs_block *block,
              pcs_arena *arena);
// D from scales s (n), of which each turns r_i into a velocity; b from q; x = z = e
void ipm_begin(ipm *w, const double *s, const double *q);

// one iteration; false when it cannot go on
bool ipm_iterate(ipm *w, const ipm_space *space);

// r of the iterate. settled: with what will vanish already zero
void ipm_impulse(const ipm *w, bool settled, double *r);
// the largest |x_i|
double ipm_largest(const ipm *w);

#endif
