// The pairs that may touch, and their laws: groups, filters, laws of pairs of materials, and models
// that callbacks try to change.
#include "scene.h"

#include <string.h>

// n balls in a row along x, each overlapping the next, on no ground
static void row(scene *s, int n, pcs_system *ball)
{
    *s = scene_open();
    scene_gravity(s, 0, 0, 0);
    for (int i = 0; i < n; ++i) {
        ball[i] = scene_ball(s, 1, 0.1, (double[3]){0.19 * i, 0, 0}, NULL);
        scene_shape(s, ball[i], pcs_shape_sphere(0.1), 0);
    }
}

static int touching(scene *s)
{
    scene_step(s, 1e-6);
    return s->report.candidates;
}

// ---- groups -------------------------------------------------------------------------------------

// every combination of bits against the rule, by the contacts of a step
TEST(groups_select_the_pairs)
{
    test_random r = random_seed(3);
    for (int k = 0; k < TEST_DRAWS(60); ++k) {
        enum { n = 30 };
        pcs_system ball[n];
        unsigned group[n], mask[n];
        scene s;
        row(&s, n, ball);
        for (int i = 0; i < n; ++i) {
            group[i] = 1u << (int)(3 * random_unit(&r));
            mask[i] = (unsigned)(8 * random_unit(&r));
            if (k % 2) {
                CK_OK(pcs_model_set_groups(s.m, ball[i], group[i], mask[i]));
            } else {
                CK_OK(pcs_model_set_shape_groups(s.m, i, group[i], mask[i]));
            }
        }
        scene_start(&s);
        int expected = 0;
        for (int i = 1; i < n; ++i) {
            expected += (group[i] & mask[i - 1]) && (group[i - 1] & mask[i]);
        }
        ck_assert_int_eq(touching(&s), expected);
        scene_close(&s);
    }
}

TEST(groups_that_cannot_be_set)
{
    scene s;
    pcs_system ball[2];
    row(&s, 2, ball);
    ck_assert_int_eq(pcs_model_shape_count(s.m), 2);
    ck_assert_int_eq(pcs_model_shape_count(NULL), 0);
    CK_FAILS(pcs_model_set_shape_groups(s.m, -1, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_groups(s.m, 2, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_groups(NULL, 0, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_groups(s.m, (pcs_system){0}, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_groups(s.m, (pcs_system){9}, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_groups(NULL, ball[0], 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_filter(NULL, NULL, NULL), PCS_ERR_ARG);
    scene_close(&s);
}

// ---- filters ------------------------------------------------------------------------------------

typedef struct filter_log {
    int asked, answer, odd_only;
} filter_log;

static int filter(void *user, pcs_system system1, int shape1, pcs_system system2, int shape2)
{
    filter_log *log = user;
    log->asked += 1;
    ck_assert(shape1 < shape2 && system1.id == shape1 + 1 && system2.id == shape2 + 1);
    return log->odd_only ? shape1 % 2 : log->answer;
}

TEST(a_filter_is_asked_about_pairs_in_reach)
{
    scene s;
    pcs_system ball[10];
    row(&s, 10, ball);
    filter_log log = {.answer = 1};
    CK_OK(pcs_model_set_filter(s.m, filter, &log));
    scene_start(&s);
    touching(&s); // the work has grown to its size
    log.asked = 0;
    ck_assert_int_eq(touching(&s), 9);
    ck_assert_int_eq(log.asked, 9);
    log.odd_only = 1;
    ck_assert_int_eq(touching(&s), 4);

    // an error of the filter ends the step
    pcs_state *before;
    CK_OK(pcs_state_create(s.m, &before));
    CK_OK(pcs_state_copy(s.st, before));
    log = (filter_log){.answer = -3};
    CK_FAILS(pcs_step(s.m, s.st, s.wk, 1e-3, NULL), PCS_ERR_CALLBACK);
    ck_assert(pcs_state_equal(s.st, before));
    pcs_state_destroy(before);

    CK_OK(pcs_model_set_filter(s.m, NULL, NULL));
    ck_assert_int_eq(touching(&s), 9);
    scene_close(&s);
}

// ---- laws of pairs ------------------------------------------------------------------------------

typedef struct rule_log {
    long asked;
} rule_log;

static pcs_law least(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    ((rule_log *)user)->asked += 1;
    return pcs_law_newton_coulomb(fmin(a->e, b->e), 0, fmin(a->mu, b->mu));
}

// a wall of pairs of balls in contact, each pair of its own two materials, under every rule: the
// contacts of a step obey the table, else the rule
TEST(laws_come_from_the_table_and_then_from_the_rule)
{
    enum { n = 12 };
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        pcs_material made[n];
        pcs_material_def def[n];
        for (int i = 0; i < n; ++i) {
            def[i] = (pcs_material_def){.e = 0.05 * i, .mu = 0.1 * (i % 5)};
            CK_OK(pcs_model_add_material(s.m, &def[i], &made[i]));
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int side = 0; side < 2; ++side) {
                    const double x[3] = {i + 0.19 * side, j, 0};
                    const pcs_system b = scene_ball(&s, 1, 0.1, x, NULL);
                    const pcs_shape sphere = pcs_shape_sphere(0.1);
                    CK_OK(pcs_model_add_shape(s.m, b, &sphere, made[side == 0 ? i : j]));
                }
            }
        }
        rule_log log = {0};
        if (k % 2) CK_OK(pcs_model_set_combine(s.m, least, &log));

        // some pairs get laws, two of them lose theirs again, one gets another
        pcs_law table[n][n];
        bool given[n][n] = {0};
        for (int i = 0; i < n && k / 2; ++i) {
            const int o = 7 * i % n;
            const pcs_law law = pcs_law_newton_coulomb(0.9, 0, 0.01 * (i + 1));
            CK_OK(pcs_model_set_pair_law(s.m, made[o], made[i], &law));
            table[o][i] = table[i][o] = law;
            given[o][i] = given[i][o] = true;
        }
        if (k / 2) {
            CK_OK(pcs_model_set_pair_law(s.m, made[0], made[0], NULL));
            CK_OK(pcs_model_set_pair_law(s.m, made[3], made[9], NULL));
            CK_OK(pcs_model_set_pair_law(s.m, made[3], made[8], NULL)); // has none
            given[0][0] = given[3][9] = given[9][3] = false;
            table[1][7] = table[7][1] = pcs_law_newton_impact(0.123);
            CK_OK(pcs_model_set_pair_law(s.m, made[1], made[7], &table[1][7]));
        }
        scene_start(&s);
        scene_step(&s, 1e-6);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), n * n);
        for (int p = 0; p < n * n; ++p) {
            const int number = (c[p].shape1 < c[p].shape2 ? c[p].shape1 : c[p].shape2) / 2;
            const int i = number / n, j = number % n;
            double e = k % 2 ? fmin(def[i].e, def[j].e) : fmax(def[i].e, def[j].e);
            double mu = k % 2 ? fmin(def[i].mu, def[j].mu) : fmax(def[i].mu, def[j].mu);
            if (given[i][j]) {
                e = table[i][j].e;
                mu = table[i][j].mu;
            }
            ck_assert(c[p].law.e == e && c[p].law.mu == mu);
        }

        // the same with enough memory from the start: the filter is called at most once for a pair
        const long before = log.asked;
        scene_step(&s, 1e-6);
        ck_assert(k % 2 ? log.asked > before && log.asked - before <= n * n : log.asked == 0);
        scene_close(&s);
    }
}

// a face on a face has one law for its contacts: the rule is called once
TEST(the_rule_is_not_asked_for_every_contact)
{
    scene s = scene_open();
    rule_log log = {0};
    CK_OK(pcs_model_set_combine(s.m, least, &log));
    scene_ground(&s, 0.1);
    for (int i = 0; i < 20; ++i) {
        const double edges[3] = {0.1, 0.1, 0.1}, x[3] = {0.2 * i, 0, 0.05};
        const pcs_system b = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
        const pcs_shape box = pcs_shape_box(0.1, 0.1, 0.1);
        CK_OK(pcs_model_add_shape(s.m, b, &box, (pcs_material){0}));
    }
    scene_start(&s);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(s.report.candidates, 80);
    log.asked = 0;
    scene_step(&s, 1e-3);
    ck_assert_int_eq(log.asked, 1);
    scene_close(&s);
}

TEST(laws_that_cannot_be_set)
{
    scene s = scene_open();
    const pcs_material none = {0}, far = {7};
    pcs_law law = pcs_law_newton_impact(0.5);
    CK_FAILS(pcs_model_set_pair_law(NULL, none, none, &law), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_pair_law(s.m, none, far, &law), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_pair_law(s.m, (pcs_material){-1}, none, &law), PCS_ERR_ARG);
    law.e = 1.5;
    CK_FAILS(pcs_model_set_pair_law(s.m, none, none, &law), PCS_ERR_ARG);
    law = pcs_law_equality();
    CK_FAILS(pcs_model_set_pair_law(s.m, none, none, &law), PCS_ERR_ARG);
    law = pcs_law_newton_coulomb(0, 0, INFINITY);
    CK_FAILS(pcs_model_set_pair_law(s.m, none, none, &law), PCS_ERR_ARG);
    CK_OK(pcs_model_set_pair_law(s.m, none, none, NULL));
    scene_close(&s);
}

// ---- callbacks that saw at their own branch -----------------------------------------------------

typedef struct meddler {
    scene *s;
    int calls;
} meddler;

static int meddle(void *user, double t, const double q[7], const double v[6], double F[6])
{
    meddler *x = user;
    scene *s = x->s;
    x->calls += 1;
    const pcs_body_def body = pcs_body_def_default();
    const pcs_material_def material = {0};
    const pcs_shape sphere = pcs_shape_sphere(1);
    const pcs_law law = pcs_law_newton_impact(0);
    const double g[3] = {0};
    const double one = 1;
    const pcs_lagrangian_def lagrangian = {.n = 1, .mass = &one};
    const pcs_interaction_def joint = {
        .relation = pcs_relation_ball_joint(g, g), .law = pcs_law_equality(), .system1 = {1}};
    CK_FAILS(pcs_model_add_body(s->m, &body, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_lagrangian(s->m, &lagrangian, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_material(s->m, &material, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_shape(s->m, (pcs_system){1}, &sphere, (pcs_material){0}), PCS_ERR_ARG);
    CK_FAILS(pcs_model_add_interaction(s->m, &joint, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_gravity(s->m, g), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_enabled(s->m, (pcs_system){1}, false), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_scheme(s->m, &s->scheme), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_combine(s->m, NULL, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_filter(s->m, NULL, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_groups(s->m, (pcs_system){1}, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_groups(s->m, 0, 1, 1), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_pair_law(s->m, (pcs_material){0}, (pcs_material){0}, &law), PCS_ERR_ARG);
    CK_FAILS(pcs_step(s->m, s->st, s->wk, 1e-3, NULL), PCS_ERR_ARG);
    pcs_model_destroy(s->m);
    pcs_work_destroy(s->wk);
    return 0;
}

TEST(a_model_does_not_change_during_a_step)
{
    scene s = scene_open();
    meddler x = {.s = &s};
    pcs_body_def def = pcs_body_def_default();
    def.force = meddle;
    def.user = &x;
    const pcs_system body = scene_add(&s, &def);
    scene_shape(&s, body, pcs_shape_sphere(0.1), 0);
    scene_start(&s);
    for (int i = 1; i <= 3; ++i) {
        scene_step(&s, 1e-3);
        CK_NEAR(scene_v(&s, body)[2], -9.81e-3 * i, 1e-15);
    }
    ck_assert_int_gt(x.calls, 3);

    // between steps a change is possible
    scene_gravity(&s, 0, 0, 1);
    scene_ground(&s, 0);
    scene_step(&s, 1e-3);
    scene_close(&s);
}

// ---- taking away and adding between steps -------------------------------------------------------

static int never(void *user, double t, const double q[7], const double v[6], double F[6])
{
    F[0] = 1;
    return *(int *)user;
}

// a disabled part has no effect on the others, to the bit
TEST(a_disabled_body_has_no_effect)
{
    for (int k = 0; k < 8; ++k) {
        scene with, without;
        int refuses = 0;
        for (int w = 0; w < 2; ++w) {
            scene *s = w == 0 ? &with : &without;
            scene_random_rough(s, 40 + (uint64_t)k, 0.5);
            s->scheme.theta = k % 2 ? 1 : 0.5;
            s->scheme.projection = k % 3 == 0 ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE;
            s->scheme.accept_unconverged = true;
            if (w == 1) continue;

            // bodies of all kinds in the midst of the others
            pcs_body_def def = pcs_body_def_default();
            def.force = never;
            def.user = &refuses;
            memcpy(def.position, (double[3]){0.2, 0, 0.3}, sizeof def.position);
            const pcs_system extra = scene_add(s, &def);
            scene_shape(s, extra, pcs_shape_sphere(0.2), 0);
            const double o[3] = {0}, one = 2, c = 1;
            const pcs_interaction_def joint = {
                pcs_relation_distance(o, o, 0.1), pcs_law_equality(), extra, {2}};
            CK_OK(pcs_model_add_interaction(s->m, &joint, NULL));
            pcs_system spring;
            const pcs_lagrangian_def lagrangian = {
                .n = 1, .mass = &one, .stiffness = &one, .q0 = &one, .v0 = &one};
            CK_OK(pcs_model_add_lagrangian(s->m, &lagrangian, &spring));
            const pcs_interaction_def stop = {
                pcs_relation_linear(1, &c, -1), pcs_law_newton_impact(0.5), spring, {0}};
            CK_OK(pcs_model_add_interaction(s->m, &stop, NULL));
            CK_OK(pcs_model_set_enabled(s->m, extra, false));
            CK_OK(pcs_model_set_enabled(s->m, spring, false));
            ck_assert(!pcs_model_enabled(s->m, extra) && pcs_model_enabled(s->m, (pcs_system){1}));
            ck_assert(pcs_model_enabled(s->m, (pcs_system){0}));
            ck_assert(!pcs_model_enabled(s->m, (pcs_system){99}));
        }
        scene_start(&with);
        scene_start(&without);
        refuses = 5; // none of its callbacks is called
        const int nq = without.st->nq, nv = without.st->nv;
        double rest[16];
        memcpy(rest, with.st->q + nq, 8 * sizeof *rest);
        memcpy(rest + 8, with.st->v + nv, 7 * sizeof *rest);
        for (int i = 0; i < 30; ++i) {
            scene_step(&with, 2e-3);
            scene_step(&without, 2e-3);
            for (int c = 0; c < nq; ++c) {
                CK_NEAR(with.st->q[c], without.st->q[c], 1e-9);
            }
            ck_assert_int_eq(memcmp(rest, with.st->q + nq, 8 * sizeof *rest), 0);
            ck_assert_int_eq(memcmp(rest + 8, with.st->v + nv, 7 * sizeof *rest), 0);
            CK_NEAR(with.report.energy.kinetic_after, scene_kinetic(&with), 1e-12);
            CK_NEAR(scene_potential(&with), scene_potential(&without), 1e-8);
            ck_assert_int_eq(with.report.candidates, without.report.candidates);
        }

        // enabled again, its callback is called
        CK_OK(pcs_model_set_enabled(with.m, (pcs_system){9}, true));
        CK_FAILS(pcs_step(with.m, with.st, with.wk, 1e-3, NULL), PCS_ERR_CALLBACK);
        CK_FAILS(pcs_model_set_enabled(with.m, (pcs_system){0}, false), PCS_ERR_ARG);
        CK_FAILS(pcs_model_set_enabled(NULL, (pcs_system){1}, false), PCS_ERR_ARG);
        scene_close(&with);
        scene_close(&without);
    }
}

// balls are added and disabled every few steps; the state continues
TEST(systems_come_and_go_between_steps)
{
    scene s = scene_open();
    scene_ground(&s, 0.2);
    scene_start(&s);
    pcs_system ball[12];
    for (int i = 0; i < 12; ++i) {
        ball[i] = scene_ball(&s, 1, 0.1, (double[3]){0.3 * i, 0, 0.15}, NULL);
        scene_shape(&s, ball[i], pcs_shape_sphere(0.1), 0);
        CK_FAILS(pcs_step(s.m, s.st, s.wk, 1e-2, NULL), PCS_ERR_SIZE);

        // no memory: unchanged
        s.memory->fail_at = i % 2;
        const int nq = s.st->nq;
        CK_FAILS(pcs_state_extend(s.m, s.st), PCS_ERR_MEMORY);
        s.memory->fail_at = -1;
        ck_assert_int_eq(s.st->nq, nq);
        CK_OK(pcs_state_extend(s.m, s.st));
        CK_OK(pcs_state_extend(s.m, s.st));
        pcs_work_destroy(s.wk);
        CK_OK(pcs_work_create(s.m, &s.wk));
        if (i == 7) CK_OK(pcs_model_set_enabled(s.m, ball[2], false));
        for (int k = 0; k < 30; ++k) {
            CK_OK(pcs_step(s.m, s.st, s.wk, 1e-2, &s.report));
            ck_assert(s.report.committed);
        }
    }
    for (int i = 0; i < 12; ++i) {
        CK_NEAR(scene_q(&s, ball[i])[2], 0.1, 0.02);
        CK_NEAR(scene_q(&s, ball[i])[0], 0.3 * i, 0);
    }
    ck_assert_int_eq(s.report.candidates, 11);

    pcs_model *other;
    CK_OK(pcs_model_create(NULL, &other));
    CK_FAILS(pcs_state_extend(other, s.st), PCS_ERR_SIZE);
    CK_FAILS(pcs_state_extend(NULL, s.st), PCS_ERR_ARG);
    pcs_model_destroy(other);
    scene_close(&s);
}

// ---- joints -------------------------------------------------------------------------------------

static void hold(scene *s, pcs_relation r, pcs_law law, pcs_system one, pcs_system two, bool touch)
{
    const pcs_interaction_def def = {r, law, one, two};
    pcs_interaction held;
    CK_OK(pcs_model_add_interaction(s->m, &def, &held));
    if (touch && law.kind != PCS_LAW_EQUALITY) {
        CK_FAILS(pcs_model_set_touching(s->m, held, true), PCS_ERR_ARG);
    } else if (touch) {
        CK_OK(pcs_model_set_touching(s->m, held, true));
    }
    CK_FAILS(pcs_model_set_touching(s->m, (pcs_interaction){held.id + 1}, true), PCS_ERR_ARG);
}

// random joints between balls that all overlap, some with permission to touch and some that are not
// equalities, against every pair
TEST(joined_systems_do_not_touch)
{
    test_random r = random_seed(7);
    for (int k = 0; k < TEST_DRAWS(30); ++k) {
        enum { n = 20 };
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        pcs_system ball[n];
        bool apart[n][n] = {0};
        for (int i = 0; i < n; ++i) {
            ball[i] = scene_ball(&s, 1, 1, (double[]){1e-3 * i * i, 1e-2 * i, 0}, NULL);
            scene_shape(&s, ball[i], pcs_shape_sphere(1), 0);
        }
        const int hub = (int)(n * random_unit(&r));
        for (int c = 0; c < 60; ++c) {
            const int i = c % 2 ? hub : (int)(n * random_unit(&r)), j = (int)(n * random_unit(&r));
            const bool touch = random_unit(&r) < 0.3, equal = random_unit(&r) < 0.7;
            if (i == j) continue;
            hold(&s, pcs_relation_distance((double[3]){0}, (double[3]){0}, 1),
                 equal ? pcs_law_equality() : pcs_law_newton_impact(0), ball[i], ball[j], touch);
            if (equal && !touch) apart[i][j] = apart[j][i] = true;
        }
        s.scheme.accept_unconverged = true;
        s.scheme.projection = PCS_PROJECTION_NONE;
        s.scheme.halvings = 0;
        s.scheme.solver.max_iters = 1;
        scene_start(&s);
        CK_OK(pcs_step(s.m, s.st, s.wk, 1e-6, &s.report));
        bool met[n][n] = {0};
        const pcs_contact *c;
        for (int i = scene_contacts(&s, &c) - 1; i >= 0; --i) {
            if (c[i].shape1 < 0) continue;
            met[c[i].shape1][c[i].shape2] = met[c[i].shape2][c[i].shape1] = true;
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                ck_assert_int_eq(met[i][j], i != j && !apart[i][j]);
            }
        }
        scene_close(&s);
    }
}

// ropes of capsules that share the ball at each joint, hung from the world or from a fixed block
TEST(overlapping_links_hang_on)
{
    for (int k = 0; k < 6; ++k) {
        enum { n = 12 };
        const double l = 0.1, lie[4] = {sqrt(0.5), 0, sqrt(0.5), 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_system last = {0}, hook = {0};
        const pcs_shape block = pcs_shape_box(0.1, 0.1, 0.1);
        if (k % 3 == 1)
            CK_OK(pcs_model_add_body(
                s.m, &(pcs_body_def){.fixed = true, .orientation = {1, 0, 0, 0}}, &hook));
        if (k % 3) scene_shape(&s, hook, block, 0);
        for (int i = 0; i < n; ++i) {
            pcs_body_def def = pcs_body_def_default();
            def.position[0] = l * (i + 0.5);
            memcpy(def.orientation, lie, sizeof lie);
            const pcs_shape link = pcs_shape_capsule(0.01, l);
            pcs_system next;
            CK_OK(pcs_model_add_solid(s.m, &def, 1, &link, 1000, (pcs_material){0}, &next));
            hold(&s,
                 pcs_relation_ball_joint((double[]){0, 0, -l / 2}, (double[]){0, 0, i ? l / 2 : 0}),
                 pcs_law_equality(), next, i ? last : hook, false);
            last = next;
        }
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, -0.8), 0);
        scene_start(&s);
        pcs_run_report report;
        CK_OK(pcs_run(s.m, s.st, s.wk, k < 3 ? 5e-3 : 2e-3, 1, NULL, NULL, &report));
        ck_assert_int_eq(report.doubt[PCS_DOUBT_OVERLAP].count, 0);
        ck_assert_int_eq(report.doubt[PCS_DOUBT_UNSOLVED].count, 0);
        scene_close(&s);
    }
}

// A door in its frame, on two joints, swings through it; a rod pinned to the floor at its end falls
// on it; so does a ball on a rod without shape, pinned within the floor. Frame and floor belong to
// the world.
TEST(the_world_is_left_only_where_a_joint_is_inside)
{
    for (int touch = 0; touch < 2; ++touch) {
        scene s = scene_open();
        scene_gravity(&s, 0, 0, 0);
        s.scheme = pcs_scheme_default();
        const double leaf[3] = {1, 0.04, 2}, x[3] = {0.5, 0, 0}, v[3] = {0, 0.5, 0};
        const double turn[3] = {0, 0, 1};
        const pcs_system door = scene_box(&s, 50, leaf, x, NULL, v, turn);
        scene_shape(&s, door, pcs_shape_box(1, 0.04, 2), 0);
        scene_shape(&s, (pcs_system){0}, pcs_shape_box(0.1, 0.1, 2), 0);
        for (int i = -1; i < 2; i += 2) {
            hold(&s,
                 pcs_relation_ball_joint((double[]){-0.5, 0, 0.9 * i}, (double[]){0, 0, 0.9 * i}),
                 pcs_law_equality(), door, (pcs_system){0}, touch);
        }
        scene_start(&s);
        pcs_run_report report;
        const pcs_status status = pcs_run(s.m, s.st, s.wk, 5e-3, 1, NULL, NULL, &report);
        ck_assert_int_eq(status, touch ? PCS_ERR_STEP : PCS_OK);
        // 1 rad/s; the error is of second order in the step
        if (!touch) CK_NEAR(scene_q(&s, door)[0], 0.5 * cos(1), 1e-3);
        if (touch) {
            const char *text = pcs_error_text();
            ck_assert_msg(strstr(text, "shapes 0 and 1") || strstr(text, "interaction"), "%s",
                          text);
            ck_assert_ptr_null(strstr(text, "smaller steps"));
        }
        scene_close(&s);
    }
    for (int bob = 0; bob < 2; ++bob) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const double edges[3] = {0.02, 0.02, 1}, lean[3] = {0.1, 0, 0}, low = bob ? 0 : 0.01;
        const pcs_system rod =
            scene_box(&s, 1, edges, (double[]){0, 0, low + 0.5}, NULL, lean, NULL);
        pcs_shape shape = bob ? pcs_shape_sphere(0.05) : pcs_shape_capsule(0.01, 1);
        if (bob) shape.position[2] = 0.5;
        scene_shape(&s, rod, shape, 0);
        scene_ground(&s, 0);
        hold(&s, pcs_relation_ball_joint((double[]){0, 0, -0.5}, (double[]){0, 0, low}),
             pcs_law_equality(), rod, (pcs_system){0}, false);
        scene_start(&s);
        pcs_run_report report;
        CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 4, NULL, NULL, &report));
        ck_assert_int_eq(report.doubt[PCS_DOUBT_OVERLAP].count, 0);
        // the pendulum lies: the bob on the floor, a metre away; the rod along its whole length
        CK_NEAR(scene_q(&s, rod)[2], bob ? 0.025 : 0.01, 1e-4);
        scene_close(&s);
    }
}
