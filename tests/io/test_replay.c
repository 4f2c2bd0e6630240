// The replay page: it contains the poses, contacts and names of the trajectory, within the
// documented rounding; names cannot end its elements; a page that would be too large has fewer
// frames.
#include <percuss/parts.h>
#include <percuss/replay.h>
#include <percuss/rotation.h>

#include <float.h>
#include <hdf5.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "recorded.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/replay"
#define RUN    FOLDER "/run.h5"
#define PAGE   FOLDER "/run.html"
#define NAME   "gem </script><script>alert(1)</script> \"<!--&>\" \xc3\xa9"

enum { STEPS = 130, SHOWN = 66 }; // every second frame and the last: two blocks

static void before(void)
{
    make_empty_folder(FOLDER);
}

TEST_AROUND(before, NULL)

static pcs_geometry *field;

static const double pivot[3] = {4, 3, 1}, knot[3] = {0, 0.02, 0};

static void record(void)
{
    const double height[6] = {-2, -2, -1.9, -2, -2.5, -2};
    scene s;
    scene_random_rough(&s, 3, 0.5);
    s.scheme = pcs_scheme_default();
    const double at[3] = {2, 0, 0.5}, zero[3] = {0};
    const pcs_law held = {.kind = PCS_LAW_EQUALITY}, stop = {.kind = PCS_LAW_NEWTON_IMPACT};
    const pcs_system bob = scene_ball(&s, 1, 0.1, pivot, NULL);
    const pcs_system gem = scene_solid_ball(&s, 1, 0.1, at, NULL, 0);
    CK_OK(pcs_model_set_system_name(s.m, gem, NAME));
    scene_join(&s, pcs_relation_ball_joint(zero, pivot), held, bob, (pcs_system){0});
    scene_join(&s, pcs_relation_linear(7, (double[]){0, 0, 1, 0, 0, 0, 0}, 9), stop, gem,
               (pcs_system){0}); // it has no place
    scene_join(&s, pcs_relation_rope(zero, knot, 5), stop, gem, bob);
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 0.5, 0.25, height, &field));
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    scene_start(&s);
    pcs_recorder_def def = pcs_recorder_def_default();
    def.title = NAME;
    record_run(&s, RUN, &def, 1e-3, 1e-3 * STEPS);
    scene_close(&s);
    pcs_geometry_destroy(field);
}

// ---- reading a page

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert(f != NULL);
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char *bytes = calloc(1, (size_t)size + 1);
    ck_assert(bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size);
    fclose(f);
    return bytes;
}

static int count_of(const char *page, const char *words)
{
    int n = 0;
    for (const char *at = page; (at = strstr(at, words)); at += strlen(words)) {
        ++n;
    }
    return n;
}

// the text of the k-th element that begins with `tag`; the caller frees
static char *element(const char *page, const char *tag, int k)
{
    const char *at = strstr(page, tag);
    while (at && k-- > 0) {
        at = strstr(at + 1, tag);
    }
    ck_assert(at != NULL);
    at += strlen(tag);
    const size_t size = (size_t)(strstr(at, "</script>") - at);
    char *text = calloc(1, size + 1);
    ck_assert(text != NULL);
    memcpy(text, at, size);
    return text;
}

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return c == '=' ? 0 : (int)(strchr(digits, c) - digits);
}

// the numbers of a block; the caller frees
typedef struct block {
    unsigned char *bytes;
    size_t size, at;
} block;

static block block_of(const char *page, const char *class, int k)
{
    char tag[80];
    snprintf(tag, sizeof tag, "<script type=\"text/plain\" class=\"%s\">", class);
    char *text = element(page, tag, k);
    const size_t n = strlen(text);
    unsigned char *packed = calloc(1, n);
    uLongf size = 64u << 20;
    block b = {.bytes = calloc(1, size)};
    for (size_t i = 0; i + 3 < n; i += 4) {
        const int x = digit_of(text[i]) << 18 | digit_of(text[i + 1]) << 12 |
                      digit_of(text[i + 2]) << 6 | digit_of(text[i + 3]);
        packed[i / 4 * 3] = (unsigned char)(x >> 16);
        packed[i / 4 * 3 + 1] = (unsigned char)(x >> 8);
        packed[i / 4 * 3 + 2] = (unsigned char)x;
    }
    ck_assert_int_eq(uncompress(b.bytes, &size, packed, n / 4 * 3), Z_OK);
    b.size = size;
    free(packed);
    free(text);
    return b;
}

static const unsigned char *part(block *b, size_t bytes)
{
    const unsigned char *at = b->bytes + b->at;
    b->at += (bytes + 3) / 4 * 4;
    ck_assert_uint_le(b->at, b->size);
    return at;
}

static unsigned number(const unsigned char *at, int bytes)
{
    unsigned x = 0;
    for (int i = 0; i < bytes; ++i) {
        x |= (unsigned)at[i] << 8 * i;
    }
    return x;
}

static double real(const json_t *object, const char *key, int i)
{
    return json_number_value(json_array_get(json_object_get(object, key), (size_t)i));
}

// ---- the contents

static void same_pose(const json_t *rows, int row, const double *q, const unsigned x[7])
{
    double norm = 0;
    for (int i = 3; i < 7; ++i) {
        norm += q[i] * q[i];
    }
    for (int i = 0; i < 3; ++i) {
        const double step = real(rows, "step", 3 * row + i);
        CK_NEAR(real(rows, "lo", 3 * row + i) + step * x[i], q[i], 0.51 * step + 1e-15);
    }
    for (int i = 3; i < 7; ++i) {
        CK_NEAR(((double)x[i] - 32768) / 32767, q[i] / sqrt(norm), 0.51 / 32767);
    }
}

// the frame of the trajectory that is the k-th of the page
static long frame_shown(unsigned k)
{
    return 2L * k < STEPS ? 2L * k : STEPS;
}

static int by_bodies(const pcs_contact *a, const pcs_contact *b)
{
    const int first = a->system1.id - b->system1.id;
    return first != 0 ? first : a->system2.id - b->system2.id;
}

// the contacts of a frame that are shown, ordered by their bodies; taken
static pcs_contact *shown_contacts(const pcs_trajectory_frame *frame, int *n)
{
    pcs_contact *shown = calloc((size_t)frame->contact_count + 1, sizeof *shown);
    *n = 0;
    for (int j = 0; j < frame->contact_count; ++j) {
        if (frame->contact[j].interaction != 0) continue;
        int at = (*n)++;
        for (; at > 0 && by_bodies(&shown[at - 1], &frame->contact[j]) > 0; --at) {
            shown[at] = shown[at - 1];
        }
        shown[at] = frame->contact[j];
    }
    return shown;
}

// low bytes, then high bytes, of n numbers
typedef struct planes {
    const unsigned char *low, *high;
} planes;

static planes planes_of(block *b, unsigned n)
{
    const unsigned char *low = part(b, n);
    return (planes){low, part(b, n)};
}

static unsigned plane_number(const planes *p, unsigned k)
{
    return p->low[k] | (unsigned)p->high[k] << 8;
}

typedef struct page_contact {
    unsigned body[2], x[6]; // steps of the point and of the roots of the impulse
} page_contact;

static void same_contact(const json_t *box, const pcs_contact *c, double unit,
                         const page_contact *p)
{
    for (int i = 0; i < 3; ++i) {
        const double step = real(box, "step", i), x = 0.5 * (c->P1[i] + c->P2[i]);
        const double r = c->F[i] * c->r[0] + c->F[i + 3] * c->r[1] + c->F[i + 6] * c->r[2];
        const int root = (int16_t)p->x[3 + i];
        CK_NEAR(real(box, "lo", i) + step * p->x[i], x, 0.51 * step + 1e-12);
        // (root + 1/2)^2 - root^2 = root + 1/4
        CK_NEAR(unit * root * abs(root), r, unit * (abs(root) + 0.26) + 1e-6 * fabs(r));
    }
    ck_assert_uint_eq(p->body[0], (unsigned)c->system1.id);
    ck_assert_uint_eq(p->body[1], (unsigned)c->system2.id);
}

static void check_contacts(pcs_trajectory *t, const json_t *page, block *b, unsigned first,
                           unsigned count)
{
    const unsigned char *offset = part(b, 4 * (count + 1));
    const unsigned n = number(offset + 4 * count, 4);
    float unit;
    memcpy(&unit, part(b, 4), sizeof unit);
    const planes skip = planes_of(b, n);
    planes channel[6];
    for (int i = 0; i < 6; ++i) {
        channel[i] = planes_of(b, n);
    }
    const unsigned char *status = part(b, n);
    page_contact *contact = calloc((size_t)n + 1, sizeof *contact);
    for (unsigned f = 0; f < count; ++f) {
        const unsigned from = number(offset + 4 * f, 4), to = number(offset + 4 * f + 4, 4);
        unsigned before = f > 0 ? number(offset + 4 * f - 4, 4) : 0;
        pcs_trajectory_frame frame;
        int shown;
        CK_OK(pcs_trajectory_read_frame(t, frame_shown(first + f), &frame));
        pcs_contact *expected = shown_contacts(&frame, &shown);
        ck_assert_int_eq(shown, (int)(to - from));
        for (unsigned j = from; j < to; ++j) {
            page_contact *c = &contact[j];
            const bool fresh = plane_number(&skip, j) == 65535;
            if (fresh) {
                const unsigned char *bodies = part(b, 8);
                *c = (page_contact){.body = {number(bodies, 4), number(bodies + 4, 4)}};
            } else {
                before += plane_number(&skip, j);
                ck_assert_uint_lt(before, from);
                *c = contact[before++];
            }
            for (int i = 0; i < 6; ++i) {
                c->x[i] = (c->x[i] + plane_number(&channel[i], j)) & 65535;
            }
            same_contact(json_object_get(page, "contacts"), &expected[j - from], (double)unit, c);
            ck_assert_uint_eq(status[j], expected[j - from].status);
        }
        free(expected);
    }
    free(contact);
}

static int check_block(pcs_trajectory *t, const json_t *page, block *b, int rows)
{
    const unsigned first = number(part(b, 8), 4), count = number(b->bytes + 4, 4);
    planes channel[7];
    for (int c = 0; c < 7; ++c) {
        channel[c] = planes_of(b, count * (unsigned)rows);
    }
    const json_t *list = json_object_get(page, "bodies");
    unsigned *x = calloc(7 * (size_t)rows, sizeof *x);
    for (unsigned f = 0; f < count; ++f) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, frame_shown(first + f), &frame));
        CK_NEAR(real(page, "times", (int)(first + f)), frame.t, 0);
        for (int i = 0; i < 7 * rows; ++i) {
            const unsigned at = f * (unsigned)rows + (unsigned)(i % rows);
            x[i] = (x[i] * (f > 0) + plane_number(&channel[i / rows], at)) & 65535;
        }
        for (int body = 0; body < (int)json_array_size(list); ++body) {
            const json_t *entry = json_array_get(list, (size_t)body);
            const int row = (int)json_integer_value(json_object_get(entry, "row"));
            int at;
            pcs_trajectory_place(t, (pcs_system){body}, &at, NULL);
            if (row < 0) continue;
            unsigned pose[7];
            for (int i = 0; i < 7; ++i) {
                pose[i] = x[i * rows + row];
            }
            same_pose(json_object_get(page, "rows"), row, frame.q + at, pose);
        }
    }
    free(x);
    check_contacts(t, page, b, first, count);
    ck_assert_uint_eq(b->at, b->size);
    return (int)count;
}

static void check_joint(const json_t *joint, const char *kind, const int bodies[2],
                        const double point2[3])
{
    ck_assert_str_eq(json_string_value(json_object_get(joint, "kind")), kind);
    for (int i = 0; i < 6; ++i) {
        if (i < 2) ck_assert_double_eq(real(joint, "bodies", i), bodies[i]);
        ck_assert_double_eq(real(joint, "points", i), i < 3 ? 0 : point2[i - 3]);
    }
}

TEST(page_holds_the_trajectory)
{
    record();
    pcs_trajectory *t;
    long shown;
    pcs_replay_def def = pcs_replay_def_default();
    def.every = 2;
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_replay_write(t, &def, PAGE, &shown));
    ck_assert_int_eq(shown, SHOWN);
    char *page = read_all(PAGE);
    char *text = element(page, "<script type=\"application/json\" id=\"percuss-scene\">", 0);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(json != NULL, "no JSON: %.200s", text);
    ck_assert_str_eq(json_string_value(json_object_get(json, "title")), NAME);
    const int bodies = pcs_model_system_count(pcs_trajectory_model(t));
    const json_t *last = json_array_get(json_object_get(json, "bodies"), (size_t)bodies);
    ck_assert_str_eq(json_string_value(json_object_get(last, "name")), NAME);
    const json_t *joints = json_object_get(json, "joints");
    const size_t places = json_array_size(joints);
    ck_assert_int_eq((int)places, pcs_model_interaction_count(pcs_trajectory_model(t)) - 1);
    const json_t *rope = json_array_get(joints, places - 1);
    check_joint(json_array_get(joints, places - 2), "ball", (int[]){bodies - 1, 0}, pivot);
    check_joint(rope, "rope", (int[]){bodies, bodies - 1}, knot);
    ck_assert_double_eq(json_number_value(json_object_get(rope, "length")), 5);
    const int rows =
        (int)json_array_size(json_object_get(json_object_get(json, "rows"), "step")) / 3;
    int frames = 0;
    const int blocks = count_of(page, "class=\"percuss-frames\">");
    for (int k = 0; k < blocks; ++k) {
        block b = block_of(page, "percuss-frames", k);
        frames += check_block(t, json, &b, rows);
        free(b.bytes);
    }
    ck_assert_int_eq(frames, SHOWN);
    // the height field as vertices and triangles
    block b = block_of(page, "percuss-geometry", 0);
    ck_assert_uint_eq(number(b.bytes, 4), 6);
    ck_assert_uint_eq(number(b.bytes + 4, 4), 4);
    free(b.bytes);
    // elements: the scene, a geometry, the frames, the program
    ck_assert_int_eq(count_of(page, "</script>"), 3 + blocks);
    json_decref(json);
    free(text);
    free(page);
    pcs_trajectory_close(t);
}

// the k-th value of a curve; null is NaN
// A disk is drawn as a cylinder along the normal of its plane, all planar bodies with the least
// width, of a plank; a sphere in space stays one
TEST(planar_bodies_are_drawn_as_plates)
{
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        scene s = scene_open();
        pcs_body_def def = pcs_body_def_default();
        def.plane = (pcs_plane)plane;
        CK_OK(pcs_model_add_disk(s.m, &def, 0.3, 7, (pcs_material){0}, NULL));
        def.position[0] = 9;
        CK_OK(pcs_model_add_rectangle(s.m, &def, 0.08, 0.7, 7, (pcs_material){0}, NULL));
        def.position[0] = -9;
        CK_OK(pcs_model_add_polygon(s.m, &def, 3, (double[]){0, 0, 0.4, 0, 0, 0.5}, 7,
                                    (pcs_material){0}, NULL));
        scene_solid_ball(&s, 1, 0.1, (double[]){0, 20, 0}, NULL, 0);
        scene_start(&s);
        record_run(&s, RUN, NULL, 1e-3, 2e-3);
        scene_close(&s);
        pcs_trajectory *t;
        pcs_body_def back;
        CK_OK(pcs_trajectory_open(NULL, RUN, &t));
        for (int i = 1; i <= 4; ++i) {
            CK_OK(pcs_model_body(pcs_trajectory_model(t), (pcs_system){i}, &back));
            ck_assert_int_eq(back.plane, i < 4 ? plane : PCS_PLANE_NONE);
        }
        CK_OK(pcs_replay_write(t, NULL, PAGE, NULL));
        pcs_trajectory_close(t);
        char *page = read_all(PAGE);
        char *text = element(page, "<script type=\"application/json\" id=\"percuss-scene\">", 0);
        json_t *json = json_loads(text, 0, NULL);
        const json_t *shapes = json_object_get(json, "shapes");
        static const char *const kinds[] = {"cylinder", "box", "geometry", "sphere"};
        const int normal = 3 - plane;
        for (size_t i = 0; i < 4; ++i) {
            ck_assert_str_eq(json_string_value(json_object_get(json_array_get(shapes, i), "kind")),
                             kinds[i]);
        }
        const json_t *disk = json_array_get(shapes, 0);
        ck_assert_double_eq_tol(real(disk, "size", 0), 0.3, 1e-9);
        ck_assert_double_eq_tol(real(disk, "size", 1), 0.04, 1e-9);
        ck_assert_double_eq_tol(real(json_array_get(shapes, 1), "size", normal), 0.04, 1e-9);
        double Q[4], z[3];
        for (int i = 0; i < 4; ++i) {
            Q[i] = real(disk, "pose", 3 + i);
        }
        pcs_quat_rotate(Q, (double[]){0, 0, 1}, z);
        ck_assert_double_eq_tol(fabs(z[normal]), 1, 1e-6);
        json_decref(json);
        free(text);
        free(page);
    }
}

static double curve_value(const json_t *page, const char *name, size_t k)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(page, "curves"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) != 0) continue;
        const json_t *value = json_array_get(json_object_get(one, "values"), k);
        return json_is_number(value) ? json_number_value(value) : NAN;
    }
    ck_abort_msg("no curve %s", name);
    return NAN;
}

TEST(a_residual_that_is_not_a_number_is_the_worst)
{
    scene s = scene_open();
    pcs_recorder *recorder;
    pcs_trajectory *t;
    pcs_step_report report;
    pcs_replay_def def = pcs_replay_def_default();
    scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    scene_start(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, NULL));
    const double residual[6] = {1, NAN, 2, 3, 2, NAN};
    for (int i = 0; i < 6; ++i) {
        CK_OK(pcs_step(s.m, s.st, s.wk, 1e-3, &report));
        report.solve.measure.residual = residual[i];
        CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, &report));
    }
    CK_OK(pcs_recorder_close(recorder));
    scene_close(&s);
    def.every = 3; // frames 0, 3 and 6
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_replay_write(t, &def, PAGE, NULL));
    pcs_trajectory_close(t);
    char *page = read_all(PAGE);
    char *text = element(page, "<script type=\"application/json\" id=\"percuss-scene\">", 0);
    json_t *json = json_loads(text, 0, NULL);
    ck_assert(isnan(curve_value(json, "residual", 1)) && isnan(curve_value(json, "residual", 2)));
    ck_assert(isfinite(curve_value(json, "kinetic", 1)));
    json_decref(json);
    free(text);
    free(page);
}

static void stretch_normals(void)
{
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "/contacts", H5P_DEFAULT), space = H5Dget_space(set);
    const hsize_t three = 3;
    const hid_t one = H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 3 * sizeof(float));
    H5Tinsert(type, "normal", 0, one);
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    ck_assert_uint_gt(n, 0);
    float *x = calloc(3 * n, sizeof *x);
    ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
    for (size_t i = 0; i < 3 * n; ++i) {
        x[i] *= 1e30f;
    }
    ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
    free(x);
    H5Tclose(type);
    H5Tclose(one);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

// impulses of a file with axes of any length stay within the largest of their numbers
TEST(numbers_too_large_for_the_page_become_its_largest)
{
    scene s = scene_open();
    pcs_trajectory *t;
    const double height[4] = {0};
    CK_OK(pcs_geometry_create_height_field(NULL, 2, 2, 1e39, 1, height, &field));
    scene_ground(&s, 0);
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    CK_OK(pcs_model_set_shape_enabled(s.m, pcs_model_shape_count(s.m) - 1, true));
    scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, (double[3]){0, 0, -1}, 0);
    scene_start(&s);
    record_run(&s, RUN, NULL, 1e-3, 1e-3);
    scene_close(&s);
    pcs_geometry_destroy(field);
    stretch_normals();
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_replay_write(t, NULL, PAGE, NULL));
    pcs_trajectory_close(t);
    char *page = read_all(PAGE);
    block b = block_of(page, "percuss-geometry", 0);
    float x;
    memcpy(&x, b.bytes + 8 + 12, sizeof x); // of the second vertex
    ck_assert(x == FLT_MAX);
    free(b.bytes);
    b = block_of(page, "percuss-frames", 0);
    const unsigned count = number(part(&b, 8) + 4, 4);
    for (int c = 0; c < 14; ++c) {
        part(&b, count);
    }
    const unsigned n = number(part(&b, 4 * (count + 1)) + 4 * count, 4);
    ck_assert_uint_ge(n, 1);
    part(&b, 4);
    for (int c = 0; c < 6; ++c) {
        planes_of(&b, n); // what is passed over, the point, the impulse along x and y
    }
    const planes z = planes_of(&b, n);
    ck_assert_int_eq(abs((int16_t)plane_number(&z, 0)), 1023);
    free(b.bytes);
    free(page);
}

TEST(large_pages_have_fewer_frames)
{
    record();
    pcs_trajectory *t;
    long all, some, few;
    pcs_replay_def def = pcs_replay_def_default();
    struct stat whole, part_of;
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_replay_write(t, &def, PAGE, &all));
    ck_assert_int_eq(all, STEPS + 1);
    ck_assert_int_eq(stat(PAGE, &whole), 0);
    def.most_bytes = (double)whole.st_size - 1;
    CK_OK(pcs_replay_write(t, &def, PAGE, &some));
    ck_assert_int_eq(stat(PAGE, &part_of), 0);
    ck_assert_int_lt(some, all);
    ck_assert_int_lt(part_of.st_size, whole.st_size);
    def.most_bytes = 1; // the limit is too small for any: the first and the last frame remain
    CK_OK(pcs_replay_write(t, &def, PAGE, &few));
    ck_assert_int_eq(few, 2);
    def = pcs_replay_def_default();
    def.contacts = false;
    CK_OK(pcs_replay_write(t, &def, PAGE, NULL));
    ck_assert_int_eq(stat(PAGE, &part_of), 0);
    ck_assert_int_lt(part_of.st_size, whole.st_size);
    pcs_trajectory_close(t);
}

TEST(refusals_leave_the_old_page)
{
    record();
    pcs_trajectory *t;
    pcs_replay_def def = pcs_replay_def_default();
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_replay_write(t, NULL, PAGE, NULL));
    char *old = read_all(PAGE);
    CK_SAYS(pcs_replay_write(NULL, NULL, PAGE, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_replay_write(t, NULL, NULL, NULL), PCS_ERR_ARG, "null");
    def.every = 0;
    CK_SAYS(pcs_replay_write(t, &def, PAGE, NULL), PCS_ERR_ARG, "every is 0");
    def.every = 1;
    def.most_bytes = NAN;
    CK_SAYS(pcs_replay_write(t, &def, PAGE, NULL), PCS_ERR_ARG, "most_bytes is nan");
    CK_SAYS(pcs_replay_write(t, NULL, FOLDER "/none/run.html", NULL), PCS_ERR_FILE, "none");
    CK_SAYS(pcs_replay_write(t, NULL, FOLDER, NULL), PCS_ERR_FILE, "directory");
    char *now = read_all(PAGE);
    ck_assert_str_eq(now, old);
    free(old);
    free(now);
    pcs_trajectory_close(t);
}
