// A scene file into a model: materials, laws, bodies, their shapes, interactions, scheme, settings.
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "problem_file/nearest.h"
#include "scene/build.h"

// ---- references --------------------------------------------------------------------------------

typedef const char *name_of(const pcs_model *m, int id);

static const char *body_name(const pcs_model *m, int id)
{
    return pcs_model_system_name(m, (pcs_system){id});
}

static const char *material_name(const pcs_model *m, int id)
{
    return pcs_model_material_name(m, (pcs_material){id});
}

// no part has the name, or the number
static pcs_status refuse_part(builder *b, const part *p, const char *what, int last, name_of *name,
                              const place *at)
{
    if (!p->name) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "there is no %s %d; the last one is %d", what,
                      p->id, last);
    }
    const char **names = pcs_env_alloc(&b->env, (size_t)last + 1, sizeof *names);
    int n = 0;
    for (int id = 0; names && id <= last; ++id) {
        const char *own = name(b->model, id);
        if (*own) names[n++] = own;
    }
    const char *like = names ? nearest(p->name, names, n) : NULL;
    pcs_env_free(&b->env, (void *)names);
    return refuse(&b->src, at, PCS_ERR_FORMAT, "no %s has the name '%.60s'%s%.60s%s", what, p->name,
                  like ? "; did you mean '" : "; give one this name", like ? like : "",
                  like ? "'?" : "");
}

pcs_status find_material(builder *b, const part *p, const place *at, pcs_material *out)
{
    const int last = pcs_model_material_count(b->model) - 1;
    if (!p->name && p->id <= last) {
        out->id = p->id;
        return PCS_OK;
    }
    if (p->name && pcs_model_find_material(b->model, p->name, out) == PCS_OK) return PCS_OK;
    return refuse_part(b, p, "material", last, material_name, at);
}

pcs_status find_body(builder *b, const part *p, const place *at, pcs_system *out)
{
    const int last = pcs_model_system_count(b->model);
    if (!p->name && p->id <= last) {
        out->id = p->id;
        return PCS_OK;
    }
    if (p->name && pcs_model_find_system(b->model, p->name, out) == PCS_OK) return PCS_OK;
    return refuse_part(b, p, "body", last, body_name, at);
}

static const char *interaction_name(const pcs_model *m, int id)
{
    return pcs_model_interaction_name(m, (pcs_interaction){id});
}

// true when the list of the file has an interaction of this name, which is not made yet
static bool comes_later(const builder *b, const char *name)
{
    const json_t *list = json_object_get(b->root, "interactions");
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const char *own = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (own && strcmp(own, name) == 0) return true;
    }
    return false;
}

pcs_status find_interaction(builder *b, const part *p, const place *at, pcs_interaction *out)
{
    const int last = pcs_model_interaction_count(b->model);
    if (!p->name && p->id >= 1 && p->id <= last) {
        out->id = p->id;
        return PCS_OK;
    }
    if (p->name && pcs_model_find_interaction(b->model, p->name, out) == PCS_OK) return PCS_OK;
    if (p->name && comes_later(b, p->name)) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "the interaction '%.60s' stands later in the file; move it before this one",
                      p->name);
    }
    return refuse_part(b, p, "interaction", last, interaction_name, at);
}

// ---- materials and pair laws -------------------------------------------------------------------

static pcs_status build_materials(builder *b, const json_t *list, const place *at)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const place item = {at, NULL, i};
        scene_material in;
        pcs_material id;
        PCS_TRY(read_object(&b->src, &material_table, json_array_get(list, i), &item, &in));
        pcs_status status = pcs_model_add_material(b->model, &in.def, &id);
        if (status == PCS_OK && in.name) {
            status = pcs_model_set_material_name(b->model, id, in.name);
        }
        if (status != PCS_OK) return refuse_because(&b->src, &item, status);
    }
    return PCS_OK;
}

static pcs_status build_pair_laws(builder *b, const json_t *list, const place *at)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const place item = {at, NULL, i};
        const json_t *json = json_array_get(list, i);
        scene_pair_law in;
        PCS_TRY(read_object(&b->src, &pair_law_table, json, &item, &in));
        const place parts = place_of(&item, json, "materials");
        const size_t n = json_array_size(json_object_get(json, "materials"));
        pcs_material pair[2];
        for (size_t k = 0; k < n; ++k) {
            const place one = {&parts, NULL, k};
            PCS_TRY(find_material(b, &in.materials[k], &one, &pair[k]));
        }
        if (n == 1) pair[1] = pair[0];
        const pcs_law law = build_law(&in.law);
        const pcs_status status = pcs_model_set_pair_law(b->model, pair[0], pair[1], &law);
        if (status != PCS_OK) return refuse_because(&b->src, &item, status);
    }
    return PCS_OK;
}

// ---- the world and the settings ----------------------------------------------------------------

static pcs_status build_world(builder *b, const scene_world *in, const json_t *json,
                              const place *at, const frame *inertial)
{
    const size_t n = json_array_size(in->shapes);
    waiting_shape *shapes = POOL_TAKE(b->src.pool, n + 1, waiting_shape);
    if (!shapes) return pcs_fail_memory(b->src.name);
    const place list = place_of(at, json, "shapes");
    const place material = place_of(at, json, "material");
    const shape_owner owner = {
        in->material,    table_given(&world_table, in, "material") ? &material : NULL,
        in->group,       in->mask,
        inertial->plane, inertial};
    PCS_TRY(build_shapes(b, in->shapes, &list, &owner, shapes, NULL));
    return build_wait(b, shapes, n, (pcs_system){0});
}

static pcs_status build_settings(builder *b, const scene_settings *in, const json_t *json,
                                 const place *at)
{
    const scene_stop *stop = &in->stop;
    pcs_scene_settings *out = &b->scene->settings;
    *out = (pcs_scene_settings){.h = in->h,
                                .t_end = in->t_end,
                                .frame_steps = in->frame_steps,
                                .frame_seconds = in->frame_seconds,
                                .rest_speed = stop->rest.speed,
                                .rest_time = stop->rest.time,
                                .unconverged = stop->unconverged,
                                .box = table_given(&stop_table, stop, "leaves"),
                                .max_steps = stop->steps};
    if (in->frame_steps > 0 && in->frame_seconds > 0) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has both frame_steps and frame_seconds; give one of them");
    }
    memcpy(out->box_low, stop->leaves.low, sizeof out->box_low);
    memcpy(out->box_high, stop->leaves.high, sizeof out->box_high);
    if (!out->box) return PCS_OK;
    const place where = place_of(at, json, "stop");
    for (int i = 0; i < 3; ++i) {
        if (out->box_low[i] < out->box_high[i]) continue;
        return refuse(&b->src, &where, PCS_ERR_FORMAT,
                      "entry %d of low is %g and that of high %g; a box has low below high", i,
                      out->box_low[i], out->box_high[i]);
    }
    return find_body(b, &stop->leaves.body, &where, &out->box_body);
}

pcs_status build_count(builder *b, int n, const char *what, const place *at)
{
    if (n < SCENE_PARTS_MAX) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_SIZE, "the scene has more than %d %s", (int)SCENE_PARTS_MAX,
                  what);
}

// ---- the scene ---------------------------------------------------------------------------------

pcs_status build_scene(builder *b, const json_t *json)
{
    scene_file in;
    b->root = json;
    PCS_TRY(read_object(&b->src, &file_table, json, NULL, &in));
    const place world = place_of(NULL, json, "world"), bodies = place_of(NULL, json, "bodies"),
                materials = place_of(NULL, json, "materials"),
                pairs = place_of(NULL, json, "pair_laws"),
                interactions = place_of(NULL, json, "interactions"),
                scheme = place_of(NULL, json, "scheme"), run = place_of(NULL, json, "run"),
                gravity = place_of(NULL, json, "gravity");
    PCS_TRY(pcs_scene_describe(b->scene, in.name, in.description));
    const pcs_status status = pcs_model_set_gravity(b->model, in.gravity);
    if (status != PCS_OK) return refuse_because(&b->src, &gravity, status);
    const place geometries = place_of(NULL, json, "geometries");
    PCS_TRY(build_geometries(b, in.geometries, &geometries));
    PCS_TRY(build_materials(b, in.materials, &materials));
    PCS_TRY(build_pair_laws(b, in.pair_laws, &pairs));
    const frame inertial = {.Q = {1, 0, 0, 0}, .plane = (pcs_plane)in.plane};
    PCS_TRY(build_world(b, &in.world, json_object_get(json, "world"), &world, &inertial));
    PCS_TRY(build_bodies(b, in.bodies, &bodies, &inertial));
    PCS_TRY(build_number(b));
    b->joining = true;
    PCS_TRY(build_bodies(b, in.bodies, &bodies, &inertial));
    PCS_TRY(build_interactions(b, in.interactions, &interactions, &inertial, NULL));
    if (table_given(&file_table, &in, "scheme")) {
        PCS_TRY(build_scheme(b, json_object_get(json, "scheme"), &scheme));
    }
    return build_settings(b, &in.run, json_object_get(json, "run"), &run);
}

void builder_release(builder *b)
{
    pcs_env_free(&b->env, b->shape);
}
