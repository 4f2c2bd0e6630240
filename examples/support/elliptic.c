// Elliptic functions by the arithmetic-geometric mean (Abramowitz and Stegun 17.6, 16.4).
#include "elliptic.h"

#include <math.h>

enum { MEANS = 40 };

double agm(double a, double b)
{
    for (int n = 0; n < MEANS && fabs(a - b) > 1e-16 * a; ++n) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * (a + b);
}

double elliptic_K(double m1)
{
    return 2 * atan(1) / agm(1, sqrt(m1));
}

void jacobi(double u, double m, double m1, double *sn, double *cn, double *dn)
{
    // within one period, for 2^n a_n u must keep its digits
    const double K = elliptic_K(m1);
    u -= 4 * K * floor(u / (4 * K));

    double a[MEANS + 1] = {1}, c[MEANS + 1] = {sqrt(m)}, b = sqrt(m1);
    int n = 0;
    while (n < MEANS && c[n] > 1e-18) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = c[n] * c[n] / (4 * a[n + 1]); // (a - b) / 2 without its rounding
        b = sqrt(a[n] * b);
        n += 1;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; --n) {
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(m1 + m * *cn * *cn);
}
