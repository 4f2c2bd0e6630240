// With H the normal rows of all contacts, u = H v and W = H M^-1 H', the impulses solve
//     0 <= W p + (1 + e) u  _|_  p >= 0,
// and the velocities after the impact are v + M^-1 H' p.
#include "checks/impact_by_hand.h"

#include <math.h>
#include <string.h>

#include <percuss/rotation.h>

double hand_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void hand_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// the change of velocity (inertial, omega inertial) by a unit impulse N at P
static void kick(const solid *b, const double P[3], const double N[3], double dv[3],
                 double domega[3])
{
    memset(dv, 0, 3 * sizeof *dv);
    memset(domega, 0, 3 * sizeof *domega);
    if (b->fixed) return;
    double GP[3], moment[3], body[3], inverse[4];
    for (int i = 0; i < 3; ++i) {
        dv[i] = N[i] / b->mass;
        GP[i] = P[i] - b->x[i];
    }
    hand_cross(GP, N, moment);
    pcs_quat_conj(b->Q, inverse);
    pcs_quat_rotate(inverse, moment, body);
    for (int i = 0; i < 3; ++i) {
        body[i] /= b->inertia[i];
    }
    pcs_quat_rotate(b->Q, body, domega);
}

// N . velocity of the point of b at P
static double normal_velocity(const solid *b, const double v[3], const double omega[3],
                              const double P[3], const double N[3])
{
    double GP[3], turn[3];
    for (int i = 0; i < 3; ++i) {
        GP[i] = P[i] - b->x[i];
    }
    hand_cross(omega, GP, turn);
    return hand_dot(N, v) + hand_dot(N, turn);
}

// Gaussian elimination of A x = b, n <= MOST_TOUCHES; false if A is singular
static bool solve(int n, double A[MOST_TOUCHES][MOST_TOUCHES], double *b)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, A[i][i]);
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k; i < n; ++i) {
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        }
        if (!(fabs(A[best][k]) > 1e-9 * largest)) return false;
        for (int j = 0; j < n; ++j) {
            const double t = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = t;
        }
        const double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = 0; i < n; ++i) {
            if (i == k) continue;
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; ++k) {
        b[k] /= A[k][k];
    }
    return true;
}

// the set of closed contacts whose bits are set in `closed`; true if it solves the LCP
static bool try_set(int n, unsigned closed, double e, hand_result *r)
{
    int row[MOST_TOUCHES], m = 0;
    for (int i = 0; i < n; ++i) {
        if (closed & (1u << i)) row[m++] = i;
    }
    double A[MOST_TOUCHES][MOST_TOUCHES] = {{0}}, p[MOST_TOUCHES] = {0};
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            A[i][j] = r->W[row[i]][row[j]];
        }
        p[i] = -(1 + e) * r->u[row[i]];
    }
    if (!solve(m, A, p)) return false;

    memset(r->p, 0, sizeof r->p);
    double speed = 0;
    for (int i = 0; i < m; ++i) {
        if (p[i] < 0) return false;
        r->p[row[i]] = p[i];
    }
    for (int i = 0; i < n; ++i) {
        speed = fmax(speed, fabs(r->u[i]));
    }
    for (int i = 0; i < n; ++i) {
        double w = (1 + e) * r->u[i];
        for (int j = 0; j < n; ++j) {
            w += r->W[i][j] * r->p[j];
        }
        if (w < -1e-12 * speed) return false;
    }
    return true;
}

static double kinetic(const solid *b, const double v[6])
{
    if (b->fixed) return 0;
    double K = 0;
    for (int i = 0; i < 3; ++i) {
        K += 0.5 * (b->mass * v[i] * v[i] + b->inertia[i] * v[3 + i] * v[3 + i]);
    }
    return K;
}

bool hand_impact(const solid body[2], int n, const touch_point *contact, double e, hand_result *out)
{
    *out = (hand_result){0};
    double dv[2][MOST_TOUCHES][3], domega[2][MOST_TOUCHES][3];
    for (int b = 0; b < 2; ++b) {
        const double sign = b == 0 ? 1 : -1;
        double omega[3];
        pcs_quat_rotate(body[b].Q, body[b].omega, omega);
        for (int j = 0; j < n; ++j) {
            kick(&body[b], contact[j].P, contact[j].N, dv[b][j], domega[b][j]);
            for (int i = 0; i < n; ++i) {
                out->W[i][j] +=
                    normal_velocity(&body[b], dv[b][j], domega[b][j], contact[i].P, contact[i].N);
            }
            if (body[b].fixed) continue;
            out->u[j] +=
                sign * normal_velocity(&body[b], body[b].v, omega, contact[j].P, contact[j].N);
        }
    }

    bool found = false;
    for (unsigned closed = 0; !found && closed < 1u << n; ++closed) {
        found = try_set(n, closed, e, out);
    }
    for (int b = 0; b < 2; ++b) {
        double turn[3] = {0, 0, 0}, inverse[4], in_body[3];
        memcpy(out->v[b], body[b].v, sizeof body[b].v);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < 3; ++i) {
                out->v[b][i] += (b == 0 ? 1 : -1) * dv[b][j][i] * out->p[j];
                turn[i] += (b == 0 ? 1 : -1) * domega[b][j][i] * out->p[j];
            }
        }
        pcs_quat_conj(body[b].Q, inverse);
        pcs_quat_rotate(inverse, turn, in_body);
        double before[6];
        for (int i = 0; i < 3; ++i) {
            before[i] = body[b].v[i];
            before[3 + i] = body[b].omega[i];
            out->v[b][3 + i] = body[b].omega[i] + in_body[i];
        }
        out->loss += kinetic(&body[b], before) - kinetic(&body[b], out->v[b]);
    }
    return found;
}
