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
#include "problem_file/links.h"

static char *name_of(const capture *c, bool alone)
{
    char name[100];
    int digits = 6; // so that names are in the order of the steps
    for (double most = c->steps; most >= 1e6 && digits < 18; most /= 10) {
        digits += 1;
    }
    int at = snprintf(name, sizeof name, "step-%0*ld", digits, c->step);
    if (!alone) at += snprintf(name + at, sizeof name - (size_t)at, "-%03d", c->last.part);
    if (c->solves) at += snprintf(name + at, sizeof name - (size_t)at, "-%03d", c->last.solve);
    snprintf(name + at, sizeof name - (size_t)at, c->form == CAPTURE_GLOBAL ? ".hdf5" : ".pcs");
    return join(c->folder, "/", name);
}

// W and q, in an arena that grows to their demand
static pcs_status condense(const pcs_bodies_problem *b, pcs_arena *arena, pcs_problem *out)
{
    size_t peak = 0;
    for (;;) {
        arena->peak = &peak;
        const pcs_status status = pcs_bodies_condense(b, arena, out);
        arena->peak = NULL;
        if (status != PCS_ERR_MEMORY || peak <= arena->size) return status;
        pcs_arena_destroy(NULL, arena);
        PCS_TRY(pcs_arena_create(NULL, peak, arena));
    }
}

static pcs_status write_last(const capture *c, const char *path)
{
    const pcs_velocity_solve *s = &c->last;
    char *origin = join(c->scene, ", percuss ", pcs_version());
    pcs_file_content x = {
        .start = s->start, .r = s->r, .u = s->u, .title = c->title, .description = origin};
    pcs_arena arena = {0};
    pcs_problem local;
    pcs_status status = PCS_OK;
    if (c->form == CAPTURE_LOCAL) {
        status = condense(&s->problem, &arena, &local);
        x.problem = &local;
    } else {
        x.bodies = &s->problem; // an FCLIB file gets the global form
        x.opts = &s->opts;
        x.budget = s->budget;
        x.v = s->v;
    }
    if (status == PCS_OK) {
        status = pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &x);
    }
    pcs_arena_destroy(NULL, &arena);
    free(origin);
    return status;
}

// true when this solve has a file already: solves come again where memory had to grow
static bool is_stored(const capture *c)
{
    const int part = c->last.part;
    return part < c->files_part || (part == c->files_part && c->last.solve <= c->files_solve);
}

// puts the last solve into its file; `alone`: the step has no other part
static void put(capture *c, bool alone)
{
    if (!c->held || c->broken) return;
    char *path = name_of(c, alone);
    const pcs_status status = write_last(c, path);
    if (status != PCS_OK) {
        complain("%s%s", pcs_error_text(),
                 status == PCS_ERR_UNSUPPORTED ? " (--capture-form bodies)" : "");
        c->broken = true;
    } else if (!is_stored(c)) {
        c->files += 1;
        c->files_part = c->last.part;
        c->files_solve = c->last.solve;
    }
    free(path);
    c->held = false;
}

static const double *copy(pcs_arena *arena, const double *from, int n)
{
    double *to = PCS_TAKE(arena, (size_t)n, double);
    if (to && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static pcs_status copy_solve(const pcs_velocity_solve *s, pcs_arena *arena, pcs_velocity_solve *out)
{
    const int n = s->problem.n;
    *out = *s;
    const pcs_status status = pcs_bodies_copy(&s->problem, arena, &out->problem);
    out->start = copy(arena, s->start, n);
    out->r = copy(arena, s->r, n);
    out->u = copy(arena, s->u, n);
    out->v = copy(arena, s->v, s->problem.start[s->problem.ns]);
    out->report = NULL;
    const bool all = out->start && out->r && out->u && out->v;
    return status == PCS_OK && !all ? PCS_ERR_MEMORY : status;
}

static pcs_status hold(capture *c, const pcs_velocity_solve *s)
{
    size_t peak = 0;
    for (;;) {
        pcs_arena arena = c->memory;
        arena.peak = &peak;
        const pcs_status status = copy_solve(s, &arena, &c->last);
        if (status != PCS_ERR_MEMORY || peak <= c->memory.size) return status;
        pcs_arena_destroy(NULL, &c->memory);
        PCS_TRY(pcs_arena_create(NULL, 2 * peak, &c->memory));
    }
}

static void follow(void *user, const pcs_velocity_solve *s)
{
    capture *c = user;
    const bool another = s->part != c->last.part || (c->solves && s->solve != c->last.solve);
    if (another && (c->unsolved || !c->failing)) put(c, false);
    if (c->broken) return;
    c->unsolved = s->report->outcome != PCS_OUTCOME_CONVERGED;
    snprintf(c->title, sizeof c->title, "step %ld, part %d, solve %d, t = %g s, h = %g s: %s",
             c->step, s->part, s->solve, s->t, s->h, pcs_outcome_text(s->report->outcome));
    c->held = hold(c, s) == PCS_OK;
    if (c->held) return;
    complain("step %ld: %s", c->step, pcs_error_text());
    c->broken = true;
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

bool capture_replaces(const capture *c, const char *path)
{
    if (!c->folder || !path || !is_in_folder(path, c->folder, "step-")) return false;
    complain("%s has the name of a captured problem, which could replace it; choose another folder"
             " for --capture",
             path);
    return true;
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
    if (failed || !c->failing) put(c, c->last.part == 1 && !c->solves);
    c->held = c->unsolved = false;
    c->last.part = c->last.solve = c->files_part = c->files_solve = 0;
    c->step += 1;
    return !c->broken;
}

void capture_end(capture *c)
{
    pcs_arena_destroy(NULL, &c->memory);
}
