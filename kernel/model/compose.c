// A body made of several shapes: its mass properties, and the shapes seen from its centre of mass.
#include <percuss/model.h>

#include <string.h>

#include "base/base.h"
#include "rotation/pose.h"

pcs_status pcs_body_def_of_shapes(int n, const pcs_shape *shapes, const double *densities,
                                  pcs_body_def *def, pcs_shape *about_G)
{
    if (!def || !about_G) {
        return pcs_fail(PCS_ERR_ARG, "pcs_body_def_of_shapes: an argument is null");
    }
    double mass, com[3], J[9], Q[4], moved[3];
    PCS_TRY(pcs_mass_of_shapes(n, shapes, densities, &mass, com, J));
    memcpy(Q, def->orientation, sizeof Q);
    if (!pcs_all_finite(Q, 4) || pcs_quat_normalize(Q) != PCS_OK) {
        return pcs_fail(PCS_ERR_ARG, "pcs_body_def_of_shapes: the orientation of the body is zero"
                                     " or not finite");
    }
    if (!pcs_all_finite(def->position, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_body_def_of_shapes: the position of the body is not"
                                     " finite");
    }

    quat_turn(Q, 1, com, moved);
    v3_along(def->position, 1, moved, def->position);
    def->mass = mass;
    memcpy(def->inertia, J, sizeof def->inertia);
    for (int k = 0; k < n; ++k) {
        pcs_shape s = shapes[k];
        v3_sub(s.position, com, s.position);
        about_G[k] = s;
    }
    return PCS_OK;
}
