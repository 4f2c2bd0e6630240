// A pyramid and a wall of boxes and a tower of planks: after a perturbation they come to rest and
// stay there.
//
// The bodies start a little off their places, above one another and moving. The checks: no overlap,
// no gain of energy, and at rest the floor carries the weight. Coulomb's law with a tolerance lets
// bodies creep; the last check limits how far.
#include "args.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/simulation.h"
#include "scenes/stacks_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER "t,energy,overlap,contacts,iterations,moved,Fx,Fy,Fz"
#define COLUMNS                                                                              \
    "write every step: time, energy, deepest overlap, contacts, iterations, farthest moved " \
    "since the start or --settle, force of the floor"

typedef struct settings {
    run_settings run;
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
    args a = {.about = "Stacks of boxes settle, carry their weight, and stay at rest.",
              .table = COLUMNS};
    args_choice(&a, "--scene", &set->def.kind, STACK_WORDS,
                "scene; the defaults of the sizes depend on it");
    args_int(&a, "--layers", &set->def.layers, 1, 8, "number of layers");
    args_int(&a, "--length", &set->def.length, 0, 12,
             "bricks in a layer of the wall, planks in one of the tower");
    args_sizes(&a, "--size", set->def.size, 3, "m", "edges: along the row, across it, up");
    args_positive(&a, "--spacing", &set->def.spacing, 10, "m", "distance between neighbours");
    args_positive(&a, "--density", &set->def.density, 1000, "kg/m^3", "density of all bodies");
    args_real(&a, "--jolt", &set->def.jolt, 0, 0.02, "m", "random displacement at the start");
    args_real(&a, "--speed", &set->def.speed, 0, 1, "m/s",
              "random velocity at the start, every component; also angular velocity, rad/s");
    args_real(&a, "--mu", &set->def.mu, 0.2, 2, "", "friction");
    args_positive(&a, "--settle", &set->settle, 10, "s",
                  "time at which the bodies must be at rest");
    args_positive(&a, "--creep", &set->creep, 100, "m",
                  "limit for the motion of any body after that time");
    run_parse(&a, &set->run, RUN_DENSE | RUN_SOLVER, argc, argv);
    if (set->def.kind != STACK_PYRAMID && set->def.length < 2) {
        args_refuse("--length must be at least 2");
    }
    if (set->def.kind == STACK_WALL && set->def.size[0] <= set->def.spacing) {
        args_refuse("--spacing leaves no room for half bricks");
    }
    if (set->settle + set->run.h > set->run.t_end) args_refuse("--settle must lie before --tend");
    run_scheme(&set->run, stack_size(&set->def));
}

// data that the observer collects
typedef struct result {
    const settings *set;
    csv *out;
    run_tally tally;   // its mark is the start, then the state after --settle
    double moved;      // m, since --settle
    long loose;        // steps since then that did not converge
    double support[3]; // N, of the last step
    double overlap;    // by all pairs, every tenth step
    double weight;     // N
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    if (!report) return 0;
    const long step = r->tally.steps, still = r->tally.mark_at;
    if (step % 10 == 0) {
        double deepest;
        PCS_TRY(tally_overlap(model, state, &deepest));
        r->overlap = fmax(r->overlap, deepest);
    }
    const double moved = tally_moved(model, r->tally.mark, state), *F = r->support;
    if (step > still) r->moved = fmax(r->moved, moved);
    r->loose += step > still && report->outcome != PCS_OUTCOME_CONVERGED;
    PCS_TRY(tally_support(work, 0, r->support));
    CSV_ROW(r->out, state->t, r->tally.energy, r->tally.overlap, report->active,
            report->solve.iters, moved, F[0], F[1], F[2]);
    return 0;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    static const char *const words[] = {"A pyramid of boxes is perturbed and settles.",
                                        "A wall of bricks is perturbed and settles.",
                                        "A tower of planks is perturbed and settles."};
    const settings *set = user;
    PCS_TRY(run_scene(&set->run, words[set->def.kind], out));
    return stack_build(&set->def, (*out)->model);
}

static pcs_status settle(const settings *set, result *r, simulation *s)
{
    PCS_TRY(build(set, &s->scene));
    PCS_TRY(simulation_start(s, set->run.threads));
    r->tally.mark = s->mark;
    r->tally.mark_at = (long)(set->settle / set->run.h + 0.5);
    r->weight = tally_weight(s->scene->model);
    return pcs_scene_run(s->scene, s->state, s->work, watch, r, NULL, NULL);
}

static void check_all(checks *c, const settings *set, const result *r)
{
    const run_tally *t = &r->tally;
    const double steps = (double)t->steps, weight = r->weight, height = set->def.size[2];
    printf("%ld steps: on average %.1f contacts and %.1f iterations a step; %ld steps did not "
           "reach the tolerance\n",
           t->steps, (double)t->contacts / steps, (double)t->iterations / steps, t->loose);
    *c = checks_begin();
    check_run(c, t, &set->run.scheme, 1e-3 * height, 1e-6 * weight * height);
    check_value(c, "overlap by all pairs (m)", r->overlap, 0, 1e-3 * height);
    check_value(c, "steps not converged, at rest", (double)r->loose, 0, 0);
    check_value(c, "moved since they settled (m)", r->moved, 0, set->creep);
    check_value(c, "force of the floor, up (N)", r->support[2], weight, 1e-5 * weight);
    check_value(c, "force of the floor, x (N)", r->support[0], 0, 1e-5 * weight);
    check_value(c, "force of the floor, y (N)", r->support[1], 0, 1e-5 * weight);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    simulation s = {0};
    result r = {.set = set, .out = out};
    const pcs_status status = settle(set, &r, &s);
    simulation_close(&s);
    if (status == PCS_OK) check_all(c, set, &r);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
