// Lagrangian system with n dofs: M(q) dv/dt = F(t, q, v) + load - D v - K q, dq/dt = v.
#include "systems/lagrangian.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"

// the callback overwrites F
static pcs_status call_force(const model_system *s, double t, const double *q, const double *v,
                             double *F)
{
    memset(F, 0, (size_t)s->nv * sizeof *F);
    char who[PART_WORDS];
    const int answer = s->force(s->user, t, q, v, F);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the force callback of %s returned %d at t = %g",
                        system_words(s, who), answer, t);
    }
    if (!pcs_all_finite(F, (size_t)s->nv)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the force callback of %s gave a number that is not finite at t = %g",
                              system_words(s, who), t);
    }
    return PCS_OK;
}

// y += a A x: a plain loop for small systems, blocks for larger ones
static void add_mul(int n, double a, const double *A, const double *x, double *y)
{
    if (n >= 32) {
        dense_mul(n, n, a, A, x, 1, y);
        return;
    }
    for (int j = 0; j < n; ++j) {
        const double ax = a * x[j];
        for (int i = 0; i < n; ++i) {
            y[i] += A[i + n * j] * ax;
        }
    }
}

pcs_status lagrangian_forces(const model_system *s, double t, const double *q, const double *v,
                             system_force F)
{
    const size_t bytes = (size_t)s->nv * sizeof(double);
    memset(F.conservative, 0, bytes);
    memset(F.other, 0, bytes);
    memset(F.gyroscopic, 0, bytes);
    if (s->force) {
        PCS_TRY(call_force(s, t, q, v, s->potential ? F.conservative : F.other));
    }
    if (s->load) {
        for (int i = 0; i < s->nv; ++i) {
            F.conservative[i] += s->load[i];
        }
    }
    if (s->K) add_mul(s->nv, -1, s->K, q, F.conservative);
    if (s->D) add_mul(s->nv, -1, s->D, v, F.other);
    if (s->sparse && s->sparse->K.val) envelope_add_mul(&s->sparse->K, -1, q, F.conservative);
    if (s->sparse && s->sparse->D.val) envelope_add_mul(&s->sparse->D, -1, v, F.other);
    return PCS_OK;
}

// B += a A, B dense; for what needs a dense matrix
static void add_dense(const envelope *A, double a, double *B)
{
    const size_t n = (size_t)A->n;
    for (size_t i = 0; A->val && i < n; ++i) {
        for (size_t j = (size_t)A->first[i], k = A->row[i]; j <= i; ++j, ++k) {
            B[i + n * j] += a * A->val[k];
            if (j < i) B[j + n * i] += a * A->val[k];
        }
    }
}

pcs_status lagrangian_mass(const model_system *s, const double *q, double *A)
{
    const size_t n = (size_t)s->nv;
    if (s->M) {
        memcpy(A, s->M, n * n * sizeof *A);
        return PCS_OK;
    }
    memset(A, 0, n * n * sizeof *A);
    if (s->sparse) {
        add_dense(&s->sparse->M, 1, A);
        return PCS_OK;
    }
    char who[PART_WORDS];
    const int answer = s->mass_fn(s->user, q, A);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the mass callback of %s returned %d",
                        system_words(s, who), answer);
    }
    if (!pcs_all_finite(A, n * n)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the mass callback of %s gave a number that is not finite",
                              system_words(s, who));
    }
    return PCS_OK;
}

// central differences; work: 4 n
static pcs_status difference_jacobian(const model_system *s, double t, const double *q,
                                      const double *v, double a, double b, double *work, double *A)
{
    const int n = s->nv;
    const double relative = cbrt(DBL_EPSILON);
    double *plus = work, *minus = work + n, *x = work + 2 * (size_t)n, *w = work + 3 * (size_t)n;
    memcpy(x, q, (size_t)n * sizeof *x);
    memcpy(w, v, (size_t)n * sizeof *w);
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < 2; ++k) {
            double *moved = k == 0 ? &w[j] : &x[j];
            const double part = k == 0 ? a : b, was = *moved, d = relative * fmax(1, fabs(was));
            *moved = was + d;
            PCS_TRY(call_force(s, t, x, w, plus));
            *moved = was - d;
            PCS_TRY(call_force(s, t, x, w, minus));
            *moved = was;
            for (int i = 0; i < n; ++i) {
                A[i + (size_t)n * (size_t)j] -= part * (plus[i] - minus[i]) / (2 * d);
            }
        }
    }
    return PCS_OK;
}

pcs_status lagrangian_subtract_jacobian(const model_system *s, double t, const double *q,
                                        const double *v, double a, double b, double *work,
                                        double *A)
{
    const size_t nn = (size_t)s->nv * (size_t)s->nv;
    for (size_t i = 0; i < nn; ++i) {
        A[i] += (s->D ? a * s->D[i] : 0) + (s->K ? b * s->K[i] : 0);
    }
    if (s->sparse) {
        add_dense(&s->sparse->D, a, A);
        add_dense(&s->sparse->K, b, A);
    }
    if (!s->force) return PCS_OK;
    if (!s->jacobian) return difference_jacobian(s, t, q, v, a, b, work, A);

    double *Fq = work, *Fv = work + nn;
    memset(work, 0, 2 * nn * sizeof *work);
    char who[PART_WORDS];
    const int answer = s->jacobian(s->user, t, q, v, Fq, Fv);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the Jacobian callback of %s returned %d at t = %g",
                        system_words(s, who), answer, t);
    }
    if (!pcs_all_finite(work, 2 * nn)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the Jacobian callback of %s gave a number that is not finite at"
                              " t = %g",
                              system_words(s, who), t);
    }
    for (size_t i = 0; i < nn; ++i) {
        A[i] -= a * Fv[i] + b * Fq[i];
    }
    return PCS_OK;
}

double lagrangian_potential(const model_system *s, const double *q)
{
    const int n = s->nv;
    double sum = s->sparse && s->sparse->K.val ? 0.5 * envelope_form(&s->sparse->K, q) : 0;
    for (int j = 0; j < n; ++j) {
        if (s->load) sum -= s->load[j] * q[j];
        if (!s->K) continue;
        double Kq = 0;
        for (int i = 0; i < n; ++i) {
            Kq += s->K[i + (size_t)n * (size_t)j] * q[i];
        }
        sum += 0.5 * q[j] * Kq;
    }
    return sum;
}
