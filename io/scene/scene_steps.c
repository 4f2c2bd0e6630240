// A run of a scene by its settings: pcs_run with an observer that knows the stop conditions.
#include <math.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "scene/scene_memory.h"

const char *pcs_scene_end_text(pcs_scene_end end)
{
    switch (end) {
    case PCS_SCENE_END_TIME:
        return "the end of the run";
    case PCS_SCENE_END_OBSERVER:
        return "stopped by its observer";
    case PCS_SCENE_END_REST:
        return "at rest";
    case PCS_SCENE_END_UNCONVERGED:
        return "a step did not converge";
    case PCS_SCENE_END_BOX:
        return "a body left the box";
    case PCS_SCENE_END_STEPS:
        return "the number of steps";
    }
    return "unknown end";
}

typedef struct watcher {
    const pcs_scene_settings *s;
    pcs_observer_fn observer;
    void *user;
    pcs_scene_end end;
    long steps;
    double moved; // s, last time at which something moved
} watcher;

// the square of the root mean square speed over the matter of a body: 2 T / m
static double speed2(const pcs_model *m, const pcs_state *state, pcs_system id)
{
    const double *v = pcs_state_read_v(m, state, id);
    pcs_inertia body;
    if (!v || !pcs_model_enabled(m, id)) return 0;
    if (pcs_model_is_lagrangian(m, id)) {
        pcs_lagrangian_def def;
        double most = 0;
        if (pcs_model_lagrangian(m, id, &def) != PCS_OK) return 0;
        for (int i = 0; i < def.n; ++i) {
            most = fmax(most, v[i] * v[i]);
        }
        return most;
    }
    if (pcs_model_inertia(m, id, &body) != PCS_OK) return 0;
    return 2 * pcs_body_energy(body.m, body.J, v) / body.m;
}

static bool rests(const pcs_model *m, const pcs_state *state, double speed)
{
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        if (!(speed2(m, state, (pcs_system){id}) <= speed * speed)) return false;
    }
    return true;
}

static bool outside(const pcs_scene_settings *s, const double x[3])
{
    for (int i = 0; i < 3; ++i) {
        if (!(x[i] >= s->box_low[i] && x[i] <= s->box_high[i])) return true;
    }
    return false;
}

static bool has_left(const pcs_model *m, const pcs_state *state, const pcs_scene_settings *s)
{
    const int one = s->box_body.id;
    for (int id = one > 0 ? one : 1; id <= (one > 0 ? one : pcs_model_system_count(m)); ++id) {
        const pcs_system body = {id};
        if (pcs_model_is_lagrangian(m, body) || !pcs_model_enabled(m, body)) continue;
        if (outside(s, pcs_state_read_q(m, state, body))) return true;
    }
    return false;
}

static int watch(void *user, const pcs_model *m, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    watcher *w = user;
    const pcs_scene_settings *s = w->s;
    const int answer = w->observer ? w->observer(w->user, m, state, work, report) : 0;
    if (answer != 0) {
        w->end = PCS_SCENE_END_OBSERVER;
        return answer;
    }
    if (s->rest_speed > 0 && !rests(m, state, s->rest_speed)) w->moved = state->t;
    if (!report) return 0;
    w->steps += 1;
    if (s->unconverged && report->outcome != PCS_OUTCOME_CONVERGED) {
        w->end = PCS_SCENE_END_UNCONVERGED;
    } else if (s->box && has_left(m, state, s)) {
        w->end = PCS_SCENE_END_BOX;
    } else if (s->rest_speed > 0 && state->t - w->moved > 0 &&
               state->t - w->moved >= s->rest_time) {
        w->end = PCS_SCENE_END_REST;
    } else if (s->max_steps > 0 && w->steps >= s->max_steps) {
        w->end = PCS_SCENE_END_STEPS;
    }
    return w->end != PCS_SCENE_END_TIME;
}

pcs_status pcs_scene_run(const pcs_scene *scene, pcs_state *state, pcs_work *work,
                         pcs_observer_fn observer, void *user, pcs_scene_end *end,
                         pcs_run_report *report)
{
    static const char who[] = "pcs_scene_run";
    if (end) *end = PCS_SCENE_END_TIME;
    if (!scene || !state || !work) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    const pcs_scene_settings *s = &scene->settings;
    if (!(s->h > 0) || !(s->t_end > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the step is %g s and the end of the run %g s; set h and t_end of the"
                        " settings above 0",
                        who, s->h, s->t_end);
    }
    watcher w = {.s = s, .observer = observer, .user = user, .moved = state->t};
    const pcs_status status = pcs_run(scene->model, state, work, s->h, s->t_end, watch, &w, report);
    if (end) *end = w.end;
    return status;
}
