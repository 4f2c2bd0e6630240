// percuss solvers: the table of solvers, or one of them with its options.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "command/command_line.h"
#include "command/setup.h"
#include "problem_file/json.h"

static const char *const cones[] = {"equality", "unilateral", "Coulomb", "box"};
#define CONES ((int)(sizeof cones / sizeof *cones))

static double default_of(const pcs_solver_opts *o, const pcs_opt *opt)
{
    double x = 0;
    if (pcs_solver_opts_get(o, opt->name, &x) != PCS_OK) complain("%s", pcs_error_text());
    return x;
}

// prints the words of an option, separated by commas
static void list_words(const pcs_opt *o, size_t size, char *to)
{
    size_t used = 0;
    to[0] = '\0';
    for (int i = 0; o->words && i <= (int)(o->high - o->low) && used < size; ++i) {
        used += (size_t)snprintf(to + used, size - used, "%s%s", i > 0 ? ", " : "", o->words[i]);
    }
}

static void print_table(void)
{
    printf("%-14s", "name");
    for (int c = 0; c < CONES; ++c) {
        printf(" %-*s", (int)strlen(cones[c]), cones[c]);
    }
    printf(" method\n");
    for (int i = 0; i < pcs_solver_count(); ++i) {
        const pcs_solver_info *s = pcs_solver_at(i);
        printf("%-14s", s->name);
        for (int c = 0; c < CONES; ++c) {
            printf(" %-*s", (int)strlen(cones[c]), s->cones & 1u << c ? "yes" : "-");
        }
        printf(" %s\n", s->summary);
    }
}

// the choice that decides whether an option is read, or null
static const pcs_opt *choice_of(const pcs_solver_info *s, const pcs_opt *opt)
{
    for (int i = 0; opt->needs && i < s->n_opts; ++i) {
        if (strcmp(s->opt[i].name, opt->needs) == 0) return &s->opt[i];
    }
    return NULL;
}

// The next value, from *x on, of the choice with which the option is read: its word, and in *x the
// number after it. Null beyond the last
static const char *next_word(const pcs_opt *opt, const pcs_opt *choice, int *x)
{
    while (*x <= (int)choice->high) {
        const int now = (*x)++;
        if (opt->needs_values & 1u << now) return choice->words[now - (int)choice->low];
    }
    return NULL;
}

// prints "; with order shuffled" for an option that is read only with some values of a choice
static void needs_of(const pcs_solver_info *s, const pcs_opt *opt, size_t size, char *to)
{
    const pcs_opt *choice = choice_of(s, opt);
    to[0] = '\0';
    if (!choice) return;
    size_t used = (size_t)snprintf(to, size, "; with %s", choice->name);
    const char *between = " ", *word;
    for (int x = (int)choice->low; used < size && (word = next_word(opt, choice, &x));) {
        used += (size_t)snprintf(to + used, size - used, "%s%s", between, word);
        between = ", ";
    }
}

static void write_needs(json *j, const pcs_solver_info *s, const pcs_opt *opt)
{
    const pcs_opt *choice = choice_of(s, opt);
    if (!choice) return;
    json_open(j, "needs", '{');
    json_text(j, "name", choice->name);
    json_open(j, "words", '[');
    const char *word;
    for (int x = (int)choice->low; (word = next_word(opt, choice, &x));) {
        json_text(j, NULL, word);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void print_solver(const pcs_solver_info *s)
{
    const pcs_solver_opts o = pcs_solver_opts_default(s->kind);
    printf("%s: %s\n\ncones:", s->name, s->summary);
    const char *between = " ";
    for (int c = 0; c < CONES; ++c) {
        if (!(s->cones & 1u << c)) continue;
        printf("%s%s", between, cones[c]);
        between = ", ";
    }
    printf("\n\n%-20s %-16s %-20s %s\n", "--opt", "range", "default", "");
    for (int i = 0; i < s->n_opts; ++i) {
        const pcs_opt *opt = &s->opt[i];
        char range[64], usual[64], words[256], needs[256];
        const double x = default_of(&o, opt);
        snprintf(range, sizeof range, "%g to %g", opt->low, opt->high);
        snprintf(usual, sizeof usual, "%g", x);
        list_words(opt, sizeof words, words);
        needs_of(s, opt, sizeof needs, needs);
        printf("%-20s %-16s %-20s %s%s%s%s\n", opt->name, opt->words ? "a word" : range,
               opt->words ? opt->words[(int)(x - opt->low)] : usual, opt->help,
               opt->words ? ": " : "", words, needs);
    }
    if (s->n_opts == 0) printf("(none)\n");
    printf("\n%-20s %-16s %-20d %s\n", "--max-iters", ">= 0", o.max_iters,
           s->kind == PCS_SOLVER_AUTO ? "budget of products with W" : "iterations");
}

static void write_json(const pcs_solver_info *s)
{
    static const char *const types[] = {"int", "real", "choice", "bool"};
    const pcs_solver_opts o = pcs_solver_opts_default(s->kind);
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "name", s->name);
    json_text(&j, "summary", s->summary);
    json_open(&j, "cones", '[');
    for (int c = 0; c < CONES; ++c) {
        if (s->cones & 1u << c) json_text(&j, NULL, cones[c]);
    }
    json_close(&j, ']');
    json_int(&j, "max_iters", o.max_iters);
    json_open(&j, "options", '[');
    for (int i = 0; i < s->n_opts; ++i) {
        const pcs_opt *opt = &s->opt[i];
        json_open(&j, NULL, '{');
        json_text(&j, "name", opt->name);
        json_text(&j, "type", types[opt->type]);
        json_real(&j, "low", opt->low);
        json_real(&j, "high", opt->high);
        json_real(&j, "default", default_of(&o, opt));
        if (opt->words) {
            json_open(&j, "words", '[');
            for (int w = 0; w <= (int)(opt->high - opt->low); ++w) {
                json_text(&j, NULL, opt->words[w]);
            }
            json_close(&j, ']');
        }
        write_needs(&j, s, opt);
        json_text(&j, "help", opt->help);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

static int run_solvers(int argc, char **argv)
{
    bool as_json = false;
    const args_flag flags[] = {
        {"--json", 0, ARGS_BOOL, &as_json, .help = "one object per solver and line"},
    };
    args a = {.command = "solvers",
              .words = "[NAME...]",
              .about = "Lists the solvers, or one with its options, their ranges and defaults.",
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    for (int i = 0; i < a.n_words; ++i) {
        if (!setup_solver("solvers", a.word[i])) return WRONG;
    }
    if (a.n_words == 0 && !as_json) print_table();
    const int n = a.n_words > 0 ? a.n_words : as_json ? pcs_solver_count() : 0;
    for (int i = 0; i < n; ++i) {
        const pcs_solver_info *s = a.n_words > 0 ? pcs_solver_find(a.word[i]) : pcs_solver_at(i);
        if (as_json) {
            write_json(s);
        } else {
            if (i > 0) printf("\n");
            print_solver(s);
        }
    }
    return finish_output(DONE);
}

const command command_solvers = {"solvers", "list the solvers and their options", run_solvers};
