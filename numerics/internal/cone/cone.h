// The cones of the blocks, one set of inline functions each: projection, and the natural map
// written so that it loses no digits. A NaN passes through all of them.
//
//     equality:   K = R^d,  P(x) = x,          r - P(r - rho u) = rho u
//     unilateral: K = R_+,  P(x) = max(x, 0),  r - P(r - rho u) = min(r, rho u)
//     Coulomb:    K = { x_N >= 0, |x_T| <= mu x_N },  s(u) = u + mu |u_T| e_N,
//                 P(x) = x in K, 0 where mu |x_T| <= -x_N, otherwise (a, mu a x_T / |x_T|) with
//                 a = (x_N + mu |x_T|) / (1 + mu^2)
//     box:        K = [-mu, mu], P(x) = min(max(x, -mu), mu)
#ifndef CONE_CONE_H
#define CONE_CONE_H

#include <math.h>

#include <percuss/problem.h>

// the smaller of two numbers, NaN if either is NaN
static inline double cone_min(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static inline double cone_project_unilateral(double x)
{
    return x < 0 ? 0 : x;
}

static inline double cone_project_box(double bound, double x)
{
    return x > bound ? bound : x < -bound ? -bound : x;
}

// s r - P(s r - u), the natural map of a box as a velocity
static inline double cone_natural_box(double bound, double s, double r, double u)
{
    const double x = s * r - u, most = s * bound;
    return x > most ? s * (r - bound) : x < -most ? s * (r + bound) : u;
}

// |x_T| of a block of d = 2 or 3 rows, without overflow or underflow
static inline double cone_tangent(int d, const double *x)
{
    if (d == 2) return fabs(x[1]);
    const double square = x[1] * x[1] + x[2] * x[2];
    if (square > 1e-280 && square < 1e280) return sqrt(square);
    const double a = fabs(x[1]), b = fabs(x[2]);
    const double most = a > b || isnan(a) ? a : b;
    if (most == 0 || !isfinite(most)) return most;
    return most * sqrt(a / most * (a / most) + b / most * (b / most));
}

static inline void cone_project_coulomb(int d, double mu, double *x)
{
    // at mu = 0 the test |x_T| <= mu x_N alone would let x_N < 0 pass
    const double t = cone_tangent(d, x);
    if (x[0] >= 0 && t <= mu * x[0]) return;
    if (mu * t <= -x[0]) {
        for (int c = 0; c < d; ++c) {
            x[c] = 0;
        }
        return;
    }

    // a large mu divides both parts, as 1 + mu^2 may overflow
    const double a = mu <= 1 ? (x[0] + mu * t) / (1 + mu * mu) : (x[0] / mu + t) / (1 / mu + mu);
    x[0] = a;
    for (int c = 1; c < d; ++c) {
        x[c] *= mu * a / t;
    }
}

// With more friction than this the natural map has less than a tenth of the speed with which a
// contact closes, or opens under load. The measures take the speed itself there (cone_violation)
#define CONE_STEEP 10.0

// f = s r - P(s r - s(u)), the natural map as a velocity: rho = 1 / s. In the third case, with
// x_T = s r_T - u_T, e = x_T / |x_T| and w = |x_T| - mu s r_N,
//     f_N = (s(u)_N - mu w) / (1 + mu^2),   f_T = u_T + e (w + mu s(u)_N) / (1 + mu^2)
static inline void cone_natural_coulomb(int d, double mu, double s, const double *r,
                                        const double *u, double *f)
{
    const double ut = cone_tangent(d, u), shifted = u[0] + mu * ut;
    double x[3] = {s * r[0] - shifted};
    for (int c = 1; c < d; ++c) {
        x[c] = s * r[c] - u[c];
    }
    const double t = cone_tangent(d, x);
    if (x[0] >= 0 && t <= mu * x[0]) {
        f[0] = shifted;
        for (int c = 1; c < d; ++c) {
            f[c] = u[c];
        }
        return;
    }
    if (mu * t <= -x[0]) {
        for (int c = 0; c < d; ++c) {
            f[c] = s * r[c];
        }
        return;
    }

    // for mu > 1 by k = 1 / mu, as 1 + mu^2 may overflow
    const double w = t - mu * (s * r[0]), k = mu > 1 ? 1 / mu : mu;
    const double v = mu > 1 ? k * u[0] + ut : shifted, side = 1 + k * k;
    const double along = mu > 1 ? (k * k * w + v) / side : (w + k * v) / side;
    f[0] = mu > 1 ? k * (v - w) / side : (v - k * w) / side;
    for (int c = 1; c < d; ++c) {
        f[c] = u[c] + x[c] / t * along;
    }
}

// The natural map f as a measure of the law. With much friction it hardly contains u_N, which
// enters it divided by mu, and where a contact sticks it contains u_T times mu, and its rounding.
// So where mu > CONE_STEEP
//     |f_N| is at least w |u_N| where u_N < 0, and else w min(u_N, s |r|), with w = 1 - CONE_STEEP
//     / mu: the law wants u_N >= 0, and r = 0 or u_N = 0 (|r|: the larger of |r_N| and |r_T|); |f|
//     is at most |s r - P(s r)| + (1 + CONE_STEEP) |u|, a bound of the map at mu = CONE_STEEP: u =
//     0 with r in K is a solution
static inline void cone_violation_coulomb(int d, double mu, double s, const double *r,
                                          const double *u, double *f)
{
    cone_natural_coulomb(d, mu, s, r, u, f);
    if (!(mu > CONE_STEEP)) return;
    const double n = fabs(r[0]), t = cone_tangent(d, r), load = s * (n > t ? n : t);
    const double least = (1 - CONE_STEEP / mu) * (u[0] < load ? fabs(u[0]) : load);
    if (least > fabs(f[0])) f[0] = least;

    double P[3] = {r[0], r[1], d == 3 ? r[2] : 0};
    double sticks = (1 + CONE_STEEP) * (fabs(u[0]) + cone_tangent(d, u));
    cone_project_coulomb(d, mu, P);
    for (int c = 0; c < d; ++c) {
        sticks += s * fabs(r[c] - P[c]);
    }
    const double parts[3] = {0, f[0], cone_tangent(d, f)};
    if (!(sticks < cone_tangent(3, parts))) return;
    f[0] = sticks;
    for (int c = 1; c < d; ++c) {
        f[c] = 0;
    }
}

// r <- P_K(r) for a whole product of cones
static inline void cone_project(int nb, const pcs_block *block, double *r)
{
    for (int b = 0; b < nb; ++b) {
        switch (block[b].cone) {
        case PCS_CONE_EQUALITY:
            break;
        case PCS_CONE_UNILATERAL:
            r[block[b].row] = cone_project_unilateral(r[block[b].row]);
            break;
        case PCS_CONE_COULOMB:
            cone_project_coulomb(block[b].dim, block[b].mu, r + block[b].row);
            break;
        case PCS_CONE_BOX:
            r[block[b].row] = cone_project_box(block[b].mu, r[block[b].row]);
            break;
        }
    }
}

// the same with cylinders { x_N >= 0, |x_T| <= bound } instead of Coulomb blocks; bound (nb)
static inline void cone_project_bounded(int nb, const pcs_block *block, const double *bound,
                                        double *r)
{
    for (int b = 0; b < nb; ++b) {
        double *x = r + block[b].row;
        if (block[b].cone == PCS_CONE_EQUALITY) continue;
        if (block[b].cone == PCS_CONE_BOX) {
            x[0] = cone_project_box(block[b].mu, x[0]);
            continue;
        }
        x[0] = cone_project_unilateral(x[0]);
        if (block[b].cone == PCS_CONE_UNILATERAL) continue;
        const double t = cone_tangent(block[b].dim, x);
        for (int c = 1; c < block[b].dim && t > bound[b]; ++c) {
            x[c] *= bound[b] / t;
        }
    }
}

#endif
