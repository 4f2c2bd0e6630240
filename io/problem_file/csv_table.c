// See csv_table.h.
#include "problem_file/csv_table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "problem_file/json.h"

// A row is one line, so that an appended line is a row: \xNN for control characters, and a second
// backslash after every backslash.
void csv_text(FILE *out, int first, const char *text)
{
    if (!first) fputc(',', out);
    const bool quoted = strpbrk(text, ",\"") != NULL;
    if (quoted) fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int n = readable_length(s);
        if (n == 0) {
            fprintf(out, "\\x%02x", *s++);
            continue;
        }
        if (*s == '"' || *s == '\\') fputc(*s, out);
        fwrite(s, 1, (size_t)n, out);
        s += n;
    }
    if (quoted) fputc('"', out);
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

// the byte at *in; *in moves past it; a backslash that csv_text did not write is an ordinary byte
static char take_byte(const char **in)
{
    const char *at = *in;
    if (at[0] == '\\' && at[1] == '\\') {
        *in += 2;
        return '\\';
    }
    if (at[0] == '\\' && at[1] == 'x' && digit(at[2]) >= 0 && digit(at[3]) >= 0) {
        *in += 4;
        return (char)(16 * digit(at[2]) + digit(at[3]));
    }
    *in += 1;
    return at[0];
}

void csv_real(FILE *out, int first, double value)
{
    if (!first) fputc(',', out);
    if (isfinite(value)) put_real(out, value);
}

void csv_float(FILE *out, int first, double value)
{
    if (!first) fputc(',', out);
    if (isfinite(value)) put_digits(out, value, 9);
}

void csv_int(FILE *out, int first, long value)
{
    fprintf(out, first ? "%ld" : ",%ld", value);
}

void csv_end(FILE *out)
{
    fputc('\n', out);
}

int csv_split(char *line, int most, char **field)
{
    line[strcspn(line, "\r\n")] = '\0';
    int n = 0;
    const char *in = line;
    char *to = line;
    for (;;) {
        if (n == most) return -1;
        field[n++] = to;
        if (*in == '"') {
            for (++in;; *to++ = take_byte(&in)) {
                if (*in == '\0') return -1;
                if (*in != '"') continue;
                if (in[1] != '"') break;
                ++in;
            }
            ++in;
            if (*in != ',' && *in != '\0') return -1;
        } else {
            while (*in != ',' && *in != '\0') {
                *to++ = take_byte(&in);
            }
        }
        // `to` may equal `in`: the byte is read before the zero is written
        const char end = *in++;
        *to++ = '\0';
        if (end == '\0') return n;
    }
}
