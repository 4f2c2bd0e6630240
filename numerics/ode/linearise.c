// Linearisation: the Jacobians of f and g by (x, u) side by side are maps from R^(nx + nu), formed
// with derivatives by any of the three methods.
#include <percuss/lti.h>

#include <math.h>
#include <string.h>

#include "ode/derivative.h"
#include "ode/driven_plant.h"

// one of the two functions at a time t, as a map of (x, u)
typedef struct side {
    const pcs_plant *plant;
    double t;
    pcs_plant_fn fn;
    pcs_plant_jacobian_fn jacobian;
    pcs_plant_complex_fn fn_complex;
    int m;
} side;

static int side_value(void *user, const double *xu, double *out)
{
    const side *s = user;
    return s->fn(s->plant->user, s->t, xu, xu + s->plant->nx, out);
}

static int side_jacobian(void *user, const double *xu, double *J)
{
    const side *s = user;
    const int nx = s->plant->nx;
    return s->jacobian(s->plant->user, s->t, xu, xu + nx, J, J + (size_t)s->m * nx);
}

static int side_complex(void *user, const pcs_complex *xu, pcs_complex *out)
{
    const side *s = user;
    return s->fn_complex(s->plant->user, s->t, xu, xu + s->plant->nx, out);
}

static size_t matrix_bytes(int m, int n)
{
    return (size_t)m * (size_t)n * sizeof(double) + 64;
}

size_t pcs_linearise_bytes(int nx, int nu, int ny)
{
    if (nx < 0 || nu < 0 || ny < 0) return 0;
    const int m = nx > ny ? nx : ny, n = nx + nu;
    // a point of the trajectory, if there is one
    return 3 * ((size_t)n * sizeof(double) + 64) + 64 + matrix_bytes(m, n) +
           pcs_jacobian_bytes(m, n);
}

// derivatives at xu: by x into X, by u into U (either may be null)
static pcs_status derive(side *s, pcs_derivative how, const double *xu, const double *scale,
                         pcs_arena work, double *X, double *U)
{
    const int nx = s->plant->nx, nu = s->plant->nu, n = nx + nu;
    if (s->m == 0 || (!X && !U)) return PCS_OK;
    const pcs_map map = {.n = n,
                         .m = s->m,
                         .f = side_value,
                         .jacobian = s->jacobian ? side_jacobian : NULL,
                         .f_complex = s->fn_complex ? side_complex : NULL,
                         .x_scale = scale,
                         .user = s};
    PCS_TRY(derivative_check_map(&map, "pcs_linearise"));
    PCS_TRY(derivative_resolve(&map, how, &how));
    double *J = PCS_TAKE(&work, (size_t)s->m * (size_t)n, double);
    if (!J) return pcs_fail_memory("pcs_linearise (work arena)");

    long evaluations = 0;
    PCS_TRY(how == PCS_DERIVATIVE_DIFFERENCES
                ? derivative_central(&map, xu, work, J, &evaluations)
                : derivative_form(&map, how, xu, NULL, work, J, &evaluations));
    const size_t by_x = (size_t)s->m * (size_t)nx, by_u = (size_t)s->m * (size_t)nu;
    if (X) memcpy(X, J, by_x * sizeof *X);
    if (U && nu > 0) memcpy(U, J + by_x, by_u * sizeof *U);
    return PCS_OK;
}

pcs_status pcs_linearise(const pcs_plant *plant, pcs_derivative how, double t, const double *x,
                         const double *u, pcs_arena work, double *A, double *B, double *C,
                         double *D)
{
    PCS_TRY(plant_check(plant, "pcs_linearise"));
    const int nx = plant->nx, nu = plant->nu, ny = plant->ny;
    if (!x || (nu > 0 && !u) || !isfinite(t)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_linearise: x and u (with %d inputs) must not be null, t "
                        "finite",
                        nu);
    }
    double *xu = PCS_TAKE(&work, (size_t)(nx + nu), double);
    double *scale = PCS_TAKE(&work, (size_t)(nx + nu), double);
    if (!scale) return pcs_fail_memory("pcs_linearise (work arena)");
    for (int j = 0; j < nx + nu; ++j) {
        const double *sizes = j < nx ? plant->x_scale : plant->u_scale;
        xu[j] = j < nx ? x[j] : u[j - nx];
        scale[j] = sizes ? sizes[j < nx ? j : j - nx] : 1;
    }
    if (!pcs_all_finite(xu, (size_t)(nx + nu))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_linearise: x and u must be finite");
    }

    side f = {plant, t, plant->f, plant->f_jacobian, plant->f_complex, nx};
    PCS_TRY(derive(&f, how, xu, scale, work, A, B));
    side g = {plant, t, plant->g, plant->g_jacobian, plant->g_complex, ny};
    return derive(&g, how, xu, scale, work, C, D);
}
