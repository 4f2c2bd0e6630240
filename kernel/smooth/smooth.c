// A model as x' = f(t, x), x = (q, v): systems by their own forces and masses, joints by
// multipliers.
#include "smooth/smooth.h"

#include <string.h>

#include "forces/forces.h"
#include "relations/joint.h"
#include "systems/systems.h"

// ---- systems and constraints

static bool takes_part(const pcs_model *m, pcs_system id)
{
    const model_system *s = model_find(m, id);
    return id.id == 0 || (s && !s->disabled);
}

static bool moves(const model_system *s)
{
    return s->nv > 0 && !s->disabled;
}

static pcs_status check_shapes(const pcs_model *m)
{
    for (int a = 0; a < m->n_shapes; ++a) {
        const int own = m->shape[a].system;
        if (own < 0 || !moves(&m->system[own]) || m->shape[a].disabled) continue;
        for (int b = 0; b < m->n_shapes; ++b) {
            const int other = m->shape[b].system;
            if (other == own || (other >= 0 && m->system[other].disabled)) continue;
            if (m->shape[b].disabled) continue;
            char one[PART_WORDS], two[PART_WORDS];
            return pcs_fail(
                PCS_ERR_UNSUPPORTED,
                "pcs_smooth_create: shapes %s and %s may touch, and smooth systems have no"
                " contacts; use pcs_step, or set ignore_contacts",
                part_words(m, PART_SHAPE, "", a, one), part_words(m, PART_SHAPE, "", b, two));
        }
    }
    return PCS_OK;
}

static bool is_joint(const pcs_model *m, const pcs_interaction_def *def)
{
    if (def->law.kind != PCS_LAW_EQUALITY) return false;
    if (!takes_part(m, def->system1) || !takes_part(m, def->system2)) return false;
    const model_system *s1 = model_find(m, def->system1), *s2 = model_find(m, def->system2);
    return (s1 && s1->nv > 0) || (s2 && s2->nv > 0);
}

// `joints`: only what joints must not have, as contacts are ignored
static pcs_status check_laws(const pcs_model *m, bool joints)
{
    for (int i = 0; i < m->n_interactions; ++i) {
        char words[PART_WORDS];
        if (m->interaction_off[i]) continue;
        if (joints && m->interaction[i].law.kind != PCS_LAW_EQUALITY) continue;
        const pcs_strength *strength = &m->strength[i];
        if (isfinite(strength->force) || isfinite(strength->moment)) {
            return pcs_fail(PCS_ERR_UNSUPPORTED,
                            "pcs_smooth_create: %s breaks at its strength, and joints of smooth"
                            " systems do not; use pcs_step",
                            part_words(m, PART_INTERACTION, "interaction ", i + 1, words));
        }
        if (!time_is_zero(&m->interaction[i].relation.time)) {
            return pcs_fail(PCS_ERR_UNSUPPORTED,
                            "pcs_smooth_create: %s depends on time, and joints of smooth systems"
                            " do not; use pcs_step",
                            part_words(m, PART_INTERACTION, "interaction ", i + 1, words));
        }
        if (m->interaction[i].law.kind == PCS_LAW_EQUALITY) continue;
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_smooth_create: %s has a law of contact, and smooth systems have none;"
                        " use pcs_step, or set ignore_contacts",
                        part_words(m, PART_INTERACTION, "interaction ", i + 1, words));
    }
    return PCS_OK;
}

static void collect_joints(pcs_smooth *sys)
{
    const pcs_model *m = sys->model;
    for (int i = 0; i < m->n_interactions; ++i) {
        const pcs_interaction_def *def = &m->interaction[i];
        if (m->interaction_off[i] || !is_joint(m, def)) continue;
        sys->joint[sys->n_joints++] = (smooth_joint){.interaction = i,
                                                     .sys1 = def->system1.id - 1,
                                                     .sys2 = def->system2.id - 1,
                                                     .row = sys->m};
        sys->m += def->relation.dim;
        const model_system *s1 = model_find(m, def->system1), *s2 = model_find(m, def->system2);
        sys->driven |= (s1 && s1->motion) || (s2 && s2->motion);
    }
}

// ---- callbacks of the constrained system

static int masses(void *user, double t, const double *q, double *M)
{
    (void)t;
    pcs_smooth *sys = user;
    const pcs_model *m = sys->model;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const size_t n = (size_t)s->nv, at = (size_t)s->v_at, N = (size_t)sys->nv;
        const pcs_status status = system_mass(s, q + s->q_at, sys->M);
        if (status != PCS_OK) return (int)status;
        for (size_t j = 0; j < n; ++j) {
            memcpy(M + at + N * (at + j), sys->M + n * j, n * sizeof *M);
        }
    }
    return 0;
}

// adds the forces of force elements
static int add_elements(const pcs_smooth *sys, double t, const double *q, const double *v,
                        double *F)
{
    const pcs_model *m = sys->model;
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        if (!force_acts(m, f)) continue;
        double pose[2][BODY_NQ], motion[2][BODY_NV];
        force_side side[2];
        force_sides(m, f, q, v, NULL, side);
        for (int e = 0; e < 2; ++e) {
            const model_system *s = f->system[e] < 0 ? NULL : &m->system[f->system[e]];
            if (!s || !s->motion) continue;
            const pcs_status moved = system_motion(s, t, pose[e], motion[e]);
            if (moved != PCS_OK) return (int)moved;
            side[e].q = pose[e];
            side[e].v = motion[e];
        }
        const int N = side[0].n + side[1].n;
        const force_sum sum = {sys->element, sys->element + N, NULL};
        const pcs_status status = force_evaluate(m, f, t, side, sum, NULL);
        if (status != PCS_OK) return (int)status;
        for (int e = 0, k = 0; e < 2; k += side[e].n, ++e) {
            if (f->system[e] < 0 || m->system[f->system[e]].nv == 0) continue;
            double *to = F + m->system[f->system[e]].v_at;
            for (int j = 0; j < side[e].n; ++j) {
                to[j] += sum.conservative[k + j] + sum.other[k + j];
            }
        }
    }
    return 0;
}

static int forces(void *user, double t, const double *q, const double *v, double *F)
{
    pcs_smooth *sys = user;
    const pcs_model *m = sys->model;
    const system_force parts = {sys->force[0], sys->force[1], sys->force[2]};
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const pcs_status status = system_forces(m, s, t, q + s->q_at, v + s->v_at, parts);
        if (status != PCS_OK) return (int)status;
        for (int i = 0; i < s->nv; ++i) {
            F[s->v_at + i] = parts.conservative[i] + parts.other[i] + parts.gyroscopic[i];
        }
    }
    return add_elements(sys, t, q, v, F);
}

static int kinematics(void *user, double t, const double *q, const double *v, double *qdot)
{
    (void)t;
    const pcs_smooth *sys = user;
    const pcs_model *m = sys->model;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->disabled) continue;
        if (s->kind == SYSTEM_BODY) {
            pcs_body_rate(q + s->q_at, v + s->v_at, qdot + s->q_at);
        } else {
            memcpy(qdot + s->q_at, v + s->v_at, (size_t)s->nv * sizeof *v);
        }
    }
    return 0;
}

static int normalise(void *user, double *q)
{
    const pcs_smooth *sys = user;
    const pcs_model *m = sys->model;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (!system_normalise(s, q + s->q_at)) return 1;
    }
    return 0;
}

// ---- creation

pcs_smooth_def pcs_smooth_def_default(void)
{
    return (pcs_smooth_def){.norm = PCS_SMOOTH_NORM_NORMALISE,
                            .stabilisation = PCS_STABILISATION_PROJECT};
}

static size_t lay_out(pcs_smooth *sys, double *memory)
{
    const pcs_model *m = sys->model;
    size_t nq = 7, nv = 6, dim = 1;
    for (int i = 0; i < m->n_systems; ++i) {
        if ((size_t)m->system[i].nq > nq) nq = (size_t)m->system[i].nq;
        if ((size_t)m->system[i].nv > nv) nv = (size_t)m->system[i].nv;
    }
    for (int k = 0; k < sys->n_joints; ++k) {
        const int rows = m->interaction[sys->joint[k].interaction].relation.dim;
        if ((size_t)rows > dim) dim = (size_t)rows;
    }
    const size_t driven = (size_t)m->n_driven;
    const memory_part part[] = {
        {&sys->q, (size_t)sys->nq},
        {&sys->driven_q, 7 * driven},
        {&sys->driven_v, 6 * driven},
        {&sys->driven_a, 19 * driven}, // with scratch of its differences
        {&sys->C1, dim * nq},
        {&sys->C2, dim * nq},
        {&sys->J, dim * nv},
        {&sys->q1, nq},
        {&sys->q2, nq},
        {&sys->qdot1, nq},
        {&sys->qdot2, nq},
        {&sys->rate, dim},
        {&sys->lambda, (size_t)sys->m},
        {&sys->force[0], nv},
        {&sys->force[1], nv},
        {&sys->force[2], nv},
        {&sys->M, nv * nv},
        {&sys->element, 4 * nv},
    };
    return memory_lay_out(part, sizeof part / sizeof *part, memory);
}

static pcs_status check_def(const pcs_model *m, const pcs_smooth_def *def)
{
    if ((int)def->norm < PCS_SMOOTH_NORM_NORMALISE || (int)def->norm > PCS_SMOOTH_NORM_MULTIPLIER) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_smooth_create: norm is %d; it must be one of pcs_smooth_norm",
                        (int)def->norm);
    }
    if (!(def->norm_alpha >= 0) || !isfinite(def->norm_alpha)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_smooth_create: norm_alpha (1/s) is %g; it must be finite"
                        " and not negative",
                        def->norm_alpha);
    }
    if (m->nv == 0) {
        return pcs_fail(PCS_ERR_UNSUPPORTED, "pcs_smooth_create: no system of the model can move");
    }
    if (m->n_planar > 0) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_smooth_create: %d bodies of the model are planar; a smooth model has"
                        " bodies in space only",
                        m->n_planar);
    }
    if (m->n_carried > 0) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_smooth_create: Lagrangian systems carry %d bodies of the model; a"
                        " smooth model knows systems with their own velocities only",
                        m->n_carried);
    }
    PCS_TRY(check_laws(m, def->ignore_contacts));
    return def->ignore_contacts ? PCS_OK : check_shapes(m);
}

static pcs_status make_inner(const pcs_env *env, pcs_smooth *sys)
{
    const pcs_smooth_def *def = &sys->def;
    const pcs_constrained_def inner = {
        .nv = sys->nv,
        .nq = sys->nq,
        .m = sys->m,
        .mass = masses,
        .force = forces,
        .rate = kinematics,
        .normalise = def->norm == PCS_SMOOTH_NORM_NORMALISE ? normalise : NULL,
        .phi = smooth_phi,
        .A = smooth_A,
        .phi_t = sys->driven ? smooth_phi_t : NULL,
        .gamma = smooth_gamma,
        .moving = sys->driven,
        .stabilisation = def->stabilisation,
        .alpha = def->alpha,
        .tol = def->tol,
        .user = sys,
    };
    PCS_TRY(pcs_constrained_create(env, &inner, &sys->inner));
    return pcs_constrained_ode(sys->inner, &sys->inner_ode);
}

pcs_status pcs_smooth_create(const pcs_env *env, const pcs_model *m, const pcs_smooth_def *def,
                             pcs_smooth **out)
{
    if (out) *out = NULL;
    if (!m || !out) return pcs_fail(PCS_ERR_ARG, "pcs_smooth_create: an argument is null");
    const pcs_smooth_def chosen = def ? *def : pcs_smooth_def_default();
    PCS_TRY(check_def(m, &chosen));

    pcs_smooth *sys = pcs_env_alloc(env, 1, sizeof *sys);
    if (!sys) return pcs_fail_memory("pcs_smooth_create");
    if (env) sys->env = *env;
    sys->model = m;
    sys->def = chosen;
    sys->nq = m->nq;
    sys->nv = m->nv;
    sys->joint = pcs_env_alloc(env, (size_t)m->n_interactions + 1, sizeof *sys->joint);
    if (sys->joint) {
        collect_joints(sys);
        sys->memory = pcs_env_alloc(env, lay_out(sys, NULL), sizeof(double));
    }
    if (!sys->memory) {
        pcs_smooth_destroy(sys);
        return pcs_fail_memory("pcs_smooth_create");
    }
    lay_out(sys, sys->memory);
    const pcs_status status = make_inner(env, sys);
    if (status != PCS_OK) {
        pcs_smooth_destroy(sys);
        return status;
    }
    *out = sys;
    return PCS_OK;
}

void pcs_smooth_destroy(pcs_smooth *sys)
{
    if (!sys) return;
    const pcs_env env = sys->env;
    pcs_constrained_destroy(sys->inner);
    pcs_env_free(&env, sys->joint);
    pcs_env_free(&env, sys->memory);
    pcs_env_free(&env, sys);
}

int pcs_smooth_size(const pcs_smooth *sys)
{
    return sys ? sys->nq + sys->nv : 0;
}

pcs_constrained *pcs_smooth_constrained(pcs_smooth *sys)
{
    return sys ? sys->inner : NULL;
}

// ---- x' = f

// dQ/dt += lambda Q with psi' = -alpha psi
static void hold_norms(const pcs_smooth *sys, const double *x, double *dxdt)
{
    const pcs_model *m = sys->model;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->kind != SYSTEM_BODY || s->disabled) continue;
        const double *Q = x + s->q_at + 3;
        const double square = Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3];
        const double lambda = -sys->def.norm_alpha * 0.5 * (square - 1) / square;
        for (int i = 0; i < 4; ++i) {
            dxdt[s->q_at + 3 + i] += lambda * Q[i];
        }
    }
}

static int rates(void *user, double t, const double *x, double *dxdt)
{
    pcs_smooth *sys = user;
    const int answer = sys->inner_ode.f(sys->inner_ode.user, t, x, dxdt);
    if (answer != 0) return answer;
    if (sys->def.norm == PCS_SMOOTH_NORM_MULTIPLIER) hold_norms(sys, x, dxdt);
    if (sys->model->n_driven == 0) return 0;

    const pcs_status status = smooth_drive(sys, t, sys->driven_q, sys->driven_v);
    if (status != PCS_OK) return (int)status;
    for (int i = 0; i < sys->model->n_systems; ++i) {
        const model_system *s = &sys->model->system[i];
        if (!s->motion || s->disabled) continue;
        pcs_body_rate(sys->driven_q + 7 * s->driven, sys->driven_v + 6 * s->driven, dxdt + s->q_at);
    }
    return 0;
}

// moves bodies with prescribed motion to their poses at t
static pcs_status put_driven(pcs_smooth *sys, double t, double *q)
{
    if (sys->model->n_driven == 0) return PCS_OK;
    PCS_TRY(smooth_drive(sys, t, sys->driven_q, sys->driven_v));
    for (int i = 0; i < sys->model->n_systems; ++i) {
        const model_system *s = &sys->model->system[i];
        if (!s->motion || s->disabled) continue;
        memcpy(q + s->q_at, sys->driven_q + 7 * s->driven, 7 * sizeof *q);
    }
    return PCS_OK;
}

static int after_step(void *user, double t, double *x)
{
    pcs_smooth *sys = user;
    if (sys->inner_ode.project) {
        const int answer = sys->inner_ode.project(sys->inner_ode.user, t, x);
        if (answer != 0) return answer;
    }
    return (int)put_driven(sys, t, x);
}

pcs_status pcs_smooth_ode(pcs_smooth *sys, pcs_ode *out)
{
    if (!sys || !out) return pcs_fail(PCS_ERR_ARG, "pcs_smooth_ode: an argument is null");
    *out = (pcs_ode){.n = sys->nq + sys->nv, .f = rates, .user = sys};
    if (sys->inner_ode.project || sys->model->n_driven > 0) out->project = after_step;
    return PCS_OK;
}

// ---- states

static pcs_status check_state(const char *who, const pcs_smooth *sys, const pcs_state *state,
                              const void *x)
{
    if (!sys || !state || !x) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    if (state->nq == sys->nq && state->nv == sys->nv) return PCS_OK;
    return pcs_fail(PCS_ERR_SIZE, "%s: the state has %d coordinates, the smooth system %d", who,
                    state->nq, sys->nq);
}

pcs_status pcs_smooth_from_state(const pcs_smooth *sys, const pcs_state *state, double *x)
{
    PCS_TRY(check_state("pcs_smooth_from_state", sys, state, x));
    memcpy(x, state->q, (size_t)sys->nq * sizeof *x);
    memcpy(x + sys->nq, state->v, (size_t)sys->nv * sizeof *x);
    return PCS_OK;
}

pcs_status pcs_smooth_to_state(const pcs_smooth *sys, double t, const double *x, pcs_state *state)
{
    const char *who = "pcs_smooth_to_state";
    PCS_TRY(check_state(who, sys, state, x));
    if (!isfinite(t) || !pcs_all_finite(x, (size_t)(sys->nq + sys->nv))) {
        return pcs_fail(PCS_ERR_ARG, "%s: t or x is not finite", who);
    }
    const pcs_model *m = sys->model;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (s->kind != SYSTEM_LAGRANGIAN && !(pcs_quat_norm(x + s->q_at + 3) > 0)) {
            char words[PART_WORDS];
            return pcs_fail(PCS_ERR_ARG, "%s: the quaternion of %s is zero", who,
                            part_words(m, PART_SYSTEM, "system ", i + 1, words));
        }
        double q[7], v[6];
        if (s->motion && !s->disabled) PCS_TRY(system_motion(s, t, q, v));
    }

    // nothing fails after this
    state->t = t;
    memcpy(state->q, x, (size_t)sys->nq * sizeof *x);
    memcpy(state->v, x + sys->nq, (size_t)sys->nv * sizeof *x);
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        double v[6];
        if (s->motion && !s->disabled) {
            PCS_TRY(system_motion(s, t, state->q + s->q_at, v));
        } else if (s->kind != SYSTEM_LAGRANGIAN) {
            (void)system_normalise(s, state->q + s->q_at);
        }
    }
    return PCS_OK;
}

// ---- reactions

pcs_status pcs_smooth_reaction(pcs_smooth *sys, double t, const double *x,
                               pcs_interaction interaction, double *r)
{
    const char *who = "pcs_smooth_reaction";
    if (!sys || !x || !r) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    const pcs_model *m = sys->model;
    if (interaction.id < 1 || interaction.id > m->n_interactions) {
        return pcs_fail(PCS_ERR_ARG, "%s: there is no interaction %d", who, interaction.id);
    }
    const int dim = m->interaction[interaction.id - 1].relation.dim;
    memset(r, 0, (size_t)dim * sizeof *r);
    for (int k = 0; k < sys->n_joints; ++k) {
        const smooth_joint *j = &sys->joint[k];
        if (j->interaction != interaction.id - 1) continue;
        PCS_TRY(pcs_constrained_reactions(sys->inner, t, x, x + sys->nq, sys->lambda, NULL));
        memcpy(r, sys->lambda + j->row, (size_t)dim * sizeof *r);
    }
    return PCS_OK;
}
