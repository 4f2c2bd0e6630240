// Teams of threads: barriers, shares of a range, failed allocations.
#include "support.h"

#include "base/threads.h"

enum { MOST = 5, CELLS = 1000 };

typedef struct job {
    threads *team;
    int visits[MOST]; // of every rank
    long cell[CELLS];
    long sum[MOST]; // as every thread saw it
} job;

// rounds in which each thread writes its part, and reads all parts after a barrier
static void rounds(void *arg, int rank)
{
    job *j = arg;
    int begin, end;
    threads_share(CELLS, threads_count(j->team), rank, &begin, &end);
    j->visits[rank] += 1;
    for (int round = 1; round <= 50; ++round) {
        for (int i = begin; i < end; ++i) {
            j->cell[i] += round * i;
        }
        threads_barrier(j->team);
        j->sum[rank] = 0;
        for (int i = 0; i < CELLS; ++i) {
            j->sum[rank] += j->cell[i];
        }
        threads_barrier(j->team);
    }
}

TEST(every_rank_sees_what_all_have_written)
{
    for (int count = 1; count <= MOST; ++count) {
        job j = {0};
        CK_OK(threads_create(NULL, count, &j.team));
        ck_assert_int_eq(threads_count(j.team), count);
        const int jobs = 20;
        for (int k = 0; k < jobs; ++k) {
            threads_run(j.team, rounds, &j);
        }
        const long once = CELLS * (CELLS - 1) / 2 * (50 * 51 / 2);
        for (int rank = 0; rank < count; ++rank) {
            ck_assert_int_eq(j.visits[rank], jobs);
            ck_assert_int_eq(j.sum[rank], jobs * once);
        }
        threads_destroy(j.team);
    }
}

TEST(a_null_team_is_a_team_of_one)
{
    job j = {0};
    threads_run(NULL, rounds, &j);
    ck_assert_int_eq(threads_count(NULL), 1);
    ck_assert_int_eq(j.visits[0], 1);
    threads_barrier(NULL);
    threads_destroy(NULL);
}

TEST(shares_cover_everything_once)
{
    for (int n = 0; n < 40; ++n) {
        for (int count = 1; count < 8; ++count) {
            int at = 0;
            for (int rank = 0; rank < count; ++rank) {
                int begin, end;
                threads_share(n, count, rank, &begin, &end);
                ck_assert_int_eq(begin, at);
                ck_assert_int_le(end - begin, n / count + 1);
                at = end;
            }
            ck_assert_int_eq(at, n);
        }
    }
}

TEST(a_team_fails_without_memory)
{
    for (int k = 0; k < 3; ++k) {
        test_memory memory = {.fail_at = k};
        pcs_env env = test_env(&memory);
        threads *team;
        CK_FAILS(threads_create(&env, 2, &team), PCS_ERR_MEMORY);
        ck_assert_ptr_null(team);
        ck_assert_int_eq(memory.live, 0);
    }
}
