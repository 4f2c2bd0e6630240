// The impact of two solids worked out by hand: everything in the inertial frame, the LCP solved by
// trying all sets of closed contacts. Shares nothing with the library but the rotation of a vector.
#ifndef EXAMPLES_HAND_H
#define EXAMPLES_HAND_H

#include <stdbool.h>

#define HAND_MOST 4 // contacts

typedef struct hand_body {
    bool fixed;
    double mass, inertia[3]; // principal moments
    double x[3], Q[4];       // centre, orientation body to inertial
    double v[3], omega[3];   // inertial frame, body frame
} hand_body;

typedef struct hand_contact {
    double P[3], N[3]; // inertial; N from body 2 into body 1
} hand_contact;

typedef struct hand_result {
    double W[HAND_MOST][HAND_MOST]; // Delassus operator
    double u[HAND_MOST];            // normal velocities before
    double p[HAND_MOST];            // impulses, N s; one of many if W is singular
    double v[2][6];                 // velocities after: inertial, omega in the body frame
    double loss;                    // of kinetic energy, J
} hand_result;

// 0 <= p _|_ u' + e u >= 0 with u' = W p + u. False if no set of contacts solves it.
bool hand_impact(const hand_body body[2], int n, const hand_contact *contact, double e,
                 hand_result *out);

double hand_kinetic(const hand_body *b, const double v[6]);

// vectors
double hand_dot(const double a[3], const double b[3]);
void hand_cross(const double a[3], const double b[3], double out[3]);

#endif
