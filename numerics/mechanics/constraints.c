// The constraints, and their derivatives when there is no callback for them. All derivatives of phi
// are derivatives along a direction (t', q'): columns of A along T e_j, phi_t along t, A v + phi_t
// along the motion; gamma is the derivative of A v + phi_t along the motion at constant v.
#include "mechanics/constrained.h"

#include <stdlib.h>
#include <string.h>

#include "mechanics/difference.h"

static pcs_status checked(unsigned long mark, const char *what, int answer, const double *x, int n,
                          double t)
{
    if (answer == 0 && pcs_all_finite(x, (size_t)n)) return PCS_OK;
    return pcs_fail_since(
        mark, PCS_ERR_CALLBACK,
        "the %s of a constrained system returned %d or gave a number that is not finite"
        " at t = %g",
        what, answer, t);
}

// phi of the complex arguments t, sys->qc: its real part, or its imaginary part over the step
static pcs_status ask_complex(pcs_constrained *sys, pcs_complex t, bool imaginary, double *out)
{
    for (int i = 0; i < sys->m; ++i) {
        sys->phi_c[i] = 0;
    }
    const unsigned long mark = pcs_fail_mark();
    const int answer = sys->def.phi_complex(sys->def.user, &t, sys->qc, sys->phi_c);
    for (int i = 0; i < sys->m; ++i) {
        out[i] = imaginary ? cimag(sys->phi_c[i]) / COMPLEX_STEP : creal(sys->phi_c[i]);
    }
    return checked(mark, "constraints", answer, out, sys->m, creal(t));
}

pcs_status constrained_phi(pcs_constrained *sys, double t, const double *q, double *phi)
{
    if (sys->m == 0) return PCS_OK;
    if (!sys->def.phi) {
        for (int i = 0; i < sys->nq; ++i) {
            sys->qc[i] = q[i];
        }
        return ask_complex(sys, t, false, phi);
    }
    memset(phi, 0, (size_t)sys->m * sizeof *phi);
    const unsigned long mark = pcs_fail_mark();
    return checked(mark, "constraints", sys->def.phi(sys->def.user, t, q, phi), phi, sys->m, t);
}

pcs_status constrained_qdot(pcs_constrained *sys, double t, const double *q, const double *v,
                            double *qdot)
{
    if (!sys->def.rate) {
        memcpy(qdot, v, (size_t)sys->nq * sizeof *qdot);
        return PCS_OK;
    }
    memset(qdot, 0, (size_t)sys->nq * sizeof *qdot);
    const unsigned long mark = pcs_fail_mark();
    return checked(mark, "kinematics", sys->def.rate(sys->def.user, t, q, v, qdot), qdot, sys->nq,
                   t);
}

// the step of differences along (tdot, qdot); 0 when both are zero
static double step_along(const pcs_constrained *sys, double tdot, const double *qdot)
{
    double rate = tdot / sys->def.scale_t;
    for (int i = 0; i < sys->nq; ++i) {
        rate = fmax(rate, fabs(qdot[i]) / sys->def.scale_q[i]);
    }
    return rate > 0 ? difference_step(1 / rate) : 0;
}

// out = d/ds phi(t + s tdot, q + s qdot)
static pcs_status phi_along(pcs_constrained *sys, double t, double tdot, const double *q,
                            const double *qdot, double *out)
{
    if (sys->def.phi_complex) {
        for (int i = 0; i < sys->nq; ++i) {
            sys->qc[i] = q[i] + COMPLEX_STEP * qdot[i] * I;
        }
        return ask_complex(sys, t + COMPLEX_STEP * tdot * I, true, out);
    }
    memset(out, 0, (size_t)sys->m * sizeof *out);
    const double d = step_along(sys, tdot, qdot);
    for (int k = -DIFFERENCE_POINTS; d > 0 && k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        for (int i = 0; i < sys->nq; ++i) {
            sys->x_phi[i] = q[i] + k * d * qdot[i];
        }
        PCS_TRY(constrained_phi(sys, t + k * d * tdot, sys->x_phi, sys->value));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (int i = 0; i < sys->m; ++i) {
            out[i] += w * sys->value[i];
        }
    }
    return PCS_OK;
}

pcs_status constrained_A(pcs_constrained *sys, double t, const double *q, double *A)
{
    const size_t m = (size_t)sys->m;
    if (m == 0) return PCS_OK;
    if (sys->def.A) {
        memset(A, 0, m * (size_t)sys->nv * sizeof *A);
        const unsigned long mark = pcs_fail_mark();
        return checked(mark, "constraint Jacobian", sys->def.A(sys->def.user, t, q, A), A,
                       sys->m * sys->nv, t);
    }
    for (int j = 0; j < sys->nv; ++j) {
        sys->unit[j] = 1;
        const pcs_status status = constrained_qdot(sys, t, q, sys->unit, sys->slope);
        sys->unit[j] = 0;
        PCS_TRY(status);
        PCS_TRY(phi_along(sys, t, 0, q, sys->slope, A + m * (size_t)j));
    }
    return PCS_OK;
}

pcs_status constrained_phi_t(pcs_constrained *sys, double t, const double *q, double *phi_t)
{
    memset(phi_t, 0, (size_t)sys->m * sizeof *phi_t);
    if (sys->m == 0 || (!sys->def.phi_t && !sys->def.moving)) return PCS_OK;
    if (sys->def.phi_t) {
        const unsigned long mark = pcs_fail_mark();
        return checked(mark, "phi_t", sys->def.phi_t(sys->def.user, t, q, phi_t), phi_t, sys->m, t);
    }
    memset(sys->slope, 0, (size_t)sys->nq * sizeof *sys->slope);
    return phi_along(sys, t, 1, q, sys->slope, phi_t);
}

pcs_status constrained_rate(pcs_constrained *sys, double t, const double *q, const double *v,
                            double *rate)
{
    if (sys->m == 0) return PCS_OK;
    if (!sys->def.A) {
        PCS_TRY(constrained_qdot(sys, t, q, v, sys->slope));
        if (!sys->def.phi_t) {
            return phi_along(sys, t, sys->def.moving ? 1 : 0, q, sys->slope, rate);
        }
        PCS_TRY(phi_along(sys, t, 0, q, sys->slope, rate));
        PCS_TRY(constrained_phi_t(sys, t, q, sys->value));
        for (int i = 0; i < sys->m; ++i) {
            rate[i] += sys->value[i];
        }
        return PCS_OK;
    }
    PCS_TRY(constrained_phi_t(sys, t, q, rate));
    PCS_TRY(constrained_A(sys, t, q, sys->A_at));
    for (int j = 0; j < sys->nv; ++j) {
        const double *column = sys->A_at + (size_t)sys->m * (size_t)j;
        for (int i = 0; i < sys->m; ++i) {
            rate[i] += column[i] * v[j];
        }
    }
    return PCS_OK;
}

pcs_status constrained_gamma(pcs_constrained *sys, double t, const double *q, const double *v,
                             double *gamma)
{
    memset(gamma, 0, (size_t)sys->m * sizeof *gamma);
    if (sys->m == 0) return PCS_OK;
    if (sys->def.gamma) {
        const unsigned long mark = pcs_fail_mark();
        return checked(mark, "gamma", sys->def.gamma(sys->def.user, t, q, v, gamma), gamma, sys->m,
                       t);
    }
    PCS_TRY(constrained_qdot(sys, t, q, v, sys->qdot));
    const double d = step_along(sys, sys->def.moving ? 1 : 0, sys->qdot);
    for (int k = -DIFFERENCE_POINTS; d > 0 && k <= DIFFERENCE_POINTS; ++k) {
        if (k == 0) continue;
        for (int i = 0; i < sys->nq; ++i) {
            sys->x[i] = q[i] + k * d * sys->qdot[i];
        }
        PCS_TRY(constrained_rate(sys, t + k * d, sys->x, v, sys->sum));
        const double w = (k > 0 ? 1 : -1) * difference_weight(abs(k)) / d;
        for (int i = 0; i < sys->m; ++i) {
            gamma[i] += w * sys->sum[i];
        }
    }
    return PCS_OK;
}
