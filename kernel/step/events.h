// Events of contact: pairs of shapes that press before a step, in its parts and after it.
#ifndef STEP_EVENTS_H
#define STEP_EVENTS_H

#include "state/state.h"
#include <percuss/query.h>

struct candidates;

// the impulse of one contact in a part of the step; part 0: it pressed before
typedef struct event_record {
    contact_key key;
    int sys1, sys2; // indices of systems
    int part, order;
    double normal, impulse[3], moment[3]; // moment: normal times the point
} event_record;

typedef struct event_list {
    bool on, sorted;
    int part;                 // the last that was committed
    event_record *record;     // n of room for cap
    pcs_contact_event *event; // n_events, memory for cap; made on request
    int n, cap, n_events;
    int n_before; // number of records of part 0
} event_list;

// the pairs that pressed before the step; none when events are off
pcs_status events_begin(event_list *e, const pcs_model *m, const pcs_state *st);
// memory for n more contacts: after it events_add cannot fail
pcs_status events_reserve(event_list *e, const pcs_env *env, int n);
// adds the contacts of a part that is committed
void events_add(event_list *e, const struct candidates *list);
// removes the records of the parts
void events_restart(event_list *e);
// ends the step; its parts may have been removed
void events_end(event_list *e, bool committed);
// bytes it holds
static inline size_t events_held(const event_list *e)
{
    return (size_t)e->cap * (sizeof *e->record + sizeof *e->event);
}
void events_release(event_list *e, const pcs_env *env);

#endif
