// Shapes as polyhedra; see polyhedron.h.
#include "collide/polyhedron.h"

#include "base/base.h"
#include "collide/geometry.h"
#include "linalg/m3.h"

// the vertices of smaller polyhedra are tested one by one
enum { CLIMB_FROM = 32 };

// A box: vertex v has +half[i] where bit i of v is set; faces -x +x -y +y -z +z; four edges along
// each of x, y and z, upwards.
static const double box_normal[18] = {-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1};
static const int box_edge[48] = {0, 1, 2, 4, 2, 3, 4, 3, 4, 5, 5, 2, 6, 7, 3, 5,
                                 0, 2, 4, 0, 1, 3, 1, 4, 4, 6, 0, 5, 5, 7, 5, 1,
                                 0, 4, 0, 2, 1, 5, 2, 1, 2, 6, 3, 0, 3, 7, 1, 3};
static const int box_first[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_corner[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                   2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int box_side[24] = {8,  6, 10, 4, 5, 11, 7, 9, 0, 9, 2, 8,
                                 10, 3, 11, 1, 4, 1,  5, 0, 2, 7, 3, 6};
static const int box_about[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static const int box_next[24] = {1, 2, 4, 0, 3, 5, 3, 0, 6, 2, 1, 7,
                                 5, 6, 0, 4, 7, 1, 7, 4, 2, 6, 5, 3};
static const int box_spoke[24] = {0, 4, 8, 0, 5, 9, 1, 4, 10, 1, 5, 11,
                                  2, 6, 8, 2, 7, 9, 3, 6, 10, 3, 7, 11};

static const int segment_edge[4] = {0, 1, -1, -1};
static const int segment_about[3] = {0, 1, 2};
static const int segment_next[2] = {1, 0};
static const int segment_spoke[2] = {0, 0};

static polyhedron of_box(const double half[3], polyhedron_room *room)
{
    for (int v = 0; v < 8; ++v) {
        for (int i = 0; i < 3; ++i) {
            room->vertex[3 * v + i] = v >> i & 1 ? half[i] : -half[i];
        }
    }
    for (int f = 0; f < 6; ++f) {
        room->offset[f] = half[f / 2];
    }
    return (polyhedron){.n_vertices = 8,
                        .n_edges = 12,
                        .n_faces = 6,
                        .vertex = room->vertex,
                        .normal = box_normal,
                        .offset = room->offset,
                        .edge = box_edge,
                        .first = box_first,
                        .corner = box_corner,
                        .side = box_side,
                        .about = box_about,
                        .next = box_next,
                        .spoke = box_spoke,
                        .extent = v3_norm(half),
                        .inner = fmin(half[0], fmin(half[1], half[2]))};
}

static polyhedron of_segment(double half, polyhedron_room *room)
{
    for (int k = 0; k < 6; ++k) {
        room->vertex[k] = 0;
    }
    room->vertex[2] = -half;
    room->vertex[5] = half;
    return (polyhedron){.n_vertices = 2,
                        .n_edges = 1,
                        .vertex = room->vertex,
                        .edge = segment_edge,
                        .about = segment_about,
                        .next = segment_next,
                        .spoke = segment_spoke,
                        .extent = half};
}

polyhedron polyhedron_of(const pcs_shape *s, polyhedron_room *room, double *radius)
{
    *radius = 0;
    switch (s->kind) {
    case PCS_SHAPE_BOX:
        return of_box(s->half, room);
    case PCS_SHAPE_HULL:
        return s->geometry->of.hull;
    case PCS_SHAPE_CAPSULE:
        *radius = s->radius;
        return of_segment(s->half[2], room);
    default:
        PCS_ASSERT(s->kind == PCS_SHAPE_SPHERE);
        *radius = s->radius;
        for (int i = 0; i < 3; ++i) {
            room->vertex[i] = 0;
        }
        return (polyhedron){.n_vertices = 1, .vertex = room->vertex, .about = (segment_about + 2)};
    }
}

convex polyhedron_core(const polyhedron *p, double radius)
{
    const bool climb = p->n_vertices >= CLIMB_FROM;
    return (convex){.kind = CONVEX_POINTS,
                    .radius = radius,
                    .points = p->vertex,
                    .n = p->n_vertices,
                    .first = climb ? p->about : NULL,
                    .next = p->next};
}

int polyhedron_top(const polyhedron *p, const double d[3])
{
    const convex c = polyhedron_core(p, 0);
    double x[3];
    int top;
    convex_support(&c, d, x, &top);
    return top;
}

int polyhedron_face(const polyhedron *p, int v, const double d[3])
{
    int best = -1;
    double most = -INFINITY;
    if (p->n_faces == 0) return -1;
    for (int k = p->about[v]; k < p->about[v + 1]; ++k) {
        // every face at v is on the left of one of its edges, going out from v
        const int *e = p->edge + 4 * (size_t)p->spoke[k];
        const int f = e[0] == v ? e[2] : e[3];
        const double along = v3_dot(polyhedron_normal(p, f), d);
        if (along > most || (along == most && f < best)) {
            most = along;
            best = f;
        }
    }
    return best;
}

int polyhedron_edge(const polyhedron *p, int v, int w)
{
    for (int k = p->about[v]; k < p->about[v + 1]; ++k) {
        if (p->next[k] == w) return p->spoke[k];
    }
    return -1;
}

static double nearest_taken(const polyhedron *p, const double n[3], const int *taken, int count,
                            int v)
{
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        double d[3], across[3];
        v3_sub(polyhedron_vertex(p, v), polyhedron_vertex(p, taken[i]), d);
        v3_along(d, -v3_dot(d, n), n, across);
        least = fmin(least, v3_dot(across, across));
    }
    return least;
}

int polyhedron_below(const polyhedron *p, const double n[3], double limit, int lowest,
                     int out[PCS_FEATURES_MAX])
{
    if (!(v3_dot(n, polyhedron_vertex(p, lowest)) <= limit)) return 0;
    int count = 1, all = 1;
    out[0] = lowest;
    for (int v = 0; v < p->n_vertices; ++v) {
        if (v == lowest || !(v3_dot(n, polyhedron_vertex(p, v)) <= limit)) continue;
        all += 1;
        if (count < PCS_FEATURES_MAX) out[count++] = v;
    }
    if (all <= PCS_FEATURES_MAX) return all;

    for (count = 1; count < PCS_FEATURES_MAX; ++count) {
        double most = -1;
        for (int v = 0; v < p->n_vertices; ++v) {
            if (!(v3_dot(n, polyhedron_vertex(p, v)) <= limit)) continue;
            const double d = nearest_taken(p, n, out, count, v);
            if (d > most) {
                most = d;
                out[count] = v;
            }
        }
    }
    return count;
}
