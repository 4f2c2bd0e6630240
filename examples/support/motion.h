// Two solids watched step by step: rows of the table, what their impact did, and what every step
// must keep.
#ifndef EXAMPLES_MOTION_H
#define EXAMPLES_MOTION_H

#include "csv.h"
#include "solids.h"

#include <percuss/kernel.h>

#define MOTION_HEADER                                                       \
    "t,x1,y1,z1,q01,q11,q21,q31,vx1,vy1,vz1,wx1,wy1,wz1,"                   \
    "x2,y2,z2,q02,q12,q22,q32,vx2,vy2,vz2,wx2,wy2,wz2,impulse,gap,kinetic," \
    "potential,px,py,pz,Lx,Ly,Lz,scene"

typedef struct world {
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_system system[2]; // {0} for the ground
} world;

// poses and velocities of both; the ground is at the origin, at rest
void read_bodies(const world *w, double q[2][7], double v[2][6]);

// What the ground gave in the last step or impact: the sums over the bodies of their impulses p and
// of x x p + GP x p, at poses q. Between two bodies both vanish.
void sum_wrenches(const world *w, double q[2][7], double P[3], double L[3]);

// the impulse on the first, N s
double impulse_of(const world *w);

// the largest |a - b|, b null: of |a|; a NaN is the largest
double largest(int n, const double *a, const double *b);

// what is measured of the first step with an impulse, and over the whole run
typedef struct motion {
    const scene *s;
    const world *w;
    csv *out;
    double theta;
    bool once; // stop after the impact

    double q[2][7], v[2][6], P[3], L[3], kinetic; // at the end of the last step

    bool struck;
    double h, after[2][6], impulse, loss; // of the impact
    double jump[3], predicted[3];         // of the angular momentum
    double leak, closure;                 // worst of all steps: momentum, energy
} motion;

// a pcs_observer_fn; user is a motion
int motion_observe(void *user, const pcs_model *model, const pcs_state *state, const pcs_work *work,
                   const pcs_step_report *report);

#endif
