// Hulls, meshes and height fields of a scene file: from numbers, or from an OBJ or STL file.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/inertia.h>
#include <percuss/mesh_file.h>
#include <percuss/meshes.h>
#include <percuss/planar.h>

#include "base/base.h"
#include "problem_file/nearest.h"
#include "scene/build.h"

// ---- references --------------------------------------------------------------------------------

static const struct kept_geometry *kept(const builder *b, const char *name)
{
    const struct pcs_scene_memory *m = b->scene->memory;
    for (size_t i = 0; i < m->n_kept; ++i) {
        if (strcmp(m->kept[i].name, name) == 0) return &m->kept[i];
    }
    return NULL;
}

pcs_status find_geometry(builder *b, const char *name, pcs_shape_kind kind, const place *at,
                         const pcs_geometry **out)
{
    static const char *const words[] = {"hull", "mesh", "height_field"};
    const struct pcs_scene_memory *m = b->scene->memory;
    const struct kept_geometry *found = kept(b, name);
    if (!found) {
        const char *names[FIELDS_MAX];
        const int n = m->n_kept < FIELDS_MAX ? (int)m->n_kept : FIELDS_MAX;
        for (int i = 0; i < n; ++i) {
            names[i] = m->kept[i].name;
        }
        const char *like = nearest(name, names, n);
        return refuse(&b->src, at, PCS_ERR_FORMAT, "no geometry has the name '%.60s'%s%.60s%s",
                      name, like ? "; did you mean '" : "; put it into geometries",
                      like ? like : "", like ? "'?" : "");
    }
    *out = found->geometry;
    const pcs_shape_kind is = pcs_geometry_kind(found->geometry);
    if (is == kind) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_FORMAT, "the geometry '%.60s' is a %s and the shape a %s",
                  name, words[is - PCS_SHAPE_HULL], words[kind - PCS_SHAPE_HULL]);
}

// ---- points and triangles ----------------------------------------------------------------------

// the points and triangles of a geometry, from a mesh file or from the text
typedef struct surface {
    int n_points, n_triangles;
    const double *points;
    const int *triangles;
    pcs_mesh_file *file; // or null
} surface;

// the path of a file relative to the folder of the scene
static const char *path_of(builder *b, const char *file)
{
    const char *slash = file[0] == '/' ? NULL : strrchr(b->src.name, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - b->src.name) : 0, length = strlen(file);
    char *path = POOL_TAKE(&b->scene->memory->pool, folder + length + 1, char);
    if (!path) return NULL;
    memcpy(path, b->src.name, folder);
    memcpy(path + folder, file, length);
    return path;
}

static pcs_status load(builder *b, const scene_geometry *in, const place *at, surface *out)
{
    struct pcs_scene_memory *m = b->scene->memory;
    const char *path = path_of(b, in->file);
    struct named_file *named = POOL_TAKE(&m->pool, 1, struct named_file);
    if (!path || !named) return pcs_fail_memory(b->src.name);
    const pcs_status status = pcs_mesh_file_read(&b->env, path, &out->file);
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    *named = (struct named_file){path, m->files};
    m->files = named;
    const size_t n = 3 * (size_t)out->file->n_vertices;
    for (size_t i = 0; i < n; ++i) {
        out->file->vertices[i] *= in->scale;
    }
    out->n_points = out->file->n_vertices;
    out->points = out->file->vertices;
    out->n_triangles = out->file->n_triangles;
    out->triangles = out->file->triangles;
    return PCS_OK;
}

static pcs_status take_triangles(builder *b, const scene_geometry *in, const place *at,
                                 surface *out)
{
    const size_t n = 3 * (size_t)in->triangles.rows;
    int *triangles = POOL_TAKE(b->src.pool, n, int);
    if (!triangles) return pcs_fail_memory(b->src.name);
    for (size_t i = 0; i < n; ++i) {
        const double x = in->triangles.x[i];
        if (!(x >= 0 && x < in->points.rows) || x != floor(x)) {
            const place row = {at, NULL, i / 3}, one = {&row, NULL, i % 3};
            return refuse(&b->src, &one, PCS_ERR_FORMAT,
                          "there is no vertex %g; points has %d, from 0", x, in->points.rows);
        }
        triangles[i] = (int)x;
    }
    out->n_triangles = in->triangles.rows;
    out->triangles = triangles;
    return PCS_OK;
}

static pcs_status take_surface(builder *b, const scene_geometry *in, const json_t *json,
                               const place *at, surface *out)
{
    const bool mesh = in->kind == GEOMETRY_MESH;
    if (in->file && (in->points.x || in->triangles.x)) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it has a file and points; give one of them");
    }
    if (in->file) {
        const place file = place_of(at, json, "file");
        return load(b, in, &file, out);
    }
    if (!in->points.x || (mesh && !in->triangles.x)) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it needs a file, or points%s",
                      mesh ? " and triangles" : "");
    }
    out->n_points = in->points.rows;
    out->points = in->points.x;
    const place triangles = place_of(at, json, "triangles");
    return mesh ? take_triangles(b, in, &triangles, out) : PCS_OK;
}

// a surface that encloses a volume must be closed and outward
static pcs_status check_closed(builder *b, const surface *s, const place *at)
{
    pcs_inertia inside;
    const pcs_status status =
        pcs_inertia_of_mesh(s->n_points, s->points, s->n_triangles, s->triangles, 1, &inside);
    if (status == PCS_OK) return PCS_OK;
    char sentence[400];
    const char *said = pcs_error_text(), *colon = strstr(said, ": ");
    snprintf(sentence, sizeof sentence, "%s", colon ? colon + 2 : said);
    return refuse(&b->src, at, PCS_ERR_FORMAT, "%.300s. Ground and the like may say \"open\": true",
                  sentence);
}

static pcs_status make_surface(builder *b, const scene_geometry *in, const surface *s,
                               const place *at, pcs_geometry **out)
{
    pcs_status status;
    if (in->kind == GEOMETRY_HULL) {
        status = pcs_geometry_create_hull(&b->env, s->n_points, s->points, out);
    } else {
        if (!in->open) PCS_TRY(check_closed(b, s, at));
        status = pcs_geometry_create_mesh(&b->env, s->n_points, s->points, s->n_triangles,
                                          s->triangles, out);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

// ---- polygons ----------------------------------------------------------------------------------

pcs_status polygon_geometry(builder *b, pcs_plane plane, const numbers *corners, const place *at,
                            const pcs_geometry **out)
{
    const struct pcs_scene_memory *m = b->scene->memory;
    pcs_geometry *made;
    const pcs_status status =
        pcs_geometry_create_polygon(&b->env, plane, corners->rows, corners->x, &made);
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    const double *x, *known;
    const int n = pcs_geometry_vertices(made, &x);
    *out = made;
    // copies of a generator share one
    for (size_t i = m->n_kept; i-- > 0;) {
        const pcs_geometry *g = m->kept[i].geometry;
        if (pcs_geometry_kind(g) != PCS_SHAPE_HULL || pcs_geometry_vertices(g, &known) != n ||
            memcmp(known, x, 3 * (size_t)n * sizeof *x) != 0) {
            continue;
        }
        pcs_geometry_destroy(made);
        *out = g;
        return PCS_OK;
    }
    return scene_keep(b->scene, made, "");
}

// ---- geometries --------------------------------------------------------------------------------

static pcs_status make_geometry(builder *b, const scene_geometry *in, const json_t *json,
                                const place *at, pcs_geometry **out)
{
    if (in->kind == GEOMETRY_HEIGHT_FIELD) {
        const numbers *h = &in->heights;
        const pcs_status status =
            pcs_geometry_create_height_field(&b->env, h->width, h->rows, in->dx, in->dy, h->x, out);
        return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
    }
    surface s = {0};
    pcs_status status = take_surface(b, in, json, at, &s);
    if (status == PCS_OK) status = make_surface(b, in, &s, at, out);
    pcs_mesh_file_destroy(s.file);
    return status;
}

static pcs_status build_geometry(builder *b, const json_t *json, const place *at)
{
    scene_geometry in;
    pcs_geometry *geometry;
    PCS_TRY(read_object(&b->src, &geometry_table, json, at, &in));
    if (!*in.name || kept(b, in.name)) {
        const place name = place_of(at, json, "name");
        return refuse(&b->src, &name, PCS_ERR_FORMAT,
                      *in.name ? "another geometry has this name; give each its own"
                               : "the name is empty");
    }
    PCS_TRY(make_geometry(b, &in, json, at, &geometry));
    return scene_keep(b->scene, geometry, in.name);
}

pcs_status build_geometries(builder *b, const json_t *list, const place *at)
{
    pcs_pool *outer = b->src.pool;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const place item = {at, NULL, i};
        pcs_pool pool = pool_begin(&b->env);
        b->src.pool = &pool;
        const pcs_status status = build_geometry(b, json_array_get(list, i), &item);
        pool_release(&pool);
        b->src.pool = outer;
        PCS_TRY(status);
    }
    return PCS_OK;
}
