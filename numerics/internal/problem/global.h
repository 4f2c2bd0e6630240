// The global form, and an island of bodies with the rows of H, seen by solvers that do not assemble
// W.
#ifndef PROBLEM_GLOBAL_H
#define PROBLEM_GLOBAL_H

#include "base/base.h"
#include <percuss/global.h>

// the parts that do not depend on r
typedef struct global_terms {
    const pcs_global_problem *g;
    int n, nv;      // rows of H and its columns
    double *v_free; // nv: M^-1 f
    double *load;   // nv: scratch
    double norm_w;  // the trace of W, not below its norm
    // q = H v_free + w and the diagonal blocks of W, a block row for each cone block. Code that
    // reads only the diagonal (scales, status, measures from u) takes it for the condensed problem
    pcs_problem local;
} global_terms;

// terms of a problem that pcs_global_check accepts; from the arena. v_free null: M^-1 f; else f is
// not read
pcs_status global_terms_take(const pcs_global_problem *g, const double *v_free, pcs_arena *arena,
                             global_terms *out);

// v = v_free + M^-1 H^T r, u = H v + w and the measures of r. It fails only for a sparse M, when
// memory is out
pcs_status global_terms_measure(const global_terms *t, const double *r, double *v, double *u,
                                pcs_measure *out);
// the same for iterates: the rounding is left at 0 where it is below both measures
pcs_status global_terms_measure_near(const global_terms *t, const double *r, double *v, double *u,
                                     pcs_measure *out);

// the W_ii of cone block b, dim x dim
static inline double *global_terms_diagonal(const global_terms *t, int b)
{
    return t->local.W.val + t->local.W.off[b];
}

#endif
