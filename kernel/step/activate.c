// Which candidates enter the velocity problem (theory 7.2, 8.5): by prediction from the start of
// the step, by what the solution closes, or by the gaps at its end.
#include "step/step.h"

pcs_activation step_rule(const pcs_scheme *s)
{
    switch (s->projection) {
    case PCS_PROJECT_COMBINED:
    case PCS_PROJECT_COMBINED_EQUALITY:
        return PCS_END_OF_STEP;
    case PCS_PROJECT_DIRECT_HYSTERESIS:
        return PCS_PREDICTIVE;
    default:
        return s->activation;
    }
}

double step_tolerance(const pcs_scheme *s)
{
    if (s->projection == PCS_PROJECT_DIRECT_HYSTERESIS) return s->hysteresis;
    return step_rule(s) == PCS_PREDICTIVE ? s->active_tol : 0;
}

bool step_adds_features(const pcs_scheme *s)
{
    return step_rule(s) == PCS_SPECULATIVE && s->projection == PCS_PROJECT_OVERLAPS;
}

// g + gamma h dg/dt at the start of the step
static double predicted(const trial *t, const candidate *c)
{
    return c->g[0] + t->m->scheme.gamma * t->h * (c->u_k[0] - c->slack);
}

static bool starts_active(const trial *t, const candidate *c)
{
    const pcs_scheme *s = &t->m->scheme;
    if (c->law.kind == PCS_LAW_EQUALITY) return s->projection != PCS_PROJECT_COMBINED_EQUALITY;
    const pcs_activation rule = step_rule(s);
    if (rule == PCS_END_OF_STEP) return false;
    if (s->projection == PCS_PROJECT_DIRECT_HYSTERESIS) {
        if (predicted(t, c) <= s->hysteresis) return true;
        return c->was_active && c->u_k[0] < 0;
    }

    // contacts of shapes are candidates because they are within reach; a relation knows no reach
    if (rule == PCS_SPECULATIVE) {
        return c->interaction < 0 || c->g[0] + t->h * c->u_k[0] <= 0;
    }
    return predicted(t, c) <= s->active_tol;
}

void step_activate(trial *t)
{
    for (int i = 0; i < t->list.n; ++i) {
        t->list.c[i].active = starts_active(t, &t->list.c[i]);
    }
}

// where the next pass starts
static void keep_impulses(trial *t)
{
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        for (int j = 0; c->active && j < c->dim && j < 3; ++j) {
            c->r[j] = t->r[c->at + j];
        }
    }
}

pcs_status step_extend(trial *t, bool features, pcs_arena *mem, int *added)
{
    const pcs_activation rule = step_rule(&t->m->scheme);
    const bool at_end = rule == PCS_END_OF_STEP;
    *added = 0;
    if (rule == PCS_PREDICTIVE) return PCS_OK;

    int found = 0;
    // what is left over there, the projection takes apart
    double deeper = 0;
    if (t->m->scheme.projection == PCS_PROJECT_OVERLAPS) {
        deeper = features ? t->m->scheme.proj_tol : INFINITY;
    }
    keep_impulses(t);
    PCS_TRY(step_detect_end(t, deeper, mem, &found));
    const int old = t->list.n - found;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        if (c->active) continue;

        bool enters = c->law.kind == PCS_LAW_EQUALITY || i >= old || c->closed;
        if (!enters && at_end) {
            PCS_TRY(candidate_gap(t->m, c, t->q, *mem, c->g_end));
            enters = c->g_end[0] <= 0;
        } else if (!enters) {
            candidate_velocity(t, i, t->v, c->drive, c->u);
            enters = c->g[0] + t->h * c->u[0] < 0;
        }
        c->active = enters;
        *added += enters;
    }
    return PCS_OK;
}
