// Rotating bodies: free, on a tip, on a rim; and a row of balls on a line. All move in known closed
// forms.
#ifndef EXAMPLES_SCENES_ROTATING_H
#define EXAMPLES_SCENES_ROTATING_H

#include "checks/line_impacts.h"
#include "checks/rolling.h"
#include "checks/top_motion.h"

#include <percuss/kernel.h>

// The scheme for bodies that roll, turn or bounce: theta = 1/2, contacts as they close, joints and
// contacts kept to tol (m), velocities solved to tol.
pcs_scheme rotating_scheme(double tol);

// Each sets the gravity and adds its bodies, from system 1 on.

// a free body with the principal moments I (kg m^2) and the angular velocity omega
pcs_status rotating_free(const double I[3], const double omega[3], pcs_model *model);

// A top that leans along x, its axis turning at `turn` (rad/s) about the vertical: its tip held by
// a joint at the origin, or the centre of a ball of `radius` (m) on a smooth floor.
pcs_status rotating_top(const heavy_top *top, double radius, double turn, pcs_model *model);

// a disc on the floor
pcs_status rotating_disc(const disc *d, double mu, const double x[3], const double Q[4],
                         const double v[3], const double omega[3], pcs_model *model);

// balls along x, as they are and move on their line; without friction
pcs_status rotating_balls(const line *l, pcs_model *model);

#endif
