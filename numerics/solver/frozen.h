// Friction by a sequence of convex problems. The part of the law that is not monotone is frozen;
// the convex problem is solved to a part of the error that the frozen values cause; the frozen
// values are updated; and so on until the exact measure is small.
//
//     FREEZE_SHIFT: the shift s_i = mu |u_T,i|;  K* contains W r + q + s e_N, orthogonal to r in K
//     FREEZE_BOUND: the bound s_i = mu r_N,i;    r_N >= 0, |r_T| <= s_i instead of K, no shift
//     FREEZE_ZERO:  s = 0 for ever: the cone complementarity problem, a relaxation of the law
//
// The inner solver is admm (solver/splitting.h) or accelerated projected gradient:
//
//     x+ = P(y - g(y) / L),  L doubled until d'W d <= L d'd,  d = x+ - y
//     y  = x+ + b (x+ - x),  b of Nesterov; b = 0 again where (y - x+)'(x+ - x) > 0
//
// H. Mazhar, T. Heyn, D. Negrut, A. Tasora, Using Nesterov's method to accelerate multibody
// dynamics with friction and contact, ACM Trans. Graph. 34, 2015. B. O'Donoghue, E. Candes,
// Adaptive restart for accelerated gradient schemes, Found. Comput. Math. 15, 2015.
#ifndef SOLVER_FROZEN_H
#define SOLVER_FROZEN_H

#include "solver/solver.h"

typedef enum freeze { FREEZE_SHIFT, FREEZE_BOUND, FREEZE_ZERO } freeze;

typedef struct frozen_opts {
    freeze freeze;
    pcs_inner inner;
    double part; // ratio of the inner to the outer residual at which the frozen values are updated
    int inner_iters; // largest number of iterations between two updates
    int depth;       // differences of the Anderson acceleration of s, 0 for none
} frozen_opts;

size_t frozen_bytes(const pcs_problem *p, const frozen_opts *f);

// .solve of these rows of the table
pcs_status frozen_solve(const pcs_problem *p, const pcs_solver_opts *o, const frozen_opts *f,
                        pcs_watch watch, pcs_arena work, double *r, double *u, pcs_report *out);

#endif
