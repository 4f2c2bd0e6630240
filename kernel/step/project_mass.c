// One linearised projection in the mass metric (theory 8.1, VM): the contact problem with positions
// in place of velocities. With A = M, v_free = 0 and the gaps as shift,
//
//     w = H v + g,   w_E = 0,   0 <= w_I _|_ Lambda >= 0,   v = M^-1 H^T Lambda,   dq = T v
#include "step/project.h"

#include <string.h>

#include "rotation/pose.h"

// factor of the inertia of a body that must not rotate
#define HELD 1e12

// the mass of a body that must not rotate
static void hold_rotation(const model_system *s, double *lu)
{
    for (int i = 0; i < 3; ++i) {
        lu[i] = s->mass;
        lu[3 + i] = HELD * (s->J[0] + s->J[4] + s->J[8]);
    }
}

pcs_status project_masses(const trial *t, const bool *translated, pcs_arena *mem, block_lu *F)
{
    const pcs_model *m = t->m;
    *F = (block_lu){.nb = m->n_blocks, .start = m->block_start, .off = m->block_off};
    const double rest[BODY_NV] = {0};
    unsigned char *kind = PCS_TAKE(mem, (size_t)m->n_blocks, unsigned char);
    F->kind = kind;
    if (t->work->sparse_blocks > 0) F->of = t->work->sparse_mass;
    const size_t values = m->n_blocks > 0 ? m->block_off[m->n_blocks] : 0;
    F->lu = PCS_TAKE(mem, values, double);
    F->val = PCS_TAKE(mem, values, double);
    F->piv = PCS_TAKE(mem, (size_t)m->nv, int);
    if (!kind || !F->lu || !F->val || !F->piv) return pcs_fail_memory("projection");
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const double *stiff = trial_stiffness(t, b);
        if (s->sparse) {
            kind[b] = BLOCK_ENVELOPE;
            continue;
        }
        int is = BLOCK_DENSE;
        if (s->kind == SYSTEM_BODY) {
            is = system_body_matrix(s, rest, 0, stiff, F->lu + F->off[b]);
        }
        kind[b] = (unsigned char)is;
        if (translated && translated[b] && s->kind == SYSTEM_BODY) {
            kind[b] = BLOCK_DIAGONAL;
            hold_rotation(s, F->lu + F->off[b]);
            continue;
        }
        if (is == BLOCK_DENSE) {
            PCS_TRY(system_mass(s, t->end.q + s->q_at, F->lu + F->off[b]));
            system_add_stiffness(stiff, F->lu + F->off[b]);
        }
        if (!block_lu_factor_one(F, b)) {
            return pcs_fail_range(PCS_ERR_SINGULAR, "projection: the mass of system %d is singular",
                                  m->block_system[b] + 1);
        }
    }
    return PCS_OK;
}

// writes the rows with a gap of one candidate at q'
static pcs_status take_block(const trial *t, const candidate *c, pcs_arena *mem, bodies_block *k)
{
    const pcs_model *m = t->m;
    if (c->interaction < 0 && !candidate_is_mapped(m, c)) {
        return candidate_block(m, c, t->end.q, false, *mem, k, NULL);
    }
    double *J[2] = {NULL, NULL};
    double *const none[2] = {NULL, NULL};
    for (int side = 0; side < 2; ++side) {
        PCS_TRY(candidate_take_rows(m, side == 0 ? c->sys1 : c->sys2, k->dim, mem, &J[side]));
        k->rows[side] = J[side];
    }
    return candidate_rows(m, c, t->end.q, *mem, J, none);
}

// dq = T v
static void times_T(const model_system *s, const double *q, const double *v, double *dq)
{
    if (s->kind == SYSTEM_LAGRANGIAN) {
        memcpy(dq, v, (size_t)s->nv * sizeof *dq);
        return;
    }
    double L[12];
    pcs_quat_left(q + 3, L);
    for (int i = 0; i < 3; ++i) {
        dq[i] = v[i];
    }
    for (int i = 0; i < 4; ++i) {
        dq[3 + i] = 0.5 * (L[i] * v[3] + L[i + 4] * v[4] + L[i + 8] * v[5]);
    }
}

pcs_status project_in_mass(const trial *t, const project_set *set, const double *g,
                           const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                           pcs_report *report)
{
    const pcs_model *m = t->m;
    block_lu F;
    PCS_TRY(project_masses(t, set->translated, &mem, &F));
    double *R = PCS_TAKE(&mem, 9 * (size_t)m->n_blocks, double);
    double *v = PCS_TAKE(&mem, (size_t)m->nv, double);
    double *Lambda = set->Lambda;
    if (!Lambda) Lambda = PCS_TAKE(&mem, (size_t)set->rows, double);
    double *w = set->w ? set->w : PCS_TAKE(&mem, (size_t)set->rows, double);
    bodies_block *block = PCS_TAKE(&mem, (size_t)set->n, bodies_block);
    if (!R || !v || !Lambda || !w || !block) return pcs_fail_memory("projection");
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->kind == SYSTEM_BODY) quat_matrix(t->end.q + s->q_at + 3, R + 9 * (size_t)b);
    }
    for (int i = 0, row = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        bodies_block *k = &block[i];
        *k = (bodies_block){
            .cone = set->kind[row], .dim = candidate_gaps(c), .row = row, .sys = {-1, -1}};
        if (system_moves(m, c->sys1)) k->sys[0] = m->system[c->sys1].block;
        if (system_moves(m, c->sys2)) k->sys[1] = m->system[c->sys2].block;
        PCS_TRY(take_block(t, c, &mem, k));
        row += k->dim;
    }
    memset(v, 0, (size_t)m->nv * sizeof *v);
    if (!set->Lambda) memset(Lambda, 0, (size_t)set->rows * sizeof *Lambda);

    const bodies_problem p = {
        .n = set->rows, .nb = set->n, .block = block, .shift = g, .A = &F, .R = R};
    bodies_report all;
    pcs_solver_opts limited = *opts;
    step_limit_seconds(t->work, &limited);
    const double units = 0.5 * step_units(t->work, 1);
    PCS_TRY(
        bodies_solve(&p, &limited, (pcs_watch){0}, units, t->work->team, mem, v, Lambda, w, &all));
    step_spend(t->work, all.units);
    *report = all.solve;
    memset(dq, 0, (size_t)m->nq * sizeof *dq);
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const bool held = set->translated && set->translated[b] && s->kind == SYSTEM_BODY;
        if (held) memset(v + s->v_at + 3, 0, 3 * sizeof *v);
        times_T(s, t->end.q + s->q_at, v + s->v_at, dq + s->q_at);
    }
    return PCS_OK;
}
