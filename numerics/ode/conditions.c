// Order conditions of Runge-Kutta methods, one for each rooted tree t (Butcher 1963; Hairer,
// Norsett, Wanner, Solving ODE I, II.2):
//     sum_i b_i Phi_i(t) = 1 / gamma(t).
// Phi of a leaf is 1; a vertex has the product over its children t_k of (A Phi(t_k))_i; gamma is
// the product over all vertices of the size of the subtree of each.
//
// The trees of n vertices are their level sequences (the distance from the root, depth first) in
// the order of Beyer and Hedetniemi, Constant time generation of rooted trees, 1980.
#include "ode/tableau.h"

#include <math.h>

#include "ode/legendre.h"

#define MOST_ORDER 8

typedef struct tree {
    int n;
    int level[MOST_ORDER];
} tree;

// the path: the first tree of its size
static tree first_tree(int n)
{
    tree t = {.n = n};
    for (int i = 0; i < n; ++i) {
        t.level[i] = i;
    }
    return t;
}

// The last vertex that is not next to the root moves up; the vertices after it repeat the branch
// that ended there. False after the last tree, the bush
static bool next_tree(tree *t)
{
    int p = t->n - 1;
    while (p > 0 && t->level[p] <= 1) {
        --p;
    }
    if (p <= 0) return false;

    int q = p - 1;
    while (t->level[q] != t->level[p] - 1) {
        --q;
    }
    for (int i = p; i < t->n; ++i) {
        t->level[i] = t->level[i - (p - q)];
    }
    return true;
}

int pcs_tableau_condition_count(int order)
{
    if (order < 1 || order > MOST_ORDER) return 0;
    tree t = first_tree(order);
    int n = 1;
    while (next_tree(&t)) {
        ++n;
    }
    return n;
}

// b.Phi(t) - 1 / gamma(t)
static double residual_of(const tree *t, const pcs_tableau *m, const double *b)
{
    double phi[MOST_ORDER][PCS_TABLEAU_STAGES_MAX], gamma = 1;
    int size[MOST_ORDER];
    for (int k = 0; k < t->n; ++k) {
        size[k] = 1;
        for (int i = 0; i < m->s; ++i) {
            phi[k][i] = 1;
        }
    }
    // children come after their parents: in reverse order each is complete when its parent uses it
    for (int k = t->n - 1; k > 0; --k) {
        int parent = k - 1;
        while (t->level[parent] != t->level[k] - 1) {
            --parent;
        }
        gamma *= size[k];
        size[parent] += size[k];
        for (int i = 0; i < m->s; ++i) {
            double sum = 0;
            for (int j = 0; j < m->s; ++j) {
                sum += m->A[m->s * i + j] * phi[k][j];
            }
            phi[parent][i] *= sum;
        }
    }
    gamma *= size[0];

    double sum = 0;
    for (int i = 0; i < m->s; ++i) {
        sum += b[i] * phi[0][i];
    }
    return sum - 1 / gamma;
}

pcs_status pcs_tableau_residuals(const pcs_tableau *tableau, const double *b, int order,
                                 double *residual)
{
    PCS_TRY(tableau_check_shape(tableau, "pcs_tableau_residuals"));
    if (order < 1 || order > MOST_ORDER || !residual) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_tableau_residuals: order is %d, or the array for the residuals is "
                        "null; conditions are known for orders 1 to %d",
                        order, MOST_ORDER);
    }
    tree t = first_tree(order);
    int n = 0;
    do {
        residual[n++] = residual_of(&t, tableau, b ? b : tableau->b);
    } while (next_tree(&t));
    return PCS_OK;
}

int pcs_tableau_order(const pcs_tableau *tableau, const double *b, double tol)
{
    if (tableau_check_shape(tableau, "pcs_tableau_order") != PCS_OK) return 0;
    for (int order = 1; order <= MOST_ORDER; ++order) {
        tree t = first_tree(order);
        do {
            // not <=, so that NaN satisfies no condition
            const double r = residual_of(&t, tableau, b ? b : tableau->b);
            if (!(fabs(r) <= tol)) return order - 1;
        } while (next_tree(&t));
    }
    return MOST_ORDER;
}

// ---- simplifying assumptions
//
//     B(p):    sum_i b_i c_i^{k-1}      = 1 / k                     k = 1 .. p
//     C(eta):  sum_j a_ij c_j^{k-1}     = c_i^k / k                 k = 1 .. eta
//     D(zeta): sum_i b_i c_i^{k-1} a_ij = b_j (1 - c_j^k) / k       k = 1 .. zeta
//
// mean that polynomials below a degree are integrated exactly, in any basis. Powers are a bad
// basis: on [0, 1] those of degree 40 and 41 are so nearly dependent that a wrong method passes.
// With Legendre polynomials the residual has the size of the terms.

// true when sum vanishes, relative to its terms (or to 1)
static bool vanishes(double sum, double size, double tol)
{
    return fabs(sum) <= tol * fmax(1, size);
}

// the integral of P_k from 0 to where its values are P
static double integral(int k, const double *P, double c)
{
    return k == 0 ? c : (P[k + 1] - P[k - 1]) / (2 * (2 * k + 1));
}

#define MOST PCS_TABLEAU_STAGES_MAX

typedef struct basis {
    double P[MOST][2 * MOST + 1]; // P[i][k]: P_k(c_i)
} basis;

static bool holds_B(const pcs_tableau *t, const basis *at, int k, double tol)
{
    double sum = k == 0 ? -1 : 0, size = 0;
    for (int i = 0; i < t->s; ++i) {
        const double term = t->b[i] * at->P[i][k];
        sum += term;
        size += fabs(term);
    }
    return vanishes(sum, size, tol);
}

static bool holds_C(const pcs_tableau *t, const basis *at, int k, double tol)
{
    for (int i = 0; i < t->s; ++i) {
        double sum = -integral(k, at->P[i], t->c[i]), size = fabs(sum);
        for (int j = 0; j < t->s; ++j) {
            const double term = t->A[t->s * i + j] * at->P[j][k];
            sum += term;
            size += fabs(term);
        }
        if (!vanishes(sum, size, tol)) return false;
    }
    return true;
}

static bool holds_D(const pcs_tableau *t, const basis *at, int k, double tol)
{
    for (int j = 0; j < t->s; ++j) {
        const double rest = (k == 0 ? 1 : 0) - integral(k, at->P[j], t->c[j]);
        double sum = -t->b[j] * rest, size = fabs(sum);
        for (int i = 0; i < t->s; ++i) {
            const double term = t->b[i] * at->P[i][k] * t->A[t->s * i + j];
            sum += term;
            size += fabs(term);
        }
        if (!vanishes(sum, size, tol)) return false;
    }
    return true;
}

// number of k = 0, 1, .. below `most` that hold
static int count(bool (*holds)(const pcs_tableau *, const basis *, int, double),
                 const pcs_tableau *t, const basis *at, int most, double tol)
{
    int k = 0;
    while (k < most && holds(t, at, k, tol)) {
        ++k;
    }
    return k;
}

int pcs_tableau_simplifying(const pcs_tableau *tableau, double tol, int *p, int *eta, int *zeta)
{
    int B = 0, C = 0, D = 0;
    if (tableau_check_shape(tableau, "pcs_tableau_simplifying") == PCS_OK) {
        const int s = tableau->s;
        basis at;
        for (int i = 0; i < s; ++i) {
            legendre_values(2 * s, tableau->c[i], 1 - tableau->c[i], at.P[i]);
        }
        B = count(holds_B, tableau, &at, 2 * s, tol);
        C = count(holds_C, tableau, &at, s, tol);
        D = count(holds_D, tableau, &at, s, tol);
    }
    if (p) *p = B;
    if (eta) *eta = C;
    if (zeta) *zeta = D;
    const int order = C + D + 1 < 2 * C + 2 ? C + D + 1 : 2 * C + 2;
    return B < order ? B : order;
}
