// A contact is open when u_N > eps and s r_N <= eps, sticks when |u_T| <= eps and r lies in its
// cone by more than eps / s, slides when |u_T| > eps and s r_N > eps; s = tr W_ii / d makes a
// velocity of an impulse, eps = tol times the largest velocity. What fits none of these is
// undecided.
#include "command/status.h"

#include <math.h>

// the trace of rows row .. row + dim - 1 of W over dim; *i is the block row of W, kept between
// calls
static double scale(const pcs_bsr *W, int row, int dim, int *i)
{
    while (W->row[*i + 1] <= row) {
        *i += 1;
    }
    const int k = pcs_bsr_find(W, *i, *i);
    if (k < 0) return 0;
    const size_t height = (size_t)(W->row[*i + 1] - W->row[*i]);
    double trace = 0;
    for (int c = 0; c < dim; ++c) {
        trace += W->val[W->off[k] + (size_t)(row + c - W->row[*i]) * (height + 1)];
    }
    return trace / dim;
}

static double tangent(const pcs_block *b, const double *x)
{
    if (b->dim == 1) return 0;
    return b->dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

void status_count(int nb, const pcs_block *block, const pcs_bsr *W, const double *r,
                  const double *u, const pcs_measure *m, double tol, run *out)
{
    out->open = out->closed = out->stick = out->slide = out->undecided = 0;
    // what an iterate may be off by in a single row
    const double largest = fmax(m->norm_q, m->norm_u), eps = 2 * tol * largest;
    int row = 0;
    for (int k = 0; k < nb; ++k) {
        const pcs_block *b = &block[k];
        if (b->cone == PCS_EQUALITY) continue;
        double s = W ? scale(W, b->row, b->dim, &row) : m->norm_q / m->norm_r;
        if (!(s > 0) || !isfinite(s)) s = 1;
        const double *rk = r + b->row, *uk = u + b->row;
        const double push = s * rk[0], slip = tangent(b, uk);
        const double room = b->mu * push - s * tangent(b, rk);
        if (uk[0] > eps && push <= eps) {
            out->open += 1;
        } else if (!(push > eps) || !(uk[0] <= eps)) {
            out->undecided += 1;
        } else if (b->cone == PCS_UNILATERAL) {
            out->closed += 1;
        } else if (slip > eps) {
            out->slide += 1;
        } else if (room > eps) {
            out->stick += 1;
        } else {
            out->undecided += 1;
        }
    }
}
