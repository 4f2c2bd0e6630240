#include "solver/scaled.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/solver.h"

// mates in W that differ by no more than this part of the scales of their rows are equal
#define SYMMETRY_TOL 1e-12
// number of products for the estimate of |W|
#define POWER_STEPS 12

size_t scaled_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n;
    return 2 * solver_bytes(n, sizeof(double)) +
           solver_bytes((size_t)bsr_stored(&p->W), sizeof(double)) +
           solver_bytes((size_t)p->W.ptr[p->W.m], sizeof(size_t)) +
           2 * solver_bytes(n, sizeof(double)) + solver_bytes((size_t)p->nb, sizeof(pcs_block));
}

// the blocks with the bounds of boxes in units of x
static bool scale_boxes(scaled *s, pcs_arena *work)
{
    pcs_block *block = PCS_TAKE(work, (size_t)s->p.nb, pcs_block);
    if (!block) return false;
    for (int b = 0; b < s->p.nb; ++b) {
        block[b] = s->p.block[b];
        if (block[b].cone == PCS_CONE_BOX) block[b].mu /= s->size * s->e[block[b].row];
    }
    s->p.block = block;
    return true;
}

// W' and whether it is symmetric
static void scale_matrix(scaled *s, const pcs_bsr *W, size_t *off)
{
    size_t at = 0;
    for (int i = 0; i < W->m; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            const double *w = W->val + W->off[k];
            off[k] = at;
            for (int c = W->col[j]; c < W->col[j + 1]; ++c) {
                for (int l = 0; l < h; ++l) {
                    s->val[at++] = *w++ * s->e[W->row[i] + l] * s->e[c];
                }
            }
        }
    }
    s->p.W.off = off;
    s->p.W.val = s->val;
}

void scaled_mul(const scaled *s, const double *x, double *y)
{
    if (s->on) {
        s->on->mul(s->on->user, x, y);
    } else {
        pcs_bsr_mul(&s->p.W, x, y);
    }
}

// power iteration from an irregular vector
static double norm_estimate(const scaled *s, double *x, double *y)
{
    const int n = s->p.n;
    double size = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1 + 0.5 * sin(1.0 + i);
    }
    for (int k = 0; k < POWER_STEPS; ++k) {
        const double norm = sqrt(dense_dot(n, x, x));
        if (!(norm > 0) || !isfinite(norm)) break;
        for (int i = 0; i < n; ++i) {
            x[i] /= norm;
        }
        scaled_mul(s, x, y);
        size = sqrt(dense_dot(n, y, y));
        memcpy(x, y, (size_t)n * sizeof *x);
    }
    return size > 0 && isfinite(size) ? size : 1;
}

bool scaled_begin(scaled *s, const pcs_problem *p, const scaled_space *on, pcs_arena *work)
{
    const size_t n = (size_t)p->n;
    *s = (scaled){.p = *p, .on = on, .size = 0};
    s->e = PCS_TAKE(work, n, double);
    s->q = PCS_TAKE(work, n, double);
    s->val = PCS_TAKE(work, (size_t)bsr_stored(&p->W), double);
    size_t *off = PCS_TAKE(work, (size_t)p->W.ptr[p->W.m], size_t);
    if (!s->e || !s->q || !s->val || !off) return false;

    problem_scales(p, s->e);
    for (int i = 0; i < p->n; ++i) {
        s->e[i] = 1 / sqrt(s->e[i]);
        s->q[i] = p->q[i] * s->e[i];
        if (fabs(s->q[i]) > s->size) s->size = fabs(s->q[i]);
    }
    if (!(s->size > 0) || !isfinite(s->size)) s->size = 1;
    for (int i = 0; i < p->n; ++i) {
        s->q[i] /= s->size;
    }
    s->p.q = s->q;
    if (!scale_boxes(s, work)) return false;
    scale_matrix(s, &p->W, off);
    s->skew = bsr_skew(&s->p.W, false, NULL);
    s->symmetric = s->skew <= SYMMETRY_TOL;

    pcs_arena scratch = *work;
    double *x = PCS_TAKE(&scratch, n, double), *y = PCS_TAKE(&scratch, n, double);
    if (!x || !y || (on && !on->begin(on->user, s->e))) return false;
    s->largest = norm_estimate(s, x, y);
    return true;
}

void scaled_from(const scaled *s, const double *r, double *x)
{
    for (int i = 0; i < s->p.n; ++i) {
        x[i] = r[i] / s->e[i] / s->size;
    }
}

void scaled_to(const scaled *s, const double *x, double *r)
{
    for (int i = 0; i < s->p.n; ++i) {
        r[i] = x[i] * s->e[i] * s->size;
    }
}

double scaled_residual(const scaled *s, const double *x, const double *u)
{
    measure_sums sums = {0};
    pcs_measure m;
    for (int i = 0; i < s->p.n; ++i) {
        const double wx = u[i] - s->q[i];
        squares_add(&sums.wr, 1, &wx);
    }
    squares_add(&sums.q, (size_t)s->p.n, s->q);
    for (int b = 0; b < s->p.nb; ++b) {
        const pcs_block *k = &s->p.block[b];
        measure_add_violation(&sums, k, 1, x + k->row, u + k->row);
    }
    measure_close(&sums, &m);
    return m.residual;
}
