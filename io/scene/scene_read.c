// The text of a scene file: JSON by jansson, then the model.
#include <jansson.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/bytes.h"
#include "scene/build.h"

// common text that JSON does not allow
static const char *remedy(const char *text, size_t size, const json_error_t *e)
{
    const size_t at = e->position > 0 ? (size_t)e->position - 1 : 0;
    if (at < size && (text[at] == '/' || text[at] == '#')) {
        return "; JSON has no comments: write a \"description\" into the object";
    }
    if (strstr(e->text, "NaN") || strstr(e->text, "nan") || strstr(e->text, "nf")) {
        return "; every number must be finite";
    }
    return "";
}

static pcs_status refuse_json(const source *s, const json_error_t *e)
{
    if (json_error_code(e) == json_error_out_of_memory) return pcs_fail_memory(s->name);
    return pcs_fail(PCS_ERR_FORMAT, "%.120s:%d:%d: this is not JSON: %s%s", s->name, e->line,
                    e->column, e->text, remedy(s->text, s->size, e));
}

static pcs_status check_text(const char *name, const char *bytes, size_t from, size_t size)
{
    if (size == from || !memchr(bytes + from, 0, size - from)) return PCS_OK;
    return pcs_fail(PCS_ERR_FORMAT, "%.200s: this is no text: it has bytes that are zero", name);
}

pcs_status pcs_scene_parse(const pcs_env *env, const char *text, size_t size, const char *name,
                           pcs_scene **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_scene_parse: out is null");
    *out = NULL;
    if (!text && size > 0) return pcs_fail(PCS_ERR_ARG, "pcs_scene_parse: the text is null");

    pcs_pool pool = pool_begin(env);
    const size_t mark = bytes_mark(text, size);
    size -= mark;
    builder b = {.src = {name ? name : "scene", text ? text + mark : "", size, &pool},
                 .env = pool.env};
    PCS_TRY(check_text(b.src.name, b.src.text, 0, size));
    json_error_t e;
    json_t *json = json_loadb(b.src.text, size, JSON_REJECT_DUPLICATES, &e);
    if (!json) return refuse_json(&b.src, &e);

    pcs_status status = pcs_scene_create(env, &b.scene);
    if (status == PCS_OK) {
        b.model = b.scene->model;
        status = build_scene(&b, json);
    }
    json_decref(json);
    builder_release(&b);
    pool_release(&pool);
    if (status != PCS_OK) {
        pcs_scene_destroy(b.scene);
        return status;
    }
    *out = b.scene;
    return PCS_OK;
}

pcs_status pcs_scene_read(const pcs_env *env, const char *path, pcs_scene **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_scene_read: out is null");
    *out = NULL;
    if (!path) return pcs_fail(PCS_ERR_ARG, "pcs_scene_read: the path is null");
    char *bytes;
    size_t size;
    pcs_status status = bytes_load(env, path, check_text, &bytes, &size);
    if (status == PCS_OK) status = pcs_scene_parse(env, bytes, size, path, out);
    pcs_env_free(env, bytes);
    return status;
}
