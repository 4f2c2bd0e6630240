// The state is complete: after it is copied, or saved and restored, in the middle of a run, the run
// continues with the same bits and with any work.
#include "scene.h"

#include <pthread.h>

#include "base/base.h"
#include "state/state.h"
#include "step/step.h"

// balls and boxes that fall on the ground and on one another, a pendulum and an oscillator
static void pile(scene *s, pcs_projection projection)
{
    *s = scene_open();
    s->scheme.projection = projection;
    scene_ground(s, 0.3);
    test_random r = random_seed(11);
    for (int i = 0; i < 6; ++i) {
        const double x[3] = {0.11 * (i % 3), 0.02 * i, 0.12 + 0.16 * (double)(i / 3)};
        const double v[3] = {random_normal(&r), 0, -random_unit(&r)};
        if (i % 2 == 0) {
            scene_solid_ball(s, 1 + i, 0.06, x, v, 0.5);
            continue;
        }
        double Q[4];
        random_quaternion(&r, Q);
        const double w[3] = {1, -2, 3}, edges[3] = {0.08, 0.06, 0.05};
        const pcs_system box = scene_box(s, 0.5, edges, x, Q, v, w);
        scene_shape(s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0.2);
    }
    const double anchor[3] = {0, 0, 2};
    const pcs_system bob = scene_ball(s, 1, 0.1, (double[3]){1, 0, 2}, NULL);
    scene_join(s, pcs_relation_distance((double[3]){0}, anchor, 1), pcs_law_equality(), bob,
               (pcs_system){0});
    const double mass = 1, stiffness = 100, q0 = 0.3;
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 1;
    def.mass = &mass;
    def.stiffness = &stiffness;
    def.q0 = &q0;
    const pcs_system slider = scene_add_lagrangian(s, &def);
    const double c = 1;
    scene_join(s, pcs_relation_linear(1, &c, 0.1), pcs_law_newton_impact(0.5), slider,
               (pcs_system){0});
    scene_start(s);
}

static const double h = 2e-3;

static void steps(scene *s, pcs_state *st, pcs_work *wk, int n)
{
    for (int i = 0; i < n; ++i) {
        pcs_step_report report;
        CK_OK(pcs_step(s->m, st, wk, h, &report));
        ck_assert_msg(report.committed, "step %d at t = %g: %s", i, st->t,
                      pcs_outcome_text(report.outcome));
    }
}

TEST(starts_from_the_definitions)
{
    scene s = scene_open();
    const double x[3] = {1, 2, 3}, v[3] = {4, 5, 6};
    const double Q[4] = {0, 3, 0, 4}, w[3] = {7, 8, 9}, edges[3] = {1, 1, 1};
    const pcs_system box = scene_box(&s, 1, edges, x, Q, v, w);
    pcs_body_def fixed = pcs_body_def_default();
    fixed.fixed = true;
    fixed.velocity[0] = 3;
    const pcs_system wall = scene_add(&s, &fixed);
    const double mass[4] = {1, 0, 0, 1}, q0[2] = {-1, -2}, v0[2] = {-3, -4};
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 2;
    def.mass = mass;
    def.q0 = q0;
    def.v0 = v0;
    const pcs_system lagrangian = scene_add_lagrangian(&s, &def);
    scene_start(&s);

    ck_assert_int_eq(s.st->nq, 16);
    ck_assert_int_eq(s.st->nv, 8);
    ck_assert(s.st->t == 0);
    const double *q = scene_q(&s, box), unit[4] = {0, 0.6, 0, 0.8};
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(q[3 + i], unit[i], 1e-16);
        if (i < 3) ck_assert(q[i] == x[i] && scene_v(&s, box)[i] == v[i]);
        if (i < 3) ck_assert(scene_v(&s, box)[3 + i] == w[i]);
    }
    ck_assert_ptr_eq(scene_q(&s, wall), s.st->q + 7);
    ck_assert_ptr_null(pcs_state_v(s.m, s.st, wall));
    ck_assert_ptr_eq(scene_q(&s, lagrangian), s.st->q + 14);
    ck_assert(scene_q(&s, lagrangian)[1] == -2 && scene_v(&s, lagrangian)[0] == -3);
    ck_assert_ptr_null(pcs_state_q(s.m, s.st, (pcs_system){0}));
    ck_assert_ptr_null(pcs_state_q(s.m, s.st, (pcs_system){4}));
    ck_assert_ptr_null(pcs_state_v(s.m, s.st, (pcs_system){-1}));
    scene_close(&s);
}

TEST(copies_are_equal_and_apart)
{
    scene s;
    pile(&s, PCS_PROJECTION_DIRECT);
    steps(&s, s.st, s.wk, 60);
    ck_assert_int_gt(s.st->memory->n, 0);
    pcs_state *copy;
    CK_OK(pcs_state_create(s.m, &copy));
    ck_assert(!pcs_state_equal(s.st, copy));
    CK_OK(pcs_state_copy(s.st, copy));
    ck_assert(pcs_state_equal(s.st, copy));
    ck_assert(pcs_state_hash(s.st) == pcs_state_hash(copy));
    CK_OK(pcs_state_copy(copy, copy));

    // one continues; the other waits, and then reaches the same bits
    steps(&s, s.st, s.wk, 20);
    ck_assert(!pcs_state_equal(s.st, copy));
    steps(&s, copy, s.wk, 20);
    ck_assert(pcs_state_equal(s.st, copy));

    CK_FAILS(pcs_state_copy(NULL, copy), PCS_ERR_ARG);
    CK_FAILS(pcs_state_copy(copy, NULL), PCS_ERR_ARG);
    scene other = scene_open();
    scene_start(&other);
    CK_FAILS(pcs_state_copy(s.st, other.st), PCS_ERR_SIZE);
    scene_close(&other);
    pcs_state_destroy(copy);
    scene_close(&s);
}

TEST(every_field_counts)
{
    scene s;
    pile(&s, PCS_PROJECTION_DIRECT);
    steps(&s, s.st, s.wk, 60);
    pcs_state *st;
    CK_OK(pcs_state_create(s.m, &st));
    CK_OK(pcs_state_copy(s.st, st));
    const unsigned long long hash = pcs_state_hash(s.st);

    // the smallest change of each number
    double *number[8] = {&st->t, &st->q[0], &st->q[st->nq - 1], &st->v[0], &st->v[st->nv - 1]};
    number[5] = &st->memory->contact[0].r[0];
    number[6] = &st->memory->contact[st->memory->n - 1].r[2];
    for (int i = 0; i < 7; ++i) {
        const double old = *number[i];
        *number[i] = nextafter(old, INFINITY);
        ck_assert_msg(!pcs_state_equal(s.st, st), "number %d", i);
        ck_assert_msg(pcs_state_hash(st) != hash, "number %d", i);
        *number[i] = old;
        ck_assert(pcs_state_equal(s.st, st));
    }
    st->memory->contact[0].active ^= 1;
    ck_assert(!pcs_state_equal(s.st, st) && pcs_state_hash(st) != hash);
    st->memory->contact[0].active ^= 1;
    st->memory->contact[0].key.feature ^= 4;
    ck_assert(!pcs_state_equal(s.st, st) && pcs_state_hash(st) != hash);
    st->memory->contact[0].key.feature ^= 4;
    st->memory->n -= 1;
    ck_assert(!pcs_state_equal(s.st, st) && pcs_state_hash(st) != hash);
    pcs_state_destroy(st);
    scene_close(&s);
}

static void restore_in_the_middle(pcs_projection projection)
{
    scene s;
    pile(&s, projection);
    steps(&s, s.st, s.wk, 70);
    const size_t bytes = pcs_state_save_bytes(s.st);
    unsigned char *saved = malloc(bytes);
    pcs_state_save(s.st, saved);
    steps(&s, s.st, s.wk, 80);

    // into a fresh state, stepped with a fresh work
    pcs_state *st;
    pcs_work *wk;
    CK_OK(pcs_state_create(s.m, &st));
    CK_OK(pcs_work_create(s.m, &wk));
    CK_OK(pcs_state_load(st, saved, bytes));
    unsigned char *again = malloc(bytes);
    ck_assert_uint_eq(pcs_state_save_bytes(st), bytes);
    pcs_state_save(st, again);
    ck_assert(memcmp(saved, again, bytes) == 0);
    steps(&s, st, wk, 80);
    ck_assert(pcs_state_equal(s.st, st));
    free(saved);
    free(again);
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    scene_close(&s);
}

TEST(a_restored_run_goes_on_bitwise)
{
    restore_in_the_middle(PCS_PROJECTION_NONE);
    restore_in_the_middle(PCS_PROJECTION_DIRECT);
    restore_in_the_middle(PCS_PROJECTION_DIRECT_HYSTERESIS);
    restore_in_the_middle(PCS_PROJECTION_COMBINED);
}

// where a plate lands that turns by 0.1 to 0.3 rad in a step, a feature has a row at the start of
// the step and one where it meets the floor; the state remembers it once
TEST(every_state_of_a_tumbling_plate_can_be_restored)
{
    for (int k = 0; k < 12; ++k) {
        const double edges[3] = {0.1, 0.2, 0.02}, x[3] = {0, 0, 0.3}, omega[3] = {25 + 5 * k, 3, 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system plate = scene_box(&s, 0.24, edges, x, NULL, NULL, omega);
        scene_rough(&s, plate, pcs_shape_box(0.1, 0.2, 0.02), 0, 0, k % 2 ? 0.4 : 0);
        scene_ground(&s, 0);
        scene_start(&s);
        pcs_state *st;
        CK_OK(pcs_state_create(s.m, &st));
        for (int i = 0; i < 150; ++i) {
            scene_step(&s, 4e-3);
            const size_t bytes = pcs_state_save_bytes(s.st);
            unsigned char *saved = malloc(bytes);
            pcs_state_save(s.st, saved);
            CK_OK(pcs_state_load(st, saved, bytes));
            ck_assert(pcs_state_equal(s.st, st));
            free(saved);
        }
        pcs_state_destroy(st);
        scene_close(&s);
    }
}

TEST(the_same_run_gives_the_same_bits)
{
    unsigned long long hash[2];
    for (int i = 0; i < 2; ++i) {
        scene s;
        pile(&s, PCS_PROJECTION_DIRECT);
        steps(&s, s.st, s.wk, 150);
        hash[i] = pcs_state_hash(s.st);
        scene_close(&s);
    }
    ck_assert(hash[0] == hash[1]);
}

// works that were used with other states, or not at all, before each step
TEST(the_work_does_not_affect_the_result)
{
    scene s;
    pile(&s, PCS_PROJECTION_COMBINED);
    pcs_state *other, *third;
    CK_OK(pcs_state_create(s.m, &other));
    CK_OK(pcs_state_create(s.m, &third));
    steps(&s, s.st, s.wk, 100);

    // alternating on one work with a state at another place and with other step sizes
    pcs_work *shared;
    CK_OK(pcs_work_create(s.m, &shared));
    for (int i = 0; i < 100; ++i) {
        pcs_step_report report;
        CK_OK(pcs_step(s.m, third, shared, 1e-3 * (1 + i % 3), &report));
        steps(&s, other, shared, 1);
    }
    ck_assert(pcs_state_equal(s.st, other));

    // a fresh work for each step
    pcs_state_destroy(other);
    CK_OK(pcs_state_create(s.m, &other));
    for (int i = 0; i < 100; ++i) {
        pcs_work *fresh;
        CK_OK(pcs_work_create(s.m, &fresh));
        steps(&s, other, fresh, 1);
        pcs_work_destroy(fresh);
    }
    ck_assert(pcs_state_equal(s.st, other));
    pcs_work_destroy(shared);
    pcs_state_destroy(other);
    pcs_state_destroy(third);
    scene_close(&s);
}

static int rotating_mass(void *user, const double *q, double *M)
{
    const int n = *(int *)user;
    for (int i = 0; i < n; ++i) {
        M[i + n * i] = 2 + sin(q[i]);
    }
    return 0;
}

static int rotating_force(void *user, double t, const double *q, const double *v, double *F)
{
    const int n = *(int *)user;
    for (int i = 0; i < n; ++i) {
        F[i] = cos(t) - q[i] - 0.5 * cos(q[i]) * v[i] * v[i];
    }
    return 0;
}

// from any initial memory the work grows to the need of a step: allocations fail at every place,
// and the step is the same
TEST(the_arena_may_end_at_any_place)
{
    for (int k = 0; k < 3; ++k) {
        int n = 40;
        scene s;
        scene_random(&s, 5);
        s.scheme.configuration = PCS_CONFIGURATION_ITERATE;
        s.scheme.newton_max = 300;
        if (k == 0) {
            s.scheme.theta = 1;
            s.scheme.activation = PCS_ACTIVATION_SPECULATIVE;
            s.scheme.configuration = PCS_CONFIGURATION_START;
        }
        s.scheme.projection = k == 2 ? PCS_PROJECTION_COMBINED : PCS_PROJECTION_DIRECT;
        const pcs_lagrangian_def def = {
            .n = n, .mass_fn = rotating_mass, .force = rotating_force, .user = &n};
        CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
        scene_start(&s);
        pcs_state *st;
        CK_OK(pcs_state_create(s.m, &st));
        CK_OK(pcs_step(s.m, s.st, s.wk, 2e-3, &s.report));
        ck_assert_int_gt(s.report.active, 0);
        const size_t demand = s.wk->peak;
        for (size_t size = 0; size <= demand; size += 576) {
            pcs_state *fresh;
            pcs_arena_destroy(&s.env, &s.wk->arena);
            CK_OK(pcs_arena_create(&s.env, size, &s.wk->arena));
            CK_OK(pcs_state_create(s.m, &fresh));
            CK_OK(pcs_step(s.m, fresh, s.wk, 2e-3, NULL));
            ck_assert(pcs_state_equal(fresh, s.st));
            pcs_state_destroy(fresh);
        }
        pcs_state_destroy(st);
        scene_close(&s);
    }
}

// ---- threads

typedef struct job {
    const pcs_model *m;
    pcs_state *st;
    bool good;
} job;

static void *work_on(void *arguments)
{
    job *j = arguments;
    pcs_work *wk;
    j->good = pcs_work_create(j->m, &wk) == PCS_OK;
    for (int i = 0; i < 60 && j->good; ++i) {
        pcs_step_report report;
        j->good = pcs_step(j->m, j->st, wk, 2e-3, &report) == PCS_OK && report.committed;
    }
    pcs_work_destroy(wk);
    return NULL;
}

// states of one model make steps at the same time, with the same bits as one after the other
TEST(states_step_side_by_side)
{
    scene s;
    pile(&s, PCS_PROJECTION_DIRECT);
    enum { THREADS = 4 };
    job jobs[THREADS];
    pthread_t thread[THREADS];
    pcs_state *st[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        CK_OK(pcs_state_create(s.m, &st[i]));
        jobs[i] = (job){.m = s.m, .st = st[i]};
    }
    for (int i = 0; i < THREADS; ++i) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work_on, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    }
    steps(&s, s.st, s.wk, 60);
    for (int i = 0; i < THREADS; ++i) {
        ck_assert(jobs[i].good);
        ck_assert(pcs_state_equal(st[i], s.st));
        pcs_state_destroy(st[i]);
    }
    scene_close(&s);
}

TEST(bytes_that_are_not_a_state_are_refused)
{
    scene s;
    pile(&s, PCS_PROJECTION_DIRECT);
    steps(&s, s.st, s.wk, 60);
    const size_t bytes = pcs_state_save_bytes(s.st);
    unsigned char *saved = malloc(bytes + 8), *bad = malloc(bytes + 8);
    memset(saved, 0, bytes + 8);
    pcs_state_save(s.st, saved);
    pcs_state *st;
    CK_OK(pcs_state_create(s.m, &st));
    steps(&s, st, s.wk, 3);
    const unsigned long long before = pcs_state_hash(st);

    // every shorter length, and a longer one
    for (size_t n = 0; n < bytes; ++n) {
        const pcs_status status = pcs_state_load(st, saved, n);
        ck_assert(status == PCS_ERR_FORMAT || status == PCS_ERR_SIZE);
    }
    CK_FAILS(pcs_state_load(st, saved, bytes + 8), PCS_ERR_SIZE);
    CK_FAILS(pcs_state_load(st, NULL, bytes), PCS_ERR_ARG);
    CK_FAILS(pcs_state_load(NULL, saved, bytes), PCS_ERR_ARG);

    // every bit of every byte, every byte replaced, every word replaced by a NaN, and exchanged
    // bytes: refused, and the state is unchanged
    for (size_t at = 0; at < bytes; ++at) {
        for (int k = 0; k < 11; ++k) {
            const double nan = NAN;
            memcpy(bad, saved, bytes);
            if (k < 8) bad[at] ^= (unsigned char)(1u << k);
            if (k == 8) bad[at] = (unsigned char)~bad[at];
            if (k == 9 && at + 8 <= bytes) memcpy(bad + at, &nan, sizeof nan);
            if (k == 10 && at > 0) bad[at] = saved[at - 1], bad[at - 1] = saved[at];
            if (memcmp(bad, saved, bytes) == 0) continue;
            const pcs_status status = pcs_state_load(st, bad, bytes);
            ck_assert_msg(status == PCS_ERR_FORMAT || status == PCS_ERR_SIZE, "byte %zu: %d", at,
                          (int)status);
            ck_assert(pcs_state_hash(st) == before);
        }
    }
    ck_assert(pcs_state_hash(st) == before);
    free(saved);
    free(bad);
    pcs_state_destroy(st);
    scene_close(&s);
}

// a state of another model, with other sizes
TEST(bytes_of_another_model_are_refused)
{
    scene a = scene_open(), b = scene_open();
    const double o[3] = {0};
    scene_ball(&a, 1, 0.1, o, NULL);
    scene_ball(&b, 1, 0.1, o, NULL);
    scene_ball(&b, 1, 0.1, (double[3]){1, 0, 0}, NULL);
    scene_start(&a);
    scene_start(&b);
    const size_t bytes = pcs_state_save_bytes(a.st);
    void *saved = malloc(bytes);
    pcs_state_save(a.st, saved);
    CK_FAILS(pcs_state_load(b.st, saved, bytes), PCS_ERR_SIZE);
    free(saved);
    scene_close(&a);
    scene_close(&b);
}

// a state without a system that was added since
TEST(a_state_must_be_extended)
{
    scene s = scene_open();
    const double o[3] = {0}, v[3] = {1, 2, 3};
    double p[3], E;
    scene_ball(&s, 1, 0.1, o, v);
    scene_start(&s);
    scene_ball(&s, 2, 0.1, (double[3]){1, 0, 0}, v);
    CK_SAYS(pcs_state_momentum(s.m, s.st, p, NULL), PCS_ERR_SIZE, "pcs_state_extend");
    CK_SAYS(pcs_state_kinetic_energy(s.m, s.st, &E), PCS_ERR_SIZE, "pcs_state_extend");
    CK_SAYS(pcs_state_potential_energy(s.m, s.st, &E), PCS_ERR_SIZE, "pcs_state_extend");
    CK_FAILS(pcs_state_momentum(s.m, NULL, p, NULL), PCS_ERR_ARG);
    CK_OK(pcs_state_extend(s.m, s.st));
    CK_OK(pcs_state_momentum(s.m, s.st, p, NULL));
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(p[i], 3 * v[i], 1e-14);
    }
    scene_close(&s);
}

TEST(energies_and_momenta)
{
    scene s = scene_open();
    scene_gravity(&s, 1, -2, 3);
    const double edges[3] = {0.1, 0.2, 0.3}, x[3] = {1, 2, 3}, v[3] = {3, -1, 2}, w[3] = {5, 6, 7};
    double Q[4], J[9], R[9];
    test_random r = random_seed(2);
    random_quaternion(&r, Q);
    scene_box(&s, 2, edges, x, Q, v, w);
    const double M[4] = {2, 0.5, 0.5, 1}, K[4] = {10, 1, 1, 20}, load[2] = {3, 4};
    const double q0[2] = {0.5, -1}, v0[2] = {2, 3};
    pcs_lagrangian_def def = {.n = 2, .mass = M, .stiffness = K, .load = load};
    def.q0 = q0;
    def.v0 = v0;
    CK_OK(pcs_model_add_lagrangian(s.m, &def, NULL));
    scene_start(&s);

    memcpy(J, pcs_inertia_box(2, 0.1, 0.2, 0.3).J, sizeof J);
    pcs_quat_to_matrix(Q, R);
    const double spin = 0.5 * (J[0] * 25 + J[4] * 36 + J[8] * 49);
    CK_NEAR(scene_kinetic(&s), 14 + spin + 0.5 * (2 * 4 + 2 * 0.5 * 6 + 9), 1e-13);
    CK_NEAR(scene_potential(&s), -2 * (1 - 4 + 9) + 0.5 * (10 * 0.25 - 2 * 0.5 + 20) - (1.5 - 4),
            1e-13);
    double p[3], L[3];
    CK_OK(pcs_state_momentum(s.m, s.st, p, L));
    const double Jw[3] = {J[0] * 5, J[4] * 6, J[8] * 7};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        CK_NEAR(p[i], 2 * v[i], 1e-14);
        CK_NEAR(L[i],
                2 * (x[j] * v[k] - x[k] * v[j]) + R[i] * Jw[0] + R[i + 3] * Jw[1] +
                    R[i + 6] * Jw[2],
                1e-13);
    }
    CK_OK(pcs_state_momentum(s.m, s.st, NULL, NULL));
    scene_close(&s);
}
