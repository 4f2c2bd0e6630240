// Every scene of bench_scenes: no overlap at the start, a few steps with ledgers that close, and
// short runs that end as their closed forms say.
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "checks/overlap.h"
#include "scene_check.h"
#include "scenes/bodies_model.h"

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
        if (scenes[k].model) continue;
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

static pcs_status open_scene(const bench_scene *b, const bodies *s, world *w)
{
    const model_scene *m = b->model;
    pcs_scheme scheme = pcs_scheme_dense(b->tol, m ? m->size : s->size);
    scheme.accept_unconverged = true;
    scheme.solver.max_iters =
        20000; // the finish is charged to it too // what is hard to solve is not asked here
    PCS_TRY(world_open(w, NULL, &scheme, m ? m->gravity : -s->gravity[2]));
    return m ? m->build(w) : world_bodies(w, s);
}

TEST(a_few_steps_are_taken)
{
    n_scenes = scene_list(&scenes);
    for (int k = 0; k < n_scenes; ++k) {
        const bench_scene *b = &scenes[k];
        bodies s = {0};
        world w;
        ck_assert(b->model || build(b, &s));
        ck_assert_msg(open_scene(b, &s, &w) == PCS_OK, "%s: %s", b->name, pcs_error_text());
        const double size = b->model ? b->model->size : s.size, h = b->model ? b->model->h : s.h;
        ck_assert_msg(world_overlap(&w) <= 1e-9 * size, "%s: %g", b->name, world_overlap(&w));
        for (int i = 0; i < 3; ++i) {
            ck_assert_msg(world_step(&w, h) == PCS_OK, "%s: %s", b->name, pcs_error_text());
            ck_assert_msg(!w.stuck, "%s: %s", b->name, pcs_outcome_text(w.outcome));
        }
        ck_assert_msg(w.closure <= 1e-12 * (1 + fabs(w.energy)), "%s: %g", b->name, w.closure);
        ck_assert_msg(w.residual <= fmax(1e-4, b->tol), "%s: %g", b->name, w.residual);
        ck_assert_msg(world_overlap(&w) <= 1e-3 * size, "%s: %g", b->name, world_overlap(&w));
        world_close(&w);
        bodies_destroy(&s);
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
TEST(what_is_wrong_fails)
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
