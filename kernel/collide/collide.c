// The function for each pair of kinds of shapes, in one order; the other order calls it with the
// bodies exchanged and mirrors the result.
#include <percuss/features.h>

#include <string.h>

#include "base/base.h"
#include "collide/collide.h"
#include "rotation/pose.h"

#define KINDS (PCS_SHAPE_HEIGHT_FIELD + 1)

typedef struct entry {
    collide_fn *fn;        // null: this pair never touches
    bool swapped;          // fn takes the second shape first
    collide_many_fn *many; // replaces fn
} entry;

static const entry table[KINDS][KINDS] = {
    [PCS_SHAPE_SPHERE][PCS_SHAPE_SPHERE] = {collide_sphere_sphere, false, NULL},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_HALF_SPACE] = {collide_sphere_half_space, false, NULL},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_BOX] = {collide_sphere_box, false, NULL},
    [PCS_SHAPE_HALF_SPACE][PCS_SHAPE_SPHERE] = {collide_sphere_half_space, true, NULL},
    [PCS_SHAPE_HALF_SPACE][PCS_SHAPE_BOX] = {collide_box_half_space, true, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_SPHERE] = {collide_sphere_box, true, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_HALF_SPACE] = {collide_box_half_space, false, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_BOX] = {collide_box_box, false, NULL},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_CAPSULE] = {collide_sphere_capsule, false, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_SPHERE] = {collide_sphere_capsule, true, NULL},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_HULL] = {collide_polyhedra, false, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_SPHERE] = {collide_polyhedra, true, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_CAPSULE] = {collide_capsule_capsule, false, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_HALF_SPACE] = {collide_capsule_half_space, false, NULL},
    [PCS_SHAPE_HALF_SPACE][PCS_SHAPE_CAPSULE] = {collide_capsule_half_space, true, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_BOX] = {collide_polyhedra, false, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_CAPSULE] = {collide_polyhedra, true, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_HULL] = {collide_polyhedra, false, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_CAPSULE] = {collide_polyhedra, true, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_HULL] = {collide_polyhedra, false, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_BOX] = {collide_polyhedra, true, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_HALF_SPACE] = {collide_hull_half_space, false, NULL},
    [PCS_SHAPE_HALF_SPACE][PCS_SHAPE_HULL] = {collide_hull_half_space, true, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_HULL] = {collide_hull_hull, false, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_HALF_SPACE] = {collide_cylinder_half_space, false, NULL},
    [PCS_SHAPE_HALF_SPACE][PCS_SHAPE_CYLINDER] = {collide_cylinder_half_space, true, NULL},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_CYLINDER] = {collide_sphere_cylinder, false, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_SPHERE] = {collide_sphere_cylinder, true, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_CYLINDER] = {collide_cylinder_cylinder, false, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_BOX] = {collide_cylinder_convex, false, NULL},
    [PCS_SHAPE_BOX][PCS_SHAPE_CYLINDER] = {collide_cylinder_convex, true, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_CAPSULE] = {collide_cylinder_convex, false, NULL},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_CYLINDER] = {collide_cylinder_convex, true, NULL},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_HULL] = {collide_cylinder_convex, false, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_CYLINDER] = {collide_cylinder_convex, true, NULL},
    [PCS_SHAPE_HULL][PCS_SHAPE_MESH] = {NULL, false, collide_ground},
    [PCS_SHAPE_MESH][PCS_SHAPE_HULL] = {NULL, true, collide_ground},
    [PCS_SHAPE_HULL][PCS_SHAPE_HEIGHT_FIELD] = {NULL, false, collide_ground},
    [PCS_SHAPE_HEIGHT_FIELD][PCS_SHAPE_HULL] = {NULL, true, collide_ground},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_MESH] = {NULL, false, collide_ground},
    [PCS_SHAPE_MESH][PCS_SHAPE_SPHERE] = {NULL, true, collide_ground},
    [PCS_SHAPE_SPHERE][PCS_SHAPE_HEIGHT_FIELD] = {NULL, false, collide_ground},
    [PCS_SHAPE_HEIGHT_FIELD][PCS_SHAPE_SPHERE] = {NULL, true, collide_ground},
    [PCS_SHAPE_BOX][PCS_SHAPE_MESH] = {NULL, false, collide_ground},
    [PCS_SHAPE_MESH][PCS_SHAPE_BOX] = {NULL, true, collide_ground},
    [PCS_SHAPE_BOX][PCS_SHAPE_HEIGHT_FIELD] = {NULL, false, collide_ground},
    [PCS_SHAPE_HEIGHT_FIELD][PCS_SHAPE_BOX] = {NULL, true, collide_ground},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_MESH] = {NULL, false, collide_ground},
    [PCS_SHAPE_MESH][PCS_SHAPE_CAPSULE] = {NULL, true, collide_ground},
    [PCS_SHAPE_CAPSULE][PCS_SHAPE_HEIGHT_FIELD] = {NULL, false, collide_ground},
    [PCS_SHAPE_HEIGHT_FIELD][PCS_SHAPE_CAPSULE] = {NULL, true, collide_ground},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_MESH] = {NULL, false, collide_ground},
    [PCS_SHAPE_MESH][PCS_SHAPE_CYLINDER] = {NULL, true, collide_ground},
    [PCS_SHAPE_CYLINDER][PCS_SHAPE_HEIGHT_FIELD] = {NULL, false, collide_ground},
    [PCS_SHAPE_HEIGHT_FIELD][PCS_SHAPE_CYLINDER] = {NULL, true, collide_ground},
};

static void swap3(double a[3], double b[3])
{
    double t[3];
    memcpy(t, a, sizeof t);
    memcpy(a, b, sizeof t);
    memcpy(b, t, sizeof t);
}

// a direction in the frame of a shape, in that of its body. Adding zero is all that quat_turn does
// where the shape is not turned: -0 becomes 0
static void turn(const pcs_shape *s, bool turned, const double d[3], double out[3])
{
    if (turned) {
        quat_turn(s->orientation, 1, d, out);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = d[i] + 0.0;
    }
}

void collide_place(const pcs_shape *s1, const double x1[3], const double d1[3], const pcs_shape *s2,
                   const double x2[3], const double d2[3], const double n2[3], pcs_feature *f)
{
    const bool turned1 = shape_is_turned(s1), turned2 = shape_is_turned(s2);
    turn(s1, turned1, x1, f->p1);
    turn(s1, turned1, d1, f->d1);
    turn(s2, turned2, x2, f->p2);
    turn(s2, turned2, d2, f->d2);
    turn(s2, turned2, n2, f->n2);
    v3_along(f->p1, 1, s1->position, f->p1);
    v3_along(f->p2, 1, s2->position, f->p2);
}

void collide_mirror(pcs_feature *f, const double *q1, const double *q2)
{
    static const pcs_feature_kind other[] = {
        [PCS_FEATURE_POINT_PLANE] = PCS_FEATURE_PLANE_POINT,
        [PCS_FEATURE_PLANE_POINT] = PCS_FEATURE_POINT_PLANE,
        [PCS_FEATURE_POINT_POINT] = PCS_FEATURE_POINT_POINT,
        [PCS_FEATURE_POINT_EDGE] = PCS_FEATURE_EDGE_POINT,
        [PCS_FEATURE_EDGE_POINT] = PCS_FEATURE_POINT_EDGE,
        [PCS_FEATURE_EDGE_EDGE] = PCS_FEATURE_EDGE_EDGE,
    };
    f->kind = other[f->kind];
    swap3(f->p1, f->p2);
    swap3(f->d1, f->d2);
    const double radius = f->radius1;
    f->radius1 = f->radius2;
    f->radius2 = radius;

    // the normal changes its sign and the body in whose frame it stands
    pose_direction(q2, f->n2, f->n2);
    pose_direction_back(q1, f->n2, f->n2);
    for (int i = 0; i < 3; ++i) {
        f->n2[i] = -f->n2[i];
    }
}

bool collide_leads(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    double x1[3], x2[3];
    pose_point(q1, s1->position, x1);
    pose_point(q2, s2->position, x2);
    int most = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(x1[i] - x2[i]) > fabs(x1[most] - x2[most])) most = i;
    }
    return x1[most] >= x2[most];
}

int pcs_collide(const pcs_shape *shape1, const double *q1, const pcs_shape *shape2,
                const double *q2, double reach, int capacity, pcs_feature *out)
{
    if (!shape1 || !shape2) return 0;
    if (!out) capacity = 0;
    PCS_ASSERT((unsigned)shape1->kind < KINDS && (unsigned)shape2->kind < KINDS);
    const entry e = table[shape1->kind][shape2->kind];
    if (!e.fn && !e.many) return 0;
    const pcs_shape *s1 = e.swapped ? shape2 : shape1, *s2 = e.swapped ? shape1 : shape2;
    const double *p1 = e.swapped ? q2 : q1, *p2 = e.swapped ? q1 : q2;

    // the functions of convex pairs need room for all features they may find
    int n;
    if (e.many) {
        n = e.many(s1, p1, s2, p2, reach, capacity, out);
    } else if (capacity >= PCS_FEATURES_MAX) {
        n = e.fn(s1, p1, s2, p2, reach, out);
    } else {
        pcs_feature few[PCS_FEATURES_MAX];
        n = e.fn(s1, p1, s2, p2, reach, few);
        const int fit = n < capacity ? n : capacity;
        if (fit > 0) memcpy(out, few, (size_t)fit * sizeof *out);
    }
    const int written = n < capacity ? n : capacity;
    for (int i = 0; e.swapped && i < written; ++i) {
        collide_mirror(&out[i], q2, q1);
    }
    return n;
}
