/// @file
/// Linear systems: linearisation of a smooth system about a point or along a trajectory, the matrix
/// exponential, the response, discretisation, equilibrium and eigenvalues of
///
///     x' = A x + B u,    y = C x + D u,
///
/// and equations of n-th order with derivatives of the input as such systems.
///
/// @code
/// pcs_plant pendulum = {.nx = 2, .nu = 1, .f = swing};
/// double A[4], B[2], Ad[4], Bd[2];
/// pcs_lti near = {.nx = 2, .nu = 1, .A = A, .B = B};
/// pcs_arena work; // enough for either call; pcs_arena_destroy gives it back
/// pcs_arena_create(NULL, pcs_linearise_bytes(2, 1, 0) + pcs_lti_bytes(&near), &work);
/// pcs_linearise(&pendulum, PCS_DERIVATIVE_BEST, 0, x0, u0, work, A, B, NULL, NULL);
/// pcs_lti_discretise(&near, h, work, Ad, Bd, NULL); // dx <- Ad dx + Bd du
/// @endcode
///
/// All matrices are column-major. Nothing here allocates: the caller's arena, passed by value, has
/// its contents back on return; the functions named `..._bytes` give the size it must have. Results
/// must not overlap arguments. After an error they are meaningless.
#ifndef PERCUSS_LTI_H
#define PERCUSS_LTI_H

#include <percuss/plant.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- linearisation

/// Arena bytes of pcs_linearise, and of the functions that linearise along a trajectory.
PCS_API size_t pcs_linearise_bytes(int nx, int nu, int ny);

/// The linear system near (t, x, u):
///
///     d/dt dx = A dx + B du (+ f, zero at an equilibrium),    dy = C dx + D du.
///
/// A is nx x nx, B nx x nu, C ny x nx, D ny x nu; any may be null and is not formed. `how` selects
/// the source of derivatives (PCS_DERIVATIVE_BEST decides separately for f and g); the complex step
/// is exact to rounding, and differences are central ones here, (f(x + h e_j) - f(x - h e_j)) / (2
/// h) with h = eps^(1/3) max(|x_j|, scale_j), good to about 1e-10 of the sizes of f''' and f.
/// PCS_ERR_ARG, PCS_ERR_SIZE, PCS_ERR_CALLBACK, PCS_ERR_MEMORY.
PCS_NODISCARD PCS_API pcs_status pcs_linearise(const pcs_plant *plant, pcs_derivative how, double t,
                                               const double *x, const double *u, pcs_arena work,
                                               double *A, double *B, double *C, double *D);

// ---- linearisation along a trajectory

/// x0(t), nx numbers, and u0(t), nu numbers. A non-zero return value or a number that is not finite
/// is PCS_ERR_CALLBACK.
typedef int (*pcs_trajectory_fn)(void *user, double t, double *x, double *u);

/// A linear system that varies with time,
///
///     d/dt dx = A(t) dx + B(t) du,    dy = C(t) dx + D(t) du,
///
/// by its matrices at points in time. Arrays belong to the caller; matrices of one kind follow one
/// another.
typedef struct pcs_ltv {
    int nx;          ///< states, >= 1
    int nu;          ///< inputs, >= 0
    int ny;          ///< outputs, >= 0
    int n;           ///< points in time, >= 1; with one the system is constant
    const double *t; ///< n times, ascending
    double *x;       ///< nx x n, the trajectory itself, or null
    double *u;       ///< nu x n, or null
    double *A;       ///< n times nx x nx
    double *B;       ///< n times nx x nu
    double *C;       ///< n times ny x nx
    double *D;       ///< n times ny x nu, or null: 0
} pcs_ltv;

/// Linearises along a trajectory that solves x0' = f(t, x0, u0): for x = x0 + dx, u = u0 + du the
/// deviations obey the system above up to their second order. (For a trajectory that does not solve
/// it the residual f - x0' is missing on the right side.) Fills in the arrays of `ltv` that are not
/// null, at the times ltv->t, in their order; nx, nu, ny, n and t must be set. `how` as in
/// pcs_linearise. Errors as there; after an error the arrays are meaningless.
PCS_NODISCARD PCS_API pcs_status pcs_linearise_along(const pcs_plant *plant, pcs_derivative how,
                                                     pcs_trajectory_fn trajectory, void *user,
                                                     pcs_arena work, pcs_ltv *ltv);

/// The same along the motion of an integrator: `run` integrates pcs_driven_ode of `driven` and has
/// been started at or before ltv->t[0]. It is advanced to each of the times in turn, so that x0
/// there has the accuracy of its steps, and is left at the last one. PCS_ERR_ARG if a terminal
/// event ends it before, or if it integrates something else.
PCS_NODISCARD PCS_API pcs_status pcs_linearise_run(pcs_driven *driven, pcs_derivative how,
                                                   pcs_integrator *run, pcs_arena work,
                                                   pcs_ltv *ltv);

/// The matrices at any time between the first and the last: by the cubic through the four nearest
/// points (through all if there are fewer), whose error falls as the fourth power of their distance
/// where A(t), B(t) ... are smooth. At a jump of u0 begin another pcs_ltv. Any of A, B, C, D may be
/// null. PCS_ERR_ARG outside (beyond a millionth of the last interval).
PCS_NODISCARD PCS_API pcs_status pcs_ltv_at(const pcs_ltv *ltv, double t, double *A, double *B,
                                            double *C, double *D);

/// The varying system as a plant of dx, du and dy, interpolated as by pcs_ltv_at, with Jacobian
/// callbacks: with pcs_driven it has the response to any input. A, and with inputs or outputs B and
/// C, must not be null. `ltv` is borrowed.
PCS_NODISCARD PCS_API pcs_status pcs_ltv_plant(const pcs_ltv *ltv, pcs_plant *out);

// ---- the matrix exponential

/// Arena bytes of pcs_expm.
PCS_API size_t pcs_expm_bytes(int n);

/// E = exp(A t), n x n, t of any sign, by scaling and squaring of the Pade approximation (Higham
/// 2005) of a balanced A t. It squares exp - 1, so that slow motions keep their digits beside fast
/// ones: errors are some eps of max(1, |E|), times the loss by the conditioning of A; entries that
/// decay below eps of the largest one are zero to that accuracy. PCS_ERR_ARG if A t is not finite
/// or E overflows.
PCS_NODISCARD PCS_API pcs_status pcs_expm(int n, const double *A, double t, pcs_arena work,
                                          double *E);

// ---- linear time-invariant systems

/// x' = A x + B u, y = C x + D u. Arrays are borrowed.
typedef struct pcs_lti {
    int nx;          ///< states, >= 1
    int nu;          ///< inputs, >= 0
    int ny;          ///< outputs, >= 0
    const double *A; ///< nx x nx
    const double *B; ///< nx x nu; null if nu is 0
    const double *C; ///< ny x nx; null if ny is 0
    const double *D; ///< ny x nu, or null: 0
} pcs_lti;

/// Checks sizes, arrays that must not be null, and finiteness. The other functions call it.
PCS_NODISCARD PCS_API pcs_status pcs_lti_check(const pcs_lti *lti);

/// Arena bytes that each of the functions below needs.
PCS_API size_t pcs_lti_bytes(const pcs_lti *lti);

/// The discrete system of a step h > 0,
///
///     x(t + h) = Ad x(t) + B0 u(t)                   u held over the step (B1 null)
///     x(t + h) = Ad x(t) + B0 u(t) + B1 u(t + h)     u linear in between,
///
/// exact for such u: integrals of exp(A (t - tau)) B u(tau), with u at tau (erratum E-25). Ad is
/// nx x nx, B0 and B1 nx x nu; B0 may be null if nu is 0.
PCS_NODISCARD PCS_API pcs_status pcs_lti_discretise(const pcs_lti *lti, double h, pcs_arena work,
                                                    double *Ad, double *B0, double *B1);

/// x = x(t) from x(0) = x0 with a constant input u (null: zero); t of any sign. x may be x0.
PCS_NODISCARD PCS_API pcs_status pcs_lti_response(const pcs_lti *lti, double t, const double *x0,
                                                  const double *u, pcs_arena work, double *x);

/// y = C x + D u (u null: zero).
PCS_NODISCARD PCS_API pcs_status pcs_lti_output(const pcs_lti *lti, const double *x,
                                                const double *u, double *y);

/// The equilibrium under a constant input, x = -A^-1 B u. PCS_ERR_SINGULAR if A is singular: there
/// is none, or many.
PCS_NODISCARD PCS_API pcs_status pcs_lti_equilibrium(const pcs_lti *lti, const double *u,
                                                     pcs_arena work, double *x);

/// Eigenvalues re + i im of A (nx numbers each, conjugate pairs next to each other), sorted by
/// descending real part: the equilibrium is asymptotically stable if re[0] < 0. PCS_ERR_SINGULAR if
/// the iteration does not end.
PCS_NODISCARD PCS_API pcs_status pcs_lti_eigenvalues(const pcs_lti *lti, pcs_arena work, double *re,
                                                     double *im);

/// The system as a plant, for inputs that are any function of time (pcs_driven). `lti` is borrowed.
PCS_NODISCARD PCS_API pcs_status pcs_lti_plant(const pcs_lti *lti, pcs_plant *out);

// ---- equations of n-th order

/// a_n y^(n) + ... + a_1 y' + a_0 y = b_m u^(m) + ... + b_1 u' + b_0 u. Arrays are borrowed.
typedef struct pcs_lti_equation {
    int order;       ///< n >= 1
    int input_order; ///< m, 0 <= m <= n
    int ny;          ///< size of y, >= 1
    int nu;          ///< size of u, >= 1
    const double *a; ///< a_n, ..., a_0, the highest first, each ny x ny; a_n regular
    const double *b; ///< b_m, ..., b_0, the highest first, each ny x nu
} pcs_lti_equation;

/// Arena bytes of the two functions below.
PCS_API size_t pcs_lti_realise_bytes(const pcs_lti_equation *equation);

/// The equation as x' = A x + B u, y = C x + D u without derivatives of u, of n ny states: with a_n
/// divided out the observable canonical form (Kailath 1980),
///
///         [ -a_{n-1}  1       ]        [ b_{n-1} - a_{n-1} D ]
///     A = [   ...       ... 1 ]    B = [       ...           ]    C = [ 1 0 ... 0 ]    D = b_n
///         [ -a_0     0 ...  0 ]        [ b_0     - a_0     D ]
///
/// (D = 0 if m < n). x is continuous for every u, so that u may jump: there y and its derivatives
/// jump as the equation requires in the sense of distributions. A is nx x nx, B nx x nu, C ny x nx,
/// D ny x nu, nx = n ny; D may be null if m < n. For scalar y and u the transposed system (A^T,
/// C^T, B^T, D) is the controllable form. PCS_ERR_UNSUPPORTED if m > n: y then has impulses where u
/// jumps. PCS_ERR_SINGULAR if a_n is singular.
PCS_NODISCARD PCS_API pcs_status pcs_lti_realise(const pcs_lti_equation *equation, pcs_arena work,
                                                 double *A, double *B, double *C, double *D);

/// The state x of pcs_lti_realise that belongs to (y^(n-1), ..., y, u^(m-1), ..., u), n ny + m nu
/// numbers: the values on one side of a jump of u. Zeros, if the system was at rest.
PCS_NODISCARD PCS_API pcs_status pcs_lti_realise_state(const pcs_lti_equation *equation,
                                                       const double *chain, pcs_arena work,
                                                       double *x);

#ifdef __cplusplus
}
#endif

#endif
