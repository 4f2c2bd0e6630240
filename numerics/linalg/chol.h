// Sparse Cholesky factorisation: the only door to CHOLMOD. CHOLMOD's own memory comes from
// malloc, not from a pcs_env.
#ifndef LINALG_CHOL_H
#define LINALG_CHOL_H

#include "base/base.h"
#include <percuss/linalg.h>

typedef struct chol_factor chol_factor;

// factorises the symmetric positive definite M of which both triangles or one are given
pcs_status chol_create(const pcs_env *env, const pcs_csc *M, chol_factor **out);
void chol_destroy(chol_factor *f);

// X = M^-1 B for nrhs columns of length n; X may be B
pcs_status chol_solve(const chol_factor *f, int nrhs, const double *B, double *X);

#endif
