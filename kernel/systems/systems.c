// One interface for both kinds of systems, and the energies and momenta of a whole state.
#include "systems/systems.h"

#include <string.h>

#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/m3.h"
#include "linalg/mass.h"
#include "systems/added.h"
#include "systems/body_system.h"
#include "systems/lagrangian.h"
#include <percuss/state.h>

pcs_status system_forces(const pcs_model *m, const model_system *s, double t, const double *q,
                         const double *v, system_force F)
{
    if (s->disabled) {
        for (int i = 0; i < s->nv; ++i) {
            F.conservative[i] = F.other[i] = F.gyroscopic[i] = 0;
        }
        return PCS_OK;
    }
    return s->kind == SYSTEM_BODY ? body_forces(m, s, t, q, v, F)
                                  : lagrangian_forces(s, t, q, v, F);
}

static pcs_status unit_mass(int n, double *A)
{
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int i = 0; i < n; ++i) {
        A[(size_t)i * ((size_t)n + 1)] = 1;
    }
    return PCS_OK;
}

pcs_status system_mass(const model_system *s, const double *q, double *A)
{
    if (s->disabled && s->varies) return unit_mass(s->nv, A); // any regular matrix
    if (s->kind != SYSTEM_BODY) return lagrangian_mass(s, q, A);
    body_mass(s, A);
    if (s->added) added_mass(s->added, q, A);
    return PCS_OK;
}

size_t system_jacobian_work(const model_system *s)
{
    if (s->kind == SYSTEM_BODY || !s->force) return 0;
    const size_t n = (size_t)s->nv;
    return s->jacobian ? 2 * n * n : 4 * n;
}

pcs_status system_subtract_jacobian(const model_system *s, double t, const double *q,
                                    const double *v, double a, double b, double *work, double *A)
{
    if (s->disabled && (s->body_force || s->force || s->added)) return PCS_OK;
    return s->kind == SYSTEM_BODY ? body_subtract_jacobian(s, t, q, v, a, b, A)
                                  : lagrangian_subtract_jacobian(s, t, q, v, a, b, work, A);
}

void system_times_T(const model_system *s, int dim, const double *q, const double *C, double *J)
{
    if (s->kind == SYSTEM_LAGRANGIAN) {
        memcpy(J, C, (size_t)dim * (size_t)s->nv * sizeof *J);
        return;
    }
    // T is the identity for x, and 4 x 3 for Q
    const size_t rows = (size_t)dim;
    double T[42];
    pcs_body_T(q, T);
    memcpy(J, C, 3 * rows * sizeof *J);
    memset(J + 3 * rows, 0, 3 * rows * sizeof *J);
    for (int j = 3; j < 6; ++j) {
        block_addmul(dim, 4, C + 3 * rows, T + 7 * j + 3, J + rows * (size_t)j);
    }
}

void system_whole_mass_mul(const model_system *s, const double *M, const double *x, double *y)
{
    if (s->added) {
        added_mul(M, x, y);
    } else if (s->sparse) {
        memset(y, 0, (size_t)s->nv * sizeof *y);
        envelope_add_mul(&s->sparse->M, 1, x, y);
    } else {
        dense_mul(s->nv, s->nv, 1, s->M ? s->M : M, x, 0, y);
    }
}

int system_body_matrix(const model_system *s, const double *v, double a, const double *stiff,
                       double *A)
{
    if (s->dense) return BLOCK_DENSE;
    if (s->isotropic && !stiff) {
        for (int i = 0; i < 3; ++i) {
            A[i] = s->mass;
            A[3 + i] = s->J[0];
        }
        return BLOCK_DIAGONAL;
    }
    A[0] = s->mass;
    body_rotational_matrix(s, v, a, A + 1);
    for (int i = 0; stiff && i < 9; ++i) {
        A[1 + i] += stiff[i];
    }
    return BLOCK_RIGID;
}

void system_advance(const model_system *s, const double *q, double h, const double *v,
                    pcs_quat_update update, double *q1)
{
    if (s->kind == SYSTEM_BODY) {
        pcs_body_advance(q, h, v, update, q1);
        return;
    }
    for (int i = 0; i < s->nv; ++i) {
        q1[i] = q[i] + h * v[i];
    }
}

pcs_status system_add_potential(const model_system *s, const double *q, double *V)
{
    double user = 0;
    const int answer = s->potential(s->user, q, &user);
    if (answer != 0 || !isfinite(user)) {
        char who[PART_WORDS];
        return pcs_fail(PCS_ERR_CALLBACK, "the potential callback of %s returned %d or gave %g",
                        system_words(s, who), answer, user);
    }
    *V += user;
    return PCS_OK;
}

bool system_normalise(const model_system *s, double *q)
{
    if (s->kind == SYSTEM_FIXED) return pcs_quat_norm(q + 3) > 0;
    return s->kind != SYSTEM_BODY || pcs_quat_normalise(q + 3) == PCS_OK;
}

// ---- the public energies ---------------------------------------------------------------------

pcs_status system_check_state(const char *who, const pcs_model *m, const pcs_state *st,
                              const void *out)
{
    if (!m || !st || !out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    if (st->nq == m->nq && st->nv == m->nv) return PCS_OK;
    return pcs_fail(PCS_ERR_SIZE,
                    "%s: the state has %d coordinates and the model %d; extend the state"
                    " (pcs_state_extend) after the last system",
                    who, st->nq, m->nq);
}

pcs_status pcs_state_kinetic_energy(const pcs_model *m, const pcs_state *st, double *out)
{
    PCS_TRY(system_check_state("pcs_state_kinetic_energy", m, st, out));
    double sum = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->disabled) continue;
        const double *v = st->v + s->v_at;
        if (s->kind == SYSTEM_BODY) {
            double M[36], Mv[6];
            if (s->added) PCS_TRY(system_mass(s, st->q + s->q_at, M));
            system_mass_mul(s, M, v, Mv);
            for (int i = 0; i < 6; ++i) {
                sum += 0.5 * v[i] * Mv[i];
            }
            continue;
        }

        const size_t n = (size_t)s->nv;
        if (s->sparse) {
            sum += 0.5 * envelope_form(&s->sparse->M, v);
            continue;
        }
        double *M = pcs_env_alloc(&m->env, n * n, sizeof *M);
        if (!M) return pcs_fail_memory("pcs_state_kinetic_energy");
        const pcs_status status = system_mass(s, st->q + s->q_at, M);
        for (size_t j = 0; j < n && status == PCS_OK; ++j) {
            for (size_t i = 0; i < n; ++i) {
                sum += 0.5 * v[i] * M[i + n * j] * v[j];
            }
        }
        pcs_env_free(&m->env, M);
        PCS_TRY(status);
    }
    *out = sum;
    return PCS_OK;
}

pcs_status pcs_state_momentum(const pcs_model *m, const pcs_state *st, double linear[3],
                              double angular[3])
{
    PCS_TRY(system_check_state("pcs_state_momentum", m, st, st));
    double p[3] = {0}, L[3] = {0};
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->kind != SYSTEM_BODY || s->disabled) continue;

        const double *q = st->q + s->q_at, *v = st->v + s->v_at;
        double Jw[3], spin[3], xv[3];
        m3_mul(s->J, v + 3, Jw);
        pcs_quat_rotate(q + 3, Jw, spin);
        v3_cross(q, v, xv);
        for (int i = 0; i < 3; ++i) {
            p[i] += s->mass * v[i];
            L[i] += s->mass * xv[i] + spin[i];
        }
        if (s->added) added_momentum(s->added, q, v, p, L);
    }
    if (linear) memcpy(linear, p, sizeof p);
    if (angular) memcpy(angular, L, sizeof L);
    return PCS_OK;
}
