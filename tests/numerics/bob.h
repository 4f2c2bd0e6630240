// A point of mass m in n dimensions, held at distance l from the origin; shared by the tests of
// constrained systems.
#ifndef NUMERICS_BOB_H
#define NUMERICS_BOB_H

#include "support.h"

#include <complex.h>

#include <percuss/mechanics.h>

#include "rk4.h"

#define G 9.81

static inline pcs_constrained *make(const pcs_constrained_def *def)
{
    pcs_constrained *sys = NULL;
    CK_OK(pcs_constrained_create(NULL, def, &sys));
    return sys;
}

static inline pcs_ode form(pcs_constrained *sys)
{
    pcs_ode ode;
    CK_OK(pcs_constrained_ode(sys, &ode));
    return ode;
}

static inline double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

// ---- a point of mass m in n dimensions under gravity along the last axis, held at distance l from
// the origin: phi = |x|^2 - l^2 (theory 9.2)

typedef struct bob {
    int n;
    double m, l;
} bob;

static inline int bob_mass(void *user, double t, const double *q, double *M)
{
    const bob *b = user;
    for (int i = 0; i < b->n; ++i) {
        M[i * (b->n + 1)] = b->m;
    }
    return 0;
}

static inline int bob_force(void *user, double t, const double *q, const double *v, double *F)
{
    const bob *b = user;
    F[b->n - 1] = -b->m * G;
    return 0;
}

#define BOB_PHI()                    \
    const bob *b = user;             \
    (void)t;                         \
    phi[0] = -b->l * b->l;           \
    for (int i = 0; i < b->n; ++i) { \
        phi[0] += q[i] * q[i];       \
    }                                \
    return 0

static inline int bob_phi(void *user, double t, const double *q, double *phi)
{
    BOB_PHI();
}

static inline int bob_phi_complex(void *user, const pcs_complex *t, const pcs_complex *q,
                                  pcs_complex *phi)
{
    BOB_PHI();
}

static inline int bob_A(void *user, double t, const double *q, double *A)
{
    const bob *b = user;
    for (int i = 0; i < b->n; ++i) {
        A[i] = 2 * q[i];
    }
    return 0;
}

static inline int bob_gamma(void *user, double t, const double *q, const double *v, double *gamma)
{
    const bob *b = user;
    for (int i = 0; i < b->n; ++i) {
        gamma[0] += 2 * v[i] * v[i];
    }
    return 0;
}

static inline pcs_constrained_def bob_def(const bob *b)
{
    pcs_constrained_def def = {.nv = b->n, .m = 1, .user = (void *)b};
    def.mass = bob_mass;
    def.force = bob_force;
    def.phi = bob_phi;
    def.A = bob_A;
    def.gamma = bob_gamma;
    return def;
}

#endif
