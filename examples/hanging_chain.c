// A chain of links that hangs from a hinge, with a load at its end: masses of 1 to 1000 and more.
//
// At rest the joint above link i (from 1 at the top) of n links of mass m carries what hangs below,
//
//     F_i = (load + (n - i + 1) m) g.
//
// Small oscillations in a plane: with the angles a_i of the links of length l from the vertical
// and the mass below link i, B_i = load + (n - i) m, the energies are
//
//     T = 1/2 a'^T M a',  M_ij = l^2 (B_max(i,j) + m/2) for i != j,  M_ii = l^2 (B_i + m/3)
//     U = 1/2 a^T K a,    K_ii = g l (B_i + m/2), diagonal.
//
// The lowest frequency w of M and K is found by the power method on K^-1 M, whose products are sums
// along the chain. The links start at rest with the angles of that mode; after a quarter of its
// period 2 pi / w they hang straight. The cost of a step is proportional to n.
#include "args.h"
#include "checks/run_tally.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"
#include "scenes/simulation.h"

#include <percuss/inertia.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER  "t,x,force"
#define COLUMNS "write every step: time, place of the load sideways, force in the uppermost hinge"
#define MOST    400

typedef struct settings {
    run_settings run;
    int links;
    double mass, length, ratio, sway; // of a link: kg, m; load / link; of the load at the start, m
    double rate, mode[MOST];          // rad/s, rad: of the lowest mode
} settings;

// y = K^-1 M x for the angles of the links
static void multiply(const settings *set, const double *x, double *y)
{
    const int n = set->links;
    const double m = set->mass, load = set->ratio * m;
    // sums of B_max(i,j) + m/2 over j: above i with that of i, below with their own
    double above = 0, below = 0;
    for (int j = 0; j < n; ++j) {
        below += (load + (n - 1 - j + 0.5) * m) * x[j];
    }
    for (int i = 0; i < n; ++i) {
        const double B = load + (n - 1 - i) * m, stiff = set->run.gravity * (B + 0.5 * m);
        below -= (B + 0.5 * m) * x[i];
        y[i] = set->length * ((B + 0.5 * m) * above + (B + m / 3) * x[i] + below) / stiff;
        above += x[i];
    }
}

static void solve_mode(settings *set)
{
    double *x = set->mode, y[MOST], size = 1, before = 0;
    for (int i = 0; i < set->links; ++i) {
        x[i] = 1;
    }
    for (int k = 0; k < 1000 && !(fabs(size - before) <= 1e-14 * size); ++k) {
        multiply(set, x, y);
        before = size;
        size = 0;
        for (int i = 0; i < set->links; ++i) {
            size = fmax(size, fabs(y[i]));
        }
        for (int i = 0; i < set->links; ++i) {
            x[i] = y[i] / size;
        }
    }
    set->rate = 1 / sqrt(size);
    // the load, at the end of all links, sways by what is asked for
    double reach = 0;
    for (int i = 0; i < set->links; ++i) {
        reach += set->length * x[i];
    }
    for (int i = 0; i < set->links; ++i) {
        x[i] *= set->sway / reach;
    }
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = pcs_scheme_default()},
                      .links = 100,
                      .mass = 0.1,
                      .length = 0.1,
                      .ratio = 1000,
                      .sway = 0.01};
    int steps = 100;
    args a = {.about = "A chain of links with a heavy load: forces at rest, and its period.",
              .table = COLUMNS};
    args_int(&a, "--links", &set->links, 2, MOST, "number of links");
    args_positive(&a, "--mass", &set->mass, 10, "kg", "mass of a link");
    args_positive(&a, "--length", &set->length, 5, "m", "length of a link");
    args_real(&a, "--ratio", &set->ratio, 0.1, 1e5, "", "mass of the load over that of a link");
    args_int(&a, "--steps", &steps, 50, 400, "steps in a quarter of the period");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    set->sway = 1e-3 * set->links * set->length;
    solve_mode(set);
    set->run.t_end = 2 * atan(1) / set->rate;
    set->run.h = set->run.t_end / steps;
    set->run.scheme.solver.tol = 1e-12;
    set->run.scheme.proj_tol = 1e-12;
}

static pcs_status build_at(const settings *set, bool at_rest, pcs_scene **out)
{
    const double y[3] = {0, 1, 0}, edge = 2 * set->length;
    double at[3] = {0};
    pcs_system above = {0}, link;
    PCS_TRY(run_scene(&set->run, "A chain of links with a heavy load.", out));
    pcs_model *model = (*out)->model;
    for (int i = 0; i < set->links; ++i) {
        const double angle = at_rest ? 0 : set->mode[i];
        bar rod = {.mass = set->mass, .width = 0.2 * set->length};
        memcpy(rod.a, at, sizeof at);
        at[0] += set->length * sin(angle);
        at[2] -= set->length * cos(angle);
        memcpy(rod.b, at, sizeof at);
        PCS_TRY(mechanism_bar(model, &rod, &link));
        PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, link, above, rod.a, y, NULL));
        above = link;
    }
    pcs_body_def def =
        pcs_body_def_of_inertia(pcs_inertia_sphere(set->ratio * set->mass, 0.5 * edge));
    memcpy(def.position, at, sizeof at);
    const pcs_shape ball = pcs_shape_sphere(0.5 * edge);
    PCS_TRY(pcs_model_add_body(model, &def, &link));
    PCS_TRY(pcs_model_add_shape(model, link, &ball, (pcs_material){0}));
    return mechanism_joint(model, PCS_JOINT_BALL, link, above, at, y, NULL);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    return build_at(user, false, out);
}

// ---- at rest -------------------------------------------------------------------------------------

// the worst force of a hinge after one step, relative to what hangs below it
static pcs_status weigh(const settings *set, simulation *s, double *worst)
{
    PCS_TRY(build_at(set, true, &s->scene));
    PCS_TRY(simulation_start(s, 1));
    PCS_TRY(pcs_step(s->scene->model, s->state, s->work, set->run.h, NULL));
    *worst = 0;
    for (int i = 0; i < set->links; ++i) {
        pcs_joint_state hinge;
        PCS_TRY(
            pcs_state_joint(s->scene->model, s->state, s->work, (pcs_interaction){i + 1}, &hinge));
        const double *F = hinge.force1, *M = hinge.moment1;
        const double weight = (set->ratio + set->links - i) * set->mass * set->run.gravity;
        const double force = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
        const double moment = sqrt(M[0] * M[0] + M[1] * M[1] + M[2] * M[2]);
        *worst = fmax(*worst, (fabs(force - weight) + moment / set->length) / weight);
    }
    return PCS_OK;
}

// ---- small oscillations --------------------------------------------------------------------------

typedef struct result {
    const settings *set;
    csv *out;
    run_tally tally;
    double error; // m, of the load, largest of all steps
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    pcs_joint_state first;
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    PCS_TRY(pcs_state_joint(model, state, report ? work : NULL, (pcs_interaction){1}, &first));
    const double x = pcs_state_read_q(model, state, (pcs_system){r->set->links + 1})[0];
    r->error = fmax(r->error, fabs(x - r->set->sway * cos(r->set->rate * state->t)));
    const double *F = first.force1;
    CSV_ROW(r->out, state->t, x, sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]));
    return 0;
}

static pcs_status sway(const settings *set, result *r, simulation *s)
{
    PCS_TRY(build(set, &s->scene));
    return simulation_run(s, 1, watch, r);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    result r = {.set = set, .out = out};
    simulation s = {0};
    double worst = NAN;
    pcs_status status = weigh(set, &s, &worst);
    simulation_close(&s);
    if (status == PCS_OK) status = sway(set, &r, &s);
    simulation_close(&s);
    if (status != PCS_OK) return status;
    const double l = set->links * set->length, full = 8 * atan(1);
    printf("%d links, load %g kg: period %.5f s (a point at their end: %.5f s), %ld steps\n",
           set->links, set->ratio * set->mass, full / set->rate, full * sqrt(l / set->run.gravity),
           r.tally.steps);
    *c = checks_begin();
    const double step = set->rate * set->run.h, weight = set->mass * set->run.gravity;
    const double energy = (set->ratio + set->links) * weight * l;
    check_value(c, "forces of the hinges at rest", worst, 0, 1e-9);
    check_value(c, "place of the load (part of its sway)", r.error / set->sway, 0,
                0.3 * step * step + 1e-6);
    check_value(c, "joints (m)", r.tally.open, 0, 1e-11 * l);
    check_value(c, "energy (J)", r.tally.drift, 0, step * step * 1e-6 * energy);
    check_value(c, "energy ledger of every step (J)", r.tally.closure, 0, 1e-12 * energy);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
