// A scene as text: every part of the model as the object that the reader would make it from.
#include <stdio.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/solver_table.h>

#include "base/base.h"
#include "scene/build.h"
#include "scene/write_fields.h"

typedef struct out {
    writer w;
    const pcs_scene *scene;
    const pcs_model *m;
    const pcs_env *env;
    int *first;                   // by system: its first shape, or -1
    int *next;                    // by shape: the next one of its system, or -1
    bool *numbered;               // by shape: whether its number is written
    int *geometry;                // by shape: of which geometry of the file, or -1
    const pcs_geometry **written; // the geometries of the file
    int n_written;
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

// ---- geometries --------------------------------------------------------------------------------

enum { GEOMETRY_NAME = 32 };

// the name in the file that the scene was read from, or "geometry 3"
static const char *geometry_name(const out *o, int number, char own[GEOMETRY_NAME])
{
    const struct pcs_scene_memory *m = o->scene->memory;
    for (size_t i = 0; i < m->n_kept; ++i) {
        if (m->kept[i].geometry == o->written[number] && *m->kept[i].name) return m->kept[i].name;
    }
    snprintf(own, GEOMETRY_NAME, "geometry %d", number + 1);
    return own;
}

// what the shapes refer to, each once, in the order of the shapes
static pcs_status collect_geometries(out *o)
{
    for (int k = 0; k < pcs_model_shape_count(o->m); ++k) {
        pcs_model_shape_def def;
        PCS_TRY(pcs_model_shape(o->m, k, &def));
        o->geometry[k] = -1;
        if (!def.shape.geometry) continue;
        int at = o->n_written - 1; // the last one is the most likely
        while (at >= 0 && o->written[at] != def.shape.geometry) {
            at -= 1;
        }
        if (at < 0) {
            at = o->n_written++;
            o->written[at] = def.shape.geometry;
        }
        o->geometry[k] = at;
    }
    return PCS_OK;
}

static void write_triangles(writer *w, int n, const int *triangles)
{
    write_open(w, "triangles", '[', n > 4);
    for (int t = 0; t < n; ++t) {
        write_open(w, NULL, '[', false);
        for (int k = 0; k < 3; ++k) {
            write_int(w, NULL, triangles[3 * (size_t)t + k]);
        }
        write_close(w, ']');
    }
    write_close(w, ']');
}

static void write_geometry(out *o, int number)
{
    const pcs_geometry *g = o->written[number];
    const double *points, *heights;
    const int *triangles;
    char own[GEOMETRY_NAME];
    scene_geometry s;
    fields_init(&geometry_table, &s);
    s.name = geometry_name(o, number, own);
    s.kind = (int)pcs_geometry_kind(g) - PCS_SHAPE_HULL;
    const int n_points = pcs_geometry_vertices(g, &points),
              n_triangles = pcs_geometry_triangles(g, &triangles);
    if (n_points > 0) s.points = (numbers){points, n_points, 3};
    if (n_triangles > 0) {
        pcs_inertia inside;
        s.open =
            pcs_inertia_of_mesh(n_points, points, n_triangles, triangles, 1, &inside) != PCS_OK;
    }
    int nx, ny;
    if (pcs_geometry_heights(g, &nx, &ny, &s.dx, &s.dy, &heights)) {
        s.heights = (numbers){heights, ny, nx};
    }
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &geometry_table, &s, NULL);
    if (n_triangles > 0) write_triangles(&o->w, n_triangles, triangles);
    write_close(&o->w, '}');
}

static void write_geometries(out *o)
{
    write_open(&o->w, "geometries", '[', true);
    for (int i = 0; i < o->n_written; ++i) {
        write_geometry(o, i);
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
    char own[GEOMETRY_NAME];
    if (o->geometry[number] >= 0) s.geometry = geometry_name(o, o->geometry[number], own);
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

// rows of a polynomial up to the last one that is not zero
static numbers polynomial_object(const double *x, int width)
{
    int rows = PCS_MOTION_TERMS;
    for (bool zero = true; rows > 0; rows -= zero) {
        for (int i = 0; i < width; ++i) {
            zero = zero && x[(rows - 1) * width + i] == 0;
        }
        if (!zero) break;
    }
    return rows > 0 ? (numbers){x, rows, width} : (numbers){NULL, 0, 0};
}

static scene_motion motion_object(const pcs_motion *m)
{
    scene_motion s;
    fields_init(&motion_table, &s);
    memcpy(s.belt, m->belt, sizeof s.belt);
    if (m->table) {
        s.table = (numbers){m->table, m->rows, m->columns};
        return s;
    }
    s.polynomial = polynomial_object(m->polynomial[0], 3);
    s.angle = polynomial_object(m->angle, 1);
    memcpy(s.amplitude, m->amplitude, sizeof s.amplitude);
    s.frequency = m->frequency;
    s.phase = m->phase;
    memcpy(s.axis, m->axis, sizeof s.axis);
    memcpy(s.centre, m->centre, sizeof s.centre);
    s.swing = m->swing;
    s.swing_frequency = m->swing_frequency;
    s.swing_phase = m->swing_phase;
    return s;
}

// a motion that stands has no member; it is written all the same
static void write_motion(out *o, const pcs_motion *m)
{
    const scene_motion s = motion_object(m);
    scene_motion usual;
    fields_init(&motion_table, &usual);
    memcpy(usual.centre, m->position, sizeof usual.centre);
    if (m->table) memcpy(usual.centre, s.centre, sizeof usual.centre);
    write_open(&o->w, "motion", '{', false);
    write_fields(&o->w, &motion_table, &s, &usual);
    if (!o->w.level[o->w.depth - 1].comma) write_real(&o->w, "frequency", 0);
    write_close(&o->w, '}');
}

// the numbers of a matrix, or none when it is the usual one
static numbers unusual_matrix(const double A[36], const double usual[36], double diagonal[6])
{
    if (memcmp(A, usual, 36 * sizeof *A) == 0) return (numbers){NULL, 0, 0};
    const numbers x = matrix_object(6, A, diagonal);
    return x.x ? x : (numbers){diagonal, 6, 1};
}

static bool same_fins(const pcs_vehicle_def *a, const pcs_vehicle_def *b)
{
    return a->n_fins == b->n_fins &&
           memcmp(a->fin, b->fin, (size_t)a->n_fins * sizeof *a->fin) == 0;
}

static void write_vehicle(out *o, const pcs_vehicle_ride *ride)
{
    const pcs_vehicle_def *def = pcs_vehicle_definition(ride->vehicle);
    const pcs_vehicle_command *command = &ride->command;
    scene_vehicle s, usual;
    double M[6], A[6];
    bool deflected = false;
    fields_init(&vehicle_table, &s);
    fields_init(&vehicle_table, &usual);
    s.mass_matrix = unusual_matrix(def->mass_matrix, s.def.mass_matrix, M);
    s.added_mass = unusual_matrix(def->added_mass, s.def.added_mass, A);
    s.def = *def;
    s.foil.foil = def->foil;
    if (def->foil.table) s.foil.table = (numbers){def->foil.table, def->foil.rows, 3};
    s.thrust = command->thrust;
    for (int i = 0; i < def->n_fins; ++i) {
        deflected = deflected || command->deflection[i] != 0;
    }
    if (deflected) s.deflections = (numbers){command->deflection, def->n_fins, 1};
    write_open(&o->w, "vehicle", '{', false);
    write_fields(&o->w, &vehicle_table, &s, &usual);
    if (!same_fins(def, &usual.def)) {
        write_open(&o->w, "fins", '[', false);
        for (int i = 0; i < def->n_fins; ++i) {
            const scene_fin fin = {.fin = def->fin[i]};
            write_object(&o->w, NULL, &fin_table, &fin, NULL);
        }
        write_close(&o->w, ']');
    }
    // the default vehicle has no member; it is written all the same
    if (!o->w.level[o->w.depth - 1].comma) write_real(&o->w, "thrust", s.thrust);
    write_close(&o->w, '}');
}

static pcs_status check_body_callbacks(const pcs_body_def *def, int id, const char *name)
{
    if (def->motion && def->motion != pcs_motion_follow) {
        return refuse_callback("body", id, name, "a motion of its own");
    }
    const pcs_vehicle_ride *ride = pcs_vehicle_ride_of(def);
    if (ride) {
        if (!pcs_vehicle_definition(ride->vehicle)->foil.fn) return PCS_OK;
        return refuse_callback("body", id, name, "a foil of its own");
    }
    if (def->force && (def->force != pcs_load_act || def->jacobian || def->potential)) {
        return refuse_callback("body", id, name, "a force");
    }
    return PCS_OK;
}

static pcs_status write_rigid(out *o, pcs_system id)
{
    pcs_body_def def;
    PCS_TRY(pcs_model_body(o->m, id, &def));
    const char *name = pcs_model_system_name(o->m, id);
    PCS_TRY(check_body_callbacks(&def, id.id, name));
    const pcs_motion *motion = def.motion ? def.user : NULL;
    scene_body s;
    double J[6], A[6];
    fields_init(&body_table, &s);
    s.name = name;
    s.fixed = def.fixed;
    s.enabled = pcs_model_enabled(o->m, id);
    const pcs_vehicle_ride *ride = pcs_vehicle_ride_of(&def);
    if (!ride) {
        s.mass = def.mass;
        s.inertia = matrix_object(3, def.inertia, J);
        s.added_mass = matrix_object(6, def.added_mass, A);
        if (def.force) s.load.load = *(const pcs_load *)def.user;
    }
    memcpy(s.position, motion ? motion->position : def.position, sizeof s.position);
    memcpy(s.orientation, motion ? motion->orientation : def.orientation, sizeof s.orientation);
    memcpy(s.velocity, def.velocity, sizeof s.velocity);
    memcpy(s.omega, def.omega, sizeof s.omega);
    write_open(&o->w, NULL, '{', false);
    write_fields(&o->w, &body_table, &s, NULL);
    if (motion) write_motion(o, motion);
    if (ride) write_vehicle(o, ride);
    PCS_TRY(write_shapes(o, id.id));
    write_close(&o->w, '}');
    return PCS_OK;
}

// a matrix by columns as rows, in `to`
static numbers square_object(int n, const double *A, double *to)
{
    if (!A) return (numbers){NULL, 0, 0};
    for (size_t i = 0; i < (size_t)n; ++i) {
        for (size_t j = 0; j < (size_t)n; ++j) {
            to[(size_t)n * i + j] = A[i + (size_t)n * j];
        }
    }
    return (numbers){to, n, n};
}

static pcs_status write_lagrangian(out *o, pcs_system id)
{
    pcs_lagrangian_def def;
    PCS_TRY(pcs_model_lagrangian(o->m, id, &def));
    scene_body s;
    fields_init(&body_table, &s);
    s.kind = BODY_LAGRANGIAN;
    s.name = pcs_model_system_name(o->m, id);
    s.enabled = pcs_model_enabled(o->m, id);
    if (!def.mass || def.force) {
        return refuse_callback("Lagrangian system", id.id, s.name,
                               def.mass ? "a force" : "a mass that varies");
    }
    if (def.load) s.forces = (numbers){def.load, def.n, 1};
    s.q = (numbers){def.q0, def.n, 1};
    s.v = (numbers){def.v0, def.n, 1};
    const size_t square = (size_t)def.n * (size_t)def.n;
    double *rows = pcs_env_alloc(o->env, 3 * square, sizeof *rows);
    if (!rows) return pcs_fail_memory("pcs_scene_write");
    s.mass_matrix = square_object(def.n, def.mass, rows);
    s.stiffness = square_object(def.n, def.stiffness, rows + square);
    s.damping = square_object(def.n, def.damping, rows + 2 * square);
    write_object(&o->w, NULL, &body_table, &s, NULL);
    pcs_env_free(o->env, rows);
    return PCS_OK;
}

static pcs_status write_bodies(out *o)
{
    const int n = pcs_model_system_count(o->m);
    write_open(&o->w, "bodies", '[', true);
    for (int id = 1; id <= n; ++id) {
        const pcs_system system = {id};
        PCS_TRY(pcs_model_is_lagrangian(o->m, system) ? write_lagrangian(o, system)
                                                      : write_rigid(o, system));
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
