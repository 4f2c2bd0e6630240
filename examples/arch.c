// Two masonry arches of 45 stones: a thick one stands, a little thinner one falls.
//
// Stones that carry no tension stand iff a line of thrust stays within all joints (checks/
// thrust_line). For a half circle of 45 stones this needs a thickness of 0.1073 of the radius. The
// example runs an arch with a thickness on each side of this limit: one must not move, the other
// must fall.
#include "args.h"
#include "checks/thrust_line.h"
#include "example.h"
#include "flags/world_flags.h"
#include "scenes/arch_scene.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
    world_run run;
    arch_def def;
    double stands, falls, creep;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.005, .t_end = 1, .gravity = 9.81, .tol = 1e-8},
                      .def = arch_default(),
                      .stands = 0.112,
                      .falls = 0.103,
                      .creep = 1e-6};
    args a = {.about = "Two masonry arches: one a little thicker than the limit, which stands, and "
                       "one a little thinner, which falls."};
    args_int(&a, "--stones", &set->def.stones, 3, 200, "stones in the half circle");
    args_real(&a, "--stands", &set->stands, 0, 0.9, "",
              "thickness over radius of an arch that stands; 0: none");
    args_real(&a, "--falls", &set->falls, 0, 0.9, "",
              "thickness over radius of an arch that falls; 0: none");
    args_positive(&a, "--radius", &set->def.radius, "m", "radius of the middle line of the arch");
    args_positive(&a, "--depth", &set->def.depth, "m", "depth of the stones, across the arch");
    args_positive(&a, "--density", &set->def.density, "kg/m^3", "density of the stones");
    args_real(&a, "--mu", &set->def.mu, 0, 10, "", "friction");
    args_positive(&a, "--creep", &set->creep, "m",
                  "limit for the motion of a stone after the first tenth of the run");
    world_flags(&a, &set->run,
                "write every step: run (0 stands, 1 falls), time, height of the key stone, energy, "
                "contacts, iterations, residual, horizontal thrust (N)");
    args_parse(&a, argc, argv);
    const double limit = thrust_limit(set->def.stones);
    if (set->stands > 0 && set->stands <= limit) {
        args_refuse("--stands must be more than %.6f", limit);
    }
    if (set->falls >= limit) args_refuse("--falls must be less than %.6f", limit);
    arch_def thin = set->def;
    thin.thickness = set->def.radius * (set->falls > 0 ? set->falls : set->stands);
    // one tolerance for both arches, that of the thinner one
    const double size = arch_size(&thin);
    if (set->run.proj_tol == 0) set->run.proj_tol = 3e-4 * size;
    world_run_scheme(&set->run, size);
}

typedef struct fate {
    double moved, fell;     // m: since a tenth of the run; of the key stone
    double weight, support; // N
    double thrust;          // horizontal force at the left foot, N, of the last step
    double overlap;         // by all pairs, m
    world w;                // closed; its sums remain
} fate;

static double key_height(const settings *set, const world *w)
{
    return world_q(w, 1 + set->def.stones / 2)[2];
}

// of the ground on the stone at the left
static pcs_status thrust(const world *w, double h, double *F)
{
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(w->work, &n, &c));
    *F = 0;
    for (int k = 0; k < n; ++k) {
        if (!c[k].active || c[k].system2.id != 0) continue;
        if (c[k].system1.id != w->body[1].system.id) continue;
        *F += (c[k].F[0] * c[k].r[0] + c[k].F[3] * c[k].r[1] + c[k].F[6] * c[k].r[2]) / h;
    }
    return PCS_OK;
}

static pcs_status run_arch(const settings *set, int run, csv *out, fate *f)
{
    world *w = &f->w;
    const double h = set->run.h;
    const long still = (long)(0.1 * set->run.t_end / h) + 1;
    const double top = key_height(set, w);
    while (world_goes_on(w, h, set->run.t_end)) {
        PCS_TRY(world_step(w, h));
        if (w->stuck) break;
        if (w->steps == still) PCS_TRY(world_mark(w));
        PCS_TRY(thrust(w, h, &f->thrust));
        f->fell = top - key_height(set, w);
        CSV_ROW(out, run, w->state->t, top - f->fell, w->energy, w->active, w->iters, w->residual,
                f->thrust);
        if (f->fell > 0.1 * set->def.radius) break; // what becomes of the stones is not asked
    }
    double F[3];
    PCS_TRY(world_support(w, h, F));
    f->support = F[2];
    f->weight = world_weight(w);
    f->moved = world_moved(w);
    f->overlap = world_overlap(w);
    return PCS_OK;
}

static pcs_status build_and_run(const settings *set, double thickness, int run, csv *out, fate *f)
{
    *f = (fate){0};
    arch_def def = set->def;
    def.thickness = thickness * def.radius;
    pcs_status status = world_run_open(&f->w, &set->run, set->run.gravity);
    if (status == PCS_OK) status = arch_build(&f->w, &def);
    if (status == PCS_OK) status = run_arch(set, run, out, f);
    world_close(&f->w);
    return status;
}

static void judge(checks *c, const settings *set, double thickness, const fate *f, bool stands)
{
    const world *w = &f->w;
    const double steps = (double)(w->steps > 0 ? w->steps : 1), R = set->def.radius;
    printf("%10.4f %+12.3e %12.3e %12.3e %8ld %10.1f %10.1f %8ld\n", thickness,
           thrust_margin(set->def.stones, thickness), f->moved, f->fell, w->steps,
           (double)w->contacts / steps, (double)w->iterations / steps, w->loose);
    c->context = stands ? "stands" : "falls";
    check_that(c, "every step taken", !w->stuck, pcs_outcome_text(w->outcome));
    check_value(c, "worst residual", w->residual, 0, 1e-4);
    check_value(c, "overlap (m)", fmax(w->overlap, f->overlap), 0, 1e-3 * thickness * R);
    check_value(c, "rise of energy (J)", w->rise, 0, 1e-7 * f->weight * R);
    if (stands) {
        check_value(c, "moved (m)", f->moved, 0, set->creep);
        check_value(c, "fell (m)", f->fell, 0, 10 * set->creep);
        check_value(c, "force of the ground (N)", f->support, f->weight, 1e-5 * f->weight);
    } else {
        check_order(c, "fell (m)", f->fell, 0.01 * R);
    }
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const int stones = set->def.stones;
    printf("%d stones stand with a thickness of at least %.6f of the radius\n\n"
           "%10s %12s %12s %12s %8s %10s %10s %8s\n",
           stones, thrust_limit(stones), "thickness", "margin", "moved (m)", "fell (m)", "steps",
           "contacts", "iterations", "loose");
    if (stones == 45) {
        check_value(c, "limit", thrust_limit(45), 0.1073, 5e-5); // Milankovitch 1907: 0.1075
    }
    for (int run = 0; run < 2; ++run) {
        const double thickness = run == 0 ? set->stands : set->falls;
        fate f;
        if (!(thickness > 0)) continue;
        PCS_TRY(build_and_run(set, thickness, run, out, &f));
        judge(c, set, thickness, &f, run == 0);
    }
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.run.csv,
                       "run,t,key,energy,contacts,iterations,residual,thrust");
}
