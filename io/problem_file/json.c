// See json.h.
#include "problem_file/json.h"

#include <math.h>
#include <string.h>

int utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    const int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (int i = 1; i < n; ++i) {
        if ((s[i] & 0xc0) != 0x80) return 0;
    }
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
    return n;
}

int readable_length(const unsigned char *s)
{
    if (s[0] < ' ' || s[0] == 127 || (s[0] == 0xc2 && s[1] < 0xa0)) return 0;
    return utf8_length(s);
}

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = utf8_length(s);
        if (n == 0) {
            // a file name may be any bytes
            fputs("\\ufffd", out);
            ++s;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s++);
        } else if (*s < 0x20 || *s == 0x7f || *s == '<') {
            // a '<' could end the script element of a page that holds the text
            fprintf(out, "\\u%04x", *s++);
        } else if (readable_length(s) == 0) {
            fprintf(out, "\\u%04x", s[1]);
            s += n;
        } else {
            fwrite(s, 1, (size_t)n, out);
            s += n;
        }
    }
    fputc('"', out);
}

// writes a decimal point in every locale
void put_digits(FILE *out, double value, int most)
{
    char digits[64];
    const int n = snprintf(digits, sizeof digits, "%.*g", most, value);
    bool point = false;
    for (int i = 0; i < n; ++i) {
        const bool own = strchr("0123456789+-e", digits[i]) != NULL;
        if (own) fputc(digits[i], out);
        if (!own && !point) fputc('.', out);
        point = point || !own;
    }
}

void put_real(FILE *out, double value)
{
    put_digits(out, value, 17);
}

static void begin(json *j, const char *key)
{
    if (j->comma) fputc(',', j->out);
    j->comma = true;
    if (!key) return;
    put_text(j->out, key);
    fputc(':', j->out);
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->depth += 1;
    j->comma = false;
}

void json_close(json *j, char bracket)
{
    fputc(bracket, j->out);
    j->comma = true;
    if (--j->depth > 0) return;
    fputc('\n', j->out);
    j->comma = false;
}

void json_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) {
        put_text(j->out, text);
    } else {
        fputs("null", j->out);
    }
}

void json_int(json *j, const char *key, long value)
{
    begin(j, key);
    fprintf(j->out, "%ld", value);
}

void json_bool(json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_real(json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value)) {
        put_real(j->out, value);
    } else {
        fputs("null", j->out);
    }
}

void json_reals(json *j, const char *key, int n, const double *value)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; ++i) {
        json_real(j, NULL, value[i]);
    }
    json_close(j, ']');
}
