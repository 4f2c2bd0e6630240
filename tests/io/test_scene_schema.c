// The JSON schema of scene files: the published one is that of the reader's tables, the scenes of
// the examples obey it, and the reader refuses whatever it refuses. This file contains a validator
// of the few keywords that the schema uses.
#define _POSIX_C_SOURCE 200809L // strdup

#include <percuss/scene.h>

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>

#include "support.h"

static json_t *load(const char *path)
{
    json_error_t e;
    json_t *json = json_load_file(path, 0, &e);
    ck_assert_msg(json != NULL, "%s:%d: %s", path, e.line, e.text);
    return json;
}

// ---- validating --------------------------------------------------------------------------------

static bool is_valid(const json_t *root, const json_t *schema, const json_t *x);

static bool has_type(const char *type, const json_t *x)
{
    return (strcmp(type, "object") == 0 && json_is_object(x)) ||
           (strcmp(type, "array") == 0 && json_is_array(x)) ||
           (strcmp(type, "string") == 0 && json_is_string(x)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(x)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(x)) ||
           (strcmp(type, "number") == 0 && json_is_number(x));
}

static bool fits_type(const json_t *type, const json_t *x)
{
    if (json_is_string(type)) return has_type(json_string_value(type), x);
    bool any = false;
    for (size_t i = 0; i < json_array_size(type); ++i) {
        any = any || has_type(json_string_value(json_array_get(type, i)), x);
    }
    return any;
}

static bool fits_object(const json_t *root, const json_t *schema, const json_t *x)
{
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); ++i) {
        if (!json_object_get(x, json_string_value(json_array_get(required, i)))) return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)x, key, value)
    {
        const json_t *property = json_object_get(properties, key);
        if (!property || !is_valid(root, property, value)) return false;
    }
    return true;
}

static bool fits_array(const json_t *root, const json_t *schema, const json_t *x)
{
    const json_t *least = json_object_get(schema, "minItems");
    const json_t *most = json_object_get(schema, "maxItems");
    const json_t *items = json_object_get(schema, "items");
    const size_t n = json_array_size(x);
    if ((least && n < (size_t)json_integer_value(least)) ||
        (most && n > (size_t)json_integer_value(most))) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        if (items && !is_valid(root, items, json_array_get(x, i))) return false;
    }
    return true;
}

static bool in_range(const json_t *schema, double x)
{
    const json_t *low = json_object_get(schema, "minimum");
    const json_t *above = json_object_get(schema, "exclusiveMinimum");
    const json_t *high = json_object_get(schema, "maximum");
    return !(low && x < json_number_value(low)) && !(above && x <= json_number_value(above)) &&
           !(high && x > json_number_value(high));
}

static int alternatives(const json_t *root, const json_t *list, const json_t *x)
{
    int n = 0;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        n += is_valid(root, json_array_get(list, i), x);
    }
    return n;
}

static bool is_one_of(const json_t *list, const json_t *x)
{
    for (size_t i = 0; i < json_array_size(list); ++i) {
        if (json_equal(json_array_get(list, i), x)) return true;
    }
    return false;
}

static bool is_valid(const json_t *root, const json_t *schema, const json_t *x)
{
    const json_t *ref = json_object_get(schema, "$ref"), *one = json_object_get(schema, "oneOf");
    if (ref) {
        const char *name = json_string_value(ref) + strlen("#/$defs/");
        const json_t *definition = json_object_get(json_object_get(root, "$defs"), name);
        ck_assert_msg(definition != NULL, "there is no definition %s", name);
        if (!is_valid(root, definition, x)) return false;
    }
    if (one && alternatives(root, one, x) != 1) return false;
    const json_t *type = json_object_get(schema, "type"), *set = json_object_get(schema, "enum"),
                 *value = json_object_get(schema, "const");
    return (!type || fits_type(type, x)) && (!set || is_one_of(set, x)) &&
           (!value || json_equal(value, x)) &&
           (!json_is_number(x) || in_range(schema, json_number_value(x))) &&
           (!json_is_object(x) || !type || fits_object(root, schema, x)) &&
           (!json_is_array(x) || fits_array(root, schema, x));
}

// ---- the reader --------------------------------------------------------------------------------

static bool is_read(const json_t *x)
{
    char *text = json_dumps(x, JSON_REAL_PRECISION(17));
    pcs_scene *scene;
    const bool read = pcs_scene_parse(NULL, text, strlen(text), NULL, &scene) == PCS_OK;
    pcs_scene_destroy(scene);
    free(text);
    return read;
}

TEST(the_published_schema_is_that_of_the_tables)
{
    const char *path = PERCUSS_TEST_SCRATCH "-schema.json";
    CK_OK(pcs_scene_write_schema(path));
    json_t *own = load(path), *published = load(PERCUSS_DOC "/scene.schema.json");
    ck_assert_msg(json_equal(own, published),
                  "run: percuss scene --schema -o doc/scene.schema.json");
    json_t *now = json_pack("{s:i}", "percuss_scene", 1);
    json_t *later = json_pack("{s:i}", "percuss_scene", 2);
    ck_assert(is_valid(published, published, now) && !is_valid(published, published, later));
    json_decref(now);
    json_decref(later);
    json_decref(own);
    json_decref(published);
    remove(path);
}

// ---- scenes that are changed -------------------------------------------------------------------

// visits all members within x; fn removes each and puts it back at the end
typedef void visit_fn(json_t *root, json_t *object, const char *key, void *user);

static void visit(json_t *root, json_t *x, visit_fn *fn, void *user)
{
    const char *key;
    json_t *value;
    size_t i;
    json_t *members = json_copy(x);
    json_object_foreach(members, key, value)
    {
        visit(root, value, fn, user);
        fn(root, x, key, user);
    }
    json_decref(members);
    json_array_foreach(x, i, value)
    {
        if (i < 4) visit(root, value, fn, user); // the first ones suffice: the others are alike
    }
}

typedef struct counts {
    const json_t *schema;
    int refused, changed;
} counts;

static void expect_agreement(json_t *root, counts *n, const char *key)
{
    n->changed += 1;
    if (is_valid(n->schema, n->schema, root)) return;
    n->refused += 1;
    ck_assert_msg(!is_read(root), "the schema refuses a change of '%s' that the reader takes", key);
}

// a member is removed, renamed, given another value, and restored
static void change(json_t *root, json_t *object, const char *key, void *user)
{
    json_t *others[] = {json_true(),  json_string("x"), json_integer(-7),
                        json_array(), json_object(),    json_null()};
    json_t *value = json_incref(json_object_get(object, key));
    char *name = strdup(key);
    counts *n = user;
    json_object_del(object, name);
    expect_agreement(root, n, name);
    json_object_set(object, "zzz", value);
    const int refused = n->refused;
    expect_agreement(root, n, name);
    ck_assert_int_eq(n->refused, refused + 1);
    json_object_del(object, "zzz");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        json_object_set_new(object, name, others[i]);
        expect_agreement(root, n, name);
    }
    json_object_set_new(object, name, value);
    free(name);
}

TEST(the_reader_refuses_all_that_the_schema_refuses)
{
    json_t *schema = load(PERCUSS_DOC "/scene.schema.json");
    DIR *folder = opendir(PERCUSS_SCENES);
    ck_assert_ptr_nonnull(folder);
    int files = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        if (!strstr(e->d_name, ".json")) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", PERCUSS_SCENES, e->d_name);
        json_t *scene = load(path);
        ck_assert_msg(is_valid(schema, schema, scene), "%s does not obey the schema", path);
        // changes of small scenes: a scene is read for each
        char *text = json_dumps(scene, 0);
        if (strlen(text) < TEST_FEW(500, 1000)) {
            counts n = {.schema = schema};
            visit(scene, scene, change, &n);
            ck_assert_int_gt(n.refused, n.changed / 2);
            ck_assert_msg(is_read(scene), "%s: %s", path, pcs_error_text());
        }
        free(text);
        json_decref(scene);
        files += 1;
    }
    closedir(folder);
    json_decref(schema);
    ck_assert_int_gt(files, 10);
}
