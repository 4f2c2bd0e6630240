// The scenes of bench_scenes: scenes for any engine, and scenes that exist only as models of
// percuss.
#ifndef BENCH_SCENE_LIST_H
#define BENCH_SCENE_LIST_H

#include "scenes/bodies.h"
#include "scenes/simulation.h"

// joints, hulls, cylinders, restitution, friction by pair
typedef struct model_scene {
    double h;                           // s
    int steps;                          // the scene lasts
    double size;                        // m, to which overlaps are compared
    pcs_status (*build)(simulation *s); // fills the model of its scene
    // at the end of the last step, `what` it is; `most` at most. The mark of s is the start
    double (*off)(const simulation *s);
    const char *what;
    double most;
} model_scene;

typedef struct bench_scene {
    const char *name, *text;
    bool (*of_side)(bodies *s, int side); // side^3 bodies
    bool (*alone)(bodies *s);
    const model_scene *model; // of these three, one
    double tol;
    bool slow; // run only when named
} bench_scene;

// how many there are
int scene_list(const bench_scene **first);

// whether `name` is in a list of names with commas between; null: all are
bool scene_listed(const char *names, const char *name);

#endif
