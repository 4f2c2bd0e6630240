// The command line of rope_pendulum: defaults (ASM-4), flags, and combinations that are refused.
#include "flags/rope_pendulum_flags.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS                                                                           \
    "write both motions: number, time, position, velocity, 1 if taut, distance from the " \
    "anchor, tension (N), energies and work of the drag (J), position in time steps of h"

static void fits_together(const settings *set)
{
    const rope_def *r = &set->rope;
    const double distance = hypot(set->x0[0] - r->anchor[0], set->x0[1] - r->anchor[1]);
    if (!(distance <= r->length * (1 + 1e-12))) {
        args_refuse("--x, --y is %g m from the anchor, beyond the rope of %g m", distance,
                    r->length);
    }
    if (distance == 0) {
        args_refuse("at the anchor the rope has no direction; start elsewhere");
    }
    if (set->run.t_end < 2 * set->run.h || set->run.t_end / set->run.h > 4e4) {
        args_refuse("a run takes between 2 and 4e4 steps; change --h or --tend");
    }
}

static settings defaults(void)
{
    settings set = {.rope = {.mass = 1,
                             .length = 1,
                             .drag = 0.2,
                             .settle = 1e-4,
                             .stabilisation = PCS_STABILISATION_PROJECT,
                             .alpha = 10,
                             .rtol = 1e-12},
                    .throw_speed = 7,
                    .run = {.h = 0.002, .t_end = 4, .gravity = 9.81},
                    .study = 3};
    // the textbook scheme, of second order on the taut rope
    set.run.scheme = pcs_scheme_moreau_jean();
    set.run.scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    set.run.scheme.newton_tol = 1e-14;
    set.run.scheme.proj_tol = 1e-13;
    set.run.scheme.solver.tol = 1e-13;
    return set;
}

void read_flags(settings *set, int argc, char **argv)
{
    *set = defaults();
    rope_def *r = &set->rope;
    int stabilisation = PCS_STABILISATION_PROJECT;
    double anchor[2] = {0.5, 0};
    args a = {.about = "A mass on a rope falls, is caught, swings and is released: event by event "
                       "against closed forms, and in time steps as a contact.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &r->mass, 1000, "kg", "mass");
    args_positive(&a, "--length", &r->length, 4, "m", "length of the rope");
    args_real(&a, "--drag", &r->drag, 0, 1, "kg/s", "drag force over speed");
    args_real(&a, "--e", &r->e, 0, 1, "", "restitution of the capture");
    args_positive(&a, "--settle", &r->settle, 10, "m/s",
                  "speed along the rope below which e counts as 0");
    args_real(&a, "--anchor-x", &anchor[0], -1e6, 1e6, "lengths of the rope",
              "horizontal position of the anchor, over the length of the rope");
    args_real(&a, "--anchor-y", &anchor[1], -1e6, 1e6, "lengths of the rope",
              "vertical position of the anchor, over the length of the rope");
    args_real(&a, "--x", &set->x0[0], -10, 10, "m", "horizontal position at the start of the drop");
    args_real(&a, "--y", &set->x0[1], -10, 10, "m", "vertical position at the start of the drop");
    args_real(&a, "--vx", &set->v0[0], -10, 10, "m/s",
              "horizontal velocity at the start of the drop");
    args_real(&a, "--vy", &set->v0[1], -10, 10, "m/s",
              "vertical velocity at the start of the drop");
    args_real(&a, "--throw", &set->throw_speed, 0, 15, "m/s",
              "speed of a second motion, from the lowest point; 0: none. Below sqrt(2 g l) and "
              "above sqrt(5 g l) the rope stays taut without drag");
    args_choice(&a, "--stabilise", &stabilisation, "none|baumgarte|ggl|project",
                "what keeps the taut rope at its length");
    args_real(&a, "--alpha", &r->alpha, 0, 1e3, "1/s", "rate of baumgarte and ggl");
    args_real(&a, "--rtol", &r->rtol, 1e-13, 1e-3, "", "relative tolerance of the integrator");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1, "halvings of h to observe orders");
    run_parse(&a, &set->run, RUN_USUAL | RUN_THETA | RUN_ACTIVATION | RUN_PROJECTION, argc, argv);
    r->anchor[0] = anchor[0] * r->length;
    r->anchor[1] = anchor[1] * r->length;
    r->stabilisation = (pcs_stabilisation)stabilisation;
    r->gravity = set->run.gravity;
    fits_together(set);
}
