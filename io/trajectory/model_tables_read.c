// Builds a model again from its tables (model_tables_write.c).
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <percuss/meshes.h>
#include <percuss/solver_table.h>
#include <percuss/strength.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "trajectory/layout.h"

enum { PATH = 80 };

static pcs_status read_rows(const h5_file *f, const table_def *def, int width, pcs_pool *pool,
                            int *n, void *out)
{
    table t;
    void *rows = NULL;
    pcs_status status = table_open(f, def, width, &t);
    if (status == PCS_OK && t.rows > INT_MAX) {
        status = fail_named(f->name, PCS_ERR_SIZE, "%s: %ld rows are too many", def->path, t.rows);
    }
    if (status == PCS_OK) {
        // copies a fixed number of bytes, whatever the file has: there is no padding at the end
        rows = pool_take_array(pool, (size_t)t.rows + 1, t.row_bytes);
        status =
            rows ? table_read(f, &t, 0, t.rows, rows) : pcs_fail_memory("model of a trajectory");
    }
    *n = status == PCS_OK ? (int)t.rows : 0;
    memcpy(out, &rows, sizeof rows);
    table_close(&t);
    return status;
}

// the next of n lines of a text, ended in place; null after the last
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!line) return NULL;
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    *rest = end ? end + 1 : NULL;
    return line;
}

static pcs_status read_names(const h5_file *f, void *m, const char *path, int first, int n,
                             pcs_pool *pool, pcs_status (*set)(void *m, int id, const char *name))
{
    const char *words;
    PCS_TRY(h5_words(f, path, pool, &words));
    char *rest = (char *)(uintptr_t)words; // the text is in the pool
    for (int i = 0; i < n; ++i) {
        const char *name = next_line(&rest);
        if (!name)
            return fail_named(f->name, PCS_ERR_FORMAT, "%s: it does not have %d names", path, n);
        if (name[0] != '\0') PCS_TRY(set(m, first + i, name));
    }
    return PCS_OK;
}

static pcs_status name_system(void *m, int id, const char *name)
{
    return pcs_model_set_system_name(m, (pcs_system){id}, name);
}

static pcs_status name_shape(void *m, int number, const char *name)
{
    return pcs_model_set_shape_name(m, number, name);
}

static pcs_status name_material(void *m, int id, const char *name)
{
    return id == 0 ? PCS_OK : pcs_model_set_material_name(m, (pcs_material){id}, name);
}

static pcs_status name_interaction(void *m, int id, const char *name)
{
    return pcs_model_set_interaction_name(m, (pcs_interaction){id}, name);
}

// stand-ins for callbacks, which a file does not have: a step that calls one fails
static int no_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q, (void)M;
    return 1;
}

static int no_gap(void *user, const double *q1, const double *q2, double *g)
{
    (void)user, (void)q1, (void)q2, (void)g;
    return 1;
}

static int no_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    (void)user, (void)q1, (void)q2, (void)C1, (void)C2;
    return 1;
}

static pcs_status add_system(pcs_model *m, const system_row *row, pcs_plane plane)
{
    pcs_system id;
    if (row->kind == ROW_LAGRANGIAN) {
        const pcs_lagrangian_def def = {.n = row->q_count, .mass_fn = no_mass};
        PCS_TRY(pcs_model_add_lagrangian(m, &def, &id));
    } else {
        pcs_body_def def = pcs_body_def_default();
        def.fixed = row->kind != ROW_BODY;
        if (!def.fixed) {
            def.plane = plane;
            def.mass = row->mass;
            memcpy(def.inertia, row->inertia, sizeof def.inertia);
        }
        PCS_TRY(pcs_model_add_body(m, &def, &id));
    }
    return row->enabled ? PCS_OK : pcs_model_set_enabled(m, id, false);
}

static pcs_status read_systems(const h5_file *f, const pcs_env *env, pcs_pool *pool,
                               stored_model *out)
{
    pcs_model *m = out->model;
    system_row *row;
    plane_row *plane = NULL;
    int n, planes = 0, next = 0;
    long q = 0, v = 0;
    PCS_TRY(read_rows(f, &layout_systems, 1, pool, &n, &row));
    if (h5_has(f, layout_planes.path))
        PCS_TRY(read_rows(f, &layout_planes, 1, pool, &planes, &plane));
    out->driven = pcs_env_alloc(env, (size_t)n + 1, sizeof *out->driven);
    if (!out->driven) return pcs_fail_memory("pcs_trajectory");
    for (int i = 0; i < n; ++i) {
        const system_row *r = &row[i];
        const bool in_plane = next < planes && plane[next].system == i + 1;
        const bool lagrangian = r->kind == ROW_LAGRANGIAN;
        const int v_count = lagrangian ? r->q_count : r->kind == ROW_BODY ? 6 : 0;
        // the memory of the coordinates stays below that of the file
        const bool good = r->kind >= ROW_BODY && r->kind <= ROW_LAGRANGIAN && r->q_count >= 1 &&
                          (lagrangian || r->q_count == 7) && r->v_count == v_count &&
                          r->q_first == q && r->v_first == v && (size_t)(q + r->q_count) <= f->size;
        if (!good) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/systems: row %d has a kind or sizes that are not valid", i);
        }
        q += r->q_count;
        v += r->v_count;
        PCS_TRY(add_system(m, r, in_plane ? (pcs_plane)plane[next++].plane : PCS_PLANE_NONE));
        out->driven[i] = r->kind == ROW_DRIVEN ? out->n_driven++ : -1;
    }
    return read_names(f, m, "/model/system_names", 1, n, pool, name_system);
}

static pcs_status read_array(const h5_file *f, int number, const char *name, column_type type,
                             int width, pcs_pool *pool, int *n, void *out)
{
    char path[PATH];
    snprintf(path, sizeof path, "/model/geometries/%d/%s", number, name);
    const table_def def = {.path = path, .type = type};
    return read_rows(f, &def, width, pool, n, out);
}

static pcs_status read_geometry(const h5_file *f, const pcs_env *env, pcs_pool *pool, int number,
                                pcs_shape_kind kind, pcs_geometry **out)
{
    double *x, *cell;
    int *triangle, n, m;
    if (kind == PCS_SHAPE_HEIGHT_FIELD) {
        char path[PATH];
        snprintf(path, sizeof path, "/model/geometries/%d/heights", number);
        const int nx = table_width(f, path);
        PCS_TRY(read_array(f, number, "heights", COLUMN_F64, nx, pool, &n, &x));
        PCS_TRY(read_array(f, number, "cell", COLUMN_F64, 1, pool, &m, &cell));
        if (m != 2) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/geometries/%d/cell: it must have 2 numbers", number);
        }
        return pcs_geometry_create_height_field(env, nx, n, cell[0], cell[1], x, out);
    }
    PCS_TRY(read_array(f, number, "vertices", COLUMN_F64, 3, pool, &n, &x));
    if (kind == PCS_SHAPE_HULL) return pcs_geometry_create_hull(env, n, x, out);
    PCS_TRY(read_array(f, number, "triangles", COLUMN_I32, 3, pool, &m, &triangle));
    return pcs_geometry_create_mesh(env, n, x, m, triangle, out);
}

static pcs_status add_shape(const h5_file *f, const pcs_env *env, pcs_pool *pool, int number,
                            const shape_row *row, stored_model *out)
{
    pcs_shape s = {.kind = (pcs_shape_kind)row->kind, .radius = row->radius};
    memcpy(s.position, row->position, sizeof s.position);
    memcpy(s.orientation, row->orientation, sizeof s.orientation);
    memcpy(s.half, row->half, sizeof s.half);
    const bool has = row->kind >= PCS_SHAPE_HULL && row->kind <= PCS_SHAPE_HEIGHT_FIELD;
    if (row->kind < 0 || row->kind > PCS_SHAPE_HEIGHT_FIELD ||
        (has ? row->geometry < 0 || row->geometry > out->n_geometries : row->geometry != -1)) {
        return fail_named(f->name, PCS_ERR_FORMAT,
                          "/model/shapes: row %d has a kind or a geometry that is not valid",
                          number);
    }
    if (has && row->geometry == out->n_geometries) {
        PCS_TRY(read_geometry(f, env, pool, row->geometry, s.kind, &out->geometry[row->geometry]));
        out->n_geometries += 1;
    }
    if (has) s.geometry = out->geometry[row->geometry];
    PCS_TRY(pcs_model_add_shape(out->model, (pcs_system){row->system}, &s,
                                (pcs_material){row->material}));
    PCS_TRY(pcs_model_set_shape_groups(out->model, number, row->group, row->mask));
    return row->enabled ? PCS_OK : pcs_model_set_shape_enabled(out->model, number, false);
}

static pcs_status read_shapes(const h5_file *f, const pcs_env *env, pcs_pool *pool,
                              stored_model *out)
{
    shape_row *row;
    int n;
    PCS_TRY(read_rows(f, &layout_shapes, 1, pool, &n, &row));
    out->geometry = pcs_env_alloc(env, (size_t)n, sizeof *out->geometry);
    if (!out->geometry) return pcs_fail_memory("model of a trajectory");
    for (int i = 0; i < n; ++i) {
        PCS_TRY(add_shape(f, env, pool, i, &row[i], out));
    }
    return read_names(f, out->model, "/model/shape_names", 0, n, pool, name_shape);
}

static pcs_status read_materials(const h5_file *f, pcs_pool *pool, pcs_model *m)
{
    material_row *row;
    int n;
    PCS_TRY(read_rows(f, &layout_materials, 1, pool, &n, &row));
    for (int i = 1; i < n; ++i) {
        const pcs_material_def def = {row[i].e, row[i].e_t, row[i].mu};
        PCS_TRY(pcs_model_add_material(m, &def, NULL));
    }
    return read_names(f, m, "/model/material_names", 0, n, pool, name_material);
}

static pcs_relation joint_of(const joint_row *row, int kind)
{
    pcs_joint_def def = pcs_joint_def_default((pcs_joint_kind)row->kind);
    memcpy(def.point1, row->point1, sizeof def.point1);
    memcpy(def.axes1, row->axes1, sizeof def.axes1);
    memcpy(def.point2, row->point2, sizeof def.point2);
    memcpy(def.axes2, row->axes2, sizeof def.axes2);
    memcpy(def.teeth, row->teeth, sizeof def.teeth);
    def.pitch = row->pitch;
    def.arm = row->arm;
    if (kind == PCS_RELATION_JOINT) return pcs_relation_joint(&def);
    if (kind == PCS_RELATION_COORDINATE) {
        return pcs_relation_joint_coordinate(&def, (pcs_interaction){row->joint}, row->coordinate);
    }
    const pcs_joint_limits limits = {
        .joint = {row->joint}, .coordinate = row->coordinate, .low = row->low, .high = row->high};
    return pcs_relation_joint_limits(&def, &limits);
}

// `joint`, `time` and `linear_contact` are the next rows of their tables, or null
static pcs_status add_interaction(const h5_file *f, pcs_model *m, int number,
                                  const interaction_row *row, const joint_row *joint,
                                  const time_row *time, const linear_contact_row *linear_contact)
{
    pcs_interaction_def d = {
        .law = {.kind = (pcs_law_kind)row->law, .e = row->e, .e_t = row->e_t, .mu = row->mu},
        .system1 = {row->system1},
        .system2 = {row->system2}};
    const double *x = row->data;
    const bool linear = row->kind == PCS_RELATION_LINEAR;
    if (row->kind < PCS_RELATION_USER || row->kind > PCS_RELATION_COORDINATE ||
        !pcs_all_finite(x, 9) || (row->kind >= PCS_RELATION_JOINT && !joint) ||
        (linear && !(x[0] >= 1 && x[0] <= (row->rows == 2 ? 3 : 7))) ||
        row->law < PCS_LAW_EQUALITY || row->law > PCS_LAW_LIMITED) {
        return fail_named(f->name, PCS_ERR_FORMAT,
                          "/model/interactions: row %d has a kind or numbers that are not valid",
                          number);
    }
    const int n = linear ? (int)x[0] : 0;
    switch (row->kind) {
    case PCS_RELATION_DISTANCE:
        d.relation = pcs_relation_distance(x, x + 3, x[6]);
        break;
    case PCS_RELATION_ROPE:
        d.relation = pcs_relation_rope(x, x + 3, x[6]);
        break;
    case PCS_RELATION_BALL_JOINT:
        d.relation = pcs_relation_ball_joint(x, x + 3);
        break;
    case PCS_RELATION_LINEAR:
        d.relation = row->rows == 2 ? pcs_relation_linear_contact(n, x + 1, x[1 + n], x + 2 + n)
                                    : pcs_relation_linear(n, x + 1, x[1 + n]);
        break;
    case PCS_RELATION_JOINT:
    case PCS_RELATION_LIMITS:
    case PCS_RELATION_COORDINATE:
        d.relation = joint_of(joint, row->kind);
        break;
    default:
        d.relation = (pcs_relation){.dim = row->rows, .gap = no_gap, .gradient = no_gradient};
        break;
    }
    if (linear_contact) {
        const linear_contact_row *l = linear_contact;
        if (row->kind != PCS_RELATION_USER || row->rows != 2 || l->n < 1 || l->n > 7) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/linear_contacts: the row of interaction %d is not valid",
                              number + 1);
        }
        d.relation = pcs_relation_linear_contact(l->n, l->c, l->b, l->t);
    }
    if (time) {
        d.law.limit = time->limit;
        d.relation.of_speed = time->of_speed % 2 != 0;
        d.relation.timed = time->of_speed >= 2;
        d.relation.time = (pcs_time_function){.offset = time->offset,
                                              .rate = time->rate,
                                              .amplitude = time->amplitude,
                                              .frequency = time->frequency,
                                              .phase = time->phase};
    }
    pcs_interaction id;
    PCS_TRY(pcs_model_add_interaction(m, &d, &id));
    return row->enabled ? PCS_OK : pcs_model_set_interaction_enabled(m, id, false);
}

static pcs_status read_strengths(const h5_file *f, pcs_pool *pool, pcs_model *m)
{
    strength_row *row;
    int n = 0;
    if (!h5_has(f, layout_strengths.path)) return PCS_OK;
    PCS_TRY(read_rows(f, &layout_strengths, 1, pool, &n, &row));
    for (int i = 0; i < n; ++i) {
        const pcs_strength strength = {row[i].force, row[i].moment};
        PCS_TRY(pcs_model_set_strength(m, (pcs_interaction){row[i].interaction}, strength));
    }
    return PCS_OK;
}

static pcs_status read_interactions(const h5_file *f, pcs_pool *pool, pcs_model *m)
{
    interaction_row *row;
    joint_row *joint = NULL;
    time_row *time = NULL;
    linear_contact_row *linear = NULL;
    int n, joints = 0, next = 0, times = 0, next_time = 0, linears = 0, next_linear = 0;
    PCS_TRY(read_rows(f, &layout_interactions, 1, pool, &n, &row));
    if (h5_has(f, layout_joints.path)) {
        PCS_TRY(read_rows(f, &layout_joints, 1, pool, &joints, &joint));
    }
    if (h5_has(f, layout_times.path)) {
        PCS_TRY(read_rows(f, &layout_times, 1, pool, &times, &time));
    }
    if (h5_has(f, layout_linear_contacts.path)) {
        PCS_TRY(read_rows(f, &layout_linear_contacts, 1, pool, &linears, &linear));
    }
    for (int i = 0; i < n; ++i) {
        const bool is_long = next_linear < linears && linear[next_linear].interaction == i + 1;
        const bool has = next < joints && joint[next].interaction == i + 1;
        const bool timed = next_time < times && time[next_time].interaction == i + 1;
        PCS_TRY(add_interaction(f, m, i, &row[i], has ? &joint[next++] : NULL,
                                timed ? &time[next_time++] : NULL,
                                is_long ? &linear[next_linear++] : NULL));
    }
    PCS_TRY(read_strengths(f, pool, m));
    return read_names(f, m, "/model/interaction_names", 1, n, pool, name_interaction);
}

static pcs_status name_force(void *forces, int id, const char *name)
{
    ((stored_force *)forces)[id - 1].name = name;
    return PCS_OK;
}

static bool sound_force(const force_def_row *r, int systems)
{
    return r->kind >= PCS_FORCE_SPRING && r->kind <= PCS_FORCE_USER && r->system1 >= 1 &&
           r->system1 <= systems && r->system2 >= 0 && r->system2 <= systems &&
           r->system1 != r->system2 && pcs_all_finite(r->p1, 9) && pcs_all_finite(&r->stiffness, 5);
}

static pcs_status read_bushings(const h5_file *f, pcs_pool *pool, stored_model *out)
{
    bushing_row *row;
    int n;
    if (!h5_has(f, layout_bushings.path)) return PCS_OK;
    PCS_TRY(read_rows(f, &layout_bushings, 1, pool, &n, &row));
    for (int i = 0; i < n; ++i) {
        if (row[i].force < 1 || row[i].force > out->n_forces ||
            !pcs_all_finite(row[i].frame1, 4 + 4 + 36 + 36)) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/bushings: row %d has a number that is not valid", i);
        }
        pcs_force_def *d = &out->force[row[i].force - 1].def;
        memcpy(d->frame1, row[i].frame1, sizeof d->frame1);
        memcpy(d->frame2, row[i].frame2, sizeof d->frame2);
        memcpy(d->K, row[i].K, sizeof d->K);
        memcpy(d->D, row[i].D, sizeof d->D);
    }
    return PCS_OK;
}

// files of older versions have none
static pcs_status read_forces(const h5_file *f, pcs_pool *pool, stored_model *out)
{
    force_def_row *row;
    int n;
    if (!h5_has(f, layout_force_defs.path)) return PCS_OK;
    PCS_TRY(read_rows(f, &layout_force_defs, 1, pool, &n, &row));
    out->force = POOL_TAKE(pool, (size_t)n, stored_force);
    if (!out->force) return pcs_fail_memory("model of a trajectory");
    out->n_forces = n;
    for (int i = 0; i < n; ++i) {
        const force_def_row *r = &row[i];
        if (!sound_force(r, pcs_model_system_count(out->model))) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/forces: row %d has a kind, a system or a number that is not "
                              "valid",
                              i);
        }
        pcs_force_def *d = &out->force[i].def;
        *d = pcs_force_def_default((pcs_force_kind)r->kind);
        d->system1.id = r->system1;
        d->system2.id = r->system2;
        d->stiffness = r->stiffness;
        d->damping = r->damping;
        d->length = r->length;
        d->angle = r->angle;
        d->strength = r->strength;
        memcpy(d->p1, r->p1, sizeof d->p1);
        memcpy(d->p2, r->p2, sizeof d->p2);
        memcpy(d->axis, r->axis, sizeof d->axis);
        out->force[i].enabled = r->enabled != 0;
        out->force[i].name = "";
    }
    PCS_TRY(read_bushings(f, pool, out));
    return read_names(f, out->force, "/model/force_names", 1, n, pool, name_force);
}

// the first line, "solver=NAME", is for readers: the table has the kind
static pcs_status read_options(const h5_file *f, pcs_pool *pool, pcs_solver_opts *o)
{
    const char *words;
    PCS_TRY(h5_words(f, "/model/solver_options", pool, &words));
    char *rest = (char *)(uintptr_t)words; // the text is in the pool
    next_line(&rest);
    for (char *line; (line = next_line(&rest));) {
        char *value = strchr(line, '=');
        if (!value) {
            return fail_named(f->name, PCS_ERR_FORMAT,
                              "/model/solver_options: a line has no value");
        }
        *value = '\0';
        PCS_TRY(pcs_solver_opts_set(o, line, value + 1));
    }
    return PCS_OK;
}

static pcs_status read_scheme(const h5_file *f, pcs_pool *pool, pcs_model *m)
{
    scheme_row *r;
    int n;
    PCS_TRY(read_rows(f, &layout_scheme, 1, pool, &n, &r));
    if (n != 1 || !pcs_solver_at(r->solver)) {
        return fail_named(f->name, PCS_ERR_FORMAT,
                          "/model/scheme: it is not one row with a solver that there is");
    }
    pcs_scheme s = {.theta = r->theta,
                    .gamma = r->gamma,
                    .activation = (pcs_activation)r->activation,
                    .active_tol = r->active_tol,
                    .hysteresis = r->hysteresis,
                    .projection = (pcs_projection)r->projection,
                    .metric = (pcs_metric)r->metric,
                    .proj_tol = r->proj_tol,
                    .proj_max = r->proj_max,
                    .update = (pcs_quat_update)r->update,
                    .lever = (pcs_lever)r->lever,
                    .configuration = (pcs_configuration)r->configuration,
                    .second_order = r->second_order & 1,
                    .sleep = (r->second_order & 2) != 0,
                    .newton_tol = r->newton_tol,
                    .newton_max = r->newton_max,
                    .accept = r->accept,
                    .accept_unconverged = r->accept_unconverged & 1,
                    .max_sweeps = r->accept_unconverged >> 1,
                    .halvings = r->halvings,
                    .budget = r->budget,
                    .max_seconds = r->max_seconds,
                    .solver = pcs_solver_opts_default((pcs_solver)r->solver)};
    s.solver.tol = r->tol;
    s.solver.stop = (pcs_stop)r->stop;
    s.solver.max_iters = r->max_iters;
    s.solver.max_seconds = r->solver_max_seconds;
    PCS_TRY(read_options(f, pool, &s.solver));
    return pcs_model_set_scheme(m, &s);
}

static pcs_status read_gravity(const h5_file *f, pcs_pool *pool, pcs_model *m)
{
    double *g;
    int n = 3;
    PCS_TRY(h5_reals(f, "/model/gravity", &n, pool, &g));
    return pcs_model_set_gravity(m, g);
}

pcs_status model_tables_read(const h5_file *f, const pcs_env *env, pcs_pool *keep,
                             stored_model *out)
{
    *out = (stored_model){0};
    PCS_TRY(pcs_model_create(env, &out->model));
    pcs_pool pool = pool_begin(env);
    pcs_status status = read_gravity(f, &pool, out->model);
    if (status == PCS_OK) status = read_systems(f, env, &pool, out);
    if (status == PCS_OK) status = read_materials(f, &pool, out->model);
    if (status == PCS_OK) status = read_shapes(f, env, &pool, out);
    if (status == PCS_OK) status = read_interactions(f, &pool, out->model);
    if (status == PCS_OK) status = read_forces(f, keep, out);
    if (status == PCS_OK) status = read_scheme(f, &pool, out->model);
    pool_release(&pool);
    // the sentences of the kernel do not name the file
    return status != PCS_OK && strncmp(pcs_error_text(), "pcs_", 4) == 0
               ? pass_named(f->name, status)
               : status;
}

void model_tables_release(const pcs_env *env, stored_model *m)
{
    pcs_model_destroy(m->model);
    for (int i = 0; i < m->n_geometries; ++i) {
        pcs_geometry_destroy(m->geometry[i]);
    }
    pcs_env_free(env, m->geometry);
    pcs_env_free(env, m->driven);
    *m = (stored_model){0};
}
