// Follows the curve by its arclength, past the points where t turns.
//
// The sense is that of the sign of the determinant of the system: along the curve it changes where
// t turns, so d log t has the sign that it had at the start, times that of the determinant. The
// predictor goes along the derivative by log t, measured by the relative changes of the
// eigenvalues; the corrector is Newton's method kept normal to it. Once per decade of t the point
// is brought onto the curve to full accuracy and extrapolated to t = 0, and where that is near a
// solution, Newton's method with t / 100 in each step ends the solve.
//
// E. L. Allgower, K. Georg, Introduction to numerical continuation methods, SIAM 2003.
#include "solver/homotopy.h"

#include <string.h>

// a step is accepted when the last correction changes no eigenvalue by more than this part
#define ACCEPT 0.1
// largest number of corrections of a step, shortest step, largest change of log t by a correction
#define CORRECTIONS 6
#define SHORTEST    1e-6
#define LEAP        3.0
// t below which the end is tried, and the part of the last such t at which it is tried again
#define NEAR  1e-3
#define AGAIN 0.15
// corrections to full accuracy, and the accuracy
#define EXACT_STEPS 5
#define EXACT       1e-9
// value of the point extrapolated to t = 0 from which Newton's method ends the solve, number of its
// steps, those without progress, and the least diagonals of its two tries
#define END_NEAR   1e-4
#define END_AGAIN  1e-5
#define END_STEPS  14
#define END_IDLE   4
#define END_FACTOR 0.01
// t at which the path ends, and that of a point at t = 0
#define END_T 1e-16
#define NO_T  1e-30
// largest t of a warm path, over that of its start
#define WARM_MOST 1e3
// largest entry of x, where the constant term has size 1: beyond it rounding of A x leads the path
#define FAR 1e8

// a try of the path
typedef struct walk {
    homotopy *w;
    const self_dual_space *space;
    solver_track *t;
    double *r, *u;
    homotopy_path path;
    int first;     // sign of the determinant at the start
    double start;  // t there
    double length; // of the next step
    double tried;  // t at which the end was tried last
    int idle;      // steps since the least t
    bool over;     // the track has ended the solve
} walk;

// ---- measures ----------------------------------------------------------------------------------

// the largest entry of v, relative to the sizes
static double most(const homotopy *w, const double *size, const double *v)
{
    double out = 0;
    for (int b = 0; b < w->k.nb; ++b) {
        double a[3];
        homotopy_relative(w, b, size, v + w->k.block[b].row, a);
        for (int c = 0; c < 3; ++c) {
            if (!(fabs(a[c]) <= out)) out = fabs(a[c]);
        }
    }
    return out;
}

// the change of log t with which newton + change rate is normal to rate, where log t counts as
// much as all blocks
static double normal_change(const homotopy *w)
{
    double product = 0, square = w->k.nb;
    for (int b = 0; b < w->k.nb; ++b) {
        double a[3], v[3];
        homotopy_relative(w, b, w->size, w->newton + w->k.block[b].row, a);
        homotopy_relative(w, b, w->size, w->rate + w->k.block[b].row, v);
        for (int c = 0; c < 3; ++c) {
            product += a[c] * v[c];
            square += v[c] * v[c];
        }
    }
    return -product / square;
}

// step = x + h y
static const double *combine(homotopy *w, const double *x, double h, const double *y)
{
    for (int i = 0; i < w->k.n; ++i) {
        w->step[i] = (x ? x[i] : 0) + h * y[i];
    }
    return w->step;
}

// the value of a point at t, which the track keeps if it is the best
static double measure(walk *k, const homotopy_point *y, double t)
{
    homotopy_impulse(k->w, y, t, k->r);
    return track_measure(k->t, k->r, k->u);
}

// true when the track ends the solve
static bool is_over(walk *k)
{
    k->t->value = k->t->best_value;
    k->t->penalty = k->w->now.t;
    k->over = k->over || track_done(k->t, k->w->factors);
    return k->over;
}

// factors the system at y; the clock and the watch are asked before each factorisation
static bool system_at(walk *k, const homotopy_point *y, double floor)
{
    return !is_over(k) && homotopy_system(k->w, k->space, y, fmax(floor, k->space->floor));
}

// ---- the end -----------------------------------------------------------------------------------

// brings `now` onto the curve at its t, and its rate and sizes to `ahead` and `now_size`
static void make_exact(walk *k)
{
    homotopy *w = k->w;
    double last = INFINITY;
    homotopy_copy(w, &w->now, &w->probe);
    for (int i = 0; i < EXACT_STEPS && system_at(k, &w->probe, 0); ++i) {
        const double change = most(w, w->size, w->newton);
        if (!(change < 0.5 * last)) break;
        homotopy_move(w, &w->probe, w->newton, &w->probe);
        last = change;
        if (last < 1) {
            homotopy_copy(w, &w->probe, &w->now);
            memcpy(w->ahead, w->rate, (size_t)w->k.n * sizeof *w->rate);
            memcpy(w->now_size, w->size, 2 * (size_t)w->k.nb * sizeof *w->size);
        }
        if (change < EXACT) break;
    }
}

// Newton's method to t = 0 from `now`; returns the least value
static double descend(walk *k, double floor)
{
    homotopy *w = k->w;
    double least = INFINITY;
    homotopy_copy(w, &w->now, &w->probe);
    for (int i = 0, bad = 0; i < END_STEPS && bad <= END_IDLE; ++i) {
        if (!system_at(k, &w->probe, floor)) break;
        const double part = w->probe.t > 1e-20 ? 1 - END_FACTOR : 0;
        homotopy_move(w, &w->probe, combine(w, w->newton, -part, w->rate), &w->probe);
        w->probe.t *= 1 - part;
        const double value = measure(k, &w->probe, fmin(w->probe.t, NO_T));
        bad = value > 0.5 * least ? bad + 1 : 0;
        least = fmin(least, value);
        if (!(value < 1e-2)) break;
    }
    return least;
}

// tries to end the solve from `now`
static void try_end(walk *k)
{
    static const double floors[] = {1e-10, 1e-8};
    homotopy *w = k->w;
    k->tried = w->now.t;
    make_exact(k);
    measure(k, &w->now, w->now.t);
    homotopy_move(w, &w->now, combine(w, NULL, -1, w->ahead), &w->probe);
    const double value = measure(k, &w->probe, NO_T);
    for (int i = 0; i < 2 && value < END_NEAR && !is_over(k); ++i) {
        if (!(descend(k, floors[i]) <= END_AGAIN)) break;
    }
    is_over(k);
}

// ---- steps -------------------------------------------------------------------------------------

static double limited(const walk *k, double t)
{
    return fmin(t, k->w->warm ? WARM_MOST * k->start : 1);
}

// corrects `next`; returns the number of corrections, or 0 where the step is rejected
static int correct(walk *k, double length)
{
    homotopy *w = k->w;
    double last = INFINITY;
    for (int i = 1; i <= CORRECTIONS; ++i) {
        if (!system_at(k, &w->next, 0)) return 0;
        const double change = normal_change(w);
        const double *step = combine(w, w->newton, change, w->rate);
        const double size = most(w, w->size, step);
        if (!(size < 1e3 * fmax(length, 1)) || (size > 2 * last && size > 1) ||
            fabs(change) > LEAP) {
            return 0;
        }
        last = size;
        const double t = limited(k, w->next.t * (1 + fmax(change, -0.9)));
        homotopy_move(w, &w->next, step, &w->next);
        w->next.t = t;
        if (size < ACCEPT) return i;
    }
    return 0;
}

// `next` becomes `now`, with the rate and the sizes of the last system
static void accept(walk *k, int sign)
{
    homotopy *w = k->w;
    const homotopy_point y = w->now;
    double *const ahead = w->ahead, *const size = w->now_size;
    w->now = w->next;
    w->next = y;
    w->ahead = w->rate;
    w->rate = ahead;
    w->now_size = w->size;
    w->size = size;
    k->path.steps += 1;
    k->path.turns += w->sign != sign;
    k->idle += 1;
    if (w->now.t < k->path.least) {
        k->path.least = w->now.t;
        k->path.undecided = homotopy_undecided(w, &w->now);
        k->idle = 0;
    }
}

// a step from `now`; false where it became too short
static bool advance(walk *k, int *sign)
{
    static const double next[CORRECTIONS + 1] = {0, 2, 1.5, 1, 1, 0.5, 0.5};
    homotopy *w = k->w;
    const double rate = (*sign == k->first ? -1 : 1) / fmax(most(w, w->now_size, w->ahead), 1);
    for (double h = k->length; h > SHORTEST; h *= 0.3) {
        const double step = fmin(fmax(h * rate, -0.9), 2);
        h = fabs(step / rate);
        homotopy_move(w, &w->now, combine(w, NULL, step, w->ahead), &w->next);
        w->next.t = limited(k, w->now.t * (1 + step));
        const int corrections = correct(k, h);
        if (k->over) return true;
        if (corrections == 0) continue;
        accept(k, *sign);
        *sign = w->sign;
        k->length = h * next[corrections];
        return true;
    }
    return false;
}

// true when x of a cone at the last system is so large that the path is lost
static bool is_far(const homotopy *w)
{
    for (int b = 0; b < w->k.nb; ++b) {
        // the first row is the largest of a cone
        if (w->k.dim[b] > 0 && w->x[w->k.block[b].row] > FAR) return true;
    }
    return false;
}

homotopy_path homotopy_follow(homotopy *w, const self_dual_space *space, solver_track *t, double *r,
                              double *u)
{
    walk k = {.w = w, .space = space, .t = t, .r = r, .u = u, .length = 1, .tried = NEAR};
    k.path.least = k.start = w->now.t;
    k.path.end = HOMOTOPY_SHORT;
    if (!system_at(&k, &w->now, 0)) {
        if (k.over) {
            k.path.end = HOMOTOPY_OVER;
        } else {
            t->outcome = PCS_OUTCOME_STALLED;
        }
        return k.path;
    }
    memcpy(w->ahead, w->rate, (size_t)w->k.n * sizeof *w->rate);
    memcpy(w->now_size, w->size, 2 * (size_t)w->k.nb * sizeof *w->size);
    k.first = w->sign;
    for (int sign = w->sign;;) {
        if (k.over) {
            k.path.end = HOMOTOPY_OVER;
        } else if (k.path.steps >= w->steps || 3 * k.idle >= 2 * w->steps) {
            // all steps of the try, or two thirds of them without a new least t
            k.path.end = HOMOTOPY_STEPS;
        } else if (w->now.t < END_T) {
            k.path.end = HOMOTOPY_ENDED;
        } else if (w->warm && w->now.t >= WARM_MOST * k.start) {
            k.path.end = HOMOTOPY_AWAY;
        } else if (is_far(w)) {
            k.path.end = HOMOTOPY_FAR;
        } else {
            // the path may come down again on another branch
            k.tried = fmax(k.tried, fmin(w->now.t, NEAR));
            if (w->now.t <= AGAIN * k.tried && sign == k.first) try_end(&k);
            if (k.over) continue;
            if (advance(&k, &sign)) continue;
        }
        return k.path;
    }
}
