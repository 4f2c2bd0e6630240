// A scene as text: every part of the model as the object from which the reader makes it.
#include <stdio.h>
#include <string.h>

#include <percuss/rotation.h>
#include <percuss/solver_table.h>
#include <percuss/strength.h>

#include "base/base.h"
#include "problem_file/new_file.h"
#include "scene/writing.h"

// " 'name'" for a sentence, or nothing
static const char *quoted(const char *name, char words[80])
{
    snprintf(words, 80, "%s%.60s%s", *name ? " '" : "", name, *name ? "'" : "");
    return words;
}

pcs_status refuse_callback(const char *what, int id, const char *name, const char *callback)
{
    char words[80];
    return pcs_fail(
        PCS_ERR_UNSUPPORTED,
        "pcs_scene_write: %s %d%s has %s, which is code and cannot be written to a file", what, id,
        quoted(name, words), callback);
}

// ---- materials, laws ---------------------------------------------------------------------------

part material_part(const out *o, pcs_material id)
{
    const char *name = pcs_model_material_name(o->m, id);
    return id.id > 0 && *name ? (part){name, 0} : (part){NULL, id.id};
}

part body_part(const out *o, pcs_system id)
{
    const char *name = pcs_model_system_name(o->m, id);
    return id.id > 0 && *name ? (part){name, 0} : (part){NULL, id.id};
}

static scene_law law_object(const pcs_law *law)
{
    return (scene_law){.kind = (int)law->kind, .e = law->e, .e_t = law->e_t, .mu = law->mu};
}

static pcs_status write_materials(out *o)
{
    const int n = pcs_model_material_count(o->m);
    write_open(&o->w, "materials", '[', true);
    for (int id = 1; id < n; ++id) {
        scene_material s = {.name = pcs_model_material_name(o->m, (pcs_material){id})};
        PCS_TRY(pcs_model_material(o->m, (pcs_material){id}, &s.def));
        write_object(&o->w, NULL, &material_table, &s, NULL);
    }
    write_close(&o->w, ']');
    return PCS_OK;
}

static void write_pair_laws(out *o)
{
    write_open(&o->w, "pair_laws", '[', true);
    for (int a = 0; a < pcs_model_material_count(o->m); ++a) {
        for (int b = a; b < pcs_model_material_count(o->m); ++b) {
            pcs_law law;
            const pcs_material one = {a}, other = {b};
            if (!pcs_model_pair_law(o->m, one, other, &law)) continue;
            const scene_pair_law s = {.materials = {material_part(o, one), material_part(o, other)},
                                      .law = law_object(&law)};
            write_object(&o->w, NULL, &pair_law_table, &s, NULL);
        }
    }
    write_close(&o->w, ']');
}

// ---- interactions ------------------------------------------------------------------------------

static part joint_part(const out *o, pcs_interaction joint)
{
    const char *name = pcs_model_interaction_name(o->m, joint);
    return *name ? (part){.name = name} : (part){NULL, joint.id};
}

static pcs_status write_interaction(out *o, pcs_interaction id)
{
    pcs_interaction_def def;
    pcs_joint_def joint;
    pcs_joint_limits limits;
    pcs_joint_motor motor;
    pcs_joint_friction friction;
    PCS_TRY(pcs_model_interaction(o->m, id, &def));
    scene_interaction s, usual;
    fields_init(&interaction_table, &s);
    fields_init(&interaction_table, &usual);
    s.name = pcs_model_interaction_name(o->m, id);
    s.bodies[0] = body_part(o, def.system1);
    s.bodies[1] = body_part(o, def.system2);
    s.law = law_object(&def.law);
    s.touching = def.law.kind == PCS_LAW_EQUALITY && pcs_model_touching(o->m, id);
    s.enabled = pcs_model_interaction_enabled(o->m, id);
    s.break_force = pcs_model_strength(o->m, id).force;
    s.break_moment = pcs_model_strength(o->m, id).moment;
    if (def.relation.time.fn) {
        return refuse_callback("interaction", id.id, s.name, "a function of time of its own");
    }
    s.target.f = def.relation.time;
    const double *data = def.relation.data;
    switch (pcs_relation_kind_of(&def.relation)) {
    case PCS_RELATION_USER:
        return refuse_callback("interaction", id.id, s.name, "a relation of its own");
    case PCS_RELATION_DISTANCE:
        s.kind = INTERACTION_DISTANCE;
        s.length = data[6];
        break;
    case PCS_RELATION_ROPE:
        s.kind = INTERACTION_ROPE;
        s.length = data[6];
        usual.law.kind = -1; // its law without any is not that of the others
        break;
    case PCS_RELATION_BALL_JOINT:
        s.kind = INTERACTION_BALL;
        break;
    case PCS_RELATION_JOINT:
        PCS_TRY(pcs_model_joint(o->m, id, &joint));
        s.kind = scene_interaction_of(joint.kind);
        memcpy(s.axes1, joint.axes1, sizeof s.axes1);
        memcpy(s.axes2, joint.axes2, sizeof s.axes2);
        memcpy(s.teeth, joint.teeth, sizeof s.teeth);
        s.pitch = joint.pitch;
        s.arm = joint.arm;
        break;
    case PCS_RELATION_LIMITS:
        PCS_TRY(pcs_model_joint_limits(o->m, id, &limits));
        s.kind = INTERACTION_LIMITS;
        s.joint = joint_part(o, limits.joint);
        s.coordinate = limits.coordinate;
        s.low = limits.low;
        s.high = limits.high;
        s.e = limits.e;
        break;
    case PCS_RELATION_COORDINATE:
        if (pcs_model_joint_friction(o->m, id, &friction) == PCS_OK) {
            s.kind = INTERACTION_FRICTION;
            s.joint = joint_part(o, friction.joint);
            s.coordinate = friction.coordinate;
            s.limit = friction.limit;
            s.mu = friction.mu;
            s.radius = friction.radius;
            break;
        }
        PCS_TRY(pcs_model_joint_motor(o->m, id, &motor));
        s.kind = INTERACTION_MOTOR;
        s.joint = joint_part(o, motor.joint);
        s.coordinate = motor.coordinate;
        s.of_speed = motor.of_speed;
        s.limit = motor.limit;
        break;
    case PCS_RELATION_LINEAR:
        s.kind = INTERACTION_LINEAR;
        s.coefficients = (numbers){data + 1, (int)data[0], 1};
        s.offset = data[1 + (int)data[0]];
        if (def.relation.dim == 2) s.tangent = (numbers){data + 2 + (int)data[0], (int)data[0], 1};
        break;
    }
    if (s.kind != INTERACTION_LINEAR) {
        memcpy(s.point1, data, sizeof s.point1);
        memcpy(s.point2, data + 3, sizeof s.point2);
    }
    write_object(&o->w, NULL, &interaction_table, &s, &usual);
    return PCS_OK;
}

// the diagonal of a matrix that has no other numbers, or all of it; null: zero
static numbers matrix_numbers(const double A[36], double diagonal[6])
{
    bool any = false, other = false;
    for (int i = 0; i < 36; ++i) {
        any = any || A[i] != 0;
        other = other || (i % 7 != 0 && A[i] != 0);
        if (i % 7 == 0) diagonal[i / 7] = A[i];
    }
    if (!any) return (numbers){0};
    return other ? (numbers){A, 36, 1} : (numbers){diagonal, 6, 1};
}

static pcs_status write_force(out *o, pcs_force id)
{
    pcs_force_def def;
    PCS_TRY(pcs_model_force(o->m, id, &def));
    const char *name = pcs_model_force_name(o->m, id);
    if (def.kind == PCS_FORCE_USER) {
        return refuse_callback("force element", id.id, name, "a force of its own");
    }
    double diagonals[12];
    scene_interaction s;
    fields_init(&interaction_table, &s);
    s.kind = INTERACTION_FORCES + (int)def.kind;
    s.name = name;
    s.bodies[0] = body_part(o, def.system1);
    s.bodies[1] = body_part(o, def.system2);
    s.enabled = pcs_model_force_enabled(o->m, id);
    s.stiffness = def.stiffness;
    s.damping = def.damping;
    s.length = def.length;
    s.angle = def.angle;
    s.strength = def.strength;
    s.K = matrix_numbers(def.K, diagonals);
    s.D = matrix_numbers(def.D, diagonals + 6);
    memcpy(s.axes1, def.frame1, sizeof s.axes1);
    memcpy(s.axes2, def.frame2, sizeof s.axes2);
    memcpy(s.axis1, def.axis, sizeof s.axis1);
    memcpy(s.point1, def.p1, sizeof s.point1);
    memcpy(s.point2, def.p2, sizeof s.point2);
    write_object(&o->w, NULL, &interaction_table, &s, NULL);
    return PCS_OK;
}

// joints and relations, then force elements
static pcs_status write_interactions(out *o)
{
    const int n = pcs_model_interaction_count(o->m), forces = pcs_model_force_count(o->m);
    write_open(&o->w, "interactions", '[', true);
    for (int id = 1; id <= n; ++id) {
        PCS_TRY(write_interaction(o, (pcs_interaction){id}));
    }
    for (int id = 1; id <= forces; ++id) {
        PCS_TRY(write_force(o, (pcs_force){id}));
    }
    write_close(&o->w, ']');
    return PCS_OK;
}

// ---- scheme and settings -----------------------------------------------------------------------

static void write_option(out *o, const pcs_opt *opt, double x)
{
    if (opt->type == PCS_OPT_BOOL) {
        write_bool(&o->w, opt->name, x != 0);
    } else if (opt->words) {
        write_words(&o->w, opt->name, opt->words[(int)(x - opt->low)]);
    } else {
        write_real(&o->w, opt->name, x);
    }
}

static const pcs_solver_info *solver_of(pcs_solver kind)
{
    for (int i = 0; pcs_solver_at(i); ++i) {
        if (pcs_solver_at(i)->kind == kind) return pcs_solver_at(i);
    }
    return NULL;
}

// writes the options that differ from those of the base
static void write_solver(out *o, const pcs_solver_opts *opts, const pcs_solver_opts *base)
{
    const pcs_solver_opts usual = solver_usual(base, opts->kind);
    const scene_solver s = {.tol = opts->tol,
                            .stop = (int)opts->stop,
                            .max_iters = opts->max_iters,
                            .max_seconds = opts->max_seconds},
                       u = {.tol = usual.tol,
                            .stop = (int)usual.stop,
                            .max_iters = usual.max_iters,
                            .max_seconds = usual.max_seconds};
    const pcs_solver_info *info = solver_of(opts->kind);
    write_open(&o->w, "solver", '{', false);
    if (opts->kind != base->kind) write_words(&o->w, "kind", info->name);
    write_fields(&o->w, &solver_table, &s, &u);
    for (int i = 0; i < info->n_opts; ++i) {
        double x = 0, y = 0;
        if (pcs_solver_opts_get(opts, info->opt[i].name, &x) != PCS_OK ||
            pcs_solver_opts_get(&usual, info->opt[i].name, &y) != PCS_OK || x == y) {
            continue;
        }
        write_option(o, &info->opt[i], x);
    }
    write_close(&o->w, '}');
}

static void write_scheme(out *o)
{
    const pcs_scheme scheme = pcs_model_scheme(o->m);
    scene_scheme s, usual;
    fields_init(&scheme_table, &s);
    fields_init(&scheme_table, &usual);
    s.scheme = scheme;
    s.base = scheme.theta < 1 ? BASE_MOREAU_JEAN : BASE_DEFAULT;
    usual.scheme = scheme_base(&s);
    write_open(&o->w, "scheme", '{', false);
    write_fields(&o->w, &scheme_table, &s, &usual);
    write_solver(o, &scheme.solver, &usual.scheme.solver);
    write_close(&o->w, '}');
}

static void write_settings(out *o)
{
    const pcs_scene_settings *in = &o->scene->settings;
    scene_settings s;
    fields_init(&settings_table, &s);
    s.h = in->h;
    s.t_end = in->t_end;
    s.frame_steps = in->frame_steps;
    s.frame_seconds = in->frame_seconds;
    s.stop.rest.speed = in->rest_speed;
    s.stop.rest.time = in->rest_time;
    s.stop.unconverged = in->unconverged;
    s.stop.steps = in->max_steps;
    if (in->box) {
        s.stop.leaves.body = body_part(o, in->box_body);
        memcpy(s.stop.leaves.low, in->box_low, sizeof in->box_low);
        memcpy(s.stop.leaves.high, in->box_high, sizeof in->box_high);
    }
    write_object(&o->w, "run", &settings_table, &s, NULL);
}

// ---- the scene ---------------------------------------------------------------------------------

static pcs_status write_all(out *o)
{
    scene_file s;
    fields_init(&file_table, &s);
    s.version = SCENE_VERSION;
    s.name = o->scene->name;
    s.description = o->scene->description;
    pcs_model_gravity(o->m, s.gravity);
    if (pcs_model_combine(o->m, NULL)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_scene_write: the model has a rule of its own for laws of materials,"
                        " which is code; give pairs of materials their laws instead");
    }
    if (pcs_model_filter(o->m, NULL)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_scene_write: the model has a filter for pairs of shapes, which is"
                        " code; use groups instead");
    }
    write_open(&o->w, NULL, '{', true);
    write_fields(&o->w, &file_table, &s, NULL);
    write_geometries(o);
    PCS_TRY(write_materials(o));
    write_pair_laws(o);
    write_open(&o->w, "world", '{', false);
    PCS_TRY(write_shapes(o, 0));
    write_close(&o->w, '}');
    PCS_TRY(write_bodies(o));
    PCS_TRY(write_interactions(o));
    write_scheme(o);
    write_settings(o);
    write_close(&o->w, '}');
    sink_text(&o->w.s, "\n");
    return o->w.s.failed ? pcs_fail_memory("pcs_scene_write") : PCS_OK;
}

pcs_status pcs_scene_write(const pcs_scene *scene, const char *path)
{
    static const char who[] = "pcs_scene_write";
    if (!scene || !path) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    const pcs_env *env = &scene->memory->env;
    const size_t systems = (size_t)pcs_model_system_count(scene->model),
                 shapes = (size_t)pcs_model_shape_count(scene->model);
    out o = {.w = {.s = sink_begin(env)}, .scene = scene, .m = scene->model, .env = env};
    o.first = pcs_env_alloc(env, systems + 1, sizeof *o.first);
    o.next = pcs_env_alloc(env, shapes + 1, sizeof *o.next);
    o.numbered = pcs_env_alloc(env, shapes + 1, sizeof *o.numbered);
    o.geometry = pcs_env_alloc(env, shapes + 1, sizeof *o.geometry);
    o.written = pcs_env_alloc(env, shapes + 1, sizeof *o.written);
    pcs_status status = o.first && o.next && o.numbered && o.geometry && o.written
                            ? number_shapes(&o)
                            : pcs_fail_memory(who);
    if (status == PCS_OK) status = collect_geometries(&o);
    if (status == PCS_OK) status = write_all(&o);
    if (status == PCS_OK) status = store(path, o.w.s.bytes, o.w.s.size);
    sink_end(&o.w.s);
    pcs_env_free(env, o.first);
    pcs_env_free(env, o.next);
    pcs_env_free(env, o.numbered);
    pcs_env_free(env, o.geometry);
    pcs_env_free(env, (void *)o.written);
    return status;
}
