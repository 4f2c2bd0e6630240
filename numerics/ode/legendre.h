// Legendre polynomials on [0, 1], orthogonal there, P_k(1) = 1, and quadratures at their zeros.
// Values near both ends are as accurate as the distance to the end.
#ifndef ODE_LEGENDRE_H
#define ODE_LEGENDRE_H

// P[k], k = 0 .. n, at c; d = 1 - c is given too, because the smaller of the two decides the
// accuracy
void legendre_values(int n, double c, double d, double *P);

// Gauss quadrature with s points on [0, 1]: nodes ascending and weights
void legendre_gauss(int s, double *c, double *b);

// Radau quadrature with s points on [0, 1], of which the last is 1
void legendre_radau(int s, double *c, double *b);

#endif
