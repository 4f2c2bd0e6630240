// Reading an object of a scene file by its table. Every refusal says file, line, column, path, the
// error, and what would be valid.
#ifndef SCENE_READ_FIELDS_H
#define SCENE_READ_FIELDS_H

#include "problem_file/pool.h"
#include "scene/fields.h"
#include "scene/place.h"

// the text that is read
typedef struct source {
    const char *name; // name of the file, for sentences
    const char *text;
    size_t size;
    pcs_pool *pool; // arrays of numbers are taken from it
} source;

// fails with "name:line:column: path: sentence" at a value
pcs_status refuse(const source *s, const place *at, pcs_status status, const char *format, ...)
    PCS_PRINTF(4, 5);

// The same with the sentence of the call that has just failed with `status`: PCS_ERR_FORMAT, or
// PCS_ERR_MEMORY.
pcs_status refuse_because(const source *s, const place *at, pcs_status status);

// the place of an existing member of an object
place place_of(const place *object, const json_t *json, const char *key);

// the struct without any key
void fields_init(const table *t, void *out);

// reads one value into the member that the field describes
pcs_status read_field(const source *s, const field *f, const json_t *json, const place *at,
                      void *to);

// reads all keys; each must be known, be valid for the kind, have the type and lie in the range
pcs_status read_object(const source *s, const table *t, const json_t *json, const place *at,
                       void *out);

#endif
