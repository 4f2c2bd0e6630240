// What `percuss info` says about files that are no contact problems.
#ifndef COMMAND_DESCRIBE_H
#define COMMAND_DESCRIBE_H

#include <stdbool.h>

// Recognises scenes, trajectories and checkpoints by their content. True when it is one of them:
// *code is DONE, or WRONG after a line on stderr.
bool describe_file(const char *path, bool as_json, int *code);

#endif
