// Numbers and words from a text in memory.
//
// Reals are read by strtod, which rounds correctly but expects the decimal point of the current
// locale. The present decimal point is found by printing 0.5, and each number is copied with it, so
// that files read the same in every locale and no locale is changed.
#include "problem_file/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/bytes.h"

// largest number of digits: the longest exact doubles have 767
#define LONGEST_NUMBER 1100

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void decimal_point(char point[DECIMAL_POINT])
{
    char half[DECIMAL_POINT + 2];
    const int length = snprintf(half, sizeof half, "%.1f", 0.5);
    const bool fits = length >= 3 && length < (int)sizeof half;
    snprintf(point, DECIMAL_POINT, "%.*s", fits ? length - 2 : 1, fits ? half + 1 : ".");
}

text text_begin(const char *name, const char *bytes, size_t size)
{
    text t = {.name = name, .begin = bytes, .at = bytes, .end = bytes + size};
    t.at += bytes_mark(bytes, size);
    decimal_point(t.point);
    return t;
}

pcs_status text_fail(const text *t, pcs_status status, const char *format, ...)
{
    char words[300];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);

    char where[240];
    text_where(t, where, sizeof where);
    return pcs_fail(status, "%s: %s", where, words);
}

void text_where(const text *t, char *out, size_t size)
{
    int line = 1;
    for (const char *c = t->begin; c < t->at; ++c) {
        if (*c == '\n' && line < INT_MAX) ++line;
    }

    // the end of a long path is more useful than its beginning
    const size_t length = strlen(t->name), shown = 160;
    const bool cut = length > shown;
    snprintf(out, size, "%s%s:%d", cut ? "..." : "", t->name + (cut ? length - shown : 0), line);
}

static void skip_blanks(text *t)
{
    for (bool comment = false; t->at < t->end; ++t->at) {
        if (t->free_form && *t->at == '#') comment = true;
        if (*t->at == '\n') comment = false;
        if (!comment && !is_blank(*t->at)) break;
    }
}

// fails with the text at the place of `what`
static pcs_status fail_expected(const text *t, const char *what)
{
    if (t->at == t->end) {
        return text_fail(t, PCS_ERR_FORMAT, "expected %s, found the end of the file", what);
    }
    char found[25];
    size_t n = 0;
    while (n < sizeof found - 1 && t->at + n < t->end && !is_blank(t->at[n])) {
        const char c = t->at[n];
        found[n++] = c >= ' ' && c <= '~' ? c : '?';
    }
    found[n] = '\0';
    return text_fail(t, PCS_ERR_FORMAT, "expected %s, found '%s'", what, found);
}

// true after a number: the end, a blank, or the requested character
static bool take_after(text *t, const char *after)
{
    if (after[0] != '\0') return text_take_word(t, after);
    return t->at == t->end || is_blank(*t->at);
}

// an integer at the cursor, saturated at twice the range of int
static bool scan_int(text *t, const char *after, long long *out)
{
    const long long most = 2 * (long long)INT_MAX;
    text s = *t;
    skip_blanks(&s);

    const bool minus = s.at < s.end && *s.at == '-';
    if (s.at < s.end && (*s.at == '-' || *s.at == '+')) ++s.at;

    const char *first = s.at;
    long long x = 0;
    for (; s.at < s.end && is_digit(*s.at); ++s.at) {
        x = 10 * x + (*s.at - '0');
        if (x > most) x = most;
    }
    if (s.at == first || !take_after(&s, after)) return false;

    *out = minus ? -x : x;
    *t = s;
    return true;
}

pcs_status text_int(text *t, const char *what, int low, int high, const char *after, int *out)
{
    skip_blanks(t);
    const text start = *t;
    long long x;
    if (!scan_int(t, after, &x)) {
        char full[120];
        snprintf(full, sizeof full, "%s, an integer%s%s", what, after[0] != '\0' ? " and " : "",
                 after);
        return fail_expected(t, full);
    }
    if (x < low || x > high) {
        return text_fail(&start, PCS_ERR_FORMAT, "%s is %lld; it must be from %d to %d", what, x,
                         low, high);
    }
    *out = (int)x;
    return PCS_OK;
}

pcs_status text_size(text *t, const char *what, int *out)
{
    skip_blanks(t);
    const text start = *t;
    long long x;
    if (!scan_int(t, "", &x)) {
        char full[120];
        snprintf(full, sizeof full, "%s, an integer", what);
        return fail_expected(t, full);
    }
    if (x < 0) return text_fail(&start, PCS_ERR_SIZE, "%s is %lld; it must be >= 0", what, x);
    if (x > INT_MAX) {
        return text_fail(&start, PCS_ERR_SIZE, "%s is beyond %d, what an int can count", what,
                         INT_MAX);
    }
    *out = (int)x;
    return PCS_OK;
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// [sign] digits [. digits] [e [sign] digits], or [sign] 0x hexadecimal digits and p for e: where it
// ends, or null
static const char *number_end(const char *c, const char *end, bool hex, const char **point)
{
    int digits = 0;
    *point = NULL;
    if (c < end && (*c == '-' || *c == '+')) ++c;
    hex = hex && end - c > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X');
    if (hex) c += 2;
    bool (*const fits)(char) = hex ? is_hex_digit : is_digit;
    for (; c < end && fits(*c); ++c) {
        digits = 1;
    }
    if (c < end && *c == '.') {
        *point = c++;
        for (; c < end && fits(*c); ++c) {
            digits = 1;
        }
    }
    if (!digits) return NULL;

    if (c < end && (hex ? *c == 'p' || *c == 'P' : *c == 'e' || *c == 'E')) {
        ++c;
        if (c < end && (*c == '-' || *c == '+')) ++c;
        if (c == end || !is_digit(*c)) return NULL;
        while (c < end && is_digit(*c)) {
            ++c;
        }
    }
    return c == end || is_blank(*c) ? c : NULL;
}

pcs_status text_real(text *t, const char *what, double *out)
{
    skip_blanks(t);
    const char *point, *end = number_end(t->at, t->end, t->free_form, &point);
    if (!end) return fail_expected(t, what);
    if (end - t->at > LONGEST_NUMBER) {
        return text_fail(t, PCS_ERR_FORMAT, "%s has more than %d characters", what, LONGEST_NUMBER);
    }

    // a copy with the decimal point of the locale and a final zero
    char copy[LONGEST_NUMBER + sizeof t->point + 1];
    const char *head_end = point ? point : end;
    size_t n = (size_t)(head_end - t->at);
    memcpy(copy, t->at, n);
    if (point) {
        const size_t width = strlen(t->point), tail = (size_t)(end - (point + 1));
        memcpy(copy + n, t->point, width);
        memcpy(copy + n + width, point + 1, tail);
        n += width + tail;
    }
    copy[n] = '\0';

    char *stop;
    const double x = strtod(copy, &stop);
    if (stop != copy + n || !isfinite(x)) {
        return text_fail(t, PCS_ERR_FORMAT, "%s, %.24s, is beyond the range of a double", what,
                         copy);
    }
    *out = x;
    t->at = end;
    return PCS_OK;
}

pcs_status text_room(const text *t, const char *what, size_t n)
{
    const size_t left = (size_t)(t->end - t->at);
    if (n <= left / 2 + left % 2) return PCS_OK;
    return text_fail(t, PCS_ERR_SIZE, "%s: %zu numbers are to follow, but only %zu bytes are left",
                     what, n, left);
}

pcs_status text_ints(text *t, const char *what, int low, int high, size_t n, int *out)
{
    PCS_TRY(text_room(t, what, n));
    for (size_t k = 0; k < n; ++k) {
        PCS_TRY(text_int(t, what, low, high, "", &out[k]));
    }
    return PCS_OK;
}

pcs_status text_reals(text *t, const char *what, size_t n, double *out)
{
    PCS_TRY(text_room(t, what, n));
    for (size_t k = 0; k < n; ++k) {
        if (text_real(t, what, &out[k]) != PCS_OK) {
            char full[120];
            snprintf(full, sizeof full, "%s: number %zu of %zu", what, k + 1, n);
            return text_real(t, full, &out[k]);
        }
    }
    return PCS_OK;
}

bool text_take_word(text *t, const char *word)
{
    text s = *t;
    skip_blanks(&s);
    const size_t n = strlen(word);
    if ((size_t)(s.end - s.at) < n || memcmp(s.at, word, n) != 0) return false;
    s.at += n;
    *t = s;
    return true;
}

bool text_take_key(text *t, const char *key)
{
    text s = *t;
    if (!text_take_word(&s, key) || (s.at < s.end && !is_blank(*s.at))) return false;
    *t = s;
    return true;
}

bool text_at_end(const text *t)
{
    text s = *t;
    skip_blanks(&s);
    return s.at == s.end;
}

pcs_status text_expected(text *t, const char *what)
{
    skip_blanks(t);
    return fail_expected(t, what);
}

pcs_status text_word(text *t, const char *word)
{
    if (text_take_word(t, word)) return PCS_OK;
    char full[80];
    snprintf(full, sizeof full, "'%s'", word);
    skip_blanks(t);
    return fail_expected(t, full);
}

pcs_status text_skip_line(text *t, bool blank)
{
    for (; t->at < t->end && *t->at != '\n'; ++t->at) {
        if (blank && !is_blank(*t->at)) return fail_expected(t, "the end of the line");
    }
    if (t->at == t->end) return fail_expected(t, "another line");
    ++t->at;
    return PCS_OK;
}

int text_peek_ints(const text *t, int max, long long *out)
{
    text s = *t;
    int n = 0;
    while (n < max && scan_int(&s, "", &out[n])) {
        ++n;
    }
    return n;
}
