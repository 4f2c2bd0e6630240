// Motions given by numbers, and constant loads: see <percuss/motion.h>.
#include <percuss/motion.h>

#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

static const double two_pi = 6.283185307179586;

pcs_motion pcs_motion_default(void)
{
    return (pcs_motion){.orientation = {1, 0, 0, 0}, .axis = {0, 0, 1}};
}

// ---- checks ------------------------------------------------------------------------------------

static pcs_status check_table(const pcs_motion *m)
{
    if (m->rows < 2 || (m->columns != 4 && m->columns != 8)) {
        return pcs_fail(PCS_ERR_ARG,
                        "motion: the table has %d rows of %d numbers; it must have at least 2 rows"
                        " of 4 (t, x, y, z) or 8 (t, x, y, z, quaternion)",
                        m->rows, m->columns);
    }
    for (int i = 0; i < m->rows; ++i) {
        const double *row = m->table + (size_t)i * (size_t)m->columns;
        if (!pcs_all_finite(row, (size_t)m->columns)) {
            return pcs_fail(PCS_ERR_ARG, "motion: row %d of the table is not finite", i);
        }
        if (i > 0 && !(row[0] > row[-m->columns])) {
            return pcs_fail(PCS_ERR_ARG,
                            "motion: the time of row %d of the table is not after that of the row"
                            " before",
                            i);
        }
        if (m->columns == 8 && !(pcs_quat_norm(row + 4) > 0)) {
            return pcs_fail(PCS_ERR_ARG, "motion: the quaternion of row %d of the table is zero",
                            i);
        }
    }
    return PCS_OK;
}

pcs_status pcs_motion_check(const pcs_motion *m)
{
    if (!m) return pcs_fail(PCS_ERR_ARG, "motion: it is null");
    const double scalars[] = {m->frequency, m->phase, m->swing, m->swing_frequency, m->swing_phase};
    if (!pcs_all_finite(m->position, 3) ||
        !pcs_all_finite(m->polynomial[0], 3 * PCS_MOTION_TERMS) ||
        !pcs_all_finite(m->amplitude, 3) || !pcs_all_finite(m->centre, 3) ||
        !pcs_all_finite(m->angle, PCS_MOTION_TERMS) || !pcs_all_finite(m->belt, 3) ||
        !pcs_all_finite(scalars, sizeof scalars / sizeof *scalars)) {
        return pcs_fail(PCS_ERR_ARG, "motion: a number is not finite");
    }
    const double Q = pcs_quat_norm(m->orientation), axis = v3_norm(m->axis);
    if (!(Q > 0) || !isfinite(Q)) {
        return pcs_fail(PCS_ERR_ARG, "motion: the orientation is zero or not finite");
    }
    if (!(axis > 0) || !isfinite(axis)) {
        return pcs_fail(PCS_ERR_ARG, "motion: the axis is zero or not finite");
    }
    return m->table ? check_table(m) : PCS_OK;
}

// ---- functions ------------------------------------------------------------------------------

// sum_k c[stride k] t^k and its rate
static void polynomial(const double *c, int stride, double t, double *x, double *rate)
{
    *x = *rate = 0;
    for (int k = PCS_MOTION_TERMS - 1; k >= 0; --k) {
        *rate = *rate * t + *x;
        *x = *x * t + c[stride * k];
    }
}

static void displacement(const pcs_motion *m, double t, double d[3], double rate[3])
{
    const double w = two_pi * m->frequency, s = sin(w * t + m->phase),
                 c = w * cos(w * t + m->phase);
    for (int i = 0; i < 3; ++i) {
        polynomial(&m->polynomial[0][i], 3, t, &d[i], &rate[i]);
        d[i] += m->amplitude[i] * s;
        rate[i] += m->amplitude[i] * c;
    }
}

static int by_functions(const pcs_motion *m, double t, double q[7], double v[6])
{
    double d[3], rate[3], alpha, speed, turn[4], arm[3], spin[3], sweep[3];
    displacement(m, t, d, rate);
    polynomial(m->angle, 1, t, &alpha, &speed);
    const double w = two_pi * m->swing_frequency;
    alpha += m->swing * sin(w * t + m->swing_phase);
    speed += m->swing * w * cos(w * t + m->swing_phase);
    const pcs_status status = pcs_quat_from_axis_angle(m->axis, alpha, turn);
    if (status != PCS_OK) return (int)status;

    v3_sub(m->position, m->centre, arm);
    quat_turn(turn, 1, arm, arm);
    const double scale = speed / v3_norm(m->axis);
    for (int i = 0; i < 3; ++i) {
        spin[i] = scale * m->axis[i];
    }
    v3_cross(spin, arm, sweep);
    // without a rotation the position is used directly: no rounding by the centre
    const bool still = alpha == 0;
    for (int i = 0; i < 3; ++i) {
        q[i] = (still ? m->position[i] : m->centre[i] + arm[i]) + d[i];
        v[i] = sweep[i] + rate[i];
    }
    pcs_quat_mul(turn, m->orientation, q + 3);
    quat_turn(q + 3, -1, spin, v + 3);
    return 0;
}

// ---- table --------------------------------------------------------------------------------

// the motion between two rows, at the part s of the time h between them
static void between(const pcs_motion *m, const double *a, const double *b, double s, double h,
                    double q[7], double v[6])
{
    double back[4], whole[4], w[3], part[4];
    for (int i = 0; i < 3; ++i) {
        q[i] = a[1 + i] + s * (b[1 + i] - a[1 + i]);
        v[i] = (b[1 + i] - a[1 + i]) / h;
    }
    if (m->columns < 8) return;
    pcs_quat_conj(a + 4, back);
    pcs_quat_mul(back, b + 4, whole);
    pcs_quat_log(whole, w);
    for (int i = 0; i < 3; ++i) {
        v[3 + i] = w[i] / h;
        w[i] *= s;
    }
    pcs_quat_exp(w, part);
    pcs_quat_mul(a + 4, part, q + 3);
}

static void by_table(const pcs_motion *m, double t, double q[7], double v[6])
{
    const size_t width = (size_t)m->columns;
    const double *first = m->table, *last = first + width * (size_t)(m->rows - 1);
    memcpy(q + 3, m->orientation, 4 * sizeof *q);
    memset(v, 0, 6 * sizeof *v);
    if (t < first[0] || t >= last[0]) {
        const double *end = t < first[0] ? first : last;
        memcpy(q, end + 1, (width - 1) * sizeof *q);
        return;
    }
    // index of the last row that is not after t
    size_t low = 0, high = (size_t)m->rows - 1;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (first[width * middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *a = first + width * low, *b = a + width;
    const double h = b[0] - a[0];
    between(m, a, b, (t - a[0]) / h, h, q, v);
}

int pcs_motion_follow(void *motion, double t, double q[7], double v[6])
{
    const pcs_motion *m = motion;
    if (!m || !q || !v) return PCS_ERR_ARG;
    if (m->table) {
        by_table(m, t, q, v);
    } else {
        const int answer = by_functions(m, t, q, v);
        if (answer != 0) return answer;
    }
    for (int i = 0; i < 3; ++i) {
        v[i] += m->belt[i];
    }
    return 0;
}

// ---- loads -------------------------------------------------------------------------------------

pcs_status pcs_load_check(const pcs_load *load)
{
    if (!load) return pcs_fail(PCS_ERR_ARG, "load: it is null");
    if (!pcs_all_finite(load->force, 3) || !pcs_all_finite(load->torque, 3) ||
        !pcs_all_finite(load->body_force, 3) || !pcs_all_finite(load->body_torque, 3)) {
        return pcs_fail(PCS_ERR_ARG, "load: a number is not finite");
    }
    if (load->damping >= 0 && isfinite(load->damping) && load->angular_damping >= 0 &&
        isfinite(load->angular_damping)) {
        return PCS_OK;
    }
    return pcs_fail(
        PCS_ERR_ARG,
        "load: the damping is %g and the angular damping %g; they must be finite and not"
        " negative",
        load->damping, load->angular_damping);
}

int pcs_load_act(void *load, double t, const double q[7], const double v[6], double F[6])
{
    (void)t;
    const pcs_load *l = load;
    if (!l || !q || !v || !F) return PCS_ERR_ARG;
    double rotated[3], torque[3];
    quat_turn(q + 3, 1, l->body_force, rotated);
    quat_turn(q + 3, -1, l->torque, torque);
    for (int i = 0; i < 3; ++i) {
        F[i] = l->force[i] + rotated[i] - l->damping * v[i];
        F[3 + i] = torque[i] + l->body_torque[i] - l->angular_damping * v[3 + i];
    }
    return 0;
}
