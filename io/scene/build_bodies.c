// Bodies and Lagrangian systems of a scene file, one after another, in the frame of the copy that
// they belong to.
#include <string.h>

#include <percuss/parts.h>
#include <percuss/planar.h>

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

static bool is_zero(const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (x[i] != 0) return false;
    }
    return true;
}

static pcs_status define_body(builder *b, const scene_body *in, const json_t *json, const place *at,
                              const frame *f, pcs_body_def *out)
{
    *out = pcs_body_def_default();
    out->fixed = in->fixed;
    out->plane = (pcs_plane)in->plane;
    out->mass = in->mass;
    memcpy(out->position, in->position, sizeof out->position);
    memcpy(out->orientation, in->orientation, sizeof out->orientation);
    memcpy(out->velocity, in->velocity, sizeof out->velocity);
    memcpy(out->omega, in->omega, sizeof out->omega);
    frame_point(f, out->position);
    frame_rotation(f, out->orientation);
    frame_vector(f, out->velocity);
    const place inertia = place_of(at, json, "inertia"), added = place_of(at, json, "added_mass");
    PCS_TRY(take_matrix(b, &in->inertia, 3, &inertia, out->inertia));
    if (in->inertia.x && !in->fixed && is_zero(out->inertia, 9)) {
        return refuse(&b->src, &inertia, PCS_ERR_FORMAT,
                      "all its numbers are 0; leave it out for the inertia of the shapes");
    }
    PCS_TRY(take_matrix(b, &in->added_mass, 6, &added, out->added_mass));
    if (table_given(&body_table, in, "load")) {
        pcs_load *load;
        PCS_TRY(build_load(b, &in->load, f, &load));
        out->force = pcs_load_act;
        out->user = load;
    }
    if (table_given(&body_table, in, "carrier") || in->moves) {
        return build_carried(b, in, json, at, f, out);
    }
    if (in->vehicle) {
        static const char *const others[] = {"mass",   "density",    "inertia", "load",
                                             "motion", "added_mass", "fixed"};
        const place key = place_of(at, json, "vehicle");
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
            if (!table_given(&body_table, in, others[i])) continue;
            return refuse(&b->src, &key, PCS_ERR_FORMAT,
                          "it has a vehicle and %s, which the vehicle gives; leave one out",
                          others[i]);
        }
        return build_vehicle(b, in->vehicle, &key, out);
    }
    if (table_given(&body_table, in, "motion")) {
        pcs_motion *motion;
        const place key = place_of(at, json, "motion");
        if (out->force) {
            return refuse(&b->src, &key, PCS_ERR_FORMAT,
                          "it has a motion and a load, which would have no effect; leave one out");
        }
        PCS_TRY(build_motion(b, &in->motion, out, f, &key, &motion));
        out->motion = pcs_motion_follow;
        out->user = motion;
    }
    return PCS_OK;
}

// mass, inertia and centre of mass of the shapes, which then become relative to that centre
static pcs_status fill(builder *b, waiting_shape *shapes, size_t n, const double *densities,
                       const place *at, pcs_body_def *def)
{
    pcs_shape *plain = POOL_TAKE(b->src.pool, n + 1, pcs_shape);
    if (!plain) return pcs_fail_memory(b->src.name);
    size_t planar = 0;
    for (size_t i = 0; i < n; ++i) {
        plain[i] = shapes[i].shape;
        planar += shapes[i].planar;
    }
    if (planar > 0 && planar < n) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "its density would be per area of %zu shapes and per volume of %zu; use"
                      " disks, rectangles and polygons only, or give mass and inertia",
                      planar, n - planar);
    }
    const pcs_status status =
        planar > 0 ? pcs_body_def_of_planar_shapes((int)n, plain, densities, def, plain)
                   : pcs_body_def_of_shapes((int)n, plain, densities, def, plain);
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

// the last members of every kind: name, enabled or not
static pcs_status finish(builder *b, const scene_body *in, const place *at, const frame *f,
                         pcs_status status, pcs_system system)
{
    const char *name = NULL;
    if (status == PCS_OK) status = copy_name(b, in->name, f, &name);
    if (status == PCS_OK && name) status = pcs_model_set_system_name(b->model, system, name);
    if (status == PCS_OK && !in->enabled) {
        status = pcs_model_set_enabled(b->model, system, false);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

static pcs_status build_rigid(builder *b, const scene_body *in, const json_t *json, const place *at,
                              const frame *f)
{
    const size_t n = json_array_size(in->shapes);
    const bool dense = in->density > 0;
    pcs_body_def def;
    PCS_TRY(define_body(b, in, json, at, f, &def));
    if (dense) PCS_TRY(check_density(b, in, n, at));

    waiting_shape *shapes = POOL_TAKE(b->src.pool, n + 1, waiting_shape);
    double *densities = POOL_TAKE(b->src.pool, n + 1, double);
    if (!shapes || !densities) return pcs_fail_memory(b->src.name);
    for (size_t i = 0; i < n; ++i) {
        densities[i] = in->density;
    }
    const place list = place_of(at, json, "shapes");
    const place material = place_of(at, json, "material");
    const shape_owner owner = {in->material,
                               table_given(&body_table, in, "material") ? &material : NULL,
                               in->group,
                               in->mask,
                               (pcs_plane)in->plane,
                               f};
    PCS_TRY(build_shapes(b, in->shapes, &list, &owner, shapes, dense ? densities : NULL));
    if (dense && !def.fixed && !def.motion) PCS_TRY(fill(b, shapes, n, densities, at, &def));

    pcs_system system = {0};
    const pcs_status status = pcs_model_add_body(b->model, &def, &system);
    PCS_TRY(finish(b, in, at, f, status, system));
    return build_wait(b, shapes, n, system);
}

// ---- Lagrangian systems ------------------------------------------------------------------------

// n numbers, or null when they are not given
static pcs_status take_vector(builder *b, const scene_body *in, const json_t *json, const char *key,
                              const numbers *x, int n, const place *at, const double **out)
{
    *out = x->x;
    if (!table_given(&body_table, in, key) || x->rows * x->width == n) return PCS_OK;
    const place where = place_of(at, json, key);
    return refuse(&b->src, &where, PCS_ERR_SIZE, "it has %d entries; mass_matrix makes it %d",
                  x->rows * x->width, n);
}

// n x n by rows to columns
static pcs_status take_square(builder *b, const scene_body *in, const json_t *json, const char *key,
                              const numbers *x, int n, const place *at, const double **out)
{
    *out = NULL;
    if (!x->x) return PCS_OK;
    if (x->rows != n || x->width != n) {
        const place where = place_of(at, json, key);
        return refuse(&b->src, &where, PCS_ERR_SIZE,
                      "it is %d x %d; it must be %d x %d, as mass_matrix", x->rows, x->width, n, n);
    }
    (void)in;
    double *columns = POOL_TAKE(b->src.pool, (size_t)n * (size_t)n, double);
    if (!columns) return pcs_fail_memory(b->src.name);
    for (size_t i = 0; i < (size_t)n; ++i) {
        for (size_t j = 0; j < (size_t)n; ++j) {
            columns[i + (size_t)n * j] = x->x[(size_t)n * i + j];
        }
    }
    *out = columns;
    return PCS_OK;
}

static pcs_status build_lagrangian(builder *b, const scene_body *in, const json_t *json,
                                   const place *at, const frame *f)
{
    const int n = in->mass_matrix.rows;
    pcs_lagrangian_def def = {.n = n};
    PCS_TRY(take_square(b, in, json, "mass_matrix", &in->mass_matrix, n, at, &def.mass));
    PCS_TRY(take_square(b, in, json, "stiffness", &in->stiffness, n, at, &def.stiffness));
    PCS_TRY(take_square(b, in, json, "damping", &in->damping, n, at, &def.damping));
    PCS_TRY(take_vector(b, in, json, "forces", &in->forces, n, at, &def.load));
    PCS_TRY(take_vector(b, in, json, "q", &in->q, n, at, &def.q0));
    PCS_TRY(take_vector(b, in, json, "v", &in->v, n, at, &def.v0));
    pcs_system system = {0};
    const pcs_status status = pcs_model_add_lagrangian(b->model, &def, &system);
    return finish(b, in, at, f, status, system);
}

// ---- all kinds -------------------------------------------------------------------------------

static pcs_status build_body(builder *b, const json_t *json, const place *at, const frame *f)
{
    scene_body in;
    if (b->joining && !json_object_get(json, "bodies")) return PCS_OK;
    PCS_TRY(read_object(&b->src, &body_table, json, at, &in));
    if (!table_given(&body_table, &in, "plane")) in.plane = (int)f->plane;
    switch ((scene_body_kind)in.kind) {
    case BODY_LATTICE:
    case BODY_RING:
    case BODY_STACK:
        return build_copies(b, &in, json, at, f);
    default:
        break;
    }
    PCS_TRY(build_count(b, pcs_model_system_count(b->model), "bodies", at));
    return in.kind == BODY_LAGRANGIAN ? build_lagrangian(b, &in, json, at, f)
                                      : build_rigid(b, &in, json, at, f);
}

pcs_status build_bodies(builder *b, const json_t *list, const place *at, const frame *f)
{
    const size_t n = json_array_size(list);
    pcs_pool *outer = b->src.pool;
    frame own = *f;
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        pcs_pool pool = pool_begin(&b->env); // memory of one body
        b->src.pool = &pool;
        if (f->depth == 0) own.item = i;
        const pcs_status status = build_body(b, json_array_get(list, i), &item, &own);
        pool_release(&pool);
        b->src.pool = outer;
        PCS_TRY(status);
    }
    return PCS_OK;
}
