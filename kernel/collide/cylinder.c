// A cylinder against a half-space and a sphere: closed forms. In the frame of the cylinder (axis z,
// radius r, half length l) a plane with the normal n touches it first at the rim point
//     x = (-r n_xy / |n_xy|, -+ l),   gap = n . (c - a) - l |n_z| - r |n_xy|
// and a sphere of radius R about c, with d = |c_xy|, has the gap
//     outside          hypot(max(d - r, 0), max(|c_z| - l, 0)) - R
//     centre inside    -min(r - d, l - |c_z|) - R
#include "collide/cylinder.h"

#include "base/base.h"
#include "collide/collide.h"
#include "rotation/pose.h"

// sine of the angle between axis and normal below which a cap lies on a plane
static const double flat_tol = 0.05;

// a rim point of the cap closer than this (radians) to the lowest point counts as the lowest
static const double same_point_tol = 0.02;

// least |u_xy| with which a core on the axis represents a point of the rim
static const double core_tol = 0.5;

void cylinder_rim(const pcs_shape *s, int side, int k, double x[3])
{
    // cosines and sines of multiples of 60 degrees
    static const double c[RIM_POINTS] = {1, 0.5, -0.5, -1, -0.5, 0.5}, h = 0.86602540378443865;
    static const double t[RIM_POINTS] = {0, 1, 1, 0, -1, -1};
    x[0] = s->radius * c[k];
    x[1] = s->radius * h * t[k];
    x[2] = side * s->half[2];
}

void cylinder_core(const pcs_shape *s, const double x[3], const double u[3], double p[3],
                   double *radius)
{
    const double across = hypot(u[0], u[1]);
    *radius = across >= core_tol ? s->radius / across : 0;
    if (*radius == 0) {
        v3_copy(x, p);
        return;
    }
    p[0] = p[1] = 0;
    p[2] = x[2] - *radius * u[2];
}

// Numbers: 16 for the upper cap, 0 for the lower; plus 0 to 5 for the points of the rim, or 8 for
// the lowest point if it is none of them. A cap that lies on the plane has all its rim points,
// fixed in the body; otherwise each rim has its lowest point only.
bool cylinder_point(const pcs_shape *s, const double m[3], int k, double p[3], double *radius,
                    unsigned *number)
{
    const double across = hypot(m[0], m[1]), r = s->radius;
    const int facing = m[2] > 0 ? -1 : 1, side = k == 1 ? -facing : facing;
    const bool flat = across <= flat_tol;
    const unsigned base = side > 0 ? 16 : 0;
    const double e[2] = {across > 0 ? -m[0] / across : 1, across > 0 ? -m[1] / across : 0};
    const double lowest[3] = {r * e[0], r * e[1], side * s->half[2]};
    *radius = 0;
    *number = base + 8;
    if (k < 2) {
        if (flat && k == 1) return false;
        const double u[3] = {-m[0], -m[1], -m[2]};
        cylinder_core(s, lowest, u, p, radius);
    }
    if (!flat) return k < 2;

    // the rim point that is the lowest, if one is
    int same = -1;
    double rim[3];
    for (int i = 0; i < RIM_POINTS; ++i) {
        cylinder_rim(s, side, i, rim);
        if (hypot(rim[0] - lowest[0], rim[1] - lowest[1]) <= same_point_tol * r) same = i;
    }
    if (k == 0) {
        if (same >= 0) *number = base + (unsigned)same;
        return true;
    }
    *number = base + (unsigned)(k - 2);
    cylinder_rim(s, side, k - 2, p);
    return k - 2 != same;
}

int collide_cylinder_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                                const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    double n2[3], n[3], m[3];
    const double height = shape_over_plane(s1, q1, s2, q2, n2, n);
    shape_direction(s1, q1, n, m);
    const double reached = fabs(m[2]) * s1->half[2] + hypot(m[0], m[1]) * s1->radius;
    if (!(height - reached <= reach)) return 0;

    int count = 0;
    for (int k = 0; k < 2 + RIM_POINTS; ++k) {
        double p[3], radius;
        unsigned number;
        if (!cylinder_point(s1, m, k, p, &radius, &number)) continue;
        if (!(height + v3_dot(m, p) - radius <= reach)) continue;
        pcs_feature *f = &out[count++];
        *f = shape_on_plane(s2, n2, number, radius);
        quat_turn(s1->orientation, 1, p, f->p1);
        v3_along(f->p1, 1, s1->position, f->p1);
    }
    return count;
}

int collide_sphere_cylinder(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    // the centre in the frame of the cylinder
    double x[3], c[3];
    pose_point(q1, s1->position, x);
    shape_point(s2, q2, x, c);

    const double d = hypot(c[0], c[1]), r = s2->radius, l = s2->half[2];
    const double over = d - r, above = fabs(c[2]) - l;
    const double e[2] = {d > 0 ? c[0] / d : 1, d > 0 ? c[1] / d : 0};
    const bool corner = over > 0 && above > 0;
    const double distance = corner ? hypot(over, above) : fmax(over, above);
    if (!(distance - s1->radius <= reach)) return 0;

    // side: a point and the axis; cap: a point and a plane; rim: two points
    pcs_feature *f = &out[0];
    *f = (pcs_feature){.radius1 = s1->radius};
    double p[3] = {0, 0, 0}, dir[3] = {0, 0, 1}, n[3] = {0, 0, copysign(1, c[2])};
    if (corner) {
        f->kind = PCS_FEATURE_POINT_POINT;
        const double rim[3] = {r * e[0], r * e[1], copysign(l, c[2])};
        n[0] = e[0] * (over / distance);
        n[1] = e[1] * (over / distance);
        n[2] = copysign(above / distance, c[2]);
        cylinder_core(s2, rim, n, p, &f->radius2);
        dir[2] = 0;
    } else if (over >= above) {
        f->kind = PCS_FEATURE_POINT_EDGE;
        f->radius2 = r;
        n[0] = e[0];
        n[1] = e[1];
        n[2] = 0;
    } else {
        f->kind = PCS_FEATURE_POINT_PLANE;
        p[2] = copysign(l, c[2]);
        dir[2] = n[2];
    }
    quat_turn(s2->orientation, 1, n, f->n2);
    quat_turn(s2->orientation, 1, dir, f->d2);
    quat_turn(s2->orientation, 1, p, f->p2);
    v3_along(f->p2, 1, s2->position, f->p2);
    v3_copy(s1->position, f->p1);
    return 1;
}
