// What files hold, and what `percuss info` says about those that are no contact problems.
#ifndef COMMAND_DESCRIBE_H
#define COMMAND_DESCRIBE_H

#include <stdbool.h>

typedef enum file_content {
    CONTENT_OTHER,
    CONTENT_PROBLEM,
    CONTENT_SCENE,
    CONTENT_TRAJECTORY,
    CONTENT_CHECKPOINT,
    CONTENT_MESH
} file_content;

// Recognises scenes, trajectories, checkpoints and meshes by their content. True when it is one of
// them: *code is DONE, or WRONG after a line on stderr.
bool describe_file(const char *path, bool as_json, int *code);

// Why a reader of `wanted` refused the file: what it is and which subcommand takes it, in `words`;
// where that does not say more, what the reader said (pcs_error_text).
enum { REFUSAL = 600 };
const char *refusal(const char *path, file_content wanted, char words[REFUSAL]);

// the same as a line on stderr; returns WRONG
int complain_file(const char *path, file_content wanted);

#endif
