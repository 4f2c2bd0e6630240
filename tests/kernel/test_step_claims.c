// The claims of a step, checked on its velocity problem in higher precision: heaps of bodies whose
// masses differ by up to 1e12, that collide at speeds of 1e-6 to 1e3 m/s, in a frame that may
// itself be fast. A step that reports converged has solved its velocity problem to the tolerance,
// or to rounding where rounding is small beside q.
#include "scene.h"

#include <float.h>
#include <stdio.h>

#include "exact.h"
#include "step/step.h"

// relative to q: the rounding in a step that counts as solved (kernel/step/velocity.c)
#define ROUNDING_MOST 1e-5
#define TWICE         2.01

typedef struct tally {
    long steps, converged, judged;
} tally;

static double size_between(test_random *g, double low, double high)
{
    return pow(10, random_between(g, low, high));
}

static void throw_bodies(scene *s, test_random *g)
{
    const double spread = random_unit(g) < 0.5 ? 0.3 : 6, speed = size_between(g, -6, 3);
    const double frame = random_unit(g) < 0.2 ? size_between(g, 0, 4) : 0;
    const int n = 2 + (int)(random_unit(g) * 4);
    *s = scene_open();
    s->scheme = random_unit(g) < 0.5 ? pcs_scheme_dense(1e-8, 0.1) : pcs_scheme_moreau_jean();
    if (random_unit(g) < 0.3) scene_gravity(s, 0, 0, 0);
    if (frame == 0) {
        scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0),
                    random_unit(g), 0, 2 * random_unit(g));
    }
    for (int i = 0; i < n; ++i) {
        const double mass = size_between(g, -spread, spread);
        const double x[3] = {0.03 * random_normal(g), 0.03 * random_normal(g), 0.05 + 0.095 * i};
        const double v[3] = {frame + speed * random_normal(g), speed * random_normal(g),
                             speed * random_normal(g)};
        const double edges[3] = {0.1, 0.12, 0.1}, omega[3] = {speed * random_normal(g), 0, 0};
        const bool ball = random_unit(g) < 0.4;
        const pcs_system b =
            ball ? scene_ball(s, mass, 0.05, x, v) : scene_box(s, mass, edges, x, NULL, v, omega);
        scene_rough(s, b, ball ? pcs_shape_sphere(0.05) : pcs_shape_box(0.1, 0.12, 0.1),
                    random_unit(g) < 0.5 ? 0 : random_unit(g), 0, 2 * random_unit(g));
    }
    scene_start(s);
}

// r of the active contacts, in the order of the rows; false where it is not the whole problem
static bool take_impulses(const scene *s, const pcs_problem *p, double *r)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    int rows = 0;
    for (int i = 0; i < n; ++i) {
        const int d = c[i].law.kind == PCS_LAW_NEWTON_COULOMB && c[i].law.mu > 0 ? 3 : 1;
        for (int k = 0; c[i].active && k < d; ++k) {
            if (rows >= p->n) return false;
            r[rows++] = c[i].r[k];
        }
    }
    return rows == p->n;
}

static double fastest(const scene *s)
{
    double most = 0;
    for (int i = 0; i < s->m->nv; ++i) {
        most = fmax(most, fabs(s->st->v[i]));
    }
    return most;
}

static void judge_step(const scene *s, uint64_t seed, tally *t)
{
    pcs_problem p;
    CK_OK(pcs_work_problem(s->wk, &p));
    double r[EXACT_ROWS], W[EXACT_ROWS * EXACT_ROWS], u[EXACT_ROWS];
    if (p.n == 0 || p.n > EXACT_ROWS || !take_impulses(s, &p, r)) return;
    int rows[2] = {0, p.n}, one[2] = {0, 1}, zero[1] = {0};
    size_t start[1] = {0};
    pcs_problem dense = p;
    pcs_bsr_to_dense(&p.W, W);
    dense.W = (pcs_bsr){
        .m = 1, .n = 1, .row = rows, .col = rows, .ptr = one, .idx = zero, .off = start, .val = W};
    const exact_measure e = exact_measure_of(&dense, r);
    pcs_measure m;
    pcs_problem_measure(&dense, r, u, &m);
    t->judged += 1;

    // this test computes W and q again, from velocities as large as those of the bodies
    const double noise = 64 * (m.rounding + DBL_EPSILON * fastest(s)) * (1 + 2);
    const double size = fmax(m.norm_q, m.norm_wr), tol = s->scheme.solver.tol;
    ck_assert_msg(e.residual <= TWICE * tol + noise / size ||
                      e.against_q <= ROUNDING_MOST + noise / m.norm_q,
                  "scene %lu: %d rows, claimed %g, in truth %g, %g of q; rounding %g, q %g",
                  (unsigned long)seed, p.n, s->report.solve.measure.residual, e.residual,
                  e.against_q, m.rounding, m.norm_q);
    // the rounding of W r alone: that of q is no bound of a residual
    dense.far.rounding = 0;
    pcs_problem_measure(&dense, r, u, &m);
    ck_assert(s->report.solve.measure.residual * size >= 0.1 * m.rounding);
}

static void run_scene(uint64_t seed, tally *t)
{
    test_random g = random_seed(seed);
    scene s;
    throw_bodies(&s, &g);
    const double h = size_between(&g, -4, -1.5);
    for (int k = 0; k < 8; ++k) {
        const pcs_status status = pcs_step(s.m, s.st, s.wk, h, &s.report);
        if (status != PCS_OK) break;
        t->steps += 1;
        if (s.report.outcome != PCS_OUTCOME_CONVERGED) break;
        t->converged += 1;
        // a step that was divided shows the problem of its last part
        judge_step(&s, seed, t);
    }
    scene_close(&s);
}

// PERCUSS_CLAIMS=FIRST:SCENES runs a longer campaign with other scenes
TEST(converged_steps_are_solved)
{
    unsigned long first = 1, scenes = TEST_DRAWS(100);
    const char *asked = getenv("PERCUSS_CLAIMS");
    if (asked) ck_assert_int_eq(sscanf(asked, "%lu:%lu", &first, &scenes), 2);
    tally t = {0};
    for (unsigned long seed = first; seed < first + scenes; ++seed) {
        run_scene(seed, &t);
    }
    ck_assert_int_gt(t.judged, (long)scenes);
    if (asked) {
        printf("%lu scenes, %ld steps, %ld converged, %ld with a problem judged\n", scenes, t.steps,
               t.converged, t.judged);
    }
}
