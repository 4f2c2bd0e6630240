// The public form of the problem of bodies: its check, a copy, its factors, the local and the
// global form, and a solve with memory of its own. The factors are computed from the values of A as
// in a step, so that a solve has the same bits.
#include <percuss/bodies.h>

#include <limits.h>
#include <string.h>

#include "bodies/bodies.h"
#include "linalg/m3.h"
#include "problem/problem.h"

_Static_assert((int)PCS_MASS_DENSE == BLOCK_DENSE && (int)PCS_MASS_DIAGONAL == BLOCK_DIAGONAL &&
                   (int)PCS_MASS_RIGID == BLOCK_RIGID,
               "kinds of mass blocks");

// frames and rotations are given by coordinates; this is far above their rounding
#define ORTHONORMAL 1e-8

static int width(const pcs_bodies_problem *b, int sys)
{
    return b->start[sys + 1] - b->start[sys];
}

static size_t numbers_of(int kind, int width)
{
    return kind == PCS_MASS_DIAGONAL ? 6
           : kind == PCS_MASS_RIGID  ? 10
                                     : (size_t)width * (size_t)width;
}

// up to the end of the last block
static size_t numbers_in_all(const pcs_bodies_problem *b)
{
    size_t all = 0;
    for (int s = 0; s < b->ns; ++s) {
        const size_t end = b->off[s] + numbers_of(b->kind[s], width(b, s));
        if (end > all) all = end;
    }
    return all;
}

// ---- check -------------------------------------------------------------------------------------

static bool orthonormal(const double *F)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double d = v3_dot(F + 3 * i, F + 3 * j) - (i == j);
            if (!(fabs(d) <= ORTHONORMAL)) return false;
        }
    }
    double N[3];
    v3_cross(F + 3, F + 6, N);
    return v3_dot(N, F) > 0;
}

static pcs_status check_system(const pcs_bodies_problem *b, int sys)
{
    const int w = width(b, sys), kind = b->kind[sys];
    if (w < 1 || kind > PCS_MASS_RIGID || (kind != PCS_MASS_DENSE && w != 6)) {
        return pcs_fail(
            PCS_ERR_SIZE,
            "bodies: system %d has %d velocities and a mass block of kind %d; a diagonal"
            " or rigid block has 6",
            sys, w, kind);
    }
    const double *A = b->A + b->off[sys];
    if (!pcs_all_finite(A, numbers_of(kind, w))) {
        return pcs_fail(PCS_ERR_ARG, "bodies: the mass block of system %d is not finite", sys);
    }
    bool positive = true;
    for (int i = 0; i < 6 && kind == PCS_MASS_DIAGONAL; ++i) {
        positive = positive && A[i] > 0;
    }
    if (positive && (kind != PCS_MASS_RIGID || A[0] > 0)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "bodies: system %d has a mass that is not positive", sys);
}

// what a side reads
static pcs_status check_side(const pcs_bodies_problem *b, int i, int side, bool *frame)
{
    const pcs_bodies_block *k = &b->block[i];
    const int sys = k->sys[side];
    if (sys < -1 || sys >= b->ns) {
        return pcs_fail(PCS_ERR_SIZE, "bodies: block %d has the system %d; there are %d", i, sys,
                        b->ns);
    }
    if (sys < 0) return PCS_OK;
    if (k->rows[side]) {
        const size_t n = (size_t)k->dim * (size_t)width(b, sys);
        if (pcs_all_finite(k->rows[side], n)) return PCS_OK;
        return pcs_fail(PCS_ERR_ARG, "bodies: the rows of block %d are not finite", i);
    }
    *frame = true;
    if (width(b, sys) != 6 || k->dim > 3) {
        return pcs_fail(PCS_ERR_SIZE,
                        "bodies: block %d has %d rows by a frame on system %d with %d velocities;"
                        " it must be a body with 6, and at most 3 rows",
                        i, k->dim, sys, width(b, sys));
    }
    if (!pcs_all_finite(k->core[side], 3) || !isfinite(k->along[side])) {
        return pcs_fail(PCS_ERR_ARG, "bodies: a lever of block %d is not finite", i);
    }
    if (b->R && orthonormal(b->R + 9 * (size_t)sys)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "bodies: the rotation of system %d is not orthonormal", sys);
}

static pcs_status check_block(const pcs_bodies_problem *b, int i)
{
    const pcs_bodies_block *k = &b->block[i];
    bool frame = false;
    for (int side = 0; side < 2; ++side) {
        PCS_TRY(check_side(b, i, side, &frame));
    }
    if (!frame || orthonormal(k->F)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "bodies: the frame of block %d is not orthonormal", i);
}

pcs_status pcs_bodies_check(const pcs_bodies_problem *b)
{
    if (!b || b->ns < 0 || b->nb < 0 || b->n < 0 || !b->start ||
        (b->ns > 0 && (!b->kind || !b->off || !b->A || !b->v_free)) ||
        (b->nb > 0 && (!b->block || !b->shift))) {
        return pcs_fail(PCS_ERR_ARG, "bodies: the problem or a part of it is null, or of negative"
                                     " size");
    }
    if (b->start[0] != 0) return pcs_fail(PCS_ERR_SIZE, "bodies: start[0] is %d", b->start[0]);
    for (int s = 0; s < b->ns; ++s) {
        PCS_TRY(check_system(b, s));
    }
    int row = 0;
    for (int i = 0; i < b->nb; ++i) {
        const pcs_block one = bodies_cone(&b->block[i]);
        if (one.row != row || one.dim < 1 || one.dim > b->n - row) {
            return pcs_fail(PCS_ERR_SIZE,
                            "bodies: block %d has %d rows from row %d; row %d of %d"
                            " is next",
                            i, one.dim, one.row, row, b->n);
        }
        PCS_TRY(problem_check_cone(i, &one));
        PCS_TRY(check_block(b, i));
        row += one.dim;
    }
    if (row != b->n) {
        return pcs_fail(PCS_ERR_SIZE, "bodies: the blocks have %d rows, the problem %d", row, b->n);
    }
    if (pcs_all_finite(b->shift, (size_t)b->n) &&
        pcs_all_finite(b->v_free, (size_t)b->start[b->ns])) {
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG, "bodies: v_free or shift has a number that is not finite");
}

// ---- copy --------------------------------------------------------------------------------------

// null for null, and where there is no memory
static void *keep(pcs_arena *arena, const void *from, size_t count, size_t size, bool *good)
{
    if (!from) return NULL;
    void *to = pcs_arena_take_array(arena, count, size);
    *good = *good && to;
    if (to && count > 0) memcpy(to, from, count * size);
    return to;
}

#define KEEP(from, count) keep(arena, from, (size_t)(count), sizeof *(from), &good)

pcs_status pcs_bodies_copy(const pcs_bodies_problem *b, pcs_arena *arena, pcs_bodies_problem *out)
{
    if (!arena || !out) return pcs_fail(PCS_ERR_ARG, "pcs_bodies_copy: an argument is null");
    PCS_TRY(pcs_bodies_check(b));
    bool good = true;
    pcs_bodies_block *block = KEEP(b->block, b->nb);
    for (int i = 0; i < b->nb; ++i) {
        for (int side = 0; side < 2; ++side) {
            const pcs_bodies_block *k = &b->block[i];
            const int w = k->sys[side] < 0 ? 0 : width(b, k->sys[side]);
            double *rows = KEEP(k->rows[side], (size_t)k->dim * (size_t)w);
            if (block) block[i].rows[side] = rows;
        }
    }
    *out = (pcs_bodies_problem){.n = b->n,
                                .nb = b->nb,
                                .block = block,
                                .shift = KEEP(b->shift, b->n),
                                .ns = b->ns,
                                .start = KEEP(b->start, b->ns + 1),
                                .kind = KEEP(b->kind, b->ns),
                                .off = KEEP(b->off, b->ns),
                                .A = KEEP(b->A, numbers_in_all(b)),
                                .R = KEEP(b->R, 9 * (size_t)b->ns),
                                .v_free = KEEP(b->v_free, b->start[b->ns])};
    return good ? PCS_OK : pcs_fail_memory("bodies");
}

// ---- factors -----------------------------------------------------------------------------------

// the problem as the solver takes it, with new factors
static pcs_status open(const pcs_bodies_problem *b, pcs_arena *arena, block_lu *F,
                       bodies_problem *out)
{
    const size_t numbers = numbers_in_all(b);
    *F = (block_lu){.nb = b->ns, .start = b->start, .off = b->off, .kind = b->kind};
    F->lu = PCS_TAKE(arena, numbers, double);
    F->val = PCS_TAKE(arena, numbers, double);
    F->piv = PCS_TAKE(arena, (size_t)b->start[b->ns], int);
    *out = (bodies_problem){
        .n = b->n, .nb = b->nb, .block = b->block, .shift = b->shift, .A = F, .R = b->R};
    if (!F->lu || !F->val || !F->piv) return pcs_fail_memory("bodies");
    if (numbers > 0) memcpy(F->lu, b->A, numbers * sizeof *b->A);
    const int bad = block_lu_factor(F);
    if (bad < 0) return PCS_OK;
    return pcs_fail(PCS_ERR_SINGULAR, "bodies: the mass block of system %d is singular", bad);
}

// the same with memory from env
static pcs_status open_alloc(const pcs_env *env, const pcs_bodies_problem *b, pcs_arena *arena,
                             block_lu *F, bodies_problem *out)
{
    size_t demand = 0;
    pcs_arena none = {.peak = &demand};
    if (open(b, &none, F, out) == PCS_OK) return PCS_OK;
    PCS_TRY(pcs_arena_create(env, demand, arena));
    return open(b, arena, F, out);
}

pcs_status bodies_publish(const bodies_problem *b, const double *v_free, pcs_arena *arena,
                          pcs_bodies_problem *out)
{
    const block_lu *F = b->A;
    const size_t ns = (size_t)F->nb;
    *out = (pcs_bodies_problem){.n = b->n,
                                .nb = b->nb,
                                .block = b->block,
                                .shift = b->shift,
                                .ns = F->nb,
                                .start = F->start,
                                .off = F->off,
                                .R = b->R,
                                .v_free = v_free};
    for (int s = 0; s < F->nb && F->of; ++s) {
        if (F->kind[s] != BLOCK_ENVELOPE) continue;
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "bodies: a system with sparse matrices has no dense block to show; ask for"
                        " the problem with W");
    }
    if (F->joined) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "bodies: force elements couple the masses of many systems, which have no"
                        " block each to show; ask for the problem with W");
    }
    unsigned char *kind = PCS_TAKE(arena, ns, unsigned char);
    size_t numbers = 0;
    for (int s = 0; s < F->nb; ++s) {
        const int is = F->kind ? F->kind[s] : BLOCK_DENSE;
        const size_t end = F->off[s] + numbers_of(is, width(out, s));
        if (kind) kind[s] = (unsigned char)is;
        if (end > numbers) numbers = end;
    }
    double *A = PCS_TAKE(arena, numbers, double);
    if (!kind || !A) return pcs_fail_memory("bodies");
    for (int s = 0; s < F->nb; ++s) {
        const double *val = kind[s] == BLOCK_DIAGONAL ? F->lu : F->val;
        memcpy(A + F->off[s], val + F->off[s], numbers_of(kind[s], width(out, s)) * sizeof *A);
    }
    out->kind = kind;
    out->A = A;
    return PCS_OK;
}

// ---- other forms -------------------------------------------------------------------------------

pcs_status pcs_bodies_condense(const pcs_bodies_problem *b, pcs_arena *arena, pcs_problem *out)
{
    if (!arena || !out) return pcs_fail(PCS_ERR_ARG, "pcs_bodies_condense: an argument is null");
    PCS_TRY(pcs_bodies_check(b));
    block_lu F;
    bodies_problem p;
    PCS_TRY(open(b, arena, &F, &p));
    PCS_TRY(bodies_find_far(&p, p.nb, NULL, b->v_free, *arena, &p.far));
    return bodies_assemble(&p, b->v_free, arena, out);
}

static pcs_status take_global(const pcs_bodies_problem *b, pcs_arena *arena, pcs_bsr *H,
                              pcs_block **block, double **f, double **values, int **size)
{
    block_lu F;
    bodies_problem p;
    size_t numbers = 0;
    for (int s = 0; s < b->ns; ++s) {
        numbers += (size_t)width(b, s) * (size_t)width(b, s);
    }
    *block = PCS_TAKE(arena, (size_t)b->nb, pcs_block);
    *f = PCS_TAKE(arena, (size_t)b->start[b->ns], double);
    *size = PCS_TAKE(arena, (size_t)b->ns, int);
    *values = PCS_TAKE(arena, numbers, double);
    PCS_TRY(open(b, arena, &F, &p));
    const pcs_status rows = bodies_stack(&p, arena, H);
    if (!*block || !*f || !*values || !*size) return pcs_fail_memory("bodies");
    PCS_TRY(rows);
    double *A = *values;
    for (int s = 0; s < b->ns; ++s) {
        (*size)[s] = width(b, s);
        block_lu_values(&F, s, A);
        A += (size_t)width(b, s) * (size_t)width(b, s);
    }
    return PCS_OK;
}

pcs_status pcs_bodies_to_global(const pcs_env *env, const pcs_bodies_problem *b, pcs_arena *arena,
                                pcs_mass_matrix **M, pcs_global_problem *out)
{
    if (!arena || !M || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_bodies_to_global: an argument is null");
    }
    *M = NULL;
    PCS_TRY(pcs_bodies_check(b));
    pcs_bsr H;
    pcs_block *block;
    double *f, *values;
    int *size;
    PCS_TRY(take_global(b, arena, &H, &block, &f, &values, &size));
    for (int i = 0; i < b->nb; ++i) {
        block[i] = bodies_cone(&b->block[i]);
    }
    PCS_TRY(pcs_mass_matrix_create_blocks(env, b->ns, size, values, M));
    if (b->ns > 0) pcs_mass_matrix_mul(*M, b->v_free, f);
    *out =
        (pcs_global_problem){.nb = b->nb, .block = block, .H = H, .M = *M, .f = f, .w = b->shift};
    return PCS_OK;
}

// ---- a solve -----------------------------------------------------------------------------------

pcs_status pcs_solve_bodies(const pcs_env *env, const pcs_bodies_problem *b,
                            const pcs_solver_opts *opts, double budget, pcs_watch watch, double *v,
                            double *r, double *u, pcs_report *report)
{
    PCS_TRY(pcs_bodies_check(b));
    const size_t n = (size_t)b->n, nv = (size_t)b->start[b->ns];
    if ((n > 0 && (!r || !u)) || (nv > 0 && !v) || !report) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_bodies: an argument is null");
    }
    if (!(budget >= 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_solve_bodies: the budget is %g; it must not be negative",
                        budget);
    }
    const pcs_solver_opts o = opts ? *opts : pcs_solver_opts_default(PCS_SOLVER_AUTO);
    pcs_arena factors = {0};
    block_lu F;
    bodies_problem p;
    bodies_report all;
    pcs_status status = open_alloc(env, b, &factors, &F, &p);
    if (status == PCS_OK) {
        status = bodies_solve_alloc(env, &p, b->v_free, &o, watch, budget, v, r, u, &all);
    }
    pcs_arena_destroy(env, &factors);
    PCS_TRY(status);
    *report = all.solve;
    report->units = all.units;
    return PCS_OK;
}
