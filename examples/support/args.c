// Command lines of the examples: a table of flags, one loop over argv.
#include "args.h"

#include <percuss/tableau.h>

#include "problem_file/links.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 26

static const char *program = "example";

const char *args_program(void)
{
    return program;
}

static args_flag *add(args *a, args_flag flag)
{
    assert(a->n < ARGS_MAX);
    a->flag[a->n] = flag;
    return &a->flag[a->n++];
}

// the place of word number `index` in "a|b|c", its length in *length; null beyond the last
static const char *word_at(const char *words, int index, size_t *length)
{
    for (; index > 0; --index) {
        words = strchr(words, '|');
        if (!words) return NULL;
        ++words;
    }
    *length = strcspn(words, "|");
    return words;
}

// as --help prints it: the ends that are told are those that are accepted
static double rounded(double x)
{
    char text[28];
    snprintf(text, sizeof text, "%g", x);
    return strtod(text, NULL);
}

void args_real(args *a, const char *name, double *value, double low, double high, const char *unit,
               const char *help)
{
    args_flag *f = add(a, (args_flag){.name = name,
                                      .type = ARGS_REAL,
                                      .value = value,
                                      .low = rounded(low),
                                      .high = rounded(high),
                                      .unit = unit,
                                      .help = help});
    snprintf(f->shown, sizeof f->shown, "%g", *value);
}

void args_positive(args *a, const char *name, double *value, double span, const char *unit,
                   const char *help)
{
    args_real(a, name, value, *value / span, *value * span, unit, help);
}

static args_flag *add_vector(args *a, const char *name, double value[3], const char *unit,
                             const char *help)
{
    args_flag *f = add(a, (args_flag){.name = name,
                                      .type = ARGS_VECTOR,
                                      .value = value,
                                      .unit = unit,
                                      .help = help,
                                      .first = {value[0], value[1], value[2]}});
    snprintf(f->shown, sizeof f->shown, "%g,%g,%g", value[0], value[1], value[2]);
    return f;
}

void args_vector(args *a, const char *name, double value[3], double most, const char *unit,
                 const char *help)
{
    args_flag *f = add_vector(a, name, value, unit, help);
    f->low = -most;
    f->high = most;
}

void args_sizes(args *a, const char *name, double value[3], double span, const char *unit,
                const char *help)
{
    args_flag *f = add_vector(a, name, value, unit, help);
    f->low = rounded(1 / span);
    f->high = span;
    f->times = true;
}

void args_int(args *a, const char *name, int *value, int low, int high, const char *help)
{
    args_flag *f = add(a, (args_flag){.name = name,
                                      .type = ARGS_INT,
                                      .value = value,
                                      .low = low,
                                      .high = high,
                                      .unit = "",
                                      .help = help});
    snprintf(f->shown, sizeof f->shown, "%d", *value);
}

void args_choice(args *a, const char *name, int *value, const char *words, const char *help)
{
    args_flag *f =
        add(a, (args_flag){
                   .name = name, .type = ARGS_CHOICE, .value = value, .unit = words, .help = help});
    size_t length = 0;
    const char *word = word_at(words, *value, &length);
    assert(word);
    snprintf(f->shown, sizeof f->shown, "%.*s", (int)length, word);
}

void args_string(args *a, const char *name, const char **value, const char *placeholder,
                 const char *help)
{
    args_flag *f = add(
        a,
        (args_flag){
            .name = name, .type = ARGS_STRING, .value = value, .unit = placeholder, .help = help});
    snprintf(f->shown, sizeof f->shown, "%s", *value ? *value : "none");
}

static void mark(args *a, args_path path)
{
    a->flag[a->n - 1].path = path;
}

void args_input(args *a, const char *name, const char **value, const char *placeholder,
                const char *help)
{
    args_string(a, name, value, placeholder, help);
    mark(a, ARGS_PATH_READ);
}

void args_output(args *a, const char *name, const char **value, const char *placeholder,
                 const char *help)
{
    args_string(a, name, value, placeholder, help);
    mark(a, ARGS_PATH_WRITTEN);
}

void args_bool(args *a, const char *name, bool *value, const char *help)
{
    args_flag *f = add(
        a, (args_flag){.name = name, .type = ARGS_BOOL, .value = value, .unit = "", .help = help});
    snprintf(f->shown, sizeof f->shown, "%s", *value ? "yes" : "no");
}

// ---- help --------------------------------------------------------------------------------------

// the interval of a number, "[0, 1]"
typedef struct range_text {
    char text[64];
} range_text;

static range_text range_of(const args_flag *f)
{
    range_text out;
    char low[28], high[28];
    const bool whole = f->type == ARGS_INT;
    snprintf(low, sizeof low, whole ? "%.0f" : "%g", f->low);
    snprintf(high, sizeof high, whole ? "%.0f" : "%g", f->high);
    snprintf(out.text, sizeof out.text, "[%s, %s]", low, high);
    return out;
}

static void print_flag(const args_flag *f)
{
    static const char *const placeholder[] = {"X", "N", "NAME", "", "", "Z or X,Y,Z"};
    const char *what = f->type == ARGS_STRING ? f->unit : placeholder[f->type];
    const int width = printf("  %s %s", f->name, what);
    printf("%*s%s", width < HELP_COLUMN ? HELP_COLUMN - width : 1, "", f->help);

    const bool number = f->type == ARGS_REAL || f->type == ARGS_VECTOR;
    if (number && f->unit[0] != '\0') printf(", %s", f->unit);
    if (f->type == ARGS_CHOICE) printf(": %s", f->unit);
    printf(" (");
    if (number || f->type == ARGS_INT) {
        printf("in %s%s, ", range_of(f).text, f->times ? " times the default" : "");
    }
    printf("default %s)\n", f->shown);
}

static void print_help(const args *a)
{
    printf("usage: %s [--flag value | --flag=value]...\n%s\n\n", program, a->about ? a->about : "");
    for (int i = 0; i < a->n; ++i) {
        print_flag(&a->flag[i]);
    }
    printf("  %-*sthis text\n", HELP_COLUMN - 2, "--help");
}

// ---- reading -----------------------------------------------------------------------------------

static void say(const char *format, va_list list)
{
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

void args_refuse(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    exit(2);
}

void args_check_method(const char *flag, const char *name)
{
    pcs_tableau *tableau;
    if (pcs_tableau_create_named(NULL, name, &tableau) != PCS_OK) {
        args_refuse("%s: %s", flag, pcs_error_text());
    }
    pcs_tableau_destroy(tableau);
}

void args_check_steps(double h, double t_end, double most)
{
    if (t_end >= 2 * h && t_end / h <= most) return;
    args_refuse("a run takes between 2 and %g steps; change --h or --tend", most);
}

// a mistake on the command line; always false
static bool wrong(args *a, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    a->exit_code = 2;
    return false;
}

// letters to insert, drop or change to turn a into b; long names are cut, they never match anyway
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    int row[LONGEST + 1];
    const int n = strlen(b) < LONGEST ? (int)strlen(b) : LONGEST;
    for (int j = 0; j <= n; ++j) {
        row[j] = j;
    }
    for (int i = 0; a[i] != '\0' && i < LONGEST; ++i) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n; ++j) {
            int best = diagonal + (a[i] != b[j]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j + 1] + 1 < best) best = row[j + 1] + 1;
            diagonal = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row[n];
}

static bool wrong_flag(args *a, const char *name)
{
    int best = 3;
    const char *near = NULL;
    for (int i = 0; i < a->n; ++i) {
        const int d = distance(name, a->flag[i].name);
        if (d < best) {
            best = d;
            near = a->flag[i].name;
        }
    }
    if (near) return wrong(a, "unknown flag %s; did you mean %s?", name, near);
    return wrong(a, "unknown flag %s; --help lists the flags", name);
}

static bool read_real(args *a, const args_flag *f, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x)) {
        return wrong(a, "%s: '%s' is not a finite number", f->name, text);
    }
    if (!(x >= f->low && x <= f->high)) {
        return wrong(a, "%s is %s; it must lie in %s", f->name, text, range_of(f).text);
    }
    *(double *)f->value = x;
    return true;
}

static bool read_vector(args *a, const args_flag *f, const char *text)
{
    double x[3] = {0, 0, 0};
    int n = 0;
    const char *at = text;
    while (n < 3) {
        char *end;
        x[n] = strtod(at, &end);
        if (end == at || !isfinite(x[n])) break;
        n += 1;
        at = end;
        if (*at != ',') break;
        ++at;
    }
    if ((n != 1 && n != 3) || *at != '\0' || at[-1] == ',') {
        return wrong(a, "%s: '%s' is neither one finite number nor three (1,0,-2)", f->name, text);
    }

    // a single number is the third
    double *value = f->value;
    value[0] = n == 3 ? x[0] : 0;
    value[1] = n == 3 ? x[1] : 0;
    value[2] = n == 3 ? x[2] : x[0];
    for (int i = 0; i < 3; ++i) {
        const double one = f->times ? f->first[i] : 1;
        if (value[i] >= f->low * one && value[i] <= f->high * one) continue;
        return wrong(a, "%s is %s; its components must lie in %s%s%s", f->name, text,
                     range_of(f).text, f->times ? " times " : "", f->times ? f->shown : "");
    }
    return true;
}

static bool read_int(args *a, const args_flag *f, const char *text)
{
    char *end;
    errno = 0;
    const long x = strtol(text, &end, 10);
    if (end == text || *end != '\0') {
        return wrong(a, "%s: '%s' is not an integer", f->name, text);
    }
    if (errno == ERANGE || (double)x < f->low || (double)x > f->high) {
        return wrong(a, "%s is %s; it must lie in %s", f->name, text, range_of(f).text);
    }
    *(int *)f->value = (int)x;
    return true;
}

static bool read_choice(args *a, const args_flag *f, const char *text)
{
    size_t length = 0;
    const char *word;
    for (int i = 0; (word = word_at(f->unit, i, &length)) != NULL; ++i) {
        if (strlen(text) == length && strncmp(text, word, length) == 0) {
            *(int *)f->value = i;
            return true;
        }
    }
    return wrong(a, "%s: '%s' is none of %s", f->name, text, f->unit);
}

static bool read_bool(args *a, const args_flag *f, const char *text)
{
    static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false",
                                                                                "off", "0"};
    for (int i = 0; i < 4; ++i) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *(bool *)f->value = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return wrong(a, "%s: '%s' is neither yes nor no", f->name, text);
}

static bool read_value(args *a, const args_flag *f, const char *text)
{
    switch (f->type) {
    case ARGS_REAL:
        return read_real(a, f, text);
    case ARGS_VECTOR:
        return read_vector(a, f, text);
    case ARGS_INT:
        return read_int(a, f, text);
    case ARGS_CHOICE:
        return read_choice(a, f, text);
    case ARGS_BOOL:
        return read_bool(a, f, text);
    case ARGS_STRING:
        if (text[0] == '\0') return wrong(a, "%s: its value is empty", f->name);
        *(const char **)f->value = text;
        return true;
    }
    return false;
}

static const args_flag *find(const args *a, const char *name, size_t length)
{
    for (int i = 0; i < a->n; ++i) {
        if (strlen(a->flag[i].name) == length && strncmp(a->flag[i].name, name, length) == 0) {
            return &a->flag[i];
        }
    }
    return NULL;
}

// the path of a flag, or null
static const char *path_of(const args_flag *f, args_path path)
{
    return f->path == path ? *(const char *const *)f->value : NULL;
}

// no file is written that is read, or written twice
static bool outputs_are_free(args *a)
{
    for (int i = 0; i < a->n; ++i) {
        const char *out = path_of(&a->flag[i], ARGS_PATH_WRITTEN);
        for (int j = 0; j < a->n && out; ++j) {
            const args_flag *f = &a->flag[j];
            const char *in = path_of(f, ARGS_PATH_READ),
                       *other = j < i ? path_of(f, ARGS_PATH_WRITTEN) : NULL;
            if (!(in && same_place(out, in)) && !(other && same_place(out, other))) continue;
            return wrong(a,
                         "%s %s is also the file of %s, which it would replace; choose another "
                         "name",
                         a->flag[i].name, out, f->name);
        }
    }
    return true;
}

bool args_read(args *a, int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    program = slash ? slash + 1 : argc > 0 ? argv[0] : "example";

    for (int i = 1; i < argc; ++i) {
        const char *text = argv[i];
        if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            print_help(a);
            a->exit_code = 0;
            return false;
        }
        if (text[0] != '-') {
            return wrong(a, "'%s' is not a flag; --help lists the flags", text);
        }

        // --flag=value or --flag value; an off-or-on flag takes no second word
        const size_t length = strcspn(text, "=");
        const args_flag *f = find(a, text, length);
        if (!f) return wrong_flag(a, text);
        const char *value = text[length] == '=' ? text + length + 1 : NULL;
        if (!value && f->type == ARGS_BOOL) value = "yes";
        if (!value && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) value = argv[++i];
        if (!value) return wrong(a, "%s needs a value; --help says which", f->name);

        if (!read_value(a, f, value)) return false;
    }
    return outputs_are_free(a);
}

void args_parse(args *a, int argc, char **argv)
{
    if (!args_read(a, argc, argv)) exit(a->exit_code);
}
