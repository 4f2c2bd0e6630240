// 3-vectors and 3x3 matrices, column-major, inline: A[i + 3 j].
#ifndef LINALG_M3_H
#define LINALG_M3_H

#include <math.h>
#include <stdbool.h>

static inline double v3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double v3_norm(const double a[3])
{
    return sqrt(v3_dot(a, a));
}

// c = a x b; c must not overlap a or b
static inline void v3_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void v3_sub(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; ++i) {
        c[i] = a[i] - b[i];
    }
}

// y = x + s d
static inline void v3_along(const double x[3], double s, const double d[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i] + s * d[i];
    }
}

static inline void v3_copy(const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = x[i];
    }
}

// y = s x; y may be x
static inline void v3_scale(double s, const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = s * x[i];
    }
}

// y = A x; y must not overlap x
static inline void m3_mul(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = A[i] * x[0] + A[i + 3] * x[1] + A[i + 6] * x[2];
    }
}

// y = A^T x; y must not overlap x
static inline void m3_mul_t(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
    }
}

// C = A B; C must not overlap A or B
static inline void m3_mul_m3(const double A[9], const double B[9], double C[9])
{
    for (int j = 0; j < 3; ++j) {
        m3_mul(A, B + 3 * j, C + 3 * j);
    }
}

// S = [a]x, so that S b = a x b
static inline void m3_skew(const double a[3], double S[9])
{
    S[0] = 0;
    S[1] = a[2];
    S[2] = -a[1];
    S[3] = -a[2];
    S[4] = 0;
    S[5] = a[0];
    S[6] = a[1];
    S[7] = -a[0];
    S[8] = 0;
}

// a power of two by which the square of a vector with this |a|^2 neither overflows nor vanishes; 1
// except for extreme vectors
static inline double square_scale(double square)
{
    if (square > 0x1p-900 && square < 0x1p900) return 1;
    return square > 1 ? 0x1p-600 : 0x1p600;
}

// u = a / |a|, returns |a|, for any size of a; a = 0 gives u = 0. u may be a
static inline double v3_unit(const double a[3], double u[3])
{
    const double scale = square_scale(v3_dot(a, a));
    const double s[3] = {scale * a[0], scale * a[1], scale * a[2]};
    const double n = v3_norm(s);
    for (int i = 0; i < 3; ++i) {
        u[i] = n > 0 ? s[i] / n : 0;
    }
    return n / scale;
}

static inline double m3_det(const double A[9])
{
    double c[3];
    v3_cross(A + 3, A + 6, c);
    return v3_dot(A, c);
}

#endif
