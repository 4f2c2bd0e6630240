// Euler angles from and to quaternions and matrices (theory 1.4). Both conventions go through one:
// with half angles
//
//     Rz(psi) Ry(theta) Rz(phi):   q0 = cos(theta/2) cos(a)    a = (psi + phi)/2
//                                  q3 = cos(theta/2) sin(a)
//                                  q2 = sin(theta/2) cos(d)    d = (psi - phi)/2
//                                  q1 = -sin(theta/2) sin(d)
//
// so that a and d follow from two arc tangents, each accurate when the other is undetermined. Since
// Rx(phi) = Ry(pi/2) Rz(phi) Ry(-pi/2),
//
//     Rz(psi) Ry(theta) Rx(phi) Ry(pi/2) = Rz(psi) Ry(theta + pi/2) Rz(phi).
#include "rotation/rotation.h"

#include "rotation/angles.h"

#define PI 3.14159265358979323846

// below this, sin(theta) of ZYZ is rounding
#define ZYZ_LOCK 1e-15
// cos(pitch) where |r31| = sin(pitch) reaches 1 - 1e-12
#define ZYX_LOCK 1.4142135623727415e-6

// into (-pi, pi], from (-2 pi, 2 pi]
static double wrap(double angle)
{
    if (angle > PI) return angle - 2 * PI;
    return angle <= -PI ? angle + 2 * PI : angle;
}

// cos(theta/2), sin(theta/2) of Rz(psi) Ry(theta) Rz(phi), times |Q|; whether sin(theta) <= lock
static bool halves(const double Q[4], double lock, double *c, double *s)
{
    *c = hypot(Q[0], Q[3]);
    *s = hypot(Q[1], Q[2]);
    return !(2 * *s * *c > lock * (*c * *c + *s * *s));
}

// the outer angles; phi = 0 when sin(theta) <= lock
static void outer_angles(const double Q[4], double lock, double *psi, double *phi)
{
    double c, s;
    const bool locked = halves(Q, lock, &c, &s);
    const double a = atan2(Q[3], Q[0]), d = atan2(-Q[1], Q[2]);
    *psi = locked ? wrap(c > s ? 2 * a : 2 * d) : wrap(a + d);
    *phi = locked ? 0 : wrap(a - d);
}

// Q (x) Qy(pi/2), times sqrt(2)
static void quarter_rotated(const double Q[4], double rotated[4])
{
    const double quarter[4] = {1, 0, 1, 0};
    pcs_quat_mul(Q, quarter, rotated);
}

void pcs_quat_from_zyx(double roll, double pitch, double yaw, double Q[4])
{
    const double cx = cos(roll / 2), sx = sin(roll / 2);
    const double cy = cos(pitch / 2), sy = sin(pitch / 2);
    const double cz = cos(yaw / 2), sz = sin(yaw / 2);
    Q[0] = cz * cy * cx + sz * sy * sx;
    Q[1] = cz * cy * sx - sz * sy * cx;
    Q[2] = cz * sy * cx + sz * cy * sx;
    Q[3] = sz * cy * cx - cz * sy * sx;
}

// With theta = pitch + pi/2 the pitch is the arc tangent of (s^2 - c^2) / (2 s c), where s^2 - c^2
// = 4 (q0 q2 - q1 q3) = -2 |Q|^2 r31. This keeps all digits of a small pitch, unlike 2 atan2(s, c)
// - pi/2; near lock, where an arc sine keeps half of them, 2 s c is the product of a small
// difference of entries of Q with a number near |Q|.
void pcs_quat_to_zyx(const double Q[4], double *roll, double *pitch, double *yaw)
{
    double S[4], scale, rotated[4], c, s;
    (void)quat_scaled(Q, S, &scale);
    quarter_rotated(S, rotated);
    outer_angles(rotated, ZYX_LOCK, yaw, roll);
    (void)halves(rotated, ZYX_LOCK, &c, &s);
    *pitch = atan2(4 * (S[0] * S[2] - S[1] * S[3]), 2 * s * c);
}

void pcs_quat_from_zyz(double psi, double theta, double phi, double Q[4])
{
    const double a = (psi + phi) / 2, d = (psi - phi) / 2;
    const double c = cos(theta / 2), s = sin(theta / 2);
    Q[0] = c * cos(a);
    Q[1] = -s * sin(d);
    Q[2] = s * cos(d);
    Q[3] = c * sin(a);
}

void pcs_quat_to_zyz(const double Q[4], double *psi, double *theta, double *phi)
{
    double S[4], scale, c, s;
    (void)quat_scaled(Q, S, &scale);
    outer_angles(S, ZYZ_LOCK, psi, phi);
    (void)halves(S, ZYZ_LOCK, &c, &s);
    *theta = 2 * atan2(s, c);
}

bool euler_locked(const double Q[4], bool zyx)
{
    double S[4], scale, rotated[4], c, s;
    (void)quat_scaled(Q, S, &scale);
    quarter_rotated(S, rotated);
    return zyx ? halves(rotated, ZYX_LOCK, &c, &s) : halves(S, ZYZ_LOCK, &c, &s);
}

void pcs_matrix_from_zyx(double roll, double pitch, double yaw, double R[9])
{
    const angles t = angles_of((const double[]){roll, pitch, yaw});
    zyx_matrix(&t, R);
}

// three angles of a matrix, by its quaternion
static pcs_status angles_from(const double R[9],
                              void (*of)(const double Q[4], double *, double *, double *),
                              double *first, double *second, double *third)
{
    double Q[4];
    PCS_TRY(pcs_quat_from_matrix(R, Q));
    of(Q, first, second, third);
    return PCS_OK;
}

pcs_status pcs_matrix_to_zyx(const double R[9], double *roll, double *pitch, double *yaw)
{
    return angles_from(R, pcs_quat_to_zyx, roll, pitch, yaw);
}

void pcs_matrix_from_zyz(double psi, double theta, double phi, double R[9])
{
    const angles t = angles_of((const double[]){psi, theta, phi});
    zyz_matrix(&t, R);
}

pcs_status pcs_matrix_to_zyz(const double R[9], double *psi, double *theta, double *phi)
{
    return angles_from(R, pcs_quat_to_zyz, psi, theta, phi);
}
