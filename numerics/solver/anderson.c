#include "solver/anderson.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "solver/scaled.h"
#include "solver/solver.h"

// weight of the identity added to the normal equations, relative to their diagonal
#define RIDGE 1e-11

size_t anderson_bytes(int n, int depth)
{
    return depth == 0 ? 0 : (2 * (size_t)depth + 2) * solver_bytes((size_t)n, sizeof(double));
}

bool anderson_begin(anderson *a, int n, int depth, const double *weight, pcs_arena *work)
{
    a->n = n;
    a->depth = depth;
    a->weight = weight;
    anderson_reset(a);
    if (depth == 0) return true;
    bool good = true;
    for (int k = 0; k < depth; ++k) {
        a->dG[k] = PCS_TAKE(work, (size_t)n, double);
        a->df[k] = PCS_TAKE(work, (size_t)n, double);
        good = good && a->dG[k] && a->df[k];
    }
    a->G = PCS_TAKE(work, (size_t)n, double);
    a->f = PCS_TAKE(work, (size_t)n, double);
    return good && a->G && a->f;
}

void anderson_reset(anderson *a)
{
    a->have = a->next = 0;
    a->started = false;
}

static double weighted(const anderson *a, const double *x, const double *y)
{
    if (!a->weight) return dense_dot(a->n, x, y);
    double sum = 0;
    for (int i = 0; i < a->n; ++i) {
        sum += a->weight[i] * x[i] * y[i];
    }
    return sum;
}

// adds a column and drops the oldest
void anderson_push(anderson *a, const double *x, const double *G)
{
    const int k = a->next;
    for (int i = 0; i < a->n; ++i) {
        const double f = G[i] - x[i];
        if (a->started) {
            a->dG[k][i] = G[i] - a->G[i];
            a->df[k][i] = f - a->f[i];
        }
        a->G[i] = G[i];
        a->f[i] = f;
    }
    if (!a->started) {
        a->started = true;
        return;
    }
    a->next = (k + 1) % a->depth;
    if (a->have < a->depth) a->have += 1;
    for (int j = 0; j < a->have; ++j) {
        a->gram[j][k] = a->gram[k][j] = weighted(a, a->df[j], a->df[k]);
    }
}

bool anderson_candidate(const anderson *a, double *y)
{
    const int m = a->have;
    if (m == 0) return false;

    double A[ANDERSON_MOST * ANDERSON_MOST], c[ANDERSON_MOST] = {0}, trace = 0;
    int piv[ANDERSON_MOST];
    for (int j = 0; j < m; ++j) {
        trace += a->gram[j][j];
    }
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            A[i + m * j] = a->gram[i][j] + (i == j ? RIDGE * trace : 0);
        }
        c[j] = weighted(a, a->df[j], a->f);
    }
    if (!lu_factor(m, A, piv)) return false;
    lu_solve(m, A, piv, c);
    if (!pcs_all_finite(c, (size_t)m)) return false;
    memcpy(y, a->G, (size_t)a->n * sizeof *y);
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < a->n; ++i) {
            y[i] -= c[j] * a->dG[j][i];
        }
    }
    return pcs_all_finite(y, (size_t)a->n);
}

bool anderson_mix(anderson *a, const double *x, const double *G, double *y)
{
    if (a->depth == 0) return false;
    anderson_push(a, x, G);
    return anderson_candidate(a, y);
}
