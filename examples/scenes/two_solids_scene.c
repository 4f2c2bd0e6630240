// The scenes of two_solids: contact points and velocities.
#include "scenes/two_solids_scene.h"

#include <math.h>
#include <string.h>

#include <percuss/kernel.h>

const char *const solids_name[SCENES] = {"all",        "spheres",  "corner",   "edge", "face",
                                         "box-corner", "box-edge", "box-face", "space"};

static void add_contact(scene *s, const double P[3])
{
    touch_point *c = &s->contact[s->n++];
    memcpy(c->P, P, sizeof c->P);
    memcpy(c->N, (const double[]){0, 0, 1}, sizeof c->N);
}

static void make_box(scene *s, const solids_def *set, int b, double roll, double pitch, double yaw)
{
    const double *a = set->size[b];
    solid *body = &s->body[b];
    *body = (solid){.mass = set->mass[b]};
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
static void make_crossed_edges(scene *s, const solids_def *set)
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
static void make_box_on(scene *s, const solids_def *set, bool ground, double roll, double pitch)
{
    const double aside[3] = {ground ? 0 : 0.1 * set->size[1][0],
                             ground ? 0 : 0.05 * set->size[1][1], 0};
    double vertex[8][3];
    make_box(s, set, 0, roll, pitch, 0.3);
    const int n = put_box(s, 0, -1, aside, vertex);
    for (int k = 0; k < n && k < MOST_TOUCHES; ++k) {
        vertex[k][2] = 0;
        add_contact(s, vertex[k]);
    }
    if (ground) {
        s->body[1] = (solid){.fixed = true, .Q = {1, 0, 0, 0}};
        s->shape[1] = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    } else {
        make_box(s, set, 1, 0, 0, -0.2);
        s->body[1].x[2] = -s->shape[1].half[2];
    }
}

static void make_spheres(scene *s, const solids_def *set)
{
    for (int b = 0; b < 2; ++b) {
        const double R = set->radius[b], J = 0.4 * set->mass[b] * R * R;
        s->body[b] = (solid){
            .mass = set->mass[b], .inertia = {J, J, J}, .x = {0, 0, b == 0 ? R : -R}, .Q = {1}};
        s->shape[b] = pcs_shape_sphere(R);
    }
    add_contact(s, (const double[]){0, 0, 0});
}

// Velocities: they approach along z and pass each other sideways. Spins are about oblique axes, or,
// for a motion in closed form, about a principal axis each, which for an edge is its direction and
// for a face its normal: so both ends, and all corners, arrive together.
static void set_velocities(scene *s, const solids_def *set, bool principal)
{
    static const double oblique[2][3] = {{1, 2, -1}, {-2, 1, 1}};
    const int first = s->kind == FACE || s->kind == BOX_FACE ? 2 : s->kind == SPACE ? 1 : 0;
    const int axis[2] = {first, s->kind == SPACE ? 1 : 2};
    for (int b = 0; b < 2; ++b) {
        solid *body = &s->body[b];
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

scene solids_make(const solids_def *set, int kind, bool principal)
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

solid solid_before(const solid *now, double t)
{
    solid then = *now;
    double q[7], v[6];
    memcpy(q, now->x, sizeof now->x);
    memcpy(q + 3, now->Q, sizeof now->Q);
    memcpy(v, now->v, sizeof now->v);
    memcpy(v + 3, now->omega, sizeof now->omega);
    pcs_body_advance(q, -t, v, PCS_QUAT_UPDATE_EXP, q);
    memcpy(then.x, q, sizeof then.x);
    memcpy(then.Q, q + 3, sizeof then.Q);
    return then;
}

bool solids_fit(const scene *s)
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

double solids_gap(const scene *s, double q[2][7])
{
    pcs_feature f[PCS_FEATURES_MAX];
    double smallest = INFINITY;
    const int n = pcs_collide(&s->shape[0], q[0], &s->shape[1], q[1], 1e9, PCS_FEATURES_MAX, f);
    for (int i = 0; i < n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q[0], q[1], &gap);
        smallest = fmin(smallest, gap.g);
    }
    return smallest;
}
