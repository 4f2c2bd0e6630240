// Comma-separated values (RFC 4180): a text with a comma, a quote or a line end is quoted, a number
// that is not finite is an empty field.
#ifndef PROBLEM_FILE_CSV_TABLE_H
#define PROBLEM_FILE_CSV_TABLE_H

#include <stdio.h>

// one field after another; the first of a line with first = 1, then csv_end
void csv_text(FILE *out, int first, const char *text);
void csv_real(FILE *out, int first, double value);
void csv_int(FILE *out, int first, long value);
void csv_end(FILE *out);

// Cuts a line (changed, its line end may be there) into at most `most` fields; how many, or -1 when
// quotes do not match or there are more.
int csv_split(char *line, int most, char **field);

#endif
