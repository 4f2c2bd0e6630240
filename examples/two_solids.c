// Two solids collide: spheres, and boxes on a corner, an edge and a face.
//
// First at a frozen configuration (pcs_impact): the solids touch, velocities jump. Momentum and
// angular momentum are kept, one contact alone loses (1 - e^2) u^2 / 2W of energy, and the
// velocities after are those of a small LCP worked out by hand (support/hand.c).
//
// Then by time stepping: the same solids come in from a distance along a motion known in closed
// form, each spinning about a principal axis, and touch in the middle of some step of size h. The
// scheme sees the contact up to a step away from where it is: velocities and loss are those of the
// first part up to C h. Linear momentum is kept to rounding; an oblique impact changes the angular
// momentum by (1 - theta) h sum_b (v x p + omega x (GP x p)) up to O(h^2), because levers move
// within the step.
#include "args.h"
#include "checks.h"
#include "csv.h"
#include "hand.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/kernel.h>

#define WORDS "all|spheres|corner|edge|face|box-corner|box-edge|box-face|space"
#define HEADER                                                              \
    "t,x1,y1,z1,q01,q11,q21,q31,vx1,vy1,vz1,wx1,wy1,wz1,"                   \
    "x2,y2,z2,q02,q12,q22,q32,vx2,vy2,vz2,wx2,wy2,wz2,impulse,gap,kinetic," \
    "potential,px,py,pz,Lx,Ly,Lz,scene"

enum { ALL, SPHERES, CORNER, EDGE, FACE, BOX_CORNER, BOX_EDGE, BOX_FACE, SPACE, SCENES };
static const char *const scene_name[SCENES] = {"all",        "spheres",  "corner",   "edge", "face",
                                               "box-corner", "box-edge", "box-face", "space"};

typedef struct settings {
    double mass[2], radius[2], size[2][3]; // kg, m, edges in m
    double speed, sideways, spin[2];       // m/s, m/s, rad/s
    double e, h, theta, t_end, hit;
    int scene, projection, metric, study;
    const char *csv;
} settings;

// two solids as they touch
typedef struct scene {
    int kind;
    bool ground; // the second is a half-space
    hand_body body[2];
    pcs_shape shape[2];
    int n;
    hand_contact contact[HAND_MOST];
} scene;

// ---- where they touch: always at z = 0, body 1 above

static void add_contact(scene *s, const double P[3])
{
    hand_contact *c = &s->contact[s->n++];
    memcpy(c->P, P, sizeof c->P);
    memcpy(c->N, (const double[]){0, 0, 1}, sizeof c->N);
}

static void make_box(scene *s, const settings *set, int b, double roll, double pitch, double yaw)
{
    const double *a = set->size[b];
    hand_body *body = &s->body[b];
    *body = (hand_body){.mass = set->mass[b]};
    pcs_quat_from_zyx(roll, pitch, yaw, body->Q);
    for (int i = 0; i < 3; ++i) {
        const double y = a[(i + 1) % 3], z = a[(i + 2) % 3];
        body->inertia[i] = set->mass[b] / 12 * (y * y + z * z);
    }
    s->shape[b] = pcs_shape_box(a[0], a[1], a[2]);
}

// the vertices of a box that lie farthest down (side -1) or up (side 1), from its centre
static int outermost(const scene *s, int b, int side, double vertex[8][3])
{
    int n = 0;
    double best = -INFINITY;
    for (int k = 0; k < 8; ++k) {
        const double *half = s->shape[b].half;
        const double corner[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                                  k & 4 ? half[2] : -half[2]};
        double r[3];
        pcs_quat_rotate(s->body[b].Q, corner, r);
        const double out = side * r[2], same = 1e-9 * (half[0] + half[1] + half[2]);
        if (out > best + same) n = 0;
        if (out < best - same) continue;
        best = fmax(best, out);
        memcpy(vertex[n++], r, sizeof r);
    }
    return n;
}

// moves box b so that the mean of its outermost vertices is at `to`; writes where they are then
static int put_box(scene *s, int b, int side, const double to[3], double vertex[8][3])
{
    const int n = outermost(s, b, side, vertex);
    for (int i = 0; i < 3; ++i) {
        double mean = 0;
        for (int k = 0; k < n; ++k) {
            mean += vertex[k][i] / n;
        }
        s->body[b].x[i] = to[i] - mean;
        for (int k = 0; k < n; ++k) {
            vertex[k][i] += s->body[b].x[i];
        }
    }
    return n;
}

// two free boxes, an edge of one across an edge of the other
static void make_crossed_edges(scene *s, const settings *set)
{
    double vertex[8][3];
    const double origin[3] = {0, 0, 0}, aside[3] = {0.03 * set->size[0][0], 0, 0};
    make_box(s, set, 0, 0.6, 0, 0);
    make_box(s, set, 1, 0.7, 0, 1.3);
    put_box(s, 0, -1, aside, vertex);
    put_box(s, 1, 1, origin, vertex);
    add_contact(s, origin);
}

// a box on the ground, or on the upper face of another
static void make_box_on(scene *s, const settings *set, bool ground, double roll, double pitch)
{
    const double aside[3] = {ground ? 0 : 0.1 * set->size[1][0],
                             ground ? 0 : 0.05 * set->size[1][1], 0};
    double vertex[8][3];
    make_box(s, set, 0, roll, pitch, 0.3);
    const int n = put_box(s, 0, -1, aside, vertex);
    for (int k = 0; k < n && k < HAND_MOST; ++k) {
        vertex[k][2] = 0;
        add_contact(s, vertex[k]);
    }
    if (ground) {
        s->body[1] = (hand_body){.fixed = true, .Q = {1, 0, 0, 0}};
        s->shape[1] = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    } else {
        make_box(s, set, 1, 0, 0, -0.2);
        s->body[1].x[2] = -s->shape[1].half[2];
    }
}

static void make_spheres(scene *s, const settings *set)
{
    for (int b = 0; b < 2; ++b) {
        const double R = set->radius[b], J = 0.4 * set->mass[b] * R * R;
        s->body[b] = (hand_body){
            .mass = set->mass[b], .inertia = {J, J, J}, .x = {0, 0, b == 0 ? R : -R}, .Q = {1}};
        s->shape[b] = pcs_shape_sphere(R);
    }
    add_contact(s, (const double[]){0, 0, 0});
}

// Velocities: they approach along z and pass each other sideways. Spins are about oblique axes, or,
// for a motion in closed form, about a principal axis each, which for an edge is its direction and
// for a face its normal: so both ends, and all corners, arrive together.
static void set_velocities(scene *s, const settings *set, bool principal)
{
    static const double oblique[2][3] = {{1, 2, -1}, {-2, 1, 1}};
    const int first = s->kind == FACE || s->kind == BOX_FACE ? 2 : s->kind == SPACE ? 1 : 0;
    const int axis[2] = {first, s->kind == SPACE ? 1 : 2};
    for (int b = 0; b < 2; ++b) {
        hand_body *body = &s->body[b];
        const double share = b == 0 ? 1 : -0.5;
        if (body->fixed) continue;
        body->v[0] = share * set->sideways;
        body->v[1] = share * 0.3 * set->sideways;
        body->v[2] = -share * set->speed;
        for (int i = 0; i < 3; ++i) {
            body->omega[i] = set->spin[b] * oblique[b][i] / sqrt(6);
            if (principal && s->kind != SPHERES) body->omega[i] = i == axis[b] ? set->spin[b] : 0;
        }
    }
}

static scene make_scene(const settings *set, int kind, bool principal)
{
    scene s = {.kind = kind, .ground = kind == CORNER || kind == EDGE || kind == FACE};
    if (kind == SPHERES) make_spheres(&s, set);
    if (kind == CORNER || kind == BOX_CORNER) make_box_on(&s, set, s.ground, 0.6, 0.5);
    if (kind == EDGE || kind == BOX_EDGE) make_box_on(&s, set, s.ground, 0.6, 0);
    if (kind == FACE || kind == BOX_FACE) make_box_on(&s, set, s.ground, 0, 0);
    if (kind == SPACE) make_crossed_edges(&s, set);
    set_velocities(&s, set, principal);
    return s;
}

// whether the points of contact lie on the upper face of the second box
static bool fits(const scene *s)
{
    for (int i = 0; i < s->n && !s->ground && s->kind != SPACE && s->kind != SPHERES; ++i) {
        double arm[3], inverse[4], at[3];
        for (int k = 0; k < 3; ++k) {
            arm[k] = s->contact[i].P[k] - s->body[1].x[k];
        }
        pcs_quat_conj(s->body[1].Q, inverse);
        pcs_quat_rotate(inverse, arm, at);
        if (fabs(at[0]) > s->shape[1].half[0] || fabs(at[1]) > s->shape[1].half[1]) return false;
    }
    return true;
}

// ---- the same with percuss

typedef struct world {
    pcs_model *model;
    pcs_state *state;
    pcs_work *work;
    pcs_system system[2]; // {0} for the ground
} world;

static void close_world(world *w)
{
    pcs_work_destroy(w->work);
    pcs_state_destroy(w->state);
    pcs_model_destroy(w->model);
}

// a model of the scene as it was `before` seconds before the touch
static pcs_status open_world(const settings *set, const scene *s, double before, world *w)
{
    *w = (world){0};
    PCS_TRY(pcs_model_create(NULL, &w->model));
    PCS_TRY(pcs_model_set_gravity(w->model, (const double[]){0, 0, 0}));
    pcs_scheme scheme = pcs_scheme_default();
    scheme.theta = set->theta;
    scheme.projection = (pcs_projection)set->projection;
    scheme.metric = (pcs_metric)set->metric;
    scheme.solver.tol = 1e-14;
    PCS_TRY(pcs_model_set_scheme(w->model, &scheme));

    pcs_material material;
    PCS_TRY(pcs_model_add_material(w->model, &(pcs_material_def){.e = set->e}, &material));
    for (int b = 0; b < 2; ++b) {
        const hand_body *body = &s->body[b];
        if (!body->fixed) {
            pcs_body_def def = pcs_body_def_default();
            double q[7], v[6];
            memcpy(q, body->x, sizeof body->x);
            memcpy(q + 3, body->Q, sizeof body->Q);
            memcpy(v, body->v, sizeof body->v);
            memcpy(v + 3, body->omega, sizeof body->omega);
            pcs_body_advance(q, -before, v, PCS_UPDATE_EXP, q);
            def.mass = body->mass;
            memcpy(def.position, q, sizeof def.position);
            memcpy(def.orientation, q + 3, sizeof def.orientation);
            memcpy(def.velocity, v, sizeof def.velocity);
            memcpy(def.omega, v + 3, sizeof def.omega);
            for (int i = 0; i < 9; ++i) {
                def.inertia[i] = i % 4 == 0 ? body->inertia[i / 4] : 0;
            }
            PCS_TRY(pcs_model_add_body(w->model, &def, &w->system[b]));
        }
        PCS_TRY(pcs_model_add_shape(w->model, w->system[b], &s->shape[b], material));
    }
    PCS_TRY(pcs_state_create(w->model, &w->state));
    return pcs_work_create(w->model, &w->work);
}

// poses and velocities of both; the ground is at the origin, at rest
static void read_bodies(const world *w, double q[2][7], double v[2][6])
{
    for (int b = 0; b < 2; ++b) {
        const double *pose = pcs_state_q(w->model, w->state, w->system[b]);
        const double *velocity = pcs_state_v(w->model, w->state, w->system[b]);
        memset(q[b], 0, sizeof q[b]);
        memset(v[b], 0, sizeof v[b]);
        q[b][3] = 1;
        if (pose) memcpy(q[b], pose, sizeof q[b]);
        if (velocity) memcpy(v[b], velocity, sizeof v[b]);
    }
}

// What contacts gave to body b at pose q: the impulse p, and its moment about G, inertial frame.
static void read_wrench(const world *w, int b, const double q[7], double p[3], double moment[3])
{
    double wrench[6];
    pcs_contact_wrench(w->work, w->system[b], wrench);
    memcpy(p, wrench, 3 * sizeof *p);
    pcs_quat_rotate(q + 3, wrench + 3, moment);
}

// What the ground gave: the sums over the bodies of p and of x x p + GP x p. Between two bodies
// both vanish.
static void sum_wrenches(const world *w, double q[2][7], double P[3], double L[3])
{
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int b = 0; b < 2; ++b) {
        double p[3], moment[3], lever[3];
        read_wrench(w, b, q[b], p, moment);
        hand_cross(q[b], p, lever);
        for (int i = 0; i < 3; ++i) {
            P[i] += p[i];
            L[i] += lever[i] + moment[i];
        }
    }
}

static double largest(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(a[i] - (b ? b[i] : 0));
        if (d > worst || isnan(d)) worst = d;
    }
    return worst;
}

// the impulse on body 1 in the last step or impact
static double impulse_of(const world *w)
{
    double wrench[6];
    pcs_contact_wrench(w->work, w->system[0], wrench);
    return sqrt(hand_dot(wrench, wrench));
}

// ---- impact at frozen configuration

static pcs_status impact(checks *c, const settings *set, int kind)
{
    const scene s = make_scene(set, kind, false);
    const char *name = scene_name[kind];
    c->context = name;
    hand_result hand;
    check_that(c, "an LCP by hand", hand_impact(s.body, s.n, s.contact, set->e, &hand), "solved");

    world w;
    pcs_report report;
    double P0[3], L0[3], P1[3], L1[3], p[3], m[3], K0, K1, impulse = 0;
    double q[2][7], v0[2][6], v1[2][6];
    pcs_status status = open_world(set, &s, 0, &w);
    if (status == PCS_OK) {
        pcs_momentum(w.model, w.state, P0, L0);
        read_bodies(&w, q, v0);
        status = pcs_kinetic_energy(w.model, w.state, &K0);
    }
    if (status == PCS_OK) status = pcs_impact(w.model, w.state, w.work, 1e-9, &report);
    if (status == PCS_OK) {
        pcs_momentum(w.model, w.state, P1, L1);
        read_bodies(&w, q, v1);
        sum_wrenches(&w, q, p, m);
        impulse = impulse_of(&w);
        status = pcs_kinetic_energy(w.model, w.state, &K1);
    }
    const int contacts = status == PCS_OK ? pcs_contacts(w.work, NULL) : 0;
    close_world(&w);
    if (status != PCS_OK) return status;

    // what the bodies have gained is what the ground gave
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        P1[i] -= s.ground ? p[i] : 0;
        L1[i] -= s.ground ? m[i] : 0;
    }
    for (int i = 0; i < s.n; ++i) {
        sum += hand.p[i];
    }
    const double speed = largest(12, v0[0], NULL), mass = s.body[0].mass + s.body[1].mass;
    const double dv = largest(12, v1[0], hand.v[0]);
    const double dP = largest(3, P1, P0), dL = largest(3, L1, L0);
    printf("%-11s %8d %12.9f %12.9f %12.9f %12.9f %9.1e %9.1e %9.1e\n", name, contacts, impulse,
           sum, K0 - K1, hand.loss, dv, dP, dL);
    check_value(c, "outcome of pcs_impact", report.outcome, PCS_CONVERGED, 0);
    check_value(c, "velocities after", dv, 0, 1e-12 * speed);
    check_value(c, "impulse", impulse, sum, 1e-12 * mass * speed);
    check_value(c, "momentum", dP, 0, 1e-12 * mass * speed);
    check_value(c, "angular momentum", dL, 0, 1e-12 * mass * speed);
    check_value(c, "energy lost", K0 - K1, hand.loss, 1e-12 * K0);
    if (s.n == 1 && hand.u[0] < 0) {
        const double u = hand.u[0], W = hand.W[0][0];
        check_value(c, "(1 - e^2) u^2 / 2W", K0 - K1, (1 - set->e * set->e) * u * u / (2 * W),
                    1e-12 * K0);
    }
    return PCS_OK;
}

// ---- time stepping

// what is measured of the first step with an impulse, and over the whole run
typedef struct motion {
    const scene *s;
    const world *w;
    csv *out;
    double theta;
    bool once; // stop after the impact

    double q[2][7], v[2][6], P[3], L[3], kinetic; // at the end of the last step

    bool struck;
    double h, after[2][6], impulse, loss; // of the impact
    double jump[3], predicted[3];         // of the angular momentum
    double leak, closure;                 // worst of all steps: momentum, energy
} motion;

// the smallest gap between the two, in reach or not
static double gap_now(const scene *s, double q[2][7])
{
    pcs_feature f[PCS_FEATURES_MAX];
    double smallest = INFINITY;
    const int n = pcs_collide(&s->shape[0], q[0], &s->shape[1], q[1], 1e9, f);
    for (int i = 0; i < n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q[0], q[1], &gap);
        smallest = fmin(smallest, gap.g);
    }
    return smallest;
}

static void write_row(motion *m, double t, double impulse, double potential)
{
    if (!m->out->file) return;
    csv_real(m->out, t);
    for (int b = 0; b < 2; ++b) {
        csv_reals(m->out, m->q[b], 7);
        csv_reals(m->out, m->v[b], 6);
    }
    csv_reals(m->out, (double[]){impulse, gap_now(m->s, m->q), m->kinetic, potential}, 4);
    csv_reals(m->out, m->P, 3);
    csv_reals(m->out, m->L, 3);
    csv_text(m->out, scene_name[m->s->kind]);
    csv_end(m->out);
}

// the step of the impact: `before` is the motion as it was at its start, m as it is at its end
static void measure(motion *m, const motion *before, double h, double impulse)
{
    double P[3], L[3];
    double start[2][7];
    memcpy(start, before->q, sizeof start);
    sum_wrenches(m->w, start, P, L);
    m->struck = true;
    m->h = h;
    m->impulse = impulse;
    m->loss = before->kinetic - m->kinetic;
    memcpy(m->after, m->v, sizeof m->after);
    for (int i = 0; i < 3; ++i) {
        m->jump[i] = m->L[i] - before->L[i] - (m->s->ground ? L[i] : 0);
        m->predicted[i] = 0;
    }
    for (int b = 0; b < 2; ++b) {
        double p[3], moment[3], omega[3], moved[3], turned[3];
        read_wrench(m->w, b, start[b], p, moment);
        pcs_quat_rotate(start[b] + 3, before->v[b] + 3, omega);
        hand_cross(before->v[b], p, moved);
        hand_cross(omega, moment, turned);
        for (int i = 0; i < 3; ++i) {
            m->predicted[i] += (1 - m->theta) * h * (moved[i] + turned[i]);
        }
    }
}

static int observe(void *user, const pcs_model *model, const pcs_state *state, const pcs_work *work,
                   const pcs_step_report *report)
{
    motion *m = user;
    const motion before = *m;
    double potential;
    (void)work;
    read_bodies(m->w, m->q, m->v);
    pcs_momentum(model, state, m->P, m->L);
    if (pcs_kinetic_energy(model, state, &m->kinetic) != PCS_OK) return 1;
    if (pcs_potential_energy(model, state, &potential) != PCS_OK) return 1;

    double impulse = 0;
    if (report) {
        double P[3], L[3];
        sum_wrenches(m->w, m->q, P, L);
        impulse = impulse_of(m->w);
        for (int i = 0; i < 3; ++i) {
            const double gained = m->P[i] - before.P[i] - (m->s->ground ? P[i] : 0);
            m->leak = fmax(m->leak, fabs(gained));
        }
        m->closure = fmax(m->closure, fabs(report->energy.closure));
        if (impulse > 0 && !m->struck) measure(m, &before, m->h, impulse);
    }
    write_row(m, state->t, impulse, potential);
    return m->once && m->struck;
}

// steps of h from `before` seconds before the touch to t_end, or only to the impact
static pcs_status simulate(const settings *set, const scene *s, double h, double before, bool once,
                           csv *out, motion *m, pcs_run_report *report)
{
    world w;
    *m = (motion){.s = s, .w = &w, .out = out, .theta = set->theta, .once = once, .h = h};
    pcs_status status = open_world(set, s, before, &w);
    if (status == PCS_OK) {
        status = pcs_run(w.model, w.state, w.work, h, set->t_end, observe, m, report);
    }
    close_world(&w);
    m->w = NULL;
    return status;
}

enum { PHASES = 8, MOST_HALVINGS = 8 };

// the order at which an error goes to zero with h, over the levels where it is more than rounding;
// infinite where there are not even two of them
static double order_of(int n, const double *h, const double *error, double rounding)
{
    int above = 0;
    while (above < n && error[above] > rounding) {
        ++above;
    }
    return above < 2 ? INFINITY : study_slope(above, h, error);
}

static void print_order(double order)
{
    if (isinf(order)) {
        printf(" %6s", "exact");
    } else {
        printf(" %6.2f", order);
    }
}

static pcs_status step(checks *c, const settings *set, int kind, csv *out)
{
    const scene s = make_scene(set, kind, true);
    const char *name = scene_name[kind];
    c->context = name;
    hand_result hand;
    if (!hand_impact(s.body, s.n, s.contact, set->e, &hand)) return PCS_OK;
    if (!(largest(s.n, hand.p, NULL) > 0)) {
        check_skip(c, "time stepping", "the solids do not approach each other");
        return PCS_OK;
    }
    motion m;
    pcs_run_report report;
    PCS_TRY(simulate(set, &s, set->h, set->hit, false, out, &m, &report));
    check_value(c, "outcome of the run", report.outcome, PCS_CONVERGED, 0);
    if (!check_that(c, "an impact", m.struck, "seen")) return PCS_OK;

    // errors over halvings: of the velocities, and of the jump beyond its prediction. They depend
    // on when the touch comes within a step: take the root mean square over all such phases
    double h[MOST_HALVINGS + 1], dv[MOST_HALVINGS + 1], dL[MOST_HALVINGS + 1];
    const int levels = set->study + 1;
    for (int j = 0; j < levels; ++j) {
        h[j] = ldexp(set->h, -j);
        dv[j] = dL[j] = 0;
        for (int i = 0; i < PHASES; ++i) {
            motion one;
            csv none = {0};
            const double before = set->hit + (i + 0.5) / PHASES * h[j];
            PCS_TRY(simulate(set, &s, h[j], before, true, &none, &one, &report));
            const double v = largest(12, one.after[0], hand.v[0]);
            const double L = largest(3, one.jump, one.predicted);
            dv[j] += v * v / PHASES;
            dL[j] += L * L / PHASES;
        }
        dv[j] = sqrt(dv[j]);
        dL[j] = sqrt(dL[j]);
    }
    const double speed = largest(12, hand.v[0], NULL), mass = s.body[0].mass + s.body[1].mass;
    const double order_v = order_of(levels, h, dv, 1e-11 * speed);
    const double order_L = order_of(levels, h, dL, 5e-12 * mass * speed);

    printf("%-11s %9.6f %9.6f %9.1e", name, m.loss, hand.loss, dv[0]);
    print_order(order_v);
    printf(" %11.4e %11.4e %9.1e", sqrt(hand_dot(m.jump, m.jump)),
           sqrt(hand_dot(m.predicted, m.predicted)), dL[0]);
    print_order(order_L);
    printf(" %9.1e %9.1e\n", m.leak, m.closure);

    check_value(c, "momentum of every step", m.leak, 0, 1e-13 * mass * speed);
    check_value(c, "energy of every step", m.closure, 0, 1e-13 * mass * speed * speed);

    // 1 and 2, less what coarse steps hide: a motion may be fast for them
    if (levels < 3) return PCS_OK;
    check_order(c, "order of the velocities", order_v, 0.8);
    if (set->projection != PCS_PROJECT_NONE) return PCS_OK;
    check_order(c, "order of the angular momentum", order_L, 1.6);
    return PCS_OK;
}

// ---- the program

static int run(const settings *set, csv *out)
{
    const int first = set->scene == ALL ? SPHERES : set->scene;
    const int last = set->scene == ALL ? SPACE : set->scene;
    checks c = {.quiet = true};
    pcs_status status = PCS_OK;

    printf("\nImpact at frozen configuration, beside an LCP worked out by hand\n"
           "%-11s %8s %12s %12s %12s %12s %9s %9s %9s\n",
           "scene", "contacts", "impulse", "by hand", "energy lost", "by hand", "d veloc.",
           "d moment.", "d ang.m.");
    for (int k = first; k <= last && status == PCS_OK; ++k) {
        status = impact(&c, set, k);
    }
    printf("\nTime stepping, h = %g s, theta = %g; orders over %d halvings\n"
           "%-11s %9s %9s %9s %6s %11s %11s %9s %6s %9s %9s\n",
           set->h, set->theta, set->study, "scene", "lost", "by hand", "d veloc.", "order",
           "d ang.mom.", "predicted", "beyond", "order", "d moment.", "d energy");
    for (int k = first; k <= last && status == PCS_OK; ++k) {
        status = step(&c, set, k, out);
    }
    if (status != PCS_OK) return say_error("two_solids", status);
    if (set->projection != PCS_PROJECT_NONE) {
        c.context = NULL;
        check_skip(&c, "order of the angular momentum", "a projection moves the bodies as well");
    }
    return checks_end(&c);
}

int main(int argc, char **argv)
{
    settings s = {.mass = {2, 3},
                  .radius = {0.1, 0.15},
                  .size = {{0.3, 0.2, 0.1}, {0.8, 0.7, 0.2}},
                  .speed = 1,
                  .sideways = 0.5,
                  .spin = {1.5, -1},
                  .e = 0.6,
                  .h = 0.002,
                  .theta = 0.5,
                  .t_end = 0.2,
                  .hit = 0.0987, // not the end of a step: there rounding decides who touches
                  .study = 4};

    args a = {.about =
                  "Two solids collide: what is conserved and what is lost, at the impact and by "
                  "time stepping."};
    args_choice(&a, "--scene", &s.scene, WORDS, "which; corner, edge and face are on the ground");
    args_positive(&a, "--mass1", &s.mass[0], "kg", "mass of the upper solid");
    args_positive(&a, "--mass2", &s.mass[1], "kg", "mass of the lower one, if it is free");
    args_positive(&a, "--radius1", &s.radius[0], "m", "radius of the upper sphere");
    args_positive(&a, "--radius2", &s.radius[1], "m", "radius of the lower sphere");
    args_vector(&a, "--size1", s.size[0], "m", "edges of the upper box");
    args_vector(&a, "--size2", s.size[1], "m", "edges of the lower box");
    args_real(&a, "--speed", &s.speed, -INFINITY, INFINITY, "m/s",
              "at which the upper one comes down; a free lower one comes up half as fast");
    args_real(&a, "--sideways", &s.sideways, -INFINITY, INFINITY, "m/s", "speed to the side");
    args_real(&a, "--spin1", &s.spin[0], -INFINITY, INFINITY, "rad/s", "of the upper one");
    args_real(&a, "--spin2", &s.spin[1], -INFINITY, INFINITY, "rad/s", "of the lower one");
    args_real(&a, "--e", &s.e, 0, 1, "", "restitution");
    args_positive(&a, "--h", &s.h, "s", "time step");
    args_real(&a, "--theta", &s.theta, 0, 1, "", "of the scheme");
    args_positive(&a, "--hit", &s.hit, "s", "when they touch");
    args_positive(&a, "--tend", &s.t_end, "s", "end of the run");
    args_choice(&a, "--projection", &s.projection,
                "none|direct|direct-hysteresis|combined|combined-equality",
                "how overlaps are removed");
    args_choice(&a, "--metric", &s.metric, "mass|v|q|q1", "of the projection");
    args_int(&a, "--study", &s.study, 0, MOST_HALVINGS,
             "halvings of h to observe orders; they need two");
    args_string(&a, "--csv", &s.csv, "FILE",
                "write the initial state and every step of every scene: time, positions, "
                "quaternions, velocities, angular velocities (body axes), impulse of the step "
                "(N s), smallest gap, energies (J), momentum, angular momentum about the origin");
    if (!args_parse(&a, argc, argv)) return a.exit_code;

    for (int b = 0; b < 2; ++b) {
        if (s.size[b][0] > 0 && s.size[b][1] > 0 && s.size[b][2] > 0) continue;
        fprintf(stderr, "two_solids: --size%d needs three edges > 0, such as 0.3,0.2,0.1\n", b + 1);
        return 2;
    }
    for (int kind = SPHERES; kind < SCENES; ++kind) {
        const scene touch = make_scene(&s, kind, true);
        if ((s.scene != ALL && s.scene != kind) || fits(&touch)) continue;
        fprintf(stderr,
                "two_solids: in %s the upper box touches beyond the lower; enlarge --size2\n",
                scene_name[kind]);
        return 2;
    }
    if (s.t_end < s.hit + 2 * s.h || s.t_end / s.h > 1e8) {
        fprintf(stderr, "two_solids: --tend must lie two steps behind --hit, and at most 1e8 steps "
                        "from the start\n");
        return 2;
    }

    csv out;
    if (!csv_open(&out, s.csv, HEADER)) return 2;
    const int code = run(&s, &out);
    if (!csv_close(&out)) return 2;
    return code;
}
