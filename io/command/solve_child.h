// `percuss solve --csv` in a separate process.
#ifndef COMMAND_SOLVE_CHILD_H
#define COMMAND_SOLVE_CHILD_H

#include "command/child.h"
#include "command/setup.h"

typedef struct solve_line {
    const char *self;   // path of this program
    const char *solver; // with its options: nsgs:depth=0:order=shuffled; null: not given
    double tol;         // NaN: not given
    const setup *s;     // the other flags, where given
    int repeat;
    char *const *file;
    int files;
} solve_line;

// starts it with a time limit, s; false after a line on stderr
bool solve_child_start(child *c, const solve_line *x, double limit);

#endif
