// A point contact: its frame, the gradient of its gap, and its velocity operator (theory 4.2, 5,
// 6).
//
// With Q = (s, p) and the lever GP = P - G, the terms of (5.1) from the normalisation cancel, which
// leaves
//
//     dP/ds = 2/|Q|^2  GP x p
//     dP/dp = 2/|Q|^2 ((p.GP) I - p GP^T - s [GP]x)
//
// and along N, with the moment m = GP x N of a unit force,
//
//     N^T dP/dQ = 2/|Q|^2  (0, m) (x) Q,        CT = F^T [I, -[GP]x R],  moment rows (R^T (GP x
//     F_k))^T.
//
// A radial lever (m = 0) gives zero, and (0, m) (x) Q is orthogonal to Q: C (0, Q) = 0.
#include "relations/contact.h"

#include <float.h>

#include "rotation/rotation.h"

// rounding of a lever P - G in units of |P| + |G| (sums of moduli). P, G + R p or G - r N, has half
// an ulp from each of its operations; the difference and the product with N add as much again:
// about 2.5 epsilon in all, times three for points computed in another order
#define LEVER_ROUNDING (8 * DBL_EPSILON)

static double modulus(const double a[3])
{
    return fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
}

// m = GP x N, N a unit vector. A moment within the rounding of P and G is set to zero: without this
// an impulse through the centre of a ball would spin it by rounding errors
static void lever_moment(const double G[3], const double P[3], const double N[3], double m[3])
{
    double GP[3];
    v3_sub(P, G, GP);
    v3_cross(GP, N, m);

    const double noise = LEVER_ROUNDING * (modulus(P) + modulus(G));
    if (fabs(m[0]) <= noise && fabs(m[1]) <= noise && fabs(m[2]) <= noise) {
        m[0] = m[1] = m[2] = 0;
    }
}

double apart(const double a[3], const double b[3], double unit[3])
{
    double d[3];
    v3_sub(a, b, d);
    const double distance = v3_unit(d, unit);
    if (distance > LEVER_ROUNDING * (modulus(a) + modulus(b))) return distance;
    unit[0] = unit[1] = unit[2] = 0;
    return 0;
}

void pcs_contact_frame(const double N[3], double F[9])
{
    // the axis furthest from N
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(N[i]) < fabs(N[k])) k = i;
    }
    double e[3] = {0}, t[3];
    e[k] = 1;

    for (int i = 0; i < 3; ++i) {
        F[i] = N[i];
    }
    v3_cross(e, N, t);
    v3_unit(t, F + 3);
    v3_cross(N, F + 3, F + 6);
}

void lever_gradient(const double Q[4], const double GP[3], double dPdQ[12])
{
    double S[4], scale, S_cross[9];
    const double square = quat_scaled(Q, S, &scale);
    const double *p = S + 1, c = 2 / square * scale;
    const double dot = v3_dot(p, GP);
    v3_cross(GP, p, dPdQ);
    m3_skew(GP, S_cross);

    for (int i = 0; i < 3; ++i) {
        dPdQ[i] *= c;
        for (int j = 0; j < 3; ++j) {
            const double diagonal = i == j ? dot : 0;
            dPdQ[3 + i + 3 * j] = c * (diagonal - p[i] * GP[j] - S[0] * S_cross[i + 3 * j]);
        }
    }
}

void pcs_contact_point_gradient(const double q[7], const double P[3], double dPdQ[12])
{
    double GP[3];
    v3_sub(P, q, GP);
    lever_gradient(q + 3, GP, dPdQ);
}

void moment_gradient(const double Q[4], const double moment[3], double row[4])
{
    double S[4], scale;
    const double c = 2 / quat_scaled(Q, S, &scale) * scale;
    const double m[4] = {0, c * moment[0], c * moment[1], c * moment[2]};
    pcs_quat_mul(m, S, row);
}

void pcs_contact_gap_gradient(const double q1[7], const double P1[3], const double *q2,
                              const double P2[3], const double N[3], double *C)
{
    double m[3];
    lever_moment(q1, P1, N, m);
    for (int i = 0; i < 3; ++i) {
        C[i] = N[i];
    }
    moment_gradient(q1 + 3, m, C + 3);
    if (!q2) return;

    const double back[3] = {-N[0], -N[1], -N[2]};
    lever_moment(q2, P2, back, m);
    for (int i = 0; i < 3; ++i) {
        C[7 + i] = back[i];
    }
    moment_gradient(q2 + 3, m, C + 10);
}

// +CT or -CT of one body
static void body_CT(const double q[7], const double P[3], const double F[9], double sign,
                    double CT[18])
{
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    for (int k = 0; k < 3; ++k) {
        double m[3], moment[3];
        lever_moment(q, P, F + 3 * k, m);
        m3_mul_t(R, m, moment);
        for (int i = 0; i < 3; ++i) {
            CT[k + 3 * i] = sign * F[i + 3 * k];
            CT[k + 3 * (3 + i)] = sign * moment[i];
        }
    }
}

void pcs_contact_body_CT(const double q[7], const double P[3], const double F[9], double CT[18])
{
    body_CT(q, P, F, 1, CT);
}

void pcs_contact_CT(const double q1[7], const double P1[3], const double q2[7], const double P2[3],
                    const double F[9], double CT[36])
{
    body_CT(q1, P1, F, 1, CT);
    body_CT(q2, P2, F, -1, CT + 18);
}
