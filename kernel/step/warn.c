// The sentences of a step: why it was not committed, its doubts, and unlikely bodies.
#include "step/step.h"

#include <math.h>
#include <stdio.h>

#include "linalg/m3.h"

void step_keep_cause(pcs_work *wk)
{
    snprintf(wk->cause, sizeof wk->cause, "%s", pcs_error_text());
}

// the two shapes of a contact, a force element, or an interaction (one < 0)
static void pair_words(const pcs_model *m, int one, int two, char words[2 * PART_WORDS + 16])
{
    char a[PART_WORDS], b[PART_WORDS];
    if (one == PCS_DOUBT_FORCE) {
        part_words(m, PART_FORCE, "force element ", two, words);
        return;
    }
    if (one < 0) {
        part_words(m, PART_INTERACTION, "interaction ", two, words);
        return;
    }
    snprintf(words, 2 * PART_WORDS + 16, "shapes %s and %s", part_words(m, PART_SHAPE, "", one, a),
             part_words(m, PART_SHAPE, "", two, b));
}

// the limit that ended the step, if one did
static void limit_words(const pcs_work *wk, pcs_outcome outcome, char words[STEP_LIMIT])
{
    words[0] = '\0';
    if (outcome == PCS_OUTCOME_TIME_LIMIT) {
        snprintf(words, STEP_LIMIT, "; all %.3g s of max_seconds are spent",
                 wk->owner->scheme.max_seconds);
    } else if (outcome == PCS_OUTCOME_MAX_ITERS && step_sweeps(wk) <= 0) {
        snprintf(words, STEP_LIMIT, "; all %d sweeps of max_sweeps are made",
                 wk->owner->scheme.max_sweeps);
    } else if (outcome == PCS_OUTCOME_MAX_ITERS && wk->budget.spent >= wk->budget.most) {
        snprintf(words, STEP_LIMIT, "; all %.3g units of the budget are spent", wk->budget.most);
    }
}

// the contacts and joints that prove that the velocity problem last solved has no solution
static void contradiction_words(const pcs_work *wk, const pcs_step_report *r, size_t room,
                                char *words)
{
    char all[STEP_CONFLICT];
    conflict_text(wk->owner, r, all, sizeof all);
    snprintf(words, room,
             "no impulses solve the velocity problem: %s contradict each other by %.3g m/s in the"
             " mean of their rows",
             all[0] ? all : "its contacts and joints", wk->closing);
}

void step_why(const pcs_work *wk, const pcs_step_report *r, char text[STEP_WHY])
{
    const pcs_scheme *s = &wk->owner->scheme;
    char what[STEP_WHY - STEP_LIMIT - STEP_CONFLICT - 120], limit[STEP_LIMIT],
        conflict[STEP_CONFLICT + 40] = "";
    const bool proved = wk->closing > 0;
    if (r->outcome == PCS_OUTCOME_DIVERGED && wk->cause[0] != '\0') {
        snprintf(what, sizeof what, "%.*s", (int)sizeof what - 1, wk->cause);
    } else if (proved) {
        contradiction_words(wk, r, sizeof what, what);
    } else if (r->solve.outcome == PCS_OUTCOME_INFEASIBLE && r->conflicts == 0) {
        snprintf(what, sizeof what,
                 "no impulses solve the velocity problem: friction holds what must move or rebound;"
                 " the best residual is %.3g",
                 r->solve.measure.residual);
    } else if (r->friction_residual > s->solver.tol &&
               r->friction_residual > r->solve.measure.residual) {
        snprintf(what, sizeof what, "joint friction at residual %.3g, tolerance %.3g",
                 r->friction_residual, s->solver.tol);
    } else if (r->solve.outcome != PCS_OUTCOME_CONVERGED && r->active > 0) {
        snprintf(what, sizeof what, "velocity problem %s at residual %.3g, tolerance %.3g",
                 pcs_outcome_text(r->solve.outcome), r->solve.measure.residual, s->solver.tol);
    } else if (!(r->newton_residual <= s->newton_tol)) {
        snprintf(what, sizeof what, "Newton's loop at residual %.2g after %d iterations",
                 r->newton_residual, r->newton_iters);
    } else {
        char who[2 * PART_WORDS + 16];
        pair_words(wk->owner, r->violation_one, r->violation_two, who);
        snprintf(
            what, sizeof what,
            "projection %s: the largest violation is %.2g m before and %.2g m after it, of %s%s",
            pcs_outcome_text(r->projection_outcome), r->violation_before, r->violation_after, who,
            r->conflicts > 0 ? ""
                             : "; other joints or contacts may contradict it, or it starts too"
                               " far away");
    }
    if (r->conflicts > 0 && !proved) {
        char all[STEP_CONFLICT];
        conflict_text(wk->owner, r, all, sizeof all);
        snprintf(conflict, sizeof conflict, "; %s contradict each other", all);
    }
    limit_words(wk, r->outcome, limit);
    snprintf(text, STEP_WHY, "not committed: %s (%s%s%s)", pcs_outcome_text(r->outcome), what,
             conflict, limit);
}

// ---- words -------------------------------------------------------------------------------------

void pcs_doubt_text(pcs_doubt_kind kind, const pcs_doubt *d, char text[PCS_DOUBT_TEXT_SIZE])
{
    if (text) doubt_text(NULL, kind, d, text);
}

void doubt_text(const pcs_model *m, pcs_doubt_kind kind, const pcs_doubt *d,
                char text[PCS_DOUBT_TEXT_SIZE])
{
    static const char *const unsolved[] = {
        "the residual of the velocities is", "the error in m that the projection leaves is",
        "the residual of Newton's loop is", "the residual of joint friction is"};
    const size_t room = PCS_DOUBT_TEXT_SIZE;
    text[0] = '\0';
    if (!d || d->count == 0) return;
    char who[2 * PART_WORDS + 16];
    pair_words(m, d->one, d->two, who);
    if (kind == PCS_DOUBT_OVERLAP) {
        snprintf(text, room,
                 "%s overlap by %.3g m at t = %g s, and the thinner is %.3g m thick: the direction"
                 " in which they separate is a guess",
                 who, d->value, d->t, d->limit);
    } else if (kind == PCS_DOUBT_TRAVEL) {
        char body[PART_WORDS], past[PART_WORDS];
        part_words(m, PART_SYSTEM, "body ", d->one, body);
        part_words(m, PART_SHAPE, "shape ", d->two, past);
        snprintf(
            text, room,
            "%s moves %.3g m relative to %s in the step from t = %g s, more than the %.3g m that"
            " their sizes allow: it may pass through it; take steps %.0f times smaller",
            body, d->value, past, d->t, d->limit, ceil(d->value / d->limit));
    } else if (kind == PCS_DOUBT_UNSOLVED) {
        snprintf(text, room,
                 "the step from t = %g s is committed but not solved: %s %.2g, the tolerance is"
                 " %.2g",
                 d->t, unsolved[d->one], d->value, d->limit);
    } else if (kind == PCS_DOUBT_JOINT) {
        const bool closes = !m || m->scheme.projection != PCS_PROJECTION_NONE;
        snprintf(text, room,
                 "%s is violated by %.3g m at t = %g s, and the smaller of its bodies has"
                 " a size of %.3g m: %s",
                 who, d->value, d->t, d->limit,
                 closes ? "a projection closes it, by a jump"
                        : "smaller steps, or a projection, keep it closed");
    } else if (kind == PCS_DOUBT_PROJECTION) {
        snprintf(text, room,
                 "the projection of positions adds %.3g J from t = %g s on, where %.3g J are at"
                 " work: take smaller steps",
                 d->value, d->t, d->limit);
    } else if (kind == PCS_DOUBT_LOSS) {
        snprintf(text, room,
                 "joints take %.3g J from t = %g s on, where %.3g J are at work: their bodies meet"
                 " with different speeds, or smaller steps are needed",
                 d->value, d->t, d->limit);
    } else {
        const bool alone = d->one < 0; // an interaction, a joint or a force element
        snprintf(text, room, "%s%s %s %.3g J in the step from t = %g s, where %.3g J are at work%s",
                 alone ? "" : "the contacts near ", who, alone ? "adds" : "add", d->value, d->t,
                 d->limit, d->one == PCS_DOUBT_FORCE ? ": its angle jumps, or is lost" : "");
    }
}

// true when the log does not have this doubt yet; doubts beyond the memory for them count as logged
static bool is_news(pcs_work *wk, int kind, const pcs_doubt *d)
{
    const bool each = kind == PCS_DOUBT_GAIN; // once per contact; other kinds once per run
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
    if (out->breaks > 0) {
        char who[PART_WORDS], more[40] = "";
        if (out->breaks > 1) snprintf(more, sizeof more, "; %d others, too", out->breaks - 1);
        part_words(m, PART_INTERACTION, "interaction ", out->break_one, who);
        pcs_env_log(&m->env, PCS_LOG_INFO,
                    "%s breaks in the step from t = %g s: it bears %.4g times its strength%s", who,
                    t0, out->break_load, more);
    }
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        const pcs_doubt *d = &out->doubt[k];
        if (d->count == 0 || !is_news(wk, k, d)) continue;
        char text[PCS_DOUBT_TEXT_SIZE];
        doubt_text(m, (pcs_doubt_kind)k, d, text);
        const bool full = wk->n_said == STEP_SAID;
        pcs_env_log(&m->env, PCS_LOG_WARNING, "%s%s", text,
                    full ? "; further ones are only counted, in the report" : "");
    }
}

// ---- bodies that are unlikely ------------------------------------------------------------------

// Squared ratio of the radius of gyration and the radius around the shapes: tr J / (2 m R^2) is 3/5
// for a ball, 1/3 for a rod, and at most 1 if no mass is outside of the shapes.
#define LEAST_GYRATION 1e-3
#define MOST_GYRATION  10
// distance of the centre of its shapes from G, in radii of the body
#define OFF_CENTRE 1e-3

static void check_body(const pcs_model *m, int i)
{
    const model_system *s = &m->system[i];
    char who[PART_WORDS];
    part_words(m, PART_SYSTEM, "body ", i + 1, who);
    const double half_trace = 0.5 * (s->J[0] + s->J[4] + s->J[8]);
    if (s->filled && s->shapes.m == 0) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "%s has neither inertia nor shapes: it is taken for a solid sphere of"
                    " radius 0.1 m and %g kg",
                    who, s->mass);
    } else if (s->filled && v3_norm(s->shapes.G) > OFF_CENTRE * s->reach) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "%s: the centre of its shapes is %g m from its position, which is taken"
                    " for its centre of mass; pcs_model_add_solid puts it there",
                    who, v3_norm(s->shapes.G));
    }
    const double gyration = half_trace / (s->mass * s->reach * s->reach);
    if (s->reach > 0 && !s->added && !(gyration >= LEAST_GYRATION && gyration <= MOST_GYRATION)) {
        pcs_env_log(&m->env, PCS_LOG_WARNING,
                    "%s: %g kg with an inertia of trace %g kg m^2 would have their radius of"
                    " gyration at %.2g m, and its shapes reach %.2g m: do both belong to it?",
                    who, s->mass, 2 * half_trace, sqrt(half_trace / s->mass), s->reach);
    }
}

void step_check_bodies(const pcs_model *m, pcs_work *wk)
{
    if (!m->env.log || wk->looked_at == m->n_shapes + m->n_systems) return;
    wk->looked_at = m->n_shapes + m->n_systems;
    for (int i = 0; i < m->n_systems; ++i) {
        if (m->system[i].kind == SYSTEM_BODY) check_body(m, i);
    }
}
