// A free body with J = (along, across, across) whose nose, its first axis, circles the constant
// vector R J omega at the angle `cone`, and on the far side of the circle comes within `miss` of
// straight down: pitch = 90 degrees - miss.
#ifndef EXAMPLES_CHECKS_GIMBAL_PASS_H
#define EXAMPLES_CHECKS_GIMBAL_PASS_H

#include "scenes/quaternion_body.h"

typedef struct gimbal_pass {
    double along, across; // moments, kg m^2
    double rate;          // of the nose about R J omega, rad/s
    double cone, miss;    // rad
    double roll;          // at the start, rad
} gimbal_pass;

// the body, and (Q, omega) at the start
quaternion_body pass_body(const gimbal_pass *p);
void pass_start(const gimbal_pass *p, double x[7]);

// (Q, omega) at t; the nose is nearest to the pole at half of the period
void pass_at(const gimbal_pass *p, double t, double x[7]);
double pass_period(const gimbal_pass *p);

// rate of the yaw where the nose is nearest, rad/s: its speed over cos(pitch)
double pass_yaw_rate(const gimbal_pass *p);

#endif
