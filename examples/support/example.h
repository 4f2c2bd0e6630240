// The frame of an example: its body computes, writes rows and checks; the frame opens and closes
// the table, says what failed, and gives the exit code of the program.
//
//     static pcs_status run(const void *user, csv *out, checks *c)
//     {
//         const settings *set = user;
//         PCS_TRY(...);
//         CSV_ROW(out, t, z);
//         check_value(c, "height", z, expected, 1e-12);
//         return PCS_OK;
//     }
//
//     int main(int argc, char **argv)
//     {
//         settings set;
//         read_flags(&set, argc, argv);
//         return example_run(run, &set, set.csv, "t,z");
//     }
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include "checks.h"
#include "csv.h"
#include "flags/run_flags.h"

#include <percuss/scene.h>

// `c` prints only the failures: a body that wants the table of checks begins with
// *c = checks_begin().
typedef pcs_status example_body(const void *settings, csv *out, checks *c);

// Rows go to `path` (null: nowhere) below `header`. Exit code: 0 when all checks hold, 1 when one
// does not or a call failed, 2 when the command line or a file is wrong. A failed call leaves no
// table.
int example_run(example_body *body, const void *settings, const char *path, const char *header);

// The scene of the first run of an example, with its model, step and end.
typedef pcs_status example_scene(const void *settings, pcs_scene **out);

// The same for an example whose first run is that of a scene. With --write-scene the scene is
// written to a file; with --hash it is run, and the hash of its last state is printed.
int example_run_scene(example_scene *build, example_body *body, const void *settings,
                      const run_settings *run, const char *header);

#endif
