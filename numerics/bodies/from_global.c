// The global form as a contact problem of bodies. The systems are the blocks of M, the rows of a
// cone block are its rows of H.
//
// Contacts of rigid bodies get their frame and levers back, which the sweeps read faster than rows.
// On a side with the rows [T, B], T and B 3 x 3, (6.1) says
//
//     T = sign F^T,   B = -T [l]x R,   hence   S = T^T B = -[l]x R
//
// F follows from T, a rotation or minus one. R, from the axes of the angular velocity to those of
// F, is that of the body. One contact determines R up to the sign of its lever: |l| = |S| / sqrt 2,
// S^T l = 0, [l]x S = |l|^2 R across l, and the part of R along l makes it a rotation. The other
// contacts of the body decide the sign. Any R that suits all contacts gives the same H. Where T is
// no frame, or no R fits to rounding, the rows remain.
#include "bodies/from_global.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/m3.h"
#include "linalg/mass.h"

// relative errors of T, S and R that count as rounding
#define ROUNDING 1e-13

// ---- rows --------------------------------------------------------------------------------------

// true when entry k of block row i of H has a number other than zero in the d rows from `top` on
static bool touches(const pcs_bsr *H, int i, int k, int top, int d)
{
    const int h = H->row[i + 1] - H->row[i], j = H->idx[k];
    const double *a = H->val + H->off[k] + top;
    for (int c = H->col[j]; c < H->col[j + 1]; ++c, a += h) {
        for (int e = 0; e < d; ++e) {
            if (a[e] != 0) return true;
        }
    }
    return false;
}

// the d rows from `top` on of an entry of H: the entry itself, or a copy; null: no memory
static const double *rows_of(const pcs_bsr *H, int i, int k, int top, int d, pcs_arena *arena)
{
    const int h = H->row[i + 1] - H->row[i], width = H->col[H->idx[k] + 1] - H->col[H->idx[k]];
    const double *from = H->val + H->off[k] + top;
    if (h == d) return from;
    double *J = PCS_TAKE(arena, (size_t)d * (size_t)width, double);
    for (int c = 0; J && c < width; ++c) {
        memcpy(J + (size_t)d * (size_t)c, from + (size_t)h * (size_t)c, (size_t)d * sizeof *J);
    }
    return J;
}

// block: nb, written
static pcs_status take_rows(const pcs_global_problem *g, pcs_arena *arena, bodies_block *block)
{
    const pcs_bsr *H = &g->H;
    bool enough = true;
    for (int b = 0, i = 0; b < g->nb; ++b) {
        const pcs_block *from = &g->block[b];
        while (H->row[i + 1] <= from->row) {
            ++i;
        }
        bodies_block *to = &block[b];
        *to = (bodies_block){.cone = from->cone,
                             .dim = from->dim,
                             .row = from->row,
                             .mu = from->mu,
                             .sys = {-1, -1}};
        const int top = from->row - H->row[i];
        int sides = 0;
        for (int k = H->ptr[i]; k < H->ptr[i + 1]; ++k) {
            if (!touches(H, i, k, top, from->dim)) continue;
            if (sides == 2) return PCS_ERR_UNSUPPORTED;
            to->sys[sides] = H->idx[k];
            to->rows[sides] = rows_of(H, i, k, top, from->dim, arena);
            enough = enough && to->rows[sides];
            ++sides;
        }
        if (sides == 0) return PCS_ERR_UNSUPPORTED;
    }
    // the demand of all rows is recorded even when the first does not fit
    return enough ? PCS_OK : pcs_fail_memory("global problem");
}

// ---- rotations ---------------------------------------------------------------------------------

// what the contacts of a body say of its rotation
typedef struct body_rotation {
    double S[9], size; // the largest S and its norm
    double R[2][9];    // the rotations that it allows
    bool fits[2];      // whether all contacts allow them
} body_rotation;

// whether T is a rotation (1), minus one (-1), or neither (0)
static int sign_of(const double T[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            if (!(fabs(v3_dot(T + 3 * i, T + 3 * j) - (i == j)) <= ROUNDING)) return 0;
        }
    }
    return m3_det(T) > 0 ? 1 : -1;
}

// the sign of the first side of a contact of rigid bodies that may have a frame, else 0
static int frame_sign(const block_lu *A, const bodies_block *k)
{
    if (k->dim != 3 || k->cone != PCS_CONE_COULOMB) return 0;
    for (int e = 0; e < 2 && k->sys[e] >= 0; ++e) {
        if (!A->kind || A->kind[k->sys[e]] == BLOCK_DENSE) return 0;
    }
    for (int i = 0; i < 9 && k->sys[1] >= 0; ++i) {
        if (!(fabs(k->rows[1][i] + k->rows[0][i]) <= ROUNDING)) return 0;
    }
    return sign_of(k->rows[0]);
}

static double norm_of(const double S[9])
{
    return sqrt(v3_dot(S, S) + v3_dot(S + 3, S + 3) + v3_dot(S + 6, S + 6));
}

// S of the rows [T, B]; returns its norm
static double arms(const double *rows, double S[9])
{
    for (int j = 0; j < 3; ++j) {
        m3_mul_t(rows, rows + 9 + 3 * j, S + 3 * j);
    }
    return norm_of(S);
}

// l with S = -[l]x R; false where S R^T is not skew
static bool lever_of(const double S[9], const double R[9], double l[3])
{
    double X[9], off = 0;
    for (int j = 0; j < 3; ++j) {
        const double row[3] = {R[j], R[j + 3], R[j + 6]};
        m3_mul(S, row, X + 3 * j);
    }
    l[0] = 0.5 * (X[7] - X[5]);
    l[1] = 0.5 * (X[2] - X[6]);
    l[2] = 0.5 * (X[3] - X[1]);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i <= j; ++i) {
            off = fmax(off, fabs(X[i + 3 * j] + X[j + 3 * i]));
        }
    }
    return off <= ROUNDING * norm_of(S);
}

// the rotation R with S = -[l]x R, l along `sign` times the line that S gives; S is not zero
static bool rotation_of(const double S[9], double sign, double R[9])
{
    // the line is orthogonal to the columns of S: the longest product of two of them
    double n[3] = {0}, c[3], most = 0;
    for (int j = 0; j < 3; ++j) {
        v3_cross(S + 3 * j, S + 3 * ((j + 1) % 3), c);
        if (!(v3_norm(c) > most)) continue;
        most = v3_norm(c);
        v3_copy(c, n);
    }
    if (!(most > 0)) return false;
    v3_unit(n, n);

    // two unit vectors across n, their rows of R, and the row of n
    const double length = sign * norm_of(S) / sqrt(2);
    double a[3] = {0}, b[3], x[3], y[3], z[3], P[9];
    for (int j = 0; j < 3; ++j) {
        v3_cross(n, S + 3 * j, P + 3 * j);
        v3_scale(1 / length, P + 3 * j, P + 3 * j);
    }
    a[fabs(n[0]) < 0.6 ? 0 : 1] = 1;
    v3_cross(n, a, b);
    v3_unit(b, b);
    v3_cross(b, n, a);
    m3_mul_t(P, a, x);
    m3_mul_t(P, b, y);
    v3_cross(x, y, z);
    for (int j = 0; j < 3; ++j) {
        v3_along(P + 3 * j, z[j], n, R + 3 * j);
    }
    return sign_of(R) == 1;
}

// sign: of each block, 0 without a frame
static void find_rotations(const bodies_problem *b, const signed char *sign, body_rotation *body)
{
    double S[9], l[3];
    for (int s = 0; s < b->A->nb; ++s) {
        body[s] = (body_rotation){.R[0] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .fits = {true, true}};
    }
    for (int i = 0; i < b->nb; ++i) {
        for (int e = 0; sign[i] != 0 && e < 2 && b->block[i].sys[e] >= 0; ++e) {
            body_rotation *s = &body[b->block[i].sys[e]];
            const double size = arms(b->block[i].rows[e], S);
            if (!(size > s->size)) continue;
            s->size = size;
            memcpy(s->S, S, sizeof S);
        }
    }
    for (int s = 0; s < b->A->nb; ++s) {
        for (int c = 0; body[s].size > 0 && c < 2; ++c) {
            body[s].fits[c] = rotation_of(body[s].S, c == 0 ? 1 : -1, body[s].R[c]);
        }
    }
    for (int i = 0; i < b->nb; ++i) {
        for (int e = 0; sign[i] != 0 && e < 2 && b->block[i].sys[e] >= 0; ++e) {
            body_rotation *s = &body[b->block[i].sys[e]];
            if (!(arms(b->block[i].rows[e], S) > 0)) continue;
            for (int c = 0; c < 2; ++c) {
                s->fits[c] = s->fits[c] && lever_of(S, s->R[c], l);
            }
        }
    }
}

// ---- frames ------------------------------------------------------------------------------------

// puts frame and levers in place of the rows of a contact, if its bodies allow it
static void put_frame(const double *R, int sign, bodies_block *k)
{
    bodies_block to = *k;
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            to.F[i + 3 * j] = sign * k->rows[0][j + 3 * i];
        }
    }
    for (int e = 0; e < 2; ++e) {
        const int from = sign > 0 ? e : 1 - e;
        double S[9], l[3];
        to.sys[e] = k->sys[from];
        to.rows[e] = NULL;
        if (to.sys[e] < 0) continue;
        arms(k->rows[from], S);
        if (!lever_of(S, R + 9 * (size_t)to.sys[e], l)) return;
        to.along[e] = v3_dot(l, to.F);
        v3_along(l, -to.along[e], to.F, to.core[e]);
        // of a sphere
        if (v3_norm(to.core[e]) <= ROUNDING * v3_norm(l)) memset(to.core[e], 0, sizeof to.core[e]);
    }
    *k = to;
}

static pcs_status take_frames(pcs_arena *arena, bodies_block *block, bodies_problem *b)
{
    const size_t ns = (size_t)b->A->nb;
    double *R = PCS_TAKE(arena, 9 * ns, double);
    pcs_arena scratch = *arena;
    body_rotation *body = PCS_TAKE(&scratch, ns, body_rotation);
    signed char *sign = PCS_TAKE(&scratch, (size_t)b->nb, signed char);
    if (!R || !body || !sign) return pcs_fail_memory("global problem");
    for (int i = 0; i < b->nb; ++i) {
        sign[i] = (signed char)frame_sign(b->A, &b->block[i]);
    }
    find_rotations(b, sign, body);
    for (size_t s = 0; s < ns; ++s) {
        memcpy(R + 9 * s, body[s].R[!body[s].fits[0] && body[s].fits[1]], 9 * sizeof *R);
    }
    b->R = R;
    for (int i = 0; i < b->nb; ++i) {
        if (sign[i] != 0) put_frame(R, sign[i], &block[i]);
    }
    return PCS_OK;
}

// ---- the problem -------------------------------------------------------------------------------

pcs_status bodies_from_global(const pcs_global_problem *g, pcs_arena *arena, bodies_problem *out)
{
    *out =
        (bodies_problem){.n = bsr_rows(&g->H), .nb = g->nb, .A = mass_blocks(g->M), .shift = g->w};
    if (!out->A) return PCS_ERR_UNSUPPORTED;
    bodies_block *block = PCS_TAKE(arena, (size_t)g->nb, bodies_block);
    double *zero = PCS_TAKE(arena, g->w ? 0 : (size_t)out->n, double);
    if (!block || !zero) return pcs_fail_memory("global problem");
    if (!g->w) {
        memset(zero, 0, (size_t)out->n * sizeof *zero);
        out->shift = zero;
    }
    out->block = block;
    PCS_TRY(take_rows(g, arena, block));
    return take_frames(arena, block, out);
}

// ---- in words ----------------------------------------------------------------------------------

// a difference of M and M' below this part of the largest entry is rounding
#define SYMMETRY 1e-12

// number of blocks of M that a constraint touches
static int touched(const pcs_global_problem *g, const pcs_block *k)
{
    const pcs_bsr *H = &g->H;
    int i = 0, n = 0;
    while (H->row[i + 1] <= k->row) {
        ++i;
    }
    for (int e = H->ptr[i]; e < H->ptr[i + 1]; ++e) {
        n += touches(H, i, e, k->row - H->row[i], k->dim);
    }
    return n;
}

// what a block with the values A is not, or null; A is overwritten
static const char *lacks(int n, double *A)
{
    double most = 0, odd = 0;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            most = fmax(most, fabs(A[i + n * j]));
            odd = fmax(odd, fabs(A[i + n * j] - A[j + n * i]));
        }
    }
    if (odd > SYMMETRY * most) return "symmetric";
    return dense_cholesky(n, A) ? NULL : "positive definite";
}

// appends the first block that is no mass
static pcs_status judge_mass(const pcs_env *env, const block_lu *F, char *words, size_t room)
{
    for (int b = 0; b < F->nb && F->val; ++b) {
        if (F->kind && F->kind[b] == BLOCK_ENVELOPE) continue;
        const int n = F->start[b + 1] - F->start[b];
        double *A = pcs_env_alloc(env, (size_t)n * (size_t)n, sizeof *A);
        if (!A) return pcs_fail_memory("global problem");
        block_lu_values(F, b, A);
        const char *what = lacks(n, A);
        pcs_env_free(env, A);
        if (!what) continue;
        snprintf(words, room, "; block %d of M is not %s", b + 1, what);
        break;
    }
    return PCS_OK;
}

pcs_status pcs_global_form(const pcs_env *env, const pcs_global_problem *g,
                           char words[PCS_GLOBAL_FORM_SIZE])
{
    PCS_TRY(pcs_global_check(g));
    const block_lu *F = mass_blocks(g->M);
    if (!F) {
        snprintf(words, PCS_GLOBAL_FORM_SIZE, "condensed: M is not block-diagonal");
        return PCS_OK;
    }
    int n = snprintf(words, PCS_GLOBAL_FORM_SIZE, "bodies: %d block%s of M", F->nb,
                     F->nb == 1 ? "" : "s");
    for (int b = 0; b < g->nb; ++b) {
        const int k = touched(g, &g->block[b]);
        if (k == 1 || k == 2) continue;
        n = snprintf(words, PCS_GLOBAL_FORM_SIZE, "condensed: constraint %d touches %d blocks of M",
                     b + 1, k);
        break;
    }
    return judge_mass(env, F, words + n, PCS_GLOBAL_FORM_SIZE - (size_t)n);
}
