// The derivative of the exponential of rotations, which converts the rate of a rotation vector to
// an angular velocity and integrates a screw motion:
//
//     V(w)    = I + b1 [w]x + b2 [w]x^2,     b1 = (1 - cos a)/a^2,  b2 = (a - sin a)/a^3
//     V(w)^-1 = I - 1/2 [w]x + b3 [w]x^2,    b3 = (1 - (a/2) cot(a/2))/a^2,  a = |w|
//
// omega_A = V(w) dw/dt, omega_B = V(-w) dw/dt for R = exp([w]x).
#ifndef ROTATION_VECTOR_H
#define ROTATION_VECTOR_H

#include <math.h>

#include "linalg/m3.h"

// sum over k >= 0 of (-x)^k c_k / (2 k + first)!, c_k = 1 or (2 k + 2); below x = 4 fifteen terms
// end under an ulp of the first
static inline double vector_series(double x, int first, bool weighted)
{
    double term = first == 3 ? 1.0 / 6 : 1.0 / 24, sum = 0;
    for (int k = 0; k < 15; ++k) {
        sum += weighted ? (2 * k + 2) * term : term;
        term *= -x / ((2 * k + first + 1) * (2 * k + first + 2));
    }
    return sum;
}

// sin(a/2)/(a/2)
static inline double vector_sinc(double a)
{
    return a < 1e-150 ? 1 : sin(a / 2) / (a / 2);
}

// y = x + b1 w x x + b2 w x (w x x); y may be x
static inline void vector_combine(const double w[3], double b1, double b2, const double x[3],
                                  double y[3])
{
    double c[3], cc[3];
    v3_cross(w, x, c);
    v3_cross(w, c, cc);
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] + (b1 * c[i] + b2 * cc[i]);
    }
}

// y = V(sign w) x; y may be x
static inline void vector_V(const double w[3], double sign, const double x[3], double y[3])
{
    const double a = hypot(hypot(w[0], w[1]), w[2]), s = vector_sinc(a);
    const double b2 = a < 2 ? vector_series(a * a, 3, false) : (1 - sin(a) / a) / (a * a);
    vector_combine(w, sign * 0.5 * s * s, b2, x, y);
}

// y = V(w)^-1 x. With N = 2 (1 - cos a) - a sin a = a^4 (2/4! - 4 a^2/6! + 6 a^4/8! ...),
// b3 = N / (a^4 sinc^2); y may be x
static inline void vector_V_inverse(const double w[3], const double x[3], double y[3])
{
    const double a = hypot(hypot(w[0], w[1]), w[2]), s = vector_sinc(a);
    const double b3 =
        a < 2 ? vector_series(a * a, 4, true) / (s * s) : (1 - cos(a / 2) / s) / (a * a);
    vector_combine(w, -0.5, b3, x, y);
}

#endif
