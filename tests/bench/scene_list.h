// The scenes of bench_scenes: scenes for any engine, and scenes that exist only as models of
// percuss.
#ifndef BENCH_SCENE_LIST_H
#define BENCH_SCENE_LIST_H

#include "scenes/bodies.h"
#include "scenes/simulation.h"

// joints, hulls, cylinders, restitution, friction by pair
typedef struct model_scene {
    double h;                           // s
    int steps;                          // the length of the scene
    double size;                        // m, the scale of overlaps
    pcs_status (*build)(simulation *s); // fills the model of its scene
    // the distance `what` from the expected end, after the last step; at most `most`. The mark of s
    // is the initial state
    double (*off)(const simulation *s);
    const char *what;
    double most;
    double overlap; // m, of its bodies at the start
    bool driven;    // something moves or lifts them: the energy may rise
} model_scene;

typedef struct bench_scene {
    const char *name, *text;
    bool (*of_side)(bodies *s, int side); // side^3 bodies
    bool (*alone)(bodies *s);
    const model_scene *model; // one of the three members of_side, alone and model is set
    double tol;
    int slow;   // 1: not without --scene, 2: only by its name
    int missed; // steps that may miss the tolerance, where the motion depends on every rounding
} bench_scene;

// true for thousands of bodies of one size, too many for a test
static inline bool scene_is_large(const bench_scene *b)
{
    return b->alone && b->slow == 2;
}

// returns their number
int scene_list(const bench_scene **first);

// true when `name` is in a list of names separated by commas; names null: true
bool scene_listed(const char *names, const char *name);

#endif
