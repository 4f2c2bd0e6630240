// The flags of `percuss solve` from a setup.
#include "command/solve_child.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

// the words of a line, and memory for the numbers among them
typedef struct words {
    const char **at;
    int n, numbers;
    char number[4][32];
} words;

static void put(words *w, const char *flag, const char *value)
{
    w->at[w->n++] = flag;
    if (value) w->at[w->n++] = value;
}

static void put_real(words *w, const char *flag, double value)
{
    char *text = w->number[w->numbers++];
    snprintf(text, sizeof *w->number, "%.17g", value);
    put(w, flag, text);
}

static void put_setup(words *w, const solve_line *x)
{
    const setup *s = x->s;
    put(w, "--kind", pcs_file_kind_text((pcs_file_kind)s->kind));
    put_real(w, "--repeat", x->repeat);
    if (!isnan(x->tol)) put_real(w, "--tol", x->tol);
    if (s->measure >= 0) put(w, "--measure", setup_measure[s->measure]);
    if (!isnan(s->max_seconds)) put_real(w, "--max-seconds", s->max_seconds);
    if (s->max_iters >= 0) put_real(w, "--max-iters", s->max_iters);
    if (s->start >= 0) put(w, "--start", setup_start_text[s->start]);
}

bool solve_child_start(child *c, const solve_line *x, double limit)
{
    words w = {.at = take((size_t)x->files + 32, sizeof *w.at)};
    char *solver = join(x->solver ? x->solver : "", "", ""), *options = strchr(solver, ':');
    if (options) *options++ = '\0';
    for (char *o = options; o && *o; ++o) {
        if (*o == ':') *o = ',';
    }
    put(&w, x->self, "solve");
    put(&w, "--csv", NULL);
    put_setup(&w, x);
    if (x->solver) put(&w, "--solver", solver);
    if (options && *options) put(&w, "--opt", options);
    put(&w, "--", NULL);
    for (int i = 0; i < x->files; ++i) {
        put(&w, x->file[i], NULL);
    }
    const bool good = child_start(c, (char *const *)(uintptr_t)w.at, -1, limit);
    free(solver);
    free(w.at);
    return good;
}
