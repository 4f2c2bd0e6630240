// A box or a solid ball on a plane with friction, level or sloping down along the first axis. What
// goes in and comes out is in the axes of the plane: down the slope, across it, out of it.
#ifndef EXAMPLES_SCENES_SLIDER_H
#define EXAMPLES_SCENES_SLIDER_H

#include <stdbool.h>

#include "flags/run_flags.h"
#include "scenes/simulation.h"

typedef struct slider_def {
    bool ball;
    double mass;     // kg
    double size[3];  // edges of the box, m
    double radius;   // of the ball, m
    double slope;    // rad
    double mu;       // friction
    double v[3];     // m/s
    double omega[3]; // rad/s
} slider_def;

typedef struct slider {
    simulation s;
    double start[3], axes[9]; // inertial
    double tangential;        // work of friction so far, J
    double closure;           // worst of the energy ledgers, J
    pcs_outcome outcome;      // of the last step
} slider;

typedef struct slider_view {
    double t, x[3], v[3], omega[3]; // x from the start
    int contacts;
    pcs_contact_status status; // what all contacts do, or undecided
} slider_view;

extern const char *const slider_status[]; // as pcs_contact_status

// flags of an example: --mass, --radius, and --mu in [least, most]
args slider_args(slider_def *def, double least, double most, const char *about, const char *table);

// the scene of the body, system 1, on the plane, with the settings of a run
pcs_status slider_scene(const slider_def *def, const run_settings *run, pcs_scene **out);

// the same, ready for steps
pcs_status slider_open(const slider_def *def, const run_settings *run, slider *s);
void slider_close(slider *s);

// one step; a step that is not committed is in s->outcome
pcs_status slider_step(slider *s, double h);
pcs_status slider_look(const slider *s, slider_view *out);

#endif
