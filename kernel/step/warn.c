// What a step says in words: why it was not committed, and why its numbers may not be worth much.
#include "step/step.h"

#include <stdio.h>
#include <string.h>

#include "collide/collide.h"
#include "linalg/m3.h"

void step_keep_cause(pcs_work *wk)
{
    snprintf(wk->cause, sizeof wk->cause, "%s", pcs_error_text());
}

void step_why(const pcs_work *wk, const pcs_step_report *r, char text[STEP_WHY])
{
    const pcs_scheme *s = &wk->owner->scheme;
    char what[STEP_WHY - 40];
    if (r->outcome == PCS_OUTCOME_DIVERGED && wk->cause[0] != '\0') {
        snprintf(what, sizeof what, "%.*s", (int)sizeof what - 1, wk->cause);
    } else if (r->solve.outcome != PCS_OUTCOME_CONVERGED && r->active > 0) {
        snprintf(what, sizeof what, "velocity problem %s at residual %.2g, tolerance %.2g",
                 pcs_outcome_text(r->solve.outcome), r->solve.measure.residual, s->solver.tol);
    } else if (!(r->newton_residual <= s->newton_tol)) {
        snprintf(what, sizeof what, "Newton's loop at residual %.2g after %d iterations",
                 r->newton_residual, r->newton_iters);
    } else {
        char who[60];
        snprintf(who, sizeof who, r->violation_one < 0 ? "interaction %d" : "shapes %d and %d",
                 r->violation_one < 0 ? r->violation_two : r->violation_one, r->violation_two);
        snprintf(what, sizeof what,
                 "projection %s: %.2g m are left of %.2g m, most of it of %s, which other joints or"
                 " contacts, or where they start, may make impossible",
                 pcs_outcome_text(r->projection_outcome), r->violation_after, r->violation_before,
                 who);
    }
    snprintf(text, STEP_WHY, "not committed: %s (%s)", pcs_outcome_text(r->outcome), what);
}

// ---- doubts ------------------------------------------------------------------------------------

// of the thinner of two shapes
#define DEEP 0.1
// of the smaller of two bodies
#define OFF 0.01
// more than this part of the energies is a gain, less is rounding
#define GAIN 1e-9
// or this many tolerances of the velocities
#define GAIN_TOL 10
// what single joints do where all together do nothing is of this order
#define GAIN_JOINT 1e-3

static bool is_worse(const pcs_doubt *d, double value, double limit)
{
    return d->count == 0 || value * d->limit > d->value * limit;
}

void doubt_add(pcs_doubt *d, double value, double limit, int one, int two)
{
    if (is_worse(d, value, limit)) {
        d->value = value;
        d->limit = limit;
        d->one = one;
        d->two = two;
    }
    d->count += 1;
}

void doubt_join(const pcs_doubt *more, pcs_doubt *d)
{
    const long count = d->count + more->count;
    if (more->count > 0 && is_worse(d, more->value, more->limit)) *d = *more;
    d->count = count;
}

// what the forces at the start would give to what is at rest in the step, and what they do when a
// body goes as far as it is large (m g L), J
static double energy_of_forces(const trial *t)
{
    double sum = 0;
    for (int b = 0; b < t->m->n_blocks; ++b) {
        const model_system *s = &t->m->system[t->m->block_system[b]];
        if (s->disabled) continue;
        const double *M = s->varies ? t->M + t->m->block_off[b] : s->M; // null: an ordinary body
        const double size = s->kind == SYSTEM_BODY ? system_size(s) : 0;
        for (int i = 0; i < s->nv; ++i) {
            const int k = s->v_at + i;
            const double p = t->h * (t->Fk.conservative[k] + t->Fk.other[k] + t->Fk.gyroscopic[k]);
            const double body = i < 3 ? s->mass : s->J[4 * (i % 3)];
            sum += 0.5 * p * p / (M ? M[(size_t)i * ((size_t)s->nv + 1)] : body);
            if (i < 3) sum += fabs(p) / t->h * size;
        }
    }
    return sum;
}

// a joint that adds energy; contacts are judged together (step_gains)
static void doubt_joint_gain(const candidate *c, double energy, pcs_doubt *d)
{
    double work = 0;
    if (!c->active || c->law.kind != PCS_LAW_EQUALITY) return;
    if (c->turning) return; // joints at the middle do no work, but not each by itself
    for (int j = 0; j < c->dim; ++j) {
        work += 0.5 * (c->u_k[j] + c->u[j]) * c->r[j];
    }
    if (work > GAIN_JOINT * energy) doubt_add(d, work, energy, -1, c->interaction + 1);
}

// a joint that is off at the start, held against the smaller of its bodies
static void doubt_joint(const trial *t, const candidate *c, pcs_doubt *d)
{
    double off = 0, size = INFINITY;
    if (c->law.kind != PCS_LAW_EQUALITY) return;
    for (int j = 0; j < candidate_gaps(c); ++j) {
        off = hypot(off, c->g[j]);
    }
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (system < 0 || t->m->system[system].kind != SYSTEM_BODY) continue;
        size = fmin(size, system_size(&t->m->system[system]));
    }
    if (off > OFF * size) doubt_add(d, off, size, -1, c->interaction + 1);
}

// The way of a body that may touch something, held against its thickness; under a rule that does
// not follow paths against half of both shapes, which takes the middle of one past that of the
// other. `seen` has a mark per system.
static void doubt_way(const trial *t, const candidate *c, int system, bool *seen, pcs_doubt *d)
{
    if (!system_moves(t->m, system) || seen[system]) return;
    const model_system *s = &t->m->system[system];
    const bool follows = pcs_scheme_activation(&t->m->scheme) == PCS_ACTIVATION_SPECULATIVE;
    const double way = t->h * fmax(v3_norm(t->v + s->v_at), v3_norm(t->st->v + s->v_at));
    const double both = shape_thickness(&t->m->shape[c->key.shape1].shape) +
                        shape_thickness(&t->m->shape[c->key.shape2].shape);
    const double most = follows ? s->thickness : fmin(s->thickness, 0.5 * both);
    const bool far = s->thickness > 0 && way > most;
    seen[system] = follows || far;
    if (far) doubt_add(d, way, most, system + 1, 0);
}

static void doubt_overlap(const trial *t, const candidate *c, pcs_doubt *d)
{
    const double thin = fmin(shape_thickness(&t->m->shape[c->key.shape1].shape),
                             shape_thickness(&t->m->shape[c->key.shape2].shape));
    if (-c->g[0] > DEEP * thin) doubt_add(d, -c->g[0], thin, c->key.shape1, c->key.shape2);
}

pcs_status step_doubts(const trial *t, pcs_arena mem, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    pcs_doubt *d = out->doubt;
    bool *seen = PCS_TAKE(&mem, (size_t)m->n_systems, bool);
    if (!seen) return pcs_fail_memory("step: the doubts");
    memset(seen, 0, (size_t)m->n_systems * sizeof *seen);
    const double part = fmax(GAIN, GAIN_TOL * m->scheme.solver.tol);
    const double energy =
        out->energy.kinetic_before + out->energy.kinetic_after + energy_of_forces(t);
    PCS_TRY(step_gains(t, mem, energy, part, &d[PCS_DOUBT_GAIN]));
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (c->interaction >= 0) {
            doubt_joint_gain(c, energy, &d[PCS_DOUBT_GAIN]);
            doubt_joint(t, c, &d[PCS_DOUBT_JOINT]);
            continue;
        }
        doubt_way(t, c, c->sys1, seen, &d[PCS_DOUBT_TRAVEL]);
        doubt_way(t, c, c->sys2, seen, &d[PCS_DOUBT_TRAVEL]);
        doubt_overlap(t, c, &d[PCS_DOUBT_OVERLAP]);
    }
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        d[k].t = t->st->t;
    }
    return PCS_OK;
}

// what of a step was not solved: `one` of the doubt
enum { VELOCITIES, PROJECTION, NEWTON };

void step_doubt_unsolved(const trial *t, pcs_step_report *out)
{
    const pcs_scheme *s = &t->m->scheme;
    if (!out->committed || out->outcome == PCS_OUTCOME_CONVERGED) return;
    pcs_doubt *d = &out->doubt[PCS_DOUBT_UNSOLVED];
    if (out->projection_outcome != PCS_OUTCOME_CONVERGED) {
        doubt_add(d, out->violation_after, t->proj_tol, PROJECTION, 0);
    } else if (out->newton_residual > s->newton_tol) {
        doubt_add(d, out->newton_residual, s->newton_tol, NEWTON, 0);
    } else {
        doubt_add(d, out->solve.measure.residual, s->solver.tol, VELOCITIES, 0);
    }
}

// ---- words -------------------------------------------------------------------------------------

void pcs_doubt_text(pcs_doubt_kind kind, const pcs_doubt *d, char text[PCS_DOUBT_TEXT_SIZE])
{
    static const char *const unsolved[] = {"the velocities have the residual",
                                           "the projection leaves (m)",
                                           "Newton's loop has the residual"};
    const size_t room = PCS_DOUBT_TEXT_SIZE;
    text[0] = '\0';
    if (!d || d->count == 0) return;
    if (kind == PCS_DOUBT_OVERLAP) {
        snprintf(
            text, room,
            "shapes %d and %d overlap by %.3g m at t = %g s, where the thinner is %.3g m thick:"
            " how they come apart is a guess",
            d->one, d->two, d->value, d->t, d->limit);
    } else if (kind == PCS_DOUBT_TRAVEL) {
        snprintf(
            text, room,
            "body %d goes %.3g m in the step from t = %g s, and %.3g m is the most for its size"
            " and what it may touch: take steps %.0f times smaller",
            d->one, d->value, d->t, d->limit, ceil(d->value / d->limit));
    } else if (kind == PCS_DOUBT_UNSOLVED) {
        snprintf(text, room,
                 "the step from t = %g s was taken unsolved: %s %.2g, the tolerance is %.2g", d->t,
                 unsolved[d->one], d->value, d->limit);
    } else if (kind == PCS_DOUBT_JOINT) {
        snprintf(
            text, room,
            "the joint of interaction %d is %.3g m off at t = %g s, of a body of %.3g m: how it"
            " comes together is no motion",
            d->two, d->value, d->t, d->limit);
    } else if (kind == PCS_DOUBT_PROJECTION) {
        snprintf(text, room,
                 "the projection of positions adds %.3g J from t = %g s on, where %.3g J are at"
                 " work: take smaller steps",
                 d->value, d->t, d->limit);
    } else if (d->one < 0) {
        snprintf(text, room, "interaction %d adds %.3g J in the step from t = %g s, to %.3g J",
                 d->two, d->value, d->t, d->limit);
    } else {
        snprintf(text, room,
                 "contacts about shapes %d and %d add %.3g J in the step from t = %g s, to %.3g J",
                 d->one, d->two, d->value, d->t, d->limit);
    }
}

// whether this has not been said yet; what finds no place any more counts as said
static bool is_news(pcs_work *wk, int kind, const pcs_doubt *d)
{
    const bool each = kind == PCS_DOUBT_GAIN; // each contact counts; of the others one is enough
    const step_said now = {kind, each ? d->one : 0, each ? d->two : 0};
    for (int i = 0; i < wk->n_said; ++i) {
        const step_said *s = &wk->said[i];
        if (s->kind == now.kind && s->one == now.one && s->two == now.two) return false;
    }
    if (wk->n_said == STEP_SAID) return false;
    wk->said[wk->n_said++] = now;
    return true;
}

void step_warn(const pcs_model *m, pcs_work *wk, double t0, const pcs_step_report *out)
{
    if (!m->env.log) return;
    if (!out->committed) {
        char why[STEP_WHY];
        step_why(wk, out, why);
        pcs_env_log(&m->env, PCS_LOG_WARNING, "step from t = %g s: %s", t0, why);
        return;
    }
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        const pcs_doubt *d = &out->doubt[k];
        if (d->count == 0 || !is_news(wk, k, d)) continue;
        char text[PCS_DOUBT_TEXT_SIZE];
        pcs_doubt_text((pcs_doubt_kind)k, d, text);
        const bool full = wk->n_said == STEP_SAID;
        pcs_env_log(&m->env, PCS_LOG_WARNING, "%s%s", text,
                    full ? "; further ones are only counted, in the report" : "");
    }
}

// ---- bodies that are unlikely ------------------------------------------------------------------

// Radius of gyration over the radius that holds the shapes, squared: tr J / (2 m R^2) is 3/5 of a
// ball, 1/3 of a rod, at most 1 where no mass is outside of the shapes.
#define LEAST_GYRATION 1e-3
#define MOST_GYRATION  10
// the centre of its shapes, in radii of the body
#define OFF_CENTRE 1e-3

static void look_at_body(const pcs_model *m, int i)
{
    const model_system *s = &m->system[i];
    const double half_trace = 0.5 * (s->J[0] + s->J[4] + s->J[8]);
    if (s->filled && s->shapes.m == 0) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "body %d has neither inertia nor shapes: it is taken for a solid sphere of"
                    " radius 0.1 m and %g kg",
                    i + 1, s->mass);
    } else if (s->filled && v3_norm(s->shapes.G) > OFF_CENTRE * s->reach) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "body %d: the centre of its shapes is %g m from its position, which is taken"
                    " for its centre of mass; pcs_model_add_solid puts it there",
                    i + 1, v3_norm(s->shapes.G));
    }
    const double gyration = half_trace / (s->mass * s->reach * s->reach);
    if (s->reach > 0 && !s->added && !(gyration >= LEAST_GYRATION && gyration <= MOST_GYRATION)) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "body %d: %g kg with an inertia of trace %g kg m^2 would have their radius of"
                    " gyration at %.2g m, and its shapes reach %.2g m: do both belong to it?",
                    i + 1, s->mass, 2 * half_trace, sqrt(half_trace / s->mass), s->reach);
    }
}

void step_look_at_bodies(const pcs_model *m, pcs_work *wk)
{
    if (!m->env.log || wk->looked_at == m->n_shapes + m->n_systems) return;
    wk->looked_at = m->n_shapes + m->n_systems;
    for (int i = 0; i < m->n_systems; ++i) {
        if (m->system[i].kind == SYSTEM_BODY) look_at_body(m, i);
    }
}
