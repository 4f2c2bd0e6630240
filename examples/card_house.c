// Two cards that lean against each other, and a house of them.
//
// Cards of length L and thickness t, at an angle a to the vertical, their upper edges touching:
// each pushes the other with the horizontal force H that keeps it from turning about its foot, H L
// cos a = m g (L sin a - t cos a) / 2. So they stand iff the friction of the floor is at least H /
// (m g) = tan a / 2 - t / (2 L). For a house with a card over every two tents there is no such
// formula here: it stands with enough friction, and falls without.
#include "args.h"
#include "example.h"
#include "flags/world_flags.h"
#include "scenes/cards.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
    world_run run;
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
                       "which they stand; a house of cards."};
    args_positive(&a, "--length", &set->house.length, "m", "length of a card");
    args_positive(&a, "--width", &set->house.width, "m", "width of a card");
    args_positive(&a, "--thickness", &set->house.thickness, "m", "thickness of a card");
    args_positive(&a, "--mass", &set->house.mass, "kg", "mass of a card");
    args_real(&a, "--lean", &set->house.lean, 0.1, 0.7, "rad", "angle of a card from the vertical");
    args_real(&a, "--near", &set->near, 1e-4, 0.5, "",
              "relative distance of the friction from its limit");
    args_real(&a, "--mu", &set->house.mu, 0, 10, "", "friction in the house");
    args_int(&a, "--storeys", &set->house.storeys, 0, 20, "storeys of the house; 0: no house");
    args_positive(&a, "--creep", &set->creep, "m",
                  "limit for the motion of a card that stands, in the second half of the run");
    world_flags(&a, &set->run,
                "write every step: run (0 cards above the limit, 1 below, 2 house, 3 house without "
                "enough friction), time, height of the upper card, energy, contacts");
    args_parse(&a, argc, argv);
    if (set->house.thickness > 0.2 * set->house.length * tan(set->house.lean)) {
        args_refuse("--thickness is no card's for this --lean");
    }
    // the upper edge of a card lies on the face of the other
    if (set->house.storeys > 0 && !(set->house.mu > 1.01 * tan(set->house.lean))) {
        args_refuse("--mu is %g; with --lean %g the upper edges slip on each other and the "
                    "house falls: it must be more than %g, or --storeys 0",
                    set->house.mu, set->house.lean, 1.01 * tan(set->house.lean));
    }
    world_run_scheme(&set->run, set->house.thickness);
}

// ---- whether it stands --------------------------------------------------------------------------

typedef struct fate {
    double mu, moved, fell; // moved: m, in the second half of the run; fell: of the highest centre
    world w;                // closed; its sums remain
} fate;

static pcs_status wait(const settings *set, int run, csv *out, fate *f)
{
    world *w = &f->w;
    const double h = set->run.h, top = cards_top(w);
    const long half = (long)(0.5 * set->run.t_end / h);
    while (world_goes_on(w, h, set->run.t_end)) {
        PCS_TRY(world_step(w, h));
        if (w->stuck) break;
        if (w->steps == half) PCS_TRY(world_mark(w));
        CSV_ROW(out, run, w->state->t, cards_top(w), w->energy, w->active);
        if (cards_top(w) < top - 0.25 * set->house.length)
            break; // it falls: what becomes of it is not asked
    }
    f->moved = world_moved(w);
    f->fell = top - cards_top(w);
    return PCS_OK;
}

static pcs_status build(const settings *set, const cards_def *def, int run, csv *out, fate *f)
{
    *f = (fate){.mu = def->mu_floor};
    pcs_status status = world_run_open(&f->w, &set->run, set->run.gravity);
    if (status == PCS_OK) status = cards_build(&f->w, def);
    if (status == PCS_OK) status = wait(set, run, out, f);
    world_close(&f->w);
    return status;
}

// two cards that do not slip on each other
static pcs_status lean(const settings *set, double mu, int run, csv *out, fate *f)
{
    cards_def def = set->house;
    def.storeys = 1;
    def.mu_floor = mu;
    def.mu = 2 * tan(def.lean);
    return build(set, &def, run, out, f);
}

static pcs_status house(const settings *set, double mu, int run, csv *out, fate *f)
{
    cards_def def = set->house;
    def.mu = def.mu_floor = mu;
    return build(set, &def, run, out, f);
}

// ---- the table ----------------------------------------------------------------------------------

static void judge(checks *c, const settings *set, const char *name, const fate *f, bool stands)
{
    const double weight = f->w.n * set->house.mass * set->run.gravity;
    printf("%-24s %12.6f %14.3e %14.3e %10ld %10ld\n", name, f->mu, f->moved, f->fell, f->w.steps,
           f->w.loose);
    c->context = name;
    check_that(c, "steps", !f->w.stuck, pcs_outcome_text(f->w.outcome));
    check_value(c, "worst residual", f->w.residual, 0, 1e-4);
    check_value(c, "overlap (m)", f->w.overlap, 0, 0.1 * set->house.thickness);
    check_value(c, "rise of energy (J)", f->w.rise, 0, 1e-4 * weight * set->house.length);
    if (stands) {
        check_value(c, "moved (m)", f->moved, 0, set->creep);
        check_value(c, "fell (m)", f->fell, 0, 10 * set->creep);
    } else {
        check_order(c, "fell (m)", f->fell, 100 * set->creep);
    }
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const double limit = cards_least_friction(&set->house);
    printf("two cards stand with a friction of at least %.6f\n\n%-24s %12s %14s %14s %10s %10s\n",
           limit, "", "friction", "moved (m)", "fell (m)", "steps", "loose");
    fate f;
    PCS_TRY(lean(set, limit * (1 + set->near), 0, out, &f));
    judge(c, set, "cards above the limit", &f, true);
    PCS_TRY(lean(set, limit * (1 - set->near), 1, out, &f));
    judge(c, set, "cards below the limit", &f, false);
    if (set->house.storeys == 0) return PCS_OK;

    PCS_TRY(house(set, set->house.mu, 2, out, &f));
    judge(c, set, "house", &f, true);
    // a house needs more than two cards do: below their limit it must fall
    PCS_TRY(house(set, 0.8 * limit, 3, out, &f));
    judge(c, set, "house, smooth", &f, false);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.run.csv, "run,t,top,energy,contacts");
}
