// The impulses complementary to the computed velocities, in coordinates: r = R x where R contains
// the scales s, and one column for each direction that a block may take,
//
//     R = S^-1/2 E,   |column of E| = 1,   A = S^-1/2 W S^-1/2 E
//
// so that W r' = W r reads A (x' - x) = 0, and no entry of A has a unit.
#ifndef CERTIFICATE_FACE_H
#define CERTIFICATE_FACE_H

#include "base/base.h"
#include "certificate/verdict.h"

// largest number of rows, as all matrices are dense
#define CERTIFICATE_ROWS 1500

typedef struct face {
    const pcs_problem *p;
    double *s, *u;    // n: scales of the rows, W r + q
    verdict *verdict; // nb
    int *first;       // nb + 1: the columns of a block
    int n;            // columns
    double rcond;     // tolerance of the ranks
    double size;      // max(|q|, |W r|)
    pcs_measure measure;
    double error; // relative
} face;

size_t face_bytes(const pcs_problem *p);

// computes s, verdicts and columns from u and its measures; false: the arena is too small
bool face_take(const pcs_problem *p, double tol, const double *r, const double *u,
               const pcs_measure *m, pcs_arena *arena, face *out);

// makes the verdict of a block undecided; call face_number after the last block
void face_doubt(face *f, int b);
void face_number(face *f);

// number of columns of a block with this set
int face_columns(const face *f, int b);

// x (n columns) = E' v, v one entry for each row
void face_restrict(const face *f, const double *v, double *x);

// x (n columns) of the point of the face near r, and back. Both in the units of r
void face_enter(const face *f, const double *r, double *x);
void face_leave(const face *f, const double *x, double *r);

// S^-1/2 W S^-1/2 (rows x rows)
void face_matrix(const face *f, int *place, double *W);

// B (rows x columns) = W E
void face_apply(const face *f, const double *W, double *B);

// the checks of all public functions, and the face of an r, confirmed by Newton steps
// (certificate.c)
pcs_status certificate_check(const pcs_problem *p, double tol, const double *r, const void *a,
                             const void *b);
size_t certificate_face_bytes(const pcs_problem *p);
pcs_status certificate_face(const pcs_env *env, const pcs_problem *p, double tol, const double *r,
                            pcs_arena *arena, face *f);

#endif
