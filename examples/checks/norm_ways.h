// Six methods to keep |Q| = 1 while a body rotates, and the error of the motion with each.
#ifndef EXAMPLES_CHECKS_NORM_WAYS_H
#define EXAMPLES_CHECKS_NORM_WAYS_H

#include "csv.h"
#include "method.h"
#include "scenes/quaternion_body.h"

typedef enum norm_way {
    WAY_ADDITIVE,    // Q + h/2 Q (x) (0, omega), nothing done about |Q|
    WAY_NORMALISED,  // the same, then Q / |Q|
    WAY_EXPONENTIAL, // Q (x) exp(h omega)
    WAY_MULTIPLIER,  // the 15 x 15 system
    WAY_BAUMGARTE,   // with alpha
    WAY_PROJECTED,   // with |Q| = 1 and Q.Q' = 0 restored after every step
    WAYS
} norm_way;

const char *way_name(norm_way way);

typedef struct way_run {
    const quaternion_body *body; // its `tilting` is 0
    double Q[4], omega[3];       // at the start; omega in body axes
    double alpha;                // of Baumgarte, 1/s
    double t_end;
    const char *method; // of the 15 x 15 system; the first three take omega by the midpoint rule
} way_run;

typedef struct way_result {
    double norm, energy; // largest | |Q| - 1 |, and of the energy, relative (0 if there is torque)
    double attitude;     // root mean square over the steps, rad
    double growth;       // of the additive method: |Q| at the end, by the product of its steps
    double x[7];         // (Q, omega) at the end
    double seconds;      // of processor time, a step
    double evaluations;  // a step, of omega' or of the 15 x 15 system
} way_result;

// Where the body is at t: closed form for a free body with J1 = J2, else by Gauss with 8 stages.
typedef struct way_reference way_reference;
pcs_status reference_create(const way_run *run, double step, way_reference **out);
void reference_destroy(way_reference *r);
// (Q, omega) after i steps of the step it was made with
const double *reference_at(const way_reference *r, int i);

// n steps to t_end; the reference has every `stride`-th of its states at one of them
pcs_status way_follow(const way_run *run, norm_way way, int n, const way_reference *ref, int stride,
                      csv *out, way_result *result);

#endif
