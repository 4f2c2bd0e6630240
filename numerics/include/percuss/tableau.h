/// @file
/// Butcher tableaus of Runge-Kutta methods (theory 10): the named ones, families, collocation of
/// any number of stages, tableaus of the user; and the properties of a tableau without an
/// integration: consistency, order, stability.
///
/// A method with s stages takes x' = f(t, x) from x to x + h sum_i b_i K_i with
/// K_i = f(t + c_i h, x + h sum_j a_ij K_j). Tableaus are laid out as they are printed, row by row:
/// a_ij is A[s i + j].
#ifndef PERCUSS_TABLEAU_H
#define PERCUSS_TABLEAU_H

#include <stdbool.h>

#include <percuss/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most stages of a tableau.
#define PCS_TABLEAU_STAGES_MAX 64

/// A Butcher tableau. Users fill in this struct for their own; it borrows its arrays, which must
/// outlive its use.
typedef struct pcs_tableau {
    const char *name; ///< for messages and tables; may be null
    int s;            ///< stages, 1 .. PCS_TABLEAU_STAGES_MAX
    const double *A;  ///< s x s, row by row
    const double *b;  ///< s weights
    const double *c;  ///< s nodes
    int order;        ///< order of b; used to choose step sizes
    /// s weights of the second, lower-order solution of an embedded pair; null: none. A pair allows
    /// adaptive steps.
    const double *b_hat;
    int order_hat; ///< order of b_hat
    /// Dense output: x(t + theta h) = x + h sum_i b_i(theta) K_i with
    /// b_i(theta) = sum_k dense[degree i + k - 1] theta^k, k = 1 .. degree, b_i(1) = b_i. Null: the
    /// integrals of the Lagrange polynomials where `collocation` is set (pcs_tableau_weights), the
    /// cubic through both ends with their slopes elsewhere.
    const double *dense;
    int degree; ///< degree of dense
    /// The method is the collocation on its nodes, which are distinct.
    bool collocation;
} pcs_tableau;

// ---- named methods; never null, nothing to release

/// Explicit Euler, order 1.
PCS_API const pcs_tableau *pcs_tableau_explicit_euler(void);
/// Explicit midpoint rule, order 2 (b = (0, 1), erratum E-35).
PCS_API const pcs_tableau *pcs_tableau_midpoint(void);
/// Ralston's method, order 2: least error bound of its family (b = (1/4, 3/4), E-35).
PCS_API const pcs_tableau *pcs_tableau_ralston(void);
/// Heun's method, order 2.
PCS_API const pcs_tableau *pcs_tableau_heun(void);
/// Kutta's method, order 3.
PCS_API const pcs_tableau *pcs_tableau_kutta3(void);
/// Heun's method of order 3.
PCS_API const pcs_tableau *pcs_tableau_heun3(void);
/// The classical method of order 4.
PCS_API const pcs_tableau *pcs_tableau_rk4(void);
/// Bogacki and Shampine 1989, orders 3(2), last stage first of the next step.
PCS_API const pcs_tableau *pcs_tableau_bogacki_shampine(void);
/// Dormand and Prince 1980, orders 5(4), last stage first of the next step, dense output of
/// order 4.
PCS_API const pcs_tableau *pcs_tableau_dormand_prince(void);
/// Implicit Euler, order 1, L-stable.
PCS_API const pcs_tableau *pcs_tableau_implicit_euler(void);
/// Trapezoidal rule, order 2, A-stable.
PCS_API const pcs_tableau *pcs_tableau_trapezoid(void);
/// Hairer and Wanner's diagonally implicit pair (Solving ODEs II, table IV.6.5), orders 4(3), five
/// stages with one matrix, L-stable, its last stage is the end of the step: adaptive steps for
/// stiff systems and systems of index 1.
PCS_API const pcs_tableau *pcs_tableau_sdirk4(void);

/// Named method i in the order above; null if i is not in 0 .. pcs_tableau_count() - 1.
PCS_API const pcs_tableau *pcs_tableau_at(int i);
/// Number of named methods.
PCS_API int pcs_tableau_count(void);
/// A method by its name ("rk4", "dormand_prince", "gauss3", "radau2" ...), for command lines:
/// *out must be released with pcs_tableau_destroy. PCS_ERR_ARG lists the names.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_named(const pcs_env *env, const char *name,
                                                          pcs_tableau **out);

// ---- families; release with pcs_tableau_destroy

/// All explicit two-stage methods of order 2: c_2 = alpha, alpha != 0 (theory 10).
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_second_order(const pcs_env *env, double alpha,
                                                                 pcs_tableau **out);
/// Explicit three-stage methods of order 3 with nodes (0, u, v): u, v != 0, u != v, u != 2/3.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_third_order(const pcs_env *env, double u,
                                                                double v, pcs_tableau **out);
/// Gauss-Legendre with s stages, order 2 s, A-stable, symplectic.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_gauss(const pcs_env *env, int s,
                                                          pcs_tableau **out);
/// Radau IIA with s stages, order 2 s - 1, L-stable, its last stage is the end of the step.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_radau(const pcs_env *env, int s,
                                                          pcs_tableau **out);
/// The collocation method on s distinct nodes c in [0, 1], ascending: a_ij and b_i are the
/// integrals of the Lagrange polynomials. `order` is found from the nodes.
///
/// Collocation methods (also Gauss and Radau) have dense output of degree s and order at least s.
/// `dense` has its coefficients as long as sums of powers are accurate to 1e-12 (Gauss and Radau:
/// up to 7 stages); beyond, `dense` is null, and pcs_tableau_weights computes the values.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_create_collocation(const pcs_env *env, int s,
                                                                const double *c, pcs_tableau **out);
/// Accepts null.
PCS_API void pcs_tableau_destroy(pcs_tableau *tableau);

// ---- properties of a tableau

/// Checks sizes and finiteness, sum b = 1 (also of b_hat), c_i = sum_j a_ij, and that the dense
/// output ends at b; then the claimed orders, by their conditions up to order 5: to 1e-12 times the
/// size of the terms (or 1, if that is larger). The sentence of PCS_ERR_ARG names the first row or
/// condition that is wrong. Every integrator calls this first.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_check(const pcs_tableau *tableau);

/// A strictly lower triangular: no equations to solve.
PCS_API bool pcs_tableau_is_explicit(const pcs_tableau *tableau);
/// The last row of A is b and c_s = 1: the last stage is the end of the step.
PCS_API bool pcs_tableau_is_stiffly_accurate(const pcs_tableau *tableau);

/// The weights b_i(theta) of the dense output: those of `dense`, or of the collocation polynomial
/// for any number of stages (stable, about 6 s^2 operations). PCS_ERR_UNSUPPORTED if the tableau
/// has neither. Outside of 0 <= theta <= 1 they extrapolate.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_weights(const pcs_tableau *tableau, double theta,
                                                     double *b);

/// Number of order conditions of exactly this order (rooted trees): 1, 1, 2, 4, 9, 20, 48, 115 for
/// orders 1 to 8; 0 outside.
PCS_API int pcs_tableau_condition_count(int order);

/// Residuals b.Phi(tree) - 1/gamma(tree) of the conditions of exactly `order` (1 .. 8) for the
/// weights b (null: those of the tableau). `residual` has pcs_tableau_condition_count(order)
/// entries.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_residuals(const pcs_tableau *tableau, const double *b,
                                                       int order, double *residual);

/// The largest order, up to 8, all of whose conditions hold to tol for the weights b (null: those
/// of the tableau); 0 for an inconsistent one. For collocation methods beyond 8 see
/// pcs_tableau_simplifying.
PCS_API int pcs_tableau_order(const pcs_tableau *tableau, const double *b, double tol);

/// Butcher's simplifying assumptions: the largest p, eta, zeta (up to 2 s, s, s; each may be null)
/// for which B(p), C(eta), D(zeta) hold to tol. The order is at least min(p, eta + zeta + 1, 2 eta
/// + 2), which is returned. Any number of stages: polynomials are expanded in those of Legendre.
PCS_API int pcs_tableau_simplifying(const pcs_tableau *tableau, double tol, int *p, int *eta,
                                    int *zeta);

/// The stability function R(z) = det(I - z (A - 1 b^T)) / det(I - z A) at z = z[0] + i z[1]: a step
/// of size h on x' = lambda x multiplies x by R(h lambda). PCS_ERR_SINGULAR at a pole.
PCS_NODISCARD PCS_API pcs_status pcs_tableau_stability(const pcs_tableau *tableau,
                                                       const double z[2], double R[2]);

/// The stability of a method on x' = lambda x.
typedef struct pcs_stability {
    bool a_stable;           ///< |R| <= 1 on the whole left half-plane (and perhaps outside)
    bool l_stable;           ///< and R(infinity) = 0
    double at_infinity;      ///< |R(infinity)|; infinite for explicit methods
    double angle;            ///< largest alpha (radians, at most pi/2) with |R| <= 1 in the sector
                             ///< |arg(-z)| <= alpha; 0 for bounded regions
    double real_extent;      ///< |R(-y)| <= 1 for all 0 <= y <= this; infinite if unbounded
    double imaginary_extent; ///< |R(i y)| <= 1 for all 0 <= y <= this
} pcs_stability;

/// Examines R on the axes and, by the maximum principle, the half-plane: A-stable iff R has no pole
/// in Re z <= 0 and |R(i y)| <= 1 for all y. Values of |R| up to 1 + 1e-10 count as 1, except close
/// to 0, where the Taylor series of |R(i y)|^2 decides: the imaginary extent of explicit Euler is
/// 0.
///
/// |R| is sampled on each axis (60 values per decade, and beside every pole) and its maxima are
/// refined: an excess narrower than that, away from poles, is not found. Microseconds for few
/// stages, a fifth of a second for 64 (several where A-stability fails and the angle is sought).
PCS_NODISCARD PCS_API pcs_status pcs_tableau_examine(const pcs_tableau *tableau,
                                                     pcs_stability *out);

/// The work estimate of theory 10: stage evaluations per unit of time to keep the global error
/// c h^order below tol, s (tol / c)^(-1 / order). c is found from one run: error / h^order.
PCS_API double pcs_tableau_cost(const pcs_tableau *tableau, double tol, double c);

#ifdef __cplusplus
}
#endif

#endif
