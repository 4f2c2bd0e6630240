// The curves of `percuss plot` over time, read from a trajectory.
#ifndef COMMAND_CURVES_H
#define COMMAND_CURVES_H

#include <stdbool.h>

#include <percuss/trajectory.h>

#include "command/command_line.h"

// quantities as "a|b|c", for the command line
extern const char curves_words[];

typedef struct curves_def {
    const char *path;   // path of the trajectory, for sentences
    int what;           // index of a word of curves_words
    args_list body;     // names or numbers of systems
    args_list pair;     // two entries for each pair of systems
    args_list axis;     // components by their letters; empty: all
    double from, until; // s: times outside are left out; NaN: no limit
} curves_def;

typedef struct curve {
    char *name;  // readable
    double *y;   // n; NaN: no value
    int subject; // curves of one body or pair have one colour
    int part;    // components of a body or pair differ in dashes
} curve;

typedef struct curves {
    const char *label; // name of the values
    const char *unit;  // "" for numbers without a unit
    bool log;          // positive values over many decades
    bool apart;        // neighbouring values are not connected
    int n;             // times
    double *t;         // s, n
    int count;
    curve *curve;
} curves;

// true if a curve has at least one finite number; false after a line on stderr
bool curves_read(pcs_trajectory *trajectory, const curves_def *def, curves *out);
void curves_free(curves *c);

// true when value k of curve i can be drawn: finite, and positive if the axis is logarithmic
bool curve_has_point(const curves *c, int i, int k);
bool curve_is_empty(const curves *c, int i);

#endif
