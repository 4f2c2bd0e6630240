// Writing objects of a scene file by their tables: members that differ from the defaults, with all
// digits.
#ifndef SCENE_WRITE_FIELDS_H
#define SCENE_WRITE_FIELDS_H

#include "problem_file/sink.h"
#include "scene/fields.h"

enum { WRITE_DEPTH = 16 };

// A JSON text that grows. A block has each item on its own line.
typedef struct writer {
    sink s;
    int depth;
    struct {
        bool block, comma; // an item precedes
        bool member;       // a member of an object
        size_t before;     // size of the text before it,
        bool comma_before; // comma before it
    } level[WRITE_DEPTH];
} writer;

// key null within an array and outside. A member that stays empty is not written
void write_open(writer *w, const char *key, char bracket, bool block);
void write_close(writer *w, char bracket);
void write_words(writer *w, const char *key, const char *words);
void write_real(writer *w, const char *key, double x);
void write_int(writer *w, const char *key, long long x);
void write_bool(writer *w, const char *key, bool x);
void write_reals(writer *w, const char *key, int n, const double *x);

// writes the members of an object that differ from `usual` (null: the defaults of the table), and
// those that are required; the caller writes lists and solvers
void write_fields(writer *w, const table *t, const void *object, const void *usual);

// the same as an object
void write_object(writer *w, const char *key, const table *t, const void *object,
                  const void *usual);

#endif
