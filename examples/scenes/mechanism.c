// Parts of mechanisms.
#include "scenes/mechanism.h"

#include <math.h>

#include <percuss/inertia.h>

pcs_status mechanism_bar(pcs_model *model, const double a[3], const double b[3], double mass,
                         double width, pcs_system *out)
{
    const double z[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(mass, width, width, length));
    for (int i = 0; i < 3; ++i) {
        def.position[i] = 0.5 * (a[i] + b[i]);
    }
    PCS_TRY(pcs_joint_axes(z, NULL, def.orientation));
    PCS_TRY(pcs_model_add_body(model, &def, out));
    const pcs_shape box = pcs_shape_box(width, width, length);
    return pcs_model_add_shape(model, *out, &box, (pcs_material){0});
}

pcs_status mechanism_joint(pcs_model *model, pcs_joint_kind kind, pcs_system system1,
                           pcs_system system2, const double point[3], const double axis[3],
                           pcs_interaction *out)
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    def.system1 = system1;
    def.system2 = system2;
    PCS_TRY(pcs_model_place_joint(model, point, axis, NULL, &def));
    return pcs_model_add_joint(model, &def, out);
}
