// Events of contact. Each part of a step leaves a record of every contact that presses, and the
// state one of those that pressed before. pcs_work_events sorts the records by pair and adds them
// up. No stage of a step reads them.
#include "step/events.h"

#include <string.h>

#include "linalg/m3.h"
#include "step/step.h"

// ---- records -----------------------------------------------------------------------------------

pcs_status events_reserve(event_list *e, const pcs_env *env, int n)
{
    if (!e->on || n <= e->cap - e->n) return PCS_OK;
    const int wanted = e->n + n + (e->n + n) / 2 + 16;
    event_record *record = pcs_env_alloc(env, (size_t)wanted, sizeof *record);
    pcs_contact_event *event = pcs_env_alloc(env, (size_t)wanted, sizeof *event);
    if (!record || !event) {
        pcs_env_free(env, record);
        pcs_env_free(env, event);
        return pcs_fail_memory("step: the events");
    }
    if (e->n > 0) memcpy(record, e->record, (size_t)e->n * sizeof *record);
    events_release(e, env);
    e->record = record;
    e->event = event;
    e->cap = wanted;
    return PCS_OK;
}

void events_release(event_list *e, const pcs_env *env)
{
    pcs_env_free(env, e->record);
    pcs_env_free(env, e->event);
}

static bool any(const double r[3])
{
    return r[0] != 0 || r[1] != 0 || r[2] != 0;
}

pcs_status events_begin(event_list *e, const pcs_model *m, const pcs_state *st)
{
    e->n = e->n_before = e->n_events = e->part = 0;
    e->sorted = false;
    if (!e->on) return PCS_OK;
    const pcs_memory *mem = st->memory;
    PCS_TRY(events_reserve(e, &m->env, mem->n));
    for (int i = 0; i < mem->n; ++i) {
        const remembered *c = &mem->contact[i];
        // a state of another model may remember shapes that this model does not have
        const bool known = c->key.shape1 >= 0 && c->key.shape1 < m->n_shapes &&
                           c->key.shape2 >= 0 && c->key.shape2 < m->n_shapes;
        if (!known || !any(c->r)) continue;
        e->record[e->n] = (event_record){.key = c->key,
                                         .sys1 = m->shape[c->key.shape1].system,
                                         .sys2 = m->shape[c->key.shape2].system,
                                         .order = e->n};
        e->n += 1;
    }
    e->n_before = e->n;
    return PCS_OK;
}

void events_restart(event_list *e)
{
    e->n = e->n_before;
    e->part = 0;
}

void events_add(event_list *e, const candidates *list)
{
    for (int i = 0; i < list->n && e->on; ++i) {
        const candidate *c = &list->c[i];
        double r[3] = {0, 0, 0};
        if (!c->active || c->interaction >= 0) continue;
        memcpy(r, c->r, (size_t)c->dim * sizeof *r);
        if (!any(r)) continue;
        event_record *record = &e->record[e->n];
        *record = (event_record){.key = c->key,
                                 .sys1 = c->pose1,
                                 .sys2 = c->pose2,
                                 .part = e->part,
                                 .order = e->n,
                                 .normal = r[0]};
        m3_mul(candidate_first(list, i)->F, r, record->impulse);
        for (int k = 0; k < 3; ++k) {
            record->moment[k] = 0.5 * r[0] * (c->P1[k] + c->P2[k]);
        }
        e->n += 1;
    }
}

void events_end(event_list *e, bool committed)
{
    if (!committed) e->n = 0;
}

// ---- sorted by pair, and added up --------------------------------------------------------------

static int compare(const event_record *a, const event_record *b)
{
    const contact_key one = {a->key.shape1, a->key.shape2, 0};
    const contact_key two = {b->key.shape1, b->key.shape2, 0};
    const int pair = contact_key_compare(&one, &two);
    return pair != 0 ? pair : (a->order > b->order) - (a->order < b->order);
}

// moves the record at `root` down in the heap of n
static void sink(event_record *record, int root, int n)
{
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && compare(&record[child], &record[child + 1]) < 0) child += 1;
        if (compare(&record[root], &record[child]) >= 0) return;
        const event_record swap = record[root];
        record[root] = record[child];
        record[child] = swap;
    }
}

// heapsort: in place, without memory
static void sort(event_record *record, int n)
{
    for (int i = n / 2 - 1; i >= 0; --i) {
        sink(record, i, n);
    }
    for (int end = n - 1; end > 0; --end) {
        const event_record last = record[end];
        record[end] = record[0];
        record[0] = last;
        sink(record, 0, end);
    }
}

static void add_up(event_list *e)
{
    sort(e->record, e->n);
    e->sorted = true;
    e->n_events = 0;
    for (int i = 0; i < e->n; ++i) {
        const event_record *r = &e->record[i];
        pcs_contact_event *last = e->n_events > 0 ? &e->event[e->n_events - 1] : NULL;
        if (!last || last->shape1 != r->key.shape1 || last->shape2 != r->key.shape2) {
            last = &e->event[e->n_events++];
            *last = (pcs_contact_event){.system1 = {r->sys1 + 1},
                                        .system2 = {r->sys2 + 1},
                                        .shape1 = r->key.shape1,
                                        .shape2 = r->key.shape2,
                                        .begins = true,
                                        .ends = true};
        }
        if (r->part == 0) last->begins = false;
        if (r->part == e->part) last->ends = false;
        last->normal += r->normal;
        v3_along(last->impulse, 1, r->impulse, last->impulse);
        v3_along(last->point, 1, r->moment, last->point);
    }
    for (int i = 0; i < e->n_events; ++i) {
        pcs_contact_event *event = &e->event[i];
        if (event->normal > 0) v3_scale(1 / event->normal, event->point, event->point);
    }
}

// ---- the list ---------------------------------------------------------------------------------

pcs_status pcs_work_watch_events(pcs_work *wk, bool on)
{
    if (!wk) return pcs_fail(PCS_ERR_ARG, "pcs_work_watch_events: the work is null");
    if (wk->busy) {
        return pcs_fail(PCS_ERR_ARG, "pcs_work_watch_events: a step with this work is under way;"
                                     " turn events on and off between steps");
    }
    wk->events.on = on;
    wk->events.n = wk->events.n_events = 0;
    return PCS_OK;
}

pcs_status pcs_work_events(pcs_work *wk, int *count, const pcs_contact_event **out)
{
    if (!wk || !count) return pcs_fail(PCS_ERR_ARG, "pcs_work_events: work or count is null");
    *count = 0;
    if (out) *out = NULL;
    if (wk->busy || !wk->events.on) {
        return pcs_fail(PCS_ERR_ARG, "pcs_work_events: events are off, or a step is under way; turn"
                                     " them on before a step, with pcs_work_watch_events");
    }
    if (!wk->events.sorted) add_up(&wk->events);
    *count = wk->events.n_events;
    if (out) *out = wk->events.event;
    return PCS_OK;
}
