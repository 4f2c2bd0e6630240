// USD as text: the file is read by a strict reader of its grammar; names of prims are identifiers
// and unique, paths lead to prims, and time samples are the motion of the trajectory.
#include <percuss/export.h>
#include <percuss/parts.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "moving_scene.h"
#include "recorded.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/usd"
#define RUN    FOLDER "/run.h5"
#define OUT    FOLDER "/run.usda"

static void before(void)
{
    make_empty_folder(FOLDER);
}

TEST_AROUND(before, NULL)

// ---- a reader ----------------------------------------------------------------------------------

enum { MOST_ENTRIES = 2000 };

// a prim (its type as the value) or a property, with where its value stands
typedef struct entry {
    char path[200], type[40];
    bool prim;
    const char *value;
} entry;

static char *bytes; // of the file
static const char *at;
static entry entries[MOST_ENTRIES];
static int n_entries;
static char target[MOST_ENTRIES][200]; // paths in < >
static int n_targets;

static void space(void)
{
    while (*at && strchr(" \n", *at)) {
        ++at;
    }
}

static bool take(const char *word)
{
    space();
    const size_t n = strlen(word);
    if (strncmp(at, word, n) != 0) return false;
    at += n;
    return true;
}

static void expect(const char *word)
{
    ck_assert_msg(take(word), "'%s' is missing at: %.60s", word, at);
}

static void identifier(char *out, size_t size, const char *more)
{
    size_t n = 0;
    space();
    ck_assert_msg(isalpha((unsigned char)*at) || *at == '_', "no identifier: %.60s", at);
    while (isalnum((unsigned char)*at) || *at == '_' || (*at && strchr(more, *at))) {
        ck_assert_uint_lt(n + 1, size);
        out[n++] = *at++;
    }
    out[n] = '\0';
}

static void string(char *out, size_t size)
{
    size_t n = 0;
    expect("\"");
    for (; *at != '"'; ++at) {
        ck_assert(*at && *at != '\n');
        if (*at == '\\') {
            ++at;
            ck_assert(*at == '"' || *at == '\\' || *at == 'n');
        }
        if (n + 1 < size) out[n++] = *at;
    }
    out[n] = '\0';
    ++at;
}

static double number(void)
{
    char *end;
    space();
    const double x = strtod(at, &end);
    ck_assert_msg(end > at && isfinite(x), "no number: %.60s", at);
    at = end;
    return x;
}

static void value(void);

static void list(const char *end)
{
    while (!take(end)) {
        value();
        if (take(",")) continue;
        expect(end);
        return;
    }
}

static void dictionary(void)
{
    char word[200];
    while (!take("}")) {
        space();
        if (isdigit((unsigned char)*at) || *at == '-') {
            number();
            expect(":");
            value();
            expect(",");
        } else {
            identifier(word, sizeof word, "");
            identifier(word, sizeof word, "");
            expect("=");
            value();
        }
    }
}

static void value(void)
{
    char word[400];
    space();
    if (take("[")) {
        list("]");
    } else if (take("(")) {
        list(")");
    } else if (take("{")) {
        dictionary();
    } else if (*at == '"') {
        string(word, sizeof word);
    } else if (take("<")) {
        const size_t n = strcspn(at, ">\n");
        ck_assert(at[n] == '>' && n < sizeof target[0] && n_targets < MOST_ENTRIES);
        snprintf(target[n_targets++], sizeof target[0], "%.*s", (int)n, at);
        at += n + 1;
    } else {
        number();
    }
}

static entry *add(const char *path, const char *type, bool prim)
{
    for (int i = 0; i < n_entries; ++i) {
        ck_assert_msg(strcmp(entries[i].path, path) != 0, "%s is there twice", path);
    }
    ck_assert_int_lt(n_entries, MOST_ENTRIES);
    entry *e = &entries[n_entries++];
    snprintf(e->path, sizeof e->path, "%s", path);
    snprintf(e->type, sizeof e->type, "%s", type);
    e->prim = prim;
    e->value = at;
    return e;
}

// the text in the ( ) of a prim or of the file
static void metadata(const char *path)
{
    char key[80], whole[200];
    while (!take(")")) {
        (void)take("prepend ");
        identifier(key, sizeof key, "");
        expect("=");
        snprintf(whole, sizeof whole, "%.150s#%.40s", path, key);
        add(whole, "", false);
        value();
    }
}

static void property(const char *path)
{
    char type[40], name[80], whole[200];
    (void)take("uniform ");
    identifier(type, sizeof type, "");
    if (take("[]")) strcat(type, "[]");
    identifier(name, sizeof name, ":.");
    snprintf(whole, sizeof whole, "%.110s.%s", path, name);
    const bool given = take("=");
    add(whole, type, false);
    if (given) value();
    if (take("(")) metadata(whole);
}

static void prim(const char *parent)
{
    char type[40], name[100], path[200];
    identifier(type, sizeof type, "");
    string(name, sizeof name);
    const char *here = at;
    at = name;
    identifier(path, sizeof path, "");
    ck_assert_msg(*at == '\0', "'%s' is no identifier", name);
    at = here;
    snprintf(path, sizeof path, "%.90s/%s", parent, name);
    add(path, type, true);
    if (take("(")) metadata(path);
    expect("{");
    while (!take("}")) {
        if (take("def ") || take("class ")) {
            prim(path);
        } else {
            property(path);
        }
    }
}

static void read_usda(void)
{
    FILE *f = fopen(OUT, "rb");
    ck_assert(f != NULL);
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    free(bytes);
    bytes = calloc(1, size + 1);
    ck_assert_uint_eq(fread(bytes, 1, size, f), size);
    fclose(f);
    n_entries = n_targets = 0;
    at = bytes;
    expect("#usda 1.0\n");
    expect("(");
    metadata("");
    expect("def ");
    prim("");
    space();
    ck_assert_msg(*at == '\0', "more after the end: %.60s", at);
}

static const entry *find(const char *path)
{
    for (int i = 0; i < n_entries; ++i) {
        if (strcmp(entries[i].path, path) == 0) return &entries[i];
    }
    return NULL;
}

// n numbers of a tuple, or one without brackets
static void numbers(const char *path, int n, double *out)
{
    const entry *e = find(path);
    ck_assert_msg(e != NULL, "there is no %s", path);
    at = e->value;
    const bool tuple = take("(");
    for (int i = 0; i < n; ++i) {
        if (i > 0) expect(",");
        out[i] = number();
    }
    if (tuple) expect(")");
}

static double real(const char *path)
{
    double x;
    numbers(path, 1, &x);
    return x;
}

static void check_text(const char *path, const char *words)
{
    char out[400];
    ck_assert_msg(find(path) != NULL, "there is no %s", path);
    at = find(path)->value;
    string(out, sizeof out);
    ck_assert_str_eq(out, words);
}

// the value at a time code, between samples on a straight line
static void sample(const char *path, double code, int n, double *out)
{
    char samples[250];
    double before[4] = {0}, next[4], t0 = -INFINITY, t1 = -INFINITY;
    snprintf(samples, sizeof samples, "%.200s.timeSamples", path);
    const entry *e = find(samples);
    if (!e) {
        numbers(path, n, out);
        return;
    }
    at = e->value;
    expect("{");
    while (t1 < code && !take("}")) {
        t0 = t1;
        t1 = number();
        ck_assert(t1 > t0);
        expect(":");
        expect("(");
        for (int i = 0; i < n; ++i) {
            if (i > 0) expect(",");
            before[i] = t0 > -INFINITY ? next[i] : 0;
            next[i] = number();
        }
        expect(")");
        expect(",");
    }
    const double u = isfinite(t0) ? fmin(1, (code - t0) / (t1 - t0)) : 1;
    for (int i = 0; i < n; ++i) {
        out[i] = (1 - u) * before[i] + u * next[i];
    }
}

// ---- tests -------------------------------------------------------------------------------------

static void export_moving_scene(const pcs_export_def *def, double gx, double gy, double gz)
{
    moving_scene_record(RUN, gx, gy, gz);
    moving_scene_export(RUN, PCS_EXPORT_USD, def, OUT);
    read_usda();
}

static const char *const body_path[MOVING_BODIES] = {
    [MOVING_BALL] = "/percuss/bodies/it_s___id_____script_____x___y_____1",
    [MOVING_TWIN] = "/percuss/bodies/twin",
    [MOVING_SPINNER] = "/percuss/bodies/twin_5",
    [MOVING_CYLINDER] = "/percuss/bodies/body_4",
    [MOVING_HULL] = "/percuss/bodies/body_5",
    [MOVING_FIXED] = "/percuss/bodies/body_6"};

static char *member(int body, const char *rest)
{
    static char path[300];
    snprintf(path, sizeof path, "%s%s", body_path[body], rest);
    return path;
}

// the pose of a body at time t
static void shown_pose(const void *user, int body, double t, double x[3], double Q[4])
{
    const double code = t * real("#timeCodesPerSecond");
    sample(member(body, ".xformOp:translate"), code, 3, x);
    sample(member(body, ".xformOp:orient"), code, 4, Q);
}

TEST(time_samples_are_the_motion)
{
    export_moving_scene(NULL, 0, 0, -9.81);
    CK_NEAR(real("#timeCodesPerSecond"), 100, 0);
    CK_NEAR(real("#startTimeCode"), 0, 0);
    CK_NEAR(real("#endTimeCode"), MOVING_STEPS, 0);
    CK_NEAR(real("#metersPerUnit"), 1, 0);
    check_text("#upAxis", "Z");
    moving_scene_compare(RUN, shown_pose, NULL, 0, 1);
    ck_assert_ptr_null(find(member(MOVING_CYLINDER, ".xformOp:translate.timeSamples")));
    pcs_export_def def = pcs_export_def_default();
    def.first = 10;
    def.every = 7;
    export_moving_scene(&def, 0, -9.81, 0);
    CK_NEAR(real("#endTimeCode"), 10, 0);
    check_text("#upAxis", "Y");
    moving_scene_compare(RUN, shown_pose, NULL, 10, 7);
    def.first = def.last = 3;
    export_moving_scene(&def, 0, 0, 0);
    CK_NEAR(real("#endTimeCode"), 0, 0);
    moving_scene_compare(RUN, shown_pose, NULL, 3, MOVING_STEPS);
}

TEST(paths_lead_to_prims_and_names_are_kept)
{
    export_moving_scene(NULL, 0, 0, -9.81);
    check_text("#defaultPrim", "percuss");
    check_text("#doc", MOVING_NAME);
    ck_assert_int_gt(n_targets, 20);
    for (int i = 0; i < n_targets; ++i) {
        char *dot = strchr(target[i], '.');
        if (dot) ck_assert_msg(find(target[i]) != NULL, "no %s", target[i]);
        if (dot) *dot = '\0';
        const entry *e = find(target[i]);
        ck_assert_msg(e && e->prim, "no prim %s", target[i]);
    }
    // a name that is no identifier is kept beside
    const entry *e = find(member(MOVING_BALL, "#customData"));
    ck_assert(e != NULL);
    at = e->value;
    char out[400];
    expect("{");
    expect("string name =");
    string(out, sizeof out);
    ck_assert_str_eq(out, MOVING_NAME);
}

TEST(shapes_have_their_sizes)
{
    export_moving_scene(NULL, 0, 0, -9.81);
    double x[4];
    ck_assert_str_eq(find(member(MOVING_BALL, "/shape_0"))->type, "Sphere");
    CK_NEAR(real(member(MOVING_BALL, "/shape_0.radius")), 0.1, 0);
    ck_assert_str_eq(find(member(MOVING_SPINNER, "/shape_2"))->type, "Capsule");
    CK_NEAR(real(member(MOVING_SPINNER, "/shape_2.height")), 0.5, 0);
    ck_assert_str_eq(find(member(MOVING_SPINNER, "/shape_3"))->type, "Cube");
    const double size = real(member(MOVING_SPINNER, "/shape_3.size"));
    numbers(member(MOVING_SPINNER, "/shape_3.xformOp:scale"), 3, x);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(x[i] * size, 0.2 + 0.1 * i, 1e-15);
    }
    numbers(member(MOVING_SPINNER, "/shape_3.xformOp:orient"), 4, x);
    CK_NEAR(x[0], 0.6, 1e-15);
    CK_NEAR(x[2], 0.8, 1e-15);
    ck_assert_str_eq(find(member(MOVING_CYLINDER, "/shape_4"))->type, "Cylinder");
    ck_assert_str_eq(find(member(MOVING_HULL, "/shape_5"))->type, "Mesh");
    check_text(member(MOVING_HULL, "/shape_5.physics:approximation"), "convexHull");
    ck_assert_str_eq(find("/percuss/world/shape_7")->type, "Mesh");
    // corners are numbers of points
    at = find("/percuss/world/shape_8.faceVertexIndices")->value;
    expect("[");
    int corners = 0, largest = 0, points = 0;
    do {
        largest = (int)fmax(largest, number());
        corners += 1;
    } while (take(","));
    expect("]");
    at = find("/percuss/world/shape_8.points")->value;
    expect("[");
    do {
        expect("(");
        number();
        expect(",");
        number();
        expect(",");
        number();
        expect(")");
        points += 1;
    } while (take(","));
    expect("]");
    ck_assert_int_eq(corners, 12);
    ck_assert_int_eq(largest + 1, points);
}

TEST(masses_and_joints_are_those_of_the_model)
{
    export_moving_scene(NULL, 3, 0, -4);
    double x[4];
    CK_NEAR(real("/percuss/physics.physics:gravityMagnitude"), 5, 1e-15);
    numbers("/percuss/physics.physics:gravityDirection", 3, x);
    CK_NEAR(x[0], 0.6, 1e-15);
    CK_NEAR(x[2], -0.8, 1e-15);
    CK_NEAR(real(member(MOVING_SPINNER, ".physics:mass")), 2, 0);
    // moments of the box of 0.2 x 0.3 x 0.4 m: m (b^2 + c^2) / 12, ascending
    numbers(member(MOVING_SPINNER, ".physics:diagonalInertia"), 3, x);
    CK_NEAR(x[0], 2 * 0.13 / 12, 1e-15);
    CK_NEAR(x[1], 2 * 0.20 / 12, 1e-15);
    CK_NEAR(x[2], 2 * 0.25 / 12, 1e-15);
    numbers(member(MOVING_SPINNER, ".physics:angularVelocity"), 3, x);
    CK_NEAR(x[2], -40 * 180 / acos(-1.0), 1e-10);
    ck_assert_ptr_null(find(member(MOVING_FIXED, ".physics:mass")));
    ck_assert_str_eq(find("/percuss/joints/joint_1")->type, "PhysicsSphericalJoint");
    ck_assert_ptr_null(find("/percuss/joints/joint_1.physics:body1")); // the world
    numbers("/percuss/joints/joint_1.physics:localPos1", 3, x);
    CK_NEAR(x[0], 4, 0);
    ck_assert_str_eq(find("/percuss/joints/joint_2")->type, "PhysicsDistanceJoint");
    CK_NEAR(real("/percuss/joints/joint_2.physics:minDistance"), 2, 0);
    CK_NEAR(real("/percuss/joints/joint_2.physics:maxDistance"), 2, 0);
    ck_assert(real("/percuss/joints/joint_3.physics:minDistance") < 0);
    CK_NEAR(real("/percuss/joints/joint_3.physics:maxDistance"), 9, 0);
    ck_assert_str_eq(find("/percuss/joints/joint_4")->type, "PhysicsPrismaticJoint");
    numbers("/percuss/joints/joint_4.physics:localRot0", 4, x);
    CK_NEAR(x[0], 1, 0);
}

TEST(a_file_that_cannot_be_written_stays)
{
    moving_scene_record(RUN, 0, 0, -9.81);
    moving_scene_not_written(RUN, PCS_EXPORT_USD, FOLDER "/none/run.usda");
    moving_scene_not_written(RUN, PCS_EXPORT_USD, "/dev/full");
}
