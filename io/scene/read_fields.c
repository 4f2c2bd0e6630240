// Objects of a scene file into structs, key by key.
#include "scene/read_fields.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "problem_file/nearest.h"
#include "scene/tables.h"

// ---- refusing ----------------------------------------------------------------------------------

// largest length of a path in a sentence; longer ones lose their end
enum { PATH_SIZE = 160 };

static pcs_status refuse_at(const source *s, const place *at, int of_key, pcs_status status,
                            const char *sentence)
{
    int line, column;
    char path[PATH_SIZE];
    place_position(at, s->text, s->size, of_key, &line, &column);
    place_path(at, path, sizeof path);
    const size_t length = strlen(s->name), shown = 120;
    const bool cut = length > shown;
    return pcs_fail(status, "%s%s:%d:%d: %s%s%s", cut ? "..." : "",
                    s->name + (cut ? length - shown : 0), line, column, path, *path ? ": " : "",
                    sentence);
}

pcs_status refuse(const source *s, const place *at, pcs_status status, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return refuse_at(s, at, 0, status, sentence);
}

// the text behind a beginning, or the whole text when it begins otherwise
static const char *behind(const char *text, const char *beginning)
{
    const size_t n = beginning ? strlen(beginning) : 0;
    return n > 0 && strncmp(text, beginning, n) == 0 && strncmp(text + n, ": ", 2) == 0
               ? text + n + 2
               : text;
}

// words of the kernel, and those of a scene file for the same
typedef struct phrase {
    const char *kernel, *scene;
} phrase;

// the phrase that begins here, a word on its own; null: none
static const phrase *phrase_at(const char *text, char before)
{
    static const phrase phrases[] = {{"system ", "body "},
                                     {"its systems", "its bodies"},
                                     {"systems of", "bodies of"},
                                     {"axis z", "axis"},
                                     {"axis x", "direction across"}};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases && before == ' '; ++i) {
        const size_t n = strlen(phrases[i].kernel);
        if (strncmp(text, phrases[i].kernel, n) != 0) continue;
        if (text[n - 1] == ' ' || !isalpha((unsigned char)text[n])) return &phrases[i];
    }
    return NULL;
}

// A sentence of the kernel in the words of a scene file: without the name of the function or of the
// object, which the place says, `end_of_step` for PCS_ACTIVATION_END_OF_STEP, `body 2` for system
// 2.
static void in_scene_words(const place *at, const char *text, char *out, size_t size)
{
    static const char *const families[] = {
        "PCS_ACTIVATION_", "PCS_PROJECTION_", "PCS_CONFIGURATION_", "PCS_QUAT_UPDATE_",
        "PCS_METRIC_",     "PCS_LEVER_",      "PCS_PLANE_",         "PCS_FORCE_",
        "PCS_JOINT_",      "PCS_SHAPE_",      "PCS_LAW_",           "PCS_SOLVER_"};
    enum { FAMILIES = sizeof families / sizeof *families };
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    if (strncmp(name, "pcs_", 4) == 0 && !strchr(name, ' ')) text = behind(text, name);
    text = behind(text, at->key);
    size_t n = 0;
    while (*text && n + 1 < size) {
        const phrase *p = phrase_at(text, n == 0 ? ' ' : out[n - 1]);
        const bool lagrangian = n >= 11 && strncmp(out + n - 11, "Lagrangian ", 11) == 0;
        if (p && !lagrangian && n + strlen(p->scene) < size) {
            memcpy(out + n, p->scene, strlen(p->scene));
            n += strlen(p->scene);
            text += strlen(p->kernel);
            continue;
        }
        size_t length = 0;
        for (int i = 0; i < FAMILIES && length == 0; ++i) {
            const size_t l = strlen(families[i]);
            if (strncmp(text, families[i], l) == 0) length = l;
        }
        text += length;
        if (length == 0) out[n++] = *text++;
        while (length > 0 && (isupper((unsigned char)*text) || *text == '_') && n + 1 < size) {
            out[n++] = (char)tolower((unsigned char)*text++);
        }
    }
    out[n] = '\0';
}

pcs_status refuse_because(const source *s, const place *at, pcs_status status)
{
    char sentence[512];
    in_scene_words(at, pcs_error_text(), sentence, sizeof sentence);
    return refuse_at(s, at, 0, status == PCS_ERR_MEMORY ? status : PCS_ERR_FORMAT, sentence);
}

place place_of(const place *object, const json_t *json, const char *key)
{
    place at = {object, key, 0};
    const char *k;
    json_t *value;
    // the members come in the order of the text
    json_object_foreach((json_t *)json, k, value)
    {
        if (strcmp(k, key) == 0) break;
        at.index += 1;
    }
    return at;
}

static const char *type_words(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static pcs_status expected(const source *s, const place *at, const json_t *json, const char *what)
{
    return refuse(s, at, PCS_ERR_FORMAT, "%s stands here, but it must be %s", type_words(json),
                  what);
}

// " m", or nothing
static const char *unit_of(const field *f, char words[48])
{
    snprintf(words, 48, "%s%s", f->unit ? " " : "", f->unit ? f->unit : "");
    return words;
}

// ---- numbers -----------------------------------------------------------------------------------

static pcs_status read_real(const source *s, const field *f, const json_t *json, const place *at,
                            double *out)
{
    char what[96], unit[48];
    if (!json_is_number(json)) {
        snprintf(what, sizeof what, "a number%s%s%s", f->unit ? " (" : "", f->unit ? f->unit : "",
                 f->unit ? ")" : "");
        return expected(s, at, json, what);
    }
    const double x = json_number_value(json);
    *out = x;
    if (f->low == f->high) return PCS_OK; // no range
    if (f->open ? x > f->low && x <= f->high : x >= f->low && x <= f->high) return PCS_OK;
    unit_of(f, unit);
    if (f->high == HUGE_VAL) {
        return refuse(s, at, PCS_ERR_FORMAT, "%.15g is too small; it must be %s %g%s", x,
                      f->open ? "above" : "at least", f->low, unit);
    }
    return refuse(s, at, PCS_ERR_FORMAT, "%.15g is out of range; it must lie in %c%g, %g]%s", x,
                  f->open ? '(' : '[', f->low, f->high, unit);
}

static pcs_status read_int(const source *s, const field *f, const json_t *json, const place *at,
                           int *out)
{
    if (!json_is_integer(json)) return expected(s, at, json, "a whole number");
    const json_int_t x = json_integer_value(json);
    if ((double)x < f->low || (double)x > f->high) {
        if (f->low == f->high) {
            return refuse(s, at, PCS_ERR_FORMAT, "it is %lld, but it must be %.0f", (long long)x,
                          f->low);
        }
        return refuse(s, at, PCS_ERR_FORMAT, "%lld is out of range; it must lie in [%.0f, %.0f]",
                      (long long)x, f->low, f->high);
    }
    *out = (int)x;
    return PCS_OK;
}

static pcs_status read_bits(const source *s, const json_t *json, const place *at, unsigned *out)
{
    if (!json_is_integer(json) || json_integer_value(json) < 0 ||
        json_integer_value(json) > UINT_MAX) {
        return refuse(s, at, PCS_ERR_FORMAT, "it must be a whole number of 32 bits, 0 to %u",
                      UINT_MAX);
    }
    *out = (unsigned)json_integer_value(json);
    return PCS_OK;
}

static pcs_status wrong_length(const source *s, const place *at, size_t is, int must)
{
    return refuse(s, at, PCS_ERR_SIZE, "the array has %zu entries; it must have %d", is, must);
}

// at least one, at most all
static pcs_status check_some(const source *s, const field *f, size_t n, const place *at)
{
    if (n >= 1 && n <= (size_t)f->n) return PCS_OK;
    return refuse(s, at, PCS_ERR_SIZE, "the array has %zu entries; it must have 1 to %d", n, f->n);
}

static pcs_status read_vector(const source *s, const field *f, const json_t *json, const place *at,
                              double *out)
{
    if (!json_is_array(json)) {
        char what[96];
        snprintf(what, sizeof what, "an array of %d numbers%s%s%s", f->n, f->unit ? " (" : "",
                 f->unit ? f->unit : "", f->unit ? ")" : "");
        return expected(s, at, json, what);
    }
    if (json_array_size(json) != (size_t)f->n) {
        return wrong_length(s, at, json_array_size(json), f->n);
    }
    for (size_t i = 0; i < (size_t)f->n; ++i) {
        const place item = {at, NULL, i};
        PCS_TRY(read_real(s, f, json_array_get(json, i), &item, &out[i]));
    }
    return PCS_OK;
}

static pcs_status read_counts(const source *s, const field *f, const json_t *json, const place *at,
                              int *out)
{
    if (!json_is_array(json)) return expected(s, at, json, "an array of whole numbers");
    const size_t n = json_array_size(json);
    if (f->type == FIELD_OFFSETS) {
        PCS_TRY(check_some(s, f, n, at));
    } else if (n != (size_t)f->n) {
        return wrong_length(s, at, n, f->n);
    }
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        PCS_TRY(read_int(s, f, json_array_get(json, i), &item, &out[i]));
    }
    return PCS_OK;
}

static pcs_status read_row(const source *s, const field *f, const json_t *json, const place *at,
                           int width, double *out)
{
    const field plain = {.unit = f->unit};
    for (int i = 0; i < width; ++i) {
        const place item = {at, NULL, (size_t)i};
        PCS_TRY(read_real(s, &plain, json_array_get(json, (size_t)i), &item, &out[i]));
    }
    return PCS_OK;
}

static pcs_status read_numbers(const source *s, const field *f, const json_t *json, const place *at,
                               numbers *out)
{
    const bool flat = f->type == FIELD_NUMBERS;
    const char *what = flat ? "an array of numbers" : "an array of rows, each an array of numbers";
    if (!json_is_array(json)) return expected(s, at, json, what);
    const size_t rows = json_array_size(json);
    size_t width = flat ? 1 : (size_t)f->n;
    if (!flat && width == 0) width = json_array_size(json_array_get(json, 0));
    if (rows == 0 || width == 0) return refuse(s, at, PCS_ERR_SIZE, "the array is empty");
    if (rows > INT_MAX / width) return refuse(s, at, PCS_ERR_SIZE, "the array is too large");

    double *x = pool_take_array(s->pool, rows, width * sizeof *x);
    if (!x) return pcs_fail_memory(s->name);
    *out = (numbers){x, (int)rows, (int)width};
    if (flat) return read_row(s, f, json, at, (int)rows, x);
    for (size_t i = 0; i < rows; ++i) {
        const place row = {at, NULL, i};
        const json_t *item = json_array_get(json, i);
        if (!json_is_array(item)) return expected(s, &row, item, "an array of numbers");
        if (json_array_size(item) != width) {
            return wrong_length(s, &row, json_array_size(item), (int)width);
        }
        PCS_TRY(read_row(s, f, item, &row, (int)width, x + i * width));
    }
    return PCS_OK;
}

// ---- rotations ---------------------------------------------------------------------------------

static pcs_status read_rotation(const source *s, const json_t *json, const place *at, double out[4])
{
    if (!json_is_object(json)) {
        const field plain = {.n = 4};
        if (!json_is_array(json)) {
            return expected(s, at, json,
                            "a quaternion (4 numbers, scalar first) or an object with axis and"
                            " angle");
        }
        PCS_TRY(read_vector(s, &plain, json, at, out));
        if (out[0] != 0 || out[1] != 0 || out[2] != 0 || out[3] != 0) return PCS_OK;
        return refuse(s, at, PCS_ERR_FORMAT,
                      "a quaternion of zeros is no rotation; [1, 0, 0, 0]"
                      " does not turn");
    }
    scene_rotation t;
    PCS_TRY(read_object(s, &rotation_table, json, at, &t));
    if (pcs_quat_from_axis_angle(t.axis, t.angle, out) == PCS_OK) return PCS_OK;
    return refuse(s, at, PCS_ERR_FORMAT, "the axis has no length; [0, 0, 1] is the z axis");
}

// ---- words, texts, parts -----------------------------------------------------------------------

// `a, b or c`
static void list_words(const char *const *words, int n, size_t size, char *out)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < n && used < size; ++i) {
        const char *between = i == 0 ? "" : i + 1 == n ? " or " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", between, words[i]);
    }
}

static pcs_status read_word(const source *s, const field *f, const json_t *json, const place *at,
                            int *out)
{
    char all[256];
    int n = 0;
    while (f->words[n]) {
        n += 1;
    }
    list_words(f->words, n, sizeof all, all);
    if (!json_is_string(json)) return expected(s, at, json, all);
    const char *word = json_string_value(json);
    for (int i = 0; i < n; ++i) {
        if (strcmp(word, f->words[i]) != 0) continue;
        *out = i;
        return PCS_OK;
    }
    const char *like = nearest(word, f->words, n);
    return refuse(s, at, PCS_ERR_FORMAT, "there is no %s '%.40s'; %s%s%sit must be %s", f->key,
                  word, like ? "did you mean '" : "", like ? like : "", like ? "'? " : "", all);
}

static pcs_status read_part(const source *s, const json_t *json, const place *at, part *out)
{
    if (json_is_string(json)) {
        *out = (part){json_string_value(json), 0};
        return PCS_OK;
    }
    if (!json_is_integer(json)) return expected(s, at, json, "a name, or the number of a part");
    const json_int_t x = json_integer_value(json);
    if (x < 0 || x > INT_MAX) return refuse(s, at, PCS_ERR_FORMAT, "there is no such number");
    *out = (part){NULL, (int)x};
    return PCS_OK;
}

static pcs_status read_parts(const source *s, const field *f, const json_t *json, const place *at,
                             part *out)
{
    if (!json_is_array(json)) return expected(s, at, json, "an array of names");
    const size_t n = json_array_size(json);
    PCS_TRY(check_some(s, f, n, at));
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        PCS_TRY(read_part(s, json_array_get(json, i), &item, &out[i]));
    }
    return PCS_OK;
}

// ---- all fields ---------------------------------------------------------------------------------

pcs_status read_field(const source *s, const field *f, const json_t *json, const place *at,
                      void *to)
{
    switch (f->type) {
    case FIELD_REAL:
        return read_real(s, f, json, at, to);
    case FIELD_INT:
        return read_int(s, f, json, at, to);
    case FIELD_BITS:
        return read_bits(s, json, at, to);
    case FIELD_BOOL:
        if (!json_is_boolean(json)) return expected(s, at, json, "true or false");
        *(bool *)to = json_is_true(json);
        return PCS_OK;
    case FIELD_TEXT:
    case FIELD_NAME:
        if (!json_is_string(json)) return expected(s, at, json, "a text");
        *(const char **)to = json_string_value(json);
        return PCS_OK;
    case FIELD_WORD:
        return read_word(s, f, json, at, to);
    case FIELD_VECTOR:
        return read_vector(s, f, json, at, to);
    case FIELD_COUNTS:
    case FIELD_OFFSETS:
        return read_counts(s, f, json, at, to);
    case FIELD_ROTATION:
        return read_rotation(s, json, at, to);
    case FIELD_NUMBERS:
    case FIELD_ROWS:
        return read_numbers(s, f, json, at, to);
    case FIELD_PART:
        return read_part(s, json, at, to);
    case FIELD_PARTS:
        return read_parts(s, f, json, at, to);
    case FIELD_OBJECT:
        return read_object(s, f->table, json, at, to);
    case FIELD_LIST:
        if (!json_is_array(json)) return expected(s, at, json, "an array of objects");
        *(const json_t **)to = json;
        return PCS_OK;
    case FIELD_LATER:
    case FIELD_SOLVER:
        if (!json_is_object(json)) return expected(s, at, json, "an object");
        *(const json_t **)to = json;
        return PCS_OK;
    }
    return PCS_OK;
}

// ---- objects -----------------------------------------------------------------------------------

void fields_init(const table *t, void *out)
{
    if (t->defaults) {
        memcpy(out, t->defaults, t->size);
    } else {
        memset(out, 0, t->size);
    }
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        if (f->type == FIELD_OBJECT) fields_init(f->table, (char *)out + f->at);
    }
    if (t->init) t->init(out);
}

static pcs_status refuse_key(const source *s, const table *t, const place *key)
{
    const char *words[FIELDS_MAX + 1];
    int n = 0;
    for (int i = 0; i < t->n; ++i) {
        words[n++] = t->field[i].key;
    }
    words[n++] = "description";
    const char *like = nearest(key->key, words, n);
    char sentence[512], all[400];
    if (like) {
        snprintf(sentence, sizeof sentence, "this key is unknown here (%s); did you mean '%s'?",
                 t->what, like);
    } else {
        list_words(words, n, sizeof all, all);
        snprintf(sentence, sizeof sentence, "this key is unknown here (%s); the keys are %.340s",
                 t->what, all);
    }
    return refuse_at(s, key, 1, PCS_ERR_FORMAT, sentence);
}

static pcs_status refuse_kind(const source *s, const table *t, const field *f, int kind,
                              const place *key)
{
    const char *words[FIELDS_MAX];
    char all[256], sentence[512];
    int n = 0;
    for (int k = 0; t->field[0].words[k]; ++k) {
        if (f->kinds & 1u << k) words[n++] = t->field[0].words[k];
    }
    list_words(words, n, sizeof all, all);
    snprintf(sentence, sizeof sentence, "the key '%s' belongs to the kind %s; the kind here is %s",
             f->key, all, t->field[0].words[kind]);
    return refuse_at(s, key, 1, PCS_ERR_FORMAT, sentence);
}

// the first field with the key "kind", if it is there
static pcs_status read_kind(const source *s, const table *t, const json_t *json, const place *at,
                            described *out)
{
    const json_t *kind = table_has_kinds(t) ? json_object_get(json, "kind") : NULL;
    if (!kind) return PCS_OK;
    const place key = place_of(at, json, "kind");
    return read_word(s, &t->field[0], kind, &key, &out->kind);
}

// Every object may have a description, which is a comment.
static bool is_comment(const place *at, const char *key)
{
    return strcmp(key, "description") == 0 || (!at && strcmp(key, "$schema") == 0);
}

pcs_status read_object(const source *s, const table *t, const json_t *json, const place *at,
                       void *out)
{
    described *object = out;
    fields_init(t, out);
    if (!json_is_object(json)) return expected(s, at, json, "an object");
    PCS_TRY(read_kind(s, t, json, at, object));

    place key = {at, NULL, 0};
    json_t *value;
    json_object_foreach((json_t *)json, key.key, value)
    {
        const int i = table_find(t, key.key);
        if (i < 0 && is_comment(at, key.key)) {
            if (!json_is_string(value)) return expected(s, &key, value, "a text");
        } else if (i < 0) {
            return refuse_key(s, t, &key);
        } else {
            const field *f = &t->field[i];
            if (!field_goes(t, f, object->kind)) return refuse_kind(s, t, f, object->kind, &key);
            PCS_TRY(read_field(s, f, value, &key, (char *)out + f->at));
            object->given |= (given)1 << i;
        }
        key.index += 1;
    }
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        if ((object->given >> i & 1) || !field_goes(t, f, object->kind) ||
            !field_required(t, f, table_has_kinds(t) ? object->kind : 0)) {
            continue;
        }
        return refuse(s, at, PCS_ERR_FORMAT, "the key '%s' is missing: %s%s%s%s", f->key, f->help,
                      f->unit ? " (" : "", f->unit ? f->unit : "", f->unit ? ")" : "");
    }
    return PCS_OK;
}
