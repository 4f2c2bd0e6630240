// Interactions that break: what they bear in the step, its mean, compared with their strength.
// step_commit notes those that break in the state; the step itself is made with them.
#include "step/step.h"

#include <string.h>

#include "linalg/m3.h"
#include "relations/joint_kinds.h"

// |r| / h of the rows of the interaction whose first candidate is c
static double row_force(const trial *t, const candidate *c, const candidate *end)
{
    double square = 0;
    const int interaction = c->interaction;
    for (; c < end && c->interaction == interaction; ++c) {
        for (int j = 0; (c->active || c->held) && j < c->dim; ++j) {
            square += c->r[j] * c->r[j];
        }
    }
    return sqrt(square) / t->h;
}

// what the interaction of a candidate bears, relative to its strength
static pcs_status load_of(const trial *t, const candidate *c, const candidate *end, double *load)
{
    const pcs_model *m = t->m;
    const pcs_strength *strength = &m->strength[c->interaction];
    const pcs_interaction id = {c->interaction + 1};
    pcs_joint_def def;
    if (!joint_read(&m->interaction[c->interaction].relation, &def)) {
        *load = row_force(t, c, end) / strength->force;
        return PCS_OK;
    }
    const pcs_state now = {.t = t->st->t + t->h,
                           .nq = m->nq,
                           .nv = m->nv,
                           .q = t->end.q,
                           .v = t->end.v,
                           .memory = t->st->memory};
    pcs_joint_state joint = {0};
    PCS_TRY(joint_reactions(m, &now, t->work, id, &joint));
    *load =
        fmax(v3_norm(joint.force1) / strength->force, v3_norm(joint.moment1) / strength->moment);
    return PCS_OK;
}

pcs_status step_breaks(const trial *t, candidates *list, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    if (!m->breaks || list->n == 0) return PCS_OK;
    const candidate *end = list->c + list->n;
    for (candidate *c = list->c; c < end && c->interaction >= 0; ++c) {
        const pcs_strength *strength = &m->strength[c->interaction];
        const bool first = c == list->c || c[-1].interaction != c->interaction;
        double load;
        if (!first || (isinf(strength->force) && isinf(strength->moment))) continue;
        PCS_TRY(load_of(t, c, end, &load));
        c->breaks = load > 1;
        if (!c->breaks) continue;
        out->breaks += 1;
        if (!(load > out->break_load)) continue;
        out->break_load = load;
        out->break_one = c->interaction + 1;
    }
    return PCS_OK;
}
