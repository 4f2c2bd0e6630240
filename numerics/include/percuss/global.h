/// @file
/// The global form of a contact problem, M v = H^T r + f, u = H v + w: its residual, its solution,
/// and the conversion from and to the local form u = W r + q of <percuss/problem.h>.
#ifndef PERCUSS_GLOBAL_H
#define PERCUSS_GLOBAL_H

#include <percuss/linalg.h>
#include <percuss/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The global form: M v = H^T r + f, u = H v + w, the same cones.
typedef struct pcs_global_problem {
    int nb;                   ///< cone blocks
    const pcs_block *block;   ///< nb; rows of H
    pcs_bsr H;                ///< constraints x velocities
    const pcs_mass_matrix *M; ///< factorised mass
    const double *f; ///< velocity rows: impulse of the applied forces plus momentum, M v_free
    const double *w; ///< constraint rows, added to u; null means zero
} pcs_global_problem;

/// Checks a global problem: sizes, order of the blocks, finiteness; for a block-diagonal M that its
/// blocks are the block columns of H. The solvers call it.
PCS_NODISCARD PCS_API pcs_status pcs_global_check(const pcs_global_problem *g);

/// Condenses to the local form: W = H M^-1 H^T and q = H M^-1 f + w, both taken from the arena
/// (PCS_ERR_MEMORY with a demand in arena->peak when it does not fit); blocks are borrowed. The
/// demand is that of the parts whose size is known: what it takes to count the blocks of W, then
/// those, then one solve with M. With a larger arena it may grow: ask again until it fits.
PCS_NODISCARD PCS_API pcs_status pcs_global_condense(const pcs_global_problem *g, pcs_arena *arena,
                                                     pcs_problem *out);

/// The velocity that belongs to r: M v = H^T r + f. v has the size of M.
PCS_NODISCARD PCS_API pcs_status pcs_global_velocity(const pcs_global_problem *g, const double *r,
                                                     double *v);

/// The measures of theory 7.7 for the global form: v from M v = H^T r + f, u = H v + w, q = H M^-1
/// f + w and the W_ii of H M^-1 H^T, without any other block (a sparse M costs one solve per row of
/// H; a block-diagonal one the diagonal only). Equal to pcs_problem_measure of the condensed
/// problem to rounding. r and u have the rows of H, v those of M; v and u are written. `work` is by
/// value: PCS_ERR_MEMORY, with the demand in work.peak, when it is too small.
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
/// many columns as the rank of W (pivoted Cholesky, dense), M = 1, f = 0, w = q. Condensing it
/// gives W back to rounding. The original bodies are not recovered: any H with H H^T = W is
/// correct. PCS_ERR_UNSUPPORTED, with the size of the difference, when W is not symmetric or not
/// semidefinite to rounding. Blocks, q and the block rows of W are borrowed; H and f come from the
/// arena (PCS_ERR_MEMORY, with the demand in arena->peak, when it does not fit); M from env (null:
/// malloc), released by the caller with pcs_mass_matrix_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_problem_to_global(const pcs_env *env, const pcs_problem *p,
                                                       pcs_arena *arena, pcs_mass_matrix **M,
                                                       pcs_global_problem *out);

/// Bytes of the words of pcs_global_form, the final zero included.
#define PCS_GLOBAL_FORM_SIZE 160

/// Says in which form pcs_solve_global solves g, and in what its M is no mass: "bodies: 75 blocks
/// of M", "condensed: constraint 4 touches 3 blocks of M", and behind it "; block 2 of M is not
/// symmetric" or "; block 2 of M is not positive definite" (blocks and constraints count from 1).
/// Such an M is solved all the same. Memory from env (null: malloc), released on return.
PCS_NODISCARD PCS_API pcs_status pcs_global_form(const pcs_env *env, const pcs_global_problem *g,
                                                 char words[PCS_GLOBAL_FORM_SIZE]);

/// Solves the global form M v = H^T r + f, u = H v + w. `opts` null means the defaults of
/// PCS_SOLVER_AUTO. Where M is block-diagonal and every block of constraints touches one or two of
/// its blocks, a solver that has a method for bodies solves it as pcs_solve_bodies does; all else
/// is condensed. r (rows of H): on entry the starting point, on return
/// the best impulse found. v (rows of M) and u (rows of H) belong to that r. report->measure is
/// pcs_global_measure's, and PCS_OUTCOME_CONVERGED says that it is <= tol; a watch is called as by
/// pcs_solve. Memory from env (null: malloc), released on return.
PCS_NODISCARD PCS_API pcs_status pcs_solve_global(const pcs_env *env, const pcs_global_problem *g,
                                                  const pcs_solver_opts *opts, pcs_watch watch,
                                                  double *v, double *r, double *u,
                                                  pcs_report *report);

#ifdef __cplusplus
}
#endif

#endif
