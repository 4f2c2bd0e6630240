// Scales the rows of a problem so that all of its cones are self-dual.
#include "solver/self_dual.h"

// A block with mu below this counts as frictionless. The neglected forces are smaller than this
// part of the normal ones; below about this value the rounding of q alone, divided by mu, would be
// as large as z
#define FLAT 1e-13
// least bound of a box: below it the box has no interior to compute in. What it adds is smaller
// than this part of the constant term
#define NARROW 1e-12

size_t self_dual_bytes(int n, int nb)
{
    const size_t rows = (size_t)n, blocks = (size_t)nb;
    return solver_bytes(blocks, sizeof(int)) + 2 * solver_bytes(rows, sizeof(double)) +
           solver_bytes(blocks, sizeof(double)) +
           2 * solver_bytes(BLOCK_SYSTEM_STRIDE * blocks, sizeof(double));
}

bool self_dual_take(self_dual *k, int n, int nb, const pcs_block *block, pcs_arena *arena)
{
    *k = (self_dual){.block = block, .n = n, .nb = nb};
    k->dim = PCS_TAKE(arena, (size_t)nb, int);
    k->D = PCS_TAKE(arena, (size_t)n, double);
    k->b = PCS_TAKE(arena, (size_t)n, double);
    k->bound = PCS_TAKE(arena, (size_t)nb, double);
    k->Q = PCS_TAKE(arena, BLOCK_SYSTEM_STRIDE * (size_t)nb, double);
    k->C = PCS_TAKE(arena, BLOCK_SYSTEM_STRIDE * (size_t)nb, double);
    return k->dim && k->D && k->b && k->bound && k->Q && k->C;
}

// true for a Coulomb block that is one unilateral row with r_T = 0
static bool is_flat(const pcs_block *k)
{
    return k->cone == PCS_CONE_COULOMB && !(k->mu >= FLAT);
}

static void begin_block(self_dual *w, int b, const double *s)
{
    const pcs_block *k = &w->block[b];
    const int i = k->row;
    w->dim[b] = k->cone == PCS_CONE_EQUALITY                   ? 0
                : k->cone == PCS_CONE_UNILATERAL || is_flat(k) ? 1
                                                               : k->dim;
    w->cones += (w->dim[b] > 0) + (k->cone == PCS_CONE_BOX);
    if (w->dim[b] > 1) w->half_lines = false;

    double mean = 0;
    for (int c = 0; c < w->dim[b]; ++c) {
        mean += s[i + c] / (c == 0 && w->dim[b] > 1 ? k->mu * k->mu : 1) / w->dim[b];
    }
    for (int c = 0; c < k->dim; ++c) {
        w->D[i + c] = 1 / sqrt(c < w->dim[b] ? mean : s[i + c]);
    }
    if (w->dim[b] > 1) w->D[i] /= k->mu;
}

void self_dual_begin(self_dual *k, const double *s, const double *q)
{
    k->cones = 0;
    k->half_lines = true;
    for (int b = 0; b < k->nb; ++b) {
        begin_block(k, b, s);
    }
    k->size = 0;
    for (int b = 0; b < k->nb; ++b) {
        const pcs_block *of = &k->block[b];
        for (int i = of->row; i < of->row + of->dim; ++i) {
            k->b[i] = k->D[i] * q[i];
            // a box at its limit does no more than this, however far its target is
            const double most = of->cone == PCS_CONE_BOX ? of->mu / k->D[i] : INFINITY;
            k->size = fmax(k->size, fmin(fabs(k->b[i]), most));
        }
    }
    if (!(k->size > 0)) k->size = 1;
    for (int i = 0; i < k->n; ++i) {
        k->b[i] /= k->size;
    }
    for (int b = 0; b < k->nb; ++b) {
        const pcs_block *of = &k->block[b];
        k->bound[b] = of->cone == PCS_CONE_BOX ? fmax(of->mu / k->D[of->row] / k->size, NARROW) : 0;
    }
    // without complementarity the boundary and the barrier are empty
    if (k->cones == 0) k->cones = 1;
}
