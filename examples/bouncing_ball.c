// A ball falls on a plane and bounces: from the model, through a run that is watched step by step,
// to a table of checks. Read it from top to bottom; doc/tutorial.md goes with it.
//
// checks/bounces.c derives the motion in theory and the allowed errors of a scheme.
#include "checks/bounces.h"
#include "example.h"
#include "flags/bouncing_ball_flags.h"
#include "scenes/mechanism.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

// ---- the model

// a Newton-Euler body with the shape of a sphere, over a half-space that cannot move
static pcs_status add_ball(pcs_model *model, const settings *s)
{
    pcs_body_def ball = pcs_body_def_of_inertia(pcs_inertia_sphere(s->mass, s->radius));
    ball.position[2] = s->z0;
    memcpy(ball.velocity, s->v0, sizeof ball.velocity);
    memcpy(ball.omega, s->omega0, sizeof ball.omega);
    for (int i = 0; s->inertia > 0 && i < 3; ++i) {
        ball.inertia[4 * i] = s->inertia;
    }
    pcs_system body;
    PCS_TRY(pcs_model_add_body(model, &ball, &body));

    pcs_material rubber;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.e = s->e}, &rubber));
    const pcs_shape sphere = pcs_shape_sphere(s->radius);
    const pcs_shape plane = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, body, &sphere, rubber));
    return pcs_model_add_shape(model, (pcs_system){0}, &plane, rubber);
}

// the same as a system with the one coordinate z: m z'' = -m g, gap z - R
static pcs_status add_coordinate(pcs_scene *scene, const settings *s)
{
    pcs_model *model = scene->model;
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    const double load = -s->mass * s->run.gravity;
    def.n = 1;
    def.q0 = &s->z0;
    def.v0 = &s->v0[2];
    def.mass = &s->mass;
    def.load = &load;
    pcs_system ball;
    PCS_TRY(pcs_model_add_lagrangian(model, &def, &ball));

    const pcs_interaction_def floor = {.relation =
                                           pcs_relation_linear(1, (const double[]){1}, -s->radius),
                                       .law = pcs_law_newton_impact(s->e),
                                       .system1 = ball};
    PCS_TRY(pcs_model_add_interaction(model, &floor, NULL));

    // what pictures show
    static const double one = 1;
    const pcs_move up = {.slides = true, .axis = {0, 0, 1}, .by = &one};
    const pcs_linkage place = {.n = 1, .orientation = {1}, .moves = 1, .move = &up};
    pcs_system body;
    PCS_TRY(mechanism_carried(scene, ball, &place, &body));
    PCS_TRY(mechanism_shape(model, (pcs_system){0},
                            pcs_shape_half_space((const double[]){0, 0, 1}, 0)));
    return mechanism_shape(model, body, pcs_shape_sphere(s->radius));
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *s = user;
    // gravity, scheme, step and end
    PCS_TRY(run_scene(&s->run,
                      s->formulation == LAGRANGIAN
                          ? "A height falls, bounces at a stop: a ball with one coordinate."
                          : "A ball falls on a plane and bounces.",
                      out));
    pcs_model *model = (*out)->model;
    return s->formulation == LAGRANGIAN ? add_coordinate(*out, s) : add_ball(model, s);
}

// ---- a run, watched step by step

#define HEADER "t,x,y,z,q0,q1,q2,q3,vx,vy,vz,wx,wy,wz,impulse,gap,kinetic,potential"

// data of the observer
typedef struct watch {
    const settings *s;
    csv *out;     // a row per step
    history *run; // data for the checks
    int bounces;  // stop when bounce number this has happened
} watch;

// called by pcs_run before the first step, then without a report, and after each
static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    const watch *w = user;
    sample now = {.t = state->t, .q = {[3] = 1}};

    // seven coordinates and six velocities, in both formulations
    if (w->s->formulation == LAGRANGIAN) {
        now.q[2] = state->q[0];
        now.v[2] = state->v[0];
    } else {
        memcpy(now.q, state->q, sizeof now.q);
        memcpy(now.v, state->v, sizeof now.v);
    }

    // the impulse of the floor; at the start there was no step yet
    const pcs_contact *contact;
    int n = 0;
    if (report && pcs_work_contacts(work, &n, &contact) != PCS_OK) return 1;
    for (int i = 0; i < n; ++i) {
        now.impulse += contact[i].r[0];
    }
    now.gap = now.q[2] - w->s->radius;
    if (pcs_state_kinetic_energy(model, state, &now.kinetic) != PCS_OK) return 1;
    if (pcs_state_potential_energy(model, state, &now.potential) != PCS_OK) return 1;

    csv_real(w->out, now.t);
    csv_reals(w->out, now.q, 7);
    csv_reals(w->out, now.v, 6);
    csv_reals(w->out, (double[]){now.impulse, now.gap, now.kinetic, now.potential}, 4);
    csv_end(w->out);

    history_add(w->run, &now, report);
    return w->run->bounces > w->bounces; // anything but 0 stops the run
}

// steps of h until t_end, or until bounce number `bounces` has happened
static pcs_status simulate(const settings *s, double h, int bounces, csv *out, history *run,
                           pcs_run_report *report)
{
    pcs_scene *scene = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    *run = (history){.top = -INFINITY};
    watch w = {.s = s, .out = out, .run = run, .bounces = bounces};
    pcs_status status = build(s, &scene);
    if (status == PCS_OK) status = pcs_state_create(scene->model, &state);
    if (status == PCS_OK) status = pcs_work_create(scene->model, &work);
    if (status == PCS_OK) {
        status = pcs_run(scene->model, state, work, h, s->run.t_end, observe, &w, report);
    }
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_scene_destroy(scene);
    return status;
}

// ---- the program

static pcs_status compare(const void *user, csv *out, checks *c)
{
    const settings *s = user;
    // the run itself, row by row into the table
    history run;
    pcs_run_report report;
    PCS_TRY(
        simulate(s, s->run.h, s->bounces > 0 ? s->bounces - 1 : INT_MAX - 1, out, &run, &report));
    printf("bouncing_ball: %ld steps of %g s, %s\n", report.steps, s->run.h,
           s->formulation == LAGRANGIAN ? "one coordinate" : "a Newton-Euler body");

    // beside theory
    *c = checks_begin();
    check_bounces(c, s, &run);
    check_balances(c, s, &run, (double)report.steps * s->run.h);
    if (s->study > 0) PCS_TRY(check_orders(c, s, simulate));
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings s;
    read_flags(&s, argc, argv);
    return example_run_scene(build, compare, &s, &s.run, HEADER);
}
