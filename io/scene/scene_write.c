// A scene as text: every part of the model as the object that the reader would make it from.
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "scene/build.h"
#include "scene/write_fields.h"

typedef struct out {
    writer w;
    const pcs_scene *scene;
    const pcs_model *m;
    const pcs_env *env;
    int *first;     // by system: its first shape, or -1
    int *next;      // by shape: the next one of its system, or -1
    bool *numbered; // by shape: whether its number is written
} out;

// " 'name'" for a sentence, or nothing
static const char *quoted(const char *name, char words[80])
{
    snprintf(words, 80, "%s%.60s%s", *name ? " '" : "", name, *name ? "'" : "");
    return words;
}

static pcs_status refuse_callback(const char *what, int id, const char *name, const char *callback)
{
    char words[80];
    return pcs_fail(
        PCS_ERR_UNSUPPORTED,
        "pcs_scene_write: %s %d%s has %s, which is code and cannot be written to a file", what, id,
        quoted(name, words), callback);
}

// ---- materials, laws ---------------------------------------------------------------------------

static part material_part(const out *o, pcs_material id)
{
    const char *name = pcs_model_material_name(o->m, id);
    return id.id > 0 && *name ? (part){name, 0} : (part){NULL, id.id};
}

static part body_part(const out *o, pcs_system id)
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

// ---- shapes ------------------------------------------------------------------------------------

static pcs_status write_shape(out *o, int number)
{
    pcs_model_shape_def def;
    PCS_TRY(pcs_model_shape(o->m, number, &def));
    scene_shape s;
    fields_init(&shape_table, &s);
    s.kind = (int)def.shape.kind;
    s.name = pcs_model_shape_name(o->m, number);
    s.material = material_part(o, def.material);
    memcpy(s.position, def.shape.position, sizeof s.position);
    memcpy(s.orientation, def.shape.orientation, sizeof s.orientation);
    s.radius = def.shape.radius;
    s.length = 2 * def.shape.half[2];
    for (int i = 0; i < 3; ++i) {
        s.size[i] = 2 * def.shape.half[i];
    }
    s.group = def.group;
    s.mask = def.mask;
    s.enabled = pcs_model_shape_enabled(o->m, number);
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &shape_table, &s, NULL);
    if (o->numbered[number]) write_int(&o->w, "number", number);
    write_close(&o->w, '}');
    return PCS_OK;
}

static pcs_status write_shapes(out *o, int system)
{
    write_open(&o->w, "shapes", '[', false);
    for (int k = o->first[system]; k >= 0; k = o->next[k]) {
        PCS_TRY(write_shape(o, k));
    }
    write_close(&o->w, ']');
    return PCS_OK;
}

// the shapes of every system in the order of their numbers
static pcs_status sort_shapes(out *o)
{
    const int systems = pcs_model_system_count(o->m), shapes = pcs_model_shape_count(o->m);
    for (int s = 0; s <= systems; ++s) {
        o->first[s] = -1;
    }
    for (int k = shapes - 1; k >= 0; --k) {
        pcs_model_shape_def def;
        PCS_TRY(pcs_model_shape(o->m, k, &def));
        o->next[k] = o->first[def.system.id];
        o->first[def.system.id] = k;
    }
    return PCS_OK;
}

// whether the shapes without a written number get their own numbers when the file is read
static bool numbers_follow(const out *o)
{
    const int systems = pcs_model_system_count(o->m), shapes = pcs_model_shape_count(o->m);
    int free = 0;
    for (int s = 0; s <= systems; ++s) {
        for (int k = o->first[s]; k >= 0; k = o->next[k]) {
            if (o->numbered[k]) continue;
            while (free < shapes && o->numbered[free]) {
                free += 1;
            }
            if (k != free++) return false;
        }
    }
    return true;
}

// writes no more numbers than the reader needs: none, those of the world, or all
static pcs_status number_shapes(out *o)
{
    const int shapes = pcs_model_shape_count(o->m);
    PCS_TRY(sort_shapes(o));
    if (numbers_follow(o)) return PCS_OK;
    for (int k = o->first[0]; k >= 0; k = o->next[k]) {
        o->numbered[k] = true;
    }
    if (numbers_follow(o)) return PCS_OK;
    for (int k = 0; k < shapes; ++k) {
        o->numbered[k] = true;
    }
    return PCS_OK;
}

// ---- bodies ------------------------------------------------------------------------------------

// the diagonal of a symmetric matrix of n x n where the rest is zero, else all of it
static numbers matrix_object(int n, const double *A, double diagonal[6])
{
    bool any = false, diagonal_only = true;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            any = any || A[i + n * j] != 0;
            if (i != j && A[i + n * j] != 0) diagonal_only = false;
        }
        diagonal[j] = A[j + n * j];
    }
    if (!any) return (numbers){NULL, 0, 0};
    return diagonal_only ? (numbers){diagonal, n, 1} : (numbers){A, n * n, 1};
}

static pcs_status write_rigid(out *o, pcs_system id)
{
    pcs_body_def def;
    PCS_TRY(pcs_model_body(o->m, id, &def));
    const char *name = pcs_model_system_name(o->m, id);
    if (def.motion) return refuse_callback("body", id.id, name, "a motion");
    if (def.force) return refuse_callback("body", id.id, name, "a force");
    scene_body s;
    double J[6], A[6];
    fields_init(&body_table, &s);
    s.name = name;
    s.fixed = def.fixed;
    s.enabled = pcs_model_enabled(o->m, id);
    s.mass = def.mass;
    s.inertia = matrix_object(3, def.inertia, J);
    s.added_mass = matrix_object(6, def.added_mass, A);
    memcpy(s.position, def.position, sizeof s.position);
    memcpy(s.orientation, def.orientation, sizeof s.orientation);
    memcpy(s.velocity, def.velocity, sizeof s.velocity);
    memcpy(s.omega, def.omega, sizeof s.omega);
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &body_table, &s, NULL);
    PCS_TRY(write_shapes(o, id.id));
    write_close(&o->w, '}');
    return PCS_OK;
}

static pcs_status write_bodies(out *o)
{
    const int n = pcs_model_system_count(o->m);
    write_open(&o->w, "bodies", '[', true);
    for (int id = 1; id <= n; ++id) {
        const pcs_system system = {id};
        if (pcs_model_is_lagrangian(o->m, system)) {
            return refuse_callback("Lagrangian system", id, pcs_model_system_name(o->m, system),
                                   "coordinates");
        }
        PCS_TRY(write_rigid(o, system));
    }
    write_close(&o->w, ']');
    return PCS_OK;
}

// ---- interactions ------------------------------------------------------------------------------

static pcs_status write_interaction(out *o, pcs_interaction id)
{
    pcs_interaction_def def;
    PCS_TRY(pcs_model_interaction(o->m, id, &def));
    scene_interaction s;
    fields_init(&interaction_table, &s);
    s.name = pcs_model_interaction_name(o->m, id);
    s.bodies[0] = body_part(o, def.system1);
    s.bodies[1] = body_part(o, def.system2);
    s.law = law_object(&def.law);
    s.touching = def.law.kind == PCS_LAW_EQUALITY && pcs_model_touching(o->m, id);
    s.enabled = pcs_model_interaction_enabled(o->m, id);
    const double *data = def.relation.data;
    switch (pcs_relation_kind_of(&def.relation)) {
    case PCS_RELATION_USER:
        return refuse_callback("interaction", id.id, s.name, "a relation of its own");
    case PCS_RELATION_DISTANCE:
        s.kind = INTERACTION_DISTANCE;
        s.length = data[6];
        break;
    case PCS_RELATION_BALL_JOINT:
        s.kind = INTERACTION_BALL;
        break;
    case PCS_RELATION_LINEAR:
        s.kind = INTERACTION_LINEAR;
        s.coefficients = (numbers){data + 1, (int)data[0], 1};
        s.offset = data[1 + (int)data[0]];
        break;
    }
    if (s.kind != INTERACTION_LINEAR) {
        memcpy(s.point1, data, sizeof s.point1);
        memcpy(s.point2, data + 3, sizeof s.point2);
    }
    write_object(&o->w, NULL, &interaction_table, &s, NULL);
    return PCS_OK;
}

static pcs_status write_interactions(out *o)
{
    const int n = pcs_model_interaction_count(o->m);
    write_open(&o->w, "interactions", '[', true);
    for (int id = 1; id <= n; ++id) {
        PCS_TRY(write_interaction(o, (pcs_interaction){id}));
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

// what differs from the solver of the base
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

// ---- the whole ---------------------------------------------------------------------------------

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
    pcs_status status = o.first && o.next && o.numbered ? number_shapes(&o) : pcs_fail_memory(who);
    if (status == PCS_OK) status = write_all(&o);
    if (status == PCS_OK) status = store(path, o.w.s.bytes, o.w.s.size);
    sink_end(&o.w.s);
    pcs_env_free(env, o.first);
    pcs_env_free(env, o.next);
    pcs_env_free(env, o.numbered);
    return status;
}
