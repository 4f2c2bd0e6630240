/// @file
/// The quality of a solution of <percuss/problem.h>: the status of every block and its margin, the
/// rank of the active set, whether r and u are unique; the r of least norm and the range of every
/// normal impulse for the u found.
#ifndef PERCUSS_CERTIFICATE_H
#define PERCUSS_CERTIFICATE_H

#include <percuss/global.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of solutions, as far as it is known.
typedef enum pcs_uniqueness {
    PCS_UNIQUENESS_UNKNOWN, ///< not decided
    PCS_UNIQUENESS_NO,      ///< there are others, arbitrarily near
    PCS_UNIQUENESS_LOCAL,   ///< no other solution nearby; far away there may be one
    PCS_UNIQUENESS_YES      ///< no other solution
} pcs_uniqueness;

/// "unknown", "no", "local" or "yes", never null.
PCS_API const char *pcs_uniqueness_text(pcs_uniqueness unique);

/// The certificate of a pair r, u = W r + q. All claims except the measures hold if the statuses
/// are right, the ranks are decided at 1e-10 (with a larger number where the direction of a slide
/// is less accurate), and the relative error of r and u is `error`.
typedef struct pcs_certificate {
    pcs_measure measure; ///< measure of r
    double error;  ///< relative error of r and u: statuses with a smaller margin are undecided;
                   ///< infinite when r is far from a solution (doc/measures.md)
    int open;      ///< unilateral and Coulomb blocks without impulse
    int closed;    ///< unilateral blocks with an impulse
    int stick;     ///< Coulomb blocks
    int slide;     ///< Coulomb blocks
    int undecided; ///< unilateral and Coulomb blocks
    double moved;  ///< relative change of u when Newton steps from r solve the problem to rounding;
                   ///< NaN: they did not solve it, or were not tried
    int columns;   ///< dimension of the changes of r that keep its statuses
    int rank;      ///< rank of W on these; -1: not computed (more than 1500 rows)
    pcs_uniqueness r; ///< uniqueness of r for this u: PCS_UNIQUENESS_YES, _NO or _UNKNOWN
    pcs_uniqueness u; ///< uniqueness of u
} pcs_certificate;

/// Judges r (n). tol >= 0 is the assumed relative error of r and u; twice the residual is used
/// where that is larger, and nothing is claimed of an r whose violation is beyond 1e-3 of q and
/// tol. status (nb) gets the status of each block; margin (nb, or null) is the distance to the
/// nearest point with another status, r_b s_b and u_b taken together, over max(|q|, |W r|):
/// infinite for equality blocks. s_b = tr W_bb / d_b converts an impulse to a velocity. Newton
/// steps from r to a solution confirm the statuses: a block with another status there is undecided.
/// PCS_ERR_ARG when a number is not finite. Memory from env (null: malloc), released on return; the
/// rank costs a dense factorisation.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_compute(const pcs_env *env, const pcs_problem *p,
                                                         double tol, const double *r,
                                                         pcs_contact_status *status, double *margin,
                                                         pcs_certificate *out);

/// As pcs_certificate_compute, for the global form and without Newton steps. W is assembled only to
/// compute the rank.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_compute_global(
    const pcs_env *env, const pcs_global_problem *g, double tol, const double *r,
    pcs_contact_status *status, double *margin, pcs_certificate *out);

/// The statuses alone: as pcs_certificate_compute without ranks, at the cost of a product with W.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_statuses(const pcs_env *env, const pcs_problem *p,
                                                          double tol, const double *r,
                                                          pcs_contact_status *status,
                                                          double *margin, pcs_certificate *out);

/// As pcs_certificate_statuses, for the global form.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_statuses_global(
    const pcs_env *env, const pcs_global_problem *g, double tol, const double *r,
    pcs_contact_status *status, double *margin, pcs_certificate *out);

/// The shortest r' in K with W r' = W r that is complementary to the velocities of r: least (n).
/// Shortest in the Euclidean norm, which depends on the units when impulses of different kinds
/// meet. Undecided blocks may have any of their possible statuses. NaN when none was found.
/// PCS_ERR_UNSUPPORTED beyond 1500 rows.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_least_impulse(const pcs_env *env,
                                                               const pcs_problem *p, double tol,
                                                               const double *r, double *least);

/// How springs share the impulses (pcs_certificate_elastic_impulse).
typedef struct pcs_elastic_report {
    pcs_measure measure; ///< of the impulses found, in the contact problem
    double energy;       ///< of the springs: sum of (r - before)^2 / (2 stiffness) over all rows
    double violation;    ///< of the law that the springs obey, relative to the largest impulse, or
                         ///< of W r' = W r, relative to max(|q|, |W r|): the larger
    double moved;        ///< where no impulses were found: relative change of u in the problem with
                         ///< springs of a finite, large stiffness; NaN: not solved. Else 0
    int slips;           ///< contacts and boxes at rest (u = 0) whose springs let them slip
    int programs;        ///< cone programs solved; more than one where springs slip or slide
    pcs_uniqueness unique; ///< of these impulses for these springs; unknown where an undecided
                           ///< block bears one
} pcs_elastic_report;

/// The impulses that springs in series with every row leave as they become stiff, their ratios
/// kept: of all r' with W r' = W r that are complementary to the velocities of r the one that the
/// springs allow (doc/certificate.md): elastic (n), in the cones, the same for every r with these
/// velocities. Without slip of the springs it is the r' of least energy. stiffness (n, or null: all
/// equal) is the spring of each row, > 0, N/m or, of an angle, N m/rad; only ratios matter. before
/// (n, or null: zeros) are the impulses (force times time step) of the springs when the bodies do
/// not move: the stretched springs of an earlier state, minus stiffness times length times time
/// step for a leg that is too short. Undecided blocks may have any of their possible statuses. So
/// tol is not less than the accuracy of q: of a step at rest, whose gaps earlier steps have left,
/// their tolerance; with less, gaps without meaning open contacts. NaN when no impulses with these
/// velocities satisfy the law of the springs to 1e-7, as springs let the bodies move otherwise;
/// report (or null) says how far the search came. PCS_ERR_UNSUPPORTED beyond 1500 rows and where W
/// is not positive semidefinite. T. Olsen, K. Kamrin, Resolving force indeterminacy in contact
/// dynamics using compatibility conditions, 2018, without friction.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_elastic_impulse(
    const pcs_env *env, const pcs_problem *p, double tol, const double *r, const double *stiffness,
    const double *before, double *elastic, pcs_elastic_report *report);

/// The smallest and the largest normal impulse of every block over the same r': low and high (nb);
/// high is infinite when there is no bound (wedging). Zero for open blocks, NaN for equality blocks
/// and boxes, and for values that were not found. Blocks that pcs_certificate_compute, with its
/// Newton steps, leaves undecided make intervals wider, not narrower. Two small cone programs per
/// block: about na^4 operations for na active directions.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_impulse_intervals(const pcs_env *env,
                                                                   const pcs_problem *p, double tol,
                                                                   const double *r, double *low,
                                                                   double *high);

/// The proof that a problem has no solution, where there is one by normals: y (n) along normals (>=
/// 0) and rows of equalities, its largest entry 1, with W y = 0 to rounding. No r changes y.u = q.y
/// < 0, but all of these contacts open or rest, and these equalities hold, only with y.u >= 0: they
/// are wedged, or their motions contradict one another. A W y that is not zero counts as well where
/// y.u >= 0 needs velocities 1e5 times as large as those of q, in the scales of the diagonal of W.
/// closing (or null) is -q.y / sum |y|, m/s
/// (rad/s and m/s where rows are mixed): the mean rate at which these rows are violated whatever
/// the impulses. y and closing are zero where no such proof was found; a problem may still have no
/// solution. PCS_ERR_UNSUPPORTED beyond 1500 rows.
PCS_NODISCARD PCS_API pcs_status pcs_certificate_refute(const pcs_env *env, const pcs_problem *p,
                                                        double *y, double *closing);

#ifdef __cplusplus
}
#endif

#endif
