// The geometries of the generated family: see family_kinds.c.
#ifndef BENCH_FAMILY_KINDS_H
#define BENCH_FAMILY_KINDS_H

#include "family_scene.h"

typedef struct scene_recipe {
    const char *name, *text;
    void (*build)(scene *s, int contacts, rng *r); // builds about this many contacts, at least one
    int size[12];                                  // sizes to ask for, ended by 0
    bool wedged; // no motion opens all contacts: the solution is constructed
    bool planar; // the motion is planar
} scene_recipe;

extern const scene_recipe scene_recipes[];
extern const int scene_recipe_count;

#endif
