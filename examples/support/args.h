// Command lines of the examples. A driver lists its flags, the variables for their values and their
// meaning; the values already there are the defaults.
//
//     double mass = 1;
//     int metric = 3;
//     args a = {.about = "A ball falls on a plane."};
//     args_positive(&a, "--mass", &mass, 1000, "kg", "mass of the ball");
//     args_real(&a, "--e", &e, 0, 1, "", "restitution");
//     args_vector(&a, "--v0", v0, 10, "m/s", "first velocity");
//     args_choice(&a, "--metric", &metric, "q|q1|v|mass", "metric of the projection");
//     args_parse(&a, argc, argv);
//
// Both --mass 2 and --mass=2 are read, --help lists every flag. A wrong command line is one line
// on stderr that names the flag and the remedy, and exit code 2.
#ifndef EXAMPLES_ARGS_H
#define EXAMPLES_ARGS_H

#include <stdbool.h>

#define ARGS_MAX 96

typedef enum args_type {
    ARGS_REAL,
    ARGS_INT,
    ARGS_CHOICE,
    ARGS_STRING,
    ARGS_BOOL,
    ARGS_VECTOR
} args_type;

// what a string is the path of
typedef enum args_path { ARGS_PATH_NONE, ARGS_PATH_READ, ARGS_PATH_WRITTEN } args_path;

typedef struct args_flag {
    const char *name; // with its dashes
    args_type type;
    void *value;      // where the value goes
    double low, high; // allowed range of a number
    bool times;       // the range is in multiples of the default
    double first[3];  // the default of a vector
    args_path path;   // of a string
    const char *unit; // of a number, the words of a choice, the placeholder of a string
    const char *help;
    char shown[40]; // the default as --help prints it
} args_flag;

typedef struct args {
    const char *about; // one or two sentences for --help
    const char *table; // what --csv writes, for examples that have run_parse
    int exit_code;     // of the program, when args_read says stop
    args_flag flag[ARGS_MAX];
    int n;
} args;

// a number in [low, high], always finite
void args_real(args *a, const char *name, double *value, double low, double high, const char *unit,
               const char *help);

// a number from its default over `span` to `span` times its default, which is > 0
void args_positive(args *a, const char *name, double *value, double span, const char *unit,
                   const char *help);

// three numbers in [-most, most], "1,0,-2"; a single one is the third, the others zero
void args_vector(args *a, const char *name, double value[3], double most, const char *unit,
                 const char *help);

// three numbers > 0, such as the edges of a box, each in such a range about its default
void args_sizes(args *a, const char *name, double value[3], double span, const char *unit,
                const char *help);

// an integer in [low, high]
void args_int(args *a, const char *name, int *value, int low, int high, const char *help);

// one of the words of "none|direct|combined"; the value is its position, from 0
void args_choice(args *a, const char *name, int *value, const char *words, const char *help);

// text, borrowed from argv; `placeholder` is what --help calls it ("FILE")
void args_string(args *a, const char *name, const char **value, const char *placeholder,
                 const char *help);

// the same for a file that is read, and for one that is written; a file that would replace another
// one of the line is refused
void args_input(args *a, const char *name, const char **value, const char *placeholder,
                const char *help);
void args_output(args *a, const char *name, const char **value, const char *placeholder,
                 const char *help);

// off or on: --name, --name=yes, --name=no
void args_bool(args *a, const char *name, bool *value, const char *help);

// Reads the command line. After --help it ends the program with exit code 0, after a mistake with
// 2; the words have been printed.
void args_parse(args *a, int argc, char **argv);

// the same for a test: false where the program would end, with a->exit_code
bool args_read(args *a, int argc, char **argv);

// the name of the program, known after args_parse
const char *args_program(void);

// For values that do not go together: prints "program: ..." on stderr, and ends with exit code 2.
_Noreturn void args_refuse(const char *format, ...);

// Ends the program where there is no Runge-Kutta method of this name.
void args_check_method(const char *flag, const char *name);

// refuses a run of fewer than 2 or more than `most` steps, set by --h and --tend
void args_check_steps(double h, double t_end, double most);

#endif
