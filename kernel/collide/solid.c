// Convex shapes by their cores.
#include "collide/solid.h"

#include "base/base.h"
#include "collide/collide.h"
#include "collide/geometry.h"
#include "rotation/pose.h"

void solid_core(const pcs_shape *s, convex *core)
{
    *core = (convex){.kind = CONVEX_POINT};
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        core->radius = s->radius;
        return;
    case PCS_SHAPE_CAPSULE:
        core->kind = CONVEX_SEGMENT;
        core->radius = s->radius;
        core->half[2] = s->half[2];
        return;
    case PCS_SHAPE_BOX:
        core->kind = CONVEX_BOX;
        v3_copy(s->half, core->half);
        return;
    case PCS_SHAPE_CYLINDER:
        core->kind = CONVEX_CYLINDER;
        core->disc = s->radius;
        core->half[2] = s->half[2];
        return;
    case PCS_SHAPE_HULL:
        *core = polyhedron_core(&s->geometry->of.hull, 0);
        return;
    default:
        PCS_ASSERT(false);
        return;
    }
}

void solid_place(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                 solid *out)
{
    out->s = s1;
    solid_core(s1, &out->core);
    shape_relative(s2, q2, s1, q1, out->R, out->t);
}

void solid_lowest(const solid *b, const double n[3], double x[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double d[3], own[3];
    int index;
    m3_mul_t(b->R, back, d);
    convex_support(&b->core, d, own, &index);
    solid_from(b, own, x);
}

void solid_point_plane(const solid *b, const pcs_shape *s2, unsigned id, const double p[3],
                       double radius, const double y[3], const double N[3], pcs_feature *f)
{
    *f = (pcs_feature){.kind = PCS_FEATURE_POINT_PLANE, .id = id, .radius1 = radius};
    quat_turn(b->s->orientation, 1, p, f->p1);
    v3_along(f->p1, 1, b->s->position, f->p1);
    quat_turn(s2->orientation, 1, y, f->p2);
    v3_along(f->p2, 1, s2->position, f->p2);
    quat_turn(s2->orientation, 1, N, f->d2);
    v3_copy(f->d2, f->n2);
}
