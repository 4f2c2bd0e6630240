// The Jordan algebra of the second-order cone Q = { x in R^d : x_0 >= |x_T| }, d = 1 (the half
// line), 2 or 3, for interior point methods.
//
//     x o y = (x'y, x_0 y_T + y_0 x_T),  e = (1, 0),  det x = x_0^2 - |x_T|^2,  x^-1 = J x / det x
//
// A point near the boundary keeps its distance gap = x_0 - |x_T| beside it: what is left of a
// difference of two nearly equal numbers has lost the digits that decide about a step. All
// functions here work with the gap and never subtract x_T from x_0.
#ifndef CONE_JORDAN_H
#define CONE_JORDAN_H

#include <math.h>

static inline double soc_tangent(int d, const double *x)
{
    if (d == 1) return 0;
    return d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// det x from x_T and the gap
static inline double soc_det(int d, const double *x, double gap)
{
    return gap * (gap + 2 * soc_tangent(d, x));
}

// y = x^-1
static inline void soc_inverse(int d, const double *x, double gap, double *y)
{
    const double det = soc_det(d, x, gap);
    y[0] = x[0] / det;
    for (int c = 1; c < d; ++c) {
        y[c] = -x[c] / det;
    }
}

// x'z, exact to rounding however close both are to the boundary: with a = |x_T|, b = |z_T|
//     x_0 z_0 + x_T z_T = a gap_z + b gap_x + gap_x gap_z + (a b + x_T z_T)
static inline double soc_dot(int d, const double *x, double gap_x, const double *z, double gap_z)
{
    const double a = soc_tangent(d, x), b = soc_tangent(d, z);
    const double inner = d == 1 ? 0 : d == 2 ? x[1] * z[1] : x[1] * z[1] + x[2] * z[2];
    double last = a * b + inner;
    if (inner < 0) {
        // opposite tangents: |x_T x z_T|^2 / (a b - x_T z_T)
        const double cross = d == 2 ? 0 : x[1] * z[2] - x[2] * z[1];
        last = cross / (a * b - inner) * cross;
    }
    return a * gap_z + b * gap_x + gap_x * gap_z + last;
}

// The largest t <= most with x + t d in Q.
static inline double soc_max_step(int n, const double *x, double gap, const double *d, double most)
{
    double t = most;
    if (d[0] < 0 && -x[0] / d[0] < t) t = -x[0] / d[0];
    if (n == 1) return t;

    // det(x + t d) = a t^2 + 2 b t + c
    const double xt = soc_tangent(n, x), dt = soc_tangent(n, d);
    double inner = x[1] * d[1];
    if (n == 3) inner += x[2] * d[2];
    const double a = (d[0] - dt) * (d[0] + dt);
    const double b = gap * d[0] + (xt * d[0] - inner);
    const double c = gap * (gap + 2 * xt), D = b * b - a * c;
    if (D < 0) return t;
    const double s = -(b + copysign(sqrt(D), b)), t1 = s / a, t2 = c / s;
    if (t1 > 0 && t1 < t) t = t1;
    if (t2 > 0 && t2 < t) t = t2;
    return t;
}

// x <- x + t d and its gap, by the difference of the tangents' lengths and not by that of the
// results; should rounding end outside, a small part of the gap is kept
static inline void soc_move(int n, double *x, double *gap, double t, const double *d)
{
    const double a = soc_tangent(n, x);
    double square = 0;
    for (int c = 1; c < n; ++c) {
        square += (2 * x[c] + t * d[c]) * (t * d[c]);
        x[c] += t * d[c];
    }
    const double b = soc_tangent(n, x);
    const double longer = square == 0 ? 0 : square / (a + b);
    const double next = *gap + (t * d[0] - longer);
    *gap = next > 1e-4 * *gap || isnan(next) ? next : 1e-4 * *gap;
    x[0] = b + *gap;
}

// The scaling of Nesterov and Todd: the symmetric F2 (d x d, column-major) with F2 x = z that maps
// Q onto itself,
//
//     F2 = eta (2 w w' - J),  eta = sqrt(det z / det x),  w = (J x / sqrt(det x) + z / sqrt(det z))
//     / 2g,  g = sqrt((1 + x'z / sqrt(det x det z)) / 2)
static inline void soc_scaling(int d, const double *x, double gap_x, const double *z, double gap_z,
                               double *F2)
{
    if (d == 1) {
        F2[0] = z[0] / x[0];
        return;
    }
    const double rx = sqrt(soc_det(d, x, gap_x)), rz = sqrt(soc_det(d, z, gap_z));
    // at least 1 but for rounding
    const double cosine = soc_dot(d, x, gap_x, z, gap_z) / (rx * rz);
    const double g = sqrt((1 + (cosine > 1 || isnan(cosine) ? cosine : 1)) / 2), eta = rz / rx;
    double w[3] = {0};
    w[0] = (x[0] / rx + z[0] / rz) / (2 * g);
    for (int c = 1; c < d; ++c) {
        w[c] = (z[c] / rz - x[c] / rx) / (2 * g);
    }
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            const double J = i != j ? 0 : i == 0 ? 1 : -1;
            F2[i + d * j] = eta * (2 * w[i] * w[j] - J);
        }
    }
}

#endif
