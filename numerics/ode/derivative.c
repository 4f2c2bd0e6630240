// Jacobians J_ij = df_i/dx_j by callback, by the complex step
//     J e_j = Im f(x + i h e_j) / h                     (Squire and Trapp 1998; h = 1e-100)
// or by differences
//     J e_j = (f(x + h e_j) - f(x)) / h,                 h = eps^(1/2) size_j
//     J e_j = (f(x + h e_j) - f(x - h e_j)) / (2 h),     h = eps^(1/3) size_j.
#include "ode/derivative.h"

#include <complex.h>
#include <float.h>
#include <string.h>

#define COMPLEX_STEP 1e-100

pcs_status derivative_check_map(const pcs_map *map, const char *who)
{
    if (!map || !map->f) {
        return pcs_fail(PCS_ERR_ARG, "%s: the map and its f must not be null", who);
    }
    if (map->n < 1 || map->m < 1 || map->n > (1 << 24) || map->m > (1 << 24)) {
        return pcs_fail(PCS_ERR_SIZE, "%s: the map is from R^%d to R^%d; sizes are 1 .. 2^24", who,
                        map->n, map->m);
    }
    for (int j = 0; map->x_scale && j < map->n; ++j) {
        if (!(map->x_scale[j] > 0) || !isfinite(map->x_scale[j])) {
            return pcs_fail(PCS_ERR_ARG, "%s: x_scale[%d] is %g; it must be positive", who, j,
                            map->x_scale[j]);
        }
    }
    for (int i = 0; map->f_scale && i < map->m; ++i) {
        if (!(map->f_scale[i] > 0) || !isfinite(map->f_scale[i])) {
            return pcs_fail(PCS_ERR_ARG, "%s: f_scale[%d] is %g; it must be positive", who, i,
                            map->f_scale[i]);
        }
    }
    return PCS_OK;
}

pcs_status derivative_resolve(const pcs_map *map, pcs_derivative how, pcs_derivative *out)
{
    switch (how) {
    case PCS_DERIVATIVE_BEST:
        *out = map->jacobian    ? PCS_DERIVATIVE_CALLBACK
               : map->f_complex ? PCS_DERIVATIVE_COMPLEX
                                : PCS_DERIVATIVE_DIFFERENCES;
        return PCS_OK;
    case PCS_DERIVATIVE_CALLBACK:
        if (!map->jacobian) {
            return pcs_fail(PCS_ERR_ARG, "derivatives by callback are asked for, but there is no "
                                         "Jacobian callback");
        }
        break;
    case PCS_DERIVATIVE_COMPLEX:
        if (!map->f_complex) {
            return pcs_fail(PCS_ERR_ARG, "derivatives by the complex step are asked for, but there "
                                         "is no complex function");
        }
        break;
    case PCS_DERIVATIVE_DIFFERENCES:
        break;
    default:
        return pcs_fail(PCS_ERR_ARG, "the derivative is %d; it must be one of pcs_derivative",
                        (int)how);
    }
    *out = how;
    return PCS_OK;
}

bool derivative_value(const pcs_map *map, const double *x, double *f, long *evaluations)
{
    *evaluations += 1;
    return map->f(map->user, x, f) == 0 && pcs_all_finite(f, (size_t)map->m);
}

static pcs_status refused(unsigned long mark, const char *what)
{
    return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                          "derivative: %s returned an error or a number that is not finite", what);
}

static pcs_status by_complex(const pcs_map *map, const double *x, pcs_arena work, double *J,
                             long *evaluations)
{
    const unsigned long mark = pcs_fail_mark();
    const int n = map->n, m = map->m;
    pcs_complex *y = PCS_TAKE(&work, (size_t)n, pcs_complex);
    pcs_complex *f = PCS_TAKE(&work, (size_t)m, pcs_complex);
    if (!y || !f) return pcs_fail_memory("derivative (work arena)");
    for (int j = 0; j < n; ++j) {
        y[j] = x[j];
    }
    for (int j = 0; j < n; ++j) {
        double *Jj = J + (size_t)m * j;
        y[j] = x[j] + COMPLEX_STEP * I;
        *evaluations += 1;
        if (map->f_complex(map->user, y, f) != 0) return refused(mark, "the complex function");
        y[j] = x[j];
        for (int i = 0; i < m; ++i) {
            Jj[i] = cimag(f[i]) / COMPLEX_STEP;
            if (!isfinite(Jj[i]) || !isfinite(creal(f[i])))
                return refused(mark, "the complex function");
        }
    }
    return PCS_OK;
}

// the actual increment of x[j], after rounding
static double increment(double xj, double h)
{
    volatile double moved = xj + (xj < 0 ? -h : h);
    return moved - xj;
}

static pcs_status by_differences(const pcs_map *map, const double *x, const double *fx,
                                 pcs_arena work, double *J, long *evaluations)
{
    const unsigned long mark = pcs_fail_mark();
    const int n = map->n, m = map->m;
    double *y = PCS_TAKE(&work, (size_t)n, double), *f0 = PCS_TAKE(&work, (size_t)m, double);
    if (!y || !f0) return pcs_fail_memory("derivative (work arena)");
    if (!fx) {
        if (!derivative_value(map, x, f0, evaluations)) return refused(mark, "the function");
        fx = f0;
    }
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int j = 0; j < n; ++j) {
        double *Jj = J + (size_t)m * j;
        double h = increment(x[j], sqrt(DBL_EPSILON) * derivative_size(map, j, x[j]));
        y[j] = x[j] + h;
        if (!derivative_value(map, y, Jj, evaluations)) {
            // f is not defined there: the difference goes in the other direction
            h = -h;
            y[j] = x[j] + h;
            if (!derivative_value(map, y, Jj, evaluations)) return refused(mark, "the function");
            h = y[j] - x[j];
        }
        y[j] = x[j];
        for (int i = 0; i < m; ++i) {
            Jj[i] = (Jj[i] - fx[i]) / h;
        }
        if (!pcs_all_finite(Jj, (size_t)m)) return refused(mark, "the function");
    }
    return PCS_OK;
}

pcs_status derivative_central(const pcs_map *map, const double *x, pcs_arena work, double *J,
                              long *evaluations)
{
    const unsigned long mark = pcs_fail_mark();
    const int n = map->n, m = map->m;
    double *y = PCS_TAKE(&work, (size_t)n, double), *f0 = PCS_TAKE(&work, (size_t)m, double);
    if (!y || !f0) return pcs_fail_memory("derivative (work arena)");
    memcpy(y, x, (size_t)n * sizeof *y);
    for (int j = 0; j < n; ++j) {
        double *Jj = J + (size_t)m * j;
        const double h = cbrt(DBL_EPSILON) * derivative_size(map, j, x[j]);
        y[j] = x[j] + h;
        const double up = y[j];
        if (!derivative_value(map, y, Jj, evaluations)) return refused(mark, "the function");
        y[j] = x[j] - h;
        if (!derivative_value(map, y, f0, evaluations)) return refused(mark, "the function");
        const double width = up - y[j];
        y[j] = x[j];
        for (int i = 0; i < m; ++i) {
            Jj[i] = (Jj[i] - f0[i]) / width;
        }
        if (!pcs_all_finite(Jj, (size_t)m)) return refused(mark, "the function");
    }
    return PCS_OK;
}

pcs_status derivative_form(const pcs_map *map, pcs_derivative how, const double *x,
                           const double *fx, pcs_arena work, double *J, long *evaluations)
{
    const unsigned long mark = pcs_fail_mark();
    if (how == PCS_DERIVATIVE_COMPLEX) return by_complex(map, x, work, J, evaluations);
    if (how == PCS_DERIVATIVE_DIFFERENCES) {
        return by_differences(map, x, fx, work, J, evaluations);
    }
    if (map->jacobian(map->user, x, J) != 0 ||
        !pcs_all_finite(J, (size_t)map->m * (size_t)map->n)) {
        return refused(mark, "the Jacobian callback");
    }
    return PCS_OK;
}

size_t pcs_jacobian_bytes(int m, int n)
{
    if (m < 0 || n < 0) return 0;
    // two vectors, real or complex; for the check two matrices, one of them in this memory
    const size_t a = (size_t)m, b = (size_t)n;
    return (a + b) * sizeof(pcs_complex) + a * b * sizeof(double) + 4 * 64;
}

pcs_status pcs_jacobian(const pcs_map *map, pcs_derivative how, const double *x, pcs_arena work,
                        double *J)
{
    PCS_TRY(derivative_check_map(map, "pcs_jacobian"));
    if (!x || !J || !pcs_all_finite(x, (size_t)map->n)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_jacobian: x and J must not be null, x must be finite");
    }
    PCS_TRY(derivative_resolve(map, how, &how));
    long evaluations = 0;
    return derivative_form(map, how, x, NULL, work, J, &evaluations);
}

// the largest |entry| of the row times the size of its column
static double row_size(const pcs_map *map, const double *x, int i, const double *J, const double *R)
{
    double most = 0;
    for (int j = 0; j < map->n; ++j) {
        const size_t k = (size_t)map->m * j + i;
        most = fmax(most, fmax(fabs(J[k]), fabs(R[k])) * derivative_size(map, j, x[j]));
    }
    return most;
}

pcs_status pcs_jacobian_check(const pcs_map *map, const double *x, pcs_arena work,
                              pcs_jacobian_mismatch *out)
{
    PCS_TRY(derivative_check_map(map, "pcs_jacobian_check"));
    if (!x || !out || !map->jacobian || !pcs_all_finite(x, (size_t)map->n)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_jacobian_check: x, out and the Jacobian callback must "
                                     "not be null, x must be finite");
    }
    const size_t size = (size_t)map->m * (size_t)map->n;
    double *J = PCS_TAKE(&work, size, double), *R = PCS_TAKE(&work, size, double);
    if (!J || !R) return pcs_fail_memory("pcs_jacobian_check (work arena)");
    long evaluations = 0;
    PCS_TRY(derivative_form(map, PCS_DERIVATIVE_CALLBACK, x, NULL, work, J, &evaluations));
    *out = (pcs_jacobian_mismatch){.reference = map->f_complex ? PCS_DERIVATIVE_COMPLEX
                                                               : PCS_DERIVATIVE_DIFFERENCES};
    PCS_TRY(map->f_complex ? by_complex(map, x, work, R, &evaluations)
                           : derivative_central(map, x, work, R, &evaluations));
    for (int i = 0; i < map->m; ++i) {
        const double most = row_size(map, x, i, J, R);
        for (int j = 0; most > 0 && j < map->n; ++j) {
            const size_t k = (size_t)map->m * j + i;
            const double apart = fabs(J[k] - R[k]) * derivative_size(map, j, x[j]) / most;
            if (apart > out->relative) {
                out->relative = apart;
                out->row = i;
                out->column = j;
                out->given = J[k];
                out->found = R[k];
            }
        }
    }
    return PCS_OK;
}
