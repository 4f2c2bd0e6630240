// The keys of an object of a scene file, as a table: reader, writer and the JSON schema are made
// from it.
//
//     typedef struct sphere { given given; int kind; double radius; } sphere;
//     static const field fields[] = {
//         {"radius", FIELD_REAL, offsetof(sphere, radius), .low = 0, .open = true, .high = HUGE,
//          .unit = "m", .help = "of the sphere", .required = ALWAYS},
//     };
//     const table sphere_table = {"sphere", "A sphere.", fields, 1, sizeof(sphere), NULL};
#ifndef SCENE_FIELDS_H
#define SCENE_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum field_type {
    FIELD_REAL,     // double in [low, high]; `open`: above low
    FIELD_INT,      // int in [low, high]
    FIELD_BITS,     // unsigned of 32 bits
    FIELD_BOOL,     // bool
    FIELD_TEXT,     // const char *, of the text read
    FIELD_NAME,     // the same: the name of a part, without control characters
    FIELD_WORD,     // int: the place in `words`
    FIELD_VECTOR,   // n doubles
    FIELD_COUNTS,   // n ints in [low, high]
    FIELD_OFFSETS,  // the same, at most n of them; those that are not given stay 0
    FIELD_ROTATION, // 4 doubles: a quaternion, or an object with axis and angle
    FIELD_NUMBERS,  // numbers: a flat array of any length
    FIELD_ROWS,     // numbers: an array of arrays of n numbers each; n = 0: all of one length
    FIELD_PART,     // part: the name or the number of a part
    FIELD_PARTS,    // n of them; those that are not given stay {0}. At least one
    FIELD_OBJECT,   // an object by `table`, in place
    FIELD_LATER,    // const json_t *: an object by `table`, which its user reads
    FIELD_LIST,     // const json_t *: an array of objects by `table`, which its user reads
    FIELD_SOLVER    // const json_t *: the solver and its options, which its user reads
} field_type;

// the name of a part, or its number when null
typedef struct part {
    const char *name;
    int id;
} part;

// `rows` rows of `width` doubles one after another; a flat array is rows of 1
typedef struct numbers {
    const double *x;
    int rows, width;
} numbers;

typedef uint64_t given; // bit i: field i of the table was there. First member of every struct

// of `kinds` and `required`: whatever the kind is
#define ALWAYS (~0u)

typedef struct field {
    const char *key;
    field_type type;
    size_t at; // in the struct
    double low, high;
    bool open;
    int n;
    const char *const *words;  // null ends them
    const struct table *table; // of FIELD_OBJECT and FIELD_LIST
    const char *unit, *help;
    unsigned kinds;    // bits 1u << kind with which it goes; 0: all
    unsigned required; // bits of the kinds that cannot do without it
} field;

typedef struct table {
    const char *what; // "shape"
    const char *help; // a sentence
    const field *field;
    int n;
    size_t size;             // of the struct
    const void *defaults;    // such a struct; null: zeros
    void (*init)(void *out); // or null: sets what no constant can
} table;

// every struct that a table describes begins with this
typedef struct described {
    given given;
    int kind; // only where the first field is a FIELD_WORD with the key "kind"
} described;

bool table_has_kinds(const table *t);
bool field_goes(const table *t, const field *f, int kind);
bool field_required(const table *t, const field *f, int kind);

// of the member that the field describes
size_t field_bytes(const field *f);

// the number of a key, or -1
int table_find(const table *t, const char *key);

// whether the field with this key was there
bool table_given(const table *t, const void *object, const char *key);

// room for all keys of a table, or the words of a choice
enum { FIELDS_MAX = 64 };

#endif
