// Every solve of a step, over every scene of bench_scenes: written to a file, read and solved
// again, it ends with the same bits; and its global form in an FCLIB file is the same problem.
#define _POSIX_C_SOURCE 200809L // mkdtemp

#include <stdio.h>
#include <unistd.h>

#include <percuss/bodies.h>
#include <percuss/problem_file.h>

#include "engine.h"
#include "scene_list.h"
#include "scene_run.h"
#include "support.h"

extern const engine engine_percuss;

typedef struct tally {
    const char *scene;
    char text[64], fclib[64];
    int solves, cold, global;
} tally;

static void expect_same_bits(const char *scene, const char *what, size_t n, const double *a,
                             const double *b)
{
    ck_assert_msg(n == 0 || memcmp(a, b, n * sizeof *a) == 0, "%s: %s differs", scene, what);
}

static double *copy_of(size_t n, const double *x)
{
    double *y = calloc(n + 1, sizeof *y);
    ck_assert_ptr_nonnull(y);
    if (n > 0 && x) memcpy(y, x, n * sizeof *y);
    return y;
}

// the file has everything that the solve depends on
static void solve_again(const tally *c, const pcs_velocity_solve *s)
{
    pcs_problem_file *f;
    CK_OK(pcs_problem_file_read(NULL, c->text, PCS_FILE_BODIES, &f));
    const size_t n = (size_t)f->rows, nv = (size_t)f->velocities;
    ck_assert_int_eq(f->rows, s->problem.n);
    ck_assert_ptr_nonnull(f->opts);
    double *r = copy_of(n, f->start), *u = copy_of(n, NULL), *v = copy_of(nv, NULL);
    pcs_report report;
    CK_OK(pcs_solve_bodies(NULL, f->bodies, f->opts, f->budget, (pcs_watch){0}, v, r, u, &report));
    expect_same_bits(c->scene, "r", n, r, s->r);
    expect_same_bits(c->scene, "u", n, u, s->u);
    expect_same_bits(c->scene, "v", nv, v, s->v);
    expect_same_bits(c->scene, "the stored r", n, f->r, s->r);
    expect_same_bits(c->scene, "the stored u", n, f->u, s->u);
    expect_same_bits(c->scene, "the stored v", nv, f->v, s->v);
    ck_assert_int_eq(report.outcome, s->report->outcome);
    ck_assert_int_eq(report.iters, s->report->iters);
    ck_assert(report.measure.residual == s->report->measure.residual);
    free(r);
    free(u);
    free(v);
    pcs_problem_file_destroy(f);
}

// the impulses of the step have the same measure in the global form; the order of the rows differs
static void measure_again(const tally *c, const pcs_velocity_solve *s)
{
    pcs_problem_file *f;
    pcs_measure m;
    pcs_arena arena;
    CK_OK(pcs_problem_file_read(NULL, c->fclib, PCS_FILE_ANY, &f));
    ck_assert_ptr_nonnull(f->global);
    ck_assert_int_eq(f->rows, s->problem.n);
    ck_assert_int_eq(f->guesses, 1);
    double *u = copy_of((size_t)f->rows, NULL), *v = copy_of((size_t)f->velocities, NULL);
    CK_OK(pcs_arena_create(NULL, (size_t)1 << 24, &arena));
    CK_OK(pcs_global_measure(f->global, arena, f->r, v, u, &m));
    const pcs_measure *is = &s->report->measure;
    const double rounding = 1e-10 * (1 + m.rounding / fmax(is->norm_q, is->norm_wr));
    CK_NEAR(m.residual, is->residual, 1e-6 * is->residual + rounding);
    CK_NEAR(m.norm_q, is->norm_q, 1e-9 * is->norm_q);
    CK_NEAR(m.norm_r, is->norm_r, 1e-12 * is->norm_r);
    expect_same(v, s->v, f->velocities, 1e-9 * (is->norm_q + is->norm_wr));
    free(u);
    free(v);
    pcs_arena_destroy(NULL, &arena);
    pcs_problem_file_destroy(f);
}

static void look(void *user, const pcs_velocity_solve *s)
{
    tally *c = user;
    const pcs_file_content content = {.bodies = &s->problem,
                                      .start = s->start,
                                      .opts = &s->opts,
                                      .budget = s->budget,
                                      .r = s->r,
                                      .u = s->u,
                                      .v = s->v,
                                      .title = "a solve"};
    ck_assert(s->part >= 1 && s->solve >= 1);
    CK_OK(pcs_problem_file_write(NULL, c->text, PCS_FILE_FORMAT_BY_NAME, &content));
    solve_again(c, s);
    c->solves += 1;
    bool unilateral = false;
    for (int i = 0; i < s->problem.nb; ++i) {
        unilateral = unilateral || s->problem.block[i].cone == PCS_CONE_UNILATERAL;
    }
    if (unilateral) {
        CK_SAYS(pcs_problem_file_write(NULL, c->fclib, PCS_FILE_FORMAT_BY_NAME, &content),
                PCS_ERR_UNSUPPORTED, "write a .pcs file");
    } else if (s->solve == 1) {
        CK_OK(pcs_problem_file_write(NULL, c->fclib, PCS_FILE_FORMAT_BY_NAME, &content));
        measure_again(c, s);
        c->global += 1;
    }
}

TEST(a_solve_from_its_file_has_the_bits_of_the_step)
{
    char folder[] = "/tmp/percuss-capture-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    const bench_scene *scenes;
    const int n = scene_list(&scenes);
    int solves = 0, global = 0;
    for (int k = 0; k < n; ++k) {
        const bench_scene *b = &scenes[k];
        const engine *e = &engine_percuss;
        const engine_options o = {b->tol, 0, 1};
        if (scene_is_large(b)) continue;
        bodies numbers = {0};
        ck_assert(b->model || (b->of_side ? b->of_side(&numbers, 3) : b->alone(&numbers)));
        void *self = b->model ? e->create_model(b->model, &o) : e->create(&numbers, &o);
        ck_assert_msg(self != NULL, "%s", b->name);
        tally c = {.scene = b->name};
        snprintf(c.text, sizeof c.text, "%s/solve.pcs", folder);
        snprintf(c.fclib, sizeof c.fclib, "%s/solve.hdf5", folder);
        CK_OK(pcs_work_set_capture(e->simulation(self)->work, look, &c));
        const double h = b->model ? b->model->h : numbers.h;
        for (int i = 0; i < TEST_FEW(2, 4); ++i) {
            engine_step now;
            ck_assert_msg(e->step(self, h, &now), "%s", b->name);
        }
        solves += c.solves;
        global += c.global;
        e->destroy(self);
        bodies_destroy(&numbers);
        unlink(c.text);
        unlink(c.fclib);
    }
    ck_assert_int_ge(solves, n);
    ck_assert_int_ge(global, n / 2);
    rmdir(folder);
}
