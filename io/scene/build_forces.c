// Force elements of a scene file, or of a copy of a generator.
#include <math.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/rotation.h>

#include "base/base.h"
#include "scene/build.h"

static bool has(const scene_interaction *in, const char *key)
{
    return table_given(&interaction_table, in, key);
}

// 6 x 6 from its diagonal or from all of its numbers
static pcs_status take_matrix(builder *b, const char *key, const numbers *in, const place *at,
                              double A[36])
{
    if (in->x && in->rows != 6 && in->rows != 36) {
        return refuse(&b->src, at, PCS_ERR_SIZE,
                      "%s has %d numbers; it must have 6, the diagonal, or 36", key, in->rows);
    }
    for (int i = 0; in->x && i < in->rows; ++i) {
        A[in->rows == 6 ? 7 * i : i] = in->x[i];
    }
    return PCS_OK;
}

static pcs_status take_points(builder *b, const scene_interaction *in, const pcs_system system[2],
                              const frame *f, const place *at, pcs_force_def *def)
{
    static const char *const inertial[] = {"at", "at", "at1", "at2"};
    static const char *const own[] = {"point1", "point2", "point1", "point2"};
    for (int i = 0; i < 4; ++i) {
        if (has(in, inertial[i]) && has(in, own[i])) {
            return build_both_ways(b, at, inertial[i], own[i]);
        }
    }
    build_point(in->point1, system[0], f, def->p1);
    build_point(in->point2, system[1], f, def->p2);
    if (has(in, "at") || has(in, "at1")) {
        build_place(b, has(in, "at") ? in->at : in->at1, system[0], f, def->p1);
    }
    if (has(in, "at") || has(in, "at2")) {
        build_place(b, has(in, "at") ? in->at : in->at2, system[1], f, def->p2);
    }
    return PCS_OK;
}

// the length without force: as given, or that at the start
static double length_of(const builder *b, const scene_interaction *in, const pcs_force_def *def)
{
    double x1[3], x2[3];
    if (has(in, "length")) return in->length;
    build_inertial(b, def->system1, def->p1, x1);
    build_inertial(b, def->system2, def->p2, x2);
    return hypot(hypot(x1[0] - x2[0], x1[1] - x2[1]), x1[2] - x2[2]);
}

// the axis in the frame of the first body
static pcs_status take_axis(builder *b, const scene_interaction *in, const frame *f,
                            const place *at, pcs_force_def *def)
{
    memcpy(def->axis, in->axis1, sizeof def->axis);
    if (has(in, "axis") && has(in, "axis1")) return build_both_ways(b, at, "axis", "axis1");
    if (has(in, "axis1")) return PCS_OK;
    if (!has(in, "axis")) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it has no axis; give axis or axis1");
    }
    double q[7], back[4], axis[3];
    memcpy(axis, in->axis, sizeof axis);
    frame_vector(f, axis);
    memcpy(def->axis, axis, sizeof axis);
    if (scene_start_pose(b->model, def->system1, q) != PCS_OK) return PCS_OK;
    pcs_quat_conj(q + 3, back);
    pcs_quat_rotate(back, axis, def->axis);
    return PCS_OK;
}

pcs_status build_force(builder *b, const scene_interaction *in, const pcs_system system[2],
                       const frame *f, const place *at, const char *name)
{
    pcs_force_def def = pcs_force_def_default((pcs_force_kind)(in->kind - INTERACTION_FORCES));
    def.system1 = system[0];
    def.system2 = system[1];
    def.stiffness = in->stiffness;
    def.damping = in->damping;
    def.angle = in->angle;
    def.strength = in->strength;
    memcpy(def.frame1, in->axes1, sizeof def.frame1);
    memcpy(def.frame2, in->axes2, sizeof def.frame2);
    if (system[1].id == 0) frame_rotation(f, def.frame2);
    PCS_TRY(take_points(b, in, system, f, at, &def));
    PCS_TRY(take_matrix(b, "K", &in->K, at, def.K));
    PCS_TRY(take_matrix(b, "D", &in->D, at, def.D));
    if (def.kind == PCS_FORCE_TORSION) PCS_TRY(take_axis(b, in, f, at, &def));
    if (def.kind == PCS_FORCE_BUSHING && has(in, "axis")) {
        if (has(in, "axes1")) return build_both_ways(b, at, "axis", "axes1");
        if (has(in, "axes2")) return build_both_ways(b, at, "axis", "axes2");
        const pcs_status found = build_axes(b, in, f, system, def.frame1, def.frame2);
        if (found != PCS_OK) return refuse_because(&b->src, at, found);
    }
    if (def.kind == PCS_FORCE_SPRING) def.length = length_of(b, in, &def);
    PCS_TRY(build_count(b, pcs_model_force_count(b->model), "force elements", at));
    pcs_force id;
    pcs_status status = pcs_model_add_force(b->model, &def, &id);
    if (status == PCS_OK && name) status = pcs_model_set_force_name(b->model, id, name);
    if (status == PCS_OK && !in->enabled) {
        status = pcs_model_set_force_enabled(b->model, id, false);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}
