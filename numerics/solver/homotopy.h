// The curve of a smoothed contact problem on self-dual cones, followed from a problem with one
// solution to the problem itself; independent of the space of its linear systems.
#ifndef SOLVER_HOMOTOPY_H
#define SOLVER_HOMOTOPY_H

#include "solver/self_dual.h"

// A point of the curve: y = x - z of each cone block by its eigenvalues and its direction
typedef struct homotopy_point {
    double *low;       // nb: y_N - |y_T|
    double *tangent;   // nb: |y_T|, 0 in blocks of one dimension
    double *direction; // 2 nb: y_T / |y_T|
    double *x;         // n: rows of equalities; the others are not read
    double t;
} homotopy_point;

typedef struct homotopy {
    self_dual k;
    pcs_homotopy_opts o;
    int steps;        // of a try
    double smoothing; // c of this try
    bool once;        // the first path that comes to t = 0 ends the solve: others go on from there
    bool warm;        // the shift of friction is whole from the start
    double *p;        // n: constant of the term t p
    double *x, *u;    // n: x of a point, A x + b
    double *newton;   // n: correction of y, in the frames; of x in rows of equalities
    double *rate;     // n: derivative of y by log t on the curve, in the frames
    double *size;     // 2 nb: sqrt(l^2 + 4 t) of both eigenvalues l, upper one first
    double *ahead;    // n: rate at `now`
    double *now_size; // 2 nb: size at `now`
    double *step;     // n
    homotopy_point now, next, probe;
    int sign;    // of the determinant of the last system
    int factors; // number of systems so far
} homotopy;

size_t homotopy_bytes(int n, int nb);
// takes arrays only; false when the arena is too small
bool homotopy_take(homotopy *w, const pcs_homotopy_opts *o, int n, int nb, const pcs_block *block,
                   pcs_arena *arena);

// ---- homotopy_curve.c

// `now`, and p with which it is on the curve. Cold: the only solution at t = 1, or with a seed
// above 0 another point there. Warm: a point near r at t, and with a seed above 0 at a distance
// of sqrt(t) from it. False where equalities could not be solved.
bool homotopy_start_cold(homotopy *w, const self_dual_space *space, uint64_t seed);
bool homotopy_start_warm(homotopy *w, const self_dual_space *space, const double *r, double t,
                         uint64_t seed);

// newton, rate, size and sign at a point; the diagonal of the system is at least `floor` in the
// frames. False when it is singular
bool homotopy_system(homotopy *w, const self_dual_space *space, const homotopy_point *y,
                     double floor);

// to = from + dy in the frames of `from`; t is copied. from and to may be the same
void homotopy_move(const homotopy *w, const homotopy_point *from, const double *dy,
                   homotopy_point *to);
void homotopy_copy(const homotopy *w, const homotopy_point *from, homotopy_point *to);

// The change dy of a block relative to the sizes of its eigenvalues: of the upper, of the lower,
// and of the angle. Their number is that of its dimension
void homotopy_relative(const homotopy *w, int b, const double *size, const double *dy,
                       double out[3]);

// r of a point, at another t
void homotopy_impulse(const homotopy *w, const homotopy_point *y, double t, double *r);

// blocks with an eigenvalue smaller than its smoothing: neither open, stuck nor sliding for
// certain. which (nb) or null
int homotopy_undecided(const homotopy *w, const homotopy_point *y);

// ---- homotopy_path.c

// how a try ended, and the least t that it reached
typedef enum homotopy_end {
    HOMOTOPY_OVER,  // solved, or the track has ended the solve
    HOMOTOPY_STEPS, // too many steps, or too many without a new least t
    HOMOTOPY_SHORT, // the steps became too short
    HOMOTOPY_ENDED, // t is at its end, only rounding is left
    HOMOTOPY_AWAY,  // a warm path leads away from its start
    HOMOTOPY_FAR    // x grows without bound, as it does without a solution
} homotopy_end;

typedef struct homotopy_path {
    homotopy_end end;
    double least;  // least t
    int undecided; // blocks there
    int steps, turns;
} homotopy_path;

// Follows the curve from `now` until the track or the try ends
homotopy_path homotopy_follow(homotopy *w, const self_dual_space *space, solver_track *t, double *r,
                              double *u);

// ---- homotopy.c

// Tries until the track ends the solve; writes the least t of its paths to *out. scratch (2 n): as
// that of ipm_run, or null
void homotopy_run(homotopy *w, const self_dual_space *space, solver_track *t, double *scratch,
                  double *r, double *u, pcs_report *out);

#endif
