// Rotating bodies: free, on a tip, on a rim; and a row of balls on a line. All move in known closed
// forms.
#ifndef EXAMPLES_SCENES_TURNING_H
#define EXAMPLES_SCENES_TURNING_H

#include "checks/line_impacts.h"
#include "checks/rolling.h"
#include "checks/top_motion.h"
#include "scenes/world.h"

// Each adds its bodies, body 0 first, and starts the world.

// a free body with the principal moments I (kg m^2) and the angular velocity omega
pcs_status turning_free(world *w, const double I[3], const double omega[3]);

// A top that leans along x, its axis turning at `turn` (rad/s) about the vertical: its tip held by
// a joint at the origin, or the centre of a ball of `radius` (m) on a smooth floor.
pcs_status turning_top(world *w, const heavy_top *top, double radius, double turn);

// a disc on the floor
pcs_status turning_disc(world *w, const disc *d, double mu, const double x[3], const double Q[4],
                        const double v[3], const double omega[3]);

// balls along x, as they are and move on their line; without friction
pcs_status turning_balls(world *w, const line *l);

#endif
