// See trace.h.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "command/trace.h"

#include <time.h>

#include <percuss/solver_table.h>

#include "command/command.h"
#include "problem_file/csv_table.h"

double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool trace_open(trace *t, const char *path)
{
    if (!output_open(&t->out, path)) return false;
    t->start = clock_now();
    fputs("solver,iteration,seconds,value,residual,natural_map,step,penalty,status_changes\n",
          t->out.f);
    return true;
}

bool trace_close(trace *t)
{
    return output_commit(&t->out);
}

static int row(void *user, const pcs_progress *now)
{
    trace *t = user;
    FILE *f = t->out.f;
    const pcs_solver_info *s = pcs_solver_at((int)now->solver);
    csv_text(f, 1, s ? s->name : "");
    csv_int(f, 0, now->iters);
    csv_real(f, 0, clock_now() - t->start);
    csv_real(f, 0, now->value);
    csv_real(f, 0, now->residual);
    csv_real(f, 0, now->natural_map);
    csv_real(f, 0, now->step);
    csv_real(f, 0, now->penalty);
    if (now->status_changes >= 0) {
        csv_int(f, 0, now->status_changes);
    } else {
        csv_text(f, 0, "");
    }
    csv_end(f);
    return interrupted();
}

pcs_watch trace_watch(trace *t)
{
    return (pcs_watch){row, t};
}
