/// @file
/// The state of a model: time, coordinates, velocities, and the impulses remembered for warm
/// starts. The arrays are flat, and pcs_state_copy copies them. <percuss/save.h> saves, compares
/// and hashes.
#ifndef PERCUSS_STATE_H
#define PERCUSS_STATE_H

#include <percuss/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Read and write t, q and v freely between steps. Systems are in the order in which they were
/// added; a body that is fixed or whose motion is prescribed has coordinates but no velocities.
typedef struct pcs_state {
    double t;  ///< s
    int nq;    ///< entries of q
    int nv;    ///< entries of v
    double *q; ///< nq: per body x, y, z, q0..q3; per Lagrangian system its n coordinates
    double *v; ///< nv: per body velocity of G (inertial) and omega (body); or n velocities
    struct pcs_memory *memory; ///< impulses by contact; opaque
} pcs_state;

/// A state at the initial conditions of the definitions, at t = 0. Bodies with prescribed motion
/// have the pose of their motion; a step moves them from their present pose to the one at its end.
/// The model must outlive the state and must not get new systems (else pcs_state_extend). Release
/// with pcs_state_destroy.
PCS_NODISCARD PCS_API pcs_status pcs_state_create(const pcs_model *model, pcs_state **out);

/// Makes room for the systems that were added to the model after the state was created, at their
/// initial conditions (prescribed motions at the state's time); the others stay as they are. q and
/// v may move. Works of the model must be created again. On failure the state is unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_state_extend(const pcs_model *model, pcs_state *state);

/// Sets the poses of carried bodies to those of the coordinates of their carriers. Every step
/// begins with it; queries of a state whose coordinates were changed need it before.
PCS_NODISCARD PCS_API pcs_status pcs_state_carry(const pcs_model *model, pcs_state *state);

/// Accepts null.
PCS_API void pcs_state_destroy(pcs_state *state);

/// Coordinates of a system within the state; null for the world or an unknown system.
PCS_API double *pcs_state_q(const pcs_model *model, pcs_state *state, pcs_system system);

/// Velocities of a system within the state; null for the world, an unknown system, and bodies that
/// are fixed or whose motion is prescribed (ask the motion).
PCS_API double *pcs_state_v(const pcs_model *model, pcs_state *state, pcs_system system);

/// The same for a constant state, as observers have it.
PCS_API const double *pcs_state_read_q(const pcs_model *model, const pcs_state *state,
                                       pcs_system system);

/// The same for a constant state.
PCS_API const double *pcs_state_read_v(const pcs_model *model, const pcs_state *state,
                                       pcs_system system);

/// Velocity of a body (of its origin, inertial, m/s; omega, body axes, rad/s), whatever moves it:
/// that of the state, of its motion at the state's time, or of its carrier; zero for a fixed body.
/// PCS_ERR_ARG for the world, a Lagrangian system or an unknown one.
PCS_NODISCARD PCS_API pcs_status pcs_state_velocity(const pcs_model *model, const pcs_state *state,
                                                    pcs_system body, double v[6]);

/// Makes `to` equal to `from`; both of one model. On failure `to` is unchanged.
PCS_NODISCARD PCS_API pcs_status pcs_state_copy(const pcs_state *from, pcs_state *to);

/// True for a body that sleeps (scheme.sleep) in the last step of the state.
PCS_API bool pcs_state_asleep(const pcs_model *model, const pcs_state *state, pcs_system system);

/// Wakes a system and all that sleeps in its island, {0}: everything. The next steps solve them;
/// they fall asleep again after some steps at rest. Their velocities are zero until then.
/// PCS_ERR_ARG for an unknown system.
PCS_NODISCARD PCS_API pcs_status pcs_state_wake(const pcs_model *model, pcs_state *state,
                                                pcs_system system);

/// Kinetic energy (J) of all systems. Of this and the next two: PCS_ERR_SIZE for a state that was
/// not extended (pcs_state_extend) since systems were added to the model.
PCS_NODISCARD PCS_API pcs_status pcs_state_kinetic_energy(const pcs_model *model,
                                                          const pcs_state *state, double *out);

/// Potential energy (J): gravity (zero at the inertial origin), stiffness, loads, potentials.
PCS_NODISCARD PCS_API pcs_status pcs_state_potential_energy(const pcs_model *model,
                                                            const pcs_state *state, double *out);

/// Linear momentum (kg m/s) and angular momentum about the inertial origin (kg m^2/s) of all
/// bodies, inertial frame: sum of m v and of m x cross v + R J omega. Either may be null.
PCS_NODISCARD PCS_API pcs_status pcs_state_momentum(const pcs_model *model, const pcs_state *state,
                                                    double linear[3], double angular[3]);

#ifdef __cplusplus
}
#endif

#endif
