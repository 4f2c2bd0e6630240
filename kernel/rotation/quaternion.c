// Quaternion algebra, the exponential and the logarithm (theory 1.1, 1.3, 1.4).
//
//     (s1, p1) (x) (s2, p2) = (s1 s2 - p1.p2, s1 p2 + s2 p1 + p1 x p2)
//     (0, R(Q) x) = Q (x) (0, x) (x) Q* / |Q|^2
//     exp(w) = (cos a, sin(a)/a w/2),  a = |w|/2
#include "rotation/rotation.h"

#include "base/base.h"
#include "rotation/exp.h"

void pcs_quat_mul(const double A[4], const double B[4], double C[4])
{
    quat_mul(A, B, C);
}

void pcs_quat_conj(const double Q[4], double out[4])
{
    out[0] = Q[0];
    for (int i = 1; i < 4; ++i) {
        out[i] = -Q[i];
    }
}

double pcs_quat_norm(const double Q[4])
{
    double S[4], scale;
    const double square = quat_scaled(Q, S, &scale);
    return sqrt(square) / scale;
}

pcs_status pcs_quat_normalise(double Q[4])
{
    double S[4], scale;
    const double norm = sqrt(quat_scaled(Q, S, &scale));
    if (!(norm > 0 && isfinite(norm))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_quat_normalise: (%g, %g, %g, %g) is not a rotation; its length must "
                        "be positive and finite",
                        Q[0], Q[1], Q[2], Q[3]);
    }
    for (int i = 0; i < 4; ++i) {
        Q[i] = S[i] / norm;
    }
    return PCS_OK;
}

// with t = p x x:  y = x + 2 (s t + p x t) / |Q|^2
void pcs_quat_rotate(const double Q[4], const double x[3], double y[3])
{
    double S[4], scale, t[3], pt[3];
    const double c = 2 / quat_scaled(Q, S, &scale);
    v3_cross(S + 1, x, t);
    v3_cross(S + 1, t, pt);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] + c * (S[0] * t[i] + pt[i]);
    }
}

void pcs_quat_exp(const double w[3], double Q[4])
{
    quat_exp(w, Q);
}

void pcs_quat_log(const double Q[4], double w[3])
{
    double axis[3], angle;
    pcs_quat_to_axis_angle(Q, axis, &angle);
    for (int i = 0; i < 3; ++i) {
        w[i] = angle * axis[i];
    }
}

pcs_status pcs_quat_from_axis_angle(const double axis[3], double angle, double Q[4])
{
    double k[3];
    const double length = v3_unit(axis, k);
    if (!(length > 0 && pcs_all_finite(axis, 3) && isfinite(angle))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_quat_from_axis_angle: axis (%g, %g, %g), angle %g; the axis must have "
                        "a direction and all must be finite",
                        axis[0], axis[1], axis[2], angle);
    }
    Q[0] = cos(angle / 2);
    for (int i = 0; i < 3; ++i) {
        Q[1 + i] = sin(angle / 2) * k[i];
    }
    return PCS_OK;
}

void pcs_quat_to_axis_angle(const double Q[4], double axis[3], double *angle)
{
    double S[4], scale;
    (void)quat_scaled(Q, S, &scale);
    quat_positive(S);

    // the arc tangent keeps all digits near 0 and near pi, where arc cosine and arc sine do not
    const double sine = v3_unit(S + 1, axis);
    *angle = 2 * atan2(sine, S[0]);
    if (sine == 0) axis[0] = 1;
}

void pcs_quat_left(const double Q[4], double L[12])
{
    for (int j = 0; j < 3; ++j) {
        double e[4] = {0};
        e[1 + j] = 1;
        pcs_quat_mul(Q, e, L + 4 * j);
    }
}
