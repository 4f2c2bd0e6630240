// The candidates that are active (theory 7.2, 8.5): those that a prediction from the start of the
// step closes, those that the solution closes, or those whose gaps at the end are closed. And those
// that rebound.
#include "step/step.h"

#include <string.h>

#include "linalg/m3.h"
#include "step/candidates.h"
#include "step/confirm.h"

// A contact that closes slower than this multiple of the speed that forces give in a step lands
// without rebound: the rebound would be shorter than a step.
#define BOUNCE 2

// part of the tolerance of the projection by which a body that slides may enter a surface
#define GRAZED 0.5

// ---- closed gaps ---------------------------------------------------------------

double step_gap_rounding(const trial *t, const candidate *c)
{
    const double one = c->pose1 < 0 ? 0 : t->rounding[c->pose1];
    const double two = c->pose2 < 0 ? 0 : t->rounding[c->pose2];
    return one > two ? one : two;
}

// m: gap that counts as closed, by the scheme, or by errors of the solver and rounding
static double touch_tolerance(const trial *t, double rounding)
{
    return fmax(step_closed_gap(&t->m->scheme), t->hold + rounding);
}

double step_tolerance(const trial *t)
{
    double rounding = 0;
    for (int i = 0; i < t->m->n_systems; ++i) {
        if (t->rounding[i] > rounding) rounding = t->rounding[i];
    }
    return touch_tolerance(t, rounding);
}

// Speed that halves a gap within the tolerance in the next step, no faster than errors can have
// opened it. For theta from 0 to 1 gaps and velocities of resting bodies then decay by a factor of
// at most sqrt(1/2) a step. Without this they would add up until the contact is lost.
static double pull(const trial *t, const candidate *c, double tol)
{
    if (t->h == 0 || !(c->g[0] > 0 && c->g[0] <= tol)) return 0;
    return fmin(0.5 * c->g[0], t->hold) / t->h;
}

// ---- contacts with restitution under the speculative rule -------------------------------------

// adds |J| |h M^-1 F| of the normal row of one side of an interaction
static pcs_status add_side_gain(const trial *t, const candidate *c, int side, pcs_arena mem,
                                double *gain)
{
    const int system = side == 0 ? c->sys1 : c->sys2;
    if (!system_moves(t->m, system)) return PCS_OK;

    const model_system *s = &t->m->system[system];
    const size_t n = (size_t)s->nv;
    double *dv = PCS_TAKE(&mem, n, double);
    if (!dv) return pcs_fail_memory("step: an interaction");
    for (size_t i = 0; i < n; ++i) {
        dv[i] = t->h * t->F_k[(size_t)s->v_at + i];
    }
    PCS_TRY(trial_accelerate(t, system, mem, dv));
    for (size_t i = 0; i < n; ++i) {
        *gain += fabs(c->J[side][(size_t)c->dim * i] * dv[i]);
    }
    return PCS_OK;
}

// Bound on the approach speed that the forces on both sides give within the step. Each side counts
// separately: of two bodies that fall together a third one may hold one.
static pcs_status speed_gain(const trial *t, const candidate *c, pcs_arena mem, double *gain)
{
    *gain = c->slack;
    if (c->interaction >= 0) {
        PCS_TRY(add_side_gain(t, c, 0, mem, gain));
        return add_side_gain(t, c, 1, mem, gain);
    }
    if (c->pose1 >= 0) *gain += t->gain[c->pose1];
    if (c->pose2 >= 0) *gain += t->gain[c->pose2];
    return PCS_OK;
}

// Only contacts that the motion without contact forces may close are active. A row for a contact
// that another impact closes within the step would act before the bodies touch.
static pcs_status activate_restoring(const trial *t, candidate *c, double tol, pcs_arena mem)
{
    double gain;
    PCS_TRY(speed_gain(t, c, mem, &gain));
    c->bounces = c->u_k[0] < -BOUNCE * gain;
    c->lands = !c->bounces;
    c->active = c->g[0] + t->h * (c->u_k[0] - gain) <= tol;
    return PCS_OK;
}

// ---- the start of a step ----------------------------------------------------------------------

// g + gamma h dg/dt at the start of the step, with the velocity at the end of a driven body that
// accelerates
static double predicted(const trial *t, const candidate *c)
{
    const double slack = c->touched ? c->slack : 0;
    return c->g[0] + t->m->scheme.gamma * t->h * (c->u_k[0] - slack);
}

// True when a gap is rounding, and what changes it in the step is: no gap at q' shows whether the
// contact closes
static pcs_status is_lost_in_rounding(const trial *t, const candidate *c, pcs_arena mem, bool *out)
{
    const double rounding = step_gap_rounding(t, c);
    double gain;
    *out = false;
    if (!law_is_unilateral(&c->law) || !(fabs(c->g[0]) <= rounding)) return PCS_OK;
    PCS_TRY(speed_gain(t, c, mem, &gain));
    *out = t->h * (fabs(c->u_k[0]) + gain) <= rounding;
    return PCS_OK;
}

static bool starts_active(const trial *t, const candidate *c, double tol)
{
    const pcs_scheme *s = &t->m->scheme;
    if (c->law.kind == PCS_LAW_LIMITED) return t->h > 0 || isinf(c->law.limit);
    if (c->law.kind == PCS_LAW_EQUALITY) return s->projection != PCS_PROJECTION_COMBINED_EQUALITY;
    if (s->projection == PCS_PROJECTION_DIRECT_HYSTERESIS) {
        if (predicted(t, c) <= tol) return true;
        return c->was_active && c->u_k[0] < 0;
    }

    // contacts of shapes are candidates only within reach; interactions have no reach
    if (t->rule == PCS_ACTIVATION_SPECULATIVE) {
        return c->interaction < 0 || c->g[0] + t->h * c->u_k[0] <= 0;
    }
    return predicted(t, c) <= tol;
}

// ---- contacts that a body meets while it slides on another one ----------------------------------
//
// A ball that slides over a valley between two faces meets the second one within a step. The row
// u' >= -g / h of this face would carry the whole weight of the ball along its normal while the
// ball still moves towards it, and take the energy p g / h: in sum the work of the weight over
// v h times the angle, however finely the ground is divided. So such a contact waits: it enters in
// this step only if the motion without it overlaps by more than the projection leaves anyway. In
// the next step it is closed, and takes what an impact takes.

// m: overlap that a contact which waits may reach
static double grazed(const trial *t)
{
    return t->m->scheme.projection == PCS_PROJECTION_OVERLAPS ? GRAZED * t->proj_tol : 0;
}

// the body that slides, if a contact is that of one which moves with one which does not; else -1
static int only_mover(const trial *t, const candidate *c)
{
    const bool one = system_moves(t->m, c->sys1), two = system_moves(t->m, c->sys2);
    if (c->interaction >= 0 || one == two) return -1;
    return one ? c->sys1 : c->sys2;
}

static bool was_loaded(const candidate *c)
{
    return c->was_active && c->r[0] > 0;
}

// true for a contact that the motion at q_k closes, by less than the overlap that is left
static bool may_graze(const trial *t, const candidate *c)
{
    const double end = c->g[0] + t->h * c->u_k[0];
    if (!(c->active && !c->bounces && c->g[0] > 0 && end < 0 && end >= -grazed(t))) return false;
    return c->g[0] > touch_tolerance(t, step_gap_rounding(t, c)) && only_mover(t, c) >= 0 &&
           !was_loaded(c) && !candidate_is_driven(t, c);
}

// the normal part of the velocity v at contact i, of which no body is driven
static double approach(const trial *t, const candidates *list, int i, const double *v)
{
    double u[3];
    bodies_block_velocity(&list->k[i], t->m->block_start, t->rotation_k, v, u);
    return u[0];
}

// True when sliding along contact `on` leads to contact i: v, the velocities without rotation,
// approach i, and less than half of this is an approach to `on`. A body that tilts about a contact
// does not slide.
static bool slides_to(const trial *t, const candidates *list, int i, int on, const double *v)
{
    const double *N = list->k[i].F, *N_on = list->k[on].F, u_k = list->c[i].u_k[0];
    const double side = list->c[i].sys1 == list->c[on].sys1 ? 1 : -1;
    const double along = approach(t, list, i, v), into = fmin(0, approach(t, list, on, v));
    return along <= 0.9 * u_k && along - side * v3_dot(N, N_on) * into <= 0.5 * u_k;
}

// lets contacts wait that bodies graze which others carry
static pcs_status let_grazed_wait(const trial *t, pcs_arena mem, candidates *list)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems, nv = (size_t)m->nv;
    int first = 0;
    while (first < list->n && !may_graze(t, &list->c[first])) {
        ++first;
    }
    if (first == list->n) return PCS_OK; // as in nearly all steps
    double *v = PCS_TAKE(&mem, nv, double);
    int *nearest = PCS_TAKE(&mem, ns, int);
    bool *carried = PCS_TAKE(&mem, ns, bool);
    if (!v || !nearest || !carried) return pcs_fail_memory("step: contacts");
    memcpy(v, t->st->v, nv * sizeof *v);
    for (int s = 0; s < m->n_systems; ++s) {
        const model_system *of = &m->system[s];
        nearest[s] = -1;
        carried[s] = false;
        if (of->kind != SYSTEM_BODY || of->nv != BODY_NV) continue;
        memset(v + of->v_at + 3, 0, 3 * sizeof *v);
    }
    for (int i = 0; i < list->n; ++i) {
        const candidate *c = &list->c[i];
        const int s = only_mover(t, c);
        if (s < 0 || !(c->g[0] <= contact_slop(t, c))) continue;
        carried[s] = carried[s] || was_loaded(c);
        if (nearest[s] < 0 || c->g[0] < list->c[nearest[s]].g[0]) nearest[s] = i;
    }
    for (int i = first; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (!may_graze(t, c)) continue;
        const int s = only_mover(t, c);
        if (!carried[s] || nearest[s] == i) continue;
        // what moves with a driven body does not slide
        if (candidate_is_driven(t, &list->c[nearest[s]])) continue;
        if (!slides_to(t, list, i, nearest[s], v)) continue;
        c->active = false;
        c->waits = true;
    }
    return PCS_OK;
}

// ---- the predictive rule with positions that are projected --------------------------------------

// true when flights shorter than a step would never end: each ends in an overlap, and the
// projection lifts the body for the next one
static bool keeps_contacts(const trial *t)
{
    return t->rule == PCS_ACTIVATION_PREDICTIVE && t->m->scheme.projection != PCS_PROJECTION_NONE;
}

// A contact of the last step stays active, without rebound, when its speed is at most the speed
// that forces give in a step, and they close it within this step. Its gap is halved.
static pcs_status keep_contact(const trial *t, candidate *c, double tol, pcs_arena mem)
{
    double gain;
    PCS_TRY(speed_gain(t, c, mem, &gain));
    if (!(fabs(c->u_k[0]) <= gain && c->g[0] + t->h * (c->u_k[0] - gain) <= tol)) return PCS_OK;
    c->active = c->lands = true;
    c->pull = c->g[0] > step_gap_rounding(t, c) ? 0.5 * c->g[0] / t->h : 0;
    return PCS_OK;
}

// ---- ridges --------------------------------------------------------------------------------------
//
// Two cards that lean on each other, edge on edge, may not enter a wedge. Rows of both of its faces
// hold them, but also a box that falls past the edge of a wall, flush with it: there one face is
// enough. So the second face takes part only where the first one pushes and the edge slides along
// it, into the wedge, and in steps after that as long as it had an impulse.

// part of the speed of the edge into the second face that the impulse of the first one changes
#define WEDGED 0.5

// part of its motion by which the edge must go beyond the second face: errors of a gap that closes
// are less
#define SLIDES 1e-3

// m/s: what the impulses of the other contacts of the pair of contact i change of its speed
static double pair_push(const trial *t, int i)
{
    const candidates *list = &t->list;
    const candidate *c = &list->c[i];
    const int sys[2] = {c->sys1, c->sys2};
    double inverse = 0, sum = 0;
    for (int side = 0; side < 2; ++side) {
        if (system_moves(t->m, sys[side])) inverse += 1 / t->m->system[sys[side]].mass;
    }
    for (int k = i;
         k >= 0 && list->c[k].interaction < 0 && contact_same_pair(&list->c[k].key, &c->key); --k) {
        const candidate *o = &list->c[k];
        if (o->active && o->at >= 0 && !o->other_face) sum += t->solution.r[o->at];
    }
    return sum * inverse;
}

// True when the solution slides along the first face of a ridge into the second one, of contact i.
// Edges that hit each other are no ridge: the first face turns them
static pcs_status is_wedged(const trial *t, candidate *c, int i, pcs_arena mem, bool *out)
{
    double gain;
    *out = false;
    if (c->refuted) return PCS_OK;
    candidate_velocity(t, i, t->end.v, c->drive, c->u);
    const double into = -c->u[0];
    if (!(c->g[0] < (1 - SLIDES) * t->h * into)) return PCS_OK;
    PCS_TRY(speed_gain(t, c, mem, &gain));
    *out = into > t->list.noise * gain && c->u_k[0] >= -BOUNCE * gain &&
           pair_push(t, i) > WEDGED * into;
    return PCS_OK;
}

pcs_status step_activate(const trial *t, pcs_arena *mem, candidates *list)
{
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        candidates_fetch(list, i);
        const double tol = touch_tolerance(t, step_gap_rounding(t, c));
        if (step_restores(t, &c->law)) {
            PCS_TRY(activate_restoring(t, c, tol, *mem));
        } else if (t->rule == PCS_ACTIVATION_END_OF_STEP && law_is_unilateral(&c->law)) {
            PCS_TRY(is_lost_in_rounding(t, c, *mem, &c->active));
        } else {
            c->active = starts_active(t, c, tol);
        }
        if (c->other_face) c->active = was_loaded(c);
        if (!law_is_unilateral(&c->law)) continue;
        c->pull = pull(t, c, tol);
        if (c->was_active && keeps_contacts(t)) PCS_TRY(keep_contact(t, c, tol, *mem));
    }
    if (t->rule == PCS_ACTIVATION_PREDICTIVE) return step_confirm_prediction(t, mem, list);
    if (t->rule != PCS_ACTIVATION_SPECULATIVE) return PCS_OK;
    PCS_TRY(let_grazed_wait(t, *mem, list));
    return step_confirm_held(t, *mem, list);
}

// ---- kinks of driven bodies ---------------------------------------------------------------------

// True where a kink turns a contact that is near, or one that rebounds, faster than one that lands
static pcs_status meets_kink(const trial *t, const candidate *c, pcs_arena mem, bool *out)
{
    const candidate_kink *kink = candidate_kink_of(c);
    double gain;
    *out = false;
    if (!kink || kink->jump == 0 || c->refuted) return PCS_OK;
    PCS_TRY(speed_gain(t, c, mem, &gain));
    const double least = BOUNCE * (gain - c->slack);
    const bool near = c->g[0] + t->h * (c->u_k[0] - gain) <= step_tolerance(t);
    *out = near && fabs(kink->jump) > least && (kink->jump < 0 || c->u_k[0] < -least);
    return PCS_OK;
}

pcs_status step_meets_kinks(const trial *t, pcs_arena mem, bool *hit, double *cut)
{
    *hit = false;
    *cut = 0;
    for (int i = 0; i < t->list.n && t->work->kinks.on && t->driven; ++i) {
        const candidate *c = &t->list.c[i];
        bool meets;
        PCS_TRY(meets_kink(t, c, mem, &meets));
        if (!meets) continue;
        const double at = candidate_kink_of(c)->cut;
        *hit = true;
        if (at > 0 && !(*cut > 0 && *cut <= at)) *cut = at;
    }
    return PCS_OK;
}

pcs_status step_take(const trial *t, candidate *c, pcs_arena mem)
{
    if (step_restores(t, &c->law)) PCS_TRY(activate_restoring(t, c, 0, mem));
    c->active = true;
    return PCS_OK;
}

// ---- between two passes -----------------------------------------------------------------------

void step_keep_impulses(const trial *t, candidates *list)
{
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        for (int j = 0; c->active && c->at >= 0 && j < c->dim && j < 3; ++j) {
            c->r[j] = t->solution.r[c->at + j];
        }
    }
}

pcs_status step_extend(const trial *t, bool features, bool refuted, pcs_arena *mem,
                       candidates *list, int *added)
{
    const pcs_activation rule = t->rule;
    const bool at_end = rule == PCS_ACTIVATION_END_OF_STEP;
    *added = 0;
    if (rule == PCS_ACTIVATION_PREDICTIVE) return PCS_OK;

    const int old = list->n;
    // the projection corrects smaller overlaps
    double deeper = 0;
    if (t->m->scheme.projection == PCS_PROJECTION_OVERLAPS) {
        deeper = features ? t->proj_tol : INFINITY;
    }
    step_keep_impulses(t, list);
    PCS_TRY(step_detect_end(t, deeper, refuted, mem, list));
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        candidates_fetch(list, i);
        // its path is followed in another pass, or it is a row at a meeting
        *added += i >= old && (c->refuted || c->active);
        if (c->other_face && !c->active && !c->held) {
            PCS_TRY(is_wedged(t, c, i, *mem, &c->active));
            *added += c->active;
            continue;
        }
        if (c->active || c->held || c->bounces || c->lands || c->refuted) continue;

        bool enters = !law_is_unilateral(&c->law) || i >= old || (c->closed && !c->waits);
        if (!enters && at_end) {
            PCS_TRY(candidate_gap(t->m, c, t->end.q, *mem, c->g_end));
            enters = c->g_end[0] <= 0 && (c->interaction >= 0 || c->overlaps);
        } else if (!enters) {
            candidate_velocity(t, i, t->end.v, c->drive, c->u);
            enters = c->g[0] + t->h * c->u[0] < (c->waits ? -grazed(t) : 0);
        }
        c->active = enters;
        *added += enters;
    }
    if (at_end && *added > 0) return step_confirm_closed(t, *mem, list);
    return PCS_OK;
}
