// Bodies of a scene file, one after another.
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "scene/build.h"

// a symmetric matrix of n x n from its diagonal or all its entries
static pcs_status take_matrix(builder *b, const numbers *in, int n, const place *at, double *out)
{
    if (!in->x) return PCS_OK;
    if (in->rows == n) {
        for (int i = 0; i < n; ++i) {
            out[i * (n + 1)] = in->x[i];
        }
        return PCS_OK;
    }
    if (in->rows != n * n) {
        return refuse(&b->src, at, PCS_ERR_SIZE,
                      "the array has %d entries; it must have %d (the diagonal) or %d", in->rows, n,
                      n * n);
    }
    memcpy(out, in->x, (size_t)in->rows * sizeof *out);
    return PCS_OK;
}

static pcs_status define_body(builder *b, const scene_body *in, const json_t *json, const place *at,
                              pcs_body_def *out)
{
    *out = pcs_body_def_default();
    out->fixed = in->fixed;
    out->mass = in->mass;
    memcpy(out->position, in->position, sizeof out->position);
    memcpy(out->orientation, in->orientation, sizeof out->orientation);
    memcpy(out->velocity, in->velocity, sizeof out->velocity);
    memcpy(out->omega, in->omega, sizeof out->omega);
    const place inertia = place_of(at, json, "inertia"), added = place_of(at, json, "added_mass");
    PCS_TRY(take_matrix(b, &in->inertia, 3, &inertia, out->inertia));
    return take_matrix(b, &in->added_mass, 6, &added, out->added_mass);
}

// mass, inertia and centre of mass of the shapes, which are then seen from it
static pcs_status fill(builder *b, waiting_shape *shapes, size_t n, const double *densities,
                       const place *at, pcs_body_def *def)
{
    pcs_shape *plain = POOL_TAKE(b->src.pool, n + 1, pcs_shape);
    if (!plain) return pcs_fail_memory(b->src.name);
    for (size_t i = 0; i < n; ++i) {
        plain[i] = shapes[i].shape;
    }
    const pcs_status status = pcs_body_def_of_shapes((int)n, plain, densities, def, plain);
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    for (size_t i = 0; i < n; ++i) {
        shapes[i].shape = plain[i];
    }
    return PCS_OK;
}

static pcs_status check_density(builder *b, const scene_body *in, size_t n, const place *at)
{
    static const char *const others[] = {"mass", "inertia"};
    for (size_t i = 0; i < 2; ++i) {
        if (!table_given(&body_table, in, others[i])) continue;
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has a density and a %s; the density of its shapes gives the %s: leave one"
                      " of them out",
                      others[i], others[i]);
    }
    if (n > 0) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_FORMAT,
                  "it has a density and no shapes; give it shapes, or"
                  " mass and inertia");
}

static pcs_status build_rigid(builder *b, const scene_body *in, const json_t *json, const place *at,
                              size_t item)
{
    const size_t n = json_array_size(in->shapes);
    const bool dense = in->density > 0;
    pcs_body_def def;
    PCS_TRY(define_body(b, in, json, at, &def));
    if (dense) PCS_TRY(check_density(b, in, n, at));

    waiting_shape *shapes = POOL_TAKE(b->src.pool, n + 1, waiting_shape);
    double *densities = POOL_TAKE(b->src.pool, n + 1, double);
    if (!shapes || !densities) return pcs_fail_memory(b->src.name);
    for (size_t i = 0; i < n; ++i) {
        densities[i] = in->density;
    }
    const place list = place_of(at, json, "shapes");
    const shape_owner owner = {in->material, table_given(&body_table, in, "material"), in->group,
                               in->mask, item};
    PCS_TRY(build_shapes(b, in->shapes, &list, &owner, shapes, dense ? densities : NULL));
    if (dense && !in->fixed) PCS_TRY(fill(b, shapes, n, densities, at, &def));

    pcs_system system;
    pcs_status status = pcs_model_add_body(b->model, &def, &system);
    if (status == PCS_OK && in->name) {
        status = pcs_model_set_system_name(b->model, system, in->name);
    }
    if (status == PCS_OK && !in->enabled) {
        status = pcs_model_set_enabled(b->model, system, false);
    }
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    return build_wait(b, shapes, n, system);
}

pcs_status build_bodies(builder *b, const json_t *list, const place *at)
{
    const size_t n = json_array_size(list);
    pcs_pool *outer = b->src.pool;
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        const json_t *json = json_array_get(list, i);
        pcs_pool pool = pool_begin(&b->env); // what one body needs
        b->src.pool = &pool;
        scene_body body;
        pcs_status status = read_object(&b->src, &body_table, json, &item, &body);
        if (status == PCS_OK) status = build_rigid(b, &body, json, &item, i);
        pool_release(&pool);
        b->src.pool = outer;
        PCS_TRY(status);
    }
    return PCS_OK;
}
