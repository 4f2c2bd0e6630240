// Shapes of a scene file: read with their body, added to the model after all bodies, in the order
// of their numbers.
#include <string.h>

#include <percuss/parts.h>
#include <percuss/planar.h>

#include "base/base.h"
#include "scene/build.h"

// ---- one shape ---------------------------------------------------------------------------------

static pcs_status half_space(builder *b, const scene_shape *in, const place *at, pcs_shape *out)
{
    const bool by_normal = table_given(&shape_table, in, "normal");
    const bool by_pose =
        table_given(&shape_table, in, "position") || table_given(&shape_table, in, "orientation");
    if (by_normal && by_pose) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has a normal and a position or an orientation; give one of them");
    }
    if (table_given(&shape_table, in, "offset") && !by_normal) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it has an offset and no normal");
    }
    if (!by_normal) return PCS_OK;
    *out = pcs_shape_half_space(in->normal, in->offset);
    return PCS_OK;
}

static pcs_status planar_shape(builder *b, const scene_shape *in, pcs_plane plane, const place *at,
                               pcs_shape *out)
{
    static const char *const words[] = {"disk", "rectangle", "polygon"};
    if (plane == PCS_PLANE_NONE) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "a %s is a shape of planar bodies; give the body, or the file, its plane, for"
                      " example \"plane\": \"xz\"",
                      words[in->kind - SHAPE_DISK]);
    }
    switch (in->kind) {
    case SHAPE_DISK:
        *out = pcs_shape_sphere(in->radius);
        return PCS_OK;
    case SHAPE_RECTANGLE:
        *out = pcs_shape_rectangle(plane, in->edges[0], in->edges[1]);
        return PCS_OK;
    default:
        *out = (pcs_shape){.kind = PCS_SHAPE_HULL};
        return polygon_geometry(b, plane, &in->corners, at, &out->geometry);
    }
}

static pcs_status make_shape(builder *b, const scene_shape *in, pcs_plane plane, const place *at,
                             pcs_shape *out)
{
    *out = (pcs_shape){.kind = (pcs_shape_kind)in->kind};
    if (in->kind >= SHAPE_DISK) PCS_TRY(planar_shape(b, in, plane, at, out));
    memcpy(out->position, in->position, sizeof out->position);
    memcpy(out->orientation, in->orientation, sizeof out->orientation);
    switch (in->kind) {
    case SHAPE_DISK:
    case SHAPE_RECTANGLE:
    case SHAPE_POLYGON:
        break;
    case PCS_SHAPE_CAPSULE:
    case PCS_SHAPE_CYLINDER:
        out->half[2] = in->length / 2;
        out->radius = in->radius;
        break;
    case PCS_SHAPE_SPHERE:
        out->radius = in->radius;
        break;
    case PCS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            out->half[i] = in->size[i] / 2;
        }
        break;
    case PCS_SHAPE_HALF_SPACE:
        PCS_TRY(half_space(b, in, at, out));
        break;
    default:
        PCS_TRY(find_geometry(b, in->geometry, out->kind, at, &out->geometry));
    }
    const pcs_status status = pcs_shape_check(out);
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

pcs_status build_shapes(builder *b, const json_t *list, const place *at, const shape_owner *owner,
                        waiting_shape *out, double *densities)
{
    const size_t n = json_array_size(list);
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        const json_t *json = json_array_get(list, i);
        scene_shape s;
        PCS_TRY(read_object(&b->src, &shape_table, json, &item, &s));
        waiting_shape *w = &out[i];
        PCS_TRY(build_count(b, (int)(b->n_shapes + i), "shapes", &item));
        const bool own = table_given(&shape_table, &s, "material");
        *w = (waiting_shape){.group =
                                 table_given(&shape_table, &s, "group") ? s.group : owner->group,
                             .mask = table_given(&shape_table, &s, "mask") ? s.mask : owner->mask,
                             .enabled = s.enabled,
                             .planar = s.kind >= SHAPE_DISK,
                             .number = table_given(&shape_table, &s, "number") ? s.number : -1,
                             .item = owner->frame->item};
        PCS_TRY(copy_name(b, s.name, owner->frame, &w->name));
        PCS_TRY(make_shape(b, &s, owner->plane, &item, &w->shape));
        if (own || owner->material_at) {
            const place key = own ? place_of(&item, json, "material") : *owner->material_at;
            PCS_TRY(find_material(b, own ? &s.material : &owner->material, &key, &w->material));
        }
        if (!densities && s.density > 0) {
            const place key = place_of(&item, json, "density");
            return refuse(&b->src, &key, PCS_ERR_FORMAT,
                          "a shape has a density, but its body has none; give the body one too");
        }
        if (densities && s.density > 0) densities[i] = s.density;
    }
    return PCS_OK;
}

// ---- their numbers -----------------------------------------------------------------------------

pcs_status build_wait(builder *b, const waiting_shape *shapes, size_t n, pcs_system system)
{
    while (b->n_shapes + n > b->cap_shapes) {
        const size_t wanted = b->cap_shapes > 0 ? 2 * b->cap_shapes : 64;
        waiting_shape *larger = pcs_env_alloc(&b->env, wanted, sizeof *larger);
        if (!larger) return pcs_fail_memory(b->src.name);
        if (b->shape) memcpy(larger, b->shape, b->n_shapes * sizeof *larger);
        pcs_env_free(&b->env, b->shape);
        b->shape = larger;
        b->cap_shapes = wanted;
    }
    for (size_t i = 0; i < n; ++i) {
        b->shape[b->n_shapes] = shapes[i];
        b->shape[b->n_shapes++].system = system;
    }
    return PCS_OK;
}

// the place of the body of a shape, or of the world; `list` contains it
static place owner_of(const builder *b, const waiting_shape *w, place *list)
{
    *list = place_of(NULL, b->root, w->system.id > 0 ? "bodies" : "world");
    return w->system.id > 0 ? (place){list, NULL, w->item} : *list;
}

static pcs_status add_shape(builder *b, const waiting_shape *w)
{
    const int number = pcs_model_shape_count(b->model);
    pcs_status status = pcs_model_add_shape(b->model, w->system, &w->shape, w->material);
    if (status == PCS_OK && (w->group != 1 || w->mask != ~0u)) {
        status = pcs_model_set_shape_groups(b->model, number, w->group, w->mask);
    }
    if (status == PCS_OK && !w->enabled) {
        status = pcs_model_set_shape_enabled(b->model, number, false);
    }
    if (status == PCS_OK && w->name) {
        status = pcs_model_set_shape_name(b->model, number, w->name);
    }
    if (status == PCS_OK) return PCS_OK;
    place list;
    const place owner = owner_of(b, w, &list);
    return refuse_because(&b->src, &owner, status);
}

// shapes with a number take their places first; the others fill the rest
static pcs_status place_shapes(builder *b, const waiting_shape **at)
{
    const size_t n = b->n_shapes;
    for (size_t i = 0; i < n; ++i) {
        const waiting_shape *w = &b->shape[i];
        if (w->number < 0) continue;
        place list;
        const place owner = owner_of(b, w, &list);
        if ((size_t)w->number >= n) {
            return refuse(&b->src, &owner, PCS_ERR_FORMAT,
                          "a shape has the number %d; the scene has %zu shapes, from 0", w->number,
                          n);
        }
        if (at[w->number]) {
            return refuse(&b->src, &owner, PCS_ERR_FORMAT, "two shapes have the number %d",
                          w->number);
        }
        at[w->number] = w;
    }
    size_t next = 0;
    for (size_t i = 0; i < n; ++i) {
        if (b->shape[i].number >= 0) continue;
        while (at[next]) {
            next += 1;
        }
        at[next] = &b->shape[i];
    }
    return PCS_OK;
}

pcs_status build_number(builder *b)
{
    const waiting_shape **at = pcs_env_alloc(&b->env, b->n_shapes + 1, sizeof *at);
    if (!at) return pcs_fail_memory(b->src.name);
    pcs_status status = place_shapes(b, at);
    for (size_t i = 0; i < b->n_shapes && status == PCS_OK; ++i) {
        status = add_shape(b, at[i]);
    }
    pcs_env_free(&b->env, at);
    return status;
}
