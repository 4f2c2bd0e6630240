// Lagrangian system with n dofs: M(q) dv/dt = F(t, q, v) + load - D v - K q, dq/dt = v.
#ifndef SYSTEMS_LAGRANGIAN_H
#define SYSTEMS_LAGRANGIAN_H

#include "systems/systems.h"

pcs_status lagrangian_forces(const model_system *s, double t, const double *q, const double *v,
                             system_force F);
pcs_status lagrangian_mass(const model_system *s, const double *q, double *A);
pcs_status lagrangian_subtract_jacobian(const model_system *s, double t, const double *q,
                                        const double *v, double a, double b, double *work,
                                        double *A);

#endif
