// Families of cone problems for the tests of solvers and for the bench.
#ifndef SUPPORT_PROBLEMS_H
#define SUPPORT_PROBLEMS_H

#include "support.h"

#include <percuss/solver.h>

typedef enum family {
    FAMILY_SPD,        // LCP, W = G G' + I/10
    FAMILY_DEGENERATE, // as SPD, a third of the rows with r_i = u_i = 0
    FAMILY_PSD,        // LCP, W of half rank, solution constructed
    FAMILY_SKEWED,     // LCP, SPD plus a skew part: a P-matrix, unsymmetric
    FAMILY_EQUALITY,   // equality blocks, SPD
    FAMILY_DEFICIENT,  // equality blocks, W of half rank
    FAMILY_MIXED,      // equality and unilateral blocks in any order, SPD
    FAMILY_MIXED_PSD,  // the same, half rank
    FAMILY_CHAIN,      // block-sparse chain of contacts: each row touches its neighbours
    FAMILY_ZERO,       // W = 0, q >= 0
    FAMILY_ANY,        // any W, without a condition on its diagonal, solution constructed
    FAMILY_COUNT
} family;

extern const char *const family_name[FAMILY_COUNT];

// Problem `seed` of a family with about n rows, from the arena. *solution (n) is one, or null
// where none was constructed.
pcs_problem family_problem(family f, int n, uint64_t seed, pcs_arena *arena, double **solution);

// the stop values of a solve: a watch {history_keep, &a_history}
typedef struct history {
    int n;
    double value[2000];
} history;
int history_keep(void *user, const pcs_progress *now);

// a dense problem with the given cones, one per row (neighbouring equality rows merged when
// `merge`), from the arena; W and q are borrowed
pcs_problem dense_problem(int n, const pcs_cone *kind, bool merge, double *W, const double *q,
                          pcs_arena *arena);

#endif
