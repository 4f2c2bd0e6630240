// Which bounds overlap: grids of columns, one per level of size, swept along x.
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
// stays one, and what overlaps so far is asked in double. The pairs are then sorted by counting, so
// that nothing of the way they were found is left in them.
#include "collide/broad.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#include "base/base.h"

// cells are numbered within +-CELLS. So are all quotients low / width, and their rounding is below
// WIDER, by which a cell is wider than the widest item
#define CELLS (1 << 30)
#define WIDER 1e-6

// so few items are all tested against each other
#define FEW 24

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
    double longest;         // entry, along x
} column;

typedef struct level {
    double width[2]; // of a cell in y and z
    int begin, end;  // its entries
    int first, last; // its columns
} level;

// what is sorted: x, y, z in an order that unsigned integers have
typedef struct record {
    uint32_t key[3];
    int item;
} record;

typedef struct grid {
    const collide_item *items;
    entry *entry;
    column *col;
    level *lev;
    int n_levels;

    // pairs as they are found: the last piece of the arena, which grows
    pcs_arena *mem;
    int (*pair)[2];
    size_t n, cap;
    bool full;
} grid;

// ---- pairs
// ---------------------------------------------------------------------------------------

// bounds that are not numbers overlap nothing
static bool nowhere(const collide_item *it)
{
    bool nan = false;
    for (int i = 0; i < 3; ++i) {
        nan |= isnan(it->low[i]) || isnan(it->high[i]);
    }
    return nan && !it->unbounded;
}

static bool may_meet(const collide_item *a, const collide_item *b)
{
    if (a->body == b->body || !(a->movable || b->movable)) return false;
    if (a->unbounded) return !b->unbounded && !nowhere(b);
    if (b->unbounded) return !nowhere(a);
    for (int i = 0; i < 3; ++i) {
        if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return false;
    }
    return true;
}

// pieces of whole cache lines stand next to each other in the arena
static void grow_pairs(grid *g)
{
    const size_t more = g->cap > 0 ? g->cap : 512;
    int(*piece)[2] = (int(*)[2])pcs_arena_take_array(g->mem, more, sizeof *piece);
    if (!g->pair) g->pair = piece;
    g->full |= !piece;
    g->cap += more;
}

static void add_pair(grid *g, int i, int j)
{
    if (g->n == g->cap) grow_pairs(g);
    if (!g->full) {
        g->pair[g->n][0] = i < j ? i : j;
        g->pair[g->n][1] = i < j ? j : i;
    }
    g->n += 1;
}

static inline void test(grid *g, const entry *a, const entry *b)
{
    if (a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] &&
        b->low[2] <= a->high[2] && a->low[0] <= b->high[0] && b->low[0] <= a->high[0] &&
        a->body >> 1 != b->body >> 1 && ((a->body | b->body) & 1)) {
        add_pair(g, a->item, b->item);
    }
}

static void sweep_one(grid *g, const column *c)
{
    for (int i = c->begin; i < c->end; ++i) {
        const entry *a = &g->entry[i];
        for (int j = i + 1; j < c->end && g->entry[j].first <= a->last; ++j) {
            test(g, a, &g->entry[j]);
        }
    }
}

// whoever begins first meets those of the other column that begin before it ends
static void sweep_two(grid *g, int i, int i_end, int j, int j_end)
{
    const entry *e = g->entry;
    while (i < i_end && j < j_end) {
        if (e[i].first <= e[j].first) {
            for (int k = j; k < j_end && e[k].first <= e[i].last; ++k) {
                test(g, &e[i], &e[k]);
            }
            i += 1;
        } else {
            for (int k = i; k < i_end && e[k].first <= e[j].last; ++k) {
                test(g, &e[k], &e[j]);
            }
            j += 1;
        }
    }
}

// ---- columns
// -------------------------------------------------------------------------------------

// never decreasing in x; x is finite and width positive
static int cell_of(double x, double width)
{
    const double c = floor(x / width);
    return c < -CELLS ? -CELLS : c > CELLS ? CELLS : (int)c;
}

static bool column_before(const column *c, int y, int z)
{
    return c->z < z || (c->z == z && c->y < y);
}

// within a level: own column, the next one in y, and the three next ones in z
static void sweep_level(grid *g, const level *l)
{
    const column *col = g->col;
    for (int k = l->first, above = l->first; k < l->last; ++k) {
        const column *c = &col[k];
        sweep_one(g, c);
        if (k + 1 < l->last && col[k + 1].z == c->z && col[k + 1].y == c->y + 1) {
            sweep_two(g, c->begin, c->end, col[k + 1].begin, col[k + 1].end);
        }
        while (above < l->last && column_before(&col[above], c->y - 1, c->z + 1)) {
            above += 1;
        }
        for (int a = above; a < l->last && col[a].z == c->z + 1 && col[a].y <= c->y + 1; ++a) {
            sweep_two(g, c->begin, c->end, col[a].begin, col[a].end);
        }
    }
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
static void sweep_coarser(grid *g, const column *c, const level *l)
{
    int from[2], to[2];
    for (int i = 0; i < 2; ++i) {
        from[i] = cell_of(c->low[i], l->width[i]) - 1;
        to[i] = cell_of(c->high[i], l->width[i]);
    }
    // from one column that there is to the next: the ranges of a column at the border are long
    int k = find_column(g, l, from[0], from[1]);
    while (k < l->last && g->col[k].z <= to[1]) {
        const column *d = &g->col[k];
        if (d->y < from[0]) {
            k = find_column(g, l, from[0], d->z);
        } else if (d->y > to[0]) {
            k = find_column(g, l, from[0], d->z + 1);
        } else {
            sweep_two(g, c->begin, c->end, find_entry(g, d, g->entry[c->begin].first), d->end);
            k += 1;
        }
    }
}

// ---- sorting
// -------------------------------------------------------------------------------------

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

// by z, then y, then x; the sorted records are where the result points, `r` or `room`
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

// ---- building
// ------------------------------------------------------------------------------------

// bounds that no grid can hold: infinite, or as long as all numbers
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

// entries and columns from sorted records
static void make_columns(grid *g, level *l, const record *r)
{
    int n = l->first;
    for (int i = 0; i < l->end - l->begin; ++i) {
        entry *e = &g->entry[l->begin + i];
        fill_entry(&g->items[r[i].item], r[i].item, e);
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
    for (int i = 0; i < n; ++i) {
        const collide_item *it = &g->items[list[i]];
        r[i] = (record){.key = {float_key(to_float(it->low[0])),
                                (uint32_t)cell_of(it->low[1], l->width[0]) + CELLS,
                                (uint32_t)cell_of(it->low[2], l->width[1]) + CELLS},
                        .item = list[i]};
    }
    make_columns(g, l, sort_records(r, room, n));
}

// levels from fine to coarse, each from the first bin that is not empty; start[b] is where bin b
// begins in the list of items
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

// the items that a grid can hold, by their bins, and behind them the boundless ones; start has BINS
// + 1 entries
static int *list_items(grid *g, int n, int **start, int *n_boundless)
{
    int *list = PCS_TAKE(g->mem, (size_t)n, int), *bin = PCS_TAKE(g->mem, (size_t)n, int);
    int *at = PCS_TAKE(g->mem, 2 * (size_t)BINS + 2, int);
    if (!list || !bin || !at) return NULL;
    memset(at, 0, (BINS + 1) * sizeof *at);
    for (int i = 0; i < n; ++i) {
        const collide_item *it = &g->items[i];
        bin[i] = nowhere(it) ? -1 : boundless(it) ? BINS : bin_of(it);
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

// ---- the pairs in order
// ----------------------------------------------------------------------------

// stable counting sort of pairs by their entry `by`; count has n + 1
static void count_sort(int (*from)[2], size_t n_pairs, int by, int n, size_t *count, int (*to)[2])
{
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (size_t k = 0; k < n_pairs; ++k) {
        count[from[k][by] + 1] += 1;
    }
    for (int i = 0; i < n; ++i) {
        count[i + 1] += count[i];
    }
    for (size_t k = 0; k < n_pairs; ++k) {
        memcpy(to[count[from[k][by]]++], from[k], sizeof *to);
    }
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
    size_t *count = PCS_TAKE(g->mem, (size_t)n + 1, size_t);
    *pair = (int(*)[2])pcs_arena_take_array(mem, g->n, sizeof **pair);
    if (g->full || !room || !count || !*pair) return pcs_fail_memory("contact detection");

    // what is handed over lies over the grid and the pairs as found, but before `room`
    count_sort(g->pair, g->n, 1, n, count, room);
    count_sort(room, g->n, 0, n, count, *pair);
    for (size_t k = 0; k < g->n; ++k) {
        int *p = (*pair)[k];
        if (g->items[p[0]].movable) continue;
        const int other = p[0];
        p[0] = p[1];
        p[1] = other;
    }
    *n_pairs = (int)g->n;
    return PCS_OK;
}

pcs_status collide_pairs(const collide_item *items, int n, pcs_arena *mem, int (**pair)[2],
                         int *n_pairs)
{
    *pair = NULL;
    *n_pairs = 0;
    if (n < 2) return PCS_OK;
    pcs_arena scratch = *mem;
    grid g = {.items = items, .mem = &scratch};
    if (n <= FEW) {
        for (int j = 1; j < n; ++j) {
            for (int i = 0; i < j; ++i) {
                if (may_meet(&items[i], &items[j])) add_pair(&g, i, j);
            }
        }
        return hand_over(&g, n, mem, pair, n_pairs);
    }

    int *start, n_boundless = 0;
    const int *list = list_items(&g, n, &start, &n_boundless);
    if (!list || !make_levels(&g, list, start)) return pcs_fail_memory("contact detection");

    for (int k = 0; k < g.n_levels; ++k) {
        const level *l = &g.lev[k];
        sweep_level(&g, l);
        for (int c = l->first; c < l->last; ++c) {
            for (int m = k + 1; m < g.n_levels; ++m) {
                sweep_coarser(&g, &g.col[c], &g.lev[m]);
            }
        }
    }
    const int held = start[BINS];
    for (int u = held; u < held + n_boundless; ++u) {
        for (int k = 0; k < u; ++k) {
            if (may_meet(&items[list[u]], &items[list[k]])) add_pair(&g, list[u], list[k]);
        }
    }
    return hand_over(&g, n, mem, pair, n_pairs);
}
