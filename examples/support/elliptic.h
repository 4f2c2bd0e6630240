// Complete elliptic integral of the first kind and Jacobi's functions, by the arithmetic-geometric
// mean. Parameter m = k^2 in [0, 1); m1 = 1 - m is an argument too, for it may be tiny.
#ifndef EXAMPLES_ELLIPTIC_H
#define EXAMPLES_ELLIPTIC_H

// arithmetic-geometric mean of a, b > 0
double agm(double a, double b);

// K = pi / (2 agm(1, k'))
double elliptic_K(double m1);

// sn, cn, dn of u
void jacobi(double u, double m, double m1, double *sn, double *cn, double *dn);

#endif
