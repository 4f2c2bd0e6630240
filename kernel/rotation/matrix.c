// Quaternion to rotation matrix and back (theory 1.2, 1.4).
//
//     R(Q) = I + 2 (s [p]x + [p]x [p]x) / |Q|^2
#include "rotation/rotation.h"

#include "base/base.h"

// how far R^T R may be from I, in any entry: room for matrices typed with seven digits
#define ROTATION_TOL 1e-6

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

static bool is_rotation(const double R[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double off = v3_dot(R + 3 * i, R + 3 * j) - (i == j);
            if (!(fabs(off) <= ROTATION_TOL)) return false;
        }
    }
    return m3_det(R) > 0;
}

// Shepperd 1978: of the four ways to start, the one with the largest root; then nothing cancels.
//     z_i = 2 q_i = sqrt(1 + 2 t_i - tr R),  t = (tr R, r11, r22, r33)
pcs_status pcs_quat_from_matrix(const double R[9], double Q[4])
{
    if (!is_rotation(R)) {
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

    // row k is z_k z: only its length is left to fix
    for (int i = 0; i < 4; ++i) {
        Q[i] = products[k][i];
    }
    quat_positive(Q);
    return pcs_quat_normalize(Q);
}
