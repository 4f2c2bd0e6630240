// percuss view: the replay page of a trajectory.
#define _POSIX_C_SOURCE 200809L // stat

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <percuss/replay.h>

#include "command/command_line.h"
#include "command/describe.h"

// says what was written; the program alone may be larger than the limit
static void say_page(const char *page, long shown, long all, double megabytes)
{
    struct stat file;
    char *name = readable(page);
    printf("%s: %ld of %ld frames", name, shown, all);
    free(name);
    if (stat(page, &file) == 0 && S_ISREG(file.st_mode)) {
        const double size = 1e-6 * (double)file.st_size;
        printf(", %.3g MB", size);
        if (size > megabytes) printf("; fewer frames cannot bring it to %g MB", megabytes);
    }
    putchar('\n');
}

static int view(const char *path, const pcs_replay_def *def, const char *page, double megabytes)
{
    pcs_trajectory *trajectory;
    if (pcs_trajectory_open(NULL, path, &trajectory) != PCS_OK) {
        return complain_file(path, CONTENT_TRAJECTORY);
    }
    const long all = pcs_trajectory_info_of(trajectory).frames;
    long shown = 0;
    const pcs_status status = pcs_replay_write(trajectory, def, page, &shown);
    if (status != PCS_OK) complain("%s", pcs_error_text());
    if (status == PCS_OK) say_page(page, shown, all, megabytes);
    pcs_trajectory_close(trajectory);
    return status == PCS_OK ? DONE : WRONG;
}

static int run_view(int argc, char **argv)
{
    pcs_replay_def def = pcs_replay_def_default();
    const char *out = NULL;
    double megabytes = def.most_bytes / 1e6;
    bool bare = false;
    const args_flag flags[] = {
        {"--output", 'o', ARGS_OUT, &out, .what = "PAGE",
         .help = "default: the name of the "
                 "trajectory with .html"},
        {"--title", 't', ARGS_TEXT, &def.title, .what = "TEXT",
         .help = "default: the title of the trajectory"},
        {"--every", 0, ARGS_INT, &def.every, .low = 1, .high = 1e9, .what = "N",
         .help = "show every N-th frame"},
        {"--max-mb", 0, ARGS_REAL, &megabytes, .low = 0, .high = 2000, .low_excluded = true,
         .what = "X", .help = "leave out more frames where the page would be larger"},
        {"--no-contacts", 0, ARGS_BOOL, &bare, .help = "without contact points and impulses"},
    };
    args a = {.command = "view",
              .words = "TRAJECTORY",
              .about =
                  "Writes a page that shows a trajectory in a browser. The page is one file and "
                  "needs no network.",
              .least = 1,
              .most = 1,
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    def.most_bytes = 1e6 * megabytes;
    def.contacts = !bare;

    char *page = out ? join(out, "", "") : beside(a.word[0], "html");
    const int code =
        replaces_input(page, a.word[0]) ? WRONG : view(a.word[0], &def, page, megabytes);
    free(page);
    return finish_output(code);
}

const command command_view = {"view", "write a page that replays a trajectory", run_view};
