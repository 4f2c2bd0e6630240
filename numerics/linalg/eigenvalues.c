#include "linalg/dense.h"

#include <lapacke.h>

bool dense_eigenvalues(int n, double *A, double *re, double *im, double *work)
{
    if (n == 0) return true;
    return LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1, work,
                              3 * n) == 0;
}
