// The contents of files for `percuss info`, except contact problems.
#ifndef COMMAND_DESCRIBE_H
#define COMMAND_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum file_content {
    CONTENT_OTHER,
    CONTENT_PROBLEM,
    CONTENT_SCENE,
    CONTENT_TRAJECTORY,
    CONTENT_CHECKPOINT,
    CONTENT_MESH
} file_content;

// A file, or the bytes of a pipe or a device, which can be read only once.
typedef struct input {
    const char *path;
    char *bytes; // null: a file
    size_t size;
} input;

// False after a line on stderr. Of a pipe texts and HDF5 are read.
bool input_open(const char *path, input *out);
void input_close(input *in);

// Recognises scenes, trajectories, checkpoints and meshes by their content. True when it is one of
// them: *code is DONE, or WRONG after a line on stderr. Words have `before` before them.
bool describe_file(const input *in, bool as_json, const char *before, int *code);

// whether the content is recognised, and not the one that is wanted
bool is_other_content(const char *path, file_content wanted);

// The reason why a reader of `wanted` refused the file: its kind and the subcommand that takes it,
// in `words`; else the sentence of the reader (pcs_error_text).
enum { REFUSAL = 600 };
const char *refusal(const char *path, file_content wanted, char words[REFUSAL]);

// the same as a line on stderr; returns WRONG
int complain_file(const char *path, file_content wanted);

#endif
