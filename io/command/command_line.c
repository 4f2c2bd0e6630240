// One loop over argv, and --help from the table.
#define _POSIX_C_SOURCE 200809L // strndup

#include "command/command_line.h"
#include "problem_file/links.h"
#include "problem_file/nearest.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FLAGS  32
#define HELP_COLUMN 28

static void append(args_list *list, const char *text, size_t length)
{
    char **at = realloc(list->at, (size_t)(list->n + 1) * sizeof *at);
    char *copy = strndup(text, length);
    if (!at || !copy) exit(complain("out of memory while reading the command line"));
    list->at = at;
    list->at[list->n++] = copy;
}

bool args_split(args_list *list, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length == 0) return false;
        append(list, text, length);
        if (text[length] == '\0') return true;
        text += length + 1;
    }
}

void args_list_free(args_list *list)
{
    for (int i = 0; i < list->n; ++i) {
        free(list->at[i]);
    }
    free(list->at);
    *list = (args_list){0};
}

// ---- help --------------------------------------------------------------------------------------

// the index of `word` in "a|b|c", or -1
static int word_index(const char *words, const char *word)
{
    for (int i = 0;; ++i) {
        const size_t length = strcspn(words, "|");
        if (strlen(word) == length && memcmp(words, word, length) == 0) return i;
        if (words[length] == '\0') return -1;
        words += length + 1;
    }
}

// the value is a const char *
static bool is_text(const args_flag *f)
{
    return f->type == ARGS_STRING || f->type == ARGS_TEXT || f->type == ARGS_IN ||
           f->type == ARGS_OUT;
}

static void print_default(const args_flag *f)
{
    const double real = f->type == ARGS_REAL ? *(const double *)f->value : 0;
    if (f->type == ARGS_REAL && (real > f->low || (real == f->low && !f->low_excluded))) {
        printf(" (%g)", real);
    } else if (f->type == ARGS_INT && *(const int *)f->value >= f->low) {
        printf(" (%d)", *(const int *)f->value);
    } else if (is_text(f) && *(const char **)f->value) {
        printf(" (%s)", *(const char **)f->value);
    } else if (f->type == ARGS_CHOICE && *(const int *)f->value >= 0) {
        const char *words = f->what;
        for (int i = *(const int *)f->value; i > 0; --i) {
            words += strcspn(words, "|") + 1;
        }
        printf(" (%.*s)", (int)strcspn(words, "|"), words);
    }
}

static void print_help(const args *a)
{
    printf("usage: percuss %s %s%s[flags]\n\n%s\n\n", a->command, a->words, *a->words ? " " : "",
           a->about);
    for (int i = 0; i < a->n; ++i) {
        const args_flag *f = &a->flags[i];
        if (!f->help) continue;
        int width = f->letter ? printf("  -%c, %s", f->letter, f->name) : printf("  %s", f->name);
        if (f->what) width += printf(" %s", f->what);
        if (width > HELP_COLUMN - 2) width = printf("\n") - 1;
        printf("%*s%s", HELP_COLUMN - width, "", f->help);
        print_default(f);
        printf("\n");
    }
    printf("  %-*s%s\n", HELP_COLUMN - 2, "--help", "this text");
    if (a->more) printf("\n%s\n", a->more);
}

// ---- reading -----------------------------------------------------------------------------------

static bool bad_number(const args *a, const args_flag *f, const char *text)
{
    const bool whole = f->type == ARGS_INT;
    const char *kind = whole ? "a whole number" : "a number";
    if (f->low == -HUGE_VAL) {
        complain("%s: %s is '%s'; it must be a finite number", a->command, f->name, text);
    } else if (whole || f->high < HUGE_VAL) {
        complain("%s: %s is '%s'; it must be %s from %.10g to %.10g%s", a->command, f->name, text,
                 kind, f->low, f->high, f->low_excluded ? ", the first excluded" : "");
    } else {
        complain("%s: %s is '%s'; it must be a finite number %s %g", a->command, f->name, text,
                 f->low_excluded ? ">" : ">=", f->low);
    }
    return false;
}

#define MOST_WORDS 32

static bool bad_choice(const args *a, const args_flag *f, const char *text)
{
    char copy[400];
    const char *words[MOST_WORDS];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", f->what);
    for (char *word = strtok(copy, "|"); word && n < MOST_WORDS; word = strtok(NULL, "|")) {
        words[n++] = word;
    }
    const char *like = nearest(text, words, n);
    complain("%s: %s is '%s'; %s%s%sit must be one of %s", a->command, f->name, text,
             like ? "did you mean " : "", like ? like : "", like ? "? " : "", f->what);
    return false;
}

static bool in_range(const args_flag *f, double x)
{
    return x >= f->low && x <= f->high && !(f->low_excluded && x == f->low);
}

static bool empty(const args *a, const args_flag *f, const char *how)
{
    complain("%s: %s: %s; write %s %s", a->command, f->name, how, f->name, f->what ? f->what : "");
    return false;
}

static bool store(const args *a, const args_flag *f, const char *text)
{
    switch (f->type) {
    case ARGS_REAL: {
        double x;
        if (!read_real(text, &x) || !in_range(f, x)) return bad_number(a, f, text);
        *(double *)f->value = x;
        return true;
    }
    case ARGS_INT: {
        int i;
        if (!read_int(text, &i) || !in_range(f, i)) return bad_number(a, f, text);
        *(int *)f->value = i;
        return true;
    }
    case ARGS_CHOICE: {
        const int i = word_index(f->what, text);
        if (i < 0) return bad_choice(a, f, text);
        *(int *)f->value = i;
        return true;
    }
    case ARGS_STRING:
    case ARGS_IN:
    case ARGS_OUT:
        if (*text == '\0') return empty(a, f, "its value is empty");
        *(const char **)f->value = text;
        return true;
    case ARGS_TEXT:
        *(const char **)f->value = text;
        return true;
    case ARGS_LIST:
        return args_split(f->value, text) || empty(a, f, "one of its values is empty");
    case ARGS_NAMES:
        if (*text == '\0') return empty(a, f, "its value is empty");
        append(f->value, text, strlen(text));
        return true;
    case ARGS_BOOL:
        break;
    }
    complain("%s: %s takes no value", a->command, f->name);
    return false;
}

static const args_flag *find(const args *a, const char *text, size_t length)
{
    for (int i = 0; i < a->n; ++i) {
        const args_flag *f = &a->flags[i];
        if (strlen(f->name) == length && memcmp(f->name, text, length) == 0) return f;
        if (f->letter && length == 2 && text[0] == '-' && text[1] == f->letter) return f;
    }
    return NULL;
}

static bool unknown(const args *a, const char *text)
{
    const char *names[MOST_FLAGS + 1] = {"--help"};
    int n = 1;
    for (int i = 0; i < a->n && n <= MOST_FLAGS; ++i) {
        names[n++] = a->flags[i].name;
    }
    char *name = strndup(text, strcspn(text, "="));
    const char *like = name ? nearest(name, names, n) : NULL;
    if (like) {
        complain("%s: there is no flag %s; did you mean %s?", a->command, name, like);
    } else {
        complain("%s: there is no flag %s; 'percuss %s --help' lists them", a->command,
                 name ? name : text, a->command);
    }
    free(name);
    return false;
}

static bool parse(args *a, int argc, char **argv)
{
    a->word = argv + 1; // words move to the front
    a->n_words = 0;
    a->exit_code = WRONG;
    bool flags = true;
    for (int i = 1; i < argc; ++i) {
        char *text = argv[i];
        if (!flags || text[0] != '-' || text[1] == '\0') {
            a->word[a->n_words++] = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            flags = false;
            continue;
        }
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            print_help(a);
            a->exit_code = finish_output(DONE);
            return false;
        }
        const size_t length = strcspn(text, "=");
        const args_flag *f = find(a, text, length);
        if (!f) return unknown(a, text);
        if (f->type == ARGS_BOOL && text[length] == '\0') {
            *(bool *)f->value = true;
            continue;
        }
        const char *value = text[length] == '=' ? text + length + 1 : NULL;
        const int words = f->type == ARGS_NAMES ? (int)f->low : 1;
        for (int k = 0; k < words; ++k, value = NULL) {
            if (!value && ++i < argc) value = argv[i];
            // a body may have the name of a flag, but a missing name is more likely
            const bool forgotten =
                value && f->type == ARGS_NAMES && argv[i] == value && find(a, value, strlen(value));
            if (!value || forgotten) {
                complain("%s: %s needs %s: %s %s", a->command, f->name,
                         words > 1 ? "more values" : "a value", f->name, f->what);
                return false;
            }
            if (!store(a, f, value)) return false;
        }
    }
    return true;
}

// ---- files -------------------------------------------------------------------------------------

// the path of a flag of this type, or null
static const char *path_of(const args_flag *f, args_type type)
{
    return f->type == type ? *(const char *const *)f->value : NULL;
}

static bool refuse_output(const args *a, const char *name, const char *path, const char *why)
{
    complain("%s: %s%s'%s' is %s; choose another name", a->command, name, *name ? " " : "", path,
             why);
    return false;
}

// false after a line when `path`, which is written, is one of what the first `flags` flags write,
// or is read
static bool output_is_free(const args *a, const char *name, const char *path, int flags,
                           bool may_replace)
{
    for (int i = 0; i < a->n_words - a->written; ++i) {
        if (!same_place(path, a->word[i])) continue;
        return refuse_output(a, name, path, "the input, which the output would replace");
    }
    for (int i = 0; i < a->n; ++i) {
        const args_flag *f = &a->flags[i];
        const char *in = path_of(f, ARGS_IN), *out = i < flags ? path_of(f, ARGS_OUT) : NULL;
        char why[100];
        if (in && !may_replace && same_place(path, in)) {
            snprintf(why, sizeof why, "also the file of %s, which the output would replace",
                     f->name);
            return refuse_output(a, name, path, why);
        }
        if (out && same_place(path, out)) {
            snprintf(why, sizeof why, "also the file of %s, and one would replace the other",
                     f->name);
            return refuse_output(a, name, path, why);
        }
    }
    return true;
}

static bool outputs_are_free(const args *a)
{
    for (int i = 0; i < a->n; ++i) {
        const args_flag *f = &a->flags[i];
        const char *path = path_of(f, ARGS_OUT);
        if (path && !output_is_free(a, f->name, path, i, f->may_replace)) return false;
    }
    for (int i = a->n_words - a->written; i < a->n_words; ++i) {
        if (!output_is_free(a, "", a->word[i], a->n, false)) return false;
    }
    return true;
}

bool args_parse(args *a, int argc, char **argv)
{
    if (!parse(a, argc, argv)) return false;
    if (a->n_words < a->least) {
        complain("%s: %s missing; usage: percuss %s %s [flags]", a->command,
                 a->n_words == 0 ? "a word is" : "another word is", a->command, a->words);
        return false;
    }
    for (int i = 0; i < a->n_words; ++i) {
        if (a->word[i][0] != '\0') continue;
        complain("%s: word %d is empty; usage: percuss %s %s [flags]", a->command, i + 1,
                 a->command, a->words);
        return false;
    }
    if (a->most > 0 && a->n_words > a->most) {
        complain("%s: there is one word too many, '%s'; usage: percuss %s %s [flags]", a->command,
                 a->word[a->most], a->command, a->words);
        return false;
    }
    return outputs_are_free(a);
}
