// Two cards that lean against each other, and a house of them.
//
// Cards of length L and thickness t, at an angle a to the vertical, their upper edges touching:
// each pushes the other with the horizontal force H that keeps it from turning about its foot, H L
// cos a = m g (L sin a - t cos a) / 2. So they stand iff the friction of the floor is at least H /
// (m g) = tan a / 2 - t / (2 L). Of a house with a card laid over every two tents no such form is
// given here: it stands with enough friction, and falls without.
#include "args.h"
#include "csv.h"
#include "scenes/world.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
    world_run run;
    double length, width, thickness, lean, mass, near, mu, creep;
    int storeys;
} settings;

static bool read_flags(settings *set, int argc, char **argv, int *code)
{
    *set = (settings){.run = {.h = 0.002, .t_end = 1, .gravity = 9.81},
                      .length = 0.088,
                      .width = 0.063,
                      .thickness = 0.0005,
                      .lean = 0.3,
                      .mass = 0.0018,
                      .near = 0.01,
                      .mu = 0.5,
                      .creep = 1e-6,
                      .storeys = 3};
    set->run.scheme = world_dense_scheme();
    args a = {.about = "Two leaning cards on both sides of the least friction with which they "
                       "stand; a house of cards."};
    args_positive(&a, "--length", &set->length, "m", "of a card");
    args_positive(&a, "--width", &set->width, "m", "of a card");
    args_positive(&a, "--thickness", &set->thickness, "m", "of a card");
    args_positive(&a, "--mass", &set->mass, "kg", "of a card");
    args_real(&a, "--lean", &set->lean, 0.1, 0.7, "rad", "of a card, from the vertical");
    args_real(&a, "--near", &set->near, 1e-4, 0.5, "", "relative distance from the limit");
    args_real(&a, "--mu", &set->mu, 0, 10, "", "friction in the house");
    args_int(&a, "--storeys", &set->storeys, 0, 20, "of the house; 0: no house");
    args_positive(&a, "--creep", &set->creep, "m",
                  "how far a card that stands may move in the second half of the run");
    world_flags(&a, &set->run,
                "write every step: run (0 cards above the limit, 1 below, 2 house, 3 house without "
                "enough friction), time, height of the upper card, energy, contacts");
    const bool go = args_parse(&a, argc, argv);
    *code = a.exit_code;
    if (!go) return false;
    *code = 2;
    if (set->thickness > 0.2 * set->length * tan(set->lean)) {
        fprintf(stderr, "card_house: --thickness is no card's for this --lean\n");
        return false;
    }
    return world_run_check("card_house", &set->run);
}

// ---- what is built ------------------------------------------------------------------------------

// two bodies that touch have the friction of the smoother one
static pcs_law smoother(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    (void)user;
    return pcs_law_newton_coulomb(0, 0, fmin(a->mu, b->mu));
}

static pcs_status open_table(const settings *set, double mu_floor, double mu_cards, world *w)
{
    PCS_TRY(world_open(w, &set->run.scheme, set->run.gravity));
    PCS_TRY(pcs_model_set_combine(w->model, smoother, NULL));
    PCS_TRY(world_material(w, mu_floor, 0));
    PCS_TRY(world_floor(w));
    return world_material(w, mu_cards, 0);
}

// two cards whose upper inner edges meet above x, their feet at height z
static pcs_status tent(const settings *set, world *w, double x, double z)
{
    const double L = set->length, t = set->thickness, a = set->lean;
    const double size[3] = {t, set->width, L};
    for (int side = -1; side < 2; side += 2) {
        // the upper one of the edges inside, from the centre; then the lower
        const double Q[4] = {cos(a / 2), 0, -side * sin(a / 2), 0};
        double upper[3], lower[3];
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, L / 2}, upper);
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, -L / 2}, lower);
        const double apart = side * 1e-7;
        const double at[3] = {x + apart - upper[0], 0, z - lower[2]};
        PCS_TRY(world_box(w, set->mass, size, at, Q, NULL));
    }
    return PCS_OK;
}

// every storey has a tent less than the one below, on cards that lie over two tents
static pcs_status house(const settings *set, double mu, world *w)
{
    const double L = set->length, t = set->thickness, a = set->lean;
    // the outer edge above stands out over the inner by t sin a
    const double storey = L * cos(a) + t * sin(a), pitch = L, step = 1e-7;
    PCS_TRY(open_table(set, mu, mu, w));
    for (int k = 0; k < set->storeys; ++k) {
        const int n = set->storeys - k;
        const double z = k * (storey + t + 2 * step);
        for (int i = 0; i < n; ++i) {
            PCS_TRY(tent(set, w, (i - 0.5 * (n - 1)) * pitch, z));
        }
        for (int i = 0; i + 1 < n; ++i) {
            const double size[3] = {L - t, set->width, t};
            const double x[3] = {(i - 0.5 * (n - 2)) * pitch, 0, z + storey + t / 2 + step};
            PCS_TRY(world_box(w, set->mass, size, x, NULL, NULL));
        }
    }
    return world_start(w);
}

// ---- whether it stands --------------------------------------------------------------------------

typedef struct fate {
    double mu, moved, fell; // moved: m, in the second half of the run; fell: of the highest centre
    world w;                // closed; its sums remain
} fate;

static double highest(const world *w)
{
    double z = 0;
    for (int b = 0; b < w->n; ++b) {
        const double *q = world_q(w, b);
        if (q) z = fmax(z, q[2]);
    }
    return z;
}

static pcs_status wait(const settings *set, int run, csv *out, fate *f)
{
    world *w = &f->w;
    const double h = set->run.h, top = highest(w);
    const long half = (long)(0.5 * set->run.t_end / h);
    while (world_goes_on(w, h, set->run.t_end)) {
        PCS_TRY(world_step(w, h));
        if (w->stuck) break;
        if (w->steps == half) PCS_TRY(world_mark(w));
        CSV_ROW(out, run, w->state->t, highest(w), w->energy, w->active);
        if (highest(w) < top - 0.25 * set->length)
            break; // it falls: what becomes of it is not asked
    }
    f->moved = world_moved(w);
    f->fell = top - highest(w);
    return PCS_OK;
}

static pcs_status lean(const settings *set, double mu, int run, csv *out, fate *f)
{
    *f = (fate){.mu = mu};
    pcs_status status = open_table(set, mu, 2 * tan(set->lean), &f->w);
    if (status == PCS_OK) status = tent(set, &f->w, 0, 0);
    if (status == PCS_OK) status = world_start(&f->w);
    if (status == PCS_OK) status = wait(set, run, out, f);
    world_close(&f->w);
    return status;
}

static pcs_status build(const settings *set, double mu, int run, csv *out, fate *f)
{
    *f = (fate){.mu = mu};
    pcs_status status = house(set, mu, &f->w);
    if (status == PCS_OK) status = wait(set, run, out, f);
    world_close(&f->w);
    return status;
}

// ---- the table ----------------------------------------------------------------------------------

static void judge(checks *c, const settings *set, const char *name, const fate *f, bool stands)
{
    const double weight = f->w.n * set->mass * set->run.gravity;
    printf("%-24s %12.6f %14.3e %14.3e %10ld %10ld\n", name, f->mu, f->moved, f->fell, f->w.steps,
           f->w.loose);
    c->context = name;
    check_that(c, "steps", !f->w.stuck, pcs_outcome_text(f->w.outcome));
    check_value(c, "worst residual", f->w.residual, 0, 1e-4);
    check_value(c, "overlap (m)", f->w.overlap, 0, 0.1 * set->thickness);
    check_value(c, "rise of energy (J)", f->w.rise, 0, 1e-4 * weight * set->length);
    if (stands) {
        check_value(c, "moved (m)", f->moved, 0, set->creep);
        check_value(c, "fell (m)", f->fell, 0, 10 * set->creep);
    } else {
        check_order(c, "fell (m)", f->fell, 100 * set->creep);
    }
}

int main(int argc, char **argv)
{
    settings set;
    int code;
    if (!read_flags(&set, argc, argv, &code)) return code;

    csv out;
    if (!csv_open(&out, set.run.csv, "run,t,top,energy,contacts")) return 2;
    const double limit = tan(set.lean) / 2 - set.thickness / (2 * set.length);
    printf("two cards stand with a friction of at least %.6f\n\n%-24s %12s %14s %14s %10s %10s\n",
           limit, "", "friction", "moved (m)", "fell (m)", "steps", "loose");
    checks c = {.quiet = true};
    fate f;
    pcs_status status = lean(&set, limit * (1 + set.near), 0, &out, &f);
    if (status == PCS_OK) {
        judge(&c, &set, "cards above the limit", &f, true);
        status = lean(&set, limit * (1 - set.near), 1, &out, &f);
    }
    if (status == PCS_OK) judge(&c, &set, "cards below the limit", &f, false);
    if (status == PCS_OK && set.storeys > 0) {
        status = build(&set, set.mu, 2, &out, &f);
        if (status == PCS_OK) judge(&c, &set, "house", &f, true);
    }
    // a house needs more than two cards do: below their limit it must fall
    if (status == PCS_OK && set.storeys > 0) {
        status = build(&set, 0.8 * limit, 3, &out, &f);
        if (status == PCS_OK) judge(&c, &set, "house, smooth", &f, false);
    }
    if (status != PCS_OK) {
        csv_drop(&out);
        return say_error("card_house", status);
    }
    if (!csv_close(&out)) return 2;
    return checks_end(&c);
}
