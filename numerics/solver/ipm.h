// The interior point method on a product of self-dual cones (solver/self_dual.h), independent of
// the space of its linear systems.
#ifndef SOLVER_IPM_H
#define SOLVER_IPM_H

#include "solver/self_dual.h"

typedef struct ipm {
    self_dual k;
    pcs_ipm_opts o;
    double *x, *z;   // n
    double *gx, *gz; // nb, distances of x and z from the boundary
    double *dx, *dz; // n, step
    double *Ax;      // n
    double *frame;   // 2 nb, t of the frame of the scaling, cone/jordan.h
    double *e;       // 3 nb, the scaling in it
    double comp;     // x'z / cones
    double step;     // length of the last one
    struct {
        double *gap, *z, *dz; // nb, of the upper side of a box; gx and z are of the lower one
    } box;
} ipm;

size_t ipm_bytes(int n, int nb);
// takes arrays only; false when the arena is too small
bool ipm_take(ipm *w, const pcs_ipm_opts *o, int n, int nb, const pcs_block *block,
              pcs_arena *arena);
// D from scales s (n), which convert r_i into a velocity; b from q; x = z = e
void ipm_begin(ipm *w, const double *s, const double *q);

// After ipm_begin: x and z near r and z(r), on the central path of a perturbed problem, x o z = t
// e, with t by the error of r: the larger this is, the farther from the boundary
void ipm_begin_near(ipm *w, const self_dual_space *space, const double *r);

// true where C is symmetric: the gradient of the shift of friction is not
static inline bool ipm_symmetric(const ipm *w)
{
    return w->o.shift == PCS_IPM_SHIFT_LAGGED || w->k.half_lines;
}

// one iteration; false when it fails
bool ipm_iterate(ipm *w, const self_dual_space *space);

// r of the iterate. settled: entries that converge to zero are set to zero
void ipm_impulse(const ipm *w, bool settled, double *r);

// ---- ipm.c

// ipm_begin_near, where the options say so
void ipm_start(ipm *w, const self_dual_space *space, const double *r);
// Iterates from there until the track or the method ends the solve; the track counts on. scratch (2
// n): tries proofs of infeasibility, which need all of W in t->p; or null
void ipm_run(ipm *w, const self_dual_space *space, solver_track *t, double *scratch, double *r,
             double *u);
// the iterate is so large that its direction may prove that there is no solution
bool ipm_diverges(const ipm *w);

#endif
