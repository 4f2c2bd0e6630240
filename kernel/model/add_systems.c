// Adds bodies and Lagrangian systems to a model: checks of their definitions, and their places in
// q, v and among the blocks.
#include "model/model.h"

#include <limits.h>
#include <string.h>

#include <percuss/motion.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/m3.h"
#include "mass/inertia.h"
#include "mass/m6.h"
#include "model/carried.h"

// ---- places ------------------------------------------------------------------------------------

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
    model_classify(s);
    if (s->nv > 0) {
        const int b = m->n_blocks++;
        s->block = b;
        m->block_system[b] = m->n_systems;
        m->block_start[b + 1] = m->nv;
        m->block_off[b + 1] = m->block_off[b] + (s->sparse ? 0 : (size_t)s->nv * (size_t)s->nv);
        m->factor_off[b + 1] = m->factor_off[b] + system_factor_size(s);
    }
    m->variable_mass |= s->varies;
    m->system[m->n_systems++] = *s;
    if (out) out->id = m->n_systems;
    return PCS_OK;
}

// ---- bodies ------------------------------------------------------------------------------------

pcs_body_def pcs_body_def_default(void)
{
    return (pcs_body_def){.mass = 1, .orientation = {1, 0, 0, 0}};
}

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
                                " = %.15g and (%d, %d) = %.15g",
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

// |inverse|, the root of the sum of squares; infinity where there is none
static double invert(const double J[9], double inverse[9])
{
    double F[9], sum = 0;
    int piv[3];
    memcpy(F, J, sizeof F);
    memset(inverse, 0, 9 * sizeof *inverse);
    if (!lu_factor(3, F, piv)) return INFINITY;
    for (int c = 0; c < 3; ++c) {
        double *x = inverse + 3 * c;
        x[c] = 1;
        lu_solve(3, F, piv, x);
        sum += v3_dot(x, x);
    }
    return sqrt(sum);
}

// what counts of an inertia: in a plane only the moment about the normal
static void inertia_that_counts(pcs_plane plane, const double J[9], double out[9])
{
    for (int i = 0; i < 9; ++i) {
        const bool whole = plane == PCS_PLANE_NONE;
        out[i] = whole ? J[i] : i % 4 == 0 ? J[4 * plane_normal(plane)] : 0;
    }
}

// sets the members that follow from J
static void set_inertia(model_system *s, const double J[9])
{
    inertia_that_counts(s->plane, J, s->J);
    J = s->J;
    s->isotropic = !s->added && J[0] == J[4] && J[0] == J[8] && J[1] == 0 && J[2] == 0 &&
                   J[3] == 0 && J[5] == 0 && J[6] == 0 && J[7] == 0;
    s->inverse_bound = invert(J, s->J_inverse);
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

// a body that forces do not move directly has at most one reason for it
static pcs_status check_pose(const pcs_model *m, const pcs_body_def *def)
{
    if (def->fixed && def->motion) {
        return pcs_fail(PCS_ERR_ARG, "body: it is fixed and has a motion; choose one");
    }
    if (def->motion == pcs_motion_follow) PCS_TRY(pcs_motion_check(def->user));
    if (def->carrier.id == 0) {
        if (!def->pose && !def->pose_jacobian && !def->touches_carried) return PCS_OK;
        return pcs_fail(PCS_ERR_ARG, "body: it has a pose callback, a Jacobian of it or"
                                     " touches_carried, but no carrier; set the Lagrangian system"
                                     " that carries it");
    }
    if (def->fixed || def->motion) {
        return pcs_fail(PCS_ERR_ARG, "body: it has a carrier and %s; choose one",
                        def->fixed ? "is fixed" : "has a motion");
    }
    const model_system *carrier = model_find(m, def->carrier);
    if (!carrier || carrier->kind != SYSTEM_LAGRANGIAN) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: its carrier is system %d, which is no Lagrangian system",
                        def->carrier.id);
    }
    if (def->pose) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "body: system %d carries it; give the callback of its pose",
                    def->carrier.id);
}

// a planar body starts in its plane: rotated about the normal, with velocities in the plane
static pcs_status check_plane(const pcs_body_def *def)
{
    if (def->plane == PCS_PLANE_NONE) return PCS_OK;
    if (def->plane < PCS_PLANE_NONE || def->plane > PCS_PLANE_YZ) {
        return pcs_fail(PCS_ERR_ARG, "body: there is no plane %d", (int)def->plane);
    }
    const int normal = plane_normal(def->plane);
    double off = 0, size = v3_norm(def->velocity) + v3_norm(def->omega);
    for (int i = 0; i < 3; ++i) {
        if (i == normal) continue;
        off = fmax(off, fabs(def->orientation[1 + i]));
        if (def->omega[i] != 0) size = -1;
    }
    if (has_added(def)) return pcs_fail(PCS_ERR_ARG, "body: a planar body has no added mass");
    if (off > 1e-9 * pcs_quat_norm(def->orientation)) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: it is planar, and its orientation is not a rotation about the %c"
                        " axis, the normal of its plane",
                        "xyz"[normal]);
    }
    if (size >= 0 && def->velocity[normal] == 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "body: it is planar, and its velocity leaves its plane: only"
                    " omega[%d] and the two velocities in the plane may differ from 0",
                    normal);
}

static pcs_status check_body(const pcs_model *m, const pcs_body_def *def)
{
    PCS_TRY(check_range("position", def->position, 3));
    PCS_TRY(check_range("orientation quaternion", def->orientation, 4));
    PCS_TRY(check_pose(m, def));
    if (!body_def_moves(def)) return PCS_OK;
    PCS_TRY(check_plane(def));
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
    double J[9], inverse[9];
    inertia_that_counts(def->plane, def->inertia, J);
    if (def->plane == PCS_PLANE_NONE) {
        PCS_TRY(check_inertia(J));
        if (!has_added(def)) PCS_TRY(check_moments(def));
    } else if (!(J[0] > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: it is planar, and its moment of inertia about the %c axis, the"
                        " normal of its plane, is %g kg m^2; it must be positive",
                        "xyz"[plane_normal(def->plane)], J[0]);
    }
    if (!isfinite(invert(J, inverse)) || !isfinite(1 / def->mass)) {
        return pcs_fail(PCS_ERR_ARG,
                        "body: the mass %g kg and the inertia with trace %g kg m^2 are too small"
                        " to be inverted",
                        def->mass, J[0] + J[4] + J[8]);
    }
    return has_added(def) ? check_added(def) : PCS_OK;
}

// the first pose of a carried body, and the check of its Jacobian there
static pcs_status begin_pose(const pcs_model *m, model_system *s)
{
    const model_system *carrier = &m->system[s->carrier.id - 1];
    const size_t n = (size_t)carrier->nq;
    double *room = pcs_env_alloc(&m->env, 7 * n, sizeof *room);
    if (!room) return pcs_fail_memory("pcs_model_add_body");
    model_system named = *s;
    named.model = NULL; // it has no number yet
    pcs_status status = carried_pose(&named, carrier->start, s->q0);
    if (status == PCS_OK) {
        status = carried_check(&named, carrier->nq, carrier->start, room, room + n);
    }
    memcpy(s->given, s->q0 + 3, sizeof s->given);
    pcs_env_free(&m->env, room);
    return status;
}

// adds a checked definition; `filled`: its inertia is that of its shapes
static pcs_status add_body(pcs_model *m, const pcs_body_def *def, bool filled, pcs_system *out)
{
    const bool moves = body_def_moves(def);
    model_system s = {.kind = moves ? SYSTEM_BODY : SYSTEM_FIXED,
                      .nq = BODY_NQ,
                      .nv = moves ? BODY_NV : 0,
                      .motion = def->motion,
                      .driven = m->n_driven,
                      .carrier = def->carrier,
                      .carried = m->n_carried,
                      .pose = def->pose,
                      .pose_jacobian = def->pose_jacobian,
                      .touches_carried = def->touches_carried,
                      .user = def->user};
    memcpy(s.q0, def->position, 3 * sizeof(double));
    memcpy(s.q0 + 3, def->orientation, 4 * sizeof(double));
    memcpy(s.given, def->orientation, sizeof s.given);
    if (pcs_quat_normalise(s.q0 + 3) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG, "body: the orientation quaternion is zero");
    }
    if (moves) {
        s.plane = def->plane;
        for (int i = 0; i < 3 && s.plane != PCS_PLANE_NONE; ++i) {
            if (i != plane_normal(s.plane)) s.q0[4 + i] = 0;
        }
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
    pcs_status status = s.pose ? begin_pose(m, &s) : PCS_OK;
    if (status == PCS_OK) status = place(m, &s, out);
    if (status != PCS_OK) {
        pcs_env_free(&m->env, s.added);
        return status;
    }
    m->n_driven += def->motion != NULL;
    m->n_carried += def->carrier.id > 0;
    m->n_planar += s.plane != PCS_PLANE_NONE;
    return PCS_OK;
}

pcs_status pcs_model_add_body(pcs_model *m, const pcs_body_def *def, pcs_system *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_body: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_body"));
    pcs_body_def own = *def;
    const bool filled = !any_entry(def->inertia, 9);
    if (filled) memcpy(own.inertia, pcs_inertia_sphere(def->mass, 0.1).J, sizeof own.inertia);
    PCS_TRY(check_body(m, &own));
    return add_body(m, &own, filled, out);
}

// inertia of the shapes of a body with one more shape, at its mass
pcs_status model_fill_inertia(model_system *body, const pcs_shape *shape)
{
    pcs_inertia one, all = body->shapes;
    if (pcs_inertia_of_shape(shape, 1, &one) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_add_shape: the inertia of the body is to be that of its shapes,"
                        " and this one has no volume; set the inertia in its definition");
    }
    inertia_join(&all, &one);
    double J[9], inverse[9];
    for (int i = 0; i < 9; ++i) {
        J[i] = body->mass / all.m * all.J[i];
    }
    if (!isfinite(invert(J, inverse))) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_add_shape: %g kg in a shape of %g m^3 have an inertia with trace"
                        " %g kg m^2, too small to be inverted",
                        body->mass, all.m, J[0] + J[4] + J[8]);
    }
    body->shapes = all;
    set_inertia(body, J);
    model_classify(body);
    return PCS_OK;
}

// largest number of unknowns with sparse matrices
#define MOST_SPARSE 10000000

// ---- Lagrangian systems ------------------------------------------------------------------------

pcs_lagrangian_def pcs_lagrangian_def_default(void)
{
    return (pcs_lagrangian_def){0};
}

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
    if (def->sparse_mass) PCS_TRY(model_read_sparse(env, def, &s->sparse));
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
    const int most = def->sparse_mass ? MOST_SPARSE : 46340;
    if (def->n < 1 || def->n > most) {
        return pcs_fail(PCS_ERR_SIZE, "Lagrangian system: n is %d; it must lie in [1, %d]", def->n,
                        most);
    }
    if ((def->mass != NULL) + (def->mass_fn != NULL) + (def->sparse_mass != NULL) != 1) {
        return pcs_fail(PCS_ERR_ARG,
                        "Lagrangian system: give either mass or mass_fn, or sparse_mass");
    }
    if (!def->sparse_mass && (def->sparse_stiffness || def->sparse_damping)) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: a sparse stiffness or damping needs"
                                     " sparse_mass");
    }
    if (def->sparse_mass && (def->stiffness || def->damping || def->force)) {
        return pcs_fail(PCS_ERR_ARG, "Lagrangian system: with sparse_mass give sparse_stiffness and"
                                     " sparse_damping, and no force callback");
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
        model_release_sparse(&m->env, s.sparse);
    }
    return status;
}
