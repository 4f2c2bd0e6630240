// The nearest impulse of a range to a point p, in a norm of weights 1 / omega. With N a basis of
// the complement of Z, on which all impulses of the range agree with x0, the dual problem has no
// constraints,
//
//     min phi(l),   w = p + omega N l,   x = P(w),
//     phi = sum (w x - x^2 / 2) / omega - x0' N l,   grad phi = N' (x - x0)
//
// P the projection on the cones of the blocks, in which omega is constant. phi is convex with a
// Lipschitz gradient: a few Newton steps, with a search along each for the lowest phi, reach x to
// rounding where all cones are polyhedra, also where no impulse is inside all cones or a multiplier
// is zero with its impulse: interior point methods lose half of the digits there.
//
// H. Qi, D. Sun, A quadratically convergent Newton method for computing the nearest correlation
// matrix, SIAM J. Matrix Anal. Appl. 28, 2006.
#include <float.h>
#include <string.h>

#include "certificate/range.h"
#include "cone/cone.h"
#include "linalg/dense.h"

#define STEPS    200
#define HALVINGS 50
#define IDLE     30    // steps without progress
#define GOAL     1e-15 // of the gradient
#define DAMPING  1e-3  // weight of the unit matrix, of the gradient and the least omega
#define FLAT     0.1   // a slope below this part of that at the start is zero

typedef struct projection {
    const range *r;
    const double *p, *omega; // null: 0 and 1
    bool recede;             // on the directions in which the range is unbounded
    double size;             // p and x0 are divided by it
    double least;            // of omega
    const double *N;         // columns x m
    int m;
    double *w, *x, *off; // columns
    double *D;           // columns x 3: rows of the derivatives of P
    double *l, *step, *trial, *g;
    double *T, *M; // columns x m, m x m
} projection;

size_t range_project_bytes(int n)
{
    const size_t k = (size_t)n;
    return (2 * k * k + 10 * k) * sizeof(double) + 10 * 64;
}

static bool take(projection *a, pcs_arena *arena)
{
    const size_t n = (size_t)a->r->f.n, m = (size_t)a->m;
    TAKE_DOUBLES(arena, n, &a->w, &a->x, &a->off);
    TAKE_DOUBLES(arena, 3 * n, &a->D);
    TAKE_DOUBLES(arena, m, &a->l, &a->step, &a->trial, &a->g);
    TAKE_DOUBLES(arena, n * m, &a->T);
    TAKE_DOUBLES(arena, m * m, &a->M);
    return a->w && a->x && a->off && a->D && a->l && a->step && a->trial && a->g && a->T && a->M;
}

static double weight(const projection *a, int j)
{
    return a->omega ? a->omega[j] : 1;
}

// x = P(x) on a cone of friction, and the rows of the derivative
static void project_cone(int d, double mu, double *x, double *D)
{
    const double t = cone_tangent(d, x);
    const bool inside = x[0] >= 0 && t <= mu * x[0], outside = !inside && mu * t <= -x[0];
    double e[3] = {1 / hypot(1, mu), 0, 0};
    for (int c = 1; c < d; ++c) {
        e[c] = t > 0 ? mu / hypot(1, mu) * (x[c] / t) : 0;
    }
    cone_project_coulomb(d, mu, x);
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            D[3 * i + j] = inside ? i == j : outside ? 0 : e[i] * e[j];
        }
    }
    if (inside || outside || d < 3) return;
    // the direction across e turns
    const double across[3] = {0, -e[2] * hypot(1, mu) / mu, e[1] * hypot(1, mu) / mu};
    for (int i = 1; i < 3; ++i) {
        for (int j = 1; j < 3; ++j) {
            D[3 * i + j] += mu * x[0] / t * across[i] * across[j];
        }
    }
}

// x = P(w) and D
static void project_all(projection *a)
{
    const face *f = &a->r->f;
    memcpy(a->x, a->w, (size_t)f->n * sizeof *a->x);
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const int j = f->first[b], d = face_columns(f, b);
        double *x = a->x + j, *D = a->D + 3 * j;
        if (d == 0) continue;
        if (k->cone != PCS_CONE_BOX && f->verdict[b].allowed == ALLOW_CONE) {
            project_cone(d, k->mu, x, D);
            continue;
        }
        const bool all = f->verdict[b].allowed == ALLOW_ALL;
        const double limit =
            a->recede && isfinite(k->mu) ? 0 : k->mu * sqrt(f->s[k->row]) / a->size;
        for (int c = 0; c < d; ++c) {
            if (k->cone == PCS_CONE_BOX) {
                x[c] = cone_project_box(limit, x[c]);
            } else if (!all) {
                x[c] = cone_project_unilateral(x[c]);
            }
            for (int i = 0; i < d; ++i) {
                D[3 * c + i] = i == c && x[c] == a->w[j + c];
            }
        }
    }
}

// x and the gradient at l; its length
static double look(projection *a, const double *l)
{
    const range *r = a->r;
    dense_mul(r->f.n, a->m, 1, a->N, l, 0, a->w);
    for (int j = 0; j < r->f.n; ++j) {
        a->w[j] = weight(a, j) * a->w[j] + (a->p ? a->p[j] / a->size : 0);
    }
    project_all(a);
    for (int j = 0; j < r->f.n; ++j) {
        a->off[j] = a->x[j] - (a->recede ? 0 : r->x0[j] / a->size);
    }
    dense_mul_dense(true, false, a->m, 1, r->f.n, 1, a->N, a->off, 0, a->g);
    return sqrt(dense_dot(a->m, a->g, a->g));
}

// step = -(N' D omega N + damping)^-1 g
static bool find_step(projection *a, double length)
{
    const face *f = &a->r->f;
    const size_t n = (size_t)f->n, m = (size_t)a->m;
    for (size_t i = 0; i < m; ++i) {
        for (int b = 0; b < f->p->nb; ++b) {
            const int j = f->first[b], d = face_columns(f, b);
            for (int c = j; c < j + d; ++c) {
                double sum = 0;
                for (int e = 0; e < d; ++e) {
                    sum += a->D[3 * c + e] * weight(a, j + e) * a->N[(size_t)(j + e) + n * i];
                }
                a->T[(size_t)c + n * i] = sum;
            }
        }
    }
    dense_mul_dense(true, false, a->m, a->m, f->n, 1, a->N, a->T, 0, a->M);
    for (size_t i = 0; i < m; ++i) {
        a->M[i * (m + 1)] += fmax(DAMPING * a->least * fmin(1, length), 4 * DBL_EPSILON);
        a->step[i] = -a->g[i];
    }
    if (!dense_cholesky(a->m, a->M)) return false;
    dense_cholesky_solve(a->m, a->M, a->step);
    return true;
}

// l, x and the gradient after the step, or at the lowest phi along it: phi is convex, and its slope
// says on which side that is. Returns the length of the gradient
static double go(projection *a)
{
    const double slope = dense_dot(a->m, a->g, a->step);
    double low = 0, high = 1, t = 1, length = 0;
    for (int k = 0; k < HALVINGS; ++k, t = (low + high) / 2) {
        for (int i = 0; i < a->m; ++i) {
            a->trial[i] = a->l[i] + t * a->step[i];
        }
        length = look(a, a->trial);
        const double now = dense_dot(a->m, a->g, a->step);
        if (now > -FLAT * slope) {
            high = t;
        } else if (t < 1 && now < FLAT * slope) {
            low = t;
        } else {
            break;
        }
    }
    memcpy(a->l, a->trial, (size_t)a->m * sizeof *a->l);
    return length;
}

double range_project(const range *r, const double *p, const double *omega, bool recede,
                     pcs_arena scratch, double *out)
{
    const int n = r->f.n;
    projection a = {.r = r, .p = p, .omega = omega, .recede = recede, .m = n - r->k};
    a.N = r->Z + (size_t)n * (size_t)r->k;
    for (int j = 0; j < n; ++j) {
        a.least = j == 0 ? weight(&a, 0) : fmin(a.least, weight(&a, j));
        a.size = fmax(a.size, fmax(recede ? 0 : fabs(r->x0[j]), p ? fabs(p[j]) : 0));
    }
    memset(out, 0, (size_t)n * sizeof *out);
    if (!(a.size > 0)) return 0;
    if (!take(&a, &scratch)) return INFINITY;
    memset(a.l, 0, (size_t)a.m * sizeof *a.l);
    double length = look(&a, a.l), best = INFINITY;
    for (int k = 0, idle = 0; k < STEPS && idle < IDLE; ++k) {
        ++idle;
        if (length < best) {
            if (length < best / 2) idle = 0;
            best = length;
            memcpy(out, a.x, (size_t)n * sizeof *out);
        }
        if (!(length > GOAL) || !find_step(&a, length)) break;
        length = go(&a);
    }
    for (int j = 0; j < n; ++j) {
        out[j] *= a.size;
    }
    return best;
}
