// The geometries of the generated family: see family_kinds.c.
#ifndef BENCH_FAMILY_KINDS_H
#define BENCH_FAMILY_KINDS_H

#include "family_scene.h"

typedef struct scene_recipe {
    const char *name, *text;
    void (*build)(scene *s, int contacts, rng *r); // with about so many contacts, at least one
    int size[12];                                  // contacts asked for, until 0
    bool wedged; // no motion opens all contacts: the solution is planted
    bool planar; // everything happens in a plane
} scene_recipe;

extern const scene_recipe scene_recipes[];
extern const int scene_recipe_count;

#endif
