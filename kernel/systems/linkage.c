// Poses of carried bodies as chains of turns and slides, given by numbers: see <percuss/motion.h>.
#include <percuss/motion.h>

#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

pcs_status pcs_linkage_check(const pcs_linkage *l)
{
    if (!l || l->n < 1 || l->moves < 0 || (l->moves > 0 && !l->move)) {
        return pcs_fail(PCS_ERR_ARG, "linkage: it is null, has no coordinates or no moves");
    }
    const double Q = pcs_quat_norm(l->orientation);
    if (!pcs_all_finite(l->position, 3) || !(Q > 0) || !isfinite(Q)) {
        return pcs_fail(PCS_ERR_ARG, "linkage: the position or the orientation is not finite, or"
                                     " the quaternion is zero");
    }
    for (int k = 0; k < l->moves; ++k) {
        const pcs_move *m = &l->move[k];
        const double length = v3_norm(m->axis);
        if (!m->by || !pcs_all_finite(m->by, (size_t)l->n) || !isfinite(m->offset) ||
            !pcs_all_finite(m->centre, 3)) {
            return pcs_fail(PCS_ERR_ARG,
                            "linkage: move %d has a number that is not finite, or no"
                            " coefficients",
                            k);
        }
        if (!(length > 0) || !isfinite(length)) {
            return pcs_fail(PCS_ERR_ARG, "linkage: the axis of move %d needs a direction", k);
        }
    }
    return PCS_OK;
}

// the unit axis of a move and its amount
static double amount_of(const pcs_linkage *l, const pcs_move *m, const double *q, double axis[3])
{
    double amount = m->offset;
    for (int i = 0; i < l->n; ++i) {
        amount += m->by[i] * q[i];
    }
    v3_scale(1 / v3_norm(m->axis), m->axis, axis);
    return amount;
}

// the rotation of a turn
static void turn_of(const double axis[3], double angle, double Q[4])
{
    Q[0] = cos(0.5 * angle);
    v3_scale(sin(0.5 * angle), axis, Q + 1);
}

int pcs_linkage_place(void *linkage, const double *q, double pose[7])
{
    const pcs_linkage *l = linkage;
    if (!l || !q || !pose) return PCS_ERR_ARG;
    memcpy(pose, l->position, sizeof l->position);
    memcpy(pose + 3, l->orientation, sizeof l->orientation);
    for (int k = l->moves - 1; k >= 0; --k) {
        const pcs_move *m = &l->move[k];
        double axis[3], Q[4], arm[3], turned[4];
        const double amount = amount_of(l, m, q, axis);
        if (m->slides) {
            v3_along(pose, amount, axis, pose);
            continue;
        }
        turn_of(axis, amount, Q);
        v3_sub(pose, m->centre, arm);
        quat_turn(Q, 1, arm, arm);
        v3_along(arm, 1, m->centre, pose);
        pcs_quat_mul(Q, pose + 3, turned);
        memcpy(pose + 3, turned, sizeof turned);
    }
    return 0;
}

// With the axis w and its point c where the moves before have put them, the rate of its amount
// gives (w, 0) of a slide, (w x (x - c), w) of a turn; omega in body axes
int pcs_linkage_rows(void *linkage, const double *q, double *J)
{
    const pcs_linkage *l = linkage;
    if (!l || !q || !J) return PCS_ERR_ARG;
    double pose[7], R[4] = {1, 0, 0, 0}, d[3] = {0}; // the moves before: x -> R x + d
    pcs_linkage_place(linkage, q, pose);
    for (int k = 0; k < l->moves; ++k) {
        const pcs_move *m = &l->move[k];
        double axis[3], w[3], c[3], arm[3], twist[6] = {0};
        const double amount = amount_of(l, m, q, axis);
        quat_turn(R, 1, axis, w);
        if (m->slides) {
            v3_copy(w, twist);
            v3_along(d, amount, w, d);
        } else {
            double Q[4], back[3], product[4];
            quat_turn(R, 1, m->centre, c);
            v3_along(c, 1, d, c);
            v3_sub(pose, c, arm);
            v3_cross(w, arm, twist);
            quat_turn(pose + 3, -1, w, twist + 3);
            // x -> R (Q (x - centre) + centre) + d
            turn_of(axis, amount, Q);
            quat_turn(Q, 1, m->centre, back);
            v3_sub(m->centre, back, back);
            quat_turn(R, 1, back, back);
            v3_along(d, 1, back, d);
            pcs_quat_mul(R, Q, product);
            memcpy(R, product, sizeof R);
        }
        for (int i = 0; i < l->n; ++i) {
            for (int r = 0; r < 6; ++r) {
                J[6 * i + r] += m->by[i] * twist[r];
            }
        }
    }
    return 0;
}
