// A joint at a state: its free coordinates and their rates, its violation, and its reaction.
#include "query/query.h"

#include <string.h>

#include "relations/joint_kinds.h"
#include "state/state.h"
#include "step/step.h"
#include "systems/systems.h"

// pose and velocity of a system at the state; `room` for the velocity of a prescribed motion
static pcs_status side_of(const pcs_model *m, const pcs_state *st, pcs_system system,
                          double room[13], relation_side *out)
{
    *out = (relation_side){0};
    const model_system *s = model_find(m, system);
    if (!s) return PCS_OK;
    out->q = st->q + s->q_at;
    if (s->nv > 0) {
        out->v = st->v + s->v_at;
    } else if (s->motion) {
        PCS_TRY(system_motion(s, st->t, room, room + 7));
        out->v = room + 7;
    } else if (s->carrier.id > 0) {
        PCS_TRY(pcs_state_velocity(m, st, system, room + 7));
        out->v = room + 7;
    }
    return PCS_OK;
}

pcs_status pcs_state_joint(const pcs_model *m, const pcs_state *st, const pcs_work *wk,
                           pcs_interaction interaction, pcs_joint_state *out)
{
    static const char who[] = "pcs_state_joint";
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(query_check(who, m, st));
    pcs_joint_def def;
    PCS_TRY(pcs_model_joint(m, interaction, &def));

    pcs_joint_state found = {.kind = def.kind};
    relation_side side[2];
    double room[2][13], g[6];
    PCS_TRY(side_of(m, st, def.system1, room[0], &side[0]));
    PCS_TRY(side_of(m, st, def.system2, room[1], &side[1]));
    found.count = joint_coordinates(&def, &side[0], &side[1], found.position, found.speed);
    const pcs_relation relation = pcs_relation_joint(&def);
    PCS_TRY(pcs_relation_gap(&relation, side[0].q, side[1].q, g));
    for (int i = 0; i < relation.dim; ++i) {
        found.violation = fmax(found.violation, fabs(g[i]));
    }
    found.broken = state_is_broken(st, interaction.id - 1);
    if (wk) PCS_TRY(joint_reactions(m, st, wk, interaction, &found));
    *out = found;
    return PCS_OK;
}
