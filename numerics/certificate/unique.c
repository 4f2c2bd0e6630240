// Let A have the columns of the face (certificate/face.h), all in the scaled units.
//
// r. The impulses with this u are those of the face with A (x' - x) = 0. If the columns are
// independent, r is the only one. If the columns of the decided blocks are dependent, their null
// space leads to others: all these blocks lie strictly inside their sets.
//
// u. With W symmetric and semidefinite and no friction any two solutions have 0 >= (r - r')'(u -
// u') = (r - r')' W (r - r'), so W (r - r') = 0 and u = u'. With friction all blocks count as
// decided. Near the solution sticking and closed blocks keep C u = 0 (all rows of the ones, N of
// the others and of slides), and slides r_T = -mu r_N u_T / |u_T|. To first order, with D = mu r_N
// / |u_T| (1 - e e') in the tangents of slides, du = W dr, dr = E dx - D du:
//
//     (1 + W D) du = A dx,   C du = 0
//
// If this has only the solution du = 0, then u is unique nearby: a sequence of other solutions
// would, as the equations are analytic, contain a curve of solutions, and the first coefficient of
// u that moves along it solves this system. This holds exactly when C B has the rank of A, where B
// = (1 + W D)^-1 A. If D = 0 the equations are linear, and other solutions of the system are other
// solutions of the problem.
#include "certificate/unique.h"

#include <float.h>
#include <string.h>

#include "linalg/dense.h"

// allowed difference of W from its transpose and from a semidefinite matrix, in roundings (its
// diagonal is 1)
#define ROUNDINGS 100

typedef struct judge {
    const face *f;
    double *W, *L, *A, *B; // rows x rows at most
    int *place;
    pcs_arena scratch;
} judge;

size_t unique_bytes(int n)
{
    const size_t m = (size_t)n;
    return 4 * m * m * sizeof(double) + m * sizeof(int) + dense_null_bytes(n) + 8 * 64;
}

static bool semidefinite(const judge *j)
{
    const size_t n = (size_t)j->f->p->n;
    const double slack = ROUNDINGS * DBL_EPSILON * (double)n;
    memcpy(j->L, j->W, n * n * sizeof *j->L);
    for (size_t c = 0; c < n; ++c) {
        for (size_t i = 0; i < c; ++i) {
            if (!(fabs(j->W[i + n * c] - j->W[c + n * i]) <= slack)) return false;
        }
        j->L[c * (n + 1)] += slack;
    }
    return dense_cholesky((int)n, j->L);
}

// the rank of the columns of decided blocks
static int rank_decided(const judge *j, int *columns)
{
    const face *f = j->f;
    const size_t n = (size_t)f->p->n;
    *columns = 0;
    for (int b = 0; b < f->p->nb; ++b) {
        if (f->verdict[b].status == PCS_CONTACT_UNDECIDED) continue;
        const size_t count = (size_t)face_columns(f, b);
        memcpy(j->L + n * (size_t)*columns, j->A + n * (size_t)f->first[b],
               n * count * sizeof *j->L);
        *columns += (int)count;
    }
    return dense_null(f->p->n, *columns, j->L, NULL, f->rcond, j->scratch);
}

// L = 1 + W D; returns true if D is not zero
static bool fill_slides(const judge *j)
{
    const face *f = j->f;
    const size_t n = (size_t)f->p->n;
    bool turns = false;
    memset(j->L, 0, n * n * sizeof *j->L);
    for (size_t i = 0; i < n; ++i) {
        j->L[i * (n + 1)] = 1;
    }
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const verdict *v = &f->verdict[b];
        if (v->allowed != ALLOW_RAY || k->dim != 3) continue;
        turns = true;
        // |s r_T| = mu s r_N; one direction is left, across e
        const double across[2] = {-v->e[1], v->e[0]};
        const double weight = v->push * k->mu / v->slip;
        const double *w = j->W + n * (size_t)(k->row + 1);
        double *to = j->L + n * (size_t)(k->row + 1);
        for (size_t i = 0; i < n; ++i) {
            const double wa = weight * (w[i] * across[0] + w[i + n] * across[1]);
            to[i] += wa * across[0];
            to[i + n] += wa * across[1];
        }
    }
    return turns;
}

// the rows C of B, packed
static int pick_rows(const judge *j)
{
    const face *f = j->f;
    const size_t n = (size_t)f->p->n, na = (size_t)f->n;
    size_t m = 0;
    for (int b = 0; b < f->p->nb; ++b) {
        for (int c = 0; c < face_columns(f, b); ++c, ++m) {
            for (size_t i = 0; i < na; ++i) {
                j->L[m + na * i] = j->B[(size_t)(f->p->block[b].row + c) + n * i];
            }
        }
    }
    return dense_null((int)m, f->n, j->L, NULL, f->rcond, j->scratch);
}

static pcs_uniqueness judge_u(const judge *j, const pcs_certificate *c)
{
    const face *f = j->f;
    const size_t n = (size_t)f->p->n;
    bool friction = false;
    for (int b = 0; b < f->p->nb; ++b) {
        if (f->p->block[b].mu > 0) friction = true;
    }
    if (!friction && semidefinite(j)) return PCS_UNIQUENESS_YES;
    if (c->undecided > 0) return PCS_UNIQUENESS_UNKNOWN;

    const bool turns = fill_slides(j);
    memcpy(j->B, j->A, n * (size_t)f->n * sizeof *j->B);
    if (turns) {
        if (!dense_lu(f->p->n, j->L, j->place)) return PCS_UNIQUENESS_UNKNOWN;
        dense_lu_solve(f->p->n, j->L, j->place, false, f->n, j->B);
    }
    const int rank = pick_rows(j);
    if (rank == c->rank) return PCS_UNIQUENESS_LOCAL;
    return turns || rank < 0 ? PCS_UNIQUENESS_UNKNOWN : PCS_UNIQUENESS_NO;
}

bool unique_judge(const face *f, pcs_arena work, pcs_certificate *out)
{
    const size_t n = (size_t)f->p->n;
    judge j = {.f = f};
    TAKE_DOUBLES(&work, n * n, &j.W, &j.L, &j.A, &j.B);
    j.place = PCS_TAKE(&work, n, int);
    if (!j.W || !j.L || !j.A || !j.B || !j.place) return false;
    j.scratch = work;

    face_matrix(f, j.place, j.W);
    face_apply(f, j.W, j.A);
    memcpy(j.B, j.A, n * (size_t)f->n * sizeof *j.B);
    out->rank = dense_null(f->p->n, f->n, j.B, NULL, f->rcond, j.scratch);
    if (out->rank < 0) return false;

    int decided;
    if (out->rank == f->n) {
        out->r = PCS_UNIQUENESS_YES;
    } else if (rank_decided(&j, &decided) < decided) {
        out->r = PCS_UNIQUENESS_NO;
    }
    out->u = judge_u(&j, out);
    return true;
}
