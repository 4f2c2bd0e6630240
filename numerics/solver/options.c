// The options of a solver by their names, as its table describes them: the only place that reads
// and writes them by their offsets.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

// ---- values ------------------------------------------------------------------------------------

static double value_of(const pcs_solver_opts *o, const pcs_opt *opt)
{
    const char *at = (const char *)o + opt->offset;
    double x;
    int i;
    bool b;
    switch (opt->type) {
    case PCS_OPT_REAL:
        memcpy(&x, at, sizeof x);
        return x;
    case PCS_OPT_BOOL:
        memcpy(&b, at, sizeof b);
        return b;
    case PCS_OPT_INT:
    case PCS_OPT_CHOICE:
        break;
    }
    memcpy(&i, at, sizeof i);
    return i;
}

static void store_value(const pcs_opt *opt, double x, pcs_solver_opts *o)
{
    char *at = (char *)o + opt->offset;
    const int i = opt->type == PCS_OPT_REAL ? 0 : (int)x;
    const bool b = x != 0;
    switch (opt->type) {
    case PCS_OPT_REAL:
        memcpy(at, &x, sizeof x);
        break;
    case PCS_OPT_BOOL:
        memcpy(at, &b, sizeof b);
        break;
    case PCS_OPT_INT:
    case PCS_OPT_CHOICE:
        memcpy(at, &i, sizeof i);
        break;
    }
}

static bool in_range(const pcs_opt *opt, double x)
{
    return x >= opt->low && x <= opt->high;
}

// blanks and underscores equal the hyphens of a word, and case does not matter
static bool same_word(const char *word, const char *text)
{
    for (; *word && *text; ++word, ++text) {
        const char x = *text == ' ' || *text == '_' ? '-' : *text;
        if (tolower((unsigned char)*word) != tolower((unsigned char)x)) return false;
    }
    return *word == *text;
}

// the number of a word of the option, or a number; NaN if the text is neither
static double parse(const pcs_opt *opt, const char *text)
{
    for (int i = 0; opt->words && i <= (int)(opt->high - opt->low); ++i) {
        if (same_word(opt->words[i], text)) return opt->low + i;
    }
    char *end;
    const double x = strtod(text, &end);
    const bool whole = opt->type == PCS_OPT_REAL || x == floor(x);
    const bool number = text[0] != '\0' && !isspace((unsigned char)text[0]) && *end == '\0';
    return number && whole ? x : NAN;
}

// "one of forward, backward", or "a number from 0 to 1"
static void describe(const pcs_opt *opt, size_t size, char *to)
{
    if (!opt->words) {
        snprintf(to, size, "a %s from %g to %g",
                 opt->type == PCS_OPT_REAL ? "number" : "whole number", opt->low, opt->high);
        return;
    }
    size_t used = 0;
    for (int i = 0; i <= (int)(opt->high - opt->low) && used < size; ++i) {
        used += (size_t)snprintf(to + used, size - used, "%s%s", i > 0 ? ", " : "one of ",
                                 opt->words[i]);
    }
}

// ---- by name -----------------------------------------------------------------------------------

static const pcs_opt *option_of(const solver_class *c, const char *name)
{
    for (int i = 0; name && i < c->info.n_opts; ++i) {
        if (strcmp(c->info.opt[i].name, name) == 0) return &c->info.opt[i];
    }
    return NULL;
}

static pcs_status find(const char *who, const pcs_solver_opts *opts, const char *name,
                       const pcs_opt **out)
{
    if (!opts || !name) return pcs_fail(PCS_ERR_ARG, "%s: the options or the name are null", who);
    const solver_class *c = solver_class_of(opts->kind);
    if (!c) return pcs_fail(PCS_ERR_ARG, "%s: there is no solver %d", who, (int)opts->kind);
    *out = option_of(c, name);
    if (*out) return PCS_OK;
    char names[256] = "none";
    size_t used = 0;
    for (int i = 0; i < c->info.n_opts && used < sizeof names; ++i) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 c->info.opt[i].name);
    }
    return pcs_fail(PCS_ERR_ARG, "%s has no option '%s'; its options: %s", c->info.name, name,
                    names);
}

pcs_status pcs_solver_opts_get(const pcs_solver_opts *opts, const char *name, double *out)
{
    const pcs_opt *opt;
    PCS_TRY(find("pcs_solver_opts_get", opts, name, &opt));
    if (!out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solver_opts_get: the result is null");
    }
    *out = value_of(opts, opt);
    return PCS_OK;
}

pcs_status pcs_solver_opts_set(pcs_solver_opts *opts, const char *name, const char *value)
{
    const pcs_opt *opt;
    PCS_TRY(find("pcs_solver_opts_set", opts, name, &opt));
    if (!value) return pcs_fail(PCS_ERR_ARG, "pcs_solver_opts_set: the value of %s is null", name);
    const double x = parse(opt, value);
    if (in_range(opt, x)) {
        store_value(opt, x, opts);
        return PCS_OK;
    }
    char good[256];
    describe(opt, sizeof good, good);
    return pcs_fail(PCS_ERR_ARG, "option %s of %s is '%s'; it must be %s (%s)", name,
                    solver_class_of(opts->kind)->info.name, value, good, opt->help);
}

// ---- checks ------------------------------------------------------------------------------------

// a value that is not read must be the default: the user has not set it
static pcs_status check_unread(const solver_class *c, const pcs_solver_opts *o, const pcs_opt *opt)
{
    const pcs_opt *needs = option_of(c, opt->needs);
    const double x = value_of(o, opt), usual = value_of(&c->defaults, opt);
    if (!needs || x == usual) return PCS_OK;
    const int has = (int)value_of(o, needs), low = (int)needs->low;
    if (opt->needs_values & 1u << has) return PCS_OK;
    int set = 0;
    while (!(opt->needs_values & 1u << set)) {
        ++set;
    }
    return pcs_fail(PCS_ERR_ARG,
                    "%s: %s is %g, which is not read with %s = %s: set %s = %s, or leave %s at %g",
                    c->info.name, opt->name, x, needs->name, needs->words[has - low], needs->name,
                    needs->words[set - low], opt->name, usual);
}

static pcs_status check_options(const solver_class *c, const pcs_solver_opts *o)
{
    const char *name = c->info.name;
    if (!(o->tol > 0) || !isfinite(o->tol)) {
        return pcs_fail(PCS_ERR_ARG, "%s: tol is %g; it must be positive and finite", name, o->tol);
    }
    if ((int)o->stop < PCS_STOP_RESIDUAL || (int)o->stop > PCS_STOP_RELAXED) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: stop is %d; it must be one of residual, natural, both, relaxed (0 to 3)", name,
            (int)o->stop);
    }
    if (o->max_iters < 0) {
        return pcs_fail(PCS_ERR_ARG, "%s: max_iters is %d; it must not be negative", name,
                        o->max_iters);
    }
    if (!(o->max_seconds >= 0)) {
        return pcs_fail(PCS_ERR_ARG, "%s: max_seconds is %g; it must not be negative (0: no limit)",
                        name, o->max_seconds);
    }
    for (int i = 0; i < c->info.n_opts; ++i) {
        const pcs_opt *opt = &c->info.opt[i];
        const double x = value_of(o, opt);
        if (in_range(opt, x)) continue;
        char good[256];
        describe(opt, sizeof good, good);
        return pcs_fail(PCS_ERR_ARG, "%s: %s is %.15g; it must be %s", name, opt->name, x, good);
    }
    for (int i = 0; i < c->info.n_opts; ++i) {
        PCS_TRY(check_unread(c, o, &c->info.opt[i]));
    }
    return PCS_OK;
}

pcs_status pcs_solver_opts_check(const pcs_solver_opts *opts)
{
    if (!opts) return pcs_fail(PCS_ERR_ARG, "solver options: they are null");
    const solver_class *c = solver_class_of(opts->kind);
    if (!c) return pcs_fail(PCS_ERR_ARG, "solver options: there is no solver %d", (int)opts->kind);
    return check_options(c, opts);
}
