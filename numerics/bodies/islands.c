// Finds islands by union-find: the root of a set is its system with the smallest number, so that
// the result does not depend on the order of the unions.
#include "bodies/islands.h"

#include <string.h>

#include "problem/measure.h"

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// all joined systems are of one island, because their factors are those of one matrix
static void unite_joined(const block_lu *A, int *parent)
{
    int root = -1;
    for (int i = 0; i < A->nb; ++i) {
        if (A->node[i] < 0) continue;
        const int x = root_of(parent, i), low = root < 0 || x < root ? x : root;
        if (root >= 0) parent[x > root ? x : root] = low;
        root = low;
    }
}

static void unite(const bodies_problem *b, int *parent)
{
    for (int i = 0; i < b->A->nb; ++i) {
        parent[i] = i;
    }
    for (int k = 0; k < b->nb; ++k) {
        const int *sys = b->block[k].sys;
        if (sys[0] < 0 || sys[1] < 0) continue;
        const int x = root_of(parent, sys[0]), y = root_of(parent, sys[1]);
        parent[x > y ? x : y] = x > y ? y : x;
    }
    if (b->A->joined) unite_joined(b->A, parent);
}

// the island of a root, a new one where it has none; a block without moving systems is an island of
// its own
static int island_of(int *label, int root, int *n)
{
    if (root < 0) return (*n)++;
    if (label[root] < 0) label[root] = (*n)++;
    return label[root];
}

// converts counts in start[1 ..] into places, and puts the items there
static void place_items(int n, int items, const int *of, int *start, int *out)
{
    for (int i = 0; i < n; ++i) {
        start[i + 1] += start[i];
    }
    for (int k = 0; k < items; ++k) {
        if (of[k] >= 0) out[start[of[k]]++] = k;
    }
    for (int i = n; i > 0; --i) {
        start[i] = start[i - 1];
    }
    start[0] = 0;
}

pcs_status islands_find(const bodies_problem *b, pcs_arena *arena, islands *out)
{
    const size_t nb = (size_t)b->nb, ns = (size_t)b->A->nb;
    *out = (islands){0};
    out->block_start = PCS_TAKE(arena, nb + 1, int);
    out->block = PCS_TAKE(arena, nb, int);
    out->sys_start = PCS_TAKE(arena, nb + 1, int);
    out->sys = PCS_TAKE(arena, ns, int);
    out->place = PCS_TAKE(arena, ns, int);
    pcs_arena scratch = *arena;
    int *parent = PCS_TAKE(&scratch, ns, int);
    int *label = PCS_TAKE(&scratch, ns, int);
    int *of = PCS_TAKE(&scratch, nb > ns ? nb : ns, int);
    if (!out->block_start || !out->block || !out->sys_start || !out->sys || !out->place ||
        !parent || !label || !of) {
        return pcs_fail_memory("islands");
    }

    unite(b, parent);
    for (size_t i = 0; i < ns; ++i) {
        label[i] = -1;
    }
    memset(out->block_start, 0, (nb + 1) * sizeof(int));
    memset(out->sys_start, 0, (nb + 1) * sizeof(int));
    for (int k = 0; k < b->nb; ++k) {
        const int *sys = b->block[k].sys, some = sys[0] >= 0 ? sys[0] : sys[1];
        of[k] = island_of(label, some < 0 ? -1 : root_of(parent, some), &out->n);
        out->block_start[of[k] + 1] += 1;
    }
    place_items(out->n, b->nb, of, out->block_start, out->block);

    for (int i = 0; i < b->A->nb; ++i) {
        of[i] = label[root_of(parent, i)];
        out->place[i] = -1;
        if (of[i] >= 0) out->place[i] = out->sys_start[of[i] + 1]++;
    }
    place_items(out->n, b->A->nb, of, out->sys_start, out->sys);
    return PCS_OK;
}

pcs_status islands_extract(const bodies_problem *b, const islands *s, int island, pcs_arena *arena,
                           bodies_problem *out)
{
    const int *blocks = s->block + s->block_start[island], *sys = s->sys + s->sys_start[island];
    const int nb = s->block_start[island + 1] - s->block_start[island];
    const int ns = s->sys_start[island + 1] - s->sys_start[island];
    const block_lu *A = b->A;
    int n = 0, nv = 0;
    for (int k = 0; k < nb; ++k) {
        n += b->block[blocks[k]].dim;
    }
    for (int i = 0; i < ns; ++i) {
        nv += A->start[sys[i] + 1] - A->start[sys[i]];
    }

    block_lu *F = PCS_TAKE(arena, 1, block_lu);
    bodies_block *block = PCS_TAKE(arena, (size_t)nb, bodies_block);
    double *shift = PCS_TAKE(arena, (size_t)n, double);
    double *R = PCS_TAKE(arena, 9 * (size_t)ns, double);
    int *start = PCS_TAKE(arena, (size_t)ns + 1, int);
    size_t *off = PCS_TAKE(arena, (size_t)ns, size_t);
    int *piv = PCS_TAKE(arena, (size_t)nv, int);
    unsigned char *kind = PCS_TAKE(arena, (size_t)ns, unsigned char);
    const envelope **of = PCS_TAKE(arena, (size_t)ns, const envelope *);
    const size_t joined = A->joined ? (size_t)ns : 0;
    int *node = PCS_TAKE(arena, joined, int), *of_node = PCS_TAKE(arena, joined, int);
    if (!F || !block || !shift || !R || !start || !off || !piv || !kind || !of || !node ||
        !of_node) {
        return pcs_fail_memory("islands");
    }

    start[0] = 0;
    for (int i = 0; i < ns; ++i) {
        const int from = A->start[sys[i]], width = A->start[sys[i] + 1] - from;
        start[i + 1] = start[i] + width;
        off[i] = A->off[sys[i]];
        kind[i] = A->kind ? A->kind[sys[i]] : BLOCK_DENSE;
        of[i] = A->of ? A->of[sys[i]] : NULL;
        memcpy(piv + start[i], A->piv + from, (size_t)width * sizeof *piv);
        memcpy(R + 9 * (size_t)i, b->R + 9 * (size_t)sys[i], 9 * sizeof *R);
    }
    bool any = false;
    for (int i = 0; A->joined && i < ns; ++i) {
        node[i] = A->node[sys[i]];
        if (node[i] >= 0) of_node[node[i]] = i;
        any = any || node[i] >= 0;
    }
    *F = *A;
    F->joined = any ? A->joined : NULL;
    F->node = node;
    F->of_node = of_node;
    F->nb = ns;
    F->start = start;
    F->off = off;
    F->piv = piv;
    F->kind = kind;
    F->of = of;

    for (int k = 0, row = 0; k < nb; ++k) {
        const bodies_block *from = &b->block[blocks[k]];
        block[k] = *from;
        block[k].row = row;
        for (int e = 0; e < 2; ++e) {
            if (from->sys[e] >= 0) block[k].sys[e] = s->place[from->sys[e]];
        }
        memcpy(shift + row, b->shift + from->row, (size_t)from->dim * sizeof *shift);
        row += from->dim;
    }
    *out = (bodies_problem){.n = n, .nb = nb, .block = block, .shift = shift, .A = F, .R = R};
    return PCS_OK;
}

pcs_status bodies_island_sums(const bodies_problem *b, const double *r, const double *u,
                              pcs_arena *mem, int **island, measure_sums **of)
{
    const size_t nb = (size_t)b->nb;
    *island = PCS_TAKE(mem, nb, int);
    *of = PCS_TAKE(mem, nb, measure_sums);
    pcs_arena scratch = *mem;
    double *scale = PCS_TAKE(&scratch, nb, double);
    if (!*island || !*of || !scale) return pcs_fail_memory("islands");
    islands s;
    PCS_TRY(islands_find(b, &scratch, &s));
    PCS_TRY(bodies_scales(b, scratch, scale));
    memset(*of, 0, nb * sizeof **of);
    for (int i = 0; i < s.n; ++i) {
        for (int e = s.block_start[i]; e < s.block_start[i + 1]; ++e) {
            const int k = s.block[e];
            const pcs_block cone = bodies_cone(&b->block[k]);
            (*island)[k] = i;
            measure_add_violation(&(*of)[i], &cone, scale[k], r + cone.row, u + cone.row);
            for (int j = cone.row; j < cone.row + cone.dim; ++j) {
                const double load = scale[k] * r[j];
                squares_add(&(*of)[i].load, 1, &load);
            }
        }
    }
    return PCS_OK;
}
