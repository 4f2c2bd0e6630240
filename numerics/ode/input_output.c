// Equations phi(t, y^(n), ..., y, z, u^(m), ..., u) = 0 of first order: with chi = (y^(n-1), ...,
// y)
//     chi' = (y^(n), chi without y),   phi = 0 solved for w = (y^(n), z) by Newton's method,
// where U = (u^(m), ..., u) is the input, or (u^(m-1), ..., u) is part of the state:
//     (u^(m-1), ..., u)' = (u^(m), ..., u').
// Derivatives are those of the implicit function, dw / d(chi, U) = -(dphi/dw)^-1 dphi / d(chi, U).
#include <percuss/plant.h>

#include <float.h>
#include <string.h>

#include "ode/derivative.h"
#include "ode/implicit.h"
#include "ode/small_lu.h"

#define MOST_ARGS (1 << 12)

struct pcs_input_output {
    pcs_env env;
    pcs_input_output_def def; // its scales are not read after creation
    pcs_root_opts newton;
    pcs_arena memory;  // memory of the arrays below
    pcs_arena scratch; // the rest of the memory, for Newton's method and derivatives
    double t;
    int n;           // size of w and of phi: ny + nz
    int states;      // size of chi: order ny
    int args;        // arguments of phi: n + states + (input_order + 1) nu
    double *arg;     // (Y, U), Y = (y^(n), chi, z)
    pcs_complex *zs; // the same, complex
    double *scale;   // sizes of arg
    double *x_scale; // sizes of (chi, u^(m-1), ..., u)
    double *w;       // n
    double *w_scale; // n, scales of w
    double *w_size;  // n, sizes of w at a solution, |w| or the scale
    double *J;       // n x args, dphi/d(Y, U)
    double *J_w;     // n x n, its columns of w
    double *row;     // n
    int *piv;        // n
};

// ---- creation

static pcs_map map_of_w(pcs_input_output *eq);

static pcs_status check_def(const pcs_input_output_def *def)
{
    const char *who = "pcs_input_output_create";
    if (!def->phi) return pcs_fail(PCS_ERR_ARG, "%s: phi must not be null", who);
    const int most = MOST_ARGS;
    if (def->order < 1 || def->ny < 1 || def->nz < 0 || def->input_order < 0 || def->nu < 0 ||
        def->order > most || def->ny > most || def->nz > most || def->input_order > most ||
        def->nu > most ||
        (def->order + 1) * def->ny + def->nz + (def->input_order + 1) * def->nu > most) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: order %d of %d unknowns, %d algebraic ones, order %d of %d inputs; "
                        "order and unknowns must be at least 1, and all arguments of phi together "
                        "at most %d",
                        who, def->order, def->ny, def->nz, def->input_order, def->nu, most);
    }
    for (int k = 0; k < 2; ++k) {
        const double *scale = k == 0 ? def->Y_scale : def->U_scale;
        const int n =
            k == 0 ? (def->order + 1) * def->ny + def->nz : (def->input_order + 1) * def->nu;
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
    const size_t n = (size_t)eq->n, args = (size_t)eq->args;
    pcs_arena *a = &eq->memory;
    TAKE_DOUBLES(a, args, &eq->arg, &eq->scale, &eq->x_scale);
    eq->zs = PCS_TAKE(a, args, pcs_complex);
    TAKE_DOUBLES(a, n, &eq->w, &eq->w_scale, &eq->w_size, &eq->row);
    eq->J = PCS_TAKE(a, n * args, double);
    eq->J_w = PCS_TAKE(a, n * n, double);
    eq->piv = PCS_TAKE(a, n, int);
    eq->scratch = *a;
}

// the place of w_j among the arguments: y^(n) first, z after chi
static int place(const pcs_input_output *eq, int j)
{
    return j < eq->def.ny ? j : eq->states + j;
}

static void set_scales(pcs_input_output *eq)
{
    const pcs_input_output_def *def = &eq->def;
    const int Y = eq->states + eq->n, chain = def->input_order * def->nu;
    for (int j = 0; j < eq->args; ++j) {
        const double *from = j < Y ? def->Y_scale : def->U_scale;
        eq->scale[j] = from ? from[j < Y ? j : j - Y] : 1;
    }
    for (int j = 0; j < eq->n; ++j) {
        eq->w_scale[j] = eq->scale[place(eq, j)];
    }
    memcpy(eq->x_scale, eq->scale + def->ny, (size_t)eq->states * sizeof(double));
    memcpy(eq->x_scale + eq->states, eq->scale + Y + def->nu, (size_t)chain * sizeof(double));
}

pcs_status pcs_input_output_create(const pcs_env *env, const pcs_input_output_def *def,
                                   pcs_input_output **out)
{
    if (out) *out = NULL;
    if (!def || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_create: an argument is null");
    PCS_TRY(check_def(def));
    const pcs_root_opts newton = def->newton ? *def->newton : pcs_root_opts_default();
    PCS_TRY(root_check_opts(&newton, "pcs_input_output_create: newton"));
    pcs_input_output *eq = pcs_env_alloc(env, 1, sizeof *eq);
    if (!eq) return pcs_fail_memory("pcs_input_output_create");
    if (env) eq->env = *env;
    eq->def = *def;
    eq->newton = newton;
    eq->n = def->ny + def->nz;
    eq->states = def->order * def->ny;
    eq->args = eq->states + eq->n + (def->input_order + 1) * def->nu;

    take_arrays(eq); // only counts
    const size_t bytes =
        eq->memory.used + pcs_root_solve_bytes(eq->n) + pcs_jacobian_bytes(eq->n, eq->args) + 64;
    eq->memory = (pcs_arena){0};
    pcs_status status = pcs_arena_create(env, bytes, &eq->memory);
    const pcs_map map = map_of_w(eq);
    pcs_derivative how;
    if (status == PCS_OK) status = derivative_resolve(&map, newton.derivative, &how);
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

// ---- phi as a map of all its arguments and as a map of w

static double *input_part(const pcs_input_output *eq)
{
    return eq->arg + eq->states + eq->n;
}

static int value(void *user, const double *arg, double *phi)
{
    const pcs_input_output *eq = user;
    return eq->def.phi(eq->def.user, eq->t, arg, arg + eq->states + eq->n, phi);
}

static int jacobian(void *user, const double *arg, double *J)
{
    const pcs_input_output *eq = user;
    const size_t Y = (size_t)(eq->states + eq->n);
    return eq->def.jacobian(eq->def.user, eq->t, arg, arg + Y, J, J + (size_t)eq->n * Y);
}

static int complex_value(void *user, const pcs_complex *arg, pcs_complex *phi)
{
    const pcs_input_output *eq = user;
    return eq->def.phi_complex(eq->def.user, eq->t, arg, arg + eq->states + eq->n, phi);
}

static void put(pcs_input_output *eq, const double *w)
{
    for (int j = 0; j < eq->n; ++j) {
        eq->arg[place(eq, j)] = w[j];
    }
}

// the columns of w of eq->J
static void columns_of_w(const pcs_input_output *eq, double *J)
{
    const size_t n = (size_t)eq->n;
    for (int j = 0; j < eq->n; ++j) {
        memcpy(J + n * (size_t)j, eq->J + n * (size_t)place(eq, j), n * sizeof *J);
    }
}

static int w_value(void *user, const double *w, double *phi)
{
    put(user, w);
    return value(user, ((pcs_input_output *)user)->arg, phi);
}

static int w_jacobian(void *user, const double *w, double *J)
{
    pcs_input_output *eq = user;
    put(eq, w);
    const int code = jacobian(eq, eq->arg, eq->J);
    columns_of_w(eq, J);
    return code;
}

static int w_complex(void *user, const pcs_complex *w, pcs_complex *phi)
{
    pcs_input_output *eq = user;
    for (int j = 0; j < eq->args; ++j) {
        eq->zs[j] = eq->arg[j];
    }
    for (int j = 0; j < eq->n; ++j) {
        eq->zs[place(eq, j)] = w[j];
    }
    return complex_value(eq, eq->zs, phi);
}

static pcs_map map_of_w(pcs_input_output *eq)
{
    return (pcs_map){.n = eq->n,
                     .m = eq->n,
                     .f = w_value,
                     .jacobian = eq->def.jacobian ? w_jacobian : NULL,
                     .f_complex = eq->def.phi_complex ? w_complex : NULL,
                     .x_scale = eq->w_scale,
                     .user = eq};
}

// ---- the solution w

// writes w into eq->arg, whose chi and U are set
static pcs_status solve(pcs_input_output *eq)
{
    const pcs_input_output_def *def = &eq->def;
    const unsigned long mark = pcs_fail_mark();
    memset(eq->w, 0, (size_t)eq->n * sizeof *eq->w);
    const int code =
        def->guess ? def->guess(def->user, eq->t, eq->arg + def->ny, input_part(eq), eq->w) : 0;
    if (code != 0 || !pcs_all_finite(eq->w, (size_t)eq->n)) {
        return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                              "pcs_input_output: the guess returned %d at t = %.9g, or gave a "
                              "number that is not finite",
                              code, eq->t);
    }
    // a callback of derivatives receives all arguments
    put(eq, eq->w);
    const pcs_map map = map_of_w(eq);
    pcs_root_report report;
    const pcs_status status = pcs_root_solve(&map, &eq->newton, eq->scratch, eq->w, &report);
    if (status != PCS_OK) {
        return pcs_fail_since(mark, status,
                              "pcs_input_output: phi = 0 cannot be solved for the derivative of "
                              "order %d%s at t = %.9g",
                              def->order, def->nz > 0 ? " and z" : "", eq->t);
    }
    if (!newton_found(&report)) {
        return pcs_fail(PCS_ERR_STEP,
                        "pcs_input_output: phi = 0 cannot be solved for the derivative of order "
                        "%d%s at t = %.9g: Newton's method %s; give a guess",
                        def->order, def->nz > 0 ? " and z" : "", eq->t,
                        pcs_root_outcome_text(report.outcome));
    }
    put(eq, eq->w);
    return PCS_OK;
}

pcs_status pcs_input_output_highest(pcs_input_output *eq, double t, const double *chi,
                                    const double *U, double *highest)
{
    if (!eq || !chi || !highest || (eq->def.nu > 0 && !U)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_input_output_highest: an argument is null");
    }
    const size_t inputs = (size_t)((eq->def.input_order + 1) * eq->def.nu);
    if (!isfinite(t) || !pcs_all_finite(chi, (size_t)eq->states) ||
        (inputs > 0 && !pcs_all_finite(U, inputs))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_input_output_highest: t, chi and U must be finite");
    }
    eq->t = t;
    memcpy(eq->arg + eq->def.ny, chi, (size_t)eq->states * sizeof *chi);
    if (inputs > 0) memcpy(input_part(eq), U, inputs * sizeof *U);
    PCS_TRY(solve(eq));
    memcpy(highest, eq->w, (size_t)eq->n * sizeof *highest);
    return PCS_OK;
}

// the factors of dphi/dw, in sizes of w and with rows scaled to the size of 1, so that the test for
// singularity does not depend on units. The rows of eq->J are scaled too
static bool factor_w(pcs_input_output *eq)
{
    const int n = eq->n;
    bool regular = true;
    for (int j = 0; j < n; ++j) {
        eq->w_size[j] = fmax(fabs(eq->w[j]), eq->w_scale[j]);
    }
    columns_of_w(eq, eq->J_w);
    for (int i = 0; i < n; ++i) {
        double most = 0;
        for (int j = 0; j < n; ++j) {
            eq->J_w[i + (size_t)n * j] *= eq->w_size[j];
            most = fmax(most, fabs(eq->J_w[i + (size_t)n * j]));
        }
        regular = regular && most > 0 && isfinite(most);
        eq->row[i] = most > 0 ? exp2(-round(log2(most))) : 1;
        for (int j = 0; j < n; ++j) {
            eq->J_w[i + (size_t)n * j] *= eq->row[i];
        }
    }
    return regular && matrix_lu(n, eq->J_w, eq->piv) &&
           !(matrix_pivots(n, eq->J_w) < 0.25 * n * DBL_EPSILON);
}

// dw / d(chi, U) into the columns of eq->J that are not those of w, at the solution in eq->arg
static pcs_status differentiate(pcs_input_output *eq)
{
    const int n = eq->n, ny = eq->def.ny;
    const pcs_map map = {.n = eq->args,
                         .m = n,
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
    if (!factor_w(eq)) {
        return pcs_fail(PCS_ERR_SINGULAR,
                        "pcs_input_output: the derivative of phi by that of order %d%s is singular "
                        "at t = %.9g",
                        eq->def.order, eq->def.nz > 0 ? " and z" : "", eq->t);
    }
    for (int j = ny; j < eq->args; ++j) {
        if (j >= ny + eq->states && j < n + eq->states) continue; // z
        double *column = eq->J + (size_t)n * j;
        for (int i = 0; i < n; ++i) {
            column[i] *= eq->row[i];
        }
        matrix_solve(n, eq->J_w, eq->piv, column);
        for (int i = 0; i < n; ++i) {
            column[i] *= -eq->w_size[i];
        }
    }
    return PCS_OK;
}

// ---- first order

// chi and U of a state and an input; `chain` states follow chi
static void load(pcs_input_output *eq, double t, const double *x, const double *u, int chain)
{
    const size_t states = (size_t)eq->states;
    const size_t given = (size_t)((eq->def.input_order + 1) * eq->def.nu - chain);
    eq->t = t;
    memcpy(eq->arg + eq->def.ny, x, states * sizeof *x);
    if (given > 0) memcpy(input_part(eq), u, given * sizeof *u);
    if (chain > 0) memcpy(input_part(eq) + given, x + states, (size_t)chain * sizeof *x);
}

static int rates(pcs_input_output *eq, double t, const double *x, const double *u, int chain,
                 double *out)
{
    load(eq, t, x, u, chain);
    const pcs_status status = solve(eq);
    if (status != PCS_OK) return (int)status;
    // (y^(n), chi without y), (u^(m), ..., u')
    memcpy(out, eq->arg, (size_t)eq->states * sizeof *out);
    if (chain > 0) memcpy(out + eq->states, input_part(eq), (size_t)chain * sizeof *out);
    return 0;
}

// (y, z)
static int outputs(pcs_input_output *eq, double t, const double *x, const double *u, int chain,
                   double *out)
{
    const size_t ny = (size_t)eq->def.ny, nz = (size_t)eq->def.nz;
    memcpy(out, x + eq->states - eq->def.ny, ny * sizeof *out);
    if (nz == 0) return 0;
    load(eq, t, x, u, chain);
    const pcs_status status = solve(eq);
    if (status != PCS_OK) return (int)status;
    memcpy(out + ny, eq->w + ny, nz * sizeof *out);
    return 0;
}

// the derivatives of x' by the arguments from `first` on: rows of dw, and ones if x' is that
// argument
static void columns_of_rates(const pcs_input_output *eq, int first, int count, int rows,
                             double *out)
{
    const int n = eq->n, ny = eq->def.ny, U = eq->states + n;
    for (int c = 0; c < count; ++c) {
        const int j = first + c;
        double *column = out + (size_t)rows * c;
        memset(column, 0, (size_t)rows * sizeof *column);
        memcpy(column, eq->J + (size_t)n * j, (size_t)ny * sizeof *column);
        if (j < eq->states) column[j] = 1;
        if (j >= U && eq->states + j - U < rows) column[eq->states + j - U] = 1;
    }
}

// the derivatives of (y, z)
static void columns_of_outputs(const pcs_input_output *eq, int first, int count, int rows,
                               double *out)
{
    const int n = eq->n, ny = eq->def.ny;
    for (int c = 0; c < count; ++c) {
        const int j = first + c;
        double *column = out + (size_t)rows * c;
        memset(column, 0, (size_t)rows * sizeof *column);
        memcpy(column + ny, eq->J + (size_t)n * j + ny, (size_t)eq->def.nz * sizeof *column);
        if (j >= eq->states && j < eq->states + ny) column[j - eq->states] = 1;
    }
}

// columns of a Jacobian: by the arguments first .. first + count - 1
typedef void (*columns_fn)(const pcs_input_output *eq, int first, int count, int rows, double *out);

static int slopes(pcs_input_output *eq, double t, const double *x, const double *u, int chain,
                  columns_fn make, int rows, double *by_x, double *by_u)
{
    load(eq, t, x, u, chain);
    // y without z needs no solution
    if (make == columns_of_rates || eq->def.nz > 0) {
        pcs_status status = solve(eq);
        if (status == PCS_OK) status = differentiate(eq);
        if (status != PCS_OK) return (int)status;
    }
    const int U = eq->states + eq->n, given = eq->args - U - chain;
    make(eq, eq->def.ny, eq->states, rows, by_x);
    make(eq, U + given, chain, rows, by_x + (size_t)rows * (size_t)eq->states);
    make(eq, U, given, rows, by_u);
    return 0;
}

// ---- the plants: U given, or the derivatives of the input in the state

static int given_rates(void *user, double t, const double *x, const double *u, double *out)
{
    return rates(user, t, x, u, 0, out);
}

static int given_outputs(void *user, double t, const double *x, const double *u, double *out)
{
    return outputs(user, t, x, u, 0, out);
}

static int given_rates_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                              double *by_u)
{
    pcs_input_output *eq = user;
    return slopes(eq, t, x, u, 0, columns_of_rates, eq->states, by_x, by_u);
}

static int given_outputs_slopes(void *user, double t, const double *x, const double *u,
                                double *by_x, double *by_u)
{
    pcs_input_output *eq = user;
    return slopes(eq, t, x, u, 0, columns_of_outputs, eq->n, by_x, by_u);
}

static int chain_of(const pcs_input_output *eq)
{
    return eq->def.input_order * eq->def.nu;
}

static int chain_rates(void *user, double t, const double *x, const double *u, double *out)
{
    return rates(user, t, x, u, chain_of(user), out);
}

static int chain_outputs(void *user, double t, const double *x, const double *u, double *out)
{
    return outputs(user, t, x, u, chain_of(user), out);
}

static int chain_rates_slopes(void *user, double t, const double *x, const double *u, double *by_x,
                              double *by_u)
{
    pcs_input_output *eq = user;
    const int chain = chain_of(eq);
    return slopes(eq, t, x, u, chain, columns_of_rates, eq->states + chain, by_x, by_u);
}

static int chain_outputs_slopes(void *user, double t, const double *x, const double *u,
                                double *by_x, double *by_u)
{
    pcs_input_output *eq = user;
    return slopes(eq, t, x, u, chain_of(eq), columns_of_outputs, eq->n, by_x, by_u);
}

pcs_status pcs_input_output_given(pcs_input_output *eq, pcs_plant *out)
{
    if (!eq || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_given: an argument is null");
    *out = (pcs_plant){.nx = eq->states,
                       .nu = (eq->def.input_order + 1) * eq->def.nu,
                       .ny = eq->n,
                       .f = given_rates,
                       .g = given_outputs,
                       .f_jacobian = given_rates_slopes,
                       .g_jacobian = given_outputs_slopes,
                       .x_scale = eq->x_scale,
                       .u_scale = eq->scale + eq->states + eq->n,
                       .user = eq};
    return PCS_OK;
}

pcs_status pcs_input_output_chain(pcs_input_output *eq, pcs_plant *out)
{
    if (!eq || !out) return pcs_fail(PCS_ERR_ARG, "pcs_input_output_chain: an argument is null");
    *out = (pcs_plant){.nx = eq->states + chain_of(eq),
                       .nu = eq->def.nu,
                       .ny = eq->n,
                       .f = chain_rates,
                       .g = chain_outputs,
                       .f_jacobian = chain_rates_slopes,
                       .g_jacobian = chain_outputs_slopes,
                       .x_scale = eq->x_scale,
                       .u_scale = eq->scale + eq->states + eq->n,
                       .user = eq};
    return PCS_OK;
}
