// Dominoes in a row; the first is pushed.
#ifndef EXAMPLES_SCENES_DOMINOES_SCENE_H
#define EXAMPLES_SCENES_DOMINOES_SCENE_H

#include "scenes/world.h"

typedef struct dominoes_def {
    int n;
    double size[3];      // thickness, width, height, m
    double gap;          // between two, m
    double density;      // kg/m^3
    double push;         // of the first, about its lower edge, rad/s
    double mu, mu_floor; // between dominoes; on the floor, at least mu
} dominoes_def;

dominoes_def dominoes_default(void);

// the same with lengths s times as large, times sqrt(s) times as long
dominoes_def dominoes_scaled(const dominoes_def *def, double s);

// Adds the dominoes, as bodies 0 to n - 1, and the floor, and starts the world.
pcs_status dominoes_build(world *w, const dominoes_def *def);

// of domino i from the vertical, rad
double dominoes_tilt(const world *w, int i);

#endif
