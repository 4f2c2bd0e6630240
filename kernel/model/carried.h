// Bodies that a Lagrangian system carries: their poses and the rows of their velocities.
#ifndef MODEL_CARRIED_H
#define MODEL_CARRIED_H

#include "model/model.h"

// from the pose q0 to q1: translation (inertial), and rotation vector in body axes
void pose_displacement(const double q0[7], const double q1[7], double d[6]);

// the pose of a carried body at the coordinates q of its carrier
pcs_status carried_pose(const model_system *s, const double *q, double pose[7]);
// The rows J, 6 x n column-major: (velocity of the origin, inertial; omega, body axes) = J v of the
// carrier; room has n numbers
pcs_status carried_rows(const model_system *s, int n, const double *q, double *room, double *J);
// compares the Jacobian of a carried body with differences of its pose
pcs_status carried_check(const model_system *s, int n, const double *q, double *room, double *J);

// sets the poses of all carried bodies in q, which has the coordinates of the model
pcs_status model_carry(const pcs_model *m, double *q);

#endif
