// One loop over argv, and --help from the table.
#define _POSIX_C_SOURCE 200809L // strndup

#include "command/command_line.h"
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

void args_split(args_list *list, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (length > 0) append(list, text, length);
        if (text[length] == '\0') return;
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

static void print_default(const args_flag *f)
{
    const double real = f->type == ARGS_REAL ? *(const double *)f->value : 0;
    if (f->type == ARGS_REAL && (real > f->low || (real == f->low && !f->low_excluded))) {
        printf(" (%g)", real);
    } else if (f->type == ARGS_INT && *(const int *)f->value >= f->low) {
        printf(" (%d)", *(const int *)f->value);
    } else if (f->type == ARGS_STRING && *(const char **)f->value) {
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
        *(const char **)f->value = text;
        return true;
    case ARGS_LIST:
        args_split(f->value, text);
        return true;
    case ARGS_NAMES:
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

bool args_parse(args *a, int argc, char **argv)
{
    if (!parse(a, argc, argv)) return false;
    if (a->n_words < a->least) {
        complain("%s: %s missing; usage: percuss %s %s [flags]", a->command,
                 a->n_words == 0 ? "a word is" : "another word is", a->command, a->words);
        return false;
    }
    if (a->most > 0 && a->n_words > a->most) {
        complain("%s: there is one word too many, '%s'; usage: percuss %s %s [flags]", a->command,
                 a->word[a->most], a->command, a->words);
        return false;
    }
    return true;
}
