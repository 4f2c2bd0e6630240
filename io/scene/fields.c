// Queries of a table of fields.
#include "scene/fields.h"

#include <string.h>

bool table_has_kinds(const table *t)
{
    return t->n > 0 && t->field[0].type == FIELD_WORD && strcmp(t->field[0].key, "kind") == 0;
}

bool field_goes(const table *t, const field *f, int kind)
{
    return !table_has_kinds(t) || f->kinds == 0 || (f->kinds & 1u << kind) != 0;
}

bool field_required(const table *t, const field *f, int kind)
{
    return table_has_kinds(t) ? (f->required & 1u << kind) != 0 : f->required != 0;
}

size_t field_bytes(const field *f)
{
    const size_t n = f->n > 0 ? (size_t)f->n : 1;
    switch (f->type) {
    case FIELD_REAL:
    case FIELD_VECTOR:
    case FIELD_ROTATION:
        return n * sizeof(double);
    case FIELD_INT:
    case FIELD_WORD:
    case FIELD_COUNTS:
    case FIELD_OFFSETS:
        return n * sizeof(int);
    case FIELD_BITS:
        return sizeof(unsigned);
    case FIELD_BOOL:
        return sizeof(bool);
    case FIELD_PART:
    case FIELD_PARTS:
        return n * sizeof(part);
    case FIELD_NUMBERS:
    case FIELD_ROWS:
        return sizeof(numbers);
    case FIELD_OBJECT:
        return f->table->size;
    default:
        return sizeof(void *);
    }
}

int table_find(const table *t, const char *key)
{
    for (int i = 0; i < t->n; ++i) {
        if (strcmp(t->field[i].key, key) == 0) return i;
    }
    return -1;
}

bool table_given(const table *t, const void *object, const char *key)
{
    const int i = table_find(t, key);
    return i >= 0 && (((const described *)object)->given >> i & 1) != 0;
}
