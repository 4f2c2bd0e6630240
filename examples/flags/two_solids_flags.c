// The command line of two_solids: defaults, flags, and combinations that are refused.
#include "flags/two_solids_flags.h"

#include <math.h>
#include <stdio.h>

void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.def = {.mass = {2, 3},
                              .radius = {0.1, 0.15},
                              .size = {{0.3, 0.2, 0.1}, {0.8, 0.7, 0.2}},
                              .speed = 1,
                              .sideways = 0.5,
                              .spin = {1.5, -1}}};
    set->e = 0.6;
    set->run.h = 0.002;
    set->run.t_end = 0.2;
    set->hit = 0.0987; // not the end of a step: there rounding decides who touches
    set->study = 4;
    // the textbook scheme: flights are exact, and what projections and activations do is compared
    set->run.scheme = pcs_scheme_moreau_jean();
    set->run.scheme.solver.tol = 1e-14;

    args a = {.about = "Two solids collide: conserved and lost quantities, at the impact and by "
                       "time stepping.",
              .table =
                  "write the initial state and every step of every scene: time, positions, "
                  "quaternions, velocities, angular velocities (body axes), impulse of the step "
                  "(N s), smallest gap, energies (J), momentum, angular momentum about the origin"};
    args_choice(&a, "--scene", &set->scene, SOLIDS_WORDS,
                "scene; corner, edge and face are on the ground");
    args_positive(&a, "--mass1", &set->def.mass[0], 1000, "kg", "mass of the upper solid");
    args_positive(&a, "--mass2", &set->def.mass[1], 1000, "kg",
                  "mass of the lower solid, if it is free");
    args_positive(&a, "--radius1", &set->def.radius[0], 10, "m", "radius of the upper sphere");
    args_positive(&a, "--radius2", &set->def.radius[1], 10, "m", "radius of the lower sphere");
    args_sizes(&a, "--size1", set->def.size[0], 3, "m", "edges of the upper box");
    args_sizes(&a, "--size2", set->def.size[1], 3, "m", "edges of the lower box");
    args_real(&a, "--speed", &set->def.speed, -10, 10, "m/s",
              "downward speed of the upper solid; a free lower solid moves up half as fast");
    args_real(&a, "--sideways", &set->def.sideways, -4, 4, "m/s", "speed to the side");
    args_real(&a, "--spin1", &set->def.spin[0], -15, 15, "rad/s",
              "angular velocity of the upper solid");
    args_real(&a, "--spin2", &set->def.spin[1], -10, 10, "rad/s",
              "angular velocity of the lower solid");
    args_real(&a, "--e", &set->e, 0, 1, "", "restitution");
    args_real(&a, "--mu", &set->mu, 0, 1e3, "", "friction");
    args_real(&a, "--theta", &set->run.scheme.theta, 0, 1, "", "of the scheme");
    args_positive(&a, "--hit", &set->hit, 10, "s", "time at which the solids touch");
    args_int(&a, "--study", &set->study, 0, MOST_HALVINGS,
             "halvings of h to observe orders; at least two are needed");
    run_parse(&a, &set->run, RUN_H | RUN_END | RUN_PROJECTION | RUN_METRIC, argc, argv);

    // many contacts with friction are not solved to the last digit; of a sticking one the rounding
    // of u_T counts mu times
    if (set->mu > 0) set->run.scheme.solver.tol = 1e-12 * fmax(1, set->mu);
    for (int kind = SPHERES; kind < SCENES; ++kind) {
        const scene s = solids_make(&set->def, kind, true);
        if ((set->scene != ALL && set->scene != kind) || solids_fit(&s)) continue;
        args_refuse("in %s the upper box touches beyond the lower; enlarge --size2",
                    solids_name[kind]);
    }
    const double aside = set->run.h * fabs(set->def.sideways);
    if (aside > 0.033 * (set->def.radius[0] + set->def.radius[1]) ||
        set->run.t_end < 20 * set->run.h) {
        args_refuse(
            "--h is %g s: it must be at most a twentieth of --tend, and the spheres may pass "
            "each other by at most 0.033 of the sum of their radii in a step: reduce --h or "
            "--sideways",
            set->run.h);
    }
    if (set->run.t_end < set->hit + 2 * set->run.h || set->run.t_end / set->run.h > 1e8) {
        args_refuse("--tend must lie two steps behind --hit, and at most 1e8 steps "
                    "from the start");
    }
}
