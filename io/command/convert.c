// percuss convert: the same problem in another form.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command_line.h"
#include "command/describe.h"
#include "command/setup.h"

// the words of pcs_file_format, in its order
#define FORMATS "name|dat|fclib|pcs"

typedef struct request {
    int kind, to, storage; // storage 0: that of the file
    bool local;
} request;

static int convert(const request *q, const char *from, const char *to)
{
    pcs_problem_file *f;
    if (pcs_problem_file_read(NULL, from, (pcs_file_kind)q->kind, &f) != PCS_OK) {
        return complain_file(from, CONTENT_PROBLEM);
    }
    pcs_file_content content = {.storage =
                                    q->storage ? (pcs_file_storage)(q->storage - 1) : f->storage,
                                .r = f->r,
                                .u = f->u,
                                .start = f->start,
                                .title = f->title,
                                .description = f->description,
                                .math_info = f->math_info};
    pcs_status status = PCS_OK;
    if ((f->global || f->bodies) && !q->local) {
        content.global = f->global;
        content.bodies = f->bodies;
        content.opts = f->opts;
        content.budget = f->budget;
        content.v = f->v;
    } else {
        status = pcs_problem_file_local(f, &content.problem);
    }
    // the format .dat cannot hold these
    const size_t length = strlen(to);
    const bool dat =
        q->to == PCS_FILE_FORMAT_DAT ||
        (q->to == PCS_FILE_FORMAT_BY_NAME && length > 4 && !strcmp(to + length - 4, ".dat"));
    if (dat) {
        content.r = content.u = content.v = content.start = NULL;
        content.title = content.description = content.math_info = NULL;
    }
    if (status == PCS_OK) {
        status = pcs_problem_file_write(NULL, to, (pcs_file_format)q->to, &content);
    }
    pcs_problem_file_destroy(f);
    return status == PCS_OK ? DONE : complain("%s", pcs_error_text());
}

static int run_convert(int argc, char **argv)
{
    request q = {.kind = PCS_FILE_ANY};
    const args_flag flags[] = {
        {"--to", 0, ARGS_CHOICE, &q.to, .what = FORMATS,
         .help = "format of OUT; name: by its ending (.dat, .hdf5, .h5, .pcs)"},
        {"--storage", 0, ARGS_CHOICE, &q.storage, .what = "same|dense|blocks|sparse",
         .help = "how a .dat file writes its matrix"},
        {"--local", 0, ARGS_BOOL, &q.local,
         .help = "condense a global problem or that of a step: W = H M^-1 H'"},
        {"--kind", 0, ARGS_CHOICE, &q.kind, .what = setup_kinds,
         .help = "kind of problem in IN, if it does not state it"},
    };
    args a = {.command = "convert",
              .words = "IN OUT",
              .about =
                  "Writes a problem in another format, all digits. OUT appears complete or not "
                  "at all.",
              .least = 2,
              .most = 2,
              .written = 1,
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    return finish_output(convert(&q, a.word[0], a.word[1]));
}

const command command_convert = {"convert", "write a problem in another format", run_convert};
