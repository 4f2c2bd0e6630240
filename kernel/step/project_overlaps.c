// Projection out of every overlap there is at q', on the features that face each other there: for
// dense scenes, where bodies turn onto other features within a step. Rounds of
//
//     look at q' for what overlaps; stop when nothing does by more than proj_tol
//     linearise joints, overlaps and what is near enough to be driven into, and move (theory 8)
#include "step/project.h"

#include <string.h>

// linearised steps on the features of one round
enum { STEPS = 2 };

// the deepest overlap at q', and the largest violation of a joint
static pcs_status violation(const trial *t, pcs_arena mem, double *overlap, double *out)
{
    const pcs_model *m = t->m;
    touches over;
    PCS_TRY(step_find(t, t->q, 0, false, &mem, &over));
    *out = 0;
    for (int k = 0; k < over.n; ++k) {
        const int *pair = over.pair[over.pair_of[k]];
        pcs_gap gap;
        pcs_feature_gap(&over.f[k], system_q(m, m->shape[pair[0]].system, t->q),
                        system_q(m, m->shape[pair[1]].system, t->q), &gap);
        *out = fmax(*out, -gap.g);
    }
    *overlap = *out;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction < 0) continue;
        const bool equal = c->law.kind == PCS_LAW_EQUALITY;
        PCS_TRY(candidate_gap(m, c, t->q, mem, c->g_end));
        for (int j = 0; j < candidate_gaps(c); ++j) {
            *out = fmax(*out, equal ? fabs(c->g_end[j]) : -c->g_end[j]);
        }
    }
    return PCS_OK;
}

// one round from the candidates seen at q'
static pcs_status one_round(trial *t, double margin, pcs_arena mem, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    pcs_state from = *t->st;
    from.q = PCS_TAKE(&mem, (size_t)m->nq, double);
    trial there = *t;
    there.st = &from;
    there.list = (candidates){0};
    there.bare = true;
    there.reach = PCS_TAKE(&mem, 2 * (size_t)m->n_systems, double);
    if (!from.q || !there.reach) return pcs_fail_memory("projection");
    memcpy(from.q, t->q, (size_t)m->nq * sizeof(double));
    memset(there.reach, 0, 2 * (size_t)m->n_systems * sizeof(double));
    there.turn = there.reach + m->n_systems;
    PCS_TRY(step_detect(&there, margin, &mem));
    for (int i = 0; i < there.list.n; ++i) {
        there.list.c[i].active = true;
    }
    return step_project_rounds(&there, STEPS, mem, out);
}

pcs_status step_project_overlaps(trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_scheme *scheme = &t->m->scheme;
    double now, before = INFINITY;
    out->projection_outcome = PCS_MAX_ITERS;
    PCS_TRY(violation(t, mem, &out->penetration, &now));
    const double first = now;
    for (int round = 0;; ++round) {
        if (now <= scheme->proj_tol) {
            out->projection_outcome = PCS_CONVERGED;
            break;
        }
        // what does not get better any more contradicts itself, or is rounding
        if (out->projection_iters >= scheme->proj_max || round > scheme->proj_max) break;
        if (round > 3 && now > 0.9 * before) {
            out->projection_outcome = PCS_STALLED;
            break;
        }
        before = now;
        PCS_TRY(one_round(t, 2 * now + scheme->proj_tol, mem, out));
        if (out->projection_outcome == PCS_DIVERGED) break;
        out->projection_outcome = PCS_MAX_ITERS;
        PCS_TRY(violation(t, mem, &out->penetration, &now));
    }
    t->looked = true;
    out->violation_before = first;
    out->violation_after = now;
    return PCS_OK;
}
