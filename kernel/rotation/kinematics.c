// Angular velocity and acceleration from and to the rates of matrices, axis and angle, rotation
// vectors and quaternions (theory 1.5, 2.1, 2.4).
//
//     dR/dt = [omega_A]x R = R [omega_B]x,  dQ/dt = 1/2 Q (x) (0, omega_B)
#include "rotation/rotation.h"

#include "base/base.h"
#include "rotation/vector.h"

// |sin(angle / 2)| below which axis or rotation vector have no rates
#define SINE_MIN 1e-8

// ---- matrices

void pcs_matrix_mul(const double A[9], const double B[9], double C[9])
{
    m3_mul_m3(A, B, C);
}

void pcs_matrix_apply(const double R[9], const double x[3], double y[3])
{
    m3_mul(R, x, y);
}

void pcs_matrix_apply_back(const double R[9], const double x[3], double y[3])
{
    m3_mul_t(R, x, y);
}

void pcs_matrix_skew(const double a[3], double S[9])
{
    m3_skew(a, S);
}

pcs_status pcs_matrix_from_axis_angle(const double axis[3], double angle, double R[9])
{
    double Q[4];
    PCS_TRY(pcs_quat_from_axis_angle(axis, angle, Q));
    pcs_quat_to_matrix(Q, R);
    return PCS_OK;
}

pcs_status pcs_matrix_to_axis_angle(const double R[9], double axis[3], double *angle)
{
    double Q[4];
    PCS_TRY(pcs_quat_from_matrix(R, Q));
    pcs_quat_to_axis_angle(Q, axis, angle);
    return PCS_OK;
}

void pcs_matrix_exp(const double w[3], double R[9])
{
    double Q[4];
    pcs_quat_exp(w, Q);
    pcs_quat_to_matrix(Q, R);
}

pcs_status pcs_matrix_log(const double R[9], double w[3])
{
    double Q[4];
    PCS_TRY(pcs_quat_from_matrix(R, Q));
    pcs_quat_log(Q, w);
    return PCS_OK;
}

// column j of R [omega]x is R (omega x e_j)
void pcs_matrix_rate(const double R[9], const double omega_B[3], double Rdot[9])
{
    double S[9];
    m3_skew(omega_B, S);
    m3_mul_m3(R, S, Rdot);
}

// For any x: sum_j r_j x dr_j = sum_j r_j x (omega x r_j) = 2 omega_A. Half that sum is the
// skew part of dR/dt R^T.
void pcs_matrix_omega(const double R[9], const double Rdot[9], double omega_A[3], double omega_B[3])
{
    double w[3] = {0};
    for (int j = 0; j < 3; ++j) {
        double c[3];
        v3_cross(R + 3 * j, Rdot + 3 * j, c);
        v3_along(w, 0.5, c, w);
    }
    if (omega_B) m3_mul_t(R, w, omega_B);
    if (omega_A) v3_copy(w, omega_A);
}

// ---- axis and angle

pcs_status pcs_axis_angle_omega(const double axis[3], double angle, const double axis_rate[3],
                                double rate, double omega_A[3], double omega_B[3])
{
    double k[3], kdot[3], turn[3];
    const double length = v3_unit(axis, k), half = sin(angle / 2), s = sin(angle);
    if (!(length > 0 && pcs_all_finite(axis, 3) && pcs_all_finite(axis_rate, 3) &&
          isfinite(angle) && isfinite(rate))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_axis_angle_omega: axis (%g, %g, %g), angle %g; the axis must have a "
                        "direction, and all numbers must be finite",
                        axis[0], axis[1], axis[2], angle);
    }

    // the rate of the direction: without its component along it
    const double along = v3_dot(k, axis_rate);
    for (int i = 0; i < 3; ++i) {
        kdot[i] = (axis_rate[i] - along * k[i]) / length;
    }
    v3_cross(k, kdot, turn);
    for (int i = 0; i < 3; ++i) {
        const double fixed = rate * k[i] + s * kdot[i], moving = 2 * half * half * turn[i];
        if (omega_A) omega_A[i] = fixed + moving;
        if (omega_B) omega_B[i] = fixed - moving;
    }
    return PCS_OK;
}

// omega without its part along k is sin kdot + (1 - cos) k x kdot, a rotation by angle/2 and a
// stretching of kdot; hence kdot = (cot(angle/2) omega_across - k x omega) / 2
pcs_status pcs_axis_angle_rates(const double axis[3], double angle, const double omega_A[3],
                                double axis_rate[3], double *rate)
{
    double k[3], turn[3];
    const double length = v3_unit(axis, k), half = sin(angle / 2);
    if (!(length > 0 && pcs_all_finite(axis, 3) && pcs_all_finite(omega_A, 3) && isfinite(angle))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_axis_angle_rates: axis (%g, %g, %g), angle %g; the axis must have a "
                        "direction, and all numbers must be finite",
                        axis[0], axis[1], axis[2], angle);
    }
    if (fabs(half) < SINE_MIN) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_axis_angle_rates: angle %g is the identity up to %g rad; there the "
                        "axis has no rate, use the quaternion",
                        angle, 2 * fabs(half));
    }
    const double along = v3_dot(k, omega_A), cot = cos(angle / 2) / half;
    v3_cross(k, omega_A, turn);
    for (int i = 0; i < 3; ++i) {
        axis_rate[i] = 0.5 * (cot * (omega_A[i] - along * k[i]) - turn[i]);
    }
    *rate = along;
    return PCS_OK;
}

// ---- rotation vectors

void pcs_rotation_vector_omega(const double w[3], const double wdot[3], double omega_A[3],
                               double omega_B[3])
{
    double A[3], B[3];
    vector_V(w, 1, wdot, A);
    vector_V(w, -1, wdot, B);
    if (omega_A) v3_copy(A, omega_A);
    if (omega_B) v3_copy(B, omega_B);
}

pcs_status pcs_rotation_vector_rate(const double w[3], const double omega_A[3], double wdot[3])
{
    if (!pcs_all_finite(w, 3) || !pcs_all_finite(omega_A, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_rotation_vector_rate: a number is not finite");
    }
    const double a = hypot(hypot(w[0], w[1]), w[2]);
    if (a > 3 && fabs(sin(a / 2)) < SINE_MIN) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_rotation_vector_rate: |w| = %.17g is a whole number of turns; take "
                        "the vector with |w| <= pi of the same rotation",
                        a);
    }
    vector_V_inverse(w, omega_A, wdot);
    return PCS_OK;
}

// ---- quaternions

void pcs_quat_rate(const double Q[4], const double omega[3], double Qdot[4])
{
    const double half[4] = {0, 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]};
    pcs_quat_mul(Q, half, Qdot);
}

// out = 2 Im(S* (x) rate) / |S|^2, c = 2 / |S|^2
static void imaginary(const double S[4], double c, const double rate[4], double out[3])
{
    double cross[3];
    v3_cross(S + 1, rate + 1, cross);
    for (int i = 0; i < 3; ++i) {
        out[i] = c * (S[0] * rate[1 + i] - rate[0] * S[1 + i] - cross[i]);
    }
}

void pcs_quat_omega(const double Q[4], const double Qdot[4], double omega[3])
{
    double S[4], scale;
    const double c = 2 / quat_scaled(Q, S, &scale);
    const double rate[4] = {scale * Qdot[0], scale * Qdot[1], scale * Qdot[2], scale * Qdot[3]};
    imaginary(S, c, rate, omega);
}

void pcs_quat_second_rate(const double Q[4], const double omega[3], const double omega_rate[3],
                          double Qddot[4])
{
    double Qdot[4], turn[4];
    pcs_quat_rate(Q, omega, Qdot);
    pcs_quat_rate(Qdot, omega, turn);
    pcs_quat_rate(Q, omega_rate, Qddot);
    for (int i = 0; i < 4; ++i) {
        Qddot[i] += turn[i];
    }
}

// the derivative of omega = 2 Im(Q* (x) dQ/dt) / |Q|^2; Im(dQ/dt* (x) dQ/dt) = 0
void pcs_quat_omega_rate(const double Q[4], const double Qdot[4], const double Qddot[4],
                         double omega_rate[3])
{
    double S[4], scale, first[4], second[4], omega[3];
    const double c = 2 / quat_scaled(Q, S, &scale);
    for (int i = 0; i < 4; ++i) {
        first[i] = scale * Qdot[i];
        second[i] = scale * Qddot[i];
    }
    const double stretch = c * (S[0] * first[0] + v3_dot(S + 1, first + 1));
    imaginary(S, c, first, omega);
    imaginary(S, c, second, omega_rate);
    v3_along(omega_rate, -stretch, omega, omega_rate);
}
