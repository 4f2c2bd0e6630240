/// @file
/// Solving the problem of <percuss/problem.h>: options, outcome, report, the
/// solver table, and entries for LCP, MLCP and the position-projection problem.
#ifndef PERCUSS_SOLVER_H
#define PERCUSS_SOLVER_H

#include <stdbool.h>

#include <percuss/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The solvers, in the order of the table.
typedef enum pcs_solver {
    PCS_SOLVER_AUTO,   ///< the portfolio: picks, and falls back when the pick does not converge
    PCS_SOLVER_DIRECT, ///< linear solve; equality blocks only
    PCS_SOLVER_ENUM,  ///< enumeration of active sets and modes: small problems, the exact reference
    PCS_SOLVER_LEMKE, ///< complementary pivoting
    PCS_SOLVER_NSGS,  ///< nonsmooth (projected) Gauss-Seidel with relaxation
    PCS_SOLVER_NEWTON,        ///< semismooth Newton on a complementarity function, line search
    PCS_SOLVER_PROX,          ///< proximal point loop around semismooth Newton
    PCS_SOLVER_IPM,           ///< primal-dual interior point; monotone problems, friction
    PCS_SOLVER_HOMOTOPY,      ///< path of a smoothed problem past its turning points; friction
    PCS_SOLVER_ADMM,          ///< ADMM: factors of W + rho I, then cheap iterations
    PCS_SOLVER_APGD,          ///< accelerated projected gradient, shift of friction frozen
    PCS_SOLVER_EXTRAGRADIENT, ///< extragradient with a self-adaptive step
    PCS_SOLVER_TRESCA,        ///< fixed point on the bounds mu r_N, convex problems between
    PCS_SOLVER_ACLM           ///< fixed point on the shifts mu |u_T|, convex problems between
} pcs_solver;

/// How the mathematics ended.
#define PCS_OUTCOME_LIST(X)                 \
    X(PCS_OUTCOME_CONVERGED, "converged")   \
    X(PCS_OUTCOME_MAX_ITERS, "max_iters")   \
    X(PCS_OUTCOME_TIME_LIMIT, "time_limit") \
    X(PCS_OUTCOME_STOPPED, "stopped")       \
    X(PCS_OUTCOME_STALLED, "stalled")       \
    X(PCS_OUTCOME_DIVERGED, "diverged")     \
    X(PCS_OUTCOME_INFEASIBLE, "infeasible")

/// PCS_OUTCOME_CONVERGED only when the measure asked for, recomputed from r at the end, is <= tol,
/// or is only the rounding of u = W r + q while at least half of the digits remain; and never where
/// W r or r has grown so large that q has no effect on the measure (doc/measures.md);
/// PCS_OUTCOME_INFEASIBLE only with a proof (a certificate that u in K*, r in K is impossible, or a
/// complete enumeration); PCS_OUTCOME_STALLED also for a secondary ray of lemke that does not
/// certify infeasibility.
typedef enum pcs_outcome {
#define X(id, text) id,
    PCS_OUTCOME_LIST(X)
#undef X
} pcs_outcome;

/// The word of an outcome, never null.
PCS_API const char *pcs_outcome_text(pcs_outcome outcome);

/// The measure that a solver compares with tol (doc/measures.md).
typedef enum pcs_stop {
    PCS_STOP_RESIDUAL, ///< pcs_measure.residual, free of units
    PCS_STOP_NATURAL,  ///< the relative natural map, as published; the residual at most 1000 tol
    PCS_STOP_BOTH,     ///< the larger of the two
    PCS_STOP_RELAXED   ///< aims at both; where that fails, the condition of PCS_STOP_NATURAL is
                       ///< enough
} pcs_stop;

/// The complementarity function whose zero newton looks for.
typedef enum pcs_newton_function {
    PCS_NEWTON_FUNCTION_FB, ///< Fischer-Burmeister; on Coulomb blocks that of the second-order cone
    PCS_NEWTON_FUNCTION_NATURAL, ///< r - P_K(r - rho s(u)); min(r, rho u) on unilateral rows
    PCS_NEWTON_FUNCTION_AC,      ///< Alart-Curnier: a disc of radius mu max(0, r_N - rho u_N)
    PCS_NEWTON_FUNCTION_JM,      ///< Jean-Moreau: the same with radius mu max(0, r_N)
    PCS_NEWTON_FUNCTION_MIN =
        PCS_NEWTON_FUNCTION_NATURAL ///< its name where there are unilateral rows only
} pcs_newton_function;

/// Options of PCS_SOLVER_AUTO.
typedef struct pcs_auto_opts {
    int without; ///< the parts that are left out: the sum of 2^(number - 1), with the numbers in
                 ///< the tables of doc/solver-auto.md
    double kappa; ///< with which proximal points of problems with friction begin, and the finish of
                  ///< bodies (doc/finish.md); 0: 10. Where Newton's method fails with it, the
                  ///< finish begins again with 10
} pcs_auto_opts;

/// Options of PCS_SOLVER_ENUM.
typedef struct pcs_enum_opts {
    int max_rows;     ///< problems with more unilateral rows are refused
    int max_contacts; ///< problems with more Coulomb blocks are refused
} pcs_enum_opts;

/// How nsgs solves one contact with friction, the others held.
typedef enum pcs_nsgs_local {
    PCS_NSGS_LOCAL_EXACT,      ///< tries open, stick and slide, the last by a scalar root
    PCS_NSGS_LOCAL_NEWTON,     ///< semismooth Newton on the functions of Alart and Curnier
    PCS_NSGS_LOCAL_FIXED_POINT ///< r_N, then r_T by projected steps, repeated; each with its own
                               ///< scale
} pcs_nsgs_local;

/// The order in which nsgs visits the blocks.
typedef enum pcs_nsgs_order {
    PCS_NSGS_ORDER_FORWARD,   ///< in the order of the problem
    PCS_NSGS_ORDER_BACKWARD,  ///< from the last to the first
    PCS_NSGS_ORDER_SYMMETRIC, ///< forward and backward in turn
    PCS_NSGS_ORDER_SHUFFLE    ///< a new random order for every sweep, from the seed
} pcs_nsgs_order;

/// Options of PCS_SOLVER_NSGS.
typedef struct pcs_nsgs_opts {
    double relaxation;    ///< 0 < relaxation < 2; 1 is plain Gauss-Seidel
    int check_every;      ///< sweeps between two exact residuals
    pcs_nsgs_local local; ///< solver of one Coulomb block
    int local_iters;      ///< steps of PCS_NSGS_LOCAL_NEWTON and PCS_NSGS_LOCAL_FIXED_POINT
    pcs_nsgs_order order; ///< order of the visits
    int seed;             ///< seed of PCS_NSGS_ORDER_SHUFFLE
    int depth; ///< depth of the Anderson acceleration, which is applied at every check; 0: none
} pcs_nsgs_opts;

/// Options of PCS_SOLVER_NEWTON.
typedef struct pcs_newton_opts {
    pcs_newton_function function; ///< the function whose zero is sought
    int max_backtracks;           ///< halvings of a step in the line search
    int restarts;                 ///< new starts after a stall
} pcs_newton_opts;

/// Options of PCS_SOLVER_PROX.
typedef struct pcs_prox_opts {
    pcs_newton_function function; ///< function of the inner Newton method
    double alpha;                 ///< first proximal weight, on the scaled diagonal of W
    int inner;                    ///< largest number of Newton steps for one proximal problem
} pcs_prox_opts;

/// How ipm treats the shift mu |u_T| of friction.
typedef enum pcs_ipm_shift {
    PCS_IPM_SHIFT_DIFFERENTIATED, ///< in every Newton system, which is then not symmetric
    PCS_IPM_SHIFT_LAGGED ///< the shift of the last iterate: symmetric systems when W is symmetric
} pcs_ipm_shift;

/// Where ipm and homotopy solve their linear systems.
typedef enum pcs_ipm_space {
    PCS_IPM_SPACE_AUTOMATIC, ///< body where bodies are given that have fewer velocities than
                             ///< rows
    PCS_IPM_SPACE_CONTACT,   ///< W, assembled where bodies are given
    PCS_IPM_SPACE_BODY       ///< the velocities of bodies; refused where there are none
} pcs_ipm_space;

/// Where ipm begins.
typedef enum pcs_ipm_start {
    PCS_IPM_START_CENTRE, ///< x = z = e, whatever r is given
    PCS_IPM_START_GIVEN ///< near the given r, as far from the boundary of the cones as r is from a
                        ///< solution
} pcs_ipm_start;

/// Options of PCS_SOLVER_IPM.
typedef struct pcs_ipm_opts {
    pcs_ipm_shift shift;   ///< treatment of the shift of friction
    double step_fraction;  ///< the fraction of the distance to the boundary of the cones that a
                           ///< step goes, below 1
    double regularisation; ///< proximal weight on W, scaled to a diagonal of about 1
    pcs_ipm_space space;   ///< unknowns of the linear systems
    pcs_ipm_start start;   ///< first point
} pcs_ipm_opts;

/// Options of PCS_SOLVER_HOMOTOPY.
typedef struct pcs_homotopy_opts {
    int steps;        ///< after this many another start is tried: the best r and the common
                      ///< start in turn, with other random numbers each time; 0: 300, and of
                      ///< the first one per two blocks where these are more
    int first;        ///< number of the first start; another one gives other tries
    double smoothing; ///< c of the smoothed shift sqrt(|z_T|^2 + (c t)^2), of the first six tries
    pcs_ipm_space space; ///< unknowns of the linear systems
} pcs_homotopy_opts;

/// How admm chooses its penalty rho, for a problem scaled to a diagonal of W near 1.
typedef enum pcs_admm_penalty {
    PCS_ADMM_PENALTY_LADDER, ///< rho, then rho / 10, rho / 100, 10 rho in turn when progress stops
    PCS_ADMM_PENALTY_SPECTRAL, ///< from the extreme eigenvalues of W
    PCS_ADMM_PENALTY_BALANCED, ///< follows the ratio of the primal and the dual residual
    PCS_ADMM_PENALTY_FIXED     ///< rho
} pcs_admm_penalty;

/// Options of PCS_SOLVER_ADMM.
typedef struct pcs_admm_opts {
    pcs_admm_penalty penalty; ///< how rho changes
    double rho;               ///< first rho (PCS_ADMM_PENALTY_SPECTRAL does not use it)
    double eta;        ///< lower bound of the ratio of the smallest eigenvalue of W to the largest
    double relaxation; ///< 0 < relaxation < 2; 1 is plain ADMM
    double damping;    ///< 0 < damping <= 1, of the changes of mu |u_T|
    int depth;         ///< depth of the Anderson acceleration; 0: none
    int check_every;   ///< iterations between two exact residuals
} pcs_admm_opts;

/// Options of PCS_SOLVER_APGD.
typedef struct pcs_apgd_opts {
    bool relaxed;    ///< omits the shift mu |u_T|: solves the convex relaxation of the law
    double part;     ///< inner over outer residual at which the shift changes
    int inner_iters; ///< largest number of steps between two changes of the shift
} pcs_apgd_opts;

/// Options of PCS_SOLVER_EXTRAGRADIENT.
typedef struct pcs_extragradient_opts {
    double low;      ///< the step grows below this ratio of changes
    double high;     ///< the step shrinks above this ratio, < 1
    int check_every; ///< iterations between two exact residuals
} pcs_extragradient_opts;

/// How tresca and aclm solve their convex problems.
typedef enum pcs_inner {
    PCS_INNER_ADMM, ///< as admm, with the cone or the cylinders alone
    PCS_INNER_APGD  ///< accelerated projected gradient
} pcs_inner;

/// Options of PCS_SOLVER_TRESCA and PCS_SOLVER_ACLM.
typedef struct pcs_fixed_point_opts {
    pcs_inner inner; ///< solver of the convex problems
    double part;     ///< inner over outer residual at which the bounds or shifts change
    int inner_iters; ///< largest number of iterations between two changes
    int depth;       ///< depth of the Anderson acceleration of the bounds or shifts; 0: none
} pcs_fixed_point_opts;

/// Options are a value: o = pcs_solver_opts_default(PCS_SOLVER_NSGS); o.tol = 1e-12;
/// o.as.nsgs.relaxation = 1.2;
typedef struct pcs_solver_opts {
    pcs_solver kind;    ///< which solver; decides the member of `as`
    double tol;         ///< > 0
    pcs_stop stop;      ///< the measure compared with tol
    int max_iters;      ///< pivots, sweeps or steps; for auto a budget of work units
    double max_seconds; ///< ends with PCS_OUTCOME_TIME_LIMIT and the best r so far; 0: no limit. An
                        ///< iteration that has begun is not interrupted, but none is begun that
                        ///< would end later if it is as long as the last one
    union {
        pcs_auto_opts portfolio;
        pcs_enum_opts enumerate;
        pcs_nsgs_opts nsgs;
        pcs_newton_opts newton;
        pcs_prox_opts prox;
        pcs_ipm_opts ipm;
        pcs_homotopy_opts homotopy;
        pcs_admm_opts admm;
        pcs_apgd_opts apgd;
        pcs_extragradient_opts extragradient;
        pcs_fixed_point_opts tresca;
        pcs_fixed_point_opts aclm;
    } as; ///< the member that belongs to kind
} pcs_solver_opts;

/// The defaults of a solver; an unknown kind gives those of PCS_SOLVER_AUTO.
PCS_API pcs_solver_opts pcs_solver_opts_default(pcs_solver kind);

/// Refuses an unknown kind, and numbers outside the ranges of the option table, with a sentence;
/// pcs_solve does so too.
PCS_NODISCARD PCS_API pcs_status pcs_solver_opts_check(const pcs_solver_opts *opts);

/// The progress of a solve. The numbers describe the iterate that was measured last, which is not
/// always the best so far.
typedef struct pcs_progress {
    pcs_solver solver;  ///< the solver at work: for auto one of its parts, or PCS_SOLVER_AUTO
                        ///< itself
    int part;           ///< number of the part of auto (doc/solver-auto.md); 0: none
    int iters;          ///< its pivots, sweeps or steps; every part of auto counts from zero
    double value;       ///< the measure compared with tol
    double residual;    ///< pcs_measure.residual
    double natural_map; ///< relative, pcs_measure_relative_natural_map
    double step;        ///< length of the last step, 1 is a full one; NaN where there is none
    double penalty;     ///< barrier, proximal weight or penalty, as the solver's page says; or NaN
    int status_changes; ///< blocks that opened, stuck or began to slide since the last call, judged
                        ///< by the branch of the natural map they are on; -1 in the first call
} pcs_progress;

/// Called once per iteration (or every few, where one is very cheap). A non-zero return value stops
/// the solve with PCS_OUTCOME_STOPPED; pcs_solve says converged if r is within tol already, which
/// bodies and steps never say after a stop. {0}: no watch, without cost.
typedef struct pcs_watch {
    int (*fn)(void *user, const pcs_progress *now); ///< non-zero stops; null: no watch
    void *user;                                     ///< passed to fn
} pcs_watch;

/// The report of a solve.
typedef struct pcs_report {
    pcs_outcome outcome; ///< how it ended
    pcs_solver solver;   ///< the solver that produced r (for auto: its part)
    int part;            ///< the number of this part (doc/solver-auto.md); 0: none
    int iters;           ///< pivots, sweeps or steps
    double
        units; ///< auto: the part of max_iters that it used, in products with W; other solvers: 0
    double seconds;      ///< time of the solve only; 0 for a single row, which takes less time than
                         ///< reading the clock
    pcs_measure measure; ///< measure of the r returned
    double least;        ///< homotopy: the least t of its paths from t = 1, where a solution has
                         ///< t = 0; 0 where it did not run
    int undecided;       ///< homotopy: blocks that were neither open, stuck nor sliding for certain
                   ///< there; pcs_certificate_statuses says which ones are so at the r returned
} pcs_report;

/// Arena bytes pcs_solve needs for this problem and these options.
PCS_API size_t pcs_solve_bytes(const pcs_problem *p, const pcs_solver_opts *opts);

/// Solves. `opts` null means the defaults of PCS_SOLVER_AUTO. r (n): on entry the starting point
/// (zeros if nothing better is known; must be finite), on return the best impulse found. u (n): W r
/// + q. `work` is passed by value: the arena has its contents back on return. Returns PCS_OK
/// whenever the solve ran; read report->outcome. Never prints and allocates nothing itself; for
/// large sparse symmetric W (auto, direct) CHOLMOD does, with malloc, and has released all of it on
/// return. Without that memory the solve continues as for a dense W, or the report gives the
/// residual reached.
PCS_NODISCARD PCS_API pcs_status pcs_solve(const pcs_problem *p, const pcs_solver_opts *opts,
                                           pcs_watch watch, pcs_arena work, double *r, double *u,
                                           pcs_report *report);

/// As pcs_solve without watch; it allocates its memory from env (null: malloc).
PCS_NODISCARD PCS_API pcs_status pcs_solve_alloc(const pcs_env *env, const pcs_problem *p,
                                                 const pcs_solver_opts *opts, double *r, double *u,
                                                 pcs_report *report);

/// LCP: w = M z + q, 0 <= z _|_ w >= 0. M is n x n column-major. z (n): start on entry, solution
/// on return; w (n). opts null: auto. Allocates with malloc.
PCS_NODISCARD PCS_API pcs_status pcs_solve_lcp(int n, const double *M, const double *q,
                                               const pcs_solver_opts *opts, double *z, double *w,
                                               pcs_report *report);

/// MLCP with a kind for each row, in any order: w = M z + q; equality rows w = 0 with z free,
/// unilateral rows 0 <= z _|_ w >= 0. M is n x n column-major.
PCS_NODISCARD PCS_API pcs_status pcs_solve_mlcp(int n, const pcs_cone *kind, const double *M,
                                                const double *q, const pcs_solver_opts *opts,
                                                double *z, double *w, pcs_report *report);

/// MLCP in the form 0 = A u + C v + a, w = D u + B v + b, 0 <= v _|_ w >= 0, with n equalities
/// and m complementarities; A n x n, B m x m, C n x m, D m x n, all column-major. u (n) and
/// v (m): start on entry, solution on return; w (m).
PCS_NODISCARD PCS_API pcs_status pcs_solve_mlcp_abcd(int n, int m, const double *A, const double *B,
                                                     const double *C, const double *D,
                                                     const double *a, const double *b,
                                                     const pcs_solver_opts *opts, double *u,
                                                     double *v, double *w, pcs_report *report);

/// Coulomb friction at nc contacts in space: u = W r + q, rows N T1 T2 of each contact. W is
/// 3 nc x 3 nc column-major, q, r and u have 3 nc entries, mu nc. r: start on entry, solution on
/// return. opts null: auto. Allocates with malloc. Block-sparse W and mixtures with other
/// cones: build a pcs_problem.
PCS_NODISCARD PCS_API pcs_status pcs_solve_fc3d(int nc, const double *W, const double *q,
                                                const double *mu, const pcs_solver_opts *opts,
                                                double *r, double *u, pcs_report *report);

/// The same in the plane: rows N T, 2 nc of them.
PCS_NODISCARD PCS_API pcs_status pcs_solve_fc2d(int nc, const double *W, const double *q,
                                                const double *mu, const pcs_solver_opts *opts,
                                                double *r, double *u, pcs_report *report);

/// The same with W in block-sparse rows, borrowed, of contacts in `dim` = 2 or 3 dimensions: every
/// contact must lie within one block row.
PCS_NODISCARD PCS_API pcs_status pcs_solve_friction(int dim, int nc, const pcs_bsr *W,
                                                    const double *q, const double *mu,
                                                    const pcs_solver_opts *opts, double *r,
                                                    double *u, pcs_report *report);

#ifdef __cplusplus
}
#endif

#endif
