// With u the velocity of the first solid's point less that of the second's, and p the impulse, a
// single contact obeys u'_N = -e u_N and one of
//     stick  u'_T = 0, |p_T| <= mu p_N        slide  p_T = -mu p_N u'_T / |u'_T|.
//
// Spheres have W = diag(w, w_T, w_T) with w = 1/m1 + 1/m2, and w_T = w + R1^2/J1 + R2^2/J2 = 7/2 w
// for solid ones of any masses and radii (a wall: 1/m2 = 0). From rest of spin to stick takes
// p_T = |u_T| / w_T out of at most mu p_N = mu (1 + e) |u_N| / w, so they stick iff
//     |u_T| <= 7/2 mu (1 + e) |u_N|.
#include "checks/rough_solids.h"

#include "checks/impact_by_hand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// velocity of the point P of body b
static void point_velocity(const snapshot *at, int b, const double P[3], double out[3])
{
    double omega[3], GP[3];
    pcs_quat_rotate(at->q[b] + 3, at->v[b] + 3, omega);
    for (int i = 0; i < 3; ++i) {
        GP[i] = P[i] - at->q[b][i];
    }
    hand_cross(omega, GP, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += at->v[b][i];
    }
}

// u of a contact: along z, which is the normal, and |u_T| with its two components
static void relative_velocity(const scene *s, const snapshot *at, int k, double u[3])
{
    double u1[3], u2[3] = {0};
    point_velocity(at, 0, s->contact[k].P, u1);
    if (!s->ground) point_velocity(at, 1, s->contact[k].P, u2);
    for (int i = 0; i < 3; ++i) {
        u[i] = u1[i] - u2[i];
    }
}

static double largest_of(const double x[3])
{
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

void rough_head(const settings *set)
{
    printf("\nImpact at frozen configuration, friction %g\n"
           "%-11s %8s %12s %12s %12s %12s %9s %9s %9s\n",
           set->mu, "scene", "contacts", "normal", "tangential", "slides by", "energy lost",
           "d law", "d moment.", "d ang.m.");
}

// error of the law at a single contact
static double distance_to_law(const settings *set, const double u[3], const double after[3],
                              const double p[3])
{
    const double w_T = hypot(after[0], after[1]), p_T = hypot(p[0], p[1]);
    const double N = fabs(after[2] + set->e * u[2]);
    const double cone = fmax(0, p_T - set->mu * p[2]);
    const double slide = fabs(after[0] * p[0] + after[1] * p[1] + set->mu * p[2] * w_T);
    return fmax(N, fmax(cone, slide));
}

static void check_spheres(checks *c, const settings *set, const scene *s, const double u[3],
                          const double p[3])
{
    const double w =
        1 / s->body[0].mass + (s->body[1].fixed || s->ground ? 0 : 1 / s->body[1].mass);
    const double normal = (1 + set->e) * fabs(u[2]) / w, u_T = hypot(u[0], u[1]);
    const double friction = fmin(set->mu * normal, u_T / (3.5 * w));
    const double size = (fabs(u[2]) + u_T) / w;
    check_value(c, "normal impulse", p[2], normal, 1e-12 * size);
    check_value(c, "impulse of friction", hypot(p[0], p[1]), friction, 1e-12 * size);
}

void check_rough(checks *c, const settings *set, const scene *s, const snapshot *before,
                 const snapshot *after, pcs_outcome outcome)
{
    double P[3], L[3], u[3], w[3], law = 0;
    const double *p = after->wrench[0];
    sum_wrenches(after, after->q, P, L);
    for (int i = 0; i < 3; ++i) {
        P[i] = after->P[i] - before->P[i] - (s->ground ? P[i] : 0);
        L[i] = after->L[i] - before->L[i] - (s->ground ? L[i] : 0);
    }
    relative_velocity(s, before, 0, u);
    relative_velocity(s, after, 0, w);
    const bool approach = u[2] < 0, single = s->n == 1 && approach;
    if (single) law = distance_to_law(set, u, w, p);
    const double loss = before->kinetic - after->kinetic;
    printf("%-11s %8d %12.9f %12.9f %12.9f %12.9f %9.1e %9.1e %9.1e\n", solids_name[s->kind],
           after->contacts, p[2], hypot(p[0], p[1]), hypot(w[0], w[1]), loss, law, largest_of(P),
           largest_of(L));

    const double mass = s->body[0].mass + s->body[1].mass;
    const double speed = fmax(1e-3, sqrt(2 * before->kinetic / s->body[0].mass));
    c->context = solids_name[s->kind];
    check_value(c, "outcome of pcs_impact", outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "momentum", largest_of(P), 0, 1e-12 * mass * speed);
    check_value(c, "angular momentum", largest_of(L), 0, 1e-12 * mass * speed);
    if (single) check_value(c, "law of friction", law, 0, 1e-11 * (1 + mass) * speed * speed);
    if (single && s->kind == SPHERES) {
        check_spheres(c, set, s, u, p);
        check_that(c, "energy", loss >= 0, "lost");
    }
}

scene border_scene(const settings *set, bool wall, double factor)
{
    scene s = solids_make(&set->def, SPHERES, false);
    const double down = fmax(fabs(set->def.speed), 0.1);
    s.body[0].v[0] = factor * 3.5 * set->mu * (1 + set->e) * down;
    s.body[0].v[1] = 0;
    s.body[0].v[2] = -down;
    for (int b = 0; b < 2; ++b) {
        memset(s.body[b].omega, 0, sizeof s.body[b].omega);
    }
    memset(s.body[1].v, 0, sizeof s.body[1].v);
    s.ground = wall;
    if (wall) {
        s.body[1] = (solid){.fixed = true, .Q = {1, 0, 0, 0}};
        s.shape[1] = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    }
    return s;
}

void check_border(checks *c, const settings *set, const scene *s, double factor,
                  const snapshot *after)
{
    double w[3];
    relative_velocity(s, after, 0, w);
    const double u_T = s->body[0].v[0], left = hypot(w[0], w[1]);
    printf("%-11s %17.9f %17.9f %12.3e %s\n", s->ground ? "wall" : "two spheres", u_T, u_T / factor,
           left, left <= 1e-10 * u_T ? "sticks" : "slides");

    // beyond the limit friction has its value at the limit, and no more
    c->context = s->ground ? "sphere and wall" : "two spheres";
    check_value(c, "sliding left", left, factor > 1 ? u_T * (1 - 1 / factor) : 0, 1e-11 * u_T);
    check_value(c, "rebound", w[2], -set->e * s->body[0].v[2], 1e-12 * fabs(s->body[0].v[2]));
}

void check_rough_stepping(checks *c, const scene *s, const record *run, pcs_outcome outcome)
{
    const double mass = s->body[0].mass + s->body[1].mass;
    const double speed = fmax(1, sqrt(2 * run->now.kinetic / s->body[0].mass));
    printf("%-11s %12.9f %9.1e %9.1e\n", solids_name[s->kind], run->loss, run->leak, run->closure);
    c->context = solids_name[s->kind];
    check_value(c, "outcome of the run", outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "momentum of every step", run->leak, 0, 1e-12 * mass * speed);
    check_value(c, "energy of every step", run->closure, 0, 1e-12 * mass * speed * speed);
}
