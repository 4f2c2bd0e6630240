// Binary glTF 2.0: a chunk of JSON that describes a chunk of numbers. A node rotates the scene so
// that y is up; below it there is a node for each body, and in it one for each shape. Shapes with
// the same surface and colour share a mesh. The numbers are vertices and normals, then corners,
// then key frames, each part a view of the buffer:
//     surfaces: positions and normals (float) | corners (2 or 4 bytes) | times and values (float)
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "export/export_job.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "export/tracks.h"
#include "problem_file/json.h"
#include "problem_file/new_file.h"

// codes of the standard
enum {
    TYPE_SHORT = 5123,
    TYPE_INT = 5125,
    TYPE_FLOAT = 5126,
    TARGET_VERTICES = 34962,
    TARGET_CORNERS = 34963
};
#define MAGIC      0x46546c67u // "glTF"
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN  0x004e4942u

// an animated part of a body
typedef struct channel {
    int row;
    track_part part;
    int n, *key;
} channel;

typedef struct glb {
    const export_job *job;
    tracks tracks;
    int channels;
    channel *channel;
    int *mesh;     // [surface][colour]: its number, or -1
    int *accessor; // per surface: the first of its three
    int meshes;
    json j;
    int accessors;            // number of accessors so far
    size_t at;                // bytes of the buffer up to here
    size_t vertices, corners; // bytes of the first two views
} glb;

// ---- numbers -----------------------------------------------------------------------------------

static void put_32(FILE *f, uint32_t x)
{
    const unsigned char bytes[4] = {(unsigned char)(x & 255), (unsigned char)(x >> 8 & 255),
                                    (unsigned char)(x >> 16 & 255), (unsigned char)(x >> 24)};
    fwrite(bytes, 1, sizeof bytes, f);
}

static void put_float(FILE *f, double x)
{
    const float number = as_float(x);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_32(f, bits);
}

// glTF has x y z before the scalar
static void scalar_last(const float Q[4], double out[4])
{
    for (int i = 0; i < 4; ++i) {
        out[i] = (double)Q[(i + 1) % 4];
    }
}

static bool is_drawn(const surface *s)
{
    return s->n_triangles > 0;
}

static bool has_short_corners(const surface *s)
{
    return s->n_vertices <= UINT16_MAX;
}

static size_t corner_bytes(const surface *s)
{
    const size_t bytes = (has_short_corners(s) ? 2 : 4) * 3 * (size_t)s->n_triangles;
    return (bytes + 3) / 4 * 4;
}

// ---- sizes -------------------------------------------------------------------

static pcs_status list_channels(glb *g)
{
    const tracks *t = &g->tracks;
    int *key = malloc(((size_t)t->frames + 1) * sizeof *key);
    g->channel = calloc(2 * (size_t)t->rows + 1, sizeof *g->channel);
    bool good = key && g->channel;
    for (int row = 0; row < t->rows && good; ++row) {
        for (track_part part = TRACK_POSITION; part <= TRACK_ORIENTATION && good; ++part) {
            const int n = tracks_keys(t, row, part, key);
            if (n < 2) continue; // the node has this pose
            channel *c = &g->channel[g->channels];
            c->key = malloc((size_t)n * sizeof *key);
            good = c->key != NULL;
            if (!good) break;
            memcpy(c->key, key, (size_t)n * sizeof *key);
            *c = (channel){row, part, n, c->key};
            g->channels += 1;
        }
    }
    free(key);
    return good ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
}

static pcs_status number_meshes(glb *g)
{
    const export_job *job = g->job;
    const size_t n = (size_t)job->n_surfaces * BODY_COLOURS + 1;
    g->mesh = malloc(n * sizeof *g->mesh);
    g->accessor = malloc(n * sizeof *g->accessor);
    if (!g->mesh || !g->accessor) return pcs_fail_memory("pcs_trajectory_export");
    memset(g->mesh, -1, n * sizeof *g->mesh);
    for (int i = 0; i < job->n_shapes; ++i) {
        const export_shape *s = &job->shape[i];
        int *mesh = &g->mesh[s->surface * BODY_COLOURS + body_colour(job, s->body)];
        if (*mesh < 0 && is_drawn(&job->surface[s->surface])) *mesh = g->meshes++;
    }
    for (int i = 0, next = 0; i < job->n_surfaces; ++i) {
        const surface *s = &job->surface[i];
        if (!is_drawn(s)) continue;
        g->accessor[i] = next;
        next += 3;
        g->vertices += 24 * (size_t)s->n_vertices;
        g->corners += corner_bytes(s);
    }
    return PCS_OK;
}

static int mesh_of(const glb *g, const export_shape *s)
{
    return g->mesh[s->surface * BODY_COLOURS + body_colour(g->job, s->body)];
}

// ---- JSON --------------------------------------------------------------------------------------

static void write_pose(json *j, const double position[3], const double Q[4])
{
    const double rotation[4] = {Q[1], Q[2], Q[3], Q[0]};
    json_reals(j, "translation", 3, position);
    json_reals(j, "rotation", 4, rotation);
}

// numbers of nodes: 0 the root, then the bodies from the world on, then the shapes
static int node_of_body(int body)
{
    return 1 + body;
}

static void write_children(glb *g, int body, int *shape)
{
    const export_job *job = g->job;
    if (*shape >= job->n_shapes || job->shape[*shape].body != body) return;
    json_open(&g->j, "children", '[');
    for (; *shape < job->n_shapes && job->shape[*shape].body == body; ++*shape) {
        json_int(&g->j, NULL, node_of_body(job->bodies) + *shape);
    }
    json_close(&g->j, ']');
}

static void write_nodes(glb *g)
{
    const export_job *job = g->job;
    json *j = &g->j;
    double up[3];
    up_of(job->model, up);
    // the shortest rotation from up to y: half the angle follows from the sum of (1, 0) and (up .
    // y, up x y)
    double turn[4] = {1 + up[1], -up[2], 0, up[0]}, size = sqrt(2 * (1 + up[1]));
    if (!(size > 1e-7)) {
        memcpy(turn, (double[]){0, 1, 0, 0}, sizeof turn);
        size = 1;
    }
    for (int i = 0; i < 4; ++i) {
        turn[i] /= size;
    }
    json_open(j, "nodes", '[');
    json_open(j, NULL, '{');
    json_text(j, "name", "percuss");
    write_pose(j, (double[3]){0, 0, 0}, turn);
    json_open(j, "children", '[');
    for (int body = 0; body < job->bodies; ++body) {
        json_int(j, NULL, node_of_body(body));
    }
    json_close(j, ']');
    json_close(j, '}');
    for (int body = 0, shape = 0; body < job->bodies; ++body) {
        char name[200];
        job_body_name(job, body, name, sizeof name);
        json_open(j, NULL, '{');
        json_text(j, "name", name);
        write_pose(j, job->first[body], job->first[body] + 3);
        write_children(g, body, &shape);
        json_close(j, '}');
    }
    for (int i = 0; i < job->n_shapes; ++i) {
        const export_shape *s = &job->shape[i];
        const char *name = pcs_model_shape_name(job->model, s->number);
        json_open(j, NULL, '{');
        if (*name) json_text(j, "name", name);
        write_pose(j, s->pose, s->pose + 3);
        if (mesh_of(g, s) >= 0) json_int(j, "mesh", mesh_of(g, s));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_meshes(glb *g)
{
    const export_job *job = g->job;
    json *j = &g->j;
    if (g->meshes == 0) return;
    bool used[BODY_COLOURS] = {false};
    int material[BODY_COLOURS], materials = 0;
    for (int i = 0; i < job->n_surfaces * BODY_COLOURS; ++i) {
        used[i % BODY_COLOURS] = used[i % BODY_COLOURS] || g->mesh[i] >= 0;
    }
    json_open(j, "materials", '[');
    for (int c = 0; c < BODY_COLOURS; ++c) {
        double rgb[4] = {0, 0, 0, 1};
        if (!used[c]) continue;
        material[c] = materials++;
        colour_value(c, rgb);
        json_open(j, NULL, '{');
        json_open(j, "pbrMetallicRoughness", '{');
        json_reals(j, "baseColorFactor", 4, rgb);
        json_real(j, "metallicFactor", 0);
        json_real(j, "roughnessFactor", 0.8);
        json_close(j, '}');
        json_bool(j, "doubleSided", true); // a mesh or the ground may be open
        json_close(j, '}');
    }
    json_close(j, ']');

    // refers to joints by their numbers, which follow the shapes
    int done = 0;
    json_open(j, "meshes", '[');
    for (int i = 0; i < job->n_shapes; ++i) {
        const export_shape *s = &job->shape[i];
        if (mesh_of(g, s) != done) continue;
        done += 1;
        const int accessor = g->accessor[s->surface];
        json_open(j, NULL, '{');
        json_open(j, "primitives", '[');
        json_open(j, NULL, '{');
        json_open(j, "attributes", '{');
        json_int(j, "POSITION", accessor);
        json_int(j, "NORMAL", accessor + 1);
        json_close(j, '}');
        json_int(j, "indices", accessor + 2);
        json_int(j, "material", material[body_colour(job, s->body)]);
        json_close(j, '}');
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

// `at` is in the view; the caller closes the object
static void open_accessor(glb *g, int view, size_t at, int type, size_t n, const char *shape)
{
    json_open(&g->j, NULL, '{');
    json_int(&g->j, "bufferView", view);
    json_int(&g->j, "byteOffset", (long)at);
    json_int(&g->j, "componentType", type);
    json_int(&g->j, "count", (long)n);
    json_text(&g->j, "type", shape);
    g->accessors += 1;
}

static void write_bounds(json *j, const surface *s)
{
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = high[i] = (double)as_float(s->vertex[i]);
        for (int v = 1; v < s->n_vertices; ++v) {
            const double x = (double)as_float(s->vertex[3 * (size_t)v + (size_t)i]);
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
    json_reals(j, "min", 3, low);
    json_reals(j, "max", 3, high);
}

static double key_time(const glb *g, const channel *c, int k)
{
    return (double)as_float(g->tracks.time[c->key[k]]);
}

// the accessors of all surfaces, then those of all channels
static void write_accessors(glb *g)
{
    const export_job *job = g->job;
    json *j = &g->j;
    if (g->meshes == 0 && g->channels == 0) return;
    size_t vertices = 0, corners = 0, keys = 0;
    json_open(j, "accessors", '[');
    for (int i = 0; i < job->n_surfaces; ++i) {
        const surface *s = &job->surface[i];
        const size_t n = (size_t)s->n_vertices;
        if (!is_drawn(s)) continue;
        open_accessor(g, 0, vertices, TYPE_FLOAT, n, "VEC3");
        write_bounds(j, s);
        json_close(j, '}');
        open_accessor(g, 0, vertices + 12 * n, TYPE_FLOAT, n, "VEC3");
        json_close(j, '}');
        open_accessor(g, 1, corners, has_short_corners(s) ? TYPE_SHORT : TYPE_INT,
                      3 * (size_t)s->n_triangles, "SCALAR");
        json_close(j, '}');
        vertices += 24 * n;
        corners += corner_bytes(s);
    }
    for (int i = 0; i < g->channels; ++i) {
        const channel *c = &g->channel[i];
        const double low = key_time(g, c, 0), high = key_time(g, c, c->n - 1);
        const size_t n = (size_t)c->n, width = c->part == TRACK_POSITION ? 3 : 4;
        const int view = g->meshes > 0 ? 2 : 0;
        open_accessor(g, view, keys, TYPE_FLOAT, n, "SCALAR");
        json_reals(j, "min", 1, &low);
        json_reals(j, "max", 1, &high);
        json_close(j, '}');
        open_accessor(g, view, keys + 4 * n, TYPE_FLOAT, n, width == 3 ? "VEC3" : "VEC4");
        json_close(j, '}');
        keys += 4 * n * (1 + width);
    }
    json_close(j, ']');
    g->at = vertices + corners + keys;
}

static void write_view(json *j, size_t at, size_t size, int stride, int target)
{
    json_open(j, NULL, '{');
    json_int(j, "buffer", 0);
    json_int(j, "byteOffset", (long)at);
    json_int(j, "byteLength", (long)size);
    if (stride > 0) json_int(j, "byteStride", stride);
    if (target > 0) json_int(j, "target", target);
    json_close(j, '}');
}

static void write_views(glb *g)
{
    json *j = &g->j;
    const size_t surfaces = g->vertices + g->corners;
    if (g->at == 0) return;
    json_open(j, "bufferViews", '[');
    if (g->meshes > 0) {
        write_view(j, 0, g->vertices, 12, TARGET_VERTICES);
        write_view(j, g->vertices, g->corners, 0, TARGET_CORNERS);
    }
    if (g->at > surfaces) write_view(j, surfaces, g->at - surfaces, 0, 0);
    json_close(j, ']');
    json_open(j, "buffers", '[');
    json_open(j, NULL, '{');
    json_int(j, "byteLength", (long)g->at);
    json_close(j, '}');
    json_close(j, ']');
}

static void write_animation(glb *g)
{
    json *j = &g->j;
    if (g->channels == 0) return;
    const int first = g->accessors - 2 * g->channels;
    json_open(j, "animations", '[');
    json_open(j, NULL, '{');
    json_text(j, "name", "motion");
    json_open(j, "channels", '[');
    for (int i = 0; i < g->channels; ++i) {
        const channel *c = &g->channel[i];
        json_open(j, NULL, '{');
        json_int(j, "sampler", i);
        json_open(j, "target", '{');
        json_int(j, "node", node_of_body(g->tracks.body[c->row]));
        json_text(j, "path", c->part == TRACK_POSITION ? "translation" : "rotation");
        json_close(j, '}');
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "samplers", '[');
    for (int i = 0; i < g->channels; ++i) {
        json_open(j, NULL, '{');
        json_int(j, "input", first + 2 * i);
        json_int(j, "output", first + 2 * i + 1);
        json_text(j, "interpolation", "LINEAR");
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, ']');
}

static void write_json(glb *g, FILE *out)
{
    const char *title = pcs_trajectory_info_of(g->job->trajectory).title;
    const int root = 0;
    char generator[80];
    snprintf(generator, sizeof generator, "percuss %s", pcs_version());
    json *j = &g->j;
    *j = (json){.out = out};
    json_open(j, NULL, '{');
    json_open(j, "asset", '{');
    json_text(j, "version", "2.0");
    json_text(j, "generator", generator);
    json_close(j, '}');
    json_int(j, "scene", 0);
    json_open(j, "scenes", '[');
    json_open(j, NULL, '{');
    if (*title) json_text(j, "name", title);
    json_open(j, "nodes", '[');
    json_int(j, NULL, root);
    json_close(j, ']');
    json_open(j, "extras", '{');
    json_real(j, "start", job_time(g->job, 0)); // s: time 0 of the animation
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, ']');
    write_nodes(g);
    write_meshes(g);
    write_accessors(g);
    write_views(g);
    write_animation(g);
    json_close(j, '}');
}

// ---- the buffer --------------------------------------------------------------------------------

static void put_normal(FILE *f, const double n[3])
{
    // a mesh may have triangles that are too thin for a normal
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const bool good = fabs(size - 1) < 1e-6;
    for (int i = 0; i < 3; ++i) {
        put_float(f, good ? n[i] : i == 2);
    }
}

static void put_surfaces(const glb *g, FILE *f)
{
    const export_job *job = g->job;
    for (int i = 0; i < job->n_surfaces; ++i) {
        const surface *s = &job->surface[i];
        if (!is_drawn(s)) continue;
        for (int k = 0; k < 3 * s->n_vertices; ++k) {
            put_float(f, s->vertex[k]);
        }
        for (int v = 0; v < s->n_vertices; ++v) {
            put_normal(f, s->normal + 3 * (size_t)v);
        }
    }
    for (int i = 0; i < job->n_surfaces; ++i) {
        const surface *s = &job->surface[i];
        if (!is_drawn(s)) continue;
        const int n = 3 * s->n_triangles;
        for (int k = 0; k < n && !has_short_corners(s); ++k) {
            put_32(f, (uint32_t)s->triangle[k]);
        }
        for (int k = 0; k < n && has_short_corners(s); k += 2) {
            const uint32_t next = k + 1 < n ? (uint32_t)s->triangle[k + 1] : 0;
            put_32(f, (uint32_t)s->triangle[k] | next << 16);
        }
    }
}

static void put_channels(const glb *g, FILE *f)
{
    for (int i = 0; i < g->channels; ++i) {
        const channel *c = &g->channel[i];
        for (int k = 0; k < c->n; ++k) {
            put_float(f, g->tracks.time[c->key[k]]);
        }
        for (int k = 0; k < c->n; ++k) {
            const float *pose = tracks_pose(&g->tracks, c->row, c->key[k]);
            double value[4] = {(double)pose[0], (double)pose[1], (double)pose[2]};
            if (c->part == TRACK_ORIENTATION) scalar_last(pose + 3, value);
            for (int n = 0; n < (c->part == TRACK_POSITION ? 3 : 4); ++n) {
                put_float(f, value[n]);
            }
        }
    }
}

// ---- the file ----------------------------------------------------------------------------------

static pcs_status write_file(const glb *g, const char *words, size_t size)
{
    const size_t padded = (size + 3) / 4 * 4;
    const size_t all = 12 + 8 + padded + (g->at > 0 ? 8 + g->at : 0);
    if (all > UINT32_MAX) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: %.1f GB are more than a binary glTF file can have; export fewer "
                        "frames, or rounder shapes with a larger tolerance",
                        g->job->path, 1e-9 * (double)all);
    }
    new_file file;
    PCS_TRY(new_file_begin(g->job->path, &file));
    put_32(file.f, MAGIC);
    put_32(file.f, 2);
    put_32(file.f, (uint32_t)all);
    put_32(file.f, (uint32_t)padded);
    put_32(file.f, CHUNK_JSON);
    fwrite(words, 1, size, file.f);
    fwrite("   ", 1, padded - size, file.f);
    if (g->at > 0) {
        put_32(file.f, (uint32_t)g->at);
        put_32(file.f, CHUNK_BIN);
        put_surfaces(g, file.f);
        put_channels(g, file.f);
    }
    return new_file_end(&file, true);
}

static pcs_status write_all(glb *g)
{
    char *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    if (!out) return pcs_fail_memory("pcs_trajectory_export");
    write_json(g, out);
    const bool whole = !ferror(out);
    const bool good = fclose(out) == 0 && whole;
    const pcs_status status =
        good ? write_file(g, words, size) : pcs_fail_memory("pcs_trajectory_export");
    free(words);
    return status;
}

pcs_status export_gltf(const export_job *job)
{
    glb g = {.job = job};
    pcs_status status = tracks_read(job, &g.tracks);
    if (status == PCS_OK) status = list_channels(&g);
    if (status == PCS_OK) status = number_meshes(&g);
    if (status == PCS_OK) status = write_all(&g);
    for (int i = 0; i < g.channels; ++i) {
        free(g.channel[i].key);
    }
    free(g.channel);
    free(g.mesh);
    free(g.accessor);
    tracks_release(&g.tracks);
    return status;
}
