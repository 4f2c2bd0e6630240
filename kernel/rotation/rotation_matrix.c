// Quaternion to rotation matrix and back (theory 1.2, 1.4), and the matrix nearest to a rotation.
//
//     R(Q) = I + 2 (s [p]x + [p]x [p]x) / |Q|^2
#include "rotation/rotation.h"

#include "base/base.h"

// allowed difference of R^T R from I, in any entry: matrices with seven digits pass
#define ROTATION_TOL 1e-6
// det(A) / (|A| / sqrt(3))^3 from which A has a rotation near it: 1 for rotations
#define NEAREST_DET 1e-12

void pcs_quat_to_matrix(const double Q[4], double R[9])
{
    double S[4], scale;
    const double c = 2 / quat_scaled(Q, S, &scale);
    const double x = c * S[1], y = c * S[2], z = c * S[3];
    const double sx = S[0] * x, sy = S[0] * y, sz = S[0] * z;
    const double xx = S[1] * x, yy = S[2] * y, zz = S[3] * z;
    const double xy = S[1] * y, yz = S[2] * z, zx = S[3] * x;

    R[0] = 1 - (yy + zz);
    R[1] = xy + sz;
    R[2] = zx - sy;
    R[3] = xy - sz;
    R[4] = 1 - (zz + xx);
    R[5] = yz + sx;
    R[6] = zx + sy;
    R[7] = yz - sx;
    R[8] = 1 - (xx + yy);
}

// the largest entry of R^T R - I; NaN if there is one
static double defect(const double R[9])
{
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double off = fabs(v3_dot(R + 3 * i, R + 3 * j) - (i == j));
            if (off > worst || isnan(off)) worst = off;
            if (isnan(off)) return off;
        }
    }
    return worst;
}

pcs_status pcs_matrix_check(const double R[9], double tol)
{
    const double off = defect(R);
    if (!(off <= tol)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_matrix_check: R^T R differs from I by %g; for a rotation the limit is %g", off,
            tol);
    }
    if (!(m3_det(R) > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_matrix_check: the determinant is %g; the columns must be "
                        "right-handed",
                        m3_det(R));
    }
    return PCS_OK;
}

// Shepperd 1978: of the four choices, the one with the largest root; then nothing cancels.
//     z_i = 2 q_i = sqrt(1 + 2 t_i - tr R),  t = (tr R, r11, r22, r33)
pcs_status pcs_quat_from_matrix(const double R[9], double Q[4])
{
    if (!(defect(R) <= ROTATION_TOL && m3_det(R) > 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_quat_from_matrix: the matrix is not a rotation; its "
                                     "columns must be orthonormal to 1e-6 and right-handed");
    }

    const double t[4] = {R[0] + R[4] + R[8], R[0], R[4], R[8]};
    int k = 0;
    for (int i = 1; i < 4; ++i) {
        if (t[i] > t[k]) k = i;
    }

    // products z_i z_j = 4 q_i q_j
    const double z01 = R[5] - R[7], z02 = R[6] - R[2], z03 = R[1] - R[3];
    const double z23 = R[5] + R[7], z31 = R[6] + R[2], z12 = R[1] + R[3];
    const double zk2 = 1 + 2 * t[k] - t[0]; // >= 1
    const double products[4][4] = {
        {zk2, z01, z02, z03}, {z01, zk2, z12, z31}, {z02, z12, zk2, z23}, {z03, z31, z23, zk2}};

    // row k is z_k z: its length remains to be corrected
    for (int i = 0; i < 4; ++i) {
        Q[i] = products[k][i];
    }
    quat_positive(Q);
    return pcs_quat_normalise(Q);
}

// Y = X^-T = cof(X) / det(X); its columns are cross products of those of X
static void inverse_transpose(const double X[9], double Y[9])
{
    v3_cross(X + 3, X + 6, Y);
    v3_cross(X + 6, X, Y + 3);
    v3_cross(X, X + 3, Y + 6);
    const double det = v3_dot(X, Y);
    for (int i = 0; i < 9; ++i) {
        Y[i] /= det;
    }
}

static double sum_of_squares(const double A[9])
{
    return v3_dot(A, A) + v3_dot(A + 3, A + 3) + v3_dot(A + 6, A + 6);
}

// Higham 1986: X <- (g X + X^-T / g) / 2 changes every singular value s to (g s + 1/(g s)) / 2 and
// keeps the singular vectors. The factor g = (|X^-T| / |X|)^(1/2) reduces the ratio of the singular
// values; near 1 the convergence is quadratic with g = 1.
pcs_status pcs_matrix_nearest(const double A[9], double R[9])
{
    if (!pcs_all_finite(A, 9)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_matrix_nearest: an entry is not finite");
    }
    double largest = 0, X[9], Y[9];
    for (int i = 0; i < 9; ++i) {
        largest = fmax(largest, fabs(A[i]));
    }
    for (int i = 0; i < 9; ++i) {
        X[i] = largest > 0 ? A[i] / largest : 0;
    }
    const double size = sqrt(sum_of_squares(X) / 3), det = m3_det(X) / (size * size * size);
    if (!(det > NEAREST_DET)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_matrix_nearest: no rotation is near a matrix that is singular or "
                        "left-handed; its determinant over the cube of its size is %g",
                        det);
    }

    // with the factor fewer than ten steps are enough for any matrix that is accepted
    double change = 1;
    for (int k = 0; k < 20 && change > 1e-15; ++k) {
        inverse_transpose(X, Y);
        const double g = change > 1e-2 ? pow(sum_of_squares(Y) / sum_of_squares(X), 0.25) : 1;
        change = 0;
        for (int i = 0; i < 9; ++i) {
            const double next = 0.5 * (g * X[i] + Y[i] / g);
            change = fmax(change, fabs(next - X[i]));
            X[i] = next;
        }
    }
    for (int i = 0; i < 9; ++i) {
        R[i] = X[i];
    }
    return PCS_OK;
}
