// A world of solids: the model, its run, and the observed quantities.
#include "scenes/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the textbook scheme with theta = 1/2, for bodies that turn for long while they touch
pcs_scheme world_smooth_scheme(double tol)
{
    pcs_scheme scheme = pcs_scheme_moreau_jean();
    scheme.newton_tol = 1e-14;
    scheme.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    scheme.proj_tol = tol;
    scheme.solver.tol = tol;
    return scheme;
}

// warnings of the library, where the example has no other use for them
static void warn(pcs_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == PCS_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

pcs_status world_open(world *w, const pcs_env *env, const pcs_scheme *scheme, double gravity)
{
    const pcs_env aloud = {.log = warn};
    if (!env) env = &aloud;
    *w = (world){
        .scheme = *scheme, .gravity = gravity, .threads = 1, .outcome = PCS_OUTCOME_CONVERGED};
    PCS_TRY(pcs_model_create(env, &w->model));
    PCS_TRY(pcs_model_set_gravity(w->model, (const double[3]){0, 0, -gravity}));
    return pcs_model_set_scheme(w->model, scheme);
}

void world_close(world *w)
{
    pcs_work_destroy(w->work);
    pcs_state_destroy(w->state);
    pcs_model_destroy(w->model);
    pcs_geometry_destroy(w->kept);
    free(w->body);
    free(w->mark);
}

// ---- contents ----------------------------------------------------------------------------------

pcs_status world_material(world *w, double mu, double e)
{
    const pcs_material_def def = {.e = e, .mu = mu};
    return pcs_model_add_material(w->model, &def, &w->material);
}

static pcs_status add_shape(world *w, const world_body *body)
{
    if (w->n == w->room) {
        const int room = 2 * w->room + 16;
        world_body *more = realloc(w->body, (size_t)room * sizeof *more);
        if (!more) return PCS_ERR_MEMORY;
        w->body = more;
        w->room = room;
    }
    PCS_TRY(pcs_model_add_shape(w->model, body->system, &body->shape, w->material));
    w->body[w->n++] = *body;
    return PCS_OK;
}

pcs_status world_plane(world *w, const double n[3], double d)
{
    const world_body body = {.shape = pcs_shape_half_space(n, d)};
    return add_shape(w, &body);
}

pcs_status world_floor(world *w)
{
    return world_plane(w, (const double[3]){0, 0, 1}, 0);
}

pcs_status world_solid(world *w, const pcs_body_def *def, const pcs_shape *shape, pcs_system *out)
{
    world_body body = {.shape = *shape, .mass = def->mass};
    PCS_TRY(pcs_model_add_body(w->model, def, &body.system));
    if (out) *out = body.system;
    return add_shape(w, &body);
}

static pcs_body_def at_rest(double mass, const double x[3], const double Q[4])
{
    pcs_body_def def = pcs_body_def_default();
    def.mass = mass;
    memcpy(def.position, x, sizeof def.position);
    if (Q) memcpy(def.orientation, Q, sizeof def.orientation);
    return def;
}

pcs_status world_box(world *w, double mass, const double size[3], const double x[3],
                     const double Q[4], pcs_system *out)
{
    pcs_body_def def = at_rest(mass, x, Q);
    pcs_inertia_box(mass, size[0], size[1], size[2], def.inertia);
    const pcs_shape shape = pcs_shape_box(size[0], size[1], size[2]);
    return world_solid(w, &def, &shape, out);
}

pcs_status world_sphere(world *w, double mass, double radius, const double x[3], pcs_system *out)
{
    pcs_body_def def = at_rest(mass, x, NULL);
    pcs_inertia_sphere(mass, radius, def.inertia);
    const pcs_shape shape = pcs_shape_sphere(radius);
    return world_solid(w, &def, &shape, out);
}

void world_keep(world *w, pcs_geometry *geometry)
{
    w->kept = geometry;
}

// ---- the run ------------------------------------------------------------------------------------

pcs_status world_energy(world *w)
{
    double kinetic, potential;
    PCS_TRY(pcs_state_kinetic_energy(w->model, w->state, &kinetic));
    PCS_TRY(pcs_state_potential_energy(w->model, w->state, &potential));
    w->energy = kinetic + potential;
    return PCS_OK;
}

pcs_status world_start(world *w)
{
    PCS_TRY(pcs_state_create(w->model, &w->state));
    PCS_TRY(pcs_work_create(w->model, &w->work));
    PCS_TRY(pcs_work_set_threads(w->work, w->threads));
    PCS_TRY(world_energy(w));
    return world_mark(w);
}

bool world_goes_on(const world *w, double h, double t_end)
{
    return !w->stuck && (double)(w->steps + 1) * h < t_end + 0.5 * h;
}

pcs_status world_step(world *w, double h)
{
    const pcs_step_report *report = &w->report;
    PCS_TRY(pcs_step(w->model, w->state, w->work, h, &w->report));
    w->outcome = report->outcome;
    w->stuck = !report->committed;
    if (w->stuck) return PCS_OK;
    w->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    w->residual = fmax(w->residual, report->solve.measure.residual);
    w->steps += 1;
    w->state->t = (double)w->steps * h; // times are counted, not summed
    w->iters = report->solve.iters;
    w->active = report->active;
    w->iterations += w->iters;
    w->contacts += w->active;

    const pcs_energy *e = &report->energy;
    w->energy = e->kinetic_after + e->potential_after;
    // the projection lifts the bodies that it separates, and records the energy
    const double lifted = fmax(0, e->projection);
    w->rise = fmax(w->rise, w->energy - e->kinetic_before - e->potential_before - lifted);
    w->closure = fmax(w->closure, fabs(e->closure));
    w->overlap = fmax(w->overlap, report->penetration);
    return PCS_OK;
}

// ---- observation -------------------------------------------------------------------------------

double *world_q(const world *w, int body)
{
    return pcs_state_q(w->model, w->state, w->body[body].system);
}

double *world_v(const world *w, int body)
{
    return pcs_state_v(w->model, w->state, w->body[body].system);
}

pcs_status world_mark(world *w)
{
    const size_t n = (size_t)pcs_model_nq(w->model) * sizeof *w->mark;
    if (!w->mark) w->mark = malloc(n > 0 ? n : 1);
    if (!w->mark) return PCS_ERR_MEMORY;
    memcpy(w->mark, w->state->q, n);
    return PCS_OK;
}

double world_moved(const world *w)
{
    double farthest = 0;
    for (int b = 0; b < w->n; ++b) {
        const double *q = world_q(w, b);
        if (!q) continue;
        const double *then = w->mark + (q - w->state->q);
        farthest = fmax(farthest, hypot(hypot(q[0] - then[0], q[1] - then[1]), q[2] - then[2]));
    }
    return farthest;
}

double world_weight(const world *w)
{
    double mass = 0;
    for (int b = 0; b < w->n; ++b) {
        mass += w->body[b].mass;
    }
    return mass * w->gravity;
}

pcs_status world_support(const world *w, double h, double F[3])
{
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(w->work, &n, &c));
    F[0] = F[1] = F[2] = 0;
    for (int k = 0; k < n; ++k) {
        if (!c[k].active || c[k].system2.id != 0) continue;
        for (int i = 0; i < 3; ++i) {
            F[i] +=
                (c[k].F[i] * c[k].r[0] + c[k].F[3 + i] * c[k].r[1] + c[k].F[6 + i] * c[k].r[2]) / h;
        }
    }
    return PCS_OK;
}

// radius of a ball about the origin of the shape that holds all of it
static double reach(const pcs_shape *s)
{
    if (s->kind == PCS_SHAPE_SPHERE) return s->radius;
    if (s->kind == PCS_SHAPE_BOX) return hypot(hypot(s->half[0], s->half[1]), s->half[2]);
    if (s->kind == PCS_SHAPE_CAPSULE) return s->half[2] + s->radius;
    if (s->kind == PCS_SHAPE_CYLINDER) return hypot(s->half[2], s->radius);
    return INFINITY;
}

static double overlap_of(const world *w, int a, int b)
{
    const double *qa = world_q(w, a), *qb = world_q(w, b);
    const pcs_shape *sa = &w->body[a].shape, *sb = &w->body[b].shape;
    if (!qa && !qb) return 0;
    if (qa && qb) {
        const double apart = hypot(hypot(qa[0] - qb[0], qa[1] - qb[1]), qa[2] - qb[2]);
        if (apart > reach(sa) + reach(sb)) return 0;
    }
    pcs_feature f[PCS_FEATURES_MAX];
    double deepest = 0;
    const int n = pcs_collide(sa, qa, sb, qb, 0, PCS_FEATURES_MAX, f);
    for (int i = 0; i < n && i < PCS_FEATURES_MAX; ++i) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], qa, qb, &gap);
        deepest = fmax(deepest, -gap.g);
    }
    return deepest;
}

double world_overlap(const world *w)
{
    double deepest = 0;
    for (int a = 0; a < w->n; ++a) {
        for (int b = a + 1; b < w->n; ++b) {
            deepest = fmax(deepest, overlap_of(w, a, b));
        }
    }
    return deepest;
}
