// Boxes stacked without mortar: a pyramid, a wall in running bond, a tower of planks.
#ifndef EXAMPLES_SCENES_STACKS_SCENE_H
#define EXAMPLES_SCENES_STACKS_SCENE_H

#include "scenes/bodies.h"

#include <percuss/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STACK_WORDS "pyramid|wall|kapla"
enum { STACK_PYRAMID, STACK_WALL, STACK_KAPLA };

typedef struct stack_def {
    int kind;
    int layers;
    int length;     // wall: bricks in a layer; kapla: planks in a layer
    double size[3]; // edges of a brick, m: along the row, across it, up
    double spacing; // between neighbours in a row, m
    double density; // kg/m^3
    double mu;      // friction
    double jolt;    // bodies start up to so far off their place, every layer lifted by as much, m
    double speed;   // and with up to so much in every component of the velocity, m/s and rad/s
} stack_def;

// A sensible one of each kind. The tower: ten layers of three planks of 0.6 x 0.2 x 0.04 m.
stack_def stack_default(int kind);

// least edge of the bricks, m
double stack_size(const stack_def *def);

// bodies on a floor, 2 s (the tower 60 s, nothing should move since second 5); false: no memory
bool stack_bodies(bodies *s, const stack_def *def);

// the floor and the boxes as shape 0 and systems 1 to n of a model
pcs_status stack_build(const stack_def *def, pcs_model *model);

#ifdef __cplusplus
}
#endif

#endif
