// The frames of a replay page, in blocks: poses as differences to the frame before, contacts as
// differences to the contact of the same two bodies in the frame before. Bodies at rest cost almost
// nothing after compression. doc/replay.md has the layout; io/view/web/data.js reads it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "view/book.h"
#include "view/packed.h"

// ---- contacts ----------------------------------------------------------------------------------

// square roots of the parts of the largest impulse: a resting contact stays visible beside an
// impact
#define IMPULSE_STEPS 1023

enum { FRESH = 65535 }; // replaces the number of skipped contacts of the frame before

typedef struct mark {
    uint32_t body[2];
    int order;
    uint16_t point[3];
    uint8_t status;
    double r[3]; // N s on the first body, inertial
} mark;

static int by_bodies(const void *left, const void *right)
{
    const mark *a = left, *b = right;
    for (int i = 0; i < 2; ++i) {
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i] ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static int compare_bodies(const mark *a, const mark *b)
{
    return by_bodies(&(mark){.body = {a->body[0], a->body[1]}},
                     &(mark){.body = {b->body[0], b->body[1]}});
}

// the contacts of a block, those of each frame ordered by their bodies
typedef struct marks {
    sink bytes;
    uint32_t end[BLOCK + 1]; // per frame; 0: none
    double largest;          // largest impulse, N s
} marks;

static void add_contacts(const book *b, const pcs_trajectory_frame *frame, int f, marks *m)
{
    const size_t before = m->bytes.size;
    for (int j = 0; b->def.contacts && j < frame->contact_count; ++j) {
        const pcs_contact *c = &frame->contact[j];
        if (!contact_is_shown(c)) continue;
        double x[3];
        mark one = {.body = {(uint32_t)c->system1.id, (uint32_t)c->system2.id},
                    .order = j,
                    .status = (uint8_t)c->status};
        contact_point(c, x);
        contact_impulse(c, one.r);
        for (int i = 0; i < 3; ++i) {
            one.point[i] = (uint16_t)range_steps(&b->contact, i, x[i]);
            m->largest = fmax(m->largest, fabs(one.r[i]));
        }
        sink_bytes(&m->bytes, (const char *)&one, sizeof one);
    }
    if (!m->bytes.failed && m->bytes.size > before) {
        qsort(m->bytes.bytes + before, (m->bytes.size - before) / sizeof(mark), sizeof(mark),
              by_bodies);
    }
    m->end[f + 1] = (uint32_t)(m->bytes.size / sizeof(mark));
}

static int impulse_steps(double r, double largest)
{
    // it may be NaN in a damaged file
    const double part = largest > 0 ? fmin(1, fmax(0, sqrt(fabs(r) / largest))) : 0;
    return (int)copysign(round(IMPULSE_STEPS * part), r);
}

// For each contact the number of contacts of the frame before that are skipped to reach the one of
// the same bodies, *before; if there is none, the bodies of the contact follow.
static void find_before(const marks *m, int count, uint16_t *skip, const mark **before, sink *fresh)
{
    const mark *all = (const mark *)m->bytes.bytes;
    for (int f = 0; f < count; ++f) {
        uint32_t next = f > 0 ? m->end[f - 1] : 0, passed = 0;
        for (uint32_t j = m->end[f]; j < m->end[f + 1]; ++j) {
            while (f > 0 && next < m->end[f] && compare_bodies(&all[next], &all[j]) < 0) {
                ++next;
                ++passed;
            }
            const bool same = f > 0 && next < m->end[f] && passed < FRESH &&
                              compare_bodies(&all[next], &all[j]) == 0;
            skip[j] = (uint16_t)(same ? passed : FRESH);
            before[j] = same ? &all[next++] : NULL;
            if (same) passed = 0;
            for (int i = 0; i < 2 && !same; ++i) {
                packed_32(fresh, all[j].body[i]);
            }
        }
    }
}

static pcs_status append_contacts(sink *to, const marks *m, int count)
{
    const size_t n = m->end[count];
    const mark *all = (const mark *)m->bytes.bytes;
    uint16_t *x = calloc(n + 1, sizeof *x);
    const mark **before = calloc(n + 1, sizeof *before);
    sink fresh = sink_begin(NULL);
    const bool room = x && before && !m->bytes.failed;
    for (int f = 0; f <= count; ++f) {
        packed_32(to, m->end[f]);
    }
    packed_float(to, m->largest / (IMPULSE_STEPS * IMPULSE_STEPS));
    if (room) {
        find_before(m, count, x, before, &fresh);
        packed_planes(to, n, x);
    }
    for (int i = 0; i < 3 && room; ++i) {
        for (size_t j = 0; j < n; ++j) {
            x[j] = (uint16_t)(all[j].point[i] - (before[j] ? before[j]->point[i] : 0));
        }
        packed_planes(to, n, x);
    }
    for (int i = 0; i < 3 && room; ++i) {
        for (size_t j = 0; j < n; ++j) {
            const int was = before[j] ? impulse_steps(before[j]->r[i], m->largest) : 0;
            x[j] = (uint16_t)(impulse_steps(all[j].r[i], m->largest) - was);
        }
        packed_planes(to, n, x);
    }
    for (size_t j = 0; j < n && room; ++j) {
        const char status = (char)all[j].status;
        sink_bytes(to, &status, 1);
    }
    packed_align(to);
    if (fresh.size > 0) sink_bytes(to, fresh.bytes, fresh.size);
    const bool good = room && !fresh.failed;
    sink_end(&fresh);
    free(before);
    free(x);
    return good ? PCS_OK : pcs_fail_memory("pcs_replay_write");
}

// ---- poses -------------------------------------------------------------------------------------

static void add_poses(const book *b, const pcs_trajectory_frame *frame, int f, uint16_t *pose)
{
    for (int body = 0; body < b->bodies; ++body) {
        if (b->row[body] < 0) continue;
        double q[CHANNELS];
        frame_pose(b->trajectory, frame, body, q);
        for (int c = 0; c < CHANNELS; ++c) {
            const unsigned x = c < 3 ? range_steps(&b->place[body], c, q[c])
                                     : (unsigned)(lround(32767 * fmin(1, fmax(-1, q[c]))) + 32768);
            pose[((ptrdiff_t)c * BLOCK + f) * b->rows + b->row[body]] = (uint16_t)x;
        }
    }
}

static void append_poses(sink *to, int count, int rows, uint16_t *pose)
{
    for (int c = 0; c < CHANNELS; ++c) {
        uint16_t *channel = pose + (ptrdiff_t)c * BLOCK * rows;
        for (ptrdiff_t i = (ptrdiff_t)count * rows - 1; i >= rows; --i) {
            channel[i] = (uint16_t)(channel[i] - channel[i - rows]);
        }
        packed_planes(to, (size_t)count * (size_t)rows, channel);
    }
}

// ---- blocks ------------------------------------------------------------------------------------

static pcs_status write_block(const book *b, long first, int count, uint16_t *pose, FILE *page)
{
    marks m = {.bytes = sink_begin(NULL)};
    sink s = sink_begin(NULL);
    pcs_status status = PCS_OK;
    for (int f = 0; f < count && status == PCS_OK; ++f) {
        pcs_trajectory_frame frame;
        status = pcs_trajectory_read_frame(b->trajectory, book_frame(b, first + f), &frame);
        if (status != PCS_OK) break;
        add_poses(b, &frame, f, pose);
        add_contacts(b, &frame, f, &m);
    }
    packed_32(&s, (uint32_t)first);
    packed_32(&s, (uint32_t)count);
    if (status == PCS_OK) {
        append_poses(&s, count, b->rows, pose);
        status = append_contacts(&s, &m, count);
    }
    if (status == PCS_OK) status = packed_write(&s, "percuss-frames", page);
    sink_end(&m.bytes);
    sink_end(&s);
    return status;
}

pcs_status book_write_frames(const book *b, FILE *page)
{
    uint16_t *pose = calloc((size_t)(b->rows + 1) * BLOCK * CHANNELS, sizeof *pose);
    pcs_status status = pose ? PCS_OK : pcs_fail_memory("pcs_replay_write");
    for (long first = 0; first < b->frames && status == PCS_OK; first += BLOCK) {
        const long rest = b->frames - first;
        status = write_block(b, first, (int)(rest < BLOCK ? rest : BLOCK), pose, page);
    }
    free(pose);
    return status;
}
