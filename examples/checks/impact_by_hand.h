// The impact of two solids worked out by hand: everything in the inertial frame, the LCP solved by
// trying all sets of closed contacts. Shares nothing with the library but the rotation of a vector.
#ifndef EXAMPLES_CHECKS_IMPACT_BY_HAND_H
#define EXAMPLES_CHECKS_IMPACT_BY_HAND_H

#include "scenes/two_solids_scene.h"

typedef struct hand_result {
    double W[MOST_TOUCHES][MOST_TOUCHES]; // Delassus operator
    double u[MOST_TOUCHES];               // normal velocities before
    double p[MOST_TOUCHES];               // impulses, N s; one of many if W is singular
    double v[2][6];                       // velocities after: inertial, omega in the body frame
    double loss;                          // of kinetic energy, J
} hand_result;

// 0 <= p _|_ u' + e u >= 0 with u' = W p + u. False if no set of contacts solves it.
bool hand_impact(const solid body[2], int n, const touch_point *contact, double e,
                 hand_result *out);

// vectors
double hand_dot(const double a[3], const double b[3]);
void hand_cross(const double a[3], const double b[3], double out[3]);

#endif
