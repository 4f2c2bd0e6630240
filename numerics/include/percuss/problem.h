/// @file
/// The one problem of the library, its residual, the global form, and the
/// position-projection problem.
///
///     u = W r + q          K* contains s(u), orthogonal to r in K,   K = K_1 x ... x K_n
///
/// with s(u) = u + mu |u_T| e_N on Coulomb blocks and s(u) = u on all others. An LCP has unilateral
/// blocks only, an MLCP equality and unilateral ones, a friction problem Coulomb ones.
#ifndef PERCUSS_PROBLEM_H
#define PERCUSS_PROBLEM_H

#include <percuss/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The cone of a block: the set of r, and the condition on u that follows.
typedef enum pcs_cone {
    PCS_CONE_EQUALITY,   ///< r free, u = 0; any dimension
    PCS_CONE_UNILATERAL, ///< 0 <= u, r >= 0, u r = 0; dimension 1
    PCS_CONE_COULOMB ///< r_N >= 0, |r_T| <= mu r_N: take-off, stick or slide; dimension 3 (N T1 T2)
                     ///< or, in the plane, 2 (N T)
} pcs_cone;

/// One block of constraints: rows row .. row + dim - 1.
typedef struct pcs_block {
    pcs_cone cone; ///< where r of the block lives
    int row;       ///< first scalar row; blocks follow one another without gaps
    int dim;       ///< number of rows, >= 1; 1 for a unilateral block, 2 or 3 for a Coulomb block
    double mu; ///< friction of a Coulomb block, finite, >= 0 (0: r_T = 0, u_T free); 0 in others
} pcs_block;

/// u = W r + q over a product of cones. W may be unsymmetric, singular or indefinite. The
/// rows of one cone block lie within one block row of W; W's row and column partitions are
/// equal. The struct borrows everything.
typedef struct pcs_problem {
    int n;                  ///< scalar rows; 0 is an empty problem
    int nb;                 ///< cone blocks
    const pcs_block *block; ///< nb
    pcs_bsr W;              ///< n x n
    const double *q;        ///< n
} pcs_problem;

/// Checks a problem once, at the border: sizes, order of the blocks, finiteness. The solvers
/// call it; good data never fails it.
PCS_NODISCARD PCS_API pcs_status pcs_problem_check(const pcs_problem *p);

/// The same problem with W in blocks of the cones and without those that are zero, where this
/// halves what W stores: dense matrices of contacts most of which do not touch one another. Else
/// *out is *p. What is new comes from the arena (PCS_ERR_MEMORY when it does not fit), the rest is
/// borrowed from p. pcs_solve_alloc and the readers of files do this for problems with friction.
PCS_NODISCARD PCS_API pcs_status pcs_problem_compress(const pcs_problem *p, pcs_arena *arena,
                                                      pcs_problem *out);

/// How well r solves a problem (theory 7.7, doc/measures.md). Block i of dimension d_i uses
/// rho_i = d_i / tr W_ii (d_i / max_j tr W_jj if tr W_ii <= 0, or 1 if none is positive) and
/// F_i = r_i - P_K(r_i - rho_i s(u_i)). W and r are rounded numbers, which blurs u = W r + q by
/// `rounding`: neither of the first two is smaller, whatever the computed F is.
typedef struct pcs_measure {
    double residual;    ///< |(F_i / rho_i)_i| / max(|q|, |W r|), but not below rounding over the
                        ///< same: velocity over velocity. With q = 0, over | |W||r| |
    double natural_map; ///< |r - P_K(r - s(u))|, rho = 1, as published, but not below rounding
    double norm_q;      ///< Euclidean norm of q
    double norm_wr;     ///< Euclidean norm of W r
    double norm_r;      ///< Euclidean norm of r
    double norm_u;      ///< Euclidean norm of u = W r + q (not of s(u))
    double rounding;    ///< 2.2e-16 | |W||r| |, a velocity
} pcs_measure;

/// Computes u = W r + q and the measures of r. `p` must be good (pcs_problem_check); r and u
/// have n entries. A NaN in r gives NaN measures. Never allocates.
PCS_API void pcs_problem_measure(const pcs_problem *p, const double *r, double *u,
                                 pcs_measure *out);

/// natural_map / max(norm_q, norm_r, norm_u); undivided where that maximum is <= 2.2e-16.
PCS_API double pcs_measure_relative_natural_map(const pcs_measure *m);

/// The status of a block, as far as the error of r and u allows to decide.
typedef enum pcs_contact_status {
    PCS_CONTACT_OPEN,     ///< no impulse
    PCS_CONTACT_STICK,    ///< no velocity (equality blocks too)
    PCS_CONTACT_SLIDE,    ///< impulse at the limit mu r_N; without friction: any impulse (closed)
    PCS_CONTACT_UNDECIDED ///< on a border: the error of r or u is larger than the distance to it
} pcs_contact_status;

/// "open", "stick", "slide" or "undecided", never null.
PCS_API const char *pcs_contact_status_text(pcs_contact_status status);

/// The global form: M v = H^T r + f, u = H v + w, the same cones.
typedef struct pcs_global_problem {
    int nb;                   ///< cone blocks
    const pcs_block *block;   ///< nb; rows of H
    pcs_bsr H;                ///< constraints x velocities
    const pcs_mass_matrix *M; ///< factorised mass
    const double *f; ///< velocity rows: impulse of the applied forces plus momentum, M v_free
    const double *w; ///< constraint rows, added to u; null means zero
} pcs_global_problem;

/// Checks a global problem once, at the border: sizes, order of the blocks, finiteness; for a
/// block-diagonal M that its blocks are the block columns of H. The solvers call it.
PCS_NODISCARD PCS_API pcs_status pcs_global_check(const pcs_global_problem *g);

/// Condenses to the local form: W = H M^-1 H^T and q = H M^-1 f + w, both taken from the arena
/// (PCS_ERR_MEMORY with the demand in arena->peak when it does not fit); blocks are borrowed.
PCS_NODISCARD PCS_API pcs_status pcs_global_condense(const pcs_global_problem *g, pcs_arena *arena,
                                                     pcs_problem *out);

/// The velocity that belongs to r: M v = H^T r + f. v has the size of M.
PCS_NODISCARD PCS_API pcs_status pcs_global_velocity(const pcs_global_problem *g, const double *r,
                                                     double *v);

/// The measures of theory 7.7 for the global form: v from M v = H^T r + f, u = H v + w,
/// q = H M^-1 f + w and the W_ii of H M^-1 H^T, of which no other block is formed (a sparse M costs
/// one solve per row of H; a block-diagonal one the diagonal only). Equal to pcs_problem_measure
/// of the condensed problem to rounding. r and u have the rows of H, v those of M; v and u are
/// written. `work` is by value: PCS_ERR_MEMORY, with the demand in work.peak, when it is too
/// small.
PCS_NODISCARD PCS_API pcs_status pcs_global_measure(const pcs_global_problem *g, pcs_arena work,
                                                    const double *r, double *v, double *u,
                                                    pcs_measure *out);

/// The residual by which the field compares solvers of the global form (gfc3d_compute_error of
/// Siconos), of a pair (v, r) in which v need not belong to r; u = H v + w is written:
///
///     |f + H^T r - M v| / max(|f|, |M v|, |H^T r|) + |r - P_K(r - s(u))| / max(|u|, |r|)
///
/// each term undivided where its maximum is <= 2.2e-16. For comparison only: it is a sum of two
/// relative errors, depends on the units (rho = 1), and w does not enter its scales; no solver
/// stops on it. `work` as for pcs_global_measure.
PCS_NODISCARD PCS_API pcs_status pcs_global_published_error(const pcs_global_problem *g,
                                                            pcs_arena work, const double *r,
                                                            const double *v, double *u,
                                                            double *error);

/// A global form of a local problem whose W is symmetric positive semidefinite: W = H H^T with as
/// many columns as W has rank (pivoted Cholesky, dense), M = 1, f = 0, w = q. Condensing it gives W
/// back to rounding. The original bodies are not recovered: any H with H H^T = W is correct.
/// PCS_ERR_UNSUPPORTED, with by how much, when W is not symmetric or not semidefinite to rounding.
/// Blocks, q and the block rows of W are borrowed; H and f come from the arena (PCS_ERR_MEMORY,
/// with the demand in arena->peak, when it does not fit); M from env (null: malloc), released by
/// the caller with pcs_mass_matrix_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_problem_to_global(const pcs_env *env, const pcs_problem *p,
                                                       pcs_arena *arena, pcs_mass_matrix **M,
                                                       pcs_global_problem *out);

/// Metric of a position projection (theory 8.1). With S and Z as below a step is
/// w = g + S L, w_E = 0, 0 <= w_I _|_ L_I >= 0, dq = Z L: the smallest dq, in the metric named,
/// that obeys the linearised rows.
typedef enum pcs_metric {
    PCS_METRIC_MASS, ///< S = CT M^-1 CT^T, Z = T M^-1 CT^T: free of units, the default; moves light
                     ///< bodies more than heavy ones and keeps their common centre of mass
    PCS_METRIC_V,    ///< S = CT (T^T T)^-1 CT^T, Z = T (T^T T)^-1 CT^T: shortest dq along T
    PCS_METRIC_Q,    ///< S = C C^T, Z = C^T: shortest dq; needs gradients with C (0, Q) = 0
    PCS_METRIC_Q1    ///< as Q with a bilateral row (0, Q_b^T / |Q_b|), value |Q_b| - 1, for each
                     ///< quaternion: dq stays tangent to |Q| = 1 for all gradients
} pcs_metric;

/// The position problem at the current q: find dq so that the linearised gaps
/// g + C dq obey their rows (equality: 0, unilateral: >= 0). Nothing of bodies is known here:
/// q is a vector, T maps velocities to its rate, and some groups of four entries of q are
/// quaternions. The struct borrows everything. Which of its members a metric needs:
/// Q: C. Q1: C, q, quat. V: T, and C or CT. MASS: T, M, and C or CT. Where both C and CT are given
/// CT is used. Block columns: those of C are the block rows of T, those of CT its block columns.
typedef struct pcs_position_problem {
    int m;                    ///< rows of g
    const pcs_cone *kind;     ///< m
    const double *g;          ///< m gaps (metres, or the unit of the row); negative is violated
    const pcs_bsr *C;         ///< m x nq, dg/dq; or null
    const pcs_bsr *CT;        ///< m x nv, C T; or null: computed from C and T
    const pcs_bsr *T;         ///< nq x nv block diagonal, dq/dt = T v; or null
    const pcs_mass_matrix *M; ///< nv, its blocks the block columns of CT; or null
    int nq;                   ///< entries of q
    const double *q;          ///< nq; read by Q1 only
    int n_quat;               ///< quaternions in q
    const int *quat;          ///< n_quat positions in q of their first (scalar) entry
} pcs_position_problem;

/// Divides every quaternion of q by its norm. PCS_ERR_ARG if one is zero or not finite (q is
/// then unchanged).
PCS_NODISCARD PCS_API pcs_status pcs_position_normalise(int n_quat, const int *quat, double *q);

/// The largest violation: max over rows of |g| (equality) or max(0, -g) (unilateral).
PCS_API double pcs_position_violation(int m, const pcs_cone *kind, const double *g);

#ifdef __cplusplus
}
#endif

#endif
