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
#include <percuss/certificate.h>

#include <string.h>

#include "certificate/range.h"
#include "linalg/dense.h"
#include "problem/problem.h"

// a projection shorter than this part of q is zero
#define NOTHING 1e-9

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
    if (!problem_refuted_by(p, y, t)) memset(y, 0, (size_t)p->n * sizeof *y);
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
    double *t = pcs_env_alloc(env, 2 * n + 1, sizeof *t);
    if (!t) return pcs_fail_memory("certificate");
    memset(t, 0, (2 * n + 1) * sizeof *t);
    pcs_arena arena = {0};
    range x = {0};
    const range_request q = {.r = t, .normals = true, .out = y, .too = y};
    pcs_status done = range_open(env, p, &q, &arena, &x);
    if (done == PCS_OK) done = find(&x, y, t);
    if (done == PCS_OK && closing) *closing = rate(p, y);
    pcs_arena_destroy(env, &arena);
    pcs_env_free(env, t);
    return done;
}
