// Options of a bench: --name value, and --list; tables as CSV.
//
//     const bench_option options[] = {BENCH_WORD("--case", &only), BENCH_COUNT("--repeats", &n)};
//     if (bench_options(argc, argv, "bench_x", options, 2)) ... names the cases, return 0
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// one of the four pointers is set
typedef struct bench_option {
    const char *name;
    const char **word;
    int *count;   // at least 1
    double *real; // positive
    bool *flag;   // takes no value
} bench_option;

#define BENCH_WORD(of, to)         \
    {                              \
        .name = (of), .word = (to) \
    }
#define BENCH_COUNT(of, to)         \
    {                               \
        .name = (of), .count = (to) \
    }
#define BENCH_REAL(of, to)         \
    {                              \
        .name = (of), .real = (to) \
    }
#define BENCH_FLAG(of, to)         \
    {                              \
        .name = (of), .flag = (to) \
    }

static inline void bench_usage(const char *bench, const bench_option *o, int n)
{
    fprintf(stderr, "usage: %s [--list]", bench);
    for (int i = 0; i < n; ++i) {
        const char *value = o[i].word ? " WORD" : o[i].count ? " N" : o[i].real ? " X" : "";
        fprintf(stderr, " [%s%s]", o[i].name, value);
    }
    fprintf(stderr, "\n");
    exit(2);
}

static inline bool bench_take(const bench_option *o, const char *text)
{
    char *end = NULL;
    if (o->word) {
        *o->word = text;
        return true;
    }
    if (o->count) {
        const long value = strtol(text, &end, 10);
        *o->count = (int)value;
        return end != text && *end == '\0' && value >= 1 && value <= 1000000000;
    }
    *o->real = strtod(text, &end);
    return end != text && *end == '\0' && *o->real > 0;
}

// True when --list was given. An option that cannot be read ends the program with a line on stderr.
static inline bool bench_options(int argc, char **argv, const char *bench, const bench_option *o,
                                 int n)
{
    bool list = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--list") == 0) {
            list = true;
            continue;
        }
        int k = 0;
        while (k < n && strcmp(argv[i], o[k].name) != 0) {
            ++k;
        }
        if (k < n && o[k].flag) {
            *o[k].flag = true;
            continue;
        }
        if (k == n || i + 1 == argc || !bench_take(&o[k], argv[i + 1])) bench_usage(bench, o, n);
        i += 1;
    }
    return list;
}

// null when path is null
static inline FILE *bench_table(const char *path, const char *head)
{
    if (!path) return NULL;
    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(2);
    }
    fprintf(f, "%s\n", head);
    return f;
}

static inline void bench_table_close(FILE *f, const char *path)
{
    if (f && fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

#endif
