// Scenes of any size for bench_cost, in the global form and condensed.
#ifndef BENCH_COST_SCENE_H
#define BENCH_COST_SCENE_H

#include <stdbool.h>

#include <percuss/global.h>

typedef enum cost_kind {
    COST_WALL,   // as many rows as columns of bricks, each on two others with two contacts each
    COST_PLATES, // ten plates one on another, a tenth of the contacts under each
    COST_KINDS
} cost_kind;

extern const char *const cost_name[COST_KINDS];

typedef struct cost_scene {
    int nc, bodies;
    pcs_global_problem g;
    pcs_problem p;       // W empty before cost_condense
    pcs_arena condensed; //
    void *memory[8];     // private
} cost_scene;

// about nc contacts under gravity, all bodies pushed a little; ends the process when memory runs
// out
void cost_create(cost_kind kind, int nc, cost_scene *s);
// the number of blocks of W, before W is made
double cost_blocks(const cost_scene *s);
void cost_condense(cost_scene *s);
void cost_destroy(cost_scene *s);

#endif
