// Two cards that lean against each other, and a house of them.
//
// Cards of length L and thickness t, at an angle a to the vertical, their upper edges touching:
// each pushes the other with the horizontal force H that keeps it from turning about its foot, H L
// cos a = m g (L sin a - t cos a) / 2. So they stand iff the friction of the floor is at least H /
// (m g) = tan a / 2 - t / (2 L). For a house with a card over every two tents there is no such
// formula here: it stands with enough friction, and falls without.
#include "args.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/cards.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEADER "run,t,top,energy,contacts"
#define COLUMNS                                                                                 \
    "write every step: run (0 cards above the limit, 1 below, 2 house, 3 house without enough " \
    "friction), time, height of the upper card, energy, contacts"

typedef struct settings {
    run_settings run;
    cards_def house;
    double near, creep;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.002, .t_end = 1, .gravity = 9.81, .tol = 1e-8},
                      .house = cards_default(),
                      .near = 0.01,
                      .creep = 1e-6};
    args a = {.about = "Two leaning cards with a friction just above and just below the limit at "
                       "which they stand; a house of cards.",
              .table = COLUMNS};
    args_positive(&a, "--length", &set->house.size[0], 3, "m", "length of a card");
    args_positive(&a, "--width", &set->house.size[1], 3, "m", "width of a card");
    args_positive(&a, "--thickness", &set->house.size[2], 3, "m", "thickness of a card");
    args_positive(&a, "--mass", &set->house.mass, 100, "kg", "mass of a card");
    args_real(&a, "--lean", &set->house.lean, 0.1, 0.7, "rad", "angle of a card from the vertical");
    args_real(&a, "--near", &set->near, 1e-4, 0.5, "",
              "relative distance of the friction from its limit");
    args_real(&a, "--mu", &set->house.mu, 0, 2, "", "friction in the house");
    args_int(&a, "--storeys", &set->house.storeys, 0, 6, "storeys of the house; 0: no house");
    args_positive(&a, "--creep", &set->creep, 100, "m",
                  "limit for the motion of a card that stands, in the second half of the run");
    run_parse(&a, &set->run, RUN_DENSE | RUN_SOLVER, argc, argv);
    if (set->house.size[2] > 0.2 * set->house.size[0] * tan(set->house.lean)) {
        args_refuse("--thickness is no card's for this --lean");
    }
    // the upper edge of a card lies on the face of the other
    if (set->house.storeys > 0 && !(set->house.mu > 1.01 * tan(set->house.lean))) {
        args_refuse("--mu is %g; with --lean %g the upper edges slip on each other and the "
                    "house falls: it must be more than %g, or --storeys 0",
                    set->house.mu, set->house.lean, 1.01 * tan(set->house.lean));
    }
    // below the limit a card leaves its place as exp(t sqrt(3 g / 2 l))
    const double rate = sqrt(1.5 * set->run.gravity / set->house.size[0]);
    const double least = fmax(0.2, log(0.1 / set->near) / rate);
    if (set->run.t_end < least) {
        args_refuse(
            "--tend must be at least %g s: --near %g below the limit the cards fall so slowly",
            least, set->near);
    }
    run_scheme(&set->run, set->house.size[2]);
}

// ---- whether it stands --------------------------------------------------------------------------

// results of cards, collected by an observer
typedef struct fate {
    const settings *set;
    csv *out;
    int run;
    run_tally tally;         // its mark is the state after half of the run
    double top, fell, moved; // m: the highest centre at the start, how far it fell; since the mark
    double weight;           // N
} fate;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    fate *f = user;
    PCS_TRY(run_tally_step(&f->tally, model, state, work, report));
    const double top = cards_top(model, state);
    if (!report) f->top = top;
    if (!report) return 0;
    f->fell = f->top - top;
    CSV_ROW(f->out, f->run, state->t, top, f->tally.energy, report->active);
    return f->fell > 0.25 * f->set->house.size[0]; // what becomes of it then is not asked
}

static pcs_status build(const run_settings *run, const cards_def *def, pcs_scene **out)
{
    PCS_TRY(run_scene(run, "Cards lean against each other.", out));
    return cards_build(def, (*out)->model);
}

static pcs_status build_and_run(const cards_def *def, fate *f, simulation *s)
{
    const run_settings *run = &f->set->run;
    PCS_TRY(build(run, def, &s->scene));
    PCS_TRY(simulation_start(s, run->threads));
    f->tally.mark = s->mark;
    f->tally.mark_at = (long)(0.5 * run->t_end / run->h);
    PCS_TRY(pcs_scene_run(s->scene, s->state, s->work, watch, f, NULL, NULL));
    f->moved = tally_moved(s->scene->model, s->mark, s->state);
    f->weight = tally_weight(s->scene->model);
    return PCS_OK;
}

// ---- the table ----------------------------------------------------------------------------------

static pcs_status judge(checks *c, const char *name, const cards_def *def, bool stands, fate f)
{
    simulation s = {0};
    const pcs_status status = build_and_run(def, &f, &s);
    simulation_close(&s);
    if (status != PCS_OK) return status;
    printf("%-24s %12.6f %14.3e %14.3e %10ld %10ld\n", name, def->mu_floor, f.moved, f.fell,
           f.tally.steps, f.tally.loose);
    c->context = name;
    check_run(c, &f.tally, &f.set->run.scheme, 0.1 * def->size[2], 1e-4 * f.weight * def->size[0]);
    if (stands) {
        check_value(c, "moved (m)", f.moved, 0, f.set->creep);
        // while the gaps of the scene close, a card can fall freely for one step
        const double free_fall = f.set->run.gravity * f.set->run.h * f.set->run.h;
        check_value(c, "fell (m)", f.fell, 0, 10 * f.set->creep + free_fall);
    } else {
        check_order(c, "fell (m)", f.fell, 100 * f.set->creep);
    }
    return PCS_OK;
}

// two cards that do not slip on each other
static cards_def two_cards(const settings *set, double mu_floor)
{
    cards_def def = set->house;
    def.storeys = 1;
    def.mu_floor = mu_floor;
    def.mu = 2 * tan(def.lean);
    return def;
}

static cards_def house(const settings *set, double mu)
{
    cards_def def = set->house;
    def.mu = def.mu_floor = mu;
    return def;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const double limit = cards_least_friction(&set->house);
    const struct {
        const char *name;
        cards_def def;
        bool stands;
    } runs[] = {
        {"cards above the limit", two_cards(set, limit * (1 + set->near)), true},
        {"cards below the limit", two_cards(set, limit * (1 - set->near)), false},
        {"house", house(set, set->house.mu), true},
        // a house needs more than two cards do: below their limit it must fall
        {"house, smooth", house(set, 0.8 * limit), false},
    };
    printf("two cards stand with a friction of at least %.6f\n\n%-24s %12s %14s %14s %10s %10s\n",
           limit, "", "friction", "moved (m)", "fell (m)", "steps", "loose");
    for (int k = 0; k < (set->house.storeys > 0 ? 4 : 2); ++k) {
        const fate f = {.set = set, .out = out, .run = k};
        PCS_TRY(judge(c, runs[k].name, &runs[k].def, runs[k].stands, f));
    }
    return PCS_OK;
}

// the house, or the two cards that stand
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double limit = cards_least_friction(&set->house);
    const cards_def def = set->house.storeys > 0 ? house(set, set->house.mu)
                                                 : two_cards(set, limit * (1 + set->near));
    return build(&set->run, &def, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
