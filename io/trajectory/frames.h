// The data that replay pages and exports take from the frames of a trajectory: chosen frames, poses
// of bodies, places and impulses of contacts.
#ifndef TRAJECTORY_FRAMES_H
#define TRAJECTORY_FRAMES_H

#include <float.h>

#include <percuss/trajectory.h>

// every n-th frame from the first on, and always the last one
typedef struct frame_choice {
    long first, last;
    int every;
} frame_choice;

long frames_chosen(const frame_choice *c);
long frame_chosen(const frame_choice *c, long k); // number of the k-th chosen frame

// x y z and the unit quaternion of a body; the world (0) and Lagrangian systems are at the origin
void frame_pose(const pcs_trajectory *t, const pcs_trajectory_frame *frame, int body,
                double pose[7]);

// the point in the middle of those of the two bodies, and the impulse on the first one, inertial
void contact_point(const pcs_contact *c, double x[3]);
void contact_impulse(const pcs_contact *c, double r[3]);

// Reads the definition of a force element that has two points to draw a line between: of torsional
// springs and callbacks those of two bodies, but not of Lagrangian systems, which have none.
bool force_has_line(const pcs_trajectory *t, pcs_force force, pcs_force_def *out);

// x as a float: the nearest one, the largest if x is beyond it; NaN stays
static inline float as_float(double x)
{
    return x < -FLT_MAX ? -FLT_MAX : x > FLT_MAX ? FLT_MAX : (float)x;
}

#endif
