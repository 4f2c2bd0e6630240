// A heavy body on a light one makes W nearly singular, without a contradiction: the impulses are
// the weights. The ratio of the masses tells how nearly.
#include "problem/masses.h"

#include <float.h>
#include <math.h>

// multipliers below this part of the largest are rounding
#define NOISE 1e-8
// part of what a heavy body adds to W that may be rounding
#define ROUNDING 1e-3

static double largest(const pcs_block *k, const double *y)
{
    double most = 0;
    for (int i = k->row; i < k->row + k->dim; ++i) {
        most = fmax(most, fabs(y[i]));
    }
    return most;
}

double problem_mass_ratio(const pcs_problem *p, const problem_masses *m, const double *y)
{
    double most = 0, light = 0, heavy = INFINITY;
    for (int b = 0; b < p->nb; ++b) {
        most = fmax(most, largest(&p->block[b], y));
    }
    for (int b = 0; b < p->nb; ++b) {
        if (!(largest(&p->block[b], y) > NOISE * most)) continue;
        light = fmax(light, m->both[b]);
        heavy = fmin(heavy, m->least[b]);
    }
    return fmax(1, light / heavy);
}

bool problem_masses_allow(const pcs_problem *p, const problem_masses *m, const double *y)
{
    return problem_mass_ratio(p, m, y) * p->n * DBL_EPSILON < ROUNDING;
}
