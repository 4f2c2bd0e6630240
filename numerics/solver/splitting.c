#include "solver/splitting.h"

#include <string.h>

#include "cone/cone.h"
#include "solver/solver.h"

// factor by which an accelerated iterate may make the step longer
#define SAFEGUARD 2.0

size_t splitting_bytes(const pcs_problem *p, int depth)
{
    return shifted_bytes(p) + 3 * solver_bytes((size_t)p->n, sizeof(double)) +
           3 * solver_bytes((size_t)(p->n + p->nb), sizeof(double)) +
           anderson_bytes(p->n + p->nb, depth);
}

bool splitting_begin(splitting *a, const scaled *s, int depth, pcs_arena *work)
{
    const size_t n = (size_t)s->p.n, both = n + (size_t)s->p.nb;
    *a = (splitting){.s = s, .relax = 1, .damping = 1};
    double **vector[] = {&a->x, &a->z, &a->old, &a->w, &a->plain, &a->back};
    bool good = shifted_begin(&a->factor, s, work);
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = PCS_TAKE(work, i < 3 ? n : both, double);
        good = good && *vector[i];
    }
    return anderson_begin(&a->a, s->p.n + s->p.nb, depth, NULL, work) && good;
}

void splitting_free(splitting *a)
{
    shifted_free(&a->factor);
}

// factors for another rho; clears the acceleration
static bool restart(splitting *a, double rho)
{
    a->rho = rho;
    anderson_reset(&a->a);
    a->trial = false;
    a->length = INFINITY;
    return shifted_factor(&a->factor, rho);
}

static void project(const splitting *a, double *z)
{
    const pcs_problem *p = &a->s->p;
    if (a->bounded) {
        cone_project_bounded(p->nb, p->block, a->frozen, z);
    } else {
        cone_project(p->nb, p->block, z);
    }
}

// the frozen shift of a block over rho
static double frozen_shift(const splitting *a, int b)
{
    return a->bounded || a->s->p.block[b].cone != PCS_CONE_COULOMB ? 0 : a->frozen[b] / a->rho;
}

bool splitting_start(splitting *a, double rho, const double *x, const double *u)
{
    const pcs_problem *p = &a->s->p;
    double *s = a->w + p->n;
    a->rho = rho;
    for (int i = 0; i < p->n; ++i) {
        a->w[i] = x[i] - u[i] / rho;
        a->z[i] = x[i];
    }
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        s[b] = 0;
        if (k->cone != PCS_CONE_COULOMB) continue;
        s[b] = a->frozen ? frozen_shift(a, b) : k->mu * cone_tangent(k->dim, u + k->row) / rho;
        a->w[k->row] -= s[b];
    }
    return restart(a, rho);
}

bool splitting_penalty(splitting *a, double rho)
{
    const pcs_problem *p = &a->s->p;
    const double ratio = a->rho / rho;
    memcpy(a->z, a->w, (size_t)p->n * sizeof *a->z);
    project(a, a->z);
    for (int i = 0; i < p->n; ++i) {
        a->w[i] = a->z[i] + ratio * (a->w[i] - a->z[i]);
    }
    for (int b = 0; b < p->nb; ++b) {
        a->w[p->n + b] *= ratio;
    }
    return restart(a, rho);
}

void splitting_moved(splitting *a)
{
    for (int b = 0; b < a->s->p.nb; ++b) {
        a->w[a->s->p.n + b] = frozen_shift(a, b);
    }
    anderson_reset(&a->a);
    a->trial = false;
    a->length = INFINITY;
}

// z, x and the next shift from w
static bool map(splitting *a)
{
    const pcs_problem *p = &a->s->p;
    const double *s = a->w + p->n;
    double *next = a->plain + p->n;
    memcpy(a->old, a->z, (size_t)p->n * sizeof *a->z);
    memcpy(a->z, a->w, (size_t)p->n * sizeof *a->z);
    project(a, a->z);
    for (int i = 0; i < p->n; ++i) {
        a->x[i] = a->rho * (2 * a->z[i] - a->w[i]) - p->q[i];
    }
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        next[b] = s[b];
        if (k->cone != PCS_CONE_COULOMB) continue;
        if (!a->frozen) {
            double y[3];
            for (int c = 0; c < k->dim; ++c) {
                y[c] = a->w[k->row + c] - a->z[k->row + c];
            }
            next[b] += a->damping * (k->mu * cone_tangent(k->dim, y) - s[b]);
        }
        a->x[k->row] -= a->rho * next[b];
    }
    return shifted_solve(&a->factor, a->x);
}

bool splitting_step(splitting *a)
{
    const int n = a->s->p.n, both = n + a->s->p.nb;
    if (!map(a)) return false;

    double length = 0, change = 0, zz = 0, yy = 0;
    for (int i = 0; i < n; ++i) {
        const double d = a->x[i] - a->z[i], m = a->z[i] - a->old[i], y = a->w[i] - a->z[i];
        length += d * d;
        change += m * m;
        zz += a->z[i] * a->z[i];
        yy += y * y;
    }
    for (int i = n; i < both; ++i) {
        const double d = a->plain[i] - a->w[i];
        length += d * d;
    }
    length = sqrt(length);
    a->primal = zz > 0 ? length / sqrt(zz) : 0;
    a->dual = yy > 0 ? sqrt(change / yy) : 0;

    // a bad candidate: return to the iterate from which it was made
    if (a->trial && !(length <= SAFEGUARD * a->length)) {
        memcpy(a->w, a->back, (size_t)both * sizeof *a->w);
        anderson_reset(&a->a);
        a->trial = false;
        return true;
    }
    a->length = length;
    for (int i = 0; i < n; ++i) {
        a->plain[i] = a->w[i] + a->relax * (a->x[i] - a->z[i]);
    }
    memcpy(a->back, a->plain, (size_t)both * sizeof *a->w);
    a->trial = anderson_mix(&a->a, a->w, a->plain, a->w);
    if (!a->trial) memcpy(a->w, a->back, (size_t)both * sizeof *a->w);
    return true;
}
