// Newton-Euler body: m dv/dt = F, J domega/dt = M - omega x J omega (theory 3.1).
#ifndef SYSTEMS_BODY_SYSTEM_H
#define SYSTEMS_BODY_SYSTEM_H

#include "systems/systems.h"

pcs_status body_forces(const pcs_model *m, const model_system *s, double t, const double q[7],
                       const double v[6], system_force F);
// A = diag(m I, J)
void body_mass(const model_system *s, double A[36]);
// a = M(q)^-1 a of a body with added mass
void body_accelerate(const model_system *s, const double q[7], double a[6]);
pcs_status body_subtract_jacobian(const model_system *s, double t, const double q[7],
                                  const double v[6], double a, double b, double A[36]);
// J - a d(-omega x J omega)/domega = J + a ([omega]x J - [J omega]x)
void body_rotational_matrix(const model_system *s, const double v[6], double a, double A[9]);

#endif
