// Text that grows in memory and is then stored at once. Numbers are written with a point in every
// locale, so that they read back as the same double.
#ifndef PROBLEM_FILE_SINK_H
#define PROBLEM_FILE_SINK_H

#include <percuss/base.h>

#include <stdbool.h>
#include <stddef.h>

#include "problem_file/text.h"

typedef struct sink {
    const pcs_env *env;
    char *bytes;
    size_t size, room;
    bool failed;               // out of memory: further text is ignored
    char point[DECIMAL_POINT]; // the decimal point of printf in the current locale
} sink;

sink sink_begin(const pcs_env *env);
void sink_end(sink *s);

void sink_bytes(sink *s, const char *bytes, size_t size);
void sink_text(sink *s, const char *words);
void sink_int(sink *s, long long x); // and a blank
void sink_real(sink *s, double x);   // and a blank
void sink_digits(sink *s, double x); // without one
void sink_float(sink *s, float x);   // the same, as many digits as a float has
void sink_ints(sink *s, size_t n, const int *x);
void sink_reals(sink *s, size_t n, const double *x);
void sink_line(sink *s); // ends the line; drops a blank before it

#endif
