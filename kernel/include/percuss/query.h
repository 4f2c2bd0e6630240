/// @file
/// Queries between steps: the first hit of a ray, the nearest shapes, the forces of the last step,
/// the contacts that began and ended.
#ifndef PERCUSS_QUERY_H
#define PERCUSS_QUERY_H

#include <percuss/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Rays and distances
/// These functions use a model at the coordinates of a state; they make no step and allocate no
/// memory. Disabled systems and shapes are ignored. All vectors are inertial. A state that is not
/// of this model, or not extended since (pcs_state_extend), is refused with PCS_ERR_SIZE.
/// @{

/// A ray. Start from pcs_ray_default.
typedef struct pcs_ray {
    double from[3];    ///< start point, m, inertial
    double along[3];   ///< direction; any length > 0
    double reach;      ///< length, m, > 0; may be infinite
    unsigned mask;     ///< shapes whose groups have none of these bits are ignored
    pcs_system ignore; ///< ignored, for example the body of the sensor; {-1}: none
} pcs_ray;

/// From the origin along z, of infinite reach, against all shapes.
PCS_API pcs_ray pcs_ray_default(void);

/// The first hit of a ray.
typedef struct pcs_hit {
    int shape;         ///< number of the shape; -1: nothing within reach
    pcs_system system; ///< the system of the shape
    double distance;   ///< from the start, m; the reach if there is no hit
    double point[3];   ///< m
    double normal[3];  ///< unit, outward from the surface there
} pcs_hit;

/// Finds the nearest hit of each of n rays; at equal distances the shape with the smaller number.
/// `hits` has room for n. A ray that starts inside a solid shape hits it at once, at distance 0
/// with a normal against the ray. Meshes and height fields are surfaces: rays hit them from both
/// sides. The cost is a test of bounds for each ray and shape, and an exact test for the few shapes
/// near a ray.
PCS_NODISCARD PCS_API pcs_status pcs_state_cast_rays(const pcs_model *model, const pcs_state *state,
                                                     int n, const pcs_ray *rays, pcs_hit *hits);

/// A shape for a query, which is not part of the model. Start from pcs_probe_of.
typedef struct pcs_probe {
    pcs_shape shape;   ///< a sphere of radius 0 is a point
    double q[7];       ///< pose of the frame of the shape, x and Q, any |Q| > 0
    double reach;      ///< largest distance searched, m; may be infinite
    unsigned mask;     ///< shapes whose groups have none of these bits are ignored
    pcs_system ignore; ///< ignored; {-1}: none
} pcs_probe;

/// A shape at the inertial origin, of infinite reach, against all shapes.
PCS_API pcs_probe pcs_probe_of(const pcs_shape *shape);

/// The closest points of two shapes.
typedef struct pcs_closest {
    int shape1;         ///< number of the shape of system 1; -1 of a probe, or if nothing is found
    int shape2;         ///< that of the other; -1: nothing within reach
    pcs_system system1; ///< {-1} for a probe
    pcs_system system2; ///< the system system of shape2
    double distance;    ///< m; for an overlap minus the shortest displacement that separates them;
                        ///< the reach if nothing is found
    double normal[3];   ///< unit, from 2 to 1
    double P1[3];       ///< closest point of shape 1, m
    double P2[3];       ///< closest point of shape 2; P1 - P2 = distance normal
} pcs_closest;

/// Finds the shape that is nearest to a probe; at equal distances the one with the smaller number.
/// Distances are those of pcs_collide (doc/contact-detection.md). Meshes and height fields have
/// distances on their outside only; a probe beneath them has none, and two of them, or one and a
/// half-space, have none.
PCS_NODISCARD PCS_API pcs_status pcs_state_closest(const pcs_model *model, const pcs_state *state,
                                                   const pcs_probe *probe, pcs_closest *out);

/// The distance of two systems (each may be the world, {0}): the least distance of their shapes,
/// within `reach` (m, may be infinite).
PCS_NODISCARD PCS_API pcs_status pcs_state_distance(const pcs_model *model, const pcs_state *state,
                                                    pcs_system system1, pcs_system system2,
                                                    double reach, pcs_closest *out);

/// @}
/// @name Forces of the last step
/// These functions read a work after a step or an impact, with its contacts (pcs_work_contacts).
/// Positions, axes and reference points are those at the start of the step. All results are
/// impulses; divided by pcs_work_step_size they are mean forces. If a step was divided (substeps of
/// its report), they belong to its last part.
/// @{

/// Sum of the impulses on a body in the last step, of its contacts and of its interactions (joints,
/// motors, limits, friction of joints): force impulse in the inertial frame (N s) and moment
/// impulse about G in the body frame (N m s), as the rows of the step have them: P1, P2, F and r of
/// pcs_work_contacts do not give the moment of every contact, nor what the step takes from bodies
/// where its projection adds energy to their joints (doc/stepping.md, "Motions without a row").
/// With the impulse of the forces it is the change of momentum; pcs_work_reaction is part of it and
/// must not be added. Contacts alone: pcs_work_pair_wrench. Zero if none, or not a body.
PCS_API void pcs_work_contact_wrench(const pcs_work *work, pcs_system system, double wrench[6]);

/// s, the time over which the impulses of the work acted; 0 after an impact, or if there was no
/// step.
PCS_API double pcs_work_step_size(const pcs_work *work);

/// A frame fixed in a body that forces move. Start from pcs_body_frame_of.
typedef struct pcs_body_frame {
    pcs_system body;       ///< the body
    double origin[3];      ///< in its frame, from G, m; moments are about this point
    double orientation[4]; ///< axes of the frame, to the body; any length > 0
    bool inertial;         ///< the axes are the inertial ones, and orientation is ignored
} pcs_body_frame;

/// The frame of a body: origin G, the axes of the body.
PCS_API pcs_body_frame pcs_body_frame_of(pcs_system body);

/// The impulse of an interaction on the body of the frame, which is one of its two systems: impulse
/// (N s) and moment about the origin (N m s) in the axes of the frame. Zero if it did not act.
/// PCS_ERR_ARG if there is no such interaction, or if its systems do not include this body, or no
/// force moves the body.
PCS_NODISCARD PCS_API pcs_status pcs_work_reaction(const pcs_work *work,
                                                   pcs_interaction interaction,
                                                   const pcs_body_frame *frame, double wrench[6]);

/// The impulse of the contacts with the shapes of `other` ({0}: the world) on the body of the
/// frame, as pcs_work_reaction.
PCS_NODISCARD PCS_API pcs_status pcs_work_pair_wrench(const pcs_work *work, pcs_system other,
                                                      const pcs_body_frame *frame,
                                                      double wrench[6]);

/// The pressure on a shape.
typedef struct pcs_pressure {
    int contacts;      ///< contacts with an impulse
    double normal;     ///< sum of their normal impulses, N s
    double impulse[3]; ///< sum of their impulses on the shape, inertial, N s
    double centre[3];  ///< centre of the normal impulses, inertial, m; zero without any
} pcs_pressure;

/// The pressure of a shape by another one, or by all (`by` -1). With `face`, an outward normal in
/// the frame of the shape (any length > 0), only contacts whose normal is within 0.1 rad of it
/// count; null: all. On a flat face the centre is the centre of pressure: the normal forces have no
/// moment about it along the face.
PCS_NODISCARD PCS_API pcs_status pcs_work_pressure(const pcs_work *work, int shape, int by,
                                                   const double *face, pcs_pressure *out);

/// @}
/// @name Events of contact
/// Pairs of shapes that begin or end to press on each other in a step, and their impulses. A pair
/// presses in a step when its contacts have an impulse. The state remembers the impulses of its
/// last step: a state that was copied or loaded continues with the same events.
/// @{

/// An event of a pair of shapes in the last pcs_step, all parts of a divided step together.
typedef struct pcs_contact_event {
    pcs_system system1; ///< the one that the normal points into
    pcs_system system2; ///< the other; {0}: the world
    int shape1;         ///< number of the shape of system1
    int shape2;         ///< number of the shape of system2
    bool begins;        ///< the pair did not press in the previous step
    bool ends;          ///< the pair no longer presses at the end of this step
    double normal;      ///< sum of the normal impulses, N s; 0 if it ended before this step
    double impulse[3];  ///< sum of the impulses on system1, inertial, N s
    double point[3];    ///< centre of the normal impulses, between the points of the two, inertial,
                        ///< m; zero without any
} pcs_contact_event;

/// Sets whether the steps of a work list events; initially they do not. The state after a step is
/// the same to the bit either way; a warm step does not allocate either way.
PCS_NODISCARD PCS_API pcs_status pcs_work_watch_events(pcs_work *work, bool on);

/// The pairs that pressed before the last step, in it or at its end: `count` of them in *out,
/// sorted by the smaller, then the larger number of their shapes; valid until the next step of the
/// work. None after a step that was not committed. The impulses on a system summed over a run are
/// the impulse of its contacts. `out` may be null. PCS_ERR_ARG when events are off.
PCS_NODISCARD PCS_API pcs_status pcs_work_events(pcs_work *work, int *count,
                                                 const pcs_contact_event **out);

/// @}

#ifdef __cplusplus
}
#endif

#endif
