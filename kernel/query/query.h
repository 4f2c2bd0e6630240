// Declarations shared by the queries.
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "model/model.h"
#include <percuss/query.h>

// checks that model and state belong together and coordinates are finite
pcs_status query_check(const char *who, const pcs_model *m, const pcs_state *st);

// the shapes that a query sees
static inline bool query_sees(const pcs_model *m, int shape, unsigned mask, pcs_system ignore)
{
    const model_shape *s = &m->shape[shape];
    if (s->disabled || !(s->group & mask) || s->system + 1 == ignore.id) return false;
    return s->system < 0 || !m->system[s->system].disabled;
}

// the pose of the system of a shape, null for the world
static inline const double *query_pose(const pcs_model *m, const pcs_state *st, int shape)
{
    const int system = m->shape[shape].system;
    return system < 0 ? NULL : st->q + m->system[system].q_at;
}

#endif
