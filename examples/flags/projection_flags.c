// The command line of projection: defaults and flags.
#include "flags/projection_flags.h"

#include "args.h"

void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.def = {.n = 3, .seed = 1, .sink = 0.05, .apart = 0.03, .tilt = 0.4},
                      .max = 50,
                      .radius = 0.1,
                      .tol = 1e-12};
    args a = {.about = "Projects bodies that overlap the floor and whose joints are open, in four "
                       "metrics; and shows how a gradient without normalisation fails."};
    args_int(&a, "--bodies", &set->def.n, 1, MOST_BODIES, "boxes in a row");
    args_real(&a, "--sink", &set->def.sink, 1e-5, 0.2, "m",
              "depth of the lowest corners in the floor");
    args_real(&a, "--apart", &set->def.apart, 0, 0.05, "m",
              "distance of the two points of a joint at the start, per axis");
    args_real(&a, "--tilt", &set->def.tilt, 0, 0.6, "rad", "tilt of the boxes, per axis");
    args_int(&a, "--seed", &set->def.seed, 0, 1000000, "seed of the random positions and tilts");
    args_real(&a, "--radius", &set->radius, 1e-3, 5, "m",
              "radius of the ball; also ten and a hundred times that");
    args_real(&a, "--tol", &set->tol, 1e-12, 1e-6, "m", "violation left by the projection");
    args_int(&a, "--max", &set->max, 20, MOST_STEPS, "limit of steps");
    args_output(&a, "--csv", &set->csv, "FILE", "write the violation step by step");
    args_parse(&a, argc, argv);
}
