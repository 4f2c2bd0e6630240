// Shared by the tests of smooth systems: methods by name, observed orders, pendulums.
#ifndef SUPPORT_SMOOTH_H
#define SUPPORT_SMOOTH_H

#include <percuss/ode.h>
#include <percuss/plant.h>

// a method by its name; release with pcs_tableau_destroy
pcs_tableau *smooth_method(const char *name);

// an integrator that starts at t from x0; release with pcs_integrator_destroy
pcs_integrator *smooth_run(const pcs_ode *ode, const pcs_ode_opts *opts, double t,
                           const double *x0);

// state and output at t_end of a plant that starts at t = 0, to 1e-12
void smooth_respond(const pcs_plant *plant, pcs_input_fn input, void *user, const double *x0,
                    double t_end, double *x, double *y);

// Alexander's diagonally implicit method of order 2, L-stable, with any consistent b_hat
extern const pcs_tableau smooth_sdirk2;

// least-squares slope of log e over log h
double smooth_order(int count, const double *h, const double *e);

// an event function: the first number of the state
int smooth_first(void *user, double t, const double *x, double *g);

// For the pendulum x'' = -sin x released at `angle`: the time until it hangs straight, by the
// arithmetic-geometric mean.
double smooth_quarter_period(double angle);

// A double pendulum, angles from the vertical, gravity 9.81. Its Lagrangian as pcs_lagrange_def
// takes it; `user` is a smooth_doubled.
typedef struct smooth_doubled {
    double m[2], l[2];
} smooth_doubled;

int smooth_doubled_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                     pcs_complex *L);

#endif
