// Small functions that all subcommands need.
#define _POSIX_C_SOURCE 200809L // sigaction

#include "command/command.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "problem_file/json.h"
#include "problem_file/links.h"

int complain(const char *format, ...)
{
    char line[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);

    // prints one line, with any characters in a file name or a sentence
    char *words = readable(line);
    fflush(stdout);
    fprintf(stderr, "percuss: %s\n", words);
    free(words);
    return WRONG;
}

char *readable(const char *text)
{
    char *out = take(4 * strlen(text) + 1, 1), *to = out;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = readable_length(s);
        if (n == 0) {
            to += snprintf(to, 5, "\\x%02x", *s++);
        } else {
            memcpy(to, s, (size_t)n);
            to += n;
            s += n;
        }
    }
    return out;
}

bool replaces_input(const char *out, const char *in)
{
    if (!in || !out || !same_place(out, in)) return false;
    char *shown = readable(out);
    complain("%s is the input, which the output would replace; choose another name", shown);
    free(shown);
    return true;
}

int columns_of(const char *text)
{
    int n = 0;
    for (; *text; ++text) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return n;
}

int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return complain("standard output cannot be written: %s",
                    errno ? strerror(errno) : "what was printed is incomplete");
}

void fingerprint(const char *path, char out[17])
{
    uint64_t hash = HASH_START;
    struct stat s;
    out[0] = '\0';
    // a pipe can be read only once
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return;
    FILE *f = fopen(path, "rb");
    unsigned char piece[1 << 14];
    for (size_t got; f && (got = fread(piece, 1, sizeof piece, f)) > 0;) {
        hash = hash_bytes(hash, piece, got);
    }
    if (f) fclose(f);
    snprintf(out, 17, "%016" PRIx64, hash);
}

void *take(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) exit(complain("out of memory: %zu objects of %zu bytes", count, size));
    return p;
}

char *join(const char *a, const char *between, const char *b)
{
    const size_t bytes = strlen(a) + strlen(between) + strlen(b) + 1;
    char *out = take(bytes, 1);
    snprintf(out, bytes, "%s%s%s", a, between, b);
    return out;
}

char *beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    char *stem = join(path, "", "");
    if (dot && (!slash || dot > slash + 1)) stem[dot - path] = '\0';
    char *name = join(stem, ".", ending);
    free(stem);
    return name;
}

// ---- numbers -----------------------------------------------------------------------------------

bool read_real(const char *text, double *out)
{
    if (text[0] == '\0' || isspace((unsigned char)text[0])) return false;
    char *end;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

bool read_int(const char *text, int *out)
{
    double x;
    if (!read_real(text, &x) || x != floor(x) || x < INT_MIN || x > INT_MAX) return false;
    *out = (int)x;
    return true;
}

// ---- interrupts --------------------------------------------------------------------------------

static volatile sig_atomic_t asked;

static void remember(int number)
{
    // some wrappers send an interrupt twice: only the third one ends the program
    asked = asked + 1;
    if (asked < 3) return;
    signal(number, SIG_DFL);
    raise(number);
}

void interrupts_begin(void)
{
    // no SA_RESTART: an interrupt ends a wait
    struct sigaction a = {.sa_handler = remember};
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
}

bool interrupted(void)
{
    return asked != 0;
}
