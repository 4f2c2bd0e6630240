// The named tableaus, the two families of explicit methods of theory 10, and the check that every
// integrator makes.
#include "ode/tableau.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- named methods

// a method of s stages whose arrays have its name as prefix
#define TABLEAU(name_, s_, order_)                                                           \
    .name = #name_, .s = s_, .A = (const double *)name_##_A, .b = name_##_b, .c = name_##_c, \
    .order = order_

static const double explicit_euler_A[] = {0}, explicit_euler_b[] = {1}, explicit_euler_c[] = {0};
static const pcs_tableau explicit_euler = {TABLEAU(explicit_euler, 1, 1)};

static const double midpoint_A[] = {0, 0, 0.5, 0}, midpoint_b[] = {0, 1}, midpoint_c[] = {0, 0.5};
static const pcs_tableau midpoint = {TABLEAU(midpoint, 2, 2)};

static const double ralston_A[] = {0, 0, 2.0 / 3, 0}, ralston_b[] = {0.25, 0.75},
                    ralston_c[] = {0, 2.0 / 3};
static const pcs_tableau ralston = {TABLEAU(ralston, 2, 2)};

static const double heun_A[] = {0, 0, 1, 0}, heun_b[] = {0.5, 0.5}, heun_c[] = {0, 1};
static const pcs_tableau heun = {TABLEAU(heun, 2, 2)};

static const double kutta3_A[] = {0, 0, 0, 0.5, 0, 0, -1, 2, 0},
                    kutta3_b[] = {1.0 / 6, 2.0 / 3, 1.0 / 6}, kutta3_c[] = {0, 0.5, 1};
static const pcs_tableau kutta3 = {TABLEAU(kutta3, 3, 3)};

static const double heun3_A[] = {0, 0, 0, 1.0 / 3, 0, 0, 0, 2.0 / 3, 0},
                    heun3_b[] = {0.25, 0, 0.75}, heun3_c[] = {0, 1.0 / 3, 2.0 / 3};
static const pcs_tableau heun3 = {TABLEAU(heun3, 3, 3)};

static const double rk4_A[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0},
                    rk4_b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, rk4_c[] = {0, 0.5, 0.5, 1};
static const pcs_tableau rk4 = {TABLEAU(rk4, 4, 4)};

// Bogacki, Shampine 1989, A 3(2) pair of Runge-Kutta formulas. The cubic Hermite polynomial already
// has its order
static const double bogacki_shampine_A[] = {0,       0,       0,       0, //
                                            0.5,     0,       0,       0, //
                                            0,       0.75,    0,       0, //
                                            2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
static const double bogacki_shampine_b[] = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0},
                    bogacki_shampine_b_hat[] = {7.0 / 24, 0.25, 1.0 / 3, 0.125},
                    bogacki_shampine_c[] = {0, 0.5, 0.75, 1};
static const pcs_tableau bogacki_shampine = {TABLEAU(bogacki_shampine, 4, 3),
                                             .b_hat = bogacki_shampine_b_hat, .order_hat = 2};

// Dormand, Prince 1980, A family of embedded Runge-Kutta formulae
#define DP_B1 (35.0 / 384)
#define DP_B3 (500.0 / 1113)
#define DP_B4 (125.0 / 192)
#define DP_B5 (-2187.0 / 6784)
#define DP_B6 (11.0 / 84)
static const double dormand_prince_A[7][7] = {
    {0},
    {0.2},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {DP_B1, 0, DP_B3, DP_B4, DP_B5, DP_B6}};
static const double dormand_prince_b[] = {DP_B1, 0, DP_B3, DP_B4, DP_B5, DP_B6, 0};
static const double dormand_prince_b_hat[] = {
    5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40};
static const double dormand_prince_c[] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};

// The quartic of Hairer, Norsett, Wanner, Solving ODE I, II.6, as in their program DOPRI5: the
// cubic through both ends with their slopes, plus d theta^2 (1 - theta)^2, for each weight
//     theta b + theta (1 - theta) (first - b) + theta^2 (1 - theta) (2 b - first - last)
//             + theta^2 (1 - theta)^2 d
// where first and last are 1 in the first and the last stage, else 0
#define DP_QUARTIC(b, first, last, d) \
    (first), 3 * (b)-2 * (first) - (last) + (d), -2 * (b) + (first) + (last)-2 * (d), (d)
static const double dormand_prince_dense[] = {
    DP_QUARTIC(DP_B1, 1, 0, -12715105075.0 / 11282082432),  //
    DP_QUARTIC(0, 0, 0, 0.0),                               //
    DP_QUARTIC(DP_B3, 0, 0, 87487479700.0 / 32700410799),   //
    DP_QUARTIC(DP_B4, 0, 0, -10690763975.0 / 1880347072),   //
    DP_QUARTIC(DP_B5, 0, 0, 701980252875.0 / 199316789632), //
    DP_QUARTIC(DP_B6, 0, 0, -1453857185.0 / 822651844),     //
    DP_QUARTIC(0, 0, 1, 69997945.0 / 29380423)};
static const pcs_tableau dormand_prince = {TABLEAU(dormand_prince, 7, 5),
                                           .b_hat = dormand_prince_b_hat, .order_hat = 4,
                                           .dense = dormand_prince_dense, .degree = 4};

// the straight line and the parabola through which these two collocate
static const double implicit_euler_A[] = {1}, implicit_euler_b[] = {1}, implicit_euler_c[] = {1},
                    implicit_euler_dense[] = {1};
static const pcs_tableau implicit_euler = {
    TABLEAU(implicit_euler, 1, 1), .dense = implicit_euler_dense, .degree = 1, .collocation = true};

static const double trapezoid_A[] = {0, 0, 0.5, 0.5}, trapezoid_b[] = {0.5, 0.5},
                    trapezoid_c[] = {0, 1}, trapezoid_dense[] = {1, -0.5, 0, 0.5};
static const pcs_tableau trapezoid = {TABLEAU(trapezoid, 2, 2), .dense = trapezoid_dense,
                                      .degree = 2, .collocation = true};

static const double sdirk4_A[5][5] = {{1. / 4},
                                      {1. / 2, 1. / 4},
                                      {17. / 50, -1. / 25, 1. / 4},
                                      {371. / 1360, -137. / 2720, 15. / 544, 1. / 4},
                                      {25. / 24, -49. / 48, 125. / 16, -85. / 12, 1. / 4}},
                    sdirk4_b_hat[] = {59. / 48, -17. / 96, 225. / 32, -85. / 12, 0},
                    sdirk4_c[] = {1. / 4, 3. / 4, 11. / 20, 1. / 2, 1};
static const pcs_tableau sdirk4 = {.name = "sdirk4",
                                   .s = 5,
                                   .A = &sdirk4_A[0][0],
                                   .b = sdirk4_A[4],
                                   .c = sdirk4_c,
                                   .order = 4,
                                   .b_hat = sdirk4_b_hat,
                                   .order_hat = 3};

#define NAMED(X)        \
    X(explicit_euler)   \
    X(midpoint)         \
    X(ralston)          \
    X(heun)             \
    X(kutta3)           \
    X(heun3)            \
    X(rk4)              \
    X(bogacki_shampine) \
    X(dormand_prince)   \
    X(implicit_euler)   \
    X(trapezoid)        \
    X(sdirk4)

#define X(method)                                 \
    const pcs_tableau *pcs_tableau_##method(void) \
    {                                             \
        return &method;                           \
    }
NAMED(X)
#undef X

#define X(method) &method,
static const pcs_tableau *const named[] = {NAMED(X)};
#undef X

int pcs_tableau_count(void)
{
    return (int)(sizeof named / sizeof *named);
}

const pcs_tableau *pcs_tableau_at(int i)
{
    return i >= 0 && i < pcs_tableau_count() ? named[i] : NULL;
}

// ---- tableaus with arrays of their own

typedef struct owned {
    pcs_tableau tableau; // first member: users have a pointer to it
    pcs_env env;
    double number[];
} owned;

pcs_tableau *tableau_alloc(const pcs_env *env, const char *name, int s, bool pair, int degree,
                           tableau_arrays *arrays)
{
    const size_t n = (size_t)s, dense = n * (size_t)degree;
    const size_t numbers = n * n + 2 * n + (pair ? n : 0) + dense;
    const size_t bytes = sizeof(owned) + numbers * sizeof(double) + strlen(name) + 1;
    owned *t = pcs_env_alloc(env, 1, bytes);
    if (!t) return NULL;

    if (env) t->env = *env;
    double *at = t->number;
    arrays->A = at;
    arrays->b = at += n * n;
    arrays->c = at += n;
    at += n;
    arrays->b_hat = pair ? at : NULL;
    at += pair ? n : 0;
    arrays->dense = degree > 0 ? at : NULL;
    at += dense;
    strcpy((char *)at, name);
    t->tableau = (pcs_tableau){.name = (const char *)at,
                               .s = s,
                               .A = arrays->A,
                               .b = arrays->b,
                               .c = arrays->c,
                               .b_hat = arrays->b_hat,
                               .dense = arrays->dense,
                               .degree = degree};
    return &t->tableau;
}

void pcs_tableau_destroy(pcs_tableau *tableau)
{
    if (!tableau) return;
    owned *t = (owned *)tableau;
    const pcs_env env = t->env;
    pcs_env_free(&env, t);
}

static pcs_status copy(const pcs_env *env, const pcs_tableau *from, pcs_tableau **out)
{
    tableau_arrays to;
    pcs_tableau *t =
        tableau_alloc(env, from->name, from->s, from->b_hat != NULL, from->degree, &to);
    if (!t) return pcs_fail_memory("pcs_tableau_create_named");

    const size_t n = (size_t)from->s;
    memcpy(to.A, from->A, n * n * sizeof(double));
    memcpy(to.b, from->b, n * sizeof(double));
    memcpy(to.c, from->c, n * sizeof(double));
    if (to.b_hat) memcpy(to.b_hat, from->b_hat, n * sizeof(double));
    if (to.dense) memcpy(to.dense, from->dense, n * (size_t)from->degree * sizeof(double));
    t->order = from->order;
    t->order_hat = from->order_hat;
    t->collocation = from->collocation;
    *out = t;
    return PCS_OK;
}

// the number after the prefix (3 in "gauss3"); 0 for other names
static int stages_of(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || !isdigit((unsigned char)name[n])) return 0;
    char *end;
    const long s = strtol(name + n, &end, 10);
    return *end == '\0' && s >= 1 && s <= PCS_TABLEAU_STAGES_MAX ? (int)s : 0;
}

pcs_status pcs_tableau_create_named(const pcs_env *env, const char *name, pcs_tableau **out)
{
    if (!out || !name) {
        return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_named: name or out is null");
    }
    *out = NULL;
    for (int i = 0; i < pcs_tableau_count(); ++i) {
        if (strcmp(name, named[i]->name) == 0) return copy(env, named[i], out);
    }
    const int gauss = stages_of(name, "gauss"), radau = stages_of(name, "radau");
    if (gauss > 0) return pcs_tableau_create_gauss(env, gauss, out);
    if (radau > 0) return pcs_tableau_create_radau(env, radau, out);

#define X(method) #method ", "
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_tableau_create_named: no method \"%.40s\"; there are " NAMED(
                        X) "gaussS and radauS with S stages, 1 to %d",
                    name, PCS_TABLEAU_STAGES_MAX);
#undef X
}

// ---- families

pcs_status pcs_tableau_create_second_order(const pcs_env *env, double alpha, pcs_tableau **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_second_order: out is null");
    *out = NULL;
    const double b2 = 0.5 / alpha;
    if (!isfinite(alpha) || !isfinite(b2)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_tableau_create_second_order: alpha is %g; the weight 1 / (2 alpha) "
                        "must be finite",
                        alpha);
    }
    tableau_arrays to;
    pcs_tableau *t = tableau_alloc(env, "second_order", 2, false, 0, &to);
    if (!t) return pcs_fail_memory("pcs_tableau_create_second_order");

    to.A[2] = to.c[1] = alpha;
    to.b[0] = 1 - b2;
    to.b[1] = b2;
    t->order = 2;
    *out = t;
    return PCS_OK;
}

pcs_status pcs_tableau_create_third_order(const pcs_env *env, double u, double v, pcs_tableau **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_third_order: out is null");
    *out = NULL;
    const double a32 = v * (v - u) / (u * (2 - 3 * u));
    const double b2 = (2 - 3 * v) / (6 * u * (u - v)), b3 = (2 - 3 * u) / (6 * v * (v - u));
    // the quotients are not finite when a divisor is zero or nearly zero
    if (!isfinite(u) || !isfinite(v) || !isfinite(a32) || !isfinite(b2) || !isfinite(b3)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_tableau_create_third_order: u = %g, v = %g; the nodes must not be "
                        "zero nor equal, and u not 2/3",
                        u, v);
    }
    tableau_arrays to;
    pcs_tableau *t = tableau_alloc(env, "third_order", 3, false, 0, &to);
    if (!t) return pcs_fail_memory("pcs_tableau_create_third_order");

    to.A[3] = to.c[1] = u;
    to.A[6] = v - a32;
    to.A[7] = a32;
    to.c[2] = v;
    to.b[0] = 1 - b2 - b3;
    to.b[1] = b2;
    to.b[2] = b3;
    t->order = 3;
    *out = t;
    return PCS_OK;
}

// ---- the check

// tolerance of sums, in units of their terms: printed tableaus often have 16 digits or less, and a
// wrong one is off by far more
#define CHECK_TOL 1e-12

pcs_status tableau_check_shape(const pcs_tableau *t, const char *where)
{
    if (!t) return pcs_fail(PCS_ERR_ARG, "%s: the tableau is null", where);
    if (t->s < 1 || t->s > PCS_TABLEAU_STAGES_MAX) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d stages; there must be 1 to %d", where, t->s,
                        PCS_TABLEAU_STAGES_MAX);
    }
    if (!t->A || !t->b || !t->c) {
        return pcs_fail(PCS_ERR_ARG, "%s: %s is null", where, !t->A ? "A" : (!t->b ? "b" : "c"));
    }
    if (t->order < 1) {
        return pcs_fail(PCS_ERR_ARG, "%s: order is %d; it must be positive", where, t->order);
    }
    if (t->b_hat && t->order_hat < 1) {
        return pcs_fail(PCS_ERR_ARG, "%s: order_hat is %d; it must be positive", where,
                        t->order_hat);
    }
    if (t->dense && (t->degree < 1 || t->degree > PCS_TABLEAU_STAGES_MAX)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the dense output has degree %d; it must be 1 to %d",
                        where, t->degree, PCS_TABLEAU_STAGES_MAX);
    }
    return PCS_OK;
}

// true when the sum of the n numbers x is `want`, to the tolerance
static bool sums_to(int n, const double *x, double want, double *sum)
{
    double size = fabs(want);
    *sum = 0;
    for (int i = 0; i < n; ++i) {
        *sum += x[i];
        size += fabs(x[i]);
    }
    return fabs(*sum - want) <= CHECK_TOL * fmax(1, size);
}

static pcs_status check_weights(const pcs_tableau *t, const double *b, const char *name)
{
    double sum;
    if (sums_to(t->s, b, 1, &sum)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_tableau_check: the weights %s sum to %.15g; they must sum to 1, since an "
                    "inconsistent method does not converge",
                    name, sum);
}

// the integrals of the Lagrange polynomials must end at b: not so if nodes coincide
static pcs_status check_collocation(const pcs_tableau *t)
{
    double b[PCS_TABLEAU_STAGES_MAX], size = 1;
    PCS_TRY(pcs_tableau_weights(t, 1, b));
    for (int i = 0; i < t->s; ++i) {
        size += fabs(t->b[i]);
    }
    for (int i = 0; i < t->s; ++i) {
        if (!(fabs(b[i] - t->b[i]) <= CHECK_TOL * size)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_tableau_check: collocation on these nodes has the weight %.15g in "
                            "stage %d, but b is %.15g there",
                            b[i], i + 1, t->b[i]);
        }
    }
    return PCS_OK;
}

static double size_of(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += fabs(x[i]);
    }
    return fmax(1, sum);
}

// Step sizes depend on the claimed order: its conditions must hold, checked up to order 5. Each is
// a sum of products of one weight and order - 1 entries of A.
static pcs_status check_order(const pcs_tableau *t, const double *b, int claimed, const char *name)
{
    double row = 1, tol = 1e-12 * size_of(t->s, b);
    for (int i = 0; i < t->s; ++i) {
        row = fmax(row, size_of(t->s, t->A + (size_t)t->s * (size_t)i));
    }
    for (int order = 2; order <= claimed && order <= 5; ++order) {
        double residual[9];
        tol *= row;
        PCS_TRY(pcs_tableau_residuals(t, b, order, residual));
        for (int k = 0; k < pcs_tableau_condition_count(order); ++k) {
            if (fabs(residual[k]) <= tol) continue;
            return pcs_fail(
                PCS_ERR_ARG,
                "pcs_tableau_check: %s is declared to have order %d, but condition %d of order %d "
                "has the error %.3g; correct the table, or declare order %d",
                name, claimed, k + 1, order, residual[k], order - 1);
        }
    }
    return PCS_OK;
}

pcs_status pcs_tableau_check(const pcs_tableau *tableau)
{
    PCS_TRY(tableau_check_shape(tableau, "pcs_tableau_check"));
    const pcs_tableau *t = tableau;
    const size_t n = (size_t)t->s;

    if (!pcs_all_finite(t->A, n * n) || !pcs_all_finite(t->b, n) || !pcs_all_finite(t->c, n) ||
        (t->b_hat && !pcs_all_finite(t->b_hat, n)) ||
        (t->dense && !pcs_all_finite(t->dense, n * (size_t)t->degree))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_tableau_check: not all coefficients are finite");
    }
    PCS_TRY(check_weights(t, t->b, "b"));
    if (t->b_hat) PCS_TRY(check_weights(t, t->b_hat, "b_hat"));

    for (int i = 0; i < t->s; ++i) {
        double sum;
        if (!sums_to(t->s, t->A + n * (size_t)i, t->c[i], &sum)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_tableau_check: row %d of A sums to %.15g, but c is %.15g there",
                            i + 1, sum, t->c[i]);
        }
        if (t->dense &&
            !sums_to(t->degree, t->dense + (size_t)t->degree * (size_t)i, t->b[i], &sum)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_tableau_check: the dense output of stage %d ends at %.15g, but b "
                            "is %.15g there",
                            i + 1, sum, t->b[i]);
        }
    }
    PCS_TRY(check_order(t, t->b, t->order, "b"));
    if (t->b_hat) PCS_TRY(check_order(t, t->b_hat, t->order_hat, "b_hat"));
    return t->collocation && !t->dense ? check_collocation(t) : PCS_OK;
}

// ---- properties

bool pcs_tableau_is_explicit(const pcs_tableau *tableau)
{
    if (tableau_check_shape(tableau, "pcs_tableau_is_explicit") != PCS_OK) return false;
    for (int i = 0; i < tableau->s; ++i) {
        for (int j = i; j < tableau->s; ++j) {
            if (tableau->A[tableau->s * i + j] != 0) return false;
        }
    }
    return true;
}

bool pcs_tableau_is_stiffly_accurate(const pcs_tableau *tableau)
{
    if (tableau_check_shape(tableau, "pcs_tableau_is_stiffly_accurate") != PCS_OK) return false;
    // a table entered by hand may have rounding differences
    const double tol = 1e-15;
    const int s = tableau->s;
    for (int j = 0; j < s; ++j) {
        const double b = tableau->b[j];
        if (!(fabs(tableau->A[s * (s - 1) + j] - b) <= tol * fmax(1, fabs(b)))) return false;
    }
    return fabs(tableau->c[s - 1] - 1) <= tol;
}

double pcs_tableau_cost(const pcs_tableau *tableau, double tol, double c)
{
    if (!tableau || tableau->order < 1) return NAN;
    return tableau->s * pow(tol / c, -1.0 / tableau->order);
}
