// The place of a value in a JSON text: its path, "bodies[3].shapes[0].radius", and its line and
// column.
#ifndef SCENE_PLACE_H
#define SCENE_PLACE_H

#include <stddef.h>

// One step of a path; a chain on the stack of the reader. For a member of an object `key` is not
// null, and `index` is its number among the members.
typedef struct place {
    const struct place *up; // null: the whole text
    const char *key;
    size_t index;
} place;

// "bodies[3].shapes[0].radius", cut at its beginning if it is longer than `size`
void place_path(const place *at, char *out, size_t size);

// Line and column (from 1) of the value at `at`, or of its key. `text` is JSON that has been
// parsed.
void place_position(const place *at, const char *text, size_t size, int of_key, int *line,
                    int *column);

#endif
