// Binary glTF: chunks, views and accessors fit together, bounds are true, and what an animation
// shows between its keys is the motion of the trajectory. The reader here knows the standard only.
#include <percuss/export.h>
#include <percuss/parts.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "moving_scene.h"
#include "recorded.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/gltf"
#define RUN    FOLDER "/run.h5"
#define OUT    FOLDER "/run.glb"

static void before(void)
{
    make_empty_folder(FOLDER);
}

TEST_AROUND(before, NULL)

// ---- a reader ----------------------------------------------------------------------------------

typedef struct glb {
    char *bytes;
    json_t *json;
    const unsigned char *bin; // of bin_size bytes
    size_t bin_size;
} glb;

static size_t number(const unsigned char *at, int bytes)
{
    size_t x = 0;
    for (int i = 0; i < bytes; ++i) {
        x |= (size_t)at[i] << 8 * i;
    }
    return x;
}

static json_t *entry(const json_t *object, const char *list, long k)
{
    json_t *out = json_array_get(json_object_get(object, list), (size_t)k);
    ck_assert_msg(out != NULL, "there is no %s[%ld]", list, k);
    return out;
}

static long integer(const json_t *object, const char *key, long missing)
{
    const json_t *value = json_object_get(object, key);
    ck_assert(!value || json_is_integer(value));
    return value ? (long)json_integer_value(value) : missing;
}

static glb read_glb(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert(f != NULL);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    glb g = {.bytes = malloc(size)};
    ck_assert_uint_eq(fread(g.bytes, 1, size, f), size);
    fclose(f);
    const unsigned char *at = (const unsigned char *)g.bytes;
    ck_assert(memcmp(at, "glTF\2\0\0\0", 8) == 0);
    ck_assert_uint_eq(number(at + 8, 4), size);
    const size_t words = number(at + 12, 4);
    ck_assert(memcmp(at + 16, "JSON", 4) == 0 && words % 4 == 0 && 20 + words <= size);
    json_error_t error;
    g.json = json_loadb(g.bytes + 20, words, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(g.json != NULL, "%s", error.text);
    if (size > 20 + words) {
        g.bin_size = number(at + 20 + words, 4);
        ck_assert(memcmp(at + 24 + words, "BIN\0", 4) == 0 && g.bin_size % 4 == 0);
        ck_assert_uint_eq(28 + words + g.bin_size, size);
        g.bin = at + 28 + words;
        ck_assert_int_eq(integer(entry(g.json, "buffers", 0), "byteLength", -1), (long)g.bin_size);
    }
    return g;
}

static void release(glb *g)
{
    json_decref(g->json);
    free(g->bytes);
}

static int width_of(const json_t *accessor)
{
    const char *type = json_string_value(json_object_get(accessor, "type"));
    return strcmp(type, "SCALAR") == 0 ? 1 : type[3] - '0';
}

// component c of element k of an accessor, which must be in its view, and that in the buffer
static double element(const glb *g, long accessor, long k, int c)
{
    const json_t *a = entry(g->json, "accessors", accessor);
    const json_t *view = entry(g->json, "bufferViews", integer(a, "bufferView", -1));
    const long type = integer(a, "componentType", -1), n = integer(a, "count", -1);
    const int bytes = type == 5123 ? 2 : 4, width = width_of(a);
    const long stride = integer(view, "byteStride", (long)bytes * width);
    const long offset = integer(a, "byteOffset", 0), begin = integer(view, "byteOffset", 0);
    const long length = integer(view, "byteLength", -1);
    ck_assert(type == 5123 || type == 5125 || type == 5126);
    ck_assert(k < n && c < width && offset % bytes == 0 && begin % 4 == 0);
    ck_assert_int_le(offset + stride * (n - 1) + (long)bytes * width, length);
    ck_assert_int_le(begin + length, (long)g->bin_size);
    const unsigned char *at = g->bin + begin + offset + stride * k + (long)bytes * c;
    if (type != 5126) return (double)number(at, bytes);
    float x;
    memcpy(&x, at, sizeof x);
    return (double)x;
}

static void check_bounds(const glb *g, long accessor)
{
    const json_t *a = entry(g->json, "accessors", accessor);
    for (int c = 0; c < width_of(a); ++c) {
        double low = INFINITY, high = -INFINITY;
        for (long k = 0; k < integer(a, "count", 0); ++k) {
            low = fmin(low, element(g, accessor, k, c));
            high = fmax(high, element(g, accessor, k, c));
        }
        ck_assert(json_number_value(entry(a, "min", c)) == low);
        ck_assert(json_number_value(entry(a, "max", c)) == high);
    }
}

// n numbers of an object, or their defaults
static void reals(const json_t *object, const char *key, int n, double *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = n == 4 && i == 3;
        if (json_object_get(object, key)) out[i] = json_number_value(entry(object, key, i));
    }
}

static double norm(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// spherical interpolation, as the standard has it (appendix C)
static void slerp(const double *a, const double *b, double u, double *out)
{
    double d = 0;
    for (int i = 0; i < 4; ++i) {
        d += a[i] * b[i];
    }
    const double sign = d < 0 ? -1 : 1, angle = acos(fmin(1, fabs(d)));
    for (int i = 0; i < 4; ++i) {
        out[i] = angle > 1e-9
                     ? (sin((1 - u) * angle) * a[i] + sign * sin(u * angle) * b[i]) / sin(angle)
                     : (1 - u) * a[i] + sign * u * b[i];
    }
}

// the value of a sampler at time t
static void sample(const glb *g, const json_t *sampler, double t, double *out)
{
    const long in = integer(sampler, "input", -1), to = integer(sampler, "output", -1);
    const long n = integer(entry(g->json, "accessors", in), "count", -1);
    const int width = width_of(entry(g->json, "accessors", to));
    double a[4], b[4];
    long k = 0;
    for (long end = n; end - k > 1;) {
        const long middle = (k + end) / 2;
        if (element(g, in, middle, 0) < t) {
            k = middle;
        } else {
            end = middle;
        }
    }
    const long next = k + 1 < n ? k + 1 : k;
    const double t0 = element(g, in, k, 0), t1 = element(g, in, next, 0);
    const double u = t1 > t0 ? fmin(1, fmax(0, (t - t0) / (t1 - t0))) : 0;
    for (int c = 0; c < width; ++c) {
        a[c] = element(g, to, k, c);
        b[c] = element(g, to, next, c);
        out[c] = (1 - u) * a[c] + u * b[c];
    }
    if (width == 4) slerp(a, b, u, out);
}

// the sampler of a node, or null
static const json_t *sampler_of(const glb *g, long node, const char *path)
{
    const json_t *animation = json_array_get(json_object_get(g->json, "animations"), 0);
    size_t i;
    json_t *channel;
    json_array_foreach(json_object_get(animation, "channels"), i, channel)
    {
        const json_t *target = json_object_get(channel, "target");
        if (integer(target, "node", -1) != node) continue;
        if (strcmp(json_string_value(json_object_get(target, "path")), path) != 0) continue;
        return entry(animation, "samplers", integer(channel, "sampler", -1));
    }
    return NULL;
}

static long node_named(const glb *g, const char *name)
{
    size_t i;
    json_t *node;
    json_array_foreach(json_object_get(g->json, "nodes"), i, node)
    {
        const char *given = json_string_value(json_object_get(node, "name"));
        if (given && strcmp(given, name) == 0) return (long)i;
    }
    ck_abort_msg("no node %s", name);
    return -1;
}

// ---- tests -------------------------------------------------------------------------------------

static glb exported(const pcs_export_def *def, double gx, double gy, double gz)
{
    moving_scene_record(RUN, gx, gy, gz);
    moving_scene_export(RUN, PCS_EXPORT_GLTF, def, OUT);
    return read_glb(OUT);
}

static void check_mesh(const glb *g, const json_t *mesh)
{
    const json_t *p = entry(mesh, "primitives", 0), *list = json_object_get(p, "attributes");
    const long position = integer(list, "POSITION", -1), normal = integer(list, "NORMAL", -1);
    const long corner = integer(p, "indices", -1);
    const long n = integer(entry(g->json, "accessors", position), "count", -1);
    ck_assert_int_eq(integer(entry(g->json, "accessors", normal), "count", -1), n);
    check_bounds(g, position);
    for (long k = 0; k < n; ++k) {
        double x[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = element(g, normal, k, c);
        }
        CK_NEAR(norm(3, x), 1, 1e-6);
    }
    const long corners = integer(entry(g->json, "accessors", corner), "count", -1);
    ck_assert(corners > 0 && corners % 3 == 0);
    for (long k = 0; k < corners; ++k) {
        ck_assert_int_lt((int)element(g, corner, k, 0), (int)n);
    }
    entry(g->json, "materials", integer(p, "material", -1));
}

TEST(every_number_is_where_the_json_says)
{
    glb g = exported(NULL, 0, 0, -9.81);
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(g.json, "meshes"), i, one) check_mesh(&g, one);
    // the two balls are apart in colour only: three accessors for each surface that differs
    ck_assert_int_eq((int)json_array_size(json_object_get(g.json, "meshes")), 9);
    const json_t *animation = entry(g.json, "animations", 0);
    const int samplers = (int)json_array_size(json_object_get(animation, "samplers"));
    ck_assert_int_eq((int)json_array_size(json_object_get(g.json, "accessors")),
                     3 * 8 + 2 * samplers);
    json_array_foreach(json_object_get(animation, "samplers"), i, one)
    {
        const long in = integer(one, "input", -1), to = integer(one, "output", -1);
        const long n = integer(entry(g.json, "accessors", in), "count", -1);
        ck_assert_int_eq(integer(entry(g.json, "accessors", to), "count", -1), n);
        check_bounds(&g, in);
        ck_assert(element(&g, in, 0, 0) == 0);
        for (long k = 1; k < n; ++k) {
            ck_assert(element(&g, in, k, 0) > element(&g, in, k - 1, 0));
        }
        for (long k = 0; k < n && width_of(entry(g.json, "accessors", to)) == 4; ++k) {
            double Q[4], along = 0;
            for (int c = 0; c < 4; ++c) {
                Q[c] = element(&g, to, k, c);
                if (k > 0) along += Q[c] * element(&g, to, k - 1, c);
            }
            CK_NEAR(norm(4, Q), 1, 1e-6);
            ck_assert(k == 0 || along >= 0);
        }
    }
    release(&g);
}

static const char *const node_name[MOVING_BODIES] = {
    [MOVING_BALL] = MOVING_NAME,  [MOVING_TWIN] = "twin",   [MOVING_SPINNER] = "twin_5",
    [MOVING_CYLINDER] = "body 4", [MOVING_HULL] = "body 5", [MOVING_FIXED] = "body 6"};

// the pose that a program shows at time t
static void shown_pose(const void *file, int body, double t, double x[3], double Q[4])
{
    const glb *g = file;
    double last[4]; // x y z before the scalar
    const long node = node_named(g, node_name[body]);
    const json_t *moves = sampler_of(g, node, "translation"),
                 *turns = sampler_of(g, node, "rotation");
    reals(entry(g->json, "nodes", node), "translation", 3, x);
    reals(entry(g->json, "nodes", node), "rotation", 4, last);
    if (moves) sample(g, moves, t, x);
    if (turns) sample(g, turns, t, last);
    Q[0] = last[3];
    memcpy(Q + 1, last, 3 * sizeof *Q);
}

TEST(the_animation_is_the_motion)
{
    glb g = exported(NULL, 0, 0, -9.81);
    moving_scene_compare(RUN, shown_pose, &g, 0, TEST_FEW(20, 1));
    // a body that never moves has no channel
    ck_assert_ptr_null(sampler_of(&g, node_named(&g, "body 4"), "rotation"));
    ck_assert_ptr_null(sampler_of(&g, node_named(&g, "body 6"), "translation"));
    release(&g);
    pcs_export_def def = pcs_export_def_default();
    def.first = 10;
    def.every = 7; // frames 10, 17, ..., 80
    g = exported(&def, 0, 0, -9.81);
    moving_scene_compare(RUN, shown_pose, &g, 10, 7);
    CK_NEAR(json_number_value(
                json_object_get(json_object_get(entry(g.json, "scenes", 0), "extras"), "start")),
            0.1, 1e-12);
    release(&g);
}

TEST(keys_are_left_out_where_nothing_bends)
{
    glb g = exported(NULL, 0, 0, 0);
    moving_scene_compare(RUN, shown_pose, &g, 0, TEST_FEW(20, 1));
    // the body moves straight on without gravity, and rotates at one rate about one axis
    const json_t *straight = sampler_of(&g, node_named(&g, "twin_5"), "translation");
    ck_assert_int_eq(
        integer(entry(g.json, "accessors", integer(straight, "input", -1)), "count", 0), 2);
    const json_t *turning = sampler_of(&g, node_named(&g, "twin_5"), "rotation");
    ck_assert_int_eq(integer(entry(g.json, "accessors", integer(turning, "input", -1)), "count", 0),
                     MOVING_STEPS + 1);
    ck_assert_ptr_null(sampler_of(&g, node_named(&g, "body 5"), "translation"));
    release(&g);
}

static void check_up(double gx, double gy, double gz)
{
    glb g = exported(NULL, gx, gy, gz);
    const json_t *nodes = json_object_get(entry(g.json, "scenes", 0), "nodes");
    const json_t *root = entry(g.json, "nodes", json_integer_value(json_array_get(nodes, 0)));
    double Q[4], w[3], out[3];
    const double size = norm(3, (double[]){gx, gy, gz});
    const double up[3] = {size > 0 ? -gx / size : 0, size > 0 ? -gy / size : 0,
                          size > 0 ? -gz / size : 1};
    reals(root, "rotation", 4, Q);
    CK_NEAR(norm(4, Q), 1, 1e-15);
    // up + 2 s (p x up) + 2 p x (p x up)
    for (int i = 0; i < 3; ++i) {
        w[i] = Q[(i + 1) % 3] * up[(i + 2) % 3] - Q[(i + 2) % 3] * up[(i + 1) % 3];
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = up[i] + 2 * Q[3] * w[i] +
                 2 * (Q[(i + 1) % 3] * w[(i + 2) % 3] - Q[(i + 2) % 3] * w[(i + 1) % 3]);
        CK_NEAR(out[i], i == 1, 1e-14);
    }
    ck_assert_int_eq((int)json_array_size(json_object_get(root, "children")), MOVING_BODIES + 1);
    release(&g);
}

TEST(y_is_up)
{
    check_up(0, 0, -9.81);
    check_up(0, -9.81, 0);
    check_up(0, 9.81, 0);
    check_up(3, 0, -4);
    check_up(0, 0, 0);
}

TEST(shapes_are_where_they_are)
{
    glb g = exported(NULL, 0, 0, -9.81);
    const json_t *spinner = entry(g.json, "nodes", node_named(&g, "twin_5"));
    const json_t *box = entry(g.json, "nodes", json_integer_value(entry(spinner, "children", 1)));
    double x[3], Q[4];
    reals(box, "translation", 3, x);
    reals(box, "rotation", 4, Q);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(x[i], i == 0 ? 0.5 : 0, 0);
    }
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(Q[i], ((double[]){0, 0.8, 0, 0.6})[i], 1e-15);
    }
    const json_t *mesh = entry(g.json, "meshes", integer(box, "mesh", -1));
    const json_t *p = entry(mesh, "primitives", 0);
    const json_t *a =
        entry(g.json, "accessors", integer(json_object_get(p, "attributes"), "POSITION", -1));
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(json_number_value(entry(a, "max", i)), 0.1 + 0.05 * i, 1e-8);
    }
    release(&g);
}

TEST(one_frame_has_no_animation)
{
    pcs_export_def def = pcs_export_def_default();
    def.first = def.last = 3;
    glb g = exported(&def, 0, 0, -9.81);
    ck_assert_ptr_null(json_object_get(g.json, "animations"));
    moving_scene_compare(RUN, shown_pose, &g, 3, MOVING_STEPS);
    release(&g);
}

TEST(a_file_that_cannot_be_written_stays)
{
    moving_scene_record(RUN, 0, 0, -9.81);
    moving_scene_not_written(RUN, PCS_EXPORT_GLTF, FOLDER "/none/run.glb");
    moving_scene_not_written(RUN, PCS_EXPORT_GLTF, "/dev/full");
}
