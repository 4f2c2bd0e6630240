// Equations sum a_i y^(i) = sum b_j u^(j), a_n = 1, as x' = A x + B u, y = C x + D u. With
//     x_1 = y - b_n u,   x_{k+1} = x_k' + a_{n-k} y - b_{n-k} u
// the equation itself gives x_n' = -a_0 y + b_0 u, and
//     x_{k+1} = sum_{i=0}^k (a_{n-i} y^(k-i) - b_{n-i} u^(k-i)).
#include <percuss/lti.h>

#include <float.h>
#include <string.h>

#include "base/base.h"
#include "ode/small_lu.h"

#define MOST_SIZE (1 << 12)

// the factors of a_n, its rows scaled to the size of 1
typedef struct leading {
    double *lu, *row;
    int *piv;
} leading;

static pcs_status check(const pcs_lti_equation *eq, const char *who)
{
    if (!eq || !eq->a || !eq->b) {
        return pcs_fail(PCS_ERR_ARG, "%s: the equation, its a and its b must not be null", who);
    }
    const int n = eq->order, m = eq->input_order, ny = eq->ny, nu = eq->nu;
    if (n < 1 || m < 0 || ny < 1 || nu < 1 || n > MOST_SIZE || ny > MOST_SIZE || nu > MOST_SIZE ||
        n * ny > MOST_SIZE) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: order %d of %d unknowns, order %d of %d inputs; order, unknowns and "
                        "inputs must be at least 1, and order times unknowns at most %d",
                        who, n, ny, m, nu, MOST_SIZE);
    }
    if (m > n) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "%s: the input's derivative of order %d in an equation of order %d: y "
                        "would have impulses where u jumps, and no system x' = A x + B u, y = C x "
                        "+ D u has; use a derivative of u as the input (pcs_input_output_chain)",
                        who, m, n);
    }
    const size_t a = (size_t)(n + 1) * (size_t)ny * (size_t)ny;
    const size_t b = (size_t)(m + 1) * (size_t)ny * (size_t)nu;
    if (!pcs_all_finite(eq->a, a) || !pcs_all_finite(eq->b, b)) {
        return pcs_fail(PCS_ERR_ARG, "%s: not all coefficients are finite", who);
    }
    return PCS_OK;
}

size_t pcs_lti_realise_bytes(const pcs_lti_equation *eq)
{
    if (!eq || eq->ny < 1 || eq->ny > MOST_SIZE) return 0;
    const size_t ny = (size_t)eq->ny;
    return (ny * ny + ny) * sizeof(double) + ny * sizeof(int) + 4 * 64;
}

static pcs_status factor(const pcs_lti_equation *eq, const char *who, pcs_arena *work, leading *out)
{
    const int ny = eq->ny;
    out->lu = PCS_TAKE(work, (size_t)ny * (size_t)ny, double);
    out->row = PCS_TAKE(work, (size_t)ny, double);
    out->piv = PCS_TAKE(work, (size_t)ny, int);
    if (!out->piv || !out->row || !out->lu) return pcs_fail_memory(who);
    bool regular = true;
    for (int i = 0; i < ny; ++i) {
        double most = 0;
        for (int j = 0; j < ny; ++j) {
            most = fmax(most, fabs(eq->a[i + (size_t)ny * j]));
        }
        regular = regular && most > 0;
        // a power of 2, which rounds nothing
        out->row[i] = most > 0 ? exp2(-round(log2(most))) : 1;
        for (int j = 0; j < ny; ++j) {
            out->lu[i + (size_t)ny * j] = eq->a[i + (size_t)ny * j] * out->row[i];
        }
    }
    if (!regular || !matrix_lu(ny, out->lu, out->piv) ||
        !(matrix_pivots(ny, out->lu) > 0.25 * ny * DBL_EPSILON)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "%s: the coefficient of the highest derivative of y is singular: the "
                        "equation is algebraic in part",
                        who);
    }
    return PCS_OK;
}

// x <- a_n^-1 x
static void divide(const pcs_lti_equation *eq, const leading *f, double *x)
{
    for (int i = 0; i < eq->ny; ++i) {
        x[i] *= f->row[i];
    }
    matrix_solve(eq->ny, f->lu, f->piv, x);
}

// a_i, and b_i or null where it is zero
static const double *a_of(const pcs_lti_equation *eq, int i)
{
    return eq->a + (size_t)(eq->order - i) * (size_t)eq->ny * (size_t)eq->ny;
}

static const double *b_of(const pcs_lti_equation *eq, int i)
{
    if (i > eq->input_order) return NULL;
    return eq->b + (size_t)(eq->input_order - i) * (size_t)eq->ny * (size_t)eq->nu;
}

// out += sign M x, M of ny rows
static void add_product(int ny, int n, double sign, const double *M, const double *x, double *out)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < ny; ++i) {
            out[i] += sign * M[i + (size_t)ny * j] * x[j];
        }
    }
}

pcs_status pcs_lti_realise(const pcs_lti_equation *eq, pcs_arena work, double *A, double *B,
                           double *C, double *D)
{
    const char *who = "pcs_lti_realise";
    PCS_TRY(check(eq, who));
    const int n = eq->order, ny = eq->ny, nu = eq->nu, nx = n * ny;
    const bool direct = eq->input_order == n;
    if (!A || !B || !C || (direct && !D)) {
        return pcs_fail(PCS_ERR_ARG, "%s: A, B, C or (with m = n) D is null", who);
    }
    leading f;
    PCS_TRY(factor(eq, who, &work, &f));
    memset(A, 0, (size_t)nx * (size_t)nx * sizeof *A);
    memset(C, 0, (size_t)ny * (size_t)nx * sizeof *C);
    if (D) memset(D, 0, (size_t)ny * (size_t)nu * sizeof *D);
    for (int i = 0; i < ny; ++i) {
        C[i + (size_t)ny * i] = 1;
    }
    for (int j = ny; j < nx; ++j) {
        A[j - ny + (size_t)nx * j] = 1;
    }
    for (int j = 0; j < nu && direct; ++j) {
        memcpy(D + (size_t)ny * j, b_of(eq, n) + (size_t)ny * j, (size_t)ny * sizeof *D);
        divide(eq, &f, D + (size_t)ny * j);
    }
    for (int k = 0; k < n; ++k) {
        const double *a = a_of(eq, n - 1 - k), *b = b_of(eq, n - 1 - k);
        for (int j = 0; j < ny; ++j) {
            double *column = A + (size_t)nx * j + (size_t)k * ny;
            for (int i = 0; i < ny; ++i) {
                column[i] = -a[i + (size_t)ny * j];
            }
            divide(eq, &f, column);
        }
        for (int j = 0; j < nu; ++j) {
            double *column = B + (size_t)nx * j + (size_t)k * ny;
            for (int i = 0; i < ny; ++i) {
                column[i] = b ? b[i + (size_t)ny * j] : 0;
            }
            // b - a D before a_n is divided out
            if (direct) add_product(ny, ny, -1, a, D + (size_t)ny * j, column);
            divide(eq, &f, column);
        }
    }
    return PCS_OK;
}

pcs_status pcs_lti_realise_state(const pcs_lti_equation *eq, const double *chain, pcs_arena work,
                                 double *x)
{
    const char *who = "pcs_lti_realise_state";
    PCS_TRY(check(eq, who));
    const int n = eq->order, m = eq->input_order, ny = eq->ny, nu = eq->nu;
    if (!chain || !x || !pcs_all_finite(chain, (size_t)(n * ny) + (size_t)m * (size_t)nu)) {
        return pcs_fail(PCS_ERR_ARG, "%s: chain and x must not be null, chain finite", who);
    }
    leading f;
    PCS_TRY(factor(eq, who, &work, &f));
    const double *input = chain + (size_t)n * ny;
    memset(x, 0, (size_t)n * (size_t)ny * sizeof *x);
    for (int k = 0; k < n; ++k) {
        double *at = x + (size_t)k * ny;
        for (int i = 0; i <= k; ++i) {
            // y^(k-i) and u^(k-i); b_(n-i) is zero unless k - i <= m - 1
            const double *y = chain + (size_t)(n - 1 - (k - i)) * ny, *b = b_of(eq, n - i);
            add_product(ny, ny, 1, a_of(eq, n - i), y, at);
            if (b) add_product(ny, nu, -1, b, input + (size_t)(m - 1 - (k - i)) * nu, at);
        }
        divide(eq, &f, at);
    }
    return PCS_OK;
}
