// The pairs of shapes that may touch: groups and masks of the shapes, joints, then the filter of
// the user.
#include "model/filter.h"

#include <string.h>

#include "collide/collide.h"
#include "relations/joint.h"

pcs_status pcs_model_set_shape_groups(pcs_model *m, int shape, unsigned group, unsigned mask)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_shape_groups: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_shape_groups"));
    if (shape < 0 || shape >= m->n_shapes) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_model_set_shape_groups: there is no shape %d; the model has %d, from 0", shape,
            m->n_shapes);
    }
    m->shape[shape].group = group;
    m->shape[shape].mask = mask;
    m->grouped = true;
    return PCS_OK;
}

pcs_status pcs_model_set_groups(pcs_model *m, pcs_system system, unsigned group, unsigned mask)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_groups: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_groups"));
    int found = 0;
    for (int i = 0; i < m->n_shapes; ++i) {
        if (m->shape[i].system != system.id - 1) continue;
        m->shape[i].group = group;
        m->shape[i].mask = mask;
        found += 1;
    }
    if (found == 0) {
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG, "pcs_model_set_groups: %s has no shapes yet; add them first",
                        part_words(m, PART_SYSTEM, "system ", system.id, words));
    }
    m->grouped = true;
    return PCS_OK;
}

static void set_joins(pcs_model *m, pcs_system of, int interaction, bool apart)
{
    for (int i = of.id > 0 ? m->system[of.id - 1].joined : 0; i > 0; i = m->join[i - 1].next) {
        if (m->join[i - 1].interaction == interaction) m->join[i - 1].apart = apart;
    }
}

pcs_status pcs_model_set_touching(pcs_model *m, pcs_interaction interaction, bool touching)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_touching: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_touching"));
    if (interaction.id < 1 || interaction.id > m->n_interactions) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_set_touching: there is no interaction %d",
                        interaction.id);
    }
    const pcs_interaction_def *def = &m->interaction[interaction.id - 1];
    if (def->law.kind != PCS_LAW_EQUALITY) {
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_touching: %s is not a joint: only an equality law excludes "
                        "the contacts between its systems",
                        part_words(m, PART_INTERACTION, "interaction ", interaction.id, words));
    }
    set_joins(m, def->system1, interaction.id - 1, !touching);
    set_joins(m, def->system2, interaction.id - 1, !touching);
    return PCS_OK;
}

pcs_status pcs_model_set_filter(pcs_model *m, pcs_filter_fn fn, void *user)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_filter: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_filter"));
    m->filter = fn;
    m->filter_user = user;
    return PCS_OK;
}

// True when a shape of a system and one of the world overlap in every orientation of the system
// about a ball joint between the two: the distances of its point from both, negative inside, have a
// negative sum. Shapes and points are fixed in their systems: the answer does not depend on the
// state.
static bool always_overlap(const pcs_model *m, int join, const pcs_shape *own, const pcs_shape *s)
{
    const double *P = relation_joint_points(&m->interaction[m->join[join].interaction].relation);
    if (!P) return false;
    pcs_shape point[2] = {pcs_shape_sphere(0), pcs_shape_sphere(0)};
    memcpy(point[0].position, P, sizeof point[0].position);
    memcpy(point[1].position, P + 3, sizeof point[1].position);
    pcs_feature f[PCS_FEATURES_MAX];
    pcs_gap gap;
    if (pcs_collide(&point[0], NULL, own, NULL, HUGE_VAL, PCS_FEATURES_MAX, f) == 0) return false;
    pcs_feature_gap(f, NULL, NULL, &gap);
    const double left_alone = MODEL_OVERLAP * shape_thickness(own);
    return pcs_collide(&point[1], NULL, s, NULL, -gap.g - left_alone, 0, NULL) > 0;
}

static bool is_apart(const pcs_model *m, const filter_joints *joints, const model_join *join,
                     int other)
{
    return join->apart && join->other == other && joints->act(m, joints->state, join->interaction);
}

// True when a joint keeps two shapes apart. The shorter of the lists of the two systems is
// searched.
static bool kept_apart(const pcs_model *m, const filter_joints *joints, const model_shape *a,
                       const model_shape *b)
{
    if (a->system < 0) return kept_apart(m, joints, b, a);
    const bool world = b->system < 0;
    int i = m->system[a->system].joined, j = world ? i : m->system[b->system].joined;
    for (; i > 0 && j > 0; i = m->join[i - 1].next, j = m->join[j - 1].next) {
        const bool found = is_apart(m, joints, &m->join[i - 1], b->system) ||
                           is_apart(m, joints, &m->join[j - 1], a->system);
        if (found && (!world || always_overlap(m, i - 1, &a->shape, &b->shape))) return true;
    }
    return false;
}

// true for two bodies of one carrier, unless both have the flag
static bool carried_apart(const pcs_model *m, const model_shape *a, const model_shape *b)
{
    if (a->system < 0 || b->system < 0) return false;
    const model_system *one = &m->system[a->system], *two = &m->system[b->system];
    if (one->carrier.id == 0 || one->carrier.id != two->carrier.id) return false;
    return !(one->touches_carried && two->touches_carried);
}

// the filter gets the smaller number first, whichever shape moves
static pcs_status ask(const pcs_model *m, int i, int j, bool *may)
{
    const int a = i < j ? i : j, b = i < j ? j : i;
    const int answer = m->filter(m->filter_user, (pcs_system){m->shape[a].system + 1}, a,
                                 (pcs_system){m->shape[b].system + 1}, b);
    *may = answer > 0;
    if (answer >= 0) return PCS_OK;
    char one[PART_WORDS], two[PART_WORDS];
    return pcs_fail(PCS_ERR_CALLBACK,
                    "the filter of shapes returned the error %d for shapes %s and %s", answer,
                    part_words(m, PART_SHAPE, "", a, one), part_words(m, PART_SHAPE, "", b, two));
}

pcs_status filter_pairs(const pcs_model *m, filter_joints joints, int (*pair)[2], int *n)
{
    int kept = 0;
    for (int k = 0; k < *n; ++k) {
        const int i = pair[k][0], j = pair[k][1];
        const model_shape *a = &m->shape[i], *b = &m->shape[j];
        bool may = (a->group & b->mask) && (b->group & a->mask);
        may = may && !(m->n_joins > 0 && kept_apart(m, &joints, a, b));
        may = may && !(m->n_carried > 1 && carried_apart(m, a, b));
        if (may && m->filter) PCS_TRY(ask(m, i, j, &may));
        if (!may) continue;
        pair[kept][0] = i;
        pair[kept][1] = j;
        kept += 1;
    }
    *n = kept;
    return PCS_OK;
}
