// The objects of a scene file as structs, and the tables of their keys.
#ifndef SCENE_TABLES_H
#define SCENE_TABLES_H

#include <percuss/force.h>
#include <percuss/joint.h>
#include <percuss/model.h>
#include <percuss/motion.h>
#include <percuss/scene.h>
#include <percuss/vehicle.h>

#include "scene/fields.h"

// the version of the format that is written; a reader refuses a later one
enum { SCENE_VERSION = 1 };

typedef struct scene_rotation {
    given given;
    double axis[3], angle;
} scene_rotation;

typedef struct scene_material {
    given given;
    const char *name;
    pcs_material_def def;
} scene_material;

typedef struct scene_law {
    given given;
    int kind; // pcs_law_kind
    double e, e_t, mu;
} scene_law;

typedef struct scene_pair_law {
    given given;
    part materials[2];
    scene_law law;
} scene_pair_law;

// kinds of shapes after those of pcs_shape_kind
enum { SHAPE_DISK = PCS_SHAPE_HEIGHT_FIELD + 1, SHAPE_RECTANGLE, SHAPE_POLYGON };

typedef struct scene_shape {
    given given;
    int kind; // pcs_shape_kind, or one of those above
    const char *name;
    part material;
    double position[3], orientation[4];
    double radius, size[3], length;
    double normal[3], offset;
    double edges[2];
    numbers corners;
    const char *geometry;
    double density;
    unsigned group, mask;
    bool enabled;
    int number;
} scene_shape;

typedef struct scene_world {
    given given;
    part material;
    unsigned group, mask;
    const json_t *shapes;
} scene_world;

typedef struct scene_motion {
    given given;
    numbers polynomial, angle, table;
    double velocity[3], amplitude[3], frequency, phase;
    double axis[3], centre[3], speed, swing, swing_frequency, swing_phase;
    double belt[3];
} scene_motion;

typedef struct scene_move {
    given given;
    double slide[3], turn[3], centre[3], offset;
    numbers by;
} scene_move;

typedef struct scene_load {
    given given;
    pcs_load load;
} scene_load;

typedef struct scene_fin {
    given given;
    pcs_vehicle_fin fin;
} scene_fin;

typedef struct scene_foil {
    given given;
    pcs_foil foil;
    numbers table;
} scene_foil;

typedef struct scene_vehicle {
    given given;
    pcs_vehicle_def def;
    numbers mass_matrix, added_mass, deflections;
    const json_t *fins;
    scene_foil foil;
    double thrust;
} scene_vehicle;

typedef enum scene_geometry_kind {
    GEOMETRY_HULL,
    GEOMETRY_MESH,
    GEOMETRY_HEIGHT_FIELD
} scene_geometry_kind;

typedef struct scene_geometry {
    given given;
    int kind; // scene_geometry_kind
    const char *name, *file;
    double scale;
    bool open;
    numbers points, triangles, heights;
    double dx, dy;
} scene_geometry;

typedef enum scene_body_kind {
    BODY_RIGID,
    BODY_LAGRANGIAN,
    BODY_LATTICE,
    BODY_RING,
    BODY_STACK
} scene_body_kind;

typedef struct scene_body {
    given given;
    int kind; // scene_body_kind
    const char *name;
    bool fixed, enabled;
    int plane; // pcs_plane
    double mass, density;
    numbers inertia, added_mass;
    double position[3], orientation[4], velocity[3], omega[3];
    part material;
    unsigned group, mask;
    const json_t *shapes;
    scene_motion motion;
    scene_load load;
    const json_t *vehicle;
    part carrier;
    const json_t *moves;
    bool touches_carried;

    // Lagrangian systems
    numbers q, v, mass_matrix, stiffness, damping, forces;

    // generators
    const json_t *bodies, *interactions; // the repeated parts
    int counts[3], count, seed;
    double spacing[3], shift[3], jitter, radius, start, turn;
    bool tumble;
} scene_body;

typedef enum scene_interaction_kind {
    INTERACTION_BALL,
    INTERACTION_DISTANCE,
    INTERACTION_LINEAR,
    INTERACTION_ROPE,
    INTERACTION_LIMITS,
    INTERACTION_MOTOR,
    INTERACTION_FRICTION,
    INTERACTION_FORCES, // force elements, in the order of pcs_force_kind without callbacks
    INTERACTION_JOINTS =
        INTERACTION_FORCES + PCS_FORCE_USER // from here on joints that pcs_model_add_joint makes
} scene_interaction_kind;

// the kind of such a joint and its interaction, in the order of the words of the table
extern const pcs_joint_kind scene_joint_kinds[];
int scene_interaction_of(pcs_joint_kind kind);

typedef struct scene_target {
    given given;
    pcs_time_function f;
} scene_target;

typedef struct scene_interaction {
    given given;
    int kind; // scene_interaction_kind
    const char *name;
    part bodies[2];
    int next[3]; // number of copies from the first body to the second
    double point1[3], point2[3], at[3], at1[3], at2[3], length;
    double axes1[4], axes2[4], axis[3], axis1[3], across[3], pitch, arm;
    int teeth[2], coordinate;
    part joint;
    double low, high, e;
    scene_target target;
    bool of_speed;
    double limit, mu, radius, break_force, break_moment;
    double stiffness, damping, angle, strength;
    numbers K, D;
    numbers coefficients, tangent;
    double offset;
    scene_law law;
    bool touching, enabled;
} scene_interaction;

// the options of all solvers; the table of solvers has those of each
typedef struct scene_solver {
    given given;
    double tol, max_seconds;
    int stop, max_iters;
} scene_solver;

// the constructors of schemes
typedef enum scene_base { BASE_DEFAULT, BASE_DENSE, BASE_MOREAU_JEAN } scene_base;

// the given fields of `scheme` replace those of the base
typedef struct scene_scheme {
    given given;
    int base; // scene_base
    double size, tol;
    pcs_scheme scheme;
    const json_t *solver;
} scene_scheme;

typedef struct scene_rest {
    given given;
    double speed, time;
} scene_rest;

typedef struct scene_box {
    given given;
    part body;
    double low[3], high[3];
} scene_box;

typedef struct scene_stop {
    given given;
    scene_rest rest;
    scene_box leaves;
    bool unconverged;
    int steps;
} scene_stop;

typedef struct scene_settings {
    given given;
    double h, t_end;
    int frame_steps;
    double frame_seconds;
    scene_stop stop;
} scene_settings;

typedef struct scene_file {
    given given;
    int version;
    const char *name, *description;
    double gravity[3];
    int plane; // pcs_plane
    const json_t *materials, *pair_laws, *geometries;
    scene_world world;
    const json_t *bodies, *interactions;
    scene_scheme scheme;
    scene_settings run;
} scene_file;

extern const table motion_table, move_table, load_table, fin_table, foil_table, vehicle_table, geometry_table,
    material_table, law_table, pair_law_table, shape_table, world_table, body_table,
    interaction_table, scheme_table, rest_table, box_table, stop_table, settings_table,
    solver_table, file_table, rotation_table, target_table;

#endif
