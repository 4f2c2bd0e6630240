// Solves an island to the last digits in the space of its velocities, where Gauss-Seidel stalls.
#ifndef BODIES_FINISH_H
#define BODIES_FINISH_H

#include "bodies/bodies.h"

// What a finish may cost, in visits of a block by a sweep: about 30 ns each. It ends when `most`
// units are spent, or `patience` units since the measure last fell to half, and before a
// factorisation that costs more than `factor` units. A Newton step that would end after max_seconds
// is not begun. Returns the units spent, the cost of the last factorisation, made or not, and kappa
// and the centre of the last proximal step: another call with the same budget continues from there.
// On the way to a solution the measure of the centres may grow for a while, so that a start from
// the best r would go back.
typedef struct finish_budget {
    double most, patience, factor, spent;
    double kappa;   // 0: from the start
    double given;   // kappa of the start, if above 0: where Newton's method fails, it starts anew
    bool straight;  // on return: Newton's method has not failed
    double *centre; // n, or null: the next call starts from r
    bool goes_on;   // the centre is set, and the next call starts there
    double longest; // s: the longest Newton step so far, of calls with max_seconds
} finish_budget;

// As bodies_solve, started from r (projected on K). The result is never worse than the start: on
// return r is the best impulse found, v and u belong to it, and the outcome follows from its
// measure. o: options of prox with the function of Alart and Curnier; alpha = 1 / kappa. budget may
// be null: no limit. PCS_ERR_UNSUPPORTED, r and v unchanged, for a block of A that is not definite,
// or without memory for factors.
// The watch is called after every proximal step, with its r and u in r and u.
pcs_status bodies_finish(const bodies_problem *island, const pcs_solver_opts *o, pcs_watch watch,
                         pcs_arena work, finish_budget *budget, double *v, double *r, double *u,
                         bodies_report *out);

// The same, but looks for a solution at rest: u = 0 at all contacts, or without an impulse
// u_N >= mu |u_T|. Where there is one, it solves the convex problem in which friction has no shift
// (r = the point of K nearest r - rho u), and v of that problem is unique. So the outcome is
// `converged`, where no contact with an impulse slides faster than STICK_SLIPS times the tolerance,
// relative to the larger of |q| and |W r|; or `stalled` where the convex problem is solved by an r
// that slides: then nothing holds the bodies at rest
pcs_status bodies_stick(const bodies_problem *island, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, finish_budget *budget, double *v, double *r, double *u,
                        bodies_report *out);
#define STICK_SLIPS 10

#endif
