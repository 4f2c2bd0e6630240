/// @file
/// Smooth mechanics: systems given by a Lagrangian L(t, q, v), and second-order systems with
/// constraints, M a = F + A^T lambda, phi = 0 (theory 3.5 and 9), as right-hand sides for the
/// integrators of <percuss/ode.h>.
///
/// q are coordinates, v velocities: dq/dt = v, or dq/dt = T(q) v. Matrices are column-major. The
/// objects contain the memory of an evaluation, so that evaluations allocate nothing; only one
/// thread at a time may use an object.
#ifndef PERCUSS_MECHANICS_H
#define PERCUSS_MECHANICS_H

#include <stdbool.h>

#include <percuss/ode.h>

#ifdef __cplusplus
extern "C" {
#endif

// All callbacks: a non-zero return value, or a number that is not finite, is PCS_ERR_CALLBACK.
// Vectors and matrices are zero at the call: entries that are zero need not be set.

// ---- generalised forces

/// The point r(t, q) that a force acts on, of complex q; t is real.
typedef int (*pcs_point_complex_fn)(void *user, double t, const pcs_complex *q, pcs_complex r[3]);
/// dr/dq, 3 x n column-major.
typedef int (*pcs_point_jacobian_fn)(void *user, double t, const double *q, double *drdq);
/// The force at that point, in the frame of r.
typedef int (*pcs_point_force_fn)(void *user, double t, const double *q, const double *v,
                                  double F[3]);

/// A force and its point. One of r and jacobian must be given; the Jacobian of r is computed by the
/// complex step, exact to rounding.
typedef struct pcs_point_force {
    pcs_point_complex_fn r;         ///< or null
    pcs_point_jacobian_fn jacobian; ///< or null; preferred
    pcs_point_force_fn force;       ///< must not be null
    void *user;                     ///< passed to the callbacks
} pcs_point_force;

/// Q_i += sum_k (dr_k/dq_i) . F_k, i = 1 .. n. `work` has 5 n numbers.
PCS_NODISCARD PCS_API pcs_status pcs_generalised_forces(int n, int points,
                                                        const pcs_point_force *point, double t,
                                                        const double *q, const double *v,
                                                        double *work, double *Q);

// ---- Lagrangians

/// L = T - U at complex q and v; t is real. Written with the functions of <complex.h>, without
/// conjugates or absolute values: L must be analytic where it is evaluated.
typedef int (*pcs_lagrange_complex_fn)(void *user, double t, const pcs_complex *q,
                                       const pcs_complex *v, pcs_complex *L);
/// The value L.
typedef int (*pcs_lagrange_fn)(void *user, double t, const double *q, const double *v, double *L);

/// Derivatives of L at (t, q, v); all column-major. Each may be left zero if it vanishes.
typedef struct pcs_lagrange_slopes {
    double *L_q;  ///< n, dL/dq
    double *L_v;  ///< n, dL/dv: the momenta p
    double *L_vv; ///< n x n, d2L/dv2: the mass matrix M
    double *L_vq; ///< n x n, entry (i, j) = d2L / dv_i dq_j
    double *L_vt; ///< n, d2L / dv dt
} pcs_lagrange_slopes;
/// Fills in the derivatives.
typedef int (*pcs_lagrange_slopes_fn)(void *user, double t, const double *q, const double *v,
                                      const pcs_lagrange_slopes *out);
/// Generalised forces Q(t, q, v) in addition to those of L.
typedef int (*pcs_lagrange_force_fn)(void *user, double t, const double *q, const double *v,
                                     double *Q);

/// A system given by L: d/dt (dL/dv) - dL/dq = Q (erratum E-34). One of L_complex and slopes must
/// be given.
typedef struct pcs_lagrange_def {
    int n;                             ///< degrees of freedom, >= 1
    pcs_lagrange_complex_fn L_complex; ///< or null
    pcs_lagrange_slopes_fn slopes;     ///< or null; preferred
    pcs_lagrange_fn L;                 ///< or null; for the energy where L_complex is null
    pcs_lagrange_force_fn force;       ///< or null
    int points;                        ///< forces at points, added to those of `force`
    const pcs_point_force *point;      ///< `points` of them, copied
    /// Lengths of q, v and t over which L changes, for second derivatives without `slopes`: first
    /// derivatives by the complex step, and central differences of order 8 of these over at most a
    /// 64th of the scale. L must be analytic out to a 16th of it. Relative errors are about 1e-13
    /// where the scales fit, and 1e-11 where they are five times too long or a hundred times too
    /// short.
    const double *scale_q; ///< n lengths, copied; null: 1 each, right for angles
    double scale_v;        ///< 0: max(1, |v_i|), right for L quadratic in v (no error then)
    double scale_t;        ///< s; 0: 1
    void *user;            ///< passed to the callbacks; must outlive the object
} pcs_lagrange_def;

/// A system given by a Lagrangian.
typedef struct pcs_lagrange pcs_lagrange;

/// Copies the definition. Release with pcs_lagrange_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_create(const pcs_env *env,
                                                     const pcs_lagrange_def *def,
                                                     pcs_lagrange **out);
/// Accepts null.
PCS_API void pcs_lagrange_destroy(pcs_lagrange *system);

/// Degrees of freedom.
PCS_API int pcs_lagrange_size(const pcs_lagrange *system);

/// The user pointer of the definition.
PCS_API void *pcs_lagrange_user(const pcs_lagrange *system);

/// The equations M a = F with M = d2L/dv2 (n x n) and F = dL/dq + Q - (d2L/dvdq) v - d2L/dvdt.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_equations(pcs_lagrange *system, double t,
                                                        const double *q, const double *v, double *M,
                                                        double *F);
/// a = M^-1 F. PCS_ERR_SINGULAR when M is not positive definite.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_acceleration(pcs_lagrange *system, double t,
                                                           const double *q, const double *v,
                                                           double *a);
/// The momenta p = dL/dv.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_momenta(pcs_lagrange *system, double t,
                                                      const double *q, const double *v, double *p);
/// The energy function h = v . dL/dv - L. Without Q it is constant when L does not depend on t
/// (Jacobi's integral), and is T + U when besides T is quadratic in v. PCS_ERR_UNSUPPORTED without
/// L and L_complex.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_energy(pcs_lagrange *system, double t,
                                                     const double *q, const double *v, double *h);

/// The system for the integrators: state (q, v), 2 n numbers.
PCS_NODISCARD PCS_API pcs_status pcs_lagrange_ode(pcs_lagrange *system, pcs_ode *out);

/// M(q), with the signature of pcs_lagrangian_mass_fn of <percuss/model.h>: `lagrange` is a
/// pcs_lagrange whose M depends on q only (it is evaluated at t = 0, v = 0). With
/// pcs_lagrange_force a Lagrangian becomes a system of a model: .mass_fn = pcs_lagrange_mass,
/// .force = pcs_lagrange_force, .user = lagrange.
PCS_API int pcs_lagrange_mass(void *lagrange, const double *q, double *M);
/// F(t, q, v) of pcs_lagrange_equations, with the signature of pcs_lagrangian_force_fn.
PCS_API int pcs_lagrange_force(void *lagrange, double t, const double *q, const double *v,
                               double *F);

// ---- constrained systems

/// M(t, q), nv x nv column-major, symmetric positive definite; the lower triangle is read.
typedef int (*pcs_constrained_mass_fn)(void *user, double t, const double *q, double *M);
/// Generalised forces F(t, q, v), nv numbers, Coriolis terms included.
typedef int (*pcs_constrained_force_fn)(void *user, double t, const double *q, const double *v,
                                        double *F);
/// dq/dt = T(q) v, nq numbers, linear in v.
typedef int (*pcs_constrained_rate_fn)(void *user, double t, const double *q, const double *v,
                                       double *qdot);
/// Restores a condition on q that does not depend on the constraints (|Q| = 1).
typedef int (*pcs_constrained_normalise_fn)(void *user, double *q);
/// The constraints phi(t, q), m numbers.
typedef int (*pcs_constraint_fn)(void *user, double t, const double *q, double *phi);
/// phi of complex arguments.
typedef int (*pcs_constraint_complex_fn)(void *user, const pcs_complex *t, const pcs_complex *q,
                                         pcs_complex *phi);
/// A(t, q), m x nv column-major: dphi/dt = A v + phi_t, so A = (dphi/dq) T.
typedef int (*pcs_constraint_jacobian_fn)(void *user, double t, const double *q, double *A);
/// phi_t(t, q), m numbers: dphi/dt at rest.
typedef int (*pcs_constraint_rate_fn)(void *user, double t, const double *q, double *phi_t);
/// gamma(t, q, v) = d2phi/dt2 - A a, m numbers: (dA/dt) v + d(phi_t)/dt.
typedef int (*pcs_constraint_gamma_fn)(void *user, double t, const double *q, const double *v,
                                       double *gamma);

/// How a system keeps phi = 0. The equations contain only d2phi/dt2 = 0: without stabilisation
/// errors grow as phi0 + phi0' t.
typedef enum pcs_stabilisation {
    PCS_STABILISATION_NONE,      ///< nothing
    PCS_STABILISATION_BAUMGARTE, ///< phi'' + 2 alpha phi' + alpha^2 phi = 0. alpha h <= 0.5 for
                                 ///< explicit methods
    PCS_STABILISATION_GGL,       ///< a second multiplier (Gear, Gupta, Leimkuhler 1985) in q' =
                                 ///< T (v + M^-1 A^T mu): positions no longer inherit the errors of
    ///< velocities. phi' = -alpha phi, and (A v + phi_t)' = -alpha (A v +
    ///< phi_t) up to terms in mu, which is zero on consistent data. With
    ///< alpha = 0 errors stay what they are
    PCS_STABILISATION_PROJECT ///< none in the equations, pcs_constrained_project after every step:
                              ///< phi within tol, A v + phi_t = 0 to rounding
} pcs_stabilisation;

/// M a = F + A^T lambda, phi(t, q) = 0. lambda = -z with the z of L = T - U - z . c (theory 3.5).
/// Constraints must be independent: A of full row rank.
typedef struct pcs_constrained_def {
    int nv;                         ///< velocities, >= 1
    int nq;                         ///< coordinates; 0: nv
    int m;                          ///< constraints, 0 <= m <= nv
    pcs_constrained_mass_fn mass;   ///< or null: lagrange
    pcs_constrained_force_fn force; ///< or null: none
    pcs_lagrange *lagrange;       ///< in place of mass and force, of nv freedoms; or null. Borrowed
    pcs_constrained_rate_fn rate; ///< or null: dq/dt = v, nq = nv
    pcs_constrained_normalise_fn normalise; ///< or null
    pcs_constraint_fn phi;                  ///< or null: the real part of phi_complex
    pcs_constraint_complex_fn phi_complex;  ///< or null
    pcs_constraint_jacobian_fn A;           ///< or null: derivative of phi, as below
    pcs_constraint_rate_fn phi_t;           ///< or null: as below if `moving`, else 0
    pcs_constraint_gamma_fn gamma;          ///< or null: differences of order 8 of A v + phi_t
    bool moving;                            ///< phi depends on t
    /// Missing derivatives of phi are computed by the complex step, or without phi_complex by
    /// central differences of order 8, over a 64th of the scales; see pcs_lagrange_def.
    const double *scale_q;           ///< nq lengths, copied; null: 1 each
    double scale_t;                  ///< s; 0: 1
    pcs_stabilisation stabilisation; ///< how drift is controlled
    double alpha;                    ///< 1/s, >= 0, rate of Baumgarte and GGL
    double tol; ///< tolerance of projections, |phi_i| <= tol in the units of phi; 0: 1e-12
    void *user; ///< passed to the callbacks; must outlive the object
} pcs_constrained_def;

/// A constrained system.
typedef struct pcs_constrained pcs_constrained;

/// Copies the definition. Release with pcs_constrained_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_create(const pcs_env *env,
                                                        const pcs_constrained_def *def,
                                                        pcs_constrained **out);
/// Accepts null.
PCS_API void pcs_constrained_destroy(pcs_constrained *system);

/// Accelerations a (nv) and multipliers lambda (m) with d2phi/dt2 = 0 exactly, without
/// stabilisation. Either may be null. PCS_ERR_SINGULAR with a sentence when M is not positive
/// definite or a constraint depends on the others.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_solve(pcs_constrained *system, double t,
                                                       const double *q, const double *v, double *a,
                                                       double *lambda);
/// The forces of the constraints: lambda (m) and A^T lambda (nv). Either may be null.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_reactions(pcs_constrained *system, double t,
                                                           const double *q, const double *v,
                                                           double *lambda, double *forces);
/// phi (m) and dphi/dt = A v + phi_t (m). Either may be null.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_violation(pcs_constrained *system, double t,
                                                           const double *q, const double *v,
                                                           double *phi, double *rate);
/// PCS_ERR_ARG, naming the worst constraint, unless |phi_i| <= tol_phi and |(A v + phi_t)_i| <=
/// tol_rate for all i. For initial data.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_check(pcs_constrained *system, double t,
                                                       const double *q, const double *v,
                                                       double tol_phi, double tol_rate);
/// Makes q and v consistent: q by Newton steps T M^-1 A^T Lambda until |phi_i| <= tol, then v by
/// the change of least kinetic energy. PCS_ERR_ARG when this does not converge to phi = 0 (20
/// iterations); on failure q and v are unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_project(pcs_constrained *system, double t,
                                                         double *q, double *v);
/// An impact on all constraints: v_plus = v - M^-1 A^T (A M^-1 A^T)^-1 (1 + e_i)(A v + phi_t), with
/// e_i from e (m; null: zeros). With e = 0 the capture by a constraint that was not active before.
/// The impulses (m) may be null; M (v_plus - v) = A^T impulse. v_plus may be v.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_impact(pcs_constrained *system, double t,
                                                        const double *q, const double *v,
                                                        const double *e, double *v_plus,
                                                        double *impulse);

/// The system for every integrator: state (q, v), nq + nv numbers, with the multipliers solved for
/// at each evaluation and the stabilisation of the definition. An evaluation that fails returns the
/// pcs_status, and pcs_constrained_solve at that state gives the sentence.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_ode(pcs_constrained *system, pcs_ode *out);
/// The same with the multipliers as algebraic unknowns, index 1: x = (q, v), z = (a, lambda);
/// with GGL z = (a, lambda, w, mu), w = M^-1 A^T mu. No matrix is factorised.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_semi_explicit(pcs_constrained *system,
                                                               pcs_semi_explicit *out);
/// The same fully implicit, the three-row form (9.1): x = (q, v), z = lambda. PCS_ERR_UNSUPPORTED
/// with GGL: use one of the other forms.
PCS_NODISCARD PCS_API pcs_status pcs_constrained_dae(pcs_constrained *system, pcs_dae *out);

#ifdef __cplusplus
}
#endif

#endif
