// The broad phase against all pairs: sizes that differ by 1000, far away and coincident bodies,
// bounds that are not numbers, and a limit for the number of tests.
#include "support.h"

#include "collide/kept.h"

static void in_range(test_random *r, double size, double spread, collide_item *it)
{
    for (int c = 0; c < 3; ++c) {
        const double x = spread * random_normal(r), half = size * random_between(r, 0.1, 1);
        it->low[c] = x - half;
        it->high[c] = x + half;
    }
}

static bool is_nan(const collide_item *a)
{
    bool nan = false;
    for (int c = 0; c < 3; ++c) {
        nan = nan || isnan(a->low[c]) || isnan(a->high[c]);
    }
    return nan && !a->unbounded;
}

static bool meet(const collide_item *a, const collide_item *b)
{
    if (a->body == b->body || (!a->movable && !b->movable)) return false;
    if (is_nan(a) || is_nan(b)) return false;
    if (a->unbounded || b->unbounded) return !(a->unbounded && b->unbounded);
    bool overlap = true;
    for (int c = 0; c < 3; ++c) {
        overlap = overlap && a->low[c] <= b->high[c] && b->low[c] <= a->high[c];
    }
    return overlap;
}

// the pairs are those that meet, in order, each with its movable item first
static int check_pairs_of(const collide_item *item, int n, threads *team)
{
    pcs_arena mem;
    size_t peak = 0;
    CK_OK(pcs_arena_create(NULL, 64, &mem));
    mem.peak = &peak;
    int(*pair)[2] = NULL, found = 0;
    for (;;) {
        pcs_arena room = mem;
        const pcs_status status = collide_pairs(item, n, team, &room, &pair, &found);
        if (status == PCS_OK) {
            ck_assert(room.used <= mem.used + (size_t)found * sizeof *pair + 64);
            break;
        }
        ck_assert_int_eq(status, PCS_ERR_MEMORY);
        ck_assert_uint_gt(peak, mem.size);
        pcs_arena_destroy(NULL, &mem);
        CK_OK(pcs_arena_create(NULL, peak, &mem));
        mem.peak = &peak;
    }
    int expected = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) {
            if (!meet(&item[i], &item[j])) continue;
            const int *p = expected < found ? pair[expected] : NULL, first = item[i].movable;
            expected += 1;
            if (p && p[0] == (first ? i : j) && p[1] == (first ? j : i)) continue;
            ck_abort_msg("pair %d is not %d %d", expected - 1, i, j);
        }
    }
    ck_assert_int_eq(found, expected);
    pcs_arena_destroy(NULL, &mem);
    return found;
}

// pairs by one thread and by three
static int check_pairs(const collide_item *item, int n)
{
    threads *team;
    CK_OK(threads_create(NULL, 3, &team));
    check_pairs_of(item, n, team);
    threads_destroy(team);
    return check_pairs_of(item, n, NULL);
}

enum { MANY = 1200 };

TEST(pairs_are_those_that_may_meet)
{
    static collide_item item[MANY];
    for (int k = 0; k < TEST_DRAWS(60); ++k) {
        test_random r = random_seed(70 + (uint64_t)k);
        const int n = k < 10 ? k : 20 + (int)(random_unit(&r) * (MANY - 20));
        const double ratio = pow(1000, (double)(k % 4) / 3);
        const double spread = pow(10, random_between(&r, -1, 2)) * (k % 7 == 0 ? 0 : 1);
        for (int i = 0; i < n; ++i) {
            item[i] = (collide_item){
                .body = k % 3 ? i : i / 3, .movable = k % 2 || i % 4, .unbounded = i % 100 == 17};
            in_range(&r, pow(ratio, random_unit(&r)), spread, &item[i]);
            if (k % 5 == 1 && i > 0) item[i].low[0] = item[i].high[0] = item[i - 1].low[0];
        }
        check_pairs(item, n);
    }
}

// a ladder of cubes whose faces coincide bit for bit: bounds that touch count as pairs
TEST(bounds_that_touch_meet)
{
    static collide_item item[MANY];
    for (int k = 0; k < 12; ++k) {
        const double size = k % 2 ? 0.1 : 1.0 / 3, at = k < 6 ? 0 : pow(10, k - 4);
        int n = 0;
        for (int x = 0; x < 10; ++x) {
            for (int y = 0; y < 10; ++y) {
                for (int z = 0; z < 10; ++z) {
                    const double c[3] = {x * size + at, y * size - at, z * size + 3 * at};
                    item[n] = (collide_item){.body = n, .movable = true};
                    for (int i = 0; i < 3; ++i) {
                        item[n].low[i] = c[i];
                        item[n].high[i] = c[i] + size;
                    }
                    n += 1;
                }
            }
        }
        check_pairs(item, n);
    }
}

// 1e30, 1e300, infinite, denormal, empty, upside down and not a number among ordinary ones
TEST(strange_bounds)
{
    static collide_item item[MANY];
    const double odd[] = {1e30,   -1e30,     1e300, -1.7e308, 1.7e308, INFINITY, -INFINITY,
                          1e-310, -4.9e-324, -0.0,  0,        NAN,     1,        1e9};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int k = 0; k < TEST_DRAWS(60); ++k) {
        test_random r = random_seed(170 + (uint64_t)k);
        for (int i = 0; i < 300; ++i) {
            item[i] = (collide_item){.body = i, .movable = true, .unbounded = i % 50 == 3};
            in_range(&r, 1, 3, &item[i]);
            for (int c = 0; c < 3; ++c) {
                const int odd1 = (int)(random_unit(&r) * 3 * ODD);
                const int odd2 = (int)(random_unit(&r) * 3 * ODD);
                if (i % 3 == 0 && odd1 < ODD) item[i].low[c] = odd[odd1];
                if (i % 3 == 0 && odd2 < ODD) item[i].high[c] = odd[odd2];
                if (i % 3 == 1 && odd1 < ODD && isfinite(odd[odd1])) {
                    item[i].low[c] = odd[odd1] - 1;
                    item[i].high[c] = odd[odd1] + 1;
                }
            }
        }
        check_pairs(item, 300);
    }
}

TEST(a_thousand_in_one_place)
{
    static collide_item item[1000];
    for (int i = 0; i < 1000; ++i) {
        item[i] = (collide_item){.body = i, .movable = true, .low = {1, 2, 3}, .high = {2, 3, 4}};
    }
    ck_assert_int_eq(check_pairs(item, 1000), 1000 * 999 / 2);
}

TEST(nothing_and_one)
{
    pcs_arena none = {0};
    int(*pair)[2], found = 7;
    CK_OK(collide_pairs(NULL, 0, NULL, &none, &pair, &found));
    ck_assert_int_eq(found, 0);
    const collide_item one = {.movable = true};
    found = 7;
    CK_OK(collide_pairs(&one, 1, NULL, &none, &pair, &found));
    ck_assert_int_eq(found, 0);
}

// ---- kept pairs ---------------------------------------------------------------------------------

// one search that may repeat an older one has the pairs of a new one
static void compare(kept_pairs *kept, const collide_item *item, int n)
{
    const size_t bytes = 64 * 1024 * 1024;
    pcs_arena mem, other;
    int(*pair)[2] = NULL, (*expected)[2] = NULL, found, due;
    CK_OK(pcs_arena_create(NULL, bytes, &mem));
    CK_OK(pcs_arena_create(NULL, bytes, &other));
    CK_OK(kept_search(kept, NULL, item, n, NULL, &mem, &pair, &found));
    CK_OK(collide_pairs(item, n, NULL, &other, &expected, &due));
    ck_assert_int_eq(found, due);
    for (int i = 0; i < due; ++i) {
        ck_assert(pair[i][0] == expected[i][0] && pair[i][1] == expected[i][1]);
    }
    ck_assert(mem.used <= (size_t)found * sizeof *pair + 64);
    pcs_arena_destroy(NULL, &mem);
    pcs_arena_destroy(NULL, &other);
}

TEST(kept_pairs_are_those_of_a_search)
{
    enum { ITEMS = 400, SEARCHES = 60 };
    static collide_item item[ITEMS];
    kept_pairs kept = {0};
    test_random r = random_seed(11);
    int n = ITEMS;
    for (int i = 0; i < n; ++i) {
        item[i] = (collide_item){.body = i / 2, .movable = i % 7 > 0, .shape = i};
        in_range(&r, 0.1, 0.5, &item[i]);
        item[i].unbounded = i % 90 == 0;
    }
    for (int k = 0; k < SEARCHES; ++k) {
        for (int i = 0; i < n; ++i) {
            // all rest or creep, a few run
            const double step = i % 60 == 1 ? 1e-3 : k % 20 < 15 ? 2e-5 : 0.02;
            const double wider = 1e-5 * random_unit(&r);
            for (int c = 0; c < 3; ++c) {
                const double d = step * random_normal(&r);
                item[i].low[c] += d - wider;
                item[i].high[c] += d + 0.9 * wider;
            }
        }
        // and some change: gone, back at another place, of another body, with or without bounds
        const int some = (int)(random_unit(&r) * n);
        if (k % 9 == 3) item[some].low[0] = NAN;
        if (k % 9 == 5) in_range(&r, 0.1, 0.5, &item[some]);
        if (k % 9 == 7) item[some].body += 1;
        if (k % 9 == 8) item[some].unbounded = !item[some].unbounded;
        if (k % 10 == 9) item[some].movable = !item[some].movable;
        if (k % 13 == 12) n -= 3;
        if (k % 13 == 4 && n + 2 <= ITEMS) n += 2;
        compare(&kept, item, n);
        compare(&kept, item, n);
    }
    ck_assert_int_gt(kept.hits, SEARCHES - 5); // 45 are second ones
    ck_assert_uint_gt(kept_bytes(&kept), 0);
    kept_release(NULL, &kept);
}
