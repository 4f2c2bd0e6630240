// Compares the Jacobian and the potential of a force element with central differences.
#include "forces/forces.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <percuss/body.h>

// the largest error that passes when the user gives none
#define CHECK_TOL 1e-5

// m or rad: near a place without force an error of it is relative to the force this far from there
#define NEAR 1e-3

// the worst entry of a matrix
typedef struct worst {
    double error;       // relative to the largest entry of both
    int row, column;    // of it
    double is, differs; // its values: given, and by differences
} worst;

static worst compare(int rows, int columns, double scale, const double *is,
                     const double *by_differences)
{
    worst out = {0};
    for (int k = 0; k < rows * columns; ++k) {
        scale = fmax(scale, fmax(fabs(is[k]), fabs(by_differences[k])));
    }
    for (int k = 0; k < rows * columns; ++k) {
        const double error = scale > 0 ? fabs(is[k] - by_differences[k]) / scale : 0;
        if (!(error > out.error)) continue;
        out = (worst){error, k % rows, k / rows, is[k], by_differences[k]};
    }
    return out;
}

// the potential with one system moved along velocity j
static pcs_status potential_at(const pcs_model *m, const model_force *f, const force_side side[2],
                               int e, int j, double d, double *room, double *V)
{
    const int N = side[0].n + side[1].n, nq = m->system[f->system[e]].nq;
    force_side near[2] = {side[0], side[1]};
    double *moved = room + 2 * (size_t)N;
    memcpy(moved, side[e].q, (size_t)nq * sizeof *moved);
    if (nq == side[e].n) {
        moved[j] += d;
    } else {
        double unit[6] = {0};
        unit[j] = 1;
        pcs_body_advance(side[e].q, d, unit, PCS_QUAT_UPDATE_EXP, moved);
    }
    near[e].q = moved;
    return force_evaluate(m, f, 0, near, (force_sum){room, room + N, room + 3 * (size_t)N + 2}, V);
}

// minus the gradient of the potential
static pcs_status differences_of_potential(const pcs_model *m, const model_force *f,
                                           const force_side side[2], double *room, double *gradient)
{
    for (int e = 0, k = 0; e < 2; ++e) {
        for (int j = 0; j < side[e].n; ++j, ++k) {
            const bool pose = m->system[f->system[e]].kind != SYSTEM_LAGRANGIAN;
            const double was = pose && j >= 3 ? 0 : side[e].q[j];
            const double d = cbrt(DBL_EPSILON) * fmax(1, fabs(was));
            double plus, minus;
            PCS_TRY(potential_at(m, f, side, e, j, d, room, &plus));
            PCS_TRY(potential_at(m, f, side, e, j, -d, room, &minus));
            gradient[k] = (minus - plus) / (2 * d);
        }
    }
    return PCS_OK;
}

static pcs_status judge(const pcs_model *m, const model_force *f, const char *what, double tol,
                        const worst *w)
{
    if (w->error <= tol) return PCS_OK;
    char words[PART_WORDS];
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_force_check: %s of %s: entry (%d, %d) in velocities, from 0, is %.9g,"
                    " differences of the forces give %.9g",
                    what, force_words(m, f, words), w->row, w->column, w->is, w->differs);
}

static pcs_status check(const pcs_model *m, const model_force *f, double t,
                        const force_side side[2], double tol, double *room, pcs_force_errors *out)
{
    const int N = side[0].n + side[1].n;
    const size_t values = (size_t)N * (size_t)N;
    double *K = room, *D = K + values, *K2 = D + values, *D2 = K2 + values, *gradient = D2 + values;
    double *work = gradient + N;
    PCS_TRY(force_differences(m, f, t, side, work, K2, D2));
    PCS_TRY(force_jacobian(m, f, t, side, work, K, D));
    const worst position = compare(N, N, 0, K, K2), velocity = compare(N, N, 0, D, D2);
    worst energy = {0};
    double stiffest = 0;
    for (size_t k = 0; k < values; ++k) {
        stiffest = fmax(stiffest, fabs(K[k]));
    }
    if (f->def.kind != PCS_FORCE_USER || f->def.potential) {
        const force_sum F = {K, K + N, work};
        PCS_TRY(force_evaluate(m, f, t, side, F, NULL));
        PCS_TRY(differences_of_potential(m, f, side, work, gradient));
        energy = compare(N, 1, NEAR * stiffest, F.conservative, gradient);
    }
    *out = (pcs_force_errors){position.error, velocity.error, energy.error};
    PCS_TRY(judge(m, f, "-(dF/dq) T", tol, &position));
    PCS_TRY(judge(m, f, "-dF/dv", tol, &velocity));
    return judge(m, f, "the force against its potential", tol, &energy);
}

// most velocities of both sides: the work is their square, times that of the force
enum { CHECK_MOST = 2000 };

pcs_status pcs_force_check(const pcs_model *m, const pcs_state *st, pcs_force force, double tol,
                           pcs_force_errors *out)
{
    pcs_force_errors own;
    if (!out) out = &own;
    *out = (pcs_force_errors){0};
    PCS_TRY(force_check_id("pcs_force_check", m, st, force));
    if (!(tol >= 0))
        return pcs_fail(PCS_ERR_ARG, "pcs_force_check: tol is %g; give 0 or more", tol);
    const model_force *f = &m->force[force.id - 1];
    force_side side[2];
    double motion[12];
    PCS_TRY(force_now(m, f, st, motion, side));
    const size_t N = (size_t)side[0].n + (size_t)side[1].n;
    if (N > CHECK_MOST) {
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_force_check: %s acts on %zu velocities, and differences are made for"
                        " at most %d; check it on a carrier of fewer",
                        force_words(m, f, words), N, CHECK_MOST);
    }
    const size_t numbers = 4 * N * N + N + force_work(m, f, side) + 5 * N + 2 + force_room(m, f);
    double *room = pcs_env_alloc(&m->env, numbers, sizeof *room);
    if (!room) return pcs_fail_memory("pcs_force_check");
    const pcs_status status = check(m, f, st->t, side, tol > 0 ? tol : CHECK_TOL, room, out);
    pcs_env_free(&m->env, room);
    return status;
}
