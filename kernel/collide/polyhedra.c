// Pairs of spheres, capsules, boxes and hulls in which one is a capsule or a hull and the other has
// faces (capsule.c has the others). Each is a polyhedron with a radius round it. With u a unit
// direction from 1 to 2,
//     s(u) = min over core 2 of u . x  -  max over core 1 of u . x
// is never more than the signed distance of the cores. Cores that overlap have the distance of the
// largest s over the normals of the faces and the products of the edges (polyhedra_axes.c); so have
// separated ones whose closest features are a vertex and a face or two edges, which holds when the
// feet are on them. What remains, vertices near vertices and edges, is found by the search for the
// distance (gjk.c), also for polyhedra with many vertices, which begin with it. Overlaps of these
// use the direction of libccd (epa.c) and the axes about it; if the overlap is too shallow for
// libccd, polyhedra with up to 128 vertices use all axes. The gap is the distance less the radii.
//
// Where the normal is that of a face, or nearly, the opposite face of the other (or the core of the
// capsule) is cut to its outline, and every corner of the result is a contact of the face's plane
// with a point of the other. Beyond PCS_FEATURES_MAX corners some are left out.
//
// An id combines the parts that face each other; see polyhedron.h for their numbers.
#include "collide/polyhedra.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "collide/collide.h"
#include "collide/geometry.h"
#include "rotation/pose.h"

void polyhedra_contacts_find(polyhedra *p, double reach, polyhedra_contacts *list)
{
    p->core1 = polyhedron_core(p->p1, p->radius1);
    p->core2 = polyhedron_core(p->p2, p->radius2);
    p->size = p->p1->extent + p->p2->extent;
    list->n = 0;

    // first the balls around both are tested
    const double far = reach + p->radius1 + p->radius2, apart = far + p->size;
    if (!(apart >= 0) || !(v3_dot(p->at.t, p->at.t) <= apart * apart)) return;

    polyhedra_contact closest;
    if (!polyhedra_closest(p, far, &closest)) return;
    polyhedra_manifold(p, &closest, far, list);
}

static void write(const polyhedra_contact *c, const polyhedra *p, const pcs_shape *s1,
                  const pcs_shape *s2, pcs_feature *f)
{
    *f = (pcs_feature){.kind = c->kind, .radius1 = p->radius1, .radius2 = p->radius2};
    // the single contact of a sphere keeps its id across edges
    if (s1->kind != PCS_SHAPE_SPHERE) f->id = ((unsigned)c->part1 << 16) + (unsigned)c->part2;
    double u2[3];
    m3_mul_t(p->at.R, c->u, u2);
    v3_scale(-1, u2, u2);
    collide_place(s1, c->x1, c->d1, s2, c->x2, c->d2, u2, f);
}

int collide_polyhedra(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                      double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    polyhedron_room room1, room2;
    polyhedra p;
    const polyhedron p1 = polyhedron_of(s1, &room1, &p.radius1);
    const polyhedron p2 = polyhedron_of(s2, &room2, &p.radius2);
    p.p1 = &p1;
    p.p2 = &p2;
    shape_relative(s1, q1, s2, q2, p.at.R, p.at.t);

    polyhedra_contacts list;
    polyhedra_contacts_find(&p, reach, &list);
    for (int i = 0; i < list.n; ++i) {
        write(&list.at[i], &p, s1, s2, &out[i]);
    }
    return list.n;
}

// The vertices of a hull within reach of the plane, the lowest first; of many only those furthest
// in directions of the plane are kept
int collide_hull_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const polyhedron *h = &s1->geometry->of.hull;
    double n[3], n2[3], back[3];
    const double height = shape_over_plane(s1, q1, s2, q2, n2, n);
    shape_direction(s1, q1, n, n);
    v3_scale(-1, n, back);
    if (!(height - h->extent <= reach)) return 0;

    const int lowest = polyhedron_top(h, back);
    int found[PCS_FEATURES_MAX];
    const int count = polyhedron_below(h, n, reach - height, lowest, found);
    for (int i = 0; i < count; ++i) {
        pcs_feature *f = &out[i];
        *f = shape_on_plane(s2, n2, (unsigned)found[i], 0);
        quat_turn(s1->orientation, 1, polyhedron_vertex(h, found[i]), f->p1);
        v3_along(f->p1, 1, s1->position, f->p1);
    }
    return count;
}

// polyhedron 1, whose faces have precedence, is the larger hull
static bool in_order(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    const polyhedron *a = &s1->geometry->of.hull, *b = &s2->geometry->of.hull;
    if (a->extent != b->extent) return a->extent > b->extent;
    if (a->n_vertices != b->n_vertices) return a->n_vertices > b->n_vertices;
    return collide_leads(s1, q1, s2, q2);
}

int collide_hull_hull(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                      double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    if (in_order(s1, q1, s2, q2)) return collide_polyhedra(s1, q1, s2, q2, reach, out);
    const int n = collide_polyhedra(s2, q2, s1, q1, reach, out);
    for (int i = 0; i < n; ++i) {
        collide_mirror(&out[i], q2, q1);
        out[i].id = (out[i].id << 16) + (out[i].id >> 16);
    }
    return n;
}
