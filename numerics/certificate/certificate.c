// The certificate: verdicts block by block, then ranks.
#include <percuss/certificate.h>

#include <string.h>

#include "certificate/face.h"
#include "certificate/unique.h"
#include "cone/cone.h"
#include "problem/global.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/polish.h"

// number of Newton steps that confirm a solution, and the residual they must reach
#define STEPS     30
#define CONFIRMED 1e-12

const char *pcs_contact_status_text(pcs_contact_status status)
{
    static const char *const text[] = {"open", "stick", "slide", "undecided"};
    const int i = (int)status;
    return i >= 0 && i <= PCS_CONTACT_UNDECIDED ? text[i] : "unknown status";
}

const char *pcs_uniqueness_text(pcs_uniqueness unique)
{
    static const char *const text[] = {"unknown", "no", "local", "yes"};
    const int i = (int)unique;
    return i >= 0 && i <= PCS_UNIQUENESS_YES ? text[i] : "unknown";
}

static void count(const face *f, pcs_contact_status *status, double *margin, pcs_certificate *out)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const verdict *v = &f->verdict[b];
        const bool equality = f->p->block[b].cone == PCS_CONE_EQUALITY;
        const bool unilateral = f->p->block[b].cone == PCS_CONE_UNILATERAL;
        status[b] = v->status;
        // without velocity and impulse the margin is 0, not 0 / 0
        if (margin) margin[b] = equality || f->size > 0 ? v->margin / f->size : 0;
        if (margin && equality) margin[b] = INFINITY;
        out->open += v->status == PCS_CONTACT_OPEN;
        out->stick += v->status == PCS_CONTACT_STICK && !equality;
        out->slide += v->status == PCS_CONTACT_SLIDE && !unilateral;
        out->closed += v->status == PCS_CONTACT_SLIDE && unilateral;
        out->undecided += v->status == PCS_CONTACT_UNDECIDED;
    }
}

static void fill(const face *f, pcs_contact_status *status, double *margin, pcs_certificate *out)
{
    *out = (pcs_certificate){.measure = f->measure,
                             .error = f->error,
                             .moved = NAN,
                             .columns = f->n,
                             .rank = f->p->n > 0 ? -1 : 0};
    count(f, status, margin, out);
}

// the certificate of u = W r + q with measure m; of W only the diagonal is read
static pcs_status judge_blocks(const pcs_problem *p, double tol, const double *r, const double *u,
                               const pcs_measure *m, pcs_arena *arena, pcs_contact_status *status,
                               double *margin, face *f, pcs_certificate *out)
{
    if (!face_take(p, tol, r, u, m, arena, f)) return pcs_fail_memory("certificate");
    fill(f, status, margin, out);
    return PCS_OK;
}

// Newton steps from r to a solution x. A block with another status at x becomes undecided
static pcs_status confirm(const pcs_env *env, face *f, const double *r, double *moved)
{
    const pcs_problem *p = f->p;
    const size_t n = (size_t)p->n;
    pcs_arena arena;
    PCS_TRY(pcs_arena_create(env, polish_bytes(p) + 2 * (n * sizeof(double) + 64), &arena));
    pcs_arena work = arena;
    double *x = PCS_TAKE(&work, n, double), *v = PCS_TAKE(&work, n, double), value = NAN;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NEWTON);
    o.tol = CONFIRMED / 100;
    o.stop = PCS_STOP_RESIDUAL;
    int steps = -1;
    if (x && v) {
        memcpy(x, r, n * sizeof *x);
        cone_project(p->nb, p->block, x);
        steps = polish(p, &o, STEPS, work, x, v, &value);
    }
    if (steps >= 0 && value <= CONFIRMED) {
        const double error = f->error * f->size;
        for (int b = 0; b < p->nb; ++b) {
            const pcs_block *k = &p->block[b];
            const verdict now = verdict_of(k, f->s[k->row], error, x + k->row, v + k->row);
            if (now.status != f->verdict[b].status) face_doubt(f, b);
        }
        face_number(f);
        for (size_t i = 0; i < n; ++i) {
            v[i] -= f->u[i];
        }
        *moved = f->size > 0 ? problem_norm(p->n, v) / f->size : 0;
    }
    pcs_arena_destroy(env, &arena);
    return steps >= 0 ? PCS_OK : pcs_fail_memory("certificate");
}

static pcs_status judge_ranks(const pcs_env *env, const face *f, pcs_certificate *out)
{
    if (f->p->n == 0) out->r = out->u = PCS_UNIQUENESS_YES;
    if (f->p->n == 0 || f->p->n > CERTIFICATE_ROWS || isinf(f->error)) return PCS_OK;
    pcs_arena work;
    PCS_TRY(pcs_arena_create(env, unique_bytes(f->p->n), &work));
    const bool done = unique_judge(f, work, out);
    pcs_arena_destroy(env, &work);
    return done ? PCS_OK
                : pcs_fail(PCS_ERR_SINGULAR, "certificate: the rank could not be computed");
}

static pcs_status check(int n, int nb, double tol, const double *r, const void *a, const void *b)
{
    if (n > 0 && !r) return pcs_fail(PCS_ERR_ARG, "certificate: r is null");
    if (nb > 0 && (!a || !b)) {
        return pcs_fail(PCS_ERR_ARG, "certificate: out is null");
    }
    if (!(tol >= 0) || !isfinite(tol)) {
        return pcs_fail(PCS_ERR_ARG, "certificate: tol is %g; it must be finite and not negative",
                        tol);
    }
    for (int i = 0; i < n; ++i) {
        if (!isfinite(r[i])) {
            return pcs_fail(PCS_ERR_ARG, "certificate: r[%d] is %g; it must be finite", i, r[i]);
        }
    }
    return PCS_OK;
}

pcs_status certificate_check(const pcs_problem *p, double tol, const double *r, const void *a,
                             const void *b)
{
    PCS_TRY(pcs_problem_check(p));
    return check(p->n, p->nb, tol, r, a, b);
}

size_t certificate_face_bytes(const pcs_problem *p)
{
    return face_bytes(p) + (size_t)p->n * sizeof(double) + 64;
}

pcs_status certificate_face(const pcs_env *env, const pcs_problem *p, double tol, const double *r,
                            pcs_arena *arena, face *f)
{
    pcs_measure m;
    double moved;
    double *u = PCS_TAKE(arena, (size_t)p->n, double);
    if (!u) return pcs_fail_memory("certificate");
    pcs_problem_measure(p, r, u, &m);
    if (!face_take(p, tol, r, u, &m, arena, f)) return pcs_fail_memory("certificate");
    return p->n > 0 ? confirm(env, f, r, &moved) : PCS_OK;
}

static pcs_status certify(const pcs_env *env, const pcs_problem *p, bool ranks, double tol,
                          const double *r, pcs_contact_status *status, double *margin,
                          pcs_certificate *out)
{
    PCS_TRY(certificate_check(p, tol, r, status, status));
    if (!out) return pcs_fail(PCS_ERR_ARG, "certificate: out is null");
    pcs_arena arena;
    PCS_TRY(pcs_arena_create(env, certificate_face_bytes(p), &arena));
    pcs_arena work = arena;
    face f;
    pcs_measure m;
    double *u = PCS_TAKE(&work, (size_t)p->n, double);
    pcs_status done = u ? PCS_OK : pcs_fail_memory("certificate");
    if (done == PCS_OK) {
        pcs_problem_measure(p, r, u, &m);
        done = judge_blocks(p, tol, r, u, &m, &work, status, margin, &f, out);
    }
    if (done == PCS_OK && ranks && p->n > 0 && p->n <= CERTIFICATE_ROWS) {
        double moved = NAN;
        done = confirm(env, &f, r, &moved);
        fill(&f, status, margin, out);
        out->moved = moved;
    }
    if (done == PCS_OK && ranks) done = judge_ranks(env, &f, out);
    pcs_arena_destroy(env, &arena);
    return done;
}

pcs_status pcs_certificate_compute(const pcs_env *env, const pcs_problem *p, double tol,
                                   const double *r, pcs_contact_status *status, double *margin,
                                   pcs_certificate *out)
{
    return certify(env, p, true, tol, r, status, margin, out);
}

pcs_status pcs_certificate_statuses(const pcs_env *env, const pcs_problem *p, double tol,
                                    const double *r, pcs_contact_status *status, double *margin,
                                    pcs_certificate *out)
{
    return certify(env, p, false, tol, r, status, margin, out);
}

// ---- global form -------------------------------------------------------------------------------

typedef struct global_view {
    global_terms terms;
    face f;
} global_view;

static pcs_status judge_global(const pcs_global_problem *g, double tol, const double *r,
                               pcs_arena *arena, pcs_contact_status *status, double *margin,
                               global_view *x, pcs_certificate *out)
{
    PCS_TRY(global_terms_take(g, NULL, arena, &x->terms));
    pcs_measure m;
    double *u = PCS_TAKE(arena, (size_t)x->terms.n, double);
    double *v = PCS_TAKE(arena, (size_t)x->terms.nv, double);
    const size_t rest = face_bytes(&x->terms.local);
    pcs_arena trial = *arena;
    pcs_arena_take(&trial, rest);
    if (!u || !v) return pcs_fail_memory("certificate");
    PCS_TRY(global_terms_measure(&x->terms, r, v, u, &m));
    return judge_blocks(&x->terms.local, tol, r, u, &m, arena, status, margin, &x->f, out);
}

// Grows the arena to the demand in *peak. False when it already has that size, or when memory is
// out
static bool grow(const pcs_env *env, size_t *peak, pcs_arena *arena)
{
    const size_t bytes = *peak;
    if (arena->peak && bytes <= arena->size) return false;
    pcs_arena_destroy(env, arena);
    if (pcs_arena_create(env, bytes, arena) != PCS_OK) return false;
    arena->peak = peak;
    return true;
}

static pcs_status judge_condensed(const pcs_env *env, const pcs_global_problem *g, const face *f,
                                  pcs_certificate *out)
{
    pcs_arena arena = {0};
    size_t peak = 0;
    pcs_problem p;
    pcs_failure before;
    pcs_failure_keep(&before);
    pcs_status done = PCS_ERR_MEMORY;
    while (done == PCS_ERR_MEMORY && grow(env, &peak, &arena)) {
        done = pcs_global_condense(g, &arena, &p);
    }
    if (done == PCS_OK) pcs_failure_restore(&before);
    if (done == PCS_OK) {
        face whole = *f;
        whole.p = &p;
        done = judge_ranks(env, &whole, out);
    }
    pcs_arena_destroy(env, &arena);
    return done;
}

static pcs_status certify_global(const pcs_env *env, const pcs_global_problem *g, bool ranks,
                                 double tol, const double *r, pcs_contact_status *status,
                                 double *margin, pcs_certificate *out)
{
    PCS_TRY(pcs_global_check(g));
    const int n = g->H.m > 0 ? g->H.row[g->H.m] : 0;
    PCS_TRY(check(n, g->nb, tol, r, status, status));
    if (!out) {
        return pcs_fail(PCS_ERR_ARG, "certificate: out is null");
    }
    pcs_arena arena = {0};
    size_t peak = 0;
    global_view x;
    pcs_failure before;
    pcs_failure_keep(&before);
    pcs_status done = PCS_ERR_MEMORY;
    while (done == PCS_ERR_MEMORY && grow(env, &peak, &arena)) {
        done = judge_global(g, tol, r, &arena, status, margin, &x, out);
    }
    if (done == PCS_OK) pcs_failure_restore(&before);
    if (done == PCS_OK && ranks && n <= CERTIFICATE_ROWS) done = judge_condensed(env, g, &x.f, out);
    pcs_arena_destroy(env, &arena);
    return done;
}

pcs_status pcs_certificate_compute_global(const pcs_env *env, const pcs_global_problem *g,
                                          double tol, const double *r, pcs_contact_status *status,
                                          double *margin, pcs_certificate *out)
{
    return certify_global(env, g, true, tol, r, status, margin, out);
}

pcs_status pcs_certificate_statuses_global(const pcs_env *env, const pcs_global_problem *g,
                                           double tol, const double *r, pcs_contact_status *status,
                                           double *margin, pcs_certificate *out)
{
    return certify_global(env, g, false, tol, r, status, margin, out);
}
