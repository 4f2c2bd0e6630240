// Shapes: constructors and checks.
#include <percuss/shape.h>

#include "base/base.h"
#include "collide/collide.h"
#include "collide/geometry.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

pcs_shape pcs_shape_sphere(double radius)
{
    return (pcs_shape){.kind = PCS_SHAPE_SPHERE, .orientation = {1}, .radius = radius};
}

pcs_shape pcs_shape_box(double a, double b, double c)
{
    return (pcs_shape){.kind = PCS_SHAPE_BOX, .orientation = {1}, .half = {a / 2, b / 2, c / 2}};
}

pcs_shape pcs_shape_capsule(double radius, double length)
{
    return (pcs_shape){.kind = PCS_SHAPE_CAPSULE,
                       .orientation = {1},
                       .radius = radius,
                       .half = {0, 0, length / 2}};
}

pcs_shape pcs_shape_cylinder(double radius, double length)
{
    return (pcs_shape){.kind = PCS_SHAPE_CYLINDER,
                       .orientation = {1},
                       .radius = radius,
                       .half = {0, 0, length / 2}};
}

pcs_shape pcs_shape_hull(const pcs_geometry *hull)
{
    return (pcs_shape){.kind = PCS_SHAPE_HULL, .orientation = {1}, .geometry = hull};
}

pcs_shape pcs_shape_mesh(const pcs_geometry *mesh)
{
    return (pcs_shape){.kind = PCS_SHAPE_MESH, .orientation = {1}, .geometry = mesh};
}

pcs_shape pcs_shape_height_field(const pcs_geometry *field)
{
    return (pcs_shape){.kind = PCS_SHAPE_HEIGHT_FIELD, .orientation = {1}, .geometry = field};
}

// the rotation that takes e_z to the unit vector n by the shorter arc; beyond the equator through
// -e_z, a half turn about e_x: in both cases the divisor is at least sqrt(2)
static void orientation_of_normal(const double n[3], double Q[4])
{
    const double norm = sqrt(2 * (1 + fabs(n[2])));
    if (n[2] < 0) {
        Q[0] = -n[1] / norm;
        Q[1] = (1 - n[2]) / norm;
        Q[2] = 0;
        Q[3] = n[0] / norm;
    } else {
        Q[0] = (1 + n[2]) / norm;
        Q[1] = -n[1] / norm;
        Q[2] = n[0] / norm;
        Q[3] = 0;
    }
}

pcs_shape pcs_shape_half_space(const double n[3], double d)
{
    pcs_shape s = {.kind = PCS_SHAPE_HALF_SPACE};

    // without an orientation check_half_space refuses it and says why
    if (n && n[0] == 0 && n[1] == 0 && n[2] == 0) return s;
    if (!n || !pcs_all_finite(n, 3)) {
        s.orientation[0] = NAN;
        return s;
    }

    // scaled first, so that the squares of all lengths are finite and not zero
    const double scale = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    double u[3] = {n[0] / scale, n[1] / scale, n[2] / scale};
    const double norm = v3_norm(u);
    for (int i = 0; i < 3; ++i) {
        u[i] /= norm;
        s.position[i] = u[i] * (d / scale / norm);
    }
    orientation_of_normal(u, s.orientation);
    return s;
}

static pcs_status check_radius(const char *what, double radius)
{
    if (radius > 0 && isfinite(radius)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_shape: radius of the %s is %g m; it must be positive and finite", what,
                    radius);
}

static pcs_status check_length(const char *what, double half)
{
    if (half > 0 && isfinite(half)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_shape: length of the %s is %g m; it must be positive and finite", what,
                    2 * half);
}

static pcs_status check_geometry(const char *what, const pcs_shape *s)
{
    if (s->geometry && s->geometry->kind == s->kind) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "pcs_shape: the geometry of the %s is %s", what,
                    s->geometry ? "that of another kind of shape" : "null");
}

static pcs_status check_half_space(const pcs_shape *s)
{
    const double *Q = s->orientation;
    if (Q[0] == 0 && Q[1] == 0 && Q[2] == 0 && Q[3] == 0) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape: the normal of the half-space is zero; give a"
                                     " vector that points out of it, of any length");
    }
    if (!pcs_all_finite(Q, 4)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape: the normal of the half-space is null, or an entry"
                                     " is not finite");
    }
    if (!pcs_all_finite(s->position, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape: the offset d / |n| of the half-space is not"
                                     " finite");
    }
    return PCS_OK;
}

pcs_status pcs_shape_check(const pcs_shape *s)
{
    if (!s) return pcs_fail(PCS_ERR_ARG, "pcs_shape: the shape is null");
    if (s->kind == PCS_SHAPE_HALF_SPACE) PCS_TRY(check_half_space(s));
    if (!pcs_all_finite(s->position, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape: position (%g, %g, %g) is not finite",
                        s->position[0], s->position[1], s->position[2]);
    }

    const double *Q = s->orientation;
    const double norm2 = Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3];
    if (!(norm2 > 0) || !isnormal(norm2)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_shape: orientation (%g, %g, %g, %g) is not a rotation; a quaternion "
                        "must be finite and not zero",
                        Q[0], Q[1], Q[2], Q[3]);
    }

    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return check_radius("sphere", s->radius);
    case PCS_SHAPE_CAPSULE:
        PCS_TRY(check_radius("capsule", s->radius));
        return check_length("capsule", s->half[2]);
    case PCS_SHAPE_CYLINDER:
        PCS_TRY(check_radius("cylinder", s->radius));
        return check_length("cylinder", s->half[2]);
    case PCS_SHAPE_HULL:
        return check_geometry("hull", s);
    case PCS_SHAPE_MESH:
        return check_geometry("mesh", s);
    case PCS_SHAPE_HEIGHT_FIELD:
        return check_geometry("height field", s);
    case PCS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            if (!(s->half[i] > 0) || !isfinite(s->half[i])) {
                return pcs_fail(PCS_ERR_ARG,
                                "pcs_shape: half edge %d of the box is %g m; it must "
                                "be positive and finite",
                                i, s->half[i]);
            }
        }
        return PCS_OK;
    case PCS_SHAPE_HALF_SPACE:
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG, "pcs_shape: kind %d is unknown", (int)s->kind);
}

double shape_radius(const pcs_shape *s)
{
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return s->radius;
    case PCS_SHAPE_BOX:
        return v3_norm(s->half);
    case PCS_SHAPE_CAPSULE:
        return s->radius + s->half[2];
    case PCS_SHAPE_CYLINDER:
        return hypot(s->radius, s->half[2]);
    case PCS_SHAPE_HULL:
        return s->geometry->of.hull.extent;
    case PCS_SHAPE_MESH:
    case PCS_SHAPE_HEIGHT_FIELD: {
        double far[3];
        for (int i = 0; i < 3; ++i) {
            far[i] = fmax(fabs(s->geometry->low[i]), fabs(s->geometry->high[i]));
        }
        return v3_norm(far);
    }
    default:
        return 0;
    }
}

double shape_thickness(const pcs_shape *s)
{
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
    case PCS_SHAPE_CAPSULE:
        return 2 * s->radius;
    case PCS_SHAPE_BOX:
        return 2 * fmin(s->half[0], fmin(s->half[1], s->half[2]));
    case PCS_SHAPE_CYLINDER:
        return 2 * fmin(s->radius, s->half[2]);
    case PCS_SHAPE_HULL:
        return 2 * s->geometry->of.hull.inner;
    default:
        return INFINITY;
    }
}

void shape_middle(const pcs_shape *s, double x[3])
{
    double c[3];
    memcpy(x, s->position, sizeof c);
    if (s->kind != PCS_SHAPE_HULL && s->kind != PCS_SHAPE_MESH) return;
    for (int i = 0; i < 3; ++i) {
        c[i] = s->kind == PCS_SHAPE_HULL ? s->geometry->of.hull.centre[i]
                                         : 0.5 * (s->geometry->low[i] + s->geometry->high[i]);
    }
    quat_turn(s->orientation, 1, c, c);
    v3_along(x, 1, c, x);
}

// ---- two shapes --------------------------------------------------------------------------------

// The axes of a shape, inertial. Those of a shape that is not turned are the columns of R(Q);
// adding zero turns -0 into 0, as the products of the other way do
static void axes(const pcs_shape *s, const double *q, double R[9])
{
    if (q && !shape_is_turned(s)) {
        quat_matrix(q + 3, R);
        for (int i = 0; i < 9; ++i) {
            R[i] += 0.0;
        }
        return;
    }
    quat_matrix(s->orientation, R);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q, R + 3 * j, R + 3 * j);
    }
}

void shape_relative(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                    double R[9], double t[3])
{
    double R1[9], R2[9], x1[3], x2[3], d[3];
    axes(s1, q1, R1);
    axes(s2, q2, R2);
    pose_point(q1, s1->position, x1);
    pose_point(q2, s2->position, x2);
    v3_sub(x2, x1, d);
    m3_mul_t(R1, d, t);
    for (int j = 0; j < 3; ++j) {
        m3_mul_t(R1, R2 + 3 * j, R + 3 * j);
    }
}

double shape_over_plane(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                        const double *q2, double n2[3], double n[3])
{
    double x[3], a[3], ax[3];
    quat_z_axis(s2->orientation, n2);
    pose_direction(q2, n2, n);
    pose_point(q1, s1->position, x);
    pose_point(q2, s2->position, a);
    v3_sub(x, a, ax);
    return v3_dot(n, ax);
}
