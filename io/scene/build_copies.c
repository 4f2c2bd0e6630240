// Generators: bodies that are repeated in a lattice, a ring or a stack, and generators within
// generators. A copy is a frame; its bodies are read again for each. When all bodies of the file
// are made, the generators are visited once more for their interactions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "scene/build.h"

enum { DEPTH_MAX = 8 };

// ---- frames ------------------------------------------------------------------------------------

void frame_vector(const frame *f, double x[3])
{
    double y[3];
    if (!f->rotated) return;
    pcs_quat_rotate(f->Q, x, y);
    memcpy(x, y, sizeof y);
}

void frame_point(const frame *f, double x[3])
{
    frame_vector(f, x);
    if (f->depth == 0) return;
    for (int i = 0; i < 3; ++i) {
        x[i] += f->x[i];
    }
}

void frame_rotation(const frame *f, double Q[4])
{
    double rotated[4];
    if (!f->rotated) return;
    pcs_quat_mul(f->Q, Q, rotated);
    memcpy(Q, rotated, sizeof rotated);
}

pcs_status copy_name(builder *b, const char *name, const frame *f, const char **out)
{
    *out = name;
    if (!name || !f->copy[0]) return PCS_OK;
    const size_t length = strlen(name), more = strlen(f->copy);
    char *full = pcs_scene_alloc(b->scene, length + more + 1);
    if (!full) return pcs_fail_memory(b->src.name);
    memcpy(full, name, length);
    memcpy(full + length, f->copy, more + 1);
    *out = full;
    return PCS_OK;
}

// the frame at x, Q of the frame `outer`; Q null: not rotated
static void enter(const frame *outer, const double x[3], const double *Q, frame *f)
{
    memcpy(f->x, x, sizeof f->x);
    frame_point(outer, f->x);
    f->rotated = outer->rotated || Q;
    memcpy(f->Q, outer->Q, sizeof f->Q);
    if (!Q) return;
    memcpy(f->Q, Q, sizeof f->Q);
    frame_rotation(outer, f->Q);
}

// ---- random numbers ----------------------------------------------------------------------------

static const double two_pi = 6.283185307179586;

// xorshift64: uniform in [0, 1), the same numbers everywhere
static double draw(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static uint64_t start_of(int seed)
{
    return 88172645463325252u ^ (uint64_t)seed * 0x9e3779b97f4a7c15u;
}

// the axis normal to a plane; of all of space z
static int normal_of(pcs_plane plane)
{
    return plane == PCS_PLANE_YZ ? 0 : plane == PCS_PLANE_XZ ? 1 : 2;
}

static void about_normal(pcs_plane plane, double angle, double Q[4])
{
    Q[0] = cos(angle / 2);
    Q[1] = Q[2] = Q[3] = 0;
    Q[1 + normal_of(plane)] = sin(angle / 2);
}

// uniform over all rotations of a plane, or of space: a point of the ball of four dimensions,
// brought to the sphere
static void draw_rotation(uint64_t *s, pcs_plane plane, double Q[4])
{
    if (plane != PCS_PLANE_NONE) {
        about_normal(plane, two_pi * draw(s), Q);
        return;
    }
    double length2;
    do {
        length2 = 0;
        for (int i = 0; i < 4; ++i) {
            Q[i] = draw(s) - 0.5;
            length2 += Q[i] * Q[i];
        }
    } while (!(length2 > 1e-6 && length2 <= 0.25));
    const double scale = 1 / sqrt(length2);
    for (int i = 0; i < 4; ++i) {
        Q[i] *= scale;
    }
}

// ---- copies ------------------------------------------------------------------------------------

typedef struct copies {
    builder *b;
    const scene_body *in;
    const place *list, *joints;
    frame whole; // frame of the generator
    neighbours at;
    uint64_t random;
} copies;

// makes one copy at x, rotated by Q (null: not); `number` is in its name
static pcs_status build_copy(copies *c, int number, double x[3], const double *Q)
{
    const scene_body *in = c->in;
    builder *b = c->b;
    double random[4], rotated[4];
    if (!b->joining) PCS_TRY(build_count(b, b->copies++, "copies", c->list));
    for (int i = 0; i < 3 && in->jitter > 0; ++i) {
        const double by = in->jitter * (2 * draw(&c->random) - 1);
        if (in->plane == PCS_PLANE_NONE || i != normal_of((pcs_plane)in->plane)) x[i] += by;
    }
    if (in->tumble) {
        draw_rotation(&c->random, (pcs_plane)in->plane, random);
        if (Q) pcs_quat_mul(Q, random, rotated);
        Q = Q ? rotated : random;
    }
    frame f = c->whole;
    enter(&c->whole, x, Q, &f);
    const size_t used = strlen(f.copy);
    snprintf(f.copy + used, sizeof f.copy - used, " %d", number);
    PCS_TRY(build_bodies(b, in->bodies, c->list, &f));
    return b->joining ? build_interactions(b, in->interactions, c->joints, &f, &c->at) : PCS_OK;
}

static pcs_status build_lattice(copies *c)
{
    const scene_body *in = c->in;
    int number = 0;
    c->at = (neighbours){.axes = 3, .count = {in->counts[0], in->counts[1], in->counts[2]}};
    for (int k = 0; k < in->counts[2]; ++k) {
        for (int j = 0; j < in->counts[1]; ++j) {
            for (int i = 0; i < in->counts[0]; ++i) {
                const int at[3] = {i, j, k};
                double x[3];
                for (int a = 0; a < 3; ++a) {
                    x[a] = at[a] * in->spacing[a] + (k % 2 == 1 ? in->shift[a] : 0);
                }
                memcpy(c->at.index, at, sizeof c->at.index);
                PCS_TRY(build_copy(c, number++, x, NULL));
            }
        }
    }
    return PCS_OK;
}

static pcs_status build_ring(copies *c)
{
    const scene_body *in = c->in;
    const double whole = table_given(&body_table, in, "turn") ? in->turn : two_pi;
    c->at =
        (neighbours){.axes = 1, .count = {in->count, 1, 1}, .closed = fabs(whole) > two_pi - 1e-6};
    for (int i = 0; i < in->count; ++i) {
        const double angle = in->start + i * (whole / in->count);
        double x[3] = {in->radius * cos(angle), in->radius * sin(angle), 0}, Q[4];
        about_normal((pcs_plane)in->plane, angle, Q);
        if (in->plane == PCS_PLANE_XZ) memcpy(x, (double[]){x[0], 0, -x[1]}, sizeof x);
        if (in->plane == PCS_PLANE_YZ) memcpy(x, (double[]){0, x[0], x[1]}, sizeof x);
        c->at.index[0] = i;
        PCS_TRY(build_copy(c, i, x, Q));
    }
    return PCS_OK;
}

static pcs_status build_stack(copies *c)
{
    const scene_body *in = c->in;
    c->at = (neighbours){.axes = 1, .count = {in->count, 1, 1}};
    for (int i = 0; i < in->count; ++i) {
        double x[3], Q[4];
        c->at.index[0] = i;
        for (int a = 0; a < 3; ++a) {
            x[a] = i * in->spacing[a] + (i % 2 == 1 ? in->shift[a] : 0);
        }
        about_normal((pcs_plane)in->plane, i * in->turn, Q);
        PCS_TRY(build_copy(c, i, x, in->turn != 0 ? Q : NULL));
    }
    return PCS_OK;
}

// true when a generator, or one within it, has interactions
static bool has_interactions(const json_t *generator)
{
    const json_t *bodies = json_object_get(generator, "bodies");
    bool any = json_object_get(generator, "interactions") != NULL;
    for (size_t i = 0; i < json_array_size(bodies) && !any; ++i) {
        any = has_interactions(json_array_get(bodies, i));
    }
    return any;
}

pcs_status build_copies(builder *b, const scene_body *in, const json_t *json, const place *at,
                        const frame *outer)
{
    if (outer->depth == DEPTH_MAX) {
        return refuse(&b->src, at, PCS_ERR_SIZE, "generators are nested more than %d deep",
                      (int)DEPTH_MAX);
    }
    if (b->joining && !has_interactions(json)) return PCS_OK;
    const place list = place_of(at, json, "bodies"), joints = place_of(at, json, "interactions");
    copies c = {.b = b,
                .in = in,
                .list = &list,
                .joints = &joints,
                .whole = *outer,
                .random = start_of(in->seed)};
    const bool rotated = table_given(&body_table, in, "orientation");
    double Q[4];
    memcpy(Q, in->orientation, sizeof Q);
    if (rotated && pcs_quat_normalise(Q) != PCS_OK) return refuse_because(&b->src, at, PCS_ERR_ARG);
    enter(outer, in->position, rotated ? Q : NULL, &c.whole);
    c.whole.depth = outer->depth + 1;
    c.whole.plane = (pcs_plane)in->plane;
    switch ((scene_body_kind)in->kind) {
    case BODY_LATTICE:
        return build_lattice(&c);
    case BODY_RING:
        return build_ring(&c);
    default:
        return build_stack(&c);
    }
}
