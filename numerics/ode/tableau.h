// Private side of <percuss/tableau.h>: tableaus that own their arrays.
#ifndef ODE_TABLEAU_H
#define ODE_TABLEAU_H

#include <percuss/tableau.h>

#include "base/base.h"

// writable arrays of a tableau under construction; b_hat and dense may be null
typedef struct tableau_arrays {
    double *A, *b, *c, *b_hat, *dense;
} tableau_arrays;

// A tableau of s stages with room for its arrays, all zero; degree 0: no dense output. The name is
// copied. Null when out of memory. Released with pcs_tableau_destroy
pcs_tableau *tableau_alloc(const pcs_env *env, const char *name, int s, bool pair, int degree,
                           tableau_arrays *arrays);

// checks sizes and arrays; the sentence begins with `where`
pcs_status tableau_check_shape(const pcs_tableau *t, const char *where);

#endif
