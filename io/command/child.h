// A command line in a separate process, with a time limit.
#ifndef COMMAND_CHILD_H
#define COMMAND_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct pipe_text {
    int fd; // -1: the end was read
    char *text;
    size_t size;
} pipe_text;

typedef struct child {
    pid_t pid; // 0: none
    pipe_text out, err;
    double started, limit; // by the clock; seconds
    bool killed;           // the time limit ended it
    int status;            // status of waitpid, after child_ended
    size_t most;           // bytes of each text that are kept, set before child_start; 0: 1 MiB
    void *user;
} child;

// Starts argv[0], which is searched for in PATH. The process ends with this one, receives no
// interrupt of the terminal, and its BLAS gets one thread unless the environment has another
// number. It reads from `in` (-1: nothing), which stays open here. False after a line on stderr.
// Its exit code is 127 when there is no such program.
bool child_start(child *c, char *const *argv, int in, double limit);

// waits up to some milliseconds until one of n has output
void children_wait(child *c, int n, int milliseconds);

// reads the output; true once the process has ended or was killed at its time limit. Then call
// child_free
bool child_ended(child *c);

// ends the process at once
void child_kill(child *c);
void child_free(child *c);

#endif
