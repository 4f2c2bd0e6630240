// The definitions of a model, as they were given, and the disabled parts.
#include <percuss/parts.h>

#include <string.h>

#include "collide/geometry.h"
#include "model/model.h"
#include "relations/joint.h"

static pcs_status no_system(const char *who, pcs_system system, const char *what)
{
    return pcs_fail(PCS_ERR_ARG, "%s: there is no %s %d, or an argument is null", who, what,
                    system.id);
}

// ---- disabled parts ------------------------------------------------------------------------------

static bool has_shape(const pcs_model *m, int shape)
{
    return m && shape >= 0 && shape < m->n_shapes;
}

static bool has_interaction(const pcs_model *m, pcs_interaction interaction)
{
    return m && interaction.id >= 1 && interaction.id <= m->n_interactions;
}

pcs_status pcs_model_set_shape_enabled(pcs_model *m, int shape, bool enabled)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_shape_enabled: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_shape_enabled"));
    if (!has_shape(m, shape)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_shape_enabled: there is no shape %d; the model has %d,"
                        " from 0",
                        shape, m->n_shapes);
    }
    m->shape[shape].disabled = !enabled;
    return PCS_OK;
}

bool pcs_model_shape_enabled(const pcs_model *m, int shape)
{
    return has_shape(m, shape) && !m->shape[shape].disabled;
}

pcs_status pcs_model_set_interaction_enabled(pcs_model *m, pcs_interaction interaction,
                                             bool enabled)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_interaction_enabled: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_interaction_enabled"));
    if (!has_interaction(m, interaction)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_interaction_enabled: there is no interaction %d; the model"
                        " has %d, from 1",
                        interaction.id, m->n_interactions);
    }
    m->interaction_off[interaction.id - 1] = !enabled;
    return PCS_OK;
}

bool pcs_model_interaction_enabled(const pcs_model *m, pcs_interaction interaction)
{
    return has_interaction(m, interaction) && !m->interaction_off[interaction.id - 1];
}

// ---- the model and its systems -----------------------------------------------------------------

void pcs_model_gravity(const pcs_model *m, double g[3])
{
    for (int i = 0; i < 3; ++i) {
        g[i] = m ? m->gravity[i] : 0;
    }
}

pcs_scheme pcs_model_scheme(const pcs_model *m)
{
    return m ? m->scheme : pcs_scheme_default();
}

bool pcs_model_is_lagrangian(const pcs_model *m, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return s && s->kind == SYSTEM_LAGRANGIAN;
}

pcs_status pcs_model_body(const pcs_model *m, pcs_system body, pcs_body_def *out)
{
    const model_system *s = model_find(m, body);
    if (!s || s->kind == SYSTEM_LAGRANGIAN || !out)
        return no_system("pcs_model_body", body, "body");
    *out = pcs_body_def_default();
    out->fixed = s->kind == SYSTEM_FIXED && !s->motion && s->carrier.id == 0;
    out->motion = s->motion;
    out->carrier = s->carrier;
    out->pose = s->pose;
    out->pose_jacobian = s->pose_jacobian;
    out->touches_carried = s->touches_carried;
    out->user = s->user;
    memcpy(out->position, s->q0, sizeof out->position);
    memcpy(out->orientation, s->given, sizeof out->orientation);
    if (s->kind == SYSTEM_FIXED) return PCS_OK;
    out->mass = s->mass;
    out->plane = s->plane;
    if (!s->filled) memcpy(out->inertia, s->J, sizeof out->inertia);
    if (s->added) memcpy(out->added_mass, s->added, sizeof out->added_mass);
    memcpy(out->velocity, s->v0, sizeof out->velocity);
    memcpy(out->omega, s->v0 + 3, sizeof out->omega);
    out->force = s->body_force;
    out->jacobian = s->body_jacobian;
    out->potential = s->potential;
    return PCS_OK;
}

pcs_status pcs_model_inertia(const pcs_model *m, pcs_system body, pcs_inertia *out)
{
    const model_system *s = model_find(m, body);
    if (!s || s->kind != SYSTEM_BODY || !out) {
        return no_system("pcs_model_inertia", body, "body that forces move");
    }
    *out = (pcs_inertia){.m = s->mass};
    memcpy(out->J, s->J, sizeof out->J);
    return PCS_OK;
}

pcs_status pcs_model_lagrangian(const pcs_model *m, pcs_system system, pcs_lagrangian_def *out)
{
    const model_system *s = model_find(m, system);
    if (!s || s->kind != SYSTEM_LAGRANGIAN || !out) {
        return no_system("pcs_model_lagrangian", system, "Lagrangian system");
    }
    *out = (pcs_lagrangian_def){.n = s->nq,
                                .q0 = s->start,
                                .v0 = s->start + s->nq,
                                .mass = s->M,
                                .stiffness = s->K,
                                .damping = s->D,
                                .load = s->load,
                                .mass_fn = s->mass_fn,
                                .force = s->force,
                                .jacobian = s->jacobian,
                                .potential = s->potential,
                                .user = s->user};
    return PCS_OK;
}

// ---- materials and shapes ----------------------------------------------------------------------

int pcs_model_material_count(const pcs_model *m)
{
    return m ? m->n_materials : 0;
}

pcs_status pcs_model_material(const pcs_model *m, pcs_material material, pcs_material_def *out)
{
    if (!m || !out || material.id < 0 || material.id >= m->n_materials) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_material: there is no material %d, or an argument is null",
                        material.id);
    }
    *out = m->material[material.id];
    return PCS_OK;
}

pcs_combine_fn pcs_model_combine(const pcs_model *m, void **user)
{
    if (user) *user = m ? m->combine_user : NULL;
    return m ? m->combine : NULL;
}

pcs_filter_fn pcs_model_filter(const pcs_model *m, void **user)
{
    if (user) *user = m ? m->filter_user : NULL;
    return m ? m->filter : NULL;
}

pcs_status pcs_model_shape(const pcs_model *m, int shape, pcs_model_shape_def *out)
{
    if (!has_shape(m, shape) || !out) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_shape: there is no shape %d, or an argument is null", shape);
    }
    const model_shape *s = &m->shape[shape];
    *out = (pcs_model_shape_def){s->shape, {s->system + 1}, {s->material}, s->group, s->mask};
    memcpy(out->shape.orientation, s->given, sizeof s->given);
    return PCS_OK;
}

// ---- interactions ------------------------------------------------------------------------------

int pcs_model_interaction_count(const pcs_model *m)
{
    return m ? m->n_interactions : 0;
}

pcs_status pcs_model_interaction(const pcs_model *m, pcs_interaction interaction,
                                 pcs_interaction_def *out)
{
    if (!has_interaction(m, interaction) || !out) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_interaction: there is no interaction %d, or an argument is null",
                        interaction.id);
    }
    *out = m->interaction[interaction.id - 1];
    return PCS_OK;
}

bool pcs_model_touching(const pcs_model *m, pcs_interaction interaction)
{
    if (!has_interaction(m, interaction)) return false;
    const int index = interaction.id - 1, system = m->interaction[index].system1.id - 1;
    for (int i = m->system[system].joined; i > 0; i = m->join[i - 1].next) {
        if (m->join[i - 1].interaction == index) return !m->join[i - 1].apart;
    }
    return true;
}

// ---- geometries --------------------------------------------------------------------------------

pcs_shape_kind pcs_geometry_kind(const pcs_geometry *g)
{
    return g ? g->kind : PCS_SHAPE_SPHERE;
}

int pcs_geometry_vertices(const pcs_geometry *g, const double **out)
{
    const bool hull = g && g->kind == PCS_SHAPE_HULL, mesh = g && g->kind == PCS_SHAPE_MESH;
    if (out) *out = hull ? g->of.hull.vertex : mesh ? g->of.mesh.vertex : NULL;
    return hull ? g->of.hull.n_vertices : mesh ? g->of.mesh.n_vertices : 0;
}

int pcs_geometry_triangles(const pcs_geometry *g, const int **out)
{
    const bool mesh = g && g->kind == PCS_SHAPE_MESH;
    if (out) *out = mesh ? g->of.mesh.triangle : NULL;
    return mesh ? g->of.mesh.n_triangles : 0;
}

int pcs_geometry_faces(const pcs_geometry *g, const int **first, const int **corner)
{
    const bool hull = g && g->kind == PCS_SHAPE_HULL;
    if (first) *first = hull ? g->of.hull.first : NULL;
    if (corner) *corner = hull ? g->of.hull.corner : NULL;
    return hull ? g->of.hull.n_faces : 0;
}

bool pcs_geometry_heights(const pcs_geometry *g, int *nx, int *ny, double *dx, double *dy,
                          const double **out)
{
    if (!g || g->kind != PCS_SHAPE_HEIGHT_FIELD) return false;
    if (nx) *nx = g->of.field.nx;
    if (ny) *ny = g->of.field.ny;
    if (dx) *dx = g->of.field.dx;
    if (dy) *dy = g->of.field.dy;
    if (out) *out = g->of.field.height;
    return true;
}
