// Two masonry arches of 45 stones: a thick one stands, a little thinner one falls.
//
// Stones that carry no tension stand iff a line of thrust stays within all joints (checks/
// thrust_line). For a half circle of 45 stones this needs a thickness of 0.1073 of the radius. The
// example runs an arch with a thickness on each side of this limit: one must not move, the other
// must fall.
#include "args.h"
#include "checks/run_checks.h"
#include "checks/thrust_line.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/arch_scene.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEADER "run,t,key,energy,contacts,iterations,residual,thrust"
#define COLUMNS                                                                          \
    "write every step: run (0 stands, 1 falls), time, height of the key stone, energy, " \
    "contacts, iterations, residual, horizontal thrust (N)"

typedef struct settings {
    run_settings run;
    arch_def def;
    double stands, falls, creep;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.005, .t_end = 1, .gravity = 9.81, .tol = 1e-8},
                      .stands = 0.112,
                      .falls = 0.103,
                      .creep = 1e-6,
                      .def = arch_default()};
    args a = {.about = "Two masonry arches: one a little thicker than the limit, which stands, and "
                       "one a little thinner, which falls.",
              .table = COLUMNS};
    args_int(&a, "--stones", &set->def.stones, 3, 101, "stones in the half circle");
    args_real(&a, "--stands", &set->stands, 0, 0.9, "",
              "thickness over radius of an arch that stands; 0: none");
    args_real(&a, "--falls", &set->falls, 0, 0.9, "",
              "thickness over radius of an arch that falls; 0: none");
    args_positive(&a, "--radius", &set->def.radius, 10, "m",
                  "radius of the middle line of the arch");
    args_positive(&a, "--depth", &set->def.depth, 10, "m", "depth of the stones, across the arch");
    args_positive(&a, "--density", &set->def.density, 1000, "kg/m^3", "density of the stones");
    args_real(&a, "--mu", &set->def.mu, 0.4, 2, "", "friction");
    args_real(&a, "--creep", &set->creep, 1e-6, 1e-4, "m",
              "limit for the motion of a stone after the first tenth of the run");
    run_parse(&a, &set->run, RUN_DENSE, argc, argv);
    if (set->run.t_end < 0.3 || set->run.t_end > 5) {
        args_refuse("--tend is %g s; it must lie in [0.3, 5], to see an arch fall, and how far one "
                    "that stands creeps",
                    set->run.t_end);
    }
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
    run_scheme(&set->run, size);
}

// results of an arch, collected by an observer
typedef struct fate {
    const settings *set;
    csv *out;
    int run;
    run_tally tally;           // its mark is the state after a tenth of the run
    double top, fell;          // m: height of the key stone at the start, and how far it fell
    double thrust;             // horizontal force at the left foot in the last step, N
    double moved;              // m, since the mark
    double weight, support[3]; // N
    double overlap;            // by all pairs at the end, m
} fate;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    fate *f = user;
    PCS_TRY(run_tally_step(&f->tally, model, state, work, report));
    const settings *set = f->set;
    const double key = pcs_state_read_q(model, state, (pcs_system){1 + set->def.stones / 2})[2];
    if (!report) f->top = key;
    if (!report) return 0;

    // impulse of the ground on the stone at the left
    pcs_body_frame foot = pcs_body_frame_of((pcs_system){1});
    double wrench[6];
    foot.inertial = true;
    PCS_TRY(pcs_work_pair_wrench(work, (pcs_system){0}, &foot, wrench));
    f->thrust = wrench[0] / set->run.h;
    f->fell = f->top - key;
    CSV_ROW(f->out, f->run, state->t, key, f->tally.energy, report->active, report->solve.iters,
            f->tally.residual, f->thrust);
    return f->fell > 0.1 * set->def.radius; // what becomes of the stones then is not asked
}

static pcs_status build(const settings *set, double thickness, pcs_scene **out)
{
    arch_def def = set->def;
    def.thickness = thickness * def.radius;
    const bool stands = thickness > thrust_limit(def.stones);
    PCS_TRY(run_scene(&set->run,
                      stands ? "A masonry arch without mortar stands."
                             : "A masonry arch without mortar is too thin and falls.",
                      out));
    return arch_build(&def, *out);
}

static pcs_status build_and_run(const settings *set, double thickness, fate *f, simulation *s)
{
    PCS_TRY(build(set, thickness, &s->scene));
    PCS_TRY(simulation_start(s, set->run.threads));
    f->tally.mark = s->mark;
    f->tally.mark_at = (long)(0.1 * set->run.t_end / set->run.h) + 1;
    PCS_TRY(pcs_scene_run(s->scene, s->state, s->work, watch, f, NULL, NULL));
    f->moved = tally_moved(s->scene->model, s->mark, s->state);
    f->weight = tally_weight(s->scene->model);
    PCS_TRY(tally_support(s->work, 0, f->support));
    return tally_overlap(s->scene->model, s->state, &f->overlap);
}

static void judge(checks *c, const settings *set, double thickness, const fate *f)
{
    const run_tally *t = &f->tally;
    const double R = set->def.radius;
    printf("%10.4f %+12.3e %12.3e %12.3e %8ld %10.1f %10.1f %8ld\n", thickness,
           thrust_margin(set->def.stones, thickness), f->moved, f->fell, t->steps,
           (double)t->contacts / (double)t->steps, (double)t->iterations / (double)t->steps,
           t->loose);
    c->context = f->run == 0 ? "stands" : "falls";
    check_run(c, t, &set->run.scheme, 1e-3 * thickness * R, 1e-7 * f->weight * R);
    check_value(c, "overlap by all pairs (m)", f->overlap, 0, 1e-3 * thickness * R);
    if (f->run == 1) {
        check_order(c, "fell (m)", f->fell, 0.01 * R);
        return;
    }
    // what the tolerance leaves, tol g h, of every joint
    const run_settings *r = &set->run;
    const double left = set->def.stones * r->tol * r->gravity * r->h * r->t_end;
    check_value(c, "moved (m)", f->moved, 0, set->creep + left);
    check_value(c, "fell (m)", f->fell, 0, 10 * set->creep + left);
    check_value(c, "force of the ground (N)", f->support[2], f->weight,
                (1e-7 + 3 * r->tol) * f->weight);
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
        fate f = {.set = set, .out = out, .run = run};
        simulation s = {0};
        if (!(thickness > 0)) continue;
        const pcs_status status = build_and_run(set, thickness, &f, &s);
        simulation_close(&s);
        if (status != PCS_OK) return status;
        judge(c, set, thickness, &f);
    }
    return PCS_OK;
}

static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    return build(set, set->stands > 0 ? set->stands : set->falls, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
