// Interactions that break: their strength is a part of the model, and that they are broken one of
// the state: a record among those of the contacts, so that it is copied, saved and hashed with
// them.
#include <string.h>

#include "model/model.h"
#include "relations/joint_kinds.h"
#include "state/state.h"

bool state_is_broken(const pcs_state *st, int interaction)
{
    int hint = 0;
    return st->memory->broken > 0 && state_recall(st, broken_key(interaction), &hint);
}

bool state_acts(const pcs_model *m, const pcs_state *st, int interaction)
{
    if (m->interaction_off[interaction]) return false;
    if (st->memory->broken == 0) return true;
    const int joint = joint_of_coordinate(&m->interaction[interaction].relation);
    return !state_is_broken(st, interaction) && !(joint > 0 && state_is_broken(st, joint - 1));
}

// PCS_ERR_ARG for an interaction that cannot break by itself
static pcs_status check_interaction(const pcs_model *m, const char *who, pcs_interaction id)
{
    if (id.id < 1 || id.id > m->n_interactions) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no interaction %d; the model has %d, from 1",
                        who, id.id, m->n_interactions);
    }
    const pcs_relation *relation = &m->interaction[id.id - 1].relation;
    if (!joint_is_limits(relation) && !joint_is_coordinate(relation)) return PCS_OK;
    char words[PART_WORDS];
    return pcs_fail(PCS_ERR_ARG,
                    "%s: %s belongs to a joint (limits, motor or friction) and ends with it; give"
                    " the strength to the joint",
                    who, part_words(m, PART_INTERACTION, "interaction ", id.id, words));
}

pcs_status pcs_model_set_strength(pcs_model *m, pcs_interaction id, pcs_strength strength)
{
    static const char who[] = "pcs_model_set_strength";
    if (!m) return pcs_fail(PCS_ERR_ARG, "%s: the model is null", who);
    PCS_TRY(model_may_change(m, who));
    PCS_TRY(check_interaction(m, who, id));
    if (!(strength.force > 0) || !(strength.moment > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the force is %g N and the moment %g N m; both must be positive, or"
                        " INFINITY for any",
                        who, strength.force, strength.moment);
    }
    pcs_joint_def ignored;
    if (isfinite(strength.moment) && !joint_read(&m->interaction[id.id - 1].relation, &ignored)) {
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG,
                        "%s: %s is no joint between frames, and has no moment; leave it INFINITY",
                        who, part_words(m, PART_INTERACTION, "interaction ", id.id, words));
    }
    m->strength[id.id - 1] = strength;
    m->breaks = m->breaks || isfinite(strength.force) || isfinite(strength.moment);
    return PCS_OK;
}

pcs_strength pcs_model_strength(const pcs_model *m, pcs_interaction id)
{
    if (!m || id.id < 1 || id.id > m->n_interactions) return (pcs_strength){0};
    return m->strength[id.id - 1];
}

bool pcs_state_broken(const pcs_model *m, const pcs_state *st, pcs_interaction id)
{
    if (!m || !st || id.id < 1 || id.id > m->n_interactions) return false;
    const int joint = joint_of_coordinate(&m->interaction[id.id - 1].relation);
    return state_is_broken(st, (joint > 0 ? joint : id.id) - 1);
}

pcs_status pcs_state_set_broken(const pcs_model *m, pcs_state *st, pcs_interaction id, bool broken)
{
    static const char who[] = "pcs_state_set_broken";
    if (!m || !st) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(check_interaction(m, who, id));
    const contact_key key = broken_key(id.id - 1);
    pcs_memory *mem = st->memory;
    if (state_is_broken(st, id.id - 1) == broken) return PCS_OK;
    if (broken) PCS_TRY(state_reserve(st, mem->n + 1));
    int at = 0;
    while (at < mem->n && contact_key_compare(&mem->contact[at].key, &key) < 0) {
        at += 1;
    }
    remembered *place = mem->contact + at;
    const size_t after = (size_t)(mem->n - at);
    if (broken) {
        memmove(place + 1, place, after * sizeof *place);
        *place = (remembered){.key = key};
    } else {
        memmove(place, place + 1, (after - 1) * sizeof *place);
    }
    mem->n += broken ? 1 : -1;
    mem->broken += broken ? 1 : -1;
    state_touch(st);
    return PCS_OK;
}
