// All bytes of a file, a pipe or a device.
#ifndef PROBLEM_FILE_BYTES_H
#define PROBLEM_FILE_BYTES_H

#include <percuss/base.h>

#include <stdio.h>

// Asked while a file is read, about what has come from `from` on: a failure ends the reading.
typedef pcs_status bytes_check(const char *path, const char *bytes, size_t from, size_t size);

// At most 1 GiB; PCS_ERR_FILE beyond, and where nothing can be read. `check` may be null. Release
// *bytes with pcs_env_free whatever is returned.
pcs_status bytes_load(const pcs_env *env, const char *path, bytes_check *check, char **bytes,
                      size_t *size);

// Opens a regular file to read, and says its size. PCS_ERR_FILE of all else: to open a pipe waits
// for its writer, and takes from its reader what was written.
pcs_status bytes_open_regular(const char *path, FILE **out, size_t *size);

#endif
