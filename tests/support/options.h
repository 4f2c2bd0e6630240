// The options of the solver table for tests: they set and vary them.
#ifndef SUPPORT_OPTIONS_H
#define SUPPORT_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "support.h"

static inline void option_set(pcs_solver_opts *o, const pcs_opt *opt, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", x);
    CK_OK(pcs_solver_opts_set(o, opt->name, text));
}

static inline double option_get(const pcs_solver_opts *o, const pcs_opt *opt)
{
    double x = NAN;
    CK_OK(pcs_solver_opts_get(o, opt->name, &x));
    return x;
}

// the choice that decides whether an option is read, or null
static inline const pcs_opt *option_needs(const pcs_solver_info *info, const pcs_opt *opt)
{
    for (int i = 0; opt->needs && i < info->n_opts; ++i) {
        if (strcmp(info->opt[i].name, opt->needs) == 0) return &info->opt[i];
    }
    return NULL;
}

// defaults in which the choice has a value with which the option is read, or one with which it is
// not
static inline pcs_solver_opts option_base(const pcs_solver_info *info, const pcs_opt *opt,
                                          bool read)
{
    pcs_solver_opts o = pcs_solver_opts_default(info->kind);
    const pcs_opt *needs = option_needs(info, opt);
    for (int x = needs ? (int)needs->low : 1; needs && x <= (int)needs->high; ++x) {
        if (read != !(opt->needs_values & 1u << x)) option_set(&o, needs, x);
    }
    return o;
}

enum { OPTION_VALUES = 5 };

// value k of an option: the ends of its range, and others
static inline double option_value(const pcs_opt *opt, double usual, int k)
{
    const double of[OPTION_VALUES] = {opt->low, opt->high, usual + 1, usual + 2, usual / 2};
    const double x = opt->type == PCS_OPT_REAL ? of[k] : floor(of[k]);
    return fmin(fmax(x, opt->low), opt->high);
}

#endif
