// Collocation methods: the polynomial of degree s through x with slope f at the nodes c_i,
//     a_ij = integral_0^{c_i} l_j,  b_j = integral_0^1 l_j,  b_j(theta) = integral_0^theta l_j
// with the Lagrange polynomials l_j of the nodes (Hairer, Norsett, Wanner, Solving ODE I, II.7).
//
// At the nodes of Gauss and Radau the Legendre polynomials are orthogonal also as sums, thus
// l_j = b_j sum_k (2 k + 1) P_k(c_j) P_k, and integrated (the W-transformation, Hairer, Wanner,
// Solving ODE II, IV.5)
//     a_ij = b_j [ c_i + 1/2 sum_{k=1}^{s-1} P_k(c_j) (P_{k+1}(c_i) - P_{k-1}(c_i)) ].
// At other nodes l_j is the product that defines it, which is accurate for any nodes; its integral
// is a Gauss quadrature, exact for degree s - 1.
#include "ode/tableau.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ode/legendre.h"

#define MOST PCS_TABLEAU_STAGES_MAX

// the largest error of sums of powers; beyond it dense output uses pcs_tableau_weights
#define DENSE_TOL 1e-12

// ---- Lagrange polynomials

// prod_{k != j} (c_j - c_k), the divisors of l_j
static void divisors(int s, const double *c, double *divisor)
{
    for (int j = 0; j < s; ++j) {
        divisor[j] = 1;
        for (int k = 0; k < s; ++k) {
            if (k != j) divisor[j] *= c[j] - c[k];
        }
    }
}

// b_j = the integrals of l_j from 0 to theta with the quadrature of m nodes x and weights w
static void integrate(int s, const double *c, const double *divisor, double theta, int m,
                      const double *x, const double *w, double *b)
{
    double l[MOST];
    memset(b, 0, (size_t)s * sizeof *b);
    for (int q = 0; q < m; ++q) {
        // the product over the other nodes: those before times those after
        double before = theta * w[q], after = 1;
        for (int j = 0; j < s; ++j) {
            l[j] = before;
            before *= theta * x[q] - c[j];
        }
        for (int j = s - 1; j >= 0; --j) {
            b[j] += l[j] * after;
            after *= theta * x[q] - c[j];
        }
    }
    for (int j = 0; j < s; ++j) {
        b[j] /= divisor[j];
    }
}

// Coefficients of b_j(theta). Those of l_j are the elementary symmetric sums of the other nodes
// with alternating signs: sums of positive numbers, hence all accurate. The sum at theta loses the
// rounding of its largest term; the sum of the sizes for the worst stage is returned
static double powers(int s, const double *c, double *dense)
{
    double worst = 0, divisor[MOST];
    divisors(s, c, divisor);
    for (int j = 0; j < s; ++j) {
        double e[MOST] = {1};
        for (int k = 0, n = 0; k < s; ++k) {
            if (k == j) continue;
            // one factor (x - c_k) more: e[p] goes with x^(n - p)
            for (int p = ++n; p > 0; --p) {
                e[p] -= c[k] * e[p - 1];
            }
        }
        double size = 0;
        for (int p = 0; p < s; ++p) {
            const double d = e[p] / divisor[j] / (s - p);
            dense[s * j + s - p - 1] = d;
            size += fabs(d);
        }
        if (!(size <= worst)) worst = size;
    }
    return worst;
}

// ---- tableaus

// A collocation tableau with its nodes, and with dense output if sums of powers are accurate enough
static pcs_status begin(const pcs_env *env, const char *name, int s, const double *c,
                        pcs_tableau **out, tableau_arrays *to)
{
    double dense[MOST * MOST];
    const bool short_sums = DBL_EPSILON * powers(s, c, dense) <= DENSE_TOL;
    pcs_tableau *t = tableau_alloc(env, name, s, false, short_sums ? s : 0, to);
    if (!t) return pcs_fail_memory("pcs_tableau_create_collocation");

    memcpy(to->c, c, (size_t)s * sizeof *c);
    if (to->dense) memcpy(to->dense, dense, (size_t)s * (size_t)s * sizeof *dense);
    t->collocation = true;
    *out = t;
    return PCS_OK;
}

// the rows of A where Legendre polynomials are orthogonal on the nodes
static void fill_orthogonal(int s, const double *b, const double *c, double *A)
{
    double P[MOST][MOST + 1];
    for (int i = 0; i < s; ++i) {
        legendre_values(s, c[i], 1 - c[i], P[i]);
    }
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < s; ++j) {
            double sum = 0;
            for (int k = s - 1; k > 0; --k) {
                sum += P[j][k] * (P[i][k + 1] - P[i][k - 1]);
            }
            A[s * i + j] = b[j] * (c[i] + 0.5 * sum);
        }
    }
}

static pcs_status create_orthogonal(const pcs_env *env, int s, pcs_tableau **out, bool radau)
{
    const char *kind = radau ? "radau" : "gauss";
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_%s: out is null", kind);
    *out = NULL;
    if (s < 1 || s > MOST) {
        return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_%s: %d stages; there must be 1 to %d",
                        kind, s, MOST);
    }
    char name[16];
    snprintf(name, sizeof name, "%s%d", kind, s);
    double c[MOST], b[MOST];
    if (radau) {
        legendre_radau(s, c, b);
    } else {
        legendre_gauss(s, c, b);
    }

    tableau_arrays to;
    PCS_TRY(begin(env, name, s, c, out, &to));
    memcpy(to.b, b, (size_t)s * sizeof *b);
    fill_orthogonal(s, b, c, to.A);
    // the last stage is the end of the step, to the last bit
    if (radau) memcpy(to.A + s * (s - 1), b, (size_t)s * sizeof *b);
    (*out)->order = radau ? 2 * s - 1 : 2 * s;
    return PCS_OK;
}

pcs_status pcs_tableau_create_gauss(const pcs_env *env, int s, pcs_tableau **out)
{
    return create_orthogonal(env, s, out, false);
}

pcs_status pcs_tableau_create_radau(const pcs_env *env, int s, pcs_tableau **out)
{
    return create_orthogonal(env, s, out, true);
}

// The order: s, plus one for every polynomial of degree 0, 1, ... that is orthogonal to M = prod
// (tau - c_i). The rounding of the nodes changes the integrals by that part of their terms
static int order_of(int s, const double *c)
{
    const double tol = 1e-12;
    double x[MOST], w[MOST], P[MOST + 1], sum[MOST] = {0}, size[MOST] = {0};
    legendre_gauss(s, x, w);
    for (int q = 0; q < s; ++q) {
        double M = w[q];
        for (int i = 0; i < s; ++i) {
            M *= x[q] - c[i];
        }
        legendre_values(s, x[q], 1 - x[q], P);
        for (int k = 0; k < s; ++k) {
            sum[k] += M * P[k];
            size[k] += fabs(M * P[k]);
        }
    }
    int order = s;
    while (order < 2 * s && fabs(sum[order - s]) <= tol * size[order - s]) {
        ++order;
    }
    return order;
}

static pcs_status check_nodes(int s, const double *c)
{
    for (int i = 0; i < s; ++i) {
        if (!(c[i] >= 0 && c[i] <= 1) || (i > 0 && !(c[i] > c[i - 1]))) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_tableau_create_collocation: node %d is %g; nodes must lie in [0, "
                            "1] and ascend",
                            i + 1, c[i]);
        }
    }
    return PCS_OK;
}

pcs_status pcs_tableau_create_collocation(const pcs_env *env, int s, const double *c,
                                          pcs_tableau **out)
{
    if (!out || !c) {
        return pcs_fail(PCS_ERR_ARG, "pcs_tableau_create_collocation: nodes or out is null");
    }
    *out = NULL;
    if (s < 1 || s > MOST) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_tableau_create_collocation: %d stages; there must be 1 to %d", s,
                        MOST);
    }
    PCS_TRY(check_nodes(s, c));

    tableau_arrays to;
    pcs_tableau *t;
    PCS_TRY(begin(env, "collocation", s, c, &t, &to));
    double x[MOST], w[MOST], divisor[MOST];
    const int m = (s + 1) / 2;
    legendre_gauss(m, x, w);
    divisors(s, c, divisor);
    for (int i = 0; i < s; ++i) {
        integrate(s, c, divisor, c[i], m, x, w, to.A + s * i);
    }
    integrate(s, c, divisor, 1, m, x, w, to.b);
    if (c[s - 1] == 1) memcpy(to.A + s * (s - 1), to.b, (size_t)s * sizeof(double));
    t->order = order_of(s, c);

    // the weights of nodes that nearly coincide overflow
    const pcs_status checked = pcs_tableau_check(t);
    if (checked != PCS_OK) {
        pcs_tableau_destroy(t);
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_tableau_create_collocation: the nodes are too close to each other");
    }
    *out = t;
    return PCS_OK;
}

// ---- dense output

pcs_status pcs_tableau_weights(const pcs_tableau *tableau, double theta, double *b)
{
    const char *where = "pcs_tableau_weights";
    PCS_TRY(tableau_check_shape(tableau, where));
    if (!b || !isfinite(theta)) {
        return pcs_fail(PCS_ERR_ARG, "%s: theta is %g, or the array for the weights is null", where,
                        theta);
    }
    const int s = tableau->s, n = tableau->degree;
    if (tableau->dense) {
        for (int i = 0; i < s; ++i) {
            double sum = 0;
            for (int k = n; k > 0; --k) {
                sum = (sum + tableau->dense[n * i + k - 1]) * theta;
            }
            b[i] = sum;
        }
        return PCS_OK;
    }
    if (!tableau->collocation) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "%s: %s has no dense output of its own; use the cubic through both ends "
                        "with their slopes",
                        where, tableau->name ? tableau->name : "this tableau");
    }
    double x[MOST], w[MOST], divisor[MOST];
    const int m = (s + 1) / 2;
    legendre_gauss(m, x, w);
    divisors(s, tableau->c, divisor);
    integrate(s, tableau->c, divisor, theta, m, x, w, b);
    return PCS_OK;
}
