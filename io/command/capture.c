// A file step-NUMBER for each step, step-NUMBER-PART for each part of a divided one, or
// step-NUMBER-PART-SOLVE for each solve.
#define _POSIX_C_SOURCE 200809L // mkdir

#include "command/capture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <percuss/problem_file.h>

#include "command/command.h"
#include "command/output.h"

static char *name_of(const capture *c, bool alone)
{
    char name[100];
    int digits = 6; // so that names are in the order of the steps
    for (double most = c->steps; most >= 1e6 && digits < 18; most /= 10) {
        digits += 1;
    }
    int at = snprintf(name, sizeof name, "step-%0*ld", digits, c->step);
    if (!alone) at += snprintf(name + at, sizeof name - (size_t)at, "-%03d", c->part);
    if (c->solves) at += snprintf(name + at, sizeof name - (size_t)at, "-%03d", c->solve);
    snprintf(name + at, sizeof name - (size_t)at, c->form == CAPTURE_GLOBAL ? ".hdf5" : ".pcs");
    return join(c->folder, "/", name);
}

static pcs_status write_text(const capture *c, const char *path)
{
    if (c->form == CAPTURE_BODIES) return store(path, c->text, c->size);
    pcs_problem_file *f;
    PCS_TRY(pcs_problem_file_parse(NULL, c->text, c->size, path, PCS_FILE_BODIES, &f));
    pcs_file_content x = {
        .start = f->start, .r = f->r, .u = f->u, .title = f->title, .description = f->description};
    pcs_status status = PCS_OK;
    if (c->form == CAPTURE_GLOBAL) {
        x.bodies = f->bodies;
        x.v = f->v;
    } else {
        status = pcs_problem_file_local(f, &x.problem);
    }
    if (status == PCS_OK) {
        status = pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &x);
    }
    pcs_problem_file_destroy(f);
    return status;
}

// true when this solve has a file already: solves come again where memory had to grow
static bool is_stored(const capture *c)
{
    return c->part < c->files_part || (c->part == c->files_part && c->solve <= c->files_solve);
}

static void forget(capture *c)
{
    free(c->text);
    c->text = NULL;
}

// puts the last solve into its file; `alone`: the step has no other part
static void put(capture *c, bool alone)
{
    if (!c->text || c->broken) return;
    char *path = name_of(c, alone);
    const pcs_status status = write_text(c, path);
    if (status != PCS_OK) {
        complain("%s%s", pcs_error_text(),
                 status == PCS_ERR_UNSUPPORTED ? " (--capture-form bodies)" : "");
        c->broken = true;
    } else if (!is_stored(c)) {
        c->files += 1;
        c->files_part = c->part;
        c->files_solve = c->solve;
    }
    free(path);
    forget(c);
}

static void follow(void *user, const pcs_velocity_solve *s)
{
    capture *c = user;
    const bool another = s->part != c->part || (c->solves && s->solve != c->solve);
    if (another && (c->unsolved || !c->failing)) put(c, false);
    forget(c);
    if (c->broken) return;
    c->part = s->part;
    c->solve = s->solve;
    c->unsolved = s->report->outcome != PCS_OUTCOME_CONVERGED;

    char words[200];
    snprintf(words, sizeof words, "step %ld, part %d, solve %d, t = %g s, h = %g s: %s", c->step,
             s->part, s->solve, s->t, s->h, pcs_outcome_text(s->report->outcome));
    char *origin = join(c->scene, ", percuss ", pcs_version());
    const pcs_file_content content = {.bodies = &s->problem,
                                      .start = s->start,
                                      .opts = &s->opts,
                                      .budget = s->budget,
                                      .r = s->r,
                                      .u = s->u,
                                      .v = s->v,
                                      .title = words,
                                      .description = origin};
    if (pcs_problem_file_to_memory(NULL, "capture", PCS_FILE_FORMAT_TEXT, &content, &c->text,
                                   &c->size) != PCS_OK) {
        complain("step %ld: %s", c->step, pcs_error_text());
        c->broken = true;
    }
    free(origin);
}

// problems of two runs in one folder would be taken for one series
static bool is_free(const char *folder)
{
    DIR *d = opendir(folder);
    bool found = false;
    char name[300] = "";
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        found = strncmp(e->d_name, "step-", 5) == 0;
        if (found) snprintf(name, sizeof name, "%s", e->d_name);
    }
    if (d) closedir(d);
    if (found) {
        complain("%s has problems of another run (%s); choose another folder for --capture", folder,
                 name);
    }
    return !found;
}

bool capture_begin(capture *c, pcs_work *work, long first)
{
    if (!c->folder) return true;
    if (mkdir(c->folder, 0777) != 0 && errno != EEXIST) {
        complain("%s cannot be made: %s; choose another folder for --capture", c->folder,
                 strerror(errno));
        return false;
    }
    c->step = first;
    char *path = join(c->folder, "/", "step-0.pcs");
    const bool good = output_possible(path) && (first > 1 || is_free(c->folder));
    free(path);
    if (good && pcs_work_set_capture(work, follow, c) != PCS_OK) {
        complain("%s", pcs_error_text());
        return false;
    }
    return good;
}

bool capture_step(capture *c, const pcs_step_report *report)
{
    const bool failed = c->unsolved || report->outcome != PCS_OUTCOME_CONVERGED;
    if (failed || !c->failing) put(c, c->part == 1 && !c->solves);
    forget(c);
    c->part = c->solve = c->files_part = c->files_solve = 0;
    c->unsolved = false;
    c->step += 1;
    return !c->broken;
}

void capture_end(capture *c)
{
    forget(c);
}
