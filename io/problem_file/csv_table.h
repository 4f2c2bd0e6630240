// Comma-separated values (RFC 4180): a text with a comma, a quote or a line end is quoted, a number
// that is not finite is an empty field.
#ifndef PROBLEM_FILE_CSV_TABLE_H
#define PROBLEM_FILE_CSV_TABLE_H

#include <stdio.h>

// write one field after another; the first of a line with first = 1, then csv_end
void csv_text(FILE *out, int first, const char *text);
void csv_real(FILE *out, int first, double value);
// a number stored in four bytes: nine digits read back as the same float
void csv_float(FILE *out, int first, double value);
void csv_int(FILE *out, int first, long value);
void csv_end(FILE *out);

// Cuts a line (changed; it may end with a line end) into at most `most` fields; returns their
// number, or -1 when quotes do not match or there are more.
int csv_split(char *line, int most, char **field);

#endif
