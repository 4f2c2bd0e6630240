// Interactions of a scene file: built-in relations with their laws.
#include <math.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/rotation.h>

#include "base/base.h"
#include "scene/build.h"

pcs_law build_law(const scene_law *in)
{
    return (pcs_law){(pcs_law_kind)in->kind, in->e, in->e_t, in->mu};
}

// the inertial point x as a point of the frame of a body, at the start
static void to_body(const builder *b, pcs_system system, const double x[3], double out[3])
{
    memcpy(out, x, 3 * sizeof *out);
    pcs_body_def def;
    if (system.id == 0 || pcs_model_body(b->model, system, &def) != PCS_OK) return;
    double R[9], d[3];
    pcs_quat_to_matrix(def.orientation, R);
    for (int i = 0; i < 3; ++i) {
        d[i] = x[i] - def.position[i];
    }
    pcs_matrix_apply_back(R, d, out);
}

// where the point p of a body is at the start
static void to_world(const builder *b, pcs_system system, const double p[3], double out[3])
{
    memcpy(out, p, 3 * sizeof *out);
    pcs_body_def def;
    if (system.id == 0 || pcs_model_body(b->model, system, &def) != PCS_OK) return;
    pcs_quat_rotate(def.orientation, p, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += def.position[i];
    }
}

static bool has(const scene_interaction *in, const char *key)
{
    return table_given(&interaction_table, in, key);
}

static pcs_status both_ways(builder *b, const place *at, const char *one, const char *other)
{
    return refuse(&b->src, at, PCS_ERR_FORMAT, "it has both %s and %s; give one of them", one,
                  other);
}

static pcs_status ball(builder *b, const scene_interaction *in, const pcs_system system[2],
                       const place *at, pcs_relation *out)
{
    double p1[3], p2[3];
    memcpy(p1, in->point1, sizeof p1);
    memcpy(p2, in->point2, sizeof p2);
    if (has(in, "at")) {
        if (has(in, "point1")) return both_ways(b, at, "at", "point1");
        if (has(in, "point2")) return both_ways(b, at, "at", "point2");
        to_body(b, system[0], in->at, p1);
        to_body(b, system[1], in->at, p2);
    }
    *out = pcs_relation_ball_joint(p1, p2);
    return PCS_OK;
}

static pcs_status distance(builder *b, const scene_interaction *in, const pcs_system system[2],
                           const place *at, pcs_relation *out)
{
    double p1[3], p2[3], length = in->length;
    memcpy(p1, in->point1, sizeof p1);
    memcpy(p2, in->point2, sizeof p2);
    if (has(in, "at1") && has(in, "point1")) return both_ways(b, at, "at1", "point1");
    if (has(in, "at2") && has(in, "point2")) return both_ways(b, at, "at2", "point2");
    if (has(in, "at1")) to_body(b, system[0], in->at1, p1);
    if (has(in, "at2")) to_body(b, system[1], in->at2, p2);
    if (!has(in, "length")) {
        double x1[3], x2[3];
        to_world(b, system[0], p1, x1);
        to_world(b, system[1], p2, x2);
        length = hypot(hypot(x1[0] - x2[0], x1[1] - x2[1]), x1[2] - x2[2]);
    }
    *out = in->kind == INTERACTION_ROPE ? pcs_relation_rope(p1, p2, length)
                                        : pcs_relation_distance(p1, p2, length);
    return PCS_OK;
}

static pcs_status linear(builder *b, const scene_interaction *in, const place *at,
                         pcs_relation *out)
{
    const int n = in->coefficients.rows;
    *out = pcs_relation_linear(n, in->coefficients.x, in->offset);
    if (out->gap) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_SIZE, "it has %d coefficients; it must have 1 to 7", n);
}

static pcs_status make_relation(builder *b, const scene_interaction *in, const pcs_system system[2],
                                const place *at, pcs_relation *out)
{
    switch ((scene_interaction_kind)in->kind) {
    case INTERACTION_BALL:
        return ball(b, in, system, at, out);
    case INTERACTION_DISTANCE:
    case INTERACTION_ROPE:
        return distance(b, in, system, at, out);
    case INTERACTION_LINEAR:
        break;
    }
    return linear(b, in, at, out);
}

static pcs_status build_interaction(builder *b, const scene_interaction *in, const json_t *json,
                                    const place *at)
{
    pcs_interaction_def def = pcs_interaction_def_default();
    const place bodies = place_of(at, json, "bodies");
    pcs_system system[2];
    for (size_t i = 0; i < 2; ++i) {
        const place item = {&bodies, NULL, i};
        PCS_TRY(find_body(b, &in->bodies[i], &item, &system[i]));
    }
    def.system1 = system[0];
    def.system2 = system[1];
    PCS_TRY(make_relation(b, in, system, at, &def.relation));
    if (in->kind == INTERACTION_ROPE) def.law = pcs_law_newton_impact(0);
    if (has(in, "law")) def.law = build_law(&in->law);

    pcs_interaction id;
    pcs_status status = pcs_model_add_interaction(b->model, &def, &id);
    if (status == PCS_OK && in->name) {
        status = pcs_model_set_interaction_name(b->model, id, in->name);
    }
    if (status == PCS_OK && has(in, "touching")) {
        status = pcs_model_set_touching(b->model, id, in->touching);
    }
    if (status == PCS_OK && !in->enabled) {
        status = pcs_model_set_interaction_enabled(b->model, id, false);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

pcs_status build_interactions(builder *b, const json_t *list, const place *at)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const place item = {at, NULL, i};
        const json_t *json = json_array_get(list, i);
        scene_interaction in;
        PCS_TRY(read_object(&b->src, &interaction_table, json, &item, &in));
        PCS_TRY(build_interaction(b, &in, json, &item));
    }
    return PCS_OK;
}
