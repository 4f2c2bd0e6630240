// Repeats a search for pairs of bounds. A search enlarges the bounds and keeps the pairs that
// overlap then, in their order. While the bounds of later searches lie within the enlarged ones,
// their pairs are those kept pairs that overlap: the same list as that of a full search. Nothing
// else decides that the kept pairs are valid, so a model or a state may change in any way.
#include "collide/kept.h"

#include <string.h>

// relative to the least width of an item: enlargement of all; motion since the last search beyond
// which an item is fast; largest enlargement of such items
#define WIDER  0.05
#define FAST   0.01
#define WIDEST 0.5

// a fast item is enlarged by its motion in this many steps
#define STEPS 8

// nothing is kept when one of so few items is fast, nor for a few items
enum { MANY_FAST = 8, FEW = 24 };

static double least_width(const collide_item *it)
{
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        least = fmin(least, it->high[i] - it->low[i]);
    }
    return least;
}

// motion of item i since the last search, relative to its width
static double motion(const kept_pairs *k, const collide_item *it, int i)
{
    double most = 0;
    if (it->unbounded || i >= k->n_low) return 0;
    for (int c = 0; c < 3; ++c) {
        most = fmax(most, fabs(it->low[c] - k->low[3 * i + c]));
    }
    return most / least_width(it); // fmax drops NaN
}

// true when the kept pairs contain every pair of this item
static bool holds(const collide_item *outer, const collide_item *it)
{
    bool good = outer->body == it->body && outer->movable == it->movable &&
                outer->unbounded == it->unbounded;
    for (int c = 0; c < 3 && good && !it->unbounded; ++c) {
        good = outer->low[c] <= it->low[c] && it->high[c] <= outer->high[c];
    }
    return good || collide_nowhere(it);
}

static bool holds_all(const kept_pairs *k, const collide_item *items, int n)
{
    if (n != k->n) return false;
    for (int i = 0; i < n; ++i) {
        if (!holds(&k->outer[i], &items[i])) return false;
    }
    return true;
}

// memory for n items; on failure nothing is kept
static bool reserve(kept_pairs *k, const pcs_env *env, int n)
{
    if (n <= k->room) return true;
    kept_release(env, k);
    k->outer = pcs_env_alloc(env, (size_t)n, sizeof *k->outer);
    k->low = pcs_env_alloc(env, 3 * (size_t)n, sizeof *k->low);
    if (!k->outer || !k->low) {
        kept_release(env, k);
        return false;
    }
    k->room = n;
    return true;
}

// the enlarged items; false when too many are fast
static bool enlarge(kept_pairs *k, const collide_item *items, int n)
{
    int fast = 0;
    for (int i = 0; i < n; ++i) {
        collide_item *outer = &k->outer[i];
        const double width = least_width(&items[i]), moved = motion(k, &items[i], i);
        const double by = moved > FAST ? fmin(WIDEST, fmax(WIDER, STEPS * moved)) : WIDER;
        fast += moved > FAST;
        *outer = items[i];
        for (int c = 0; c < 3; ++c) {
            outer->low[c] -= by * width;
            outer->high[c] += by * width;
        }
        if (!holds(outer, &items[i])) return false; // widths that are not finite
    }
    return MANY_FAST * fast <= n;
}

static void keep_ends(kept_pairs *k, const collide_item *items, int n)
{
    for (int i = 0; i < n; ++i) {
        memcpy(k->low + 3 * i, items[i].low, sizeof items[i].low);
    }
    k->n_low = n;
}

// keeps pairs; on failure nothing is kept
static void keep_pairs(kept_pairs *k, const pcs_env *env, int n, int (*pair)[2], int n_pairs)
{
    if (n_pairs > k->pair_room) {
        pcs_env_free(env, k->pair);
        k->pair_room = n_pairs + n_pairs / 4;
        k->pair = pcs_env_alloc(env, (size_t)k->pair_room, sizeof *k->pair);
        if (!k->pair) k->pair_room = 0;
    }
    if (n_pairs > 0 && !k->pair) return;
    if (n_pairs > 0) memcpy(k->pair, pair, (size_t)n_pairs * sizeof *pair);
    k->n = n;
    k->n_pairs = n_pairs;
}

// those of the pairs that meet, in their order
static int sift(const collide_item *items, int (*from)[2], int n, int (*to)[2])
{
    int left = 0;
    for (int i = 0; i < n; ++i) {
        const int one = from[i][0], two = from[i][1];
        if (!collide_may_meet(&items[one], &items[two])) continue;
        to[left][0] = one;
        to[left++][1] = two;
    }
    return left;
}

pcs_status kept_search(kept_pairs *k, const pcs_env *env, const collide_item *items, int n,
                       threads *team, pcs_arena *mem, int (**pair)[2], int *n_pairs)
{
    if (n <= FEW) return collide_pairs(items, n, team, mem, pair, n_pairs);
    if (holds_all(k, items, n)) {
        *pair = (int(*)[2])pcs_arena_take_array(mem, (size_t)k->n_pairs, sizeof **pair);
        if (!*pair) return pcs_fail_memory("contact detection");
        *n_pairs = sift(items, k->pair, k->n_pairs, *pair);
        mem->used -= (size_t)(k->n_pairs - *n_pairs) * sizeof **pair;
        keep_ends(k, items, n);
        k->hits += 1;
        return PCS_OK;
    }
    k->n = 0;
    if (!reserve(k, env, n) || !enlarge(k, items, n)) {
        if (k->room >= n) keep_ends(k, items, n);
        return collide_pairs(items, n, team, mem, pair, n_pairs);
    }
    const pcs_status status = collide_pairs(k->outer, n, team, mem, pair, n_pairs);
    if (status == PCS_ERR_SIZE) return collide_pairs(items, n, team, mem, pair, n_pairs);
    PCS_TRY(status);
    keep_ends(k, items, n);
    keep_pairs(k, env, n, *pair, *n_pairs);
    const int all = *n_pairs;
    *n_pairs = sift(items, *pair, all, *pair);
    mem->used -= (size_t)(all - *n_pairs) * sizeof **pair;
    return PCS_OK;
}

void kept_release(const pcs_env *env, kept_pairs *k)
{
    pcs_env_free(env, k->outer);
    pcs_env_free(env, k->low);
    pcs_env_free(env, k->pair);
    *k = (kept_pairs){.hits = k->hits};
}

size_t kept_bytes(const kept_pairs *k)
{
    return (size_t)k->room * (sizeof *k->outer + 3 * sizeof *k->low) +
           (size_t)k->pair_room * sizeof *k->pair;
}
