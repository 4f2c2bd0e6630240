// Two boxes. With u a unit direction from box 1 to box 2, t the vector between the centres and
// h(u) = sum_i half_i |u . axis_i| the reach of a box along u,
//     s(u) = |u . t| - h1(u) - h2(u)
// is never more than the signed gap. Overlapping boxes: the gap is the largest s over the 15 axes
// where it can be largest (3 + 3 face normals, 9 products of edges). Separated boxes: the gap is
// the distance of the closest features, which is the largest s again when these are a vertex and a
// face or two edges, and otherwise found from each vertex against the other box. There is no margin
// and no iteration.
//
// Where the normal is that of a face, the opposite face of the other box is clipped to
// its outline, and every corner of the clipped polygon is a contact of the face's plane with a
// point of the other box.
//
// Work is done in the frame of box 1. A part of a box (face, edge, vertex) is written as the signs
// of its coordinates: (0 0 +) the upper face, (0 + +) an edge along x, (- + +) a vertex. An id is
// made of the parts that face each other: a vertex of the one box over a face of the other, and two
// edges that cross, have the same id whichever of the two faces was clipped.
#include "collide/box_box.h"

#include <math.h>

#include "base/base.h"
#include "collide/collide.h"
#include "rotation/pose.h"

static box_pair place(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    box_pair b;
    shape_relative(s1, q1, s2, q2, b.R, b.t);
    for (int j = 0; j < 3; ++j) {
        b.half1[j] = s1->half[j];
        b.half2[j] = s2->half[j];
    }
    return b;
}

static void write(const box_contact *c, unsigned id, const box_pair *b, const pcs_shape *s1,
                  const pcs_shape *s2, pcs_feature *f)
{
    *f = (pcs_feature){.kind = c->kind, .id = id};
    double u2[3];
    m3_mul_t(b->R, c->u, u2);
    for (int i = 0; i < 3; ++i) {
        u2[i] = -u2[i];
    }
    collide_place(s1, c->x1, c->d1, s2, c->x2, c->d2, u2, f);
}

int collide_box_box(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                    double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const box_pair b = place(s1, q1, s2, q2);
    box_axes a;
    if (!box_separate(&b, reach, &a)) return 0;

    double size = 0;
    for (int i = 0; i < 3; ++i) {
        size += b.half1[i] + b.half2[i];
    }
    box_contact c;
    box_closest(&b, &a, size, &c);
    if (!(c.g <= reach)) return 0;
    box_part_direction(c.part1, c.d1);
    box_part_direction(c.part2, c.d2);

    box_contacts list;
    box_manifold(&b, &c, reach, size, &list);
    for (int i = 0; i < list.n; ++i) {
        write(&list.at[i], list.id[i], &b, s1, s2, &out[i]);
    }
    return list.n;
}
