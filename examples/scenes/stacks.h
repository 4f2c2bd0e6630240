// Boxes piled up without mortar: a pyramid, a wall in running bond, a tower of planks.
#ifndef EXAMPLES_SCENES_STACKS_H
#define EXAMPLES_SCENES_STACKS_H

#include "scenes/world.h"

#define STACK_WORDS "pyramid|wall|kapla"
enum { STACK_PYRAMID, STACK_WALL, STACK_KAPLA };

typedef struct stack_def {
    int kind;
    int layers;
    int length;     // wall: bricks in a layer; kapla: planks in a layer
    double size[3]; // edges of a brick, m: along the row, across it, up
    double spacing; // between neighbours in a row, m
    double density; // kg/m^3
    double jolt;    // bodies start up to so far off their place, every layer lifted by as much, m
    double speed;   // and with up to so much in every component of the velocity, m/s
} stack_def;

// a sensible one of each kind
stack_def stack_default(int kind);

// adds floor and bodies, with the material the world has; then call world_start
pcs_status stack_build(world *w, const stack_def *def);

// velocities; after world_start
void stack_jolt(world *w, const stack_def *def);

// xorshift64, the next number in [0, 1); start from STACK_SEED
#define STACK_SEED 88172645463325252ULL
double stack_draw(unsigned long long *s);

#endif
