// Dominoes in a row; the first is pushed.
#ifndef EXAMPLES_SCENES_DOMINOES_SCENE_H
#define EXAMPLES_SCENES_DOMINOES_SCENE_H

#include <percuss/kernel.h>

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

// Adds the dominoes, systems 1 to n, and the floor.
pcs_status dominoes_build(const dominoes_def *def, pcs_model *model);

// tilt of domino i, from 0, from the vertical, rad
double dominoes_tilt(const pcs_model *model, const pcs_state *state, int i);

#endif
