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
// impulses whose row of Z is shorter are fixed
#define RANGE_ROW 1e-9

typedef struct range {
    face f;
    double *x0, *x;   // columns
    double *A;        // rows x columns: S^-1/2 W S^-1/2 E
    double *Z;        // columns x columns: k of the basis, then a basis of its complement
    int k;            // directions; where it is 0 Z is not set
    double size;      // largest impulse, in the units of x
    int *dim, *place; // cones of the program, rows scratch
    double *G, *h;    // G and h of the program
    int *column;      // row i of the program is factor[i] times x[column[i]], and an offset
    double *factor;   // rows of the program
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
    double rank;           // of normals: tolerance of the rank; 0: that of the face
    const void *out, *too; // results of the caller that must not be null
    size_t more;           // bytes that the caller takes from x->scratch
} range_request;

// Checks, takes memory and finds the range. The caller destroys *arena, also after a failure
pcs_status range_open(const pcs_env *env, const pcs_problem *p, const range_request *q,
                      pcs_arena *arena, range *x);

// The program for impulses divided by `size`; 0: h = 0. Its Q is null
void range_fill(range *x, double size);

// length of row j of Z
double range_length(const range *x, int j);

// The x (out, columns) of the range with the smallest sum of (x - p)^2 / omega, or with `recede` of
// the directions in which the range is unbounded (projection.c). omega > 0 is the same in all
// columns of a cone; null: 1. p null: 0. Returns the error of W x' = W x, relative to the largest
// of x0 and p. k > 0
double range_project(const range *x, const double *p, const double *omega, bool recede,
                     pcs_arena scratch, double *out);
size_t range_project_bytes(int n);

// Q = Z' V Z, V diagonal (columns), and c = Z' g / size
void range_weigh(range *x, const double *V);
void range_aim(range *x, const double *g);

// x = x0 + size Z y
void range_point(range *x);

#endif
