/// @file
/// Systems with inputs and outputs, x' = f(t, x, u), y = g(t, x, u): driven by an input that is a
/// function of time, they are systems for the integrators of <percuss/ode.h>; equations of n-th
/// order with derivatives of the input, phi(y^(n), ..., y, u^(m), ..., u) = 0, become such systems.
/// <percuss/lti.h> linearises them.
///
/// @code
/// pcs_plant wheel = {.nx = 2, .nu = 1, .f = rolls};
/// pcs_driven *driven;
/// pcs_ode ode;
/// pcs_driven_create(NULL, &wheel, road, &bumps, &driven); // u(t) by the callback `road`
/// pcs_driven_ode(driven, &ode);                            // for pcs_integrator_create
/// @endcode
///
/// The objects contain the memory of an evaluation, so that evaluations allocate nothing; only one
/// thread at a time may use an object.
#ifndef PERCUSS_PLANT_H
#define PERCUSS_PLANT_H

#include <percuss/ode.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- systems with input and output

/// out = f(t, x, u) or g(t, x, u). A non-zero return value or a number that is not finite is
/// PCS_ERR_CALLBACK.
typedef int (*pcs_plant_fn)(void *user, double t, const double *x, const double *u, double *out);
/// The derivatives of f or g (m numbers) by x (m x nx) and by u (m x nu).
typedef int (*pcs_plant_jacobian_fn)(void *user, double t, const double *x, const double *u,
                                     double *by_x, double *by_u);
/// f or g of complex arguments.
typedef int (*pcs_plant_complex_fn)(void *user, double t, const pcs_complex *x,
                                    const pcs_complex *u, pcs_complex *out);

/// A smooth system with input and output, called a plant in control theory: x' = f(t, x, u), y =
/// g(t, x, u).
typedef struct pcs_plant {
    int nx;                           ///< states, >= 1
    int nu;                           ///< inputs, >= 0
    int ny;                           ///< outputs, >= 0
    pcs_plant_fn f;                   ///< nx numbers; must not be null
    pcs_plant_fn g;                   ///< ny numbers; null if ny is 0
    pcs_plant_jacobian_fn f_jacobian; ///< or null
    pcs_plant_jacobian_fn g_jacobian; ///< or null
    pcs_plant_complex_fn f_complex;   ///< or null
    pcs_plant_complex_fn g_complex;   ///< or null
    const double *x_scale;            ///< nx sizes > 0 below which x_j counts as small, or null: 1
    const double *u_scale;            ///< nu sizes > 0 of u, or null: 1
    void *user;                       ///< passed to the callbacks
} pcs_plant;

// ---- driven by a function of time

/// The input at the time t, nu numbers. A non-zero return value or a number that is not finite is
/// PCS_ERR_CALLBACK. Where the input jumps, end a step of the integrator: a step across a jump does
/// not have the order of its method.
typedef int (*pcs_input_fn)(void *user, double t, double *u);

/// A plant with an input.
typedef struct pcs_driven pcs_driven;

/// The struct `plant` is copied; the data of its pointers must outlive the object. `input` may be
/// null if there are no inputs. Release with pcs_driven_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_driven_create(const pcs_env *env, const pcs_plant *plant,
                                                   pcs_input_fn input, void *input_user,
                                                   pcs_driven **out);
/// Accepts null.
PCS_API void pcs_driven_destroy(pcs_driven *driven);

/// x' = f(t, x, u(t)) for the integrators, with a Jacobian and a complex version where the plant
/// has them.
PCS_NODISCARD PCS_API pcs_status pcs_driven_ode(pcs_driven *driven, pcs_ode *out);

/// u = u(t) and y = g(t, x, u(t)). Either may be null.
PCS_NODISCARD PCS_API pcs_status pcs_driven_output(pcs_driven *driven, double t, const double *x,
                                                   double *u, double *y);

// ---- equations of n-th order with derivatives of the input

/// phi(t, Y, U), ny + nz numbers, of Y = (y^(n), ..., y', y, z), (n + 1) ny + nz numbers, and U =
/// (u^(m), ..., u', u), (m + 1) nu numbers: the highest derivative first, as in pcs_higher_order. A
/// non-zero return value or a number that is not finite is PCS_ERR_CALLBACK.
typedef int (*pcs_input_output_fn)(void *user, double t, const double *Y, const double *U,
                                   double *phi);
/// The derivatives of phi, ny + nz rows, by Y and by U, column-major.
typedef int (*pcs_input_output_jacobian_fn)(void *user, double t, const double *Y, const double *U,
                                            double *by_Y, double *by_U);
/// phi of complex arguments.
typedef int (*pcs_input_output_complex_fn)(void *user, double t, const pcs_complex *Y,
                                           const pcs_complex *U, pcs_complex *phi);
/// A guess at (y^(n), z), ny + nz numbers, from chi = (y^(n-1), ..., y) and U.
typedef int (*pcs_input_output_guess_fn)(void *user, double t, const double *chi, const double *U,
                                         double *highest);

/// phi(t, y^(n), ..., y, z, u^(m), ..., u) = 0, implicit and nonlinear, with algebraic unknowns z
/// or without. The derivative of phi by (y^(n), z) must be regular where the equation is solved.
/// Order 1 without derivatives of u is F(t, x', x, z, u) = 0 of index 1: pcs_dae with an input.
typedef struct pcs_input_output_def {
    int order;                             ///< n >= 1, the highest derivative of y
    int ny;                                ///< size of y, >= 1
    int nz;                                ///< size of z, >= 0
    int input_order;                       ///< m >= 0, the highest derivative of u; may be above n
    int nu;                                ///< size of u, >= 0
    pcs_input_output_fn phi;               ///< must not be null
    pcs_input_output_jacobian_fn jacobian; ///< or null
    pcs_input_output_complex_fn phi_complex; ///< or null
    /// The start of Newton's method, which decides between several roots; null: zeros, right where
    /// y^(n) and z enter linearly. (To follow a root from its neighbour use pcs_dae instead.)
    pcs_input_output_guess_fn guess;
    const double *Y_scale;       ///< (n + 1) ny + nz sizes > 0 below which Y_j counts as small, or
                                 ///< null: 1. Copied
    const double *U_scale;       ///< (m + 1) nu sizes > 0 of U, or null: 1. Copied
    const pcs_root_opts *newton; ///< or null: pcs_root_opts_default(). Copied
    void *user;                  ///< passed to the callbacks; must outlive the object
} pcs_input_output_def;

/// Such an equation, to be solved for y^(n) and z.
typedef struct pcs_input_output pcs_input_output;

/// Copies the definition. Release with pcs_input_output_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_input_output_create(const pcs_env *env,
                                                         const pcs_input_output_def *def,
                                                         pcs_input_output **out);
/// Accepts null.
PCS_API void pcs_input_output_destroy(pcs_input_output *equation);

/// (y^(n), z), ny + nz numbers, from chi = (y^(n-1), ..., y) and U = (u^(m), ..., u) by Newton's
/// method. PCS_ERR_SINGULAR when the derivative of phi by them is singular, PCS_ERR_CALLBACK when
/// phi or the guess fails, PCS_ERR_STEP when the iteration does not converge.
PCS_NODISCARD PCS_API pcs_status pcs_input_output_highest(pcs_input_output *equation, double t,
                                                          const double *chi, const double *U,
                                                          double *highest);

/// First order, the derivatives of u given: state chi = (y^(n-1), ..., y), n ny numbers; input
/// (u^(m), ..., u', u), (m + 1) nu numbers, all of them from the input callback; output (y, z). The
/// derivatives from the callback are not checked. u^(m) may jump, lower ones not: there the
/// equation has impulses on its right side (pcs_lti_realise is for such inputs).
///
/// The plant has Jacobian callbacks (PCS_DERIVATIVE_BEST uses them): the derivatives of the
/// implicit function, -(dphi/dw)^-1 dphi/d(chi, U) with w = (y^(n), z), formed from `jacobian`,
/// else from phi_complex, else by central differences of phi. At an equilibrium the first rows of B
/// contain the coefficients of the linear equation in u^(m), ..., u.
PCS_NODISCARD PCS_API pcs_status pcs_input_output_given(pcs_input_output *equation, pcs_plant *out);

/// First order, the derivatives of u part of the state: state (y^(n-1), ..., y, u^(m-1), ..., u),
/// n ny + m nu numbers; input u^(m), nu numbers; output (y, z). With m = 0 the same as
/// pcs_input_output_given.
PCS_NODISCARD PCS_API pcs_status pcs_input_output_chain(pcs_input_output *equation, pcs_plant *out);

#ifdef __cplusplus
}
#endif

#endif
