// Private: zeros of event functions within an attempt, at places theta in [0, 1] of it.
#ifndef ODE_EVENT_H
#define ODE_EVENT_H

#include "ode/integrator.h"

// g at (t, x)
pcs_status ode_event_at(const ode_watch *w, double t, const double *x, double *g);

// g on the interpolant; beyond 1 it extrapolates
pcs_status ode_event_value(pcs_integrator *run, const ode_watch *w, double theta, double *g);

// zero of g between a and b, where its signs differ
pcs_status ode_event_locate(pcs_integrator *run, const ode_watch *w, double a, double ga, double b,
                            double gb, double tol, double *root);

// the least value of side g between a and b; ends early below zero. g may reach zero there although
// no sample shows it
pcs_status ode_event_lowest(pcs_integrator *run, const ode_watch *w, double a, double b,
                            double side, double tol, double *theta, double *g);

// The attempt is repeated so that it ends at the event: secant steps on its length, from the place
// on the interpolant. If they fail, that place remains.
pcs_status ode_event_shorten(pcs_integrator *run, int index, double theta);

#endif
