// The worst value of steps, where NaN is worse than any number.
#ifndef PROBLEM_FILE_WORST_H
#define PROBLEM_FILE_WORST_H

#include <math.h>

// the larger of the two; fmax would drop a NaN
static inline double worst_of(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

#endif
