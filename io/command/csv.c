// See csv.h.
#include "command/csv.h"

#include <math.h>
#include <string.h>

void csv_text(FILE *out, int first, const char *text)
{
    if (!first) fputc(',', out);
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; ++c) {
        // a row is one line, so that a line appended is a row
        if (*c == '"') fputc('"', out);
        fputc(*c == '\n' || *c == '\r' ? ' ' : *c, out);
    }
    fputc('"', out);
}

void csv_real(FILE *out, int first, double value)
{
    if (!first) fputc(',', out);
    if (isfinite(value)) fprintf(out, "%.17g", value);
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
    char *in = line, *to = line;
    for (;;) {
        if (n == most) return -1;
        field[n++] = to;
        if (*in == '"') {
            for (++in;; *to++ = *in++) {
                if (*in == '\0') return -1;
                if (*in != '"') continue;
                if (in[1] != '"') break;
                ++in;
            }
            ++in;
            if (*in != ',' && *in != '\0') return -1;
        } else {
            while (*in != ',' && *in != '\0') {
                *to++ = *in++;
            }
        }
        // `to` may be where `in` is: look before the zero is written
        const char end = *in++;
        *to++ = '\0';
        if (end == '\0') return n;
    }
}
