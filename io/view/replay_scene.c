// The scene of a replay page: bodies, shapes, facts and curves as JSON, and geometries as packed
// numbers. doc/replay.md has the layout; io/view/web/data.js reads it.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/joint.h>

#include "base/base.h"
#include "problem_file/json.h"
#include "problem_file/worst.h"
#include "view/book.h"
#include "view/packed.h"

// ---- the scene ---------------------------------------------------------------------------------

static int geometry_number(book *b, const pcs_geometry *geometry)
{
    // the shapes of a heap share few geometries, and neighbours mostly the last one
    for (int i = b->geometries - 1; i >= 0; --i) {
        if (b->geometry[i] == geometry) return i;
    }
    b->geometry[b->geometries] = geometry;
    return b->geometries++;
}

static pcs_status write_shape(json *j, book *b, int number)
{
    static const char *const kinds[] = {
        [PCS_SHAPE_SPHERE] = "sphere",     [PCS_SHAPE_HALF_SPACE] = "half-space",
        [PCS_SHAPE_BOX] = "box",           [PCS_SHAPE_CAPSULE] = "capsule",
        [PCS_SHAPE_CYLINDER] = "cylinder", [PCS_SHAPE_HULL] = "geometry",
        [PCS_SHAPE_MESH] = "geometry",     [PCS_SHAPE_HEIGHT_FIELD] = "geometry",
    };
    pcs_model_shape_def def;
    PCS_TRY(pcs_model_shape(b->model, number, &def));
    if (!pcs_model_shape_enabled(b->model, number)) return PCS_OK;
    PCS_TRY(book_flatten(b, def.system, &def.shape));
    const pcs_shape *s = &def.shape;
    json_open(j, NULL, '{');
    json_int(j, "body", def.system.id);
    json_text(j, "kind", kinds[s->kind]);
    const double round[2] = {s->radius, s->half[2]};
    if (s->kind == PCS_SHAPE_BOX)
        json_reals(j, "size", 3, s->half);
    else
        json_reals(j, "size", s->kind == PCS_SHAPE_SPHERE ? 1 : 2, round);
    double pose[CHANNELS], norm = 0;
    for (int i = 0; i < 4; ++i) {
        norm += s->orientation[i] * s->orientation[i];
    }
    for (int i = 0; i < CHANNELS; ++i) {
        pose[i] = i < 3 ? s->position[i] : s->orientation[i - 3] / sqrt(norm);
    }
    json_reals(j, "pose", CHANNELS, pose);
    json_int(j, "material", def.material.id);
    if (s->geometry) json_int(j, "geometry", geometry_number(b, s->geometry));
    if (*pcs_model_shape_name(b->model, number)) {
        json_text(j, "name", pcs_model_shape_name(b->model, number));
    }
    json_close(j, '}');
    return PCS_OK;
}

static void write_body(json *j, const book *b, int body)
{
    pcs_inertia mass;
    const bool moves = body > 0 && !pcs_model_is_lagrangian(b->model, (pcs_system){body}) &&
                       pcs_model_inertia(b->model, (pcs_system){body}, &mass) == PCS_OK;
    json_open(j, NULL, '{');
    json_text(j, "name", pcs_model_system_name(b->model, (pcs_system){body}));
    json_real(j, "mass", moves ? mass.m : 0);
    json_int(j, "row", b->row[body]);
    if (b->row[body] < 0) json_reals(j, "pose", CHANNELS, b->first[body]);
    json_close(j, '}');
}

static void write_bodies_of(json *j, pcs_system system1, pcs_system system2)
{
    json_open(j, "bodies", '[');
    json_int(j, NULL, system1.id);
    json_int(j, NULL, system2.id);
    json_close(j, ']');
}

// two arrays of n numbers as one
static void write_pair(json *j, const char *key, int n, const double *one, const double *two)
{
    json_open(j, key, '[');
    for (int i = 0; i < 2 * n; ++i) {
        json_real(j, NULL, i < n ? one[i] : two[i - n]);
    }
    json_close(j, ']');
}

// the limits of a joint: its coordinate, low and high; null where there is none
static void write_limits(json *j, const book *b, pcs_interaction joint)
{
    json_open(j, "limits", '[');
    for (int i = 0; i < b->n_limits; ++i) {
        pcs_joint_limits limits;
        if (pcs_model_joint_limits(b->model, b->limits[i], &limits) != PCS_OK ||
            limits.joint.id != joint.id) {
            continue;
        }
        json_open(j, NULL, '[');
        json_int(j, NULL, limits.coordinate);
        json_real(j, NULL, limits.low);
        json_real(j, NULL, limits.high);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void write_joint(json *j, const book *b, pcs_interaction id, const pcs_joint_def *joint)
{
    static const char *const kinds[PCS_JOINT_KIND_COUNT] = {
        [PCS_JOINT_BALL] = "ball",         [PCS_JOINT_HINGE] = "hinge",
        [PCS_JOINT_SLIDER] = "slider",     [PCS_JOINT_CYLINDRICAL] = "cylindrical",
        [PCS_JOINT_FIXED] = "fixed",       [PCS_JOINT_UNIVERSAL] = "universal",
        [PCS_JOINT_PLANAR] = "planar",     [PCS_JOINT_POINT_ON_LINE] = "point-on-line",
        [PCS_JOINT_SCREW] = "screw",       [PCS_JOINT_GEAR] = "gear",
        [PCS_JOINT_DISTANCE] = "distance",
    };
    json_open(j, NULL, '{');
    json_text(j, "kind", kinds[joint->kind]);
    write_bodies_of(j, joint->system1, joint->system2);
    write_pair(j, "points", 3, joint->point1, joint->point2);
    if (joint->kind == PCS_JOINT_DISTANCE) {
        json_real(j, "length", joint->length);
    } else if (joint->kind != PCS_JOINT_BALL) {
        write_pair(j, "axes", 4, joint->axes1, joint->axes2);
        write_limits(j, b, id);
    }
    if (joint->kind == PCS_JOINT_SCREW) json_real(j, "pitch", joint->pitch);
    if (joint->kind == PCS_JOINT_GEAR) {
        json_open(j, "teeth", '[');
        json_int(j, NULL, joint->teeth[0]);
        json_int(j, NULL, joint->teeth[1]);
        json_close(j, ']');
    }
    json_close(j, '}');
}

// writes a relation between points of bodies; others have no place to draw
static void write_interaction(json *j, const book *b, int number)
{
    const pcs_interaction id = {number};
    pcs_interaction_def def;
    pcs_joint_def joint;
    if (pcs_model_interaction(b->model, id, &def) != PCS_OK) return;
    if (!pcs_model_interaction_enabled(b->model, id)) return;
    if (pcs_model_joint(b->model, id, &joint) == PCS_OK) {
        write_joint(j, b, id, &joint);
    } else if (pcs_relation_kind_of(&def.relation) == PCS_RELATION_ROPE) {
        json_open(j, NULL, '{');
        json_text(j, "kind", "rope");
        write_bodies_of(j, def.system1, def.system2);
        json_reals(j, "points", 6, def.relation.data);
        json_real(j, "length", def.relation.data[6]);
        json_close(j, '}');
    }
}

// A torsional spring has no points: where a joint holds its bodies together is the place to draw
// it, else the centre of mass of the first one.
static void place_torsion(const book *b, const pcs_force_def *f, double p1[3], double p2[3])
{
    for (int i = 1; i <= pcs_model_interaction_count(b->model); ++i) {
        pcs_joint_def joint;
        if (pcs_model_joint(b->model, (pcs_interaction){i}, &joint) != PCS_OK) continue;
        const bool same = joint.system1.id == f->system1.id && joint.system2.id == f->system2.id;
        if (!same && !(joint.system1.id == f->system2.id && joint.system2.id == f->system1.id)) {
            continue;
        }
        memcpy(p1, same ? joint.point1 : joint.point2, 3 * sizeof *p1);
        memcpy(p2, same ? joint.point2 : joint.point1, 3 * sizeof *p2);
        return;
    }
}

static void write_force(json *j, const book *b, int number)
{
    const pcs_force id = {number};
    pcs_force_def def;
    bool enabled;
    if (pcs_trajectory_force(b->trajectory, id, &def, &enabled) != PCS_OK || !enabled) return;
    // a torsional spring is drawn at one place
    if (!force_has_line(b->trajectory, id, &def) &&
        (def.kind != PCS_FORCE_TORSION || pcs_model_is_lagrangian(b->model, def.system1))) {
        return;
    }
    if (def.kind == PCS_FORCE_TORSION) place_torsion(b, &def, def.p1, def.p2);
    json_open(j, NULL, '{');
    json_text(j, "kind", pcs_force_kind_word(def.kind));
    json_text(j, "name", pcs_trajectory_force_name(b->trajectory, id));
    write_bodies_of(j, def.system1, def.system2);
    write_pair(j, "points", 3, def.p1, def.p2);
    if (def.kind == PCS_FORCE_BUSHING) write_pair(j, "axes", 4, def.frame1, def.frame2);
    if (def.kind == PCS_FORCE_TORSION) json_reals(j, "axis", 3, def.axis);
    json_real(j, "stiffness", def.stiffness);
    json_real(j, "damping", def.damping);
    json_close(j, '}');
}

static void write_range(json *j, const char *key, int n, range *const *r)
{
    json_open(j, key, '{');
    json_open(j, "lo", '[');
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) {
            json_real(j, NULL, r[k]->lo[i]);
        }
    }
    json_close(j, ']');
    json_open(j, "step", '[');
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) {
            json_real(j, NULL, range_step(r[k], i));
        }
    }
    json_close(j, ']');
    json_close(j, '}');
}

// ---- curves ------------------------------------------------------------------------------------

typedef struct curve {
    const char *name, *group, *unit;
    bool log;
    bool worst; // the worst of all steps since the frame before, else the value of the last
    double (*value)(const pcs_step_report *report);
} curve;

static double kinetic(const pcs_step_report *r)
{
    return r->energy.kinetic_after;
}
static double potential(const pcs_step_report *r)
{
    return r->energy.potential_after;
}
static double sum(const pcs_step_report *r)
{
    return kinetic(r) + potential(r);
}
static double residual(const pcs_step_report *r)
{
    return r->solve.measure.residual;
}
static double active(const pcs_step_report *r)
{
    return r->active;
}
static double overlap(const pcs_step_report *r)
{
    return r->penetration;
}

static const curve curves[] = {
    {"kinetic", "energy", "J", false, false, kinetic},
    {"potential", "energy", "J", false, false, potential},
    {"sum", "energy", "J", false, false, sum},
    {"residual", "residual", "", true, true, residual},
    {"active contacts and joints", "active", "", false, false, active},
    {"overlap", "overlap", "m", false, true, overlap},
};
#define CURVES ((int)(sizeof curves / sizeof *curves))

static double fold(const curve *c, int n, const pcs_step_report *report)
{
    if (n == 0) return NAN;
    double value = c->value(&report[n - 1]);
    for (int i = 0; c->worst && i < n - 1; ++i) {
        value = worst_of(value, c->value(&report[i]));
    }
    return value;
}

static pcs_status read_curves(const book *b, double *value)
{
    pcs_step_report *report = NULL;
    long before = 0, room = 0;
    pcs_status status = PCS_OK;
    for (long k = 0; k < b->frames && status == PCS_OK; ++k) {
        pcs_trajectory_frame frame;
        status = pcs_trajectory_read_frame(b->trajectory, book_frame(b, k), &frame);
        const long n = status == PCS_OK ? frame.step - before : 0;
        if (n > room) {
            free(report);
            report = malloc((size_t)n * sizeof *report);
            room = report ? n : 0;
            if (!report) status = pcs_fail_memory("pcs_replay_write");
        }
        if (status == PCS_OK && n > 0) {
            status = pcs_trajectory_read_steps(b->trajectory, before, n, NULL, report);
        }
        for (int c = 0; c < CURVES; ++c) {
            value[c * b->frames + k] = status == PCS_OK ? fold(&curves[c], (int)n, report) : NAN;
        }
        before = status == PCS_OK ? frame.step : before;
    }
    free(report);
    return status;
}

static pcs_status write_curves(json *j, const book *b)
{
    double *value = malloc((size_t)b->frames * CURVES * sizeof *value);
    if (!value) return pcs_fail_memory("pcs_replay_write");
    const pcs_status status = read_curves(b, value);
    json_open(j, "curves", '[');
    for (int c = 0; c < CURVES && status == PCS_OK; ++c) {
        json_open(j, NULL, '{');
        json_text(j, "name", curves[c].name);
        json_text(j, "group", curves[c].group);
        json_text(j, "unit", curves[c].unit);
        json_bool(j, "log", curves[c].log);
        json_reals(j, "values", (int)b->frames, value + c * b->frames);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(value);
    return status;
}

// ---- the head of the page ----------------------------------------------------------------------

static void write_fact(json *j, const char *name, const char *format, ...) PCS_PRINTF(3, 4);
static void write_fact(json *j, const char *name, const char *format, ...)
{
    char words[200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    json_open(j, NULL, '[');
    json_text(j, NULL, name);
    json_text(j, NULL, words);
    json_close(j, ']');
}

static void write_facts(json *j, const book *b, const pcs_trajectory_info *info)
{
    json_open(j, "facts", '[');
    write_fact(j, "bodies", "%d, of which %d move", b->bodies - 1, b->rows);
    write_fact(j, "shapes", "%d", pcs_model_shape_count(b->model));
    write_fact(j, "frames", "%ld of %ld", b->frames, info->frames);
    write_fact(j, "steps", "%ld", info->steps);
    write_fact(j, "recorded by", "percuss %s", info->version);
    write_fact(j, "model hash", "%016llx", info->model_hash);
    if (info->seed) write_fact(j, "seed", "%llu", info->seed);
    if (!info->closed) write_fact(j, "recording", "not closed");
    json_close(j, ']');
}

pcs_status book_write_scene(book *b, FILE *page)
{
    const pcs_trajectory_info info = pcs_trajectory_info_of(b->trajectory);
    const double *times = pcs_trajectory_times(b->trajectory);
    const char *title = b->def.title ? b->def.title : info.title;
    json j = {.out = page};
    double up[3];
    pcs_model_gravity(b->model, up);
    const double g = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
    for (int i = 0; i < 3; ++i) {
        up[i] = g > 0 ? -up[i] / g : i == 2;
    }
    fputs("<script type=\"application/json\" id=\"percuss-scene\">", page);
    json_open(&j, NULL, '{');
    json_text(&j, "format", "percuss-replay");
    json_int(&j, "version", 2);
    json_text(&j, "title", *title ? title : "trajectory");
    json_reals(&j, "up", 3, up);
    json_open(&j, "times", '[');
    for (long k = 0; k < b->frames; ++k) {
        json_real(&j, NULL, times[book_frame(b, k)]);
    }
    json_close(&j, ']');
    json_open(&j, "bodies", '[');
    for (int body = 0; body < b->bodies; ++body) {
        write_body(&j, b, body);
    }
    json_close(&j, ']');
    json_open(&j, "shapes", '[');
    for (int i = 0; i < pcs_model_shape_count(b->model); ++i) {
        PCS_TRY(write_shape(&j, b, i));
    }
    json_close(&j, ']');
    json_open(&j, "joints", '[');
    for (int i = 1; i <= pcs_model_interaction_count(b->model); ++i) {
        write_interaction(&j, b, i);
    }
    json_close(&j, ']');
    json_open(&j, "forces", '[');
    for (int i = 1; i <= pcs_trajectory_force_count(b->trajectory); ++i) {
        write_force(&j, b, i);
    }
    json_close(&j, ']');
    json_open(&j, "materials", '[');
    for (int i = 0; i < pcs_model_material_count(b->model); ++i) {
        json_text(&j, NULL, pcs_model_material_name(b->model, (pcs_material){i}));
    }
    json_close(&j, ']');
    json_open(&j, "statuses", '[');
    for (int i = PCS_CONTACT_OPEN; i <= PCS_CONTACT_UNDECIDED; ++i) {
        json_text(&j, NULL, pcs_contact_status_text((pcs_contact_status)i));
    }
    json_close(&j, ']');
    range **moving = malloc((size_t)(b->rows + 1) * sizeof *moving);
    if (!moving) return pcs_fail_memory("pcs_replay_write");
    for (int body = 0; body < b->bodies; ++body) {
        if (b->row[body] >= 0) moving[b->row[body]] = &b->place[body];
    }
    write_range(&j, "rows", b->rows, moving);
    free(moving);
    write_range(&j, "contacts", 1, &(range *){&b->contact});
    write_facts(&j, b, &info);
    PCS_TRY(write_curves(&j, b));
    json_close(&j, '}');
    fputs("</script>\n", page);
    return PCS_OK;
}

// ---- geometries --------------------------------------------------------------------------------

// vertices as floats, then the numbers of the corners of triangles; a hull has none of these, the
// page finds its faces
static void pack_triangles(sink *s, const pcs_geometry *geometry)
{
    const double *x;
    const int *corner;
    const int vertices = pcs_geometry_vertices(geometry, &x);
    const int triangles = pcs_geometry_triangles(geometry, &corner);
    packed_32(s, (uint32_t)vertices);
    packed_32(s, (uint32_t)triangles);
    for (int i = 0; i < 3 * vertices; ++i) {
        packed_float(s, x[i]);
    }
    for (int i = 0; i < 3 * triangles; ++i) {
        packed_32(s, (uint32_t)corner[i]);
    }
}

static void pack_field(sink *s, const pcs_geometry *geometry)
{
    int nx, ny;
    double dx, dy;
    const double *height;
    if (!pcs_geometry_heights(geometry, &nx, &ny, &dx, &dy, &height)) return;
    packed_32(s, (uint32_t)(nx * ny));
    packed_32(s, (uint32_t)(2 * (nx - 1) * (ny - 1)));
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            packed_float(s, i * dx);
            packed_float(s, j * dy);
            packed_float(s, height[i + nx * j]);
        }
    }
    for (int j = 0; j + 1 < ny; ++j) {
        for (int i = 0; i + 1 < nx; ++i) {
            const int at = i + nx * j;
            const int corner[6] = {at, at + 1, at + nx + 1, at, at + nx + 1, at + nx};
            for (int c = 0; c < 6; ++c) {
                packed_32(s, (uint32_t)corner[c]);
            }
        }
    }
}

pcs_status book_write_geometries(const book *b, FILE *page)
{
    pcs_status status = PCS_OK;
    for (int i = 0; i < b->geometries && status == PCS_OK; ++i) {
        sink s = sink_begin(NULL);
        if (pcs_geometry_kind(b->geometry[i]) == PCS_SHAPE_HEIGHT_FIELD) {
            pack_field(&s, b->geometry[i]);
        } else {
            pack_triangles(&s, b->geometry[i]);
        }
        status = packed_write(&s, "percuss-geometry", page);
        sink_end(&s);
    }
    return status;
}
