// A body that rotates about a fixed point, or about its centre of mass, as x' = f(t, x) with x =
// (Q, omega), body axes along its principal axes:
//
//     dQ/dt = 1/2 Q (x) (0, omega),  J domega/dt = M - omega x J omega.
//
// M is constant in the body, and the weight acts on the third axis. Both sides are polynomials in
// x, and |Q|^2, the energy and (with J1 = J2, no torque) omega_3 are quadratic or linear in it:
// Gauss methods keep them to rounding.
#ifndef EXAMPLES_SCENES_QUATERNION_BODY_H
#define EXAMPLES_SCENES_QUATERNION_BODY_H

#include <percuss/ode.h>

enum { QUATERNION_BODY_N = 7, QUATERNION_BODY_OMEGA = 4 };

typedef struct quaternion_body {
    double J[3];      // principal moments about the point, kg m^2
    double torque[3]; // body axes, N m
    double tilting;   // m g times the distance of the centre of mass along the third axis, N m
} quaternion_body;

// `body` is borrowed; without anything that keeps |Q|
pcs_ode quaternion_body_ode(const quaternion_body *body);

// for pcs_ode.project: divides Q by |Q|
int quaternion_body_normalise(void *user, double t, double *x);

// kinetic and potential energy, J
double quaternion_body_energy(const quaternion_body *body, const double *x);

// R J omega in inertial axes, kg m^2/s
void quaternion_body_momentum(const quaternion_body *body, const double *x, double L[3]);

// angle of the rotation from A to B, rad, |A| and |B| arbitrary
double quaternion_angle(const double A[4], const double B[4]);

#endif
