/// @file
/// Questions to a scene between steps: what a ray hits, what is nearest.
#ifndef PERCUSS_QUERY_H
#define PERCUSS_QUERY_H

#include <percuss/state.h>

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

#ifdef __cplusplus
}
#endif

#endif
