// An island as a problem of its own: its blocks, systems and vectors in their own numbers.
#include <string.h>

#include "bodies/task.h"

// True when the island has all blocks and systems. Systems without blocks are left out: they would
// change the means of the mass matrix, and their factors may not be known
static bool is_whole(const island_task *t)
{
    return t->all->n == 1 && t->of.ns == t->of.b->A->nb;
}

pcs_status part_open(const island_task *t, pcs_arena *arena, part *p)
{
    *p = (part){.b = *t->of.b};
    if (!is_whole(t)) PCS_TRY(islands_extract(t->of.b, t->all, t->number, arena, &p->b));
    p->b.far = t->of.far;
    const int *start = p->b.A->start;
    p->v = PCS_TAKE(arena, (size_t)start[p->b.A->nb], double);
    p->r = PCS_TAKE(arena, (size_t)p->b.n, double);
    p->u = PCS_TAKE(arena, (size_t)p->b.n, double);
    if (!p->v || !p->r || !p->u) return pcs_fail_memory("contacts");
    if (is_whole(t)) {
        memcpy(p->v, t->v_free, (size_t)start[p->b.A->nb] * sizeof *p->v);
        memcpy(p->r, t->r, (size_t)p->b.n * sizeof *p->r);
        return PCS_OK;
    }
    for (int k = 0; k < p->b.A->nb; ++k) {
        memcpy(p->v + start[k], t->v_free + t->of.b->A->start[t->of.sys[k]],
               (size_t)(start[k + 1] - start[k]) * sizeof *p->v);
    }
    for (int k = 0; k < p->b.nb; ++k) {
        memcpy(p->r + p->b.block[k].row, t->r + t->of.b->block[t->of.block[k]].row,
               (size_t)p->b.block[k].dim * sizeof *p->r);
    }
    return PCS_OK;
}

void part_close(const island_task *t, const part *p)
{
    const int *start = p->b.A->start;
    if (is_whole(t)) {
        memcpy(t->v, p->v, (size_t)start[p->b.A->nb] * sizeof *p->v);
        memcpy(t->r, p->r, (size_t)p->b.n * sizeof *p->r);
        memcpy(t->u, p->u, (size_t)p->b.n * sizeof *p->u);
        return;
    }
    for (int k = 0; k < p->b.A->nb; ++k) {
        memcpy(t->v + t->of.b->A->start[t->of.sys[k]], p->v + start[k],
               (size_t)(start[k + 1] - start[k]) * sizeof *p->v);
    }
    for (int k = 0; k < p->b.nb; ++k) {
        const size_t bytes = (size_t)p->b.block[k].dim * sizeof *p->r;
        const int row = t->of.b->block[t->of.block[k]].row;
        memcpy(t->r + row, p->r + p->b.block[k].row, bytes);
        memcpy(t->u + row, p->u + p->b.block[k].row, bytes);
    }
}
