// Derivatives of functions whose values are good to rounding: the central difference of order 8,
//     f'(x) = sum_k w_k (f(x + k d) - f(x - k d)) / d + O(d^8 f^(9) / 630),
// over a d of a 64th to a 128th of the scale of f: (1/64)^8 / 630 is 6e-18, still 1e-11 of a scale
// six times too long, and rounding costs 256 eps. Also the step h of the complex step, f'(x) = Im
// f(x + i h) / h.
#ifndef MECHANICS_DIFFERENCE_H
#define MECHANICS_DIFFERENCE_H

#include <complex.h>
#include <math.h>

#define COMPLEX_STEP 1e-100

enum { DIFFERENCE_POINTS = 4 };

// w_k, k = 1 .. 4
static inline double difference_weight(int k)
{
    static const double w[DIFFERENCE_POINTS] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    return w[k - 1];
}

// a power of two, so that x + k d loses as little as possible
static inline double difference_step(double scale)
{
    return ldexp(1, ilogb(scale) - 6);
}

#endif
