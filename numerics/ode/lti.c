// Linear time-invariant systems x' = A x + B u. The response
//     x(t + h) = exp(A h) x(t) + integral_0^h exp(A (h - tau)) B u(t + tau) dtau
// to an input that is itself the solution of a linear system is one exponential (Van Loan 1978):
//     u' = 0:           exp [A B; 0 0] h           = [Ad B0; 0 1]
//     u' = v, v' = 0:   exp [A B 0; 0 0 1; 0 0 0] h = [Ad G0 G1; 0 1 h; 0 0 1]
// and with v = (u(t + h) - u(t)) / h, B0 = G0 - G1 / h and B1 = G1 / h. Time is counted in steps,
// so that h disappears.
#include <percuss/lti.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "ode/small_lu.h"

#define MOST_SIZE (1 << 12)

pcs_status pcs_lti_check(const pcs_lti *lti)
{
    if (!lti) return pcs_fail(PCS_ERR_ARG, "pcs_lti_check: the system is null");
    const int nx = lti->nx, nu = lti->nu, ny = lti->ny;
    if (nx < 1 || nu < 0 || ny < 0 || nx > MOST_SIZE || nu > MOST_SIZE || ny > MOST_SIZE) {
        return pcs_fail(
            PCS_ERR_SIZE,
            "pcs_lti_check: %d states, %d inputs, %d outputs; there must be a state, and "
            "no more than %d of each",
            nx, nu, ny, MOST_SIZE);
    }
    if (!lti->A || (nu > 0 && !lti->B) || (ny > 0 && !lti->C)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_lti_check: %s is null",
                        !lti->A ? "A" : (nu > 0 && !lti->B ? "B" : "C"));
    }
    const size_t x = (size_t)nx, u = (size_t)nu, y = (size_t)ny;
    if (!pcs_all_finite(lti->A, x * x) || (u > 0 && !pcs_all_finite(lti->B, x * u)) ||
        (y > 0 && !pcs_all_finite(lti->C, y * x)) ||
        (lti->D && y * u > 0 && !pcs_all_finite(lti->D, y * u))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_lti_check: not all entries of the matrices are finite");
    }
    return PCS_OK;
}

static size_t square_bytes(size_t n)
{
    return n * n * sizeof(double) + 64;
}

size_t pcs_lti_bytes(const pcs_lti *lti)
{
    if (!lti || lti->nx < 1 || lti->nu < 0 || lti->nx > MOST_SIZE || lti->nu > MOST_SIZE) return 0;
    const int n = lti->nx + 2 * lti->nu;
    return 2 * square_bytes((size_t)n) + pcs_expm_bytes(n) + 3 * ((size_t)n * sizeof(double) + 64);
}

// the power of 2 next to 1 / x: scaling by it is exact
static double inverse_size(double x)
{
    return exp2(-round(log2(x)));
}

// M = [A h, B h S, 0; 0, 0, 1; 0, 0, 0] with nu columns of B; the last row and column of blocks
// only for ramps. S is diagonal and makes the columns of B h of size 1: the size of the inputs must
// not decide how often the exponential is squared
static void augment(int nx, int nu, const double *A, const double *B, double h, bool ramps,
                    double *M, double *S)
{
    const size_t n = (size_t)nx + (size_t)nu * (ramps ? 2 : 1), x = (size_t)nx;
    memset(M, 0, n * n * sizeof *M);
    for (size_t j = 0; j < x; ++j) {
        for (size_t i = 0; i < x; ++i) {
            M[i + n * j] = h * A[i + x * j];
        }
    }
    for (size_t j = 0; j < (size_t)nu; ++j) {
        double most = 0;
        for (size_t i = 0; i < x; ++i) {
            most = fmax(most, fabs(h * B[i + x * j]));
        }
        S[j] = most > 0 ? inverse_size(most) : 1;
        for (size_t i = 0; i < x; ++i) {
            M[i + n * (x + j)] = h * B[i + x * j] * S[j];
        }
        if (ramps) M[x + j + n * (x + (size_t)nu + j)] = 1;
    }
}

pcs_status pcs_lti_discretise(const pcs_lti *lti, double h, pcs_arena work, double *Ad, double *B0,
                              double *B1)
{
    PCS_TRY(pcs_lti_check(lti));
    const int nx = lti->nx, nu = lti->nu;
    if (!(h > 0) || !isfinite(h) || !Ad || (nu > 0 && !B0)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_lti_discretise: the step is %g, or an output is null; the step must be positive",
            h);
    }
    const bool ramps = B1 && nu > 0;
    const int n = nx + nu + (ramps ? nu : 0);
    double *M = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *E = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *S = PCS_TAKE(&work, (size_t)n, double);
    if (!M || !E || !S) return pcs_fail_memory("pcs_lti_discretise (work arena)");
    augment(nx, nu, lti->A, lti->B, h, ramps, M, S);
    PCS_TRY(pcs_expm(n, M, 1, work, E));

    for (int j = 0; j < nx; ++j) {
        memcpy(Ad + (size_t)nx * j, E + (size_t)n * j, (size_t)nx * sizeof *Ad);
    }
    for (int j = 0; j < nu; ++j) {
        const double *held = E + (size_t)n * (nx + j), *ramp = held + (size_t)n * nu;
        for (int i = 0; i < nx; ++i) {
            const size_t k = (size_t)i + (size_t)nx * j;
            B0[k] = (held[i] - (ramps ? ramp[i] : 0)) / S[j];
            if (ramps) B1[k] = ramp[i] / S[j];
        }
    }
    return PCS_OK;
}

pcs_status pcs_lti_response(const pcs_lti *lti, double t, const double *x0, const double *u,
                            pcs_arena work, double *x)
{
    PCS_TRY(pcs_lti_check(lti));
    const int nx = lti->nx, nu = u ? lti->nu : 0;
    if (!isfinite(t) || !x0 || !x || !pcs_all_finite(x0, (size_t)nx) ||
        (nu > 0 && !pcs_all_finite(u, (size_t)nu))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_lti_response: x0 or x is null, or t, x0 or u is not finite");
    }
    // a constant input needs one column: B u, times 1
    const int columns = nu > 0 ? 1 : 0, n = nx + columns;
    double *M = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *E = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *at = PCS_TAKE(&work, (size_t)n, double), *Bu = PCS_TAKE(&work, (size_t)nx, double);
    if (!M || !E || !at || !Bu) return pcs_fail_memory("pcs_lti_response (work arena)");

    memset(Bu, 0, (size_t)nx * sizeof *Bu);
    for (int j = 0; j < nu; ++j) {
        for (int i = 0; i < nx; ++i) {
            Bu[i] += lti->B[i + (size_t)nx * j] * u[j];
        }
    }
    double S = 1;
    augment(nx, columns, lti->A, Bu, t, false, M, &S);
    PCS_TRY(pcs_expm(n, M, 1, work, E));

    memcpy(at, x0, (size_t)nx * sizeof *at);
    if (columns > 0) at[nx] = 1 / S;
    for (int i = 0; i < nx; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            sum += E[i + (size_t)n * j] * at[j];
        }
        x[i] = sum;
    }
    return PCS_OK;
}

// out = X x + U u (U may be null), m rows
static int apply(const pcs_lti *lti, int m, const double *X, const double *U, const double *x,
                 const double *u, double *out)
{
    memset(out, 0, (size_t)m * sizeof *out);
    for (int j = 0; j < lti->nx; ++j) {
        for (int i = 0; i < m; ++i) {
            out[i] += X[i + (size_t)m * j] * x[j];
        }
    }
    for (int j = 0; U && j < lti->nu; ++j) {
        for (int i = 0; i < m; ++i) {
            out[i] += U[i + (size_t)m * j] * u[j];
        }
    }
    return 0;
}

pcs_status pcs_lti_output(const pcs_lti *lti, const double *x, const double *u, double *y)
{
    PCS_TRY(pcs_lti_check(lti));
    if (!x || (lti->ny > 0 && !y)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_lti_output: x or y is null");
    }
    apply(lti, lti->ny, lti->C, u ? lti->D : NULL, x, u, y);
    return PCS_OK;
}

pcs_status pcs_lti_equilibrium(const pcs_lti *lti, const double *u, pcs_arena work, double *x)
{
    PCS_TRY(pcs_lti_check(lti));
    const int n = lti->nx, nu = lti->nu;
    if (!x || (nu > 0 && (!u || !pcs_all_finite(u, (size_t)nu)))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_lti_equilibrium: u or x is null, or u is not finite");
    }
    double *A = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *column = PCS_TAKE(&work, (size_t)n, double);
    int *piv = PCS_TAKE(&work, (size_t)n, int);
    if (!A || !column || !piv) return pcs_fail_memory("pcs_lti_equilibrium (work arena)");

    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < nu; ++j) {
        for (int i = 0; i < n; ++i) {
            x[i] -= lti->B[i + (size_t)n * j] * u[j];
        }
    }
    // rows, then columns, to the size of 1: the test for a singular A must not depend on units
    memcpy(A, lti->A, (size_t)n * (size_t)n * sizeof *A);
    bool regular = true;
    for (int i = 0; i < n; ++i) {
        double most = 0;
        for (int j = 0; j < n; ++j) {
            most = fmax(most, fabs(A[i + (size_t)n * j]));
        }
        regular = regular && most > 0;
        const double by = most > 0 ? inverse_size(most) : 1;
        for (int j = 0; j < n; ++j) {
            A[i + (size_t)n * j] *= by;
        }
        x[i] *= by;
    }
    for (int j = 0; j < n; ++j) {
        double most = 0;
        for (int i = 0; i < n; ++i) {
            most = fmax(most, fabs(A[i + (size_t)n * j]));
        }
        regular = regular && most > 0;
        column[j] = most > 0 ? inverse_size(most) : 1;
        for (int i = 0; i < n; ++i) {
            A[i + (size_t)n * j] *= column[j];
        }
    }
    // rounding leaves pivots of a singular matrix at n eps of the others
    if (!regular || !matrix_lu(n, A, piv) || !(matrix_pivots(n, A) > 0.25 * n * DBL_EPSILON)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_lti_equilibrium: A is singular; the state of rest under a constant "
                        "input does not exist or is not unique");
    }
    matrix_solve(n, A, piv, x);
    for (int j = 0; j < n; ++j) {
        x[j] *= column[j];
    }
    return PCS_OK;
}

pcs_status pcs_lti_eigenvalues(const pcs_lti *lti, pcs_arena work, double *re, double *im)
{
    PCS_TRY(pcs_lti_check(lti));
    const int n = lti->nx;
    if (!re || !im) return pcs_fail(PCS_ERR_ARG, "pcs_lti_eigenvalues: an output is null");
    double *A = PCS_TAKE(&work, (size_t)n * (size_t)n, double);
    double *scratch = PCS_TAKE(&work, 3 * (size_t)n, double);
    if (!A || !scratch) return pcs_fail_memory("pcs_lti_eigenvalues (work arena)");
    memcpy(A, lti->A, (size_t)n * (size_t)n * sizeof *A);
    if (!dense_eigenvalues(n, A, re, im, scratch)) {
        return pcs_fail(PCS_ERR_SINGULAR, "pcs_lti_eigenvalues: the iteration did not converge");
    }
    // insertion, which keeps pairs together
    for (int i = 1; i < n; ++i) {
        const double a = re[i], b = im[i];
        int j = i;
        for (; j > 0 && re[j - 1] < a; --j) {
            re[j] = re[j - 1];
            im[j] = im[j - 1];
        }
        re[j] = a;
        im[j] = b;
    }
    return PCS_OK;
}

// ---- as a plant

static int slopes(const pcs_lti *lti, int m, const double *X, const double *U, double *by_x,
                  double *by_u)
{
    const size_t nu = (size_t)m * (size_t)lti->nu * sizeof *by_u;
    memcpy(by_x, X, (size_t)m * (size_t)lti->nx * sizeof *by_x);
    if (nu > 0 && U) memcpy(by_u, U, nu);
    if (nu > 0 && !U) memset(by_u, 0, nu);
    return 0;
}

static int rates(void *user, double t, const double *x, const double *u, double *out)
{
    const pcs_lti *lti = user;
    (void)t;
    return apply(lti, lti->nx, lti->A, lti->B, x, u, out);
}

static int outputs(void *user, double t, const double *x, const double *u, double *out)
{
    const pcs_lti *lti = user;
    (void)t;
    return apply(lti, lti->ny, lti->C, lti->D, x, u, out);
}

static int rates_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                        double *by_u)
{
    const pcs_lti *lti = user;
    (void)t;
    (void)x;
    (void)u;
    return slopes(lti, lti->nx, lti->A, lti->B, by_x, by_u);
}

static int outputs_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                          double *by_u)
{
    const pcs_lti *lti = user;
    (void)t;
    (void)x;
    (void)u;
    return slopes(lti, lti->ny, lti->C, lti->D, by_x, by_u);
}

pcs_status pcs_lti_plant(const pcs_lti *lti, pcs_plant *out)
{
    PCS_TRY(pcs_lti_check(lti));
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_lti_plant: out must not be null");
    *out = (pcs_plant){.nx = lti->nx,
                       .nu = lti->nu,
                       .ny = lti->ny,
                       .f = rates,
                       .g = outputs,
                       .f_jacobian = rates_slopes,
                       .g_jacobian = outputs_slopes,
                       .user = (void *)(uintptr_t)lti};
    return PCS_OK;
}
