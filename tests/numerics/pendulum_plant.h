// A pendulum as a plant with outputs of the caller.
#ifndef NUMERICS_PENDULUM_PLANT_H
#define NUMERICS_PENDULUM_PLANT_H

#include <complex.h>
#include <math.h>

#include "support.h"

#include <percuss/lti.h>

// a pendulum of length l with viscous friction and a torque per inertia: x = (angle, rate)
typedef struct pendulum {
    double l, friction;
    int fails; // the value that f returns
} pendulum;

#define SWING(type, sine)                                           \
    const pendulum *p = user;                                       \
    (void)t;                                                        \
    out[0] = x[1];                                                  \
    out[1] = -9.81 / p->l * sine(x[0]) - p->friction * x[1] + u[0]; \
    return p->fails

static inline int swing(void *user, double t, const double *x, const double *u, double *out)
{
    SWING(double, sin);
}

static inline int swing_complex(void *user, double t, const pcs_complex *x, const pcs_complex *u,
                                pcs_complex *out)
{
    SWING(pcs_complex, csin);
}

static inline int swing_jacobian(void *user, double t, const double *x, const double *u,
                                 double *by_x, double *by_u)
{
    const pendulum *p = user;
    by_x[0] = 0;
    by_x[1] = -9.81 / p->l * cos(x[0]);
    by_x[2] = 1;
    by_x[3] = -p->friction;
    by_u[0] = 0;
    by_u[1] = 1;
    return p->fails;
}

static inline pcs_plant pendulum_plant(pendulum *p, pcs_plant_fn g,
                                       pcs_plant_jacobian_fn g_jacobian,
                                       pcs_plant_complex_fn g_complex)
{
    pcs_plant plant = {.nx = 2, .nu = 1, .ny = 2, .f = swing, .g = g, .user = p};
    plant.f_jacobian = swing_jacobian;
    plant.g_jacobian = g_jacobian;
    plant.f_complex = swing_complex;
    plant.g_complex = g_complex;
    return plant;
}

#endif
