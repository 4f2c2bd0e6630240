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

// a rim point of the cap that is nearer than this (radians) to the lowest one is the lowest
static const double same_point_tol = 0.02;

// |u_xy| from which a point of the rim is given by a core on the axis
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

// what a half-space sees of a cylinder
typedef struct standing {
    const pcs_shape *s1, *s2;
    double n2[3]; // normal, frame of body 2
    double n[3];  // and frame of the cylinder
    double e[2];  // unit, from the axis to the lowest generator
    double height, reach;
} standing;

static int add(const standing *v, unsigned id, const double x[3], bool lowest, int count,
               pcs_feature *out)
{
    const double g = v->height + v3_dot(v->n, x);
    if (!(g <= v->reach)) return count;

    pcs_feature *f = &out[count];
    *f = (pcs_feature){.kind = PCS_POINT_PLANE, .id = id};
    double p[3];
    v3_copy(x, p);
    if (lowest) {
        const double u[3] = {-v->n[0], -v->n[1], -v->n[2]};
        cylinder_core(v->s1, x, u, p, &f->radius1);
    }
    quat_turn(v->s1->orientation, 1, p, f->p1);
    v3_along(f->p1, 1, v->s1->position, f->p1);
    v3_copy(v->s2->position, f->p2);
    v3_copy(v->n2, f->d2);
    v3_copy(v->n2, f->n2);
    return count + 1;
}

// the lowest point of a rim
static void lowest_point(const standing *v, int side, double x[3])
{
    x[0] = v->s1->radius * v->e[0];
    x[1] = v->s1->radius * v->e[1];
    x[2] = side * v->s1->half[2];
}

// Ids: 16 for what belongs to the upper cap, 0 to the lower; the points of the rim by number; 8 the
// lowest. A cap that lies on the plane has all its rim points, fixed in the body, and the lowest
// when it is not one of them; otherwise the lowest point of each rim is all there is.
int collide_cylinder_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                                const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    standing v = {.s1 = s1, .s2 = s2, .reach = reach};
    double n[3], c[3], a[3], ac[3], x[3];
    quat_z_axis(s2->orientation, v.n2);
    pose_direction(q2, v.n2, n);
    pose_point(q1, s1->position, c);
    pose_point(q2, s2->position, a);
    v3_sub(c, a, ac);
    v.height = v3_dot(n, ac);
    pose_direction_back(q1, n, v.n);
    quat_turn(s1->orientation, -1, v.n, v.n);

    const double across = hypot(v.n[0], v.n[1]);
    if (!(v.height - fabs(v.n[2]) * s1->half[2] - across * s1->radius <= reach)) return 0;
    v.e[0] = across > 0 ? -v.n[0] / across : 1;
    v.e[1] = across > 0 ? -v.n[1] / across : 0;

    const int side = v.n[2] > 0 ? -1 : 1;
    const unsigned base = side > 0 ? 16 : 0;
    int count = 0;
    lowest_point(&v, side, x);
    if (across > flat_tol) {
        // lying and tilted: the two ends
        count = add(&v, base + 8, x, true, count, out);
        lowest_point(&v, -side, x);
        return add(&v, 24 - base, x, true, count, out);
    }

    // standing: the lowest first, under the number of a rim point if it is one
    int same = RIM_POINTS;
    double rim[RIM_POINTS][3];
    for (int k = 0; k < RIM_POINTS; ++k) {
        cylinder_rim(s1, side, k, rim[k]);
        if (hypot(rim[k][0] - x[0], rim[k][1] - x[1]) <= same_point_tol * s1->radius) same = k;
    }
    if (across == 0) same = 0;
    count = add(&v, base + (same < RIM_POINTS ? (unsigned)same : 8), x, true, count, out);
    for (int k = 0; k < RIM_POINTS; ++k) {
        if (k != same) count = add(&v, base + (unsigned)k, rim[k], false, count, out);
    }
    return count;
}

int collide_sphere_cylinder(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    // the centre in the frame of the cylinder
    double x[3], a[3], c[3];
    pose_point(q1, s1->position, x);
    pose_point(q2, s2->position, a);
    v3_sub(x, a, c);
    pose_direction_back(q2, c, c);
    quat_turn(s2->orientation, -1, c, c);

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
        f->kind = PCS_POINT_POINT;
        const double rim[3] = {r * e[0], r * e[1], copysign(l, c[2])};
        n[0] = e[0] * (over / distance);
        n[1] = e[1] * (over / distance);
        n[2] = copysign(above / distance, c[2]);
        cylinder_core(s2, rim, n, p, &f->radius2);
        dir[2] = 0;
    } else if (over >= above) {
        f->kind = PCS_POINT_EDGE;
        f->radius2 = r;
        n[0] = e[0];
        n[1] = e[1];
        n[2] = 0;
    } else {
        f->kind = PCS_POINT_PLANE;
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
