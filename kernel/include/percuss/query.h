/// @file
/// Questions to a scene between steps: what a ray hits, what is nearest, what acted on
/// what, who began and ended to touch.
#ifndef PERCUSS_QUERY_H
#define PERCUSS_QUERY_H

#include <percuss/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @name Rays and distances
/// Asked of a model at the coordinates of a state, without a step and without memory of their own.
/// What is disabled or switched off is not there. All vectors are inertial. A state that is not of
/// this model, or not extended since (pcs_state_extend), is refused with PCS_ERR_SIZE.
/// @{

/// A ray. Start from pcs_ray_default.
typedef struct pcs_ray {
    double from[3];    ///< where it starts, m, inertial
    double along[3];   ///< direction; any length > 0
    double reach;      ///< how far it goes, m, > 0; may be infinite
    unsigned mask;     ///< shapes whose groups have none of these bits are passed through
    pcs_system ignore; ///< passed through: the carrier of the sensor, say; {-1}: none
} pcs_ray;

/// From the origin along z, of infinite reach, against all shapes.
PCS_API pcs_ray pcs_ray_default(void);

/// What a ray hits first.
typedef struct pcs_hit {
    int shape;         ///< its number; -1: nothing within reach
    pcs_system system; ///< that carries it
    double distance;   ///< from the start, m; the reach where nothing is hit
    double point[3];   ///< m
    double normal[3];  ///< unit, outward from the surface there
} pcs_hit;

/// The first point of every shape on each of n rays, the nearest per ray; at equal distances the
/// shape of the smaller number. A ray that starts inside a solid shape hits it at once, at distance
/// 0 with a normal against the ray. Meshes and height fields are surfaces, hit from both sides. The
/// time is that of n times the shapes for bounds, and of the few shapes near a ray.
PCS_NODISCARD PCS_API pcs_status pcs_state_cast_rays(const pcs_model *model, const pcs_state *state,
                                                     int n, const pcs_ray *rays, pcs_hit *hits);

/// A shape held into a scene. Start from pcs_probe_of.
typedef struct pcs_probe {
    pcs_shape shape;   ///< a sphere of radius 0 is a point
    double q[7];       ///< pose of the frame of the shape, x and Q, any |Q| > 0
    double reach;      ///< what is further is not looked for, m; may be infinite
    unsigned mask;     ///< shapes whose groups have none of these bits are not there
    pcs_system ignore; ///< is not there; {-1}: none
} pcs_probe;

/// A shape at the inertial origin, of infinite reach, against all shapes.
PCS_API pcs_probe pcs_probe_of(const pcs_shape *shape);

/// The closest points of two shapes.
typedef struct pcs_closest {
    int shape1;         ///< number of the shape of system 1; -1 of a probe, or if nothing is found
    int shape2;         ///< that of the other; -1: nothing within reach
    pcs_system system1; ///< {-1} for a probe
    pcs_system system2; ///< that carries shape2
    double distance;    ///< m; of an overlap minus the shortest way apart; the reach if none
    double normal[3];   ///< unit, from 2 to 1
    double P1[3];       ///< closest point of shape 1, m
    double P2[3];       ///< that of shape 2; P1 - P2 = distance normal
} pcs_closest;

/// What is nearest to a probe; at equal distances the shape of the smaller number. Distances are
/// those of pcs_collide (doc/contact-detection.md): from meshes and height fields seen from
/// outside; beneath them, and between two of them, a half-space included, there are none.
PCS_NODISCARD PCS_API pcs_status pcs_state_closest(const pcs_model *model, const pcs_state *state,
                                                   const pcs_probe *probe, pcs_closest *out);

/// The distance of two systems (each may be the world, {0}): of those of their shapes that are
/// closest, within `reach` (m, may be infinite).
PCS_NODISCARD PCS_API pcs_status pcs_state_distance(const pcs_model *model, const pcs_state *state,
                                                    pcs_system system1, pcs_system system2,
                                                    double reach, pcs_closest *out);

/// @}
/// @name What acted in the last step
/// Read from a work after a step or an impact, with its contacts (pcs_work_contacts), at the start
/// of the step and about points that are fixed in bodies there. All are impulses; over
/// pcs_work_step_size they are mean forces. Where a step was divided (substeps of its report),
/// it is the last part that is read.
/// @{

/// Sum of the contact impulses on a body in the last step: force impulse in the inertial frame
/// (N s) and moment impulse about G in the body frame (N m s). Zero if none, or not a body.
PCS_API void pcs_work_contact_wrench(const pcs_work *work, pcs_system system, double wrench[6]);

/// s, the time over which the impulses of the work acted; 0 after an impact, or if there was no
/// step.
PCS_API double pcs_work_step_size(const pcs_work *work);

/// A frame fixed in a body that forces move. Start from pcs_body_frame_of.
typedef struct pcs_body_frame {
    pcs_system body;       ///< the body
    double origin[3];      ///< in its frame, from G, m; moments are about this point
    double orientation[4]; ///< axes of the frame, to the body; any length > 0
    bool inertial;         ///< the axes are the inertial ones, and orientation means nothing
} pcs_body_frame;

/// Of a body: its origin in G, its axes those of the body.
PCS_API pcs_body_frame pcs_body_frame_of(pcs_system body);

/// What an interaction did to the body of the frame, one of its two systems: impulse (N s) and
/// moment about the origin (N m s) in the axes of the frame. Zero if it did not act. PCS_ERR_ARG if
/// there is no such interaction, or it does not hold a body of that id that forces move.
PCS_NODISCARD PCS_API pcs_status pcs_work_reaction(const pcs_work *work,
                                                   pcs_interaction interaction,
                                                   const pcs_body_frame *frame, double wrench[6]);

/// What the contacts of shapes of `other` ({0}: the world) did to the body of the frame, as
/// pcs_work_reaction.
PCS_NODISCARD PCS_API pcs_status pcs_work_pair_wrench(const pcs_work *work, pcs_system other,
                                                      const pcs_body_frame *frame,
                                                      double wrench[6]);

/// The pressure on a shape.
typedef struct pcs_pressure {
    int contacts;      ///< that pressed
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
/// Pairs of shapes that begin or end to press on each other in a step, and what they did meanwhile.
/// A pair presses in a step when its contacts have an impulse. What pressed before is told by the
/// state (it remembers the impulses of its last step): a state that was copied or loaded goes on
/// with the same events.
/// @{

/// What a pair of shapes did in the last pcs_step, all parts of a divided one together.
typedef struct pcs_contact_event {
    pcs_system system1; ///< the one that the normal points into
    pcs_system system2; ///< the other; {0}: the world
    int shape1;         ///< number of the shape of system1
    int shape2;         ///< of system2
    bool begins;        ///< did not press in the step before
    bool ends;          ///< does not press any more at the end of this one
    double normal;      ///< sum of the normal impulses, N s; 0 if it ended before this step
    double impulse[3];  ///< sum of the impulses on system1, inertial, N s
    double point[3];    ///< centre of the normal impulses, between the points of the two, inertial,
                        ///< m; zero without any
} pcs_contact_event;

/// Whether the steps of a work list events; off at first. The state after a step is the same to the
/// bit either way; a warm step does not allocate either way.
PCS_NODISCARD PCS_API pcs_status pcs_work_watch_events(pcs_work *work, bool on);

/// The pairs that pressed before the last step, in it or after it: `count` of them in *out, by the
/// smaller, then the larger number of their shapes, until the work steps again. None after a step
/// that was not committed. The sum over a run of the impulses on a system is what contacts did to
/// it. `out` may be null. PCS_ERR_ARG when they are off.
PCS_NODISCARD PCS_API pcs_status pcs_work_events(pcs_work *work, int *count,
                                                 const pcs_contact_event **out);

/// @}

#ifdef __cplusplus
}
#endif

#endif
