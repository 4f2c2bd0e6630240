// The Jordan algebra of the second-order cone Q = { x in R^d : x_0 >= |x_T| }, d = 1 (the half
// line), 2 or 3, for interior point methods that are to end at the last digit.
//
//     x o y = (x'y, x_0 y_T + y_0 x_T),  e = (1, 0),  det x = x_0^2 - |x_T|^2,  x^-1 = J x / det x
//
// A point also stores its distance from the boundary, gap = x_0 - |x_T|. When x slides along the
// boundary with z on the opposite side, the gaps matter most, and a difference of two nearly equal
// numbers would lose their digits; so would a step written in N and T. Steps are therefore written
// in the frame of the scaling, whose first two vectors lie on the boundary,
//
//     p = (1, t) / sqrt 2,   m = (1, -t) / sqrt 2,   n = (0, t rotated by a right angle)
//
// where t is the direction of the tangent of the scaling point. No function here subtracts two
// numbers that are nearly equal because a point is near the boundary.
#ifndef CONE_JORDAN_H
#define CONE_JORDAN_H

#include <math.h>
#include <stdbool.h>

#define SOC_HALF 0.70710678118654752440 // 1 / sqrt 2

// The eigenvalues of x (a) and z (b) with x o z = t e and x - z = y, for an eigenvalue l of y:
// a - b = l, a b = t; and s = a + b. The smaller one is a quotient: no digits are lost
typedef struct soc_pair {
    double s, a, b;
} soc_pair;

static inline soc_pair soc_smooth(double l, double t)
{
    const double s = sqrt(l * l + 4 * t), more = (s + fabs(l)) / 2, less = t / more;
    return l >= 0 ? (soc_pair){s, more, less} : (soc_pair){s, less, more};
}

// |x_T|
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

// length + inner, where length^2 = inner^2 + cross^2
static inline double soc_sum(double length, double inner, double cross)
{
    return inner < 0 ? cross / (length - inner) * cross : length + inner;
}

// x'z: with a = |x_T|, b = |z_T| it is a gap_z + b gap_x + gap_x gap_z + (a b + x_T z_T)
static inline double soc_dot(int d, const double *x, double gap_x, const double *z, double gap_z)
{
    if (d == 1) return gap_x * gap_z;
    const double a = soc_tangent(d, x), b = soc_tangent(d, z);
    const double inner = x[1] * z[1] + (d == 3 ? x[2] * z[2] : 0);
    const double cross = d == 3 ? x[1] * z[2] - x[2] * z[1] : 0;
    return a * gap_z + b * gap_x + gap_x * gap_z + soc_sum(a * b, inner, cross);
}

// The scaling of Nesterov and Todd, the symmetric F^2 that maps Q onto itself and x to z. In its
// frame, whose t is returned, it is the diagonal matrix of e:
//     F^2 = eta (2 w w' - J),  eta = sqrt(det z / det x),  w = (J x / sqrt(det x) + z / sqrt(det
//     z)) / 2g,  g = sqrt((1 + x'z / sqrt(det x det z)) / 2),  t = w_T / |w_T|
//     e = eta (w_p^2, 1 / w_p^2, 1),  w_p = w_0 + |w_T|
static inline void soc_scaling(int d, const double *x, double gap_x, const double *z, double gap_z,
                               double t[2], double e[3])
{
    t[0] = 1;
    t[1] = 0;
    if (d == 1) {
        e[0] = z[0] / x[0];
        e[1] = e[2] = 0;
        return;
    }
    const double rx = sqrt(soc_det(d, x, gap_x)), rz = sqrt(soc_det(d, z, gap_z));
    const double g = sqrt((1 + soc_dot(d, x, gap_x, z, gap_z) / (rx * rz)) / 2), eta = rz / rx;
    const double w0 = (x[0] / rx + z[0] / rz) / (2 * g);
    const double w[3] = {0, (z[1] / rz - x[1] / rx) / (2 * g),
                         d == 3 ? (z[2] / rz - x[2] / rx) / (2 * g) : 0};
    const double wt = soc_tangent(d, w), wp = w0 + wt;
    if (wt > 0) {
        t[0] = w[1] / wt;
        t[1] = w[2] / wt;
    }
    e[0] = eta * wp * wp;
    e[1] = eta / wp / wp;
    e[2] = eta;
}

// the columns p, m, n of the frame, d x d
static inline void soc_frame(int d, const double t[2], double *Q)
{
    if (d == 1) {
        Q[0] = 1;
        return;
    }
    for (int s = 0; s < 2; ++s) {
        const double sign = s == 0 ? SOC_HALF : -SOC_HALF;
        Q[d * s] = SOC_HALF;
        Q[1 + d * s] = sign * t[0];
        if (d == 3) Q[2 + d * s] = sign * t[1];
    }
    if (d == 3) {
        Q[6] = 0;
        Q[7] = -t[1];
        Q[8] = t[0];
    }
}

// a point in the frame
static inline void soc_enter(int d, const double t[2], const double *x, double gap, double y[3])
{
    y[0] = x[0];
    y[1] = y[2] = 0;
    if (d == 1) return;
    const double length = soc_tangent(d, x), other = d == 3 ? x[2] : 0;
    const double inner = x[1] * t[0] + other * t[1], cross = t[0] * other - t[1] * x[1];
    y[0] = SOC_HALF * (gap + soc_sum(length, inner, cross));
    y[1] = SOC_HALF * (gap + soc_sum(length, -inner, cross));
    y[2] = cross;
}

// the inverse of a point, both in the frame
static inline void soc_invert(int d, const double *y, double det, double out[3])
{
    out[0] = d == 1 ? 1 / y[0] : y[1] / det;
    out[1] = d == 1 ? 0 : y[0] / det;
    out[2] = d == 3 ? -y[2] / det : 0;
}

// y = a o b, all in the frame
static inline void soc_product(const double a[3], const double b[3], double y[3])
{
    const double a0 = SOC_HALF * (a[0] + a[1]), at = SOC_HALF * (a[0] - a[1]);
    const double b0 = SOC_HALF * (b[0] + b[1]), bt = SOC_HALF * (b[0] - b[1]);
    const double y0 = a0 * b0 + at * bt + a[2] * b[2], yt = a0 * bt + b0 * at;
    y[0] = SOC_HALF * (y0 + yt);
    y[1] = SOC_HALF * (y0 - yt);
    y[2] = a0 * b[2] + b0 * a[2];
}

// out with a o out = y, all in the frame
static inline void soc_divide(const double a[3], const double y[3], double out[3])
{
    const double a0 = SOC_HALF * (a[0] + a[1]), at = SOC_HALF * (a[0] - a[1]);
    const double y0 = SOC_HALF * (y[0] + y[1]), yt = SOC_HALF * (y[0] - y[1]);
    const double det = 2 * a[0] * a[1] - a[2] * a[2];
    const double o0 = (a0 * y0 - at * yt - a[2] * y[2]) / det, ot = (yt - o0 * at) / a0;
    out[0] = SOC_HALF * (o0 + ot);
    out[1] = SOC_HALF * (o0 - ot);
    out[2] = (y[2] - o0 * a[2]) / a0;
}

// A point and a direction in the frame: the angle of its tangent against t, and the rate of its gap
// along the direction
typedef struct soc_angle {
    double length; // |x_T|
    double c, s;   // cosine and sine of the angle; 1 and 0 when there is no tangent
} soc_angle;

static inline soc_angle soc_angle_of(int d, const double t[2], const double *x)
{
    const double length = soc_tangent(d, x), other = d == 3 ? x[2] : 0;
    if (d == 1 || !(length > 0)) return (soc_angle){length, 1, 0};
    return (soc_angle){length, (x[1] * t[0] + other * t[1]) / length,
                       (t[0] * other - t[1] * x[1]) / length};
}

static inline double soc_gap_rate(int d, soc_angle a, const double *y)
{
    if (d == 1) return y[0];
    const double rate = SOC_HALF * (y[0] * soc_sum(1, -a.c, a.s) + y[1] * soc_sum(1, a.c, a.s));
    return d == 3 ? rate - a.s * y[2] : rate;
}

// The largest t <= most with x + t y in Q
static inline double soc_max_step(int d, double gap, soc_angle a, const double *y, double most)
{
    // det(x + t y) = A t^2 + 2 B t + C
    const double y0 = d == 1 ? y[0] : SOC_HALF * (y[0] + y[1]), x0 = gap + a.length;
    double t = most;
    if (y0 < 0 && -x0 / y0 < t) t = -x0 / y0;
    if (d == 1) return t;
    const double A = 2 * y[0] * y[1] - (d == 3 ? y[2] * y[2] : 0);
    const double B = gap * y0 + a.length * soc_gap_rate(d, a, y);
    const double C = gap * (gap + 2 * a.length), D = B * B - A * C;
    if (D < 0) return t;
    const double s = -(B + copysign(sqrt(D), B)), t1 = s / A, t2 = C / s;
    if (t1 > 0 && t1 < t) t = t1;
    if (t2 > 0 && t2 < t) t = t2;
    return t;
}

// x <- x + h y and its gap. straight: the gap changes by its rate and x_0 follows from it, which
// differs from x_0 + h y_0 by the curvature of |x_T|. If rounding leads outside, a part of the gap
// is kept
static inline void soc_move(int d, const double t[2], double *x, double *gap, double h,
                            const double *y, bool straight)
{
    const soc_angle a = soc_angle_of(d, t, x);
    const double rate = soc_gap_rate(d, a, y);
    double bend = 0, length = 0;
    if (d > 1) {
        const double along = SOC_HALF * (y[0] - y[1]), across = d == 3 ? y[2] : 0;
        const double in = a.length + h * (a.c * along + a.s * across);
        const double out = h * (a.c * across - a.s * along);
        x[1] += h * (t[0] * along - t[1] * across);
        if (d == 3) x[2] += h * (t[1] * along + t[0] * across);
        length = soc_tangent(d, x);
        if (!straight) bend = in > 0 ? out / (sqrt(in * in + out * out) + in) * out : length - in;
    }
    const double next = *gap + (h * rate - bend);
    *gap = next > 1e-4 * *gap || isnan(next) ? next : 1e-4 * *gap;
    x[0] = length + *gap;
}

#endif
