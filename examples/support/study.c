// Observed orders of convergence.
#include "study.h"

#include <math.h>

double study_size(double h, int level, int i)
{
    const double golden = 0.6180339887498949;
    return h * exp2(-level - fmod(i * golden, 1));
}

double study_slope(int n, const double *x, const double *y)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; ++i) {
        mx += log(x[i]) / n;
        my += log(y[i]) / n;
    }
    for (int i = 0; i < n; ++i) {
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
    }
    return xy / xx;
}
