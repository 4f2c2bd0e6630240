// Forces by callback, and central differences of the forces of any element.
#include "forces/forces.h"

#include <float.h>
#include <string.h>

#include <percuss/body.h>

static pcs_status failed(const pcs_model *m, const model_force *f, const char *what, int answer,
                         double t)
{
    char words[PART_WORDS];
    force_words(m, f, words);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "the %s callback of %s returned %d at t = %g", what,
                        words, answer, t);
    }
    return pcs_fail_range(PCS_ERR_CALLBACK,
                          "the %s callback of %s gave a number that is not finite at t = %g", what,
                          words, t);
}

pcs_status user_force_evaluate(const pcs_model *m, const model_force *f, double t,
                               const force_side side[2], force_sum F, double *V)
{
    const size_t n1 = (size_t)side[0].n, N = n1 + (size_t)side[1].n;
    double *to = f->def.potential ? F.conservative : F.other;
    memset(F.conservative, 0, N * sizeof *to);
    memset(F.other, 0, N * sizeof *to);
    const int answer = f->def.force(f->def.user, t, side[0].q, side[0].v, side[1].q, side[1].v, to,
                                    side[1].q ? to + n1 : NULL);
    if (answer != 0 || !pcs_all_finite(to, N)) return failed(m, f, "force", answer, t);
    if (V) *V = 0;
    if (!V || !f->def.potential) return PCS_OK;
    const int energy = f->def.potential(f->def.user, side[0].q, side[1].q, V);
    return energy == 0 && isfinite(*V) ? PCS_OK : failed(m, f, "potential", energy, t);
}

static int coordinates(const pcs_model *m, const model_force *f, int side)
{
    return f->system[side] < 0 ? 0 : m->system[f->system[side]].nq;
}

// one entry of q or v moved by d: of a pose by a motion with a unit velocity
static void move(const force_side *s, int nq, int j, bool pose, double d, double *moved)
{
    if (!pose) {
        memcpy(moved, s->v, (size_t)s->n * sizeof *moved);
        moved[j] += d;
        return;
    }
    if (nq == s->n) {
        memcpy(moved, s->q, (size_t)nq * sizeof *moved);
        moved[j] += d;
        return;
    }
    double unit[6] = {0};
    unit[j] = 1;
    pcs_body_advance(s->q, d, unit, PCS_QUAT_UPDATE_EXP, moved);
}

pcs_status force_differences(const pcs_model *m, const model_force *f, double t,
                             const force_side side[2], double *work, double *K, double *D)
{
    const int N = side[0].n + side[1].n;
    const double relative = cbrt(DBL_EPSILON);
    double *sum[2] = {work, work + 2 * (size_t)N}, *moved = work + 4 * (size_t)N;
    double *room = moved + N + 2;
    for (int k = 0; k < 2 * N; ++k) {
        const bool pose = k < N;
        const int column = pose ? k : k - N, e = column < side[0].n ? 0 : 1;
        const int j = column - (e == 0 ? 0 : side[0].n), nq = coordinates(m, f, e);
        const double was = !pose ? side[e].v[j] : nq == side[e].n || j < 3 ? side[e].q[j] : 0;
        const double d = relative * fmax(1, fabs(was));
        for (int end = 0; end < 2; ++end) {
            force_side near[2] = {side[0], side[1]};
            move(&side[e], nq, j, pose, end == 0 ? d : -d, moved);
            if (pose)
                near[e].q = moved;
            else
                near[e].v = moved;
            const force_sum F = {sum[end], sum[end] + N, room};
            PCS_TRY(force_evaluate(m, f, t, near, F, NULL));
        }
        double *to = (pose ? K : D) + (size_t)N * (size_t)column;
        for (int i = 0; i < N; ++i) {
            const double plus = sum[0][i] + sum[0][N + i], minus = sum[1][i] + sum[1][N + i];
            to[i] = (minus - plus) / (2 * d);
        }
    }
    return PCS_OK;
}

// K -= dF/dq T of one side, whose columns of dF/dq start at `from` and whose velocities at `at`
static void subtract_times_T(const force_side *s, int nq, int N, const double *Fq, double *K)
{
    double T[42];
    if (nq != s->n) pcs_body_T(s->q, T);
    for (int j = 0; j < s->n; ++j) {
        for (int k = 0; k < nq; ++k) {
            const double x = nq != s->n ? T[k + 7 * j] : (double)(k == j);
            for (int i = 0; x != 0 && i < N; ++i) {
                K[i + (size_t)N * (size_t)j] -= Fq[i + (size_t)N * (size_t)k] * x;
            }
        }
    }
}

pcs_status user_force_jacobian(const pcs_model *m, const model_force *f, double t,
                               const force_side side[2], double *work, double *K, double *D)
{
    if (!f->def.jacobian) return force_differences(m, f, t, side, work, K, D);
    const int N = side[0].n + side[1].n, nq1 = coordinates(m, f, 0), nq2 = coordinates(m, f, 1);
    const size_t values = (size_t)N * (size_t)N, wide = (size_t)N * (size_t)(nq1 + nq2);
    memset(work, 0, wide * sizeof *work);
    memset(K, 0, values * sizeof *K);
    memset(D, 0, values * sizeof *D);
    const int answer =
        f->def.jacobian(f->def.user, t, side[0].q, side[0].v, side[1].q, side[1].v, work, D);
    if (answer != 0 || !pcs_all_finite(work, wide) || !pcs_all_finite(D, values)) {
        return failed(m, f, "Jacobian", answer, t);
    }
    subtract_times_T(&side[0], nq1, N, work, K);
    if (side[1].q) {
        subtract_times_T(&side[1], nq2, N, work + (size_t)N * (size_t)nq1,
                         K + (size_t)N * (size_t)side[0].n);
    }
    for (size_t i = 0; i < values; ++i) {
        D[i] = -D[i];
    }
    return PCS_OK;
}
