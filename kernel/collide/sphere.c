// A sphere against a half-space, a sphere and a box. With c the centre and r the radius:
//     half-space   g = n . (c - a) - r
//     sphere       g = |c1 - c2| - r1 - r2
//     box          g = |c - c'| - r, c' the point of the box nearest to c; for a centre inside,
//                  g = -(depth of c below the nearest face) - r, which continues it
// A pair with a sphere has one contact, so its id is 0 for every nearest feature of the box: the
// contact keeps its warm start across edges.
#include "collide/collide.h"

#include "base/base.h"
#include "rotation/pose.h"

// A centre less than this beyond a face plane (relative to the half edge) counts as not beyond it:
// the direction to an edge or a vertex closer than that would be rounding noise. The gap errs by at
// most as much.
static const double surface_tol = 1e-14;

int collide_sphere_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                              const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    double n2[3], n[3];
    // not (g > reach): NaN touches nothing
    const double g = shape_over_plane(s1, q1, s2, q2, n2, n) - s1->radius;
    if (!(g <= reach)) return 0;

    pcs_feature *f = &out[0];
    *f = shape_on_plane(s2, n2, 0, s1->radius);
    v3_copy(s1->position, f->p1);
    return 1;
}

int collide_sphere_sphere(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                          const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    double c1[3], c2[3], d[3];
    pose_point(q1, s1->position, c1);
    pose_point(q2, s2->position, c2);
    v3_sub(c1, c2, d);

    // squares first: they exclude most pairs
    const double far = s1->radius + s2->radius + reach, D2 = v3_dot(d, d);
    if (!(far >= 0) || !(D2 <= far * far)) return 0;

    pcs_feature *f = &out[0];
    *f = (pcs_feature){
        .kind = PCS_FEATURE_POINT_POINT, .radius1 = s1->radius, .radius2 = s2->radius};

    // concentric spheres have no normal: e_z is taken
    const double D = sqrt(D2);
    double N[3] = {0, 0, 1};
    for (int i = 0; i < 3; ++i) {
        if (D > 0) N[i] = d[i] / D;
        f->p1[i] = s1->position[i];
        f->p2[i] = s2->position[i];
    }
    pose_direction_back(q2, N, f->n2);
    return 1;
}

// the face nearest to a point c inside the box: its axis; the lowest on ties
static int nearest_face(const double half[3], const double c[3], double *depth)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        if (half[i] - fabs(c[i]) < half[axis] - fabs(c[axis])) axis = i;
    }
    *depth = half[axis] - fabs(c[axis]);
    return axis;
}

int collide_sphere_box(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                       double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    // the centre in the frame of the box
    double x[3], c[3];
    pose_point(q1, s1->position, x);
    shape_point(s2, q2, x, c);

    // its distance beyond the box along each axis
    double foot[3], beyond[3];
    int outside = 0, axis = 0;
    for (int i = 0; i < 3; ++i) {
        const double over = fabs(c[i]) - s2->half[i];
        const bool out_i = over > surface_tol * s2->half[i];
        foot[i] = out_i ? copysign(s2->half[i], c[i]) : c[i];
        beyond[i] = c[i] - foot[i];
        if (out_i) axis = i;
        outside += out_i;
    }

    double g, n[3] = {0, 0, 0}, depth;
    if (outside == 0) {
        axis = nearest_face(s2->half, c, &depth);
        g = -depth - s1->radius;
        n[axis] = copysign(1, c[axis]);
        foot[axis] = copysign(s2->half[axis], c[axis]);
    } else {
        const double D = v3_norm(beyond);
        g = D - s1->radius;
        for (int i = 0; i < 3; ++i) {
            n[i] = beyond[i] / D;
        }
    }
    if (!(g <= reach)) return 0;

    // beyond one face: its plane; two: their edge, which runs along the third axis; three: the
    // vertex
    double d[3] = {0, 0, 0};
    pcs_feature *f = &out[0];
    *f = (pcs_feature){.radius1 = s1->radius};
    if (outside <= 1) {
        f->kind = PCS_FEATURE_POINT_PLANE;
        d[axis] = copysign(1, c[axis]);
    } else if (outside == 2) {
        f->kind = PCS_FEATURE_POINT_EDGE;
        for (int i = 0; i < 3; ++i) {
            d[i] = beyond[i] == 0;
        }
    } else {
        f->kind = PCS_FEATURE_POINT_POINT;
    }

    quat_turn(s2->orientation, 1, n, f->n2);
    quat_turn(s2->orientation, 1, d, f->d2);
    quat_turn(s2->orientation, 1, foot, f->p2);
    for (int i = 0; i < 3; ++i) {
        f->p1[i] = s1->position[i];
        f->p2[i] += s2->position[i];
    }
    return 1;
}
