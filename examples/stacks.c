// A pyramid and a wall of boxes and a tower of planks: after a perturbation they come to rest and
// stay there.
//
// The bodies start a little off their places, above one another and moving. The checks: no overlap,
// no gain of energy, and at rest the floor carries the weight. Coulomb's law with a tolerance lets
// bodies creep; the last check limits how far.
#include "args.h"
#include "checks/dense_scene.h"
#include "example.h"
#include "flags/world_flags.h"
#include "scenes/bodies_model.h"
#include "scenes/stacks_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    world_run run;
    stack_def def;
    double settle, creep;
} settings;

// the value of --scene among the arguments, read before the others, whose defaults follow from it
static int kind_of(int argc, char **argv)
{
    static const char *const name[] = {"pyramid", "wall", "kapla"};
    const char *word = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strncmp(argv[i], "--scene=", 8) == 0) word = argv[i] + 8;
        if (strcmp(argv[i], "--scene") == 0 && i + 1 < argc) word = argv[i + 1];
    }
    for (int k = 0; word && k < 3; ++k) {
        if (strcmp(word, name[k]) == 0) return k;
    }
    return STACK_PYRAMID;
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.005, .t_end = 2, .gravity = 9.81, .tol = 1e-8},
                      .def = stack_default(kind_of(argc, argv)),
                      .settle = 1,
                      .creep = 1e-6};
    args a = {.about = "Stacks of boxes settle, carry their weight, and stay at rest."};
    args_choice(&a, "--scene", &set->def.kind, STACK_WORDS,
                "scene; the defaults of the sizes depend on it");
    args_int(&a, "--layers", &set->def.layers, 1, 1000, "number of layers");
    args_int(&a, "--length", &set->def.length, 0, 1000,
             "bricks in a layer of the wall, planks in one of the tower");
    args_vector(&a, "--size", set->def.size, "m", "edges: along the row, across it, up");
    args_positive(&a, "--spacing", &set->def.spacing, "m", "distance between neighbours");
    args_positive(&a, "--density", &set->def.density, "kg/m^3", "density of all bodies");
    args_real(&a, "--jolt", &set->def.jolt, 0, 1, "m", "random displacement at the start");
    args_real(&a, "--speed", &set->def.speed, 0, 10, "m/s",
              "random velocity at the start, every component; also angular velocity, rad/s");
    args_real(&a, "--mu", &set->def.mu, 0, 10, "", "friction");
    args_positive(&a, "--settle", &set->settle, "s", "time at which the bodies must be at rest");
    args_positive(&a, "--creep", &set->creep, "m",
                  "limit for the motion of any body after that time");
    world_flags(&a, &set->run,
                "write every step: time, energy, deepest overlap, contacts, iterations, farthest "
                "moved since the start or --settle, force of the floor");
    args_parse(&a, argc, argv);
    const double *size = set->def.size;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0)) {
        args_refuse("--size needs three edges > 0, such as 0.2,0.1,0.1");
    }
    if (set->def.kind != STACK_PYRAMID && set->def.length < 2) {
        args_refuse("--length must be at least 2");
    }
    if (set->def.kind == STACK_WALL && size[0] <= set->def.spacing) {
        args_refuse("--spacing leaves no room for half bricks");
    }
    if (set->settle + set->run.h > set->run.t_end) args_refuse("--settle must lie before --tend");
    world_run_scheme(&set->run, stack_size(&set->def));
}

typedef struct result {
    double start, moved; // J; m, since --settle
    long loose;          // steps since then that did not converge
    double support[3];   // N, of the last step
    double overlap;      // by all pairs, every tenth step
} result;

static pcs_status build(const settings *set, world *w)
{
    bodies s;
    PCS_TRY(world_run_open(w, &set->run, set->run.gravity));
    if (!stack_bodies(&s, &set->def)) return PCS_ERR_MEMORY;
    const pcs_status status = world_bodies(w, &s);
    bodies_destroy(&s);
    return status;
}

static pcs_status settle(const settings *set, world *w, csv *out, result *r)
{
    const double h = set->run.h;
    const long still = (long)(set->settle / h + 0.5);
    *r = (result){0};
    PCS_TRY(build(set, w));
    r->start = w->energy;
    while (world_goes_on(w, h, set->run.t_end)) {
        PCS_TRY(world_step(w, h));
        if (w->stuck) break;
        if (w->steps == still) PCS_TRY(world_mark(w));
        r->loose += w->steps > still && w->outcome != PCS_OUTCOME_CONVERGED;
        if (w->steps % 10 == 0) r->overlap = fmax(r->overlap, world_overlap(w));
        const double moved = world_moved(w);
        if (w->steps > still) r->moved = fmax(r->moved, moved);
        PCS_TRY(world_support(w, h, r->support));
        CSV_ROW(out, w->state->t, w->energy, w->overlap, w->active, w->iters, moved, r->support[0],
                r->support[1], r->support[2]);
    }
    return PCS_OK;
}

static void check_all(checks *c, const settings *set, const world *w, const result *r)
{
    const double weight = world_weight(w), steps = (double)(w->steps > 0 ? w->steps : 1);
    printf(
        "%d bodies, %ld steps: on average %.1f contacts and %.1f iterations a step; %ld steps did "
        "not reach the tolerance\n",
        w->n - 1, w->steps, (double)w->contacts / steps, (double)w->iterations / steps, w->loose);
    *c = checks_begin();
    world_check(c, w, 1e-3 * set->def.size[2], 1e-6 * weight * set->def.size[2]);
    check_value(c, "overlap by all pairs (m)", r->overlap, 0, 1e-3 * set->def.size[2]);
    check_value(c, "steps not converged, at rest", (double)r->loose, 0, 0);
    check_value(c, "moved since they settled (m)", r->moved, 0, set->creep);
    check_value(c, "force of the floor, up (N)", r->support[2], weight, 1e-5 * weight);
    check_value(c, "force of the floor, x (N)", r->support[0], 0, 1e-5 * weight);
    check_value(c, "force of the floor, y (N)", r->support[1], 0, 1e-5 * weight);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    world w;
    result r;
    const pcs_status status = settle(set, &w, out, &r);
    if (status == PCS_OK) check_all(c, set, &w, &r);
    world_close(&w);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.run.csv,
                       "t,energy,overlap,contacts,iterations,moved,Fx,Fy,Fz");
}
