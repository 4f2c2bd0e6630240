// The flags that every dense scene has: times, the scheme, threads, a table.
#ifndef EXAMPLES_FLAGS_WORLD_FLAGS_H
#define EXAMPLES_FLAGS_WORLD_FLAGS_H

#include "args.h"
#include "scenes/world.h"

typedef struct world_run {
    double h, t_end, gravity;
    double tol;      // of the velocity problems
    double proj_tol; // m; 0: that of the setting
    int budget;      // 0: that of the setting
    int solver;      // 0 auto, 1 nsgs
    int threads;     // 0: 1
    pcs_scheme scheme;
    const char *csv;
} world_run;

// adds --h, --tend, --gravity and the flags of the setting
void world_flags(args *a, world_run *run, const char *columns);

// adds --solver, --tol, --budget, --projection-tol, --threads, and --csv, whose help says which
// columns
void world_setting_flags(args *a, world_run *run, const char *columns);

// adds --threads alone
void world_threads_flag(args *a, world_run *run);

// The scheme of all scenes of bodies that touch, pcs_scheme_default, with what the flags changed of
// it; `size` (m) is the smallest edge or diameter of the scene. Where `auto` spends its budget
// before tol is reached, as happens while a pile comes to rest, the step is taken all the same and
// counted as loose. Flags that do not go together end the program.
void world_run_scheme(world_run *run, double size);

// world_open with the scheme and the threads of the run
pcs_status world_run_open(world *w, const world_run *run, double gravity);

#endif
