// Percent, simulated time, active contacts and joints, worst residual, steps per second, time left;
// on stderr.
#define _POSIX_C_SOURCE 200809L // isatty

#include "command/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/trace.h"
#include "problem_file/worst.h"

// seconds between two lines on a terminal, and elsewhere
#define OFTEN  0.2
#define SELDOM 10

progress progress_begin(bool quiet, double t0, double t_end)
{
    const double now = clock_now();
    return (progress){.quiet = quiet,
                      .terminal = isatty(STDERR_FILENO) == 1,
                      .begun = now,
                      .last = now,
                      .t0 = t0,
                      .t_end = t_end};
}

// "12 s", "3 min 20 s", "2 h 5 min"
static void duration(double s, char text[32])
{
    if (!(s < 1e9)) {
        snprintf(text, 32, "?");
    } else if (s < 60) {
        snprintf(text, 32, "%.0f s", s);
    } else if (s < 3600) {
        snprintf(text, 32, "%d min %d s", (int)s / 60, (int)s % 60);
    } else {
        snprintf(text, 32, "%.0f h %d min", floor(s / 3600), (int)fmod(s, 3600) / 60);
    }
}

// width of the terminal
static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Cuts a line to the width: a wrapped line could not be replaced. The most important numbers are
// first.
static void put_line(const progress *p, char (*item)[40], int n)
{
    const size_t most = p->terminal ? (size_t)columns() - 1 : 1000;
    size_t used = 0;
    if (p->terminal) fputc('\r', stderr);
    for (int i = 0; i < n; ++i) {
        const size_t length = strlen(item[i]) + (i > 0 ? 2 : 0);
        if (used + length > most) break;
        fprintf(stderr, "%s%s", i > 0 ? "  " : "", item[i]);
        used += length;
    }
    fputs(p->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

void progress_step(progress *p, double t, const pcs_step_report *report)
{
    p->steps += 1;
    p->residual = worst_of(p->residual, report->solve.measure.residual);
    if (p->quiet) return;
    const double now = clock_now();
    if (now - p->last < (p->terminal ? OFTEN : SELDOM)) return;
    p->last = now;
    const double part = (t - p->t0) / (p->t_end - p->t0), spent = now - p->begun;
    char left[32], item[6][40];
    duration(spent * (1 - part) / part, left);
    snprintf(item[0], sizeof *item, "%3.0f %%", 100 * part);
    snprintf(item[1], sizeof *item, "%s left", left);
    snprintf(item[2], sizeof *item, "t = %.4g s", t);
    snprintf(item[3], sizeof *item, "%d active", report->active);
    snprintf(item[4], sizeof *item, "residual %.1e", p->residual);
    snprintf(item[5], sizeof *item, "%.3g steps/s", (double)p->steps / spent);
    put_line(p, item, 6);
    p->shown = p->terminal;
}

void progress_end(progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = false;
}
