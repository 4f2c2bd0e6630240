// Coordinates and velocity of a Newton-Euler body (theory 2):
//
//     q = (x, Q),  v = (dx/dt inertial, omega body),  dx/dt = v_x,  dQ/dt = 1/2 Q (x) (0, omega)
#include "rotation/rotation.h"

#include <string.h>

#include "rotation/exp.h"

void pcs_body_T(const double q[7], double T[42])
{
    double L[12];
    pcs_quat_left(q + 3, L);

    memset(T, 0, 42 * sizeof *T);
    for (int j = 0; j < 3; ++j) {
        T[j + 7 * j] = 1;
        for (int i = 0; i < 4; ++i) {
            T[3 + i + 7 * (3 + j)] = 0.5 * L[i + 4 * j];
        }
    }
}

void pcs_body_rate(const double q[7], const double v[6], double qdot[7])
{
    for (int i = 0; i < 3; ++i) {
        qdot[i] = v[i];
    }
    pcs_quat_rate(q + 3, v + 3, qdot + 3);
}

void pcs_body_velocity(const double q[7], const double qdot[7], double v[6])
{
    pcs_quat_omega(q + 3, qdot + 3, v + 3);
    for (int i = 0; i < 3; ++i) {
        v[i] = qdot[i];
    }
}

// Q / |Q|. A quaternion with |Q| = 1 up to rounding, the common case, needs no root: 1/sqrt(n) = 1
// - (n - 1)/2 + 3/8 (n - 1)^2, whose last term is below an ulp
static void to_unit(const double Q[4], double U[4])
{
    double S[4], scale;
    const double n = quat_scaled(Q, S, &scale);
    const double c = fabs(n - 1) < 1e-8 ? 1.5 - 0.5 * n : 1 / sqrt(n);
    for (int i = 0; i < 4; ++i) {
        U[i] = c * S[i];
    }
}

void pcs_body_advance(const double q[7], double h, const double v[6], pcs_quat_update update,
                      double q1[7])
{
    const double turn[3] = {h * v[3], h * v[4], h * v[5]};
    double E[4];
    if (update == PCS_QUAT_UPDATE_EXP) {
        quat_exp(turn, E);
    } else {
        E[0] = 1;
        for (int i = 0; i < 3; ++i) {
            E[1 + i] = 0.5 * turn[i];
        }
    }

    // Q + h/2 L(Q) omega is Q (x) (1, h/2 omega): both updates are a product
    double S[4], scale, Q1[4];
    (void)quat_scaled(q + 3, S, &scale);
    quat_mul(S, E, Q1);
    to_unit(Q1, q1 + 3);
    for (int i = 0; i < 3; ++i) {
        q1[i] = q[i] + h * v[i];
    }
}
