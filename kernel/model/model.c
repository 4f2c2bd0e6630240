// Building a model: every definition is checked here, once, so that the step may trust it.
#include "model/model.h"

#include <limits.h>
#include <string.h>

#include "collide/collide.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/m3.h"
#include "mass/inertia.h"
#include "mass/m6.h"
#include "relations/joint.h"

// largest number of rows of all interactions: a step counts small multiples of it with an int
#define MAX_ROWS (INT_MAX / 64)

// ---- defaults --------------------------------------------------------------------------------

pcs_body_def pcs_body_def_default(void)
{
    return (pcs_body_def){.mass = 1, .orientation = {1, 0, 0, 0}};
}

pcs_lagrangian_def pcs_lagrangian_def_default(void)
{
    return (pcs_lagrangian_def){0};
}

pcs_material_def pcs_material_def_default(void)
{
    return (pcs_material_def){0};
}

pcs_interaction_def pcs_interaction_def_default(void)
{
    return (pcs_interaction_def){.law = pcs_law_equality()};
}

// ---- growth ---------------------------------------------------------------------------------

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

// room for one more system and for its block
static bool grow_systems(pcs_model *m)
{
    if (!model_grow(&m->env, (void **)&m->system, m->n_systems, &m->cap_systems,
                    sizeof *m->system)) {
        return false;
    }
    if (m->n_blocks + 2 <= m->cap_blocks) return true;

    const int wanted = 2 * m->cap_blocks + 8;
    int *block_system = pcs_env_alloc(&m->env, (size_t)wanted, sizeof(int));
    int *block_start = pcs_env_alloc(&m->env, (size_t)wanted, sizeof(int));
    size_t *block_off = pcs_env_alloc(&m->env, (size_t)wanted, sizeof(size_t));
    size_t *factor_off = pcs_env_alloc(&m->env, (size_t)wanted, sizeof(size_t));
    if (!block_system || !block_start || !block_off || !factor_off) {
        pcs_env_free(&m->env, block_system);
        pcs_env_free(&m->env, block_start);
        pcs_env_free(&m->env, block_off);
        pcs_env_free(&m->env, factor_off);
        return false;
    }
    if (m->block_start) {
        memcpy(block_system, m->block_system, (size_t)m->n_blocks * sizeof(int));
        memcpy(block_start, m->block_start, ((size_t)m->n_blocks + 1) * sizeof(int));
        memcpy(block_off, m->block_off, ((size_t)m->n_blocks + 1) * sizeof(size_t));
        memcpy(factor_off, m->factor_off, ((size_t)m->n_blocks + 1) * sizeof(size_t));
    }
    pcs_env_free(&m->env, m->block_system);
    pcs_env_free(&m->env, m->block_start);
    pcs_env_free(&m->env, m->block_off);
    pcs_env_free(&m->env, m->factor_off);
    m->block_system = block_system;
    m->block_start = block_start;
    m->block_off = block_off;
    m->factor_off = factor_off;
    m->cap_blocks = wanted;
    return true;
}

// gives s its place in q, v and among the blocks; grow_systems has made room
static pcs_status place(pcs_model *m, model_system *s, pcs_system *out)
{
    if (s->nq > INT_MAX - m->nq || s->nv > INT_MAX - m->nv) {
        return pcs_fail(PCS_ERR_SIZE, "model: more coordinates than an int can count");
    }
    s->model = m;
    s->q_at = m->nq;
    s->v_at = m->nv;
    s->block = -1;
    m->nq += s->nq;
    m->nv += s->nv;
    if (s->nv > 0) {
        const int b = m->n_blocks++;
        s->block = b;
        m->block_system[b] = m->n_systems;
        m->block_start[b + 1] = m->nv;
        m->block_off[b + 1] = m->block_off[b] + (size_t)s->nv * (size_t)s->nv;
        m->factor_off[b + 1] = m->factor_off[b] + system_factor_size(s);
    }
    m->variable_mass |= s->varies;
    m->system[m->n_systems++] = *s;
    if (out) out->id = m->n_systems;
    return PCS_OK;
}

// ---- the model -------------------------------------------------------------------------------

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
    m->busy = pcs_env_alloc(&m->env, 1, sizeof *m->busy);
    if (!m->busy) {
        pcs_model_destroy(m);
        return pcs_fail_memory("pcs_model_create");
    }
    atomic_init(m->busy, 0);
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
    }
    pcs_env_free(&env, m->system);
    pcs_env_free(&env, m->shape);
    pcs_env_free(&env, m->material);
    pcs_env_free(&env, m->interaction);
    pcs_env_free(&env, m->interaction_off);
    pcs_env_free(&env, m->join);
    pcs_env_free(&env, m->pair_law);
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
        if (s->kind != SYSTEM_BODY || s->disabled) continue;
        const double own = system_size(s);
        if (own < size) size = own;
    }
    return isfinite(size) ? size : NO_SIZE;
}

const char *system_words(const model_system *s, char words[PART_WORDS])
{
    const char *what = s->kind == SYSTEM_LAGRANGIAN ? "Lagrangian system " : "body ";
    return part_words(s->model, PART_SYSTEM, what, (int)(s - s->model->system) + 1, words);
}

pcs_status model_may_change(const pcs_model *m, const char *who)
{
    if (atomic_load(m->busy) == 0) return PCS_OK;
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
    if (!pcs_all_finite(g, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_set_gravity: gravity is not finite");
    }
    memcpy(m->gravity, g, sizeof m->gravity);
    return PCS_OK;
}

// ---- bodies ----------------------------------------------------------------------------------

// J symmetric positive definite: its three leading minors; the sentence names what fails
static pcs_status check_inertia(const double J[9])
{
    double scale = 0;
    for (int i = 0; i < 9; ++i) {
        scale = fmax(scale, fabs(J[i]));
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < i; ++j) {
            if (fabs(J[i + 3 * j] - J[j + 3 * i]) > 1e-10 * scale) {
                return pcs_fail(PCS_ERR_ARG,
                                "body: the inertia is not symmetric: entries (%d, %d)"
                                " = %g and (%d, %d) = %g",
                                i, j, J[i + 3 * j], j, i, J[j + 3 * i]);
            }
        }
    }
    // J is scaled, so that no minor underflows
    double S[9];
    for (int i = 0; i < 9; ++i) {
        S[i] = scale > 0 ? J[i] / scale : 0;
    }
    const double minor2 = S[0] * S[4] - S[1] * S[3];
    if (!(S[0] > 0 && minor2 > 0 && m3_det(S) > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: the inertia is not positive definite; its leading"
                        " minors are %g, %g, %g (over powers of %g kg m^2)",
                        S[0], minor2, m3_det(S), scale);
    }
    return PCS_OK;
}

static bool any_entry(const double *x, int n)
{
    bool any = false;
    for (int i = 0; i < n; ++i) {
        any = any || x[i] != 0;
    }
    return any;
}

static bool has_added(const pcs_body_def *def)
{
    return any_entry(def->added_mass, 36);
}

// True when a rigid mass can have these moments. Added mass obeys no such rule, and the user
// decides how both are divided.
static pcs_status check_moments(const pcs_body_def *def)
{
    pcs_inertia body = {.m = def->mass};
    memcpy(body.J, def->inertia, sizeof body.J);
    const pcs_status status = pcs_inertia_check(&body);
    return status == PCS_ERR_SINGULAR ? PCS_OK
                                      : status; // a thin rod is accepted while J can be inverted
}

static double inverse_norm(const double J[9])
{
    double F[9], sum = 0;
    int piv[3];
    memcpy(F, J, sizeof F);
    if (!lu_factor(3, F, piv)) return INFINITY;
    for (int c = 0; c < 3; ++c) {
        double x[3] = {c == 0, c == 1, c == 2};
        lu_solve(3, F, piv, x);
        sum += v3_dot(x, x);
    }
    return sqrt(sum);
}

// sets the members that follow from J
static void set_inertia(model_system *s, const double J[9])
{
    memcpy(s->J, J, sizeof s->J);
    s->isotropic = !s->added && J[0] == J[4] && J[0] == J[8] && J[1] == 0 && J[2] == 0 &&
                   J[3] == 0 && J[5] == 0 && J[6] == 0 && J[7] == 0;
    s->inverse_bound = inverse_norm(J);
}

// together with mass and inertia, which are checked, it must be positive definite
static pcs_status check_added(const pcs_body_def *def)
{
    const double *A = def->added_mass;
    if (!pcs_all_finite(A, 36) || !m6_is_symmetric(A)) {
        return pcs_fail(PCS_ERR_ARG, "body: the added mass is not finite or not symmetric");
    }
    double M[36], L[36];
    memcpy(M, A, sizeof M);
    for (int i = 0; i < 3; ++i) {
        M[7 * i] += def->mass;
        for (int j = 0; j < 3; ++j) {
            M[(3 + i) + 6 * (3 + j)] += def->inertia[i + 3 * j];
        }
    }
    if (!m6_cholesky(M, L)) {
        return pcs_fail(PCS_ERR_ARG, "body: mass, inertia and added mass together are not positive"
                                     " definite");
    }
    return PCS_OK;
}

// finite, and small enough that derived numbers are finite too
static pcs_status check_range(const char *what, const double *x, size_t n)
{
    if (!pcs_all_finite(x, n)) return pcs_fail(PCS_ERR_ARG, "body: the %s is not finite", what);
    if (model_in_range(x, n)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "body: the %s has an entry beyond %g", what, MODEL_LARGEST);
}

static pcs_status check_body(const pcs_body_def *def)
{
    PCS_TRY(check_range("position", def->position, 3));
    PCS_TRY(check_range("orientation quaternion", def->orientation, 4));
    if (def->fixed && def->motion) {
        return pcs_fail(PCS_ERR_ARG, "body: it is fixed and has a motion; choose one");
    }
    if (def->fixed || def->motion) return PCS_OK;
    if (!(def->mass > 0) || !isfinite(def->mass)) {
        return pcs_fail(PCS_ERR_ARG, "body: the mass is %g kg; it must be positive", def->mass);
    }
    PCS_TRY(check_range("mass", &def->mass, 1));
    PCS_TRY(check_range("inertia", def->inertia, 9));
    PCS_TRY(check_range("velocity", def->velocity, 3));
    PCS_TRY(check_range("omega", def->omega, 3));
    if ((def->jacobian || def->potential) && !def->force) {
        return pcs_fail(PCS_ERR_ARG, "body: a Jacobian or potential is given, but no force");
    }
    PCS_TRY(check_inertia(def->inertia));
    if (!has_added(def)) PCS_TRY(check_moments(def));
    if (!isfinite(inverse_norm(def->inertia)) || !isfinite(1 / def->mass)) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: the mass %g kg and the inertia with trace %g kg m^2 are too small"
                        " to be inverted",
                        def->mass, def->inertia[0] + def->inertia[4] + def->inertia[8]);
    }
    return has_added(def) ? check_added(def) : PCS_OK;
}

// adds a checked definition; `filled`: its inertia is that of its shapes
static pcs_status add_body(pcs_model *m, const pcs_body_def *def, bool filled, pcs_system *out)
{
    const bool moves = !def->fixed && !def->motion;
    model_system s = {.kind = moves ? SYSTEM_BODY : SYSTEM_FIXED,
                      .nq = BODY_NQ,
                      .nv = moves ? BODY_NV : 0,
                      .motion = def->motion,
                      .driven = m->n_driven,
                      .user = def->user};
    memcpy(s.q0, def->position, 3 * sizeof(double));
    memcpy(s.q0 + 3, def->orientation, 4 * sizeof(double));
    memcpy(s.given, def->orientation, sizeof s.given);
    if (pcs_quat_normalise(s.q0 + 3) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG, "body: the orientation quaternion is zero");
    }
    if (moves) {
        memcpy(s.v0, def->velocity, 3 * sizeof(double));
        memcpy(s.v0 + 3, def->omega, 3 * sizeof(double));
        s.mass = def->mass;
        s.filled = filled;
        if (has_added(def)) {
            s.added = pcs_env_alloc(&m->env, 36, sizeof *s.added);
            if (!s.added) return pcs_fail_memory("pcs_model_add_body");
            memcpy(s.added, def->added_mass, sizeof def->added_mass);
            s.varies = true;
        }
        set_inertia(&s, def->inertia);
        s.body_force = def->force;
        s.body_jacobian = def->jacobian;
        s.potential = def->potential;
    }
    if (!grow_systems(m)) {
        pcs_env_free(&m->env, s.added);
        return pcs_fail_memory("pcs_model_add_body");
    }
    const pcs_status status = place(m, &s, out);
    if (status != PCS_OK) {
        pcs_env_free(&m->env, s.added);
        return status;
    }
    m->n_driven += def->motion != NULL;
    return PCS_OK;
}

pcs_status pcs_model_add_body(pcs_model *m, const pcs_body_def *def, pcs_system *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_body: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_body"));
    pcs_body_def own = *def;
    const bool filled = !any_entry(def->inertia, 9);
    if (filled) memcpy(own.inertia, pcs_inertia_sphere(def->mass, 0.1).J, sizeof own.inertia);
    PCS_TRY(check_body(&own));
    return add_body(m, &own, filled, out);
}

// ---- Lagrangian systems ------------------------------------------------------------------------

static pcs_status copy_array(const pcs_env *env, const char *what, const double *from, size_t n,
                             double **to)
{
    if (!from) return PCS_OK;
    if (!pcs_all_finite(from, n)) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: the %s has an entry that is not finite",
                        what);
    }
    *to = pcs_env_alloc(env, n, sizeof **to);
    if (!*to) return pcs_fail_memory("pcs_model_add_lagrangian");
    memcpy(*to, from, n * sizeof **to);
    return PCS_OK;
}

static pcs_status check_symmetric(const char *what, int n, const double *A)
{
    double scale = 0;
    for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) {
        scale = fmax(scale, fabs(A[i]));
    }
    for (size_t j = 0; j < (size_t)n; ++j) {
        for (size_t i = 0; i < j; ++i) {
            if (fabs(A[i + (size_t)n * j] - A[j + (size_t)n * i]) > 1e-10 * scale) {
                return pcs_fail(PCS_ERR_ARG,
                                "Lagrangian system: the %s is not symmetric: entries"
                                " (%zu, %zu) and (%zu, %zu) differ",
                                what, i, j, j, i);
            }
        }
    }
    return PCS_OK;
}

static pcs_status copy_lagrangian(const pcs_env *env, const pcs_lagrangian_def *def,
                                  model_system *s)
{
    const size_t n = (size_t)def->n;
    s->start = pcs_env_alloc(env, 2 * n, sizeof(double));
    if (!s->start) return pcs_fail_memory("pcs_model_add_lagrangian");
    if (def->q0) memcpy(s->start, def->q0, n * sizeof(double));
    if (def->v0) memcpy(s->start + n, def->v0, n * sizeof(double));
    if (!pcs_all_finite(s->start, 2 * n)) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: q0 or v0 is not finite");
    }
    if (!model_in_range(s->start, 2 * n)) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: q0 or v0 has an entry beyond %g",
                        MODEL_LARGEST);
    }
    PCS_TRY(copy_array(env, "mass", def->mass, n * n, &s->M));
    PCS_TRY(copy_array(env, "stiffness", def->stiffness, n * n, &s->K));
    PCS_TRY(copy_array(env, "damping", def->damping, n * n, &s->D));
    PCS_TRY(copy_array(env, "load", def->load, n, &s->load));
    if (s->K) PCS_TRY(check_symmetric("stiffness", def->n, s->K));
    if (s->M) {
        PCS_TRY(check_symmetric("mass", def->n, s->M));
        double *factor = pcs_env_alloc(env, n * n, sizeof(double));
        if (!factor) return pcs_fail_memory("pcs_model_add_lagrangian");
        memcpy(factor, s->M, n * n * sizeof(double));
        const bool definite = dense_cholesky(def->n, factor);
        pcs_env_free(env, factor);
        if (!definite) {
            return pcs_fail(PCS_ERR_ARG, "Lagrangian system: the mass is not positive definite");
        }
    }
    return PCS_OK;
}

pcs_status pcs_model_add_lagrangian(pcs_model *m, const pcs_lagrangian_def *def, pcs_system *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_lagrangian: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_lagrangian"));
    if (def->n < 1 || def->n > 46340) {
        return pcs_fail(PCS_ERR_SIZE, "Lagrangian system: n is %d; it must lie in [1, 46340]",
                        def->n);
    }
    if (!def->mass == !def->mass_fn) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: give either mass or mass_fn");
    }
    if ((def->jacobian || def->potential) && !def->force) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: a Jacobian or potential is given, but no"
                                     " force");
    }

    model_system s = {.kind = SYSTEM_LAGRANGIAN,
                      .nq = def->n,
                      .nv = def->n,
                      .user = def->user,
                      .mass_fn = def->mass_fn,
                      .varies = def->mass_fn != NULL,
                      .force = def->force,
                      .jacobian = def->jacobian,
                      .potential = def->potential,
                      .linear = !def->mass_fn && !def->force};
    pcs_status status = grow_systems(m) ? copy_lagrangian(&m->env, def, &s)
                                        : pcs_fail_memory("pcs_model_add_lagrangian");
    if (status == PCS_OK) status = place(m, &s, out);
    if (status != PCS_OK) {
        pcs_env_free(&m->env, s.start);
        pcs_env_free(&m->env, s.M);
        pcs_env_free(&m->env, s.K);
        pcs_env_free(&m->env, s.D);
        pcs_env_free(&m->env, s.load);
    }
    return status;
}

// ---- materials, shapes, interactions -----------------------------------------------------------

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
    return pcs_fail(PCS_ERR_ARG, "%s: the friction mu is %g; it must not be negative, and finite",
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
        return pcs_fail(PCS_ERR_ARG,
                        "%s: %s is a Lagrangian system; only bodies and the world carry shapes",
                        who, words);
    }
    if ((shape->kind == PCS_SHAPE_MESH || shape->kind == PCS_SHAPE_HEIGHT_FIELD) && system.id > 0 &&
        m->system[system.id - 1].kind != SYSTEM_FIXED) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: forces move %s; a mesh or a height field must be on a fixed body or"
                        " one with a prescribed motion",
                        who, words);
    }
    return PCS_OK;
}

// inertia of the shapes of a body with one more shape, at its mass
static pcs_status fill_body(model_system *body, const pcs_shape *shape)
{
    pcs_inertia one, all = body->shapes;
    if (pcs_inertia_of_shape(shape, 1, &one) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_add_shape: the inertia of the body is to be that of its shapes,"
                        " and this one has no volume; set the inertia in its definition");
    }
    inertia_join(&all, &one);
    double J[9];
    for (int i = 0; i < 9; ++i) {
        J[i] = body->mass / all.m * all.J[i];
    }
    if (!isfinite(inverse_norm(J))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_add_shape: %g kg in a shape of %g m^3 have an inertia with trace"
                        " %g kg m^2, too small to be inverted",
                        body->mass, all.m, J[0] + J[4] + J[8]);
    }
    body->shapes = all;
    set_inertia(body, J);
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
    if (body && body->filled) PCS_TRY(fill_body(body, shape));
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

static pcs_status check_law(const pcs_interaction_def *def)
{
    const pcs_law *law = &def->law;
    switch (law->kind) {
    case PCS_LAW_EQUALITY:
        return PCS_OK;
    case PCS_LAW_NEWTON_IMPACT:
        return check_restitution("interaction ", law->e);
    case PCS_LAW_NEWTON_COULOMB:
        PCS_TRY(check_restitution("interaction ", law->e));
        PCS_TRY(check_friction("interaction ", law->e_t, law->mu));
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
                        "interaction: its relation has %d rows and %s callbacks; it"
                        " needs at least one row, gap and gradient",
                        def->relation.dim,
                        def->relation.gap && def->relation.gradient ? "both" : "not both");
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
    if (s1->nv == 0 && (!s2 || s2->nv == 0)) {
        return pcs_fail(PCS_ERR_ARG, "interaction: neither of its systems can move");
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
        !grow_joins(m)) {
        return pcs_fail_memory("pcs_model_add_interaction");
    }
    if (def->law.kind == PCS_LAW_EQUALITY) {
        add_join(m, def->system1, def->system2);
        add_join(m, def->system2, def->system1);
    }
    m->interaction_off[m->n_interactions] = false;
    m->n_rows = (int)rows;
    m->interaction[m->n_interactions++] = *def;
    if (out) out->id = m->n_interactions;
    return PCS_OK;
}
