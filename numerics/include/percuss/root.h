/// @file
/// Newton's method for f(x) = 0 with a line search (theory 10), and Jacobians by callback, finite
/// differences or the complex step.
///
/// @code
/// const pcs_map circle = {.n = 2, .m = 2, .f = on_circle_and_line};
/// pcs_arena work;
/// pcs_arena_create(NULL, pcs_root_solve_bytes(2), &work);
/// double x[2] = {1, 0.5};
/// pcs_root_report report;
/// pcs_root_solve(&circle, NULL, work, x, &report); // report.outcome == PCS_ROOT_CONVERGED
/// pcs_arena_destroy(NULL, &work);
/// @endcode
///
/// Nothing here allocates: the caller's arena, passed by value, has its contents back on return.
#ifndef PERCUSS_ROOT_H
#define PERCUSS_ROOT_H

#include <stdbool.h>

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A complex number: C's own where there is one. The same layout in C and C++.
#ifdef __cplusplus
typedef struct pcs_complex {
    double re, im;
} pcs_complex;
#else
typedef double _Complex pcs_complex;
#endif

/// The source of derivatives.
typedef enum pcs_derivative {
    PCS_DERIVATIVE_BEST,       ///< the callback if there is one, else the complex step if there is
                               ///< a complex function, else finite differences
    PCS_DERIVATIVE_CALLBACK,   ///< the Jacobian callback
    PCS_DERIVATIVE_COMPLEX,    ///< Im f(x + i h e_j) / h, h = 1e-100: exact to rounding. f must be
                               ///< analytic: no fabs, no cabs, no conj
    PCS_DERIVATIVE_DIFFERENCES ///< (f(x + h e_j) - f(x)) / h, h = sqrt(eps) max(|x_j|, scale_j)
} pcs_derivative;

// ---- maps and their Jacobians

/// f = f(x), m numbers of n. A non-zero return value or a number that is not finite means that f
/// is not defined there.
typedef int (*pcs_map_fn)(void *user, const double *x, double *f);
/// J = df/dx, m x n column-major.
typedef int (*pcs_map_jacobian_fn)(void *user, const double *x, double *J);
/// f of a complex x.
typedef int (*pcs_map_complex_fn)(void *user, const pcs_complex *x, pcs_complex *f);

/// A map from R^n to R^m.
typedef struct pcs_map {
    int n;                        ///< size of x, >= 1
    int m;                        ///< size of f, >= 1
    pcs_map_fn f;                 ///< must not be null
    pcs_map_jacobian_fn jacobian; ///< or null
    pcs_map_complex_fn f_complex; ///< or null
    const double *x_scale; ///< n sizes > 0 below which x_j counts as small, or null: 1. They are in
                           ///< the units of x
    const double *f_scale; ///< m sizes > 0 of f, or null: the sizes from J (row by row, the largest
                           ///< |J_ij| times the size of x_j)
    void *user;            ///< passed to the callbacks
} pcs_map;

/// Arena bytes that a Jacobian of an m x n map takes.
PCS_API size_t pcs_jacobian_bytes(int m, int n);

/// J = df/dx at x, m x n column-major, by the method given. PCS_ERR_ARG if the function it needs is
/// null, PCS_ERR_CALLBACK if a callback fails or returns a number that is not finite: J is then
/// meaningless.
PCS_NODISCARD PCS_API pcs_status pcs_jacobian(const pcs_map *map, pcs_derivative how,
                                              const double *x, pcs_arena work, double *J);

/// The difference between a Jacobian callback and derivatives of f.
typedef struct pcs_jacobian_mismatch {
    double relative; ///< largest |J_ij - R_ij| size_j / max_k max(|J_ik|, |R_ik|) size_k, where R
                     ///< is the Jacobian from f and size_j = max(|x_j|, scale_j)
    int row;         ///< row of that entry
    int column;      ///< column of that entry
    double given;    ///< J_ij of that entry
    double found;    ///< R_ij of that entry
    pcs_derivative
        reference; ///< the source of R: PCS_DERIVATIVE_COMPLEX if there is f_complex, else
                   ///< PCS_DERIVATIVE_DIFFERENCES (central ones, good to 1e-9 or so)
} pcs_jacobian_mismatch;

/// Compares the Jacobian callback with the complex step or with central differences at x: a correct
/// derivative has `relative` of 1e-12 or, with differences, 1e-8. `work` needs twice
/// pcs_jacobian_bytes.
PCS_NODISCARD PCS_API pcs_status pcs_jacobian_check(const pcs_map *map, const double *x,
                                                    pcs_arena work, pcs_jacobian_mismatch *out);

// ---- Newton's method

/// How Newton's method iterates and when it stops.
typedef struct pcs_root_opts {
    double tol; ///< pcs_root_solve: the last step |dx_j| is at most tol max(|x_j|, scale_j).
                ///< Implicit stages: see pcs_ode_opts
    double residual_tol; ///< pcs_root_solve: |f_i| is at most residual_tol f_scale_i (null: 1); 0:
                         ///< no such test. Implicit stages do not use it
    int max_iters;       ///< iterations, >= 1
    int backtracks;      ///< halvings of a step that does not reduce |f|; 0: full steps
    pcs_derivative derivative; ///< source of the Jacobian
} pcs_root_opts;

/// tol = 1e-13, 50 iterations, 20 backtracks, best derivative.
PCS_API pcs_root_opts pcs_root_opts_default(void);

/// How Newton's method ended.
typedef enum pcs_root_outcome {
    PCS_ROOT_CONVERGED, ///< x is a root to the tolerances
    PCS_ROOT_MAX_ITERS, ///< max_iters iterations were not enough
    PCS_ROOT_STALLED    ///< no step along Newton's direction reduces |f|: a local minimum of it, a
                        ///< wrong Jacobian, or tolerances below rounding
} pcs_root_outcome;

/// The words of an outcome, never null.
PCS_API const char *pcs_root_outcome_text(pcs_root_outcome outcome);

/// The report of Newton's method.
typedef struct pcs_root_report {
    pcs_root_outcome outcome; ///< how it ended
    int iters;                ///< steps made
    long evaluations; ///< evaluations of f, including those for differences, and of f_complex
    long jacobians;   ///< Jacobians formed and factorised
    double step;      ///< size of the last step, max |dx_j| / max(|x_j|, scale_j)
    double residual;  ///< max |f_i| / f_scale_i at x
} pcs_root_report;

/// Arena bytes that pcs_root_solve takes for n unknowns.
PCS_API size_t pcs_root_solve_bytes(int n);

/// Solves f(x) = 0, m = n, from the guess in x: x <- x + alpha dx with J dx = -f, alpha = 1, 1/2,
/// 1/4 ... until the norm of the scaled f is less (Armijo), so that the iteration does not depend
/// on the units of f nor of x. A step to a point where f is not defined is shortened too.
///
/// Converged means: a full step was made, it was below tol, the error estimated from the rate of
/// contraction is as well, and the residual test holds; a NaN never counts as converged. Otherwise
/// PCS_OK with another outcome, and x is the last iterate. After an error x is unchanged:
/// PCS_ERR_SINGULAR (J is singular to working precision), PCS_ERR_CALLBACK (f fails at the guess or
/// after every step from an iterate, or in a Jacobian), PCS_ERR_ARG, PCS_ERR_MEMORY (`work` is too
/// small). `opts` null: the defaults. `report` must not be null.
PCS_NODISCARD PCS_API pcs_status pcs_root_solve(const pcs_map *map, const pcs_root_opts *opts,
                                                pcs_arena work, double *x, pcs_root_report *report);

#ifdef __cplusplus
}
#endif

#endif
