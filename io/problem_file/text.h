// A cursor over a text in memory: numbers, literals, and sentences with the place of an error. The
// text is never trusted: every call checks for its end.
#ifndef PROBLEM_FILE_TEXT_H
#define PROBLEM_FILE_TEXT_H

#include <percuss/base.h>

#include <stdbool.h>
#include <stddef.h>

// the decimal point of the current locale, for strtod and printf
#define DECIMAL_POINT 16
void decimal_point(char point[DECIMAL_POINT]);

typedef struct text {
    const char *name; // name of the file, for sentences
    const char *begin, *at, *end;
    char point[DECIMAL_POINT]; // the decimal point that strtod expects
    bool free_form; // `#` begins a comment, up to the end of its line; reals may be hexadecimal
} text;

text text_begin(const char *name, const char *bytes, size_t size);

// fails with "name:line: ..."
pcs_status text_fail(const text *t, pcs_status status, const char *format, ...) PCS_PRINTF(3, 4);

// "name:line" of the cursor; of a long name only the end
void text_where(const text *t, char *out, size_t size);

// an integer from low to high; `after`, if not empty, must follow it (blanks between are fine)
pcs_status text_int(text *t, const char *what, int low, int high, const char *after, int *out);

// a number of rows, columns, blocks: >= 0; PCS_ERR_SIZE when it is negative or beyond int
pcs_status text_size(text *t, const char *what, int *out);

// takes arrays, after a check that the text is long enough for them
pcs_status text_ints(text *t, const char *what, int low, int high, size_t n, int *out);
pcs_status text_reals(text *t, const char *what, size_t n, double *out);

pcs_status text_real(text *t, const char *what, double *out);

// reads the literal after blanks
pcs_status text_word(text *t, const char *word);

// takes the literal if it is next
bool text_take_word(text *t, const char *word);

// takes the literal if it is next and a blank or the end follows
bool text_take_key(text *t, const char *key);

// true when only blanks are left
bool text_at_end(const text *t);

// fails with the text at the place of `what`
pcs_status text_expected(text *t, const char *what);

// moves to the next line; blank: only blanks may be skipped
pcs_status text_skip_line(text *t, bool blank);

// PCS_ERR_SIZE unless n more numbers may follow: a number needs a digit and a blank
pcs_status text_room(const text *t, const char *what, size_t n);

// the number of integers that follow, at most `max`; the cursor does not move
int text_peek_ints(const text *t, int max, long long *out);

#endif
