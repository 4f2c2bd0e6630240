// The equations of motion in body components (theory 3.2), and the load of forces at points.
//
//     m (dV/dt + omega x V) = F,   J domega/dt + omega x J omega = M
#include <percuss/body.h>
#include <percuss/rigid.h>

#include "base/base.h"
#include "linalg/m3.h"

// x = J^-1 b by Cholesky; false if J (lower triangle read) is not positive definite
static bool solve_definite(const double J[9], const double b[3], double x[3])
{
    double L[9];
    for (int j = 0; j < 3; ++j) {
        for (int i = j; i < 3; ++i) {
            double s = J[i + 3 * j];
            for (int k = 0; k < j; ++k) {
                s -= L[i + 3 * k] * L[j + 3 * k];
            }
            if (i == j && !(s > 0)) return false;
            L[i + 3 * j] = i == j ? sqrt(s) : s / L[j + 3 * j];
        }
    }
    for (int i = 0; i < 3; ++i) {
        x[i] = b[i];
        for (int k = 0; k < i; ++k) {
            x[i] -= L[i + 3 * k] * x[k];
        }
        x[i] /= L[i + 3 * i];
    }
    for (int i = 2; i >= 0; --i) {
        for (int k = i + 1; k < 3; ++k) {
            x[i] -= L[k + 3 * i] * x[k];
        }
        x[i] /= L[i + 3 * i];
    }
    return true;
}

pcs_status pcs_newton_euler(double m, const double J[9], const double nu[6], const double wrench[6],
                            double nudot[6])
{
    if (!(m > 0) || !isfinite(m)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_newton_euler: the mass is %g kg; it must be positive", m);
    }
    if (!pcs_all_finite(J, 9) || !pcs_all_finite(nu, 6) || !pcs_all_finite(wrench, 6)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_newton_euler: inertia, velocity or wrench is not finite");
    }
    double Jw[3], gyro[3], turn[3], M[3], alpha[3];
    m3_mul(J, nu + 3, Jw);
    v3_cross(nu + 3, Jw, gyro);
    v3_sub(wrench + 3, gyro, M);
    if (!solve_definite(J, M, alpha)) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_newton_euler: the inertia is not positive definite");
    }
    v3_cross(nu + 3, nu, turn);
    for (int i = 0; i < 3; ++i) {
        nudot[i] = wrench[i] / m - turn[i];
    }
    v3_copy(alpha, nudot + 3);
    return PCS_OK;
}

static pcs_status check_vectors(const char *where, const char *what, int n, const double *x)
{
    if (n < 0) return pcs_fail(PCS_ERR_ARG, "%s: there are %d %s", where, n, what);
    if (n > 0 && !x) return pcs_fail(PCS_ERR_ARG, "%s: the %s are null", where, what);
    for (int k = 0; k < n; ++k) {
        if (!pcs_all_finite(x + 3 * (size_t)k, 3)) {
            return pcs_fail(PCS_ERR_ARG, "%s: number %d of the %s is not finite", where, k, what);
        }
    }
    return PCS_OK;
}

static void add_forces(int n, const double *points, const double *forces, const double about[3],
                       double wrench[6])
{
    for (int k = 0; k < n; ++k) {
        const double *F = forces + 3 * (size_t)k;
        double lever[3], moment[3];
        v3_sub(points + 3 * (size_t)k, about, lever);
        v3_cross(lever, F, moment);
        v3_along(wrench, 1, F, wrench);
        v3_along(wrench + 3, 1, moment, wrench + 3);
    }
}

pcs_status pcs_wrench_of_forces(int n, const double *points, const double *forces, int n_couples,
                                const double *couples, const double about[3], double wrench[6])
{
    static const char where[] = "pcs_wrench_of_forces";
    PCS_TRY(check_vectors(where, "points", n, points));
    PCS_TRY(check_vectors(where, "forces", n, forces));
    PCS_TRY(check_vectors(where, "couples", n_couples, couples));
    PCS_TRY(check_vectors(where, "points of reference", 1, about));

    double sum[6] = {0};
    add_forces(n, points, forces, about, sum);
    for (int k = 0; k < n_couples; ++k) {
        v3_along(sum + 3, 1, couples + 3 * (size_t)k, sum + 3);
    }
    v3_copy(sum, wrench);
    v3_copy(sum + 3, wrench + 3);
    return PCS_OK;
}

void pcs_couple_moment(const double F[3], const double P1[3], const double P2[3], double couple[3])
{
    double arm[3];
    v3_sub(P1, P2, arm);
    v3_cross(arm, F, couple);
}

// the moment about `point` is M - point x F; with point = F x M / |F|^2 it is along F
pcs_status pcs_wrench_axis(const double wrench[6], double point[3], double *pitch)
{
    if (!pcs_all_finite(wrench, 6)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_wrench_axis: force or moment is not finite");
    }
    double u[3], arm[3];
    const double F = v3_unit(wrench, u);
    if (!(F > 0)) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_wrench_axis: the force is zero; a couple has no "
                                          "central axis");
    }
    const double along = v3_dot(u, wrench + 3) / F;
    v3_cross(u, wrench + 3, arm);
    v3_scale(1 / F, arm, point);
    *pitch = along;
    return PCS_OK;
}

pcs_status pcs_body_load(const double q[7], int n, const double *points, const double *forces,
                         double load[6])
{
    PCS_TRY(pcs_pose_check(q));
    PCS_TRY(check_vectors("pcs_body_load", "points", n, points));
    PCS_TRY(check_vectors("pcs_body_load", "forces", n, forces));
    double sum[6] = {0};
    add_forces(n, points, forces, q, sum);
    v3_copy(sum, load);
    pcs_pose_vector_back(q, sum + 3, load + 3);
    return PCS_OK;
}
