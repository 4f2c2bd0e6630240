// Groups the contacts of a cluster into packs and orders its blocks.
//
// A pack takes as long as its slowest lane: a sliding contact of rigid bodies costs several times
// as much as a sticking one, an open contact almost nothing. A contact usually does what it did
// before. Therefore contacts that are open, sticking or sliding at the start are packed with their
// like; the remaining contacts of all three kinds fill the last packs. Round contacts slide without
// an iteration; their packs take them as they come.
#include "bodies/arrange.h"

#include <string.h>

#include "bodies/colours.h"
#include "cone/cone.h"

// largest number of packs in a cluster
enum { MOST_PACKS = 64 };
// a contact counts as sliding when its start has more than this part of mu r_N as tangential
// impulse
#define SLIDES 0.999

// state of a rigid contact at the start, or a round one; as the class of a pack, NONE stands for
// rigid contacts in any state
enum { OPEN, STICKS, SLIDES_ON, CLASSES, ROUND = CLASSES, NONE };

// the packs of a cluster; pack[k]: number of the pack of block k, or -1
typedef struct packing {
    int begin, end;
    int pack[CLUSTER], class[CLUSTER];
    int count[MOST_PACKS];
    uint64_t room[NONE + 1]; // packs of each class with a free lane
    uint64_t round;          // packs of round contacts
    uint64_t fresh;          // empty packs
    uint64_t *taken;         // for each system one bit per pack that contains it
} packing;

static int class_of(const bodies_block *block, const double *r)
{
    const double *x = r + block->row, most = SLIDES * block->mu * x[0];
    if (!(x[0] > 0)) return OPEN;
    return x[1] * x[1] + x[2] * x[2] > most * most ? SLIDES_ON : STICKS;
}

static int lowest(uint64_t bits)
{
    int i = 0;
    while (!(bits >> i & 1)) {
        ++i;
    }
    return i;
}

// Puts each contact into the first pack of its class that has a free lane and contains neither of
// its bodies, or into an empty pack
static void choose_pack(const prepared *p, packing *x, int k, int class)
{
    const bodies_block *block = block_at(p, x->begin + k);
    uint64_t may = UINT64_MAX;
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, block, e);
        if (s >= 0) may &= ~x->taken[s];
    }
    if ((may & x->room[class]) == 0) {
        if (x->fresh == 0) return;
        x->room[class] |= x->fresh & -x->fresh;
        x->fresh &= x->fresh - 1;
    }
    if ((may & x->room[class]) == 0) return;
    const int i = lowest(may & x->room[class]);
    const uint64_t bit = (uint64_t)1 << i;
    x->pack[k] = i;
    if (class == ROUND) x->round |= bit;
    x->count[i] += 1;
    if (x->count[i] == LANES) x->room[class] &= ~bit;
    for (int e = 0; e < 2; ++e) {
        const int s = place_of(p, block, e);
        if (s >= 0) x->taken[s] |= bit;
    }
}

// empties the packs that are not full
static void dissolve(const prepared *p, packing *x)
{
    uint64_t left = 0;
    for (int c = 0; c < CLASSES; ++c) {
        left |= x->room[c];
        x->room[c] = 0;
    }
    for (int k = 0; k < x->end - x->begin; ++k) {
        const int i = x->pack[k];
        if (i < 0 || !(left >> i & 1)) continue;
        x->pack[k] = -1;
        x->count[i] = 0;
        for (int e = 0; e < 2; ++e) {
            const int s = place_of(p, block_at(p, x->begin + k), e);
            if (s >= 0) x->taken[s] &= ~((uint64_t)1 << i);
        }
    }
    x->fresh |= left;
}

static void forget(const prepared *p, const packing *x)
{
    for (int k = x->begin; k < x->end; ++k) {
        for (int e = 0; e < 2; ++e) {
            const int s = place_of(p, block_at(p, k), e);
            if (s >= 0) x->taken[s] = 0;
        }
    }
}

static void choose_packs(const prepared *p, const double *r, packing *x)
{
    const int n = x->end - x->begin;
    for (int k = 0; k < n; ++k) {
        const bodies_block *block = block_at(p, x->begin + k);
        const int kind = p->unit[x->begin + k].kind;
        x->pack[k] = -1;
        x->class[k] = NONE;
        // packs do not measure steep cones
        if (!(block->mu <= CONE_STEEP)) continue;
        if (kind == VISIT_ROUND) x->class[k] = ROUND;
        if (kind == VISIT_RIGID && block->mu > 0) x->class[k] = class_of(block, r);
        if (VECTORS && x->class[k] != NONE) choose_pack(p, x, k, x->class[k]);
    }
    dissolve(p, x);
    for (int class = CLASSES - 1; class >= 0; --class) {
        for (int k = 0; VECTORS && k < n; ++k) {
            if (x->class[k] == class && x->pack[k] < 0) choose_pack(p, x, k, NONE);
        }
    }
    forget(p, x);
}

static int pack_kind(const packing *x, int pack)
{
    return x->round >> pack & 1 ? VISIT_ROUND_PACK : VISIT_PACK;
}

// the packs in the order of the visits, for i from 0 to 2 MOST_PACKS - 1; -1: no pack
static int pack_at(const packing *x, int i)
{
    const int pack = i % MOST_PACKS, kind = i < MOST_PACKS ? VISIT_PACK : VISIT_ROUND_PACK;
    return x->count[pack] > 1 && pack_kind(x, pack) == kind ? pack : -1;
}

// puts the packs first, those of rigid contacts before those of round ones; then the blocks without
// a pack, or alone in theirs
static void lay_out_cluster(const prepared *p, const packing *x)
{
    int number[CLUSTER], at[MOST_PACKS], next = x->begin;
    visit unit[CLUSTER];
    const int n = x->end - x->begin;
    memcpy(number, p->number + x->begin, (size_t)n * sizeof *number);
    memcpy(unit, p->unit + x->begin, (size_t)n * sizeof *unit);
    for (int i = 0; i < 2 * MOST_PACKS; ++i) {
        const int j = pack_at(x, i);
        if (j < 0) continue;
        at[j] = next;
        next += x->count[j];
    }
    for (int k = 0; k < n; ++k) {
        const bool packed = x->pack[k] >= 0 && x->count[x->pack[k]] > 1;
        const int to = packed ? at[x->pack[k]]++ : next++;
        p->number[to] = number[k];
        p->unit[to] = unit[k];
        if (packed) p->unit[to].kind = pack_kind(x, x->pack[k]);
    }
}

// numbers the blocks k .. end - 1 within their kinds, and counts their rows
static void number_from(const prepared *p, int k, int end, piece *here)
{
    for (; k < end; ++k) {
        p->unit[k].index = here->first[p->unit[k].kind]++;
        here->row += block_at(p, k)->dim;
    }
}

// numbers the blocks of a cluster within their kinds and counts their rows, packs first. taken is
// all zero before and after
static void arrange_cluster(const prepared *p, int c, const double *r, uint64_t *taken, piece *here)
{
    packing x = {
        .begin = p->cluster[c], .end = p->cluster[c + 1], .fresh = UINT64_MAX, .taken = taken};
    *here = (piece){.first = {0}};
    choose_packs(p, r, &x);
    lay_out_cluster(p, &x);
    int k = x.begin;
    for (int i = 0; i < 2 * MOST_PACKS; ++i) {
        const int j = pack_at(&x, i);
        if (j < 0) continue;
        int *first = &here->first[pack_kind(&x, j)];
        for (int l = 0; l < x.count[j]; ++l) {
            p->unit[k++].index = *first + l;
        }
        *first += LANES;
        here->row += 3 * LANES;
    }
    number_from(p, k, x.end, here);
}

// converts numbers within clusters into numbers within the island
static void add_up(prepared *p, piece *pieces)
{
    memset(p->kinds, 0, sizeof p->kinds);
    for (int i = 0; i < p->clusters; ++i) {
        const int rows = pieces[i].row;
        pieces[i].row = p->n;
        p->n += rows;
        for (int kind = 0; kind < VISIT_KINDS; ++kind) {
            const int more = pieces[i].first[kind];
            pieces[i].first[kind] = p->kinds[kind];
            p->kinds[kind] += more;
        }
    }
}

pcs_status arrange(prepared *p, const double *r, piece *pieces, pcs_arena scratch)
{
    // blocks keep their order and get no packs
    if (!p->slot) {
        PCS_ASSERT(p->clusters == 1);
        pieces[0] = (piece){.first = {0}};
        number_from(p, 0, p->of.nb, &pieces[0]);
        add_up(p, pieces);
        return PCS_OK;
    }
    uint64_t *taken = PCS_TAKE(&scratch, (size_t)p->of.ns, uint64_t);
    if (!taken) return pcs_fail_memory("sweeps");
    memset(taken, 0, (size_t)p->of.ns * sizeof *taken);
    for (int c = 0; c < p->clusters; ++c) {
        arrange_cluster(p, c, r, taken, &pieces[c]);
    }
    add_up(p, pieces);
    return PCS_OK;
}
