// Adds force elements to a model: checks of their definitions, and what follows from them.
#include <percuss/force.h>

#include <float.h>
#include <string.h>

#include "mass/m6.h"
#include "model/model.h"
#include "rotation/pose.h"

pcs_force_def pcs_force_def_default(pcs_force_kind kind)
{
    return (pcs_force_def){.kind = kind, .frame1 = {1, 0, 0, 0}, .frame2 = {1, 0, 0, 0}};
}

// ---- checks ------------------------------------------------------------------------------------

static pcs_status check_systems(const pcs_model *m, const pcs_force_def *def)
{
    if (def->system1.id == 0) {
        return pcs_fail(PCS_ERR_ARG, "force element: system1 is the world; give the world as"
                                     " system2");
    }
    const model_system *s[2] = {model_find(m, def->system1), model_find(m, def->system2)};
    if (!s[0] || (def->system2.id != 0 && !s[1])) {
        return pcs_fail(PCS_ERR_ARG, "force element: there is no system %d",
                        s[0] ? def->system2.id : def->system1.id);
    }
    if (s[0] == s[1]) {
        return pcs_fail(PCS_ERR_ARG, "force element: both systems are %d; give two different ones",
                        def->system1.id);
    }
    if (!system_can_move(m, def->system1.id - 1) && !system_can_move(m, def->system2.id - 1)) {
        return pcs_fail(PCS_ERR_ARG, "force element: neither of its two sides can move");
    }
    for (int side = 0; side < 2 && def->kind != PCS_FORCE_USER; ++side) {
        if (!s[side] || s[side]->kind != SYSTEM_LAGRANGIAN) continue;
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG,
                        "force element: %s has no pose; between Lagrangian systems only"
                        " PCS_FORCE_USER acts",
                        system_words(s[side], words));
    }
    for (int side = 0; side < 2; ++side) {
        if (!s[side] || !s[side]->sparse) continue;
        char words[PART_WORDS];
        return pcs_fail(
            PCS_ERR_UNSUPPORTED,
            "force element: %s has sparse matrices; let the callback act on a body that the system"
            " carries, or put the stiffness and damping into the matrices",
            system_words(s[side], words));
    }
    return PCS_OK;
}

static pcs_status check_numbers(const char *what, const double *x, size_t n)
{
    if (pcs_all_finite(x, n) && model_in_range(x, n)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "force element: the %s is not finite, or beyond %g", what,
                    MODEL_LARGEST);
}

static pcs_status check_not_negative(const char *what, double x)
{
    if (x >= 0 && x <= MODEL_LARGEST) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "force element: the %s is %g; it must lie in [0, %g]", what, x,
                    MODEL_LARGEST);
}

static pcs_status check_constants(const pcs_force_def *def)
{
    PCS_TRY(check_not_negative("stiffness", def->stiffness));
    PCS_TRY(check_not_negative("damping", def->damping));
    if (def->stiffness > 0 || def->damping > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "force element: stiffness and damping are 0: it has no force; set"
                                 " one of them");
}

// symmetric, and no negative eigenvalue: with its diagonal scaled to 1 and a little more it has
// Cholesky factors
static pcs_status check_matrix(const char *what, const double A[36])
{
    PCS_TRY(check_numbers(what, A, 36));
    double scaled[36], L[36];
    bool good = m6_is_symmetric(A);
    for (int i = 0; i < 6; ++i) {
        good = good && A[7 * i] >= 0;
        for (int j = 0; j < 6; ++j) {
            const double size = sqrt(A[7 * i]) * sqrt(A[7 * j]);
            good = good && (size > 0 || A[i + 6 * j] == 0);
            scaled[i + 6 * j] = size > 0 ? A[i + 6 * j] / size : 0;
        }
        scaled[7 * i] = 1 + 64 * DBL_EPSILON;
    }
    if (good && m6_cholesky(scaled, L)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "force element: the %s of a bushing is not symmetric, or has a negative"
                    " eigenvalue",
                    what);
}

static pcs_status check_bushing(const pcs_force_def *def)
{
    PCS_TRY(check_matrix("stiffness K", def->K));
    PCS_TRY(check_matrix("damping D", def->D));
    bool any = false;
    for (int i = 0; i < 36; ++i) {
        any = any || def->K[i] != 0 || def->D[i] != 0;
    }
    if (!any) {
        return pcs_fail(PCS_ERR_ARG, "force element: K and D of a bushing are zero: it has no"
                                     " force; set one of them");
    }
    PCS_TRY(check_numbers("orientation of frame 1", def->frame1, 4));
    PCS_TRY(check_numbers("orientation of frame 2", def->frame2, 4));
    if (pcs_quat_norm(def->frame1) > 0 && pcs_quat_norm(def->frame2) > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "force element: the orientation of a frame is a zero quaternion");
}

static pcs_status check_torsion(const pcs_force_def *def)
{
    PCS_TRY(check_constants(def));
    PCS_TRY(check_numbers("axis", def->axis, 3));
    if (!(v3_norm(def->axis) > 0)) {
        return pcs_fail(PCS_ERR_ARG, "force element: the axis of a torsional spring is zero; give"
                                     " its direction in body 1");
    }
    if (fabs(def->angle) < acos(-1)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "force element: the angle is %g; it must lie in (-pi, pi)",
                    def->angle);
}

// the points of an element in the initial poses must not meet: its force would have no direction
static pcs_status check_apart(const pcs_model *m, const pcs_force_def *def)
{
    const model_system *s1 = model_find(m, def->system1), *s2 = model_find(m, def->system2);
    if (s1->motion || (s2 && s2->motion)) return PCS_OK; // its poses are not known here
    double P1[3], P2[3], d[3];
    pose_point(s1->q0, def->p1, P1);
    pose_point(s2 ? s2->q0 : NULL, def->p2, P2);
    v3_sub(P1, P2, d);
    if (v3_norm(d) > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "force element: its points meet at (%g, %g, %g), where the force has no"
                    " direction; move a point, or give a spring the length 0",
                    P1[0], P1[1], P1[2]);
}

static pcs_status check_points(const pcs_force_def *def)
{
    PCS_TRY(check_numbers("point p1", def->p1, 3));
    return check_numbers("point p2", def->p2, 3);
}

static pcs_status check_kind(const pcs_model *m, const pcs_force_def *def)
{
    switch (def->kind) {
    case PCS_FORCE_SPRING:
        PCS_TRY(check_points(def));
        PCS_TRY(check_constants(def));
        PCS_TRY(check_not_negative("length", def->length));
        return def->length > 0 ? check_apart(m, def) : PCS_OK;
    case PCS_FORCE_TORSION:
        return check_torsion(def);
    case PCS_FORCE_BUSHING:
        PCS_TRY(check_points(def));
        return check_bushing(def);
    case PCS_FORCE_GRAVITY:
        PCS_TRY(check_points(def));
        PCS_TRY(check_numbers("strength", &def->strength, 1));
        if (def->strength != 0) return check_apart(m, def);
        return pcs_fail(PCS_ERR_ARG, "force element: the strength of gravity is 0; give G m1 m2,"
                                     " N m^2");
    case PCS_FORCE_USER:
        if (def->force) return PCS_OK;
        return pcs_fail(PCS_ERR_ARG, "force element: PCS_FORCE_USER needs the callback `force`");
    default:
        return pcs_fail(PCS_ERR_ARG, "force element: the kind %d is unknown", (int)def->kind);
    }
}

// ---- the functions -----------------------------------------------------------------------------

// The members that the kind names; the others have their defaults, so that they do not count in the
// hash of the model, and a scene file need not have them
static pcs_force_def members_of(const pcs_force_def *def)
{
    pcs_force_def own = pcs_force_def_default(def->kind);
    own.system1 = def->system1;
    own.system2 = def->system2;
    if (def->kind == PCS_FORCE_USER) {
        own.force = def->force;
        own.jacobian = def->jacobian;
        own.potential = def->potential;
        own.user = def->user;
        return own;
    }
    if (def->kind == PCS_FORCE_SPRING || def->kind == PCS_FORCE_TORSION) {
        own.stiffness = def->stiffness;
        own.damping = def->damping;
    }
    if (def->kind == PCS_FORCE_SPRING) own.length = def->length;
    if (def->kind == PCS_FORCE_GRAVITY) own.strength = def->strength;
    if (def->kind == PCS_FORCE_TORSION) {
        v3_copy(def->axis, own.axis);
        own.angle = def->angle;
        return own;
    }
    v3_copy(def->p1, own.p1);
    v3_copy(def->p2, own.p2);
    if (def->kind != PCS_FORCE_BUSHING) return own;
    memcpy(own.frame1, def->frame1, sizeof own.frame1);
    memcpy(own.frame2, def->frame2, sizeof own.frame2);
    memcpy(own.K, def->K, sizeof own.K);
    memcpy(own.D, def->D, sizeof own.D);
    return own;
}

// a system with one more element: its factors may need more room
static void begin_force(pcs_model *m, model_system *s)
{
    const size_t before = system_factor_size(s);
    s->forces += 1;
    model_classify(s);
    const size_t more = system_factor_size(s) - before;
    for (int b = s->block; more > 0 && b < m->n_blocks; ++b) {
        m->factor_off[b + 1] += more;
    }
}

pcs_status pcs_model_add_force(pcs_model *m, const pcs_force_def *def, pcs_force *out)
{
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "pcs_model_add_force: an argument is null");
    PCS_TRY(model_may_change(m, "pcs_model_add_force"));
    PCS_TRY(check_systems(m, def));
    PCS_TRY(check_kind(m, def));
    if (!model_grow(&m->env, (void **)&m->force, m->n_forces, &m->cap_forces, sizeof *m->force)) {
        return pcs_fail_memory("pcs_model_add_force");
    }
    model_force *f = &m->force[m->n_forces];
    *f = (model_force){.def = members_of(def),
                       .id = m->n_forces + 1,
                       .pose = {def->system1.id - 1, def->system2.id - 1}};
    for (int e = 0; e < 2; ++e) {
        f->system[e] = system_mover(m, f->pose[e]);
        f->carried = f->carried || f->system[e] != f->pose[e];
    }
    if (f->system[0] == f->system[1]) f->system[1] = -1;
    v3_unit(def->axis, f->axis);
    if (def->kind == PCS_FORCE_BUSHING) {
        quat_matrix(def->frame1, f->frame);
        quat_matrix(def->frame2, f->frame + 9);
    }
    for (int side = 0; side < 2; ++side) {
        if (f->system[side] >= 0) begin_force(m, &m->system[f->system[side]]);
    }
    m->n_forces += 1;
    if (out) out->id = m->n_forces;
    return PCS_OK;
}

static bool has_force(const pcs_model *m, pcs_force force)
{
    return m && force.id >= 1 && force.id <= m->n_forces;
}

int pcs_model_force_count(const pcs_model *m)
{
    return m ? m->n_forces : 0;
}

pcs_status pcs_model_force(const pcs_model *m, pcs_force force, pcs_force_def *out)
{
    if (!has_force(m, force) || !out) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_force: there is no force element %d, or an argument is null",
                        force.id);
    }
    *out = m->force[force.id - 1].def;
    return PCS_OK;
}

pcs_status pcs_model_set_force_enabled(pcs_model *m, pcs_force force, bool enabled)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "pcs_model_set_force_enabled: the model is null");
    PCS_TRY(model_may_change(m, "pcs_model_set_force_enabled"));
    if (!has_force(m, force)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_set_force_enabled: there is no force element %d; the model has"
                        " %d, from 1",
                        force.id, m->n_forces);
    }
    m->force[force.id - 1].disabled = !enabled;
    return PCS_OK;
}

bool pcs_model_force_enabled(const pcs_model *m, pcs_force force)
{
    return has_force(m, force) && !m->force[force.id - 1].disabled;
}
