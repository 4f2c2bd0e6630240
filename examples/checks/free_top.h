// A free rigid body in closed form (Euler 1758, Jacobi 1849; theory 13).
#ifndef EXAMPLES_CHECKS_FREE_TOP_H
#define EXAMPLES_CHECKS_FREE_TOP_H

#include <stdbool.h>

// principal moments ascending; the motion through omega = (0, spin, wobble) at t = 0, or, about the
// first axis, (wobble, spin, 0)
typedef struct free_top {
    double I[3];
    double peak[3]; // amplitudes of omega, rad/s
    double rate;    // of the argument of the elliptic functions, 1/s
    double m, m1;   // their parameter, and 1 - m
    bool about_first;
} free_top;

free_top free_top_make(const double I[3], double spin, double wobble, bool about_first);

// angular velocity in principal axes at t
void free_top_omega(const free_top *top, double t, double omega[3]);

// between two changes of sign of omega_2; omega itself repeats after two
double free_top_flip(const free_top *top);

#endif
