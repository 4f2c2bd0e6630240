// One contact with friction, exactly.
//
// Open: q_N >= 0, r = 0. Stick: r = -W^-1 q in K. Slide: with d a unit vector in the tangent
// plane and (k1, k2) along (1, mu),
//
//     r = l (k1, k2 d),   u_N = 0:   l = -q_N / D,   D = k1 W_NN + k2 W_NT d
//     u_T = g / D,   g(d) = k1 b + k2 A d,   b = W_NN q_T - q_N W_TN,   A = q_T W_NT - q_N W_TT
//
// so that d is a zero of F(d) = d' . g(d), where d' is d rotated by a right angle, with D > 0 and
// nu = -d . g(d) >= 0: u_T points against d. Along the angle F has the derivative nu + k2 d'.A d',
// and it is a trigonometric polynomial of degree two. Newton's method from the last direction comes
// first. If it fails, all roots are computed: with t the tangent of half the angle, (1 + t^2)^2 F
// is a polynomial of degree four; t in [-1, 1] covers half of the circle, -d the other half.
#include "local/coulomb.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "cone/cone.h"
#include "linalg/lu.h"

// W is singular when a pivot or singular value is below this part of the largest
#define RANK_TOL 1e-13
// F counts as zero below this part of the terms summed in it
#define ZERO_TOL     (8 * DBL_EPSILON)
#define NEWTON_STEPS 12
// a root of the polynomial is one of F when F is below this part
#define ROOT_TOL 1e-11
// the inverse is rejected when a correction is larger than this part of r
#define REFINE_TOL 1e-3
// largest residual of a solution when the terms of F cancel
#define ACCEPT_TOL 1e-11
// bounds of |q|, beyond which products with W are scaled first
#define SMALL 1e-70
#define LARGE 1e70

// ---- preparation -------------------------------------------------------------------------------

static void multiply(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0;
        for (int j = 0; j < n; ++j) {
            y[i] += A[i + n * j] * x[j];
        }
    }
}

static bool invert(int n, const double *W, double *X)
{
    double lu[9];
    int piv[3];
    memcpy(lu, W, (size_t)(n * n) * sizeof *W);
    if (!lu_factor(n, lu, piv)) return false;
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; ++i) {
        const double pivot = fabs(lu[i + n * i]);
        if (pivot < least) least = pivot;
        if (pivot > most) most = pivot;
    }
    if (!(least > RANK_TOL * most)) return false;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            X[i + n * j] = i == j;
        }
        lu_solve(n, lu, piv, X + (size_t)n * (size_t)j);
    }
    return true;
}

// X = V S^+ U': columns of W V are made orthogonal by rotations (one-sided Jacobi)
static void pseudo_invert(int n, const double *W, double *X)
{
    double A[9], V[9] = {0}, norm[3], most = 0;
    memcpy(A, W, (size_t)(n * n) * sizeof *W);
    for (int i = 0; i < n; ++i) {
        V[i + n * i] = 1;
    }
    for (int pass = 0; pass < 12; ++pass) {
        for (int i = 0; i < n; ++i) {
            for (int j = i + 1; j < n; ++j) {
                double a = 0, b = 0, g = 0;
                for (int k = 0; k < n; ++k) {
                    a += A[k + n * i] * A[k + n * i];
                    b += A[k + n * j] * A[k + n * j];
                    g += A[k + n * i] * A[k + n * j];
                }
                if (g == 0) continue;
                const double z = (b - a) / (2 * g);
                const double t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z));
                const double c = 1 / sqrt(1 + t * t), s = c * t;
                for (int k = 0; k < n; ++k) {
                    const double x = A[k + n * i], v = V[k + n * i];
                    A[k + n * i] = c * x - s * A[k + n * j];
                    A[k + n * j] = s * x + c * A[k + n * j];
                    V[k + n * i] = c * v - s * V[k + n * j];
                    V[k + n * j] = s * v + c * V[k + n * j];
                }
            }
        }
    }
    for (int k = 0; k < n; ++k) {
        norm[k] = 0;
        for (int i = 0; i < n; ++i) {
            norm[k] += A[i + n * k] * A[i + n * k];
        }
        if (norm[k] > most) most = norm[k];
    }
    memset(X, 0, (size_t)(n * n) * sizeof *X);
    for (int k = 0; k < n; ++k) {
        if (!(norm[k] > RANK_TOL * RANK_TOL * most)) continue;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                X[i + n * j] += V[i + n * k] * (A[j + n * k] / norm[k]);
            }
        }
    }
}

void contact_prepare(contact *c, int dim, double mu, const double *D, int ld, double spare)
{
    *c = (contact){.mu = mu, .dim = dim};
    double trace = 0, most = 0;
    for (int j = 0; D && j < dim; ++j) {
        for (int i = 0; i < dim; ++i) {
            const double x = D[i + (size_t)ld * (size_t)j];
            c->W[i + dim * j] = x;
            if (fabs(x) > most) most = fabs(x);
        }
        trace += c->W[j + dim * j] / dim;
    }
    c->s = trace > DBL_EPSILON * most ? trace : spare;
    if (most == 0) return;

    // W is scaled to numbers of order one: it may be as large or small as a double, and normal and
    // tangents may differ by decades
    double scaled[9], e[3] = {1, 1, 1};
    for (int i = 0; i < dim; ++i) {
        const double x = fabs(c->W[i + dim * i]);
        e[i] = sqrt(x > DBL_EPSILON * most ? x : most);
    }
    for (int k = 0; k < dim * dim; ++k) {
        scaled[k] = c->W[k] / e[k % dim] / e[k / dim];
    }
    c->regular = invert(dim, scaled, c->inverse);
    for (int k = 0; k < dim * dim; ++k) {
        c->inverse[k] = c->inverse[k] / e[k % dim] / e[k / dim];
        if (!isfinite(c->inverse[k])) c->regular = false;
    }
    if (c->regular) return;

    for (int k = 0; k < dim * dim; ++k) {
        scaled[k] = c->W[k] / most;
    }
    pseudo_invert(dim, scaled, c->inverse);
    for (int k = 0; k < dim * dim; ++k) {
        c->inverse[k] /= most;
    }
}

// ---- measures ----------------------------------------------------------------------------------

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        if (fabs(x[i]) > most || isnan(x[i])) most = fabs(x[i]);
    }
    return most;
}

static void velocity(const contact *c, const double *q, const double *r, double *u)
{
    multiply(c->dim, c->W, r, u);
    for (int i = 0; i < c->dim; ++i) {
        u[i] += q[i];
    }
}

double contact_residual(const contact *c, const double *q, const double *r)
{
    double u[3] = {0}, f[3] = {0}, size = 0, sum = 0, q2 = 0;
    multiply(c->dim, c->W, r, u);
    const double most = largest(c->dim, q), wr = largest(c->dim, u);
    const double unit = most > wr || isnan(most) ? most : wr;
    for (int i = 0; i < c->dim; ++i) {
        size += u[i] / unit * (u[i] / unit);
        q2 += q[i] / unit * (q[i] / unit);
        u[i] += q[i];
    }
    cone_violation_coulomb(c->dim, c->mu, c->s, r, u, f);
    const double part = largest(c->dim, f);
    if (part == 0) return 0;
    for (int i = 0; i < c->dim; ++i) {
        sum += f[i] / unit * (f[i] / unit);
    }
    return sqrt(sum / (q2 > size ? q2 : size));
}

static bool within(const contact *c, const double *r)
{
    return r[0] >= 0 && cone_tangent(c->dim, r) <= c->mu * r[0];
}

// ---- stick -------------------------------------------------------------------------------------

static bool stick(const contact *c, const double *q, double *r)
{
    double u[3] = {0}, dr[3] = {0};
    const int n = c->dim;
    if (c->regular) {
        // a second step restores the digits that an inverse loses
        multiply(n, c->inverse, q, r);
        for (int i = 0; i < n; ++i) {
            r[i] = -r[i];
        }
        velocity(c, q, r, u);
        multiply(n, c->inverse, u, dr);
        double moved = 0, size = 0;
        for (int i = 0; i < n; ++i) {
            r[i] -= dr[i];
            moved += fabs(dr[i]);
            size += fabs(r[i]);
        }
        return moved <= REFINE_TOL * size && within(c, r);
    }

    // the r with u = 0 nearest the start, and the one nearest zero
    const double start[3] = {r[0], r[1], n == 3 ? r[2] : 0};
    for (int from = 0; from < 2; ++from) {
        for (int i = 0; i < n; ++i) {
            r[i] = from == 0 ? start[i] : 0;
        }
        for (int k = 0; k < 2; ++k) {
            velocity(c, q, r, u);
            multiply(n, c->inverse, u, dr);
            for (int i = 0; i < n; ++i) {
                r[i] -= dr[i];
            }
        }
        velocity(c, q, r, u);
        if (within(c, r) && largest(n, u) <= ACCEPT_TOL * largest(n, q)) return true;
    }
    return false;
}

// ---- slide -------------------------------------------------------------------------------------

// F and its terms for one q
typedef struct slide {
    double b[2];      // k1 b
    double A[4];      // k2 A, column-major
    double NN, NT[2]; // k1 W_NN, k2 W_NT
    double k1, k2;
    double q;    // -q_N
    double size; // size of the terms of F
} slide;

static slide slide_of(const contact *c, const double *q)
{
    const double *W = c->W;
    slide s = {.q = -q[0]};
    // the direction (1, mu), scaled so that it does not overflow
    s.k1 = c->mu <= 1 ? 1 : 1 / c->mu;
    s.k2 = c->mu <= 1 ? c->mu : 1;
    s.NN = s.k1 * W[0];
    for (int i = 0; i < 2; ++i) {
        s.NT[i] = s.k2 * W[3 * i + 3];
        s.b[i] = s.NN * q[i + 1] - q[0] * (s.k1 * W[i + 1]);
        for (int j = 0; j < 2; ++j) {
            s.A[i + 2 * j] = s.k2 * (q[i + 1] * W[3 * j + 3] - q[0] * W[i + 1 + 3 * (j + 1)]);
        }
    }
    s.size =
        fabs(s.b[0]) + fabs(s.b[1]) + fabs(s.A[0]) + fabs(s.A[1]) + fabs(s.A[2]) + fabs(s.A[3]);
    return s;
}

// F, its derivative along the angle, and nu
static double slide_value(const slide *s, const double d[2], double *slope, double *nu)
{
    const double g0 = s->b[0] + s->A[0] * d[0] + s->A[2] * d[1];
    const double g1 = s->b[1] + s->A[1] * d[0] + s->A[3] * d[1];
    *nu = -(d[0] * g0 + d[1] * g1);
    *slope =
        *nu + s->A[0] * d[1] * d[1] + s->A[3] * d[0] * d[0] - (s->A[1] + s->A[2]) * d[0] * d[1];
    return d[0] * g1 - d[1] * g0;
}

// r on the border of K in direction d; false when r_N would be negative
static bool slide_impulse(const slide *s, const double d[2], double *r)
{
    const double x = s->NT[0] * d[0], y = s->NT[1] * d[1], D = s->NN + x + y;
    if (!(D > ZERO_TOL * (fabs(s->NN) + fabs(x) + fabs(y)))) return false;
    const double l = s->q / D;
    r[0] = l * s->k1;
    r[1] = l * s->k2 * d[0];
    r[2] = l * s->k2 * d[1];
    return true;
}

static void turn(double d[2], double by)
{
    const double x = d[0] - by * d[1], y = d[1] + by * d[0], size = sqrt(x * x + y * y);
    d[0] = x / size;
    d[1] = y / size;
}

// Newton's method from d; true when F is zero with the right sign of u_T
static bool slide_newton(const slide *s, double d[2])
{
    double slope, nu;
    for (int k = 0; k < NEWTON_STEPS; ++k) {
        const double F = slide_value(s, d, &slope, &nu);
        if (fabs(F) <= ZERO_TOL * s->size) return nu >= 0;
        if (!(slope > 0)) return false;
        const double step = -F / slope;
        turn(d, step > 1 ? 1 : step < -1 ? -1 : step);
    }
    return false;
}

static double polynomial(int n, const double *p, double t)
{
    double y = p[n];
    for (int k = n - 1; k >= 0; --k) {
        y = y * t + p[k];
    }
    return y;
}

// the zero between a and b, where the signs differ
static double between(int n, const double *p, double a, double b)
{
    const bool rises = polynomial(n, p, b) > 0;
    double t = 0.5 * (a + b);
    for (int k = 0; k < 100 && t > a && t < b; ++k) {
        const double y = polynomial(n, p, t);
        if (y == 0) return t;
        if ((y > 0) == rises) {
            b = t;
        } else {
            a = t;
        }
        // a Newton step if it stays inside and shrinks the interval, else bisection
        double slope = n * p[n];
        for (int j = n - 1; j >= 1; --j) {
            slope = slope * t + j * p[j];
        }
        const double next = t - y / slope;
        t = k % 3 < 2 && next > a && next < b ? next : 0.5 * (a + b);
    }
    return t;
}

int contact_roots(int n, const double *p, double *root)
{
    if (n < 1) return 0;
    double size = 0, derivative[4], edge[9];
    for (int k = 0; k <= n; ++k) {
        size += fabs(p[k]);
        if (k > 0) derivative[k - 1] = k * p[k];
    }
    if (!(size > 0)) return 0;

    int m = 1 + contact_roots(n - 1, derivative, edge + 1), count = 0;
    edge[0] = -1;
    edge[m] = 1;
    for (int k = 0; k <= m; ++k) {
        // an end or an extremum that is zero to rounding
        const double y = polynomial(n, p, edge[k]);
        const bool zero = fabs(y) <= ZERO_TOL * size;
        if (zero && (count == 0 || root[count - 1] < edge[k])) root[count++] = edge[k];
        if (k == m || zero) continue;
        const double z = polynomial(n, p, edge[k + 1]);
        if (fabs(z) > ZERO_TOL * size && (y > 0) != (z > 0)) {
            root[count++] = between(n, p, edge[k], edge[k + 1]);
        }
    }
    return count;
}

// finds every direction in which F may vanish; returns their number
static int slide_directions(const slide *s, double dir[][2])
{
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1 : -1, b0 = sign * s->b[0], b1 = sign * s->b[1];
        const double e = s->A[3] - s->A[0];
        const double p[5] = {s->A[1] + b1, 2 * (e - b0), -2 * s->A[1] - 4 * s->A[2], -2 * (e + b0),
                             s->A[1] - b1};
        double t[7];
        const int m = contact_roots(4, p, t);
        for (int k = 0; k < m; ++k, ++count) {
            const double f = sign / (1 + t[k] * t[k]);
            dir[count][0] = (1 - t[k] * t[k]) * f;
            dir[count][1] = 2 * t[k] * f;
        }
    }
    return count;
}

// selects r among all roots of F: of those that solve the contact the one nearest d, else the one
// with the least residual, which is returned
static double slide_everywhere(const contact *c, const slide *s, const double *q, const double d[2],
                               double *r)
{
    double dir[15][2], best = INFINITY, near = -INFINITY;
    int count = slide_directions(s, dir);
    memcpy(dir[count++], d, sizeof dir[0]);
    for (int k = 0; k < count; ++k) {
        double x[3], slope, nu, to[2] = {dir[k][0], dir[k][1]};
        // two steps restore the last digits
        double F = slide_value(s, to, &slope, &nu);
        for (int j = 0; j < 2 && fabs(F) < 1e-3 * fabs(slope); ++j) {
            turn(to, -F / slope);
            F = slide_value(s, to, &slope, &nu);
        }
        // with little friction any direction has a small residual
        if (!(fabs(F) <= ROOT_TOL * s->size) || !slide_impulse(s, to, x)) continue;
        const double residual = contact_residual(c, q, x), along = to[0] * d[0] + to[1] * d[1];
        const bool solves = residual <= ACCEPT_TOL, had = best <= ACCEPT_TOL;
        if (solves && had ? along > near : residual < best) {
            best = residual;
            near = along;
            memcpy(r, x, sizeof x);
        }
    }
    return best;
}

// ---- the whole contact -------------------------------------------------------------------------

// d = x / |x|, or false when x is zero
static bool direction(const double *x, double d[2])
{
    const double size = sqrt(x[0] * x[0] + x[1] * x[1]);
    if (!(size > 0) || !isfinite(size)) return false;
    d[0] = x[0] / size;
    d[1] = x[1] / size;
    return true;
}

// no law holds: the best of a few points
static contact_mode best_effort(const contact *c, const double *q, const double *start,
                                const double *stuck, double slid, double *r)
{
    double least = slid, x[3];
    for (int k = 0; k < 3; ++k) {
        memcpy(x, k == 0 ? stuck : start, sizeof x);
        if (k == 2) contact_fixed_point(c, q, 1, x);
        cone_project_coulomb(c->dim, c->mu, x);
        const double residual = contact_residual(c, q, x);
        if (residual < least) {
            least = residual;
            memcpy(r, x, (size_t)c->dim * sizeof *r);
        }
    }
    if (!isfinite(least)) memset(r, 0, (size_t)c->dim * sizeof *r);
    return least <= ACCEPT_TOL ? CONTACT_STICK : CONTACT_NONE;
}

// a contact in the plane has two directions
static contact_mode solve_planar(const contact *c, const double *q, const double *start,
                                 const double *stuck, double *r)
{
    const double k1 = c->mu <= 1 ? 1 : 1 / c->mu, k2 = c->mu <= 1 ? c->mu : 1, *W = c->W;
    double best = INFINITY;
    const double first = start[1] != 0 ? start[1] : stuck[1];
    for (int k = 0; k < 2; ++k) {
        const double d = (first < 0) == (k == 0) ? -1 : 1;
        const double a = k1 * W[0], b = k2 * d * W[2], D = a + b;
        if (!(D > ZERO_TOL * (fabs(a) + fabs(b)))) continue;
        const double x[2] = {-q[0] / D * k1, -q[0] / D * k2 * d};
        const double residual = contact_residual(c, q, x);
        if (residual < best && !(best <= ACCEPT_TOL)) {
            best = residual;
            memcpy(r, x, sizeof x);
        }
    }
    if (best <= ACCEPT_TOL) return CONTACT_SLIDE;
    return best_effort(c, q, start, stuck, best, r);
}

// q_N < 0, |q| of moderate size
static contact_mode solve_closed(const contact *c, const double *q, double *r)
{
    const int n = c->dim;
    const double start[3] = {r[0], r[1], n == 3 ? r[2] : 0};
    if (c->mu == 0) {
        for (int i = 0; i < n; ++i) {
            r[i] = 0;
        }
        r[0] = -q[0] / c->W[0];
        if (c->W[0] > 0 && isfinite(r[0])) return CONTACT_SLIDE;
        return best_effort(c, q, start, start, INFINITY, r);
    }
    if (stick(c, q, r)) return CONTACT_STICK;
    const double stuck[3] = {r[0], r[1], n == 3 ? r[2] : 0};
    if (n == 2) return solve_planar(c, q, start, stuck, r);

    const slide s = slide_of(c, q);
    const double against[2] = {-q[1], -q[2]};
    double first[2] = {1, 0}, d[2];
    if (!direction(start + 1, first) && !direction(stuck + 1, first)) direction(against, first);
    memcpy(d, first, sizeof d);
    if (slide_newton(&s, d) && slide_impulse(&s, d, r)) return CONTACT_SLIDE;

    // the start is the direction in which a frictionless contact would slide; then all directions
    if (direction(s.b, d)) {
        d[0] = -d[0];
        d[1] = -d[1];
        if (slide_newton(&s, d) && slide_impulse(&s, d, r)) return CONTACT_SLIDE;
    }
    const double residual = slide_everywhere(c, &s, q, first, r);
    if (residual <= ACCEPT_TOL) return CONTACT_SLIDE;
    return best_effort(c, q, start, stuck, residual, r);
}

contact_mode contact_solve(const contact *c, const double *q, double *r)
{
    if (q[0] >= 0) {
        for (int i = 0; i < c->dim; ++i) {
            r[i] = 0;
        }
        return CONTACT_OPEN;
    }
    const double most = largest(c->dim, q);
    if (most > SMALL && most < LARGE) return solve_closed(c, q, r);
    if (!isfinite(most)) {
        r[0] = NAN;
        return CONTACT_NONE;
    }

    // scaling is exact, as r is homogeneous in q
    double scaled[3];
    for (int i = 0; i < c->dim; ++i) {
        scaled[i] = q[i] / most;
        r[i] /= most;
    }
    const contact_mode mode = solve_closed(c, scaled, r);
    for (int i = 0; i < c->dim; ++i) {
        r[i] *= most;
    }
    return mode;
}

bool contact_slide(const contact *c, const double *q, double *r)
{
    const double most = largest(3, q);
    double d[2];
    if (!(most > SMALL && most < LARGE) || c->mu == 0 || !direction(r + 1, d)) return false;
    const slide s = slide_of(c, q);
    return slide_newton(&s, d) && slide_impulse(&s, d, r);
}

// ---- alternatives ------------------------------------------------------------------------------

// factors from a velocity along N to an impulse, and in the tangent plane: 1 / W_NN and one
// over a bound of the eigenvalues of W_TT. Normal and tangents may differ by decades
static void steps_of(const contact *c, double *normal, double *tangent)
{
    const int n = c->dim;
    double bound = 0;
    for (int i = 1; i < n; ++i) {
        double sum = 0;
        for (int j = 1; j < n; ++j) {
            sum += fabs(c->W[i + n * j]);
        }
        bound = sum > bound ? sum : bound;
    }
    *normal = 1 / (c->W[0] > 0 ? c->W[0] : c->s);
    *tangent = 1 / (bound > 0 ? bound : c->s);
}

// r_T <- P_R(r_T), the disc of radius R
static void into_disc(int n, double R, double *r)
{
    const double t = cone_tangent(n, r);
    for (int i = 1; i < n && t > R; ++i) {
        r[i] *= R / t;
    }
}

bool contact_fixed_point(const contact *c, const double *q, int iters, double *r)
{
    const int n = c->dim;
    double normal, tangent, part = 1, last = 0, u[3];
    steps_of(c, &normal, &tangent);
    for (int k = 0; k < iters; ++k) {
        const double old[3] = {r[0], r[1], n == 3 ? r[2] : 0};
        velocity(c, q, r, u);
        const double y = r[0] - normal * u[0], step = (y > 0 ? y : 0) - r[0];
        // friction may make the normal impulse oscillate: a part of the step damps it
        if (step * last < 0 && fabs(step) > 0.5 * fabs(last)) part *= 0.5;
        last = step;
        r[0] += part * step;

        velocity(c, q, r, u);
        for (int i = 1; i < n; ++i) {
            r[i] -= tangent * u[i];
        }
        into_disc(n, c->mu * r[0], r);

        double moved = 0, size = 0;
        for (int i = 1; i < n; ++i) {
            moved += fabs(r[i] - old[i]);
            size += fabs(r[i]);
        }
        if (fabs(r[0] - old[0]) <= ZERO_TOL * r[0] && moved <= ZERO_TOL * size) return true;
    }
    return false;
}

// Alart and Curnier: with y = r - rho u, with one rho for the normal and one for the tangents, and
// R = mu max(0, y_N) the zeros of (r_N - max(0, y_N), r_T - P_R(y_T)), P_R the projection on the
// disc of radius R. f gets the values, J (if not null) an element of the generalised Jacobian.
static double alart_curnier(const contact *c, const double rho[3], const double *q, const double *r,
                            double *f, double *J)
{
    const int n = c->dim;
    double u[3] = {0}, y[3] = {0};
    velocity(c, q, r, u);
    for (int i = 0; i < n; ++i) {
        y[i] = r[i] - rho[i] * u[i];
    }
    const double R = y[0] > 0 ? c->mu * y[0] : 0, t = cone_tangent(n, y);
    const bool open = y[0] <= 0, inside = !open && t <= R;
    double sum = 0;
    f[0] = open ? r[0] : rho[0] * u[0];
    for (int i = 1; i < n; ++i) {
        f[i] = open ? r[i] : inside ? rho[i] * u[i] : r[i] - R * (y[i] / t);
    }
    for (int i = 0; i < n; ++i) {
        sum += f[i] * f[i];
    }
    for (int j = 0; J && j < n; ++j) {
        // the column of dy/dr
        double dy[3], along = 0;
        for (int i = 0; i < n; ++i) {
            dy[i] = (i == j) - rho[i] * c->W[i + n * j];
            if (i > 0 && !open && !inside) along += y[i] / t * dy[i];
        }
        for (int i = 0; i < n; ++i) {
            double *a = &J[i + n * j];
            *a = i == j;
            if (!open && (i == 0 || inside)) *a -= dy[i];
            if (!open && !inside && i > 0) {
                const double e = y[i] / t;
                *a -= c->mu * e * dy[0] + R / t * (dy[i] - e * along);
            }
        }
    }
    return sum;
}

bool contact_newton(const contact *c, const double *q, int iters, double *r)
{
    const int n = c->dim;
    double f[3], J[9], x[3] = {0}, rho[3];
    steps_of(c, &rho[0], &rho[1]);
    rho[2] = rho[1];
    for (int k = 0; k < iters; ++k) {
        const double value = alart_curnier(c, rho, q, r, f, J);
        double size = 0;
        for (int i = 0; i < n; ++i) {
            size += r[i] * r[i] + rho[i] * q[i] * (rho[i] * q[i]);
        }
        if (value <= ZERO_TOL * ZERO_TOL * size) break;

        int piv[3];
        if (!lu_factor(n, J, piv)) break;
        lu_solve(n, J, piv, f);
        double step = 1;
        bool better = false;
        for (int half = 0; half < 12 && !better; ++half, step *= 0.5) {
            double g[3];
            for (int i = 0; i < n; ++i) {
                x[i] = r[i] - step * f[i];
            }
            better = alart_curnier(c, rho, q, x, g, NULL) < value;
        }
        if (!better) break;
        memcpy(r, x, (size_t)n * sizeof *r);
    }
    cone_project_coulomb(n, c->mu, r);
    return contact_residual(c, q, r) <= ACCEPT_TOL;
}
