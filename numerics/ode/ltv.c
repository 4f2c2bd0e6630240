// Linear systems x' = A(t) x + B(t) u, y = C(t) x + D(t) u given by matrices at times t_k,
// interpolated by Lagrange's cubic through the four nearest,
//     A(t) = sum_k w_k(t) A_k,   w_k = prod_{j != k} (t - t_j) / (t_k - t_j).
#include "ode/ltv.h"

#include <string.h>

#define NEAREST 4

// points first .. first + count - 1 with their weights
typedef struct weights {
    int first, count;
    double w[NEAREST];
} weights;

pcs_status ltv_check(const pcs_ltv *ltv, const char *who)
{
    if (!ltv || !ltv->t) return pcs_fail(PCS_ERR_ARG, "%s: ltv or its t is null", who);
    if (ltv->nx < 1 || ltv->nu < 0 || ltv->ny < 0 || ltv->n < 1) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: %d states, %d inputs, %d outputs at %d times; there must be a state "
                        "and a time",
                        who, ltv->nx, ltv->nu, ltv->ny, ltv->n);
    }
    for (int k = 0; k < ltv->n; ++k) {
        if (isfinite(ltv->t[k]) && (k == 0 || ltv->t[k] > ltv->t[k - 1])) continue;
        return pcs_fail(PCS_ERR_ARG, "%s: t[%d] is %.9g; times must be finite and increase", who, k,
                        ltv->t[k]);
    }
    return PCS_OK;
}

static pcs_status find(const pcs_ltv *ltv, double t, weights *out)
{
    const double *at = ltv->t;
    const int n = ltv->n;
    // the last stage of an integration may be beyond the end by rounding
    const double before = n > 1 ? 1e-6 * (at[1] - at[0]) : INFINITY;
    const double behind = n > 1 ? 1e-6 * (at[n - 1] - at[n - 2]) : INFINITY;
    if (!(t >= at[0] - before) || !(t <= at[n - 1] + behind)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_ltv: t = %.17g is outside of the times of the matrices, %.17g to %.17g", t, at[0],
            at[n - 1]);
    }
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int mid = low + (high - low) / 2;
        if (t < at[mid]) {
            high = mid;
        } else {
            low = mid;
        }
    }
    out->count = n < NEAREST ? n : NEAREST;
    out->first = low - 1 < 0 ? 0 : low - 1;
    if (out->first > n - out->count) out->first = n - out->count;
    for (int k = 0; k < out->count; ++k) {
        const double *near = at + out->first;
        out->w[k] = 1;
        for (int j = 0; j < out->count; ++j) {
            if (j != k) out->w[k] *= (t - near[j]) / (near[k] - near[j]);
        }
    }
    return PCS_OK;
}

// out = sum_k w_k M_k, M_k of `size` numbers
static void mix(const weights *w, size_t size, const double *M, double *out)
{
    memset(out, 0, size * sizeof *out);
    for (int k = 0; k < w->count && M; ++k) {
        const double *Mk = M + size * (size_t)(w->first + k);
        for (size_t i = 0; i < size; ++i) {
            out[i] += w->w[k] * Mk[i];
        }
    }
}

// out += M(t) x, M of m x n
static void add_product(const weights *w, int m, int n, const double *M, const double *x,
                        double *out)
{
    const size_t size = (size_t)m * (size_t)n;
    for (int k = 0; k < w->count && M; ++k) {
        const double *Mk = M + size * (size_t)(w->first + k);
        for (int j = 0; j < n; ++j) {
            const double part = w->w[k] * x[j];
            for (int i = 0; i < m; ++i) {
                out[i] += Mk[i + (size_t)m * j] * part;
            }
        }
    }
}

pcs_status pcs_ltv_at(const pcs_ltv *ltv, double t, double *A, double *B, double *C, double *D)
{
    PCS_TRY(ltv_check(ltv, "pcs_ltv_at"));
    const size_t x = (size_t)ltv->nx, u = (size_t)ltv->nu, y = (size_t)ltv->ny;
    if ((A && !ltv->A) || (B && u > 0 && !ltv->B) || (C && y > 0 && !ltv->C)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_ltv_at: a matrix is requested that ltv does not have");
    }
    weights w;
    PCS_TRY(find(ltv, t, &w));
    if (A) mix(&w, x * x, ltv->A, A);
    if (B) mix(&w, x * u, ltv->B, B);
    if (C) mix(&w, y * x, ltv->C, C);
    if (D) mix(&w, y * u, ltv->D, D);
    return PCS_OK;
}

// ---- as a plant

static int apply(const pcs_ltv *ltv, double t, int m, const double *X, const double *U,
                 const double *x, const double *u, double *out)
{
    weights w;
    const pcs_status status = find(ltv, t, &w);
    if (status != PCS_OK) return (int)status;
    memset(out, 0, (size_t)m * sizeof *out);
    add_product(&w, m, ltv->nx, X, x, out);
    add_product(&w, m, ltv->nu, U, u, out);
    return 0;
}

static int slopes(const pcs_ltv *ltv, double t, int m, const double *X, const double *U,
                  double *by_x, double *by_u)
{
    weights w;
    const pcs_status status = find(ltv, t, &w);
    if (status != PCS_OK) return (int)status;
    mix(&w, (size_t)m * (size_t)ltv->nx, X, by_x);
    mix(&w, (size_t)m * (size_t)ltv->nu, U, by_u);
    return 0;
}

static int rates(void *user, double t, const double *x, const double *u, double *out)
{
    const pcs_ltv *ltv = user;
    return apply(ltv, t, ltv->nx, ltv->A, ltv->B, x, u, out);
}

static int outputs(void *user, double t, const double *x, const double *u, double *out)
{
    const pcs_ltv *ltv = user;
    return apply(ltv, t, ltv->ny, ltv->C, ltv->D, x, u, out);
}

static int rates_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                        double *by_u)
{
    const pcs_ltv *ltv = user;
    (void)x;
    (void)u;
    return slopes(ltv, t, ltv->nx, ltv->A, ltv->B, by_x, by_u);
}

static int outputs_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                          double *by_u)
{
    const pcs_ltv *ltv = user;
    (void)x;
    (void)u;
    return slopes(ltv, t, ltv->ny, ltv->C, ltv->D, by_x, by_u);
}

static bool finite(const double *M, int n, int rows, int columns)
{
    return !M || pcs_all_finite(M, (size_t)n * (size_t)rows * (size_t)columns);
}

pcs_status pcs_ltv_plant(const pcs_ltv *ltv, pcs_plant *out)
{
    PCS_TRY(ltv_check(ltv, "pcs_ltv_plant"));
    const int n = ltv->n, nx = ltv->nx, nu = ltv->nu, ny = ltv->ny;
    if (!out || !ltv->A || (nu > 0 && !ltv->B) || (ny > 0 && !ltv->C)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_ltv_plant: out, or the A, B or C of ltv is null");
    }
    if (!finite(ltv->A, n, nx, nx) || !finite(ltv->B, n, nx, nu) || !finite(ltv->C, n, ny, nx) ||
        !finite(ltv->D, n, ny, nu)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_ltv_plant: not all entries of the matrices are finite");
    }
    *out = (pcs_plant){.nx = nx,
                       .nu = nu,
                       .ny = ny,
                       .f = rates,
                       .g = outputs,
                       .f_jacobian = rates_slopes,
                       .g_jacobian = outputs_slopes,
                       .user = (void *)(uintptr_t)ltv};
    return PCS_OK;
}
