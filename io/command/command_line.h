// Command lines: a table of flags; all other arguments are words.
//
//     const args_flag flags[] = {
//         {"--tol", 0, ARGS_REAL, &tol, .low = 0, .high = 1, .what = "X", .help = "..."},
//         {"--measure", 0, ARGS_CHOICE, &stop, .what = "residual|natural|both", .help = "..."},
//     };
//     args a = {.command = "solve", .words = "FILE...", .about = "...", ARGS_FLAGS(flags)};
//     if (!args_parse(&a, argc, argv)) return a.exit_code;
//
// --name value, --name=value and -o value are read; -- ends the flags. The initial values are the
// defaults. A wrong command line gives one line on stderr with the remedy, and exit code 2; it is
// wrong also where a file that is written is one that is read, or is written twice.
#ifndef COMMAND_COMMAND_LINE_H
#define COMMAND_COMMAND_LINE_H

#include "command/command.h"

typedef enum args_type {
    ARGS_REAL,   // double in [low, high], above low when low_excluded
    ARGS_INT,    // int in [low, high]
    ARGS_CHOICE, // int: the index of one of the words of "a|b|c"; -1 at first: no default
    ARGS_STRING, // const char *, not empty
    ARGS_TEXT,   // const char *, may be empty
    ARGS_IN,     // const char *: a path that is read
    ARGS_OUT,    // const char *: a path that is written
    ARGS_LIST,   // args_list: may be given several times, and several values at once with commas
    ARGS_NAMES, // args_list: may be given several times, `low` words each, which may contain commas
    ARGS_BOOL   // bool: true when given
} args_type;

typedef struct args_list {
    char **at; // n, owned
    int n;
} args_list;

typedef struct args_flag {
    const char *name; // with its dashes
    char letter;      // letter of -o, or 0
    args_type type;
    void *value;
    double low, high;
    bool low_excluded;
    bool may_replace; // of ARGS_OUT: may be the path of an ARGS_IN
    const char *what; // name of the value in --help; the words of a choice
    const char *help; // null: --help does not show it
} args_flag;

typedef struct args {
    const char *command;
    const char *words; // name of the words in --help: "FILE...", "IN OUT"
    const char *about; // sentence for --help
    const char *more;  // text after the flags in --help, or null
    int least, most;   // least and largest number of words
    int written;       // so many of the last words are paths that are written; the others are read
    const args_flag *flags;
    int n;

    char **word; // after args_parse: n_words of argv
    int n_words;
    int exit_code;
} args;

// the fields of `args` for an array of flags
#define ARGS_FLAGS(array) .flags = (array), .n = sizeof(array) / sizeof *(array)

// False means stop and return exit_code: DONE after --help, WRONG after a mistake.
bool args_parse(args *a, int argc, char **argv);

// appends the words of a text separated by commas; false, with nothing said, when one is empty
bool args_split(args_list *list, const char *text);
void args_list_free(args_list *list);

#endif
