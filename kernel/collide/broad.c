// Finds the bounds that overlap: grids of columns, one per level of size, swept along x.
//
// Items belong to levels by the larger of their widths in y and z, an octave each. A level has a
// grid in y and z whose cells are as wide as its widest item, and an item stands in the column (the
// cell, all along x) of its lower corner. Items of one level can only overlap when their columns
// are neighbours; those of a coarser level stand in columns from one before the lower corner of the
// finer column to its upper corner. Two columns, each sorted by lower ends in x, are swept like the
// lists of a merge sort. Columns are kept sorted, never hashed: an empty one costs nothing, and a
// body at 1e30 is one more column at the border of the grid.
//
// Along x lists are sorted and swept by ends rounded to float, which keeps their order: an overlap
// stays an overlap; pairs found so are tested in double. The pairs are then sorted by counting, so
// that their order does not depend on the search: threads share the columns.
#include "collide/broad.h"

#include <float.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"

// cells are numbered within +-CELLS. So are all quotients low / width, and their rounding is below
// WIDER, by which a cell is wider than the widest item
#define CELLS (1 << 30)
#define WIDER 1e-6

// at most this many items are all tested against each other
#define FEW 24
// from this number on several threads are faster
#define MANY 512

// sizes are counted in bins, four to an octave; a level has the items of four of them
enum { OCTAVE = 4, BINS = OCTAVE * (DBL_MAX_EXP - DBL_MIN_EXP + 64) };

// an item in its column, all of it in one cache line
typedef struct entry {
    float first, last; // ends in x
    double low[3], high[3];
    int item;
    int body; // twice its number, and one if it can move
} entry;

typedef struct column {
    int y, z;
    int begin, end;         // its entries, by increasing first
    double low[2], high[2]; // bounds of its items in y and z
    double longest;         // longest entry, along x
} column;

typedef struct level {
    double width[2]; // widths of a cell in y and z
    int begin, end;  // its entries
    int first, last; // its columns
} level;

// the sort key: x, y, z as unsigned integers in the same order
typedef struct record {
    uint32_t key[3];
    int item;
} record;

// pairs as they are found, in any order
enum { CHUNK = 510 };
typedef struct chunk {
    struct chunk *next;
    size_t n;
    int pair[CHUNK][2];
} chunk;

typedef struct grid {
    const collide_item *items;
    threads *team;
    entry *entry;
    column *col;
    level *lev;
    int n_levels;

    // a thread takes the next chunk from the arena
    pcs_arena *mem;
    atomic_flag busy;
    chunk *found;
    size_t n;
    bool full;
} grid;

// one thread that looks for pairs
typedef struct finder {
    grid *g;
    chunk *chunk;
    size_t n, room; // number of pairs found, and of pairs that had memory
} finder;

// ---- pairs --------------------------------------------------------------------------------------

bool collide_nowhere(const collide_item *it)
{
    bool nan = false;
    for (int i = 0; i < 3; ++i) {
        nan |= isunordered(it->low[i], it->high[i]);
    }
    return nan && !it->unbounded;
}

bool collide_may_meet(const collide_item *a, const collide_item *b)
{
    if (a->body == b->body || !(a->movable || b->movable)) return false;
    if (a->unbounded || b->unbounded) {
        return a->unbounded != b->unbounded && !collide_nowhere(a->unbounded ? b : a);
    }
    for (int i = 0; i < 3; ++i) {
        if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return false;
    }
    return true;
}

static void lock(grid *g)
{
    while (atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) {
    }
}

static void unlock(grid *g)
{
    atomic_flag_clear_explicit(&g->busy, memory_order_release);
}

static void take_chunk(finder *f)
{
    grid *g = f->g;
    lock(g);
    f->chunk = PCS_TAKE(g->mem, 1, chunk);
    f->room += CHUNK;
    if (f->chunk) {
        f->chunk->next = g->found;
        f->chunk->n = 0;
        g->found = f->chunk;
    }
    g->full |= !f->chunk;
    unlock(g);
}

static void add_pair(finder *f, int i, int j)
{
    if (f->n == f->room) take_chunk(f);
    f->n += 1;
    chunk *c = f->chunk;
    if (!c) return; // a pair without memory is counted
    c->pair[c->n][0] = i < j ? i : j;
    c->pair[c->n][1] = i < j ? j : i;
    c->n += 1;
}

static void finish(const finder *f)
{
    lock(f->g);
    f->g->n += f->n;
    unlock(f->g);
}

static inline void test(finder *f, const entry *a, const entry *b)
{
    if (a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] &&
        b->low[2] <= a->high[2] && a->low[0] <= b->high[0] && b->low[0] <= a->high[0] &&
        a->body >> 1 != b->body >> 1 && ((a->body | b->body) & 1)) {
        add_pair(f, a->item, b->item);
    }
}

static void sweep_one(finder *f, const column *c)
{
    for (int i = c->begin; i < c->end; ++i) {
        const entry *a = &f->g->entry[i];
        for (int j = i + 1; j < c->end && f->g->entry[j].first <= a->last; ++j) {
            test(f, a, &f->g->entry[j]);
        }
    }
}

// the item that begins first meets those of the other column that begin before it ends
static void sweep_two(finder *f, int i, int i_end, int j, int j_end)
{
    const entry *e = f->g->entry;
    while (i < i_end && j < j_end) {
        if (e[i].first <= e[j].first) {
            for (int k = j; k < j_end && e[k].first <= e[i].last; ++k) {
                test(f, &e[i], &e[k]);
            }
            i += 1;
        } else {
            for (int k = i; k < i_end && e[k].first <= e[j].last; ++k) {
                test(f, &e[k], &e[j]);
            }
            j += 1;
        }
    }
}

// ---- columns ------------------------------------------------------------------------------------

// the number of a cell never decreases in x; x is finite and width positive
static int cell_of(double x, double width)
{
    const double c = floor(x / width);
    return c < -CELLS ? -CELLS : c > CELLS ? CELLS : (int)c;
}

static bool column_before(const column *c, int y, int z)
{
    return c->z < z || (c->z == z && c->y < y);
}

// the first column of a level that is not before (y, z)
static int find_column(const grid *g, const level *l, int y, int z)
{
    int low = l->first, high = l->last;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (column_before(&g->col[mid], y, z)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

// columns begin .. end - 1 of a level, each with itself, the next one in y, and the three next ones
// in z
static void sweep_level(finder *f, const level *l, int begin, int end)
{
    const column *col = f->g->col;
    if (begin >= end) return;
    int above = find_column(f->g, l, col[begin].y - 1, col[begin].z + 1);
    for (int k = begin; k < end; ++k) {
        const column *c = &col[k];
        sweep_one(f, c);
        if (k + 1 < l->last && col[k + 1].z == c->z && col[k + 1].y == c->y + 1) {
            sweep_two(f, c->begin, c->end, col[k + 1].begin, col[k + 1].end);
        }
        while (above < l->last && column_before(&col[above], c->y - 1, c->z + 1)) {
            above += 1;
        }
        for (int a = above; a < l->last && col[a].z == c->z + 1 && col[a].y <= c->y + 1; ++a) {
            sweep_two(f, c->begin, c->end, col[a].begin, col[a].end);
        }
    }
}

// the first entry of a column that may reach up to x
static int find_entry(const grid *g, const column *c, double x)
{
    const double from = x - c->longest - 1e-9 * (fabs(x) + c->longest);
    int low = c->begin, high = c->end;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (g->entry[mid].first < from) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

// a column against those of a coarser level
static void sweep_coarser(finder *f, const column *c, const level *l)
{
    const grid *g = f->g;
    int from[2], to[2];
    for (int i = 0; i < 2; ++i) {
        from[i] = cell_of(c->low[i], l->width[i]) - 1;
        to[i] = cell_of(c->high[i], l->width[i]);
    }
    // moves from each existing column to the next: the ranges of a column at the border are long
    int k = find_column(g, l, from[0], from[1]);
    while (k < l->last && g->col[k].z <= to[1]) {
        const column *d = &g->col[k];
        if (d->y < from[0]) {
            k = find_column(g, l, from[0], d->z);
        } else if (d->y > to[0]) {
            k = find_column(g, l, from[0], d->z + 1);
        } else {
            sweep_two(f, c->begin, c->end, find_entry(g, d, g->entry[c->begin].first), d->end);
            k += 1;
        }
    }
}

// columns begin .. end - 1 of all levels, with those of their own and of coarser levels
static void sweep_columns(void *arg, int begin, int end)
{
    grid *g = arg;
    finder f = {.g = g};
    for (int k = 0; k < g->n_levels; ++k) {
        const level *l = &g->lev[k];
        const int first = begin > l->first ? begin : l->first;
        const int last = end < l->last ? end : l->last;
        sweep_level(&f, l, first, last);
        for (int c = first; c < last; ++c) {
            for (int m = k + 1; m < g->n_levels; ++m) {
                sweep_coarser(&f, &g->col[c], &g->lev[m]);
            }
        }
    }
    finish(&f);
}

// ---- sorting ------------------------------------------------------------------------------------

static float to_float(double x)
{
    return x < -FLT_MAX ? -FLT_MAX : x > FLT_MAX ? FLT_MAX : (float)x;
}

// the order of floats in unsigned integers; -0 and 0 are one number
static uint32_t float_key(float x)
{
    uint32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// one stable pass over 11 bits of a key
static void radix_pass(const record *from, record *to, int n, int k, uint32_t least, int shift)
{
    enum { DIGITS = 1 << 11 };
    int start[DIGITS + 1] = {0};
    for (int i = 0; i < n; ++i) {
        start[1 + (((from[i].key[k] - least) >> shift) & (DIGITS - 1))] += 1;
    }
    for (int d = 0; d < DIGITS; ++d) {
        start[d + 1] += start[d];
    }
    for (int i = 0; i < n; ++i) {
        to[start[((from[i].key[k] - least) >> shift) & (DIGITS - 1)]++] = from[i];
    }
}

static bool record_after(const record *a, const record *b)
{
    for (int k = 2; k > 0; --k) {
        if (a->key[k] != b->key[k]) return a->key[k] > b->key[k];
    }
    return a->key[0] > b->key[0];
}

static void insertion_sort(record *r, int n)
{
    for (int i = 1; i < n; ++i) {
        const record one = r[i];
        int j = i;
        for (; j > 0 && record_after(&r[j - 1], &one); --j) {
            r[j] = r[j - 1];
        }
        r[j] = one;
    }
}

// sorts by z, then y, then x; returns the sorted records, `r` or `room`
static record *sort_records(record *r, record *room, int n)
{
    if (n <= 64) {
        insertion_sort(r, n);
        return r;
    }
    for (int k = 0; k < 3; ++k) {
        uint32_t least = UINT32_MAX, most = 0;
        for (int i = 0; i < n; ++i) {
            if (r[i].key[k] < least) least = r[i].key[k];
            if (r[i].key[k] > most) most = r[i].key[k];
        }
        for (int shift = 0; shift < 32 && (most - least) >> shift > 0; shift += 11) {
            radix_pass(r, room, n, k, least, shift);
            record *other = r;
            r = room;
            room = other;
        }
    }
    return r;
}

// ---- building -----------------------------------------------------------------------------------

// bounds that no grid can hold: infinite, or too long for finite sums
static bool boundless(const collide_item *it)
{
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        size += fabs(it->high[i]) + fabs(it->low[i]);
    }
    return it->unbounded || !isfinite(size);
}

static int bin_of(const collide_item *it)
{
    const double width = fmax(it->high[1] - it->low[1], it->high[2] - it->low[2]);
    if (!(width > 0)) return 0;
    int exponent;
    const double m = frexp(width, &exponent); // in [1/2, 1)
    return OCTAVE * (exponent - DBL_MIN_EXP + 60) + (int)((m - 0.5) * 2 * OCTAVE);
}

static void fill_entry(const collide_item *it, int item, entry *e)
{
    *e = (entry){.first = to_float(it->low[0]),
                 .last = to_float(it->high[0]),
                 .item = item,
                 .body = 2 * it->body + it->movable};
    for (int k = 0; k < 3; ++k) {
        e->low[k] = it->low[k];
        e->high[k] = it->high[k];
    }
}

// a level while its list of items becomes entries
typedef struct making {
    const grid *g;
    const level *l;
    const int *list;
    record *r;
} making;

static void make_records(void *arg, int begin, int end)
{
    const making *m = arg;
    const level *l = m->l;
    for (int i = begin; i < end; ++i) {
        const collide_item *it = &m->g->items[m->list[i]];
        m->r[i] = (record){.key = {float_key(to_float(it->low[0])),
                                   (uint32_t)cell_of(it->low[1], l->width[0]) + CELLS,
                                   (uint32_t)cell_of(it->low[2], l->width[1]) + CELLS},
                           .item = m->list[i]};
    }
}

static void make_entries(void *arg, int begin, int end)
{
    const making *m = arg;
    for (int i = begin; i < end; ++i) {
        const int item = m->r[i].item;
        fill_entry(&m->g->items[item], item, &m->g->entry[m->l->begin + i]);
    }
}

// columns from sorted records and entries
static void make_columns(grid *g, level *l, const record *r)
{
    int n = l->first;
    for (int i = 0; i < l->end - l->begin; ++i) {
        const entry *e = &g->entry[l->begin + i];
        if (i == 0 || r[i].key[1] != r[i - 1].key[1] || r[i].key[2] != r[i - 1].key[2]) {
            g->col[n++] = (column){.y = (int)(r[i].key[1] - CELLS),
                                   .z = (int)(r[i].key[2] - CELLS),
                                   .begin = l->begin + i,
                                   .low = {e->low[1], e->low[2]},
                                   .high = {e->high[1], e->high[2]}};
        }
        column *c = &g->col[n - 1];
        c->end = l->begin + i + 1;
        const double length = (double)e->last - (double)e->first;
        if (length > c->longest) c->longest = length;
        for (int k = 0; k < 2; ++k) {
            if (e->low[1 + k] < c->low[k]) c->low[k] = e->low[1 + k];
            if (e->high[1 + k] > c->high[k]) c->high[k] = e->high[1 + k];
        }
    }
    l->last = n;
}

// sorts the items of a level, given in `list`, into entries and columns
static void make_level(grid *g, level *l, const int *list, record *r, record *room)
{
    const int n = l->end - l->begin;
    for (int i = 0; i < n; ++i) {
        const collide_item *it = &g->items[list[i]];
        for (int k = 0; k < 2; ++k) {
            const double width = it->high[1 + k] - it->low[1 + k];
            if (width > l->width[k]) l->width[k] = width;
        }
    }
    for (int k = 0; k < 2; ++k) {
        l->width[k] = l->width[k] > 0 ? l->width[k] * (1 + WIDER) : 1;
    }
    making m = {g, l, list, r};
    threads_each(g->team, n, make_records, &m);
    m.r = sort_records(r, room, n);
    threads_each(g->team, n, make_entries, &m);
    make_columns(g, l, m.r);
}

// levels from fine to coarse, each from the first bin that is not empty; bin b begins at start[b]
// in the list of items
static bool make_levels(grid *g, const int *list, const int *start)
{
    int from[BINS / OCTAVE], to[BINS / OCTAVE], most = 0;
    for (int b = 0; b < BINS; ++b) {
        if (start[b + 1] == start[b]) continue;
        const int end = b + OCTAVE < BINS ? b + OCTAVE : BINS;
        from[g->n_levels] = start[b];
        to[g->n_levels] = start[end];
        if (start[end] - start[b] > most) most = start[end] - start[b];
        g->n_levels += 1;
        b = end - 1;
    }
    const size_t n = (size_t)start[BINS];
    g->lev = PCS_TAKE(g->mem, (size_t)g->n_levels, level);
    g->entry = PCS_TAKE(g->mem, n, entry);
    g->col = PCS_TAKE(g->mem, n, column);
    record *r = PCS_TAKE(g->mem, 2 * (size_t)most, record);
    if (!g->lev || !g->entry || !g->col || !r) return false;

    for (int k = 0; k < g->n_levels; ++k) {
        g->lev[k] = (level){.begin = from[k], .end = to[k]};
        g->lev[k].first = k > 0 ? g->lev[k - 1].last : 0;
        make_level(g, &g->lev[k], list + from[k], r, r + most);
    }
    return true;
}

typedef struct binning {
    const collide_item *items;
    int *bin;
} binning;

// -1 for an item without bounds at all (NaN), BINS for an unbounded one
static void find_bins(void *arg, int begin, int end)
{
    const binning *b = arg;
    for (int i = begin; i < end; ++i) {
        const collide_item *it = &b->items[i];
        b->bin[i] = collide_nowhere(it) ? -1 : boundless(it) ? BINS : bin_of(it);
    }
}

// the items that a grid can hold, by their bins, and behind them the boundless ones; start has BINS
// + 1 entries
static int *list_items(grid *g, int n, int **start, int *n_boundless)
{
    int *list = PCS_TAKE(g->mem, (size_t)n, int), *bin = PCS_TAKE(g->mem, (size_t)n, int);
    int *at = PCS_TAKE(g->mem, 2 * (size_t)BINS + 2, int);
    if (!list || !bin || !at) return NULL;
    memset(at, 0, (BINS + 1) * sizeof *at);
    threads_each(g->team, n, find_bins, &(binning){g->items, bin});
    for (int i = 0; i < n; ++i) {
        if (bin[i] >= 0) at[bin[i]] += 1;
    }
    *n_boundless = at[BINS];
    *start = at + BINS + 1;
    (*start)[0] = 0;
    for (int b = 0; b < BINS; ++b) {
        (*start)[b + 1] = (*start)[b] + at[b];
    }
    memcpy(at, *start, (BINS + 1) * sizeof *at);
    for (int i = 0; i < n; ++i) {
        if (bin[i] >= 0) list[at[bin[i]]++] = i;
    }
    return list;
}

// ---- the pairs in order -------------------------------------------------------------------------

// sizes of the bins below become their places
static void add_up(int n, int *count)
{
    for (int i = 0; i < n; ++i) {
        count[i + 1] += count[i];
    }
}

// counting sorts, first by the larger, then, stable, by the smaller index; count has n + 1
static void sort_found(const grid *g, int n, int *count, int (*to)[2])
{
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (const chunk *c = g->found; c; c = c->next) {
        for (size_t k = 0; k < c->n; ++k) {
            count[c->pair[k][1] + 1] += 1;
        }
    }
    add_up(n, count);
    for (const chunk *c = g->found; c; c = c->next) {
        for (size_t k = 0; k < c->n; ++k) {
            memcpy(to[count[c->pair[k][1]]++], c->pair[k], sizeof *to);
        }
    }
}

static void sort_sorted(int (*from)[2], size_t n_pairs, int n, int *count, int (*to)[2])
{
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (size_t k = 0; k < n_pairs; ++k) {
        count[from[k][0] + 1] += 1;
    }
    add_up(n, count);
    for (size_t k = 0; k < n_pairs; ++k) {
        memcpy(to[count[from[k][0]]++], from[k], sizeof *to);
    }
}

// the pair of two items i < j, the moving one first
static void set_pair(const collide_item *items, int i, int j, int pair[2])
{
    const bool movable = items[i].movable;
    pair[0] = movable ? i : j;
    pair[1] = movable ? j : i;
}

// moves the pairs, sorted, to the front of the arena that the caller keeps
static pcs_status hand_over(grid *g, int n, pcs_arena *mem, int (**pair)[2], int *n_pairs)
{
    if (g->n > INT_MAX / 2) {
        return pcs_fail(PCS_ERR_SIZE,
                        "contact detection: %zu pairs of bounds overlap, more than can be counted;"
                        " are many bodies in one place?",
                        g->n);
    }
    int(*room)[2] = (int(*)[2])pcs_arena_take_array(g->mem, g->n, sizeof *room);
    int *count = PCS_TAKE(g->mem, (size_t)n + 1, int);
    *pair = (int(*)[2])pcs_arena_take_array(mem, g->n, sizeof **pair);
    if (g->full || !room || !count || !*pair) return pcs_fail_memory("contact detection");

    // the result overwrites the grid and the unsorted pairs, but not `room`
    sort_found(g, n, count, room);
    sort_sorted(room, g->n, n, count, *pair);
    for (size_t k = 0; k < g->n; ++k) {
        set_pair(g->items, (*pair)[k][0], (*pair)[k][1], (*pair)[k]);
    }
    *n_pairs = (int)g->n;
    return PCS_OK;
}

// every pair of few items is tested, in the order of the result
static pcs_status test_all(const collide_item *items, int n, pcs_arena *mem, int (**pair)[2],
                           int *n_pairs)
{
    const size_t most = (size_t)(n * (n - 1) / 2);
    *pair = (int(*)[2])pcs_arena_take_array(mem, most, sizeof **pair);
    if (!*pair) return pcs_fail_memory("contact detection");
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            if (collide_may_meet(&items[i], &items[j]))
                set_pair(items, i, j, (*pair)[(*n_pairs)++]);
        }
    }
    mem->used -= (most - (size_t)*n_pairs) * sizeof **pair;
    return PCS_OK;
}

pcs_status collide_pairs(const collide_item *items, int n, threads *team, pcs_arena *mem,
                         int (**pair)[2], int *n_pairs)
{
    *pair = NULL;
    *n_pairs = 0;
    if (n < 2) return PCS_OK;
    if (n <= FEW) return test_all(items, n, mem, pair, n_pairs);
    pcs_arena scratch = *mem;
    grid g = {.items = items, .mem = &scratch, .busy = ATOMIC_FLAG_INIT};
    finder f = {.g = &g};
    if (n >= MANY) g.team = team;
    int *start, n_boundless = 0;
    const int *list = list_items(&g, n, &start, &n_boundless);
    if (!list || !make_levels(&g, list, start)) return pcs_fail_memory("contact detection");
    const int columns = g.n_levels > 0 ? g.lev[g.n_levels - 1].last : 0;
    threads_each(g.team, columns, sweep_columns, &g);

    const int held = start[BINS];
    for (int u = held; u < held + n_boundless; ++u) {
        for (int k = 0; k < u; ++k) {
            if (collide_may_meet(&items[list[u]], &items[list[k]])) add_pair(&f, list[u], list[k]);
        }
    }
    finish(&f);
    return hand_over(&g, n, mem, pair, n_pairs);
}
