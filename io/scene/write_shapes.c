// Shapes as text, in the order of their numbers, and the geometries that they share.
#include <stdio.h>
#include <string.h>

#include <percuss/planar.h>

#include "base/base.h"
#include "scene/writing.h"

// ---- geometries --------------------------------------------------------------------------------

enum { GEOMETRY_NAME = 32 };

// the name in the file that the scene was read from, or "geometry 3"
static const char *geometry_name(const out *o, int number, char own[GEOMETRY_NAME])
{
    const struct pcs_scene_memory *m = o->scene->memory;
    for (size_t i = 0; i < m->n_kept; ++i) {
        if (m->kept[i].geometry == o->written[number] && *m->kept[i].name) return m->kept[i].name;
    }
    snprintf(own, GEOMETRY_NAME, "geometry %d", number + 1);
    return own;
}

// the plane in which the body of a shape moves
static pcs_plane plane_of(const out *o, pcs_system system)
{
    pcs_body_def def;
    if (system.id == 0 || pcs_model_is_lagrangian(o->m, system)) return PCS_PLANE_NONE;
    return pcs_model_body(o->m, system, &def) == PCS_OK ? def.plane : PCS_PLANE_NONE;
}

// true when the shape turns about the normal of the plane only, and its origin is in the plane
static bool lies_in(const pcs_shape *s, pcs_plane plane)
{
    const int normal = 4 - (int)plane; // entry of a quaternion; x-y: z
    bool in = s->position[normal - 1] == 0;
    for (int i = 1; i <= 3; ++i) {
        in = in && (i == normal || s->orientation[i] == 0);
    }
    return in;
}

// The kind of a shape in the file: on planar bodies spheres are disks, boxes as deep as their
// diagonal rectangles, and prisms as deep as they are wide polygons
static int kind_of(const out *o, const pcs_model_shape_def *def)
{
    const pcs_shape *s = &def->shape;
    const pcs_plane plane = plane_of(o, def->system);
    if (plane == PCS_PLANE_NONE || !lies_in(s, plane)) return (int)s->kind;
    const int first = plane == PCS_PLANE_YZ ? 1 : 0, second = plane == PCS_PLANE_XY ? 1 : 2;
    const pcs_shape flat = pcs_shape_rectangle(plane, 2 * s->half[first], 2 * s->half[second]);
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return SHAPE_DISK;
    case PCS_SHAPE_BOX:
        return memcmp(flat.half, s->half, sizeof s->half) == 0 ? SHAPE_RECTANGLE : (int)s->kind;
    case PCS_SHAPE_HULL:
        return pcs_geometry_polygon(s->geometry, plane, NULL) > 0 ? SHAPE_POLYGON : (int)s->kind;
    default:
        return (int)s->kind;
    }
}

// the geometries of the shapes, each once, in the order of the shapes
pcs_status collect_geometries(out *o)
{
    for (int k = 0; k < pcs_model_shape_count(o->m); ++k) {
        pcs_model_shape_def def;
        PCS_TRY(pcs_model_shape(o->m, k, &def));
        o->geometry[k] = -1;
        if (!def.shape.geometry || kind_of(o, &def) == SHAPE_POLYGON) continue;
        int at = o->n_written - 1; // the last one is most likely
        while (at >= 0 && o->written[at] != def.shape.geometry) {
            at -= 1;
        }
        if (at < 0) {
            at = o->n_written++;
            o->written[at] = def.shape.geometry;
        }
        o->geometry[k] = at;
    }
    return PCS_OK;
}

static void write_triangles(writer *w, int n, const int *triangles)
{
    write_open(w, "triangles", '[', n > 4);
    for (int t = 0; t < n; ++t) {
        write_open(w, NULL, '[', false);
        for (int k = 0; k < 3; ++k) {
            write_int(w, NULL, triangles[3 * (size_t)t + k]);
        }
        write_close(w, ']');
    }
    write_close(w, ']');
}

static void write_geometry(out *o, int number)
{
    const pcs_geometry *g = o->written[number];
    const double *points, *heights;
    const int *triangles;
    char own[GEOMETRY_NAME];
    scene_geometry s;
    fields_init(&geometry_table, &s);
    s.name = geometry_name(o, number, own);
    s.kind = (int)pcs_geometry_kind(g) - PCS_SHAPE_HULL;
    const int n_points = pcs_geometry_vertices(g, &points),
              n_triangles = pcs_geometry_triangles(g, &triangles);
    if (n_points > 0) s.points = (numbers){points, n_points, 3};
    if (n_triangles > 0) {
        pcs_inertia inside;
        s.open =
            pcs_inertia_of_mesh(n_points, points, n_triangles, triangles, 1, &inside) != PCS_OK;
    }
    int nx, ny;
    if (pcs_geometry_heights(g, &nx, &ny, &s.dx, &s.dy, &heights)) {
        s.heights = (numbers){heights, ny, nx};
    }
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &geometry_table, &s, NULL);
    if (n_triangles > 0) write_triangles(&o->w, n_triangles, triangles);
    write_close(&o->w, '}');
}

void write_geometries(out *o)
{
    write_open(&o->w, "geometries", '[', true);
    for (int i = 0; i < o->n_written; ++i) {
        write_geometry(o, i);
    }
    write_close(&o->w, ']');
}

// ---- shapes ------------------------------------------------------------------------------------

static pcs_status write_shape(out *o, int number)
{
    pcs_model_shape_def def;
    PCS_TRY(pcs_model_shape(o->m, number, &def));
    scene_shape s;
    fields_init(&shape_table, &s);
    s.kind = kind_of(o, &def);
    s.name = pcs_model_shape_name(o->m, number);
    s.material = material_part(o, def.material);
    memcpy(s.position, def.shape.position, sizeof s.position);
    memcpy(s.orientation, def.shape.orientation, sizeof s.orientation);
    s.radius = def.shape.radius;
    s.length = 2 * def.shape.half[2];
    for (int i = 0; i < 3; ++i) {
        s.size[i] = 2 * def.shape.half[i];
    }
    const pcs_plane plane = s.kind >= SHAPE_DISK ? plane_of(o, def.system) : PCS_PLANE_NONE;
    s.edges[0] = s.size[plane == PCS_PLANE_YZ ? 1 : 0];
    s.edges[1] = s.size[plane == PCS_PLANE_XY ? 1 : 2];
    double *corners = NULL;
    if (s.kind == SHAPE_POLYGON) {
        const int n = pcs_geometry_polygon(def.shape.geometry, plane, NULL);
        corners = pcs_env_alloc(o->env, 2 * (size_t)n, sizeof *corners);
        if (!corners) return pcs_fail_memory("pcs_scene_write");
        s.corners = (numbers){corners, pcs_geometry_polygon(def.shape.geometry, plane, corners), 2};
    }
    char own[GEOMETRY_NAME];
    if (o->geometry[number] >= 0) s.geometry = geometry_name(o, o->geometry[number], own);
    s.group = def.group;
    s.mask = def.mask;
    s.enabled = pcs_model_shape_enabled(o->m, number);
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &shape_table, &s, NULL);
    pcs_env_free(o->env, corners);
    if (o->numbered[number]) write_int(&o->w, "number", number);
    write_close(&o->w, '}');
    return PCS_OK;
}

pcs_status write_shapes(out *o, int system)
{
    write_open(&o->w, "shapes", '[', false);
    for (int k = o->first[system]; k >= 0; k = o->next[k]) {
        PCS_TRY(write_shape(o, k));
    }
    write_close(&o->w, ']');
    return PCS_OK;
}

// the shapes of every system in the order of their numbers
static pcs_status sort_shapes(out *o)
{
    const int systems = pcs_model_system_count(o->m), shapes = pcs_model_shape_count(o->m);
    for (int s = 0; s <= systems; ++s) {
        o->first[s] = -1;
    }
    for (int k = shapes - 1; k >= 0; --k) {
        pcs_model_shape_def def;
        PCS_TRY(pcs_model_shape(o->m, k, &def));
        o->next[k] = o->first[def.system.id];
        o->first[def.system.id] = k;
    }
    return PCS_OK;
}

// true when the shapes without a written number get their own numbers when the file is read
static bool numbers_follow(const out *o)
{
    const int systems = pcs_model_system_count(o->m), shapes = pcs_model_shape_count(o->m);
    int free = 0;
    for (int s = 0; s <= systems; ++s) {
        for (int k = o->first[s]; k >= 0; k = o->next[k]) {
            if (o->numbered[k]) continue;
            while (free < shapes && o->numbered[free]) {
                free += 1;
            }
            if (k != free++) return false;
        }
    }
    return true;
}

// writes no more numbers than the reader needs: none, those of the world, or all
pcs_status number_shapes(out *o)
{
    const int shapes = pcs_model_shape_count(o->m);
    PCS_TRY(sort_shapes(o));
    if (numbers_follow(o)) return PCS_OK;
    for (int k = o->first[0]; k >= 0; k = o->next[k]) {
        o->numbered[k] = true;
    }
    if (numbers_follow(o)) return PCS_OK;
    for (int k = 0; k < shapes; ++k) {
        o->numbered[k] = true;
    }
    return PCS_OK;
}
