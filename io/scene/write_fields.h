// Writing objects of a scene file by their tables: what differs from the usual, all digits.
#ifndef SCENE_WRITE_FIELDS_H
#define SCENE_WRITE_FIELDS_H

#include "problem_file/sink.h"
#include "scene/fields.h"

enum { WRITE_DEPTH = 16 };

// A text of JSON that grows. A block has its items on lines of their own.
typedef struct writer {
    sink s;
    int depth;
    struct {
        bool block, comma; // something stands before
        bool member;       // of an object
        size_t before;     // size of the text before it,
        bool comma_before; // and whether something stood there
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

// the members of an object that differ from `usual` (null: the defaults of the table), and those
// that are required; lists and solvers are left to the caller
void write_fields(writer *w, const table *t, const void *object, const void *usual);

// the same as an object
void write_object(writer *w, const char *key, const table *t, const void *object,
                  const void *usual);

#endif
