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
