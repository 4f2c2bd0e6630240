// Bodies and Lagrangian systems as text, with their motions, loads and vehicles.
#include <string.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "scene/writing.h"

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
    memcpy(s.axis, m->axis, sizeof s.axis);
    memcpy(s.centre, m->centre, sizeof s.centre);
    // numbers without effect are left out: a file may not have them
    if (v3_norm(m->amplitude) > 0 && (m->frequency != 0 || m->phase != 0)) {
        memcpy(s.amplitude, m->amplitude, sizeof s.amplitude);
        s.frequency = m->frequency;
        s.phase = m->phase;
    }
    if (m->swing != 0 && (m->swing_frequency != 0 || m->swing_phase != 0)) {
        s.swing = m->swing;
        s.swing_frequency = m->swing_frequency;
        s.swing_phase = m->swing_phase;
    }
    return s;
}

// a motion with default values has no member, but is written
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

// the numbers of a matrix, or none when it is the default
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
        o->w.level[o->w.depth - 1].member = false; // written also without any: the default has four
        for (int i = 0; i < def->n_fins; ++i) {
            const scene_fin fin = {.fin = def->fin[i]};
            write_object(&o->w, NULL, &fin_table, &fin, NULL);
        }
        write_close(&o->w, ']');
    }
    // the default vehicle has no member, but is written
    if (!o->w.level[o->w.depth - 1].comma) write_real(&o->w, "thrust", s.thrust);
    write_close(&o->w, '}');
}

// a load of zeros has no member, but is written: the body has a force
static void write_no_load(out *o, const pcs_load *load)
{
    static const pcs_load zero;
    if (memcmp(load, &zero, sizeof zero) != 0) return;
    write_open(&o->w, "load", '{', false);
    write_real(&o->w, "damping", 0);
    write_close(&o->w, '}');
}

static pcs_status check_body_callbacks(const pcs_body_def *def, int id, const char *name)
{
    if (def->motion && def->motion != pcs_motion_follow) {
        return refuse_callback("body", id, name, "a motion of its own");
    }
    if (def->carrier.id > 0 && def->pose != pcs_linkage_place) {
        return refuse_callback("body", id, name, "a pose of its own");
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

static void write_moves(out *o, const pcs_linkage *l)
{
    write_open(&o->w, "moves", '[', false);
    for (int k = 0; k < l->moves; ++k) {
        const pcs_move *m = &l->move[k];
        scene_move s, usual;
        fields_init(&move_table, &s);
        fields_init(&move_table, &usual);
        s.offset = m->offset;
        s.by = (numbers){m->by, l->n, 1};
        memcpy(m->slides ? s.slide : s.turn, m->axis, sizeof m->axis);
        if (!m->slides) {
            memcpy(s.centre, m->centre, sizeof s.centre);
            memcpy(usual.centre, l->position, sizeof usual.centre);
        }
        write_object(&o->w, NULL, &move_table, &s, &usual);
    }
    write_close(&o->w, ']');
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
    s.plane = (int)def.plane;
    s.enabled = pcs_model_enabled(o->m, id);
    const pcs_linkage *linkage = def.carrier.id > 0 ? def.user : NULL;
    const pcs_vehicle_ride *ride = pcs_vehicle_ride_of(&def);
    if (linkage) {
        s.carrier = body_part(o, def.carrier);
        s.touches_carried = def.touches_carried;
        def = pcs_body_def_default();
        memcpy(def.position, linkage->position, sizeof def.position);
        memcpy(def.orientation, linkage->orientation, sizeof def.orientation);
    }
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
    if (!ride && def.force) write_no_load(o, def.user);
    if (motion) write_motion(o, motion);
    if (linkage) write_moves(o, linkage);
    if (ride) write_vehicle(o, ride);
    PCS_TRY(write_shapes(o, id.id));
    write_close(&o->w, '}');
    return PCS_OK;
}

// copies a matrix stored by columns to rows in `to`
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
    if (!def.mass && !def.mass_fn) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "pcs_scene_write: Lagrangian system %d has sparse matrices, which scene"
                        " files do not have",
                        id.id);
    }
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

pcs_status write_bodies(out *o)
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
