// A lattice of spheres or cubes falls into an open box and forms a pile.
//
// The scenes A and B on which engines are compared (scenes/lattice), with a small side. Checks by
// brute force, from poses alone: bodies and walls overlap by at most a thousandth of the size, the
// energy rises by at most the work of the projection, no body leaves the box.
#include "args.h"
#include "checks/overlap.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/bodies_model.h"
#include "scenes/lattice.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEADER "t,energy,overlap,contacts,iterations,residual"
#define COLUMNS                                                                          \
    "write every step: time, energy over that at the start, deepest overlap, contacts, " \
    "iterations, residual"

// While a heap comes to rest, some steps use up their budget and are committed unsolved
// (doc/many-bodies.md): they are counted, and their residual is at most this
#define LOOSE_RESIDUAL 1e-2

typedef struct settings {
    run_settings run;
    int scene, side, steps;
    double allowed;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.h = LATTICE_H, .gravity = 9.81, .tol = 1e-4}, .side = 5, .allowed = 1e-3};
    args a = {
        .about =
            "Spheres or cubes fall into a box: overlap, energy, and bodies that leave the box.",
        .table = COLUMNS};
    args_choice(&a, "--scene", &set->scene, "spheres|cubes", "what falls");
    args_int(&a, "--side", &set->side, 1, 46, "bodies along an edge of the lattice: side^3 bodies");
    args_int(&a, "--steps", &set->steps, 0, 1000000,
             "number of steps, at least 2; 0: that of the scene");
    args_positive(&a, "--overlap", &set->allowed, 3, "",
                  "overlap allowed, over the size of a body");
    run_parse(&a, &set->run, RUN_TOL | RUN_SOLVER | RUN_THREADS, argc, argv);
    const int steps = set->steps > 0 ? set->steps : LATTICE_STEPS;
    set->run.t_end = steps * set->run.h;
    args_check_steps(set->run.h, set->run.t_end, 2e4);
    const double size = set->scene == 0 ? 2 * LATTICE_RADIUS : 2 * LATTICE_HALF;
    run_scheme(&set->run, size);
    // the projection leaves what it is told to leave
    set->allowed = fmax(set->allowed, set->run.proj_tol / size);
}

// data that the observer collects; overlap, energy and places by brute force
typedef struct watch {
    const bodies *s;
    csv *out;
    run_tally tally;
    overlaps now;
    double overlap, rise; // worst of the run, m, J
    double solved;        // worst residual of the steps that converged
    double start;         // J
    int outside;          // most at once
} watch;

static int look(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                const pcs_step_report *report)
{
    watch *seen = user;
    PCS_TRY(run_tally_step(&seen->tally, model, state, work, report));
    const double before = seen->now.energy;
    if (!overlap_measure(seen->s, state->q, state->v, &seen->now)) return PCS_ERR_MEMORY;
    const double energy = seen->now.energy, deepest = seen->now.deepest;
    if (!report) seen->start = energy;
    if (!report) return 0;
    seen->overlap = fmax(seen->overlap, deepest);
    // the projection lifts the bodies that it separates, and records the energy
    seen->rise = fmax(seen->rise, energy - before - fmax(0, report->energy.projection));
    if (seen->now.outside > seen->outside) seen->outside = seen->now.outside;
    const double residual = report->solve.measure.residual;
    const int iters = report->solve.iters;
    if (report->outcome == PCS_OUTCOME_CONVERGED) seen->solved = fmax(seen->solved, residual);
    CSV_ROW(seen->out, state->t, energy / seen->start, deepest, report->active, iters, residual);
    if (seen->tally.steps % 40 == 0) {
        printf("%8.3f %10.6f %12.3e %10d %10d %12.3e\n", state->t, energy / seen->start,
               deepest / seen->s->size, report->active, iters, residual);
    }
    return 0;
}

static bool make(const settings *set, bodies *s)
{
    return set->scene == 0 ? lattice_spheres(s, set->side) : lattice_cubes(s, set->side);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    bodies s;
    PCS_TRY(run_scene(
        &set->run, set->scene == 0 ? "Spheres fall into a box." : "Cubes fall into a box.", out));
    return make(set, &s) ? bodies_move(&s, (*out)->model) : PCS_ERR_MEMORY;
}

static pcs_status fall(const settings *set, watch *seen, simulation *sim)
{
    PCS_TRY(build(set, &sim->scene));
    PCS_TRY(simulation_start(sim, set->run.threads));
    printf("\n%8s %10s %12s %10s %10s %12s\n", "time", "E/E0", "overlap", "contacts", "iterations",
           "residual");
    return pcs_scene_run(sim->scene, sim->state, sim->work, look, seen, NULL, NULL);
}

static void check_all(checks *c, const settings *set, const watch *seen, double size)
{
    const run_tally *t = &seen->tally;
    pcs_scheme scheme = set->run.scheme;
    *c = checks_begin();
    printf("\n%ld of %ld steps end above the tolerance\n", t->loose, t->steps);
    check_value(c, "worst residual of the others", seen->solved, 0, scheme.solver.tol);
    scheme.solver.tol = fmax(scheme.solver.tol, LOOSE_RESIDUAL);
    check_run(c, t, &scheme, set->allowed * size, 1e-6 * seen->start);
    check_value(c, "overlap by brute force, over size", seen->overlap / size, 0, set->allowed);
    check_value(c, "rise by brute force, over E0", seen->rise / seen->start, 0, 1e-6);
    check_value(c, "bodies outside", seen->outside, 0, 0);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    bodies s = {0};
    if (!make(set, &s)) return PCS_ERR_MEMORY;
    simulation sim = {0};
    watch seen = {.s = &s, .out = out};
    const pcs_status status = fall(set, &seen, &sim);
    simulation_close(&sim);
    if (status == PCS_OK) check_all(c, set, &seen, s.size);
    bodies_destroy(&s);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
