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
    FIELD_OFFSETS,  // the same, at most n of them; missing ones stay 0
    FIELD_ROTATION, // 4 doubles: a quaternion, or an object with axis and angle
    FIELD_NUMBERS,  // numbers: a flat array of any length
    FIELD_ROWS,     // numbers: an array of arrays of n numbers each; n = 0: all of one length
    FIELD_PART,     // part: the name or the number of a part
    FIELD_PARTS,    // 1 to n of them; missing ones stay {0}
    FIELD_OBJECT,   // an object by `table`, in the struct itself
    FIELD_LATER,    // const json_t *: an object by `table`, which its user reads
    FIELD_LIST,     // const json_t *: an array of objects by `table`, which its user reads
    FIELD_SOLVER    // const json_t *: the solver and its options, which its user reads
} field_type;

// the name of a part, or its number when null
typedef struct part {
    const char *name;
    int id;
} part;

// `rows` rows of `width` doubles one after another; a flat array has rows of 1
typedef struct numbers {
    const double *x;
    int rows, width;
} numbers;

typedef uint64_t given; // bit i: the text had field i of the table. First member of every struct

// value of `kinds` and `required`: any kind
#define ALWAYS (~0u)

typedef struct field {
    const char *key;
    field_type type;
    size_t at; // in the struct
    double low, high;
    bool open;
    int n;
    const char *const *words;  // words of a choice; null ends them
    const struct table *table; // table of FIELD_OBJECT and FIELD_LIST
    const char *unit, *help;
    unsigned kinds;    // bits 1u << kind for which it is valid; 0: all
    unsigned required; // bits of the kinds that require it
} field;

typedef struct table {
    const char *what; // "shape"
    const char *help; // a sentence
    const field *field;
    int n;
    size_t size;             // size of the struct
    const void *defaults;    // such a struct; null: zeros
    void (*init)(void *out); // or null: sets defaults that are no constants
} table;

// every struct that a table describes begins with this
typedef struct described {
    given given;
    int kind; // only if the first field is a FIELD_WORD with the key "kind"
} described;

bool table_has_kinds(const table *t);
bool field_goes(const table *t, const field *f, int kind);
bool field_required(const table *t, const field *f, int kind);

// size of the member that the field describes
size_t field_bytes(const field *f);

// the number of a key, or -1
int table_find(const table *t, const char *key);

// true when the text had the field with this key
bool table_given(const table *t, const void *object, const char *key);

// size of an array for all keys of a table, or the words of a choice
enum { FIELDS_MAX = 64 };

#endif
