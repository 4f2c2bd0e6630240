// Equations phi(t, y^(n), ..., y, u^(m), ..., u) = 0 of first order: with chi = (y^(n-1), ..., y)
//     chi' = (y^(n), chi without y),   phi(t, (y^(n), chi), U) = 0 solved for y^(n) by Newton's
// method, where U = (u^(m), ..., u) is the input, or (u^(m-1), ..., u) is part of the state:
//     (u^(m-1), ..., u)' = (u^(m), ..., u').
// Derivatives are those of the implicit function,
//     dy^(n) / d(chi, U) = -(dphi/dy^(n))^-1 dphi / d(chi, U).
#include <percuss/plant.h>

#include <float.h>
#include <string.h>

#include "ode/derivative.h"
#include "ode/implicit.h"
#include "ode/matrix.h"

#define MOST_ARGS (1 << 12)

struct pcs_input_output {
    pcs_env env;
    pcs_input_output_def def; // scales are not looked at any more
    pcs_root_opts newton;
    pcs_arena memory;  // of all that follows
    pcs_arena scratch; // the rest of it, for Newton's method and derivatives
    double t;
    int states, args; // n ny; (n + 1) ny + (m + 1) nu
    double *arg;      // (Y, U)
    pcs_complex *z;   // the same, complex
    double *scale;    // sizes of arg
    double *x_scale;  // sizes of (chi, u^(m-1), ..., u)
    double *highest;  // ny
    double *J;        // ny x args, dphi/d(Y, U)
    double *row;      // ny
    int *piv;         // ny
};

// ---- making one

static pcs_status check_def(const pcs_input_output_def *def)
{
    const char *who = "pcs_input_output_create";
    if (!def->phi) return pcs_fail(PCS_ERR_ARG, "%s: phi must not be null", who);
    const int most = MOST_ARGS;
    if (def->order < 1 || def->ny < 1 || def->input_order < 0 || def->nu < 0 || def->order > most ||
        def->ny > most || def->input_order > most || def->nu > most ||
        (def->order + 1) * def->ny + (def->input_order + 1) * def->nu > most) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: order %d of %d unknowns, order %d of %d inputs; order and unknowns "
                        "must be at least 1, and all arguments of phi together at most %d",
                        who, def->order, def->ny, def->input_order, def->nu, most);
    }
    for (int k = 0; k < 2; ++k) {
        const double *scale = k == 0 ? def->Y_scale : def->U_scale;
        const int n = k == 0 ? (def->order + 1) * def->ny : (def->input_order + 1) * def->nu;
        for (int j = 0; scale && j < n; ++j) {
            if (scale[j] > 0 && isfinite(scale[j])) continue;
            return pcs_fail(PCS_ERR_ARG, "%s: %s[%d] is %g; it must be positive", who,
                            k == 0 ? "Y_scale" : "U_scale", j, scale[j]);
        }
    }
    return PCS_OK;
}

static void take_arrays(pcs_input_output *eq)
{
    const size_t ny = (size_t)eq->def.ny, args = (size_t)eq->args;
    pcs_arena *a = &eq->memory;
    eq->arg = PCS_TAKE(a, args, double);
    eq->z = PCS_TAKE(a, args, pcs_complex);
    eq->scale = PCS_TAKE(a, args, double);
    eq->x_scale = PCS_TAKE(a, args, double);
    eq->highest = PCS_TAKE(a, ny, double);
    eq->J = PCS_TAKE(a, ny * args, double);
    eq->row = PCS_TAKE(a, ny, double);
    eq->piv = PCS_TAKE(a, ny, int);
    eq->scratch = *a;
}

static void set_scales(pcs_input_output *eq)
{
    const pcs_input_output_def *def = &eq->def;
    const int ny = def->ny, Y = (def->order + 1) * ny, chain = def->input_order * def->nu;
    for (int j = 0; j < eq->args; ++j) {
        const double *from = j < Y ? def->Y_scale : def->U_scale;
        eq->scale[j] = from ? from[j < Y ? j : j - Y] : 1;
    }
    memcpy(eq->x_scale, eq->scale + ny, (size_t)eq->states * sizeof(double));
    memcpy(eq->x_scale + eq->states, eq->scale + Y + def->nu, (size_t)chain * sizeof(double));
}

pcs_status pcs_input_output_create(const pcs_env *env, const pcs_input_output_def *def,
                                   pcs_input_output **out)
{
    if (out) *out = NULL;
    if (!def || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_create: an argument is null");
    PCS_TRY(check_def(def));
    pcs_input_output *eq = pcs_env_alloc(env, 1, sizeof *eq);
    if (!eq) return pcs_fail_memory("pcs_input_output_create");
    if (env) eq->env = *env;
    eq->def = *def;
    eq->newton = def->newton ? *def->newton : pcs_root_opts_default();
    eq->states = def->order * def->ny;
    eq->args = eq->states + def->ny + (def->input_order + 1) * def->nu;

    take_arrays(eq); // counts only
    const size_t bytes =
        eq->memory.used + pcs_root_bytes(def->ny) + pcs_jacobian_bytes(def->ny, eq->args) + 64;
    eq->memory = (pcs_arena){0};
    const pcs_status status = pcs_arena_create(env, bytes, &eq->memory);
    if (status != PCS_OK) {
        pcs_input_output_destroy(eq);
        return status;
    }
    take_arrays(eq);
    set_scales(eq);
    eq->def.Y_scale = eq->def.U_scale = NULL;
    eq->def.newton = NULL;
    *out = eq;
    return PCS_OK;
}

void pcs_input_output_destroy(pcs_input_output *eq)
{
    if (!eq) return;
    const pcs_env env = eq->env;
    pcs_arena_destroy(&env, &eq->memory);
    pcs_env_free(&env, eq);
}

// ---- phi as a map of all its arguments, and of y^(n) alone

static double *input_part(const pcs_input_output *eq)
{
    return eq->arg + eq->states + eq->def.ny;
}

static int value(void *user, const double *arg, double *phi)
{
    const pcs_input_output *eq = user;
    return eq->def.phi(eq->def.user, eq->t, arg, arg + eq->states + eq->def.ny, phi);
}

static int jacobian(void *user, const double *arg, double *J)
{
    const pcs_input_output *eq = user;
    const size_t Y = (size_t)(eq->states + eq->def.ny);
    return eq->def.jacobian(eq->def.user, eq->t, arg, arg + Y, J, J + (size_t)eq->def.ny * Y);
}

static int complex_value(void *user, const pcs_complex *arg, pcs_complex *phi)
{
    const pcs_input_output *eq = user;
    return eq->def.phi_complex(eq->def.user, eq->t, arg, arg + eq->states + eq->def.ny, phi);
}

static int highest_value(void *user, const double *highest, double *phi)
{
    const pcs_input_output *eq = user;
    memcpy(eq->arg, highest, (size_t)eq->def.ny * sizeof *highest);
    return value(user, eq->arg, phi);
}

static int highest_jacobian(void *user, const double *highest, double *J)
{
    const pcs_input_output *eq = user;
    const size_t ny = (size_t)eq->def.ny;
    memcpy(eq->arg, highest, ny * sizeof *highest);
    const int code = jacobian(user, eq->arg, eq->J);
    memcpy(J, eq->J, ny * ny * sizeof *J);
    return code;
}

static int highest_complex(void *user, const pcs_complex *highest, pcs_complex *phi)
{
    const pcs_input_output *eq = user;
    for (int j = 0; j < eq->args; ++j) {
        eq->z[j] = eq->arg[j];
    }
    memcpy(eq->z, highest, (size_t)eq->def.ny * sizeof *highest);
    return complex_value(user, eq->z, phi);
}

// ---- solving for y^(n)

// into eq->arg, whose chi and U are set
static pcs_status solve(pcs_input_output *eq)
{
    const pcs_input_output_def *def = &eq->def;
    const size_t ny = (size_t)def->ny;
    const unsigned long mark = pcs_fail_mark();
    memset(eq->highest, 0, ny * sizeof *eq->highest);
    if (def->guess &&
        def->guess(def->user, eq->t, eq->arg + ny, input_part(eq), eq->highest) != 0) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "pcs_input_output: the guess returned an error at t = %.9g", eq->t);
    }
    const pcs_map map = {.n = def->ny,
                         .m = def->ny,
                         .f = highest_value,
                         .jacobian = def->jacobian ? highest_jacobian : NULL,
                         .f_complex = def->phi_complex ? highest_complex : NULL,
                         .x_scale = eq->scale,
                         .user = eq};
    pcs_root_report report;
    const pcs_status status = pcs_root_solve(&map, &eq->newton, eq->scratch, eq->highest, &report);
    if (status != PCS_OK) {
        return pcs_fail_since(mark, status,
                              "pcs_input_output: phi = 0 cannot be solved for the derivative of "
                              "order %d at t = %.9g",
                              def->order, eq->t);
    }
    if (!newton_found(&report)) {
        return pcs_fail(PCS_ERR_STEP,
                        "pcs_input_output: phi = 0 cannot be solved for the derivative of order %d "
                        "at t = %.9g: Newton's method %s; give a guess",
                        def->order, eq->t, pcs_root_outcome_text(report.outcome));
    }
    memcpy(eq->arg, eq->highest, ny * sizeof *eq->arg);
    return PCS_OK;
}

pcs_status pcs_input_output_highest(pcs_input_output *eq, double t, const double *chi,
                                    const double *U, double *highest)
{
    if (!eq || !chi || !highest || (eq->def.nu > 0 && !U)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_input_output_highest: an argument is null");
    }
    const size_t ny = (size_t)eq->def.ny, inputs = (size_t)((eq->def.input_order + 1) * eq->def.nu);
    if (!isfinite(t) || !pcs_all_finite(chi, (size_t)eq->states) ||
        (inputs > 0 && !pcs_all_finite(U, inputs))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_input_output_highest: t, chi and U must be finite");
    }
    eq->t = t;
    memcpy(eq->arg + ny, chi, (size_t)eq->states * sizeof *chi);
    if (inputs > 0) memcpy(input_part(eq), U, inputs * sizeof *U);
    PCS_TRY(solve(eq));
    memcpy(highest, eq->arg, ny * sizeof *highest);
    return PCS_OK;
}

// dy^(n) / d(chi, U) into the columns of eq->J behind the first ny, at the solution in eq->arg
static pcs_status differentiate(pcs_input_output *eq)
{
    const int ny = eq->def.ny;
    const pcs_map map = {.n = eq->args,
                         .m = ny,
                         .f = value,
                         .jacobian = eq->def.jacobian ? jacobian : NULL,
                         .f_complex = eq->def.phi_complex ? complex_value : NULL,
                         .x_scale = eq->scale,
                         .user = eq};
    pcs_derivative how;
    long evaluations = 0;
    PCS_TRY(derivative_resolve(&map, eq->newton.derivative, &how));
    PCS_TRY(how == PCS_DERIVATIVE_DIFFERENCES
                ? derivative_central(&map, eq->arg, eq->scratch, eq->J, &evaluations)
                : derivative_form(&map, how, eq->arg, NULL, eq->scratch, eq->J, &evaluations));
    // rows, in sizes of y^(n), to the size of 1: whether it is singular is no matter of units
    bool regular = true;
    for (int i = 0; i < ny; ++i) {
        double most = 0;
        for (int j = 0; j < ny; ++j) {
            most =
                fmax(most, fabs(eq->J[i + (size_t)ny * j]) * derivative_size(&map, j, eq->arg[j]));
        }
        regular = regular && most > 0 && isfinite(most);
        eq->row[i] = most > 0 ? exp2(-round(log2(most))) : 1;
    }
    for (int j = 0; j < eq->args; ++j) {
        const double size = j < ny ? derivative_size(&map, j, eq->arg[j]) : 1;
        for (int i = 0; i < ny; ++i) {
            eq->J[i + (size_t)ny * j] *= eq->row[i] * size;
        }
    }
    if (!regular || !matrix_lu(ny, eq->J, eq->piv) ||
        matrix_pivots(ny, eq->J) < 0.25 * ny * DBL_EPSILON) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_input_output: the derivative of phi by that of order %d is singular "
                        "at t = %.9g",
                        eq->def.order, eq->t);
    }
    for (int j = ny; j < eq->args; ++j) {
        double *column = eq->J + (size_t)ny * j;
        matrix_solve(ny, eq->J, eq->piv, column);
        for (int i = 0; i < ny; ++i) {
            column[i] *= -derivative_size(&map, i, eq->arg[i]);
        }
    }
    return PCS_OK;
}

// ---- first order

// chi and U of a state and an input; `chain` states behind chi
static void load(pcs_input_output *eq, double t, const double *x, const double *u, int chain)
{
    const size_t ny = (size_t)eq->def.ny, states = (size_t)eq->states;
    const size_t given = (size_t)((eq->def.input_order + 1) * eq->def.nu - chain);
    eq->t = t;
    memcpy(eq->arg + ny, x, states * sizeof *x);
    if (given > 0) memcpy(input_part(eq), u, given * sizeof *u);
    if (chain > 0) memcpy(input_part(eq) + given, x + states, (size_t)chain * sizeof *x);
}

static int rates(pcs_input_output *eq, double t, const double *x, const double *u, int chain,
                 double *out)
{
    load(eq, t, x, u, chain);
    const pcs_status status = solve(eq);
    if (status != PCS_OK) return (int)status;
    memcpy(out, eq->arg, (size_t)eq->states * sizeof *out);
    if (chain > 0) memcpy(out + eq->states, input_part(eq), (size_t)chain * sizeof *out);
    return 0;
}

// the columns of a part of the arguments: those of dy^(n), and ones where x' is that argument
static void columns(const pcs_input_output *eq, int first, int count, int nx, double *out)
{
    const int ny = eq->def.ny, Y = eq->states + ny;
    for (int c = 0; c < count; ++c) {
        const int j = first + c;
        double *column = out + (size_t)nx * c;
        memset(column, 0, (size_t)nx * sizeof *column);
        memcpy(column, eq->J + (size_t)ny * j, (size_t)ny * sizeof *column);
        // chi' begins with y^(n), the arguments with it too; of the chain both begin with u^(m)
        if (j < Y && j < eq->states) column[j] = 1;
        if (j >= Y && eq->states + j - Y < nx) column[eq->states + j - Y] = 1;
    }
}

static int slopes(pcs_input_output *eq, double t, const double *x, const double *u, int chain,
                  double *by_x, double *by_u)
{
    load(eq, t, x, u, chain);
    pcs_status status = solve(eq);
    if (status == PCS_OK) status = differentiate(eq);
    if (status != PCS_OK) return (int)status;
    const int ny = eq->def.ny, Y = eq->states + ny, nx = eq->states + chain;
    const int given = eq->args - Y - chain;
    columns(eq, ny, eq->states, nx, by_x);
    columns(eq, Y + given, chain, nx, by_x + (size_t)nx * (size_t)eq->states);
    columns(eq, Y, given, nx, by_u);
    return 0;
}

static int given_rates(void *user, double t, const double *x, const double *u, double *out)
{
    return rates(user, t, x, u, 0, out);
}

static int given_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                        double *by_u)
{
    return slopes(user, t, x, u, 0, by_x, by_u);
}

static int chain_size(const pcs_input_output *eq)
{
    return eq->def.input_order * eq->def.nu;
}

static int chain_rates(void *user, double t, const double *x, const double *u, double *out)
{
    return rates(user, t, x, u, chain_size(user), out);
}

static int chain_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                        double *by_u)
{
    return slopes(user, t, x, u, chain_size(user), by_x, by_u);
}

// y is the last of chi
static int output(void *user, double t, const double *x, const double *u, double *out)
{
    const pcs_input_output *eq = user;
    (void)t;
    (void)u;
    memcpy(out, x + eq->states - eq->def.ny, (size_t)eq->def.ny * sizeof *out);
    return 0;
}

static void output_slopes(const pcs_input_output *eq, int nx, int nu, double *by_x, double *by_u)
{
    const int ny = eq->def.ny;
    memset(by_x, 0, (size_t)ny * (size_t)nx * sizeof *by_x);
    memset(by_u, 0, (size_t)ny * (size_t)nu * sizeof *by_u);
    for (int i = 0; i < ny; ++i) {
        by_x[i + (size_t)ny * (size_t)(eq->states - ny + i)] = 1;
    }
}

static int given_output_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                               double *by_u)
{
    const pcs_input_output *eq = user;
    (void)t;
    (void)x;
    (void)u;
    output_slopes(eq, eq->states, (eq->def.input_order + 1) * eq->def.nu, by_x, by_u);
    return 0;
}

static int chain_output_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                               double *by_u)
{
    const pcs_input_output *eq = user;
    (void)t;
    (void)x;
    (void)u;
    output_slopes(eq, eq->states + chain_size(eq), eq->def.nu, by_x, by_u);
    return 0;
}

pcs_status pcs_input_output_given(pcs_input_output *eq, pcs_plant *out)
{
    if (!eq || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_given: an argument is null");
    *out = (pcs_plant){.nx = eq->states,
                       .nu = (eq->def.input_order + 1) * eq->def.nu,
                       .ny = eq->def.ny,
                       .f = given_rates,
                       .g = output,
                       .f_jacobian = given_slopes,
                       .g_jacobian = given_output_slopes,
                       .x_scale = eq->x_scale,
                       .u_scale = eq->scale + eq->states + eq->def.ny,
                       .user = eq};
    return PCS_OK;
}

pcs_status pcs_input_output_chain(pcs_input_output *eq, pcs_plant *out)
{
    if (!eq || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_chain: an argument is null");
    *out = (pcs_plant){.nx = eq->states + chain_size(eq),
                       .nu = eq->def.nu,
                       .ny = eq->def.ny,
                       .f = chain_rates,
                       .g = output,
                       .f_jacobian = chain_slopes,
                       .g_jacobian = chain_output_slopes,
                       .x_scale = eq->x_scale,
                       .u_scale = eq->scale + eq->states + eq->def.ny,
                       .user = eq};
    return PCS_OK;
}
