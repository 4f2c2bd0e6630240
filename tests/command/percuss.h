// Runs the real program: exit code, output, and files in a folder of the test.
#ifndef TESTS_PERCUSS_H
#define TESTS_PERCUSS_H

#include <stdbool.h>
#include <stddef.h>

#include <check.h>

// output of the last call
extern char *out_text, *err_text;

// the folder, made by folder_make, emptied and removed by folder_remove (fixtures)
extern char folder[64];
void folder_make(void);
void folder_remove(void);

// runs "percuss ..." with a shell in the folder; $DATA is tests/data. The exit code, 128 + signal
int percuss(const char *format, ...) __attribute__((format(printf, 1, 2)));

// the same with words before percuss, such as "ulimit -f 1;"
int percuss_after(const char *before, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// one line on stderr that contains the words, nothing on stdout, exit code 2
#define REFUSED(words, ...)                                                     \
    do {                                                                        \
        const int code_ = percuss(__VA_ARGS__);                                 \
        ck_assert_msg(code_ == 2, "exit code %d: %s", code_, err_text);         \
        ck_assert_msg(strstr(err_text, words), "no '%s': %s", words, err_text); \
        ck_assert_msg(one_line(err_text), "not one line: %s", err_text);        \
    } while (0)

bool one_line(const char *text);

// writes a file of the folder; returns its text (the caller frees) or null
void file_write(const char *name, const char *text);
char *file_read(const char *name);
bool file_exists(const char *name);
int file_count(void); // in the folder

// true when all of the text is JSON values, one after another (RFC 8259)
bool json_is_valid(const char *text);

// the number at the first "key": of the text; NaN when it is null or not there
double json_number(const char *text, const char *key);

// the number of occurrences of a word
int occurrences(const char *text, const char *word);

#endif
