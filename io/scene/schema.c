// The JSON schema of scene files (draft 2020-12), from the tables of the reader: one definition for
// each table; tables with kinds have one alternative for each kind.
#include <percuss/scene.h>
#include <percuss/solver_table.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/new_file.h"
#include "scene/tables.h"
#include "scene/write_fields.h"

// every table under the name of its definition
static const struct {
    const char *name;
    const table *table;
} definitions[] = {
    {"scene", &file_table},
    {"material", &material_table},
    {"law", &law_table},
    {"pair_law", &pair_law_table},
    {"geometry", &geometry_table},
    {"shape", &shape_table},
    {"world", &world_table},
    {"body", &body_table},
    {"motion", &motion_table},
    {"move", &move_table},
    {"load", &load_table},
    {"rotation", &rotation_table},
    {"vehicle", &vehicle_table},
    {"fin", &fin_table},
    {"foil", &foil_table},
    {"interaction", &interaction_table},
    {"target", &target_table},
    {"scheme", &scheme_table},
    {"run", &settings_table},
    {"stop", &stop_table},
    {"rest", &rest_table},
    {"box", &box_table},
};
enum { DEFINITIONS = sizeof definitions / sizeof *definitions };

static void write_ref(writer *w, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "#/$defs/%s", name);
    write_words(w, "$ref", path);
}

static const char *name_of(const table *t)
{
    for (int i = 0; i < DEFINITIONS; ++i) {
        if (definitions[i].table == t) return definitions[i].name;
    }
    return "";
}

// ---- types -------------------------------------------------------------------------------------

static void write_range(writer *w, const field *f)
{
    if (f->low == 0 && f->high == 0) return; // none
    write_real(w, f->open ? "exclusiveMinimum" : "minimum", f->low);
    if (isfinite(f->high)) write_real(w, "maximum", f->high);
}

static void write_number(writer *w, const char *key, const char *type, const field *f)
{
    write_open(w, key, '{', false);
    write_words(w, "type", type);
    write_range(w, f);
    write_close(w, '}');
}

// an array of 1 to n items
static void write_some(writer *w, int n)
{
    write_words(w, "type", "array");
    write_int(w, "minItems", 1);
    write_int(w, "maxItems", n);
}

// an array of `n` items, or of any number that is not 0
static void write_length(writer *w, int n)
{
    write_words(w, "type", "array");
    write_int(w, "minItems", n > 0 ? n : 1);
    if (n > 0) write_int(w, "maxItems", n);
}

static void write_part_type(writer *w)
{
    write_open(w, "type", '[', false);
    write_words(w, NULL, "string");
    write_words(w, NULL, "integer");
    write_close(w, ']');
}

static void write_words_of(writer *w, const char *const *words)
{
    write_open(w, "enum", '[', false);
    for (int i = 0; words[i]; ++i) {
        write_words(w, NULL, words[i]);
    }
    write_close(w, ']');
}

static void write_rotation(writer *w)
{
    const field plain = {0};
    write_open(w, "oneOf", '[', false);
    write_open(w, NULL, '{', false);
    write_length(w, 4);
    write_number(w, "items", "number", &plain);
    write_close(w, '}');
    write_open(w, NULL, '{', false);
    write_ref(w, "rotation");
    write_close(w, '}');
    write_close(w, ']');
}

static void write_rows_type(writer *w, const field *f)
{
    const field plain = {0};
    write_length(w, 0);
    write_open(w, "items", '{', false);
    write_length(w, f->n);
    write_number(w, "items", "number", &plain);
    write_close(w, '}');
}

static void write_type(writer *w, const field *f)
{
    switch (f->type) {
    case FIELD_REAL:
    case FIELD_INT:
        write_words(w, "type", f->type == FIELD_INT ? "integer" : "number");
        write_range(w, f);
        break;
    case FIELD_BITS:
        write_words(w, "type", "integer");
        write_range(w, &(field){.low = 0, .high = 4294967295.0});
        break;
    case FIELD_BOOL:
        write_words(w, "type", "boolean");
        break;
    case FIELD_TEXT:
    case FIELD_NAME:
        write_words(w, "type", "string");
        break;
    case FIELD_WORD:
        write_words_of(w, f->words);
        break;
    case FIELD_VECTOR:
    case FIELD_COUNTS:
        write_length(w, f->n);
        write_number(w, "items", f->type == FIELD_COUNTS ? "integer" : "number", f);
        break;
    case FIELD_OFFSETS:
        write_some(w, f->n);
        write_number(w, "items", "integer", f);
        break;
    case FIELD_ROTATION:
        write_rotation(w);
        break;
    case FIELD_NUMBERS:
        write_length(w, 0);
        write_number(w, "items", "number", &(field){0});
        break;
    case FIELD_ROWS:
        write_rows_type(w, f);
        break;
    case FIELD_PART:
        write_part_type(w);
        break;
    case FIELD_PARTS:
        write_some(w, f->n);
        write_open(w, "items", '{', false);
        write_part_type(w);
        write_close(w, '}');
        break;
    case FIELD_OBJECT:
    case FIELD_LATER:
        write_ref(w, name_of(f->table));
        break;
    case FIELD_LIST:
        write_words(w, "type", "array");
        write_open(w, "items", '{', false);
        write_ref(w, name_of(f->table));
        write_close(w, '}');
        break;
    case FIELD_SOLVER:
        write_ref(w, "solver");
        break;
    }
}

static void write_property(writer *w, const field *f)
{
    char help[400];
    snprintf(help, sizeof help, "%s%s%s%s", f->help, f->unit ? " (" : "", f->unit ? f->unit : "",
             f->unit ? ")" : "");
    write_open(w, f->key, '{', false);
    write_type(w, f);
    write_words(w, "description", help);
    write_close(w, '}');
}

// ---- objects -----------------------------------------------------------------------------------

static void write_comment(writer *w, const char *key)
{
    write_open(w, key, '{', false);
    write_words(w, "type", "string");
    write_close(w, '}');
}

static void write_required(writer *w, const table *t, int kind)
{
    write_open(w, "required", '[', false);
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        // an object without a kind has the first one
        const bool tells = i == 0 && table_has_kinds(t) && kind > 0;
        if (tells || field_required(t, f, kind)) write_words(w, NULL, f->key);
    }
    write_close(w, ']');
}

static void write_members(writer *w, const table *t, int kind)
{
    write_words(w, "type", "object");
    write_open(w, "properties", '{', true);
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        if (i == 0 && table_has_kinds(t)) {
            write_open(w, "kind", '{', false);
            write_words(w, "const", f->words[kind]);
            write_close(w, '}');
        } else if (field_goes(t, f, kind)) {
            write_property(w, f);
        }
    }
    if (table_find(t, "description") < 0) write_comment(w, "description");
    if (t == &file_table) write_comment(w, "$schema");
    write_close(w, '}');
    write_required(w, t, kind);
    write_bool(w, "additionalProperties", false);
}

static void write_table(writer *w, const char *name, const table *t)
{
    write_open(w, name, '{', true);
    write_words(w, "description", t->help);
    if (table_has_kinds(t)) {
        write_open(w, "oneOf", '[', true);
        for (int kind = 0; t->field[0].words[kind]; ++kind) {
            write_open(w, NULL, '{', true);
            write_members(w, t, kind);
            write_close(w, '}');
        }
        write_close(w, ']');
    } else {
        write_members(w, t, 0);
    }
    write_close(w, '}');
}

// ---- solvers: their options are in the table of solvers ----------------------------------------

static void write_option(writer *w, const pcs_opt *opt)
{
    const field range = {.low = opt->low, .high = opt->high};
    write_open(w, opt->name, '{', false);
    if (opt->type == PCS_OPT_BOOL) {
        write_words(w, "type", "boolean");
    } else if (opt->words) {
        write_open(w, "enum", '[', false);
        for (int i = 0; i <= (int)(opt->high - opt->low); ++i) {
            write_words(w, NULL, opt->words[i]);
        }
        write_close(w, ']');
    } else {
        write_words(w, "type", opt->type == PCS_OPT_INT ? "integer" : "number");
        write_range(w, &range);
    }
    write_words(w, "description", opt->help);
    write_close(w, '}');
}

static void write_solver(writer *w, const pcs_solver_info *s)
{
    write_open(w, NULL, '{', true);
    write_words(w, "description", s->summary);
    write_words(w, "type", "object");
    write_open(w, "properties", '{', true);
    write_open(w, "kind", '{', false);
    write_words(w, "const", s->name);
    write_close(w, '}');
    for (int i = 0; i < solver_table.n; ++i) {
        write_property(w, &solver_table.field[i]);
    }
    for (int i = 0; i < s->n_opts; ++i) {
        write_option(w, &s->opt[i]);
    }
    write_comment(w, "description");
    write_close(w, '}');
    // without a kind it is the solver of the base of the scheme
    if (s->kind != PCS_SOLVER_AUTO) {
        write_open(w, "required", '[', false);
        write_words(w, NULL, "kind");
        write_close(w, ']');
    }
    write_bool(w, "additionalProperties", false);
    write_close(w, '}');
}

static void write_solvers(writer *w)
{
    write_open(w, "solver", '{', true);
    write_words(w, "description", solver_table.help);
    write_open(w, "oneOf", '[', true);
    for (int i = 0; i < pcs_solver_count(); ++i) {
        write_solver(w, pcs_solver_at(i));
    }
    write_close(w, ']');
    write_close(w, '}');
}

pcs_status pcs_scene_write_schema(const char *path)
{
    if (!path) return pcs_fail(PCS_ERR_ARG, "pcs_scene_write_schema: the path is null");
    writer w = {.s = sink_begin(NULL)};
    write_open(&w, NULL, '{', true);
    write_words(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    write_words(&w, "title", "A scene of percuss");
    write_ref(&w, "scene");
    write_open(&w, "$defs", '{', true);
    for (int i = 0; i < DEFINITIONS; ++i) {
        write_table(&w, definitions[i].name, definitions[i].table);
    }
    write_solvers(&w);
    write_close(&w, '}');
    write_close(&w, '}');
    sink_text(&w.s, "\n");
    const pcs_status status =
        w.s.failed ? pcs_fail_memory("pcs_scene_write_schema") : store(path, w.s.bytes, w.s.size);
    sink_end(&w.s);
    return status;
}
