// The replay page of a trajectory: the bundled page (io/view/page.html) with the scene as JSON and
// the frames as blocks of packed numbers put into it. doc/replay.md has the layout; io/view/web/
// data.js reads it.
//
// Two passes over the frames: the first finds which bodies move and how far, the second writes
// their poses as steps of 1/65535 of that box. What is left is small enough for a page: a body
// takes 14 bytes a frame before it is deflated, one at rest next to nothing. Points are in m and
// impulses in N s, both inertial; an impulse is that on the first body of its contact.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <percuss/parts.h>
#include <percuss/replay.h>

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/json.h"
#include "problem_file/new_file.h"
#include "problem_file/worst.h"
#include "trajectory/frames.h"
#include "view/packed.h"

#define BLOCK    64 // frames of one block
#define CHANNELS 7  // x y z and the quaternion

extern const char replay_page[];

pcs_replay_def pcs_replay_def_default(void)
{
    return (pcs_replay_def){.every = 1, .most_bytes = 40e6, .contacts = true};
}

// a box whose sides are divided into 65535 steps
typedef struct range {
    double lo[3], hi[3];
} range;

typedef struct book {
    pcs_trajectory *trajectory;
    const pcs_model *model;
    pcs_replay_def def;
    frame_choice choice;
    long frames;        // on the page
    int bodies;         // systems and the world, number 0
    int rows;           // bodies that move
    int *row;           // of each body, or -1
    range *place;       // of each body
    double (*first)[7]; // pose of each body in the first frame
    range contact;      // of all contact points
    int geometries;     // different ones
    const pcs_geometry **geometry;
} book;

static void close_book(book *b)
{
    free(b->row);
    free(b->place);
    free(b->first);
    free(b->geometry);
}

// ---- what the trajectory holds -----------------------------------------------------------------

static long frame_of(const book *b, long k)
{
    return frame_chosen(&b->choice, k);
}

static void pose_of(const book *b, const pcs_trajectory_frame *frame, int body, double q[CHANNELS])
{
    frame_pose(b->trajectory, frame, body, q);
}

static void widen(range *r, const double x[3])
{
    for (int i = 0; i < 3; ++i) {
        r->lo[i] = fmin(r->lo[i], x[i]);
        r->hi[i] = fmax(r->hi[i], x[i]);
    }
}

static bool is_shown(const pcs_contact *c)
{
    return c->interaction == 0;
}

static pcs_status survey(book *b)
{
    for (int i = 0; i < 3; ++i) {
        b->contact.lo[i] = INFINITY;
        b->contact.hi[i] = -INFINITY;
    }
    for (long k = 0; k < b->frames; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(pcs_trajectory_read_frame(b->trajectory, frame_of(b, k), &frame));
        for (int body = 0; body < b->bodies; ++body) {
            double q[CHANNELS];
            pose_of(b, &frame, body, q);
            if (k == 0) {
                memcpy(b->first[body], q, sizeof q);
                memcpy(b->place[body].lo, q, 3 * sizeof *q);
                memcpy(b->place[body].hi, q, 3 * sizeof *q);
                b->row[body] = -1;
            }
            widen(&b->place[body], q);
            if (memcmp(b->first[body], q, sizeof q) != 0) b->row[body] = 0;
        }
        for (int j = 0; b->def.contacts && j < frame.contact_count; ++j) {
            double x[3];
            contact_point(&frame.contact[j], x);
            if (is_shown(&frame.contact[j])) widen(&b->contact, x);
        }
    }
    b->rows = 0;
    for (int body = 0; body < b->bodies; ++body) {
        if (b->row[body] == 0) b->row[body] = b->rows++;
    }
    if (b->contact.lo[0] > b->contact.hi[0]) b->contact = (range){{0}, {0}};
    return PCS_OK;
}

static double step_of(const range *r, int i)
{
    return (r->hi[i] - r->lo[i]) / 65535;
}

static unsigned steps_to(const range *r, int i, double x)
{
    const double step = step_of(r, i);
    return step > 0 ? (unsigned)lround(fmin(65535, fmax(0, (x - r->lo[i]) / step))) : 0;
}

// ---- the scene ---------------------------------------------------------------------------------

static int geometry_number(book *b, const pcs_geometry *geometry)
{
    // the shapes of a heap share few geometries, and neighbours the last one
    for (int i = b->geometries - 1; i >= 0; --i) {
        if (b->geometry[i] == geometry) return i;
    }
    b->geometry[b->geometries] = geometry;
    return b->geometries++;
}

static void write_shape(json *j, book *b, int number)
{
    static const char *const kinds[] = {
        [PCS_SHAPE_SPHERE] = "sphere",     [PCS_SHAPE_HALF_SPACE] = "half-space",
        [PCS_SHAPE_BOX] = "box",           [PCS_SHAPE_CAPSULE] = "capsule",
        [PCS_SHAPE_CYLINDER] = "cylinder", [PCS_SHAPE_HULL] = "geometry",
        [PCS_SHAPE_MESH] = "geometry",     [PCS_SHAPE_HEIGHT_FIELD] = "geometry",
    };
    pcs_model_shape_def def;
    if (pcs_model_shape(b->model, number, &def) != PCS_OK) return;
    if (!pcs_model_shape_enabled(b->model, number)) return;
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
            json_real(j, NULL, step_of(r[k], i));
        }
    }
    json_close(j, ']');
    json_close(j, '}');
}

// ---- curves ------------------------------------------------------------------------------------

typedef struct curve {
    const char *name, *group, *unit;
    bool log;
    bool worst; // of all steps since the frame before, else that of the last
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
    {"contacts", "contacts", "", false, false, active},
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
        status = pcs_trajectory_read_frame(b->trajectory, frame_of(b, k), &frame);
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

static pcs_status write_scene(book *b, FILE *page)
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
    json_int(&j, "version", 1);
    json_text(&j, "title", *title ? title : "trajectory");
    json_reals(&j, "up", 3, up);
    json_open(&j, "times", '[');
    for (long k = 0; k < b->frames; ++k) {
        json_real(&j, NULL, times[frame_of(b, k)]);
    }
    json_close(&j, ']');
    json_open(&j, "bodies", '[');
    for (int body = 0; body < b->bodies; ++body) {
        write_body(&j, b, body);
    }
    json_close(&j, ']');
    json_open(&j, "shapes", '[');
    for (int i = 0; i < pcs_model_shape_count(b->model); ++i) {
        write_shape(&j, b, i);
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

static pcs_status write_block(const sink *s, const char *name, FILE *page)
{
    fprintf(page, "<script type=\"text/plain\" class=\"%s\">", name);
    PCS_TRY(packed_write(s, page));
    fputs("</script>\n", page);
    return PCS_OK;
}

static pcs_status write_geometries(const book *b, FILE *page)
{
    pcs_status status = PCS_OK;
    for (int i = 0; i < b->geometries && status == PCS_OK; ++i) {
        sink s = sink_begin(NULL);
        if (pcs_geometry_kind(b->geometry[i]) == PCS_SHAPE_HEIGHT_FIELD) {
            pack_field(&s, b->geometry[i]);
        } else {
            pack_triangles(&s, b->geometry[i]);
        }
        status = write_block(&s, "percuss-geometry", page);
        sink_end(&s);
    }
    return status;
}

// ---- frames ------------------------------------------------------------------------------------

// the contacts of a block: each part grows by itself
typedef struct contact_parts {
    sink offset, scale, point, impulse, bodies, status;
    uint32_t count;
} contact_parts;

static void add_contacts(const book *b, const pcs_trajectory_frame *frame, contact_parts *parts)
{
    double largest = 0;
    for (int j = 0; j < frame->contact_count; ++j) {
        const double *r = frame->contact[j].r;
        largest = fmax(largest, sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
    }
    const double scale = largest / 32767;
    packed_float(&parts->scale, scale);
    for (int j = 0; b->def.contacts && j < frame->contact_count; ++j) {
        const pcs_contact *c = &frame->contact[j];
        if (!is_shown(c)) continue;
        double x[3], r[3];
        contact_point(c, x);
        contact_impulse(c, r);
        for (int i = 0; i < 3; ++i) {
            packed_16(&parts->point, steps_to(&b->contact, i, x[i]));
            // a damaged file may have axes that are longer than 1
            const double steps = scale > 0 ? fmin(32767, fmax(-32767, r[i] / scale)) : 0;
            packed_16(&parts->impulse, (unsigned)lround(steps));
        }
        packed_32(&parts->bodies, (uint32_t)c->system1.id);
        packed_32(&parts->bodies, (uint32_t)c->system2.id);
        const char status = (char)c->status;
        sink_bytes(&parts->status, &status, 1);
        parts->count += 1;
    }
    packed_32(&parts->offset, parts->count);
}

static void append(sink *to, sink *part)
{
    packed_align(part);
    sink_bytes(to, part->bytes ? part->bytes : "", part->size);
    to->failed = to->failed || part->failed;
    sink_end(part);
}

// the differences to the frame before: of each channel all low bytes, then all high ones
static void append_poses(sink *to, int count, int rows, const uint16_t *pose)
{
    const int size = CHANNELS * rows;
    for (int c = 0; c < CHANNELS; ++c) {
        for (int shift = 0; shift <= 8; shift += 8) {
            for (int f = 0; f < count; ++f) {
                const uint16_t *now = pose + (ptrdiff_t)f * size + (ptrdiff_t)c * rows;
                for (int i = 0; i < rows; ++i) {
                    const unsigned d = (unsigned)now[i] - (f > 0 ? (unsigned)now[i - size] : 0);
                    const char byte = (char)(d >> shift & 255);
                    sink_bytes(to, &byte, 1);
                }
            }
            packed_align(to);
        }
    }
}

static pcs_status write_frames(const book *b, long first, int count, uint16_t *pose, FILE *page)
{
    contact_parts parts = {sink_begin(NULL),
                           sink_begin(NULL),
                           sink_begin(NULL),
                           sink_begin(NULL),
                           sink_begin(NULL),
                           sink_begin(NULL),
                           0};
    sink s = sink_begin(NULL);
    packed_32(&s, (uint32_t)first);
    packed_32(&s, (uint32_t)count);
    packed_32(&parts.offset, 0);
    pcs_status status = PCS_OK;
    for (int f = 0; f < count && status == PCS_OK; ++f) {
        pcs_trajectory_frame frame;
        status = pcs_trajectory_read_frame(b->trajectory, frame_of(b, first + f), &frame);
        for (int body = 0; body < b->bodies && status == PCS_OK; ++body) {
            if (b->row[body] < 0) continue;
            double q[CHANNELS];
            pose_of(b, &frame, body, q);
            for (int c = 0; c < CHANNELS; ++c) {
                const unsigned x =
                    c < 3 ? steps_to(&b->place[body], c, q[c])
                          : (unsigned)(lround(32767 * fmin(1, fmax(-1, q[c]))) + 32768);
                pose[((ptrdiff_t)f * CHANNELS + c) * b->rows + b->row[body]] = (uint16_t)x;
            }
        }
        if (status == PCS_OK) add_contacts(b, &frame, &parts);
    }
    append_poses(&s, status == PCS_OK ? count : 0, b->rows, pose);
    append(&s, &parts.offset);
    append(&s, &parts.scale);
    append(&s, &parts.point);
    append(&s, &parts.impulse);
    append(&s, &parts.bodies);
    append(&s, &parts.status);
    if (status == PCS_OK) status = write_block(&s, "percuss-frames", page);
    sink_end(&s);
    return status;
}

// ---- the page ----------------------------------------------------------------------------------

static pcs_status write_data(book *b, FILE *page)
{
    PCS_TRY(write_scene(b, page));
    PCS_TRY(write_geometries(b, page));
    uint16_t *pose = calloc((size_t)(b->rows + 1) * BLOCK * CHANNELS, sizeof *pose);
    pcs_status status = pose ? PCS_OK : pcs_fail_memory("pcs_replay_write");
    for (long first = 0; first < b->frames && status == PCS_OK; first += BLOCK) {
        const long rest = b->frames - first;
        status = write_frames(b, first, (int)(rest < BLOCK ? rest : BLOCK), pose, page);
    }
    free(pose);
    return status;
}

static pcs_status write_page(book *b, const char *path, size_t *size, bool *stored)
{
    static const char mark[] = "<!--DATA-->";
    const char *at = strstr(replay_page, mark);
    char *bytes = NULL;
    *size = 0;
    FILE *page = at ? open_memstream(&bytes, size) : NULL;
    if (!page) return pcs_fail_memory("pcs_replay_write");
    fwrite(replay_page, 1, (size_t)(at - replay_page), page);
    b->geometries = 0;
    pcs_status status = survey(b);
    if (status == PCS_OK) status = write_data(b, page);
    fputs(at + strlen(mark), page);
    const bool whole = !ferror(page);
    if ((fclose(page) != 0 || !whole) && status == PCS_OK)
        status = pcs_fail_memory("pcs_replay_write");
    // a page that cannot become smaller is taken as it is
    *stored = (double)*size <= b->def.most_bytes || b->frames <= 2;
    if (status == PCS_OK && *stored) status = store(path, bytes, *size);
    free(bytes);
    return status;
}

static pcs_status open_book(book *b)
{
    const size_t n = (size_t)b->bodies, shapes = (size_t)pcs_model_shape_count(b->model) + 1;
    b->row = calloc(n, sizeof *b->row);
    b->place = calloc(n, sizeof *b->place);
    b->first = calloc(n, sizeof *b->first);
    b->geometry = calloc(shapes, sizeof *b->geometry);
    return b->row && b->place && b->first && b->geometry ? PCS_OK
                                                         : pcs_fail_memory("pcs_replay_write");
}

pcs_status pcs_replay_write(pcs_trajectory *trajectory, const pcs_replay_def *def, const char *path,
                            long *frames)
{
    if (!trajectory || !path) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: the trajectory or the path is null");
    }
    book b = {.trajectory = trajectory,
              .model = pcs_trajectory_model(trajectory),
              .def = def ? *def : pcs_replay_def_default()};
    const long all = pcs_trajectory_info_of(trajectory).frames;
    if (all == 0) return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: the trajectory has no frame");
    if (all > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "pcs_replay_write: too many frames");
    if (b.def.every < 1) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: every is %d; it must be at least 1",
                        b.def.every);
    }
    if (!(b.def.most_bytes > 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: most_bytes is %g; it must be positive",
                        b.def.most_bytes);
    }
    b.bodies = pcs_model_system_count(b.model) + 1;
    pcs_status status = open_book(&b);
    for (bool stored = false; !stored && status == PCS_OK;) {
        size_t size;
        b.choice = (frame_choice){.last = all - 1, .every = b.def.every};
        b.frames = frames_chosen(&b.choice);
        status = write_page(&b, path, &size, &stored);
        const double factor = fmax(1.3, (double)size / b.def.most_bytes);
        if (!stored) b.def.every = (int)fmin((double)all, ceil(factor * b.def.every));
    }
    if (status == PCS_OK && frames) *frames = b.frames;
    close_book(&b);
    return status;
}
