/// @file
/// Linear algebra: products with block-sparse rows, sparse columns, the factorised mass matrix, and
/// the Delassus operator W = H M^-1 H^T.
#ifndef PERCUSS_LINALG_H
#define PERCUSS_LINALG_H

#include <percuss/bsr.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The position k of block (i, j), or -1 when it is not stored (A null: it is not).
PCS_API int pcs_bsr_find(const pcs_bsr *A, int i, int j);

/// y = A x. x has col[n] entries, y row[m]; they must not overlap.
PCS_API void pcs_bsr_mul(const pcs_bsr *A, const double *x, double *y);

/// y = y + A^T x. x has row[m] entries, y col[n]; they must not overlap.
PCS_API void pcs_bsr_addmul_t(const pcs_bsr *A, const double *x, double *y);

/// Writes all of A into `dense`, column-major row[m] x col[n].
PCS_API void pcs_bsr_to_dense(const pcs_bsr *A, double *dense);

/// Sparse columns: entries p[j] .. p[j + 1] - 1 of i and x are the rows and values of column j.
/// Rows increase within a column. The struct borrows its arrays.
typedef struct pcs_csc {
    int m;     ///< rows
    int n;     ///< columns
    int *p;    ///< n + 1
    int *i;    ///< p[n]
    double *x; ///< p[n]
} pcs_csc;

/// A factorised mass (or iteration) matrix: block-diagonal with general, possibly unsymmetric
/// blocks (LU with partial pivoting), or sparse: Cholesky where it is symmetric positive definite
/// (CHOLMOD), LU otherwise (KLU).
typedef struct pcs_mass_matrix pcs_mass_matrix;

/// Factorises a block-diagonal matrix: nb blocks, block b is size[b] x size[b] column-major, the
/// blocks one after another in `val` (copied). PCS_ERR_SINGULAR names a singular block.
/// Release with pcs_mass_matrix_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_mass_matrix_create_blocks(const pcs_env *env, int nb,
                                                               const int *size, const double *val,
                                                               pcs_mass_matrix **out);

/// Factorises a sparse matrix. Entries on one side of the diagonal only mean a symmetric matrix,
/// whose other half follows by symmetry; otherwise M is used as given, symmetric or not. M need
/// only be regular: if it is not positive definite it gets an LU factorisation. `M` is copied.
/// PCS_ERR_SINGULAR if it is singular to working precision. Release with pcs_mass_matrix_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_mass_matrix_create_sparse(const pcs_env *env, const pcs_csc *M,
                                                               pcs_mass_matrix **out);

/// Accepts null.
PCS_API void pcs_mass_matrix_destroy(pcs_mass_matrix *mass);

/// Scalar size of the mass matrix.
PCS_API int pcs_mass_matrix_size(const pcs_mass_matrix *mass);

/// x = M^-1 b; x may be b. Several threads may solve with one mass matrix at a time. A sparse one
/// allocates memory during the call: PCS_ERR_MEMORY when there is none.
PCS_NODISCARD PCS_API pcs_status pcs_mass_matrix_solve(const pcs_mass_matrix *mass, const double *b,
                                                       double *x);

/// y = M x, with the values given at creation; x and y must not overlap.
PCS_API void pcs_mass_matrix_mul(const pcs_mass_matrix *mass, const double *x, double *y);

/// M in sparse columns, both triangles, taken from the arena (PCS_ERR_MEMORY, with the demand in
/// arena->peak, when it does not fit). Zeros off the diagonal of a dense block are left out.
PCS_NODISCARD PCS_API pcs_status pcs_mass_matrix_to_csc(const pcs_mass_matrix *mass,
                                                        pcs_arena *arena, pcs_csc *out);

/// The Delassus operator W = H M^-1 H^T as block-sparse rows, its block rows those of H. For a
/// block-diagonal mass the block columns of H must be its blocks; for a sparse mass any partition
/// is valid and W is dense between constraints that M couples. Taken from the arena
/// (PCS_ERR_MEMORY, with the demand of the parts whose size is known in arena->peak, when it does
/// not fit: as in pcs_global_condense, with a larger arena it may grow). Source: theory of
/// nonsmooth dynamics, M (v - v_free) = H^T r, u = H v.
PCS_NODISCARD PCS_API pcs_status pcs_delassus(const pcs_bsr *H, const pcs_mass_matrix *mass,
                                              pcs_arena *arena, pcs_bsr *W);

#ifdef __cplusplus
}
#endif

#endif
