// One contact with friction, the others held: given W (its diagonal block, 3x3 or 2x2, any), q and
// mu find r and u = W r + q that open, stick or slide. Rows N T1 T2, or N T in the plane.
#ifndef LOCAL_COULOMB_H
#define LOCAL_COULOMB_H

#include <stdbool.h>

// the modes, in the order in which they are tried
typedef enum contact_mode {
    CONTACT_OPEN,  // r = 0, u_N >= 0
    CONTACT_STICK, // u = 0, r in K
    CONTACT_SLIDE, // u_N = 0, |r_T| = mu r_N against u_T; every closed contact when mu = 0
    CONTACT_NONE   // no solution found: r is the best of the points tried
} contact_mode;

// data computed once for many q
typedef struct contact {
    double W[9];       // dim x dim, column-major
    double inverse[9]; // inverse of W, or its pseudo-inverse
    double mu;
    double s; // > 0: the factor from r to a velocity
    int dim;
    bool regular; // inverse is the inverse
} contact;

// D (leading dimension ld) may be null: W = 0. s is tr W / dim, or `spare` (> 0) where that is not
// positive.
void contact_prepare(contact *c, int dim, double mu, const double *D, int ld, double spare);

// The exact solution for this q. r: on entry a start (it selects among several solutions of one
// mode, and saves time), on return the solution.
contact_mode contact_solve(const contact *c, const double *q, double *r);

// The slide alone, by Newton from the direction of r_T: for a contact of three rows that neither
// opens nor sticks with this q. false, r unchanged, when contact_solve is needed.
bool contact_slide(const contact *c, const double *q, double *r);

// At most `iters` steps of semismooth Newton on the functions of Alart and Curnier with a line
// search; false when it did not converge.
bool contact_newton(const contact *c, const double *q, int iters, double *r);

// At most `iters` steps of
//     r_N <- r_N + w (max(0, r_N - u_N / W_NN) - r_N),   then   r_T <- P_R(r_T - t u_T),  R = mu
//     r_N
// with t one over a bound of the eigenvalues of W_TT, w = 1, halved when r_N oscillates; false when
// it did not converge. Its zeros are those of alart_curnier, and it does not depend on the units of
// N and T.
bool contact_fixed_point(const contact *c, const double *q, int iters, double *r);

// |s r - P(s r - s(u))| / max(|q|, |W r|) of this contact alone
double contact_residual(const contact *c, const double *q, const double *r);

// All roots in [-1, 1] of the polynomial p[0] + p[1] t + ... + p[n] t^n, n <= 4, in increasing
// order: by bisection between the roots of the derivative, found in the same way. An extremum
// within rounding of zero counts. Returns their number, at most 7.
int contact_roots(int n, const double *p, double *root);

#endif
