// See setup.h.
#include "command/setup.h"

#include "base/hash.h"
#include "problem_file/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define X(id, text) "|" text
static const char kinds[] = PCS_FILE_KIND_LIST(X);
#undef X
const char *const setup_kinds = kinds + 1;
const char *const setup_measure[4] = {"residual", "natural", "both", "relaxed"};
const char *const setup_start_text[2] = {"file", "zero"};

setup setup_none(void)
{
    return (setup){.tol = NAN, .measure = -1, .max_iters = -1, .max_seconds = NAN, .start = -1};
}

// ---- solvers and their options -----------------------------------------------------------------

const pcs_solver_info *setup_solver(const char *who, const char *name)
{
    const pcs_solver_info *found = pcs_solver_find(name);
    if (found) return found;
    const char *names[64];
    int n = 0;
    for (; n < pcs_solver_count() && n < 64; ++n) {
        names[n] = pcs_solver_at(n)->name;
    }
    const char *like = nearest(name, names, n);
    if (like) {
        complain("%s: there is no solver '%s'; did you mean %s?", who, name, like);
    } else {
        complain("%s: there is no solver '%s'; 'percuss solvers' lists them", who, name);
    }
    return NULL;
}

static bool set_option(const char *who, const pcs_solver_info *s, const char *text,
                       pcs_solver_opts *out)
{
    const size_t length = strcspn(text, "=");
    const char *value = text + length + (text[length] == '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
    if (pcs_solver_opts_set(out, name, value) == PCS_OK) return true;

    const char *names[64];
    int n = 0;
    bool known = false;
    for (int i = 0; i < s->n_opts && n < 64; ++i) {
        names[n++] = s->opt[i].name;
        known = known || strcmp(s->opt[i].name, name) == 0;
    }
    const char *like = known ? NULL : nearest(name, names, n);
    if (like) {
        complain("%s: %s has no option '%s'; did you mean %s?", who, s->name, name, like);
    } else {
        complain("%s: %s", who, pcs_error_text());
    }
    return false;
}

bool setup_options(const char *who, const setup *s, const pcs_solver_opts *stored,
                   pcs_solver_opts *out)
{
    const bool same = stored && !s->solver;
    const pcs_solver_info *info =
        same ? pcs_solver_at((int)stored->kind) : setup_solver(who, s->solver ? s->solver : "auto");
    if (!info) return false;
    *out = same ? *stored : pcs_solver_opts_default(info->kind);
    out->tol = stored ? stored->tol : 1e-8;
    out->stop = stored ? stored->stop : PCS_STOP_RELAXED;
    out->max_seconds = stored ? stored->max_seconds : 0;
    if (!isnan(s->tol)) out->tol = s->tol;
    if (s->measure >= 0) out->stop = (pcs_stop)s->measure;
    if (!isnan(s->max_seconds)) out->max_seconds = s->max_seconds;
    if (s->max_iters >= 0) out->max_iters = s->max_iters;
    for (int i = 0; i < s->opt.n; ++i) {
        if (!set_option(who, info, s->opt.at[i], out)) return false;
    }
    if (pcs_solver_opts_check(out) == PCS_OK) return true;
    complain("%s: %s", who, pcs_error_text());
    return false;
}

// ---- files -------------------------------------------------------------------------------------

bool setup_open_input(const input *in, int kind, bool local, opened *out)
{
    *out = (opened){0};
    pcs_status status =
        in->bytes ? pcs_problem_file_parse(NULL, in->bytes, in->size, in->path, (pcs_file_kind)kind,
                                           &out->file)
                  : pcs_problem_file_read(NULL, in->path, (pcs_file_kind)kind, &out->file);
    if (status == PCS_OK) {
        const bool is_local = local || (!out->file->global && !out->file->bodies);
        status = is_local ? pcs_problem_file_local(out->file, &out->p)
                          : pcs_problem_file_global(out->file, &out->g);
    }
    if (status == PCS_OK) return true;

    complain_file(in->path, CONTENT_PROBLEM);
    setup_close(out);
    return false;
}

bool setup_open(const char *path, int kind, bool local, opened *out)
{
    return setup_open_input(&(input){.path = path}, kind, local, out);
}

void setup_close(opened *o)
{
    pcs_problem_file_destroy(o->file);
    *o = (opened){0};
}

bool setup_start_of(const char *who, const setup *s, const char *path, const pcs_problem_file *f,
                    const double **out)
{
    *out = s->start == SETUP_START_ZERO ? NULL : f->start;
    if (s->start != SETUP_START_FILE || f->start) return true;
    *out = f->guesses > 0 ? f->guess_r : NULL;
    if (*out) return true;
    complain("%s: %s has no start; use --start zero", who, path);
    return false;
}

void solution_hash(const pcs_problem_file *f, const double *v, const double *r, const double *u,
                   char out[17])
{
    const size_t bytes = (size_t)f->rows * sizeof *r;
    uint64_t hash = HASH_START;
    if (v) hash = hash_bytes(hash, v, (size_t)f->velocities * sizeof *v);
    hash = hash_bytes(hash, r, bytes);
    if (u) hash = hash_bytes(hash, u, bytes);
    snprintf(out, 17, "%016llx", (unsigned long long)hash);
}
