// The flags that runs of a model share: times, gravity, scheme, threads, table.
//
//     args a = {.about = "Boxes fall.", .table = "write every step: time, height"};
//     args_positive(&a, "--mass", &set->mass, "kg", "mass of a box");
//     run_parse(&a, &set->run, RUN_USUAL, argc, argv);
#ifndef EXAMPLES_FLAGS_RUN_FLAGS_H
#define EXAMPLES_FLAGS_RUN_FLAGS_H

#include "args.h"

#include <percuss/scene.h>

typedef struct run_settings {
    double h, t_end, gravity;
    double tol;      // of the velocity problems, with RUN_TOL
    double proj_tol; // m, with RUN_TOL; 0: that of the scheme
    int budget;      // 0: that of the scheme
    int solver;      // 0 auto, 1 nsgs
    int threads;     // 0: 1
    pcs_scheme scheme;
    const char *csv;
    const char *scene; // file to write the scene to, or null
    bool hash;         // print the hash of its last state
} run_settings;

// flags that an example has, besides --csv, --write-scene and --hash
enum {
    RUN_H = 1,
    RUN_END = 2, // --tend
    RUN_GRAVITY = 4,
    RUN_THREADS = 8,
    RUN_TOL = 16, // --tol, --budget, --projection-tol: those of run_scheme
    RUN_THETA = 32,
    RUN_ACTIVATION = 64,  // --activation, --gamma
    RUN_PROJECTION = 128, // --projection
    RUN_METRIC = 256,     // --metric, of the projection
    RUN_SOLVER = 512,     // --solver, for scenes that both of its choices solve
    RUN_USUAL = RUN_H | RUN_END | RUN_GRAVITY,
    RUN_DENSE = RUN_USUAL | RUN_TOL | RUN_THREADS
};

// Adds the flags `which` and reads the command line; the values that are there are the defaults.
// Ends the program if the choices of the scheme contradict each other, or the number of steps is
// out of range.
void run_parse(args *a, run_settings *run, unsigned which, int argc, char **argv);

// The scheme of all scenes of bodies that touch, pcs_scheme_default, with what the flags changed of
// it; `size` (m) is the smallest edge or diameter of the scene. Where `auto` spends its budget
// before tol is reached, as happens while a pile comes to rest, the step is taken all the same and
// counted as loose. Flags that do not go together end the program.
void run_scheme(run_settings *run, double size);

// A scene with the name of the program, a description, step and end of the run, and an empty model
// with its gravity and scheme, which writes warnings to stderr.
pcs_status run_scene(const run_settings *run, const char *description, pcs_scene **out);

#endif
