// The folder of a test that writes files, and the run that it records there.
#ifndef IO_RECORDED_H
#define IO_RECORDED_H

#include <stdio.h>
#include <sys/stat.h>

#include <percuss/trajectory.h>

#include "scene.h"

// makes a folder, below that of all tests, which has no files
static inline void make_empty_folder(const char *folder)
{
    char line[600];
    mkdir(PERCUSS_TEST_SCRATCH, 0777);
    mkdir(folder, 0777);
    snprintf(line, sizeof line, "rm -rf '%s'/*", folder);
    ck_assert_int_eq(system(line), 0);
}

// records the run of a started scene until t_end
static inline void record_run(const scene *s, const char *path, const pcs_recorder_def *def,
                              double h, double t_end)
{
    pcs_recorder *recorder;
    CK_OK(pcs_recorder_open(path, s->m, def, &recorder));
    CK_OK(pcs_run(s->m, s->st, s->wk, h, t_end, pcs_recorder_observe, recorder, NULL));
    CK_OK(pcs_recorder_close(recorder));
}

#endif
