// The step of dense scenes: no overlap at its end, an energy ledger that closes, the same bits for
// any number of threads, divided steps, and the report about them.
#include "scene.h"

#include <string.h>

#include "solver/solver.h"
#include "state/state.h"

#define SIZE 0.12

enum { SIDE = 3, BODIES = SIDE * SIDE * SIDE, PLANES = 5 };

typedef struct heap {
    scene s;
    pcs_shape shape[PLANES + BODIES]; // in the order of their addition
    pcs_system of[PLANES + BODIES];
} heap;

static void put(heap *p, int i, pcs_system on, pcs_shape shape)
{
    p->shape[i] = shape;
    p->of[i] = on;
    scene_rough(&p->s, on, shape, 0, 0, 0.5);
}

// a lattice of balls and rotated boxes above an open box
static void heap_open(heap *p, int threads, double tol)
{
    scene *s = &p->s;
    *s = scene_open();
    s->scheme = pcs_scheme_dense(tol, SIZE);
    s->scheme.accept_unconverged = true;
    const double n[PLANES][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < PLANES; ++k) {
        put(p, k, (pcs_system){0}, pcs_shape_half_space(n[k], k == 0 ? 0 : -0.085 * SIDE));
    }
    test_random r = random_seed(5);
    const double edges[3] = {SIZE, 0.8 * SIZE, 0.6 * SIZE};
    for (int i = 0; i < BODIES; ++i) {
        const double x[3] = {0.15 * (i % SIDE - 0.5 * (SIDE - 1)) + 0.01 * random_unit(&r),
                             0.15 * (i / SIDE % SIDE - 0.5 * (SIDE - 1)),
                             0.1 + 0.15 * (i / SIDE / SIDE)};
        double Q[4];
        for (int j = 0; j < 4; ++j) {
            Q[j] = random_normal(&r);
        }
        if (i % 3 == 0) {
            put(p, PLANES + i, scene_ball(s, 1, 0.5 * SIZE, x, NULL), pcs_shape_sphere(0.5 * SIZE));
        } else {
            put(p, PLANES + i, scene_box(s, 1, edges, x, Q, NULL, NULL),
                pcs_shape_box(edges[0], edges[1], edges[2]));
        }
    }
    scene_start(s);
    CK_OK(pcs_work_set_threads(s->wk, threads));
}

// the deepest overlap of all pairs
static double deepest(heap *p)
{
    double d = 0;
    for (int i = 0; i < PLANES + BODIES; ++i) {
        for (int j = i + 1; j < PLANES + BODIES; ++j) {
            if (j < PLANES) continue;
            const double *qi = i < PLANES ? NULL : scene_q(&p->s, p->of[i]);
            const double *qj = scene_q(&p->s, p->of[j]);
            d = fmax(d, pair_depth(&p->shape[j], qj, &p->shape[i], qi));
        }
    }
    return d;
}

TEST(a_heap_does_not_overlap)
{
    heap p;
    heap_open(&p, 1, 1e-6);
    const double E0 = scene_kinetic(&p.s) + scene_potential(&p.s);
    double E = E0;
    int bad = 0;
    for (int i = 0; i < 160; ++i) {
        scene_step(&p.s, 0.005);
        const pcs_step_report *r = &p.s.report;
        bad += r->outcome != PCS_OUTCOME_CONVERGED;
        if (r->projection_outcome == PCS_OUTCOME_CONVERGED) {
            const double d = deepest(&p);
            ck_assert_msg(d <= p.s.scheme.proj_tol, "overlap %g in step %d", d, i);
            CK_NEAR(d, r->penetration, 1e-12);
        }

        // nothing but the projection adds energy, and the energy ledger closes
        CK_NEAR(r->energy.closure, 0, 1e-11 * E0);
        const double now = scene_kinetic(&p.s) + scene_potential(&p.s);
        CK_NEAR(r->energy.kinetic_after + r->energy.potential_after, now, 1e-11 * E0);
        ck_assert_msg(now <= E + fmax(0, r->energy.projection) + 1e-6 * E0,
                      "energy rises from %g to %g in step %d", E, now, i);
        E = now;

        ck_assert(r->islands >= 0 && r->islands <= BODIES);
        ck_assert(r->times.detect + r->times.solve + r->times.project <= r->times.total);
        ck_assert_int_eq(r->substeps, 1);
    }
    ck_assert_msg(bad <= 10, "%d steps did not converge", bad);

    // the heap has fallen
    ck_assert_msg(E < 0.8 * E0, "energy %g of %g", E, E0);
    scene_close(&p.s);
}

TEST(threads_do_not_change_the_bits)
{
    static const int teams[3] = {1, 2, 3};
    unsigned long long hash[3];
    for (int k = 0; k < 3; ++k) {
        heap p;
        heap_open(&p, teams[k], 1e-4);
        for (int i = 0; i < 100; ++i) {
            scene_step(&p.s, 0.005);
        }
        hash[k] = pcs_state_hash(p.s.st);
        scene_close(&p.s);
    }
    ck_assert(hash[1] == hash[0]);
    ck_assert(hash[2] == hash[0]);
}

// the limit of sweeps bounds the work: a step makes no more
TEST(a_budget_ends_the_sweeps)
{
    heap p;
    heap_open(&p, 1, 1e-12);
    p.s.scheme.solver.max_iters = 7;
    CK_OK(pcs_model_set_scheme(p.s.m, &p.s.scheme));
    int cut = 0;
    for (int i = 0; i < 60; ++i) {
        scene_step(&p.s, 0.005);
        const pcs_step_report *r = &p.s.report;
        // passes may differ in their islands; each island has a contact or joint
        ck_assert_int_le(r->sweeps, 7 * r->solves * r->candidates);
        ck_assert_int_eq(r->finish_iters, 0);
        cut += r->sweeps > 0 && r->outcome == PCS_OUTCOME_MAX_ITERS;
    }
    ck_assert_int_ge(cut, 1);
    scene_close(&p.s);
}

// the vertical impulse of contacts on a body by their events, N s
static double pushed_by_events(scene *s, pcs_system body)
{
    int n;
    const pcs_contact_event *e;
    double sum = 0;
    CK_OK(pcs_work_events(s->wk, &n, &e));
    for (int i = 0; i < n; ++i) {
        if (e[i].system1.id == body.id) sum += e[i].impulse[2];
        if (e[i].system2.id == body.id) sum -= e[i].impulse[2];
    }
    return sum;
}

// a force that takes its time, and has no value beyond 0.6 of a step
typedef struct slow {
    const pcs_state *st;
    double h, lost; // s spent where there is no value
} slow;

static int slow_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    slow *x = user;
    memset(F, 0, 6 * sizeof *F);
    if (t - x->st->t <= 0.6 * x->h) return 0;
    const double start = solver_clock();
    while (solver_clock() < start + 1e-4) {
    }
    x->lost += solver_clock() - start;
    F[0] = NAN;
    return 0;
}

// the times of a step are those of all its attempts, and of the stage in which one fails
TEST(times_count_failed_attempts)
{
    slow x = {.h = 0.01};
    scene s = scene_open();
    s.scheme.halvings = 2;
    pcs_body_def def = pcs_body_def_default();
    def.force = slow_force;
    def.user = &x;
    for (int k = 0; k < 16; ++k) {
        def.position[0] = k;
        scene_add(&s, &def);
    }
    scene_start(&s);
    x.st = s.st;
    scene_step(&s, x.h);
    const pcs_step_report *r = &s.report;
    ck_assert_int_ge(r->substeps, 2);
    ck_assert(x.lost > 0);
    ck_assert(r->times.total == r->seconds);
    ck_assert(r->times.detect + r->times.solve + r->times.project <= r->times.total);
    ck_assert_msg(r->times.solve >= x.lost, "solve %g s, of which %g s in a force", r->times.solve,
                  x.lost);
    scene_close(&s);
}

// Sweeps are slow for a column with a heavy ball on light ones. Where their part of the budget ends
// them the step is divided even if it may be accepted, and made undivided since the parts fail.
// Events and contacts then belong to the undivided step: with gravity they give the change of
// momentum.
TEST(a_step_whose_parts_fail_is_accepted_undivided)
{
    enum { COLUMN = 8 };
    const double heavy = 1e6;
    const double h = 0.005, up[3] = {0, 0, 1};
    scene s = scene_open();
    pcs_system on[COLUMN];

    s.scheme = pcs_scheme_dense(1e-10, SIZE);
    s.scheme.projection = PCS_PROJECTION_NONE;
    s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    s.scheme.solver.tol = 1e-10;
    s.scheme.solver.max_iters = 10000000;
    s.scheme.halvings = 2;
    s.scheme.accept = 1;
    s.scheme.budget = 2e7;
    scene_gravity(&s, 0, 0, -9.81);
    for (int k = 0; k < COLUMN; ++k) {
        const double x[3] = {0, 0, SIZE * (k + 0.5)};
        on[k] = scene_ball(&s, k == COLUMN - 1 ? heavy : 1, 0.5 * SIZE, x, NULL);
        scene_rough(&s, on[k], pcs_shape_sphere(0.5 * SIZE), 0, 0, 0.5);
    }
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(up, 0), 0, 0, 0.5);
    scene_start(&s);
    CK_OK(pcs_work_watch_events(s.wk, true));
    scene_step(&s, h);
    const pcs_step_report *r = &s.report;
    ck_assert_int_eq(r->outcome, PCS_OUTCOME_MAX_ITERS);
    ck_assert_int_eq(r->substeps, 1);
    ck_assert(r->units > 0.5 * r->budget); // more than one attempt may use
    for (int k = 0; k < COLUMN; ++k) {
        const double mass = k == COLUMN - 1 ? heavy : 1;
        const double gained = mass * (scene_v(&s, on[k])[2] + 9.81 * h); // from rest
        double w[6];
        pcs_work_contact_wrench(s.wk, on[k], w);
        CK_NEAR(pushed_by_events(&s, on[k]), gained, 1e-10 * heavy * 9.81 * h);
        CK_NEAR(w[2], gained, 1e-10 * heavy * 9.81 * h);
    }
    scene_close(&s);
}

// a scheme that accepts every step also accepts one whose parts use up the budget
TEST(a_step_without_remaining_budget_is_accepted)
{
    const double h = 0.005;
    int over = 0;
    heap p;
    heap_open(&p, 1, 1e-12);
    p.s.scheme.halvings = 3;
    p.s.scheme.accept = 0;
    p.s.scheme.budget = 1e6;
    CK_OK(pcs_model_set_scheme(p.s.m, &p.s.scheme));
    for (int i = 0; i < 60; ++i) {
        scene_step(&p.s, h);
        ck_assert(p.s.report.committed);
        CK_NEAR(p.s.st->t, h * (i + 1), 1e-12);
        over += p.s.report.units > 0.5 * p.s.report.budget;
    }
    ck_assert_int_gt(over, 0);
    scene_close(&p.s);
}

// a body that rotates fast: the Newton loop of a long step needs more iterations than its limit
static void spin(scene *s, int halvings)
{
    *s = scene_open();
    s->scheme.newton_max = 2;
    s->scheme.halvings = halvings;
    const double edges[3] = {0.1, 0.2, 0.5}, x[3] = {0}, omega[3] = {3, 20, 6};
    scene_box(s, 1, edges, x, NULL, NULL, omega);
    scene_start(s);
}

TEST(a_step_is_divided_until_it_converges)
{
    const double h = 0.05;
    scene whole, parts;
    pcs_step_report r;
    spin(&whole, 0);
    const unsigned long long before = pcs_state_hash(whole.st);
    CK_OK(pcs_step(whole.m, whole.st, whole.wk, h, &r));
    ck_assert(!r.committed && r.outcome == PCS_OUTCOME_MAX_ITERS);
    ck_assert(pcs_state_hash(whole.st) == before);
    scene_close(&whole);

    // divided into as many parts as necessary, with the same bits as if the caller had made the
    // parts
    spin(&whole, 8);
    CK_OK(pcs_step(whole.m, whole.st, whole.wk, h, &r));
    ck_assert(r.committed && r.outcome == PCS_OUTCOME_CONVERGED);
    ck_assert_int_ge(r.substeps, 2);
    CK_NEAR(whole.st->t, h, 1e-15);
    const double K0 = r.energy.kinetic_before, K1 = r.energy.kinetic_after;
    CK_NEAR(r.energy.closure, 0, 1e-12 * K0);
    CK_NEAR(K1 - K0, r.energy.conservative + r.energy.gyroscopic + r.energy.newton, 1e-11 * K0);
    CK_NEAR(K1, scene_kinetic(&whole), 1e-13 * K0);

    spin(&parts, 0);
    CK_NEAR(K0, scene_kinetic(&parts), 1e-13 * K0);
    for (int i = 0; i < r.substeps; ++i) {
        scene_step(&parts, h / r.substeps);
    }
    for (int i = 0; i < 7; ++i) {
        CK_NEAR(whole.st->q[i], parts.st->q[i], 1e-9);
    }
    scene_close(&parts);
    scene_close(&whole);

    // too few divisions: the state does not change
    spin(&whole, 1);
    whole.scheme.newton_max = 1;
    CK_OK(pcs_model_set_scheme(whole.m, &whole.scheme));
    CK_OK(pcs_step(whole.m, whole.st, whole.wk, h, &r));
    ck_assert(!r.committed);
    ck_assert(pcs_state_hash(whole.st) == before);
    scene_close(&whole);
}

// ---- few steps of the finish -------------------------------------------------------------------

// boxes of one size on one another, the lowest on the ground or on two fixed blocks
typedef struct rest {
    double edges[3], mass[2]; // mass 0: unused
    bool blocks;
} rest;

static void rest_open(scene *s, const rest *c, pcs_system on[2])
{
    const double half = 0.5 * c->edges[2], block[3] = {0.1, 0.3, 0.1};
    const pcs_shape shape = pcs_shape_box(c->edges[0], c->edges[1], c->edges[2]);
    *s = scene_open();
    s->scheme = pcs_scheme_dense(1e-10, c->edges[2]);
    scene_gravity(s, 0, 0, -9.81);
    for (int i = 0; i < 2 && c->mass[i] > 0; ++i) {
        const double x[3] = {0, 0, half * (2 * i + 1) + (c->blocks ? block[2] : 0)};
        on[i] = scene_box(s, c->mass[i], c->edges, x, NULL, NULL, NULL);
        scene_rough(s, on[i], shape, 0, 0, 0.5);
    }
    for (int i = 0; i < 2 && c->blocks; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.fixed = true;
        def.position[0] = i == 0 ? -0.2 : 0.2;
        def.position[2] = 0.5 * block[2];
        const pcs_system fixed = scene_add(s, &def);
        scene_rough(s, fixed, pcs_shape_box(block[0], block[1], block[2]), 0, 0, 0.5);
    }
    const double up[3] = {0, 0, 1};
    if (!c->blocks) scene_rough(s, (pcs_system){0}, pcs_shape_half_space(up, 0), 0, 0, 0.5);
    scene_start(s);
}

// lifted, shifted and pushed a little
static void push(scene *s, pcs_system b, test_random *r)
{
    double *q = scene_q(s, b), *v = scene_v(s, b);
    for (int i = 0; i < 3; ++i) {
        q[i] += 1e-3 * (i < 2 ? random_normal(r) : random_unit(r));
    }
    for (int i = 0; i < 6; ++i) {
        v[i] += 5e-3 * random_normal(r);
    }
}

TEST(rest_takes_few_steps_of_the_finish)
{
    const rest scenes[] = {{{1, 1, 1}, {1000, 0}, false},
                           {{0.6, 0.2, 0.04}, {4.8, 0}, true},
                           {{1, 1, 1}, {1, 1e4}, false}};
    int called = 0;
    for (int k = 0; k < 12; ++k) {
        enum { PUSH = 5, STEPS = 80 };
        const rest *c = &scenes[k % 3];
        test_random r = random_seed(40 + (uint64_t)k);
        scene s;
        pcs_system on[2];
        rest_open(&s, c, on);
        int warm = 0;
        for (int i = 0; i < STEPS; ++i) {
            // the heavy box is not pushed: otherwise the assembled portfolio would have to solve it
            for (int j = 0; i == PUSH && k % 3 < 2 && j < 2 && c->mass[j] > 0; ++j) {
                push(&s, on[j], &r);
            }
            scene_step(&s, 0.005);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(s.report.solve.measure.residual, 1e-10);
            ck_assert_int_le(s.report.sweeps, 200);
            called += s.report.finish_iters;
            if (i == 0) ck_assert_int_le(s.report.finish_iters, 30);
            if (i >= PUSH) warm += s.report.finish_iters;
        }
        ck_assert_int_le(warm, 3 * (STEPS - PUSH));
        scene_close(&s);
    }
    // the finish was needed
    ck_assert_int_gt(called, 0);
}

// What a state remembers of the finish is a part of it: a copy and a saved state go on with the
// same bits
TEST(the_last_kappa_is_in_the_state)
{
    const rest scenes[] = {{{0.6, 0.2, 0.04}, {4.8, 0}, true}, {{1, 1, 1}, {1000, 0}, false}};
    int found = 0;
    for (int k = 0; k < 6; ++k) {
        test_random r = random_seed(60 + (uint64_t)k);
        scene s;
        pcs_system on[2];
        rest_open(&s, &scenes[k % 2], on);
        pcs_state *other = NULL;
        CK_OK(pcs_state_create(s.m, &other));
        for (int i = 0; i < 40; ++i) {
            if (i % 10 == 5) push(&s, on[0], &r);
            scene_step(&s, 0.005);
            if (!(s.st->memory->kappa > 0)) continue;
            found += 1;
            if (i % 2 == 0) {
                CK_OK(pcs_state_copy(s.st, other));
            } else {
                const size_t bytes = pcs_state_save_bytes(s.st);
                void *saved = malloc(bytes);
                pcs_state_save(s.st, saved);
                CK_OK(pcs_state_load(other, saved, bytes));
                free(saved);
            }
            ck_assert(pcs_state_equal(s.st, other));
            ck_assert_uint_eq(pcs_state_hash(s.st), pcs_state_hash(other));
            CK_NEAR(other->memory->kappa, s.st->memory->kappa, 0);
            other->memory->kappa *= 2;
            ck_assert(!pcs_state_equal(s.st, other));
            ck_assert_uint_ne(pcs_state_hash(s.st), pcs_state_hash(other));
        }
        pcs_state_destroy(other);
        scene_close(&s);
    }
    ck_assert_int_gt(found, 0);
}

TEST(numbers_out_of_range_are_refused)
{
    scene s = scene_open();
    pcs_scheme bad = pcs_scheme_moreau_jean();
    bad.halvings = -1;
    ck_assert(pcs_model_set_scheme(s.m, &bad) == PCS_ERR_ARG);
    bad = pcs_scheme_dense(1e-4, -1);
    ck_assert(pcs_model_set_scheme(s.m, &bad) == PCS_ERR_ARG);
    scene_start(&s);
    ck_assert(pcs_work_set_threads(NULL, 2) == PCS_ERR_ARG);
    ck_assert(pcs_work_set_threads(s.wk, 0) == PCS_ERR_ARG);
    ck_assert(pcs_work_set_threads(s.wk, 257) == PCS_ERR_ARG);
    scene_close(&s);
}
