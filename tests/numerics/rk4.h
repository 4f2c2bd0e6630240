// The classical Runge-Kutta method in ten lines, for the tests of right-hand sides.
#ifndef NUMERICS_RK4_H
#define NUMERICS_RK4_H

#include "support.h"

#include <percuss/ode.h>

enum { RK4_MOST = 64 };

// x from t to t + steps h; projected after every step if the system asks for it
static inline double rk4(const pcs_ode *ode, double t, double h, int steps, double *x)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    ck_assert_int_le(ode->n, RK4_MOST);
    for (int k = 0; k < steps; ++k, t += h) {
        double slope[RK4_MOST] = {0}, at[RK4_MOST], next[RK4_MOST];
        memcpy(next, x, (size_t)ode->n * sizeof *x);
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < ode->n; ++i) {
                at[i] = x[i] + c[s] * h * slope[i];
            }
            ck_assert_msg(ode->f(ode->user, t + c[s] * h, at, slope) == 0, "%s", pcs_error_text());
            for (int i = 0; i < ode->n; ++i) {
                next[i] += h * b[s] * slope[i];
            }
        }
        memcpy(x, next, (size_t)ode->n * sizeof *x);
        if (ode->project) {
            ck_assert_msg(ode->project(ode->user, t + h, x) == 0, "%s", pcs_error_text());
        }
    }
    return t;
}

#endif
