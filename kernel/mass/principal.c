// Principal moments and axes of an inertia tensor, and whether a body can exist.
//
// Jacobi 1846: rotations in the planes of two axes, each of which makes one entry off the diagonal
// zero, until all are negligible. The smallest eigenvalues of a definite matrix, too, keep their
// relative accuracy (Demmel and Veselic 1992), as the moment of a slender rod about its axis needs.
#include "mass/inertia.h"

#include <float.h>

#include "base/base.h"

// entries across the diagonal may differ by this part of the largest
#define SYMMETRY_TOL 1e-9
// allowed excess of a principal moment over the sum of the others, or below zero: data may be
// entered by hand
#define TRIANGLE_TOL 1e-9
// a moment below this fraction of the largest counts as zero
#define LINE_TOL 1e-12

static double largest_entry(const double J[9])
{
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        largest = fmax(largest, fabs(J[i]));
    }
    return largest;
}

// A <- G^T A G, R <- R G with the rotation G in the plane of axes i and j that makes A_ij zero
static void rotate(double A[9], double R[9], int i, int j)
{
    const int k = 3 - i - j;
    const double off = A[i + 3 * j];

    // the tangent of the angle, the smaller root of t^2 + 2 z t - 1 = 0
    const double z = (A[4 * j] - A[4 * i]) / (2 * off);
    const double t = (z < 0 ? -1 : 1) / (fabs(z) + hypot(1, z));
    const double c = 1 / sqrt(1 + t * t), s = t * c;

    A[4 * i] -= t * off;
    A[4 * j] += t * off;
    A[i + 3 * j] = A[j + 3 * i] = 0;
    const double ki = A[k + 3 * i], kj = A[k + 3 * j];
    A[k + 3 * i] = A[i + 3 * k] = c * ki - s * kj;
    A[k + 3 * j] = A[j + 3 * k] = s * ki + c * kj;
    for (int m = 0; m < 3; ++m) {
        const double ri = R[m + 3 * i], rj = R[m + 3 * j];
        R[m + 3 * i] = c * ri - s * rj;
        R[m + 3 * j] = s * ri + c * rj;
    }
}

// an entry that no longer changes the two on the diagonal beside it
static bool negligible(const double A[9], int i, int j)
{
    const double tol = DBL_EPSILON * sqrt(fabs(A[4 * i])) * sqrt(fabs(A[4 * j]));
    return !(fabs(A[i + 3 * j]) > fmax(tol, DBL_MIN));
}

// sorts in ascending order, by exchanging columns
static void sort_axes(double moments[3], double R[9])
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < 2 - pass; ++j) {
            if (!(moments[j] > moments[j + 1])) continue;
            const double m = moments[j];
            moments[j] = moments[j + 1];
            moments[j + 1] = m;
            for (int i = 0; i < 3; ++i) {
                const double x = R[i + 3 * j];
                R[i + 3 * j] = R[i + 3 * (j + 1)];
                R[i + 3 * (j + 1)] = x;
            }
        }
    }
}

// the largest entry of an axis becomes positive, the first of equal ones
static void point_axis(double axis[3])
{
    int largest = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(axis[i]) > fabs(axis[largest])) largest = i;
    }
    if (axis[largest] < 0) v3_scale(-1, axis, axis);
}

static void diagonalise(const double J[9], double moments[3], double R[9])
{
    // powers of two scale to the middle of the range and back without rounding
    int exponent;
    (void)frexp(largest_entry(J), &exponent);
    double A[9];
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            A[i + 3 * j] = ldexp(0.5 * J[i + 3 * j] + 0.5 * J[j + 3 * i], -exponent);
            R[i + 3 * j] = i == j;
        }
    }

    // convergence is quadratic: five sweeps are more than enough
    static const int plane[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    bool done = false;
    for (int sweep = 0; sweep < 30 && !done; ++sweep) {
        done = true;
        for (int k = 0; k < 3; ++k) {
            const int i = plane[k][0], j = plane[k][1];
            if (negligible(A, i, j)) continue;
            rotate(A, R, i, j);
            done = false;
        }
    }
    for (int i = 0; i < 3; ++i) {
        moments[i] = ldexp(A[4 * i], exponent);
    }
    sort_axes(moments, R);
    point_axis(R);
    point_axis(R + 3);
    v3_cross(R, R + 3, R + 6);
}

static pcs_status check_symmetric(const char *where, const double J[9])
{
    if (!pcs_all_finite(J, 9)) {
        return pcs_fail(PCS_ERR_ARG, "%s: an entry of the inertia is not finite", where);
    }
    const double tol = SYMMETRY_TOL * largest_entry(J);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < j; ++i) {
            if (fabs(J[i + 3 * j] - J[j + 3 * i]) <= tol) continue;
            return pcs_fail(PCS_ERR_ARG,
                            "%s: the inertia is not symmetric: entries (%d, %d) and (%d, %d) are "
                            "%.15g and %.15g",
                            where, i, j, j, i, J[i + 3 * j], J[j + 3 * i]);
        }
    }
    return PCS_OK;
}

pcs_status pcs_inertia_principal(const double J[9], double moments[3], double R[9])
{
    PCS_TRY(check_symmetric("pcs_inertia_principal", J));
    double axes[9], values[3];
    diagonalise(J, values, axes);
    v3_copy(values, moments);
    for (int i = 0; i < 9; ++i) {
        R[i] = axes[i];
    }
    return PCS_OK;
}

// With C = int r r^T dm the principal moments are sums of two eigenvalues of C each, and C has none
// below zero: that is the triangle inequality.
pcs_status pcs_inertia_check(const pcs_inertia *b)
{
    static const char where[] = "pcs_inertia_check";
    double p[3], R[9];
    if (!b) return pcs_fail(PCS_ERR_ARG, "%s: the inertia is null", where);
    if (!(b->m > 0) || !isfinite(b->m)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the mass is %g kg; it must be positive and finite", where,
                        b->m);
    }
    if (!pcs_all_finite(b->G, 3)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the centre of mass is not finite", where);
    }
    PCS_TRY(check_symmetric(where, b->J));
    diagonalise(b->J, p, R);
    if (p[0] < -TRIANGLE_TOL * fabs(p[2])) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the principal moments are %.15g, %.15g, %.15g kg m^2; none can be negative (is "
            "the inertia about another point than G?)",
            where, p[0], p[1], p[2]);
    }
    if (p[2] - p[1] > p[0] + TRIANGLE_TOL * p[2]) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the principal moments are %.15g, %.15g, %.15g kg m^2; each is at most the sum "
            "of the other two for any distribution of mass",
            where, p[0], p[1], p[2]);
    }
    if (!(p[0] > LINE_TOL * p[2])) {
        return pcs_fail(
            PCS_ERR_SINGULAR,
            "%s: the principal moments are %.15g, %.15g, %.15g kg m^2; all must be positive: "
            "mass on a line or in one point has no inertia about it",
            where, p[0], p[1], p[2]);
    }
    return PCS_OK;
}
