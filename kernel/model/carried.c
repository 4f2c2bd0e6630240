// Bodies that a Lagrangian system with coordinates q carries: the pose (x, Q)(q) is given, and the
// rows of (dx/dt, omega) = J(q) dq/dt are given or derived from it: column j of J is the derivative
// of the displacement from the pose at q,
//
//     (x(q + d e_j) - x(q), log(Q(q)* Q(q + d e_j))),   along d at d = 0.
#include "model/carried.h"

#include <float.h>
#include <string.h>

#include "linalg/m3.h"
#include "mechanics/difference.h"

// part of the largest row that a Jacobian may be wrong by
#define CLOSE 1e-7

void pose_displacement(const double q0[7], const double q1[7], double d[6])
{
    double back[4], turn[4];
    pcs_quat_conj(q0 + 3, back);
    pcs_quat_mul(back, q1 + 3, turn);
    pcs_quat_log(turn, d + 3);
    v3_sub(q1, q0, d);
}

pcs_status carried_pose(const model_system *s, const double *q, double pose[7])
{
    for (int i = 0; i < BODY_NQ; ++i) {
        pose[i] = NAN; // shows an entry that the callback does not write
    }
    const int answer = s->pose(s->user, q, pose);
    if (answer == 0 && model_in_range(pose, BODY_NQ) && pcs_quat_normalise(pose + 3) == PCS_OK) {
        return PCS_OK;
    }
    char who[PART_WORDS];
    return pcs_fail_range(PCS_ERR_CALLBACK,
                          "the pose callback of %s returned %d, left an entry unset or not finite,"
                          " or gave a zero quaternion",
                          system_words(s, who), answer);
}

// column j of J; q is changed and restored
static pcs_status difference_column(const model_system *s, const double at[7], int j, double *q,
                                    double column[6])
{
    const double middle = q[j], step = difference_step(fmax(fabs(middle), 1));
    pcs_status status = PCS_OK;
    memset(column, 0, 6 * sizeof *column);
    for (int k = -DIFFERENCE_POINTS; k <= DIFFERENCE_POINTS && status == PCS_OK; ++k) {
        if (k == 0) continue;
        double pose[7], d[6];
        q[j] = middle + k * step;
        status = carried_pose(s, q, pose);
        if (status != PCS_OK) break;
        pose_displacement(at, pose, d);
        const double w = (k > 0 ? 1 : -1) * difference_weight(k > 0 ? k : -k) / step;
        for (int i = 0; i < 6; ++i) {
            column[i] += w * d[i];
        }
    }
    q[j] = middle;
    return status;
}

pcs_status carried_rows(const model_system *s, int n, const double *q, double *room, double *J)
{
    const size_t size = 6 * (size_t)n;
    if (s->pose_jacobian) {
        memset(J, 0, size * sizeof *J);
        const int answer = s->pose_jacobian(s->user, q, J);
        if (answer == 0 && pcs_all_finite(J, size)) return PCS_OK;
        char who[PART_WORDS];
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "the Jacobian callback of the pose of %s returned %d or gave a number"
                              " that is not finite",
                              system_words(s, who), answer);
    }
    double at[7];
    memcpy(room, q, (size_t)n * sizeof *room);
    PCS_TRY(carried_pose(s, q, at));
    for (int j = 0; j < n; ++j) {
        PCS_TRY(difference_column(s, at, j, room, J + 6 * (size_t)j));
    }
    return PCS_OK;
}

pcs_status carried_check(const model_system *s, int n, const double *q, double *room, double *J)
{
    double at[7], size = 0;
    PCS_TRY(carried_pose(s, q, at));
    PCS_TRY(carried_rows(s, n, q, room, J));
    if (!s->pose_jacobian) return PCS_OK;
    for (size_t i = 0; i < 6 * (size_t)n; ++i) {
        size = fmax(size, fabs(J[i]));
    }
    memcpy(room, q, (size_t)n * sizeof *room);
    for (int j = 0; j < n; ++j) {
        double column[6];
        PCS_TRY(difference_column(s, at, j, room, column));
        for (int i = 0; i < 6; ++i) {
            const double given = J[i + 6 * (size_t)j];
            if (fabs(given - column[i]) <= CLOSE * fmax(size, fabs(column[i]))) continue;
            return pcs_fail(PCS_ERR_CALLBACK,
                            "carried body: row %d, coordinate %d: the Jacobian of its pose gives"
                            " %.9g, differences of the pose give %.9g",
                            i, j, given, column[i]);
        }
    }
    return PCS_OK;
}

pcs_status model_carry(const pcs_model *m, double *q)
{
    for (int i = 0, left = m->n_carried; left > 0; ++i) {
        const model_system *s = &m->system[i];
        if (s->carrier.id == 0) continue;
        left -= 1;
        const model_system *carrier = &m->system[s->carrier.id - 1];
        if (!s->disabled) PCS_TRY(carried_pose(s, q + carrier->q_at, q + s->q_at));
    }
    return PCS_OK;
}
