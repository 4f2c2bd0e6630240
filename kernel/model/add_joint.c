// Joints of a model: frames from directions and places, checks against the bodies.
#include "model/model.h"

#include <string.h>

#include "linalg/m3.h"
#include "relations/contact.h"
#include "relations/joint_kinds.h"
#include "rotation/pose.h"

// sine of the angle below which x counts as parallel to z
#define PARALLEL 1e-8

pcs_status pcs_joint_axes(const double z[3], const double *x, double axes[4])
{
    if (!z || !axes) return pcs_fail(PCS_ERR_ARG, "pcs_joint_axes: an argument is null");
    double R[9] = {0}, along[3], F[9];
    if (!pcs_all_finite(z, 3) || !(v3_unit(z, R + 6) > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_joint_axes: the axis z is (%g, %g, %g); it needs a direction", z[0],
                        z[1], z[2]);
    }
    if (x) {
        if (!pcs_all_finite(x, 3) || !(v3_unit(x, along) > 0)) {
            return pcs_fail(PCS_ERR_ARG,
                            "pcs_joint_axes: the axis x is (%g, %g, %g); it needs a direction",
                            x[0], x[1], x[2]);
        }
        v3_along(along, -v3_dot(along, R + 6), R + 6, along);
        if (!(v3_unit(along, R) > PARALLEL)) {
            return pcs_fail(PCS_ERR_ARG, "pcs_joint_axes: the axis x is parallel to the axis z");
        }
    } else {
        pcs_contact_frame(R + 6, F);
        v3_copy(F + 3, R);
    }
    v3_cross(R + 6, R, R + 3);
    return pcs_quat_from_matrix(R, axes);
}

// a gear whose axis passes the centre of the other one by less than this part of the arm
#define ON_AXIS 1e-9

// the pose of a body at its definition; null for the world
static const double *start_pose(const pcs_model *m, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return s ? s->q0 : NULL;
}

// system1 is a body, system2 one or the world
static pcs_status check_systems(const pcs_model *m, const char *who, const pcs_joint_def *def)
{
    for (int side = 0; side < 2; ++side) {
        const pcs_system system = side == 0 ? def->system1 : def->system2;
        const model_system *s = model_find(m, system);
        char words[PART_WORDS];
        if (system.id == 0 && side == 1) continue;
        if (!s) {
            return pcs_fail(PCS_ERR_ARG, "%s: system%d is %d; the model has 1 to %d%s", who,
                            side + 1, system.id, m->n_systems,
                            system.id == 0 ? " (give the world as system2)" : "");
        }
        if (s->kind == SYSTEM_LAGRANGIAN) {
            return pcs_fail(PCS_ERR_ARG, "%s: %s is a Lagrangian system; a joint holds bodies", who,
                            part_words(m, PART_SYSTEM, "system ", system.id, words));
        }
    }
    if (def->system1.id != def->system2.id) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the %s joins system %d to itself; give two different ones",
                    who, joint_word(def->kind), def->system1.id);
}

static pcs_status check_kind(const char *who, const pcs_joint_def *def)
{
    if ((unsigned)def->kind < PCS_JOINT_KIND_COUNT) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: there is no kind of joint %d", who, (int)def->kind);
}

pcs_status pcs_model_place_joint(const pcs_model *m, const double point[3], const double z[3],
                                 const double *x, pcs_joint_def *def)
{
    static const char who[] = "pcs_model_place_joint";
    if (!m || !point || !z || !def) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(check_kind(who, def));
    if (def->kind == PCS_JOINT_DISTANCE || def->kind == PCS_JOINT_GEAR) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the two points of a %s differ; set the frames of the definition", who,
                        joint_word(def->kind));
    }
    PCS_TRY(check_systems(m, who, def));
    if (!pcs_all_finite(point, 3)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the point is not finite", who);
    }
    double axes[4];
    PCS_TRY(pcs_joint_axes(z, x, axes));
    double q[2][7] = {{[3] = 1}, {[3] = 1}}, v[6]; // those of the world
    for (int side = 0; side < 2; ++side) {
        const model_system *s = model_find(m, side == 0 ? def->system1 : def->system2);
        if (s && !s->motion) memcpy(q[side], s->q0, sizeof q[side]);
        if (s && s->motion) PCS_TRY(system_motion(s, 0, q[side], v));
    }
    for (int side = 0; side < 2; ++side) {
        double *p = side == 0 ? def->point1 : def->point2, from[3], back[4];
        double *Q = side == 0 ? def->axes1 : def->axes2;
        v3_sub(point, q[side], from);
        pose_direction_back(q[side], from, p);
        pcs_quat_conj(q[side] + 3, back);
        pcs_quat_mul(back, axes, Q);
    }
    return PCS_OK;
}

// the radius of gyration of a body that moves; infinity for others
static double gyration(const pcs_model *m, pcs_system system)
{
    const model_system *s = model_find(m, system);
    if (!s || s->nv == 0) return INFINITY;
    return sqrt((s->J[0] + s->J[4] + s->J[8]) / (2 * s->mass));
}

// A prescribed motion defines its own pose: its axes are not those of the definition
static bool has_pose(const pcs_model *m, pcs_system system)
{
    const model_system *s = model_find(m, system);
    return !s || !s->motion;
}

// m: distance of the centre of the other gear from the axis of the gear on a side, at the start
static double off_axis(const pcs_joint_def *def, int side, const double *q1, const double *q2)
{
    const double *q = side == 0 ? q1 : q2, e_z[3] = {0, 0, 1};
    const double *axes = side == 0 ? def->axes1 : def->axes2;
    double centre[2][3], z[3], d[3];
    pose_point(q1, def->point1, centre[0]);
    pose_point(q2, def->point2, centre[1]);
    quat_turn(axes, 1, e_z, z);
    if (q) quat_turn(q + 3, 1, z, z);
    v3_unit(z, z);
    v3_sub(centre[1 - side], centre[side], d);
    v3_along(d, -v3_dot(d, z), z, d);
    return v3_norm(d);
}

// gears whose teeth meet nowhere: the centre of one on the axis of the other
static pcs_status check_gears(const pcs_model *m, const pcs_joint_def *def)
{
    for (int side = 0; side < 2; ++side) {
        const double *q1 = start_pose(m, def->system1), *q2 = start_pose(m, def->system2);
        if (off_axis(def, side, q1, q2) > ON_AXIS * def->arm) continue;
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_model_add_joint: the centre of gear %d lies on the axis of gear %d, so"
                        " that no direction leads to its teeth; give each gear the centre of its"
                        " pitch circle, also where the axes cross",
                        2 - side, 1 + side);
    }
    return PCS_OK;
}

pcs_status pcs_model_add_joint(pcs_model *m, const pcs_joint_def *def, pcs_interaction *out)
{
    static const char who[] = "pcs_model_add_joint";
    if (!m || !def) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(check_kind(who, def));
    PCS_TRY(check_systems(m, who, def));
    pcs_joint_def own = *def;
    if (own.arm == 0) {
        const double arm = fmin(gyration(m, def->system1), gyration(m, def->system2));
        own.arm = isfinite(arm) ? arm : 1;
    }
    const pcs_interaction_def joint = {pcs_relation_joint(&own), pcs_law_equality(), def->system1,
                                       def->system2};
    PCS_TRY(relation_check(&joint.relation));
    const bool placed = has_pose(m, def->system1) && has_pose(m, def->system2);
    if (placed && def->kind == PCS_JOINT_GEAR) PCS_TRY(check_gears(m, &own));
    const double cosine =
        joint_alignment(&own, start_pose(m, def->system1), start_pose(m, def->system2));
    if (placed && cosine < 0) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: an axis that the %s holds parallel to one of the other body is %.0f"
                        " degrees away from it; reverse it in one of the frames",
                        who, joint_word(def->kind),
                        acos(fmax(cosine, -1)) * (180 / 3.14159265358979323846));
    }
    return pcs_model_add_interaction(m, &joint, out);
}

pcs_status pcs_model_joint(const pcs_model *m, pcs_interaction interaction, pcs_joint_def *out)
{
    pcs_interaction_def def;
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_model_joint: an argument is null");
    PCS_TRY(pcs_model_interaction(m, interaction, &def));
    pcs_joint_def joint;
    if (!joint_read(&def.relation, &joint)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_joint: interaction %d is no joint of a known kind",
                        interaction.id);
    }
    joint.system1 = def.system1;
    joint.system2 = def.system2;
    *out = joint;
    return PCS_OK;
}

// a distance joint has a coordinate to read, which is the one that it holds
static pcs_status check_free(const char *who, const pcs_joint_def *joint)
{
    if (joint->kind != PCS_JOINT_DISTANCE) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "%s: a distance joint holds its only coordinate, the distance, and leaves"
                    " nothing free there; give its relation a function of time (\"target\" in a"
                    " scene), or take a rope",
                    who);
}

pcs_status pcs_model_add_joint_limits(pcs_model *m, const pcs_joint_limits *limits,
                                      pcs_interaction *out)
{
    static const char who[] = "pcs_model_add_joint_limits";
    if (!m || !limits) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    pcs_joint_def joint;
    PCS_TRY(pcs_model_joint(m, limits->joint, &joint));
    PCS_TRY(check_free(who, &joint));
    const pcs_interaction_def def = {pcs_relation_joint_limits(&joint, limits),
                                     pcs_law_newton_impact(limits->e), joint.system1,
                                     joint.system2};
    if (!def.relation.gap) {
        return pcs_fail(PCS_ERR_ARG, "%s: a %s has no coordinate %d (the first is 0)", who,
                        joint_word(joint.kind), limits->coordinate);
    }
    return pcs_model_add_interaction(m, &def, out);
}

pcs_status pcs_model_joint_limits(const pcs_model *m, pcs_interaction interaction,
                                  pcs_joint_limits *out)
{
    pcs_interaction_def def;
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_limits: an argument is null");
    PCS_TRY(pcs_model_interaction(m, interaction, &def));
    if (!joint_is_limits(&def.relation)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_limits: interaction %d has no limits",
                        interaction.id);
    }
    joint_read_limits(&def.relation, out);
    out->e = def.law.e;
    return PCS_OK;
}

// the definition of an interaction on a coordinate of a joint, without its law
static pcs_status on_coordinate(const pcs_model *m, const char *who, pcs_interaction id, int number,
                                pcs_interaction_def *out)
{
    pcs_joint_def joint;
    PCS_TRY(pcs_model_joint(m, id, &joint));
    PCS_TRY(check_free(who, &joint));
    *out = (pcs_interaction_def){.relation = pcs_relation_joint_coordinate(&joint, id, number),
                                 .system1 = joint.system1,
                                 .system2 = joint.system2};
    if (!out->relation.gap) {
        return pcs_fail(PCS_ERR_ARG, "%s: a %s has no coordinate %d (the first is 0)", who,
                        joint_word(joint.kind), number);
    }
    return PCS_OK;
}

pcs_joint_motor pcs_joint_motor_default(pcs_interaction joint)
{
    return (pcs_joint_motor){.joint = joint, .limit = INFINITY};
}

pcs_status pcs_model_add_joint_motor(pcs_model *m, const pcs_joint_motor *motor,
                                     pcs_interaction *out)
{
    static const char who[] = "pcs_model_add_joint_motor";
    if (!m || !motor) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    pcs_interaction_def def;
    PCS_TRY(on_coordinate(m, who, motor->joint, motor->coordinate, &def));
    if (!(motor->limit >= 0)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the limit is %g; it must not be negative", who,
                        motor->limit);
    }
    double turn;
    const bool prescribed = isinf(motor->limit) && !motor->of_speed;
    const double size = joint_row_size(&def.relation, &turn);
    def.law = prescribed ? pcs_law_equality() : pcs_law_limited(motor->limit / size);
    def.relation.time = motor->target;
    def.relation.timed = true; // also with the target 0: it would be friction
    def.relation.of_speed = motor->of_speed;
    return pcs_model_add_interaction(m, &def, out);
}

pcs_status pcs_model_add_joint_friction(pcs_model *m, const pcs_joint_friction *friction,
                                        pcs_interaction *out)
{
    static const char who[] = "pcs_model_add_joint_friction";
    if (!m || !friction) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    pcs_interaction_def def;
    PCS_TRY(on_coordinate(m, who, friction->joint, friction->coordinate, &def));
    double turn;
    const double size = joint_row_size(&def.relation, &turn);
    const double radius = turn > 0 ? friction->radius : 1;
    const double numbers[] = {friction->limit, friction->mu, radius};
    for (int i = 0; i < 3; ++i) {
        if (numbers[i] >= 0 && isfinite(numbers[i])) continue;
        return pcs_fail(PCS_ERR_ARG,
                        "%s: limit %g, mu %g and radius %g must be finite and not negative", who,
                        numbers[0], numbers[1], numbers[2]);
    }
    if (friction->mu > 0 && !(radius > 0)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: mu is %g and the radius of the bearing 0: its friction has no moment; give"
            " the radius",
            who, friction->mu);
    }
    def.law = pcs_law_limited(friction->limit / size);
    def.law.mu = friction->mu * radius / size;
    return pcs_model_add_interaction(m, &def, out);
}

// a limited law of a coordinate that no function of time moves
static bool is_friction(const pcs_interaction_def *def)
{
    return joint_is_coordinate(&def->relation) && def->law.kind == PCS_LAW_LIMITED &&
           !def->relation.of_speed && !relation_has_time(&def->relation);
}

pcs_status pcs_model_joint_friction(const pcs_model *m, pcs_interaction interaction,
                                    pcs_joint_friction *out)
{
    pcs_interaction_def def;
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_friction: an argument is null");
    PCS_TRY(pcs_model_interaction(m, interaction, &def));
    if (!is_friction(&def)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_friction: interaction %d is no friction",
                        interaction.id);
    }
    double turn;
    const double size = joint_row_size(&def.relation, &turn);
    *out = (pcs_joint_friction){
        .limit = size * def.law.limit, .mu = size * def.law.mu, .radius = turn > 0 ? 1 : 0};
    joint_read_coordinate(&def.relation, &out->joint, &out->coordinate);
    return PCS_OK;
}

pcs_status pcs_model_joint_motor(const pcs_model *m, pcs_interaction interaction,
                                 pcs_joint_motor *out)
{
    pcs_interaction_def def;
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_motor: an argument is null");
    PCS_TRY(pcs_model_interaction(m, interaction, &def));
    if (!joint_is_coordinate(&def.relation) || is_friction(&def)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_model_joint_motor: interaction %d is no motor",
                        interaction.id);
    }
    double turn;
    const double size = joint_row_size(&def.relation, &turn);
    const bool limited = def.law.kind == PCS_LAW_LIMITED;
    *out = (pcs_joint_motor){.target = def.relation.time,
                             .of_speed = def.relation.of_speed,
                             .limit = limited ? size * def.law.limit : INFINITY};
    joint_read_coordinate(&def.relation, &out->joint, &out->coordinate);
    return PCS_OK;
}
