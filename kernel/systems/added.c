// Added mass of a body, in the coordinates of the step.
#include "systems/added.h"

#include "mass/m6.h"
#include "rotation/pose.h"

// B = diag(R, I) A diag(R^T, I)
static void to_inertial(const double A[36], const double R[9], double B[36])
{
    double half[36], row[3], rotated[3];
    for (int j = 0; j < 6; ++j) {
        m3_mul(R, A + 6 * j, half + 6 * j);
        v3_copy(A + 6 * j + 3, half + 6 * j + 3);
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 3; ++j) {
            row[j] = half[i + 6 * j];
        }
        m3_mul(R, row, rotated);
        for (int j = 0; j < 3; ++j) {
            B[i + 6 * j] = rotated[j];
            B[i + 6 * (3 + j)] = half[i + 6 * (3 + j)];
        }
    }
}

// f(nu), a quadratic form
static void body_force(const double A[36], const double nu[6], double f[6])
{
    double transport[6] = {0}, C[6];
    v3_cross(nu + 3, nu, transport);
    m6_mul(A, transport, f);
    m6_coriolis(A, nu, C);
    for (int i = 0; i < 6; ++i) {
        f[i] -= C[i];
    }
}

static void to_body(const double R[9], const double v[6], double nu[6])
{
    m3_mul_t(R, v, nu);
    v3_copy(v + 3, nu + 3);
}

void added_mass(const double A[36], const double q[7], double M[36])
{
    double R[9], B[36];
    quat_matrix(q + 3, R);
    to_inertial(A, R, B);
    for (int i = 0; i < 36; ++i) {
        M[i] += B[i];
    }
}

void added_gyroscopic(const double A[36], const double q[7], const double v[6], double F[6])
{
    double R[9], nu[6], f[6], force[3];
    quat_matrix(q + 3, R);
    to_body(R, v, nu);
    body_force(A, nu, f);
    m3_mul(R, f, force);
    for (int i = 0; i < 3; ++i) {
        F[i] += force[i];
        F[3 + i] += f[3 + i];
    }
}

// the central difference of a quadratic form is its derivative, for steps of any length
void added_subtract_jacobian(const double A[36], const double q[7], const double v[6], double a,
                             double out[36])
{
    double R[9], nu[6], D[36], B[36];
    quat_matrix(q + 3, R);
    to_body(R, v, nu);
    for (int j = 0; j < 6; ++j) {
        double plus[6], minus[6], moved[6];
        for (int i = 0; i < 6; ++i) {
            moved[i] = nu[i] + (i == j);
        }
        body_force(A, moved, plus);
        moved[j] = nu[j] - 1;
        body_force(A, moved, minus);
        for (int i = 0; i < 6; ++i) {
            D[i + 6 * j] = 0.5 * (plus[i] - minus[i]);
        }
    }
    to_inertial(D, R, B);
    for (int i = 0; i < 36; ++i) {
        out[i] -= a * B[i];
    }
}

void added_momentum(const double A[36], const double q[7], const double v[6], double p[3],
                    double L[3])
{
    double R[9], nu[6], momentum[6], linear[3], angular[3], arm[3];
    quat_matrix(q + 3, R);
    to_body(R, v, nu);
    m6_mul(A, nu, momentum);
    m3_mul(R, momentum, linear);
    m3_mul(R, momentum + 3, angular);
    v3_cross(q, linear, arm);
    for (int i = 0; i < 3; ++i) {
        p[i] += linear[i];
        L[i] += arm[i] + angular[i];
    }
}

void added_mul(const double M[36], const double x[6], double y[6])
{
    m6_mul(M, x, y);
}
