// Added mass of a body: kinetic energy 1/2 nu^T A nu on nu = (R^T v, omega), A constant. In the
// coordinates of the step, v inertial, its mass diag(R, I) A diag(R^T, I) rotates with the body,
// and
//
//     diag(R, I) A diag(R^T, I) dv/dt = diag(R, I) f(nu),  f(nu) = A (omega x V; 0) - C_A(nu) nu
//
// because dV/dt = R^T dv/dt - omega x V (theory 2.4, 11.1).
#ifndef SYSTEMS_ADDED_H
#define SYSTEMS_ADDED_H

// M += diag(R, I) A diag(R^T, I)
void added_mass(const double A[36], const double q[7], double M[36]);
// F += diag(R, I) f
void added_gyroscopic(const double A[36], const double q[7], const double v[6], double F[6]);
// out -= a times the derivative of diag(R, I) f with respect to v
void added_subtract_jacobian(const double A[36], const double q[7], const double v[6], double a,
                             double out[36]);
// p += R P, L += x x R P + R H of the momentum (P, H) = A nu
void added_momentum(const double A[36], const double q[7], const double v[6], double p[3],
                    double L[3]);
// y = M x for a whole mass matrix; y must not overlap x
void added_mul(const double M[36], const double x[6], double y[6]);

#endif
