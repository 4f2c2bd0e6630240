// Every scene of bench_scenes: no overlap at the start, a few steps with ledgers that close, and
// short runs that end as their closed forms say.
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "checks/overlap.h"
#include "checks/run_tally.h"
#include "scene_check.h"

static const bench_scene *scenes;
static int n_scenes;

static bool build(const bench_scene *b, bodies *s)
{
    return b->of_side ? b->of_side(s, 3) : b->alone(s);
}

TEST(bodies_start_apart)
{
    n_scenes = scene_list(&scenes);
    for (int k = 0; k < n_scenes; ++k) {
        bodies s;
        if (scenes[k].model || scene_is_large(&scenes[k])) continue;
        ck_assert(build(&scenes[k], &s));
        double *q = calloc(7 * (size_t)s.n, sizeof *q), *v = calloc(6 * (size_t)s.n, sizeof *v);
        ck_assert(q && v);
        for (int i = 0; i < s.n; ++i) {
            memcpy(q + 7 * i, s.body[i].position, 3 * sizeof *q);
            memcpy(q + 7 * i + 3, s.body[i].orientation, 4 * sizeof *q);
        }
        overlaps o;
        ck_assert(overlap_measure(&s, q, v, &o));
        ck_assert_msg(o.deepest <= 1e-15, "%s: %g between %d and %d", scenes[k].name, o.deepest,
                      o.first, o.second);
        ck_assert_int_eq(o.outside, 0);
        // bodies at rest are pushed, but never into the floor
        if (s.perturb_at >= 0) {
            bodies_perturb(&s, q, v);
            ck_assert(overlap_measure(&s, q, v, &o));
            ck_assert_double_eq(o.deepest, 0);
            ck_assert_double_ne(v[0], 0);
        }
        free(q);
        free(v);
        bodies_destroy(&s);
    }
}

static double deepest(const simulation *s)
{
    double out;
    ck_assert_int_eq(tally_overlap(s->scene->model, s->state, &out), PCS_OK);
    return out;
}

TEST(a_few_steps_are_taken)
{
    n_scenes = scene_list(&scenes);
    for (int k = 0; k < n_scenes; ++k) {
        const bench_scene *b = &scenes[k];
        const engine *e = &engine_percuss;
        if (scene_is_large(b)) continue;
        // problems that are hard to solve are not checked here
        const engine_options o = {b->tol, 20000, 1};
        bodies numbers = {0};
        ck_assert(b->model || build(b, &numbers));
        void *self = b->model ? e->create_model(b->model, &o) : e->create(&numbers, &o);
        ck_assert_msg(self != NULL, "%s", b->name);
        const simulation *s = e->simulation(self);
        const run_tally *tally = e->tally(self);
        const double size = b->model ? b->model->size : numbers.size;
        const double start = b->model ? b->model->overlap : 0;
        ck_assert_msg(deepest(s) <= fmax(start, 1e-9 * size), "%s: %g", b->name, deepest(s));
        for (int i = 0; i < 3; ++i) {
            engine_step now;
            ck_assert_msg(e->step(self, b->model ? b->model->h : numbers.h, &now), "%s", b->name);
        }
        ck_assert_msg(tally->closure <= 1e-12 * (1 + fabs(tally->energy)), "%s: %g", b->name,
                      tally->closure);
        ck_assert_msg(tally->residual <= fmax(1e-4, b->tol), "%s: %g", b->name, tally->residual);
        ck_assert_msg(deepest(s) <= 1e-3 * size, "%s: %g", b->name, deepest(s));
        e->destroy(self);
        bodies_destroy(&numbers);
    }
}

static void hold(const bench_scene *b, const course *c, int steps)
{
    const engine_options o = {b->tol, 0, 1};
    const result r = scene_run(&engine_percuss, c, &o, steps, 5, NULL);
    ck_assert_msg(r.ran, "%s", b->name);
    verdict v[MOST_VERDICTS];
    const int n = scene_verdicts(b, c, &o, &r, v);
    ck_assert_int_ge(n, 2);
    for (int i = 0; i < n; ++i) {
        ck_assert_msg(verdict_holds(&v[i]), "%s: %s: %g, at most %g", b->name, v[i].what,
                      v[i].value, v[i].most);
    }
}

// 64 bodies fall and pile up
TEST(small_piles_hold)
{
    n_scenes = scene_list(&scenes);
    int runs = 0;
    for (int k = 0; k < n_scenes; ++k) {
        if (!scenes[k].of_side) continue;
        bodies s;
        ck_assert(scenes[k].of_side(&s, 4));
        const course c = course_of_bodies(&s);
        hold(&scenes[k], &c, TEST_DRAWS(200));
        bodies_destroy(&s);
        runs += 1;
    }
    ck_assert_int_eq(runs, 2);
}

TEST(short_runs_end_as_they_must)
{
    static const char *const names =
        TEST_FEW("cradle,wing_nut", "arch_falls,cards,cradle,chain,wing_nut");
    n_scenes = scene_list(&scenes);
    int runs = 0;
    for (int k = 0; k < n_scenes; ++k) {
        if (!scene_listed(names, scenes[k].name)) continue;
        const course c = course_of_model(scenes[k].model);
        hold(&scenes[k], &c, c.steps);
        runs += 1;
    }
    ck_assert_int_eq(runs, TEST_FEW(2, 5));
}

// a wrong run is detected
TEST(wrong_scenes_fail)
{
    n_scenes = scene_list(&scenes);
    bodies s;
    ck_assert(scenes[0].of_side(&s, 2));
    const course c = course_of_bodies(&s);
    const engine_options o = {scenes[0].tol, 0, 1};
    const result good = {.ran = true, .steps = 10, .highest = 1};
    result bad[5] = {good, good, good, good, good};
    bad[0].deepest = 2e-3 * c.size;
    bad[1].highest = 1.001;
    bad[2].outside = 1;
    bad[3].residual = NAN;
    bad[4].deepest = NAN;
    for (int k = -1; k < 5; ++k) {
        verdict v[MOST_VERDICTS];
        int failed = 0;
        for (int i = scene_verdicts(&scenes[0], &c, &o, k < 0 ? &good : &bad[k], v); i-- > 0;) {
            failed += !verdict_holds(&v[i]);
        }
        ck_assert_int_eq(failed, k >= 0);
    }
    bodies_destroy(&s);
}

TEST(names_are_listed)
{
    ck_assert(scene_listed(NULL, "a"));
    ck_assert(scene_listed("a,b", "b"));
    ck_assert(!scene_listed("arch,b", "a"));
    ck_assert(!scene_listed("arch", "arches"));
}
