// The stability function R(z) = 1 + z b^T (I - z A)^-1 1 of a tableau, and what follows from it
// (Hairer, Wanner, Solving ODE II, IV.2-IV.5).
//
// R is evaluated by elimination in I - z A, or I / z - A for large z, without the determinants,
// which would underflow. z is a pole where 1 / z is an eigenvalue of A, unless a zero cancels it,
// as for stages that do not enter b; a computed pole counts only if |R| beside it is above 1. By
// the maximum principle only the boundary of the half-plane or of a sector remains to be examined.
#include "ode/tableau.h"

#include <complex.h>
#include <math.h>

#include "linalg/dense.h"

#define MOST PCS_TABLEAU_STAGES_MAX
#define PI   3.14159265358979323846

// tolerance of |R| <= 1: rounding at 64 stages is 1e-13
#define STABLE_TOL 1e-10
// eigenvalues below this times the largest are zeros
#define ZERO_TOL 1e-6
// samples of |R| along a ray, and their least and largest distance in units of 1 and of the
// farthest pole
#define PER_DECADE 60
#define NEAREST    1e-3
#define FARTHEST   1e4

typedef double complex number;

// ---- values

// true when b is the last row of A, to the last bit
static bool ends_in_last_stage(const pcs_tableau *t)
{
    const double *last = t->A + t->s * (t->s - 1);
    for (int j = 0; j < t->s; ++j) {
        if (last[j] != t->b[j]) return false;
    }
    return true;
}

// R = 1 + beta b^T x with (alpha I - beta A) x = 1, z = beta / alpha; false if a pivot is zero.
// alpha x are the values at the stages: if the last one is the end of the step, it is R, without
// the cancellation of the sum when A is singular and z is large
static bool eliminate(const pcs_tableau *t, number alpha, number beta, number *R)
{
    const int s = t->s;
    number M[MOST][MOST + 1];
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
            M[i][j] = (i == j ? alpha : 0) - beta * t->A[s * i + j];
        }
        M[i][s] = 1;
    }
    for (int k = 0; k < s; ++k) {
        int p = k;
        for (int i = k + 1; i < s; ++i) {
            if (cabs(M[i][k]) > cabs(M[p][k])) p = i;
        }
        if (!(cabs(M[p][k]) > 0)) return false;
        for (int j = k; j <= s; ++j) {
            const number keep = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = keep;
        }
        for (int i = k + 1; i < s; ++i) {
            if (M[i][k] == 0) continue;
            const number l = M[i][k] / M[k][k];
            for (int j = k + 1; j <= s; ++j) {
                M[i][j] -= l * M[k][j];
            }
        }
    }
    *R = 1;
    for (int i = s - 1; i >= 0; --i) {
        for (int j = i + 1; j < s; ++j) {
            M[i][s] -= M[i][j] * M[j][s];
        }
        M[i][s] /= M[i][i];
    }
    if (ends_in_last_stage(t)) {
        *R = alpha * M[s - 1][s];
        return true;
    }
    for (int i = 0; i < s; ++i) {
        *R += beta * t->b[i] * M[i][s];
    }
    return true;
}

// R is a polynomial: one stage after another
static number substitute(const pcs_tableau *t, number z)
{
    number k[MOST], R = 1;
    for (int i = 0; i < t->s; ++i) {
        k[i] = 1;
        for (int j = 0; j < i; ++j) {
            k[i] += z * t->A[t->s * i + j] * k[j];
        }
        R += z * t->b[i] * k[i];
    }
    return R;
}

// R(z); false at a pole
static bool value(const pcs_tableau *t, number z, number *R)
{
    if (pcs_tableau_is_explicit(t)) {
        *R = substitute(t, z);
        return true;
    }
    return cabs(z) > 1 ? eliminate(t, 1 / z, 1, R) : eliminate(t, 1, z, R);
}

// |R(z)|, infinite on overflow. A pole that a zero cancels stops the elimination too: then R beside
// it counts
static double size_at(const pcs_tableau *t, number z)
{
    number R;
    if (!value(t, z, &R) && !value(t, z * (1 + 1e-8), &R)) return INFINITY;
    const double size = cabs(R);
    return isnan(size) ? INFINITY : size;
}

pcs_status pcs_tableau_stability(const pcs_tableau *tableau, const double z[2], double R[2])
{
    const char *where = "pcs_tableau_stability";
    PCS_TRY(tableau_check_shape(tableau, where));
    if (!z || !R || !isfinite(z[0]) || !isfinite(z[1])) {
        return pcs_fail(PCS_ERR_ARG, "%s: z or R is null, or z is not finite", where);
    }
    number r;
    if (!value(tableau, z[0] + z[1] * I, &r) || !isfinite(creal(r)) || !isfinite(cimag(r))) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "%s: %g + %g i is a pole of R, or R exceeds the range of doubles there",
                        where, z[0], z[1]);
    }
    R[0] = creal(r);
    R[1] = cimag(r);
    return PCS_OK;
}

// ---- poles and the limit

typedef struct poles {
    int n;
    number at[MOST]; // 1 / lambda for the eigenvalues that are not zero
    bool singular;   // some eigenvalues are zero
    double farthest; // the largest |at|, or 1
} poles;

static bool find_poles(const pcs_tableau *t, poles *p)
{
    double A[MOST * MOST], re[MOST], im[MOST], work[3 * MOST], largest = 0;
    *p = (poles){.farthest = 1};
    for (int k = 0; k < t->s * t->s; ++k) {
        A[k] = t->A[k]; // stored by rows: the transpose has the same eigenvalues
    }
    if (!dense_eigenvalues(t->s, A, re, im, work)) return false;

    for (int i = 0; i < t->s; ++i) {
        largest = fmax(largest, hypot(re[i], im[i]));
    }
    for (int i = 0; i < t->s; ++i) {
        if (hypot(re[i], im[i]) > ZERO_TOL * largest) {
            p->at[p->n] = 1 / (re[i] + im[i] * I);
            p->farthest = fmax(p->farthest, cabs(p->at[p->n]));
            p->n += 1;
        }
    }
    p->singular = p->n < t->s;
    return true;
}

// |R(infinity)|. With w = 1 / z, R is a Laurent series in w inside the nearest pole: its
// coefficients are the means of R w^-m over a circle, and those of z, z^2, ... must vanish
static double limit(const pcs_tableau *t, const poles *p)
{
    number R;
    if (!p->singular) return eliminate(t, 0, 1, &R) ? cabs(R) : INFINITY;
    if (p->n == 0) return INFINITY;

    enum { POINTS = 256 }; // on a circle halfway to the pole the mean is exact to 2^-(256 - 64)
    number at[POINTS];
    const double radius = 0.5 / p->farthest;
    double largest = 0;
    for (int k = 0; k < POINTS; ++k) {
        const double a = 2 * PI * (k + 0.5) / POINTS;
        if (!eliminate(t, radius * (cos(a) + sin(a) * I), 1, &at[k])) return INFINITY;
        largest = fmax(largest, cabs(at[k]));
    }
    for (int m = t->s; m >= 0; --m) {
        number mean = 0;
        for (int k = 0; k < POINTS; ++k) {
            const double a = 2 * PI * (k + 0.5) / POINTS * m;
            mean += at[k] * (cos(a) + sin(a) * I) / POINTS;
        }
        if (m == 0) return cabs(mean);
        if (cabs(mean) > STABLE_TOL * largest) return INFINITY;
    }
    return INFINITY;
}

// ---- along a ray

typedef struct ray {
    const pcs_tableau *t;
    number direction;
} ray;

static double along(const ray *r, double y)
{
    return size_at(r->t, y * r->direction);
}

// the place between a and b at which |R| exceeds 1; it does so at b and not at a
static double crossing(const ray *r, double a, double b)
{
    while (b - a > 1e-15 * b) {
        const double mid = 0.5 * (a + b);
        if (mid <= a || mid >= b) break;
        *(along(r, mid) <= 1 + 1e-15 ? &a : &b) = mid;
    }
    return a;
}

// the largest of |R| between a and b by golden sections, if that is above 1; else 0
static double excess_between(const ray *r, double a, double b)
{
    const double golden = 0.6180339887498949;
    double x = b - golden * (b - a), y = a + golden * (b - a);
    double fx = along(r, x), fy = along(r, y);
    for (int k = 0; k < 60; ++k) {
        if (fx > 1 + STABLE_TOL) return x;
        if (fy > 1 + STABLE_TOL) return y;
        if (fx > fy) {
            b = y;
            y = x;
            fy = fx;
            x = b - golden * (b - a);
            fx = along(r, x);
        } else {
            a = x;
            x = y;
            fx = fy;
            y = a + golden * (b - a);
            fy = along(r, y);
        }
    }
    return 0;
}

// |R| > 1 beside the poles that are near the ray, between its samples a and b
static double excess_at_poles(const ray *r, const poles *p, double a, double b)
{
    for (int i = 0; i < p->n; ++i) {
        // the foot of the perpendicular
        const double y = creal(p->at[i] * conj(r->direction));
        if (y > a && y <= b && along(r, y) > 1 + STABLE_TOL) return y;
    }
    return 0;
}

// The distance along the ray up to which |R| <= 1; infinite if it holds everywhere
static double extent(const ray *r, const poles *p, double at_infinity)
{
    // with a singular A the rounding of R is proportional to |z|
    const double step = pow(10, 1.0 / PER_DECADE);
    const double end = fmin(FARTHEST * p->farthest, p->singular ? FARTHEST : INFINITY);
    double y[3] = {0, 0, 0}, f[3] = {1, 1, 1}; // the last three samples, newest first
    for (double next = NEAREST; next < end; next *= step) {
        y[2] = y[1], y[1] = y[0], y[0] = next;
        f[2] = f[1], f[1] = f[0], f[0] = along(r, next);

        // the parabola through three samples bounds a maximum between them
        double over = f[0] > 1 + STABLE_TOL ? y[0] : 0;
        const double bend = 2 * f[1] - f[0] - f[2];
        if (over == 0 && f[1] >= f[0] && f[1] >= f[2] && f[1] + bend > 1 + STABLE_TOL) {
            over = excess_between(r, y[2], y[0]);
        }
        if (over == 0) over = excess_at_poles(r, p, y[1], y[0]);
        if (over > 0) return crossing(r, over > y[1] ? y[1] : y[2], over);
    }
    return at_infinity <= 1 + STABLE_TOL ? INFINITY : crossing(r, y[0], 1e12 * end);
}

// True when |R(i y)| > 1 for small y > 0: the sign of the first term after 1 in
//     |R(i y)|^2 = sum_m y^(2 m) e_m,  e_m = sum_j (-1)^(j - m) r_j r_(2 m - j)
// with R(z) = sum_j r_j z^j, r_j = b^T A^(j-1) 1
static bool leaves_at_once(const pcs_tableau *t)
{
    enum { TERMS = 24 }; // 1 / 24! is below the last digit
    double r[TERMS + 1] = {1}, x[MOST];
    for (int i = 0; i < t->s; ++i) {
        x[i] = 1;
    }
    for (int j = 1; j <= TERMS; ++j) {
        double next[MOST];
        for (int i = 0; i < t->s; ++i) {
            r[j] += t->b[i] * x[i];
            next[i] = 0;
            for (int k = 0; k < t->s; ++k) {
                next[i] += t->A[t->s * i + k] * x[k];
            }
        }
        for (int i = 0; i < t->s; ++i) {
            x[i] = next[i];
        }
    }
    for (int m = 1; 2 * m <= TERMS; ++m) {
        double e = 0, size = 0;
        for (int j = 0; j <= 2 * m; ++j) {
            const double term = r[j] * r[2 * m - j];
            e += (j - m) % 2 == 0 ? term : -term;
            size += fabs(term);
        }
        if (fabs(e) > 1e-13 * size) return e > 0;
    }
    return false;
}

// the smallest angle between the negative axis and a pole in the left half-plane; pi/2 or more if
// there is none
static double angle_of_poles(const pcs_tableau *t, const poles *p)
{
    double least = PI;
    for (int i = 0; i < p->n; ++i) {
        const number z = p->at[i];
        const double a = fabs(carg(-z)), near = 1e-6 * cabs(z);
        if (a > PI / 2 * (1 + 1e-6) || a >= least) continue;
        // a computed pole that is none, or cancels, does not change |R| beside it
        const bool there = size_at(t, z - near) > 1 + STABLE_TOL ||
                           size_at(t, z + near * I) > 1 + STABLE_TOL ||
                           size_at(t, z - near * I) > 1 + STABLE_TOL;
        if (there) least = a;
    }
    return least;
}

// the widest sector with a stable border, between the negative axis and `most`
static double widest(const pcs_tableau *t, const poles *p, double at_infinity, double most)
{
    double low = 0, high = most;
    for (int k = 0; k < 40 && high - low > 1e-12; ++k) {
        const double a = 0.5 * (low + high);
        const ray r = {t, -cos(a) + sin(a) * I};
        *(isinf(extent(&r, p, at_infinity)) ? &low : &high) = a;
    }
    return low;
}

pcs_status pcs_tableau_examine(const pcs_tableau *tableau, pcs_stability *out)
{
    const char *where = "pcs_tableau_examine";
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: the output is null", where);
    *out = (pcs_stability){0};
    PCS_TRY(pcs_tableau_check(tableau));

    const pcs_tableau *t = tableau;
    poles p;
    if (!find_poles(t, &p)) {
        return pcs_fail(PCS_ERR_SINGULAR, "%s: the eigenvalues of A could not be computed", where);
    }
    out->at_infinity = limit(t, &p);
    const double poles_from = angle_of_poles(t, &p);
    const ray real = {t, -1}, imaginary = {t, I};
    out->real_extent = extent(&real, &p, out->at_infinity);
    out->imaginary_extent = leaves_at_once(t) ? 0 : extent(&imaginary, &p, out->at_infinity);

    out->a_stable = poles_from > PI / 2 && isinf(out->imaginary_extent);
    out->l_stable = out->a_stable && out->at_infinity <= STABLE_TOL;
    if (out->a_stable) {
        out->angle = PI / 2;
    } else if (isinf(out->real_extent)) {
        out->angle = widest(t, &p, out->at_infinity, fmin(PI / 2, poles_from));
    }
    return PCS_OK;
}
