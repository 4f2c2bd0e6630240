// The table every example ends with: computed and expected values, and how far apart
// they may lie.
//
//     checks c = checks_begin();
//     check_value(&c, "momentum", computed, expected, 1e-12);
//     check_skip(&c, "Zeno time", "e = 1: the ball never comes to rest");
//     return checks_end(&c);
#ifndef EXAMPLES_CHECKS_H
#define EXAMPLES_CHECKS_H

#include <stdbool.h>

#include <percuss/base.h>

typedef struct checks {
    int done, failed;
    bool quiet;          // prints only failures: for examples with their own tables
    const char *context; // says which of several things is checked; or null
    char first[80];      // the name of the first that failed
} checks;

// prints the head of the table
checks checks_begin(void);

// |computed - expected| <= allowed; a NaN fails. Prints the row, returns whether it holds.
bool check_value(checks *c, const char *name, double computed, double expected, double allowed);

// computed >= least: an observed order
bool check_order(checks *c, const char *name, double computed, double least);

// a condition without a useful number
bool check_that(checks *c, const char *name, bool holds, const char *words);

// a row for what cannot be checked with these flags, and why
void check_skip(checks *c, const char *name, const char *why);

// Says how it went. 0: all hold. 1: some do not, with a line on stderr.
int checks_end(const checks *c);

// A number in an example's own table, by a format such as "%.3f": in a cell as wide as the
// table wants ("%9s", cell_of("%.3f", x).text). What does not exist (NaN) is "-".
typedef struct cell {
    char text[32];
} cell;

cell cell_of(const char *format, double x);

// A call of the library that failed: its sentence on stderr, and the exit code: 2 when what it was
// given is wrong, 1 otherwise.
int say_error(const char *what, pcs_status status);

#endif
