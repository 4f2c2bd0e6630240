// See setup.h.
#include "command/setup.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define X(id, text) "|" text
static const char kinds[] = PCS_FILE_KIND_LIST(X);
#undef X
const char *const setup_kinds = kinds + 1;
const char *const setup_measure[4] = {"residual", "natural", "both", "relaxed"};

setup setup_default(void)
{
    return (setup){.solver = "auto",
                   .tol = 1e-8,
                   .measure = PCS_STOP_RELAXED,
                   .max_iters = -1,
                   .kind = PCS_FILE_ANY};
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

// blanks and underscores equal the hyphens of a word, and case does not matter
static bool same_word(const char *a, const char *b)
{
    for (; *a && *b; ++a, ++b) {
        const char x = *b == ' ' || *b == '_' ? '-' : *b;
        if (tolower((unsigned char)*a) != tolower((unsigned char)x)) return false;
    }
    return *a == *b;
}

// the value of an option from its text, a number or the word of a choice; NaN if it is neither
static double value_of(const pcs_opt *o, const char *text)
{
    for (int i = 0; o->words && i <= (int)(o->high - o->low); ++i) {
        if (same_word(o->words[i], text)) return o->low + i;
    }
    double x;
    return read_real(text, &x) ? x : NAN;
}

void setup_words(const pcs_opt *o, size_t size, char *to)
{
    size_t used = 0;
    to[0] = '\0';
    for (int i = 0; o->words && i <= (int)(o->high - o->low) && used < size; ++i) {
        used += (size_t)snprintf(to + used, size - used, "%s%s", i > 0 ? ", " : "", o->words[i]);
    }
}

static void complain_value(const char *who, const char *solver, const pcs_opt *o, const char *value)
{
    char words[256];
    setup_words(o, sizeof words, words);
    if (o->words) {
        complain("%s: option %s of %s is '%s'; it must be one of %s (%s)", who, o->name, solver,
                 value, words, o->help);
    } else {
        complain("%s: option %s of %s is '%s'; it must be a %s from %g to %g (%s)", who, o->name,
                 solver, value, o->type == PCS_OPT_REAL ? "number" : "whole number", o->low,
                 o->high, o->help);
    }
}

static bool set_option(const char *who, const pcs_solver_info *s, const char *text,
                       pcs_solver_opts *out)
{
    const size_t length = strcspn(text, "=");
    const char *value = text + length + (text[length] == '=');
    const char *names[64];
    int n = 0;
    for (int i = 0; i < s->n_opts && n < 64; ++i) {
        const pcs_opt *o = &s->opt[i];
        names[n++] = o->name;
        if (strlen(o->name) != length || memcmp(o->name, text, length) != 0) continue;

        const double x = value_of(o, value);
        const bool whole = o->type == PCS_OPT_REAL || x == floor(x);
        if (!(x >= o->low && x <= o->high) || !whole) {
            complain_value(who, s->name, o, value);
            return false;
        }
        char *to = (char *)out + o->offset;
        const int whole_x = (int)x;
        if (o->type == PCS_OPT_REAL) {
            memcpy(to, &x, sizeof x);
        } else {
            memcpy(to, &whole_x, sizeof whole_x);
        }
        return true;
    }

    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), text);
    const char *like = nearest(word, names, n);
    if (like) {
        complain("%s: %s has no option '%s'; did you mean %s?", who, s->name, word, like);
    } else {
        complain("%s: %s has no option '%s'; 'percuss solvers %s' lists them", who, s->name, word,
                 s->name);
    }
    return false;
}

bool setup_options(const char *who, const setup *s, pcs_solver_opts *out)
{
    const pcs_solver_info *info = setup_solver(who, s->solver);
    if (!info) return false;
    *out = pcs_solver_opts_default(info->kind);
    out->tol = s->tol;
    out->stop = (pcs_stop)s->measure;
    out->max_seconds = s->max_seconds;
    if (s->max_iters >= 0) out->max_iters = s->max_iters;
    for (int i = 0; i < s->opt.n; ++i) {
        if (!set_option(who, info, s->opt.at[i], out)) return false;
    }
    if (pcs_solver_opts_check(out) == PCS_OK) return true;
    complain("%s: %s", who, pcs_error_text());
    return false;
}

// ---- files -------------------------------------------------------------------------------------

bool setup_open(const char *path, int kind, bool local, opened *out)
{
    *out = (opened){0};
    pcs_status status = pcs_problem_file_read(NULL, path, (pcs_file_kind)kind, &out->file);
    if (status == PCS_OK && (local || !out->file->global)) {
        status = pcs_problem_file_local(out->file, &out->p);
    }
    if (status == PCS_OK) return true;

    // the sentence should name the file
    const char *text = pcs_error_text();
    if (strstr(text, path)) {
        complain("%s", text);
    } else {
        complain("%s: %s", path, text);
    }
    setup_close(out);
    return false;
}

void setup_close(opened *o)
{
    pcs_problem_file_destroy(o->file);
    *o = (opened){0};
}
