// All bytes of a file, a pipe or a device.
#ifndef PROBLEM_FILE_BYTES_H
#define PROBLEM_FILE_BYTES_H

#include <percuss/base.h>

#include <stdio.h>

// Called while a file is read, with the bytes from `from` on: a failure ends the reading.
typedef pcs_status bytes_check(const char *path, const char *bytes, size_t from, size_t size);

// At most 1 GiB; PCS_ERR_FILE beyond, and when nothing can be read. `check` may be null. Release
// *bytes with pcs_env_free, also after a failure.
pcs_status bytes_load(const pcs_env *env, const char *path, bytes_check *check, char **bytes,
                      size_t *size);

// number of bytes of the byte order mark that some editors put at the beginning: 3 or 0
size_t bytes_mark(const char *bytes, size_t size);

// Opens a regular file for reading, and returns its size. PCS_ERR_FILE for everything else: opening
// a pipe would wait for its writer, and take bytes from its reader.
pcs_status bytes_open_regular(const char *path, FILE **out, size_t *size);

#endif
