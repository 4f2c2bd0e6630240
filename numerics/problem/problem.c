// The cone problem u = W r + q: its check at the border, the scales of its rows and the status of
// its blocks, its restriction to a set of rows, and proofs that it has no solution. Its measures
// are in measure.c.
#include "problem/problem.h"

#include <float.h>
#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "problem/measure.h"

// ---- check -----------------------------------------------------------------------------------

pcs_status problem_check_cone(int b, const pcs_block *k)
{
    if (k->cone == PCS_CONE_COULOMB) {
        if (k->dim != 2 && k->dim != 3) {
            return pcs_fail(PCS_ERR_SIZE,
                            "problem: Coulomb block %d has %d rows; it must be 2 or 3", b, k->dim);
        }
        if (!(k->mu >= 0) || !isfinite(k->mu)) {
            return pcs_fail(PCS_ERR_ARG,
                            "problem: mu of block %d is %g; it must be finite and not negative", b,
                            k->mu);
        }
        return PCS_OK;
    }
    const bool box = k->cone == PCS_CONE_BOX;
    if (k->cone != PCS_CONE_EQUALITY && k->cone != PCS_CONE_UNILATERAL && !box) {
        return pcs_fail(PCS_ERR_ARG, "problem: block %d has the unknown cone %d", b, (int)k->cone);
    }
    if (k->cone != PCS_CONE_EQUALITY && k->dim != 1) {
        return pcs_fail(PCS_ERR_SIZE, "problem: %s block %d has %d rows; it must be 1",
                        box ? "box" : "unilateral", b, k->dim);
    }
    if (box && (!(k->mu >= 0) || !isfinite(k->mu))) {
        return pcs_fail(PCS_ERR_ARG,
                        "problem: the bound of box %d is %g; it must be finite and not negative", b,
                        k->mu);
    }
    if (!box && !(k->mu == 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "problem: mu of block %d is %g; it must be 0 in all but Coulomb blocks and"
                        " boxes",
                        b, k->mu);
    }
    return PCS_OK;
}

pcs_status problem_check_blocks(const pcs_problem *p)
{
    if (p->nb < 0)
        return pcs_fail(PCS_ERR_SIZE, "problem: it has %d blocks; the number must not be negative",
                        p->nb);
    if (p->nb > 0 && !p->block) return pcs_fail(PCS_ERR_ARG, "problem: its blocks are null");

    int row = 0;
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        if (k->row != row) {
            return pcs_fail(PCS_ERR_SIZE, "problem: block %d starts at row %d; it must be %d", b,
                            k->row, row);
        }
        if (k->dim < 1 || k->dim > p->n - row) {
            return pcs_fail(PCS_ERR_SIZE, "problem: block %d has %d rows; %d are left", b, k->dim,
                            p->n - row);
        }
        PCS_TRY(problem_check_cone(b, k));
        row += k->dim;
    }
    if (row != p->n) {
        return pcs_fail(PCS_ERR_SIZE, "problem: the blocks cover %d of %d rows", row, p->n);
    }
    return PCS_OK;
}

pcs_status problem_check_rows(const pcs_problem *p, const int *row, const char *name)
{
    int i = 0;
    for (int b = 0; b < p->nb; ++b) {
        while (row[i + 1] <= p->block[b].row) {
            ++i;
        }
        if (p->block[b].row + p->block[b].dim > row[i + 1]) {
            return pcs_fail(PCS_ERR_SIZE, "problem: block %d lies across block rows of %s", b,
                            name);
        }
    }
    return PCS_OK;
}

// W is square, its partitions agree, and no cone block lies across two block rows
static pcs_status check_partition(const pcs_problem *p)
{
    const pcs_bsr *W = &p->W;
    if (bsr_rows(W) != p->n || bsr_cols(W) != p->n) {
        return pcs_fail(PCS_ERR_SIZE, "problem: W is %d x %d, the problem has %d rows", bsr_rows(W),
                        bsr_cols(W), p->n);
    }
    if (W->m != W->n ||
        (W->row != W->col && memcmp(W->row, W->col, ((size_t)W->m + 1) * sizeof(int)) != 0)) {
        return pcs_fail(PCS_ERR_SIZE, "problem: the row and column partitions of W differ");
    }

    return problem_check_rows(p, W->row, "W");
}

pcs_status pcs_problem_check(const pcs_problem *p)
{
    if (!p) return pcs_fail(PCS_ERR_ARG, "problem: it is null");
    if (p->n < 0)
        return pcs_fail(PCS_ERR_SIZE, "problem: it has %d rows; the number must not be negative",
                        p->n);
    PCS_TRY(problem_check_blocks(p));
    if (p->n == 0) return PCS_OK;

    if (!p->q) return pcs_fail(PCS_ERR_ARG, "problem: q is null");
    PCS_TRY(pcs_bsr_check(&p->W));
    PCS_TRY(check_partition(p));
    for (int i = 0; i < p->n; ++i) {
        if (!isfinite(p->q[i])) {
            return pcs_fail(PCS_ERR_ARG, "problem: q[%d] is %g; it must be finite", i, p->q[i]);
        }
    }
    const pcs_far *far = &p->far;
    if (!(far->unit >= 0 && far->met >= 0 && (far->unit > 0) == (far->met > 0))) {
        return pcs_fail(PCS_ERR_ARG,
                        "problem: far.unit is %g and far.met is %g; both must be positive, or both"
                        " zero",
                        far->unit, far->met);
    }
    if (!(far->rounding >= 0 && isfinite(far->rounding))) {
        return pcs_fail(PCS_ERR_ARG,
                        "problem: far.rounding is %g; it must be finite and not negative",
                        far->rounding);
    }
    return PCS_OK;
}

// ---- scales ----------------------------------------------------------------------------------

const double *problem_diagonal(const pcs_problem *p, int b, int *wrow, int *ld)
{
    const pcs_bsr *W = &p->W;
    const int row = p->block[b].row;
    while (W->row[*wrow + 1] <= row) {
        ++*wrow;
    }
    const int i = *wrow, k = pcs_bsr_find(W, i, i);
    *ld = W->row[i + 1] - W->row[i];
    return k < 0 ? NULL : W->val + W->off[k] + (size_t)(row - W->row[i]) * ((size_t)*ld + 1);
}

static double block_trace(const pcs_problem *p, int b, int *wrow)
{
    int ld;
    const double *D = problem_diagonal(p, b, wrow, &ld);
    double t = 0;
    for (int c = 0; D && c < p->block[b].dim; ++c) {
        t += D[(size_t)c * ((size_t)ld + 1)];
    }
    return t;
}

// the largest trace of a diagonal block, 0 if none is positive
static double largest_trace(const pcs_problem *p)
{
    double most = 0;
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const double t = block_trace(p, b, &wrow);
        if (t > most) most = t;
    }
    return most;
}

double problem_block_scale(const pcs_problem *p, int b, int *wrow, double *most)
{
    double t = block_trace(p, b, wrow);
    if (!(t > 0)) {
        if (*most < 0) *most = largest_trace(p);
        if (!(*most > 0)) return 1;
        t = *most;
    }
    return t / p->block[b].dim;
}

void problem_scales(const pcs_problem *p, double *s)
{
    double most = largest_trace(p), diagonal = 0;
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        int ld;
        const double *D = problem_diagonal(p, b, &wrow, &ld);
        const int row = p->block[b].row, d = p->block[b].dim;
        double mean = 0;
        for (int c = 0; c < d; ++c) {
            const double t = D ? D[(size_t)c * ((size_t)ld + 1)] : 0;
            s[row + c] = t;
            mean += t / d;
            if (t > diagonal) diagonal = t;
        }
        // a cone that is round in its tangents has one scale
        for (int c = 0; p->block[b].cone == PCS_CONE_COULOMB && c < d; ++c) {
            s[row + c] = mean;
        }
    }

    // a diagonal that is only rounding counts as zero
    for (int b = 0, wrow = 0; b < p->nb; ++b) {
        const double block = problem_block_scale(p, b, &wrow, &most);
        for (int i = p->block[b].row; i < p->block[b].row + p->block[b].dim; ++i) {
            if (!(s[i] > DBL_EPSILON * diagonal)) s[i] = block;
            if (!(s[i] > DBL_EPSILON * diagonal)) s[i] = diagonal;
        }
    }
}

// ---- status ----------------------------------------------------------------------------------

// x = r / rho - s(u) lies in K, in its polar cone, or in neither
unsigned char problem_block_status(pcs_cone cone, int dim, double mu, double s, const double *r,
                                   const double *u)
{
    if (cone == PCS_CONE_EQUALITY) return STATUS_STICK;
    if (cone == PCS_CONE_UNILATERAL) return s * r[0] > u[0] ? STATUS_STICK : STATUS_OPEN;
    if (cone == PCS_CONE_BOX) return fabs(s * r[0] - u[0]) > s * mu ? STATUS_SLIDE : STATUS_STICK;
    double x[3] = {s * r[0] - u[0] - mu * cone_tangent(dim, u)};
    for (int c = 1; c < dim; ++c) {
        x[c] = s * r[c] - u[c];
    }
    const double t = cone_tangent(dim, x);
    if (mu * t <= -x[0]) return STATUS_OPEN;
    return t <= mu * x[0] ? STATUS_STICK : STATUS_SLIDE;
}

void problem_status(const pcs_problem *p, const double *r, const double *u, unsigned char *status)
{
    double trace = -1;
    int wrow = 0;
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        const double s =
            k->cone == PCS_CONE_EQUALITY ? 1 : problem_block_scale(p, b, &wrow, &trace);
        status[b] = problem_block_status(k->cone, k->dim, k->mu, s, r + k->row, u + k->row);
    }
}

// ---- restriction and certificates ------------------------------------------------------------

void problem_restrict(const pcs_problem *p, const int *place, int na, const double *s, double *A)
{
    const pcs_bsr *W = &p->W;
    memset(A, 0, (size_t)na * (size_t)na * sizeof *A);
    for (int i = 0; i < W->m; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const int j = W->idx[k];
            for (int c = W->col[j]; c < W->col[j + 1]; ++c) {
                if (place[c] < 0) continue;
                const double *w = W->val + W->off[k] + (size_t)h * (size_t)(c - W->col[j]);
                double *a = A + (size_t)na * (size_t)place[c];
                for (int l = 0; l < h; ++l) {
                    const int at = place[W->row[i] + l];
                    if (at >= 0) a[at] = w[l];
                }
            }
        }
    }
    if (!s) return;

    // rows and columns by 1 / sqrt(s): the diagonal of a definite W becomes 1
    for (int c = 0; c < p->n; ++c) {
        if (place[c] < 0) continue;
        const double f = 1 / sqrt(s[c]);
        double *a = A + (size_t)place[c];
        for (int l = 0; l < na; ++l) {
            a[(size_t)na * (size_t)l] *= f;
        }
        a = A + (size_t)na * (size_t)place[c];
        for (int l = 0; l < na; ++l) {
            a[l] *= f;
        }
    }
}

// W^T y may miss -K* by so many roundings for each row of the sum of the sizes of its products, and
// by no more than this part of it
#define REFUTE_ROUNDINGS 16
#define REFUTE_TOL       1e-13
// part of |q|'|y| that may be rounding of q'y
#define REFUTE_GAIN 1e-8

// t = W^T y and size = |W|^T |y|
static void multiply(const pcs_bsr *W, const double *y, double *t, double *size)
{
    memset(t, 0, (size_t)W->col[W->n] * sizeof *t);
    memset(size, 0, (size_t)W->col[W->n] * sizeof *size);
    for (int i = 0; i < W->m; ++i) {
        const int h = W->row[i + 1] - W->row[i];
        const double *yi = y + W->row[i];
        for (int k = W->ptr[i]; k < W->ptr[i + 1]; ++k) {
            const double *w = W->val + W->off[k];
            for (int c = W->col[W->idx[k]]; c < W->col[W->idx[k] + 1]; ++c, w += h) {
                for (int l = 0; l < h; ++l) {
                    t[c] += w[l] * yi[l];
                    size[c] += fabs(w[l] * yi[l]);
                }
            }
        }
    }
}

static bool proves_by_normal(const pcs_block *k, const double *y)
{
    return y[k->row] >= 0 && y[k->row + 1] == 0 && (k->dim == 2 || y[k->row + 2] == 0);
}

// t_N r_N + t_T r_T <= 0 for every r of the block's cone, up to the rounding of t
static bool polar_of_coulomb(const pcs_block *k, const double *t, const double *size, double tol)
{
    const double *x = t + k->row, *s = size + k->row;
    double high = x[0] + k->mu * cone_tangent(k->dim, x), room = s[0];
    for (int c = 1; c < k->dim; ++c) {
        room += k->mu * s[c];
    }
    return high <= tol * room && isfinite(room);
}

double problem_gain(const pcs_problem *p, const double *y)
{
    double gain = 0, sum = 0;
    for (int i = 0; i < p->n; ++i) {
        gain -= p->q[i] * y[i];
        sum += fabs(p->q[i] * y[i]);
    }
    return gain - REFUTE_GAIN * sum - MEASURE_ROUNDINGS * p->far.rounding * problem_norm(p->n, y);
}

bool problem_proof(const pcs_problem *p, const double *y, double *t)
{
    if (!(problem_gain(p, y) > 0)) return false;

    double *size = t + p->n;
    const double tol = fmin(REFUTE_TOL, REFUTE_ROUNDINGS * DBL_EPSILON * p->n);
    multiply(&p->W, y, t, size);
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_COULOMB) {
            if (!proves_by_normal(&p->block[b], y)) return false;
            if (!polar_of_coulomb(&p->block[b], t, size, tol)) return false;
            continue;
        }
        for (int c = p->block[b].row; c < p->block[b].row + p->block[b].dim; ++c) {
            const double wrong = p->block[b].cone == PCS_CONE_UNILATERAL ? t[c] : fabs(t[c]);
            if (p->block[b].cone == PCS_CONE_BOX && y[c] != 0) return false;
            if (!(wrong <= tol * size[c]) || !isfinite(size[c])) return false;
        }
    }
    return true;
}

// multipliers smaller than these fractions of the largest are left out, one fraction after the
// other: they may be rounding, and the others must be a proof without them
static const double noise[] = {0, 1e-12, 1e-8};

bool problem_refuted_by(const pcs_problem *p, double *y, double *t)
{
    // with friction the shift may add any amount to u_T, but u_N >= 0 must hold: normals prove
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        for (int c = 1; k->cone == PCS_CONE_COULOMB && c < k->dim; ++c) {
            y[k->row + c] = 0;
        }
        // a box is bounded: its impulse cannot diverge
        if (k->cone == PCS_CONE_BOX) y[k->row] = 0;
    }
    cone_project(p->nb, p->block, y);
    double most = 0;
    for (int i = 0; i < p->n; ++i) {
        if (!isfinite(y[i])) return false;
        if (fabs(y[i]) > most) most = fabs(y[i]);
    }
    if (!(most > 0)) return false;
    for (int i = 0; i < p->n; ++i) {
        y[i] /= most;
    }
    for (size_t k = 0; k < sizeof noise / sizeof *noise; ++k) {
        bool changed = k == 0;
        for (int i = 0; i < p->n; ++i) {
            if (y[i] == 0 || !(fabs(y[i]) <= noise[k])) continue;
            y[i] = 0;
            changed = true;
        }
        if (changed && problem_proof(p, y, t)) return true;
    }
    return false;
}
