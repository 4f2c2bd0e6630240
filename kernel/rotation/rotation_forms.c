// Every form of a rotation into every other (theory 1.4), through the unit quaternion: each form
// converts exactly in both directions, so that no pair needs a separate formula.
#include "rotation/rotation.h"

#include <string.h>

#include "base/base.h"

// q0 / |Q| below which a rotation is half a turn up to rounding
#define HALF_TURN 1e-15
// allowed difference of the length of Euler parameters from 1: data with seven digits pass
#define UNIT_TOL 1e-6

int pcs_rotation_form_size(pcs_rotation_form form)
{
    switch (form) {
    case PCS_ROTATION_FORM_MATRIX:
        return 9;
    case PCS_ROTATION_FORM_AXIS_ANGLE:
    case PCS_ROTATION_FORM_EULER_PARAMETERS:
    case PCS_ROTATION_FORM_QUATERNION:
        return 4;
    case PCS_ROTATION_FORM_ROTATION_VECTOR:
    case PCS_ROTATION_FORM_ZYX:
    case PCS_ROTATION_FORM_ZYZ:
        return 3;
    }
    return 0;
}

static pcs_status read_parameters(const double in[4], double Q[4])
{
    if (!(fabs(pcs_quat_norm(in) - 1) <= UNIT_TOL)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_rotation_convert: Euler parameters have length %g; it must be 1 to "
                        "1e-6 (PCS_ROTATION_FORM_QUATERNION takes any length)",
                        pcs_quat_norm(in));
    }
    memcpy(Q, in, 4 * sizeof *Q);
    return pcs_quat_normalise(Q);
}

static pcs_status read_form(pcs_rotation_form form, const double *in, double Q[4])
{
    switch (form) {
    case PCS_ROTATION_FORM_MATRIX:
        return pcs_quat_from_matrix(in, Q);
    case PCS_ROTATION_FORM_AXIS_ANGLE:
        return pcs_quat_from_axis_angle(in, in[3], Q);
    case PCS_ROTATION_FORM_ROTATION_VECTOR:
        pcs_quat_exp(in, Q);
        return PCS_OK;
    case PCS_ROTATION_FORM_EULER_PARAMETERS:
        return read_parameters(in, Q);
    case PCS_ROTATION_FORM_QUATERNION:
        memcpy(Q, in, 4 * sizeof *Q);
        return pcs_quat_normalise(Q);
    case PCS_ROTATION_FORM_ZYX:
        pcs_quat_from_zyx(in[0], in[1], in[2], Q);
        return PCS_OK;
    case PCS_ROTATION_FORM_ZYZ:
        pcs_quat_from_zyz(in[0], in[1], in[2], Q);
        return PCS_OK;
    }
    return PCS_ERR_ARG; // not reached: the form is checked before
}

static void write_form(const double Q[4], pcs_rotation_form form, double *out)
{
    switch (form) {
    case PCS_ROTATION_FORM_MATRIX:
        pcs_quat_to_matrix(Q, out);
        return;
    case PCS_ROTATION_FORM_AXIS_ANGLE:
        pcs_quat_to_axis_angle(Q, out, out + 3);
        return;
    case PCS_ROTATION_FORM_ROTATION_VECTOR:
        pcs_quat_log(Q, out);
        return;
    case PCS_ROTATION_FORM_EULER_PARAMETERS:
    case PCS_ROTATION_FORM_QUATERNION:
        memcpy(out, Q, 4 * sizeof *out);
        quat_positive(out);
        return;
    case PCS_ROTATION_FORM_ZYX:
        pcs_quat_to_zyx(Q, out, out + 1, out + 2);
        return;
    case PCS_ROTATION_FORM_ZYZ:
        pcs_quat_to_zyz(Q, out, out + 1, out + 2);
        return;
    }
}

static pcs_rotation_case axis_case(const double Q[4], bool axis_needed)
{
    double S[4], scale;
    const double square = quat_scaled(Q, S, &scale);
    if (axis_needed && S[1] == 0 && S[2] == 0 && S[3] == 0) return PCS_ROTATION_CASE_NO_AXIS;
    return S[0] * S[0] < HALF_TURN * HALF_TURN * square ? PCS_ROTATION_CASE_TWO_WAY
                                                        : PCS_ROTATION_CASE_REGULAR;
}

pcs_rotation_case pcs_quat_case(const double Q[4], pcs_rotation_form form)
{
    switch (form) {
    case PCS_ROTATION_FORM_AXIS_ANGLE:
        return axis_case(Q, true);
    case PCS_ROTATION_FORM_ROTATION_VECTOR:
    case PCS_ROTATION_FORM_EULER_PARAMETERS:
        return axis_case(Q, false);
    case PCS_ROTATION_FORM_ZYX:
    case PCS_ROTATION_FORM_ZYZ:
        return euler_locked(Q, form == PCS_ROTATION_FORM_ZYX) ? PCS_ROTATION_CASE_GIMBAL
                                                              : PCS_ROTATION_CASE_REGULAR;
    case PCS_ROTATION_FORM_MATRIX:
    case PCS_ROTATION_FORM_QUATERNION:
        break;
    }
    return PCS_ROTATION_CASE_REGULAR;
}

pcs_status pcs_rotation_convert(pcs_rotation_form from, const double *in, pcs_rotation_form to,
                                double *out, pcs_rotation_case *which)
{
    const int size = pcs_rotation_form_size(from);
    if (size == 0 || pcs_rotation_form_size(to) == 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_rotation_convert: from form %d to form %d; the forms are those of "
                        "pcs_rotation_form",
                        (int)from, (int)to);
    }
    if (!in || !out) return pcs_fail(PCS_ERR_ARG, "pcs_rotation_convert: in or out is null");
    if (!pcs_all_finite(in, (size_t)size)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_rotation_convert: a number of the input is not finite");
    }
    double Q[4];
    PCS_TRY(read_form(from, in, Q));
    write_form(Q, to, out);
    if (which) *which = pcs_quat_case(Q, to);
    return PCS_OK;
}
