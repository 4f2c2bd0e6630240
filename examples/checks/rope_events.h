// References for a mass on a rope: flights with drag in closed form, taut arcs by their angle, and
// the pendulum without drag by elliptic functions.
#ifndef EXAMPLES_CHECKS_ROPE_EVENTS_H
#define EXAMPLES_CHECKS_ROPE_EVENTS_H

#include "scenes/rope_scene.h"

// x and v after t of free flight with drag, from x0, v0
void rope_flight(const rope_def *def, const double x0[2], const double v0[2], double t, double x[2],
                 double v[2]);

// How long the flight takes until |x - x_R| = l outwards, by Newton's method on the closed form,
// and the velocity there. PCS_ERR_ARG: not before `most`.
pcs_status rope_tautness(const rope_def *def, const double x0[2], const double v0[2], double most,
                         double *t, double v[2]);

// A taut arc as theta'' = -(g / l) cos theta - (f / m) theta', theta from +x, by Dormand-Prince.
typedef struct rope_arc {
    rope_def def;
    pcs_integrator *run; // null: not begun
} rope_arc;

pcs_status rope_arc_begin(rope_arc *arc, const rope_def *def, double t, const double x[2],
                          const double v[2]);
// x, v and S = m l theta'^2 - m g sin theta at t
pcs_status rope_arc_at(rope_arc *arc, double t, double x[2], double v[2], double *S);
void rope_arc_end(rope_arc *arc);

// Without drag, from the lowest point with the horizontal speed v: x after t while taut.
void rope_elliptic(const rope_def *def, double v, double t, double x[2]);

#endif
