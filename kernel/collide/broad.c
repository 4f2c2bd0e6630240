// All pairs, by their bounds. Quadratic, a few comparisons each; a grid or a sweep would replace
// the double loop and nothing else.
#include "collide/broad.h"

#include "base/base.h"

static bool may_meet(const collide_item *a, const collide_item *b)
{
    if (a->body == b->body || !(a->movable || b->movable)) return false;
    if (a->unbounded || b->unbounded) return !(a->unbounded && b->unbounded);
    for (int i = 0; i < 3; ++i) {
        if (!(a->low[i] <= b->high[i] && b->low[i] <= a->high[i])) return false;
    }
    return true;
}

int collide_pairs(const collide_item *items, int n, int (*pair)[2], int capacity)
{
    int found = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            if (!may_meet(&items[i], &items[j])) continue;
            if (found < capacity) {
                const bool first = items[i].movable;
                pair[found][0] = first ? i : j;
                pair[found][1] = first ? j : i;
            }
            PCS_ASSERT(found < INT32_MAX);
            found += 1;
        }
    }
    return found;
}
