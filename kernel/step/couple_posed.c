// Elements on bodies that systems with sparse matrices carry: between poses they are as stiff as
// between any two bodies, K_p and D_p, and with the velocities B v of these
//
//     K = B^T K_p B,   D = B^T D_p B,
//
// without the change of B along the motion. Newton's method then needs more iterates where B
// changes, and has the same result. Only columns of B that are not zero at q_k have entries: those
// of the few unknowns that move the body.
#include "step/couple.h"

#include <string.h>

#include "systems/systems.h"

bool posed_element(const pcs_model *m, const model_force *f)
{
    for (int e = 0; e < 2; ++e) {
        const int mover = system_mover(m, f->pose[e]);
        if (mover >= 0 && m->system[mover].sparse) return true;
    }
    return false;
}

// an element between poses, with its stiffness there
typedef struct posed {
    model_force as; // the element, as if the poses moved by themselves
    force_side side[2];
    double *B[2]; // of carried bodies, 6 x n; null: the velocities of the system
    double *K, *D;
} posed;

static pcs_status take_posed(const trial *t, const model_force *f, const force_side side[2],
                             pcs_arena *mem, posed *out)
{
    out->as = *f;
    out->as.carried = false;
    memcpy(out->as.system, f->pose, sizeof f->pose);
    double *room = PCS_TAKE(mem, force_room(t->m, f), double);
    if (!room) return pcs_fail_memory("step: forces");
    PCS_TRY(force_posed(t->m, f, side, room, out->side, out->B));
    const size_t N = (size_t)out->side[0].n + (size_t)out->side[1].n;
    out->K = PCS_TAKE(mem, 2 * N * N, double);
    double *work = PCS_TAKE(mem, force_work(t->m, &out->as, out->side), double);
    if (!out->K || !work) return pcs_fail_memory("step: forces");
    out->D = out->K + N * N;
    return force_jacobian(t->m, &out->as, t->st->t + t->h, out->side, work, out->K, out->D);
}

pcs_status posed_predict(const trial *t, const model_force *f, const force_side side[2],
                         pcs_arena mem, force_sum F)
{
    posed p;
    PCS_TRY(take_posed(t, f, side, &mem, &p));
    const int N = p.side[0].n + p.side[1].n;
    double *g = PCS_TAKE(&mem, (size_t)N, double);
    if (!g) return pcs_fail_memory("step: forces");
    memset(g, 0, (size_t)N * sizeof *g);
    for (int e = 0, k = 0; e < 2; ++e) {
        const bool moves = system_moves(t->m, system_mover(t->m, f->pose[e]));
        for (int j = 0; j < p.side[e].n; ++j, ++k) {
            const double d = moves ? t->h * p.side[e].v[j] : 0;
            for (int i = 0; i < N && d != 0; ++i) {
                g[i] += p.K[i + (size_t)N * (size_t)k] * d;
            }
        }
    }
    for (int e = 0, at = 0; e < 2; at += p.side[e].n, ++e) {
        const int to = force_side_of_end(f, e);
        double *G = F.conservative + (to == 0 ? 0 : side[0].n);
        for (int i = 0; p.B[e] && i < side[to].n; ++i) {
            for (int k = 0; k < 6; ++k) {
                G[i] -= p.B[e][k + 6 * (size_t)i] * g[at + k];
            }
        }
        for (int i = 0; !p.B[e] && i < p.side[e].n; ++i) {
            G[i] -= g[at + i];
        }
    }
    return PCS_OK;
}

// ---- the unknowns of an end --------------------------------------------------------------------

static pcs_status too_many(const trial *t, const model_force *f, int e)
{
    char element[PART_WORDS], body[PART_WORDS];
    return pcs_fail(PCS_ERR_UNSUPPORTED,
                    "step: %s: more than %d coordinates of its carrier move %s, so that its matrix"
                    " is not sparse; give the carrier dense matrices, or a body that fewer move",
                    force_words(t->m, f, element), COUPLED_COLUMNS,
                    system_words(&t->m->system[f->pose[e]], body));
}

// memory for the unknowns of an end, block -1 where nothing moves it
static bool take_columns(const trial *t, const model_force *f, int e, pcs_arena *mem,
                         coupled_end *out)
{
    const int mover = system_mover(t->m, f->pose[e]);
    *out = (coupled_end){.block = -1};
    if (!system_moves(t->m, mover)) return true;
    const model_system *s = &t->m->system[mover];
    out->block = s->block;
    out->column = PCS_TAKE(mem, s->sparse ? COUPLED_COLUMNS : (size_t)s->nv, int);
    return out->column;
}

// the columns of B that are not zero, or all velocities that are not locked
static pcs_status find_columns(const trial *t, const model_force *f, const double *B, int e,
                               coupled_end *out)
{
    if (out->block < 0) return PCS_OK;
    const model_system *s = &t->m->system[t->m->block_system[out->block]];
    for (int i = 0; i < s->nv; ++i) {
        bool moves = !B && !system_locks(s, i);
        for (int k = 0; B && k < 6; ++k) {
            moves = moves || B[k + 6 * (size_t)i] != 0;
        }
        if (!moves) continue;
        if (s->sparse && out->n == COUPLED_COLUMNS) return too_many(t, f, e);
        out->column[out->n++] = i;
    }
    return PCS_OK;
}

pcs_status posed_ends(const trial *t, pcs_arena *mem, coupling *c)
{
    const pcs_model *m = t->m;
    bool any = false;
    for (int i = 0; i < m->n_forces; ++i) {
        any = any || (force_acts(m, &m->force[i]) && posed_element(m, &m->force[i]));
    }
    if (!any) return PCS_OK;
    c->end = PCS_TAKE(mem, 2 * (size_t)m->n_forces, coupled_end);
    if (!c->end) return pcs_fail_memory("step: forces");
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        coupled_end *end = &c->end[2 * (size_t)i];
        end[0] = end[1] = (coupled_end){.block = -1};
        if (!force_acts(m, f) || !posed_element(m, f)) continue;
        const bool first = take_columns(t, f, 0, mem, &end[0]);
        const bool second = take_columns(t, f, 1, mem, &end[1]);
        pcs_arena scratch = *mem;
        double *room = PCS_TAKE(&scratch, force_room(m, f), double), *B[2];
        if (!first || !second || !room) return pcs_fail_memory("step: forces");
        force_side side[2], pose[2];
        force_sides(m, f, t->st->q, t->st->v, (const double *const[2]){NULL, NULL}, side);
        PCS_TRY(force_posed(m, f, side, room, pose, B));
        for (int e = 0; e < 2; ++e) {
            PCS_TRY(find_columns(t, f, B[e], e, &end[e]));
        }
    }
    return PCS_OK;
}

// ---- the iteration matrix -----------------------------------------------------------------------

// adds G_e^T S G_f to the rows of end e and the columns of end f; S is n x n_f
static pcs_status add_between(const trial *t, const posed *p, const coupled_end *end, int e, int f,
                              const double *S, pcs_arena mem, coupling *c)
{
    const int n = p->side[e].n, nf = p->side[f].n;
    double *SG = PCS_TAKE(&mem, (size_t)n, double);
    if (!SG) return pcs_fail_memory("step: forces");
    for (int j = 0; j < end[f].n; ++j) {
        const int column = end[f].column[j];
        memset(SG, 0, (size_t)n * sizeof *SG);
        for (int k = 0; k < nf; ++k) {
            const double g = p->B[f] ? p->B[f][k + 6 * (size_t)column] : (double)(k == column);
            for (int i = 0; g != 0 && i < n; ++i) {
                SG[i] += S[i + n * k] * g;
            }
        }
        for (int i = 0; i < end[e].n; ++i) {
            const int row = end[e].column[i];
            double sum = p->B[e] ? 0 : SG[row];
            for (int k = 0; p->B[e] && k < n; ++k) {
                sum += p->B[e][k + 6 * (size_t)row] * SG[k];
            }
            *sparse_number(t, c, end[e].block, row, end[f].block, column) += sum;
        }
    }
    return PCS_OK;
}

// adds the squares of the rounding of an end to those of the velocities that move it
static void add_rounding(const trial *t, const posed *p, const coupled_end *end, int e,
                         const double *square, coupling *c)
{
    double *to = c->rounding + t->m->block_start[end->block];
    for (int i = 0; i < end->n; ++i) {
        const int row = end->column[i];
        for (int k = 0; k < p->side[e].n; ++k) {
            const double g = p->B[e] ? p->B[e][k + 6 * (size_t)row] : (double)(k == row);
            to[row] += g * g * square[k];
        }
    }
}

pcs_status posed_add(const trial *t, const model_force *f, const force_side side[2], pcs_arena mem,
                     coupling *c)
{
    const coupled_end *end = &c->end[2 * (f - t->m->force)];
    posed p;
    PCS_TRY(take_posed(t, f, side, &mem, &p));
    const int N = p.side[0].n + p.side[1].n;
    double *square = PCS_TAKE(&mem, (size_t)N, double);
    if (!square) return pcs_fail_memory("step: forces");
    couple_rounding(t, &p.as, p.side, p.K, p.D, square);
    for (int e = 0, i0 = 0; e < 2; i0 += p.side[e].n, ++e) {
        if (end[e].block < 0) continue;
        const int n = p.side[e].n;
        add_rounding(t, &p, &end[e], e, square + i0, c);
        const double a = t->h * step_force_part(t, t->m->block_system[end[e].block]);
        for (int g = 0, k0 = 0; g < 2; k0 += p.side[g].n, ++g) {
            if (end[g].block < 0) continue;
            pcs_arena scope = mem;
            double *S = PCS_TAKE(&scope, (size_t)n * (size_t)p.side[g].n, double);
            if (!S) return pcs_fail_memory("step: forces");
            for (int k = 0; k < p.side[g].n; ++k) {
                for (int i = 0; i < n; ++i) {
                    const size_t at = (size_t)(i0 + i) + (size_t)N * (size_t)(k0 + k);
                    S[i + n * k] = a * p.D[at] + a * a * p.K[at];
                }
            }
            PCS_TRY(add_between(t, &p, end, e, g, S, scope, c));
        }
    }
    return PCS_OK;
}
