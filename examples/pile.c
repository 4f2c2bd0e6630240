// A lattice of spheres or cubes falls into an open box and forms a pile.
//
// The scenes A and B on which engines are compared (scenes/lattice), with a small side. Checks by
// brute force, from poses alone: bodies and walls overlap by at most a thousandth of the size, the
// energy rises by at most the work of the projection, no body leaves the box.
#include "args.h"
#include "checks/overlap.h"
#include "example.h"
#include "flags/world_flags.h"
#include "scenes/bodies_model.h"
#include "scenes/lattice.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
    world_run run;
    int scene, side, steps;
    double allowed;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.tol = 1e-4}, .side = 5, .allowed = 1e-3};
    args a = {
        .about =
            "Spheres or cubes fall into a box: overlap, energy, and bodies that leave the box."};
    args_choice(&a, "--scene", &set->scene, "spheres|cubes", "what falls");
    args_int(&a, "--side", &set->side, 1, 46, "bodies along an edge of the lattice: side^3 bodies");
    args_int(&a, "--steps", &set->steps, 0, 1000000,
             "number of steps, at least 2; 0: that of the scene");
    args_positive(&a, "--overlap", &set->allowed, "", "overlap allowed, over the size of a body");
    world_setting_flags(&a, &set->run,
                        "write every step: time, energy over that at the start, deepest overlap, "
                        "contacts, iterations, residual");
    args_parse(&a, argc, argv);
}

// worst over the run, by brute force
typedef struct watch {
    double overlap, rise; // m, J
    double start, energy; // J
    int outside;          // most at once
} watch;

static pcs_status look(const bodies *s, const world *w, csv *out, watch *seen)
{
    overlaps now;
    if (!overlap_measure(s, w->state->q, w->state->v, &now)) return PCS_ERR_MEMORY;
    seen->overlap = fmax(seen->overlap, now.deepest);
    // the projection lifts the bodies that it separates, and records the energy
    const double lifted = fmax(0, w->report.energy.projection);
    seen->rise = fmax(seen->rise, now.energy - seen->energy - lifted);
    seen->energy = now.energy;
    seen->outside = now.outside > seen->outside ? now.outside : seen->outside;
    const double residual = w->report.solve.measure.residual;
    CSV_ROW(out, w->state->t, now.energy / seen->start, now.deepest, w->active, w->iters, residual);
    if (w->steps % 40 == 0) {
        printf("%8.3f %10.6f %12.3e %10d %10d %12.3e\n", w->state->t, now.energy / seen->start,
               now.deepest / s->size, w->active, w->iters, residual);
    }
    return PCS_OK;
}

static pcs_status fall(const settings *set, const bodies *s, csv *out, world *w, watch *seen)
{
    *seen = (watch){0};
    PCS_TRY(world_run_open(w, &set->run, set->run.gravity));
    PCS_TRY(world_bodies(w, s));
    seen->start = seen->energy = w->energy;
    printf("\n%8s %10s %12s %10s %10s %12s\n", "time", "E/E0", "overlap", "contacts", "iterations",
           "residual");
    while (world_goes_on(w, set->run.h, set->run.t_end)) {
        PCS_TRY(world_step(w, set->run.h));
        if (!w->stuck) PCS_TRY(look(s, w, out, seen));
    }
    return PCS_OK;
}

static void check_all(checks *c, const settings *set, const world *w, const watch *seen,
                      double size)
{
    *c = checks_begin();
    check_that(c, "every step taken", !w->stuck, w->stuck ? "not the last" : "yes");
    check_value(c, "steps not converged", (double)w->loose, 0, 0.05 * (double)w->steps);
    check_value(c, "worst residual", w->residual, 0, fmax(1e-4, 10 * set->run.tol));
    check_value(c, "deepest overlap over size", seen->overlap / size, 0, set->allowed);
    check_value(c, "largest rise of energy, over E0", seen->rise / seen->start, 0, 1e-6);
    check_value(c, "energy ledger of every step, over E0", w->closure / seen->start, 0, 1e-12);
    check_value(c, "bodies outside", seen->outside, 0, 0);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    settings set = *(const settings *)user;
    bodies s = {0};
    const bool built = set.scene == 0 ? lattice_spheres(&s, set.side) : lattice_cubes(&s, set.side);
    if (!built) return PCS_ERR_MEMORY;
    set.run.h = s.h;
    set.run.t_end = (set.steps > 0 ? set.steps : s.steps) * s.h;
    set.run.gravity = -s.gravity[2];
    world_run_scheme(&set.run, s.size);
    world w;
    watch seen;
    const pcs_status status = fall(&set, &s, out, &w, &seen);
    if (status == PCS_OK) check_all(c, &set, &w, &seen, s.size);
    world_close(&w);
    bodies_destroy(&s);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.run.csv, "t,energy,overlap,contacts,iterations,residual");
}
