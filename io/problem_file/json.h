// Writing JSON (RFC 8259), one value per line, with commas and quotes.
//
//     json j = {.out = stdout};
//     json_open(&j, NULL, '{');
//     json_text(&j, "file", path);
//     json_real(&j, "residual", NAN);     // null: JSON has no NaN
//     json_close(&j, '}');                // and a line end after the outermost
#ifndef PROBLEM_FILE_JSON_H
#define PROBLEM_FILE_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int depth;
    bool comma; // an element precedes
} json;

// key null within an array and outside
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
void json_text(json *j, const char *key, const char *text); // null: null
void json_int(json *j, const char *key, long value);
void json_bool(json *j, const char *key, bool value);
void json_real(json *j, const char *key, double value); // 17 digits; null when not finite
void json_reals(json *j, const char *key, int n, const double *value);

// writes a finite number outside of JSON: 17 digits, or at most `digits`, with a point in every
// locale
void put_real(FILE *out, double value);
void put_digits(FILE *out, double value, int most);

// length of the UTF-8 sequence at s, 0 if it is invalid (overlong, a surrogate, beyond U+10FFFF)
int utf8_length(const unsigned char *s);

// bytes of the character at s; 0 for a control character (C0, DEL, C1) and for invalid UTF-8, which
// must not reach a terminal
int readable_length(const unsigned char *s);

#endif
