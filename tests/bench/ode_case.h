// Smooth problems with known solutions, for the bench of integrators and its peers.
#ifndef BENCH_ODE_CASE_H
#define BENCH_ODE_CASE_H

#include <stdbool.h>

enum { ODE_CASE_MOST = 64 };

typedef struct ode_case {
    const char *name;
    int n;
    double t_end;
    void (*start)(double *x);
    void (*rates)(double t, const double *x, double *f);
    void (*exact)(double t, double *x);
} ode_case;

// cost of one run of a pair with adaptive steps
typedef struct ode_run {
    double tol;       // rtol = atol
    double error;     // root mean square at t_end
    long evaluations; // of the rates
    long steps;
    double seconds; // the shortest of several
} ode_run;

// null if i is not less than the number of cases
const ode_case *ode_case_at(int i);
double ode_case_error(const ode_case *c, const double *x);

// Dormand and Prince's pair of the peer; false if it fails
bool ode_peer_run(const ode_case *c, ode_run *run);

#endif
