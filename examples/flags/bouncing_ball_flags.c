// The command line of bouncing_ball: defaults, flags, and combinations that are refused.
#include "flags/bouncing_ball_flags.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS                                                                              \
    "write the initial state and every step: time, position, quaternion, velocity, angular " \
    "velocity (body axes), impulse of the step (N s), gap, energies (J)"

void read_flags(settings *s, int argc, char **argv)
{
    *s = (settings){.mass = 1, .radius = 0.1, .z0 = 1, .e = 0.9, .run.gravity = 9.81};
    s->run.h = 0.005;
    s->run.t_end = 10;
    s->study = 4;
    // the textbook scheme, whose order the study shows; a scene of one's own takes
    // pcs_scheme_default()
    s->run.scheme = pcs_scheme_moreau_jean();

    args a = {.about = "A ball falls on a plane and bounces; apexes and Zeno time against their "
                       "closed forms.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &s->mass, 1000, "kg", "mass");
    args_positive(&a, "--radius", &s->radius, 10, "m", "radius");
    args_real(&a, "--inertia", &s->inertia, 0, 100, "kg m^2",
              "moment of inertia about any axis; 0: that of a solid sphere");
    args_real(&a, "--z0", &s->z0, 0, 10, "m", "height of the centre at the start");
    args_vector(&a, "--v0", s->v0, 100, "m/s", "velocity at the start; one number: upwards");
    args_vector(&a, "--omega0", s->omega0, 100, "rad/s",
                "angular velocity at the start, body axes; one number: about z");
    args_real(&a, "--e", &s->e, 0, 1, "", "restitution");
    args_real(&a, "--gravity", &s->run.gravity, 0, 100, "m/s^2", "gravity, downwards");
    args_real(&a, "--theta", &s->run.scheme.theta, 0, 1, "",
              "theta of the scheme; 1/2 is exact for a parabola");
    args_real(&a, "--tend", &s->run.t_end, 0, 100, "s", "end of the run");
    args_int(&a, "--bounces", &s->bounces, 0, 100000000,
             "with --e 1: the run ends after so many bounces, not at --tend; 0: at --tend");
    args_positive(&a, "--proj-tol", &s->run.scheme.proj_tol, 1000, "m",
                  "overlap left by the projection");
    args_int(&a, "--proj-max", &s->run.scheme.proj_max, 1, 1000000,
             "limit of projection iterations");
    args_choice(&a, "--formulation", &s->formulation, "newton-euler|lagrangian",
                "a body in space or the one coordinate z");
    args_int(&a, "--study", &s->study, 0, MOST_HALVINGS,
             "halvings of h to observe the order of convergence; 0: no study");
    run_parse(&a, &s->run, RUN_H | RUN_ACTIVATION | RUN_PROJECTION | RUN_METRIC, argc, argv);

    if (s->formulation == LAGRANGIAN && (s->v0[0] != 0 || s->v0[1] != 0 || s->omega0[0] != 0 ||
                                         s->omega0[1] != 0 || s->omega0[2] != 0)) {
        args_refuse("the lagrangian ball has one coordinate, z; give --v0 one "
                    "number and no --omega0");
    }
    if (s->bounces > 0) {
        if (s->e < 1 || !(s->run.gravity > 0)) {
            args_refuse("--bounces needs --e 1 and gravity: other balls come to rest");
        }
        // twice as long as that many flights
        const double fall = 2 * s->run.gravity * fmax(s->z0 - s->radius, 0);
        const double speed = sqrt(s->v0[2] * s->v0[2] + fall);
        s->run.t_end = 4 * (s->bounces + 2.) * (speed / s->run.gravity + s->run.h);
    }
    if (s->run.t_end > 0 && s->run.t_end < s->run.h) {
        args_refuse("--tend %g s is less than a step of --h %g s", s->run.t_end, s->run.h);
    }
    if (s->run.t_end / s->run.h > 1e9) {
        args_refuse("--tend %g takes more than 1e9 steps of --h %g", s->run.t_end, s->run.h);
    }
}
