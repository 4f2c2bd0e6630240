// Two solids collide: spheres, and boxes on a corner, an edge and a face.
//
// First at a frozen configuration (pcs_impact): the solids touch, velocities jump. Then by time
// stepping: the same solids come in from a distance along a motion known in closed form, each
// spinning about a principal axis, and touch in the middle of some step.
//
// scenes/two_solids_scene.c places them; checks/two_solids_checks.c computes conserved quantities
// and losses, with friction (--mu) in checks/rough_solids.c.
#include "checks/rough_solids.h"
#include "checks/two_solids_checks.h"
#include "example.h"
#include "flags/two_solids_flags.h"
#include "scenes/simulation.h"

#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

// ---- the model

typedef struct pair {
    simulation s;
    pcs_system system[2]; // {0} for the ground
} pair;

// a model of the scene as it was `before` seconds before the touch
static pcs_status build(const settings *set, const scene *s, double before, pcs_system system[2],
                        pcs_scene **out)
{
    pcs_material material;
    char words[64];
    snprintf(words, sizeof words, "Two solids collide: %s.", solids_name[s->kind]);
    PCS_TRY(run_scene(&set->run, words, out));
    pcs_model *model = (*out)->model;
    PCS_TRY(
        pcs_model_add_material(model, &(pcs_material_def){.e = set->e, .mu = set->mu}, &material));
    for (int b = 0; b < 2; ++b) {
        const solid body = solid_before(&s->body[b], before);
        if (!body.fixed) {
            pcs_body_def def = pcs_body_def_default();
            def.mass = body.mass;
            memcpy(def.position, body.x, sizeof body.x);
            memcpy(def.orientation, body.Q, sizeof body.Q);
            memcpy(def.velocity, body.v, sizeof body.v);
            memcpy(def.omega, body.omega, sizeof body.omega);
            for (int i = 0; i < 9; ++i) {
                def.inertia[i] = i % 4 == 0 ? body.inertia[i / 4] : 0;
            }
            PCS_TRY(pcs_model_add_body(model, &def, &system[b]));
        }
        PCS_TRY(pcs_model_add_shape(model, system[b], &s->shape[b], material));
    }
    return PCS_OK;
}

static pcs_status open_pair(const settings *set, const scene *s, double before, pair *w)
{
    *w = (pair){0};
    PCS_TRY(build(set, s, before, w->system, &w->s.scene));
    return simulation_start(&w->s, 1);
}

// the quantities read between steps
static pcs_status look(const pair *w, snapshot *now)
{
    *now = (snapshot){.t = w->s.state->t};
    PCS_TRY(pcs_work_contacts(w->s.work, &now->contacts, NULL));
    for (int b = 0; b < 2; ++b) {
        const double *q = pcs_state_q(w->s.scene->model, w->s.state, w->system[b]);
        const double *v = pcs_state_v(w->s.scene->model, w->s.state, w->system[b]);
        now->q[b][3] = 1;
        if (q) memcpy(now->q[b], q, sizeof now->q[b]);
        if (v) memcpy(now->v[b], v, sizeof now->v[b]);
        pcs_work_contact_wrench(w->s.work, w->system[b], now->wrench[b]);
    }
    PCS_TRY(pcs_state_momentum(w->s.scene->model, w->s.state, now->P, now->L));
    PCS_TRY(pcs_state_kinetic_energy(w->s.scene->model, w->s.state, &now->kinetic));
    return pcs_state_potential_energy(w->s.scene->model, w->s.state, &now->potential);
}

// ---- impact at frozen configuration

static pcs_status strike(const settings *set, const scene *s, snapshot *before, snapshot *after,
                         pcs_outcome *outcome)
{
    pair w;
    pcs_report report;
    pcs_status status = open_pair(set, s, 0, &w);
    if (status == PCS_OK) status = look(&w, before);
    if (status == PCS_OK) status = pcs_impact(w.s.scene->model, w.s.state, w.s.work, 1e-9, &report);
    if (status == PCS_OK) status = look(&w, after);
    *outcome = report.outcome;
    simulation_close(&w.s);
    return status;
}

static pcs_status impact(checks *c, const settings *set, int kind)
{
    const scene s = solids_make(&set->def, kind, false);
    snapshot before, after;
    pcs_outcome outcome;
    PCS_TRY(strike(set, &s, &before, &after, &outcome));
    if (set->mu > 0) {
        check_rough(c, set, &s, &before, &after, outcome);
    } else {
        check_impact(c, set, &s, &before, &after, outcome);
    }
    return PCS_OK;
}

// spheres on both sides of the border between sticking and sliding
static pcs_status border(checks *c, const settings *set)
{
    printf("\nA sphere without spin sticks iff |u_T| <= 7/2 mu (1 + e) |u_N|\n"
           "%-11s %17s %17s %12s\n",
           "on", "u_T", "border", "slides by");
    for (int k = 0; k < 4; ++k) {
        const double factor = k % 2 ? 1 + 1e-6 : 1 - 1e-6;
        const scene s = border_scene(set, k < 2, factor);
        snapshot before, after;
        pcs_outcome outcome;
        PCS_TRY(strike(set, &s, &before, &after, &outcome));
        check_border(c, set, &s, factor, &after);
    }
    return PCS_OK;
}

// ---- time stepping

#define HEADER                                                              \
    "t,x1,y1,z1,q01,q11,q21,q31,vx1,vy1,vz1,wx1,wy1,wz1,"                   \
    "x2,y2,z2,q02,q12,q22,q32,vx2,vy2,vz2,wx2,wy2,wz2,impulse,gap,kinetic," \
    "potential,px,py,pz,Lx,Ly,Lz,scene"

// data of the observer
typedef struct watch {
    const pair *w;
    csv *out;    // a row per step
    record *run; // data for the checks
    bool once;   // stop after the impact
} watch;

// called by pcs_run before the first step, then without a report, and after each
static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    const watch *see = user;
    snapshot now;
    (void)model; // these three are those of the world
    (void)state;
    (void)work;
    if (look(see->w, &now) != PCS_OK) return 1;

    csv_real(see->out, now.t);
    for (int b = 0; b < 2; ++b) {
        csv_reals(see->out, now.q[b], 7);
        csv_reals(see->out, now.v[b], 6);
    }
    const double gap = see->out->file ? solids_gap(see->run->s, now.q) : 0;
    csv_reals(see->out, (double[]){impulse_of(&now), gap, now.kinetic, now.potential}, 4);
    csv_reals(see->out, now.P, 3);
    csv_reals(see->out, now.L, 3);
    csv_text(see->out, solids_name[see->run->s->kind]);
    csv_end(see->out);

    record_add(see->run, &now, report);
    return see->once && see->run->struck; // anything but 0 stops the run
}

// steps of h from `before` seconds before the touch to t_end, or only to the impact
static pcs_status simulate(const settings *set, const scene *s, double h, double before, bool once,
                           csv *out, record *run, pcs_run_report *report)
{
    pair w;
    *run = (record){.s = s, .h = h, .theta = set->run.scheme.theta};
    watch see = {.w = &w, .out = out, .run = run, .once = once};
    pcs_status status = open_pair(set, s, before, &w);
    if (status == PCS_OK) {
        w.s.scene->settings.h = h;
        status = pcs_scene_run(w.s.scene, w.s.state, w.s.work, observe, &see, NULL, report);
    }
    simulation_close(&w.s);
    return status;
}

static pcs_status step(checks *c, const settings *set, int kind, csv *out)
{
    const scene s = solids_make(&set->def, kind, true);
    if (!worth_stepping(c, set, &s)) return PCS_OK;
    record run;
    pcs_run_report report;
    PCS_TRY(simulate(set, &s, set->run.h, set->hit, false, out, &run, &report));
    if (set->mu > 0) {
        check_rough_stepping(c, &s, &run, report.outcome);
        return PCS_OK;
    }
    return check_stepping(c, set, &s, &run, report.outcome, simulate);
}

// ---- the program

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const int first = set->scene == ALL ? SPHERES : set->scene;
    const int last = set->scene == ALL ? SPACE : set->scene;

    const bool rough = set->mu > 0;
    if (rough) {
        rough_head(set);
    } else {
        impact_head();
    }
    for (int k = first; k <= last; ++k) {
        PCS_TRY(impact(c, set, k));
    }
    if (rough) {
        PCS_TRY(border(c, set));
        printf("\nTime stepping, h = %g s, theta = %g\n%-11s %12s %9s %9s\n", set->run.h,
               set->run.scheme.theta, "scene", "lost", "d moment.", "d energy");
    } else {
        stepping_head(set);
    }
    for (int k = first; k <= last; ++k) {
        PCS_TRY(step(c, set, k, out));
    }
    if (set->run.scheme.projection != PCS_PROJECTION_NONE) {
        c->context = NULL;
        check_skip(c, "order of the angular momentum", "a projection moves the bodies as well");
    }
    return PCS_OK;
}

// the one that --scene names, or the spheres
static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const scene s = solids_make(&set->def, set->scene == ALL ? SPHERES : set->scene, true);
    pcs_system system[2] = {{0}, {0}};
    return build(set, &s, set->hit, system, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
