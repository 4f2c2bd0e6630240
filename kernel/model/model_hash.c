// The hash of a model: everything that decides what its steps do, number by number (structs have
// gaps, whose bytes mean nothing).
#include <percuss/parts.h>
#include <percuss/solver_table.h>

#include <stddef.h>

#include "base/hash.h"
#include "collide/geometry.h"
#include "model/model.h"
#include "relations/joint.h"

static uint64_t add_int(uint64_t hash, long long x)
{
    return hash_bytes(hash, &x, sizeof x);
}

// null counts, too: a missing matrix differs from an empty one
static uint64_t add_reals(uint64_t hash, const double *x, size_t n)
{
    hash = add_int(hash, x ? (long long)n : -1);
    return x ? hash_bytes(hash, x, n * sizeof *x) : hash;
}

static uint64_t add_system(uint64_t hash, const model_system *s)
{
    const size_t n = (size_t)s->nq;
    const int facts[] = {(int)s->kind,
                         s->disabled,
                         s->nq,
                         s->filled,
                         s->motion != NULL,
                         s->body_force != NULL,
                         s->body_jacobian != NULL,
                         s->mass_fn != NULL,
                         s->force != NULL,
                         s->jacobian != NULL,
                         s->potential != NULL};
    hash = hash_bytes(hash, facts, sizeof facts);
    if (s->kind == SYSTEM_LAGRANGIAN) {
        hash = add_reals(hash, s->start, 2 * n);
        hash = add_reals(hash, s->M, n * n);
        hash = add_reals(hash, s->K, n * n);
        hash = add_reals(hash, s->D, n * n);
        if (s->sparse) {
            const size_t entries = s->sparse->row[n];
            hash = hash_bytes(hash, s->sparse->first, n * sizeof *s->sparse->first);
            hash = add_reals(hash, s->sparse->M.val, entries);
            hash = add_reals(hash, s->sparse->K.val, entries);
            hash = add_reals(hash, s->sparse->D.val, entries);
        }
        return add_reals(hash, s->load, n);
    }
    if (s->carrier.id > 0) {
        hash = add_int(add_int(hash, s->carrier.id), s->touches_carried);
        hash = add_int(hash, s->pose_jacobian != NULL);
    }
    if (s->plane != PCS_PLANE_NONE) hash = add_int(hash, s->plane);
    hash = add_reals(hash, &s->mass, 1);
    hash = add_reals(hash, s->J, 9);
    hash = add_reals(hash, s->added, 36);
    // the pose of a driven body is that of its motion
    if (!s->motion) hash = add_reals(hash, s->q0, 7);
    return add_reals(hash, s->v0, 6);
}

static uint64_t add_geometry(uint64_t hash, const pcs_geometry *g)
{
    const double *x = NULL;
    const int *triangle = NULL;
    int nx = 0, ny = 0;
    double cell[2] = {0, 0};
    if (!g) return hash;
    const size_t vertices = (size_t)pcs_geometry_vertices(g, &x);
    hash = add_reals(hash, x, 3 * vertices);
    const size_t triangles = (size_t)pcs_geometry_triangles(g, &triangle);
    if (triangles > 0) hash = hash_bytes(hash, triangle, 3 * triangles * sizeof *triangle);
    if (!pcs_geometry_heights(g, &nx, &ny, &cell[0], &cell[1], &x)) return hash;
    hash = add_reals(add_int(hash, nx), cell, 2);
    return add_reals(hash, x, (size_t)nx * (size_t)ny);
}

static uint64_t add_shape(uint64_t hash, const model_shape *s)
{
    const long long facts[] = {s->shape.kind, s->system, s->material,
                               s->group,      s->mask,   s->disabled};
    hash = hash_bytes(hash, facts, sizeof facts);
    hash = add_reals(hash, s->shape.position, 3);
    hash = add_reals(hash, s->shape.orientation, 4);
    hash = add_reals(hash, &s->shape.radius, 1);
    hash = add_reals(hash, s->shape.half, 3);
    return add_geometry(hash, s->shape.geometry);
}

static uint64_t add_law(uint64_t hash, const pcs_law *law)
{
    const double x[3] = {law->e, law->e_t, law->mu};
    hash = add_reals(add_int(hash, law->kind), x, 3);
    return law->kind == PCS_LAW_LIMITED ? add_reals(hash, &law->limit, 1) : hash;
}

// numbers of a relation that count: the first nine, and the others if one of them is not zero, so
// that a relation of fewer numbers has the hash it has always had
static size_t data_size(const pcs_relation *relation)
{
    for (int i = 9; i < PCS_RELATION_DATA; ++i) {
        if (relation->data[i] != 0) return PCS_RELATION_DATA;
    }
    return 9;
}

static uint64_t add_time(uint64_t hash, const pcs_time_function *f)
{
    const int fn = f->fn != NULL;
    const double x[] = {f->offset, f->rate, f->amplitude, f->frequency, f->phase};
    return add_reals(hash_bytes(hash, &fn, sizeof fn), x, sizeof x / sizeof *x);
}

static uint64_t add_interaction(uint64_t hash, const pcs_model *m, int i)
{
    const pcs_interaction_def *d = &m->interaction[i];
    const int facts[] = {d->system1.id,
                         d->system2.id,
                         d->relation.dim,
                         (int)pcs_relation_kind_of(&d->relation),
                         d->relation.has_data,
                         m->interaction_off[i],
                         pcs_model_touching(m, (pcs_interaction){i + 1})};
    hash = hash_bytes(hash, facts, sizeof facts);
    if (d->relation.has_data) hash = add_reals(hash, d->relation.data, data_size(&d->relation));
    if (relation_has_time(&d->relation)) {
        hash = add_int(add_time(hash, &d->relation.time), d->relation.of_speed);
    }
    const double strength[] = {m->strength[i].force, m->strength[i].moment};
    const bool breaks = isfinite(strength[0]) || isfinite(strength[1]);
    if (breaks) hash = add_reals(hash, strength, 2);
    return add_law(hash, &d->law);
}

static uint64_t add_force(uint64_t hash, const model_force *f)
{
    const pcs_force_def *d = &f->def;
    const int facts[] = {(int)d->kind,     d->system1.id,       d->system2.id,       f->disabled,
                         d->force != NULL, d->jacobian != NULL, d->potential != NULL};
    hash = hash_bytes(hash, facts, sizeof facts);
    const double x[] = {d->stiffness, d->damping, d->length, d->angle, d->strength};
    hash = add_reals(hash, x, sizeof x / sizeof *x);
    hash = add_reals(hash, d->p1, 3);
    hash = add_reals(hash, d->p2, 3);
    hash = add_reals(hash, d->axis, 3);
    hash = add_reals(hash, d->frame1, 4);
    hash = add_reals(hash, d->frame2, 4);
    return add_reals(add_reals(hash, d->K, 36), d->D, 36);
}

// only the options of its kind: those of other kinds are not read
static uint64_t add_solver(uint64_t hash, const pcs_solver_opts *o)
{
    const int facts[] = {(int)o->kind, (int)o->stop, o->max_iters};
    const double x[2] = {o->tol, o->max_seconds};
    hash = add_reals(hash_bytes(hash, facts, sizeof facts), x, 2);
    const pcs_solver_info *row = NULL;
    for (int i = 0; i < pcs_solver_count(); ++i) {
        if (pcs_solver_at(i)->kind == o->kind) row = pcs_solver_at(i);
    }
    for (int i = 0; row && i < row->n_opts; ++i) {
        double value = 0;
        if (pcs_solver_opts_get(o, row->opt[i].name, &value) == PCS_OK) {
            hash = add_reals(hash, &value, 1);
        }
    }
    return hash;
}

static uint64_t add_scheme(uint64_t hash, const pcs_scheme *s)
{
    const double x[] = {s->theta,      s->gamma,  s->active_tol, s->hysteresis, s->proj_tol,
                        s->newton_tol, s->accept, s->budget,     s->max_seconds};
    const int facts[] = {(int)s->activation,    (int)s->projection, (int)s->metric,
                         s->proj_max,           (int)s->update,     (int)s->lever,
                         (int)s->configuration, s->second_order,    s->newton_max,
                         s->accept_unconverged, s->halvings};
    hash = add_reals(hash, x, sizeof x / sizeof *x);
    if (s->max_sweeps > 0) hash = hash_bytes(hash, &s->max_sweeps, sizeof s->max_sweeps);
    if (s->sleep) hash = hash_bytes(hash, &s->sleep, sizeof s->sleep);
    return add_solver(hash_bytes(hash, facts, sizeof facts), &s->solver);
}

unsigned long long pcs_model_hash(const pcs_model *m)
{
    uint64_t hash = HASH_START;
    if (!m) return hash;
    const int facts[] = {m->n_systems,   m->n_shapes,        m->n_materials,   m->n_interactions,
                         m->n_pair_laws, m->combine != NULL, m->filter != NULL};
    hash = add_reals(hash_bytes(hash, facts, sizeof facts), m->gravity, 3);
    hash = add_scheme(hash, &m->scheme);
    for (int i = 0; i < m->n_systems; ++i) {
        hash = add_system(hash, &m->system[i]);
    }
    for (int i = 0; i < m->n_shapes; ++i) {
        hash = add_shape(hash, &m->shape[i]);
    }
    for (int i = 0; i < m->n_materials; ++i) {
        const double x[3] = {m->material[i].e, m->material[i].e_t, m->material[i].mu};
        hash = add_reals(hash, x, 3);
    }
    for (int i = 0; i < m->n_pair_laws; ++i) {
        hash = add_int(add_int(hash, m->pair_law[i].a), m->pair_law[i].b);
        hash = add_law(hash, &m->pair_law[i].law);
    }
    for (int i = 0; i < m->n_interactions; ++i) {
        hash = add_interaction(hash, m, i);
    }
    for (int i = 0; i < m->n_forces; ++i) {
        hash = add_force(hash, &m->force[i]);
    }
    return hash;
}
