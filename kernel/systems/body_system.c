// Newton-Euler body: m dv/dt = F, J domega/dt = M - omega x J omega, with v the velocity of G in
// the inertial frame and omega in the body frame (theory 3.1).
#include "systems/body_system.h"

#include <float.h>
#include <string.h>

#include "linalg/m3.h"
#include "mass/m6.h"
#include "systems/added.h"

static pcs_status call_force(const model_system *s, double t, const double q[7], const double v[6],
                             double F[6])
{
    for (int i = 0; i < 6; ++i) {
        F[i] = 0;
    }
    char who[PART_WORDS];
    const int answer = s->body_force(s->user, t, q, v, F);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the force callback of %s returned %d at t = %g",
                        system_words(s, who), answer, t);
    }
    if (!pcs_all_finite(F, 6)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the force callback of %s gave a number that is not finite at t = %g",
                              system_words(s, who), t);
    }
    return PCS_OK;
}

pcs_status body_forces(const pcs_model *m, const model_system *s, double t, const double q[7],
                       const double v[6], system_force F)
{
    double weight[3];
    v3_scale(s->mass, m->gravity, weight);
    for (int i = 0; i < 6; ++i) {
        F.conservative[i] = i < 3 ? weight[i] : 0;
        F.other[i] = 0;
        F.gyroscopic[i] = 0;
    }
    if (!s->isotropic) {
        double Jw[3];
        m3_mul(s->J, v + 3, Jw);
        v3_cross(Jw, v + 3, F.gyroscopic + 3);
    }
    if (s->added) added_gyroscopic(s->added, q, v, F.gyroscopic);
    if (s->body_force) {
        double user[6];
        PCS_TRY(call_force(s, t, q, v, user));
        double *into = s->potential ? F.conservative : F.other;
        for (int i = 0; i < 6; ++i) {
            into[i] += user[i];
        }
    }
    for (int i = 0; i < 6 && s->plane != PCS_PLANE_NONE; ++i) {
        if (system_locks(s, i)) F.conservative[i] = F.other[i] = 0;
    }
    return PCS_OK;
}

void body_mass(const model_system *s, double A[36])
{
    memset(A, 0, 36 * sizeof *A);
    for (int i = 0; i < 3; ++i) {
        A[i + 6 * i] = s->mass;
        for (int j = 0; j < 3; ++j) {
            A[(3 + i) + 6 * (3 + j)] = s->J[i + 3 * j];
        }
    }
}

void body_accelerate(const model_system *s, const double q[7], double a[6])
{
    double M[36], L[36];
    body_mass(s, M);
    added_mass(s->added, q, M);
    if (m6_cholesky(M, L)) m6_cholesky_solve(L, a);
}

void body_rotational_matrix(const model_system *s, const double v[6], double a, double A[9])
{
    double Jw[3], S[9], SJ[9], SJw[9];
    m3_mul(s->J, v + 3, Jw);
    m3_skew(v + 3, S);
    m3_mul_m3(S, s->J, SJ);
    m3_skew(Jw, SJw);
    for (int i = 0; i < 9; ++i) {
        A[i] = s->J[i] + a * (SJ[i] - SJw[i]);
    }
}

// central differences of the force along velocities, and along displacements T dv
static pcs_status difference_jacobian(const model_system *s, double t, const double q[7],
                                      const double v[6], double a, double b, double A[36])
{
    const double relative = cbrt(DBL_EPSILON);
    for (int j = 0; j < 6; ++j) {
        double plus[6], minus[6], w[6], moved[7];

        // velocity direction j
        double d = relative * fmax(1, fabs(v[j]));
        memcpy(w, v, sizeof w);
        w[j] = v[j] + d;
        PCS_TRY(call_force(s, t, q, w, plus));
        w[j] = v[j] - d;
        PCS_TRY(call_force(s, t, q, w, minus));
        for (int i = 0; i < 6; ++i) {
            A[i + 6 * j] -= a * (plus[i] - minus[i]) / (2 * d);
        }

        // displacement direction j: the motion of a unit velocity
        d = relative * (j < 3 ? fmax(1, fabs(q[j])) : 1);
        memset(w, 0, sizeof w);
        w[j] = 1;
        pcs_body_advance(q, d, w, PCS_QUAT_UPDATE_EXP, moved);
        PCS_TRY(call_force(s, t, moved, v, plus));
        pcs_body_advance(q, -d, w, PCS_QUAT_UPDATE_EXP, moved);
        PCS_TRY(call_force(s, t, moved, v, minus));
        for (int i = 0; i < 6; ++i) {
            A[i + 6 * j] -= b * (plus[i] - minus[i]) / (2 * d);
        }
    }
    return PCS_OK;
}

static pcs_status user_jacobian(const model_system *s, double t, const double q[7],
                                const double v[6], double a, double b, double A[36])
{
    double Fq[42] = {0}, Fv[36] = {0}, T[42];
    char who[PART_WORDS];
    const int answer = s->body_jacobian(s->user, t, q, v, Fq, Fv);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the Jacobian callback of %s returned %d at t = %g",
                        system_words(s, who), answer, t);
    }
    if (!pcs_all_finite(Fq, 42) || !pcs_all_finite(Fv, 36)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the Jacobian callback of %s gave a number that is not finite at"
                              " t = %g",
                              system_words(s, who), t);
    }
    pcs_body_T(q, T);
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            double FqT = 0;
            for (int k = 0; k < 7; ++k) {
                FqT += Fq[i + 6 * k] * T[k + 7 * j];
            }
            A[i + 6 * j] -= a * Fv[i + 6 * j] + b * FqT;
        }
    }
    return PCS_OK;
}

// the rows and columns of a planar body that leave its plane are those of its mass
static void keep_plane(const model_system *s, double A[36])
{
    for (int i = 0; i < 6; ++i) {
        if (!system_locks(s, i)) continue;
        for (int j = 0; j < 6; ++j) {
            A[i + 6 * j] = A[j + 6 * i] = 0;
        }
        A[7 * i] = i < 3 ? s->mass : s->J[0];
    }
}

pcs_status body_subtract_jacobian(const model_system *s, double t, const double q[7],
                                  const double v[6], double a, double b, double A[36])
{
    if (!s->isotropic) {
        double G[9];
        body_rotational_matrix(s, v, a, G);
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                A[(3 + i) + 6 * (3 + j)] += G[i + 3 * j] - s->J[i + 3 * j];
            }
        }
    }
    if (s->added) added_subtract_jacobian(s->added, q, v, a, A);
    if (s->body_jacobian) {
        PCS_TRY(user_jacobian(s, t, q, v, a, b, A));
    } else if (s->body_force) {
        PCS_TRY(difference_jacobian(s, t, q, v, a, b, A));
    }
    if (s->plane != PCS_PLANE_NONE) keep_plane(s, A);
    return PCS_OK;
}
