// Factors of W + rho I for a scaled problem and any rho > 0: where W is sparse CHOLMOD, or sparse
// LU if it is not symmetric; dense factors where it is small or dense.
#ifndef SOLVER_SHIFTED_H
#define SOLVER_SHIFTED_H

#include "linalg/chol.h"
#include "linalg/sparse_lu.h"
#include "solver/scaled.h"

typedef struct shifted_lu {
    const scaled *s; // where it has an operator of its own (s->on), this has the factors
    double *A;       // dense factors
    int *piv;        // pivots of the dense LU
    bool cholesky;   // dense: the factors are of Cholesky, not LU

    chol_work *chol; // sparse and symmetric, or null
    sparse_lu *lu;   // sparse and not, or null
    bool analysed;   // the pattern of the sparse factors is known
    pcs_csc B;       // symmetric: the upper triangle in the order of the factor
    int *order;      // symmetric: row order[k] has place k
    int *place;      // the inverse of order; for LU the end of each column while it is filled
    double *x;       // a vector in that order
} shifted_lu;

// bytes for a problem with the pattern of p
size_t shifted_bytes(const pcs_problem *p);

// Takes its memory; false: the arena is too small. The sparse libraries allocate: call shifted_free
// in every case, also after false.
bool shifted_begin(shifted_lu *f, const scaled *s, pcs_arena *work);
void shifted_free(shifted_lu *f);

// false: singular, or out of memory
bool shifted_factor(shifted_lu *f, double rho);

// x = (W + rho I)^-1 x; false: out of memory
bool shifted_solve(shifted_lu *f, double *x);

#endif
