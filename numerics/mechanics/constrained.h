// Private side of the constrained systems of <percuss/mechanics.h>.
#ifndef MECHANICS_CONSTRAINED_H
#define MECHANICS_CONSTRAINED_H

#include <percuss/mechanics.h>

#include "base/base.h"
#include "mechanics/saddle.h"

struct pcs_constrained {
    pcs_env env;
    pcs_constrained_def def; // nq filled in, scale_q a copy
    int nq, nv, m;
    double *memory;
    int *ints;
    saddle S;

    double *A;                                     // m x nv, at the last factorisation
    double *F, *a, *w, *zero;                      // nv; zero stays zero
    double *gamma, *phi, *rate, *g, *lambda, *sum; // m
    double *qdot;                                  // nq, rate of q in the current motion
    double *q_try;                                 // nq
    double *v_try;                                 // nv

    // memory for the derivatives of phi
    double *A_at;            // m x nv
    double *x, *x_phi;       // nq: shifted arguments
    double *slope;           // nq: the direction
    double *unit;            // nv
    double *value;           // m
    pcs_complex *qc, *phi_c; // nq, m
};

// ---- derivatives of phi: constraints.c

pcs_status constrained_phi(pcs_constrained *sys, double t, const double *q, double *phi);
pcs_status constrained_A(pcs_constrained *sys, double t, const double *q, double *A);
pcs_status constrained_phi_t(pcs_constrained *sys, double t, const double *q, double *phi_t);
// A v + phi_t
pcs_status constrained_rate(pcs_constrained *sys, double t, const double *q, const double *v,
                            double *rate);
pcs_status constrained_gamma(pcs_constrained *sys, double t, const double *q, const double *v,
                             double *gamma);
// T v
pcs_status constrained_qdot(pcs_constrained *sys, double t, const double *q, const double *v,
                            double *qdot);

// ---- equations: constrained.c

// M into `M`, and F (null: not wanted)
pcs_status constrained_dynamics(pcs_constrained *sys, double t, const double *q, const double *v,
                                double *M, double *F);
// sys->S of M and A; also F (null: not computed)
pcs_status constrained_factor(pcs_constrained *sys, double t, const double *q, const double *v,
                              double *F, const char *who);
// the g of A a + g = 0 for the accelerations, stabilisation included
pcs_status constrained_target(pcs_constrained *sys, double t, const double *q, const double *v,
                              double *g);
// the g of A w + g = 0 for the second velocities of GGL
pcs_status constrained_second_target(pcs_constrained *sys, double t, const double *q,
                                     const double *v, double *g);

#endif
