// The table of checks of the examples.
#include "checks.h"

#include <math.h>
#include <stdio.h>

checks checks_begin(void)
{
    printf("\n%-38s %16s %16s %9s  %s\n", "check", "computed", "expected", "error", "allowed");
    return (checks){0};
}

static bool count(checks *c, const char *name, bool holds)
{
    c->done += 1;
    if (holds) return true;
    if (c->failed++ == 0) snprintf(c->first, sizeof c->first, "%s", name);
    return false;
}

bool check_value(checks *c, const char *name, double computed, double expected, double allowed)
{
    const double error = fabs(computed - expected);
    const bool holds = count(c, name, error <= allowed);
    printf("%-38s %16.9g %16.9g %9.1e  %.1e%s\n", name, computed, expected, error, allowed,
           holds ? "" : "  FAILED");
    return holds;
}

bool check_order(checks *c, const char *name, double computed, double least)
{
    const bool holds = count(c, name, computed >= least);
    printf("%-38s %16.2f %16s %9s  >= %g%s\n", name, computed, "", "", least,
           holds ? "" : "  FAILED");
    return holds;
}

bool check_that(checks *c, const char *name, bool holds, const char *words)
{
    count(c, name, holds);
    printf("%-38s %s%s\n", name, words, holds ? "" : "  FAILED");
    return holds;
}

void check_skip(checks *c, const char *name, const char *why)
{
    (void)c;
    printf("%-38s not checked: %s\n", name, why);
}

int checks_end(const checks *c)
{
    fflush(stdout);
    if (c->failed > 0) {
        fprintf(stderr, "%d of %d checks failed; the first is: %s\n", c->failed, c->done, c->first);
        return 1;
    }
    printf("\nAll %d checks hold.\n", c->done);
    return 0;
}

int say_error(const char *what, pcs_status status)
{
    const char *sentence = pcs_error_text();
    fprintf(stderr, "%s: %s\n", what, sentence[0] != '\0' ? sentence : pcs_status_text(status));
    return status == PCS_ERR_ARG || status == PCS_ERR_SIZE || status == PCS_ERR_FILE ? 2 : 1;
}
