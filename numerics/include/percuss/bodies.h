/// @file
/// The contact problem of a time step as the step solves it, in the velocities of bodies:
///
///     v = v_free + A^-1 H^T r,   u = H v + shift,   K* contains s(u), orthogonal to r in K
///
/// with the cones of <percuss/problem.h>. A is the block-diagonal iteration matrix, a block per
/// moving system; H has a frame and levers per contact of rigid bodies and dense rows for all else.
/// With W = H A^-1 H^T and q = H v_free + shift it is the problem u = W r + q, and with M = A,
/// f = A v_free and w = shift the global form of <percuss/global.h>. A solve has the same bits as
/// in the step that the problem is from (pcs_work_set_capture).
///
///     pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
///     PCS_TRY(pcs_solve_bodies(NULL, &b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report));
#ifndef PERCUSS_BODIES_H
#define PERCUSS_BODIES_H

#include <percuss/global.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The structure of a block of A, and its numbers.
typedef enum pcs_mass_kind {
    PCS_MASS_DENSE,    ///< width x width numbers, column-major
    PCS_MASS_DIAGONAL, ///< of a body, width 6: the diagonal
    PCS_MASS_RIGID     ///< of a body, width 6: the mass m (kg) in diag(m I, B), then B, 3 x 3
                       ///< column-major, in the frame of the body
} pcs_mass_kind;

/// One block of constraints between two systems: u += J0 v0 + J1 v1. Where rows[s] is given, the
/// side s has J = rows[s]. Else it is a rigid body with the velocity v = (x_G' inertial, omega in
/// the frame of the body), and
///
///     J = sign F^T [ I, -[core + along N]x R ],   sign + for side 0 and - for side 1
///
/// of which the first dim rows are used (N, or N t1 t2), with t2 = N x t1 inserted: the part along
/// N has no normal moment.
typedef struct pcs_bodies_block {
    pcs_cone cone;         ///< as in pcs_block
    int dim;               ///< rows; of a block with a frame at most 3
    int row;               ///< first scalar row; blocks follow one another without gaps
    double mu;             ///< friction of a Coulomb block, bound of a box; others do not read it
    int sys[2];            ///< numbers of moving systems, -1 where that side cannot move
    const double *rows[2]; ///< dim x width of the system, column-major, sign included; or null
    double F[9];           ///< [N t1 t2], inertial; not read where all sides have rows
    double core[2][3];     ///< contact point minus G, inertial, m: core + along N
    double along[2];       ///< m
} pcs_bodies_block;

/// The problem. It borrows everything.
typedef struct pcs_bodies_problem {
    int n;                         ///< scalar rows
    int nb;                        ///< blocks of constraints
    const pcs_bodies_block *block; ///< nb
    const double *shift;           ///< n, added to u, m/s
    int ns;                        ///< moving systems
    const int *start;              ///< ns + 1: places of their velocities in v, from 0
    const unsigned char *kind;     ///< ns: pcs_mass_kind of each block of A
    const size_t *off;             ///< ns: where the numbers of each block are in A
    const double *A;               ///< numbers of the blocks, before any factorisation
    const double *R;      ///< 9 ns: of bodies, body to inertial, column-major; read for sides
                          ///< without rows only
    const double *v_free; ///< start[ns]: velocities without impulses, m/s or rad/s
} pcs_bodies_problem;

/// Checks sizes, order, finiteness, that frames and rotations are orthonormal (to 1e-8), and that
/// masses of diagonal and rigid blocks are positive, with a sentence that names the block or the
/// system. The functions below call it.
PCS_NODISCARD PCS_API pcs_status pcs_bodies_check(const pcs_bodies_problem *b);

/// A copy that borrows nothing but the arena (PCS_ERR_MEMORY, with the demand in arena->peak, when
/// it does not fit): the problem that pcs_work_set_capture hands over is valid during the call
/// only.
PCS_NODISCARD PCS_API pcs_status pcs_bodies_copy(const pcs_bodies_problem *b, pcs_arena *arena,
                                                 pcs_bodies_problem *out);

/// The local form W = H A^-1 H^T, q = H v_free + shift, from the arena (PCS_ERR_MEMORY, with the
/// demand in arena->peak, when it does not fit). PCS_ERR_SINGULAR names a singular block of A.
PCS_NODISCARD PCS_API pcs_status pcs_bodies_condense(const pcs_bodies_problem *b, pcs_arena *arena,
                                                     pcs_problem *out);

/// The global form with M = A, f = A v_free, w = shift. Blocks, H and f come from the arena, as
/// above; w is borrowed; M comes from env (null: malloc), released by the caller with
/// pcs_mass_matrix_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_bodies_to_global(const pcs_env *env,
                                                      const pcs_bodies_problem *b, pcs_arena *arena,
                                                      pcs_mass_matrix **M, pcs_global_problem *out);

/// Solves as a step does, island by island. `opts` null: the defaults of PCS_SOLVER_AUTO. `budget`:
/// most work units, in visits of a block by a sweep (INFINITY: no limit), as pcs_scheme.budget
/// counts them. r (n): on entry the starting point, on return the best impulse found; v (start[ns])
/// and u (n) belong to it. Outcome and measure are those of pcs_solve for the whole problem;
/// report->units is the cost, report->iters that of the longest island. The watch hears of
/// one island after another, again from the start where the memory had to grow; status_changes
/// counts the blocks of the island. Memory from env (null: malloc), released on return.
PCS_NODISCARD PCS_API pcs_status pcs_solve_bodies(const pcs_env *env, const pcs_bodies_problem *b,
                                                  const pcs_solver_opts *opts, double budget,
                                                  pcs_watch watch, double *v, double *r, double *u,
                                                  pcs_report *report);

#ifdef __cplusplus
}
#endif

#endif
