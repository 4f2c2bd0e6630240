// The measures of theory 7.7 with 113 binary digits, in plain loops, to check claims made in double
// precision.
#ifndef SUPPORT_EXACT_H
#define SUPPORT_EXACT_H

#include <percuss/problem.h>

typedef struct exact_measure {
    double residual;  // relative to max(|q|, |W r|)
    double against_q; // the same violation relative to |q|
    double natural;   // the relative natural map
} exact_measure;

// measure of a problem with at most EXACT_ROWS rows whose W is one dense block
enum { EXACT_ROWS = 64 };
exact_measure exact_measure_of(const pcs_problem *p, const double *r);

// the same with W = H H^T, H dense with m <= EXACT_ROWS columns
exact_measure exact_measure_of_gram(const pcs_problem *p, int m, const double *H, const double *r);

#endif
