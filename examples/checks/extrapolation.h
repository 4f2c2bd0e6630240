// Errors of order h, taken away by extrapolation.
#ifndef EXAMPLES_CHECKS_EXTRAPOLATION_H
#define EXAMPLES_CHECKS_EXTRAPOLATION_H

#include "checks.h"

enum { MOST_LEVELS = 8 };

// The error y[k], with its sign, of a run with h[k] = h[0]/2^k, n >= 3 of them: the remainder after
// two extrapolations is 5 % of the first error at most; `falls`: and y falls at least like h^0.8.
void check_first_order(checks *c, const char *name, int n, const double *h, const double *y,
                       bool falls);

#endif
