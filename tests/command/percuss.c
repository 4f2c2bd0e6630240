// See percuss.h.
#define _POSIX_C_SOURCE 200809L

#include "percuss.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *out_text, *err_text;
char folder[64];

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t got; text && (got = fread(text + size, 1, room - size - 1, f)) > 0;) {
        size += got;
        if (size + 1 < room) continue;
        room *= 2;
        text = realloc(text, room);
    }
    fclose(f);
    if (text) text[size] = '\0';
    return text;
}

void folder_make(void)
{
    snprintf(folder, sizeof folder, "/tmp/percuss-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

void folder_remove(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(line), 0);
    free(out_text);
    free(err_text);
    out_text = err_text = NULL;
}

static int run(const char *before, const char *format, va_list list)
{
    char words[4096], line[8192], name[128];
    vsnprintf(words, sizeof words, format, list);
    snprintf(line, sizeof line,
             "cd '%s'; DATA='" PERCUSS_TEST_DATA "'; { %s '" PERCUSS_BINARY "' %s ; } "
             ">'%s.out' 2>'%s.err'",
             folder, before, words, folder, folder);
    const int status = system(line);
    free(out_text);
    free(err_text);
    snprintf(name, sizeof name, "%s.out", folder);
    out_text = slurp(name);
    unlink(name);
    snprintf(name, sizeof name, "%s.err", folder);
    err_text = slurp(name);
    unlink(name);
    ck_assert(out_text && err_text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int percuss(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int code = run("", format, list);
    va_end(list);
    return code;
}

int percuss_after(const char *before, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int code = run(before, format, list);
    va_end(list);
    return code;
}

bool one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end && end[1] == '\0';
}

int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) {
        ++n;
    }
    return n;
}

// ---- files -------------------------------------------------------------------------------------

static void path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

void file_write(const char *name, const char *text)
{
    char path[256];
    path_of(name, path, sizeof path);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

char *file_read(const char *name)
{
    char path[256];
    path_of(name, path, sizeof path);
    return slurp(path);
}

bool file_exists(const char *name)
{
    char path[256];
    path_of(name, path, sizeof path);
    return access(path, F_OK) == 0;
}

int file_count(void)
{
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

// ---- JSON --------------------------------------------------------------------------------------

static const char *blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static const char *string(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; ++s) {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s != '\\') continue;
        ++s;
        if (*s == 'u') {
            for (int i = 1; i <= 4; ++i) {
                if (!isxdigit((unsigned char)s[i])) return NULL;
            }
            s += 4;
        } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
            return NULL;
        }
    }
    return s + 1;
}

static const char *number(const char *s)
{
    if (*s == '-') ++s;
    if (!isdigit((unsigned char)*s)) return NULL;
    if (*s == '0' && isdigit((unsigned char)s[1])) return NULL;
    char *end;
    // strtod accepts more than JSON allows: only these characters
    const size_t length = strspn(s, "0123456789.eE+-");
    strtod(s, &end);
    return end == s + length ? end : NULL;
}

static const char *value(const char *s, int depth)
{
    s = blanks(s);
    if (depth > 20) return NULL;
    if (*s == '"') return string(s);
    if (strncmp(s, "null", 4) == 0 || strncmp(s, "true", 4) == 0) return s + 4;
    if (strncmp(s, "false", 5) == 0) return s + 5;
    if (*s != '{' && *s != '[') return number(s);
    const char close = *s == '{' ? '}' : ']';
    s = blanks(s + 1);
    if (*s == close) return s + 1;
    for (;;) {
        if (close == '}') {
            s = string(blanks(s));
            if (!s) return NULL;
            s = blanks(s);
            if (*s++ != ':') return NULL;
        }
        s = value(s, depth + 1);
        if (!s) return NULL;
        s = blanks(s);
        if (*s == close) return s + 1;
        if (*s++ != ',') return NULL;
    }
}

bool json_is_valid(const char *text)
{
    const char *s = blanks(text);
    while (s && *s) {
        s = value(s, 0);
        if (s) s = blanks(s);
    }
    return s != NULL;
}

double json_number(const char *text, const char *key)
{
    char word[64];
    snprintf(word, sizeof word, "\"%s\":", key);
    const char *at = strstr(text, word);
    if (!at || strncmp(at + strlen(word), "null", 4) == 0) return NAN;
    return strtod(at + strlen(word), NULL);
}
