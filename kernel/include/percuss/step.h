/// @file
/// Stepping: one time step, a run of many, an impact at frozen configuration, one projection; and
/// the results of a step.
#ifndef PERCUSS_STEP_H
#define PERCUSS_STEP_H

#include <percuss/bodies.h>
#include <percuss/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Work memory of the steps of one model; between steps only the contacts of the last step in it
/// have a meaning. One per thread.
typedef struct pcs_work pcs_work;

/// Creates a work, with the environment of the model. Release with pcs_work_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_work_create(const pcs_model *model, pcs_work **out);

/// Accepts null.
PCS_API void pcs_work_destroy(pcs_work *work);

/// Threads that work on a step, including the caller: 1 (initially) to 256. The state after a step
/// does not depend on their number, to the bit. On an error the number does not change.
PCS_NODISCARD PCS_API pcs_status pcs_work_set_threads(pcs_work *work, int threads);

/// A watch of the velocity problems of the steps that follow (pcs_watch; {0}: none). It is called
/// from the thread that steps, with the progress of one island after another: iters falls where a
/// solver, an island, a pass or a part of a step begins, and status_changes counts the contacts and
/// joints of the island. Islands of one contact that have a closed form are solved without a call.
/// Where it returns non-zero the step ends with PCS_OUTCOME_STOPPED and is not committed. The
/// states have the same bits as without a watch. Small islands then do not share the threads.
PCS_NODISCARD PCS_API pcs_status pcs_work_set_watch(pcs_work *work, pcs_watch watch);

/// Bytes held by the work: its arena and lists.
PCS_API size_t pcs_work_held(const pcs_work *work);

/// Bytes of its arena that the last step asked for.
PCS_API size_t pcs_work_step_bytes(const pcs_work *work);

/// The energy balance of a step (theory 7.6). All J. The identity kinetic_after - kinetic_before =
/// forces + conservative + gyroscopic + normal + tangential + joints + prescribed + mass + newton +
/// closure has each term computed separately; closure is the remainder, and is rounding.
typedef struct pcs_energy {
    double kinetic_before;   ///< kinetic energy of v_k
    double kinetic_after;    ///< kinetic energy of v'
    double potential_before; ///< potential energy of q_k
    double potential_after;  ///< potential energy after the projection
    double forces;           ///< work of force callbacks without potential, and of damping
    double conservative;     ///< work of gravity, stiffness, loads, and callbacks with potential
    double gyroscopic; ///< work of the discrete gyroscopic force; zero in continuous time, with
                       ///< added mass only together with `mass`
    double normal;     ///< contact work along normals (unilateral rows)
    double tangential; ///< contact work along tangents, and that of limited laws without a
                       ///< function of time: friction
    double joints;     ///< work of equality rows, and the energy that lifted islands lose
    double prescribed; ///< work that bodies with prescribed motion do through contacts and
                       ///< joints, those three terms are of the relative velocities; and the
                       ///< work of prescribed coordinates and motors
    double mass;       ///< change of M(q) over the step (Lagrangian systems, added mass)
    double newton;     ///< work of the residual left in (7.1)
    double integrator; ///< change of potential from q_k to q' plus `conservative`: scheme error
    double projection; ///< change of potential by the projection
    double closure;    ///< the remainder: rounding
} pcs_energy;

/// Wall-clock time of the stages of a step, s, over all attempts and parts of a step that is
/// divided. Zero for models of fewer than 16 moving systems, whose steps are as short as reading
/// the clock.
typedef struct pcs_step_times {
    double detect;  ///< finding pairs, gaps and rows, at both ends of the step
    double solve;   ///< the velocity problems
    double project; ///< projecting positions, including its collision queries
    double total;   ///< the whole step: `seconds` of the report
} pcs_step_times;

/// Reasons to doubt the result of a step.
typedef enum pcs_doubt_kind {
    /// Shapes overlap at the start of the step by more than a tenth of the thinner one: the
    /// direction in which they separate is a guess.
    PCS_DOUBT_OVERLAP,
    /// Of two bodies that may meet, one (its centre of mass, or the middle of a shape that it carries
    /// around that) moves relative to the other further than the thickness of a free one of them or,
    /// with an activation that is not speculative (which does not look along the motion), than half
    /// of both shapes: it may pass through. The doubt names the faster one.
    PCS_DOUBT_TRAVEL,
    /// The step was committed although it did not converge.
    PCS_DOUBT_UNSOLVED,
    /// The impulses of all contacts of an island together (a joint alone) add energy, both to the
    /// motion that the step has without them and to the velocities at its start: more than 1e-9
    /// (ten times solver.tol, if that is more; a thousandth for a joint) of the kinetic energies,
    /// of what the forces give in the step and of what they do over the size of a body. Or a
    /// torsional spring or a bushing, spring and damper together, adds more than a thousandth of
    /// the kinetic energies and its potentials where its angle jumps (half a turn), a tenth
    /// elsewhere.
    /// The kinetic energies are those of the relative motion, without that of the common motion of
    /// bodies that touch or are joined.
    PCS_DOUBT_GAIN,
    /// A joint is open at the start of the step by more than a hundredth of the smaller of its
    /// bodies, or with a projection a rope or another interaction is violated by as much: the step
    /// closes it by a jump or, without a projection, leaves it open.
    PCS_DOUBT_JOINT,
    /// Of a run only: projections add more than a tenth of the energy of the motion, that is of the
    /// largest of the kinetic energy, the change of the potential energy, and the work of gravity
    /// over the size of the bodies.
    PCS_DOUBT_PROJECTION,
    /// Of a run only: joints and other equalities take more than a tenth of that energy, besides
    /// what projections add: bodies that meet in a joint with different speeds, or steps that do
    /// not resolve the motion.
    PCS_DOUBT_LOSS,
    PCS_DOUBT_COUNT ///< number of kinds
} pcs_doubt_kind;

/// A doubt with its numbers: how often, and the worst case. All zero when there is none.
typedef struct pcs_doubt {
    long count;   ///< in a step: pairs of shapes, bodies, parts of the step, islands and joints,
                  ///< joints; in a run: steps
    double value; ///< m (overlap, displacement), residual of the unsolved step (or m, see `one`),
                  ///< J, m, J, J
    double limit; ///< the scale to compare it with: thickness (m), largest displacement (m),
                  ///< tolerance, J, size (m), J, J
    double t;     ///< s, start of the step
    int one;      ///< overlap, gain: a shape (of the contact that adds most); gain of an
             ///< interaction, joint: -1; of a force element: PCS_DOUBT_FORCE; displacement: id of
             ///< the system that moves; unsolved: the part that was not: 0 velocities, 3 the bounds
             ///< of joint friction, 2 Newton's loop of solved velocities, 1 projection, of solved
             ///< velocities (value and limit in m)
    int two; ///< the other shape (displacement: that it may pass); the id of the interaction or the
             ///< force element; 0
} pcs_doubt;

/// `one` of the doubt about a force element.
#define PCS_DOUBT_FORCE (-2)

/// Room for the sentence of a doubt.
#define PCS_DOUBT_TEXT_SIZE 320

/// The sentence of a doubt, with its numbers; empty if its count is zero. The sentences of a run
/// and of the log also have the names of parts (<percuss/parts.h>).
PCS_API void pcs_doubt_text(pcs_doubt_kind kind, const pcs_doubt *doubt,
                            char text[PCS_DOUBT_TEXT_SIZE]);

/// A constraint that takes part in a contradiction.
typedef struct pcs_conflict {
    int one; ///< a shape; -1: an interaction
    int two; ///< the other shape, or the id of the interaction
} pcs_conflict;

/// Most constraints of a contradiction that a report names.
#define PCS_CONFLICTS 6

/// Size of the text of a constraint, in bytes.
#define PCS_CONFLICT_TEXT_SIZE 200

/// Writes what it is, with the names of the model: "the contact of shapes 1 of body 2 'left' and 3
/// ...", "motor 4".
PCS_API void pcs_conflict_text(const pcs_model *model, const pcs_conflict *conflict,
                               char text[PCS_CONFLICT_TEXT_SIZE]);

/// The report of a step. After an error status it is empty, with outcome PCS_OUTCOME_STOPPED.
/// `outcome` is the worst of Newton loop, velocity problem and projection; a velocity problem that
/// ended at the rounding of its own data counts as converged there, and a step that is not
/// committed is infeasible where a proof shows that its velocity problem has no solution.
typedef struct pcs_step_report {
    pcs_outcome outcome;    ///< the worst of its parts
    bool committed;         ///< true when the state was replaced
    int newton_iters;       ///< Newton iterations of the theta scheme, all passes
    double newton_residual; ///< residual of (7.1), of the worst system relative to its own terms; 0
                            ///< within their rounding; NaN when the first iterate is not finite
    double friction_residual; ///< by how much the solution violates the bounds of joint friction
                              ///< that it loads itself, in the unit of the residual of `solve`; 0
                              ///< without friction that a joint loads
    int solves;               ///< velocity problems solved
    int passes;               ///< active-set passes (1 but for speculative and end-of-step)
    int candidates;           ///< contacts in reach and interactions (rows in groups)
    int active;               ///< those in the velocity problem
    pcs_report solve;         ///< report of the last velocity problem; zero if there was none
    pcs_outcome projection_outcome; ///< converged if there was nothing to do
    int projection_iters;           ///< MLCP steps taken
    pcs_outcome projection_solve;   ///< how the last linearised problem ended; converged if none
    double projection_residual;     ///< worst residual of the linearised problems g + C dq: that of
                                    ///< theory 7.7 with gaps for velocities; no units
    double violation_before;        ///< m, of the projected rows before the projection
    double violation_after;         ///< m, and after it
    int violation_one;              ///< a shape of the worst of them; an interaction: -1
    int violation_two;              ///< the other shape, or the id of the interaction
    double penetration_before;      ///< m, largest overlap of any contact at the start of the step
    double penetration;             ///< m, at its end: of the features that faced each other at its
                                    ///< start, with PCS_PROJECTION_OVERLAPS of those at its end
    int islands;                    ///< groups of systems that contacts and joints hold together
    int largest_island;             ///< constraints (cone blocks) of the largest
    int sweeps;                     ///< sweeps of Gauss-Seidel, all islands and solves
    int finish_iters; ///< iterations of the Newton and interior point methods that follow
    int asleep;       ///< systems that sleep at the end of the step (scheme.sleep)
    int substeps;     ///< number of its parts: 1, or more when it was divided, or cut at kinks
    int conflicts; ///< number of constraints that contradict each other, where the step failed for
                   ///< that: joints, motors and contacts whose rows depend on each other and
                   ///< demand different velocities (bodies wedged between driven ones, too)
    pcs_conflict conflict[PCS_CONFLICTS]; ///< those of them that are named: prescribed ones first,
                                          ///< in each group the most violated ones first
    int breaks;                           ///< interactions that broke (pcs_model_set_strength)
    int break_one;        ///< id of the one that bore most of them, relative to its strength; or 0
    double break_load;    ///< what it bore, relative to its strength: > 1
    double units;         ///< work, in the units of scheme.budget
    double budget;        ///< limit of units for the step
    double seconds;       ///< duration by the clock
    pcs_step_times times; ///< the time of each stage
    pcs_energy energy;    ///< the ledger of the step
    pcs_doubt doubt[PCS_DOUBT_COUNT]; ///< the doubts of the step, by pcs_doubt_kind
} pcs_step_report;

/// One step of size h (s, > 0) of the model's scheme; PCS_ERR_ARG where t + h is t. A transaction:
/// on any error, and on an outcome other than PCS_OUTCOME_CONVERGED (unless scheme.accept or
/// accept_unconverged allow it), the state is unchanged. With scheme.halvings a step that does not
/// converge is replaced by two of half its size, and so on. `report` may be null: then a step that
/// is not committed is PCS_ERR_STEP. Allocates only when the demand has grown since the last step.
/// The log of the model's environment gets a warning when the step is not committed, and one for
/// each kind of doubt, of gains for each contact, once in the life of a work.
PCS_NODISCARD PCS_API pcs_status pcs_step(const pcs_model *model, pcs_state *state, pcs_work *work,
                                          double h, pcs_step_report *report);

/// Called by pcs_run before the first step (report null) and after each; non-zero stops the run. It
/// may read contacts and the problem from the work, but must not step with it.
typedef int (*pcs_observer_fn)(void *user, const pcs_model *model, const pcs_state *state,
                               pcs_work *work, const pcs_step_report *report);

/// The report of a run. After an error status other than PCS_ERR_STEP its outcome is
/// PCS_OUTCOME_STOPPED. `steps` is always the number of steps made.
typedef struct pcs_run_report {
    pcs_outcome outcome;  ///< converged: t_end is reached; stopped: by the observer; infeasible: a
                          ///< proof says that the step has no solution; else that of the step
    long steps;           ///< committed ones
    long breaks;          ///< interactions that broke
    pcs_step_report last; ///< report of the last attempted step
    /// Over all committed steps: the number of steps with the doubt, and the worst case.
    pcs_doubt doubt[PCS_DOUBT_COUNT];
    /// The sentences of these doubts; empty when there are none.
    char doubts[PCS_DOUBT_COUNT * PCS_DOUBT_TEXT_SIZE];
} pcs_run_report;

/// Steps of h until the time t_end is reached (to half a step). It makes no step when t_end is the
/// time of the state; PCS_ERR_ARG if t_end is before it, or if half a step leads beyond it and h is
/// also longer than t_end (then h and t_end are probably exchanged), or if h is below 4 roundings
/// of the times (4 * 2.2e-16 of the largest): the time would not pass. All steps are h, there is no
/// remainder; the times are multiples of h where the first one is. Stops at the first step that
/// is not committed, with PCS_ERR_STEP and a sentence that says which step, when and why; the state
/// is then that of the last good step. When the observer stops the run it returns PCS_OK.
/// `observer` and `report` may be null.
PCS_NODISCARD PCS_API pcs_status pcs_run(const pcs_model *model, pcs_state *state, pcs_work *work,
                                         double h, double t_end, pcs_observer_fn observer,
                                         void *user, pcs_run_report *report);

/// Impact at frozen configuration (theory 7.5): v- to v+ by the laws of all joints and of the
/// contacts with gap <= `touch` (m; a few times the rounding of the gaps, say 1e-9). Positions
/// and time stay. The state is unchanged on errors and when the problem did not converge: an
/// outcome of the report or, where that is null, PCS_ERR_STEP.
PCS_NODISCARD PCS_API pcs_status pcs_impact(const pcs_model *model, pcs_state *state,
                                            pcs_work *work, double touch, pcs_report *report);

/// Projects the state onto its joints and out of its overlaps, with the scheme's metric and
/// tolerances (theory 8). Velocities and time stay. The state is unchanged unless it converged:
/// an outcome of the report or, where that is null, PCS_ERR_STEP.
PCS_NODISCARD PCS_API pcs_status pcs_project(const pcs_model *model, pcs_state *state,
                                             pcs_work *work, pcs_step_report *report);

/// A contact, or a row of an interaction, of the last step. The rows of joints that hold angles,
/// and of limits of angles, are multiplied by the arm of the joint (pcs_joint_def): their gaps are
/// m and their impulses N s. Motors and friction of an angle have rad, rad/s and N m s.
typedef struct pcs_contact {
    pcs_system system1;        ///< the one the normal points into
    pcs_system system2;        ///< the other; {0}: the world
    int shape1;                ///< number of its shape in the order added; -1 for interactions
    int shape2;                ///< number of the shape of system2; -1 for interactions
    int interaction;           ///< id of the interaction, or 0 for shapes
    int row;                   ///< the row of an interaction with several rows
    unsigned feature;          ///< stable id of the feature
    pcs_law law;               ///< the law it obeys
    bool active;               ///< in the velocity problem; or of bodies that sleep, with the
                               ///< impulses of their proof, in no problem (pcs_state_asleep)
    pcs_contact_status status; ///< its status
    double gap;                ///< m, at the start of the step; of shapes not below their distance
    double gap_end;            ///< m, at the end
    double P1[3]; ///< contact point of system1 at the start, inertial (zero for interactions)
    double P2[3]; ///< contact point of system2. P1 - P2 = gap N, but for a gap raised to the
                  ///< distance of the shapes. Where the motion of the step closes a speculative
                  ///< contact with a normal other than that at the start, gap and F are those of
                  ///< the place where the shapes meet, and P1 and P2 its points, each moved back by
                  ///< the displacement of G of its body until then: P1 - P2 has the sliding, too
    double F[9];  ///< contact frame [N t1 t2] (zero for interactions)
    double r[3];  ///< impulse of the step in the frame, N s (without friction: r[0] only). F r is
                  ///< the force impulse on system1. Its moment is not (P1 - G) x F r where the row
                  ///< has another lever (pcs_scheme.lever) or is moved back:
                  ///< pcs_work_contact_wrench and pcs_work_pair_wrench have the moments that acted
    double u[3];  ///< local velocity u' at the end of the step, m/s (without friction: u[0] only)
} pcs_contact;

/// The contacts of the last step or impact: `count` of them in *out, valid until the next step of
/// the work. `out` may be null. The first call after a step makes the list: PCS_ERR_MEMORY when
/// there is no memory for it.
PCS_NODISCARD PCS_API pcs_status pcs_work_contacts(pcs_work *work, int *count,
                                                   const pcs_contact **out);

/// A solve of the velocity problem in a step (a step makes several: passes, Newton iterates,
/// parts). Everything is borrowed and valid during the call.
typedef struct pcs_velocity_solve {
    int part;  ///< part or attempt of the step, from 1; more than one where the step is divided
    int solve; ///< its number within the part, from 1
    double t;  ///< s, start of the part
    double h;  ///< s, length of the part; 0 for pcs_impact
    pcs_bodies_problem problem; ///< the problem
    const double *start;        ///< problem.n: r at the start
    pcs_solver_opts opts;       ///< with the tolerance and the seconds that the step allowed here
    double budget;              ///< units that the step allowed
    const double *v;            ///< problem.start[ns]: the result
    const double *r;            ///< problem.n
    const double *u;            ///< problem.n
    const pcs_report *report;   ///< report of the solve
} pcs_velocity_solve;

/// Receives a solve. It must not step, nor change the model or the state.
typedef void (*pcs_velocity_solve_fn)(void *user, const pcs_velocity_solve *solve);

/// Calls `fn` after every solve of a velocity problem in later steps and impacts of the work (null:
/// no longer). An attempt that runs out of memory is made again with more: then solves come again
/// with the same part and number. pcs_solve_bodies repeats a solve from the same start with the
/// same bits, as long as no limit in seconds ends it. A step whose problem has no blocks of mass to
/// show is PCS_ERR_UNSUPPORTED: contacts on systems with sparse matrices, and on many bodies of a
/// large group of force elements (doc/forces.md).
PCS_NODISCARD PCS_API pcs_status pcs_work_set_capture(pcs_work *work, pcs_velocity_solve_fn fn,
                                                      void *user);

/// The velocity problem last solved (W, q, blocks); empty if there was none. Its blocks are the
/// contacts of pcs_work_contacts that are active and whose bodies do not sleep, in the same order;
/// the rows of an interaction are one block. Where bodies fall asleep at the end of the step, it
/// still has theirs. It borrows from the work and is valid until the next step of the work. The
/// first call after a step forms W: PCS_ERR_MEMORY when there is no memory for it. With
/// PCS_CONFIGURATION_ITERATE its rows are those of the last Newton iterate.
PCS_NODISCARD PCS_API pcs_status pcs_work_problem(pcs_work *work, pcs_problem *out);

#ifdef __cplusplus
}
#endif

#endif
