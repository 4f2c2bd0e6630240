// A Runge-Kutta method by its name, with the options of an integration by it.
//
//     method m;
//     PCS_TRY(method_open(&m, "gauss3", 0.01, 1e-10)); // a step of 0.01: it has no pair
//     ... pcs_integrator_create(NULL, &ode, &m.opts, &run) ...
//     method_close(&m);
#ifndef EXAMPLES_METHOD_H
#define EXAMPLES_METHOD_H

#include <percuss/ode.h>

typedef struct method {
    pcs_tableau *tab;
    pcs_ode_opts opts; // borrows tab
} method;

// Methods with an embedded pair choose their steps: errors of a step below rtol (|x| + 1/10).
// Others, and all with rtol = 0, take steps of h.
pcs_status method_open(method *m, const char *name, double h, double rtol);
void method_close(method *m);

#endif
