// Norms of q without far targets, and its rounding (doc/measures.md). A motor at its limit and a
// belt on which a body slides leave u_i at a distance: the larger q_i is, the less does it tell
// about the velocities that bodies have. What bodies reach of a target is in W r, which the
// residual counts in any case.
#include <float.h>

#include "problem/measure.h"
#include "problem/problem.h"

// A row that need not be met counts at most this many times the largest velocity: q of two surfaces
// without drives, with tangential restitution up to 1, is below
#define FAR 2
// the least part of `met` that `unit` has: the residual of r = 0 is a number
#define FAR_LEAST 1e-6

double far_shift(const pcs_block *k, const double *shift)
{
    if (k->cone == PCS_CONE_EQUALITY) return 0;
    if (k->cone == PCS_CONE_BOX) return fabs(shift[0]);
    double most = 0;
    for (int i = 1; i < k->dim; ++i) {
        most = fmax(most, fabs(shift[i]));
    }
    return most;
}

bool far_may_be(double shift, double velocity)
{
    return shift > (FAR - 1) * velocity;
}

// q of a row that may be left at a distance: no more than `most`
static double cut(far_sums *s, double q, double most)
{
    if (!(fabs(q) > most)) return q;
    s->any = true;
    return most;
}

void far_add(far_sums *s, const pcs_block *k, double scale, const double *q)
{
    const double most = FAR * s->velocity;
    if (k->cone == PCS_CONE_EQUALITY) {
        squares_add(&s->unit, (size_t)k->dim, q);
        squares_add(&s->met, (size_t)k->dim, q);
        return;
    }
    if (k->cone == PCS_CONE_BOX) {
        const double unit = cut(s, q[0], most), met = cut(s, q[0], most + scale * k->mu);
        squares_add(&s->unit, 1, &unit);
        squares_add(&s->met, 1, &met);
        return;
    }
    for (int i = 0; i < k->dim; ++i) {
        const double x = i == 0 ? q[0] : cut(s, q[i], most);
        squares_add(&s->unit, 1, &x);
        squares_add(&s->met, 1, &x);
    }
}

// The terms of q = H v + shift are as large as |H||v| and q itself, to which all claims are
// relative in any case. The rounding of numbers that are hardly normal ones is no smaller than
// DBL_MIN
pcs_far far_close(const far_sums *s)
{
    const double rows = squares_root(&s->rows);
    pcs_far out = {.rounding = rows > 0 ? fmax(DBL_EPSILON * rows, DBL_MIN) : 0};
    if (!s->any) return out;
    // not zero, which would be the whole of q
    out.met = fmax(squares_root(&s->met), DBL_MIN);
    out.unit = fmax(squares_root(&s->unit), FAR_LEAST * out.met);
    return out;
}

void problem_find_far(pcs_problem *p, const double *shift, far_sums *s)
{
    double most = 0, trace = -1;
    for (int b = 0; shift && b < p->nb; ++b) {
        most = fmax(most, far_shift(&p->block[b], shift + p->block[b].row));
    }
    for (int b = 0, wrow = 0; b < p->nb && far_may_be(most, s->velocity); ++b) {
        const pcs_block *k = &p->block[b];
        const bool box = k->cone == PCS_CONE_BOX;
        far_add(s, k, box ? problem_block_scale(p, b, &wrow, &trace) : 0, p->q + k->row);
    }
    p->far = far_close(s);
}
