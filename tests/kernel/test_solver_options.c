// Every option of every row of the solver table changes what a step does, or the step is refused.
#include "options.h"
#include "scene.h"

#include "model/model.h"

enum { STEPS = 2, FLOORS = 8, SCENES = 12 };

typedef struct trace {
    pcs_status status;
    int iters, sweeps;
    uint64_t hash;
} trace;

// a tower of boxes, each rotated a little and with a random velocity
static void tower(scene *s, uint64_t seed)
{
    *s = scene_open();
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, 0.5);
    test_random r = random_seed(seed);
    for (int i = 0; i < FLOORS; ++i) {
        const double edges[3] = {0.2, 0.2, 0.1}, x[3] = {0, 0, 0.1 * i + 0.05};
        const double v[3] = {random_normal(&r), random_normal(&r), 0};
        const double omega[3] = {0, 0, random_normal(&r)};
        const pcs_system box = scene_box(s, 1 + 9 * random_unit(&r), edges, x, NULL, v, omega);
        scene_rough(s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, random_unit(&r));
    }
}

static trace traced(int scene_number, const pcs_solver_opts *o)
{
    scene s;
    if (scene_number % 2 == 0) {
        scene_random_rough(&s, 1 + (uint64_t)scene_number, 0.5);
    } else {
        tower(&s, (uint64_t)scene_number);
    }
    s.scheme.solver = *o;
    s.scheme.accept_unconverged = true;
    scene_start(&s);
    trace t = {0};
    pcs_step_report report = {0};
    for (int i = 0; i < STEPS && t.status == PCS_OK; ++i) {
        t.status = pcs_step(s.m, s.st, s.wk, 0.02, &report);
        t.iters += report.solve.iters;
        t.sweeps += report.sweeps;
    }
    t.hash = pcs_state_hash(s.st);
    scene_close(&s);
    return t;
}

static bool differ(const trace *a, const trace *b)
{
    return a->status != b->status || a->iters != b->iters || a->sweeps != b->sweeps ||
           a->hash != b->hash;
}

static bool changes(int scene_number, const pcs_solver_info *info, const pcs_opt *opt)
{
    // a tolerance out of reach: the solver uses all its iterations; and an easy one
    const double tols[2] = {1e-30, 1e-4};
    for (int i = 0; i < 2; ++i) {
        pcs_solver_opts o = option_base(info, opt, true);
        o.tol = tols[i];
        o.max_iters = 200;
        const trace usual = traced(scene_number, &o);
        const double x = option_get(&o, opt);
        for (int k = 0; k < OPTION_VALUES; ++k) {
            option_set(&o, opt, option_value(opt, x, k));
            const trace t = traced(scene_number, &o);
            ck_assert_msg(t.status == PCS_OK || t.status == PCS_ERR_UNSUPPORTED, "%s",
                          pcs_error_text());
            if (differ(&t, &usual)) return true;
        }
    }
    return false;
}

TEST(every_option_changes_a_step)
{
    for (int i = 0; i < pcs_solver_count(); ++i) {
        const pcs_solver_info *info = pcs_solver_at(i);
        for (int k = 0; k < info->n_opts; ++k) {
            bool seen = false;
            for (int n = 0; n < SCENES && !seen; ++n) {
                seen = changes(n, info, &info->opt[k]);
            }
            ck_assert_msg(seen, "%s: %s changes nothing in a step", info->name, info->opt[k].name);
        }
    }
}

// ---- the watch of a work -----------------------------------------------------------------------

typedef struct listener {
    int calls, stop_at; // stop_at 0: never
} listener;

static int listen(void *user, const pcs_progress *now)
{
    listener *l = user;
    (void)now;
    l->calls += 1;
    return l->stop_at > 0 && l->calls >= l->stop_at;
}

TEST(a_watch_hears_of_steps_and_changes_no_bit)
{
    uint64_t hash[2];
    listener l = {0};
    for (int watched = 0; watched < 2; ++watched) {
        scene s;
        tower(&s, 3);
        scene_start(&s);
        if (watched) CK_OK(pcs_work_set_watch(s.wk, (pcs_watch){listen, &l}));
        for (int i = 0; i < STEPS; ++i) {
            scene_step(&s, 0.02);
        }
        hash[watched] = pcs_state_hash(s.st);
        scene_close(&s);
    }
    ck_assert_int_gt(l.calls, 0);
    ck_assert_uint_eq(hash[0], hash[1]);
    CK_FAILS(pcs_work_set_watch(NULL, (pcs_watch){0}), PCS_ERR_ARG);
}

// also where unconverged steps are accepted and divided
TEST(a_watch_stops_a_step)
{
    for (int stop_at = 1; stop_at <= 9; stop_at += 4) {
        for (int k = 0; k < 4; ++k) {
            scene s;
            tower(&s, 3);
            s.scheme.accept_unconverged = k % 2 == 1;
            s.scheme.halvings = k / 2 == 1 ? 3 : 0;
            scene_start(&s);
            const uint64_t before = pcs_state_hash(s.st);
            listener l = {.stop_at = stop_at};
            CK_OK(pcs_work_set_watch(s.wk, (pcs_watch){listen, &l}));
            pcs_step_report report;
            CK_OK(pcs_step(s.m, s.st, s.wk, 0.02, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
            ck_assert(!report.committed);
            ck_assert_uint_eq(pcs_state_hash(s.st), before);
            CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.02, NULL), PCS_ERR_STEP,
                    "velocity problem stopped");

            // without a watch the work is as before
            CK_OK(pcs_work_set_watch(s.wk, (pcs_watch){0}));
            CK_OK(pcs_step(s.m, s.st, s.wk, 0.02, &report));
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            scene_close(&s);
        }
    }
}

// the joints of a chain are closed by one solve, which is done when the watch hears of it
TEST(a_watch_stops_a_chain_of_joints)
{
    scene s = scene_open();
    const double tie[3] = {-0.5, 0, 0}, tip[3] = {0.5, 0, 0};
    pcs_system last = {0};
    for (int i = 0; i < 3; ++i) {
        const pcs_system link = scene_ball(&s, 1, 0.1, (double[3]){i, 0, 0}, NULL);
        scene_join(&s, pcs_relation_ball_joint(tie, i ? tip : tie), pcs_law_equality(), link, last);
        last = link;
    }
    scene_start(&s);
    const uint64_t before = pcs_state_hash(s.st);
    listener l = {.stop_at = 1};
    CK_OK(pcs_work_set_watch(s.wk, (pcs_watch){listen, &l}));
    pcs_step_report report;
    CK_OK(pcs_step(s.m, s.st, s.wk, 0.02, &report));
    ck_assert_int_eq(l.calls, 1);
    ck_assert(report.outcome == PCS_OUTCOME_STOPPED && !report.committed);
    ck_assert_uint_eq(pcs_state_hash(s.st), before);
    scene_close(&s);
}

// ---- sweeps ------------------------------------------------------------------------------------

// the sweeps on bodies read the options of nsgs themselves: their results agree with those on W
TEST(sweeps_agree_with_an_assembled_problem)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        double v[3][64];
        int nv = 0;
        for (int k = 0; k < 3; ++k) {
            scene s;
            scene_random_rough(&s, seed, 0.3);
            s.scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
            s.scheme.solver.tol = 1e-12;
            s.scheme.solver.max_iters = 100000;
            if (k == 1) s.scheme.solver.as.nsgs.order = PCS_NSGS_ORDER_SYMMETRIC;
            if (k == 2) s.scheme.solver.as.nsgs.check_every = 3;
            scene_start(&s);
            scene_step(&s, 2e-3);
            nv = s.m->nv;
            ck_assert_int_le(nv, 64);
            memcpy(v[k], s.st->v, (size_t)nv * sizeof **v);
            scene_close(&s);
        }
        for (int i = 0; i < nv; ++i) {
            CK_NEAR(v[1][i], v[0][i], 1e-8);
            CK_NEAR(v[2][i], v[0][i], 1e-8);
        }
    }
}
