// Writes a file step-NUMBER.pcs for each problem.
#define _POSIX_C_SOURCE 200809L // mkdir

#include "command/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <percuss/problem_file.h>

#include "command/command.h"
#include "command/output.h"

bool capture_begin(const capture *c)
{
    if (!c->folder) return true;
    if (mkdir(c->folder, 0777) != 0 && errno != EEXIST) {
        complain("%s cannot be made: %s; choose another folder for --capture", c->folder,
                 strerror(errno));
        return false;
    }
    char *first = join(c->folder, "/", "step-0.pcs");
    const bool good = output_possible(first);
    free(first);
    return good;
}

bool capture_step(capture *c, pcs_work *work, long number, double t, const pcs_step_report *report)
{
    pcs_problem p;
    char name[40], words[200];
    int digits = 6; // so that names are in the order of the steps
    for (double most = c->steps; most >= 1e6 && digits < 18; most /= 10) {
        digits += 1;
    }
    if (!c->folder || (c->failing && report->outcome == PCS_OUTCOME_CONVERGED)) return true;
    if (pcs_work_problem(work, &p) != PCS_OK) return complain("%s", pcs_error_text()), false;
    if (p.n == 0) return true; // no contact or joint
    snprintf(name, sizeof name, "step-%0*ld.pcs", digits, number);
    snprintf(words, sizeof words, "velocity problem of step %ld, to t = %g s: %s", number, t,
             pcs_outcome_text(report->solve.outcome));
    char *path = join(c->folder, "/", name);
    const pcs_file_content content = {.problem = &p, .title = words, .description = c->scene};
    const bool good = pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_TEXT, &content) == PCS_OK;
    if (!good) complain("%s", pcs_error_text());
    c->files += good;
    free(path);
    return good;
}
