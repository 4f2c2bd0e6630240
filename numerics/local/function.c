// Complementarity functions of one block, r and u in one unit.
//
// With s(u) = u + mu |u_T| e_N and D(R) the disc of radius R:
//
//     natural map       F = r - P_K(r - s(u))
//     Alart-Curnier     F_N = r_N - max(0, y_N),  F_T = r_T - P_D(R)(y_T),  y = r - u,
//                       R = mu max(0, y_N)
//     Jean-Moreau       the same with R = mu max(0, r_N)
//     Fischer-Burmeister  F = x + z - (x o x + z o z)^(1/2),  x = (mu r_N, r_T),
//                       z = (s(u)_N / mu, u_T), o and the root those of the second-order cone
//
// P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like
// solution methods, Comput. Methods Appl. Mech. Engrg. 92, 1991.
// M. Fukushima, Z.-Q. Luo, P. Tseng, Smoothing functions for second-order-cone complementarity
// problems, SIAM J. Optim. 12, 2002.
#include "local/function.h"

#include <float.h>
#include <stdbool.h>

#include "cone/cone.h"

const char *const function_words[] = {"fischer-burmeister", "natural-map", "alart-curnier",
                                      "jean-moreau"};

// 1 - 1/sqrt(2), the Fischer-Burmeister slope at (0, 0)
#define KINK 0.2928932188134524
// the smaller root of x o x + z o z is kept above this part of the larger
#define LEAST_ROOT 1e-9

// M (d x d) = x I
static void diagonal(int d, double x, double *M)
{
    for (int i = 0; i < d * d; ++i) {
        M[i] = i % (d + 1) == 0 ? x : 0;
    }
}

// M += x e_N w^T, w_N = 0
static void add_normal_row(int d, double x, const double *w, double *M)
{
    for (int j = 1; j < d; ++j) {
        M[d * j] += x * w[j];
    }
}

// w = the unit vector along x_T, zero when x_T is zero; w_N = 0
static double tangent(int d, const double *x, double *w)
{
    const double t = cone_tangent(d, x);
    w[0] = 0;
    for (int c = 1; c < d; ++c) {
        w[c] = t > 0 ? x[c] / t : 0;
    }
    return t;
}

// C = A B
static void product(int d, const double *A, const double *B, double *C)
{
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            double sum = 0;
            for (int k = 0; k < d; ++k) {
                sum += A[i + d * k] * B[k + d * j];
            }
            C[i + d * j] = sum;
        }
    }
}

// ---- natural map -------------------------------------------------------------------------------

// an element of the generalised Jacobian of P_K at y
static void projection_slope(int d, double mu, const double *y, double *P)
{
    double e[3];
    const double t = tangent(d, y, e);
    if (y[0] >= 0 && t <= mu * y[0]) {
        diagonal(d, 1, P);
        return;
    }
    if (mu * t <= -y[0]) {
        diagonal(d, 0, P);
        return;
    }
    // v v^T / |v|^2 along the border, v = (1, mu e), and the rotation of e; divided by mu when it
    // is large
    const double k = mu > 1 ? 1 / mu : mu, side = 1 + k * k;
    double v[3] = {mu > 1 ? k : 1};
    for (int c = 1; c < d; ++c) {
        v[c] = (mu > 1 ? 1 : k) * e[c];
    }
    const double a = mu > 1 ? (k * y[0] + t) / side : (mu * y[0] + mu * mu * t) / side;
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            P[i + d * j] = v[i] * v[j] / side;
            if (i > 0 && j > 0) P[i + d * j] += a / t * ((i == j) - e[i] * e[j]);
        }
    }
}

static void natural(int d, double mu, const double *r, const double *u, double *F, double *A,
                    double *B)
{
    cone_natural_coulomb(d, mu, 1, r, u, F);
    if (!A) return;
    double w[3], y[3], P[9];
    const double t = tangent(d, u, w);
    for (int c = 0; c < d; ++c) {
        y[c] = r[c] - u[c];
    }
    y[0] -= mu * t;
    projection_slope(d, mu, y, P);

    // A = P S with S = I + mu e_N w^T, B = I - P
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            A[i + d * j] = P[i + d * j] + mu * P[i] * w[j];
            B[i + d * j] = (i == j) - P[i + d * j];
        }
    }
}

// ---- Alart-Curnier, Jean-Moreau ----------------------------------------------------------------

static void disc(bool jean_moreau, int d, double mu, const double *r, const double *u, double *F,
                 double *A, double *B)
{
    double y[3], e[3];
    for (int c = 0; c < d; ++c) {
        y[c] = r[c] - u[c];
    }
    const double t = tangent(d, y, e);
    const bool closed = y[0] > 0;
    const double load = jean_moreau ? r[0] : y[0], R = load > 0 ? mu * load : 0;
    const bool stick = t <= R && R > 0;
    F[0] = closed ? u[0] : r[0];
    for (int c = 1; c < d; ++c) {
        F[c] = stick ? u[c] : r[c] - R * e[c];
    }
    if (!A) return;

    // tangential part of dP/dy, and the part from the radius: -mu e^T in the columns of r_N and y_N
    diagonal(d, 0, A);
    A[0] = closed;
    for (int j = 1; j < d; ++j) {
        for (int i = 1; i < d; ++i) {
            A[i + d * j] = stick ? i == j : R > 0 ? R / t * ((i == j) - e[i] * e[j]) : 0;
        }
    }
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            B[i + d * j] = (i == j) - A[i + d * j];
        }
    }
    for (int i = 1; i < d && !stick && load > 0; ++i) {
        B[i] -= mu * e[i];
        if (!jean_moreau) A[i] += mu * e[i];
    }
}

// ---- Fischer-Burmeister ------------------------------------------------------------------------

// X <- L^-1 X for d columns, L = [g, h^T; h, g I] the product with (g, h): its inverse by the
// determinant g^2 - |h|^2 = roots[0] roots[1]
static void divide_by(int d, const double *g, double det, double *X)
{
    for (int j = 0; j < d; ++j) {
        double *x = X + d * j, along = 0;
        for (int c = 1; c < d; ++c) {
            along += g[c] * x[c];
        }
        const double x0 = (g[0] * x[0] - along) / det;
        for (int c = 1; c < d; ++c) {
            x[c] = (x[c] - g[c] * x0) / g[0];
        }
        x[0] = x0;
    }
}

// M = the matrix of y -> x o y
static void arrow(int d, const double *x, double *M)
{
    diagonal(d, x[0], M);
    for (int c = 1; c < d; ++c) {
        M[c] = M[d * c] = x[c];
    }
}

// F = x + z - root(x o x + z o z), X = dF/dx, Z = dF/dz
static void fischer_cone(int d, const double *x, const double *z, double *F, double *X, double *Z)
{
    double w[3] = {0}, e[3], g[3];
    for (int c = 0; c < d; ++c) {
        w[0] += x[c] * x[c] + z[c] * z[c];
        if (c > 0) w[c] = 2 * (x[0] * x[c] + z[0] * z[c]);
    }
    const double t = tangent(d, w, e), high = sqrt(w[0] + t);
    if (!(high > 0)) {
        for (int c = 0; c < d; ++c) {
            F[c] = x[c] + z[c];
        }
        if (X) diagonal(d, KINK, X);
        if (X) diagonal(d, KINK, Z);
        return;
    }
    // w_0 - |w_T| without cancellation when it is small: the sum of squares (x_0 - e x_T)^2 + |x_T
    // - (e x_T) e|^2 of x, and of z
    double low2 = 0;
    if (t > 0) {
        const double *of[2] = {x, z};
        for (int k = 0; k < 2; ++k) {
            double along = 0, across = 0;
            for (int c = 1; c < d; ++c) {
                along += e[c] * of[k][c];
            }
            for (int c = 1; c < d; ++c) {
                const double o = of[k][c] - along * e[c];
                across += o * o;
            }
            low2 += (of[k][0] - along) * (of[k][0] - along) + across;
        }
    } else {
        low2 = w[0];
    }
    double low = sqrt(low2);
    for (int c = 0; c < d; ++c) {
        g[c] = c == 0 ? 0.5 * (high + low) : 0.5 * (high - low) * e[c];
        F[c] = x[c] + z[c] - g[c];
    }
    if (!X) return;

    // the root is not differentiable here: the slope at a point nearby
    if (low < LEAST_ROOT * high) low = LEAST_ROOT * high;
    for (int c = 0; c < d; ++c) {
        g[c] = c == 0 ? 0.5 * (high + low) : 0.5 * (high - low) * e[c];
    }
    arrow(d, x, X);
    arrow(d, z, Z);
    divide_by(d, g, high * low, X);
    divide_by(d, g, high * low, Z);
    for (int j = 0; j < d; ++j) {
        for (int i = 0; i < d; ++i) {
            X[i + d * j] = (i == j) - X[i + d * j];
            Z[i + d * j] = (i == j) - Z[i + d * j];
        }
    }
}

static void fischer(int d, double mu, const double *r, const double *u, double *F, double *A,
                    double *B)
{
    double x[3], z[3], w[3], Z[9], S[9];
    const double t = tangent(d, u, w);
    for (int c = 0; c < d; ++c) {
        x[c] = c == 0 ? mu * r[0] : r[c];
        z[c] = c == 0 ? u[0] / mu + t : u[c];
    }
    fischer_cone(d, x, z, F, B, Z);
    if (!A) return;
    // the chain rule: dx/dr = diag(mu, 1, 1), dz/du = diag(1/mu, 1, 1) + e_N w^T
    for (int i = 0; i < d; ++i) {
        B[i] *= mu;
    }
    diagonal(d, 1, S);
    S[0] = 1 / mu;
    add_normal_row(d, 1, w, S);
    product(d, Z, S, A);
}

static void fischer_row(double r, double u, double *F, double *A, double *B)
{
    // without cancellation: a + b - h = 2ab / (a + b + h) where a + b > 0
    const double h = hypot(r, u);
    *F = r + u > 0 ? 2 * r * (u / (r + u + h)) : r + u - h;
    if (!A) return;
    *A = h > 0 ? 1 - u / h : KINK;
    *B = h > 0 ? 1 - r / h : KINK;
}

// ---- entries -----------------------------------------------------------------------------------

void function_unilateral(pcs_newton_function f, double r, double u, double *F, double *A, double *B)
{
    if (f == PCS_NEWTON_FUNCTION_FB) {
        fischer_row(r, u, F, A, B);
        return;
    }
    *F = cone_min(r, u);
    if (!A) return;
    *A = !(r < u);
    *B = r < u;
}

void function_coulomb(pcs_newton_function f, int d, double mu, const double *r, const double *u,
                      double *F, double *A, double *B)
{
    if (mu == 0) {
        if (A) diagonal(d, 0, A);
        if (B) diagonal(d, 1, B);
        function_unilateral(f, r[0], u[0], F, A, B);
        for (int c = 1; c < d; ++c) {
            F[c] = r[c];
        }
        return;
    }
    switch (f) {
    case PCS_NEWTON_FUNCTION_FB:
        fischer(d, mu, r, u, F, A, B);
        break;
    case PCS_NEWTON_FUNCTION_NATURAL:
        natural(d, mu, r, u, F, A, B);
        break;
    case PCS_NEWTON_FUNCTION_AC:
    case PCS_NEWTON_FUNCTION_JM:
        disc(f == PCS_NEWTON_FUNCTION_JM, d, mu, r, u, F, A, B);
        break;
    }
}
