// With x = 2 c - 1 the recurrence (k + 1) P_{k+1} = (2 k + 1) x P_k - k P_{k-1} is one of
// differences D_k = P_{k+1} - P_k,
//     (k + 1) D_k = k D_{k-1} - 2 (2 k + 1) (1 - c) P_k,
// in which the distance from the right end appears directly: nothing cancels at nodes near that
// end. The left end is its mirror image, P_k(c) = (-1)^k P_k(1 - c).
//
// Nodes are found by Newton's method from those of Chebyshev, each from the end it is nearer to.
// The quadratures are Davis, Rabinowitz, Methods of numerical integration, 2.7.
#include "ode/legendre.h"

#include <math.h>

#define PI 3.14159265358979323846

// P_{n-1} and P_n at the distance d from the right end
static void last_two(int n, double d, double *before, double *last)
{
    double P = 1, D = 0, previous = 0;
    for (int k = 0; k < n; ++k) {
        D = (k * D - 2 * (2 * k + 1) * d * P) / (k + 1);
        previous = P;
        P += D;
    }
    *before = previous;
    *last = P;
}

void legendre_values(int n, double c, double d, double *P)
{
    const double near = c < d ? c : d;
    double D = 0;
    P[0] = 1;
    for (int k = 0; k < n; ++k) {
        D = (k * D - 2 * (2 * k + 1) * near * P[k]) / (k + 1);
        P[k + 1] = P[k] + D;
    }
    for (int k = 1; k <= n && c < d; k += 2) {
        P[k] = -P[k];
    }
}

// The function that vanishes at the nodes, with d the distance from the right end: P_s (Gauss, kind
// 0), or P_s +- P_{s-1}, which has an additional zero at the left (1) or the right end (-1).
// Newton's step f / f' comes from (1 - x^2) dP_s/dx = s (P_{s-1} - x P_s), 1 - x^2 = 4 d (1 - d)
static double newton_step(int s, int kind, double d)
{
    double p, q;
    last_two(s, d, &q, &p);
    const double x = 1 - 2 * d, w = 2 * d * (1 - d);
    const double slope = s * (q - x * p) / w;
    if (kind == 0) return p / slope;
    // (1 - x^2) dP_{s-1}/dx = s (x P_{s-1} - P_s)
    const double slope_q = s * (x * q - p) / w;
    return (p + kind * q) / (slope + kind * slope_q);
}

// the zero next to d, a distance from the right end
static double polish(int s, int kind, double d)
{
    // convergence is quadratic from the start: a few steps reach rounding
    for (int k = 0; k < 20; ++k) {
        const double step = newton_step(s, kind, d);
        d += step;
        if (!(fabs(step) > 1e-16 * d)) break;
    }
    return d;
}

// the weights are divided by their sum, so that constants stay exact
static void normalise(int s, double *b)
{
    double sum = 0;
    for (int i = 0; i < s; ++i) {
        sum += b[i];
    }
    for (int i = 0; i < s; ++i) {
        b[i] /= sum;
    }
}

void legendre_gauss(int s, double *c, double *b)
{
    for (int i = 0; 2 * i < s; ++i) {
        // nodes are symmetric; the one in the middle is known
        const double half = sin(PI * (i + 0.75) / (2 * s + 1));
        const double d = 2 * i + 1 == s ? 0.5 : polish(s, 0, half * half);
        double q, p;
        last_two(s, d, &q, &p);
        c[i] = d;
        c[s - 1 - i] = 1 - d;
        b[i] = b[s - 1 - i] = 4 * d * (1 - d) / ((double)s * s * q * q);
    }
    normalise(s, b);
}

void legendre_radau(int s, double *c, double *b)
{
    const double ss = (double)s * s;
    for (int k = 1; k < s; ++k) {
        // seen from the right end, P_s - P_{s-1}; seen from the left one, P_s + P_{s-1}
        const double half = sin(PI * k / (2 * s - 1));
        double d = half * half, q, p;
        if (d < 0.5) {
            d = polish(s, -1, d);
            c[s - 1 - k] = 1 - d;
        } else {
            const double other = cos(PI * k / (2 * s - 1));
            d = 1 - (c[s - 1 - k] = polish(s, 1, other * other));
        }
        last_two(s, fmin(d, c[s - 1 - k]), &q, &p);
        b[s - 1 - k] = c[s - 1 - k] / (ss * q * q);
    }
    c[s - 1] = 1;
    b[s - 1] = 1 / ss;
    normalise(s, b);
}
