// One equality block while the others are held fixed: W r = -u solved with LU factors of W, or with
// its pseudo-inverse where it is singular.
#ifndef LOCAL_EQUALITY_H
#define LOCAL_EQUALITY_H

#include "base/base.h"

typedef struct equality {
    int dim;
    double *factor; // dim x dim: LU factors, or the pseudo-inverse
    int *piv;       // counted from 0; null when factor is the pseudo-inverse
} equality;

// arena bytes that the preparation keeps, and those it needs in addition while it runs
size_t equality_bytes(int dim);
size_t equality_scratch_bytes(int dim);

// D (leading dimension ld) may be null: W = 0; false: the arena is too small
bool equality_prepare(equality *e, int dim, const double *D, int ld, pcs_arena *arena);

// x = W^-1 x; scratch has dim entries
void equality_solve(const equality *e, double *x, double *scratch);

#endif
