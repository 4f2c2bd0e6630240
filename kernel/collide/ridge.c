// Ridges: two polyhedra that touch edge on edge, as cards that lean on each other. The places that
// the edge of the one may not enter are a wedge. Which normals the force between them may have:
//
// - The edge is on one face and within it, by however little: the normal of that face, and no other
//   one. A box that lies over the edge of a table tips about it, and slides over it freely.
// - The edge is on the edge of the wedge, up to rounding: any normal between those of both faces
//   (edges are the limit of round ones, whose normals are these). One that is enough is taken
//   alone; a second one only where the first one pushes and lets the edge slide into the wedge
//   (step/activate.c).
// - The edge has been held there in the last step, along both faces or the direction between edges
//   that were apart: the same, up to errors of the solver. Where edges overlap, their place is
//   known to a part of the overlap.
//
// pcs_collide gives the contacts of one of the faces, which rounding chooses. Those of the other
// one are found where the body is moved by a little, into the first face and along it across its
// edge: there the other face is the better one. More are found than act: collide_beyond tells which
// edges lie beyond the second face.
#include "collide/collide.h"

#include <math.h>

#include "base/base.h"
#include "linalg/m3.h"

// relative to the radii of both shapes: gaps up to which edges touch, and differences of gaps along
// both faces up to which edges that are held stay at the same place
static const double ridge_even = 4e-6;

// how far the body is moved, in multiples of that; along the face by half of it
static const double ridge_moved = 4;

// 1 - cos of the least angle between the normals, 0.08 rad: contacts beside the closest one may
// differ by 0.05 rad (manifold_tol)
static const double ridge_angle = 3.2e-3;

// contacts nearer to each other are at one place, in the same multiples: those of edges that
// overlap
static const double ridge_place = 20;

// sine of the angle between a face and an edge of which one end touches
static const double ridge_sine = 0.05;

// 1 - cos of the angle up to which two normals are one, 1e-6 rad
static const double ridge_same = 5e-13;

// edges nearer than this, relative to the radii, are apart in a direction that is rounding
static const double ridge_noise = 1e-9;

// Part of the overlap by which the gaps along both faces of edges at one place may differ: where
// edges overlap, their place is known to that
static const double ridge_blur = 0.5;

static bool differ(const double N[3], const double M[3], double angle)
{
    return v3_dot(N, M) < 1 - angle;
}

// at the end of an edge that crosses another one at a small angle two edges have the face normal
bool collide_is_of_face(const pcs_feature *f)
{
    return f->kind == PCS_FEATURE_POINT_PLANE || f->kind == PCS_FEATURE_PLANE_POINT ||
           f->kind == PCS_FEATURE_EDGE_EDGE;
}

bool collide_of_ridge(const pcs_feature *f, const double N[3], const double N_first[3])
{
    return collide_is_of_face(f) && differ(N, N_first, ridge_angle);
}

bool collide_beyond(double g, double g_first, double rounding)
{
    const double depth = fmax(0, -g_first);
    return g < -(1 + ridge_blur) * depth - rounding;
}

static bool is_polyhedron(const pcs_shape *s)
{
    return s->kind == PCS_SHAPE_BOX || s->kind == PCS_SHAPE_HULL;
}

bool collide_may_ridge(const pcs_shape *s1, const pcs_shape *s2)
{
    return is_polyhedron(s1) && is_polyhedron(s2);
}

// The direction of the edge that touches: from the first contact to the one that is nearest of
// those at other places on it. False for faces that lie on each other
static bool find_edge(int n, const pcs_feature *f, const double *q1, const double *q2, double even,
                      double along[3])
{
    double d[PCS_FEATURES_MAX][3], off[3], least = INFINITY;
    bool touches[PCS_FEATURES_MAX];
    pcs_gap first, gap;
    pcs_feature_gap(&f[0], q1, q2, &first);
    const double place = ridge_place * (even + fmax(0, -first.g));
    for (int i = 1; i < n; ++i) {
        pcs_feature_gap(&f[i], q1, q2, &gap);
        v3_sub(gap.P1, first.P1, d[i]);
        touches[i] = gap.g <= first.g + even;
        const double far = v3_norm(d[i]);
        if (!(gap.g < least && far > place && gap.g - first.g <= ridge_sine * far)) continue;
        least = gap.g;
        v3_unit(d[i], along);
    }
    if (!(least < INFINITY)) return false;
    for (int i = 1; i < n; ++i) {
        v3_cross(along, d[i], off);
        if (touches[i] && v3_norm(off) > place) return false;
    }
    return true;
}

// the contacts of one face of a ridge
typedef struct ridge_face {
    int n;
    pcs_feature f[PCS_FEATURES_MAX];
    double N[3];
} ridge_face;

// Those that the body has beside the ridge, moved to the pose q, where the edges are: at q1 their
// gaps are g, up to `even`
static void find_face(const pcs_shape *s1, const double *q, const double *q1, const pcs_shape *s2,
                      const double *q2, double g, double even, ridge_face *face)
{
    pcs_feature found[PCS_FEATURES_MAX];
    const int n = pcs_collide(s1, q, s2, q2, ridge_moved * even, PCS_FEATURES_MAX, found);
    face->n = 0;
    for (int i = 0; i < n; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&found[i], q1, q2, &gap);
        if (!collide_is_of_face(&found[i]) || !(fabs(gap.g - g) <= even)) continue;
        if (face->n == 0) v3_copy(gap.N, face->N);
        face->f[face->n++] = found[i];
    }
}

// adds the contacts of a face that are not yet among the n ones; writes at most `room`
static int add_face(const ridge_face *face, int n, int room, pcs_feature *f)
{
    const int before = n;
    for (int i = 0; i < face->n; ++i) {
        bool known = false;
        for (int k = 0; k < before && k < room; ++k) {
            known = known || f[k].id == face->f[i].id;
        }
        if (known) continue;
        if (n < room) f[n] = face->f[i];
        n += 1;
    }
    return n;
}

int collide_ridge(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2,
                  double even, int n, int room, pcs_feature *f)
{
    if (n < 1 || n > PCS_FEATURES_MAX || !q1 || !collide_may_ridge(s1, s2)) return n;
    const double size = shape_radius(s1) + shape_radius(s2);
    even = fmax(even, ridge_even * size);
    const double moved = ridge_moved * even;
    pcs_gap first;
    double edge[3] = {0}, across[3], in[7], q[7];
    pcs_feature_gap(&f[0], q1, q2, &first);
    memcpy(in, q1, sizeof in);
    v3_along(in, -first.g - moved, first.N, in);
    if (n == 1) {
        // edges apart by no more than rounding may have one contact
        pcs_feature found[PCS_FEATURES_MAX];
        if (first.g > even) return n;
        const int m = pcs_collide(s1, in, s2, q2, moved, PCS_FEATURES_MAX, found);
        if (m < 2 || !find_edge(m, found, in, q2, even, edge)) return n;
    } else if (!find_edge(n, f, q1, q2, even, edge)) {
        return n;
    }
    v3_cross(first.N, edge, across);

    ridge_face face[2];
    for (int side = 0; side < 2; ++side) {
        memcpy(q, in, sizeof q);
        v3_along(in, (side - 0.5) * moved, across, q);
        find_face(s1, q, q1, s2, q2, first.g, even, &face[side]);
    }
    const bool both = face[0].n > 0 && face[1].n > 0 && differ(face[0].N, face[1].N, ridge_angle);
    const bool neither =
        both && differ(first.N, face[0].N, ridge_same) && differ(first.N, face[1].N, ridge_same);
    const bool replaces = neither && fabs(first.g) <= ridge_noise * size;
    if (replaces) n = 0;
    for (int side = 0; side < 2; ++side) {
        if (face[side].n == 0) continue;
        if (!replaces && !differ(first.N, face[side].N, ridge_angle)) continue;
        n = add_face(&face[side], n, room, f);
    }
    return n;
}
