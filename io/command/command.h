// Shared by the subcommands: the row of each in the table of io/percuss.c, exit codes, and the line
// for errors.
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include <stdbool.h>

#include <percuss/base.h>

// exit codes of every subcommand
enum {
    DONE = 0,        // completed, and all converged
    UNCONVERGED = 1, // completed, and some did not converge
    WRONG = 2,       // wrong input or usage, or an error of the system: a line on stderr says which
    INTERRUPTED = 130 // a run that wrote a checkpoint
};

typedef struct command {
    const char *name;
    const char *summary;               // sentence in the list of `percuss --help`
    int (*run)(int argc, char **argv); // argv[0] is the name of the subcommand; an exit code
} command;

extern const command command_bench, command_convert, command_diff, command_export, command_info,
    command_plot, command_reduce, command_run, command_scene, command_solve, command_solvers,
    command_view;

// the subcommand of this name, or null; the i-th, or null
const command *command_find(const char *name);
const command *command_at(int i);

// "percuss: ..." on stderr, cut to one line; returns WRONG
int complain(const char *format, ...) PCS_PRINTF(1, 2);

// `text` for a terminal, newly allocated: characters that readable_length (json.h) refuses become
// \xNN
char *readable(const char *text);

// true when `out` (null: none) would replace the file `in` (null: none); if so, a line on stderr
// says it
bool replaces_input(const char *out, const char *in);

// width of a readable text in columns
int columns_of(const char *text);

// flushes stdout: returns `code`, or WRONG with a line when writing failed
int finish_output(int code);

// A hash of the bytes of a file (FNV-1a), as 16 hexadecimal digits; empty when it is no regular
// file.
void fingerprint(const char *path, char out[17]);

// calloc that ends the program with a line and WRONG if memory is out
void *take(size_t count, size_t size);

// "two words" of two strings, newly allocated; the caller frees
char *join(const char *a, const char *between, const char *b);

// the name of a file with another ending, given without its dot; newly allocated
char *beside(const char *path, const char *ending);

// reads a double or int; false unless all of `text` is one, finite
bool read_real(const char *text, double *out);
bool read_int(const char *text, int *out);

// makes SIGINT and SIGTERM set a flag; the third ends the program
void interrupts_begin(void);
bool interrupted(void);

#endif
