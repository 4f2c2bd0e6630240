// Parallel axes and change of frame (theory 3.4), inline for the mass of shapes.
#ifndef MASS_INERTIA_H
#define MASS_INERTIA_H

#include <percuss/inertia.h>

#include "linalg/m3.h"

// S = R J R^T, symmetric to the last bit
static inline void inertia_turn(const double R[9], const double J[9], double S[9])
{
    double RJ[9], Rt[9];
    m3_mul_m3(R, J, RJ);
    for (int i = 0; i < 9; ++i) {
        Rt[i] = R[i / 3 + 3 * (i % 3)];
    }
    m3_mul_m3(RJ, Rt, S);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < j; ++i) {
            S[i + 3 * j] = S[j + 3 * i] = 0.5 * (S[i + 3 * j] + S[j + 3 * i]);
        }
    }
}

// J += m (|d|^2 I - d d^T)
static inline void inertia_parallel(double m, const double d[3], double J[9])
{
    const double square = v3_dot(d, d);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            J[i + 3 * j] += m * ((i == j ? square : 0) - d[i] * d[j]);
        }
    }
}

// all += part, about their common centre; `all` may be empty, with m = 0
static inline void inertia_join(pcs_inertia *all, const pcs_inertia *part)
{
    double d[3];
    v3_sub(part->G, all->G, d);
    const double share = part->m / (all->m + part->m);
    inertia_parallel(all->m * share, d, all->J);
    for (int i = 0; i < 9; ++i) {
        all->J[i] += part->J[i];
    }
    v3_along(all->G, share, d, all->G);
    all->m += part->m;
}

#endif
