// Rates of Euler angles and angular velocity (theory 2.3).
//
// The columns of W are the axes of the three angles: for R = Rz(yaw) Ry(pitch) Rx(roll) the
// inertial z axis, the y axis after the yaw, and the body x axis. det W is cos(pitch) or
// -sin(theta), exactly; so E = W^-1 from cross products of the columns over that number keeps its
// relative accuracy up to the singularity.
#include <percuss/euler.h>

#include <string.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "rotation/angles.h"

static void column(double W[9], int j, double x, double y, double z)
{
    W[3 * j] = x;
    W[1 + 3 * j] = y;
    W[2 + 3 * j] = z;
}

static void zyx_W(const angles *t, pcs_axes axes, double W[9])
{
    if (axes == PCS_AXES_BODY) {
        column(W, 0, 1, 0, 0);
        column(W, 1, 0, t->c[0], -t->s[0]);
        column(W, 2, -t->s[1], t->s[0] * t->c[1], t->c[0] * t->c[1]);
    } else {
        column(W, 0, t->c[2] * t->c[1], t->s[2] * t->c[1], -t->s[1]);
        column(W, 1, -t->s[2], t->c[2], 0);
        column(W, 2, 0, 0, 1);
    }
}

static void zyx_W_rate(const angles *t, const double r[3], pcs_axes axes, double Wdot[9])
{
    if (axes == PCS_AXES_BODY) {
        column(Wdot, 0, 0, 0, 0);
        column(Wdot, 1, 0, -t->s[0] * r[0], -t->c[0] * r[0]);
        column(Wdot, 2, -t->c[1] * r[1], t->c[0] * t->c[1] * r[0] - t->s[0] * t->s[1] * r[1],
               -t->s[0] * t->c[1] * r[0] - t->c[0] * t->s[1] * r[1]);
    } else {
        column(Wdot, 0, -t->s[2] * t->c[1] * r[2] - t->c[2] * t->s[1] * r[1],
               t->c[2] * t->c[1] * r[2] - t->s[2] * t->s[1] * r[1], -t->c[1] * r[1]);
        column(Wdot, 1, -t->c[2] * r[2], -t->s[2] * r[2], 0);
        column(Wdot, 2, 0, 0, 0);
    }
}

static void zyz_W(const angles *t, pcs_axes axes, double W[9])
{
    if (axes == PCS_AXES_BODY) {
        column(W, 0, -t->s[1] * t->c[2], t->s[1] * t->s[2], t->c[1]);
        column(W, 1, t->s[2], t->c[2], 0);
        column(W, 2, 0, 0, 1);
    } else {
        column(W, 0, 0, 0, 1);
        column(W, 1, -t->s[0], t->c[0], 0);
        column(W, 2, t->c[0] * t->s[1], t->s[0] * t->s[1], t->c[1]);
    }
}

static void zyz_W_rate(const angles *t, const double r[3], pcs_axes axes, double Wdot[9])
{
    if (axes == PCS_AXES_BODY) {
        column(Wdot, 0, -t->c[1] * t->c[2] * r[1] + t->s[1] * t->s[2] * r[2],
               t->c[1] * t->s[2] * r[1] + t->s[1] * t->c[2] * r[2], -t->s[1] * r[1]);
        column(Wdot, 1, t->c[2] * r[2], -t->s[2] * r[2], 0);
        column(Wdot, 2, 0, 0, 0);
    } else {
        column(Wdot, 0, 0, 0, 0);
        column(Wdot, 1, -t->c[0] * r[0], -t->s[0] * r[0], 0);
        column(Wdot, 2, -t->s[0] * t->s[1] * r[0] + t->c[0] * t->c[1] * r[1],
               t->c[0] * t->s[1] * r[0] + t->s[0] * t->c[1] * r[1], -t->s[1] * r[1]);
    }
}

void pcs_zyx_W(const double a[3], pcs_axes axes, double W[9])
{
    const angles t = angles_of(a);
    zyx_W(&t, axes, W);
}

void pcs_zyx_W_rate(const double a[3], const double rates[3], pcs_axes axes, double Wdot[9])
{
    const angles t = angles_of(a);
    zyx_W_rate(&t, rates, axes, Wdot);
}

void pcs_zyz_W(const double a[3], pcs_axes axes, double W[9])
{
    const angles t = angles_of(a);
    zyz_W(&t, axes, W);
}

void pcs_zyz_W_rate(const double a[3], const double rates[3], pcs_axes axes, double Wdot[9])
{
    const angles t = angles_of(a);
    zyz_W_rate(&t, rates, axes, Wdot);
}

// row i of W^-1 is the cross product of the other two columns over the determinant
static void invert(const double W[9], double det, double E[9])
{
    for (int i = 0; i < 3; ++i) {
        double row[3];
        v3_cross(W + 3 * ((i + 1) % 3), W + 3 * ((i + 2) % 3), row);
        for (int j = 0; j < 3; ++j) {
            E[i + 3 * j] = row[j] / det;
        }
    }
}

// one of the two sequences of axes
typedef struct sequence {
    void (*W)(const angles *t, pcs_axes axes, double W[9]);
    void (*W_rate)(const angles *t, const double r[3], pcs_axes axes, double Wdot[9]);
    bool by_cosine; // det W = cos of the second angle; else -sin
    const char *name, *zero, *second;
} sequence;

static const sequence zyx = {zyx_W, zyx_W_rate, true, "ZYX", "cos(pitch)", "pitch"};
static const sequence zyz = {zyz_W, zyz_W_rate, false, "ZYZ", "sin(theta)", "theta"};

// E = W^-1, and the sines and cosines of the angles
static pcs_status inverse(const char *where, const sequence *of, const double a[3], pcs_axes axes,
                          angles *t, double E[9])
{
    *t = angles_of(a);
    if (!pcs_all_finite(a, 3)) {
        return pcs_fail(PCS_ERR_ARG, "%s: an angle is not finite", where);
    }
    const double zero = of->by_cosine ? t->c[1] : t->s[1];
    if (fabs(zero) < PCS_EULER_LOCK) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "%s: %s is %g at %s %.17g; the rates of %s angles are unbounded there "
                        "(gimbal lock), use a quaternion",
                        where, of->zero, zero, of->second, a[1], of->name);
    }
    double W[9];
    of->W(t, axes, W);
    invert(W, of->by_cosine ? zero : -zero, E);
    return PCS_OK;
}

// Edot = -E Wdot E
static pcs_status rate_of_inverse(const char *where, const sequence *of, const double a[3],
                                  const double rates[3], pcs_axes axes, double Edot[9])
{
    double E[9], Wdot[9], WE[9];
    angles t;
    PCS_TRY(inverse(where, of, a, axes, &t, E));
    if (!pcs_all_finite(rates, 3)) {
        return pcs_fail(PCS_ERR_ARG, "%s: a rate is not finite", where);
    }
    of->W_rate(&t, rates, axes, Wdot);
    m3_mul_m3(Wdot, E, WE);
    m3_mul_m3(E, WE, Edot);
    for (int i = 0; i < 9; ++i) {
        Edot[i] = -Edot[i];
    }
    return PCS_OK;
}

pcs_status pcs_zyx_E(const double a[3], pcs_axes axes, double E[9])
{
    angles t;
    return inverse("pcs_zyx_E", &zyx, a, axes, &t, E);
}

pcs_status pcs_zyx_E_rate(const double a[3], const double rates[3], pcs_axes axes, double Edot[9])
{
    return rate_of_inverse("pcs_zyx_E_rate", &zyx, a, rates, axes, Edot);
}

pcs_status pcs_zyz_E(const double a[3], pcs_axes axes, double E[9])
{
    angles t;
    return inverse("pcs_zyz_E", &zyz, a, axes, &t, E);
}

pcs_status pcs_zyz_E_rate(const double a[3], const double rates[3], pcs_axes axes, double Edot[9])
{
    return rate_of_inverse("pcs_zyz_E_rate", &zyz, a, rates, axes, Edot);
}

// ---- the state eta = (x, angles) with nu = (V, omega) in body components

static pcs_status check_finite(const char *where, const double *a, const double *b)
{
    if (!pcs_all_finite(a, 6) || (b && !pcs_all_finite(b, 6))) {
        return pcs_fail(PCS_ERR_ARG, "%s: a number of the state or of its rate is not finite",
                        where);
    }
    return PCS_OK;
}

pcs_status pcs_euler_jacobian(const double eta[6], double J[36])
{
    double R[9], E[9];
    angles t;
    PCS_TRY(inverse("pcs_euler_jacobian", &zyx, eta + 3, PCS_AXES_BODY, &t, E));
    zyx_matrix(&t, R);
    memset(J, 0, 36 * sizeof *J);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            J[i + 6 * j] = R[i + 3 * j];
            J[3 + i + 6 * (3 + j)] = E[i + 3 * j];
        }
    }
    return PCS_OK;
}

pcs_status pcs_euler_rate(const double eta[6], const double nu[6], double etadot[6])
{
    double R[9], E[9];
    angles t;
    PCS_TRY(check_finite("pcs_euler_rate", eta, nu));
    PCS_TRY(inverse("pcs_euler_rate", &zyx, eta + 3, PCS_AXES_BODY, &t, E));
    zyx_matrix(&t, R);
    m3_mul(R, nu, etadot);
    m3_mul(E, nu + 3, etadot + 3);
    return PCS_OK;
}

static void velocity(const angles *t, const double etadot[6], double nu[6])
{
    double R[9], W[9];
    zyx_matrix(t, R);
    zyx_W(t, PCS_AXES_BODY, W);
    m3_mul_t(R, etadot, nu);
    m3_mul(W, etadot + 3, nu + 3);
}

pcs_status pcs_euler_velocity(const double eta[6], const double etadot[6], double nu[6])
{
    PCS_TRY(check_finite("pcs_euler_velocity", eta, etadot));
    const angles t = angles_of(eta + 3);
    velocity(&t, etadot, nu);
    return PCS_OK;
}

// d2x/dt2 = R (dV/dt + omega x V); of the angles from W rates = omega,
// W d2angles/dt2 = domega/dt - dW/dt rates
pcs_status pcs_euler_second_rate(const double eta[6], const double nu[6], const double nudot[6],
                                 double etaddot[6])
{
    double R[9], E[9], Wdot[9], rates[3], seen[3], turn[3];
    angles t;
    PCS_TRY(check_finite("pcs_euler_second_rate", eta, nu));
    PCS_TRY(check_finite("pcs_euler_second_rate", nudot, NULL));
    PCS_TRY(inverse("pcs_euler_second_rate", &zyx, eta + 3, PCS_AXES_BODY, &t, E));

    zyx_matrix(&t, R);
    v3_cross(nu + 3, nu, turn);
    v3_along(nudot, 1, turn, seen);
    m3_mul(R, seen, etaddot);

    m3_mul(E, nu + 3, rates);
    zyx_W_rate(&t, rates, PCS_AXES_BODY, Wdot);
    m3_mul(Wdot, rates, turn);
    v3_along(nudot + 3, -1, turn, seen);
    m3_mul(E, seen, etaddot + 3);
    return PCS_OK;
}

// dV/dt = R^T d2x/dt2 - omega x V, domega/dt = W d2angles/dt2 + dW/dt rates
pcs_status pcs_euler_acceleration(const double eta[6], const double etadot[6],
                                  const double etaddot[6], double nudot[6])
{
    double Wdot[9], nu[6], seen[6], turn[3];
    PCS_TRY(check_finite("pcs_euler_acceleration", eta, etadot));
    PCS_TRY(check_finite("pcs_euler_acceleration", etaddot, NULL));
    const angles t = angles_of(eta + 3);
    velocity(&t, etadot, nu);
    velocity(&t, etaddot, seen); // R^T d2x/dt2 and W d2angles/dt2

    v3_cross(nu + 3, nu, turn);
    v3_along(seen, -1, turn, nudot);
    zyx_W_rate(&t, etadot + 3, PCS_AXES_BODY, Wdot);
    m3_mul(Wdot, etadot + 3, turn);
    v3_along(seen + 3, 1, turn, nudot + 3);
    return PCS_OK;
}

void pcs_euler_to_pose(const double eta[6], double q[7])
{
    v3_copy(eta, q);
    pcs_quat_from_zyx(eta[3], eta[4], eta[5], q + 3);
}

void pcs_euler_from_pose(const double q[7], double eta[6])
{
    v3_copy(q, eta);
    pcs_quat_to_zyx(q + 3, eta + 3, eta + 4, eta + 5);
}
