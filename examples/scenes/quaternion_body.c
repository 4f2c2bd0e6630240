// Euler's equations and the rate of the quaternion.
#include "scenes/quaternion_body.h"

#include <math.h>

#include <percuss/rotation.h>

enum { N = QUATERNION_BODY_N, W = QUATERNION_BODY_OMEGA };

// the vertical in body axes times |Q|^2, without a division
static void vertical(const double *Q, double up[3])
{
    up[0] = 2 * (Q[1] * Q[3] - Q[0] * Q[2]);
    up[1] = 2 * (Q[2] * Q[3] + Q[0] * Q[1]);
    up[2] = Q[0] * Q[0] - Q[1] * Q[1] - Q[2] * Q[2] + Q[3] * Q[3];
}

static int rates(void *user, double t, const double *x, double *dxdt)
{
    (void)t;
    const quaternion_body *b = user;
    const double *J = b->J, *w = x + W;
    double up[3];
    vertical(x, up);
    const double M[3] = {b->torque[0] + b->tilting * up[1], b->torque[1] - b->tilting * up[0],
                         b->torque[2]};
    pcs_quat_rate(x, w, dxdt);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dxdt[W + i] = (M[i] + (J[j] - J[k]) * w[j] * w[k]) / J[i];
    }
    return 0;
}

static int slopes(void *user, double t, const double *x, double *S)
{
    (void)t;
    const quaternion_body *b = user;
    const double *J = b->J, *w = x + W;
    for (int i = 0; i < N * N; ++i) {
        S[i] = 0;
    }
    // Q (x) (0, w) / 2 is linear in Q and in w
    for (int j = 0; j < 4; ++j) {
        double unit[4] = {0};
        unit[j] = 1;
        pcs_quat_rate(unit, w, S + N * j);
    }
    for (int j = 0; j < 3; ++j) {
        double unit[3] = {0};
        unit[j] = 1;
        pcs_quat_rate(x, unit, S + N * (W + j));
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        S[W + i + N * (W + j)] = (J[j] - J[k]) * w[k] / J[i];
        S[W + i + N * (W + k)] = (J[j] - J[k]) * w[j] / J[i];
    }
    const double first = 2 * b->tilting / J[0], second = -2 * b->tilting / J[1];
    const double d0[4] = {-x[2], x[3], -x[0], x[1]}, d1[4] = {x[1], x[0], x[3], x[2]};
    for (int j = 0; j < 4; ++j) {
        S[W + N * j] = first * d1[j];
        S[W + 1 + N * j] = second * d0[j];
    }
    return 0;
}

pcs_ode quaternion_body_ode(const quaternion_body *body)
{
    return (pcs_ode){.n = N, .f = rates, .jacobian = slopes, .user = (void *)body};
}

int quaternion_body_normalise(void *user, double t, double *x)
{
    (void)user, (void)t;
    return pcs_quat_normalise(x) != PCS_OK;
}

double quaternion_body_energy(const quaternion_body *b, const double *x)
{
    double up[3], twice = 0;
    vertical(x, up);
    for (int i = 0; i < 3; ++i) {
        twice += b->J[i] * x[W + i] * x[W + i];
    }
    return 0.5 * twice + b->tilting * up[2];
}

void quaternion_body_momentum(const quaternion_body *b, const double *x, double L[3])
{
    const double *w = x + W;
    pcs_quat_rotate(x, (const double[]){b->J[0] * w[0], b->J[1] * w[1], b->J[2] * w[2]}, L);
}

double quaternion_angle(const double A[4], const double B[4])
{
    double back[4], between[4], w[3];
    pcs_quat_conj(A, back);
    pcs_quat_mul(back, B, between);
    pcs_quat_log(between, w);
    return hypot(hypot(w[0], w[1]), w[2]);
}
