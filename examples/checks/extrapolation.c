// Richardson's extrapolation with the orders 1 and 2.
#include "checks/extrapolation.h"

#include <math.h>
#include <stdio.h>

#include "study.h"

void check_first_order(checks *c, const char *name, int n, const double *h, const double *y,
                       bool falls)
{
    char what[64];
    double size[MOST_LEVELS], largest = 0;
    bool same_sign = true;
    for (int k = 0; k < n; ++k) {
        size[k] = fabs(y[k]);
        largest = fmax(largest, size[k]);
        same_sign = same_sign && y[k] * y[0] > 0;
    }
    snprintf(what, sizeof what, "order of the %s", name);
    if (falls && !same_sign) {
        check_skip(c, what, "the error changes its sign");
    } else if (falls) {
        // the second-order part is largest in long steps, and least in the last two
        const double last = log2(size[n - 2] / size[n - 1]);
        check_order(c, what, fmax(last, study_slope(n, h, size)), 0.8);
    }
    snprintf(what, sizeof what, "%s, extrapolated", name);
    const double before = 2 * y[n - 2] - y[n - 3], after = 2 * y[n - 1] - y[n - 2];
    check_value(c, what, after + (after - before) / 3, 0, 0.05 * largest);
}
