// Parts of mechanisms.
#include "scenes/mechanism.h"

#include <math.h>
#include <string.h>

#include <percuss/inertia.h>
#include <percuss/parts.h>
#include <percuss/rotation.h>
#include <percuss/touching.h>

pcs_status mechanism_bar(pcs_model *model, const bar *def, pcs_system *out)
{
    double d[3], dv[3], back[4];
    for (int i = 0; i < 3; ++i) {
        d[i] = def->b[i] - def->a[i];
        dv[i] = def->vb[i] - def->va[i];
    }
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], length = sqrt(square);
    pcs_body_def body =
        pcs_body_def_of_inertia(pcs_inertia_box(def->mass, def->width, def->width, length));
    if (def->J > 0) body.inertia[0] = body.inertia[4] = def->J;
    for (int i = 0; i < 3; ++i) {
        body.position[i] = 0.5 * (def->a[i] + def->b[i]);
        body.velocity[i] = 0.5 * (def->va[i] + def->vb[i]);
    }
    PCS_TRY(pcs_joint_axes(d, NULL, body.orientation));
    // omega = d x dv / d^2
    const double omega[3] = {(d[1] * dv[2] - d[2] * dv[1]) / square,
                             (d[2] * dv[0] - d[0] * dv[2]) / square,
                             (d[0] * dv[1] - d[1] * dv[0]) / square};
    pcs_quat_conj(body.orientation, back);
    pcs_quat_rotate(back, omega, body.omega);
    body.omega[2] += def->spin;
    PCS_TRY(pcs_model_add_body(model, &body, out));
    const pcs_shape box = pcs_shape_box(def->width, def->width, length);
    PCS_TRY(pcs_model_add_shape(model, *out, &box, (pcs_material){0}));
    return pcs_model_set_groups(model, *out, 0, 0);
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

pcs_status mechanism_shape(pcs_model *model, pcs_system system, pcs_shape shape)
{
    const int number = pcs_model_shape_count(model);
    PCS_TRY(pcs_model_add_shape(model, system, &shape, (pcs_material){0}));
    return pcs_model_set_shape_groups(model, number, 0, 0);
}

pcs_status mechanism_carried(pcs_scene *scene, pcs_system carrier, const pcs_linkage *linkage,
                             pcs_system *out)
{
    const size_t bytes = (size_t)linkage->moves * sizeof *linkage->move;
    pcs_linkage *own = pcs_scene_alloc(scene, sizeof *own);
    pcs_move *move = pcs_scene_alloc(scene, bytes + 1);
    if (!own || !move) return PCS_ERR_MEMORY;
    memcpy(move, linkage->move, bytes);
    *own = *linkage;
    own->move = move;
    pcs_body_def body = pcs_body_def_default();
    body.carrier = carrier;
    body.pose = pcs_linkage_place;
    body.pose_jacobian = pcs_linkage_rows;
    body.user = own;
    return pcs_model_add_body(scene->model, &body, out);
}
