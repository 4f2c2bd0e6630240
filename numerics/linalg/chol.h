// Sparse Cholesky factorisation: with fronts.h the only door to CHOLMOD. CHOLMOD's own memory comes
// from malloc, not from a pcs_env nor from an arena.
#ifndef LINALG_CHOL_H
#define LINALG_CHOL_H

#include "base/base.h"
#include <percuss/linalg.h>

typedef struct chol_factor chol_factor;

// factorises the symmetric positive definite M (good: csc_check_square) from its upper triangle;
// PCS_ERR_SINGULAR when it is not positive definite
pcs_status chol_create(const pcs_env *env, const pcs_csc *M, chol_factor **out);
void chol_destroy(chol_factor *f);

// X = M^-1 B for nrhs columns of length n; X may be B
pcs_status chol_solve(const chol_factor *f, int nrhs, const double *B, double *X);

// ---- matrices that change while a solver works: ordered once, factorised many times

// lives in an arena; chol_end frees what CHOLMOD allocates for it
typedef struct chol_work chol_work;

size_t chol_work_bytes(void);

// null when the arena is too small
chol_work *chol_begin(pcs_arena *arena);
void chol_end(chol_work *w);

// A fill-reducing order of the symmetric matrix with this upper triangle (its values are not
// read): place k is for row order[k]. A principal submatrix uses the same order without the rows
// left out. false: CHOLMOD ran out of memory.
bool chol_order(chol_work *w, const pcs_csc *upper, int *order);

// The analysis of the pattern that the next chol_refactor would make: chol_cost holds for it.
// false: CHOLMOD ran out of memory, or the factor would have more than `most` entries
bool chol_analyse(chol_work *w, const pcs_csc *upper, double most);

typedef enum chol_outcome { CHOL_GOOD, CHOL_SINGULAR, CHOL_LOST } chol_outcome;

// Factorises the symmetric matrix with this upper triangle (rows within a column in any order;
// entries below the diagonal are not read), whose rows are already ordered. same: p and i are those
// of the last call, whose analysis is kept. CHOL_SINGULAR when it is not positive definite or the
// ratio of its pivots is not above rcond; CHOL_LOST when CHOLMOD ran out of memory or the factor
// would have more than `most` entries.
chol_outcome chol_refactor(chol_work *w, const pcs_csc *upper, bool same, double rcond,
                           double most);

// number of multiplications of the last factorisation, and of entries of its factor
void chol_cost(const chol_work *w, double *multiplications, double *entries);

// x = A^-1 x after CHOL_GOOD; false: out of memory, x unchanged
bool chol_apply(chol_work *w, double *x);

#endif
