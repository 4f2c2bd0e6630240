// Finds the bodies of a trajectory that move, and their boxes (book.h).
#include <percuss/meshes.h>

#include "view/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

pcs_status book_open(book *b)
{
    const size_t n = (size_t)b->bodies, shapes = (size_t)pcs_model_shape_count(b->model) + 1;
    b->row = calloc(n, sizeof *b->row);
    b->place = calloc(n, sizeof *b->place);
    b->first = calloc(n, sizeof *b->first);
    b->geometry = calloc(shapes, sizeof *b->geometry);
    b->flat = calloc(shapes, sizeof *b->flat);
    b->flat_of = calloc(shapes, sizeof *b->flat_of);
    const int interactions = pcs_model_interaction_count(b->model);
    b->limits = calloc((size_t)interactions + 1, sizeof *b->limits);
    if (!b->row || !b->place || !b->first || !b->geometry || !b->flat || !b->flat_of ||
        !b->limits) {
        return pcs_fail_memory("pcs_replay_write");
    }
    for (int id = 1; id <= interactions; ++id) {
        pcs_interaction_def def;
        PCS_TRY(pcs_model_interaction(b->model, (pcs_interaction){id}, &def));
        if (pcs_relation_kind_of(&def.relation) != PCS_RELATION_LIMITS) continue;
        b->limits[b->n_limits++] = (pcs_interaction){id};
    }
    return PCS_OK;
}

void book_close(book *b)
{
    free(b->row);
    free(b->place);
    free(b->first);
    for (int i = 0; i < b->flats; ++i) {
        pcs_geometry_destroy(b->flat[i]);
    }
    free((void *)b->flat);
    free((void *)b->flat_of);
    free(b->geometry);
    free(b->limits);
}

long book_frame(const book *b, long k)
{
    return frame_chosen(&b->choice, k);
}

static void widen(range *r, const double x[3])
{
    for (int i = 0; i < 3; ++i) {
        r->lo[i] = fmin(r->lo[i], x[i]);
        r->hi[i] = fmax(r->hi[i], x[i]);
    }
}

bool contact_is_shown(const pcs_contact *c)
{
    return c->interaction == 0;
}

pcs_status book_survey(book *b)
{
    for (int i = 0; i < 3; ++i) {
        b->contact.lo[i] = INFINITY;
        b->contact.hi[i] = -INFINITY;
    }
    for (long k = 0; k < b->frames; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(pcs_trajectory_read_frame(b->trajectory, book_frame(b, k), &frame));
        for (int body = 0; body < b->bodies; ++body) {
            double q[CHANNELS];
            frame_pose(b->trajectory, &frame, body, q);
            if (k == 0) {
                memcpy(b->first[body], q, sizeof q);
                memcpy(b->place[body].lo, q, 3 * sizeof *q);
                memcpy(b->place[body].hi, q, 3 * sizeof *q);
                b->row[body] = -1;
            }
            widen(&b->place[body], q);
            if (memcmp(b->first[body], q, sizeof q) != 0) b->row[body] = 0;
        }
        for (int j = 0; b->def.contacts && j < frame.contact_count; ++j) {
            double x[3];
            contact_point(&frame.contact[j], x);
            if (contact_is_shown(&frame.contact[j])) widen(&b->contact, x);
        }
    }
    b->rows = 0;
    for (int body = 0; body < b->bodies; ++body) {
        if (b->row[body] == 0) b->row[body] = b->rows++;
    }
    if (b->contact.lo[0] > b->contact.hi[0]) b->contact = (range){{0}, {0}};
    return PCS_OK;
}

double range_step(const range *r, int i)
{
    return (r->hi[i] - r->lo[i]) / 65535;
}

unsigned range_steps(const range *r, int i, double x)
{
    const double step = range_step(r, i);
    return step > 0 ? (unsigned)lround(fmin(65535, fmax(0, (x - r->lo[i]) / step))) : 0;
}
