// The norm of a quaternion as a Lagrange constraint psi = (Q.Q - 1)/2 = 0, A = Q^T (theory 9.3;
// errata E-15, E-16, E-20, E-21):
//
//     | I3  0   0   0   0 | |X''   |   | Im(...)                                         |
//     | 0   I4  0   0  -Q | |Q''   |   | f_Q = (Q (x) (0, omega') + Q' (x) (0, omega))/2 |
//     | 0   0   I3  0   0 | |X'    | = | X'                                              |
//     | 0   0   0   I4  0 | |Q'    |   | Q'                                              |
//     | 0   Q^T 0   0   0 | |lambda|   | -Q'.Q' - 2 alpha Q.Q' - alpha^2 psi             |
#include <percuss/smooth.h>

#include <string.h>

#include "base/base.h"
#include "linalg/lu.h"
#include "rotation/rotation.h"

enum { SIZE = 15, AT_Q = 3, AT_XDOT = 7, AT_QDOT = 10, AT_LAMBDA = 14 };

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// A (x) (0, w) (x) B*
static void between(const double A[4], const double w[3], const double B[4], double out[4])
{
    const double W[4] = {0, w[0], w[1], w[2]};
    double AW[4], conj_B[4];
    pcs_quat_mul(A, W, AW);
    pcs_quat_conj(B, conj_B);
    pcs_quat_mul(AW, conj_B, out);
}

// X'' = Im(Q V' Q* + Q' V Q* + Q V Q'*)
static void acceleration(const pcs_quaternion_norm_motion *m, double out[3])
{
    double a[4], b[4], c[4];
    between(m->Q, m->Vdot, m->Q, a);
    between(m->Qdot, m->V, m->Q, b);
    between(m->Q, m->V, m->Qdot, c);
    for (int i = 0; i < 3; ++i) {
        out[i] = a[1 + i] + b[1 + i] + c[1 + i];
    }
}

static void free_rate(const pcs_quaternion_norm_motion *m, double f_Q[4])
{
    const double w[4] = {0, m->omega[0], m->omega[1], m->omega[2]};
    const double wdot[4] = {0, m->omega_dot[0], m->omega_dot[1], m->omega_dot[2]};
    double a[4], b[4];
    pcs_quat_mul(m->Q, wdot, a);
    pcs_quat_mul(m->Qdot, w, b);
    for (int i = 0; i < 4; ++i) {
        f_Q[i] = 0.5 * (a[i] + b[i]);
    }
}

// -psi'' required, without Q.Q''
static double target(const pcs_quaternion_norm_motion *m, double alpha)
{
    return dot4(m->Qdot, m->Qdot) + 2 * alpha * dot4(m->Q, m->Qdot) +
           alpha * alpha * 0.5 * (dot4(m->Q, m->Q) - 1);
}

void pcs_quaternion_norm_fill(const pcs_quaternion_norm_motion *m, double alpha, double A[225],
                              double b[15])
{
    memset(A, 0, 225 * sizeof *A);
    for (int i = 0; i < AT_LAMBDA; ++i) {
        A[i + SIZE * i] = 1;
    }
    for (int i = 0; i < 4; ++i) {
        A[AT_Q + i + SIZE * AT_LAMBDA] = -m->Q[i];
        A[AT_LAMBDA + SIZE * (AT_Q + i)] = m->Q[i];
    }
    acceleration(m, b);
    free_rate(m, b + AT_Q);
    memcpy(b + AT_XDOT, m->Xdot, sizeof m->Xdot);
    memcpy(b + AT_QDOT, m->Qdot, sizeof m->Qdot);
    b[AT_LAMBDA] = -target(m, alpha);
}

pcs_status pcs_quaternion_norm_solve(const pcs_quaternion_norm_motion *m, double alpha,
                                     double x[15])
{
    if (!m || !x) return pcs_fail(PCS_ERR_ARG, "pcs_quaternion_norm_solve: an argument is null");
    double A[SIZE * SIZE];
    int piv[SIZE];
    pcs_quaternion_norm_fill(m, alpha, A, x);
    if (!pcs_all_finite(A, SIZE * SIZE) || !pcs_all_finite(x, SIZE)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_quaternion_norm_solve: a number is not finite");
    }
    if (!lu_factor(SIZE, A, piv)) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_quaternion_norm_solve: the quaternion is zero");
    }
    lu_solve(SIZE, A, piv, x);
    if (!pcs_all_finite(x, SIZE)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_quaternion_norm_solve: a number is not finite");
    }
    return PCS_OK;
}

double pcs_quaternion_norm_lambda(const pcs_quaternion_norm_motion *m, double alpha)
{
    double f_Q[4];
    free_rate(m, f_Q);
    return -(target(m, alpha) + dot4(m->Q, f_Q)) / dot4(m->Q, m->Q);
}

// ---- a body

// Q* (x) (0, w) (x) Q / |Q|^4, the inverse of Q (x) (0, .) (x) Q*
static void back(const double Q[4], const double w[3], double out[3])
{
    double conj_Q[4], all[4];
    const double square = dot4(Q, Q);
    pcs_quat_conj(Q, conj_Q);
    between(conj_Q, w, conj_Q, all);
    for (int i = 0; i < 3; ++i) {
        out[i] = all[1 + i] / (square * square);
    }
}

static int rates(void *user, double t, const double *x, double *dxdt)
{
    const pcs_quaternion_norm_body *body = user;
    pcs_quaternion_norm_motion m = {0};
    memcpy(m.Q, x + 3, sizeof m.Q);
    memcpy(m.Xdot, x + 7, sizeof m.Xdot);
    memcpy(m.Qdot, x + 10, sizeof m.Qdot);

    double q[7], qdot[7], v[6], F[6] = {0};
    memcpy(q, x, sizeof q);
    memcpy(qdot, x + 7, sizeof qdot);
    pcs_body_velocity(q, qdot, v);
    memcpy(m.omega, v + 3, sizeof m.omega);
    if (body->force && body->force(body->user, t, q, v, F) != 0) return 1;

    // J omega' = M - omega x J omega
    double Jw[3], wJw[3], J[9];
    int piv[3];
    m3_mul(body->inertia, m.omega, Jw);
    v3_cross(m.omega, Jw, wJw);
    v3_sub(F + 3, wJw, m.omega_dot);
    memcpy(J, body->inertia, sizeof J);
    if (!lu_factor(3, J, piv)) return 1;
    lu_solve(3, J, piv, m.omega_dot);

    // V and V' such that X' and X'' are those of the inertial frame, for any |Q|
    back(m.Q, m.Xdot, m.V);
    double known[3], rest[3];
    acceleration(&m, known); // with V' = 0
    for (int i = 0; i < 3; ++i) {
        rest[i] = F[i] / body->mass - known[i];
    }
    back(m.Q, rest, m.Vdot);

    double solution[SIZE];
    if (pcs_quaternion_norm_solve(&m, body->alpha, solution) != PCS_OK) return 1;
    memcpy(dxdt, solution + AT_XDOT, 7 * sizeof *dxdt);
    memcpy(dxdt + 7, solution, 7 * sizeof *dxdt);
    return 0;
}

pcs_status pcs_quaternion_norm_ode(const pcs_quaternion_norm_body *body, pcs_ode *out)
{
    if (!body || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_quaternion_norm_ode: an argument is null");
    }
    if (!(body->mass > 0) || !isfinite(body->mass) || !pcs_all_finite(body->inertia, 9) ||
        !(body->alpha >= 0) || !isfinite(body->alpha)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_quaternion_norm_ode: mass must be positive, alpha not"
                                     " negative, and all be finite");
    }
    *out = (pcs_ode){.n = 14, .f = rates, .user = (void *)body};
    return PCS_OK;
}
