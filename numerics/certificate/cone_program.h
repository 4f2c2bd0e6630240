// A small dense convex program over half lines and second-order cones
// { x_0 >= |x_T| } of dimension 2 or 3:
//
//     min 1/2 y' Q y + c' y,   s = h + G y in the cones
#ifndef CERTIFICATE_CONE_PROGRAM_H
#define CERTIFICATE_CONE_PROGRAM_H

#include "base/base.h"

typedef struct cone_program {
    int k;           // unknowns
    int nb;          // cones
    const int *dim;  // nb
    int m;           // their rows
    const double *G; // m x k
    const double *h; // m
    const double *Q; // k x k, or null: 0
    const double *c; // k
} cone_program;

// arena bytes
size_t cone_program_bytes(int m, int k, int nb);

// Computes y of a solution, and its multipliers z (m, or null): Q y + c = G' z. Returns the error
// of its conditions, relative to the size of the data; infinity when the arena is too small.
double cone_program_solve(const cone_program *p, pcs_arena work, double *y, double *z);

#endif
