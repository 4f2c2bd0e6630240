/// @file
/// The one problem of the library and its residual.
///
///     u = W r + q          K* contains s(u), orthogonal to r in K,   K = K_1 x ... x K_n
///
/// with s(u) = u + mu |u_T| e_N on Coulomb blocks and s(u) = u on all others. An LCP has unilateral
/// blocks only, an MLCP equality and unilateral ones, a friction problem Coulomb ones. A box is no
/// cone, but the same holds with its normal cone: -u in N_K(r).
#ifndef PERCUSS_PROBLEM_H
#define PERCUSS_PROBLEM_H

#include <percuss/bsr.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The cone of a block: the set of r, and the condition on u that follows.
typedef enum pcs_cone {
    PCS_CONE_EQUALITY,   ///< r free, u = 0; any dimension
    PCS_CONE_UNILATERAL, ///< 0 <= u, r >= 0, u r = 0; dimension 1
    PCS_CONE_COULOMB,    ///< r_N >= 0, |r_T| <= mu r_N: open, stick or slide; dimension 3 (N T1 T2)
                         ///< or, in the plane, 2 (N T)
    PCS_CONE_BOX         ///< |r| <= mu: u = 0 (stick), or r = -mu sign(u) (slide); dimension 1
} pcs_cone;

/// One block of constraints: rows row .. row + dim - 1.
typedef struct pcs_block {
    pcs_cone cone; ///< the set of r of the block
    int row;       ///< first scalar row; blocks follow one another without gaps
    int dim;       ///< number of rows, >= 1; 1 of a unilateral block or a box, 2 or 3 of a Coulomb
                   ///< block
    double mu; ///< friction of a Coulomb block, finite, >= 0 (0: r_T = 0, u_T free); of a box the
               ///< bound of |r|, finite, >= 0; 0 in others
} pcs_block;

/// What the forms that know the velocities of the bodies say about q = H v + shift
/// (doc/measures.md). Norms in which far targets do not count: speeds that rows need not reach, and
/// that are much larger than those of the bodies; both are positive, or both are 0: |q|. And the
/// rounding of q: its terms may cancel.
typedef struct pcs_far {
    double unit;     ///< for the unit of the residual: no far target counts
    double met;      ///< for the size of the data: a box counts with what its own impulse can reach
    double rounding; ///< 2.2e-16 | |H||v| |, a velocity; 0: the numbers of q are exact
} pcs_far;

/// u = W r + q over a product of cones. W may be unsymmetric, singular or indefinite. The
/// rows of one cone block lie within one block row of W; W's row and column partitions are
/// equal. The struct borrows everything.
typedef struct pcs_problem {
    int n;                  ///< scalar rows; 0 is an empty problem
    int nb;                 ///< cone blocks
    const pcs_block *block; ///< nb
    pcs_bsr W;              ///< n x n
    const double *q;        ///< n
    pcs_far far;            ///< zero: the residual is relative to the whole of q, which is exact
} pcs_problem;

/// Checks a problem: sizes, order of the blocks, finiteness. The solvers call it first.
PCS_NODISCARD PCS_API pcs_status pcs_problem_check(const pcs_problem *p);

/// The same problem with W in blocks of the cones, without zero blocks, where this halves the
/// memory of W: for dense matrices of contacts of which most are not coupled. Else *out is *p. New
/// arrays come from the arena (PCS_ERR_MEMORY when it does not fit), the rest is borrowed from p.
/// pcs_solve_alloc and the readers of files do this for problems with friction.
PCS_NODISCARD PCS_API pcs_status pcs_problem_compress(const pcs_problem *p, pcs_arena *arena,
                                                      pcs_problem *out);

/// How well r solves a problem (theory 7.7, doc/measures.md). Block i of dimension d_i uses rho_i =
/// d_i / tr W_ii (d_i / max_j tr W_jj if tr W_ii <= 0, or 1 if none is positive) and F_i = r_i -
/// P_K(r_i - rho_i s(u_i)). W, r and q are rounded numbers, which blurs u = W r + q by `rounding`:
/// neither of the first two is reported smaller than that of W r, for any computed F, and norms of
/// q count no less than 2.1e9 far.rounding: a smaller q has less than half of its digits.
typedef struct pcs_measure {
    double residual;    ///< |(F_i / rho_i)_i| / max(q_unit, |W r|), but not below that of W r over
                        ///< the same: velocity over velocity. With q = 0, over | |W||r| |
    double natural_map; ///< |r - P_K(r - s(u))|, rho = 1, as published, but not below that of W r
    double q_unit;      ///< Euclidean norm of q; with far targets far.unit
    double norm_q;      ///< Euclidean norm of q; with far targets far.met
    double norm_wr;     ///< Euclidean norm of W r
    double norm_r;      ///< Euclidean norm of r
    double norm_u;      ///< Euclidean norm of u = W r + q (not of s(u))
    double rounding;    ///< 2.2e-16 | |W||r| |, a velocity; with friction at least 2.2e-16 times
                        ///< the norm of |r_T| / rho_i (no rounded r_T has the length mu r_N). And
                        ///< far.rounding
} pcs_measure;

/// Computes u = W r + q and the measures of r. `p` must pass pcs_problem_check; r and u have n
/// entries. A NaN in r gives NaN measures, and so does a null pointer. Never allocates.
PCS_API void pcs_problem_measure(const pcs_problem *p, const double *r, double *u,
                                 pcs_measure *out);

/// natural_map / max(norm_q, norm_r, norm_u); undivided where that maximum is <= 2.2e-16. NaN
/// of null.
PCS_API double pcs_measure_relative_natural_map(const pcs_measure *m);

/// The status of a block, as far as the error of r and u allows to decide.
typedef enum pcs_contact_status {
    PCS_CONTACT_OPEN,     ///< no impulse
    PCS_CONTACT_STICK,    ///< no velocity (equality blocks too)
    PCS_CONTACT_SLIDE,    ///< impulse at the limit mu r_N; without friction: any impulse (closed)
    PCS_CONTACT_UNDECIDED ///< near a border: the error of r or u is larger than the distance to it
} pcs_contact_status;

/// "open", "stick", "slide" or "undecided", never null.
PCS_API const char *pcs_contact_status_text(pcs_contact_status status);

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

#ifdef __cplusplus
}
#endif

#endif
