// Implicit Runge-Kutta stages: the data of Newton's method between iterations and steps.
//
// For each of the three kinds of systems a stage has N = n + nz equations F_i = 0 in its unknowns
// (K_i, z_i):
//     K_i - f(t_i, X_i)                            x' = f
//     F(t_i, K_i, X_i, z_i)                        fully implicit
//     K_i - f(t_i, X_i, z_i),  g(t_i, X_i, z_i)    semi-explicit
// with X_i = x + h sum_j a_ij K_j. Only dae.c knows the kinds.
#ifndef ODE_IMPLICIT_H
#define ODE_IMPLICIT_H

#include "ode/derivative.h"
#include "ode/integrator.h"
#include "ode/small_lu.h"

// stages that depend on each other, rows first .. first + size - 1 of A; earlier stages are known
typedef struct stage_group {
    int first, size;
    int factor; // number of its matrix among the factors; -1: K = f, nothing to solve
} stage_group;

// a factorised Newton matrix; single stages with the same a_ii share one
typedef struct stage_factor {
    int size;     // stages
    double gamma; // a_ii of a single stage
    double h;     // step of the factors; 0: there are none
    double *lu;
    int *piv;
} stage_factor;

// the memory of an algebraic solve: unknowns y = (x', z) of a fully implicit system, z of another
typedef struct algebraic_part {
    pcs_map map;
    pcs_derivative how;
    const double *x; // x at which it is solved
    double t;
    double *y, *f, *dy, *lu, *row, *size;
    int *piv;
    bool factored;
} algebraic_part;

struct ode_stages {
    pcs_arena arena;
    pcs_arena scratch, scratch_J; // parts of the arena, for line searches and for derivatives
    pcs_integrator *run;
    int N;       // equations of a stage
    pcs_map map; // f, F or (f, g) as a function of arg at the time t
    pcs_derivative how;
    double t;
    double *arg, *size; // (x), (x', x, z) or (x, z), and the sizes below which they count as small
    pcs_complex *x_complex;       // n, complex x of the algebraic part
    bool explicit_tableau;        // an explicit tableau on a semi-explicit system
    bool distinct;                // the nodes are distinct, so that K can be extrapolated
    int groups, factors, largest; // largest: unknowns of the largest group
    stage_group *group;
    stage_factor *factor;

    double *J;       // J of the map at t_J, x_J, the start of a step
    double *J_stage; // J of one stage
    bool J_known;
    double t_J, *x_J;

    // Newton on one group
    const stage_group *now;
    double h;
    double *X;       // n, a stage
    double *V, *V0;  // unknowns (K_i, z_i) stage by stage; their guess
    double *dV, *R;  // step, residual
    double *v_scale; // sizes of the unknowns for the line search
    double *weight;  // s, weights of an interpolation between stages

    // the last accepted step
    double h_of_last;        // 0: none
    double *K_last, *Z_last; // n x s, nz x s
    double *xdot_end;        // n, x' at the end of the attempt (fully implicit)
    double *z_seen;          // nz, largest |z| since the start

    // iterations of an attempt; those with a new J; the additional cost with an old J, in
    // evaluations: when it exceeds the cost of a J, a new one is formed
    double iters, iters_new, extra;
    double rate; // last rate of contraction with this J

    algebraic_part part;
};

// a full Newton step below this that does not reduce the residual is rounding, which an
// ill-conditioned system magnifies
static inline bool newton_found(const pcs_root_report *report)
{
    return report->outcome == PCS_ROOT_CONVERGED ||
           (report->outcome == PCS_ROOT_STALLED && report->step <= 1e-9);
}

// ---- Newton's method on a group (stages_newton.c); st->now and st->h are set

typedef enum newton_end { NEWTON_CONVERGED, NEWTON_SLOW, NEWTON_REFUSED } newton_end;

// true when J is that of (run->t, run->x)
bool stages_J_is_of_now(const pcs_integrator *run, const ode_stages *st);
// forms J at the start of the step; no factors are left
pcs_status stages_form_jacobian(pcs_integrator *run, ode_stages *st);
// forms the factors of the group for h if there are none; false if the matrix is singular
bool stages_factorise(pcs_integrator *run, ode_stages *st, const stage_group *g);
// X_i, with the K_j of the group from V and those of earlier stages from run->K
void stages_point(ode_stages *st, int i, const double *V, double *X);
// both start from V0 and write V
newton_end stages_simplified(pcs_integrator *run, ode_stages *st, const stage_group *g);
pcs_status stages_searched(pcs_integrator *run, ode_stages *st, const stage_group *g,
                           pcs_root_report *report);

// ---- the kinds of systems (dae.c)

// refuses systems that the method does not take
pcs_status system_check(const pcs_integrator *run);
// sets N and the maps with their sizes; the arrays follow later
pcs_status system_describe(pcs_integrator *run, ode_stages *st);
// F_i of a stage, N numbers; PCS_ERR_CALLBACK when it is not defined there
pcs_status system_residual(ode_stages *st, double t, const double *K, const double *X,
                           const double *z, double *F);
// J of the map at (t, K, X, z); fx: f there, or null
pcs_status system_jacobian(ode_stages *st, double t, const double *K, const double *X,
                           const double *z, const double *fx, double *J);
// the N x N block dF_i / d(K_j, z_j) into M (leading dimension ld): from J of stage i, a = h a_ij
void system_block(const ode_stages *st, const double *J, double a, bool diagonal, double *M,
                  size_t ld);
// K = x' at (t, x, z); for a fully implicit system the current x'
pcs_status system_rates(ode_stages *st, double t, const double *x, const double *z, double *K);

// ---- the algebraic part (algebraic_part.c)

// solves it at (t, x) for (xdot, z) or z, which hold the guesses on entry and do not change on
// failure. PCS_ERR_STEP when it does not converge
pcs_status algebraic_solve(ode_stages *st, double t, const double *x, double *xdot, double *z);

// ---- explicit tableaus on semi-explicit systems (semi_explicit.c)

pcs_status ode_half_explicit_attempt(pcs_integrator *run, double h);

#endif
