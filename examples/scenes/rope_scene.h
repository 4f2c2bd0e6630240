// A mass on a rope in the vertical plane, followed from event to event (theory 9.2).
//
//     slack   m x'' = (0, -m g) - f x'                         until |x - x_R| reaches l
//     capture m (v+ - v-) = A^T p, A v+ = -e A v-              A = 2 (x - x_R)^T
//     taut    m x'' = (0, -m g) - f x' + A^T lambda, phi = 0   until S = -2 l lambda falls to 0
#ifndef EXAMPLES_SCENES_ROPE_SCENE_H
#define EXAMPLES_SCENES_ROPE_SCENE_H

#include <stdbool.h>

#include <percuss/mechanics.h>

typedef struct rope_def {
    double mass, length, gravity; // kg, m, m/s^2
    double drag;                  // f, kg/s
    double e;                     // restitution of the capture
    double settle;                // m/s along the rope below which e is taken as 0
    double anchor[2];             // x_R, m
    pcs_stabilisation stabilisation;
    double alpha; // 1/s, of Baumgarte and GGL
    double rtol;  // of the integrator
} rope_def;

typedef enum rope_mode { ROPE_SLACK, ROPE_TAUT } rope_mode;

enum { ROPE_EVENTS = 1024 }; // that are remembered

// The start, a capture or a release; speeds along the rope are positive outwards.
typedef struct rope_event {
    double t, x[2], before[2], after[2]; // s, m, m/s
    double impulse;                      // of a capture, N s; 0: a release, or the start
    double tension;                      // after it, N
    rope_mode mode;                      // after it
} rope_event;

typedef struct rope {
    rope_def def;
    pcs_constrained *system; // the taut rope
    pcs_ode taut;            // its equations
    pcs_integrator *run[2];  // by mode
    rope_mode mode;
    bool ended;   // the mode has: where rope_glance stopped
    double lost;  // J, by captures: m (1 - e^2) u_N^2 / 2 each
    double drift; // m, worst | |x - x_R| - l | at the end of a call while taut
    double least; // N, least tension seen while taut
    int events;   // of which the first ROPE_EVENTS are kept
    rope_event event[ROPE_EVENTS];
} rope;

// Begins at t = 0. A start on the rope is taut if it does not move inwards and the rope pulls;
// beyond the rope is PCS_ERR_ARG. Release with rope_close, also after errors; the rope must stay
// where it is.
pcs_status rope_open(rope *r, const rope_def *def, const double x[2], const double v[2]);
void rope_close(rope *r);

// advances to the time t, through all events until then
pcs_status rope_advance(rope *r, double t);

// x (5 numbers, as rope_state) at t by dense output, for many times that ascend: the rope itself
// continues by whole steps. Not to be mixed with rope_advance.
pcs_status rope_glance(rope *r, double t, double x[5]);

double rope_time(const rope *r);
// x, y, vx, vy, and the work of the drag so far, J (>= 0)
const double *rope_state(const rope *r);
// N; 0 while slack
pcs_status rope_tension(const rope *r, double *S);

#endif
