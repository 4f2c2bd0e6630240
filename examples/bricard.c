// Bricard's mechanism: six bars along the edges of a cube, five of which move, on six hinges at
// right angles to their bars; a benchmark of the IFToMM library of multibody systems.
//
// Six bodies on a ring of six hinges would not move in general: 30 rows hold 30 velocities. This
// ring moves, since one row depends on the others, in every place. With bars of equal length and
// hinges of neighbours at right angles every second hinge has turned by the same angle, and the
// angles a and b from the cube obey
//
//     sin a + sin b + sin a sin b = 0.
//
// With the energy this determines the motion. In the middle of a step the rows contradict each
// other by order h^2, which a step solves by least squares (doc/joints.md).
#include "args.h"
#include "checks/run_tally.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"
#include "scenes/simulation.h"

#include <percuss/certificate.h>

#include <math.h>
#include <stdio.h>

#define HEADER  "t,a,b,c,d,e,f"
#define COLUMNS "write every step: time, angles of the six hinges from the cube"

enum { BARS = 5, HINGES = 6, ROWS = 5 * HINGES };

typedef struct settings {
    run_settings run;
    double mass, length; // kg, m
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set =
        (settings){.run = {.gravity = 9.81, .scheme = pcs_scheme_default(), .h = 2e-3, .t_end = 1},
                   .mass = 1,
                   .length = 1};
    args a = {.about = "Bricard's mechanism: a ring of six bars that moves in spite of its count.",
              .table = COLUMNS};
    args_positive(&a, "--mass", &set->mass, 10, "kg", "mass of a bar");
    args_positive(&a, "--length", &set->length, 3, "m", "length of a bar");
    run_parse(&a, &set->run, 0, argc, argv);
    set->run.scheme.theta = 0.5;
    set->run.scheme.solver.tol = 1e-9;
    set->run.scheme.proj_tol = 1e-12;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    static const double corner[HINGES][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                             {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const double axis[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    const settings *set = user;
    const pcs_system world = {0};
    pcs_system one, before = world;
    PCS_TRY(run_scene(&set->run, "Bricard's mechanism: six bars on six hinges.", out));
    pcs_model *model = (*out)->model;
    for (int i = 0; i < HINGES; ++i) {
        bar rod = {.mass = set->mass, .width = 0.05 * set->length};
        for (int k = 0; k < 3; ++k) {
            rod.a[k] = set->length * corner[i][k];
            rod.b[k] = set->length * corner[(i + 1) % HINGES][k];
        }
        // the last bar is the world
        one = world;
        if (i < BARS) PCS_TRY(mechanism_bar(model, &rod, &one));
        PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, i < BARS ? one : before,
                                i < BARS ? before : world, rod.a, axis[i % 3], NULL));
        before = one;
    }
    return PCS_OK;
}

typedef struct result {
    csv *out;
    run_tally tally;
    double ring, equal; // largest of all steps: residual of the ring; rad, between hinges
    double most;        // rad, largest angle of the first hinge
    int rank;           // of the rows in the first step
} result;

// independent rows of the velocity problem, by its certificate
static pcs_status count_rank(pcs_work *work, int *rank)
{
    pcs_problem problem;
    pcs_contact_status status[ROWS];
    pcs_certificate found;
    double r[ROWS];
    int count;
    const pcs_contact *contact;
    PCS_TRY(pcs_work_problem(work, &problem));
    PCS_TRY(pcs_work_contacts(work, &count, &contact));
    for (int i = 0; i < ROWS && i < count; ++i) {
        r[i] = contact[i].r[0];
    }
    PCS_TRY(pcs_certificate_compute(NULL, &problem, 1e-9, r, status, NULL, &found));
    *rank = found.rank;
    return PCS_OK;
}

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    result *r = user;
    double angle[HINGES];
    PCS_TRY(run_tally_step(&r->tally, model, state, work, report));
    for (int i = 0; i < HINGES; ++i) {
        pcs_joint_state hinge;
        PCS_TRY(pcs_state_joint(model, state, NULL, (pcs_interaction){i + 1}, &hinge));
        angle[i] = hinge.position[0];
    }
    const double a = angle[0], b = angle[1];
    r->ring = fmax(r->ring, fabs(sin(a) + sin(b) + sin(a) * sin(b)));
    const double apart[] = {angle[2] - a, angle[4] - a, angle[3] - b, angle[5] + b};
    for (int i = 0; i < 4; ++i) {
        r->equal = fmax(r->equal, fabs(apart[i]));
    }
    r->most = fmax(r->most, fabs(a));
    if (report && r->rank == 0) PCS_TRY(count_rank(work, &r->rank));
    if (!r->out) return 0;
    csv_real(r->out, state->t);
    csv_reals(r->out, angle, HINGES);
    csv_end(r->out);
    return 0;
}

static pcs_status turn(const settings *set, double h, result *r)
{
    simulation s = {0};
    pcs_status status = build(set, &s.scene);
    if (status == PCS_OK) {
        s.scene->settings.h = h;
        status = simulation_run(&s, 1, watch, r);
    }
    simulation_close(&s);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    enum { RUNS = 3 };
    const settings *set = user;
    double h[RUNS], gain[RUNS];
    result r[RUNS] = {0};
    for (int k = 0; k < RUNS; ++k) {
        r[k].out = k == 0 ? out : NULL;
        h[k] = ldexp(set->run.h, -k);
        PCS_TRY(turn(set, h[k], &r[k]));
        gain[k] = r[k].tally.energy - r[k].tally.start;
        printf("%ld steps: angles up to %.4f rad, %d of %d rows are independent, energy %+.1e J\n",
               r[k].tally.steps, r[k].most, r[k].rank, ROWS, gain[k]);
    }
    *c = checks_begin();
    check_value(c, "joints (m)", r[0].tally.open, 0, 1e-11 * set->length);
    check_value(c, "equation of the ring", r[0].ring, 0, 1e-9);
    check_value(c, "equal hinges (rad)", r[0].equal, 0, 1e-9);
    check_value(c, "independent rows", r[0].rank, ROWS - 1, 0);
    check_order(c, "order of the energy", log2(fabs(gain[RUNS - 2] / gain[RUNS - 1])), 1.7);
    check_value(c, "energy (J)", gain[RUNS - 1], 0,
                1e-4 * BARS * set->mass * set->run.gravity * set->length);
    check_value(c, "energy ledger of every step (J)", r[0].tally.closure, 0,
                1e-12 * BARS * set->mass * set->run.gravity * set->length);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
