// Primal-dual interior point with the scaling of Nesterov and Todd and Mehrotra's corrector,
// started from any y:
//
//     Q y + c - G' z = 0,   s - G y - h = 0,   s o z = 0
//
// S with S z = S^-1 s = l, and the step (dy, ds, dz) of S dz + S^-1 ds = t:
//
//     (Q + G' S^-2 G) dy = -rd + G' S^-1 (t + S^-1 rp),   ds = G dy - rp,   dz = S^-1 (t - S^-1 ds)
//
// L. Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010.
#include "certificate/cone_program.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"

#define ITERS   200
#define GOAL    1e-13 // relative error of the conditions
#define TO_EDGE 0.99  // step length as a fraction of the distance to the boundary
#define IDLE    25    // iterations without progress
#define INSIDE  0.1   // least distance from the boundary at the start, relative to the size

typedef struct scaling {
    double w[3], eta; // S = eta (2 v v' - J) in the form of w, see apply
} scaling;

typedef struct state {
    const cone_program *p;
    double *s, *z, *l;   // m
    double *ds, *dz, *t; // m
    double *rp, *a;      // m
    double *y, *dy, *rd; // k
    double *M, *GS;      // k x k, m x k
    scaling *S;          // nb
    double size_c, size_h;
} state;

size_t cone_program_bytes(int m, int k, int nb)
{
    const size_t rows = (size_t)m, n = (size_t)k;
    return (8 * rows + 3 * n + n * n + rows * n) * sizeof(double) + (size_t)nb * sizeof(scaling) +
           14 * 64;
}

static bool take(state *x, pcs_arena *a)
{
    const size_t m = (size_t)x->p->m, k = (size_t)x->p->k;
    x->S = PCS_TAKE(a, (size_t)x->p->nb, scaling);
    x->M = PCS_TAKE(a, k * k, double);
    x->GS = PCS_TAKE(a, m * k, double);
    double **const rows[] = {&x->s, &x->z, &x->l, &x->ds, &x->dz, &x->t, &x->rp, &x->a};
    double **const unknowns[] = {&x->y, &x->dy, &x->rd};
    bool good = x->S && x->M && x->GS;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        good = (*rows[i] = PCS_TAKE(a, m, double)) && good;
    }
    for (size_t i = 0; i < sizeof unknowns / sizeof *unknowns; ++i) {
        good = (*unknowns[i] = PCS_TAKE(a, k, double)) && good;
    }
    return good;
}

// ---- one cone ----------------------------------------------------------------------------------

static double tangent(int d, const double *x)
{
    return d == 1 ? 0 : d == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

static double det(int d, const double *x)
{
    const double t = tangent(d, x);
    return d == 1 ? x[0] * x[0] : (x[0] - t) * (x[0] + t);
}

// w of length 1 in the metric J, and eta
static void scale(int d, const double *s, const double *z, scaling *S)
{
    const double a = sqrt(det(d, s)), b = sqrt(det(d, z));
    const double g = sqrt((1 + dense_dot(d, s, z) / (a * b)) / 2);
    S->eta = sqrt(a / b);
    S->w[0] = (s[0] / a + z[0] / b) / (2 * g);
    for (int c = 1; c < d; ++c) {
        S->w[c] = (s[c] / a - z[c] / b) / (2 * g);
    }
    if (d == 1) S->w[0] = 1;
}

// y = S x, or S^-1 x; y may be x
static void apply(int d, const scaling *S, bool inverse, const double *x, double *y)
{
    const double sign = inverse ? -1 : 1, size = inverse ? 1 / S->eta : S->eta, x0 = x[0];
    double wx = 0;
    for (int c = 1; c < d; ++c) {
        wx += sign * S->w[c] * x[c];
    }
    const double along = x0 + wx / (1 + S->w[0]);
    y[0] = size * (S->w[0] * x0 + wx);
    for (int c = 1; c < d; ++c) {
        y[c] = size * (x[c] + sign * S->w[c] * along);
    }
}

// y = a o b
static void product(int d, const double *a, const double *b, double *y)
{
    const double first = dense_dot(d, a, b), a0 = a[0], b0 = b[0];
    for (int c = 1; c < d; ++c) {
        y[c] = a0 * b[c] + b0 * a[c];
    }
    y[0] = first;
}

// y with l o y = x; y may be x
static void divide(int d, const double *l, const double *x, double *y)
{
    if (d == 1) {
        y[0] = x[0] / l[0];
        return;
    }
    double lx = 0;
    for (int c = 1; c < d; ++c) {
        lx += l[c] * x[c];
    }
    const double y0 = (l[0] * x[0] - lx) / det(d, l);
    for (int c = 1; c < d; ++c) {
        y[c] = (x[c] - l[c] * y0) / l[0];
    }
    y[0] = y0;
}

// the largest t <= most with x + t dx in the cone
static double reach(int d, const double *x, const double *dx, double most)
{
    double t = most;
    if (dx[0] < 0 && -x[0] / dx[0] < t) t = -x[0] / dx[0];
    if (d == 1) return t;
    const double A = dx[0] * dx[0] - dense_dot(d - 1, dx + 1, dx + 1);
    const double B = x[0] * dx[0] - dense_dot(d - 1, x + 1, dx + 1);
    const double C = det(d, x), D = B * B - A * C;
    if (D < 0) return t;
    const double q = -(B + copysign(sqrt(D), B)), t1 = q / A, t2 = C / q;
    if (t1 > 0 && t1 < t) t = t1;
    if (t2 > 0 && t2 < t) t = t2;
    return t;
}

// ---- the program ---------------------------------------------------------------------------------

static double norm(int n, const double *x)
{
    return sqrt(dense_dot(n, x, x));
}

// moves x into the cones by a multiple of their units, if it is not well within them
static void move_in(const cone_program *p, double *x)
{
    double out = -INFINITY, size = 0;
    for (int b = 0, i = 0; b < p->nb; i += p->dim[b++]) {
        const double t = tangent(p->dim[b], x + i);
        out = fmax(out, t - x[i]);
        size = fmax(size, fmax(fabs(x[i]), t));
    }
    if (out < -INSIDE * size) return;
    const double shift = out > 0 ? out + (size > 0 ? size : 1) : size > 0 ? size : 1;
    for (int b = 0, i = 0; b < p->nb; i += p->dim[b++]) {
        x[i] += shift;
    }
}

// Q + G' G, with a weight on directions that move no cone
static bool factorise_sum(state *x, const double *G)
{
    const cone_program *p = x->p;
    const size_t k = (size_t)p->k;
    dense_mul_dense(true, false, p->k, p->k, p->m, 1, G, G, 0, x->M);
    double most = 0;
    for (size_t i = 0; p->Q && i < k * k; ++i) {
        x->M[i] += p->Q[i];
    }
    for (size_t i = 0; i < k; ++i) {
        if (x->M[i * (k + 1)] > most) most = x->M[i * (k + 1)];
    }
    for (size_t i = 0; i < k; ++i) {
        x->M[i * (k + 1)] += DBL_EPSILON * most;
    }
    return dense_cholesky(p->k, x->M);
}

// start: the shortest s and z that satisfy the equations, moved into the cones; y belongs to s
static bool begin(state *x)
{
    const cone_program *p = x->p;
    x->size_h = 1 + norm(p->m, p->h);
    x->size_c = 1 + norm(p->k, p->c);
    if (!factorise_sum(x, p->G)) return false;

    memset(x->y, 0, (size_t)p->k * sizeof *x->y);
    dense_mul_dense(true, false, p->k, 1, p->m, -1, p->G, p->h, 0, x->y);
    dense_cholesky_solve(p->k, x->M, x->y);
    memcpy(x->s, p->h, (size_t)p->m * sizeof *x->s);
    dense_mul(p->m, p->k, 1, p->G, x->y, 1, x->s);

    memcpy(x->dy, p->c, (size_t)p->k * sizeof *x->dy);
    dense_cholesky_solve(p->k, x->M, x->dy);
    dense_mul(p->m, p->k, 1, p->G, x->dy, 0, x->z);
    move_in(p, x->s);
    move_in(p, x->z);
    return true;
}

// computes rd and rp; returns the error of the conditions
static double residual(state *x, double *gap)
{
    const cone_program *p = x->p;
    memcpy(x->rd, p->c, (size_t)p->k * sizeof *x->rd);
    if (p->Q) dense_mul(p->k, p->k, 1, p->Q, x->y, 1, x->rd);
    dense_mul_dense(true, false, p->k, 1, p->m, -1, p->G, x->z, 1, x->rd);
    dense_mul(p->m, p->k, -1, p->G, x->y, 0, x->rp);
    for (int i = 0; i < p->m; ++i) {
        x->rp[i] += x->s[i] - p->h[i];
    }
    *gap = dense_dot(p->m, x->s, x->z);
    const double value = fabs(dense_dot(p->k, p->c, x->y));
    const double d = norm(p->k, x->rd) / x->size_c, r = norm(p->m, x->rp) / x->size_h;
    const double g = *gap / (1 + value), worst = d > r || isnan(d) ? d : r;
    return g > worst || isnan(g) ? g : worst;
}

// scalings, l, GS = S^-1 G and the factor of M
static bool factorise(state *x)
{
    const cone_program *p = x->p;
    const size_t m = (size_t)p->m, k = (size_t)p->k;
    for (int b = 0, i = 0; b < p->nb; i += p->dim[b++]) {
        scale(p->dim[b], x->s + i, x->z + i, &x->S[b]);
        apply(p->dim[b], &x->S[b], false, x->z + i, x->l + i);
        for (size_t c = 0; c < k; ++c) {
            apply(p->dim[b], &x->S[b], true, p->G + (size_t)i + m * c, x->GS + (size_t)i + m * c);
        }
    }
    return factorise_sum(x, x->GS);
}

// the step for the right side t
static void step(state *x)
{
    const cone_program *p = x->p;
    for (int b = 0, i = 0; b < p->nb; i += p->dim[b++]) {
        apply(p->dim[b], &x->S[b], true, x->rp + i, x->a + i);
        for (int c = i; c < i + p->dim[b]; ++c) {
            x->a[c] += x->t[c];
        }
    }
    memcpy(x->dy, x->rd, (size_t)p->k * sizeof *x->dy);
    dense_mul_dense(true, false, p->k, 1, p->m, 1, x->GS, x->a, -1, x->dy);
    dense_cholesky_solve(p->k, x->M, x->dy);

    memcpy(x->ds, x->rp, (size_t)p->m * sizeof *x->ds);
    dense_mul(p->m, p->k, 1, p->G, x->dy, -1, x->ds);
    for (int b = 0, i = 0; b < p->nb; i += p->dim[b++]) {
        apply(p->dim[b], &x->S[b], true, x->ds + i, x->a + i);
        for (int c = i; c < i + p->dim[b]; ++c) {
            x->a[c] = x->t[c] - x->a[c];
        }
        apply(p->dim[b], &x->S[b], true, x->a + i, x->dz + i);
    }
}

static double longest(const state *x, double most)
{
    double t = most;
    for (int b = 0, i = 0; b < x->p->nb; i += x->p->dim[b++]) {
        t = reach(x->p->dim[b], x->s + i, x->ds + i, t);
        t = reach(x->p->dim[b], x->z + i, x->dz + i, t);
    }
    return t;
}

// t = l \ (-l o l - (S^-1 ds) o (S dz) + mu e) after the affine step
static void correct(state *x, double mu)
{
    for (int b = 0, i = 0; b < x->p->nb; i += x->p->dim[b++]) {
        const int d = x->p->dim[b];
        double a[3], z[3], second[3], first[3];
        apply(d, &x->S[b], true, x->ds + i, a);
        apply(d, &x->S[b], false, x->dz + i, z);
        product(d, a, z, second);
        product(d, x->l + i, x->l + i, first);
        for (int c = 0; c < d; ++c) {
            first[c] = -first[c] - second[c] + (c == 0 ? mu : 0);
        }
        divide(d, x->l + i, first, x->t + i);
    }
}

static bool iterate(state *x, double gap)
{
    const cone_program *p = x->p;
    if (!factorise(x)) return false;
    for (int i = 0; i < p->m; ++i) {
        x->t[i] = -x->l[i];
    }
    step(x);
    const double affine = longest(x, 1), left = 1 - affine;
    correct(x, left * left * left * gap / p->nb);
    step(x);
    const double t = TO_EDGE * longest(x, 1 / TO_EDGE);
    if (!(t > 1e-12)) return false;
    for (int i = 0; i < p->m; ++i) {
        x->s[i] += t * x->ds[i];
        x->z[i] += t * x->dz[i];
    }
    for (int i = 0; i < p->k; ++i) {
        x->y[i] += t * x->dy[i];
    }
    return true;
}

double cone_program_solve(const cone_program *p, pcs_arena work, double *y, double *z)
{
    state x = {.p = p};
    if (!take(&x, &work)) return INFINITY;
    double best = INFINITY, gap;
    memset(y, 0, (size_t)p->k * sizeof *y);
    if (z) memset(z, 0, (size_t)p->m * sizeof *z);
    if (!begin(&x)) return INFINITY;
    for (int k = 0, idle = 0; k < ITERS && idle < IDLE; ++k) {
        const double value = residual(&x, &gap);
        ++idle;
        if (value < best) {
            if (value < best / 2) idle = 0;
            best = value;
            memcpy(y, x.y, (size_t)p->k * sizeof *y);
            if (z) memcpy(z, x.z, (size_t)p->m * sizeof *z);
        }
        if (!(value > GOAL) || !iterate(&x, gap)) break;
    }
    return best;
}
