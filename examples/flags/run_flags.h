// The flags of a run of bodies that touch: times, scheme, threads, table.
#ifndef EXAMPLES_FLAGS_RUN_FLAGS_H
#define EXAMPLES_FLAGS_RUN_FLAGS_H

#include "args.h"

#include <percuss/kernel.h>

typedef struct run_settings {
    double h, t_end, gravity;
    double tol;      // of the velocity problems
    double proj_tol; // m; 0: that of the setting
    int budget;      // 0: that of the setting
    int solver;      // 0 auto, 1 nsgs
    int threads;     // 0: 1
    pcs_scheme scheme;
    const char *csv;
} run_settings;

// adds --h, --tend, --gravity and the flags of the setting
void run_flags(args *a, run_settings *run, const char *columns);

// adds --solver, --tol, --budget, --projection-tol, --threads, and --csv, whose help says which
// columns
void run_setting_flags(args *a, run_settings *run, const char *columns);

// adds --threads alone
void run_threads_flag(args *a, run_settings *run);

// The scheme of all scenes of bodies that touch, pcs_scheme_default, with what the flags changed of
// it; `size` (m) is the smallest edge or diameter of the scene. Where `auto` spends its budget
// before tol is reached, as happens while a pile comes to rest, the step is taken all the same and
// counted as loose. Flags that do not go together end the program.
void run_scheme(run_settings *run, double size);

// An empty model with the gravity and the scheme of the run, which writes warnings to stderr.
pcs_status run_model(const run_settings *run, pcs_model **out);

#endif
