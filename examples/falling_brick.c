// A brick rotates through the air, falls on its vertices, bounces, slides and comes to rest on a
// face (theory 12).
//
// The brick is a body with the shape of a box over a half-space: that gives one contact per vertex
// near the ground. Its flight is compared with a parabola and with Euler's equations by
// Dormand-Prince (checks/free_box), its first impact and every step with the balances of momentum
// and energy and the laws of the contacts (checks/brick_contacts), its end with the state of a
// brick at rest.
#include "checks/brick_contacts.h"
#include "example.h"
#include "flags/falling_brick_flags.h"
#include "scenes/simulation.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double norm3(const double a[3])
{
    return hypot(hypot(a[0], a[1]), a[2]);
}

// a bound on the speed of all points, m/s
static double fastest(const free_box *box, const double v[6])
{
    return norm3(v) + 0.5 * norm3(box->size) * norm3(v + 3);
}

#define TOUCH 1e-9 // m, gap of a vertex on the ground where the reference ends

// ---- the model: a box over the ground -----------------------------------------------------------

static pcs_status build(const settings *set, const double q[7], const double v[6], pcs_scene **out)
{
    const double *size = set->size;
    const pcs_shape box = pcs_shape_box(size[0], size[1], size[2]);
    const pcs_shape ground = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    const pcs_material_def def = {.e = set->e, .mu = set->mu};
    pcs_body_def body = pcs_body_def_default();
    pcs_material material;
    pcs_system brick;
    body.mass = set->mass;
    memcpy(body.position, q, sizeof body.position);
    memcpy(body.orientation, q + 3, sizeof body.orientation);
    memcpy(body.velocity, v, sizeof body.velocity);
    memcpy(body.omega, v + 3, sizeof body.omega);
    PCS_TRY(run_scene(&set->run, "A brick tumbles, falls on its vertices and bounces.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(pcs_model_add_material(model, &def, &material));
    PCS_TRY(pcs_model_add_body(model, &body, &brick)); // its inertia is that of its shape
    PCS_TRY(pcs_model_add_shape(model, brick, &box, material));
    return pcs_model_add_shape(model, (pcs_system){0}, &ground, material);
}

// ---- one run ------------------------------------------------------------------------------------

#define HEADER \
    "t,x,y,z,q0,q1,q2,q3,vx,vy,vz,wx,wy,wz,z1,z2,z3,z4,z5,z6,z7,z8,impulse,kinetic,potential"

typedef struct result {
    double q0[7], v0[6], q[7], v[6]; // at the start, at the end
    free_flight touch;               // by the reference
    double first;                    // start of the first step with an impulse, s
    double rests;                    // since when it rests, s
    double deepest;                  // of a vertex below the ground, m
    double speed;                    // of the fastest point, m/s
    double booked, closure;          // sum of the ledgers; worst of one of them, J
    double gained;                   // by contacts, over the steps in which they gave energy, J
    double support;                  // of the last step, N
    ground_faults faults;
    int hits;   // steps with an impulse after a step without
    long loose; // steps that did not converge
} result;

// data that the observer collects
typedef struct follower {
    const settings *set;
    double q[7], v[6]; // at the start of the step
    bool was_hit;
    csv *out;
    result *r;
} follower;

static void write_row(const settings *set, const pcs_state *state, double impulse, csv *out)
{
    const double *q = state->q, *v = state->v;
    csv_real(out, state->t);
    csv_reals(out, q, 7);
    csv_reals(out, v, 6);
    for (int i = 0; i < 8; ++i) {
        double P[3];
        free_box_vertex(&set->box, q, i, P);
        csv_real(out, P[2]);
    }
    const double K = free_box_kinetic(&set->box, v);
    csv_reals(out, (const double[]){impulse, K, set->mass * set->run.gravity * q[2]}, 3);
    csv_end(out);
}

static void watch(follower *f, const pcs_state *state, const pcs_energy *e, const ground_push *push)
{
    const settings *set = f->set;
    const double *q = state->q, *v = state->v, h = set->run.h, t = state->t;
    result *r = f->r;
    const double contacts = e->normal + e->tangential;
    r->booked += contacts + e->gyroscopic + e->newton + e->integrator + e->projection;
    r->closure = fmax(r->closure, fabs(e->closure));
    r->gained += fmax(contacts, 0);
    r->speed = fmax(r->speed, fastest(&set->box, v));
    r->deepest = fmax(r->deepest, -free_box_lowest(&set->box, q));

    if (push->contacts > 0 && isnan(r->first)) r->first = t - h;
    r->hits += push->contacts > 0 && !f->was_hit;
    f->was_hit = push->contacts > 0;
    if (!(fastest(&set->box, v) <= set->rest)) r->rests = t;
    r->support = push->p[2] / h;
}

static int observe(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    follower *f = user;
    const settings *set = f->set;
    ground_push push = {0};
    if (report) {
        PCS_TRY(ground_look(model, work, &set->box, set->run.h, f->q, f->v, state->v, &f->r->faults,
                            &push));
        watch(f, state, &report->energy, &push);
        f->r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    }
    write_row(set, state, push.normal, f->out);
    memcpy(f->q, state->q, sizeof f->q);
    memcpy(f->v, state->v, sizeof f->v);
    return 0;
}

static pcs_status tumble(const settings *set, int seed, csv *out, result *r)
{
    follower f = {.set = set, .out = out, .r = r};
    *r = (result){.first = NAN};
    start_of(set, seed, r->q0, r->v0);
    PCS_TRY(free_box_fly(&set->box, set->rtol, r->q0, r->v0, set->run.t_end, &r->touch));
    simulation s = {0};
    pcs_status status = build(set, r->q0, r->v0, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, set->run.threads, observe, &f);
    memcpy(r->q, f.q, sizeof r->q);
    memcpy(r->v, f.v, sizeof r->v);
    simulation_close(&s);
    return status;
}

// ---- the first impact, at frozen configuration --------------------------------------------------

static int touching(const free_box *box, const double q[7])
{
    int n = 0;
    for (int i = 0; i < 8; ++i) {
        double P[3];
        free_box_vertex(box, q, i, P);
        n += P[2] <= TOUCH;
    }
    return n;
}

static pcs_status check_impact(const settings *set, const result *r, checks *c)
{
    if (r->touch.vertex < 0) {
        check_skip(c, "impact", "it does not reach the ground");
        return PCS_OK;
    }
    const double *q = r->touch.q, *v = r->touch.v;
    const double slack = 1e-9 * fastest(&set->box, v);
    ground_faults faults = {0};
    ground_push push = {0};
    double after[6];
    pcs_report report = {0};
    simulation s = {0};
    pcs_status status = build(set, q, v, &s.scene);
    if (status == PCS_OK) status = simulation_start(&s, set->run.threads);
    if (status == PCS_OK) status = pcs_impact(s.scene->model, s.state, s.work, TOUCH, &report);
    if (status == PCS_OK) {
        memcpy(after, s.state->v, sizeof after);
        status = ground_look(s.scene->model, s.work, &set->box, 0, q, v, after, &faults, &push);
    }
    simulation_close(&s);
    if (status != PCS_OK) return status;

    const double before = free_box_kinetic(&set->box, v);
    const double loss = before - free_box_kinetic(&set->box, after);
    check_that(c, "impact", report.outcome == PCS_OUTCOME_CONVERGED,
               pcs_outcome_text(report.outcome));
    check_value(c, "impact: vertices", push.contacts, touching(&set->box, q), 0);
    check_value(c, "impact: m dv - p (m/s)", faults.momentum, 0, slack);
    check_value(c, "impact: J dw - GP x p (m/s)", faults.spin, 0, slack);
    check_value(c, "impact: u_N' + e u_N (m/s)", faults.restitution, 0, slack);
    check_value(c, "impact: out of the cone", faults.cone, 0, 1e-9);
    check_value(c, "impact: gain along N (J)", faults.normal, 0, 1e-9 * before);
    check_value(c, "impact: gain of sliding (J)", faults.tangential, 0, 1e-9 * before);
    // friction at a vertex may give energy (D-7), though hardly ever does
    check_that(c, "impact: energy", loss >= -1e-3 * before,
               loss >= 0 ? "is lost" : "is gained by friction (D-7)");
    return PCS_OK;
}

// ---- the flight, over step sizes ----------------------------------------------------------------

// n steps to the time of the reference; how far place, orientation (rad) and spin are from it
static pcs_status fly_in_steps(const settings *set, const result *r, const free_flight *to, int n,
                               double error[3])
{
    simulation s = {0};
    pcs_status status = build(set, r->q0, r->v0, &s.scene);
    if (status == PCS_OK) {
        s.scene->settings.h = to->t / n;
        s.scene->settings.t_end = to->t;
        status = simulation_run(&s, set->run.threads, NULL, NULL);
    }
    if (status == PCS_OK) {
        const double *q = s.state->q, *v = s.state->v;
        double back[4], off[4], turn[3], dx[3], dw[3];
        pcs_quat_conj(to->q + 3, back);
        pcs_quat_mul(back, q + 3, off);
        pcs_quat_log(off, turn);
        for (int k = 0; k < 3; ++k) {
            dx[k] = q[k] - to->q[k];
            dw[k] = v[3 + k] - to->v[3 + k];
        }
        error[0] = norm3(dx);
        error[1] = norm3(turn);
        error[2] = norm3(dw);
    }
    simulation_close(&s);
    return status;
}

static void check_reference(const settings *set, const result *r, const free_flight *to, checks *c)
{
    double L0[3], L1[3], off[3];
    free_box_spin(&set->box, r->q0, r->v0, L0);
    free_box_spin(&set->box, to->q, to->v, L1);
    double far = 0;
    for (int k = 0; k < 3; ++k) {
        const double fall = k == 2 ? 0.5 * set->run.gravity * to->t * to->t : 0;
        off[k] = to->q[k] - (r->q0[k] + r->v0[k] * to->t - fall);
        far = fmax(far, fabs(L1[k] - L0[k]));
    }
    const double tol = 1e3 * set->rtol;
    check_value(c, "reference: off the parabola (m)", norm3(off), 0, tol * set->height);
    check_value(c, "reference: R J omega (relative)", norm3(L0) > 0 ? far / norm3(L0) : far, 0,
                tol);
    check_value(c, "reference: energy (J)", free_box_energy(&set->box, to->q, to->v),
                free_box_energy(&set->box, r->q0, r->v0),
                tol * free_box_energy(&set->box, r->q0, r->v0));
}

static pcs_status check_flight(const settings *set, const result *r, checks *c)
{
    // steps above the ground: none of them may have a contact
    free_flight to;
    PCS_TRY(free_box_fly(&set->box, set->rtol, r->q0, r->v0, 0.9 * r->touch.t, &to));
    check_reference(set, r, &to, c);

    const int n = set->study + 1, first = (int)fmax(8, ceil(0.25 * to.t / set->run.h));
    double h[MOST_LEVELS], y[3][MOST_LEVELS];
    printf("\nflight of %.9g s, seed %d\n%12s %12s %12s %12s\n", to.t, set->seed, "h", "place (m)",
           "rotated (rad)", "omega");
    for (int k = 0; k < n; ++k) {
        double error[3] = {NAN, NAN, NAN};
        PCS_TRY(fly_in_steps(set, r, &to, first << k, error));
        h[k] = to.t / (first << k);
        for (int i = 0; i < 3; ++i) {
            y[i][k] = error[i];
        }
        printf("%12.6g %12.3e %12.3e %12.3e\n", h[k], error[0], error[1], error[2]);
    }
    printf("\n");
    const bool exact = set->run.scheme.theta == 0.5;
    const double least = exact ? 1.9 : 0.9;
    if (exact) {
        check_value(c, "flight: off the parabola (m)", y[0][n - 1], 0, 1e-10 * set->height);
    } else {
        check_order(c, "flight: order of the place", study_slope(n, h, y[0]), least);
    }
    if (y[2][0] > 1e-10) {
        check_order(c, "flight: order of omega", study_slope(n, h, y[2]), least);
        check_order(c, "flight: order of Q", study_slope(n, h, y[1]), least);
    } else {
        check_skip(c, "flight: orders of the rotation", "omega stays");
    }
    return PCS_OK;
}

// ---- all of a run -------------------------------------------------------------------------------

static void check_steps(const settings *set, const result *r, checks *c)
{
    const free_box *box = &set->box;
    const double E0 = free_box_energy(box, r->q0, r->v0), slack = 1e-9 * r->speed;
    const double h = set->run.h;
    check_value(c, "steps not converged", (double)r->loose, 0, 0);
    // within two steps: that in which the gap closes, and that of the activation
    if (r->touch.vertex >= 0) {
        check_value(c, "first contact (s)", r->first, r->touch.t, 2 * h);
    }
    const ground_faults *f = &r->faults;
    check_value(c, "momentum (m/s)", f->momentum, 0, slack);
    check_value(c, "spin (m/s)", f->spin, 0, slack);
    check_value(c, "restitution (m/s)", f->restitution, 0, slack);
    check_value(c, "cone of friction", f->cone, 0, 1e-6);
    const double solved = fmax(1e-10, 10 * set->run.scheme.solver.tol) * E0;
    check_value(c, "gain along N (J)", f->normal, 0, solved);
    check_value(c, "gain of sliding (J)", f->tangential, 0, solved);
    check_value(c, "ledger, one step (J)", r->closure, 0, 1e-12 * E0);
    check_value(c, "ledger, the run (J)", free_box_energy(box, r->q, r->v), E0 + r->booked,
                1e-11 * E0);
    if (set->e <= 0.5) {
        check_value(c, "gain by contacts (J, D-7)", r->gained, 0, 1e-3 * E0);
    } else if (!c->quiet) {
        check_skip(c, "gain by contacts (D-7)", "Newton's e at several points may give energy");
    }
    // a gap that is still open by rounding may be passed by a step
    check_value(c, "deepest vertex (m)", r->deepest, 0, h * r->speed);
}

// When a run that rests must have come to rest, s: bounces lose a factor e of the speed each,
// sliding loses mu g t of it; infinite where the brick does not touch the ground.
static double rests_by(const settings *set, const result *r)
{
    if (r->touch.vertex < 0) return INFINITY;
    const double time = fastest(&set->box, r->touch.v) / set->run.gravity;
    return r->touch.t + time / (1 - set->e) + time / set->mu;
}

static void check_rest(const settings *set, const result *r, checks *c)
{
    const free_box *box = &set->box;
    double R[9];
    pcs_quat_to_matrix(r->q + 3, R);
    // the axis nearest to the vertical: column k of R, row z
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(R[3 * i + 2]) > fabs(R[3 * k + 2])) k = i;
    }
    const double lean = asin(fmin(1, hypot(R[3 * k], R[3 * k + 1])));
    const double half = 0.5 * box->size[k], weight = box->mass * box->gravity;
    // the remaining gap does not depend on the step only where active contacts end a step on g = 0
    const bool closed = set->run.scheme.projection == PCS_PROJECTION_COMBINED_EQUALITY;
    const double fall = 4 * set->run.gravity * set->run.h * set->run.h;
    const double tol = closed ? fmax(1e-10 * half, 4 * set->run.scheme.proj_tol) : fall;
    const double K = 0.5 * box->mass * set->rest * set->rest;
    check_value(c, "speed (m/s)", fastest(box, r->v), 0, set->rest);
    check_value(c, "an axis is vertical (rad)", lean, 0, 4 * tol / norm3(box->size));
    check_value(c, "height of the centre (m)", r->q[2], half, tol);
    check_value(c, "energy (J)", free_box_energy(box, r->q, r->v), weight * half, weight * tol + K);
    if (closed) check_value(c, "support (N)", r->support, weight, 1e-6 * weight);
}

static void print_run(const settings *set, int seed, const result *r)
{
    const double E0 = free_box_energy(&set->box, r->q0, r->v0);
    printf("%5d %11.8f %9s %6d %10.2e %10.2e %9.4f %12.9f %10.2e\n", seed, r->touch.t,
           cell_of("%.4f", r->first).text, r->hits, r->deepest, r->gained / E0, r->rests, r->q[2],
           fastest(&set->box, r->v));
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    csv none = {0};
    printf("%5s %11s %9s %6s %10s %10s %9s %12s %10s\n", "seed", "touch (s)", "in steps", "hits",
           "deepest", "gain / E0", "rests (s)", "height (m)", "speed");
    static result all[MOST_RUNS];
    for (int i = 0; i < set->runs; ++i) {
        PCS_TRY(tumble(set, set->seed + i, i == 0 ? out : &none, &all[i]));
        print_run(set, set->seed + i, &all[i]);
    }

    *c = checks_begin();
    PCS_TRY(check_flight(set, &all[0], c));
    PCS_TRY(check_impact(set, &all[0], c));
    for (int i = 0; i < set->runs; ++i) {
        char context[24];
        snprintf(context, sizeof context, "seed %d", set->seed + i);
        c->context = context;
        c->quiet = i > 0; // the first run in full, of the others what fails
        check_steps(set, &all[i], c);
        if (rests_by(set, &all[i]) <= set->run.t_end) {
            check_rest(set, &all[i], c);
        } else if (i == 0) {
            check_skip(c, "rest", "bounces and sliding may take longer than --tend");
        }
    }
    c->context = NULL;
    return PCS_OK;
}

static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    double q[7], v[6];
    start_of(set, set->seed, q, v);
    return build(set, q, v, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(first_scene, run, &set, &set.run, HEADER);
}
