// Status texts, the arena, and an allocator that fails.
#include "support.h"

#include "base/base.h"

TEST(every_status_has_words)
{
    for (int s = PCS_OK; s <= PCS_ERR_FORMAT; ++s) {
        ck_assert_str_ne(pcs_status_text((pcs_status)s), "unknown status");
    }
    ck_assert_str_eq(pcs_status_text((pcs_status)999), "unknown status");
}

TEST(arena_pieces_are_aligned_and_apart)
{
    size_t peak = 0;
    pcs_arena a;
    CK_OK(pcs_arena_create(NULL, 1000, &a));
    a.peak = &peak;

    unsigned char *p = pcs_arena_take(&a, 10), *q = pcs_arena_take(&a, 20);
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_nonnull(q);
    ck_assert_uint_eq((uintptr_t)p % 64, 0);
    ck_assert_uint_eq((uintptr_t)q % 64, 0);
    ck_assert(q >= p + 10);

    // a copy opens a scope: its memory is free again afterwards
    pcs_arena scope = a;
    void *s = pcs_arena_take(&scope, 100);
    ck_assert_ptr_eq(s, pcs_arena_take(&a, 100));

    // a request that does not fit gives null, and the demand is recorded
    ck_assert_ptr_null(pcs_arena_take(&a, 5000));
    ck_assert(peak >= 5000);
    ck_assert_ptr_null(PCS_TAKE(&a, SIZE_MAX / 2, double));
    pcs_arena_destroy(NULL, &a);
    pcs_arena_destroy(NULL, &a);
    pcs_arena_destroy(NULL, NULL);
}

TEST(a_failing_allocator_is_reported)
{
    test_memory m = {.fail_at = 0};
    const pcs_env env = test_env(&m);
    pcs_arena a;
    CK_FAILS(pcs_arena_create(&env, 100, &a), PCS_ERR_MEMORY);
    CK_FAILS(pcs_arena_create(NULL, SIZE_MAX, &a), PCS_ERR_MEMORY);
    ck_assert_int_eq(m.live, 0);
}

TEST(a_failure_that_is_mended_leaves_the_one_before)
{
    pcs_failure before;
    CK_FAILS(pcs_fail_range(PCS_ERR_ARG, "too long"), PCS_ERR_ARG);
    const unsigned long mark = pcs_fail_mark();
    pcs_failure_keep(&before);
    CK_FAILS(pcs_fail_memory("within"), PCS_ERR_MEMORY);
    ck_assert(!pcs_failed_range());
    pcs_failure_restore(&before);
    ck_assert_str_eq(pcs_error_text(), "too long");
    ck_assert(pcs_failed_range() && pcs_fail_mark() == mark);
}
