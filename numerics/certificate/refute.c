// The proof that a problem has no solution. Impulses y along normals (unilateral and Coulomb
// blocks, y >= 0) and rows of equalities with W y = 0 change no velocity, and those of the others
// change nothing along y, so that
//
//     y.u = q.y + (W y).r = q.y   for every r,   while u in K* needs y.u >= 0:
//
// a y with q.y < 0 proves that there is none. The projection of -S^-1/2 q on all such y is the one
// with the largest -q.y of its length, and is zero where there is no proof of this kind:
//
//     min 1/2 |x|^2 + (S^-1/2 q).x,   x = Z a, W S^-1/2 x = 0, x >= 0 for normals
//
// solved as a cone program. The product with W then checks it (problem_proof).
//
// Where bodies are slightly turned W y is not zero to rounding, and with friction impulses may be
// of any size. But W r = u - q is in the range of W, so that with w the projection of y on it
// y.(u - q) = w.(u - q), and y.u >= 0 needs a u - q of at least -q.y / |w|, in the units of S: y
// counts as well where that is BEYOND times |q|. Heavy bodies on light ones have such impulses, but
// not such velocities.
#include <percuss/certificate.h>

#include <float.h>
#include <string.h>

#include "certificate/range.h"
#include "linalg/dense.h"
#include "problem/problem.h"

// a projection shorter than this part of q is zero
#define NOTHING 1e-9
// velocities so many times those of q are none
#define BEYOND 1e5
// W y over y, relative to the largest, of bodies that are turned by such an angle
#define TURNED 1e-6
// roundings of W, times its rows: a smaller singular value, relative to the largest, may be none
#define STRICT (8 * DBL_EPSILON)

// true when y.u >= 0 needs velocities that large; y is in K, t of n is scratch
static bool needs_beyond(const range *x, const double *y, double *t)
{
    const face *f = &x->f;
    const size_t n = (size_t)f->p->n;
    pcs_arena scratch = x->scratch;
    double *W = PCS_TAKE(&scratch, n * n, double), *Z = PCS_TAKE(&scratch, n * n, double);
    if (!W || !Z) return false;
    face_matrix(f, x->place, W);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k) {
            const double w = W[i + n * k];
            W[i + n * k] = W[k + n * i];
            W[k + n * i] = w;
        }
    }
    const int rank = dense_null((int)n, (int)n, W, Z, STRICT * (double)n, scratch);
    if (rank < 0) return false;
    double left = 0;
    for (size_t i = 0; i < n; ++i) {
        t[i] = sqrt(f->s[i]) * y[i];
    }
    // the columns after those of the null space are a basis of the range
    for (size_t k = n - (size_t)rank; k < n; ++k) {
        double part = 0;
        for (size_t i = 0; i < n; ++i) {
            part += Z[i + n * k] * t[i];
        }
        left += part * part;
    }
    return problem_gain(f->p, y) > BEYOND * sqrt(left) * x->size;
}

static pcs_status find(range *x, double *y, double *t)
{
    const face *f = &x->f;
    const pcs_problem *p = f->p;
    const size_t n = (size_t)f->n, k = (size_t)x->k;
    double size = 0, length = 0;
    for (int i = 0; i < p->n; ++i) {
        t[i] = p->q[i] / sqrt(f->s[i]);
        size += t[i] * t[i];
    }
    memset(y, 0, (size_t)p->n * sizeof *y);
    if (k == 0 || !(size > 0)) return PCS_OK;
    face_restrict(f, t, x->x);
    x->size = sqrt(size);
    range_aim(x, x->x);
    for (size_t i = 0; i < k * k; ++i) {
        x->Q[i] = i % (k + 1) == 0;
    }
    x->program.Q = x->Q;
    cone_program_solve(&x->program, x->scratch, x->y, NULL);
    memset(x->x0, 0, n * sizeof *x->x0);
    range_point(x);
    for (size_t i = 0; i < n; ++i) {
        length += x->x[i] * x->x[i];
    }
    if (!(sqrt(length) > NOTHING * x->size)) return PCS_OK;
    face_leave(f, x->x, y);
    if (!problem_refuted_by(p, y, t) && !needs_beyond(x, y, t)) {
        memset(y, 0, (size_t)p->n * sizeof *y);
    }
    return PCS_OK;
}

// the mean rate at which the rows of y close
static double rate(const pcs_problem *p, const double *y)
{
    double closing = 0, sum = 0;
    for (int i = 0; i < p->n; ++i) {
        closing -= p->q[i] * y[i];
        sum += fabs(y[i]);
    }
    return sum > 0 ? closing / sum : 0;
}

pcs_status pcs_certificate_refute(const pcs_env *env, const pcs_problem *p, double *y,
                                  double *closing)
{
    PCS_TRY(pcs_problem_check(p));
    if (p->n > 0 && !y) return pcs_fail(PCS_ERR_ARG, "certificate: y is null");
    const size_t n = (size_t)p->n;
    double *t = pcs_env_alloc(env, 3 * n + 1, sizeof *t);
    if (!t) return pcs_fail_memory("certificate");
    memset(t, 0, (3 * n + 1) * sizeof *t);
    pcs_status done = PCS_OK;
    double found = 0;
    for (int k = 0; k < 2 && done == PCS_OK && found == 0; ++k) {
        pcs_arena arena = {0};
        range x = {0};
        const range_request q = {
            .r = t, .normals = true, .rank = k == 0 ? 0 : TURNED, .out = y, .too = y};
        done = range_open(env, p, &q, &arena, &x);
        if (done == PCS_OK) done = find(&x, y, t + n);
        if (done == PCS_OK) found = rate(p, y);
        pcs_arena_destroy(env, &arena);
    }
    if (done == PCS_OK && closing) *closing = found;
    pcs_env_free(env, t);
    return done;
}
