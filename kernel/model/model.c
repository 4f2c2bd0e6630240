// A model: its memory, its counts, and the sizes and names of its systems. Definitions are checked
// where they are added (add_systems.c, add_parts.c), so that the step may trust them.
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/meshes.h>

// m/s^2; a body would pass the speed of light in 3e-12 s
#define GRAVITY_LARGEST 1e20

bool model_grow(const pcs_env *env, void **array, int n, int *cap, size_t size)
{
    if (n < *cap) return true;
    if (*cap > INT_MAX / 4) return false;

    const int wanted = *cap > 0 ? 2 * *cap : 8;
    void *bigger = pcs_env_alloc(env, (size_t)wanted, size);
    if (!bigger) return false;
    if (n > 0) memcpy(bigger, *array, (size_t)n * size);
    pcs_env_free(env, *array);
    *array = bigger;
    *cap = wanted;
    return true;
}

pcs_status pcs_model_create(const pcs_env *env, pcs_model **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_model_create: out is null");
    *out = NULL;
    if (env && (!env->alloc != !env->release)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_create: the environment has one of alloc and"
                                     " release; set both or none");
    }
    pcs_model *m = pcs_env_alloc(env, 1, sizeof *m);
    if (!m) return pcs_fail_memory("pcs_model_create");
    if (env) m->env = *env;
    m->busy = pcs_env_alloc(&m->env, 2, sizeof *m->busy);
    if (!m->busy) {
        pcs_model_destroy(m);
        return pcs_fail_memory("pcs_model_create");
    }
    atomic_init(m->busy, 0);
    atomic_init(m->busy + 1, 0);
    m->gravity[2] = -9.81;
    m->scheme = pcs_scheme_default();

    // material 0 is the default material
    if (!model_grow(&m->env, (void **)&m->material, 0, &m->cap_materials, sizeof *m->material)) {
        pcs_model_destroy(m);
        return pcs_fail_memory("pcs_model_create");
    }
    m->material[m->n_materials++] = (pcs_material_def){0};
    *out = m;
    return PCS_OK;
}

void pcs_model_destroy(pcs_model *m)
{
    if (!m || (m->busy && atomic_load(m->busy) > 0))
        return; // a callback tries to destroy its own model
    const pcs_env env = m->env;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        pcs_env_free(&env, s->added);
        pcs_env_free(&env, s->start);
        pcs_env_free(&env, s->M);
        pcs_env_free(&env, s->K);
        pcs_env_free(&env, s->D);
        pcs_env_free(&env, s->load);
        model_release_sparse(&env, s->sparse);
    }
    pcs_env_free(&env, m->system);
    pcs_env_free(&env, m->shape);
    pcs_env_free(&env, m->material);
    pcs_env_free(&env, m->interaction);
    pcs_env_free(&env, m->interaction_off);
    pcs_env_free(&env, m->strength);
    pcs_env_free(&env, m->join);
    pcs_env_free(&env, m->force);
    pcs_env_free(&env, m->pair_law);
    for (int i = 0; i < m->n_prisms; ++i) {
        pcs_geometry_destroy(m->prism[i]);
    }
    pcs_env_free(&env, m->prism);
    for (int k = 0; k < PART_KINDS; ++k) {
        names_release(&env, &m->names[k]);
    }
    pcs_env_free(&env, m->busy);
    pcs_env_free(&env, m->block_system);
    pcs_env_free(&env, m->block_start);
    pcs_env_free(&env, m->block_off);
    pcs_env_free(&env, m->factor_off);
    pcs_env_free(&env, m);
}

// size for systems without one, m
#define NO_SIZE 1e-3

double system_size(const model_system *s)
{
    return s->thickness > 0 ? s->thickness : sqrt(2 * (s->J[0] + s->J[4] + s->J[8]) / s->mass);
}

double model_size(const pcs_model *m)
{
    double size = INFINITY;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        const bool carried = s->carrier.id > 0 && s->thickness > 0;
        if ((s->kind != SYSTEM_BODY && !carried) || s->disabled) continue;
        const double own = system_size(s);
        if (own < size) size = own;
    }
    return isfinite(size) ? size : NO_SIZE;
}

const char *system_words(const model_system *s, char words[PART_WORDS])
{
    const char *what = s->kind == SYSTEM_LAGRANGIAN ? "Lagrangian system " : "body ";
    if (!s->model) {
        snprintf(words, PART_WORDS, "a carried body");
        return words;
    }
    return part_words(s->model, PART_SYSTEM, what, (int)(s - s->model->system) + 1, words);
}

// true for numbers whose squares do not overflow
#define MOTION_MOST 1e150

pcs_status system_motion(const model_system *s, double t, double q[7], double v[6])
{
    for (int i = 0; i < BODY_NQ; ++i) {
        q[i] = NAN; // shows an entry that the callback does not write
        if (i < BODY_NV) v[i] = NAN;
    }
    const int answer = s->motion(s->user, t, q, v);
    char who[PART_WORDS];
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the motion callback of %s returned %d at t = %g",
                        system_words(s, who), answer, t);
    }
    for (int i = 0; i < BODY_NQ + BODY_NV; ++i) {
        const bool pose = i < BODY_NQ;
        const double x = pose ? q[i] : v[i - BODY_NQ];
        if (fabs(x) < MOTION_MOST) continue;
        return pcs_fail(PCS_ERR_CALLBACK, "the motion callback of %s gave %c[%d] = %g at t = %g%s",
                        system_words(s, who), pose ? 'q' : 'v', pose ? i : i - BODY_NQ, x, t,
                        isnan(x) ? ": it is not a number, or was left unset" : ", too large");
    }
    if (pcs_quat_normalise(q + 3) == PCS_OK) return PCS_OK;
    return pcs_fail(PCS_ERR_CALLBACK, "the motion callback of %s gave a zero quaternion at t = %g",
                    system_words(s, who), t);
}

pcs_status model_may_change(const pcs_model *m, const char *who)
{
    if (atomic_load(m->busy) == 0) {
        atomic_fetch_add(m->busy + 1, 1);
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG,
                    "%s: a step of this model is under way; change it between steps, from an"
                    " observer for instance, not from its callbacks",
                    who);
}

int pcs_model_nq(const pcs_model *m)
{
    return m ? m->nq : 0;
}

int pcs_model_nv(const pcs_model *m)
{
    return m ? m->nv : 0;
}

int pcs_model_system_count(const pcs_model *m)
{
    return m ? m->n_systems : 0;
}

pcs_status pcs_model_set_enabled(pcs_model *m, pcs_system system, bool enabled)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_enabled: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_enabled"));
    if (!model_find(m, system)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_set_enabled: there is no system %d", system.id);
    }
    m->system[system.id - 1].disabled = !enabled;
    return PCS_OK;
}

bool pcs_model_enabled(const pcs_model *m, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return m && (system.id == 0 || (s && !s->disabled));
}

int pcs_model_shape_count(const pcs_model *m)
{
    return m ? m->n_shapes : 0;
}

pcs_status pcs_model_set_gravity(pcs_model *m, const double g[3])
{
    if (!m || !g) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_gravity: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_gravity"));
    for (int i = 0; i < 3; ++i) {
        if (fabs(g[i]) <= GRAVITY_LARGEST) continue;
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_gravity: component %d of gravity is %g m/s^2; it must be"
                        " finite and at most %g in size",
                        i, g[i], GRAVITY_LARGEST);
    }
    memcpy(m->gravity, g, sizeof m->gravity);
    return PCS_OK;
}
