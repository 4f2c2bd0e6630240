// Writes a model as tables: its definitions (<percuss/parts.h>).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/meshes.h>
#include <percuss/solver_table.h>
#include <percuss/strength.h>

#include "base/base.h"
#include "trajectory/layout.h"

enum { PATH = 80, CHUNK_ROWS = 1024 };

static pcs_status put_rows(h5_file *f, const table_def *def, int n, const void *rows)
{
    table t = {0};
    const int chunk = n < 1 ? 1 : n < CHUNK_ROWS ? n : CHUNK_ROWS;
    PCS_TRY(table_create(f, def, 1, chunk, n > CHUNK_ROWS / 8));
    pcs_status status = table_open(f, def, 1, &t);
    if (status == PCS_OK) status = table_append(f, &t, n, rows);
    table_close(&t);
    return status;
}

// names have no line ends: one text has them all
static pcs_status put_names(h5_file *f, const pcs_model *m, const char *path, int first, int n,
                            const char *(*name)(const pcs_model *m, int id))
{
    sink s = sink_begin(NULL);
    for (int i = 0; i < n; ++i) {
        if (i > 0) sink_bytes(&s, "\n", 1);
        sink_text(&s, name(m, first + i));
    }
    sink_bytes(&s, "", 1);
    const pcs_status status =
        s.failed ? pcs_fail_memory("model of a trajectory") : h5_put_words(f, path, s.bytes);
    sink_end(&s);
    return status;
}

static const char *system_name(const pcs_model *m, int id)
{
    return pcs_model_system_name(m, (pcs_system){id});
}

static const char *material_name(const pcs_model *m, int id)
{
    return pcs_model_material_name(m, (pcs_material){id});
}

static const char *interaction_name(const pcs_model *m, int id)
{
    return pcs_model_interaction_name(m, (pcs_interaction){id});
}

static const char *force_name(const pcs_model *m, int id)
{
    return pcs_model_force_name(m, (pcs_force){id});
}

static pcs_status describe_system(const pcs_model *m, pcs_system id, system_row *row)
{
    row->enabled = pcs_model_enabled(m, id);
    if (pcs_model_is_lagrangian(m, id)) {
        pcs_lagrangian_def def;
        PCS_TRY(pcs_model_lagrangian(m, id, &def));
        row->kind = ROW_LAGRANGIAN;
        row->q_count = row->v_count = def.n;
        return PCS_OK;
    }
    pcs_body_def def;
    PCS_TRY(pcs_model_body(m, id, &def));
    const bool driven = def.motion || def.carrier.id > 0;
    row->kind = driven ? ROW_DRIVEN : def.fixed ? ROW_FIXED : ROW_BODY;
    row->q_count = 7;
    if (row->kind != ROW_BODY) return PCS_OK;
    row->v_count = 6;
    pcs_inertia inertia;
    PCS_TRY(pcs_model_inertia(m, id, &inertia));
    row->mass = inertia.m;
    memcpy(row->inertia, inertia.J, sizeof row->inertia);
    return PCS_OK;
}

// planar bodies; without any there is no table
static pcs_status write_planes(h5_file *f, const pcs_model *m, plane_row *row)
{
    int n = 0;
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        pcs_body_def def;
        if (pcs_model_is_lagrangian(m, (pcs_system){id})) continue;
        PCS_TRY(pcs_model_body(m, (pcs_system){id}, &def));
        if (def.plane != PCS_PLANE_NONE) row[n++] = (plane_row){id, (int32_t)def.plane};
    }
    return n > 0 ? put_rows(f, &layout_planes, n, row) : PCS_OK;
}

static pcs_status write_systems(h5_file *f, const pcs_model *m, system_row *row, plane_row *plane)
{
    const int n = pcs_model_system_count(m);
    int q = 0, v = 0;
    for (int i = 0; i < n; ++i) {
        PCS_TRY(describe_system(m, (pcs_system){i + 1}, &row[i]));
        row[i].q_first = q;
        row[i].v_first = v;
        q += row[i].q_count;
        v += row[i].v_count;
    }
    PCS_TRY(put_rows(f, &layout_systems, n, row));
    PCS_TRY(write_planes(f, m, plane));
    return put_names(f, m, "/model/system_names", 1, n, system_name);
}

static pcs_status write_geometry(h5_file *f, int number, const pcs_geometry *g)
{
    char path[PATH];
    const double *x = NULL;
    const int *triangle = NULL;
    snprintf(path, sizeof path, "/model/geometries/%d", number);
    PCS_TRY(h5_put_group(f, path));
    double cell[2];
    int nx, ny;
    if (pcs_geometry_heights(g, &nx, &ny, &cell[0], &cell[1], &x)) {
        snprintf(path, sizeof path, "/model/geometries/%d/cell", number);
        PCS_TRY(table_put(f, path, "m", COLUMN_F64, 2, 1, cell));
        snprintf(path, sizeof path, "/model/geometries/%d/heights", number);
        return table_put(f, path, "m", COLUMN_F64, (size_t)ny, (size_t)nx, x);
    }
    const int vertices = pcs_geometry_vertices(g, &x);
    snprintf(path, sizeof path, "/model/geometries/%d/vertices", number);
    PCS_TRY(table_put(f, path, "m", COLUMN_F64, (size_t)vertices, 3, x));
    const int triangles = pcs_geometry_triangles(g, &triangle);
    snprintf(path, sizeof path, "/model/geometries/%d/triangles", number);
    return table_put(f, path, "1", COLUMN_I32, (size_t)triangles, 3, triangle);
}

// `known` has room for one geometry per shape
static pcs_status write_shapes(h5_file *f, const pcs_model *m, shape_row *row,
                               const pcs_geometry **known)
{
    const int n = pcs_model_shape_count(m);
    int geometries = 0;
    PCS_TRY(h5_put_group(f, "/model/geometries"));
    for (int i = 0; i < n; ++i) {
        pcs_model_shape_def d;
        PCS_TRY(pcs_model_shape(m, i, &d));
        row[i] = (shape_row){.kind = (int32_t)d.shape.kind,
                             .system = d.system.id,
                             .material = d.material.id,
                             .geometry = -1,
                             .enabled = pcs_model_shape_enabled(m, i),
                             .group = d.group,
                             .mask = d.mask,
                             .radius = d.shape.radius};
        memcpy(row[i].position, d.shape.position, sizeof row[i].position);
        memcpy(row[i].orientation, d.shape.orientation, sizeof row[i].orientation);
        memcpy(row[i].half, d.shape.half, sizeof row[i].half);
        if (!d.shape.geometry) continue;
        // shapes that share a geometry share it in the file
        int at = geometries - 1;
        while (at >= 0 && known[at] != d.shape.geometry) {
            at -= 1;
        }
        if (at < 0) {
            at = geometries++;
            known[at] = d.shape.geometry;
            PCS_TRY(write_geometry(f, at, d.shape.geometry));
        }
        row[i].geometry = at;
    }
    PCS_TRY(put_rows(f, &layout_shapes, n, row));
    return put_names(f, m, "/model/shape_names", 0, n, pcs_model_shape_name);
}

static pcs_status write_materials(h5_file *f, const pcs_model *m, material_row *row)
{
    const int n = pcs_model_material_count(m);
    for (int i = 0; i < n; ++i) {
        pcs_material_def d;
        PCS_TRY(pcs_model_material(m, (pcs_material){i}, &d));
        row[i] = (material_row){d.e, d.e_t, d.mu};
    }
    PCS_TRY(put_rows(f, &layout_materials, n, row));
    return put_names(f, m, "/model/material_names", 0, n, material_name);
}

// the frames of joints that have any: without them there is no table
static pcs_status write_joints(h5_file *f, const pcs_model *m, joint_row *row)
{
    int n = 0;
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        pcs_interaction_def d;
        pcs_joint_def joint;
        PCS_TRY(pcs_model_interaction(m, (pcs_interaction){id}, &d));
        const pcs_relation_kind kind = pcs_relation_kind_of(&d.relation);
        pcs_joint_limits limits = {.joint = {id}};
        if (kind != PCS_RELATION_JOINT && kind != PCS_RELATION_LIMITS &&
            kind != PCS_RELATION_COORDINATE) {
            continue;
        }
        if (kind == PCS_RELATION_COORDINATE) {
            pcs_joint_motor motor;
            pcs_joint_friction friction;
            if (pcs_model_joint_friction(m, (pcs_interaction){id}, &friction) == PCS_OK) {
                motor = pcs_joint_motor_default(friction.joint);
                motor.coordinate = friction.coordinate;
            } else {
                PCS_TRY(pcs_model_joint_motor(m, (pcs_interaction){id}, &motor));
            }
            limits = (pcs_joint_limits){.joint = motor.joint, .coordinate = motor.coordinate};
        }
        if (kind == PCS_RELATION_LIMITS) {
            PCS_TRY(pcs_model_joint_limits(m, (pcs_interaction){id}, &limits));
        }
        PCS_TRY(pcs_model_joint(m, limits.joint, &joint));
        joint_row *r = &row[n++];
        *r = (joint_row){.interaction = id,
                         .kind = (int32_t)joint.kind,
                         .teeth = {joint.teeth[0], joint.teeth[1]},
                         .joint = limits.joint.id,
                         .coordinate = limits.coordinate,
                         .pitch = joint.pitch,
                         .arm = joint.arm,
                         .low = limits.low,
                         .high = limits.high};
        memcpy(r->point1, joint.point1, sizeof r->point1);
        memcpy(r->axes1, joint.axes1, sizeof r->axes1);
        memcpy(r->point2, joint.point2, sizeof r->point2);
        memcpy(r->axes2, joint.axes2, sizeof r->axes2);
    }
    return n > 0 ? put_rows(f, &layout_joints, n, row) : PCS_OK;
}

// the functions of time, without callbacks, and limits; without any there is no table
static pcs_status write_times(h5_file *f, const pcs_model *m, time_row *row)
{
    int n = 0;
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        pcs_interaction_def d;
        PCS_TRY(pcs_model_interaction(m, (pcs_interaction){id}, &d));
        const pcs_time_function *t = &d.relation.time;
        const bool limited = d.law.kind == PCS_LAW_LIMITED;
        const bool zero = t->offset == 0 && t->rate == 0 && t->amplitude == 0;
        if (!limited && zero && !d.relation.timed) continue;
        row[n++] = (time_row){.interaction = id,
                              .of_speed = d.relation.of_speed + (zero && d.relation.timed ? 2 : 0),
                              .offset = t->offset,
                              .rate = t->rate,
                              .amplitude = t->amplitude,
                              .frequency = t->frequency,
                              .phase = t->phase,
                              .limit = d.law.limit};
    }
    return n > 0 ? put_rows(f, &layout_times, n, row) : PCS_OK;
}

// the interactions that break; without any there is no table
static pcs_status write_strengths(h5_file *f, const pcs_model *m, strength_row *row)
{
    int n = 0;
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        const pcs_strength s = pcs_model_strength(m, (pcs_interaction){id});
        if (isinf(s.force) && isinf(s.moment)) continue;
        row[n++] = (strength_row){.interaction = id, .force = s.force, .moment = s.moment};
    }
    return n > 0 ? put_rows(f, &layout_strengths, n, row) : PCS_OK;
}

// a linear contact of more than three coordinates has more numbers than a row of interactions
static bool is_long(const pcs_relation *r)
{
    return pcs_relation_kind_of(r) == PCS_RELATION_LINEAR && r->dim == 2 && r->data[0] > 3;
}

// without any there is no table
static pcs_status write_linear_contacts(h5_file *f, const pcs_model *m, linear_contact_row *row)
{
    int n = 0;
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        pcs_interaction_def d;
        PCS_TRY(pcs_model_interaction(m, (pcs_interaction){id}, &d));
        if (!is_long(&d.relation)) continue;
        const double *data = d.relation.data;
        linear_contact_row *to = &row[n++];
        *to = (linear_contact_row){.interaction = id, .n = (int32_t)data[0]};
        const size_t bytes = (size_t)to->n * sizeof *data;
        memcpy(to->c, data + 1, bytes);
        to->b = data[1 + to->n];
        memcpy(to->t, data + 2 + to->n, bytes);
    }
    return n > 0 ? put_rows(f, &layout_linear_contacts, n, row) : PCS_OK;
}

static pcs_status write_interactions(h5_file *f, const pcs_model *m, interaction_row *row,
                                     joint_row *joint, time_row *time, strength_row *strength,
                                     linear_contact_row *linear)
{
    const int n = pcs_model_interaction_count(m);
    for (int i = 0; i < n; ++i) {
        const pcs_interaction id = {i + 1};
        pcs_interaction_def d;
        PCS_TRY(pcs_model_interaction(m, id, &d));
        const pcs_relation_kind kind = pcs_relation_kind_of(&d.relation);
        row[i] = (interaction_row){.kind = (int32_t)kind,
                                   .law = (int32_t)d.law.kind,
                                   .system1 = d.system1.id,
                                   .system2 = d.system2.id,
                                   .rows = d.relation.dim,
                                   .enabled = pcs_model_interaction_enabled(m, id),
                                   .e = d.law.e,
                                   .e_t = d.law.e_t,
                                   .mu = d.law.mu};
        if (is_long(&d.relation)) row[i].kind = PCS_RELATION_USER;
        if (row[i].kind == PCS_RELATION_USER) continue;
        memcpy(row[i].data, d.relation.data, sizeof row[i].data);
    }
    PCS_TRY(put_rows(f, &layout_interactions, n, row));
    PCS_TRY(write_joints(f, m, joint));
    PCS_TRY(write_times(f, m, time));
    PCS_TRY(write_strengths(f, m, strength));
    PCS_TRY(write_linear_contacts(f, m, linear));
    return put_names(f, m, "/model/interaction_names", 1, n, interaction_name);
}

// the definitions of force elements, without callbacks; without any there is no table
static pcs_status write_forces(h5_file *f, const pcs_model *m, force_def_row *row,
                               bushing_row *bushing)
{
    const int n = pcs_model_force_count(m);
    int bushings = 0;
    for (int i = 0; i < n; ++i) {
        const pcs_force id = {i + 1};
        pcs_force_def d;
        PCS_TRY(pcs_model_force(m, id, &d));
        row[i] = (force_def_row){.kind = (int32_t)d.kind,
                                 .system1 = d.system1.id,
                                 .system2 = d.system2.id,
                                 .enabled = pcs_model_force_enabled(m, id),
                                 .stiffness = d.stiffness,
                                 .damping = d.damping,
                                 .length = d.length,
                                 .angle = d.angle,
                                 .strength = d.strength};
        memcpy(row[i].p1, d.p1, sizeof d.p1);
        memcpy(row[i].p2, d.p2, sizeof d.p2);
        memcpy(row[i].axis, d.axis, sizeof d.axis);
        if (d.kind != PCS_FORCE_BUSHING) continue;
        bushing_row *b = &bushing[bushings++];
        *b = (bushing_row){.force = i + 1};
        memcpy(b->frame1, d.frame1, sizeof d.frame1);
        memcpy(b->frame2, d.frame2, sizeof d.frame2);
        memcpy(b->K, d.K, sizeof d.K);
        memcpy(b->D, d.D, sizeof d.D);
    }
    if (n == 0) return PCS_OK;
    PCS_TRY(put_rows(f, &layout_force_defs, n, row));
    if (bushings > 0) PCS_TRY(put_rows(f, &layout_bushings, bushings, bushing));
    return put_names(f, m, "/model/force_names", 1, n, force_name);
}

// writes a line "name=value" for each option of the solver of the scheme
static pcs_status write_options(h5_file *f, const pcs_solver_opts *o)
{
    const pcs_solver_info *info = pcs_solver_at((int)o->kind);
    sink s = sink_begin(NULL);
    sink_text(&s, "solver=");
    sink_text(&s, info->name);
    for (int i = 0; i < info->n_opts; ++i) {
        double value;
        if (pcs_solver_opts_get(o, info->opt[i].name, &value) != PCS_OK) continue;
        sink_bytes(&s, "\n", 1);
        sink_text(&s, info->opt[i].name);
        sink_text(&s, "=");
        if (info->opt[i].words) {
            sink_text(&s, info->opt[i].words[(int)(value - info->opt[i].low)]);
        } else {
            sink_real(&s, value);
            s.size -= 1; // the blank after it
        }
    }
    sink_bytes(&s, "", 1);
    const pcs_status status = s.failed ? pcs_fail_memory("model of a trajectory")
                                       : h5_put_words(f, "/model/solver_options", s.bytes);
    sink_end(&s);
    return status;
}

static pcs_status write_scheme(h5_file *f, const pcs_scheme *s)
{
    const scheme_row row = {.activation = (int32_t)s->activation,
                            .projection = (int32_t)s->projection,
                            .metric = (int32_t)s->metric,
                            .proj_max = s->proj_max,
                            .update = (int32_t)s->update,
                            .lever = (int32_t)s->lever,
                            .configuration = (int32_t)s->configuration,
                            .second_order = s->second_order | s->sleep << 1,
                            .newton_max = s->newton_max,
                            .accept_unconverged = s->accept_unconverged | s->max_sweeps << 1,
                            .halvings = s->halvings,
                            .solver = (int32_t)s->solver.kind,
                            .stop = (int32_t)s->solver.stop,
                            .max_iters = s->solver.max_iters,
                            .theta = s->theta,
                            .gamma = s->gamma,
                            .active_tol = s->active_tol,
                            .hysteresis = s->hysteresis,
                            .proj_tol = s->proj_tol,
                            .newton_tol = s->newton_tol,
                            .accept = s->accept,
                            .budget = s->budget,
                            .max_seconds = s->max_seconds,
                            .tol = s->solver.tol,
                            .solver_max_seconds = s->solver.max_seconds};
    PCS_TRY(put_rows(f, &layout_scheme, 1, &row));
    return write_options(f, &s->solver);
}

pcs_status model_tables_write(h5_file *f, const pcs_model *m)
{
    const size_t systems = (size_t)pcs_model_system_count(m),
                 shapes = (size_t)pcs_model_shape_count(m),
                 materials = (size_t)pcs_model_material_count(m),
                 interactions = (size_t)pcs_model_interaction_count(m),
                 forces = (size_t)pcs_model_force_count(m);
    const uint64_t hash = pcs_model_hash(m);
    const pcs_scheme scheme = pcs_model_scheme(m);
    double gravity[3];
    pcs_model_gravity(m, gravity);
    pcs_pool pool = pool_begin(NULL);
    system_row *system = POOL_TAKE(&pool, systems, system_row);
    plane_row *plane = POOL_TAKE(&pool, systems, plane_row);
    shape_row *shape = POOL_TAKE(&pool, shapes, shape_row);
    const pcs_geometry **known = POOL_TAKE(&pool, shapes, const pcs_geometry *);
    material_row *material = POOL_TAKE(&pool, materials, material_row);
    interaction_row *interaction = POOL_TAKE(&pool, interactions, interaction_row);
    joint_row *joint = POOL_TAKE(&pool, interactions, joint_row);
    time_row *time = POOL_TAKE(&pool, interactions, time_row);
    strength_row *strength = POOL_TAKE(&pool, interactions, strength_row);
    linear_contact_row *linear = POOL_TAKE(&pool, interactions, linear_contact_row);
    force_def_row *force = POOL_TAKE(&pool, forces, force_def_row);
    bushing_row *bushing = POOL_TAKE(&pool, forces, bushing_row);
    const bool good = system && plane && shape && known && material && interaction && joint && time;
    pcs_status status = good && strength && linear && force && bushing
                            ? PCS_OK
                            : pcs_fail_memory("model of a trajectory");
    if (status == PCS_OK) status = h5_put_group(f, "/model");
    if (status == PCS_OK) {
        status = table_put(f, "/model/gravity", "m/s^2", COLUMN_F64, 3, 1, gravity);
    }
    if (status == PCS_OK) status = table_put(f, "/model/hash", "1", COLUMN_U64, 1, 1, &hash);
    if (status == PCS_OK) status = write_systems(f, m, system, plane);
    if (status == PCS_OK) status = write_shapes(f, m, shape, known);
    if (status == PCS_OK) status = write_materials(f, m, material);
    if (status == PCS_OK)
        status = write_interactions(f, m, interaction, joint, time, strength, linear);
    if (status == PCS_OK) status = write_forces(f, m, force, bushing);
    if (status == PCS_OK) status = write_scheme(f, &scheme);
    pool_release(&pool);
    return status;
}
