// One box on the ground: what its contacts did in a step, found from impulses and places alone.
#ifndef EXAMPLES_CHECKS_BRICK_CONTACTS_H
#define EXAMPLES_CHECKS_BRICK_CONTACTS_H

#include "checks/free_box.h"

#include <percuss/kernel.h>

// The worst of a run so far, or of one impact. Zero: as the laws say.
typedef struct ground_faults {
    double momentum;    // m/s of the centre: m dv = h m g + sum of F r
    double spin;        // m/s of a vertex: J dw = h M_theta + sum of R^T (GP x F r)
    double restitution; // m/s below u_N' = -e u_N
    double cone;        // |r_T| - mu r_N, of the largest r_N
    double normal;      // J gained by a normal impulse while approaching
    double tangential;  // J gained by u_T' . r_T
} ground_faults;

// impulses of the last step or impact: their sum, their normal parts, how many there are
typedef struct ground_push {
    double p[3], normal;
    int contacts;
} ground_push;

// Of the only body of a model, a `box`, whose last step of h (0: an impact) began at q0, v0 and
// ended with v1. Faults that are larger than those in *worst replace them.
pcs_status ground_look(const pcs_model *model, pcs_work *work, const free_box *box, double h,
                       const double q0[7], const double v0[6], const double v1[6],
                       ground_faults *worst, ground_push *out);

#endif
