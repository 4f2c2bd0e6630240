/// @file
/// The position-projection problem: the smallest change of positions that closes violated gaps
/// (theory 8.1).
#ifndef PERCUSS_POSITION_H
#define PERCUSS_POSITION_H

#include <percuss/linalg.h>
#include <percuss/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The position problem at the current q: find dq so that the linearised gaps g + C dq obey their
/// rows (equality: 0, unilateral: >= 0). The problem does not know bodies: q is a vector, T maps
/// velocities to its rate, and some groups of four entries of q are quaternions. The struct borrows
/// everything. Which of its members a metric needs: Q: C. Q1: C, q, quat. V: T, and C or CT. MASS:
/// T, M, and C or CT. Where both C and CT are given CT is used. Block columns: those of C are the
/// block rows of T, those of CT its block columns.
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

/// One MLCP step of the position-projection problem (theory 8.1). Lambda (m; Q1 also solves for its
/// unit rows internally) and dq (nq) are outputs; the caller adds dq to q, renormalises
/// (pcs_position_normalise) and evaluates g again. Lambda starts from zero. An infeasible step is
/// an outcome in the report, with dq of the best Lambda found. `opts` null means the defaults of
/// PCS_SOLVER_AUTO. `work` is by value; when it is too small the function returns PCS_ERR_MEMORY,
/// and work.peak has the demand so far: grow the arena to it and call again.
PCS_NODISCARD PCS_API pcs_status pcs_solve_position(const pcs_position_problem *p,
                                                    pcs_metric metric, const pcs_solver_opts *opts,
                                                    pcs_arena work, double *Lambda, double *dq,
                                                    pcs_report *report);

/// Arena bytes pcs_solve_position needs for this problem. They depend on the pattern of S, which
/// is assembled for the purpose in memory from env (null: malloc) and released again.
PCS_NODISCARD PCS_API pcs_status pcs_solve_position_bytes(const pcs_env *env,
                                                          const pcs_position_problem *p,
                                                          pcs_metric metric,
                                                          const pcs_solver_opts *opts,
                                                          size_t *bytes);

/// As pcs_solve_position; it allocates its memory from env (null: malloc).
PCS_NODISCARD PCS_API pcs_status pcs_solve_position_alloc(
    const pcs_env *env, const pcs_position_problem *p, pcs_metric metric,
    const pcs_solver_opts *opts, double *Lambda, double *dq, pcs_report *report);

#ifdef __cplusplus
}
#endif

#endif
