// Private side of the point contact: levers GP = P - G, inertial components.
#ifndef RELATIONS_CONTACT_H
#define RELATIONS_CONTACT_H

#include <percuss/contact.h>

// dP/dQ (3 x 4) from the lever GP of a body-fixed point
void lever_gradient(const double Q[4], const double GP[3], double dPdQ[12]);

// (N^T dP/dQ) (1 x 4) from the moment GP x N
void moment_gradient(const double Q[4], const double moment[3], double row[4]);

// the unit vector of a - b, two computed points, and their distance; zero and 0 when they
// coincide up to their rounding
double apart(const double a[3], const double b[3], double unit[3]);

#endif
