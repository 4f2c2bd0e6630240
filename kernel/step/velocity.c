// The theta scheme with contacts (7.1): Newton on
//
//     R(v) - H^T r = 0,   R(v) = M (v - v_k) - h [ theta F(t + h, q', v) + (1 - theta) F_k ],
//
// where a system that is ahead (order.c) has the forces of theta = 1/2, at q_k advanced by h/2 v
// and by -h/2 v_k. With iteration matrix A = M - h theta dF/dv - h^2 theta^2 (dF/dq) T. One
// iterate: the motion without contact v_free = v - A^-1 R, the cone problem u = W r + b with W = H
// A^-1 H^T, and v = v_free + A^-1 H^T r. For constant forces one iterate is exact.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "model/carried.h"
#include "step/couple.h"

// units of the budget for the forces on a system and its iteration matrix
#define UNITS_PER_SYSTEM 5

// the parts of a motion that belong to one system
typedef struct part_of {
    const model_system *s;
    double theta, part; // of the coordinates, and of the forces
    bool ahead;
    const double *v;
    double *q, *R, *M;   // M: null unless it varies
    double *q_force;     // where the forces act
    const double *stiff; // stiffness of joints under tension, 3x3; or null
    system_force F1;
} part_of;

static inline part_of part_of_block(const trial *t, const motion *end, int b)
{
    const int system = t->m->block_system[b];
    const model_system *s = &t->m->system[system];
    return (part_of){.s = s,
                     .theta = end->theta[system],
                     .part = step_force_part(t, system),
                     .ahead = t->ahead && t->ahead[system],
                     .v = end->v + s->v_at,
                     .q = end->q + s->q_at,
                     .q_force = end->q_force + s->q_at,
                     .R = end->R + s->v_at,
                     .M = s->varies ? end->M + t->m->block_off[b] : NULL,
                     .stiff = trial_stiffness(t, b),
                     .F1 = trial_end_force(t, s)};
}

// R of a body under gravity alone at v = v_k, which does not depend on q'
static void evaluate_plain(const trial *t, const model_system *s, motion *end)
{
    const double *F = t->F_k + s->v_at, h = t->h;
    double *restrict R = end->R + s->v_at;
    for (int i = 0; i < BODY_NV; ++i) {
        R[i] = -h * F[i];
    }
}

// M at the theta-mean of the coordinates, or at the predicted ones; room has n entries
static pcs_status mass_in_step(const trial *t, const part_of *end, const double *mean, double *room)
{
    const model_system *s = end->s;
    const double *q_k = t->q_force + s->q_at, *q = end->q_force, theta = end->part;
    double advanced[BODY_NQ], *M = end->M;
    if (t->m->scheme.configuration == PCS_CONFIGURATION_PREDICTED) {
        double *there = s->kind == SYSTEM_BODY ? advanced : room;
        system_advance(s, q_k, t->m->scheme.gamma * t->h, t->st->v + s->v_at, t->m->scheme.update,
                       there);
        return system_mass(s, there, M);
    }
    if (s->kind == SYSTEM_BODY) {
        system_advance(s, q_k, theta * t->h, mean, t->m->scheme.update, advanced);
        return system_mass(s, advanced, M);
    }
    for (int i = 0; i < s->nv; ++i) {
        room[i] = (1 - theta) * q_k[i] + theta * q[i];
    }
    return system_mass(s, room, M);
}

// q' of a system by the theta-mean of the velocities, the forces there, and R; room has 3 n
// numbers. Bodies have a constant n: the loops are short.
static inline pcs_status evaluate_part(const trial *t, const part_of *end, int n,
                                       double *restrict room)
{
    const pcs_model *m = t->m;
    const model_system *s = end->s;
    const double theta = end->theta, part = end->part, h = t->h;
    double *mean = room, *dv = room + n, *Mdv = room + 2 * (size_t)n;
    const double *v_k = t->st->v + s->v_at, *v = end->v;
    for (int i = 0; i < n; ++i) {
        mean[i] = theta * v[i] + (1 - theta) * v_k[i];
        dv[i] = v[i] - v_k[i];
    }
    if (!s->disabled) {
        system_advance(s, t->st->q + s->q_at, h, mean, m->scheme.update, end->q);
    }
    if (end->ahead) {
        system_advance(s, t->st->q + s->q_at, 0.5 * h, v, m->scheme.update, end->q_force);
    } else if (end->q_force != end->q) {
        memcpy(end->q_force, end->q, (size_t)s->nq * sizeof *end->q);
    }
    const system_force F1 = end->F1;
    if (!s->plain) PCS_TRY(system_forces(m, s, t->st->t + h, end->q_force, v, F1));

    if (end->M) PCS_TRY(mass_in_step(t, end, mean, Mdv));
    system_mass_mul(s, end->M, dv, Mdv);
    const double *F_k = t->F_k + s->v_at;
    double *restrict R = end->R;
    for (int i = 0; i < n; ++i) {
        const double F_1 = F1.conservative[i] + F1.other[i] + F1.gyroscopic[i];
        R[i] = Mdv[i] - h * (part * F_1 + (1 - part) * F_k[i]);
    }
    if (end->stiff) {
        double turn[3];
        m3_mul(end->stiff, dv + 3, turn);
        v3_along(R + 3, 1, turn, R + 3);
    }
    return PCS_OK;
}

static pcs_status evaluate_system(const trial *t, const part_of *end, pcs_arena mem)
{
    double of_body[3 * BODY_NV];
    if (end->s->kind == SYSTEM_BODY) return evaluate_part(t, end, BODY_NV, of_body);
    double *room = PCS_TAKE(&mem, 3 * (size_t)end->s->nv, double);
    if (!room) return pcs_fail_memory("step: a Lagrangian system");
    return evaluate_part(t, end, end->s->nv, room);
}

// the same for all systems; `first`: v is still v_k
static pcs_status evaluate(const trial *t, bool first, pcs_arena mem, motion *end)
{
    for (int b = 0; b < t->m->n_blocks; ++b) {
        const model_system *s = &t->m->system[t->m->block_system[b]];
        if (skips(t, t->m->block_system[b])) continue;
        if (t->held && t->held[t->m->block_system[b]]) {
            memset(end->R + s->v_at, 0, (size_t)s->nv * sizeof *end->R);
            continue;
        }
        if (first && s->plain) {
            evaluate_plain(t, s, end);
            continue;
        }
        const part_of part = part_of_block(t, end, b);
        PCS_TRY(evaluate_system(t, &part, mem));
    }
    PCS_TRY(model_carry(t->m, end->q));
    if (end->q_force != end->q) PCS_TRY(model_carry(t->m, end->q_force));
    return t->joined ? couple_evaluate(t, first, mem, end) : PCS_OK;
}

// ---- the balance of a system --------------------------------------------------------------------

// The residual e = R - H^T r of a system is measured against its own terms: what another body does,
// or the velocity of the frame, does not decide when the iterates of this one end. A term is what
// changes the momentum of the step: M (v - v_k), h times each part of F_k, each impulse of H^T r,
// but not M v. Translation and rotation of a body are measured apart, and so are the coordinates of
// a Lagrangian system that have mass and those that have none. With the diagonal of M^-1 the unit
// of a coordinate cancels: |e|^2 = sum e_i^2 / M_ii.

// A residual this part of M v, of h K q and of h D v counts as none: it is rounding of v and q
#define ROUNDING (8 * DBL_EPSILON)

// the size of the numbers that are rounded in coordinate i of a system
static inline double rounded(const trial *t, const model_system *s, double mass, int i)
{
    const int at = s->v_at + i, from = s->q_at + i;
    const double v = fabs(t->end.v[at]) + fabs(t->st->v[at]);
    if (s->kind == SYSTEM_BODY) return mass * v;
    const double q = fabs(t->end.q[from]) + fabs(t->st->q[from]);
    return mass * v +
           t->h * (system_stiffness_diagonal(s, i) * q + system_damping_diagonal(s, i) * v);
}

// squares, with M^-1
typedef struct balance {
    double left, terms, rounding;
} balance;

// the part of coordinate i, and its weight
static inline balance *part_of_coordinate(const model_system *s, int i, double mass,
                                          balance part[2], double *weight)
{
    *weight = mass > 0 ? 1 / mass : 1;
    return &part[s->kind == SYSTEM_BODY ? i / 3 : !(mass > 0)];
}

static inline void add_residual(const trial *t, const model_system *s, const double *M, int i,
                                balance part[2])
{
    const int at = s->v_at + i;
    const double mass = system_mass_diagonal(s, M, i);
    double weight;
    balance *of = part_of_coordinate(s, i, mass, part, &weight);
    const double left = t->end.R[at] - t->end.p[at], lost = ROUNDING * rounded(t, s, mass, i);
    of->left += left * left * weight;
    of->rounding += (lost * lost + (t->joined ? t->joined->rounding[at] : 0)) * weight;
}

// size: that of the impulses
static inline void add_term(const trial *t, const model_system *s, const double *M, int i,
                            double size, balance part[2])
{
    const int at = s->v_at + i;
    const double mass = system_mass_diagonal(s, M, i);
    double weight;
    balance *of = part_of_coordinate(s, i, mass, part, &weight);
    const system_force F = force_at(t->Fk, at);
    const double change = mass * fabs(t->end.v[at] - t->st->v[at]);
    const double force = fmax(fabs(*F.conservative), fmax(fabs(*F.other), fabs(*F.gyroscopic)));
    const double term = fmax(change, fmax(t->h * force, size));
    of->terms += term * term * weight;
}

// |e| relative to the terms, of the worse of both parts; size as long as v, or null. Bodies have a
// constant n
static inline double residual_of(const trial *t, const model_system *s, const double *M, int n,
                                 const double *size)
{
    balance part[2] = {{0}};
    for (int i = 0; i < n; ++i) {
        add_residual(t, s, M, i, part);
    }
    const bool none = part[0].left <= part[0].rounding && part[1].left <= part[1].rounding;
    for (int i = 0; !none && i < n; ++i) {
        add_term(t, s, M, i, size ? size[s->v_at + i] : 0, part);
    }
    double worst = 0;
    for (int k = 0; k < 2; ++k) {
        const double left = part[k].left;
        if (left <= part[k].rounding) continue;
        const double ratio = sqrt(left / (part[k].terms > 0 ? part[k].terms : left));
        if (ratio > worst || isnan(ratio)) worst = ratio;
    }
    return worst;
}

static double system_residual(const trial *t, int b, const double *size)
{
    const model_system *s = &t->m->system[t->m->block_system[b]];
    const double *M = s->varies ? t->end.M + t->m->block_off[b] : NULL;
    if (s->kind == SYSTEM_BODY) return residual_of(t, s, M, BODY_NV, size);
    return residual_of(t, s, M, s->nv, size);
}

// True when the last iterate changed v of a system by no more than the rounding error of q causes.
// If forces cancel, as for a mass at rest on its spring, no residual is smaller. An error d of q is
// an error h theta dF/dq d of R, and with A >= h^2 theta^2 |dF/dq| an error d / (h theta^2) of v.
static bool lost_in_rounding(const trial *t, int b)
{
    const model_system *s = &t->m->system[t->m->block_system[b]];
    const double part = step_force_part(t, t->m->block_system[b]), slope = t->h * part * part;
    if (slope == 0) return false;
    double q = 1, moved = 0;
    for (int i = 0; i < s->nq; ++i) {
        q = fmax(q, fabs(t->end.q[s->q_at + i]));
    }
    for (int i = s->v_at; i < s->v_at + s->nv; ++i) {
        moved = fmax(moved, fabs(t->end.v[i] - t->end.v_before[i]));
    }
    return moved <= 16 * DBL_EPSILON * q / slope;
}

// True when the iterates of every system have ended: its residual is small, or it was lost in
// rounding twice and never larger in between, which `lost` counts per block. *residual: the largest
// of all systems
static pcs_status balanced(const trial *t, pcs_arena mem, motion *end, int *lost, double *residual,
                           bool *all)
{
    double *size = NULL;
    if (t->solution.rows > 0) {
        size = PCS_TAKE(&mem, (size_t)t->m->nv, double);
        if (!size) return pcs_fail_memory("step");
        bodies_impulses(&t->solution.problem, t->solution.r, end->p);
        bodies_impulse_sizes(&t->solution.problem, t->solution.r, size);
    }
    *residual = 0;
    *all = true;
    for (int b = 0; b < t->m->n_blocks; ++b) {
        if (skips(t, t->m->block_system[b])) continue;
        const double own = system_residual(t, b, size);
        if (own > *residual || isnan(own)) *residual = own;
        const bool small = own <= t->m->scheme.newton_tol;
        if (!small) lost[b] = lost_in_rounding(t, b) ? lost[b] + 1 : 0;
        *all = *all && (small || lost[b] >= 2);
    }
    return PCS_OK;
}

// ---- the iteration matrix ---------------------------------------------------------------------

// The error of a singular block b. If M at the start is singular, the model is wrong; otherwise the
// iteration matrix is singular only for this step size, or at this iterate.
pcs_status step_singular(const trial *t, int b)
{
    const pcs_model *m = t->m;
    const model_system *s = &m->system[m->block_system[b]];
    char words[PART_WORDS];
    part_words(m, PART_SYSTEM, "system ", m->block_system[b] + 1, words);
    if (!t->end.moved && s->kind == SYSTEM_LAGRANGIAN && s->varies) {
        block_lu F = t->solution.lu;
        const size_t n = (size_t)s->nv;
        memcpy(F.lu + F.off[b], t->end.M + m->block_off[b], n * n * sizeof(double));
        if (!block_lu_factor_one(&F, b)) {
            return pcs_fail(PCS_ERR_SINGULAR, "step: the mass of %s is singular", words);
        }
    }
    return pcs_fail_range(PCS_ERR_SINGULAR,
                          "step: the iteration matrix M - h theta dF/dv - h^2 theta^2 dF/dq of"
                          " %s is singular; a smaller step may help",
                          words);
}

// M + a D + a^2 K
static bool factorise_sparse(const model_sparse *s, double a, envelope *A)
{
    const size_t entries = s->row[A->n];
    for (size_t k = 0; k < entries; ++k) {
        A->val[k] =
            s->M.val[k] + (s->D.val ? a * s->D.val[k] : 0) + (s->K.val ? a * a * s->K.val[k] : 0);
    }
    return envelope_factor(A);
}

// factors of linear systems are kept in the work until the step size changes
static pcs_status refresh_linear(const trial *t)
{
    const pcs_model *m = t->m;
    pcs_work *wk = t->work;
    const bool same_h = wk->linear_h == t->h;
    wk->linear_h = NAN;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (wk->linear_off[b] == SIZE_MAX && !s->sparse) continue;
        const double part = step_force_part(t, m->block_system[b]), a = t->h * part;
        if (same_h && wk->linear_theta[b] == part) continue;
        if (s->sparse) {
            if (!factorise_sparse(s->sparse, a, wk->sparse[b])) return step_singular(t, b);
            wk->linear_theta[b] = part;
            continue;
        }
        double *A = wk->linear_lu + wk->linear_off[b];
        PCS_TRY(system_mass(s, NULL, A));
        PCS_TRY(system_subtract_jacobian(s, t->st->t, NULL, NULL, a, a * a, NULL, A));
        block_lu one = {.nb = m->n_blocks,
                        .start = m->block_start,
                        .off = wk->linear_off,
                        .lu = wk->linear_lu,
                        .piv = wk->linear_piv,
                        .val = wk->linear_val};
        if (!block_lu_factor_one(&one, b)) return step_singular(t, b);
        wk->linear_theta[b] = part;
    }
    wk->linear_h = t->h;
    return PCS_OK;
}

// the values of a block at an iterate, of n x n numbers
static pcs_status part_values(const trial *t, const part_of *end, pcs_arena mem, double *A)
{
    const model_system *s = end->s;
    const double a = t->h * end->part;
    const size_t n = (size_t)s->nv;
    if (end->M) {
        memcpy(A, end->M, n * n * sizeof *A);
    } else {
        PCS_TRY(system_mass(s, NULL, A));
    }
    double *work = PCS_TAKE(&mem, system_jacobian_work(s), double);
    if (!work) return pcs_fail_memory("step: the iteration matrix");
    PCS_TRY(system_subtract_jacobian(s, t->st->t + t->h, end->q_force, end->v, a, a * a, work, A));
    system_add_stiffness(end->stiff, A);
    return PCS_OK;
}

pcs_status step_block_values(const trial *t, int b, pcs_arena mem, double *A)
{
    const part_of part = part_of_block(t, &t->end, b);
    return part_values(t, &part, mem, A);
}

// the factors of block b at an iterate, as block `at` of F
static pcs_status factorise_part(const trial *t, int b, const part_of *end, pcs_arena mem,
                                 block_lu *F, unsigned char *kinds, int at)
{
    const pcs_model *m = t->m;
    const model_system *s = end->s;
    const double a = t->h * end->part;
    const size_t n = (size_t)s->nv;
    if (s->sparse) { // kept in the work
        kinds[at] = BLOCK_ENVELOPE;
        return PCS_OK;
    }
    double *A = F->lu + F->off[at];
    int *piv = F->piv + F->start[at];
    const int kind = system_body_matrix(s, end->v, a, end->stiff, A);
    kinds[at] = (unsigned char)kind;
    if (kind == BLOCK_DIAGONAL) return PCS_OK;
    if (kind == BLOCK_RIGID) return block_lu_factor_one(F, at) ? PCS_OK : step_singular(t, b);
    const size_t off = t->work->linear_off[b];
    if (off != SIZE_MAX) {
        memcpy(A, t->work->linear_lu + off, n * n * sizeof *A);
        if (F->val) memcpy(F->val + F->off[at], t->work->linear_val + off, n * n * sizeof *A);
        memcpy(piv, t->work->linear_piv + m->block_start[b], n * sizeof *piv);
        return PCS_OK;
    }
    PCS_TRY(part_values(t, end, mem, A));
    return block_lu_factor_one(F, at) ? PCS_OK : step_singular(t, b);
}

pcs_status step_block_factors(const trial *t, int b, pcs_arena mem, block_lu *F,
                              unsigned char *kinds, int at)
{
    const part_of part = part_of_block(t, &t->end, b);
    return factorise_part(t, b, &part, mem, F, kinds, at);
}

// the factors at the current iterate
static pcs_status factorise(const trial *t, pcs_arena mem, solution *out)
{
    if (t->joined) return couple_factorise(t, mem);
    for (int b = 0; b < t->m->n_blocks; ++b) {
        out->lu_kind[b] = BLOCK_DIAGONAL;
        if (skips(t, t->m->block_system[b])) continue;
        const part_of part = part_of_block(t, &t->end, b);
        PCS_TRY(factorise_part(t, b, &part, mem, &out->lu, out->lu_kind, b));
    }
    return PCS_OK;
}

pcs_status step_solve_blocks(const trial *t, pcs_arena mem, double *x)
{
    const block_lu *F = &t->solution.lu;
    if (t->joined) return couple_solve(t, mem, x);
    for (int b = 0; b < F->nb; ++b) {
        if (skips(t, t->m->block_system[b])) continue;
        block_lu_solve(F, b, x + F->start[b]);
    }
    return PCS_OK;
}

// ---- contacts ---------------------------------------------------------------------------------

// the parts of the trial that the velocities write
typedef struct step_parts {
    candidates *list;
    motion *end;
    solution *solution;
} step_parts;

// one iterate; *good: its numbers are finite; *all: every system is balanced
static pcs_status iterate(const trial *t, pcs_arena *mem, const step_parts *to, int *lost,
                          pcs_step_report *out, bool *good, bool *all)
{
    const pcs_model *m = t->m;
    *good = *all = false;
    PCS_TRY(factorise(t, *mem, to->solution));
    trial_copy(t, t->end.v, t->end.v_before);
    to->end->moved = true;
    PCS_TRY(step_solve_blocks(t, *mem, t->end.R));
    double *restrict v = t->end.v;
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        for (int i = run->v; i < run->v + run->nv; ++i) {
            v[i] -= t->end.R[i];
        }
    }
    if (!trial_in_range(t, t->end.v)) return PCS_OK;
    if (t->solution.rows > 0) {
        PCS_TRY(step_solve_contacts(t, mem, t->end.v, to->list, to->solution, out));
        if (!trial_in_range(t, t->end.v)) return PCS_OK;
    } else { // an earlier pass may have had contacts
        out->solve = (pcs_report){0};
        out->friction_residual = 0;
    }
    PCS_TRY(evaluate(t, false, *mem, to->end));
    if (m->scheme.configuration == PCS_CONFIGURATION_ITERATE && t->solution.rows > 0) {
        PCS_TRY(step_update_rows(t, *mem, to->list, to->solution));
    }
    out->newton_iters += 1;
    PCS_TRY(balanced(t, *mem, to->end, lost, &out->newton_residual, all));
    *good = !isnan(out->newton_residual);
    return PCS_OK;
}

// Newton's method from v_k with at most `most` iterates
static pcs_status iterates(const trial *t, int most, pcs_arena *mem, const step_parts *to,
                           pcs_step_report *out, pcs_outcome *outcome)
{
    const pcs_scheme *scheme = &t->m->scheme;
    to->end->moved = false;
    trial_copy(t, t->st->v, t->end.v);
    trial_copy(t, NULL, t->end.p);
    if (t->list.n > 0) PCS_TRY(step_assemble(t, mem, to->list, to->solution));
    if (t->list.n > 0) step_start_bounds(t, to->list, to->solution);
    if (scheme->configuration == PCS_CONFIGURATION_PREDICTED)
        PCS_TRY(step_predict_rows(t, *mem, to->list, to->solution));
    PCS_TRY(refresh_linear(t));
    PCS_TRY(evaluate(t, true, *mem, to->end));

    int none = 0, contradicted = 0, *lost = PCS_TAKE(mem, (size_t)t->m->n_blocks, int);
    if (!lost) return pcs_fail_memory("step");
    memset(lost, 0, (size_t)t->m->n_blocks * sizeof *lost);
    const pcs_arena base = *mem;
    *outcome = PCS_OUTCOME_MAX_ITERS;
    out->newton_residual = NAN; // no v' yet
    for (int it = 0; it < most && *outcome == PCS_OUTCOME_MAX_ITERS; ++it) {
        bool good, all;
        // the first iterate is made with any budget: without it there is no result to judge
        if (it > 0 && step_velocity_over(t->work, t->share, outcome)) break;
        step_spend(t->work, UNITS_PER_SYSTEM * (double)t->m->n_blocks);
        *mem = base;
        PCS_TRY(iterate(t, mem, to, lost, out, &good, &all));
        if (!good) {
            *outcome = PCS_OUTCOME_DIVERGED;
        } else if (all) {
            *outcome = PCS_OUTCOME_CONVERGED;
        } else {
            // with impulses that obey no law the residual need not fall
            const pcs_outcome last = out->solve.outcome;
            none = last == PCS_OUTCOME_INFEASIBLE ? none + 1 : 0;
            if (none == 2 && !step_rows_follow(scheme)) *outcome = PCS_OUTCOME_INFEASIBLE;
            // the step solves again where these joints are closed (step.c)
            const bool fails = last == PCS_OUTCOME_INFEASIBLE || last == PCS_OUTCOME_STALLED;
            if (t->list.loops && fails && ++contradicted == 2) break;
        }
    }
    return PCS_OK;
}

// The same with the outcome `diverged` when iterates diverge, or when the step size makes a matrix
// singular. A callback without a finite result at the velocities of the start is an error.
static pcs_status newton(const trial *t, int most, pcs_arena *mem, const step_parts *to,
                         pcs_step_report *out, pcs_outcome *outcome)
{
    const pcs_status status = iterates(t, most, mem, to, out, outcome);
    if (status == PCS_OK || !pcs_failed_range()) return status;
    if (!t->end.moved && status != PCS_ERR_SINGULAR) return status;
    step_keep_cause(t->work);
    *outcome = PCS_OUTCOME_DIVERGED;
    out->newton_residual = NAN;
    return PCS_OK;
}

// ---- one system under given impulses ------------------------------------------------------------

// largest number of iterates for one system; if they are not enough, v does not change
#define PART_ITERATES 12

// relative change of v that ends the iterates
#define PART_TOL 1e-12

pcs_status step_part_velocity(const trial *t, int b, const double *p, pcs_arena mem, double *v)
{
    const model_system *s = &t->m->system[t->m->block_system[b]];
    const size_t n = (size_t)s->nv, off = 0, size = system_factor_size(s);
    if (s->plain || s->forces > 0 || s->sparse || t->work->linear_off[b] != SIZE_MAX) return PCS_OK;
    double *x = PCS_TAKE(&mem, 6 * n + 2 * (size_t)s->nq + size, double);
    double *M = s->varies ? PCS_TAKE(&mem, n * n, double) : NULL;
    int *piv = PCS_TAKE(&mem, n, int);
    unsigned char kind = 0;
    if (!x || !piv || (s->varies && !M)) return pcs_fail_memory("step: paths");
    double *F1 = x + 2 * n, *q = x + 5 * n;
    double *dv = q + 2 * s->nq, *lu = dv + n;
    part_of part = part_of_block(t, &t->end, b);
    part.v = x;
    part.q = q;
    part.q_force = q + s->nq;
    part.R = x + n;
    part.M = M;
    part.F1 = (system_force){F1, F1 + n, F1 + 2 * n};
    block_lu F = {.nb = 1,
                  .start = (const int[]){0, s->nv},
                  .off = &off,
                  .lu = lu,
                  .piv = piv,
                  .kind = &kind};
    memcpy(x, t->st->v + s->v_at, n * sizeof *x);
    memcpy(q, t->st->q + s->q_at, (size_t)s->nq * sizeof *q);
    for (int it = 0; it < PART_ITERATES; ++it) {
        double change = 0, most = 0;
        pcs_status status = evaluate_system(t, &part, mem);
        if (status == PCS_OK) status = factorise_part(t, b, &part, mem, &F, &kind, 0);
        if (status != PCS_OK) return pcs_failed_range() ? PCS_OK : status;
        for (size_t i = 0; i < n; ++i) {
            dv[i] = p[i] - part.R[i];
        }
        block_lu_solve(&F, 0, dv);
        for (size_t i = 0; i < n; ++i) {
            x[i] += dv[i];
            change = fmax(change, fabs(dv[i]));
            most = fmax(most, fabs(x[i]));
        }
        if (!model_in_range(x, n)) return PCS_OK;
        if (change <= PART_TOL * most) {
            memcpy(v, x, n * sizeof *x);
            return PCS_OK;
        }
    }
    return PCS_OK;
}

pcs_status step_velocity(const trial *t, pcs_arena *mem, candidates *list, motion *end, solution *s,
                         pcs_step_report *out)
{
    const step_parts to = {list, end, s};
    end->q_free = NULL; // removes that of an earlier pass
    list->over_known = list->clear = list->gaps_known = false;
    pcs_outcome outcome;
    PCS_TRY(newton(t, t->m->scheme.newton_max, mem, &to, out, &outcome));

    // diverged velocities cannot be accepted; the first iterate may be
    if (outcome == PCS_OUTCOME_DIVERGED) {
        PCS_TRY(newton(t, 1, mem, &to, out, &outcome));
        outcome = PCS_OUTCOME_DIVERGED;
    }
    if (outcome == PCS_OUTCOME_CONVERGED && t->solution.rows > 0) {
        outcome = out->solve.outcome;
        if (step_solved_contacts(t, &out->solve, out->friction_residual, *mem)) {
            outcome = PCS_OUTCOME_CONVERGED;
        }
    }
    out->outcome = outcome;
    return PCS_OK;
}
