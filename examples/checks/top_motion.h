// The heavy symmetric top in closed form: held at its tip, or on a smooth floor, where the centre
// of mass only goes up and down.
#ifndef EXAMPLES_CHECKS_TOP_MOTION_H
#define EXAMPLES_CHECKS_TOP_MOTION_H

#include <stdbool.h>

typedef struct heavy_top {
    double mass, J1, J3; // kg; about the centre of mass, across and along the axis, kg m^2
    double arm;          // from the tip, or the centre of its ball, to the centre of mass, m
    double spin;         // of the body about its axis (omega_3), rad/s
    double tilt;         // of the axis from the vertical, rad
    double gravity;
    bool floor;
} heavy_top;

// a top of half a kilogram, 4 cm from tip to centre, at 150 rad/s
heavy_top top_default(void);

// The slow steady precession, rad/s: I1 cos(tilt) W^2 - J3 spin W + m g arm = 0 with I1 about the
// tip, about the centre of mass on a smooth floor. NaN if there is none.
double top_precession(const heavy_top *top);

// The motion from an axis at rest: the axis falls, moves sideways, and rises again.
typedef struct nutation {
    double lowest; // cosine of the largest tilt
    double period; // from highest to highest, s
    double turn;   // of the axis about the vertical in a period, rad
} nutation;

nutation top_nutation(const heavy_top *top);

#endif
