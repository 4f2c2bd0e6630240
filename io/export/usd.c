// USD as text (.usda). Below the prim /percuss:
//     physics      gravity
//     materials    friction and restitution, and the colours
//     surfaces     large meshes of several shapes, as classes that these inherit
//     world        shapes of bodies that never move
//     bodies       a transform with time samples for each, in it its shapes
//     joints       the joints that USD knows, and ropes
//     forces       force elements as lines between their points
// Attributes that begin with physics: are those of UsdPhysics. Numbers go through memory in pieces.
#include "export/export_job.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/joint.h>
#include <percuss/rotation.h>

#include "base/base.h"
#include "export/tracks.h"
#include "linalg/m3.h"
#include "problem_file/json.h"
#include "problem_file/new_file.h"
#include "problem_file/sink.h"

#define PIECE 65536 // bytes written at once
#define LARGE 2000  // triangles of a mesh that several shapes share; not every reader knows classes

typedef struct usd {
    const export_job *job;
    tracks tracks;
    int *row, *key; // per body: its row of tracks, or -1; memory for keys
    int *uses;      // per surface: number of shapes that have it as a mesh
    char **name;    // per body: its name as an identifier
    double rate;    // time codes per second
    int depth;      // depth of prims
    pcs_trajectory_frame start;
    sink s;
    new_file file;
} usd;

// ---- words -------------------------------------------------------------------------------------

static void flush(usd *u)
{
    if (!u->s.failed && u->s.size > 0) fwrite(u->s.bytes, 1, u->s.size, u->file.f);
    u->s.size = 0;
}

static void indent(usd *u)
{
    for (int i = 0; i < u->depth; ++i) {
        sink_text(&u->s, "    ");
    }
}

// writes a line
static void line(usd *u, const char *words)
{
    indent(u);
    sink_text(&u->s, words);
    sink_text(&u->s, "\n");
    if (u->s.size > PIECE) flush(u);
}

// writes a line of two or three pieces
static void line_of(usd *u, const char *a, const char *b, const char *c)
{
    indent(u);
    sink_text(&u->s, a);
    sink_text(&u->s, b);
    sink_text(&u->s, c);
    sink_text(&u->s, "\n");
}

static void put_text(sink *s, const char *words)
{
    sink_text(s, "\"");
    for (const unsigned char *c = (const unsigned char *)words; *c;) {
        const int n = readable_length(c);
        if (n == 0) {
            sink_text(s, *c == '\n' ? "\\n" : "?");
            ++c;
        } else {
            if (*c == '"' || *c == '\\') sink_text(s, "\\");
            sink_bytes(s, (const char *)c, (size_t)n);
            c += n;
        }
    }
    sink_text(s, "\"");
}

static void put_tuple(sink *s, int n, const double *x)
{
    sink_text(s, "(");
    for (int i = 0; i < n; ++i) {
        if (i > 0) sink_text(s, ", ");
        sink_digits(s, x[i]);
    }
    sink_text(s, ")");
}

static void put_floats(sink *s, int n, const float *x)
{
    sink_text(s, "(");
    for (int i = 0; i < n; ++i) {
        if (i > 0) sink_text(s, ", ");
        sink_float(s, x[i]);
    }
    sink_text(s, ")");
}

// "float name = x", "point3f name = (x, y, z)"
static void real(usd *u, const char *name, double x)
{
    indent(u);
    sink_text(&u->s, name);
    sink_text(&u->s, " = ");
    sink_digits(&u->s, x);
    sink_text(&u->s, "\n");
}

static void reals(usd *u, const char *name, int n, const double *x)
{
    indent(u);
    sink_text(&u->s, name);
    sink_text(&u->s, " = ");
    put_tuple(&u->s, n, x);
    sink_text(&u->s, "\n");
}

// `kind` and name of a prim; `schemas` and the name that it has in percuss may be null or ""
static void open_prim(usd *u, const char *kind, const char *name, const char *schemas,
                      const char *original, const char *inherits)
{
    indent(u);
    sink_text(&u->s, kind);
    sink_text(&u->s, " ");
    sink_text(&u->s, name);
    const bool has_name = original && *original, more = schemas || has_name || inherits;
    sink_text(&u->s, more ? " (\n" : "\n");
    u->depth += 1;
    if (schemas) line_of(u, "prepend apiSchemas = [", schemas, "]");
    if (inherits) line_of(u, "prepend inherits = <", inherits, ">");
    if (has_name) {
        line(u, "customData = {");
        indent(u);
        sink_text(&u->s, "    string name = ");
        put_text(&u->s, original);
        sink_text(&u->s, "\n");
        line(u, "}");
    }
    u->depth -= 1;
    if (more) line(u, ")");
    line(u, "{");
    u->depth += 1;
}

static void close_prim(usd *u)
{
    u->depth -= 1;
    line(u, "}");
}

// ---- names -------------------------------------------------------------------------------------

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_') return false;
    for (const char *c = name; *c; ++c) {
        if ((unsigned char)*c >= 0x80 || (!isalnum((unsigned char)*c) && *c != '_')) return false;
    }
    return true;
}

// A name that is no identifier gets underscores and its number, and more underscores while another
// body has the same: different bodies have different names.
static char *identifier(const pcs_model *m, int body)
{
    const char *given = pcs_model_system_name(m, (pcs_system){body});
    const size_t room = strlen(given) + 80;
    char *out = malloc(room);
    if (!out || is_identifier(given)) {
        if (out) snprintf(out, room, "%s", given);
        return out;
    }
    size_t n = 0;
    const unsigned char first = (unsigned char)*given;
    if (isdigit(first)) out[n++] = '_';
    for (const char *c = *given ? given : "body"; *c; ++c) {
        const bool plain = (unsigned char)*c < 0x80 && isalnum((unsigned char)*c);
        out[n++] = plain ? *c : '_';
    }
    n += (size_t)snprintf(out + n, room - n, "_%d", body);
    pcs_system other;
    while (n + 1 < room && pcs_model_find_system(m, out, &other) == PCS_OK) {
        out[n++] = '_';
        out[n] = '\0';
    }
    return out;
}

static bool has_mesh(pcs_shape_kind kind)
{
    return kind == PCS_SHAPE_HULL || kind == PCS_SHAPE_MESH || kind == PCS_SHAPE_HEIGHT_FIELD ||
           kind == PCS_SHAPE_HALF_SPACE;
}

static pcs_status prepare(usd *u)
{
    const export_job *job = u->job;
    PCS_TRY(tracks_read(job, &u->tracks));
    PCS_TRY(job_read(job, 0, &u->start));
    u->row = malloc((size_t)job->bodies * sizeof *u->row);
    u->key = malloc(((size_t)u->tracks.frames + 1) * sizeof *u->key);
    u->name = calloc((size_t)job->bodies, sizeof *u->name);
    u->uses = calloc((size_t)job->n_surfaces + 1, sizeof *u->uses);
    bool good = u->row && u->key && u->name && u->uses;
    for (int i = 0; i < job->n_shapes && good; ++i) {
        pcs_model_shape_def def;
        PCS_TRY(pcs_model_shape(job->model, job->shape[i].number, &def));
        u->uses[job->shape[i].surface] += has_mesh(def.shape.kind);
    }
    for (int body = 0; body < job->bodies && good; ++body) {
        u->row[body] = -1;
        if (body > 0) u->name[body] = identifier(job->model, body);
        good = body == 0 || u->name[body] != NULL;
    }
    for (int row = 0; row < u->tracks.rows && good; ++row) {
        u->row[u->tracks.body[row]] = row;
    }
    // frames at equal distances have whole numbers
    const double duration = u->tracks.time[u->tracks.frames - 1];
    u->rate = duration > 0 ? (u->tracks.frames - 1) / duration : 24;
    if (fabs(u->rate - round(u->rate)) < 1e-6 * u->rate) u->rate = round(u->rate);
    return good ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
}

static double code_of(const usd *u, int frame)
{
    const double code = u->tracks.time[frame] * u->rate;
    return fabs(code - round(code)) < 1e-6 ? round(code) : code;
}

// ---- shapes ------------------------------------------------------------------------------------

static void write_pose(usd *u, const double pose[7])
{
    reals(u, "double3 xformOp:translate", 3, pose);
    reals(u, "quatf xformOp:orient", 4, pose + 3);
}

static void write_vectors(usd *u, const char *name, int n, const double *x, const char *after)
{
    indent(u);
    sink_text(&u->s, name);
    sink_text(&u->s, " = [");
    for (int i = 0; i < n; ++i) {
        const double *at = x + 3 * (size_t)i;
        if (i > 0) sink_text(&u->s, ", ");
        put_floats(&u->s, 3, (float[]){as_float(at[0]), as_float(at[1]), as_float(at[2])});
        if (u->s.size > PIECE) flush(u);
    }
    sink_text(&u->s, "]");
    sink_text(&u->s, after);
    sink_text(&u->s, "\n");
}

static void write_counts(usd *u, const char *name, int n, const int *x)
{
    char digits[16];
    indent(u);
    sink_text(&u->s, name);
    sink_text(&u->s, " = [");
    for (int i = 0; i < n; ++i) {
        snprintf(digits, sizeof digits, i > 0 ? ", %d" : "%d", x ? x[i] : 3);
        sink_text(&u->s, digits);
        if (u->s.size > PIECE) flush(u);
    }
    sink_text(&u->s, "]\n");
}

static bool is_shared(const usd *u, int number)
{
    return u->uses[number] > 1 && u->job->surface[number].n_triangles > LARGE;
}

static void write_mesh(usd *u, const surface *s)
{
    double extent[6] = {0};
    for (int i = 0; i < 3 && s->n_vertices > 0; ++i) {
        extent[i] = INFINITY;
        extent[3 + i] = -INFINITY;
        for (int v = 0; v < s->n_vertices; ++v) {
            extent[i] = fmin(extent[i], s->vertex[3 * (size_t)v + (size_t)i]);
            extent[3 + i] = fmax(extent[3 + i], s->vertex[3 * (size_t)v + (size_t)i]);
        }
    }
    line(u, "uniform bool doubleSided = 1");
    write_vectors(u, "float3[] extent", 2, extent, "");
    write_counts(u, "int[] faceVertexCounts", s->n_triangles, NULL);
    write_counts(u, "int[] faceVertexIndices", 3 * s->n_triangles, s->triangle);
    write_vectors(u, "normal3f[] normals", s->n_vertices, s->normal, " (");
    line(u, "    interpolation = \"vertex\"");
    line(u, ")");
    write_vectors(u, "point3f[] points", s->n_vertices, s->vertex, "");
    line(u, "uniform token subdivisionScheme = \"none\"");
}

static void write_surfaces(usd *u)
{
    open_prim(u, "def Scope", "\"surfaces\"", NULL, NULL, NULL);
    for (int i = 0; i < u->job->n_surfaces; ++i) {
        char name[40];
        if (!is_shared(u, i)) continue;
        snprintf(name, sizeof name, "\"surface_%d\"", i);
        open_prim(u, "class Mesh", name, NULL, NULL, NULL);
        write_mesh(u, &u->job->surface[i]);
        close_prim(u);
    }
    close_prim(u);
}

static void write_shape(usd *u, const export_shape *e)
{
    static const char *const kinds[] = {
        [PCS_SHAPE_SPHERE] = "def Sphere",   [PCS_SHAPE_BOX] = "def Cube",
        [PCS_SHAPE_CAPSULE] = "def Capsule", [PCS_SHAPE_CYLINDER] = "def Cylinder",
        [PCS_SHAPE_HULL] = "def Mesh",       [PCS_SHAPE_MESH] = "def Mesh",
        [PCS_SHAPE_HALF_SPACE] = "def Mesh", [PCS_SHAPE_HEIGHT_FIELD] = "def Mesh",
    };
    pcs_model_shape_def def;
    if (pcs_model_shape(u->job->model, e->number, &def) != PCS_OK) return;
    const pcs_shape *s = &def.shape;
    const bool mesh = has_mesh(s->kind), box = s->kind == PCS_SHAPE_BOX;
    const bool shared = mesh && is_shared(u, e->surface);
    char name[40], class[80], material[80], colour[80];
    snprintf(name, sizeof name, "\"shape_%d\"", e->number);
    snprintf(class, sizeof class, "/percuss/surfaces/surface_%d", e->surface);
    snprintf(material, sizeof material, "/percuss/materials/material_%d", e->material);
    snprintf(colour, sizeof colour, "/percuss/materials/colour_%d", body_colour(u->job, e->body));
    open_prim(u, kinds[s->kind], name,
              mesh ? "\"PhysicsCollisionAPI\", \"PhysicsMeshCollisionAPI\", \"MaterialBindingAPI\""
                   : "\"PhysicsCollisionAPI\", \"MaterialBindingAPI\"",
              pcs_model_shape_name(u->job->model, e->number), shared ? class : NULL);
    const double reach = s->kind == PCS_SHAPE_SPHERE ? s->radius : s->half[2] + s->radius;
    const double side = box ? 1 : s->radius, height = box                             ? 1
                                                      : s->kind == PCS_SHAPE_CYLINDER ? s->half[2]
                                                                                      : reach;
    const double extent[6] = {-side, -side, -height, side, side, height};
    if (!mesh) write_vectors(u, "float3[] extent", 2, extent, "");
    if (box) real(u, "double size", 2);
    if (!mesh && !box) real(u, "double radius", s->radius);
    if (s->kind == PCS_SHAPE_CAPSULE || s->kind == PCS_SHAPE_CYLINDER) {
        line(u, "uniform token axis = \"Z\"");
        real(u, "double height", 2 * s->half[2]);
    }
    if (mesh) {
        line_of(u, "uniform token physics:approximation = ",
                s->kind == PCS_SHAPE_HULL ? "\"convexHull\"" : "\"none\"", "");
    }
    if (mesh && !shared) write_mesh(u, &u->job->surface[e->surface]);
    line_of(u, "rel material:binding = <", colour, ">");
    line_of(u, "rel material:binding:physics = <", material, ">");
    write_pose(u, e->pose);
    if (box) reals(u, "float3 xformOp:scale", 3, s->half);
    line_of(u, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"",
            box ? ", \"xformOp:scale\"]" : "]", "");
    close_prim(u);
}

static void write_shapes(usd *u, int body, int *shape)
{
    const export_job *job = u->job;
    for (; *shape < job->n_shapes && job->shape[*shape].body == body; ++*shape) {
        write_shape(u, &job->shape[*shape]);
    }
}

// ---- bodies ------------------------------------------------------------------------------------

static void write_samples(usd *u, int row, track_part part)
{
    const int n = tracks_keys(&u->tracks, row, part, u->key);
    const bool turns = part == TRACK_ORIENTATION;
    if (n < 2) return;
    line(u, turns ? "quatf xformOp:orient.timeSamples = {"
                  : "double3 xformOp:translate.timeSamples = {");
    for (int k = 0; k < n; ++k) {
        indent(u);
        sink_text(&u->s, "    ");
        sink_digits(&u->s, code_of(u, u->key[k]));
        sink_text(&u->s, ": ");
        put_floats(&u->s, turns ? 4 : 3, tracks_pose(&u->tracks, row, u->key[k]) + (turns ? 3 : 0));
        sink_text(&u->s, ",\n");
        if (u->s.size > PIECE) flush(u);
    }
    line(u, "}");
}

static void write_mass(usd *u, const pcs_inertia *inertia)
{
    double moments[3], axes[9], Q[4];
    real(u, "float physics:mass", inertia->m);
    reals(u, "point3f physics:centerOfMass", 3, (double[3]){0, 0, 0});
    if (pcs_inertia_principal(inertia->J, moments, axes) == PCS_OK &&
        pcs_quat_from_matrix(axes, Q) == PCS_OK) {
        reals(u, "float3 physics:diagonalInertia", 3, moments);
        reals(u, "quatf physics:principalAxes", 4, Q);
    }
}

// velocities of the first frame; angular velocity inertial, in degrees
static void write_velocity(usd *u, int body)
{
    double v[6], turn[3];
    job_velocity(u->job, &u->start, body, v);
    if (!pcs_all_finite(v, 6)) return;
    pcs_quat_rotate(u->job->first[body] + 3, v + 3, turn);
    v3_scale(180 / acos(-1.0), turn, turn);
    reals(u, "vector3f physics:velocity", 3, v);
    reals(u, "vector3f physics:angularVelocity", 3, turn);
}

static void write_body(usd *u, int body, int *shape)
{
    const export_job *job = u->job;
    const pcs_system id = {body};
    pcs_body_def def;
    pcs_inertia inertia;
    if (pcs_model_is_lagrangian(job->model, id) || pcs_model_body(job->model, id, &def) != PCS_OK)
        return;
    const bool prescribed = def.fixed || def.motion;
    const bool has_mass = !prescribed && pcs_model_inertia(job->model, id, &inertia) == PCS_OK;
    const size_t room = strlen(u->name[body]) + 3;
    char *quoted = malloc(room);
    u->s.failed = u->s.failed || !quoted;
    if (!quoted) return;
    snprintf(quoted, room, "\"%s\"", u->name[body]);
    open_prim(u, "def Xform", quoted,
              has_mass           ? "\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\""
              : job->moves[body] ? "\"PhysicsRigidBodyAPI\""
                                 : NULL,
              pcs_model_system_name(job->model, id), NULL);
    free(quoted);
    if (has_mass) write_mass(u, &inertia);
    if (!has_mass && job->moves[body]) line(u, "bool physics:kinematicEnabled = 1");
    if (has_mass || job->moves[body]) write_velocity(u, body);
    if (has_mass && !pcs_model_enabled(job->model, id)) {
        line(u, "bool physics:rigidBodyEnabled = 0");
    }
    write_pose(u, job->first[body]);
    if (u->row[body] >= 0) {
        write_samples(u, u->row[body], TRACK_POSITION);
        write_samples(u, u->row[body], TRACK_ORIENTATION);
    }
    line(u, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
    write_shapes(u, body, shape);
    close_prim(u);
}

// ---- joints ------------------------------------------------------------------------------------

static void write_end(usd *u, int end, pcs_system on, const double point[3], const double axes[4])
{
    const char *const body = end == 0 ? "rel physics:body0 = </percuss/bodies/"
                                      : "rel physics:body1 = </percuss/bodies/";
    if (on.id > 0) line_of(u, body, u->name[on.id], ">"); // else the joint is in the world
    reals(u, end == 0 ? "point3f physics:localPos0" : "point3f physics:localPos1", 3, point);
    double unit[4];
    memcpy(unit, axes, sizeof unit);
    if (pcs_quat_normalise(unit) != PCS_OK) return; // a joint has no such axes
    reals(u, end == 0 ? "quatf physics:localRot0" : "quatf physics:localRot1", 4, unit);
}

static void write_joint(usd *u, int number)
{
    const pcs_model *m = u->job->model;
    const pcs_interaction id = {number};
    pcs_interaction_def def;
    if (pcs_model_interaction(m, id, &def) != PCS_OK) return;
    // the joints that USD knows
    static const char *const types[PCS_JOINT_KIND_COUNT] = {
        [PCS_JOINT_BALL] = "def PhysicsSphericalJoint",
        [PCS_JOINT_HINGE] = "def PhysicsRevoluteJoint",
        [PCS_JOINT_SLIDER] = "def PhysicsPrismaticJoint",
        [PCS_JOINT_FIXED] = "def PhysicsFixedJoint",
        [PCS_JOINT_DISTANCE] = "def PhysicsDistanceJoint"};
    const bool rope = pcs_relation_kind_of(&def.relation) == PCS_RELATION_ROPE;
    pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_DISTANCE);
    if (rope) {
        memcpy(joint.point1, def.relation.data, sizeof joint.point1);
        memcpy(joint.point2, def.relation.data + 3, sizeof joint.point2);
        joint.length = def.relation.data[6];
    } else if (pcs_model_joint(m, id, &joint) != PCS_OK || !types[joint.kind]) {
        return;
    }
    if (pcs_model_is_lagrangian(m, def.system1) || pcs_model_is_lagrangian(m, def.system2)) return;
    char name[40];
    snprintf(name, sizeof name, "\"joint_%d\"", number);
    open_prim(u, types[joint.kind], name, NULL, pcs_model_interaction_name(m, id), NULL);
    write_end(u, 0, def.system1, joint.point1, joint.axes1);
    write_end(u, 1, def.system2, joint.point2, joint.axes2);
    if (joint.kind == PCS_JOINT_HINGE || joint.kind == PCS_JOINT_SLIDER) {
        line(u, "uniform token physics:axis = \"Z\"");
    }
    line(u, pcs_model_touching(m, id) ? "bool physics:collisionEnabled = 1"
                                      : "bool physics:collisionEnabled = 0");
    line(u, pcs_model_interaction_enabled(m, id) ? "bool physics:jointEnabled = 1"
                                                 : "bool physics:jointEnabled = 0");
    // a negative minimum: a rope has no shortest length
    if (joint.kind == PCS_JOINT_DISTANCE) {
        real(u, "float physics:minDistance", rope ? -1 : joint.length);
        real(u, "float physics:maxDistance", joint.length);
    }
    close_prim(u);
}

// ---- force elements ----------------------------------------------------------------------------

// All force elements as one set of lines between their points, in every frame: USD has no springs.
static pcs_status write_forces(usd *u)
{
    pcs_status status = PCS_OK;
    const export_job *job = u->job;
    const int n = pcs_trajectory_force_count(job->trajectory);
    pcs_force_def def;
    int *two = calloc((size_t)n + 1, sizeof *two), lines = 0;
    u->s.failed = u->s.failed || !two;
    for (int id = 1; two && id <= n; ++id) {
        if (force_has_line(job->trajectory, (pcs_force){id}, &def)) two[lines++] = 2;
    }
    if (lines > 0) {
        open_prim(u, "def BasisCurves", "\"forces\"", NULL, NULL, NULL);
        line(u, "uniform token type = \"linear\"");
        write_counts(u, "int[] curveVertexCounts", lines, two);
        line(u, "float[] widths = [0.01] (interpolation = \"constant\")");
        line(u, "point3f[] points.timeSamples = {");
    }
    for (int k = 0; lines > 0 && k < u->tracks.frames; ++k) {
        pcs_trajectory_frame frame;
        status = job_read(job, u->tracks.number[k], &frame);
        if (status != PCS_OK) break;
        indent(u);
        sink_text(&u->s, "    ");
        sink_digits(&u->s, code_of(u, k));
        sink_text(&u->s, ": [");
        for (int i = 0, before = 0; i < frame.force_count; ++i) {
            if (!force_has_line(job->trajectory, (pcs_force){i + 1}, &def)) continue;
            if (before++ > 0) sink_text(&u->s, ", ");
            const pcs_force_result *f = &frame.force[i];
            put_floats(&u->s, 3, (float[]){(float)f->P1[0], (float)f->P1[1], (float)f->P1[2]});
            sink_text(&u->s, ", ");
            put_floats(&u->s, 3, (float[]){(float)f->P2[0], (float)f->P2[1], (float)f->P2[2]});
        }
        sink_text(&u->s, "],\n");
        if (u->s.size > PIECE) flush(u);
    }
    if (lines > 0) {
        line(u, "}");
        close_prim(u);
    }
    free(two);
    return status;
}

// ---- the file ----------------------------------------------------------------------------------

static void write_head(usd *u)
{
    const char *title = pcs_trajectory_info_of(u->job->trajectory).title;
    double up[3];
    up_of(u->job->model, up);
    line(u, "#usda 1.0");
    line(u, "(");
    u->depth = 1;
    line(u, "defaultPrim = \"percuss\"");
    indent(u);
    sink_text(&u->s, "doc = ");
    put_text(&u->s, title);
    sink_text(&u->s, "\n");
    real(u, "endTimeCode", code_of(u, u->tracks.frames - 1));
    real(u, "framesPerSecond", u->rate);
    line(u, "kilogramsPerUnit = 1");
    line(u, "metersPerUnit = 1");
    line(u, "startTimeCode = 0");
    real(u, "timeCodesPerSecond", u->rate);
    line(u, up[1] > up[2] && up[1] > up[0] ? "upAxis = \"Y\"" : "upAxis = \"Z\"");
    u->depth = 0;
    line(u, ")");
    line(u, "");
}

static void write_colour(usd *u, int number)
{
    char name[40], path[80];
    double rgb[3];
    colour_value(number, rgb);
    snprintf(name, sizeof name, "\"colour_%d\"", number);
    snprintf(path, sizeof path, "/percuss/materials/colour_%d/shader", number);
    open_prim(u, "def Material", name, NULL, NULL, NULL);
    line_of(u, "token outputs:surface.connect = <", path, ".outputs:surface>");
    open_prim(u, "def Shader", "\"shader\"", NULL, NULL, NULL);
    line(u, "uniform token info:id = \"UsdPreviewSurface\"");
    reals(u, "color3f inputs:diffuseColor", 3, rgb);
    real(u, "float inputs:roughness", 0.8);
    line(u, "token outputs:surface");
    close_prim(u);
    close_prim(u);
}

static void write_surroundings(usd *u)
{
    const pcs_model *m = u->job->model;
    double g[3];
    pcs_model_gravity(m, g);
    const double size = v3_norm(g);
    for (int i = 0; i < 3; ++i) {
        g[i] = size > 0 ? g[i] / size : -(i == 2);
    }
    open_prim(u, "def PhysicsScene", "\"physics\"", NULL, NULL, NULL);
    reals(u, "vector3f physics:gravityDirection", 3, g);
    real(u, "float physics:gravityMagnitude", size);
    close_prim(u);
    open_prim(u, "def Scope", "\"materials\"", NULL, NULL, NULL);
    for (int i = 0; i < pcs_model_material_count(m); ++i) {
        pcs_material_def def;
        char name[40];
        if (pcs_model_material(m, (pcs_material){i}, &def) != PCS_OK) continue;
        snprintf(name, sizeof name, "\"material_%d\"", i);
        open_prim(u, "def Material", name, "\"PhysicsMaterialAPI\"",
                  pcs_model_material_name(m, (pcs_material){i}), NULL);
        real(u, "float physics:dynamicFriction", def.mu);
        real(u, "float physics:staticFriction", def.mu);
        real(u, "float physics:restitution", def.e);
        close_prim(u);
    }
    for (int i = 0; i < BODY_COLOURS; ++i) {
        write_colour(u, i);
    }
    close_prim(u);
}

static pcs_status write_all(usd *u)
{
    const export_job *job = u->job;
    int shape = 0;
    write_head(u);
    open_prim(u, "def Xform", "\"percuss\"", NULL, NULL, NULL);
    write_surroundings(u);
    write_surfaces(u);
    open_prim(u, "def Xform", "\"world\"", NULL, NULL, NULL);
    write_shapes(u, 0, &shape);
    close_prim(u);
    open_prim(u, "def Scope", "\"bodies\"", NULL, NULL, NULL);
    for (int body = 1; body < job->bodies; ++body) {
        write_body(u, body, &shape);
    }
    close_prim(u);
    open_prim(u, "def Scope", "\"joints\"", NULL, NULL, NULL);
    for (int i = 1; i <= pcs_model_interaction_count(job->model); ++i) {
        write_joint(u, i);
    }
    close_prim(u);
    const pcs_status status = write_forces(u);
    close_prim(u);
    flush(u);
    return status;
}

static void release(usd *u)
{
    for (int body = 0; body < u->job->bodies && u->name; ++body) {
        free(u->name[body]);
    }
    free(u->name);
    free(u->uses);
    free(u->key);
    free(u->row);
    sink_end(&u->s);
    tracks_release(&u->tracks);
}

pcs_status export_usd(const export_job *job)
{
    usd u = {.job = job, .s = sink_begin(NULL)};
    pcs_status status = prepare(&u);
    if (status == PCS_OK) status = new_file_begin(job->path, &u.file);
    if (status == PCS_OK) {
        status = write_all(&u);
        const pcs_status ended = new_file_end(&u.file, status == PCS_OK && !u.s.failed);
        if (status == PCS_OK) status = ended;
        if (u.s.failed) status = pcs_fail_memory("pcs_trajectory_export");
    }
    release(&u);
    return status;
}
