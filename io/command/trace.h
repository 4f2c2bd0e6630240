// The iterations of a solve as a CSV file.
#ifndef COMMAND_TRACE_H
#define COMMAND_TRACE_H

#include <percuss/solver.h>

#include "command/output.h"

typedef struct trace {
    output out;
    double start; // reading of the clock at the start
} trace;

// both false after a line on stderr
bool trace_open(trace *t, const char *path);
bool trace_close(trace *t);

// writes a row per call; stops the solve after an interrupt
pcs_watch trace_watch(trace *t);

// seconds of a monotonic clock
double clock_now(void);

#endif
