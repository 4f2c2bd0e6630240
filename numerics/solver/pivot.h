// Shared by the pivoting solvers: an MLCP as a dense scaled matrix with its equalities eliminated,
// dictionaries and their exchange step, the sharpening of a basic solution, and the check of a
// certificate of infeasibility.
#ifndef SOLVER_PIVOT_H
#define SOLVER_PIVOT_H

#include "solver/solver.h"
#include <percuss/problem.h>

// The problem in scaled, permuted form. With R and K diagonal (powers of two) and s a power of two,
//
//     u' = R u / s,   r = s K r',   W' = R W K,   q' = R q / s,   max |q'| in [1/2, 1)
//
// and the rows and columns sorted into places
//
//     0 .. rank-1     equality rows and columns eliminated against each other
//     rank .. ne-1    equality rows and columns left over: their common block is zero
//     ne .. n-1       unilateral rows
//
// T holds L (unit, below the diagonal) and U of the eliminated part, and for the other places the
// reduced problem of size nr = n - rank
//
//     | 0   |   | 0  A | | y |   | a |       y free, x >= 0
//     | u_I | = | B  S | | x | + | b |
typedef struct pivot_problem {
    const pcs_problem *p;
    int n, ne, ni;    // rows, equality rows, unilateral rows
    int rank, nl, nr; // eliminated, left over (ne - rank), reduced (nl + ni)
    double *W;        // n x n, as given, dense
    double *T;        // n x (n + 1), the last column is q'
    int *row, *col;   // n: problem row and column at each place; equal from ne on
    double *rs, *cs;  // n: R and K by problem row and column
    double s;
    double *G; // nl x nl or null: the left-over rows are recombined, row j = sum_i G_ij (row i)
} pivot_problem;

size_t pivot_problem_bytes(const pcs_problem *p);

// Takes arrays from the arena; PCS_ERR_MEMORY when it is too small. Where the time of the solve t
// (null: no limit) ends before, the rest is not built: track_late.
pcs_status pivot_problem_build(const pcs_problem *p, const solver_track *t, pcs_arena *arena,
                               pivot_problem *out);

// entry (i, j) of the reduced problem, places counted from rank; column nr is its constant
static inline double pivot_reduced(const pivot_problem *d, int i, int j)
{
    return d->T[(size_t)(d->rank + i) + (size_t)d->n * (size_t)(d->rank + j)];
}

// r of the problem from a solution (y, x) of the reduced one (nr numbers, scaled)
void pivot_expand(const pivot_problem *d, const double *yx, double *r);

// Sharpens r: solves (W r + q)_rows = 0 for r_cols, everything else zero, from the data as given,
// with one step of refinement. Flags by problem row and column. Square and regular: LU; otherwise
// least squares of minimum norm. Negative r of unilateral rows are set to zero: the measure judges.
// false, r untouched, when the factorisation fails.
bool pivot_sharpen(const pivot_problem *d, const unsigned char *rows, const unsigned char *cols,
                   pcs_arena work, double *r);
size_t pivot_sharpen_bytes(const pcs_problem *p);

// True when z (nr row multipliers of the reduced problem, z_x >= 0) proves that no r has
// u_E = 0, u_I >= 0, r_I >= 0: the multipliers y of the rows of the problem have y_I >= 0,
// (W^T y)_E = 0, (W^T y)_I <= 0 and q^T y < 0 (Farkas), because then
//
//     0 <= y^T u = r^T W^T y + q^T y < 0.
//
// Every entry of W^T y is compared with the rounding of its own sum: what is proved is exact for
// a W that agrees with the given one to a few units in the last place of each entry.
bool pivot_refutes(const pivot_problem *d, const double *z, pcs_arena work);
size_t pivot_refutes_bytes(const pcs_problem *p);

// Basic variables as affine functions of the nonbasic ones:
//     basic_i = t[i, 0] nonbasic_0 + ... + t[i, n - 1] nonbasic_(n-1) + t[i, n]
typedef struct dict {
    int m, n, ld;          // basic, nonbasic, leading dimension of t
    double *t;             // m x (n + 1), column-major
    int *basic, *nonbasic; // codes of the variables
} dict;

size_t dict_bytes(int m, int n);
bool dict_take(int m, int n, pcs_arena *arena, dict *out);
void dict_copy(const dict *from, dict *to);

static inline double *dict_column(const dict *d, int j)
{
    return d->t + (size_t)d->ld * (size_t)j;
}

// exchanges basic i with nonbasic j; t[i, j] is not zero
void dict_exchange(dict *d, int i, int j);

// removes nonbasic j, which stays at zero; the last one takes its place
void dict_drop_column(dict *d, int j);

// The reduced problem as a dictionary of the polyhedron { u_I >= 0, x >= 0, equalities }. Codes:
// x_k = k and u_k = ni + k for unilateral place k (counted from 0), the zero rows 2 ni + l. The
// free variables are pivoted out and their rows dropped; a free column that is zero is dropped.
size_t poly_bytes(const pcs_problem *p);
bool poly_build(const pivot_problem *d, pcs_arena *arena, dict *out);

typedef enum poly_end {
    POLY_FEASIBLE,
    POLY_EMPTY, // one row of the dictionary proves it
    POLY_LOST   // rounding or the pivot limit
} poly_end;

// Makes the basic solution feasible: zero <= basic, and = 0 where held[code]. The row that proves
// emptiness is returned in *bad. A row that no exchange can satisfy, but whose violation may be
// rounding, counts as satisfied, and *doubt is set: then nothing is proved. Dual simplex without
// costs: largest violation and largest coefficient first, least codes (Bland) afterwards, so that
// it ends; POLY_LOST after `most` exchanges. A coefficient below `least` of the largest of its row is
// no pivot. *pivots: the exchanges are added.
#define POLY_PIVOT_TOL 1e-10
poly_end poly_restore(dict *d, const unsigned char *held, double least, int most, int *pivots,
                      int *bad, bool *doubt);

// the multipliers of the reduced rows with which row `bad` of an empty dictionary proves this; z
// has nr
void poly_multipliers(const pivot_problem *p, const dict *d, int bad, double *z);

#endif
