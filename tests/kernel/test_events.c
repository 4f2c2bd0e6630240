// Events of contact: the pairs that begin and end to press, and their impulses against momentum.
#include "scene.h"

#include <string.h>

#include <percuss/parts.h>
#include <percuss/query.h>

static int events_of(const scene *s, const pcs_contact_event **e)
{
    int n = -1;
    CK_OK(pcs_work_events(s->wk, &n, e));
    return n;
}

// a ball that bounces: an event begins with each impact and ends in the next step; the impulse of
// the impact is the change of momentum
TEST(a_ball_bounces)
{
    scene s = scene_open();
    const double mass = 2, h = 1e-3;
    const pcs_system b = scene_ball(&s, mass, 0.1, (double[3]){0.3, 0, 0.5}, NULL);
    scene_ground(&s, 0.7);
    scene_shape(&s, b, pcs_shape_sphere(0.1), 0.7);
    scene_start(&s);
    CK_OK(pcs_work_watch_events(s.wk, true));
    int begun = 0, ended = 0;
    bool pressed = false;
    for (int k = 0; k < 1200; ++k) {
        const double v0 = scene_v(&s, b)[2];
        scene_step(&s, h);
        const double impulse = mass * (scene_v(&s, b)[2] - v0 + 9.81 * h);
        const pcs_contact_event *e;
        const int n = events_of(&s, &e);
        ck_assert_int_eq(n, pressed || impulse > 1e-9);
        if (n == 0) continue;
        ck_assert(e->shape1 == 1 && e->shape2 == 0 && e->system1.id == b.id && e->system2.id == 0);
        ck_assert_int_eq(e->begins, !pressed);
        ck_assert_int_eq(e->ends, !(impulse > 1e-9));
        CK_NEAR(e->impulse[2], impulse, 1e-11);
        CK_NEAR(e->normal, impulse, 1e-11);
        if (impulse > 1e-9) CK_NEAR(e->point[0], 0.3, 1e-12);
        pressed = impulse > 1e-9;
        begun += e->begins;
        ended += e->ends;
    }
    ck_assert_int_ge(begun, 3);
    ck_assert(ended == begun || ended + 1 == begun);
    scene_close(&s);
}

typedef struct pairs {
    int n, shape[400][2];
} pairs;

static bool has(const pairs *p, int a, int b)
{
    for (int i = 0; i < p->n; ++i) {
        if (p->shape[i][0] == a && p->shape[i][1] == b) return true;
    }
    return false;
}

// pairs with an impulse, by the contacts of the step
static void pressing(const scene *s, pairs *p)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    p->n = 0;
    for (int i = 0; i < n; ++i) {
        if (c[i].interaction != 0 || has(p, c[i].shape1, c[i].shape2)) continue;
        if (c[i].r[0] == 0 && c[i].r[1] == 0 && c[i].r[2] == 0) continue;
        p->shape[p->n][0] = c[i].shape1;
        p->shape[p->n++][1] = c[i].shape2;
    }
}

// over random scenes: the listed pairs, and their beginnings and ends, against the contacts of this
// step and the previous one; the impulses are those of pcs_work_pair_wrench, and their sum is the
// impulse of the contacts on a body
TEST(events_are_those_of_the_contacts)
{
    int begun = 0, ended = 0, stayed = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        scene s;
        scene_random_rough(&s, seed, 0.5);
        s.scheme = pcs_scheme_default();
        scene_start(&s);
        CK_OK(pcs_work_watch_events(s.wk, true));
        pairs before = {0}, now;
        for (int k = 0; k < 150; ++k) {
            scene_step(&s, 4e-3);
            if (s.report.substeps > 1) {
                pressing(&s, &before);
                continue;
            }
            pressing(&s, &now);
            const pcs_contact_event *e;
            const int n = events_of(&s, &e);
            int expected = now.n;
            for (int i = 0; i < before.n; ++i) {
                expected += !has(&now, before.shape[i][0], before.shape[i][1]);
            }
            ck_assert_int_eq(n, expected);
            for (int i = 0; i < n; ++i) {
                ck_assert_int_eq(e[i].begins, !has(&before, e[i].shape1, e[i].shape2));
                ck_assert_int_eq(e[i].ends, !has(&now, e[i].shape1, e[i].shape2));
                begun += e[i].begins;
                ended += e[i].ends;
                stayed += !e[i].begins && !e[i].ends;
            }
            for (int b = 1; b <= pcs_model_system_count(s.m); ++b) {
                double sum[3] = {0}, all[6], size = 0;
                pcs_work_contact_wrench(s.wk, (pcs_system){b}, all);
                for (int i = 1; i <= pcs_model_interaction_count(s.m); ++i) {
                    double w[6];
                    pcs_body_frame frame = pcs_body_frame_of((pcs_system){b});
                    frame.inertial = true;
                    if (pcs_work_reaction(s.wk, (pcs_interaction){i}, &frame, w) != PCS_OK)
                        continue;
                    for (int c = 0; c < 3; ++c) {
                        all[c] -= w[c];
                    }
                }
                pcs_body_def def;
                CK_OK(pcs_model_body(s.m, (pcs_system){b}, &def));
                if (def.fixed || def.motion) continue;
                for (int i = 0; i < n; ++i) {
                    const int sign = (e[i].system1.id == b) - (e[i].system2.id == b);
                    for (int c = 0; c < 3; ++c) {
                        sum[c] += sign * e[i].impulse[c];
                        size += fabs(e[i].impulse[c]);
                    }
                }
                expect_same(sum, all, 3, 1e-12 * (1 + size));
            }
            before = now;
        }
        scene_close(&s);
    }
    ck_assert(begun > 5 && ended > 0 && stayed > 5);
}

// a callback that fails beyond 0.6 of a step: the step is divided in two
typedef struct narrow {
    pcs_state *st;
    double h;
} narrow;

static int narrow_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    const narrow *n = user;
    memset(F, 0, 6 * sizeof *F);
    F[0] = t - n->st->t > 0.6 * n->h ? NAN : 0;
    return 0;
}

// in a divided step the events are those of all its parts: the sum is the change of momentum
TEST(events_of_a_divided_step)
{
    scene s = scene_open();
    const double mass = 2, h = 4e-3;
    narrow n = {.h = h};
    pcs_body_def def = pcs_body_def_default();
    def.position[0] = 9;
    def.force = narrow_force;
    def.user = &n;
    scene_add(&s, &def);
    const pcs_system b = scene_solid_ball(&s, mass, 0.1, (double[3]){0, 0, 0.12}, NULL, 0.9);
    scene_ground(&s, 0.9);
    s.scheme = pcs_scheme_default();
    scene_start(&s);
    n.st = s.st;
    CK_OK(pcs_work_watch_events(s.wk, true));
    int begun = 0, ended = 0, within = 0;
    double sum = 0;
    pairs before = {0}, now;
    for (int k = 0; k < 300; ++k) {
        const double v0 = scene_v(&s, b)[2];
        scene_step(&s, h);
        ck_assert_int_eq(s.report.substeps, 2);
        const pcs_contact_event *e;
        const int count = events_of(&s, &e);
        const double impulse = mass * (scene_v(&s, b)[2] - v0 + 9.81 * h);
        double found = 0;
        ck_assert_int_le(count, 1);
        pressing(&s, &now); // in the last part
        for (int i = 0; i < count; ++i) {
            ck_assert_int_eq(e[i].begins, before.n == 0);
            ck_assert_int_eq(e[i].ends, now.n == 0);
            within += e[i].begins && e[i].ends;
            found += e[i].impulse[2];
            begun += e[i].begins;
            ended += e[i].ends;
            ck_assert_int_ge(begun, ended);
        }
        CK_NEAR(found, impulse, 1e-12);
        sum += found;
        before = now;
    }
    ck_assert(begun >= 1 && begun - ended <= 1);
    ck_assert_int_ge(within, 1); // an impact in the first part
    CK_NEAR(sum, mass * (scene_v(&s, b)[2] + 9.81 * 300 * h), 1e-10);
    scene_close(&s);
}

// the same bits with and without events; and a copied state continues with the same events
TEST(events_change_nothing)
{
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        scene s;
        scene_random_rough(&s, seed, 0.4);
        scene_start(&s);
        pcs_state *plain;
        pcs_work *quiet, *other;
        CK_OK(pcs_state_create(s.m, &plain));
        CK_OK(pcs_work_create(s.m, &quiet));
        CK_OK(pcs_work_create(s.m, &other));
        CK_OK(pcs_work_watch_events(s.wk, true));
        CK_OK(pcs_work_watch_events(other, true));
        pcs_step_report report;
        for (int k = 0; k < 60; ++k) {
            CK_OK(pcs_step(s.m, plain, quiet, 3e-3, &report));
            scene_step(&s, 3e-3);
            ck_assert_uint_eq(pcs_state_hash(s.st), pcs_state_hash(plain));
        }
        for (int k = 0; k < 20; ++k) {
            const pcs_contact_event *a, *b;
            int n, m;
            CK_OK(pcs_step(s.m, plain, other, 3e-3, &report));
            scene_step(&s, 3e-3);
            n = events_of(&s, &a);
            CK_OK(pcs_work_events(other, &m, &b));
            ck_assert_int_eq(n, m);
            for (int i = 0; i < n; ++i) {
                ck_assert(a[i].shape1 == b[i].shape1 && a[i].shape2 == b[i].shape2);
                ck_assert(a[i].begins == b[i].begins && a[i].ends == b[i].ends);
                ck_assert_mem_eq(a[i].impulse, b[i].impulse, sizeof a[i].impulse);
            }
        }
        pcs_work_destroy(quiet);
        pcs_work_destroy(other);
        pcs_state_destroy(plain);
        scene_close(&s);
    }
}

// a stack at rest: once warm, neither the step nor the question allocates
TEST(events_of_a_warm_step_need_no_memory)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const double edges[3] = {0.3, 0.3, 0.2};
    for (int i = 0; i < 5; ++i) {
        const pcs_system b =
            scene_box(&s, 1, edges, (double[3]){0, 0, 0.1 + 0.2 * i}, NULL, NULL, NULL);
        scene_rough(&s, b, pcs_shape_box(0.3, 0.3, 0.2), 0, 0, 0.5);
    }
    scene_ground(&s, 0);
    scene_start(&s);
    const size_t without = pcs_work_held(s.wk);
    CK_OK(pcs_work_watch_events(s.wk, true));
    const pcs_contact_event *e;
    for (int k = 0; k < 5; ++k) {
        CK_OK(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report));
        events_of(&s, &e);
    }
    ck_assert_uint_gt(pcs_work_held(s.wk), without);
    const long before = s.memory->allocated;
    for (int k = 0; k < 50; ++k) {
        CK_OK(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report));
        ck_assert_int_eq(events_of(&s, &e), 5);
        for (int i = 0; i < 5; ++i) {
            ck_assert(!e[i].begins && !e[i].ends);
        }
    }
    ck_assert_int_eq(s.memory->allocated, before);
    scene_close(&s);
}

TEST(events_that_cannot_be_asked)
{
    scene s = scene_open();
    scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
    scene_ground(&s, 0);
    scene_start(&s);
    int n = 5;
    const pcs_contact_event *e = (const pcs_contact_event *)&n;
    CK_FAILS(pcs_work_events(s.wk, &n, &e), PCS_ERR_ARG);
    ck_assert(n == 0 && !e);
    CK_FAILS(pcs_work_events(NULL, &n, &e), PCS_ERR_ARG);
    CK_FAILS(pcs_work_events(s.wk, NULL, &e), PCS_ERR_ARG);
    CK_FAILS(pcs_work_watch_events(NULL, true), PCS_ERR_ARG);
    CK_OK(pcs_work_watch_events(s.wk, true));
    CK_OK(pcs_work_events(s.wk, &n, NULL));
    ck_assert_int_eq(n, 0);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(events_of(&s, &e), 1);

    CK_OK(pcs_work_watch_events(s.wk, false));
    CK_FAILS(pcs_work_events(s.wk, &n, &e), PCS_ERR_ARG);
    scene_close(&s);
}
