// The contents of a trajectory file (doc/trajectories.md): the rows of its tables, and their
// columns. The rows are structs without padding: integers first, and `unused` where their number is
// odd.
#ifndef TRAJECTORY_LAYOUT_H
#define TRAJECTORY_LAYOUT_H

#include <percuss/force.h>
#include <percuss/joint.h>
#include <percuss/parts.h>
#include <percuss/step.h>

#include "trajectory/h5_tables.h"

#define LAYOUT_FORMAT  "percuss-trajectory"
#define LAYOUT_VERSION 1

// ---- frames and steps

// A frame has the same row in all of these. `time` is written last: its length is the number of
// frames that are complete
enum {
    FRAME_Q,
    FRAME_V,
    FRAME_DRIVEN_V, // absent in files of older versions
    FRAME_STEP,
    FRAME_HASH,
    FRAME_CONTACTS_END,
    FRAME_TIME,
    FRAME_TABLES
};
extern const table_def layout_frame[FRAME_TABLES];

// a contact of a frame; reals have seven digits
typedef struct contact_row {
    int32_t system1, system2, shape1, shape2, interaction, row, status;
    uint32_t feature;
    float mu, gap, gap_end, P1[3], P2[3], normal[3], tangent[3], r[3], u[3];
} contact_row;
extern const table_def layout_contacts;

// what a force element does in a frame (pcs_force_result); reals have seven digits
typedef struct force_row {
    int32_t force; // its id
    float length, speed, tension, energy, power, P1[3], P2[3], F1[6], F2[6], strain[6], stress[6];
} force_row;
extern const table_def layout_forces;

// number of kinds of doubts of a step; the last kinds are those of runs only
enum { STEP_DOUBTS = PCS_DOUBT_PROJECTION + 1 };

typedef struct step_row {
    int32_t outcome, committed, substeps, newton_iters, solves, passes, candidates, active,
        solve_outcome, solver, solve_iters, projection_outcome, projection_iters, islands,
        largest_island, sweeps, finish_iters, unused, doubts[STEP_DOUBTS];
    double t, newton_residual, residual, natural_map, projection_residual, violation_before,
        violation_after, penetration_before, penetration, units, seconds;
    pcs_energy energy;
} step_row;
extern const table_def layout_steps;

// converts the report of the step that ended at t to its row and back
void layout_put_step(double t, const pcs_step_report *report, step_row *row);
void layout_get_step(const step_row *row, pcs_step_report *report);

// ---- the model

typedef enum system_row_kind { ROW_BODY, ROW_FIXED, ROW_DRIVEN, ROW_LAGRANGIAN } system_row_kind;

typedef struct system_row {
    int32_t kind, enabled, q_first, q_count, v_first, v_count;
    double mass, inertia[9];
} system_row;

typedef struct shape_row {
    int32_t kind, system, material, geometry, enabled;
    uint32_t group, mask, unused;
    double position[3], orientation[4], radius, half[3];
} shape_row;

typedef struct material_row {
    double e, e_t, mu;
} material_row;

typedef struct interaction_row {
    int32_t kind, law, system1, system2, rows, enabled;
    double e, e_t, mu, data[9];
} interaction_row;

typedef struct joint_row {
    int32_t interaction, kind, teeth[2], joint, coordinate; // the last two of limits
    double point1[3], axes1[4], point2[3], axes2[4], pitch, arm, low, high;
} joint_row;

// of an interaction that depends on time, or with a limited law; of_speed: 2 is added where the
// function of time is zero and counts
typedef struct time_row {
    int32_t interaction, of_speed;
    double offset, rate, amplitude, frequency, phase, limit;
} time_row;

typedef struct force_def_row {
    int32_t kind, system1, system2, enabled;
    double p1[3], p2[3], axis[3], stiffness, damping, length, angle, strength;
} force_def_row;

// the rest of the definition of a bushing
typedef struct bushing_row {
    int32_t force, unused; // its id
    double frame1[4], frame2[4], K[36], D[36];
} bushing_row;

// of an interaction that breaks
typedef struct strength_row {
    int32_t interaction, unused;
    double force, moment;
} strength_row;

// of a planar body
typedef struct plane_row {
    int32_t system, plane;
} plane_row;

// of a linear contact of more than three coordinates, whose row of /model/interactions is one of
// the user
typedef struct linear_contact_row {
    int32_t interaction, n;
    double c[7], b, t[7];
} linear_contact_row;

// second_order: 2 is added where bodies may sleep; accept_unconverged: twice max_sweeps is added
typedef struct scheme_row {
    int32_t activation, projection, metric, proj_max, update, lever, configuration, second_order,
        newton_max, accept_unconverged, halvings, solver, stop, max_iters;
    double theta, gamma, active_tol, hysteresis, proj_tol, newton_tol, accept, budget, max_seconds,
        tol, solver_max_seconds;
} scheme_row;

extern const table_def layout_systems, layout_shapes, layout_materials, layout_interactions,
    layout_planes, layout_joints, layout_times, layout_strengths, layout_linear_contacts,
    layout_force_defs, layout_bushings, layout_scheme;

typedef struct stored_force {
    pcs_force_def def; // without its callbacks
    bool enabled;
    const char *name; // "" without one
} stored_force;

// A model from a file, without its callbacks (pcs_trajectory_model).
typedef struct stored_model {
    pcs_model *model;
    pcs_geometry **geometry; // n_geometries, geometries of its shapes
    int n_geometries;
    int *driven; // per system: its number among bodies with prescribed motion, or -1
    int n_driven;
    int n_forces; // force elements: not in the model, which might refuse what acted on its bodies
    stored_force *force;
} stored_model;

pcs_status model_tables_write(h5_file *f, const pcs_model *m);
// release `out` after a failure, too; its force elements are in the pool `keep`
pcs_status model_tables_read(const h5_file *f, const pcs_env *env, pcs_pool *keep,
                             stored_model *out);
void model_tables_release(const pcs_env *env, stored_model *m);

#endif
