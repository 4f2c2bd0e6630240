// Adds materials, shapes and interactions to a model, with checks of their definitions.
#include "model/model.h"

#include <limits.h>
#include <string.h>

#include "collide/collide.h"
#include "relations/joint.h"

// largest number of rows of all interactions: a step counts small multiples of it with an int
#define MAX_ROWS (INT_MAX / 64)

// ---- materials and shapes ----------------------------------------------------------------------

pcs_material_def pcs_material_def_default(void)
{
    return (pcs_material_def){0};
}

static pcs_status check_restitution(const char *what, double e)
{
    if (e >= 0 && e <= 1) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the restitution e is %g; it must lie in [0, 1]", what, e);
}

static pcs_status check_friction(const char *what, double e_t, double mu)
{
    if (!(e_t >= 0 && e_t <= 1)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the tangential restitution e_t is %g; it must lie in [0, 1]", what,
                        e_t);
    }
    if (mu >= 0 && isfinite(mu)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the friction mu is %g; it must be finite and not negative",
                    what, mu);
}

pcs_status pcs_model_add_material(pcs_model *m, const pcs_material_def *def, pcs_material *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_material: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_material"));
    PCS_TRY(check_restitution("material", def->e));
    PCS_TRY(check_friction("material", def->e_t, def->mu));
    if (!model_grow(&m->env, (void **)&m->material, m->n_materials, &m->cap_materials,
                    sizeof *m->material)) {
        return pcs_fail_memory("pcs_model_add_material");
    }
    m->material[m->n_materials] = *def;
    if (out) out->id = m->n_materials;
    m->n_materials += 1;
    return PCS_OK;
}

pcs_status pcs_model_set_combine(pcs_model *m, pcs_combine_fn fn, void *user)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_combine: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_combine"));
    m->combine = fn;
    m->combine_user = user;
    return PCS_OK;
}

// radius of the ball about the origin of the body that contains the shape; half-spaces have none
static double shape_reach(const pcs_shape *s)
{
    return s->kind == PCS_SHAPE_HALF_SPACE ? 0 : v3_norm(s->position) + shape_radius(s);
}

pcs_status model_check_shape(const pcs_model *m, const char *who, pcs_system system,
                             const pcs_shape *shape, pcs_material material)
{
    PCS_TRY(pcs_shape_check(shape));
    if (system.id < 0 || system.id > m->n_systems) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no system %d", who, system.id);
    }
    if (material.id < 0 || material.id >= m->n_materials) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no material %d", who, material.id);
    }
    char words[PART_WORDS];
    part_words(m, PART_SYSTEM, "system ", system.id, words);
    if (system.id > 0 && m->system[system.id - 1].kind == SYSTEM_LAGRANGIAN) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: %s is a Lagrangian system; only bodies and the world have shapes: add a"
            " body with this carrier",
            who, words);
    }
    if ((shape->kind == PCS_SHAPE_MESH || shape->kind == PCS_SHAPE_HEIGHT_FIELD) && system.id > 0 &&
        (m->system[system.id - 1].kind != SYSTEM_FIXED ||
         m->system[system.id - 1].carrier.id > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: forces move %s; a mesh or a height field must be on a fixed body or"
                        " one with a prescribed motion",
                        who, words);
    }
    return PCS_OK;
}

pcs_status pcs_model_add_shape(pcs_model *m, pcs_system system, const pcs_shape *shape,
                               pcs_material material)
{
    if (!m || !shape) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_shape: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_shape"));
    PCS_TRY(model_check_shape(m, "pcs_model_add_shape", system, shape, material));
    if (!model_grow(&m->env, (void **)&m->shape, m->n_shapes, &m->cap_shapes, sizeof *m->shape)) {
        return pcs_fail_memory("pcs_model_add_shape");
    }
    model_system *body = system.id > 0 ? &m->system[system.id - 1] : NULL;
    if (body && body->filled) PCS_TRY(model_fill_inertia(body, shape));
    model_shape *s = &m->shape[m->n_shapes];
    *s = (model_shape){*shape, system.id - 1, material.id, 1, ~0u, .disabled = false};
    memcpy(s->given, shape->orientation, sizeof s->given);
    PCS_TRY(pcs_quat_normalise(s->shape.orientation));
    m->n_shapes += 1;
    if (body) {
        body->reach = fmax(body->reach, shape_reach(shape));
        const double thickness = shape_thickness(shape);
        if (isfinite(thickness)) body->thickness = fmax(body->thickness, thickness);
    }
    return PCS_OK;
}

// ---- interactions ------------------------------------------------------------------------------

pcs_interaction_def pcs_interaction_def_default(void)
{
    return (pcs_interaction_def){.law = pcs_law_equality()};
}

static pcs_status check_law(const pcs_interaction_def *def)
{
    const pcs_law *law = &def->law;
    if (def->relation.of_speed && law->kind != PCS_LAW_LIMITED) {
        return pcs_fail(PCS_ERR_ARG, "interaction: its function of time is a speed; only a limited"
                                     " law holds a speed");
    }
    switch (law->kind) {
    case PCS_LAW_EQUALITY:
        return PCS_OK;
    case PCS_LAW_LIMITED:
        if (def->relation.dim != 1) {
            return pcs_fail(PCS_ERR_SIZE,
                            "interaction: its relation has %d rows; a limited law needs one",
                            def->relation.dim);
        }
        if (!(law->mu >= 0) || !isfinite(law->mu) || (law->mu > 0 && isinf(law->limit))) {
            return pcs_fail(PCS_ERR_ARG,
                            "interaction: the friction mu of a limited law is %g, its limit %g; mu"
                            " must be finite and not negative, and with mu > 0 the limit finite",
                            law->mu, law->limit);
        }
        if (law->limit >= 0) return PCS_OK;
        return pcs_fail(PCS_ERR_ARG,
                        "interaction: the limit of its force is %g; it must not be"
                        " negative",
                        law->limit);
    case PCS_LAW_NEWTON_IMPACT:
        return check_restitution("interaction", law->e);
    case PCS_LAW_NEWTON_COULOMB:
        PCS_TRY(check_restitution("interaction", law->e));
        PCS_TRY(check_friction("interaction", law->e_t, law->mu));
        if (def->relation.dim == 2 || def->relation.dim == 3) return PCS_OK;
        return pcs_fail(PCS_ERR_SIZE,
                        "interaction: its relation has %d rows; Coulomb friction needs 3 (N, T1,"
                        " T2) or, in the plane, 2 (N, T)",
                        def->relation.dim);
    }
    return pcs_fail(PCS_ERR_ARG, "interaction: unknown law %d", (int)law->kind);
}

// memory for the two joins of one more interaction
static bool grow_joins(pcs_model *m)
{
    return m->cap_joins - m->n_joins >= 2 ||
           model_grow(&m->env, (void **)&m->join, m->cap_joins, &m->cap_joins, sizeof *m->join);
}

static void add_join(pcs_model *m, pcs_system of, pcs_system other)
{
    if (of.id == 0) return;
    model_system *s = &m->system[of.id - 1];
    m->join[m->n_joins] = (model_join){other.id - 1, m->n_interactions, s->joined, true};
    s->joined = ++m->n_joins;
}

// a linear relation is of one system, and of a rigid body only of its centre of mass
static pcs_status check_linear(const pcs_model *m, const pcs_interaction_def *def,
                               const model_system *s, bool second)
{
    char words[PART_WORDS];
    if (second) {
        return pcs_fail(PCS_ERR_ARG, "interaction: a linear relation is of one system and the"
                                     " world; give no second system");
    }
    if (s->kind == SYSTEM_LAGRANGIAN || !relation_uses_quaternion(&def->relation)) return PCS_OK;
    part_words(m, PART_SYSTEM, "system ", def->system1.id, words);
    return pcs_fail(PCS_ERR_ARG,
                    "interaction: a linear relation has coefficients of the quaternion of %s; of a"
                    " rigid body only the first three may differ from 0",
                    words);
}

pcs_status pcs_model_add_interaction(pcs_model *m, const pcs_interaction_def *def,
                                     pcs_interaction *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_interaction: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_interaction"));
    if (!def->relation.gap || !def->relation.gradient || def->relation.dim < 1) {
        return pcs_fail(PCS_ERR_ARG,
                        "interaction: its relation has %d rows and %s; it needs at least one row,"
                        " gap and gradient (a relation of the library has none of them where a"
                        " point or c is null, or n is not 1 to 7)",
                        def->relation.dim,
                        def->relation.gap && def->relation.gradient ? "both callbacks"
                                                                    : "not both callbacks");
    }
    PCS_TRY(relation_check(&def->relation));
    const long long rows = (long long)m->n_rows + def->relation.dim;
    if (rows > MAX_ROWS) {
        return pcs_fail(PCS_ERR_SIZE,
                        "interaction: the model would have %lld rows; the limit is %d", rows,
                        MAX_ROWS);
    }
    if (def->system1.id == 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "interaction: system1 is the world; give the world as system2");
    }
    const model_system *s1 = model_find(m, def->system1), *s2 = model_find(m, def->system2);
    if (!s1 || (def->system2.id != 0 && !s2)) {
        return pcs_fail(PCS_ERR_ARG, "interaction: there is no system %d",
                        s1 ? def->system2.id : def->system1.id);
    }
    if (s1 == s2)
        return pcs_fail(PCS_ERR_ARG, "interaction: both systems are %d; give two different ones",
                        def->system1.id);
    if (!system_can_move(m, def->system1.id - 1) && !system_can_move(m, def->system2.id - 1)) {
        return pcs_fail(PCS_ERR_ARG, "interaction: neither of its two sides can move");
    }
    const int expected = relation_coordinates(&def->relation);
    if (expected > 0 && (s1->nq != expected || (s2 && s2->nq != expected))) {
        const bool first = s1->nq != expected;
        char words[PART_WORDS];
        part_words(m, PART_SYSTEM, "system ", first ? def->system1.id : def->system2.id, words);
        return pcs_fail(PCS_ERR_SIZE,
                        "interaction: its relation is between systems of %d coordinates, %s has %d",
                        expected, words, first ? s1->nq : s2->nq);
    }
    if (pcs_relation_kind_of(&def->relation) == PCS_RELATION_LINEAR) {
        PCS_TRY(check_linear(m, def, s1, s2 != NULL));
    }
    PCS_TRY(check_law(def));
    if (!model_grow(&m->env, (void **)&m->interaction, m->n_interactions, &m->cap_interactions,
                    sizeof *m->interaction) ||
        !model_grow(&m->env, (void **)&m->interaction_off, m->n_interactions, &m->cap_off,
                    sizeof *m->interaction_off) ||
        !model_grow(&m->env, (void **)&m->strength, m->n_interactions, &m->cap_strength,
                    sizeof *m->strength) ||
        !grow_joins(m)) {
        return pcs_fail_memory("pcs_model_add_interaction");
    }
    if (def->law.kind == PCS_LAW_EQUALITY) {
        add_join(m, def->system1, def->system2);
        add_join(m, def->system2, def->system1);
    }
    m->interaction_off[m->n_interactions] = false;
    m->strength[m->n_interactions] = (pcs_strength){INFINITY, INFINITY};
    m->n_rows = (int)rows;
    m->interaction[m->n_interactions++] = *def;
    if (out) out->id = m->n_interactions;
    return PCS_OK;
}
