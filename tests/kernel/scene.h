// A model, a state and a work with counted memory, and the bodies that the tests of the kernel put
// into them.
#ifndef KERNEL_SCENE_H
#define KERNEL_SCENE_H

#include "support.h"

#include <percuss/kernel.h>

typedef struct scene {
    test_memory *memory;
    pcs_env env;
    pcs_scheme scheme; // scene_start gives it to the model
    pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    pcs_step_report report; // of the last scene_step, as are h, q_before and v_before
    double h, *q_before, *v_before;
} scene;

// an empty model and the scheme of Moreau and Jean, solved to 1e-12
scene scene_open(void);
// sets the scheme, makes state and work
void scene_start(scene *s);
// destroys everything; checks that no memory is left
void scene_close(scene *s);

pcs_system scene_add(scene *s, const pcs_body_def *def);
pcs_system scene_add_lagrangian(scene *s, const pcs_lagrangian_def *def);
pcs_interaction scene_join(scene *s, pcs_relation relation, pcs_law law, pcs_system one,
                           pcs_system two);
pcs_system scene_ball(scene *s, double mass, double radius, const double x[3], const double v[3]);
// Q null: along the axes; inertia of the solid box
pcs_system scene_box(scene *s, double mass, const double edges[3], const double x[3],
                     const double *Q, const double v[3], const double omega[3]);
// shape of a material with restitution e on a system ({0}: the world)
void scene_shape(scene *s, pcs_system on, pcs_shape shape, double e);
// the same with friction
void scene_rough(scene *s, pcs_system on, pcs_shape shape, double e, double e_t, double mu);
// a ball with its shape, of a material as above
pcs_system scene_solid_ball(scene *s, double mass, double radius, const double x[3],
                            const double v[3], double e);
pcs_system scene_rough_ball(scene *s, double mass, double radius, const double x[3],
                            const double v[3], double e, double e_t, double mu);
// the half-space below z = 0, in the world
void scene_ground(scene *s, double e);
// a row of balls that hit one another, too long for a few sweeps
void scene_unsolvable(scene *s, int sweeps);
void scene_gravity(scene *s, double x, double y, double z);

// balls, rotated boxes with full inertia, bodies of two shapes, forces, a joint and a unilateral
// distance, above a floor and a wall; to be started by the caller
void scene_random(scene *s, uint64_t seed);
// the same with friction between 0 and mu on every shape
void scene_random_rough(scene *s, uint64_t seed, double mu);

// one step that must succeed and be committed
void scene_step(scene *s, double h);

// the number of contacts of the last step, and *out, all of them
int scene_contacts(const scene *s, const pcs_contact **out);

double *scene_q(scene *s, pcs_system b);
double *scene_v(scene *s, pcs_system b);
double scene_kinetic(scene *s);
double scene_potential(scene *s);

// the ledger of the last step closes to rounding, converged or not
void scene_check_ledger(const scene *s);

// the conditions of the laws and the ledger for the last step of any scene: the law of every
// contact, |Q| = 1, no energy lost from the ledger, signs of the works
void scene_check_step(scene *s);
// n steps of h, each with scene_check_step
void scene_steps(scene *s, double h, int n);

// symmetric positive definite inertia with the given principal moments, axes rotated at random
void random_inertia(test_random *r, const double principal[3], double J[9]);

// the deepest overlap of two shapes at the poses of their bodies
double pair_depth(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2);

// slope of log2(error) over log2(h) by least squares, n halvings
double observed_order(int n, const double *error);

#endif
