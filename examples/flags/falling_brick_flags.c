// The command line of falling_brick: defaults (ASM-16), flags, and random initial conditions.
#include "flags/falling_brick_flags.h"

#include "scenes/rotating.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/rotation.h>

static settings defaults(void)
{
    settings set = {.run = {.h = 0.001, .t_end = 3, .gravity = 9.81},
                    .mass = 2,
                    .size = {0.2, 0.1, 0.06},
                    .e = 0.5,
                    .mu = 0.4,
                    .height = 0.5,
                    .v0 = {0.5, 0, 0},
                    .tilt = 1,
                    .omega = 10,
                    .rtol = 1e-12,
                    .rest = 1e-9,
                    .seed = 1,
                    .runs = 5,
                    .study = 4};
    set.run.scheme = rotating_scheme(1e-12);
    set.run.scheme.projection = PCS_PROJECTION_COMBINED_EQUALITY;
    return set;
}

static void fits_together(const settings *set)
{
    const double *s = set->size, half = 0.5 * hypot(hypot(s[0], s[1]), s[2]);
    if (set->height <= half) {
        args_refuse("--height must be more than half the diagonal of the brick, %g m", half);
    }
    if (set->run.scheme.projection == PCS_PROJECTION_OVERLAPS ||
        pcs_scheme_activation(&set->run.scheme) == PCS_ACTIVATION_SPECULATIVE) {
        args_refuse("--activation speculative and --projection overlaps are for "
                    "dense scenes with e = 0; choose others");
    }
}

void read_flags(settings *set, int argc, char **argv)
{
    *set = defaults();
    pcs_scheme *scheme = &set->run.scheme;
    args a = {
        .about = "A brick is thrown, tumbles, bounces on its vertices and comes to rest on a "
                 "face: checks of flight, impacts, energy and rest.",
        .table = "write every step of the first run: time, position, quaternion, velocity, angular "
                 "velocity (body axes), heights of the eight vertices, normal impulse (N s), "
                 "energies (J)"};
    args_positive(&a, "--mass", &set->mass, 1000, "kg", "mass of the brick");
    args_sizes(&a, "--size", set->size, 3, "m", "edges of the brick");
    args_real(&a, "--e", &set->e, 0, 1, "", "restitution");
    args_real(&a, "--mu", &set->mu, 0, 2, "", "friction");
    args_positive(&a, "--height", &set->height, 10, "m", "height of the centre at the start");
    args_vector(&a, "--v0", set->v0, 10, "m/s", "velocity at the start; one number: upwards");
    args_real(&a, "--tilt", &set->tilt, 0, 3.15, "rad",
              "tilt of the brick at the start, about a random axis");
    args_real(&a, "--omega", &set->omega, 0, 100, "rad/s",
              "angular velocity at the start, about another random axis");
    args_int(&a, "--seed", &set->seed, 0, 1000000, "seed of the first run");
    args_int(&a, "--runs", &set->runs, 1, MOST_RUNS, "runs, each with the next seed");
    args_positive(&a, "--proj-tol", &scheme->proj_tol, 1000, "m", "overlap left by the projection");
    // less is the rounding of impacts at several contacts
    args_real(&a, "--tol", &scheme->solver.tol, 1e-13, 1e-9, "",
              "tolerance of the velocity problems");
    args_real(&a, "--rtol", &set->rtol, 1e-13, 1e-8, "",
              "relative tolerance of the reference of the flight");
    args_real(&a, "--rest", &set->rest, 1e-11, 1e-4, "m/s",
              "speed of all points below which the brick rests");
    args_int(&a, "--study", &set->study, 2, MOST_LEVELS - 1,
             "halvings of h to observe the order of the flight");
    run_parse(&a, &set->run, RUN_USUAL | RUN_THETA | RUN_ACTIVATION | RUN_PROJECTION | RUN_THREADS,
              argc, argv);
    fits_together(set);
    set->box = free_box_make(set->mass, set->size, set->run.gravity);
}

// ---- starts -------------------------------------------------------------------------------------

// a random number in [-1, 1), by a linear congruential generator (Knuth's MMIX)
static double draw(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

// a vector of the given length, all directions alike
static void draw_vector(unsigned long long *state, double length, double out[3])
{
    double was;
    do {
        for (int k = 0; k < 3; ++k) {
            out[k] = draw(state);
        }
        was = hypot(hypot(out[0], out[1]), out[2]);
    } while (was > 1 || was < 0.1);
    for (int k = 0; k < 3; ++k) {
        out[k] *= length / was;
    }
}

void start_of(const settings *set, int seed, double q[7], double v[6])
{
    // seeds that follow each other must not make starts that do
    unsigned long long state = (unsigned long long)seed * 0x9e3779b97f4a7c15ULL + 1;
    double turn[3];
    draw(&state);
    draw_vector(&state, set->tilt, turn);
    draw_vector(&state, set->omega, v + 3);
    memcpy(v, set->v0, 3 * sizeof *v);
    memcpy(q, (const double[]){0, 0, set->height}, 3 * sizeof *q);
    pcs_quat_exp(turn, q + 3);
}
