// Rigid motions q = (x, Q), twists (V, omega) and wrenches (F, M), and the kinematics of a body
// with velocities in body components (theory 2.4).
#include <percuss/rigid.h>

#include <string.h>

#include "base/base.h"
#include "rotation/rotation.h"
#include "rotation/vector.h"

void pcs_pose_identity(double q[7])
{
    memset(q, 0, 7 * sizeof *q);
    q[3] = 1;
}

pcs_status pcs_pose_check(const double q[7])
{
    if (!pcs_all_finite(q, 7)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_pose_check: a coordinate is not finite");
    }
    const double norm = pcs_quat_norm(q + 3);
    if (!(norm > 0 && isfinite(norm))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_pose_check: the length of the quaternion is %g; it must "
                        "be positive and finite",
                        norm);
    }
    return PCS_OK;
}

void pcs_pose_compose(const double AB[7], const double BC[7], double AC[7])
{
    double out[7];
    pcs_pose_point(AB, BC, out);
    pcs_quat_mul(AB + 3, BC + 3, out + 3);
    memcpy(AC, out, sizeof out);
}

void pcs_pose_inverse(const double q[7], double out[7])
{
    double x[3], S[4], scale;
    const double square = quat_scaled(q + 3, S, &scale);
    pcs_pose_vector_back(q, q, x);
    for (int i = 0; i < 3; ++i) {
        out[i] = -x[i];
    }
    for (int i = 0; i < 4; ++i) {
        out[3 + i] = (i == 0 ? S[i] : -S[i]) / square * scale;
    }
}

void pcs_pose_point(const double q[7], const double p[3], double y[3])
{
    double rotated[3];
    pcs_quat_rotate(q + 3, p, rotated);
    v3_along(q, 1, rotated, y);
}

void pcs_pose_point_back(const double q[7], const double p[3], double y[3])
{
    double d[3];
    v3_sub(p, q, d);
    pcs_pose_vector_back(q, d, y);
}

void pcs_pose_vector(const double q[7], const double d[3], double y[3])
{
    double rotated[3];
    pcs_quat_rotate(q + 3, d, rotated);
    v3_copy(rotated, y);
}

void pcs_pose_vector_back(const double q[7], const double d[3], double y[3])
{
    double back[4], rotated[3];
    pcs_quat_conj(q + 3, back);
    pcs_quat_rotate(back, d, rotated);
    v3_copy(rotated, y);
}

void pcs_pose_to_matrix(const double q[7], double T[16])
{
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    for (int j = 0; j < 3; ++j) {
        v3_copy(R + 3 * j, T + 4 * j);
        T[3 + 4 * j] = 0;
    }
    v3_copy(q, T + 12);
    T[15] = 1;
}

pcs_status pcs_pose_from_matrix(const double T[16], double q[7])
{
    double R[9], Q[4];
    if (!(T[3] == 0 && T[7] == 0 && T[11] == 0 && T[15] == 1 && pcs_all_finite(T + 12, 3))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_pose_from_matrix: the last row is (%g, %g, %g, %g), the last column "
                        "(%g, %g, %g); the row must be (0, 0, 0, 1) and the column finite",
                        T[3], T[7], T[11], T[15], T[12], T[13], T[14]);
    }
    for (int j = 0; j < 3; ++j) {
        v3_copy(T + 4 * j, R + 3 * j);
    }
    PCS_TRY(pcs_quat_from_matrix(R, Q));
    v3_copy(T + 12, q);
    memcpy(q + 3, Q, sizeof Q);
    return PCS_OK;
}

// with R(t) = exp([t omega]x): x = int_0^1 R(t) V dt = V(omega) V
void pcs_pose_exp(const double twist[6], double q[7])
{
    double out[7];
    vector_V(twist + 3, 1, twist, out);
    pcs_quat_exp(twist + 3, out + 3);
    memcpy(q, out, sizeof out);
}

void pcs_pose_log(const double q[7], double twist[6])
{
    double out[6];
    pcs_quat_log(q + 3, out + 3);
    vector_V_inverse(out + 3, q, out);
    memcpy(twist, out, sizeof out);
}

// ---- twists and wrenches

void pcs_twist_at(const double twist[6], const double d[3], double out[6])
{
    double c[3];
    v3_cross(twist + 3, d, c);
    v3_along(twist, 1, c, out);
    v3_copy(twist + 3, out + 3);
}

void pcs_wrench_at(const double wrench[6], const double d[3], double out[6])
{
    double c[3];
    v3_cross(d, wrench, c);
    v3_along(wrench + 3, -1, c, out + 3);
    v3_copy(wrench, out);
}

void pcs_pose_twist(const double q[7], const double twist_B[6], double twist_A[6])
{
    double t[6], c[3];
    pcs_pose_vector(q, twist_B, t);
    pcs_pose_vector(q, twist_B + 3, t + 3);
    v3_cross(q, t + 3, c);
    v3_along(t, 1, c, twist_A);
    v3_copy(t + 3, twist_A + 3);
}

void pcs_pose_twist_back(const double q[7], const double twist_A[6], double twist_B[6])
{
    double t[6];
    pcs_twist_at(twist_A, q, t);
    pcs_pose_vector_back(q, t, twist_B);
    pcs_pose_vector_back(q, t + 3, twist_B + 3);
}

void pcs_pose_wrench(const double q[7], const double wrench_B[6], double wrench_A[6])
{
    double t[6], c[3];
    pcs_pose_vector(q, wrench_B, t);
    pcs_pose_vector(q, wrench_B + 3, t + 3);
    v3_cross(q, t, c);
    v3_copy(t, wrench_A);
    v3_along(t + 3, 1, c, wrench_A + 3);
}

void pcs_pose_wrench_back(const double q[7], const double wrench_A[6], double wrench_B[6])
{
    double t[6];
    pcs_wrench_at(wrench_A, q, t);
    pcs_pose_vector_back(q, t, wrench_B);
    pcs_pose_vector_back(q, t + 3, wrench_B + 3);
}

// Ad = [R, [x]x R; 0, R]
void pcs_pose_adjoint(const double q[7], double Ad[36])
{
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    memset(Ad, 0, 36 * sizeof *Ad);
    for (int j = 0; j < 3; ++j) {
        v3_copy(R + 3 * j, Ad + 6 * j);
        v3_copy(R + 3 * j, Ad + 6 * (3 + j) + 3);
        v3_cross(q, R + 3 * j, Ad + 6 * (3 + j));
    }
}

double pcs_wrench_power(const double wrench[6], const double twist[6])
{
    return v3_dot(wrench, twist) + v3_dot(wrench + 3, twist + 3);
}

// ---- kinematics with body-frame velocities

void pcs_pose_rate(const double q[7], const double nu[6], double qdot[7])
{
    pcs_quat_rotate(q + 3, nu, qdot);
    pcs_quat_rate(q + 3, nu + 3, qdot + 3);
}

void pcs_pose_velocity(const double q[7], const double qdot[7], double nu[6])
{
    pcs_pose_vector_back(q, qdot, nu);
    pcs_quat_omega(q + 3, qdot + 3, nu + 3);
}

void pcs_pose_second_rate(const double q[7], const double nu[6], const double nudot[6],
                          double qddot[7])
{
    double turn[3], seen[3];
    v3_cross(nu + 3, nu, turn);
    v3_along(nudot, 1, turn, seen);
    pcs_quat_rotate(q + 3, seen, qddot);
    pcs_quat_second_rate(q + 3, nu + 3, nudot + 3, qddot + 3);
}

void pcs_pose_acceleration(const double q[7], const double qdot[7], const double qddot[7],
                           double nudot[6])
{
    double nu[6], turn[3], seen[3];
    pcs_pose_velocity(q, qdot, nu);
    pcs_pose_vector_back(q, qddot, seen);
    v3_cross(nu + 3, nu, turn);
    v3_along(seen, -1, turn, nudot);
    pcs_quat_omega_rate(q + 3, qdot + 3, qddot + 3, nudot + 3);
}
