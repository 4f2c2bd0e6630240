// Steady rolling of a disc on a plane, in closed form.
#ifndef EXAMPLES_CHECKS_ROLLING_H
#define EXAMPLES_CHECKS_ROLLING_H

// a disc of radius R and thickness 2 c, inertia A across and C along its axis
typedef struct disc {
    double mass, R, c, A, C; // kg, m, kg m^2
    double lean;             // of its plane from the vertical, rad
    double turn;             // of its axis about the vertical, rad/s
    double gravity;
} disc;

typedef struct rolling {
    double speed;    // of the centre, m/s
    double radius;   // of its circle, m
    double spin;     // omega along the axis, rad/s
    double friction; // the least with which it rolls
    // at t = 0, the axis of the disc upwards in the plane x, z
    double x[3], Q[4], v[3], omega[3];
} rolling;

rolling rolling_steady(const disc *d);

#endif
