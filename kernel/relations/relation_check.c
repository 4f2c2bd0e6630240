// The gradient of a relation against differences of its gap. The central difference of order 8 is
// taken twice, over d and d/2: what they differ by bounds the error of the better one, together
// with the rounding of the gap.
#include <float.h>
#include <string.h>

#include <percuss/relation.h>

#include "base/base.h"
#include "mechanics/difference.h"

// length (m, and of Q) over which gaps change
#define CURVED 0.25
// errors of a difference: of the gap over its step, and in multiples of the change by half the step
#define ROUNDING (64 * DBL_EPSILON)
#define TIMES    4
// part of the largest entry that a gradient may be wrong by, if differences cannot say more
#define CLOSE 1e-9

// the systems of a relation and room for its values
typedef struct checked {
    const pcs_relation *relation;
    int n[2];
    double *q[2]; // q[1] null: the world
    double *C[2], *g, *coarse, *fine;
    double size; // largest entry of C
} checked;

// differences of the gap along coordinate j of a side, and the largest gap met
static pcs_status differences(const checked *c, int side, int j, double d, double *out,
                              double *largest)
{
    const int dim = c->relation->dim;
    double *x = &c->q[side][j];
    const double at = *x;
    memset(out, 0, (size_t)dim * sizeof *out);
    pcs_status status = PCS_OK;
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS && status == PCS_OK; ++k) {
        if (k == 0) continue;
        *x = at + k * d;
        status = pcs_relation_gap(c->relation, c->q[0], c->q[1], c->g);
        const double w = (k > 0 ? 1 : -1) * difference_weight(k > 0 ? k : -k) / d;
        for (int i = 0; i < dim && status == PCS_OK; ++i) {
            out[i] += w * c->g[i];
            *largest = fmax(*largest, fabs(c->g[i]));
        }
    }
    *x = at;
    return status;
}

static pcs_status check_coordinate(const checked *c, int side, int j)
{
    const int dim = c->relation->dim;
    const double d = difference_step(fmax(fabs(c->q[side][j]), CURVED));
    double largest = 0;
    PCS_TRY(differences(c, side, j, d, c->coarse, &largest));
    PCS_TRY(differences(c, side, j, 0.5 * d, c->fine, &largest));
    for (int i = 0; i < dim; ++i) {
        const double given = c->C[side][i + (size_t)dim * (size_t)j];
        const double error = TIMES * fabs(c->coarse[i] - c->fine[i]) + ROUNDING * largest / d;
        if (fabs(given - c->fine[i]) <= error + CLOSE * c->size) continue;
        return pcs_fail(PCS_ERR_CALLBACK,
                        "pcs_relation_check: row %d, coordinate %d of system %d: the gradient"
                        " callback gives %.9g, differences of the gap give %.9g",
                        i, j, side + 1, given, c->fine[i]);
    }
    return PCS_OK;
}

static pcs_status check(checked *c)
{
    const int dim = c->relation->dim;
    PCS_TRY(pcs_relation_gap(c->relation, c->q[0], c->q[1], c->g));
    PCS_TRY(pcs_relation_gradient(c->relation, c->n[0], c->q[0], c->n[1], c->q[1], c->C[0],
                                  c->q[1] ? c->C[1] : NULL));
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < dim * c->n[side]; ++i) {
            c->size = fmax(c->size, fabs(c->C[side][i]));
        }
    }
    for (int side = 0; side < 2; ++side) {
        for (int j = 0; j < c->n[side]; ++j) {
            PCS_TRY(check_coordinate(c, side, j));
        }
    }
    return PCS_OK;
}

pcs_status pcs_relation_check(const pcs_relation *relation, int nq1, const double *q1, int nq2,
                              const double *q2)
{
    if (!relation || relation->dim < 1 || nq1 < 1 || !q1 || (q2 && nq2 < 1)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_relation_check: a relation needs dim >= 1; q1 must not be"
                                     " null, and nq1 and, with q2, nq2 must be >= 1");
    }
    checked c = {.relation = relation, .n = {nq1, q2 ? nq2 : 0}};
    const size_t dim = (size_t)relation->dim, n1 = (size_t)nq1, n2 = (size_t)c.n[1];
    double *room = pcs_env_alloc(NULL, (dim + 1) * (n1 + n2) + 3 * dim, sizeof *room);
    if (!room) return pcs_fail_memory("pcs_relation_check");
    c.q[0] = memcpy(room, q1, n1 * sizeof *q1);
    c.q[1] = q2 ? memcpy(room + n1, q2, n2 * sizeof *q2) : NULL;
    c.C[0] = room + n1 + n2;
    c.C[1] = c.C[0] + dim * n1;
    c.g = c.C[1] + dim * n2;
    c.coarse = c.g + dim;
    c.fine = c.coarse + dim;
    const pcs_status status = check(&c);
    pcs_env_free(NULL, room);
    return status;
}
