// Sparse Cholesky factorisation: M = L L^T (or L D L^T) under a fill-reducing ordering. CHOLMOD
// orders, analyses and factorises column by column; factors of many operations are made by fronts.
#include "linalg/chol.h"

#include <string.h>

#include "linalg/fronts.h"

struct chol_factor {
    pcs_env env;
    int n;
    cholmod_factor *L;
};

// One common per call: nothing is shared between threads, and CHOLMOD stays silent. It factorises
// column by column: by fronts it calls BLAS, whose sums depend on the machine. The order is that of
// AMD: METIS uses the random numbers of the C library, which belong to the user.
static void begin(cholmod_common *c)
{
    cholmod_start(c);
    c->print = 0;
    c->error_handler = NULL;
    c->try_catch = 1;
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_AMD;
}

// a view of M for CHOLMOD: the triangle that stype names
static cholmod_sparse view(const pcs_csc *M, int stype)
{
    return (cholmod_sparse){.nrow = (size_t)M->n,
                            .ncol = (size_t)M->n,
                            .nzmax = (size_t)M->p[M->n],
                            .p = M->p,
                            .i = M->i,
                            .x = M->x,
                            .stype = stype,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .packed = 1};
}

static cholmod_dense columns(int n, int count, double *x)
{
    return (cholmod_dense){.nrow = (size_t)n,
                           .ncol = (size_t)count,
                           .nzmax = (size_t)n * (size_t)count,
                           .d = (size_t)n,
                           .x = x,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
}

pcs_status chol_create(const pcs_env *env, const pcs_csc *M, chol_factor **out)
{
    *out = NULL;
    chol_factor *f = pcs_env_alloc(env, 1, sizeof *f);
    if (!f) return pcs_fail_memory("mass matrix");
    if (env) f->env = *env;
    f->n = M->n;
    if (M->n == 0) {
        *out = f;
        return PCS_OK;
    }

    cholmod_common c;
    begin(&c);
    cholmod_sparse A = view(M, 1);
    A.sorted = 1;
    pcs_status status = PCS_OK;
    f->L = cholmod_analyze(&A, &c);
    if (f->L) cholmod_factorize(&A, f->L, &c);
    if (!f->L || c.status == CHOLMOD_OUT_OF_MEMORY) {
        status = pcs_fail_memory("mass matrix factorisation");
    } else if (c.status != CHOLMOD_OK || f->L->minor < f->L->n || cholmod_rcond(f->L, &c) <= 0) {
        status = pcs_fail(PCS_ERR_SINGULAR,
                          "mass matrix: it is not positive definite (the"
                          " factorisation broke down at pivot %zu of %d)",
                          f->L->minor, M->n);
    } else if (!f->L->is_ll && !f->L->is_super) {
        // L D L^T also factorises indefinite matrices: a mass has positive pivots only
        const int *p = f->L->p;
        const double *x = f->L->x;
        for (int j = 0; j < M->n && status == PCS_OK; ++j) {
            if (!(x[p[j]] > 0)) {
                status = pcs_fail(PCS_ERR_SINGULAR,
                                  "mass matrix: it is not positive definite"
                                  " (pivot %d of %d is %g)",
                                  j, M->n, x[p[j]]);
            }
        }
    }
    if (status != PCS_OK) cholmod_free_factor(&f->L, &c);
    cholmod_finish(&c);
    if (status != PCS_OK) {
        chol_destroy(f);
        return status;
    }
    *out = f;
    return PCS_OK;
}

void chol_destroy(chol_factor *f)
{
    if (!f) return;
    if (f->L) {
        cholmod_common c;
        begin(&c);
        cholmod_free_factor(&f->L, &c);
        cholmod_finish(&c);
    }
    const pcs_env env = f->env;
    pcs_env_free(&env, f);
}

pcs_status chol_solve(const chol_factor *f, int nrhs, const double *B, double *X)
{
    if (f->n == 0 || nrhs == 0) return PCS_OK;

    cholmod_common c;
    begin(&c);
    cholmod_dense b = columns(f->n, nrhs, (double *)B);
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, f->L, &b, &c);
    if (x) memcpy(X, x->x, b.nzmax * sizeof *X);
    cholmod_free_dense(&x, &c);
    const bool done = c.status == CHOLMOD_OK;
    cholmod_finish(&c);
    return done ? PCS_OK : pcs_fail_memory("mass matrix solve");
}

// ---- matrices that change --------------------------------------------------------------------

struct chol_work {
    cholmod_common c;
    cholmod_factor
        *L; // factor of the last pattern, or null; only its pattern when `fronts` is not null
    cholmod_dense *x, *y, *e; // vectors of the last solve, which the next one uses again
    fronts *fronts;           // null when columns are factorised one by one
};

size_t chol_work_bytes(void)
{
    return (sizeof(chol_work) + 63) / 64 * 64;
}

chol_work *chol_begin(pcs_arena *arena)
{
    chol_work *w = pcs_arena_take(arena, sizeof *w);
    if (!w) return NULL;
    memset(w, 0, sizeof *w);
    begin(&w->c);

    // L L^T, so that a matrix that is not definite breaks down
    w->c.final_ll = 1;
    w->c.method[0].ordering = CHOLMOD_NATURAL;
#ifndef PERCUSS_NO_GPL
    w->c.supernodal = CHOLMOD_AUTO;
#endif
    return w;
}

static void forget(chol_work *w)
{
    fronts_destroy(w->fronts, &w->c);
    w->fronts = NULL;
    cholmod_free_factor(&w->L, &w->c);
}

void chol_end(chol_work *w)
{
    if (!w) return;
    forget(w);
    cholmod_free_dense(&w->x, &w->c);
    cholmod_free_dense(&w->y, &w->c);
    cholmod_free_dense(&w->e, &w->c);
    cholmod_finish(&w->c);
}

bool chol_order(chol_work *w, const pcs_csc *upper, int *order)
{
    cholmod_sparse A = view(upper, 1);
    return cholmod_amd(&A, NULL, 0, order, &w->c);
}

bool chol_analyse(chol_work *w, const pcs_csc *upper, double most)
{
    cholmod_sparse A = view(upper, 1);
    forget(w);
    w->L = cholmod_analyze(&A, &w->c);
    if (!w->L || w->c.lnz > most) return false;
    if (!w->L->is_super) return true;
    w->fronts = fronts_create(w->L, upper, &w->c);
    return w->fronts != NULL;
}

chol_outcome chol_refactor(chol_work *w, const pcs_csc *upper, bool same, double rcond, double most)
{
    const bool known = same && w->L;
    if (known ? w->c.lnz > most : !chol_analyse(w, upper, most)) {
        if (!known) forget(w);
        return CHOL_LOST;
    }
    // NaN fails too
    if (w->fronts) {
        return fronts_factor(w->fronts, upper->x) > rcond ? CHOL_GOOD : CHOL_SINGULAR;
    }
    cholmod_sparse A = view(upper, 1);
    cholmod_factorize(&A, w->L, &w->c);
    if (w->c.status < CHOLMOD_OK) {
        // a factor that is incomplete is not used
        forget(w);
        return CHOL_LOST;
    }
    if (w->L->minor < w->L->n || !(cholmod_rcond(w->L, &w->c) > rcond)) return CHOL_SINGULAR;
    return CHOL_GOOD;
}

void chol_cost(const chol_work *w, double *multiplications, double *entries)
{
    *multiplications = fmax(0, 0.5 * w->c.fl); // CHOLMOD counts additions too
    *entries = fmax(0, w->c.lnz);
}

bool chol_apply(chol_work *w, double *x)
{
    if (w->fronts) {
        fronts_solve(w->fronts, x);
        return true;
    }
    cholmod_dense b = columns((int)w->L->n, 1, x);
    if (!cholmod_solve2(CHOLMOD_A, w->L, &b, NULL, &w->x, NULL, &w->y, &w->e, &w->c)) return false;
    memcpy(x, w->x->x, b.nzmax * sizeof *x);
    return true;
}
