// A heavy cube on a light one on the floor: 10 000 to 1, or any ratio up to 1e8.
//
// They start a little above each other, fall, and rest. Then the impulses between the two carry the
// weight of the upper cube, those of the floor the weight of both, and nothing moves. Iterations
// that pass impulses from contact to contact need more sweeps for a larger ratio. In the
// acceleration of the light cube the weights cancel: the rounding of u = W p + q is 2e-16 times the
// ratio, so the tolerance is at least 1e-15 times the ratio.
#include "args.h"
#include "checks/dense_scene.h"
#include "example.h"
#include "flags/world_flags.h"
#include "scenes/bodies_model.h"
#include "scenes/resting.h"

#include <math.h>
#include <stdio.h>

typedef struct settings {
    world_run run;
    heavy_def def;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.005, .t_end = 2, .gravity = 9.81, .tol = 1e-10},
                      .def = heavy_default()};
    set->def.drop = 0.01;
    set->def.aside = 0.1;
    args a = {.about = "A heavy cube rests on a light one."};
    args_real(&a, "--ratio", &set->def.ratio, 1e-8, 1e8, "",
              "mass of the upper cube over that of the lower");
    args_positive(&a, "--mass", &set->def.mass, "kg", "mass of the lower cube");
    args_positive(&a, "--upper", &set->def.upper, "m", "edge of the upper cube");
    args_positive(&a, "--lower", &set->def.lower, "m", "edge of the lower cube");
    args_real(&a, "--aside", &set->def.aside, 0, 0.4, "",
              "offset of the upper cube from the middle, over its edge");
    args_real(&a, "--drop", &set->def.drop, 0, 1, "m", "gap below each cube at the start");
    args_real(&a, "--mu", &set->def.mu, 0, 10, "", "friction");
    world_flags(&a, &set->run,
                "write every step: time, heights of the centres, forces on the lower and the "
                "upper face of the lower cube (N, up), iterations, residual");
    args_parse(&a, argc, argv);
    set->run.tol = fmax(set->run.tol, 1e-15 * set->def.ratio);
    if (set->def.aside * set->def.upper > 0.4 * set->def.lower) {
        args_refuse("the upper cube would tip; take a smaller --aside");
    }
    const double falls = 2 * sqrt(2 * set->def.drop / set->run.gravity);
    if (set->run.t_end < falls + 0.5) {
        args_refuse("they have not come to rest; take a larger --tend");
    }
    world_run_scheme(&set->run, fmin(set->def.lower, set->def.upper));
}

static pcs_status build(const settings *set, world *w)
{
    bodies s;
    PCS_TRY(world_run_open(w, &set->run, set->run.gravity));
    if (!resting_heavy(&s, &set->def)) return PCS_ERR_MEMORY;
    const pcs_status status = world_bodies(w, &s);
    bodies_destroy(&s);
    return status;
}

// vertical forces of the last step: of the floor, and of the lower cube on the upper one
static pcs_status forces(const world *w, double h, double *floor, double *between)
{
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(w->work, &n, &c));
    *floor = *between = 0;
    for (int k = 0; k < n; ++k) {
        if (!c[k].active) continue;
        const double up =
            (c[k].F[2] * c[k].r[0] + c[k].F[5] * c[k].r[1] + c[k].F[8] * c[k].r[2]) / h;
        if (c[k].system2.id == 0) {
            *floor += up;
        } else {
            // on system1: the upper one, added last, or the other
            *between += c[k].system1.id == w->body[2].system.id ? up : -up;
        }
    }
    return PCS_OK;
}

static pcs_status rest(const settings *set, world *w, csv *out, double end[3])
{
    const double h = set->run.h;
    const long still = (long)((set->run.t_end - 0.25) / h);
    PCS_TRY(build(set, w));
    while (world_goes_on(w, h, set->run.t_end)) {
        PCS_TRY(world_step(w, h));
        if (w->stuck) break;
        if (w->steps == still) PCS_TRY(world_mark(w));
        PCS_TRY(forces(w, h, &end[0], &end[1]));
        CSV_ROW(out, w->state->t, world_q(w, 1)[2], world_q(w, 2)[2], end[0], end[1], w->iters,
                w->residual);
    }
    end[2] = world_moved(w);
    return PCS_OK;
}

static void check_all(checks *c, const settings *set, const world *w, const double end[3])
{
    const double g = set->run.gravity, lower = set->def.mass * g, upper = lower * set->def.ratio;
    const double both = lower + upper, gap = 1e-6 * fmin(set->def.lower, set->def.upper);
    const double part = 100 * set->run.tol;
    world_check(c, w, gap, part * both * set->def.lower);
    check_value(c, "force of the floor (N)", end[0], both, part * both);
    check_value(c, "force between the cubes (N)", end[1], upper, part * both);
    check_value(c, "centre of the lower cube (m)", world_q(w, 1)[2], set->def.lower / 2, gap);
    check_value(c, "centre of the upper cube (m)", world_q(w, 2)[2],
                set->def.lower + set->def.upper / 2, 2 * gap);
    check_value(c, "moved in the last quarter second (m)", end[2], 0, 1e-8);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    world w;
    double end[3] = {0};
    const pcs_status status = rest(set, &w, out, end);
    if (status == PCS_OK) {
        printf("%g kg on %g kg: %ld steps, on average %.1f iterations\n",
               set->def.mass * set->def.ratio, set->def.mass, w.steps,
               (double)w.iterations / (double)(w.steps > 0 ? w.steps : 1));
        *c = checks_begin();
        check_all(c, set, &w, end);
    }
    world_close(&w);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.run.csv, "t,z1,z2,floor,between,iterations,residual");
}
