// Euler angles (theory 1.4). Both conventions go through one: with half angles
//
//     Rz(psi) Ry(theta) Rz(phi):   q0 = cos(theta/2) cos(a)    a = (psi + phi)/2
//                                  q3 = cos(theta/2) sin(a)
//                                  q2 = sin(theta/2) cos(d)    d = (psi - phi)/2
//                                  q1 = -sin(theta/2) sin(d)
//
// so that a and d follow from two arc tangents, each exact where the other is undetermined. And
// since Rx(phi) = Ry(pi/2) Rz(phi) Ry(-pi/2),
//
//     Rz(psi) Ry(theta) Rx(phi) Ry(pi/2) = Rz(psi) Ry(theta + pi/2) Rz(phi).
#include "rotation/rotation.h"

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

// angles of Rz(psi) Ry(theta) Rz(phi); phi = 0 where sin(theta) <= lock
static void zyz_angles(const double Q[4], double lock, double *psi, double *theta, double *phi)
{
    double S[4], scale;
    const double square = quat_scaled(Q, S, &scale);
    const double c = hypot(S[0], S[3]), s = hypot(S[1], S[2]);
    const double a = atan2(S[3], S[0]), d = atan2(-S[1], S[2]);

    *theta = 2 * atan2(s, c);
    if (2 * s * c > lock * square) {
        *psi = wrap(a + d);
        *phi = wrap(a - d);
    } else {
        *psi = wrap(c > s ? 2 * a : 2 * d);
        *phi = 0;
    }
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

void pcs_quat_to_zyx(const double Q[4], double *roll, double *pitch, double *yaw)
{
    double S[4], scale, turned[4];
    (void)quat_scaled(Q, S, &scale);
    const double quarter[4] = {1, 0, 1, 0}; // about y, of length sqrt(2)
    pcs_quat_mul(S, quarter, turned);
    zyz_angles(turned, ZYX_LOCK, yaw, pitch, roll);
    *pitch -= PI / 2;
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
    zyz_angles(Q, ZYZ_LOCK, psi, theta, phi);
}
