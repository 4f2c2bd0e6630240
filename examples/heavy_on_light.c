// A heavy cube on a light one on the floor: 10 000 to 1, or any ratio up to 1e8.
//
// They start a little above each other, fall, and rest. Then the impulses between the two carry the
// weight of the upper cube, those of the floor the weight of both, and nothing moves. Iterations
// that pass impulses from contact to contact need more sweeps for a larger ratio. In the
// acceleration of the light cube the weights cancel: the rounding of u = W p + q is 2e-16 times the
// ratio, so the tolerance is at least 1e-15 times the ratio.
#include "args.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/resting.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>

#define HEADER "t,z1,z2,floor,between,iterations,residual"
#define COLUMNS                                                                               \
    "write every step: time, heights of the centres, forces on the lower and the upper face " \
    "of the lower cube (N, up), iterations, residual"

typedef struct settings {
    run_settings run;
    heavy_def def;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.005, .t_end = 2, .gravity = 9.81, .tol = 1e-10},
                      .def = heavy_default()};
    set->def.drop = 0.01;
    set->def.aside = 0.1;
    args a = {.about = "A heavy cube rests on a light one.", .table = COLUMNS};
    args_real(&a, "--ratio", &set->def.ratio, 1e-8, 1e8, "",
              "mass of the upper cube over that of the lower");
    args_positive(&a, "--mass", &set->def.mass, 1000, "kg", "mass of the lower cube");
    args_positive(&a, "--upper", &set->def.upper, 3, "m", "edge of the upper cube");
    args_positive(&a, "--lower", &set->def.lower, 3, "m", "edge of the lower cube");
    args_real(&a, "--aside", &set->def.aside, 0, 0.4, "",
              "offset of the upper cube from the middle, over its edge");
    args_real(&a, "--drop", &set->def.drop, 0, 1, "m", "gap below each cube at the start");
    args_real(&a, "--mu", &set->def.mu, 0, 10, "", "friction");
    run_parse(&a, &set->run, RUN_DENSE, argc, argv);
    set->run.tol = fmax(set->run.tol, 1e-15 * set->def.ratio);
    if (set->def.aside * set->def.upper > 0.4 * set->def.lower) {
        args_refuse("the upper cube would tip; take a smaller --aside");
    }
    const double falls = 2 * sqrt(2 * set->def.drop / set->run.gravity);
    if (set->run.t_end < falls + 0.5) {
        args_refuse("they have not come to rest; take a larger --tend");
    }
    run_scheme(&set->run, fmin(set->def.lower, set->def.upper));
}

// data that the observer collects; the lower cube is system 1, the upper one 2
typedef struct result {
    const settings *set;
    csv *out;
    run_tally tally;       // its mark is the state a quarter of a second before the end
    double floor, between; // N, vertical forces in the last step: of the floor, of the lower cube
                           // on the upper one
    double lower, upper;   // m, heights of the centres
    double moved;          // m, since the mark
    double overlap;        // by all pairs at the end, m
} result;

// the vertical force of one system on another in the last step, N
static pcs_status force(const pcs_work *work, int by, int on, double *up)
{
    pcs_body_frame frame = pcs_body_frame_of((pcs_system){on});
    double wrench[6];
    frame.inertial = true;
    PCS_TRY(pcs_work_pair_wrench(work, (pcs_system){by}, &frame, wrench));
    *up = wrench[2] / pcs_work_step_size(work);
    return PCS_OK;
}

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    if (!report) return 0;
    PCS_TRY(force(work, 0, 1, &r->floor));
    PCS_TRY(force(work, 1, 2, &r->between));
    r->lower = pcs_state_read_q(model, state, (pcs_system){1})[2];
    r->upper = pcs_state_read_q(model, state, (pcs_system){2})[2];
    CSV_ROW(r->out, state->t, r->lower, r->upper, r->floor, r->between, report->solve.iters,
            r->tally.residual);
    return 0;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    PCS_TRY(run_scene(&set->run, "A heavy cube rests on a light one.", out));
    return heavy_build(&set->def, (*out)->model);
}

static pcs_status rest(const settings *set, result *r, simulation *s)
{
    PCS_TRY(build(set, &s->scene));
    PCS_TRY(simulation_start(s, set->run.threads));
    r->tally.mark = s->mark;
    r->tally.mark_at = (long)((set->run.t_end - 0.25) / set->run.h);
    PCS_TRY(pcs_scene_run(s->scene, s->state, s->work, watch, r, NULL, NULL));
    r->moved = tally_moved(s->scene->model, s->mark, s->state);
    return tally_overlap(s->scene->model, s->state, &r->overlap);
}

static void check_all(checks *c, const settings *set, const result *r)
{
    const double g = set->run.gravity, lower = set->def.mass * g, upper = lower * set->def.ratio;
    const double both = lower + upper, gap = 1e-6 * fmin(set->def.lower, set->def.upper);
    const double part = 100 * set->run.tol;
    check_run(c, &r->tally, &set->run.scheme, gap, part * both * set->def.lower);
    check_value(c, "overlap by all pairs (m)", r->overlap, 0, fmax(gap, set->run.scheme.proj_tol));
    check_value(c, "force of the floor (N)", r->floor, both, part * both);
    check_value(c, "force between the cubes (N)", r->between, upper, part * both);
    check_value(c, "centre of the lower cube (m)", r->lower, set->def.lower / 2, gap);
    check_value(c, "centre of the upper cube (m)", r->upper, set->def.lower + set->def.upper / 2,
                2 * gap);
    check_value(c, "moved in the last quarter second (m)", r->moved, 0, 1e-8);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    simulation s = {0};
    result r = {.set = set, .out = out};
    const pcs_status status = rest(set, &r, &s);
    simulation_close(&s);
    if (status != PCS_OK) return status;
    printf("%g kg on %g kg: %ld steps, on average %.1f iterations\n",
           set->def.mass * set->def.ratio, set->def.mass, r.tally.steps,
           (double)r.tally.iterations / (double)r.tally.steps);
    *c = checks_begin();
    check_all(c, set, &r);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
