// Sparse LU: with KLU, column by column, or by fronts where the caller expects a strong diagonal.
// No BLAS is called.
#include "linalg/sparse_lu.h"

#include <string.h>

#include <klu.h>

// orders of KLU
#define ORDER_COLAMD 1

#include "linalg/lu_fronts.h"

struct sparse_lu {
    int n;
    bool *seen;        // n, for the parity of a permutation
    bool strong;       // may have fronts
    lu_fronts *fronts; // null: KLU
    klu_common c;
    klu_symbolic *symbolic;
    klu_numeric *numeric; // null: the factors are those of the fronts
};

size_t sparse_lu_bytes(int n)
{
    return (sizeof(sparse_lu) + 63) / 64 * 64 + 128 + (size_t)n * sizeof(bool);
}

sparse_lu *sparse_lu_begin(int n, pcs_arena *arena)
{
    sparse_lu *w = pcs_arena_take(arena, sizeof *w);
    bool *seen = PCS_TAKE(arena, (size_t)n, bool);
    if (!w || !seen) return NULL;
    memset(w, 0, sizeof *w);
    w->seen = seen;
    w->n = n;
    klu_defaults(&w->c);
    return w;
}

void sparse_lu_expect_strong(sparse_lu *w)
{
    w->strong = true;
}

bool sparse_lu_expect_weak(sparse_lu *w)
{
    const bool had_fronts = w->fronts && !w->numeric;
    w->strong = false;
    return had_fronts;
}

void sparse_lu_expect_any(sparse_lu *w)
{
    w->c.ordering = ORDER_COLAMD;
}

void sparse_lu_end(sparse_lu *w)
{
    if (!w) return;
    if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
    if (w->symbolic) klu_free_symbolic(&w->symbolic, &w->c);
    lu_fronts_destroy(w->fronts);
    w->fronts = NULL;
}

double sparse_lu_analyse(sparse_lu *w, const pcs_csc *A)
{
    sparse_lu_end(w);
    w->fronts = w->strong ? lu_fronts_create(A) : NULL;
    if (w->fronts) return lu_fronts_cost(w->fronts);
    w->symbolic = klu_analyze(A->n, A->p, A->i, &w->c);
    // it counts a multiplication and a subtraction as two
    return w->symbolic ? 0.5 * fmax(0, w->symbolic->est_flops) : NAN;
}

// KLU may choose any pivot in a column, fronts those of the front only
static bool factor_fronts(sparse_lu *w, const pcs_csc *A)
{
    const double rcond = w->fronts ? lu_fronts_factor(w->fronts, A) : 0;
    if (rcond > 0) w->c.rcond = rcond;
    return rcond > 0;
}

sparse_lu_outcome sparse_lu_refactor(sparse_lu *w, const pcs_csc *A, bool same)
{
    if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
    const bool known = same && (w->fronts || w->symbolic);
    if (!known && isnan(sparse_lu_analyse(w, A))) {
        return w->c.status == KLU_SINGULAR ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
    }
    if (factor_fronts(w, A)) return SPARSE_LU_GOOD;
    if (!w->symbolic) w->symbolic = klu_analyze(A->n, A->p, A->i, &w->c);
    if (!w->symbolic) return w->c.status == KLU_SINGULAR ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
    w->numeric = klu_factor(A->p, A->i, A->x, w->symbolic, &w->c);
    if (!w->numeric || w->c.status != KLU_OK) {
        const bool singular = w->c.status == KLU_SINGULAR;
        if (w->numeric) klu_free_numeric(&w->numeric, &w->c);
        return singular ? SPARSE_LU_SINGULAR : SPARSE_LU_LOST;
    }
    klu_rcond(w->symbolic, w->numeric, &w->c);
    return w->c.rcond > 0 ? SPARSE_LU_GOOD : SPARSE_LU_SINGULAR;
}

bool sparse_lu_repeat(sparse_lu *w, const pcs_csc *A)
{
    if (!w->numeric) return false;
    // scales of rows matter where pivots are chosen
    const int scale = w->c.scale;
    w->c.scale = -1;
    const bool done = klu_refactor(A->p, A->i, A->x, w->symbolic, w->numeric, &w->c);
    w->c.scale = scale;
    return done && klu_rcond(w->symbolic, w->numeric, &w->c) && w->c.rcond > 0;
}

double sparse_lu_rcond(const sparse_lu *w)
{
    return w->c.rcond;
}

// 1 for an even permutation, -1 for an odd one: a cycle of even length is odd
static int parity(int n, const int *p, bool *seen)
{
    int sign = 1;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (int i = 0; i < n; ++i) {
        if (seen[i]) continue;
        bool even = true;
        for (int j = i; !seen[j]; j = p[j]) {
            seen[j] = true;
            even = !even;
        }
        if (even) sign = -sign;
    }
    return sign;
}

// The scales of the rows are positive
int sparse_lu_sign(const sparse_lu *w)
{
    if (!w->numeric) return lu_fronts_sign(w->fronts);
    const double *pivot = w->numeric->Udiag;
    int sign = parity(w->n, w->numeric->Pnum, w->seen) * parity(w->n, w->symbolic->Q, w->seen);
    for (int k = 0; k < w->n; ++k) {
        if (pivot[k] < 0) sign = -sign;
    }
    return sign;
}

bool sparse_lu_apply(sparse_lu *w, double *x)
{
    if (!w->numeric) {
        lu_fronts_solve(w->fronts, NULL, x);
        return true;
    }
    return klu_solve(w->symbolic, w->numeric, w->n, 1, x, &w->c) != 0;
}

size_t sparse_lu_room(const sparse_lu *w)
{
    return w->numeric ? w->numeric->worksize : 2 * (size_t)w->n * sizeof(double);
}

bool sparse_lu_solve(const sparse_lu *w, void *room, double *x)
{
    if (!w->numeric) {
        lu_fronts_solve(w->fronts, room, x);
        return true;
    }
    klu_common c = w->c;
    klu_numeric own = *w->numeric;
    own.Work = own.Xwork = room;
    return klu_solve(w->symbolic, &own, w->n, 1, x, &c) != 0;
}
