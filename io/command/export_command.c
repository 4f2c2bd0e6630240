// percuss export: a trajectory for other programs.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/export.h>
#include <percuss/parts.h>

#include "command/command_line.h"
#include "command/describe.h"
#include "export/export_stem.h"

// in the order of pcs_export_kind
#define FORMATS "csv|pvd|vtkhdf|glb|usda"

typedef struct request {
    int to, table, first, last;
    const char *out;
    pcs_export_def def;
} request;

// the path of the output, newly allocated; null after a line on stderr
static char *output_name(const request *q, const char *in, pcs_export_kind *kind)
{
    pcs_export_kind named;
    if (q->to >= 0) {
        *kind = (pcs_export_kind)q->to;
        if (q->out && pcs_export_kind_of(q->out, &named) == PCS_OK && named != *kind) {
            complain("%s: its ending is that of %s, but --to is %s; change one of them", q->out,
                     pcs_export_ending(named), pcs_export_ending(*kind));
            return NULL;
        }
        return q->out ? join(q->out, "", "") : beside(in, pcs_export_ending(*kind));
    }
    if (!q->out) {
        complain("give the output, -o OUT, or its format, --to " FORMATS);
        return NULL;
    }
    if (pcs_export_kind_of(q->out, kind) != PCS_OK) {
        complain("%s; or say --to", pcs_error_text());
        return NULL;
    }
    return join(q->out, "", "");
}

// the common beginning of the names of several files, newly allocated
static char *stem_of(const char *out, pcs_export_kind kind)
{
    char stem[4096];
    int stream;
    const bool good = export_stem(out, pcs_export_ending(kind), stem, sizeof stem, &stream);
    return join(good ? stem : out, "", "");
}

// the further files of an output, for any format
static bool replaces_any(const char *out, pcs_export_kind kind, const char *in)
{
    static const char *const further[] = {
        "-bodies.csv",   "-coordinates.csv", "-contacts.csv", "-steps.csv",  "-contacts.pvd",
        "-fixed.vtkhdf", "-contacts.vtkhdf", "-forces.csv",   "-forces.pvd", "-forces.vtkhdf"};
    bool found = replaces_input(out, in);
    char *stem = stem_of(out, kind);
    for (size_t i = 0; i < sizeof further / sizeof *further && !found; ++i) {
        char *name = join(stem, "", further[i]);
        found = replaces_input(name, in);
        free(name);
    }
    free(stem);
    return found;
}

static void name_file(const char *stem, const char *ending, const char *before)
{
    char *name = join(before, stem, ending), *shown = readable(name);
    fputs(shown, stderr);
    free(shown);
    free(name);
}

// prints the files of all tables
static void name_tables(const request *q, const pcs_trajectory *trajectory, const char *out)
{
    const pcs_model *m = pcs_trajectory_model(trajectory);
    bool lagrangian = false;
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        lagrangian = lagrangian || pcs_model_is_lagrangian(m, (pcs_system){id});
    }
    char *stem = stem_of(out, PCS_EXPORT_CSV);
    name_file(stem, "-bodies.csv", "");
    if (lagrangian) name_file(stem, "-coordinates.csv", ", ");
    if (q->def.contacts) name_file(stem, "-contacts.csv", ", ");
    name_file(stem, "-steps.csv", ", ");
    if (pcs_trajectory_force_count(trajectory) > 0) name_file(stem, "-forces.csv", ", ");
    free(stem);
}

// checks that a trajectory has n > 0 frames; a line on stderr if not
static bool frames_exist(const request *q, long n)
{
    if (n > 0 && (q->first >= n || q->last >= n)) {
        complain("%s is %d; the trajectory has frames 0 to %ld",
                 q->first >= n ? "--first" : "--last", q->first >= n ? q->first : q->last, n - 1);
        return false;
    }
    if (q->last >= 0 && q->last < q->first) {
        complain("--first is %d, and --last, %d, is before it", q->first, q->last);
        return false;
    }
    return true;
}

static int export_to(const request *q, const char *in, const char *out, pcs_export_kind kind)
{
    if (replaces_any(out, kind, in)) return WRONG;
    pcs_trajectory *trajectory;
    if (pcs_trajectory_open(NULL, in, &trajectory) != PCS_OK) {
        return complain_file(in, CONTENT_TRAJECTORY);
    }
    if (!frames_exist(q, pcs_trajectory_info_of(trajectory).frames)) {
        pcs_trajectory_close(trajectory);
        return WRONG;
    }
    long frames;
    const pcs_status status = pcs_trajectory_export(trajectory, kind, &q->def, out, &frames);
    if (status == PCS_OK) {
        if (kind == PCS_EXPORT_CSV && q->table == PCS_EXPORT_TABLE_ALL) {
            name_tables(q, trajectory, out);
        } else {
            name_file(out, "", "");
        }
        fprintf(stderr, ": %ld of %ld frames\n", frames, pcs_trajectory_info_of(trajectory).frames);
    }
    pcs_trajectory_close(trajectory);
    return status == PCS_OK ? DONE : complain("%s", pcs_error_text());
}

static int run_export(int argc, char **argv)
{
    request q = {.to = -1, .def = pcs_export_def_default(), .last = -1};
    bool bare = false;
    const args_flag flags[] = {
        {"--output", 'o', ARGS_OUT, &q.out, .what = "OUT",
         .help = "default: the name of the trajectory with the ending of the format"},
        {"--to", 0, ARGS_CHOICE, &q.to, .what = FORMATS,
         .help = "format; default: by the ending of OUT"},
        {"--what", 0, ARGS_CHOICE, &q.table, .what = "all|bodies|coordinates|contacts|steps|forces",
         .help = "of csv: one table in OUT, or all of them in separate files"},
        {"--first", 0, ARGS_INT, &q.first, .low = 0, .high = 2e9, .what = "N",
         .help = "the first frame, from 0"},
        {"--last", 0, ARGS_INT, &q.last, .low = -1, .high = 2e9, .what = "N",
         .help = "the last frame; -1: that of the trajectory"},
        {"--every", 0, ARGS_INT, &q.def.every, .low = 1, .high = 1e9, .what = "N",
         .help = "every N-th frame, and the last"},
        {"--tolerance", 0, ARGS_REAL, &q.def.tolerance, .low = 0, .high = 0.5, .what = "X",
         .help = "depth of triangles inside a round surface, relative to its radius; 0: by the "
                 "format"},
        {"--no-contacts", 0, ARGS_BOOL, &bare, .help = "without contacts"},
    };
    args a = {.command = "export",
              .words = "TRAJECTORY",
              .about = "Writes a trajectory for other programs: tables (csv), ParaView (pvd, "
                       "vtkhdf), Blender and browsers (glb), USD (usda).",
              .least = 1,
              .most = 1,
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    q.def.table = (pcs_export_table)q.table;
    q.def.first = q.first;
    q.def.last = q.last;
    q.def.contacts = !bare;
    pcs_export_kind kind;
    char *out = output_name(&q, a.word[0], &kind);
    if (out && q.table != PCS_EXPORT_TABLE_ALL && kind != PCS_EXPORT_CSV) {
        complain("--what chooses a table of csv; the format of %s is %s", out,
                 pcs_export_ending(kind));
        free(out);
        out = NULL;
    }
    const int code = out ? export_to(&q, a.word[0], out, kind) : WRONG;
    free(out);
    return finish_output(code);
}

const command command_export = {"export", "write a trajectory for other programs", run_export};
