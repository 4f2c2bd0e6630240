// percuss, the command: finds the subcommand and passes the line to it.
#define _POSIX_C_SOURCE 200809L // SIGXFSZ

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <percuss/base.h>

#include "command/command.h"
#include "problem_file/nearest.h"

static const command *const table[] = {&command_run,   &command_scene,  &command_view,
                                       &command_plot,  &command_export, &command_solve,
                                       &command_bench, &command_info,   &command_convert,
                                       &command_diff,  &command_reduce, &command_solvers};
#define COUNT ((int)(sizeof table / sizeof *table))

const command *command_at(int i)
{
    return i >= 0 && i < COUNT ? table[i] : NULL;
}

const command *command_find(const char *name)
{
    for (int i = 0; i < COUNT; ++i) {
        if (strcmp(table[i]->name, name) == 0) return table[i];
    }
    return NULL;
}

static int help(void)
{
    printf("usage: percuss SUBCOMMAND ...\n\nRuns scenes and shows their motion; solves contact "
           "problems, compares solvers on them, describes\nand converts problem files.\n\n");
    for (int i = 0; i < COUNT; ++i) {
        printf("  %-10s%s\n", table[i]->name, table[i]->summary);
    }
    printf(
        "\n  percuss SUBCOMMAND --help   the flags of a subcommand\n"
        "  percuss --version           the version\n\n"
        "Exit codes: 0 done, all converged, 1 something did not converge, or trajectories differ, "
        "or a solve\nor bench was interrupted, 2 the input or the command line is wrong, or an "
        "output cannot be written,\n130 a run was interrupted.\n");
    return finish_output(DONE);
}

static int unknown(const char *word)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        names[i] = table[i]->name;
    }
    const char *like = nearest(word, names, COUNT);
    if (like) {
        return complain("there is no subcommand '%s'; did you mean 'percuss %s'?", word, like);
    }
    return complain("there is no subcommand '%s'; 'percuss --help' lists them", word);
}

int main(int argc, char **argv)
{
    // a file that grows beyond its limit is an error of the write, not the end of the program
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        return complain("a subcommand is missing; 'percuss --help' lists them");
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        printf("percuss %s\n", pcs_version());
        return finish_output(DONE);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return help();
    if (strcmp(word, "help") == 0) {
        if (argc == 2) return help();
        const command *c = command_find(argv[2]);
        char flag[] = "--help", *line[] = {argv[2], flag, NULL};
        return c ? c->run(2, line) : unknown(argv[2]);
    }
    const command *c = command_find(word);
    return c ? c->run(argc - 1, argv + 1) : unknown(word);
}
