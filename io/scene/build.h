// Makes a model from the objects of a scene file.
#ifndef SCENE_BUILD_H
#define SCENE_BUILD_H

#include <percuss/motion.h>
#include <percuss/parts.h>

#include "scene/read_fields.h"
#include "scene/scene_memory.h"
#include "scene/tables.h"

// largest number of bodies, shapes and copies: a few bytes of a generator may request any number
enum { SCENE_PARTS_MAX = 1000000 };

// a shape that waits for its number
typedef struct waiting_shape {
    pcs_shape shape;
    pcs_system system;
    pcs_material material;
    unsigned group, mask;
    bool enabled, planar; // planar: a disk, a rectangle or a polygon
    const char *name;     // or null
    int number;           // or -1
    size_t item;          // item in the list of bodies
} waiting_shape;

typedef struct builder {
    source src;
    const json_t *root; // root of the JSON text
    pcs_scene *scene;
    pcs_model *model; // model of the scene
    pcs_env env;
    waiting_shape *shape; // owned
    size_t n_shapes, cap_shapes;
    int copies;   // number of copies by generators so far
    bool joining; // all bodies are made: the interactions of generators follow
} builder;

// counts one more part; refuses it beyond the limit
pcs_status build_count(builder *b, int n, const char *what, const place *at);

// builds all of a file into the empty model of the scene
pcs_status build_scene(builder *b, const json_t *json);
void builder_release(builder *b);

// ---- parts, by file

// build_shapes.c: the shapes of a list into `out` (as many as the list has), and later their place
// in the model
typedef struct shape_owner {
    part material;
    const struct place *material_at; // null: it has none
    unsigned group, mask;
    pcs_plane plane;
    const struct frame *frame;
} shape_owner;
pcs_status build_shapes(builder *b, const json_t *list, const place *at, const shape_owner *owner,
                        waiting_shape *out, double *densities);
pcs_status build_wait(builder *b, const waiting_shape *shapes, size_t n, pcs_system system);
pcs_status build_number(builder *b);

// build_bodies.c, build_joints.c, build_scheme.c
typedef struct frame {
    int depth; // depth of generators; 0: the inertial frame
    bool rotated;
    pcs_plane plane; // of bodies and generators that have none of their own
    double x[3], Q[4];
    char copy[120]; // text after names, " 3 1"
    size_t item;    // item in the list of bodies of the file
} frame;
// builds all of the list; when `joining`, only the interactions of its generators
pcs_status build_bodies(builder *b, const json_t *list, const place *at, const frame *f);
// the name of a part in the frame of a copy, in memory of the scene; null without a name
pcs_status copy_name(builder *b, const char *name, const frame *f, const char **out);
// build_copies.c
pcs_status build_copies(builder *b, const scene_body *in, const json_t *json, const place *at,
                        const frame *outer);
void frame_point(const frame *f, double x[3]); // from the frame to the inertial one, in place
void frame_vector(const frame *f, double x[3]);
void frame_rotation(const frame *f, double Q[4]);
// build_motion.c
pcs_status build_motion(builder *b, const scene_motion *in, const pcs_body_def *pose,
                        const frame *f, const place *at, pcs_motion **out);
pcs_status build_load(builder *b, const scene_load *in, const frame *f, pcs_load **out);
// build_carried.c: the pose of a body that a Lagrangian system carries
pcs_status build_carried(builder *b, const scene_body *in, const json_t *json, const place *at,
                         const frame *f, pcs_body_def *out);
// build_vehicle.c: mass and forces of the body
pcs_status build_vehicle(builder *b, const json_t *json, const place *at, pcs_body_def *out);
// build_geometry.c
// the geometry of a polygon, which the scene owns
pcs_status polygon_geometry(builder *b, pcs_plane plane, const numbers *corners, const place *at,
                            const pcs_geometry **out);
pcs_status build_geometries(builder *b, const json_t *list, const place *at);
pcs_status find_geometry(builder *b, const char *name, pcs_shape_kind kind, const place *at,
                         const pcs_geometry **out);
// build_joints.c: the interactions of a copy, or of the file
typedef struct neighbours {
    int axes;               // number of axes with copies: 3 for a lattice, else 1
    int count[3], index[3]; // number of copies of the generator, and index of this one
    bool closed;            // the first copy follows the last
} neighbours;
// the pose of a body at t = 0, also by its motion
pcs_status scene_start_pose(const pcs_model *m, pcs_system system, double q[7]);
// the point of a body, or of the world in the frame of the copy
void build_point(const double in[3], pcs_system system, const frame *f, double out[3]);
// the point of a body that is at the point `in` of the frame at the start
void build_place(const builder *b, const double in[3], pcs_system system, const frame *f,
                 double out[3]);
// the inertial place of the point p of a body at the start
void build_inertial(const builder *b, pcs_system system, const double p[3], double out[3]);
// the axes of a frame in both bodies, from axis and across at the start
pcs_status build_axes(const builder *b, const scene_interaction *in, const frame *f,
                      const pcs_system system[2], double axes1[4], double axes2[4]);
// refuses an interaction with two keys of the same meaning
pcs_status build_both_ways(builder *b, const place *at, const char *one, const char *other);
pcs_status build_interactions(builder *b, const json_t *list, const place *at, const frame *f,
                              const neighbours *copies);
// build_forces.c
pcs_status build_force(builder *b, const scene_interaction *in, const pcs_system system[2],
                       const frame *f, const place *at, const char *name);
pcs_status build_scheme(builder *b, const json_t *json, const place *at);
// the scheme whose fields a scene replaces, and the options of a solver when it is chosen
pcs_scheme scheme_base(const scene_scheme *in);
pcs_solver_opts solver_usual(const pcs_solver_opts *base, pcs_solver kind);
pcs_law build_law(const scene_law *in);

// references to parts
pcs_status find_material(builder *b, const part *p, const place *at, pcs_material *out);
pcs_status find_body(builder *b, const part *p, const place *at, pcs_system *out);
// the interaction before this one
pcs_status find_interaction(builder *b, const part *p, const place *at, pcs_interaction *out);

#endif
