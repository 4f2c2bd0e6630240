// The iteration of admm on a scaled problem, for admm itself and for the inner problems of aclm.
// One vector w carries it: with the penalty rho, the relaxation a,
//
//     z = P_K(w),  y = w - z,  -rho y in K* the shifted velocity,  s_i = mu |rho y_T,i| or frozen
//     x = (W + rho I)^-1 (rho (z - y) - q - s e_N)
//     w <- y + a x + (1 - a) z
//
// The map w -> w is the Douglas-Rachford operator; it is averaged, and converges, for a frozen s
// and a W + W' without negative eigenvalues. Anderson acceleration is applied to it, and undone
// when it makes the step longer.
#ifndef SOLVER_SPLITTING_H
#define SOLVER_SPLITTING_H

#include "solver/anderson.h"
#include "solver/shifted.h"

typedef struct splitting {
    const scaled *s;
    shifted_lu factor;
    double rho, relax, damping;
    const double *frozen; // nb shifts, or null: they follow y
    bool bounded;         // frozen are bounds of |x_T| instead, and there is no shift
    double *x, *z, *old;  // n
    double *w;            // n, and nb shifts over rho
    double *plain;        // the map of w
    double *back;         // the result of the map that acceleration replaced
    anderson a;
    bool trial;          // w is a candidate of the acceleration
    double length;       // |G(w) - w| of the last step that was kept
    double primal, dual; // |x - z| / |z| and |z - z before| / |y|
} splitting;

size_t splitting_bytes(const pcs_problem *p, int depth);

// false: the arena is too small; call splitting_free in every case
bool splitting_begin(splitting *a, const scaled *s, int depth, pcs_arena *work);
void splitting_free(splitting *a);

// starts from x with velocity u = W x + q, or again with another rho; false: no factors
bool splitting_start(splitting *a, double rho, const double *x, const double *u);

// the frozen values have changed
void splitting_moved(splitting *a);

// changes rho and keeps the iterate
bool splitting_penalty(splitting *a, double rho);

// one iteration; z is in K. False: out of memory
bool splitting_step(splitting *a);

#endif
