// The table of checks of the examples.
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

cell cell_of(const char *format, double x)
{
    cell c = {"-"};
    if (isinf(x)) {
        snprintf(c.text, sizeof c.text, x > 0 ? "infinite" : "-infinite");
    } else if (!isnan(x)) {
        snprintf(c.text, sizeof c.text, format, x);
    }
    return c;
}

checks checks_begin(void)
{
    printf("\n%-38s %16s %16s %9s  %s\n", "check", "computed", "expected", "error", "allowed");
    return (checks){0};
}

// counts, and prints the name where the row is to be printed; what follows the name is up to the
// caller
static bool begin_row(checks *c, const char *name, bool holds)
{
    char full[80];
    snprintf(full, sizeof full, "%s%s%s", c->context ? c->context : "", c->context ? ": " : "",
             name);
    c->done += 1;
    if (!holds && c->failed++ == 0) memcpy(c->first, full, sizeof full);
    if (c->quiet && holds) return false;
    printf("%-38s ", full);
    return true;
}

static void end_row(bool holds)
{
    printf("%s\n", holds ? "" : "  FAILED");
}

bool check_value(checks *c, const char *name, double computed, double expected, double allowed)
{
    const double error = fabs(computed - expected);
    const bool holds = error <= allowed;
    if (!begin_row(c, name, holds)) return holds;
    printf("%16.9g %16.9g %9.1e  %.1e", computed, expected, error, allowed);
    end_row(holds);
    return holds;
}

bool check_order(checks *c, const char *name, double computed, double least)
{
    const bool holds = computed >= least;
    if (!begin_row(c, name, holds)) return holds;
    printf("%16.2f %16s %9s  >= %g", computed, "", "", least);
    end_row(holds);
    return holds;
}

bool check_that(checks *c, const char *name, bool holds, const char *words)
{
    if (!begin_row(c, name, holds)) return holds;
    printf("%s", words);
    end_row(holds);
    return holds;
}

void check_skip(checks *c, const char *name, const char *why)
{
    printf("%s%s%-38s not checked: %s\n", c->context ? c->context : "", c->context ? ": " : "",
           name, why);
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
