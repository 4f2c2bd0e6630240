// Interactions of a scene file, or of a copy of a generator: built-in relations with their laws;
// build_forces.c makes the force elements among them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/rotation.h>
#include <percuss/strength.h>

#include "base/base.h"
#include "scene/build.h"

pcs_law build_law(const scene_law *in)
{
    return (pcs_law){.kind = (pcs_law_kind)in->kind, .e = in->e, .e_t = in->e_t, .mu = in->mu};
}

pcs_status scene_start_pose(const pcs_model *m, pcs_system system, double q[7])
{
    pcs_body_def def;
    double v[6];
    PCS_TRY(pcs_model_body(m, system, &def));
    memcpy(q, def.position, sizeof def.position);
    memcpy(q + 3, def.orientation, sizeof def.orientation);
    if (!def.motion) return PCS_OK;
    return def.motion(def.user, 0, q, v) == 0 ? pcs_quat_normalise(q + 3) : PCS_ERR_CALLBACK;
}

// the inertial point x as a point of the frame of a body, at the start
static void to_body(const builder *b, pcs_system system, const double x[3], double out[3])
{
    memcpy(out, x, 3 * sizeof *out);
    double q[7], R[9], d[3];
    if (system.id == 0 || scene_start_pose(b->model, system, q) != PCS_OK) return;
    pcs_quat_to_matrix(q + 3, R);
    for (int i = 0; i < 3; ++i) {
        d[i] = x[i] - q[i];
    }
    pcs_matrix_apply_back(R, d, out);
}

// the inertial place of the point p of a body at the start
void build_inertial(const builder *b, pcs_system system, const double p[3], double out[3])
{
    memcpy(out, p, 3 * sizeof *out);
    double q[7];
    if (system.id == 0 || scene_start_pose(b->model, system, q) != PCS_OK) return;
    pcs_quat_rotate(q + 3, p, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += q[i];
    }
}

static bool has(const scene_interaction *in, const char *key)
{
    return table_given(&interaction_table, in, key);
}

pcs_status build_both_ways(builder *b, const place *at, const char *one, const char *other)
{
    return refuse(&b->src, at, PCS_ERR_FORMAT, "it has both %s and %s; give one of them", one,
                  other);
}

// the point of a body, or of the world in the frame of the copy
void build_point(const double in[3], pcs_system system, const frame *f, double out[3])
{
    memcpy(out, in, 3 * sizeof *out);
    if (system.id == 0) frame_point(f, out);
}

// the point of a body that is at the point `in` of the frame at the start
void build_place(const builder *b, const double in[3], pcs_system system, const frame *f,
                 double out[3])
{
    double x[3];
    memcpy(x, in, sizeof x);
    frame_point(f, x);
    to_body(b, system, x, out);
}

static pcs_status ball(builder *b, const scene_interaction *in, const pcs_system system[2],
                       const frame *f, const place *at, pcs_relation *out)
{
    double p1[3], p2[3];
    build_point(in->point1, system[0], f, p1);
    build_point(in->point2, system[1], f, p2);
    if (has(in, "at")) {
        if (has(in, "point1")) return build_both_ways(b, at, "at", "point1");
        if (has(in, "point2")) return build_both_ways(b, at, "at", "point2");
        build_place(b, in->at, system[0], f, p1);
        build_place(b, in->at, system[1], f, p2);
    }
    *out = pcs_relation_ball_joint(p1, p2);
    return PCS_OK;
}

static pcs_status distance(builder *b, const scene_interaction *in, const pcs_system system[2],
                           const frame *f, const place *at, pcs_relation *out)
{
    double p1[3], p2[3], length = in->length;
    build_point(in->point1, system[0], f, p1);
    build_point(in->point2, system[1], f, p2);
    if (has(in, "at1") && has(in, "point1")) return build_both_ways(b, at, "at1", "point1");
    if (has(in, "at2") && has(in, "point2")) return build_both_ways(b, at, "at2", "point2");
    if (has(in, "at1")) build_place(b, in->at1, system[0], f, p1);
    if (has(in, "at2")) build_place(b, in->at2, system[1], f, p2);
    if (!has(in, "length")) {
        double x1[3], x2[3];
        build_inertial(b, system[0], p1, x1);
        build_inertial(b, system[1], p2, x2);
        length = hypot(hypot(x1[0] - x2[0], x1[1] - x2[1]), x1[2] - x2[2]);
    }
    *out = in->kind == INTERACTION_ROPE ? pcs_relation_rope(p1, p2, length)
                                        : pcs_relation_distance(p1, p2, length);
    return PCS_OK;
}

static pcs_status linear(builder *b, const scene_interaction *in, const place *at,
                         pcs_relation *out)
{
    const int n = in->coefficients.rows;
    const bool rough = has(in, "tangent");
    if (rough && in->tangent.rows != n) {
        return refuse(&b->src, at, PCS_ERR_SIZE,
                      "it has %d coefficients and a tangent of %d; both must have as many", n,
                      in->tangent.rows);
    }
    *out = rough ? pcs_relation_linear_contact(n, in->coefficients.x, in->offset, in->tangent.x)
                 : pcs_relation_linear(n, in->coefficients.x, in->offset);
    if (out->gap) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_SIZE, "it has %d coefficients; it must have 1 to 7", n);
}

static pcs_status make_relation(builder *b, const scene_interaction *in, const pcs_system system[2],
                                const frame *f, const place *at, pcs_relation *out)
{
    switch ((scene_interaction_kind)in->kind) {
    case INTERACTION_BALL:
        return ball(b, in, system, f, at, out);
    case INTERACTION_DISTANCE:
    case INTERACTION_ROPE:
        return distance(b, in, system, f, at, out);
    default:
        break;
    }
    return linear(b, in, at, out);
}

// ---- joints between two frames -----------------------------------------------------------------

// the quaternion of axes, relative to the body at the start; the inertial ones in the world
static void axes_to_body(const builder *b, pcs_system system, const double axes[4], double out[4])
{
    memcpy(out, axes, 4 * sizeof *out);
    double q[7], back[4];
    if (system.id == 0 || scene_start_pose(b->model, system, q) != PCS_OK) return;
    pcs_quat_conj(q + 3, back);
    pcs_quat_mul(back, axes, out);
}

pcs_status build_axes(const builder *b, const scene_interaction *in, const frame *f,
                      const pcs_system system[2], double axes1[4], double axes2[4])
{
    double z[3], x[3], axes[4];
    memcpy(z, in->axis, sizeof z);
    memcpy(x, in->across, sizeof x);
    frame_vector(f, z);
    frame_vector(f, x);
    PCS_TRY(pcs_joint_axes(z, has(in, "across") ? x : NULL, axes));
    axes_to_body(b, system[0], axes, axes1);
    axes_to_body(b, system[1], axes, axes2);
    return PCS_OK;
}

// the x axes of gears point at each other
static pcs_status gear_axes(const builder *b, const scene_interaction *in, const frame *f,
                            pcs_joint_def *def)
{
    double z[3], x1[3], x2[3], x[3], axes[4];
    memcpy(z, in->axis, sizeof z);
    frame_vector(f, z);
    build_inertial(b, def->system1, def->point1, x1);
    build_inertial(b, def->system2, def->point2, x2);
    for (int i = 0; i < 3; ++i) {
        x[i] = x2[i] - x1[i];
    }
    PCS_TRY(pcs_joint_axes(z, x, axes));
    axes_to_body(b, def->system1, axes, def->axes1);
    for (int i = 0; i < 3; ++i) {
        x[i] = -x[i];
    }
    PCS_TRY(pcs_joint_axes(z, x, axes));
    axes_to_body(b, def->system2, axes, def->axes2);
    return PCS_OK;
}

static pcs_status add_joint(builder *b, const scene_interaction *in, const pcs_system system[2],
                            const frame *f, const place *at, pcs_interaction *id)
{
    pcs_joint_def def = pcs_joint_def_default(scene_joint_kinds[in->kind - INTERACTION_JOINTS]);
    def.system1 = system[0];
    def.system2 = system[1];
    def.pitch = in->pitch;
    def.arm = in->arm;
    memcpy(def.teeth, in->teeth, sizeof def.teeth);
    static const char *const inertial[] = {"at", "at", "at1", "at2", "axis", "axis"};
    static const char *const own[] = {"point1", "point2", "point1", "point2", "axes1", "axes2"};
    for (int i = 0; i < 6; ++i) {
        if (has(in, inertial[i]) && has(in, own[i]))
            return build_both_ways(b, at, inertial[i], own[i]);
    }
    build_point(in->point1, system[0], f, def.point1);
    build_point(in->point2, system[1], f, def.point2);
    if (has(in, "at") || has(in, "at1")) {
        build_place(b, has(in, "at") ? in->at : in->at1, system[0], f, def.point1);
    }
    if (has(in, "at") || has(in, "at2")) {
        build_place(b, has(in, "at") ? in->at : in->at2, system[1], f, def.point2);
    }
    memcpy(def.axes1, in->axes1, sizeof def.axes1);
    memcpy(def.axes2, in->axes2, sizeof def.axes2);
    if (system[1].id == 0) frame_rotation(f, def.axes2);
    pcs_status status = PCS_OK;
    if (has(in, "axis")) {
        status = def.kind == PCS_JOINT_GEAR ? gear_axes(b, in, f, &def)
                                            : build_axes(b, in, f, system, def.axes1, def.axes2);
    }
    if (status == PCS_OK) status = pcs_model_add_joint(b->model, &def, id);
    return status;
}

// ---- names of bodies in copies ------------------------------------------------------------------------------

// the name with the copy inserted after `length` bytes, before the copies within it: "link 2" of
// the copy " 3" is "link 3 2"
static pcs_status try_name(builder *b, const char *name, size_t length, const char *copy,
                           size_t copy_length, pcs_system *out, bool *found)
{
    const size_t all = strlen(name) + copy_length + 1;
    char *full = POOL_TAKE(b->src.pool, all, char);
    if (!full) return pcs_fail_memory(b->src.name);
    memcpy(full, name, length);
    memcpy(full + length, copy, copy_length);
    memcpy(full + length + copy_length, name + length, strlen(name + length) + 1);
    *found = pcs_model_find_system(b->model, full, out) == PCS_OK;
    return PCS_OK;
}

// The body of this name in the copy, else in the copies that this one is in, from inside out. *own:
// it is in the copy itself.
static pcs_status find_in_copy(builder *b, const char *name, const char *copy, pcs_system *out,
                               bool *found, bool *own)
{
    const size_t whole = strlen(copy);
    *found = *own = false;
    for (size_t scope = whole; scope > 0 && !*found;) {
        size_t length = strlen(name);
        PCS_TRY(try_name(b, name, length, copy, scope, out, found));
        // numbers after the name are those of copies within this one
        for (;;) {
            size_t word = length;
            while (word > 0 && name[word - 1] >= '0' && name[word - 1] <= '9') {
                word -= 1;
            }
            if (*found || word == length || word < 2 || name[word - 1] != ' ') break;
            length = word - 1;
            PCS_TRY(try_name(b, name, length, copy, scope, out, found));
        }
        *own = *found && scope == whole;
        do {
            scope -= 1;
        } while (copy[scope] != ' ');
    }
    return PCS_OK;
}

static pcs_status find_system(builder *b, const part *p, const char *copy, const place *at,
                              pcs_system *out, bool *own)
{
    bool found = *own = false;
    if (p->name) PCS_TRY(find_in_copy(b, p->name, copy, out, &found, own));
    return found ? PCS_OK : find_body(b, p, at, out);
}

// number of copies ahead along an axis; less than a full turn in a closed ring
static int offset(const int next[3], const neighbours *copies, int axis)
{
    return copies->closed && axis == 0 ? next[0] % copies->count[0] : next[axis];
}

// The copy `next` of this one, as text after names; *there is false where the generator ends.
static void find_next(const int next[3], const frame *f, const neighbours *copies, bool *there,
                      char out[sizeof f->copy])
{
    long long number = 0;
    *there = true;
    for (int a = 2; a >= 0; --a) {
        const int n = copies->count[a];
        int i = copies->index[a] + offset(next, copies, a);
        if (copies->closed && a == 0) i = (i + n) % n;
        *there = *there && i >= 0 && i < n;
        number = n * number + i;
    }
    memcpy(out, f->copy, sizeof f->copy);
    char *last = strrchr(out, ' ');
    snprintf(last, sizeof f->copy - (size_t)(last - out), " %lld", number);
}

// refuses a distance in copies that no two copies of the generator have
static pcs_status check_reach(builder *b, const int next[3], const neighbours *copies,
                              const place *key)
{
    static const char *const along[] = {" along x", " along y", " along z"};
    bool itself = true;
    for (int a = 0; a < 3; ++a) {
        const int n = copies->count[a], d = offset(next, copies, a);
        itself = itself && d == 0;
        if (d > -n && d < n) continue;
        return refuse(&b->src, key, PCS_ERR_SIZE,
                      "no copy is %d further than another: there %s %d%s; write less than that", d,
                      n == 1 ? "is" : "are", n, copies->axes > 1 ? along[a] : "");
    }
    if (!itself) return PCS_OK;
    if (next[0] == 0) {
        return refuse(&b->src, key, PCS_ERR_FORMAT, "this is the copy itself; [1] is the next one");
    }
    return refuse(&b->src, key, PCS_ERR_FORMAT,
                  "this is the copy itself: a whole turn is %d; [1] is the next one",
                  copies->count[0]);
}

static pcs_status check_next(builder *b, const scene_interaction *in, const json_t *json,
                             const neighbours *copies, const place *at)
{
    if (!has(in, "next")) return PCS_OK;
    const place key = place_of(at, json, "next");
    if (!copies) {
        return refuse(&b->src, &key, PCS_ERR_FORMAT,
                      "it has no next copy: this is for the interactions of a generator");
    }
    if (json_array_size(json_object_get(json, "bodies")) < 2) {
        return refuse(&b->src, &key, PCS_ERR_FORMAT,
                      "it says in which copy the second body is, but bodies has one name");
    }
    const size_t n = json_array_size(json_object_get(json, "next"));
    if (n > (size_t)copies->axes) {
        return refuse(&b->src, &key, PCS_ERR_SIZE,
                      "it has %zu numbers; the copies of a ring or a stack have one", n);
    }
    return check_reach(b, in->next, copies, &key);
}

// ---- all kinds -------------------------------------------------------------------------------

// what acts on a coordinate of a joint of this copy, or of the file
static pcs_status add_to_joint(builder *b, const scene_interaction *in, const json_t *json,
                               const place *at, const frame *f, pcs_interaction *id)
{
    const place key = place_of(at, json, "joint");
    const char *name;
    pcs_interaction joint;
    PCS_TRY(copy_name(b, in->joint.name, f, &name));
    if (!name || pcs_model_find_interaction(b->model, name, &joint) != PCS_OK) {
        PCS_TRY(find_interaction(b, &in->joint, &key, &joint));
    }
    pcs_joint_def of;
    if (pcs_model_joint(b->model, joint, &of) != PCS_OK) {
        return refuse(&b->src, &key, PCS_ERR_FORMAT,
                      "this interaction has no coordinates; name a hinge, a slider or another joint"
                      " that has");
    }
    pcs_status status;
    if (in->kind == INTERACTION_MOTOR) {
        const pcs_joint_motor motor = {joint, in->coordinate, in->target.f, in->of_speed,
                                       in->limit};
        status = pcs_model_add_joint_motor(b->model, &motor, id);
    } else if (in->kind == INTERACTION_FRICTION) {
        const pcs_joint_friction friction = {joint, in->coordinate,
                                             has(in, "limit") ? in->limit : 0, in->mu, in->radius};
        status = pcs_model_add_joint_friction(b->model, &friction, id);
    } else {
        const pcs_joint_limits limits = {joint, in->coordinate, in->low, in->high, in->e};
        status = pcs_model_add_joint_limits(b->model, &limits, id);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

// the name or the number of a body
static const char *body_words(const builder *b, pcs_system body, char words[80])
{
    const char *name = pcs_model_system_name(b->model, body);
    if (*name) {
        snprintf(words, 80, "'%.60s'", name);
    } else {
        snprintf(words, 80, "%d", body.id);
    }
    return words;
}

// What the model refuses, too, in words of its own
static pcs_status check_bodies(builder *b, const scene_interaction *in, const pcs_system system[2],
                               const place *bodies)
{
    char words[80];
    if (system[0].id == 0) {
        return refuse(&b->src, bodies, PCS_ERR_FORMAT,
                      "the first body is the world; name the other one first");
    }
    if (system[0].id == system[1].id) {
        return refuse(&b->src, bodies, PCS_ERR_FORMAT,
                      "both bodies are %s; name two different ones",
                      body_words(b, system[0], words));
    }
    if (in->kind == INTERACTION_LINEAR) {
        if (system[1].id == 0) return PCS_OK;
        return refuse(&b->src, bodies, PCS_ERR_FORMAT,
                      "it is of one body or Lagrangian system; name no second one");
    }
    for (int i = 0; i < 2; ++i) {
        if (!pcs_model_is_lagrangian(b->model, system[i])) continue;
        const place item = {bodies, NULL, (size_t)i};
        return refuse(&b->src, &item, PCS_ERR_FORMAT,
                      "%s is a Lagrangian system, which has no place in space; name a body that it"
                      " carries",
                      body_words(b, system[i], words));
    }
    return PCS_OK;
}

// An interaction of bodies. *done: there is nothing left to set, as it is a force element, which
// has its name, or the copy of the second body is missing
static pcs_status join(builder *b, const scene_interaction *in, const json_t *json, const place *at,
                       const frame *f, const neighbours *copies, const char *name, bool *done,
                       pcs_interaction *id)
{
    pcs_interaction_def def = pcs_interaction_def_default();
    const place bodies = place_of(at, json, "bodies");
    pcs_system system[2];
    char next[sizeof f->copy];
    bool there = true, own[2];
    PCS_TRY(check_next(b, in, json, copies, at));
    if (has(in, "next")) find_next(in->next, f, copies, &there, next);
    *done = !there;
    if (*done) return PCS_OK;
    for (size_t i = 0; i < 2; ++i) {
        const place item = {&bodies, NULL, i};
        const char *copy = i == 1 && has(in, "next") ? next : f->copy;
        PCS_TRY(find_system(b, &in->bodies[i], copy, &item, &system[i], &own[i]));
    }
    if (has(in, "next") && !own[1]) {
        const place key = place_of(at, json, "next");
        return refuse(&b->src, &key, PCS_ERR_FORMAT,
                      "it says in which copy the second body is, but the second body is none of the"
                      " copies");
    }
    PCS_TRY(check_bodies(b, in, system, &bodies));
    def.system1 = system[0];
    def.system2 = system[1];
    if (in->kind >= INTERACTION_FORCES && in->kind < INTERACTION_JOINTS) {
        *done = true;
        return build_force(b, in, system, f, at, name);
    }
    pcs_status status;
    if (in->kind >= INTERACTION_JOINTS) {
        status = add_joint(b, in, system, f, at, id);
    } else {
        PCS_TRY(make_relation(b, in, system, f, at, &def.relation));
        def.relation.time = in->target.f;
        if (in->kind == INTERACTION_ROPE) def.law = pcs_law_newton_impact(0);
        if (has(in, "law")) def.law = build_law(&in->law);
        status = pcs_model_add_interaction(b->model, &def, id);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

static pcs_status build_interaction(builder *b, const scene_interaction *in, const json_t *json,
                                    const place *at, const frame *f, const neighbours *copies)
{
    const char *name;
    pcs_interaction id;
    bool done = false;
    PCS_TRY(copy_name(b, in->name, f, &name));
    PCS_TRY(build_count(b, pcs_model_interaction_count(b->model), "interactions", at));
    const bool on_joint = in->kind >= INTERACTION_LIMITS && in->kind < INTERACTION_FORCES;
    PCS_TRY(on_joint ? add_to_joint(b, in, json, at, f, &id)
                     : join(b, in, json, at, f, copies, name, &done, &id));
    if (done) return PCS_OK;
    pcs_status status = PCS_OK;
    if (name) status = pcs_model_set_interaction_name(b->model, id, name);
    if (status == PCS_OK && has(in, "touching")) {
        status = pcs_model_set_touching(b->model, id, in->touching);
    }
    if (status == PCS_OK && (has(in, "break_force") || has(in, "break_moment"))) {
        const pcs_strength strength = {in->break_force, in->break_moment};
        status = pcs_model_set_strength(b->model, id, strength);
    }
    if (status == PCS_OK && !in->enabled) {
        status = pcs_model_set_interaction_enabled(b->model, id, false);
    }
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

pcs_status build_interactions(builder *b, const json_t *list, const place *at, const frame *f,
                              const neighbours *copies)
{
    pcs_pool *outer = b->src.pool;
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const place item = {at, NULL, i};
        const json_t *json = json_array_get(list, i);
        scene_interaction in;
        pcs_pool pool = pool_begin(&b->env); // memory of one interaction
        b->src.pool = &pool;
        pcs_status status = read_object(&b->src, &interaction_table, json, &item, &in);
        if (status == PCS_OK) status = build_interaction(b, &in, json, &item, f, copies);
        pool_release(&pool);
        b->src.pool = outer;
        PCS_TRY(status);
    }
    return PCS_OK;
}
