// A plant x' = f(t, x, u) with its input u(t) as a system x' = F(t, x) for the integrators.
#include "ode/driven_plant.h"

#include <complex.h>

struct pcs_driven {
    pcs_env env;
    pcs_plant plant;
    pcs_input_fn input;
    void *input_user;
    pcs_arena memory;
    double *u;              // nu
    double *by_u;           // nx x nu, written but not read
    pcs_complex *complex_u; // nu
};

static void take_arrays(pcs_driven *d)
{
    const size_t nx = (size_t)d->plant.nx, nu = (size_t)d->plant.nu;
    d->u = PCS_TAKE(&d->memory, nu, double);
    d->by_u = PCS_TAKE(&d->memory, d->plant.f_jacobian ? nx * nu : 0, double);
    d->complex_u = PCS_TAKE(&d->memory, d->plant.f_complex ? nu : 0, pcs_complex);
}

pcs_status plant_check(const pcs_plant *plant, const char *who)
{
    const int most = 1 << 20;
    if (!plant || !plant->f) {
        return pcs_fail(PCS_ERR_ARG, "%s: the plant and its f must not be null", who);
    }
    if (plant->nx < 1 || plant->nu < 0 || plant->ny < 0 || plant->nx > most || plant->nu > most ||
        plant->ny > most) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: %d states, %d inputs, %d outputs; there must be a state, and no more "
                        "than %d of each",
                        who, plant->nx, plant->nu, plant->ny, most);
    }
    if (plant->ny > 0 && !plant->g) {
        return pcs_fail(PCS_ERR_ARG, "%s: there are %d outputs, but g is null", who, plant->ny);
    }
    return PCS_OK;
}

pcs_status pcs_driven_create(const pcs_env *env, const pcs_plant *plant, pcs_input_fn input,
                             void *input_user, pcs_driven **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_driven_create: out must not be null");
    *out = NULL;
    PCS_TRY(plant_check(plant, "pcs_driven_create"));
    if (plant->nu > 0 && !input) {
        return pcs_fail(PCS_ERR_ARG, "pcs_driven_create: there are %d inputs, but input is null",
                        plant->nu);
    }
    pcs_driven *d = pcs_env_alloc(env, 1, sizeof *d);
    if (!d) return pcs_fail_memory("pcs_driven_create");
    if (env) d->env = *env;
    d->plant = *plant;
    d->input = input;
    d->input_user = input_user;
    take_arrays(d); // only counts
    const size_t bytes = d->memory.used;
    d->memory = (pcs_arena){0};
    const pcs_status status = pcs_arena_create(env, bytes, &d->memory);
    if (status != PCS_OK) {
        pcs_driven_destroy(d);
        return status;
    }
    take_arrays(d);
    *out = d;
    return PCS_OK;
}

void pcs_driven_destroy(pcs_driven *d)
{
    if (!d) return;
    const pcs_env env = d->env;
    pcs_arena_destroy(&env, &d->memory);
    pcs_env_free(&env, d);
}

const pcs_plant *driven_plant(const pcs_driven *d)
{
    return &d->plant;
}

pcs_status driven_input(pcs_driven *d, double t, double *u)
{
    const int nu = d->plant.nu;
    if (nu == 0) return PCS_OK;
    const unsigned long mark = pcs_fail_mark();
    const int code = d->input(d->input_user, t, u);
    if (code != 0) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK, "the input returned %d at t = %.9g", code, t);
    }
    for (int j = 0; j < nu; ++j) {
        if (!isfinite(u[j])) {
            return pcs_fail(PCS_ERR_CALLBACK, "the input gave %g for component %d at t = %.9g",
                            u[j], j, t);
        }
    }
    return PCS_OK;
}

// ---- as x' = F(t, x)

static int rates(void *user, double t, const double *x, double *dxdt)
{
    pcs_driven *d = user;
    const pcs_status status = driven_input(d, t, d->u);
    return status != PCS_OK ? (int)status : d->plant.f(d->plant.user, t, x, d->u, dxdt);
}

static int jacobian(void *user, double t, const double *x, double *dfdx)
{
    pcs_driven *d = user;
    const pcs_status status = driven_input(d, t, d->u);
    if (status != PCS_OK) return (int)status;
    return d->plant.f_jacobian(d->plant.user, t, x, d->u, dfdx, d->by_u);
}

static int complex_rates(void *user, double t, const pcs_complex *x, pcs_complex *dxdt)
{
    pcs_driven *d = user;
    const pcs_status status = driven_input(d, t, d->u);
    if (status != PCS_OK) return (int)status;
    for (int j = 0; j < d->plant.nu; ++j) {
        d->complex_u[j] = d->u[j];
    }
    return d->plant.f_complex(d->plant.user, t, x, d->complex_u, dxdt);
}

pcs_status pcs_driven_ode(pcs_driven *d, pcs_ode *out)
{
    if (!d || !out) return pcs_fail(PCS_ERR_ARG, "pcs_driven_ode: an argument is null");
    *out = (pcs_ode){.n = d->plant.nx,
                     .f = rates,
                     .jacobian = d->plant.f_jacobian ? jacobian : NULL,
                     .f_complex = d->plant.f_complex ? complex_rates : NULL,
                     .user = d};
    return PCS_OK;
}

pcs_status pcs_driven_output(pcs_driven *d, double t, const double *x, double *u, double *y)
{
    if (!d || !x) return pcs_fail(PCS_ERR_ARG, "pcs_driven_output: driven or x is null");
    const int nu = d->plant.nu, ny = d->plant.ny;
    PCS_TRY(driven_input(d, t, d->u));
    for (int j = 0; u && j < nu; ++j) {
        u[j] = d->u[j];
    }
    if (!y || ny == 0) return PCS_OK;
    const unsigned long mark = pcs_fail_mark();
    const int code = d->plant.g(d->plant.user, t, x, d->u, y);
    if (code == 0 && pcs_all_finite(y, (size_t)ny)) return PCS_OK;
    return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                          "pcs_driven_output: g returned %d at t = %.9g, or gave a number that is "
                          "not finite",
                          code, t);
}
