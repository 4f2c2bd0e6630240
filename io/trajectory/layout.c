// The columns of the tables of a trajectory file, with their units.
#include "trajectory/layout.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define I32(row, name, n, units)                         \
    {                                                    \
#name, COLUMN_I32, n, offsetof(row, name), units \
    }
#define U32(row, name, units)                            \
    {                                                    \
#name, COLUMN_U32, 1, offsetof(row, name), units \
    }
#define F32(row, name, n, units)                         \
    {                                                    \
#name, COLUMN_F32, n, offsetof(row, name), units \
    }
#define F64(row, name, n, units)                         \
    {                                                    \
#name, COLUMN_F64, n, offsetof(row, name), units \
    }
#define COLUMNS(list) .column = list, .n_columns = (int)(sizeof list / sizeof *list)

// ---- frames and steps --------------------------------------------------------------------------

const table_def layout_frame[FRAME_TABLES] = {
    [FRAME_Q] = {"/frames/q", "m, 1",
                 "coordinates: of a body x y z and the quaternion q0 q1 q2 q3, body to inertial; "
                 "/model/systems says where those of a system are",
                 COLUMN_F64, .by_rows = true},
    [FRAME_V] = {"/frames/v", "m/s, rad/s",
                 "velocities: of a body that of its centre of mass (inertial axes) and its angular "
                 "velocity (body axes)",
                 COLUMN_F64, .by_rows = true},
    [FRAME_DRIVEN_V] =
        {"/frames/driven_v", "m/s, rad/s",
         "velocities of bodies with a prescribed motion, or that a Lagrangian system carries "
         "(kind 2 in /model/systems), "
         "6 for each in the order of their ids, as in /frames/v",
         COLUMN_F64, .by_rows = true},
    [FRAME_STEP] = {"/frames/step", "1", "number of steps made before this frame", COLUMN_I64, NULL,
                    0, false},
    [FRAME_HASH] = {"/frames/hash", "1", "pcs_state_hash of the state", COLUMN_U64, NULL, 0, false},
    [FRAME_CONTACTS_END] = {"/frames/contacts_end", "1",
                            "contacts of this frame and those before: those of frame k are "
                            "/contacts[end[k - 1]:end[k]], with end[-1] = 0",
                            COLUMN_I64, NULL, 0, false},
    [FRAME_TIME] = {"/frames/time", "s",
                    "time of the state; written last: frames beyond its length "
                    "are not complete",
                    COLUMN_F64, NULL, 0, false},
};

static const column contact_columns[] = {
    I32(contact_row, system1, 1, ""),     I32(contact_row, system2, 1, ""),
    I32(contact_row, shape1, 1, ""),      I32(contact_row, shape2, 1, ""),
    I32(contact_row, interaction, 1, ""), I32(contact_row, row, 1, ""),
    I32(contact_row, status, 1, ""),      U32(contact_row, feature, ""),
    F32(contact_row, mu, 1, "1"),         F32(contact_row, gap, 1, "m"),
    F32(contact_row, gap_end, 1, "m"),    F32(contact_row, P1, 3, "m"),
    F32(contact_row, P2, 3, "m"),         F32(contact_row, normal, 3, "1"),
    F32(contact_row, tangent, 3, "1"),    F32(contact_row, r, 3, "N s"),
    F32(contact_row, u, 3, "m/s"),
};
const table_def layout_contacts = {"/contacts",
                                   NULL,
                                   "active contacts and interactions of the last step before a "
                                   "frame; of motors and friction of an angle the gaps are in rad, "
                                   "u in rad/s and r in N m s",
                                   COLUMN_F64,
                                   COLUMNS(contact_columns),
                                   .by_rows = true};

static const column force_columns[] = {
    I32(force_row, force, 1, ""),      F32(force_row, length, 1, "m"),
    F32(force_row, speed, 1, "m/s"),   F32(force_row, tension, 1, "N"),
    F32(force_row, energy, 1, "J"),    F32(force_row, power, 1, "W"),
    F32(force_row, P1, 3, "m"),        F32(force_row, P2, 3, "m"),
    F32(force_row, F1, 6, "N, N m"),   F32(force_row, F2, 6, "N, N m"),
    F32(force_row, strain, 6, "m, 1"), F32(force_row, stress, 6, "N, N m"),
};
const table_def layout_forces = {
    "/forces",
    NULL,
    "what every force element does in every frame (pcs_force_result): the elements of a frame in "
    "the order of their ids; of a torsional spring length, speed and tension are in rad, rad/s and "
    "N m; NaN where an element has no value",
    COLUMN_F64,
    COLUMNS(force_columns),
    .by_rows = true};

#define COUNT(name)       I32(step_row, name, 1, "")
#define REAL(name, units) F64(step_row, name, 1, units)
#define TERM(name)                                                 \
    {                                                              \
#name, COLUMN_F64, 1, offsetof(step_row, energy.name), "J" \
    }
static const column step_columns[] = {
    COUNT(outcome),
    COUNT(committed),
    COUNT(substeps),
    COUNT(newton_iters),
    COUNT(solves),
    COUNT(passes),
    COUNT(candidates),
    COUNT(active),
    COUNT(solve_outcome),
    COUNT(solver),
    COUNT(solve_iters),
    COUNT(projection_outcome),
    COUNT(projection_iters),
    COUNT(islands),
    COUNT(largest_island),
    COUNT(sweeps),
    COUNT(finish_iters),
    I32(step_row, doubts, STEP_DOUBTS, ""),
    REAL(t, "s"),
    REAL(newton_residual, "1"),
    REAL(residual, "1"),
    REAL(natural_map, "1"),
    REAL(projection_residual, "1"),
    REAL(violation_before, "m"),
    REAL(violation_after, "m"),
    REAL(penetration_before, "m"),
    REAL(penetration, "m"),
    REAL(units, "1"),
    REAL(seconds, "s"),
    TERM(kinetic_before),
    TERM(kinetic_after),
    TERM(potential_before),
    TERM(potential_after),
    TERM(forces),
    TERM(conservative),
    TERM(gyroscopic),
    TERM(normal),
    TERM(tangential),
    TERM(joints),
    TERM(prescribed),
    TERM(mass),
    TERM(newton),
    TERM(integrator),
    TERM(projection),
    TERM(closure),
};
const table_def layout_steps = {
    "/steps",
    NULL,
    "the report of every step: t is the time at its end; outcomes are 0 converged, 1 max_iters, "
    "2 time_limit, 3 stopped, 4 stalled, 5 diverged, 6 infeasible; the terms of the energy ledger "
    "are those of pcs_energy",
    COLUMN_F64,
    COLUMNS(step_columns),
    .by_rows = true};

static_assert(STEP_DOUBTS % 2 == 0, "an even number of integers, so that a row has no gap");

void layout_put_step(double t, const pcs_step_report *r, step_row *row)
{
    *row = (step_row){.outcome = (int32_t)r->outcome,
                      .committed = r->committed,
                      .substeps = r->substeps,
                      .newton_iters = r->newton_iters,
                      .solves = r->solves,
                      .passes = r->passes,
                      .candidates = r->candidates,
                      .active = r->active,
                      .solve_outcome = (int32_t)r->solve.outcome,
                      .solver = (int32_t)r->solve.solver,
                      .solve_iters = r->solve.iters,
                      .projection_outcome = (int32_t)r->projection_outcome,
                      .projection_iters = r->projection_iters,
                      .islands = r->islands,
                      .largest_island = r->largest_island,
                      .sweeps = r->sweeps,
                      .finish_iters = r->finish_iters,
                      .t = t,
                      .newton_residual = r->newton_residual,
                      .residual = r->solve.measure.residual,
                      .natural_map = r->solve.measure.natural_map,
                      .projection_residual = r->projection_residual,
                      .violation_before = r->violation_before,
                      .violation_after = r->violation_after,
                      .penetration_before = r->penetration_before,
                      .penetration = r->penetration,
                      .units = r->units,
                      .seconds = r->seconds,
                      .energy = r->energy};
    for (int k = 0; k < STEP_DOUBTS; ++k) {
        row->doubts[k] = r->doubt[k].count < INT32_MAX ? (int32_t)r->doubt[k].count : INT32_MAX;
    }
}

void layout_get_step(const step_row *row, pcs_step_report *r)
{
    *r = (pcs_step_report){
        .outcome = (pcs_outcome)row->outcome,
        .committed = row->committed != 0,
        .substeps = row->substeps,
        .newton_iters = row->newton_iters,
        .newton_residual = row->newton_residual,
        .solves = row->solves,
        .passes = row->passes,
        .candidates = row->candidates,
        .active = row->active,
        .solve = {.outcome = (pcs_outcome)row->solve_outcome,
                  .solver = (pcs_solver)row->solver,
                  .iters = row->solve_iters,
                  .measure = {.residual = row->residual, .natural_map = row->natural_map}},
        .projection_outcome = (pcs_outcome)row->projection_outcome,
        .projection_iters = row->projection_iters,
        .projection_residual = row->projection_residual,
        .violation_before = row->violation_before,
        .violation_after = row->violation_after,
        .penetration_before = row->penetration_before,
        .penetration = row->penetration,
        .islands = row->islands,
        .largest_island = row->largest_island,
        .sweeps = row->sweeps,
        .finish_iters = row->finish_iters,
        .units = row->units,
        .seconds = row->seconds,
        .energy = row->energy};
    for (int k = 0; k < STEP_DOUBTS; ++k) {
        r->doubt[k].count = row->doubts[k];
    }
}

// ---- the model ---------------------------------------------------------------------------------

static const column system_columns[] = {
    I32(system_row, kind, 1, ""),    I32(system_row, enabled, 1, ""),
    I32(system_row, q_first, 1, ""), I32(system_row, q_count, 1, ""),
    I32(system_row, v_first, 1, ""), I32(system_row, v_count, 1, ""),
    F64(system_row, mass, 1, "kg"),  F64(system_row, inertia, 9, "kg m^2"),
};
const table_def layout_systems = {
    "/model/systems", NULL,
    "kind: 0 body, 1 fixed body, 2 body with a prescribed motion or carried, 3 Lagrangian system; "
    "row i has the id i + 1; 0 is the world",
    COLUMN_F64, COLUMNS(system_columns)};

static const column shape_columns[] = {
    I32(shape_row, kind, 1, ""),
    I32(shape_row, system, 1, ""),
    I32(shape_row, material, 1, ""),
    I32(shape_row, geometry, 1, ""),
    I32(shape_row, enabled, 1, ""),
    U32(shape_row, group, ""),
    U32(shape_row, mask, ""),
    F64(shape_row, position, 3, "m"),
    F64(shape_row, orientation, 4, "1"),
    F64(shape_row, radius, 1, "m"),
    F64(shape_row, half, 3, "m"),
};
const table_def layout_shapes = {
    "/model/shapes", NULL,
    "kind: 0 sphere, 1 half-space, 2 box, 3 capsule, 4 cylinder, 5 hull, 6 mesh, 7 height field; "
    "pose in the frame of its system; geometry: number in /model/geometries, or -1",
    COLUMN_F64, COLUMNS(shape_columns)};

static const column material_columns[] = {
    F64(material_row, e, 1, "1"), F64(material_row, e_t, 1, "1"), F64(material_row, mu, 1, "1")};
const table_def layout_materials = {"/model/materials", NULL,
                                    "restitution, tangential restitution, friction; row 0 is the "
                                    "default material",
                                    COLUMN_F64, COLUMNS(material_columns)};

static const column interaction_columns[] = {
    I32(interaction_row, kind, 1, ""),    I32(interaction_row, law, 1, ""),
    I32(interaction_row, system1, 1, ""), I32(interaction_row, system2, 1, ""),
    I32(interaction_row, rows, 1, ""),    I32(interaction_row, enabled, 1, ""),
    F64(interaction_row, e, 1, "1"),      F64(interaction_row, e_t, 1, "1"),
    F64(interaction_row, mu, 1, "1"),     F64(interaction_row, data, 9, "m"),
};
const table_def layout_interactions = {
    "/model/interactions", NULL,
    "kind: 0 of the user, 1 distance (data: p1, p2, length), 2 ball joint (p1, p2), 3 linear (n, "
    "c, b, and with two rows t), 4 rope (p1, p2, length), 5 a joint of /model/joints, 6 limits of "
    "one, 7 a coordinate "
    "of one; law: 0 equality, "
    "1 Newton impact, "
    "2 Newton-Coulomb, 3 limited",
    COLUMN_F64, COLUMNS(interaction_columns)};

static const column joint_columns[] = {
    I32(joint_row, interaction, 1, ""), I32(joint_row, kind, 1, ""),
    I32(joint_row, teeth, 2, ""),       I32(joint_row, joint, 1, ""),
    I32(joint_row, coordinate, 1, ""),  F64(joint_row, point1, 3, "m"),
    F64(joint_row, axes1, 4, "1"),      F64(joint_row, point2, 3, "m"),
    F64(joint_row, axes2, 4, "1"),      F64(joint_row, pitch, 1, "m"),
    F64(joint_row, arm, 1, "m"),        F64(joint_row, low, 1, ""),
    F64(joint_row, high, 1, ""),
};
const table_def layout_joints = {
    "/model/joints", NULL,
    "interaction: its id; kind: 1 hinge, 2 slider, 3 cylindrical, 4 fixed, 5 universal, 6 planar, 7"
    " point on a line, 8 screw, 9 gear, 10 distance; the frames of both systems; of limits also"
    " their joint, its coordinate, low and high",
    COLUMN_F64, COLUMNS(joint_columns)};

static const column time_columns[] = {
    I32(time_row, interaction, 1, ""), I32(time_row, of_speed, 1, ""),
    F64(time_row, offset, 1, ""),      F64(time_row, rate, 1, "1/s"),
    F64(time_row, amplitude, 1, ""),   F64(time_row, frequency, 1, "rad/s"),
    F64(time_row, phase, 1, "rad"),    F64(time_row, limit, 1, "N"),
};
const table_def layout_times = {
    "/model/times", NULL,
    "interactions that depend on time or have a limited law: the id, whether the function of time"
    " is a speed (2 is added where it is zero and counts all the same, as that of a motor), the"
    " numbers of offset + rate t + amplitude sin(frequency t + phase), and the limit of the law",
    COLUMN_F64, COLUMNS(time_columns)};

static const column force_def_columns[] = {
    I32(force_def_row, kind, 1, ""),         I32(force_def_row, system1, 1, ""),
    I32(force_def_row, system2, 1, ""),      I32(force_def_row, enabled, 1, ""),
    F64(force_def_row, p1, 3, "m"),          F64(force_def_row, p2, 3, "m"),
    F64(force_def_row, axis, 3, "1"),        F64(force_def_row, stiffness, 1, "N/m"),
    F64(force_def_row, damping, 1, "N s/m"), F64(force_def_row, length, 1, "m"),
    F64(force_def_row, angle, 1, "rad"),     F64(force_def_row, strength, 1, "N m^2"),
};
const table_def layout_force_defs = {
    "/model/forces", NULL,
    "kind: 0 spring, 1 torsional spring (stiffness in N m/rad, damping in N m s/rad), 2 bushing, 3 "
    "gravity between bodies, 4 of the user; row i has the id i + 1",
    COLUMN_F64, COLUMNS(force_def_columns)};

static const column bushing_columns[] = {
    I32(bushing_row, force, 1, ""),
    F64(bushing_row, frame1, 4, "1"),
    F64(bushing_row, frame2, 4, "1"),
    F64(bushing_row, K, 36, "N/m, N, N m"),
    F64(bushing_row, D, 36, "N s/m, N s, N m s"),
};
const table_def layout_bushings = {
    "/model/bushings", NULL,
    "force: the id of the element; orientations of its frames, stiffness K and damping D",
    COLUMN_F64, COLUMNS(bushing_columns)};

static const column strength_columns[] = {
    I32(strength_row, interaction, 1, ""),
    F64(strength_row, force, 1, "N"),
    F64(strength_row, moment, 1, "N m"),
};
const table_def layout_strengths = {
    "/model/strengths", NULL,
    "interactions that break: the id, and the force and the moment that they bear", COLUMN_F64,
    COLUMNS(strength_columns)};

static const column plane_columns[] = {I32(plane_row, system, 1, ""), I32(plane_row, plane, 1, "")};
const table_def layout_planes = {"/model/planes", NULL,
                                 "planar bodies: the id, and the plane: 1 x-y, 2 x-z, 3 y-z",
                                 COLUMN_F64, COLUMNS(plane_columns)};

static const column linear_contact_columns[] = {
    I32(linear_contact_row, interaction, 1, ""), I32(linear_contact_row, n, 1, ""),
    F64(linear_contact_row, c, 7, "m"),          F64(linear_contact_row, b, 1, "m"),
    F64(linear_contact_row, t, 7, "m"),
};
const table_def layout_linear_contacts = {
    "/model/linear_contacts", NULL,
    "linear relations with two rows of more than three coordinates: the id, and n, c, b, t; their"
    " rows of /model/interactions have the kind 0",
    COLUMN_F64, COLUMNS(linear_contact_columns)};

static const column scheme_columns[] = {
#define CHOICE(name)        I32(scheme_row, name, 1, "")
#define NUMBER(name, units) F64(scheme_row, name, 1, units)
    CHOICE(activation),
    CHOICE(projection),
    CHOICE(metric),
    CHOICE(proj_max),
    CHOICE(update),
    CHOICE(lever),
    CHOICE(configuration),
    CHOICE(second_order),
    CHOICE(newton_max),
    CHOICE(accept_unconverged),
    CHOICE(halvings),
    CHOICE(solver),
    CHOICE(stop),
    CHOICE(max_iters),
    NUMBER(theta, "1"),
    NUMBER(gamma, "1"),
    NUMBER(active_tol, "m"),
    NUMBER(hysteresis, "m"),
    NUMBER(proj_tol, "m"),
    NUMBER(newton_tol, "1"),
    NUMBER(accept, "1"),
    NUMBER(budget, "1"),
    NUMBER(max_seconds, "s"),
    NUMBER(tol, "1"),
    NUMBER(solver_max_seconds, "s"),
};
const table_def layout_scheme = {
    "/model/scheme", NULL,
    "the members of pcs_scheme and its pcs_solver_opts; choices are the values of their enums",
    COLUMN_F64, COLUMNS(scheme_columns)};
