// The contents of a model: its systems, their places in the flat q and v of a state, shapes,
// materials and interactions.
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdatomic.h>

#include "base/base.h"
#include "linalg/envelope.h"
#include "model/names.h"
#include <percuss/force.h>
#include <percuss/inertia.h>
#include <percuss/parts.h>
#include <percuss/rotation.h>
#include <percuss/strength.h>

typedef enum system_kind { SYSTEM_BODY, SYSTEM_FIXED, SYSTEM_LAGRANGIAN } system_kind;

// The matrices of a system with sparse ones, in one envelope; owned
typedef struct model_sparse {
    int *first;
    size_t *row;
    envelope M, K, D; // K and D without values where they are zero
    envelope factor;  // of M
} model_sparse;

typedef struct model_system {
    system_kind kind;
    const struct pcs_model *model; // model of the system
    bool disabled;                 // the system takes part in nothing
    int nq, nv;                    // coordinates and velocities; nv = 0 when fixed
    int q_at, v_at;                // places in the flat vectors
    int block;                     // number among the systems that move, -1 when fixed
    bool varies;                   // its mass depends on q
    void *user;

    // bodies
    double mass;
    double J[9]; // inertia about G, body axes
    double J_inverse[9];
    bool filled;          // J is that of its shapes
    pcs_inertia shapes;   // mass properties of these at density 1
    bool isotropic;       // J = j I and no added mass: no gyroscopic moment
    double *added;        // added mass, 6x6 in body axes, owned; null: none
    double inverse_bound; // |J^-1|, bounds the angular acceleration of a moment
    double reach;         // radius about G that holds all bounded shapes
    double thickness;     // thickness of its thickest shape, m; 0: no bounded shape
    double q0[7], v0[6];
    double given[4];           // the orientation before it was normalised
    pcs_body_motion_fn motion; // or null; the body then counts as fixed
    int driven;                // number among those with a motion
    pcs_system carrier;        // or {0}; the body then counts as fixed, and follows its pose
    int carried;               // number among those with a carrier
    pcs_body_pose_fn pose;
    pcs_body_pose_jacobian_fn pose_jacobian;
    bool touches_carried; // other bodies of its carrier with this flag
    pcs_plane plane;      // of a body that forces move; such bodies have J = j I
    pcs_body_force_fn body_force;
    pcs_body_jacobian_fn body_jacobian;

    // Lagrangian systems; matrices n x n, owned
    double *start; // q0 then v0
    double *M, *K, *D, *load;
    model_sparse *sparse; // in place of M, K, D; or null
    pcs_lagrangian_mass_fn mass_fn;
    pcs_lagrangian_force_fn force;
    pcs_lagrangian_jacobian_fn jacobian;
    bool linear; // constant mass, no callbacks: the iteration matrix depends on h only

    pcs_potential_fn potential;
    int joined; // 1 + the last of its joins, 0: none
    int forces; // number of force elements that name it

    // what follows (model_classify)
    bool plain; // a body on which only gravity acts, the same at every iterate
    bool dense; // its iteration matrix is more than diag(m I, a 3x3 block)
} model_system;

// A system that an interaction with an equality law connects to another one. Each is listed with
// both systems, except the world.
typedef struct model_join {
    int other;       // index of the system, -1 for the world
    int interaction; // index
    int next;        // 1 + the one before for the same system, 0: none
    bool apart;      // the interaction keeps them from touching
} model_join;

// A force element, with what follows from its definition
typedef struct model_force {
    pcs_force_def def;
    int id;
    bool disabled;
    int pose[2];      // indices of systems, -1 for the world
    int system[2];    // those whose velocities move them; -1 too for the second body of one carrier
    bool carried;     // a carrier moves one of them
    double axis[3];   // torsion: of unit length
    double frame[18]; // bushing: axes of both frames in those of their bodies, two 3x3
} model_force;

typedef struct model_shape {
    pcs_shape shape;
    int system; // index of the system, -1 for the world
    int material;
    unsigned group, mask;
    double given[4]; // the orientation before it was normalised
    bool disabled;
} model_shape;

// the law of two materials, a <= b, in place of that of the rule
typedef struct pair_law {
    int a, b;
    pcs_law law;
} pair_law;

struct pcs_model {
    pcs_env env;
    double gravity[3];
    pcs_scheme scheme;
    int nq, nv;

    model_system *system;
    int n_systems, cap_systems;
    model_shape *shape;
    int n_shapes, cap_shapes;
    pcs_material_def *material;
    int n_materials, cap_materials;
    pcs_interaction_def *interaction;
    bool *interaction_off;  // per interaction: disabled
    pcs_strength *strength; // per interaction
    int n_interactions, cap_interactions, cap_off, cap_strength;
    bool breaks; // some interaction has a strength, or may be broken in a state
    int n_rows;  // rows of all interactions
    model_join *join;
    int n_joins, cap_joins;
    model_force *force;
    int n_forces, cap_forces;

    // the systems that move: index, start of the velocities, start of the nv x nv block in a packed
    // block-diagonal matrix, start of the factors
    int n_blocks, cap_blocks;
    int *block_system;  // n_blocks
    int *block_start;   // n_blocks + 1
    size_t *block_off;  // n_blocks + 1
    size_t *factor_off; // n_blocks + 1

    bool variable_mass; // some system's mass depends on q
    int n_driven;       // bodies with prescribed motion
    int n_carried;      // bodies that Lagrangian systems carry
    int n_planar;       // bodies that forces move in a plane
    pcs_combine_fn combine;
    void *combine_user;
    pair_law *pair_law; // sorted by a, then b
    int n_pair_laws, cap_pair_laws;

    pcs_geometry **prism; // of planar polygons, owned
    int n_prisms, cap_prisms;

    bool grouped; // some shape has groups of its own
    pcs_filter_fn filter;
    void *filter_user;

    part_names names[PART_KINDS];

    atomic_int *busy; // steps running on this model: it must not change; and number of changes
};

// checks that a system of an id may carry a shape, and that its material exists
pcs_status model_check_shape(const pcs_model *m, const char *who, pcs_system system,
                             const pcs_shape *shape, pcs_material material);

// inertia of the shapes of a body with one more shape, at its mass
pcs_status model_fill_inertia(model_system *body, const pcs_shape *shape);

// memory for one more element of `size` bytes; on failure the old array stays
bool model_grow(const pcs_env *env, void **array, int n, int *cap, size_t size);

// reads the sparse matrices of a definition; releases them
pcs_status model_read_sparse(const pcs_env *env, const pcs_lagrangian_def *def, model_sparse **out);
void model_release_sparse(const pcs_env *env, model_sparse *s);

// PCS_ERR_ARG while a step is running, as it has pointers into the model
pcs_status model_may_change(const pcs_model *m, const char *who);
// another number after each change of the model
static inline int model_changes(const pcs_model *m)
{
    return atomic_load(m->busy + 1);
}

// largest sum of lengths, speeds or masses: products of larger ones overflow
#define MODEL_LARGEST 1e50
static inline bool model_in_range(const double *x, size_t n)
{
    double sum[4] = {0}; // they fill registers
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            sum[k] += fabs(x[i + k]);
        }
    }
    for (; i < n; ++i) {
        sum[0] += fabs(x[i]);
    }
    return sum[0] + sum[1] + sum[2] + sum[3] <= MODEL_LARGEST; // false if one is NaN
}

// default of proj_tol, in sizes of the smallest body
#define MODEL_OVERLAP 3e-4
// largest cap on the sweeps of a step
#define MODEL_SWEEPS 1000000000

// sets plain and dense; after each change of what they follow from
static inline void model_classify(model_system *s)
{
    s->dense = s->kind != SYSTEM_BODY || s->body_force || s->added || s->forces > 0;
    s->plain = !s->dense && s->isotropic;
}

// true when forces move a body directly
static inline bool body_def_moves(const pcs_body_def *def)
{
    return !def->fixed && !def->motion && def->carrier.id == 0;
}

// number of values in the factors of its iteration matrix (linalg/mass.h)
static inline size_t system_factor_size(const model_system *s)
{
    if (s->sparse) return 0;
    return s->dense ? (size_t)s->nv * (size_t)s->nv : 10;
}

// size of the smallest body that moves, m: the thickness of its thickest shape, or without shapes
// the diameter of gyration
double model_size(const pcs_model *m);
// the size of one body
double system_size(const model_system *s);

// the system of an id, or null for the world and unknown ids
static inline const model_system *model_find(const pcs_model *m, pcs_system s)
{
    return m && s.id >= 1 && s.id <= m->n_systems ? &m->system[s.id - 1] : NULL;
}

// the system whose velocities move a system (an index, -1 for the world): its carrier, else itself
static inline int system_mover(const pcs_model *m, int system)
{
    if (system < 0 || m->system[system].carrier.id == 0) return system;
    return m->system[system].carrier.id - 1;
}

// compose.c: the definition of a body with these mass properties, and its shapes seen from G
pcs_status model_shapes_about(const char *who, const pcs_inertia *b, int n, const pcs_shape *shapes,
                              pcs_body_def *def, pcs_shape *about_G);

// the axis normal to the plane of a planar body: 0, 1 or 2
static inline int plane_normal(pcs_plane plane)
{
    return plane == PCS_PLANE_XY ? 2 : plane == PCS_PLANE_XZ ? 1 : 0;
}

// true when velocity i of a planar body leaves its plane
static inline bool system_locks(const model_system *s, int i)
{
    if (s->plane == PCS_PLANE_NONE) return false;
    const int normal = plane_normal(s->plane);
    return i < 3 ? i == normal : i - 3 != normal;
}

// true when forces move it, or its carrier
static inline bool system_can_move(const pcs_model *m, int system)
{
    const int mover = system_mover(m, system);
    return mover >= 0 && m->system[mover].nv > 0;
}

// "body 3 'crate'", "system 3": the name of a system in a sentence about a callback
const char *system_words(const model_system *s, char words[PART_WORDS]);

// pose and velocity of a body with prescribed motion at time t, checked and normalised
pcs_status system_motion(const model_system *s, double t, double q[7], double v[6]);

// nq and nv of bodies; a relation may have larger systems
enum { BODY_NQ = 7, BODY_NV = 6 };

#endif
