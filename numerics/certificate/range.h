// All impulses with the velocities of r, on the face (certificate/face.h):
//
//     x = x0 + Z y,   Z an orthonormal basis of A z = 0,   x in the cones of the face
//
// and the cone program in y over them. Its numbers are divided by `size`.
#ifndef CERTIFICATE_RANGE_H
#define CERTIFICATE_RANGE_H

#include "certificate/cone_program.h"
#include "certificate/face.h"

// largest error of the conditions of a program that counts as solved
#define RANGE_FOUND 1e-7

typedef struct range {
    face f;
    double *x0, *x;   // columns
    double *A;        // rows x columns: S^-1/2 W S^-1/2 E
    double *Z;        // columns x k
    int k;            // directions
    double size;      // largest impulse, in the units of x
    int *dim, *place; // cones of the program, rows scratch
    double *G, *h;    // G and h of the program
    int *column;      // row i of the program is factor[i] times x[column[i]], and an offset
    double *factor;   // rows of the program
    double *zero;     // zeros, as long as h
    double *Q, *c, *y;
    cone_program program;
    pcs_arena scratch;
} range;

// what range_open takes besides the problem
typedef struct range_request {
    double tol;
    const double *r; // n: the solution
    const double
        *scale; // n, or null: replaces the scales of the rows; equal in a block with friction
    const double *also;    // n, or null: other impulses that may be the largest
    bool normals;          // not the face of r, but all normal impulses and those of equalities
    const void *out, *too; // results of the caller that must not be null
    size_t more;           // bytes that the caller takes from x->scratch
} range_request;

// Checks, takes memory and finds the range. The caller destroys *arena, also after a failure
pcs_status range_open(const pcs_env *env, const pcs_problem *p, const range_request *q,
                      pcs_arena *arena, range *x);

// Q = Z' V Z, V diagonal (columns), and c = Z' g / size
void range_weigh(range *x, const double *V);
void range_aim(range *x, const double *g);

// x = x0 + size Z y
void range_point(range *x);

#endif
