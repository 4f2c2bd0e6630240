// Shared parts of the benches: a clock, minimum and median of repeated runs. A run shorter than the
// clock can resolve is repeated inside one measurement.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdlib.h>
#include <time.h>

typedef struct bench_time {
    double minimum, median; // seconds of one run
    int repeats;            // measurements
} bench_time;

// seconds; needs _POSIX_C_SOURCE 199309L or later before the first include
static inline double bench_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define BENCH_MOST     101
#define BENCH_SHORTEST 50e-6 // seconds of one measurement
#define BENCH_PATIENCE 10.0  // no further measurement begins after this many seconds

// measures run(user), up to `repeats` times
static inline bench_time bench_run(void (*run)(void *user), void *user, int repeats)
{
    double t[BENCH_MOST];
    if (repeats > BENCH_MOST) repeats = BENCH_MOST;
    if (repeats < 1) repeats = 1;

    // the first run warms up; its time gives the number of runs in a measurement
    const double begin = bench_clock();
    run(user);
    const double once = bench_clock() - begin;
    const int inner = once >= BENCH_SHORTEST ? 1 : 1 + (int)(BENCH_SHORTEST / (once + 1e-8));

    int n = 0;
    while (n < repeats && (n == 0 || bench_clock() - begin < BENCH_PATIENCE)) {
        const double start = bench_clock();
        for (int k = 0; k < inner; ++k) {
            run(user);
        }
        t[n++] = (bench_clock() - start) / inner;
    }
    qsort(t, (size_t)n, sizeof *t, bench_compare);
    return (bench_time){t[0], n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]), n};
}

#endif
