// See write_fields.h.
#include "scene/write_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/read_fields.h"

// ---- JSON --------------------------------------------------------------------------------------

static void new_line(writer *w)
{
    sink_text(&w->s, "\n");
    for (int i = 0; i < w->depth; ++i) {
        sink_text(&w->s, "  ");
    }
}

// the comma, the line and the key before a value
static void begin(writer *w, const char *key)
{
    if (w->depth > 0) {
        const int at = w->depth - 1;
        if (w->level[at].comma) sink_text(&w->s, w->level[at].block ? "," : ", ");
        w->level[at].comma = true;
        if (w->level[at].block) new_line(w);
    }
    if (!key) return;
    sink_text(&w->s, "\"");
    sink_text(&w->s, key);
    sink_text(&w->s, "\": ");
}

void write_open(writer *w, const char *key, char bracket, bool block)
{
    const size_t before = w->s.size;
    const bool comma = w->depth > 0 && w->level[w->depth - 1].comma;
    begin(w, key);
    sink_bytes(&w->s, &bracket, 1);
    PCS_ASSERT(w->depth < WRITE_DEPTH);
    w->level[w->depth].block = block;
    w->level[w->depth].comma = false;
    w->level[w->depth].member = key != NULL;
    w->level[w->depth].before = before;
    w->level[w->depth++].comma_before = comma;
}

void write_close(writer *w, char bracket)
{
    w->depth -= 1;
    const bool empty = !w->level[w->depth].comma;
    if (empty && w->level[w->depth].member && !w->s.failed) {
        w->s.size = w->level[w->depth].before;
        w->level[w->depth - 1].comma = w->level[w->depth].comma_before;
        return;
    }
    if (w->level[w->depth].block && !empty) new_line(w);
    sink_bytes(&w->s, &bracket, 1);
}

void write_words(writer *w, const char *key, const char *words)
{
    begin(w, key);
    sink_text(&w->s, "\"");
    for (const char *c = words; *c; ++c) {
        char escape[8];
        if (*c == '"' || *c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *c);
            sink_text(&w->s, escape);
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
            sink_text(&w->s, escape);
        } else {
            sink_bytes(&w->s, c, 1);
        }
    }
    sink_text(&w->s, "\"");
}

static void put_real(writer *w, double x)
{
    // an integer would lose the sign
    if (x == 0 && signbit(x)) {
        sink_text(&w->s, "-0.0");
    } else {
        sink_digits(&w->s, x);
    }
}

void write_real(writer *w, const char *key, double x)
{
    begin(w, key);
    put_real(w, x);
}

void write_int(writer *w, const char *key, long long x)
{
    char digits[32];
    begin(w, key);
    snprintf(digits, sizeof digits, "%lld", x);
    sink_text(&w->s, digits);
}

void write_bool(writer *w, const char *key, bool x)
{
    begin(w, key);
    sink_text(&w->s, x ? "true" : "false");
}

void write_reals(writer *w, const char *key, int n, const double *x)
{
    write_open(w, key, '[', false);
    for (int i = 0; i < n; ++i) {
        write_real(w, NULL, x[i]);
    }
    write_close(w, ']');
}

// ---- fields ------------------------------------------------------------------------------------

static void write_part(writer *w, const char *key, const part *p)
{
    if (p->name) {
        write_words(w, key, p->name);
    } else {
        write_int(w, key, p->id);
    }
}

static void write_rows(writer *w, const char *key, const numbers *x)
{
    write_open(w, key, '[', x->rows > 4);
    for (int i = 0; i < x->rows; ++i) {
        write_reals(w, NULL, x->width, x->x + (size_t)i * (size_t)x->width);
    }
    write_close(w, ']');
}

static void write_field(writer *w, const field *f, const void *at, const void *usual)
{
    switch (f->type) {
    case FIELD_REAL:
        write_real(w, f->key, *(const double *)at);
        break;
    case FIELD_INT:
        write_int(w, f->key, *(const int *)at);
        break;
    case FIELD_BITS:
        write_int(w, f->key, *(const unsigned *)at);
        break;
    case FIELD_BOOL:
        write_bool(w, f->key, *(const bool *)at);
        break;
    case FIELD_TEXT:
    case FIELD_NAME:
        write_words(w, f->key, *(const char *const *)at);
        break;
    case FIELD_WORD:
        write_words(w, f->key, f->words[*(const int *)at]);
        break;
    case FIELD_VECTOR:
    case FIELD_ROTATION:
        write_reals(w, f->key, f->n, at);
        break;
    case FIELD_COUNTS:
    case FIELD_OFFSETS:
        write_open(w, f->key, '[', false);
        for (int i = 0; i < f->n; ++i) {
            write_int(w, NULL, ((const int *)at)[i]);
        }
        write_close(w, ']');
        break;
    case FIELD_NUMBERS:
        write_reals(w, f->key, ((const numbers *)at)->rows, ((const numbers *)at)->x);
        break;
    case FIELD_ROWS:
        write_rows(w, f->key, at);
        break;
    case FIELD_PART:
        write_part(w, f->key, at);
        break;
    case FIELD_PARTS:
        write_open(w, f->key, '[', false);
        for (int i = 0; i < f->n; ++i) {
            write_part(w, NULL, (const part *)at + i);
        }
        write_close(w, ']');
        break;
    case FIELD_OBJECT:
        write_object(w, f->key, f->table, at, usual);
        break;
    case FIELD_LATER:
    case FIELD_LIST:
    case FIELD_SOLVER:
        break;
    }
}

static bool any_differs(const table *t, const void *object, const void *usual);

// compares to the bit, so that -0 differs from 0. An empty text counts as none
static bool differs(const field *f, const void *at, const void *usual)
{
    switch (f->type) {
    case FIELD_TEXT:
    case FIELD_NAME:
        return *(const char *const *)at && **(const char *const *)at;
    case FIELD_NUMBERS:
    case FIELD_ROWS:
        return ((const numbers *)at)->x != NULL;
    case FIELD_PART:
        return ((const part *)at)->name || ((const part *)at)->id != 0;
    case FIELD_PARTS:
        return true;
    case FIELD_OBJECT:
        return any_differs(f->table, at, usual);
    case FIELD_LATER:
    case FIELD_LIST:
    case FIELD_SOLVER:
        return false;
    default:
        return memcmp(at, usual, field_bytes(f)) != 0;
    }
}

static int kind_of(const table *t, const void *object)
{
    return table_has_kinds(t) ? ((const described *)object)->kind : 0;
}

static bool any_differs(const table *t, const void *object, const void *usual)
{
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        if (!field_goes(t, f, kind_of(t, object))) continue;
        if (differs(f, (const char *)object + f->at, (const char *)usual + f->at)) return true;
    }
    return false;
}

static bool is_written(const table *t, const field *f, const void *object, const void *usual)
{
    const int kind = kind_of(t, object);
    if (!field_goes(t, f, kind)) return false;
    if (field_required(t, f, kind)) return f->type != FIELD_LIST && f->type != FIELD_LATER;
    return differs(f, (const char *)object + f->at, (const char *)usual + f->at);
}

// the struct without any key; objects in objects have their defaults in their own tables
typedef union usual_struct {
    max_align_t align;
    unsigned char bytes[4096];
} usual_struct;

static const void *usual_of(const table *t, usual_struct *own)
{
    PCS_ASSERT(t->size <= sizeof own->bytes);
    fields_init(t, own->bytes);
    return own->bytes;
}

void write_fields(writer *w, const table *t, const void *object, const void *usual)
{
    usual_struct own;
    if (!usual) usual = usual_of(t, &own);
    for (int i = 0; i < t->n; ++i) {
        const field *f = &t->field[i];
        if (!is_written(t, f, object, usual)) continue;
        write_field(w, f, (const char *)object + f->at, (const char *)usual + f->at);
    }
}

void write_object(writer *w, const char *key, const table *t, const void *object, const void *usual)
{
    usual_struct own;
    if (!usual) usual = usual_of(t, &own);
    write_open(w, key, '{', false);
    write_fields(w, t, object, usual);
    write_close(w, '}');
}
