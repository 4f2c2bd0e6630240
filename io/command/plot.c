// percuss plot: curves of a trajectory over time, as a picture or a table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/trajectory.h>

#include "command/command_line.h"
#include "command/curves.h"
#include "command/describe.h"
#include "command/gnuplot.h"
#include "command/output.h"
#include "problem_file/csv_table.h"

static void write_table(FILE *f, const curves *c)
{
    csv_text(f, 1, "t (s)");
    for (int i = 0; i < c->count; ++i) {
        const char *unit = c->unit;
        char *name = join(c->curve[i].name, *unit ? " (" : "", unit);
        char *head = join(name, "", *unit ? ")" : "");
        csv_text(f, 0, head);
        free(name);
        free(head);
    }
    csv_end(f);
    for (int k = 0; k < c->n; ++k) {
        csv_real(f, 1, c->t[k]);
        for (int i = 0; i < c->count; ++i) {
            csv_real(f, 0, c->curve[i].y[k]);
        }
        csv_end(f);
    }
}

// "svg", "png" or "csv", the ending of the path; null after a line on stderr
static const char *format_of(const char *path)
{
    static const char *const known[] = {"svg", "png", "csv"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < 3; ++i) {
        if (strcmp(dot + 1, known[i]) == 0) return known[i];
    }
    complain("%s: a plot ends in .svg or .png, a table of its numbers in .csv", path);
    return NULL;
}

static int write(const char *path, const char *title, const curves *c)
{
    const char *format = format_of(path);
    output o;
    if (!format || !output_open(&o, path)) return WRONG;
    const bool table = strcmp(format, "csv") == 0;
    if (table) write_table(o.f, c);
    if (!table && !gnuplot_draw(o.f, format, title, c)) {
        output_abandon(&o);
        return WRONG;
    }
    return output_commit(&o) ? DONE : WRONG;
}

// the default output: NAME.WORD.svg beside NAME.h5
static char *default_path(const char *trajectory, int what)
{
    const char *word = curves_words;
    for (; what > 0; --what) {
        word += strcspn(word, "|") + 1;
    }
    char ending[64];
    snprintf(ending, sizeof ending, "%.*s.svg", (int)strcspn(word, "|"), word);
    return beside(trajectory, ending);
}

// says what was written; the picture lacks curves without a value
static void say_curves(const char *path, const curves *c)
{
    char *shown = readable(path);
    printf("%s: %d curve%s of %d point%s", shown, c->count, c->count == 1 ? "" : "s", c->n,
           c->n == 1 ? "" : "s");
    const char *before = "; without a value:";
    for (int i = 0; i < c->count; ++i) {
        if (!curve_is_empty(c, i)) continue;
        printf("%s '%s'", before, c->curve[i].name);
        before = ",";
    }
    putchar('\n');
    free(shown);
}

static int plot(const curves_def *def, const char *title, const char *out)
{
    pcs_trajectory *trajectory;
    if (out && !format_of(out)) return WRONG;
    if (pcs_trajectory_open(NULL, def->path, &trajectory) != PCS_OK) {
        return complain_file(def->path, CONTENT_TRAJECTORY);
    }
    curves c;
    int code = WRONG;
    if (curves_read(trajectory, def, &c)) {
        char *path = out ? join(out, "", "") : default_path(def->path, def->what);
        const char *given = pcs_trajectory_info_of(trajectory).title;
        code = replaces_input(path, def->path) ? WRONG
                                               : write(path,
                                                       title    ? title
                                                       : *given ? given
                                                                : def->path,
                                                       &c);
        if (code == DONE) say_curves(path, &c);
        free(path);
        curves_free(&c);
    }
    pcs_trajectory_close(trajectory);
    return code;
}

static int run_plot(int argc, char **argv)
{
    curves_def def = {.from = NAN, .until = NAN};
    const char *out = NULL, *title = NULL;
    const args_flag flags[] = {
        {"--what", 'w', ARGS_CHOICE, &def.what, .what = curves_words, .help = "the quantity"},
        {"--output", 'o', ARGS_OUT, &out, .what = "FILE",
         .help = "FILE.svg, FILE.png, or FILE.csv for the numbers; default: NAME.WORD.svg"},
        {"--body", 'b', ARGS_NAMES, &def.body, .low = 1, .what = "NAME",
         .help = "of this body, by its name or number; may be given several times"},
        {"--pair", 'p', ARGS_NAMES, &def.pair, .low = 2, .what = "A B",
         .help = "contacts, joints, forces between these two; may be given several times"},
        {"--axis", 0, ARGS_LIST, &def.axis, .what = "x,y,z", .help = "only these components"},
        {"--from", 0, ARGS_REAL, &def.from, .low = -HUGE_VAL, .high = HUGE_VAL,
         .low_excluded = true, .what = "T", .help = "first time of the curves, s"},
        {"--until", 0, ARGS_REAL, &def.until, .low = -HUGE_VAL, .high = HUGE_VAL,
         .low_excluded = true, .what = "T", .help = "last time of the curves, s"},
        {"--title", 't', ARGS_TEXT, &title, .what = "TEXT",
         .help = "default: the title of the trajectory"},
    };
    args a = {.command = "plot",
              .words = "TRAJECTORY",
              .about = "Draws curves of a trajectory over time with gnuplot, or writes their "
                       "numbers.",
              .more = "Of the whole model, after every step:\n"
                      "  energy      kinetic and potential energy, and their sum, J\n"
                      "  work        of contacts, joints and forces since the start, J\n"
                      "  residual    of the last velocity problem of the step\n"
                      "  active      contacts and joints in the velocity problem\n"
                      "  penetration largest overlap, m\n"
                      "  iterations  sweeps and finishing iterations\n"
                      "Of bodies, in every frame:\n"
                      "  position x y z, m; orientation q0 q1 q2 q3; velocity x y z, m/s;\n"
                      "  angular-velocity x y z in body axes, rad/s\n"
                      "Of contacts (of --pair, of --body, or of all), in every frame:\n"
                      "  gap         the smallest, m; none where nothing is close\n"
                      "  impulse     of the step before the frame, normal and tangential, N s\n"
                      "Of joints and ropes (of --pair, of --body, or all), in every frame:\n"
                      "  reaction    impulse on the first body in the step before the frame, N s;\n"
                      "              of motors and friction of an angle N m s\n"
                      "Of force elements (of --pair, of --body, or all), in every frame:\n"
                      "  force       tension, N; of torsional springs the moment, N m;\n"
                      "              of bushings and callbacks x y z of the first body\n"
                      "  length      m; of torsional springs the angle, rad\n"
                      "  stored      potential energy, J",
              .least = 1,
              .most = 1,
              ARGS_FLAGS(flags)};
    int code = WRONG;
    if (args_parse(&a, argc, argv)) {
        def.path = a.word[0];
        code = plot(&def, title, out);
    } else {
        code = a.exit_code;
    }
    args_list_free(&def.body);
    args_list_free(&def.pair);
    args_list_free(&def.axis);
    return finish_output(code);
}

const command command_plot = {"plot", "draw curves of a trajectory", run_plot};
